// SPDX-License-Identifier: MIT
// tendril bench: speed and memory, a row for each figure.

#include "cli/bench.h"

#include <math.h>
#include <string.h>

static const char help_head[] = "Usage: tendril bench [CASE...] [--json] [--list] [--seconds S]\n"
                                "\n"
                                "Measures speed and memory; all cases but accuracy when none is\n"
                                "named. Every figure is the fastest of the runs that fit in its\n"
                                "time, on one core where the case does not say otherwise.\n"
                                "\n";

static const char help_options[] =
    "\n"
    "  --json       one object a line: case, variant, n, value, unit\n"
    "  --list       the cases\n"
    "  --seconds S  time for each figure (1)\n";

typedef struct bench_case {
    const char *name, *about;
    bool (*run)(const bench *b);
    bool named; // runs only when it is named
} bench_case;

static const bench_case cases[] = {
    {"grow", "million modules written a second, in a new process (cold) and again (warm)",
     bench_grow, false},
    {"forward", "nanoseconds a body for the accelerations; other engines beside ours",
     bench_forward, false},
    {"step", "nanoseconds a body for an implicit step of 1/60 s", bench_step, false},
    {"realtime", "how much faster than time plants are, and the largest at 60 Hz", bench_realtime,
     false},
    {"scaling", "cost of a step and of an iteration, and memory, from 10 to a million bodies",
     bench_scaling, false},
    {"threads", "how much faster many plants and a large one are on all cores", bench_threads,
     false},
    {"islands", "pairs of strands that touch: cost of a pair, and two threads over one",
     bench_islands, false},
    {"world", "real-time factor, cost of a step and memory of every scene, each run to its end",
     bench_world, false},
    {"rod", "rods: beside the figures of others, from 100 to 100,000 vertices, and contact",
     bench_rod, false},
    {"wasm", "nanoseconds a body for an implicit step in node, and the ratio to native", bench_wasm,
     false},
    {"accuracy", "error of every integrator on plants, and its cost; only by name", bench_accuracy,
     true},
};

#define CASE_COUNT ((int)(sizeof cases / sizeof cases[0]))

// ---- rows -----------------------------------------------------------------------------------

void bench_row(const bench *b, const char *variant, int64_t n, double value, const char *unit) {
    if (b->json) {
        printf("{\"case\":\"%s\",\"variant\":\"%s\",\"n\":%lld,\"value\":%.6g,\"unit\":\"%s\"}\n",
               b->name, variant, (long long)n, value, unit);
    } else {
        printf("%-9s %-48s n %-8lld %10.4g %s\n", b->name, variant, (long long)n, value, unit);
    }
    fflush(stdout);
}

double bench_exponent(const double *x, const double *y, int count) {
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (int i = 0; i < count; i++) {
        mean_x += log(x[i]) / count;
        mean_y += log(y[i]) / count;
    }
    for (int i = 0; i < count; i++) {
        xx += (log(x[i]) - mean_x) * (log(x[i]) - mean_x);
        xy += (log(x[i]) - mean_x) * (log(y[i]) - mean_y);
    }
    return xy / xx;
}

bool bench_fault(const bench *b, const char *variant, td_status status, const td_diag *diag) {
    const char *message = diag && diag->message[0] ? diag->message : td_status_text(status);
    cli_error("bench: %s, %s: %s", b->name, variant, message);
    return false;
}

// ---- entry ----------------------------------------------------------------------------------

static const bench_case *find_case(const char *name) {
    for (int i = 0; i < CASE_COUNT; i++) {
        if (strcmp(name, cases[i].name) == 0) {
            return &cases[i];
        }
    }
    return NULL;
}

static void list_cases(const char *indent) {
    for (int i = 0; i < CASE_COUNT; i++) {
        printf("%s%-12s %s\n", indent, cases[i].name, cases[i].about);
    }
}

static void print_help(void) {
    fputs(help_head, stdout);
    list_cases("  ");
    fputs(help_options, stdout);
}

static int run_cases(int count, char **names, bench *b) {
    bool fine = true;
    for (int i = 0; i < (count ? count : CASE_COUNT); i++) {
        const bench_case *c = count ? find_case(names[i]) : &cases[i];
        b->name = c->name;
        fine = ((c->named && !count) || c->run(b)) && fine;
    }
    return fine ? EXIT_FINE : EXIT_BAD_INPUT;
}

int cli_bench(int argc, char **argv) {
    bench b = {.seconds = 1};
    bool list = false, help = false;
    const cli_option options[] = {{"--json", CLI_FLAG, &b.json, 0},
                                  {"--list", CLI_FLAG, &list, 0},
                                  {"--seconds", CLI_REAL, &b.seconds, 0},
                                  {"--help", CLI_FLAG, &help, 0}};
    int operands = cli_read_options(argc, argv, options, 4, "bench");
    if (operands < 0) {
        return EXIT_MISUSE;
    }
    for (int i = 0; i < operands; i++) {
        if (!find_case(argv[i])) {
            cli_error("bench: unknown case '%s'; 'tendril bench --list' lists them", argv[i]);
            return EXIT_MISUSE;
        }
    }
    if (help) {
        print_help();
    } else if (list) {
        list_cases("");
    } else {
        return run_cases(operands, argv, &b);
    }
    return EXIT_FINE;
}
