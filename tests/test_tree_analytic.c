// SPDX-License-Identifier: MIT
// Constraints, contact and impacts as published. Pairs with src/published/analytic*.c.

#include "test_tree_support.h"

#include "math/turn.h"
#include "tendril/ida.h"
OWNED_POINTER(td_ida)

// ---- bars -----------------------------------------------------------------------------------

// A uniform thin bar of 1 kg/m in the plane z = 0.
static td_segment_def bar(int32_t parent, double length, td_joint_kind joint) {
    td_segment_def def = td_segment_def_default();
    def.parent = parent;
    def.joint = joint;
    def.axis = tdi_vec3(0, 0, 1);
    def.length = def.mass = length;
    def.centre_of_mass.y = length / 2;
    def.second_moment.yy = length * length * length / 3;
    def.radius_base = def.radius_tip = 0.01;
    def.has_stiffness = def.has_damping = true;
    def.attach_at_tip = parent != TD_NONE;
    return def;
}

// From +Y to a direction in the plane, after one that has been turned by `before` already.
static td_quat turn_to(double angle, double before) {
    return tdi_quat_turn(tdi_vec3(0, 0, 1), angle - before);
}

// The four-bar linkage ABCD as a chain whose last tip is held at D.
static tree linkage(void) {
    const double crank = TDI_PI / 3;
    const td_vec3 b = {0.5 * cos(crank), 0.5 * sin(crank), 0}, d = {1.5, 0, 0};
    const td_vec3 bd = tdi_sub(d, b);
    const double r = tdi_norm(bd), along = (r * r + 1.5 * 1.5 - 1) / (2 * r);
    const double up = sqrt(1.5 * 1.5 - along * along), base = atan2(bd.y, bd.x);
    const double coupler = base + atan2(up, along);
    const td_vec3 c = {b.x + 1.5 * cos(coupler), b.y + 1.5 * sin(coupler), 0};
    const double rocker = atan2(d.y - c.y, d.x - c.x);
    td_segment_def defs[3] = {bar(TD_NONE, 0.5, TD_JOINT_HINGE), bar(0, 1.5, TD_JOINT_HINGE),
                              bar(1, 1, TD_JOINT_HINGE)};
    defs[0].rest = turn_to(crank, TDI_PI / 2);
    defs[1].rest = turn_to(coupler, crank);
    defs[2].rest = turn_to(rocker, coupler);
    return tree_of(defs, 3, TD_LAW_LINEAR, NULL);
}

static td_analytic *held(tree t, const td_constraint *c, int32_t count,
                         const td_analytic_opts *opts) {
    const td_analytic_opts plain = td_analytic_opts_default();
    td_analytic *a = NULL;
    td_diag diag = {.message = ""};
    CHECK_SAY(td_analytic_new(&t.state, 1, c, count, opts ? opts : &plain, NULL, &a, &diag) ==
                  TD_OK,
              "%s", diag.message);
    return a;
}

TD_TEST(analytic_memory_that_ends_leaves_nothing_behind) {
    const td_analytic_opts opts = td_analytic_opts_default();
    td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT);
    OWNED(tree) t = linkage();
    c.segment[0] = 2;
    c.point[0].y = 1;
    WITH_SCARCE(memory, 1) {
        OWNED(td_analytic) *a = NULL;
        td_diag diag = {.message = ""};
        const td_status status =
            td_analytic_new(&t.state, 1, &c, 1, &opts, &memory.alloc, &a, &diag);
        CHECK_INT(status, scarce_status(&memory));
        CHECK(status == TD_OK || (!a && diag.message[0] != 0));
    }
}

static bool advance(td_analytic *a, const td_step_opts *o, const td_collider *colliders,
                    int32_t count, int32_t steps) {
    td_diag diag = {.message = ""};
    for (int32_t k = 0; k < steps; k++) {
        if (!CHECK_SAY(td_analytic_step(a, o, colliders, count, NULL, &diag) == TD_OK,
                       "step %d: %s", k, diag.message)) {
            return false;
        }
    }
    return true;
}

static td_constraint pin(int32_t segment, td_vec3 point) {
    td_constraint c = td_constraint_default(TD_CONSTRAINT_POINT);
    c.segment[0] = segment;
    c.point[0] = point;
    return c;
}

// Crank angle from +x.
static double crank_angle(tree t) {
    const td_vec3 b = td_body_tip(t.state, 0);
    return atan2(b.y, b.x);
}

TD_TEST(analytic_loads_lead_ida_around_the_linkage) {
    if (!td_ida_built()) {
        test_skip("built without SUNDIALS");
        return;
    }
    enum { STEPS = 1000 };
    OWNED(tree) t = linkage();
    const td_constraint c = pin(2, tdi_vec3(0, 1, 0));
    td_step_opts o = steps_of(TD_EULER, 0.5 / STEPS, tdi_vec3(0, -9.81, 0));
    td_ida_opts with = td_ida_opts_default();
    td_load loads[6];
    td_diag diag = {.message = ""};
    OWNED(td_ida) *ida = NULL;
    OWNED(td_analytic) *a = held(t, &c, 1, NULL);
    with.loads = loads;
    with.load_count = 6;
    with.rtol = 1e-6;
    for (int32_t k = 0; k < STEPS; k++) {
        CHECK(td_analytic_prepare(a, &o, NULL, 0, &diag) == TD_OK);
        td_analytic_loads(a, 0, loads);
        if (!ida) {
            CHECK(td_ida_new(t.state, &with, NULL, &ida, &diag) == TD_OK);
        }
        CHECK_SAY(td_ida_advance(ida, o.dt, &diag) == TD_OK, "%s", diag.message);
    }
    CHECK_REL(crank_angle(t), -0.4725267221, 1e-2); // forces are constant through a step
    CHECK_IN(tdi_norm(tdi_sub(td_body_tip(t.state, 2), tdi_vec3(1.5, 0, 0))), 0, 1e-4);
}

