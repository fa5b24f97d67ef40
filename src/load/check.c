// SPDX-License-Identifier: MIT
// What callers may get wrong with loads and air.

#include "load/check.h"

#include "base/diag.h"
#include "math/vec3.h"

#include <math.h>

static bool not_negative(td_real x) {
    return x >= 0 && isfinite(x);
}

// The field of a load that is out of its range, or NULL.
static const char *wrong_field(int32_t segments, const td_load *l) {
    bool known = l->kind == TD_LOAD_FORCE || l->kind == TD_LOAD_TORQUE || l->kind == TD_LOAD_SPRING;
    return !known                                     ? "kind"
           : l->segment < 0 || l->segment >= segments ? "segment"
           : !tdi_finite3(l->point)                   ? "point"
           : !tdi_finite3(l->vector)                  ? "vector"
           : !not_negative(l->stiffness)              ? "stiffness"
           : !not_negative(l->damping)                ? "damping"
           : !tdi_finite3(l->velocity)                ? "velocity"
                                                      : NULL;
}

td_status tdi_loads_check(int32_t segments, const td_load *load, int32_t count, const td_air *air,
                          td_diag *diag) {
    if (count < 0 || (count > 0 && !load)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "load_count is %d", count);
    }
    const char *wrong = !tdi_finite3(air->wind)         ? "wind"
                        : !not_negative(air->linear)    ? "linear"
                        : !not_negative(air->quadratic) ? "quadratic"
                                                        : NULL;
    if (wrong) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "%s of the air is out of its range", wrong);
    }
    for (int32_t k = 0; k < count; k++) {
        wrong = wrong_field(segments, &load[k]);
        if (wrong) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "load %d: %s is out of its range", k,
                               wrong);
        }
    }
    return TD_OK;
}
