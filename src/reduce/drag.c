// SPDX-License-Identifier: MIT
// Drag of clusters: what that of all their segments comes to, until it is summed again.
//
// Area     The law of one segment (load/drag.h) with force F = quadratic s A u, s^2 = u^T A u/a,
//          along axes e has the force of all segments in the flow of the moment for
//            A_e = r_e/(quadratic s),  r_e = -F_e/u_e,  s^2 = sum r_e u_e^2/r
//          with the largest r. It is kept near what the areas give in a uniform flow, which also
//          holds where nothing flows. The moment N places the points of Gauss: their middle is at x
//          with x x F = N, and along F where the middle of the areas is.
// The rest of force and moment, of leaves that are inclined to the flow, stays with the cluster's
//          axes: F, N.
// Turning  Leaves to the sides resist turning, which points of Gauss on one line do not. With the
//          slopes c = dF/du of segments at d from the middle of all of them, C = sum c d d^T, and
//          the turning w0 at which F and N were taken, the moment changes with the turning w by
//            -(tr C - C) (w - w0).
//          The step minimises |X - X^|^2 in the metric of M, with drag
//            |X - X^|^2_M + h |X - X* - h W0|^2_C,
//          which is the same as moments of mass M + h C and another X^. Only second moments change,
//          so that weight stays. Both F, N and this are in X^, which costs nothing in iterations:
//            X^ += h^2 [F, [N + (tr C - C) (w0 - w*)]x/2] (M + h C)^-1,  w* that of X^

#include "reduce/reduce.h"

#include "load/drag.h"

#include <math.h>

#define ACROSS 0.02 // of the flow: along axes with less of it the usual area holds
#define LEAST  0.02 // of the usual area
#define MOST   6.0
#define GROWS  (2.0 / 3) // dF/du = 2 F/u, along one of three axes

// ---- area -----------------------------------------------------------------------------------

static td_real clamped(td_real x, td_real low, td_real high) {
    return x < low ? low : x > high ? high : x;
}

// A_e, from the force along the axes and what is usual
static td_vec3 fitted_area(const td_air *air, td_vec3 usual, td_vec3 flow, td_vec3 force) {
    const td_real own[3] = {usual.x, usual.y, usual.z}, u[3] = {flow.x, flow.y, flow.z},
                  f[3] = {force.x, force.y, force.z}, speed = tdi_norm(flow);
    td_real ratio[3], most = 0, form = 0;
    for (int e = 0; e < 3; e++) {
        const td_real r = (air->linear + air->quadratic * speed) * own[e];
        const bool across = fabs(u[e]) < ACROSS * speed;
        ratio[e] = across ? r : clamped(-f[e] / u[e], LEAST * r, MOST * r);
        most = fmax(most, ratio[e]);
        form += ratio[e] * u[e] * u[e];
    }
    const td_real slope = air->linear + air->quadratic * sqrt(form / most);
    return tdi_vec3(ratio[0] / slope, ratio[1] / slope, ratio[2] / slope);
}

static void fit_area(const tdi_reduced_state *s, const tdi_reduce_flow_sum *sum,
                     const tdi_cluster_drag *usual, tdi_body *b) {
    const td_vec3 flow = sum->area > 0 ? tdi_scale(sum->flow, 1 / sum->area) : tdi_vec3(0, 0, 0);
    const td_real push = tdi_dot(sum->force, sum->force);
    b->area = usual->area;
    b->tip = usual->tip;
    if (tdi_norm(flow) > TDI_REDUCE_STILL && push > 0) {
        const td_vec3 line = tdi_scale(tdi_cross(sum->force, sum->moment), 1 / push);
        b->area = fitted_area(&s->count->flow.air, b->area, flow, sum->force);
        b->tip = tdi_madd(tdi_scale(line, 2), sum->force, tdi_dot(b->tip, sum->force) / push);
    }
}

// ---- the rest -------------------------------------------------------------------------------

// What the area gives, about the cluster's origin, in its axes.
static tdi_wrench law_of(const tdi_reduced_state *s, int32_t c, const tdi_body *b) {
    const tdi_reduce_breeze breeze = tdi_reduce_breeze_at(s, c);
    tdi_wrench sum = {{0, 0, 0}, {0, 0, 0}};
    for (int g = 0; g < 2; g++) {
        td_real slope;
        const td_vec3 lever = tdi_scale(b->tip, tdi_gauss_points[g]),
                      u = tdi_add(breeze.flow, tdi_mat3_apply(&breeze.spin, lever)),
                      push =
                          tdi_scale(tdi_reduce_drag(&s->count->flow.air, b->area, u, &slope), 0.5);
        sum.f = tdi_add(sum.f, push);
        sum.n = tdi_add(sum.n, tdi_cross(lever, push));
    }
    return sum;
}

// C
static td_sym3 spread_of(const tdi_reduce_flow_sum *sum) {
    const td_sym3 none = {0, 0, 0, 0, 0, 0};
    return sum->slope > 0
               ? tdi_sym3_scale(
                     tdi_sym3_add(sum->second, tdi_sym3_square(sum->first, -1 / sum->slope)), GROWS)
               : none;
}

