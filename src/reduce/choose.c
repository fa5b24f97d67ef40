// SPDX-License-Identifier: MIT
// Which joints are reduced, by what each of them would cost: an estimate of how far tips are from
// where the whole tree would have them.
//
//   frozen   its turning rate, of late, times reach and the time T in which motions of plants turn
//            round; while it is frozen, the turn that it misses, e = (n - K a)/(K + J/T^2), n the
//            moment of weight, drag, loads and inertia of what it carries, J its inertia
//   riding   its rate times reach and the time in which it answers, (J/k)^(1/2)
//   joined   of the rates of the joint and the one before it what is not in proportion to their
//            compliances, times T and the way between them; while it is joined, e times that way
// A joint moves the part w of all tips, and errors of joints are taken for independent:
//   estimate^2 = sum over reduced joints of w c^2,  c times a gain for what motion makes of it
// The joints with the least w c^2 are reduced, each in the way that costs least, until the estimate
// reaches the error that is allowed. Those that are reduced stay so a little longer, so that the
// choice does not flicker.

#include "reduce/reduce.h"

#include "load/point.h"
#include "tree/joint.h"

#include <math.h>
#include <string.h>

#define SWAY  0.3 // s: of a motion of w rad/s the amplitude is this times its rate
#define FADE  0.7 // of a rate is still counted at the next choice
#define STAY  0.5 // of its cost is counted against what is reduced already
#define HALVE 24  // halvings in the search for a threshold

// What an error of a joint by itself becomes in motion, where errors add up and resonate: measured
// on willow, palm and orchid, against whole trees.
#define FROZEN_GAIN 8.0
#define JOINED_GAIN 10.0
#define RIDING_GAIN 2.5

// ---- moments --------------------------------------------------------------------------------

// Acceleration of a cluster, of o and of R, from what the rule of two steps took from the past:
// v* = (4 v - v_before)/3, so that v - v_before = 3 (v* - v)
static tdi_place acceleration(const td_reduced_state *s, int32_t c) {
    const td_tree_state *t = &s->tree;
    const td_real dt = t->head.rule.dt, over = 1.5 / dt, by = 3 / dt;
    tdi_place a;
    a.o = tdi_scale(tdi_sub(tdi_scale(tdi_sub(t->hat[c].o, t->star[c].o), over), t->past[c].v), by);
    for (int k = 0; k < 9; k++) {
        a.r.m[k] = by * ((t->hat[c].r.m[k] - t->star[c].r.m[k]) * over - t->past[c].w.m[k]);
    }
    return a;
}

// Weight and inertia of a segment about its joint; drag is in `load` already.
static void add_inertia(td_reduced_state *s, int32_t i, const tdi_place *a) {
    const tdi_body *b = &s->full->body[i];
    const tdi_frame *f = &s->whole.frame[i];
    const tdi_frame *on = &s->tree.frame[s->seat[i].body];
    const td_vec3 arm = tdi_mat3_apply_t(&on->r, tdi_sub(f->o, on->o)),
                  c = tdi_mat3_apply(&f->r, b->moment),
                  own = tdi_mat3_apply_t(&on->r, c), // of the cluster's axes
        o = tdi_add(a->o, tdi_mat3_apply(&a->r, arm)), pull = tdi_sub(s->count->flow.gravity, o);
    tdi_wrench *to = &s->load[i];
    to->f = tdi_add(to->f, tdi_sub(tdi_scale(pull, b->mass), tdi_mat3_apply(&a->r, own)));
    to->n = tdi_add(to->n, tdi_cross(c, pull));
}

static void add_loads(td_reduced_state *s) {
    const td_step_opts *o = s->tree.head.opts;
    const tdi_rate_factors still = {0, 0, 0};
    for (int32_t k = 0; k < o->load_count; k++) {
        const td_load *l = &o->loads[k];
        const tdi_frame *f = &s->whole.frame[l->segment];
        tdi_wrench *to = &s->load[l->segment];
        if (l->kind == TD_LOAD_TORQUE) {
            to->n = tdi_add(to->n, l->vector);
            continue;
        }
        const td_vec3 lever = tdi_mat3_apply(&f->r, l->point);
        const td_vec3 push = tdi_scale(
            tdi_point_load(l, tdi_add(f->o, lever), tdi_vec3(0, 0, 0), 1, &still).gradient, -1);
        to->f = tdi_add(to->f, push);
        to->n = tdi_add(to->n, tdi_cross(lever, push));
    }
}

