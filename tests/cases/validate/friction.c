// SPDX-License-Identifier: MIT
// Rows of the case contact about what colliders do to rods: friction on a plane, a slope and a
// drum, a floor that rises.

#include "cases/validate/contact.h"

#include <math.h>

// Of the first vertex, m/s.
static double speed_of(const val_heap *h) {
    return td_vec3_norm(td_rod_velocity(h->state[0], 0));
}

// ---- a segment on a plane ---------------------------------------------------------------------

#define GROUND_FRICTION 0.4
#define WEIGHT          9.81

// A segment at rest on a plane, as near as it lies.
static void on_ground(val_report *report, val_heap *h, double creep) {
    const td_vec3 points[2] = {{0, 0.0105, 0}, {0.1, 0.0105, 0}};
    td_rod_def def = td_rod_def_default();
    def.vertex_count = 2;
    def.points = points;
    def.radius = 0.01;
    h->collider = td_collider_default(TD_COLLIDER_PLANE);
    h->collider.friction = GROUND_FRICTION;
    h->collider.rolling = 0;
    h->collider_count = 1;
    val_heap_add(report, h, &def);
    val_heap_ready(report, h, 0, creep);
    for (int k = 0; k < 120; k++) {
        val_heap_step(report, h);
    }
}

// Thrown along the ground at 2 m/s, lengthwise or across: its deceleration until a quarter of that
// is lost, then how fast it is at last. Across it rolls at two thirds, as a full cylinder.
static void sliding(val_report *report, double dt, bool across) {
    char text[80];
    val_heap h = val_heap_empty("a segment sliding", dt);
    snprintf(text, sizeof text, "deceleration, m/s^2, %s, dt 1/%.0f",
             across ? "across" : "lengthwise", 1 / dt);
    on_ground(report, &h, 1e-3);
    td_vec3 v = across ? (td_vec3){0, 0, 2} : (td_vec3){2, 0, 0};
    for (int32_t k = 0; k < 2; k++) {
        case_must(td_rod_set_vertex(h.state[0], k, td_rod_position(h.state[0], k), v, NULL));
    }
    int32_t steps = (int32_t)(0.5 / (GROUND_FRICTION * WEIGHT) / dt);
    for (int32_t k = 1; k <= 8 * steps; k++) {
        val_heap_step(report, &h);
        double speed = speed_of(&h);
        if (k == steps) {
            val_relative(report, text, 1, (2 - speed) / (k * dt), GROUND_FRICTION * WEIGHT, 0.02);
        } else if (k == 8 * steps && across) {
            val_relative(report,
                         val_text(report, "speed at which it rolls, m/s, dt 1/%.0f", 1 / dt), 1,
                         speed, 2 * 2 / 3.0, 0.001);
        } else if (k == 8 * steps) {
            val_at_most(report, val_text(report, "speed after it stopped, m/s, dt 1/%.0f", 1 / dt),
                        1, speed, 1e-6);
        }
    }
    val_heap_free(&h);
}

// On a slope of `part` times the friction, by weight that leans: it sticks, or slides as it must,
// once it does.
static void slope(val_report *report, double dt, double part) {
    val_heap h = val_heap_empty("a segment on a slope", dt);
    const double creep = 1e-4, tilt = atan(part * GROUND_FRICTION);
    const int32_t steps = (int32_t)(0.25 / dt + 0.5);
    double before = 0;
    on_ground(report, &h, creep);
    h.opts[0].gravity = (td_vec3){WEIGHT * sin(tilt), -WEIGHT * cos(tilt), 0};
    for (int32_t k = 0; k < 2 * steps; k++) {
        before = k == steps ? td_rod_velocity(h.state[0], 0).x : before;
        val_heap_step(report, &h);
    }
    double speed = td_rod_velocity(h.state[0], 0).x;
    if (part < 1) {
        val_at_most(report,
                    val_text(report, "speed over creep, slope of %g mu, dt 1/%.0f", part, 1 / dt),
                    1, speed / creep, 1); // creeping uphill would be as wrong
    } else {
        double want = WEIGHT * (sin(tilt) - GROUND_FRICTION * cos(tilt));
        val_relative(report,
                     val_text(report, "acceleration, slope of %g mu, dt 1/%.0f", part, 1 / dt), 1,
                     (speed - before) / (steps * dt), want, 0.02);
    }
    val_heap_free(&h);
}

// ---- capstan --------------------------------------------------------------------------------

#define ROPE_EDGES  80
#define ROPE_RADIUS 0.002 // m
#define DRUM_RADIUS 0.05  // m
#define ROPE_HANGS  0.03  // m, on each side
#define ROPE_PULL   1.0   // N, on the side that yields
#define ROPE_STEPS  600   // of the ramp

// Over the drum by `wrap` and straight on both sides.
static void rope_points(double wrap, td_vec3 *points) {
    double r = DRUM_RADIUS + ROPE_RADIUS * 1.15, whole = r * wrap + 2 * ROPE_HANGS;
    for (int32_t k = 0; k <= ROPE_EDGES; k++) {
        double s = whole * ((double)k / ROPE_EDGES - 0.5), side = s < 0 ? -1 : 1;
        double a = fmin(fmax(s / r, -0.5 * wrap), 0.5 * wrap), over = fabs(s) - r * fabs(a);
        points[k] =
            (td_vec3){r * sin(a) + side * over * cos(a), r * cos(a) - side * over * sin(a), 0};
    }
}

