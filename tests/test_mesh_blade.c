// SPDX-License-Identifier: MIT
// Surfaces that bend: blades over a row of segments, and tubes. Pairs with src/skin/organs.c and
// path.c, and with src/plant/shape.c.

#include "test_mesh_support.h"
#include "test_plant_support.h"

#include "plant/shape.h"

// ---- skeletons ------------------------------------------------------------------------------

static td_shape row_shape(int32_t segments) {
    td_shape shape = td_shape_default();
    shape.curl = 0.8;
    shape.fold = 0.3;
    shape.wave = 0.02;
    shape.segments = segments;
    return shape;
}

// a leaf of length 1 on a short stem, of `segments` parts, each turned by `degrees` about X from
// where it is at rest
static td_skeleton *leaf(int32_t segments, td_real degrees) {
    td_builder *builder = test_builder();
    td_shape shape = row_shape(segments);
    td_material material = td_material_get(td_material_find("leaf"));
    td_segment_def def = td_segment_def_default();
    int32_t last = add_stem(builder, TD_NONE, about_z(0), 0.1, 0.01, 0.01);
    CHECK_INT(td_builder_add_material(builder, &material, &def.material, NULL), TD_OK);
    td_quat before = tdi_quat_identity();
    for (int32_t k = 0; k < segments; k++) {
        tdi_blade_part part = segments > 1 ? tdi_blade_part_at(&shape, k)
                                           : (tdi_blade_part){.turn = tdi_quat_identity()};
        shape.segment = k;
        CHECK_INT(td_builder_add_shape(builder, &shape, &def.shape, NULL), TD_OK);
        def.parent = last;
        def.organ = TD_ORGAN_LEAF;
        def.length = 1;
        def.rest = tdi_quat_mul(tdi_quat_conj(before), part.turn);
        def.initial =
            tdi_quat_mul(def.rest, tdi_quat_turn(tdi_vec3(1, 0, 0), tdi_radians(degrees)));
        last = add_def(builder, &def);
        before = part.turn;
    }
    return finish(builder);
}

static td_mesh *skinned_mesh(td_skeleton *skeleton, td_pose_kind pose) {
    td_mesh_opts opts = td_mesh_opts_default();
    td_mesh *mesh = NULL;
    opts.skinned = true;
    opts.pose = pose;
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_OK);
    return mesh;
}

// ---- blades ---------------------------------------------------------------------------------

TD_TEST(blade_in_parts_weighs_what_it_weighs_whole) {
    OWNED(td_skeleton) *whole = leaf(1, 0), *parts = leaf(7, 0);
    const td_segment *a = td_skeleton_segments(whole), *b = td_skeleton_segments(parts);
    td_real mass = 0, area = 0, moment = 0;
    for (int32_t i = 1; i <= 7; i++) {
        tdi_blade_part part = tdi_blade_part_at(&td_skeleton_shapes(parts)[b[i].shape], i - 1);
        td_real start = i == 1 ? -0.15 : (i - 1) / 7.0; // place of the joint along the lamina
        CHECK_REL(b[i].tip.y, part.length, 1e-14);
        mass += b[i].mass;
        area += b[i].area;
        moment += b[i].mass * (b[i].centre_of_mass.y + start);
    }
    CHECK_REL(mass, a[1].mass, 1e-9); // Gauss-Legendre sums over other panels
    CHECK_REL(area, a[1].area, 1e-9);
    CHECK_REL(moment, a[1].mass * (a[1].centre_of_mass.y - 0.15), 1e-9);
}

TD_TEST(blade_in_parts_is_the_same_surface_at_rest) {
    td_skeleton *whole = leaf(1, 0), *parts = leaf(4, 0); // both in 16 rows
    OWNED(td_mesh) *a = skinned_mesh(whole, TD_POSE_REST), *b = skinned_mesh(parts, TD_POSE_REST);
    td_mesh_part p = part_named(a, "leaf"), q = part_named(b, "leaf");
    // the lamina is what was added last; the midrib goes further in the second
    uint32_t lamina = 1 + 15 * 7 + 1;
    CHECK(p.vertex_count > (int32_t)lamina && q.vertex_count > (int32_t)lamina);
    for (uint32_t i = 0; i < lamina; i++) {
        uint32_t k = (uint32_t)p.vertex_count - lamina + i;
        uint32_t m = (uint32_t)q.vertex_count - lamina + i;
        td_vec3 gap = tdi_sub(vertex_at(p.position, k), vertex_at(q.position, m));
        td_vec3 turn = tdi_sub(vertex_at(p.normal, k), vertex_at(q.normal, m));
        CHECK_REL(tdi_norm(gap), 0, 1e-6); // float
        CHECK_REL(tdi_norm(turn), 0, 1e-6);
    }
    td_skeleton_free(whole);
    td_skeleton_free(parts);
}

