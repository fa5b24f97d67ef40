// SPDX-License-Identifier: MIT
// Leaves, flowers, fruit, polygons and colours. Pairs with src/skin: organ.c, blade.c, solid.c,
// polygon.c, skin.c.

#include "test_mesh_support.h"
#include "test_plant_support.h"

#include "plant/shape.h"
#include "skin/polygon.h"
#include "skin/skin.h"

// ---- organs ---------------------------------------------------------------------------------

static td_skeleton *one_organ(const td_shape *shape, td_organ organ) {
    td_builder *builder = test_builder();
    add_organ(builder, TD_NONE, shape, organ, 1);
    return finish(builder);
}

// area of the lamina alone, stalk left out
static td_real blade_area(td_shape shape) {
    shape.stalk = 0;
    OWNED(td_mesh) *mesh = mesh_of(one_organ(&shape, TD_ORGAN_LEAF), 0);
    td_mesh_part leaf = part_named(mesh, "leaf");
    check_sound(&leaf);
    td_real area = area_of(&leaf);
    return area;
}

TD_TEST(mesh_blade_has_the_area_of_its_outline) {
    td_shape shape = td_shape_default();
    shape.fold = shape.curl = 0;
    CHECK_REL(blade_area(shape), tdi_shape_area(&shape), 0.01);
    shape.taper = 0.5;
    shape.widest = 0.7;
    CHECK_REL(blade_area(shape), tdi_shape_area(&shape), 0.01);
    shape.taper = 2;
    shape.widest = 0.3;
    CHECK_REL(blade_area(shape), tdi_shape_area(&shape), 0.01);
    shape.lobes = 4;
    shape.lobe_depth = 0.6;
    CHECK_REL(blade_area(shape), tdi_shape_area(&shape), 0.01);
}

// bending keeps lengths, and so the area but for what the flat triangles cut off
TD_TEST(mesh_folding_and_curling_a_blade_keeps_its_area) {
    td_shape shape = td_shape_default();
    shape.fold = shape.curl = 0;
    td_real flat = blade_area(shape);
    shape.fold = 1.2;
    CHECK_REL(blade_area(shape), flat, 0.005);
    shape.fold = 0;
    shape.curl = 2;
    CHECK_REL(blade_area(shape), flat, 0.005);
}

TD_TEST(mesh_curl_turns_the_tip_and_fold_raises_the_halves) {
    td_shape shape = td_shape_default();
    shape.stalk = 0.5;
    shape.fold = 0.5;
    shape.curl = TDI_PI / 2;
    td_mesh *mesh = mesh_of(one_organ(&shape, TD_ORGAN_LEAF), 0);
    td_mesh_part leaf = part_named(mesh, "leaf");
    td_vec3 tip = vertex_at(leaf.position, (uint32_t)leaf.vertex_count - 1);
    td_vec3 normal = vertex_at(leaf.normal, (uint32_t)leaf.vertex_count - 1);
    // a quarter of a circle of length 1 from (0, stalk, 0)
    CHECK_REL(tdi_norm(tdi_sub(tip, tdi_vec3(0, 0.5 + 2 / TDI_PI, -2 / TDI_PI))), 0, 1e-6);
    CHECK_REL(normal.y, 1, 1e-6);
    td_mesh_free(mesh);
    shape.curl = 0;
    mesh = mesh_of(one_organ(&shape, TD_ORGAN_LEAF), 0);
    leaf = part_named(mesh, "leaf");
    td_real highest = 0, widest = 0;
    for (uint32_t i = 0; i < (uint32_t)leaf.vertex_count; i++) {
        highest = fmax(highest, vertex_at(leaf.position, i).z);
        widest = fmax(widest, vertex_at(leaf.position, i).x);
    }
    CHECK_IN(highest / widest, 0.8 * tan(0.5), tan(0.5));
    td_mesh_free(mesh);
}

