// SPDX-License-Identifier: MIT
// tendril bench helix: what helices cost, beside the paper's table.
//
// Method   A row of table 1 of the paper on linear-time Super-Helices (2009) is a rod or a plant of
//          as many elements, soft as the paper's, that hangs at rest and then swings as its root
//          goes to and fro. Frames are of 1/25 s: with them the paper's "more than 50 times faster"
//          than 22 ms for 0.1 ms comes out at its 6 frames a second (400 * 22 ms * 6/s = 53). The
//          published methods need steps of 10 ms, half that, or a quarter and so on: the first with
//          which two seconds stay below three times the energy that there is. The mean over all
//          frames of two seconds counts, of the fastest run. The paper's figures were taken
//          elsewhere (2.1 GHz Core 2 Duo) and say so.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#define TWO_PI  6.28318530717958647692
#define FRAME   (1.0 / 25) // s
#define LEAST   4          // steps a frame: of 10 ms
#define MOST    512
#define SECONDS 2.0   // s of motion
#define HEIGHT  1.0   // m: of rods of the table
#define PIECE   0.1   // m: other elements
#define RADIUS  0.005 // m
#define DENSITY 1000.0
#define GRAVITY 9.81
#define SOFT    5e4 // rho A g L^3/(E I) of rods of the table, and of 1 m of others
#define FIRM    200
#define WAY     0.1 // m: of the root of rods, and of plants, which sway
#define SWAY    0.02
#define RATE    0.5 // Hz

typedef struct paper_row {
    const char *name;
    int32_t count;
    bool branched;
    double recursive, composite; // frames/s of the paper; 0: it has none
} paper_row;

static const paper_row rows[] = {
    {"rod", 1, false, 170, 170}, {"rod", 2, false, 170, 170},
    {"rod", 10, false, 120, 40}, {"rod", 20, false, 54, 4},
    {"rod", 30, false, 37, 1.4}, {"palm tree", 8, true, 170, 0},
    {"algae", 10, true, 108, 0}, {"tree", 50, true, 25, 0},
    {"man", 81, true, 17, 0},    {"weeping willow", 242, true, 6, 0},
};

// ---- helices --------------------------------------------------------------------------------

typedef struct helix_scene {
    td_body_model *model;
    td_body *state;
    int32_t count;
    double mass, fall; // kg; m: how far the centre of mass could go
    double way;        // m: of its root
    td_step_opts opts;
    td_step_stats stats;
    td_diag diag;
} helix_scene;

static void free_scene(helix_scene *s) {
    td_body_free(s->state);
    td_body_model_free(s->model);
}

static td_helix_element element_of(double length, double gamma) {
    td_helix_element e = td_helix_element_default();
    const double weight = DENSITY * TWO_PI / 2 * RADIUS * RADIUS * GRAVITY; // N/m
    e.length = length;
    e.radius_base = e.radius_tip = RADIUS;
    e.density = DENSITY;
    e.bend_x = e.bend_z = e.twist_y = weight * HEIGHT * HEIGHT * HEIGHT / gamma;
    e.damping_time = 0.003;
    return e;
}

// Rods of the paper's table are all of one length, and soft; other elements are of one length.
static bool is_table_rod(const paper_row *r) {
    return !r->branched && r->recursive > 0;
}

static double piece_of(const paper_row *r) {
    return is_table_rod(r) ? HEIGHT / r->count : PIECE;
}

static void fill_elements(const paper_row *r, const bench_place *places, td_helix_element *e) {
    for (int32_t i = 0; i < r->count; i++) {
        e[i] = element_of(piece_of(r), is_table_rod(r) ? SOFT : FIRM);
        e[i].parent = i - 1;
        if (r->branched) {
            const double lean = places[i].side ? 0.35 : 0, turn = 2.4 * i;
            e[i].parent = places[i].parent;
            e[i].at = places[i].side ? 0.5 : 1;
            e[i].turn = (td_quat){cos(lean), sin(lean) * cos(turn), 0, sin(lean) * sin(turn)};
        }
    }
    e[0].turn = (td_quat){0, 1, 0, 0}; // it hangs
}

