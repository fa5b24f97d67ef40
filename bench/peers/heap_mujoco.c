// SPDX-License-Identifier: MIT
// MuJoCo: the heap of `tendril bench heap`, of chains instead of rods.
//
// Method   A rod is a chain of capsules with ball joints. The joints have no springs: those of our
//          rods are so stiff that an explicit engine needs steps of some microseconds. Steps are
//          MuJoCo's own 2 ms, with our 1/60 s it diverges at the first impact. Rows beside the
//          real-time factor tell how well the heap was solved: overlap, and the energy left.

#include "cli/bench_clock.h"
#include "cli/bench_pile.h"

#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATIENCE 40    // times the seconds of a row
#define STEP     0.002 // s

static char variant[64];

static void row(const char *what, int32_t n, double value, const char *unit) {
    printf("{\"case\":\"heap\",\"variant\":\"%s: %s\",\"n\":%d,\"value\":%.6g,\"unit\":\"%s\"}\n",
           variant, what, (int)n, value, unit);
    fflush(stdout);
}

// ---- model ----------------------------------------------------------------------------------

static void write_rod(FILE *out, const pile_rod *rod) {
    const double l = PILE_LENGTH / PILE_SEGMENTS;
    double way[3];
    for (int k = 0; k < 3; k++) {
        way[k] = (rod->ends[1][k] - rod->ends[0][k]) / PILE_SEGMENTS;
    }
    for (int i = 0; i < PILE_SEGMENTS; i++) {
        const double *at = rod->ends[0], none[3] = {0, 0, 0};
        const double *from = i == 0 ? at : way;
        fprintf(out,
                "<body pos='%.9g %.9g %.9g'>%s<geom type='capsule' size='%g' density='%g' "
                "fromto='%g %g %g %.9g %.9g %.9g'/>\n",
                from[0], from[1], from[2], i == 0 ? "<freejoint/>" : "<joint type='ball'/>",
                PILE_RADIUS, PILE_DENSITY * l / (l + 4 * PILE_RADIUS / 3), none[0], none[1],
                none[2], way[0], way[1], way[2]);
    }
    for (int i = 0; i < PILE_SEGMENTS; i++) {
        fprintf(out, "</body>");
    }
    fprintf(out, "\n");
}

static mjModel *load(int32_t count) {
    char *text = NULL, fault[256] = "out of memory";
    size_t size = 0;
    pile_rod *rods = calloc((size_t)count, sizeof *rods);
    mjVFS *files = malloc(sizeof *files);
    FILE *out = rods && files ? open_memstream(&text, &size) : NULL;
    mjModel *model = NULL;
    if (out) {
        pile_place(rods, count);
        fprintf(out,
                "<mujoco><size nconmax='%d' njmax='%d'/><option timestep='%.17g' "
                "gravity='0 -9.81 0'/>"
                "<default><geom friction='%g 0 0' condim='3'/></default><worldbody>"
                "<geom type='plane' size='10 10 1' zaxis='0 1 0'/>\n",
                (int)(60 * count + 500), (int)(300 * count + 2000), STEP, PILE_FRICTION);
        for (int32_t k = 0; k < count; k++) {
            write_rod(out, &rods[k]);
        }
        fprintf(out, "</worldbody></mujoco>\n");
        fclose(out);
        mj_defaultVFS(files);
        if (mj_makeEmptyFileVFS(files, "heap.xml", (int)size) == 0) {
            memcpy(files->filedata[mj_findFileVFS(files, "heap.xml")], text, size);
            model = mj_loadXML("heap.xml", files, fault, sizeof fault);
        }
        mj_deleteVFS(files);
    }
    free(text);
    free(files);
    free(rods);
    if (!model) {
        fprintf(stderr, "MuJoCo: %s\n", fault);
    }
    return model;
}

// ---- run ------------------------------------------------------------------------------------

static double kinetic_of(const mjModel *m, mjData *d) {
    mjtNum *momentum = calloc((size_t)m->nv, sizeof *momentum);
    double energy = NAN;
    if (momentum) {
        mj_mulM(m, d, momentum, d->qvel);
        energy = 0.5 * mju_dot(momentum, d->qvel, m->nv);
    }
    free(momentum);
    return energy;
}

static bool run_count(int32_t count, double patience) {
    mjModel *m = load(count);
    mjData *d = m ? mj_makeData(m) : NULL;
    double seconds = 0, deepest = 0, iterations = 0, steps = 0;
    while (d && d->time < PILE_DURATION - 1e-9 && seconds < patience) {
        const double before = bench_now();
        mj_step(m, d);
        seconds += bench_now() - before;
        for (int k = 0; k < d->ncon; k++) {
            deepest = fmax(deepest, -d->contact[k].dist);
        }
        iterations += d->solver_iter;
        steps++;
    }
    const bool fine = d != NULL, whole = d && d->time >= PILE_DURATION - 1e-9;
    if (d) {
        row("simulated", count, d->time, "s");
        row("real-time factor, one thread", count, d->time / seconds, "x");
        row("iterations", count, iterations / steps, "1/step");
        row("largest overlap over the radius", count, deepest / PILE_RADIUS, "-");
        row("kinetic energy at the end", count, kinetic_of(m, d), "J");
        mj_deleteData(d);
    }
    if (m) {
        mj_deleteModel(m);
    }
    return fine && whole;
}

int main(int argc, char **argv) {
    const double seconds = argc > 2 ? atof(argv[2]) : 1;
    snprintf(variant, sizeof variant, "MuJoCo %s, limp chains, 2 ms", mj_versionString());
    for (int k = 0; k < PILE_COUNTS && run_count(pile_counts[k], PATIENCE * seconds); k++) {}
    return 0;
}
