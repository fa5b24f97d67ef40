// SPDX-License-Identifier: MIT
// Cases of rods with closed answers: Michell's ring, localized helical buckling, springs, bodies
// that trade energy by twist. docs/theory/rod-cases.md derives what is wanted.

#include "cli/validate.h"

#include <math.h>
#include <stdlib.h>

static const td_vec3 weightless = {0, 0, 0};

typedef struct rod_run {
    td_rod_model *model;
    td_rod_state *state;
    int64_t n; // of its rows
} rod_run;

static void close_rod(rod_run *rod) {
    td_rod_state_free(rod->state);
    td_rod_model_free(rod->model);
}

// False, with a row for the fault, when it fails; nothing is to be closed then.
static bool open_rod(val_report *report, const char *quantity, const td_rod_def *def,
                     const td_rod_body *bodies, int32_t body_count, rod_run *rod) {
    td_diag diag = {.message = ""};
    *rod = (rod_run){.n = def->vertex_count - !def->closed};
    td_status status =
        td_rod_model_new(def, 1, bodies, body_count, NULL, &rod->model, &diag);
    if (status == TD_OK) {
        status = td_rod_state_new(rod->model, NULL, &rod->state, &diag);
    }
    if (status != TD_OK) {
        val_fault(report, quantity, rod->n, status, &diag);
        close_rod(rod);
    }
    return status == TD_OK;
}

static bool step_rod(val_report *report, const char *quantity, rod_run *rod,
                     const td_step_opts *opts, int32_t steps) {
    td_diag diag = {.message = ""};
    for (int32_t k = 0; k < steps; k++) {
        td_status status = td_rod_step(rod->state, opts, NULL, &diag);
        if (status != TD_OK) {
            val_fault(report, quantity, rod->n, status, &diag);
            return false;
        }
    }
    return true;
}

static bool settle_rod(val_report *report, const char *quantity, rod_run *rod,
                       const td_step_opts *opts) {
    td_diag diag = {.message = ""};
    td_status status = td_rod_settle(rod->state, opts, NULL, &diag);
    if (status != TD_OK) {
        val_fault(report, quantity, rod->n, status, &diag);
    }
    return status == TD_OK;
}

// ---- Michell's ring -------------------------------------------------------------------------

#define RING_MOST    100
#define RING_STEP    0.3  // s: about as long as the ring needs to swing by a radian
#define RING_FADE    40   // steps in which all fades that is not slow
#define RING_WATCH   40   // steps that tell growth from slow swinging
#define RING_LIFT    1e-4 // m
#define RING_FAR     1e-2 // m: it has grown
#define RING_HALVING 16

// The part of cos 2u in its height, around the ring.
static double ring_height(const rod_run *ring) {
    double sum = 0;
    for (int32_t v = 0; v < ring->n; v++) {
        double angle = 2 * VAL_PI * v / (double)ring->n;
        sum += td_rod_position(ring->state, v).z * cos(2 * angle);
    }
    return 2 * sum / (double)ring->n;
}

// From rest, what is stable goes as cos wt and what is not as cosh wt: the first falls some time.
static bool watch_ring(val_report *report, const char *quantity, rod_run *ring,
                       const td_step_opts *opts, bool *grows) {
    double last = ring_height(ring);
    *grows = true;
    for (int k = 1; k <= RING_FADE + RING_WATCH && *grows && last < RING_FAR; k++) {
        if (!step_rod(report, quantity, ring, opts, 1)) {
            return false;
        }
        double now = ring_height(ring);
        *grows = k <= RING_FADE || now > last;
        last = now;
    }
    return true;
}

