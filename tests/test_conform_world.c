// SPDX-License-Identifier: MIT
// Claims on every solver in worlds and islands: bits for any number of threads, steps that are all
// or nothing, memory, contact with the other solvers. Pairs with src/world/stepping.c and
// islands.c.

#include "test_conform_support.h"
#include "test_world_support.h"

enum { MOST_CONTACTS = 64, TEXT = 6000 };

// Segments of a strand that the solver takes.
static int32_t strand_segments(const tdi_solver *solver) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const int32_t count = s.count;
    return count;
}

// A strand that is held and droops, and one that falls upon it, of every solver, a metre apart.
static const char *pairs_of_all(char text[TEXT], const char *with) {
    int length = snprintf(text, TEXT, "{%s objects: [", with);
    for (int32_t k = 0; k < td_solver_count(); k++) {
        const char *name = td_solver_get(k).name;
        const int32_t n = strand_segments(tdi_solver_find(name));
        length += snprintf(text + length, TEXT - (size_t)length,
                           "{name: held-%d, solver: %s, start: drawn, position: [%d, 0.5, 0],\n"
                           " strand: {points: [[0, 0, 0], [0.3, 0, 0]], segments: %d,\n"
                           "  radius: 0.01}},\n"
                           "{name: free-%d, solver: %s, start: drawn,\n"
                           " position: [%d.28, 0.54, -0.12], strand: {segments: %d,\n"
                           " points: [[0, 0, 0], [0.02, 0, 0.12]], radius: 0.01,\n"
                           " start: {held: free}}},\n",
                           (int)k, name, (int)k, (int)n, (int)k, name, (int)k, (int)n);
    }
    snprintf(text + length, TEXT - (size_t)length,
             "], loads: [{wind: {velocity: [2, 0, 1], intensity: 0.3}}]}");
    return text;
}

static const char touching[] = "contact: {}, colliders: [{plane: {position: [0, 0.2, 0]}}],";

static void with_toy(void (*claim)(void)) {
    CHECK(tdi_solver_add(test_reduced(), &tdi_explicit_reduced));
    CHECK(tdi_solver_add(test_grouped(), &tdi_explicit_reduced));
    CHECK(tdi_solver_add(&test_toy, NULL));
    claim();
    tdi_solver_remove(&test_toy);
    tdi_solver_remove(test_grouped());
    tdi_solver_remove(test_reduced());
}

// ---- bits -----------------------------------------------------------------------------------

static void claim_threads(void) {
    char text[TEXT];
    OWNED(stage) one = stage_of(pairs_of_all(text, touching));
    td_contact contacts[MOST_CONTACTS];
    int32_t met = 0;
    for (int32_t k = 0; k < 60; k++) {
        steps(one.world, 1);
        met += td_world_contacts(one.world, contacts, MOST_CONTACTS);
    }
    CHECK(met > 0);
    check_threads(text, NULL, 60);
}

TD_TEST(conform_worlds_of_all_solvers_have_the_same_bits_for_any_threads) {
    with_toy(claim_threads);
}

static void claim_restoring(void) {
    char text[TEXT];
    check_restoring(pairs_of_all(text, touching), 3, 17);
}

TD_TEST(conform_worlds_of_all_solvers_go_on_to_the_bit_after_a_restore) {
    with_toy(claim_restoring);
}

// ---- bases that start to move ---------------------------------------------------------------

// How much of the way of its base the tip of the first actor makes in a step.
static td_real share_of_way(td_world *w) {
    const td_actor_id id = td_world_actor_id(w, 0);
    const int32_t last = td_world_actor(w, id).segment_count - 1;
    const td_real way = 1e-2;
    td_vec3 base, from, to;
    td_quat turn;
    td_world_pose(w, id, &base, &turn, NULL, NULL);
    td_world_segment(w, id, last, NULL, &from, NULL);
    base.z += way;
    CHECK_INT(td_world_move_actor(w, id, base, turn, NULL), TD_OK);
    steps(w, 1);
    td_world_segment(w, id, last, NULL, &to, NULL);
    return (to.z - from.z) / way;
}

