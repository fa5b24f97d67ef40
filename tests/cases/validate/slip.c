// SPDX-License-Identifier: MIT
// Rods on smooth and rough walls and floors: where they let go and where they slip, against
// equations in one coordinate.

#include "cases/validate/validate.h"

#include <math.h>
#include <string.h>

#define GRAVITY 9.81
#define RADIUS  1e-5 // m: of a rod of 1 m and 1 kg
#define GAP     1e-7 // m: what touches at the start of implicit steps would overlap by rounding
#define DEGREE  (VAL_PI / 180)

// ---- rods -----------------------------------------------------------------------------------

// A free rod in the plane z = 0 from `foot`, leaning by `lean` from the vertical towards +x.
static void free_rod(val_report *report, td_vec3 foot, double lean, val_body *tree) {
    td_segment_def def = val_thin_rod(TD_JOINT_FREE, 1, 1);
    def.attach = foot;
    def.rest = val_turn((td_vec3){0, 0, -lean});
    def.radius_base = def.radius_tip = RADIUS;
    def.second_moment.xx = def.second_moment.zz = RADIUS * RADIUS / 4;
    val_single(report, &def, tree);
}

typedef struct slip_run {
    val_body tree;
    td_analytic *analytic; // as published
    td_island *island;     // or implicit, with exact contact
    td_step_opts opts;
    td_collider collider[2];
    int32_t collider_count;
    bool one_way; // friction as published
    bool implicit;
    const char *what;
} slip_run;

static void open_run(val_report *report, slip_run *r) {
    td_analytic_opts opts = td_analytic_opts_default();
    td_contact_opts contact = td_contact_opts_default();
    td_body *state = r->tree.state;
    opts.one_way = r->one_way;
    contact.method = TD_CONTACT_EXACT;
    td_status status =
        r->implicit
            ? td_island_new(&state, 1, &contact, 2, NULL, &r->island, &report->diag)
            : td_analytic_new(&r->tree.state, 1, NULL, 0, &opts, NULL, &r->analytic, &report->diag);
    val_must(report, r->what, 1, status);
}

static void step_run(val_report *report, slip_run *r) {
    td_status status = r->implicit ? td_island_step(r->island, &r->opts, r->collider,
                                                    r->collider_count, NULL, &report->diag)
                                   : td_analytic_step(r->analytic, &r->opts, r->collider,
                                                      r->collider_count, NULL, &report->diag);
    val_must(report, r->what, 1, status);
}

static void close_run(slip_run *r) {
    td_analytic_free(r->analytic);
    td_island_free(r->island);
    val_body_free(&r->tree);
}

static td_collider plane_at(td_vec3 position, td_quat turn, double friction) {
    td_collider c = td_collider_default(TD_COLLIDER_PLANE);
    c.position0 = c.position = position;
    c.rotation0 = c.rotation = turn;
    c.friction = friction;
    return c;
}

static slip_run plain_run(const char *what, double dt, bool implicit) {
    slip_run r = {.opts = td_step_opts_default(), .what = what, .collider_count = 1};
    r.opts.integrator = implicit ? TD_IMPLICIT : TD_RK4;
    r.opts.dt = dt;
    r.opts.tolerance = 1e-9;
    r.implicit = implicit;
    return r;
}

static const char *way_of(const slip_run *r) {
    return r->implicit ? ", implicit" : r->one_way ? ", one way" : "";
}

// Adds a force, along the normal and across with the sign of x.
static void add_force(td_vec3 n, td_vec3 f, double *normal, double *across) {
    const double along = n.x * f.x + n.y * f.y + n.z * f.z;
    *normal += along;
    *across += f.x - along * n.x;
}

