// SPDX-License-Identifier: MIT
// Many constraints between segments of one tree: eliminated with it, or, where contact is looked
// for, by the Schur complement, which is dense. Both are one answer.

#include "test_tree_support.h"

// A tree that branches at random, with constraints between segments that are not far apart.
typedef struct tangle {
    td_tree_model *model;
    td_tree_state *state;
    td_island *island;
    td_constraint *link;
    int32_t links;
    td_step_opts opts;
    td_step_stats stats;
} tangle;

static int32_t some_below(tdi_random *random, int32_t limit) {
    return (int32_t)(tdi_random_uniform(random) * limit);
}

static void build(tangle *t, tdi_random *random, int32_t bodies) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    const td_tree_opts options = td_tree_opts_default();
    td_builder *builder = NULL;
    td_skeleton *skeleton = NULL;
    CHECK_INT(td_builder_new(&opts, NULL, &builder), TD_OK);
    for (int32_t i = 0; i < bodies; i++) {
        td_segment_def d = td_segment_def_default();
        d.parent = i == 0 ? TD_NONE : i - 1 - some_below(random, i < 3 ? i : 3);
        d.joint = TD_JOINT_BALL;
        d.rest = random_turn(random, 0.8);
        d.length = 0.02;
        d.radius_base = d.radius_tip = 0.001;
        d.stiffness = (td_vec3){1e-4, 1e-4, 1e-4};
        d.damping = (td_vec3){1e-6, 1e-6, 1e-6};
        d.density = 900;
        d.has_stiffness = d.has_damping = true;
        CHECK_INT(td_builder_add(builder, &d, NULL, NULL), TD_OK);
    }
    CHECK_INT(td_builder_finish(builder, &skeleton, NULL), TD_OK);
    CHECK_INT(td_tree_model_new(skeleton, &options, NULL, &t->model, NULL), TD_OK);
    CHECK_INT(td_tree_state_new(t->model, NULL, &t->state, NULL), TD_OK);
    td_builder_free(builder);
    td_skeleton_free(skeleton);
}

// Bars, hinges and points, every ninth twice. No ropes: one that is just taut pulls or not by
// rounding, and steps begin anew when it does.
static void add_links(tangle *t, tdi_random *random, int32_t bodies, int32_t links) {
    static const td_constraint_kind kinds[] = {TD_HOLD_DISTANCE, TD_HOLD_HINGE, TD_HOLD_DISTANCE,
                                               TD_HOLD_POINT, TD_HOLD_DISTANCE};
    t->link = calloc((size_t)links, sizeof *t->link);
    t->links = links;
    for (int32_t k = 0; k < links; k++) {
        td_constraint *c = &t->link[k];
        const int32_t a = (int32_t)((int64_t)k * (bodies - 8) / links);
        *c = td_constraint_default(kinds[k % 5]);
        c->actor[1] = 0;
        c->segment[0] = a;
        c->segment[1] = a + 2 + some_below(random, 5);
        c->point[0] = tdi_vec3(0.001, 0.01, 0);
        c->as_found = true;
        if (k % 9 == 8) {
            *c = t->link[k - 1];
        }
    }
}

static void make(tangle *t, uint64_t seed, int32_t bodies, int32_t links, bool looks) {
    tdi_random random;
    td_contact_opts contact = td_contact_opts_default();
    td_diag diag = {.message = ""};
    *t = (tangle){.opts = td_step_opts_default()};
    tdi_random_seed(&random, seed);
    build(t, &random, bodies);
    add_links(t, &random, bodies, links);
    t->opts.dt = 1.0 / 240;
    t->opts.tolerance = 1e-9;
    contact.self = false;
    const td_state_ref ref = td_tree_ref(t->state);
    CHECK_INT(td_island_new(&ref, 1, looks ? &contact : NULL, 1, NULL, &t->island, &diag), TD_OK);
    const td_status status = td_island_constrain(t->island, t->link, t->links, &diag);
    CHECK_SAY(status == TD_OK, "%s", diag.message);
}

