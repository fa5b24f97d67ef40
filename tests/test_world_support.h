// SPDX-License-Identifier: MIT
#pragma once

// Shared by the tests of scenes and worlds: scenes from a short notation, files in memory, worlds
// that are run and compared.
//
// The notation is that of YAML in one line: {a: 1, b: [1, 2], c: text}. Lines and columns count, so
// that places in messages can be checked.

#include "math/quat.h"
#include "math/vec3.h"
#include "td_test.h"

#include <stdarg.h>
#include <stdlib.h>

// For claims of all solvers and both methods of contact.
static const char *const solvers[] = {"tree", "rod", "helix"};
static const char *const methods[] = {"barrier", "exact"};

// A number between two, by splitmix64; set the state first.
static uint64_t random_state;

static inline td_real random_in(td_real low, td_real high) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z = z ^ z >> 31;
    return low + (high - low) * (td_real)(z >> 11) / 9007199254740992.0;
}

// ---- values ---------------------------------------------------------------------------------

typedef struct flow {
    td_value_builder *builder;
    const char *at, *line_start;
    int32_t line;
} flow;

static inline int32_t flow_column(const flow *f) {
    return (int32_t)(f->at - f->line_start) + 1;
}

static inline void flow_skip(flow *f) {
    for (; *f->at == ' ' || *f->at == '\n' || *f->at == ','; f->at++) {
        if (*f->at == '\n') {
            f->line++;
            f->line_start = f->at + 1;
        }
    }
}

static inline void flow_word(flow *f) {
    size_t size = strcspn(f->at, ",:[]{}\n");
    int32_t column = flow_column(f);
    const char *word = f->at;
    f->at += size + (f->at[size] == ':');
    while (size > 0 && word[size - 1] == ' ') {
        size--;
    }
    if (td_value_builder_wants_key(f->builder)) {
        (void)td_value_builder_key(f->builder, word, size, f->line, column);
    } else {
        (void)td_value_builder_scalar(f->builder, word, size, false, f->line, column);
    }
}

// Faults stay in the builder, which tells them at the end.
static inline td_value *value_of(const char *text, const td_alloc *alloc) {
    flow f = {NULL, text, text, 1};
    td_value *root = NULL;
    if (td_value_builder_new("test.yaml", text, strlen(text), alloc, &f.builder) != TD_OK) {
        return NULL;
    }
    for (flow_skip(&f); *f.at; flow_skip(&f)) {
        int32_t column = flow_column(&f);
        if (*f.at == '{') {
            (void)td_value_builder_begin_map(f.builder, f.line, column);
        } else if (*f.at == '[') {
            (void)td_value_builder_begin_list(f.builder, f.line, column);
        } else if (*f.at == '}' || *f.at == ']') {
            (void)td_value_builder_end(f.builder);
        } else {
            flow_word(&f);
            continue;
        }
        f.at++;
    }
    td_diag diag = {.message = ""};
    td_status status = td_value_builder_finish(f.builder, &root, &diag);
    CHECK(status == TD_OK || (alloc && status == TD_ERR_MEMORY));
    return root;
}

// ---- files ----------------------------------------------------------------------------------

typedef struct test_file {
    const char *name, *text;
} test_file;

static const test_file test_files[] = {
    {"stem.lsys", "derivation length: 4\naxiom: !(0.01)A\nA --> F(0.1)A\n"},
    {"fork.lsys", "axiom: !(0.01)F(0.2)F(0.2)[+(30)F(0.3)][-(40)F(0.25)]^(10)F(0.2)\n"},
    {"sized.lsys", "#define LENGTH 0.1\naxiom: !(0.01)F(LENGTH)F(LENGTH)\n"},
    {"leafy.lsys", "surface: L leaf\naxiom: !(0.01)F(0.2)[+(80)~L(0.1)]F(0.2)\n"},
    {"bush.lsys", "derivation length: 5\naxiom: !(0.006)A\n"
                  "A --> F(0.08)[+(25)/(90)A][-(25)/(90)A]\n"}, // 31 segments
    {"organs.lsys", "material: 0 green-wood\nmaterial: 1 leaf\nsurface: L leaf\nsurface: K flower\n"
                    "surface: O fruit\nsurface: P patch (-1,0,0) (-0.3,0,0) (0.3,0,0) (1,0,0)"
                    " (-1,0.6,0) (-0.3,0.6,0) (0.3,0.6,0) (1,0.6,0)"
                    " (-1,1.3,0) (-0.3,1.3,0) (0.3,1.3,0) (1,1.3,0)"
                    " (-1,2,0) (-0.3,2,0) (0.3,2,0) (1,2,0)\n"
                    "axiom: !(0.01)F(0.2)F(0.2)[+~L(0.1)][-F(0.1)~K(0.1)][+F(0.1)~P(0.05)]"
                    "F(0.1)[~O(0.05)]@Mat(1){.f(0.1)-(90)f(0.1)-(90)f(0.1)}\n"},
    {"nothing.lsys", "axiom: A\n"},
    {"wrong.lsys", "axiom: F(\n"},
};

