// SPDX-License-Identifier: MIT
// tendril bench adaptive: the forest of the scene, seen by its camera.
//
// Method   The world of the scene, with ten times its trees on ten times its ground, runs on all
//          cores. Some of its trees, near, halfway and far, stand a second time in a small world
//          with the same air, where all their joints move. After every step the tips of both are
//          seen by a camera with 1080 lines and an angle of 45 degrees, and the distance between
//          them counts, in pixels, of all tips, trees and steps.
// Short    With less than a second for a row there are as many trees less, on less ground.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINES    1080.0
#define ANGLE    0.78539816339744831 // rad: of view, from the lowest line to the highest
#define DURATION 4.0                 // s
#define SAMPLES  24                  // trees of each kind that are compared
#define LEAST    48                  // trees of each kind
#define TIMES    10.0                // as many trees as the scene has

typedef struct forest {
    case_scene scene; // it has no world
    td_scene_def def;
    td_object_def *objects;
    char (*plants)[1024];    // their files
    td_world *world, *whole; // the forest, and a few of its trees with all joints
    int32_t *twin;           // of an actor of `whole`: that of `world`
    int64_t bytes, segments;
    td_vec3 camera;
    td_vec3 *start;                // tips of `whole` before the first step
    double square, moved, largest; // pixels^2, pixels: sums over tips and steps
    int64_t compared, within;      // tips, and those that are off by a pixel or less
    double seconds, cpu, longest, start_seconds, time;
    double joints, moving; // sums over looks
    int64_t steps, looks;
    td_diag diag;
} forest;

// ---- worlds ---------------------------------------------------------------------------------

static bool fail(forest *f, const char *what) {
    if (f->diag.message[0] == '\0') {
        snprintf(f->diag.message, sizeof f->diag.message, "%s", what);
    }
    return false;
}

static bool make_world(forest *f, const td_alloc *alloc, td_world **out) {
    td_diag items[1];
    td_diag_list diags = {items, 1, 0};
    const td_loader loader = td_file_loader();
    td_world_opts opts = td_world_opts_default();
    opts.loader = &loader;
    opts.threads = case_core_count();
    const td_status status = td_world_new(&f->def, &opts, alloc, out, &diags);
    f->diag = status != TD_OK && diags.count > 0 ? items[0] : f->diag;
    return status == TD_OK || fail(f, "the forest could not be made");
}

// The scene's objects, whose plants lie beside it.
static bool take_scene(forest *f, const char *path) {
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    if (!case_scene_read(path, &f->scene)) {
        return fail(f, "the scene could not be read");
    }
    f->def = *td_scene_def_get(f->scene.scene);
    f->objects = calloc((size_t)f->def.object_count, sizeof *f->objects);
    f->plants = calloc((size_t)f->def.object_count, sizeof *f->plants);
    if (!f->objects || !f->plants) {
        return fail(f, "out of memory");
    }
    for (int32_t k = 0; k < f->def.object_count; k++) {
        f->objects[k] = f->def.objects[k];
        snprintf(f->plants[k], sizeof f->plants[k], "%.*s%s", folder, path, f->objects[k].plant);
        f->objects[k].plant = f->plants[k];
    }
    f->def.objects = f->objects;
    f->def.record.probe_count = 0;
    f->camera = f->objects[0].adapt.camera;
    return true;
}

// So many times the trees, on so much more ground behind the first of them.
static void grow(forest *f, double times) {
    for (int32_t k = 0; k < f->def.object_count; k++) {
        td_instances_def *i = &f->objects[k].instances;
        const double count = times * i->count, most = count > LEAST ? count : LEAST,
                     wider = sqrt(most / i->count), depth = i->area.z;
        i->count = (int32_t)most;
        i->area.x *= wider;
        i->area.z *= wider;
        f->objects[k].position.z -= 0.5 * (i->area.z - depth);
    }
}

// The same kinds, some of each, with all of their joints.
static bool make_whole(forest *f) {
    for (int32_t k = 0; k < f->def.object_count; k++) {
        f->objects[k].instances.count = SAMPLES;
        f->objects[k].adapt.error = 0;
    }
    return make_world(f, NULL, &f->whole);
}

// ---- twins ----------------------------------------------------------------------------------

