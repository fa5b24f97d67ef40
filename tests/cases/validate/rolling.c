// SPDX-License-Identifier: MIT
// Case rolling: a stick, a full cylinder, lies on a table that is tilted or pulled away under it,
// or is spun by a torque.
//
// Theory   With the mass m, the radius r and I = m r^2/2 about the axis, and v = w r when it rolls:
//            slope a, no slip             v' = g (sin a - c cos a)/(1 + I/(m r^2))
//            a table that moves with V    v -> V (I/(m r^2))/(1 + I/(m r^2)) = V/3, as thrown at -V
//            a torque T for a time t      v -> T t/(m r (1 + I/(m r^2)))
//          The last two hold whatever friction there is: about the line of contact it has no
//          moment. c is the rolling resistance, over the normal force. Below tan a = c the stick
//          stands.

#include "cases/validate/world.h"

#include <math.h>
#include <string.h>

#define LENGTH   0.2   // m
#define RADIUS   0.02  // m
#define DENSITY  900.0 // kg/m^3, of rope
#define FRICTION 0.5
#define GRAVITY  9.81
#define SLOPE    0.1 // its tangent
#define SETTLES  0.5 // s
#define SECONDS  0.5 // of motion

typedef struct stick {
    const char *solver;
    td_contact_method method;
    int32_t rate;   // steps a second
    double rolling; // resistance
    double slope;   // tangent, from when it has settled on
    double table;   // m/s, likewise
    double torque;  // N m, for a tenth of a second
    double seconds; // of motion
} stick;

static td_world *make_world(val_report *report, const stick *s, const char *text) {
    static const td_vec3 points[2] = {{-0.5 * LENGTH, 0, 0}, {0.5 * LENGTH, 0, 0}};
    td_object_def o = td_object_def_default();
    td_scene_collider plane = td_scene_collider_default(TD_COLLIDER_PLANE);
    td_scene_load twist = td_scene_load_default(TD_SCENE_PUSH);
    o.name = "stick";
    o.solver = s->solver;
    o.start = TD_START_DRAWN;
    o.strand.points = points;
    o.strand.point_count = 2;
    o.strand.segments = 1;
    o.strand.radius = RADIUS;
    o.strand.start.held = TD_END_FREE;
    o.position.y = 1.1 * RADIUS;
    plane.as.friction = FRICTION;
    plane.as.rolling = s->rolling;
    twist.as.push.twist = s->torque;
    twist.as.push.start = SETTLES;
    twist.as.push.end = SETTLES + 0.1;
    td_scene_def def = val_still_scene(&o, 1.0 / s->rate);
    def.colliders = &plane;
    def.collider_count = 1;
    def.loads = &twist;
    def.load_count = s->torque > 0 ? 1 : 0;
    def.contact.given = true;
    def.contact.self = false;
    def.contact.method = s->method;
    def.gravity = (td_vec3){0, -GRAVITY, 0};
    def.tolerance = 1e-12; // short steps hold surfaces stiffly
    return val_world_new(report, &def, text);
}

static double place_of(const td_world *w) {
    td_vec3 x;
    td_world_segment(w, td_world_actor_id(w, 0), 0, &x, NULL, NULL);
    return x.z;
}

// How far it goes, m, and how fast it is in the last step, m/s.
static void roll(val_report *report, const stick *s, const char *text, double *way, double *speed) {
    td_world *w = make_world(report, s, text);
    const int32_t rest = (int32_t)(SETTLES * s->rate + 0.5),
                  last = rest + (int32_t)(s->seconds * s->rate + 0.5);
    const double tilt = atan(s->slope);
    double start = 0, before = 0;
    for (int32_t k = 0; k < last; k++) {
        if (k == rest) {
            start = place_of(w);
            val_world_set(report, w, "gravity.y", -GRAVITY * cos(tilt));
            val_world_set(report, w, "gravity.z", GRAVITY * sin(tilt));
        }
        if (k >= rest && s->table != 0) {
            const double at = s->table * (k - rest + 1) / s->rate;
            val_world_set(report, w, "colliders[0].plane.position.z", at);
        }
        before = place_of(w);
        val_world_step(report, w, text);
    }
    *way = place_of(w) - start;
    *speed = (place_of(w) - before) * s->rate;
    td_world_free(w);
}

