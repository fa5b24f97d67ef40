// SPDX-License-Identifier: MIT
// Cases of rods with bodies: helical springs, Wilberforce's pendulum, a shaft between two wheels.
// docs/theory/rod-cases.md derives what is wanted.

#include "cases/validate/rod.h"

#include <math.h>
#include <stdlib.h>

static const td_vec3 weightless = {0, 0, 0};

// ---- springs --------------------------------------------------------------------------------

#define COIL_EDGES 48
#define COIL_MOST  10

// A helix about the y axis, hanging from the origin's height.
typedef struct coil {
    int32_t turns;
    double radius, pitch; // m; rad, of the wire against the level
    double bend, twist;   // N m^2
} coil;

static int32_t coil_edges(const coil *c) {
    return c->turns * COIL_EDGES;
}

static double coil_wire(const coil *c) {
    return 2 * VAL_PI * c->radius * c->turns / cos(c->pitch);
}

static double coil_height(const coil *c) {
    return 2 * VAL_PI * c->radius * c->turns * tan(c->pitch);
}

// Give of the spring to a force and a moment along its axis: shift and turn of its end.
typedef struct coil_give {
    double shift, turn, both; // m/N, rad/(N m), rad/N
} coil_give;

static coil_give give_of(const coil *c) {
    double l = coil_wire(c), r = c->radius, u = cos(c->pitch), v = sin(c->pitch);
    return (coil_give){l * r * r * (u * u / c->twist + v * v / c->bend),
                       l * (v * v / c->twist + u * u / c->bend),
                       l * r * u * v * (1 / c->twist - 1 / c->bend)};
}

static td_rod_def coil_def(const coil *c, td_vec3 *points) {
    td_rod_def def = td_rod_def_default();
    const int32_t n = coil_edges(c);
    for (int32_t v = 0; v <= n; v++) {
        double angle = 2 * VAL_PI * v / COIL_EDGES;
        points[v] =
            (td_vec3){c->radius * cos(angle), -coil_height(c) * v / n, c->radius * sin(angle)};
    }
    def.vertex_count = n + 1;
    def.points = points;
    def.bend_x = def.bend_z = c->bend;
    def.twist_y = c->twist;
    def.stretch = 1e3 * c->bend / (c->radius * c->radius); // of a wire 1/16 as thick as its coil
    def.mass = 1e-4;
    def.start = TD_END_CLAMPED;
    return def;
}

// A place on the axis at the end of the spring, in the axes of its last edge.
static td_vec3 on_axis(const val_body *rod, double height) {
    int32_t edge = (int32_t)rod->n - 1;
    td_vec3 o = td_body_origin(rod->state, edge);
    return td_quat_rotate(td_quat_conj(td_body_rotation(rod->state, edge)),
                          (td_vec3){-o.x, height - o.y, -o.z});
}

static double height_of(const val_body *rod, td_vec3 place) {
    int32_t edge = (int32_t)rod->n - 1;
    return td_body_origin(rod->state, edge).y +
           td_quat_rotate(td_body_rotation(rod->state, edge), place).y;
}

// Pulled along its axis, by an arm from the end of the wire: free to turn and to lean.
static void pull_free(val_report *report, const coil *c) {
    const char *quantity = "stiffness, N/m, end free to turn, G d^4/(8 D^3 n)";
    td_vec3 points[COIL_EDGES * COIL_MOST + 1];
    td_rod_def def = coil_def(c, points);
    td_step_opts opts = td_step_opts_default();
    val_body rod;
    val_strand_new(report, &def, NULL, &rod);
    const double close = c->twist / (2 * VAL_PI * c->turns * pow(c->radius, 3));
    double force = -1e-3 * coil_height(c) * close;
    td_load load = {.kind = TD_LOAD_FORCE,
                    .segment = (int32_t)rod.n - 1,
                    .point = on_axis(&rod, -coil_height(c)),
                    .vector = {0, force, 0}};
    double before = height_of(&rod, load.point);
    opts.gravity = weightless;
    opts.loads = &load;
    opts.load_count = 1;
    val_settle(report, &rod, &opts, quantity);
    double got = force / (height_of(&rod, load.point) - before);
    val_relative(report, quantity, rod.n, got, close, 0.03);
    val_relative(report, "the same against the wire's bending and twisting", rod.n, got,
                 1 / give_of(c).shift, 0.01);
    val_body_free(&rod);
}

