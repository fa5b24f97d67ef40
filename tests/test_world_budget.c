// SPDX-License-Identifier: MIT
// Steps with a budget: actors that exhaust it overlap nothing and gain no energy.

#include "test_world_support.h"

#include "base/clock.h"
#include "world/world.h"

static const int32_t budgets[] = {1, 2, 5};
static const char *const bodies[] = {"tree", "rod", "helix", "tree, adapt: {joints: 3, every: 1}"};
enum { BUDGETS = sizeof budgets / sizeof *budgets, SOLVERS = 4, METHODS = 2 };

// Limp stems that lean on each other, above a plane; a box waits beside them.
static const char *crowd(char text[1024], const char *solver, const char *method, double stiffness,
                         int32_t count) {
    snprintf(text, 1024,
             "{contact: {method: %s}, air_density: 0, colliders: [{plane: {position: [0, -0.015, "
             "0]}},\n {capsule: {radius: 0.05, length: 0.3, position: [-1, 0.2, 0.01]}}],\n"
             " objects: [{solver: %s, start: drawn, relaxation_time: 0.002, stiffness: %g, "
             "instances: {count: %d, "
             "layout: grid, area: [0.36, 0, 0.36], jitter: 0, turned: true},\n"
             " strand: {points: [[0, 0, 0], [0.05, 0.3, 0.02]], segments: 5, radius: 0.006,\n"
             "  material: leaf}}]}",
             method, solver, stiffness, (int)count);
    return text;
}

static stage stage_with_budget(const char *text, int32_t threads, int32_t iterations) {
    td_world_opts opts = td_world_opts_default();
    opts.threads = threads;
    opts.iteration_budget = iterations;
    stage s = stage_with(text, opts, NULL);
    CHECK_SAY(s.status == TD_OK, "%s", s.diags[0].message);
    return s;
}

// The capsule goes to and fro through the crowd.
static void move_capsule(td_world *w, int32_t step, td_real speed) {
    const td_real way = speed * (step + 1) * td_world_dt(w), turn = fmod(way, 4);
    CHECK_INT(td_world_move_collider(w, td_world_collider_id(w, 1),
                                     tdi_vec3(turn < 2 ? turn - 1 : 3 - turn, 0.2, 0.01),
                                     td_quat_identity(), NULL),
              TD_OK);
}

static td_real energy_of(td_world *w) {
    const td_energy e = td_world_object_sums(w, 0).energy;
    return e.kinetic + e.elastic + e.weight;
}

// Actors that are not blocked overlap nothing. Blocked ones do not overlap each other, because they
// did not move. All numbers are finite.
static void check_apart(td_world *w, const char *what, int32_t step) {
    td_diag diag = {.message = ""};
    CHECK_SAY(isfinite(energy_of(w)), "%s: step %d is not finite", what, (int)step);
    for (int32_t k = 0; k < td_world_actor_count(w); k++) {
        const bool free = td_world_actor_status(w, id_at(w, k), NULL) == TD_OK;
        const td_status status = tdi_actor_overlaps(w, k, &diag);
        CHECK_SAY(status == TD_OK || (!free && strstr(diag.message, "capsule")), "%s: step %d: %s",
                  what, (int)step, diag.message);
    }
}

TD_TEST(fast_collider_leaves_no_overlap_with_any_budget) {
    for (int32_t k = 0; k < SOLVERS * METHODS * BUDGETS; k++) {
        const char *solver = bodies[k % SOLVERS], *method = methods[k / SOLVERS % METHODS];
        const int32_t budget = budgets[k / SOLVERS / METHODS];
        char text[1024], what[96];
        OWNED(stage) s = stage_with_budget(crowd(text, solver, method, 1, 6), 1, budget);
        td_diag diag = {.message = ""};
        snprintf(what, sizeof what, "%s, %s, budget %d", solver, method, (int)budget);
        for (int32_t step = 0; step < 24; step++) {
            move_capsule(s.world, step, step < 12 ? 3 : 300);
            const td_status status = td_world_step(s.world, &diag);
            CHECK_SAY(status == TD_OK || status == TD_ERR_BLOCKED, "%s: %s", what, diag.message);
            check_apart(s.world, what, step);
        }
        const td_step_stats stats = td_world_stats(s.world);
        CHECK_SAY(stats.truncated + stats.blocked > 0, "%s: no step was bounded", what);
    }
}

