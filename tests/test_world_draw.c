// SPDX-License-Identifier: MIT
// Worlds as lines, points and texts. Pairs with src/world/draw.c.

#include "tendril/draw.h"
#include "tendril/control.h"
#include "tendril/query.h"
#include "test_world_support.h"

typedef struct sheet {
    int32_t lines, points, texts, green, grey, red;
    td_vec3 low, high;
    char last[96];
} sheet;

static void see(sheet *s, td_vec3 at) {
    s->low = tdi_vec3(fmin(s->low.x, at.x), fmin(s->low.y, at.y), fmin(s->low.z, at.z));
    s->high = tdi_vec3(fmax(s->high.x, at.x), fmax(s->high.y, at.y), fmax(s->high.z, at.z));
}

static void add_line(void *context, td_vec3 from, td_vec3 to, uint32_t colour) {
    sheet *s = context;
    s->lines++;
    s->green += colour == 0x3fae4a;
    s->grey += colour == 0x808080;
    s->red += colour == 0xe04030;
    see(s, from);
    see(s, to);
}

static void add_point(void *context, td_vec3 at, uint32_t colour) {
    sheet *s = context;
    (void)colour;
    s->points++;
    see(s, at);
}

static void add_text(void *context, td_vec3 at, const char *text, uint32_t colour) {
    sheet *s = context;
    (void)at, (void)colour;
    s->texts++;
    snprintf(s->last, sizeof s->last, "%s", text);
}

static sheet drawn(const td_world *world, uint32_t parts) {
    sheet s = {.low = {9, 9, 9}, .high = {-9, -9, -9}};
    td_draw draw = td_draw_default();
    draw.context = &s;
    draw.line = add_line;
    draw.point = add_point;
    draw.text = add_text;
    draw.parts = parts;
    CHECK_INT(td_world_draw(world, &draw, NULL), TD_OK);
    return s;
}

// A stick that lies on a plane, a stem that is held at its tip, and a ball.
static const char *const still_life =
    "{contact: {}, colliders: [{plane: {}}, {sphere: {radius: 0.1, position: [2, 0.5, 0]}},\n"
    "  {box: {size: [0.2, 0.4, 0.6], position: [3, 0.5, 0]}},\n"
    "  {capsule: {radius: 0.1, length: 0.5, position: [4, 0.8, 0]}}],\n"
    " objects: [{name: stick, loose: true, solver: rod, position: [0, 0.0212, 0],\n"
    "   strand: {points: [[0, 0, 0], [0.5, 0, 0]], segments: 5, radius: 0.02}},\n"
    "  {name: stem, position: [0, 0.1, 1], strand: {points: [[0, 0, 0], [0, 0.6, 0]],\n"
    "   segments: 3, radius: 0.01}}],\n"
    " constraints: [{point: {a: {object: stem, segment: 2}}}]}";

TD_TEST(draw_shows_segments_joints_contacts_constraints_and_colliders) {
    OWNED(stage) s = stage_of(still_life);
    steps(s.world, 20);
    const sheet skeleton = drawn(s.world, TD_DRAW_SKELETON);
    CHECK_INT(skeleton.lines, 8);
    CHECK_INT(skeleton.points, 8);
    CHECK_INT(skeleton.green, 8);
    CHECK_IN(skeleton.high.x, 0.4, 0.6); // where the stick ends
    const sheet names = drawn(s.world, TD_DRAW_NAMES);
    CHECK_INT(names.texts, 2);
    CHECK_TEXT(names.last, "stem");
    CHECK_INT(drawn(s.world, TD_DRAW_BOUNDS).lines, 24);
    const sheet contacts = drawn(s.world, TD_DRAW_CONTACTS);
    CHECK(contacts.points > 0);
    CHECK_INT(contacts.lines, contacts.points);
    CHECK_INT(contacts.points, td_world_contacts(s.world, NULL, 0));
    CHECK(contacts.high.y > 1e-3); // forces point up
    const sheet held = drawn(s.world, TD_DRAW_CONSTRAINTS);
    CHECK_INT(held.points, 1);
    CHECK_INT(held.texts, 1);
    // a grid, three circles, a box, and six circles with three lines
    CHECK_INT(drawn(s.world, TD_DRAW_COLLIDERS).lines, 22 + 3 * 24 + 12 + 6 * 24 + 3);
    const sheet all = drawn(s.world, TD_DRAW_ALL);
    CHECK(all.lines > skeleton.lines + contacts.lines + 24);
}

// A field of 3 by 4 heights: lines along both, from height to height.
TD_TEST(draw_shows_the_lines_between_the_heights_of_a_field) {
    OWNED(stage) s = stage_of("{contact: {}, colliders: [{heightfield: {columns: 3, cell: 0.5,\n"
                              "  heights: [0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, -1], position: [0, -5, "
                              "0]}}],\n"
                              " objects: [{strand: {points: [[0, 0, 0], [0, 0.4, 0]]}}]}");
    const sheet ground = drawn(s.world, TD_DRAW_COLLIDERS);
    CHECK_INT(ground.lines, 4 * 2 + 3 * 3);
    CHECK_REL(ground.high.y, -3, 1e-12);
    CHECK_REL(ground.low.y, -6, 1e-12);
    CHECK_REL(ground.high.x - ground.low.x, 1, 1e-12);
    CHECK_REL(ground.high.z - ground.low.z, 1.5, 1e-12);
}

