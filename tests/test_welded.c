// SPDX-License-Identifier: MIT
// Welded bodies of strands touch what they meet, as they are drawn. Pairs with src/plant/solids.c.

#include "plant/solids.h"
#include "test_world_support.h"

#define SIDE  0.3   // m, of the cube
#define ABOVE 0.005 // m: more than the distance at which its edges rest, a tenth of 0.05 sides

// m: by which a box lies deeper where it does not lie on its corners: its other edges and its
// diagonals are thinner by a sixth. On another box both are.
#define INSIDE (0.05 * SIDE / 6)

// ---- shapes ---------------------------------------------------------------------------------

static td_real reach_of(const tdi_solid *solids, int32_t count, td_vec3 towards) {
    td_real most = -INFINITY;
    for (int32_t k = 0; k < count; k++) {
        for (int e = 0; e < 2; e++) {
            most = fmax(most, tdi_dot(solids[k].end[e], towards) + solids[k].radius);
        }
    }
    return most;
}

// Its capsules reach every face, and none reaches beyond one.
TD_TEST(welded_boxes_of_all_shapes_are_filled_to_their_faces) {
    static const td_vec3 sides[] = {
        {0.3, 0.3, 0.3}, {0.1, 0.02, 0.4}, {0.05, 1, 0.05}, {1, 0.01, 1}, {0.2, 0.3, 0.1}};
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
        const td_vec3 q = sides[k];
        td_shape shape = td_shape_default();
        tdi_solid solids[TDI_SOLIDS];
        shape.kind = TD_SHAPE_BOX;
        shape.width = q.x / q.y;
        shape.depth = q.z / q.y;
        const td_segment s = {.parent = 0, .joint = TD_JOINT_FIXED, .shape = 0, .length = q.y};
        const int32_t count = tdi_segment_solids(&s, &shape, solids);
        CHECK(count > 24 && count <= TDI_SOLIDS);
        CHECK_REL(reach_of(solids, count, tdi_vec3(1, 0, 0)), q.x / 2, 1e-12);
        CHECK_REL(reach_of(solids, count, tdi_vec3(-1, 0, 0)), q.x / 2, 1e-12);
        CHECK_REL(reach_of(solids, count, tdi_vec3(0, 1, 0)), q.y, 1e-12);
        CHECK_IN(reach_of(solids, count, tdi_vec3(0, -1, 0)), -1e-12, 1e-12);
        CHECK_REL(reach_of(solids, count, tdi_vec3(0, 0, 1)), q.z / 2, 1e-12);
        CHECK((tdi_box_leak(&s, &shape) > 0) == (k == 3)); // a plate of 1 m and 1 cm
    }
}

// ---- falling --------------------------------------------------------------------------------

// A cube on a wire along `up` that falls onto colliders and what else there is.
static stage falling(const char *solver, const char *method, double height, const char *up,
                     const char *more, const char *colliders) {
    return stage_printed(
        "{objects: [{name: cube, solver: %s, start: drawn, position: [0, %.17g, 0],\n"
        " strand: {points: [[0, 0, 0], %s], segments: 2, radius: 0.005,\n"
        "  start: {held: free}, bodies: [{at: 0, mass: 2, size: [0.3, 0.3, 0.3]}]}}%s],\n"
        " contact: {method: %s}, colliders: [%s]}",
        solver, height, up, more, method, colliders);
}

static double energy_of(td_world *w, int32_t actor) {
    const td_energy e = sums_at(w, actor).energy;
    return e.kinetic + e.elastic + e.weight;
}

typedef struct landed {
    double centre; // m: height
    double tilt;   // 1: a face is level
    double gained; // J: over the energy of the start, at most
    double speed;  // m/s, at last
    int32_t contacts;
} landed;

