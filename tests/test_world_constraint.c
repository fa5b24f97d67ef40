// SPDX-License-Identifier: MIT
// Constraints in worlds: points that are held and led, loops that close, ropes, what starts, ends,
// breaks and contradicts itself; with every solver. Pairs with src/world/constraints.c and
// src/world/constraint_steps.c.

#include "test_world_support.h"

// m: the claim is that constraints hold at the end of every step to this
#define EXACT 1e-8

enum { SOLVERS = sizeof solvers / sizeof *solvers, TEXT = 4096 };

// Where the solver has the tip of a segment: rods stretch and helices are curved.
static td_vec3 tip(const td_world *world, int32_t actor, int32_t segment) {
    td_vec3 at = {NAN, NAN, NAN};
    if (world) {
        segment_at(world, actor, segment, NULL, &at, NULL);
    }
    return at;
}

// A strand that stands, of so many of a solver; what follows in the scene.
static const char *strand_scene(char text[TEXT], const char *solver, const char *more) {
    snprintf(text, TEXT,
             "{objects: [{name: cord, solver: %s, strand: {points: [[0, 1, 0], [0, 0.6, 0]], "
             "segments: 8, radius: 0.004}}], record: {fps: 60}, %s}",
             solver, more);
    return text;
}

static stage strand_stage(const char *solver, const char *more) {
    char text[TEXT];
    return stage_of(strand_scene(text, solver, more));
}

// ---- holding --------------------------------------------------------------------------------

TD_TEST(constraint_holds_a_point_on_its_path_at_the_end_of_every_step) {
    for (int k = 0; k < SOLVERS; k++) {
        OWNED(stage) s = strand_stage(
            solvers[k], "constraints: [{point: {name: hand, to: {keys: [[0, [0, 0.6, 0]], "
                        "[0.5, [0.15, 0.75, 0.1]], [1, [0, 0.65, -0.1]]]}, a: {segment: 7}}}]");
        td_real worst = 0;
        for (int32_t i = 0; i < 60 && s.world; i++) {
            steps(s.world, 1);
            const td_vec3 to = {get(s.world, "constraints[0].point.to.x"),
                                get(s.world, "constraints[0].point.to.y"),
                                get(s.world, "constraints[0].point.to.z")};
            worst = fmax(worst, apart(tip(s.world, 0, 7), to));
        }
        CHECK_SAY(worst <= EXACT, "%s: off by %g m", solvers[k], worst);
        CHECK_SAY(history_at(s.world, 0).unmet_at < 0, "%s", solvers[k]);
    }
}

TD_TEST(constraint_by_starts_from_where_the_point_is_when_it_begins) {
    OWNED(stage) s =
        strand_stage("tree", "loads: [{push: {force: [0.05, 0, 0], segment: 7}}], "
                             "constraints: [{point: {a: {segment: 7}, start: 0.5, by: {keys: "
                             "[[0.5, [0, 0, 0]], [1, [0, 0.1, 0]]]}}}]");
    run_to(s.world, 0.5);
    const td_vec3 begun = tip(s.world, 0, 7);
    CHECK(fabs(begun.x) > 1e-3);
    run_to(s.world, 1);
    CHECK(apart(tip(s.world, 0, 7), tdi_add(begun, tdi_vec3(0, 0.1, 0))) <= EXACT);
}

