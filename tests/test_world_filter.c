// SPDX-License-Identifier: MIT
// Which pairs collide, and what a program keeps with actors and colliders.

#include "test_world_support.h"

#define TEXT 2048

// A level loose stick along X that falls onto a held one along Z.
static stage crossed(const char *solver, const char *method, const char *upper, const char *lower) {
    return stage_printed(
        "{contact: {method: %s}, air_density: 0, objects: [\n"
        "{name: upper, solver: %s, loose: true, start: drawn, %s\n"
        " strand: {points: [[-0.1, 0.05, 0], [0.1, 0.05, 0]], segments: 2, radius: 0.01,\n"
        "          material: green-wood}},\n"
        "{name: lower, solver: %s, start: drawn, %s\n"
        " strand: {points: [[0, 0, -0.1], [0, 0, 0.1]], segments: 2, radius: 0.01,\n"
        "          material: green-wood}}]}",
        method, solver, upper, solver, lower);
}

static bool fell(td_world *world) {
    return tip_of(world, 0, 0).y < -0.05;
}

typedef struct filter_case {
    const char *upper, *lower;
    bool collide;
} filter_case;

TD_TEST(filters_decide_which_actors_collide_with_every_solver_and_both_methods) {
    static const filter_case cases[] = {
        {"", "", true},
        {"category: [1], mask: [2],", "category: [2], mask: [1],", true},
        {"category: [1], mask: [1],", "category: [2], mask: all,",
         false}, // one mask alone allows it
        {"category: [31],", "mask: [0, 31],", true},
        {"mask: [],", "", false},
    };
    for (int32_t k = 0; k < td_solver_count(); k++) {
        for (int m = 0; m < 2; m++) {
            for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
                const char *solver = td_solver_get(k).name;
                OWNED(stage) s = crossed(solver, methods[m], cases[c].upper, cases[c].lower);
                steps(s.world, 18); // 0.3 s: 0.44 m of free fall
                CHECK_SAY(fell(s.world) != cases[c].collide, "%s, %s, case %d: tip at %g m", solver,
                          methods[m], (int)c, tip_of(s.world, 0, 0).y);
            }
        }
    }
}

TD_TEST(filters_decide_which_colliders_an_actor_meets_also_with_explicit_integrators) {
    static const char *const kinds[][2] = {
        {"implicit", "barrier"}, {"implicit", "exact"}, {"euler", "exact"}, {"rk4", "exact"}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int meets = 0; meets < 2; meets++) {
            OWNED(stage) s = stage_printed(
                "{step: 0.001, contact: {self: false, method: %s}, air_density: 0,\n"
                " colliders: [{plane: {mask: [%d]}}],\n"
                " objects: [{loose: true, start: drawn, category: [4], integrator: %s,\n"
                " strand: {points: [[-0.1, 0.02, 0], [0.1, 0.02, 0]], segments: 1,\n"
                "          radius: 0.01}}]}",
                kinds[k][1], meets ? 4 : 3, kinds[k][0]);
            steps(s.world, 150); // 0.15 s: 0.11 m of free fall
            CHECK_SAY((tip_of(s.world, 0, 0).y < 0) != meets, "%s %s: tip at %g m", kinds[k][0],
                      kinds[k][1], tip_of(s.world, 0, 0).y);
        }
    }
}

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