TD_TEST(mesh_of_every_shape_is_sound_at_the_ends_of_its_ranges) {
    td_real curls[] = {-20 * TDI_PI, -1, 0, 1e-12, 20 * TDI_PI};
    td_real folds[] = {-TDI_PI, 0, 1e-12, TDI_PI}, widths[] = {1e-12, 1e-9, 0.5, 100};
    for (int kind = TD_SHAPE_BLADE; kind <= TD_SHAPE_DISC; kind++) {
        for (int i = 0; i < 5 * 4; i++) {
            td_shape shape = td_shape_default();
            shape.kind = (td_shape_kind)kind;
            shape.curl = curls[i % 5];
            shape.fold = folds[i / 5];
            shape.lobes = i % 3 * 100;
            shape.lobe_depth = i % 2;
            shape.wave = 0.1 * (i % 4);
            shape.whorls = 1 + i % 7;
            shape.width = widths[i % 4];
            shape.taper = i % 2 == 0 ? 0.1 : 20;
            OWNED(td_mesh) *mesh = mesh_of(one_organ(&shape, TD_ORGAN_FLOWER), 0);
            for (int32_t k = 0; k < td_mesh_part_count(mesh); k++) {
                td_mesh_part part = td_mesh_part_get(mesh, k);
                CHECK(part.index_count > 0);
                int32_t bad = 0;
                for (uint32_t v = 0; v < (uint32_t)part.vertex_count; v++) {
                    bad += !(fabs(tdi_norm(vertex_at(part.normal, v)) - 1) < 1e-6);
                    bad += !tdi_finite3(vertex_at(part.position, v));
                }
                CHECK_INT(bad, 0);
            }
        }
    }
}

TD_TEST(mesh_box_stands_on_its_joint) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_BOX;
    shape.width = 0.4;
    shape.depth = 2;
    OWNED(td_mesh) *mesh = mesh_of(one_organ(&shape, TD_ORGAN_FRUIT), 0);
    td_mesh_part fruit = part_named(mesh, "fruit");
    CHECK_INT(fruit.vertex_count, 24);
    check_sound(&fruit);
    CHECK_REL(volume_of(&fruit), 0.4 * 2, 1e-6);
    for (uint32_t i = 0; i < 24; i++) {
        td_vec3 p = vertex_at(fruit.position, i);
        CHECK_REL(fabs(p.x), 0.2, 1e-6);
        CHECK_REL(fabs(p.y - 0.5), 0.5, 1e-6);
        CHECK_REL(fabs(p.z), 1, 1e-6);
    }
}

TD_TEST(mesh_bead_is_a_ball_about_the_tip_of_its_stem) {
    td_builder *builder = test_builder();
    td_segment_def def = td_segment_def_default();
    def.length = 0.5;
    def.radius_base = def.radius_tip = 0.01;
    def.bead = 0.03;
    add_def(builder, &def);
    OWNED(td_mesh) *mesh = mesh_of(finish(builder), 0);
    td_mesh_part ball = part_named(mesh, "fruit");
    CHECK_INT(open_edges(&ball), 0);
    check_sound(&ball);
    for (uint32_t i = 0; i < (uint32_t)ball.vertex_count; i++) {
        td_vec3 p = tdi_sub(vertex_at(ball.position, i), tdi_vec3(0, 0.5, 0));
        CHECK_REL(tdi_norm(p), 0.03, 1e-5);
    }
}

