// SPDX-License-Identifier: MIT
// Cases of what rods must obey whatever their shape: derivatives, invariance, even twist.

#include "cases/validate/rod.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const td_vec3 weightless = {0, 0, 0}, weight = {0, -9.81, 0};

// ---- random rods ----------------------------------------------------------------------------

enum { MOST = 8, DIRECTIONS = 8 };

// Edges of about 0.2 m, each leaning from the one before.
static void wriggle(val_random *random, td_vec3 *points, int32_t count) {
    td_vec3 t = {0, 1, 0};
    points[0] = val_in_ball(random, 0.3);
    for (int32_t k = 1; k < count; k++) {
        t = td_vec3_madd(t, val_in_ball(random, 1), 0.7);
        points[k] = td_vec3_madd(
            points[k - 1], t, val_uniform(random, 0.15, 0.25) / fmax(0.3, sqrt(td_vec3_dot(t, t))));
    }
}

static void wobbly_ring(val_random *random, td_vec3 *points, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        double a = 2 * VAL_PI * k / count;
        points[k] =
            td_vec3_madd((td_vec3){0.2 * cos(a), 0.2 * sin(a), 0}, val_in_ball(random, 0.03), 1);
    }
}

// Flat, bent and twisted at ease, and otherwise at the start; so soft and thick that bending, twist
// and stretch are of one size. Every fourth is closed, some are held, some carry a body.
static void wild_strand(val_report *report, val_random *random, int32_t kind, val_body *strand) {
    td_vec3 points[MOST], rest[MOST];
    td_rod_def def = td_rod_def_default();
    td_rod_body body = {.rod = 0, .edge = 1, .mass = 0.5, .centre_of_mass = {0.02, 0.05, -0.03}};
    body.second_moment = (td_sym3){0.002, 0.004, 0.003, 0.0005, -0.0003, -0.00075};
    def.closed = kind % 4 == 3;
    def.vertex_count = 4 + val_below(random, MOST - 3);
    (def.closed ? wobbly_ring : wriggle)(random, points, def.vertex_count);
    (def.closed ? wobbly_ring : wriggle)(random, rest, def.vertex_count);
    def.points = points;
    def.rest = rest;
    def.radius = 0.05;
    def.radius_other = val_uniform(random, 0.03, 0.08);
    def.young = 1e5;
    def.twist_rest = val_uniform(random, -1, 1);
    def.twist = val_uniform(random, -1, 1);
    def.start = kind % 4 == 1 ? TD_END_CLAMPED : kind % 4 == 2 ? TD_END_PINNED : TD_END_FREE;
    def.end = kind % 8 == 1 ? TD_END_CLAMPED : kind % 8 == 2 ? TD_END_PINNED : TD_END_FREE;
    val_strand_new(report, &def, kind % 3 == 2 ? &body : NULL, strand);
}

// ---- derivatives ----------------------------------------------------------------------------

// A straight way through all places and turns, and how far along it the rod is.
typedef struct way {
    val_body *strand;
    int32_t vertices, edges;
    td_vec3 from[MOST], move[MOST];
    double turn[MOST], at;
} way;

static way way_of(val_body *strand) {
    way w = {.strand = strand};
    w.vertices = td_rod_vertex_count(strand->model);
    w.edges = td_body_segment_count(strand->model);
    for (int32_t k = 0; k < w.vertices; k++) {
        w.from[k] = td_rod_position(strand->state, k);
    }
    return w;
}

// Energy at a place of the way. Frames are carried along the way and back, which is the same.
static double energy_at(way *w, double at) {
    td_body *s = w->strand->state;
    for (int32_t k = 0; k < w->vertices; k++) {
        case_must(
            td_rod_set_vertex(s, k, td_vec3_madd(w->from[k], w->move[k], at), weightless, NULL));
    }
    for (int32_t k = 0; k < w->edges; k++) {
        case_must(td_rod_turn(s, k, w->turn[k] * (at - w->at), NULL));
    }
    w->at = at;
    td_energy e = td_body_energy(s, weight);
    return e.elastic + e.weight;
}

// differences of fourth order
static double slope(way *w, double h) {
    double near = energy_at(w, h) - energy_at(w, -h), far = energy_at(w, 2 * h);
    far -= energy_at(w, -2 * h);
    energy_at(w, 0);
    return (8 * near - far) / (12 * h);
}

static double second_difference(way *w, double h) {
    double here = energy_at(w, 0), near = energy_at(w, h) + energy_at(w, -h);
    double far = energy_at(w, 2 * h) + energy_at(w, -2 * h);
    energy_at(w, 0);
    return (16 * near - far - 30 * here) / (12 * h * h);
}

