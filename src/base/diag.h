// SPDX-License-Identifier: MIT
#pragma once

// Filling diagnostics.

#include "tendril/base.h"

#include <stdarg.h>

// Ends the function with the status of a call that fails.
#define TDI_TRY(call)                  \
    do {                               \
        const td_status try_ = (call); \
        if (try_ != TD_OK) {           \
            return try_;               \
        }                              \
    } while (0)

#if defined(__GNUC__)
#define TDI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TDI_PRINTF(text, first)
#endif

// Fills `diag` (NULL is allowed) with status and message, no place, and returns the status.
td_status tdi_fail(td_diag *diag, td_status status, const char *format, ...) TDI_PRINTF(3, 4);

// The same with the index of the module or segment concerned.
td_status tdi_fail_at(td_diag *diag, td_status status, int64_t index, const char *format, ...)
    TDI_PRINTF(4, 5);

// Adds a copy to a list, errors before warnings; NULL is allowed.
void tdi_diag_add(td_diag_list *list, const td_diag *diag);
// How many errors it holds: they come first.
int32_t tdi_diag_errors(const td_diag_list *list);

// Gives `diag` its place: file (NULL: none), line and column, and the line itself with the caret
// when there is a text (NULL: none).
void tdi_diag_place(td_diag *diag, const char *file, const char *text, size_t size, int32_t line,
                    int32_t column);

// As vsnprintf(); a text that is too long ends after a word, with "...".
void tdi_text_format(char *to, size_t size, const char *format, va_list args);

// Copies as much of `text` as fits, zero-terminated.
void tdi_text_copy(char *to, size_t size, const char *text);
