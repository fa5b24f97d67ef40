// SPDX-License-Identifier: MIT
// Constraints in steps and statics of trees. Pairs with src/implicit/hold*.c.

#include "test_constraint_support.h"

// ---- closed loops ---------------------------------------------------------------------------

// Joints without springs, so that only the constraint keeps the far end up: an error there is small
// in all iterations, and its weight has to grow nevertheless.
TD_TEST(constraint_the_far_end_of_a_chain_of_a_thousand_links_is_held) {
    enum { LINKS = 1000 };
    FREED place2 *at = calloc(LINKS + 1, sizeof *at);
    OWNED(held_island) s = {.count = 1};
    for (int32_t k = 0; k <= LINKS; k++) {
        at[k] = (place2){0.008 * k, k % 2 ? 0.006 : 0};
    }
    s.actor[0] = bars(at, LINKS, TD_JOINT_BALL, 0.1, ROUND);
    td_constraint pin = td_constraint_default(TD_CONSTRAINT_POINT);
    pin.segment[0] = LINKS - 1;
    pin.point[0] = tdi_vec3(0, 0.01, 0);
    pin.actor[1] = TD_NONE;
    hold(&s, &pin, 1);
    set_steps(&s, 1.0 / 240, 1e-4);
    for (int32_t k = 0; k < 20 && go_on(&s); k++) {
        const td_constraint_report r = td_island_constraint(s.island, 0);
        CHECK(r.active && !r.unmet);
        CHECK_IN(r.error, 0, 1e-8);
    }
    CHECK_INT(s.stats.unconverged, 0);
}

// ---- kinds ----------------------------------------------------------------------------------

// a pendulum of two bars, and one more beside it
static held_island two_pendulums(void) {
    const place2 one[3] = {{0, 1}, {0.3, 0.8}, {0.6, 0.8}},
                 two[3] = {{1, 1}, {0.9, 0.7}, {0.6, 0.6}};
    held_island s = {.count = 2};
    s.actor[0] = bars(one, 2, TD_JOINT_BALL, 1, ROUND);
    s.actor[1] = bars(two, 2, TD_JOINT_BALL, 1, ROUND);
    return s;
}

static td_constraint between_tips(td_constraint_kind kind) {
    td_constraint c = td_constraint_default(kind);
    c.segment[0] = 1;
    c.point[0] = tdi_vec3(0, 0.3, 0);
    c.actor[1] = 1;
    c.segment[1] = 1;
    c.point[1] = tdi_vec3(0, sqrt(0.1), 0);
    return c;
}

// how far two sides are from where they were against each other
typedef struct against {
    td_vec3 shift; // of the first point in the second's axes
    td_quat turn;
} against;

static against sides_of(const held_island *s, const td_constraint *c) {
    const td_quat first = td_body_rotation(s->actor[c->actor[0]].state, c->segment[0]),
                  back = c->actor[1] == TD_NONE ? tdi_quat_identity()
                                                : tdi_quat_conj(td_body_rotation(
                                                      s->actor[c->actor[1]].state, c->segment[1]));
    const td_vec3 o = c->actor[1] == TD_NONE
                          ? tdi_vec3(0, 0, 0)
                          : td_body_origin(s->actor[c->actor[1]].state, c->segment[1]);
    const td_vec3 p = place_on(s, c->actor[0], c->segment[0], c->point[0]);
    return (against){tdi_quat_rotate(back, tdi_sub(p, o)), tdi_quat_mul(back, first)};
}

static double turn_between(td_quat a, td_quat b) {
    const td_quat q = tdi_quat_mul(b, tdi_quat_conj(a));
    return 2 * tdi_norm(tdi_vec3(q.x, q.y, q.z));
}

