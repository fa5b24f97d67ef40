// SPDX-License-Identifier: MIT
// What a program asks a world: all segments, bounds, picks, contacts, reactions, hands.

#include "test_world_support.h"

#define TEXT 4096

// ---- all segments ---------------------------------------------------------------------------

TD_TEST(all_poses_and_velocities_at_once_are_those_of_the_actors) {
    for (int32_t s = 0; s < td_solver_count(); s++) {
        OWNED(stage) w =
            stage_printed("{objects: [{solver: %s, start: drawn, instances: {layout: list,\n"
                          " places: [[0, 0, 0], [1, 0, 0]]}, strand: {segments: 4, radius: 0.01,\n"
                          " points: [[0, 0, 0], [0.3, 0, 0.1]]}}]}",
                          td_solver_get(s).name);
        td_vec3 origins[8], tips[8], velocities[8], spins[8], before[8];
        td_quat rotations[8], turned[8];
        const td_real h = td_world_dt(w.world);
        steps(w.world, 4);
        CHECK_INT(td_world_segment_count(w.world), 8);
        CHECK_INT(td_world_first_segment(w.world, 1), 4);
        td_world_all_poses(w.world, NULL, before, turned);
        steps(w.world, 1);
        td_world_all_poses(w.world, origins, tips, rotations);
        td_world_all_velocities(w.world, velocities, spins);
        td_vec3 own[4];
        td_world_velocities(w.world, id_at(w.world, 1), own, NULL);
        CHECK(memcmp(own, velocities + 4, sizeof own) == 0);
        for (int32_t k = 0; k < 8; k++) {
            td_vec3 tip;
            segment_at(w.world, k / 4, k % 4, NULL, &tip, NULL);
            CHECK(apart(tip, tips[k]) == 0);
            // they are rates of what moved: off by the curvature of the path in a step
            const td_vec3 mean = tdi_scale(tdi_sub(tips[k], before[k]), 1 / h);
            CHECK_SAY(apart(mean, velocities[k]) < 0.1 * tdi_norm(mean) + 0.05,
                      "%s segment %d: %g m/s away", td_solver_get(s).name, (int)k,
                      apart(mean, velocities[k]));
            const td_quat dq = tdi_quat_unit(tdi_quat_mul(rotations[k], tdi_quat_conj(turned[k])));
            const td_vec3 turn = tdi_scale(tdi_vec3(dq.x, dq.y, dq.z), 2 / h);
            CHECK_SAY(apart(turn, spins[k]) < 0.15 * tdi_norm(turn) + 0.1,
                      "%s segment %d: %g rad/s away of %g", td_solver_get(s).name, (int)k,
                      apart(turn, spins[k]), tdi_norm(turn));
        }
        CHECK(tdi_norm(spins[7]) > 0.1);
    }
}

TD_TEST(bounds_hold_all_segments_with_their_radii_and_touch_them) {
    OWNED(stage) w =
        stage_of("{gravity: [0, 0, 0], objects: [{start: drawn, position: [1, 2, 3], strand:\n"
                 " {points: [[0, 0, 0], [0.3, 0, 0]], segments: 3, radius: 0.01}}]}");
    td_box all[1];
    const td_box b = td_world_bounds(w.world, id_at(w.world, 0));
    td_world_all_bounds(w.world, all);
    CHECK(memcmp(&b, all, sizeof b) == 0);
    CHECK_REL(b.low.x, 0.99, 1e-12);
    CHECK_REL(b.high.x, 1.31, 1e-12);
    CHECK_REL(b.low.y, 1.99, 1e-12);
    CHECK_REL(b.high.z, 3.01, 1e-12);
    CHECK_INT(td_world_remove_actor(w.world, id_at(w.world, 0), NULL), TD_OK);
    td_box boxes[2];
    td_world_all_bounds(w.world, boxes);
    CHECK(boxes[0].low.x > boxes[0].high.x);
}

// ---- picks ----------------------------------------------------------------------------------

