// SPDX-License-Identifier: MIT
#pragma once

// Material points of rods: nodes, any positions on edges, rotations of edges.

#include "rod/implicit.h"

// Functions of tdi_implicit; `body` is a tdi_rod_state.
void tdi_rod_read(void *body, tdi_points points, tdi_reading what, td_vec3 *x);
void tdi_rod_apply_forces(void *body, tdi_points points, const td_vec3 *forces);
void tdi_rod_add_stiffness(void *body, const tdi_side_terms *side);
void tdi_rod_respond(void *body);
void tdi_rod_add_response(void *body);
void tdi_rod_blocks(const void *body, const tdi_block_taker *taker);
int32_t tdi_rod_rows(void *body, const tdi_point *point, int32_t node[TDI_POINT_NODES],
                     td_real rows[TDI_POINT_NODES][3][4]);
void tdi_rod_unknowns(const void *body, tdi_unknowns *unknowns);
void tdi_rod_increments(void *body, bool response, const tdi_unknowns *unknowns);

td_real tdi_rod_mass(const tdi_rod_model *model); // kg
