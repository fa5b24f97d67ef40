// SPDX-License-Identifier: MIT
// The air about clusters: drag on their segments, quasi-static joints, which turn by it, and its
// sums for the cluster (drag.c). Every few steps, between changes.
//
// Frame    that of a cluster: while this runs, frames of `whole` are those of segments on their
//          clusters.
// Joints   that are quasi-static. With the moment n of weight, inertia and drag of what a joint
//          carries, in its own axes, its rotation vector a follows in a time t
//            (K + |n| + (D + J/t)/t) da = n - K a + J/t^2 (da of the last time)
//          |n| bounds how fast n changes with a, D is the damping of the joint and of the air, J
//          the inertia of what it carries. Without air inertia is left out, n and the last term:
//          the carrier does not feel its quasi-static twigs, and would give them energy that it
//          does not lose. By weight alone they come down.
// Drag     of a segment is that as it moves with its cluster, at two points of Gauss.

#include "reduce/reduce.h"

#include "load/drag.h"
#include "tree/joint.h"
#include "tree/trial.h"

#include <math.h>
#include <string.h>

#define CALM 0.03 // m/s: in a slower flow quasi-static joints keep their angles

static bool is_quasistatic(const tdi_reduced_state *s, int32_t i) {
    return s->mode[i] == TD_REDUCE_QUASISTATIC;
}

// ---- the air about a cluster ----------------------------------------------------------------

static tdi_mat3 in_axes(const tdi_mat3 *r, const tdi_mat3 *m) { // R^T M
    tdi_mat3 out;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out.m[3 * i + j] =
                r->m[i] * m->m[j] + r->m[3 + i] * m->m[3 + j] + r->m[6 + i] * m->m[6 + j];
        }
    }
    return out;
}

static td_vec3 wind_at(const tdi_reduced_state *s, int32_t c) {
    return s->count->flow.by_segment ? s->wind.mean[c] : s->count->flow.air.wind;
}

// Past a cluster's origin in a wind, in its axes.
static td_vec3 flow_in(const tdi_reduced_state *s, int32_t c, td_vec3 wind) {
    return tdi_mat3_apply_t(&s->tree.frame[c].r, tdi_sub(s->tree.past[c].v, wind));
}

tdi_reduce_breeze tdi_reduce_breeze_at(const tdi_reduced_state *s, int32_t c) {
    return (tdi_reduce_breeze){.flow = flow_in(s, c, wind_at(s, c)),
                               .spin = in_axes(&s->tree.frame[c].r, &s->tree.past[c].w)};
}

// ---- segments -------------------------------------------------------------------------------

void tdi_reduce_pose_joint(tdi_reduced_state *s, int32_t i) {
    tdi_tree_state *w = &s->whole;
    const tdi_body *b = &s->full->body[i];
    td_quat turn;
    td_vec3 slide;
    tdi_joint_transform(b, (td_joint_kind)s->full->kind[i], w->q + s->full->coord[i], &turn,
                        &slide);
    tdi_place_body(b, tdi_parent_frame(s->full, w, i), turn, tdi_add(b->attach, slide),
                   &w->frame[i]);
}

// On its cluster, in `whole`.
static void pose_segment(tdi_reduced_state *s, int32_t i) {
    if (is_quasistatic(s, i)) {
        tdi_reduce_pose_joint(s, i);
    } else {
        const tdi_seat *seat = &s->seat[i];
        s->whole.frame[i] = (tdi_frame){seat->turn, tdi_mat3_from_quat(seat->turn), seat->at};
    }
}

// ---- quasi-static joints --------------------------------------------------------------------

static td_real turn_of(td_real n, td_real k, td_real a, td_real slow, td_real kept) {
    const td_real sum = k + slow;
    return sum > 0 ? (n - k * a + kept) / sum : 0;
}

