// SPDX-License-Identifier: MIT
// Springs between two points of worlds: forces, energy, anchors that move, steps and saves. Pairs
// with src/law/law.h and src/world/constraint_steps.c.

#include "test_world_support.h"

enum { SOLVERS = sizeof solvers / sizeof *solvers, TEXT = 4096 };

static td_vec3 tip(const td_world *w, int32_t actor, int32_t segment) {
    td_vec3 at = {NAN, NAN, NAN};
    segment_at(w, actor, segment, NULL, &at, NULL);
    return at;
}

static td_vec3 origin(const td_world *w, int32_t actor) {
    td_vec3 at = {NAN, NAN, NAN};
    segment_at(w, actor, 0, &at, NULL, NULL);
    return at;
}

static td_real total(td_energy e) {
    return e.kinetic + e.elastic + e.weight;
}

static td_real mass_of(const td_world *w, int32_t actor) {
    const td_actor a = actor_at(w, actor);
    td_real sum = 0;
    for (int32_t i = 0; i < a.segment_count; i++) {
        sum += td_skeleton_segments(a.skeleton)[i].mass;
    }
    return sum;
}

static td_real energy_at(const td_world *w, int32_t constraint) {
    return td_world_constraint_energy(w, td_world_constraint_id(w, constraint));
}

// A stick along X from `x` to `x + length`, which nothing holds.
static const char *stick(char text[512], const char *solver, td_real x, td_real length) {
    const bool tree = strcmp(solver, "tree") == 0;
    snprintf(text, 512,
             "{name: %s, solver: %s, %s start: drawn, relaxation_time: 0, position: [%g, 0, 0], "
             "strand: {%s "
             "points: [[0, 0, 0], [%g, 0, 0]], segments: %d, radius: 0.01, material: green-wood, "
             "damping_time: 0}}",
             x > 0 ? "other" : "one", solver, tree ? "loose: true," : "", x,
             tree ? "" : "start: {held: free},", length, tree ? 1 : 3);
    return text;
}

// Two sticks end to end on a line, joined by a spring across the gap of 0.5 m.
static stage two_masses(const char *a, const char *b, td_real step, const char *spring) {
    char one[512], other[512];
    return stage_printed("{gravity: [0, 0, 0], air_density: 0, step: %.17g, tolerance: 1e-12, "
                         "objects: [%s, %s], constraints: [{spring: {a: {segment: 0, along: 0, "
                         "object: one}, b: {segment: 0, along: 0, object: other}, %s}}]}",
                         step, stick(one, a, 0, -0.3), stick(other, b, 0.5, 0.3), spring);
}

// One stick that a spring of 0.5 m joins to the world.
static stage one_mass(td_real step, const char *spring) {
    char one[512];
    return stage_printed("{gravity: [0, 0, 0], air_density: 0, step: %.17g, tolerance: 1e-12, "
                         "objects: [%s], constraints: [{spring: {a: {segment: 0, along: 0}, %s}}]}",
                         step, stick(one, "tree", 0, -0.3), spring);
}

// ---- two masses -----------------------------------------------------------------------------

// The stretch of two masses on a spring follows s'' = -K (1/m1 + 1/m2) s.
TD_TEST(spring_between_two_masses_of_any_solvers_oscillates_and_keeps_its_energy) {
    static const char *const pairs[][2] = {{"tree", "tree"}, {"tree", "rod"}, {"rod", "rod"}};
    const td_real k = 20, s0 = 0.1, dt = 1e-4;
    for (int i = 0; i < 3; i++) {
        OWNED(stage) s = two_masses(pairs[i][0], pairs[i][1], dt, "length: 0.4, stiffness: 20");
        const td_real rate = sqrt(k / mass_of(s.world, 0) + k / mass_of(s.world, 1));
        const td_real began = total(td_world_sums(s.world).energy);
        CHECK_REL(began, 0.5 * k * s0 * s0, 1e-12);
        td_real off = 0, lost = 0, wrong = 0;
        for (int32_t n = 1; n <= 1500; n++) {
            steps(s.world, 1);
            const td_real stretch = apart(origin(s.world, 0), origin(s.world, 1)) - 0.4,
                          stored = 0.5 * k * stretch * stretch;
            off = fmax(off, fabs(stretch - s0 * cos(rate * n * dt)));
            wrong = fmax(wrong, fabs(energy_at(s.world, 0) - stored));
            lost = fmax(lost, fabs(total(td_world_sums(s.world).energy) - began));
        }
        // 4 rad of a motion whose step is 0.003 rad; rods have waves along them
        CHECK_SAY(off < 1e-3 * s0, "%s, %s: off by %g m", pairs[i][0], pairs[i][1], off);
        CHECK_SAY(lost < 1e-2 * began, "%s, %s: lost %g of %g J", pairs[i][0], pairs[i][1], lost,
                  began);
        CHECK_SAY(wrong < 1e-12, "%s, %s: %g J", pairs[i][0], pairs[i][1], wrong);
    }
}

