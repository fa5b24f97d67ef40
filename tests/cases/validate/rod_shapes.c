// SPDX-License-Identifier: MIT
// Cases of rods that buckle by twist: Michell's ring, and a straight rod that coils in one place.
// docs/theory/rod-cases.md derives what is wanted.

#include "cases/validate/rod.h"

#include <math.h>

static const td_vec3 weightless = {0, 0, 0};

// ---- Michell's ring -------------------------------------------------------------------------

#define RING_MOST    100
#define RING_STEP    0.3  // s: about as long as the ring needs to swing by a radian
#define RING_FADE    40   // steps in which all fades that is not slow
#define RING_WATCH   40   // steps that tell growth from slow swinging
#define RING_LIFT    1e-4 // m
#define RING_FAR     1e-2 // m: it has grown
#define RING_HALVING 16

// The part of cos 2u in its height, around the ring.
static double ring_height(const val_body *ring) {
    double sum = 0;
    for (int32_t v = 0; v < ring->n; v++) {
        double angle = 2 * VAL_PI * v / (double)ring->n;
        sum += td_rod_position(ring->state, v).z * cos(2 * angle);
    }
    return 2 * sum / (double)ring->n;
}

// From rest, what is stable goes as cos wt and what is not as cosh wt: the first falls some time.
static void watch_ring(val_report *report, const char *quantity, val_body *ring,
                       const td_step_opts *opts, bool *grows) {
    double last = ring_height(ring);
    *grows = true;
    for (int k = 1; k <= RING_FADE + RING_WATCH && *grows && last < RING_FAR; k++) {
        val_step(report, ring, opts, quantity);
        double now = ring_height(ring);
        *grows = k <= RING_FADE || now > last;
        last = now;
    }
}

// A ring of radius 1, bending stiffness 1 and 1 kg/m, lifted out of its plane twice around.
// Backward Euler takes the energy of what does not grow.
static void ring_grows(val_report *report, const char *quantity, int32_t n, double twist_y,
                       double twist, bool *grows) {
    td_vec3 points[RING_MOST];
    td_rod_def def = td_rod_def_default();
    td_step_opts opts = td_step_opts_default();
    val_body ring;
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
    val_strand_new(report, &def, NULL, &ring);
    for (int32_t v = 0; v < n; v++) {
        td_vec3 at = points[v];
        at.z = RING_LIFT * cos(4 * VAL_PI * v / n);
        case_must(td_rod_set_vertex(ring.state, v, at, (td_vec3){0, 0, 0}, NULL));
    }
    watch_ring(report, quantity, &ring, &opts, grows);
    val_body_free(&ring);
}

// By bisection between none and four times of what is wanted.
static double critical_twist(val_report *report, const char *quantity, int32_t n, double twist_y) {
    double low = 0, high = 8 * VAL_PI * sqrt(3) / twist_y;
    for (int k = 0; k < RING_HALVING; k++) {
        double mid = 0.5 * (low + high);
        bool grows;
        ring_grows(report, quantity, n, twist_y, mid, &grows);
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
        val_absolute(report, val_text(report, "order of convergence, b/a = %g", ratios[k]), 100,
                     log2(off[0] / off[1]), 2, 0.1);
    }
}

// ---- localized helical buckling -------------------------------------------------------------

#define HELIX_MOST       600
#define HELIX_INCREMENTS 10
#define HELIX_STRETCH    1e6 // N
#define HELIX_COUNTS     6

static const double helix_length = 9.29, helix_bend = 1.345, helix_twist = 0.789,
                    helix_turn = 54 * VAL_PI, helix_short = 0.3;

