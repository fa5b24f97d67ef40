// SPDX-License-Identifier: MIT
#pragma once

// Rods for the cases of `tendril validate`.

#include "cases/validate/validate.h"

void val_strand_new(val_report *report, const td_rod_def *def, const td_rod_body *body,
                    val_body *strand);

// The beam of a rod of segments, level, as a clamped rod.
void val_strand_beam(val_report *report, const val_rod *beam, bool inextensible, val_body *strand);
