// SPDX-License-Identifier: MIT
// Words and numbers of data files.

#include "cpfg/scan.h"
#include "base/real.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tdi_scan_fail(tdi_scan *scan, size_t at, const char *format, ...) {
    if (scan->fault[0] == 0) {
        va_list args;
        va_start(args, format);
        vsnprintf(scan->fault, sizeof scan->fault, format, args);
        va_end(args);
        scan->fault_at = at;
    }
    return false;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space(tdi_scan *scan) {
    while (scan->at < scan->size && is_space(scan->text[scan->at])) {
        scan->at++;
    }
}

bool tdi_scan_end(tdi_scan *scan) {
    skip_space(scan);
    return scan->at == scan->size;
}

bool tdi_scan_line_end(tdi_scan *scan) {
    while (scan->at < scan->size && scan->text[scan->at] != '\n' &&
           is_space(scan->text[scan->at])) {
        scan->at++;
    }
    return scan->at == scan->size || scan->text[scan->at] == '\n';
}

void tdi_scan_skip_line(tdi_scan *scan) {
    while (scan->at < scan->size && scan->text[scan->at] != '\n') {
        scan->at++;
    }
    scan->at += scan->at < scan->size;
}

bool tdi_scan_accept(tdi_scan *scan, const char *word) {
    size_t length = strlen(word);
    skip_space(scan);
    if (scan->size - scan->at < length || memcmp(scan->text + scan->at, word, length) != 0) {
        return false;
    }
    scan->at += length;
    return true;
}

bool tdi_scan_expect(tdi_scan *scan, const char *word) {
    return tdi_scan_accept(scan, word) || tdi_scan_fail(scan, scan->at, "expected '%s'", word);
}

bool tdi_scan_word(tdi_scan *scan, char *word, size_t size) {
    size_t length = 0;
    skip_space(scan);
    for (; scan->at < scan->size && !is_space(scan->text[scan->at]); scan->at++) {
        if (length + 1 < size) {
            word[length++] = scan->text[scan->at];
        }
    }
    word[length] = 0;
    return length > 0;
}

static bool is_number_part(char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '-' || c == 'e' || c == 'E';
}

bool tdi_scan_real(tdi_scan *scan, td_real *value) {
    skip_space(scan);
    if (scan->at < scan->size && scan->text[scan->at] == ',') {
        scan->at++;
        skip_space(scan);
    }
    size_t length = 0;
    while (scan->at + length < scan->size && is_number_part(scan->text[scan->at + length])) {
        length++;
    }
    if (!tdi_real_read(scan->text + scan->at, length, value)) {
        return tdi_scan_fail(scan, scan->at, "expected a number");
    }
    scan->at += length;
    return true;
}

bool tdi_scan_count(tdi_scan *scan, int32_t least, int32_t most, const char *what, int32_t *value) {
    td_real number;
    skip_space(scan);
    size_t at = scan->at;
    if (!tdi_scan_real(scan, &number)) {
        return false;
    }
    if (!(number >= least && number <= most) || number != floor(number)) {
        return tdi_scan_fail(scan, at, "%s is %g; expected a whole number from %d to %d", what,
                             number, least, most);
    }
    *value = (int32_t)number;
    return true;
}