// A ring of radius 1, bending stiffness 1 and 1 kg/m, lifted out of its plane twice around.
// Backward Euler takes the energy of what does not grow.
static bool ring_grows(val_report *report, const char *quantity, int32_t n, double twist_y,
                       double twist, bool *grows) {
    td_vec3 points[RING_MOST];
    td_rod_def def = td_rod_def_default();
    td_step_opts opts = td_step_opts_default();
    rod_run ring;
    for (int32_t v = 0; v < n; v++) {
        double angle = 2 * VAL_PI * v / n;
        points[v] = (td_vec3){cos(angle), sin(angle), 0};
    }
    def.vertex_count = n;
    def.points = points;
    def.closed = def.straight = true;
    def.bend_x = def.bend_z = 1;
    def.twist_y = twist_y;
    def.twist = twist;
    def.stretch = 1e4;
    def.mass = 1;
    opts.gravity = weightless;
    opts.integrator = TD_IMPLICIT_EULER;
    opts.dt = RING_STEP;
    opts.tolerance = 1e-10;
    if (!open_rod(report, quantity, &def, NULL, 0, &ring)) {
        return false;
    }
    for (int32_t v = 0; v < n; v++) {
        td_vec3 at = points[v];
        at.z = RING_LIFT * cos(4 * VAL_PI * v / n);
        td_rod_set_vertex(ring.state, v, at, (td_vec3){0, 0, 0});
    }
    bool fine = watch_ring(report, quantity, &ring, &opts, grows);
    close_rod(&ring);
    return fine;
}

// By bisection between none and four times of what is wanted.
static double critical_twist(val_report *report, const char *quantity, int32_t n, double twist_y) {
    double low = 0, high = 8 * VAL_PI * sqrt(3) / twist_y;
    for (int k = 0; k < RING_HALVING; k++) {
        double mid = 0.5 * (low + high);
        bool grows;
        if (!ring_grows(report, quantity, n, twist_y, mid, &grows)) {
            return (double)NAN;
        }
        *(grows ? &high : &low) = mid;
    }
    return 0.5 * (low + high);
}

void val_michell(val_report *report) {
    const double ratios[] = {0.5, 0.75, 1, 1.5, 2};
    for (int k = 0; k < 5; k++) {
        char text[80];
        double want = 2 * VAL_PI * sqrt(3) / ratios[k], off[2];
        snprintf(text, sizeof text, "critical twist, rad, b/a = %g", ratios[k]);
        for (int j = 0; j < 2; j++) {
            int32_t n = j == 0 ? 50 : 100;
            double got = critical_twist(report, text, n, ratios[k]);
            off[j] = fabs(got - want);
            val_relative(report, text, n, got, want, 0.02);
            val_progress(report, (2 * k + j + 1) / 10.0);
        }
        snprintf(text, sizeof text, "its error over that with 50 edges, b/a = %g", ratios[k]);
        val_at_most(report, text, 100, off[1] / off[0], 1);
    }
}

// ---- localized helical buckling -------------------------------------------------------------

#define HELIX_MOST       600
#define HELIX_INCREMENTS 10
#define HELIX_COUNTS     6

static const double helix_length = 9.29, helix_bend = 1.345, helix_twist = 0.789,
                    helix_turn = 54 * VAL_PI, helix_short = 0.3;

// Of the buckled rod.
typedef struct helix {
    double phi;      // rad, the largest angle off the axis
    double spread;   // m, s* of the envelope
    double envelope; // how far it is from tanh^2 at most
} helix;

// sin phi = D M/(4 a),  M = b (R - 2 phi)/L: by repetition, which converges as D b/(2 a L) is small
static helix helix_theory(void) {
    helix t = {0};
    double moment = 0;
    for (int k = 0; k < 50; k++) {
        moment = helix_twist * (helix_turn - 2 * t.phi) / helix_length;
        t.phi = asin(helix_short * moment / (4 * helix_bend));
    }
    t.spread = 2 * helix_bend / (moment * tan(t.phi / 2));
    return t;
}

// Vertices of a rod that is sampled evenly, or twice as finely in one half.
static void sample_helix(int32_t n, bool refined, td_vec3 *points) {
    int32_t coarse = refined ? n / 3 : n / 2;
    for (int32_t v = 0; v <= n; v++) {
        double half = v <= coarse ? (double)v / coarse : 1 + (double)(v - coarse) / (n - coarse);
        points[v] = (td_vec3){0, 0.5 * helix_length * half, 0};
    }
}

