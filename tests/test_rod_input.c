// SPDX-License-Identifier: MIT
// What a caller may get wrong with rods: every number of every struct, shapes, sizes. Each must
// come back as a status with a message that says what is wrong.

#include "test_input.h"
#include "test_rod_shapes.h"

static td_vec3 good[6];

// An open rod of six points in a bend.
static td_rod_def good_rod(void) {
    td_rod_def d = td_rod_def_default();
    for (int32_t k = 0; k < 6; k++) {
        good[k] = tdi_vec3(0.1 * k, 0.02 * k * k, 0);
    }
    d.vertex_count = 6;
    d.points = good;
    return d;
}

static void check_refused(const td_rod_def *defs, int32_t count, const td_rod_body *body,
                          td_status want, const char *part, int line) {
    OWNED(td_body_model) *model = NULL;
    td_diag diag = {.message = ""};
    td_status got = td_rod_model_new(defs, count, body, body != NULL, NULL, &model, &diag);
    test_check(got == want && diag.status == want && strstr(diag.message, part) && !model, __FILE__,
               line, "wanted \"%s\", got \"%s\", \"%s\"", part, td_status_text(got), diag.message);
}

#define REFUSED(defs, count, part) check_refused(defs, count, NULL, TD_ERR_ARGUMENT, part, __LINE__)

// ---- numbers --------------------------------------------------------------------------------

static const number rod_numbers[] = {
    NUMBER(td_rod_def, radius, "radius"),     NUMBER(td_rod_def, radius_other, "radius_other"),
    VECTOR(td_rod_def, director, "director"), NUMBER(td_rod_def, twist_rest, "twist"),
    NUMBER(td_rod_def, twist, "twist"),       NUMBER(td_rod_def, density, "density"),
    NUMBER(td_rod_def, young, "young"),       NUMBER(td_rod_def, shear, "shear"),
    NUMBER(td_rod_def, poisson, "poisson"),   NUMBER(td_rod_def, damping_time, "damping_time"),
    NUMBER(td_rod_def, bend_x, "bend_x"),     NUMBER(td_rod_def, bend_z, "bend_z"),
    NUMBER(td_rod_def, twist_y, "twist_y"),   NUMBER(td_rod_def, stretch, "stretch"),
    NUMBER(td_rod_def, mass, "mass"),
};

TD_TEST(rod_refuses_what_is_no_number_in_every_field) {
    for (int i = 0; i < COUNT_OF(rod_numbers); i++) {
        for (int k = 0; k < COUNT_OF(no_numbers); k++) {
            td_rod_def d = good_rod();
            memcpy((char *)&d + rod_numbers[i].offset, &no_numbers[k], sizeof no_numbers[k]);
            REFUSED(&d, 1, rod_numbers[i].name);
        }
    }
}

TD_TEST(rod_refuses_no_radius_density_or_stiffness) {
    const number positive[] = {NUMBER(td_rod_def, radius, "radius"),
                               NUMBER(td_rod_def, density, "density"),
                               NUMBER(td_rod_def, young, "young")};
    const number not_negative[] = {
        NUMBER(td_rod_def, radius_other, "radius_other"), NUMBER(td_rod_def, shear, "shear"),
        NUMBER(td_rod_def, damping_time, "damping_time"), NUMBER(td_rod_def, bend_x, "bend_x"),
        NUMBER(td_rod_def, stretch, "stretch"),           NUMBER(td_rod_def, mass, "mass")};
    const double zero = 0, less = -1e-9;
    for (int i = 0; i < COUNT_OF(positive); i++) {
        td_rod_def d = good_rod();
        memcpy((char *)&d + positive[i].offset, &zero, sizeof zero);
        REFUSED(&d, 1, positive[i].name);
    }
    for (int i = 0; i < COUNT_OF(not_negative); i++) {
        td_rod_def d = good_rod();
        memcpy((char *)&d + not_negative[i].offset, &less, sizeof less);
        REFUSED(&d, 1, not_negative[i].name);
    }
}

