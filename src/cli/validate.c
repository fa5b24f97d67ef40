// SPDX-License-Identifier: MIT
// tendril validate: cases with known answers, a row for each figure.

#include "cli/validate.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: tendril validate [CASE...] [--json] [--list] [--long]\n"
    "\n"
    "Runs cases with known answers and compares the results; without names it runs all\n"
    "cases. Exits with 0 only if every case has results and all are within their limits,\n"
    "otherwise with 1.\n"
    "\n"
    "  --json       print one object for each result: case, quantity, n, got, want, error,\n"
    "               limit, pass\n"
    "  --list       list the cases\n"
    "  --long       four times as many random plants, trees and steps\n";

void cli_validate_help(FILE *out) {
    fputs(help, out);
}

typedef struct val_case {
    const char *name, *about;
    void (*run)(val_report *report);
} val_case;

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

#define CASE_COUNT ((int)(sizeof cases / sizeof cases[0]))

// ---- rows -----------------------------------------------------------------------------------

static void clear_progress(val_report *report) {
    if (report->line) {
        fputs("\r\033[K", stderr);
        report->line = false;
    }
}

void val_progress(val_report *report, double done) {
    double now = cli_seconds();
    if (report->shown == 0) {
        report->shown = now; // nothing for what is over at once
    }
    if (!isatty(2) || now - report->shown < 0.2) {
        return;
    }
    report->shown = now;
    int filled = (int)(30 * fmin(fmax(done, 0), 1));
    fprintf(stderr, "\r[%.*s%*s] %s ", filled, "##############################", 30 - filled, "",
            report->name);
    report->line = true;
}

static void json_figure(const char *key, double value) {
    printf(",\"%s\":", key);
    if (isfinite(value)) {
        cli_json_number(stdout, value);
    } else {
        fputs("null", stdout);
    }
}

static void add_row(val_report *report, const char *quantity, int64_t n, double got, double want,
                    double error, double limit) {
    bool pass = error <= limit; // false for what is not a number
    clear_progress(report);
    report->rows++;
    report->failed += !pass;
    if (report->json) {
        printf("{\"case\":");
        cli_json_text(stdout, report->name);
        printf(",\"quantity\":");
        cli_json_text(stdout, quantity);
        printf(",\"n\":%lld", (long long)n);
        json_figure("got", got);
        json_figure("want", want);
        json_figure("error", error);
        json_figure("limit", limit);
        printf(",\"pass\":%s}\n", pass ? "true" : "false");
    } else {
        printf("%-6s %-18s %-52s %7lld %14.7g %14.7g %10.2e %8.1e\n", pass ? "ok" : "FAILED",
               report->name, quantity, (long long)n, got, want, error, limit);
    }
    fflush(stdout);
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
    clear_progress(report);
    const char *message = diag && diag->message[0] ? diag->message : td_status_text(status);
    cli_error("validate: %s, %s, n %lld: %s", report->name, quantity, (long long)n, message);
    add_row(report, quantity, n, (double)NAN, 0, (double)NAN, 0);
}

// ---- entry ----------------------------------------------------------------------------------

static const val_case *find_case(const char *name) {
    for (int i = 0; i < CASE_COUNT; i++) {
        if (strcmp(name, cases[i].name) == 0) {
            return &cases[i];
        }
    }
    return NULL;
}

static void list_cases(bool json) {
    for (int i = 0; i < CASE_COUNT; i++) {
        if (json) {
            printf("{\"case\":\"%s\",\"about\":\"%s\"}\n", cases[i].name, cases[i].about);
        } else {
            printf("%-18s %s\n", cases[i].name, cases[i].about);
        }
    }
}

static void run_case(const val_case *c, val_report *report) {
    report->name = c->name;
    report->shown = 0;
    int32_t before = report->rows;
    c->run(report);
    clear_progress(report);
    if (report->rows == before) {
        const td_diag diag = {.message = "the case compared nothing"};
        val_fault(report, "results of the case", 0, TD_ERR_LIMIT, &diag);
    }
}

static int run_cases(int count, char **names, bool json, bool full) {
    val_report report = {.json = json, .full = full};
    double started = cli_seconds();
    if (!json) {
        printf("%-6s %-18s %-52s %7s %14s %14s %10s %8s\n", "", "case", "quantity", "n", "got",
               "want", "error", "limit");
    }
    for (int i = 0; i < (count ? count : CASE_COUNT); i++) {
        run_case(count ? find_case(names[i]) : &cases[i], &report);
    }
    if (!json) {
        printf("%d results, %d outside their limits, %.1f s\n", report.rows, report.failed,
               cli_seconds() - started);
    }
    return report.failed == 0 ? EXIT_FINE : EXIT_OUTSIDE;
}

int cli_validate(int argc, char **argv) {
    bool json = false, full = false, list = false, want_help = false;
    const cli_option options[] = {{"--json", CLI_FLAG, &json, 0},
                                  {"--list", CLI_FLAG, &list, 0},
                                  {"--long", CLI_FLAG, &full, 0},
                                  {"--help", CLI_FLAG, &want_help, 0}};
    int operands = cli_read_options(argc, argv, options, 4, "validate");
    if (operands < 0) {
        return EXIT_MISUSE;
    }
    if (want_help) {
        cli_validate_help(stdout);
        return EXIT_FINE;
    }
    for (int i = 0; i < operands; i++) {
        if (!find_case(argv[i])) {
            cli_error("validate: unknown case '%s'; 'tendril validate --list' lists them", argv[i]);
            return EXIT_MISUSE;
        }
    }
    if (list) {
        list_cases(json);
        return EXIT_FINE;
    }
    return run_cases(operands, argv, json, full);
}
