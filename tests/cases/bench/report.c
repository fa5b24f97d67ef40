// SPDX-License-Identifier: MIT
// The list of benchmarks, and the rows that they print.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

static const bench_case cases[] = {
    {"grow", "million modules written per second, in a new process (cold) and again (warm)",
     bench_grow, false},
    {"mesh", "milliseconds and megabytes for the triangles of every plant", bench_mesh, false},
    {"forward", "nanoseconds per body for the accelerations; other engines for comparison",
     bench_forward, false},
    {"step", "nanoseconds per body for an implicit step of 1/60 s", bench_step, false},
    {"realtime", "simulated seconds per second for plants, and the largest plant at 60 Hz",
     bench_realtime, false},
    {"scaling", "cost of a step and of an iteration, and memory, from 10 to a million bodies",
     bench_scaling, false},
    {"threads", "speed-up of many plants and of a large one on all cores", bench_threads, false},
    {"islands", "pairs of touching strands: cost per pair, and speed-up with two threads",
     bench_islands, false},
    {"heap", "10 to 1,000 rods that fall into a heap: real-time factor, iterations, energies",
     bench_heap, true},
    {"crowd", "200 plants that a capsule walks through: median and worst step", bench_crowd, true},
    {"constraints",
     "chains of 100 to 100,000 bodies, held and linked: cost per body and constraint",
     bench_constraints, false},
    {"adaptive", "trees of which only some joints move: the paper's table 1, and what choices cost",
     bench_adaptive, false},
    {"world", "real-time factor, cost of a step and memory of every scene, each run to its end",
     bench_world, false},
    {"query", "microseconds for a ray among 32 to 3,200 plants, and by a search through all",
     bench_query, false},
    {"cut", "milliseconds to cut or regrow one of 600 plants, and of the step after it", bench_cut,
     false},
    {"rod", "rods: compared with others, from 100 to 100,000 vertices, and with contact", bench_rod,
     false},
    {"helix", "helices: the paper's table, and from 1 to 10,000 elements, rods and plants",
     bench_helix, false},
    {"wasm", "nanoseconds per body for an implicit step in node, and the ratio to native",
     bench_wasm, false},
    {"accuracy", "error and cost of every integrator on plants; runs only when named",
     bench_accuracy, true},
    {"solvers", "error of the tip and cost of trees, rods and helices; runs only when named",
     bench_solvers, true},
};

const bench_case *bench_cases(int *count) {
    *count = (int)(sizeof cases / sizeof cases[0]);
    return cases;
}

// ---- rows -----------------------------------------------------------------------------------

void bench_row(const bench *b, int64_t n, double value, const char *unit, const char *format, ...) {
    char variant[160];
    va_list list;
    va_start(list, format);
    vsnprintf(variant, sizeof variant, format, list);
    va_end(list);
    if (b->json) {
        printf("{\"case\":\"%s\",\"variant\":\"%s\",\"n\":%lld,\"value\":%.6g,\"unit\":\"%s\"}\n",
               b->name, variant, (long long)n, value, unit);
    } else {
        printf("%-9s %-48s n %-8lld %10.4g %s\n", b->name, variant, (long long)n, value, unit);
    }
    fflush(stdout);
}

double bench_exponent(const double *x, const double *y, int count) {
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        mean_x += log(x[i]) / count;
        mean_y += log(y[i]) / count;
    }
    for (int i = 0; i < count; i++) {
        xx += (log(x[i]) - mean_x) * (log(x[i]) - mean_x);
        xy += (log(x[i]) - mean_x) * (log(y[i]) - mean_y);
    }
    return xy / xx;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *all, int32_t count) {
    qsort(all, (size_t)count, sizeof *all, ascending);
    return all[count / 2];
}

td_object_def bench_grid(const td_vec3 *points, double radius, int32_t segments, int32_t count,
                         double spacing) {
    const double side = spacing * ceil(sqrt(count));
    td_object_def o = td_object_def_default();
    o.start = TD_START_DRAWN;
    o.strand.points = points;
    o.strand.point_count = 3;
    o.strand.segments = segments;
    o.strand.radius = radius;
    o.instances.count = count;
    o.instances.layout = TD_INSTANCES_GRID;
    o.instances.area = (td_vec3){side, 0, side};
    return o;
}

bool bench_fault(const bench *b, const char *variant, td_status status, const td_diag *diag) {
    const char *message = diag && diag->message[0] ? diag->message : td_status_text(status);
    case_error("bench: %s, %s: %s", b->name, variant, message);
    return false;
}

void *bench_count_resize(void *context, void *block, size_t old_size, size_t new_size) {
    int64_t *held = context;
    if (new_size == 0) {
        *held -= (int64_t)old_size;
        free(block);
        return NULL;
    }
    void *moved = realloc(block, new_size);
    *held += moved ? (int64_t)new_size - (int64_t)old_size : 0;
    return moved;
}
