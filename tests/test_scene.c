// SPDX-License-Identifier: MIT
// Scenes: reading, defaults, and every way in which they can be wrong. Pairs with
// src/scene/scene*.c and src/world/object_skeleton.c.

#include "test_world_support.h"

// ---- reading --------------------------------------------------------------------------------

TD_TEST(scene_without_more_than_an_object_has_all_defaults) {
    OWNED(stage) s = stage_of("{objects: [{" ROD "}]}");
    const td_scene_def *d = td_scene_def_get(s.scene);
    td_object_def o = td_object_def_default();
    td_scene_def all = td_scene_def_default();
    CHECK(d->gravity.y == -9.81 && d->step == 0 && d->air_density == 1.2 && d->drag == 1);
    CHECK(all.step == d->step && all.record.fps == 30 && all.record.duration == 10);
    CHECK_INT(d->object_count, 1);
    CHECK_INT(d->load_count, 0);
    CHECK(o.size == 1 && o.stiffness == 1 && o.damping == 1 && o.damping_ratio == -1);
    CHECK(o.relaxation_time == -1 && o.time_scale == 1 && o.local.amount == 0 && o.rotation.w == 1);
    CHECK(d->objects[0].instances.turned && d->objects[0].instances.count == 1);
    CHECK_INT(d->objects[0].strand.segments, 4);
    CHECK_INT(o.strand.segments, 20);
    CHECK_INT(d->objects[0].start, TD_START_SETTLED);
}

TD_TEST(scene_object_takes_a_skeleton_in_place_of_its_strand) {
    OWNED(stage) s = stage_of("{objects: [{name: one, " ROD "}]}");
    const td_world_opts opts = td_world_opts_default();
    td_skeleton *fork = NULL;
    OWNED(td_world) *world = NULL;
    td_diag diag = {.message = ""};
    const char *text = "axiom: F[+F]-F\n";
    CHECK(td_skeleton_from_text(text, strlen(text), NULL, &fork, &diag) == TD_OK);
    CHECK(td_scene_set_skeleton(s.scene, 1, fork, &diag) == TD_ERR_ARGUMENT);
    CHECK(td_scene_set_skeleton(s.scene, 0, fork, &diag) == TD_OK);
    CHECK(td_world_from_scene(s.scene, &opts, NULL, &world, NULL) == TD_OK);
    td_skeleton_free(fork); // it was borrowed while the world was made
    CHECK_INT(actor_at(world, 0).segment_count, 3);
    CHECK_INT(td_world_step(world, &diag), TD_OK);
}

TD_TEST(scene_loads_have_the_defaults_of_their_kind) {
    td_scene_load wind = td_scene_load_default(TD_SCENE_WIND);
    td_scene_load pull = td_scene_load_default(TD_SCENE_PULL);
    td_scene_load push = td_scene_load_default(TD_SCENE_PUSH);
    td_scene_load pose = td_scene_load_default(TD_SCENE_POSE);
    CHECK_INT(wind.kind, TD_SCENE_WIND);
    CHECK(wind.as.wind.length == 4 && wind.as.wind.seed == 1);
    CHECK_INT(pull.kind, TD_SCENE_PULL);
    CHECK(pull.as.pull.stiffness == 100 && pull.as.pull.end > 1e20 && !pull.as.pull.to_given);
    CHECK_INT(pull.as.pull.place.segment_id, -1);
    CHECK_INT(push.kind, TD_SCENE_PUSH);
    CHECK(push.as.push.end > 1e20 && push.as.push.twist == 0);
    CHECK_INT(pose.kind, TD_SCENE_POSE);
    CHECK(pose.as.pose.strength == 1);
}

