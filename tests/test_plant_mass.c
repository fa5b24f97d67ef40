// SPDX-License-Identifier: MIT
// Masses and moments of segments. Pairs with src/plant/mass.c and shape.c.

#include "td_test.h"

#include "math/quat.h"
#include "plant/mass.h"
#include "plant/shape.h"

static void check_second(td_sym3 got, td_sym3 want, td_real tolerance) {
    td_real trace = want.xx + want.yy + want.zz;
    CHECK_REL((got.xx - want.xx) / trace, 0, tolerance);
    CHECK_REL((got.yy - want.yy) / trace, 0, tolerance);
    CHECK_REL((got.zz - want.zz) / trace, 0, tolerance);
    CHECK_REL((got.xy - want.xy) / trace, 0, tolerance);
    CHECK_REL((got.xz - want.xz) / trace, 0, tolerance);
    CHECK_REL((got.yz - want.yz) / trace, 0, tolerance);
}

static void add_point(tdi_moments *sum, td_vec3 x, td_real dm) {
    tdi_moments point = {1, x, {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z}};
    tdi_moments_add(sum, &point, dm);
}

// midpoint rule in (height, radius, angle): its error falls with the square of the spacing
static tdi_moments cone_by_points(td_real l, td_real a, td_real b, int n) {
    tdi_moments sum = {.zeroth = 0};
    for (int i = 0; i < n; i++) {
        td_real y = (i + 0.5) * l / n, rim = a + (b - a) * y / l;
        for (int j = 0; j < n; j++) {
            td_real r = (j + 0.5) * rim / n;
            for (int k = 0; k < 8; k++) {
                td_real t = (k + 0.25) * TDI_PI / 4;
                add_point(&sum, tdi_vec3(r * cos(t), y, r * sin(t)),
                          r * (rim / n) * (l / n) * (TDI_PI / 4));
            }
        }
    }
    return sum;
}

static void check_moments(const tdi_moments *got, const tdi_moments *want, td_real tolerance) {
    CHECK_REL(got->zeroth, want->zeroth, tolerance);
    td_real arm = tdi_norm(want->first);
    CHECK_REL(tdi_norm(tdi_sub(got->first, want->first)), 0, tolerance * (arm > 0 ? arm : 1));
    check_second(got->second, want->second, tolerance);
}

TD_TEST(plant_mass_of_cylinder_and_cones_equals_a_sum_over_points) {
    const td_real shapes[][3] = {{2, 0.3, 0.3}, {0.7, 0.5, 0.1}, {1.3, 0.2, 0.6}, {1, 0.4, 0}};
    for (int i = 0; i < 4; i++) {
        const td_real *s = shapes[i];
        tdi_moments got = tdi_moments_cone(s[0], s[1], s[2]);
        tdi_moments want = cone_by_points(s[0], s[1], s[2], 200);
        check_moments(&got, &want, 2e-5); // (1/200)^2, times less than 1
    }
}

TD_TEST(plant_mass_of_a_cylinder_is_the_textbook_one) {
    td_real l = 0.8, r = 0.05, rho = 700;
    OWNED(td_builder) *b = test_builder();
    td_segment_def def = td_segment_def_default();
    def.length = l;
    def.radius_base = def.radius_tip = r;
    CHECK_INT(td_builder_add(b, &def, NULL, NULL), TD_OK);
    OWNED(td_skeleton) *skeleton = test_finish(b);
    const td_segment *s = td_skeleton_segments(skeleton);
    td_real m = rho * TDI_PI * r * r * l;
    CHECK_REL(s->mass, m, 1e-14);
    CHECK_REL(s->centre_of_mass.y, l / 2, 1e-14);
    // I = S_other + S_other: about the joint across the axis, and along the axis
    CHECK_REL(s->second_moment.yy + s->second_moment.zz, m * (r * r / 4 + l * l / 3), 1e-14);
    CHECK_REL(s->second_moment.xx + s->second_moment.zz, m * r * r / 2, 1e-14);
    CHECK_REL(s->area, 2 * r * l, 1e-14);
}

