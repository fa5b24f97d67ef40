// SPDX-License-Identifier: MIT
#pragma once
#include "math/quat.h"
#include "tendril/constraint.h"
// "constraint 'swing'", or "constraint 3"
void tdi_constraint_name(const td_constraint *c, int32_t number, char text[80]);
bool tdi_constraint_of_joint(td_constraint_kind kind);