static void go(tangle *t, int steps) {
    td_diag diag = {.message = ""};
    for (int k = 0; k < steps; k++) {
        const td_status status = td_island_step(t->island, &t->opts, NULL, 0, &t->stats, &diag);
        CHECK_SAY(status == TD_OK, "%s", diag.message);
    }
    for (int32_t k = 0; k < t->links; k++) {
        const double error = td_island_constraint(t->island, k).error;
        CHECK_SAY(error < 1e-8, "link %d is off by %g", k, error);
    }
}

static void drop(tangle *t) {
    td_island_free(t->island);
    td_tree_state_free(t->state);
    td_tree_model_free(t->model);
    free(t->link);
}

// Apart by the tolerance of steps, also in forces of constraints that are there once.
TD_TEST(tree_rows_eliminated_with_it_move_as_with_the_complement) {
    enum { BODIES = 60, LINKS = 20, STEPS = 20 };
    for (uint64_t seed = 1; seed <= 6; seed++) {
        tangle one, other;
        make(&one, seed, BODIES, LINKS, false);
        make(&other, seed, BODIES, LINKS, true);
        const td_vec3 start = td_tree_tip(one.state, BODIES - 1);
        go(&one, STEPS);
        go(&other, STEPS);
        double apart = 0;
        for (int32_t i = 0; i < BODIES; i++) {
            apart = fmax(apart,
                         tdi_norm(tdi_sub(td_tree_tip(one.state, i), td_tree_tip(other.state, i))));
        }
        const double moved = tdi_norm(tdi_sub(td_tree_tip(one.state, BODIES - 1), start));
        CHECK_SAY(apart < 1e-7 && moved > 1e-3, "%g m apart, %g m moved, seed %d", apart, moved,
                  (int)seed);
        drop(&one);
        drop(&other);
    }
}

TD_TEST(tree_rows_may_be_any_number_and_have_the_same_bits_with_threads) {
    enum { BODIES = 3000, LINKS = 1200, STEPS = 2 };
    char *save[2] = {NULL, NULL};
    size_t size = 0;
    for (int k = 0; k < 2; k++) {
        tangle t;
        td_pool *pool = NULL;
        CHECK_INT(td_pool_new(3, NULL, &pool), TD_OK);
        make(&t, 7, BODIES, LINKS, false);
        t.opts.pool = k ? pool : NULL;
        go(&t, STEPS);
        size = td_island_save_size(t.island);
        save[k] = malloc(size);
        td_island_save(t.island, save[k]);
        drop(&t);
        td_pool_free(pool);
    }
    CHECK(memcmp(save[0], save[1], size) == 0);
    free(save[0]);
    free(save[1]);
}

TD_TEST(tree_rows_that_contradict_each_other_are_reported) {
    enum { BODIES = 60, LINKS = 20, STEPS = 10 };
    tangle t;
    td_diag diag = {.message = ""};
    make(&t, 3, BODIES, LINKS, false);
    for (int k = 0; k < 2; k++) { // two bars of other lengths between the same points
        t.link[k] = td_constraint_default(TD_HOLD_DISTANCE);
        t.link[k].actor[1] = 0;
        t.link[k].segment[0] = 30;
        t.link[k].segment[1] = 36;
        t.link[k].as_found = false;
        t.link[k].target.length = 0.03 + 0.01 * k;
    }
    CHECK_INT(td_island_constrain(t.island, t.link, t.links, &diag), TD_OK);
    double mean = 0; // they share the difference of 1 cm, and swing about the middle
    for (int k = 0; k < STEPS; k++) {
        CHECK_INT(td_island_step(t.island, &t.opts, NULL, 0, &t.stats, &diag), TD_OK);
        const td_constraint_report one = td_island_constraint(t.island, 0),
                                   other = td_island_constraint(t.island, 1);
        CHECK(one.unmet && other.unmet);
        CHECK_REL(one.error + other.error, 0.01, 1e-6);
        mean += one.error / STEPS;
    }
    CHECK_REL(mean, 0.005, 0.05);
    drop(&t);
}
