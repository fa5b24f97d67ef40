// SPDX-License-Identifier: MIT
#pragma once

// Islands: actors that are solved together, the colliders of a step, and the memory for both.

#include "base/blocks.h"
#include "world/actor.h"

// Actors that are near each other in a step, which are stepped together. Islands share nothing that
// moves, so that threads can take them in any order.
typedef struct tdi_island {
    int32_t first, count;            // of the world's members
    tdi_body_contact *contact;       // NULL: nothing touches
    tdi_constraint_set *constraints; // constraints of its groups; NULL: none
    bool pending;                    // it is to be solved, or solved again with more room
    bool converged;                  // the step was solved
    bool accepted;                   // and accepted
    tdi_activity activity;           // of its actors
    bool truncated;                  // its budget was spent; the last pose is taken
    bool late;                       // the time of the step was spent before its turn
    td_real energy;                  // J: with all kinds, when such a step began
    tdi_budget budget;
    void *memory; // where a step began that was taken in halves; NULL: it was not
} tdi_island;

// Whether its last step was solved, or would have been.
static inline bool tdi_island_is_solved(const tdi_island *island) {
    return island->activity != TDI_ASLEEP && island->activity != TDI_BLOCKED;
}

// All of them: islands.c.
typedef struct tdi_islands {
    tdi_island *all; // every actor is in one
    int32_t count;
    int32_t *active; // indices of the islands that are stepped
    int32_t active_count;
    tdi_member *members; // island after island
    int32_t member_count;
    int32_t *member_actor; // of a member
    bool regroup;          // others act than in the last step
} tdi_islands;

// How actors are grouped: by pairs of capsules that come near each other in a step.
typedef struct tdi_nearness {
    tdi_contacts *set;    // of all actors that touch; NULL: none does
    int32_t *first_point; // of an actor, and one past all
    int32_t *owner;       // of a capsule: its actor
    char *set_room;       // where the set is
    size_t set_bytes;
    td_vec3 *x, *next; // a point: where the step begins, and where it ends
    td_vec3 *dx;       // between them
    td_vec3 *last;     // a point: how far it went in the last step
    bool placed;       // x is where all points are
    bool shared;       // a program has access to a state, and may move it between steps
    tdi_capsule *capsule;
    int32_t capsule_count;      // in the set
    int32_t *root;              // of an actor: another of its island, or itself
    int32_t *place;             // of an actor: its number among the members
    int32_t *before;            // of an actor: the first of its island in the last step
    int32_t *before_count;      // of the first of an island: how many it had then
    tdi_blocks blocks;          // memory for contact of islands
    tdi_body_contact **contact; // of the first of an island: its contact, in such a block; or NULL
    size_t lacks;               // bytes of all blocks that were not found; 0: there were enough
    int64_t placed_count;       // how often contact of an island was placed
    char *trial; // room for contact of one actor, to ask whether something is in its way
    size_t trial_bytes;
    int64_t point_capacity, capsule_capacity;
    int32_t pairs;     // limit of near pairs, a segment
    int32_t set_pairs; // that the set has room for
} tdi_nearness;

// A collider: one of the scene's, which come first, or one that a program has added.
typedef struct tdi_collider_slot {
    uint32_t generation; // how often its place was taken
    bool alive, enabled;
    bool own_pose;   // a program says where it goes: to `next`
    td_collider now; // where it is, and was when the step began
    tdi_transform next;
} tdi_collider_slot;

// All colliders, and the enabled ones that steps use: colliders.c.
typedef struct tdi_world_colliders {
    tdi_collider_slot *slots;
    int32_t count; // places
    int32_t capacity;
    td_collider *enabled;       // enabled colliders, in the order of the scene
    tdi_collider_label *labels; // theirs
    int32_t *slot;              // of such a one in the last step: its place
    int32_t enabled_count;
} tdi_world_colliders;

// What steps need to begin anew: stepping.c.
typedef struct tdi_step_memory {
    char *scratch; // of islands that are being solved, a piece for each thread
    char *began;   // room for where islands began whose step is taken in halves
    size_t began_bytes;
} tdi_step_memory;

// ---- functions ------------------------------------------------------------------------------

// room.c: arrays that grow with actors and colliders.
// For so many actors.
td_status tdi_world_actor_room(td_world *world, int64_t count);
// For contact of all actors that were made; see also tdi_world_reserve().
td_status tdi_world_step_room(td_world *world, td_diag *diag);
// Whether a search, or an island that failed, reached the limit of pairs, and that may be raised.
bool tdi_world_reached_limit(const td_world *world);
// After a search for pairs of all actors ran out of room for them: whether it has more.
bool tdi_world_grow_pairs(td_world *world);
// More blocks for contact of islands. False: there are none.
bool tdi_world_grow_blocks(td_world *world);
// Whether contact of an island ran out of room, and may have more.
bool tdi_island_lacks_room(const td_world *world, const tdi_island *island);
// Whether contact of an island ran out of room, and must not have more: the step fails.
bool tdi_island_needs_growth(const td_world *world, const tdi_island *island);
// Adds to a message of a failed step how a world that must not grow gets more room.
void tdi_world_advise_room(const td_world *world, td_status status, td_diag *diag);
// More room for contact of pending islands, which ran out of it. That of all others stays.
td_status tdi_world_grow_pending(td_world *world, td_diag *diag);
// At most so many pairs a segment, more than before or less; when it fails, as many as before.
td_status tdi_world_limit_pairs(td_world *world, int32_t pairs, td_diag *diag);
// Room for contact of an actor that has none yet.
void tdi_actor_make_room(const td_world *world, tdi_actor *actor);
// Contact of all islands is placed anew by the next step.
void tdi_world_forget_contact(td_world *world);
// Where points of actors begin, from this one on.
void tdi_world_number_points(td_world *world, int32_t from);
td_status tdi_world_collider_room(td_world *world, int64_t count);
td_status tdi_world_constraint_room(td_world *world, int64_t count);