// the sharpest edge between two triangles of the lamina, rad
static td_real sharpest_edge(const td_mesh_part *part) {
    td_real sharpest = 0;
    for (int32_t i = 0; i < part->index_count; i += 3) {
        for (int32_t k = 0; k < i; k += 3) {
            int shared = 0;
            for (int c = 0; c < 9; c++) {
                shared += part->index[i + c / 3] == part->index[k + c % 3];
            }
            if (shared == 2) {
                td_vec3 a = face_area2(part, i), b = face_area2(part, k);
                sharpest = fmax(sharpest, atan2(tdi_norm(tdi_cross(a, b)), tdi_dot(a, b)));
            }
        }
    }
    return sharpest;
}

static td_real sharpest_bend(int32_t segments, td_real degrees) {
    td_builder *builder = test_builder();
    td_shape shape = td_shape_default();
    shape.fold = shape.curl = shape.stalk = 0;
    shape.segments = segments;
    td_material material = td_material_get(td_material_find("leaf"));
    td_segment_def def = td_segment_def_default();
    int32_t last = add_stem(builder, TD_NONE, about_z(0), 0.1, 0.01, 0.01);
    CHECK_INT(td_builder_add_material(builder, &material, &def.material, NULL), TD_OK);
    for (int32_t k = 0; k < segments; k++) {
        shape.segment = k;
        CHECK_INT(td_builder_add_shape(builder, &shape, &def.shape, NULL), TD_OK);
        def.parent = last;
        def.organ = TD_ORGAN_LEAF;
        def.length = 1;
        def.initial = tdi_quat_turn(tdi_vec3(1, 0, 0), tdi_radians(k > 0 ? degrees : 0));
        last = add_def(builder, &def);
    }
    OWNED(td_mesh) *mesh = mesh_of(finish(builder), 0);
    td_mesh_part part = part_named(mesh, "leaf");
    td_real sharpest = sharpest_edge(&part);
    return sharpest;
}

// Plates would turn by the whole bend at one edge. Four rows a part share it evenly, but that rows
// are up to 1.5 times as far apart in the middle of the blade as on average.
TD_TEST(blade_bends_over_several_rows) {
    for (td_real degrees = 5; degrees <= 40; degrees += 35) {
        CHECK_IN(sharpest_bend(6, degrees) / tdi_radians(degrees), 0.2, 0.5);
    }
}

TD_TEST(blade_vertices_move_with_three_parts_of_their_row) {
    OWNED(td_skeleton) *skeleton = leaf(6, 10);
    OWNED(td_mesh) *mesh = skinned_mesh(skeleton, TD_POSE_INITIAL);
    td_mesh_part part = part_named(mesh, "leaf");
    int64_t shared[7] = {0};
    check_sound(&part);
    for (int32_t v = 0; v < part.vertex_count; v++) {
        const uint8_t *w = &part.weight[4 * v];
        const uint32_t *j = &part.joint[4 * v];
        CHECK_INT(w[0] + w[1] + w[2] + w[3], 255);
        CHECK_INT(w[3], 0);
        CHECK(j[0] >= 1 && j[0] <= 6 && (w[1] == 0 || j[1] == j[0] + 1));
        CHECK(w[2] == 0 || j[2] == j[0] + 2);
        shared[j[0]] += w[1] > 0;
    }
    for (int k = 1; k < 6; k++) {
        CHECK(shared[k] > 0); // every joint of the row is bent over
    }
}

