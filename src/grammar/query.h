// SPDX-License-Identifier: MIT
#pragma once

// The modules ?P ?H ?L ?U ?E, filled by the turtle after each step.

#include "grammar/model.h"

// `params` are those of the string, to be written.
td_status tdi_query_fill(const td_grammar *grammar, const td_string *string, double *params,
                         int32_t step, const td_environment *environment, const td_alloc *alloc,
                         td_diag *diag);
