// SPDX-License-Identifier: MIT
// Triangles over skeletons. Pairs with src/skin.

#include "td_test.h"
#include "test_plant_support.h"

#include "base/random.h"
#include "math/quat.h"
#include "plant/shape.h"
#include "skin/polygon.h"
#include "skin/posed.h"
#include "skin/skin.h"

#include <stdlib.h>

// ---- making skeletons -----------------------------------------------------------------------

static td_quat about_z(td_real degrees) {
    return tdi_quat_turn(tdi_vec3(0, 0, 1), tdi_radians(degrees));
}

static td_builder *begin(void) {
    td_builder *builder = NULL;
    CHECK_INT(td_builder_new(NULL, NULL, &builder), TD_OK);
    return builder;
}

static int32_t add_def(td_builder *builder, const td_segment_def *def) {
    int32_t index = TD_NONE;
    td_diag diag = {0};
    if (td_builder_add(builder, def, &index, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "cannot add: %s", diag.message);
    }
    return index;
}

static int32_t add_stem(td_builder *builder, int32_t parent, td_quat turn, td_real length,
                        td_real radius_base, td_real radius_tip) {
    td_segment_def def = td_segment_def_default();
    def.parent = parent;
    def.rest = turn;
    def.length = length;
    def.radius_base = radius_base;
    def.radius_tip = radius_tip;
    return add_def(builder, &def);
}

static int32_t add_organ(td_builder *builder, int32_t parent, const td_shape *shape, td_organ organ,
                         td_real size) {
    static const char *const materials[] = {"green-wood", "leaf", "petal", "petal", "fruit"};
    td_material material = td_material_get(td_material_find(materials[organ]));
    td_segment_def def = td_segment_def_default();
    td_diag diag = {0};
    CHECK_INT(td_builder_add_material(builder, &material, &def.material, &diag), TD_OK);
    if (td_builder_add_shape(builder, shape, &def.shape, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "cannot add the shape: %s", diag.message);
    }
    def.parent = parent;
    def.organ = organ;
    def.length = size;
    return add_def(builder, &def);
}

static td_skeleton *finish(td_builder *builder) {
    td_skeleton *skeleton = NULL;
    td_diag diag = {0};
    if (td_builder_finish(builder, &skeleton, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "no skeleton: %s", diag.message);
    }
    td_builder_free(builder);
    return skeleton;
}

static td_mesh *mesh_of(td_skeleton *skeleton, int32_t sides) {
    td_mesh_opts opts = td_mesh_opts_default();
    opts.sides = sides;
    td_mesh *mesh = NULL;
    td_diag diag = {0};
    if (td_mesh_new(skeleton, &opts, NULL, &mesh, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "no mesh: %s", diag.message);
    }
    td_skeleton_free(skeleton);
    return mesh;
}

// a mesh of one part that must be there; the caller frees the mesh
static td_mesh_part part_named(const td_mesh *mesh, const char *name) {
    for (int32_t i = 0; i < td_mesh_part_count(mesh); i++) {
        td_mesh_part part = td_mesh_part_get(mesh, i);
        if (strcmp(part.name, name) == 0) {
            return part;
        }
    }
    test_failed(__FILE__, __LINE__, "the mesh has no part \"%s\"", name);
    return (td_mesh_part){.name = name};
}

// a chain of bends about Z, each of the given degrees
static td_skeleton *bent_chain(int32_t count, td_real degrees, td_real length, td_real radius) {
    td_builder *builder = begin();
    int32_t last = add_stem(builder, TD_NONE, about_z(0), length, radius, radius);
    for (int32_t i = 1; i < count; i++) {
        last = add_stem(builder, last, about_z(degrees), length, radius, radius);
    }
    return finish(builder);
}

static td_skeleton *one_stem(td_real length, td_real radius_base, td_real radius_tip) {
    td_builder *builder = begin();
    add_stem(builder, TD_NONE, about_z(0), length, radius_base, radius_tip);
    return finish(builder);
}

static td_skeleton *one_organ(const td_shape *shape, td_organ organ) {
    td_builder *builder = begin();
    add_organ(builder, TD_NONE, shape, organ, 1);
    return finish(builder);
}

