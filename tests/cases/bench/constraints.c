// SPDX-License-Identifier: MIT
// tendril bench constraints: cost of a step over bodies and constraints.
//
// Held     A chain in zigzags, of which points at even distances are held where they are; the rest
//          falls. Rows of one segment and the world go into the chain's own elimination. A rod, and
//          a tree, in which what a joint turns moves all that follows.
// Barred   The rod or tree, held at its start, with bars between segments of its own, four apart:
//          rows between segments of one actor, which are solved with it in one factor.
// Linked   Trees of ten bodies, each held at its end by the next: rows between two actors, whose
//          Schur complement is sparse.
// Method   Ten steps of 1/240 s from the start. The cost is divided by bodies and constraints.

#include "cases/bench/bench.h"
#include "cases/bench/held.h"

#include <math.h>
#include <stdlib.h>

#define LINK 10 // bodies of a chain that is linked
#define MET  1e-8

// ---- chains ---------------------------------------------------------------------------------

static td_status build(int32_t count, bool free, td_skeleton **out, td_diag *diag) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    td_builder *builder = NULL;
    td_status status = td_builder_new(&opts, NULL, &builder, NULL);
    for (int32_t i = 0; i < count && status == TD_OK; i++) {
        td_segment_def d = td_segment_def_default();
        const double turn = bench_held_turn(i);
        d.parent = i - 1;
        d.joint = i == 0 && free ? TD_JOINT_FREE : TD_JOINT_BALL;
        d.rest = (td_quat){cos(0.5 * turn), 0, 0, sin(0.5 * turn)};
        d.length = BENCH_HELD_LENGTH;
        d.radius_base = d.radius_tip = BENCH_HELD_RADIUS;
        d.stiffness = (td_vec3){BENCH_HELD_STIFFNESS, BENCH_HELD_STIFFNESS, BENCH_HELD_STIFFNESS};
        d.damping = (td_vec3){BENCH_HELD_DAMPING, BENCH_HELD_DAMPING, BENCH_HELD_DAMPING};
        d.density = BENCH_HELD_DENSITY;
        d.has_stiffness = d.has_damping = true;
        status = td_builder_add(builder, &d, NULL, diag);
    }
    status = status == TD_OK ? td_builder_finish(builder, out, diag) : status;
    td_builder_free(builder);
    return status;
}

typedef struct chains {
    td_body_model *model[2]; // with a fixed root, and with a free one
    td_body **state;
    td_body_model *rod_model; // or one rod
    td_body *rod;
    td_body **refs;
    td_step_opts *opts;
    int32_t count; // states
    td_island *island;
    char *start;
    td_step_stats stats;
    td_status status;
    td_diag diag;
} chains;

static void chains_free(chains *c) {
    td_island_free(c->island);
    for (int32_t k = 0; c->state && k < c->count; k++) {
        td_body_free(c->state[k]);
    }
    td_body_free(c->rod);
    td_body_model_free(c->rod_model);
    td_body_model_free(c->model[0]);
    td_body_model_free(c->model[1]);
    free(c->state);
    free(c->refs);
    free(c->opts);
    free(c->start);
}

static void make_model(chains *c, int which, int32_t bodies) {
    td_skeleton *skeleton = NULL;
    td_body_opts opts = td_body_opts_default();
    c->status = build(bodies, which == 1, &skeleton, &c->diag);
    if (c->status == TD_OK) {
        c->status = td_body_model_new(skeleton, "tree", &opts, NULL, &c->model[which], &c->diag);
    }
    td_skeleton_free(skeleton);
}

static void put(td_body *state, int32_t k, int32_t bodies) {
    // a zigzag of an even number of bodies leads straight on
    const double along = BENCH_HELD_LENGTH * cos(0.5 * BENCH_HELD_BEND) * bodies * k;
    const td_base_motion base = {.position = {along, 0, 0}, .rotation = {1, 0, 0, 0}};
    case_must(td_body_reset(state, NULL));
    case_must(td_body_set_base(state, &base, NULL));
}

static void make_room(chains *c, int32_t count) {
    const size_t n = (size_t)count;
    c->count = count;
    c->state = calloc(n, sizeof *c->state);
    c->refs = calloc(n, sizeof *c->refs);
    c->opts = calloc(n, sizeof *c->opts);
    c->status = c->state && c->refs && c->opts ? TD_OK : TD_ERR_MEMORY;
    for (int32_t k = 0; k < count && c->status == TD_OK; k++) {
        c->opts[k] = td_step_opts_default();
        c->opts[k].dt = 1.0 / BENCH_HELD_RATE;
    }
}

