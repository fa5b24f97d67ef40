// SPDX-License-Identifier: MIT
// What a world keeps of the structs it was made from: nothing that belongs to the caller. Pairs
// with src/scene/fields_copy.c and scene_copy.c.

#include "test_world_support.h"

#include "scene/scene_tables.h"

// ---- memory that is overwritten before it is freed ------------------------------------------

static void *poisoning(void *context, void *block, size_t old_size, size_t new_size) {
    (void)context;
    void *next = new_size > 0 ? malloc(new_size) : NULL;
    if (next && block) {
        memcpy(next, block, old_size < new_size ? old_size : new_size);
    }
    if (block && (next || new_size == 0)) {
        memset(block, 0xdb, old_size);
        free(block);
    }
    return next;
}

static const td_alloc poison = {poisoning, NULL};

static td_status read_file(void *context, const char *name, const char *from, size_t max_size,
                           const td_alloc *alloc, char **text, size_t *size, char resolved[160]) {
    if (strcmp(name, "look.v") != 0) {
        return test_read(context, name, from, max_size, alloc, text, size, resolved);
    }
    *size = strlen("angle factor: 8\n");
    *text = malloc(*size);
    memcpy(*text, "angle factor: 8\n", *size);
    snprintf(resolved, 160, "%s", name);
    return TD_OK;
}

// ---- a scene that uses every text and list --------------------------------------------------

// The constraints begin late, so that kinds that exclude each other stand together.
#define LATE "start: 50"
static const char everything[] =
    "{name: all of it, text: every text and list, step: 0.01, record: {duration: 1, probes: [\n"
    "  {name: far, object: wire, quantity: velocity},\n"
    "  {name: hold, constraint: pin, quantity: force}]},\n"
    " objects: [\n"
    "  {name: bush, plant: sized.lsys, view: look.v, define: {LENGTH: 0.2}, solver: tree,\n"
    "   materials: [{name: green-wood, young: 2e9}], relaxation_time: 0.02, position: [0, 1, 0],\n"
    "   instances: {layout: list, places: [[0, 0, 0], [1, 0, 0]]}},\n"
    "  {name: arm, solver: tree, position: [0, 3, 0], joints: [{hinge: {segment: 0}},\n"
    "    {hinge: {segment: 1}}, {ball: {segment: 2}}, {fixed: {segment: 3}}], " ROD "},\n"
    "  {name: wire, solver: rod, start: drawn, position: [0, 5, 0], strand: {segments: 6,\n"
    "    points: [[0, 0, 0], [0.3, 0.1, 0], [0.6, 0, 0]], rest: [[0, 0, 0], [0.6, 0, 0]],\n"
    "    material: rope, bodies: [{mass: 0.01, size: [0.01, 0.01, 0.01]}],\n"
    "    radius: {along: [[0, 0.01], [1, 0.005]]}, density: {along: [[0, 900], [1, 800]]},\n"
    "    drag: {along: [[0, 1], [1, 2]]}, damping_time: {along: [[0, 0.01], [1, 0.02]]},\n"
    "    bend: {along: [[0, 0.02], [1, 0.01]]}, bend_other: {along: [[0, 0.02], [1, 0.01]]},\n"
    "    torsion: {along: [[0, 0.01], [1, 0.02]]}, stretch: {along: [[0, 1000], [1, 900]]},\n"
    "    line_mass: {along: [[0, 0.2], [1, 0.1]]}}},\n"
    "  {name: lock, solver: helix, start: drawn, position: [0, 7, 0], relaxation_time: 0.02,\n"
    "   strand: {helix: {radius: 0.05, pitch: 0.02, turns: 1}, segments: 6, material: rope}}],\n"
    " loads: [{wind: {velocity: [1, 0, 0]}},\n"
    "  {pull: {object: bush, by: [0.1, 0, 0], stiffness: 1}},\n"
    "  {push: {object: lock, force: [0, 0, 0.01]}},\n"
    "  {pose: {object: bush, bend: [10, 0, 0], strength: 0.1}},\n"
    "  {field: {object: wire, force: [0.01 * t, 0.001 * x, 0.01]}}],\n"
    " constraints: [\n"
    "  {point: {name: pin, a: {object: wire, segment: 3}}},\n"
    "  {weld: {name: w, a: {object: arm}, b: {object: bush}, " LATE "}},\n"
    "  {hinge: {name: h, a: {object: arm}, " LATE "}},\n"
    "  {slider: {name: s, a: {object: arm}, " LATE "}},\n"
    "  {curve: {name: c, a: {object: wire}, points: [[0.6, 5, 0], [0.7, 5, 0]], " LATE "}},\n"
    "  {distance: {name: d, a: {object: wire}, to: [0, 5, 0], " LATE "}},\n"
    "  {rope: {name: r, a: {object: wire}, to: [0, 5, 0], " LATE "}},\n"
    "  {stop: {name: p, a: {object: wire}, to: [0, -9, 0], " LATE "}},\n"
    "  {joint: {name: j, a: {object: arm, segment: 2}, bend: [5, 0, 0], " LATE "}},\n"
    "  {gear: {name: g, a: {object: arm, segment: 0}, b: {object: arm, segment: 1}, " LATE "}},\n"
    "  {limit: {name: l, a: {object: arm, segment: 0}, low: -90, high: 90, " LATE "}},\n"
    "  {spring: {name: e, a: {object: wire}, to: [0, 5, 0], stiffness: 2, damping: 0.1, " LATE
    "}}],\n"
    " contact: {friction: 0.2}, colliders: [{plane: {name: p, position: [0, -5, 0]}},\n"
    "  {sphere: {name: s, radius: 0.1, position: [0, -3, 0]}},\n"
    "  {capsule: {name: c, radius: 0.1, position: [3, -3, 0]}},\n"
    "  {box: {name: b, size: [0.1, 0.1, 0.1], position: [6, -3, 0]}},\n"
    "  {heightfield: {name: h, cell: 9, columns: 2, heights: [-9, -9, -9, -8]}}]}";

