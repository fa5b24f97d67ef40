// SPDX-License-Identifier: MIT
#pragma once

// Reading JSON (RFC 8259) value by value, without a tree. The first fault is reported with line
// and column; every call after it does nothing and returns false.

#include "tendril/base.h"

#include "base/diag.h"

// Zero-initialise, then set text, size, file (NULL: none) and diag (NULL: none).
typedef struct tdi_json_in {
    const char *text, *file;
    size_t size, at;
    td_diag *diag;
    td_status status;
} tdi_json_in;

#define TDI_JSON_MAX_DEPTH 64 // of values that are skipped
#define TDI_JSON_KEY       32 // room for a key, the final zero included; longer ones are refused

// A fault at this offset of the text. Gives false.
bool tdi_json_in_fail(tdi_json_in *in, size_t at, const char *format, ...) TDI_PRINTF(3, 4);
// Gives *diag, which was filled already, its place; an argument out of range becomes a fault of the
// text.
bool tdi_json_in_fail_as(tdi_json_in *in, size_t at, td_status status);

// Offset of the next value or bracket.
size_t tdi_json_in_at(tdi_json_in *in);

// The bracket that starts a list or an object; then tdi_json_in_more() for each item up to the
// other one:
//     if (tdi_json_in_open(in, '[')) { for (bool first = true; tdi_json_in_more(in, ']', &first);)
//     {...}
//     }
bool tdi_json_in_open(tdi_json_in *in, char bracket);
bool tdi_json_in_more(tdi_json_in *in, char bracket, bool *first);
// The key before a value of an object, with its colon.
bool tdi_json_in_key(tdi_json_in *in, char key[TDI_JSON_KEY]);

bool tdi_json_in_text(tdi_json_in *in, char *text, size_t size);
bool tdi_json_in_number(tdi_json_in *in, td_real *value);
bool tdi_json_in_int(tdi_json_in *in, int32_t *value);
bool tdi_json_in_bool(tdi_json_in *in, bool *value);
bool tdi_json_in_skip(tdi_json_in *in); // any value
// Nothing but spaces is left.
bool tdi_json_in_end(tdi_json_in *in);
