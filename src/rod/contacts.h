// SPDX-License-Identifier: MIT
#pragma once

// Rods that are solved together because they may touch.

#include "contact/contact.h"
#include "rod/terms.h"

// States that are stepped together, each by its own potential; contacts may be NULL.
typedef struct tdi_rod_system {
    td_rod_state *const *state;
    tdi_rod_potential *potential;
    int32_t count;
    td_rod_contacts *contacts;
} tdi_rod_system;

struct td_rod_contacts {
    const td_alloc *alloc;
    size_t bytes;
    tdi_contacts *set;
    td_contact_opts opts;
    int32_t state_count, point_count, capsule_count, ring_nodes;
    int32_t collider_count;
    const td_rod_model **model; // of each state
    tdi_rod_potential *potential;
    int32_t *first;      // point of the first node of a state; and one past all
    int32_t *first_ring; // likewise of the nodes of rings
    int32_t *capsule_state, *capsule_node;
    td_vec3 *x, *dx, *star; // points: now, increments, where velocities are taken from
    td_real time;           // 0..1: how far colliders have come in the step
    bool driven;            // something held is not yet where it shall be
    td_real force;          // N, of the barrier
    tdi_contact_rule rule;
    tdi_rod_work *saved; // blocks before elimination
    td_real (*saved_border)[4][8];
    td_real (*residual)[4], (*direction)[4], (*image)[4], (*plain)[4],
        (*solved)[4]; // of conjugate gradients
};

// A step begins: colliders, the rule, and the forces of friction as the poses are now.
td_status tdi_rod_contacts_begin(const tdi_rod_system *system, const td_collider *colliders,
                                 int32_t collider_count, td_real dt, td_real h, td_diag *diag);
// How much of the way from pose_back to pose may be taken at once, straight on; that way becomes
// the increments.
td_status tdi_rod_contacts_filter(const tdi_rod_system *system, td_real *part, td_diag *diag);
// The increments were taken in part: colliders come along.
void tdi_rod_contacts_advance(const tdi_rod_system *system, td_real part);
// Evaluates at the poses, adds the gradient and all that stays within capsules to the nodes.
td_status tdi_rod_contacts_terms(const tdi_rod_system *system, bool *coupled, td_diag *diag);
td_real tdi_rod_contacts_value(const tdi_rod_system *system);
// Whether the increments leave all forces of contact nearly as they were last evaluated.
bool tdi_rod_contacts_calm(const tdi_rod_system *system);
// Keeps the blocks, as they are before elimination.
void tdi_rod_contacts_save(const tdi_rod_system *system);
// Solves for the increments x with what couples capsules, after the elimination of all states:
// gives -r.x, with the gradient r.
td_real tdi_rod_contacts_solve(const tdi_rod_system *system);
// Whether colliders and all that is held have come to where they shall be.
bool tdi_rod_contacts_arrived(const tdi_rod_system *system);
// After a step: the barrier is made stronger where gaps became small.
void tdi_rod_contacts_end(const tdi_rod_system *system);