TD_TEST(spring_energy_is_part_of_the_sums_of_a_world_and_of_no_actor) {
    OWNED(stage) s = two_masses("tree", "tree", 1e-3, "length: 0.4, stiffness: 20");
    steps(s.world, 10);
    const td_energy all = td_world_sums(s.world).energy, one = sums_at(s.world, 0).energy,
                    other = sums_at(s.world, 1).energy;
    CHECK_REL(all.kinetic, one.kinetic + other.kinetic, 1e-14);
    CHECK_REL(all.elastic, energy_at(s.world, 0), 1e-14);
    CHECK(energy_at(s.world, 0) > 0 && one.elastic == 0);
    const td_constraint_id id = td_world_constraint_id(s.world, 0);
    CHECK_INT(td_world_set_hold(s.world, id, false, NULL), TD_OK);
    CHECK(energy_at(s.world, 0) == 0); // a spring that acts on nothing stores nothing
    CHECK(td_world_constraint_energy(s.world, (td_constraint_id){9, 9, 9}) == 0);
}

// ---- forces ---------------------------------------------------------------------------------

// A stick hangs between two cords of any solvers: what both springs pull is its weight.
TD_TEST(spring_stretches_at_rest_by_the_weight_over_its_stiffness) {
    for (int k = 0; k < SOLVERS * SOLVERS; k++) {
        const char *a = solvers[k / SOLVERS], *b = solvers[k % SOLVERS];
        OWNED(stage) s = stage_printed(
            "{objects: [{name: top, solver: %s, strand: {points: [[0, 1, 0], [0, 0.8, 0]], "
            "segments: 4, radius: 0.004}}, {name: mass, loose: true, strand: {points: [[0, 0.6, "
            "0], [0, 0.5, 0]], segments: 1, radius: 0.01, material: green-wood}}, {name: bottom, "
            "solver: %s, strand: {points: [[0, 0.1, 0], [0, 0.3, 0]], segments: 4, radius: 0.004}}"
            "], constraints: [{spring: {a: {object: mass, segment: 0, along: 0}, b: {object: top, "
            "segment: 3}, length: 0.2, stiffness: 40}}, {spring: {a: {object: bottom, segment: 3}, "
            "b: {object: mass, segment: 0}, length: 0.15, stiffness: 30, damping: 1}}]}",
            a, b);
        const td_real up = apart(origin(s.world, 1), tip(s.world, 0, 3)) - 0.2,
                      down = apart(tip(s.world, 1, 0), tip(s.world, 2, 3)) - 0.15,
                      weight = 9.81 * mass_of(s.world, 1);
        CHECK_SAY(fabs(40 * up - 30 * down - weight) < 1e-6 * weight, "%s, %s: %g N and %g N", a, b,
                  40 * up, 30 * down);
        CHECK_REL(energy_at(s.world, 0), 20 * up * up, 1e-9);
        steps(s.world, 3);
        CHECK_REL(constraint_at(s.world, 0).force.y, 40 * up, 1e-5);
        CHECK_REL(constraint_at(s.world, 1).force.y, 30 * down, 1e-5);
    }
}

// ---- anchors that move ----------------------------------------------------------------------

