// SPDX-License-Identifier: MIT
// Status texts and diagnostics.

#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *td_status_text(td_status status) {
    static const char *const texts[] = {
#define TEXT_ENTRY(name, text) text,
        TD_STATUS_LIST(TEXT_ENTRY)
#undef TEXT_ENTRY
    };
    size_t count = sizeof texts / sizeof texts[0];
    return (size_t)status < count ? texts[status] : "unknown status";
}

const char *td_version(void) {
    return TD_VERSION;
}

static void fill(td_diag *diag, td_status status, int64_t index, const char *format, va_list args) {
    memset(diag, 0, sizeof *diag);
    diag->status = status;
    diag->index = index > INT32_MAX ? TD_NONE : (int32_t)index;
    vsnprintf(diag->message, sizeof diag->message, format, args);
}

td_status tdi_fail(td_diag *diag, td_status status, const char *format, ...) {
    if (diag) {
        va_list args;
        va_start(args, format);
        fill(diag, status, TD_NONE, format, args);
        va_end(args);
    }
    return status;
}

td_status tdi_fail_at(td_diag *diag, td_status status, int64_t index, const char *format, ...) {
    if (diag) {
        va_list args;
        va_start(args, format);
        fill(diag, status, index, format, args);
        va_end(args);
    }
    return status;
}

void tdi_diag_add(td_diag_list *list, const td_diag *diag) {
    if (!list) {
        return;
    }
    if (list->count < list->capacity) {
        list->items[list->count] = *diag;
    }
    if (list->count < INT32_MAX) {
        list->count++;
    }
}

void tdi_text_copy(char *to, size_t size, const char *text) {
    size_t length = strlen(text);
    length = length < size ? length : size - 1;
    memcpy(to, text, length);
    to[length] = 0;
}
