// SPDX-License-Identifier: MIT
// The parser's cursor: white space, words, numbers, faults.

#include "base/words.h"
#include "grammar/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- faults ---------------------------------------------------------------------------------

// A line whose macros could not be replaced has a fault already; what follows from it is no news.
static bool line_has_fault(const tdi_parser *p, const td_diag *diag) {
    const int32_t count = tdi_diag_errors(p->diags);
    for (int32_t i = p->told; i < count; i++) {
        const td_diag *known = &p->diags->items[i];
        if (known->line == diag->line && strcmp(known->file, diag->file) == 0) {
            return true;
        }
    }
    return false;
}

static void add_diag(tdi_parser *p, size_t at, td_status status, const char *format, va_list args) {
    char message[sizeof((td_diag *)0)->message];
    tdi_text_format(message, sizeof message, format, args);
    td_diag diag;
    tdi_source_fail(&p->g->source, at, &diag, status, "%s", message);
    if (!line_has_fault(p, &diag)) {
        tdi_diag_add(p->diags, &diag);
    }
}

void tdi_parse_warn(tdi_parser *p, size_t at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_diag(p, at, TD_OK, format, args);
    va_end(args);
}

static bool note_fault(tdi_parser *p) {
    p->failed = true;
    p->fault_count++;
    p->status = p->status == TD_OK ? TD_ERR_SYNTAX : p->status;
    return false;
}

bool tdi_parse_fail(tdi_parser *p, size_t at, const char *format, ...) {
    if (p->failed) {
        return false;
    }
    va_list args;
    va_start(args, format);
    add_diag(p, at, TD_ERR_SYNTAX, format, args);
    va_end(args);
    return note_fault(p);
}

bool tdi_parse_fail_with(tdi_parser *p, const td_diag *diag) {
    if (p->failed) {
        return false;
    }
    tdi_diag_add(p->diags, diag);
    return note_fault(p);
}

bool tdi_parse_memory(tdi_parser *p) {
    p->failed = true;
    p->fault_count = TDI_MAX_FAULTS;
    p->status = TD_ERR_MEMORY;
    return false;
}

// ---- characters -----------------------------------------------------------------------------

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

char tdi_peek_raw(const tdi_parser *p, size_t ahead) {
    return p->at + ahead < p->limit ? p->text[p->at + ahead] : 0;
}

void tdi_skip_space(tdi_parser *p) {
    while (p->at < p->limit && is_space(p->text[p->at])) {
        p->at++;
    }
}

char tdi_peek(tdi_parser *p) {
    tdi_skip_space(p);
    return tdi_peek_raw(p, 0);
}

bool tdi_at(tdi_parser *p, const char *text) {
    tdi_skip_space(p);
    size_t length = strlen(text);
    return p->limit - p->at >= length && memcmp(p->text + p->at, text, length) == 0;
}

bool tdi_accept(tdi_parser *p, const char *text) {
    if (!tdi_at(p, text)) {
        return false;
    }
    p->at += strlen(text);
    return true;
}

bool tdi_expect(tdi_parser *p, const char *text) {
    char here[24];
    return tdi_accept(p, text) ||
           tdi_parse_fail(p, p->at, "expected '%s' before %s", text, tdi_here(p, here));
}

bool tdi_expect_end(tdi_parser *p) {
    char here[24];
    return tdi_peek(p) == 0 ||
           tdi_parse_fail(p, p->at, "expected the end of the line before %s", tdi_here(p, here));
}

const char *tdi_here(tdi_parser *p, char buffer[24]) {
    tdi_skip_space(p);
    if (p->at >= p->limit) {
        return p->limit == p->size ? "the end of the file" : "the end of the line";
    }
    unsigned char c = (unsigned char)p->text[p->at];
    snprintf(buffer, 24, c < 128 ? "'%c'" : "byte 0x%02x", c);
    return buffer;
}

// ---- words ----------------------------------------------------------------------------------

bool tdi_read_name(tdi_parser *p, char name[32]) {
    size_t length = 0;
    if (!is_letter(tdi_peek(p))) {
        return false;
    }
    size_t start = p->at;
    while (is_letter(tdi_peek_raw(p, 0)) || is_digit(tdi_peek_raw(p, 0))) {
        if (length < 31) {
            name[length++] = tdi_peek_raw(p, 0);
        }
        p->at++;
    }
    name[length] = 0;
    return p->at - start < 32 ||
           tdi_parse_fail(p, start, "this name has more than 31 characters, the most it can have");
}

// strtod reads the decimal point of the locale that the program has set
static double decimal(char *text) {
    char half[8], *point = strchr(text, '.');
    snprintf(half, sizeof half, "%g", 0.5);
    if (point) {
        *point = half[1];
    }
    return strtod(text, NULL);
}

// digits, fraction and exponent are found here, so that strtod sees a plain decimal number only
bool tdi_read_number(tdi_parser *p, double *value) {
    tdi_skip_space(p);
    size_t n = 0, digits = 0;
    for (; is_digit(tdi_peek_raw(p, n)); n++) {
        digits++;
    }
    if (tdi_peek_raw(p, n) == '.') {
        for (n++; is_digit(tdi_peek_raw(p, n)); n++) {
            digits++;
        }
    }
    if (digits == 0) {
        return false;
    }
    char e = tdi_peek_raw(p, n), sign = tdi_peek_raw(p, n + 1);
    size_t skip = sign == '+' || sign == '-' ? 2 : 1;
    if ((e == 'e' || e == 'E') && is_digit(tdi_peek_raw(p, n + skip))) {
        for (n += skip; is_digit(tdi_peek_raw(p, n)); n++) {}
    }
    char buffer[64];
    if (n >= sizeof buffer) {
        return tdi_parse_fail(p, p->at, "this number has more than 63 characters");
    }
    memcpy(buffer, p->text + p->at, n);
    buffer[n] = 0;
    *value = decimal(buffer);
    if (*value > 1e300) {
        return tdi_parse_fail(p, p->at, "this number is too large");
    }
    p->at += n;
    return true;
}

// ---- suggestions ----------------------------------------------------------------------------

const char *tdi_nearest(const char *word, const char *(*get)(int32_t index), int32_t count) {
    tdi_near_word near = {.word = word};
    for (int32_t i = 0; i < count; i++) {
        tdi_word_consider(&near, get(i));
    }
    return near.best;
}
