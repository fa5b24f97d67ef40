// SPDX-License-Identifier: MIT
// The rows that validations report.

#include "cases/validate/validate.h"

#include <math.h>

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

int32_t val_tries(const val_report *report, int32_t all) {
    return report->full ? all : all / 4;
}

void val_fault(val_report *report, const char *quantity, int64_t n, td_status status,
               const td_diag *diag) {
    const char *message = diag && diag->message[0] ? diag->message : td_status_text(status);
    add_row(report, quantity, n, (double)NAN, 0, (double)NAN, 0, message);
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
