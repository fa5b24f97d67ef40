// SPDX-License-Identifier: MIT
// From a model's text to a skeleton in one call.

#include "base/diag.h"
#include "base/guard.h"
#include "tendril/skeleton.h"

static td_status grow(const td_grammar *grammar, const td_alloc *alloc, td_skeleton **out,
                      td_diag *diag) {
    td_derivation *derivation = NULL;
    td_derive_opts derive = td_derive_opts_default();
    td_skeleton_opts opts = td_skeleton_opts_default();
    td_status status = td_derivation_new(grammar, &derive, alloc, &derivation, diag);
    for (int32_t i = 0; i < td_grammar_steps(grammar) && status == TD_OK; i++) {
        status = td_derivation_step(derivation, diag);
    }
    status = status == TD_OK ? td_derivation_end(derivation, diag) : status;
    if (status == TD_OK) {
        td_string string = td_derivation_string(derivation);
        status = td_skeleton_from_string(grammar, &string, &opts, alloc, out, diag);
    }
    td_derivation_free(derivation);
    return status;
}

td_status td_skeleton_from_text(const char *text, size_t size, const td_alloc *alloc,
                                td_skeleton **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out || (!text && size > 0));
    td_diag first = {.index = TD_NONE};
    td_diag_list faults = {&first, 1, 0};
    td_grammar *grammar = NULL;
    td_grammar_def def = td_grammar_def_default();
    def.text = text;
    def.text_size = size;
    td_status status = td_grammar_new(&def, alloc, &grammar, &faults);
    if (status != TD_OK) {
        if (faults.count == 0) {
            return tdi_fail(diag, status, "%s", td_status_text(status));
        }
        if (diag) {
            *diag = first;
        }
        return status;
    }
    status = grow(grammar, alloc, out, diag);
    td_grammar_free(grammar);
    return status;
}