// At rest, or as drawn.
static td_status make_scene(const paper_row *r, bool settled, helix_scene *s) {
    bench_place *places = malloc((size_t)r->count * sizeof *places);
    td_helix_element *e = malloc((size_t)r->count * sizeof *e);
    td_status status =
        places && e && bench_places(r->branched ? BENCH_PLANT : BENCH_CHAIN, r->count, places)
            ? TD_OK
            : TD_ERR_MEMORY;
    *s = (helix_scene){.count = r->count, .opts = td_step_opts_default()};
    if (status == TD_OK) {
        const double length = r->count * piece_of(r);
        fill_elements(r, places, e);
        s->mass = DENSITY * TWO_PI / 2 * RADIUS * RADIUS * length;
        s->fall = fmin(length, HEIGHT);
        s->way = r->branched ? SWAY : WAY;
        status = td_helix_model_new(e, r->count, NULL, &s->model, &s->diag);
    }
    status = status == TD_OK ? td_body_new(s->model, NULL, &s->state, &s->diag) : status;
    if (status == TD_OK && settled) {
        status = td_body_settle(s->state, &s->opts, NULL, &s->diag);
    }
    free(e);
    free(places);
    return status;
}

// ---- frames ---------------------------------------------------------------------------------

typedef enum way { RECURSIVE, COMPOSITE, IMPLICIT } way;

// The root goes to and fro, and is where it should be at the end of each step.
static void move_root(helix_scene *s, double t) {
    const double w = TWO_PI * RATE, h = s->opts.dt;
    const double x = s->way * (1 - cos(w * t)), v = s->way * w * sin(w * t);
    const double end = s->way * (1 - cos(w * (t + h)));
    const td_base_motion root = {.position = {x, 0, 0},
                                 .rotation = {1, 0, 0, 0},
                                 .velocity = {v, 0, 0},
                                 .acceleration = {2 * (end - x - h * v) / (h * h), 0, 0}};
    case_must(td_body_set_base(s->state, &root, NULL));
}

static td_status step_scene(helix_scene *s, way by) {
    const td_helix_published published = {by == COMPOSITE ? TD_HELIX_COMPOSITE : TD_HELIX_RECURSIVE,
                                          false};
    return by == IMPLICIT ? td_body_step(s->state, &s->opts, &s->stats, &s->diag)
                          : td_helix_step_published(s->state, &s->opts, published, &s->diag);
}

// Two seconds by steps of dt.
static td_status swing(helix_scene *s, double dt, way by) {
    const int64_t steps = (int64_t)(SECONDS / dt + 0.5);
    s->opts.dt = dt;
    for (int64_t k = 0; k < steps; k++) {
        move_root(s, (double)k * dt);
        td_status status = step_scene(s, by);
        if (status != TD_OK) {
            return status;
        }
    }
    return TD_OK;
}

// Whether two seconds stay in bounds; looks every frame.
static bool is_stable(helix_scene *s, double dt, way by) {
    const double speed = TWO_PI * RATE * s->way;
    const double most = 3 * s->mass * (GRAVITY * s->fall + speed * speed / 2);
    const int64_t each = (int64_t)(FRAME / dt + 0.5), steps = (int64_t)(SECONDS / dt + 0.5);
    s->opts.dt = dt;
    for (int64_t k = 0; k < steps; k++) {
        move_root(s, (double)k * dt);
        if (step_scene(s, by) != TD_OK) {
            return false;
        }
        if (k % each == each - 1) {
            const td_energy e = td_body_energy(s->state, s->opts.gravity);
            if (!(e.kinetic + e.elastic < most)) {
                return false;
            }
        }
    }
    return true;
}