// ---- kinds ----------------------------------------------------------------------------------

// A chain of `count` bars of 0.5 m from the origin, by ball joints or hinges, drawn as a zigzag.
static tree hanging(int32_t count, td_joint_kind joint) {
    td_segment_def defs[8];
    for (int32_t i = 0; i < count; i++) {
        defs[i] = bar(i - 1, 0.5, joint);
        defs[i].second_moment.xx = defs[i].second_moment.zz = 1e-4;
        defs[i].damping = tdi_vec3(0.01, 0.01, 0.01);
    }
    for (int32_t i = 1; i < count; i++) {
        defs[i].rest = turn_to(i % 2 ? 1.2 : -1.2, 0);
    }
    defs[0].rest = turn_to(-TDI_PI / 2 - 0.6, TDI_PI / 2);
    return tree_of(defs, count, TD_LAW_LINEAR, NULL);
}

TD_TEST(analytic_point_follows_a_path_and_a_joint_its_angle) {
    OWNED(tree) t = hanging(3, TD_JOINT_HINGE);
    td_constraint c[2] = {pin(2, tdi_vec3(0, 0.5, 0)), td_constraint_default(TD_CONSTRAINT_JOINT)};
    const double dt = 1e-3;
    const td_step_opts o = steps_of(TD_RK4, dt, tdi_vec3(0, -9.81, 0));
    c[0].as_found = false;
    c[0].target.position = td_body_tip(t.state, 2);
    OWNED(td_analytic) *a = held(t, c, 2, NULL);
    double off = 0, lag = 0;
    for (int k = 1; k <= 1000; k++) {
        const double time = k * dt, way = time * time * (3 - 2 * time);
        td_constraint_target to = c[0].target, angle = c[1].target;
        to.position = tdi_add(to.position, tdi_vec3(0.3 * way, 0.5 * way, 0));
        angle.joint.x = 0.4 * way;
        CHECK(td_analytic_set_target(a, 0, &to, NULL) == TD_OK);
        CHECK(td_analytic_set_target(a, 1, &angle, NULL) == TD_OK);
        if (!advance(a, &o, NULL, 0, 1)) {
            break;
        }
        off = fmax(off, tdi_norm(tdi_sub(td_body_tip(t.state, 2), to.position)));
        lag = fmax(lag, fabs(t.q[0] - angle.joint.x));
    }
    // the path is a parabola a step: h^2/2 of its third derivative is not followed
    CHECK_IN(off, 0, 2e-5);
    CHECK_IN(lag, 0, 2e-5);
}

// Speed after it was let go, of a chain whose links are welded by constraints: a stiff rod's.
TD_TEST(analytic_weld_makes_one_rod_of_two) {
    td_segment_def defs[2] = {bar(TD_NONE, 0.5, TD_JOINT_HINGE), bar(0, 0.5, TD_JOINT_BALL)};
    td_segment_def whole = bar(TD_NONE, 1, TD_JOINT_HINGE);
    defs[0].rest = whole.rest = turn_to(0, TDI_PI / 2);
    defs[1].second_moment.xx = defs[1].second_moment.zz = 1e-6;
    OWNED(tree) t = tree_of(defs, 2, TD_LAW_LINEAR, NULL),
                one = tree_of(&whole, 1, TD_LAW_LINEAR, NULL);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_WELD);
    c.actor[1] = 0;
    c.segment[0] = 1;
    const td_step_opts o = steps_of(TD_RK4, 1e-3, tdi_vec3(0, -9.81, 0));
    OWNED(td_analytic) *a = held(t, &c, 1, NULL);
    advance(a, &o, NULL, 0, 400);
    run(one, &o, 400);
    CHECK_IN(tdi_norm(tdi_sub(td_body_tip(t.state, 1), td_body_tip(one.state, 0))), 0, 1e-5);
    CHECK_IN(td_analytic_constraint(a, 0).error, 0, 1e-8);
}

// A pendulum on a bar without mass, made by a distance, has the period of one.
TD_TEST(analytic_distance_swings_as_a_pendulum) {
    td_segment_def def = bar(TD_NONE, 0.1, TD_JOINT_FREE);
    def.attach_at_tip = false;
    def.attach = tdi_vec3(0.6, -0.8, 0);
    def.mass = 1;
    def.centre_of_mass = tdi_vec3(0, 0, 0);
    def.second_moment = (td_sym3){1e-3, 1e-3, 1e-3, 0, 0, 0};
    OWNED(tree) t = tree_of(&def, 1, TD_LAW_LINEAR, NULL);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_DISTANCE);
    const td_step_opts o = steps_of(TD_RK4, 1e-3, tdi_vec3(0, -9.81, 0));
    OWNED(td_analytic) *a = held(t, &c, 1, NULL);
    // v^2 = 2 g (fall), at the lowest
    double lowest = 0, speed = 0, off = 0;
    for (int k = 0; k < 1000; k++) {
        if (!advance(a, &o, NULL, 0, 1)) {
            break;
        }
        const td_vec3 x = td_body_origin(t.state, 0);
        off = fmax(off, fabs(tdi_norm(x) - 1));
        if (x.y < lowest) {
            lowest = x.y;
            speed = hypot(t.v[0], t.v[1]);
        }
    }
    CHECK_IN(off, 0, 1e-8);
    CHECK_REL(lowest, -1, 1e-5);
    CHECK_REL(speed * speed, 2 * 9.81 * 0.2, 1e-5);
}

