// SPDX-License-Identifier: MIT
// Calls of the whole public API in random order with random arguments: random_api SEED SECONDS.
//
// Method   A round makes a scene and its world, then calls drawn from the rows of random_calls.h.
//          Arguments are mostly sound, now and then strange: ids of what was removed, indices that
//          are not there, numbers that are not finite, NULL. Every round is played twice.
// Claims   Nothing crashes. A refusal says why. A step takes no memory, unless
//          contact may grow. All memory is given back.
//          The second play gives the same bits. In a run of 20 s every row of calls is drawn.
// Asking   TRACE tells every call before it is made, TIMES how often each row was drawn and what
//          time it took.

#include "fuzz/claim.h"
#include "test_owned.h"

#include "tendril/tendril.h"
#include "tendril/yaml.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum {
    KEPT = 12,     // ids that are remembered, living or not
    MOST = 8,      // actors and colliders: beyond, none is added
    ROOM = 4096,   // segments that queries have room for
    CALLS = 12000, // a round
    SAVES = 2,
    HELD = 4, // constraints that a round adds
};

typedef struct play {
    uint64_t random, digest;
    td_scene *scene;
    td_world *world;
    td_diag diag;
    bool asked; // the call under way was given the diag
    td_actor_id actors[KEPT];
    td_collider_id colliders[KEPT];
    td_grab_id grabs[KEPT];
    td_constraint_id holds[HELD];
    struct {
        unsigned char *bytes;
        size_t size;
    } saves[SAVES];
    td_real pull;   // N: of the field
    bool no_growth; // of contact memory in steps
} play;

static td_vec3 points[2][ROOM];
static td_quat turns[ROOM];
static td_box boxes[ROOM];

// ---- what is drawn --------------------------------------------------------------------------