// Shortened little by little, from a slight coil in the middle: w = M/(2 a), where it starts.
static bool buckle(val_report *report, const char *quantity, rod_run *rod) {
    const double rate = helix_twist * helix_turn / (2 * helix_bend * helix_length);
    td_step_opts opts = td_step_opts_default();
    opts.gravity = weightless;
    for (int32_t v = 1; v < rod->n; v++) {
        td_vec3 at = td_rod_position(rod->state, v);
        double s = at.y - 0.5 * helix_length, off = 1e-2 / (1 + s * s);
        at.x = off * cos(rate * s);
        at.z = -off * sin(rate * s);
        td_rod_set_vertex(rod->state, v, at, (td_vec3){0, 0, 0});
    }
    for (int k = 1; k <= HELIX_INCREMENTS; k++) {
        double end = helix_length - helix_short * k / HELIX_INCREMENTS;
        td_rod_set_end(rod->state, 0, true, (td_vec3){0, end, 0}, (td_quat){1, 0, 0, 0});
        if (!settle_rod(report, quantity, rod, &opts)) {
            return false;
        }
    }
    return true;
}

// Least of the parabola through three points: where, and its value.
static double least_of(const double s[3], const double f[3], double *at) {
    double d01 = (f[1] - f[0]) / (s[1] - s[0]), d12 = (f[2] - f[1]) / (s[2] - s[1]);
    double c = (d12 - d01) / (s[2] - s[0]);
    *at = 0.5 * (s[0] + s[1]) - d01 / (2 * c);
    return f[0] + (*at - s[0]) * (d01 + c * (*at - s[1]));
}

// cos phi of every edge; the coil is where it is least. The envelope is compared about there.
static helix measure_helix(const rod_run *rod, const td_vec3 *rest) {
    const helix want = helix_theory();
    int32_t n = (int32_t)rod->n, low = 1;
    double f[HELIX_MOST], s[HELIX_MOST], centre;
    for (int32_t k = 0; k < n; k++) {
        td_vec3 a = td_rod_origin(rod->state, k), b = td_rod_tip(rod->state, k);
        f[k] = (b.y - a.y) / hypot(hypot(b.x - a.x, b.y - a.y), b.z - a.z);
        s[k] = 0.5 * (rest[k].y + rest[k + 1].y);
        low = k > 0 && k < n - 1 && f[k] < f[low] ? k : low;
    }
    helix got = {.phi = acos(least_of(&s[low - 1], &f[low - 1], &centre))};
    for (int32_t k = 0; k < n; k++) {
        double th = tanh((s[k] - centre) / want.spread);
        double off = (f[k] - cos(want.phi)) / (1 - cos(want.phi)) - th * th;
        got.envelope = val_worse(fabs(off), got.envelope);
    }
    return got;
}

static bool run_helix(val_report *report, const char *quantity, int32_t n, bool refined,
                      helix *got) {
    td_vec3 points[HELIX_MOST + 1];
    td_rod_def def = td_rod_def_default();
    rod_run rod;
    sample_helix(n, refined, points);
    def.vertex_count = n + 1;
    def.points = points;
    def.director = (td_vec3){0, 0, 1}; // that of the end as well, after whole turns
    def.bend_x = def.bend_z = helix_bend;
    def.twist_y = helix_twist;
    def.twist = helix_turn;
    def.stretch = 1e8; // gives 4e-6 m to the pull of 47 N
    def.mass = 1;
    def.start = def.end = TD_END_CLAMPED;
    if (!open_rod(report, quantity, &def, NULL, 0, &rod)) {
        return false;
    }
    bool fine = buckle(report, quantity, &rod);
    if (fine) {
        *got = measure_helix(&rod, points);
    }
    close_rod(&rod);
    return fine;
}

