// SPDX-License-Identifier: MIT
// Worlds to the bit: threads, saves, memory, divergence. Pairs with src/world/saving.c, world.c and
// src/tree/saving.c.

#include "test_world_support.h"

#include "base/digest.h"
#include "world/world.h"

// Everything at once: plants, strands, instances, all loads, keyframes, all integrators.
static const char crowd[] =
    "{step: 1/60, gravity: {keys: [[0, [0, -9.81, 0]], [1, [2, -9, 0]]]},\n"
    " objects: [\n"
    "  {name: rods, " ROD ", damping: {keys: [[0, 1], [1, 5]]}, start: drawn,\n"
    "   position: {keys: [[0, [0, 0, 0]], [0.5, [0.3, 0, 0]], [1, [0, 0, 0]]]},\n"
    "   instances: {count: 5, variants: 2, smallest: 0.5, largest: 1.5}},\n"
    "  {name: ropes, " ROPE ", time_scale: 0.5, instances: {count: 3, layout: grid},\n"
    "   local: {amount: 0.5, position: {keys: [[0, [0, 0, 0]], [1, [1, 0, 0]]]}},\n"
    "   rotation: {keys: [[0, {axis: [0, 0, 1], degrees: 0}], [1, {axis: [0, 0, 1], degrees: "
    "90}]]}},\n"
    "  {name: fork, plant: fork.lsys, rest_under_gravity: true},\n"
    "  {name: lazy, " ROD ", integrator: implicit-euler},\n"
    "  {name: wild, strand: {points: [[0, 0, 0], [0, -1, 0]], segments: 2, radius: 0.05},\n"
    "   integrator: rk4, stiffness: 0.01, materials: [{young: 1e4, damping_time: 0}]},\n"
    "  {name: lively, strand: {points: [[0, 0, 0], [0, -1, 0]], segments: 3, radius: 0.05},\n"
    "   position: {keys: [[0, [2, 0, 0]], [0.5, [2.3, 0, 0]], [1, [2, 0, 0]]]},\n"
    "   integrator: adaptive, adapt: {joints: 2, every: 3, rule: rk4},\n"
    "   stiffness: 0.01, materials: [{young: 1e4, damping_time: 0}]}],\n"
    " loads: [{wind: {velocity: {keys: [[0, [0, 0, 0]], [0.3, [6, 0, 1]]]}, intensity: 0.4, gust: "
    "0.5}},\n"
    "  {pull: {object: fork, by: {keys: [[0, [0, 0, 0]], [0.4, [0.1, 0, 0]]]}, end: 0.5, damping: "
    "1}},\n"
    "  {push: {object: lazy, force: [0.1, 0, 0], twist: 0.01, start: 0.2, end: 0.8}},\n"
    "  {pose: {object: rods, bend: {keys: [[0, [0, 0, 0]], [1, [1, 0, 0]]]}, strength: 20}}],\n"
    " record: {probes: [{object: ropes, quantity: velocity}]}}";

static void attract(void *context, td_real time, td_actor_id actor, int32_t count,
                    const td_vec3 *tips, const td_vec3 *velocities, td_vec3 *forces) {
    (void)context, (void)actor;
    for (int32_t i = 0; i < count; i++) {
        forces[i].y += 0.01 * time - 0.02 * velocities[i].y - 0.01 * tips[i].y;
    }
}

// ---- bits -----------------------------------------------------------------------------------

TD_TEST(world_is_the_same_to_the_bit_for_any_number_of_threads) {
    OWNED(stage) one = stage_of(crowd);
    static const int32_t threads[] = {2, 8};
    CHECK_INT(td_world_set_field(one.world, attract, NULL, NULL), TD_OK);
    steps(one.world, 40);
    for (int k = 0; k < 2; k++) {
        OWNED(stage) many = try_stage(crowd, threads[k], NULL);
        CHECK_INT(many.status, TD_OK);
        CHECK_INT(td_world_set_field(many.world, attract, NULL, NULL), TD_OK);
        steps(many.world, 40);
        CHECK(same_bits(one.world, many.world));
    }
}