#define MOST_ROWS 200

typedef struct rows {
    const tdi_scene_field *all[MOST_ROWS];
    int32_t count;
} rows;

static bool points_somewhere(const tdi_scene_field *field) {
    return field->kind == TDI_SCENE_TEXT || field->kind == TDI_SCENE_LIST || field->along > 0;
}

static void add_row(rows *r, const tdi_scene_field *field) {
    bool known = r->count == MOST_ROWS;
    for (int32_t k = 0; k < r->count; k++) {
        known |= r->all[k] == field;
    }
    if (!known) {
        r->all[r->count++] = field;
    }
}

// Every row of a table, and of those that it leads to, that holds a text or a list.
static void list_rows(rows *r, const tdi_scene_table *table) {
    for (const tdi_scene_field *f = table->fields; f->key; f++) {
        if (points_somewhere(f)) {
            add_row(r, f);
        }
        if (f->table) {
            list_rows(r, f->table);
        }
    }
}

static bool note_used(void *context, const tdi_scene_field *field, void *at, const char *path) {
    (void)path;
    const char *place = at;
    const void *there = NULL;
    if (field && field->along > 0) {
        there = ((const td_along *)(place - field->offset + field->along))->values;
    } else if (field && points_somewhere(field)) {
        memcpy(&there, place, sizeof there);
    }
    if (there) {
        add_row(context, field);
    }
    return true;
}

// `everything` is what it says: a row that is new here must be used there.
static void check_all_are_used(const td_scene_def *def) {
    rows all = {.count = 0}, used = {.count = 0};
    list_rows(&all, &tdi_scene_all);
    tdi_fields_walk(&tdi_scene_all, (void *)def, note_used, &used);
    CHECK(all.count < MOST_ROWS && all.count > 40);
    for (int32_t k = 0; k < all.count; k++) {
        bool found = false;
        for (int32_t i = 0; i < used.count; i++) {
            found |= used.all[i] == all.all[k];
        }
        CHECK_SAY(found, "the scene of this test does not use '%s' (%s)", all.all[k]->key,
                  all.all[k]->doc ? all.all[k]->doc : "");
    }
}

// All that reads the scene after the world was made.
static void use(td_world *w) {
    td_actor_def more = td_actor_def_default();
    td_actor_id id;
    steps(w, 2);
    for (int32_t k = 0; k < 4; k++) {
        char path[64];
        CHECK_INT(td_world_set_integrator(w, k, TD_IMPLICIT, NULL), TD_OK);
        snprintf(path, sizeof path, "objects[%d].stiffness", (int)k);
        set(w, path, 1.1);
    }
    CHECK(get(w, "constraints[0].point.by.x") == 0);
    CHECK(td_world_constraint_find(w, "pin").place == 1 &&
          td_world_constraint_find(w, "l").place == 11);
    CHECK(strstr(td_world_probe_name(w, 0), "far"));
    CHECK_TEXT(actor_at(w, 0).name, "bush-0");
    CHECK_TEXT(td_world_collider_name(w, td_world_collider_id(w, 3)), "b");
    more.object = 2;
    more.position = tdi_vec3(0, 9, 0);
    CHECK_INT(td_world_add_actor(w, &more, &id, NULL), TD_OK);
    char *bytes = saved(w);
    steps(w, 2);
    CHECK_INT(td_world_restore(w, bytes, td_world_save_size(w), NULL), TD_OK);
    free(bytes);
    steps(w, 2);
}

