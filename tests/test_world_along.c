// SPDX-License-Identifier: MIT
// Numbers that change along a strand. Pairs with src/world/strand.c and src/scene/fields_keys.c.

#include "test_world_support.h"

#define PI 3.14159265358979323846

static td_real mass_of(const td_world *world, int32_t actor) {
    const td_actor a = actor_at(world, actor);
    td_real sum = 0;
    for (int32_t i = 0; i < a.segment_count; i++) {
        sum += td_skeleton_segments(a.skeleton)[i].mass;
    }
    return sum;
}

// ---- laws -----------------------------------------------------------------------------------

// A beam under its own weight q, small: w = integral of q (L - s)^3/(2 B) ds, with B from 4 to 1
// along it and twice as much at a point in between. Segments have B at their middles, so that the
// error is of second order: a thousandth with sixty of them. Sag is 1 % of the length, which bends
// the beam by less than a thousandth of what linear theory says.
TD_TEST(strand_bends_by_the_stiffness_along_it_by_all_solvers) {
    OWNED(stage) s = stage_of_all(
        "points: [[0, 0, 0], [1, 0, 0]], segments: 60, elements: 60, line_mass: 0.01,\n"
        " inextensible: true, bend: {along: [[0, 4], [0.4, 8], [1, 1]]}",
        "gravity: [0, -10, 0],");
    td_real want = 0;
    for (int k = 0; k < 100000; k++) { // midpoints, exact to 1e-10
        const td_real x = (k + 0.5) / 100000, b = x < 0.4 ? 4 + 10 * x : 8 - 7 * (x - 0.4) / 0.6;
        want += 0.1 * (1 - x) * (1 - x) * (1 - x) / (2 * b) / 100000;
    }
    for (int k = 0; k < 3; k++) {
        CHECK_REL(-tip_of(s.world, k, -1).y, want, 2e-3);
    }
}

// Twisted by an even rate, joints hold GJ rate^2/2 a metre, GJ from 0.03 to 0.01 along the strand.
TD_TEST(strand_twists_by_the_stiffness_along_it_by_all_solvers) {
    OWNED(stage) s = stage_of(
        "{gravity: [0, 0, 0], objects: [{start: drawn, strand: {points: [[0, 0, 0],\n"
        " [0, 1, 0]], segments: 40, twist: 1, torsion: {along: [[0, 0.03], [1, 0.01]]}}},\n"
        " {solver: rod, start: drawn, strand: {points: [[0, 0, 0], [0, 1, 0]],\n"
        " segments: 40, twist: 1, torsion: {along: [[0, 0.03], [1, 0.01]]}}},\n"
        " {solver: helix, start: drawn, strand: {points: [[0, 0, 0], [0, 1, 0]],\n"
        " segments: 40, elements: 40, twist: 1,\n"
        " torsion: {along: [[0, 0.03], [1, 0.01]]}}}]}");
    // the last half segment of a tree and a rod, where GJ is 0.01, is not twisted
    const double rate = 2 * PI / (1 - 0.5 / 40);
    const double want = rate * rate / 2 * (0.02 - 0.5 / 40 * 0.01);
    for (int k = 0; k < 3; k++) {
        CHECK_REL(sums_at(s.world, k).energy.elastic, want, k < 2 ? 1e-3 : 1e-2);
    }
}

// Two frusta of a cone: V = pi l/3 (a^2 + ab + b^2). The points are where segments meet.
TD_TEST(strand_weighs_what_its_radius_and_density_along_it_say) {
    OWNED(stage) s =
        stage_of_all("points: [[0, 0, 0], [0, -1, 0]], segments: 8,\n"
                     " radius: {along: [[0, 0.02], [0.5, 0.01], [1, 0.004]]}, density: 500",
                     "");
    const double want = 500 * PI * 0.5 / 3 * (4e-4 + 2e-4 + 1e-4 + 1e-4 + 4e-5 + 1.6e-5);
    for (int k = 0; k < 3; k++) {
        CHECK_REL(mass_of(s.world, k), want, 1e-12);
        const td_actor a = actor_at(s.world, k);
        CHECK_REL(td_skeleton_segments(a.skeleton)[2].radius_base, 0.015, 1e-12);
    }
    stage_free(&s);
    // a density that falls in a line has its value at every segment's middle as its mean
    s = stage_of_all("points: [[0, 0, 0], [0, -1, 0]], segments: 8, radius: 0.01,\n"
                     " density: {along: [[0, 900], [1, 100]]}",
                     "");
    for (int k = 0; k < 3; k++) {
        CHECK_REL(mass_of(s.world, k), 500 * PI * 1e-4, 1e-12);
    }
}

