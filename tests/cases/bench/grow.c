// SPDX-License-Identifier: MIT
// tendril bench grow: speed of rewriting.
//
// Method   Cold is the first derivation of a new process, which gets its memory from the system:
//          what a command that grows a plant pays. Warm is the fastest of many in one process.

#include "cases/bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
    const td_alloc *alloc; // NULL: the heap
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
    td_status status = td_derivation_new(r->grammar, &opts, r->alloc, &d, &diag);
    for (int64_t i = 0; i < r->steps && status == TD_OK; i++) {
        status = td_derivation_step(d, &diag);
    }
    if (status == TD_OK) {
        r->written = td_derivation_written(d);
        r->modules = td_derivation_string(d).module_count;
        r->bytes = td_derivation_bytes(d);
    } else {
        case_error("bench: %s", diag.message);
    }
    td_derivation_free(d);
    return status == TD_OK;
}

static td_grammar *compile(const char *text) {
    td_diag items[4];
    td_diag_list diags = {items, 4, 0};
    td_grammar *grammar = NULL;
    td_grammar_def def = td_grammar_def_default();
    if (!text) {
        return NULL;
    }
    def.name = "bench";
    def.text = text;
    def.text_size = strlen(text);
    td_status status = td_grammar_new(&def, NULL, &grammar, &diags);
    if (status != TD_OK) {
        case_error("bench: %s", items[0].message);
    }
    return grammar;
}

// ---- a process of its own -------------------------------------------------------------------

// Writes the seconds of one derivation to `to`, or nothing when it fails.
static void derive_once(const grow_model *model, int to) {
    td_grammar *grammar = compile(model->text);
    grow_run r = {.grammar = grammar, .steps = model->n};
    double start = case_seconds();
    if (grammar && derive(&r)) {
        double seconds = case_seconds() - start;
        if (write(to, &seconds, sizeof seconds) != (ssize_t)sizeof seconds) {
            _exit(1);
        }
    }
    _exit(0);
}

// Negative when it failed.
static double cold_seconds(const grow_model *model) {
    int out[2];
    double seconds = -1;
    if (pipe(out) != 0) {
        return -1;
    }
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        close(out[0]);
        derive_once(model, out[1]);
    }
    close(out[1]);
    if (child < 0 || read(out[0], &seconds, sizeof seconds) != (ssize_t)sizeof seconds) {
        seconds = -1;
    }
    close(out[0]);
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    return seconds;
}

// ---- memory ---------------------------------------------------------------------------------

typedef struct grow_heap {
    int64_t held, peak; // bytes
} grow_heap;

static void *count_resize(void *context, void *block, size_t old_size, size_t new_size) {
    grow_heap *heap = context;
    void *moved = NULL;
    if (new_size == 0) {
        free(block);
        heap->held -= (int64_t)old_size;
        return NULL;
    }
    moved = realloc(block, new_size);
    heap->held += moved ? (int64_t)new_size - (int64_t)old_size : 0;
    heap->peak = heap->held > heap->peak ? heap->held : heap->peak;
    return moved;
}

// What a derivation takes from its allocator: in the end, and at most on its way.
static bool print_memory(const bench *b, const grow_model *model, const td_grammar *grammar) {
    grow_heap heap = {0, 0};
    const td_alloc counting = {count_resize, &heap};
    grow_run r = {.grammar = grammar, .alloc = &counting, .steps = model->n};
    if (!derive(&r)) {
        return false;
    }
    bench_row(b, model->n, (double)r.modules, "modules", "%s modules", model->variant);
    bench_row(b, model->n, 1e-6 * (double)r.bytes, "MB", "%s string", model->variant);
    bench_row(b, model->n, 1e-6 * (double)heap.peak, "MB", "%s peak", model->variant);
    return true;
}

static bool bench_model(const bench *b, const grow_model *model, double cold) {
    td_grammar *grammar = compile(model->text);
    grow_run r = {.grammar = grammar, .steps = model->n};
    bench_work work = {NULL, derive, &r};
    double seconds = grammar ? bench_fastest(&work, b->seconds) : -1;
    bool fine = cold >= 0 && seconds >= 0;
    if (fine) {
        bench_row(b, model->n, 1e-6 * (double)r.written / cold, "Mmodules/s", "%s, cold",
                  model->variant);
        bench_row(b, model->n, 1e-6 * (double)r.written / seconds, "Mmodules/s", "%s, warm",
                  model->variant);
    }
    if (fine && model == models) {
        fine = print_memory(b, model, grammar);
    }
    td_grammar_free(grammar);
    return fine || bench_fault(b, model->variant, TD_ERR_MEMORY, NULL);
}

// ---- entry ----------------------------------------------------------------------------------

// All that is cold comes first, while this process has not taken much itself.
bool bench_grow(const bench *b) {
    enum { MODELS = sizeof models / sizeof models[0] };
    char *text = signal_text();
    const grow_model signal = {"signal", SIGNAL_LENGTH, text};
    double cold[MODELS + 1];
    bool fine = true;
    for (int i = 0; i <= MODELS; i++) {
        cold[i] = cold_seconds(i < MODELS ? &models[i] : &signal);
    }
    for (int i = 0; i <= MODELS; i++) {
        fine = bench_model(b, i < MODELS ? &models[i] : &signal, cold[i]) && fine;
    }
    free(text);
    return fine;
}