// Shear is young/(2 (1 + poisson)), and no volume grows under pressure.
TD_TEST(rod_takes_poissons_ratios_above_minus_one_up_to_a_half) {
    const double refused[] = {-1.5, -1, 0.51}, taken[] = {-0.99, 0.5};
    for (int k = 0; k < COUNT_OF(refused); k++) {
        td_rod_def d = good_rod();
        d.poisson = refused[k];
        REFUSED(&d, 1, "poisson");
    }
    for (int k = 0; k < COUNT_OF(taken); k++) {
        OWNED(td_body_model) *model = NULL;
        td_rod_def d = good_rod();
        d.poisson = taken[k];
        CHECK_INT(td_rod_model_new(&d, 1, NULL, 0, NULL, &model, NULL), TD_OK);
    }
}

TD_TEST(rod_refuses_a_struct_of_another_size) {
    td_rod_def d = good_rod();
    d.struct_size = 0;
    check_refused(&d, 1, NULL, TD_ERR_DEF, "default", __LINE__);
    td_rod_def two[2] = {good_rod(), good_rod()};
    two[1].struct_size--;
    check_refused(two, 2, NULL, TD_ERR_DEF, "rod 1: struct_size is wrong", __LINE__);
}

// ---- shapes ---------------------------------------------------------------------------------

TD_TEST(rod_refuses_two_equal_vertices_and_names_them) {
    td_rod_def d = good_rod();
    good[3] = good[2];
    REFUSED(&d, 1, "points[2] and the next point are the same");
    d = good_rod();
    d.closed = true;
    good[5] = good[0];
    REFUSED(&d, 1, "points[5] and the next point are the same");
}

TD_TEST(rod_refuses_an_edge_folded_back_on_the_one_before) {
    td_rod_def d = good_rod();
    good[3] = good[1];
    REFUSED(&d, 1, "folded back");
}

TD_TEST(rod_refuses_points_and_rest_that_are_not_finite) {
    for (int k = 0; k < 6; k++) {
        td_vec3 rest[6];
        td_rod_def d = good_rod();
        memcpy(rest, good, sizeof rest);
        d.rest = rest;
        rest[k].y = (double)NAN;
        REFUSED(&d, 1, "rest[");
        good[k].z = (double)INFINITY;
        REFUSED(&d, 1, "points[");
    }
}

TD_TEST(rod_refuses_radii_of_single_edges_that_are_not_above_zero) {
    td_real radii[5] = {0.01, 0.01, 0, 0.01, 0.01};
    td_rod_def d = good_rod();
    d.radii = radii;
    REFUSED(&d, 1, "radii[2]");
}

TD_TEST(rod_refuses_too_few_points_or_none) {
    td_rod_def d = good_rod();
    d.vertex_count = 1;
    REFUSED(&d, 1, "vertex_count");
    d = good_rod();
    d.closed = true;
    d.vertex_count = 2;
    REFUSED(&d, 1, "vertex_count");
    d = good_rod();
    d.points = NULL;
    REFUSED(&d, 1, "points");
    REFUSED(NULL, 1, "at least one rod");
    REFUSED(&d, 0, "at least one rod");
}

TD_TEST(closed_rod_refuses_ends) {
    td_rod_def d = good_rod();
    d.closed = true;
    d.end = TD_END_PINNED;
    REFUSED(&d, 1, "end");
}

// ---- networks -------------------------------------------------------------------------------

TD_TEST(rod_refuses_a_parent_that_is_not_there) {
    td_rod_def d[2] = {good_rod(), good_rod()};
    d[0].parent_rod = 0;
    REFUSED(d, 2, "parent_rod");
    d[0].parent_rod = TD_NONE;
    d[1].parent_rod = 1;
    REFUSED(d, 2, "parent_rod");
    d[1].parent_rod = 0;
    d[1].parent_vertex = 6;
    REFUSED(d, 2, "parent_vertex");
    d[1].parent_vertex = -1;
    REFUSED(d, 2, "parent_vertex");
    d[1].parent_vertex = 4; // it starts elsewhere
    REFUSED(d, 2, "does not start");
}

