// SPDX-License-Identifier: MIT
// Cases of beams: the droop of a cantilever, large bending, vibration.

#include "cases/validate/validate.h"

#include <math.h>

#define GRAVITY 9.81

// ---- cantilever -----------------------------------------------------------------------------

// Droop of the tip by statics, and, when asked for, by stepping from the straight pose.
static bool droop(val_report *report, const val_rod *rod, double *still, double *stepped) {
    val_tree tree;
    td_step_opts opts = td_step_opts_default();
    if (!val_rod_build(report, rod, &tree)) {
        return false;
    }
    bool fine = val_settle(report, &tree, &opts, "droop");
    if (fine) {
        *still = -td_body_tip(tree.state, rod->count - 1).y;
    }
    if (fine && stepped) {
        td_body_reset(tree.state, NULL);
        // 20 s: what the rule itself damps has died away
        for (int32_t i = 0; fine && i < 1200; i++) {
            fine = val_step(report, &tree, &opts, "droop by stepping");
        }
        *stepped = -td_body_tip(tree.state, rod->count - 1).y;
    }
    val_tree_free(&tree);
    return fine;
}

// (1/10^2 - 1/20^2)/(1/20^2 - 1/40^2) = 4: differences do not see what the formula leaves out for
// large bending
static void droop_order(val_report *report) {
    double y[3] = {0, 0, 0};
    bool fine = true;
    for (int k = 0; k < 3; k++) {
        val_rod rod = val_thesis_beam(10 << k);
        fine = fine && droop(report, &rod, &y[k], NULL);
    }
    if (fine) {
        val_absolute(report, "order of convergence, clamped rule", 40,
                     log2((y[0] - y[1]) / (y[1] - y[2])), 2, 0.1);
    }
}

