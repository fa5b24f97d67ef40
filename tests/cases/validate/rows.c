// SPDX-License-Identifier: MIT
// The rows that validations report.

#include "cases/validate/validate.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#ifndef __wasm__
#include <setjmp.h>
#endif

// ---- rows -----------------------------------------------------------------------------------

void val_progress(val_report *report, double done) {
    if (report->progress) {
        report->progress(report->context, report->name, done);
    }
}

static void add_row(val_report *report, const char *quantity, int64_t n, double got, double want,
                    double error, double limit, const char *fault) {
    const val_row row = {report->name, quantity, n, got, want, error, limit, error <= limit, fault};
    report->rows++;
    report->failed += !row.pass; // as is what is not a number
    report->row(report->context, &row);
}

void val_relative(val_report *report, const char *quantity, int64_t n, double got, double want,
                  double limit) {
    add_row(report, quantity, n, got, want, fabs(got - want) / fabs(want), limit, NULL);
}

void val_absolute(val_report *report, const char *quantity, int64_t n, double got, double want,
                  double limit) {
    add_row(report, quantity, n, got, want, fabs(got - want), limit, NULL);
}

void val_at_most(val_report *report, const char *quantity, int64_t n, double got, double limit) {
    add_row(report, quantity, n, got, 0, fabs(got), limit, NULL);
}

void val_not_above(val_report *report, const char *quantity, int64_t n, double got, double limit) {
    add_row(report, quantity, n, got, 0, got, limit, NULL);
}

const char *val_text(val_report *report, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(report->text, sizeof report->text, format, args);
    va_end(args);
    return report->text;
}

int32_t val_tries(const val_report *report, int32_t all) {
    return report->full ? all : all / 4;
}

static void add_fault(val_report *report, const char *quantity, int64_t n, const char *message) {
    add_row(report, quantity, n, (double)NAN, 0, (double)NAN, 0, message);
}

// ---- cases ----------------------------------------------------------------------------------

// A fault leads back to val_run_case(); WebAssembly has no such way, and ends.
#ifdef __wasm__
static void end_case(val_report *report) {
    (void)report;
    abort();
}

static void run(const val_case *c, val_report *report) {
    c->run(report);
}
#else
static void end_case(val_report *report) {
    longjmp(*(jmp_buf *)report->end, 1);
}

static void run(const val_case *c, val_report *report) {
    jmp_buf end;
    report->end = &end;
    if (setjmp(end) == 0) {
        c->run(report);
    }
}
#endif

void val_must(val_report *report, const char *quantity, int64_t n, td_status status) {
    if (status != TD_OK) {
        const char *message = report->diag.message;
        add_fault(report, quantity, n, message[0] ? message : td_status_text(status));
        end_case(report);
    }
}

void *val_memory(val_report *report, const char *quantity, size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    val_must(report, quantity, (int64_t)count, memory ? TD_OK : TD_ERR_MEMORY);
    return memory;
}

void val_run_case(const val_case *c, val_report *report) {
    const int32_t before = report->rows;
    report->name = c->name;
    report->diag = (td_diag){.message = ""};
    run(c, report);
    if (report->rows == before) {
        add_fault(report, "results of the case", 0, "the case compared nothing");
    }
}
