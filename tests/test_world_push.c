// SPDX-License-Identifier: MIT
// Actors that overlap when they are placed, and are pushed apart. Pairs with
// src/world/pushed_pairs.c and src/implicit/push.c.

#include "test_world_support.h"

#include "tendril/grow.h"

#include <math.h>

#define SPEED 0.5 // m/s, the default

// Solvers and methods by turns; the last solver is a tree with fewer joints.
enum { KINDS = 4, CASES = 2 * KINDS };
static const char *solver_of(int k) {
    return k % KINDS == 3 ? "tree" : solvers[k % KINDS];
}
static const char *reduced(int k) {
    return k % KINDS == 3 ? "adapt: {error: 0.001}, " : "";
}
static const char *method_of(int k) {
    return methods[k / KINDS];
}

// A rod of 0.4 m along X and another one along Y, whose axes are so far from each other, both with
// a radius of 1 cm and free.
static stage crossing(int k, td_real distance, const char *contact) {
    return stage_printed(
        "{gravity: [0, 0, 0], contact: {method: %s, overlap: push%s}, objects: ["
        "{name: one, start: drawn, loose: true, %ssolver: %s,"
        " strand: {points: [[-0.2, 0, 0], [0.2, 0, 0]], segments: 4, radius: 0.01}},"
        "{name: two, start: drawn, loose: true, %ssolver: %s,"
        " strand: {points: [[0.03, -0.2, %.17g], [0.03, 0.2, %.17g]], segments: 4, radius: "
        "0.01}}]}",
        method_of(k), contact, reduced(k), solver_of(k), reduced(k), solver_of(k), distance,
        distance);
}

static td_real fastest(td_world *w) {
    td_real most = 0;
    for (int32_t k = 0; k < td_world_actor_count(w); k++) {
        td_vec3 v[64];
        const int32_t count = actor_at(w, k).segment_count;
        CHECK(count <= 64);
        td_world_velocities(w, id_at(w, k), v, NULL);
        for (int32_t i = 0; i < count; i++) {
            most = fmax(most, tdi_norm(v[i]));
        }
    }
    return most;
}

static td_real kinetic(td_world *w) {
    td_real sum = 0;
    for (int32_t k = 0; k < td_world_actor_count(w); k++) {
        sum += sums_at(w, k).energy.kinetic;
    }
    return sum;
}

static td_real mass(td_world *w) {
    td_real sum = 0;
    for (int32_t k = 0; k < td_world_actor_count(w); k++) {
        const td_skeleton *skeleton = actor_at(w, k).skeleton;
        for (int32_t i = 0; i < td_skeleton_count(skeleton); i++) {
            sum += td_skeleton_segments(skeleton)[i].mass;
        }
    }
    return sum;
}

// Steps until no pair is pushed: how many, or `most`. *speed: the largest.
static int32_t push_apart(td_world *w, int32_t most, td_real *speed) {
    int32_t k = 0;
    *speed = 0;
    for (; k < most && td_world_pushed(w).pairs > 0; k++) {
        steps(w, 1);
        *speed = fmax(*speed, fastest(w));
    }
    return k;
}

// ---- pairs ----------------------------------------------------------------------------------

TD_TEST(rods_through_each_other_part_at_a_bounded_speed_by_every_solver_and_method) {
    for (int k = 0; k < CASES; k++) {
        OWNED(stage) s = crossing(k, 0.004, "");
        td_real speed;
        const td_push_report first = td_world_pushed(s.world);
        CHECK(first.pairs > 0);
        CHECK_INT(first.overlapping, first.pairs);
        CHECK_IN(first.depth, 0.0155, 0.0165);
        const int32_t count = push_apart(s.world, 20, &speed);
        CHECK_SAY(count >= 2 && count <= 6, "%s, %s: %d steps", solver_of(k), method_of(k), count);
        CHECK_SAY(speed < 2 * SPEED, "%s, %s: %g m/s", solver_of(k), method_of(k), speed);
        CHECK(kinetic(s.world) < 0.5 * mass(s.world) * SPEED * SPEED);
        steps(s.world, 5); // they go on, and contact or nothing acts on them
        const td_real energy = kinetic(s.world);
        steps(s.world, 60);
        CHECK_SAY(kinetic(s.world) <= energy * (1 + 1e-6), "%s, %s: %g J, then %g J", solver_of(k),
                  method_of(k), energy, kinetic(s.world));
        CHECK_INT(td_world_pushed(s.world).pairs, 0);
    }
}

