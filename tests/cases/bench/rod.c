// SPDX-License-Identifier: MIT
// tendril bench rod: what rods cost, beside the figures of others.
//
// Method   A scene of table 1 of the paper on discrete elastic rods (2008) is a rod with as many
//          vertices in the same sort of motion. The mean over its first steps counts, as their cost
//          changes with what happens: always the same steps, of the fastest run. Figures of others
//          were taken elsewhere (the paper's on a 2.66 GHz Core 2 Duo) and say so: nothing is
//          concluded from them.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TWO_PI    6.28318530717958647692
#define MOST_RODS 512
#define FRAME     (1.0 / 60)
#define MOST_TIME 2.0 // s: what a scene runs
#define MOST_RUN  200 // steps likewise

// ---- rods -----------------------------------------------------------------------------------

typedef enum rod_shape { LINE, HELIX, RING, TREFOIL, LINKS, BRANCHES } rod_shape;

typedef struct paper_row {
    const char *name;
    rod_shape shape;
    int vertices;
    double dt, ms; // of the paper
    int bodies;
    bool contact;
} paper_row;

static const paper_row rows[] = {
    {"knot", TREFOIL, 60, 0.004, 0.31, 0, true},
    {"twist", LINE, 49, 0.001, 0.18, 0, false},
    {"transducer", LINE, 200, 0.002, 1.4, 2, false},
    {"plectoneme", LINE, 275, 0.001, 0.92, 0, true},
    {"buckling", LINE, 75, 0.002, 0.34, 0, false},
    {"ring", RING, 67, 0.05, 0.42, 0, false},
    {"chain", LINKS, 31, 0.001, 0.2, 0, true},
    {"Wilberforce", HELIX, 20, 0.001, 0.027, 1, false},
    {"tree", BRANCHES, 2158, 0.0001, 22, 0, false},
};

typedef struct rod_scene {
    td_body_model *model;
    td_body *state;
    td_island *island;
    td_step_opts opts;
    td_step_stats stats;
    int64_t steps; // of a run
    td_diag diag;
} rod_scene;

static void free_scene(rod_scene *s) {
    td_island_free(s->island);
    td_body_free(s->state);
    td_body_model_free(s->model);
}

// A point of a shape, t from 0 to 1.
static td_vec3 point_at(rod_shape shape, double t) {
    double a = TWO_PI * t;
    switch (shape) {
    case HELIX: return (td_vec3){0.05 * cos(3 * a), -0.2 * t, 0.05 * sin(3 * a)};
    case RING: return (td_vec3){cos(a) / TWO_PI, 0.001 * sin(2 * a), sin(a) / TWO_PI};
    case TREFOIL: { // open where it begins
        double u = 0.98 * a + 0.01;
        return (td_vec3){0.1 * (sin(u) + 2 * sin(2 * u)), 0.1 * (cos(u) - 2 * cos(2 * u)),
                         -0.1 * sin(3 * u)};
    }
    default: return (td_vec3){t, -0.05 * sin(0.5 * a), 0}; // slack: it hangs between its ends
    }
}

static td_rod_def plain_def(int vertices, const td_vec3 *points) {
    td_rod_def d = td_rod_def_default();
    d.vertex_count = vertices;
    d.points = points;
    d.radius = 0.005;
    d.young = 1e7;
    return d;
}

// A trunk with branches on it and twigs on those, 20 vertices each.
static int branch_out(td_rod_def *defs, td_vec3 *points, int vertices) {
    enum { EACH = 20 };
    int count = 0, used = 0;
    while (count < MOST_RODS && used + EACH <= vertices + count) {
        int up = count == 0 ? TD_NONE : (count - 1) / 4, at = 4 + 4 * ((count + 3) % 4);
        td_vec3 *p = points + (ptrdiff_t)count * EACH;
        double size = count == 0 ? 0.2 : count < 5 ? 0.08 : count < 21 ? 0.03 : 0.01;
        double turn = 2.4 * count, out = count == 0 ? 0 : 0.7;
        td_vec3 from = count == 0 ? (td_vec3){0, 0, 0} : points[(ptrdiff_t)up * EACH + at];
        for (int k = 0; k < EACH; k++) {
            p[k] = (td_vec3){from.x + size * k * out * cos(turn), from.y + size * k * 0.8,
                             from.z + size * k * out * sin(turn)};
        }
        defs[count] = plain_def(EACH, p);
        defs[count].radius = 0.05 * size;
        defs[count].young = 1e9;
        defs[count].parent_rod = up;
        defs[count].parent_vertex = up == TD_NONE ? TD_NONE : at;
        defs[count].start = up == TD_NONE ? TD_END_CLAMPED : TD_END_FREE;
        used += count == 0 ? EACH : EACH - 1;
        count++;
    }
    return count;
}

