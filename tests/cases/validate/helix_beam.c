// SPDX-License-Identifier: MIT
// Cases of helices as beams and curls: statics of the model itself, droop, large bending,
// vibration. The figures are those of the tree's cases where there are any.

#include "cases/validate/helix.h"

#include <math.h>

#define GRAVITY 9.81

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

static bool rest_tip(val_report *report, const td_helix_element *first, int32_t count,
                     td_vec3 gravity, td_vec3 *tip) {
    val_helix helix;
    td_step_opts opts = td_step_opts_default();
    if (!val_helix_row(report, first, count, &helix)) {
        return false;
    }
    opts.gravity = gravity;
    bool fine = val_helix_settle(report, &helix, &opts, "tip at rest");
    *tip = val_helix_tip(&helix);
    val_helix_free(&helix);
    return fine;
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
        if (rest_tip(report, &e, known[k].n, (td_vec3){0, -10, 0}, &tip)) {
            val_absolute(report, "straight rod, Gamma 10: tip x over L", known[k].n, tip.x,
                         known[k].x, 1e-6);
            val_absolute(report, "straight rod, Gamma 10: tip y over L", known[k].n, tip.y,
                         known[k].y, 1e-6);
            val_at_most(report, "straight rod, Gamma 10: tip z over L", known[k].n, tip.z, 1e-9);
        }
    }
    for (int k = 0; k < 2; k++) {
        td_helix_element e = unit_element(20 << k);
        e.turn = val_level;
        if (rest_tip(report, &e, 20 << k, (td_vec3){0, -10, 0}, &tip)) {
            error[k] = hypot(tip.x - limit_x, tip.y - limit_y);
        }
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
    bool fine = true;
    for (int k = 0; k < 3; k++) {
        const int32_t n = (int32_t[]){10, 80, 160}[k];
        td_helix_element e = val_helix_curl(n);
        fine = fine && rest_tip(report, &e, n, (td_vec3){0, 0, -5}, &tips[k]);
    }
    for (int axis = 0; fine && axis < 3; axis++) {
        double got[3];
        char text[64];
        for (int k = 0; k < 3; k++) {
            got[k] = axis == 0 ? tips[k].x : axis == 1 ? tips[k].y : tips[k].z;
        }
        snprintf(text, sizeof text, "curl (20, 0, 8), Gamma 5: tip %s over L", axes[axis]);
        val_absolute(report, text, 10, got[0], ten[axis], 1e-6);
        // the error falls with the square: 4/3 of the finer less 1/3 of the coarser is the limit
        snprintf(text, sizeof text, "curl (20, 0, 8), Gamma 5: limit of tip %s", axes[axis]);
        val_absolute(report, text, 160, (4 * got[2] - got[1]) / 3, limit[axis], 1e-6);
    }
}

void val_helix_statics(val_report *report) {
    straight_statics(report);
    curl_statics(report);
}

// ---- cantilever -----------------------------------------------------------------------------

// Droop of the tip by statics, and, when asked for, by stepping from the straight pose.
static bool droop(val_report *report, const val_rod *beam, double *still, double *stepped) {
    val_helix helix, fresh;
    td_step_opts opts = td_step_opts_default();
    if (!val_helix_beam(report, beam, &helix)) {
        return false;
    }
    bool fine = val_helix_settle(report, &helix, &opts, "droop");
    *still = -val_helix_tip(&helix).y;
    val_helix_free(&helix);
    if (fine && stepped && val_helix_beam(report, beam, &fresh)) {
        // 20 s: what the rule itself damps has died away
        for (int32_t i = 0; fine && i < 1200; i++) {
            fine = val_helix_step(report, &fresh, &opts, "droop by stepping");
        }
        *stepped = -val_helix_tip(&fresh).y;
        val_helix_free(&fresh);
    }
    return fine;
}

// An element bends evenly: of N the droop is w l^4/(8 E I) (1 - 1/(3 N^2)), up to 2e-5 of it for
// large bending.
void val_helix_cantilever(val_report *report) {
    static const int32_t counts[4] = {1, 3, 10, 50};
    double y[3] = {0, 0, 0};
    bool fine = true;
    for (int k = 0; k < 4; k++) {
        val_rod beam = val_thesis_beam(counts[k]);
        const double n = beam.count, r = beam.radius;
        // w = rho A g and A/I = 4/r^2
        const double theory = beam.density * GRAVITY * 4 / (r * r) / (8 * beam.young);
        double still, stepped = 0;
        if (droop(report, &beam, &still, &stepped)) {
            val_relative(report, "droop, m, of evenly bent elements", beam.count, still,
                         theory * (1 - 1 / (3 * n * n)), 5e-5);
            val_relative(report, "droop, m, stepping at 1/60 s", beam.count, stepped, still, 1e-6);
        }
        if (beam.count == 50) {
            val_relative(report, "droop, m", beam.count, still, theory, 0.0002);
        }
    }
    for (int k = 0; k < 3; k++) {
        val_rod beam = val_thesis_beam(5 << k);
        fine = fine && droop(report, &beam, &y[k], NULL);
    }
    if (fine) {
        val_absolute(report, "order of convergence", 20, log2((y[0] - y[1]) / (y[1] - y[2])), 2,
                     0.1);
    }
}

