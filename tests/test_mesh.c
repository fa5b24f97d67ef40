// SPDX-License-Identifier: MIT
// Tubes over stems, and whole meshes. Pairs with src/skin: axes.c, path.c, tube.c, mesh.c.

#include "test_mesh_support.h"

#include "skin/posed.h"

// ---- skeletons ------------------------------------------------------------------------------

// a chain of bends about Z, each of the given degrees
static td_skeleton *bent_chain(int32_t count, td_real degrees, td_real length, td_real radius) {
    td_builder *builder = test_builder();
    int32_t last = add_stem(builder, TD_NONE, about_z(0), length, radius, radius);
    for (int32_t i = 1; i < count; i++) {
        last = add_stem(builder, last, about_z(degrees), length, radius, radius);
    }
    return finish(builder);
}

static td_skeleton *one_stem(td_real length, td_real radius_base, td_real radius_tip) {
    td_builder *builder = test_builder();
    add_stem(builder, TD_NONE, about_z(0), length, radius_base, radius_tip);
    return finish(builder);
}

// one of everything
static td_skeleton *varied_plant(void) {
    td_builder *builder = test_builder();
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

// ---- tubes ----------------------------------------------------------------------------------

static void check_closed(td_skeleton *skeleton, int32_t sides) {
    OWNED(td_mesh) *mesh = mesh_of(skeleton, sides);
    td_mesh_part stem = part_named(mesh, "stem");
    CHECK_INT(open_edges(&stem), 0);
    check_sound(&stem);
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
    td_builder *builder = test_builder();
    int32_t a = add_stem(builder, TD_NONE, about_z(0), 1, 0.3, 0.25);
    int32_t b = add_stem(builder, a, about_z(0), 2, 0.25, 0.15);
    add_stem(builder, b, about_z(0), 3, 0.15, 0);
    OWNED(td_mesh) *mesh = mesh_of(finish(builder), 16);
    td_mesh_part stem = part_named(mesh, "stem");
    CHECK_INT(stem.vertex_count, 17 * 5); // the disc and four rings, the last one pointed
    td_real slope = 0.05, scale = 1 / sqrt(1 + slope * slope);
    for (uint32_t i = 17; i < (uint32_t)stem.vertex_count; i++) {
        td_real angle = 2 * TDI_PI * (i % 17) / 16;
        td_vec3 radial = tdi_vec3(cos(angle), 0, -sin(angle)); // e1 is X and e2 is Y x X
        td_vec3 want = tdi_vec3(scale * radial.x, scale * slope, scale * radial.z);
        CHECK_REL(tdi_norm(tdi_sub(vertex_at(stem.normal, i), want)), 0, 1e-7);
    }
}

// a cylinder that is drawn three times as wide along Z as along X: an ellipse, its normals (x, z/9)
TD_TEST(mesh_flat_stem_is_an_ellipse_with_its_normals) {
    td_builder *builder = test_builder();
    td_segment_def def = td_segment_def_default();
    def.radius_base = def.radius_tip = 0.01;
    def.flat = 3;
    CHECK(td_builder_add(builder, &def, NULL, NULL) == TD_OK);
    OWNED(td_mesh) *mesh = mesh_of(finish(builder), 16);
    td_mesh_part stem = part_named(mesh, "stem");
    CHECK_INT(open_edges(&stem), 0);
    check_sound(&stem);
    for (uint32_t i = 17; i < 3 * 17; i++) { // the rings at both ends, after the disc
        td_vec3 x = vertex_at(stem.position, i), n = vertex_at(stem.normal, i);
        CHECK_REL(x.x * x.x + x.z * x.z / 9, 1e-4, 1e-6);
        td_vec3 want = tdi_vec3(x.x, 0, x.z / 9);
        want = tdi_scale(want, 1 / tdi_norm(want));
        CHECK_REL(tdi_norm(tdi_sub(n, want)), 0, 1e-6);
    }
}

static td_real stem_volume(td_real length, td_real base, td_real tip, int32_t sides) {
    OWNED(td_mesh) *mesh = mesh_of(one_stem(length, base, tip), sides);
    td_mesh_part stem = part_named(mesh, "stem");
    td_real volume = volume_of(&stem);
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

// the centres of the rings of a chain with a disc at its start, in order; a ring has a vertex more
// than sides, where the texture begins again
static td_vec3 ring_centre(const td_mesh_part *stem, int32_t sides, int32_t ring) {
    td_vec3 sum = tdi_vec3(0, 0, 0);
    for (int32_t k = 0; k < sides; k++) {
        sum = tdi_add(sum, vertex_at(stem->position, (uint32_t)((sides + 1) * (ring + 1) + k)));
    }
    return tdi_scale(sum, 1.0 / sides);
}

// how far the joints of a chain are from the straight pieces between the rings of its tube
static td_real farthest_joint(td_skeleton *skeleton, int32_t sides) {
    td_vec3 joints[16];
    int32_t count = td_skeleton_count(skeleton);
    td_skeleton_pose(skeleton, TD_POSE_INITIAL, joints, NULL);
    OWNED(td_mesh) *mesh = mesh_of(skeleton, sides);
    td_mesh_part stem = part_named(mesh, "stem");
    td_real farthest = 0;
    for (int32_t j = 0; j < count; j++) {
        td_real nearest = 1e9;
        for (int32_t i = 0; i + 3 < stem.vertex_count / (sides + 1); i++) {
            td_vec3 from = ring_centre(&stem, sides, i);
            td_vec3 along = tdi_sub(ring_centre(&stem, sides, i + 1), from);
            td_vec3 gap = tdi_sub(joints[j], from);
            td_real s = tdi_dot(gap, along) / tdi_dot(along, along);
            s = fmin(fmax(s, 0), 1);
            nearest = fmin(nearest, tdi_norm(tdi_madd(gap, along, -s)));
        }
        farthest = fmax(farthest, nearest);
    }
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
    OWNED(td_mesh) *mesh = mesh_of(bent_chain(15, 30, 0.2, 0.02), sides);
    td_mesh_part stem = part_named(mesh, "stem");
    int32_t rings = stem.vertex_count / (sides + 1) - 2;
    CHECK(rings > 30);
    for (int32_t i = 0; i < rings; i++) {
        uint32_t quarter = (uint32_t)((sides + 1) * (i + 1) + sides / 4);
        CHECK_REL(vertex_at(stem.normal, quarter).z, -1, 1e-6);
    }
}

TD_TEST(mesh_rings_are_added_where_a_tube_bends_and_only_there) {
    int32_t sides = 10;
    OWNED(td_mesh) *straight = mesh_of(bent_chain(5, 0, 1, 0.05), sides);
    OWNED(td_mesh) *bent = mesh_of(bent_chain(5, 60, 1, 0.05), sides);
    td_mesh_part a = part_named(straight, "stem"), b = part_named(bent, "stem");
    // disc, joints and tip, one ring of the cap and its apex
    CHECK_INT(a.vertex_count, (sides + 1) * (1 + 6 + 1) + sides);
    CHECK(b.vertex_count > 3 * a.vertex_count);
    // a parabola turns fastest at its middle, by 2 tan(bend/2) du; 60 degrees are six pieces
    td_real limit = 2 * tan(tdi_radians(30)) / 6;
    int32_t rings = b.vertex_count / (sides + 1) - 2;
    for (int32_t i = 1; i + 1 < rings; i++) {
        td_vec3 at = ring_centre(&b, sides, i);
        td_vec3 before = tdi_sub(at, ring_centre(&b, sides, i - 1));
        td_vec3 after = tdi_sub(ring_centre(&b, sides, i + 1), at);
        td_real turn = atan2(tdi_norm(tdi_cross(before, after)), tdi_dot(before, after));
        CHECK_IN(turn, 0, limit);
    }
}

// a twig on a bent limb begins inside it, although the limb's corners are cut
TD_TEST(mesh_lateral_begins_inside_its_parent_and_open) {
    td_builder *builder = test_builder();
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

// a step in the profile, as of a pot, stays sharp: each side of it has its own normals
TD_TEST(mesh_tube_with_a_step_has_an_edge_and_is_closed) {
    td_builder *builder = test_builder();
    int32_t a = add_stem(builder, TD_NONE, about_z(0), 1, 1, 1);
    int32_t b = add_stem(builder, a, about_z(0), 0.01, 1, 0.5);
    add_stem(builder, b, about_z(0), 1, 0.5, 0.5);
    OWNED(td_mesh) *mesh = mesh_of(finish(builder), 8);
    td_mesh_part stem = part_named(mesh, "stem");
    CHECK_INT(open_edges(&stem), 0);
    check_sound(&stem);
    for (uint32_t i = 9; i < 27; i++) {
        CHECK_REL(vertex_at(stem.normal, i).y, 0, 1e-6); // the wall
    }
    for (uint32_t i = 27; i < 45; i++) {
        CHECK_IN(vertex_at(stem.normal, i).y, 0.999, 1); // the step
    }
}

TD_TEST(mesh_sides_follow_the_radius) {
    td_builder *builder = test_builder();
    add_stem(builder, TD_NONE, about_z(0), 1, 0.1, 0.1);
    td_segment_def def = td_segment_def_default();
    def.attach_at_tip = false;
    def.attach = tdi_vec3(1, 0, 0);
    def.radius_base = def.radius_tip = 0.1 / 10000;
    add_def(builder, &def);
    OWNED(td_mesh) *mesh = mesh_of(finish(builder), 0);
    td_mesh_part stem = part_named(mesh, "stem");
    // disc, two rings and a cap of three rings and a point; disc, two rings, one ring and a point
    CHECK_INT(stem.vertex_count, (17 * 6 + 16) + (6 * 4 + 5));
}

TD_TEST(mesh_colors_of_a_straight_stem_meet_at_the_joint) {
    td_builder *builder = test_builder();
    td_segment_def def = td_segment_def_default();
    def.color = 0xff0000;
    def.parent = add_def(builder, &def);
    def.color = 0x0000ff;
    add_def(builder, &def);
    OWNED(td_mesh) *mesh = mesh_of(finish(builder), 8);
    td_mesh_part stem = part_named(mesh, "stem");
    CHECK_INT(open_edges(&stem), 0);
    for (uint32_t i = 0; i < (uint32_t)stem.vertex_count; i++) {
        bool red = i < 27; // disc, first ring, and the first of two at the joint
        CHECK_INT(stem.color[4 * i], red ? 255 : 0);
        CHECK_INT(stem.color[4 * i + 2], red ? 0 : 255);
    }
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
    tdi_posed posed = {segments, origins, rotations, count, NULL};
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

// ---- whole meshes ---------------------------------------------------------------------------

TD_TEST(mesh_has_only_the_parts_that_have_triangles) {
    td_mesh *mesh = mesh_of(finish(test_builder()), 0);
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
    td_builder *builder = test_builder();
    td_segment_def def = td_segment_def_default();
    def.length = 1;
    def.initial = about_z(90);
    add_def(builder, &def);
    OWNED(td_skeleton) *skeleton = finish(builder);
    for (int i = 0; i < 2; i++) {
        td_mesh_opts opts = td_mesh_opts_default();
        CHECK_INT(opts.pose, TD_POSE_INITIAL);
        opts.pose = i == 0 ? TD_POSE_REST : TD_POSE_INITIAL;
        OWNED(td_mesh) *mesh = NULL;
        CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_OK);
        td_mesh_part stem = part_named(mesh, "stem");
        td_vec3 apex = vertex_at(stem.position, (uint32_t)stem.vertex_count - 1);
        CHECK_REL(i == 0 ? apex.y : -apex.x, 1.01, 1e-6);
    }
}

TD_TEST(mesh_is_the_same_twice) {
    OWNED(td_mesh) *a = mesh_of(varied_plant(), 0), *b = mesh_of(varied_plant(), 0);
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
    OWNED(td_skeleton) *skeleton = one_stem(1, 0.1, 0.1);
    td_mesh *mesh = NULL;
    td_mesh_opts zeroed = {0}, opts = td_mesh_opts_default();
    CHECK_INT(td_mesh_new(skeleton, &zeroed, NULL, &mesh, NULL), TD_ERR_DEF);
    int32_t wrong[] = {-1, 1, 2, 65};
    for (int i = 0; i < 4; i++) {
        opts.sides = wrong[i];
        CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_ERR_ARGUMENT);
    }
    opts = td_mesh_opts_default();
    opts.pose = (td_pose_kind)7;
    td_diag diag = {.message = ""};
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "pose of the mesh is 7; it must be TD_POSE_REST or TD_POSE_INITIAL");
    opts = td_mesh_opts_default();
    opts.max_vertices = -1;
    CHECK_INT(td_mesh_new(skeleton, &opts, NULL, &mesh, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_mesh_new(NULL, NULL, NULL, &mesh, NULL), TD_ERR_ARGUMENT);
    CHECK(mesh == NULL);
}

TD_TEST(mesh_survives_a_failing_allocator) {
    OWNED(td_skeleton) *skeleton = varied_plant();
    WITH_SCARCE(memory, 20) {
        OWNED(td_mesh) *mesh = NULL;
        CHECK_INT(td_mesh_new(skeleton, NULL, &memory.alloc, &mesh, NULL), scarce_status(&memory));
        CHECK((mesh != NULL) == (scarce_status(&memory) == TD_OK));
    }
}