// one of everything
static td_skeleton *varied_plant(void) {
    td_builder *builder = begin();
    int32_t root = add_stem(builder, TD_NONE, about_z(0), 0.2, 0.01, 0.009);
    int32_t top = add_stem(builder, root, about_z(20), 0.2, 0.009, 0.005);
    add_stem(builder, root, about_z(-80), 0.1, 0.006, 0);
    td_shape shape = td_shape_default();
    add_organ(builder, top, &shape, TD_ORGAN_LEAF, 0.1);
    add_organ(builder, root, &shape, TD_ORGAN_PETAL, 0.001);
    shape.kind = TD_SHAPE_FLOWER;
    shape.whorls = 2;
    add_organ(builder, top, &shape, TD_ORGAN_FLOWER, 0.05);
    shape.kind = TD_SHAPE_BALL;
    add_organ(builder, top, &shape, TD_ORGAN_FRUIT, 0.02);
    shape.kind = TD_SHAPE_DISC;
    add_organ(builder, top, &shape, TD_ORGAN_LEAF, 0.02);
    return finish(builder);
}

// ---- measuring meshes -----------------------------------------------------------------------

static td_vec3 vertex_at(const float *array, uint32_t i) {
    return tdi_vec3(array[3 * i], array[3 * i + 1], array[3 * i + 2]);
}

static td_vec3 face_area2(const td_mesh_part *part, int32_t first) {
    td_vec3 a = vertex_at(part->position, part->index[first]);
    td_vec3 b = vertex_at(part->position, part->index[first + 1]);
    td_vec3 c = vertex_at(part->position, part->index[first + 2]);
    return tdi_cross(tdi_sub(b, a), tdi_sub(c, a));
}

static td_real area_of(const td_mesh_part *part) {
    td_real area = 0;
    for (int32_t i = 0; i < part->index_count; i += 3) {
        area += tdi_norm(face_area2(part, i)) / 2;
    }
    return area;
}

// by the divergence theorem, about the first vertex
static td_real volume_of(const td_mesh_part *part) {
    td_real volume = 0;
    td_vec3 origin = vertex_at(part->position, 0);
    for (int32_t i = 0; i < part->index_count; i += 3) {
        td_vec3 a = tdi_sub(vertex_at(part->position, part->index[i]), origin);
        volume += tdi_dot(a, face_area2(part, i)) / 6;
    }
    return volume;
}

// vertices at the same place count as one: the number of the first of them
static uint32_t welded(const td_mesh_part *part, uint32_t vertex) {
    for (uint32_t i = 0; i < vertex; i++) {
        if (memcmp(&part->position[3 * i], &part->position[3 * vertex], 12) == 0) {
            return i;
        }
    }
    return vertex;
}