TD_TEST(analytic_slider_crank_and_gear_keep_to_their_lines) {
    OWNED(tree) t = hanging(2, TD_JOINT_HINGE);
    td_constraint c[2] = {td_constraint_default(TD_CONSTRAINT_STOP),
                          td_constraint_default(TD_CONSTRAINT_GEAR)};
    c[1].actor[1] = 0;
    c[1].segment[0] = 1;
    c[1].segment[1] = 0;
    c[1].ratio = -1.5;
    c[0].segment[0] = 1;
    c[0].point[0] = tdi_vec3(0, 0.5, 0);
    c[0].axis[1] = tdi_vec3(-1, 0, 0); // not to the right of x = 0.1
    c[0].point[1] = tdi_vec3(0.1, 0, 0);
    t.v[0] = 1;
    t.v[1] = -1.5;
    td_tree_state_changed(t.state);
    const td_step_opts o = steps_of(TD_RK4, 1e-3, tdi_vec3(0, -9.81, 0));
    OWNED(td_analytic) *a = held(t, c, 2, NULL);
    double most = 0, gear = 0;
    for (int k = 0; k < 3000; k++) {
        if (!advance(a, &o, NULL, 0, 1)) {
            break;
        }
        most = fmax(most, td_body_tip(t.state, 1).x);
        gear = fmax(gear, fabs(t.q[1] + 1.5 * t.q[0]));
    }
    CHECK_IN(most, 0.099, 0.1 + 1e-5);
    CHECK_IN(gear, 0, 1e-9);
}

// A tip held by a slider along x: its height stays, its turn too.
TD_TEST(analytic_slider_lets_one_direction_free) {
    OWNED(tree) t = hanging(3, TD_JOINT_BALL);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_SLIDER);
    c.segment[0] = 2;
    c.axis[0] = tdi_vec3(1, 0, 0);
    t.v[2] = 0.5;
    td_tree_state_changed(t.state);
    const td_vec3 from = td_body_origin(t.state, 2);
    const td_vec3 along = tdi_quat_rotate(td_body_rotation(t.state, 2), c.axis[0]);
    const td_step_opts o = steps_of(TD_RK4, 1e-3, tdi_vec3(0, -9.81, 0));
    OWNED(td_analytic) *a = held(t, &c, 1, NULL);
    advance(a, &o, NULL, 0, 300);
    const td_vec3 moved = tdi_sub(td_body_origin(t.state, 2), from);
    CHECK_IN(tdi_norm(tdi_cross(moved, along)), 0, 1e-5);
    CHECK_IN(fabs(tdi_dot(moved, along)), 0.01, 1);
}

// Thrown out, it comes back as far as restitution says.
TD_TEST(analytic_limit_of_a_hinge_bounces_and_rope_pulls) {
    OWNED(tree) t = hanging(1, TD_JOINT_HINGE);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_LIMIT);
    td_analytic_opts opts = td_analytic_opts_default();
    c.low = -0.5;
    c.high = 0.5;
    opts.restitution = 0.5;
    t.v[0] = 2;
    td_tree_state_changed(t.state);
    const td_step_opts o = steps_of(TD_RK4, 1e-4, tdi_vec3(0, 0, 0));
    OWNED(td_analytic) *a = held(t, &c, 1, &opts);
    double most = 0;
    for (int k = 0; k < 4000; k++) {
        if (!advance(a, &o, NULL, 0, 1)) {
            break;
        }
        most = fmax(most, t.q[0]);
    }
    CHECK_IN(most, 0.5 - 3e-4, 0.5);
    CHECK_IN(t.v[0], -1, -0.9); // damping is 0.01 N m s on 1/24 kg m^2
}

// A rod on a ball joint that leans by `lean` and circles about its rest, downwards.
static tree circling(double lean, double rate) {
    td_segment_def def = bar(TD_NONE, 0.5, TD_JOINT_BALL);
    def.second_moment.xx = def.second_moment.zz = 1e-4;
    def.rest = turn_to(-TDI_PI / 2, TDI_PI / 2);
    tree t = tree_of(&def, 1, TD_LAW_LINEAR, NULL);
    const td_quat q = tdi_quat_turn(tdi_vec3(1, 0, 0), lean);
    const td_vec3 w = tdi_scale(tdi_quat_rotate(tdi_quat_conj(q), tdi_vec3(0, 1, 0)), rate);
    t.q[0] = q.w, t.q[1] = q.x, t.q[2] = q.y, t.q[3] = q.z;
    t.v[0] = w.x, t.v[1] = w.y, t.v[2] = w.z;
    td_tree_state_changed(t.state);
    return t;
}

static double lean_of(tree t) {
    const td_quat q = {t.q[0], t.q[1], t.q[2], t.q[3]};
    return acos(tdi_quat_rotate(q, tdi_vec3(0, 1, 0)).y);
}

// It circles faster than gravity balances, 3 g/(2 l cos lean) = w^2, so that the cone holds it in.
TD_TEST(analytic_cone_of_a_ball_joint_holds_a_circling_rod) {
    const double cone = 0.6, rate = 12;
    OWNED(tree) t = circling(cone, rate);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_LIMIT);
    c.cone = cone;
    OWNED(td_analytic) *a = held(t, &c, 1, NULL);
    const td_step_opts o = steps_of(TD_RK4, 1e-3, tdi_vec3(0, -9.81, 0));
    double off = 0, slowed = 0;
    for (int k = 0; k < 1000 && advance(a, &o, NULL, 0, 1); k++) {
        const td_vec3 w = {t.v[0], t.v[1], t.v[2]};
        off = fmax(off, fabs(lean_of(t) - cone));
        slowed = fmax(slowed, fabs(tdi_norm(w) - rate));
    }
    CHECK_IN(td_analytic_constraint(a, 0).moment.x, -INFINITY, -1); // it pushes all the time
    CHECK_IN(off, 0, 1e-8);                                         // fourth order: (rate dt)^4
    CHECK_IN(slowed, 0, 1e-7);
}