// Two rings through each other, one above the other.
static int link_up(td_rod_def *defs, td_vec3 *points, int vertices) {
    for (int k = 0; k < vertices; k++) {
        double a = TWO_PI * k / vertices;
        points[k] = (td_vec3){0.05 * cos(a), 0.05 * sin(a), 0};
        points[vertices + k] = (td_vec3){0, 0.05 * sin(a) - 0.06, 0.05 * cos(a)};
    }
    for (int k = 0; k < 2; k++) {
        defs[k] = plain_def(vertices, points + (ptrdiff_t)k * vertices);
        defs[k].closed = true;
    }
    return 2;
}

static int shape_up(const paper_row *r, td_rod_def *defs, td_vec3 *points) {
    if (r->shape == BRANCHES) {
        return branch_out(defs, points, r->vertices);
    }
    if (r->shape == LINKS) {
        return link_up(defs, points, r->vertices);
    }
    for (int k = 0; k < r->vertices; k++) {
        points[k] =
            point_at(r->shape, (double)k / (r->shape == RING ? r->vertices : r->vertices - 1));
    }
    defs[0] = plain_def(r->vertices, points);
    defs[0].closed = r->shape == RING;
    defs[0].straight = r->shape == RING || r->shape == TREFOIL;
    defs[0].twist = r->shape == RING ? 12 : 0;
    defs[0].start = r->shape == RING ? TD_END_FREE : TD_END_CLAMPED;
    defs[0].end = r->shape == LINE && r->bodies == 0 ? TD_END_CLAMPED : TD_END_FREE;
    return 1;
}

static td_status make_scene(const paper_row *r, double dt, td_integrator integrator, rod_scene *s) {
    enum { SPARE = 2 * MOST_RODS };
    size_t room = 2 * (size_t)r->vertices + SPARE;
    td_rod_def *defs = malloc(MOST_RODS * sizeof *defs);
    td_vec3 *points = malloc(room * sizeof *points);
    const td_sym3 spread = {2e-6, 2e-6, 2e-6, 0, 0, 0};
    td_rod_body bodies[2] = {{0, r->vertices - 2, 0.05, {0, 0, 0}, spread},
                             {0, 0, 0.01, {0, 0, 0}, spread}};
    td_contact_opts touch = td_contact_opts_default();
    td_status status = defs && points ? TD_OK : TD_ERR_MEMORY;
    *s = (rod_scene){.opts = td_step_opts_default()};
    if (status == TD_OK) {
        int count = shape_up(r, defs, points);
        status = td_rod_model_new(defs, count, bodies, r->bodies, NULL, &s->model, &s->diag);
    }
    status = status == TD_OK ? td_body_new(s->model, NULL, &s->state, &s->diag) : status;
    if (status == TD_OK && r->contact) {
        status = td_island_new(&s->state, 1, &touch, 0, NULL, &s->island, &s->diag);
    }
    s->opts.dt = dt;
    s->opts.integrator = integrator;
    free(points);
    free(defs);
    return status;
}

static bool step_scene(void *context) {
    rod_scene *s = context;
    td_status status = s->island ? td_island_step(s->island, &s->opts, NULL, 0, &s->stats, &s->diag)
                                 : td_body_step(s->state, &s->opts, &s->stats, &s->diag);
    return status == TD_OK;
}

// Mean seconds of a step; negative when one failed.
static double mean_step(rod_scene *s) {
    const int64_t steps = (int64_t)fmin(ceil(MOST_TIME / s->opts.dt), MOST_RUN);
    double start = case_seconds();
    for (int64_t k = 0; k < steps; k++) {
        if (!step_scene(s)) {
            return -1;
        }
    }
    return (case_seconds() - start) / (double)steps;
}

// ---- the paper's table ----------------------------------------------------------------------

