// SPDX-License-Identifier: MIT
#pragma once

// Making models: memory, and what follows from the nodes.

#include "rod/model.h"

// Below this 1 + cos of the angle between two edges, one is folded back on the other.
#define TDI_FOLDED 1e-4

// An empty model with room for so many; the counts are set, rings begin at `ring_shift`.
typedef struct tdi_rod_sizes {
    int32_t nodes, edges, parts, welds, rods, vertices, ring_nodes, rest_frames, solids;
} tdi_rod_sizes;
tdi_rod_model *tdi_rod_model_room(const tdi_rod_sizes *sizes, const td_alloc *alloc);

// An edge of a chain.
typedef struct tdi_chain_edge {
    td_real length, stretch, damping_time, inertia, radius; // as those of a node
    td_real mass, first, second;                            // see tdi_rod_add_mass()
    td_vec3 area;
    tdi_edge start; // as it lies at time 0
} tdi_chain_edge;

typedef struct tdi_chain_joint {
    tdi_joint_law law;
    td_real start_twist;
} tdi_chain_joint;

// One rod that is worked out. Joint j is that at the start of edge j: joint 0 is with a clamp, with
// another rod, or closes a ring; the last, one more than there are edges, is with a clamp at the
// end. Clamps are turned against their neighbours by the twist of their joints.
typedef struct tdi_rod_chain {
    int32_t vertex_count, edge_count;
    bool closed;
    td_end_kind start, end;
    int32_t parent_rod, parent_vertex; // see td_rod_def
    const td_vec3 *points;             // m, at time 0
    tdi_chain_edge *edges;
    tdi_chain_joint *joints;
} tdi_rod_chain;

// chain.c
// Room for edges and joints, by the counts.
td_status tdi_rod_chains_new(tdi_rod_chain *chains, int32_t count, const td_alloc *alloc);
void tdi_rod_chains_free(tdi_rod_chain *chains, int32_t count, const td_alloc *alloc);
// The length that a joint stands for, half of each edge, and all of them together.
td_real tdi_joint_length(const tdi_rod_chain *chain, int32_t joint);
td_real tdi_twisted_length(const tdi_rod_chain *chain);
td_status tdi_rod_model_of(const tdi_rod_chain *chains, int32_t count, const td_rod_body *bodies,
                           int32_t body_count, int32_t solid_count, const td_alloc *alloc,
                           tdi_rod_model **out, td_diag *diag);

// strand.c
// Rods of a skeleton whose stems are all parts of strands, an edge a stem in their order; segments
// with fixed joints on them are welded to their edges.
td_status tdi_rod_model_from_skeleton(const td_skeleton *skeleton, const td_alloc *alloc,
                                      tdi_rod_model **out, td_diag *diag);
td_status tdi_rod_model_of_strands(const td_skeleton *skeleton, const td_alloc *alloc,
                                   tdi_rod_model **out, td_diag *diag);

// build.c
// Adds the mass of an edge: uniform along it, or with given first and second moments along it over
// its length.
void tdi_rod_add_mass(tdi_rod_model *model, int32_t node, td_real mass, td_real first,
                      td_real second);

// A node with its edge and joint that is to be: flags, parent, grandparent.
void tdi_rod_link(tdi_rod_model *model, int32_t node, int32_t parent, uint32_t flags);

// Parts, degrees of freedom, and how heavy nodes are.
void tdi_rod_finish(tdi_rod_model *model);
