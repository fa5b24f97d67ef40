// SPDX-License-Identifier: MIT
// Which pairs collide, and what a program keeps with actors and colliders.

#include "test_world_support.h"

#define TEXT 2048

// ---- functions with filters -----------------------------------------------------------------

// Pairs of filters: an actor's, and that of another actor, a collider or a query.
static const struct pair_case {
    td_filter one, other;
    bool collide;
} pair_cases[] = {
    {{1, UINT32_MAX}, {1, UINT32_MAX}, true},
    {{2, 4}, {4, 2}, true},
    {{2, 2}, {4, UINT32_MAX}, false},          // the first mask alone excludes the other
    {{4, UINT32_MAX}, {2, 2}, false},          // the second mask alone
    {{0, UINT32_MAX}, {1, UINT32_MAX}, false}, // of no category
    {{0x80000000, 1}, {1, 0x80000000}, true},
    {{6, 8}, {8, 4}, true}, // one of several categories is enough
    {{1, 0}, {1, UINT32_MAX}, false},
};
enum { PAIR_CASES = sizeof pair_cases / sizeof *pair_cases };

static void give_filters(td_world *w, const struct pair_case *c, bool collider) {
    CHECK_INT(td_world_set_actor_filter(w, id_at(w, 0), c->one, NULL), TD_OK);
    CHECK_INT(collider ? td_world_set_collider_filter(w, td_world_collider_id(w, 0), c->other, NULL)
                       : td_world_set_actor_filter(w, id_at(w, 1), c->other, NULL),
              TD_OK);
}

static const char *bits_text(char text[200], uint32_t bits) {
    size_t length = 0;
    for (int k = 0; k < 32; k++) {
        if (bits >> k & 1) {
            length += (size_t)snprintf(text + length, 200 - length, "%s%d", length ? ", " : "", k);
        }
    }
    text[length] = 0;
    return text;
}

static const char *filter_text(char text[440], td_filter f) {
    char bits[2][200];
    snprintf(text, 440, "category: [%s], mask: [%s]", bits_text(bits[0], f.category),
             bits_text(bits[1], f.mask));
    return text;
}

// A level stick that falls for 0.2 s from 3 mm above a plane, or above the middle of another stick.
static void check_fall(const char *solver, const char *method, const char *integrator,
                       bool collider, const struct pair_case *c) {
    char other[900] = "", filters[2][440];
    td_contact_event events[16];
    int32_t touched = 0, began = 0;
    if (!collider) {
        snprintf(other, sizeof other,
                 ", {start: drawn, solver: %s, %s, strand: {points: [[0, -0.01, -0.1], [0, -0.01, "
                 "0.1]], segments: 1, radius: 0.01, material: green-wood}}",
                 solver, filter_text(filters[1], c->other));
    }
    OWNED(stage) s = stage_printed(
        "{step: 1/240, contact: {method: %s, self: %s}, air_density: 0, colliders: [{plane: "
        "{position: [0, %d, 0], %s}}], objects: [{solver: %s, integrator: %s, loose: true, %s, "
        "start: drawn, strand: {points: [[-0.1, 0.013, 0], [0.1, 0.013, 0]], segments: 1, radius: "
        "0.01, material: green-wood}}%s]}",
        method, collider ? "false" : "true", collider ? 0 : -9, filter_text(filters[1], c->other),
        solver, integrator, filter_text(filters[0], c->one), other);
    CHECK_INT(td_world_watch_contacts(s.world, 16, NULL), TD_OK);
    for (int k = 0; k < 48; k++) {
        steps(s.world, 1);
        touched += td_world_contacts(s.world, NULL, 0);
        began += td_world_contact_events(s.world, events, 16);
    }
    const td_real height = tip_of(s.world, 0, 0).y;
    CHECK_SAY(c->collide ? height > 0 && touched > 0 && began > 0
                         : height < -0.05 && touched == 0 && began == 0,
              "%s, %s, %s, %s, case %d: tip at %g m, %d contacts, %d events", solver, method,
              integrator, collider ? "plane" : "actor", (int)(c - pair_cases), height, touched,
              began);
}