// splitmix64
static uint64_t draw(play *p) {
    uint64_t z = p->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

// 0..count - 1
static int32_t below(play *p, int32_t count) {
    return (int32_t)(draw(p) % (uint64_t)count);
}

static bool rarely(play *p) {
    return below(p, 24) == 0;
}

static td_real number(play *p, td_real low, td_real high) {
    static const td_real strange[] = {0,      -1,       1e-300,    1e300,
                                      -1e300, INFINITY, -INFINITY, (td_real)NAN};
    return below(p, 100) == 0 ? strange[below(p, 8)]
                              : low + (high - low) * (td_real)(draw(p) >> 11) / 9007199254740992.0;
}

static td_vec3 vector(play *p, td_real size) {
    const td_real x = number(p, -size, size), y = number(p, -size, size);
    return (td_vec3){x, y, number(p, -size, size)};
}

// Somewhere in front of the scene, above the ground.
static td_vec3 place(play *p) {
    td_vec3 at = vector(p, 1.5);
    at.y += 1.6;
    return at;
}

static td_quat turn(play *p) {
    if (rarely(p)) {
        return (td_quat){number(p, -1, 1), number(p, -1, 1), 0, 0};
    }
    const td_real angle = (td_real)below(p, 628) / 100;
    return (td_quat){cos(angle / 2), 0, sin(angle / 2), 0};
}

// An index, now and then one that is not there.
static int32_t any_index(play *p, int32_t count) {
    return rarely(p) ? below(p, 2) ? -1 - below(p, 3) : count + below(p, 3)
                     : (count > 0 ? below(p, count) : 0);
}

static int32_t any_actor(play *p) {
    return any_index(p, td_world_actor_count(p->world));
}

static int32_t any_segment(play *p, int32_t actor) {
    return any_index(p, td_world_actor(p->world, td_world_actor_id(p->world, actor)).segment_count);
}

static td_actor_id any_actor_id(play *p) {
    return below(p, 2) ? p->actors[below(p, KEPT)] : td_world_actor_id(p->world, any_actor(p));
}

static td_collider_id any_collider_id(play *p) {
    return p->colliders[below(p, KEPT)];
}

// Mostly all collide.
static td_filter any_filter(play *p) {
    td_filter f = td_filter_default();
    f.category = (uint32_t)(1 + below(p, 3));
    f.mask = below(p, 3) ? f.mask : (uint32_t)below(p, 4);
    return f;
}

static td_collider any_collider(play *p) {
    td_collider c = td_collider_default((td_collider_kind)(below(p, 4)));
    c.radius = number(p, 0.02, 0.3);
    c.length = number(p, 0, 0.5);
    c.sides = (td_vec3){number(p, 0.02, 0.5), 0.1, 0.2};
    c.position0 = c.position = place(p);
    c.rotation0 = c.rotation = turn(p);
    c.friction = number(p, 0, 1);
    return c;
}

// The world, now and then none.
static td_world *world(play *p) {
    return below(p, 200) ? p->world : NULL;
}

static td_diag *diag(play *p) {
    p->diag = (td_diag){.message = ""};
    p->asked = below(p, 4) > 0;
    return p->asked ? &p->diag : NULL;
}

// ---- what comes back ------------------------------------------------------------------------

static void take(play *p, const void *data, size_t size) {
    const unsigned char *bytes = data;
    for (size_t k = 0; k < size; k++) {
        p->digest = (p->digest ^ bytes[k]) * 0x100000001b3u;
    }
}

static void take_int(play *p, int64_t value) {
    take(p, &value, sizeof value);
}

static void take_real(play *p, td_real value) {
    take(p, &value, sizeof value);
}

static void take_vec(play *p, td_vec3 value) {
    take(p, &value, sizeof value);
}

static void take_text(play *p, const char *text) {
    claim(text != NULL, "a text is never NULL");
    take(p, text, strlen(text));
}

static td_status take_status(play *p, td_status status) {
    take_int(p, status);
    claim(td_status_text(status)[0] != 0, "a status has a text");
    if (status != TD_OK && p->asked) {
        claim(p->diag.message[0] != 0, "a refusal says why");
        take_text(p, p->diag.message);
    }
    p->asked = false;
    return status;
}

static void take_points(play *p, const td_vec3 *v, int32_t count) {
    take(p, v, (size_t)(count > 0 ? count : 0) * sizeof *v);
}

#include "random_world.h"

// ---- numbers of the scene -------------------------------------------------------------------

static const char *any_path(play *p) {
    static const char *const paths[] = {"gravity.y",
                                        "gravity.x",
                                        "drag",
                                        "air_density",
                                        "objects[0].stiffness",
                                        "objects[1].damping",
                                        "objects[0].position.x",
                                        "objects[9].position.x",
                                        "loads[0].wind.velocity.x",
                                        "constraints[0].point.to.x",
                                        "objects[0].adapt.error",
                                        "step",
                                        "nothing",
                                        "",
                                        "objects[",
                                        "objects[0].stiffness.x.y[1]"};
    return paths[below(p, (int32_t)(sizeof paths / sizeof paths[0]))];
}

static void get_number(play *p) {
    td_real value = 0;
    take_status(p, td_world_get(p->world, any_path(p), rarely(p) ? NULL : &value, diag(p)));
    take_real(p, value);
}

static void set_number(play *p) {
    const char *path = any_path(p);
    td_real value = number(p, 0, 2);
    if (strcmp(path, "step") == 0) {
        value = number(p, 0.002, 0.04);
    } else if (strncmp(path, "gravity", 7) == 0) {
        value = number(p, -12, 2);
    }
    take_status(p, td_world_set(world(p), path, value, diag(p)));
}

static void pull_field(void *context, td_real time, td_actor_id actor, int32_t count,
                       const td_vec3 *tips, const td_vec3 *velocities, td_vec3 *forces) {
    const play *p = context;
    for (int32_t i = 0; i < count; i++) {
        forces[i].x += p->pull * sin(5 * time + actor.place) - 0.001 * velocities[i].x;
        forces[i].z -= p->pull * tips[i].x;
    }
}

static void stepped(void *context, td_world *w) {
    take_real(context, td_world_time(w));
}

// ---- saves ----------------------------------------------------------------------------------

static void save(play *p) {
    const int32_t k = below(p, SAVES);
    free(p->saves[k].bytes);
    p->saves[k].bytes = saved(p, &p->saves[k].size);
    take(p, p->saves[k].bytes, p->saves[k].size);
}

// Whole, cut off or with a bit turned over.
static void restore(play *p) {
    const int32_t k = below(p, SAVES), way = below(p, 4);
    const size_t size = p->saves[k].size;
    unsigned char *bytes = p->saves[k].bytes;
    if (!bytes) {
        return;
    }
    const size_t at = (size_t)(draw(p) % size);
    bytes[at] ^= (unsigned char)(way == 1 ? 1 << below(p, 8) : 0);
    const td_status status =
        take_status(p, td_world_restore(world(p), bytes, way == 2 ? at : size, diag(p)));
    claim(status != TD_OK || (way != 1 && way != 2), "a damaged save is refused");
    if (way == 1) {
        free(bytes);
        p->saves[k].bytes = NULL;
    }
}

// ---- plants ---------------------------------------------------------------------------------

static const char *const plants[] = {
    "derivation length: 2\naxiom: !(0.01)A\nA --> F(0.1)[+(40)F(0.1)]A\n",
    "axiom: !(0.01)F(0.2)F(0.2)[+(30)F(0.3)][-(40)F(0.25)]^(10)F(0.2)\n",
    "derivation length: 1\naxiom: !(0.02)F(0.2)B\nB --> F(0.1)[&(30)~l(0.1)]\n", "axiom: A\n",
    "axiom: F(\n"};

static td_status load(void *context, const char *name, const char *from, size_t max_size,
                      const td_alloc *with, char **text, size_t *size, char resolved[160]) {
    const char *found = plants[name[0] == 'b'];
    (void)context, (void)from, (void)max_size;
    if (strcmp(name + 1, ".lsys") != 0) {
        return TD_ERR_READ; // nothing is beside it
    }
    *size = strlen(found);
    *text = with->resize(with->context, NULL, 0, *size);
    if (!*text) {
        return TD_ERR_MEMORY;
    }
    memcpy(*text, found, *size);
    snprintf(resolved, 160, "%s", name);
    return TD_OK;
}

static void grow(play *p) {
    const char *text = plants[below(p, 5)];
    OWNED(td_skeleton) *skeleton = NULL;
    OWNED(td_mesh) *mesh = NULL;
    OWNED(td_bytes) bytes = {0};
    if (take_status(p, td_skeleton_from_text(text, strlen(text), &alloc, &skeleton, diag(p))) ==
        TD_OK) {
        take_int(p, td_skeleton_count(skeleton));
        if (take_status(p, td_mesh_new(skeleton, NULL, &alloc, &mesh, diag(p))) == TD_OK &&
            take_status(p, td_mesh_glb(mesh, "random", &alloc, &bytes)) == TD_OK) {
            take_int(p, (int64_t)bytes.size);
        }
    }
}

// ---- solvers by themselves ------------------------------------------------------------------

static void read_body(play *p) {
    td_body *body = td_world_body(p->world, any_actor_id(p));
    const int32_t segment = any_index(p, 4);
    td_vec3 tip = {0, 0, 0};
    take_real(p, td_body_energy(body, (td_vec3){0, -9.81, 0}).elastic + td_body_time(body));
    take_vec(p, td_body_tip(body, segment));
    take_vec(p, td_body_moment(body, segment));
    take_vec(p, td_body_velocity(body, segment, (td_vec3){0, 0.01, 0}));
    take_status(p, td_body_poses(body, segment, 1, NULL, below(p, 2) ? &tip : NULL, NULL, NULL));
    take_real(p, td_rod_tension(body, segment));
    take_int(p, td_body_solver(td_body_model_of(body)) != NULL);
}

#include "random_change.h"

#include "random_alone.h"

#include "random_parts.h"

#include "random_calls.h"

// ---- rounds ---------------------------------------------------------------------------------

#define STRAND \
    "strand: {points: [[0, 0, 0], [0.15, 0.02, 0], [0.3, 0, 0]], segments: 4, radius: 0.01}"
#define GROUND "colliders: [{plane: {}}, {sphere: {radius: 0.1, position: [3, 0.3, 0]}}]"

static const char *const scenes[] = {
    "{objects: [{name: a, plant: a.lsys, position: [0, 0.02, 0]},"
    " {name: b, solver: rod, start: drawn, position: [0, 0.8, 0], " STRAND "}],"
    " loads: [{wind: {velocity: [2, 0, 0]}}], contact: {}, " GROUND "}",
    "{objects: [{name: a, solver: rod, start: drawn, position: [0, 0.6, 0], " STRAND "},"
    " {name: b, solver: rod, start: drawn, position: [0, 0.9, 0.1], " STRAND "}],"
    " contact: {method: exact, restitution: 0.4}, " GROUND "}",
    "{objects: [{name: a, solver: helix, start: drawn, position: [0, 1, 0], " STRAND "},"
    " {name: b, plant: b.lsys, integrator: rk4, position: [1, 0, 0]}], step: 0.002}",
    "{objects: [{name: a, plant: b.lsys, adapt: {error: 0.05}},"
    " {name: b, solver: helix, start: drawn, position: [0.5, 1, 0], " STRAND "}],"
    " loads: [{wind: {velocity: [3, 0, 1], intensity: 0.3}}],"
    " sleep: {}, record: {probes: [{object: a, quantity: position}]}}",
    "{objects: [{name: a, start: drawn, position: [0, 1, 0], " STRAND "},"
    " {name: b, plant: a.lsys, position: [1, 0.02, 0], instances: {count: 3}}],"
    " constraints: [{point: {a: {object: a}, to: [0.3, 1, 0]}}],"
    " sleep: {time: 0.05}, contact: {}, " GROUND "}"};

static void open_world(play *p) {
    const char *text = scenes[below(p, (int32_t)(sizeof scenes / sizeof scenes[0]))];
    const td_loader loader = {load, NULL};
    td_value *value = NULL;
    td_diag diags[4] = {{.message = ""}};
    td_diag_list list = {diags, 4, 0};
    td_world_opts opts = td_world_opts_default();
    opts.loader = &loader;
    opts.threads = 1 + below(p, 2);
    opts.hold_blocked = below(p, 2);
    opts.no_growth = p->no_growth = below(p, 2);
    td_status status = td_value_from_yaml(text, strlen(text), "scene", &alloc, &value, &diags[0]);
    status = status ? status : td_scene_from_value(value, "scene", &alloc, &p->scene, &list);
    status = status ? status : td_world_from_scene(p->scene, &opts, &alloc, &p->world, &list);
    if (status != TD_OK) {
        fprintf(stderr, "%s: %d:%d: %s\n", text, diags[0].line, diags[0].column, diags[0].message);
    }
    claim(status == TD_OK, "a scene becomes a world");
}

static void close_world(play *p) {
    for (int k = 0; k < SAVES; k++) {
        free(p->saves[k].bytes);
    }
    td_world_free(p->world);
    td_scene_free(p->scene);
    claim(heap.held == 0, "all memory is given back");
}

enum { ROWS = sizeof rows / sizeof rows[0] };

static struct {
    int64_t calls;
    clock_t time;
} used[ROWS];

static int32_t any_row(play *p) {
    int32_t total = 0, k = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        total += rows[i].weight;
    }
    for (int32_t left = below(p, total); left >= rows[k].weight; k++) {
        left -= rows[k].weight;
    }
    return k;
}