TD_TEST(analytic_twist_of_a_ball_joint_bounces_between_its_limits) {
    OWNED(tree) t = circling(0.3, 0);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_LIMIT);
    td_analytic_opts opts = td_analytic_opts_default();
    c.low = -0.5;
    c.high = 0.4;
    opts.restitution = 1;
    t.v[1] = 3;
    td_tree_state_changed(t.state);
    const td_vec3 weightless = {0, 0, 0};
    const double energy = td_body_energy(t.state, weightless).kinetic;
    OWNED(td_analytic) *a = held(t, &c, 1, &opts);
    const td_step_opts o = steps_of(TD_RK4, 1e-4, weightless);
    double low = 0, high = 0;
    for (int k = 0; k < 10000 && advance(a, &o, NULL, 0, 1); k++) {
        const double twist = 2 * atan2(t.q[2], t.q[0]);
        low = fmin(low, twist);
        high = fmax(high, twist);
    }
    CHECK_IN(low, -0.5 - 1e-9, -0.5 + 4e-4); // it meets a limit within a step: 3 rad/s dt
    CHECK_IN(high, 0.4 - 4e-4, 0.4 + 1e-9);
    CHECK_REL(td_body_energy(t.state, weightless).kinetic, energy, 1e-9);
}

// Both limits at once leave no twist. It swings in space, as it can without, and keeps its energy.
TD_TEST(analytic_twist_of_a_ball_joint_is_held_while_it_swings) {
    OWNED(tree) t = circling(0.8, 0);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_LIMIT);
    c.low = -1e-9;
    c.high = 1e-9;
    t.v[2] = 5; // the twist has no rate at a lean about X, but an acceleration
    t.v[1] = 5 * tan(0.4);
    td_tree_state_changed(t.state);
    const td_energy start = td_body_energy(t.state, weight);
    OWNED(td_analytic) *a = held(t, &c, 1, NULL);
    const td_step_opts o = steps_of(TD_RK4, 1e-3, weight);
    double off = 0;
    for (int k = 0; k < 1000 && advance(a, &o, NULL, 0, 1); k++) {
        off = fmax(off, fabs(2 * atan2(t.q[2], t.q[0])));
    }
    const td_energy end = td_body_energy(t.state, weight);
    CHECK_IN(off, 0, 1e-7);
    CHECK_REL(end.kinetic + end.weight, start.kinetic + start.weight, 1e-7);
}

TD_TEST(analytic_contradiction_is_reported_and_does_not_explode) {
    OWNED(tree) t = hanging(3, TD_JOINT_BALL);
    td_constraint c[2] = {pin(2, tdi_vec3(0, 0.5, 0)), pin(2, tdi_vec3(0, 0.5, 0))};
    c[0].as_found = c[1].as_found = false;
    c[0].target.position = tdi_vec3(1, 0, 0);
    c[1].target.position = tdi_vec3(-1, 0, 0);
    const td_step_opts o = steps_of(TD_RK4, 1e-3, tdi_vec3(0, -9.81, 0));
    td_analytic_opts opts = td_analytic_opts_default();
    opts.settle = 0.1;
    OWNED(td_analytic) *a = held(t, c, 2, &opts);
    advance(a, &o, NULL, 0, 1000);
    CHECK(td_analytic_constraint(a, 0).unmet);
    CHECK_IN(tdi_norm(td_body_tip(t.state, 2)), 0, 1.5); // half way between them: least squares
    CHECK_IN(fabs(td_body_tip(t.state, 2).x), 0, 0.01);
}

// The joint of a pendulum keeps its tip at its length and in its plane already.
TD_TEST(analytic_constraints_that_the_joints_fulfil_have_no_effect) {
    const td_constraint_kind kinds[] = {TD_CONSTRAINT_DISTANCE, TD_CONSTRAINT_ROPE,
                                        TD_CONSTRAINT_STOP};
    for (int n = 0; n < 6; n++) {
        td_segment_def def = bar(TD_NONE, 1, TD_JOINT_HINGE);
        def.rest = turn_to(-0.6435, TDI_PI / 2);
        OWNED(tree) t = tree_of(&def, 1, TD_LAW_LINEAR, NULL),
                    alone = tree_of(&def, 1, TD_LAW_LINEAR, NULL);
        td_constraint c = td_constraint_default(kinds[n / 2]);
        c.point[0] = tdi_vec3(0, 1, 0);
        c.axis[1] = tdi_vec3(0, 0, 1);
        c.as_found = false;
        c.target.length = 1;
        const td_step_opts o =
            steps_of(n % 2 ? TD_EULER : TD_RK4, 1.0 / 2000, tdi_vec3(0, -9.81, 0));
        OWNED(td_analytic) *a = held(t, &c, 1, NULL);
        advance(a, &o, NULL, 0, 2000);
        run(alone, &o, 2000);
        CHECK_SAY(fabs(t.q[0] - alone.q[0]) < 1e-12, "kind %d: %g in place of %g", n, t.q[0],
                  alone.q[0]);
        CHECK(tdi_norm(td_analytic_constraint(a, 0).force) == 0);
        CHECK(!td_analytic_constraint(a, 0).unmet);
    }
}

// The chain is pulled straight towards its target, and stays there.
TD_TEST(analytic_point_out_of_reach_is_pulled_straight) {
    static const double target[][2] = {{0.05, -2.1}, {0, -1.52}, {1.6, 0.2}};
    for (int n = 0; n < 6; n++) {
        OWNED(tree) t = hanging(3, TD_JOINT_BALL);
        td_constraint c = pin(2, tdi_vec3(0, 0.5, 0));
        c.as_found = false;
        c.target.position = tdi_vec3(target[n / 2][0], target[n / 2][1], 0);
        td_step_opts o = steps_of(n % 2 ? TD_EULER : TD_RK4, 1.0 / 2000, tdi_vec3(0, -9.81, 0));
        o.damping = 20;
        OWNED(td_analytic) *a = held(t, &c, 1, NULL);
        advance(a, &o, NULL, 0, 2500);
        const td_vec3 want = tdi_scale(c.target.position, 1.5 / tdi_norm(c.target.position));
        CHECK_IN(tdi_norm(tdi_sub(td_body_tip(t.state, 2), want)), 0, 0.05);
        CHECK_IN(td_body_energy(t.state, tdi_vec3(0, -9.81, 0)).kinetic, 0, 1);
        CHECK(td_analytic_constraint(a, 0).unmet);
        CHECK_IN(td_analytic_constraint(a, 0).error, 0, tdi_norm(c.target.position) - 1.49);
    }
}

