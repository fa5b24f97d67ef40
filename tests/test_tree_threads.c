// SPDX-License-Identifier: MIT
// Threads on large trees and on many trees: the same bits for any number of them. Pairs with
// src/tree/cut.c and the passes of sweep.c, potential.c, kinematics.c and step.c.

#include "tendril/island.h"
#include "test_tree_support.h"

// bodies: twice what is cut
#define LARGE 4000
#define LIMP  2200 // just enough to be cut, into many parts; its steps are long

static const int32_t thread_counts[] = {1, 2, 3, 8};

#define THREADS ((int)(sizeof thread_counts / sizeof thread_counts[0]))

// ---- large trees ----------------------------------------------------------------------------

typedef enum form {
    PLANT, // each body carries two stems of random sizes, depth first
    COMB,  // a stem with equal side stems on every body
    GROVE, // many plants on one base
    ROW,   // one stem
    LEVELS // two stems on each body, level after level: subtrees are not in one piece
} form;

static const char *const form_names[] = {"plant", "comb", "grove", "row", "levels"};

// parents of n bodies from `first` on, as one plant on `parent`
static void fill_plant(tdi_random *r, int32_t *parent, int32_t first, int32_t n, int32_t on) {
    // what is still to come on a body; side stems come first, so the depth bounds it
    struct {
        int32_t on, count;
    } stack[256];
    int32_t height = 0;
    stack[height].on = on;
    stack[height++].count = n;
    for (int32_t i = first; i < first + n; i++) {
        int32_t rest = stack[height - 1].count - 1, side;
        parent[i] = stack[--height].on;
        side = height < 200 && rest > 1 ? (int32_t)(rest * between(r, 0, 0.5)) : 0;
        if (rest > side) {
            stack[height].on = i;
            stack[height++].count = rest - side;
        }
        if (side > 0) {
            stack[height].on = i;
            stack[height++].count = side;
        }
    }
}

static void fill_parents(tdi_random *r, form f, int32_t n, int32_t *parent) {
    if (f == PLANT) {
        fill_plant(r, parent, 0, n, TD_NONE);
    } else if (f == GROVE) {
        for (int32_t first = 0; first < n; first += 700) {
            fill_plant(r, parent, first, n - first < 700 ? n - first : 700, TD_NONE);
        }
    }
    for (int32_t i = 0; i < n && f > GROVE; i++) {
        parent[i] = f == ROW ? i - 1 : i == 0 ? TD_NONE : (i - 1) / 2;
    }
    for (int32_t i = 0; i < n && f == COMB; i++) { // bodies of the stem come every 401
        parent[i] = i == 0 ? TD_NONE : i % 401 ? i - 1 : i - 401;
    }
}

// one body in `every` hangs on another joint than a ball
static tree large_tree(form f, int32_t n, double stiffness, int32_t every, bool floating) {
    static const td_joint_kind kinds[] = {TD_JOINT_HINGE, TD_JOINT_SLIDE, TD_JOINT_FIXED};
    FREED td_segment_def *defs = calloc((size_t)n, sizeof *defs);
    FREED int32_t *parent = calloc((size_t)n, sizeof *parent);
    tdi_random r = random_of(5);
    fill_parents(&r, f, n, parent);
    for (int32_t i = 0; i < n; i++) {
        td_segment_def *def = &defs[i];
        *def = td_segment_def_default();
        def->parent = parent[i];
        def->joint = every && i % every == every - 1 ? kinds[i / every % 3] : TD_JOINT_BALL;
        def->axis = tdi_unit_or(random_vec(&r, 1), tdi_vec3(1, 0, 0));
        def->rest = random_turn(&r, 0.5);
        def->length = between(&r, 0.03, 0.08);
        def->radius_base = def->radius_tip = between(&r, 0.004, 0.008);
        def->has_stiffness = def->has_damping = true;
        def->stiffness = tdi_vec3(stiffness, stiffness, stiffness);
        def->damping = tdi_scale(def->stiffness, 0.05);
    }
    defs[0].joint = floating ? TD_JOINT_FREE : defs[0].joint;
    tree t = tree_of(defs, n, TD_LAW_LINEAR, NULL);
    return t;
}

