// SPDX-License-Identifier: MIT
// tendril bench heap: rods that fall on a plane and on each other, and come to rest.
//
// Method   The rods of bench_pile.h fall on a plane with friction. The world simulates two seconds
//          on two threads, or as far as the time goes: then the row of the time reached says so,
//          and the exponent is that of the heaps that came to the end. Larger heaps are still tried
//          with the barrier, as far as they come, and not with exact contact, which is slower.
// Asleep   Then all are put to sleep, as a scene with `sleep` does by itself where they rest.
// Energy   Kinetic, elastic and weight. It must never exceed that of the start.

#include "cases/bench/bench.h"
#include "cases/bench/pile.h"

#include <math.h>
#include <stdlib.h>

#define PATIENCE  40 // times the seconds of a row: longer runs end before their time
#define THREADS   2
#define MOST_TEXT 64
#define SLEEPING  50 // steps

// ---- the world ------------------------------------------------------------------------------

typedef struct heap {
    pile_rod rods[PILE_MOST];
    td_vec3 ends[PILE_MOST][2];
    td_object_def objects[PILE_MOST];
    char names[PILE_MOST][16];
} heap;

static void place_rods(heap *h, int32_t count) {
    pile_place(h->rods, count);
    for (int32_t k = 0; k < count; k++) {
        td_object_def *o = &h->objects[k];
        *o = td_object_def_default();
        snprintf(h->names[k], sizeof h->names[k], "rod %d", (int)k);
        for (int e = 0; e < 2; e++) {
            const double *x = h->rods[k].ends[e];
            h->ends[k][e] = (td_vec3){x[0], x[1], x[2]};
        }
        o->name = h->names[k];
        o->solver = "rod";
        o->start = TD_START_DRAWN;
        o->strand.points = h->ends[k];
        o->strand.point_count = 2;
        o->strand.segments = PILE_SEGMENTS;
        o->strand.radius = PILE_RADIUS;
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
    plane.as.friction = def.contact.friction = PILE_FRICTION;
    def.objects = h->objects;
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
    double last, asleep;              // s: of the last step, and of one in which all sleep
} heap_run;

static double energy_of(td_world *w, double *kinetic) {
    const td_energy e = td_world_sums(w).energy;
    *kinetic = e.kinetic;
    return e.kinetic + e.elastic + e.weight;
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

// All are put to sleep, which takes a step; then the fastest of many.
static td_status run_asleep(td_world *w, heap_run *r, td_diag *diag) {
    td_status status = TD_OK;
    for (int32_t k = 0; k < td_world_actor_count(w) && status == TD_OK; k++) {
        status = td_world_sleep_actor(w, td_world_actor_id(w, k), diag);
    }
    r->asleep = INFINITY;
    for (int k = 0; k < SLEEPING && status == TD_OK; k++) {
        const double before = bench_now();
        status = td_world_step(w, diag);
        r->asleep = fmin(r->asleep, bench_now() - before);
    }
    return status;
}

static td_status run_heap(const bench *b, td_world *w, heap_run *r, td_diag *diag) {
    td_status status = TD_OK;
    *r = (heap_run){.least = INFINITY};
    r->start = r->most = r->end = energy_of(w, &r->kinetic);
    while (status == TD_OK && td_world_time(w) < PILE_DURATION - 1e-9 &&
           r->seconds < PATIENCE * b->seconds) {
        const double before = bench_now();
        status = td_world_step(w, diag);
        const double spent = bench_now() - before;
        r->seconds += spent;
        r->slowest = fmax(r->slowest, spent);
        r->last = spent;
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
    bench_row(b, count, value, unit, "%s: %s", methods[method], what);
}

static void print_rows(const bench *b, td_contact_method m, int32_t count, const heap_run *r,
                       td_step_stats stats) {
    const double steps = (double)stats.steps;
    row(b, m, "simulated", count, r->simulated, "s");
    row(b, m, "real-time factor, two threads", count, r->simulated / r->seconds, "x");
    row(b, m, "slowest step", count, 1e3 * r->slowest, "ms");
    row(b, m, "last step", count, 1e6 * r->last, "us");
    row(b, m, "a step asleep", count, 1e6 * r->asleep, "us");
    row(b, m, "Newton iterations of an island", count, (double)stats.iterations / steps, "1/step");
    row(b, m, "conjugate-gradient steps of an island", count, (double)stats.gradient_steps / steps,
        "1/step");
    row(b, m, "steps taken in halves", count, (double)stats.halved, "");
    row(b, m, "steps that did not converge", count, (double)stats.unconverged, "");
    row(b, m, "least gap over the radius", count, r->least / PILE_RADIUS, "");
    row(b, m, "largest overlap", count, fmax(0, -r->least), "m");
    row(b, m, "energy at the start", count, r->start, "J");
    row(b, m, "most energy", count, r->most, "J");
    row(b, m, "energy at the end", count, r->end, "J");
    row(b, m, "kinetic energy at the end", count, r->kinetic, "J");
}

// Seconds of a simulated one; 0: it did not come to its end in time. Negative: it failed, which has
// been told.
static double run_count(const bench *b, td_contact_method method, int32_t count) {
    td_world *w = NULL;
    td_diag diag = {.message = ""};
    heap_run r = {0};
    td_status status = make_world(count, method, &w, &diag);
    status = status == TD_OK ? run_heap(b, w, &r, &diag) : status;
    const td_step_stats stats = w ? td_world_stats(w) : (td_step_stats){0};
    status = status == TD_OK ? run_asleep(w, &r, &diag) : status;
    if (r.simulated > 0) {
        print_rows(b, method, count, &r, stats);
    }
    td_world_free(w);
    if (status != TD_OK) {
        char text[MOST_TEXT];
        snprintf(text, sizeof text, "%d rods, %s", (int)count, methods[method]);
        bench_fault(b, text, status, &diag);
        return -1;
    }
    return r.simulated < PILE_DURATION - 1e-9 ? 0 : r.seconds / r.simulated;
}

static bool run_method(const bench *b, td_contact_method method) {
    double n[PILE_COUNTS], cost[PILE_COUNTS], last = 1;
    int count = 0;
    const bool all = method == TD_CONTACT_BARRIER;
    for (int k = 0; k < PILE_COUNTS && (all ? last >= 0 : last > 0); k++) {
        last = run_count(b, method, pile_counts[k]);
        if (last > 0) {
            n[count] = pile_counts[k];
            cost[count++] = last;
        }
    }
    if (count > 1) {
        row(b, method, "exponent of cost over rods", count, bench_exponent(n, cost, count), "");
    }
    return last >= 0;
}

bool bench_heap(const bench *b) {
    const bool barrier = run_method(b, TD_CONTACT_BARRIER), exact = run_method(b, TD_CONTACT_EXACT),
               peers = bench_peers(b, "peers/heap-*");
    return barrier && exact && peers;
}
