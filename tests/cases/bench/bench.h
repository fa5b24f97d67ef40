// SPDX-License-Identifier: MIT
#pragma once

// What the cases of `tendril bench` share: rows of figures and programs that lie beside the
// command.

#include "cases/bench/clock.h"
#include "cases/bench/shape.h"
#include "cases/support.h"

typedef struct bench {
    bool json;
    double seconds;   // time for each figure
    const char *name; // of the case that runs
} bench;

typedef struct bench_case {
    const char *name, *about;
    bool (*run)(const bench *b); // false: it printed why a figure could not be measured
    bool named;                  // runs only when it is named
} bench_case;

const bench_case *bench_cases(int *count);

// Ends the name of a row whose figure somebody else published: it was not measured in this run.
#define BENCH_ELSEWHERE ", published elsewhere, not run here"

// The name of the row is a format.
void bench_row(const bench *b, int64_t n, double value, const char *unit, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// The exponent b of y = a x^b: least squares, slope of log(y) over log(x).
double bench_exponent(const double *x, const double *y, int count);
// Tells what went wrong. Always false.
bool bench_fault(const bench *b, const char *variant, td_status status, const td_diag *diag);
// `resize` of an allocator whose context, an int64_t, holds the bytes that are taken; one thread.
void *bench_count_resize(void *context, void *block, size_t old_size, size_t new_size);

// The median of some figures, which are sorted.
double bench_median(double *all, int32_t count);

// Strands of three points, or of two when that is set, in a square grid as they are drawn.
td_object_def bench_grid(const td_vec3 *points, double radius, int32_t segments, int32_t count,
                         double spacing);

// ---- trees ----------------------------------------------------------------------------------

typedef struct bench_tree {
    bench_shape shape;
    int32_t count;
    bool limp;   // no springs
    bool hangs;  // from its first joint, on a slope; otherwise it stands
    bool hinged; // in a plane; otherwise on ball joints
} bench_tree;

// False when it could not be built, which has been told.
bool bench_build(const bench *b, const bench_tree *t, case_plant *tree);

// ---- files beside the command ---------------------------------------------------------------

// The files that match a pattern, from the folder of the command; what starts with ../ also from
// share/tendril where the command is installed. The list may be empty.
typedef struct bench_files {
    char **paths;
    size_t count;
    void *found;
} bench_files;

bench_files bench_beside(const char *pattern);
void bench_files_free(bench_files *files);

// Runs the programs of other engines (see bench/peers) that lie beside the command and match the
// pattern, and prints their rows of the case that runs. False when one fails.
bool bench_peers(const bench *b, const char *pattern);

// ---- cases: false when a figure could not be had --------------------------------------------

bool bench_grow(const bench *b);
bool bench_mesh(const bench *b);
bool bench_forward(const bench *b);
bool bench_step(const bench *b);
bool bench_realtime(const bench *b);
bool bench_scaling(const bench *b);
bool bench_threads(const bench *b);
bool bench_world(const bench *b);
bool bench_query(const bench *b);
bool bench_cut(const bench *b);
bool bench_rod(const bench *b);
bool bench_helix(const bench *b);
bool bench_wasm(const bench *b);
bool bench_accuracy(const bench *b);
bool bench_solvers(const bench *b);
bool bench_islands(const bench *b);
bool bench_heap(const bench *b);
bool bench_crowd(const bench *b);
bool bench_constraints(const bench *b);
bool bench_adaptive(const bench *b);
bool bench_reduced(const bench *b); // parts of bench_adaptive()
bool bench_forest(const bench *b);