// ---- same bits ------------------------------------------------------------------------------

// All that a run leaves behind.
typedef struct outcome {
    td_real *q, *v;
    td_vec3 *tip;
    td_step_stats stats;
} outcome;

static outcome outcome_of(tree t, td_step_stats stats) {
    int32_t n = t.m->body_count;
    outcome o = {reals(t.nq), reals(t.nv), calloc((size_t)n, sizeof *o.tip), stats};
    memcpy(o.q, td_tree_coords(t.state), (size_t)t.nq * sizeof *o.q);
    memcpy(o.v, td_tree_velocities(t.state), (size_t)t.nv * sizeof *o.v);
    for (int32_t i = 0; i < n; i++) {
        o.tip[i] = td_body_tip(t.state, i);
    }
    return o;
}

static void outcome_free(outcome o) {
    free(o.q);
    free(o.v);
    free(o.tip);
}

static bool same_bits(tree t, const outcome *a, const outcome *b) {
    return memcmp(a->q, b->q, (size_t)t.nq * sizeof *a->q) == 0 &&
           memcmp(a->v, b->v, (size_t)t.nv * sizeof *a->v) == 0 &&
           memcmp(a->tip, b->tip, (size_t)t.m->body_count * sizeof *a->tip) == 0 &&
           memcmp(&a->stats, &b->stats, sizeof a->stats) == 0;
}

typedef td_status (*act)(td_body *state, const td_step_opts *opts, td_step_stats *stats,
                         td_diag *diag);

static outcome outcome_on(tree t, td_step_opts opts, td_pool *pool, act does, int32_t times) {
    td_step_stats stats = {0};
    td_diag diag = {.message = ""};
    opts.pool = pool;
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    for (int32_t k = 0; k < times; k++) {
        CHECK_INT(does(t.state, &opts, &stats, &diag), TD_OK);
    }
    CHECK_TEXT(diag.message, "");
    return outcome_of(t, stats);
}

// With no pool, and with pools of every size. Gives what the steps did.
static td_step_stats check_bits(tree t, const td_step_opts *opts, act does, int32_t times,
                                const char *name) {
    outcome alone = outcome_on(t, *opts, NULL, does, times);
    for (int k = 0; k < THREADS; k++) {
        td_pool *pool = NULL;
        CHECK_INT(td_pool_new(thread_counts[k], NULL, &pool, NULL), TD_OK);
        outcome now = outcome_on(t, *opts, pool, does, times);
        if (!same_bits(t, &alone, &now)) {
            test_failed(__FILE__, __LINE__, "%s differs on %d threads", name, thread_counts[k]);
        }
        outcome_free(now);
        td_pool_free(pool);
    }
    td_step_stats stats = alone.stats;
    outcome_free(alone);
    return stats;
}

// Loads of every kind here and there, and air.
static td_step_opts busy_steps(td_load *loads, int32_t count, td_integrator integrator) {
    td_step_opts opts = steps_of(integrator, 1.0 / 60, weight);
    for (int32_t k = 0; k < count; k++) {
        loads[k] = (td_load){.kind = (td_load_kind)(k % 3), .segment = (LARGE - 1) / count * k};
        loads[k].point = tdi_vec3(0.01, 0.02, 0);
        loads[k].vector = tdi_vec3(0.1, 0.02, -0.05);
        loads[k].stiffness = 1;
        loads[k].damping = 0.1;
    }
    opts.loads = loads;
    opts.load_count = count;
    opts.air = (td_air){{3, 0, 1}, 0.1, 0.6};
    return opts;
}

TD_TEST(steps_of_a_large_tree_give_the_same_bits_on_any_number_of_threads) {
    static const form forms[] = {PLANT, COMB, GROVE};
    td_load loads[9];
    for (int k = 0; k < 3; k++) {
        OWNED(tree) t = large_tree(forms[k], LARGE, 20, k == 0 ? 5 : 0, forms[k] == COMB);
        td_step_opts opts = busy_steps(loads, 9, k == 1 ? TD_IMPLICIT_EULER : TD_IMPLICIT);
        CHECK(t.m->part_count > 16);
        check_bits(t, &opts, td_body_step, 2, form_names[forms[k]]);
    }
}

