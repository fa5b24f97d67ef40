// SPDX-License-Identifier: MIT
#pragma once

// An expression by itself, in the language of plants: numbers, given names, + - * / % ^,
// comparisons,
// && || !, a ? b : c, and functions of numbers. Angles are in degrees.

#include "tendril/grammar.h"

#define TDI_EXPRESSION_SIZE 1000 // bytes of a text at most

typedef struct tdi_expression tdi_expression; // safe to read from any thread

// `names` are those that it may use. On failure *diag has line 1 and the column in the text,
// from 1.
td_status tdi_expression_new(const char *text, const char *const *names, int32_t name_count,
                             const td_alloc *alloc, tdi_expression **out, td_diag *diag);
void tdi_expression_free(tdi_expression *expression); // NULL is allowed

// Its value, for one value a name; takes no memory. TD_ERR_EVAL where it has none, such as after a
// division by zero, with the column in *diag.
td_status tdi_expression_value(const tdi_expression *expression, double *values, double *value,
                               td_diag *diag);
