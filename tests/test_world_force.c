// SPDX-License-Identifier: MIT
// Forces and impulses of a program at points of segments.

#include "test_world_support.h"

#define TEXT 2048

#define BENT "[0, 0, 0], [0.2, 0.1, 0], [0.3, 0.3, 0.1]"

// An object that nothing holds, without weight and air.
static stage loose(const char *solver, const char *points, td_real step) {
    return stage_printed(
        "{gravity: [0, 0, 0], air_density: 0, tolerance: 1e-10, step: %.17g, objects: [\n"
        "{solver: %s, loose: true, start: drawn, strand: {segments: 6, radius: 0.01,\n"
        " material: green-wood, points: [%s]}}]}",
        step, solver, points);
}

static td_force_def force_at(td_world *world, int32_t segment, td_vec3 point, td_vec3 vector) {
    td_force_def def = td_force_def_default();
    def.actor = id_at(world, 0);
    def.segment = segment;
    def.point = point;
    def.vector = vector;
    return def;
}

static void impulse(td_world *world, td_force_def def) {
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_add_impulse(world, &def, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
}

static void force(td_world *world, td_force_def def) {
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_add_force(world, &def, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
}

static td_vec3 momentum(td_world *world) {
    return sums_at(world, 0).linear;
}

// ---- momentum -------------------------------------------------------------------------------

TD_TEST(impulse_changes_the_momentum_of_a_free_body_by_itself_with_every_solver) {
    static const td_real lengths[] = {1.0 / 60, 1.0 / 240, 1.0 / 35}; // s
    for (int32_t k = 0; k < td_solver_count(); k++) {
        OWNED(stage) s = loose(td_solver_get(k).name, BENT, 1.0 / 60);
        td_vec3 sum = {0, 0, 0};
        td_diag diag = {.message = ""};
        for (int32_t i = 0; i < 12; i++) {
            const td_vec3 j = tdi_vec3(1e-2 * (i % 3), -2e-2, 1e-2 * (i % 2));
            if (i % 4 == 0) {
                impulse(s.world, force_at(s.world, i % 6, tdi_vec3(0.002, 0.01 * i, 0), j));
                sum = tdi_add(sum, j);
            }
            CHECK_INT(td_world_advance(s.world, lengths[i % 3], &diag), TD_OK);
            CHECK_SAY(apart(momentum(s.world), sum) <= 1e-9 * tdi_norm(sum),
                      "%s, step %d: momentum is off by %g of %g N s", td_solver_get(k).name, (int)i,
                      apart(momentum(s.world), sum), tdi_norm(sum));
        }
    }
}

// r x J, as h goes to 0: a point beside the axis turns about it within the step.
static void check_spin(const char *solver, const char *points) {
    OWNED(stage) s = loose(solver, points, 1e-5);
    td_vec3 origin;
    td_quat turn;
    segment_at(s.world, 0, 5, &origin, NULL, &turn);
    td_force_def def = force_at(s.world, 5, tdi_add(origin, tdi_vec3(0.02, 0.03, 0.01)),
                                tdi_vec3(1e-3, 2e-3, -1e-3));
    def.point_in = TD_AXES_WORLD;
    const td_vec3 wanted = tdi_cross(def.point, def.vector);
    impulse(s.world, def);
    steps(s.world, 1);
    const td_vec3 spin = sums_at(s.world, 0).angular;
    CHECK_SAY(apart(spin, wanted) < 5e-5 * tdi_norm(wanted), "%s, %s: %g of %g N m s", solver,
              points, apart(spin, wanted), tdi_norm(wanted));
}

TD_TEST(impulse_beside_the_centre_of_mass_spins_a_free_body_as_theory_says) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        check_spin(td_solver_get(k).name, "[0, 0, 0], [0.4, 0, 0]");
        check_spin(td_solver_get(k).name, BENT);
    }
}

TD_TEST(force_acts_for_one_step_of_any_length) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        OWNED(stage) s = loose(td_solver_get(k).name, BENT, 1.0 / 60);
        const td_vec3 f = tdi_vec3(0.3, 0.1, -0.2);
        td_diag diag = {.message = ""};
        force(s.world, force_at(s.world, 2, tdi_vec3(0, 0.01, 0), f));
        force(s.world, force_at(s.world, 3, tdi_vec3(0, 0, 0), f)); // they add up
        CHECK_INT(td_world_advance(s.world, 0.01, &diag), TD_OK);
        CHECK(apart(momentum(s.world), tdi_scale(f, 0.02)) < 1e-9 * 0.02);
        steps(s.world, 5);
        CHECK(apart(momentum(s.world), tdi_scale(f, 0.02)) < 1e-9 * 0.02);
    }
}

