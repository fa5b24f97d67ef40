// SPDX-License-Identifier: MIT
// Modes of objects that constraints hold or join, against theory. Pairs with src/world/modes.c and
// src/implicit/modal.c.

#include "test_world_support.h"

#define GRAVITY 9.81
#define TURN    6.283185307179586

enum { SOLVERS = sizeof solvers / sizeof *solvers, TEXT = 4096 };

static td_status modes_of(td_world *world, int32_t actor, int32_t count, td_real *hz,
                          td_diag *diag) {
    td_mode modes[16] = {{0}};
    const td_status status =
        world ? td_world_modes(world, id_at(world, actor), count, modes, diag) : TD_ERR_ARGUMENT;
    for (int32_t k = 0; k < count; k++) {
        hz[k] = status == TD_OK ? modes[k].frequency : NAN;
    }
    return status;
}

static bool is_near(td_real value, td_real wanted, td_real part) {
    return fabs(value - wanted) <= part * fabs(wanted);
}

// ---- beams ----------------------------------------------------------------------------------

// EI = 0.05 N m^2, 0.2 kg/m, 1 m: f = (beta L)^2/(2 pi) sqrt(EI/m)/L^2
static td_real beam_hz(td_real beta) {
    return beta * beta * sqrt(0.05 / 0.2) / TURN;
}

static stage beam(const char *solver, const char *more, const char *constraints) {
    return stage_printed(
        "{gravity: [0, 0, 0], objects: [{name: beam, start: drawn, solver: %s, %s, strand: "
        "{points: [[0, 0, 0], [1, 0, 0]], segments: 32, elements: 16, radius: 0.004, bend: "
        "0.05, torsion: 0.04, line_mass: 0.2}}], record: {fps: 60}, constraints: [%s]}",
        solver, more, constraints);
}

typedef struct beam_case {
    const char *more, *constraints;
    int32_t first;      // mode that bends
    int32_t welds;      // of trees and rods they hold a segment, which bends at its ends alone
    td_real beta, next; // of that one, and of the next but one
} beam_case;

static const beam_case beams[] = {
    {"position: [0, 0, 0]", "{point: {a: {segment: 31}}}", 0, 0, 3.926602, 7.068583},
    {"position: [0, 0, 0]", "{weld: {a: {segment: 31}}}", 0, 1, 4.730041, 7.853205},
    // it rolls about itself
    {"loose: true", "{point: {a: {segment: 0, along: 0}}}, {point: {a: {segment: 31}}}", 1, 0,
     3.141593, 6.283185},
    {"loose: true", "{weld: {a: {segment: 0, along: 0}}}, {weld: {a: {segment: 31}}}", 0, 2,
     4.730041, 7.853205},
    // what is said twice is said once
    {"position: [0, 0, 0]", "{point: {a: {segment: 31}}}, {point: {a: {segment: 31}}}", 0, 0,
     3.926602, 7.068583},
};

TD_TEST(modes_of_beams_that_constraints_hold_are_those_of_theory) {
    for (size_t c = 0; c < sizeof beams / sizeof *beams; c++) {
        for (int k = 0; k < SOLVERS; k++) {
            const beam_case *b = &beams[c];
            OWNED(stage) s = beam(solvers[k], b->more, b->constraints);
            td_real hz[5];
            td_diag diag = {.message = ""};
            CHECK_SAY(modes_of(s.world, 0, 5, hz, &diag) == TD_OK, "%s", diag.message);
            // 16 helices are coarser than 32 segments, and bend stiffer
            const td_real part = k == 2 ? 0.02 : 0.005, *at = hz + b->first,
                          length = k == 2 ? 1 : 1 - b->welds / 64.0, by = length * length;
            CHECK_SAY(is_near(by * at[0], beam_hz(b->beta), part) &&
                          is_near(by * at[2], beam_hz(b->next), 3 * part),
                      "%s, beam %d: %g and %g Hz, theory %g and %g", solvers[k], (int)c, at[0],
                      at[2], beam_hz(b->beta) / by, beam_hz(b->next) / by);
            CHECK_SAY(b->first == 0 || hz[0] == 0, "%s: rolls at %g Hz", solvers[k], hz[0]);
        }
    }
}