TD_TEST(strand_has_damping_drag_and_line_mass_along_it) {
    OWNED(stage) s =
        stage_of("{objects: [{strand: {points: [[0, 0, 0], [0, -1, 0]], segments: 4,\n"
                 " damping_time: {along: [[0, 0.1], [1, 0.5]]},\n"
                 " drag: {along: [[0, 2], [0.5, 0]], interpolate: step},\n"
                 " line_mass: {along: [[0, 0.1], [1, 0.5]]}, stretch: 1e4}, solver: rod}]}");
    const td_segment *of = td_skeleton_segments(actor_at(s.world, 0).skeleton);
    for (int k = 0; k < 4; k++) {
        CHECK_REL(of[k].damping.x / of[k].stiffness.x, 0.1 + 0.1 * k, 1e-12); // at the joint
        CHECK_REL(of[k].mass, 0.25 * (0.15 + 0.1 * k), 1e-12);                // at the middle
        CHECK_REL(of[k].drag, k < 2 ? 2 : 0, 0);
    }
}

// The factor of a strand along it is what the factor of its object is for all of it.
TD_TEST(strand_feels_the_air_by_its_drag_by_all_solvers) {
    for (int k = 0; k < 3; k++) {
        char text[900];
        snprintf(
            text, sizeof text,
            "{loads: [{wind: {velocity: [3, 0, 0]}}], objects: [\n"
            " {solver: %s, strand: {points: [[0, 0, 0], [0, -1, 0]], segments: 10,\n"
            "   drag: {along: [[0, 3], [1, 3]]}}},\n"
            " {solver: %s, drag: 3, strand: {points: [[0, 0, 0], [0, -1, 0]], segments: 10}},\n"
            " {solver: %s, strand: {points: [[0, 0, 0], [0, -1, 0]], segments: 10,\n"
            "   drag: {along: [[0, 0], [1, 0]]}}}]}",
            solvers[k], solvers[k], solvers[k]);
        OWNED(stage) s = stage_of(text);
        run_to(s.world, 1);
        CHECK(tip_of(s.world, 0, -1).x > 0.05);
        CHECK(apart(tip_of(s.world, 0, -1), tip_of(s.world, 1, -1)) < 1e-9);
        CHECK(fabs(tip_of(s.world, 2, -1).x) < 1e-12); // feels nothing
    }
}

TD_TEST(strand_with_one_point_along_it_has_the_same_bits_as_with_the_number) {
    for (int k = 0; k < 3; k++) {
        char text[2][600];
        for (int i = 0; i < 2; i++) {
            snprintf(text[i], sizeof text[i],
                     i ? "{objects: [{solver: %s, strand: {points: [[0, 0, 0], [1, 0, 0]],\n"
                         " radius: {along: [[0, 0.01]]}, bend: {along: [[0.3, 0.2]]},\n"
                         " torsion: {along: [[1, 0.1]]}, density: {along: [[0, 800]]}, drag:\n"
                         " {along: [[0.5, 2]]}, damping_time: {along: [[0, 0.01]]}}}]}"
                       : "{objects: [{solver: %s, strand: {points: [[0, 0, 0], [1, 0, 0]],\n"
                         " radius: 0.01, bend: 0.2,\n"
                         " torsion: 0.1, density: 800, drag: 2, damping_time: 0.01}}]}",
                     solvers[k]);
        }
        OWNED(stage) a = stage_of(text[0]), b = stage_of(text[1]);
        check_same_way(a.world, b.world, 10);
    }
}

