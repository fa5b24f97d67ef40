// SPDX-License-Identifier: MIT
// Actors that are cut and that grow while a world runs. Pairs with src/world/regrow.c,
// src/plant/cut.c and src/*/inherit.c.

#include "test_world_support.h"

#include "tendril/query.h"

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
    OWNED(stage) s = stage_of(text);
    td_actor_id fallen;
    td_diag diag = {.message = ""};
    run_to(s.world, 0.15);
    const td_sums whole = sums_at(s.world, 0);
    CHECK_INT(td_world_cut_actor(s.world, id_at(s.world, 0), segment, place, &fallen, &diag),
              TD_OK);
    CHECK_SAY(diag.message[0] == 0, "%s", diag.message);
    const td_sums a = sums_at(s.world, 0), b = td_world_actor_sums(s.world, fallen);
    CHECK(tdi_norm(b.linear) > 1e-3 * tdi_norm(whole.linear));
    lost[0] = tdi_norm(difference(a.linear, b.linear, whole.linear)) / tdi_norm(whole.linear);
    lost[1] = tdi_norm(difference(a.angular, b.angular, whole.angular)) / tdi_norm(whole.angular);
    steps(s.world, 30); // and it goes on
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
    check_momentum(SWING("helix", ""));
}

// A rope along X with bodies on three of its segments, which begins to fall.
static td_world *loaded_rope(const char *solver) {
    OWNED(td_builder) *builder = test_builder();
    td_strand strand = td_strand_default();
    td_object_def object = td_object_def_default();
    td_scene_def scene = td_scene_def_default();
    td_world *world = NULL;
    td_diag diag = {.message = ""};
    td_diag_list list = {&diag, 1, 0};
    for (int32_t k = 0; k < 12; k++) {
        td_segment_def def = td_segment_def_default();
        def.parent = k - 1;
        def.length = 0.06;
        def.radius_base = def.radius_tip = 0.01;
        def.rest = k == 0 ? tdi_quat_turn(tdi_vec3(0, 0, 1), -1.3) : def.rest;
        CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    }
    for (int32_t k = 0; k < 3; k++) { // a ball of 3 cm about the middle, above it at segment 5
        const td_vec3 at = {0.001, k == 1 ? 0.036 : 0.03, 0};
        const td_real m = 0.1 * (k + 1), own = m * 0.03 * 0.03 / 5;
        const td_attached_mass body = {
            k == 0   ? 2
            : k == 1 ? 5
                     : 9,
            m,
            at,
            {own + m * at.x * at.x, own + m * at.y * at.y, own, m * at.x * at.y, 0, 0}};
        CHECK_SAY(td_builder_attach_mass(builder, &body, &diag) == TD_OK, "%s", diag.message);
    }
    strand.count = 12;
    strand.start = TD_END_PINNED;
    CHECK_INT(td_builder_add_strand(builder, &strand, NULL), TD_OK);
    OWNED(td_skeleton) *rope = test_finish(builder);
    object.name = "rope";
    object.skeleton = rope;
    object.solver = solver;
    object.start = TD_START_DRAWN;
    scene.objects = &object;
    scene.object_count = 1;
    CHECK_SAY(td_world_new(&scene, NULL, NULL, &world, &list) == TD_OK, "%s", diag.message);
    return world;
}

static td_real bodies_of(td_world *w, int32_t actor) {
    const td_skeleton *k = actor_at(w, actor).skeleton;
    td_real sum = 0;
    for (int32_t i = 0; i < td_skeleton_attached_mass_count(k); i++) {
        sum += td_skeleton_attached_masses(k)[i].mass;
    }
    return sum;
}

