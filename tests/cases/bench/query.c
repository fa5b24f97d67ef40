// SPDX-License-Identifier: MIT
// tendril bench query: rays among plants.
//
// Method   A square is filled with strands of 31 segments. Rays of random directions start in it.
//          A query is timed between steps, and as the first one after a step, which updates the
//          boxes. It is compared with a loop over all segments, which needs no boxes.

#include "cases/bench/bench.h"

#include <math.h>
#include <stdlib.h>

#define SPACING  0.4 // m
#define HEIGHT   1.0
#define RAYS     1000
#define SEGMENTS 31

static const int32_t counts[] = {32, 320, 3200};

static td_status make_world(int32_t plants, td_world **out, td_diag *diag) {
    static const td_vec3 points[3] = {{0, 0, 0}, {0.1, 0.5 * HEIGHT, 0}, {0.3, HEIGHT, 0.1}};
    const td_object_def o = bench_grid(points, 0.005, SEGMENTS, plants, SPACING);
    td_scene_def def = td_scene_def_default();
    td_diag_list diags = {diag, 1, 0};
    def.objects = &o;
    def.object_count = 1;
    return td_world_new(&def, NULL, NULL, out, &diags);
}

typedef struct query_run {
    td_world *world;
    td_ray rays[RAYS];
    td_pick picks[RAYS];
    int32_t count; // rays at once
    td_vec3 *origins, *tips;
    double nearest; // m
    td_diag diag;
} query_run;

static double random_in(uint64_t *seed, double low, double high) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}

static void draw_rays(query_run *r, int32_t plants) {
    const double half = 0.5 * SPACING * ceil(sqrt(plants));
    uint64_t seed = 7;
    for (int k = 0; k < RAYS; k++) {
        r->rays[k] = (td_ray){.origin = {random_in(&seed, -half, half), random_in(&seed, 0, HEIGHT),
                                         random_in(&seed, -half, half)},
                              .direction = {random_in(&seed, -1, 1), random_in(&seed, -0.3, 0.3),
                                            random_in(&seed, -1, 1)}};
    }
}

// ---- timed functions ------------------------------------------------------------------------

static void nothing(void *context) {
    (void)context;
}

static bool cast(void *context) {
    query_run *r = context;
    return td_world_cast_rays(r->world, r->count, r->rays, r->picks, &r->diag) == TD_OK;
}

static void step(void *context) {
    query_run *r = context;
    case_must(td_world_step(r->world, &r->diag));
}

// Squared distance between a ray and an axis, by alternating between both a few times.
static double apart2(const td_ray *r, td_vec3 a, td_vec3 b) {
    const td_vec3 d = td_vec3_sub(b, a);
    const double n = td_vec3_norm(r->direction), d2 = td_vec3_dot(d, d);
    const td_vec3 u = td_vec3_scale(r->direction, 1 / n), m = td_vec3_sub(a, r->origin);
    const double b1 = td_vec3_dot(d, u), c = td_vec3_dot(d, m), e = td_vec3_dot(u, m);
    double s = d2 > b1 * b1 ? (b1 * e - c) / (d2 - b1 * b1) : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    const double t = fmax(0, e + s * b1);
    s = (t * b1 - c) / d2;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    const td_vec3 off = td_vec3_sub(td_vec3_add(m, td_vec3_scale(d, s)), td_vec3_scale(u, t));
    return td_vec3_dot(off, off);
}

static bool search_all(void *context) {
    query_run *r = context;
    const int32_t count = td_world_segment_count(r->world);
    td_world_all_poses(r->world, r->origins, r->tips, NULL);
    r->nearest = HUGE_VAL;
    for (int32_t i = 0; i < count; i++) {
        r->nearest = fmin(r->nearest, apart2(&r->rays[0], r->origins[i], r->tips[i]));
    }
    return true;
}

static void row(const bench *b, const char *what, int32_t plants, double seconds) {
    bench_row(b, plants, 1e6 * seconds, "us/ray", "%s, plants %d", what, (int)plants);
}

static bool measure(const bench *b, query_run *r, int32_t plants) {
    const bench_work many = {nothing, cast, r}, after = {step, cast, r},
                     all = {nothing, search_all, r};
    r->count = RAYS;
    const double ray = bench_fastest(&many, b->seconds) / RAYS;
    r->count = 1;
    const double first = bench_fastest(&after, b->seconds);
    const double search = bench_fastest(&all, b->seconds);
    row(b, "by boxes", plants, ray);
    row(b, "first after a step", plants, first);
    row(b, "search through all segments", plants, search);
    bench_row(b, plants, search / ray, "x", "search over boxes, plants %d", (int)plants);
    return ray > 0 && first > 0 && search > 0;
}

bool bench_query(const bench *b) {
    bool fine = true;
    for (size_t k = 0; k < sizeof counts / sizeof *counts && fine; k++) {
        query_run *r = calloc(1, sizeof *r);
        td_status status = r ? make_world(counts[k], &r->world, &r->diag) : TD_ERR_MEMORY;
        if (status == TD_OK) {
            const size_t segments = (size_t)td_world_segment_count(r->world);
            r->origins = malloc(segments * sizeof *r->origins);
            r->tips = malloc(segments * sizeof *r->tips);
            draw_rays(r, counts[k]);
            fine = r->origins && r->tips && measure(b, r, counts[k]);
        } else {
            fine = bench_fault(b, "plants", status, r ? &r->diag : NULL);
        }
        if (r) {
            free(r->tips);
            free(r->origins);
            td_world_free(r->world);
        }
        free(r);
    }
    return fine;
}
