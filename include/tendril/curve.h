// SPDX-License-Identifier: MIT
#pragma once

/// @file curve.h
/// Animation curves through keys: for numbers, vectors and rotations. Fixed after creation, safe
/// to read from any thread.
///
/// Before the first key and after the last the value is constant. Value, velocity and acceleration
/// of a smooth curve are continuous: it starts and ends with velocity zero, unless it repeats.

#include "tendril/load.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TD_CURVE_KEYS_MAX  1000000
#define TD_CURVE_PARTS_MAX 16
#define TD_CURVE_GAP_MIN   1e-9 ///< s, between keys.

typedef enum td_interpolation {
    TD_SMOOTH, ///< Value, velocity and acceleration without jumps. The default.
    TD_LINEAR, ///< Straight from key to key.
    TD_STEP,   ///< A key's value up to the next key.
} td_interpolation;

// ---- numbers and vectors --------------------------------------------------------------------

typedef struct td_curve td_curve;

/// Start from td_curve_def_default(). Arrays are borrowed for the call.
typedef struct td_curve_def {
    uint32_t struct_size;
    int32_t key_count;              ///< 1 .. TD_CURVE_KEYS_MAX.
    int32_t part_count;             ///< Numbers a key, 1 .. TD_CURVE_PARTS_MAX. Default 1.
    const td_real *times;           ///< s, rising, up to 1e15.
    const td_real *values;          ///< part_count a key, up to 1e100.
    td_interpolation interpolation; ///< Default TD_SMOOTH.
    bool repeat; ///< Goes on from the first key after the last. Default false. Takes two keys at
                 ///< least, the last like the first unless the interpolation is TD_STEP.
} td_curve_def;

TD_API td_curve_def td_curve_def_default(void);

/// On failure *out is NULL and *diag, if given, names the key.
TD_API td_status td_curve_new(const td_curve_def *def, const td_alloc *alloc, td_curve **out,
                              td_diag *diag);
TD_API void td_curve_free(td_curve *curve); ///< NULL is allowed.
TD_API int32_t td_curve_part_count(const td_curve *curve);

/// Value, first and second derivative by time, part_count numbers each; any may be NULL.
/// At the keys of linear and stepped curves the derivatives are those that follow.
TD_API void td_curve_at(const td_curve *curve, td_real time, td_real *value, td_real *rate,
                        td_real *rate2);

/// A number that changes along a strand: values at places from 0, its start, to 1, its end. It
/// stays between the least and the largest of its values.
typedef struct td_along {
    const td_real *places; ///< `count` of them, rising. The value is constant before the first and
                           ///< after the last.
    const td_real *values;
    int32_t count; ///< 0 (default): it does not change.
    td_interpolation interpolation;
} td_along;

// ---- rotations ------------------------------------------------------------------------------

typedef struct td_turn_curve td_turn_curve;

/// Start from td_turn_curve_def_default(). Give either `rotations` or `turns`. Arrays are borrowed
/// for the call.
typedef struct td_turn_curve_def {
    uint32_t struct_size;
    int32_t key_count;        ///< 1 .. TD_CURVE_KEYS_MAX.
    const td_real *times;     ///< s, rising, up to 1e15.
    const td_quat *rotations; ///< From key to key the shorter way. Need not be of unit length.
    const td_vec3 *turns;     ///< Axis times angle, rad, up to 1e9. Between keys about one axis the
                          ///< angle goes from one to the other, by any number of turns; otherwise
                          ///< the shorter way.
    td_interpolation interpolation; ///< Default TD_SMOOTH.
    bool repeat;                    ///< As of td_curve_def; angles may differ by whole turns.
} td_turn_curve_def;

TD_API td_turn_curve_def td_turn_curve_def_default(void);

/// On failure *out is NULL and *diag, if given, names the key.
TD_API td_status td_turn_curve_new(const td_turn_curve_def *def, const td_alloc *alloc,
                                   td_turn_curve **out, td_diag *diag);
TD_API void td_turn_curve_free(td_turn_curve *curve); ///< NULL is allowed.

/// Rotation, angular velocity (rad/s) and acceleration (rad/s^2) in world axes; any may be NULL.
TD_API void td_turn_curve_at(const td_turn_curve *curve, td_real time, td_quat *rotation,
                             td_vec3 *spin, td_vec3 *spin_rate);

// ---- both -----------------------------------------------------------------------------------

/// The motion of a base along both. `position` has three parts, in m; either may be NULL: it stays
/// at the origin, or does not turn.
TD_API td_base_motion td_base_motion_at(const td_curve *position, const td_turn_curve *rotation,
                                        td_real time);

#ifdef __cplusplus
}
#endif
