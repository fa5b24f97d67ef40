// SPDX-License-Identifier: MIT
// Modules as text.

#include "grammar/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the shortest decimal that reads back to the same number
static int number_text(double value, char text[40]) {
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        length = snprintf(text, 40, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    for (int i = 0; i < length; i++) {
        text[i] = text[i] == ',' ? '.' : text[i]; // whatever the locale says
    }
    return length;
}

size_t td_module_write(const td_grammar *grammar, int32_t type, const td_real *params, char *text,
                       size_t size) {
    const tdi_type *t = &grammar->types[type];
    char whole[8 + TDI_MAX_PARAMS * 41];
    size_t length = strlen(t->name);
    memcpy(whole, t->name, length);
    for (int32_t i = 0; i < t->param_count; i++) {
        whole[length++] = i == 0 ? '(' : ',';
        length += (size_t)number_text(params[i], whole + length);
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