// Steps that a frame needs; 0 if too many, or when something failed.
static int steps_needed(const paper_row *r, way by) {
    for (int steps = LEAST; steps <= MOST; steps *= 2) {
        helix_scene s;
        const bool fine = make_scene(r, true, &s) == TD_OK && is_stable(&s, FRAME / steps, by);
        free_scene(&s);
        if (fine) {
            return steps;
        }
    }
    return 0;
}

// CPU seconds that a step of dt takes, which are the same on a busy machine: the fastest of the
// runs that fit in the time, each from the start; negative when one failed.
static double time_step(const bench *b, const paper_row *r, double dt, way by, const char *label) {
    double end = case_seconds() + b->seconds, least = HUGE_VAL;
    do {
        helix_scene s;
        td_status status = make_scene(r, true, &s);
        const clock_t start = clock();
        status = status == TD_OK ? swing(&s, dt, by) : status;
        least = fmin(least, (double)(clock() - start) / CLOCKS_PER_SEC * dt / SECONDS);
        free_scene(&s);
        if (status != TD_OK) {
            bench_fault(b, label, status, &s.diag);
            return -1;
        }
    } while (case_seconds() < end);
    return least;
}

// ---- the paper's table ----------------------------------------------------------------------

static bool bench_published(const bench *b, const paper_row *r, way by, double paper) {
    const char *name = by == COMPOSITE ? "composite" : "recursive";
    const int steps = steps_needed(r, by);
    char label[112];
    snprintf(label, sizeof label, "%s, %s, %d steps a frame", r->name, name, steps);
    if (steps == 0) {
        return bench_fault(b, label, TD_ERR_DIVERGED, NULL);
    }
    const double seconds = time_step(b, r, FRAME / steps, by, label);
    if (seconds < 0) {
        return false;
    }
    bench_row(b, r->count, 1 / (steps * seconds), "frames/s", "%s", label);
    bench_row(b, r->count, paper, "frames/s", "%s, %s, paper%s", r->name, name, BENCH_ELSEWHERE);
    return true;
}

static bool bench_paper(const bench *b, const paper_row *r) {
    char label[96];
    bool fine = bench_published(b, r, RECURSIVE, r->recursive);
    if (r->composite > 0) {
        fine = bench_published(b, r, COMPOSITE, r->composite) && fine;
    }
    snprintf(label, sizeof label, "%s, implicit, frames of 1/60 s", r->name);
    const double seconds = time_step(b, r, 1.0 / 60, IMPLICIT, label);
    if (seconds >= 0) {
        bench_row(b, r->count, 1 / seconds, "frames/s", "%s", label);
    }
    return seconds >= 0 && fine;
}

// ---- size -----------------------------------------------------------------------------------

#define SIZE_STEPS 10

typedef struct size_run {
    helix_scene *scene;
    way by;
    td_vec3 *start, *still; // curvatures and rates
} size_run;

static void prepare_size(void *context) {
    const size_run *r = context;
    case_must(td_helix_set_curvatures(r->scene->state, r->start, r->still, NULL));
    r->scene->stats = (td_step_stats){0};
}

static bool run_size(void *context) {
    const size_run *r = context;
    for (int k = 0; k < SIZE_STEPS; k++) {
        if (step_scene(r->scene, r->by) != TD_OK) {
            return false;
        }
    }
    return true;
}

// Seconds of a step or, of implicit ones, of an iteration: how many a step needs is a matter of how
// it moves. Bent in a zigzag and let go without weight, whose lever arms would grow with the size,
// so that its Hessians need no change at any. Negative when one failed.
static double time_size(const bench *b, const paper_row *row, way by, double *bytes) {
    helix_scene s;
    size_run run = {&s, by, calloc((size_t)row->count, sizeof *run.start),
                    calloc((size_t)row->count, sizeof *run.still)};
    td_status status = make_scene(row, false, &s);
    double seconds = -1;
    s.opts.dt = by == IMPLICIT ? 1e-4 : 1e-5;
    s.opts.gravity = (td_vec3){0, 0, 0};
    if (status == TD_OK && run.start && run.still) {
        for (int32_t i = 0; i < row->count; i++) {
            run.start[i].x = i % 2 ? 0.5 : -0.5; // 1/m
        }
        const bench_work work = {prepare_size, run_size, &run};
        seconds = bench_fastest(&work, b->seconds);
        *bytes = (double)(td_body_bytes(s.state) + td_body_model_bytes(s.model));
    }
    if (seconds < 0) {
        bench_fault(b, "size", status == TD_OK ? TD_ERR_DIVERGED : status, &s.diag);
    }
    free_scene(&s);
    free(run.start);
    free(run.still);
    return seconds / (double)(by == IMPLICIT ? s.stats.iterations : SIZE_STEPS);
}

