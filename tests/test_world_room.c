// SPDX-License-Identifier: MIT
// Memory of contact: how much there is, when it grows, and that nothing depends on that.

#include "base/blocks.h"
#include "test_heap.h"
#include "test_world_support.h"
#include "world/world.h"

enum { TEXT = 4096 };

// ---- bytes a plant --------------------------------------------------------------------------

// Plants of 31 segments on the ground, side by side; a ball touches one of them from above.
static const char *garden(char text[TEXT], int32_t count, const char *contact) {
    snprintf(text, TEXT,
             "{step: 1/60, %s objects: [{plant: bush.lsys, start: drawn, instances: {count: %d, "
             "layout: grid, area: [%d, 0, %d]}}]}",
             contact, (int)count, count > 1 ? 30 : 0, count > 1 ? (int)(count / 30) : 0);
    return text;
}

#define HAND                                                                                       \
    "colliders: [{plane: {}}, {sphere: {radius: 0.1, position: {keys: [[0, [0, 1, 0]], [0.3, [0, " \
    "0.40, 0]]]}}}], "

// The most kB a plant, at any time until one was touched.
static td_real kilobytes(int32_t count, const char *contact) {
    char text[TEXT];
    test_heap heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    stage s = try_stage(garden(text, count, contact), 1, &alloc);
    if (!CHECK_SAY(s.status == TD_OK, "%s", s.diags[0].message)) {
        return 0;
    }
    CHECK_INT(actor_at(s.world, 0).segment_count, 31);
    steps(s.world, 20);
    CHECK(!*contact || count > 1 || td_world_contacts(s.world, NULL, 0) > 0);
    const td_real each = 1e-3 * (td_real)heap.peak / count;
    stage_free(&s);
    CHECK_INT(heap.held, 0);
    return each;
}

TD_TEST(room_for_a_plant_of_31_segments_is_below_150_kB_with_contact) {
    const int32_t counts[] = {1, test_is_long() ? 1200 : 90};
    for (int k = 0; k < 4; k++) {
        const int32_t count = counts[k / 2];
        char self[512], others[512];
        snprintf(self, sizeof self, HAND "contact: {method: %s}, ", methods[k % 2]);
        snprintf(others, sizeof others, HAND "contact: {method: %s, self: false}, ",
                 methods[k % 2]);
        const td_real none = kilobytes(count, ""), with = kilobytes(count, self),
                      without = kilobytes(count, others);
        // the only plant has the model, and what worlds take, for itself
        CHECK_SAY(with - (count == 1 ? none : 0) < 150, "%s, %d plants: %g kB, %g without contact",
                  methods[k % 2], (int)count, with, none);
        CHECK_SAY(without < with - 4, "%s, %d plants: %g kB, %g without self", methods[k % 2],
                  (int)count, with, without);
    }
}

// ---- results --------------------------------------------------------------------------------

// Sticks that fall on the ground and on each other: pairs, contacts, and solves of many at once.
static const char *falling(char text[TEXT], const char *solver, const char *method,
                           const char *constraints) {
    snprintf(
        text, TEXT,
        "{step: 1/100, %s contact: {method: %s, friction: 0.4}, colliders: [{plane: {friction: "
        "0.5}}], objects: [{solver: %s, start: drawn, rotation: {axis: [0, 1, 0], degrees: "
        "20}, position: [0, 0.06, 0], strand: {points: [[-0.1, 0, 0], [0.1, 0, 0]], segments: "
        "8, radius: 0.01, start: {held: free}}, instances: {layout: list, turned: false, "
        "places: [[0, 0, 0], [0, 0.03, 0], [0, 0.06, 0], [0.05, 0.09, 0], [0.02, 0.12, 0], "
        "[0, 0.15, 0.01]]}}]}",
        constraints, method, solver);
    return text;
}

static stage roomy(const char *text, int32_t near_pairs, int32_t threads, bool no_growth) {
    td_world_opts opts = td_world_opts_default();
    opts.near_pairs = near_pairs;
    opts.threads = threads;
    opts.no_growth = no_growth;
    stage s = stage_with(text, opts, NULL);
    CHECK_SAY(s.status == TD_OK, "%s", s.diags[0].message);
    return s;
}

