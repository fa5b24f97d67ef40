// SPDX-License-Identifier: MIT
// Drag of the air: along and across stems, of organs of several surfaces, of organs at one place.

#include "load/drag.h"
#include "plant/outline.h"
#include "test_world_support.h"

// ---- along and across -----------------------------------------------------------------------

// Terminal velocity of a stick: m g = rho/2 c 2 r l v^2, with c = 1 across it and 0.1^(3/2) along
// it.
TD_TEST(stick_falls_at_the_terminal_velocity_of_its_drag_across_and_along) {
    const double r = 0.005, l = 0.2, density = 20, weight = density * TDI_PI * r * r * l * 9.81,
                 area = 2 * r * l;
    for (int k = 0; k < 3; k++) {
        for (int upright = 0; upright < 2; upright++) {
            OWNED(stage) s = stage_printed(
                "{step: 0.02, objects: [{solver: %s, start: drawn, strand: {points: [[0, 0, "
                "0], %s],\n"
                " segments: 2, radius: 0.005, density: 20, start: {held: free}}}],\n"
                " record: {duration: 6, fps: 50}}",
                solvers[k], upright ? "[0, 0.2, 0]" : "[0.2, 0, 0]");
            const double c = upright ? pow(0.1, 1.5) : 1, v = sqrt(weight / (0.6 * c * area));
            run_to(s.world, upright ? 6 : 1.5);
            const td_vec3 before = tip_of(s.world, 0, 0);
            steps(s.world, 1);
            const double fallen = before.y - tip_of(s.world, 0, 0).y;
            CHECK_REL(fallen / td_world_dt(s.world), v, 1e-4);
        }
    }
}

// ---- outlines -------------------------------------------------------------------------------

typedef struct organ {
    td_skeleton *skeleton;
    const td_segment *segment;
} organ;

// Organs of a shape and a size on a stem, each turned about it.
static organ organs_on_a_stem(const td_shape *shape, td_organ kind, const char *material,
                              td_real size, const td_quat *turns, int count) {
    td_builder *b = test_builder();
    organ o = {NULL, NULL};
    int32_t shape_index = 0, petal = 0;
    td_material m = td_material_get(td_material_find(material));
    td_segment_def stem = td_segment_def_default(), def = td_segment_def_default();
    CHECK_INT(td_builder_add_shape(b, shape, &shape_index, NULL), TD_OK);
    CHECK_INT(td_builder_add_material(b, &m, &petal, NULL), TD_OK);
    CHECK_INT(td_builder_add(b, &stem, NULL, NULL), TD_OK);
    def.parent = 0;
    def.length = size;
    def.organ = kind;
    def.shape = shape_index;
    def.material = petal;
    for (int k = 0; k < count; k++) {
        def.rest = turns[k];
        CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    }
    CHECK_INT(td_builder_finish(b, &o.skeleton, NULL), TD_OK);
    td_builder_free(b);
    o.segment = o.skeleton ? td_skeleton_segments(o.skeleton) : NULL;
    return o;
}

static const td_quat as_it_is = {1, 0, 0, 0};

// The force of a wind along an axis, N.
static td_real force_of(const td_segment *s, td_vec3 wind) {
    const tdi_mat3 r = tdi_mat3_from_quat(as_it_is);
    const tdi_drag_area a = tdi_drag_area_of(tdi_segment_areas(s), tdi_segment_fold(s), &r);
    const td_air air = {.quadratic = 0.6};
    const tdi_rate_factors by = {1, 1, 1};
    return tdi_norm(tdi_drag_of(&air, &a, wind, &by).gradient);
}

static td_shape double_flower(void) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_FLOWER;
    shape.petals = 5;
    shape.whorls = 8;
    shape.width = 1.05;
    shape.widest = 0.62;
    shape.taper = 0.5;
    shape.opening = 82 * TDI_PI / 180;
    shape.curl = 42 * TDI_PI / 180;
    shape.centre = 0.04;
    shape.stalk = 0.03;
    return shape;
}

// From each side it is a rectangle: w h, w d and h d.
TD_TEST(box_has_the_outline_of_its_sides) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_BOX;
    shape.width = 0.5;
    shape.depth = 0.25;
    const tdi_drawn_organ box = {&shape, NULL, NULL, 0.2, {3, 1, 2}, as_it_is};
    tdi_outline outline = tdi_outline_around(&box, 1);
    tdi_outline_add(&outline, &box);
    const td_vec3 areas = tdi_outline_areas(&outline);
    CHECK_REL(areas.x, 0.2 * 0.05, 0.1); // of 64 cells
    CHECK_REL(areas.y, 0.1 * 0.05, 0.1);
    CHECK_REL(areas.z, 0.1 * 0.2, 0.1);
}

// Forty petals stand behind each other: from the front they are no more than their disc, and from
// the side less. The bodies that drag acts on have just these areas, as long as nothing folds.
TD_TEST(double_flower_has_the_drag_of_its_outline_and_not_of_all_its_petals) {
    const td_shape shape = double_flower();
    organ o = organs_on_a_stem(&shape, TD_ORGAN_FLOWER, "petal", 0.085, &as_it_is, 1);
    td_segment s = o.segment[1];
    const double disc = TDI_PI / 4 * 0.085 * 0.085;
    CHECK(s.area > 4 * disc); // all petals
    CHECK_IN(s.outline.y, 0.75 * disc, 1.05 * disc);
    CHECK_IN(s.outline.x, 0.1 * disc, 0.7 * disc);
    CHECK_REL(s.outline.x, s.outline.z, 0.25); // five petals a ring
    s.fold_pressure = 0;
    CHECK_REL(force_of(&s, tdi_vec3(0, 3, 0)), 0.6 * s.outline.y * 9, 1e-12);
    CHECK_REL(force_of(&s, tdi_vec3(3, 0, 0)), 0.6 * s.outline.x * 9, 1e-12);
    td_skeleton_free(o.skeleton);
}