TD_TEST(constraint_that_has_not_begun_or_was_let_go_is_no_part_of_modes) {
    OWNED(stage) s = beam("tree", "position: [0, 0, 0]", "{point: {a: {segment: 31}, start: 1}}");
    td_real hz[1];
    CHECK_INT(modes_of(s.world, 0, 1, hz, NULL), TD_OK);
    CHECK(is_near(hz[0], beam_hz(1.875104), 0.005));
    stage_free(&s);
    s = beam("tree", "position: [0, 0, 0]", "{point: {a: {segment: 31}}}");
    CHECK_INT(modes_of(s.world, 0, 1, hz, NULL), TD_OK);
    CHECK(is_near(hz[0], beam_hz(3.926602), 0.005));
    CHECK(td_world_set_hold(s.world, td_world_constraint_id(s.world, 0), false, NULL) == TD_OK);
    CHECK_INT(modes_of(s.world, 0, 1, hz, NULL), TD_OK);
    CHECK(is_near(hz[0], beam_hz(1.875104), 0.005));
}

TD_TEST(modes_leave_the_motion_that_follows_as_it_was) {
    OWNED(stage) a = beam("rod", "position: [0, 0, 0]", "{point: {a: {segment: 31}}}"),
                 b = beam("rod", "position: [0, 0, 0]", "{point: {a: {segment: 31}}}");
    td_real hz[1];
    steps(a.world, 2);
    steps(b.world, 2);
    CHECK_INT(modes_of(a.world, 0, 1, hz, NULL), TD_OK);
    steps(a.world, 5);
    steps(b.world, 5);
    for (int32_t i = 0; a.world && b.world && i < 32; i++) {
        td_vec3 x, y;
        segment_at(a.world, 0, i, NULL, &x, NULL);
        segment_at(b.world, 0, i, NULL, &y, NULL);
        CHECK(x.x == y.x && x.y == y.y && x.z == y.z);
    }
}

// ---- pendulums ------------------------------------------------------------------------------

// A stiff stick of 0.4 m and 0.2 kg that hangs or stands at x = 0.
static stage stick(const char *solver, bool stands, const char *constraints) {
    return stage_printed(
        "{objects: [{name: stick, loose: true, start: drawn, solver: %s, position: [0, 1, 0], "
        "strand: {points: [[0, 0, 0], [0, %s, 0]], segments: 4, elements: 4, radius: 0.002, "
        "bend: 1000, torsion: 1000, line_mass: 0.5}}], record: {fps: 60}, constraints: [%s]}",
        solver, stands ? "0.4" : "-0.4", constraints);
}

// The last of some modes, all others of which are 0.
static void check_last(stage s, int32_t count, td_real wanted, const char *what) {
    td_real hz[8];
    td_diag diag = {.message = ""};
    CHECK_INT(s.world ? td_world_settle(s.world, NULL, &diag) : TD_ERR_ARGUMENT, TD_OK);
    CHECK_SAY(modes_of(s.world, 0, count, hz, &diag) == TD_OK, "%s: %s", what, diag.message);
    const td_real found = wanted < 0 ? hz[0] : hz[count - 1];
    CHECK_SAY(is_near(found, wanted, 2e-3), "%s: %.9g Hz, theory %.9g", what, found, wanted);
    stage_free(&s);
}

TD_TEST(modes_of_a_stick_on_a_pin_are_those_of_a_pendulum) {
    const td_real hz = sqrt(1.5 * GRAVITY / 0.4) / TURN;
    for (int k = 0; k < SOLVERS; k++) {
        // it turns about itself besides
        check_last(stick(solvers[k], false, "{point: {a: {segment: 0, along: 0}}}"), 2, hz,
                   solvers[k]);
        check_last(stick(solvers[k], true, "{point: {a: {segment: 0, along: 0}}}"), 2, -hz,
                   solvers[k]);
        check_last(
            stick(solvers[k], false, "{hinge: {a: {segment: 0, along: 0}, axis: [0, 0, 1]}}"), 1,
            hz, solvers[k]);
    }
}

