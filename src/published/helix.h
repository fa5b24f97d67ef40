// SPDX-License-Identifier: MIT
#pragma once

// The published ways to step Super-Helices (Bertails 2009): equations of motion of a tree of
// helices, from which they find the accelerations of curvatures. World axes throughout; see
// docs/theory/helix.md, "As published".
//
// An element moves with its start, which has the turning rate w and the velocity v, and with its
// curvatures u. What rides on it, at r from the start, accelerates by
//   turn   alpha + T u'' + b_theta,        b_theta = w x T u' + T' u'
//   place  a + alpha x r + P u'' + b_r,    b_r = w x (w x r + 2 P u') + P' u'
// where T and P are the derivatives of its frame and place by u.

#include "helix/sweep.h"

// A frame that moves.
typedef struct tdi_helix_moving {
    td_vec3 o;
    tdi_mat3 r;
    tdi_rate rate;
    td_vec3 spin_rate, acceleration; // the latter less gravity
} tdi_helix_moving;

// How something on an element follows the element's start and curvatures.
typedef struct tdi_helix_arm {
    td_vec3 r;                    // from the start
    tdi_mat3 axes;                // its frame
    td_vec3 turn[3], move[3];     // T, P
    tdi_rate rate;                // its own
    td_vec3 turn_bias, move_bias; // b_theta, b_r
} tdi_helix_arm;

// Moment about a point and force that the acceleration of the point takes:
//   A alpha + B a + n,   B^T alpha + C a + f
typedef struct tdi_helix_carried {
    td_sym3 a;
    tdi_mat3 b;
    td_sym3 c;
    td_vec3 n, f;
} tdi_helix_carried;

// Likewise of an element, by its start and its curvatures:
//   A alpha + B a + sum of turn_k u''_k + n,   B^T alpha + C a + sum of move_k u''_k + f,
//   and on u_k:  turn_k.alpha + move_k.a + sum of own_kl u''_l + g_k
typedef struct tdi_helix_inertia {
    tdi_helix_carried start;
    td_vec3 turn[3], move[3];
    td_sym3 own;
    td_vec3 g;
} tdi_helix_inertia;

// An element on its way through the sweeps.
typedef struct tdi_helix_work {
    tdi_helix_moving motion;   // of its start
    tdi_helix_arm arm;         // of its start, on its parent
    tdi_helix_inertia inertia; // its own; in the recursive method with all that it carries
    td_vec3 acceleration;      // u''
    td_vec3 u, rate;           // curvatures; a step leads them on
    tdi_helix_root root;       // of an element without parent: where it starts, likewise
} tdi_helix_work;

_Static_assert(sizeof(tdi_helix_work) <= sizeof(tdi_helix_node), "work lies in the nodes");

// Of all elements, in the memory of Newton's method: see leave_memory().
static inline tdi_helix_work *tdi_helix_works(const tdi_helix_state *s) {
    return (tdi_helix_work *)(void *)s->node;
}

// A step, or the accelerations at a time.
typedef struct tdi_helix_forward_opts {
    const td_step_opts *opts;
    td_real h;  // s: the step; 0: accelerations alone
    bool twist; // moves; otherwise it is frozen
} tdi_helix_forward_opts;

// What is at s with an offset in the axes there.
void tdi_helix_arm_at(const tdi_helix_moving *start, td_vec3 u, td_vec3 rate, td_real s,
                      td_vec3 offset, tdi_helix_arm *arm);
// The motion of an element's start, with `arm` on its parent, which moves and bends so.
tdi_helix_moving tdi_helix_follow(const tdi_helix_element *element, const tdi_helix_arm *arm,
                                  const tdi_helix_moving *parent, td_vec3 acceleration);

// The state's pose and rates as work. Root to tip: motions, without accelerations but those of
// roots, and arms. Then the inertias of all elements, each of its own, with velocity terms, loads
// and drag.
void tdi_helix_equations(tdi_helix_state *state, const tdi_helix_forward_opts *with);
// With the acceleration of u known: where the step leads u.
void tdi_helix_bend(tdi_helix_work *work, const tdi_helix_forward_opts *with, td_vec3 acceleration);
// With accelerations of its start known, and the base when the step ends: where the step leads an
// element without parent.
void tdi_helix_lead_root(const tdi_helix_state *state, const tdi_helix_forward_opts *with,
                         int32_t i, td_vec3 spin_rate, td_vec3 acceleration,
                         const td_base_motion *base);
// The moments and forces that a change of each u_k takes at an arm, and those that are there
// anyway: what start and curvatures feel.
void tdi_helix_add_columns(tdi_helix_inertia *to, const tdi_helix_arm *arm, const td_vec3 *moments,
                           const td_vec3 *forces);
void tdi_helix_add_wrench(tdi_helix_inertia *to, const tdi_helix_arm *arm, td_vec3 moment,
                          td_vec3 force);
// sum of column_k by_k
static inline td_vec3 tdi_helix_combine(const td_vec3 *columns, td_vec3 by) {
    return tdi_madd(tdi_madd(tdi_scale(columns[0], by.x), columns[1], by.y), columns[2], by.z);
}

// The moment of springs and friction on u when it has changed for a time t at its rate.
static inline td_vec3 tdi_helix_springs(const tdi_helix_element *e,
                                        const tdi_helix_forward_opts *with, td_vec3 u, td_vec3 rate,
                                        td_real t) {
    const td_vec3 bent = tdi_sub(tdi_madd(u, rate, t), e->rest);
    const td_vec3 moment = tdi_scale(tdi_times(e->stiffness, bent), -with->opts->stiffness);
    return tdi_madd(moment, tdi_times(e->friction, rate), -with->opts->damping);
}

// h c + h^2 k: what a step adds to the inertia of u.
static inline td_vec3 tdi_helix_step_inertia(const tdi_helix_element *e,
                                             const tdi_helix_forward_opts *with) {
    const td_real h = with->h;
    return tdi_madd(tdi_scale(e->friction, h * with->opts->damping), e->stiffness,
                    h * h * with->opts->stiffness);
}

// ---- methods --------------------------------------------------------------------------------

// Accelerations, and for a step where it leads, into the work, where the equations are. The rest of
// the state is left alone.
td_status tdi_helix_composite(tdi_helix_state *state, const tdi_helix_forward_opts *with,
                              td_diag *diag);

// TD_EULER: the recursive method with frozen twist.
td_status tdi_helix_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                  td_diag *diag);