static int compare_edges(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// How many edges lack a partner that runs the other way; -1 when two triangles share an edge in
// the same direction.
static int64_t open_edges(const td_mesh_part *part) {
    size_t count = (size_t)part->index_count;
    uint32_t *weld = calloc((size_t)part->vertex_count, sizeof *weld);
    uint64_t *edges = calloc(count, sizeof *edges);
    for (int32_t i = 0; i < part->vertex_count; i++) {
        weld[i] = welded(part, (uint32_t)i);
    }
    for (size_t i = 0; i < count; i++) {
        size_t n = i % 3 == 2 ? i - 2 : i + 1;
        edges[i] = (uint64_t)weld[part->index[i]] << 32 | weld[part->index[n]];
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    int64_t open = 0;
    for (size_t i = 0; i < count && open >= 0; i++) {
        uint64_t back = edges[i] << 32 | edges[i] >> 32;
        bool doubled = i > 0 && edges[i] == edges[i - 1];
        open += bsearch(&back, edges, count, sizeof *edges, compare_edges) ? 0 : 1;
        open = doubled ? -1 : open;
    }
    free(weld);
    free(edges);
    return open;
}

// every index in range, every normal unit, every triangle facing the way its normals do
static void check_sound(const td_mesh_part *part) {
    int32_t bad_index = 0, bad_normal = 0, turned = 0;
    for (int32_t i = 0; i < part->index_count; i++) {
        bad_index += part->index[i] >= (uint32_t)part->vertex_count;
    }
    for (int32_t i = 0; i < part->vertex_count; i++) {
        td_real norm = tdi_norm(vertex_at(part->normal, (uint32_t)i));
        bad_normal +=
            !(fabs(norm - 1) < 1e-6) || !tdi_finite3(vertex_at(part->position, (uint32_t)i));
    }
    for (int32_t i = 0; i < part->index_count && bad_index == 0; i += 3) {
        td_vec3 face = tdi_unit_or(face_area2(part, i), tdi_vec3(0, 0, 0));
        td_vec3 sum = tdi_vec3(0, 0, 0);
        for (int k = 0; k < 3; k++) {
            sum = tdi_add(sum, vertex_at(part->normal, part->index[i + k]));
        }
        turned += tdi_dot(face, sum) < 0;
    }
    CHECK_INT(bad_index, 0);
    CHECK_INT(bad_normal, 0);
    CHECK_INT(turned, 0);
}

// ---- tubes ----------------------------------------------------------------------------------

static void check_closed(td_skeleton *skeleton, int32_t sides) {
    td_mesh *mesh = mesh_of(skeleton, sides);
    td_mesh_part stem = part_named(mesh, "stem");
    CHECK_INT(open_edges(&stem), 0);
    check_sound(&stem);
    td_mesh_free(mesh);
}

TD_TEST(mesh_tubes_are_closed_and_face_outwards) {
    check_closed(one_stem(1, 0.1, 0.1), 0);
    check_closed(one_stem(1, 0.1, 0), 0);
    check_closed(one_stem(0.1, 0.01, 0.2), 12);
    check_closed(bent_chain(12, 15, 0.3, 0.05), 3);
    check_closed(bent_chain(12, 15, 0.3, 0.05), 64);
    check_closed(bent_chain(9, 70, 1, 0.02), 0);
    check_closed(bent_chain(4, 100, 1, 0.1), 0); // four tubes with round elbows
}

// normals of a cone: across its surface, (cos a radial + sin a axis) with tan a = taper
TD_TEST(mesh_straight_tapered_stem_has_exact_cone_normals) {
    td_builder *builder = begin();
    int32_t a = add_stem(builder, TD_NONE, about_z(0), 1, 0.3, 0.25);
    int32_t b = add_stem(builder, a, about_z(0), 2, 0.25, 0.15);
    add_stem(builder, b, about_z(0), 3, 0.15, 0);
    td_mesh *mesh = mesh_of(finish(builder), 16);
    td_mesh_part stem = part_named(mesh, "stem");
    CHECK_INT(stem.vertex_count, 16 * 5); // the disc and four rings, the last one pointed
    td_real slope = 0.05, scale = 1 / sqrt(1 + slope * slope);
    for (uint32_t i = 16; i < (uint32_t)stem.vertex_count; i++) {
        td_real angle = 2 * TDI_PI * (i % 16) / 16;
        td_vec3 radial = tdi_vec3(cos(angle), 0, -sin(angle)); // e1 is X and e2 is Y x X
        td_vec3 want = tdi_vec3(scale * radial.x, scale * slope, scale * radial.z);
        CHECK_REL(tdi_norm(tdi_sub(vertex_at(stem.normal, i), want)), 0, 1e-7);
    }
    td_mesh_free(mesh);
}

static td_real stem_volume(td_real length, td_real base, td_real tip, int32_t sides) {
    td_mesh *mesh = mesh_of(one_stem(length, base, tip), sides);
    td_mesh_part stem = part_named(mesh, "stem");
    td_real volume = volume_of(&stem);
    td_mesh_free(mesh);
    return volume;
}

// the frustum, and the piece of the sphere that touches it: h (3 r^2 + h^2) pi/6
static td_real exact_volume(td_real length, td_real base, td_real tip) {
    td_real frustum = TDI_PI * length / 3 * (base * base + base * tip + tip * tip);
    td_real lean = atan((base - tip) / length);
    td_real height = tip / cos(lean) * (1 - sin(lean));
    return frustum + TDI_PI * height / 6 * (3 * tip * tip + height * height);
}

static void check_volume(td_real length, td_real base, td_real tip) {
    td_real exact = exact_volume(length, base, tip);
    td_real e1 = exact - stem_volume(length, base, tip, 16);
    td_real e2 = exact - stem_volume(length, base, tip, 32);
    td_real e3 = exact - stem_volume(length, base, tip, 64);
    CHECK_IN(e1 / e2, 3.8, 4.2);
    CHECK_IN(e2 / e3, 3.8, 4.2);
    CHECK_IN(e3 / exact, 0, 2e-3);
}

TD_TEST(mesh_volume_of_cylinder_and_cone_converges_at_second_order) {
    check_volume(1, 0.1, 0.1);
    check_volume(1, 0.2, 0.05);
    check_volume(1, 0.3, 0);
}

// the centres of the rings of a chain with a disc at its start, in order
static td_vec3 ring_centre(const td_mesh_part *stem, int32_t sides, int32_t ring) {
    td_vec3 sum = tdi_vec3(0, 0, 0);
    for (int32_t k = 0; k < sides; k++) {
        sum = tdi_add(sum, vertex_at(stem->position, (uint32_t)(sides * (ring + 1) + k)));
    }
    return tdi_scale(sum, 1.0 / sides);
}

// how far the joints of a chain are from the straight pieces between the rings of its tube
static td_real farthest_joint(td_skeleton *skeleton, int32_t sides) {
    td_vec3 joints[16];
    int32_t count = td_skeleton_count(skeleton);
    td_skeleton_pose(skeleton, TD_POSE_INITIAL, joints, NULL);
    td_mesh *mesh = mesh_of(skeleton, sides);
    td_mesh_part stem = part_named(mesh, "stem");
    td_real farthest = 0;
    for (int32_t j = 0; j < count; j++) {
        td_real nearest = 1e9;
        for (int32_t i = 0; i + 3 < stem.vertex_count / sides; i++) {
            td_vec3 from = ring_centre(&stem, sides, i);
            td_vec3 along = tdi_sub(ring_centre(&stem, sides, i + 1), from);
            td_vec3 gap = tdi_sub(joints[j], from);
            td_real s = tdi_dot(gap, along) / tdi_dot(along, along);
            s = fmin(fmax(s, 0), 1);
            nearest = fmin(nearest, tdi_norm(tdi_madd(gap, along, -s)));
        }
        farthest = fmax(farthest, nearest);
    }
    td_mesh_free(mesh);
    return farthest;
}

// the corner of a chain is cut by (l/4) sin(bend/2) at most, that of a knee by (3r/2) sin(bend/2)
TD_TEST(mesh_tube_stays_near_its_joints) {
    CHECK_REL(farthest_joint(bent_chain(10, 36, 1, 0.01), 10), sin(tdi_radians(18)) / 4, 1e-5);
    CHECK_REL(farthest_joint(bent_chain(10, 60, 1, 0.01), 12), 0.015 * sin(tdi_radians(30)), 1e-5);
    CHECK_REL(farthest_joint(bent_chain(10, 0, 1, 0.01), 10), 0, 1e-6);
}

// rings of a bend in the plane of X and Y: what stands across the plane stays across it
TD_TEST(mesh_tube_in_a_plane_does_not_twist) {
    int32_t sides = 8;
    td_mesh *mesh = mesh_of(bent_chain(15, 30, 0.2, 0.02), sides);
    td_mesh_part stem = part_named(mesh, "stem");
    int32_t rings = stem.vertex_count / sides - 2;
    CHECK(rings > 30);
    for (int32_t i = 0; i < rings; i++) {
        uint32_t quarter = (uint32_t)(sides * (i + 1) + sides / 4);
        CHECK_REL(vertex_at(stem.normal, quarter).z, -1, 1e-6);
    }
    td_mesh_free(mesh);
}

TD_TEST(mesh_rings_are_added_where_a_tube_bends_and_only_there) {
    int32_t sides = 10;
    td_mesh *straight = mesh_of(bent_chain(5, 0, 1, 0.05), sides);
    td_mesh *bent = mesh_of(bent_chain(5, 60, 1, 0.05), sides);
    td_mesh_part a = part_named(straight, "stem"), b = part_named(bent, "stem");
    CHECK_INT(a.vertex_count, sides * (1 + 6 + 1) + 1); // disc, joints and tip, one ring of the cap
    CHECK(b.vertex_count > 3 * a.vertex_count);
    // a parabola turns fastest at its middle, by 2 tan(bend/2) du; 60 degrees are six pieces
    td_real limit = 2 * tan(tdi_radians(30)) / 6;
    int32_t rings = b.vertex_count / sides - 2;
    for (int32_t i = 1; i + 1 < rings; i++) {
        td_vec3 at = ring_centre(&b, sides, i);
        td_vec3 before = tdi_sub(at, ring_centre(&b, sides, i - 1));
        td_vec3 after = tdi_sub(ring_centre(&b, sides, i + 1), at);
        td_real turn = atan2(tdi_norm(tdi_cross(before, after)), tdi_dot(before, after));
        CHECK_IN(turn, 0, limit);
    }
    td_mesh_free(straight);
    td_mesh_free(bent);
}

// a twig on a bent limb begins inside it, although the limb's corners are cut
TD_TEST(mesh_lateral_begins_inside_its_parent_and_open) {
    td_builder *builder = begin();
    int32_t a = add_stem(builder, TD_NONE, about_z(0), 1, 0.04, 0.04);
    int32_t b = add_stem(builder, a, about_z(35), 1, 0.04, 0.04);
    add_stem(builder, b, about_z(35), 1, 0.04, 0.04);
    td_segment_def def = td_segment_def_default();
    def.parent = b;
    def.attach_at_tip = false;
    def.attach = tdi_vec3(0, 0.1, 0);
    def.rest = about_z(-70);
    def.length = 0.3;
    def.radius_base = def.radius_tip = 0.01;
    add_def(builder, &def);
    td_skeleton *skeleton = finish(builder);
    td_mesh *mesh = NULL;
    CHECK_INT(td_mesh_new(skeleton, NULL, NULL, &mesh, NULL), TD_OK);
    td_mesh_part stem = part_named(mesh, "stem");
    CHECK_IN(open_edges(&stem), 5, 16); // the base of the twig, and nothing else
    td_mesh_free(mesh);
    CHECK_IN(farthest_joint(skeleton, 10), 0.005, 0.01);
}

TD_TEST(mesh_sides_follow_the_radius) {
    td_builder *builder = begin();
    add_stem(builder, TD_NONE, about_z(0), 1, 0.1, 0.1);
    td_segment_def def = td_segment_def_default();
    def.attach_at_tip = false;
    def.attach = tdi_vec3(1, 0, 0);
    def.radius_base = def.radius_tip = 0.1 / 10000;
    add_def(builder, &def);
    td_mesh *mesh = mesh_of(finish(builder), 0);
    td_mesh_part stem = part_named(mesh, "stem");
    // disc, two rings and a cap of three rings and a point; disc, two rings, one ring and a point
    CHECK_INT(stem.vertex_count, (16 * 6 + 1) + (5 * 4 + 1));
    td_mesh_free(mesh);
}

// ---- which segments share a tube ------------------------------------------------------------

typedef struct test_branch {
    int32_t parent;
    td_real degrees; // from the parent's direction
    td_real radius;
    bool at_tip;
} test_branch;

// the segment that continues segment 0, and how many tubes there are
static int32_t continuation(const test_branch *branches, int32_t count, int32_t *tubes) {
    td_segment segments[8];
    td_vec3 origins[8];
    td_quat rotations[8];
    int32_t next[8];
    bool first[8], bears[8];
    memset(segments, 0, sizeof segments);
    for (int32_t i = 0; i < count; i++) {
        const test_branch *branch = &branches[i];
        int32_t parent = branch->parent;
        td_quat turn = about_z(branch->degrees);
        segments[i].parent = parent;
        segments[i].shape = TD_NONE;
        segments[i].length = 1;
        segments[i].tip = tdi_vec3(0, 1, 0);
        segments[i].radius_base = segments[i].radius_tip = branch->radius;
        rotations[i] = parent < 0 ? turn : tdi_quat_mul(rotations[parent], turn);
        td_vec3 up = tdi_vec3(0, branch->at_tip ? 1 : 0.5, 0);
        origins[i] = parent < 0 ? tdi_vec3(0, 0, 0)
                                : tdi_add(origins[parent], tdi_quat_rotate(rotations[parent], up));
    }
    tdi_posed posed = {segments, origins, rotations, count};
    tdi_axes axes = {next, first, bears};
    tdi_axes_find(&posed, &axes);
    *tubes = 0;
    for (int32_t i = 0; i < count; i++) {
        *tubes += first[i];
    }
    return next[0];
}

TD_TEST(mesh_tube_continues_with_the_least_bend_then_the_thickest) {
    int32_t tubes;
    test_branch bend[] = {
        {-1, 0, 1, true}, {0, 40, 1, true}, {0, -30, 0.5, true}, {0, 50, 2, true}};
    CHECK_INT(continuation(bend, 4, &tubes), 2);
    CHECK_INT(tubes, 3);
    test_branch thick[] = {{-1, 0, 1, true}, {0, 30, 0.6, true}, {0, -30, 0.7, true}};
    CHECK_INT(continuation(thick, 3, &tubes), 2);
    CHECK_INT(tubes, 2);
    test_branch alike[] = {{-1, 0, 1, true}, {0, 30, 0.7, true}, {0, -30, 0.7, true}};
    CHECK_INT(continuation(alike, 3, &tubes), 1);
}

TD_TEST(mesh_tube_ends_at_sharp_bends_thin_shoots_and_laterals) {
    int32_t tubes;
    test_branch sharp[] = {{-1, 0, 1, true}, {0, 76, 1, true}};
    CHECK_INT(continuation(sharp, 2, &tubes), TD_NONE);
    CHECK_INT(tubes, 2);
    sharp[1].degrees = 74;
    CHECK_INT(continuation(sharp, 2, &tubes), 1);
    test_branch thin[] = {{-1, 0, 1, true}, {0, 0, 0.34, true}};
    CHECK_INT(continuation(thin, 2, &tubes), TD_NONE);
    thin[1].radius = 0.36;
    CHECK_INT(continuation(thin, 2, &tubes), 1);
    test_branch lateral[] = {{-1, 0, 1, true}, {0, 0, 1, false}};
    CHECK_INT(continuation(lateral, 2, &tubes), TD_NONE);
}

// ---- organs ---------------------------------------------------------------------------------

// area of the lamina alone, stalk left out
static td_real blade_area(td_shape shape) {
    shape.stalk = 0;
    td_mesh *mesh = mesh_of(one_organ(&shape, TD_ORGAN_LEAF), 0);
    td_mesh_part leaf = part_named(mesh, "leaf");
    check_sound(&leaf);
    td_real area = area_of(&leaf);
    td_mesh_free(mesh);
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
    td_real folds[] = {-TDI_PI, 0, 1e-12, TDI_PI};
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
            td_mesh *mesh = mesh_of(one_organ(&shape, TD_ORGAN_FLOWER), 0);
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
            td_mesh_free(mesh);
        }
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

// every petal where shape.h says: the tips of a flat flower lie on a circle
TD_TEST(mesh_flower_has_its_petals_around_the_axis) {
    td_shape shape = td_shape_default();
    shape.kind = TD_SHAPE_FLOWER;
    shape.petals = 7;
    shape.opening = TDI_PI / 2;
    shape.curl = 0;
    td_mesh *mesh = mesh_of(one_organ(&shape, TD_ORGAN_FLOWER), 0);
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
    td_mesh_free(mesh);
}

TD_TEST(mesh_small_organs_have_fewer_triangles) {
    td_shape shape = td_shape_default();
    int32_t counts[3];
    td_real sizes[3] = {0.5, 0.1, 0.01};
    for (int i = 0; i < 3; i++) {
        td_builder *builder = begin();
        int32_t stem = add_stem(builder, TD_NONE, about_z(0), 1, 0.01, 0.01);
        add_organ(builder, stem, &shape, TD_ORGAN_LEAF, sizes[i]);
        td_mesh *mesh = mesh_of(finish(builder), 0);
        counts[i] = part_named(mesh, "leaf").index_count;
        td_mesh_free(mesh);
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
    int32_t *corners = calloc(3 * (size_t)count, sizeof *corners);
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
    free(corners);
}

// a star-shaped outline: random radii at random angles, either way round
TD_TEST(mesh_ear_clipping_keeps_the_area_of_random_polygons) {
    tdi_random random;
    tdi_random_seed(&random, 7);
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
    td_vec3 star[5];
    for (int i = 0; i < 5; i++) {
        star[i] = tdi_vec3(cos(0.8 * TDI_PI * i), sin(0.8 * TDI_PI * i), 0);
    }
    int32_t corners[9], found = -1;
    CHECK_INT(tdi_polygon_cut(same, 5, NULL, corners, &found), TD_OK);
    CHECK_INT(found, 0);
    CHECK_INT(tdi_polygon_cut(line, 4, NULL, corners, &found), TD_OK);
    CHECK_INT(found, 0);
    CHECK_INT(tdi_polygon_cut(star, 5, NULL, corners, &found), TD_OK);
    CHECK_INT(found, 3);
}

// an L of three squares, drawn by the turtle
TD_TEST(mesh_of_a_turtle_polygon_has_its_area_and_normal) {
    test_plant p = test_grow("material: 0 leaf\n"
                             "axiom: {.f(2)-(90)f(1)-(90)f(1)+(90)f(1)-(90)f(1)-(90)f(2)}\n",
                             NULL);
    CHECK_INT(p.status, TD_OK);
    td_mesh *mesh = NULL;
    CHECK_INT(td_mesh_new(p.skeleton, NULL, NULL, &mesh, NULL), TD_OK);
    td_mesh_part leaf = part_named(mesh, "leaf");
    CHECK_REL(area_of(&leaf), 3, 1e-6);
    CHECK(leaf.double_sided);
    check_sound(&leaf);
    CHECK_REL(fabs(vertex_at(leaf.normal, 0).z), 1, 1e-6);
    td_mesh_free(mesh);
    test_plant_free(&p);
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
    td_builder *builder = begin();
    td_segment_def def = td_segment_def_default();
    def.color = 0xff0080;
    add_def(builder, &def);
    td_mesh *mesh = mesh_of(finish(builder), 0);
    td_mesh_part stem = part_named(mesh, "stem");
    for (int32_t i = 0; i < stem.vertex_count; i++) {
        const uint8_t want[4] = {255, 0, 55, 255};
        CHECK_INT(memcmp(stem.color + 4 * i, want, 4), 0);
    }
    td_mesh_free(mesh);
}

// on a leaf the midrib is paler than the margin, and the tip is lighter than the base
TD_TEST(mesh_leaf_varies_its_color) {
    td_shape shape = td_shape_default();
    shape.stalk = 0;
    td_mesh *mesh = mesh_of(one_organ(&shape, TD_ORGAN_LEAF), 0);
    td_mesh_part leaf = part_named(mesh, "leaf");
    const uint8_t *margin = leaf.color + 4 * (1 + 5 * 7), *midrib = margin + 4 * 2;
    const uint8_t *low = leaf.color + 4 * 1, *high = leaf.color + 4 * (leaf.vertex_count - 6);
    CHECK(midrib[0] > margin[0] && midrib[1] > margin[1] && midrib[2] > margin[2]);
    CHECK(high[1] > low[1]);
    td_mesh_free(mesh);
}

// ---- whole meshes ---------------------------------------------------------------------------

TD_TEST(mesh_has_only_the_parts_that_have_triangles) {
    td_mesh *mesh = mesh_of(finish(begin()), 0);
    CHECK_INT(td_mesh_part_count(mesh), 0);
    td_mesh_free(mesh);
    mesh = mesh_of(varied_plant(), 0);
    const char *names[] = {"stem", "leaf", "petal", "flower", "fruit"};
    CHECK_INT(td_mesh_part_count(mesh), 5);
    for (int32_t i = 0; i < td_mesh_part_count(mesh); i++) {
        td_mesh_part part = td_mesh_part_get(mesh, i);
        CHECK_TEXT(part.name, names[i]);
        CHECK_INT(part.double_sided, i == 1 || i == 2);
        check_sound(&part);
    }
    td_mesh_free(mesh);
    mesh = mesh_of(one_stem(1, 0.1, 0.1), 0);
    CHECK_INT(td_mesh_part_count(mesh), 1);
    td_mesh_free(mesh);
}

TD_TEST(mesh_takes_the_pose_that_is_asked_for) {
    td_builder *builder = begin();
    td_segment_def def = td_segment_def_default();
    def.length = 1;
    def.initial = about_z(90);
    add_def(builder, &def);
    td_skeleton *skeleton = finish(builder);
    for (int i = 0; i < 2; i++) {
        td_mesh_opts opts = td_mesh_opts_default();
        CHECK_INT(opts.pose, TD_POSE_INITIAL);
        opts.pose = i == 0 ? TD_POSE_REST : TD_POSE_INITIAL;
        td_mesh *mesh = NULL;
        CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_OK);
        td_mesh_part stem = part_named(mesh, "stem");
        td_vec3 apex = vertex_at(stem.position, (uint32_t)stem.vertex_count - 1);
        CHECK_REL(i == 0 ? apex.y : -apex.x, 1.01, 1e-6);
        td_mesh_free(mesh);
    }
    td_skeleton_free(skeleton);
}

TD_TEST(mesh_is_the_same_twice) {
    td_mesh *a = mesh_of(varied_plant(), 0), *b = mesh_of(varied_plant(), 0);
    for (int32_t i = 0; i < td_mesh_part_count(a); i++) {
        td_mesh_part p = td_mesh_part_get(a, i), q = td_mesh_part_get(b, i);
        CHECK_INT(p.vertex_count, q.vertex_count);
        CHECK_INT(p.index_count, q.index_count);
        size_t vertices = (size_t)p.vertex_count;
        CHECK_INT(memcmp(p.position, q.position, 12 * vertices), 0);
        CHECK_INT(memcmp(p.normal, q.normal, 12 * vertices), 0);
        CHECK_INT(memcmp(p.color, q.color, 4 * vertices), 0);
        CHECK_INT(memcmp(p.index, q.index, 4 * (size_t)p.index_count), 0);
    }
    td_mesh_free(a);
    td_mesh_free(b);
}

TD_TEST(mesh_over_its_cap_is_refused_before_memory_is_taken) {
    td_skeleton *skeleton = varied_plant();
    td_mesh *mesh = NULL;
    CHECK_INT(td_mesh_new(skeleton, NULL, NULL, &mesh, NULL), TD_OK);
    td_mesh_opts opts = td_mesh_opts_default();
    opts.max_vertices = 0;
    for (int32_t i = 0; i < td_mesh_part_count(mesh); i++) {
        opts.max_vertices += td_mesh_part_get(mesh, i).vertex_count;
    }
    td_mesh_free(mesh);
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_OK);
    td_mesh_free(mesh);
    td_diag diag = {0};
    opts.max_vertices--;
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, &diag), TD_ERR_LIMIT);
    CHECK(mesh == NULL);
    CHECK_HAS(diag.message, "vertices");
    td_skeleton_free(skeleton);

    // ten thousand bends would be millions of vertices
    skeleton = bent_chain(10000, 60, 1, 0.1);
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    opts.max_vertices = 1000;
    opts.sides = 64;
    CHECK_INT(td_mesh_new(skeleton, &opts, &alloc, &mesh, &diag), TD_ERR_LIMIT);
    CHECK(heap.peak < 10000 * 300);
    CHECK_INT(heap.held, 0);
    td_skeleton_free(skeleton);
}