// The fastest of the runs that fit in the time, each from the start; negative when one failed.
static double time_scene(const bench *b, const paper_row *r, double dt, td_integrator integrator,
                         const char *variant) {
    double end = case_seconds() + b->seconds, least = HUGE_VAL;
    do {
        rod_scene s;
        td_status status = make_scene(r, dt, integrator, &s);
        double seconds = status == TD_OK ? mean_step(&s) : -1;
        if (seconds < 0) {
            bench_fault(b, variant, status == TD_OK ? TD_ERR_DIVERGED : status, &s.diag);
        }
        free_scene(&s);
        least = fmin(least, seconds);
    } while (least >= 0 && case_seconds() < end);
    return least;
}

// Explicit steps of the paper's way are stable at small ones alone.
static bool bench_published_way(const bench *b, const paper_row *r) {
    const double dt = fmin(r->dt, 1e-4);
    char label[96];
    snprintf(label, sizeof label, "%s, explicit_step way, step %g ms", r->name, 1e3 * dt);
    double seconds = time_scene(b, r, dt, TD_EULER, label);
    if (seconds >= 0) {
        bench_row(b, r->vertices, 1e3 * seconds, "ms/step", "%s", label);
    }
    return seconds >= 0;
}

static bool bench_paper(const bench *b, const paper_row *r) {
    char label[96];
    snprintf(label, sizeof label, "%s, step %g ms", r->name, 1e3 * r->dt);
    double own = time_scene(b, r, r->dt, TD_IMPLICIT, label);
    double frame = time_scene(b, r, FRAME, TD_IMPLICIT, r->name);
    if (own < 0 || frame < 0) {
        return false;
    }
    bench_row(b, r->vertices, 1e3 * own, "ms/step", "%s", label);
    bench_row(b, r->vertices, r->ms, "ms/step", "%s, step %g ms, paper%s", r->name, 1e3 * r->dt,
              BENCH_ELSEWHERE);
    bench_row(b, r->vertices, 1e3 * frame / FRAME, "ms", "%s, a second at 1/60 s", r->name);
    bool explicit = !r->contact && r->bodies == 0 && r->shape != BRANCHES;
    return !explicit || bench_published_way(b, r);
}

// ---- a clamped rod, beside other programs ----------------------------------------------------

typedef struct peer_row {
    int vertices;
    double pbd, dismech, elastica; // ms a step; ms a step; times real time
} peer_row;

// PositionBasedDynamics' direct stiff rods and dismech-rods at steps of 0.01 s, PyElastica at steps
// of 1e-4 to 5e-6 s: each measured once, on one thread of another machine.
static const peer_row peers[] = {
    {60, 0.15, 1.3, 2.2}, {200, 0.45, 4.8, 0.43}, {500, 1.2, 12.7, 0.074}, {2000, 5.5, 67, 0.0075}};

static td_status make_clamped(int vertices, double dt, rod_scene *s) {
    td_vec3 *points = malloc((size_t)vertices * sizeof *points);
    td_status status = points ? TD_OK : TD_ERR_MEMORY;
    *s = (rod_scene){.opts = td_step_opts_default()};
    for (int k = 0; points && k < vertices; k++) {
        points[k] = (td_vec3){(double)k / (vertices - 1), 0, 0};
    }
    td_rod_def d = plain_def(vertices, points);
    d.radius = 0.01;
    d.start = TD_END_CLAMPED;
    status = status == TD_OK ? td_rod_model_new(&d, 1, NULL, 0, NULL, &s->model, &s->diag) : status;
    status = status == TD_OK ? td_body_new(s->model, NULL, &s->state, &s->diag) : status;
    s->opts.dt = dt;
    s->opts.gravity = (td_vec3){0, -9.8, 0};
    free(points);
    return status;
}

#define TIP_TIME 0.5 // s from when it is let go

static void reset_scene(void *context) {
    rod_scene *s = context;
    case_must(td_body_reset(s->state, NULL));
    s->steps = (int64_t)(TIP_TIME / s->opts.dt + 0.5);
}

static bool swing(void *context) {
    rod_scene *s = context;
    for (int64_t k = 0; k < s->steps; k++) {
        if (!step_scene(context)) {
            return false;
        }
    }
    return true;
}

