// SPDX-License-Identifier: MIT
// Rods by the explicit step: lengths by projection, frames at rest, symplectic Euler. Pairs with
// src/published/rod_step.c and rod_frames.c.

#include "test_rod_shapes.h"

#include "rod/implicit.h"
#include "rod/solve.h"

#define PI 3.14159265358979323846

static td_step_opts euler(td_real dt) {
    td_step_opts o = td_step_opts_default();
    o.integrator = TD_EULER;
    o.dt = dt;
    return o;
}

static void run(rods s, const td_step_opts *o, int32_t steps) {
    td_diag diag = {.message = ""};
    for (int32_t k = 0; k < steps; k++) {
        td_status status = td_body_step(s.state, o, NULL, &diag);
        if (status != TD_OK) {
            test_failed(__FILE__, __LINE__, "step %d: %s", k, diag.message);
            return;
        }
    }
}

// Half a metre of soft, flat rod, level and clamped; does not stretch by implicit steps either.
enum { VERTICES = 21 };
static td_rod_def swinging(td_vec3 *points) {
    td_rod_def d = td_rod_def_default();
    straight_line(points, VERTICES, tdi_vec3(0, 0, 0), tdi_vec3(0.5, 0, 0));
    d.vertex_count = VERTICES;
    d.points = points;
    d.radius = 0.01;
    d.radius_other = 0.006;
    d.young = 1e6;
    d.inextensible = true;
    d.director = tdi_vec3(0, 1, 1);
    d.start = TD_END_CLAMPED;
    return d;
}

// A wriggling ring or rod, at its lengths, and flying apart in all directions.
static rods thrown(tdi_random *r, bool ring) {
    td_vec3 points[16];
    points[0] = tdi_vec3(0, 0, 0);
    wriggle(r, points, 16, 0.05, tdi_vec3(1, 0, 0));
    if (ring) {
        wobbly_ring(r, points, 16, 0.15);
    }
    td_rod_def d = soft_rod(r, points, NULL, 16);
    d.radius = 0.01;
    d.radius_other = 0.007;
    d.closed = ring;
    d.damping_time = 0;
    rods s = rods_new(&d, 1, NULL, 0);
    for (int32_t v = 0; v < 16; v++) {
        CHECK(td_rod_set_vertex(s.state, v, points[v], any_vector(r, 0.3), NULL) == TD_OK);
    }
    return s;
}

// ---- lengths --------------------------------------------------------------------------------

// Largest relative error of an edge's length.
static td_real stretched(rods s) {
    td_real most = 0;
    for (int32_t k = 0; k < s.m->edge_count; k++) {
        td_real length = tdi_norm(tdi_sub(td_body_tip(s.state, k), td_body_origin(s.state, k)));
        most = fmax(most, fabs(length / s.m->node[s.m->edge_node[k]].length - 1));
    }
    return most;
}

TD_TEST(explicit_step_keeps_lengths_of_swinging_and_thrown_rods) {
    tdi_random r = random_of(81);
    const td_step_opts o = euler(1e-4);
    for (int k = 0; k < 3; k++) {
        td_vec3 points[VERTICES];
        td_rod_def d = swinging(points);
        OWNED(rods) s = k == 0 ? rods_new(&d, 1, NULL, 0) : thrown(&r, k == 2);
        td_real most = 0;
        for (int j = 0; j < 1000; j++) {
            run(s, &o, 1);
            most = fmax(most, stretched(s));
        }
        CHECK_IN(most, 0, 1e-8);
    }
}

// Of one edge that turns about its pinned end by phi a step, the next turns by
// atan(sin phi/(2 - cos phi)): it goes on along the last chord, and back to the circle. The first
// goes on along a tangent.
TD_TEST(explicit_step_turns_one_edge_as_step_and_projection_do) {
    const td_vec3 points[2] = {{0, 0, 0}, {0.3, 0, 0}};
    td_rod_def d = td_rod_def_default();
    d.vertex_count = 2;
    d.points = points;
    d.start = TD_END_PINNED;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    td_step_opts o = euler(0.01);
    o.gravity = no_weight;
    CHECK(td_rod_set_vertex(s.state, 1, points[1], tdi_vec3(0, 6, 0), NULL) == TD_OK);
    td_real angle = 0, turn = 0;
    for (int k = 0; k < 50; k++) {
        run(s, &o, 1);
        turn = k == 0 ? atan(6 * 0.01 / 0.3) : atan(sin(turn) / (2 - cos(turn)));
        angle += turn;
        const td_vec3 tip = td_rod_position(s.state, 1);
        CHECK_REL(tip.x, 0.3 * cos(angle), 1e-7);
        CHECK_REL(tip.y, 0.3 * sin(angle), 1e-7);
    }
}