#define POSTS                                                                                 \
    "{gravity: [0, 0, 0], objects: [{start: drawn, instances: {layout: list, turned: false, " \
    "places: [[0, 0, 0], [0, 0, 1]]}, strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 4, " \
    "radius: 0.02}}]}"

TD_TEST(ray_meets_the_first_segment_at_the_place_that_geometry_says) {
    OWNED(stage) w = stage_of(POSTS);
    const td_ray rays[] = {
        {{0, 0.6, -1}, {0, 0, 2}, 0, 0, false, {0, 0}},       // from the front: the first post
        {{0, 0.6, 3}, {0, 0, -1}, 0, 0, false, {0, 0}},       // from behind: the second
        {{0, 0.6, -1}, {0, 0, 1}, 0.5, 0, false, {0, 0}},     // too short
        {{0.05, 0.6, -1}, {0, 0, 1}, 0, 0, false, {0, 0}},    // beside
        {{0.05, 0.6, -1}, {0, 0, 1}, 0, 0.04, false, {0, 0}}, // thick enough
        {{0, 3, 0}, {0, -1, 0}, 0, 0, false, {0, 0}}};        // from above, along the axis
    td_pick picks[6];
    CHECK_INT(td_world_cast_rays(w.world, 6, rays, picks, NULL), TD_OK);
    CHECK_INT(td_world_actor_index(w.world, picks[0].actor), 0);
    CHECK_INT(picks[0].segment, 2);
    CHECK_REL(picks[0].distance, 0.98, 1e-9);
    CHECK_REL(picks[0].along, 0.4, 1e-9);
    CHECK_REL(picks[0].point.y, 0.6, 1e-9);
    CHECK_REL(picks[0].own.y, 0.1, 1e-9);
    CHECK_INT(td_world_actor_index(w.world, picks[1].actor), 1);
    CHECK_REL(picks[1].distance, 1.98, 1e-9);
    CHECK_INT(picks[2].actor.place, 0);
    CHECK_INT(picks[2].segment, TD_NONE);
    CHECK_INT(picks[3].actor.place, 0);
    CHECK_INT(td_world_actor_index(w.world, picks[4].actor), 0);
    CHECK_INT(picks[5].segment, 3);
    CHECK_REL(picks[5].distance, 1.98, 1e-9); // its round end is 0.02 above the tip
}

TD_TEST(sphere_finds_the_nearest_surface_within_reach) {
    OWNED(stage) w = stage_of(POSTS);
    const td_vec3 centres[] = {{0.1, 0.3, 0.2}, {0, 0.9, 0.9}, {0.005, 0.5, 0}, {0, 5, 0}};
    td_pick picks[4];
    CHECK_INT(td_world_pick_nearest(w.world, 4, centres, 1, NULL, picks, NULL), TD_OK);
    CHECK_INT(td_world_actor_index(w.world, picks[0].actor), 0);
    CHECK_INT(picks[0].segment, 1);
    CHECK_REL(picks[0].distance, sqrt(0.05) - 0.02, 1e-9);
    CHECK_INT(td_world_actor_index(w.world, picks[1].actor), 1);
    CHECK_REL(picks[2].distance, -0.015, 1e-9); // within
    CHECK_INT(picks[3].actor.place, 0);
    CHECK_INT(td_world_enable_actor(w.world, picks[1].actor, false, NULL), TD_OK);
    CHECK_INT(td_world_pick_nearest(w.world, 1, &centres[1], 1, NULL, picks, NULL), TD_OK);
    CHECK_INT(td_world_actor_index(w.world, picks[0].actor), 0);
}

