// SPDX-License-Identifier: MIT
// A module string as text.

#include "io/buffer.h"

#include "base/guard.h"

// a module has a short name and at most 32 parameters of at most 25 characters, each with a comma
#define MODULE_TEXT 1024

td_status td_string_text(const td_grammar *grammar, const td_string *string, const td_alloc *alloc,
                         td_bytes *out) {
    if (!grammar || !string || !out) {
        return TD_ERR_ARGUMENT;
    }
    *out = (td_bytes){NULL, 0, alloc};
    tdi_buffer buffer = {.alloc = alloc};
    int64_t param = 0;
    for (int64_t i = 0; i < string->module_count; i++) {
        uint8_t *room = tdi_buffer_room(&buffer, MODULE_TEXT);
        if (!room) {
            break;
        }
        int32_t type = string->types[i];
        const td_real *params = string->params ? string->params + param : NULL;
        buffer.size += (int64_t)td_module_write(grammar, type, params, (char *)room, MODULE_TEXT);
        param += td_grammar_type_params(grammar, type);
    }
    tdi_buffer_add(&buffer, "\n", 1);
    return tdi_buffer_finish(&buffer, out);
}