// The exponent is fitted from 10 elements on: below, a step's own cost counts.
static bool bench_sizes(const bench *b, bool branched, way by) {
    enum { SIZES = 9, FROM = 2 };
    static const int32_t counts[SIZES] = {1, 3, 10, 30, 100, 300, 1000, 3000, 10000};
    const char *shape = branched ? "plant" : "rod",
               *what = by == IMPLICIT ? "implicit iteration" : "recursive step";
    double x[SIZES], y[SIZES], bytes = 0;
    for (int k = 0; k < SIZES; k++) {
        const paper_row row = {shape, counts[k], branched, 0, 0};
        x[k] = counts[k];
        y[k] = time_size(b, &row, by, &bytes);
        if (y[k] < 0) {
            return false;
        }
        bench_row(b, counts[k], 1e9 * y[k] / x[k], "ns/element", "size, %s, %s", shape, what);
    }
    bench_row(b, counts[SIZES - 1], bench_exponent(x + FROM, y + FROM, SIZES - FROM), "1",
              "size, %s, %s, exponent", shape, what);
    bench_row(b, counts[SIZES - 1], bytes / x[SIZES - 1], "bytes/element", "size, %s, memory",
              shape);
    return true;
}

// ---- a shipped scene ------------------------------------------------------------------------

// CPU seconds of a step of a scene's whole recording; negative when it failed.
static double scene_step(const char *path, double *dt, td_diag *diag) {
    case_scene scene;
    if (!case_scene_open(path, 1, NULL, &scene)) {
        return -1;
    }
    const double duration = td_scene_def_get(scene.scene)->record.duration;
    td_status status = TD_OK;
    int64_t steps = 0;
    const clock_t start = clock();
    for (; status == TD_OK && td_world_time(scene.world) < duration; steps++) {
        status = td_world_step(scene.world, diag);
    }
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    *dt = td_world_dt(scene.world);
    case_scene_free(&scene);
    return status == TD_OK ? seconds / (double)steps : -1;
}

// The willow with its leaves in wind: the synthetic one of the table has neither.
static bool bench_shipped(const bench *b) {
    bench_files files = bench_beside("../scenes/weeping-willow-of-helices.yaml");
    const double end = case_seconds() + b->seconds;
    double least = HUGE_VAL, dt = 0;
    td_diag diag = {.message = "the scene is not beside the command"};
    do {
        const double seconds = files.count > 0 ? scene_step(files.paths[0], &dt, &diag) : -1;
        least = fmin(least, seconds);
    } while (least >= 0 && case_seconds() < end);
    bench_files_free(&files);
    if (least < 0) {
        return bench_fault(b, "weeping willow, scene", TD_ERR_READ, &diag);
    }
    bench_row(b, 242, 1 / least, "steps/s",
              "weeping willow, scene with leaves and wind, steps of 1/%.0f s", 1 / dt);
    return true;
}

bool bench_helix(const bench *b) {
    bool fine = true;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        fine = bench_paper(b, &rows[k]) && fine;
    }
    fine = bench_shipped(b) && fine;
    for (int k = 0; k < 4; k++) {
        fine = bench_sizes(b, k >= 2, k % 2 ? IMPLICIT : RECURSIVE) && fine;
    }
    return fine;
}