TD_TEST(draw_shows_the_grab_of_the_mouse_in_red) {
    OWNED(stage) s = stage_of(still_life);
    td_vec3 tip;
    segment_at(s.world, 1, 2, NULL, &tip, NULL);
    CHECK_INT(td_world_grab(s.world, id_at(s.world, 1), 2, tip, tdi_vec3(0, 3, 1), 10, NULL),
              TD_OK);
    const sheet grabs = drawn(s.world, TD_DRAW_GRABS);
    CHECK_INT(grabs.red, 1);
    CHECK_REL(grabs.high.y, 3, 1e-12);
}

TD_TEST(draw_shows_grabs_and_what_is_disabled_and_changes_nothing) {
    OWNED(stage) s = stage_of(still_life), t = stage_of(still_life);
    td_grab_def def = td_grab_def_default();
    td_grab_id id;
    def.actor = id_at(s.world, 0);
    def.to = tdi_vec3(0, 1, 0);
    CHECK_INT(drawn(s.world, TD_DRAW_GRABS).lines, 0);
    CHECK_INT(td_world_add_grab(s.world, &def, &id, NULL), TD_OK);
    def.actor = id_at(t.world, 0);
    CHECK_INT(td_world_add_grab(t.world, &def, &id, NULL), TD_OK);
    const sheet grabs = drawn(s.world, TD_DRAW_GRABS);
    CHECK_INT(grabs.lines, 1);
    CHECK_INT(grabs.red, 1);
    CHECK_REL(grabs.high.y, 1, 1e-12);
    drawn(s.world, TD_DRAW_ALL);
    check_same_way(s.world, t.world, 3);
    CHECK_INT(td_world_enable_actor(s.world, id_at(s.world, 0), false, NULL), TD_OK);
    CHECK_INT(drawn(s.world, TD_DRAW_SKELETON).grey, 5);
}

TD_TEST(draw_shows_what_sleeps_in_another_colour) {
    OWNED(stage) s =
        stage_of("{objects: [{strand: {points: [[0, 0, 0], [0, -0.4, 0]], segments: 3}}]}");
    CHECK_INT(drawn(s.world, TD_DRAW_SKELETON).green, 3);
    CHECK_INT(td_world_sleep_actor(s.world, id_at(s.world, 0), NULL), TD_OK);
    steps(s.world, 2);
    CHECK(td_world_actor_asleep(s.world, id_at(s.world, 0)));
    CHECK_INT(drawn(s.world, TD_DRAW_SKELETON).green, 0);
}

// ---- memory ---------------------------------------------------------------------------------

static void no_line(void *context, td_vec3 from, td_vec3 to, uint32_t colour) {
    (void)context, (void)from, (void)to, (void)colour;
}

static td_status draw_all(void *world, td_diag *diag) {
    td_draw draw = td_draw_default();
    draw.line = no_line;
    return td_world_draw(world, &draw, diag);
}

static td_status watch_contacts(void *world, td_diag *diag) {
    return td_world_watch_contacts(world, 64, diag);
}

static td_status find_modes(void *world, td_diag *diag) {
    td_mode mode;
    return td_world_modes(world, id_at(world, 1), 1, &mode, diag);
}

static td_status settle_all(void *world, td_diag *diag) {
    return td_world_settle(world, NULL, diag);
}

static td_status drive_joint(void *world, td_diag *diag) {
    td_joint_drive drive = td_joint_drive_default();
    drive.torque = 1e-3;
    return td_world_set_drives(world, id_at(world, 2), 0, 1, &drive, diag);
}

static td_status pick_near(void *world, td_diag *diag) {
    const td_vec3 at = {0, 0.3, 0};
    td_pick pick;
    return td_world_pick_nearest(world, 1, &at, 1, NULL, &pick, diag);
}

// What is left out of memory changes nothing, says so, and works when there is memory again.
TD_TEST(calls_of_a_world_without_memory_change_nothing) {
    static td_status (*const calls[])(void *, td_diag *) = {settle_all, draw_all,    watch_contacts,
                                                            find_modes, drive_joint, pick_near};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        OWNED(test_heap) heap = {0};
        const td_alloc alloc = test_heap_alloc(&heap);
        OWNED(stage) s = roomy_stage(
            "{contact: {}, colliders: [{plane: {}}],\n"
            " objects: [{name: stick, loose: true, solver: rod, position: [0, 0.0212, 0],\n"
            "   strand: {points: [[0, 0, 0], [0.5, 0, 0]], segments: 5, radius: 0.02}},\n"
            "  {name: stem, position: [0, 0.1, 1], strand: {points: [[0, 0, 0], [0, 0.6, 0]],\n"
            "   segments: 3, radius: 0.01}},\n"
            "  {name: arm, position: [0, 0.1, 2], strand: {points: [[0, 0, 0], [0, 0.6, 0]],\n"
            "   segments: 3, radius: 0.01}}]}",
            1, &alloc);
        CHECK_INT(s.status, TD_OK);
        steps(s.world, 10);
        CHECK_INT(find_modes(s.world, NULL), TD_OK); // poses that it needs are kept
        check_all_or_nothing(s.world, &heap, 0, calls[k], s.world);
    }
}

TD_TEST(draw_leaves_out_what_no_function_draws_and_refuses_other_structs) {
    OWNED(stage) s = stage_of(still_life);
    td_draw draw = td_draw_default();
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_draw(s.world, &draw, &diag), TD_OK);
    draw.struct_size = 1;
    CHECK_INT(td_world_draw(s.world, &draw, &diag), TD_ERR_DEF);
    CHECK_INT(td_world_draw(s.world, NULL, &diag), TD_ERR_ARGUMENT);
}
