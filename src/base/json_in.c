// SPDX-License-Identifier: MIT
// Reading JSON.

#include "base/json_in.h"

#include "base/real.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- faults ---------------------------------------------------------------------------------

static void place(const tdi_json_in *in, size_t at) {
    int32_t line = 1, column = 1;
    for (size_t i = 0; i < at && i < in->size; i++) {
        const bool ends = in->text[i] == '\n';
        line += ends && line < INT32_MAX;
        column = ends ? 1 : column + (column < INT32_MAX);
    }
    tdi_diag_place(in->diag, in->file, in->text, in->size, line, column);
}

bool tdi_json_in_fail(tdi_json_in *in, size_t at, const char *format, ...) {
    if (in->status != TD_OK) {
        return false;
    }
    in->status = TD_ERR_SYNTAX;
    if (in->diag) {
        char message[240];
        va_list list;
        va_start(list, format);
        vsnprintf(message, sizeof message, format, list);
        va_end(list);
        tdi_fail(in->diag, TD_ERR_SYNTAX, "%s", message);
        place(in, at);
    }
    return false;
}

bool tdi_json_in_fail_as(tdi_json_in *in, size_t at, td_status status) {
    if (in->status == TD_OK) {
        const bool ours = status == TD_ERR_ARGUMENT || status == TD_ERR_STRUCTURE;
        in->status = ours ? TD_ERR_SYNTAX : status;
        if (in->diag) {
            in->diag->status = in->status;
            place(in, at);
        }
    }
    return false;
}

// ---- characters -----------------------------------------------------------------------------

size_t tdi_json_in_at(tdi_json_in *in) {
    while (in->at < in->size && memchr(" \t\r\n", in->text[in->at], 4)) {
        in->at++;
    }
    return in->at;
}

// 0 at the end of the text
static char peek(tdi_json_in *in) {
    const size_t at = tdi_json_in_at(in);
    return at < in->size ? in->text[at] : 0;
}

static bool expect(tdi_json_in *in, char wanted, const char *what) {
    if (in->status != TD_OK) {
        return false;
    }
    if (peek(in) != wanted || in->at >= in->size) {
        return tdi_json_in_fail(
            in, in->at, in->at < in->size ? "expected %s" : "the text ends; expected %s", what);
    }
    in->at++;
    return true;
}

// ---- lists and objects ----------------------------------------------------------------------

bool tdi_json_in_open(tdi_json_in *in, char bracket) {
    return expect(in, bracket, bracket == '{' ? "an object, {" : "a list, [");
}

bool tdi_json_in_more(tdi_json_in *in, char bracket, bool *first) {
    if (in->status != TD_OK) {
        return false;
    }
    if (peek(in) == bracket) {
        in->at++;
        return false;
    }
    if (!*first && !expect(in, ',', bracket == '}' ? "a comma or }" : "a comma or ]")) {
        return false;
    }
    *first = false;
    return true;
}

bool tdi_json_in_key(tdi_json_in *in, char key[TDI_JSON_KEY]) {
    return tdi_json_in_text(in, key, TDI_JSON_KEY) && expect(in, ':', "a colon");
}

// ---- texts ----------------------------------------------------------------------------------

static bool hex4(const tdi_json_in *in, size_t at, uint32_t *code) {
    *code = 0;
    for (size_t i = at; i < at + 4; i++) {
        const char c = i < in->size ? in->text[i] : 0;
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) {
            return false;
        }
        *code = *code * 16 + (uint32_t)digit;
    }
    return true;
}

// The character after \u, in one part or in two; its bytes in UTF-8.
static size_t unicode(tdi_json_in *in, char bytes[4]) {
    uint32_t code = 0, low = 0;
    if (!hex4(in, in->at, &code)) {
        return 0;
    }
    in->at += 4;
    if (code >= 0xd800 && code < 0xdc00) {
        const bool pair = in->at + 6 <= in->size && in->text[in->at] == '\\' &&
                          in->text[in->at + 1] == 'u' && hex4(in, in->at + 2, &low) &&
                          low >= 0xdc00 && low < 0xe000;
        if (!pair) {
            return 0;
        }
        in->at += 6;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code == 0 || (code >= 0xdc00 && code < 0xe000)) {
        return 0;
    }
    const size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint32_t lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t k = length; k-- > 1;) {
        bytes[k] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    bytes[0] = (char)(lead[length] | code);
    return length;
}

// The bytes of the next character of a text; 0 after a fault.
static size_t character(tdi_json_in *in, char bytes[4]) {
    const char c = in->text[in->at++];
    if ((unsigned char)c < 0x20) {
        tdi_json_in_fail(in, in->at - 1,
                         "a control character in a text; it must be written as \\u%04x",
                         (unsigned)(unsigned char)c);
        return 0;
    }
    bytes[0] = c;
    if (c != '\\') {
        return 1;
    }
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char name = in->at < in->size ? in->text[in->at++] : 0;
    const char *found = name ? strchr(names, name) : NULL;
    if (found) {
        bytes[0] = values[found - names];
        return 1;
    }
    const size_t length = name == 'u' ? unicode(in, bytes) : 0;
    if (length == 0) {
        tdi_json_in_fail(in, in->at, "an unknown escape after \\ in a text");
    }
    return length;
}