TD_TEST(outline_of_a_changed_flower_is_that_of_one_of_that_size) {
    const td_shape shape = double_flower();
    organ small = organs_on_a_stem(&shape, TD_ORGAN_FLOWER, "petal", 0.05, &as_it_is, 1),
          large = organs_on_a_stem(&shape, TD_ORGAN_FLOWER, "petal", 0.1, &as_it_is, 1);
    OWNED(td_skeleton) *grown = NULL;
    CHECK_INT(td_skeleton_changed_new(small.skeleton, 2, NULL, 0, NULL, &grown, NULL), TD_OK);
    const td_segment *a = td_skeleton_segments(grown) + 1, *b = large.segment + 1;
    CHECK_REL(a->outline.x, b->outline.x, 1e-12);
    CHECK_REL(a->outline.y, b->outline.y, 1e-12);
    CHECK_REL(a->fold_pressure, 8 * b->fold_pressure, 1e-12); // its petals are twice as thick
    td_skeleton_free(small.skeleton);
    td_skeleton_free(large.skeleton);
}

// ---- folding --------------------------------------------------------------------------------

// Vogel's exponent: F ~ u^(2 + V), V from 0 in light winds to -1 in strong ones.
TD_TEST(drag_of_petals_that_fold_grows_as_the_square_and_then_in_proportion_to_the_wind) {
    const td_shape shape = double_flower();
    organ o = organs_on_a_stem(&shape, TD_ORGAN_FLOWER, "petal", 0.085, &as_it_is, 1);
    const td_segment *s = &o.segment[1];
    const double folds = sqrt(s->fold_pressure / 0.6), // m/s
        slow = folds / 1000, fast = 1000 * folds;
    CHECK_IN(folds, 1, 10);
    CHECK_REL(log(force_of(s, tdi_vec3(0, 1.1 * slow, 0)) / force_of(s, tdi_vec3(0, slow, 0))) /
                  log(1.1),
              2, 1e-3);
    CHECK_REL(log(force_of(s, tdi_vec3(0, 1.1 * fast, 0)) / force_of(s, tdi_vec3(0, fast, 0))) /
                  log(1.1),
              1, 1e-2);
    CHECK_REL(force_of(s, tdi_vec3(0, folds, 0)),
              s->fold_pressure * s->outline.y * (1 + 2.0 / 9) / pow(1 + 1.0 / 3, 2), 1e-12);
    td_skeleton_free(o.skeleton);
}

// The value of the dissipation, its gradient and its Hessian belong together.
TD_TEST(drag_of_petals_that_fold_has_the_derivatives_of_its_value) {
    const tdi_mat3 r = tdi_mat3_from_quat(tdi_quat_turn(tdi_vec3(0.6, 0, 0.8), 0.7));
    const tdi_drag_area a = tdi_drag_area_of(tdi_vec3(2e-3, 5e-3, 1e-3), 0.4, &r);
    const td_air air = {.linear = 0.3, .quadratic = 0.6};
    const tdi_rate_factors by = {1, 1, 1};
    const td_real h = 1e-5;
    for (int k = 0; k < 6; k++) {
        const td_vec3 u = tdi_scale(tdi_vec3(1, -2, 0.5), pow(4, k - 2)),
                      e = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        const tdi_drag at = tdi_drag_of(&air, &a, u, &by),
                       up = tdi_drag_of(&air, &a, tdi_madd(u, e, h), &by),
                       down = tdi_drag_of(&air, &a, tdi_madd(u, e, -h), &by);
        const td_vec3 change = tdi_scale(tdi_sub(up.gradient, down.gradient), 0.5 / h),
                      want = tdi_sym3_apply(&at.hessian, e);
        CHECK_IN(fabs((up.value - down.value) / (2 * h) - tdi_dot(at.gradient, e)), 0,
                 1e-6 * tdi_norm(at.gradient));
        CHECK_IN(tdi_norm(tdi_sub(change, want)), 0, 1e-6 * tdi_norm(want));
    }
}

// ---- organs at one place --------------------------------------------------------------------

// Leaves that lie on each other have the drag of one; those that spread out flat keep theirs but
// for how they hide each other from the side.
TD_TEST(leaves_of_a_tuft_shelter_each_other) {
    const td_shape shape = td_shape_default();
    td_quat same[6], around[3];
    for (int k = 0; k < 6; k++) {
        same[k] = as_it_is;
    }
    for (int k = 0; k < 3; k++) { // flat in one plane
        around[k] = tdi_quat_turn(tdi_vec3(0, 0, 1), 2 * TDI_PI * k / 3);
    }
    organ pile = organs_on_a_stem(&shape, TD_ORGAN_LEAF, "leaf", 0.05, same, 6),
          history = organs_on_a_stem(&shape, TD_ORGAN_LEAF, "leaf", 0.05, around, 3),
          alone = organs_on_a_stem(&shape, TD_ORGAN_LEAF, "leaf", 0.05, same, 1);
    for (int k = 0; k < 6; k++) {
        CHECK_REL(pile.segment[1 + k].drag, 1.0 / 6, 1e-12);
    }
    for (int k = 0; k < 3; k++) {
        CHECK_IN(history.segment[1 + k].drag, 0.7, 1);
    }
    CHECK(alone.segment[1].drag == 1);
    td_skeleton_free(pile.skeleton);
    td_skeleton_free(history.skeleton);
    td_skeleton_free(alone.skeleton);
}
