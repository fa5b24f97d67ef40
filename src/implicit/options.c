// SPDX-License-Identifier: MIT
// Options of a step: defaults, and what all solvers ask of them.

#include "base/diag.h"
#include "implicit/implicit.h"
#include "load/check.h"
#include "math/vec3.h"

#include <math.h>

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

// A number that must be above or at least `least` and at most `most`.
typedef struct range {
    const char *name, *unit;
    td_real value, least, most;
    bool open; // above the least, not at it
} range;

static td_status check_range(const range *r, td_diag *diag) {
    if ((r->open ? r->value > r->least : r->value >= r->least) && r->value <= r->most) {
        return TD_OK;
    }
    const char *lower = r->open ? "above" : "at least";
    if (isfinite(r->most)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "%s is %g%s; it must be %s %g and at most %g",
                        r->name, r->value, r->unit, lower, r->least, r->most);
    }
    return tdi_fail(diag, TD_ERR_ARGUMENT, "%s is %g%s; it must be %s %g and finite", r->name,
                    r->value, r->unit, lower, r->least);
}

td_status tdi_step_opts_check(const td_step_opts *o, int32_t segments, td_diag *diag) {
    if (!o || o->struct_size != sizeof *o) {
        return tdi_fail(diag, TD_ERR_DEF, "td_step_opts did not come from its default function");
    }
    const td_real most = HUGE_VAL;
    const range ranges[] = {{"dt", " s", o->dt, 0, most, true},
                            {"iterations", "", o->iterations, 1, most, false},
                            {"tolerance", "", o->tolerance, 0, 0.1, true},
                            {"stiffness", "", o->stiffness, 0, most, false},
                            {"damping", "", o->damping, 0, most, false}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
        td_status status = check_range(&ranges[k], diag);
        if (status != TD_OK || !isfinite(ranges[k].value)) {
            return status != TD_OK
                       ? status
                       : tdi_fail(diag, TD_ERR_ARGUMENT, "%s is not finite", ranges[k].name);
        }
    }
    if (!tdi_finite3(o->gravity)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "gravity is not finite");
    }
    if (o->integrator < TD_IMPLICIT || o->integrator > TD_RK4) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "integrator is %d, which is none",
                        (int)o->integrator);
    }
    for (int32_t i = 0; o->winds && i < segments; i++) {
        if (!tdi_finite3(o->winds[i])) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i, "winds: that of segment %d is not finite",
                               (int)i);
        }
    }
    return tdi_loads_check(segments, o->loads, o->load_count, &o->air, diag);
}
