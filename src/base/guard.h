// SPDX-License-Identifier: MIT
#pragma once

// What public functions refuse: docs/guide/embed.md states the rule.

#include "base/diag.h"

// Whether there is an entry with this index.
static inline bool tdi_has(int32_t index, int32_t count) {
    return index >= 0 && index < count;
}

// On failure *out is NULL; `out` itself may be.
#define TDI_CLEAR(out)   \
    do {                 \
        if (out) {       \
            *out = NULL; \
        }                \
    } while (0)

// TD_ERR_ARGUMENT of a function that got NULL or an invalid index.
td_status tdi_refuse(td_diag *diag, const char *function);
// Makes the surrounding public function return this error, in its parameter `diag`.
#define TDI_REFUSE_IF(condition)               \
    do {                                       \
        if (condition) {                       \
            return tdi_refuse(diag, __func__); \
        }                                      \
    } while (0)
td_status tdi_refuse_in(td_diag_list *diags, const char *function);