typedef enum rest_kind { NEW, SETTLED, STEPPED, WOKEN } rest_kind;
static const char *const rest_names[] = {"new", "settled", "after steps", "woken"};

static td_real share_after(const tdi_solver *solver, td_integrator integrator, const char *start,
                           rest_kind kind) {
    const int32_t n = strand_segments(solver);
    OWNED(stage) s =
        stage_printed("{step: %s, air_density: 0, gravity: [0, 0, 0],\n"
                      " objects: [{solver: %s, integrator: %s, start: %s,\n"
                      " strand: {points: [[0, 0, 0], [0.5, 0, 0]], segments: %d, radius: 0.004,\n"
                      "  material: tendril}}]}",
                      tdi_is_implicit(integrator) ? "1/240" : "1/24000", solver->info.name,
                      integrator_names[integrator], start, (int)n);
    if (kind != NEW) {
        CHECK_INT(td_world_settle(s.world, NULL, NULL), TD_OK);
    }
    if (kind == WOKEN) {
        CHECK_INT(td_world_sleep_actor(s.world, td_world_actor_id(s.world, 0), NULL), TD_OK);
    }
    steps(s.world, kind == STEPPED || kind == WOKEN ? 2 : 0);
    CHECK(td_world_actor_asleep(s.world, td_world_actor_id(s.world, 0)) == (kind == WOKEN));
    return share_of_way(s.world);
}

// In its first step an actor moves along with its base, however it came to rest. Later it stays
// behind, also when it slept. The tolerance is that of Newton's method.
INTEGRATOR_TEST(conform_actors_move_along_with_their_base_in_the_first_step_alone) {
    static const char *const starts[] = {"drawn", "settled"};
    for (int k = 0; k < 8; k++) {
        const rest_kind kind = (rest_kind)(k / 2);
        const td_real share = share_after(solver, integrator, starts[k % 2], kind);
        CHECK_SAY(kind <= SETTLED ? fabs(share - 1) < 1e-4 : share < 0.5,
                  "%s, %s, %s, %s: the tip makes %g of the way of its base", solver->info.name,
                  integrator_names[integrator], starts[k % 2], rest_names[kind], share);
    }
}

// ---- all or nothing -------------------------------------------------------------------------

// A force beyond all bounds on whatever is within half a metre of x, while it is armed.
typedef struct blast {
    td_real x;
    bool armed;
} blast;

static void blow(void *context, td_real time, td_actor_id actor, int32_t count, const td_vec3 *tips,
                 const td_vec3 *velocities, td_vec3 *forces) {
    const blast *b = context;
    (void)time, (void)actor;
    (void)velocities;
    for (int32_t i = 0; b->armed && i < count; i++) {
        if (fabs(tips[i].x - b->x - 0.2) < 0.4) {
            forces[i] = tdi_vec3(1.7e308, -1.7e308, 1.7e308);
        }
    }
}

// The solvers from `first` up to `end` are blown at one after the other, and both worlds go on for
// some steps after each.
static void check_blasts(const char *text, int32_t first, int32_t end, int32_t after,
                         int32_t threads, const char *what) {
    stage one = try_stage(text, threads, NULL), other = try_stage(text, threads, NULL);
    blast b = {0, false};
    CHECK_INT(one.status, TD_OK);
    CHECK_INT(td_world_set_field(one.world, blow, &b, NULL), TD_OK);
    CHECK_INT(td_world_set_field(other.world, blow, &b, NULL), TD_OK);
    steps(one.world, after);
    steps(other.world, after);
    for (int32_t k = first; k < end; k++) {
        td_diag diag = {.message = ""};
        b = (blast){k, true};
        const td_status status = td_world_step(one.world, &diag);
        b.armed = false;
        CHECK_SAY(status == TD_ERR_DIVERGED && strstr(diag.message, "-") != NULL,
                  "%s, solver at %d: status %d, '%s'", what, (int)k, (int)status, diag.message);
        CHECK_SAY(same_bits(one.world, other.world),
                  "%s, solver at %d: a failed step left other bits", what, (int)k);
        steps(one.world, 8);
        steps(other.world, 8);
        CHECK_SAY(same_bits(one.world, other.world), "%s, solver at %d: it goes on otherwise", what,
                  (int)k);
    }
    stage_free(&one);
    stage_free(&other);
}

