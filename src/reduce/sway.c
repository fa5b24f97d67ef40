// SPDX-License-Identifier: MIT
// Trees that wait: how far the tips of one would sway in the present air, how it stops and how it
// begins to move.
//
// Method   With the moment n of weight and drag of what a joint carries, in its own axes, the joint
//          is at rest after a further turn of
//            t = (n - K a)/(K + |n|),
//          |n| bounding how fast n changes with a. A tip is then displaced by the sum over the
//          joints that carry it of t x arm: wind bends all of them the same way, so that their
//          errors add up. A tip at velocity v goes as far again as v T. With both,
//            sway^2 = mean over tips of d^2 + (v T)^2;
//          with a camera that of the tip that sways farthest counts as well, over SINGLE.
// Air      is sampled at a few segments, evenly among all; each serves its neighbours. Drag is that
//          of the middle of a segment at rest.

#include "load/drag.h"
#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

#define SWAY   0.3 // s: a quarter of the period in which plants of a metre swing
#define SINGLE 2.0 // times the error a single tip may sway that a camera sees

// ---- places ---------------------------------------------------------------------------------

static int32_t place_count(const tdi_reduced_state *s) {
    const int32_t n = s->full->body_count;
    return n < TDI_AIR_POINTS ? n : TDI_AIR_POINTS;
}

static int32_t place_of(const tdi_reduced_state *s, int32_t i) {
    return (int32_t)((int64_t)i * place_count(s) / s->full->body_count);
}

int32_t tdi_reduced_air_points(void *state, td_vec3 places[TDI_AIR_POINTS]) {
    tdi_reduced_state *s = state;
    const int32_t count = place_count(s);
    tdi_reduce_draw(s, false);
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = (int32_t)(((int64_t)2 * k + 1) * s->full->body_count / (2 * count));
        places[k] = s->whole.frame[i].o;
    }
    return count;
}

// ---- loads ----------------------------------------------------------------------------------

// Weight of a segment, and drag at its middle, about its joint.
static tdi_wrench load_of(const tdi_reduced_state *s, int32_t i, const td_step_opts *o,
                          td_vec3 wind) {
    const tdi_rate_factors by = {.gradient = 1};
    const tdi_body *b = &s->full->body[i];
    const tdi_frame *f = &s->whole.frame[i];
    const tdi_drag_area a = tdi_drag_area_of(b->area, b->fold, &f->r);
    tdi_wrench load = {.f = tdi_scale(o->gravity, b->mass),
                       .n = tdi_cross(tdi_mat3_apply(&f->r, b->moment), o->gravity)};
    if (a.most > 0) {
        const td_vec3 lever = tdi_scale(tdi_mat3_apply(&f->r, b->tip), 0.5),
                      push = tdi_drag_of(&o->air, &a, tdi_scale(wind, -1), &by).gradient;
        load.f = tdi_sub(load.f, push);
        load.n = tdi_sub(load.n, tdi_cross(lever, push));
    }
    return load;
}

// Tip to root: the load on every joint, about it.
static void sum_loads(tdi_reduced_state *s, const td_step_opts *o, const td_vec3 *winds) {
    const tdi_frame *f = s->whole.frame;
    for (int32_t i = 0; i < s->full->body_count; i++) {
        s->air.load[i] = load_of(s, i, o, winds[place_of(s, i)]);
    }
    for (int32_t i = s->full->body_count - 1; i >= 0; i--) {
        const int32_t p = s->full->parent[i];
        if (p != TD_NONE) {
            tdi_wrench_add(&s->air.load[p], &s->air.load[i], tdi_sub(f[i].o, f[p].o));
        }
    }
}

// ---- turns ----------------------------------------------------------------------------------

static td_real turn_about(td_real n, td_real k, td_real a, td_real size) {
    return k + size > 0 ? (n - k * a) / (k + size) : 0;
}