TD_TEST(filters_decide_falls_contacts_and_events_by_every_solver_method_and_integrator) {
    for (int n = 0; n < PAIR_CASES; n++) {
        for (int32_t k = 0; k < td_solver_count(); k++) {
            for (int m = 0; m < 2 * 2; m++) {
                check_fall(td_solver_get(k).name, methods[m / 2], "implicit", m % 2,
                           &pair_cases[n]);
            }
        }
        check_fall("tree", "exact", "euler", true, &pair_cases[n]);
        check_fall("tree", "exact", "rk4", true, &pair_cases[n]);
    }
}

#define POST_AND_BALL                                                                         \
    "{contact: {overlap: %s}, colliders: [{sphere: {radius: 0.1, position: [0.5, 0.2, 0]}}]," \
    " objects: [{start: drawn, " ROD "}, {start: drawn, " ROD ", position: [9, 0, 0]}]}"

TD_TEST(filters_decide_what_rays_and_queries_find) {
    for (int n = 0; n < PAIR_CASES; n++) {
        const struct pair_case *c = &pair_cases[n];
        OWNED(stage) s = stage_printed(POST_AND_BALL, "refuse");
        const td_vec3 centre = {-0.02, 0.2, 0};
        td_collider ball = td_collider_default(TD_COLLIDER_SPHERE);
        td_ray rays[] = {{.origin = {-1, 0.2, 0}, .direction = {1, 0, 0}, .length = 1.2},
                         {.origin = {1, 0.2, 0}, .direction = {-1, 0, 0}, .length = 0.5}};
        td_pick picks[2], near;
        td_overlap found[8];
        int32_t count;
        rays[0].filter = rays[1].filter = ball.filter = c->one;
        rays[1].colliders = true;
        ball.radius = 0.05;
        ball.position = ball.position0 = centre;
        CHECK_INT(td_world_set_actor_filter(s.world, id_at(s.world, 0), c->other, NULL), TD_OK);
        CHECK_INT(
            td_world_set_collider_filter(s.world, td_world_collider_id(s.world, 0), c->other, NULL),
            TD_OK);
        CHECK_INT(td_world_cast_rays(s.world, 2, rays, picks, NULL), TD_OK);
        CHECK_INT(td_world_pick_nearest(s.world, 1, &centre, 0.1, &c->one, &near, NULL), TD_OK);
        CHECK_INT(td_world_overlap(s.world, &ball, found, 8, &count, NULL), TD_OK);
        CHECK_SAY((picks[0].actor.place > 0) == c->collide &&
                      (picks[1].collider.place > 0) == c->collide &&
                      (near.actor.place > 0) == c->collide && (count > 0) == c->collide,
                  "case %d: %d, %d, %d, %d segments", n, (int)picks[0].actor.place,
                  (int)picks[1].collider.place, (int)near.actor.place, (int)count);
    }
}

