// SPDX-License-Identifier: MIT
// Modules as text.

#include "base/guard.h"
#include "base/real.h"
#include "grammar/model.h"

#include <string.h>

size_t td_module_write(const td_grammar *grammar, int32_t type, const td_real *params, char *text,
                       size_t size) {
    if (!grammar || !tdi_has(type, grammar->symbols.type_count) || (!text && size > 0) ||
        (!params && grammar->symbols.types[type].param_count > 0)) {
        return 0;
    }
    const tdi_type *t = &grammar->symbols.types[type];
    char whole[8 + TDI_MAX_PARAMS * (TDI_REAL_TEXT + 1)];
    size_t length = strlen(t->name);
    memcpy(whole, t->name, length);
    for (int32_t i = 0; i < t->param_count; i++) {
        whole[length++] = i == 0 ? '(' : ',';
        length += tdi_real_write(params[i], whole + length);
    }
    if (t->param_count > 0) {
        whole[length++] = ')';
    }
    if (size == 0) {
        return 0;
    }
    length = length < size ? length : size - 1;
    memcpy(text, whole, length);
    text[length] = 0;
    return length;
}