// Of the first actor, whose body is its last segment.
static landed fall(stage *s, double time) {
    landed out = {.tilt = 0};
    const double start = energy_of(s->world, 0);
    td_vec3 centre = {0, 0, 0}, before;
    while (s->world && td_world_time(s->world) < time - 1e-9 && s->status == TD_OK) {
        const td_real then = td_world_time(s->world);
        steps(s->world, 1);
        td_vec3 origin;
        td_quat turn;
        segment_at(s->world, 0, 2, &origin, NULL, &turn);
        before = centre;
        centre = tdi_add(origin, tdi_quat_rotate(turn, tdi_vec3(0, SIDE / 2, 0)));
        out.gained = fmax(out.gained, energy_of(s->world, 0) - start);
        out.speed = tdi_norm(tdi_sub(centre, before)) / td_world_dt(s->world);
        out.tilt = 0;
        for (int k = 0; k < 3; k++) {
            const td_vec3 axis = {k == 0, k == 1, k == 2};
            out.tilt = fmax(out.tilt, fabs(tdi_quat_rotate(turn, axis).y));
        }
        if (td_world_time(s->world) == then) {
            break;
        }
    }
    out.centre = centre.y;
    out.contacts = td_world_contacts(s->world, NULL, 0);
    return out;
}

TD_TEST(cube_that_falls_on_a_corner_comes_to_rest_on_a_face) {
    for (int k = 0; k < 3; k++) {
        for (int m = 0; m < 2; m++) {
            OWNED(stage) s =
                falling(solvers[k], methods[m], 0.27, "[0.1, 0.12, 0.07]", "", "{plane: {}}");
            const landed l = fall(&s, 1.5);
            CHECK_IN(l.centre, SIDE / 2, SIDE / 2 + ABOVE);
            CHECK_IN(l.tilt, 0.9999, 1);
            CHECK_IN(l.gained, 0, 1e-9);
            CHECK_IN(l.speed, 0, 1e-3);
        }
    }
}

// On the floor, on a table that is smaller than it, and on another cube, beside its middle.
TD_TEST(cube_rests_on_floors_tables_and_other_cubes) {
    for (int k = 0; k < 3; k++) {
        for (int m = 0; m < 2; m++) {
            char other[400];
            snprintf(
                other, sizeof other,
                ", {solver: %s, start: drawn, position: [0.03, 0.152, 0.02], strand: {points:\n"
                " [[0, 0, 0], [0, -0.1, 0]], segments: 1, radius: 0.005,\n"
                " start: {held: free}, bodies: [{at: 0, mass: 2, size: [0.3, 0.3, 0.3]}]}}",
                solvers[k]);
            const struct {
                const char *more, *colliders;
                double height;
            } cases[] = {{"", "{plane: {}}", 0},
                         {"", "{box: {size: [0.2, 0.1, 0.2], position: [0, 0.05, 0]}}", 0.1},
                         {other, "{plane: {}}", 0.302}};
            for (int c = 0; c < 3; c++) {
                const double rest = cases[c].height + SIDE / 2;
                OWNED(stage) s = falling(solvers[k], methods[m], rest + 0.01, "[0, 0.2, 0]",
                                         cases[c].more, cases[c].colliders);
                const landed l = fall(&s, 0.4);
                CHECK_IN(l.centre, rest - c * INSIDE, rest + ABOVE);
                CHECK_IN(l.tilt, 0.999, 1);
                CHECK_IN(l.gained, 0, 1e-9);
            }
        }
    }
}

// A bead has four radii across, a tip_mass six, as they are drawn; the wire lies between them.
// A face lies on the top of a sphere, and on a capsule along or across its edges: all are rounder
// than the cube is high, so that it stays there.
TD_TEST(cube_rests_on_spheres_and_capsules) {
    static const char *const round[] = {
        "{sphere: {radius: 0.5, position: [0, -0.5, 0], friction: 1}}",
        "{capsule: {radius: 0.5, length: 1, position: [0, -0.5, 0], rotation: {axis: [0, 0, 1], "
        "degrees: 90}, friction: 1}}",
        "{capsule: {radius: 0.5, length: 1, position: [0, -0.5, 0], rotation: {axis: [1, 0, 1], "
        "degrees: 90}, friction: 1}}"};
    for (int k = 0; k < 3; k++) {
        for (int m = 0; m < 2; m++) {
            for (int c = 0; c < 3; c++) {
                OWNED(stage) s = falling(solvers[k], methods[m], 0.16, "[0, 0.1, 0]", "", round[c]);
                const landed l = fall(&s, 0.5);
                CHECK_SAY(l.centre >= SIDE / 2 - INSIDE && l.centre <= SIDE / 2 + ABOVE,
                          "%s %s %d: %g", solvers[k], methods[m], c, l.centre);
                CHECK_IN(l.tilt, 0.999, 1);
                CHECK_IN(l.gained, 0, 1e-9);
                CHECK(l.contacts > 0);
            }
        }
    }
}