static const char moving[] =
    "contact: {}, colliders: [{plane: {position: {keys: [[0, [0, 0.2, 0]], [1, [0, 0.25, 0]]]}}}],";

static void claim_nothing(void) {
    char free_text[TEXT], touch_text[TEXT], moving_text[TEXT];
    pairs_of_all(free_text, "");
    pairs_of_all(touch_text, touching);
    pairs_of_all(moving_text, moving);
    const int32_t count = td_solver_count();
    for (int32_t k = 0; k < count; k++) {
        check_blasts(free_text, k, k + 1, 0, 1, "free, first step");
        check_blasts(touch_text, k, k + 1, 0, 1, "touching, first step");
    }
    check_blasts(free_text, 0, count, 9, 3, "free");
    check_blasts(touch_text, 0, count, 21, 3, "touching");
    check_blasts(moving_text, 0, count, 21, 1, "touching what moves");
}

TD_TEST(conform_step_of_a_world_is_all_or_nothing) {
    with_toy(claim_nothing);
}

// Bases that move as well, by themselves.
static void claim_bases(void) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        const char *name = td_solver_get(k).name;
        char text[TEXT];
        snprintf(text, sizeof text,
                 "{objects: [{name: led-0, solver: %s, start: drawn, rotation: {keys:\n"
                 " [[0, {axis: [0, 0, 1], degrees: 0}], [1, {axis: [0, 0, 1], degrees: 70}]]},\n"
                 " position: {keys: [[0, [0, 0.5, 0]], [1, [0.2, 0.6, 0]]]},\n"
                 " strand: {points: [[0, 0, 0], [0.3, 0, 0]], segments: %d, radius: 0.01}}]}",
                 name, (int)strand_segments(tdi_solver_find(name)));
        check_blasts(text, 0, 1, 0, 1, name);
        check_blasts(text, 0, 1, 7, 1, name);
    }
}

TD_TEST(conform_step_that_fails_leaves_a_moving_base_where_it_was) {
    with_toy(claim_bases);
}

// A roof that jumps into a body, that moves down to the floor, and with a position that is NaN.
SOLVER_TEST(conform_steps_that_contact_makes_impossible_change_nothing) {
    OWNED(subject) s = subject_new(solver, HELD, NULL), other = subject_new(solver, HELD, NULL);
    const td_contact_opts contact = td_contact_opts_default();
    const td_step_opts opts = td_step_opts_default();
    const td_collider plane = td_collider_default(TD_COLLIDER_PLANE);
    td_collider far[2] = {plane, plane}, near[2];
    OWNED(td_island) *island = NULL;
    OWNED(td_island) *free_one = NULL;
    far[0].position.y = far[0].position0.y = -5;
    far[1].position.y = far[1].position0.y = 5;
    far[1].rotation = far[1].rotation0 = tdi_quat_turn(tdi_vec3(1, 0, 0), TDI_PI);
    CHECK_INT(td_island_new(&s.state, 1, &contact, 2, NULL, &island, NULL), TD_OK);
    CHECK_INT(td_island_new(&other.state, 1, &contact, 2, NULL, &free_one, NULL), TD_OK);
    for (int32_t k = 0; k < 13; k++) {
        CHECK_INT(td_island_step(island, &opts, far, 2, NULL, NULL), TD_OK);
        CHECK_INT(td_island_step(free_one, &opts, far, 2, NULL, NULL), TD_OK);
    }
    FREED char *before = bytes_of(&s);
    for (int n = 0; n < 3; n++) {
        static const td_status wanted[] = {TD_ERR_DIVERGED, TD_ERR_DIVERGED, TD_ERR_ARGUMENT};
        static const char *const parts[] = {"and collider 1 (plane) overlap", "no room",
                                            "collider"};
        td_diag diag = {.message = ""};
        memcpy(near, far, sizeof near);
        near[1].position.y = n == 0 ? last_tip(&s).y : n == 1 ? -4.999 : (td_real)NAN;
        near[1].position0.y = n == 0 ? near[1].position.y : far[1].position.y;
        const td_status status = td_island_step(island, &opts, near, 2, NULL, &diag);
        CHECK_SAY(status == wanted[n] && strstr(diag.message, parts[n]), "%s, plane %d: %d '%s'",
                  s.name, n, (int)status, diag.message);
        CHECK_SAY(same_as(&s, before), "%s, plane %d: a step that failed left other bits", s.name,
                  n);
    }
    CHECK_INT(td_island_step(island, &opts, far, 2, NULL, NULL), TD_OK);
    CHECK_INT(td_island_step(free_one, &opts, far, 2, NULL, NULL), TD_OK);
    FREED char *after = bytes_of(&other);
    CHECK_SAY(same_as(&s, after), "%s: it goes on otherwise", s.name);
}

