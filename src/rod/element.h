// SPDX-License-Identifier: MIT
#pragma once

// One edge and the joint at its start, as a function of what they hang on.
//
// Variables  o, start of the edge; e, the edge before it; f, the edge; turns of e and f about
//            themselves: 11 in all. Whoever fills an element knows nothing of nodes.

#include "rod/model.h"

enum { TDI_O = 0, TDI_E = 3, TDI_F = 6, TDI_SPIN_E = 9, TDI_SPIN_F = 10, TDI_ELEMENT = 11 };

typedef struct tdi_rod_element {
    td_real gradient[TDI_ELEMENT];
    td_real hessian[TDI_ELEMENT][TDI_ELEMENT]; // upper half
} tdi_rod_element;

// The increment of a turn w is t x df/|f| + t dturn: rows of its derivative by f and the turn.
typedef struct tdi_edge_jacobian {
    tdi_mat3 by_f;
    td_vec3 by_turn;
} tdi_edge_jacobian;

TDI_HELPER tdi_edge_jacobian tdi_edge_jacobian_of(const tdi_edge *edge) {
    td_vec3 t = tdi_scale(edge->t, 1 / edge->length);
    tdi_edge_jacobian s = {{{0, -t.z, t.y, t.z, 0, -t.x, -t.y, t.x, 0}}, edge->t};
    return s;
}

// Adds a term of a place x = o + share f + r, where r turns with the edge: its gradient, and its
// Hessian, which must be positive semi-definite.
void tdi_element_add_point(tdi_rod_element *element, const tdi_edge_jacobian *jacobian,
                           td_real share, td_vec3 r, td_vec3 gradient, const td_sym3 *hessian);
// Adds a gradient to the turn of the edge.
void tdi_element_add_moment(tdi_rod_element *element, const tdi_edge_jacobian *jacobian,
                            td_vec3 moment);
// Adds m |x - o|-like terms of a rigid body: mass times o, first moment r, inertia about o.
void tdi_element_add_body(tdi_rod_element *element, const tdi_edge_jacobian *jacobian, td_real mass,
                          td_vec3 r, const td_sym3 *inertia, td_vec3 force, td_vec3 moment);

// The edge starts at r from the end of the edge before it, and turns with that: adds what changes
// of f by e and its turn, and of o likewise.
void tdi_element_move(tdi_rod_element *element, const tdi_edge *before, td_vec3 r, bool whole);

// Adds second derivatives of what turns with the edge (of the edge before it where `before`); see
// tdi_turning_second_derivative().
void tdi_element_add_second_derivative(tdi_rod_element *element, bool before, const tdi_edge *edge,
                                       td_vec3 m, const tdi_mat3 *q);

// Adds the element to the work of the nodes it belongs to: its gradient, and its Hessian unless
// that is to be left alone.
void tdi_element_scatter(const tdi_rod_element *element, const tdi_rod_state *state, int32_t i,
                         bool only_gradient);