// What half a second costs at a step, and how far the tip is then from where it should be.
static bool bench_swing(const bench *b, int vertices, double dt) {
    rod_scene s;
    td_status status = make_clamped(vertices, dt, &s);
    const bench_work work = {reset_scene, swing, &s};
    double seconds = status == TD_OK ? bench_fastest(&work, b->seconds) : -1;
    if (seconds >= 0) {
        td_vec3 tip = td_rod_position(s.state, vertices - 1);
        bench_row(b, vertices, 1e3 * seconds / (double)s.steps, "ms/step",
                  "clamped rod, step %g ms", 1e3 * dt);
        bench_row(b, vertices, hypot(tip.x + 0.0083, tip.y + 0.9203), "m",
                  "clamped rod, step %g ms, tip at 0.5 s is off", 1e3 * dt);
    } else {
        bench_fault(b, "clamped rod", status == TD_OK ? TD_ERR_DIVERGED : status, &s.diag);
    }
    free_scene(&s);
    return seconds >= 0;
}

static bool bench_rest(const bench *b, int vertices) {
    rod_scene s;
    td_status status = make_clamped(vertices, FRAME, &s);
    status = status == TD_OK ? td_body_settle(s.state, &s.opts, NULL, &s.diag) : status;
    if (status == TD_OK) {
        td_vec3 tip = td_rod_position(s.state, vertices - 1);
        bench_row(b, vertices, hypot(tip.x - 0.287317, tip.y + 0.893311), "m",
                  "clamped rod, tip at rest is off");
    }
    free_scene(&s);
    return status == TD_OK || bench_fault(b, "clamped rod", status, &s.diag);
}

static bool bench_clamped(const bench *b, const peer_row *p) {
    bool fine = bench_swing(b, p->vertices, 0.01) && bench_swing(b, p->vertices, 5e-4);
    bench_row(b, p->vertices, p->pbd, "ms/step",
              "clamped rod, step 10 ms, PositionBasedDynamics" BENCH_ELSEWHERE);
    bench_row(b, p->vertices, p->dismech, "ms/step",
              "clamped rod, step 10 ms, dismech-rods" BENCH_ELSEWHERE);
    bench_row(b, p->vertices, p->elastica, "x real time",
              "clamped rod, PyElastica" BENCH_ELSEWHERE);
    return bench_rest(b, p->vertices) && fine;
}

// ---- size -----------------------------------------------------------------------------------

#define SIZE_STEPS 10

static void prepare_size(void *context) {
    rod_scene *s = context;
    case_must(td_body_reset(s->state, NULL));
    s->stats = (td_step_stats){0};
    s->steps = SIZE_STEPS;
}

// The cost of a vertex in a limp rod that falls from its clamp. The number of iterations is a
// matter of how it falls, so it is that of one.
static bool bench_sizes(const bench *b) {
    enum { SIZES = 7 };
    static const int counts[SIZES] = {100, 300, 1000, 3000, 10000, 30000, 100000};
    double x[SIZES], y[SIZES];
    for (int k = 0; k < SIZES; k++) {
        rod_scene s;
        td_status status = make_clamped(counts[k], 0.001, &s);
        const bench_work work = {prepare_size, swing, &s};
        double seconds = status == TD_OK ? bench_fastest(&work, b->seconds) : -1;
        double bytes =
            status == TD_OK ? (double)(td_body_bytes(s.state) + td_body_model_bytes(s.model)) : 0;
        x[k] = counts[k];
        y[k] = seconds / (double)s.stats.iterations;
        free_scene(&s);
        if (seconds < 0) {
            return bench_fault(b, "size", status == TD_OK ? TD_ERR_DIVERGED : status, &s.diag);
        }
        bench_row(b, counts[k], 1e9 * y[k] / x[k], "ns/vertex", "size, an iteration");
        bench_row(b, counts[k], (double)s.stats.iterations / SIZE_STEPS, "iterations/step",
                  "size, iterations");
        if (k == SIZES - 1) {
            bench_row(b, counts[k], bytes / x[k], "bytes/vertex", "size, memory");
        }
    }
    bench_row(b, counts[SIZES - 1], bench_exponent(x, y, SIZES), "1",
              "size, exponent of an iteration");
    return true;
}

// ---- contact --------------------------------------------------------------------------------