// The first post has category 2 and collides with category 2 only; rays of others pass through it.
TD_TEST(queries_find_what_would_collide_with_their_filter) {
    OWNED(stage) w = stage_of(POSTS);
    const td_filter two = {2, 2}, one = {1, UINT32_MAX};
    td_ray ray = {.origin = {0, 0.6, -1}, .direction = {0, 0, 1}};
    td_collider ball = td_collider_default(TD_COLLIDER_SPHERE);
    td_pick pick;
    td_overlap found[8];
    int32_t count;
    CHECK_INT(td_world_set_actor_filter(w.world, id_at(w.world, 0), two, NULL), TD_OK);
    for (uint32_t k = 0; k < 3; k++) {
        ray.filter = k == 0 ? (td_filter){0, 0} : k == 1 ? two : one;
        const uint32_t nearest = k < 2 ? 1 : 2;
        CHECK_INT(td_world_cast_rays(w.world, 1, &ray, &pick, NULL), TD_OK);
        CHECK_INT(pick.actor.place, nearest);
        CHECK_INT(td_world_pick_nearest(w.world, 1, &ray.origin, 9, k == 0 ? NULL : &ray.filter,
                                        &pick, NULL),
                  TD_OK);
        CHECK_INT(pick.actor.place, nearest);
        ball.radius = 2;
        ball.filter = k == 0 ? one : ray.filter;
        CHECK_INT(td_world_overlap(w.world, &ball, found, 8, &count, NULL), TD_OK);
        CHECK_INT(count, 4); // the segments of one post
        CHECK_INT(found[0].actor.place, k == 1 ? 1 : 2);
    }
}

// ---- contacts -------------------------------------------------------------------------------

// Two rods on a plane and two across them, that fall and roll a little.
static const char *heap_of(char text[TEXT], const char *solver, const char *contact) {
    int length =
        snprintf(text, TEXT, "{contact: {%s}, colliders: [{plane: {}}], objects: [", contact);
    for (int32_t k = 0; k < 4; k++) {
        const double aside = k % 2 ? 0.05 : -0.05, askew = 0.004 * k;
        const bool upper = k / 2;
        length += snprintf(text + length, TEXT - (size_t)length,
                           "{name: rod-%d, solver: %s, start: drawn, relaxation_time: 0.05,\n"
                           " position: [0, %g, 0], strand: {start: {held: free}, segments: 3,\n"
                           "  points: [[%g, 0, %g], [%g, 0, %g]], radius: 0.01}},\n",
                           (int)k, solver, upper ? 0.034 : 0.012, upper ? -0.1 : aside,
                           upper ? aside : -0.1, upper ? 0.1 : aside + askew,
                           upper ? aside + askew : 0.1);
    }
    snprintf(text + length, TEXT - (size_t)length, "]}");
    return text;
}

static td_real weight_of(const td_world *world) {
    td_real mass = 0;
    for (int32_t k = 0; k < td_world_actor_count(world); k++) {
        const td_actor a = actor_at(world, k);
        for (int32_t i = 0; i < a.segment_count; i++) {
            mass += td_skeleton_segments(a.skeleton)[i].mass;
        }
    }
    return 9.81 * mass;
}

TD_TEST(contact_forces_of_a_heap_add_up_to_its_weight) {
    static const char *contacts[] = {"", "method: exact"};
    for (int32_t s = 0; s < td_solver_count(); s++) {
        for (int32_t m = 0; m < 2; m++) {
            char text[TEXT];
            OWNED(stage) w = stage_of(heap_of(text, td_solver_get(s).name, contacts[m]));
            td_contact list[64];
            td_vec3 ground = {0, 0, 0};
            int32_t between = 0;
            run_to(w.world, 4);
            const int32_t count = td_world_contacts(w.world, list, 64);
            CHECK(count <= 64);
            for (int32_t k = 0; k < count; k++) {
                CHECK_REL(tdi_norm(list[k].normal), 1, 1e-9);
                if (list[k].other_actor == TD_NONE) {
                    ground = tdi_add(ground, list[k].force);
                } else {
                    between++;
                }
            }
            const td_real weight = weight_of(w.world);
            CHECK_SAY(fabs(ground.y - weight) < 1e-3 * weight, "%s %s: %g N of %g",
                      td_solver_get(s).name, contacts[m], ground.y, weight);
            CHECK(fabs(ground.x) + fabs(ground.z) < 1e-3 * weight);
            CHECK(between >= 3); // they lie on each other
        }
    }
}

// ---- events ---------------------------------------------------------------------------------

