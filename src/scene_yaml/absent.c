// SPDX-License-Identifier: MIT
// The reader of YAML in a build without libyaml: it says so.

#include "tendril/yaml.h"

#include <stdio.h>

bool td_yaml_built(void) {
    return false;
}

td_status td_value_from_yaml(const char *text, size_t size, const char *file, const td_alloc *alloc,
                             td_value **out, td_diag *diag) {
    if (!out || (!text && size > 0)) {
        if (out) {
            *out = NULL;
        }
        if (diag) {
            *diag = (td_diag){.status = TD_ERR_ARGUMENT, .index = TD_NONE};
            snprintf(diag->message, sizeof diag->message, "td_value_from_yaml: %s is NULL",
                     out ? "text" : "out");
        }
        return TD_ERR_ARGUMENT;
    }
    (void)text;
    (void)size;
    (void)file;
    (void)alloc;
    *out = NULL;
    if (diag) {
        *diag = (td_diag){.status = TD_ERR_ARGUMENT, .index = TD_NONE};
        snprintf(diag->message, sizeof diag->message,
                 "this build cannot read scenes: it was built without libyaml");
    }
    return TD_ERR_ARGUMENT;
}
