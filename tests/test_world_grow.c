// SPDX-License-Identifier: MIT
// Actors that are cut and that grow while a world runs. Pairs with src/world/regrow.c,
// src/plant/cut.c and src/*/inherit.c.

#include "test_world_support.h"

#include <stdio.h>

// ---- momentum at a cut ----------------------------------------------------------------------

// A strand that swings: pinned above, pushed aside for a while.
#define SWING(solver, more)                                                                    \
    "{" more "objects: [{name: rope, position: [0, 2, 0], solver: " solver ", start: drawn,\n" \
    "  strand: {points: [[0, 0, 0], [0.6, -0.5, 0.1]], segments: 12, radius: 0.01}}],\n"       \
    " loads: [{push: {force: [0.5, 0.2, 1.5], segment: 9, end: 0.1}}]}"
#define SMALL "step: 1/9600, record: {fps: 2400}, "
#define STEPS_BY(solver, rule)                                                                  \
    "{" SMALL "objects: [{name: rope, position: [0, 2, 0], solver: " solver ", start: drawn,\n" \
    "  integrator: " rule ", damping: 0, materials: [{young: 1e5}],\n"                          \
    "  strand: {points: [[0, 0, 0], [0.6, -0.5, 0.1]], segments: 12, radius: 0.01}}],\n"        \
    " loads: [{push: {force: [0.5, 0.2, 1.5], segment: 9, end: 0.1}}]}"

static td_vec3 difference(td_vec3 a, td_vec3 b, td_vec3 whole) {
    return tdi_sub(whole, tdi_add(a, b));
}

// How much of the momentum is lost, over the momentum.
static void lost_momentum(const char *text, int32_t segment, td_real place, td_real lost[2]) {
    stage s = stage_of(text);
    td_actor_id fallen;
    td_diag diag = {.message = ""};
    run_to(s.world, 0.15);
    const td_sums whole = td_world_actor_sums(s.world, 0);
    CHECK_INT(
        td_world_cut_actor(s.world, td_world_actor_id(s.world, 0), segment, place, &fallen, &diag),
        TD_OK);
    CHECK_SAY(diag.message[0] == 0, "%s", diag.message);
    const td_sums a = td_world_actor_sums(s.world, 0),
                  b = td_world_actor_sums(s.world, td_world_actor_index(s.world, fallen));
    CHECK(tdi_norm(b.linear) > 1e-3 * tdi_norm(whole.linear));
    lost[0] = tdi_norm(difference(a.linear, b.linear, whole.linear)) / tdi_norm(whole.linear);
    lost[1] = tdi_norm(difference(a.angular, b.angular, whole.angular)) / tdi_norm(whole.angular);
    steps(s.world, 30); // and it goes on
    stage_free(&s);
}

static void check_momentum(const char *text) {
    static const td_real places[] = {0, 0.3, 0.99};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        td_real lost[2];
        lost_momentum(text, 5, places[k], lost);
        CHECK_IN(lost[0], 0, 1e-12);
        CHECK_IN(lost[1], 0, 1e-12);
    }
}

TD_TEST(cutting_a_rope_keeps_the_momentum_of_both_halves) {
    check_momentum(SWING("rod", ""));
    check_momentum(STEPS_BY("rod", "euler"));
    check_momentum(SWING("tree", ""));
    check_momentum(STEPS_BY("tree", "rk4"));
}

// ---- poses at a cut -------------------------------------------------------------------------

typedef struct motion {
    td_vec3 tip, velocity;
    td_quat rotation;
} motion;

// Of the segment with an id, wherever it is now; those of a piece have their place in `from`..1.
static motion motion_of(td_world *w, int32_t actor, int32_t segment) {
    motion m;
    td_vec3 *velocities =
        calloc((size_t)td_world_actor(w, actor).segment_count, sizeof *velocities);
    td_world_segment(w, actor, segment, NULL, &m.tip, &m.rotation);
    td_world_velocities(w, actor, velocities, NULL);
    m.velocity = velocities[segment];
    free(velocities);
    return m;
}

static void check_same_motion(motion a, motion b) {
    CHECK_IN(apart(a.tip, b.tip), 0, 1e-13);
    CHECK_IN(apart(a.velocity, b.velocity), 0, 1e-12);
    const td_quat p = a.rotation, q = b.rotation;
    CHECK_IN(fabs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z), 1 - 1e-14, 1 + 1e-14);
}

static void check_poses(const char *text, td_real place) {
    stage s = stage_of(text);
    motion before[12];
    td_actor_id fallen;
    run_to(s.world, 0.5);
    for (int32_t i = 0; i < 12; i++) {
        before[i] = motion_of(s.world, 0, i);
    }
    CHECK_INT(td_world_cut_actor(s.world, td_world_actor_id(s.world, 0), 5, place, &fallen, NULL),
              TD_OK);
    const int32_t off = td_world_actor_index(s.world, fallen), stay = place > 0 ? 6 : 5;
    CHECK_INT(td_world_actor(s.world, 0).segment_count, stay);
    CHECK_INT(td_world_actor(s.world, off).segment_count, 7);
    for (int32_t i = 0; i < 5; i++) {
        check_same_motion(motion_of(s.world, 0, i), before[i]);
    }
    for (int32_t i = 5; i < 12; i++) {
        check_same_motion(motion_of(s.world, off, i - 5), before[i]);
        CHECK_INT(td_skeleton_segments(td_world_actor(s.world, off).skeleton)[i - 5].id, i);
    }
    stage_free(&s);
}

TD_TEST(cutting_moves_nothing) {
    check_poses(SWING("rod", ""), 0);
    check_poses(SWING("rod", ""), 0.4);
    check_poses(SWING("tree", ""), 0);
    check_poses(SWING("tree", ""), 0.4);
}

TD_TEST(what_is_left_of_a_rope_hangs_on_and_what_fell_falls) {
    stage s = stage_of(SWING("rod", ""));
    td_actor_id fallen;
    run_to(s.world, 0.5);
    td_world_cut_actor(s.world, td_world_actor_id(s.world, 0), 6, 0.5, &fallen, NULL);
    const int32_t off = td_world_actor_index(s.world, fallen);
    const td_vec3 mass_before = td_world_actor_sums(s.world, off).linear;
    td_vec3 top = tip_of(s.world, off, 0);
    run_to(s.world, 1.0);
    // free fall: momentum grows by m g t, but for the air's drag
    td_real mass = 0;
    const td_segment *segments = td_skeleton_segments(td_world_actor(s.world, off).skeleton);
    for (int32_t i = 0; i < td_world_actor(s.world, off).segment_count; i++) {
        mass += segments[i].mass;
    }
    const td_real gained = td_world_actor_sums(s.world, off).linear.y - mass_before.y;
    CHECK_REL(gained, -9.81 * 0.5 * mass, 0.1);
    CHECK(tip_of(s.world, off, 0).y < top.y - 0.8);
    CHECK(tip_of(s.world, 0, 0).y > 1.8);
    stage_free(&s);
}
