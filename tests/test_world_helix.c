// SPDX-License-Identifier: MIT
// Scenes by the solver helix: the same strands as by rods, and what is refused. Pairs with
// src/helix/solver.c and skeleton.c.

#include "test_world_support.h"

#define CORD "strand: {points: [[0, 0, 0], [1, 0, 0]], segments: 10,"

// ---- beside rods ----------------------------------------------------------------------------

// The strand twice, by rods and by helices.
static stage both(const char *rod, const char *helix, const char *rest) {
    return stage_printed(
        "{air_density: 0, %s objects: [{name: a, solver: rod, strand: {%s, inextensible: "
        "true}},\n {name: b, solver: helix, strand: {%s}}]}",
        rest, rod, helix);
}

// Tips of the last segments.
static void tips_of(const stage *s, td_vec3 tips[2]) {
    for (int32_t k = 0; k < 2; k++) {
        tips[k] = tip_of(s->world, k, -1);
    }
}

// A strip that sags by a quarter of its length. Ten elements are off by 1/300 of the sag, sixty
// edges by 1/3600.
TD_TEST(helix_world_strand_sags_as_that_of_rods) {
    static const char strand[] =
        "points: [[0, 0, 0], [1, 0, 0]], segments: 60, radius: 0.01, radius_other: 0.002,\n"
        " bend: 0.3, bend_other: 0.8, torsion: 0.2, line_mass: 0.2";
    char fine[300];
    td_vec3 tips[2];
    snprintf(fine, sizeof fine, "%s, elements: 10", strand);
    OWNED(stage) s = both(strand, fine, "");
    tips_of(&s, tips);
    CHECK_IN(tips[0].y, -0.5, -0.2);
    CHECK_IN(apart(tips[0], tips[1]), 0, 0.004 * -tips[0].y);
}

// A curl of three turns hangs by its weight: rods of 240 edges, helices of 12 elements.
TD_TEST(helix_world_curl_hangs_as_that_of_rods) {
    static const char curl[] = "helix: {radius: 0.02, pitch: -0.02, turns: 3}, radius: 0.001, "
                               "bend: 1e-5, torsion: 7e-6, line_mass: 0.004";
    char rod[300], helix[300];
    td_vec3 tips[2];
    snprintf(rod, sizeof rod, "%s, segments: 240", curl);
    snprintf(helix, sizeof helix, "%s, segments: 240, elements: 12", curl);
    OWNED(stage) s = both(rod, helix, "");
    tips_of(&s, tips);
    CHECK_IN(tips[0].y, -0.3, -0.09); // longer than the 6 cm that it is drawn with
    CHECK_IN(apart(tips[0], tips[1]), 0, 0.03 * -tips[0].y);
}

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

TD_TEST(helix_worlds_leave_no_memory_behind_when_it_runs_out) {
    static const char text[] =
        "{contact: {}, objects: [{solver: helix, plant: fork.lsys},\n"
        " {solver: helix, rest_under_gravity: true, damping_ratio: 0.1, strand: {segments: 4,\n"
        "  points: [[0, 0, 0], [1, 0, 0]], elements: 2, bodies: [{mass: 1}]}}]}";
    check_world_without_memory(text);
}
