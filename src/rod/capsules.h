// SPDX-License-Identifier: MIT
#pragma once

// The capsules that edges and welded bodies of rods are to others.

#include "rod/implicit.h"

// Whether a node's edge is a capsule.
bool tdi_rod_has_capsule(const tdi_rod_node *node);

// Functions of tdi_implicit; `body` is a tdi_rod_state.
void tdi_rod_capsules(const void *body, tdi_capsule *capsules);
bool tdi_rod_apart(const void *body, int32_t i, int32_t j);
td_real tdi_rod_force(const void *body, const td_step_opts *opts, td_real gap, td_real h);
