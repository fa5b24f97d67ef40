// SPDX-License-Identifier: MIT
#pragma once

// Contact of a tree with colliders, for Newton's method on the incremental potential.
//
// Colliders and the base go from where they are when a step begins to where they are when it ends:
// `time` 0..1 says how far they are. While it is below 1 there are increments that take them along.

#include "contact/contact.h"
#include "tree/load.h"

struct td_tree_contacts {
    const td_alloc *alloc;
    size_t bytes; // of this block and all it points to, which are one
    tdi_contacts *set;
    const td_tree_model *model;
    td_contact_opts opts;
    int32_t collider_limit;
    int32_t capsule_count; // 0: nothing of the tree can touch anything
    int32_t *body;         // of a capsule
    td_vec3 *own;          // a point, two a capsule: its place in the axes of its body
    td_vec3 *x, *now, *dx; // a point: where increments begin, where the pose is, from one to the
                           // other
    td_vec3 *star;         // a point: where the rule takes velocities from
    td_real dt;            // s, of the step
    tdi_base_motion base;  // where it begins
    td_real time;
    td_real force; // N, of the barrier: all that a step leaves for the next
    tdi_contact_rule rule;
    td_diag fault; // of the last step
};

// Checks what the options say of contact, and whether it goes with this model.
td_status tdi_tree_contacts_check(const td_tree_model *model, const td_step_opts *opts,
                                  td_diag *diag);
// Contacts that a step with these options has, or NULL.
td_tree_contacts *tdi_tree_contacts_of(const td_step_opts *opts);

// A step begins at the state's pose, with h of the rule and `star` set. Statuses of this and of the
// functions below come with c->fault.
td_status tdi_tree_contacts_begin(td_tree_contacts *c, const td_tree_state *state,
                                  const td_step_opts *opts, td_real h);
// Whether all the way to a first guess is free, to which the pose and the base have been moved.
bool tdi_tree_contacts_guess(td_tree_contacts *c, const td_tree_state *state);
// Puts the base where it is at a time.
void tdi_tree_contacts_base(const td_tree_contacts *c, td_tree_state *state, td_real time);
// How the base moves from now to the end of the step.
tdi_twist tdi_tree_contacts_base_left(const td_tree_contacts *c, td_tree_state *state);

// Evaluates contacts at the pose; `exact` as in tdi_contact_rule. With `carry` forces foresee all
// that colliders have left to go.
td_status tdi_tree_contacts_evaluate(td_tree_contacts *c, const td_tree_state *state, bool exact,
                                     bool carry);
bool tdi_tree_contacts_any(const td_tree_contacts *c); // whether there were any
// Adds gradient and Hessian of what was evaluated to the nodes, before a sweep.
void tdi_tree_contacts_expand(const td_tree_contacts *c, td_tree_state *state);
// Value at a pose that was evaluated or to which the way is free.
td_real tdi_tree_contacts_value(td_tree_contacts *c, const td_tree_state *state);

// Increments begin at the pose.
void tdi_tree_contacts_keep(td_tree_contacts *c, const td_tree_state *state);
// How much of the way from there straight to the pose is free, 0..1, while colliders go from where
// they are to `time`.
td_real tdi_tree_contacts_way(td_tree_contacts *c, const td_tree_state *state, td_real time);
// The least gap at the pose that was evaluated or looked at last, with colliders at `time`, over
// its range; 1: nothing is nearer than that.
td_real tdi_tree_contacts_room(const td_tree_contacts *c, td_real time);

// After a step: the barrier is made stronger where gaps became small, and weaker where they did
// not.
void tdi_tree_contacts_end(td_tree_contacts *c, const td_tree_state *state, td_vec3 gravity);
