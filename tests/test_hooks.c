// SPDX-License-Identifier: MIT
// What a program gives the library: its jobs, its log, its own end of a broken assertion.

#include "base/assert.h"
#include "base/pool.h"
#include "test_world_support.h"

#if TDI_ASSERTS
#include <setjmp.h>
#endif

// ---- jobs -----------------------------------------------------------------------------------

// A job system that runs jobs one after the other, the last first, or on threads of a pool.
typedef struct job_system {
    td_pool *threads;
    int32_t calls, most;
} job_system;

typedef struct job_call {
    void (*job)(void *data, int32_t k);
    void *data;
} job_call;

static void call_job(void *context, int64_t k) {
    const job_call *c = context;
    c->job(c->data, (int32_t)k);
}

static void run_jobs(void *context, void (*job)(void *data, int32_t k), void *data, int32_t count) {
    job_system *s = context;
    job_call call = {job, data};
    s->calls++;
    s->most = count > s->most ? count : s->most;
    if (s->threads) {
        td_pool_run(s->threads, count, call_job, &call);
        return;
    }
    for (int32_t k = count - 1; k >= 0; k--) {
        job(data, k);
    }
}

enum { TURNS = 1000, JOBS = 5 };

typedef struct tally {
    int32_t turns[TURNS];
    int32_t threads[JOBS];
} tally;

static void count_turn(void *context, int64_t i, int32_t thread) {
    tally *t = context;
    t->turns[i]++;
    t->threads[thread]++;
}

TD_TEST(jobs_take_every_turn_of_a_loop_once_on_threads_of_a_program) {
    for (int with_threads = 0; with_threads < 2; with_threads++) {
        job_system system = {NULL, 0, 0};
        if (with_threads) {
            CHECK_INT(td_pool_new(3, NULL, &system.threads, NULL), TD_OK);
        }
        const td_jobs jobs = {run_jobs, &system, JOBS};
        OWNED(td_pool) *pool = NULL;
        tally t = {{0}, {0}};
        int32_t wrong = 0, all = 0;
        CHECK_INT(td_pool_from_jobs(&jobs, NULL, &pool, NULL), TD_OK);
        CHECK_INT(td_pool_threads(pool), JOBS);
        tdi_pool_run(pool, TURNS, count_turn, &t);
        tdi_pool_run(pool, 0, count_turn, &t); // nothing to do: nobody is called
        CHECK_INT(system.calls, 1);
        CHECK_INT(system.most, JOBS);
        for (int32_t i = 0; i < TURNS; i++) {
            wrong += t.turns[i] != 1;
        }
        for (int32_t k = 0; k < JOBS; k++) {
            all += t.threads[k];
        }
        CHECK_INT(wrong, 0);
        CHECK_INT(all, TURNS);
        tdi_pool_run(pool, 2, count_turn, &t); // never more jobs than turns
        CHECK_INT(system.most, JOBS);
        td_pool_free(system.threads);
    }
}