TD_TEST(room_that_grew_in_steps_leaves_the_bits_of_room_from_the_start) {
    static const char *const constraints[] = {
        "", "constraints: [{weld: {a: {segment: 3}, b: {instance: 1, segment: 3}}}],"};
    for (int k = 0; k < 8; k++) {
        char text[TEXT];
        const char *solver = k < 6 ? solvers[k / 2] : "rod", *method = methods[k % 2];
        falling(text, solver, method, constraints[k / 6]);
        OWNED(stage) grows = roomy(text, 0, k / 2 % 2 + 1, false), has = roomy(text, 64, 1, false);
        const size_t bytes = grows.world->near.blocks.bytes;
        bool same = true;
        for (int n = 0; n < 18 && same; n++) {
            steps(grows.world, 1);
            steps(has.world, 1);
            same = same_bits(grows.world, has.world);
        }
        CHECK_SAY(same, "%s, %s %s", solver, method, constraints[k / 6]);
        CHECK(grows.world->near.blocks.bytes > bytes);
        CHECK(td_world_contacts(grows.world, NULL, 0) > 0);
    }
}

static void count_call(void *context, td_real time, td_actor_id actor, int32_t count,
                       const td_vec3 *tips, const td_vec3 *velocities, td_vec3 *forces) {
    (void)time, (void)count, (void)tips, (void)velocities, (void)forces;
    ((int32_t *)context)[actor.place - 1]++;
}

// The last stick is far from all others. It is solved as often as with room from the start.
TD_TEST(room_that_grows_for_an_island_leaves_the_other_islands_solved) {
    for (int k = 0; k < 2; k++) {
        char text[TEXT];
        int32_t calls[2][7] = {{0}};
        falling(text, "tree", methods[k], "");
        snprintf(strstr(text, "]}}]}"), 20, ", [9, 1, 0]]}}]}");
        OWNED(stage) grows = roomy(text, 0, 1, false), has = roomy(text, 64, 1, false);
        const size_t bytes = grows.world->near.blocks.bytes;
        CHECK_INT(td_world_actor_count(grows.world), 7);
        CHECK_INT(td_world_set_field(grows.world, count_call, calls[0], NULL), TD_OK);
        CHECK_INT(td_world_set_field(has.world, count_call, calls[1], NULL), TD_OK);
        steps(grows.world, 18);
        steps(has.world, 18);
        CHECK(grows.world->near.blocks.bytes > bytes);
        CHECK(calls[0][0] > calls[1][0]);
        CHECK_INT(calls[0][6], calls[1][6]);
    }
}

TD_TEST(room_that_must_not_grow_fails_the_step_with_nothing_changed) {
    for (int k = 0; k < 2; k++) {
        char text[TEXT];
        td_diag diag = {.message = ""};
        OWNED(stage) s = roomy(falling(text, "rod", methods[k], ""), 0, 1, true),
                     other = roomy(text, 64, 1, true);
        td_status status = TD_OK;
        char *before = NULL;
        for (int n = 0; n < 40 && status == TD_OK; n++) {
            free(before);
            before = saved(s.world);
            steps(other.world, 1);
            status = td_world_step(s.world, &diag);
        }
        FREED char *after = saved(s.world);
        CHECK_INT(status, TD_ERR_LIMIT);
        CHECK_SAY(strstr(diag.message, "contacts") || strstr(diag.message, "pairs"), "%s",
                  diag.message);
        CHECK_HAS(diag.message, "near_pairs (now 0)");
        CHECK(memcmp(before, after, td_world_save_size(s.world)) == 0);
        CHECK_INT(td_world_step(s.world, &diag), TD_ERR_LIMIT);
        free(before);
    }
}

