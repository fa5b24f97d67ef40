// SPDX-License-Identifier: MIT
#pragma once

#include "td_test.h"
#include "tendril/tendril.h"

#include <stdlib.h>
#include <string.h>

static inline char *saved_after(td_world *world, int steps, size_t size) {
    char *bytes = malloc(size);
    td_diag diag = {.message = ""};
    td_status status = TD_OK;
    for (int k = 0; k < steps && status == TD_OK; k++) {
        status = td_world_step(world, &diag);
    }
    CHECK_SAY(status == TD_OK, "%s", diag.message);
    td_world_save(world, bytes);
    return bytes;
}

// From a save a world goes the same way again, to the last bit.
static inline void check_resumes(td_world *world, int steps) {
    const size_t size = td_world_save_size(world);
    FREED char *now = saved_after(world, 0, size), *first = saved_after(world, steps, size);
    CHECK_INT(td_world_restore(world, now, size, NULL), TD_OK);
    FREED char *second = saved_after(world, steps, size);
    CHECK(memcmp(first, second, size) == 0);
}
