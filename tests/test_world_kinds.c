// SPDX-License-Identifier: MIT
// Kinds of plants that a program adds to a world.

#include "test_heap.h"
#include "test_world_support.h"
#include "world/world.h"

static const td_vec3 points[2] = {{0, 0, 0}, {0.3, 0.1, 0}};

static td_object_def kind_of(const char *solver) {
    td_object_def o = td_object_def_default();
    o.name = solver;
    o.solver = solver;
    o.start = TD_START_DRAWN;
    o.relaxation_time = 0.02;
    o.strand.points = points;
    o.strand.point_count = 2;
    o.strand.segments = 4;
    o.strand.radius = 0.01;
    return o;
}

// Of these objects, with contact.
static td_world *world_of(const td_object_def *objects, int32_t count, const td_alloc *alloc) {
    td_scene_def def = td_scene_def_default();
    td_world *world = NULL;
    td_diag diag = {.message = ""};
    td_diag_list list = {&diag, 1, 0};
    def.contact.given = true;
    def.objects = objects;
    def.object_count = count;
    if (td_world_new(&def, NULL, alloc, &world, &list) != TD_OK && !alloc) {
        test_failed(__FILE__, __LINE__, "%s", diag.message);
    }
    return world;
}

static int32_t add_kind(td_world *world, const char *solver) {
    const td_object_def def = kind_of(solver);
    td_diag diag = {.message = ""};
    int32_t object = TD_NONE;
    CHECK_SAY(td_world_add_kind(world, &def, &object, &diag) == TD_OK, "%s: %s", solver,
              diag.message);
    return object;
}

static td_actor_id add_actor(td_world *world, int32_t object, td_real x) {
    td_actor_def def = td_actor_def_default();
    td_actor_id id = {0};
    td_diag diag = {.message = ""};
    def.object = object;
    def.position.x = x;
    CHECK_SAY(td_world_add_actor(world, &def, &id, &diag) == TD_OK, "%s", diag.message);
    return id;
}

TD_TEST(world_without_actors_steps_and_gets_kinds_that_move_as_those_of_a_scene) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        const char *solver = td_solver_get(k).name;
        const td_object_def object = kind_of(solver);
        OWNED(td_world) *one = world_of(&object, 1, NULL);
        OWNED(td_world) *empty = world_of(NULL, 0, NULL);
        CHECK_INT(td_world_set(one, "objects[0].stiffness", 2, NULL), TD_OK);
        CHECK_INT(td_world_actor_count(empty), 0);
        CHECK_INT(add_kind(empty, solver), 0);
        CHECK_INT(td_world_actor_count(empty), 0);
        CHECK_INT(td_world_set(empty, "objects[0].stiffness", 2, NULL), TD_OK);
        add_actor(empty, 0, 0);
        steps(one, 30);
        steps(empty, 30);
        CHECK(apart(tip_of(one, 0, -1), tip_of(empty, 0, -1)) == 0);
        CHECK(tip_of(one, 0, -1).y < 0.1); // it fell
    }
    OWNED(td_world) *empty = world_of(NULL, 0, NULL);
    steps(empty, 3);
    CHECK_REL(td_world_time(empty), 3 * td_world_dt(empty), 1e-12);
}

// Kinds come before and after a cut, whose pieces have variants of their own.
TD_TEST(world_with_added_kinds_is_restored_by_one_with_the_same_kinds_alone) {
    const td_object_def object = kind_of("rod");
    OWNED(td_world) *a = world_of(&object, 1, NULL), *b = world_of(&object, 1, NULL),
                    *other = world_of(&object, 1, NULL);
    td_actor_id fallen;
    td_diag diag = {.message = ""};
    CHECK_INT(add_kind(a, "tree"), 1);
    add_actor(a, 1, 2);
    steps(a, 5);
    CHECK_INT(td_world_cut_actor(a, id_at(a, 0), 2, 0, &fallen, &diag), TD_OK);
    CHECK_INT(add_kind(a, "helix"), 2);
    add_actor(a, 2, 4);
    steps(a, 5);
    const size_t size = td_world_save_size(a);
    FREED char *bytes = saved(a);
    add_kind(b, "tree");
    add_kind(b, "helix");
    CHECK_SAY(td_world_restore(b, bytes, size, &diag) == TD_OK, "%s", diag.message);
    steps(a, 20);
    steps(b, 20);
    CHECK_INT(td_world_actor_count(b), 4);
    for (int32_t k = 0; k < td_world_actor_count(b); k++) {
        CHECK(apart(tip_of(a, k, -1), tip_of(b, k, -1)) == 0);
    }
    const td_vec3 before = tip_of(other, 0, -1);
    CHECK_INT(td_world_restore(other, bytes, size, &diag), TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "scene");
    CHECK_HAS(diag.message, "kinds");
    CHECK(apart(tip_of(other, 0, -1), before) == 0);
    add_kind(other, "helix"); // in another order
    add_kind(other, "tree");
    CHECK_INT(td_world_restore(other, bytes, size, &diag), TD_ERR_SYNTAX);
}

