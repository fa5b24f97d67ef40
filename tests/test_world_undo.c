// SPDX-License-Identifier: MIT
// Steps that fail after a world was changed between steps. Pairs with src/tree/inherit.c and
// src/*/saving.c.

#include "test_world_support.h"

#include "tendril/attach.h"
#include "tendril/query.h"

// A rope that is pushed aside.
#define SCENE(rule, more)                                                                   \
    "{objects: [{name: rope, position: [0, 2, 0], integrator: " rule ", start: drawn,\n"    \
    "  damping: 0, materials: [{young: 1e5}],\n"                                            \
    "  strand: {points: [[0, 0, 0], [0.6, -0.5, 0.1]], segments: 8, radius: 0.01}}],\n"     \
    " step: 1/9600, record: {fps: 2400}, loads: [{push: {force: [0.5, 0.2, 1.5], segment: " \
    "6}}]" more "}"
#define BALL ", contact: {}, colliders: [{sphere: {radius: 0.1, position: [3, 2, 0]}}]"

enum { CARRIED = 1, PLACED = 2, CUT = 4, GROWN = 8, ALL = 16 };

static void change(td_world *w, int what) {
    const td_actor_id rope = id_at(w, 0);
    const td_quat turn = tdi_quat_turn(tdi_vec3(0, 1, 0), 0.1);
    td_actor_id fallen;
    td_diag diag = {.message = ""};
    td_status status = TD_OK;
    for (int k = 1; k <= 3 && status == TD_OK && what & CARRIED; k++) {
        status = td_world_move_actor(w, rope, tdi_vec3(0.001 * k, 2, 0.0003 * k),
                                     tdi_quat_turn(tdi_vec3(0, 0.6, 0.8), 0.003 * k), &diag);
        steps(w, 1);
    }
    if (status == TD_OK && what & PLACED) {
        status = td_world_place_actor(w, rope, tdi_vec3(0.3, 2.1, 0.7), turn, &diag);
    }
    if (status == TD_OK && what & CUT) {
        status = td_world_cut_actor(w, rope, 3, 0.4, &fallen, &diag);
    }
    if (status == TD_OK && what & GROWN) {
        OWNED(td_skeleton) *same = NULL;
        status = td_skeleton_changed_new(actor_at(w, 0).skeleton, 1, NULL, 0, NULL, &same, &diag);
        status = status == TD_OK ? td_world_regrow_actor(w, rope, same, &diag) : status;
    }
    CHECK_INT(status, TD_OK);
    CHECK_TEXT(diag.message, "");
}

static void burst(void *context, td_real time, td_actor_id actor, int32_t count,
                  const td_vec3 *tips, const td_vec3 *velocities, td_vec3 *forces) {
    (void)context, (void)time, (void)actor, (void)tips, (void)velocities;
    forces[count - 1].x = 1e300;
}

// No step can be solved with the ball where the rope is held, or with such forces.
static void spoil(td_world *w, bool ball) {
    td_vec3 base = {0, 0, 0};
    td_quat turn;
    pose_at(w, 0, &base, &turn, NULL, NULL);
    CHECK_INT(ball ? td_world_move_collider(w, td_world_collider_id(w, 0), base, turn, NULL)
                   : td_world_set_field(w, burst, NULL, NULL),
              TD_OK);
}

static void check_fails_without_trace(td_world *w) {
    spoil(w, td_world_collider_count(w) > 0);
    const size_t size = td_world_save_size(w);
    FREED char *before = saved(w);
    CHECK_INT(td_world_step(w, NULL), TD_ERR_DIVERGED);
    FREED char *after = saved(w);
    CHECK(memcmp(before, after, size) == 0);
}

static void check_undone(const char *text, int what) {
    OWNED(stage) s = stage_of(text);
    steps(s.world, 20);
    change(s.world, what);
    check_fails_without_trace(s.world);
}

TD_TEST(step_that_fails_changes_nothing_of_a_tree_that_was_carried_placed_cut_or_grown) {
    for (int what = 0; what < ALL; what++) {
        check_undone(SCENE("implicit", BALL), what);
        check_undone(SCENE("rk4", ""), what);
    }
}

