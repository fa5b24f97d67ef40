// SPDX-License-Identifier: MIT
// Cases of beams by all solvers: the droop of a cantilever, large bending, vibration.

#include "cases/validate/helix.h"
#include "cases/validate/rod.h"

#include <math.h>
#include <string.h>

#define GRAVITY 9.81

// ---- beams of all solvers -------------------------------------------------------------------

void val_beam_open(val_report *report, const char *solver, const val_rod *beam, val_body *body) {
    if (strcmp(solver, "tree") == 0) {
        val_rod_build(report, beam, body);
    } else if (strcmp(solver, "helix") == 0) {
        val_helix_beam(report, beam, body);
    } else {
        val_strand_beam(report, beam, strcmp(solver, "rod") != 0, body);
    }
}

// ---- cantilever -----------------------------------------------------------------------------

// Droop of the tip by statics, and, when asked for, by stepping from the straight pose.
static void droop(val_report *report, const char *solver, const val_rod *beam, double *still,
                  double *stepped) {
    val_body body;
    const td_step_opts opts = td_step_opts_default();
    val_beam_open(report, solver, beam, &body);
    val_settle(report, &body, &opts, "droop");
    *still = -val_tip(&body).y;
    if (stepped) {
        case_must(td_body_reset(body.state, NULL));
        // 20 s: what the rule itself damps has died away
        for (int32_t i = 0; i < 1200; i++) {
            val_step(report, &body, &opts, "droop by stepping");
        }
        *stepped = -val_tip(&body).y;
    }
    val_body_free(&body);
}

// (1/10^2 - 1/20^2)/(1/20^2 - 1/40^2) = 4: differences do not see what the formula leaves out for
// large bending
static void droop_order(val_report *report, const char *solver, int32_t coarse) {
    double y[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        const val_rod beam = val_thesis_beam(coarse << k);
        droop(report, solver, &beam, &y[k], NULL);
    }
    val_absolute(report, "order of convergence", 4 * coarse, log2((y[0] - y[1]) / (y[1] - y[2])), 2,
                 0.1);
}

// w l^4/(8 E I), w = rho A g and A/I = 4/r^2
static double droop_theory(const val_rod *beam) {
    return beam->density * GRAVITY * 4 / (beam->radius * beam->radius) / (8 * beam->young);
}

// Compares the droop with a figure, and stepping with statics.
static void compare_droop(val_report *report, const char *solver, const val_rod *beam,
                          const char *quantity, double want, double limit) {
    double still, stepped;
    droop(report, solver, beam, &still, &stepped);
    val_relative(report, quantity, beam->count, still, want, limit);
    val_relative(report, "droop, m, stepping at 1/60 s", beam->count, stepped, still, 1e-6);
}

static const struct {
    int32_t n;
    double thesis; // m: the table of section 8.3
    double limit;  // of the error of trees and rods
} droops[] = {{10, 0.0067664, 0.011},
              {25, 0.0060488, 0.011},
              {100, 0.0057051, 0.0002},
              {250, 0.0056376, 0.0002},
              {500, 0.0056155, 0.0002}};

void val_cantilever(val_report *report) {
    for (int k = 0; k < 5; k++) {
        val_rod rod = val_thesis_beam(droops[k].n);
        val_progress(report, k / 5.0);
        compare_droop(report, "tree", &rod, "droop, m, clamped rule", droop_theory(&rod),
                      droops[k].limit);
        rod.springs = TD_SPRING_THESIS;
        compare_droop(report, "tree", &rod, "droop, m, thesis's rule and figure", droops[k].thesis,
                      0.002);
    }
    droop_order(report, "tree", 10);
}

void val_rod_cantilever(val_report *report) {
    for (int k = 0; k < 5; k++) {
        const val_rod beam = val_thesis_beam(droops[k].n);
        double rod, tree;
        val_progress(report, k / 6.0);
        compare_droop(report, "rod", &beam, "droop, m", droop_theory(&beam), droops[k].limit);
        if (beam.count == 100) {
            droop(report, "rod", &beam, &rod, NULL);
            droop(report, "tree", &beam, &tree, NULL);
            val_relative(report, "droop, m, against that of the tree", 100, rod, tree, 0.005);
        }
    }
    droop_order(report, "rod", 10);
}

// An element bends evenly: of N the droop is w l^4/(8 E I) (1 - 1/(3 N^2)), up to 2e-5 of it for
// large bending.
void val_helix_cantilever(val_report *report) {
    static const int32_t counts[4] = {1, 3, 10, 50};
    for (int k = 0; k < 4; k++) {
        const val_rod beam = val_thesis_beam(counts[k]);
        const double n = beam.count, theory = droop_theory(&beam);
        double still;
        compare_droop(report, "helix", &beam, "droop, m, of evenly bent elements",
                      theory * (1 - 1 / (3 * n * n)), 5e-5);
        if (beam.count == 50) {
            droop(report, "helix", &beam, &still, NULL);
            val_relative(report, "droop, m", beam.count, still, theory, 0.0002);
        }
    }
    droop_order(report, "helix", 5);
}