TD_TEST(push_speed_is_the_speed_at_which_surfaces_part) {
    static const td_real speeds[] = {0.05, 0.2};
    for (int k = 0; k < CASES; k++) {
        for (int n = 0; n < 2; n++) {
            char text[64];
            snprintf(text, sizeof text, ", push_speed: %g", speeds[n]);
            OWNED(stage) s = crossing(k, 0.004, text);
            const td_real before = td_world_pushed(s.world).depth;
            steps(s.world, 3);
            const td_real way = before - td_world_pushed(s.world).depth,
                          expected = 3 * speeds[n] * td_world_dt(s.world);
            CHECK_SAY(way > 0.8 * expected && way < 1.2 * expected, "%s, %s: %g m in place of %g",
                      solver_of(k), method_of(k), way, expected);
        }
    }
}

// Axes that cross have no direction between them, and equal rods at one place not even an angle.
TD_TEST(rods_whose_axes_meet_or_coincide_part_too) {
    for (int k = 0; k < CASES; k++) {
        OWNED(stage) cross = crossing(k, 0, "");
        OWNED(stage) same = stage_printed(
            "{gravity: [0, 0, 0], contact: {method: %s, overlap: push}, objects: ["
            "{start: drawn, loose: true, %ssolver: %s, strand: {points: [[-0.2, 0, 0], [0.2, 0, "
            "0]], segments: 4, radius: 0.01}, instances: {layout: list, turned: false, places: "
            "[[0, 0, 0], [0, 0, 0]]}}]}",
            method_of(k), reduced(k), solver_of(k));
        td_world *worlds[] = {cross.world, same.world};
        for (int n = 0; n < 2; n++) {
            td_real speed;
            const int32_t count = push_apart(worlds[n], 120, &speed);
            CHECK_SAY(count < 120, "%s, %s, %d: %d pairs are left", solver_of(k), method_of(k), n,
                      td_world_pushed(worlds[n]).pairs);
            CHECK_SAY(speed < 4 * SPEED, "%s, %s, %d: %g m/s", solver_of(k), method_of(k), n,
                      speed);
        }
    }
}

TD_TEST(rod_that_is_drawn_through_itself_is_pushed_apart) {
    for (int k = 0; k < CASES; k++) {
        OWNED(stage) s = stage_printed(
            "{gravity: [0, 0, 0], contact: {method: %s, overlap: push}, objects: ["
            "{start: drawn, loose: true, %ssolver: %s, strand: {points: [[-0.2, 0, 0], [0.2, 0, 0],"
            " [0.2, 0.2, 0.02], [0, 0.2, 0.02], [0, -0.2, 0.005]], segments: 20, radius: 0.01}}]}",
            method_of(k), reduced(k), solver_of(k));
        td_real speed;
        const int32_t count = push_apart(s.world, 40, &speed);
        CHECK_SAY(count < 40 && speed < 4 * SPEED, "%s, %s: %d steps, %g m/s", solver_of(k),
                  method_of(k), count, speed);
        steps(s.world, 5);
    }
}

// A step that exhausts its budget pushes no faster, whatever the state of Newton's method.
TD_TEST(rods_that_are_pushed_in_a_budget_move_at_a_bounded_speed) {
    for (int n = 0; n < CASES * 4; n++) {
        static const int32_t budgets[] = {1, 2, 4, 10};
        const int k = n / 4;
        OWNED(stage) s = crossing(k, 0.004, "");
        CHECK_INT(td_world_set_budget(s.world, budgets[n % 4], 0, NULL), TD_OK);
        for (int step = 0; step < 6; step++) {
            const td_vec3 one = tip_of(s.world, 0, 1), two = tip_of(s.world, 1, 1);
            steps(s.world, 1);
            const td_real way =
                apart(one, tip_of(s.world, 0, 1)) + apart(two, tip_of(s.world, 1, 1));
            CHECK_SAY(way < 1.5 * SPEED * td_world_dt(s.world), "%s, %s, %d iterations: %g m",
                      solver_of(k), method_of(k), (int)budgets[n % 4], way);
        }
        CHECK_INT(td_world_set_budget(s.world, 0, 0, NULL), TD_OK);
        td_real speed;
        push_apart(s.world, 20, &speed);
        CHECK(td_world_pushed(s.world).pairs == 0 && speed < 2 * SPEED);
    }
}