// a cone cut in two weighs as much as in one piece
TD_TEST(plant_mass_of_a_cone_is_that_of_its_two_halves) {
    tdi_moments whole = tdi_moments_cone(1, 0.3, 0.1);
    tdi_moments low = tdi_moments_cone(0.5, 0.3, 0.2), high = tdi_moments_cone(0.5, 0.2, 0.1);
    // parallel axis: moved up by 1/2
    tdi_moments sum = low;
    tdi_moments_add(&sum, &high, 1);
    sum.second.yy += 2 * 0.5 * high.first.y + 0.25 * high.zeroth;
    sum.first.y += 0.5 * high.zeroth;
    check_moments(&sum, &whole, 1e-14);
}

// ---- organs ---------------------------------------------------------------------------------

// with v = 1 - t the outline is (1 - t^2)^taper, whose integral over [0,1] is known
static td_real outline_integral(td_real power) {
    return sqrt(TDI_PI) * tgamma(power + 1) / (2 * tgamma(power + 1.5));
}

TD_TEST(plant_blade_area_equals_the_beta_integral_for_every_taper) {
    const td_real tapers[] = {0.1, 0.5, 0.7, 1, 1.9, 3, 12, 20};
    for (int i = 0; i < 8; i++) {
        td_shape shape = td_shape_default();
        shape.taper = tapers[i];
        shape.width = 0.7;
        shape.widest = 0.3;
        td_real want = 0.7 * (0.3 * 2 / 3 + 0.7 * outline_integral(tapers[i]));
        CHECK_REL(tdi_shape_area(&shape), want, 1e-6);
        tdi_blade_moments b = tdi_blade_integrate(&shape);
        td_real cubed = 0.3 * 16 / 35 + 0.7 * outline_integral(3 * tapers[i]);
        CHECK_REL(b.across, 2 * 0.35 * 0.35 * 0.35 / 3 * cubed, 1e-6);
    }
}

TD_TEST(plant_blade_moments_with_lobes_equal_a_sum_over_points) {
    td_shape shape = td_shape_default();
    shape.lobes = 5;
    shape.lobe_depth = 0.6;
    shape.taper = 1.7;
    tdi_shape_moments got = tdi_shape_integrate(&shape, NULL, NULL);
    tdi_moments want = {.zeroth = 0};
    int n = 2000, across = 40;
    for (int i = 0; i < n; i++) {
        td_real s = (i + 0.5) / n, w = tdi_blade_half_width(&shape, s);
        for (int k = 0; k < across; k++) {
            td_real x = w * ((2 * k + 1.0) / across - 1);
            add_point(&want, tdi_vec3(x, shape.stalk + s, 0), 2 * w / across / n);
        }
    }
    check_moments(&got.lamina, &want, 1e-4); // 40 points across: (1/40)^2/6 of xx, which is small
    CHECK_REL(got.area, want.zeroth, 1e-5);
    CHECK_REL(got.solid.zeroth, 0, 0);
}

TD_TEST(plant_blade_is_widest_where_it_says_and_closed_at_both_ends) {
    td_shape shape = td_shape_default();
    shape.widest = 0.65;
    CHECK_REL(tdi_blade_half_width(&shape, 0.65), shape.width / 2, 1e-15);
    CHECK_REL(tdi_blade_half_width(&shape, 0), 0, 0);
    CHECK_REL(tdi_blade_half_width(&shape, 1), 0, 0);
    for (int i = 1; i < 100; i++) {
        td_real w = tdi_blade_half_width(&shape, i / 100.0);
        CHECK(w > 0 && w <= shape.width / 2);
    }
}

// each lobe is one local maximum of the width
TD_TEST(plant_blade_has_as_many_lobes_as_asked_for) {
    td_shape shape = td_shape_default();
    shape.lobes = 7;
    shape.lobe_depth = 0.8;
    int maxima = 0, n = 5000;
    for (int i = 1; i < n; i++) {
        td_real w = tdi_blade_half_width(&shape, (td_real)i / n);
        maxima += w > tdi_blade_half_width(&shape, (i - 1.0) / n) &&
                  w >= tdi_blade_half_width(&shape, (i + 1.0) / n);
    }
    CHECK_INT(maxima, 7);
}