// One of the stems goes to and fro among the others.
TD_TEST(actors_that_are_moved_through_a_crowd_arrive_with_any_budget) {
    for (int32_t k = 0; k < SOLVERS * METHODS * BUDGETS; k++) {
        const char *solver = bodies[k % SOLVERS], *method = methods[k / SOLVERS % METHODS];
        const int32_t budget = budgets[k / SOLVERS / METHODS];
        char text[1024], what[96];
        OWNED(stage) s = stage_with_budget(crowd(text, solver, method, 1, 6), 1, budget);
        td_vec3 from, base;
        td_diag diag = {.message = ""};
        snprintf(what, sizeof what, "%s, %s, budget %d", solver, method, (int)budget);
        pose_at(s.world, 0, &from, NULL, NULL, NULL);
        for (int32_t step = 0; step < 24; step++) {
            const td_vec3 to = tdi_add(from, tdi_vec3(0.1 * sin(0.5 * (step + 1)), 0, 0));
            CHECK_INT(td_world_move_actor(s.world, id_at(s.world, 0), to, td_quat_identity(), NULL),
                      TD_OK);
            CHECK_SAY(td_world_step(s.world, &diag) == TD_OK, "%s: %s", what, diag.message);
            CHECK_SAY(td_world_actor_status(s.world, id_at(s.world, 0), &diag) == TD_OK,
                      "%s: step %d: %s", what, (int)step, diag.message);
            segment_at(s.world, 0, 0, &base, NULL, NULL);
            CHECK_SAY(apart(base, to) < 1e-12, "%s: step %d: %g m off", what, (int)step,
                      apart(base, to));
        }
        const td_step_stats stats = td_world_stats(s.world);
        CHECK_SAY(budget > 2 || stats.truncated > 0, "%s: no step was cut short", what);
    }
}

// They fall onto each other and the plane; from the middle on they are in contact when a step
// begins. Nothing drives them, so that energy can only be lost.
TD_TEST(steps_that_are_cut_short_add_no_energy) {
    for (int32_t k = 0; k < SOLVERS * METHODS * BUDGETS; k++) {
        const char *solver = bodies[k % SOLVERS], *method = methods[k / SOLVERS % METHODS];
        const int32_t budget = budgets[k / SOLVERS / METHODS];
        char text[1024], what[96];
        OWNED(stage) s = stage_with_budget(crowd(text, solver, method, 0.01, 6), 1, 0);
        td_diag diag = {.message = ""};
        const td_real first = energy_of(s.world);
        snprintf(what, sizeof what, "%s, %s, budget %d", solver, method, (int)budget);
        int32_t bounded = 0; // steps
        for (int32_t step = 0; step < 200 && bounded < 30; step++) {
            if (bounded > 0 || td_world_contacts(s.world, NULL, 0) > 2) { // they have met
                CHECK_INT(td_world_set_budget(s.world, budget, 0, &diag), TD_OK);
                bounded++;
            }
            CHECK_SAY(td_world_step(s.world, &diag) == TD_OK, "%s: %s", what, diag.message);
            const td_real now = energy_of(s.world);
            CHECK_SAY(now <= first + 1e-6 * fabs(first), "%s: %g J at step %d, %g J at first", what,
                      now, (int)step, first);
            check_apart(s.world, what, step);
        }
        const td_step_stats stats = td_world_stats(s.world);
        CHECK_SAY(bounded == 30, "%s: nothing met", what);
        CHECK_SAY(budget > 2 || stats.truncated + stats.blocked > 0, "%s: no step was bounded",
                  what);
    }
}