// Forces of a collider on the rod.
static void force_of(const slip_run *r, int32_t collider, double *normal, double *across) {
    td_analytic_contact own[8];
    td_contact contacts[8];
    const int32_t count = r->implicit ? td_island_contacts(r->island, contacts, 8)
                                      : td_analytic_contacts(r->analytic, own, 8);
    *normal = *across = 0;
    for (int32_t k = 0; k < count && k < 8; k++) {
        if (!r->implicit && own[k].collider == collider) {
            add_force(own[k].normal, own[k].force, normal, across);
        } else if (r->implicit && contacts[k].other == collider) {
            add_force(contacts[k].normal, contacts[k].force, normal, across);
        }
    }
}

static double lean_of(const slip_run *r) {
    const td_vec3 a = td_body_origin(r->tree.state, 0), b = td_body_tip(r->tree.state, 0);
    return atan2(b.x - a.x, b.y - a.y);
}

// ---- wall -----------------------------------------------------------------------------------

// The force of the wall is followed to 0 through its last two values.
static double lets_go_at(val_report *report, slip_run *r) {
    double angle[2] = {0, 0}, force[2] = {1, 1}, normal, across;
    for (int k = 0; k < 20000; k++) {
        step_run(report, r);
        force_of(r, 1, &normal, &across);
        if (k > 2 && !(normal > 0)) {
            return angle[1] + (angle[1] - angle[0]) * force[1] / (force[0] - force[1]);
        }
        angle[0] = angle[1];
        force[0] = force[1];
        angle[1] = 0.5 * VAL_PI + lean_of(r);
        force[1] = normal;
    }
    return (double)NAN;
}

// The force changes evenly through 0, so that the head is then apart by the cube of the time: the
// cube root is followed back to 0 from 0.01 and 0.1 mm.
static double parts_at(val_report *report, slip_run *r, double touching) {
    static const double at[2] = {1e-5, 1e-4};
    double angle[2] = {0, 0}, root[2] = {0, 0};
    for (int k = 0, seen = 0; k < 20000; k++) {
        step_run(report, r);
        const double apart = td_body_tip(r->tree.state, 0).x - touching;
        if (apart > at[seen]) {
            angle[seen] = 0.5 * VAL_PI + lean_of(r);
            root[seen] = cbrt(apart);
            if (++seen == 2) {
                return angle[0] - (angle[1] - angle[0]) * root[0] / (root[1] - root[0]);
            }
        }
    }
    return (double)NAN;
}

// A ladder without friction: its foot slides away from the wall at x = 0, and its head leaves that
// where sin(theta) = 2/3 sin(theta_0), theta the angle at the floor.
static void wall(val_report *report, double start, bool implicit) {
    slip_run r = plain_run("a rod at a wall", implicit ? 1e-3 : 2e-4, implicit);
    const double tilt = start * DEGREE;
    const double lift = RADIUS + (implicit ? GAP : 0);
    const td_vec3 foot = {cos(tilt) + lift, lift, 0};
    free_rod(report, foot, tilt - 0.5 * VAL_PI, &r.tree);
    r.collider_count = 2;
    r.collider[0] = plane_at((td_vec3){0, 0, 0}, (td_quat){1, 0, 0, 0}, 0);
    r.collider[1] = plane_at((td_vec3){0, 0, 0}, val_turn((td_vec3){0, 0, -0.5 * VAL_PI}), 0);
    open_run(report, &r);
    const double left = implicit ? parts_at(report, &r, lift) : lets_go_at(report, &r);
    val_relative(report,
                 val_text(report, "degrees where a rod from %g leaves a wall%s", start, way_of(&r)),
                 1, left / DEGREE, asin(sin(tilt) * 2 / 3) / DEGREE, implicit ? 0.01 : 1e-5);
    close_run(&r);
}

// ---- floor ----------------------------------------------------------------------------------

// Of a rod that turns about its foot, by a from the vertical since it was let go at b: force across
// over that along the normal, from a'' = 3 g sin(a)/(2 l), a'^2 = 3 g (cos b - cos a)/l.
static double pivot_ratio(double a, double b) {
    const double spin2 = 3 * (cos(b) - cos(a)), turn = 1.5 * sin(a); // in g/l
    return 0.5 * (turn * cos(a) - spin2 * sin(a)) / (1 - 0.5 * (turn * sin(a) + spin2 * cos(a)));
}