// Where the polynomial in 1/n^2 through the figures meets 0: by Neville's rule.
static double endless(const int32_t *n, const double *value, int count) {
    double p[HELIX_COUNTS];
    for (int k = 0; k < count; k++) {
        p[k] = value[k];
        for (int j = k - 1; j >= 0; j--) {
            double ratio = (double)n[j] * n[j] / ((double)n[k] * n[k]); // of 1/n^2, k over j
            p[j] = (p[j + 1] - ratio * p[j]) / (1 - ratio);
        }
    }
    return p[0];
}

static void helix_rows(val_report *report, bool refined) {
    static const int32_t counts[HELIX_COUNTS] = {60, 90, 120, 180, 240, 600};
    const char *how = refined ? "half refined" : "even";
    const helix want = helix_theory();
    helix got[HELIX_COUNTS];
    double phi[HELIX_COUNTS];
    char text[80];
    for (int k = 0; k < HELIX_COUNTS; k++) {
        snprintf(text, sizeof text, "largest angle off the axis, rad, %s", how);
        if (!run_helix(report, text, counts[k], refined, &got[k])) {
            return;
        }
        phi[k] = got[k].phi;
        val_progress(report, (HELIX_COUNTS * refined + k + 1) / (2.0 * HELIX_COUNTS));
        if (counts[k]>=180) fprintf(stderr, "  %d %g %g%% env %g\n", counts[k], phi[k], 100*(phi[k]/want.phi-1), got[k].envelope);
    }
    val_relative(report, text, 600, phi[5], want.phi, 0.01);
    snprintf(text, sizeof text, "the same, limit of n = 60 to 180, %s", how);
    val_relative(report, text, 180, endless(counts, phi, 4), want.phi, 0.01);
    snprintf(text, sizeof text, "its error over that with half as many edges, %s", how);
    val_at_most(report, text, 240, (phi[4] - want.phi) / (phi[2] - want.phi), 0.5);
    snprintf(text, sizeof text, "envelope's error, likewise, %s", how);
    val_at_most(report, text, 240, got[4].envelope / got[2].envelope, 0.5);
    snprintf(text, sizeof text, "envelope against tanh^2(s/s*), %s", how);
    val_at_most(report, text, 600, got[5].envelope, 0.02);
}

void val_helical_buckling(val_report *report) {
    val_relative(report, "largest angle off the axis, rad, by theory", 0, helix_theory().phi, 0.919,
                 1e-3);
    helix_rows(report, false);
    helix_rows(report, true);
}

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
        points[v] = (td_vec3){c->radius * cos(angle), -coil_height(c) * v / n,
                              c->radius * sin(angle)};
    }
    def.vertex_count = n + 1;
    def.points = points;
    def.bend_x = def.bend_z = c->bend;
    def.twist_y = c->twist;
    def.stretch = 1e6 * c->bend / (c->radius * c->radius);
    def.mass = 1e-4;
    def.start = TD_END_CLAMPED;
    return def;
}

// Rotates v by q, or back.
static td_vec3 rotated(td_quat q, td_vec3 v, bool back) {
    double s = back ? -1 : 1, x = s * q.x, y = s * q.y, z = s * q.z;
    td_vec3 c = {y * v.z - z * v.y + q.w * v.x, z * v.x - x * v.z + q.w * v.y,
                 x * v.y - y * v.x + q.w * v.z};
    return (td_vec3){v.x + 2 * (y * c.z - z * c.y), v.y + 2 * (z * c.x - x * c.z),
                     v.z + 2 * (x * c.y - y * c.x)};
}

// A place on the axis at the end of the spring, in the axes of its last edge.
static td_vec3 on_axis(const rod_run *rod, double height) {
    int32_t edge = (int32_t)rod->n - 1;
    td_vec3 o = td_rod_origin(rod->state, edge);
    return rotated(td_rod_rotation(rod->state, edge), (td_vec3){-o.x, height - o.y, -o.z}, true);
}