// ---- memory ---------------------------------------------------------------------------------

static void claim_world_memory(void) {
    char text[TEXT];
    OWNED(test_heap) heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    td_contact contacts[MOST_CONTACTS];
    int32_t met = 0;
    OWNED(stage) s = roomy_stage(pairs_of_all(text, touching), 2, &alloc);
    CHECK_INT(s.status, TD_OK);
    const long calls = heap.calls;
    for (int32_t k = 0; k < 60; k++) {
        steps(s.world, 1);
        met += td_world_contacts(s.world, contacts, MOST_CONTACTS);
    }
    CHECK(met > 0);
    CHECK_INT(heap.calls, calls);
}

TD_TEST(conform_steps_of_worlds_that_touch_take_no_memory) {
    with_toy(claim_world_memory);
}

// The same of an island that a program makes itself: two that fall on a plane.
SOLVER_TEST(conform_steps_of_islands_take_no_memory) {
    test_heap heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    subject a = subject_new(solver, FLOATING, &alloc), b = subject_new(solver, FLOATING, &alloc);
    solver->set_base(b.state,
                     &(td_base_motion){.position = {0, 0.05, 0.02}, .rotation = {1, 0, 0, 0}});
    td_body *const states[] = {body_of(&a), body_of(&b)};
    const td_contact_opts contact = td_contact_opts_default();
    const td_step_opts opts[2] = {td_step_opts_default(), td_step_opts_default()};
    td_collider plane = td_collider_default(TD_COLLIDER_PLANE);
    td_island *island = NULL;
    td_diag diag = {.message = ""};
    plane.position.y = plane.position0.y = -0.2;
    CHECK_INT(td_island_new(states, 2, &contact, 1, &alloc, &island, &diag), TD_OK);
    const long calls = heap.calls;
    int32_t met = 0;
    for (int32_t k = 0; k < 40; k++) {
        td_contact contacts[MOST_CONTACTS];
        CHECK_SAY(td_island_step(island, opts, &plane, 1, NULL, &diag) == TD_OK, "%s: step %d: %s",
                  a.name, (int)k, diag.message);
        met += td_island_contacts(island, contacts, MOST_CONTACTS);
    }
    CHECK_SAY(met > 0, "%s: nothing touches", a.name);
    CHECK_SAY(heap.calls == calls, "%s: an island asks for memory %ld times", a.name,
              heap.calls - calls);
    td_island_free(island);
    subject_free(&a);
    subject_free(&b);
    CHECK_SAY(heap.held == 0, "%s: %zu bytes are left", solver->info.name, heap.held);
}

// ---- energy ---------------------------------------------------------------------------------

// The largest energy of a world within so many seconds, less that at the start.
static td_real energy_gained(td_world *w, td_real seconds, td_real *kinetic) {
    td_real start = 0, most = 0;
    *kinetic = 0;
    for (int32_t k = 0; k == 0 || td_world_time(w) < seconds; k++) {
        const td_energy e = td_world_sums(w).energy;
        const td_real now = e.kinetic + e.elastic + e.weight;
        start = k == 0 ? now : start;
        most = fmax(most, now - start);
        *kinetic = fmax(*kinetic, e.kinetic);
        steps(w, 1);
    }
    return most;
}