// The anchor leaves at v: the stretch u follows u'' + D/m u' + K/m u = 0 from u' = v.
TD_TEST(spring_damps_the_motion_against_an_anchor_that_moves) {
    const td_real k = 20, d = 0.3, v = 0.2, dt = 1e-4, t = 0.3;
    OWNED(stage) s = one_mass(dt, "stiffness: 20, damping: 0.3, length: 0.5, to: {keys: [[0, [0.5, "
                                  "0, 0]], [1, [0.7, 0, 0]]], interpolate: linear}");
    const td_real m = mass_of(s.world, 0), decay = d / (2 * m), w = sqrt(k / m - decay * decay);
    run_to(s.world, t);
    const td_real u = v / w * exp(-decay * t) * sin(w * t), at = origin(s.world, 0).x;
    CHECK_IN(at, v * t - u - 1e-4 * v / w, v * t - u + 1e-4 * v / w);
    CHECK_IN(energy_at(s.world, 0), 0.5 * k * u * u * (1 - 1e-2), 0.5 * k * u * u * (1 + 1e-2));
}

// What rides on a base at v stretches it at v.
TD_TEST(spring_damps_the_motion_of_a_base) {
    OWNED(stage) s = stage_printed(
        "{gravity: [0, 0, 0], air_density: 0, step: 0.01, objects: [{strand: {points: [[0, 0, 0], "
        "[0.3, 0, 0]], segments: 3, radius: 0.02, material: green-wood}, position: {keys: [[0, [0, "
        "0, 0]], [1, [-0.5, 0, 0]]], interpolate: linear}}], constraints: [{spring: {a: {segment: "
        "2}, to: [1, 0, 0], length: 0.7, stiffness: 2, damping: 3}}]}");
    run_to(s.world, 0.5);
    CHECK_REL(constraint_at(s.world, 0).force.x, 2 * 0.25 + 3 * 0.5, 1e-6);
}

// ---- steps ----------------------------------------------------------------------------------

// How far a mass is off after 0.2 s in steps of `dt`, each of which is `uneven` times as long as
// the one before or after it.
static td_real error_of(td_real dt, td_real uneven) {
    OWNED(stage) s = one_mass(dt, "stiffness: 20, length: 0.4, to: [0.5, 0, 0]");
    const td_real rate = sqrt(20 / mass_of(s.world, 0));
    for (int32_t n = 0; td_world_time(s.world) < 0.2 - 1e-9; n++) {
        CHECK_INT(td_world_advance(s.world, n % 2 ? dt * uneven : dt * (2 - uneven), NULL), TD_OK);
    }
    return fabs(origin(s.world, 0).x - 0.1 * (1 - cos(rate * td_world_time(s.world))));
}

TD_TEST(spring_is_of_second_order_in_steps_of_one_length_and_of_two) {
    for (int k = 0; k < 2; k++) {
        const td_real uneven = k ? 1.25 : 1, a = error_of(1e-3, uneven), b = error_of(5e-4, uneven);
        CHECK_IN(a / b, 3.4, 4.6);
    }
}

// At 1/60 s: one that is stiffer than a step can follow keeps its length as a bar does, and one
// that is softer than anything pulls nothing.
TD_TEST(spring_may_be_as_stiff_or_as_soft_as_it_likes) {
    for (int k = 0; k < SOLVERS; k++) {
        static const char *const ties[] = {"distance: {length: 0.3,",
                                           "spring: {stiffness: 1e9, length: 0.3,",
                                           "spring: {stiffness: 1e12, length: 0.3,",
                                           "spring: {stiffness: 1e12, damping: 1e12, length: 0.3,",
                                           "spring: {stiffness: 1e-9, length: 0.3,",
                                           NULL};
        td_vec3 end[6];
        for (int i = 0; i < 6; i++) {
            char tie[256] = "";
            if (ties[i]) {
                snprintf(tie, sizeof tie,
                         "constraints: [{%s a: {segment: 5}, to: [0.3, 0.7, 0]}}],", ties[i]);
            }
            OWNED(stage) s = stage_printed(
                "{tolerance: 1e-8, objects: [{solver: %s, start: drawn, strand: {points: [[0, 1, "
                "0], [0, 0.7, 0]], "
                "segments: 6, radius: 0.004}}], %s loads: [{push: {segment: 5, force: [-0.1, 0, "
                "0.1], end: 0.2}}], record: {fps: 60}}",
                solvers[k], tie);
            steps(s.world, 40);
            const td_step_stats stats = td_world_stats(s.world);
            CHECK_SAY(stats.unconverged == 0 && stats.halved == 0 &&
                          stats.iterations < 6 * stats.steps,
                      "%s, %s: %lld iterations", solvers[k], tie, (long long)stats.iterations);
            end[i] = tip(s.world, 0, 5);
        }
        CHECK_SAY(apart(end[0], end[1]) < 1e-5, "%s: %g m", solvers[k], apart(end[0], end[1]));
        CHECK_SAY(apart(end[0], end[2]) < 1e-5, "%s: %g m", solvers[k], apart(end[0], end[2]));
        CHECK_SAY(apart(end[0], end[3]) < 1e-5, "%s: %g m", solvers[k], apart(end[0], end[3]));
        CHECK_SAY(apart(end[4], end[5]) < 1e-6, "%s: %g m", solvers[k], apart(end[4], end[5]));
        CHECK(apart(end[0], end[5]) > 1e-2);
    }
}

