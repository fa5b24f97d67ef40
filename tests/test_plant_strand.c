// SPDX-License-Identifier: MIT
// What a skeleton holds of strands: sections, ends, closure, bodies; checks, and other sizes. Pairs
// with src/plant/strand.c.

#include "td_test.h"

#define PI     3.14159265358979323846
#define COUNT  5
#define LENGTH 0.1  // m, of a segment
#define RADIUS 0.01 // m

static td_builder *new_builder(const td_skeleton_opts *opts) {
    td_builder *b = NULL;
    CHECK_INT(td_builder_new(opts, NULL, &b, NULL), TD_OK);
    return b;
}

static td_segment_def row_def(int32_t k) {
    td_segment_def def = td_segment_def_default();
    def.parent = k - 1;
    def.length = LENGTH;
    def.radius_base = def.radius_tip = RADIUS;
    return def;
}

static void add_row(td_builder *b, td_joint_kind first) {
    for (int32_t k = 0; k < COUNT; k++) {
        td_segment_def def = row_def(k);
        def.joint = k == 0 ? first : TD_JOINT_BALL;
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    }
}

static td_strand row_strand(void) {
    return (td_strand){.count = COUNT, .start = TD_END_CLAMPED, .closing = {1, 0, 0, 0}};
}

static td_skeleton *finished(td_builder *b) {
    td_skeleton *out = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_builder_finish(b, &out, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    td_builder_free(b);
    return out;
}

// ---- sections -------------------------------------------------------------------------------

// Of an ellipse: E pi a b^3/4, E pi a^3 b/4, G pi a^3 b^3/(a^2 + b^2), E pi a b.
TD_TEST(section_follows_from_radius_flatness_and_material) {
    td_builder *b = new_builder(NULL);
    td_segment_def def = row_def(0);
    def.flat = 2;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = finished(b);
    const td_segment *s = td_skeleton_segments(skeleton);
    const td_material *m = td_skeleton_materials(skeleton);
    const double x = RADIUS, z = 2 * RADIUS, area = PI * x * z;
    CHECK_REL(s->section.bend_x, m->young * area * z * z / 4, 1e-14);
    CHECK_REL(s->section.bend_z, m->young * area * x * x / 4, 1e-14);
    CHECK_REL(s->section.twist, td_material_shear(m) * area * x * x * z * z / (x * x + z * z),
              1e-14);
    CHECK_REL(s->section.stretch, m->young * area, 1e-14);
    CHECK_REL(s->mass, m->density * area * LENGTH, 1e-14);
    CHECK_REL(s->second_moment.xx, s->mass * x * x / 4, 1e-14);
    CHECK_REL(s->second_moment.zz, s->mass * z * z / 4, 1e-14);
    CHECK_REL(s->area, 2 * z * LENGTH, 1e-14);
    CHECK_REL(s->rest_length, LENGTH, 0);
}

// 1/k = (l/2)/B + (l/2)/B' with B, B' of the two; on the ground the half of one.
TD_TEST(joints_take_the_sections_that_are_given) {
    td_builder *b = new_builder(NULL);
    for (int32_t k = 0; k < 2; k++) {
        td_segment_def def = row_def(k);
        def.section = (td_section){k == 0 ? 3 : 6, 2, 5, 7};
        def.rest_length = 2 * LENGTH;
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    }
    OWNED(td_skeleton) *skeleton = finished(b);
    const td_segment *s = td_skeleton_segments(skeleton);
    CHECK_REL(s[0].stiffness.x, 3 / LENGTH, 1e-14);
    CHECK_REL(s[1].stiffness.x, 1 / (LENGTH / 3 + LENGTH / 6), 1e-14);
    CHECK_REL(s[1].stiffness.y, 5 / (2 * LENGTH), 1e-14);
    CHECK_REL(s[1].stiffness.z, 2 / (2 * LENGTH), 1e-14);
    CHECK_REL(s[1].section.stretch, 7, 0);
    // it starts at half its length, and weighs what it does at ease
    CHECK_REL(s[0].mass,
              td_skeleton_materials(skeleton)->density * PI * RADIUS * RADIUS * 2 * LENGTH, 1e-14);
}

TD_TEST(sections_and_lengths_at_ease_that_are_none_are_refused) {
    OWNED(td_builder) *b = new_builder(NULL);
    td_diag diag = {.message = ""};
    td_segment_def def = row_def(0);
    def.section.twist = -1;
    CHECK_INT(td_builder_add(b, &def, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "section is (0, 0, -1, 0)");
    def.section = (td_section){.stretch = 1e308};
    CHECK_INT(td_builder_add(b, &def, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "section is (0, 0, 0, 1e+308); expected each at least 0 and at most");
    def = row_def(0);
    def.rest_length = -1;
    CHECK_INT(td_builder_add(b, &def, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "rest_length is -1");
}

// ---- strands --------------------------------------------------------------------------------

TD_TEST(strand_that_its_segments_are_not_is_refused_with_its_field) {
    static const struct {
        td_strand strand;
        td_joint_kind first;
        const char *message;
    } cases[] = {
        {{.count = 0}, TD_JOINT_BALL, "strand 0: count"},
        {{.count = COUNT + 1}, TD_JOINT_BALL, "strand 0: first"},
        {{.count = COUNT, .twist = 1e12}, TD_JOINT_FREE, "strand 0: twist"},
        {{.count = COUNT, .closed = true, .end = TD_END_PINNED},
         TD_JOINT_FREE,
         "a ring has no ends"},
        {{.count = COUNT, .closed = true}, TD_JOINT_FREE, "strand 0: closing"},
        {{.count = COUNT, .start = TD_END_CLAMPED}, TD_JOINT_FREE, "must have a free joint"},
        {{.count = COUNT}, TD_JOINT_BALL, "must have a free joint"},
        {{.count = COUNT, .start = TD_END_CLAMPED}, TD_JOINT_FIXED, "no ball joint"},
        {{.first = 1, .count = 2, .start = TD_END_CLAMPED},
         TD_JOINT_BALL,
         "segment 1 has a parent"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        OWNED(td_builder) *b = new_builder(NULL);
        td_diag diag = {.message = ""};
        add_row(b, cases[k].first);
        CHECK(td_builder_add_strand(b, &cases[k].strand, &diag) != TD_OK);
        CHECK_HAS(diag.message, cases[k].message);
    }
}

TD_TEST(segment_is_part_of_one_strand_and_follows_the_one_before) {
    td_builder *b = new_builder(NULL);
    td_diag diag = {.message = ""};
    const td_strand strand = row_strand();
    add_row(b, TD_JOINT_BALL);
    CHECK_INT(td_builder_add_strand(b, &strand, &diag), TD_OK);
    CHECK_INT(td_builder_add_strand(b, &strand, &diag), TD_ERR_STRUCTURE);
    CHECK_HAS(diag.message, "segment 0 is part of another");
    td_builder_free(b);
    b = new_builder(NULL);
    add_row(b, TD_JOINT_BALL);
    td_segment_def def = row_def(COUNT);
    def.parent = 0;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    td_strand more = strand;
    more.count++;
    CHECK_INT(td_builder_add_strand(b, &more, &diag), TD_ERR_STRUCTURE);
    CHECK_HAS(diag.message, "segment 5 does not have the segment before as its parent");
    td_builder_free(b);
}

TD_TEST(strand_is_not_pruned_and_follows_what_is) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    td_diag diag = {.message = ""};
    td_skeleton *out = NULL;
    const td_strand strand = row_strand();
    opts.prune_length = 2 * LENGTH;
    td_builder *b = new_builder(&opts);
    add_row(b, TD_JOINT_BALL);
    CHECK_INT(td_builder_add_strand(b, &strand, NULL), TD_OK);
    CHECK_INT(td_builder_finish(b, &out, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segment 0 is part of a strand");
    td_builder_free(b);

    opts.prune_length = LENGTH / 2;
    b = new_builder(&opts);
    td_segment_def small = row_def(0);
    small.length = LENGTH / 10;
    CHECK_INT(td_builder_add(b, &small, NULL, NULL), TD_OK);
    for (int32_t k = 0; k < COUNT; k++) {
        td_segment_def def = row_def(k);
        def.parent = k == 0 ? TD_NONE : k;
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    }
    td_strand second = strand;
    second.first = 1;
    td_attached_mass body = {.segment = 3, .mass = 1};
    CHECK_INT(td_builder_add_strand(b, &second, NULL), TD_OK);
    CHECK_INT(td_builder_attach_mass(b, &body, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = finished(b);
    CHECK_INT(td_skeleton_strands(skeleton)->first, 0);
    CHECK_INT(td_skeleton_attached_masses(skeleton)->segment, 2);
}

// ---- bodies ---------------------------------------------------------------------------------

TD_TEST(bodies_of_one_segment_become_one) {
    td_builder *b = new_builder(NULL);
    td_diag diag = {.message = ""};
    add_row(b, TD_JOINT_BALL);
    const td_attached_mass left = {2, 1, {-0.1, 0, 0}, {0.01, 0, 0, 0, 0, 0}},
                           right = {2, 3, {0.1, 0, 0}, {0.03, 0, 0, 0, 0, 0}},
                           wrong = {2, 1, {0.2, 0, 0}, {0.01, 0, 0, 0, 0, 0}};
    CHECK_INT(td_builder_attach_mass(b, &left, &diag), TD_OK);
    CHECK_INT(td_builder_attach_mass(b, &right, &diag), TD_OK);
    CHECK_INT(td_builder_attach_mass(b, &wrong, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "body 1: second_moment");
    OWNED(td_skeleton) *skeleton = finished(b);
    CHECK_INT(td_skeleton_attached_mass_count(skeleton), 1);
    const td_attached_mass *body = td_skeleton_attached_masses(skeleton);
    CHECK_REL(body->mass, 4, 0);
    CHECK_REL(body->centre_of_mass.x, 0.05, 1e-14);
    CHECK_REL(body->second_moment.xx, 0.04, 1e-14);
}

// ---- other sizes ----------------------------------------------------------------------------

// A body twice as large of the same material: E I and G J by 2^4, E A by 2^2, mass by 2^3.
TD_TEST(strands_and_bodies_scale_as_similar_ones_do) {
    td_builder *b = new_builder(NULL);
    OWNED(td_skeleton) *twice = NULL;
    const td_strand strand = row_strand();
    const td_attached_mass body = {2, 1, {0.1, 0, 0}, {0.02, 0, 0, 0, 0, 0}};
    const td_material_change stiff = {.young = 3 * td_material_get(0).young, .damping_time = -1};
    add_row(b, TD_JOINT_BALL);
    CHECK_INT(td_builder_add_strand(b, &strand, NULL), TD_OK);
    CHECK_INT(td_builder_attach_mass(b, &body, NULL), TD_OK);
    OWNED(td_skeleton) *once = finished(b);
    CHECK_INT(td_skeleton_changed_new(once, 2, &stiff, 1, NULL, &twice, NULL), TD_OK);
    const td_segment *a = td_skeleton_segments(once), *c = td_skeleton_segments(twice);
    CHECK_REL(c[1].section.bend_x, 48 * a[1].section.bend_x, 1e-14);
    CHECK_REL(c[1].section.twist, 48 * a[1].section.twist, 1e-14);
    CHECK_REL(c[1].section.stretch, 12 * a[1].section.stretch, 1e-14);
    CHECK_REL(c[1].rest_length, 2 * LENGTH, 1e-14);
    CHECK_INT(td_skeleton_strand_count(twice), 1);
    CHECK_INT(td_skeleton_strands(twice)->count, COUNT);
    CHECK_REL(td_skeleton_attached_masses(twice)->mass, 8, 1e-14);
    CHECK_REL(td_skeleton_attached_masses(twice)->centre_of_mass.x, 0.2, 1e-14);
    CHECK_REL(td_skeleton_attached_masses(twice)->second_moment.xx, 32 * 0.02, 1e-14);
}

// ---- text -----------------------------------------------------------------------------------

TD_TEST(skeleton_json_has_strands_and_bodies) {
    td_builder *b = new_builder(NULL);
    OWNED(td_bytes) out;
    td_strand strand = row_strand();
    const td_attached_mass body = {2, 1, {0.1, 0, 0}, {0.02, 0, 0, 0, 0, 0}};
    strand.end = TD_END_PINNED;
    strand.twist = 1.5;
    add_row(b, TD_JOINT_BALL);
    CHECK_INT(td_builder_add_strand(b, &strand, NULL), TD_OK);
    CHECK_INT(td_builder_attach_mass(b, &body, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = finished(b);
    CHECK_INT(td_skeleton_json(skeleton, NULL, &out), TD_OK);
    char text[8192] = "";
    memcpy(text, out.data, out.size < sizeof text ? out.size : sizeof text - 1);
    CHECK_HAS(text, "\"strands\":[\n{\"first\":0,\"count\":5,\"start\":\"clamped\","
                    "\"end\":\"pinned\",\"closed\":false,\"closing\":[1,0,0,0],"
                    "\"twist\":1.5}]");
    CHECK_HAS(text, "\"bodies\":[\n{\"segment\":2,\"mass\":1,");
}

// ---- solvers --------------------------------------------------------------------------------

static td_status tree_of_row(const td_strand *strand, td_joint_kind first, td_real rest_length,
                             td_diag *diag) {
    td_builder *b = new_builder(NULL);
    td_body_model *model = NULL;
    const td_body_opts opts = td_body_opts_default();
    for (int32_t k = 0; k < COUNT; k++) {
        td_segment_def def = row_def(k);
        def.joint = k == 0 ? first : TD_JOINT_BALL;
        def.rest_length = rest_length;
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    }
    CHECK_INT(td_builder_add_strand(b, strand, NULL), TD_OK);
    td_skeleton *skeleton = finished(b);
    td_status status = td_body_model_new(skeleton, "tree", &opts, NULL, &model, diag);
    td_body_model_free(model);
    td_skeleton_free(skeleton);
    return status;
}

TD_TEST(tree_refuses_by_name_what_only_other_solvers_can) {
    td_diag diag = {.message = ""};
    td_strand s = row_strand();
    CHECK_INT(tree_of_row(&s, TD_JOINT_BALL, LENGTH, &diag), TD_OK);
    CHECK_INT(tree_of_row(&s, TD_JOINT_BALL, 1.1 * LENGTH, &diag), TD_ERR_STRUCTURE);
    CHECK_HAS(diag.message, "segment 0 starts stretched");
    s.twist = 5 * PI;
    CHECK_INT(tree_of_row(&s, TD_JOINT_BALL, LENGTH, &diag), TD_ERR_STRUCTURE);
    CHECK_HAS(diag.message, "more than half a turn");
    s.twist = 0;
    s.end = TD_END_PINNED;
    CHECK_INT(tree_of_row(&s, TD_JOINT_BALL, LENGTH, &diag), TD_ERR_STRUCTURE);
    CHECK_HAS(diag.message, "last end is held");
    s.start = s.end = TD_END_FREE;
    s.closed = true;
    CHECK_INT(tree_of_row(&s, TD_JOINT_FREE, LENGTH, &diag), TD_ERR_STRUCTURE);
    CHECK_HAS(diag.message, "ring");
}

TD_TEST(rods_refuse_what_stands_on_a_strand_and_is_not_fixed) {
    td_builder *b = new_builder(NULL);
    td_body_model *model = NULL;
    td_diag diag = {.message = ""};
    const td_strand strand = row_strand();
    add_row(b, TD_JOINT_BALL);
    td_segment_def def = row_def(COUNT);
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    CHECK_INT(td_builder_add_strand(b, &strand, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = finished(b);
    CHECK_INT(td_body_model_new(skeleton, "rod", NULL, NULL, &model, &diag), TD_ERR_STRUCTURE);
    CHECK_HAS(diag.message, "segment 5 is not fixed to a strand");
    CHECK(model == NULL);
}

TD_TEST(rods_of_many_strands_start_where_each_is_drawn) {
    enum { STRANDS = 12 };
    td_builder *b = new_builder(NULL);
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    for (int32_t k = 0; k < STRANDS; k++) {
        td_segment_def def = row_def(0);
        td_strand strand = {
            .first = k, .count = 1, .start = TD_END_CLAMPED, .closing = {1, 0, 0, 0}};
        def.attach_at_tip = false;
        def.attach = (td_vec3){0, 0, k};
        def.rest = (td_quat){sqrt(0.5), 0, 0, sqrt(0.5)};
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
        CHECK_INT(td_builder_add_strand(b, &strand, NULL), TD_OK);
    }
    OWNED(td_skeleton) *skeleton = finished(b);
    CHECK_INT(td_body_model_new(skeleton, "rod", NULL, NULL, &model, NULL), TD_OK);
    CHECK_INT(td_body_new(model, NULL, &state, NULL), TD_OK);
    for (int32_t k = 0; k < STRANDS; k++) {
        const td_vec3 tip = td_body_tip(state, k);
        CHECK_REL(tip.x, -LENGTH, 1e-12);
        CHECK(fabs(tip.y) < 1e-12 && tip.z == k);
    }
}

// Without strands a body is a weld as well: 1 kg at the tip of the last segment.
TD_TEST(rods_of_plants_carry_bodies) {
    td_real weight[2];
    for (int with = 0; with < 2; with++) {
        td_builder *b = new_builder(NULL);
        OWNED(td_body_model) *model = NULL;
        OWNED(td_body) *state = NULL;
        const td_attached_mass body = {
            COUNT - 1, 1, {0, LENGTH, 0}, {0, LENGTH * LENGTH, 0, 0, 0, 0}};
        add_row(b, TD_JOINT_BALL);
        CHECK_INT(with ? td_builder_attach_mass(b, &body, NULL) : TD_OK, TD_OK);
        OWNED(td_skeleton) *skeleton = finished(b);
        CHECK_INT(td_body_model_new(skeleton, "rod", NULL, NULL, &model, NULL), TD_OK);
        CHECK_INT(td_body_new(model, NULL, &state, NULL), TD_OK);
        weight[with] = td_body_energy(state, (td_vec3){0, -9.81, 0}).weight;
    }
    CHECK_REL(weight[1] - weight[0], 9.81 * COUNT * LENGTH, 1e-12);
}
