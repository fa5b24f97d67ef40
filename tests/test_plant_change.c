// SPDX-License-Identifier: MIT
// Skeletons in another size and of other materials. Pairs with src/plant/change.c.

#include "test_plant_support.h"
#include "tendril/tree.h"

// stems with taper, a hinge-free fork, a leaf, a polygon
static const char shape_text[] =
    "material: 0 green-wood\n"
    "length unit: UNIT\n"
    "axiom: !(0.02)F(1)!(0.015)F(0.5)[+(30)F(0.5)][-(30)F(0.5)]{.+(20)f(0.3).-(80)f(0.2).}\n";

static test_plant grow_at(const char *unit) {
    char text[512];
    const char *at = strstr(shape_text, "UNIT");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - shape_text), shape_text, unit, at + 4);
    return test_grow(text, NULL);
}

static td_skeleton *changed(const td_skeleton *from, double size, const td_material_change *changes,
                            int32_t count) {
    td_skeleton *out = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_skeleton_changed_new(from, size, changes, count, NULL, &out, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return out;
}

static void check_vec(td_vec3 a, td_vec3 b, double tolerance) {
    CHECK_REL(a.x, b.x, tolerance);
    CHECK_REL(a.y, b.y, tolerance);
    CHECK_REL(a.z, b.z, tolerance);
}

static void check_segment(const td_segment *a, const td_segment *b) {
    const double e = 1e-12;
    CHECK_REL(a->mass, b->mass, e);
    CHECK_REL(a->area, b->area, e);
    CHECK_REL(a->length, b->length, e);
    CHECK_REL(a->radius_base, b->radius_base, e);
    CHECK_REL(a->radius_tip, b->radius_tip, e);
    CHECK_REL(a->second_moment.xx, b->second_moment.xx, e);
    CHECK_REL(a->second_moment.yy, b->second_moment.yy, e);
    CHECK_REL(a->second_moment.zz, b->second_moment.zz, e);
    check_vec(a->stiffness, b->stiffness, e);
    check_vec(a->damping, b->damping, e);
    check_vec(a->tip, b->tip, e);
}

TD_TEST(skeleton_scaled_equals_one_built_at_that_scale) {
    td_builder *small_builder = NULL, *large_builder = NULL;
    td_skeleton *built[2] = {NULL, NULL};
    const double size = 2.5;
    for (int k = 0; k < 2; k++) {
        double s = k == 0 ? 1 : size;
        td_builder **b = k == 0 ? &small_builder : &large_builder;
        CHECK_INT(td_builder_new(NULL, NULL, b, NULL), TD_OK);
        for (int32_t i = 0; i < 6; i++) {
            td_segment_def def = td_segment_def_default();
            def.parent = i < 4 ? i - 1 : 1;
            def.length = s * (0.1 + 0.02 * i);
            def.radius_base = s * 0.01;
            def.radius_tip = s * (0.01 - 0.001 * i);
            CHECK_INT(td_builder_add(*b, &def, NULL, NULL), TD_OK);
        }
        CHECK_INT(td_builder_finish(*b, &built[k], NULL), TD_OK);
        td_builder_free(*b);
    }
    OWNED(td_skeleton) *scaled = changed(built[0], size, NULL, 0);
    for (int32_t i = 0; i < 6; i++) {
        check_segment(&td_skeleton_segments(scaled)[i], &td_skeleton_segments(built[1])[i]);
    }
    td_skeleton_free(built[0]);
    td_skeleton_free(built[1]);
}

static double lowest_frequency(const td_skeleton *skeleton) {
    OWNED(td_body_model) *model = NULL;
    OWNED(td_body) *state = NULL;
    td_body_opts opts = td_body_opts_default();
    td_mode mode = {0, 0, 0};
    CHECK_INT(td_body_model_new(skeleton, "tree", &opts, NULL, &model, NULL), TD_OK);
    CHECK_INT(td_body_new(model, NULL, &state, NULL), TD_OK);
    CHECK_INT(td_body_modes(state, (td_vec3){0, 0, 0}, 1, &mode, NULL), TD_OK);
    return mode.frequency;
}

// sqrt(k/(m l^2)) = sqrt(s^3/(s^3 s^2)) = 1/s; sqrt(E/rho) for materials
TD_TEST(skeleton_frequencies_scale_as_theory_says) {
    OWNED(test_plant) p = grow_at("0.3");
    CHECK_INT(p.status, TD_OK);
    double f = lowest_frequency(p.skeleton);
    const td_material *m = &td_skeleton_materials(p.skeleton)[0];
    const td_material_change stiffer = {.young = 4 * m->young, .damping_time = -1};
    const td_material_change heavier = {.density = 9 * m->density, .damping_time = -1};
    OWNED(td_skeleton) *large = changed(p.skeleton, 3, NULL, 0);
    OWNED(td_skeleton) *stiff = changed(p.skeleton, 1, &stiffer, 1);
    OWNED(td_skeleton) *heavy = changed(p.skeleton, 1, &heavier, 1);
    CHECK_REL(lowest_frequency(large), f / 3, 1e-6);
    for (int32_t i = 0; i < td_skeleton_material_count(p.skeleton); i++) {
        CHECK_REL(td_skeleton_materials(large)[i].thickness,
                  3 * td_skeleton_materials(p.skeleton)[i].thickness, 1e-12);
    }
    CHECK_REL(lowest_frequency(heavy), f / 3, 0.1); // all materials get one density
    CHECK_REL(lowest_frequency(stiff), 2 * f, 0.1);
}

TD_TEST(skeleton_changed_by_nothing_is_the_same) {
    OWNED(test_plant) p = grow_at("1");
    OWNED(td_skeleton) *same = changed(p.skeleton, 1, NULL, 0);
    CHECK_INT(td_skeleton_count(same), td_skeleton_count(p.skeleton));
    CHECK(memcmp(td_skeleton_segments(same), td_skeleton_segments(p.skeleton),
                 (size_t)td_skeleton_count(same) * sizeof(td_segment)) == 0);
}

TD_TEST(skeleton_changes_of_materials_follow_each_other) {
    OWNED(test_plant) p = test_grow("axiom: !(0.01)F(0.2)F(0.2)\n", NULL);
    td_material m = td_skeleton_materials(p.skeleton)[0];
    const td_material_change changes[2] = {
        {.name = "green-wood", .young = 2 * m.young, .damping_time = 0.5},
        {.shear = m.young, .density = 2 * m.density, .damping_time = -1}};
    OWNED(td_skeleton) *out = changed(p.skeleton, 1, changes, 2);
    const td_segment *a = td_skeleton_segments(p.skeleton), *b = td_skeleton_segments(out);
    td_material now = td_skeleton_materials(out)[0];
    CHECK(now.young == 2 * m.young && now.shear == m.young && now.density == 2 * m.density);
    CHECK(now.damping_time == 0.5);
    CHECK_REL(b[1].mass, 2 * a[1].mass, 1e-12);
    CHECK_REL(b[1].stiffness.x, 2 * a[1].stiffness.x, 1e-12);
    CHECK_REL(b[1].stiffness.y, a[1].stiffness.y * m.young / td_material_shear(&m), 1e-12);
    CHECK_REL(b[1].damping.x, 0.5 * b[1].stiffness.x, 1e-12);
}

TD_TEST(skeleton_changes_are_checked_and_leak_nothing) {
    OWNED(test_plant) p = grow_at("1");
    td_skeleton *out = NULL;
    td_diag diag = {.message = ""};
    const td_material_change wrong[] = {{.damping_time = -1}, {.name = "cheese"}};
    const td_material_change negative = {.density = -1};
    static const double sizes[] = {0, -1, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 4; k++) {
        CHECK_INT(td_skeleton_changed_new(p.skeleton, sizes[k], NULL, 0, NULL, &out, &diag),
                  TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, "size");
    }
    static const double beyond[] = {1e300, 1e80, 1e-200};
    for (int k = 0; k < 3; k++) {
        CHECK_INT(td_skeleton_changed_new(p.skeleton, beyond[k], NULL, 0, NULL, &out, &diag),
                  TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, "too small or too large");
        CHECK(out == NULL);
    }
    CHECK_INT(td_skeleton_changed_new(p.skeleton, 1, wrong, 2, NULL, &out, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(diag.index, 1);
    CHECK_HAS(diag.message, "cheese");
    CHECK_INT(td_skeleton_changed_new(p.skeleton, 1, &negative, 1, NULL, &out, &diag),
              TD_ERR_ARGUMENT);
    WITH_SCARCE(memory, 3) {
        CHECK_INT(td_skeleton_changed_new(p.skeleton, 2, NULL, 0, &memory.alloc, &out, NULL),
                  scarce_status(&memory));
        td_skeleton_free(out);
    }
}
