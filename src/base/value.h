// SPDX-License-Identifier: MIT
#pragma once

// Faults in a tree of values.

#include "base/diag.h"
#include "tendril/value.h"

// Fills `diag` with a fault at a place of the text that `value` comes from, and returns the status.
td_status tdi_value_fail(const td_value *value, int32_t line, int32_t column, td_diag *diag,
                         td_status status, const char *format, ...) TDI_PRINTF(6, 7);

// The same at a byte of a scalar's text, from 0; at its beginning where that is written otherwise
// than it reads.
td_status tdi_value_fail_within(const td_value *value, int32_t byte, td_diag *diag,
                                td_status status, const char *message);

// Room for a text within a message, the final zero included.
#define TDI_SHOWN_TEXT 44

// At most 40 bytes of `text`, cut between characters, with control characters as '?'.
const char *tdi_shown_text(const char *text, char shown[TDI_SHOWN_TEXT]);
