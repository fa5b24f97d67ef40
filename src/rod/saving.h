// SPDX-License-Identifier: MIT
#pragma once

// What is saved of a state.

#include "rod/model.h"

// Functions of tdi_implicit; `body` is a tdi_rod_state.
int32_t tdi_rod_saved(void *body, tdi_saving what, tdi_span spans[TDI_SPANS]);
void tdi_rod_move_pose(tdi_rod_pose *pose, const tdi_rigid *motion);
void tdi_rod_transform(void *body, const tdi_rigid *motion);
void tdi_rod_restored(void *body);
