// SPDX-License-Identifier: MIT
#pragma once

// A plant twice in the same motion, with all of its joints and with those that matter: for `tendril
// bench` and `tendril validate`.

#include "cases/support.h"

typedef struct reduce_case {
    const char *name;
    const char *path;  // from the folder of the command; NULL: a pendulum
    int64_t steps;     // of growth; negative: as many as the file says
    double wind;       // m/s: gusty, rising from a fifth of it; 0: still air
    double relaxation; // s; 0: damping of the materials
    bool pulled;       // at one tip, and let go
    bool shaken;       // at one tip, for good
} reduce_case;

extern const reduce_case reduce_willow, reduce_palm, reduce_jungle, reduce_orchid, reduce_oak,
    reduce_pendulum;

typedef struct reduce_motion {
    const reduce_case *of;
    case_plant grown;
    td_body_model *model;
    td_body *full;
    td_body *reduced;
    td_wind *wind;
    td_wind_state air;
    td_step_opts opts;
    td_load hand;
    int32_t count;
    td_vec3 hold; // where the pulled tip was
    td_vec3 *start, *points, *winds;
    double time;
    double error, moved, estimate; // sums of squares over steps: of tips, m^2
    double joints;                 // sum over steps
    int64_t looks;
    td_diag diag;
} reduce_motion;

// False, with a diag, when it cannot be had.
bool reduce_motion_open(reduce_motion *m, const reduce_case *of, const td_reduce_opts *opts);
void reduce_motion_close(reduce_motion *m); // empty is allowed
// A step of both; then tips are compared.
bool reduce_motion_step(reduce_motion *m);