// ---- elastica -------------------------------------------------------------------------------

// Elliptic integrals of modulus k, complete (K, E) and up to phi (F, E), by the arithmetic-
// geometric mean and Landen's rule for the angle:
//   tan(phi' - phi) = (b/a) tan phi,  F = phi_N/(2^N a_N),  E(phi) = F E/K + sum c_n sin phi_n
//   K = pi/(2 a_N),  E/K = 1 - sum 2^(n-1) c_n^2
typedef struct elliptic {
    double complete_k, complete_e, f, e;
} elliptic;

static elliptic elliptic_of(double k, double phi) {
    double a = 1, b = sqrt(1 - k * k), c = k, power = 0.5, squares = 0.5 * c * c, sines = 0;
    while (c > 1e-9) { // the next one is a quarter of its square
        phi += atan(b / a * tan(phi)) + VAL_PI * floor(phi / VAL_PI + 0.5);
        double next = (a + b) / 2;
        c = (a - b) / 2;
        b = sqrt(a * b);
        a = next;
        power *= 2;
        squares += power * c * c;
        sines += c * sin(phi);
    }
    elliptic out = {.complete_k = VAL_PI / (2 * a), .f = phi / (2 * power * a)};
    out.complete_e = out.complete_k * (1 - squares);
    out.e = out.f * (1 - squares) + sines;
    return out;
}

// A cantilever with a load P across its tip, alpha = P l^2/(EI): with p between sqrt(1/2) and 1,
//   K(p) - F(p, phi) = sqrt(alpha),  sin phi = 1/(p sqrt 2)
//   transverse/l = 1 - 2/sqrt(alpha) (E(p) - E(p, phi))
//   axial/l      = 1 - sqrt(2 (2 p^2 - 1)/alpha)
void val_elastica_theory(double alpha, double *axial, double *transverse) {
    double low = sqrt(0.5), high = 1;
    elliptic at = {0};
    for (int i = 0; i < 100; i++) {
        double p = (low + high) / 2;
        at = elliptic_of(p, asin(fmin(1, sqrt(0.5) / p)));
        *(at.complete_k - at.f < sqrt(alpha) ? &low : &high) = p;
    }
    *transverse = 1 - 2 / sqrt(alpha) * (at.complete_e - at.e);
    *axial = 1 - sqrt(2 * (2 * low * low - 1) / alpha);
}

// (axial, transverse)/l of a beam of `count` pieces under the load
static void bend_beam(val_report *report, const char *solver, int32_t count, double alpha,
                      double *axial, double *transverse) {
    const val_rod beam = val_thesis_beam(count);
    val_body body;
    val_beam_open(report, solver, &beam, &body);
    const double bending = beam.young * VAL_PI / 4 * pow(beam.radius, 4);
    const td_load load = {.kind = TD_LOAD_FORCE,
                          .segment = count - 1,
                          .point = {0, beam.length / count, 0},
                          .vector = {0, -alpha * bending / (beam.length * beam.length), 0}};
    td_step_opts opts = td_step_opts_default();
    opts.gravity = (td_vec3){0, 0, 0};
    opts.loads = &load;
    opts.load_count = 1;
    val_settle(report, &body, &opts, "bending by a load at the tip");
    *axial = 1 - val_tip(&body).x / beam.length;
    *transverse = -val_tip(&body).y / beam.length;
    val_body_free(&body);
}

// Compares the shifts of `count` pieces with the theory, and the order from `coarse` to twice as
// many.
static void elastica(val_report *report, const char *solver, int32_t count, int32_t coarse) {
    static const double alphas[] = {1, 2, 10};
    for (int k = 0; k < 3; k++) {
        double axial, transverse, x, y, error[2] = {0, 0};
        val_elastica_theory(alphas[k], &axial, &transverse);
        bend_beam(report, solver, count, alphas[k], &x, &y);
        val_absolute(report, val_text(report, "axial shift over l, P l^2/(EI) = %g", alphas[k]),
                     count, x, axial, 1e-3);
        val_absolute(report,
                     val_text(report, "transverse shift over l, P l^2/(EI) = %g", alphas[k]), count,
                     y, transverse, 1e-3);
        for (int i = 0; i < 2; i++) {
            bend_beam(report, solver, coarse << i, alphas[k], &x, &y);
            // what trees leave of the axial shift changes its sign in between
            error[i] = strcmp(solver, "tree") == 0 ? fabs(y - transverse)
                                                   : hypot(x - axial, y - transverse);
        }
        val_absolute(report, val_text(report, "order of convergence, P l^2/(EI) = %g", alphas[k]),
                     2 * coarse, log2(error[0] / error[1]), 2, 0.1);
    }
}

void val_elastica(val_report *report) {
    elastica(report, "tree", 200, 25);
}