TD_TEST(blade_shapes_are_checked) {
    OWNED(td_builder) *builder = test_builder();
    td_shape shape = row_shape(0);
    td_diag diag = {0};
    CHECK_INT(td_builder_add_shape(builder, &shape, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segments of the shape is 0");
    shape.segments = 65;
    CHECK_INT(td_builder_add_shape(builder, &shape, NULL, &diag), TD_ERR_ARGUMENT);
    shape = row_shape(3);
    shape.segment = 3;
    CHECK_INT(td_builder_add_shape(builder, &shape, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "segment of the shape is 3; it has 3");
    shape = row_shape(3);
    shape.kind = TD_SHAPE_FLOWER;
    CHECK_INT(td_builder_add_shape(builder, &shape, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "only a leaf or a petal bends");
}

// a part that was pruned away leaves the rest of the blade with those that are there
TD_TEST(blade_whose_tip_is_pruned_is_still_drawn) {
    static const char text[] = "length unit: 1\nsurface: L leaf, segments=9, taper=3\n"
                               "axiom: !(0.02)F(0.2)~L(1)\n";
    td_skeleton_opts opts = td_skeleton_opts_default();
    OWNED(test_plant) all = test_grow_count(text, 10);
    opts.prune_mass = td_skeleton_segments(all.skeleton)[9].mass * 1.01;
    OWNED(test_plant) less = test_grow(text, &opts);
    CHECK_INT(td_skeleton_count(less.skeleton), 9);
    OWNED(td_mesh) *mesh = skinned_mesh(less.skeleton, TD_POSE_INITIAL);
    td_mesh_part part = part_named(mesh, "leaf");
    check_sound(&part);
    for (int32_t v = 0; v < 4 * part.vertex_count; v++) {
        CHECK(part.joint[v] < 9);
    }
}

// ---- tubes ----------------------------------------------------------------------------------

// where a vertex of a skinned tube is when segment 1 is turned by `turn` about the joint at `pivot`
static td_vec3 bent(const td_mesh_part *part, uint32_t v, td_quat turn, td_vec3 pivot) {
    td_vec3 at = vertex_at(part->position, v), sum = {0, 0, 0};
    for (uint32_t k = 0; k < 4; k++) {
        td_vec3 moved = at;
        if (part->joint[4 * v + k] == 1) {
            moved = tdi_add(pivot, tdi_quat_rotate(turn, tdi_sub(at, pivot)));
        }
        sum = tdi_madd(sum, moved, part->weight[4 * v + k] / 255.0);
    }
    return sum;
}

// Of a straight limb of two segments that is bent: the least and the mean radius of its rings in
// the plane of the bend, over what it was. Rings of both halves count by the length around them.
static void measure_bend(td_real degrees, td_real *least, td_real *mean) {
    const int32_t sides = 16;
    const td_real radius = 0.1;
    td_builder *builder = test_builder();
    int32_t a = add_stem(builder, TD_NONE, about_z(0), 1, radius, radius);
    add_stem(builder, a, about_z(0), 1, radius, radius);
    OWNED(td_skeleton) *skeleton = finish(builder);
    OWNED(td_mesh) *mesh = skinned_mesh(skeleton, TD_POSE_INITIAL);
    td_mesh_part stem = part_named(mesh, "stem");
    td_real sum = 0, before = 0, last = 1;
    *least = 1;
    // after the disc: five rings of 17, at 0, 0.9, 1, 1.1 and 2; X is across, and in the plane
    for (uint32_t ring = 1; ring <= 5; ring++) {
        uint32_t at = ring * (uint32_t)(sides + 1);
        td_real y = stem.position[3 * at + 1];
        td_vec3 gap = tdi_sub(bent(&stem, at, about_z(degrees), tdi_vec3(0, 1, 0)),
                              bent(&stem, at + 8, about_z(degrees), tdi_vec3(0, 1, 0)));
        td_real section = tdi_norm(gap) / (2 * radius);
        *least = fmin(*least, section);
        sum += (y - before) * (section + last) / 2;
        before = y;
        last = section;
    }
    CHECK_REL(before, 2, 1e-6);
    *mean = sum / 2;
}

// Two matrices that are mixed shrink what lies between them: by cos(bend/2) at the joint itself.
// The rings on either side keep that within a radius, so that a limb stays round as a whole.
TD_TEST(tube_that_bends_loses_section_at_the_joint_only) {
    for (td_real degrees = 0; degrees <= 90; degrees += 30) {
        td_real least, mean;
        measure_bend(degrees, &least, &mean);
        CHECK_REL(least, cos(tdi_radians(degrees / 2)), 1e-3); // weights in 1/255: 127 and 128
        CHECK_REL(1 - mean, 0.05 * (1 - least), 1e-4);         // one radius of 20, half of it
    }
}