// Numbers that are finite may have diverged nevertheless.
TD_TEST(explicit_step_in_which_a_joint_makes_a_turn_has_diverged) {
    for (int n = 0; n < 2; n++) {
        td_segment_def def = bar(TD_NONE, 1, TD_JOINT_HINGE);
        def.stiffness.x = 1000;
        OWNED(tree) t = tree_of(&def, 1, TD_LAW_LINEAR, NULL);
        t.q[0] = 0.1;
        td_tree_state_changed(t.state);
        const td_step_opts o = steps_of(n ? TD_EULER : TD_RK4, 0.1, tdi_vec3(0, 0, 0));
        td_diag diag = {.message = ""};
        td_status status = TD_OK;
        for (int k = 0; k < 100 && status == TD_OK; k++) {
            status = td_body_step(t.state, &o, NULL, &diag);
        }
        CHECK_INT(status, TD_ERR_DIVERGED);
        CHECK_IN(fabs(t.v[0]), 0, 2 * TDI_PI / o.dt);
    }
}

TD_TEST(analytic_constraint_breaks_and_ends) {
    OWNED(tree) t = hanging(1, TD_JOINT_BALL);
    td_constraint c[2] = {td_constraint_default(TD_CONSTRAINT_POINT), pin(0, tdi_vec3(0, 0.5, 0))};
    c[0].point[0] = tdi_vec3(0, 0.5, 0);
    c[0].end = 0.01;
    c[1].break_force = 1e-3;
    t.v[2] = 0.3;
    td_tree_state_changed(t.state);
    const td_step_opts o = steps_of(TD_EULER, 1e-3, tdi_vec3(3, -9.81, 0));
    OWNED(td_analytic) *a = held(t, c, 2, NULL);
    advance(a, &o, NULL, 0, 20);
    CHECK(td_analytic_constraint(a, 1).broken);
    CHECK(!td_analytic_constraint(a, 0).active);
}

// ---- redundant rows -------------------------------------------------------------------------

// A double pendulum that turns about the z axis without gravity.
static tree turning(td_joint_kind joint) {
    td_segment_def defs[2] = {bar(TD_NONE, 0.5, TD_JOINT_HINGE), bar(0, 0.5, joint)};
    defs[1].second_moment.xx = defs[1].second_moment.zz = 1e-5;
    tree t = tree_of(defs, 2, TD_LAW_LINEAR, NULL);
    t.v[0] = 2;
    t.v[joint == TD_JOINT_BALL ? 3 : 1] = -5;
    td_tree_state_changed(t.state);
    return t;
}

static td_real momentum_of(tree t) {
    td_vec3 linear, angular;
    td_body_momentum(t.state, &linear, &angular);
    return angular.z;
}

TD_TEST(analytic_weld_that_begins_in_motion_keeps_the_angular_momentum) {
    const td_joint_kind joints[] = {TD_JOINT_HINGE, TD_JOINT_BALL};
    const td_integrator integrators[] = {TD_EULER, TD_RK4};
    for (int k = 0; k < 4; k++) {
        OWNED(tree) t = turning(joints[k / 2]);
        td_constraint c[2] = {td_constraint_default(TD_CONSTRAINT_WELD)};
        c[0].actor[1] = 0;
        c[0].segment[0] = 1;
        c[0].start = 0.1;
        c[1] = c[0]; // said twice
        const td_step_opts o = steps_of(integrators[k % 2], 1e-3, tdi_vec3(0, 0, 0));
        OWNED(td_analytic) *a = held(t, c, 1 + k % 2, NULL);
        const td_real start = momentum_of(t);
        advance(a, &o, NULL, 0, 100);
        const td_real before = momentum_of(t), energy = td_body_energy(t.state, o.gravity).kinetic;
        CHECK_REL(before, start, k % 2 == 0 ? 5e-3 : 1e-8);
        advance(a, &o, NULL, 0, 1);
        CHECK_REL(momentum_of(t), before, k % 2 == 0 ? 1e-3 : 1e-7);
        CHECK(td_body_energy(t.state, o.gravity).kinetic < energy); // it stops inelastically
        advance(a, &o, NULL, 0, 299);
        CHECK_REL(momentum_of(t), before, k % 2 == 0 ? 5e-3 : 1e-7);
        CHECK_IN(t.v[joints[k / 2] == TD_JOINT_BALL ? 3 : 1], -1e-6, 1e-6);
        CHECK_IN(td_analytic_constraint(a, 0).error, 0, 1e-6);
        CHECK(!td_analytic_constraint(a, 0).unmet);
    }
}

// The linkage closed by a pin, by two, by a hinge, by a hinge and by a weld of its neighbours:
// loops in a plane of which most of the spatial constraints say nothing new.
TD_TEST(analytic_redundant_constraints_of_a_loop_do_no_harm) {
    const td_integrator integrators[] = {TD_EULER, TD_RK4};
    for (int i = 0; i < 2; i++) {
        const td_step_opts o = steps_of(integrators[i], 1e-3, tdi_vec3(0, -9.81, 0));
        td_real angle[4], force[4];
        for (int k = 0; k < 4; k++) {
            OWNED(tree) t = linkage();
            td_constraint c[3] = {pin(2, tdi_vec3(0, 1, 0)), pin(2, tdi_vec3(0, 1, 0))};
            c[2] = td_constraint_default(TD_CONSTRAINT_HINGE);
            c[2].segment[0] = 2;
            c[2].point[0] = tdi_vec3(0, 1, 0);
            c[2].axis[0] = tdi_vec3(0, 0, 1);
            OWNED(td_analytic) *a =
                k == 2 ? held(t, c + 2, 1, NULL) : held(t, c, k == 3 ? 3 : k + 1, NULL);
            advance(a, &o, NULL, 0, 400);
            angle[k] = crank_angle(t);
            force[k] = td_analytic_constraint(a, 0).force.y;
            CHECK(!td_analytic_constraint(a, 0).unmet);
        }
        for (int k = 1; k < 4; k++) {
            CHECK_SAY(fabs(angle[k] - angle[0]) < 1e-7, "case %d: %.12g, alone %.12g", k, angle[k],
                      angle[0]);
        }
        CHECK_REL(2 * force[1], force[0], 1e-6); // shared
    }
}