// Every entry of the gradient, over the largest.
static double gradient_off(val_body *strand) {
    td_vec3 force[MOST];
    double moment[MOST], most = 0, worst = 0;
    way w = way_of(strand);
    td_rod_forces(strand->state, weight, force, moment);
    for (int32_t k = 0; k < w.vertices; k++) {
        most = fmax(most, sqrt(td_vec3_dot(force[k], force[k])));
    }
    for (int32_t k = 0; k < w.edges; k++) {
        most = fmax(most, fabs(moment[k]));
    }
    for (int32_t d = 0; d < 3 * w.vertices; d++) {
        double *move = d % 3 == 0   ? &w.move[d / 3].x
                       : d % 3 == 1 ? &w.move[d / 3].y
                                    : &w.move[d / 3].z;
        double want = d % 3 == 0 ? force[d / 3].x : d % 3 == 1 ? force[d / 3].y : force[d / 3].z;
        *move = 1;
        worst = val_worse(fabs(slope(&w, 1e-4) + want) / most, worst);
        *move = 0;
    }
    for (int32_t k = 0; k < w.edges; k++) {
        w.turn[k] = 1;
        worst = val_worse(fabs(slope(&w, 1e-4) + moment[k]) / most, worst);
        w.turn[k] = 0;
    }
    return worst;
}

// A way along a sum of modes, with weights c; how far it moves anything, m or rad.
static double set_way(way *w, const double *shapes, const double *c, int32_t count) {
    double most = 0;
    memset(w->move, 0, sizeof w->move);
    memset(w->turn, 0, sizeof w->turn);
    for (int32_t k = 0; k < w->edges; k++) {
        td_vec3 *start = &w->move[k], *end = &w->move[(k + 1) % w->vertices];
        *start = *end = weightless; // told by both edges of a vertex
        for (int32_t j = 0; j < count; j++) {
            const double *row = shapes + 7 * (j * w->edges + k);
            *start = td_vec3_madd(*start, (td_vec3){row[0], row[1], row[2]}, c[j]);
            *end = td_vec3_madd(*end, (td_vec3){row[3], row[4], row[5]}, c[j]);
            w->turn[k] += c[j] * row[6];
        }
        most = fmax(most, fmax(sqrt(fmax(td_vec3_dot(*start, *start), td_vec3_dot(*end, *end))),
                               fabs(w->turn[k])));
    }
    return most;
}

static double squared(double frequency) { // omega^2, with the sign of the frequency
    double w = 2 * VAL_PI * frequency;
    return w * fabs(w);
}

// With all modes X of K and M, X^T K X is diag(lambda): along sum c_j x_j the second derivative of
// the energy must be sum c_j^2 lambda_j. Over the largest lambda.
static double second_differences_off(val_random *random, val_body *strand, const td_mode *modes,
                                     const double *shapes, double *c, int32_t count) {
    double most = 0, worst = 0;
    way w = way_of(strand);
    for (int32_t j = 0; j < count; j++) {
        most = fmax(most, fabs(squared(modes[j].frequency)));
    }
    for (int32_t d = 0; d < count + DIRECTIONS; d++) {
        double want = 0, size = 0;
        for (int32_t j = 0; j < count; j++) {
            c[j] = d < count ? d == j : val_uniform(random, -1, 1);
            want += c[j] * c[j] * squared(modes[j].frequency);
            size += c[j] * c[j];
        }
        double h = 5e-4 / set_way(&w, shapes, c, count);
        worst = val_worse(fabs(second_difference(&w, h) - want) / (size * most), worst);
    }
    return worst;
}

static void hessian_off(val_report *report, val_random *random, val_body *strand, double *off) {
    const int32_t count = td_body_dof_count(strand->model), edges = (int32_t)strand->n;
    const char *what = "Hessian, over its largest entry";
    td_mode *modes = val_memory(report, what, (size_t)count, sizeof *modes);
    double *shapes = val_memory(report, what, (size_t)(count * edges * 7), sizeof *shapes);
    double *c = val_memory(report, what, (size_t)count, sizeof *c);
    val_must(report, what, strand->n,
             td_rod_modes(strand->state, weight, count, modes, shapes, &report->diag));
    *off = second_differences_off(random, strand, modes, shapes, c, count);
    free(c);
    free(shapes);
    free(modes);
}

