// SPDX-License-Identifier: MIT
#pragma once

/// @file ida.h
/// An accurate reference integrator for trees: SUNDIALS IDA, with variable order and step and with
/// error control. It is in a separate library, tendril_ida, so that tendril itself does not need
/// SUNDIALS. It is much slower than td_body_step() and is used to measure the error of that.
/// Not stable yet: see TD_API_UNSTABLE.

#include "tendril/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Integrates one state. Used by one thread at a time. SUNDIALS takes its own memory
/// from the C heap.
typedef struct td_ida td_ida;

/// Start from td_ida_opts_default().
typedef struct td_ida_opts {
    uint32_t struct_size;
    td_real rtol;         ///< Error of a step, relative, 0..0.1. Default 1e-8.
    td_real atol;         ///< rad, m, rad/s or m/s, > 0. Default 1e-10.
    td_vec3 gravity;      ///< m/s^2. Default (0, -9.81, 0).
    td_air air;           ///< Default none.
    const td_load *loads; ///< load_count of them, borrowed until td_ida_free(). Default none.
    int32_t load_count;
} td_ida_opts;

TD_API_UNSTABLE td_ida_opts td_ida_opts_default(void);

/// Whether the library was built with SUNDIALS.
TD_API_UNSTABLE bool td_ida_built(void);

/// The state must outlive it. TD_ERR_ARGUMENT when the library was built without SUNDIALS.
TD_API_UNSTABLE td_status td_ida_new(td_body *state, const td_ida_opts *opts, const td_alloc *alloc,
                                     td_ida **out, td_diag *diag);
TD_API_UNSTABLE void td_ida_free(td_ida *ida); ///< NULL is allowed.

/// Advances the state by `duration` s, > 0. If the state was changed since the last call, the
/// integration starts again from it. TD_ERR_DIVERGED, with the state as it was before the call,
/// when no step is small enough.
TD_API_UNSTABLE td_status td_ida_advance(td_ida *ida, td_real duration, td_diag *diag);

/// Counts since td_ida_new().
typedef struct td_ida_stats {
    int64_t steps;
    int64_t residuals; ///< Evaluations of the equations of motion.
    int64_t solves;    ///< Linear systems, each one elimination along the tree.
    int64_t rejected;  ///< Steps repeated because of their error, or because Newton did not end.
    int64_t starts;    ///< At order 1: the first, and when joints were given new reference poses.
} td_ida_stats;

TD_API_UNSTABLE td_ida_stats td_ida_statistics(const td_ida *ida);

#ifdef __cplusplus
}
#endif