// Rods that cross on the ground, and between two walls that are too close for both.
TD_TEST(rods_are_pushed_apart_between_colliders_and_not_into_them) {
    for (int n = 0; n < 2 * CASES; n++) {
        const int k = n / 2, squeezed = n % 2;
        OWNED(stage) s = stage_printed(
            "{gravity: [0, %d, 0], contact: {method: %s, overlap: push}, colliders: [{plane: {}}, "
            "{box: {size: [1, 1, 1], position: [0, %g, 0]}}], objects: ["
            "{start: drawn, loose: true, %ssolver: %s,"
            " strand: {points: [[-0.2, 0.015, 0], [0.2, 0.015, 0]], segments: 4, radius: 0.01}},"
            "{start: drawn, loose: true, %ssolver: %s,"
            " strand: {points: [[0.03, 0.017, -0.2], [0.03, 0.017, 0.2]], segments: 4, radius: "
            "0.01}}]}",
            squeezed ? 0 : -10, method_of(k), squeezed ? 0.532 : 9, reduced(k), solver_of(k),
            reduced(k), solver_of(k));
        for (int step = 0; step < 40; step++) {
            steps(s.world, 1);
            td_real low = 1, high = 0;
            for (int i = 0; i < 8; i++) {
                low = fmin(low, tip_of(s.world, i / 4, i % 4).y);
                high = fmax(high, tip_of(s.world, i / 4, i % 4).y);
            }
            CHECK_SAY(low > 0.01 && (!squeezed || high < 0.022) && fastest(s.world) < 2 * SPEED,
                      "%s, %s, %d: from %g to %g m, %g m/s", solver_of(k), method_of(k), squeezed,
                      low, high, fastest(s.world));
        }
        const td_push_report last = td_world_pushed(s.world);
        CHECK_SAY((last.overlapping > 0) == squeezed && (last.depth > 0) == squeezed,
                  "%s, %s, %d: %d, %g m", solver_of(k), method_of(k), squeezed, last.overlapping,
                  last.depth);
    }
}

// ---- plants ---------------------------------------------------------------------------------

// A plant, and as many more as a program adds on a grid of 15 cm.
static void check_crowd(const char *plant, const char *solver, const char *method, int32_t wide,
                        int32_t deep) {
    OWNED(stage) s = stage_printed("{contact: {method: %s, overlap: push}, objects: [{name: plant, "
                                   "plant: %s, solver: %s, start: drawn}]}",
                                   method, plant, solver);
    td_diag diag = {.message = ""};
    for (int32_t k = 1; k < wide * deep; k++) {
        td_actor_def def = td_actor_def_default();
        td_actor_id id;
        def.position = tdi_vec3(0.15 * (k % wide), 0, 0.15 * (k / wide));
        def.rotation = tdi_quat_turn(tdi_vec3(0, 1, 0), 2.4 * k);
        CHECK_SAY(td_world_add_actor(s.world, &def, &id, &diag) == TD_OK, "%s", diag.message);
    }
    td_real speed;
    CHECK_INT(td_world_actor_count(s.world), wide * deep);
    CHECK(td_world_pushed(s.world).overlapping > wide);
    push_apart(s.world, 30, &speed);
    CHECK_INT(td_world_pushed(s.world).overlapping, 0);
    CHECK_SAY(speed < 4 * SPEED, "%s, %s: %g m/s", solver, method, speed);
    const td_real energy = kinetic(s.world);
    steps(s.world, 10);
    CHECK_SAY(kinetic(s.world) < energy, "%s, %s: %g J, then %g J", solver, method, energy,
              kinetic(s.world));
    CHECK_INT(td_world_pushed(s.world).overlapping, 0);
    CHECK_INT(td_world_stats(s.world).unconverged, 0);
}

