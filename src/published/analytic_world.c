// SPDX-License-Identifier: MIT
// What worlds need of constraints and contact of explicit steps besides tendril/analytic.h.

#include "published/analytic.h"
#include "published/explicit.h"

#define CONTACT_ROWS 192 // at most

// Rows for contact: three a touch, and each of the two ends of a capsule touches two colliders, up
// to a bound, since the matrix is dense.
static int32_t contact_rows(td_body *const *states, int32_t count) {
    int64_t rows = 0;
    for (int32_t k = 0; k < count; k++) {
        rows += 3 * 2 * 2 * (int64_t)states[k]->capsule_count;
    }
    return (int32_t)(rows < CONTACT_ROWS ? rows : CONTACT_ROWS);
}

td_status tdi_analytic_new(td_body *const *states, int32_t count, const td_constraint *constraints,
                           int32_t constraint_count, const td_contact_opts *contact,
                           const td_alloc *alloc, td_analytic **out, td_diag *diag) {
    td_analytic_opts opts = td_analytic_opts_default();
    opts.row_limit = TDI_ANALYTIC_ROWS * constraint_count;
    if (contact) {
        opts.law = contact->law;
        opts.row_limit += contact_rows(states, count);
    }
    opts.row_limit = opts.row_limit > 0 ? opts.row_limit : 1;
    return td_analytic_new(states, count, constraints, constraint_count, &opts, alloc, out, diag);
}

void tdi_analytic_start_target(td_analytic *a, int32_t k, const td_constraint_target *target) {
    a->hold[k].target = a->hold[k].target_start = *target;
}

int32_t tdi_analytic_contacts(const td_analytic *a, td_contact *contacts, int32_t capacity) {
    for (int32_t k = 0; k < a->contact_count && k < capacity; k++) {
        const td_analytic_contact c = a->contact[k].told;
        contacts[k] = (td_contact){.actor = c.state,
                                   .segment = c.segment,
                                   .other_actor = TD_NONE,
                                   .other = c.collider,
                                   .point = c.point,
                                   .normal = c.normal,
                                   .force = c.force,
                                   .gap = c.gap};
    }
    return a->contact_count;
}
