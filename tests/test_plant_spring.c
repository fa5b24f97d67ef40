// SPDX-License-Identifier: MIT
// Stiffness of joints. Pairs with src/plant/spring.c.

#include "td_test.h"

#include "math/quat.h"
#include "plant/spring.h"

static td_real area_moment(td_real r) {
    return TDI_PI / 4 * r * r * r * r;
}

// ---- the two rules on two cylinders ---------------------------------------------------------

static const tdi_beam lower = {0.3, 0.02, 0.02, 4e9, 3e8};
static const tdi_beam upper = {0.2, 0.015, 0.015, 4e9, 3e8};

TD_TEST(plant_thesis_springs_are_equations_6_6_and_6_16) {
    td_vec3 k = tdi_spring_thesis(&lower, &upper);
    td_real i4 = 0.02 * 0.02 * 0.02 * 0.02, c4 = 0.015 * 0.015 * 0.015 * 0.015;
    CHECK_REL(k.x, 4e9 * (TDI_PI / 8 * i4 + TDI_PI / 8 * c4) * 2 / (0.3 + 0.2), 1e-14);
    CHECK_REL(k.z, k.x, 0);
    CHECK_REL(k.y, 3e8 * (TDI_PI / 4 * i4 + TDI_PI / 4 * c4) * 2 / (0.3 + 0.2), 1e-14);
    // on the ground the parent is like the child
    CHECK_REL(tdi_spring_thesis(NULL, &upper).x, 4e9 * area_moment(0.015) / 0.2, 1e-14);
}

TD_TEST(plant_clamped_springs_bend_for_half_of_each_segment) {
    td_vec3 k = tdi_spring_clamped(&lower, &upper);
    td_real bend = 0.15 / (4e9 * area_moment(0.02)) + 0.1 / (4e9 * area_moment(0.015));
    td_real twist = 0.15 / (3e8 * 2 * area_moment(0.02)) + 0.1 / (3e8 * 2 * area_moment(0.015));
    CHECK_REL(k.x, 1 / bend, 1e-14);
    CHECK_REL(k.y, 1 / twist, 1e-14);
    CHECK_REL(tdi_spring_clamped(NULL, &upper).x, 4e9 * area_moment(0.015) / 0.1, 1e-14);
}

// equal cylinders: both rules are EI/l
TD_TEST(plant_spring_rules_agree_on_equal_cylinders) {
    td_vec3 a = tdi_spring_clamped(&lower, &lower), b = tdi_spring_thesis(&lower, &lower);
    CHECK_REL(a.x, b.x, 1e-14);
    CHECK_REL(a.y, b.y, 1e-14);
}

// ---- tapers ---------------------------------------------------------------------------------

// midpoint rule for the compliance of a stretch from s0 to s1 of a tapered stem
static td_real compliance(const tdi_beam *b, td_real s0, td_real s1) {
    td_real sum = 0;
    int n = 20000;
    for (int i = 0; i < n; i++) {
        td_real s = s0 + (s1 - s0) * (i + 0.5) / n;
        td_real r = b->radius_base + (b->radius_tip - b->radius_base) * s / b->length;
        sum += (s1 - s0) / n / (b->young * area_moment(r));
    }
    return sum;
}

TD_TEST(plant_clamped_springs_of_tapers_equal_the_integral_of_the_compliance) {
    tdi_beam p = {0.5, 0.03, 0.01, 5e9, 2e8}, c = {0.4, 0.012, 0.003, 3e9, 3e8};
    td_vec3 k = tdi_spring_clamped(&p, &c);
    td_real want = compliance(&p, 0.25, 0.5) + compliance(&c, 0, 0.2);
    CHECK_REL(1 / k.x, want, 1e-8);
    // twisting: G and J = 2I instead of E and I
    tdi_beam ps = p, cs = c;
    ps.young = 2 * p.shear;
    cs.young = 2 * c.shear;
    CHECK_REL(1 / k.y, compliance(&ps, 0.25, 0.5) + compliance(&cs, 0, 0.2), 1e-8);
}

