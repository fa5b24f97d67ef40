// SPDX-License-Identifier: MIT
// Which joints are reduced, by what each of them would cost: an estimate of how far tips are from
// where the whole tree would have them.
//
//   frozen   its turn since the last choice, as if that were T ago, times reach; in wind at least
//            its recent rate times a time; while it is frozen, the turn that it misses,
//            e = (n - K a)/(K + J/T^2), n the moment of weight, drag, loads and inertia of what it
//            carries, J its inertia
//   quasi-static
//            its rate times reach and the time in which it answers, (J/k)^(1/2), with half of the
//            time between its turns
//   joined   of the turns of the joint and the one before it what is not in proportion to their
//            compliances, times the way between them; while it is joined, e times that way; and by
//            how much what swings is out of step
// A joint moves the part w of all tips, or of all mass where that is more, because what is heavy
// moves the rest. Errors of joints are taken for independent:
//   estimate^2 = sum over reduced joints of w c^2,  c times a gain for what motion makes of it
// The joints with the least w c^2 are reduced, each in the way that costs least, until the estimate
// reaches the error that is allowed. Reduced joints stay reduced a little longer, so that the
// choice does not flicker.

#include "reduce/reduce.h"

#include "load/point.h"
#include "tree/joint.h"

#include <math.h>
#include <string.h>

#define SWAY        0.3  // s: a quarter of the period in which plants of a metre swing
#define FADE        0.7  // of a rate is still counted at the next choice
#define GUST        1.6  // s: in wind, of a rate the amplitude to come
#define CALM        0.2  // m/s: no wind
#define NEAREST     0.01 // m: smaller distances from the camera count as this
#define FADE_SWING  0.9  // of how far it turned is
#define FADE_UNEVEN 0.8  // of how far it turned unlike the joint before it is
#define STAY        0.5  // of its cost counts, if a joint is reduced already
#define ROOM        0.4  // of the error is used by a choice in wind, so that gusts need no other
#define ROUNDS      3    // of choices for a count of joints
#define WORTH       2.0  // times the steps between choices have to pay for a change

// What an error of a joint by itself becomes in motion, where errors add up and resonate; in wind,
// which pushes all joints of an axis the same way, while the air damps. Fitted to willow, palm,
// orchid and pendulum, against whole trees. Choices are cautious in wind, where the next gust may
// be stronger: the estimate that is reported has a part of frozen and joined.
#define FROZEN_STILL      3.0
#define FROZEN_WIND       9.0
#define FROZEN_SHARE      0.3
#define JOINED_STILL      10.0
#define JOINED_WIND       6.0
#define JOINED_SHARE      0.2
#define SWINGS_STILL      1.0
#define SWINGS_WIND       6.0
#define QUASISTATIC_STILL 2.5
#define QUASISTATIC_WIND  1.0

// ---- moments --------------------------------------------------------------------------------

// Weight and inertia of a segment about its joint; drag is in `load` already.
static void add_inertia(tdi_reduced_state *s, int32_t i, const tdi_affine *a) {
    const tdi_body *b = &s->full->body[i];
    const tdi_frame *f = &s->whole.frame[i];
    const tdi_frame *on = &s->tree.frame[s->seat[i].body];
    const td_vec3 arm = tdi_mat3_apply_t(&on->r, tdi_sub(f->o, on->o)),
                  c = tdi_mat3_apply(&f->r, b->moment),
                  own = tdi_mat3_apply_t(&on->r, c), // of the cluster's axes
        o = tdi_add(a->o, tdi_mat3_apply(&a->r, arm)), pull = tdi_sub(s->count->flow.gravity, o);
    tdi_wrench *to = &s->air.load[i];
    to->f = tdi_add(to->f, tdi_sub(tdi_scale(pull, b->mass), tdi_mat3_apply(&a->r, own)));
    to->n = tdi_add(to->n, tdi_cross(c, pull));
}