// At the tolerance that scenes have by default. A guess of a stiff rod with constraints or contact
// lengthens its edges to second order, by what would pull with hundreds of newtons.
SOLVER_TEST(conform_inextensible_strands_that_constraints_hold_gain_no_energy) {
    static const char *const holds[] = {
        "{point: {a: {segment: 0, along: 0}}}",
        "{hinge: {a: {segment: 0, along: 0}, axis: [0, 0, 1]}}",
        "{distance: {a: {segment: 0, along: 0}, to: [0, 0.3, 0], length: 0.3}}"};
    static const td_real angles[] = {0.02, 0.3};
    const int32_t n = strand_segments(solver);
    for (int k = 0; k < 6; k++) {
        OWNED(stage) s = stage_printed(
            "{step: %s, air_density: 0, constraints: [%s], objects: [{solver: %s, start: drawn,\n"
            " strand: {points: [[0, 0, 0], [%.17g, -1, 0]], segments: %d, radius: 0.01,\n"
            "  material: green-wood, inextensible: true, start: {held: free}}}]}",
            k < 3 ? "1/60" : "1/240", holds[k % 3], solver->info.name, angles[k / 3], (int)n);
        td_real kinetic;
        const td_real gained = energy_gained(s.world, 6, &kinetic);
        CHECK_SAY(gained <= 1e-6 * kinetic + 1e-12, "%s, %s: %g J gained, %g J swing",
                  solver->info.name, holds[k % 3], gained, kinetic);
    }
}

// Two that swing from their starts and touch.
SOLVER_TEST(conform_inextensible_strands_that_touch_gain_no_energy) {
    const int32_t n = strand_segments(solver);
    OWNED(stage) s = stage_printed(
        "{step: 1/240, air_density: 0, contact: {}, objects: [{name: a, solver: %s, start: drawn,\n"
        "  strand: {points: [[0, 1, 0], [0.6, 1.1, 0]], segments: %d, radius: 0.01,\n"
        "   material: green-wood, inextensible: true, start: {held: pinned}}},\n"
        " {name: b, solver: %s, start: drawn,\n"
        "  strand: {points: [[0, 1.5, 0], [0.6, 1.6, 0]], segments: %d, radius: 0.01,\n"
        "   material: green-wood, inextensible: true, start: {held: pinned}}}]}",
        solver->info.name, (int)n, solver->info.name, (int)n);
    td_real kinetic;
    const td_real gained = energy_gained(s.world, 10, &kinetic);
    CHECK_SAY(gained <= 1e-6 * kinetic, "%s: %g J gained, %g J swing", solver->info.name, gained,
              kinetic);
}

// ---- rest -----------------------------------------------------------------------------------

// What droops onto a plane rests on it as it does after long stepping, up to where in its range of
// 0.5 mm contact bears it: in steps it is made for forces of motion as well.
SOLVER_TEST(conform_settling_on_a_collider_ends_where_long_stepping_does) {
    static const char *const starts[] = {"settled", "drawn"};
    const int32_t n = strand_segments(solver);
    td_vec3 tips[2];
    for (int k = 0; k < 2; k++) {
        OWNED(stage) s = stage_printed(
            "{air_density: 200, contact: {friction: 0, gap: 0.05}, colliders: [{plane: "
            "{friction: 0,\n"
            " position: [0, 0.45, 0]}}], objects: [{solver: %s, start: %s,\n"
            " integrator: implicit-euler, position: [0, 0.5, 0], strand: {points: [[0, 0, 0], "
            "[0.3, 0.02, 0]],\n"
            "  segments: %d, radius: 0.01, bend: 0.01}}]}",
            solver->info.name, starts[k], (int)n);
        td_contact contacts[MOST_CONTACTS];
        run_to(s.world, k == 0 ? 0.1 : 15);
        tips[k] = tip_of(s.world, 0, n - 1);
        CHECK_SAY(td_world_contacts(s.world, contacts, MOST_CONTACTS) > 0, "%s, %s: no contact",
                  solver->info.name, starts[k]);
        CHECK_SAY(tips[k].y > 0.46, "%s, %s: in the plane", solver->info.name, starts[k]);
    }
    CHECK_SAY(apart(tips[0], tips[1]) < 5e-4, "%s: at rest and after 15 s the tip is %g m apart",
              solver->info.name, apart(tips[0], tips[1]));
}