// nothing holds what stands on a point
TD_TEST(plant_joint_on_the_apex_of_a_cone_has_no_spring) {
    tdi_beam cone = {0.5, 0.03, 0, 5e9, 2e8};
    CHECK_REL(tdi_spring_clamped(&cone, &upper).x, 0, 0);
}

// ---- whole skeletons ------------------------------------------------------------------------

// straight chain of n cylinders from the ground up; the caller frees it
static td_skeleton *chain(int32_t n, td_real length, td_real radius, td_spring_rule rule) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.springs = rule;
    OWNED(td_builder) *b = NULL;
    CHECK_INT(td_builder_new(&opts, NULL, &b, NULL), TD_OK);
    td_material material = td_material_get(0);
    material.young = 8.1e9;
    material.density = 923;
    td_segment_def def = td_segment_def_default();
    CHECK_INT(td_builder_add_material(b, &material, &def.material, NULL), TD_OK);
    def.length = length / n;
    def.radius_base = def.radius_tip = radius;
    for (int32_t i = 0; i < n; i++) {
        def.parent = i - 1;
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    }
    return test_finish(b);
}

// tip of the level beam under its own weight, small angles: each joint turns by M/k and the tip
// falls by that times its distance
static td_real droop(int32_t n, td_spring_rule rule) {
    td_real length = 1, g = 9.81, sum = 0;
    OWNED(td_skeleton) *skeleton = chain(n, length, 0.01, rule);
    const td_segment *s = td_skeleton_segments(skeleton);
    for (int32_t j = 0; j < n; j++) {
        td_real moment = 0;
        for (int32_t i = j; i < n; i++) {
            td_real arm = (i - j) * s[i].length + s[i].centre_of_mass.y;
            moment += s[i].mass * g * arm;
        }
        sum += moment / s[j].stiffness.x * (length - j * s[j].length);
    }
    return sum;
}

TD_TEST(plant_cantilever_with_clamped_springs_converges_at_second_order) {
    td_real want = 923 * TDI_PI * 1e-4 * 9.81 / (8 * 8.1e9 * area_moment(0.01)); // w l^4/(8EI)
    CHECK_REL(want, 0.0055893, 1e-4);                                            // as published
    td_real a = droop(10, TD_SPRING_CLAMPED) - want, b = droop(20, TD_SPRING_CLAMPED) - want;
    td_real c = droop(40, TD_SPRING_CLAMPED) - want;
    CHECK_REL(a / want, 0.01, 1e-6); // 1/n^2
    CHECK_REL(a / b, 4, 1e-6);
    CHECK_REL(b / c, 4, 1e-6);
}

// the thesis's root joint is half as stiff: its error falls only in proportion to 1/n
TD_TEST(plant_cantilever_with_thesis_springs_droops_as_its_table) {
    CHECK_REL(droop(10, TD_SPRING_THESIS), 0.0067664, 1e-3);
    CHECK_REL(droop(25, TD_SPRING_THESIS), 0.0060488, 1e-3);
    CHECK_REL(droop(100, TD_SPRING_THESIS), 0.0057051, 1e-3);
}

TD_TEST(plant_base_that_cannot_move_counts_by_the_rule) {
    for (int rule = 0; rule < 2; rule++) {
        td_skeleton_opts opts = td_skeleton_opts_default();
        opts.springs = rule == 0 ? TD_SPRING_CLAMPED : TD_SPRING_THESIS;
        OWNED(td_builder) *b = NULL;
        CHECK_INT(td_builder_new(&opts, NULL, &b, NULL), TD_OK);
        td_segment_def def = td_segment_def_default();
        def.joint = TD_JOINT_FIXED;
        def.radius_base = def.radius_tip = 0.03;
        CHECK_INT(td_builder_add(b, &def, &def.parent, NULL), TD_OK);
        CHECK_INT(td_builder_add(b, &def, &def.parent, NULL), TD_OK); // welded on: immovable too
        def.joint = TD_JOINT_BALL;
        def.radius_base = def.radius_tip = 0.01;
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
        OWNED(td_skeleton) *skeleton = test_finish(b);
        const td_segment *s = td_skeleton_segments(skeleton);
        td_real young = td_material_get(0).young;
        td_real clamped = young * area_moment(0.01) / 0.05;
        td_real thesis = young * (area_moment(0.03) + area_moment(0.01)) / 2 / 0.1;
        CHECK_REL(s[2].stiffness.x, rule == 0 ? clamped : thesis, 1e-14);
        CHECK_REL(s[0].stiffness.x, 0, 0);
        CHECK_REL(s[2].damping.x, s[2].stiffness.x * td_material_get(0).damping_time, 1e-15);
    }
}