TD_TEST(world_reads_nothing_of_the_structs_it_was_made_from_after_that) {
    td_world *worlds[2] = {NULL, NULL};
    OWNED(td_scene) *kept = NULL;
    for (int k = 0; k < 2; k++) {
        td_scene *scene = NULL;
        td_diag diags[4] = {{.message = ""}};
        td_diag_list list = {diags, 4, 0};
        td_world_opts opts = td_world_opts_default();
        td_loader loader = {read_file, NULL};
        opts.loader = &loader;
        td_status status =
            td_scene_from_value(value_of(everything, &poison), "test.yaml", &poison, &scene, &list);
        CHECK_SAY(status == TD_OK, "%d: %s", (int)diags[0].line, diags[0].message);
        status = scene ? td_world_new(td_scene_def_get(scene), &opts, NULL, &worlds[k], &list)
                       : TD_ERR_SYNTAX;
        CHECK_SAY(status == TD_OK, "%s", diags[0].message);
        memset(&opts, 0xdb, sizeof opts);
        memset(&loader, 0xdb, sizeof loader);
        if (k == 0 && scene) {
            check_all_are_used(td_scene_def_get(scene));
            td_scene_free(scene);
        } else {
            kept = scene;
        }
    }
    if (worlds[0] && worlds[1]) {
        use(worlds[0]);
        use(worlds[1]);
        CHECK(same_bits(worlds[0], worlds[1]));
    }
    td_world_free(worlds[0]);
    td_world_free(worlds[1]);
}

// What no file says: definitions as a map of the caller's or as pairs, and a skeleton.
TD_TEST(world_keeps_no_definitions_and_no_skeleton_of_the_caller) {
    td_object_def *objects = malloc(3 * sizeof *objects);
    td_value *map = value_of("{LENGTH: 0.3}", &poison);
    char *texts = malloc(32);
    memcpy(texts, "LENGTH\0000.25\0sized.lsys\0tree", 28);
    td_define *pair = malloc(sizeof *pair);
    *pair = (td_define){texts, texts + 7};
    for (int k = 0; k < 3; k++) {
        objects[k] = td_object_def_default();
        objects[k].position.x = k;
        objects[k].plant = texts + 12;
        objects[k].solver = texts + 23;
    }
    objects[0].define_values = map;
    objects[1].defines = pair;
    objects[1].define_count = 1;
    td_scene_def def = td_scene_def_default();
    def.objects = objects;
    def.object_count = 2;
    td_world_opts opts = td_world_opts_default();
    opts.loader = &test_loader;
    td_world *first = NULL, *world = NULL;
    td_diag diags[2] = {{.message = ""}};
    td_diag_list list = {diags, 2, 0};
    td_status status = td_world_new(&def, &opts, NULL, &first, &list);
    CHECK_SAY(status == TD_OK, "%s", diags[0].message);
    objects[2].plant = NULL;
    objects[2].skeleton = actor_at(first, 0).skeleton;
    def.object_count = 3;
    status = td_world_new(&def, &opts, NULL, &world, &list);
    CHECK_SAY(status == TD_OK, "%s", diags[0].message);
    td_world_free(first); // with the skeleton
    td_value_free(map);
    memset(objects, 0xdb, 3 * sizeof *objects);
    memset(texts, 0xdb, 32);
    memset(pair, 0xdb, sizeof *pair);
    free(objects);
    free(texts);
    free(pair);
    steps(world, 2);
    for (int32_t k = 0; world && k < 3; k++) {
        CHECK_INT(td_world_set_integrator(world, k, TD_IMPLICIT, NULL), TD_OK);
        const td_real length = td_skeleton_segments(actor_at(world, k).skeleton)[0].tip.y;
        CHECK_REL(length, k == 1 ? 0.25 : 0.3, 1e-12);
    }
    steps(world, 2);
    td_world_free(world);
}