// ---- plates ---------------------------------------------------------------------------------

typedef struct heard {
    int32_t count;
    char last[240];
} heard;

static void hear(void *context, td_log_level level, const char *text) {
    heard *h = context;
    if (level == TD_LOG_WARNING && strstr(text, "thin plate")) {
        h->count++;
        snprintf(h->last, sizeof h->last, "%s", text);
    }
}

TD_TEST(plate_thinner_than_a_7th_of_its_width_is_warned_of) {
    static const struct {
        const char *size, *contact;
        bool warned;
    } cases[] = {{"[0.3, 0.045, 0.3]", "contact: {},", false},
                 {"[0.3, 0.043, 0.3]", "contact: {},", true},
                 {"[0.02, 0.3, 0.3]", "contact: {},", true},
                 {"[0.02, 0.3, 0.02]", "contact: {},", false}, // a beam has no face to pass
                 {"[0.3, 0.02, 0.3]", "", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        heard h = {.count = 0};
        td_world_opts opts = td_world_opts_default();
        char text[500];
        opts.log = (td_log){hear, &h, TD_LOG_WARNING};
        snprintf(text, sizeof text,
                 "{%s objects: [{name: plate, start: drawn, strand: {points: [[0, 0, 0], [0, 0.1, "
                 "0]], segments: 2, radius: 0.005, start: {held: free}, bodies: [{at: 0, mass: 2, "
                 "size: %s}]}}]}",
                 cases[k].contact, cases[k].size);
        OWNED(stage) s = stage_with(text, opts, NULL);
        CHECK_INT(s.status, TD_OK);
        CHECK_SAY(h.count == (cases[k].warned ? 1 : 0), "%s: %d", cases[k].size, (int)h.count);
        if (cases[k].warned) {
            CHECK_HAS(h.last, "'plate': the welded body of segment 2 is a thin plate; things "
                              "thinner than ");
        }
    }
}

// ---- parts ----------------------------------------------------------------------------------

TD_TEST(beads_and_masses_at_tips_lie_on_the_floor_as_they_are_drawn) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = stage_printed(
            "{objects: [{solver: %s, start: drawn, position: [0, 0.02, 0], strand: {points:\n"
            " [[0, 0, 0], [0.3, 0, 0]], segments: 2, radius: 0.005,  \n"
            " start: {held: free}, bodies: [{at: 0, mass: 0.5}], tip_mass: 0.2}}],\n"
            " contact: {}, colliders: [{plane: {}}]}",
            solvers[k]);
        run_to(s.world, 0.5);
        td_vec3 start;
        segment_at(s.world, 0, 0, &start, NULL, NULL);
        CHECK_IN(start.y, 0.01, 0.0125);
        CHECK_IN(tip_of(s.world, 0, 1).y, 0.015, 0.0185);
    }
}

// Nothing of a strand touches what is welded to it where it is drawn: it falls freely.
TD_TEST(welded_bodies_do_not_touch_their_own_strand) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = stage_printed(
            "{air_density: 0, objects: [{solver: %s, start: drawn, strand: {points:\n"
            " [[0, 0, 0], [1, 0, 0]], segments: 10, radius: 0.005, start: {held: free},\n"
            " tip_mass: 0.1, bodies: [{at: 0.3, mass: 1, size: [0.1, 0.2, 0.1]},\n"
            " {at: 0.75, mass: 1, size: [0.1, 0.05, 0.1], position: [0.1, 0, 0]}]}}],\n"
            " contact: {}}",
            solvers[k]);
        run_to(s.world, 0.2);
        CHECK_INT(td_world_contacts(s.world, NULL, 0), 0);
        const td_sums sums = sums_at(s.world, 0);
        CHECK(fabs(sums.linear.x) + fabs(sums.linear.z) < 1e-9);
    }
}