TD_TEST(world_with_threads_inside_a_large_actor_is_the_same_to_the_bit) {
    static const char text[] = "{objects: [{strand: {points: [[0, 0, 0], [9, 0, 0]], "
                               "segments: 9000, radius: 0.1}, start: drawn}]}";
    check_threads(text, NULL, 3);
}

TD_TEST(world_restored_at_any_step_goes_on_to_the_bit) {
    OWNED(stage) whole = stage_of(crowd), again = stage_of(crowd);
    for (int32_t k = 0; k < 45; k++) {
        // `again` has been elsewhere in the meantime
        restore_from(again.world, whole.world);
        check_same_way(whole.world, again.world, 1);
        steps(again.world, 2);
    }
    CHECK_REL(td_world_time(whole.world), 45.0 / 60, 1e-12);
}

// Removed while active, asleep and disabled.
TD_TEST(world_restored_after_actors_were_removed_saves_the_same_bytes) {
    static const char text[] = "{sleep: {}, objects: [{" ROD "}]}";
    for (int how = 0; how < 3; how++) {
        OWNED(stage) a = stage_of(text), b = stage_of(text);
        const td_actor_id id = id_at(a.world, 0);
        steps(a.world, 2);
        if (how == 1) {
            CHECK_INT(td_world_sleep_actor(a.world, id, NULL), TD_OK);
            steps(a.world, 2);
            CHECK(td_world_actor_asleep(a.world, id));
        } else if (how == 2) {
            CHECK_INT(td_world_enable_actor(a.world, id, false, NULL), TD_OK);
        }
        CHECK_INT(td_world_remove_actor(a.world, id, NULL), TD_OK);
        restore_from(b.world, a.world);
        CHECK_SAY(same_bits(a.world, b.world), "case %d differs", how);
    }
}

TD_TEST(world_restored_in_another_process_of_the_same_scene_goes_on_to_the_bit) {
    OWNED(stage) whole = stage_of(crowd);
    CHECK(td_world_grab(whole.world, id_at(whole.world, 2), 3, tdi_vec3(0, 0.1, 0),
                        tdi_vec3(0.2, 0.3, 0), 50, NULL) == TD_OK);
    CHECK(td_world_set_torque(whole.world, id_at(whole.world, 8), 3, 0.01, NULL) == TD_OK);
    steps(whole.world, 20);
    // numbers that were set, and keyframes that ended by it, are part of the save
    set(whole.world, "objects[0].stiffness", 0.5);
    set(whole.world, "objects[0].position.y", 0.1);
    set(whole.world, "loads[0].wind.intensity", 0.8);
    set(whole.world, "loads[0].wind.velocity.z", 3);
    set(whole.world, "gravity.x", -1);
    CHECK_INT(td_world_set_integrator(whole.world, 2, TD_IMPLICIT_EULER, NULL), TD_OK);
    steps(whole.world, 5);
    set(whole.world, "step", 1.0 / 120);
    steps(whole.world, 5);
    FREED char *bytes = saved(whole.world);
    size_t size = td_world_save_size(whole.world);
    OWNED(stage) fresh = stage_of(crowd);
    CHECK_INT(td_world_restore(fresh.world, bytes, size, NULL), TD_OK);
    CHECK(get(fresh.world, "objects[0].stiffness") == 0.5);
    CHECK(td_world_time(fresh.world) == td_world_time(whole.world));
    CHECK(td_world_dt(fresh.world) == 1.0 / 120);
    check_same_way(whole.world, fresh.world, 30);
}

TD_TEST(world_refuses_a_save_in_which_any_byte_changed) {
    OWNED(stage) s = stage_of("{objects: [{" ROD "}]}");
    td_diag diag = {.message = ""};
    steps(s.world, 3);
    FREED char *bytes = saved(s.world), *now = NULL;
    const size_t size = td_world_save_size(s.world);
    int accepted = 0;
    for (size_t k = 0; k < size; k++) {
        bytes[k] = (char)(bytes[k] ^ (1 << k % 8));
        accepted += td_world_restore(s.world, bytes, size, &diag) == TD_OK;
        bytes[k] = (char)(bytes[k] ^ (1 << k % 8));
    }
    CHECK_INT(accepted, 0);
    CHECK_HAS(diag.message, "damaged");
    CHECK_INT(td_world_restore(s.world, bytes, size, &diag), TD_OK);
    now = saved(s.world);
    CHECK(memcmp(now, bytes, size) == 0);
}