// Two free strands fly at each other in empty space: an impact that is not solved may leave some
// momentum too much, 6 % as measured, and the next ones add none.
TD_TEST(steps_that_are_cut_short_gain_little_momentum) {
    for (int32_t k = 0; k < SOLVERS * METHODS * BUDGETS; k++) {
        const char *solver = bodies[k % SOLVERS], *method = methods[k / SOLVERS % METHODS];
        const int32_t budget = budgets[k / SOLVERS / METHODS];
        char text[1024];
        snprintf(
            text, sizeof text,
            "{contact: {method: %s}, air_density: 0, gravity: [0, 0, 0], objects: [{name: a, "
            "solver: "
            "%s, start: drawn, strand: {points: [[0, 0, 0], [0, 0.4, 0]],\n"
            " segments: 4, radius: 0.02, material: green-wood, start: {held: free}}}, {solver: %s, "
            "start: drawn, position: [1.5, 0.1, 0.01],\n strand: {points: [[0, 0, "
            "0], [0, 0.4, 0.1]], segments: 4, radius: 0.02, material: green-wood, start: {held: "
            "free}}}],\n"
            " loads: [{push: {object: a, segment: 1, force: [60, 0, 0], end: 0.05}}]}",
            method, solver, solver);
        OWNED(stage) s = stage_with_budget(text, 1, 0);
        td_diag diag = {.message = ""};
        td_real most = 0;
        for (int32_t step = 0; step < 40 && s.world; step++) {
            const td_vec3 p = tdi_add(td_world_object_sums(s.world, 0).linear,
                                      td_world_object_sums(s.world, 1).linear);
            if (td_world_time(s.world) > 0.15 && most == 0) {
                most = tdi_norm(p);
                CHECK(most > 0.1);
                CHECK_INT(td_world_set_budget(s.world, budget, 0, &diag), TD_OK);
            }
            CHECK_SAY(most == 0 || tdi_norm(p) <= 1.1 * most,
                      "%s, %s, budget %d: %g N s at step %d, %g before", solver, method,
                      (int)budget, tdi_norm(p), (int)step, most);
            CHECK_SAY(td_world_step(s.world, &diag) == TD_OK, "%s", diag.message);
        }
    }
}

TD_TEST(bounded_steps_are_the_same_with_any_number_of_threads) {
    for (int32_t k = 0; k < SOLVERS * METHODS; k++) {
        char text[1024];
        crowd(text, bodies[k % SOLVERS], methods[k / SOLVERS], 1, 16);
        OWNED(stage) a = stage_with_budget(text, 1, 3), b = stage_with_budget(text, 2, 3),
                     c = stage_with_budget(text, 4, 3);
        for (int32_t step = 0; step < 16; step++) {
            td_status status[3];
            td_world *const worlds[] = {a.world, b.world, c.world};
            for (int32_t i = 0; i < 3; i++) {
                move_capsule(worlds[i], step, step < 8 ? 6 : 300);
                status[i] = td_world_step(worlds[i], NULL);
            }
            CHECK(status[0] == status[1] && status[0] == status[2]);
        }
        const td_step_stats stats = td_world_stats(a.world);
        CHECK(stats.truncated + stats.blocked > 0);
        CHECK_SAY(same_bits(a.world, b.world) && same_bits(a.world, c.world), "%s, %s",
                  bodies[k % SOLVERS], methods[k / SOLVERS]);
    }
}

// Iterations and halvings of the worst step, with no more than `budget` iterations of an island.
static td_step_stats worst_step(const char *text, int32_t budget) {
    OWNED(stage) s = stage_with_budget(text, 1, budget);
    td_step_stats worst = {0}, before = {0};
    for (int32_t step = 0; step < 16; step++) {
        move_capsule(s.world, step, step < 8 ? 6 : 300);
        (void)td_world_step(s.world, NULL);
        const td_step_stats now = td_world_stats(s.world);
        const int64_t iterations = now.iterations - before.iterations,
                      halvings = now.halvings - before.halvings;
        worst.iterations = iterations > worst.iterations ? iterations : worst.iterations;
        worst.halvings = halvings > worst.halvings ? halvings : worst.halvings;
        before = now;
    }
    return worst;
}

