// SPDX-License-Identifier: MIT
// Steps and statics of rods. Pairs with src/rod/step.c, newton.c and pose.c.

#include "test_rod_shapes.h"

#define PI 3.14159265358979323846

// A straight rod along X of length 1, round.
static td_rod_def straight_def(td_vec3 *points, int32_t count) {
    td_rod_def d = td_rod_def_default();
    straight_line(points, count, tdi_vec3(0, 0, 0), tdi_vec3(1, 0, 0));
    d.vertex_count = count;
    d.points = points;
    d.radius = 0.01;
    d.start = TD_END_CLAMPED;
    return d;
}

static rods straight_rod(int32_t count, td_end_kind end) {
    td_vec3 points[MOST_POINTS];
    td_rod_def d = straight_def(points, count);
    d.end = end;
    return rods_new(&d, 1, NULL, 0);
}

// ---- rest -----------------------------------------------------------------------------------

// ends drawn apart by a fifth more than the rod is long: EA 0.2 everywhere
TD_TEST(rod_pulled_past_its_length_stretches_as_its_material_says) {
    OWNED(rods) s = straight_rod(21, TD_END_CLAMPED);
    td_step_opts opts = td_step_opts_default();
    td_quat rotation = td_body_rotation(s.state, 19);
    opts.gravity = no_weight;
    CHECK(td_rod_set_end(s.state, 0, true, tdi_vec3(1.2, 0, 0), rotation, NULL) == TD_OK);
    CHECK_INT(td_body_settle(s.state, &opts, NULL, NULL), TD_OK);
    for (int32_t e = 0; e < 20; e++) {
        CHECK_REL(td_rod_tension(s.state, e), 0.2 * 1e7 * PI * 1e-4, 1e-9);
    }
}

// the same in one step of time, twice its length and from a curl: finite, and it ends at its ends
TD_TEST(rod_torn_apart_in_one_step_steps_on_and_stays_finite) {
    for (int k = 0; k < 4; k++) {
        td_vec3 points[21];
        td_rod_def d = straight_def(points, 21);
        d.end = TD_END_CLAMPED;
        d.inextensible = k % 2;
        OWNED(rods) s = rods_new(&d, 1, NULL, 0);
        td_step_opts opts = td_step_opts_default();
        td_quat rotation = td_body_rotation(s.state, 19);
        td_vec3 end = k < 2 ? tdi_vec3(2, 0, 0) : tdi_vec3(0.5, 2, 1);
        CHECK(td_rod_set_end(s.state, 0, true, end, rotation, NULL) == TD_OK);
        for (int32_t n = 0; n < 30; n++) {
            CHECK_INT(td_body_step(s.state, &opts, NULL, NULL), TD_OK);
            CHECK(tdi_norm(td_rod_position(s.state, 0)) == 0);
            CHECK(tdi_norm(tdi_sub(td_rod_position(s.state, 20), end)) == 0);
            for (int32_t v = 0; v < 21; v++) {
                td_vec3 x = td_rod_position(s.state, v);
                CHECK(tdi_finite3(x) && tdi_norm(x) < 10);
            }
        }
    }
}

// ---- modes ----------------------------------------------------------------------------------

// in its plane (E J) n^2 (n^2 - 1)^2/(n^2 + 1), out of it n^2 (n^2 - 1)^2/(n^2 + 1 + nu): for n = 2
// and a round section nu is 0.5 here; six ways to move without force
TD_TEST(modes_of_a_ring_match_theory_after_six_of_no_frequency) {
    enum { COUNT = 120 };
    td_vec3 points[COUNT];
    td_rod_def d = td_rod_def_default();
    td_mode modes[10];
    const td_real radius = 0.2;
    for (int32_t k = 0; k < COUNT; k++) {
        points[k] = tdi_vec3(radius * cos(2 * PI * k / COUNT), radius * sin(2 * PI * k / COUNT), 0);
    }
    d.vertex_count = COUNT;
    d.points = points;
    d.closed = true;
    d.radius = 0.001;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    CHECK_INT(td_body_modes(s.state, no_weight, 10, modes, NULL), TD_OK);
    td_real unit = sqrt(d.young / d.density) * d.radius / 2 / (radius * radius) / (2 * PI);
    for (int32_t j = 0; j < 6; j++) {
        CHECK_IN(fabs(modes[j].frequency), 0, 1e-3 * modes[6].frequency);
    }
    for (int32_t j = 6; j < 10; j++) {
        td_real want = unit * sqrt(4 * 9 / (j < 8 ? 5 + d.poisson : 5));
        CHECK_REL(modes[j].frequency, want, 3e-3);
    }
}

// ---- increments -----------------------------------------------------------------------------

// The largest increment of a rod whose edges turn about themselves by an angle, the last by more.
static td_real largest_of_turns(td_end_kind start, td_real angle, td_real more) {
    td_vec3 points[MOST_POINTS];
    td_rod_def d = straight_def(points, 11);
    d.start = start;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    const int32_t nodes = s.m->node_count;
    for (int32_t i = 0; i < nodes; i++) {
        const td_real turn = angle + (i == nodes - 1 ? more : 0);
        s.s->step[i] = (tdi_rod_step){.x = {0, 0, 0, tdi_has_edge(&s.m->node[i]) ? turn : 0}};
    }
    const td_real largest = tdi_rod_largest(s.s);
    return largest;
}

// A rod of 10 mm radius that rolls by 0.01 rad moves by 0.1 mm, and is not twisted.
TD_TEST(rod_that_rolls_moves_by_its_surface_and_by_its_twist) {
    CHECK_REL(largest_of_turns(TD_END_FREE, 0.01, 0), 1e-4, 1e-12);
    CHECK_REL(largest_of_turns(TD_END_FREE, 0.01, 0.002), 0.002, 1e-9);
    CHECK_REL(largest_of_turns(TD_END_CLAMPED, 0.01, 0), 0.01, 1e-12);
    CHECK_REL(largest_of_turns(TD_END_CLAMPED, 0.01, 0.002), 0.012, 1e-12);
}
