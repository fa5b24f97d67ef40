// SPDX-License-Identifier: MIT
#pragma once

// Loads at a point x that moves with velocity u, as terms of a potential: the value, and its
// derivatives by x. A solver adds them with the Jacobian of its points.
//   force   V = -F.x
//   spring  V = k/2 |x - a|^2, and the dissipation D = c/2 |u - v|^2
//   torque  no potential: along the turn w since the step's start its work is T.w to first order

#include "math/mat3.h"
#include "tendril/load.h"

typedef struct tdi_point_term {
    td_real value;
    td_vec3 gradient;
    td_sym3 hessian;
} tdi_point_term;

static inline void tdi_point_add(tdi_point_term *sum, td_real value, td_vec3 gradient,
                                 td_sym3 hessian) {
    sum->value += value;
    sum->gradient = tdi_add(sum->gradient, gradient);
    sum->hessian = tdi_sym3_add(sum->hessian, hessian);
}

// k/2 |d|^2, d = x - a
static inline void tdi_point_add_spring(tdi_point_term *sum, td_real k, td_vec3 d) {
    tdi_point_add(sum, 0.5 * k * tdi_dot(d, d), tdi_scale(d, k), tdi_sym3_diagonal(k, k, k));
}

// A step finds x where u = (x - x*)/h. A dissipation D(u) is then the term h D(u), with derivatives
// D' and D''/h by x. A potential that is a multiple of an energy has these factors times that.
// All zero: nothing moves.
typedef struct tdi_rate_factors {
    td_real value, gradient, hessian;
} tdi_rate_factors;

// Of a rule with h, in J; 0: statics.
static inline tdi_rate_factors tdi_rates_of(td_real h) {
    return h > 0 ? (tdi_rate_factors){h, 1, 1 / h} : (tdi_rate_factors){0, 0, 0};
}

// Of a force or spring; V enters times `scale`.
static inline tdi_point_term tdi_point_load(const td_load *l, td_vec3 x, td_vec3 u, td_real scale,
                                            const tdi_rate_factors *by) {
    if (l->kind == TD_LOAD_FORCE) {
        return (tdi_point_term){.value = -scale * tdi_dot(l->vector, x),
                                .gradient = tdi_scale(l->vector, -scale)};
    }
    const td_vec3 d = tdi_sub(x, l->vector), e = tdi_sub(u, l->velocity);
    const td_real k = scale * l->stiffness, both = k + by->hessian * l->damping;
    return (tdi_point_term){.value =
                                0.5 * (k * tdi_dot(d, d) + by->value * l->damping * tdi_dot(e, e)),
                            .gradient = tdi_madd(tdi_scale(d, k), e, by->gradient * l->damping),
                            .hessian = tdi_sym3_diagonal(both, both, both)};
}

// Of a torque on what had the axes `then` and has the axes `now`; its gradient by a turn is -T.
static inline td_real tdi_torque_value(const td_load *l, const tdi_mat3 *now,
                                       const tdi_mat3 *then) {
    tdi_mat3 turn = tdi_mat3_mul_t(now, then);
    return -0.5 * tdi_dot(l->vector, tdi_mat3_axial(&turn));
}