// Runs two pendulums with one constraint, between them or of the first to the world, pushed out of
// the plane; checks after each step what `keeps` says. Sums the least of what must be free.
static void keeps(td_constraint c, bool world, bool place, bool turn, double along) {
    OWNED(held_island) s = two_pendulums();
    c.axis[0] = tdi_unit_or(tdi_vec3(1, 0.3, 0.2), tdi_vec3(1, 0, 0));
    if (world) {
        c.actor[1] = TD_NONE;
        c.point[1] = tdi_vec3(0.9, 0.9, 0.1);
    }
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 60, 1e-9);
    s.opts[0].gravity = s.opts[1].gravity = tdi_vec3(0, -9.81, 2);
    const against start = sides_of(&s, &c);
    const td_vec3 axis = tdi_quat_rotate(start.turn, c.axis[0]);
    double moved = 0, turned = 0;
    bool going = true;
    for (int32_t k = 0; k < 60 && going; k++) {
        going = go_on(&s);
        const against now = sides_of(&s, &c);
        const td_vec3 shift = tdi_sub(now.shift, start.shift),
                      across = tdi_madd(shift, axis, along * -tdi_dot(shift, axis));
        const double off = turn_between(start.turn, now.turn);
        CHECK(!place || tdi_norm(across) < 2e-9);
        CHECK(!turn || off < 4e-8);
        if (c.kind == TD_CONSTRAINT_HINGE) {
            CHECK(tdi_norm(tdi_sub(tdi_quat_rotate(now.turn, c.axis[0]), axis)) < 4e-8);
        }
        CHECK(td_island_constraint(s.island, 0).error <= 1e-9);
        moved = fmax(moved, tdi_norm(shift));
        turned = fmax(turned, off);
    }
    CHECK(world || along == 0 || moved > 0.01);
    CHECK(world || turn || turned > 0.1);
    CHECK_INT(s.stats.unconverged, 0);
    CHECK_INT(s.stats.halved, 0);
}

TD_TEST(constraint_a_point_stays_and_turns) {
    keeps(between_tips(TD_CONSTRAINT_POINT), false, true, false, 0);
    keeps(between_tips(TD_CONSTRAINT_POINT), true, true, false, 0);
}
TD_TEST(constraint_a_weld_keeps_place_and_turn) {
    keeps(between_tips(TD_CONSTRAINT_WELD), false, true, true, 0);
    keeps(between_tips(TD_CONSTRAINT_WELD), true, true, true, 0);
}
TD_TEST(constraint_a_hinge_turns_about_its_axis_alone) {
    keeps(between_tips(TD_CONSTRAINT_HINGE), false, true, false, 0);
    keeps(between_tips(TD_CONSTRAINT_HINGE), true, true, false, 0);
}
TD_TEST(constraint_a_slider_moves_along_its_axis_alone) {
    keeps(between_tips(TD_CONSTRAINT_SLIDER), false, true, true, 1);
    keeps(between_tips(TD_CONSTRAINT_SLIDER), true, true, true, 1);
}

