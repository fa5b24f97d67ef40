// SPDX-License-Identifier: MIT
// The builder, pruning, poses. Pairs with src/plant/builder.c, check.c, prune.c, skeleton.c.

#include "td_test.h"

#include "math/quat.h"
#include "plant/store.h"

// ---- refusals -------------------------------------------------------------------------------

// One way to spoil a definition, and the field that the message must name.
typedef struct spoiler {
    void (*spoil)(td_segment_def *def);
    const char *field;
} spoiler;

#define SPOIL(name, statement)                      \
    static void spoil_##name(td_segment_def *def) { \
        statement;                                  \
    }
SPOIL(id, def->id = -2)
SPOIL(parent_ahead, def->parent = 1)
SPOIL(parent_below, def->parent = -2)
SPOIL(joint, def->joint = (td_joint_kind)9)
SPOIL(joint_free, def->joint = TD_JOINT_FREE)
SPOIL(attach, def->attach.y = NAN)
SPOIL(attach_far, def->attach.z = 1e12)
SPOIL(axis, def->axis.x = INFINITY)
SPOIL(axis_zero, (def->joint = TD_JOINT_HINGE, def->axis.x = 0))
SPOIL(rest, def->rest.w = 1.1)
SPOIL(rest_nan, def->rest.x = NAN)
SPOIL(initial, def->initial.w = 0.5)
SPOIL(slide, def->initial_slide = NAN)
SPOIL(length_zero, def->length = 0)
SPOIL(length_nan, def->length = NAN)
SPOIL(radius_base, def->radius_base = 0)
SPOIL(radius_tip, def->radius_tip = -1e-9)
SPOIL(flat, def->flat = 0)
SPOIL(material, def->material = 1)
SPOIL(organ, def->organ = (td_organ)5)
SPOIL(shape_of_stem, def->shape = 0)
SPOIL(shape_missing, def->organ = TD_ORGAN_LEAF)
SPOIL(shape_wood, (def->organ = TD_ORGAN_LEAF, def->shape = 0))
SPOIL(color, def->color = 0x1000000)
SPOIL(mass, def->mass = -1)
SPOIL(centre, (def->mass = 1, def->centre_of_mass.x = NAN))
SPOIL(second, (def->mass = 1, def->centre_of_mass.y = 1))
SPOIL(tip, (def->has_tip = true, def->tip.x = NAN))
SPOIL(young, def->joint_young = -1)
SPOIL(stiffness, (def->has_stiffness = true, def->stiffness.y = -1))
SPOIL(damping, (def->has_damping = true, def->damping.z = NAN))

TD_TEST(plant_builder_refusals_name_the_field_and_the_segment) {
    const spoiler spoilers[] = {
        {spoil_id, "id"},
        {spoil_parent_ahead, "parent"},
        {spoil_parent_below, "parent"},
        {spoil_joint, "joint"},
        {spoil_joint_free, "joint"},
        {spoil_attach, "attach"},
        {spoil_attach_far, "attach"},
        {spoil_axis, "axis"},
        {spoil_axis_zero, "axis"},
        {spoil_rest, "rest"},
        {spoil_rest_nan, "rest"},
        {spoil_initial, "initial"},
        {spoil_slide, "initial_slide"},
        {spoil_length_zero, "length"},
        {spoil_length_nan, "length"},
        {spoil_radius_base, "radius_base"},
        {spoil_radius_tip, "radius_tip"},
        {spoil_flat, "flat"},
        {spoil_material, "material"},
        {spoil_organ, "organ"},
        {spoil_shape_of_stem, "shape"},
        {spoil_shape_missing, "shape"},
        {spoil_shape_wood, "material"},
        {spoil_color, "color"},
        {spoil_mass, "mass"},
        {spoil_centre, "centre_of_mass"},
        {spoil_second, "second_moment"},
        {spoil_tip, "tip"},
        {spoil_young, "joint_young"},
        {spoil_stiffness, "stiffness"},
        {spoil_damping, "damping"},
    };
    OWNED(td_builder) *b = test_builder();
    td_shape shape = td_shape_default();
    td_segment_def def = td_segment_def_default();
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    for (size_t i = 0; i < sizeof spoilers / sizeof spoilers[0]; i++) {
        if (spoilers[i].spoil == spoil_shape_wood) {
            CHECK_INT(td_builder_add_shape(b, &shape, NULL, NULL), TD_OK);
        }
        td_diag diag = {.status = TD_OK};
        def = td_segment_def_default();
        def.parent = 0;
        spoilers[i].spoil(&def);
        CHECK_INT(td_builder_add(b, &def, NULL, &diag), TD_ERR_ARGUMENT);
        CHECK_INT(diag.status, TD_ERR_ARGUMENT);
        CHECK_INT(diag.index, 1);
        size_t length = strlen(spoilers[i].field);
        if (strncmp(diag.message, spoilers[i].field, length) != 0 || diag.message[length] != ' ') {
            test_failed(__FILE__, __LINE__, "\"%s\" does not start with %s", diag.message,
                        spoilers[i].field);
        }
    }
}