// Each goes with the half that its centre is in, with its momentum. A body is fixed at the start of
// its segment. A cut below it moves that start by the stretch of the segment, a few millionths.
TD_TEST(cutting_a_rope_with_bodies_keeps_them_and_the_momentum) {
    static const td_real places[] = {0, 0.3, 0.7};
    for (int k = 0; k < 6; k++) {
        OWNED(td_world) *w = loaded_rope(k < 3 ? "rod" : "tree");
        td_actor_id fallen;
        td_diag diag = {.message = ""};
        run_to(w, 0.15);
        const td_sums whole = sums_at(w, 0);
        CHECK_SAY(td_world_cut_actor(w, id_at(w, 0), 5, places[k % 3], &fallen, &diag) == TD_OK,
                  "%s", diag.message);
        const td_sums a = sums_at(w, 0), b = td_world_actor_sums(w, fallen);
        const td_real on = bodies_of(w, 0), off = bodies_of(w, td_world_actor_index(w, fallen));
        CHECK_REL(on, places[k % 3] > 0.6 ? 0.3 : 0.1, 1e-12);
        CHECK_REL(on + off, 0.6, 1e-12);
        const td_real lost = tdi_norm(difference(a.linear, b.linear, whole.linear)),
                      spin = tdi_norm(difference(a.angular, b.angular, whole.angular));
        const td_real part = k == 1 ? 1e-6 : 1e-12;
        CHECK_SAY(lost < part * tdi_norm(whole.linear), "case %d: %g of %g N s", k, lost,
                  tdi_norm(whole.linear));
        CHECK_SAY(spin < part * tdi_norm(whole.angular), "case %d: %g of %g N m s", k, spin,
                  tdi_norm(whole.angular));
        steps(w, 30); // and it goes on
    }
}

// ---- poses at a cut -------------------------------------------------------------------------

static void check_same_motion(motion a, motion b) {
    CHECK_IN(apart(a.tip, b.tip), 0, 1e-13);
    CHECK_IN(apart(a.velocity, b.velocity), 0, 1e-12);
    const td_quat p = a.rotation, q = b.rotation;
    CHECK_IN(fabs(p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z), 1 - 1e-14, 1 + 1e-14);
}

static void check_poses(const char *text, td_real place) {
    OWNED(stage) s = stage_of(text);
    motion before[12];
    td_actor_id fallen;
    run_to(s.world, 0.5);
    for (int32_t i = 0; i < 12; i++) {
        before[i] = motion_of(s.world, 0, i);
    }
    CHECK_INT(td_world_cut_actor(s.world, id_at(s.world, 0), 5, place, &fallen, NULL), TD_OK);
    const int32_t off = td_world_actor_index(s.world, fallen), stay = place > 0 ? 6 : 5;
    CHECK_INT(actor_at(s.world, 0).segment_count, stay);
    CHECK_INT(actor_at(s.world, off).segment_count, 7);
    for (int32_t i = 0; i < 5; i++) {
        check_same_motion(motion_of(s.world, 0, i), before[i]);
    }
    for (int32_t i = 5; i < 12; i++) {
        check_same_motion(motion_of(s.world, off, i - 5), before[i]);
        CHECK_INT(td_skeleton_segments(actor_at(s.world, off).skeleton)[i - 5].id, i);
    }
}

TD_TEST(cutting_moves_nothing) {
    check_poses(SWING("rod", ""), 0);
    check_poses(SWING("rod", ""), 0.4);
    check_poses(SWING("tree", ""), 0);
    check_poses(SWING("tree", ""), 0.4);
    check_poses(SWING("helix", ""), 0);
}

TD_TEST(what_is_left_of_a_rope_hangs_on_and_what_fell_falls) {
    OWNED(stage) s = stage_of(SWING("rod", ""));
    td_actor_id fallen;
    run_to(s.world, 0.5);
    CHECK(td_world_cut_actor(s.world, id_at(s.world, 0), 6, 0.5, &fallen, NULL) == TD_OK);
    const int32_t off = td_world_actor_index(s.world, fallen);
    const td_vec3 mass_before = sums_at(s.world, off).linear;
    td_vec3 top = tip_of(s.world, off, 0);
    run_to(s.world, 1.0);
    // free fall: momentum grows by m g t, but for the air's drag
    td_real mass = 0;
    const td_segment *segments = td_skeleton_segments(actor_at(s.world, off).skeleton);
    for (int32_t i = 0; i < actor_at(s.world, off).segment_count; i++) {
        mass += segments[i].mass;
    }
    const td_real gained = sums_at(s.world, off).linear.y - mass_before.y;
    CHECK_REL(gained, -9.81 * 0.5 * mass, 0.1);
    CHECK(tip_of(s.world, off, 0).y < top.y - 0.8);
    CHECK(tip_of(s.world, 0, 0).y > 1.8);
}

// ---- saves ----------------------------------------------------------------------------------

