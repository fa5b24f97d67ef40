// SPDX-License-Identifier: MIT
// Uses an installed Tendril from C++: builds a rope of three pieces.

#include <cstdio>
#include <tendril/tendril.h>

int main() {
    td_builder *builder = nullptr;
    td_skeleton *skeleton = nullptr;
    td_skeleton_opts opts = td_skeleton_opts_default();
    if (td_builder_new(&opts, nullptr, &builder, nullptr) != TD_OK) {
        return 1;
    }
    for (int32_t i = 0; i < 3; i++) {
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        if (td_builder_add(builder, &def, nullptr, nullptr) != TD_OK) {
            return 1;
        }
    }
    td_status status = td_builder_finish(builder, &skeleton, nullptr);
    td_builder_free(builder);
    if (status != TD_OK || td_skeleton_count(skeleton) != 3) {
        return 1;
    }
    std::printf("tendril %s: %d pieces\n", td_version(), td_skeleton_count(skeleton));
    td_skeleton_free(skeleton);
    return 0;
}
