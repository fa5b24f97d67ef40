// SPDX-License-Identifier: MIT
// Scenes with the solver helix: elements and refusals. Pairs with src/helix/solver.c and
// skeleton.c.

#include "test_world_support.h"

#define CORD "strand: {points: [[0, 0, 0], [1, 0, 0]], segments: 10,"

// ---- elements -------------------------------------------------------------------------------

static int32_t elements_of(const char *keys) {
    OWNED(stage) s = stage_printed("{objects: [{solver: helix, %s plant: fork.lsys}]}", keys);
    const td_body *state = td_world_body(s.world, id_at(s.world, 0));
    const int32_t count = state ? td_body_element_count(td_body_model_of(state)) : -1;
    CHECK_INT(actor_at(s.world, 0).dof_count, 3 * count);
    return count;
}

// The fork has an axis of three segments and two of one.
TD_TEST(helix_world_cuts_axes_into_the_elements_of_the_object) {
    CHECK_INT(elements_of("elements: 1,"), 3);
    CHECK_INT(elements_of("elements: 2,"), 4); // at most one a segment
    CHECK_INT(elements_of("elements: 1000,"), 5);
    CHECK_INT(elements_of("elements: 0,"), elements_of(""));
}

// ---- contact --------------------------------------------------------------------------------

TD_TEST(helix_world_leaves_objects_that_touch_nothing_out_of_contact) {
    static const char text[] =
        "{colliders: [{sphere: {radius: 1}}], objects: [{solver: helix, %s " CORD
        " elements: 2}}]}";
    char inside[300], apart[300];
    snprintf(inside, sizeof inside, text, "");
    snprintf(apart, sizeof apart, text, "touches: false,");
    OWNED(stage) refused = try_stage(inside, 1, NULL), fine = try_stage(apart, 1, NULL);
    CHECK_SAY(refused.status != TD_OK, "a strand inside a collider is not refused");
    CHECK_SAY(fine.status == TD_OK, "%s", fine.diags[0].message);
    CHECK_INT(td_world_step(fine.world, NULL), TD_OK);
    CHECK_INT(td_world_contacts(fine.world, NULL, 0), 0);
}

// ---- faults ---------------------------------------------------------------------------------

TD_TEST(helix_world_refuses_by_place_and_name_what_it_cannot_be) {
    static const fault faults[] = {
        {"{objects: [{solver: helix, " CORD "\n elements: -1}}]}", 2, 0, "'elements' is -1"},
        {"{objects: [{solver: helix, " CORD "\n elements: 1.5}}]}", 2, 0, "'elements' is 1.5"},
        {"{objects: [{solver: helix, " CORD "\n elements: 11}}]}", 2, 0,
         "more elements than segments"},
        {"{objects: [{solver: helix, " CORD "\n radius: 0}}]}", 2, 0, "'radius' is 0 m"},
        {"{objects: [{solver: helix,\n " CORD " twist: 1001, elements: 10}}]}", 2, 0,
         "it must be at most 100: raise the number of elements"},
        {"{objects: [{solver: helix, " CORD "\n rest_helix: {radius: .nan}}}]}", 2, 0,
         "'radius' must be a number"},
        {"{objects: [{solver: helix, strand: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]],\n closed: "
         "true}}]}",
         2, 0, "the solver 'helix' does not have this"},
        {"{objects: [{solver: helix, " CORD "\n end: {held: pinned}}}]}", 2, 0,
         "the solver 'helix' does not have this"},
        {"{objects: [{solver: helix, " CORD "\n stretch: 5}}]}", 2, 0,
         "the solver 'helix' does not have this"},
        {"{objects: [{solver: helix,\n integrator: rk4, " CORD "}}]}", 2, 0,
         "the solver 'helix' needs one of the integrators implicit, implicit-euler, euler"},
        {"{objects: [{solver: helix,\n law: tangent, " CORD "}}]}", 2, 0,
         "the solver 'helix' has only the law 'linear'"},
        {"{objects: [{solver: helix, " CORD "\n rest: [[0, 0, 0], [0, 9, 0]]}}]}", 1, 0,
         "starts stretched"},
        {"{objects: [{solver: helix,\n plant: nothing.lsys}]}", 2, 0, "no segments"},
        {"{objects: [{solver: helix,\n elements: -1, plant: fork.lsys}]}", 2, 0,
         "'elements' is -1"},
        {"{objects: [{solver: helix,\n elements: 2.5, plant: fork.lsys}]}", 2, 0,
         "'elements' is 2.5"},
        {"{contact: {}, objects: [{solver: helix,\n strand: {helix: {radius: 0.02, pitch: 0.0045, "
         "turns: 3}, segments: 1000, elements: 12, radius: 0.002}}]}",
         2, 0, "take at most 373 segments, or 'contact: {self: false}'"},
    };
    check_faults(faults, sizeof faults / sizeof *faults);
}