// Rounds of solving take 1 + 1/2 + 1/4 + 1/8 of the budget of each island, and so do unsolved
// poses. The halvings of an iteration that has begun are not cut short.
TD_TEST(work_of_a_bounded_step_is_at_most_what_its_budget_allows) {
    for (int32_t k = 0; k < SOLVERS * METHODS; k++) {
        char text[1024];
        crowd(text, bodies[k % SOLVERS], methods[k / SOLVERS], 1, 6);
        const int64_t any = worst_step(text, 0).iterations;
        for (int32_t b = 0; b < BUDGETS; b++) {
            const td_step_stats worst = worst_step(text, budgets[b]);
            const int64_t most = 15 * 6 * (int64_t)budgets[b] / 4;
            CHECK_SAY(worst.iterations <= most && worst.halvings <= 4 * most + 60 * 6,
                      "%s, %s, budget %d: %d iterations, %d halvings", bodies[k % SOLVERS],
                      methods[k / SOLVERS], (int)budgets[b], (int)worst.iterations,
                      (int)worst.halvings);
            CHECK_SAY(b > 0 || any > most, "%d iterations without a budget", (int)any);
        }
    }
}

// Layers of sticks that lie across each other, which fall by 0.3 mm: one island from the start.
static const char *pile(char text[8192], const char *solver, const char *method) {
    int at = snprintf(text, 8192, "{contact: {method: %s}, colliders: [{plane: {}}], objects: [",
                      method);
    for (int across = 0; across < 2; across++) {
        at += snprintf(text + at, (size_t)(8192 - at),
                       "%s{solver: %s, start: drawn, rotation: {axis: [0, 1, 0], degrees: %d}, "
                       "strand: {points: [[-0.1, 0, 0], [0.1, 0, 0]], segments: 4, radius: 0.01, "
                       "material: herb-stem, start: {held: free}}, instances: {layout: list, "
                       "turned: false, places: [",
                       across ? ", " : "", solver, across * 90);
        for (int k = 0; k < 32; k++) {
            at += snprintf(text + at, (size_t)(8192 - at), "%s[0, %g, %g]", k > 0 ? ", " : "",
                           0.0102 + 0.0203 * (2 * (k / 4) + across), 0.053 * (k % 4 - 1.5));
        }
        at += snprintf(text + at, (size_t)(8192 - at), "]}}");
    }
    snprintf(text + at, (size_t)(8192 - at), "]}");
    return text;
}

static int64_t most_gradient_steps(const char *text, int32_t budget) {
    OWNED(stage) s = stage_with_budget(text, 1, budget);
    int64_t most = 0;
    for (int32_t step = 0; step < 12; step++) {
        const int64_t before = td_world_stats(s.world).gradient_steps;
        steps(s.world, 1);
        const int64_t own = td_world_stats(s.world).gradient_steps - before;
        most = own > most ? own : most;
    }
    return most;
}

// Once to solve, and once for an unsolved pose.
TD_TEST(gradient_steps_of_a_bounded_step_are_at_most_thirty_times_its_budget) {
    for (int32_t k = 0; k < 4; k++) {
        char text[8192];
        const char *solver = bodies[k % 2 * 2], *method = methods[k / 2];
        pile(text, solver, method);
        for (int32_t b = 0; b < BUDGETS; b += BUDGETS - 1) {
            const int64_t most = most_gradient_steps(text, budgets[b]);
            CHECK_SAY(most <= 30 * budgets[b], "%s, %s, budget %d: %d", solver, method,
                      (int)budgets[b], (int)most);
        }
    }
}