// A smooth curve swings past its points, by a tenth of its steps; a number of a strand must not:
// here it would be below 0.
TD_TEST(smooth_numbers_along_a_strand_stay_within_their_values) {
    OWNED(stage) s =
        stage_of("{objects: [{strand: {points: [[0, 0, 0], [0, -1, 0]], segments: 100,\n"
                 " radius: {along: [[0, 0.1], [0.3, 0.0001], [0.6, 0.0001], [1, 0.1]],\n"
                 " interpolate: smooth}}}]}");
    const td_actor a = actor_at(s.world, 0);
    for (int32_t i = 0; i < a.segment_count; i++) {
        const td_segment *of = &td_skeleton_segments(a.skeleton)[i];
        CHECK(of->radius_base >= 0.0001 && of->radius_base <= 0.1);
    }
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(numbers_along_a_strand_are_refused_in_their_place) {
    static const struct {
        const char *strand, *message;
        int32_t column;
    } cases[] = {
        {"radius: {keys: [[0, 1], [1, 2]]}",
         "'radius' cannot change over time, so it cannot have keys; expected one value", 9},
        {"segments: {along: [[0, 4]]}", "'segments' must be a whole number; found a map", 11},
        {"tip_mass: {along: [[0, 4]]}",
         "'tip_mass' cannot change along the length; expected one value", 11},
        {"radius: {along: [[0, 1], [0.5, 0]]}", "'radius' is 0 m; it must be a number above 0", 32},
        {"radius: {along: [[0, 1], [1.5, 2]]}",
         "'place of a point' is 1.5; it must be a number from 0 to 1", 27},
        {"radius: {along: [[0.5, 1], [0.2, 2]]}",
         "the points of 'radius' are out of order: 0.2 comes after 0.5; expected places that rise",
         29},
        {"radius: {along: [[0, 1, 2]]}",
         "a point of 'radius' must be [place, value]; found a list of another length", 18},
        {"radius: {along: []}",
         "the points of 'radius' must be a list of at least 1 [place, value]", 17},
        {"radius: {}", "'along' lacks the key 'along'", 9},
        {"bend: {along: [[0, 1], [1, 0]]}",
         "'bend' is 0 at a point along the strand; it must be above 0", 24},
        {"damping_time: {along: [[0, -1]]}",
         "'damping_time' is -1 at a point along the strand; it must be at least 0", 24},
        {"tip_radius: 0.1, radius: {along: [[0, 1]]}",
         "'tip_radius' and the points of 'radius' both give the radius at the end; remove one of "
         "them",
         13},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[300];
        snprintf(text, sizeof text, "{objects: [{strand: {points: [[0, 0, 0], [0, 1, 0]],\n%s}}]}",
                 cases[k].strand);
        OWNED(stage) s = try_stage(text, 1, NULL);
        CHECK_INT(s.status, TD_ERR_SYNTAX);
        CHECK_TEXT(s.diags[0].message, cases[k].message);
        CHECK_INT(s.diags[0].line, 2);
        CHECK_INT(s.diags[0].column, cases[k].column);
    }
}

TD_TEST(numbers_along_a_strand_filled_by_hand_are_checked) {
    static const td_real places[] = {0, 0.5, 1}, fine[] = {0.01, 0.02, 0.01}, far[] = {0, 2, 3},
                         wrong[] = {0.01, -1, 0.01};
    static const struct {
        td_along along;
        td_status status;
    } cases[] = {{{places, fine, 3, TD_LINEAR}, TD_OK},
                 {{far, fine, 3, TD_LINEAR}, TD_ERR_SYNTAX},
                 {{places, wrong, 3, TD_LINEAR}, TD_ERR_SYNTAX},
                 {{places, NULL, 3, TD_LINEAR}, TD_ERR_SYNTAX},
                 {{places, fine, -3, TD_LINEAR}, TD_ERR_SYNTAX},
                 {{places, fine, 3, (td_interpolation)7}, TD_ERR_SYNTAX}};
    static const td_vec3 points[] = {{0, 0, 0}, {0, -1, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        td_scene_def def = td_scene_def_default();
        td_object_def object = td_object_def_default();
        const td_world_opts opts = td_world_opts_default();
        td_diag diags[2];
        td_diag_list list = {diags, 2, 0};
        OWNED(td_world) *world = NULL;
        object.strand.points = points;
        object.strand.point_count = 2;
        object.strand.along[TD_ALONG_RADIUS] = cases[k].along;
        def.objects = &object;
        def.object_count = 1;
        CHECK_INT(td_world_new(&def, &opts, NULL, &world, &list), cases[k].status);
        if (world) {
            const td_actor a = actor_at(world, 0);
            CHECK_REL(td_skeleton_segments(a.skeleton)[5].radius_base, 0.015, 1e-12);
        }
    }
}
