// SPDX-License-Identifier: MIT
// Constraints in steps and statics of trees. Pairs with src/implicit/hold*.c.

#include "test_constraint_support.h"

// ---- closed loops ---------------------------------------------------------------------------

typedef enum linkage { CLOSED_BY_ACTORS, CLOSED_BY_WORLD, CLOSED_BY_HINGE } linkage;

static const place2 A = {0, 0}, B = {0.25, 0.43301270189221932}, D = {1.5, 0};

// where the bars of 1.5 and 1 m meet, above
static place2 meeting(void) {
    const double dx = D.x - B.x, dy = D.y - B.y, r = sqrt(dx * dx + dy * dy),
                 a = (1.5 * 1.5 - 1 + r * r) / (2 * r), h = sqrt(1.5 * 1.5 - a * a);
    return (place2){B.x + a * dx / r - h * dy / r, B.y + a * dy / r + h * dx / r};
}

static held_island four_bars(linkage kind) {
    const place2 c = meeting(), all[4] = {A, B, c, D}, rocker[2] = {D, c};
    const bool world = kind == CLOSED_BY_WORLD;
    held_island s = {.count = world ? 1 : 2};
    s.actor[0] = bars(all, world ? 3 : 2, TD_JOINT_HINGE, 1, THIN);
    if (!world) {
        s.actor[1] = bars(rocker, 1, TD_JOINT_HINGE, 1, THIN);
    }
    td_constraint pin =
        td_constraint_default(kind == CLOSED_BY_HINGE ? TD_CONSTRAINT_HINGE : TD_CONSTRAINT_POINT);
    pin.segment[0] = world ? 2 : 1;
    pin.point[0] = tdi_vec3(0, world ? 1 : 1.5, 0);
    pin.axis[0] = tdi_vec3(0, 0, 1);
    pin.actor[1] = world ? TD_NONE : 1;
    hold(&s, &pin, 1);
    return s;
}

// crank angle after half a second, and the largest error on the way
static double crank_after(linkage kind, int32_t steps, double *error, double *gain) {
    OWNED(held_island) s = four_bars(kind);
    set_steps(&s, 0.5 / steps, 1e-12);
    const double start = energy_of(&s);
    bool going = true;
    *error = *gain = 0;
    for (int32_t k = 0; k < steps && going; k++) {
        going = go_on(&s);
        const td_constraint_report r = td_island_constraint(s.island, 0);
        CHECK(r.active && !r.unmet && !r.broken);
        *error = fmax(*error, r.error);
        *gain = fmax(*gain, energy_of(&s) - start);
    }
    const td_vec3 tip = td_body_tip(s.actor[0].state, 0);
    return atan2(tip.y, tip.x);
}

// -0.4725267221 rad from a minimal-coordinate solution; halving the step quarters the error
TD_TEST(constraint_four_bar_linkage_converges_with_second_order) {
    static const linkage kinds[] = {CLOSED_BY_ACTORS, CLOSED_BY_WORLD, CLOSED_BY_HINGE};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double error1, error2, gain;
        const double want = -0.4725267221, a = crank_after(kinds[k], 200, &error1, &gain) - want,
                     b = crank_after(kinds[k], 400, &error2, &gain) - want;
        CHECK_IN(a / b, 3.8, 4.3);
        CHECK(fabs(b - a / 4) < 5e-6);
        CHECK(error1 <= 1e-9 && error2 <= 1e-9);
        CHECK(gain < 1e-12);
    }
}

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

// 20 links on ball joints between pins 1 m apart, let go as a V: y of the middle after 0.2 s
static double middle_after(int32_t steps) {
    enum { LINKS = 20 };
    place2 at[LINKS + 1];
    OWNED(held_island) s = {.count = 1};
    const double down = sqrt(1 - 0.25);
    for (int32_t k = 0; k <= LINKS; k++) {
        const double t = (double)k / LINKS;
        at[k] = (place2){t, -down * (1 - fabs(2 * t - 1))};
    }
    s.actor[0] = bars(at, LINKS, TD_JOINT_BALL, 0.5, THIN);
    td_constraint pin = td_constraint_default(TD_CONSTRAINT_POINT);
    pin.segment[0] = LINKS - 1;
    pin.point[0] = tdi_vec3(0, 0.1, 0);
    hold(&s, &pin, 1);
    set_steps(&s, 0.2 / steps, 1e-11);
    bool going = true;
    for (int32_t k = 0; k < steps && going; k++) {
        going = go_on(&s);
        CHECK(td_island_constraint(s.island, 0).error <= 1e-9);
    }
    const double y = td_body_origin(s.actor[0].state, LINKS / 2).y;
    return y;
}

TD_TEST(constraint_chain_between_two_pins_moves_as_a_reference_does) {
    const double a = middle_after(200), b = middle_after(400), want = -0.794613124;
    CHECK_REL(b + (b - a) / 3, want, 1e-6);
    CHECK_REL(b, want, 1e-4);
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

static double distance_of(const held_island *s, const td_constraint *c) {
    const td_vec3 a = place_on(s, 0, c->segment[0], c->point[0]),
                  b = c->actor[1] == TD_NONE ? c->point[1]
                                             : place_on(s, 1, c->segment[1], c->point[1]);
    return tdi_norm(tdi_sub(a, b));
}

static void keeps_distance(bool world, td_constraint_kind kind) {
    OWNED(held_island) s = two_pendulums();
    td_constraint c = between_tips(kind);
    c.point[0].y = 0.1;
    if (world) {
        c.actor[1] = TD_NONE;
        c.point[1] = tdi_vec3(0.9, 0.9, 0.1);
    }
    hold(&s, &c, 1);
    set_steps(&s, 1.0 / 60, 1e-9);
    const double start = distance_of(&s, &c);
    bool going = true, slack = false, taut = false;
    for (int32_t k = 0; k < 90 && going; k++) {
        if (k == 45) { // pushes both sides together
            s.opts[0].gravity = s.opts[1].gravity = tdi_vec3(0, 9.81, 0);
        }
        going = go_on(&s);
        const double now = distance_of(&s, &c) - start;
        const td_constraint_report r = td_island_constraint(s.island, 0);
        CHECK(now < 2e-9 && (kind == TD_CONSTRAINT_ROPE || now > -2e-9));
        slack = slack || now < -1e-3;
        taut = taut || tdi_norm(r.force) > 0.1;
    }
    CHECK(taut && slack == (kind == TD_CONSTRAINT_ROPE));
}

TD_TEST(constraint_a_bar_keeps_its_length_and_a_rope_gets_no_longer) {
    keeps_distance(false, TD_CONSTRAINT_DISTANCE);
    keeps_distance(true, TD_CONSTRAINT_DISTANCE);
    keeps_distance(false, TD_CONSTRAINT_ROPE);
    keeps_distance(true, TD_CONSTRAINT_ROPE);
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
        CHECK(td_island_constraint(s.island, 0).error == 0);
    }
}