// The same stick as a strand whose end is held.
TD_TEST(modes_of_a_pinned_strand_are_those_of_a_pendulum) {
    for (int k = 0; k < SOLVERS; k++) {
        check_last(stage_printed("{objects: [{start: drawn, solver: %s, strand: {points: [[0, 0, "
                                 "0], [0, -0.4, 0]], segments: 4, elements: 4, radius: 0.002, "
                                 "bend: 1000, torsion: 1000, line_mass: 0.5, start: {held: "
                                 "pinned}}}], record: {fps: 60}}",
                                 solvers[k]),
                   3, sqrt(1.5 * GRAVITY / 0.4) / TURN, solvers[k]);
    }
}

// Rope l, then a stick of length b: (l + b/2) a'' ... as a double pendulum with the matrices
//   M = m [l^2, l b/2; l b/2, b^2/3],  K = m g [l, 0; 0, b/2]
TD_TEST(modes_of_a_stick_on_a_rope_or_on_a_bar_are_those_of_a_double_pendulum) {
    const td_real l = 0.5, b = 0.4, m11 = l * l, m12 = l * b / 2, m22 = b * b / 3, k1 = GRAVITY * l,
                  k2 = GRAVITY * b / 2, det = m11 * m22 - m12 * m12,
                  half = (m11 * k2 + m22 * k1) / (2 * det),
                  low = half - sqrt(half * half - k1 * k2 / det);
    // the first of two has its length already and would have to push the stick up: it takes no part
    const char *const two = "{rope: {a: {segment: 3}, to: [0, 0.3, 0], length: 0.3}}, "
                            "{rope: {a: {segment: 0, along: 0}, to: [0, 1.5, 0], length: 0.5}}";
    const char *const kinds[] = {
        "{rope: {a: {segment: 0, along: 0}, to: [0, 1.5, 0], length: 0.5}}",
        "{distance: {a: {segment: 0, along: 0}, to: [0, 1.5, 0], length: 0.5}}", two};
    for (int k = 0; k < 3 * SOLVERS; k++) {
        check_last(stick(solvers[k / 3], false, kinds[k % 3]), 2, sqrt(low) / TURN, kinds[k % 3]);
    }
}

// A stick held in its middle on y = x^2/(2 R): a bead, which turns freely besides.
TD_TEST(modes_of_a_bead_on_a_curve_follow_from_its_curvature) {
    check_last(stick("tree", false,
                     "{curve: {a: {segment: 1}, points: [[-0.5, 0.925, 0], [-0.4, 0.88, 0], [-0.3, "
                     "0.845, 0], [-0.2, 0.82, 0], [-0.1, 0.805, 0], [0, 0.8, 0], [0.1, 0.805, 0], "
                     "[0.2, 0.82, 0], [0.3, 0.845, 0], [0.4, 0.88, 0], [0.5, 0.925, 0]]}}"),
               4, sqrt(GRAVITY / 1.0) / TURN, "curve");
}

// ---- joined ---------------------------------------------------------------------------------