TD_TEST(all_of_99_plants_at_15_cm_are_accepted_and_pushed_apart) {
    check_crowd("fork.lsys", "tree", "barrier", 11, 9);
}

TD_TEST(plants_of_31_segments_that_overlap_are_pushed_apart_by_all_solvers_and_methods) {
    for (int k = 0; k < 6; k++) {
        check_crowd("bush.lsys", solvers[k % 3], methods[k / 3], k == 0 ? 4 : 2, 2);
    }
}

// 21 pairs at once, of which some lie within others: with the potential's own second derivative
// Newton's method did not converge.
TD_TEST(bushes_of_rods_that_are_grown_through_each_other_converge) {
    for (int m = 0; m < 2; m++) {
        OWNED(stage) s = stage_printed(
            "{contact: {method: %s, overlap: push}, objects: [{plant: bush.lsys, solver: rod, "
            "start: drawn, instances: {count: 8, layout: grid, area: [0.6, 0, 0.3]}}]}",
            methods[m]);
        CHECK(td_world_pushed(s.world).pairs > 10);
        steps(s.world, 8);
        CHECK_INT(td_world_pushed(s.world).pairs, 0);
        const td_step_stats stats = td_world_stats(s.world);
        CHECK_SAY(stats.halved == 0 && stats.unconverged == 0 && stats.iterations < 600,
                  "%s: %d iterations, %d steps in halves", methods[m], (int)stats.iterations,
                  (int)stats.halved);
    }
}

// Stems rooted at one place cannot separate: they bend until they are in equilibrium.
TD_TEST(plants_that_are_rooted_at_one_place_stay_overlapped_without_harm) {
    for (int k = 0; k < CASES; k++) {
        OWNED(stage) s = stage_printed(
            "{contact: {method: %s, overlap: push}, sleep: {speed: 0.002, time: 0.2}, objects: "
            "[{start: drawn, %ssolver: %s, strand: {points: [[0, 0, 0], [0, 0.4, 0]], segments: 4, "
            "material: green-wood, radius: 0.01}, instances: {layout: list, turned: false, places: "
            "[[0, 0, 0], [0.003, 0, 0]]}}]}",
            method_of(k), reduced(k), solver_of(k));
        steps(s.world, 400);
        const td_push_report last = td_world_pushed(s.world);
        CHECK_SAY(last.overlapping > 0 && last.depth > 0.005, "%s, %s: %d, %g m", solver_of(k),
                  method_of(k), last.overlapping, last.depth);
        CHECK_SAY(fastest(s.world) < 0.002, "%s, %s: %g m/s", solver_of(k), method_of(k),
                  fastest(s.world));
        CHECK_SAY(tip_of(s.world, 0, -1).y > 0.3 && tip_of(s.world, 1, -1).y > 0.3,
                  "%s, %s: tips at %g and %g m", solver_of(k), method_of(k),
                  tip_of(s.world, 0, -1).y, tip_of(s.world, 1, -1).y);
        CHECK_INT(td_world_stats(s.world).unconverged, 0);
    }
}

// ---- bits -----------------------------------------------------------------------------------

#define BUSHES                                                                                  \
    "{contact: {method: %s, overlap: push}, objects: [{plant: fork.lsys, start: drawn, "        \
    "instances: {count: 8, layout: grid, area: [0.4, 0, 0.2]}}, {start: drawn, loose: true, "   \
    "%ssolver: %s, strand: {points: [[-0.3, 0.3, 0.02], [0.3, 0.31, 0]], segments: 9, radius: " \
    "0.01}}]}"

