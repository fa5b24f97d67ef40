// SPDX-License-Identifier: MIT
#pragma once

/// @file load.h
/// What acts on segments from outside. Plain structs, borrowed for the call that takes them.

#include "tendril/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_load_kind {
    TD_LOAD_FORCE,  ///< `vector` in N, at `point`.
    TD_LOAD_TORQUE, ///< `vector` in N m.
    TD_LOAD_SPRING, ///< Pulls `point` towards the place `vector`, m, with `stiffness` a metre, and
                    ///< towards its `velocity` with `damping`.
} td_load_kind;

/// One load on one segment. World axes, except `point`.
typedef struct td_load {
    td_load_kind kind;
    int32_t segment;
    td_vec3 point; ///< In the segment's own axes, m.
    td_vec3 vector;
    td_real stiffness; ///< N/m, >= 0; of springs, as are the rest.
    td_real damping;   ///< N s/m, >= 0.
    td_vec3 velocity;  ///< m/s: of the place.
} td_load;

/// The air around everything. All zero: none.
/// The drag on a piece with area A across that moves with velocity u against the wind is
/// -A (linear + quadratic |u|) u. Along a stem and in the plane of a leaf a tenth of the area
/// counts. Drag only ever takes energy out of still air.
typedef struct td_air {
    td_vec3 wind;      ///< m/s, everywhere.
    td_real linear;    ///< N s/m^3, >= 0.
    td_real quadratic; ///< N s^2/m^4, >= 0: half the air's density times the drag coefficient.
} td_air;

/// How the base moves that all segments without parent hang on: a pot, a head, a branch. World
/// axes.
typedef struct td_base_motion {
    td_vec3 position;     ///< m.
    td_quat rotation;     ///< Unit.
    td_vec3 velocity;     ///< m/s.
    td_vec3 spin;         ///< rad/s.
    td_vec3 acceleration; ///< m/s^2.
    td_vec3 spin_rate;    ///< rad/s^2.
} td_base_motion;

#ifdef __cplusplus
}
#endif