// t, in the world's axes. Slides and free joints are not asked: what hangs on them is no plant.
static td_vec3 turn_of(const tdi_reduced_state *s, int32_t i, td_real stiffness) {
    const tdi_mat3 *r = &s->whole.frame[i].r;
    const td_real *a = s->whole.angle + s->full->dof[i];
    const td_vec3 n = tdi_mat3_apply_t(r, s->air.load[i].n),
                  k = tdi_scale(s->full->body[i].stiffness, stiffness);
    if (s->full->kind[i] == TD_JOINT_HINGE) {
        const td_vec3 axis = s->full->body[i].axis;
        const td_real m = tdi_dot(n, axis);
        return tdi_mat3_apply(r, tdi_scale(axis, turn_about(m, k.x, a[0], fabs(m))));
    }
    if (s->full->kind[i] != TD_JOINT_BALL) {
        return tdi_vec3(0, 0, 0);
    }
    const td_real size = tdi_norm(n);
    return tdi_mat3_apply(r, tdi_vec3(turn_about(n.x, k.x, a[0], size),
                                      turn_about(n.y, k.y, a[1], size),
                                      turn_about(n.z, k.z, a[2], size)));
}

// Root to tip: the sum of the turns, and how far they displace the joint, in place of the loads.
static void displace(tdi_reduced_state *s, td_real stiffness) {
    const tdi_frame *f = s->whole.frame;
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const int32_t p = s->full->parent[i];
        const td_vec3 turn = turn_of(s, i, stiffness);
        tdi_wrench at = {.f = {0, 0, 0}, .n = turn};
        if (p != TD_NONE) {
            const tdi_wrench *up = &s->air.load[p];
            at.f = tdi_add(up->f, tdi_cross(up->n, tdi_sub(f[i].o, f[p].o)));
            at.n = tdi_add(up->n, turn);
        }
        s->air.load[i] = at;
    }
}

// ---- entry ----------------------------------------------------------------------------------

td_real tdi_reduced_sway(void *state, const td_step_opts *o, const td_vec3 *winds,
                         td_real *allowed) {
    tdi_reduced_state *s = state;
    const bool moves = s->tree.head.known > 0;
    td_real sum = 0, tips = 0, most = 0;
    tdi_reduce_draw(s, moves);
    sum_loads(s, o, winds);
    displace(s, o->stiffness);
    for (int32_t i = 0; i < s->full->body_count; i++) {
        if (s->shape[i].count > 1) {
            continue;
        }
        const td_vec3 tip = s->full->body[i].tip,
                      d = tdi_add(
                          s->air.load[i].f,
                          tdi_cross(s->air.load[i].n, tdi_mat3_apply(&s->whole.frame[i].r, tip)));
        const tdi_past *past = &s->whole.past[i];
        const td_vec3 v = moves ? tdi_scale(tdi_add(past->v, tdi_mat3_apply(&past->w, tip)), SWAY)
                                : tdi_vec3(0, 0, 0);
        const td_real own = tdi_dot(d, d) + tdi_dot(v, v);
        sum += own;
        most = fmax(most, own);
        tips++;
    }
    *allowed = s->opts.error;
    return fmax(sqrt(sum / tips), s->opts.view ? sqrt(most) / SINGLE : 0);
}

void tdi_reduced_stop(void *state, td_real sway) {
    tdi_reduced_state *s = state;
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const bool can = tdi_reduce_can(s->full, i, TD_REDUCE_FROZEN);
        s->choice.wanted[i] = can ? TD_REDUCE_FROZEN : TD_REDUCE_OWN;
    }
    tdi_state_stop(&s->tree.head);
    tdi_reduce_change_at_rest(s);
    s->count->estimate = sway;
}

void tdi_reduced_wake(void *state, const td_step_opts *o, const td_vec3 *winds) {
    tdi_reduced_state *s = state;
    s->tree.head.opts = o;
    s->tree.head.rule.dt = o->dt;
    s->count->flow = (tdi_reduce_flow){o->air, o->gravity, o->stiffness, true, 0};
    for (int32_t i = 0; i < s->full->body_count; i++) {
        s->wind.segment[i] = winds[place_of(s, i)];
    }
    tdi_reduce_take_winds(s, s->wind.segment);
    tdi_reduce_forget(s);
    tdi_reduce_draw(s, false);
    memcpy(s->choice.angle_seen, s->whole.angle, (size_t)s->full->head.dof_count * sizeof(td_real));
    tdi_reduce_choose(s, true);
    tdi_reduce_change_at_rest(s);
    memset(s->choice.seen, 0, (size_t)s->clusters.body_count * sizeof *s->choice.seen);
    tdi_reduce_note(s);
    s->count->age = 0;
    s->count->wait = s->opts.every;
    s->count->since = 0;
}