TD_TEST(explicit_step_refuses_ends_pulled_past_the_length_and_leaves_the_state) {
    td_vec3 points[VERTICES];
    td_rod_def d = swinging(points);
    d.end = TD_END_PINNED;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    td_step_opts o = euler(1e-4);
    td_diag diag = {.message = ""};
    o.gravity = no_weight;
    run(s, &o, 3);
    CHECK(td_rod_set_end(s.state, 0, true, tdi_vec3(0.51, 0, 0), (td_quat){1, 0, 0, 0}, NULL) ==
          TD_OK);
    CHECK_INT(td_body_step(s.state, &o, NULL, &diag), TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "lengths");
    for (int32_t v = 0; v < VERTICES; v++) {
        CHECK_REL(tdi_norm(tdi_sub(td_rod_position(s.state, v), points[v])), 0, 0);
    }
    CHECK_REL(s.state->time, 3e-4, 1e-15);
}

// ---- motion ---------------------------------------------------------------------------------

// Masses at the vertices, and frames that turn with next to none: what this step assumes.
static void lump(rods s) {
    for (int32_t i = 0; i < s.m->node_count; i++) {
        tdi_rod_node *n = &s.m->node[i];
        n->mass = n->weight;
        n->shared = 0;
        n->inertia *= 1e-4;
    }
}

// How far the tips are apart after 0.3 s by this step and by implicit ones, of the length.
static td_real apart(const td_rod_def *d, td_step_opts o, td_real dt, bool lumped) {
    OWNED(rods) a = rods_new(d, 1, NULL, 0), b = rods_new(d, 1, NULL, 0);
    if (lumped) {
        lump(b);
    }
    o.integrator = TD_EULER;
    o.dt = dt;
    run(a, &o, (int32_t)lround(0.3 / dt));
    o.integrator = TD_IMPLICIT;
    o.dt = 2e-4;
    o.tolerance = 1e-8;
    run(b, &o, 1500);
    const int32_t tip = d->vertex_count - 1;
    td_vec3 off = tdi_sub(td_rod_position(a.state, tip), td_rod_position(b.state, tip));
    return tdi_norm(off) / 0.5;
}

TD_TEST(explicit_and_implicit_steps_swing_a_rod_alike_free_damped_and_in_air_with_loads) {
    td_vec3 points[VERTICES];
    const td_load loads[] = {{.kind = TD_LOAD_FORCE, .segment = 8, .vector = {0.1, 0.2, 0.3}},
                             {.kind = TD_LOAD_SPRING,
                              .segment = 19,
                              .point = {0, 0.025, 0},
                              .vector = {0.4, 0.2, -0.2},
                              .stiffness = 3,
                              .damping = 0.02}};
    td_rod_def d = swinging(points);
    td_step_opts o = euler(0);
    CHECK_IN(apart(&d, o, 5e-5, false), 0, 0.01);
    o.air = (td_air){.wind = {0, 1, 3}, .linear = 0.5, .quadratic = 1};
    o.loads = loads;
    o.load_count = 2;
    CHECK_IN(apart(&d, o, 5e-5, true), 0, 0.002);
    d.damping_time = 0.01;
    CHECK_IN(apart(&d, euler(0), 5e-5, true), 0, 0.002);
}

// In the metric of the method: masses at the vertices.
static td_real energy_of(rods s, td_vec3 gravity) {
    td_energy e = td_body_energy(s.state, gravity);
    td_real sum = e.elastic + e.weight;
    for (int32_t i = 0; i < s.m->node_count; i++) {
        td_vec3 v = s.s->history.past[i].v;
        sum += 0.5 * s.m->node[i].weight * tdi_dot(v, v);
    }
    return sum;
}

static td_real energy_lost(td_real dt) {
    td_vec3 points[VERTICES];
    const td_rod_def d = swinging(points);
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    const td_step_opts o = euler(dt);
    td_real before = energy_of(s, down);
    run(s, &o, (int32_t)lround(0.4 / dt));
    td_real lost = before - energy_of(s, down);
    return lost;
}

// Projection takes energy, less with smaller steps. The weight alone is worth 1.2 J.
TD_TEST(explicit_step_loses_little_energy_and_in_proportion_to_dt) {
    td_real coarse = energy_lost(1e-4), fine = energy_lost(5e-5);
    CHECK_IN(fine, 0, 0.001);
    CHECK_IN(coarse / fine, 1.8, 2.2);
}

