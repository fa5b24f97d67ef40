// SPDX-License-Identifier: MIT
// tendril validate: cases with known answers, a row for each figure.

#include "cases/validate/validate.h"
#include "cli/cli.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

const char cli_validate_help[] =
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

// ---- rows -----------------------------------------------------------------------------------

typedef struct printing {
    bool json;
    const char *name; // of the case whose progress is shown
    double shown;     // when that was
    bool line;        // a line of it is on the terminal
} printing;

static void clear_progress(printing *p) {
    if (p->line) {
        fputs("\r\033[K", stderr);
        p->line = false;
    }
}

static void show_progress(void *context, const char *name, double done) {
    printing *p = context;
    const double now = cli_seconds();
    if (name != p->name) { // nothing for what is over at once
        p->name = name;
        p->shown = now;
    }
    if (!isatty(2) || now - p->shown < 0.2) {
        return;
    }
    p->shown = now;
    const int filled = (int)(30 * fmin(fmax(done, 0), 1));
    fprintf(stderr, "\r[%.*s%*s] %s ", filled, "##############################", 30 - filled, "",
            name);
    p->line = true;
}

static void json_figure(const char *key, double value) {
    printf(",\"%s\":", key);
    if (isfinite(value)) {
        cli_json_number(stdout, value);
    } else {
        fputs("null", stdout);
    }
}

static void print_row(void *context, const val_row *r) {
    printing *p = context;
    clear_progress(p);
    if (r->fault) {
        cli_error("validate: %s, %s, n %lld: %s", r->name, r->quantity, (long long)r->n, r->fault);
    }
    if (p->json) {
        printf("{\"case\":");
        cli_json_text(stdout, r->name);
        printf(",\"quantity\":");
        cli_json_text(stdout, r->quantity);
        printf(",\"n\":%lld", (long long)r->n);
        json_figure("got", r->got);
        json_figure("want", r->want);
        json_figure("error", r->error);
        json_figure("limit", r->limit);
        printf(",\"pass\":%s}\n", r->pass ? "true" : "false");
    } else {
        printf("%-6s %-18s %-52s %7lld %14.7g %14.7g %10.2e %8.1e\n", r->pass ? "ok" : "FAILED",
               r->name, r->quantity, (long long)r->n, r->got, r->want, r->error, r->limit);
    }
    fflush(stdout);
}

// ---- entry ----------------------------------------------------------------------------------

static const val_case *find_case(const char *name) {
    int count;
    const val_case *cases = val_cases(&count);
    for (int i = 0; i < count; i++) {
        if (strcmp(name, cases[i].name) == 0) {
            return &cases[i];
        }
    }
    return NULL;
}

static void list_cases(bool json) {
    int count;
    const val_case *cases = val_cases(&count);
    for (int i = 0; i < count; i++) {
        if (json) {
            printf("{\"case\":\"%s\",\"about\":\"%s\"}\n", cases[i].name, cases[i].about);
        } else {
            printf("%-18s %s\n", cases[i].name, cases[i].about);
        }
    }
}

static int run_cases(int count, char **names, bool json, bool full) {
    printing p = {.json = json};
    val_report report = {.full = full, .row = print_row, .progress = show_progress, .context = &p};
    int all;
    const val_case *cases = val_cases(&all);
    double started = cli_seconds();
    if (!json) {
        printf("%-6s %-18s %-52s %7s %14s %14s %10s %8s\n", "", "case", "quantity", "n", "got",
               "want", "error", "limit");
    }
    for (int i = 0; i < (count ? count : all); i++) {
        val_run_case(count ? find_case(names[i]) : &cases[i], &report);
        clear_progress(&p);
    }
    if (!json) {
        printf("%d results, %d outside their limits, %.1f s\n", report.rows, report.failed,
               cli_seconds() - started);
    }
    return report.failed == 0 ? EXIT_FINE : EXIT_OUTSIDE;
}

int cli_validate(int argc, char **argv) {
    bool json = false, full = false, list = false;
    const cli_option options[] = {{"--json", CLI_FLAG, &json, 0},
                                  {"--list", CLI_FLAG, &list, 0},
                                  {"--long", CLI_FLAG, &full, 0},
                                  {0}};
    int operands = cli_read_options(argc, argv, options, "validate", NULL);
    if (operands < 0) {
        return EXIT_MISUSE;
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