// Strands that come slowly near each other: who is solved with whom changes bits, and must not
// depend on what was searched before the save.
TD_TEST(world_groups_actors_by_what_is_saved_alone) {
    static const char text[] =
        "{contact: {}, objects: [\n"
        " {name: a, solver: rod, start: drawn,\n"
        "  strand: {points: [[0, 0, 0], [0.1, -0.2, 0]], segments: 4, radius: 0.01}},\n"
        " {name: b, solver: rod, start: drawn,\n"
        "  position: {keys: [[0, [0, 0, 0.05]], [1, [0, 0, 0.02]]]},\n"
        "  strand: {points: [[0, 0, 0], [0.1, -0.2, 0]], segments: 4, radius: 0.01}}]}";
    OWNED(stage) whole = stage_of(text);
    int32_t joined = 0, alone = 0;
    for (int32_t k = 0; k < 45; k++) {
        const size_t size = td_world_save_size(whole.world);
        OWNED(stage) fresh = stage_of(text);
        FREED char *bytes = saved(whole.world);
        CHECK_INT(td_world_restore(fresh.world, bytes, size, NULL), TD_OK);
        steps(whole.world, 1);
        steps(fresh.world, 1);
        CHECK_INT(whole.world->islands.count, fresh.world->islands.count);
        CHECK(same_bits(whole.world, fresh.world));
        joined += whole.world->islands.count == 1;
        alone += whole.world->islands.count == 2;
    }
    CHECK_SAY(joined > 5 && alone > 5, "%d steps together and %d apart", (int)joined, (int)alone);
}

TD_TEST(world_reading_does_not_change_the_future) {
    OWNED(stage) read = stage_of(crowd), left = stage_of(crowd);
    td_real values[3];
    for (int32_t k = 0; k < 20; k++) {
        for (int32_t object = 0; object < 5; object++) {
            td_world_object_sums(read.world, object);
        }
        td_world_probes(read.world, values);
        td_world_largest_force(read.world);
        for (int32_t a = 0; a < td_world_actor_count(left.world); a++) {
            CHECK(apart(tip_of(read.world, a, -1), tip_of(left.world, a, -1)) == 0);
        }
        steps(read.world, 1);
        steps(left.world, 1);
    }
}

TD_TEST(two_worlds_of_one_scene_do_not_touch_each_other) {
    OWNED(stage) s = stage_of(crowd), alone = stage_of(crowd);
    OWNED(td_world) *other = NULL;
    td_world_opts opts = td_world_opts_default();
    opts.loader = &test_loader;
    set(s.world, "objects[0].stiffness", 3);
    set(s.world, "gravity.y", 5);
    steps(s.world, 7);
    CHECK_INT(td_world_from_scene(s.scene, &opts, NULL, &other, NULL), TD_OK);
    check_same_way(other, alone.world, 10);
    CHECK(td_scene_def_get(s.scene)->objects[0].stiffness == 1);
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(world_refuses_saves_that_are_not_its_own) {
    OWNED(stage) s = stage_of("{objects: [{" ROD "}]}");
    OWNED(stage) larger = stage_of("{objects: [{" ROD ", size: 1.5}]}");
    OWNED(stage) longer = stage_of("{objects: [{" ROD "}, {" ROD "}]}");
    size_t size = td_world_save_size(s.world);
    FREED char *bytes = saved(s.world), *before = saved(larger.world);
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_restore(larger.world, bytes, size, &diag), TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "another scene");
    FREED char *after = saved(larger.world);
    CHECK(memcmp(before, after, size) == 0);
    CHECK_INT(td_world_restore(longer.world, bytes, size, NULL), TD_ERR_SYNTAX);
    CHECK_INT(td_world_restore(s.world, bytes, size - 1, NULL), TD_ERR_SYNTAX);
    CHECK_INT(td_world_restore(s.world, bytes, 0, NULL), TD_ERR_SYNTAX);
    bytes[0]++;
    CHECK_INT(td_world_restore(s.world, bytes, size, NULL), TD_ERR_SYNTAX);
    bytes[0]--;
    CHECK_INT(td_world_restore(s.world, bytes, size, NULL), TD_OK);
}

