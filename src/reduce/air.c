// SPDX-License-Identifier: MIT
// The air about clusters: riding joints turn towards balance, and clusters get the drag of their
// segments as these are now. Every few steps, between changes.
//
// Riding   With the moment n of weight and drag of what a joint carries, in its own axes, its
//          rotation vector a follows
//            (K + |n| + D/t) da = n - K a
//          over a time t: |n| bounds how fast n changes with a, D is the damping of the joint and
//          of the air, f r^2/u for a force f of drag at r from the joint in a flow u.
// Drag     The law of one segment (load/drag.h) with force F = quadratic s A u, s^2 = u^T A u/a,
//          along axes e has the force of all segments in the flow of the moment for
//            A_e = r_e/(quadratic s),  r_e = -F_e/u_e,  s^2 = sum r_e u_e^2/r
//          with the largest r. It is kept near what the areas give in a uniform flow, which also
//          holds where nothing flows. The moment N places the points of Gauss: their middle is at x
//          with x x F = N, and along F where the middle of the areas is.

#include "reduce/reduce.h"

#include "load/drag.h"
#include "tree/joint.h"
#include "tree/trial.h"

#include <math.h>
#include <string.h>

#define STILL  0.2  // m/s: below this the flow says nothing of the next
#define ACROSS 0.02 // of the flow: along axes with less of it the usual area holds
#define LEAST  0.02 // of the usual area
#define MOST   6.0
#define CALM   0.03 // m/s: what rides in a slower flow stays as it is

static bool rides(const td_reduced_state *s, int32_t i) {
    return s->mode[i] == TD_REDUCE_RIDING;
}

// ---- segments -------------------------------------------------------------------------------

static tdi_frame seated(const td_reduced_state *s, int32_t i) {
    const tdi_seat *seat = &s->seat[i];
    const tdi_frame *c = &s->tree.frame[seat->body];
    tdi_frame f = {.turn = tdi_quat_mul(c->turn, seat->turn),
                   .o = tdi_add(c->o, tdi_mat3_apply(&c->r, seat->at))};
    f.r = tdi_mat3_from_quat(f.turn);
    return f;
}

void tdi_reduce_place_joint(td_reduced_state *s, int32_t i) {
    td_tree_state *w = &s->whole;
    const tdi_body *b = &s->full->body[i];
    td_quat turn;
    td_vec3 slide;
    tdi_joint_place(b, (td_joint_kind)s->full->kind[i], w->q + s->full->coord[i], &turn, &slide);
    tdi_place_body(b, tdi_parent_frame(s->full, w, i), turn, tdi_add(b->attach, slide),
                   &w->frame[i]);
}

static void place(td_reduced_state *s, int32_t i) {
    if (rides(s, i)) {
        tdi_reduce_place_joint(s, i);
    } else {
        s->whole.frame[i] = seated(s, i);
    }
}

// Against the wind, at a point of a segment that moves with its cluster.
static td_vec3 flow_at(const td_reduced_state *s, int32_t c, td_vec3 x) {
    const tdi_past *past = &s->tree.past[c];
    const tdi_frame *f = &s->tree.frame[c];
    const td_vec3 own = tdi_mat3_apply_t(&f->r, tdi_sub(x, f->o));
    const td_vec3 wind = s->count->flow.by_segment ? s->winds[c] : s->count->flow.air.wind;
    return tdi_sub(tdi_add(past->v, tdi_mat3_apply(&past->w, own)), wind);
}

// Drag of a segment about its joint, and the damping of the air.
static tdi_wrench drag_of(const td_reduced_state *s, int32_t i, td_real *damping) {
    const tdi_rate_factors by = {.gradient = 0.5};
    const tdi_body *b = &s->full->body[i];
    const tdi_frame *f = &s->whole.frame[i];
    const tdi_drag_area a = tdi_drag_area_of(b->area, &f->r);
    const td_vec3 tip = tdi_mat3_apply(&f->r, b->tip);
    tdi_wrench sum = {{0, 0, 0}, {0, 0, 0}};
    *damping = 0;
    for (int g = 0; g < 2 && a.most > 0; g++) {
        const td_vec3 lever = tdi_scale(tip, tdi_gauss_points[g]),
                      u = flow_at(s, s->seat[i].body, tdi_add(f->o, lever)),
                      force = tdi_scale(tdi_drag_of(&s->count->flow.air, &a, u, &by).gradient, -1);
        const td_real speed = tdi_norm(u);
        sum.f = tdi_add(sum.f, force);
        sum.n = tdi_add(sum.n, tdi_cross(lever, force));
        *damping += speed > 0 ? tdi_norm(force) * tdi_dot(lever, lever) / speed : 0;
    }
    return sum;
}

