// SPDX-License-Identifier: MIT
// tendril bench: speed and memory, a row for each figure.

#include "cases/bench/bench.h"
#include "cli/cli.h"

#include <string.h>

const char cli_bench_help[] =
    "Usage: tendril bench [CASE...] [--json] [--list] [--seconds S]\n"
    "\n"
    "Measures speed and memory. Without names it runs all cases\n"
    "except heap, accuracy and solvers. Every time is that of the fastest\n"
    "run within --seconds, on one core unless the case says otherwise.\n"
    "\n";

static const char help_options[] =
    "\n"
    "  --json       print one object for each row: case, variant, n, value, unit\n"
    "  --list       list the cases\n"
    "  --seconds S  time to spend on each row (1)\n";

// ---- entry ----------------------------------------------------------------------------------

static const bench_case *find_case(const char *name) {
    int count;
    const bench_case *cases = bench_cases(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(name, cases[i].name) == 0) {
            return &cases[i];
        }
    }
    return NULL;
}

static void list_cases(FILE *out, const char *indent) {
    int count;
    const bench_case *cases = bench_cases(&count);
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s%-12s %s\n", indent, cases[i].name, cases[i].about);
    }
}

void cli_bench_more_help(FILE *out) {
    list_cases(out, "  ");
    fputs(help_options, out);
}

static int run_cases(int count, char **names, bench *b) {
    bool fine = true;
    int all;
    const bench_case *cases = bench_cases(&all);
    for (int i = 0; i < (count ? count : all); i++) {
        const bench_case *c = count ? find_case(names[i]) : &cases[i];
        b->name = c->name;
        fine = ((c->named && !count) || c->run(b)) && fine;
    }
    return fine ? EXIT_FINE : EXIT_BAD_INPUT;
}

int cli_bench(int argc, char **argv) {
    bench b = {.seconds = 1};
    bool list = false;
    const cli_option options[] = {{"--json", CLI_FLAG, &b.json, 0},
                                  {"--list", CLI_FLAG, &list, 0},
                                  {"--seconds", CLI_REAL, &b.seconds, 0},
                                  {0}};
    int operands = cli_read_options(argc, argv, options, "bench", NULL);
    if (operands < 0) {
        return EXIT_MISUSE;
    }
    for (int i = 0; i < operands; i++) {
        if (!find_case(argv[i])) {
            cli_error("bench: unknown case '%s'; 'tendril bench --list' lists them", argv[i]);
            return EXIT_MISUSE;
        }
    }
    if (list) {
        list_cases(stdout, "");
        return EXIT_FINE;
    }
    return run_cases(operands, argv, &b);
}
