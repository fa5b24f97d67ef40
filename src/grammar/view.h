// SPDX-License-Identifier: MIT
#pragma once

// View files: what cpfg keeps beside a model, read before the model, whose own header comes later
// and so wins.

#include "grammar/parser.h"

// Adds the view file and the colours that belong to the model to g->source: those that the
// definition names, those of a `specifications` file beside the model, or the file with the model's
// name and the suffix .v. *view is TD_NONE when there is none.
td_status tdi_view_open(td_grammar *g, const td_grammar_def *def, int32_t *view, int32_t *colors,
                        td_diag_list *diags);

// Reads the colours. Faults go to `diags`.
td_status tdi_view_colors(td_grammar *g, int32_t file, td_diag_list *diags);

// Reads the items of the processed text up to `end`. Faults are in the parser.
void tdi_view_read(tdi_parser *p, size_t end);