static void add_loads(tdi_reduced_state *s) {
    const td_step_opts *o = s->tree.head.opts;
    const tdi_rate_factors still = {0, 0, 0};
    for (int32_t k = 0; k < o->load_count; k++) {
        const td_load *l = &o->loads[k];
        const tdi_frame *f = &s->whole.frame[l->segment];
        tdi_wrench *to = &s->air.load[l->segment];
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

// After the first step there is nothing yet that turned: what matters is what is not in balance.
static bool is_first_choice(const tdi_reduced_state *s) {
    return s->count->age < 1.5 * s->tree.head.rule.dt;
}

// Before the first step rates are 0.
static bool starts(const tdi_reduced_state *s) {
    return s->count->age == 0;
}

// Of the last step, in `rate`.
static void note_accelerations(tdi_reduced_state *s) {
    const tdi_affine still = {.o = {0, 0, 0}};
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        s->rate[c] = is_first_choice(s) ? still : tdi_reduce_acceleration(s, c);
    }
}

// What every joint carries, about it, and the f/u of its drag.
static void sum_loads(tdi_reduced_state *s) {
    const tdi_frame *f = s->whole.frame;
    tdi_reduce_drags(s);
    for (int32_t i = 0; i < s->full->body_count; i++) {
        add_inertia(s, i, &s->rate[s->seat[i].body]);
    }
    add_loads(s);
    for (int32_t i = s->full->body_count - 1; i >= 0; i--) {
        const int32_t p = s->full->parent[i];
        if (p != TD_NONE) {
            tdi_wrench_add(&s->air.load[p], &s->air.load[i], tdi_sub(f[i].o, f[p].o));
            s->air.damp[p] += s->air.damp[i];
        }
    }
}

// ---- costs ----------------------------------------------------------------------------------

// Whether there is wind, in which a joint that turned back will turn again: its recent
// rate counts.
static bool feels_gusts(const tdi_reduced_state *s) {
    const tdi_reduce_flow *flow = &s->count->flow;
    return tdi_reduce_has_air(s) && (flow->by_segment || tdi_norm(flow->air.wind) > CALM);
}

static td_real gain(const tdi_reduced_state *s, td_real still, td_real wind) {
    return feels_gusts(s) ? wind : still;
}

static td_vec3 rate_of(const tdi_reduced_state *s, int32_t i) {
    const int32_t d = s->full->dof[i], count = s->full->dof[i + 1] - d;
    const td_real *a = s->whole.angle + d, *history = s->whole.bdf.angle + d,
                  by = s->mode[i] == TD_REDUCE_FROZEN ? 0 : 3 / s->tree.head.rule.dt;
    return count == 3
               ? tdi_scale(tdi_vec3(history[0] - a[0], history[1] - a[1], history[2] - a[2]), by)
           : count == 1 ? tdi_vec3(by * (history[0] - a[0]), 0, 0)
                        : tdi_vec3(0, 0, 0);
}

// How far a joint turned since the last choice, as if that had been SWAY ago. Soon after the start
// what is accelerated hardly moves yet: of a motion a t^2/2 the amplitude is a T^2/2.
static td_vec3 swing_of(const tdi_reduced_state *s, int32_t i) {
    const int32_t d = s->full->dof[i], count = s->full->dof[i + 1] - d;
    const td_real *a = s->whole.angle + d, *seen = s->choice.angle_seen + d,
                  time = (s->count->since > 0 ? s->count->since : 1) * s->tree.head.rule.dt,
                  more = fmax(1, SWAY / time), by = s->count->age < SWAY ? more * more : more;
    const td_vec3 turn = count == 3   ? tdi_vec3(a[0] - seen[0], a[1] - seen[1], a[2] - seen[2])
                         : count == 1 ? tdi_vec3(a[0] - seen[0], 0, 0)
                                      : tdi_vec3(0, 0, 0);
    return tdi_scale(turn, by);
}

static td_real missed(td_real n, td_real k, td_real a, td_real j) {
    const td_real sum = k + j / (SWAY * SWAY);
    return sum > 0 ? (n - k * a) / sum : 0;
}

// The turn e that a ball joint misses.
static td_vec3 missed_ball(const tdi_reduced_state *s, int32_t i) {
    const td_real *a = s->whole.angle + s->full->dof[i], by = s->count->flow.stiffness,
                  j = s->shape[i].inertia;
    const td_vec3 k = s->full->body[i].stiffness,
                  n = tdi_mat3_apply_t(&s->whole.frame[i].r, s->air.load[i].n);
    return tdi_vec3(missed(n.x, by * k.x, a[0], j), missed(n.y, by * k.y, a[1], j),
                    missed(n.z, by * k.z, a[2], j));
}

// |e|, of any joint.
static td_real missed_turn(const tdi_reduced_state *s, int32_t i) {
    const int32_t d = s->full->dof[i], count = s->full->dof[i + 1] - d;
    const tdi_body *b = &s->full->body[i];
    const td_real by = s->count->flow.stiffness, j = s->shape[i].inertia;
    const td_real *a = s->whole.angle + d;
    const td_vec3 n = tdi_mat3_apply_t(&s->whole.frame[i].r, s->air.load[i].n);
    if (count == 1) {
        const bool hinge = s->full->kind[i] == TD_JOINT_HINGE;
        const td_vec3 f = tdi_mat3_apply_t(&s->whole.frame[i].r, s->air.load[i].f);
        return hinge
                   ? fabs(missed(tdi_dot(n, b->axis), by * b->stiffness.x, a[0], j))
                   : fabs(missed(tdi_dot(f, b->axis), by * b->stiffness.x, a[0], s->shape[i].mass));
    }
    return count == 3 ? tdi_norm(missed_ball(s, i)) : 0;
}

// Of the turns of a joint and the one before it, at the first look of those that they miss, what
// their compliances do not explain.
static td_real uneven(const tdi_reduced_state *s, int32_t i) {
    const int32_t p = s->full->parent[i];
    const td_vec3 k = s->full->body[i].stiffness, up = s->full->body[p].stiffness;
    const td_quat turn =
        tdi_quat_mul(tdi_quat_conj(s->whole.frame[i].turn), s->whole.frame[p].turn);
    td_vec3 (*of)(const tdi_reduced_state *, int32_t) = is_first_choice(s) ? missed_ball : swing_of;
    const td_vec3 own = tdi_times(k, of(s, i)),
                  before = tdi_quat_rotate(turn, tdi_times(up, of(s, p))),
                  off = tdi_sub(own, before);
    return tdi_norm(tdi_vec3(off.x / (k.x + up.x), off.y / (k.y + up.y), off.z / (k.z + up.z)));
}

static td_real held_cost(const tdi_reduced_state *s, int32_t i) {
    return gain(s, FROZEN_STILL, FROZEN_WIND) * s->shape[i].reach * s->choice.swing[i];
}

// It is late by the time in which it answers, and by half of that between two turns.
static td_real quasistatic_cost(const tdi_reduced_state *s, int32_t i) {
    const tdi_reduce_shape *shape = &s->shape[i];
    const td_real late = shape->answer + 0.5 * TDI_AIR_EVERY * s->tree.head.rule.dt;
    return gain(s, QUASISTATIC_STILL, QUASISTATIC_WIND) * s->choice.active[i] * late * shape->reach;
}

// A group is stiffer than its joints are under a load that is near to it: with joints alike, w
// apart, and a load at r from the last of them by 1 in rho^-1 = (4 r^2 + 4 r w + 2 w^2)/w^2. What
// swings to and fro by itself is then out of step, by rho/4 zeta of its motion, zeta the damping of
// the material and of the air.
static td_real out_of_step(const tdi_reduced_state *s, int32_t i, td_real way) {
    const tdi_reduce_shape *shape = &s->shape[i];
    const tdi_body *b = &s->full->body[i];
    const td_real r2 = shape->inertia / shape->mass, w2 = way * way,
                  rho = w2 / (4 * (r2 + way * sqrt(r2)) + 2 * w2),
                  air = s->air.damp[i] * r2 * shape->answer / shape->inertia,
                  zeta = 0.5 * (b->damping.x / (b->stiffness.x * shape->answer) + air);
    return shape->answer * s->choice.active[i] * shape->reach *
           (rho < 4 * zeta ? rho / (4 * zeta) : 1);
}

// Groups of two joints, of four where these cost little. A group never has a pushed segment inside,
// because the load would act on one of its sides. The turn that a joint missed in a group is
// kept, or the next choice would join it again; the jolt at the beginning of a motion is not.
static td_real joined_cost(const tdi_reduced_state *s, int32_t i) {
    const int32_t index = s->shape[i].index;
    if (!s->shape[i].may_join || index % 4 == 0 ||
        s->acting.loaded.has[s->full->parent[i]] == TDI_PUSHED) {
        return HUGE_VAL;
    }
    const td_real way = (index % 2 ? 1 : 3) * tdi_norm(s->full->body[i].attach),
                  turn = s->mode[i] == TD_REDUCE_JOINED ? missed_turn(s, i) : uneven(s, i),
                  kept = s->count->age < 2 * SWAY ? 0 : FADE_UNEVEN;
    s->choice.uneven[i] = fmax(turn, kept * s->choice.uneven[i]);
    return gain(s, JOINED_STILL, JOINED_WIND) * way * s->choice.uneven[i] +
           gain(s, SWINGS_STILL, SWINGS_WIND) * out_of_step(s, i, way);
}

static bool allowed(const tdi_reduced_state *s, td_reduce_mode mode) {
    return s->opts.modes >> mode & 1 && (mode == TD_REDUCE_FROZEN || !tdi_reduce_has_rows(s));
}

// A place in what is chosen from: a mode and its cost.
typedef struct offer {
    uint8_t mode;
    td_real cost;
} offer;

static void take(const tdi_reduced_state *s, offer *best, td_reduce_mode mode, td_real cost) {
    if (cost < best->cost && allowed(s, mode)) {
        *best = (offer){(uint8_t)mode, cost};
    }
}

// The part of the tips that a joint moves, by the size of its motion on screen.
static td_real weight_of(const tdi_reduced_state *s, int32_t i) {
    const td_vec3 from = s->opts.camera;
    const tdi_frame *f = s->whole.frame;
    if (!s->opts.view) {
        return s->shape[i].tips;
    }
    const td_real near = fmax(NEAREST, tdi_norm(tdi_sub(f[i].o, from))),
                  by = tdi_norm(tdi_sub(f[0].o, from)) / near;
    return s->shape[i].tips * by * by;
}

// Recent turn and rate of a joint, or the turn that it misses while it is frozen.
static void note_turns(tdi_reduced_state *s, int32_t i) {
    const bool first = is_first_choice(s);
    if (s->mode[i] == TD_REDUCE_FROZEN) {
        s->choice.swing[i] = missed_turn(s, i);
        s->choice.active[i] = starts(s) ? s->choice.swing[i] / SWAY : FADE * s->choice.active[i];
        return;
    }
    const td_real rate = tdi_norm(rate_of(s, i)),
                  swing = first ? fmax(SWAY * rate, missed_turn(s, i)) : tdi_norm(swing_of(s, i)),
                  kept = s->count->age < 2 * SWAY ? 0 : FADE_SWING; // a jolt is soon forgotten
    s->choice.active[i] = fmax(rate, FADE * s->choice.active[i]);
    s->choice.swing[i] = fmax(swing, kept * s->choice.swing[i]);
    s->choice.swing[i] =
        feels_gusts(s) ? fmax(s->choice.swing[i], GUST * s->choice.active[i]) : s->choice.swing[i];
}

// The cheapest mode of a joint and what its present one costs, in m^2.
static td_real weigh(tdi_reduced_state *s, int32_t i) {
    const td_real weight = weight_of(s, i);
    td_real costs[] = {0, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    offer best = {TD_REDUCE_OWN, HUGE_VAL};
    note_turns(s, i);
    if (tdi_reduce_can(s->full, i, TD_REDUCE_FROZEN)) {
        costs[TD_REDUCE_FROZEN] = held_cost(s, i);
        take(s, &best, TD_REDUCE_FROZEN, costs[TD_REDUCE_FROZEN]);
    }
    costs[TD_REDUCE_QUASISTATIC] =
        s->shape[i].may_be_quasistatic ? quasistatic_cost(s, i) : HUGE_VAL;
    costs[TD_REDUCE_JOINED] = joined_cost(s, i);
    take(s, &best, TD_REDUCE_QUASISTATIC, costs[TD_REDUCE_QUASISTATIC]);
    take(s, &best, TD_REDUCE_JOINED, costs[TD_REDUCE_JOINED]);
    if (s->acting.loaded.has[i] || s->acting.pinned[i]) {
        best = (offer){TD_REDUCE_OWN, HUGE_VAL};
    }
    if (s->acting.loaded.has[i] && !s->acting.pinned[i] &&
        !is_first_choice(s)) { // a group bends under a load as well
        take(s, &best, TD_REDUCE_JOINED, costs[TD_REDUCE_JOINED]);
    }
    s->choice.wanted[i] = best.mode;
    s->choice.cost[i] = weight * best.cost * best.cost;
    return weight * costs[s->mode[i]] * costs[s->mode[i]];
}

// ---- thresholds -----------------------------------------------------------------------------

// Costs in steps of 2^(1/4), so that the threshold is the same for all who ask.
enum { LOWEST = -80, HIGHEST = 20, STEPS = 4, KEYS = STEPS * (HIGHEST - LOWEST + 1) };

static int32_t key_of(td_real cost) {
    int power;
    const td_real m = frexp(cost, &power); // 1/2 <= m < 1
    if (!(cost > 0) || power < LOWEST) {
        return 0;
    }
    const int32_t part = m < 0.59460355750136051   ? 0
                         : m < 0.70710678118654757 ? 1
                         : m < 0.84089641525371450 ? 2
                                                   : 3;
    return power > HIGHEST ? KEYS - 1 : STEPS * (power - LOWEST) + part;
}

static int32_t key_at(const tdi_reduced_state *s, int32_t i) {
    return key_of(s->choice.cost[i] * (s->mode[i] == s->choice.wanted[i] ? STAY : 1));
}

// The first key that is not taken.
static int32_t threshold(const tdi_reduced_state *s) {
    const td_real most = (feels_gusts(s) ? ROOM : 1) * s->opts.error * s->opts.error;
    td_real sums[KEYS] = {0}, sum = 0;
    int32_t counts[KEYS] = {0}, left = s->full->body_count, key = 0;
    for (int32_t i = 0; i < s->full->body_count; i++) {
        if (s->choice.wanted[i] != TD_REDUCE_OWN) {
            const int32_t k = key_at(s, i);
            sums[k] += s->choice.cost[i];
            counts[k]++;
        }
    }
    for (; key < KEYS; key++) {
        const bool more = s->opts.joints > 0 ? left > s->opts.joints : sum + sums[key] <= most;
        if (!more) {
            break;
        }
        sum += sums[key];
        left -= counts[key];
    }
    return key;
}

// A change looks at all segments: what it saves until the next choices has to be worth that, unless
// the error demands it.
static bool worthwhile(const tdi_reduced_state *s, int32_t saved) {
    const int32_t wait = s->count->wait > s->opts.every ? s->count->wait : s->opts.every;
    return saved * (WORTH * wait) > s->full->body_count;
}

// ---- entry ----------------------------------------------------------------------------------

bool tdi_reduce_chooses(const tdi_reduced_state *s) {
    return !s->count->by_hand && (s->opts.error > 0 || s->opts.joints > 0);
}

// Joints in a group with a joint that does not move are frozen with it, if that costs as little.
static void follow(tdi_reduced_state *s, int32_t i, int32_t key) {
    const int32_t p = s->full->parent[i];
    if (s->choice.wanted[i] == TD_REDUCE_JOINED && s->choice.wanted[p] == TD_REDUCE_FROZEN) {
        const td_real cost = held_cost(s, i);
        s->choice.cost[i] = weight_of(s, i) * cost * cost;
        const bool freezes = allowed(s, TD_REDUCE_FROZEN) && key_of(s->choice.cost[i]) <= key;
        s->choice.wanted[i] = freezes ? TD_REDUCE_FROZEN : TD_REDUCE_OWN;
    }
}

// Joints that cost too much keep their own mode.
static void cut(tdi_reduced_state *s) {
    const int32_t key = threshold(s);
    for (int32_t i = 0; i < s->full->body_count; i++) {
        if (s->choice.wanted[i] != TD_REDUCE_OWN && key_at(s, i) >= key) {
            s->choice.wanted[i] = TD_REDUCE_OWN;
        }
        follow(s, i, key);
    }
    tdi_reduce_settle_wanted(s);
}

static int32_t own_joints(const tdi_reduced_state *s, const uint8_t *mode) {
    int32_t own = 0;
    for (int32_t i = 0; i < s->full->body_count; i++) {
        own += mode[i] == TD_REDUCE_OWN;
    }
    return own;
}

// A joint that cannot have its mode, because of other joints, may be frozen instead.
static void offer_freezing(tdi_reduced_state *s) {
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const bool may = s->choice.wanted[i] == TD_REDUCE_OWN && allowed(s, TD_REDUCE_FROZEN) &&
                         tdi_reduce_can(s->full, i, TD_REDUCE_FROZEN);
        if (may && !s->acting.loaded.has[i] && !s->acting.pinned[i]) {
            const td_real cost = held_cost(s, i);
            s->choice.wanted[i] = TD_REDUCE_FROZEN;
            s->choice.cost[i] = weight_of(s, i) * cost * cost;
        }
    }
}

// How many fewer joints are left than there are.
static int32_t choose_modes(tdi_reduced_state *s) {
    cut(s);
    int32_t left = own_joints(s, s->choice.wanted);
    for (int k = 0; k < ROUNDS && s->opts.joints > 0 && left > s->opts.joints; k++) {
        offer_freezing(s);
        cut(s);
        left = own_joints(s, s->choice.wanted);
    }
    return own_joints(s, s->mode) - left;
}

// The part of a cost that is reported: costs predict, the report is of the past.
static td_real reported(const tdi_reduced_state *s, uint8_t mode, td_real cost) {
    const td_real by = mode == TD_REDUCE_OWN      ? 0
                       : mode == TD_REDUCE_FROZEN ? gain(s, 1, FROZEN_SHARE)
                       : mode == TD_REDUCE_JOINED ? gain(s, 1, JOINED_SHARE)
                                                  : 1;
    return mode == TD_REDUCE_OWN ? 0 : by * by * cost;
}

bool tdi_reduce_choose(tdi_reduced_state *s, bool late) {
    const int32_t n = s->full->body_count;
    td_real now = 0, now_reported = 0, then_reported = 0;
    note_accelerations(s);
    tdi_reduce_draw(s, false);
    sum_loads(s);
    for (int32_t i = 0; i < n; i++) {
        const td_real cost = weigh(s, i);
        now += cost;
        now_reported += reported(s, s->mode[i], cost);
    }
    memcpy(s->choice.angle_seen, s->whole.angle, (size_t)s->full->head.dof_count * sizeof(td_real));
    const int32_t saved = choose_modes(s);
    const bool fine = s->opts.joints > 0 ? saved >= 0 : now <= s->opts.error * s->opts.error;
    if (!late && fine && !worthwhile(s, saved)) {
        memcpy(s->choice.wanted, s->mode, (size_t)n * sizeof *s->mode);
        s->count->estimate = sqrt(now_reported);
        return false;
    }
    for (int32_t i = 0; i < n; i++) {
        then_reported += reported(s, s->choice.wanted[i], s->choice.cost[i]);
    }
    s->count->estimate = sqrt(then_reported);
    return memcmp(s->mode, s->choice.wanted, (size_t)n * sizeof *s->mode) != 0;
}