static double height_of(const rod_run *rod, td_vec3 place) {
    int32_t edge = (int32_t)rod->n - 1;
    return td_rod_origin(rod->state, edge).y +
           rotated(td_rod_rotation(rod->state, edge), place, false).y;
}

// Pulled along its axis, by an arm from the end of the wire: free to turn and to lean.
static void pull_free(val_report *report, const coil *c) {
    const char *quantity = "stiffness, N/m, end free to turn, G d^4/(8 D^3 n)";
    td_vec3 points[COIL_EDGES * COIL_MOST + 1];
    td_rod_def def = coil_def(c, points);
    td_step_opts opts = td_step_opts_default();
    rod_run rod;
    if (!open_rod(report, quantity, &def, NULL, 0, &rod)) {
        return;
    }
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
    if (settle_rod(report, quantity, &rod, &opts)) {
        double got = force / (height_of(&rod, load.point) - before);
        val_relative(report, quantity, rod.n, got, close, 0.03);
        val_relative(report, "the same against the wire's bending and twisting", rod.n, got,
                     1 / give_of(c).shift, 0.01);
    }
    close_rod(&rod);
}

// Its end moved along the axis, clamped: k = 2 E/x^2.
static void pull_clamped(val_report *report, const coil *c) {
    const char *quantity = "stiffness, N/m, end clamped, G d^4/(8 D^3 n)";
    td_vec3 points[COIL_EDGES * COIL_MOST + 1];
    td_rod_def def = coil_def(c, points);
    td_step_opts opts = td_step_opts_default();
    rod_run rod;
    def.end = TD_END_CLAMPED;
    if (!open_rod(report, quantity, &def, NULL, 0, &rod)) {
        return;
    }
    const double close = c->twist / (2 * VAL_PI * c->turns * pow(c->radius, 3));
    double shift = 1e-3 * coil_height(c);
    td_vec3 at = points[rod.n];
    at.y -= shift;
    opts.gravity = weightless;
    td_rod_set_end(rod.state, 0, true, at, td_rod_rotation(rod.state, (int32_t)rod.n - 1));
    if (settle_rod(report, quantity, &rod, &opts)) {
        double got = 2 * td_rod_energy(rod.state, weightless).elastic / (shift * shift);
        val_relative(report, quantity, rod.n, got, close, 0.03);
    }
    close_rod(&rod);
}

// ---- Wilberforce's pendulum -----------------------------------------------------------------

#define BEAT_MODES  8
#define BEAT_PERIOD 100  // steps a swing
#define BEAT_STEPS  2400 // a beat and a half
#define BEAT_KICK   0.02 // m/s

