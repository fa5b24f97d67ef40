// SPDX-License-Identifier: MIT
// Heaps of rods in worlds: rest, energy, threads, saving.

#include "td_test.h"
#include "tendril/tendril.h"
#include "world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FRICTION 0.4
#define RADIUS   0.003 // m
enum {
    RODS = 14,
    LAYERS = 15,
    EACH = 4,
    MOST = LAYERS * EACH,
    SEGMENTS = 6,
    IMPACTS = 24,
    STEPS = 300
};

// ---- the heap -------------------------------------------------------------------------------

typedef struct heap {
    td_object_def rods[MOST];
    td_vec3 ends[MOST][2];
    char names[MOST][8];
    td_scene_collider plane;
} heap;

// Layers of parallel sticks one above the other, each layer turned further.
static td_world *drop_layers(int layers, int each, int32_t threads) {
    heap h;
    td_scene_def scene = td_scene_def_default();
    td_world_opts opts = td_world_opts_default();
    td_diag diag = {.message = ""};
    td_diag_list diags = {&diag, 1, 0};
    td_world *w = NULL;
    h.plane = td_scene_collider_default(TD_COLLIDER_PLANE);
    h.plane.as.friction = scene.contact.friction = FRICTION;
    h.plane.as.rolling = 0.2; // else a stick that falls off may roll on for seconds
    scene.contact.given = true;
    scene.colliders = &h.plane;
    scene.collider_count = 1;
    scene.objects = h.rods;
    scene.object_count = layers * each;
    for (int k = 0; k < layers * each; k++) {
        const int layer = k / each;
        const double a = 0.91 * layer, x = 0.07 * cos(a), z = 0.07 * sin(a),
                     y = 0.01 + 0.012 * layer, aside = 0.3 * (k % each - 0.5 * (each - 1)),
                     shift = 0.01 * (layer % 3);
        td_object_def *o = &h.rods[k];
        *o = td_object_def_default();
        snprintf(h.names[k], sizeof h.names[k], "rod %d", k);
        h.ends[k][0] = (td_vec3){-x + shift - aside * z, y, -z + aside * x};
        h.ends[k][1] = (td_vec3){x + shift - aside * z, y + 0.004, z + aside * x};
        o->name = h.names[k];
        o->solver = "rod";
        o->start = TD_START_DRAWN;
        o->strand.points = h.ends[k];
        o->strand.point_count = 2;
        o->strand.segments = SEGMENTS;
        o->strand.radius = RADIUS;
        o->strand.start.held = o->strand.end.held = TD_END_FREE;
    }
    opts.threads = threads;
    const td_status status = td_world_new(&scene, &opts, NULL, &w, &diags);
    CHECK_SAY(status == TD_OK, "%s", diag.message);
    return w;
}

// One stick a layer: enough that threads share one island.
static td_world *drop(int32_t threads) {
    return drop_layers(RODS, 1, threads);
}

static bool go(td_world *w, int steps) {
    td_diag diag = {.message = ""};
    td_status status = w ? TD_OK : TD_ERR_MEMORY;
    for (int k = 0; k < steps && status == TD_OK; k++) {
        status = td_world_step(w, &diag);
    }
    CHECK_SAY(status == TD_OK, "%s", diag.message);
    return status == TD_OK;
}

static double energy_of(td_world *w, double *kinetic) {
    const td_energy e = td_world_sums(w).energy;
    *kinetic = e.kinetic;
    return e.kinetic + e.elastic + e.weight;
}

// Bytes of a world; the caller frees them.
static char *saved(td_world *w, size_t *size) {
    *size = td_world_save_size(w);
    char *bytes = malloc(*size);
    CHECK(bytes);
    if (bytes) {
        td_world_save(w, bytes);
    }
    return bytes;
}

// ---- claims ---------------------------------------------------------------------------------

TD_TEST(heap_of_rods_comes_to_rest_apart_and_energy_never_exceeds_that_of_the_start) {
    OWNED(td_world) *w = drop(1);
    double kinetic, start = energy_of(w, &kinetic), least = INFINITY;
    static td_contact list[2000];
    for (int n = 0; n < STEPS && go(w, 1); n++) {
        const double now = energy_of(w, &kinetic);
        const int32_t count = td_world_contacts(w, list, 2000);
        CHECK_SAY(now <= start, "step %d: %g J from %g J", n, now, start);
        for (int32_t k = 0; k < count && k < 2000; k++) {
            least = fmin(least, list[k].gap);
        }
    }
    const td_step_stats stats = td_world_stats(w);
    CHECK_SAY(least > 0, "overlap of %g m", -least);
    CHECK_SAY(kinetic < 1e-4 * start, "%g J are left of %g J", kinetic, start);
    CHECK_INT(stats.unconverged, 0);
    CHECK_INT(stats.halved, 0);
}

TD_TEST(heap_that_threads_share_has_the_same_bits_on_any_number_of_them) {
    size_t size[3];
    char *bytes[3];
    for (int k = 0; k < 3; k++) {
        OWNED(td_world) *w = drop(k + 1);
        go(w, IMPACTS);
        bytes[k] = saved(w, &size[k]);
    }
    for (int k = 1; k < 3; k++) {
        CHECK_INT(size[k], size[0]);
        CHECK_SAY(size[k] == size[0] && memcmp(bytes[k], bytes[0], size[0]) == 0,
                  "%d threads give other bits than one", k + 1);
    }
    for (int k = 0; k < 3; k++) {
        free(bytes[k]);
    }
}