TD_TEST(body_refuses_a_place_that_is_not_there_and_bad_numbers) {
    const td_rod_def d = good_rod();
    const td_rod_body fine = {.rod = 0, .edge = 2, .mass = 1, .second_moment = {1, 1, 1, 0, 0, 0}};
    td_rod_body b = fine;
    b.rod = 1;
    check_refused(&d, 1, &b, TD_ERR_ARGUMENT, "rod", __LINE__);
    b = fine;
    b.edge = 5;
    check_refused(&d, 1, &b, TD_ERR_ARGUMENT, "edge", __LINE__);
    const td_rod_body both[2] = {fine, fine};
    OWNED(td_body_model) *model = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_rod_model_new(&d, 1, both, 2, NULL, &model, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "body 1: its edge has one already");
    b = fine;
    b.mass = 0;
    check_refused(&d, 1, &b, TD_ERR_ARGUMENT, "mass", __LINE__);
    b = fine;
    b.centre_of_mass.y = (double)NAN;
    check_refused(&d, 1, &b, TD_ERR_ARGUMENT, "centre_of_mass", __LINE__);
    for (int k = 0; k < 6; k++) {
        b = fine;
        (&b.second_moment.xx)[k] = (double)NAN;
        check_refused(&d, 1, &b, TD_ERR_ARGUMENT, "second_moment", __LINE__);
    }
}

// ---- steps ----------------------------------------------------------------------------------

