// SPDX-License-Identifier: MIT
// tendril bench cut: what a cut and a plant that grows cost among others.
//
// Method   Plants of 31 segments with contact sway in a square. In turn one of them is cut, or gets
//          another skeleton, and the world steps on. The medians of calls and of the steps after
//          them are compared with the median of other steps.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdlib.h>

#define PLANTS   600
#define SEGMENTS 31
#define SPACING  0.4 // m
#define TIMES    15  // cuts, and as many that grow
#define BETWEEN  5   // steps

static td_status make_world(td_contact_method method, td_world **out, td_diag *diag) {
    static const td_vec3 points[3] = {{0, 0, 0}, {0.1, 0.5, 0}, {0.3, 1, 0.1}};
    td_object_def o = bench_grid(points, 0.005, SEGMENTS, PLANTS, SPACING);
    td_scene_def def = td_scene_def_default();
    td_diag_list diags = {diag, 1, 0};
    o.solver = "rod";
    o.instances.jitter = 0;
    o.instances.turned = false;
    def.objects = &o;
    def.object_count = 1;
    def.contact.given = true;
    def.contact.method = method;
    return td_world_new(&def, NULL, NULL, out, &diags);
}

typedef struct medians {
    double usual[TIMES * BETWEEN], cut[TIMES], cut_step[TIMES], grow[TIMES], grow_step[TIMES]; // s
    int32_t usual_count;
} medians;

static td_status timed_step(td_world *world, double *seconds, td_diag *diag) {
    const double start = bench_now();
    const td_status status = td_world_step(world, diag);
    *seconds = bench_now() - start;
    return status;
}

static td_status usual_steps(td_world *world, medians *m, td_diag *diag) {
    td_status status = TD_OK;
    double seconds;
    for (int k = 0; k < BETWEEN && status == TD_OK; k++) {
        status = timed_step(world, &seconds, diag);
        if (k > 0 && m->usual_count < TIMES * BETWEEN) { // the first comes after a change
            m->usual[m->usual_count++] = seconds;
        }
    }
    return status;
}

static td_status one_turn(td_world *world, int32_t k, medians *m, td_diag *diag) {
    const td_actor_id cut = td_world_actor_id(world, 7 + 31 * k),
                      grown = td_world_actor_id(world, 11 + 31 * k);
    td_actor_id fallen;
    double start = bench_now();
    td_status status = td_world_cut_actor(world, cut, SEGMENTS / 2, 0.5, &fallen, diag);
    m->cut[k] = bench_now() - start;
    status = status == TD_OK ? timed_step(world, &m->cut_step[k], diag) : status;
    status = status == TD_OK ? usual_steps(world, m, diag) : status;
    start = bench_now();
    status = status == TD_OK
                 ? td_world_regrow_actor(world, grown, td_world_actor(world, grown).skeleton, diag)
                 : status;
    m->grow[k] = bench_now() - start;
    status = status == TD_OK ? timed_step(world, &m->grow_step[k], diag) : status;
    return status == TD_OK ? usual_steps(world, m, diag) : status;
}

static bool measure(const bench *b, td_contact_method method) {
    static const char *const names[] = {"barrier", "exact"};
    td_world *world = NULL;
    td_diag diag = {.message = ""};
    medians m = {.usual_count = 0};
    double seconds;
    td_status status = make_world(method, &world, &diag);
    for (int k = 0; k < 2 * BETWEEN && status == TD_OK; k++) {
        status = timed_step(world, &seconds, &diag);
    }
    for (int32_t k = 0; k < TIMES && status == TD_OK; k++) {
        status = one_turn(world, k, &m, &diag);
    }
    td_world_free(world);
    if (status != TD_OK) {
        return bench_fault(b, names[method], status, &diag);
    }
    const double usual = bench_median(m.usual, m.usual_count);
    const struct {
        const char *name;
        double seconds;
    } rows[] = {{"usual step", usual},
                {"cut", bench_median(m.cut, TIMES)},
                {"step after a cut", bench_median(m.cut_step, TIMES)},
                {"regrow", bench_median(m.grow, TIMES)},
                {"step after a regrow", bench_median(m.grow_step, TIMES)}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        bench_row(b, PLANTS, 1e3 * rows[k].seconds, "ms", "%s, %s", rows[k].name, names[method]);
    }
    return true;
}

bool bench_cut(const bench *b) {
    return measure(b, TD_CONTACT_BARRIER) && measure(b, TD_CONTACT_EXACT);
}