static inline td_status test_read(void *context, const char *name, const char *from,
                                  size_t max_size, const td_alloc *alloc, char **text, size_t *size,
                                  char resolved[160]) {
    (void)context;
    (void)from;
    for (size_t k = 0; k < sizeof test_files / sizeof test_files[0]; k++) {
        if (strcmp(test_files[k].name, name) == 0) {
            *size = strlen(test_files[k].text);
            *text = *size > max_size ? NULL
                    : alloc          ? alloc->resize(alloc->context, NULL, 0, *size)
                                     : malloc(*size);
            if (!*text) {
                return TD_ERR_MEMORY;
            }
            memcpy(*text, test_files[k].text, *size);
            snprintf(resolved, 160, "%s", name);
            return TD_OK;
        }
    }
    return TD_ERR_READ;
}

static const td_loader test_loader = {test_read, NULL};

// ---- worlds ---------------------------------------------------------------------------------

typedef struct stage { // a world and the scene it was made of
    td_scene *scene;
    td_world *world;
    td_status status;
    td_diag diags[8];
    int32_t diag_count;
} stage;

static inline void stage_free(stage *s) {
    td_world_free(s->world);
    td_scene_free(s->scene);
    s->world = NULL;
    s->scene = NULL;
}
OWNED_VALUE(stage, stage_free(value))

// A failure is left in status and diags.
static inline stage stage_with(const char *text, td_world_opts opts, const td_alloc *alloc) {
    stage s = {.status = TD_ERR_MEMORY};
    td_value *value = value_of(text, alloc);
    td_diag_list list = {s.diags, 8, 0};
    opts.loader = &test_loader;
    if (value) {
        s.status = td_scene_from_value(value, "test.yaml", alloc, &s.scene, &list);
    }
    if (s.status == TD_OK) {
        s.status = td_world_from_scene(s.scene, &opts, alloc, &s.world, &list);
    }
    s.diag_count = list.count;
    return s;
}

// With room for contact from the start, so that steps take no memory.
static inline stage roomy_stage(const char *text, int32_t threads, const td_alloc *alloc) {
    td_world_opts opts = td_world_opts_default();
    opts.threads = threads;
    opts.near_pairs = 16;
    return stage_with(text, opts, alloc);
}

static inline stage try_stage(const char *text, int32_t threads, const td_alloc *alloc) {
    td_world_opts opts = td_world_opts_default();
    opts.threads = threads;
    return stage_with(text, opts, alloc);
}

static inline stage stage_of(const char *text) {
    stage s = try_stage(text, 1, NULL);
    if (s.status != TD_OK) {
        test_failed(__FILE__, __LINE__, "%s:%d:%d: %s", s.diags[0].file, s.diags[0].line,
                    s.diags[0].column, s.diags[0].message);
    }
    return s;
}

// The same with a text to print.
__attribute__((format(printf, 1, 2))) static inline stage stage_printed(const char *format, ...) {
    char text[8192];
    va_list args;
    va_start(args, format);
    CHECK(vsnprintf(text, sizeof text, format, args) < (int)sizeof text);
    va_end(args);
    return stage_of(text);
}

// A strand three times, by trees, rods and helices.
static inline stage stage_of_all(const char *strand, const char *rest) {
    return stage_printed(
        "{air_density: 0, %s objects: [{name: a, law: tangent, strand: {%s}},\n"
        " {name: b, solver: rod, strand: {%s}}, {name: c, solver: helix, strand: {%s}}]}",
        rest, strand, strand, strand);
}

// A world whose memory ends at any call leaves nothing behind.
static inline void check_world_without_memory(const char *text) {
    WITH_SCARCE(memory, 10) {
        OWNED(stage) s = try_stage(text, 1, &memory.alloc);
        CHECK_SAY(s.status == scarce_status(&memory), "%s", s.diags[0].message);
    }
}