#define GROUND(solver)                                                                      \
    "{contact: {}, colliders: [{plane: {}}], objects: [{name: rope, position: [0, 1, 0],\n" \
    "  solver: " solver ", start: drawn, strand: {points: [[0, 0, 0], [0.9, -0.1, 0.2]],\n" \
    "  segments: 12, radius: 0.01}}],\n"                                                    \
    " loads: [{push: {force: [0.5, 0.2, 1.5], segment: 9, end: 0.1}}],\n"                   \
    " record: {probes: [{object: rope, segment: 11}]}}"

static td_actor_id cut(td_world *w, int32_t actor, int32_t segment, td_real place) {
    td_actor_id fallen;
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_cut_actor(w, id_at(w, actor), segment, place, &fallen, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return fallen;
}

// A plant with organs of all shapes, which is cut above a stem.
#define GARDEN                                                                                   \
    "{contact: {}, colliders: [{plane: {position: [0, -9, 0]}}], objects: [{name: rope, plant: " \
    "organs.lsys}]}"

// Restored in a world that has cut nothing, or something else, it goes on as it does itself.
static void check_saves(const char *text, td_real place) {
    OWNED(stage) one = stage_of(text), other = stage_of(text);
    td_diag diag = {.message = ""};
    run_to(one.world, 0.2);
    FREED char *whole = saved(one.world);
    const size_t whole_size = td_world_save_size(one.world);
    cut(one.world, 0, 5, 0.4);
    steps(one.world, 5);
    cut(one.world, 0, 2, place);
    FREED char *bytes = saved(one.world);
    const size_t size = td_world_save_size(one.world);
    for (int k = 0; k < 3; k++) { // into a world as made, one that is the same, one with other cuts
        CHECK_INT(td_world_restore(other.world, bytes, size, &diag), TD_OK);
        CHECK_TEXT(diag.message, "");
        CHECK(same_bits(one.world, other.world));
        if (k == 1) {
            cut(other.world, 1, 3, place);
            steps(other.world, 3);
        }
    }
    check_same_way(one.world, other.world, 20);
    // and back to before the cuts
    CHECK_INT(td_world_restore(other.world, whole, whole_size, &diag), TD_OK);
    CHECK_INT(td_world_actor_count(other.world), 1);
    CHECK_INT(actor_at(other.world, 0).segment_count, 12);
    FREED char *again = saved(other.world);
    CHECK(td_world_save_size(other.world) == whole_size && memcmp(again, whole, whole_size) == 0);
}

TD_TEST(world_with_cuts_is_saved_and_restored_to_the_bit) {
    check_saves(GROUND("rod"), 0);
    check_saves(GROUND("tree"), 0);
    check_saves(GROUND("helix"), 0.5);
}

TD_TEST(plant_with_organs_of_all_shapes_that_was_cut_is_restored_to_the_bit) {
    OWNED(stage) one = stage_of(GARDEN), other = stage_of(GARDEN);
    td_diag diag = {.message = ""};
    steps(one.world, 3);
    cut(one.world, 0, 1, 0);
    FREED char *bytes = saved(one.world);
    CHECK_SAY(td_world_restore(other.world, bytes, td_world_save_size(one.world), &diag) == TD_OK,
              "%s", diag.message);
    CHECK(same_bits(one.world, other.world));
    check_same_way(one.world, other.world, 3);
}

TD_TEST(what_fell_off_lands_on_the_ground) {
    static const char *const texts[] = {GROUND("rod"), GROUND("tree"), GROUND("helix")};
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = stage_of(texts[k]);
        run_to(s.world, 0.2);
        const td_actor_id fallen = cut(s.world, 0, 6, 0);
        run_to(s.world, 2.5);
        const int32_t off = td_world_actor_index(s.world, fallen);
        td_contact found[64];
        const int32_t count = td_world_contacts(s.world, found, 64);
        int32_t touching = 0;
        for (int32_t i = 0; i < count && i < 64; i++) {
            touching += found[i].actor == off;
        }
        CHECK(touching > 0);
        for (int32_t i = 0; i < actor_at(s.world, off).segment_count; i++) {
            CHECK_IN(tip_of(s.world, off, i).y, 0, 0.05);
        }
    }
}

// Islands are solved by any thread.
static void cut_twice(td_world *world) {
    run_to(world, 0.2);
    cut(world, 0, 6, 0.5);
    cut(world, 1, 3, 0);
}

