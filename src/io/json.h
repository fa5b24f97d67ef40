// SPDX-License-Identifier: MIT
#pragma once

// A small JSON writer: values are appended in order, commas come by themselves. It needs neither
// files nor a library, so that it also compiles to WebAssembly.

#include "base/real.h"
#include "io/buffer.h"

// Bytes of the UTF-8 character at the start of `size` bytes; 0 when there is none.
size_t tdi_utf8_length(const uint8_t *text, size_t size);

// Zero-initialise, set buffer.alloc, and end with tdi_json_finish(). The first failure sticks.
typedef struct tdi_json {
    tdi_buffer buffer;
    bool comma; // a value stands before on this level
    bool line;  // the next key or value starts a line
} tdi_json;

void tdi_json_open(tdi_json *json, const char *brackets);  // "[{": a list that begins with a map
void tdi_json_close(tdi_json *json, const char *brackets); // "}]"
void tdi_json_line(tdi_json *json);                        // what comes next starts a line
void tdi_json_key(tdi_json *json, const char *key);

// Bytes that are no UTF-8 become U+FFFD.
void tdi_json_string(tdi_json *json, const char *text);
void tdi_json_integer(tdi_json *json, int64_t value);
void tdi_json_bool(tdi_json *json, bool value);
// The shortest of 15 to 17 digits that reads back to the same number. Not finite: TD_ERR_ARGUMENT.
void tdi_json_real(tdi_json *json, td_real value);

// Key and value at once.
void tdi_json_key_open(tdi_json *json, const char *key, const char *brackets);
void tdi_json_key_string(tdi_json *json, const char *key, const char *text);
void tdi_json_key_integer(tdi_json *json, const char *key, int64_t value);
void tdi_json_key_real(tdi_json *json, const char *key, td_real value);
void tdi_json_key_reals(tdi_json *json, const char *key, const td_real *values, int32_t count);

// Frees all after a failure.
td_status tdi_json_finish(tdi_json *json, td_bytes *out);