TD_TEST(scene_reads_all_that_a_file_says) {
    OWNED(stage) s =
        stage_of("{name: a name, text: what it shows, gravity: [0, -1, 0], step: 1/120,\n"
                 " air_density: 0, record: {duration: 2, fps: 60, page: false,\n"
                 "  probes: [{name: top, quantity: velocity}]},\n"
                 " objects: [{name: one, plant: fork.lsys, size: 2, start: drawn},\n"
                 "  {name: two, " ROPE ", position: [1, 2, 3],\n"
                 "   rotation: {axis: [0, 1, 0], degrees: 90}}],\n"
                 " loads: [{wind: {velocity: [1, 0, 0]}}, {pull: {object: two, by: [0, 0, 1]}},\n"
                 "  {push: {force: [1, 0, 0], end: 1}}, {pose: {object: two}}]}");
    const td_scene_def *d = td_scene_def_get(s.scene);
    CHECK_TEXT(d->name, "a name");
    CHECK_TEXT(d->text, "what it shows");
    CHECK(d->gravity.y == -1 && d->step == 1.0 / 120 && d->air_density == 0);
    CHECK(d->record.duration == 2 && d->record.fps == 60 && !d->record.page && d->record.glb);
    CHECK_INT(d->object_count, 2);
    CHECK(d->objects[0].size == 2 && d->objects[0].start == TD_START_DRAWN);
    CHECK(d->objects[1].position.z == 3);
    CHECK_REL(d->objects[1].rotation.y, sqrt(0.5), 1e-15);
    CHECK_INT(d->load_count, 4);
    CHECK_INT(d->loads[3].kind, TD_SCENE_POSE);
    CHECK_INT(td_world_actor_count(s.world), 2);
    CHECK_TEXT(actor_at(s.world, 1).name, "two");
    CHECK_TEXT(td_world_probe_name(s.world, 0), "top.x [m/s]");
    CHECK_INT(td_world_probe_columns(s.world), 3);
}

TD_TEST(scene_defines_reach_the_plant) {
    OWNED(stage) s =
        stage_of("{objects: [{plant: sized.lsys, define: {LENGTH: 0.25}, start: drawn}]}");
    CHECK_REL(tip_of(s.world, 0, -1).y, 0.5, 1e-12);
}

TD_TEST(scene_steps_and_seed_win_over_the_file) {
    OWNED(stage) s = stage_of("{objects: [{plant: stem.lsys, steps: 7}, {plant: stem.lsys}]}");
    CHECK_INT(actor_at(s.world, 0).segment_count, 7);
    CHECK_INT(actor_at(s.world, 1).segment_count, 4);
}

typedef struct text_sink {
    size_t size;
    bool has_strand;
} text_sink;

static void take(void *context, const char *text, size_t size) {
    text_sink *sink = context;
    sink->size += size;
    for (size_t k = 0; k + 8 <= size; k++) {
        sink->has_strand |= memcmp(text + k, "tip_mass", 8) == 0;
    }
}

TD_TEST(scene_reference_names_every_key) {
    text_sink sink = {0, false};
    CHECK_INT(td_scene_reference(take, &sink), TD_OK);
    CHECK(sink.size > 4000 && sink.has_strand);
}

// ---- faults with their places ---------------------------------------------------------------

