// SPDX-License-Identifier: MIT
// Colliders and contact forces as clips have them. Pairs with src/io/clip_props.c, clip_solid.c and
// src/world/report.c.

#include "test_mesh_support.h"
#include "test_world_support.h"

static const td_clip_scale scale = {.side = 2, .centre = {1, 5, 0}, .diagonal = 3, .weight = 10};

// ---- triangles ------------------------------------------------------------------------------

// Largest and smallest of what a vertex is from the surface, by a function of its place.
static void check_surface(td_clip_collider look, td_real (*off)(const td_clip_collider *, td_vec3),
                          td_real volume, td_real tolerance) {
    OWNED(td_bytes) room = {0};
    td_mesh_part part;
    CHECK_INT(td_clip_collider_part(&look, NULL, &room, &part), TD_OK);
    CHECK_TEXT(part.name, "collider");
    CHECK(!part.double_sided);
    check_sound(&part);
    CHECK_REL(volume_of(&part), volume, tolerance);
    td_real worst = 0;
    for (uint32_t i = 0; i < (uint32_t)part.vertex_count; i++) {
        worst = fmax(worst, fabs(off(&look, vertex_at(part.position, i))));
        CHECK_INT(part.color[4 * i + 3], 255);
    }
    CHECK_IN(worst, 0, 1e-6);
}

static td_real off_capsule(const td_clip_collider *c, td_vec3 x) {
    td_real half = c->kind == TD_COLLIDER_CAPSULE ? 0.5 * c->length : 0;
    td_real y = x.y - fmax(-half, fmin(half, x.y));
    return sqrt(x.x * x.x + y * y + x.z * x.z) - c->radius;
}

static td_real off_box(const td_clip_collider *c, td_vec3 x) {
    return fmax(fabs(fabs(x.x) - 0.5 * c->sides.x),
                fmax(fabs(fabs(x.y) - 0.5 * c->sides.y), fabs(fabs(x.z) - 0.5 * c->sides.z)));
}

// flat triangles inside of a round surface lack a little of its volume
TD_TEST(colliders_are_drawn_closed_and_in_their_size) {
    td_clip_collider look = {.kind = TD_COLLIDER_SPHERE, .radius = 0.3, .length = 7};
    check_surface(look, off_capsule, 4 * TDI_PI / 3 * 0.027, 0.02);
    look = (td_clip_collider){.kind = TD_COLLIDER_CAPSULE, .radius = 0.2, .length = 1};
    check_surface(look, off_capsule, TDI_PI * (0.04 * 1 + 4.0 / 3 * 0.008), 0.02);
    look.length = 0;
    check_surface(look, off_capsule, TDI_PI * 4.0 / 3 * 0.008, 0.02);
    look = (td_clip_collider){.kind = TD_COLLIDER_BOX, .sides = {0.2, 0.8, 0.4}};
    check_surface(look, off_box, 8 * 0.1 * 0.4 * 0.2, 1e-6);
}

// Three squares a cell of a field that is not fine, one of a fine one; all stand on its surface and
// face up.
TD_TEST(height_field_is_drawn_on_its_surface_and_faces_up) {
    static td_real heights[120 * 2];
    for (int32_t k = 0; k < 240; k++) {
        heights[k] = 0.1 * sin(k);
    }
    static const struct {
        int32_t columns, rows, squares;
    } sizes[] = {{4, 3, 9 * 3 * 2}, {120, 2, 119}};
    for (int k = 0; k < 2; k++) {
        OWNED(td_height_field) *field = NULL;
        OWNED(td_bytes) room = {0};
        td_mesh_part part;
        CHECK_INT(
            td_height_field_new(sizes[k].columns, sizes[k].rows, 0.5, heights, NULL, &field, NULL),
            TD_OK);
        td_clip_collider look = {
            .kind = TD_COLLIDER_HEIGHT_FIELD, .field = field, .centre = {0, 7, 0}};
        CHECK_INT(td_clip_collider_part(&look, NULL, &room, &part), TD_OK);
        CHECK_INT(part.index_count, 6 * sizes[k].squares);
        td_real off = 0, up = 1;
        for (uint32_t i = 0; i < (uint32_t)part.vertex_count; i++) {
            const td_vec3 x = vertex_at(part.position, i);
            off = fmax(off, fabs(x.y - 7 - td_height_field_height(field, x.x, x.z, NULL)));
        }
        for (uint32_t i = 0; i < (uint32_t)part.index_count; i += 3) {
            const td_vec3 a = vertex_at(part.position, part.index[i]),
                          b = vertex_at(part.position, part.index[i + 1]),
                          c = vertex_at(part.position, part.index[i + 2]);
            up = fmin(up, tdi_cross(tdi_sub(b, a), tdi_sub(c, a)).y);
        }
        CHECK_IN(off, 0, 1e-5);
        CHECK_IN(up, 1e-3, 1);
    }
    OWNED(td_bytes) room = {0};
    td_mesh_part part;
    td_clip_collider none = {.kind = TD_COLLIDER_HEIGHT_FIELD};
    CHECK_INT(td_clip_collider_part(&none, NULL, &room, &part), TD_ERR_ARGUMENT);
    td_clip_collider ball = {.kind = TD_COLLIDER_SPHERE, .radius = 0.3};
    WITH_SCARCE(memory, 2) {
        OWNED(td_bytes) bytes = {0};
        CHECK_INT(td_clip_collider_part(&ball, &memory.alloc, &bytes, &part),
                  scarce_status(&memory));
    }
}

