// SPDX-License-Identifier: MIT
// Writing JSON (RFC 8259).

#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- strings --------------------------------------------------------------------------------

size_t tdi_utf8_length(const uint8_t *text, size_t size) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t lead = text[0];
    size_t length = lead < 0x80       ? 1
                    : lead >> 5 == 6  ? 2
                    : lead >> 4 == 14 ? 3
                    : lead >> 3 == 30 ? 4
                                      : 0;
    if (length < 2 || length > size) {
        return length > size ? 0 : length;
    }
    uint32_t code = lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (text[i] >> 6 != 2) {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < smallest[length] || code > 0x10ffff || surrogate ? 0 : length;
}

static void add_text(tdi_json *json, const char *text) {
    tdi_buffer_add(&json->buffer, text, strlen(text));
}

static void add_quoted(tdi_json *json, const char *text) {
    add_text(json, "\"");
    const uint8_t *c = (const uint8_t *)text;
    while (*c) {
        size_t length =
            tdi_utf8_length(c, 4); // a character that the end cuts off has the final zero in it
        char escape[8];
        if (length == 0) {
            add_text(json, "\xef\xbf\xbd");
            length = 1;
        } else if (*c < 0x20 || *c == 0x7f) {
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*c);
            add_text(json, escape);
        } else {
            if (*c == '"' || *c == '\\') {
                add_text(json, "\\");
            }
            tdi_buffer_add(&json->buffer, c, length);
        }
        c += length;
    }
    add_text(json, "\"");
}

// ---- values ---------------------------------------------------------------------------------

static void separate(tdi_json *json) {
    if (json->comma) {
        add_text(json, ",");
    }
    if (json->line) {
        add_text(json, "\n");
    }
    json->comma = true;
    json->line = false;
}

void tdi_json_open(tdi_json *json, const char *brackets) {
    separate(json);
    add_text(json, brackets);
    json->comma = false;
}

void tdi_json_close(tdi_json *json, const char *brackets) {
    if (json->line) {
        add_text(json, "\n");
    }
    add_text(json, brackets);
    json->comma = true;
    json->line = false;
}

void tdi_json_line(tdi_json *json) {
    json->line = true;
}

void tdi_json_key(tdi_json *json, const char *key) {
    separate(json);
    add_quoted(json, key);
    add_text(json, ":");
    json->comma = false;
}

void tdi_json_string(tdi_json *json, const char *text) {
    separate(json);
    add_quoted(json, text);
}

void tdi_json_integer(tdi_json *json, int64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    separate(json);
    add_text(json, text);
}

void tdi_json_bool(tdi_json *json, bool value) {
    separate(json);
    add_text(json, value ? "true" : "false");
}

void tdi_json_real(tdi_json *json, td_real value) {
    if (!isfinite(value)) {
        if (json->buffer.status == TD_OK) {
            json->buffer.status = TD_ERR_ARGUMENT;
        }
        return;
    }
    char text[TDI_REAL_TEXT];
    size_t length = tdi_real_write(value, text);
    separate(json);
    tdi_buffer_add(&json->buffer, text, length);
}

// ---- keys with values -----------------------------------------------------------------------

void tdi_json_key_string(tdi_json *json, const char *key, const char *text) {
    tdi_json_key(json, key);
    tdi_json_string(json, text);
}

void tdi_json_key_integer(tdi_json *json, const char *key, int64_t value) {
    tdi_json_key(json, key);
    tdi_json_integer(json, value);
}

void tdi_json_key_real(tdi_json *json, const char *key, td_real value) {
    tdi_json_key(json, key);
    tdi_json_real(json, value);
}

void tdi_json_key_open(tdi_json *json, const char *key, const char *brackets) {
    tdi_json_key(json, key);
    tdi_json_open(json, brackets);
}

void tdi_json_key_reals(tdi_json *json, const char *key, const td_real *values, int32_t count) {
    tdi_json_key_open(json, key, "[");
    for (int32_t i = 0; i < count; i++) {
        tdi_json_real(json, values[i]);
    }
    tdi_json_close(json, "]");
}

td_status tdi_json_finish(tdi_json *json, td_bytes *out) {
    return tdi_buffer_finish(&json->buffer, out);
}
