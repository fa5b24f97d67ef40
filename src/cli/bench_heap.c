// SPDX-License-Identifier: MIT
// tendril bench heap: rods that fall on a plane and on each other, and come to rest.
//
// Method   Layers of parallel rods, each layer turned at random, above a plane with friction; the
//          heap has the same proportions for every number of rods. The world simulates two seconds
//          on two threads, or as far as the time goes: then the row of the time reached says so.
// Energy   Kinetic, elastic and weight. It must never exceed that of the start.

#include "cli/bench.h"

#include <math.h>
#include <stdlib.h>

#define SEGMENTS  30
#define LENGTH    0.3   // m
#define RADIUS    0.002 // m
#define FRICTION  0.4
#define DURATION  2.0  // s
#define ALONG     0.33 // m, between the middles of rods in a row
#define ACROSS    0.06 // m, between rows; each is shifted by at most a quarter of it
#define LAYERS    0.06 // m, between layers
#define TILT      0.1  // rad, at most
#define PATIENCE  40   // times the seconds of a row: longer runs end before their time
#define THREADS   2
#define MOST_TEXT 64

static const int32_t counts[] = {10, 30, 100, 300, 1000};
enum { COUNTS = sizeof counts / sizeof *counts, MOST = 1000 };

// ---- the world ------------------------------------------------------------------------------

typedef struct heap {
    td_vec3 ends[MOST][2];
    td_object_def rods[MOST];
    char names[MOST][16];
    uint32_t seed;
} heap;

// In [-1, 1].
static double draw(heap *h) {
    h->seed = h->seed * 1664525u + 1013904223u;
    return (double)(h->seed >> 8) / (double)(1u << 23) - 1;
}

// Rods side by side in a layer: as many as make the heap as high as 10 rods in two layers.
static void place_layer(heap *h, int32_t first, int32_t last, int32_t rows, double height) {
    const double turn = 3.14159265358979 * draw(h), c = cos(turn), s = sin(turn);
    const int32_t columns = (last - first + rows - 1) / rows;
    for (int32_t k = first; k < last; k++) {
        const int32_t i = (k - first) / rows, j = (k - first) % rows;
        const double x = ALONG * (i - 0.5 * (columns - 1)) + 0.25 * ACROSS * draw(h),
                     z = ACROSS * (j - 0.5 * (rows - 1)) + 0.25 * ACROSS * draw(h),
                     y = height + 0.1 * LAYERS * draw(h), tilt = TILT * draw(h);
        for (int e = 0; e < 2; e++) {
            const double way = (e - 0.5) * LENGTH, u = x + way * cos(tilt);
            h->ends[k][e] = (td_vec3){c * u - s * z, y + way * sin(tilt), s * u + c * z};
        }
    }
}

static void place_rods(heap *h, int32_t count) {
    const double size = cbrt(count / 10.0);
    const int32_t layers = (int32_t)(2 * size + 0.5), each = (count + layers - 1) / layers,
                  rows = (int32_t)(5 * size + 0.5);
    h->seed = 1;
    for (int32_t k = 0; k < layers; k++) {
        const int32_t last = (k + 1) * each < count ? (k + 1) * each : count;
        place_layer(h, k * each, last, rows, (k + 1) * LAYERS);
    }
    for (int32_t k = 0; k < count; k++) {
        td_object_def *o = &h->rods[k];
        *o = td_object_def_default();
        snprintf(h->names[k], sizeof h->names[k], "rod %d", (int)k);
        o->name = h->names[k];
        o->solver = "rod";
        o->start = TD_START_DRAWN;
        o->strand.points = h->ends[k];
        o->strand.point_count = 2;
        o->strand.segments = SEGMENTS;
        o->strand.radius = RADIUS;
        o->strand.start.held = o->strand.end.held = TD_END_FREE;
    }
}

static td_status make_world(int32_t count, td_contact_method method, td_world **out,
                            td_diag *diag) {
    heap *h = malloc(sizeof *h);
    if (!h) {
        return TD_ERR_MEMORY;
    }
    place_rods(h, count);
    td_scene_def def = td_scene_def_default();
    td_scene_collider plane = td_scene_collider_default(TD_COLLIDER_PLANE);
    td_world_opts opts = td_world_opts_default();
    td_diag_list diags = {diag, 1, 0};
    plane.as.friction = def.contact.friction = FRICTION;
    def.objects = h->rods;
    def.object_count = count;
    def.contact.given = true;
    def.contact.method = method;
    def.colliders = &plane;
    def.collider_count = 1;
    opts.threads = THREADS;
    td_status status = td_world_new(&def, &opts, NULL, out, &diags);
    free(h);
    return status;
}

// ---- measuring ------------------------------------------------------------------------------