// Pulls act along edges as they become, at places as they were: angular momentum is kept to first
// order in dt alone.
TD_TEST(explicit_step_keeps_momentum_of_thrown_rods_and_rings) {
    tdi_random r = random_of(82);
    td_step_opts o = euler(1e-4);
    o.gravity = no_weight;
    for (int k = 0; k < 2; k++) {
        OWNED(rods) s = thrown(&r, k == 1);
        td_vec3 p[2] = {{0, 0, 0}, {0, 0, 0}}, l[2] = {{0, 0, 0}, {0, 0, 0}};
        for (int j = 0; j < 2; j++) {
            run(s, &o, j == 0 ? 1 : 500);
            for (int32_t i = 0; i < s.m->node_count; i++) {
                td_vec3 at = tdi_scale(s.s->history.past[i].v, s.m->node[i].weight);
                p[j] = tdi_add(p[j], at);
                l[j] = tdi_add(l[j], tdi_cross(s.s->pose[i].x, at));
            }
        }
        CHECK_REL(tdi_norm(tdi_sub(p[1], p[0])) / tdi_norm(p[0]), 0,
                  1e-9); // rounding of x, over dt
        CHECK_REL(tdi_norm(tdi_sub(l[1], l[0])) / tdi_norm(l[0]), 0, 1e-3);
    }
}

// How far a rod at rest moves when it is stepped on.
static td_real moved_from_rest(td_real dt) {
    td_vec3 points[VERTICES], rest[VERTICES];
    td_rod_def d = swinging(points);
    d.twist = 1;
    d.twist_rest = 2;
    d.damping_time = 0.002;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    td_step_opts o = euler(dt);
    o.air.linear = 80;
    for (int32_t i = 0; i < s.m->node_count; i++) {
        s.m->node[i].stretch *= 1e6; // statics are not to stretch either
    }
    CHECK_INT(td_body_settle(s.state, &o, NULL, NULL), TD_OK);
    for (int32_t v = 0; v < VERTICES; v++) {
        rest[v] = td_rod_position(s.state, v);
    }
    run(s, &o, (int32_t)lround(1 / dt));
    td_real most = 0;
    for (int32_t v = 0; v < VERTICES; v++) {
        most = fmax(most, tdi_norm(tdi_sub(td_rod_position(s.state, v), rest[v])));
    }
    return most;
}

// At rest edges pull from where the weight would have taken them in a step: off by the order of
// dt^2.
TD_TEST(explicit_step_rests_where_statics_do) {
    td_real coarse = moved_from_rest(1e-4), fine = moved_from_rest(5e-5);
    CHECK_IN(coarse, 0, 1e-6);
    CHECK_IN(coarse / fine, 3.5, 4.5);
}

// ---- frames ---------------------------------------------------------------------------------

// No edge has a residual moment about itself, and any turn costs energy.
TD_TEST(explicit_step_leaves_frames_where_the_energy_is_least) {
    tdi_random r = random_of(83);
    const td_step_opts o = euler(1e-4);
    for (int k = 0; k < 20; k++) {
        const td_end_kind end = k % 4 == 1 ? TD_END_CLAMPED : TD_END_FREE;
        OWNED(rods) s = k % 4 == 3 ? ring_rod(&r, 5 + k) : open_rod(&r, 5 + k, k % 4 ? 2 : 0, end);
        const tdi_rod_model *m = s.m;
        td_vec3 force[MOST_POINTS];
        td_real moment[MOST_POINTS];
        run(s, &o, 5);
        td_rod_forces(s.state, no_weight, force, moment);
        const td_real least = td_body_energy(s.state, no_weight).elastic;
        td_real stiff = 0;
        for (int32_t i = 0; i < m->node_count; i++) {
            stiff = fmax(stiff, m->node[i].law.twist);
        }
        for (int32_t i = 0; i < m->node_count; i++) {
            const tdi_rod_node *n = &m->node[i];
            if (!tdi_has_edge(n) || n->flags & TDI_HELD_TURN) {
                continue;
            }
            CHECK_IN(moment[n->edge] / stiff, -1e-8, 1e-8);
            for (int side = -1; side <= 1; side += 2) {
                CHECK(td_rod_turn(s.state, n->edge, 1e-3 * side, NULL) == TD_OK);
                CHECK(td_body_energy(s.state, no_weight).elastic > least);
                CHECK(td_rod_turn(s.state, n->edge, -1e-3 * side, NULL) == TD_OK);
            }
        }
    }
}

