// SPDX-License-Identifier: MIT
// What callers may get wrong with loads and air.

#include "load/check.h"

#include "base/diag.h"
#include "base/range.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

td_base_motion td_base_motion_default(void) {
    return (td_base_motion){.rotation = {1, 0, 0, 0}};
}

static td_status check_air(const td_air *air, td_diag *diag) {
    const tdi_range ranges[] = {TDI_FINITE3("wind", "m/s", air->wind),
                                TDI_FROM_0("linear", "N s/m^3", air->linear),
                                TDI_FROM_0("quadratic", "N s^2/m^4", air->quadratic)};
    return tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, "air", TD_NONE, diag);
}

// There may be a load for every segment in every step: this is quick, refuse_load() says why.
static bool is_fine(const td_load *l, int32_t segments) {
    bool known = l->kind == TD_LOAD_FORCE || l->kind == TD_LOAD_TORQUE || l->kind == TD_LOAD_SPRING;
    return known && l->segment >= 0 && l->segment < segments && tdi_finite3(l->point) &&
           tdi_finite3(l->vector) && tdi_finite3(l->velocity) && l->stiffness >= 0 &&
           l->damping >= 0 && isfinite(l->stiffness) && isfinite(l->damping);
}

static td_status refuse_load(const td_load *l, int32_t k, int32_t segments, td_diag *diag) {
    const tdi_range ranges[] = {TDI_BETWEEN("segment", NULL, l->segment, 0, segments - 1),
                                TDI_FINITE3("point", "m", l->point),
                                TDI_FINITE3("vector", NULL, l->vector),
                                TDI_FINITE3("velocity", "m/s", l->velocity),
                                TDI_FROM_0("stiffness", "N/m", l->stiffness),
                                TDI_FROM_0("damping", "N s/m", l->damping)};
    char of[32];
    snprintf(of, sizeof of, "load %d", k);
    td_status status = tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, of, k, diag);
    return status != TD_OK ? status
                           : tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                                         "load %d: kind is %d; it must be TD_LOAD_FORCE, "
                                         "TD_LOAD_TORQUE or TD_LOAD_SPRING",
                                         k, (int)l->kind);
}

td_status tdi_loads_check(int32_t segments, const td_load *load, int32_t count, const td_air *air,
                          td_diag *diag) {
    if (count < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "load_count is %d; it must be at least 0", count);
    }
    if (count > 0 && !load) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "load_count is %d, but loads is NULL", count);
    }
    td_status status = check_air(air, diag);
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        status = is_fine(&load[k], segments) ? TD_OK : refuse_load(&load[k], k, segments, diag);
    }
    return status;
}
