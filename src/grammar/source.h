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
    int64_t text_capacity, span_capacity, file_capacity;
    size_t bytes_read;                 // of all files
    bool cut;                          // after a fault that leaves a part of the text out
    const struct tdi_macro *macros[2]; // of the texts that were processed
    int32_t processed;
} tdi_source;

// Adds a file. Returns its index, or TD_NONE without memory.
int32_t tdi_source_add(tdi_source *source, const char *name, const char *text, size_t size);

// Adds what def->loader reads as `name`, seen from the file `from`. TD_ERR_READ: it cannot be read.
td_status tdi_source_load(tdi_source *source, const td_grammar_def *def, const char *name,
                          const char *from, int32_t *file);

// Processes a file and appends the result to the text. Macros do not outlive the call. Faults go to
// `diags`, all that can be found; any makes it TD_ERR_SYNTAX or TD_ERR_LIMIT.
td_status tdi_source_process(tdi_source *source, int32_t file, const td_grammar_def *def,
                             td_diag_list *diags);

// After all texts: definitions from outside that no text names are faults, with a suggestion.
// diag.index is the number of the definition.
td_status tdi_source_check_defines(const tdi_source *source, const td_grammar_def *def,
                                   td_diag_list *diags);

// The file that a byte of the processed text came from.
int32_t tdi_source_file_at(const tdi_source *source, size_t offset);

// A fault at a byte of a file that was added, not processed.
td_status tdi_source_fail_in(const tdi_source *source, int32_t file, size_t offset, td_diag *diag,
                             td_status status, const char *format, ...) TDI_PRINTF(6, 7);

// A fault at a byte of the processed text. Fills `diag` (NULL is allowed), returns the status.
td_status tdi_source_fail(const tdi_source *source, size_t offset, td_diag *diag, td_status status,
                          const char *format, ...) TDI_PRINTF(5, 6);