typedef struct heap_run {
    double seconds, simulated;
    double start, most, end, kinetic; // J
    double least;                     // m: the least gap
    double slowest;                   // s: of a step
} heap_run;

static double energy_of(td_world *w, double *kinetic) {
    double sum = 0;
    *kinetic = 0;
    for (int32_t k = 0; k < td_world_actor_count(w); k++) {
        const td_energy e = td_world_actor_sums(w, k).energy;
        sum += e.kinetic + e.elastic + e.weight;
        *kinetic += e.kinetic;
    }
    return sum;
}

static double least_gap(const td_world *w) {
    const int32_t count = td_world_contacts(w, NULL, 0);
    td_contact *list = malloc(((size_t)count + 1) * sizeof *list);
    double least = INFINITY;
    td_world_contacts(w, list, list ? count : 0);
    for (int32_t k = 0; list && k < count; k++) {
        least = fmin(least, list[k].gap);
    }
    free(list);
    return least;
}

static td_status run_heap(const bench *b, td_world *w, heap_run *r, td_diag *diag) {
    td_status status = TD_OK;
    *r = (heap_run){.least = INFINITY};
    r->start = r->most = r->end = energy_of(w, &r->kinetic);
    while (status == TD_OK && td_world_time(w) < DURATION - 1e-9 &&
           r->seconds < PATIENCE * b->seconds) {
        const double before = bench_now();
        status = td_world_step(w, diag);
        const double spent = bench_now() - before;
        r->seconds += spent;
        r->slowest = fmax(r->slowest, spent);
        r->end = energy_of(w, &r->kinetic);
        r->most = fmax(r->most, r->end);
        r->least = fmin(r->least, least_gap(w));
    }
    r->simulated = td_world_time(w);
    return status;
}

// ---- rows -----------------------------------------------------------------------------------

static const char *const methods[] = {
    [TD_CONTACT_BARRIER] = "barrier", [TD_CONTACT_EXACT] = "exact"};

static void row(const bench *b, td_contact_method method, const char *what, int32_t count,
                double value, const char *unit) {
    char text[MOST_TEXT];
    snprintf(text, sizeof text, "%s: %s", methods[method], what);
    bench_row(b, text, count, value, unit);
}

static void print_rows(const bench *b, td_contact_method m, int32_t count, const heap_run *r,
                       td_step_stats stats) {
    const double steps = (double)stats.steps;
    row(b, m, "simulated", count, r->simulated, "s");
    row(b, m, "real-time factor, two threads", count, r->simulated / r->seconds, "x");
    row(b, m, "slowest step", count, 1e3 * r->slowest, "ms");
    row(b, m, "Newton iterations of an island", count, (double)stats.iterations / steps, "1/step");
    row(b, m, "conjugate-gradient steps of an island", count, (double)stats.gradient_steps / steps,
        "1/step");
    row(b, m, "steps taken in halves", count, (double)stats.halved, "");
    row(b, m, "steps that did not converge", count, (double)stats.unconverged, "");
    row(b, m, "least gap over the radius", count, r->least / RADIUS, "");
    row(b, m, "energy at the start", count, r->start, "J");
    row(b, m, "most energy", count, r->most, "J");
    row(b, m, "energy at the end", count, r->end, "J");
    row(b, m, "kinetic energy at the end", count, r->kinetic, "J");
}

// Seconds of a simulated one; negative: it failed, which has been told.
static double run_count(const bench *b, td_contact_method method, int32_t count) {
    td_world *w = NULL;
    td_diag diag = {.message = ""};
    heap_run r = {0};
    td_status status = make_world(count, method, &w, &diag);
    status = status == TD_OK ? run_heap(b, w, &r, &diag) : status;
    if (w && r.simulated > 0) {
        print_rows(b, method, count, &r, td_world_stats(w));
    }
    td_world_free(w);
    if (status != TD_OK) {
        char text[MOST_TEXT];
        snprintf(text, sizeof text, "%d rods, %s", (int)count, methods[method]);
        bench_fault(b, text, status, &diag);
        return -1;
    }
    return r.seconds / r.simulated;
}

bool bench_heap(const bench *b) {
    bool fine = true;
    for (int m = TD_CONTACT_BARRIER; m <= TD_CONTACT_EXACT; m++) {
        double n[COUNTS], cost[COUNTS];
        int count = 0;
        for (; count < COUNTS; count++) {
            n[count] = counts[count];
            cost[count] = run_count(b, (td_contact_method)m, counts[count]);
            if (cost[count] < 0) {
                fine = false;
                break;
            }
        }
        if (count > 1) {
            row(b, (td_contact_method)m, "exponent of cost over rods", count,
                bench_exponent(n, cost, count), "");
        }
    }
    return fine;
}