// petals put in place one by one
TD_TEST(plant_flower_moments_equal_the_sum_of_its_petals) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_FLOWER;
    shape.petals = 6;
    shape.whorls = 3;
    shape.stalk = 0.4;
    tdi_shape_moments got = tdi_shape_integrate(&shape, NULL, NULL);
    tdi_moments want = {.zeroth = 0};
    int n = 400;
    for (int32_t k = 0; k < shape.whorls; k++) {
        for (int32_t i = 0; i < shape.petals; i++) {
            tdi_petal petal = tdi_flower_petal(&shape, k, i);
            td_quat q = tdi_quat_mul(tdi_quat_turn(tdi_vec3(0, 1, 0), petal.azimuth),
                                     tdi_quat_turn(tdi_vec3(1, 0, 0), -petal.opening));
            for (int j = 0; j < n; j++) {
                td_real s = (j + 0.5) / n, w = tdi_blade_half_width(&shape, s) * petal.length;
                for (int m = 0; m < 40; m++) {
                    td_vec3 x = tdi_vec3(w * ((2 * m + 1.0) / 40 - 1), s * petal.length, 0);
                    x = tdi_quat_rotate(q, x);
                    x.y += shape.stalk;
                    add_point(&want, x, 2 * w / 40 * petal.length / n);
                }
            }
        }
    }
    check_moments(&got.lamina, &want, 1e-4);
    // the centre: a ball at the end of the stalk
    td_real v = TDI_PI / 6 * shape.centre * shape.centre * shape.centre;
    CHECK_REL(got.solid.zeroth, v, 1e-14);
    CHECK_REL(got.solid.first.y, v * shape.stalk, 1e-14);
    CHECK_REL(got.solid.second.xx, v * shape.centre * shape.centre / 20, 1e-14);
}

// 2/5 m r^2 about the centre and m c^2 more about the joint
TD_TEST(plant_ball_obeys_the_parallel_axis_theorem) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_BALL;
    shape.width = 1;
    shape.stalk = 0.25;
    tdi_shape_moments m = tdi_shape_integrate(&shape, NULL, NULL);
    td_material material = td_material_get(td_material_find("fruit"));
    td_real size = 0.06, r = 0.03, c = 0.75 * size;
    tdi_moments got = tdi_organ_moments(&m, &material, size);
    td_real mass = material.density * 4 * TDI_PI / 3 * r * r * r;
    CHECK_REL(got.zeroth, mass, 1e-14);
    CHECK_REL(got.first.y, mass * c, 1e-14);
    CHECK_REL(got.second.yy + got.second.zz, mass * (0.4 * r * r + c * c), 1e-14);
    CHECK_REL(got.second.xx + got.second.zz, mass * 0.4 * r * r, 1e-14);
    CHECK_REL(tdi_organ_area(&m, size), TDI_PI * r * r, 1e-14);
}

// m/12 (a^2 + b^2) about the centre and m/4 of the height squared more about the joint
TD_TEST(plant_box_has_the_moments_of_a_brick_on_its_joint) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_BOX;
    shape.width = 0.5;
    shape.depth = 2;
    tdi_shape_moments m = tdi_shape_integrate(&shape, NULL, NULL);
    td_material material = td_material_get(td_material_find("fruit"));
    tdi_moments got = tdi_organ_moments(&m, &material, 0.2);
    td_real mass = material.density * 0.1 * 0.2 * 0.4;
    CHECK_REL(got.zeroth, mass, 1e-14);
    CHECK_REL(got.first.y, mass * 0.1, 1e-14);
    CHECK_REL(got.second.xx + got.second.zz, mass / 12 * (0.01 + 0.16), 1e-14);
    CHECK_REL(got.second.xx + got.second.yy, mass * ((0.01 + 0.04) / 12 + 0.01), 1e-14);
}

