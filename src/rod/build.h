// SPDX-License-Identifier: MIT
#pragma once

// Making models: memory, and what follows from the nodes.

#include "rod/model.h"

// Below this 1 + cos of the angle between two edges, one is folded back on the other.
#define TDI_FOLDED 1e-4

// An empty model with room for so many; the counts are set, rings begin at `ring_shift`.
typedef struct tdi_rod_sizes {
    int32_t nodes, edges, parts, welds, rods, vertices, ring_nodes, couples;
} tdi_rod_sizes;
td_rod_model *tdi_rod_model_room(const tdi_rod_sizes *sizes, const td_alloc *alloc);

// Adds the mass of an edge: uniform along it, or with given first and second moments along it over
// its length.
void tdi_rod_add_mass(td_rod_model *model, int32_t node, td_real mass, td_real first,
                      td_real second);

// A node with its edge and joint that is to be: flags, parent, grandparent.
void tdi_rod_link(td_rod_model *model, int32_t node, int32_t parent, uint32_t flags);

// Parts, degrees of freedom, and how heavy nodes are.
void tdi_rod_finish(td_rod_model *model);