// Its end moved along the axis, clamped: k = 2 E/x^2.
static void pull_clamped(val_report *report, const coil *c) {
    const char *quantity = "stiffness, N/m, end clamped, G d^4/(8 D^3 n)";
    td_vec3 points[COIL_EDGES * COIL_MOST + 1];
    td_rod_def def = coil_def(c, points);
    td_step_opts opts = td_step_opts_default();
    val_body rod;
    def.end = TD_END_CLAMPED;
    val_strand_new(report, &def, NULL, &rod);
    const double close = c->twist / (2 * VAL_PI * c->turns * pow(c->radius, 3));
    double shift = 1e-3 * coil_height(c);
    td_vec3 at = points[rod.n];
    at.y -= shift;
    opts.gravity = weightless;
    case_must(td_rod_set_end(rod.state, 0, true, at,
                             td_body_rotation(rod.state, (int32_t)rod.n - 1), NULL));
    val_settle(report, &rod, &opts, quantity);
    double got = 2 * td_body_energy(rod.state, weightless).elastic / (shift * shift);
    val_relative(report, quantity, rod.n, got, close, 0.03);
    val_body_free(&rod);
}

// ---- Wilberforce's pendulum -----------------------------------------------------------------

#define BEAT_MODES  6
#define BEAT_PERIOD 100  // steps a swing
#define BEAT_STEPS  2400 // a beat and a half
#define BEAT_KICK   0.02 // m/s

// How far a body's centre goes along the axis in a mode: v + w x r, w = t x (v' - v)/l + t turn.
static double swing_along(const val_body *rod, const td_real *shape, td_vec3 centre) {
    const int32_t edge = (int32_t)rod->n - 1;
    const td_quat q = td_body_rotation(rod->state, edge);
    td_vec3 a = td_body_origin(rod->state, edge), b = td_body_tip(rod->state, edge);
    td_vec3 t = td_quat_rotate(q, (td_vec3){0, 1, 0}), r = td_quat_rotate(q, centre);
    double over = 1 / td_vec3_distance(a, b);
    td_vec3 w =
        td_vec3_cross(t, (td_vec3){shape[3] - shape[0], shape[4] - shape[1], shape[5] - shape[2]});
    w = (td_vec3){w.x * over + t.x * shape[6], w.y * over + t.y * shape[6],
                  w.z * over + t.z * shape[6]};
    return shape[1] + td_vec3_cross(w, r).y;
}

// The two frequencies, rad/s, of the modes in which the body goes most along the axis.
static void coupled_rates(val_report *report, const char *quantity, val_body *rod, td_vec3 gravity,
                          td_vec3 centre, double rate[2]) {
    td_mode modes[BEAT_MODES];
    const size_t width = 7 * (size_t)rod->n;
    double most[2] = {0, 0};
    td_real *shapes = malloc(BEAT_MODES * width * sizeof *shapes);
    td_status status =
        shapes ? td_rod_modes(rod->state, gravity, BEAT_MODES, modes, shapes, &report->diag)
               : TD_ERR_MEMORY;
    for (size_t k = 0; k < BEAT_MODES && status == TD_OK; k++) {
        double shift = fabs(swing_along(rod, shapes + (k + 1) * width - 7, centre));
        if (shift > most[1]) {
            int at = shift > most[0] ? 0 : 1;
            most[1] = most[0];
            rate[1] = rate[0];
            most[at] = shift;
            rate[at] = 2 * VAL_PI * modes[k].frequency;
        }
    }
    free(shapes);
    val_must(report, quantity, rod->n, status);
}