TD_TEST(world_that_pushes_has_the_same_bits_by_any_number_of_threads_and_from_any_save) {
    for (int k = 0; k < CASES; k++) {
        char text[1024];
        snprintf(text, sizeof text, BUSHES, method_of(k), reduced(k), solver_of(k));
        OWNED(stage) one = stage_of(text), again = stage_of(text);
        OWNED(stage) two = try_stage(text, 2, NULL), four = try_stage(text, 4, NULL);
        steps(again.world, 3);
        for (int n = 0; n < 4; n++) {
            FREED char *bytes = saved(one.world);
            td_diag diag = {.message = ""};
            CHECK(n > 1 || td_world_pushed(one.world).pairs > 0);
            CHECK_SAY(td_world_restore(again.world, bytes, td_world_save_size(one.world), &diag) ==
                          TD_OK,
                      "%s", diag.message);
            CHECK_INT(td_world_pushed(again.world).pairs, td_world_pushed(one.world).pairs);
            steps(one.world, 1);
            steps(again.world, 1);
            steps(two.world, 1);
            steps(four.world, 1);
            CHECK(same_bits(one.world, again.world));
            CHECK(same_bits(one.world, two.world));
            CHECK(same_bits(one.world, four.world));
            steps(again.world, 2);
        }
    }
}

static void burst(void *context, td_real time, td_actor_id actor, int32_t count,
                  const td_vec3 *tips, const td_vec3 *velocities, td_vec3 *forces) {
    (void)context, (void)time, (void)actor, (void)tips, (void)velocities;
    forces[count - 1].x = NAN;
}

TD_TEST(step_that_fails_while_actors_are_pushed_changes_nothing) {
    for (int k = 0; k < CASES; k++) {
        OWNED(stage) s = crossing(k, 0.001, ", push_speed: 0.1");
        steps(s.world, 3);
        FREED char *before = saved(s.world);
        CHECK_INT(td_world_set_field(s.world, burst, NULL, NULL), TD_OK);
        CHECK(td_world_step(s.world, NULL) != TD_OK);
        FREED char *after = saved(s.world);
        CHECK(memcmp(before, after, td_world_save_size(s.world)) == 0);
    }
}

TD_TEST(world_that_pushes_without_memory_leaves_nothing_behind) {
    char text[1024];
    snprintf(text, sizeof text, BUSHES, "barrier", "", "rod");
    check_world_without_memory(text);
}

// ---- changes --------------------------------------------------------------------------------

// An actor that is removed, disabled or placed elsewhere is pushed no more, until it returns.
TD_TEST(actor_that_is_taken_away_while_it_is_pushed_is_forgotten) {
    for (int k = 0; k < CASES; k++) {
        OWNED(stage) s = crossing(k, 0.001, ", push_speed: 0.05");
        const td_actor_id two = id_at(s.world, 1);
        const td_quat none = tdi_quat_identity();
        td_diag diag = {.message = ""};
        steps(s.world, 2);
        const int32_t pairs = td_world_pushed(s.world).pairs;
        CHECK(pairs > 0);
        CHECK_INT(td_world_enable_actor(s.world, two, false, &diag), TD_OK);
        CHECK_INT(td_world_pushed(s.world).pairs, 0);
        steps(s.world, 1);
        CHECK_INT(td_world_enable_actor(s.world, two, true, &diag), TD_OK);
        CHECK(td_world_pushed(s.world).pairs > 0);
        steps(s.world, 1);
        CHECK_INT(td_world_place_actor(s.world, two, tdi_vec3(0, 0, 1), none, &diag), TD_OK);
        CHECK_INT(td_world_pushed(s.world).pairs, 0);
        steps(s.world, 1);
        CHECK_INT(td_world_place_actor(s.world, two, tdi_vec3(0, 0, 0), none, &diag), TD_OK);
        CHECK(td_world_pushed(s.world).pairs > 0);
        CHECK_INT(td_world_remove_actor(s.world, two, &diag), TD_OK);
        CHECK_INT(td_world_pushed(s.world).pairs, 0);
        steps(s.world, 5);
    }
}

// Nothing is pushed while filters exclude it, and all of it again when they do so no more.
TD_TEST(actors_that_do_not_collide_any_more_are_not_pushed) {
    for (int k = 0; k < CASES; k++) {
        OWNED(stage) s = crossing(k, 0.001, ", push_speed: 0.05");
        const td_filter none = {1, 0}, all = td_filter_default();
        const int32_t pairs = td_world_pushed(s.world).pairs;
        steps(s.world, 2);
        CHECK_INT(td_world_set_actor_filter(s.world, id_at(s.world, 1), none, NULL), TD_OK);
        const td_push_report none_left = td_world_pushed(s.world);
        CHECK(none_left.pairs == 0 && none_left.overlapping == 0 && none_left.depth == 0);
        steps(s.world, 1);
        CHECK_INT(td_world_set_actor_filter(s.world, id_at(s.world, 1), all, NULL), TD_OK);
        CHECK_INT(td_world_pushed(s.world).pairs, pairs);
        steps(s.world, 1);
    }
}