TD_TEST(explicit_integrators_give_the_same_momentum) {
    static const char *const rules[] = {"euler", "rk4"};
    for (int k = 0; k < 2; k++) {
        OWNED(stage) s = stage_printed(
            "{gravity: [0, 0, 0], air_density: 0, step: 1e-5, objects: [{integrator: %s,\n"
            " loose: true, start: drawn, strand: {segments: 2, radius: 0.01,\n"
            " points: [[0, 0, 0], [0.3, 0, 0]]}}]}",
            rules[k]);
        const td_vec3 j = tdi_vec3(0, 1e-4, 2e-4);
        impulse(s.world, force_at(s.world, 0, tdi_vec3(0, 0.1, 0), j));
        steps(s.world, 3);
        CHECK_SAY(apart(momentum(s.world), j) < 1e-6 * tdi_norm(j), "%s: off by %g", rules[k],
                  apart(momentum(s.world), j));
    }
}

// ---- order ----------------------------------------------------------------------------------

// A clamped strand that sways.
static stage clamped(const char *solver, td_real step, const char *loads) {
    return stage_printed(
        "{gravity: [0, 0, 0], air_density: 0, tolerance: 1e-10, step: %.17g, %s objects: [\n"
        "{solver: %s, start: drawn, stiffness: 0.03, relaxation_time: 0.002,\n"
        " strand: {segments: 4, radius: 0.01, material: green-wood,\n"
        "          points: [[0, 0, 0], [0, 0.5, 0]]}}]}",
        step, loads, solver);
}

TD_TEST(force_of_every_step_moves_an_actor_as_a_push_of_the_scene_does) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        const char *solver = td_solver_get(k).name;
        OWNED(stage) a = clamped(solver, 0.01, ""),
                     b = clamped(solver, 0.01,
                                 "loads: [{push: {force: [0.05, 0, 0], start: 0.1}}],");
        for (int32_t i = 0; i < 40; i++) {
            if (i >= 10) {
                force(a.world, force_at(a.world, 3, tdi_vec3(0, 0.125, 0), tdi_vec3(0.05, 0, 0)));
            }
            steps(a.world, 1);
            steps(b.world, 1);
            CHECK_SAY(apart(tip_of(a.world, 0, -1), tip_of(b.world, 0, -1)) < 1e-9,
                      "%s, step %d: %g m apart", solver, (int)i,
                      apart(tip_of(a.world, 0, -1), tip_of(b.world, 0, -1)));
        }
        CHECK(tip_of(a.world, 0, -1).x > 1e-3);
    }
}

// The tip after 0.3 s, hit at 0.1 s.
static td_vec3 tip_after(const char *solver, td_real step) {
    OWNED(stage) s = clamped(solver, step, "");
    const int32_t count = (int32_t)(0.3 / step + 0.5);
    for (int32_t k = 0; k < count; k++) {
        if (k == count / 3) {
            impulse(s.world, force_at(s.world, 3, tdi_vec3(0, 0.1, 0), tdi_vec3(0.005, 0, 0)));
        }
        steps(s.world, 1);
    }
    const td_vec3 tip = tip_of(s.world, 0, -1);
    return tip;
}

// The step of the impulse is of first order, but errs by h^2 in all. A quarter of the step: the
// error falls to a sixteenth, but for the next order and the error of the finest motion, 1/64 of
// it.
TD_TEST(motion_after_an_impulse_is_of_second_order) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        const char *solver = td_solver_get(k).name;
        const td_vec3 fine = tip_after(solver, 0.1 / 512);
        const td_real a = apart(tip_after(solver, 0.1 / 16), fine),
                      b = apart(tip_after(solver, 0.1 / 64), fine);
        CHECK_SAY(a / b > 12, "%s: the error falls by %g from %g m", solver, a / b, a);
    }
}

// ---- axes -----------------------------------------------------------------------------------

TD_TEST(points_and_vectors_are_in_the_axes_of_the_segment_or_of_the_world) {
    OWNED(stage) a = loose("tree", BENT, 1.0 / 60), b = loose("tree", BENT, 1.0 / 60);
    td_vec3 origin;
    td_quat turn;
    impulse(a.world, force_at(a.world, 0, tdi_vec3(0, 0, 0), tdi_vec3(0.01, 0.02, 0.03)));
    impulse(b.world, force_at(b.world, 0, tdi_vec3(0, 0, 0), tdi_vec3(0.01, 0.02, 0.03)));
    steps(a.world, 10);
    steps(b.world, 10);
    segment_at(b.world, 0, 4, &origin, NULL, &turn);
    const td_vec3 own = tdi_vec3(0.01, 0.02, 0), along = tdi_vec3(0, 0.01, 0.02);
    td_force_def local = force_at(a.world, 4, own, along);
    local.vector_in = TD_AXES_SEGMENT;
    td_force_def global = force_at(b.world, 4, tdi_add(origin, tdi_quat_rotate(turn, own)),
                                   tdi_quat_rotate(turn, along));
    global.point_in = TD_AXES_WORLD;
    impulse(a.world, local);
    impulse(b.world, global);
    steps(a.world, 10);
    steps(b.world, 10);
    CHECK(apart(tip_of(a.world, 0, 5), tip_of(b.world, 0, 5)) < 1e-12);
}

// ---- the rest -------------------------------------------------------------------------------