void val_rod_elastica(val_report *report) {
    elastica(report, "inextensible rod", 200, 50);
}

void val_helix_elastica(val_report *report) {
    elastica(report, "helix", 40, 20);
}

// ---- vibration ------------------------------------------------------------------------------

// root number k (from 0) of cos x cosh x = -1, near (k + 1/2) pi: by Newton on cos x + 1/cosh x
static double beam_root(int k) {
    double x = (k + 0.5) * VAL_PI;
    for (int i = 0; i < 50; i++) {
        x += (cos(x) + 1 / cosh(x)) / (sin(x) + tanh(x) / cosh(x));
    }
    return x;
}

// Hz: f_k = (beta l)^2/(2 pi l^2) sqrt(E I/(rho A)), I/A = r^2/4
double val_bending_theory(const val_rod *rod, int k) {
    double root = beam_root(k), l = rod->length;
    return root * root / (2 * VAL_PI * l * l) *
           sqrt(rod->young * rod->radius * rod->radius / (4 * rod->density));
}

// Hz: f = sqrt(G/rho)/(4 l)
double val_torsion_theory(const val_rod *rod) {
    double shear = rod->young / (2 * (1 + rod->poisson));
    return sqrt(shear / rod->density) / (4 * rod->length);
}

// a round beam bends the same both ways: its bending frequencies come in pairs
static void compare_modes(val_report *report, const val_rod *beam,
                          const td_mode modes[VAL_BEAM_MODES]) {
    int bends = 0;
    double torsion = 0;
    for (int k = 0; k < VAL_BEAM_MODES; k++) {
        if (modes[k].twist > 0.5 && torsion == 0) {
            torsion = modes[k].frequency;
            val_relative(report, "torsional frequency 1, Hz, from modes", beam->count, torsion,
                         val_torsion_theory(beam), 0.002);
        } else if (modes[k].twist <= 0.5 && bends < 6) {
            int pair = bends++ / 2;
            val_relative(report,
                         val_text(report, "bending frequency %d%c, Hz, from modes", pair + 1,
                                  bends % 2 ? 'a' : 'b'),
                         beam->count, modes[k].frequency, val_bending_theory(beam, pair), 0.002);
        }
    }
    val_absolute(report, "frequencies found: three pairs in bending", beam->count, bends, 6, 0);
    val_at_most(report, "frequencies missed in torsion", beam->count, torsion == 0, 0);
}

double val_torsion_of(const td_mode modes[VAL_BEAM_MODES]) {
    int k = 0;
    while (k < VAL_BEAM_MODES && modes[k].twist <= 0.5) {
        k++;
    }
    return k < VAL_BEAM_MODES ? modes[k].frequency : (double)NAN;
}

// Released from a pose bent by a hundredth of its weight: the frequency of the tip's upward passes.
static void sway(val_report *report, const val_rod *beam, val_body *body) {
    static const char quantity[] = "bending frequency 1, Hz, stepping at 1/240 s";
    td_step_opts opts = td_step_opts_default();
    val_passes passes = {0};
    opts.gravity.y = -0.01 * GRAVITY;
    val_settle(report, body, &opts, quantity);
    opts.gravity.y = 0;
    opts.dt = 1.0 / 240;
    for (int32_t i = 1; i <= 2400; i++) {
        val_step(report, body, &opts, quantity);
        val_passes_add(&passes, i * opts.dt, val_tip(body).y);
    }
    val_relative(report, quantity, beam->count, val_passes_rate(&passes),
                 val_bending_theory(beam, 0), 0.005);
}

double val_beam_vibration(val_report *report, const char *solver, int32_t count) {
    // a tenth of the thesis's stiffness: 2.6 Hz, slow enough to be followed in steps of 1/240 s
    val_rod beam = val_thesis_beam(count);
    val_body body;
    td_mode modes[VAL_BEAM_MODES] = {{.frequency = 0}};
    beam.young *= 0.1;
    val_beam_open(report, solver, &beam, &body);
    val_modes(report, &body, (td_vec3){0, 0, 0}, VAL_BEAM_MODES, modes, "modes");
    compare_modes(report, &beam, modes);
    sway(report, &beam, &body);
    val_body_free(&body);
    return modes[0].frequency;
}

void val_vibration(val_report *report) {
    val_beam_vibration(report, "tree", 100);
}

void val_rod_vibration(val_report *report) {
    const double rod = val_beam_vibration(report, "rod", 100);
    val_rod beam = val_thesis_beam(100);
    val_body tree;
    td_mode mode;
    beam.young *= 0.1;
    val_beam_open(report, "tree", &beam, &tree);
    val_modes(report, &tree, (td_vec3){0, 0, 0}, 1, &mode, "modes");
    val_relative(report, "bending frequency 1, Hz, against the tree's", beam.count, rod,
                 mode.frequency, 0.005);
    val_body_free(&tree);
}