// Numbers of a scene that cannot change while it moves are not in a save, but decide its steps.
TD_TEST(world_refuses_saves_of_a_scene_with_other_ground_colliders_or_contact) {
    static const struct {
        const char *contact, *collider, *object, *message; // NULL: it is accepted
    } cases[] = {
        {"", "heightfield: {columns: 2, heights: [0, 0, 0, 1]}", "", NULL},
        {"", "heightfield: {columns: 2, heights: [0, 0, 0, 1], position: [0, -1, 0]}",
         "name: other", NULL},
        {"", "heightfield: {columns: 2, heights: [0, 0, 0, 1.001]}", "", "heights"},
        {"", "heightfield: {columns: 2, heights: [0, 0, 0, 1, 0, 0]}", "", "heights"},
        {"", "heightfield: {columns: 4, heights: [0, 0, 0, 1, 0, 0, 0, 0]}", "", "heights"},
        {"", "heightfield: {columns: 2, heights: [0, 0, 0, 1], cell: 2}", "", "heights"},
        {"", "heightfield: {columns: 2, heights: [0, 0, 0, 1], friction: 0.4}", "", "friction"},
        {"", "heightfield: {columns: 2, heights: [0, 0, 0, 1], mask: [0]}", "", "other colliders"},
        {"", "plane: {}", "", "shapes"},
        {"gap: 0.3", "heightfield: {columns: 2, heights: [0, 0, 0, 1]}", "", "options of contact"},
        {"method: exact", "heightfield: {columns: 2, heights: [0, 0, 0, 1]}", "",
         "options of contact"},
        {"", "heightfield: {columns: 2, heights: [0, 0, 0, 1]}", "category: [3]", "another scene"},
    };
    FREED char *bytes = NULL;
    size_t size = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        OWNED(stage) s = stage_printed("{contact: {%s}, colliders: [{%s}], objects: [{" ROD
                                       ", position: [0, 4, 0], %s}]}",
                                       cases[k].contact, cases[k].collider, cases[k].object);
        td_diag diag = {.message = ""};
        if (k == 0) {
            steps(s.world, 3);
            bytes = saved(s.world);
            size = td_world_save_size(s.world);
        }
        const td_status status = td_world_restore(s.world, bytes, size, &diag);
        CHECK_SAY(status == (cases[k].message ? TD_ERR_SYNTAX : TD_OK), "%s, %s, %s: %s",
                  cases[k].contact, cases[k].collider, cases[k].object, diag.message);
        CHECK_HAS(diag.message, cases[k].message ? cases[k].message : "");
    }
}

// The hand is on an actor, or turns one, that does not exist.
TD_TEST(world_drops_forces_of_a_forged_save_on_actors_that_do_not_exist) {
    OWNED(stage) s = stage_of("{objects: [{" ROD "}]}");
    const size_t size = td_world_save_size(s.world);
    CHECK_INT(td_world_set_torque(s.world, id_at(s.world, 0), 3, 1, NULL), TD_OK);
    CHECK_INT(
        td_world_grab(s.world, id_at(s.world, 0), 3, tdi_vec3(0, 0, 0), tdi_vec3(1, 1, 0), 9, NULL),
        TD_OK);
    tdi_grab *g = &s.world->loads.grab;
    for (int k = 0; k < 4; k++) {
        const tdi_grab good = *g;
        g->actor = k == 0 ? 1000000 : g->actor;
        g->segment = k == 1 ? 1000000 : g->segment;
        g->twist_actor = k == 2 ? 1000000 : g->twist_actor;
        g->twist_segment = k == 3 ? -7 : g->twist_segment;
        FREED char *bytes = saved(s.world);
        *g = good;
        CHECK_INT(td_world_restore(s.world, bytes, size, NULL), TD_OK);
        CHECK(k < 2 ? !g->held && g->twist == 1 : g->held && g->twist == 0);
        steps(s.world, 1);
        *g = good;
    }
}