TD_TEST(impulse_that_waits_for_the_next_step_is_part_of_a_save) {
    OWNED(stage) s = loose("rod", BENT, 1.0 / 60), late = loose("rod", BENT, 1.0 / 60);
    steps(s.world, 3);
    impulse(s.world, force_at(s.world, 5, tdi_vec3(0, 0, 0), tdi_vec3(0.01, 0, 0)));
    force(s.world, force_at(s.world, 1, tdi_vec3(0, 0, 0), tdi_vec3(0, 0.1, 0)));
    restore_from(late.world, s.world);
    check_same_way(s.world, late.world, 5);
    CHECK(momentum(late.world).x > 0.009);
}

TD_TEST(impulse_that_no_step_can_take_is_named_and_can_be_dropped) {
    static const char text[] = "{gravity: [0, 0, 0], contact: {method: exact}, objects: [{solver:\n"
                               " helix, loose: true, start: drawn, strand: {segments: 8, radius:\n"
                               " 0.01, material: green-wood, points: [" BENT "]}}]}";
    OWNED(stage) s = stage_of(text), other = stage_of(text);
    const td_vec3 aside = {0.01, 0.02, -0.03};
    td_diag diag = {.message = ""};
    force(s.world, force_at(s.world, 5, aside, tdi_vec3(0, 1, 0)));
    impulse(s.world, force_at(s.world, 5, aside, tdi_vec3(8e6, 6e6, 0)));
    for (int k = 0; k < 2; k++) {
        CHECK_INT(td_world_step(s.world, &diag), TD_ERR_DIVERGED);
        CHECK_HAS(diag.message, "; an impulse of 1e+07 N s on 'object-0' waits for the next step");
    }
    td_world_clear_forces(s.world);
    steps(s.world, 3);
    steps(other.world, 3);
    const td_real off = apart(tip_of(s.world, 0, -1), tip_of(other.world, 0, -1));
    CHECK_SAY(off < 1e-12, "%g m", off);
}

TD_TEST(impulse_wakes_a_sleeper) {
    OWNED(stage) s = stage_of("{sleep: {}, contact: {}, colliders: [{plane: {}}], objects: [\n"
                              "{loose: true, start: drawn, strand: {points: [[0, 0.0105, 0],\n"
                              " [0.2, 0.0105, 0]], segments: 2, radius: 0.01}}]}");
    const td_actor_id id = id_at(s.world, 0);
    run_to(s.world, 1.5);
    CHECK(td_world_actor_asleep(s.world, id));
    impulse(s.world, force_at(s.world, 0, tdi_vec3(0, 0, 0), tdi_vec3(0, 0.1, 0)));
    steps(s.world, 3);
    CHECK(!td_world_actor_asleep(s.world, id));
    CHECK(tip_of(s.world, 0, 0).y > 0.02);
}

TD_TEST(faulty_forces_are_refused_and_change_nothing) {
    OWNED(stage) s = loose("tree", BENT, 1.0 / 60);
    td_diag diag = {.message = ""};
    const td_vec3 none = {0, 0, 0}, up = {0, 1, 0};
    td_force_def stale = force_at(s.world, 0, none, up), far = force_at(s.world, 6, none, up),
                 wild = force_at(s.world, 0, none, tdi_vec3(NAN, 0, 0)),
                 axes = force_at(s.world, 0, none, up);
    stale.actor.generation++;
    axes.point_in = (td_axes)7;
    CHECK_INT(td_world_add_force(s.world, &stale, &diag), TD_ERR_STALE);
    CHECK_INT(td_world_add_impulse(s.world, &far, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "segment is 6; 'object-0' has 6"));
    CHECK_INT(td_world_add_force(s.world, &wild, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "vector is not finite"));
    CHECK_INT(td_world_add_impulse(s.world, &axes, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "point_in is 7"));
    CHECK_INT(td_world_add_impulse(s.world, NULL, &diag), TD_ERR_ARGUMENT);
    far = force_at(s.world, 0, none, tdi_vec3(1e300, 0, 0));
    CHECK_INT(td_world_add_impulse(s.world, &far, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "vector has the size inf; it must be at most 1e+09");
    CHECK_INT(td_world_enable_actor(s.world, id_at(s.world, 0), false, &diag), TD_OK);
    far = force_at(s.world, 0, none, up);
    CHECK_INT(td_world_add_force(s.world, &far, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "'object-0' is disabled and would not feel it; enable it");
    CHECK_INT(td_world_enable_actor(s.world, id_at(s.world, 0), true, &diag), TD_OK);
    td_grab_def grab = td_grab_def_default();
    td_grab_id id;
    grab.actor = id_at(s.world, 0);
    grab.to.y = INFINITY;
    CHECK_INT(td_world_add_grab(s.world, &grab, &id, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "to is not finite");
    grab.to = grab.point;
    grab.stiffness = 0;
    CHECK_INT(td_world_add_grab(s.world, &grab, &id, &diag), TD_OK);
    CHECK_INT(td_world_move_grab(s.world, id, tdi_vec3(0, NAN, 0), &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "to is not finite");
    CHECK_INT(td_world_reserve_grabs(s.world, -1, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "count is -1; it must not be below 0");
    steps(s.world, 2);
    CHECK_SAY(tdi_norm(momentum(s.world)) < 1e-12, "%g N s", tdi_norm(momentum(s.world)));
}
