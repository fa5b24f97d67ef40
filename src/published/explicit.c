// SPDX-License-Identifier: MIT
// The tables of explicit integrators. Steps are in files of their own, so that a page can do
// without some of them (explicit_absent.c).

#include "published/explicit.h"

#include "published/helix.h"
#include "published/rod.h"
#include "published/tree.h"

const tdi_explicit_ops tdi_explicit_tree = {
    .integrators = 1u << TD_EULER | 1u << TD_RK4,
    .step = tdi_tree_explicit_step,
    .analytic = true,
};

const tdi_explicit_ops tdi_explicit_reduced = {
    .integrators = 1u << TD_EULER | 1u << TD_RK4,
    .step = tdi_reduced_explicit_step,
};

const tdi_explicit_ops tdi_explicit_rod = {
    .integrators = 1u << TD_EULER,
    .step = tdi_rod_explicit_step,
};

const tdi_explicit_ops tdi_explicit_helix = {
    .integrators = 1u << TD_EULER,
    .step = tdi_helix_explicit_step,
};