// ---- capabilities ---------------------------------------------------------------------------

typedef struct wish {
    const char *what, *object, *strand; // keys of an object and of its strand
    bool granted;
} wish;

static void check_wish(const tdi_solver *solver, const wish *w) {
    char text[TEXT];
    snprintf(text, sizeof text,
             "{objects: [{solver: %s, start: drawn, %s strand: {points: [[0, 0, 0], [0.2, 0, 0],\n"
             " [0.2, 0.2, 0]], segments: %d, %s radius: 0.005}}]}",
             solver->info.name, w->object, (int)strand_segments(solver), w->strand);
    OWNED(stage) s = try_stage(text, 1, NULL);
    const char *message = s.diag_count > 0 ? s.diags[0].message : "";
    if (w->granted) {
        CHECK_SAY(s.status == TD_OK, "%s: %s is refused: %s", solver->info.name, w->what, message);
    } else {
        char own[64];
        snprintf(own, sizeof own, "'%s'", solver->info.name);
        CHECK_SAY(s.status != TD_OK && strstr(message, own), "%s: %s is not refused by name: %s",
                  solver->info.name, w->what, message);
    }
}

// What the table says of a solver is what it takes; the rest is refused, with the solver's name.
SOLVER_TEST(conform_what_a_solver_cannot_do_is_refused_by_name) {
    const td_solver_info info = td_solver_get(td_solver_find(solver->info.name));
    const wish wishes[] = {
        {"euler", "integrator: euler,", "", info.integrators >> TD_EULER & 1},
        {"rk4", "integrator: rk4,", "", info.integrators >> TD_RK4 & 1},
        {"adaptive", "integrator: adaptive,", "", info.integrators >> TD_ADAPTIVE & 1},
        {"implicit-euler", "integrator: implicit-euler,", "",
         info.integrators >> TD_IMPLICIT_EULER & 1},
        {"the law linear", "law: linear,", "", info.laws >> TD_LAW_LINEAR & 1},
        {"the law tangent", "law: tangent,", "", info.laws >> TD_LAW_TANGENT & 1},
        {"an end that is held", "", "end: {held: clamped},", info.ends},
        {"a ring", "", "closed: true,", info.rings},
        {"stretch", "", "stretch: 1000,", info.stretchy},
        {"rest under gravity", "rest_under_gravity: true,", "", info.rest},
        {"a damping ratio", "damping_ratio: 0.1,", "", info.damping},
        {"stiffness in bending", "bending: 2,", "", info.stiffens},
        {"keys of stiffness", "twisting: {keys: [[0, 1], [1, 2]]},", "", info.stiffens},
    };
    for (size_t k = 0; k < sizeof wishes / sizeof *wishes; k++) {
        check_wish(solver, &wishes[k]);
    }
}

// Hinges are of skeletons; modes are asked of worlds.
SOLVER_TEST(conform_table_of_capabilities_is_true) {
    const td_solver_info info = td_solver_get(td_solver_find(solver->info.name));
    const td_body_opts with = {.law = TD_LAW_DEFAULT};
    td_skeleton *hinged = stem_of(1, HELD, TD_JOINT_HINGE, NULL);
    td_body_model *model = NULL;
    td_diag diag = {.message = ""};
    const td_status status = solver->model_new(hinged, &with, NULL, &model, &diag);
    CHECK_SAY((status == TD_OK) == info.hinges, "%s: hinges: status %d", info.name, (int)status);
    CHECK_SAY(info.hinges || strstr(diag.message, "hinge"), "%s: '%s' names no hinge", info.name,
              diag.message);
    tdi_model_free(model);
    td_skeleton_free(hinged);
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    td_mode mode;
    const td_status modes = tdi_solver_modes(solver, s.state, down, 1, &mode, &diag);
    CHECK_SAY((modes == TD_OK) == info.modes, "%s: modes: status %d", info.name, (int)modes);
    CHECK_SAY(info.contact && info.mutual, "%s: it has capsules, but is said not to touch",
              info.name);
}