TD_TEST(budget_that_suffices_changes_no_bit) {
    char text[1024];
    crowd(text, "tree", "exact", 1, 6);
    OWNED(stage) a = stage_with_budget(text, 1, 0), b = stage_with_budget(text, 1, 1000000);
    for (int32_t step = 0; step < 20; step++) {
        move_capsule(a.world, step, 3);
        move_capsule(b.world, step, 3);
        CHECK_INT(td_world_step(a.world, NULL), td_world_step(b.world, NULL));
    }
    CHECK_INT(td_world_stats(b.world).truncated, 0);
    CHECK(same_bits(a.world, b.world));
}

// A capsule goes to and fro too fast for one iteration.
TD_TEST(actors_blocked_by_the_budget_say_so_and_go_on_without_a_fault) {
    char text[1024];
    OWNED(stage) s = stage_with_budget(crowd(text, "tree", "barrier", 1, 6), 1, 1);
    td_diag diag = {.message = ""};
    td_actor_id held = {.place = 0};
    int32_t told = 0;
    for (int32_t step = 0; step < 40; step++) {
        move_capsule(s.world, step, 20);
        const td_status status = td_world_step(s.world, &diag);
        if (td_world_blocked_actors(s.world, &held, 1) > 0 && told++ == 0) {
            CHECK_INT(status, TD_OK);
            CHECK_INT(td_world_actor_status(s.world, held, &diag), TD_ERR_BLOCKED);
            CHECK_SAY(strstr(diag.message, "budget"), "%s", diag.message);
        }
    }
    CHECK(told > 0);
    CHECK(td_world_stats(s.world).blocked >= told);
    CHECK_INT(td_world_set_budget(s.world, 0, 0, &diag), TD_OK); // without a limit, it may fail
    for (int32_t step = 40; step < 60; step++) {
        move_capsule(s.world, 0, 0);
        (void)td_world_set_budget(s.world, 1000, 0, &diag);
        (void)td_world_step(s.world, &diag);
    }
    CHECK_INT(td_world_blocked_actors(s.world, &held, 1), 0);
}

