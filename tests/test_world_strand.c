// SPDX-License-Identifier: MIT
// The same strand by every solver: trees, rods and helices read one skeleton. Pairs with
// src/world/strand.c, src/rod/strand.c and src/helix/axis.c.

#include "test_world_support.h"

#define PI 3.14159265358979323846

// A heavy strip, with a section and a mass that are given. For a joint at the angle a the moments
// of the two differ by a^2/4, and the largest angle here is 0.02 rad: a ten thousandth of the sag.
TD_TEST(strand_sags_alike_by_all_solvers_with_figures_that_are_given) {
    OWNED(stage) s = stage_of_all(
        "points: [[0, 0, 0], [1, 0, 0]], segments: 40, radius: 0.01, radius_other: "
        "0.002,\n bend: 0.3, bend_other: 0.8, torsion: 0.2, line_mass: 0.2, inextensible: "
        "true, elements: 40",
        "");
    td_vec3 tips[3];
    for (int k = 0; k < 3; k++) {
        segment_at(s.world, k, 39, NULL, &tips[k], NULL);
    }
    CHECK_IN(tips[0].y, -0.3, -0.25);
    CHECK(apart(tips[0], tips[1]) < 1e-4 * -tips[0].y);
    CHECK(apart(tips[0], tips[2]) < 1e-3 * -tips[0].y); // forty pieces of each kind
}

TD_TEST(strand_with_a_key_that_grows_models_is_refused_at_that_key) {
    static const char *const keys[] = {"steps: 4",           "seed: 3",
                                       "define: {A: 2}",     "view: a.v",
                                       "prune_length: 0.01", "prune_mass: 1e-3"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        char text[300];
        snprintf(
            text, sizeof text,
            "{objects: [{name: a, strand: {points: [[0, 0, 0], [1, 0, 0]], segments: 4},\n%s}]}",
            keys[k]);
        OWNED(stage) s = try_stage(text, 1, NULL);
        char wanted[100];
        snprintf(wanted, sizeof wanted, "'%.*s' belongs to a plant; this object has no 'plant'",
                 (int)strcspn(keys[k], ":"), keys[k]);
        CHECK_INT(s.status, TD_ERR_SYNTAX);
        CHECK_TEXT(s.diags[0].message, wanted);
        CHECK_INT(s.diags[0].line, 2);
    }
}

// Without weight it takes its shape at ease: half a circle of 20 chords, drawn straight.
TD_TEST(strand_takes_its_shape_at_ease_by_all_solvers) {
    const double chord = 2 * 0.2 * sin(PI / 40);
    char text[200];
    snprintf(text, sizeof text,
             "points: [[0, 0, 0], [0, 0, %.15g]], segments: 20, radius: 0.004,\n"
             " rest_helix: {radius: 0.2, turns: 0.5}",
             20 * chord);
    OWNED(stage) s = stage_of_all(text, "gravity: [0, 0, 0],");
    td_vec3 ends[3];
    for (int k = 0; k < 3; k++) {
        segment_at(s.world, k, 19, NULL, &ends[k], NULL);
        CHECK_REL(tdi_norm(ends[k]), 0.4, k < 2 ? 1e-4 : 1e-3); // its arc is 0.1 % longer
    }
    CHECK(apart(ends[0], ends[1]) < 1e-4);
}

TD_TEST(strand_that_is_straight_at_ease_straightens_by_all_solvers) {
    OWNED(stage) s = stage_of_all(
        "helix: {radius: 0.2, turns: 0.5}, segments: 20, radius: 0.004, straight: true",
        "gravity: [0, 0, 0],");
    for (int k = 0; k < 3; k++) {
        td_vec3 first, end;
        segment_at(s.world, k, 0, &first, NULL, NULL);
        segment_at(s.world, k, 19, NULL, &end, NULL);
        // a helix is the arc itself
        CHECK_REL(apart(first, end), k < 2 ? 20 * 2 * 0.2 * sin(PI / 40) : 0.2 * PI, 1e-6);
    }
}

// All joints are twisted by the same rate: GJ turns^2/2 over the length that they stand for, which
// is 9.5 of 10 segments, since the end is free.
TD_TEST(strand_starts_with_the_energy_of_its_twist_by_all_solvers) {
    OWNED(stage) s = stage_of(
        "{gravity: [0, 0, 0], objects: [{start: drawn, strand: {points: [[0, 0, 0],\n"
        " [0, 1, 0]], segments: 10, torsion: 0.02, twist: 1}}, {solver: rod, start: "
        "drawn,\n strand: {points: [[0, 0, 0], [0, 1, 0]], segments: 10, torsion: "
        "0.02, twist: 1}}, {solver: helix, start: drawn, strand: {points: [[0, 0, 0], [0, 1, 0]],\n"
        " segments: 10, torsion: 0.02, twist: 1}}]}");
    const double turns = 2 * PI, rate = turns / 0.95;
    for (int k = 0; k < 2; k++) {
        CHECK_REL(sums_at(s.world, k).energy.elastic, 0.02 * turns * turns / (2 * 0.95), 1e-9);
    }
    // a helix is twisted up to its end
    CHECK_REL(sums_at(s.world, 2).energy.elastic, 0.02 * rate * rate / 2, 1e-9);
}