void val_rod_derivatives(val_report *report) {
    static const char *const kinds[4] = {"free", "clamped", "pinned", "closed"};
    val_random random = {31};
    double gradient[4] = {0, 0, 0, 0}, hessian[4] = {0, 0, 0, 0};
    for (int32_t k = 0; k < 200; k++) {
        val_body strand;
        double off = 0;
        wild_strand(report, &random, k, &strand);
        gradient[k % 4] = val_worse(gradient_off(&strand), gradient[k % 4]);
        case_must(td_body_reset(strand.state, NULL));
        hessian_off(report, &random, &strand, &off);
        hessian[k % 4] = val_worse(off, hessian[k % 4]);
        val_body_free(&strand);
        val_progress(report, k / 200.0);
    }
    for (int k = 0; k < 4; k++) {
        val_at_most(report, val_text(report, "gradient, over its largest entry, %s rods", kinds[k]),
                    50, gradient[k], 1e-6);
        val_at_most(report, val_text(report, "Hessian, over its largest entry, %s rods", kinds[k]),
                    50, hessian[k], 1e-6);
    }
}

// ---- invariance -----------------------------------------------------------------------------

static void rigid_motion(val_report *report) {
    val_random random = {32};
    double worst = 0;
    for (int32_t k = 0; k < 100; k++) {
        val_body strand;
        td_base_motion base = {.position = val_in_ball(&random, 2),
                               .rotation = val_turn(val_in_ball(&random, 3))};
        wild_strand(report, &random, k, &strand);
        double before = td_body_energy(strand.state, weightless).elastic;
        case_must(td_body_set_base(strand.state, &base, NULL));
        // set where it is, so that all strains are measured again
        case_must(
            td_rod_set_vertex(strand.state, 0, td_rod_position(strand.state, 0), weightless, NULL));
        double after = td_body_energy(strand.state, weightless).elastic;
        worst = val_worse(fabs(after - before) / before, worst);
        val_body_free(&strand);
    }
    val_at_most(report, "change of energy by rigid motion", 100, worst, 1e-12);
}

// A free rod, bent and twisted, thrown and spun: how far its momenta go from where they were, as
// parts of themselves.
static void tumble(val_report *report, double dt, double *linear, double *angular) {
    enum { COUNT = 21 };
    td_vec3 points[COUNT], p0, l0, p, l;
    td_rod_def def = td_rod_def_default();
    td_step_opts opts = td_step_opts_default();
    val_body strand;
    for (int32_t k = 0; k < COUNT; k++) {
        double s = 0.05 * k;
        points[k] = (td_vec3){s, 0.2 * sin(3 * s), 0.1 * cos(4 * s)};
    }
    def.vertex_count = COUNT;
    def.points = points;
    def.straight = true;
    def.radius = 0.005;
    def.radius_other = 0.0025;
    def.young = 1e6;
    def.twist = 1;
    val_strand_new(report, &def, NULL, &strand);
    for (int32_t k = 0; k < COUNT; k++) { // v + w x x
        td_vec3 x = points[k], v = {1 + 2 * x.z - 3 * x.y, 0.5 + 3 * x.x - x.z, x.y - 2 * x.x};
        case_must(td_rod_set_vertex(strand.state, k, x, v, NULL));
    }
    opts.gravity = weightless;
    opts.dt = dt;
    opts.tolerance = 1e-10;
    td_body_momentum(strand.state, &p0, &l0);
    *linear = *angular = 0;
    for (int32_t k = 0; k < (int32_t)(1 / dt + 0.5); k++) {
        val_step(report, &strand, &opts, "momentum of a free rod");
        td_body_momentum(strand.state, &p, &l);
        td_vec3 dp = td_vec3_madd(p, p0, -1), dl = td_vec3_madd(l, l0, -1);
        *linear = val_worse(sqrt(td_vec3_dot(dp, dp) / td_vec3_dot(p0, p0)), *linear);
        *angular = val_worse(sqrt(td_vec3_dot(dl, dl) / td_vec3_dot(l0, l0)), *angular);
    }
    val_body_free(&strand);
}

static void momenta(val_report *report) {
    double linear, angular;
    tumble(report, 5e-4, &linear, &angular);
    val_at_most(report, "change of linear momentum in 1 s", 20, linear, 1e-10);
    // edges have no gyroscopic moment of their own spin
    val_at_most(report, "change of angular momentum in 1 s", 20, angular, 1e-3);
}

// ---- twist ----------------------------------------------------------------------------------

enum { TWISTED = 20 };

// A straight round rod along X, clamped at both ends, with edges of different lengths, much stiffer
// against bending than against twist: it does not buckle.
static void straight_strand(val_report *report, td_vec3 points[TWISTED + 1], td_rod_def *def,
                            val_body *strand) {
    val_random random = {33};
    *def = td_rod_def_default();
    points[0] = weightless;
    for (int32_t k = 0; k < TWISTED; k++) {
        points[k + 1] = (td_vec3){points[k].x + val_uniform(&random, 0.02, 0.08), 0, 0};
    }
    def->vertex_count = TWISTED + 1;
    def->points = points;
    def->radius = 0.01;
    def->start = def->end = TD_END_CLAMPED;
    def->bend_x = def->bend_z = 0.5;
    def->twist_y = 0.1;
    val_strand_new(report, def, NULL, strand);
}