TD_TEST(heap_saved_amid_impacts_goes_on_with_the_same_bits) {
    OWNED(td_world) *w = drop(1), *other = drop(2);
    size_t size, end_size, other_size;
    go(w, IMPACTS / 2);
    FREED char *middle = saved(w, &size);
    go(w, IMPACTS / 2);
    FREED char *end = saved(w, &end_size);
    CHECK(td_world_restore(other, middle, size, NULL) == TD_OK);
    go(other, IMPACTS / 2);
    FREED char *other_end = saved(other, &other_size);
    CHECK_SAY(end_size == other_size && memcmp(end, other_end, end_size) == 0,
              "the restored world went another way");
}

// How far points of two worlds are from each other, at most.
static double apart(const td_world *w, const td_world *other) {
    double most = 0;
    for (int32_t k = 0; k < td_world_actor_count(w); k++) {
        for (int32_t i = 0; i < SEGMENTS; i++) {
            td_vec3 x, y;
            td_world_segment(w, td_world_actor_id(w, k), i, &x, NULL, NULL);
            td_world_segment(other, td_world_actor_id(other, k), i, &y, NULL, NULL);
            most = fmax(most, hypot(hypot(x.x - y.x, x.y - y.y), x.z - y.z));
        }
    }
    return most;
}

// A step leaves a tenth of the tolerance at most, although most members take no part in its last
// iterations: those that others disturb go on when these are done.
TD_TEST(heap_in_which_members_wait_goes_where_a_heap_solved_tightly_goes) {
    enum { FROM = 4, TIMES = 12 };
    const double tolerance = 1e-2;
    OWNED(td_world) *w = drop_layers(LAYERS, EACH, 1), *tight = drop_layers(LAYERS, EACH, 1);
    size_t size;
    CHECK(td_world_set(w, "tolerance", tolerance, NULL) == TD_OK);
    go(w, FROM);
    for (int k = 0; k < TIMES; k++) {
        FREED char *bytes = saved(w, &size);
        CHECK(td_world_restore(tight, bytes, size, NULL) == TD_OK);
        CHECK(td_world_set(tight, "tolerance", 1e-10, NULL) == TD_OK);
        go(w, 1);
        go(tight, 1);
        const double error = apart(w, tight);
        CHECK_SAY(error < 0.1 * tolerance, "step %d: %g m", k, error);
    }
}

// Whether islands were joined in the last step, after each was solved: then members have a place
// where they came to alone.
static bool joined(const td_world *w) {
    bool any = false;
    for (int32_t k = 0; k < w->islands.member_count; k++) {
        any = any || w->islands.members[k].tried;
    }
    return any;
}

// In each of these steps the topmost layers meet, which the ways of the step before did not tell:
// they are solved again with the others. Then 118 iterations are taken if all begin anew.
TD_TEST(heap_that_sticks_join_after_its_step_goes_on_from_where_it_came_to) {
    enum { BEFORE = 2, JOINED = 5, MOST_EACH = 14 };
    OWNED(td_world) *w = drop_layers(12, 3, 1);
    go(w, BEFORE);
    CHECK(!joined(w));
    const int64_t before = td_world_stats(w).iterations;
    for (int k = 0; k < JOINED; k++) {
        go(w, 1);
        CHECK_SAY(joined(w), "nothing was joined in step %d", BEFORE + k);
    }
    const int64_t taken = td_world_stats(w).iterations - before;
    CHECK_SAY(taken <= JOINED * MOST_EACH, "%d iterations", (int)taken);
}

// A stick that rolls down a slope of 30 degrees for a second turns by three times a full turn in a
// step. Its motion changes evenly, so that the first guess is good.
TD_TEST(heap_stick_that_rolls_fast_takes_no_more_iterations_than_a_slow_one) {
    enum { WHILE = 30 };
    td_vec3 ends[2] = {{-0.1, RADIUS + 5e-4, 0}, {0.1, RADIUS + 5e-4, 0}};
    td_object_def rod = td_object_def_default();
    td_scene_collider plane = td_scene_collider_default(TD_COLLIDER_PLANE);
    td_scene_def scene = td_scene_def_default();
    td_diag diag = {.message = ""};
    td_diag_list diags = {&diag, 1, 0};
    OWNED(td_world) *w = NULL;
    rod.name = "stick";
    rod.solver = "rod";
    rod.start = TD_START_DRAWN;
    rod.strand.points = ends;
    rod.strand.point_count = 2;
    rod.strand.segments = SEGMENTS;
    rod.strand.radius = RADIUS;
    rod.strand.start.held = rod.strand.end.held = TD_END_FREE;
    plane.as.friction = 0.9;
    scene.gravity = (td_vec3){0, -9.81 * cos(0.5236), 9.81 * sin(0.5236)};
    scene.air_density = 0;
    scene.contact.given = true;
    scene.colliders = &plane;
    scene.collider_count = 1;
    scene.objects = &rod;
    scene.object_count = 1;
    CHECK_INT(td_world_new(&scene, NULL, NULL, &w, &diags), TD_OK);
    if (go(w, WHILE)) {
        const int64_t slow = td_world_stats(w).iterations;
        go(w, WHILE);
        const int64_t fast = td_world_stats(w).iterations - slow;
        CHECK_SAY(fast <= slow, "%d iterations, then %d", (int)slow, (int)fast);
    }
}