TD_TEST(ends_of_rods_are_not_moved_to_where_nothing_can_be) {
    td_rod_def d = good_rod();
    d.start = TD_END_CLAMPED;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    const td_vec3 nowhere = {0, (double)NAN, 0}, here = {0, 0, 0};
    const td_quat no_turn = {(double)NAN, 0, 0, 0};
    td_diag diag = {.message = ""};
    CHECK_INT(td_rod_set_end(s.state, 0, false, nowhere, tdi_quat_identity(), &diag),
              TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "position of an end");
    CHECK_INT(td_rod_set_end(s.state, 0, false, here, no_turn, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "rotation of an end");
    CHECK_INT(td_body_step(s.state, NULL, NULL, &diag), TD_OK);
}

TD_TEST(rods_are_not_changed_by_hand_to_numbers_that_no_step_can_take) {
    static const struct {
        const char *message;
        td_real place, velocity, spin, angle;
    } rows[] = {{"position of vertex 3", NAN, 0, 0, 0},
                {"velocity of vertex 3", 0, INFINITY, 0, 0},
                {"rate is", 0, 0, NAN, 0},
                {"rate is", 0, 0, INFINITY, 0},
                {"angle is", 0, 0, 0, NAN},
                {"angle is 4 rad", 0, 0, 0, 4}};
    td_rod_def d = good_rod();
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    const td_vec3 x = td_rod_position(s.state, 3);
    for (int k = 0; k < COUNT_OF(rows); k++) {
        td_diag diag = {.message = ""};
        const td_status status =
            k < 2   ? td_rod_set_vertex(s.state, 3, tdi_vec3(0.3 + rows[k].place, 0.2, 0),
                                        tdi_vec3(0, rows[k].velocity, 0), &diag)
            : k < 4 ? td_rod_set_spin(s.state, 3, rows[k].spin, &diag)
                    : td_rod_turn(s.state, 3, rows[k].angle, &diag);
        check_refusal(status, TD_ERR_ARGUMENT, &diag, rows[k].message, k);
    }
    CHECK(tdi_norm(tdi_sub(td_rod_position(s.state, 3), x)) == 0);
    CHECK_INT(td_rod_turn(s.state, 3, 3.14, NULL), TD_OK);
    CHECK_INT(td_body_step(s.state, NULL, NULL, NULL), TD_OK);
}

// ---- changed by hand ------------------------------------------------------------------------

// A straight rod along X whose vertices are pulled apart by a tenth; then one edge is turned.
TD_TEST(tension_twist_and_moment_of_a_rod_are_fresh_after_it_was_changed_by_hand) {
    td_vec3 points[5];
    straight_line(points, 5, tdi_vec3(0, 0, 0), tdi_vec3(0.4, 0, 0));
    td_rod_def d = td_rod_def_default();
    d.points = points;
    d.vertex_count = 5;
    d.stretch = 70;
    d.twist_y = 0.02;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    CHECK(td_rod_tension(s.state, 2) == 0);
    for (int32_t v = 0; v < 5; v++) {
        CHECK(td_rod_set_vertex(s.state, v, tdi_scale(points[v], 1.1), no_weight, NULL) == TD_OK);
    }
    for (int32_t e = 0; e < 4; e++) {
        CHECK_REL(td_rod_tension(s.state, e), 7, 1e-12);
    }
    CHECK(td_rod_turn(s.state, 2, 0.3, NULL) == TD_OK);
    CHECK_REL(td_rod_twist_angle(s.state, 2), 0.3, 1e-12);
    CHECK_REL(td_rod_twist_angle(s.state, 3), -0.3, 1e-12);
    CHECK_REL(td_body_moment(s.state, 2).y, 0.02 * 0.3 / 0.1, 1e-12);
    // it bends about Y of the world at vertex 2
    CHECK(td_rod_set_vertex(s.state, 3, tdi_vec3(0.22, 0.11, 0), no_weight, NULL) == TD_OK);
    td_vec3 along = tdi_quat_rotate(td_body_rotation(s.state, 2), tdi_vec3(0, 1, 0));
    CHECK(tdi_norm(tdi_sub(along, tdi_vec3(0, 1, 0))) < 1e-12);
    CHECK(tdi_norm(td_body_moment(s.state, 2)) > 0);
}

// Reading between changes, even while an edge has no length, changes neither what comes of them...
TD_TEST(rod_changed_by_hand_and_read_meanwhile_is_the_one_that_was_not_read) {
    const td_rod_def d = good_rod();
    OWNED(rods) read = rods_new(&d, 1, NULL, 0), unread = rods_new(&d, 1, NULL, 0);
    td_step_opts opts = td_step_opts_default();
    const td_vec3 other = td_rod_position(read.state, 2);
    for (int pass = 0; pass < 2; pass++) {
        rods s = pass ? read : unread;
        CHECK(td_rod_set_vertex(s.state, 1, other, no_weight, NULL) == TD_OK); // on the next vertex
        CHECK(!pass || isfinite(td_rod_twist_angle(s.state, 1)));
        CHECK(td_rod_set_vertex(s.state, 1, tdi_madd(other, tdi_vec3(0, 1, 0), 0.02), no_weight,
                                NULL) == TD_OK);
        CHECK(!pass || isfinite(td_rod_tension(s.state, 1)));
        CHECK(!pass || isfinite(td_body_energy(s.state, no_weight).elastic));
        // ... nor that the state was set by hand: a base does not put it back
        CHECK(td_body_set_base(s.state, &(td_base_motion){.rotation = {1, 0, 0, 0}}, NULL) ==
              TD_OK);
        CHECK_INT(td_body_step(s.state, &opts, NULL, NULL), TD_OK);
    }
    for (int32_t v = 0; v < td_rod_vertex_count(read.model); v++) {
        td_vec3 a = td_rod_position(read.state, v), b = td_rod_position(unread.state, v);
        CHECK(memcmp(&a, &b, sizeof a) == 0);
    }
}