static double slips_at(double friction, double b) {
    double low = b, high = b;
    while (pivot_ratio(high, b) < friction) {
        high += 0.01 * DEGREE;
    }
    for (int k = 0; k < 60; k++) {
        const double middle = 0.5 * (low + high);
        *(pivot_ratio(middle, b) < friction ? &low : &high) = middle;
    }
    return low;
}

// The first step with all of the friction, and which way the foot is moving a while later.
static void floor_slip(val_report *report, double friction, double start, bool implicit) {
    slip_run r = plain_run("a rod on a floor", implicit ? 1e-3 : 1e-4, implicit);
    free_rod(report, (td_vec3){0, RADIUS + (implicit ? GAP : 0), 0}, start * DEGREE, &r.tree);
    r.collider[0] = plane_at((td_vec3){0, 0, 0}, (td_quat){1, 0, 0, 0}, friction);
    open_run(report, &r);
    double angle = (double)NAN, foot = 0, before = 0;
    for (int k = 0; k < 20000 && isnan(angle); k++) {
        step_run(report, &r);
        double normal, across;
        force_of(&r, 0, &normal, &across);
        if (fabs(across) >= friction * normal * (1 - 1e-6)) {
            angle = 0.5 * (before + lean_of(&r));
        }
        before = lean_of(&r);
        foot = td_body_origin(r.tree.state, 0).x;
    }
    const int later = (int)(0.05 / r.opts.dt + 0.5);
    for (int k = 0; k < later; k++) {
        step_run(report, &r);
    }
    val_relative(
        report, val_text(report, "degrees where a rod's foot slips, mu %g%s", friction, way_of(&r)),
        1, angle / DEGREE, slips_at(friction, start * DEGREE) / DEGREE, implicit ? 0.01 : 1e-4);
    val_not_above(report, "and where the foot is 0.05 s later, m", 1,
                  td_body_origin(r.tree.state, 0).x - foot, -1e-4);
    close_run(&r);
}

// ---- slope ----------------------------------------------------------------------------------

// A stick that points down a slope, as gravity that leans: how far it goes in a minute, or how fast
// it gets in a second.
static void slope(val_report *report, double part, bool one_way, bool implicit) {
    const double friction = 0.5, tilt = atan(part * friction);
    slip_run r = plain_run("a stick on a slope", 1.0 / 60, implicit);
    free_rod(report, (td_vec3){0, RADIUS + (implicit ? GAP : 0), 0}, 0.5 * VAL_PI, &r.tree);
    r.one_way = one_way;
    r.collider[0] = plane_at((td_vec3){0, 0, 0}, (td_quat){1, 0, 0, 0}, friction);
    r.opts.integrator = implicit ? TD_IMPLICIT : TD_EULER;
    r.opts.gravity = (td_vec3){GRAVITY * sin(tilt), -GRAVITY * cos(tilt), 0};
    open_run(report, &r);
    const int32_t steps = part < 1 ? 3600 : 60;
    for (int32_t k = 0; k < steps; k++) {
        step_run(report, &r);
    }
    const td_vec3 o = td_body_origin(r.tree.state, 0);
    if (part < 1) {
        val_at_most(
            report,
            val_text(report, "creep in a minute, m, on a slope of %g mu%s", part, way_of(&r)),
            steps, hypot(o.x, o.z), 1e-6);
    } else {
        const double speed = td_tree_velocities(r.tree.state)[0];
        val_relative(
            report, val_text(report, "acceleration on a slope of %g mu, m/s^2%s", part, way_of(&r)),
            steps, speed, GRAVITY * (sin(tilt) - friction * cos(tilt)), implicit ? 1e-3 : 1e-6);
    }
    close_run(&r);
}

// ---- capstan --------------------------------------------------------------------------------

#define LINKS 12
#define DRUM  0.1  // m, to the joints
#define THIN  1e-5 // m: radius of the links

