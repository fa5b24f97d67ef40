// SPDX-License-Identifier: MIT
#pragma once

// Symmetric matrices made positive, where a Hessian is not.

#include "tree/model.h"

// The positive part of a symmetric matrix.
td_sym3 tdi_positive_part(td_sym3 matrix);
// Makes the Hessian of what a joint carries positive definite.
void tdi_raise_block(tdi_block *block);