TD_TEST(plant_builder_refuses_a_definition_that_is_not_from_its_default) {
    OWNED(td_builder) *b = NULL;
    td_diag diag = {.status = TD_OK};
    td_skeleton_opts opts = {.struct_size = 0};
    CHECK_INT(td_builder_new(&opts, NULL, &b, NULL), TD_ERR_DEF);
    CHECK(b == NULL);
    CHECK_INT(td_builder_new(NULL, NULL, &b, NULL), TD_OK);
    td_segment_def def = {.struct_size = 3};
    CHECK_INT(td_builder_add(b, &def, NULL, &diag), TD_ERR_DEF);
    CHECK_HAS(diag.message, "struct_size");
}

TD_TEST(plant_builder_refuses_options_out_of_range) {
    td_builder *b = NULL;
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.prune_length = -1;
    CHECK_INT(td_builder_new(&opts, NULL, &b, NULL), TD_ERR_ARGUMENT);
    opts = td_skeleton_opts_default();
    opts.prune_mass = NAN;
    CHECK_INT(td_builder_new(&opts, NULL, &b, NULL), TD_ERR_ARGUMENT);
    opts = td_skeleton_opts_default();
    opts.springs = (td_spring_rule)4;
    CHECK_INT(td_builder_new(&opts, NULL, &b, NULL), TD_ERR_ARGUMENT);
    opts = td_skeleton_opts_default();
    opts.max_segments = -1;
    CHECK_INT(td_builder_new(&opts, NULL, &b, NULL), TD_ERR_ARGUMENT);
}

TD_TEST(plant_builder_stops_at_max_segments) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.max_segments = 3;
    OWNED(td_builder) *b = NULL;
    td_diag diag = {.status = TD_OK};
    CHECK_INT(td_builder_new(&opts, NULL, &b, NULL), TD_OK);
    td_segment_def def = td_segment_def_default();
    for (int i = 0; i < 3; i++) {
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    }
    CHECK_INT(td_builder_add(b, &def, NULL, &diag), TD_ERR_LIMIT);
    CHECK_HAS(diag.message, "max_segments");
}

