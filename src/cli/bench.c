// SPDX-License-Identifier: MIT
// tendril bench: speed of rewriting.
//
// Method   Each case is derived again and again for about a second and the fastest run counts: on a
//          shared machine the others measure the neighbours.

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char help[] =
    "Usage: tendril bench [CASE...] [--json] [--list] [--seconds S]\n"
    "\n"
    "Measures speed and memory; all cases when none is named.\n"
    "\n"
    "  grow         million modules written a second, summed over all derivation steps\n"
    "\n"
    "  --json       one object a line: case, variant, n, value, unit\n"
    "  --list       the cases\n"
    "  --seconds S  time for each figure (1)\n";

typedef struct bench_args {
    bool json, list, help;
    double seconds;
} bench_args;

static void print_row(const bench_args *args, const char *variant, int64_t n, double value,
                      const char *unit) {
    if (args->json) {
        printf("{\"case\":\"grow\",\"variant\":\"%s\",\"n\":%lld,\"value\":%.6g,\"unit\":\"%s\"}\n",
               variant, (long long)n, value, unit);
    } else {
        printf("%-8s %-20s n %-8lld %10.4g %s\n", "grow", variant, (long long)n, value, unit);
    }
    fflush(stdout);
}

// ---- models ---------------------------------------------------------------------------------

typedef struct grow_model {
    const char *variant;
    int64_t n; // steps
    const char *text;
} grow_model;

// ABOP figures 1.6, 1.24f, 2.6 and 1.27, Hilbert's curve, and a signal that travels through a row
static const grow_model models[] = {
    {"koch", 7, "axiom: F-F-F-F\nF --> F-F+F+FF-F-F+F\n"},
    {"hilbert", 11, "axiom: L\nL --> +RF-LFL-FR+\nR --> -LF+RFR+FL-\n"},
    {"plant", 10, "axiom: X\nX --> F-[[X]+X]+F[+FX]-X\nF --> FF\n"},
    {"honda", 20,
     "#define r1 0.9\n#define r2 0.6\n#define a0 45\n#define a2 45\n#define d 137.5\n"
     "#define wr 0.707\n"
     "axiom: A(1,10)\n"
     "A(l,w) --> !(w)F(l)[&(a0)B(l*r2,w*wr)]/(d)A(l*r1,w*wr)\n"
     "B(l,w) --> !(w)F(l)[-(a2)$C(l*r2,w*wr)]C(l*r1,w*wr)\n"
     "C(l,w) --> !(w)F(l)[+(a2)$B(l*r2,w*wr)]B(l*r1,w*wr)\n"},
    {"stochastic", 12,
     "seed: 1\naxiom: F\nF --> F[+F]F[-F]F : 0.33\nF --> F[+F]F : 0.33\nF --> F[-F]F : 0.34\n"},
};

#define SIGNAL_LENGTH 10000

// baaa...a: the b moves one place a step
static char *signal_text(void) {
    static const char head[] = "axiom: b", rules[] = "\nb < a --> b\nb --> a\n";
    char *text = malloc(sizeof head + SIGNAL_LENGTH + sizeof rules);
    if (text) {
        strcpy(text, head);
        memset(text + strlen(head), 'a', SIGNAL_LENGTH - 1);
        strcpy(text + strlen(head) + SIGNAL_LENGTH - 1, rules);
    }
    return text;
}

// ---- measuring ------------------------------------------------------------------------------

typedef struct grow_result {
    double seconds; // fastest
    int64_t written;
    int64_t modules;
    size_t bytes; // held by the derivation at its end
} grow_result;

static bool derive_once(const td_grammar *grammar, int64_t steps, grow_result *result) {
    td_diag diag;
    td_derivation *d = NULL;
    td_derive_opts opts = td_derive_opts_default();
    double start = cli_seconds();
    td_status status = td_derivation_new(grammar, &opts, NULL, &d, &diag);
    for (int64_t i = 0; i < steps && status == TD_OK; i++) {
        status = td_derivation_step(d, &diag);
    }
    double seconds = cli_seconds() - start;
    if (status == TD_OK) {
        result->seconds = seconds < result->seconds ? seconds : result->seconds;
        result->written = td_derivation_written(d);
        result->modules = td_derivation_string(d).module_count;
        result->bytes = td_derivation_bytes(d);
    } else {
        cli_print_diag(&diag);
    }
    td_derivation_free(d);
    return status == TD_OK;
}

static bool measure(const char *text, int64_t steps, double budget, grow_result *result) {
    td_diag items[4];
    td_diag_list diags = {items, 4, 0};
    td_grammar *grammar = NULL;
    td_grammar_def def = td_grammar_def_default();
    def.name = "bench";
    def.text = text;
    def.text_size = strlen(text);
    if (td_grammar_new(&def, NULL, &grammar, &diags) != TD_OK) {
        cli_print_diags(&diags, TD_ERR_SYNTAX, "bench");
        return false;
    }
    *result = (grow_result){.seconds = 1e30};
    double start = cli_seconds();
    bool fine;
    do {
        fine = derive_once(grammar, steps, result);
    } while (fine && cli_seconds() - start < budget);
    td_grammar_free(grammar);
    return fine;
}

static double peak_megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024 * 1e-6;
}

static bool bench_model(const bench_args *args, const char *variant, int64_t n, const char *text,
                        int64_t steps) {
    grow_result r;
    if (!text || !measure(text, steps, args->seconds, &r)) {
        return false;
    }
    print_row(args, variant, n, 1e-6 * (double)r.written / r.seconds, "Mmodules/s");
    if (strcmp(variant, "koch") == 0) { // the first to run, so that the peak is its own
        print_row(args, "koch modules", n, (double)r.modules, "modules");
        print_row(args, "koch string", n, 1e-6 * (double)r.bytes, "MB");
        print_row(args, "koch peak", n, peak_megabytes(), "MB");
    }
    return true;
}

static bool bench_grow(const bench_args *args) {
    bool fine = true;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        fine =
            bench_model(args, models[i].variant, models[i].n, models[i].text, models[i].n) && fine;
    }
    char *text = signal_text();
    fine = bench_model(args, "signal", SIGNAL_LENGTH, text, SIGNAL_LENGTH) && fine;
    free(text);
    return fine;
}

// ---- entry ----------------------------------------------------------------------------------

int cli_bench(int argc, char **argv) {
    bench_args args = {.seconds = 1};
    const cli_option options[] = {{"--json", CLI_FLAG, &args.json, 0},
                                  {"--list", CLI_FLAG, &args.list, 0},
                                  {"--seconds", CLI_REAL, &args.seconds, 0},
                                  {"--help", CLI_FLAG, &args.help, 0}};
    int operands = cli_read_options(argc, argv, options, 4, "bench");
    if (operands < 0) {
        return EXIT_MISUSE;
    }
    if (args.help || args.list) {
        fputs(args.help ? help : "grow\n", stdout);
        return EXIT_FINE;
    }
    for (int i = 0; i < operands; i++) {
        if (strcmp(argv[i], "grow") != 0) {
            cli_error("bench: unknown case '%s'; 'tendril bench --list' lists them", argv[i]);
            return EXIT_MISUSE;
        }
    }
    return bench_grow(&args) ? EXIT_FINE : EXIT_BAD_INPUT;
}