// What would be within something else is refused, or pushed, if the filters let both collide.
TD_TEST(filters_decide_what_blocks_and_what_is_pushed) {
    for (int n = 0; n < PAIR_CASES; n++) {
        const struct pair_case *c = &pair_cases[n];
        const td_quat none = tdi_quat_identity();
        const td_status blocked = c->collide ? TD_ERR_BLOCKED : TD_OK;
        OWNED(stage) s = stage_printed(POST_AND_BALL, "refuse"),
                     p = stage_printed(POST_AND_BALL, "push");
        td_collider ball = td_collider_default(TD_COLLIDER_SPHERE);
        td_collider_id added;
        td_actor_def def = td_actor_def_default();
        td_actor_id more;
        give_filters(s.world, c, true);
        CHECK_INT(td_world_place_actor(s.world, id_at(s.world, 0), tdi_vec3(0.5, 0, 0), none, NULL),
                  blocked);
        CHECK_INT(td_world_place_actor(s.world, id_at(s.world, 0), tdi_vec3(0, 0, 0), none, NULL),
                  TD_OK);
        ball.radius = 0.05;
        ball.position = ball.position0 = tdi_vec3(0, 0.2, 0);
        ball.filter = c->other;
        CHECK_INT(td_world_add_collider(s.world, &ball, &added, NULL), blocked);
        CHECK(c->collide || td_world_remove_collider(s.world, added, NULL) == TD_OK);
        give_filters(s.world, c, false);
        CHECK_INT(
            td_world_place_actor(s.world, id_at(s.world, 1), tdi_vec3(0.004, 0, 0), none, NULL),
            blocked);
        def.position = tdi_vec3(0.004, 0, 0);
        def.filter = &c->other;
        CHECK_INT(td_world_set_actor_filter(p.world, id_at(p.world, 0), c->one, NULL), TD_OK);
        CHECK_INT(td_world_add_actor(p.world, &def, &more, NULL), TD_OK);
        CHECK_SAY((td_world_pushed(p.world).pairs > 0) == c->collide, "case %d: %d are pushed", n,
                  td_world_pushed(p.world).pairs);
    }
}

// ---- changes
// --------------------------------------------------------------------------------------

TD_TEST(contact_of_an_actor_with_itself_does_not_depend_on_its_filter) {
    const char *form = "{contact: {}, gravity: [0, 0, 0], loads: [{pull: {by: [0, -0.1, 0]}}],\n"
                       " objects: [{solver: rod, start: drawn, %s\n"
                       " strand: {points: [[0, 0, 0], [0.3, 0, 0], [0.35, 0.03, 0],\n"
                       "   [0.3, 0.06, 0], [0, 0.06, 0]], segments: 20, radius: 0.01}}]}";
    char text[2][TEXT];
    snprintf(text[0], TEXT, form, "");
    snprintf(text[1], TEXT, form, "category: [], mask: [],");
    OWNED(stage) a = stage_of(text[0]), b = stage_of(text[1]);
    int32_t touching = 0;
    for (int32_t k = 0; k < 60; k++) {
        steps(a.world, 1);
        steps(b.world, 1);
        touching += td_world_contacts(a.world, NULL, 0);
    }
    CHECK(touching > 0);
    for (int32_t k = 0; k < 20; k++) {
        CHECK(apart(tip_of(a.world, 0, k), tip_of(b.world, 0, k)) == 0);
    }
}

TD_TEST(filter_of_an_actor_changes_between_steps_and_wakes_it) {
    for (int m = 0; m < 2; m++) {
        td_diag diag = {.message = ""};
        OWNED(stage) s = stage_printed(
            "{contact: {method: %s}, sleep: {}, air_density: 0, colliders: [{plane: {}}],\n"
            " objects: [{loose: true, start: drawn, strand: {points: [[-0.1, 0.0105, 0],\n"
            " [0.1, 0.0105, 0]], segments: 2, radius: 0.01, material: green-wood}}]}",
            methods[m]);
        const td_actor_id actor = id_at(s.world, 0);
        const td_filter none = {.category = 1, .mask = 0}, all = td_filter_default();
        run_to(s.world, 1.5);
        CHECK(td_world_actor_asleep(s.world, actor));
        CHECK_INT(td_world_set_actor_filter(s.world, actor, none, &diag), TD_OK);
        CHECK(!td_world_actor_asleep(s.world, actor));
        CHECK_INT(actor_at(s.world, 0).filter.mask, 0);
        steps(s.world, 3);
        const td_real height = tip_of(s.world, 0, 0).y;
        CHECK(height < 0.009);
        // within the plane it cannot collide again, and nothing changes
        CHECK_INT(td_world_set_actor_filter(s.world, actor, all, &diag), TD_ERR_BLOCKED);
        CHECK_INT(actor_at(s.world, 0).filter.mask, 0);
        CHECK_INT(
            td_world_place_actor(s.world, actor, tdi_vec3(0, 1, 0), tdi_quat_identity(), &diag),
            TD_OK);
        CHECK_INT(td_world_set_actor_filter(s.world, actor, all, &diag), TD_OK);
        run_to(s.world, 4);
        CHECK(tip_of(s.world, 0, 0).y > 0.009);
    }
}

