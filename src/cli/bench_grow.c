// SPDX-License-Identifier: MIT
// tendril bench grow: speed of rewriting.

#include "cli/bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

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

typedef struct grow_run {
    const td_grammar *grammar;
    int64_t steps;
    int64_t written;
    int64_t modules;
    size_t bytes; // held by the derivation at its end
} grow_run;

static bool derive(void *context) {
    grow_run *r = context;
    td_diag diag;
    td_derivation *d = NULL;
    td_derive_opts opts = td_derive_opts_default();
    td_status status = td_derivation_new(r->grammar, &opts, NULL, &d, &diag);
    for (int64_t i = 0; i < r->steps && status == TD_OK; i++) {
        status = td_derivation_step(d, &diag);
    }
    if (status == TD_OK) {
        r->written = td_derivation_written(d);
        r->modules = td_derivation_string(d).module_count;
        r->bytes = td_derivation_bytes(d);
    } else {
        cli_print_diag(&diag);
    }
    td_derivation_free(d);
    return status == TD_OK;
}

static td_grammar *compile(const char *text) {
    td_diag items[4];
    td_diag_list diags = {items, 4, 0};
    td_grammar *grammar = NULL;
    td_grammar_def def = td_grammar_def_default();
    def.name = "bench";
    def.text = text;
    def.text_size = strlen(text);
    td_status status = td_grammar_new(&def, NULL, &grammar, &diags);
    if (status != TD_OK) {
        cli_print_diags(&diags, status, "bench");
    }
    return grammar;
}

static double peak_megabytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024 * 1e-6;
}

static bool bench_model(const bench *b, const char *variant, int64_t n, const char *text) {
    td_grammar *grammar = text ? compile(text) : NULL;
    if (!grammar) {
        return false;
    }
    grow_run r = {.grammar = grammar, .steps = n};
    bench_work work = {NULL, derive, &r};
    double seconds = bench_fastest(&work, b->seconds);
    td_grammar_free(grammar);
    if (seconds < 0) {
        return false;
    }
    bench_row(b, variant, n, 1e-6 * (double)r.written / seconds, "Mmodules/s");
    if (strcmp(variant, "koch") == 0) { // the first to run, so that the peak is its own
        bench_row(b, "koch modules", n, (double)r.modules, "modules");
        bench_row(b, "koch string", n, 1e-6 * (double)r.bytes, "MB");
        bench_row(b, "koch peak", n, peak_megabytes(), "MB");
    }
    return true;
}

// ---- entry ----------------------------------------------------------------------------------

bool bench_grow(const bench *b) {
    bool fine = true;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        fine = bench_model(b, models[i].variant, models[i].n, models[i].text) && fine;
    }
    char *text = signal_text();
    fine = bench_model(b, "signal", SIGNAL_LENGTH, text) && fine;
    free(text);
    return fine;
}