// `text` NULL: the characters are checked alone.
static bool read_text(tdi_json_in *in, char *text, size_t size) {
    const size_t start = tdi_json_in_at(in);
    size_t used = 0;
    if (!expect(in, '"', "a text in double quotes")) {
        return false;
    }
    while (in->at < in->size && in->text[in->at] != '"') {
        char bytes[4];
        const size_t length = character(in, bytes);
        if (length == 0) {
            return false;
        }
        if (text && used + length >= size) {
            return tdi_json_in_fail(in, start, "the text has more than %zu bytes", size - 1);
        }
        if (text) {
            memcpy(text + used, bytes, length);
        }
        used += length;
    }
    if (text) {
        text[used] = 0;
    }
    return expect(in, '"', "the closing quote of a text");
}

bool tdi_json_in_text(tdi_json_in *in, char *text, size_t size) {
    return read_text(in, text, size);
}

// ---- numbers and words ----------------------------------------------------------------------

bool tdi_json_in_number(tdi_json_in *in, td_real *value) {
    if (in->status != TD_OK) {
        return false;
    }
    const size_t start = tdi_json_in_at(in);
    size_t end = start;
    while (end < in->size && in->text[end] && strchr("+-0123456789.eE", in->text[end])) {
        end++;
    }
    const char *at = in->text + start;
    const bool starts = end > start && *at != '+' && *at != '.';
    if (!starts || !tdi_real_read(at, end - start, value)) {
        return tdi_json_in_fail(in, start,
                                start < in->size ? "expected a finite number"
                                                 : "the text ends; expected a number");
    }
    in->at = end;
    return true;
}

bool tdi_json_in_int(tdi_json_in *in, int32_t *value) {
    const size_t start = tdi_json_in_at(in);
    td_real number = 0;
    if (!tdi_json_in_number(in, &number)) {
        return false;
    }
    if (!(number >= INT32_MIN && number <= INT32_MAX) || number != (td_real)(int32_t)number) {
        return tdi_json_in_fail(in, start, "%g is not a whole number below 2^31", number);
    }
    *value = (int32_t)number;
    return true;
}

static bool take_word(tdi_json_in *in, const char *word) {
    const size_t length = strlen(word);
    if (in->size - tdi_json_in_at(in) < length || memcmp(in->text + in->at, word, length) != 0) {
        return false;
    }
    in->at += length;
    return true;
}

bool tdi_json_in_bool(tdi_json_in *in, bool *value) {
    if (in->status != TD_OK) {
        return false;
    }
    *value = take_word(in, "true");
    return *value || take_word(in, "false") ||
           tdi_json_in_fail(in, in->at, "expected true or false");
}

// ---- any value ------------------------------------------------------------------------------

static bool skip_plain(tdi_json_in *in) {
    td_real number;
    const char c = peek(in);
    if (c == '"') {
        return read_text(in, NULL, 0);
    }
    if (c == 't' || c == 'f' || c == 'n') {
        return take_word(in, "true") || take_word(in, "false") || take_word(in, "null") ||
               tdi_json_in_fail(in, in->at, "expected a value");
    }
    return tdi_json_in_number(in, &number);
}

// Reads the comma before a value, and in an object the key. False: the list or object has
// ended.
static bool next_item(tdi_json_in *in, char bracket, bool *first) {
    return tdi_json_in_more(in, bracket, first) &&
           (bracket == ']' || (read_text(in, NULL, 0) && expect(in, ':', "a colon")));
}

bool tdi_json_in_skip(tdi_json_in *in) {
    struct {
        char bracket;
        bool first;
    } open[TDI_JSON_MAX_DEPTH];
    int32_t depth = 0;
    do {
        if (depth > 0 && !next_item(in, open[depth - 1].bracket, &open[depth - 1].first)) {
            depth--;
            continue;
        }
        const char c = peek(in);
        if (in->status == TD_OK && (c == '{' || c == '[')) {
            if (depth == TDI_JSON_MAX_DEPTH) {
                return tdi_json_in_fail(in, in->at, "lists and objects are more than %d deep",
                                        TDI_JSON_MAX_DEPTH);
            }
            in->at++;
            open[depth].bracket = c == '{' ? '}' : ']';
            open[depth++].first = true;
        } else if (!skip_plain(in)) {
            return false;
        }
    } while (depth > 0 && in->status == TD_OK);
    return in->status == TD_OK;
}

bool tdi_json_in_end(tdi_json_in *in) {
    return in->status == TD_OK && (tdi_json_in_at(in) == in->size ||
                                   tdi_json_in_fail(in, in->at, "expected the end of the text"));
}