TD_TEST(cuts_give_the_same_bits_for_any_number_of_threads) {
    check_threads(GROUND("rod"), cut_twice, 48);
}

// ---- what follows ---------------------------------------------------------------------------

TD_TEST(grabs_and_probes_follow_segments_that_fall_off) {
    OWNED(stage) s = stage_of(GROUND("rod"));
    td_grab_def def = td_grab_def_default();
    td_grab_id low, high;
    td_vec3 to = {0.9, 1.2, 0.2};
    td_real before[3], after[3];
    run_to(s.world, 0.2);
    def.actor = id_at(s.world, 0);
    def.segment = 10;
    def.to = to;
    CHECK_INT(td_world_add_grab(s.world, &def, &high, NULL), TD_OK);
    def.segment = 1;
    CHECK_INT(td_world_add_grab(s.world, &def, &low, NULL), TD_OK);
    td_vec3 pull[2], now;
    CHECK(td_world_grab_force(s.world, high, &pull[0], NULL) == TD_OK);
    CHECK(td_world_grab_force(s.world, low, &pull[1], NULL) == TD_OK);
    td_world_probes(s.world, before);
    const td_actor_id fallen = cut(s.world, 0, 6, 0.5);
    CHECK_INT(td_world_grab_force(s.world, high, &now, NULL), TD_OK);
    CHECK_IN(apart(now, pull[0]), 0, 1e-9);
    CHECK_INT(td_world_grab_force(s.world, low, &now, NULL), TD_OK);
    CHECK_IN(apart(now, pull[1]), 0, 1e-9);
    td_world_probes(s.world, after);
    CHECK_IN(fabs(after[0] - before[0]) + fabs(after[1] - before[1]), 0, 1e-12);
    steps(s.world, 60); // it hangs on the hand
    CHECK_IN(apart(tip_of(s.world, td_world_actor_index(s.world, fallen), 4), to), 0, 0.3);
    CHECK_INT(td_world_remove_actor(s.world, fallen, NULL), TD_OK);
    CHECK_INT(td_world_grab_force(s.world, high, &now, NULL), TD_ERR_STALE);
    CHECK_INT(td_world_grab_force(s.world, low, &now, NULL), TD_OK);
}

// On the segment that is cut, below and above the cut.
TD_TEST(grabs_of_the_segment_that_is_cut_follow_its_halves) {
    OWNED(stage) s = stage_of(GROUND("rod"));
    td_grab_def def = td_grab_def_default();
    td_grab_id ids[2];
    td_vec3 pull[2], now;
    run_to(s.world, 0.2);
    def.actor = id_at(s.world, 0);
    def.segment = 6;
    def.to = (td_vec3){0.9, 1.2, 0.2};
    const td_real length = td_skeleton_segments(actor_at(s.world, 0).skeleton)[6].length;
    for (int k = 0; k < 2; k++) {
        def.point.y = (k == 0 ? 0.1 : 0.9) * length;
        CHECK_INT(td_world_add_grab(s.world, &def, &ids[k], NULL), TD_OK);
        CHECK_INT(td_world_grab_force(s.world, ids[k], &pull[k], NULL), TD_OK);
    }
    const td_actor_id fallen = cut(s.world, 0, 6, 0.5);
    for (int k = 0; k < 2; k++) {
        CHECK_INT(td_world_grab_force(s.world, ids[k], &now, NULL), TD_OK);
        CHECK_IN(apart(now, pull[k]), 0, 1e-3); // 100 N/m by what the segment is stretched
    }
    CHECK_INT(td_world_remove_actor(s.world, fallen, NULL), TD_OK);
    CHECK_INT(td_world_grab_force(s.world, ids[0], &now, NULL), TD_OK);
    CHECK_INT(td_world_grab_force(s.world, ids[1], &now, NULL), TD_ERR_STALE);
}

static int32_t contacts_of(const td_world *w, td_actor_id id) {
    static td_contact all[256];
    const int32_t count = td_world_contacts(w, all, 256);
    int32_t own = 0;
    for (int32_t k = 0; k < count && k < 256; k++) {
        own += all[k].actor == td_world_actor_index(w, id);
    }
    return own;
}