typedef struct fault {
    const char *text;
    int32_t line, column; // column 0: any
    const char *message;
} fault;

// Scenes that are refused at a place, with a message.
static inline void check_faults(const fault *faults, size_t count) {
    for (size_t k = 0; k < count; k++) {
        const fault *f = &faults[k];
        OWNED(stage) s = try_stage(f->text, 1, NULL);
        const td_diag *d = &s.diags[0];
        if (s.status == TD_OK || s.diag_count < 1 || d->line != f->line ||
            (f->column != 0 && d->column != f->column) || !strstr(d->message, f->message)) {
            test_failed(__FILE__, __LINE__, "%s: %d at %d:%d '%s', wanted %d:%d '%s'", f->text,
                        s.status, d->line, d->column, d->message, f->line, f->column, f->message);
        }
        CHECK(s.world == NULL);
        CHECK(s.diag_count < 1 || strcmp(d->file, "test.yaml") == 0);
    }
}

static inline void steps(td_world *world, int32_t count) {
    td_diag diag = {.message = ""};
    for (int32_t k = 0; k < count && world; k++) {
        if (td_world_step(world, &diag) != TD_OK) {
            test_failed(__FILE__, __LINE__, "step %d: %s", k, diag.message);
            return;
        }
    }
}

// What a world tells of its actor or constraint number k.
static inline td_actor_id id_at(const td_world *world, int32_t k) {
    return td_world_actor_id(world, k);
}

static inline td_actor actor_at(const td_world *world, int32_t k) {
    return td_world_actor(world, id_at(world, k));
}

static inline td_sums sums_at(td_world *world, int32_t k) {
    return td_world_actor_sums(world, id_at(world, k));
}

static inline void segment_at(const td_world *world, int32_t k, int32_t segment, td_vec3 *origin,
                              td_vec3 *tip, td_quat *rotation) {
    td_world_segment(world, id_at(world, k), segment, origin, tip, rotation);
}

static inline void pose_at(const td_world *world, int32_t k, td_vec3 *base, td_quat *turn,
                           td_vec3 *origins, td_quat *rotations) {
    td_world_pose(world, id_at(world, k), base, turn, origins, rotations);
}

static inline td_constraint_report constraint_at(const td_world *world, int32_t k) {
    return td_world_constraint(world, td_world_constraint_id(world, k));
}

static inline td_constraint_history history_at(const td_world *world, int32_t k) {
    return td_world_constraint_history(world, td_world_constraint_id(world, k));
}

// Steps until the time.
static inline void run_to(td_world *world, td_real time) {
    while (world && td_world_time(world) < time - 1e-9) {
        td_real before = td_world_time(world);
        steps(world, 1);
        if (td_world_time(world) == before) {
            return;
        }
    }
}

static inline td_vec3 tip_of(td_world *world, int32_t actor, int32_t segment) {
    td_actor a = actor_at(world, actor);
    FREED td_vec3 *origins = calloc((size_t)a.segment_count, sizeof *origins);
    FREED td_quat *rotations = calloc((size_t)a.segment_count, sizeof *rotations);
    segment = segment < 0 ? a.segment_count - 1 : segment;
    if (!a.skeleton) { // it was removed
        return (td_vec3){0, 0, 0};
    }
    pose_at(world, actor, NULL, NULL, origins, rotations);
    td_vec3 tip = td_skeleton_segments(a.skeleton)[segment].tip;
    td_vec3 at = tdi_add(origins[segment], tdi_quat_rotate(rotations[segment], tip));
    return at;
}

typedef struct motion {
    td_vec3 tip, velocity;
    td_quat rotation;
} motion;

// Of the segment with an id, wherever it is now; those of a piece have their place in `from`..1.
static inline motion motion_of(td_world *w, int32_t actor, int32_t segment) {
    motion m;
    FREED td_vec3 *velocities =
        calloc((size_t)actor_at(w, actor).segment_count, sizeof *velocities);
    segment_at(w, actor, segment, NULL, &m.tip, &m.rotation);
    td_world_velocities(w, id_at(w, actor), velocities, NULL);
    m.velocity = velocities[segment];
    return m;
}

static inline td_real apart(td_vec3 a, td_vec3 b) {
    return tdi_norm(tdi_sub(a, b));
}

// All that the future depends on.
static inline char *saved(const td_world *world) {
    char *bytes = malloc(td_world_save_size(world));
    td_world_save(world, bytes);
    return bytes;
}

