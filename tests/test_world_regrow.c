// SPDX-License-Identifier: MIT
// Actors that grow while a world runs, by one more step of their L-system. Pairs with
// src/world/regrow.c and src/helix/grown.c.

#include "test_world_support.h"

#include "tendril/grow.h"

#define SPRIG                                        \
    "derivation length: 0\n"                         \
    "axiom: !(0.006)A(0.1)\n"                        \
    "A(s) --> F(s)[+(40)B(s*0.7)]/(137.5)A(s*0.9)\n" \
    "B(s) --> F(s)[^(50)F(0.03)]\n"

// Each stem is thinner than the one before.
#define TAPER                                                          \
    "derivation length: 0\n"                                           \
    "axiom: A(0.1,0.006)\n"                                            \
    "A(s,w) --> !(w)F(s)[+(40)B(s*0.7,w*0.6)]/(137.5)A(s*0.9,w*0.8)\n" \
    "B(s,w) --> !(w)F(s)[^(50)F(0.03)]\n"

// Leaves come where there was a stem already.
#define LEAFY                  \
    "derivation length: 0\n"   \
    "surface: L leaf\n"        \
    "axiom: !(0.004)F(0.1)A\n" \
    "A --> [&(50)~L(0.06)]F(0.08)A\n"

// All stems grow longer.
#define LONGER                 \
    "derivation length: 0\n"   \
    "axiom: !(0.004)F(0.1)A\n" \
    "A --> F(0.05)A\n"         \
    "F(s) --> F(s*1.2)\n"

enum { AN_ELEMENT_A_SEGMENT = 100 };

typedef struct garden {
    td_grammar *grammar;
    td_derivation *derivation;
    td_skeleton *skeleton;
    td_world *world;
    td_scene_def scene;
    td_object_def object;
    td_scene_load wind;
} garden;

static void skeleton_now(garden *g) {
    td_string string = td_derivation_string(g->derivation);
    td_skeleton_free(g->skeleton);
    CHECK_INT(td_skeleton_from_string(g->grammar, &string, NULL, NULL, &g->skeleton, NULL), TD_OK);
}

static void grow_steps(garden *g, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        CHECK_INT(td_derivation_step(g->derivation, NULL), TD_OK);
    }
    skeleton_now(g);
}

static void garden_of(garden *g, const char *text, const char *solver, int32_t count, td_real wind,
                      const td_alloc *alloc) {
    td_grammar_def def = td_grammar_def_default();
    td_derive_opts opts = td_derive_opts_default();
    *g = (garden){.scene = td_scene_def_default(), .object = td_object_def_default()};
    def.text = text;
    def.text_size = strlen(text);
    opts.names = true;
    CHECK_INT(td_grammar_new(&def, NULL, &g->grammar, NULL), TD_OK);
    CHECK_INT(td_derivation_new(g->grammar, &opts, NULL, &g->derivation, NULL), TD_OK);
    grow_steps(g, count);
    g->object.skeleton = g->skeleton;
    g->object.solver = solver;
    g->object.elements = strcmp(solver, "helix") == 0 ? AN_ELEMENT_A_SEGMENT : 0;
    g->scene.objects = &g->object;
    g->scene.object_count = 1;
    g->wind = td_scene_load_default(TD_SCENE_WIND);
    g->wind.as.wind.velocity = tdi_vec3(wind, 0, 0);
    g->scene.loads = &g->wind;
    g->scene.load_count = wind > 0 ? 1 : 0;
    CHECK_INT(td_world_new(&g->scene, NULL, alloc, &g->world, NULL), TD_OK);
}

static void garden_new(garden *g, const char *solver, int32_t count, td_real wind) {
    garden_of(g, SPRIG, solver, count, wind, NULL);
}

static void garden_free(garden *g) {
    td_world_free(g->world);
    td_skeleton_free(g->skeleton);
    td_derivation_free(g->derivation);
    td_grammar_free(g->grammar);
}