// ---- between solvers ------------------------------------------------------------------------

// A bead falls into the groove between a branch of a tree and a rod, both level, and rests there.
static const char groove[] =
    "{contact: {friction: 0.3}, objects: [{name: branch, solver: tree, position: [0, 0, -0.013],\n"
    "  strand: {points: [[0, 0, 0], [0.2, 0, 0]], segments: 5, radius: 0.01,\n"
    "  material: green-wood}},\n"
    " {name: rod, solver: rod, position: [0, 0, 0.013],\n"
    "  strand: {points: [[0, 0, 0], [0.2, 0, 0]], segments: 5, radius: 0.01,\n"
    "  material: green-wood}},\n"
    " {name: bead, solver: bead, start: drawn, position: [0.1, 0.05, 0.002],\n"
    "  strand: {points: [[0, 0, 0], [0.004, 0, 0]], segments: 1, radius: 0.015,\n"
    "  material: green-wood, start: {held: free}}}]}";

// The distance of a point from the axis of a segment.
static td_real from_axis(td_world *world, int32_t actor, int32_t segment, td_vec3 x) {
    td_vec3 a, b;
    segment_at(world, actor, segment, &a, &b, NULL);
    const td_vec3 d = tdi_sub(b, a);
    const td_real t = tdi_dot(tdi_sub(x, a), d) / tdi_dot(d, d);
    return apart(x, tdi_madd(a, d, fmin(fmax(t, 0), 1)));
}

static td_real least_gap(td_world *world, td_vec3 bead) {
    td_real least = INFINITY;
    for (int32_t actor = 0; actor < 2; actor++) {
        for (int32_t i = 0; i < 5; i++) {
            least = fmin(least, from_axis(world, actor, i, bead) - 0.025);
        }
    }
    return least;
}

static void claim_groove(void) {
    OWNED(stage) s = stage_of(groove);
    td_contact contacts[MOST_CONTACTS];
    td_vec3 on_bead = {0, 0, 0};
    td_real on[2] = {0, 0};
    const td_vec3 start = tip_of(s.world, 2, 0);
    for (int32_t k = 0; k < 240; k++) {
        steps(s.world, 1);
        CHECK_SAY(least_gap(s.world, tip_of(s.world, 2, 0)) > 0, "overlap in step %d", (int)k);
    }
    const td_vec3 end = tip_of(s.world, 2, 0);
    const int32_t count = td_world_contacts(s.world, contacts, MOST_CONTACTS);
    for (int32_t k = 0; k < count; k++) {
        const td_contact *c = &contacts[k];
        CHECK(c->actor == 2 || c->other_actor == 2);
        const td_vec3 f = tdi_scale(c->force, c->actor == 2 ? 1 : -1);
        on_bead = tdi_add(on_bead, f);
        on[c->actor == 2 ? c->other_actor : c->actor] += f.y;
        CHECK(c->gap > 0);
    }
    const td_real weight = 9.81 * td_skeleton_segments(actor_at(s.world, 2).skeleton)->mass;
    CHECK(start.y - end.y > 0.02);
    CHECK_REL(on_bead.y, weight, 1e-3);
    CHECK_IN(on_bead.x / weight, -1e-3, 1e-3);
    CHECK_IN(on_bead.z / weight, -1e-3, 1e-3);
    CHECK_IN(on[0] / weight, 0.3, 0.7); // the groove is about even
    CHECK_IN(on[1] / weight, 0.3, 0.7);
}

TD_TEST(conform_toy_rests_on_a_tree_and_a_rod_and_they_bear_its_weight) {
    with_toy(claim_groove);
}
