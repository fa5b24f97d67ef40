// SPDX-License-Identifier: MIT
// Stiffness in bending and in twist that changes while a world moves. Pairs with
// src/world/stiffen.c.

#include "test_world_support.h"

// A strand that reaches out to the side, with a box beside its tip, which twists it.
#define ARM(extra)                                                                \
    "strand: {points: [[0, 0, 0], [0.5, 0, 0]], segments: 10, elements: 10, "     \
    "line_mass: 0.1, damping_time: 0.02, bodies: [{at: 1, mass: 0.02, position: " \
    "[0, 0, 0.05]}], " extra "}"

static stage arm(const char *solver, const char *object, const char *strand) {
    return stage_printed("{objects: [{name: arm, solver: %s, %s, %s\n}]}", solver, object, strand);
}

// As if the sections were so much stiffer: the rest pose, and the motion after a jolt.
TD_TEST(bending_and_twisting_are_factors_of_the_sections_by_all_solvers) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) a = arm(solvers[k], "bending: 3, twisting: 5",
                             ARM("bend: 0.1, torsion: 0.02")),
                     b = arm(solvers[k], "size: 1", ARM("bend: 0.3, torsion: 0.1"));
        CHECK(tip_of(a.world, 0, 9).y < -0.01);
        for (int j = 0; j < 2; j++) {
            CHECK(apart(tip_of(a.world, 0, -1), tip_of(b.world, 0, -1)) < 1e-9);
            set(a.world, "gravity.y", -1);
            set(b.world, "gravity.y", -1);
            steps(a.world, 20);
            steps(b.world, 20);
        }
    }
}

// How far the end of the arm, which points along +X, is turned about that.
static td_real roll_of(const stage *s) {
    td_quat turn;
    segment_at(s->world, 0, 9, NULL, NULL, &turn);
    return asin(tdi_quat_rotate(turn, tdi_vec3(0, 0, 1)).y);
}

// The box twists the arm by m g r L/GJ, 0.025 rad, where the sag of the soft one, a tenth of its
// length, changes lever and length by some hundredths.
TD_TEST(stiffness_in_bending_does_not_change_that_in_twist) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = arm(solvers[k], "size: 1", ARM("bend: 0.3, torsion: 0.2"));
        const td_real sag = -tip_of(s.world, 0, 9).y, roll = roll_of(&s);
        set(s.world, "objects[0].bending", 100);
        CHECK_INT(td_world_settle(s.world, NULL, NULL), TD_OK);
        const td_real stiff = roll_of(&s);
        CHECK_IN(-tip_of(s.world, 0, 9).y / sag, 0.009, 0.011);
        CHECK_IN(stiff / roll, 0.95, 1.05);
        set(s.world, "objects[0].twisting", 0.5);
        CHECK_INT(td_world_settle(s.world, NULL, NULL), TD_OK);
        CHECK_IN(roll_of(&s) / stiff, 1.995, 2.005); // 1 - cos is 0.001
    }
}

// w ~ sqrt(B): gravity has no part in it here.
TD_TEST(frequencies_follow_the_stiffness_in_bending) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = stage_printed(
            "{gravity: [0, 0, 0], objects: [{solver: %s, strand: {points: [[0, 0, 0],\n"
            " [0, 0.5, 0]], segments: 10, bend: 0.1, torsion: 0.1}}]}",
            solvers[k]);
        td_mode one, other;
        td_diag diag;
        CHECK_INT(td_world_modes(s.world, id_at(s.world, 0), 1, &one, &diag), TD_OK);
        set(s.world, "objects[0].bending", 4);
        CHECK_INT(td_world_modes(s.world, id_at(s.world, 0), 1, &other, &diag), TD_OK);
        CHECK_REL(other.frequency / one.frequency, 2, 1e-5);
    }
}

#define KEYS                                                                              \
    "damping_ratio: 0.1, rest_under_gravity: true, bending: {keys: [[0, 0.5], [0.5, 4], " \
    "[1, 0.5]]}, twisting: {keys: [[0, 2], [1, 0.1]]}, damping: {keys: [[0, 1], [1, 3]]}"