// What contact costs: the scenes that have it, once more without.
static bool bench_contact(const bench *b) {
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        paper_row with = rows[k], without = rows[k];
        char label[96];
        if (!with.contact) {
            continue;
        }
        without.contact = false;
        snprintf(label, sizeof label, "%s, contact alone", with.name);
        double a = time_scene(b, &with, FRAME, TD_IMPLICIT, label);
        double o = time_scene(b, &without, FRAME, TD_IMPLICIT, label);
        if (a < 0 || o < 0) {
            return false;
        }
        bench_row(b, with.vertices, 1e3 * (a - o), "ms/step", "%s", label);
    }
    return true;
}

// ---- many contacts --------------------------------------------------------------------------

enum { STRANDS = 3, STRAND_VERTICES = 775, ROPE_STEPS = 4 };

// A strand of a rope, which touches the others along a part of its length and then comes away.
static void wind_up(int strand, double part, td_vec3 *points) {
    const double radius = 0.005, length = 2.4 * radius, pitch = 0.2;
    for (int k = 0; k < STRAND_VERTICES; k++) {
        double away = fmax(0, k - part * (STRAND_VERTICES - 1)) * length;
        double out = radius * 1.06 / sin(TWO_PI / 6) * (1 + fmin(0.6, away / (20 * radius)));
        double a = TWO_PI * ((double)strand / STRANDS + k * length / pitch);
        points[k] = (td_vec3){out * cos(a), -k * length, out * sin(a)};
    }
}

static td_status make_rope(double part, rod_scene *s) {
    td_vec3(*points)[STRAND_VERTICES] = malloc(STRANDS * sizeof *points);
    td_rod_def defs[STRANDS];
    td_contact_opts touch = td_contact_opts_default();
    td_status status = points ? TD_OK : TD_ERR_MEMORY;
    *s = (rod_scene){.opts = td_step_opts_default(), .steps = ROPE_STEPS};
    for (int k = 0; points && k < STRANDS; k++) {
        wind_up(k, part, points[k]);
        defs[k] = plain_def(STRAND_VERTICES, points[k]);
        defs[k].young = 1e6;
        defs[k].damping_time = 0.01;
        defs[k].start = defs[k].end = TD_END_CLAMPED;
    }
    status = status == TD_OK ? td_rod_model_new(defs, STRANDS, NULL, 0, NULL, &s->model, &s->diag)
                             : status;
    status = status == TD_OK ? td_body_new(s->model, NULL, &s->state, &s->diag) : status;
    status = status == TD_OK ? td_island_new(&s->state, 1, &touch, 0, NULL, &s->island, &s->diag)
                             : status;
    s->opts.gravity = (td_vec3){3, -9.8, 2};
    free(points);
    return status;
}

// The first steps of a rope, each run from its start; rows are by the contacts that it then has.
static bool bench_rope(const bench *b, double part) {
    double end = case_seconds() + b->seconds, least = HUGE_VAL;
    int32_t contacts = 0;
    int64_t iterations = 0;
    do {
        rod_scene s;
        td_status status = make_rope(part, &s);
        double start = case_seconds();
        const bool fine = status == TD_OK && swing(&s);
        least = fmin(least, case_seconds() - start);
        contacts = fine ? td_island_contacts(s.island, NULL, 0) : 0;
        iterations = s.stats.iterations;
        free_scene(&s);
        if (!fine) {
            return bench_fault(b, "rope", status == TD_OK ? TD_ERR_DIVERGED : status, &s.diag);
        }
    } while (case_seconds() < end);
    bench_row(b, contacts, 1e3 * least / ROPE_STEPS, "ms/step",
              "rope of three strands, step 16.7 ms");
    bench_row(b, contacts, (double)iterations / ROPE_STEPS, "iterations/step",
              "rope of three strands, iterations");
    return true;
}

static bool bench_ropes(const bench *b) {
    return bench_rope(b, 0.03) && bench_rope(b, 0.25) && bench_rope(b, 0.9);
}

bool bench_rod(const bench *b) {
    bool fine = true;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        fine = bench_paper(b, &rows[k]) && fine;
    }
    for (size_t k = 0; k < sizeof peers / sizeof *peers; k++) {
        fine = bench_clamped(b, &peers[k]) && fine;
    }
    return bench_sizes(b) && bench_contact(b) && bench_ropes(b) && fine;
}