TD_TEST(constraint_islands_refuse_steps_of_two_lengths) {
    OWNED(held_island) s = two_pendulums();
    td_diag diag = {.message = ""};
    hold(&s, NULL, 0);
    s.opts[1].dt *= 0.5;
    CHECK_INT(td_island_step(s.island, s.opts, NULL, 0, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK(diag.message[0] != '\0');
}

TD_TEST(constraint_a_point_slides_along_a_curve_and_stops_at_its_end) {
    const place2 one[3] = {{0, 1}, {0.3, 0.8}, {0.6, 0.8}};
    const td_vec3 way[4] = {{0.6, 0.8, 0}, {0.5, 0.6, 0.05}, {0.3, 0.55, 0}, {0.25, 0.5, 0}};
    OWNED(held_island) s = {.count = 1};
    s.actor[0] = bars(one, 2, TD_JOINT_BALL, 1, ROUND);
    td_constraint c = between_tips(TD_CONSTRAINT_CURVE);
    c.actor[1] = TD_NONE;
    c.curve = way;
    c.curve_count = 4;
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 120, 1e-9);
    bool going = true;
    double lowest = 1;
    for (int32_t k = 0; k < 240 && going; k++) {
        going = go_on(&s);
        CHECK(td_island_constraint(s.island, 0).error <= 1e-9);
        lowest = fmin(lowest, place_on(&s, 0, 1, c.point[0]).y);
    }
    CHECK_IN(lowest, 0.5 - 1e-8, 0.5 + 1e-2);
}

TD_TEST(constraint_a_stop_lets_nothing_through) {
    const place2 one[2] = {{0, 0}, {0.8, 0.6}};
    OWNED(held_island) s = {.count = 1};
    s.actor[0] = bars(one, 1, TD_JOINT_HINGE, 1, THIN);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_STOP);
    c.point[0].y = 1;
    c.point[1].y = -0.2;
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 60, 1e-9);
    bool going = true;
    double highest_after = -1;
    for (int32_t k = 0; k < 120 && going; k++) {
        going = go_on(&s);
        const double y = td_body_tip(s.actor[0].state, 0).y;
        CHECK(y > -0.2 - 1e-9);
        highest_after = k >= 90 ? fmax(highest_after, y) : highest_after;
    }
    CHECK_REL(highest_after, -0.2, 1e-8); // it lies on the stop
    // moments about the hinge: the stop carries half the weight
    CHECK_REL(td_island_constraint(s.island, 0).force.y, 0.5 * 9.81, 1e-8);
}

// ---- springs --------------------------------------------------------------------------------

// Bars of 1 kg and 1 m on hinges, and long springs across their tips, K/m = 300 1/s^2: with
// I = 1/3 kg m^2 the tip follows y'' + 3 D y' + 3 K (y - y1) = 0 from y = 0.
static double tip_after(double t, double k, double d, double y1) {
    const double decay = 1.5 * d, w = sqrt(3 * k - decay * decay);
    return y1 * (1 - exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t)));
}

TD_TEST(constraint_a_spring_pulls_and_damps_as_its_oscillator_does) {
    enum { STEPS = 1000 };
    const double far = 1000, k = 100, d = 2, y1 = 0.01, dt = 1e-3 / 4;
    for (int32_t bodies = 1; bodies <= 2; bodies++) {
        OWNED(held_island) s = {.count = bodies};
        for (int32_t i = 0; i < bodies; i++) {
            const place2 bar[2] = {{0, far * i}, {1, far * i}};
            s.actor[i] = bars(bar, 1, TD_JOINT_HINGE, 1, THIN);
        }
        // between two bars the middle stays where it is: twice the stiffness, half the way each
        td_constraint c = td_constraint_default(TD_CONSTRAINT_SPRING);
        c.as_found = false;
        c.point[0].y = 1;
        c.point[1] = bodies == 1 ? tdi_vec3(1, far, 0) : tdi_vec3(0, 1, 0);
        c.actor[1] = bodies == 1 ? TD_NONE : 1;
        c.target.length = far - bodies * y1;
        c.stiffness = k / bodies;
        c.damping = d / bodies;
        hold(&s, &c, 1);
        set_steps(&s, dt, 1e-10);
        for (int32_t i = 0; i < bodies; i++) {
            s.opts[i].gravity = tdi_vec3(0, 0, 0);
        }
        bool going = true;
        for (int32_t i = 0; i < STEPS && going; i++) {
            going = go_on(&s);
        }
        const double y = td_body_tip(s.actor[0].state, 0).y, want = tip_after(STEPS * dt, k, d, y1);
        CHECK_IN(y, want - 2e-3 * y1, want + 2e-3 * y1); // sines of turns, and steps
        const td_constraint_report r = td_island_constraint(s.island, 0);
        const double v = td_body_velocity(s.actor[0].state, 0, tdi_vec3(0, 1, 0)).y,
                     force = k * (y1 - y) - d * v;
        CHECK(r.error == 0);
        CHECK_REL(r.force.y, force, 1e-3);
    }
}
