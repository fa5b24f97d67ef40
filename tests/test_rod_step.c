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

TD_TEST(rod_at_rest_has_no_force_left) {
    tdi_random r = random_of(51);
    for (int k = 0; k < 10; k++) {
        OWNED(rods) s = k % 2 ? branching_rods(&r, true, true)
                              : open_rod(&r, 12, TD_END_CLAMPED, TD_END_CLAMPED);
        td_step_opts opts = td_step_opts_default();
        td_vec3 force[64];
        td_real turn[64];
        CHECK_INT(td_body_settle(s.state, &opts, NULL, NULL), TD_OK);
        td_rod_forces(s.state, down, force, turn);
        for (int32_t v = 0; v < td_rod_vertex_count(s.model); v++) {
            if (!(tdi_as_rod_model(s.model)->node[tdi_as_rod_model(s.model)->vertex_node[v]].flags &
                  TDI_HELD_PLACE)) {
                CHECK_IN(tdi_norm(force[v]), 0, 1e-7); // of about 10 N
            }
        }
        for (int32_t e = 0; e < tdi_as_rod_model(s.model)->edge_count; e++) {
            CHECK_IN(turn[e], -1e-7, 1e-7);
        }
    }
}

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

// ---- motion ---------------------------------------------------------------------------------

// backward Euler has g h^2 n (n + 1)/2
TD_TEST(free_rod_falls_as_everything_does) {
    td_vec3 points[6];
    td_rod_def d = straight_def(points, 6);
    d.start = TD_END_FREE;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    td_step_opts opts = td_step_opts_default();
    opts.integrator = TD_IMPLICIT_EULER;
    opts.dt = 0.01;
    for (int32_t k = 0; k < 20; k++) {
        CHECK_INT(td_body_step(s.state, &opts, NULL, NULL), TD_OK);
    }
    for (int32_t v = 0; v < 6; v++) {
        CHECK_REL(td_rod_position(s.state, v).y, -9.81 * 1e-4 * 210, 1e-10);
        CHECK_REL(td_rod_velocity(s.state, v).y, -9.81 * 0.2, 1e-10);
    }
}

// energy of a swing never grows beyond Newton's tolerance with backward Euler
TD_TEST(energy_of_rods_never_grows_with_backward_euler) {
    tdi_random r = random_of(54);
    for (int k = 0; k < 6; k++) {
        OWNED(rods) s = k % 3 == 0   ? open_rod(&r, 12, TD_END_CLAMPED, TD_END_FREE)
                        : k % 3 == 1 ? ring_rod(&r, 12)
                                     : branching_rods(&r, true, false);
        td_step_opts opts = td_step_opts_default();
        opts.integrator = TD_IMPLICIT_EULER;
        opts.tolerance = 1e-8;
        td_energy e = td_body_energy(s.state, down);
        td_real before = e.elastic + e.weight + e.kinetic, size = e.elastic;
        for (int32_t n = 0; n < 60; n++) {
            CHECK_INT(td_body_step(s.state, &opts, NULL, NULL), TD_OK);
            e = td_body_energy(s.state, down);
            td_real now = e.elastic + e.weight + e.kinetic;
            CHECK(now <= before + 1e-6 * size);
            before = now;
        }
    }
}

// a rod that does not stretch, stiff and let go: it comes to rest, it does not blow up
TD_TEST(inextensible_rod_comes_to_rest_in_large_steps) {
    td_vec3 points[11];
    td_rod_def d = straight_def(points, 11);
    d.young = 1e8;
    d.inextensible = true;
    d.damping_time = 0.1;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    td_step_opts opts = td_step_opts_default();
    for (int32_t k = 0; k < 600; k++) {
        CHECK_INT(td_body_step(s.state, &opts, NULL, NULL), TD_OK);
    }
    td_vec3 stepped = td_body_tip(s.state, 9);
    CHECK_INT(td_body_settle(s.state, &opts, NULL, NULL), TD_OK);
    CHECK_IN(tdi_norm(tdi_sub(stepped, td_body_tip(s.state, 9))), 0, 1e-4);
}

// ---- modes ----------------------------------------------------------------------------------

// f = (beta l)^2/(2 pi l^2) sqrt(EI/(rho A)) in pairs; halving the edges quarters the error
TD_TEST(modes_of_a_clamped_rod_match_beam_theory_at_second_order) {
    const td_real beta[2] = {1.87510407, 4.69409113};
    td_mode modes[3][4];
    for (int32_t k = 0; k < 3; k++) {
        OWNED(rods) s = straight_rod((20 << k) + 1, TD_END_FREE);
        CHECK_INT(td_body_modes(s.state, no_weight, 4, modes[k], NULL), TD_OK);
    }
    for (int32_t j = 0; j < 4; j++) {
        td_real want = beta[j / 2] * beta[j / 2] / (2 * PI) * sqrt(1e7 * 1e-4 / 4 / 1000);
        CHECK_REL(modes[2][j].frequency, want, 1e-3);
        CHECK_IN(modes[2][j].twist, 0, 1e-6);
        td_real a = modes[0][j].frequency, b = modes[1][j].frequency, c = modes[2][j].frequency;
        CHECK_IN((a - b) / (b - c), 3.8, 4.2);
    }
}

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

// zeta = pi f t, as for trees
TD_TEST(damping_ratio_of_rods_follows_from_the_material) {
    td_vec3 points[21];
    td_rod_def d = straight_def(points, 21);
    td_mode modes[6];
    d.damping_time = 0.003;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    CHECK_INT(td_body_modes(s.state, no_weight, 6, modes, NULL), TD_OK);
    for (int32_t k = 0; k < 6; k++) {
        CHECK_REL(modes[k].damping_ratio, PI * modes[k].frequency * 0.003, 1e-6);
    }
}

// ---- increments -----------------------------------------------------------------------------

// The largest increment of a rod whose edges turn about themselves by an angle, the last by more.
static td_real largest_of_turns(td_end_kind start, td_real angle, td_real more) {
    td_vec3 points[MOST_POINTS];
    td_rod_def d = straight_def(points, 11);
    d.start = start;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    const int32_t nodes = tdi_as_rod_model(s.model)->node_count;
    for (int32_t i = 0; i < nodes; i++) {
        const td_real turn = angle + (i == nodes - 1 ? more : 0);
        tdi_as_rod(s.state)->step[i] = (tdi_rod_step){
            .x = {0, 0, 0, tdi_has_edge(&tdi_as_rod_model(s.model)->node[i]) ? turn : 0}};
    }
    const td_real largest = tdi_rod_largest(tdi_as_rod(s.state));
    return largest;
}

// A rod of 10 mm radius that rolls by 0.01 rad moves by 0.1 mm, and is not twisted.
TD_TEST(rod_that_rolls_moves_by_its_surface_and_by_its_twist) {
    CHECK_REL(largest_of_turns(TD_END_FREE, 0.01, 0), 1e-4, 1e-12);
    CHECK_REL(largest_of_turns(TD_END_FREE, 0.01, 0.002), 0.002, 1e-9);
    CHECK_REL(largest_of_turns(TD_END_CLAMPED, 0.01, 0), 0.01, 1e-12);
    CHECK_REL(largest_of_turns(TD_END_CLAMPED, 0.01, 0.002), 0.012, 1e-12);
}