// Two links that a weld and a hinge make one, on a stop: one-sided rows besides redundant ones.
TD_TEST(analytic_redundant_constraints_of_a_rod_on_a_limit_do_no_harm) {
    td_real end[2];
    for (int k = 0; k < 2; k++) {
        td_segment_def defs[2] = {bar(TD_NONE, 0.5, TD_JOINT_HINGE), bar(0, 0.5, TD_JOINT_HINGE)};
        td_segment_def whole = bar(TD_NONE, 1, TD_JOINT_HINGE);
        defs[0].rest = whole.rest = turn_to(0, TDI_PI / 2);
        OWNED(tree) t = k == 0 ? tree_of(&whole, 1, TD_LAW_LINEAR, NULL)
                               : tree_of(defs, 2, TD_LAW_LINEAR, NULL);
        td_constraint c[3] = {td_constraint_default(TD_CONSTRAINT_LIMIT),
                              td_constraint_default(TD_CONSTRAINT_WELD),
                              td_constraint_default(TD_CONSTRAINT_HINGE)};
        c[0].low = -0.5;
        c[1].actor[1] = c[2].actor[1] = 0;
        c[1].segment[0] = c[2].segment[0] = 1;
        c[2].axis[0] = tdi_vec3(0, 0, 1);
        const td_step_opts o = steps_of(TD_RK4, 1e-3, tdi_vec3(0, -9.81, 0));
        OWNED(td_analytic) *a = held(t, c, k == 0 ? 1 : 3, NULL);
        advance(a, &o, NULL, 0, 600);
        end[k] = td_body_tip(t.state, k).y;
    }
    CHECK_IN(end[1] - end[0], -1e-5, 1e-5);
    CHECK_IN(end[0], -sin(0.5) - 1e-3, -sin(0.5) + 1e-3);
}

// ---- contact --------------------------------------------------------------------------------

static tree free_rod(td_quat turn, td_vec3 at) {
    td_segment_def def = bar(TD_NONE, 1, TD_JOINT_FREE);
    def.attach_at_tip = false;
    def.attach = at;
    def.rest = turn;
    def.second_moment.xx = def.second_moment.zz = 1e-4 / 4;
    return tree_of(&def, 1, TD_LAW_LINEAR, NULL);
}

TD_TEST(analytic_rod_falls_on_a_plane_and_lies_still) {
    OWNED(tree) t = free_rod(turn_to(0.2, TDI_PI / 2), tdi_vec3(0, 0.5, 0));
    const td_collider plane = td_collider_default(TD_COLLIDER_PLANE);
    td_analytic_opts opts = td_analytic_opts_default();
    opts.restitution = 0.3;
    const td_step_opts o = steps_of(TD_EULER, 1e-3, tdi_vec3(0, -9.81, 0));
    OWNED(td_analytic) *a = held(t, NULL, 0, &opts);
    advance(a, &o, &plane, 1, 3000);
    const td_vec3 ends[2] = {td_body_origin(t.state, 0), td_body_tip(t.state, 0)};
    CHECK_IN(ends[0].y, 0.01 - 1e-6, 0.01 + 1e-5);
    CHECK_IN(ends[1].y, 0.01 - 1e-6, 0.01 + 1e-5);
    CHECK_IN(largest(t.v, 6), 0, 1e-6); // resting contact does not jitter
    td_analytic_contact contacts[4];
    CHECK_INT(td_analytic_contacts(a, contacts, 4), 2);
    CHECK_REL(contacts[0].force.y + contacts[1].force.y, 9.81, 1e-6);
}

// Two of a kind, whose highest points are at the origin and at (1, 0, 0).
static void pair_of(td_collider_kind kind, td_collider pair[2]) {
    for (int k = 0; k < 2; k++) {
        pair[k] = td_collider_default(kind);
        pair[k].friction = 0.5;
        if (kind == TD_COLLIDER_BOX) {
            pair[k].sides = tdi_vec3(0.2, 0.4, 0.2);
        } else if (kind != TD_COLLIDER_PLANE) {
            pair[k].radius = 0.2;
        }
        if (kind == TD_COLLIDER_CAPSULE) {
            pair[k].length = 0.3;
            pair[k].rotation = tdi_quat_turn(tdi_vec3(1, 0, 0), TDI_PI / 2);
        }
        pair[k].position = tdi_vec3(k, kind == TD_COLLIDER_PLANE ? 0 : -0.2, 0);
        pair[k].position0 = pair[k].position;
        pair[k].rotation0 = pair[k].rotation;
    }
}

TD_TEST(analytic_rod_lies_still_on_colliders_of_every_kind) {
    static const td_collider_kind kinds[] = {TD_COLLIDER_PLANE, TD_COLLIDER_SPHERE,
                                             TD_COLLIDER_CAPSULE, TD_COLLIDER_BOX};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        td_collider pair[2];
        OWNED(tree) t = free_rod(turn_to(0, TDI_PI / 2), tdi_vec3(0, 0.012, 0));
        const int32_t count = kinds[k] == TD_COLLIDER_PLANE ? 1 : 2;
        const td_step_opts o = steps_of(TD_EULER, 1e-3, tdi_vec3(0, -9.81, 0));
        OWNED(td_analytic) *a = held(t, NULL, 0, NULL);
        pair_of(kinds[k], pair);
        advance(a, &o, pair, count, 500);
        CHECK_IN(td_body_origin(t.state, 0).y, 0.01 - 1e-6, 0.01 + 1e-5);
        CHECK_IN(td_body_tip(t.state, 0).y, 0.01 - 1e-6, 0.01 + 1e-5);
        CHECK_IN(largest(t.v, 6), 0, 1e-6);
        td_analytic_contact contacts[4];
        CHECK_INT(td_analytic_contacts(a, contacts, 4), 2);
        CHECK_REL(contacts[0].force.y + contacts[1].force.y, 9.81, 1e-6);
    }
}