// ---- riding joints --------------------------------------------------------------------------

static td_real turn_of(td_real n, td_real k, td_real a, td_real slow) {
    const td_real sum = k + slow;
    return sum > 0 ? (n - k * a) / sum : 0;
}

static void turn_joint(td_reduced_state *s, int32_t i, td_real time) {
    td_tree_state *w = &s->whole;
    const td_vec3 k = tdi_scale(s->full->body[i].stiffness, s->count->flow.stiffness),
                  b = s->full->body[i].damping, n = tdi_mat3_apply_t(&w->frame[i].r, s->load[i].n);
    const td_real slow = tdi_norm(n) + s->damp[i] / time;
    td_real *a = w->angle + s->full->dof[i];
    const td_vec3 turn = {turn_of(n.x, k.x, a[0], slow + b.x / time),
                          turn_of(n.y, k.y, a[1], slow + b.y / time),
                          turn_of(n.z, k.z, a[2], slow + b.z / time)};
    const td_vec3 next = tdi_add(tdi_vec3(a[0], a[1], a[2]), turn);
    // x* is a third of the last way ahead
    tdi_reduce_set_ball(w, s->full->coord[i], s->full->dof[i], next,
                        tdi_madd(next, turn, s->tree.head.rule.dt / (3 * time)));
}

// Weight, and inertia by the cluster's acceleration.
static void add_weight(td_reduced_state *s, int32_t i, const tdi_place *a) {
    const tdi_body *b = &s->full->body[i];
    const tdi_frame *f = &s->whole.frame[i], *on = &s->tree.frame[s->seat[i].body];
    const td_vec3 arm = tdi_mat3_apply_t(&on->r, tdi_sub(f->o, on->o)),
                  o = tdi_add(a->o, tdi_mat3_apply(&a->r, arm)),
                  pull = tdi_sub(s->count->flow.gravity, o), c = tdi_mat3_apply(&f->r, b->moment);
    s->load[i].n = tdi_add(s->load[i].n, tdi_cross(c, pull));
    s->load[i].f = tdi_madd(s->load[i].f, pull, b->mass);
}

// Tip to root, what riding joints of a cluster carry; then they turn.
static void turn_joints(td_reduced_state *s, int32_t c, td_real time) {
    const tdi_frame *f = s->whole.frame;
    const tdi_place a = tdi_reduce_acceleration(s, c);
    for (int32_t k = s->begin[c + 1] - 1; k >= s->begin[c]; k--) {
        const int32_t i = s->member[k], p = s->full->parent[i];
        if (!rides(s, i)) {
            continue;
        }
        add_weight(s, i, &a);
        if (rides(s, p)) {
            tdi_wrench_add(&s->load[p], &s->load[i], tdi_sub(f[i].o, f[p].o));
        }
        if (s->full->kind[i] == TD_JOINT_BALL) {
            turn_joint(s, i, time);
        }
    }
}

// ---- clusters -------------------------------------------------------------------------------

static void add_flow(td_reduced_state *s, int32_t i, bool other, td_real share) {
    const int32_t c = other ? s->side[i].seat.body : s->seat[i].body;
    const tdi_body *b = &s->full->body[i];
    const tdi_frame *f = &s->whole.frame[i], *on = &s->tree.frame[c];
    tdi_reduce_flow_sum *sum = &s->sum[c];
    const td_real area = share * (b->area.x + b->area.y + b->area.z);
    const td_vec3 o = tdi_add(f->o, tdi_mat3_apply(&on->r, s->side[i].off[other])),
                  middle = tdi_madd(o, tdi_mat3_apply(&f->r, b->tip), 0.5);
    const tdi_wrench *drag = &s->load[i];
    const td_vec3 moment = tdi_add(drag->n, tdi_cross(tdi_sub(o, on->o), drag->f));
    sum->force = tdi_madd(sum->force, drag->f, share);
    sum->moment = tdi_madd(sum->moment, moment, share);
    sum->flow = tdi_madd(sum->flow, flow_at(s, c, middle), area);
    sum->area += area;
}

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