// A body of 1 kg on the axis at the end of the spring, as slow in turning as in bobbing:
// I/m = shift/turn of the spring's give.
static void hang_body(val_report *report, const coil *c, const td_rod_def *def, td_rod_body *body) {
    const coil_give give = give_of(c);
    const double level = give.shift / give.turn / 2, along = 0.3; // m^2, of its second moments
    val_body rod;
    val_strand_new(report, def, NULL, &rod);
    const int32_t edge = (int32_t)rod.n - 1;
    const td_vec3 o = on_axis(&rod, -coil_height(c));
    const td_vec3 up =
        td_quat_rotate(td_quat_conj(td_body_rotation(rod.state, edge)), (td_vec3){0, 1, 0});
    const double more = along - level;
    *body = (td_rod_body){
        .edge = edge,
        .mass = 1,
        .centre_of_mass = o,
        .second_moment = {level + more * up.x * up.x + o.x * o.x,
                          level + more * up.y * up.y + o.y * o.y,
                          level + more * up.z * up.z + o.z * o.z, more * up.x * up.y + o.x * o.y,
                          more * up.x * up.z + o.x * o.z, more * up.y * up.z + o.y * o.z}};
    val_body_free(&rod);
}

// Kicked upwards from rest; its turn about the axis after every step.
static void bob(val_report *report, const char *quantity, val_body *rod, const td_step_opts *opts,
                int32_t steps, double *turn) {
    const int32_t edge = (int32_t)rod->n - 1;
    const td_vec3 side =
        td_quat_rotate(td_quat_conj(td_body_rotation(rod->state, edge)), (td_vec3){1, 0, 0});
    for (int32_t v = 0; v <= rod->n; v++) { // the last edge goes up as it is
        double part = fmin(1, (double)v / edge);
        case_must(td_rod_set_vertex(rod->state, v, td_rod_position(rod->state, v),
                                    (td_vec3){0, BEAT_KICK * part, 0}, NULL));
    }
    for (int32_t k = 0; k < steps; k++) {
        val_step(report, rod, opts, quantity);
        td_vec3 now = td_quat_rotate(td_body_rotation(rod->state, edge), side);
        turn[k] = atan2(-now.z, now.x);
    }
}

// x^2 + (x'/w)^2 rises and falls with the beat alone: from where it first passes half of its
// greatest to where it does so again, in steps.
static double beat_of(const double *turn, int32_t steps, double step_angle) {
    double most = 0, last = 0, passed[2] = {0, 0};
    int count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = 1; k < steps - 1; k++) {
            double rate = 0.5 * (turn[k + 1] - turn[k - 1]) / step_angle;
            double size = turn[k] * turn[k] + rate * rate;
            if (pass == 0) {
                most = fmax(most, size);
            } else if (k > 1 && last < most / 2 && size >= most / 2 && count < 2) {
                passed[count++] = k - (size - most / 2) / (size - last);
            }
            last = size;
        }
    }
    return count == 2 ? passed[1] - passed[0] : (double)NAN;
}

static void wilberforce(val_report *report) {
    const char *quantity = "Wilberforce's beat, s, 2 pi/(w1 - w2)";
    const coil c = {.turns = 6, .radius = 1, .pitch = 0.2, .bend = 1.5, .twist = 1};
    static td_vec3 points[COIL_EDGES * COIL_MOST + 1];
    static double turn[BEAT_STEPS];
    td_rod_def def = coil_def(&c, points);
    td_step_opts opts = td_step_opts_default();
    td_rod_body body;
    val_body rod;
    double rate[2] = {0, 0};
    hang_body(report, &c, &def, &body);
    val_strand_new(report, &def, &body, &rod);
    opts.gravity = (td_vec3){0, -0.02, 0}; // lengthens it by a tenth
    val_settle(report, &rod, &opts, quantity);
    coupled_rates(report, quantity, &rod, opts.gravity, body.centre_of_mass, rate);
    double mean = 0.5 * (rate[0] + rate[1]), angle = 2 * VAL_PI / BEAT_PERIOD;
    opts.dt = angle / mean;
    opts.tolerance = 1e-7;
    bob(report, quantity, &rod, &opts, BEAT_STEPS, turn);
    val_relative(report, quantity, rod.n, opts.dt * beat_of(turn, BEAT_STEPS, angle),
                 2 * VAL_PI / fabs(rate[0] - rate[1]), 0.03);
    val_body_free(&rod);
}

void val_spring(val_report *report) {
    const coil slender = {.turns = 8, .radius = 1, .pitch = 0.02, .bend = 1.3, .twist = 1};
    pull_free(report, &slender);
    pull_clamped(report, &slender);
    wilberforce(report);
}

// ---- transducer -----------------------------------------------------------------------------