TD_TEST(filter_of_a_collider_changes_between_steps_and_wakes_what_it_carried) {
    OWNED(stage) s =
        stage_of("{contact: {}, sleep: {}, air_density: 0, colliders: [{plane: {}}],\n"
                 " objects: [{loose: true, start: drawn, strand: {points: [[-0.1, 0.0105, 0],\n"
                 " [0.1, 0.0105, 0]], segments: 2, radius: 0.01, material: green-wood}}]}");
    const td_actor_id actor = id_at(s.world, 0);
    const td_collider_id plane = td_world_collider_id(s.world, 0);
    td_diag diag = {.message = ""};
    td_filter filter = {.category = 2, .mask = UINT32_MAX};
    run_to(s.world, 1.5);
    CHECK(td_world_actor_asleep(s.world, actor));
    CHECK_INT(td_world_set_collider_filter(s.world, plane, filter, &diag), TD_OK);
    CHECK_INT(td_world_collider(s.world, td_world_collider_id(s.world, 0)).filter.category, 2);
    steps(s.world, 1);
    CHECK(td_world_actor_asleep(s.world, actor) || tip_of(s.world, 0, 0).y > 0); // mask is all
    filter.mask = 2;
    CHECK_INT(td_world_set_collider_filter(s.world, plane, filter, &diag), TD_OK);
    steps(s.world, 6);
    CHECK(tip_of(s.world, 0, 0).y < 0.005);
    filter.mask = 1;
    CHECK_INT(td_world_set_collider_filter(s.world, plane, filter, &diag), TD_ERR_BLOCKED);
    CHECK_INT(td_world_collider(s.world, td_world_collider_id(s.world, 0)).filter.mask, 2);
    CHECK_INT(td_world_set_collider_filter(s.world, (td_collider_id){0}, filter, &diag),
              TD_ERR_STALE);
    CHECK_INT(td_world_set_actor_filter(s.world, (td_actor_id){0}, filter, &diag), TD_ERR_STALE);
}

TD_TEST(collider_that_does_not_collide_does_not_wake_sleepers) {
    OWNED(stage) s =
        stage_of("{contact: {}, sleep: {}, air_density: 0,\n"
                 " colliders: [{plane: {}}, {sphere: {radius: 0.05, position: [1, 0.1, 0],\n"
                 "   mask: [7]}}],\n"
                 " objects: [{loose: true, start: drawn, strand: {points: [[-0.1, 0.0105, 0],\n"
                 " [0.1, 0.0105, 0]], segments: 2, radius: 0.01, material: green-wood}}]}");
    run_to(s.world, 1.5);
    for (int32_t k = 0; k < 20; k++) {
        CHECK_INT(td_world_move_collider(s.world, td_world_collider_id(s.world, 1),
                                         tdi_vec3(1 - 0.1 * k, 0.03, 0), tdi_quat_identity(), NULL),
                  TD_OK);
        steps(s.world, 1);
        CHECK(td_world_actor_asleep(s.world, id_at(s.world, 0)));
    }
}

#define PAIR                                                                                       \
    "{contact: {}, air_density: 0, colliders: [{plane: {position: [0, -1, 0]}}], objects: [{" ROPE \
    ", category: [3], start: drawn}]}"