// Two beams end to end, joined by a weld, are one beam of twice the length.
TD_TEST(modes_of_welded_objects_are_those_of_one) {
    for (int k = 0; k < SOLVERS; k++) {
        char text[TEXT];
        snprintf(
            text, TEXT,
            "{gravity: [0, 0, 0], objects: [{name: near, start: drawn, solver: %s, strand: "
            "&half {points: [[0, 0, 0], [0.5, 0, 0]], segments: 16, elements: 8, radius: 0.004, "
            "bend: 0.05, torsion: 0.04, line_mass: 0.2}}, {name: far, loose: true, start: drawn, "
            "solver: %s, position: [0.5, 0, 0], strand: {points: [[0, 0, 0], [0.5, 0, 0]], "
            "segments: 16, elements: 8, radius: 0.004, bend: 0.05, torsion: 0.04, line_mass: "
            "0.2}}], record: {fps: 60}, constraints: [{weld: {a: {object: near, segment: 15}, b: "
            "{object: far, segment: 0, along: 0}}}]}",
            solvers[k], k == 0 ? "rod" : solvers[k]);
        char *anchor = strstr(text, "&half ");
        memmove(anchor, anchor + 6, strlen(anchor + 6) + 1);
        OWNED(stage) s = stage_of(text);
        td_real near[3], far[3];
        CHECK_INT(modes_of(s.world, 0, 3, near, NULL), TD_OK);
        CHECK_INT(modes_of(s.world, 1, 3, far, NULL), TD_OK);
        // the weld is as stiff as the first half segment, which then bends at its ends alone
        CHECK_SAY(is_near(near[0], beam_hz(1.875104), 0.03) &&
                      is_near(near[2], beam_hz(4.694091), 0.04),
                  "%s: %g and %g Hz", solvers[k], near[0], near[2]);
        CHECK(near[0] == far[0] && near[2] == far[2]);
        if (s.world) {
            CHECK_INT(td_world_mode_count(s.world, id_at(s.world, 0)),
                      actor_at(s.world, 0).dof_count + actor_at(s.world, 1).dof_count - 6);
        }
    }
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(modes_of_what_rests_on_a_floor_are_refused) {
    OWNED(stage) s =
        stage_of("{objects: [{name: stick, loose: true, position: [0, 0.0105, 0], strand: "
                 "{points: [[0, 0, 0], [0.3, 0, 0]], segments: 3, radius: 0.01}}], "
                 "colliders: [{plane: {}}], record: {fps: 60}}");
    td_real hz[1];
    td_diag diag = {.message = ""};
    CHECK_INT(modes_of(s.world, 0, 1, hz, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "'stick' has no modes: contacts support it") != NULL);
    if (s.world) {
        CHECK_INT(td_world_mode_count(s.world, id_at(s.world, 0)), 0);
    }
}

TD_TEST(modes_of_what_could_touch_but_does_not_are_those_without_contact) {
    td_real hz[2];
    for (int k = 0; k < 2; k++) {
        OWNED(stage) s = stage_printed(
            "{objects: [{name: reed, strand: {points: [[0, 0.5, 0], [0.1, 1, 0]], segments: "
            "8, radius: 0.01}}], %s record: {fps: 60}}",
            k == 0 ? "" : "colliders: [{plane: {}}],");
        CHECK_INT(modes_of(s.world, 0, 1, hz + k, NULL), TD_OK);
    }
    CHECK(is_near(hz[1], hz[0], 1e-6));
}

TD_TEST(modes_of_what_is_not_at_rest_are_refused) {
    for (int k = 0; k < 6; k++) {
        char text[TEXT];
        snprintf(text, TEXT,
                 "{gravity: [0, %s, 0], objects: [{name: reed, start: drawn, solver: %s, strand: "
                 "{points: [[0, 0, 0], [0.5, 0, 0]], segments: 8, radius: 0.005}}], record: {fps: "
                 "60}, loads: [{push: {force: [0, -0.01, 0], end: 0.1}}]}",
                 k / 3 ? "0" : "-9.81", solvers[k % 3]);
        OWNED(stage) s = stage_of(text);
        td_real hz[1];
        td_diag diag = {.message = ""};
        steps(s.world, 8);
        CHECK_INT(modes_of(s.world, 0, 1, hz, &diag), TD_ERR_ARGUMENT);
        CHECK_SAY(strstr(diag.message, "not at rest") != NULL, "%s: %s", text, diag.message);
        CHECK_INT(td_world_settle(s.world, NULL, NULL), TD_OK);
        CHECK_INT(modes_of(s.world, 0, 1, hz, &diag), TD_OK);
        CHECK_INT(modes_of(s.world, 0, 0, hz, &diag), TD_ERR_ARGUMENT);
    }
}

// A ball joint that is held straight is stiff: a stick on it swings as the whole does on the base.
TD_TEST(modes_of_a_chain_whose_ball_joint_is_held_are_those_of_one_with_less_joints) {
    td_real held[1], pinned[1], free_hz[1];
    td_diag diag = {.message = ""};
    static const char *const rows[] = {
        "{joint: {a: {object: beam, segment: 16}, bend: [0, 0, 0]}}",
        "{weld: {a: {object: beam, segment: 16}, b: {object: beam, segment: 15}}}", ""};
    td_real *to[3] = {held, pinned, free_hz};
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = beam("tree", "position: [0, 0, 0]", rows[k]);
        CHECK_SAY(modes_of(s.world, 0, 1, to[k], &diag) == TD_OK, "%s", diag.message);
    }
    CHECK_REL(held[0], pinned[0], 1e-9);
    CHECK(held[0] > 1.001 * free_hz[0]);
}