static void turn_joint(tdi_reduced_state *s, int32_t i, td_real time) {
    tdi_tree_state *w = &s->whole;
    const tdi_body *body = &s->full->body[i];
    const td_vec3 k = tdi_scale(body->stiffness, s->count->flow.stiffness), b = body->damping,
                  n = tdi_mat3_apply_t(&w->frame[i].r, s->air.load[i].n);
    const td_real over = 1 / time, dt = s->tree.head.rule.dt,
                  heavy = s->shape[i].inertia * over * over,
                  slow = tdi_norm(n) +
                         0.25 * s->air.damp[i] * tdi_dot(body->tip, body->tip) * over + heavy,
                  last = heavy * 3 * time / dt;
    td_real *a = w->angle + s->full->dof[i], *history = w->bdf.angle + s->full->dof[i];
    const td_vec3 turn = {turn_of(n.x, k.x, a[0], slow + b.x * over, last * (history[0] - a[0])),
                          turn_of(n.y, k.y, a[1], slow + b.y * over, last * (history[1] - a[1])),
                          turn_of(n.z, k.z, a[2], slow + b.z * over, last * (history[2] - a[2]))};
    const td_vec3 next = tdi_add(tdi_vec3(a[0], a[1], a[2]), turn);
    // x* is a third of the last way ahead
    tdi_reduce_set_quasistatic(w, s->full->coord[i], s->full->dof[i], next,
                               tdi_madd(next, turn, dt / (3 * time)));
}

// Tip to root, the loads that quasi-static joints of a cluster carry; then these joints turn.
static void turn_joints(tdi_reduced_state *s, int32_t c, td_real time) {
    const tdi_frame *f = s->whole.frame;
    const tdi_mat3 *r = &s->tree.frame[c].r;
    const tdi_affine a = tdi_reduce_acceleration(s, c);
    const tdi_mat3 swing = in_axes(r, &a.r);
    const td_vec3 rest = tdi_mat3_apply_t(r, tdi_sub(s->count->flow.gravity, a.o));
    for (int32_t k = s->list.begin[c + 1] - 1; k >= s->list.begin[c]; k--) {
        const int32_t i = s->list.member[k], p = s->full->parent[i];
        if (!is_quasistatic(s, i)) {
            continue;
        }
        const tdi_body *b = &s->full->body[i];
        const td_vec3 pull = tdi_sub(rest, tdi_mat3_apply(&swing, f[i].o));
        tdi_wrench *load = &s->air.load[i];
        load->n = tdi_add(load->n, tdi_cross(tdi_mat3_apply(&f[i].r, b->moment), pull));
        load->f = tdi_madd(load->f, pull, b->mass);
        if (is_quasistatic(s, p)) {
            tdi_wrench_add(&s->air.load[p], load, tdi_sub(f[i].o, f[p].o));
        }
        if (s->full->kind[i] == TD_JOINT_BALL) {
            turn_joint(s, i, time);
        }
    }
}

// ---- drag -----------------------------------------------------------------------------------

typedef struct segment_drag { // in the cluster's axes
    tdi_wrench load;          // about the segment's joint
    td_real slope;            // f/u
    td_vec3 lever, flow;      // from the joint to the middle, and the flow there
} segment_drag;

// At two points of Gauss. The flow is that at the middle, and changes by `more` from there to the
// tip; the segment is turned by R against the axes of all these.
static segment_drag drag_on(const td_air *air, const tdi_body *b, const tdi_mat3 *r, td_vec3 flow,
                            td_vec3 more) {
    const td_real gauss = tdi_gauss_points[1] - tdi_gauss_points[0];
    const td_vec3 u = tdi_mat3_apply_t(r, flow), off = tdi_scale(tdi_mat3_apply_t(r, more), gauss);
    td_real slopes[2];
    const td_vec3 near = tdi_reduce_drag(air, b->area, b->fold, tdi_sub(u, off), &slopes[0]),
                  far = tdi_reduce_drag(air, b->area, b->fold, tdi_add(u, off), &slopes[1]),
                  push = tdi_scale(tdi_add(near, far), 0.5),
                  turn = tdi_madd(push, tdi_sub(far, near), 0.5 * gauss);
    return (segment_drag){.load = {.n = tdi_mat3_apply(r, tdi_cross(tdi_scale(b->tip, 0.5), turn)),
                                   .f = tdi_mat3_apply(r, push)},
                          .slope = 0.5 * (slopes[0] + slopes[1]),
                          .lever = tdi_mat3_apply(r, tdi_scale(b->tip, 0.5)),
                          .flow = flow};
}