TD_TEST(world_survives_any_bytes_behind_a_good_head) {
    OWNED(stage) s = stage_of(crowd);
    size_t size = td_world_save_size(s.world), head = 32;
    FREED char *bytes = saved(s.world);
    uint32_t state = 1;
    for (int run = 0; run < 20; run++) {
        for (size_t k = head; k < size; k++) {
            state = state * 1664525u + 1013904223u;
            bytes[k] = run < 10 ? (char)(state >> 24) : (char)0xff;
        }
        tdi_seal(bytes, size - TDI_SEAL);
        if (td_world_restore(s.world, bytes, size, NULL) == TD_OK) {
            CHECK(td_world_step(s.world, NULL) == TD_OK);
        }
    }
}

// ---- memory ---------------------------------------------------------------------------------

TD_TEST(world_steps_take_no_memory) {
    OWNED(test_heap) heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    OWNED(stage) s = try_stage(crowd, 1, &alloc);
    CHECK_INT(s.status, TD_OK);
    CHECK_INT(td_world_set_field(s.world, attract, NULL, NULL), TD_OK);
    CHECK_INT(td_world_set_field(s.world, NULL, NULL, NULL), TD_OK);
    size_t held = heap.held;
    CHECK_INT(td_world_set_field(s.world, attract, NULL, NULL), TD_OK); // has its room already
    CHECK_INT(heap.held, held);
    long calls = heap.calls;
    td_real values[3];
    FREED char *bytes = malloc(td_world_save_size(s.world));
    CHECK(td_world_grab(s.world, id_at(s.world, 0), 1, tdi_vec3(0, 0, 0), tdi_vec3(1, 0, 0), 10,
                        NULL) == TD_OK);
    for (int32_t k = 0; k < 30; k++) {
        steps(s.world, 1);
        td_world_probes(s.world, values);
        td_world_object_sums(s.world, 0);
        td_world_save(s.world, bytes);
    }
    CHECK_INT(heap.calls, calls);
}

// Bytes of a world with so many strands that may touch.
static size_t bytes_of_strands(int32_t count, int32_t threads) {
    char text[400];
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    snprintf(text, sizeof text,
             "{contact: {}, objects: [{solver: rod, start: drawn,\n"
             " strand: {points: [[0, 0, 0], [0, -0.2, 0]], segments: 10, radius: 0.01},\n"
             " instances: {count: %d, layout: grid}}]}",
             (int)count);
    OWNED(stage) s = try_stage(text, threads, &alloc);
    CHECK_INT(s.status, TD_OK);
    const size_t held = heap.held;
    return held;
}

// Room for the hash table of all capsules is a power of two, up to twice what is needed.
TD_TEST(world_takes_memory_in_proportion_to_its_actors) {
    const td_real few = (td_real)bytes_of_strands(100, 1), more = (td_real)bytes_of_strands(200, 1),
                  many = (td_real)bytes_of_strands(400, 1);
    CHECK_REL((many - more) / (more - few), 2, 0.05);
    CHECK(many < 4 * few);
}

// A thread takes what it works in, and no more for more actors.
TD_TEST(world_takes_little_memory_for_a_thread) {
    const size_t few = bytes_of_strands(2, 8) - bytes_of_strands(2, 1),
                 many = bytes_of_strands(200, 8) - bytes_of_strands(200, 1);
    CHECK(few < 7 * 160 * 1024);
    CHECK_INT(few, many);
}

TD_TEST(world_leaks_nothing_when_memory_ends_at_any_call) {
    check_world_without_memory(crowd);
}

TD_TEST(world_from_structs_leaks_nothing_when_memory_ends_at_any_call) {
    OWNED(stage) s = stage_of(crowd);
    td_world_opts opts = td_world_opts_default();
    opts.loader = &test_loader;
    WITH_SCARCE(memory, 10) {
        OWNED(td_world) *world = NULL;
        CHECK_INT(td_world_new(td_scene_def_get(s.scene), &opts, &memory.alloc, &world, NULL),
                  scarce_status(&memory));
        if (world) {
            const td_status set = td_world_set_field(world, attract, NULL, NULL);
            CHECK_INT(set, scarce_status(&memory)); // it may need none
            CHECK(td_world_set_field(world, NULL, NULL, NULL) == TD_OK);
            steps(world, 2); // goes on without
        }
    }
}

// ---- divergence -----------------------------------------------------------------------------