// A chain half around a drum, pulled at both ends. At a joint that turns it by b the pulls are as
//   (cos(b/2) + mu sin(b/2))/(cos(b/2) - mu sin(b/2))
// where it just slides: exp(mu b) for small b.
static void chain(val_report *report, val_body *tree) {
    td_material material = td_material_get(0);
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    const double b = VAL_PI / LINKS;
    *tree = (val_body){.skeleton = NULL};
    for (int32_t i = 0; i < LINKS; i++) {
        td_segment_def def =
            val_thin_rod(i == 0 ? TD_JOINT_FREE : TD_JOINT_HINGE, 2 * DRUM * sin(0.5 * b), 0.01);
        def.parent = i - 1;
        def.axis = (td_vec3){0, 0, 1};
        def.attach_at_tip = i > 0;
        def.attach = (td_vec3){-DRUM, 0, 0};
        def.rest = val_turn((td_vec3){0, 0, i == 0 ? -0.5 * b : -b});
        def.radius_base = def.radius_tip = THIN;
        def.second_moment.xx = def.second_moment.zz = def.mass * THIN * THIN / 4;
        val_add(report, builder, &def);
    }
    val_tree_finish(report, builder, tree);
}

// The speed of the end after a step from rest, with pulls of 1 and `ratio` N.
static double slides(val_report *report, slip_run *r, td_load *pull, double ratio) {
    case_must(td_body_reset(r->tree.state, NULL));
    pull[1].vector.y = -ratio;
    step_run(report, r);
    return hypot(td_tree_velocities(r->tree.state)[0], td_tree_velocities(r->tree.state)[1]);
}

static double gain_of(double friction, double turn) {
    const double c = cos(0.5 * turn), s = sin(0.5 * turn);
    return (c + friction * s) / (c - friction * s);
}

static void capstan(val_report *report, double friction) {
    slip_run r = plain_run("a chain on a drum", 1e-3, false);
    td_load pull[2] = {{.kind = TD_LOAD_FORCE, .vector = {0, -1, 0}},
                       {.kind = TD_LOAD_FORCE, .segment = LINKS - 1}};
    const double b = VAL_PI / LINKS;
    pull[1].point.y = 2 * DRUM * sin(0.5 * b);
    chain(report, &r.tree);
    td_collider drum = td_collider_default(TD_COLLIDER_CAPSULE);
    drum.radius = DRUM - THIN;
    drum.length = 2;
    drum.rotation0 = drum.rotation = val_turn((td_vec3){0.5 * VAL_PI, 0, 0});
    drum.friction = friction;
    r.collider[0] = drum;
    r.opts.integrator = TD_EULER;
    r.opts.gravity = (td_vec3){0, 0, 0};
    r.opts.loads = pull;
    r.opts.load_count = 2;
    open_run(report, &r);
    double low = 1, high = 20;
    for (int k = 0; k < 40; k++) {
        const double middle = 0.5 * (low + high);
        *(slides(report, &r, pull, middle) < 1e-9 ? &low : &high) = middle;
    }
    // the pulls are along the tangents: the ends turn by half as much
    const double want = pow(gain_of(friction, b), LINKS - 1) * pow(gain_of(friction, 0.5 * b), 2);
    val_relative(report,
                 val_text(report, "capstan: ratio of pulls, mu %g, %d joints", friction, LINKS),
                 LINKS, low, want, 1e-3);
    val_relative(report, val_text(report, "capstan: the same against exp(mu pi)"), LINKS, low,
                 exp(friction * VAL_PI), 0.02);
    close_run(&r);
}

void val_slip(val_report *report) {
    for (int way = 0; way < 2; way++) {
        const bool implicit = way == 1;
        wall(report, 60, implicit);
        wall(report, 75, implicit);
        floor_slip(report, 0.3, 10, implicit);
        slope(report, 0.9, false, implicit);
        slope(report, 1.5, false, implicit);
    }
    slope(report, 0.9, true, false);
    slope(report, 1.5, true, false);
    capstan(report, 0.2);
    capstan(report, 0.5);
}