// Where the Hessian is not positive and increments are cut, sums of parts decide what happens.
TD_TEST(a_large_limp_tree_that_falls_gives_the_same_bits_on_any_number_of_threads) {
    OWNED(tree) t = large_tree(PLANT, LIMP, 0, 9, false);
    td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 24, weight);
    CHECK(t.m->part_count > 16);
    td_step_stats stats = check_bits(t, &opts, td_body_step, 2, "limp");
    CHECK(stats.raised > 0);
    CHECK(stats.halvings > 0);
}

TD_TEST(rest_of_a_large_tree_gives_the_same_bits_on_any_number_of_threads) {
    OWNED(tree) t = large_tree(GROVE, LARGE, 200, 11, false);
    td_step_opts opts = td_step_opts_default();
    CHECK(t.m->part_count > 16);
    check_bits(t, &opts, td_body_settle, 1, "rest");
}

// One body in forty is held where it is: bodies follow those that carry them, from part to part.
static td_status step_held(td_body *state, const td_step_opts *opts, td_step_stats *stats,
                           td_diag *diag) {
    enum { EVERY = 40, HELD = LARGE / EVERY, STEPS = 2 };
    td_body *ref = state;
    td_constraint c[HELD];
    td_island *island = NULL;
    for (int32_t k = 0; k < HELD; k++) {
        c[k] = td_constraint_default(TD_CONSTRAINT_POINT);
        c[k].segment[0] = EVERY * k + EVERY - 1;
    }
    CHECK_INT(td_island_new(&ref, 1, NULL, 0, NULL, &island, diag), TD_OK);
    td_status status = td_island_constrain(island, c, HELD, diag);
    for (int k = 0; k < STEPS && status == TD_OK; k++) {
        status = td_island_step(island, opts, NULL, 0, stats, diag);
    }
    td_island_free(island);
    return status;
}

TD_TEST(steps_of_a_large_tree_that_is_held_give_the_same_bits_on_any_number_of_threads) {
    OWNED(tree) t = large_tree(PLANT, LARGE, 20, 5, false);
    td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weight);
    CHECK(t.m->part_count > 16);
    check_bits(t, &opts, step_held, 1, "held");
}

// ---- the cut --------------------------------------------------------------------------------

// Every body is in one part; of a subtree only the first hangs on another part, and nothing that
// comes later hangs on it.
static void check_parts(const tdi_tree_model *m) {
    int32_t next = 0;
    for (int32_t k = 0; k < m->part_count; k++) {
        const tdi_part *part = &m->part[k];
        CHECK_INT(part->first, next);
        CHECK(part->last > next);
        for (int32_t i = next + 1; part->subtree && i < part->last; i++) {
            CHECK(m->parent[i] >= next);
        }
        for (int32_t i = part->last; part->subtree && i < m->body_count; i++) {
            CHECK(m->parent[i] < next || m->parent[i] >= part->last);
        }
        next = part->last;
    }
    CHECK_INT(next, m->body_count);
}

TD_TEST(parts_hold_every_body_once_and_whole_subtrees) {
    for (form f = PLANT; f <= LEVELS; f++) {
        for (int32_t n = 1; n <= 10000; n = n * 3 + 1) {
            OWNED(tree) t = large_tree(f, n, 20, 4, false);
            check_parts(t.m);
        }
    }
}

// where body i of `levels` stands when the same tree is written depth first
static void depth_first(int32_t n, int32_t *place) {
    int32_t stack[64], height = 0, next = 0;
    stack[height++] = 0;
    while (height > 0) {
        int32_t i = stack[--height];
        place[i] = next++;
        for (int32_t k = 2; k >= 1; k--) {
            if (2 * i + k < n) {
                stack[height++] = 2 * i + k;
            }
        }
    }
}