static bool is_as_saved(const td_world *w, const char *bytes, size_t size) {
    FREED char *now = saved(w);
    return td_world_save_size(w) == size && memcmp(now, bytes, size) == 0;
}

// Also where the gap of a pair is open but for a little.
TD_TEST(change_that_is_refused_while_actors_are_pushed_changes_nothing) {
    for (int n = 0; n < CASES * 6; n++) {
        const int k = n / 6;
        OWNED(stage) s = stage_printed(
            "{gravity: [0, 0, 0], contact: {method: %s, overlap: push, push_speed: 0.2}, "
            "colliders: [{box: {size: [1, 1, 1], position: [5, 0, 0]}}, {sphere: {radius: 0.05, "
            "position: [0, 0.1, 0.01], mask: [2]}}], objects: ["
            "{start: drawn, loose: true, %ssolver: %s, strand: {points: [[-0.2, 0, 0], [0.2, 0, "
            "0]], segments: 4, radius: 0.01}},"
            "{start: drawn, loose: true, %ssolver: %s, strand: {points: [[0.03, -0.2, 0.004], "
            "[0.03, 0.2, 0.004]], segments: 4, radius: 0.01}}]}",
            method_of(k), reduced(k), solver_of(k), reduced(k), solver_of(k));
        const td_quat none = tdi_quat_identity();
        const td_filter more = {5, UINT32_MAX};
        td_actor_def def = td_actor_def_default();
        td_actor_id id = id_at(s.world, 1);
        steps(s.world, n % 6);
        FREED char *bytes = saved(s.world);
        const size_t size = td_world_save_size(s.world);
        def.position = tdi_vec3(5, 0, 0);
        CHECK_INT(td_world_place_actor(s.world, id, def.position, none, NULL), TD_ERR_BLOCKED);
        CHECK_SAY(is_as_saved(s.world, bytes, size), "%s, %s, step %d: placed", solver_of(k),
                  method_of(k), n % 6);
        CHECK_INT(td_world_set_actor_filter(s.world, id, more, NULL), TD_ERR_BLOCKED);
        CHECK_SAY(is_as_saved(s.world, bytes, size), "%s, %s, step %d: filter", solver_of(k),
                  method_of(k), n % 6);
        CHECK_INT(td_world_add_actor(s.world, &def, &id, NULL), TD_ERR_BLOCKED);
        CHECK_SAY(is_as_saved(s.world, bytes, size), "%s, %s, step %d: added", solver_of(k),
                  method_of(k), n % 6);
        steps(s.world, 3);
    }
}

static td_status place_second(void *context, td_diag *diag) {
    td_world *w = context;
    return td_world_place_actor(w, id_at(w, 1), tdi_vec3(0.01, 0, 0), tdi_quat_identity(), diag);
}

TD_TEST(actor_that_is_placed_while_it_is_pushed_without_memory_stays) {
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    char text[1024];
    snprintf(text, sizeof text, BUSHES, "barrier", "", "rod");
    OWNED(stage) s = try_stage(text, 1, &alloc);
    CHECK(s.world && td_world_pushed(s.world).pairs > 0);
    check_all_or_nothing(s.world, &heap, 0, place_second, s.world);
    CHECK(td_world_pushed(s.world).pairs > 0);
    steps(s.world, 3);
}

TD_TEST(pieces_of_a_rod_that_is_cut_while_it_is_pushed_are_pushed_on) {
    for (int k = 0; k < CASES; k++) {
        OWNED(stage) s = crossing(k, 0.001, "");
        td_actor_id fallen;
        td_diag diag = {.message = ""};
        if (k % KINDS == 3) {
            continue; // it cannot be cut
        }
        steps(s.world, 1);
        CHECK_SAY(td_world_cut_actor(s.world, id_at(s.world, 0), 1, 0.6, &fallen, &diag) == TD_OK,
                  "%s", diag.message);
        CHECK(td_world_pushed(s.world).pairs > 0);
        td_real speed;
        CHECK_SAY(push_apart(s.world, 40, &speed) < 40 && speed < 4 * SPEED,
                  "%s, %s: %d pairs are left, %g m/s", solver_of(k), method_of(k),
                  td_world_pushed(s.world).pairs, speed);
        steps(s.world, 5);
    }
}