// The end meets the edge of a box, or is inside the box from the start. It leaves along the normal
// of the nearest place, where the force acts.
TD_TEST(analytic_rod_is_pushed_away_from_the_nearest_place_of_a_box) {
    const struct {
        td_vec3 end, normal;
    } rows[] = {
        {{0.106, 0.006, 0}, {0.7071067811865476, 0.7071067811865476, 0}},
        {{0.05, 0.006, 0}, {0, 1, 0}},
        {{0.05, -0.001, 0}, {0, 1, 0}},
        {{0.099, -0.1, 0}, {1, 0, 0}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        OWNED(tree) t = free_rod(turn_to(0, TDI_PI / 2), rows[k].end);
        const td_step_opts o = steps_of(TD_EULER, 1e-3, tdi_vec3(0, 0, 0));
        td_collider pair[2];
        td_analytic_contact contacts[4];
        OWNED(td_analytic) *a = held(t, NULL, 0, NULL);
        pair_of(TD_COLLIDER_BOX, pair);
        // it moves against the box
        const td_quat turn = turn_to(0, TDI_PI / 2);
        const td_vec3 against =
            tdi_quat_rotate(tdi_quat_conj(turn), tdi_scale(rows[k].normal, -0.1));
        t.v[3] = against.x, t.v[4] = against.y, t.v[5] = against.z;
        td_tree_state_changed(t.state);
        advance(a, &o, pair, 1, 1);
        const int32_t count = td_analytic_contacts(a, contacts, 4);
        CHECK_INT(count, 1);
        CHECK_IN(tdi_dot(contacts[0].normal, rows[k].normal), 1 - 1e-6, 1 + 1e-6);
    }
}

TD_TEST(analytic_ball_joint_follows_its_turn) {
    OWNED(tree) t = circling(0.3, 0);
    const td_quat start = {t.q[0], t.q[1], t.q[2], t.q[3]};
    const double dt = 1e-3;
    const td_step_opts o = steps_of(TD_RK4, dt, weight);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_JOINT);
    td_analytic *a = NULL;
    double lag = 0;
    c.as_found = false;
    c.target.joint = tdi_turn_vector(start);
    a = held(t, &c, 1, NULL);
    for (int k = 1; k <= 500; k++) {
        const double way = 0.8 * k * dt * k * dt;
        td_constraint_target to = c.target;
        to.joint = tdi_madd(to.joint, tdi_vec3(0.5, 1, -0.7), way);
        CHECK(td_analytic_set_target(a, 0, &to, NULL) == TD_OK);
        if (!advance(a, &o, NULL, 0, 1)) {
            break;
        }
        const td_quat q = {t.q[0], t.q[1], t.q[2], t.q[3]};
        lag = fmax(lag, tdi_norm(tdi_sub(tdi_turn_vector(q), to.joint)));
    }
    td_analytic_free(a);
    CHECK_IN(lag, 0, 2e-5);
}