// ---- elastica -------------------------------------------------------------------------------

// (axial, transverse)/l of a beam of `count` elements under a load across its tip
static bool bend_beam(val_report *report, int32_t count, double alpha, double *axial,
                      double *transverse) {
    val_rod beam = val_thesis_beam(count);
    val_helix helix;
    if (!val_helix_beam(report, &beam, &helix)) {
        return false;
    }
    double bending = beam.young * VAL_PI / 4 * pow(beam.radius, 4);
    td_load load = {.kind = TD_LOAD_FORCE,
                    .segment = count - 1,
                    .point = {0, beam.length / count, 0},
                    .vector = {0, -alpha * bending / (beam.length * beam.length), 0}};
    td_step_opts opts = td_step_opts_default();
    opts.gravity = weightless;
    opts.loads = &load;
    opts.load_count = 1;
    bool fine = val_helix_settle(report, &helix, &opts, "bending by a load at the tip");
    *axial = 1 - val_helix_tip(&helix).x / beam.length;
    *transverse = -val_helix_tip(&helix).y / beam.length;
    val_helix_free(&helix);
    return fine;
}

void val_helix_elastica(val_report *report) {
    val_elastica_cases(report, 40, 20, bend_beam);
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
        val_helix helix;
        e.turn = val_level;
        e.twist_y = 1e-5; // not more than 1e6 times the frequencies of bending
        if (!val_helix_row(report, &e, known[k].n, &helix)) {
            return;
        }
        const int32_t count = 2 * known[k].rank + 2;
        if (val_helix_modes(report, &helix, weightless, count, modes, "modes")) {
            for (int i = 0; i < 2; i++) {
                char text[64];
                snprintf(text, sizeof text, "model's frequency %d%c, omega L^2 sqrt(rho A/(E I))",
                         known[k].rank + 1, i ? 'b' : 'a');
                val_relative(report, text, known[k].n, 2 * VAL_PI * modes[count - 2 + i].frequency,
                             known[k].omega, 1e-8);
            }
        }
        val_helix_free(&helix);
    }
}

// Twist is linear along an element, with consistent mass: with t = pi/(2N),
//   f = sqrt(G/rho)/(2 pi l) N sqrt(6 (1 - cos t)/(2 + cos t))
static void beam_modes(val_report *report, const val_rod *beam, val_helix *helix) {
    td_mode modes[VAL_BEAM_MODES];
    const double t = VAL_PI / (2 * beam->count);
    if (val_helix_modes(report, helix, weightless, VAL_BEAM_MODES, modes, "modes")) {
        val_relative(report, "torsional frequency 1, Hz, of the model", beam->count,
                     val_beam_modes(report, beam, modes),
                     val_torsion_theory(beam) * sqrt(6 * (1 - cos(t)) / (2 + cos(t))) / t, 1e-8);
    }
}

static bool beam_settle(val_report *report, void *helix, const td_step_opts *opts,
                        const char *quantity) {
    return val_helix_settle(report, helix, opts, quantity);
}

static bool beam_step(val_report *report, void *helix, const td_step_opts *opts,
                      const char *quantity) {
    return val_helix_step(report, helix, opts, quantity);
}

static td_vec3 beam_tip(const void *helix) {
    return val_helix_tip(helix);
}

void val_helix_vibration(val_report *report) {
    // a tenth of the thesis's stiffness: 2.6 Hz, slow enough to be followed in steps of 1/240 s
    val_rod beam = val_thesis_beam(50);
    val_helix helix;
    beam.young *= 0.1;
    model_frequencies(report);
    if (!val_helix_beam(report, &beam, &helix)) {
        return;
    }
    beam_modes(report, &beam, &helix);
    val_beam_sway(report, &beam, &(val_beam){&helix, beam_settle, beam_step, beam_tip});
    val_helix_free(&helix);
}