// Herbs that are planted 2 cm apart and have more branches with each step of their L-system.
#define SLOW  0.1 // m/s
#define LEVER 10  // of a tip, against where its segment is pushed
enum { HERBS = 6, AGES = 3 };

typedef struct herbs {
    td_skeleton *age[AGES];
    td_world *world, *again;
} herbs;

static void grow_herbs(herbs *h) {
    static const char text[] = "derivation length: 0\nmaterial: 0 rope\naxiom: !(0.005)A(0.1)\n"
                               "A(s) --> F(s)[+(60)F(s*1.2)]/(137.5)A(s*0.9)\n";
    td_grammar_def def = td_grammar_def_default();
    td_derive_opts opts = td_derive_opts_default();
    td_grammar *grammar = NULL;
    td_derivation *derivation = NULL;
    def.text = text;
    def.text_size = sizeof text - 1;
    opts.names = true;
    CHECK_INT(td_grammar_new(&def, NULL, &grammar, NULL), TD_OK);
    CHECK_INT(td_derivation_new(grammar, &opts, NULL, &derivation, NULL), TD_OK);
    CHECK_INT(td_derivation_step(derivation, NULL), TD_OK);
    for (int k = 0; k < AGES; k++) {
        CHECK_INT(td_derivation_step(derivation, NULL), TD_OK);
        const td_string string = td_derivation_string(derivation);
        CHECK_INT(td_skeleton_from_string(grammar, &string, NULL, NULL, &h->age[k], NULL), TD_OK);
    }
    td_derivation_free(derivation);
    td_grammar_free(grammar);
}

static td_world *plant_herbs(const herbs *h, int k) {
    td_scene_def scene = td_scene_def_default();
    td_object_def kind = td_object_def_default();
    td_world *world = NULL;
    int32_t object;
    td_diag diag = {.message = ""};
    scene.gravity = tdi_vec3(0, 0, 0);
    scene.contact.given = true;
    scene.contact.overlap = TD_OVERLAP_PUSH;
    scene.contact.push_speed = SLOW;
    scene.contact.method = k / KINDS ? TD_CONTACT_EXACT : TD_CONTACT_BARRIER;
    kind.skeleton = h->age[0];
    kind.solver = solver_of(k);
    kind.start = TD_START_DRAWN;
    CHECK_INT(td_world_new(&scene, NULL, NULL, &world, NULL), TD_OK);
    CHECK_SAY(td_world_add_kind(world, &kind, &object, &diag) == TD_OK, "%s", diag.message);
    for (int32_t i = 0; i < HERBS; i++) {
        td_actor_def def = td_actor_def_default();
        td_actor_id id;
        def.position = tdi_vec3(0.02 * (i % 3), 0, 0.02 * (int)(i / 3));
        def.rotation = tdi_quat_turn(tdi_vec3(0, 1, 0), 2.4 * i);
        CHECK_SAY(td_world_add_actor(world, &def, &id, &diag) == TD_OK, "%s", diag.message);
    }
    return world;
}

