// SPDX-License-Identifier: MIT
#pragma once

// Explicit integrators of the solvers, as published. body/solvers.c puts them beside the solvers,
// which know nothing of them.

#include "solver/solver.h"
#include "tendril/adapt.h"
#include "tendril/analytic.h"

extern const tdi_explicit_ops tdi_explicit_tree, tdi_explicit_reduced, tdi_explicit_rod,
    tdi_explicit_helix;

// ---- for worlds -----------------------------------------------------------------------------

// td_analytic_new() with room for contact by these options; NULL: none.
td_status tdi_analytic_new(td_body *const *states, int32_t count, const td_constraint *constraints,
                           int32_t constraint_count, const td_contact_opts *contact,
                           const td_alloc *alloc, td_analytic **out, td_diag *diag);
// The target from which the next one is reached.
void tdi_analytic_start_target(td_analytic *analytic, int32_t constraint,
                               const td_constraint_target *target);
// Of the last step, with the numbers of states as actors: fills at most `capacity`.
int32_t tdi_analytic_contacts(const td_analytic *analytic, td_contact *contacts, int32_t capacity);

// td_adapt_new() of any state that is a tree inside, such as a reduced one.
td_status tdi_adapt_new(void *tree, const td_adapt_opts *opts, const td_alloc *alloc,
                        td_adapt **out, td_diag *diag);
// Bytes of a save, of what steps a tree of this model.
size_t tdi_adapt_save_size(const void *tree_model);
