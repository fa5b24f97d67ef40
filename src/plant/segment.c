// SPDX-License-Identifier: MIT
// What every solver asks of a segment.

#include "plant/segment.h"

#include "base/diag.h"
#include "base/range.h"

#include <stdio.h>

td_status tdi_segment_check(const td_segment *s, int32_t index, td_diag *diag) {
    const tdi_range ranges[] = {TDI_ABOVE_0("mass", "kg", s->mass),
                                TDI_ABOVE_0("length", "m", s->length),
                                TDI_FROM_0_3("stiffness", "N m/rad", s->stiffness),
                                TDI_FROM_0_3("damping", "N m s/rad", s->damping),
                                TDI_BETWEEN("parent", NULL, s->parent, TD_NONE, index - 1)};
    const size_t count = sizeof ranges / sizeof *ranges;
    td_status status = tdi_check_ranges(ranges, count, NULL, index, NULL);
    if (status != TD_OK) { // there may be a million segments: only now is a text made
        char of[32];
        snprintf(of, sizeof of, "segment %d", (int)index);
        status = tdi_check_ranges(ranges, count, of, index, diag);
    }
    if (status == TD_OK && s->joint == TD_JOINT_FREE && s->parent != TD_NONE) {
        status = tdi_fail_at(diag, TD_ERR_ARGUMENT, index,
                             "segment %d: joint is free, so it cannot have the parent %d",
                             (int)index, (int)s->parent);
    }
    return status;
}
