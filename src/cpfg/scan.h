// SPDX-License-Identifier: MIT
#pragma once

// A cursor over the text of a data file: words, numbers, and the first fault.

#include "base/diag.h"
#include "tendril/base.h"

typedef struct tdi_scan {
    const char *text;
    size_t size;
    size_t at;
    size_t fault_at;
    char fault[200]; // "": none so far
} tdi_scan;

// Records a fault at `at` unless there is one. Returns false, for `return tdi_scan_fail(...)`.
bool tdi_scan_fail(tdi_scan *scan, size_t at, const char *format, ...) TDI_PRINTF(3, 4);

bool tdi_scan_end(tdi_scan *scan);                      // only white space is left
bool tdi_scan_line_end(tdi_scan *scan);                 // only blanks are left on this line
void tdi_scan_skip_line(tdi_scan *scan);                // to the start of the next line
bool tdi_scan_accept(tdi_scan *scan, const char *word); // white space, then the word
bool tdi_scan_expect(tdi_scan *scan, const char *word);
// A word without white space; cut to what fits. False, with no fault, at the end.
bool tdi_scan_word(tdi_scan *scan, char *word, size_t size);
// A decimal number. A ',' before it is skipped.
bool tdi_scan_real(tdi_scan *scan, td_real *value);
// A whole number within limits; `what` says what it is.
bool tdi_scan_count(tdi_scan *scan, int32_t least, int32_t most, const char *what, int32_t *value);