// Each age begins while pairs of the one before are pushed.
static void check_herbs(int k) {
    herbs h = {{NULL}, NULL, NULL};
    grow_herbs(&h);
    h.world = plant_herbs(&h, k);
    h.again = plant_herbs(&h, k);
    td_real speed = 0;
    for (int age = 0; age < AGES; age++) {
        td_diag diag = {.message = ""};
        const int32_t before = td_world_pushed(h.world).pairs;
        for (int32_t i = 0; i < HERBS && age > 0; i++) {
            CHECK_SAY(td_world_regrow_actor(h.world, id_at(h.world, i), h.age[age], &diag) == TD_OK,
                      "%s, %s, age %d: %s", solver_of(k), method_of(k), age, diag.message);
        }
        CHECK_SAY(before > 0 || age == 0, "%s, %s, age %d: nothing is pushed", solver_of(k),
                  method_of(k), age);
        for (int n = 0; n < 2; n++) {
            FREED char *bytes = saved(h.world);
            CHECK_SAY(td_world_restore(h.again, bytes, td_world_save_size(h.world), &diag) == TD_OK,
                      "%s", diag.message);
            steps(h.world, 1);
            steps(h.again, 1);
            CHECK_SAY(same_bits(h.world, h.again), "%s, %s, age %d: another motion after a restore",
                      solver_of(k), method_of(k), age);
            speed = fmax(speed, fastest(h.world));
        }
    }
    td_real after;
    const int32_t count = push_apart(h.world, 60, &after);
    CHECK_SAY(count < 60 && fmax(speed, after) < LEVER * SLOW,
              "%s, %s: %d pairs are left, %g m, %g m/s", solver_of(k), method_of(k),
              td_world_pushed(h.world).pairs, td_world_pushed(h.world).depth, fmax(speed, after));
    steps(h.world, 5);
    CHECK_INT(td_world_stats(h.world).unconverged, 0);
    td_world_free(h.world);
    td_world_free(h.again);
    for (int age = 0; age < AGES; age++) {
        td_skeleton_free(h.age[age]);
    }
}

TD_TEST(plants_that_are_regrown_while_they_are_pushed_part_and_go_on_from_any_save) {
    for (int k = 0; k < CASES; k++) {
        if (k % KINDS != 3) { // which cannot grow
            check_herbs(k);
        }
    }
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(world_that_pushes_still_refuses_actors_within_colliders) {
    OWNED(stage) s = stage_of("{contact: {overlap: push}, colliders: [{box: {size: [1, 1, 1], "
                              "position: [5, 0, 0]}}], objects: [{" ROD "}]}");
    td_actor_def def = td_actor_def_default();
    td_actor_id id;
    td_diag diag = {.message = ""};
    def.position = tdi_vec3(5, 0.3, 0);
    CHECK_INT(td_world_add_actor(s.world, &def, &id, &diag), TD_ERR_BLOCKED);
    CHECK_HAS(diag.message, "collider 0 (box)");
    CHECK_INT(td_world_pushed(s.world).pairs, 0);
    steps(s.world, 2);
}

TD_TEST(wrong_rules_of_overlap_are_refused_where_they_stand) {
    static const fault faults[] = {
        {"{objects: [{" ROD "}],\n contact: {overlap: shove}}", 2, 0, "shove"},
        {"{objects: [{" ROD "}],\n contact: {push_speed: 0}}", 2, 0, "push_speed"},
        {"{objects: [{" ROD "}],\n contact: {push_speed: 101}}", 2, 0, "push_speed"},
        {"{objects: [{" ROD "}],\n contact: {overlap: push, speed: 1}}", 2, 0, "speed"},
        {"{objects: [{" ROD "}],\n contact: {push_speed: 1}}", 2, 0,
         "'push_speed' needs 'overlap: push'"},
        {"{objects: [{" ROD "}],\n contact: {overlap: push, self: false}}", 2, 0,
         "'overlap: push' has no effect with 'self: false'"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
}

TD_TEST(wrong_rules_of_overlap_in_a_struct_are_refused_by_name) {
    static const td_real speeds[] = {0, -1, 101, INFINITY, NAN, SPEED};
    for (int k = 0; k < 6; k++) {
        const td_vec3 points[2] = {{0, 0, 0}, {0, 1, 0}};
        td_scene_def scene = td_scene_def_default();
        td_object_def rod = td_object_def_default();
        td_world *world = NULL;
        td_diag diag = {.message = ""};
        td_diag_list diags = {&diag, 1, 0};
        rod.strand.points = points;
        rod.strand.point_count = 2;
        scene.objects = &rod;
        scene.object_count = 1;
        scene.contact.given = true;
        scene.contact.push_speed = speeds[k];
        scene.contact.overlap = k == 5 ? (td_overlap_rule)7 : TD_OVERLAP_PUSH;
        CHECK(td_world_new(&scene, NULL, NULL, &world, &diags) != TD_OK && !world);
        CHECK_HAS(diag.message, k == 5 ? "contact.overlap" : "contact.push_speed");
    }
}