TD_TEST(user_data_and_filters_stay_with_actors_when_cut_regrown_saved_and_restored) {
    OWNED(stage) s = stage_of(PAIR), late = stage_of(PAIR);
    const td_actor_id actor = id_at(s.world, 0);
    const td_collider_id plane = td_world_collider_id(s.world, 0);
    const uint64_t mark = 0xfedcba9876543210u;
    td_actor_id fallen, more;
    CHECK(actor_at(s.world, 0).user_data == 0);
    CHECK_INT(actor_at(s.world, 0).filter.category, 8);
    CHECK_INT(td_world_set_actor_user_data(s.world, actor, mark, NULL), TD_OK);
    CHECK_INT(td_world_set_collider_user_data(s.world, plane, mark + 1, NULL), TD_OK);
    steps(s.world, 3);
    CHECK_INT(td_world_cut_actor(s.world, actor, 2, 0.5, &fallen, NULL), TD_OK);
    const int32_t k = td_world_actor_index(s.world, fallen);
    CHECK(actor_at(s.world, 0).user_data == mark && actor_at(s.world, k).user_data == mark);
    CHECK_INT(actor_at(s.world, k).filter.category, 8);
    CHECK_INT(td_world_remove_actor(s.world, fallen, NULL), TD_OK);
    td_actor_def def = td_actor_def_default();
    const td_filter own = {.category = 16, .mask = 1};
    def.position = tdi_vec3(1, 0, 0);
    def.filter = &own;
    def.user_data = 7;
    CHECK_INT(td_world_add_actor(s.world, &def, &more, NULL), TD_OK);
    const int32_t m = td_world_actor_index(s.world, more);
    CHECK(actor_at(s.world, m).user_data == 7 && actor_at(s.world, m).filter.category == 16);
    restore_from(late.world, s.world);
    CHECK(actor_at(late.world, 0).user_data == mark);
    CHECK(actor_at(late.world, m).user_data == 7);
    CHECK_INT(actor_at(late.world, m).filter.mask, 1);
    CHECK(td_world_collider(late.world, td_world_collider_id(late.world, 0)).user_data == mark + 1);
    check_same_way(s.world, late.world, 20);
}

TD_TEST(changed_filters_go_on_to_the_bit_after_a_save) {
    const char *text = "{contact: {}, air_density: 0, objects: [\n"
                       "{loose: true, start: drawn, " ROD ", position: [0, 0.3, 0],\n"
                       " rotation: {axis: [0, 0, 1], degrees: 90}},\n"
                       "{start: drawn, " ROD "}]}";
    OWNED(stage) s = stage_of(text), late = stage_of(text);
    const td_filter ghost = {.category = 1, .mask = 0};
    CHECK_INT(td_world_place_actor(s.world, id_at(s.world, 0), tdi_vec3(0.2, 0.6, 0),
                                   tdi_quat_identity(), NULL),
              TD_OK);
    CHECK_INT(td_world_set_actor_filter(s.world, id_at(s.world, 0), ghost, NULL), TD_OK);
    steps(s.world, 5);
    restore_from(late.world, s.world);
    check_same_way(s.world, late.world, 40);
    CHECK(tip_of(late.world, 0, 0).y < 0);
}

TD_TEST(category_and_mask_of_a_scene_are_lists_of_bits_or_all) {
    static const fault faults[] = {
        {"{objects: [{" ROD ",\ncategory: 3}]}", 2, 11,
         "'category' must be a list of bits from 0 to 31, or 'all'; found '3'"},
        {"{objects: [{" ROD ",\nmask: [32]}]}", 2, 8,
         "'mask' is 32; it must be a whole number from 0 to 31"},
        {"{objects: [{" ROD ",\nmask: none}]}", 2, 7, "found the text 'none'"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
    OWNED(stage) s =
        stage_of("{contact: {}, colliders: [{plane: {position: [0, -1, 0], category: [0, 5]}}],\n"
                 " objects: [{" ROD ", mask: [1, 31]}]}");
    CHECK(actor_at(s.world, 0).filter.category == 1);
    CHECK(actor_at(s.world, 0).filter.mask == 0x80000002u);
    CHECK(td_world_collider(s.world, td_world_collider_id(s.world, 0)).filter.category == 33);
    CHECK(td_world_collider(s.world, td_world_collider_id(s.world, 0)).filter.mask == UINT32_MAX);
}
