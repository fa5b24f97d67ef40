// SPDX-License-Identifier: MIT
#pragma once

// Arguments of td_value_from_yaml() that every build refuses.

#include "tendril/yaml.h"

#include <stdio.h>

static inline td_status tdi_yaml_fail(td_diag *diag, const char *message) {
    if (diag) {
        *diag = (td_diag){.status = TD_ERR_ARGUMENT, .index = TD_NONE};
        snprintf(diag->message, sizeof diag->message, "%s", message);
    }
    return TD_ERR_ARGUMENT;
}

static inline td_status tdi_yaml_check(const char *text, size_t size, td_value **out,
                                       td_diag *diag) {
    if (!out) {
        return tdi_yaml_fail(diag, "td_value_from_yaml: out is NULL");
    }
    *out = NULL;
    return text || size == 0 ? TD_OK : tdi_yaml_fail(diag, "td_value_from_yaml: text is NULL");
}
