// SPDX-License-Identifier: MIT
#pragma once

// Rods for the cases of `tendril validate`.

#include "cases/validate/validate.h"

typedef struct val_strand {
    td_body_model *model;
    td_body *state;
    int64_t n; // edges of its rows
} val_strand;

// False, with a row for the fault, when it fails; nothing is to be freed then.
bool val_strand_new(val_report *report, const td_rod_def *def, const td_rod_body *body,
                    val_strand *strand);
void val_strand_free(val_strand *strand);

// The beam of a rod of segments, level, as a clamped rod.
bool val_strand_beam(val_report *report, const val_rod *beam, bool inextensible,
                     val_strand *strand);

// A step, a search for rest, modes without weight. False, with a row for the fault, when it fails.
bool val_strand_step(val_report *report, val_strand *strand, const td_step_opts *opts,
                     const char *quantity);
bool val_strand_settle(val_report *report, val_strand *strand, const td_step_opts *opts,
                       const char *quantity);
bool val_strand_modes(val_report *report, val_strand *strand, int32_t count, td_mode *modes,
                      double *shapes, const char *quantity);