TD_TEST(mesh_fruit_is_a_closed_ellipsoid_on_its_stalk) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_BALL;
    shape.width = 0.6;
    shape.stalk = 0;
    td_mesh *mesh = mesh_of(one_organ(&shape, TD_ORGAN_FRUIT), 0);
    td_mesh_part fruit = part_named(mesh, "fruit");
    CHECK(!fruit.double_sided);
    CHECK_INT(open_edges(&fruit), 0);
    check_sound(&fruit);
    CHECK_REL(volume_of(&fruit), TDI_PI / 6 * 0.6 * 0.6, 0.03);
    // the normal is along the gradient of x^2/a^2 + (y - b)^2/b^2 + z^2/a^2
    for (uint32_t i = 0; i < (uint32_t)fruit.vertex_count; i++) {
        td_vec3 p = vertex_at(fruit.position, i);
        td_vec3 gradient = tdi_vec3(p.x / 0.09, (p.y - 0.5) / 0.25, p.z / 0.09);
        td_vec3 want = tdi_unit_or(gradient, gradient);
        CHECK_REL(tdi_norm(tdi_sub(vertex_at(fruit.normal, i), want)), 0, 1e-6);
    }
    td_mesh_free(mesh);
    shape.stalk = 0.4;
    mesh = mesh_of(one_organ(&shape, TD_ORGAN_FRUIT), 0);
    fruit = part_named(mesh, "fruit");
    CHECK_INT(open_edges(&fruit), 0);
    check_sound(&fruit);
    td_vec3 top = vertex_at(fruit.position, (uint32_t)fruit.vertex_count - 1);
    CHECK_REL(top.y, 1.4, 1e-6);
    td_mesh_free(mesh);
}

// a disc lies across Z of its segment, whichever way that has turned
TD_TEST(mesh_organs_turn_and_grow_with_their_segment) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_DISC;
    td_builder *builder = test_builder();
    td_quat turn = tdi_quat_turn(tdi_unit_or(tdi_vec3(1, 2, 3), tdi_vec3(1, 0, 0)), 1);
    int32_t stem = add_stem(builder, TD_NONE, turn, 2, 0.1, 0.1);
    add_organ(builder, stem, &shape, TD_ORGAN_LEAF, 3);
    OWNED(td_mesh) *mesh = mesh_of(finish(builder), 0);
    td_mesh_part leaf = part_named(mesh, "leaf");
    td_vec3 centre = tdi_quat_rotate(turn, tdi_vec3(0, 2, 0));
    td_vec3 normal = tdi_quat_rotate(turn, tdi_vec3(0, 0, 1));
    for (uint32_t i = 1; i < (uint32_t)leaf.vertex_count; i++) {
        CHECK_REL(tdi_norm(tdi_sub(vertex_at(leaf.normal, i), normal)), 0, 1e-6);
        CHECK_REL(tdi_norm(tdi_sub(vertex_at(leaf.position, i), centre)), 1.5, 1e-6);
    }
    check_sound(&leaf);
}

// every petal where shape.h says: the tips of a flat flower lie on a circle
TD_TEST(mesh_flower_has_its_petals_around_the_axis) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_FLOWER;
    shape.petals = 7;
    shape.opening = TDI_PI / 2;
    shape.curl = 0;
    OWNED(td_mesh) *mesh = mesh_of(one_organ(&shape, TD_ORGAN_FLOWER), 0);
    td_mesh_part petal = part_named(mesh, "petal");
    CHECK(petal.double_sided);
    CHECK_INT(petal.vertex_count % 7, 0);
    int32_t each = petal.vertex_count / 7;
    for (int32_t i = 0; i < 7; i++) {
        td_vec3 tip = vertex_at(petal.position, (uint32_t)(each * (i + 1) - 1));
        td_vec3 want = tdi_quat_rotate(tdi_quat_turn(tdi_vec3(0, 1, 0), 2 * TDI_PI * i / 7),
                                       tdi_vec3(0, shape.stalk, -0.5));
        CHECK_REL(tdi_norm(tdi_sub(tip, want)), 0, 1e-6);
    }
    td_mesh_part centre = part_named(mesh, "flower");
    CHECK_INT(open_edges(&centre), 0);
}