TD_TEST(actors_that_constraints_join_have_their_modes_in_common) {
    OWNED(stage) s = stage_of(
        "{objects: [{name: left, strand: {points: [[0, 0, 0], [0, -0.5, 0]], segments: 4}}, {name: "
        "other, strand: {points: [[2, 0, 0], [2, -0.5, 0]], segments: 4}}, {name: right, strand: "
        "{points: [[0.2, 0, 0], [0.2, -0.5, 0]], segments: 4}}], constraints: [{distance: {a: "
        "{object: left, segment: 3}, b: {object: right, segment: 3}}}], record: {fps: 60}}");
    td_actor_id joined[3] = {{0}, {0}, {0}};
    CHECK_INT(td_world_mode_actors(s.world, id_at(s.world, 2), joined, 3), 2);
    CHECK(joined[0].place == 1 && joined[1].place == 3);
    CHECK_INT(td_world_mode_actors(s.world, id_at(s.world, 1), joined, 1), 1);
    CHECK_INT(joined[0].place, 2);
    CHECK_INT(td_world_mode_actors(s.world, id_at(s.world, 3), joined, 3), 0);
}

TD_TEST(modes_with_a_constraint_that_is_not_met_are_refused_by_its_name) {
    OWNED(stage) s = stage_of(
        "{objects: [{name: cord, start: drawn, strand: {points: [[0, 0, 0], [0, -0.5, 0]], "
        "segments: 8}}], record: {fps: 60}, constraints: [{point: {name: hand, a: {segment: 7}, "
        "to: [0, 5, 0]}}]}");
    td_real hz[1];
    td_diag diag = {.message = ""};
    steps(s.world, 3);
    CHECK_INT(modes_of(s.world, 0, 1, hz, &diag), TD_ERR_ARGUMENT);
    CHECK_SAY(strstr(diag.message, "constraint 'hand' is not met") != NULL, "%s", diag.message);
}

TD_TEST(more_modes_than_constraints_leave_are_refused_with_their_count) {
    OWNED(stage) s = stick("tree", false, "{weld: {a: {segment: 0, along: 0}}}");
    td_real hz[16];
    td_diag diag = {.message = ""};
    CHECK_INT(s.world ? td_world_mode_count(s.world, id_at(s.world, 0)) : 0, 9);
    CHECK_INT(modes_of(s.world, 0, 10, hz, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message,
               "count is 10; it must be at least 1 and at most 9, the degrees of freedom");
}

// ---- wide spectra ---------------------------------------------------------------------------

// sqrt(3 EI/(m L^3)) = sqrt(6) rad/s of a mass on a light rod, whatever its torsion.
TD_TEST(lowest_mode_is_found_beside_stiff_torsion_of_a_light_rod) {
    const char *const torsion[] = {"2", "1e4", "1e8"}, *const mass[] = {"1e-3", "1e-6", "1e-9"};
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = stage_printed(
            "{gravity: [0, 0, 0], objects: [{solver: rod, start: drawn, strand: {points: [[0, "
            "0, 0], [0, 1, 0]], segments: 20, radius: 0.005, bend: 2, torsion: %s, line_mass: "
            "%s, tip_mass: 1}}], record: {fps: 60}}",
            torsion[k], mass[k]);
        td_real hz[2];
        CHECK_INT(modes_of(s.world, 0, 2, hz, NULL), TD_OK);
        CHECK_SAY(is_near(hz[0], sqrt(6) / TURN, 2e-3) && is_near(hz[1], hz[0], 1e-6),
                  "torsion %s: %g and %g Hz", torsion[k], hz[0], hz[1]);
    }
}