static tree bare_tree(const int32_t *parent, int32_t n, const int32_t *place) {
    FREED td_segment_def *defs = calloc((size_t)n, sizeof *defs);
    for (int32_t i = 0; i < n; i++) {
        int32_t at = place ? place[i] : i;
        defs[at] = td_segment_def_default();
        defs[at].parent = place && parent[i] != TD_NONE ? place[parent[i]] : parent[i];
        defs[at].rest = tdi_quat_turn(tdi_vec3(1, 0, 0), i % 2 ? 0.3 : -0.3);
        defs[at].length = 0.05;
        defs[at].radius_base = defs[at].radius_tip = 0.01;
    }
    tree t = tree_of(defs, n, TD_LAW_LINEAR, NULL);
    return t;
}

TD_TEST(a_tree_whose_subtrees_are_not_in_one_piece_is_one_part_and_moves_the_same) {
    enum { BODIES = 5000 };
    FREED int32_t *parent = calloc(BODIES, sizeof *parent), *place = calloc(BODIES, sizeof *place);
    OWNED(td_pool) *pool = NULL;
    fill_parents(NULL, LEVELS, BODIES, parent);
    depth_first(BODIES, place);
    OWNED(tree) levels = bare_tree(parent, BODIES, NULL), deep = bare_tree(parent, BODIES, place);
    CHECK_INT(levels.m->part_count, 1);
    CHECK(deep.m->part_count > 4);
    CHECK_INT(td_pool_new(3, NULL, &pool, NULL), TD_OK);
    td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weight);
    opts.tolerance = 1e-10;
    opts.air = (td_air){{3, 0, 1}, 0.1, 0.6};
    opts.pool = pool;
    run(levels, &opts, 10);
    run(deep, &opts, 10);
    double moved = 0;
    for (int32_t i = 0; i < BODIES; i++) {
        td_vec3 a = td_body_tip(levels.state, i), b = td_body_tip(deep.state, place[i]);
        CHECK_IN(tdi_norm(tdi_sub(a, b)), 0, 1e-9);
        moved = fmax(moved, tdi_norm(tdi_sub(td_body_tip(deep.state, 0), a)));
    }
    CHECK(moved > 0.1);
}

// ---- many trees -----------------------------------------------------------------------------

#define MANY 30

typedef struct grove {
    tree trees[MANY];
    td_body *states[MANY];
    td_step_opts opts[MANY];
    td_step_stats stats[MANY];
} grove;

// Trees of all sizes and joints, each stepped by options of its own.
static void grove_new(grove *g, const td_alloc *alloc) {
    tdi_random r = random_of(8);
    for (int32_t k = 0; k < MANY; k++) {
        td_segment_def defs[MANY];
        int32_t n = 1 + k;
        for (int32_t i = 0; i < n; i++) {
            defs[i] = random_segment(&r, i, BUSHY, 5);
            defs[i].joint = (td_joint_kind)(i % 4);
        }
        g->trees[k] = tree_of(defs, n, k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR, alloc);
        g->states[k] = g->trees[k].state;
        td_integrator integrator = (td_integrator)(k % 4);
        bool implicit = integrator == TD_IMPLICIT || integrator == TD_IMPLICIT_EULER;
        g->opts[k] = steps_of(integrator, implicit ? 1.0 / 60 : 1e-4, weight);
        g->opts[k].air.wind.x = k;
        g->opts[k].air.quadratic = 0.6;
    }
    memset(g->stats, 0, sizeof g->stats);
}

static void grove_free(grove *g) {
    for (int32_t k = 0; k < MANY; k++) {
        tree_free(g->trees[k]);
    }
}