// Of the buckled rod.
typedef struct helix {
    double phi;      // rad, the largest angle off the axis
    double spread;   // m, s* of the envelope
    double pull;     // N, along the axis
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
    t.pull = moment * moment / (2 * helix_bend * (1 + cos(t.phi)));
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

// Shortened little by little, from a slight coil of rate M/(2 a) about `centre`. The end is let out
// by what the pull stretches the rod.
static void buckle(val_report *report, const char *quantity, val_body *rod, double centre) {
    const double rate = helix_twist * helix_turn / (2 * helix_bend * helix_length);
    const double length = helix_length * (1 + helix_theory().pull / HELIX_STRETCH);
    td_step_opts opts = td_step_opts_default();
    opts.gravity = weightless;
    for (int32_t v = 1; v < rod->n; v++) {
        td_vec3 at = td_rod_position(rod->state, v);
        double s = at.y - centre, off = 1e-2 / (1 + s * s);
        at.x = off * cos(rate * s);
        at.z = -off * sin(rate * s);
        case_must(td_rod_set_vertex(rod->state, v, at, (td_vec3){0, 0, 0}, NULL));
    }
    for (int k = 1; k <= HELIX_INCREMENTS; k++) {
        double end = length - helix_short * k / HELIX_INCREMENTS;
        case_must(
            td_rod_set_end(rod->state, 0, true, (td_vec3){0, end, 0}, (td_quat){1, 0, 0, 0}, NULL));
        val_settle(report, rod, &opts, quantity);
    }
}

// Least of the parabola through three points: where, and its value.
static double least_of(const double s[3], const double f[3], double *at) {
    double d01 = (f[1] - f[0]) / (s[1] - s[0]), d12 = (f[2] - f[1]) / (s[2] - s[1]);
    double c = (d12 - d01) / (s[2] - s[0]);
    *at = 0.5 * (s[0] + s[1]) - d01 / (2 * c);
    return f[0] + (*at - s[0]) * (d01 + c * (*at - s[1]));
}

// cos phi of every edge; the coil is where it is least. The envelope is compared about there.
static helix measure_helix(const val_body *rod, const td_vec3 *rest) {
    const helix want = helix_theory();
    int32_t n = (int32_t)rod->n, low = 1;
    double f[HELIX_MOST], s[HELIX_MOST], centre;
    for (int32_t k = 0; k < n; k++) {
        td_vec3 a = td_body_origin(rod->state, k), b = td_body_tip(rod->state, k);
        f[k] = (b.y - a.y) / td_vec3_distance(a, b);
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

static void run_helix(val_report *report, const char *quantity, int32_t n, bool refined,
                      helix *got) {
    td_vec3 points[HELIX_MOST + 1];
    td_rod_def def = td_rod_def_default();
    val_body rod;
    sample_helix(n, refined, points);
    def.vertex_count = n + 1;
    def.points = points;
    def.director = (td_vec3){0, 0, 1}; // that of the end as well, after whole turns
    def.bend_x = def.bend_z = helix_bend;
    def.twist_y = helix_twist;
    def.twist = helix_turn;
    def.stretch = HELIX_STRETCH;
    def.mass = 1;
    def.start = def.end = TD_END_CLAMPED;
    val_strand_new(report, &def, NULL, &rod);
    // with one half finer the coil goes there, as it costs less: it may as well begin there
    buckle(report, quantity, &rod, (refined ? 0.75 : 0.5) * helix_length);
    *got = measure_helix(&rod, points);
    val_body_free(&rod);
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
        run_helix(report, text, counts[k], refined, &got[k]);
        phi[k] = got[k].phi;
        val_progress(report, (HELIX_COUNTS * refined + k + 1) / (2.0 * HELIX_COUNTS));
    }
    val_relative(report, text, 600, phi[5], want.phi, 0.01);
    val_relative(report, val_text(report, "the same, limit of n = 60 to 180, %s", how), 180,
                 endless(counts, phi, 4), want.phi, 0.01);
    val_at_most(report, val_text(report, "its error over that with half as many, %s", how), 240,
                (phi[4] - want.phi) / (phi[2] - want.phi), 0.5);
    val_at_most(report, val_text(report, "envelope's error, likewise, %s", how), 240,
                got[4].envelope / got[2].envelope, 0.5);
    val_at_most(report, val_text(report, "envelope against tanh^2(s/s*), %s", how), 600,
                got[5].envelope, 0.02);
}

void val_helical_buckling(val_report *report) {
    val_relative(report, "largest angle off the axis, rad, by theory", 0, helix_theory().phi, 0.919,
                 1e-3);
    helix_rows(report, false);
    helix_rows(report, true);
}