// The weight of what hangs on a held point is its force.
TD_TEST(constraint_force_is_the_weight_that_it_carries) {
    for (int k = 0; k < SOLVERS; k++) {
        char text[TEXT];
        snprintf(text, sizeof text,
                 "{objects: [{solver: %s, %s strand: {%s points: [[0, 1, 0], [0, 0.6, 0]], "
                 "segments: 8, tip_mass: 0.2}}], constraints: [{point: {name: nail, a: {segment: "
                 "0, along: 0}}}], record: {fps: 60, probes: [{constraint: nail, quantity: "
                 "force}]}}",
                 solvers[k], k == 0 ? "loose: true," : "", k == 1 ? "start: {held: free}," : "");
        if (k == 2) {
            continue; // a helix begins in its clamp
        }
        OWNED(stage) s = stage_of(text);
        steps(s.world, 30);
        td_real force[3] = {0, 0, 0}, weight = 9.81 * 0.2;
        td_world_probes(s.world, force);
        const td_actor a = actor_at(s.world, 0);
        for (int32_t i = 0; i < a.segment_count; i++) {
            weight += 9.81 * td_skeleton_segments(a.skeleton)[i].mass;
        }
        CHECK_TEXT(td_world_probe_name(s.world, 1), "nail.force.y [N]");
        CHECK_SAY(fabs(force[1] - weight) < 1e-3 * weight, "%s: %g N, weight %g N", solvers[k],
                  force[1], weight);
    }
}

// Arrows: the force of a nail on what hangs on it, at the nail.
TD_TEST(constraint_forces_are_told_with_those_of_contacts) {
    OWNED(stage) s =
        strand_stage("tree", "constraints: [{point: {a: {segment: 7}, to: [0.1, 0.65, 0]}}, "
                             "{limit: {a: {segment: 2}, cone: 90}}]");
    td_contact force[2] = {{0}};
    steps(s.world, 10);
    CHECK_INT(td_world_contacts(s.world, force, 2), 0);
    CHECK_INT(td_world_forces(s.world, NULL, 0), 1);
    CHECK_INT(td_world_forces(s.world, force, 2), 1);
    const td_constraint_report r = constraint_at(s.world, 0);
    CHECK(apart(force[0].force, r.force) == 0 && tdi_norm(r.force) > 0);
    CHECK(apart(force[0].point, tdi_vec3(0.1, 0.65, 0)) <= EXACT);
    CHECK_INT(force[0].segment, 7);
    CHECK_INT(force[0].other, 0);
}

// ---- loops ----------------------------------------------------------------------------------

// Two cords of two solvers, tied together at their ends.
static const char *tied(char text[TEXT], const char *a, const char *b, const char *more) {
    snprintf(text, TEXT,
             "{objects: [{name: left, solver: %s, strand: {points: [[-0.2, 1, 0], [0, 0.8, 0]], "
             "segments: 6, radius: 0.004}}, {name: right, solver: %s, strand: {points: [[0.2, 1, "
             "0], [0, 0.8, 0]], segments: 6, radius: 0.004}}], constraints: [{point: {name: knot, "
             "a: {object: left, segment: 5}, b: {object: right, segment: 5}%s}}], record: {fps: "
             "60}, loads: [{push: {object: left, segment: 3, force: [0.3, 0, 0.5], end: 0.3}}]}",
             a, b, more);
    return text;
}

TD_TEST(constraint_ties_two_cords_of_any_solvers_together) {
    for (int i = 0; i < SOLVERS; i++) {
        for (int j = 0; j < SOLVERS; j++) {
            char text[TEXT];
            OWNED(stage) s = stage_of(tied(text, solvers[i], solvers[j], ""));
            CHECK_SAY(apart(tip(s.world, 0, 5), tip(s.world, 1, 5)) <= EXACT,
                      "%s and %s start %g m apart", solvers[i], solvers[j],
                      apart(tip(s.world, 0, 5), tip(s.world, 1, 5)));
            td_real worst = 0;
            for (int32_t k = 0; k < 60 && s.world; k++) {
                steps(s.world, 1);
                worst = fmax(worst, apart(tip(s.world, 0, 5), tip(s.world, 1, 5)));
            }
            CHECK_SAY(worst <= EXACT, "%s and %s come %g m apart", solvers[i], solvers[j], worst);
        }
    }
}

// ---- start, end, break ----------------------------------------------------------------------