static double mass_of_stick(void) {
    return DENSITY * VAL_PI * RADIUS * RADIUS * LENGTH;
}

// ---- rows -----------------------------------------------------------------------------------

static const char *method_of(const stick *s) {
    return s->method == TD_CONTACT_EXACT ? "exact" : "barrier";
}

// The wanted speed at the end.
static double theory(const stick *s) {
    const double tilt = atan(s->slope), over = 1 / 1.5;
    return over * (GRAVITY * (sin(tilt) - s->rolling * cos(tilt)) * (s->slope > 0) * s->seconds +
                   0.5 * s->table + s->torque * 0.1 / (mass_of_stick() * RADIUS));
}

static void compare(val_report *report, const char *what, const stick *s, double limit) {
    char text[96];
    double way, speed;
    snprintf(text, sizeof text, "%s, %s, %s, dt 1/%d", what, s->solver, method_of(s), (int)s->rate);
    roll(report, s, text, &way, &speed);
    val_relative(report, text, s->rate, speed, theory(s), limit);
}

// The error of the speed falls in proportion to the step.
static void converges(val_report *report, const stick *s, double limit) {
    char text[96];
    double error[2], way, speed;
    stick half = *s;
    snprintf(text, sizeof text, "order, %s, %s, dt 1/%d", s->solver, method_of(s), (int)s->rate);
    for (int k = 0; k < 2; k++) {
        half.rate = s->rate << k;
        roll(report, &half, text, &way, &speed);
        error[k] = fabs(speed - theory(&half));
    }
    val_not_above(report, text, s->rate, -log2(error[0] / error[1]), -limit);
}

static void stands(val_report *report, const stick *s, double limit) {
    char text[96];
    double way, speed;
    snprintf(text, sizeof text, "m in 3 s on a slope of 0.9 c, %s, %s", s->solver, method_of(s));
    roll(report, s, text, &way, &speed);
    val_at_most(report, text, s->rate, way, limit);
}

static void rows_of(val_report *report, stick s, double limit) {
    stick now = s;
    now.slope = SLOPE;
    compare(report, "speed after 0.5 s on a slope", &now, limit);
    now.rolling = 0.03;
    compare(report, "the same with rolling resistance", &now, limit);
    now = s;
    now.table = 0.3;
    compare(report, "speed on a table pulled away", &now, limit);
    now = s;
    now.torque = 0.3 * mass_of_stick() * RADIUS / 0.1;
    compare(report, "speed of a stick that was spun", &now, limit);
    now = s;
    now.rolling = 0.03;
    now.slope = 0.9 * now.rolling;
    now.seconds = 3;
    stands(report, &now, s.method == TD_CONTACT_EXACT ? 1e-6 : 3e-3);
}

void val_rolling(val_report *report) {
    static const char *const solvers[] = {"rod", "tree", "helix"};
    static const td_contact_method methods[] = {TD_CONTACT_BARRIER, TD_CONTACT_EXACT};
    for (int k = 0; k < 6; k++) {
        const stick s = {.solver = solvers[k / 2],
                         .method = methods[k % 2],
                         .rate = k >= 2 && k % 2 == 1 ? 960 : 240,
                         .seconds = SECONDS};
        rows_of(report, s, k < 2 ? 0.01 : 0.05);
        stick slope = s;
        slope.slope = SLOPE;
        if (k >= 2 && k % 2 == 1) {
            slope.rate /= 2;
            converges(report, &slope, 0.8);
        }
        val_progress(report, (k + 1) / 6.0);
    }
}
