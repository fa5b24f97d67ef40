// SPDX-License-Identifier: MIT
#pragma once

// Constraints of the scene and of programs, and the groups of actors that they join.

#include "world/island.h"

// A constraint: of the scene, which come first, or one that a program has added.
typedef struct tdi_tie {
    uint32_t generation; // of those that were added: how often its place was taken
    bool alive;
    td_constraint def; // of those that were added: with actors of the world, without name and curve
    char name[64];
    int32_t actor[2];      // TD_NONE: the world
    int32_t segment;       // of side a, as the solver names it,
    td_vec3 point;         // and its point
    int32_t group, number; // whose holds it is in, and where; TD_NONE: in none yet
    td_joint_kind joint;   // of a constraint of a joint
    td_vec3 axis;          // of a hinge, unit, in the axes of side a
    tdi_transform from;    // where side a was when the constraint began
    bool begun;            // it has
    bool loose;            // a program has let go
    bool renewed;          // while groups form: its segments have got other numbers
    uint64_t digest;       // of what it did in the last step
    struct {
        td_constraint_target target;
        bool asked;
    } before; // the step: its target, and whether it was to hold
    td_constraint_history past;
} tdi_tie;

// Actors that constraints join.
typedef struct tdi_group {
    int32_t first, count;                         // of the world's group_actor
    tdi_constraint_set *constraints;              // of implicit steps and statics
    const tdi_explicit_constraints *explicit_ops; // NULL: its actors step implicitly
    void *held;                                   // of those
    td_step_opts *opts;                           // an actor
    char *memory;                                 // where an explicit step began
} tdi_group;

// All constraints, and the groups that they form: groups.c.
typedef struct tdi_world_constraints {
    tdi_tie *ties;
    int32_t tie_count, tie_capacity; // places
    int32_t *tied;                   // of an actor: the first of its group, or itself
    int32_t *group_of;               // of an actor; TD_NONE: no constraint holds it
    int32_t *group_actor;            // group after group
    int32_t *group_member;           // its number in the island
    tdi_group *groups;
    int32_t group_count;
} tdi_world_constraints;

// ---- functions ------------------------------------------------------------------------------

// constraints.c: constraints and their groups, of actors as drawn.
td_status tdi_world_make_constraints(td_world *world, td_diag_list *diags);

// groups.c: groups of all ties that are alive, whose constraints these are, one a tie. What fails
// changes nothing.
td_status tdi_world_form_groups(td_world *world, const td_constraint *all, td_diag *diag);
void tdi_world_free_groups(td_world *world);
// Bonds that couple an actor to others or to itself.
int32_t tdi_world_relations(const td_world *world, int32_t actor);

// attach.c: constraints that come and go, and actors that are carried.
// Constraints that a program has added to an actor go, and another one comes, whose number is
// *tie: `actor` TD_NONE: none go; `next` NULL: none comes. All or nothing.
td_status tdi_world_retie(td_world *world, int32_t actor, const td_constraint *next, int32_t *tie,
                          td_diag *diag);
// All of an actor go, and it lets go of what it carries.
td_status tdi_world_untie(td_world *world, int32_t actor, td_diag *diag);
// Takes the constraints of a save, which follow those of the scene in `ties`.
td_status tdi_world_take_ties(td_world *world, td_diag *diag);
// Places of actors that are carried, in a step that begins; and as they were.
void tdi_world_carry(td_world *world);

// explicit_holds.c: constraints of groups that explicit integrators step.
// Of a group whose constraints these are, with actors numbered within it.
td_status tdi_group_make_explicit(td_world *world, tdi_group *group, const td_constraint *own,
                                  int32_t count, td_diag *diag);
// Contact with colliders of an actor that an explicit integrator steps, if it has any.
td_status tdi_actor_make_bumps(const td_world *world, tdi_actor *actor, td_diag *diag);
void tdi_actor_free_bumps(tdi_actor *actor);
// Contacts of the island in its last step: fills at most `capacity`, returns how many.
int32_t tdi_island_bumps(const td_world *world, const tdi_island *island, td_contact *contacts,
                         int32_t capacity);
// An island by an explicit integrator: an actor alone, or a group; and back to where it began.
void tdi_island_step_explicitly(td_world *world, tdi_island *island);
void tdi_island_undo_explicitly(td_world *world, tdi_island *island);

// holding.c
// Where the frame of the world of a constraint is by what the scene says now.
td_constraint_target tdi_world_target(const td_world *world, int32_t constraint);
// Where a point of a segment is, as constraints hold it; and side a of a constraint.
tdi_transform tdi_pin_pose(const td_world *world, int32_t actor, int32_t segment, td_vec3 point);
tdi_transform tdi_tie_pose(const td_world *world, const tdi_tie *tie);
// Whether it acts in a step that begins at `time`, unless it is broken.
bool tdi_tie_acts(const td_world *world, int32_t constraint, td_real time);
// Tells the solver which constraints act in a step that begins at `time`, and where to.
void tdi_world_set_holds(td_world *world, td_real time);
// After a step that failed, when its islands are undone.
void tdi_world_undo_holds(td_world *world);
// After a step: what constraints did, and those that begin with the next one.
void tdi_world_note_holds(td_world *world);
