// SPDX-License-Identifier: MIT
// Drag of clusters: the sums of all their segments, until they are taken again.
//
// Area     A cluster has the law of one segment (load/drag.h) with the areas that give the drag of
//          all its segments in a uniform flow (clusters.c).
// The rest of force and moment stays with the cluster's axes: F, N. It is summed again every few
//          steps.
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

#define GROWS (2.0 / 3) // dF/du = 2 F/u, along one of three axes

// ---- the rest -------------------------------------------------------------------------------

// What the area gives, about the cluster's origin, in its axes.
static tdi_wrench law_of(const tdi_reduced_state *s, int32_t c, const tdi_body *b) {
    const tdi_reduce_breeze breeze = tdi_reduce_breeze_at(s, c);
    tdi_wrench sum = {{0, 0, 0}, {0, 0, 0}};
    for (int g = 0; g < 2; g++) {
        td_real slope;
        const td_vec3 lever = tdi_scale(b->tip, tdi_gauss_points[g]),
                      u = tdi_add(breeze.flow, tdi_mat3_apply(&breeze.spin, lever)),
                      push = tdi_scale(tdi_reduce_drag(&s->count->flow.air, b->area, 0, u, &slope),
                                       0.5);
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
    s->air.rest[c].spread = spread_of(&s->air.sum[c]);
    b->second = tdi_sym3_add(s->air.model[c].second, tdi_sym3_scale(s->air.rest[c].spread, h));
    s->air.inverse[c] = tdi_reduce_inverse(b);
}

void tdi_reduce_fit(tdi_reduced_state *s, int32_t c, bool all) {
    const tdi_reduce_flow_sum *sum = &s->air.sum[c];
    tdi_body *b = &s->clusters.body[c];
    tdi_reduce_rest *rest = &s->air.rest[c];
    const tdi_wrench law = law_of(s, c, b);
    if (all || rest->acts == 0) {
        fit_spread(s, c);
    }
    rest->acts = 1;
    rest->force = tdi_sub(sum->force, law.f);
    rest->moment = tdi_sub(sum->moment, law.n);
    rest->turning = turning_of(&s->tree.frame[c].r, &s->tree.past[c].w);
}

void tdi_reduce_clear_drag(tdi_reduced_state *s, int32_t c) {
    if (s->air.rest[c].acts > 0) {
        s->air.rest[c] = (tdi_reduce_rest){.acts = 0};
        s->clusters.body[c].second = s->air.model[c].second;
    }
}

// ---- steps ----------------------------------------------------------------------------------

// (tr C - C) w
static td_vec3 resisted(const td_sym3 *c, td_vec3 w) {
    return tdi_sub(tdi_scale(w, c->xx + c->yy + c->zz), tdi_sym3_apply(c, w));
}

// So much of its contribution to x^.
static void add_push(tdi_reduced_state *s, int32_t c, td_real part) {
    const tdi_reduce_rest *rest = &s->air.rest[c];
    const tdi_mat3 *r = &s->tree.frame[c].r;
    tdi_affine *predictor = &s->tree.bdf.predictor[c];
    predictor->o = tdi_madd(predictor->o, tdi_mat3_apply(r, rest->way), part);
    for (int k = 0; k < 3; k++) {
        const td_vec3 move = tdi_scale(tdi_mat3_apply(r, rest->turn[k]), part);
        predictor->r.m[k] += move.x;
        predictor->r.m[3 + k] += move.y;
        predictor->r.m[6 + k] += move.z;
    }
}

static void push_cluster(tdi_reduced_state *s, int32_t c, td_real h) {
    tdi_reduce_rest *rest = &s->air.rest[c];
    const tdi_reduce_inverse_mass *by = &s->air.inverse[c];
    const tdi_mat3 *r = &s->tree.frame[c].r;
    const tdi_affine *predictor = &s->tree.bdf.predictor[c];
    tdi_mat3 rate;
    for (int k = 0; k < 9; k++) {
        rate.m[k] = (predictor->r.m[k] - s->tree.bdf.history[c].r.m[k]) / h;
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

void tdi_reduce_apply_drag(tdi_reduced_state *s) {
    const td_real h = 2 * s->tree.head.rule.dt / 3;
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        if (s->air.rest[c].acts > 0) {
            push_cluster(s, c, h);
        }
    }
}

// x^ of a step of another length has h/h0 3 `again` of it (take_uneven() in tree/step.c), and that
// of one step has none; h^2/h0^2 are due.
void tdi_reduce_rescale_drag(tdi_reduced_state *s) {
    const tdi_rule *rule = &s->tree.head.rule;
    const td_real q = rule->h / (2 * s->tree.head.start.dt / 3);
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        if (s->air.rest[c].acts > 0) {
            add_push(s, c, q * q - (rule->uneven ? 3 * rule->again * q : 0));
        }
    }
}
