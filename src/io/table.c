// SPDX-License-Identifier: MIT
// Reading tables of numbers.

#include "io/table.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/real.h"

#include <math.h>
#include <string.h>

// a part of the text
typedef struct span {
    const char *at;
    size_t size;
} span;

typedef struct reader {
    const char *text, *file;
    size_t size;
    td_diag *diag;
} reader;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static span trim(span s) {
    while (s.size > 0 && is_blank(s.at[0])) {
        s.at++;
        s.size--;
    }
    while (s.size > 0 && is_blank(s.at[s.size - 1])) {
        s.size--;
    }
    return s;
}

// takes the part up to `stop` off the front of *rest; false when nothing is left
static bool take(span *rest, char stop, span *part) {
    if (!rest->at) {
        return false;
    }
    const char *end = rest->size > 0 ? memchr(rest->at, stop, rest->size) : NULL;
    *part = (span){rest->at, end ? (size_t)(end - rest->at) : rest->size};
    *rest = end ? (span){end + 1, rest->size - part->size - 1} : (span){NULL, 0};
    return true;
}

// lines without anything in them do not count
static bool take_line(span *rest, int32_t *number, span *line) {
    while (take(rest, '\n', line)) {
        *number += 1;
        *line = trim(*line);
        if (line->size > 0) {
            return true;
        }
    }
    return false;
}

static td_status fail_at(const reader *r, int32_t line, const char *at, const char *message) {
    const char *start = at;
    while (start > r->text && start[-1] != '\n') {
        start--;
    }
    tdi_fail(r->diag, TD_ERR_SYNTAX, "%s", message);
    if (r->diag) {
        tdi_diag_place(r->diag, r->file, r->text, r->size, line, (int32_t)(at - start) + 1);
    }
    return TD_ERR_SYNTAX;
}

// ---- headings -------------------------------------------------------------------------------

// "tip.x [m]"
static tdi_column column_of(span heading) {
    heading = trim(heading);
    tdi_column column = {heading.at, heading.at + heading.size, heading.size, 0};
    const char *open = heading.size > 0 ? memchr(heading.at, '[', heading.size) : NULL;
    if (open && heading.at[heading.size - 1] == ']') {
        span name = trim((span){heading.at, (size_t)(open - heading.at)});
        column.name_size = name.size;
        column.unit = open + 1;
        column.unit_size = (size_t)(heading.at + heading.size - 1 - column.unit);
    }
    return column;
}

static td_status read_headings(tdi_table *table, const reader *r, span line, int32_t number) {
    int64_t count = 1;
    for (size_t i = 0; i < line.size; i++) {
        count += line.at[i] == ',' ? 1 : 0;
    }
    if (count < 2) {
        return fail_at(
            r, number, line.at,
            "expected a line of headings: time and at least one column, separated by commas");
    }
    if (count > TDI_MAX_COLUMNS) {
        return tdi_fail(r->diag, TD_ERR_LIMIT, "the table has more than %d columns",
                        TDI_MAX_COLUMNS);
    }
    table->columns = tdi_alloc_zeroed(table->alloc, (size_t)count, sizeof *table->columns);
    if (!table->columns) {
        return tdi_fail(r->diag, TD_ERR_MEMORY, "out of memory for the table");
    }
    table->column_count = (int32_t)count;
    span cell;
    for (int32_t k = 0; take(&line, ',', &cell); k++) {
        table->columns[k] = column_of(cell);
    }
    return TD_OK;
}

// ---- rows -----------------------------------------------------------------------------------

static bool is_word(span cell, const char *word) {
    size_t from = cell.size > 0 && (cell.at[0] == '-' || cell.at[0] == '+') ? 1 : 0;
    return cell.size - from == strlen(word) && memcmp(cell.at + from, word, strlen(word)) == 0;
}

static td_status read_row(const tdi_table *table, const reader *r, span line, int32_t number,
                          double *row) {
    span cell, rest = line;
    int32_t count = 0;
    for (; count < table->column_count && take(&rest, ',', &cell); count++) {
        cell = trim(cell);
        row[count] = NAN;
        // a run that has come to nothing says so in these words
        bool none = cell.size == 0 || is_word(cell, "nan") || is_word(cell, "inf");
        if (!none && !tdi_real_read(cell.at, cell.size, &row[count])) {
            return fail_at(r, number, cell.at, "expected a number");
        }
    }
    if (count < table->column_count || rest.at) {
        return fail_at(r, number, line.at, "expected as many cells as there are headings");
    }
    return isfinite(row[0]) ? TD_OK : fail_at(r, number, line.at, "expected a time in s");
}

static td_status read_rows(tdi_table *table, const reader *r, span rest, int32_t number) {
    span line, ahead = rest;
    int32_t numbers = number;
    while (take_line(&ahead, &numbers, &line)) {
        table->row_count++;
    }
    size_t columns = (size_t)table->column_count;
    table->values =
        tdi_alloc_zeroed(table->alloc, (size_t)table->row_count, columns * sizeof(double));
    if (!table->values && table->row_count > 0) {
        return tdi_fail(r->diag, TD_ERR_MEMORY, "out of memory for the table");
    }
    double *row = table->values;
    for (int64_t i = 0; take_line(&rest, &number, &line); i++, row += columns) {
        TDI_TRY(read_row(table, r, line, number, row));
        if (i > 0 && row[0] < row[-(ptrdiff_t)columns]) {
            return fail_at(
                r, number, line.at,
                "this time is before that of the row before; expected rows in the order of time");
        }
    }
    return TD_OK;
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_table_read(tdi_table *table, const char *text, size_t size, const char *file,
                         const td_alloc *alloc, td_diag *diag) {
    *table = (tdi_table){.alloc = alloc};
    reader r = {.text = text ? text : "", .file = file, .size = text ? size : 0, .diag = diag};
    span rest = {r.text, r.size}, line;
    int32_t number = 0;
    if (!take_line(&rest, &number, &line)) {
        return fail_at(&r, 1, r.text, "the table is empty; expected a line of headings");
    }
    td_status status = read_headings(table, &r, line, number);
    return status == TD_OK ? read_rows(table, &r, rest, number) : status;
}

void tdi_table_free(tdi_table *table) {
    size_t columns = (size_t)table->column_count;
    tdi_alloc_free(table->alloc, table->columns, columns * sizeof *table->columns);
    tdi_alloc_free(table->alloc, table->values,
                   (size_t)table->row_count * columns * sizeof *table->values);
    *table = (tdi_table){0};
}