TD_TEST(jobs_refuse_what_is_no_job_system) {
    job_system system = {NULL, 0, 0};
    const td_jobs none = {NULL, &system, 2}, idle = {run_jobs, &system, 0},
                  crowd = {run_jobs, &system, 257};
    td_pool *pool = NULL;
    CHECK_INT(td_pool_from_jobs(&none, NULL, &pool, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_pool_from_jobs(&idle, NULL, &pool, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_pool_from_jobs(&crowd, NULL, &pool, NULL), TD_ERR_ARGUMENT);
    CHECK(!pool);
}

// Plants in wind that touch each other and a pole, on several islands and in one large actor.
static const char *const meadow =
    "{contact: {}, colliders: [{sphere: {radius: 0.05, position: [0.6, 0.4, 0.6]}}],\n"
    " objects: [{plant: fork.lsys, instances: {count: 12, area: [5, 0, 5], seed: 3}},\n"
    "  {solver: rod, strand: {points: [[0, 0.8, 0], [0.3, 0.8, 0]], segments: 12, radius: "
    "0.004}}],\n"
    " loads: [{wind: {velocity: [4, 0, 1], intensity: 0.5}}]}";

// A world of the meadow with these options, after so many steps.
static stage run_meadow(td_world_opts opts, int32_t steps) {
    stage s = {.status = TD_ERR_MEMORY};
    td_value *value = value_of(meadow, NULL);
    td_diag_list list = {s.diags, 8, 0};
    td_diag diag = {.message = ""};
    opts.loader = &test_loader;
    s.status = td_scene_from_value(value, "test.yaml", NULL, &s.scene, &list);
    CHECK_SAY(s.status == TD_OK, "%s", s.diags[0].message);
    CHECK_SAY(td_world_from_scene(s.scene, &opts, NULL, &s.world, &list) == TD_OK, "%s",
              s.diags[0].message);
    for (int32_t k = 0; k < steps; k++) {
        CHECK_SAY(td_world_step(s.world, &diag) == TD_OK, "%s", diag.message);
    }
    return s;
}

TD_TEST(world_on_jobs_of_a_program_has_the_bits_of_one_on_its_own_threads) {
    td_world_opts opts = td_world_opts_default();
    OWNED(stage) alone = run_meadow(opts, 30);
    for (int with_threads = 0; with_threads < 2; with_threads++) {
        job_system system = {NULL, 0, 0};
        if (with_threads) {
            CHECK_INT(td_pool_new(3, NULL, &system.threads, NULL), TD_OK);
        }
        const td_jobs jobs = {run_jobs, &system, 4};
        CHECK_INT(td_pool_from_jobs(&jobs, NULL, &opts.pool, NULL), TD_OK);
        stage s = run_meadow(opts, 30);
        CHECK(same_bits(alone.world, s.world));
        CHECK(system.calls >= 30);
        stage_free(&s); // leaves the pool alone
        CHECK_INT(td_pool_threads(opts.pool), 4);
        td_pool_free(opts.pool);
        td_pool_free(system.threads);
    }
}

// ---- log ------------------------------------------------------------------------------------

typedef struct heard {
    int32_t count[3];
    char last[3][256];
} heard;

static void hear(void *context, td_log_level level, const char *text) {
    heard *h = context;
    h->count[level]++;
    snprintf(h->last[level], sizeof h->last[level], "%s", text);
}

TD_TEST(log_tells_what_was_made_what_was_hard_and_what_failed) {
    heard h = {{0}, {{0}}};
    td_world_opts opts = td_world_opts_default();
    opts.log = (td_log){hear, &h, TD_LOG_INFO};
    OWNED(stage) s = run_meadow(opts, 1);
    CHECK_INT(h.count[TD_LOG_INFO], 1);
    CHECK_HAS(h.last[TD_LOG_INFO], "a world of 13 actors");
    CHECK_INT(h.count[TD_LOG_ERROR], 0);
    // what no step can follow
    td_real *q = td_tree_coords(td_world_body(s.world, id_at(s.world, 0)));
    q[0] = NAN;
    td_tree_state_changed(td_world_body(s.world, id_at(s.world, 0)));
    CHECK(td_world_step(s.world, NULL) != TD_OK);
    CHECK_INT(h.count[TD_LOG_ERROR], 1);
    CHECK_HAS(h.last[TD_LOG_ERROR], "the step at 0.0166667 s failed: ");
    CHECK_HAS(h.last[TD_LOG_ERROR], "not finite");
}

TD_TEST(log_gets_no_more_than_the_level_that_is_wanted) {
    heard h = {{0}, {{0}}};
    td_world_opts opts = td_world_opts_default();
    opts.log = (td_log){hear, &h, TD_LOG_WARNING};
    OWNED(stage) s = run_meadow(opts, 1);
    CHECK_INT(s.status, TD_OK);
    CHECK_INT(h.count[TD_LOG_INFO], 0);
    CHECK_TEXT(td_log_level_text(TD_LOG_WARNING), "warning");
    CHECK_TEXT(td_log_level_text((td_log_level)99), "");
}

TD_TEST(log_tells_of_a_stem_that_is_held_and_of_steps_in_halves) {
    static const char *const press =
        "{contact: {}, colliders: [{plane: {position: [0, -0.015, 0]}}, {box: {size: [0.2, 0.1, "
        "0.2], position: {keys: [[0, [0, 0.5, 0]], [0.3, [0, 0.04, 0]]], interpolate: linear}}}],\n"
        " objects: [{start: drawn, strand: {points: [[0, 0, 0], [0, 0.3, 0]], segments: 4,\n"
        "  radius: 0.01, material: green-wood}}]}";
    heard h = {{0}, {{0}}};
    OWNED(stage) s = {.status = TD_ERR_MEMORY};
    td_value *value = value_of(press, NULL);
    td_diag_list list = {s.diags, 8, 0};
    td_world_opts opts = td_world_opts_default();
    int32_t told = 0;
    opts.hold_blocked = true;
    opts.log = (td_log){hear, &h, TD_LOG_WARNING};
    CHECK_INT(td_scene_from_value(value, "test.yaml", NULL, &s.scene, &list), TD_OK);
    CHECK_INT(td_world_from_scene(s.scene, &opts, NULL, &s.world, &list), TD_OK);
    for (int32_t k = 0; k < 30; k++) {
        told += td_world_step(s.world, NULL) == TD_ERR_BLOCKED;
    }
    CHECK_INT(told, 1);
    CHECK(h.count[TD_LOG_WARNING] >= 1);
    CHECK_HAS(h.last[TD_LOG_WARNING], "'object-0' is blocked from");
    CHECK_INT(h.count[TD_LOG_ERROR], 0);
}

// ---- assertions -----------------------------------------------------------------------------

#if TDI_ASSERTS

static jmp_buf back;

static void jump(void *context, const char *file, int line, const char *expression) {
    heard *h = context;
    h->count[0]++;
    snprintf(h->last[0], sizeof h->last[0], "%s:%d: %s", file, line, expression);
    longjmp(back, 1);
}

TD_TEST(assertion_that_is_broken_calls_the_hook_of_the_program) {
    heard h = {{0}, {{0}}};
    CHECK(td_has_asserts());
    td_set_assert_hook(jump, &h);
    if (setjmp(back) == 0) {
        TDI_ASSERT(1 + 1 == 3);
    }
    td_set_assert_hook(NULL, NULL);
    CHECK_INT(h.count[0], 1);
    CHECK_HAS(h.last[0], "test_hooks.c:");
    CHECK_HAS(h.last[0], "1 + 1 == 3");
}

#else

TD_TEST(assertions_are_not_checked_in_a_release) {
    CHECK(!td_has_asserts());
    td_set_assert_hook(NULL, NULL);
    TDI_ASSERT(1 + 1 == 3);
}

#endif