static void make_rod(chains *c, int32_t bodies) {
    td_vec3 *points = calloc((size_t)bodies + 1, sizeof *points);
    td_rod_def def = td_rod_def_default();
    make_room(c, 1);
    for (int32_t k = 0; points && k <= bodies; k++) {
        points[k] = (td_vec3){BENCH_HELD_LENGTH * cos(0.5 * BENCH_HELD_BEND) * k,
                              k % 2 ? BENCH_HELD_LENGTH * sin(0.5 * BENCH_HELD_BEND) : 0, 0};
    }
    def.points = points;
    def.vertex_count = bodies + 1;
    def.radius = BENCH_HELD_RADIUS;
    def.damping_time = 0.01;
    if (c->status == TD_OK) {
        c->status = points ? td_rod_model_new(&def, 1, NULL, 0, NULL, &c->rod_model, &c->diag)
                           : TD_ERR_MEMORY;
    }
    if (c->status == TD_OK) {
        c->status = td_body_new(c->rod_model, NULL, &c->rod, &c->diag);
    }
    if (c->status == TD_OK) {
        c->refs[0] = c->rod;
    }
    free(points);
}

static void make_trees(chains *c, int32_t count, int32_t bodies) {
    make_room(c, count);
    for (int which = 0; which < 2 && c->status == TD_OK; which++) {
        make_model(c, which, bodies);
    }
    for (int32_t k = 0; k < count && c->status == TD_OK; k++) {
        c->status = td_body_new(c->model[k > 0], NULL, &c->state[k], &c->diag);
        if (c->status == TD_OK) {
            c->refs[k] = c->state[k];
            put(c->state[k], k, bodies);
        }
    }
}

static void make_island(chains *c, const td_constraint *list, int32_t count) {
    if (c->status == TD_OK) {
        c->status = td_island_new(c->refs, c->count, NULL, 0, NULL, &c->island, &c->diag);
    }
    if (c->status == TD_OK) {
        c->status = td_island_constrain(c->island, list, count, &c->diag);
    }
    if (c->status == TD_OK) {
        c->start = malloc(td_island_save_size(c->island));
        c->status = c->start ? TD_OK : TD_ERR_MEMORY;
    }
    if (c->status == TD_OK) {
        td_island_save(c->island, c->start);
    }
}

// ---- constraints ----------------------------------------------------------------------------

// m points of a chain of n bodies, at even distances; the last is its end.
static void make_held(chains *c, int32_t n, int32_t m, bool tree) {
    td_constraint *list = calloc((size_t)m, sizeof *list);
    if (tree) {
        make_trees(c, 1, n);
    } else {
        make_rod(c, n);
    }
    for (int32_t k = 0; list && k < m; k++) {
        list[k] = td_constraint_default(TD_CONSTRAINT_POINT);
        list[k].segment[0] = (int32_t)((int64_t)(k + 1) * n / m) - 1;
        list[k].point[0].y = BENCH_HELD_LENGTH;
    }
    c->status = list ? c->status : TD_ERR_MEMORY;
    make_island(c, list, m);
    free(list);
}

// m bars from an edge or body to the fourth after it.
static void make_barred(chains *c, int32_t n, int32_t m, bool tree) {
    td_constraint *list = calloc((size_t)m + 1, sizeof *list);
    if (tree) {
        make_trees(c, 1, n);
    } else {
        make_rod(c, n);
    }
    for (int32_t k = 0; list && k < m; k++) {
        list[k] = td_constraint_default(TD_CONSTRAINT_DISTANCE);
        list[k].segment[0] = (int32_t)((int64_t)k * (n - 4) / m);
        list[k].actor[1] = 0;
        list[k].segment[1] = list[k].segment[0] + 4;
        list[k].as_found = true;
    }
    if (list) {
        list[m] = td_constraint_default(TD_CONSTRAINT_POINT);
    }
    c->status = list ? c->status : TD_ERR_MEMORY;
    make_island(c, list, m + 1);
    free(list);
}

static void make_linked(chains *c, int32_t n) {
    const int32_t actors = n / LINK, m = actors - 1;
    td_constraint *list = calloc((size_t)m, sizeof *list);
    make_trees(c, actors, LINK);
    for (int32_t k = 0; list && k < m; k++) {
        list[k] = td_constraint_default(TD_CONSTRAINT_POINT);
        list[k].actor[0] = k;
        list[k].segment[0] = LINK - 1;
        list[k].point[0].y = BENCH_HELD_LENGTH;
        list[k].actor[1] = k + 1;
    }
    c->status = list ? c->status : TD_ERR_MEMORY;
    make_island(c, list, m);
    free(list);
}

// ---- measuring ------------------------------------------------------------------------------