static void regrow(garden *g) {
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_regrow_actor(g->world, id_at(g->world, 0), g->skeleton, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
}

static int32_t find_id(const td_skeleton *skeleton, int32_t id) {
    for (int32_t i = 0; i < td_skeleton_count(skeleton); i++) {
        if (td_skeleton_segments(skeleton)[i].id == id) {
            return i;
        }
    }
    return TD_NONE;
}

static void check_growth_moves_nothing(const char *text, const char *solver) {
    enum { MOST = 64 };
    garden g;
    motion before[MOST];
    int32_t ids[MOST], old;
    garden_of(&g, text, solver, 3, 4, NULL);
    run_to(g.world, 0.4);
    for (int32_t round = 0; round < 2; round++) {
        old = actor_at(g.world, 0).segment_count;
        for (int32_t i = 0; i < old; i++) {
            before[i] = motion_of(g.world, 0, i);
            ids[i] = td_skeleton_segments(actor_at(g.world, 0).skeleton)[i].id;
        }
        grow_steps(&g, 1);
        regrow(&g);
        CHECK(actor_at(g.world, 0).segment_count > old);
        for (int32_t i = 0; i < old; i++) {
            const int32_t k = find_id(g.skeleton, ids[i]);
            CHECK(k != TD_NONE);
            const motion now = motion_of(g.world, 0, k);
            CHECK_IN(apart(now.tip, before[i].tip), 0, 1e-9);
            CHECK_IN(apart(now.velocity, before[i].velocity), 0, 1e-9);
        }
        steps(g.world, 10);
    }
    garden_free(&g);
}

TD_TEST(growing_under_wind_moves_nothing_that_was_there) {
    check_growth_moves_nothing(SPRIG, "tree");
    check_growth_moves_nothing(SPRIG, "rod");
    check_growth_moves_nothing(SPRIG, "helix");
    check_growth_moves_nothing(LEAFY, "tree");
    check_growth_moves_nothing(LEAFY, "helix");
}

// Springs have one rest, so that it does not matter how the plant came there. Both end within what
// Newton's method of td_world_settle() leaves, 1e-9 m and rad at a joint, and levers of 0.5 m. Of
// helices both have an element a segment: by their own choice the one grown at once has fewer.
static void check_growth_ends_alike(const char *text, const char *solver) {
    garden slow, once;
    garden_of(&slow, text, solver, 1, 4, NULL);
    garden_of(&once, text, solver, 4, 4, NULL);
    for (int32_t k = 0; k < 3; k++) {
        steps(slow.world, 15);
        grow_steps(&slow, 1);
        regrow(&slow);
    }
    steps(slow.world, 15);
    CHECK_INT(td_world_settle(slow.world, NULL, NULL), TD_OK);
    CHECK_INT(td_world_settle(once.world, NULL, NULL), TD_OK);
    const int32_t count = actor_at(slow.world, 0).segment_count;
    CHECK_INT(actor_at(once.world, 0).segment_count, count);
    for (int32_t i = 0; i < count; i++) {
        CHECK_IN(apart(tip_of(slow.world, 0, i), tip_of(once.world, 0, i)), 0, 1e-8);
    }
    garden_free(&slow);
    garden_free(&once);
}

TD_TEST(plant_grown_while_it_sways_rests_as_one_grown_at_once) {
    check_growth_ends_alike(SPRIG, "tree");
    check_growth_ends_alike(SPRIG, "rod");
    check_growth_ends_alike(SPRIG, "helix");
    check_growth_ends_alike(TAPER, "helix");
    check_growth_ends_alike(LEAFY, "tree");
    check_growth_ends_alike(LEAFY, "helix");
}

static void check_saved_and_pruned(const char *solver) {
    garden g;
    td_diag diag = {.message = ""};
    garden_new(&g, solver, 3, 4);
    OWNED(td_world) *fresh = NULL;
    CHECK_INT(td_world_new(&g.scene, NULL, NULL, &fresh, NULL), TD_OK);
    steps(g.world, 20);
    OWNED(td_skeleton) *young = NULL;
    CHECK_INT(td_skeleton_changed_new(g.skeleton, 1, NULL, 0, NULL, &young, NULL), TD_OK);
    grow_steps(&g, 1);
    regrow(&g);
    steps(g.world, 7);
    restore_from(fresh, g.world);
    CHECK_TEXT(diag.message, "");
    check_same_way(g.world, fresh, 7);
    const td_vec3 foot = tip_of(g.world, 0, 0);
    CHECK_INT(td_world_regrow_actor(g.world, id_at(g.world, 0), young, &diag), TD_OK);
    CHECK_INT(actor_at(g.world, 0).segment_count, td_skeleton_count(young));
    CHECK_IN(apart(tip_of(g.world, 0, 0), foot), 0, 1e-12);
    steps(g.world, 7);
    garden_free(&g);
}

TD_TEST(grown_plant_is_saved_restored_and_pruned) {
    check_saved_and_pruned("tree");
    check_saved_and_pruned("helix");
}

TD_TEST(growth_into_the_ground_is_refused_and_changes_nothing) {
    OWNED(stage) s = stage_of("{contact: {}, colliders: [{plane: {}}], objects: [{" ROPE
                              ", position: [0, 0.5, 0]}]}");
    OWNED(td_skeleton) *longer = NULL;
    td_diag diag = {.message = ""};
    steps(s.world, 10);
    FREED char *before = saved(s.world);
    const size_t size = td_world_save_size(s.world);
    CHECK_INT(
        td_skeleton_changed_new(actor_at(s.world, 0).skeleton, 3, NULL, 0, NULL, &longer, NULL),
        TD_OK);
    CHECK_INT(td_world_regrow_actor(s.world, id_at(s.world, 0), longer, &diag), TD_ERR_BLOCKED);
    FREED char *after = saved(s.world);
    CHECK(td_world_save_size(s.world) == size && memcmp(before, after, size) == 0);
    steps(s.world, 10);
}

// ---- helices --------------------------------------------------------------------------------

// What was there keeps its elements: it has as many as before, and the new ones stand on them.
TD_TEST(growing_helices_keep_the_elements_that_they_have) {
    garden g;
    garden_new(&g, "helix", 3, 0);
    const td_body *state = td_world_body(g.world, id_at(g.world, 0));
    const int32_t old = td_body_element_count(td_body_model_of(state)), kept = 3 * old;
    td_vec3 before[32], after[32];
    steps(g.world, 10);
    CHECK(kept <= 32);
    td_helix_curvatures(state, before, NULL);
    const int32_t segments = actor_at(g.world, 0).segment_count;
    grow_steps(&g, 1);
    regrow(&g);
    state = td_world_body(g.world, id_at(g.world, 0));
    CHECK_INT(td_body_element_count(td_body_model_of(state)),
              old + actor_at(g.world, 0).segment_count - segments);
    td_helix_curvatures(state, after, NULL);
    CHECK(memcmp(before, after, (size_t)old * sizeof *before) == 0);
    garden_free(&g);
}

TD_TEST(helices_whose_segments_grow_longer_are_refused_by_name_and_nothing_changes) {
    garden g;
    td_diag diag = {.message = ""};
    garden_of(&g, LONGER, "helix", 2, 0, NULL);
    steps(g.world, 5);
    FREED char *before = saved(g.world);
    const size_t size = td_world_save_size(g.world);
    grow_steps(&g, 1);
    CHECK_INT(td_world_regrow_actor(g.world, id_at(g.world, 0), g.skeleton, &diag),
              TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "segment 0 changed") != NULL);
    FREED char *after = saved(g.world);
    CHECK(td_world_save_size(g.world) == size && memcmp(before, after, size) == 0);
    garden_free(&g);
}