// Loose sticks at random that fall onto each other and onto the ground.
static const char *heap_of_sticks(char text[TEXT], const char *object, const char *method,
                                  uint64_t seed) {
    int at = snprintf(text, TEXT,
                      "{step: 1/60, contact: {method: %s}, colliders: [{plane: {}}], "
                      "objects: [",
                      method);
    random_state = seed;
    for (int k = 0; k < 14; k++) {
        const td_real x = random_in(-0.05, 0.05), z = random_in(-0.05, 0.05),
                      tip[3] = {random_in(-0.2, 0.2), random_in(-0.02, 0.02), random_in(-0.2, 0.2)};
        at += snprintf(text + at, (size_t)(TEXT - at),
                       "%s{%s, start: drawn, position: [%.4f, %g, %.4f], strand: {points: [[0, 0, "
                       "0], [%.4f, %.4f, %.4f]], segments: 8, radius: 0.01, material: rope, start: "
                       "{held: free}}}",
                       k ? ", " : "", object, x, 0.1 + 0.05 * k, z, tip[0], tip[1], tip[2]);
    }
    snprintf(text + at, (size_t)(TEXT - at), "]}");
    return text;
}

// One world finds the room as it goes, one has it from the start; and one must not take more.
TD_TEST(step_that_lacks_room_changes_nothing_and_has_the_same_result_with_room) {
    static const char *const objects[] = {"solver: tree", "adapt: {error: 0.01}", "solver: rod",
                                          "solver: helix"};
    for (int k = 0; k < 16; k++) {
        char text[TEXT];
        const char *object = objects[k / 2 % 4], *method = methods[k % 2];
        heap_of_sticks(text, object, method, (uint64_t)(k / 8 + 7));
        OWNED(stage) tight = roomy(text, 0, 1, true), grows = roomy(text, 0, 1, false),
                     has = roomy(text, 64, 1, false);
        td_status status = TD_OK;
        for (int n = 0; n < 25 && status == TD_OK; n++) {
            FREED char *before = saved(tight.world);
            steps(grows.world, 1);
            steps(has.world, 1);
            status = td_world_step(tight.world, NULL);
            if (status != TD_OK) {
                FREED char *after = saved(tight.world);
                CHECK_SAY(memcmp(before, after, td_world_save_size(tight.world)) == 0, "%s, %s, %d",
                          object, method, k / 8);
            }
        }
        CHECK_INT(status, TD_ERR_LIMIT);
        CHECK_SAY(same_bits(grows.world, has.world), "%s, %s, %d", object, method, k / 8);
    }
}

// A budget truncates steps before one lacks room.
TD_TEST(step_with_a_budget_that_lacks_room_changes_nothing) {
    static const char *const objects[] = {"solver: tree", "adapt: {error: 0.01}", "solver: rod",
                                          "solver: helix"};
    int64_t truncated = 0, lacked = 0;
    for (int k = 56; k < 88; k++) {
        char text[TEXT];
        const char *object = objects[k / 2 % 4], *method = methods[k % 2];
        heap_of_sticks(text, object, method, (uint64_t)(k / 8 + 7));
        OWNED(stage) s = roomy(text, k / 8 % 3, 1, true);
        CHECK_INT(td_world_set_budget(s.world, 1 + k / 24, 0, NULL), TD_OK);
        td_status status = TD_OK;
        for (int n = 0; n < 25 && status == TD_OK; n++) {
            FREED char *before = saved(s.world);
            status = td_world_step(s.world, NULL);
            if (status == TD_ERR_LIMIT) {
                FREED char *after = saved(s.world);
                lacked++;
                CHECK_SAY(memcmp(before, after, td_world_save_size(s.world)) == 0, "%s, %s, %d",
                          object, method, k / 8);
            }
        }
        truncated += td_world_stats(s.world).truncated;
    }
    CHECK_SAY(lacked > 16 && truncated > 16, "%d lacked room, %d truncated", (int)lacked,
              (int)truncated);
}

// Many small sticks in columns, which come near those above and beside them when they have fallen.
static const char *columns(char text[TEXT]) {
    int at = snprintf(text, TEXT,
                      "{step: 1/100, contact: {}, colliders: [{plane: {}}], objects: [{solver: "
                      "rod, start: drawn, strand: {points: [[-0.1, 0, 0], [0.1, 0, 0]], segments: "
                      "1, radius: 0.01, start: {held: free}}, instances: {layout: list, turned: "
                      "false, places: [");
    for (int k = 0; k < 36; k++) {
        at += snprintf(text + at, (size_t)(TEXT - at), "%s[0, %g, %g]", k ? ", " : "",
                       0.03 + 0.08 * (k / 6), 0.03 * (k % 6));
    }
    snprintf(text + at, (size_t)(TEXT - at), "]}}]}");
    return text;
}