TD_TEST(analytic_refusals_of_states_colliders_and_hits_name_what_is_wrong) {
    OWNED(tree) t = hanging(2, TD_JOINT_BALL), other = hanging(2, TD_JOINT_BALL);
    td_body *both[2] = {t.state, other.state}, *none[1] = {NULL};
    td_analytic_opts opts = td_analytic_opts_default();
    td_constraint c = pin(1, tdi_vec3(0, 0, 0));
    td_analytic *a = NULL;
    td_diag diag = {.message = ""};
    opts.law = (td_impact_law)7;
    CHECK_INT(td_analytic_new(&t.state, 1, NULL, 0, &opts, NULL, &a, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "unknown law 7");
    opts = td_analytic_opts_default();
    CHECK_INT(td_analytic_new(NULL, 0, NULL, 0, &opts, NULL, &a, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "there must be a state at least");
    CHECK_INT(td_analytic_new(none, 1, NULL, 0, &opts, NULL, &a, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "body 0 is not a tree");
    c.actor[0] = 3;
    CHECK_INT(td_analytic_new(&t.state, 1, &c, 1, &opts, NULL, &a, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "there is no such actor");
    c = pin(1, tdi_vec3(NAN, 0, 0));
    CHECK_INT(td_analytic_new(&t.state, 1, &c, 1, &opts, NULL, &a, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "point");
    CHECK_INT(td_analytic_new(both, 2, NULL, 0, &opts, NULL, &a, &diag), TD_OK);
    td_step_opts o[2] = {steps_of(TD_EULER, 1e-3, weight), steps_of(TD_EULER, 2e-3, weight)};
    CHECK_INT(td_analytic_step(a, o, NULL, 0, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "dt and integrator must be the same for all states");
    const td_real heights[4] = {0, 0, 0, 0};
    td_height_field *field = NULL;
    CHECK_INT(td_height_field_new(2, 2, 1, heights, NULL, &field, &diag), TD_OK);
    td_collider ground = td_collider_default(TD_COLLIDER_HEIGHT_FIELD);
    ground.field = field;
    o[1] = o[0];
    CHECK_INT(td_analytic_step(a, o, &ground, 1, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "collider 0 is a height field");
    td_height_field_free(field);
    td_hit hit = {.normal = {0, 1, 0}, .segment = 9};
    CHECK_INT(td_analytic_impact(a, &hit, 1, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "hit 0: there is no such segment");
    hit.segment = 0;
    hit.normal.y = 2;
    CHECK_INT(td_analytic_impact(a, &hit, 1, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "hit 0: normal must have length 1");
    td_analytic_free(a);
}

// Contact, both laws of friction, and impacts need rows: too few are an error.
TD_TEST(analytic_contact_with_too_few_rows_is_refused) {
    for (int32_t rows = 1; rows <= 5; rows++) {
        for (int law = 0; law < 2; law++) {
            OWNED(tree) t = free_rod(turn_to(0, TDI_PI / 2), tdi_vec3(0, 0.0099, 0));
            td_collider plane = td_collider_default(TD_COLLIDER_PLANE);
            td_analytic_opts opts = td_analytic_opts_default();
            td_diag diag = {.message = ""};
            const td_step_opts o = steps_of(TD_EULER, 1e-3, weight);
            td_hit hits[2] = {{.normal = {0, 1, 0}, .friction = 0.5}, {.normal = {0, 1, 0}}};
            hits[1].point.y = 1;
            plane.friction = 0.5;
            opts.row_limit = rows;
            opts.one_way = law == 1;
            OWNED(td_analytic) *a = held(t, NULL, 0, &opts);
            const td_status status = td_analytic_step(a, &o, &plane, 1, NULL, &diag);
            CHECK_INT(status, rows < (law == 1 ? 4 : 6) ? TD_ERR_LIMIT : TD_OK);
            CHECK(status == TD_OK || strstr(diag.message, "row_limit"));
            CHECK_INT(td_analytic_impact(a, hits, 2, NULL, &diag), rows < 4 ? TD_ERR_LIMIT : TD_OK);
        }
    }
}

TD_TEST(analytic_refusals_name_what_is_wrong) {
    OWNED(tree) t = hanging(2, TD_JOINT_BALL);
    td_constraint c = td_constraint_default(TD_CONSTRAINT_GEAR);
    td_analytic_opts opts = td_analytic_opts_default();
    OWNED(td_analytic) *a = NULL;
    td_diag diag = {.message = ""};
    c.actor[1] = 0;
    c.segment[1] = 1;
    CHECK(td_analytic_new(&t.state, 1, &c, 1, &opts, NULL, &a, &diag) == TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "hinge"));
    c = pin(7, tdi_vec3(0, 0, 0));
    CHECK(td_analytic_new(&t.state, 1, &c, 1, &opts, NULL, &a, &diag) == TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "segment"));
    c = pin(1, tdi_vec3(0, 0, 0));
    opts.restitution = 2;
    CHECK(td_analytic_new(&t.state, 1, &c, 1, &opts, NULL, &a, &diag) == TD_ERR_ARGUMENT);
    opts = td_analytic_opts_default();
    opts.row_limit = 2;
    CHECK(td_analytic_new(&t.state, 1, &c, 1, &opts, NULL, &a, &diag) == TD_OK);
    td_step_opts o = steps_of(TD_EULER, 1e-3, tdi_vec3(0, -9.81, 0));
    CHECK(td_analytic_step(a, &o, NULL, 0, NULL, &diag) == TD_ERR_LIMIT);
    o.integrator = TD_IMPLICIT;
    CHECK(td_analytic_step(a, &o, NULL, 0, NULL, &diag) == TD_ERR_ARGUMENT);
}

// ---- saving and letting go ------------------------------------------------------------------

TD_TEST(analytic_restored_goes_on_to_the_bit) {
    OWNED(tree) t = linkage();
    const td_constraint c = pin(2, tdi_vec3(0, 1, 0));
    const td_step_opts o = steps_of(TD_EULER, 1e-3, tdi_vec3(0, -9.81, 0));
    OWNED(td_analytic) *a = held(t, &c, 1, NULL);
    td_real q[2][3], v[3];
    FREED void *bytes = malloc(td_analytic_save_size(a));
    advance(a, &o, NULL, 0, 100);
    td_analytic_save(a, bytes);
    memcpy(q[0], td_tree_coords(t.state), sizeof q[0]);
    memcpy(v, td_tree_velocities(t.state), sizeof v);
    td_real end[2][3];
    for (int pass = 0; pass < 2; pass++) {
        advance(a, &o, NULL, 0, 50);
        memcpy(end[pass], td_tree_coords(t.state), sizeof end[pass]);
        CHECK_INT(td_analytic_solution(a).verdict, TD_LCP_SOLVED);
        char *damaged = bytes;
        damaged[3] ^= 4;
        CHECK_INT(td_analytic_restore(a, bytes, td_analytic_save_size(a), NULL), TD_ERR_SYNTAX);
        damaged[3] ^= 4;
        CHECK_INT(td_analytic_restore(a, bytes, td_analytic_save_size(a), NULL), TD_OK);
        memcpy(td_tree_coords(t.state), q[0], sizeof q[0]);
        memcpy(td_tree_velocities(t.state), v, sizeof v);
        td_tree_state_changed(t.state);
    }
    CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0);
}

TD_TEST(analytic_constraint_that_is_let_go_holds_no_more) {
    OWNED(tree) t = linkage();
    const td_constraint c = pin(2, tdi_vec3(0, 1, 0));
    const td_step_opts o = steps_of(TD_EULER, 1e-3, tdi_vec3(0, -9.81, 0));
    OWNED(td_analytic) *a = held(t, &c, 1, NULL);
    const td_vec3 d = {1.5, 0, 0};
    advance(a, &o, NULL, 0, 50);
    CHECK(tdi_norm(tdi_sub(td_body_tip(t.state, 2), d)) < 1e-4);
    CHECK(td_analytic_set_hold(a, 0, false, NULL) == TD_OK);
    advance(a, &o, NULL, 0, 100);
    CHECK(tdi_norm(tdi_sub(td_body_tip(t.state, 2), d)) > 1e-2);
}