// A box and a weight at the tip: hanging, all of it is below the base.
TD_TEST(bodies_of_a_strand_weigh_the_same_by_all_solvers) {
    static const char strand[] =
        "points: [[0, 0, 0], [0, -1, 0]], segments: 8, radius: 0.004, inextensible: true,\n"
        " tip_mass: 0.2, bodies: [{at: 0.5, mass: 0.4, size: [0.02, 0.04, 0.02], position: "
        "[0.03, 0, 0]}]";
    OWNED(stage) s = stage_of_all(strand, "");
    td_sums sums[3];
    for (int k = 0; k < 3; k++) {
        sums[k] = sums_at(s.world, k);
        CHECK_INT(actor_at(s.world, k).segment_count, 9);
        CHECK_IN(sums[k].energy.weight, -9.81 * (0.2 + 0.4 * 0.5 + 0.05), -9.81 * (0.2 + 0.2));
    }
    CHECK_REL(sums[0].energy.weight, sums[1].energy.weight, 1e-5);
    CHECK_REL(sums[0].energy.weight, sums[2].energy.weight, 1e-3);
    td_vec3 at[3];
    for (int k = 0; k < 3; k++) {
        segment_at(s.world, k, 8, &at[k], NULL, NULL);
    }
    CHECK(apart(at[0], at[1]) < 2e-4); // joints turn by up to 0.1 rad, and moments differ
    CHECK(apart(at[0], at[2]) < 2e-2);
}

// A bar on a pin swings as a pendulum does: T = 2 pi sqrt(2 L/(3 g)).
TD_TEST(strand_with_a_pinned_start_swings_by_all_solvers) {
    OWNED(stage) s = stage_of(
        "{air_density: 0, step: 1/240, objects: [{start: drawn, strand: {points: [[0, "
        "0, 0], [0.05, -1, 0]],\n segments: 2, radius: 0.02, material: oak, start: "
        "{held: pinned}}},\n {solver: rod, start: drawn, strand: {points: [[0, 0, 0], "
        "[0.05, -1, 0]],\n segments: 2, radius: 0.02, material: oak, start: {held: "
        "pinned}}}, {solver: helix, start: drawn, strand: {points: [[0, 0, 0], [0.05, -1, 0]],\n"
        " segments: 2, radius: 0.02, material: oak, start: {held: pinned}}}]}");
    const double period = 2 * PI * sqrt(2 * 1.00125 / (3 * 9.81));
    run_to(s.world, period / 2);
    for (int k = 0; k < 3; k++) {
        td_vec3 tip;
        segment_at(s.world, k, 1, NULL, &tip, NULL);
        CHECK_IN(tip.x, -0.0501, -0.0495); // damping takes the rest
    }
}

// A size makes lengths longer; what is given in kg and N m^2 stays.
TD_TEST(figures_that_are_given_stay_when_the_size_changes) {
    OWNED(stage) s =
        stage_of("{objects: [{size: 2, materials: [{density: 3000}], strand: {points: [[0, 0, "
                 "0], [0, -1, 0]],\n segments: 4, bend: 0.3, line_mass: 0.5, tip_mass: 0.1}}]}");
    const td_skeleton *skeleton = actor_at(s.world, 0).skeleton;
    const td_segment *segments = td_skeleton_segments(skeleton);
    CHECK_REL(segments[0].length, 0.5, 1e-14);
    CHECK_REL(segments[0].mass, 0.25, 1e-14);
    CHECK_REL(segments[0].section.bend_x, 0.3, 0);
    CHECK_REL(td_skeleton_attached_masses(skeleton)->mass, 0.1, 0);
}

TD_TEST(strand_of_more_elements_than_segments_is_refused) {
    OWNED(stage) s = try_stage("{objects: [{name: a, solver: helix, strand: {points: [[0, 0, 0],\n"
                               " [0, 1, 0]], segments: 10, elements: 11}}]}",
                               1, NULL);
    CHECK(!s.world);
    CHECK_HAS(s.diags[0].message,
              "there are more elements than segments; raise 'segments' or lower "
              "'elements'");
    CHECK_INT(s.diags[0].line, 2);
}

TD_TEST(worlds_of_all_solvers_leave_no_memory_behind_when_it_runs_out) {
    for (int k = 0; k < 3; k++) {
        char text[500];
        snprintf(
            text, sizeof text,
            "{contact: {}, objects: [{solver: %s, plant: fork.lsys},\n"
            " {solver: %s, rest_under_gravity: true, damping_ratio: 0.1, strand: {segments: 4,\n"
            "  points: [[0, 0, 0], [1, 0, 0]], bodies: [{mass: 1}]%s}}]}",
            solvers[k], solvers[k],
            k == 0   ? ", radius: 0.05"
            : k == 1 ? ", rest: [[0, 0, 0], [0, 1, 0]]"
                     : ", elements: 2");
        check_world_without_memory(text);
    }
}