// ---- stability ------------------------------------------------------------------------------

// A pole of 1 m that leans by `lean`; it buckles under its weight below EI = 0.2503 N m^2.
static stage pole(const char *solver, const char *bend, const char *lean, const char *more) {
    return stage_printed(
        "{objects: [{name: pole, solver: %s, strand: {points: [[0, 0, 0], [%s, 1, 0]], "
        "segments: 20, elements: 20, radius: 0.004, bend: %s, torsion: 0.1, line_mass: "
        "0.2}}], %s record: {fps: 60}}",
        solver, lean, bend, more);
}

static bool warns_of_unstable(const char *solver, const char *bend, const char *lean,
                              const char *more) {
    stage s = pole(solver, bend, lean, more);
    const bool warned =
        s.diag_count > 0 && strstr(s.diags[0].message, "'pole' starts at rest where it is not "
                                                       "stable") != NULL;
    td_rest rest = {0};
    CHECK_INT(s.world ? td_world_settle(s.world, &rest, NULL) : TD_ERR_ARGUMENT, TD_OK);
    CHECK_SAY(rest.unstable == warned, "%s, EI %s", solver, bend);
    CHECK(s.world && actor_at(s.world, 0).unstable == warned);
    stage_free(&s);
    return warned;
}

TD_TEST(pole_that_starts_upright_above_the_load_of_greenhill_is_told_as_unstable) {
    for (int k = 0; k < SOLVERS; k++) {
        CHECK_SAY(!warns_of_unstable(solvers[k], "0.27", "0", ""), "%s", solvers[k]);
        CHECK_SAY(warns_of_unstable(solvers[k], "0.24", "0", ""), "%s", solvers[k]);
        CHECK_SAY(warns_of_unstable(solvers[k], "0.05", "0", ""), "%s", solvers[k]);
        // beside a floor that it does not touch
        CHECK_SAY(warns_of_unstable(solvers[k], "0.1", "0",
                                    "colliders: [{plane: {position: [0, -1, 0]}}],"),
                  "%s", solvers[k]);
        // bent over, or tied, it is stable
        CHECK_SAY(!warns_of_unstable(solvers[k], "0.2", "0.01", ""), "%s", solvers[k]);
        CHECK_SAY(!warns_of_unstable(solvers[k], "0.2", "0",
                                     "constraints: [{point: {a: {segment: 19}}}],"),
                  "%s", solvers[k]);
    }
}

TD_TEST(stick_that_stands_on_a_pin_is_told_as_unstable_and_one_that_hangs_is_not) {
    for (int k = 0; k < 2 * SOLVERS; k++) {
        OWNED(stage) s = stick(solvers[k / 2], k % 2 == 0, "{point: {a: {segment: 0, along: 0}}}");
        td_rest rest = {0};
        CHECK_INT(s.world ? td_world_settle(s.world, &rest, NULL) : TD_ERR_ARGUMENT, TD_OK);
        CHECK_SAY(rest.unstable == (k % 2 == 0), "%s", solvers[k / 2]);
    }
}

// The branch grows from the bifurcation with the square root of what is missing.
TD_TEST(rest_is_found_at_and_around_a_bifurcation) {
    for (int k = 0; k < SOLVERS; k++) {
        for (int n = 0; n <= 20; n++) {
            char bend[32];
            snprintf(bend, sizeof bend, "%.5f", 0.2490 + 0.0001 * n);
            OWNED(stage) s = pole(solvers[k], bend, "1e-6", "");
            td_rest rest = {0};
            td_diag diag = {.message = ""};
            CHECK_SAY(s.world && td_world_settle(s.world, &rest, &diag) == TD_OK, "%s, EI %s: %s",
                      solvers[k], bend, diag.message);
            CHECK_SAY(rest.residual < 1e-9, "%s, EI %s: %g", solvers[k], bend, rest.residual);
        }
    }
}
