// SPDX-License-Identifier: MIT
#pragma once

/// @file wind.h
/// Wind that varies in space and time: a mean, gusts that travel with it, and turbulence. A field
/// is fixed after creation and safe to read from any thread; its motion is a plain td_wind_state.

#include "tendril/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_wind td_wind;

/// Start from td_wind_def_default().
typedef struct td_wind_def {
    uint32_t struct_size;
    uint64_t seed;       ///< Another seed, another field with the same statistics. Default 1.
    td_real intensity;   ///< 0..2: rms of each component of turbulence over the mean speed.
                         ///< Default 0.2.
    td_real length;      ///< m, 1e-3..1e6: integral length of turbulence. Default 4.
    td_vec3 direction;   ///< Main direction of the wind. The statistics above hold best along it.
                         ///< Need not be of unit length. Default (1, 0, 0).
    td_real gust;        ///< 0..1: gusts change the mean by this part of itself at most. Default 0.
    td_real gust_length; ///< m, 1e-3..1e6: from one gust to the next. Default 30.
    td_real roughness;   ///< m, 0 or 1e-6..100: the mean grows with height as log(1 + y/roughness).
                         ///< Default 0: the same at all heights.
    td_real height;      ///< m, 1e-3..1e6: where the mean is as given. Default 10.
    td_real onset;       ///< s, 0..1e6: gusts and turbulence grow during this time. Default 0.
} td_wind_def;

TD_API td_wind_def td_wind_def_default(void);

/// On failure *out is NULL and *diag, if given, says which field is wrong.
TD_API td_status td_wind_new(const td_wind_def *def, const td_alloc *alloc, td_wind **out,
                             td_diag *diag);
TD_API void td_wind_free(td_wind *wind); ///< NULL is allowed.

/// All that changes. Copy it to save it.
typedef struct td_wind_state {
    td_vec3 mean;  ///< m/s.
    td_vec3 shift; ///< m: how far the air was carried.
    td_real churn; ///< Age of the turbulence, in eddy turnovers.
    td_real age;   ///< s.
} td_wind_state;

/// A wind of this mean that begins now.
TD_API td_wind_state td_wind_start(td_vec3 mean);

/// Advances by dt >= 0 s, during which the mean changes linearly to `mean`.
TD_API void td_wind_advance(const td_wind *wind, td_wind_state *state, td_real dt, td_vec3 mean);

/// Velocity of the air at `count` points, m/s; within 1e9 m of the origin. Never allocates. The
/// same bits for a point alone and among others, on every machine.
TD_API void td_wind_at(const td_wind *wind, const td_wind_state *state, int32_t count,
                       const td_vec3 *points, td_vec3 *velocities);

#ifdef __cplusplus
}
#endif
