// SPDX-License-Identifier: MIT
// Case stick-slip: an elastic rod, clamped vertically above a rough plane, is pushed down on it.
//
// Theory   The elastica between a clamp and a hinge below it, shorter by eps L: the force at the
//          tip leans by T/N = 0.15279 at eps = 0.1 and 0.32649 at 0.3, and most, by 0.35637, at
//          0.33029, where the tip lies flat. A tip with less friction slips, with T/N = mu.
// Model    Exact contact; a weak side wind of weight, gone before the force is measured, says to
//          which side the rod buckles. The radius is a thousandth of the length: contact is at the
//          surface, so that T/N is off by a few thousandths. Where the tip lies flat, the plane is
//          a post under the tip, so that no other edge touches.

#include "cases/validate/world.h"

#include <math.h>

#define LENGTH   0.5    // m
#define RADIUS   0.0005 // m
#define SEGMENTS 60
#define ELEMENTS 10
#define SECONDS  6.0  // of pushing, then one of rest
#define ASIDE    0.01 // m/s^2, at first
#define FLAT     0.32 // eps from which on edges besides the tip would touch a plane
#define POST     2.0  // radii: half the width of a post

typedef struct press {
    const char *solver;
    double friction, eps;
    bool post; // the plane is no wider than a post under the tip
} press;

typedef struct pressed {
    double lean; // T/N at the end
    double slip; // of the tip, over the length
} pressed;

static td_world *make_world(val_report *report, const press *p) {
    static const td_vec3 points[2] = {{0, 0, 0}, {0, -LENGTH, 0}};
    td_scene_def def = td_scene_def_default();
    td_object_def o = td_object_def_default();
    td_scene_collider plane =
        td_scene_collider_default(p->post ? TD_COLLIDER_BOX : TD_COLLIDER_PLANE);
    o.name = "rod";
    o.solver = p->solver;
    o.start = TD_START_DRAWN;
    o.strand.points = points;
    o.strand.point_count = 2;
    o.strand.segments = SEGMENTS;
    o.strand.elements = ELEMENTS;
    o.strand.radius = RADIUS;
    o.position.y = LENGTH + 1.1 * RADIUS;
    o.relaxation_time = 0.3;
    plane.as.friction = p->friction;
    if (p->post) {
        const double half = POST * RADIUS, high = 0.05;
        plane.as.sides = (td_vec3){2 * half, 2 * high, 0.1};
        plane.as.position.y = -high;
    }
    def.objects = &o;
    def.object_count = 1;
    def.colliders = &plane;
    def.collider_count = 1;
    def.contact.given = true;
    def.contact.self = false;
    def.contact.method = TD_CONTACT_EXACT;
    def.gravity = (td_vec3){ASIDE, 0, 0};
    def.air_density = 0;
    return val_world_new(report, &def, p->solver);
}

static void measure(const td_world *w, pressed *got) {
    td_contact list[SEGMENTS];
    td_vec3 tip, sum = {0, 0, 0};
    const int32_t count = td_world_contacts(w, list, SEGMENTS);
    for (int32_t k = 0; k < count && k < SEGMENTS; k++) {
        sum = (td_vec3){sum.x + list[k].force.x, sum.y + list[k].force.y, sum.z + list[k].force.z};
    }
    td_world_segment(w, td_world_actor_id(w, 0), SEGMENTS - 1, NULL, &tip, NULL);
    got->lean = hypot(sum.x, sum.z) / sum.y;
    got->slip = hypot(tip.x, tip.z) / LENGTH;
}

// Pushes down, ever faster from rest, and waits.
static void push(val_report *report, const press *p, pressed *got) {
    td_world *w = make_world(report, p);
    const int32_t steps = (int32_t)(60 * SECONDS);
    for (int32_t k = 1; k <= steps + 60; k++) {
        const double part = fmin(1, (double)k / steps);
        const double y = LENGTH + 1.1 * RADIUS - p->eps * LENGTH * part * part;
        val_world_set(report, w, "objects[0].position.y", y);
        if (k == steps / 4) {
            val_world_set(report, w, "gravity.x", 0);
        }
        val_world_step(report, w, p->solver);
    }
    measure(w, got);
    td_world_free(w);
}

static void leans(val_report *report, const char *solver, double eps, double want) {
    const press p = {solver, 0.6, eps, eps > FLAT};
    pressed got;
    push(report, &p, &got);
    val_relative(report, val_text(report, "T/N at eps %g, %s", eps, solver), SEGMENTS, got.lean,
                 want, p.post ? 0.02 : 0.01);
    val_at_most(report, val_text(report, "slip over length at eps %g, %s", eps, solver), SEGMENTS,
                got.slip, 2e-3); // it rolls by about its radius
}

static void slips(val_report *report, const char *solver, double eps, double friction) {
    const press p = {solver, friction, eps, false};
    pressed got;
    push(report, &p, &got);
    val_relative(report, val_text(report, "T/N at eps %g, mu %g, %s", eps, friction, solver),
                 SEGMENTS, got.lean, friction, 1e-3);
    val_not_above(report,
                  val_text(report, "0.01 less slip at eps %g, mu %g, %s", eps, friction, solver),
                  SEGMENTS, 0.01 - got.slip, 0);
}

void val_stick_slip(val_report *report) {
    static const char *const solvers[] = {"rod", "helix"};
    for (int k = 0; k < 2; k++) {
        leans(report, solvers[k], 0.1, 0.15279);
        leans(report, solvers[k], 0.3, 0.32649);
        leans(report, solvers[k], 0.33029, 0.35637);
        slips(report, solvers[k], 0.1, 0.14);
        slips(report, solvers[k], 0.3, 0.3);
        val_progress(report, 0.5 * (k + 1));
    }
}