TD_TEST(plant_builder_refuses_materials_and_shapes_by_field) {
    OWNED(td_builder) *b = test_builder();
    td_diag diag;
    td_material m = td_material_get(0);
    m.density = 0;
    CHECK_INT(td_builder_add_material(b, &m, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "density");
    m = td_material_get(0);
    m.poisson = 0.6;
    CHECK_INT(td_builder_add_material(b, &m, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "poisson");
    m = td_material_get(0);
    m.damping_time = NAN;
    CHECK_INT(td_builder_add_material(b, &m, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "damping_time");
    m = td_material_get(0);
    memset(m.name, 'x', sizeof m.name);
    CHECK_INT(td_builder_add_material(b, &m, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "name");
    m = td_material_get(0);
    m.organ = (td_organ)9;
    CHECK_INT(td_builder_add_material(b, &m, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "organ of the material is 9; it must be one of td_organ");
    td_shape s = td_shape_default();
    s.kind = (td_shape_kind)9;
    CHECK_INT(td_builder_add_shape(b, &s, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "kind of the shape is 9; it must be one of td_shape_kind");
    s = td_shape_default();
    s.kind = TD_SHAPE_BOX;
    s.depth = 0;
    CHECK_INT(td_builder_add_shape(b, &s, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "depth of the shape is 0; expected above 0 and at most 100");
    s = td_shape_default();
    s.widest = 1;
    CHECK_INT(td_builder_add_shape(b, &s, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "widest");
    s = td_shape_default();
    s.lobes = -1;
    CHECK_INT(td_builder_add_shape(b, &s, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "lobes");
    s = td_shape_default();
    s.kind = TD_SHAPE_FLOWER;
    s.petals = 0;
    s.centre = 0;
    CHECK_INT(td_builder_add_shape(b, &s, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "petals");
    s = td_shape_default();
    s.kind = TD_SHAPE_POLYGON;
    s.polygon_count = 1;
    CHECK_INT(td_builder_add_shape(b, &s, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "polygon_first");
    const td_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const int32_t three = 3;
    s = td_shape_default();
    s.kind = TD_SHAPE_POLYGON;
    CHECK_INT(tdi_builder_add_polygons(b, &s, corners, &three, 1, NULL, &diag), TD_OK);
    s.kind = TD_SHAPE_PATCHES;
    s.polygon_count = 1;
    CHECK_INT(td_builder_add_shape(b, &s, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "a patch has 3 control points; expected 16");
}

// a fifth power of a tiny radius is no number any more
TD_TEST(plant_builder_refuses_numbers_that_vanish_or_overflow_together) {
    OWNED(td_builder) *b = test_builder();
    td_skeleton *skeleton = NULL;
    td_diag diag;
    td_segment_def def = td_segment_def_default();
    def.radius_base = def.radius_tip = 1e-170;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    CHECK_INT(td_builder_finish(b, &skeleton, &diag), TD_ERR_ARGUMENT);
    CHECK(skeleton == NULL);
    CHECK_HAS(diag.message, "mass of segment 0");
    def = td_segment_def_default();
    def.length = 1e-300;
    def.radius_base = def.radius_tip = 1e3;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    CHECK_INT(td_builder_finish(b, &skeleton, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "stiffness of segment 0");
}

// ---- ids ------------------------------------------------------------------------------------

TD_TEST(plant_ids_must_be_unique_also_against_default_ones) {
    const int32_t ids[][3] = {{7, 8, 7}, {TD_NONE, 0, 5}, {2, TD_NONE, TD_NONE}};
    const int32_t culprit[] = {2, 1, 2};
    for (int i = 0; i < 3; i++) {
        OWNED(td_builder) *b = test_builder();
        td_skeleton *skeleton = NULL;
        td_diag diag;
        td_segment_def def = td_segment_def_default();
        for (int k = 0; k < 3; k++) {
            def.id = ids[i][k];
            CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
        }
        CHECK_INT(td_builder_finish(b, &skeleton, &diag), TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, "id");
        CHECK_INT(diag.index, culprit[i]);
    }
}

// 200,000 segments with ids in descending order: a quadratic check would take minutes
TD_TEST(plant_ids_of_a_large_skeleton_are_checked_quickly) {
    OWNED(td_builder) *b = test_builder();
    int32_t n = 200000;
    td_segment_def def = td_segment_def_default();
    for (int32_t i = 0; i < n; i++) {
        def.id = INT32_MAX - i;
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    }
    OWNED(td_skeleton) *skeleton = test_finish(b);
    CHECK_INT(td_skeleton_count(skeleton), n);
    CHECK_INT(td_skeleton_segments(skeleton)[n - 1].id, INT32_MAX - n + 1);
}

// ---- a bush to test with --------------------------------------------------------------------

// Segments with bends, laterals, an organ, a slide and a hinge; every third one is tiny.
static td_status add_bush(td_builder *b, int32_t n) {
    td_shape shape = td_shape_default();
    td_material leaf = td_material_get(td_material_find("leaf"));
    int32_t leaf_shape, leaf_material;
    td_status status = td_builder_add_shape(b, &shape, &leaf_shape, NULL);
    status = status == TD_OK ? td_builder_add_material(b, &leaf, &leaf_material, NULL) : status;
    for (int32_t i = 0; i < n && status == TD_OK; i++) {
        td_segment_def def = td_segment_def_default();
        def.id = 1000 + 7 * i;
        def.parent = i == 0 ? TD_NONE : (i * 5) / 7;
        def.length = i % 3 == 1 ? 0.001 : 0.1 + 0.01 * i;
        def.rest = tdi_quat_turn(tdi_unit_or(tdi_vec3(1, 0.2 * i, -1), tdi_vec3(1, 0, 0)), 0.4);
        def.initial = tdi_quat_turn(tdi_vec3(0, 0, 1), 0.1 * i);
        def.attach_at_tip = i % 2 == 0;
        def.attach = tdi_vec3(0.001 * i, 0.02, 0);
        def.joint = i % 5 == 4 ? TD_JOINT_SLIDE : i % 5 == 3 ? TD_JOINT_HINGE : TD_JOINT_BALL;
        def.initial_slide = 0.01;
        if (i > n / 2 && i % 4 == 0) {
            def.organ = TD_ORGAN_LEAF;
            def.shape = leaf_shape;
            def.material = leaf_material;
        }
        status = td_builder_add(b, &def, NULL, NULL);
    }
    return status;
}

static td_skeleton *bush(int32_t n, const td_skeleton_opts *opts) {
    OWNED(td_builder) *b = NULL;
    CHECK_INT(td_builder_new(opts, NULL, &b, NULL), TD_OK);
    CHECK_INT(add_bush(b, n), TD_OK);
    return test_finish(b);
}

// ---- poses ----------------------------------------------------------------------------------

TD_TEST(plant_pose_is_the_same_whatever_is_asked_for) {
    OWNED(td_skeleton) *s = bush(20, NULL);
    td_vec3 both[20], alone[20];
    td_quat turned[20], only[20];
    for (int kind = 0; kind < 2; kind++) {
        td_skeleton_pose(s, (td_pose_kind)kind, both, turned);
        td_skeleton_pose(s, (td_pose_kind)kind, alone, NULL);
        td_skeleton_pose(s, (td_pose_kind)kind, NULL, only);
        CHECK_INT(memcmp(both, alone, sizeof both), 0);
        CHECK_INT(memcmp(turned, only, sizeof turned), 0);
    }
}

// from the definition: origin and rotation of each segment by walking up its ancestors
TD_TEST(plant_pose_equals_a_walk_along_the_ancestors) {
    OWNED(td_skeleton) *skeleton = bush(20, NULL);
    const td_segment *s = td_skeleton_segments(skeleton);
    td_vec3 origins[20];
    td_quat rotations[20];
    for (int kind = 0; kind < 2; kind++) {
        td_skeleton_pose(skeleton, (td_pose_kind)kind, origins, rotations);
        for (int32_t i = 0; i < 20; i++) {
            td_vec3 tip = s[i].tip; // carried from frame to frame
            for (int32_t k = i; k != TD_NONE; k = s[k].parent) {
                bool slides = kind == TD_POSE_INITIAL && s[k].joint == TD_JOINT_SLIDE;
                td_quat q = kind == TD_POSE_INITIAL ? s[k].initial : s[k].rest;
                tip = slides ? tdi_madd(tip, s[k].axis, s[k].initial_slide) : tip;
                tip = tdi_add(s[k].attach, tdi_quat_rotate(q, tip));
            }
            td_vec3 got = tdi_add(origins[i], tdi_quat_rotate(rotations[i], s[i].tip));
            CHECK_REL(tdi_norm(tdi_sub(got, tip)), 0, 1e-13);
        }
    }
}

// ---- pruning --------------------------------------------------------------------------------

TD_TEST(plant_pruning_keeps_the_places_and_ids_of_what_it_keeps) {
    enum { N = 40 };
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.prune_length = 0.01;
    OWNED(td_skeleton) *whole = bush(N, NULL), *pruned = bush(N, &opts);
    td_vec3 origins[N], kept_origins[N];
    td_quat rotations[N], kept_rotations[N], initial[N], kept_initial[N];
    td_skeleton_pose(whole, TD_POSE_REST, origins, rotations);
    td_skeleton_pose(whole, TD_POSE_INITIAL, NULL, initial);
    td_skeleton_pose(pruned, TD_POSE_REST, kept_origins, kept_rotations);
    td_skeleton_pose(pruned, TD_POSE_INITIAL, NULL, kept_initial);
    const td_segment *a = td_skeleton_segments(whole), *b = td_skeleton_segments(pruned);
    int32_t next = 0;
    td_real mass = 0;
    for (int32_t i = 0; i < N; i++) {
        if (a[i].length < 0.01) {
            continue;
        }
        CHECK_INT(b[next].id, a[i].id);
        CHECK(b[next].parent < next);
        CHECK_REL(tdi_norm(tdi_sub(kept_origins[next], origins[i])), 0, 1e-13);
        CHECK_REL(tdi_norm(tdi_sub(tdi_quat_rotate(kept_rotations[next], tdi_vec3(1, 2, 3)),
                                   tdi_quat_rotate(rotations[i], tdi_vec3(1, 2, 3)))),
                  0, 1e-13);
        CHECK_REL(tdi_norm(tdi_sub(tdi_quat_rotate(kept_initial[next], tdi_vec3(1, 2, 3)),
                                   tdi_quat_rotate(initial[i], tdi_vec3(1, 2, 3)))),
                  0, 1e-13);
        CHECK_REL(b[next].mass, a[i].mass, 0);
        mass += a[i].mass;
        next++;
    }
    CHECK_INT(td_skeleton_count(pruned), next);
    CHECK(next < N);
    td_real left = 0;
    for (int32_t i = 0; i < next; i++) {
        left += b[i].mass;
    }
    CHECK_REL(left, mass, 1e-15); // what is dropped is gone
}

TD_TEST(plant_pruning_by_mass_drops_the_light_ones_only) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.prune_mass = 0.005;
    OWNED(td_skeleton) *whole = bush(30, NULL), *pruned = bush(30, &opts);
    int32_t heavy = 0;
    for (int32_t i = 0; i < 30; i++) {
        heavy += td_skeleton_segments(whole)[i].mass >= 0.005;
    }
    CHECK_IN(heavy, 1, 29);
    CHECK_INT(td_skeleton_count(pruned), heavy);
}

// a chain whose middle is dropped several times over, and whose base must stay
TD_TEST(plant_pruning_never_drops_a_fixed_base_and_jumps_over_gaps) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.prune_length = 0.05;
    OWNED(td_builder) *b = NULL;
    CHECK_INT(td_builder_new(&opts, NULL, &b, NULL), TD_OK);
    td_segment_def def = td_segment_def_default();
    def.joint = TD_JOINT_FIXED;
    def.length = 0.01;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    def.joint = TD_JOINT_BALL;
    for (int32_t i = 1; i < 6; i++) {
        def.parent = i - 1;
        def.length = i == 5 ? 0.1 : 0.02;
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    }
    OWNED(td_skeleton) *skeleton = test_finish(b);
    CHECK_INT(td_skeleton_count(skeleton), 2);
    const td_segment *s = td_skeleton_segments(skeleton);
    CHECK_INT(s[1].parent, 0);
    CHECK_INT(s[1].id, 5);
    CHECK_REL(s[1].attach.y, 0.01 + 4 * 0.02, 1e-15);
    // its spring is that of a segment clamped into the base
    CHECK_REL(s[1].stiffness.x, td_material_get(0).young * TDI_PI / 4 * 1e-8 / 0.05, 1e-14);
}

TD_TEST(plant_pruning_may_leave_nothing) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.prune_length = 100;
    OWNED(td_skeleton) *s = bush(10, &opts);
    CHECK_INT(td_skeleton_count(s), 0);
    td_skeleton_pose(s, TD_POSE_REST, NULL, NULL);
}

// ---- use ------------------------------------------------------------------------------------

TD_TEST(plant_builder_can_be_used_again_after_finish) {
    OWNED(td_builder) *b = test_builder();
    OWNED(td_skeleton) *first = NULL, *second = NULL;
    CHECK_INT(add_bush(b, 10), TD_OK);
    CHECK_INT(td_builder_finish(b, &first, NULL), TD_OK);
    CHECK_INT(add_bush(b, 10), TD_OK);
    CHECK_INT(td_builder_finish(b, &second, NULL), TD_OK);
    CHECK_INT(td_skeleton_material_count(second), 2);
    CHECK_TEXT(td_skeleton_materials(second)[0].name, "green-wood");
    // as text: bytes between the fields of a struct mean nothing
    OWNED(td_bytes) a = {0}, c = {0};
    CHECK_INT(td_skeleton_json(first, NULL, &a), TD_OK);
    CHECK_INT(td_skeleton_json(second, NULL, &c), TD_OK);
    CHECK(a.size == c.size && memcmp(a.data, c.data, a.size) == 0);
}

TD_TEST(plant_given_values_win_over_computed_ones) {
    OWNED(td_builder) *b = test_builder();
    td_segment_def def = td_segment_def_default();
    def.mass = 2;
    def.centre_of_mass = tdi_vec3(0, 0.03, 0);
    def.second_moment = (td_sym3){0.001, 0.01, 0.001, 0, 0, 0};
    def.has_tip = true;
    def.tip = tdi_vec3(0.01, 0.09, 0);
    def.has_stiffness = true;
    def.stiffness = tdi_vec3(1, 2, 3);
    def.has_damping = true;
    def.damping = tdi_vec3(0.1, 0.2, 0.3);
    def.color = 0x123456;
    CHECK_INT(td_builder_add(b, &def, &def.parent, NULL), TD_OK);
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = test_finish(b);
    const td_segment *s = td_skeleton_segments(skeleton);
    CHECK_REL(s[0].mass, 2, 0);
    CHECK_REL(s[0].centre_of_mass.y, 0.03, 1e-15);
    CHECK_REL(s[0].second_moment.yy, 0.01, 0);
    CHECK_REL(s[0].stiffness.z, 3, 0);
    CHECK_REL(s[0].damping.y, 0.2, 0);
    CHECK_INT(s[0].color, 0x123456);
    CHECK_REL(s[1].attach.x, 0.01, 0); // at the given tip
}

TD_TEST(plant_segments_have_density_damping_and_drag_of_their_own) {
    OWNED(td_builder) *b = test_builder();
    td_diag diag;
    td_segment_def def = td_segment_def_default();
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    def.density = 3 * td_material_get(0).density;
    def.damping_time = 0.25;
    def.drag = 0.5;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    def.drag = -1;
    CHECK_INT(td_builder_add(b, &def, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "drag is -1; expected 0 to 1e6 (segment 2)");
    def.drag = 1;
    def.density = NAN;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_ERR_ARGUMENT);
    def.density = 0;
    def.damping_time = NAN;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_ERR_ARGUMENT);
    OWNED(td_skeleton) *skeleton = test_finish(b);
    const td_segment *s = td_skeleton_segments(skeleton);
    CHECK_REL(s[1].mass, 3 * s[0].mass, 1e-15);
    CHECK_REL(s[1].second_moment.yy, 3 * s[0].second_moment.yy, 1e-15);
    CHECK_REL(s[0].damping.x, td_material_get(0).damping_time * s[0].stiffness.x, 0);
    CHECK_REL(s[1].damping.x, 0.25 * s[1].stiffness.x, 0);
    CHECK_REL(s[0].drag, 1, 0);
    CHECK_REL(s[1].drag, 0.5, 0);
}

// quaternions and axes come out of unit length, whatever was typed within the tolerance
TD_TEST(plant_builder_makes_rotations_exact) {
    OWNED(td_builder) *b = test_builder();
    td_segment_def def = td_segment_def_default();
    def.rest = (td_quat){-0.7071, 0.7071, 0, 0};
    def.axis = tdi_vec3(0, 5, 0);
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = test_finish(b);
    const td_segment *s = td_skeleton_segments(skeleton);
    CHECK_REL(tdi_quat_norm(s->rest), 1, 1e-15);
    CHECK(s->rest.w > 0);
    CHECK_REL(s->initial.x, s->rest.x, 0); // not given: at rest
    CHECK_REL(s->axis.y, 1, 0);
}

TD_TEST(plant_builder_leaks_nothing_when_any_allocation_fails) {
    WITH_SCARCE(memory, 10) {
        td_skeleton_opts opts = td_skeleton_opts_default();
        opts.prune_length = 0.01;
        OWNED(td_builder) *b = NULL;
        OWNED(td_skeleton) *skeleton = NULL;
        td_status status = td_builder_new(&opts, &memory.alloc, &b, NULL);
        status = status == TD_OK ? add_bush(b, 60) : status;
        status = status == TD_OK ? td_builder_finish(b, &skeleton, NULL) : status;
        CHECK_INT(status, scarce_status(&memory));
        CHECK((status == TD_OK) == (skeleton != NULL));
    }
}
