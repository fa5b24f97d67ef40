// SPDX-License-Identifier: MIT
// tendril bench crowd: median and worst step of 200 plants that a capsule walks through.
//
// Method   Stems of 31 segments stand in a grid, near enough to touch their neighbours, with exact
//          contact. A capsule goes to and fro among them: at the speed of a walk, and at 300 m/s.
//          Every step of 1/60 s is timed by itself, since a frame that is late is seen whatever the
//          mean is. The same with a budget of iterations.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdlib.h>

#define PLANTS  200
#define SPACING 0.2 // m
#define HEIGHT  0.8
#define STEPS   50

static const double speeds[] = {1.5, 300}; // m/s
static const int32_t budgets[] = {0, 20};  // iterations of an island and step; 0: no limit

static td_status make_world(int32_t budget, td_world **out, td_diag *diag) {
    static const td_vec3 points[3] = {{0, 0, 0}, {0.01, 0.5 * HEIGHT, 0}, {0.04, HEIGHT, 0.02}};
    td_object_def o = bench_grid(points, 0.004, 31, PLANTS, SPACING);
    td_scene_def def = td_scene_def_default();
    td_world_opts opts = td_world_opts_default();
    td_diag_list diags = {diag, 1, 0};
    o.instances.jitter = 0.1;
    o.instances.turned = true;
    def.objects = &o;
    def.object_count = 1;
    def.contact.given = true;
    def.contact.method = TD_CONTACT_EXACT;
    opts.hold_blocked = true;
    opts.iteration_budget = budget;
    return td_world_new(&def, &opts, NULL, out, &diags);
}

// Back and forth through the crowd.
static td_vec3 place_at(double way) {
    const double half = 0.5 * SPACING * ceil(sqrt(PLANTS)) + 0.4, turn = fmod(way, 4 * half);
    return (td_vec3){turn < 2 * half ? turn - half : 3 * half - turn, 0.4, 0.1};
}

static bool walk(const bench *b, double speed, int32_t budget) {
    td_world *world = NULL;
    td_diag diag = {.message = ""};
    td_collider c = td_collider_default(TD_COLLIDER_CAPSULE);
    td_collider_id id;
    double seconds[STEPS];
    int32_t blocked = 0;
    c.radius = 0.15;
    c.length = 0.5;
    c.position = c.position0 = place_at(0);
    td_status status = make_world(budget, &world, &diag);
    status = status == TD_OK ? td_world_add_collider(world, &c, &id, &diag) : status;
    for (int32_t k = 0; k < STEPS && status == TD_OK; k++) {
        const double start = case_seconds();
        case_must(td_world_move_collider(world, id, place_at(speed * (k + 1) / 60),
                                         td_quat_identity(), &diag));
        status = td_world_step(world, &diag);
        status = status == TD_ERR_BLOCKED ? TD_OK : status;
        seconds[k] = case_seconds() - start;
        blocked += td_world_blocked_actors(world, NULL, 0) > 0;
    }
    td_world_free(world);
    if (status != TD_OK) {
        return bench_fault(b, "crowd", status, &diag);
    }
    bench_row(b, PLANTS, 1e3 * bench_median(seconds, STEPS), "ms/step",
              "%g m/s, %d iterations, median", speed, (int)budget);
    bench_row(b, PLANTS, 1e3 * seconds[STEPS - 1], "ms/step", "%g m/s, %d iterations, worst", speed,
              (int)budget);
    bench_row(b, STEPS, blocked, "steps", "%g m/s, %d iterations, with blocked plants", speed,
              (int)budget);
    return true;
}

bool bench_crowd(const bench *b) {
    bool fine = true;
    for (int32_t k = 0; k < 4 && fine; k++) {
        fine = walk(b, speeds[k / 2], budgets[k % 2]);
    }
    return fine;
}