TD_TEST(world_that_diverges_from_rest_names_no_fastest_segment) {
    OWNED(stage) s =
        stage_of("{step: 0.1, objects: [{name: rod, start: drawn, integrator: euler, strand: "
                 "{points: [[0, 0, 0], [0, 1, 0]], segments: 4}}], "
                 "loads: [{push: {force: [1e9, 0, 0]}}]}");
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_step(s.world, &diag), TD_ERR_DIVERGED);
    CHECK_TEXT(diag.message, "'rod' at 0 s: the simulation diverged from rest; try a smaller step "
                             "or more damping");
    CHECK_INT(diag.index, TD_NONE);
}

TD_TEST(world_that_diverges_names_object_segment_and_time) {
    OWNED(stage) s = stage_of("{step: 0.1, record: {fps: 10}, objects: [{name: calm, " ROD "},\n"
                              " {name: stiff, " ROD ", integrator: euler, start: drawn,\n"
                              "  materials: [{damping_time: 0}]}],\n"
                              " loads: [{push: {object: stiff, force: [1e-4, 0, 0]}}]}");
    FREED char *bytes = saved(s.world);
    td_diag diag = {.message = ""};
    td_status status = TD_OK;
    int32_t done = 0;
    for (; done < 2000 && status == TD_OK; done++) {
        status = td_world_step(s.world, &diag);
    }
    CHECK_INT(status, TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "'stiff' at ");
    CHECK_HAS(diag.message, "segment ");
    CHECK_IN(diag.index, 0, 3);
    CHECK_REL(td_world_time(s.world), 0.1 * (done - 1), 1e-9);
    CHECK_INT(td_world_restore(s.world, bytes, td_world_save_size(s.world), NULL), TD_OK);
    CHECK(td_world_time(s.world) == 0);
    steps(s.world, 1);
}

static void break_it(void *context, td_real time, td_actor_id actor, int32_t count,
                     const td_vec3 *tips, const td_vec3 *velocities, td_vec3 *forces) {
    (void)context, (void)time, (void)actor, (void)tips, (void)velocities;
    forces[count - 1].x = NAN;
}

TD_TEST(world_field_that_is_no_number_is_refused) {
    OWNED(stage) s = stage_of("{objects: [{name: rod, " ROD "}]}");
    td_diag diag = {.message = ""};
    CHECK_INT(td_world_set_field(s.world, break_it, NULL, NULL), TD_OK);
    CHECK_INT(td_world_step(s.world, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "'rod' at 0 s");
    CHECK(strstr(diag.message, "damping") == NULL);
}

// What integrators need besides the state is made, and goes, when a save is restored: room to undo
// explicit steps, and what adaptive dynamics remembers.
TD_TEST(world_save_is_restored_whatever_integrators_were_set_before_and_after_it) {
    static const td_integrator kinds[] = {TD_IMPLICIT, TD_RK4, TD_ADAPTIVE};
    for (int k = 0; k < 9; k++) {
        OWNED(stage) a = stage_of("{step: 0.001, objects: [{" ROD ", start: drawn}]}");
        OWNED(stage) b = stage_of("{step: 0.001, objects: [{" ROD ", start: drawn}]}");
        td_actor_def def = td_actor_def_default();
        td_actor_id id;
        def.position = (td_vec3){1, 0, 0};
        CHECK_INT(td_world_set_integrator(a.world, 0, kinds[k / 3], NULL), TD_OK);
        CHECK_INT(td_world_set_integrator(b.world, 0, kinds[k % 3], NULL), TD_OK);
        CHECK_INT(td_world_add_actor(a.world, &def, &id, NULL), TD_OK);
        steps(a.world, 5);
        steps(b.world, 3);
        const size_t size = td_world_save_size(a.world);
        FREED char *saved = malloc(2 * size);
        td_world_save(a.world, saved);
        CHECK_INT(td_world_restore(b.world, saved, size, NULL), TD_OK);
        steps(a.world, 5);
        steps(b.world, 5);
        CHECK_INT(td_world_save_size(b.world), size);
        td_world_save(a.world, saved);
        td_world_save(b.world, saved + size);
        CHECK(memcmp(saved, saved + size, size) == 0);
    }
}
