// SPDX-License-Identifier: MIT
// The reader of YAML in a build without libyaml: it says so.

#include "scene_yaml/arguments.h"

bool td_yaml_built(void) {
    return false;
}

td_status td_value_from_yaml(const char *text, size_t size, const char *file, const td_alloc *alloc,
                             td_value **out, td_diag *diag) {
    (void)file;
    (void)alloc;
    if (tdi_yaml_check(text, size, out, diag) != TD_OK) {
        return TD_ERR_ARGUMENT;
    }
    return tdi_yaml_fail(diag, "this build cannot read scenes: it was built without libyaml");
}