static void fit(td_reduced_state *s, int32_t c) {
    const tdi_reduce_flow_sum *sum = &s->sum[c];
    const tdi_mat3 *r = &s->tree.frame[c].r;
    tdi_body *b = &s->clusters.body[c];
    const td_vec3 flow = sum->area > 0 ? tdi_scale(sum->flow, 1 / sum->area) : tdi_vec3(0, 0, 0),
                  force = tdi_mat3_apply_t(r, sum->force), n = tdi_mat3_apply_t(r, sum->moment);
    const td_real push = tdi_dot(force, force);
    b->area = s->usual[c].area;
    b->tip = s->usual[c].tip;
    if (tdi_norm(flow) > STILL && push > 0) {
        const td_vec3 line = tdi_scale(tdi_cross(force, n), 1 / push);
        b->area = fitted_area(&s->count->flow.air, b->area, tdi_mat3_apply_t(r, flow), force);
        b->tip = tdi_madd(tdi_scale(line, 2), force, tdi_dot(b->tip, force) / push);
    }
}

static bool has_air(const td_reduced_state *s) {
    return s->count->flow.air.linear > 0 || s->count->flow.air.quadratic > 0;
}

void tdi_reduce_drags(td_reduced_state *s) {
    const size_t n = (size_t)s->full->body_count;
    if (!has_air(s)) {
        memset(s->load, 0, n * sizeof *s->load);
        return;
    }
    for (int32_t i = 0; i < s->full->body_count; i++) {
        s->load[i] = drag_of(s, i, &s->damp[i]);
    }
}

// ---- what stands still ----------------------------------------------------------------------

// How fast the air passes a cluster at most: that of its origin, and its turning times reach.
static bool flows(const td_reduced_state *s, int32_t c) {
    const tdi_past *past = &s->tree.past[c];
    td_real turning = 0;
    for (int k = 0; k < 9; k++) {
        turning += past->w.m[k] * past->w.m[k];
    }
    const td_vec3 wind = s->count->flow.by_segment ? s->winds[c] : s->count->flow.air.wind,
                  u = tdi_sub(past->v, wind);
    const td_real reach = s->shape[s->first[c]].reach, least = s->carries[c] ? CALM : STILL;
    return tdi_dot(u, u) + reach * reach * turning > least * least;
}

static bool is_group(const td_reduced_state *s, int32_t c) {
    return s->joined[s->first[c]] != TD_NONE && s->clusters.parent[c] != TD_NONE;
}

// Clusters of several segments in a flow; both sides of a group, because they share segments.
static void wake(td_reduced_state *s) {
    const int32_t *up = s->clusters.parent, count = s->clusters.body_count;
    for (int32_t c = 0; c < count; c++) {
        s->awake[c] = !tdi_reduce_single(s, c) && flows(s, c);
    }
    for (int32_t c = count - 1; c >= 0 && s->groups > 0; c--) {
        if (s->awake[c] && is_group(s, c)) {
            s->awake[up[c]] = true;
        }
    }
    for (int32_t c = 0; c < count && s->groups > 0; c++) {
        if (is_group(s, c) && s->awake[up[c]]) {
            s->awake[c] = true;
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void add_flows(td_reduced_state *s, int32_t c) {
    for (int32_t k = s->begin[c]; k < s->begin[c + 1]; k++) {
        const int32_t i = s->member[k];
        const tdi_other_side *side = &s->side[i];
        place(s, i);
        if (!has_air(s)) {
            s->load[i] = (tdi_wrench){.f = {0, 0, 0}};
            s->damp[i] = 0;
            continue;
        }
        s->load[i] = drag_of(s, i, &s->damp[i]);
        add_flow(s, i, false, 1 - side->share);
        if (side->seat.body != TD_NONE) {
            add_flow(s, i, true, side->share);
        }
    }
}

void tdi_reduce_air(td_reduced_state *s, td_real time) {
    const int32_t count = s->clusters.body_count;
    wake(s);
    for (int32_t c = 0; c < count; c++) {
        s->sum[c] = s->awake[c] ? (tdi_reduce_flow_sum){.area = 0} : s->sum[c];
    }
    for (int32_t c = 0; c < count; c++) {
        if (s->awake[c]) {
            add_flows(s, c);
        }
    }
    for (int32_t c = 0; c < count; c++) {
        if (s->awake[c]) {
            fit(s, c); // without air it has its usual area
            turn_joints(s, c, time);
        }
    }
    s->drawn = TDI_DRAWN_NOT;
}
