// SPDX-License-Identifier: MIT
// Status texts and diagnostics.

#include "base/guard.h"

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

void tdi_text_format(char *to, size_t size, const char *format, va_list args) {
    static const char dots[] = " ...";
    const int length = vsnprintf(to, size, format, args);
    if (length >= 0 && (size_t)length < size) {
        return;
    }
    const size_t last = size > sizeof dots ? size - sizeof dots : 0;
    size_t end = last;
    while (end > 0 && to[end] != ' ') {
        end--;
    }
    end = end > 0 ? end : last; // one long word
    while (end > 0 && strchr(" ,;:", to[end - 1])) {
        end--;
    }
    tdi_text_copy(to + end, size - end, dots);
}

static void fill(td_diag *diag, td_status status, int64_t index, const char *format, va_list args) {
    memset(diag, 0, sizeof *diag);
    diag->status = status;
    diag->index = index > INT32_MAX ? TD_NONE : (int32_t)index;
    tdi_text_format(diag->message, sizeof diag->message, format, args);
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
    int32_t held = list->count < list->capacity ? list->count : list->capacity, at = held;
    while (diag->status != TD_OK && at > 0 && list->items[at - 1].status == TD_OK) {
        at--; // errors stand before warnings
    }
    for (int32_t i = held < list->capacity ? held : held - 1; i > at; i--) {
        list->items[i] = list->items[i - 1];
    }
    if (at < list->capacity) {
        list->items[at] = *diag;
    }
    if (list->count < INT32_MAX) {
        list->count++;
    }
}

int32_t tdi_diag_errors(const td_diag_list *list) {
    const int32_t held = !list ? 0 : list->count < list->capacity ? list->count : list->capacity;
    int32_t errors = 0;
    while (errors < held && list->items[errors].status != TD_OK) {
        errors++;
    }
    return errors;
}

static bool continues(char c) {
    return ((unsigned char)c & 0xc0) == 0x80; // within a character of UTF-8
}

// a window of the line with the caret inside, cut between characters; bytes that are no text show
// as '?'
static void show_line(td_diag *diag, const char *line, size_t size) {
    size_t room = sizeof diag->source - 1;
    size_t column = diag->column > 0 ? (size_t)diag->column - 1 : 0;
    column = column < size ? column : size;
    size_t first = column > room * 2 / 3 ? column - room * 2 / 3 : 0;
    while (first > 0 && first < column && continues(line[first])) {
        first++;
    }
    size_t shown = size - first < room ? size - first : room;
    while (first + shown < size && shown > column - first && continues(line[first + shown])) {
        shown--;
    }
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)line[first + i];
        diag->source[i] = (char)(c == '\t' ? ' ' : (c < 32 || c == 127) ? '?' : c);
    }
    diag->source[shown] = 0;
    diag->caret = (int32_t)(column - first);
}

void tdi_diag_place(td_diag *diag, const char *file, const char *text, size_t size, int32_t line,
                    int32_t column) {
    tdi_text_copy(diag->file, sizeof diag->file, file ? file : "");
    diag->line = line;
    diag->column = column;
    const char *at = text;
    for (int32_t i = 1; at && i < line; i++) {
        at = memchr(at, '\n', size - (size_t)(at - text));
        at = at ? at + 1 : NULL;
    }
    if (at) {
        size_t left = size - (size_t)(at - text), length = 0;
        while (length < left && at[length] != '\n' && at[length] != '\r') {
            length++;
        }
        show_line(diag, at, length);
    }
}

void tdi_text_copy(char *to, size_t size, const char *text) {
    size_t length = strlen(text);
    length = length < size ? length : size - 1;
    memcpy(to, text, length);
    to[length] = 0;
}

// ---- refusals -------------------------------------------------------------------------------

td_status tdi_refuse(td_diag *diag, const char *function) {
    return tdi_fail(diag, TD_ERR_ARGUMENT,
                    "%s: an argument is NULL that must not be, or an index that is not there",
                    function);
}

td_status tdi_refuse_in(td_diag_list *diags, const char *function) {
    td_diag diag;
    tdi_refuse(&diag, function);
    tdi_diag_add(diags, &diag);
    return TD_ERR_ARGUMENT;
}