static td_vec3 crossed(td_vec3 a, td_vec3 b) {
    return (td_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// How far a body's centre goes along the axis in a mode: v + w x r, w = t x (v' - v)/l + t turn.
static double swing_along(const rod_run *rod, const td_real *shape, td_vec3 centre) {
    const int32_t edge = (int32_t)rod->n - 1;
    const td_quat q = td_rod_rotation(rod->state, edge);
    td_vec3 a = td_rod_origin(rod->state, edge), b = td_rod_tip(rod->state, edge);
    td_vec3 t = rotated(q, (td_vec3){0, 1, 0}, false), r = rotated(q, centre, false);
    double over = 1 / hypot(hypot(b.x - a.x, b.y - a.y), b.z - a.z);
    td_vec3 w = crossed(t, (td_vec3){shape[3] - shape[0], shape[4] - shape[1], shape[5] - shape[2]});
    w = (td_vec3){w.x * over + t.x * shape[6], w.y * over + t.y * shape[6],
                  w.z * over + t.z * shape[6]};
    return shape[1] + crossed(w, r).y;
}

// The two frequencies, rad/s, of the modes in which the body goes most along the axis.
static bool coupled_rates(val_report *report, const char *quantity, rod_run *rod, td_vec3 gravity,
                          td_vec3 centre, double rate[2]) {
    td_mode modes[BEAT_MODES];
    td_diag diag = {.message = ""};
    const size_t width = 7 * (size_t)rod->n;
    double most[2] = {0, 0};
    td_real *shapes = malloc(BEAT_MODES * width * sizeof *shapes);
    td_status status = shapes ? td_rod_modes(rod->state, gravity, BEAT_MODES, modes, shapes, &diag)
                              : TD_ERR_MEMORY;
    for (size_t k = 0; k < BEAT_MODES && status == TD_OK; k++) {
        double shift = fabs(swing_along(rod, shapes + (k + 1) * width - 7, centre));
        fprintf(stderr, "   %zu %g %g\n", k, modes[k].frequency, shift);
        if (shift > most[1]) {
            int at = shift > most[0] ? 0 : 1;
            most[1] = most[0];
            rate[1] = rate[0];
            most[at] = shift;
            rate[at] = 2 * VAL_PI * modes[k].frequency;
        }
    }
    free(shapes);
    if (status != TD_OK) {
        val_fault(report, quantity, rod->n, status, &diag);
    }
    return status == TD_OK;
}

// A body of 1 kg on the axis at the end of the spring, as slow in turning as in bobbing:
// I/m = shift/turn of the spring's give.
static bool hang_body(val_report *report, const char *quantity, const coil *c,
                      const td_rod_def *def, td_rod_body *body) {
    const coil_give give = give_of(c);
    const double level = give.shift / give.turn / 2, along = 0.3; // m^2, of its second moments
    rod_run rod;
    if (!open_rod(report, quantity, def, NULL, 0, &rod)) {
        return false;
    }
    const int32_t edge = (int32_t)rod.n - 1;
    const td_vec3 o = on_axis(&rod, -coil_height(c));
    const td_vec3 up = rotated(td_rod_rotation(rod.state, edge), (td_vec3){0, 1, 0}, true);
    const double more = along - level;
    *body = (td_rod_body){.edge = edge,
                          .mass = 1,
                          .centre_of_mass = o,
                          .second_moment = {level + more * up.x * up.x + o.x * o.x,
                                            level + more * up.y * up.y + o.y * o.y,
                                            level + more * up.z * up.z + o.z * o.z,
                                            more * up.x * up.y + o.x * o.y,
                                            more * up.x * up.z + o.x * o.z,
                                            more * up.y * up.z + o.y * o.z}};
    close_rod(&rod);
    return true;
}

// Kicked upwards from rest; its turn about the axis after every step.
static bool bob(val_report *report, const char *quantity, rod_run *rod, const td_step_opts *opts,
                int32_t steps, double *turn) {
    const int32_t edge = (int32_t)rod->n - 1;
    const td_vec3 side = rotated(td_rod_rotation(rod->state, edge), (td_vec3){1, 0, 0}, true);
    for (int32_t v = 0; v <= rod->n; v++) { // the last edge goes up as it is
        double part = fmin(1, (double)v / edge);
        td_rod_set_vertex(rod->state, v, td_rod_position(rod->state, v),
                          (td_vec3){0, BEAT_KICK * part, 0});
    }
    for (int32_t k = 0; k < steps; k++) {
        if (!step_rod(report, quantity, rod, opts, 1)) {
            return false;
        }
        td_vec3 now = rotated(td_rod_rotation(rod->state, edge), side, false);
        turn[k] = atan2(-now.z, now.x);
    }
    return true;
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
    rod_run rod;
    double rate[2] = {0, 0};
    if (!hang_body(report, quantity, &c, &def, &body) ||
        !open_rod(report, quantity, &def, &body, 1, &rod)) {
        return;
    }
    opts.gravity = (td_vec3){0, -0.02, 0}; // lengthens it by a tenth
    if (settle_rod(report, quantity, &rod, &opts) &&
        coupled_rates(report, quantity, &rod, opts.gravity, body.centre_of_mass, rate)) {
        double mean = 0.5 * (rate[0] + rate[1]), angle = 2 * VAL_PI / BEAT_PERIOD;
        opts.dt = angle / mean;
        opts.tolerance = 1e-7;
        if (bob(report, quantity, &rod, &opts, BEAT_STEPS, turn)) {
            val_relative(report, quantity, rod.n, opts.dt * beat_of(turn, BEAT_STEPS, angle),
                         2 * VAL_PI / fabs(rate[0] - rate[1]), 0.03);
        }
    }
    close_rod(&rod);
}

void val_spring(val_report *report) {
    const coil slender = {.turns = 8, .radius = 1, .pitch = 0.02, .bend = 1.3, .twist = 1};
    pull_free(report, &slender);
    pull_clamped(report, &slender);
    wilberforce(report);
}

// ---- transducer -----------------------------------------------------------------------------

#define SHAFT_EDGES   8
#define SHAFT_PERIOD  400 // steps
#define SHAFT_PERIODS 100

typedef struct shaft_figures {
    double period;  // s
    double passed;  // of the first body's energy: what the second had at most
    double drift;   // of all energy
} shaft_figures;

static double all_energy(const rod_run *rod) {
    td_energy e = td_rod_energy(rod->state, weightless);
    return e.kinetic + e.elastic + e.weight;
}

// Zeros of the difference between the bodies' rates, to parts of a step.
static bool run_shaft(val_report *report, const char *quantity, rod_run *rod,
                      const td_step_opts *opts, double start, shaft_figures *got) {
    const int32_t last = SHAFT_EDGES - 1;
    double first = td_rod_spin(rod->state, 0), old = first;
    double zero[2] = {0, 0};
    int zeros = 0;
    *got = (shaft_figures){0};
    for (int k = 0; k < SHAFT_PERIOD * SHAFT_PERIODS; k++) {
        if (!step_rod(report, quantity, rod, opts, 1)) {
            return false;
        }
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
    return true;
}

// Bodies hold the first and the last edge; the shaft is what is between their middles.
void val_transducer(val_report *report) {
    const char *quantity = "period of the exchange, s";
    const double between = 1, edge = between / (SHAFT_EDGES - 1), twist = 2, mass = 3, gyration = 0.5;
    td_vec3 points[SHAFT_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    td_step_opts opts = td_step_opts_default();
    rod_run rod;
    shaft_figures got;
    for (int32_t v = 0; v <= SHAFT_EDGES; v++) {
        points[v] = (td_vec3){0, edge * v, 0};
    }
    def.vertex_count = SHAFT_EDGES + 1;
    def.points = points;
    def.twist_y = twist;
    def.bend_x = def.bend_z = 3;
    def.stretch = 1e4;
    def.mass = 1e-3;
    double second = mass * gyration * gyration / 2; // half of the inertia about the shaft
    td_rod_body body = {.mass = mass, .centre_of_mass = {0, edge / 2, 0},
                        .second_moment = {second, mass * edge * edge / 3, second, 0, 0, 0}};
    td_rod_body bodies[2] = {body, body};
    bodies[1].edge = SHAFT_EDGES - 1;
    const double inertia = 2 * second, want = 2 * VAL_PI * sqrt(inertia * between / (2 * twist));
    const double rate = VAL_PI / want; // twists the shaft by half a radian at most
    opts.gravity = weightless;
    opts.dt = want / SHAFT_PERIOD;
    opts.tolerance = 1e-8;
    if (!open_rod(report, quantity, &def, bodies, 2, &rod)) {
        return;
    }
    td_rod_set_spin(rod.state, 0, rate);
    if (run_shaft(report, quantity, &rod, &opts, 0.5 * inertia * rate * rate, &got)) {
        val_relative(report, quantity, SHAFT_EDGES, got.period, want, 0.01);
        val_relative(report, "energy that goes over, of the first body's", SHAFT_EDGES, got.passed,
                     1, 0.01);
        val_at_most(report, "drift of all energy over 100 periods", SHAFT_EDGES, got.drift, 0.01);
    }
    close_rod(&rod);
}
