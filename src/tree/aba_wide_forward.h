// SPDX-License-Identifier: MIT
// Forward dynamics of a block of trees, TDI_LANES of them at a time.
//
// Reads    q, v, torque of the job.
// Writes   accel; links, others.
//
// Included once by each file that sets TDI_LANES to more than 1.

#include "tree/aba_kernel.h"

static void forward(const tdi_wide_job *job) {
    tdi_wlink *base = job->links;
    for (int32_t lane = 0; lane < job->used; lane += TDI_LANES) {
        const trees s = {.m = job->model,
                         .q = job->q + lane,
                         .v = job->v + lane,
                         .torque = job->torque + lane,
                         .accel = job->accel + lane,
                         .link = base + 1,
                         .other = job->others,
                         .last_child = job->last_child,
                         .leaf = job->leaf};
        memset(base, 0, sizeof *base); // at rest
        sweep_start(&s);
        sweep_in(&s);
        // gravity enters as an upward acceleration of the base
        base->accel =
            (tdi_wtwist){tdi_wvec3_zero(), tdi_wvec3_all(tdi_sub(tdi_vec3(0, 0, 0), job->gravity))};
        sweep_out(&s);
    }
}