// A rope of n segments along X, whose start is held so.
static td_skeleton *rope_of(int32_t n, td_end_kind start) {
    OWNED(td_builder) *builder = test_builder();
    td_strand strand = td_strand_default();
    for (int32_t k = 0; k < n; k++) {
        td_segment_def def = td_segment_def_default();
        def.parent = k - 1;
        def.id = 40 + k;
        def.length = 0.05;
        def.radius_base = def.radius_tip = 0.004;
        def.rest = k == 0 ? tdi_quat_turn(tdi_vec3(0, 0, 1), -1.5) : def.rest;
        CHECK_INT(td_builder_add(builder, &def, NULL, NULL), TD_OK);
    }
    strand.count = n;
    strand.start = start;
    CHECK_INT(td_builder_add_strand(builder, &strand, NULL), TD_OK);
    return test_finish(builder);
}

static td_world *rope_world(td_skeleton *rope) {
    td_object_def object = td_object_def_default();
    td_scene_def scene = td_scene_def_default();
    td_world *world = NULL;
    object.skeleton = rope;
    object.solver = "helix";
    object.elements = AN_ELEMENT_A_SEGMENT;
    object.bending = 0.001;
    object.relaxation_time = 0.1;
    scene.objects = &object;
    scene.object_count = 1;
    CHECK_INT(td_world_new(&scene, NULL, NULL, &world, NULL), TD_OK);
    return world;
}