// What every joint carries, about it.
static void sum_loads(td_reduced_state *s) {
    const tdi_frame *f = s->whole.frame;
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        s->rate[c] = acceleration(s, c);
    }
    tdi_reduce_drags(s);
    for (int32_t i = 0; i < s->full->body_count; i++) {
        add_inertia(s, i, &s->rate[s->seat[i].body]);
    }
    add_loads(s);
    for (int32_t i = s->full->body_count - 1; i >= 0; i--) {
        const int32_t p = s->full->parent[i];
        if (p != TD_NONE) {
            tdi_wrench_add(&s->load[p], &s->load[i], tdi_sub(f[i].o, f[p].o));
        }
    }
}

// ---- costs ----------------------------------------------------------------------------------

static td_vec3 rate_of(const td_reduced_state *s, int32_t i) {
    const int32_t d = s->full->dof[i], count = s->full->dof[i + 1] - d;
    const td_real *a = s->whole.angle + d, *star = s->whole.angle_star + d,
                  by = 3 / s->tree.head.rule.dt;
    return count == 3   ? tdi_scale(tdi_vec3(star[0] - a[0], star[1] - a[1], star[2] - a[2]), by)
           : count == 1 ? tdi_vec3(by * (star[0] - a[0]), 0, 0)
                        : tdi_vec3(0, 0, 0);
}

static td_real missed(td_real n, td_real k, td_real a, td_real j) {
    const td_real sum = k + j / (SWAY * SWAY);
    return sum > 0 ? (n - k * a) / sum : 0;
}

// The turn that a joint misses, |e|.
static td_real missed_turn(const td_reduced_state *s, int32_t i) {
    const int32_t d = s->full->dof[i], count = s->full->dof[i + 1] - d;
    const tdi_body *b = &s->full->body[i];
    const td_real by = s->count->flow.stiffness, j = s->shape[i].inertia;
    const td_real *a = s->whole.angle + d;
    const td_vec3 n = tdi_mat3_apply_t(&s->whole.frame[i].r, s->load[i].n);
    if (count == 1) {
        const bool hinge = s->full->kind[i] == TD_JOINT_HINGE;
        const td_vec3 f = tdi_mat3_apply_t(&s->whole.frame[i].r, s->load[i].f);
        return hinge
                   ? fabs(missed(tdi_dot(n, b->axis), by * b->stiffness.x, a[0], j))
                   : fabs(missed(tdi_dot(f, b->axis), by * b->stiffness.x, a[0], s->shape[i].mass));
    }
    return count == 3 ? tdi_norm(tdi_vec3(missed(n.x, by * b->stiffness.x, a[0], j),
                                          missed(n.y, by * b->stiffness.y, a[1], j),
                                          missed(n.z, by * b->stiffness.z, a[2], j)))
                      : 0;
}

// Of the rates of a joint and the one before it, what their compliances do not explain.
static td_real uneven(const td_reduced_state *s, int32_t i) {
    const int32_t p = s->full->parent[i];
    const td_vec3 k = s->full->body[i].stiffness, up = s->full->body[p].stiffness;
    const td_quat turn =
        tdi_quat_mul(tdi_quat_conj(s->whole.frame[i].turn), s->whole.frame[p].turn);
    const td_vec3 own = tdi_times(k, rate_of(s, i)),
                  before = tdi_quat_rotate(turn, tdi_times(up, rate_of(s, p))),
                  off = tdi_sub(own, before);
    return tdi_norm(tdi_vec3(off.x / (k.x + up.x), off.y / (k.y + up.y), off.z / (k.z + up.z)));
}

static td_real held_cost(const td_reduced_state *s, int32_t i, td_real rate) {
    const bool frozen = s->mode[i] == TD_REDUCE_FROZEN;
    return FROZEN_GAIN * s->shape[i].reach * (frozen ? missed_turn(s, i) : SWAY * rate);
}

