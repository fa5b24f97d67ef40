// SPDX-License-Identifier: MIT
// Constraints and contact of explicit steps as a world asks for them: the functions of analytic.h.

#include "published/analytic.h"
#include "published/explicit.h"

#define CONTACT_ROWS 192 // at most

// Rows for contact: three a touch, and each of the two ends of a capsule touches two colliders, up
// to a bound, since the matrix is dense.
static int32_t contact_rows(void *const *states, int32_t count) {
    int64_t rows = 0;
    for (int32_t k = 0; k < count; k++) {
        const tdi_tree_state *s = states[k];
        rows += 3 * 2 * 2 * (int64_t)s->model->capsule_count;
    }
    return (int32_t)(rows < CONTACT_ROWS ? rows : CONTACT_ROWS);
}

static td_status make(void *const *states, int32_t count, const td_constraint *constraints,
                      int32_t constraint_count, const td_contact_opts *contact,
                      const td_alloc *alloc, void **held, td_diag *diag) {
    td_analytic_opts opts = td_analytic_opts_default();
    td_analytic *analytic = NULL;
    opts.row_limit = TDI_ANALYTIC_ROWS * constraint_count;
    if (contact) {
        opts.law = contact->law;
        opts.row_limit += contact_rows(states, count);
    }
    opts.row_limit = opts.row_limit > 0 ? opts.row_limit : 1;
    td_status status = td_analytic_new((td_body *const *)states, count, constraints,
                                       constraint_count, &opts, alloc, &analytic, diag);
    *held = analytic;
    return status;
}

static void free_all(void *held) {
    td_analytic_free(held);
}

static void set_target(void *held, int32_t k, const td_constraint_target *target, bool starts) {
    tdi_analytic_hold *h = &((td_analytic *)held)->hold[k];
    h->target = *target;
    h->target_start = starts ? *target : h->target_start;
}

static void set_hold(void *held, int32_t k, bool hold) {
    td_analytic_set_hold(held, k, hold, NULL);
}

static td_status step(void *held, const td_step_opts *opts, const td_collider *colliders,
                      int32_t collider_count, td_step_stats *stats, td_diag *diag) {
    return td_analytic_step(held, opts, colliders, collider_count, stats, diag);
}

static int32_t contacts_of(const void *held, td_contact *contacts, int32_t capacity) {
    const td_analytic *a = held;
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

static td_constraint_report report(const void *held, int32_t k) {
    return td_analytic_constraint(held, k);
}

static size_t save(const void *held, void *bytes) {
    td_analytic_save(held, bytes);
    return td_analytic_save_size(held);
}

static void restore(void *held, const void *bytes) {
    td_analytic_restore(held, bytes, td_analytic_save_size(held), NULL);
}

const tdi_explicit_constraints tdi_analytic_constraints = {
    .make = make,
    .free = free_all,
    .set_target = set_target,
    .set_hold = set_hold,
    .step = step,
    .contacts = contacts_of,
    .report = report,
    .save = save,
    .restore = restore,
};