TD_TEST(constraint_holds_from_its_start_to_its_end) {
    OWNED(stage) s =
        strand_stage("tree", "loads: [{push: {force: [0.05, 0, 0], segment: 7}}], "
                             "constraints: [{point: {a: {segment: 7}, start: 0.2, end: "
                             "0.5}}]");
    run_to(s.world, 0.2);
    CHECK(!constraint_at(s.world, 0).active);
    const td_vec3 held = tip(s.world, 0, 7);
    run_to(s.world, 0.5);
    CHECK(constraint_at(s.world, 0).active);
    CHECK(apart(tip(s.world, 0, 7), held) <= EXACT);
    run_to(s.world, 0.7);
    CHECK(!constraint_at(s.world, 0).active);
    CHECK(apart(tip(s.world, 0, 7), held) > 1e-3);
}

TD_TEST(constraint_that_a_program_lets_go_of_is_free_until_it_is_held_again) {
    OWNED(stage) s = strand_stage("rod", "loads: [{push: {force: [0.05, 0, 0], segment: 7}}], "
                                         "constraints: [{point: {name: hand, a: {segment: 7}}}]");
    steps(s.world, 5);
    const td_vec3 held = tip(s.world, 0, 7);
    CHECK_INT(td_world_constraint_count(s.world), 1);
    CHECK_TEXT(td_world_constraint_name(s.world, td_world_constraint_id(s.world, 0)), "hand");
    CHECK_INT(td_world_constraint_find(s.world, "hand").place, 1);
    CHECK_INT(td_world_constraint_find(s.world, "foot").place, 0);
    CHECK_INT(td_world_set_hold(s.world, td_world_constraint_id(s.world, 0), false, NULL), TD_OK);
    steps(s.world, 20);
    const td_vec3 free_at = tip(s.world, 0, 7);
    CHECK(apart(free_at, held) > 1e-3);
    CHECK_INT(td_world_set_hold(s.world, td_world_constraint_id(s.world, 0), true, NULL), TD_OK);
    steps(s.world, 20);
    CHECK_SAY(apart(tip(s.world, 0, 7), free_at) <= EXACT, "off by %g m",
              apart(tip(s.world, 0, 7), free_at));
}

TD_TEST(constraint_breaks_at_its_force_and_stays_broken) {
    OWNED(stage) s =
        strand_stage("tree", "constraints: [{point: {a: {segment: 7}, break: 0.5}}], loads: "
                             "[{push: {segment: 7, force: {keys: [[0, [0, 0, 0]], [1, [1, 0, "
                             "0]]]}, end: 1}}]");
    run_to(s.world, 2);
    const td_constraint_history past = history_at(s.world, 0);
    // the cord takes a small part of the push, so that half of it is reached soon after half a time
    CHECK_SAY(past.broken_at > 0.4 && past.broken_at < 0.7, "broken at %g s", past.broken_at);
    CHECK(past.largest_force >= 0.5 && past.largest_force < 0.6);
    CHECK(!constraint_at(s.world, 0).active);
}

// ---- ropes ----------------------------------------------------------------------------------

TD_TEST(constraint_rope_pulls_and_never_pushes) {
    for (int k = 0; k < SOLVERS; k++) {
        OWNED(stage) s =
            strand_stage(solvers[k], "constraints: [{rope: {a: {segment: 7}, to: [0, 0.6, "
                                     "0], length: 0.05}}], loads: [{push: {segment: 7, "
                                     "force: {keys: [[0, [0, 0, 0]], [0.3, [2, 0, 0]], [0.6, "
                                     "[-2, 0, 0]], [1, [0, 0, 0]]]}}}]");
        td_real most = 0;
        bool slack = false;
        for (int32_t i = 0; i < 60 && s.world; i++) {
            steps(s.world, 1);
            const td_vec3 off = tdi_sub(tip(s.world, 0, 7), tdi_vec3(0, 0.6, 0));
            const td_constraint_report r = constraint_at(s.world, 0);
            most = fmax(most, tdi_norm(off));
            slack |= tdi_norm(r.force) == 0;
            CHECK_SAY(tdi_dot(r.force, off) <= 1e-12, "%s: the rope pushes", solvers[k]);
        }
        CHECK_SAY(most <= 0.05 + EXACT && most > 0.05 - 1e-3, "%s: %g m", solvers[k], most);
        CHECK_SAY(slack, "%s: it was never slack", solvers[k]);
    }
}