TD_TEST(contacts_of_what_sleeps_stay_when_another_that_slept_is_cut) {
    OWNED(stage) s = stage_of(GROUND("rod"));
    run_to(s.world, 0.3);
    const td_actor_id off = cut(s.world, 0, 6, 0);
    run_to(s.world, 3);
    CHECK_INT(td_world_sleep_actor(s.world, id_at(s.world, 0), NULL), TD_OK);
    CHECK_INT(td_world_sleep_actor(s.world, off, NULL), TD_OK);
    steps(s.world, 2);
    CHECK(td_world_actor_asleep(s.world, id_at(s.world, 0)) && td_world_actor_asleep(s.world, off));
    const int32_t before = contacts_of(s.world, off);
    CHECK(before > 0);
    cut(s.world, 0, 3, 0);
    CHECK_INT(contacts_of(s.world, off), before);
    steps(s.world, 2);
}

// Parts on the ground touch it before and after: with other actors and segments, in one pair.
TD_TEST(contacts_that_were_watched_go_on_when_an_actor_is_cut) {
    static const char *const texts[] = {GROUND("rod"), GROUND("tree"), GROUND("helix")};
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = stage_of(texts[k]);
        td_contact_event events[64];
        run_to(s.world, 0.3);
        const int32_t off = td_world_actor_index(s.world, cut(s.world, 0, 6, 0));
        run_to(s.world, 4);
        CHECK_INT(td_world_watch_contacts(s.world, 256, NULL), TD_OK);
        steps(s.world, 1);
        CHECK(td_world_contact_events(s.world, events, 64) > 3);
        steps(s.world, 1);
        CHECK_INT(td_world_contact_events(s.world, events, 64), 0);
        cut(s.world, off, 3, 0);
        steps(s.world, 1);
        CHECK_INT(td_world_contact_events(s.world, events, 64), 0);
    }
}

