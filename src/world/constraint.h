// SPDX-License-Identifier: MIT
#pragma once

// Constraints of the scene and of programs, and the groups of actors that they join.

#include "world/island.h"

// The place of a constraint: those of the scene come first, then added constraints, which are those
// of a program.
typedef struct tdi_constraint_slot {
    uint32_t generation; // of an added constraint: how often its place was taken
    bool alive;
    td_constraint def; // of an added constraint: with actors of the world, no name, no curve
    char name[64];
    int32_t actor[2];      // TD_NONE: the world
    int32_t segment;       // of side a, as the solver names it,
    td_vec3 point;         // and its point
    int32_t group, number; // whose set it is in, and its number there; TD_NONE: none yet
    td_joint_kind joint;   // of a constraint of a joint
    td_vec3 axis;          // of a hinge, unit, in the axes of side a
    tdi_transform from;    // where side a was when the constraint began
    bool begun;            // it has
    bool released;         // a program has released it: td_world_set_hold()
    bool renewed;          // while groups form: its segments have other numbers
    uint64_t digest;       // of its data in the last step
    struct {
        td_constraint_target target;
        bool enabled;
    } before; // the step: its target, and whether it was enabled
    td_constraint_history past;
} tdi_constraint_slot;

// Actors that constraints join.
typedef struct tdi_group {
    int32_t first, count;            // of the world's group_actor
    tdi_constraint_set *constraints; // of implicit steps and statics
    td_analytic *analytic;           // of explicit steps; NULL: its actors step implicitly
    td_step_opts *opts;              // an actor
    char *memory;                    // where an explicit step began
} tdi_group;

// All constraints, and the groups that they form: constraint_groups.c.
typedef struct tdi_world_constraints {
    tdi_constraint_slot *slots;
    int32_t slot_count, slot_capacity; // places
    int32_t *root;                     // of an actor: the first of its group, or itself
    int32_t *group_of;                 // of an actor; TD_NONE: no constraint holds it
    int32_t *group_actor;              // group after group
    int32_t *group_member;             // its number in the island
    tdi_group *groups;
    int32_t group_count;
} tdi_world_constraints;

// ---- functions ------------------------------------------------------------------------------

// constraints.c: constraints and their groups, of actors as drawn.
td_status tdi_world_make_constraints(td_world *world, td_diag_list *diags);

// constraint_groups.c: groups of all constraints that are alive, with their definitions, one a
// slot. What fails changes nothing.
td_status tdi_world_form_groups(td_world *world, const td_constraint *all, td_diag *diag);
void tdi_world_free_groups(td_world *world);
// Relations of constraints that couple an actor to others or to itself.
int32_t tdi_world_relations(const td_world *world, int32_t actor);

// attach.c: constraints that are added and removed, and actors that are carried.
// Removes the added constraints of an actor (TD_NONE: none), and adds `next` (NULL: none), whose
// number is *constraint. All or nothing.
td_status tdi_world_replace_constraint(td_world *world, int32_t actor, const td_constraint *next,
                                       int32_t *constraint, td_diag *diag);
// Removes all added constraints of an actor, and detaches the actors that it carries.
td_status tdi_world_detach_all(td_world *world, int32_t actor, td_diag *diag);
// Takes the added constraints of a save.
td_status tdi_world_restore_constraints(td_world *world, td_diag *diag);
// Sets the places of carried actors for the step that begins.
void tdi_world_carry(td_world *world);

// explicit_constraints.c: constraints of groups that explicit integrators step.
// Of a group whose constraints these are, with actors numbered within it.
td_status tdi_group_make_explicit(td_world *world, tdi_group *group, const td_constraint *own,
                                  int32_t count, td_diag *diag);
// Contact with colliders of an actor that an explicit integrator steps, if it has any.
td_status tdi_actor_make_explicit_contact(const td_world *world, tdi_actor *actor, td_diag *diag);
void tdi_actor_free_explicit_contact(tdi_actor *actor);
// Contacts of the island in its last step: fills at most `capacity`, returns how many.
int32_t tdi_island_explicit_contacts(const td_world *world, const tdi_island *island,
                                     td_contact *contacts, int32_t capacity);
// An island by an explicit integrator: an actor alone, or a group; and back to where it began.
void tdi_island_step_explicitly(td_world *world, tdi_island *island);
void tdi_island_undo_explicitly(td_world *world, tdi_island *island);

// constraint_steps.c
// The target of a constraint as the scene has it now.
td_constraint_target tdi_constraint_target_now(const td_world *world, int32_t constraint);
// The frame of a segment at a point of it; and that of side a of a constraint.
tdi_transform tdi_anchor_pose(const td_world *world, int32_t actor, int32_t segment, td_vec3 point);
tdi_transform tdi_constraint_pose(const td_world *world, const tdi_constraint_slot *slot);
// J: stored in a spring, with its target as the scene has it now; 0 of other kinds.
td_real tdi_constraint_energy(const td_world *world, int32_t constraint);
// Whether it acts in a step that begins at `time`, unless it is broken.
bool tdi_constraint_acts(const td_world *world, int32_t constraint, td_real time);
// Before a step that begins at `time`: targets of constraints, and which of them act.
void tdi_world_set_constraints(td_world *world, td_real time);
// After a step that failed, when its islands are undone.
void tdi_world_undo_constraints(td_world *world);
// After a step: updates histories of constraints, and begins constraints that act from the next
// step on.
void tdi_world_note_constraints(td_world *world);