// The first actor has a new variant, and its old one is free in the middle of the list.
TD_TEST(save_with_unused_variants_is_restored_by_a_world_that_has_none) {
    enum { ACTORS = 15 };
    const char *text = "derivation length: 2\naxiom: F(0.1)F(0.1)\n";
    OWNED(td_world) *a = world_of(NULL, 0, NULL), *b = world_of(NULL, 0, NULL);
    OWNED(td_skeleton) *herb = NULL;
    td_diag diag = {.message = ""};
    td_object_def kind = kind_of("tree");
    CHECK_INT(td_skeleton_from_text(text, strlen(text), NULL, &herb, &diag), TD_OK);
    kind.skeleton = herb;
    kind.strand.point_count = 0;
    td_world *both[] = {a, b};
    for (int k = 0; k < 2; k++) {
        int32_t object;
        CHECK_SAY(td_world_add_kind(both[k], &kind, &object, &diag) == TD_OK, "%s", diag.message);
    }
    for (int32_t k = 0; k <= ACTORS; k++) {
        const td_actor_id id = k < ACTORS ? add_actor(a, 0, k) : id_at(a, 0);
        CHECK_INT(td_world_regrow_actor(a, id, herb, &diag), TD_OK);
    }
    steps(a, 2);
    FREED char *bytes = saved(a);
    CHECK_SAY(td_world_restore(b, bytes, td_world_save_size(a), &diag) == TD_OK, "%s",
              diag.message);
    CHECK(b->variants.count <= b->room.variant_capacity);
    steps(a, 5);
    steps(b, 5);
    CHECK(same_bits(a, b));
}

TD_TEST(kind_that_is_wrong_is_refused_and_nothing_changes) {
    const td_object_def object = kind_of("tree");
    OWNED(td_world) *world = world_of(&object, 1, NULL);
    td_diag diag = {.message = ""};
    int32_t out = 7;
    const size_t size = td_world_save_size(world);
    FREED char *before = saved(world);
    td_object_def wrong = kind_of("tree");
    wrong.stiffness = -1;
    CHECK_INT(td_world_add_kind(world, &wrong, &out, &diag), TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "stiffness");
    CHECK_INT(out, TD_NONE);
    wrong = kind_of("tree");
    wrong.strand.radius = 1e-9; // a model that cannot be made
    wrong.strand.points = NULL;
    CHECK(td_world_add_kind(world, &wrong, &out, &diag) != TD_OK);
    CHECK(diag.message[0] != '\0');
    CHECK_INT(td_world_restore(world, before, size, &diag), TD_OK);
    CHECK_INT(add_kind(world, "rod"), 1);
}

// Kinds that are refused late take no memory either: the last one has a model that cannot be made.
TD_TEST(many_kinds_take_memory_in_proportion_to_their_number) {
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    td_world *world = world_of(NULL, 0, &alloc);
    td_object_def def = kind_of("tree");
    td_diag diag = {.message = ""};
    int32_t out;
    size_t held[3] = {0};
    def.name = NULL;
    for (int32_t k = 0; k < 3; k++) {
        for (int32_t i = 0; i < 64 << k; i++) {
            CHECK_INT(td_world_add_kind(world, &def, &out, &diag), TD_OK);
        }
        held[k] = heap.held;
    }
    CHECK_SAY(held[0] < 64 * 30000, "%zu bytes for 64", held[0]);
    CHECK_SAY(held[2] < 9 * held[0], "%zu bytes for 448, %zu for 64", held[2], held[0]);
    def.rest_under_gravity = true;
    def.stiffness = 0;
    CHECK_INT(td_world_add_kind(world, &def, &out, &diag), TD_ERR_SYNTAX);
    const size_t before = heap.held;
    for (int32_t k = 0; k < 64; k++) {
        CHECK_INT(td_world_add_kind(world, &def, &out, &diag), TD_ERR_SYNTAX);
    }
    CHECK_HAS(diag.message, "objects[448].stiffness");
    CHECK_SAY(heap.held == before, "%zu bytes more", heap.held - before);
    td_world_free(world);
}

enum { SIZES = 12 };

static td_skeleton *bush_of(int32_t steps) {
    char text[200];
    td_skeleton *bush = NULL;
    snprintf(text, sizeof text,
             "derivation length: %d\naxiom: !(0.006)A\nA --> F(0.05)[+(40)F(0.04)]/(137)A\n",
             (int)steps);
    CHECK_INT(td_skeleton_from_text(text, strlen(text), NULL, &bush, NULL), TD_OK);
    return bush;
}