TD_TEST(world_with_keys_of_stiffness_goes_on_to_the_bit_after_saving) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) a = arm(solvers[k], KEYS, ARM("bend: 0.1, torsion: 0.02")),
                     b = arm(solvers[k], KEYS, ARM("bend: 0.1, torsion: 0.02"));
        td_diag diag = {.message = ""};
        for (int j = 0; j < 3; j++) { // also where the factor is again that of the start
            steps(a.world, j == 1 ? 40 : 17);
            restore_from(b.world, a.world);
            check_same_way(a.world, b.world, 5);
        }
        set(a.world, "objects[0].bending", 7);
        char *bytes = saved(a.world);
        OWNED(stage) c = arm(solvers[k], KEYS, ARM("bend: 0.1, torsion: 0.02"));
        CHECK_INT(td_world_restore(c.world, bytes, td_world_save_size(a.world), &diag), TD_OK);
        free(bytes);
        check_same_way(a.world, c.world, 9);
    }
}

// Work that keys of stiffness do shows in the energy: at rest, twice the stiffness at once is twice
// the elastic energy.
TD_TEST(elastic_energy_has_the_stiffness_of_now) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s =
            arm(solvers[k], "size: 1", ARM("bend: 0.1, torsion: 0.02, inextensible: true"));
        const td_real before = sums_at(s.world, 0).energy.elastic;
        set(s.world, "objects[0].bending", 2);
        set(s.world, "objects[0].twisting", 2);
        CHECK_REL(sums_at(s.world, 0).energy.elastic, 2 * before, 1e-3);
        set(s.world, "objects[0].bending", 1);
        set(s.world, "objects[0].twisting", 1);
        CHECK_REL(sums_at(s.world, 0).energy.elastic, before, 0);
    }
}

static void break_it(void *context, td_real time, td_actor_id actor, int32_t count,
                     const td_vec3 *tips, const td_vec3 *velocities, td_vec3 *forces) {
    (void)context, (void)time, (void)actor, (void)tips, (void)velocities;
    forces[count - 1].x = NAN;
}

TD_TEST(stiffness_is_what_it_was_after_a_step_that_failed) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) a = arm(solvers[k], KEYS, ARM("bend: 0.1, torsion: 0.02")),
                     b = arm(solvers[k], KEYS, ARM("bend: 0.1, torsion: 0.02"));
        td_diag diag;
        steps(a.world, 12);
        steps(b.world, 12);
        CHECK_INT(td_world_set_field(b.world, break_it, NULL, NULL), TD_OK);
        CHECK_INT(td_world_step(b.world, &diag), TD_ERR_ARGUMENT);
        CHECK_INT(td_world_set_field(b.world, NULL, NULL, NULL), TD_OK);
        CHECK_REL(sums_at(b.world, 0).energy.elastic, sums_at(a.world, 0).energy.elastic, 0);
        check_same_way(a.world, b.world, 5);
    }
}

// Smooth keys go past the least of them by a tenth of the step to the next.
TD_TEST(keys_of_stiffness_that_swing_below_0_do_no_harm) {
    OWNED(stage) s =
        arm("rod", "bending: {keys: [[0, 1], [0.2, 1e-9], [0.3, 1e-9], [0.5, 1]]}, damping: 5",
            ARM("bend: 0.1, torsion: 0.02"));
    run_to(s.world, 0.6);
    CHECK_REL(td_world_time(s.world), 0.6, 1e-9);
}

TD_TEST(stiffness_out_of_its_range_is_refused) {
    OWNED(stage) s = try_stage("{objects: [{bending: 0,\n " ROD "}]}", 1, NULL);
    CHECK_INT(s.status, TD_ERR_SYNTAX);
    CHECK_TEXT(s.diags[0].message, "'bending' is 0; it must be a number from 1e-09 to 1000000000");
}