static void call_row(play *p, int32_t k) {
    const clock_t began = clock();
    claim_during = rows[k].name;
    p->asked = false;
    rows[k].call(p);
    used[k].calls++;
    used[k].time += clock() - began;
}

static void tell_rows(void) {
    for (int32_t k = 0; k < ROWS; k++) {
        printf("%-30s %9lld %9.3f s\n", rows[k].name, (long long)used[k].calls,
               (double)used[k].time / CLOCKS_PER_SEC);
    }
}

static void check_rows(void) {
    for (int32_t k = 0; k < ROWS; k++) {
        claim_during = rows[k].name;
        claim(used[k].calls > 0, "every row is drawn");
    }
}

static void check_actors(const play *p) {
    for (int32_t k = 0; k < td_world_actor_count(p->world); k++) {
        const td_actor actor = td_world_actor(p->world, td_world_actor_id(p->world, k));
        claim(td_skeleton_count(actor.skeleton) == actor.segment_count,
              "an actor has the segments of its skeleton");
    }
}

// Plays a round; with `trace` each call is told before it is made.
static uint64_t round_of(uint64_t seed, bool trace) {
    FREED play *p = calloc(1, sizeof *p);
    claim(p != NULL, "there is memory for a round");
    p->random = seed;
    p->digest = 0xcbf29ce484222325u;
    open_world(p);
    for (int k = 0; k < CALLS; k++) {
        const int32_t drawn = any_row(p);
        if (trace) {
            fprintf(stderr, "%d %s %016llx\n", k, rows[drawn].name, (unsigned long long)p->digest);
        }
        call_row(p, drawn);
        check_actors(p);
    }
    close_world(p);
    const uint64_t digest = p->digest;
    return digest;
}

int main(int argc, char **argv) {
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const double seconds = argc > 2 ? strtod(argv[2], NULL) : 20;
    const bool trace = getenv("TRACE") != NULL;
    const time_t began = time(NULL);
    uint64_t seed = first;
    do {
        fprintf(stderr, "\rround %llu", (unsigned long long)seed);
        const uint64_t once = round_of(seed, trace), again = round_of(seed, trace);
        claim(once == again, "the same calls give the same bits");
        seed++;
    } while (difftime(time(NULL), began) < seconds);
    if (getenv("TIMES")) {
        tell_rows();
    }
    if (seconds >= 20) {
        check_rows();
    }
    const double calls = 2.0 * CALLS * (double)(seed - first);
    printf("\n%.0f random calls, %.0f a second of processor time\n", calls,
           calls / fmax((double)clock() / CLOCKS_PER_SEC, 0.01));
    return 0;
}
