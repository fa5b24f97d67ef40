// SPDX-License-Identifier: MIT
// The list of validations, and the rows that they report.

#include "cases/validate/validate.h"

#include <math.h>
#include <string.h>

static const val_case cases[] = {
    {"pendulum", "period at four amplitudes, and the hand-derived equation step by step",
     val_pendulum},
    {"double-pendulum", "accelerations, repeatability and divergence", val_double_pendulum},
    {"cantilever", "droop of the plants thesis's beam under its own weight", val_cantilever},
    {"elastica", "large bending of a cantilever by a load at its tip", val_elastica},
    {"vibration", "frequencies of a clamped beam in bending and torsion", val_vibration},
    {"chain", "a chain without stiffness at rest and swinging, and the catenary", val_chain},
    {"energy", "energy of random trees under each integrator; orders of convergence",
     val_energy_case},
    {"agreement", "forward, inverse and dense dynamics, and the integrators", val_agreement},
    {"momentum", "momentum of a tree that floats freely", val_momentum},
    {"drag", "plants in a wind that stops at once", val_drag},
    {"stability", "largest stable steps of a stiff beam", val_stability},
    {"interpolation", "base motions through keys, against differences in time", val_interpolation},
    {"wind", "statistics and divergence of turbulence; a stem in an even wind", val_wind},
    {"base", "pendulums and stems on a moving base, and strands that do not feel its motion",
     val_base},
    {"rest-under-gravity", "plants whose drawn shape is at rest under gravity",
     val_rest_under_gravity},
    {"pose", "springs that pull a strand to a pose", val_pose_case},
    {"twist", "a stem twisted by a torque, and released", val_twist},
    {"resume", "a world that continues from a checkpoint with the same bytes", val_resume},
    {"rod-derivatives", "gradients and Hessians of random rods, against differences",
     val_rod_derivatives},
    {"rod-invariance", "invariance under rigid motion, and momentum of a tumbling rod",
     val_rod_invariance},
    {"rod-cantilever", "the droop of the cantilever as a rod", val_rod_cantilever},
    {"rod-elastica", "large bending of a rod by a load at its tip", val_rod_elastica},
    {"rod-vibration", "frequencies of a clamped rod in bending and torsion", val_rod_vibration},
    {"twist-uniform", "twist and torque of a rod turned at its end", val_twist_uniform},
    {"buckling", "Euler's critical loads of columns", val_buckling},
    {"michell", "the twist at which a ring leaves its plane", val_michell},
    {"helical-buckling", "a twisted rod that coils in one place", val_helical_buckling},
    {"spring", "helical springs, and Wilberforce's pendulum", val_spring},
    {"transducer", "two wheels on an elastic shaft that exchange their energy", val_transducer},
    {"helix-kinematics", "places and frames of helices, against the frame equations",
     val_helix_kinematics},
    {"helix-derivatives", "energy, momentum, forces and Hessians of helices, against differences",
     val_helix_derivatives},
    {"helix-statics", "a level rod and a curl at rest, of few elements and of many",
     val_helix_statics},
    {"helix-cantilever", "the droop of the cantilever as helices", val_helix_cantilever},
    {"helix-elastica", "large bending of helices by a load at the tip", val_helix_elastica},
    {"helix-vibration", "frequencies of clamped helices in bending and torsion",
     val_helix_vibration},
    {"helix-energy", "energy of random helices; damping and orders of the implicit rules",
     val_helix_energy_case},
    {"helix-composite", "accelerations as published: recursive, dense and implicit",
     val_helix_composite},
    {"helix-stability", "largest stable steps of the published methods", val_helix_stability},
    {"helix-agreement", "trees, rods and helices have the same limits", val_helix_agreement},
    {"storms", "random plants in strong wind, as trees and as rods: every step converges",
     val_storms},
    {"contact", "knots, chains and ropes that touch: gaps and friction", val_contact},
    {"contact-mixed", "trees and rods that touch each other and themselves", val_contact_mixed},
    {"stick-slip", "a rod pushed down on a rough plane: force at its tip, and where it slips",
     val_stick_slip},
    {"friction", "rods that lean, slip and stick; a capstan: against one-coordinate equations",
     val_slip},
    {"rolling", "sticks on a slope, on a table pulled away, spun by a torque", val_rolling},
    {"limits", "joints of shaken trees stay within their limits", val_limits},
    {"impact", "impulses at rods and trees, several at once: known answers and energy", val_impact},
    {"linkage", "four bars and a slider-crank, closed by constraints, against one coordinate",
     val_linkage},
    {"loop-chain", "a chain of links pinned at both ends, against derived equations",
     val_loop_chain},
    {"assembly", "divide-and-conquer accelerations of random trees on any assembly tree",
     val_assembly},
    {"metric", "metrics of accelerations without the accelerations, theorems 1 to 4", val_metric},
    {"hybrid", "bodies some of whose joints are rigid: known answers and dense solutions",
     val_hybrid},
    {"rigidification", "impulses that stop joints: energy, momentum, dense solutions",
     val_rigidification},
    {"adaptive-error", "implicit steps of the joints that matter: the estimate of errors",
     val_adaptive_error},
    {"adaptive-energy", "no gain of energy while the joints that move change", val_adaptive_energy},
    {"lcp", "random complementarity problems, also singular and contradictory", val_lcp},
};

const val_case *val_cases(int *count) {
    *count = (int)(sizeof cases / sizeof cases[0]);
    return cases;
}

// ---- rows -----------------------------------------------------------------------------------

void val_progress(val_report *report, double done) {
    if (report->progress) {
        report->progress(report->context, report->name, done);
    }
}

static void add_row(val_report *report, const char *quantity, int64_t n, double got, double want,
                    double error, double limit) {
    const val_row row = {report->name, quantity, n, got, want, error, limit, error <= limit};
    report->rows++;
    report->failed += !row.pass; // as is what is not a number
    report->row(report->context, &row);
}

void val_relative(val_report *report, const char *quantity, int64_t n, double got, double want,
                  double limit) {
    add_row(report, quantity, n, got, want, fabs(got - want) / fabs(want), limit);
}

void val_absolute(val_report *report, const char *quantity, int64_t n, double got, double want,
                  double limit) {
    add_row(report, quantity, n, got, want, fabs(got - want), limit);
}

void val_at_most(val_report *report, const char *quantity, int64_t n, double got, double limit) {
    add_row(report, quantity, n, got, 0, fabs(got), limit);
}

void val_not_above(val_report *report, const char *quantity, int64_t n, double got, double limit) {
    add_row(report, quantity, n, got, 0, got, limit);
}

int32_t val_tries(const val_report *report, int32_t all) {
    return report->full ? all : all / 4;
}

void val_fault(val_report *report, const char *quantity, int64_t n, td_status status,
               const td_diag *diag) {
    const char *message = diag && diag->message[0] ? diag->message : td_status_text(status);
    case_error("validate: %s, %s, n %lld: %s", report->name, quantity, (long long)n, message);
    add_row(report, quantity, n, (double)NAN, 0, (double)NAN, 0);
}

void val_run_case(const val_case *c, val_report *report) {
    const int32_t before = report->rows;
    report->name = c->name;
    c->run(report);
    if (report->rows == before) {
        const td_diag diag = {.message = "the case compared nothing"};
        val_fault(report, "results of the case", 0, TD_ERR_LIMIT, &diag);
    }
}