static td_vec3 place_of(const td_world *world, int32_t actor, td_quat *rotation) {
    td_vec3 base = {0, 0, 0};
    td_world_pose(world, td_world_actor_id(world, actor), &base, rotation, NULL, NULL);
    return base;
}

typedef struct seen_tree {
    double distance; // m: from the camera
    int32_t actor;
} seen_tree;

static int by_distance(const void *a, const void *b) {
    const seen_tree *x = a, *y = b;
    return x->distance != y->distance ? (x->distance > y->distance) - (x->distance < y->distance)
                                      : (x->actor > y->actor) - (x->actor < y->actor);
}

// Trees of a kind, the nearest first: how many.
static int32_t list_kind(const forest *f, td_actor kind, seen_tree *list) {
    int32_t count = 0;
    for (int32_t k = 0; k < td_world_actor_count(f->world); k++) {
        const td_actor other = td_world_actor(f->world, td_world_actor_id(f->world, k));
        if (other.object == kind.object && other.variant == kind.variant) {
            list[count++] =
                (seen_tree){td_vec3_distance(place_of(f->world, k, NULL), f->camera), k};
        }
    }
    qsort(list, (size_t)count, sizeof *list, by_distance);
    return count;
}

// An actor of the small world is put where one of the same kind stands: the nearest, the farthest
// and others between, more of them near.
static bool place_twins(forest *f) {
    const int32_t n = td_world_actor_count(f->whole);
    seen_tree *list = calloc((size_t)td_world_actor_count(f->world), sizeof *list);
    td_status status = list ? TD_OK : TD_ERR_MEMORY;
    for (int32_t k = 0; k < n && status == TD_OK; k++) {
        const td_actor kind = td_world_actor(f->whole, td_world_actor_id(f->whole, k));
        const int32_t variants = f->objects[kind.object].instances.variants,
                      count = list_kind(f, kind, list);
        const double part = (double)(kind.instance / variants) / (SAMPLES / variants - 1.0);
        td_quat rotation;
        f->twin[k] = list[(int32_t)((count - 1) * part * part)].actor;
        const td_vec3 base = place_of(f->world, f->twin[k], &rotation);
        status = td_world_place_actor(f->whole, td_world_actor_id(f->whole, k), base, rotation,
                                      &f->diag);
    }
    free(list);
    return status == TD_OK || fail(f, "no place for a tree");
}

// ---- what is seen ---------------------------------------------------------------------------

// Pixels between two points near each other, seen from the camera.
static double pixels(const forest *f, td_vec3 a, td_vec3 b) {
    const td_vec3 d = {a.x - b.x, a.y - b.y, a.z - b.z},
                  r = {a.x - f->camera.x, a.y - f->camera.y, a.z - f->camera.z};
    const double far = r.x * r.x + r.y * r.y + r.z * r.z, along = d.x * r.x + d.y * r.y + d.z * r.z,
                 across = d.x * d.x + d.y * d.y + d.z * d.z - along * along / far;
    return LINES / 2 / tan(ANGLE / 2) * sqrt(fmax(across, 0) / far);
}

static void compare(forest *f) {
    for (int32_t k = 0, tip = 0; k < td_world_actor_count(f->whole); k++) {
        const int32_t count =
            td_world_actor(f->whole, td_world_actor_id(f->whole, k)).segment_count;
        for (int32_t i = 0; i < count; i++, tip++) {
            td_vec3 own, full;
            td_world_segment(f->world, td_world_actor_id(f->world, f->twin[k]), i, NULL, &own,
                             NULL);
            td_world_segment(f->whole, td_world_actor_id(f->whole, k), i, NULL, &full, NULL);
            const double off = pixels(f, full, own), way = pixels(f, full, f->start[tip]);
            f->square += off * off;
            f->moved += way * way;
            f->largest = fmax(f->largest, off);
            f->within += off <= 1;
            f->compared++;
        }
    }
}

static bool note_start(forest *f) {
    const int32_t n = td_world_actor_count(f->whole);
    int64_t tips = 0;
    for (int32_t k = 0; k < n; k++) {
        tips += td_world_actor(f->whole, td_world_actor_id(f->whole, k)).segment_count;
    }
    f->twin = calloc((size_t)n, sizeof *f->twin);
    f->start = calloc((size_t)tips, sizeof *f->start);
    if (!f->twin || !f->start || !place_twins(f)) {
        return fail(f, "out of memory");
    }
    for (int32_t k = 0, tip = 0; k < n; k++) {
        for (int32_t i = 0;
             i < td_world_actor(f->whole, td_world_actor_id(f->whole, k)).segment_count; i++) {
            td_world_segment(f->whole, td_world_actor_id(f->whole, k), i, NULL, &f->start[tip++],
                             NULL);
        }
    }
    return true;
}