TD_TEST(plant_joint_young_replaces_both_moduli_and_keeps_the_childs_ratio) {
    OWNED(td_builder) *b = test_builder();
    td_material soft = td_material_get(td_material_find("herb-stem"));
    td_segment_def def = td_segment_def_default();
    CHECK_INT(td_builder_add(b, &def, &def.parent, NULL), TD_OK);
    CHECK_INT(td_builder_add_material(b, &soft, &def.material, NULL), TD_OK);
    def.joint_young = 7e9;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = test_finish(b);
    const td_segment *s = td_skeleton_segments(skeleton);
    CHECK_REL(s[1].stiffness.x, 7e9 * area_moment(0.01) / 0.1, 1e-14);
    td_real ratio = soft.young / td_material_shear(&soft);
    CHECK_REL(s[1].stiffness.x / s[1].stiffness.y, ratio / 2, 1e-14);
}

TD_TEST(plant_organ_joint_is_its_stalk) {
    OWNED(td_builder) *b = test_builder();
    td_material leaf = td_material_get(td_material_find("leaf"));
    td_shape shape = td_shape_default(), stalkless = td_shape_default();
    stalkless.stalk = 0;
    td_segment_def def = td_segment_def_default();
    CHECK_INT(td_builder_add(b, &def, &def.parent, NULL), TD_OK);
    CHECK_INT(td_builder_add_material(b, &leaf, &def.material, NULL), TD_OK);
    def.organ = TD_ORGAN_LEAF;
    def.length = 0.06;
    CHECK_INT(td_builder_add_shape(b, &shape, &def.shape, NULL), TD_OK);
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    CHECK_INT(td_builder_add_shape(b, &stalkless, &def.shape, NULL), TD_OK);
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = test_finish(b);
    const td_segment *s = td_skeleton_segments(skeleton);
    td_real r = 0.012 * 0.06, ei = leaf.young * area_moment(r);
    CHECK_REL(s[1].stiffness.x, ei / (0.15 * 0.06), 1e-14);
    CHECK_REL(s[1].stiffness.y, 2 * td_material_shear(&leaf) * area_moment(r) / (0.15 * 0.06),
              1e-14);
    CHECK_REL(s[2].stiffness.x, ei / (0.05 * 0.06), 1e-14);
    CHECK_REL(s[1].tip.y, 1.15 * 0.06, 1e-15);
    CHECK_REL(s[1].area, 0.5 * 2 / 3 * 0.06 * 0.06, 1e-9);
    CHECK_REL(s[1].mass, s[1].area * leaf.thickness * leaf.density, 1e-9);
}

// about its own axis a hinge is as stiff as a ball joint there
TD_TEST(plant_hinge_feels_the_stiffness_about_its_axis) {
    OWNED(td_builder) *b = test_builder();
    td_segment_def def = td_segment_def_default();
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    def.joint = TD_JOINT_HINGE;
    def.axis = tdi_vec3(3, 4, 0);
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    def.joint = TD_JOINT_SLIDE;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = test_finish(b);
    const td_segment *s = td_skeleton_segments(skeleton);
    td_real want = 0.36 * s[0].stiffness.x + 0.64 * s[0].stiffness.y;
    CHECK_REL(s[1].stiffness.x, want, 1e-14);
    CHECK_REL(s[1].stiffness.y, 0, 0);
    CHECK_REL(s[2].stiffness.x, 0, 0);
    CHECK_REL(s[1].axis.x, 0.6, 1e-15);
}