TD_TEST(contact_begins_once_and_ends_once_when_something_is_lifted) {
    OWNED(stage) w =
        stage_of("{contact: {}, colliders: [{plane: {}}], objects: [{start: drawn,\n"
                 " solver: rod, position: [0, 0.05, 0], strand: {start: {held: free},\n"
                 " points: [[0, 0, 0], [0.2, 0, 0]], segments: 2, radius: 0.01}}]}");
    td_diag diag = {.message = ""};
    td_contact_event events[16];
    int32_t began = 0, ended = 0;
    CHECK_INT(td_world_watch_contacts(w.world, 64, &diag), TD_OK);
    for (int32_t k = 0; k < 60; k++) {
        steps(w.world, 1);
        const int32_t count = td_world_contact_events(w.world, events, 16);
        for (int32_t i = 0; i < count; i++) {
            began += events[i].began;
            ended += !events[i].began;
            CHECK_INT(td_world_actor_index(w.world, events[i].actor), 0);
            CHECK_INT(td_world_collider_index(w.world, events[i].other_collider), 0);
            CHECK_INT(events[i].other_actor.place, 0);
        }
    }
    CHECK_INT(began - ended, 2); // both segments lie
    CHECK_INT(td_world_contact_events(w.world, events, 16), 0);
    // a save holds what touches: nothing begins anew
    char *bytes = saved(w.world);
    stage other = stage_of("{contact: {}, colliders: [{plane: {}}], objects: [{start: drawn,\n"
                           " solver: rod, position: [0, 0.05, 0], strand: {start: {held: free},\n"
                           " points: [[0, 0, 0], [0.2, 0, 0]], segments: 2, radius: 0.01}}]}");
    CHECK_INT(td_world_restore(other.world, bytes, td_world_save_size(w.world), &diag), TD_OK);
    steps(other.world, 1);
    CHECK_INT(td_world_contact_events(other.world, events, 16), 0);
    free(bytes);
    stage_free(&other);
    CHECK_INT(td_world_place_actor(w.world, id_at(w.world, 0), tdi_vec3(0, 3, 0),
                                   tdi_quat_identity(), &diag),
              TD_OK);
    steps(w.world, 1);
    CHECK_INT(td_world_contact_events(w.world, events, 16), 2);
    CHECK(!events[0].began && !events[1].began);
    CHECK_INT(td_world_watch_contacts(w.world, -1, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_watch_contacts(w.world, 0, &diag), TD_OK);
}

// ---- reactions ------------------------------------------------------------------------------

// With p' the rate of momentum by the rule of two steps, of what feels nothing but its weight
//   p' = R + m g
TD_TEST(base_reaction_of_a_swaying_plant_is_the_change_of_its_momentum) {
    for (int32_t s = 0; s < td_solver_count(); s++) {
        OWNED(stage) w = stage_printed(
            "{air_density: 0, objects: [{solver: %s, start: drawn, plant: fork.lsys,\n"
            " relaxation_time: 0.01, rotation: {axis: [0, 0, 1], degrees: 50}}]}",
            td_solver_get(s).name);
        const td_actor_id id = id_at(w.world, 0);
        const td_real h = td_world_dt(w.world), weight = weight_of(w.world);
        td_sums p[3] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
        td_diag diag = {.message = ""};
        td_reaction r;
        td_real swing = 0;
        CHECK_INT(td_world_base_reaction(w.world, id, &r, &diag), TD_ERR_ARGUMENT);
        CHECK_INT(td_world_watch_base(w.world, id, true, &diag), TD_OK);
        for (int32_t k = 0; k < 40; k++) {
            steps(w.world, 1);
            p[0] = p[1];
            p[1] = p[2];
            p[2] = sums_at(w.world, 0);
            swing = fmax(swing, fabs(p[2].linear.x));
            if (k < 5) {
                continue;
            }
            const td_vec3 rate = tdi_scale(
                tdi_add(tdi_madd(tdi_scale(p[2].linear, 3), p[1].linear, -4), p[0].linear),
                1 / (2 * h));
            const td_vec3 wanted = tdi_add(rate, tdi_vec3(0, weight, 0));
            CHECK_INT(td_world_base_reaction(w.world, id, &r, &diag), TD_OK);
            CHECK_SAY(apart(r.force, wanted) < 1e-6 * weight, "%s: %g N away of %g",
                      td_solver_get(s).name, apart(r.force, wanted), weight);
        }
        CHECK(swing > 1e-4 * weight); // kg m/s
    }
}

TD_TEST(base_carries_weight_and_its_moment_at_rest_and_nothing_when_free) {
    OWNED(stage) w = stage_of(
        "{tolerance: 1e-9, objects: [{" ROD ", rotation: {axis: [0, 0, 1], degrees: -90}, \n"
        "  relaxation_time: 0.1}, {start: drawn, solver: rod, position: [3, 9, 0],\n"
        " strand: {start: {held: free}, points: [[0, 0, 0], [0.2, 0, 0]],\n"
        " segments: 2, radius: 0.01}}], loads: [{wind: {velocity: [5, 0, 2]}}]}");
    td_reaction r;
    for (int32_t k = 0; k < 2; k++) {
        CHECK_INT(td_world_watch_base(w.world, id_at(w.world, k), true, NULL), TD_OK);
    }
    steps(w.world, 30);
    const td_real fell = weight_of(w.world);
    CHECK_INT(td_world_base_reaction(w.world, id_at(w.world, 1), &r, NULL), TD_OK);
    CHECK_SAY(tdi_norm(r.force) < 1e-6 * fell, "%g N", tdi_norm(r.force));
    CHECK_SAY(tdi_norm(r.moment) < 1e-6 * fell, "%g N m", tdi_norm(r.moment));
    // a horizontal rod, 0.4 m long, its middle nearly 0.2 m out; wind blows along it
    set(w.world, "loads[0].wind.velocity.x", 0);
    set(w.world, "loads[0].wind.velocity.z", 0);
    run_to(w.world, 6);
    td_real own = 0;
    const td_actor a = actor_at(w.world, 0);
    for (int32_t i = 0; i < a.segment_count; i++) {
        own += 9.81 * td_skeleton_segments(a.skeleton)[i].mass;
    }
    CHECK_INT(td_world_base_reaction(w.world, id_at(w.world, 0), &r, NULL), TD_OK);
    CHECK_REL(r.force.y, own, 1e-3);
    CHECK_IN(r.moment.z, 0.19 * own, 0.2001 * own);
    CHECK_INT(td_world_remove_actor(w.world, id_at(w.world, 1), NULL), TD_OK);
}

TD_TEST(watching_changes_no_bit_of_the_motion) {
    for (int32_t s = 0; s < td_solver_count(); s++) {
        char text[TEXT];
        OWNED(stage) a = stage_of(heap_of(text, td_solver_get(s).name, ""));
        OWNED(stage) b = stage_of(heap_of(text, td_solver_get(s).name, ""));
        td_diag diag = {.message = ""};
        for (int32_t k = 0; k < 4; k++) {
            CHECK(td_world_watch_base(b.world, id_at(b.world, k), true, &diag) == TD_OK);
        }
        steps(a.world, 30);
        steps(b.world, 30);
        CHECK_SAY(same_bits(a.world, b.world), "%s", td_solver_get(s).name);
    }
}

// ---- hands ----------------------------------------------------------------------------------

TD_TEST(several_hands_pull_each_with_its_own_stiffness_and_say_how_hard) {
    OWNED(stage) w = stage_of("{gravity: [0, 0, 0], objects: [{" ROD ", relaxation_time: 0.05}]}");
    td_grab_def def = td_grab_def_default();
    td_grab_id hands[3];
    td_diag diag = {.message = ""};
    td_vec3 force, sum = {0, 0, 0};
    td_reaction r;
    def.actor = id_at(w.world, 0);
    for (int32_t k = 0; k < 3; k++) {
        def.segment = 1 + k;
        def.to = tdi_vec3(0.1 - 0.05 * k, 0.1 + 0.1 * k, 0.02 * k);
        def.stiffness = 20 * (k + 1);
        def.damping = 1;
        CHECK_INT(td_world_add_grab(w.world, &def, &hands[k], &diag), TD_OK);
    }
    CHECK_INT(td_world_watch_base(w.world, def.actor, true, &diag), TD_OK);
    run_to(w.world, 5);
    for (int32_t k = 0; k < 3; k++) {
        CHECK_INT(td_world_grab_force(w.world, hands[k], &force, &diag), TD_OK);
        CHECK(tdi_norm(force) > 0.01);
        sum = tdi_add(sum, force);
    }
    CHECK_INT(td_world_base_reaction(w.world, def.actor, &r, &diag), TD_OK);
    CHECK_SAY(apart(r.force, tdi_scale(sum, -1)) < 1e-4 * tdi_norm(sum), "%g of %g N",
              apart(r.force, tdi_scale(sum, -1)), tdi_norm(sum));
    const td_vec3 held = tip_of(w.world, 0, -1);
    CHECK_INT(td_world_remove_grab(w.world, hands[1], &diag), TD_OK);
    CHECK_INT(td_world_remove_grab(w.world, hands[1], &diag), TD_ERR_STALE);
    CHECK_INT(td_world_move_grab(w.world, hands[1], held, &diag), TD_ERR_STALE);
    CHECK_INT(td_world_grab_force(w.world, hands[1], &force, &diag), TD_ERR_STALE);
    CHECK_INT(td_world_move_grab(w.world, hands[2], tdi_vec3(-0.2, 0.3, 0), &diag), TD_OK);
    run_to(w.world, 6);
    CHECK(tip_of(w.world, 0, -1).x < held.x - 1e-3);
}

TD_TEST(hands_are_checked_saved_and_leave_with_their_actor) {
    const char *text = "{objects: [{" ROD "}]}";
    OWNED(stage) a = stage_of(text), b = stage_of(text);
    td_grab_def def = td_grab_def_default();
    td_grab_id hand;
    td_diag diag = {.message = ""};
    td_vec3 force;
    CHECK_INT(td_world_add_grab(a.world, &def, &hand, &diag), TD_ERR_STALE);
    def.actor = id_at(a.world, 0);
    def.segment = 4;
    CHECK_INT(td_world_add_grab(a.world, &def, &hand, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "segment is 4; 'object-0' has 4"));
    def.segment = 3;
    def.stiffness = -1;
    CHECK_INT(td_world_add_grab(a.world, &def, &hand, &diag), TD_ERR_ARGUMENT);
    def.stiffness = 50;
    def.to = tdi_vec3(0.2, 0.3, 0);
    CHECK_INT(td_world_reserve_grabs(a.world, 2, &diag), TD_OK);
    CHECK_INT(td_world_add_grab(a.world, &def, &hand, &diag), TD_OK);
    steps(a.world, 10);
    restore_from(b.world, a.world);
    check_same_way(a.world, b.world, 10);
    CHECK_INT(td_world_grab_force(b.world, hand, &force, &diag), TD_OK);
    CHECK_INT(td_world_remove_actor(b.world, def.actor, &diag), TD_OK);
    CHECK_INT(td_world_grab_force(b.world, hand, &force, &diag), TD_ERR_STALE);
}

// Nothing would ever begin.
TD_TEST(contacts_of_a_scene_without_contact_are_not_watched) {
    OWNED(stage) s = stage_of("{objects: [{" ROPE "}]}");
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_watch_contacts(s.world, 8, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "the scene has no contact") != NULL);
    CHECK_INT(td_world_watch_contacts(s.world, 0, &diag), TD_OK);
}

TD_TEST(segments_of_actors_that_are_not_there_begin_nowhere) {
    OWNED(stage) s = stage_of("{objects: [{" ROPE ", instances: {count: 2}}]}");
    const int32_t first[] = {0, 4, 8, 0, 0};
    for (int32_t k = 0; k < 5; k++) {
        CHECK_INT(td_world_first_segment(s.world, k), first[k]);
    }
    CHECK_INT(td_world_first_segment(s.world, -1), 0);
}
