// SPDX-License-Identifier: MIT
#pragma once

// A file that is written piece by piece, beside its place, and renamed into it at the end. The
// first failure sticks, so that a writer checks once, when it closes.

#include "tendril/base.h"

#include <stdio.h>

#define TDI_MAX_PATH 4096

typedef struct tdi_out {
    FILE *file;
    const char *path;          // the place
    char beside[TDI_MAX_PATH]; // the file at hand; "" when the place itself is written
    int error;                 // of the first failure, as errno has it
    bool failed;
    bool base64;     // what is written arrives as text
    uint8_t held[3]; // bytes that make no whole group of base64 yet
    int held_count;
} tdi_out;

// `path` must last until the file is closed; "-" is standard output. After a failure there is
// nothing to close.
td_status tdi_out_open(tdi_out *out, const char *path, td_diag *diag);
void tdi_out_write(tdi_out *out, const void *data, size_t size);
void tdi_out_text(tdi_out *out, const char *text);
// From here on, or no longer, bytes are written as base64. Ending it pads the last group.
void tdi_out_base64(tdi_out *out, bool on);
// `status` other than TD_OK says that the writer has failed: the old file stays. Returns that, or
// what became of the file.
td_status tdi_out_close(tdi_out *out, td_status status, td_diag *diag);

// Fills `diag` with what errno says about a file, and returns `status`.
td_status tdi_fail_file(td_diag *diag, td_status status, const char *path, const char *doing);