TD_TEST(mesh_small_organs_have_fewer_triangles) {
    td_shape shape = td_shape_default();
    int32_t counts[3];
    td_real sizes[3] = {0.5, 0.1, 0.01};
    for (int i = 0; i < 3; i++) {
        td_builder *builder = test_builder();
        int32_t stem = add_stem(builder, TD_NONE, about_z(0), 1, 0.01, 0.01);
        add_organ(builder, stem, &shape, TD_ORGAN_LEAF, sizes[i]);
        OWNED(td_mesh) *mesh = mesh_of(finish(builder), 0);
        counts[i] = part_named(mesh, "leaf").index_count;
    }
    CHECK(counts[0] > counts[1]);
    CHECK(counts[1] > counts[2]);
}

// ---- polygons -------------------------------------------------------------------------------

// twice the area, by the shoelace formula
static td_real shoelace(const td_vec3 *p, int32_t count) {
    td_real sum = 0;
    for (int32_t i = 0; i < count; i++) {
        const td_vec3 *q = &p[(i + 1) % count];
        sum += p[i].x * q->y - p[i].y * q->x;
    }
    return sum;
}

// cuts a polygon of the XY plane; every triangle must turn the same way and all must add up
static void check_cut(const td_vec3 *points, int32_t count) {
    FREED int32_t *corners = calloc(3 * (size_t)count, sizeof *corners);
    int32_t found = 0, turned = 0;
    CHECK_INT(tdi_polygon_cut(points, count, NULL, corners, &found), TD_OK);
    td_real want = shoelace(points, count), sum = 0;
    for (int32_t i = 0; i < found; i++) {
        td_vec3 triangle[3];
        for (int k = 0; k < 3; k++) {
            triangle[k] = points[corners[3 * i + k]];
        }
        td_real area = shoelace(triangle, 3);
        sum += area;
        turned += area * want < 0;
    }
    CHECK_INT(turned, 0);
    CHECK_IN(found, 1, count - 2);
    CHECK_REL(sum, want, 1e-10);
}

// a star-shaped outline: random radii at random angles, either way round
TD_TEST(mesh_ear_clipping_keeps_the_area_of_random_polygons) {
    tdi_random random = random_of(7);
    int32_t tried = 0;
    for (int round = 0; round < 300; round++) {
        int32_t count = 3 + (int32_t)(tdi_random_uniform(&random) * 60);
        td_vec3 points[64];
        td_real angle = 0, first = 0, way = round % 2 == 0 ? 1 : -1;
        for (int32_t i = 0; i < count; i++) {
            angle += way * 2 * TDI_PI / count * (0.2 + 0.7 * tdi_random_uniform(&random));
            first = i == 0 ? angle : first;
            td_real radius = 0.05 + tdi_random_uniform(&random);
            points[i] = tdi_vec3(radius * cos(angle), radius * sin(angle), 0);
        }
        // the last edge closes the outline without crossing it when it sees the centre on its left
        if (fabs(angle - first) > TDI_PI) {
            check_cut(points, count);
            tried++;
        }
    }
    CHECK(tried > 100);
}

// a band wound up to a spiral, and a comb whose teeth are needles
TD_TEST(mesh_ear_clipping_cuts_spirals_and_combs) {
    enum { HALF = 400 };
    static td_vec3 points[2 * HALF];
    for (int32_t i = 0; i < HALF; i++) {
        td_real angle = 0.05 * i, inner = 1 + 0.1 * angle;
        points[i] = tdi_vec3(inner * cos(angle), inner * sin(angle), 0);
        td_real outer = inner + 0.3;
        points[2 * HALF - 1 - i] = tdi_vec3(outer * cos(angle), outer * sin(angle), 0);
    }
    check_cut(points, 2 * HALF);
    for (int32_t i = 0; i < HALF; i++) {
        points[i] = tdi_vec3(i, i % 2 == 0 ? 0 : 100, 0);
    }
    points[HALF] = tdi_vec3(HALF, -1, 0);
    points[HALF + 1] = tdi_vec3(-1, -1, 0);
    check_cut(points, HALF + 2);
}