// ---- contact --------------------------------------------------------------------------------

// One end is held at 0.3 m, the other falls on the ground and comes to lean on it. All agree within
// the range of the barrier, which is 1 mm.
TD_TEST(constraint_holds_while_the_other_end_lands_with_either_method_of_contact) {
    td_real first = 0;
    for (int k = 0; k < 2 * SOLVERS; k++) {
        OWNED(stage) s = stage_printed(
            "{objects: [{name: s, solver: %s, strand: {points: [[0, 0.3, 0], [0.5, 0.3, 0]], "
            "radius: 0.005, segments: 20, start: {held: free}}}], constraints: [{point: {a: "
            "{object: s, segment: 19}, to: [0.5, 0.3, 0]}}], contact: {method: %s}, "
            "colliders: [{plane: {}}], record: {fps: 60}}",
            solvers[k / 2], methods[k % 2]);
        td_real worst = 0;
        for (int n = 0; n < 120; n++) {
            steps(s.world, 1);
            worst = fmax(worst, constraint_at(s.world, 0).error);
        }
        const td_real height = tip_of(s.world, 0, 0).y;
        CHECK_SAY(worst <= EXACT, "%s, %s: off by %g m", solvers[k / 2], methods[k % 2], worst);
        first = k == 0 ? height : first;
        CHECK_SAY(fabs(height - first) < 1e-3, "%s, %s: leans at %g m, not %g", solvers[k / 2],
                  methods[k % 2], height, first);
        CHECK(height > 0.005 && height < 0.03);
        CHECK_INT(td_world_stats(s.world).unconverged, 0);
    }
}

// ---- bits -----------------------------------------------------------------------------------

static const char many[] =
    "{objects: [{name: a, strand: {points: [[-0.2, 1, 0], [0, 0.8, 0]], segments: 6}}, {name: b, "
    "solver: rod, strand: {points: [[0.2, 1, 0], [0, 0.8, 0]], segments: 6}}, {name: c, solver: "
    "helix, strand: {points: [[0, 1, 1], [0, 0.6, 1]], segments: 6}}, {name: d, strand: {points: "
    "[[1, 1, 1], [1, 0.6, 1]], segments: 6}}], constraints: [{point: {a: {object: a, segment: 5}, "
    "b: {object: b, segment: 5}, break: 30}}, {point: {a: {object: c, segment: 5}, start: 0.3, by: "
    "{keys: [[0.3, [0, 0, 0]], [1, [0.1, 0.1, 0]]]}}}, {rope: {a: {object: d, segment: 5}, to: "
    "[1, 0.6, 1], length: 0.02}}], loads: [{wind: {velocity: [3, 0, 1], intensity: 0.3}}], record: "
    "{fps: 60}}";

TD_TEST(constraint_worlds_have_the_same_bits_for_any_threads) {
    check_threads(many, NULL, 45);
}

TD_TEST(constraint_worlds_go_on_to_the_bit_after_a_restore) {
    check_restoring(many, 4, 11);
}

TD_TEST(constraint_steps_take_no_memory) {
    check_steps_take_no_memory(many, NULL, 40);
}

// ---- contradictions -------------------------------------------------------------------------

TD_TEST(constraint_that_cannot_be_met_is_named_and_nothing_explodes) {
    for (int k = 0; k < SOLVERS; k++) {
        OWNED(stage) s = strand_stage(
            solvers[k], "constraints: [{point: {name: far, a: {segment: 7}, to: {keys: [[0, "
                        "[0, 0.6, 0]], [1, [0, 0.2, 0]]]}}}]");
        td_real fastest = 0;
        td_vec3 before = tip(s.world, 0, 4);
        for (int32_t i = 0; i < 90 && s.world; i++) {
            steps(s.world, 1);
            const td_vec3 now = tip(s.world, 0, 4);
            fastest = fmax(fastest, apart(now, before));
            before = now;
        }
        // a cord of 0.4 m, led to 0.8 m from its clamp: a rod stretches, the others cannot
        const td_constraint_history past = history_at(s.world, 0);
        CHECK_SAY(k == 1 || (past.unmet_at > 0 && past.largest_error > 0.1),
                  "%s: unmet at %g, off by %g m", solvers[k], past.unmet_at, past.largest_error);
        CHECK_SAY(fastest < 0.1, "%s: a step moves it by %g m", solvers[k], fastest);
    }
}

