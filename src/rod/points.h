// SPDX-License-Identifier: MIT
#pragma once

// The capsules that edges of rods are to others, and the vertices at their ends.

#include "rod/implicit.h"

// Whether a node's edge is a capsule.
bool tdi_rod_touches(const tdi_rod_node *node);

// Functions of tdi_implicit; `body` is a tdi_rod_state.
void tdi_rod_capsules(const void *body, tdi_capsule *capsules);
bool tdi_rod_apart(const void *body, int32_t i, int32_t j);
td_real tdi_rod_force(const void *body, const td_step_opts *opts, td_real gap, td_real h);
void tdi_rod_points(const void *body, bool history, td_vec3 *x);
void tdi_rod_velocities(void *body, td_vec3 *v);
void tdi_rod_moves(const void *body, bool response, td_vec3 *dx);
td_vec3 tdi_rod_turned(const void *body, int32_t capsule);
td_vec3 tdi_rod_turns(const void *body, int32_t capsule, bool response);
td_vec3 tdi_rod_spin(void *body, int32_t capsule);
void tdi_rod_apply_moment(void *body, int32_t capsule, td_vec3 moment, bool first);
void tdi_rod_turn_rows(const void *body, int32_t capsule, td_real rows[2][3][4]);
void tdi_rod_add_side(void *body, const tdi_contact_side *side);
void tdi_rod_push(void *body, int32_t point, td_vec3 force, bool first);
void tdi_rod_respond(void *body);
void tdi_rod_absorb(void *body);
void tdi_rod_blocks(const void *body, const tdi_block_taker *taker);
void tdi_rod_unknowns(const void *body, tdi_unknowns *unknowns);
void tdi_rod_increments(void *body, const tdi_unknowns *unknowns);