// Friction acts on the surface of the rope, r from its axis, R from that of the drum, and the
// moment that it has about the axis makes a shear force r F in a limp rope: with T' = F R/(R + r)
// and N = T - r F'/(R + r), F = mu N, of the pull T an angle, T = e^(k angle) where
//   k (1 + mu k r/(R + r)) = mu R/(R + r).
static double capstan_ratio(double friction, double wrap) {
    const double part = DRUM_RADIUS / (DRUM_RADIUS + ROPE_RADIUS), a = friction * (1 - part),
                 k = (sqrt(1 + 4 * a * friction * part) - 1) / (2 * a);
    return exp(k * wrap);
}

// The ratio of pulls, raised from 1 to a fifth more than wanted, at which the rope runs.
static void capstan(val_report *report, double dt, double friction, double wrap) {
    td_vec3 points[ROPE_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    val_heap h = val_heap_empty("a rope on a drum", dt);
    const double want = capstan_ratio(friction, wrap), creep = 1e-3;
    td_load pull[2] = {{.kind = TD_LOAD_FORCE, .segment = 0},
                       {.kind = TD_LOAD_FORCE, .segment = ROPE_EDGES - 1}};
    rope_points(wrap, points);
    def.vertex_count = ROPE_EDGES + 1;
    def.points = points;
    def.straight = true;
    def.radius = ROPE_RADIUS;
    def.bend_x = def.bend_z = def.twist_y = 1e-8;
    def.stretch = 1e5;
    h.opts[0].gravity = (td_vec3){0, 0, 0};
    h.opts[0].loads = pull;
    h.opts[0].load_count = 2;
    h.collider = td_collider_default(TD_COLLIDER_CAPSULE);
    h.collider.radius = DRUM_RADIUS;
    h.collider.length = 2;
    h.collider.rotation0 = h.collider.rotation = val_turn((td_vec3){0.5 * VAL_PI, 0, 0});
    h.collider.friction = friction;
    h.collider_count = 1;
    pull[1].point.y = hypot(points[1].x - points[0].x, points[1].y - points[0].y);
    val_heap_add(report, &h, &def);
    val_heap_ready(report, &h, 0, creep);
    const double c = cos(0.5 * wrap), s = sin(0.5 * wrap);
    double ratio = 1, speed = 0;
    for (int32_t k = -60; k < ROPE_STEPS && (k < 0 || speed < 10 * creep); k++) {
        ratio = 1 + (1.2 * want - 1) * fmax(k, 0) / ROPE_STEPS;
        pull[0].vector = (td_vec3){-ROPE_PULL * c, -ROPE_PULL * s, 0};
        pull[1].vector = (td_vec3){ratio * ROPE_PULL * c, -ratio * ROPE_PULL * s, 0};
        val_heap_step(report, &h);
        speed = speed_of(&h);
    }
    val_relative(report,
                 val_text(report, "capstan: ratio of pulls, mu %g, dt 1/%.0f", friction, 1 / dt),
                 ROPE_EDGES, speed < 10 * creep ? (double)NAN : ratio, want, 0.05);
    val_heap_free(&h);
}

// ---- a floor that rises ---------------------------------------------------------------------

#define LIFT_EDGES  20
#define LIFT_RADIUS 0.005 // m
#define LIFT_SPEED  2.0   // m/s
#define LIFT_TIME   0.5   // s

static void lift(val_report *report, double dt) {
    td_vec3 points[LIFT_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    val_heap h = val_heap_empty("a rod lifted", dt);
    double sunk = -(double)INFINITY, floor = -0.1;
    int32_t touched = 0; // steps
    for (int32_t v = 0; v <= LIFT_EDGES; v++) {
        points[v] = (td_vec3){0.02 * v, 0, 0};
    }
    def.vertex_count = LIFT_EDGES + 1;
    def.points = points;
    def.radius = LIFT_RADIUS;
    h.collider = td_collider_default(TD_COLLIDER_PLANE);
    h.collider_count = 1;
    val_heap_add(report, &h, &def);
    val_heap_ready(report, &h, 0.3, 1e-3);
    for (int32_t k = 1; k <= (int32_t)(2 * LIFT_TIME / dt + 0.5); k++) {
        h.collider.position0.y = floor;
        floor = -0.1 + LIFT_SPEED * fmin(k * dt, LIFT_TIME);
        h.collider.position.y = floor;
        val_heap_step(report, &h);
        double now = -(double)INFINITY;
        for (int32_t v = 0; v <= LIFT_EDGES; v++) {
            double gap = td_rod_position(h.state[0], v).y - floor - LIFT_RADIUS;
            now = val_worse(-gap / LIFT_RADIUS, now);
        }
        sunk = val_worse(now, sunk);
        touched += now > -0.5;
    }
    val_not_above(report, val_text(report, "overlap over radius at most, floor, dt 1/%.0f", 1 / dt),
                  LIFT_EDGES, sunk, 0);
    val_at_most(report,
                val_text(report, "1 over steps in which they touch, floor, dt 1/%.0f", 1 / dt),
                LIFT_EDGES, 1.0 / touched, 1);
    val_heap_free(&h);
}

void val_friction(val_report *report, double dt) {
    sliding(report, dt, false);
    sliding(report, dt, true);
    slope(report, dt, 0.9);
    slope(report, dt, 1.5);
    lift(report, dt);
    capstan(report, dt, 0.2, VAL_PI);
    capstan(report, dt, 0.5, VAL_PI);
}