TD_TEST(constraint_faults_of_worlds_have_their_places) {
#define CORD "{objects: [{name: cord, " ROPE ", position: [0, 1, 0]}], constraints:\n "
    static const fault faults[] = {
        {CORD "[{point: {a: {segment: 9}}}]}", 2, 25, "no segment with the id 9"},
        {CORD "[{weld: {a: {segment: 1}, b: {near: [0, 0.8, 0]}}}]}", 2, 31,
         "both sides are on the same segment"},
        {CORD "[{rope: {a: {segment: 3}, to: [1, 1, 0], length: 1}}]}", 2, 51,
         "the rope is 1 m long, but its ends are drawn"},
        {CORD "[{point: {name: one, a: {segment: 3}}},\n"
              "  {point: {a: {segment: 3}, to: [1, 1, 0]}}]}",
         3, 33, "the constraint 'one' holds the same point"},
        {CORD "[{gear: {a: {segment: 1}, b: {segment: 2}}}]}", 2, 14, "needs hinges or slides"},
        {"{objects: [{solver: rod, " ROPE "}], constraints:\n [{limit: {a: {segment: 1}, cone: "
         "10}}]}",
         2, 15, "has no joints that constraints hold"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}

// Two that agree, one of which is redundant, are held as one is.
TD_TEST(constraint_that_is_given_twice_is_held_once) {
    OWNED(stage) s =
        strand_stage("tree", "constraints: [{point: {a: {segment: 7}}}, {point: {a: "
                             "{segment: 7}}}], loads: [{push: {segment: 4, force: [0.5, 0, "
                             "0]}}]");
    const td_vec3 from = tip(s.world, 0, 7);
    steps(s.world, 30);
    CHECK(apart(tip(s.world, 0, 7), from) <= EXACT);
    CHECK(history_at(s.world, 0).unmet_at < 0);
    CHECK(history_at(s.world, 1).unmet_at < 0);
}

// ---- explicit integrators -------------------------------------------------------------------

// Four bars, all loose: only the constraints hold them.
static const char *bars(char text[TEXT], const char *integrator) {
    snprintf(
        text, TEXT,
        "{objects: [{name: crank, loose: true, start: drawn, integrator: %s, strand: {points: "
        "[[0, 0, 0], [0.3, 0, 0]], segments: 1, radius: 0.01}}, {name: rocker, loose: true, "
        "start: drawn, integrator: %s, position: [0.8, 0, 0], strand: {points: [[0, 0, 0], [0, "
        "0.6, 0]], segments: 1, radius: 0.01}}, {name: coupler, loose: true, start: drawn, "
        "integrator: %s, strand: {points: [[0.3, 0, 0], [0.8, 0.6, 0]], segments: 1, radius: "
        "0.01}}], constraints: [{hinge: {a: {object: crank, segment: 0, along: 0}}}, {hinge: "
        "{a: {object: coupler, segment: 0, along: 0}, b: {object: crank, segment: 0}}}, "
        "{hinge: {a: {object: coupler, segment: 0}, b: {object: rocker, segment: 0}}}, "
        "{hinge: {a: {object: rocker, segment: 0, along: 0}}}], record: {fps: 1000}}",
        integrator, integrator, integrator);
    return text;
}

TD_TEST(constraint_linkage_moves_alike_by_explicit_and_implicit_integrators) {
    static const char *const names[] = {"rk4", "euler"};
    static const double limits[] = {2e-4, 5e-3}; // those of implicit steps and of euler at 1 ms
    char text[TEXT];
    OWNED(stage) want = stage_of(bars(text, "implicit"));
    steps(want.world, 300);
    for (int k = 0; k < 2; k++) {
        OWNED(stage) s = stage_of(bars(text, names[k]));
        steps(s.world, 300);
        CHECK_SAY(apart(tip(s.world, 2, 0), tip(want.world, 2, 0)) < limits[k], "%s: %g m",
                  names[k], apart(tip(s.world, 2, 0), tip(want.world, 2, 0)));
        CHECK_SAY(apart(tip(s.world, 2, 0), tip(s.world, 1, 0)) < (k == 0 ? 1e-8 : 1e-4),
                  "%s: open by %g m", names[k], apart(tip(s.world, 2, 0), tip(s.world, 1, 0)));
        CHECK(constraint_at(s.world, 0).active);
        CHECK(tdi_norm(constraint_at(s.world, 0).force) > 0.01);
    }
    CHECK(apart(tip(want.world, 2, 0), tdi_vec3(0.8, 0.6, 0)) > 0.05);
}

TD_TEST(constraint_linkage_by_rk4_goes_on_to_the_bit_after_a_restore) {
    char text[TEXT];
    check_restoring(bars(text, "rk4"), 3, 100);
}

// Three links that fall; a constraint on the end of the last begins after 0.3 s.
static const char *falling(char text[TEXT], const char *integrator, int rate, const char *hold) {
    snprintf(text, TEXT,
             "{step: 1/%d, air_density: 0, objects: [{integrator: %s, start: drawn, strand: "
             "{points: [[0, 0, 0], [0.5785, -0.6894, 0]], segments: 3, radius: 0.02, density: "
             "500}, joints: [{ball: {}}]}], constraints: [%s], record: {fps: 100}}",
             rate, integrator, hold);
    return text;
}

static td_real energy_of(td_world *w) {
    const td_energy e = sums_at(w, 0).energy;
    return e.kinetic + e.elastic + e.weight;
}

// The drawn place of the end does not matter. Motion against the constraint stops at once, and the
// energy after that is that of implicit steps.
TD_TEST(constraint_that_begins_late_holds_where_the_point_is_with_every_integrator) {
    static const char *const names[] = {"rk4", "euler"};
    static const double limits[] = {1e-8, 1e-5}; // m: euler is off by h^2 times the acceleration
    static const struct {
        const char *hold;
        td_vec3 by; // m: at 0.35 s
    } cases[] = {
        {"{point: {a: {segment: 2}, start: 0.3}}", {0, 0, 0}},
        {"{weld: {a: {segment: 2}, start: 0.3}}", {0, 0, 0}},
        {"{point: {a: {segment: 2}, start: 0.3, by: {keys: [[0.3, [0, 0, 0]], [1.3, [0, 0.4, "
         "0.2]]], "
         "interpolate: linear}}}",
         {0, 0.02, 0.01}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[TEXT];
        OWNED(stage) want = stage_of(falling(text, "implicit", 8000, cases[c].hold));
        run_to(want.world, 0.35);
        for (int k = 0; k < 2; k++) {
            OWNED(stage) s = stage_of(falling(text, names[k], 2000, cases[c].hold));
            run_to(s.world, 0.3);
            const td_real before = energy_of(s.world);
            const td_vec3 begun = tip(s.world, 0, 2);
            CHECK(apart(begun, tdi_vec3(0.5785, -0.6894, 0)) > 0.1);
            run_to(s.world, 0.35);
            const td_vec3 at = tdi_add(begun, cases[c].by);
            CHECK_SAY(apart(tip(s.world, 0, 2), at) < limits[k], "%s, case %d: off by %g m",
                      names[k], (int)c, apart(tip(s.world, 0, 2), at));
            CHECK_SAY(fabs(energy_of(s.world) - energy_of(want.world)) < 2e-3 &&
                          fabs(before - energy_of(s.world)) > 0.1,
                      "%s, case %d: %g J, was %g J, implicit %g J", names[k], (int)c,
                      energy_of(s.world), before, energy_of(want.world));
        }
    }
}

TD_TEST(constraint_that_is_held_again_by_rk4_holds_where_the_point_is_then) {
    char text[TEXT];
    OWNED(stage) s = stage_of(falling(text, "rk4", 2000, "{point: {a: {segment: 2}}}"));
    const td_vec3 first = tip(s.world, 0, 2);
    CHECK_INT(td_world_set_hold(s.world, td_world_constraint_id(s.world, 0), false, NULL), TD_OK);
    run_to(s.world, 0.2);
    const td_vec3 then = tip(s.world, 0, 2);
    const td_real before = energy_of(s.world);
    CHECK(apart(first, then) > 0.1);
    CHECK_INT(td_world_set_hold(s.world, td_world_constraint_id(s.world, 0), true, NULL), TD_OK);
    run_to(s.world, 0.3);
    CHECK_SAY(apart(tip(s.world, 0, 2), then) < 1e-6, "off by %g m",
              apart(tip(s.world, 0, 2), then));
    CHECK_SAY(energy_of(s.world) < before, "%g J, was %g J", energy_of(s.world), before);
}

// Saves at the step before the constraint begins, when it begins, and after that.
TD_TEST(constraint_that_begins_late_by_rk4_goes_on_to_the_bit_after_a_restore) {
    char text[TEXT];
    check_restoring(falling(text, "rk4", 2000, "{point: {a: {segment: 2}, start: 0.001}}"), 4, 1);
}

TD_TEST(constraint_of_rods_with_an_explicit_integrator_is_refused) {
    static const fault faults[] = {
        {"{objects: [{name: one, solver: rod, integrator: euler, strand: {points: [[0, 0, 0], [0, "
         "1, 0]], segments: 4}}],\n constraints: [{point: {a: {object: one}}}]}",
         2, 15, "hold no constraints of the solver 'rod'"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}

// ---- what could not be met once -------------------------------------------------------------

// The hand goes out of reach and comes back, while a weight pulls at what it holds.
TD_TEST(constraint_that_was_out_of_reach_is_met_again_under_load) {
    for (int k = 0; k < SOLVERS; k++) {
        OWNED(stage) s = strand_stage(
            solvers[k],
            "loads: [{push: {force: [0, -2, 0], segment: 7}}], constraints: [{point: {name: hand, "
            "to: {keys: [[0, [0, 0.6, 0]], [0.3, [0, 0.5, 0]], [0.5, [0, 0.5, 0]], [0.8, [0.1, "
            "0.75, 0]]]}, a: {segment: 7}}}]");
        run_to(s.world, 0.45);
        // rods stretch
        CHECK_SAY(constraint_at(s.world, 0).unmet == (k != 1), "%s", solvers[k]);
        run_to(s.world, 2.5);
        const td_constraint_report r = constraint_at(s.world, 0);
        CHECK_SAY(!r.unmet && r.error <= EXACT, "%s: off by %g m", solvers[k], r.error);
        CHECK_SAY(apart(tip(s.world, 0, 7), tdi_vec3(0.1, 0.75, 0)) <= EXACT, "%s", solvers[k]);
    }
}

// What never can be met costs little more than if it were not tried again.
TD_TEST(constraint_that_is_out_of_reach_for_long_is_tried_seldom) {
    for (int k = 0; k < SOLVERS; k++) {
        OWNED(stage) s = strand_stage(
            solvers[k], "constraints: [{point: {name: hand, to: {keys: [[0, [0, 0.6, 0]], [0.3, "
                        "[0, 0.5, 0]]]}, a: {segment: 7}}}]");
        run_to(s.world, 2);
        const td_step_stats then = s.world ? td_world_stats(s.world) : (td_step_stats){0};
        run_to(s.world, 5);
        const td_step_stats now = s.world ? td_world_stats(s.world) : (td_step_stats){0};
        CHECK_SAY(constraint_at(s.world, 0).unmet == (k != 1), "%s", solvers[k]);
        CHECK_SAY(now.iterations - then.iterations < 4 * (now.steps - then.steps),
                  "%s: %lld iterations in %lld steps", solvers[k],
                  (long long)(now.iterations - then.iterations),
                  (long long)(now.steps - then.steps));
    }
}