// Of length 0 a spring is linear in all directions, and a mass swings through its anchor.
TD_TEST(spring_of_no_length_lets_a_mass_pass_through_its_anchor) {
    char one[512];
    OWNED(stage) s = stage_printed("{gravity: [0, 0, 0], air_density: 0, step: 0.0002, tolerance: "
                                   "1e-12, objects: [%s]}",
                                   stick(one, "tree", 0, -0.3));
    td_constraint c = td_constraint_default(TD_CONSTRAINT_SPRING);
    const td_actor_id none = {0, 0, 0};
    td_constraint_id id;
    td_diag diag = {.message = ""};
    c.actor[1] = TD_NONE;
    c.as_found = false;
    c.target.length = 0;
    c.target.position = tdi_vec3(0.1, 0, 0);
    c.stiffness = 20;
    CHECK_INT(td_world_add_constraint(s.world, &c, id_at(s.world, 0), none, &id, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    const td_real rate = sqrt(20 / mass_of(s.world, 0));
    td_real off = 0;
    for (int32_t n = 1; n <= 1000; n++) {
        steps(s.world, 1);
        off = fmax(off, fabs(origin(s.world, 0).x - 0.1 * (1 - cos(rate * 2e-4 * n))));
    }
    CHECK_IN(off, 0, 1e-4);
}

// The distance has no direction at 0. Two loose sticks are pulled together from 0.3 m in one step,
// as a point does it.
TD_TEST(spring_of_no_length_may_be_as_stiff_as_a_point) {
    for (int k = 0; k < 3 * SOLVERS; k++) {
        static const char *const rates[] = {"1/240", "1/60", "1/24"};
        static const char *const ties[] = {"point: {",
                                           "spring: {length: {keys: [[0, 0]]}, stiffness: 1e12,"};
        td_real most[2] = {0, 0};
        for (int i = 0; i < 2; i++) {
            const char *solver = solvers[k / 3], *loose = k / 3 == 0 ? "loose: true, " : "";
            OWNED(stage) s = stage_printed(
                "{gravity: [0, 0, 0], air_density: 0, step: %s, objects: [\n"
                " {name: a, solver: %s, %sstart: drawn, strand: {points: [[0, 0, 0],\n"
                "  [0.2, 0.02, 0]], segments: 4, radius: 0.01, material: green-wood%s}},\n"
                " {name: b, solver: %s, %sstart: drawn, position: [0.4, 0.1, 0],\n"
                "  strand: {points: [[0, 0, 0], [0.2, 0.02, 0]], segments: 4, radius: 0.01,\n"
                "  material: green-wood%s}}],\n"
                " constraints: [{%s a: {object: a, segment: 3, along: 1},\n"
                "  b: {object: b, segment: 0, along: 0}}}]}",
                rates[k % 3], solver, loose, *loose ? "" : ", start: {held: free}", solver, loose,
                *loose ? "" : ", start: {held: free}", ties[i]);
            for (int32_t n = 0; n < 72 && s.world; n++) {
                steps(s.world, 1);
                most[i] = fmax(most[i], total(td_world_sums(s.world).energy));
            }
            const td_step_stats stats = td_world_stats(s.world);
            CHECK_SAY(stats.unconverged == 0 && stats.iterations < 8 * stats.steps,
                      "%s, %s s, %s %lld iterations, %lld parts not converged", solver,
                      rates[k % 3], ties[i], (long long)stats.iterations,
                      (long long)stats.unconverged);
        }
        // the first step, as far as this, has several minima
        CHECK_SAY(most[1] < 2.1 * most[0], "%s, %s s: %g J, a point %g J", solvers[k / 3],
                  rates[k % 3], most[1], most[0]);
    }
}

// A length may begin and end to be 0.
TD_TEST(spring_of_a_length_that_grows_from_nothing_follows_it) {
    OWNED(stage) s = stage_of(
        "{gravity: [0, 0, 0], step: 1/60, objects: [{loose: true, start: drawn, strand: {points: "
        "[[0, 0, 0], [0.2, 0, 0]], segments: 2, radius: 0.01}}], constraints: [{spring: {a: "
        "{segment: 0, along: 0}, to: [0, 0, 0], stiffness: 1e7, length: {interpolate: linear, "
        "keys: "
        "[[0, 0], [0.2, 0], [0.4, 0.1], [0.6, 0.1], [0.8, 0], [1, 0]]}}}]}");
    static const td_real wanted[] = {0, 0.1, 0};
    for (int k = 0; k < 3; k++) {
        run_to(s.world, 0.1 + 0.4 * k);
        CHECK_IN(tdi_norm(origin(s.world, 0)), wanted[k] - 1e-4, wanted[k] + 1e-4);
    }
    CHECK_INT(td_world_stats(s.world).unconverged, 0);
}

// The restored world makes the constraint before it reads the length.
TD_TEST(spring_of_no_length_goes_on_in_a_restored_world_to_the_bit) {
    static const char text[] =
        "{step: 1/60, objects: [{loose: true, start: drawn, strand: {points: "
        "[[0, 0, 0], [0.2, 0, 0]], segments: 2, radius: 0.01}}], constraints: [{spring: {a: "
        "{segment: 1, along: 1}, to: [0, 0.1, 0], stiffness: 100, length: {interpolate: linear, "
        "keys: [[0, 0.1], [0.1, 0], [0.2, 0], [0.3, 0.1]]}}}]}";
    check_restoring(text, 12, 2);
}

// ---- saves ----------------------------------------------------------------------------------

static const char many[] =
    "{objects: [{name: a, strand: {points: [[-0.2, 1, 0], [0, 0.8, 0]], segments: 6}}, {name: b, "
    "solver: rod, strand: {points: [[0.2, 1, 0], [0, 0.8, 0]], segments: 6}}, {name: c, solver: "
    "helix, strand: {points: [[0, 1, 1], [0, 0.6, 1]], segments: 6}}], constraints: [{spring: {a: "
    "{object: a, segment: 5}, b: {object: b, segment: 5}, stiffness: 30, damping: 0.2, length: "
    "0.05}}, {spring: {a: {object: b, segment: 3}, b: {object: c, segment: 5}, stiffness: 3}}, "
    "{spring: {a: {object: c, segment: 5}, start: 0.1, stiffness: 10, damping: 1, to: {keys: "
    "[[0.1, [0, 0.5, 1]], [1, [0.1, 0.6, 1]]]}}}, {spring: {a: {object: a, segment: 2}, to: [0, 1, "
    "0.2], stiffness: 5, length: {keys: [[0, 0.3], [1, 0.1]]}}}], loads: [{wind: {velocity: [3, 0, "
    "1], intensity: 0.3}}], record: {fps: 60}}";

TD_TEST(spring_worlds_go_on_to_the_bit_after_a_restore_and_with_any_threads) {
    check_restoring(many, 4, 7);
    OWNED(stage) one = stage_of(many), more = try_stage(many, 3, NULL);
    steps(one.world, 20);
    steps(more.world, 20);
    CHECK(same_bits(one.world, more.world));
    CHECK(td_world_sums(one.world).energy.elastic == td_world_sums(more.world).energy.elastic);
}

// ---- budgets --------------------------------------------------------------------------------

// A step that is cut short stops bodies that gain energy: what springs give them is no gain,
// neither those between points nor those of joints, whose stiffness a scene can change.
TD_TEST(spring_moves_what_has_one_iteration_a_step) {
    static const char *const pulls[] = {
        "stiffness: 0.01, strand: {points: [[0, 0, 0], [0, 0.4, 0]], segments: 4, material: "
        "green-wood}}], constraints: [{spring: {a: {segment: 3}, to: [0.4, 0.3, 0.1], stiffness: "
        "20, length: 0.1}}]}",
        "stiffness: 20, relaxation_time: 0, strand: {points: [[0, 0, 0], [0.1, 0.3, 0], [0.3, "
        "0.4, 0]], straight: true, segments: 4, radius: 0.004}}]}"};
    for (int k = 0; k < 2; k++) {
        td_real moved = 0;
        OWNED(stage) s = stage_printed(
            "{gravity: [0, 0, 0], air_density: 0, step: 0.0166, objects: [{start: drawn, %s",
            pulls[k]);
        CHECK_INT(td_world_set_budget(s.world, 1, 0, NULL), TD_OK);
        for (int32_t n = 0; n < 10; n++) {
            const int64_t before = td_world_stats(s.world).truncated;
            steps(s.world, 1);
            const bool truncated = td_world_stats(s.world).truncated > before;
            moved = fmax(moved, truncated ? sums_at(s.world, 0).energy.kinetic : 0);
        }
        CHECK_SAY(moved > 1e-4, "case %d: %g J", k, moved);
    }
}

// ---- refusals -------------------------------------------------------------------------------

#define STEM "objects: [{name: stem, " ROD ", relaxation_time: 0.1%s}], constraints:\n [{spring: "

TD_TEST(spring_has_no_modes_and_no_explicit_integrator) {
    OWNED(stage) s = stage_printed("{" STEM "{name: tie, a: {segment: 3}, to: [0, 1, 0]}}]}", "");
    td_mode mode;
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_modes(s.world, id_at(s.world, 0), 1, &mode, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "constraint 'tie' is a spring");
    CHECK_INT(td_world_set_hold(s.world, td_world_constraint_id(s.world, 0), false, NULL), TD_OK);
    CHECK_INT(td_world_modes(s.world, id_at(s.world, 0), 1, &mode, &diag), TD_OK);
    static const char *const explicit_ones[] = {"euler", "rk4", "adaptive"};
    for (int k = 0; k < 3; k++) {
        char text[TEXT], integrator[40];
        snprintf(integrator, sizeof integrator, ", integrator: %s", explicit_ones[k]);
        snprintf(text, sizeof text, "{" STEM "{name: tie, a: {segment: 3}, to: [0, 1, 0]}}]}",
                 integrator);
        OWNED(stage) refused = try_stage(text, 1, NULL);
        CHECK_SAY(refused.status == TD_ERR_SYNTAX, "%s is taken", explicit_ones[k]);
        CHECK_HAS(refused.diags[0].message, "implicit");
    }
}

TD_TEST(spring_refuses_numbers_that_are_none_of_its_own) {
    const td_real bad[] = {0, -1, NAN, INFINITY};
    td_diag diag = {.message = ""};
    for (int k = 0; k < 4; k++) {
        td_constraint c = td_constraint_default(TD_CONSTRAINT_SPRING);
        c.stiffness = bad[k];
        CHECK_INT(td_constraints_check(&c, 1, &diag), TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, "stiffness");
        c = td_constraint_default(TD_CONSTRAINT_SPRING);
        c.damping = bad[k];
        CHECK_INT(td_constraints_check(&c, 1, &diag), k == 0 ? TD_OK : TD_ERR_ARGUMENT);
        c.damping = 0;
        c.target.length = bad[k];
        CHECK_INT(td_constraints_check(&c, 1, &diag), k == 0 ? TD_OK : TD_ERR_ARGUMENT);
    }
#define HERE "{objects: [{" ROD "}], constraints:\n [{spring: {a: {segment: 3}, to: [0, 1, 0], "
    static const fault faults[] = {
        {HERE "stiffness: 0}}]}", 2, 56, "stiffness"},
        {HERE "stiffness: -1}}]}", 2, 56, "stiffness"},
        {HERE "damping: -1}}]}", 2, 54, "damping"},
        {HERE "length: -1}}]}", 2, 53, "length"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
}