void val_cantilever(val_report *report) {
    static const struct {
        int32_t n;
        double thesis; // m: the table of section 8.3
        double limit;  // of the clamped rule's error
    } table[] = {{10, 0.0067664, 0.011},
                 {25, 0.0060488, 0.011},
                 {100, 0.0057051, 0.0002},
                 {250, 0.0056376, 0.0002},
                 {500, 0.0056155, 0.0002}};
    for (int k = 0; k < 5; k++) {
        val_rod rod = val_thesis_beam(table[k].n);
        double still, stepped, r = rod.radius;
        // w l^4/(8 E I), w = rho A g and A/I = 4/r^2
        double theory = rod.density * GRAVITY * 4 / (r * r) / (8 * rod.young);
        val_progress(report, k / 5.0);
        if (droop(report, &rod, &still, &stepped)) {
            val_relative(report, "droop, m, clamped rule", rod.count, still, theory,
                         table[k].limit);
            val_relative(report, "droop, m, clamped rule, stepping at 1/60 s", rod.count, stepped,
                         still, 1e-6);
        }
        rod.springs = TD_SPRING_THESIS;
        if (droop(report, &rod, &still, &stepped)) {
            val_relative(report, "droop, m, thesis's rule and figure", rod.count, still,
                         table[k].thesis, 0.002);
            val_relative(report, "droop, m, thesis's rule, stepping at 1/60 s", rod.count, stepped,
                         still, 1e-6);
        }
    }
    droop_order(report);
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

void val_elastica_cases(val_report *report, int32_t count, int32_t coarse, val_bender bend) {
    static const double alphas[] = {1, 2, 10};
    for (int k = 0; k < 3; k++) {
        double axial, transverse, x, y, error[2] = {0, 0};
        char text[64];
        val_elastica_theory(alphas[k], &axial, &transverse);
        if (!bend(report, count, alphas[k], &x, &y)) {
            continue;
        }
        snprintf(text, sizeof text, "axial shift over l, P l^2/(EI) = %g", alphas[k]);
        val_absolute(report, text, count, x, axial, 1e-3);
        snprintf(text, sizeof text, "transverse shift over l, P l^2/(EI) = %g", alphas[k]);
        val_absolute(report, text, count, y, transverse, 1e-3);
        for (int i = 0; i < 2; i++) {
            if (bend(report, coarse << i, alphas[k], &x, &y)) {
                error[i] = hypot(x - axial, y - transverse);
            }
        }
        snprintf(text, sizeof text, "order of convergence, P l^2/(EI) = %g", alphas[k]);
        val_absolute(report, text, 2 * coarse, log2(error[0] / error[1]), 2, 0.1);
    }
}

// (axial, transverse)/l of a beam of `count` segments under the load
static bool bend_beam(val_report *report, int32_t count, double alpha, double *axial,
                      double *transverse) {
    val_rod rod = val_thesis_beam(count);
    val_tree tree;
    if (!val_rod_build(report, &rod, &tree)) {
        return false;
    }
    double bending = rod.young * VAL_PI / 4 * pow(rod.radius, 4);
    td_load load = {.kind = TD_LOAD_FORCE,
                    .segment = count - 1,
                    .point = {0, rod.length / count, 0},
                    .vector = {0, -alpha * bending / (rod.length * rod.length), 0}};
    td_step_opts opts = td_step_opts_default();
    opts.gravity = (td_vec3){0, 0, 0};
    opts.loads = &load;
    opts.load_count = 1;
    bool fine = val_settle(report, &tree, &opts, "bending by a load at the tip");
    if (fine) {
        td_vec3 tip = td_body_tip(tree.state, count - 1);
        *axial = 1 - tip.x / rod.length;
        *transverse = -tip.y / rod.length;
    }
    val_tree_free(&tree);
    return fine;
}

void val_elastica(val_report *report) {
    static const double alphas[] = {1, 2, 10};
    for (int k = 0; k < 3; k++) {
        double axial, transverse, x, y, error[2] = {0, 0};
        char text[64];
        val_elastica_theory(alphas[k], &axial, &transverse);
        if (!bend_beam(report, 200, alphas[k], &x, &y)) {
            continue;
        }
        snprintf(text, sizeof text, "axial shift over l, P l^2/(EI) = %g", alphas[k]);
        val_absolute(report, text, 200, x, axial, 1e-3);
        snprintf(text, sizeof text, "transverse shift over l, P l^2/(EI) = %g", alphas[k]);
        val_absolute(report, text, 200, y, transverse, 1e-3);
        for (int i = 0; i < 2; i++) {
            if (bend_beam(report, 25 << i, alphas[k], &x, &y)) {
                error[i] = fabs(y - transverse);
            }
        }
        snprintf(text, sizeof text, "order of convergence, P l^2/(EI) = %g", alphas[k]);
        val_absolute(report, text, 50, log2(error[0] / error[1]), 2, 0.1);
    }
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
double val_beam_modes(val_report *report, const val_rod *beam,
                      const td_mode modes[VAL_BEAM_MODES]) {
    int bends = 0;
    double torsion = 0;
    for (int k = 0; k < VAL_BEAM_MODES; k++) {
        char text[64];
        if (modes[k].twist > 0.5 && torsion == 0) {
            torsion = modes[k].frequency;
            val_relative(report, "torsional frequency 1, Hz, from modes", beam->count, torsion,
                         val_torsion_theory(beam), 0.002);
        } else if (modes[k].twist <= 0.5 && bends < 6) {
            int pair = bends++ / 2;
            snprintf(text, sizeof text, "bending frequency %d%c, Hz, from modes", pair + 1,
                     bends % 2 ? 'a' : 'b');
            val_relative(report, text, beam->count, modes[k].frequency,
                         val_bending_theory(beam, pair), 0.002);
        }
    }
    val_absolute(report, "frequencies found: three pairs in bending", beam->count, bends, 6, 0);
    val_at_most(report, "frequencies missed in torsion", beam->count, torsion == 0, 0);
    return torsion;
}

// the upward passes of the tip, as a frequency
void val_beam_sway(val_report *report, const val_rod *rod, const val_beam *beam) {
    static const char quantity[] = "bending frequency 1, Hz, stepping at 1/240 s";
    td_step_opts opts = td_step_opts_default();
    val_passes passes = {0};
    opts.gravity.y = -0.01 * GRAVITY;
    bool fine = beam->settle(report, beam->solver, &opts, quantity);
    opts.gravity.y = 0;
    opts.dt = 1.0 / 240;
    for (int32_t i = 1; fine && i <= 2400; i++) {
        fine = beam->step(report, beam->solver, &opts, quantity);
        val_passes_add(&passes, i * opts.dt, beam->tip(beam->solver).y);
    }
    if (fine) {
        val_relative(report, quantity, rod->count, val_passes_rate(&passes),
                     val_bending_theory(rod, 0), 0.005);
    }
}

static void tree_modes(val_report *report, const val_rod *rod, val_tree *tree) {
    td_mode modes[VAL_BEAM_MODES];
    td_diag diag = {.message = ""};
    td_status status = td_body_modes(tree->state, (td_vec3){0, 0, 0}, VAL_BEAM_MODES, modes, &diag);
    if (status != TD_OK) {
        val_fault(report, "modes", rod->count, status, &diag);
        return;
    }
    val_beam_modes(report, rod, modes);
}

static bool tree_settle(val_report *report, void *tree, const td_step_opts *opts,
                        const char *quantity) {
    return val_settle(report, tree, opts, quantity);
}

static bool tree_step(val_report *report, void *tree, const td_step_opts *opts,
                      const char *quantity) {
    return val_step(report, tree, opts, quantity);
}

static td_vec3 tree_tip(const void *context) {
    const val_tree *tree = context;
    return td_body_tip(tree->state, td_body_segment_count(tree->model) - 1);
}

void val_vibration(val_report *report) {
    // a tenth of the thesis's stiffness: 2.6 Hz, slow enough to be followed in steps of 1/240 s
    val_rod rod = val_thesis_beam(100);
    val_tree tree;
    rod.young *= 0.1;
    if (!val_rod_build(report, &rod, &tree)) {
        return;
    }
    tree_modes(report, &rod, &tree);
    val_beam_sway(report, &rod, &(val_beam){&tree, tree_settle, tree_step, tree_tip});
    val_tree_free(&tree);
}