// colliders.c: colliders and how contact works.
td_status tdi_world_make_colliders(td_world *world, td_diag_list *diags);
void tdi_world_free_colliders(td_world *world); // the ground of height fields
// Refuses numbers that are not a pose.
td_status tdi_check_pose(td_vec3 position, td_quat rotation, td_diag *diag);
// Whether the scene lets things touch.
bool tdi_world_has_contact(const td_world *world);
td_contact_opts tdi_world_contact_opts(const td_world *world);
// Lists the enabled colliders at their current poses.
void tdi_world_gather_colliders(td_world *world);
tdi_collider_label tdi_world_collider_label(const td_world *world, int32_t place);
// Before a step: each collider moves from its pose to the one that the scene gives.
void tdi_world_move_colliders(td_world *world);
// After a failed step: back to the poses at its start.
void tdi_world_return_colliders(td_world *world);
// Colliders have no velocity at their current poses.
void tdi_world_stop_colliders(td_world *world);

// strand_check.c: refuses strands that would have too many pairs of segments near each other.
td_status tdi_world_check_crowds(const td_world *world, td_diag_list *diags);

// islands.c: groups actors that are stepped together.
td_status tdi_world_make_islands(td_world *world, td_diag_list *diags);
void tdi_world_free_islands(td_world *world);
// Searches for pairs include the present actors.
void tdi_world_follow_actors(td_world *world);
// Finds pairs of all actors that come near each other from n->x on the path dx; NULL: now.
td_status tdi_world_find_pairs(td_world *world, const td_vec3 *dx, td_diag *diag);
// The first capsule of an actor among those of all actors.
int32_t tdi_near_first(const tdi_nearness *near, int32_t actor);
// Groups the actors for a step that begins.
td_status tdi_world_find_islands(td_world *world, td_diag *diag);
// After the islands were solved: whether all stayed apart. If not, islands that came near each
// other are joined, and all have to be solved again from the start of the step.
td_status tdi_world_check_islands(td_world *world, bool *apart, td_diag *diag);
td_status tdi_world_join_islands(td_world *world, td_diag *diag);
// Moves contact of a pending island to another block. False: no block is large enough.
bool tdi_island_place_contact(td_world *world, tdi_island *island);
// Instead of joining islands, marks actors that came near others as over budget.
void tdi_world_mark_near(td_world *world);
// The points of an actor that fell asleep stay where they are.
void tdi_actor_freeze_points(td_world *world, int32_t actor);
// Records where the points of an island are after its solution, while its states are in the cache.
void tdi_island_record_positions(td_world *world, const tdi_island *island);
// After all were accepted: the next step begins where this one ended.
void tdi_world_accept_positions(td_world *world);
// An actor has come or gone, or was put elsewhere.
void tdi_world_regroup(td_world *world, int32_t actor);
// A collider was placed, or changed at once: the barrier must not throw objects near it.
void tdi_world_note_placed(td_world *world);
// Points were moved by something else than a step.
void tdi_world_forget_places(td_world *world);
tdi_system tdi_island_system(const td_world *world, const tdi_island *island);

// budget.c: what a step may cost.
bool tdi_world_is_bounded(const td_world *world);
bool tdi_world_holds(const td_world *world); // blocks what cannot be solved
// A step begins, and ends.
void tdi_world_begin_budget(td_world *world);
void tdi_world_end_budget(td_world *world);
// Lists the active islands from the first one on that lacked time in the last step.
void tdi_world_order_islands(td_world *world);
// Whether islands that come near others are blocked from now on, and not joined.
bool tdi_world_ends_rounds(const td_world *world);
// The budget of an island in this step; NULL: unlimited.
tdi_budget *tdi_island_begin_budget(const td_world *world, tdi_island *island);
// For an island that its budget did not suffice for, with bodies at the start of the step: takes an
// unsolved pose, or sets the status so that the island is blocked.
void tdi_island_truncate(td_world *world, tdi_island *island, const tdi_system *system);
// After that was accepted: limits the kinetic energy.
void tdi_island_limit_energy(td_world *world, const tdi_island *island);

// report.c: contacts of an island in the last step, at most `capacity`: how many there are.
int32_t tdi_island_contacts(const td_world *world, const tdi_island *island, td_contact *contacts,
                            int32_t capacity);