TD_TEST(scene_faults_of_objects_have_their_places) {
    static const fault faults[] = {
        {"{step: 0.1}", 1, 1, "lacks the key 'objects'"},
        {"{objects:\n [{}]}", 2, 3, "neither 'plant' nor 'strand'"},
        {"{objects: [{plant: fork.lsys,\n " ROD "}]}", 1, 12, "either 'plant' or 'strand'"},
        {"{objects: [{strand: {points:\n [[0, 0, 0]]}}]}", 2, 2, "at least two"},
        {"{objects: [{strand: {points:\n [[0, 1, 0], [0, 1, 0]]}}]}", 2, 2, "no length"},
        {"{objects: [{strand: {points: [[0, 0, 0], [0, 1, 0]],\n material: cheese}}]}", 2, 12,
         "unknown material 'cheese'"},
        {"{objects: [{plant: none.lsys}]}", 1, 20, "cannot read 'none.lsys'"},
        {"{objects: [{plant: nothing.lsys}]}", 1, 20, "no segments"},
        {"{objects: [{" ROD ", instances: {smallest: 2,\n largest: 1}}]}", 2, 11, "'smallest'"},
        {"{objects: [{" ROD ",\n instances: {layout: list}}]}", 2, 13, "needs 'places'"},
        {"{objects: [{" ROD ", damping_ratio: 1,\n relaxation_time: 1}]}", 2, 19,
         "remove one of them"},
        {"{objects: [{name: a, " ROD "},\n {name: a, " ROD "}]}", 2, 9, "already has the name 'a'"},
        {"{objects: [{" ROD
         "}], colliders: [{plane: {name: a}}, {sphere: {}},\n {box: {name: a}}]}",
         2, 15, "another collider already has the name 'a'"},
        {"{objects: [{" ROD ",\n materials: [{name: cheese, young: 1}]}]}", 2, 14, "'cheese'"},
        {"{objects: [{" ROD ",\n stiffnes: 1}]}", 2, 2, "did you mean 'stiffness'"},
        {"{objects: [{" ROD ",\n stiffness: -1}]}", 2, 13, "'stiffness' is -1"},
        {"{objects: [{" ROD ",\n solver: spline}]}", 2, 10, "one of tree, rod"},
        {"{objects: [{" ROD ", rest_under_gravity: true,\n stiffness: 0}]}", 2, 13,
         "needs a stiffness above 0"},
        {"{objects: [{plant: fork.lsys,\n define: 3}]}", 2, 10, "must be a map"},
        {"{objects: [{plant: fork.lsys,\n define: {A: [1]}}]}", 2, 14, "a number or a text"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}

TD_TEST(scene_faults_of_loads_and_probes_have_their_places) {
    static const fault faults[] = {
        {"{objects: [{" ROD "}], loads:\n [{pull: {object: b}}]}", 2, 19, "no object named 'b'"},
        {"{objects: [{" ROD "}], loads:\n [{push: {object: b}}]}", 2, 19, "no object named 'b'"},
        {"{objects: [{" ROD "}], loads:\n [{pose: {object: b}}]}", 2, 19, "no object named 'b'"},
        {"{objects: [{" ROD "}], loads:\n [{pull: {instance: 1}}]}", 2, 21, "has 1 instance,"},
        {"{objects: [{" ROD "}], loads:\n [{pull: {segment: 9}}]}", 2, 20, "with the id 9"},
        {"{objects: [{" ROD "}], loads:\n [{push: {segment: 9}}]}", 2, 20, "with the id 9"},
        {"{objects: [{" ROD "}], loads:\n [{pull: {start: 2, end: 1}}]}", 2, 26,
         "not be before 'start'"},
        {"{objects: [{" ROD "}], loads:\n [{push: {start: 2, end: 1}}]}", 2, 26,
         "not be before 'start'"},
        {"{objects: [{" ROD "}], loads:\n [{blow: 1}]}", 2, 4, "no 'blow'"},
        {"{objects: [{" ROD "}], loads:\n [{wind: {intensity: 3}}]}", 2, 22, "'intensity' is 3"},
        {"{objects: [{" ROD "}], loads:\n [{wind: {roughness: 1e-9}}]}", 2, 10, "roughness"},
        {"{objects: [{" ROD "}], record: {probes:\n [{object: b}]}}", 2, 12, "no object named"},
        {"{objects: [{" ROD "}], record: {probes:\n [{segment: 7}]}}", 2, 13, "with the id 7"},
        {"{objects: [{" ROD "}], record: {probes:\n [{quantity: smell}]}}", 2, 14, "one of"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}

TD_TEST(scene_keys_that_contradict_each_other_or_have_no_effect_are_faults) {
    static const fault faults[] = {
        {"{objects: [{" ROD "}], loads:\n [{pull: {segment: 1, near: [0, 0, 0]}}]}", 2, 29,
         "'segment' and 'near' both choose"},
        {"{objects: [{" ROD "}], record: {probes:\n [{segment: 1, organ: stem}]}}", 2, 23,
         "'segment' and 'organ' both choose"},
        {"{objects: [{" ROD "}], contact: {friction: 0.5,\n static_friction: 0.1}}", 2, 19,
         "'static_friction' is 0.1; it must be at least 'friction', which is 0.5"},
        {"{objects: [{" ROD "}], colliders: [{plane: {friction: 0.5,\n static_friction: 0.1}}]}", 2,
         19, "'static_friction' is 0.1"},
        {"{objects: [{" ROD "}], contact: {\n law: poisson}}", 2, 7, "needs 'method: exact'"},
        {"{objects: [{" ROD
         "}], constraints: [{point: {a: {segment: 1}, to: [0, 1, 0],\n by: [0, 1, "
         "0]}}]}",
         2, 6, "'to' and 'by' both say"},
        {"{objects: [{" ROD "}], constraints: [{limit: {\n a: {segment: 1}}}]}", 2, 5,
         "the limit has no range"},
        {"{objects: [{" ROD
         "}], constraints: [{weld: {a: {segment: 1}, b: {segment: 3},\n rotation: "
         "{axis: [1, 0, 0], degrees: 9}}}]}",
         2, 12, "turns a weld to the world"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}

TD_TEST(scene_faults_of_keyframes_name_the_key) {
    static const fault faults[] = {
        {"{objects: [{" ROD "}], gravity: {keys: [[0, [0, 0, 0]],\n [0, [0, 1, 0]]]}}", 2, 3,
         "after"},
        {"{objects: [{" ROD ", position: {repeat: true, keys: [[0, [0, 0, 0]],\n"
         " [1, [1, 0, 0]]]}}]}",
         2, 2, "equal that of its first"},
        {"{objects: [{" ROD ",\n size: {keys: [[0, 1], [1, 2]]}}]}", 2, 8, "cannot have keys"},
    };
    check_faults(faults, sizeof faults / sizeof faults[0]);
}

TD_TEST(scene_faults_of_a_grammar_are_listed) {
    OWNED(stage) s = try_stage("{objects: [{plant: wrong.lsys}]}", 1, NULL);
    CHECK_INT(s.status, TD_ERR_SYNTAX);
    CHECK(s.diag_count >= 1);
    CHECK_TEXT(s.diags[0].file, "wrong.lsys");
}

TD_TEST(scene_lists_all_faults_at_once) {
    OWNED(stage) s = try_stage(
        "{objects: [{" ROD ", size: 0}], stepp: 1, loads: [{pull: {segment: x}}]}", 1, NULL);
    CHECK_INT(s.status, TD_ERR_SYNTAX);
    CHECK_INT(s.diag_count, 3);
}

TD_TEST(scene_without_a_loader_cannot_read_plants) {
    td_object_def o = td_object_def_default();
    td_scene_def d = td_scene_def_default();
    td_world_opts opts = td_world_opts_default();
    td_world *world = NULL;
    td_diag diag = {.message = ""};
    td_diag_list list = {&diag, 1, 0};
    o.plant = "fork.lsys";
    d.objects = &o;
    d.object_count = 1;
    CHECK_INT(td_world_new(&d, &opts, NULL, &world, &list), TD_ERR_READ);
    CHECK_HAS(diag.message, "objects[0].plant: the plant's file cannot be read");
    CHECK(world == NULL);
}

// ---- structs filled by hand -----------------------------------------------------------------

static const td_vec3 up[2] = {{0, 0, 0}, {0, 0.4, 0}};

static td_object_def rod_def(void) {
    td_object_def o = td_object_def_default();
    o.strand.points = up;
    o.strand.point_count = 2;
    o.strand.segments = 4;
    o.strand.material = "green-wood";
    return o;
}

// Tells the first message of a scene that must be refused.
static td_status refuse(const td_scene_def *def, td_diag *diag) {
    td_world_opts opts = td_world_opts_default();
    td_diag_list list = {diag, 1, 0};
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    OWNED(td_world) *world = NULL;
    diag->message[0] = 0;
    td_status status = td_world_new(def, &opts, &alloc, &world, &list);
    CHECK(status != TD_OK && world == NULL);
    CHECK_INT(heap.held, 0);
    return status;
}

TD_TEST(scene_filled_by_hand_equals_the_one_from_a_file) {
    OWNED(stage) s = stage_of("{objects: [{name: rod, " ROD "}],\n"
                              " loads: [{wind: {velocity: [5, 0, 0], intensity: 0.3}},\n"
                              " {pull: {by: [0.1, 0, 0]}}]}");
    td_object_def o = rod_def();
    td_scene_load loads[2] = {td_scene_load_default(TD_SCENE_WIND),
                              td_scene_load_default(TD_SCENE_PULL)};
    td_scene_def d = td_scene_def_default();
    td_world_opts opts = td_world_opts_default();
    OWNED(td_world) *world = NULL;
    o.name = "rod";
    loads[0].as.wind.velocity.x = 5;
    loads[0].as.wind.intensity = 0.3;
    loads[1].as.pull.by.x = 0.1;
    d.objects = &o;
    d.object_count = 1;
    d.loads = loads;
    d.load_count = 2;
    CHECK_INT(td_world_new(&d, &opts, NULL, &world, NULL), TD_OK);
    memset(&o, 0xff, sizeof o); // all of it was borrowed
    memset(loads, 0xff, sizeof loads);
    check_same_way(world, s.world, 30);
}

TD_TEST(scene_filled_by_hand_is_refused_for_every_number_out_of_range) {
    td_object_def o = rod_def();
    td_scene_def d = td_scene_def_default();
    td_diag diag;
    d.objects = &o;
    d.object_count = 1;
#define REFUSED(place, value, word)                  \
    do {                                             \
        td_object_def o_ = o;                        \
        td_scene_def d_ = d;                         \
        place = value;                               \
        CHECK_INT(refuse(&d, &diag), TD_ERR_SYNTAX); \
        CHECK_HAS(diag.message, word);               \
        o = o_;                                      \
        d = d_;                                      \
    } while (0)
    REFUSED(d.step, -1, "step:");
    REFUSED(d.step, 1e-12, "step");
    REFUSED(d.step, (double)NAN, "step:");
    REFUSED(d.gravity.z, (double)INFINITY, "gravity:");
    REFUSED(d.air_density, -1, "air_density:");
    REFUSED(d.record.fps, 0, "record.fps:");
    REFUSED(d.record.duration, -1, "record.duration:");
    REFUSED(d.object_count, -1, "objects");
    REFUSED(d.load_count, 3, "loads");
    REFUSED(d.record.probe_count, 2, "record.probes");
    REFUSED(o.size, 0, "objects[0].size:");
    REFUSED(o.stiffness, -1, "objects[0].stiffness:");
    REFUSED(o.position.x, (double)NAN, "objects[0].position:");
    REFUSED(o.rotation.w, 0, "objects[0].rotation:");
    REFUSED(o.integrator, (td_integrator)17, "objects[0].integrator:");
    REFUSED(o.start, (td_start)-3, "objects[0].start:");
    REFUSED(o.strand.segments, -4, "objects[0].strand.segments:");
    REFUSED(o.strand.radius, 0, "objects[0].strand.radius:");
    REFUSED(o.strand.point_count, -1, "strand.points");
    REFUSED(o.material_count, 2, "materials");
    REFUSED(o.define_count, 2, "defines");
    REFUSED(o.instances.variants, 0, "objects[0].instances.variants:");
    REFUSED(o.instances.count, 0, "objects[0].instances.count:");
    REFUSED(o.instances.layout, (td_instance_layout)9, "objects[0].instances.layout:");
    REFUSED(o.instances.place_count, 2, "instances.places");
    REFUSED(o.local.amount, 2, "objects[0].local.amount:");
#undef REFUSED
}

TD_TEST(scene_filled_by_hand_is_refused_for_wrong_loads_and_probes) {
    td_object_def o = rod_def();
    td_scene_load load = td_scene_load_default(TD_SCENE_PULL);
    td_probe_def probe = td_probe_def_default();
    td_scene_def d = td_scene_def_default();
    td_diag diag;
    d.objects = &o;
    d.object_count = 1;
    d.loads = &load;
    d.load_count = 1;
    load.kind = (td_scene_load_kind)12;
    CHECK_INT(refuse(&d, &diag), TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "loads[0]");
    load = td_scene_load_default(TD_SCENE_PULL);
    load.as.pull.place.instance = -1;
    CHECK_INT(refuse(&d, &diag), TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "loads[0].pull.instance:");
    load = td_scene_load_default(TD_SCENE_PULL);
    d.record.probes = &probe;
    d.record.probe_count = 1;
    probe.quantity = (td_quantity)77;
    CHECK_INT(refuse(&d, &diag), TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "record.probes[0].quantity:");
}

TD_TEST(world_options_are_checked) {
    td_object_def o = rod_def();
    td_scene_def d = td_scene_def_default();
    td_world *world = NULL;
    td_world_opts opts = td_world_opts_default();
    td_diag diag = {.message = ""};
    td_diag_list list = {&diag, 1, 0};
    d.objects = &o;
    d.object_count = 1;
    CHECK_INT(td_world_new(&d, NULL, NULL, &world, &list), TD_OK); // the defaults
    td_world_free(world);
    opts.struct_size--;
    CHECK_INT(td_world_new(&d, &opts, NULL, &world, NULL), TD_ERR_DEF);
    opts = td_world_opts_default();
    opts.threads = 0;
    CHECK_INT(td_world_new(&d, &opts, NULL, &world, NULL), TD_ERR_ARGUMENT);
    opts.threads = 1;
    opts.max_segments = 3;
    list.count = 0;
    CHECK_INT(td_world_new(&d, &opts, NULL, &world, &list), TD_ERR_LIMIT);
    CHECK_HAS(diag.message, "strand.segments");
    o.instances.count = 9;
    list.count = 0;
    CHECK_INT(td_world_new(&d, &opts, NULL, &world, &list), TD_ERR_LIMIT);
    CHECK_HAS(diag.message, "the scene has more than 3 instances");
    o.instances.count = 2;
    opts.max_segments = 7;
    list.count = 0;
    CHECK_INT(td_world_new(&d, &opts, NULL, &world, &list), TD_ERR_LIMIT);
    CHECK_HAS(diag.message, "more than 7 segments");
    CHECK(world == NULL);
}

// ---- messages -------------------------------------------------------------------------------

TD_TEST(definition_that_a_plant_does_not_have_is_told_at_its_name_in_the_scene) {
    const fault faults[] = {
        {"{objects: [{plant: sized.lsys,\n define: {LENGHT: 3}}]}", 2, 11,
         "the model has no 'LENGHT' that could be defined; did you mean 'LENGTH'?"},
        {"{objects: [{plant: sized.lsys,\n define: {LENGTH: 3,\n  NOSUCH: 3}}]}", 3, 3,
         "the model has no 'NOSUCH' that could be defined"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
}

TD_TEST(suggestions_are_near_and_long_lists_of_keys_end_after_a_word) {
    OWNED(stage) s = try_stage("{objects: [{colour: red, " ROD "}]}", 1, NULL);
    const char *message = s.diags[0].message, *end = message + strlen(message);
    CHECK_HAS(message, "there is no 'colour' in 'object'; expected one of name, plant, view, ");
    CHECK_SAY(strstr(message, " and ") && end - message < 300 && strcmp(end - 5, " more") == 0,
              "%s", message);
    stage_free(&s);
    s = try_stage("{objects: [{" ROD ", solvr: tree}]}", 1, NULL);
    CHECK_HAS(s.diags[0].message, "did you mean 'solver'?");
    stage_free(&s);
    s = try_stage("{objects: [{strand: {points: [[0, 0, 0], [0, 1, 0]], material: xyzzy}}]}", 1,
                  NULL);
    CHECK_TEXT(s.diags[0].message, "unknown material 'xyzzy' ('tendril info' lists all)");
}

TD_TEST(stiffness_of_zero_is_told_with_the_key_that_needs_it) {
    const fault faults[] = {
        {"{objects: [{" ROD ",\n stiffness: 0, damping_ratio: 0.1}]}", 2, 13,
         "'damping_ratio' needs a stiffness above 0"},
        {"{objects: [{" ROD ",\n stiffness: 0, rest_under_gravity: true}]}", 2, 13,
         "'rest_under_gravity' needs a stiffness above 0"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
}

TD_TEST(object_without_a_shape_is_told_in_the_words_of_its_maker) {
    const fault faults[] = {
        {"{objects: [{name: a}]}", 1, 12, "the object has neither 'plant' nor 'strand'"},
        {"{objects: [{plant: stem.lsys, " ROD "}]}", 1, 12, "has more than one"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
    td_scene_def def = td_scene_def_default();
    td_object_def object = td_object_def_default();
    td_diag diag = {.message = ""};
    td_diag_list list = {&diag, 1, 0};
    td_world *world = NULL;
    def.objects = &object;
    def.object_count = 1;
    CHECK_INT(td_world_new(&def, NULL, NULL, &world, &list), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "objects[0]: the object has no plant, no strand and no skeleton (they "
                             "are NULL or empty); it needs one of them");
}

// ---- keys without effect --------------------------------------------------------------------

// The scene is taken; the message is a warning at the place of the key.
static void check_warning(const char *text, int32_t line, const char *message) {
    OWNED(stage) s = try_stage(text, 1, NULL);
    CHECK_INT(s.status, TD_OK);
    CHECK_SAY((s.diag_count > 0) == (message != NULL), "%s: %d", text, (int)s.diag_count);
    if (s.diag_count > 0 && message) {
        CHECK_INT(s.diags[0].status, TD_OK);
        CHECK_INT(s.diags[0].line, line);
        CHECK_HAS(s.diags[0].message, message);
    }
}

TD_TEST(push_without_force_and_elements_of_trees_are_warned_of) {
    const char *none = "neither 'force' nor 'twist'";
    check_warning("{objects: [{start: drawn, " ROD "}],\n loads: [{push: {segment: 0}}]}", 2, none);
    check_warning("{objects: [{start: drawn, " ROD "}], loads: [{push: {twist: 1}}]}", 0, NULL);
    check_warning("{objects: [{start: drawn, " ROD
                  "}], loads: [{push: {force: {keys: [[0, [0, 0, 0]], [1, [1, 0, 0]]]}}}]}",
                  0, NULL);
    check_warning("{objects: [{start: drawn, plant: fork.lsys,\n elements: 2}]}", 2,
                  "the solver 'tree' steps every segment");
    check_warning("{objects: [{start: drawn, plant: fork.lsys, solver: helix, elements: 2}]}", 0,
                  NULL);
}

// ---- overlap --------------------------------------------------------------------------------

// A rod at the origin; the second crosses it, or a sphere is in its way.
#define LYING(name, start, at, more)                               \
    "{name: " name ", start: " start ", solver: %s, position: " at \
    ", strand: {points: [[-0.2, 0, 0], [0.2, 0, 0]], segments: 4, radius: 0.01}" more "}"

// What starts as drawn stops in its first step, which `tendril check` takes.
static void check_overlap(const char *text, const char *solver, const char *method, bool drawn,
                          const char *message) {
    char scene[1500];
    snprintf(scene, sizeof scene, text, method, solver, solver);
    OWNED(stage) s = try_stage(scene, 1, NULL);
    td_diag diag = s.diags[0];
    CHECK_SAY((s.status == TD_OK) == drawn, "%s: %d", solver, s.status);
    if (drawn && s.world) {
        CHECK(td_world_step(s.world, &diag) != TD_OK);
        // at one of the two objects; against a sphere at 'two', on the second line
        CHECK_IN(diag.line, strstr(message, "collider") ? 2 : 1, 2);
        CHECK_SAY(diag.column > 0 && diag.source[0], "%s %s", solver, method);
    } else {
        CHECK_INT(diag.line, 1);
    }
    CHECK_HAS(diag.message, strstr(message, "collider")
                                ? "; move them apart by more than that, or make a radius smaller"
                                : "; move them apart by more than that, make a radius smaller, or "
                                  "write `contact: {overlap: push}`");
    CHECK_SAY(strstr(diag.message, message) && !strstr(diag.message, "start: drawn"), "%s %s: %s",
              solver, method, diag.message);
}

TD_TEST(overlap_at_the_start_is_told_with_its_depth_and_what_helps) {
    for (int k = 0; k < 6; k++) {
        const char *solver = solvers[k / 2], *method = methods[k % 2];
        check_overlap(
            "{contact: {method: %s}, objects: [" LYING("one", "drawn", "[0, 0, 0]", "") ",\n" LYING(
                "two", "drawn", "[0, 0.015, 0]", "") "]}",
            solver, method, true, "of 'two' overlap at the start of the step, by 0.005");
        check_overlap("{contact: {method: %s}, objects: [" LYING(
                          "one", "settled", "[0, 0, 0]", "") ",\n" LYING("two", "settled",
                                                                         "[0, 0.015, 0]", "") "]}",
                      solver, method, false, "of 'two' overlap at the start of the step, by 0.005");
        check_overlap(
            "{contact: {method: %s}, colliders: [{sphere: {radius: 0.1, position: "
            "[0, 3.109, 0]}}], objects: [" LYING("one", "drawn", "[0, 0, 0]", "") ",\n" LYING(
                "two", "drawn", "[0, 3, 0]", "") "]}",
            solver, method, true,
            "of 'two' and collider 0 (sphere) overlap at the start of the step, by 0.001 m");
    }
}

TD_TEST(overlap_push_helps_where_the_message_names_it) {
    for (int k = 0; k < 4; k++) {
        const char *start = k / 2 ? "drawn" : "settled";
        OWNED(stage) s = stage_printed(
            "{contact: {method: %s, overlap: push}, objects: [" LYING(
                "one", "%s", "[0, 0, 0]", "") ",\n" LYING("two", "%s", "[0, 0.015, 0]", "") "]}",
            methods[k % 2], start, "rod", start, "rod");
        CHECK_INT(td_world_pushed(s.world).overlapping, 10);
        steps(s.world, 60);
        CHECK_INT(td_world_pushed(s.world).overlapping, 1); // the one at both clamped bases
    }
}

TD_TEST(near_takes_a_segment_of_the_organ_that_is_asked_for) {
    OWNED(stage) s = try_stage("{objects: [{plant: leafy.lsys}], constraints: [\n"
                               " {point: {a: {near: [-0.09, 0.22, 0], organ: fruit}}}]}",
                               1, NULL);
    CHECK_INT(s.status, TD_ERR_SYNTAX);
    CHECK_INT(s.diags[0].line, 2);
    CHECK_HAS(s.diags[0].message, "the object has no segment that is a fruit");
}

typedef struct heard {
    char text[4][200];
    int count;
} heard;

static void hear(void *context, td_log_level level, const char *text) {
    heard *h = context;
    (void)level;
    if (h->count < 4) {
        snprintf(h->text[h->count++], sizeof h->text[0], "%.199s", text);
    }
}

TD_TEST(segments_that_are_chosen_by_near_are_told_in_the_log) {
    heard told = {.count = 0};
    td_world_opts opts = td_world_opts_default();
    opts.log = (td_log){hear, &told, TD_LOG_INFO};
    OWNED(stage) s = stage_with("{objects: [{name: tomato, plant: leafy.lsys}], constraints: [\n"
                                " {point: {a: {near: [-0.08, 0.2, 0]}}},\n"
                                " {point: {a: {near: [-0.08, 0.2, 0], organ: stem}}}]}",
                                opts, NULL);
    CHECK_SAY(s.status == TD_OK, "%s", s.diags[0].message);
    CHECK_HAS(told.text[0],
              "chosen: constraints[0].point.a is segment 1 of 'tomato', a leaf: its tip is");
    CHECK_HAS(told.text[1],
              "chosen: constraints[1].point.a is segment 0 of 'tomato', a stem: its tip is");
}