static void prepare(void *context) {
    chains *c = context;
    for (int32_t k = 0; k < c->count && !c->rod; k++) {
        put(c->state[k], k, LINK);
    }
    if (c->rod) {
        case_must(td_body_reset(c->rod, NULL));
    }
    case_must(td_island_restore(c->island, c->start, td_island_save_size(c->island), NULL));
    c->stats = (td_step_stats){0};
}

static bool run(void *context) {
    chains *c = context;
    for (int k = 0; k < BENCH_HELD_STEPS && c->status == TD_OK; k++) {
        c->status = td_island_step(c->island, c->opts, NULL, 0, &c->stats, &c->diag);
    }
    return c->status == TD_OK;
}

static double worst_error(const chains *c) {
    double worst = 0;
    for (int32_t k = 0; k < td_island_constraint_count(c->island); k++) {
        worst = fmax(worst, td_island_constraint(c->island, k).error);
    }
    return worst;
}

// Seconds of a step, and iterations of one; below 0: told why not.
static double measure(const bench *b, chains *c, const char *name, int32_t n, double *iterations) {
    double seconds = -1;
    if (c->status == TD_OK) {
        const bench_work work = {prepare, run, c};
        seconds = bench_fastest(&work, b->seconds) / BENCH_HELD_STEPS;
    }
    if (seconds > 0 && worst_error(c) > MET) {
        c->status = TD_ERR_DIVERGED;
        snprintf(c->diag.message, sizeof c->diag.message, "a constraint is off by %g",
                 worst_error(c));
        seconds = -1;
    }
    if (seconds < 0) {
        bench_fault(b, name, c->status, &c->diag);
        return -1;
    }
    const int32_t m = td_island_constraint_count(c->island);
    *iterations = (double)c->stats.iterations / BENCH_HELD_STEPS;
    bench_row(b, n, 1e9 * seconds / (n + m), "ns/body and constraint/step", "%s", name);
    bench_row(b, n, *iterations, "1/step", "%s: iterations", name);
    return seconds;
}

static const int32_t counts[] = {100, 1000, 10000, 100000};
enum { COUNTS = sizeof counts / sizeof *counts };

typedef enum kind { ROD, BARRED, TREE, BARRED_TREE, LINKED } kind;

typedef struct series {
    const char *name;
    kind kind;
    int32_t fixed, part; // points that are held: so many, or one for so many bodies
} series;

static const series all[] = {{"rod held at 1 point", ROD, 1, 0},
                             {"rod held at 10 points", ROD, 10, 0},
                             {"rod held at every 10th body", ROD, 0, 10},
                             {"rod held at every 2nd body", ROD, 0, 2},
                             {"rod with a bar at every 10th body", BARRED, 0, 10},
                             {"rod with a bar at every 2nd body", BARRED, 0, 2},
                             {"tree held at 1 point", TREE, 1, 0},
                             {"tree held at 10 points", TREE, 10, 0},
                             {"tree held at every 10th body", TREE, 0, 10},
                             {"tree held at every 2nd body", TREE, 0, 2},
                             {"tree with a bar at every 10th body", BARRED_TREE, 0, 10},
                             {"tree with a bar at every 2nd body", BARRED_TREE, 0, 2},
                             {"trees of 10, linked", LINKED, 0, 0}};

static bool run_series(const bench *b, const series *s) {
    double n[COUNTS], step[COUNTS], iteration[COUNTS];
    for (int k = 0; k < COUNTS; k++) {
        chains c = {.diag = {.message = ""}};
        const int32_t m = s->fixed > 0 ? s->fixed : s->part > 0 ? counts[k] / s->part : 0;
        if (s->kind == LINKED) {
            make_linked(&c, counts[k]);
        } else if (s->kind == BARRED || s->kind == BARRED_TREE) {
            make_barred(&c, counts[k], m, s->kind == BARRED_TREE);
        } else {
            make_held(&c, counts[k], m, s->kind == TREE);
        }
        n[k] = counts[k];
        double iterations = 1;
        step[k] = measure(b, &c, s->name, counts[k], &iterations);
        iteration[k] = step[k] / iterations;
        chains_free(&c);
        if (step[k] < 0) {
            return false;
        }
    }
    bench_row(b, COUNTS, bench_exponent(n, iteration, COUNTS), "", "%s: exponent of an iteration",
              s->name);
    bench_row(b, COUNTS, bench_exponent(n, step, COUNTS), "", "%s: exponent of a step", s->name);
    return true;
}

bool bench_constraints(const bench *b) {
    bool fine = true;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        fine = run_series(b, &all[k]) && fine;
    }
    return bench_peers(b, "peers/held-*") && fine;
}