TD_TEST(room_that_runs_out_in_the_search_for_islands_leaves_the_step_before) {
    char text[TEXT];
    td_diag diag = {.message = ""};
    OWNED(stage) s = roomy(columns(text), 1, 1, true);
    td_status status = TD_OK;
    char *before = NULL;
    int good = -1;
    for (int n = 0; n < 60 && status == TD_OK; n++) {
        free(before);
        before = saved(s.world);
        status = td_world_step(s.world, &diag);
        good++;
    }
    FREED char *after = saved(s.world);
    CHECK_INT(status, TD_ERR_LIMIT);
    CHECK(good > 0);
    CHECK_SAY(strncmp(diag.message, "more than", 9) == 0, "%s", diag.message); // not of an island
    CHECK(memcmp(before, after, td_world_save_size(s.world)) == 0);
    free(before);
}

TD_TEST(room_from_the_start_is_refused_out_of_range) {
    char text[TEXT];
    td_world_opts opts = td_world_opts_default();
    for (int k = 0; k < 2; k++) {
        opts.near_pairs = k ? -1 : 4097;
        OWNED(stage) s = stage_with(falling(text, "rod", "barrier", ""), opts, NULL);
        CHECK_INT(s.status, TD_ERR_ARGUMENT);
        CHECK_SAY(strstr(s.diags[0].message, "near_pairs"), "%s", s.diags[0].message);
    }
}

// ---- islands --------------------------------------------------------------------------------

// Herbs with so many leaves, as long as so many segments, added one by one.
static td_world *herbs_new(int32_t count, int32_t leaves, int32_t length,
                           const td_world_opts *opts) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "derivation length: %d\nlength unit: 0.05\nmaterial: 0 herb-stem\n"
             "surface: L leaf, width=0.4\naxiom: !(0.08)A(1)\n"
             "A(s) --> F(s)[&(55)~L(s*%d)]/(137.5)A(s*0.9)\n",
             (int)leaves, (int)length);
    OWNED(td_skeleton) *herb = NULL;
    td_world *world = NULL;
    td_scene_def scene = td_scene_def_default();
    td_object_def kind = td_object_def_default();
    int32_t object = TD_NONE;
    td_diag diag = {.message = ""};
    td_diag_list none = {NULL, 0, 0};
    scene.contact.given = true;
    scene.contact.overlap = TD_OVERLAP_PUSH;
    CHECK_INT(td_skeleton_from_text(text, strlen(text), NULL, &herb, &diag), TD_OK);
    kind.skeleton = herb;
    CHECK_INT(td_world_new(&scene, opts, NULL, &world, &none), TD_OK);
    CHECK_INT(td_world_add_kind(world, &kind, &object, &diag), TD_OK);
    for (int32_t i = 0; i < count; i++) {
        td_actor_def def = td_actor_def_default();
        td_actor_id id;
        def.object = object;
        def.position = tdi_vec3(0.12 * (i % 6), 0, 0.12 * (int)(i / 6));
        def.rotation = tdi_quat_turn(tdi_vec3(0, 1, 0), 2.4 * i);
        CHECK_SAY(td_world_add_actor(world, &def, &id, &diag) == TD_OK, "%s", diag.message);
    }
    return world;
}

TD_TEST(room_suffices_when_several_islands_of_added_actors_lack_a_block) {
    const int32_t counts[] = {21, 30, 34};
    for (int k = 0; k < 3; k++) {
        OWNED(td_world) *world = herbs_new(counts[k], 2, 2, NULL);
        td_diag diag = {.message = ""};
        for (int n = 0; n < 3; n++) {
            CHECK_SAY(td_world_step(world, &diag) == TD_OK, "%d herbs, step %d: %s", (int)counts[k],
                      n, diag.message);
        }
    }
}