// ---- sums -----------------------------------------------------------------------------------

// A share of a segment whose mass has its joint at o.
static void add_to_sum(tdi_reduce_flow_sum *to, const segment_drag *d, td_vec3 o, td_real area,
                       td_real share) {
    const td_vec3 middle = tdi_add(o, d->lever);
    const td_real slope = share * d->slope;
    to->force = tdi_madd(to->force, d->load.f, share);
    to->moment = tdi_madd(to->moment, tdi_add(d->load.n, tdi_cross(o, d->load.f)), share);
    to->flow = tdi_madd(to->flow, d->flow, share * area);
    to->area += share * area;
    to->slope += slope;
    to->first = tdi_madd(to->first, middle, slope);
    to->second = tdi_sym3_add(to->second, tdi_sym3_square(middle, slope));
    to->second = tdi_sym3_add(to->second, tdi_sym3_square(d->lever, slope / 3));
}

static td_real area_of(const tdi_body *b) {
    return b->area.x + b->area.y + b->area.z;
}

// The smaller part of a segment within a group moves with the other cluster.
static void add_other_side(tdi_reduced_state *s, int32_t i, const segment_drag *d) {
    const tdi_other_side *side = &s->group.side[i];
    const tdi_mat3 *from = &s->tree.frame[s->seat[i].body].r,
                   *to = &s->tree.frame[side->seat.body].r;
    const tdi_mat3 turn = in_axes(to, from);
    const segment_drag there = {
        .load = {.n = tdi_mat3_apply(&turn, d->load.n), .f = tdi_mat3_apply(&turn, d->load.f)},
        .slope = d->slope,
        .lever = tdi_mat3_apply(&turn, d->lever),
        .flow = tdi_mat3_apply(&turn, d->flow)};
    add_to_sum(&s->air.sum[side->seat.body], &there, tdi_add(side->seat.at, side->off[1]),
               area_of(&s->full->body[i]), side->share);
}

static void add_segment(tdi_reduced_state *s, int32_t c, int32_t i, td_vec3 flow,
                        const tdi_mat3 *spin) {
    const tdi_body *b = &s->full->body[i];
    const tdi_frame *f = &s->whole.frame[i];
    pose_segment(s, i);
    const td_vec3 lever = tdi_mat3_apply(&f->r, tdi_scale(b->tip, 0.5)),
                  at = tdi_add(flow, tdi_mat3_apply(spin, tdi_add(f->o, lever)));
    const segment_drag d = drag_on(&s->count->flow.air, b, &f->r, at, tdi_mat3_apply(spin, lever));
    s->air.load[i] = d.load;
    s->air.damp[i] = d.slope;
    add_to_sum(&s->air.sum[c], &d, tdi_add(f->o, s->group.side[i].off[0]), area_of(b),
               1 - s->group.side[i].share);
    if (s->group.side[i].seat.body != TD_NONE) {
        add_other_side(s, i, &d);
    }
}

// Each in the wind of its place.
static void add_segments(tdi_reduced_state *s, int32_t c) {
    const tdi_reduce_breeze breeze = tdi_reduce_breeze_at(s, c);
    for (int32_t k = s->wind.begin[c]; k < s->wind.begin[c + 1]; k++) {
        const td_vec3 flow =
            s->count->flow.by_segment ? flow_in(s, c, s->wind.gusts[k]) : breeze.flow;
        for (int32_t m = s->wind.served[k]; m < s->wind.served[k + 1]; m++) {
            add_segment(s, c, s->list.member[m], flow, &breeze.spin);
        }
    }
}

// Without air only quasi-static joints turn within a cluster, by weight and inertia alone.
static void place_quasistatic(tdi_reduced_state *s, int32_t c) {
    for (int32_t k = s->list.begin[c]; k < s->list.begin[c + 1]; k++) {
        const int32_t i = s->list.member[k], p = s->full->parent[i];
        if (is_quasistatic(s, i)) {
            if (!is_quasistatic(s, p)) {
                pose_segment(s, p);
            }
            pose_segment(s, i);
            s->air.load[i] = (tdi_wrench){{0, 0, 0}, {0, 0, 0}};
            s->air.damp[i] = 0;
        }
    }
}