static td_vec3 turning_of(const tdi_mat3 *r, const tdi_mat3 *rate) { // in the axes of R
    const tdi_mat3 spin = tdi_mat3_mul_t(rate, r);
    return tdi_mat3_apply_t(r, tdi_scale(tdi_mat3_axial(&spin), 0.5));
}

// C, which changes slowly, and what follows from it.
static void fit_spread(tdi_reduced_state *s, int32_t c) {
    const td_real h = 2 * s->tree.head.rule.dt / 3;
    tdi_body *b = &s->clusters.body[c];
    s->rest[c].spread = spread_of(&s->sum[c]);
    b->second = tdi_sym3_add(s->drag_model[c].second, tdi_sym3_scale(s->rest[c].spread, h));
    s->inverse[c] = tdi_reduce_inverse(b);
}

void tdi_reduce_fit(tdi_reduced_state *s, int32_t c, bool all) {
    const tdi_reduce_flow_sum *sum = &s->sum[c];
    tdi_body *b = &s->clusters.body[c];
    tdi_reduce_rest *rest = &s->rest[c];
    fit_area(s, sum, &s->drag_model[c], b);
    const tdi_wrench law = law_of(s, c, b);
    if (all || rest->acts == 0) {
        fit_spread(s, c);
    }
    rest->acts = 1;
    rest->force = tdi_sub(sum->force, law.f);
    rest->moment = tdi_sub(sum->moment, law.n);
    rest->turning = turning_of(&s->tree.frame[c].r, &s->tree.past[c].w);
}

void tdi_reduce_calm(tdi_reduced_state *s, int32_t c) {
    if (s->rest[c].acts > 0) {
        s->rest[c] = (tdi_reduce_rest){.acts = 0};
        s->clusters.body[c].second = s->drag_model[c].second;
    }
}

// ---- steps ----------------------------------------------------------------------------------

// (tr C - C) w
static td_vec3 resisted(const td_sym3 *c, td_vec3 w) {
    return tdi_sub(tdi_scale(w, c->xx + c->yy + c->zz), tdi_sym3_apply(c, w));
}

// So much of what it did to x^.
static void add_push(tdi_reduced_state *s, int32_t c, td_real part) {
    const tdi_reduce_rest *rest = &s->rest[c];
    const tdi_mat3 *r = &s->tree.frame[c].r;
    tdi_place *predictor = &s->tree.predictor[c];
    predictor->o = tdi_madd(predictor->o, tdi_mat3_apply(r, rest->way), part);
    for (int k = 0; k < 3; k++) {
        const td_vec3 move = tdi_scale(tdi_mat3_apply(r, rest->turn[k]), part);
        predictor->r.m[k] += move.x;
        predictor->r.m[3 + k] += move.y;
        predictor->r.m[6 + k] += move.z;
    }
}

static void push_cluster(tdi_reduced_state *s, int32_t c, td_real h) {
    tdi_reduce_rest *rest = &s->rest[c];
    const tdi_reduce_inverse_mass *by = &s->inverse[c];
    const tdi_mat3 *r = &s->tree.frame[c].r;
    const tdi_place *predictor = &s->tree.predictor[c];
    tdi_mat3 rate;
    for (int k = 0; k < 9; k++) {
        rate.m[k] = (predictor->r.m[k] - s->tree.history[c].r.m[k]) / h;
    }
    const td_vec3 w = tdi_sub(rest->turning, turning_of(r, &rate)),
                  n = tdi_scale(tdi_add(rest->moment, resisted(&rest->spread, w)), 0.5 * h * h),
                  f = tdi_scale(rest->force, h * h);
    // [f, [n]x] (M + h C)^-1, column by column, in world axes
    const td_vec3 columns[3] = {{by->second.xx, by->second.xy, by->second.xz},
                                {by->second.xy, by->second.yy, by->second.yz},
                                {by->second.xz, by->second.yz, by->second.zz}};
    const td_real first[3] = {by->moment.x, by->moment.y, by->moment.z};
    rest->way = tdi_add(tdi_scale(f, by->mass), tdi_cross(n, by->moment));
    for (int k = 0; k < 3; k++) {
        rest->turn[k] = tdi_madd(tdi_cross(n, columns[k]), f, first[k]);
    }
    add_push(s, c, 1);
}

void tdi_reduce_push(tdi_reduced_state *s) {
    const td_real h = 2 * s->tree.head.rule.dt / 3;
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        if (s->rest[c].acts > 0) {
            push_cluster(s, c, h);
        }
    }
}

// x^ of a step of another length has h/h0 3 `again` of it (take_uneven() in tree/step.c), and that
// of one step has none; h^2/h0^2 are due.
void tdi_reduce_push_again(tdi_reduced_state *s) {
    const tdi_rule *rule = &s->tree.head.rule;
    const td_real q = rule->h / (2 * s->tree.head.dt0 / 3);
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        if (s->rest[c].acts > 0) {
            add_push(s, c, q * q - (rule->uneven ? 3 * rule->again * q : 0));
        }
    }
}