TD_TEST(room_of_an_island_that_must_not_grow_fails_the_step_and_holds_no_actor) {
    for (int k = 0; k < 2; k++) {
        td_world_opts opts = td_world_opts_default();
        td_diag diag = {.message = ""};
        opts.no_growth = true;
        opts.hold_blocked = k;
        OWNED(td_world) *world = herbs_new(30, 6, 3, &opts);
        CHECK_INT(td_world_step(world, &diag), TD_ERR_LIMIT);
        CHECK_HAS(diag.message, "there is no room");
        CHECK_HAS(diag.message, "near_pairs (now 0)");

        opts.near_pairs = 4;
        OWNED(td_world) *roomy = herbs_new(30, 6, 3, &opts);
        CHECK_SAY(td_world_step(roomy, &diag) == TD_OK, "%s", diag.message);
    }
}

// ---- change ---------------------------------------------------------------------------------

// Contact of one plant is placed anew, and that of all others stays where it is.
TD_TEST(room_of_others_stays_as_it_is_when_a_plant_is_cut) {
    char text[TEXT];
    td_actor_id fallen;
    td_diag diag = {.message = ""};
    OWNED(stage) s = stage_of(garden(text, 60, "contact: {}, colliders: [{plane: {}}], "));
    steps(s.world, 3);
    const tdi_nearness *n = &s.world->near;
    for (int32_t k = 0; k < 3; k++) {
        const int64_t before = n->placed_count;
        const size_t bytes = n->blocks.bytes;
        steps(s.world, 1);
        CHECK_INT(n->placed_count - before, 0);
        const td_actor_id id = id_at(s.world, 10 + k);
        CHECK_SAY(td_world_cut_actor(s.world, id, 1, 0.5, &fallen, &diag) == TD_OK, "%s",
                  diag.message);
        steps(s.world, 1);
        CHECK_SAY(n->placed_count - before >= 1 && n->placed_count - before <= 4, "%d were placed",
                  (int)(n->placed_count - before));
        CHECK_SAY(n->blocks.bytes - bytes < bytes / 4, "%d bytes more",
                  (int)(n->blocks.bytes - bytes));
    }
}

// ---- blocks ---------------------------------------------------------------------------------

TD_TEST(blocks_that_were_given_back_are_taken_again_without_the_allocator) {
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    tdi_blocks blocks = {.alloc = &alloc};
    enum { COUNT = 40 };
    char *block[COUNT] = {NULL};
    size_t size[COUNT] = {0};
    uint32_t random = 1;
    CHECK_INT(tdi_blocks_grow(&blocks, COUNT * tdi_block_bytes(1000)), TD_OK);
    CHECK_INT(tdi_blocks_grow(&blocks, tdi_block_bytes(5000)), TD_OK);
    const long calls = heap.calls;
    int32_t taken = 0;
    for (int32_t n = 0; n < 4000; n++) {
        random = random * 1664525u + 1013904223u;
        const size_t k = random >> 8 & 31, bytes = random >> 16 & 2047;
        for (size_t e = 0; block[k] && e < size[k]; e++) { // nobody else wrote here
            if (block[k][e] != (char)k) {
                CHECK_SAY(false, "byte %d of block %d", (int)e, (int)k);
                break;
            }
        }
        tdi_blocks_give(&blocks, block[k]);
        block[k] = tdi_blocks_take(&blocks, bytes);
        size[k] = block[k] ? bytes : 0;
        taken += block[k] != NULL;
        if (block[k]) {
            memset(block[k], (int)k, bytes);
        }
    }
    CHECK(taken > 2000);
    for (int32_t k = 0; k < COUNT; k++) {
        tdi_blocks_give(&blocks, block[k]);
    }
    // all of them are one again
    CHECK(tdi_blocks_take(&blocks, COUNT * tdi_block_bytes(1000) - 64) != NULL);
    CHECK(tdi_blocks_take(&blocks, 5000) != NULL);
    CHECK(tdi_blocks_take(&blocks, 5000) == NULL);
    CHECK_INT(heap.calls, calls);
    tdi_blocks_free(&blocks);
}
