// SPDX-License-Identifier: MIT
#pragma once

/// @file load.h
/// External loads on segments. Plain structs, borrowed for the call that takes them.

#include "tendril/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_load_kind {
    TD_LOAD_FORCE,  ///< `vector` in N, at `point`.
    TD_LOAD_TORQUE, ///< `vector` in N m.
    TD_LOAD_SPRING, ///< Spring and damper between `point` and the position `vector`, m, which
                    ///< moves with `velocity`.
} td_load_kind;

/// One load on one segment. World axes, except `point`.
typedef struct td_load {
    td_load_kind kind;
    int32_t segment;
    td_vec3 point; ///< In the segment's own axes, m.
    td_vec3 vector;
    td_real stiffness; ///< N/m, >= 0. This and the rest are used by springs only.
    td_real damping;   ///< N s/m, >= 0.
    td_vec3 velocity;  ///< m/s, of the position `vector`.
} td_load;

/// The air around everything. All zero: none.
/// The drag on a piece with projected area A that moves with velocity u relative to the air is
/// -A (linear + quadratic |u|) u. Along a stem and in the plane of a leaf it is 0.1 of that across
/// in the linear part and 0.1^(3/2) = 0.032 in the quadratic part. Organs of several surfaces have
/// the area of their outline, and fold in strong wind; see docs/theory/wind.md. Drag only ever
/// takes energy out of still air.
typedef struct td_air {
    td_vec3 wind;      ///< m/s, everywhere.
    td_real linear;    ///< N s/m^3, >= 0.
    td_real quadratic; ///< N s^2/m^4, >= 0: half the air's density times the drag coefficient.
} td_air;

/// The motion of the base, to which all segments without parent are attached: a pot, a head, a
/// branch. World axes.
typedef struct td_base_motion {
    td_vec3 position;     ///< m.
    td_quat rotation;     ///< Unit.
    td_vec3 velocity;     ///< m/s.
    td_vec3 spin;         ///< rad/s.
    td_vec3 acceleration; ///< m/s^2.
    td_vec3 spin_rate;    ///< rad/s^2.
} td_base_motion;

/// Still, at the origin, not turned.
TD_API td_base_motion td_base_motion_default(void);

#ifdef __cplusplus
}
#endif
