// SPDX-License-Identifier: MIT
// Stems with cross-sections of their own, and surfaces of patches. Pairs with src/skin/contour.c
// and src/skin/patch.c.

#include "test_mesh_support.h"

#include "plant/store.h"

// a polygon of all points of a contour on the unit circle, one way round or the other
static td_contour circle(td_real sign) {
    td_contour c = {.closed = true};
    for (int32_t i = 0; i < TD_CONTOUR_POINTS; i++) {
        td_real angle = sign * 2 * TDI_PI * i / TD_CONTOUR_POINTS;
        c.x[i] = cos(angle);
        c.z[i] = sin(angle);
    }
    return c;
}

// two stems of length 1 in a row, with a contour each
static td_skeleton *two_stems(const td_contour *contour, td_quat turn, td_real radius) {
    td_builder *builder = test_builder();
    td_segment_def def = td_segment_def_default();
    CHECK_INT(td_builder_add_contour(builder, contour, &def.contour, NULL), TD_OK);
    CHECK_INT(def.contour, 1);
    def.length = 1;
    def.radius_base = def.radius_tip = radius;
    def.parent = add_def(builder, &def);
    def.rest = turn;
    add_def(builder, &def);
    return finish(builder);
}

// the area of a regular polygon of n corners is n/2 sin(2 pi/n) r^2
TD_TEST(mesh_of_a_closed_contour_is_a_body_whichever_way_it_goes_round) {
    for (int way = -1; way <= 1; way += 2) {
        td_contour c = circle(way);
        OWNED(td_mesh) *mesh = mesh_of(two_stems(&c, tdi_quat_identity(), 0.1), 0);
        td_mesh_part part = part_named(mesh, "stem");
        check_sound(&part);
        CHECK_INT(open_edges(&part), 0);
        CHECK_REL(volume_of(&part), 2 * 0.01 * TD_CONTOUR_POINTS / 2.0 * sin(TDI_PI / 16), 1e-5);
    }
}

// where the next stem is rolled by more than the section can follow, another body begins
TD_TEST(mesh_of_a_contour_ends_at_a_roll) {
    td_contour c = circle(1);
    td_quat quarter = tdi_quat_turn(tdi_vec3(0, 1, 0), TDI_PI / 2);
    OWNED(td_mesh) *straight = mesh_of(two_stems(&c, tdi_quat_identity(), 0.1), 0);
    OWNED(td_mesh) *rolled = mesh_of(two_stems(&c, quarter, 0.1), 0);
    td_mesh_part one = part_named(straight, "stem"), two = part_named(rolled, "stem");
    CHECK(two.vertex_count > one.vertex_count);
    CHECK_REL(volume_of(&two), volume_of(&one), 1e-5);
}

// a strip as wide as the diameter: area 2 r l
TD_TEST(mesh_of_an_open_contour_is_a_lamina) {
    td_contour c = {.closed = false};
    for (int32_t i = 0; i < TD_CONTOUR_POINTS; i++) {
        c.x[i] = -1 + 2.0 * i / (TD_CONTOUR_POINTS - 1);
    }
    OWNED(td_mesh) *mesh = mesh_of(two_stems(&c, tdi_quat_identity(), 0.25), 0);
    td_mesh_part part = part_named(mesh, "leaf");
    check_sound(&part);
    CHECK_REL(area_of(&part), 2 * 0.25 * 2, 1e-5);
}

TD_TEST(contour_that_is_not_there_is_refused) {
    OWNED(td_builder) *builder = test_builder();
    td_segment_def def = td_segment_def_default();
    td_diag diag = {0};
    def.contour = 1;
    CHECK_INT(td_builder_add(builder, &def, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "contour is 1; there are 0");
    td_contour c = circle(1);
    c.z[3] = (td_real)NAN;
    CHECK_INT(td_builder_add_contour(builder, &c, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "point 3 of the contour is not finite");
}

// ---- patches --------------------------------------------------------------------------------

// a flat patch from (x, 0) to (x + 1/2, 1), its far edge raised by `rise`
static void fill_patch(td_vec3 *points, td_real x, td_real rise) {
    for (int32_t i = 0; i < 4; i++) {
        for (int32_t k = 0; k < 4; k++) {
            points[4 * i + k] = tdi_vec3(x + i / 6.0, k / 3.0, rise * (x + i / 6.0));
        }
    }
}

static td_mesh *patches_mesh(td_real rise, td_vec3 stretch, td_real size) {
    td_builder *builder = test_builder();
    td_vec3 points[32];
    td_shape shape = td_shape_default();
    td_segment_def def = td_segment_def_default();
    td_material leaf = td_material_get(td_material_find("leaf"));
    fill_patch(points, -0.5, -rise);
    fill_patch(points + 16, 0, rise);
    shape.kind = TD_SHAPE_PATCHES;
    shape.stretch = stretch;
    CHECK_INT(td_builder_add_material(builder, &leaf, &def.material, NULL), TD_OK);
    CHECK_INT(tdi_builder_add_patches(builder, &shape, points, 2, &def.shape, NULL), TD_OK);
    def.organ = TD_ORGAN_LEAF;
    def.length = size;
    add_def(builder, &def);
    return mesh_of(finish(builder), 0);
}

TD_TEST(mesh_of_patches_has_their_area) {
    td_mesh *mesh = patches_mesh(0, tdi_vec3(1, 1, 1), 1);
    td_mesh_part part = part_named(mesh, "leaf");
    check_sound(&part);
    CHECK_REL(area_of(&part), 1, 1e-6);
    td_mesh_free(mesh);
    mesh = patches_mesh(0, tdi_vec3(0.5, 1, 1), 3);
    part = part_named(mesh, "leaf");
    CHECK_REL(area_of(&part), 4.5, 1e-6);
    td_mesh_free(mesh);
}

// the two halves of a roof: at the ridge all normals are upright
TD_TEST(mesh_of_patches_is_smooth_where_they_meet) {
    OWNED(td_mesh) *mesh = patches_mesh(-1, tdi_vec3(1, 1, 1), 1);
    td_mesh_part part = part_named(mesh, "leaf");
    int32_t at_ridge = 0;
    for (int32_t i = 0; i < part.vertex_count; i++) {
        td_vec3 p = vertex_at(part.position, (uint32_t)i), n = vertex_at(part.normal, (uint32_t)i);
        if (fabs(p.x) < 1e-6) {
            at_ridge++;
            CHECK_SAY(fabs(n.x) < 1e-6 && fabs(n.z) > 0.999, "normal %g %g %g", n.x, n.y, n.z);
        }
    }
    CHECK(at_ridge >= 6);
}