TD_TEST(mesh_options_are_checked) {
    td_skeleton *skeleton = one_stem(1, 0.1, 0.1);
    td_mesh *mesh = NULL;
    td_mesh_opts zeroed = {0}, opts = td_mesh_opts_default();
    CHECK_INT(td_mesh_new(skeleton, &zeroed, NULL, &mesh, NULL), TD_ERR_DEF);
    int32_t wrong[] = {-1, 1, 2, 65};
    for (int i = 0; i < 4; i++) {
        opts.sides = wrong[i];
        CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_ERR_ARGUMENT);
    }
    opts = td_mesh_opts_default();
    opts.max_vertices = -1;
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_mesh_new(NULL, NULL, NULL, &mesh, NULL), TD_ERR_ARGUMENT);
    CHECK(mesh == NULL);
    td_skeleton_free(skeleton);
}

TD_TEST(mesh_survives_a_failing_allocator) {
    td_skeleton *skeleton = varied_plant();
    td_status status = TD_ERR_MEMORY;
    long at = 0;
    while (status == TD_ERR_MEMORY && at < 10000) {
        test_heap heap = {.fail_at = ++at};
        td_alloc alloc = test_heap_alloc(&heap);
        td_mesh *mesh = NULL;
        status = td_mesh_new(skeleton, NULL, &alloc, &mesh, NULL);
        CHECK((mesh != NULL) == (status == TD_OK));
        td_mesh_free(mesh);
        CHECK_INT(heap.held, 0);
    }
    CHECK_INT(status, TD_OK);
    CHECK(at > 20);
    td_skeleton_free(skeleton);
}