// So many plants of all sizes in turn, each of which goes when the fifth after it comes.
static void stream_plants(td_world *world, td_skeleton *const *bush, int32_t count) {
    td_actor_id ids[5] = {{0}};
    for (int32_t k = 0; k < count + 5; k++) {
        td_actor_def def = td_actor_def_default();
        td_diag diag = {.message = ""};
        def.skeleton = bush[k % SIZES];
        def.position.x = k % 5;
        CHECK_SAY(k < 5 || td_world_remove_actor(world, ids[k % 5], &diag) == TD_OK, "%s",
                  diag.message);
        CHECK_SAY(k >= count || td_world_add_actor(world, &def, &ids[k % 5], &diag) == TD_OK, "%s",
                  diag.message);
        CHECK_SAY(td_world_step(world, &diag) == TD_OK, "%s", diag.message);
    }
}

TD_TEST(plants_that_come_and_go_with_skeletons_of_their_own_take_no_more_memory) {
    td_skeleton *bush[SIZES];
    for (int k = 0; k < SIZES; k++) {
        bush[k] = bush_of(k + 1);
    }
    for (int k = 0; k < 3; k++) {
        OWNED(test_heap) heap = {0};
        const td_alloc alloc = test_heap_alloc(&heap);
        td_world *world = world_of(NULL, 0, &alloc);
        add_kind(world, solvers[k]);
        stream_plants(world, bush, 2 * SIZES);
        const size_t held = heap.held;
        stream_plants(world, bush, 4 * SIZES);
        CHECK_SAY(heap.held == held, "%s: %zu bytes, then %zu", solvers[k], held, heap.held);
        CHECK(td_world_actor_count(world) <= 5);
        td_world_free(world);
    }
    for (int k = 0; k < SIZES; k++) {
        td_skeleton_free(bush[k]);
    }
}

TD_TEST(faults_of_a_kind_name_its_index_and_the_values_it_may_have) {
    const td_object_def object = kind_of("rod");
    OWNED(td_world) *world = world_of(&object, 1, NULL);
    static const char *const expected[] = {
        "objects[1].name: another object already has the name 'rod'",
        "objects[2].name: another object already has the name 'helix'",
        "objects[2].solver: expected one of tree, rod, helix",
        "objects[2].integrator: expected one of implicit, ",
        "objects[2].strand.radius: expected a number above 0",
        "objects[2].strand.points: -1 of them are given as an array"};
    for (int32_t k = 0; k < 6; k++) {
        td_object_def def = kind_of("rod");
        td_diag diag = {.message = ""};
        int32_t out;
        if (k == 1) {
            add_kind(world, "helix");
        }
        def.name = k == 0 ? "rod" : k == 1 ? "helix" : "reed";
        def.solver = k == 2 ? "nonsense" : "rod";
        def.integrator = k == 3 ? (td_integrator)99 : TD_IMPLICIT;
        def.strand.radius = k == 4 ? -1 : 0.01;
        def.strand.point_count = k == 5 ? -1 : 2;
        CHECK_INT(td_world_add_kind(world, &def, &out, &diag), TD_ERR_SYNTAX);
        CHECK_HAS(diag.message, expected[k]);
    }
}

TD_TEST(actor_of_a_loose_kind_that_starts_at_rest_is_refused_with_a_remedy) {
    OWNED(td_world) *world = world_of(NULL, 0, NULL);
    td_object_def def = kind_of("rod");
    td_actor_def actor = td_actor_def_default();
    td_actor_id id;
    td_diag diag = {.message = ""};
    def.strand.start.held = TD_END_FREE;
    def.start = TD_START_SETTLED;
    CHECK_INT(td_world_add_kind(world, &def, &actor.object, &diag), TD_OK);
    CHECK_INT(td_world_add_actor(world, &actor, &id, &diag), TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "'rod-0': no pose at rest was found; ");
    CHECK_HAS(diag.message, "; give the object 'start: drawn' to start without");
    CHECK_INT(td_world_actor_count(world), 0);
}

static td_status add_rods(void *world, td_diag *diag) {
    const td_object_def more = kind_of("rod");
    int32_t out;
    return td_world_add_kind(world, &more, &out, diag);
}

TD_TEST(kind_for_which_memory_runs_out_leaves_the_world_as_it_was) {
    const td_object_def object = kind_of("tree");
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    td_world *world = world_of(&object, 1, &alloc);
    check_all_or_nothing(world, &heap, 3, add_rods, world);
    add_actor(world, 1, 3);
    steps(world, 2);
    td_world_free(world);
}
