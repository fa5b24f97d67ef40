// SPDX-License-Identifier: MIT
// MuJoCo: steps of a chain of which points are held, for `tendril bench constraints`.
//
// Method   The same zigzag, springs, step and held points as ours. MuJoCo holds points by soft
//          constraints (connect) on accelerations, here as stiff as its steps allow; the row in m
//          says how far they are off after the steps. Its matrices of a chain are dense, so n ends
//          at 300.

#include "mujoco_xml.h"

#include "cli/bench_held.h"

#include <math.h>

typedef struct held {
    mjModel *model;
    mjData *data;
    int32_t n, every;
    double iterations;
} held;

static void write_body(FILE *out, const peer_tree *tree, int32_t i) {
    const double turn = bench_held_turn(i), r = BENCH_HELD_RADIUS, l = BENCH_HELD_LENGTH,
                 mass = BENCH_HELD_DENSITY * 3.14159265358979323846 * r * r * l;
    fprintf(out,
            "<body name='b%d' pos='0 %.17g 0' quat='%.17g 0 0 %.17g'>"
            "<joint type='ball' stiffness='%g' damping='%g'/>"
            "<inertial pos='0 %.17g 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>\n",
            i, tree->places[i].parent < 0 ? 0 : l, cos(0.5 * turn), sin(0.5 * turn),
            BENCH_HELD_STIFFNESS, BENCH_HELD_DAMPING, 0.5 * l, mass,
            mass * (3 * r * r + l * l) / 12, 0.5 * mass * r * r, mass * (3 * r * r + l * l) / 12);
}

static void write_holds(FILE *out, const void *context) {
    const held *h = context;
    fprintf(out, "<equality>\n");
    for (int32_t i = h->every - 1; i < h->n; i += h->every) {
        fprintf(out,
                "<connect body1='b%d' anchor='0 %.17g 0' solref='0.0085 1' solimp='0.999 0.9999 "
                "0.001'/>\n",
                i, BENCH_HELD_LENGTH);
    }
    fprintf(out, "</equality>\n");
}

static void prepare(void *context) {
    held *h = context;
    mj_resetData(h->model, h->data);
    h->iterations = 0;
}

static bool run(void *context) {
    held *h = context;
    for (int k = 0; k < BENCH_HELD_STEPS; k++) {
        mj_step(h->model, h->data);
        h->iterations += (double)h->data->solver_iter / BENCH_HELD_STEPS;
    }
    return true;
}

// How far a held point is off at most.
static double worst_error(const held *h) {
    double worst = 0;
    mj_forward(h->model, h->data);
    for (int k = 0; k < h->data->ne; k += 3) {
        const mjtNum *e = h->data->efc_pos + k;
        worst = fmax(worst, sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]));
    }
    return worst;
}

static void row(const held *h, const char *what, double value, const char *unit) {
    printf("{\"case\":\"constraints\",\"variant\":\"tree held at every %dth body, MuJoCo %s%s\","
           "\"n\":%d,\"value\":%.6g,\"unit\":\"%s\"}\n",
           (int)h->every, mj_versionString(), what, (int)h->n, value, unit);
    fflush(stdout);
}

static bool measure(held *h, double seconds) {
    bench_place *places = calloc((size_t)h->n, sizeof *places);
    const peer_tree tree = {h->n, places, {NULL, NULL}};
    const mujoco_text text = {&tree, write_body, write_holds, h};
    const bool fine = places && bench_places(BENCH_CHAIN, h->n, places);
    h->model = fine ? mujoco_load(&text) : NULL;
    if (h->model) {
        h->model->opt.gravity[1] = -BENCH_GRAVITY;
        h->model->opt.gravity[2] = 0;
        h->model->opt.timestep = 1.0 / BENCH_HELD_RATE;
        h->model->opt.tolerance = 1e-12; // at 1e-8 bodies of milligrams are not held
        h->data = mj_makeData(h->model);
    }
    if (h->data) {
        const bench_work work = {prepare, run, h};
        const double step = bench_fastest(&work, seconds) / BENCH_HELD_STEPS;
        row(h, "", 1e9 * step / (h->n + h->n / h->every), "ns/body and constraint/step");
        row(h, ": iterations", h->iterations, "1/step");
        row(h, ": off by", worst_error(h), "m");
        mj_deleteData(h->data);
        mj_deleteModel(h->model);
    }
    free(places);
    return h->data != NULL;
}

int main(int argc, char **argv) {
    const double seconds = argc == 3 && strcmp(argv[1], "--seconds") == 0 ? atof(argv[2]) : 1;
    bool fine = true;
    for (int32_t n = 100; n <= 300; n *= 3) {
        held h = {.n = n, .every = 10};
        fine = measure(&h, seconds) && fine;
    }
    return fine ? 0 : 1;
}
