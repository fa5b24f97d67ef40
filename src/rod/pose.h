// SPDX-License-Identifier: MIT
#pragma once

// Where the nodes are: moving them by increments, with their frames carried along in time.

#include "rod/model.h"

// How vertices follow increments.
typedef enum tdi_rod_way {
    TDI_STRAIGHT, // as they say
    TDI_TURNING,  // where nothing is held but roots, edges turn and stretch as they say
    TDI_KEEPING, // likewise, but edges keep their lengths: for guesses, which know little of forces
} tdi_rod_way;

// From pose_back, turn_back to pose, turn by `part` of the increments in `step`.
void tdi_rod_try(tdi_rod_state *state, td_real part, tdi_rod_way way);

// Frames and strains after places were set by hand: directors are carried along from the last pose.
void tdi_rod_follow(tdi_rod_state *state);
// The same for somebody who reads the state, which stays one that was set by hand. Frames stay as
// they are while an edge has no length.
void tdi_rod_refresh(const tdi_rod_state *state);

// All at the start.
void tdi_rod_place_start(tdi_rod_state *state);

// Increments that carry what is held to where it shall be, and go on as the last steps did
// elsewhere.
void tdi_rod_guess(tdi_rod_state *state);
// Increments that carry all nodes to x, and what is held to where it shall be.
void tdi_rod_go_towards(tdi_rod_state *state, const td_vec3 *x);

// Adds to the increments what is left of the way of all that is held. Whether there is any.
bool tdi_rod_carry_held(tdi_rod_state *state);
// The same from other poses.
bool tdi_rod_carry_left(tdi_rod_state *state, const tdi_rod_pose *from);

// Largest increment: rad, or m.
td_real tdi_rod_largest(const tdi_rod_state *state);

// As the past of a node keeps them.
static inline void tdi_rod_strains(const tdi_rod_pose *pose, td_real out[4]) {
    out[0] = pose->k1;
    out[1] = pose->k2;
    out[2] = pose->twist;
    out[3] = pose->edge.length;
}