TD_TEST(time_budget_leaves_no_overlap_and_wrong_budgets_are_refused) {
    char text[1024];
    OWNED(stage) s = stage_with_budget(crowd(text, "tree", "barrier", 1, 6), 1, 0);
    td_diag diag = {.message = ""};
    td_world_opts opts = td_world_opts_default();
    opts.iteration_budget = -1;
    OWNED(stage) wrong = stage_with(text, opts, NULL);
    CHECK_INT(wrong.status, TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_budget(NULL, 1, 0, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_budget(s.world, -1, 0, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "the budget is -1 iterations; it must be from 0 to 1000000");
    CHECK_INT(td_world_set_budget(s.world, 0, -1, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_budget(s.world, 0, NAN, &diag), TD_ERR_ARGUMENT);
    if (!TDI_HAS_CLOCK) {
        CHECK_INT(td_world_set_budget(s.world, 0, 1, &diag), TD_ERR_ARGUMENT);
        CHECK_TEXT(diag.message, "the budget is 1 s; it must be 0, as there is no clock here");
        return;
    }
    CHECK_TEXT(diag.message, "the budget is nan s; it must be 0 or more");
    CHECK_INT(td_world_set_budget(s.world, 0, 1e-9, &diag), TD_OK);
    for (int32_t step = 0; step < 24; step++) {
        move_capsule(s.world, step, step < 12 ? 3 : 300);
        const td_status status = td_world_step(s.world, &diag);
        CHECK_SAY(status == TD_OK || status == TD_ERR_BLOCKED, "%s", diag.message);
        check_apart(s.world, "time budget", step);
    }
    CHECK(td_world_stats(s.world).truncated + td_world_stats(s.world).blocked > 0);
}

// Weight moves all of them, and there is time for none; then there is.
TD_TEST(actors_without_time_stay_for_that_step_and_go_on_in_the_next) {
    char text[1024];
    OWNED(stage) s = stage_with_budget(crowd(text, "tree", "exact", 1, 6), 1, 0);
    td_diag diag = {.message = ""};
    const int32_t count = td_world_actor_count(s.world);
    for (int32_t step = 0; step < 6 && TDI_HAS_CLOCK; step++) {
        const bool late = step % 2;
        const int64_t iterations = td_world_stats(s.world).iterations;
        const td_vec3 before = tip_of(s.world, 0, -1);
        CHECK_INT(td_world_set_budget(s.world, 0, late ? 1e-9 : 0, &diag), TD_OK);
        CHECK_INT(td_world_step(s.world, &diag), TD_OK);
        CHECK_INT(td_world_blocked_actors(s.world, NULL, 0), late ? count : 0);
        CHECK((td_world_stats(s.world).iterations == iterations) == late);
        const td_real moved = apart(before, tip_of(s.world, 0, -1));
        CHECK_SAY(late ? moved < 1e-15 : moved > 1e-9, "step %d: %g m", (int)step, moved);
        if (late) {
            (void)td_world_actor_status(s.world, id_at(s.world, 0), &diag);
            CHECK_SAY(strstr(diag.message, "time of the step"), "%s", diag.message);
        }
    }
}

TD_TEST(islands_without_time_come_first_in_the_next_step) {
    char text[1024];
    OWNED(stage) s = stage_with_budget(crowd(text, "tree", "exact", 1, 6), 1, 0);
    steps(s.world, 1);
    td_world *w = s.world;
    const int32_t count = w->islands.active_count;
    CHECK_INT(count, 6);
    for (int32_t first = 0; first < count; first++) {
        tdi_world_build_active_list(w);
        w->budget.first = first;
        tdi_world_order_islands(w);
        for (int32_t k = 0; k < count; k++) {
            CHECK_INT(w->islands.active[k], (first + k) % count);
        }
    }
}

// One world is restored from a save of another, with the same budget.
TD_TEST(bounded_steps_resume_with_the_same_bits) {
    for (int32_t k = 0; k < SOLVERS * METHODS; k++) {
        char text[1024];
        crowd(text, bodies[k % SOLVERS], methods[k / SOLVERS], 1, 16);
        OWNED(stage) a = stage_with_budget(text, 1, 3), b = stage_with_budget(text, 1, 3);
        for (int32_t step = 0; step < 18; step++) {
            move_capsule(a.world, step, step < 6 ? 6 : 300);
            (void)td_world_step(a.world, NULL);
            if (step == 8) {
                FREED char *save = saved(a.world);
                CHECK_INT(td_world_restore(b.world, save, td_world_save_size(a.world), NULL),
                          TD_OK);
            } else if (step > 8) {
                move_capsule(b.world, step, 300);
                (void)td_world_step(b.world, NULL);
            }
        }
        CHECK(td_world_stats(a.world).truncated + td_world_stats(a.world).blocked > 0);
        CHECK_SAY(same_bits(a.world, b.world), "%s, %s", bodies[k % SOLVERS], methods[k / SOLVERS]);
    }
}

TD_TEST(stages_of_a_step_are_timed_only_when_asked_for) {
    char text[1024];
    td_world_opts opts = td_world_opts_default();
    opts.timed = true;
    OWNED(stage) s = stage_with(crowd(text, "tree", "exact", 1, 16), opts, NULL),
                 plain = stage_of(text);
    steps(s.world, 10);
    steps(plain.world, 10);
    const td_step_times t = td_world_step_times(s.world), none = td_world_step_times(plain.world);
    const td_real sum = t.loads + t.islands + t.begin + t.contact + t.solve + t.search + t.finish;
    CHECK(same_bits(s.world, plain.world));
    CHECK(td_world_step_times(NULL).total == 0);
    CHECK(none.total == 0 && none.solve == 0 && none.finish == 0);
    if (!TDI_HAS_CLOCK) {
        CHECK(t.total == 0);
        return;
    }
    CHECK(t.loads > 0 && t.islands > 0 && t.begin > 0 && t.contact > 0);
    CHECK(t.solve > 0 && t.search > 0 && t.finish > 0);
    CHECK_SAY(sum <= t.total, "%g s of %g s", sum, t.total);
    CHECK(sum > 0.3 * t.total); // no large part is left out
}
