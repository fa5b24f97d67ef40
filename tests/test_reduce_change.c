// SPDX-License-Identifier: MIT
// Trees of fewer bodies than segments: what a change of modes leaves as it is. Of the tree as it is
// drawn.

#include "test_reduce_support.h"

enum { MOST = 64 };

static const td_vec3 none = {0, 0, 0};

// Three of four joints of what can join.
static void random_modes(tdi_random *r, uint8_t *modes, int32_t n) {
    for (int32_t i = 0; i < n; i++) {
        modes[i] = (uint8_t)fmin(TD_REDUCE_JOINED, between(r, 0, 8));
    }
}

// Axes of balls that fork seldom, with a light leaf on every other segment, on a joint that is
// given.
static bool is_leaf(int32_t i) {
    return i % 3 == 2;
}

static tree axes(tdi_random *r, int32_t n, td_joint_kind root) {
    td_segment_def defs[MOST];
    for (int32_t i = 0; i < n; i++) {
        const bool forks = i > 0 && i % 7 == 0;
        const int32_t on = forks ? (int32_t)between(r, 0, i) : i - 1;
        defs[i] = random_segment(r, i, CHAIN, is_leaf(i) ? 0.1 : 300);
        defs[i].rest = random_turn(r, 0.4);
        defs[i].damping = tdi_scale(defs[i].stiffness, 1e-3);
        defs[i].joint = i == 0 ? root : TD_JOINT_BALL;
        defs[i].parent = on > 0 && is_leaf(on) ? on - 1 : on;
        defs[i].radius_base *= is_leaf(i) ? 0.1 : 1;
        defs[i].radius_tip *= is_leaf(i) ? 0.1 : 1;
    }
    return tree_of(defs, n, TD_LAW_LINEAR, NULL);
}

static void throw_it(tdi_random *r, tree t) {
    for (int32_t k = 0; k < t.nv; k++) {
        t.v[k] = between(r, -0.5, 0.5);
    }
    td_tree_state_changed(t.state);
}

// ---- a change -------------------------------------------------------------------------------

typedef struct snapshot {
    td_vec3 tip[MOST];
    td_quat turn[MOST];
    td_energy energy;
    td_vec3 linear, angular;
} snapshot;

static snapshot taken(td_body *s, int32_t n) {
    td_body *w = s;
    snapshot out = {.energy = td_body_energy(w, none)};
    td_body_momentum(w, &out.linear, &out.angular);
    for (int32_t i = 0; i < n; i++) {
        out.tip[i] = td_body_tip(w, i);
        out.turn[i] = td_body_rotation(w, i);
    }
    return out;
}

static td_real apart(td_vec3 a, td_vec3 b) {
    return tdi_norm(tdi_sub(a, b));
}

static void compare(const snapshot *a, const snapshot *b, int32_t n, td_real mass, bool floats) {
    // as much momentum as there can be, of what reaches one metre a segment
    const td_real much = sqrt(2 * a->energy.kinetic * mass);
    for (int32_t i = 0; i < n; i++) {
        const td_quat turn = tdi_quat_mul(tdi_quat_conj(a->turn[i]), b->turn[i]);
        CHECK_IN(apart(a->tip[i], b->tip[i]), 0, 1e-12 * n);
        CHECK_IN(hypot(turn.x, hypot(turn.y, turn.z)), 0, 1e-12);
    }
    CHECK_IN(apart(a->linear, b->linear), 0, 1e-12 * much);
    if (floats) { // on a base, which bears moments, only then
        CHECK_IN(apart(a->angular, b->angular), 0, 1e-12 * much * n);
    }
    CHECK(b->energy.kinetic <= a->energy.kinetic * (1 + 1e-12));
    CHECK_REL(b->energy.elastic, a->energy.elastic, 1e-10);
}

TD_TEST(reduced_tree_whose_modes_change_stays_in_place_keeps_momentum_and_gains_no_energy) {
    tdi_random r = random_of(21);
    const td_step_opts opts = steps_of(TD_IMPLICIT, 0.01, none);
    int32_t joined = 0, quasistatic = 0;
    for (int k = 0; k < 12; k++) {
        const int32_t n = 5 * k + 4;
        OWNED(tree) t = axes(&r, n, k % 3 ? TD_JOINT_FREE : TD_JOINT_BALL);
        throw_it(&r, t);
        OWNED(td_body) *s = reduced_like(t);
        for (int change = 0; change < 20; change++) {
            for (int step = 0; step < 3; step++) {
                step_reduced(s, &opts);
            }
            const snapshot before = taken(s, n);
            random_modes(&r, tdi_as_reduced(s)->choice.wanted, n);
            tdi_reduce_change(tdi_as_reduced(s));
            const snapshot after = taken(s, n);
            compare(&before, &after, n, s->mass, k % 3 > 0);
            const td_reduce_stats stats = td_reduced_get_stats(s);
            joined += stats.joined;
            quasistatic += stats.quasistatic;
        }
    }
    CHECK_SAY(joined > 500 && quasistatic > 50, "%d joined, %d rode", (int)joined,
              (int)quasistatic);
}

// ---- many changes ---------------------------------------------------------------------------

static td_real total(td_body *s) {
    const td_energy e = td_body_energy(s, weight);
    return e.kinetic + e.elastic + e.weight;
}

// Springs with hardly any damping, without air. How much energy rises above its least so far.
TD_TEST(reduced_tree_whose_modes_change_every_few_steps_gains_no_more_energy_than_the_whole) {
    tdi_random r = random_of(22);
    for (int k = 0; k < 6; k++) {
        const int32_t n = 10 + 8 * k;
        OWNED(tree) t = axes(&r, n, TD_JOINT_BALL);
        throw_it(&r, t);
        OWNED(td_body) *s = reduced_like(t);
        const td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weight);
        const td_real start = total(t.state);
        td_real gain = 0, own = 0, least = HUGE_VAL, least_whole = HUGE_VAL;
        for (int step = 0; step < 240; step++) {
            uint8_t modes[MOST];
            random_modes(&r, modes, n);
            for (int32_t i = 0; i < n; i++) { // what rides is small
                modes[i] =
                    modes[i] == TD_REDUCE_QUASISTATIC && !is_leaf(i) ? TD_REDUCE_OWN : modes[i];
            }
            if (step % 5 == 4) {
                td_reduced_set_modes(s, modes);
            }
            run(t, &opts, 1);
            step_reduced(s, &opts);
            const td_real e = total(s), whole = total(t.state);
            least = fmin(least, e);
            least_whole = fmin(least_whole, whole);
            gain = fmax(gain, e - least);
            own = fmax(own, whole - least_whole);
        }
        // the rule of two steps turns energies over; groups turn in first order as their joints do,
        // and what is of second order in 1/60 s is below a hundredth of what was lost meanwhile
        CHECK_IN(gain, 0, own + 0.01 * (start - least));
    }
}