// ---- all segments ---------------------------------------------------------------------------

// At the pose of `whole`, as its clusters move.
void tdi_reduce_drags(tdi_reduced_state *s) {
    if (!tdi_reduce_has_air(s)) {
        memset(s->air.load, 0, (size_t)s->full->body_count * sizeof *s->air.load);
        memset(s->air.damp, 0, (size_t)s->full->body_count * sizeof *s->air.damp);
        return;
    }
    tdi_reduce_spread_winds(s);
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const int32_t c = s->seat[i].body;
        const td_vec3 wind =
            s->count->flow.by_segment ? s->wind.segment[i] : s->count->flow.air.wind;
        const tdi_past *past = &s->tree.past[c];
        const tdi_frame *f = &s->whole.frame[i], *on = &s->tree.frame[c];
        const td_vec3 lever = tdi_scale(tdi_mat3_apply(&f->r, s->full->body[i].tip), 0.5),
                      x = tdi_sub(tdi_add(f->o, lever), on->o),
                      v = tdi_add(past->v, tdi_mat3_apply(&past->w, tdi_mat3_apply_t(&on->r, x))),
                      more = tdi_mat3_apply(&past->w, tdi_mat3_apply_t(&on->r, lever));
        const segment_drag d =
            drag_on(&s->count->flow.air, &s->full->body[i], &f->r, tdi_sub(v, wind), more);
        s->air.load[i] = d.load;
        s->air.damp[i] = d.slope;
    }
}

// ---- clusters out of the flow ---------------------------------------------------------------

// Bound of the flow past a cluster: that at its origin, and its turning times reach.
static bool flows(const tdi_reduced_state *s, int32_t c) {
    const tdi_past *past = &s->tree.past[c];
    td_real turning = 0;
    for (int k = 0; k < 9; k++) {
        turning += past->w.m[k] * past->w.m[k];
    }
    const td_vec3 u = tdi_sub(past->v, wind_at(s, c));
    const td_real reach = s->shape[s->list.first[c]].reach,
                  least = s->list.carries[c] ? CALM : TDI_REDUCE_STILL;
    return tdi_dot(u, u) + reach * reach * turning > least * least;
}

static bool is_group(const tdi_reduced_state *s, int32_t c) {
    return s->joined[s->list.first[c]] != TD_NONE && s->clusters.parent[c] != TD_NONE;
}

// Clusters of several segments in a flow; both sides of a group, because they share segments.
static void wake(tdi_reduced_state *s, bool all) {
    const int32_t *up = s->clusters.parent, count = s->clusters.body_count;
    const bool air = tdi_reduce_has_air(s);
    for (int32_t c = 0; c < count; c++) {
        const bool due = !tdi_reduce_single(s, c) && ((all && air) || s->list.carries[c]);
        s->air.awake[c] = due && flows(s, c);
        if (due && !s->air.awake[c]) {
            tdi_reduce_clear_drag(s, c);
        }
    }
    for (int32_t c = count - 1; c >= 0 && s->groups > 0; c--) {
        if (s->air.awake[c] && is_group(s, c)) {
            s->air.awake[up[c]] = true;
        }
    }
    for (int32_t c = 0; c < count && s->groups > 0; c++) {
        if (is_group(s, c) && s->air.awake[up[c]]) {
            s->air.awake[c] = true;
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_reduce_air(tdi_reduced_state *s, td_real time, bool all) {
    const int32_t count = s->clusters.body_count;
    const bool air = tdi_reduce_has_air(s);
    wake(s, all);
    for (int32_t c = 0; c < count; c++) {
        if (s->air.awake[c]) {
            s->air.sum[c] = (tdi_reduce_flow_sum){.area = 0};
        }
    }
    for (int32_t c = 0; c < count; c++) {
        if (s->air.awake[c]) {
            (air ? add_segments : place_quasistatic)(s, c);
        }
    }
    for (int32_t c = 0; c < count; c++) {
        if (s->air.awake[c]) {
            if (air) {
                tdi_reduce_fit(s, c, all);
            }
            if (time > 0) {
                turn_joints(s, c, time);
            }
        }
    }
    s->drawn = TDI_DRAWN_NOT;
}