TD_TEST(plane_is_a_disc_that_faces_up_and_fades_at_its_edge) {
    td_collider plane = td_collider_default(TD_COLLIDER_PLANE);
    plane.position = tdi_vec3(0, 2, 0);
    td_clip_collider look = td_clip_collider_of(&plane, &scale);
    OWNED(td_bytes) room = {0};
    td_mesh_part part;
    CHECK_INT(td_clip_collider_part(&look, NULL, &room, &part), TD_OK);
    CHECK_TEXT(part.name, "plane");
    CHECK(part.double_sided);
    CHECK_REL(area_of(&part), TDI_PI * 9, 0.01);
    for (int32_t i = 0; i < part.index_count; i += 3) {
        CHECK(face_area2(&part, i).y > 0);
    }
    for (uint32_t i = 0; i < (uint32_t)part.vertex_count; i++) {
        td_vec3 x = tdi_sub(vertex_at(part.position, i), tdi_vec3(1, 0, 0));
        CHECK_REL(x.y, 0, 0);
        CHECK_INT(part.color[4 * i + 3] == 0, tdi_norm(x) > 2.999);
    }
}

TD_TEST(arrow_is_of_length_one_along_y) {
    OWNED(td_bytes) room = {0};
    td_mesh_part part;
    CHECK_INT(td_clip_arrow_part(NULL, &room, &part), TD_OK);
    CHECK_TEXT(part.name, "contact");
    check_sound(&part);
    td_real low = 1, high = 0;
    for (uint32_t i = 0; i < (uint32_t)part.vertex_count; i++) {
        low = fmin(low, vertex_at(part.position, i).y);
        high = fmax(high, vertex_at(part.position, i).y);
    }
    CHECK_REL(low, 0, 0);
    CHECK_REL(high, 1, 0);
    CHECK(volume_of(&part) > 0);
}

// ---- frames ---------------------------------------------------------------------------------

static td_contact pushing(td_real x, td_real y, td_real z) {
    return (td_contact){.point = {x, 0, 1}, .force = {x, y, z}};
}

TD_TEST(arrows_show_the_largest_forces_from_where_they_act) {
    const td_contact contacts[] = {pushing(0, 1, 0), pushing(4, 0, 0), pushing(0, 0, 0),
                                   pushing(0, -2, 0), pushing(0, 0, -4)};
    float rows[4 * TD_CLIP_ARROW];
    td_clip_pack_arrows(contacts, 5, &scale, 4, rows);
    const int order[] = {1, 4, 3, 0}; // of equal forces the first comes first
    for (int k = 0; k < 4; k++) {
        const td_contact *c = &contacts[order[k]];
        const float *r = rows + TD_CLIP_ARROW * k;
        td_real force = tdi_norm(c->force), root = sqrt(force / scale.weight);
        CHECK_REL(apart(tdi_vec3(r[0], r[1], r[2]), c->point), 0, 1e-7);
        td_vec3 along = tdi_quat_rotate((td_quat){r[6], r[3], r[4], r[5]}, tdi_vec3(0, 1, 0));
        CHECK_REL(apart(along, tdi_scale(c->force, 1 / force)), 0, 1e-6);
        for (int axis = 0; axis < 3; axis++) {
            CHECK_REL(r[7 + axis], scale.side * root / (root + 4), 1e-6);
        }
    }
}

TD_TEST(arrow_of_a_force_like_the_weight_is_a_fifth_of_the_side_and_none_is_longer_than_it) {
    const td_contact contacts[] = {pushing(0, 1e12, 0), pushing(0, scale.weight, 0)};
    float rows[3 * TD_CLIP_ARROW];
    td_clip_pack_arrows(contacts, 2, &scale, 3, rows);
    CHECK_IN(rows[7], 0.99 * scale.side, scale.side);
    CHECK_REL(rows[TD_CLIP_ARROW + 7], scale.side / 5, 1e-6);
    const float none[TD_CLIP_ARROW] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    CHECK(memcmp(rows + 2 * TD_CLIP_ARROW, none, sizeof none) == 0);
}

