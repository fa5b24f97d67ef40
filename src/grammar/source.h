// SPDX-License-Identifier: MIT
#pragma once

// The text of a model after `#define`, `#include` and comments, with the way back from every byte
// to the file, line and column it came from.

#include "base/alloc.h"
#include "base/diag.h"
#include "tendril/grammar.h"

typedef struct tdi_source_file {
    const char *name;
    const char *text;
    size_t size;
} tdi_source_file;

// From `offset` of the processed text on, bytes come from `origin` of a file; one after the other,
// or all from there when they are what a macro stands for.
typedef struct tdi_source_span {
    uint32_t offset;
    uint32_t origin;
    int32_t file;
    bool macro;
} tdi_source_span;

typedef struct tdi_source {
    tdi_arena *arena; // owns everything below
    char *text;       // processed, zero-terminated
    size_t size;
    tdi_source_span *spans;
    int64_t span_count;
    tdi_source_file *files;
    int32_t file_count;
} tdi_source;

// Processes def->text. Faults go to `diags`, all that can be found; any makes it TD_ERR_SYNTAX or
// TD_ERR_LIMIT.
td_status tdi_source_read(tdi_source *source, tdi_arena *arena, const td_grammar_def *def,
                          td_diag_list *diags);

// A fault at a byte of the processed text. Fills `diag` (NULL is allowed), returns the status.
td_status tdi_source_fail(const tdi_source *source, size_t offset, td_diag *diag, td_status status,
                          const char *format, ...) TDI_PRINTF(5, 6);