TD_TEST(many_trees_step_as_each_alone_on_any_number_of_threads) {
    grove alone;
    grove_new(&alone, NULL);
    for (int32_t k = 0; k < MANY; k++) {
        for (int i = 0; i < 10; i++) {
            CHECK_INT(td_body_step(alone.states[k], &alone.opts[k], &alone.stats[k], NULL), TD_OK);
        }
    }
    for (int w = 0; w <= THREADS; w++) {
        grove g;
        OWNED(td_pool) *pool = NULL;
        grove_new(&g, NULL);
        if (w < THREADS) {
            CHECK_INT(td_pool_new(thread_counts[w], NULL, &pool, NULL), TD_OK);
        }
        for (int i = 0; i < 10; i++) {
            CHECK_INT(td_body_step_many(g.states, g.opts, MANY, pool, g.stats, NULL), TD_OK);
        }
        for (int32_t k = 0; k < MANY; k++) {
            outcome a = outcome_of(alone.trees[k], alone.stats[k]);
            outcome b = outcome_of(g.trees[k], g.stats[k]);
            CHECK(same_bits(g.trees[k], &a, &b));
            outcome_free(a);
            outcome_free(b);
        }
        grove_free(&g);
    }
    grove_free(&alone);
}

TD_TEST(many_trees_report_the_first_that_diverges_and_step_the_others) {
    static const int32_t spoilt[] = {23, 9, 14};
    for (int w = 0; w < THREADS; w++) {
        grove g;
        OWNED(td_pool) *pool = NULL;
        td_diag diag = {.message = ""};
        grove_new(&g, NULL);
        CHECK_INT(td_pool_new(thread_counts[w], NULL, &pool, NULL), TD_OK);
        for (int k = 0; k < 3; k++) {
            g.trees[spoilt[k]].v[0] = (td_real)NAN;
            td_tree_state_changed(g.states[spoilt[k]]);
        }
        td_status status = td_body_step_many(g.states, g.opts, MANY, pool, NULL, &diag);
        CHECK_INT(status, TD_ERR_DIVERGED);
        CHECK_INT(diag.status, TD_ERR_DIVERGED);
        CHECK_INT(diag.index, 9);
        CHECK_HAS(diag.message, "body 9: the step at 0 s diverged");
        for (int32_t k = 0; k < MANY; k++) {
            bool bad = k == 23 || k == 9 || k == 14;
            CHECK(bad ? g.states[k]->time == 0 : g.states[k]->time == g.opts[k].dt);
        }
        grove_free(&g);
    }
}

TD_TEST(many_trees_report_the_first_with_bad_options_by_name) {
    grove g;
    OWNED(td_pool) *pool = NULL;
    td_diag diag = {.message = ""};
    td_load load = {.kind = TD_LOAD_FORCE, .segment = 1000};
    grove_new(&g, NULL);
    CHECK_INT(td_pool_new(2, NULL, &pool, NULL), TD_OK);
    g.opts[5].loads = &load;
    g.opts[5].load_count = 1;
    g.opts[20].dt = 0;
    CHECK_INT(td_body_step_many(g.states, g.opts, MANY, pool, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(diag.index, 5);
    CHECK_HAS(diag.message, "body 5: load 0: segment");
    CHECK(g.states[20]->time == 0 && g.states[29]->time > 0);
    CHECK_INT(td_body_step_many(g.states, g.opts, -1, pool, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "count");
    CHECK_INT(td_body_step_many(NULL, NULL, 0, pool, NULL, &diag), TD_OK);
    grove_free(&g);
}

TD_TEST(steps_on_threads_take_no_memory) {
    OWNED(test_heap) heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    grove g;
    td_pool *pool = NULL;
    grove_new(&g, &alloc);
    OWNED(tree) t = large_tree(PLANT, 6000, 20, 0, false);
    td_body *state = NULL;
    CHECK_INT(td_body_new(t.model, &alloc, &state, NULL), TD_OK);
    CHECK_INT(td_pool_new(2, &alloc, &pool, NULL), TD_OK);
    td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weight);
    opts.pool = pool;
    long calls = heap.calls;
    CHECK_INT(td_body_step(state, &opts, NULL, NULL), TD_OK);
    CHECK_INT(td_body_step_many(g.states, g.opts, MANY, pool, g.stats, NULL), TD_OK);
    CHECK_INT(heap.calls, calls);
    td_pool_free(pool);
    td_body_free(state);
    grove_free(&g);
}