TD_TEST(mesh_ear_clipping_ends_for_outlines_that_are_no_polygons) {
    td_vec3 same[5] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    td_vec3 line[4] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {1.5, 1.5, 1.5}};
    td_vec3 history[5];
    for (int i = 0; i < 5; i++) {
        history[i] = tdi_vec3(cos(0.8 * TDI_PI * i), sin(0.8 * TDI_PI * i), 0);
    }
    int32_t corners[9], found = -1;
    CHECK_INT(tdi_polygon_cut(same, 5, NULL, corners, &found), TD_OK);
    CHECK_INT(found, 0);
    CHECK_INT(tdi_polygon_cut(line, 4, NULL, corners, &found), TD_OK);
    CHECK_INT(found, 0);
    CHECK_INT(tdi_polygon_cut(history, 5, NULL, corners, &found), TD_OK);
    CHECK_INT(found, 3);
}

// an L of three squares, drawn by the turtle
TD_TEST(mesh_of_a_turtle_polygon_has_its_area_and_normal) {
    OWNED(test_plant) p = test_grow("material: 0 leaf\n"
                                    "axiom: {.f(2)-(90)f(1)-(90)f(1)+(90)f(1)-(90)f(1)-(90)f(2)}\n",
                                    NULL);
    CHECK_INT(p.status, TD_OK);
    OWNED(td_mesh) *mesh = NULL;
    CHECK_INT(td_mesh_new(p.skeleton, NULL, NULL, &mesh, NULL), TD_OK);
    td_mesh_part leaf = part_named(mesh, "leaf");
    CHECK_REL(area_of(&leaf), 3, 1e-6);
    CHECK(leaf.double_sided);
    check_sound(&leaf);
    CHECK_REL(fabs(vertex_at(leaf.normal, 0).z), 1, 1e-6);
}

// ---- colours --------------------------------------------------------------------------------

TD_TEST(mesh_colors_are_linear_and_rounded) {
    CHECK_INT(tdi_rgb_linear(0x000000).r, 0);
    CHECK_INT(tdi_rgb_linear(0xffffff).g, 255);
    tdi_rgb rgb = tdi_rgb_linear(0x80bc01);
    CHECK_INT(rgb.r, 55);
    CHECK_INT(rgb.g, 128);
    CHECK_INT(rgb.b, 0);
    for (uint32_t c = 0; c < 256; c++) {
        td_real x = c / 255.0;
        td_real linear = x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
        CHECK_INT(tdi_rgb_linear(c).b, floor(255 * linear + 0.5));
    }
}

TD_TEST(mesh_stem_takes_the_color_of_its_segments) {
    td_builder *builder = test_builder();
    td_segment_def def = td_segment_def_default();
    def.color = 0xff0080;
    add_def(builder, &def);
    OWNED(td_mesh) *mesh = mesh_of(finish(builder), 0);
    td_mesh_part stem = part_named(mesh, "stem");
    for (int32_t i = 0; i < stem.vertex_count; i++) {
        const uint8_t want[4] = {255, 0, 55, 255};
        CHECK_INT(memcmp(stem.color + 4 * i, want, 4), 0);
    }
}

// on a leaf the midrib is paler than the margin, and the tip is lighter than the base
TD_TEST(mesh_leaf_varies_its_color) {
    td_shape shape = td_shape_default();
    shape.stalk = 0;
    OWNED(td_mesh) *mesh = mesh_of(one_organ(&shape, TD_ORGAN_LEAF), 0);
    td_mesh_part leaf = part_named(mesh, "leaf");
    const uint8_t *margin = leaf.color + 4 * (1 + 5 * 7), *midrib = margin + 4 * 2;
    const uint8_t *low = leaf.color + 4 * 1, *high = leaf.color + 4 * (leaf.vertex_count - 6);
    CHECK(midrib[0] > margin[0] && midrib[1] > margin[1] && midrib[2] > margin[2]);
    CHECK(high[1] > low[1]);
}