// A cane that stands still is held, and a rope beside it bursts.
TD_TEST(step_that_fails_wakes_no_tree_that_stands_still) {
    OWNED(stage) s =
        stage_of("{objects: [{name: cane, adapt: {error: 0.05}, rest_under_gravity: true,\n"
                 "  strand: {points: [[1, 0, 0], [1, 1, 0]], segments: 6, radius: 0.006,\n"
                 "   material: green-wood}}, {name: rope, integrator: rk4, start: drawn,\n"
                 "  materials: [{young: 1e5}], damping: 0, " ROPE "}],\n"
                 " step: 1/9600, record: {fps: 2400}}");
    td_reduce_stats stats = {0};
    steps(s.world, 20);
    CHECK(td_world_actor_reduction(s.world, id_at(s.world, 0), &stats) && stats.joints == 0);
    CHECK_INT(
        td_world_grab(s.world, id_at(s.world, 0), 0, tdi_vec3(0, 0, 0), tdi_vec3(2, 1, 0), 1, NULL),
        TD_OK);
    check_fails_without_trace(s.world);
    CHECK(td_world_actor_reduction(s.world, id_at(s.world, 0), &stats) && stats.joints == 0);
}

// ---- what is in the way ---------------------------------------------------------------------

// A rope falls past a ball; a lamp hangs on it by a weld, a leaf by its base.
#define CROWD                                                                                 \
    "{contact: {}, colliders: [{sphere: {radius: 0.1, position: [0, 1, 0]}}], objects: [\n"   \
    " {name: rope, start: drawn, position: [0, 2, 0], " ROPE "},\n"                           \
    " {name: lamp, loose: true, start: drawn, position: [1, 2, 0], strand: {points: [[0, 0, " \
    "0], [0.1, 0, 0]], segments: 2, radius: 0.01}},\n"                                        \
    " {name: leaf, start: drawn, position: [-1, 2, 0], strand: {points: [[0, 0, 0], [-0.1, "  \
    "0, 0]], segments: 2, radius: 0.01}}]}"

static td_status hang(td_world *w, int32_t actor, td_real x, td_real y) {
    td_attach_def def = td_attach_def_default();
    def.actor = id_at(w, actor);
    def.to = id_at(w, 0);
    def.segment = 1;
    def.position = tdi_vec3(x, y, 0);
    return td_world_attach(w, &def, NULL);
}

static td_status place_in_ball(td_world *w, int32_t actor) {
    return td_world_place_actor(w, id_at(w, actor), tdi_vec3(0, 1, 0), tdi_quat_identity(), NULL);
}

// A ball comes to where an actor was while it is disabled.
static td_status enable_in_ball(td_world *w, int32_t actor) {
    const td_actor_id id = id_at(w, actor);
    if (td_world_actor_enabled(w, id)) {
        const td_box box = td_world_bounds(w, id_at(w, actor));
        CHECK_INT(td_world_enable_actor(w, id, false, NULL), TD_OK);
        CHECK_INT(td_world_place_collider(w, td_world_collider_id(w, 0), box.low,
                                          tdi_quat_identity(), NULL),
                  TD_OK);
    }
    return td_world_enable_actor(w, id, true, NULL);
}

static void check_same(td_world *w, char *before, size_t size) {
    FREED char *after = saved(w);
    CHECK_INT(td_world_save_size(w), size);
    CHECK(memcmp(before, after, size) == 0);
    free(before);
}

// A save holds all that the future depends on.
TD_TEST(what_is_blocked_changes_nothing) {
    OWNED(stage) s = stage_of(CROWD);
    CHECK_INT(hang(s.world, 1, 0.1, 0), TD_OK);
    CHECK_INT(hang(s.world, 2, -0.1, 0), TD_OK);
    steps(s.world, 5);
    for (int32_t actor = 1; actor < 3; actor++) {
        const size_t size = td_world_save_size(s.world);
        char *before = saved(s.world);
        CHECK_INT(place_in_ball(s.world, actor), TD_ERR_BLOCKED);
        CHECK_INT(hang(s.world, actor, 0, 0), TD_ERR_BLOCKED); // within the rope
        check_same(s.world, before, size);
    }
    CHECK_INT(enable_in_ball(s.world, 2), TD_ERR_BLOCKED);
    const size_t size = td_world_save_size(s.world);
    char *before = saved(s.world);
    CHECK_INT(enable_in_ball(s.world, 2), TD_ERR_BLOCKED);
    check_same(s.world, before, size);
}