TD_TEST(more_contacts_than_arrows_keep_the_largest) {
    static td_contact contacts[1000];
    static float rows[TD_CLIP_ARROWS * TD_CLIP_ARROW];
    for (int k = 0; k < 1000; k++) {
        contacts[k] = pushing(0, 1 + (k * 389) % 1000, 0); // every force from 1 to 1000, once
    }
    td_clip_pack_arrows(contacts, 1000, &scale, TD_CLIP_ARROWS, rows);
    for (int k = 0; k < TD_CLIP_ARROWS; k++) {
        td_real root = sqrt((1000 - k) / scale.weight);
        CHECK_REL(rows[TD_CLIP_ARROW * k + 7], scale.side * root / (root + 4), 1e-6);
    }
}

// ---- worlds ---------------------------------------------------------------------------------

#define LOADED_ROPE                                                                          \
    "{name: rope, solver: rod, position: [0, 1, 0], strand: {segments: 10, radius: 0.01,\n"  \
    " points: [[0, 0, 0], [1, 0, 0]], tip_mass: 0.1, bodies: [{at: 0.25, mass: 0.2, size:\n" \
    " [0.1, 0.2, 0.3]}, {at: 0.55, mass: 0.2}]}}"

TD_TEST(world_tells_where_its_colliders_are_after_each_step) {
    OWNED(stage) s =
        stage_of("{objects: [" LOADED_ROPE "], colliders: [{plane: {}}, {sphere: {radius: 0.1,\n"
                 " position: {keys: [[0, [0, 0.5, 0]], [1, [2, 0.5, 0]]]}}}]}");
    CHECK_INT(td_world_collider_count(s.world), 2);
    CHECK_INT(td_world_collider(s.world, td_world_collider_id(s.world, 0)).kind, TD_COLLIDER_PLANE);
    run_to(s.world, 0.5);
    td_collider ball = td_world_collider(s.world, td_world_collider_id(s.world, 1));
    CHECK_INT(ball.kind, TD_COLLIDER_SPHERE);
    CHECK_REL(ball.radius, 0.1, 0);
    CHECK_REL(apart(ball.position, tdi_vec3(1, 0.5, 0)), 0, 1e-9);
    CHECK(apart(ball.position0, ball.position) > 0);
}

TD_TEST(scale_spans_segments_and_solid_colliders_and_weighs_the_heaviest_actor) {
    OWNED(stage) s =
        stage_of("{gravity: [0, -5, 0], objects: [{strand: {points: [[0, 0, 0], [2, 0, 0]]},\n"
                 " start: drawn}, {name: short, start: drawn, strand: {points: [[0, 0, 0],\n"
                 " [0, 1, 0]]}}], colliders: [{plane: {position: [0, -90, 0]}},\n"
                 " {sphere: {radius: 1, position: [5, 0, 0]}}]}");
    td_clip_scale got = td_clip_scale_of(s.world);
    td_actor first = actor_at(s.world, 0);
    td_real mass = 0;
    for (int32_t i = 0; i < first.segment_count; i++) {
        mass += td_skeleton_segments(first.skeleton)[i].mass;
    }
    CHECK_REL(got.side, 2, 1e-12);
    CHECK_REL(apart(got.centre, tdi_vec3(3, 0, 0)), 0, 1e-12);
    CHECK_REL(got.diagonal, sqrt(36 + 4 + 4), 1e-12);
    CHECK_REL(got.weight, 5 * mass, 1e-12);
}

TD_TEST(bodies_of_a_strand_are_drawn_as_boxes_beads_and_a_ball_at_the_tip) {
    OWNED(stage) s = stage_of("{objects: [" LOADED_ROPE "]}");
    td_actor rope = actor_at(s.world, 0);
    const td_segment *segments = td_skeleton_segments(rope.skeleton);
    const td_shape *shapes = td_skeleton_shapes(rope.skeleton);
    CHECK_INT(rope.segment_count, 12);
    const td_segment *box = &segments[10], *bead = &segments[11];
    CHECK_INT(shapes[box->shape].kind, TD_SHAPE_BOX);
    CHECK_REL(box->length, 0.2, 1e-12);
    CHECK_REL(shapes[box->shape].width * box->length, 0.1, 1e-12);
    CHECK_REL(shapes[box->shape].depth * box->length, 0.3, 1e-12);
    CHECK_INT(shapes[bead->shape].kind, TD_SHAPE_BALL);
    CHECK_REL(bead->length, 0.04, 1e-12);
    CHECK_REL(segments[9].bead, 0.03, 1e-12);
    CHECK_REL(segments[8].bead, 0, 0);
}

TD_TEST(arrows_are_recorded_for_others_only_when_the_scene_says_so) {
    stage s = stage_of("{objects: [" LOADED_ROPE "], record: {contacts: true}}");
    CHECK(td_scene_def_get(s.scene)->record.contacts);
    stage_free(&s);
    CHECK(!td_scene_def_default().record.contacts);
}