// Turns the far end on by an angle, in steps of a tenth of a turn at most, at rest after each.
static void turn_end(val_report *report, const td_vec3 *points, val_body *strand, double angle) {
    td_step_opts opts = td_step_opts_default();
    td_quat first = td_body_rotation(strand->state, TWISTED - 1);
    int32_t steps = (int32_t)ceil(fabs(angle) / (0.2 * VAL_PI));
    opts.gravity = weightless;
    for (int32_t k = 1; k <= steps; k++) {
        td_quat turn = td_quat_mul(val_turn((td_vec3){angle * k / steps, 0, 0}), first);
        case_must(td_rod_set_end(strand->state, 0, true, points[TWISTED], turn, NULL));
        val_settle(report, strand, &opts, "a rod turned at its end");
    }
}

// Twist a metre of the joint at an edge's start, whose share of the rod is half of each edge there.
static double twist_rate(const td_vec3 *points, val_body *strand, int32_t k) {
    double from = k == 0 ? points[0].x : 0.5 * (points[k - 1].x + points[k].x);
    return td_rod_twist_angle(strand->state, k) / (0.5 * (points[k].x + points[k + 1].x) - from);
}

static void five_turns(val_report *report) {
    td_vec3 points[TWISTED + 1];
    td_rod_def def;
    val_body strand;
    straight_strand(report, points, &def, &strand);
    turn_end(report, points, &strand, 10 * VAL_PI);
    double rate = td_body_moment(strand.state, TWISTED / 2).y / def.twist_y, sum = 0;
    for (int32_t k = 0; k < TWISTED; k++) {
        sum += td_rod_twist_angle(strand.state, k);
    }
    // the joint with the far clamp, half an edge long, has no edge of its own
    sum += rate * 0.5 * (points[TWISTED].x - points[TWISTED - 1].x);
    val_relative(report, "twist after five turns, rad", TWISTED, sum, 10 * VAL_PI, 1e-10);
    val_body_free(&strand);
}

// Vertices go at random. When the edges at a joint bent by phi turn by a and b, its twist changes
// by tan(phi/2) (a + b) at most, to first order.
static void random_walk(val_report *report) {
    enum { MOVES = 2000 };
    val_random random = {34};
    val_body strand;
    double most = 0, total = 0;
    wild_strand(report, &random, 0, &strand);
    const way w = way_of(&strand);
    double before[MOST];
    for (int32_t n = 0; n < MOVES; n++) {
        for (int32_t k = 0; k < w.edges; k++) {
            before[k] = td_rod_twist_angle(strand.state, k);
        }
        for (int32_t k = 0; k < w.vertices; k++) { // about where it was
            case_must(td_rod_set_vertex(strand.state, k,
                                        td_vec3_madd(w.from[k], val_in_ball(&random, 0.02), 1),
                                        weightless, NULL));
        }
        td_body_energy(strand.state, weightless); // measures strains
        for (int32_t k = 0; k < w.edges; k++) {
            double change = fabs(td_rod_twist_angle(strand.state, k) - before[k]);
            most = val_worse(change, most);
            total += change;
        }
    }
    val_at_most(report, "change of twist by a random move, rad", MOVES, most, 1);
    val_at_most(report, "moves that changed no twist", MOVES, total < 1, 0);
    val_body_free(&strand);
}

void val_rod_invariance(val_report *report) {
    rigid_motion(report);
    momenta(report);
    five_turns(report);
    random_walk(report);
}

void val_twist_uniform(val_report *report) {
    td_vec3 points[TWISTED + 1];
    td_rod_def def;
    val_body strand;
    straight_strand(report, points, &def, &strand);
    const double angle = 2, length = points[TWISTED].x;
    turn_end(report, points, &strand, angle);
    double worst = 0;
    for (int32_t k = 0; k < TWISTED; k++) {
        double rate = twist_rate(points, &strand, k);
        worst = val_worse(fabs(rate * length / angle - 1), worst);
    }
    val_at_most(report, "difference of twist along the rod", TWISTED, worst, 1e-10);
    val_relative(report, "torque, N m", TWISTED, td_body_moment(strand.state, TWISTED / 2).y,
                 def.twist_y * angle / length, 1e-10);
    val_body_free(&strand);
}