// Groups of two, of four where those cost little.
static td_real joined_cost(const td_reduced_state *s, int32_t i) {
    const int32_t place = s->shape[i].place;
    const td_real way = tdi_norm(s->full->body[i].attach);
    if (!s->shape[i].joins || place % 4 == 0) {
        return HUGE_VAL;
    }
    const td_real turn = s->mode[i] == TD_REDUCE_JOINED ? missed_turn(s, i) : SWAY * uneven(s, i);
    return JOINED_GAIN * (place % 2 ? 1 : 3) * way * turn;
}

static bool allowed(const td_reduced_state *s, td_reduce_mode mode) {
    return s->opts.modes >> mode & 1 && (mode == TD_REDUCE_FROZEN || !*s->touches);
}

static void weigh(td_reduced_state *s, int32_t i) {
    const tdi_reduce_shape *shape = &s->shape[i];
    const td_real rate = fmax(tdi_norm(rate_of(s, i)), FADE * s->active[i]);
    td_real cost = HUGE_VAL;
    uint8_t mode = TD_REDUCE_OWN;
    s->active[i] = s->mode[i] == TD_REDUCE_FROZEN ? missed_turn(s, i) / SWAY : rate;
    if (tdi_reduce_can(s->full, i, TD_REDUCE_FROZEN) && allowed(s, TD_REDUCE_FROZEN)) {
        mode = TD_REDUCE_FROZEN;
        cost = held_cost(s, i, rate);
    }
    const td_real rides = RIDING_GAIN * rate * shape->answer * shape->reach;
    if (shape->rides && rides < cost && allowed(s, TD_REDUCE_RIDING)) {
        mode = TD_REDUCE_RIDING;
        cost = rides;
    }
    const td_real joined = joined_cost(s, i);
    if (joined < cost && allowed(s, TD_REDUCE_JOINED)) {
        mode = TD_REDUCE_JOINED;
        cost = joined;
    }
    const bool own = s->held[i] || s->pinned[i];
    s->wanted[i] = own ? TD_REDUCE_OWN : mode;
    s->cost[i] = own ? HUGE_VAL : shape->tips * cost * cost;
}

// ---- thresholds -----------------------------------------------------------------------------

static bool reduces(const td_reduced_state *s, int32_t i, td_real most) {
    return s->wanted[i] != TD_REDUCE_OWN &&
           s->cost[i] * (s->mode[i] == s->wanted[i] ? STAY : 1) <= most;
}

static td_real spent(const td_reduced_state *s, td_real most, int32_t *left) {
    td_real sum = 0;
    *left = 0;
    for (int32_t i = 0; i < s->full->body_count; i++) {
        if (reduces(s, i, most)) {
            sum += s->cost[i];
        } else {
            (*left)++;
        }
    }
    return sum;
}

// The largest cost that is taken: by halving its logarithm, so that it is the same for all who ask.
static td_real threshold(const td_reduced_state *s) {
    const td_real allowed = s->opts.error * s->opts.error;
    td_real low = -200, high = 50; // powers of 2
    for (int k = 0; k < HALVE; k++) {
        const td_real middle = 0.5 * (low + high);
        int32_t left;
        const td_real sum = spent(s, exp2(middle), &left);
        const bool more = s->opts.joints > 0 ? left > s->opts.joints : sum <= allowed;
        low = more ? middle : low;
        high = more ? high : middle;
    }
    return exp2(s->opts.joints > 0 ? high : low);
}

// ---- entry ----------------------------------------------------------------------------------

bool tdi_reduce_chooses(const td_reduced_state *s) {
    return !s->count->by_hand && (s->opts.error > 0 || s->opts.joints > 0);
}

void tdi_reduce_choose(td_reduced_state *s) {
    const int32_t n = s->full->body_count;
    tdi_reduce_draw(s, true);
    sum_loads(s);
    for (int32_t i = 0; i < n; i++) {
        weigh(s, i);
    }
    const td_real most = threshold(s);
    td_real sum = 0;
    for (int32_t i = 0; i < n; i++) {
        if (reduces(s, i, most)) {
            sum += s->cost[i];
        } else {
            s->wanted[i] = TD_REDUCE_OWN;
        }
    }
    s->count->estimate = sqrt(sum);
}