TD_TEST(explicit_step_spreads_twist_of_a_turned_end_evenly) {
    td_vec3 points[VERTICES];
    td_rod_def d = swinging(points);
    d.radius_other = 0;
    d.end = TD_END_CLAMPED;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    td_step_opts o = euler(1e-4);
    o.gravity = no_weight;
    const td_quat start = td_body_rotation(s.state, VERTICES - 2);
    for (int k = 1; k <= 50; k++) {
        td_quat turn = tdi_quat_turn(tdi_vec3(1, 0, 0), 0.1 * k);
        CHECK(td_rod_set_end(s.state, 0, true, points[VERTICES - 1], tdi_quat_mul(turn, start),
                             NULL) == TD_OK);
        run(s, &o, 1);
    }
    const td_real shear = d.young / 3, torsion = PI * pow(d.radius, 4) / 2;
    for (int32_t k = 1; k < VERTICES - 1; k++) {
        CHECK_REL(td_rod_twist_angle(s.state, k), 5.0 / (VERTICES - 1), 1e-10);
        CHECK_REL(td_body_moment(s.state, k).y, shear * torsion * 5 / 0.5, 1e-10);
    }
}

// A torque about the tip's edge twists all joints before it at once: T L/(G J).
TD_TEST(explicit_step_lets_frames_follow_a_torque) {
    td_vec3 points[VERTICES];
    td_rod_def d = swinging(points);
    d.radius_other = 0;
    OWNED(rods) s = rods_new(&d, 1, NULL, 0);
    td_step_opts o = euler(1e-4);
    const td_load torque = {
        .kind = TD_LOAD_TORQUE, .segment = VERTICES - 2, .vector = {1e-3, 0, 0}};
    o.gravity = no_weight;
    o.loads = &torque;
    o.load_count = 1;
    run(s, &o, 1);
    const td_real stiffness = d.young / 3 * PI * pow(d.radius, 4) / 2;
    for (int32_t k = 1; k < VERTICES - 1; k++) {
        CHECK_REL(td_rod_twist_angle(s.state, k), 1e-3 * 0.025 / stiffness, 1e-9);
    }
}

// ---- rules ----------------------------------------------------------------------------------

TD_TEST(explicit_step_refuses_branches_bodies_contact_and_rk4) {
    tdi_random r = random_of(84);
    td_step_opts o = euler(1e-4);
    td_diag diag = {.message = ""};
    rods s = branching_rods(&r, false, false);
    CHECK_INT(td_body_step(s.state, &o, NULL, &diag), TD_ERR_STRUCTURE);
    CHECK_HAS(diag.message, "implicit");
    rods_free(s);
    td_vec3 points[VERTICES];
    td_rod_def d = swinging(points);
    td_rod_body body = some_body(&r, 0, 3);
    s = rods_new(&d, 1, &body, 1);
    CHECK_INT(td_body_step(s.state, &o, NULL, &diag), TD_ERR_STRUCTURE);
    CHECK_HAS(diag.message, "bodies");
    rods_free(s);
    s = rods_new(&d, 1, NULL, 0);
    td_contact_opts touch = td_contact_opts_default();
    td_body *ref = s.state;
    td_island *island;
    CHECK_INT(td_island_new(&ref, 1, &touch, 0, NULL, &island, &diag), TD_OK);
    CHECK_INT(td_island_step(island, &o, NULL, 0, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "contact");
    td_island_free(island);
    o.integrator = TD_RK4;
    CHECK_INT(td_body_step(s.state, &o, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "integrator");
    rods_free(s);
}

// Implicit steps go on where these stop, and these where implicit ones stop.
TD_TEST(explicit_and_implicit_steps_may_follow_each_other) {
    td_vec3 points[VERTICES];
    td_rod_def d = swinging(points);
    d.damping_time = 0.01;
    OWNED(rods) a = rods_new(&d, 1, NULL, 0), b = rods_new(&d, 1, NULL, 0);
    td_step_opts o = euler(1e-4);
    run(a, &o, 3000);
    for (int k = 0; k < 30; k++) {
        o.integrator = k % 2 ? TD_IMPLICIT : TD_EULER;
        run(b, &o, 100);
    }
    td_vec3 tip = td_rod_position(a.state, VERTICES - 1);
    td_vec3 off = tdi_sub(td_rod_position(b.state, VERTICES - 1), tip);
    CHECK_IN(tdi_norm(off), 0, 0.005);
}