TD_TEST(parts_that_cannot_be_cut_are_refused_by_what_they_are) {
    static const struct {
        const char *text;
        int32_t segment;
        td_real place;
        const char *message;
    } rows[] = {
        {"{objects: [{name: ring, solver: rod, start: drawn, strand: {closed: true, points: [[0, "
         "0, 0], [1, 0, "
         "0], [1, 1, 0], [0, 1, 0]], segments: 8, radius: 0.01}}]}",
         3, 0, "is part of a ring, which stays in one piece when it is cut once"},
        {"{objects: [{name: plant, plant: organs.lsys}]}", 2, 0.5,
         "is no stem, and can be cut at its joint alone: at the place 0"},
        {"{objects: [{name: plant, plant: stem.lsys, integrator: adaptive}]}", 2, 0,
         "'plant' has the integrator 'adaptive', with which it cannot be cut or grow"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        OWNED(stage) s = stage_of(rows[k].text);
        td_actor_id fallen;
        td_diag diag = {.message = ""};
        CHECK_INT(td_world_cut_actor(s.world, id_at(s.world, 0), rows[k].segment, rows[k].place,
                                     &fallen, &diag),
                  TD_ERR_ARGUMENT);
        CHECK_HAS(diag.message, rows[k].message);
    }
}

TD_TEST(cut_that_makes_more_segments_than_the_world_may_have_is_refused) {
    td_world_opts opts = td_world_opts_default();
    opts.max_segments = 12;
    OWNED(stage) s = stage_with(SWING("rod", ""), opts, NULL);
    td_actor_id fallen;
    td_diag diag = {.message = ""};
    CHECK_INT(s.status, TD_OK);
    CHECK_INT(td_world_cut_actor(s.world, id_at(s.world, 0), 5, 0.5, &fallen, &diag), TD_ERR_LIMIT);
    CHECK_HAS(diag.message, "the world would have more than 12 segments");
    CHECK_INT(actor_at(s.world, 0).segment_count, 12);
}

TD_TEST(what_cannot_be_cut_is_refused) {
    OWNED(stage) s = stage_of(SWING("rod", ""));
    td_actor_id fallen, whole = id_at(s.world, 0), stale = {7, 1, 0};
    const struct {
        int32_t segment;
        td_real place;
        const char *message;
    } cases[] = {{12, 0, "'rope' has 12"}, {-1, 0, "segment is -1"}, {3, 1, "to below 1"},
                 {3, -0.1, "from 0"},      {3, NAN, "place is"},     {0, 0, "nothing would stay"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        td_diag diag = {.message = ""};
        CHECK_INT(
            td_world_cut_actor(s.world, whole, cases[k].segment, cases[k].place, &fallen, &diag),
            TD_ERR_ARGUMENT);
        CHECK_SAY(strstr(diag.message, cases[k].message) != NULL, "%s", diag.message);
        CHECK_INT(fallen.place, 0);
    }
    CHECK_INT(td_world_cut_actor(s.world, stale, 3, 0, &fallen, NULL), TD_ERR_STALE);
    CHECK_INT(td_world_cut_actor(NULL, whole, 3, 0, &fallen, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_cut_actor(s.world, whole, 3, 0, NULL, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_regrow_actor(s.world, whole, NULL, NULL), TD_ERR_ARGUMENT);
}

// ---- memory ---------------------------------------------------------------------------------

static td_status cut_in_half(void *world, td_diag *diag) {
    td_actor_id fallen;
    return td_world_cut_actor(world, id_at(world, 0), 5, 0.5, &fallen, diag);
}

// Steps after a cut ask for no memory.
TD_TEST(cutting_without_memory_changes_nothing_and_steps_take_none) {
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    OWNED(stage) s = roomy_stage(GROUND("rod"), 1, &alloc);
    CHECK_INT(s.status, TD_OK);
    run_to(s.world, 0.2);
    check_all_or_nothing(s.world, &heap, 20, cut_in_half, s.world);
    const long calls = heap.calls;
    steps(s.world, 30);
    CHECK_INT(heap.calls, calls);
}

// A garden that is cut and removed over and over takes no more memory after a while.
TD_TEST(cutting_over_and_over_takes_no_more_memory) {
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    OWNED(stage) s = try_stage(GROUND("rod"), 1, &alloc);
    CHECK_INT(s.status, TD_OK);
    FREED char *whole = saved(s.world);
    const size_t size = td_world_save_size(s.world);
    size_t first = 0;
    for (int k = 0; k < 12; k++) {
        const td_actor_id fallen = cut(s.world, 0, 8, 0.5);
        steps(s.world, 2);
        CHECK_INT(td_world_remove_actor(s.world, fallen, NULL), TD_OK);
        const td_actor_id again = cut(s.world, 0, 4, 0);
        CHECK_INT(td_world_actor_index(s.world, again), 1);
        CHECK_INT(td_world_restore(s.world, whole, size, NULL), TD_OK);
        first = k == 1 ? heap.held : first;
    }
    CHECK_REL((td_real)heap.held, (td_real)first, 0.2);
}

// ---- springs --------------------------------------------------------------------------------

// Also those that were made to rest under gravity, and that have become stiffer since.
static void check_loads(const char *text) {
    OWNED(stage) s = stage_of(text);
    td_vec3 before[12], after[12], fell[12];
    run_to(s.world, 0.2);
    set(s.world, "objects[0].bending", 1.5);
    run_to(s.world, 0.3);
    td_world_moments(s.world, id_at(s.world, 0), before);
    const int32_t off = td_world_actor_index(s.world, cut(s.world, 0, 5, 0.5));
    td_world_moments(s.world, id_at(s.world, 0), after);
    td_world_moments(s.world, id_at(s.world, off), fell);
    const td_real scale = tdi_norm(before[1]);
    CHECK(scale > 1e-6);
    for (int32_t i = 0; i < 5; i++) {
        CHECK_IN(apart(after[i], before[i]), 0, 1e-12 * scale);
    }
    for (int32_t i = 6; i < 12; i++) {
        CHECK_IN(apart(fell[i - 5], before[i]), 0, 1e-12 * scale);
    }
    set(s.world, "objects[0].bending", 1); // both follow
    steps(s.world, 20);
}

#define LEVEL(solver)                                                                       \
    "{objects: [{name: rope, solver: " solver ", start: drawn, rest_under_gravity: true,\n" \
    "  position: [0, 1, 0], strand: {points: [[0, 0, 0], [0.3, 0.1, 0]], segments: 12,\n"   \
    "  radius: 0.01, material: green-wood}}],\n"                                            \
    " loads: [{push: {force: [0.5, 0.2, 1.5], segment: 9, end: 0.1}}]}"

TD_TEST(springs_keep_their_loads_at_a_cut) {
    check_loads(LEVEL("tree"));
    check_loads(LEVEL("rod"));
}