// ---- steps ----------------------------------------------------------------------------------

static void count_joints(forest *f) {
    for (int32_t k = 0; k < td_world_actor_count(f->world); k++) {
        td_reduce_stats stats;
        if (td_world_actor_reduction(f->world, td_world_actor_id(f->world, k), &stats)) {
            f->joints += stats.joints;
            f->moving += stats.joints > 0;
        }
    }
    f->looks++;
}

static bool run(forest *f) {
    td_status status = TD_OK;
    while (status == TD_OK && td_world_time(f->world) < DURATION) {
        const double start = case_seconds();
        const clock_t began = clock();
        status = td_world_step(f->world, &f->diag);
        const double took = case_seconds() - start;
        f->cpu += (double)(clock() - began) / CLOCKS_PER_SEC;
        f->seconds += took;
        f->longest = fmax(f->longest, took);
        f->steps++;
        status = status == TD_OK ? td_world_step(f->whole, &f->diag) : status;
        compare(f);
        if (f->steps % 16 == 0) {
            count_joints(f);
        }
    }
    return status == TD_OK;
}

static void print(const bench *b, const forest *f) {
    const double steps = (double)f->steps, looks = (double)f->looks, n = (double)f->segments,
                 compared = (double)f->compared;
    bench_row(b, f->segments, f->time / f->seconds, "x real time",
              "forest, seen by a camera: time");
    bench_row(b, f->segments, 1e3 * f->seconds / steps, "ms", "forest: a step");
    bench_row(b, f->segments, 1e3 * f->cpu / steps, "ms",
              "forest: a step, processor time of all cores");
    bench_row(b, f->segments, 1e3 * f->longest, "ms", "forest: the longest step");
    bench_row(b, f->segments, sqrt(f->square / compared), "pixels, rms", "forest: error");
    bench_row(b, f->segments, 100 * (double)f->within / compared, "%",
              "forest: tips within a pixel");
    bench_row(b, f->segments, f->largest, "pixels", "forest: largest error");
    bench_row(b, f->segments, sqrt(f->moved / compared), "pixels, rms", "forest: motion");
    bench_row(b, f->segments, f->joints / looks, "joints", "forest: joints that move");
    bench_row(b, f->segments, f->moving / looks, "trees", "forest: trees that move");
    bench_row(b, f->segments, f->start_seconds, "s", "forest: start");
    bench_row(b, f->segments, (double)f->bytes / n, "bytes", "forest: memory a joint");
}

// ---- entry ----------------------------------------------------------------------------------

static void close_forest(forest *f) {
    td_world_free(f->whole);
    td_world_free(f->world);
    case_scene_free(&f->scene);
    free(f->start);
    free(f->twin);
    free(f->plants);
    free(f->objects);
}

static bool open_forest(forest *f, const bench *b, const char *path) {
    const td_alloc counting = {bench_count_resize, &f->bytes};
    if (!take_scene(f, path)) {
        return false;
    }
    grow(f, b->seconds < 1 ? TIMES * b->seconds : TIMES);
    const double start = case_seconds();
    if (!make_world(f, &counting, &f->world)) {
        return false;
    }
    f->start_seconds = case_seconds() - start;
    for (int32_t k = 0; k < td_world_actor_count(f->world); k++) {
        f->segments += td_world_actor(f->world, td_world_actor_id(f->world, k)).segment_count;
    }
    return make_whole(f) && note_start(f);
}

bool bench_forest(const bench *b) {
    bench_files files = bench_beside("../scenes/forest-in-wind.yaml");
    forest f = {.diag = {.message = ""}};
    bool fine = files.count > 0 ? open_forest(&f, b, files.paths[0]) && run(&f)
                                : fail(&f, "the scene is not beside the command, in ../scenes");
    if (fine) {
        f.time = td_world_time(f.world);
        print(b, &f);
    } else {
        bench_fault(b, "forest", TD_ERR_READ, &f.diag);
    }
    close_forest(&f);
    bench_files_free(&files);
    return fine;
}