#define SHAFT_EDGES   8
#define SHAFT_TWIST   2.0 // N m^2
#define SHAFT_PERIOD  400 // steps: BDF2 takes pi (2 pi/400)^3 of a swing's energy each time
#define SHAFT_PERIODS 100

typedef struct shaft_figures {
    double period; // s
    double passed; // of the first body's energy: what the second had at most
    double drift;  // of all energy
} shaft_figures;

static double all_energy(const val_body *rod) {
    td_energy e = td_body_energy(rod->state, weightless);
    return e.kinetic + e.elastic + e.weight;
}

// Zeros of the difference between the bodies' rates, to parts of a step.
static void run_shaft(val_report *report, const char *quantity, val_body *rod,
                      const td_step_opts *opts, double start, shaft_figures *got) {
    const int32_t last = SHAFT_EDGES - 1;
    double first = td_rod_spin(rod->state, 0), old = first;
    double zero[2] = {0, 0};
    int zeros = 0;
    *got = (shaft_figures){0};
    for (int k = 0; k < SHAFT_PERIOD * SHAFT_PERIODS; k++) {
        val_step(report, rod, opts, quantity);
        double a = td_rod_spin(rod->state, 0), b = td_rod_spin(rod->state, last), now = a - b;
        got->passed = fmax(got->passed, b * b / (first * first));
        got->drift = val_worse(fabs(all_energy(rod) / start - 1), got->drift);
        if ((now < 0) != (old < 0)) {
            zero[zeros > 0] = opts->dt * (k + old / (old - now));
            zeros++;
        }
        old = now;
    }
    got->period = 2 * (zero[1] - zero[0]) / (zeros - 1);
}

// A shaft of 1 m and 2 N m^2 between the middles of its first and last edges, which two wheels of
// equal inertia hold.
static void make_shaft(val_report *report, const char *quantity, double inertia, val_body *rod) {
    const double edge = 1.0 / (SHAFT_EDGES - 1), mass = 3;
    td_vec3 points[SHAFT_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    for (int32_t v = 0; v <= SHAFT_EDGES; v++) {
        points[v] = (td_vec3){0, edge * v, 0};
    }
    def.vertex_count = SHAFT_EDGES + 1;
    def.points = points;
    def.twist_y = SHAFT_TWIST;
    def.bend_x = def.bend_z = 3;
    def.stretch = 1e4;
    def.mass = 1e-3;
    td_rod_body wheels[2];
    for (int k = 0; k < 2; k++) {
        wheels[k] = (td_rod_body){
            .edge = k * (SHAFT_EDGES - 1),
            .mass = mass,
            .centre_of_mass = {0, edge / 2, 0},
            .second_moment = {inertia / 2, mass * edge * edge / 3, inertia / 2, 0, 0, 0}};
    }
    *rod = (val_body){.n = SHAFT_EDGES};
    val_must(report, quantity, rod->n,
             td_rod_model_new(&def, 1, wheels, 2, NULL, &rod->model, &report->diag));
    val_must(report, quantity, rod->n, td_body_new(rod->model, NULL, &rod->state, &report->diag));
}

// One wheel is spun; w^2 = 2 k/I, k = b/l.
void val_transducer(val_report *report) {
    const char *quantity = "period of the exchange, s";
    const double inertia = 0.75, want = 2 * VAL_PI * sqrt(inertia / (2 * SHAFT_TWIST));
    const double spin = VAL_PI / want; // twists the shaft by half a radian at most
    td_step_opts opts = td_step_opts_default();
    val_body rod;
    shaft_figures got;
    opts.gravity = weightless;
    opts.dt = want / SHAFT_PERIOD;
    opts.tolerance = 1e-8;
    make_shaft(report, quantity, inertia, &rod);
    case_must(td_rod_set_spin(rod.state, 0, spin, NULL));
    run_shaft(report, quantity, &rod, &opts, 0.5 * inertia * spin * spin, &got);
    val_relative(report, quantity, SHAFT_EDGES, got.period, want, 0.01);
    val_relative(report, "energy that goes over, of the first body's", SHAFT_EDGES, got.passed, 1,
                 0.01);
    val_at_most(report, "drift of all energy over 100 periods, 400 steps each", SHAFT_EDGES,
                got.drift, 0.01);
    val_body_free(&rod);
}
