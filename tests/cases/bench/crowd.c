// SPDX-License-Identifier: MIT
// tendril bench crowd: median and worst step of 200 plants that a capsule walks through.
//
// Method   Herb stems of 31 segments stand at rest in a grid. Neighbours touch only when something
//          pushes them. A capsule goes to and fro among them, 0.1 m above the ground: at the speed
//          of a walk, with both contact methods, and at 300 m/s with exact contact. Every step of
//          1/60 s is timed by itself, since a frame that is late is seen whatever the mean is. The
//          same with budgets of iterations and of time.
// Work     The most iterations of a step, of all islands, with a quarter of the halvings of the
//          line search and a 15th of the steps of conjugate gradients: what a budget is compared
//          with, or somewhat more.
// Time     Of the processor, so that other work on the machine does not count. Time budgets are by
//          the clock on the wall: on a busy machine more steps are cut short.

#include "cases/bench/bench.h"

#include <math.h>
#include <time.h>

#define PLANTS  200
#define SPACING 0.2 // m
#define HEIGHT  0.8
#define STEPS   60

typedef struct crowd_walk {
    const char *name;
    td_contact_method method;
    double speed; // m/s
} crowd_walk;

static const crowd_walk walks[] = {{"1.5 m/s", TD_CONTACT_EXACT, 1.5},
                                   {"1.5 m/s, barrier", TD_CONTACT_BARRIER, 1.5},
                                   {"300 m/s", TD_CONTACT_EXACT, 300}};
enum { WALKS = sizeof walks / sizeof *walks };

typedef struct limits {
    const char *name;
    int32_t iterations; // of an island and step; 0: any number
    double seconds;     // of a step; 0: any time
} limits;

static const limits budgets[] = {
    {"no budget", 0, 0}, {"20 iterations", 20, 0}, {"80 iterations", 80, 0}, {"10 ms", 0, 0.01}};
enum { BUDGETS = sizeof budgets / sizeof *budgets };

typedef struct figures {
    double seconds[STEPS];
    int32_t blocked, truncated; // steps
    double work;                // iterations of the step that has most
} figures;

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static td_status make_world(const limits *budget, td_contact_method method, td_world **out,
                            td_diag *diag) {
    static const td_vec3 points[3] = {{0, 0, 0}, {0.01, 0.5 * HEIGHT, 0}, {0.04, HEIGHT, 0.02}};
    td_object_def o = bench_grid(points, 0.004, 31, PLANTS, SPACING);
    td_scene_def def = td_scene_def_default();
    td_world_opts opts = td_world_opts_default();
    td_diag_list diags = {diag, 1, 0};
    o.strand.material = "herb-stem";
    o.start = TD_START_SETTLED;
    o.instances.jitter = 0.1;
    o.instances.turned = true;
    def.objects = &o;
    def.object_count = 1;
    def.contact.given = true;
    def.contact.method = method;
    opts.hold_blocked = true;
    opts.iteration_budget = budget->iterations;
    opts.time_budget = budget->seconds;
    return td_world_new(&def, &opts, NULL, out, &diags);
}

// Back and forth through the crowd, from 0.2 m before it.
static td_vec3 place_at(double way) {
    const double half = 0.5 * SPACING * ceil(sqrt(PLANTS)) + 0.2, turn = fmod(way, 4 * half);
    return (td_vec3){turn < 2 * half ? turn - half : 3 * half - turn, 0.5, 0.1};
}

static td_status walk(td_world *world, double speed, figures *f, td_diag *diag) {
    td_collider c = td_collider_default(TD_COLLIDER_CAPSULE);
    td_collider_id id;
    c.radius = 0.15;
    c.length = 0.5;
    c.position = c.position0 = place_at(0);
    td_status status = td_world_add_collider(world, &c, &id, diag);
    for (int32_t k = 0; k < STEPS && status == TD_OK; k++) {
        const td_step_stats was = td_world_stats(world);
        const double start = processor_seconds();
        case_must(td_world_move_collider(world, id, place_at(speed * (k + 1) / 60),
                                         td_quat_identity(), diag));
        status = td_world_step(world, diag);
        status = status == TD_ERR_BLOCKED ? TD_OK : status;
        f->seconds[k] = processor_seconds() - start;
        f->blocked += td_world_blocked_actors(world, NULL, 0) > 0;
        const td_step_stats now = td_world_stats(world);
        f->truncated += now.truncated > was.truncated;
        f->work = fmax(f->work, (double)(now.iterations - was.iterations) +
                                    0.25 * (double)(now.halvings - was.halvings) +
                                    (double)(now.gradient_steps - was.gradient_steps) / 15);
    }
    return status;
}

static bool measure(const bench *b, const crowd_walk *how, const limits *budget) {
    td_world *world = NULL;
    td_diag diag = {.message = ""};
    figures f = {.blocked = 0};
    td_status status = make_world(budget, how->method, &world, &diag);
    status = status == TD_OK ? walk(world, how->speed, &f, &diag) : status;
    td_world_free(world);
    if (status != TD_OK) {
        return bench_fault(b, "crowd", status, &diag);
    }
    const char *name = how->name;
    bench_row(b, PLANTS, 1e3 * bench_median(f.seconds, STEPS), "ms/step", "%s, %s, median", name,
              budget->name);
    bench_row(b, PLANTS, 1e3 * f.seconds[STEPS - 1], "ms/step", "%s, %s, worst", name,
              budget->name);
    bench_row(b, PLANTS, f.work, "iterations", "%s, %s, worst", name, budget->name);
    bench_row(b, STEPS, f.blocked, "steps", "%s, %s, with blocked plants", name, budget->name);
    bench_row(b, STEPS, f.truncated, "steps", "%s, %s, with truncated islands", name, budget->name);
    return true;
}

bool bench_crowd(const bench *b) {
    bool fine = true;
    for (int32_t k = 0; k < WALKS * BUDGETS && fine; k++) {
        fine = measure(b, &walks[k / BUDGETS], &budgets[k % BUDGETS]);
    }
    return fine;
}