static inline bool same_bits(const td_world *a, const td_world *b) {
    size_t size = td_world_save_size(a);
    FREED char *x = saved(a), *y = saved(b);
    bool same = size == td_world_save_size(b) && memcmp(x, y, size) == 0;
    return same;
}

// One becomes what another is, by its save.
static inline void restore_from(td_world *to, const td_world *from) {
    FREED char *bytes = saved(from);
    td_diag diag = {.message = ""};
    CHECK_SAY(td_world_restore(to, bytes, td_world_save_size(from), &diag) == TD_OK, "%s",
              diag.message);
}

// Both take so many steps, and end with the same bits.
static inline void check_same_way(td_world *a, td_world *b, int32_t count) {
    steps(a, count);
    steps(b, count);
    CHECK(same_bits(a, b));
}

// A scene on one thread and on two to four ends with the same bits, after a change if there is one.
static inline void check_threads(const char *text, void (*change)(td_world *world), int32_t count) {
    OWNED(stage) one = try_stage(text, 1, NULL), two = try_stage(text, 2, NULL),
                 three = try_stage(text, 3, NULL), four = try_stage(text, 4, NULL);
    td_world *const worlds[] = {one.world, two.world, three.world, four.world};
    for (int32_t k = 0; k < 4; k++) {
        CHECK(worlds[k]);
        if (change) {
            change(worlds[k]);
        }
        steps(worlds[k], count);
        CHECK_SAY(same_bits(worlds[0], worlds[k]), "%d threads give other bits", (int)k + 1);
    }
}

// Steps of a scene take no memory, after a change if there is one, and none is left.
static inline void check_steps_take_no_memory(const char *text, void (*change)(td_world *world),
                                              int32_t count) {
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    OWNED(stage) s = try_stage(text, 1, &alloc);
    CHECK_INT(s.status, TD_OK);
    if (change) {
        change(s.world);
    }
    const long calls = heap.calls;
    steps(s.world, count);
    CHECK_INT(heap.calls, calls);
}

// A world that is restored in another one, again and again, goes on there as it does itself.
static inline void check_restoring(const char *text, int32_t times, int32_t every) {
    OWNED(stage) one = stage_of(text);
    for (int32_t k = 0; k < times; k++) {
        OWNED(stage) late = stage_of(text);
        FREED char *bytes = saved(one.world);
        td_diag diag = {.message = ""};
        CHECK_INT(td_world_restore(late.world, bytes, td_world_save_size(one.world), &diag), TD_OK);
        CHECK(same_bits(one.world, late.world));
        steps(one.world, every);
        steps(late.world, every);
        CHECK_SAY(same_bits(one.world, late.world), "restored at step %d it goes on otherwise",
                  (int)(every * k));
    }
}

// Calls a change of a world with memory that ends at its first call for it, at its second and so
// on, until it gets through: `calls` fail at least, and leave the world as it was.
static inline void check_all_or_nothing(td_world *world, test_heap *heap, long calls,
                                        td_status (*change)(void *context, td_diag *diag),
                                        void *context) {
    td_status status = TD_ERR_MEMORY;
    td_diag diag = {.message = ""};
    long fails = 0;
    for (; status == TD_ERR_MEMORY && fails < 500; fails++) {
        FREED char *before = saved(world);
        const size_t size = td_world_save_size(world);
        heap->fail_at = heap->calls + 1 + fails;
        status = change(context, &diag);
        heap->fail_at = 0;
        FREED char *after = saved(world);
        CHECK_SAY(status == TD_OK ||
                      (td_world_save_size(world) == size && memcmp(before, after, size) == 0),
                  "call %ld for memory in vain changed the world", fails);
    }
    CHECK_SAY(status == TD_OK && fails > calls, "%ld calls: %s", fails, diag.message);
}

static inline void set(td_world *world, const char *path, td_real value) {
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_set(world, path, value, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
}

static inline td_real get(const td_world *world, const char *path) {
    td_real value = NAN;
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_get(world, path, &value, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return value;
}

// A strand that stands, four segments of 10 cm, of stiff stuff.
#define ROD "strand: {points: [[0, 0, 0], [0, 0.4, 0]], segments: 4, material: green-wood}"
// One that hangs.
#define ROPE "strand: {points: [[0, 0, 0], [0, -0.4, 0]], segments: 4, radius: 0.01}"
