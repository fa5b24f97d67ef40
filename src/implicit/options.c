// SPDX-License-Identifier: MIT
// Options of a step: defaults, and what all solvers ask of them.

#include "base/diag.h"
#include "base/opts.h"
#include "base/range.h"
#include "implicit/implicit.h"
#include "load/check.h"
#include "math/vec3.h"

td_step_opts td_step_opts_default(void) {
    td_step_opts o = {.struct_size = sizeof o,
                      .dt = 1.0 / 60,
                      .integrator = TD_IMPLICIT,
                      .gravity = {0, -9.81, 0},
                      .iterations = 20,
                      .tolerance = 1e-4,
                      .stiffness = 1,
                      .damping = 1};
    return o;
}

td_damping_opts td_damping_opts_default(void) {
    td_damping_opts opts = {.struct_size = sizeof opts,
                            .kind = TD_DAMPING_RATIO,
                            .value = 0.05,
                            .gravity = {0, -9.81, 0}};
    return opts;
}

td_status tdi_step_opts_take(const td_step_opts *given, td_step_opts *own, td_diag *diag) {
    *own = td_step_opts_default();
    return tdi_opts_take("td_step_opts", own, given, diag);
}

td_status tdi_step_opts_check(const td_step_opts *o, int32_t segments, td_diag *diag) {
    const tdi_range ranges[] = {TDI_ABOVE_0("dt", "s", o->dt),
                                TDI_BETWEEN("iterations", NULL, o->iterations, 1, INFINITY),
                                {"tolerance", "rad", o->tolerance, 0, 0.1, true},
                                TDI_FROM_0("stiffness", NULL, o->stiffness),
                                TDI_FROM_0("damping", NULL, o->damping),
                                TDI_FINITE3("gravity", "m/s^2", o->gravity)};
    td_status status =
        tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, NULL, TD_NONE, diag);
    if (status != TD_OK) {
        return status;
    }
    if (o->integrator < TD_IMPLICIT || o->integrator > TD_ADAPTIVE) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "integrator is %d; it must be one of td_integrator",
                        (int)o->integrator);
    }
    for (int32_t i = 0; o->winds && i < segments; i++) {
        if (!tdi_finite3(o->winds[i])) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i, "winds[%d] is not finite", (int)i);
        }
    }
    return tdi_loads_check(segments, o->loads, o->load_count, &o->air, diag);
}

td_status tdi_damping_opts_check(const td_damping_opts *o, td_diag *diag) {
    if (o->kind != TD_DAMPING_RATIO && o->kind != TD_DAMPING_TIME) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "kind is %d; it must be TD_DAMPING_RATIO or TD_DAMPING_TIME", (int)o->kind);
    }
    const char *unit = o->kind == TD_DAMPING_TIME ? "s" : NULL;
    const tdi_range range = TDI_FROM_0("value", unit, o->value);
    const td_status status = tdi_check_ranges(&range, 1, NULL, TD_NONE, diag);
    return status == TD_OK ? tdi_gravity_check(o->gravity, diag) : status;
}

td_status tdi_gravity_check(td_vec3 gravity, td_diag *diag) {
    const tdi_range ranges[] = {TDI_FINITE3("gravity", "m/s^2", gravity)};
    return tdi_check_ranges(ranges, 3, NULL, TD_NONE, diag);
}