TD_TEST(plant_disc_has_the_moments_of_a_round_plate) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_DISC;
    tdi_shape_moments m = tdi_shape_integrate(&shape, NULL, NULL);
    CHECK_REL(m.lamina.zeroth, TDI_PI / 4, 1e-15);
    // across the plate A r^2/2, in it A r^2/4
    CHECK_REL(m.lamina.second.xx + m.lamina.second.yy, TDI_PI / 4 * 0.125, 1e-15);
    CHECK_REL(m.lamina.second.yy + m.lamina.second.zz, TDI_PI / 4 * 0.0625, 1e-15);
    CHECK_REL(m.lamina.first.y, 0, 0);
}

// ---- polygons -------------------------------------------------------------------------------

// a bent plank seen as one concave polygon and as two rectangles, somewhere in space
TD_TEST(plant_concave_polygon_has_the_moments_of_its_parts) {
    td_quat q = tdi_quat_turn(tdi_unit_or(tdi_vec3(1, 2, 3), tdi_vec3(1, 0, 0)), 0.8);
    const td_vec3 flat[] = {{2, 2, 0}, {2, 3, 0}, {0, 3, 0}, {0, 0, 0}, {1, 0, 0}, {1, 2, 0}};
    const td_vec3 low[] = {{0, 0, 0}, {1, 0, 0}, {1, 2, 0}, {0, 2, 0}};
    const td_vec3 high[] = {{0, 2, 0}, {2, 2, 0}, {2, 3, 0}, {0, 3, 0}};
    td_vec3 a[6], b[4], c[4];
    for (int i = 0; i < 6; i++) {
        a[i] = tdi_add(tdi_quat_rotate(q, flat[i]), tdi_vec3(1, -2, 0.5));
    }
    for (int i = 0; i < 4; i++) {
        b[i] = tdi_add(tdi_quat_rotate(q, low[i]), tdi_vec3(1, -2, 0.5));
        c[i] = tdi_add(tdi_quat_rotate(q, high[i]), tdi_vec3(1, -2, 0.5));
    }
    tdi_moments got = tdi_moments_polygon(a, 6);
    tdi_moments want = tdi_moments_polygon(b, 4), part = tdi_moments_polygon(c, 4);
    tdi_moments_add(&want, &part, 1);
    CHECK_REL(got.zeroth, 4, 1e-14);
    check_moments(&got, &want, 1e-13);
}

// a unit square from the origin: integrals of x^2 = 1/3 and of x y = 1/4
TD_TEST(plant_square_has_the_moments_of_a_square) {
    const td_vec3 square[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    tdi_moments m = tdi_moments_polygon(square, 4);
    CHECK_REL(m.second.xx, 1.0 / 3, 1e-15);
    CHECK_REL(m.second.xy, 0.25, 1e-15);
    CHECK_REL(m.first.x, 0.5, 1e-15);
}

TD_TEST(plant_polygon_that_crosses_itself_is_still_a_body) {
    const td_vec3 tie[] = {{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}};
    const td_vec3 tail[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-9, -8, 0}, {-9, -8.3, 0}};
    tdi_moments a = tdi_moments_polygon(tie, 4), b = tdi_moments_polygon(tail, 5);
    CHECK(a.zeroth > 0 && tdi_moments_physical(&a, 1e-12));
    CHECK(b.zeroth > 0 && tdi_moments_physical(&b, 1e-12));
}

TD_TEST(plant_moments_of_no_body_are_told_from_those_of_one) {
    tdi_moments rod = tdi_moments_cone(1, 0.1, 0.1);
    CHECK(tdi_moments_physical(&rod, 1e-12));
    tdi_moments point = {2, {0, 2, 0}, {0, 2, 0, 0, 0, 0}}; // all of it at (0, 1, 0)
    CHECK(tdi_moments_physical(&point, 1e-12));
    point.second.yy = 1.99; // nearer than its centre
    CHECK(!tdi_moments_physical(&point, 1e-6));
    rod.second.xy = 2 * rod.second.yy;
    CHECK(!tdi_moments_physical(&rod, 1e-6));
}