// Also with a factor of its stiffness and with damping of the object's own: it swings as it would.
static void check_rope_grows(td_end_kind start) {
    OWNED(td_skeleton) *young = rope_of(4, start), *old = rope_of(7, start);
    OWNED(td_world) *slow = rope_world(young), *once = rope_world(old);
    td_diag diag = {.message = ""};
    steps(slow, 20);
    CHECK_INT(td_world_regrow_actor(slow, id_at(slow, 0), old, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    CHECK_INT(td_world_settle(slow, NULL, &diag), TD_OK);
    CHECK_INT(td_world_settle(once, NULL, &diag), TD_OK);
    CHECK(tip_of(once, 0, -1).y < -0.05);
    for (int32_t k = 0; k < 30; k++) { // and swings as one grown at once
        for (int32_t i = 0; i < 7; i++) {
            CHECK_IN(apart(tip_of(slow, 0, i), tip_of(once, 0, i)), 0, 1e-7);
        }
        set(slow, "gravity.z", 5);
        set(once, "gravity.z", 5);
        steps(slow, 1);
        steps(once, 1);
    }
}

TD_TEST(rope_of_helices_that_grew_hangs_and_swings_as_one_made_at_once) {
    check_rope_grows(TD_END_CLAMPED);
    check_rope_grows(TD_END_PINNED);
}

// It moves as an actor of a scene with this skeleton does.
TD_TEST(actor_of_helices_is_added_with_a_skeleton_of_its_own) {
    OWNED(td_skeleton) *young = rope_of(4, TD_END_CLAMPED), *old = rope_of(7, TD_END_CLAMPED);
    OWNED(td_world) *one = rope_world(young), *other = rope_world(old);
    td_actor_def def = td_actor_def_default();
    td_actor_id id;
    td_diag diag = {.message = ""};
    def.skeleton = old;
    def.position.z = 1;
    CHECK_INT(td_world_add_actor(one, &def, &id, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    for (int32_t k = 0; k < 10; k++) {
        const td_vec3 tip = tip_of(other, 0, -1);
        CHECK_IN(
            apart(tip_of(one, td_world_actor_index(one, id), -1), tdi_add(tip, tdi_vec3(0, 0, 1))),
            0, 1e-12);
        set(one, "gravity.z", 5);
        set(other, "gravity.z", 5);
        steps(one, 1);
        steps(other, 1);
    }
}

static td_status try_regrow(void *context, td_diag *diag) {
    garden *g = context;
    return td_world_regrow_actor(g->world, id_at(g->world, 0), g->skeleton, diag);
}

TD_TEST(growing_helices_without_memory_changes_nothing_and_steps_take_none) {
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    garden g;
    garden_of(&g, LEAFY, "helix", 2, 4, &alloc);
    steps(g.world, 5);
    grow_steps(&g, 1);
    check_all_or_nothing(g.world, &heap, 15, try_regrow, &g);
    const long calls = heap.calls;
    steps(g.world, 10);
    CHECK_INT(heap.calls, calls);
    garden_free(&g);
}
