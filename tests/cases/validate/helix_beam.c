// SPDX-License-Identifier: MIT
// Cases of helices: statics and frequencies of the model itself.

#include "cases/validate/helix.h"

#include <math.h>

static const td_vec3 weightless = {0, 0, 0};

// ---- statics --------------------------------------------------------------------------------

// A rod of unit length, stiffness and mass; so thin that turning its slices has no inertia.
static td_helix_element unit_element(int32_t count) {
    td_helix_element e = td_helix_element_default();
    e.length = 1.0 / count;
    e.radius_base = e.radius_tip = 1e-5;
    e.bend_x = e.bend_z = e.twist_y = 1;
    e.mass = 1;
    return e;
}

static void rest_tip(val_report *report, const td_helix_element *first, int32_t count,
                     td_vec3 gravity, td_vec3 *tip) {
    val_body helix;
    td_step_opts opts = td_step_opts_default();
    val_helix_row(report, first, count, &helix);
    opts.gravity = gravity;
    val_settle(report, &helix, &opts, "tip at rest");
    *tip = val_tip(&helix);
    val_body_free(&helix);
}

// Level, under its own weight, Gamma = rho A g L^3/(E I) = 10. The minimum of this model for N
// elements, and the limit for many: known to ten digits.
static void straight_statics(val_report *report) {
    static const struct {
        int32_t n;
        double x, y;
    } known[] = {{1, 0.7477875298, -0.5578279213},
                 {5, 0.6593052926, -0.6933597072},
                 {20, 0.6565336827, -0.6997754035}};
    const double limit_x = 0.6563537612, limit_y = -0.7001997155;
    double error[2] = {0, 0};
    td_vec3 tip;
    for (int k = 0; k < 3; k++) {
        td_helix_element e = unit_element(known[k].n);
        e.turn = val_level;
        rest_tip(report, &e, known[k].n, (td_vec3){0, -10, 0}, &tip);
        val_absolute(report, "straight rod, Gamma 10: tip x over L", known[k].n, tip.x, known[k].x,
                     1e-6);
        val_absolute(report, "straight rod, Gamma 10: tip y over L", known[k].n, tip.y, known[k].y,
                     1e-6);
        val_at_most(report, "straight rod, Gamma 10: tip z over L", known[k].n, tip.z, 1e-9);
    }
    for (int k = 0; k < 2; k++) {
        td_helix_element e = unit_element(20 << k);
        e.turn = val_level;
        rest_tip(report, &e, 20 << k, (td_vec3){0, -10, 0}, &tip);
        error[k] = hypot(tip.x - limit_x, tip.y - limit_y);
    }
    val_absolute(report, "straight rod, Gamma 10: order of convergence", 40,
                 log2(error[0] / error[1]), 2, 0.05);
}

// The curl is given in directors d1, d2 and tangent d3, which start along +x, -y, -z with -z down.
// Our frame has the tangent along Y: X, Y, Z are d2, d3, d1, a cyclic change that keeps them right-
// handed, and u = (kappa2, tau, kappa1).
td_helix_element val_helix_curl(int32_t count) {
    td_helix_element e = unit_element(count);
    e.turn = (td_quat){0.5, -0.5, 0.5, -0.5}; // columns (0, -1, 0), (0, 0, -1), (1, 0, 0)
    e.rest = e.start = (td_vec3){0, 8, 20};
    e.twist_y = 2.0 / 3;
    return e;
}

static void curl_statics(val_report *report) {
    static const char *const axes[3] = {"x", "y", "z"};
    static const double ten[3] = {0.3107828034, 0.0825599712, -0.2104104033};
    static const double limit[3] = {0.2951146, 0.0825297, -0.2310948};
    td_vec3 tips[3];
    for (int k = 0; k < 3; k++) {
        const int32_t n = (int32_t[]){10, 80, 160}[k];
        td_helix_element e = val_helix_curl(n);
        rest_tip(report, &e, n, (td_vec3){0, 0, -5}, &tips[k]);
    }
    for (int axis = 0; axis < 3; axis++) {
        double got[3];
        for (int k = 0; k < 3; k++) {
            got[k] = axis == 0 ? tips[k].x : axis == 1 ? tips[k].y : tips[k].z;
        }
        val_absolute(report,
                     val_text(report, "curl (20, 0, 8), Gamma 5: tip %s over L", axes[axis]), 10,
                     got[0], ten[axis], 1e-6);
        // the error falls with the square: 4/3 of the finer less 1/3 of the coarser is the limit
        val_absolute(report,
                     val_text(report, "curl (20, 0, 8), Gamma 5: limit of tip %s", axes[axis]), 160,
                     (4 * got[2] - got[1]) / 3, limit[axis], 1e-6);
    }
}

void val_helix_statics(val_report *report) {
    straight_statics(report);
    curl_statics(report);
}

// ---- vibration ------------------------------------------------------------------------------

enum { MODES = 10 };

// Frequencies omega L^2 sqrt(rho A/(E I)) in the model with exact mass, a pair for each.
static void model_frequencies(val_report *report) {
    static const struct {
        int32_t n, rank; // of the frequency
        double omega;
    } known[] = {{1, 0, 4.47213595},
                 {3, 0, 3.59322843},
                 {3, 1, 26.05294674},
                 {10, 0, 3.52283623},
                 {10, 1, 22.33649621}};
    for (int k = 0; k < 5; k++) {
        td_helix_element e = unit_element(known[k].n);
        td_mode modes[MODES];
        val_body helix;
        e.turn = val_level;
        e.twist_y = 1e-5; // not more than 1e6 times the frequencies of bending
        val_helix_row(report, &e, known[k].n, &helix);
        const int32_t count = 2 * known[k].rank + 2;
        val_modes(report, &helix, weightless, count, modes, "modes");
        for (int i = 0; i < 2; i++) {
            val_relative(report,
                         val_text(report, "model's frequency %d%c, omega L^2 sqrt(rho A/(E I))",
                                  known[k].rank + 1, i ? 'b' : 'a'),
                         known[k].n, 2 * VAL_PI * modes[count - 2 + i].frequency, known[k].omega,
                         1e-8);
        }
        val_body_free(&helix);
    }
}

// Twist is linear along an element, with consistent mass: with t = pi/(2N),
//   f = sqrt(G/rho)/(2 pi l) N sqrt(6 (1 - cos t)/(2 + cos t))
static void model_torsion(val_report *report) {
    const val_rod beam = val_thesis_beam(50);
    const double t = VAL_PI / (2 * beam.count);
    td_mode modes[VAL_BEAM_MODES];
    val_body helix;
    val_beam_open(report, "helix", &beam, &helix);
    val_modes(report, &helix, weightless, VAL_BEAM_MODES, modes, "modes");
    val_relative(report, "torsional frequency 1, Hz, of the model", beam.count,
                 val_torsion_of(modes),
                 val_torsion_theory(&beam) * sqrt(6 * (1 - cos(t)) / (2 + cos(t))) / t, 1e-8);
    val_body_free(&helix);
}

void val_helix_vibration(val_report *report) {
    model_frequencies(report);
    model_torsion(report);
    val_beam_vibration(report, "helix", 50);
}
