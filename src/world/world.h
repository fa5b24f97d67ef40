// SPDX-License-Identifier: MIT
#pragma once

// A world: objects, their variants and actors, and what acts on them.
//
// Frames   An actor is simulated about a base of its own, which is the true base unless the scene
//          says that less of the base's motion is to be felt. Then gravity, wind and places are
//          taken to the simulated frame before a step and poses back to the true one.

#include "world/activity.h"
#include "world/actor.h"
#include "world/constraint.h"
#include "world/island.h"
#include "world/load.h"
#include "world/motion.h"
#include "world/recording.h"
#include "world/segment_tree.h"

struct td_world {
    const td_alloc *alloc;
    tdi_arena arena; // owns all arrays below
    td_scene *scene; // its own copy
    td_pool *pool;
    td_pool *own_pool; // NULL: a program lent its own
    td_log log;
    uint32_t number;    // of the world, in its ids; no other world of the process has it
    bool restored;      // ids of the world that was saved count as well
    bool inside;        // its threads work within actors, one after the other
    td_real default_dt; // s: of a step of td_world_step()
    int32_t steps_a_frame;
    td_real dt;   // s: of the last step, and of the one that is under way
    int64_t step; // number of steps done
    // dt was last changed after so many, at this time
    int64_t step_from;
    td_real time_from;
    td_real before;  // s: when the last step began
    bool keys_press; // forces have keyframes
    tdi_variant *variants;
    int32_t variant_count;
    int32_t scene_variants; // of these: the scene's, which come first
    int32_t variant_capacity;
    tdi_kinship kin; // segments of different actors that were one piece
    tdi_object *objects;
    tdi_actor *actors;
    int32_t actor_count; // places
    int32_t made_count;  // the same and those in reserve, which come after them
    int32_t actor_capacity;
    int64_t segment_count; // of all that were made
    int64_t segment_limit;
    bool fixed_room;   // steps never allocate
    bool adaptable;    // every tree with an implicit integrator may be reduced later
    bool hold_blocked; // what cannot be solved is held, and all others go on
    bool regroup;      // others act than in the last step
    bool sleeps;       // the scene or a program has let actors sleep
    td_contact *slept; // contacts of actors that sleep, island after island
    int32_t slept_count, slept_capacity;
    tdi_island *islands; // every actor is in one
    int32_t island_count;
    int32_t *active; // islands that are stepped
    int32_t active_count;
    tdi_member *members; // island after island
    int32_t member_count;
    int32_t *member_actor; // of a member
    tdi_nearness near;
    tdi_tie *ties;
    int32_t tie_count, tie_capacity; // places
    int32_t *tied;                   // of an actor: the first of its group, or itself
    int32_t *group_of;               // of an actor; TD_NONE: no constraint holds it
    int32_t *group_actor;            // group after group
    int32_t *group_member;           // its number in the island
    tdi_group *groups;
    int32_t group_count;
    tdi_collider_slot *collider_slots;
    int32_t collider_count; // places
    int32_t collider_capacity;
    td_collider *colliders;              // enabled colliders, in the order of the scene
    tdi_collider_label *collider_labels; // theirs
    int32_t *collider_slot;              // of such a one in the last step: its place
    int32_t enabled_colliders;
    tdi_spot *probe_spots;
    tdi_world_wind *winds;
    char *scratch; // of islands that are being solved, a piece for each thread
    char *began;   // room for where islands began whose step is taken in halves
    size_t began_bytes;
    int32_t wind_count;
    tdi_segment_tree segment_tree; // for queries
    char (*probe_names)[96];
    int32_t probe_columns;
    tdi_grab grab;
    tdi_watch watch;
    tdi_hand *hands;
    int32_t hand_count, hand_capacity; // places
    tdi_parameter *parameters;         // all numbers of the scene that can change
    int32_t parameter_count;
    uint64_t shape;  // of the actors and parameters, mixed: tells saves apart
    bool has_fields; // of the scene's
    td_force_field field;
    void *field_context;
    td_step_callback callback;
    void *callback_context;
};

// The arena of a variant, and of an actor.
static inline tdi_arena *tdi_variant_arena(td_world *world, tdi_variant *variant) {
    return variant->own ? &variant->arena : &world->arena;
}

static inline tdi_arena *tdi_actor_arena(td_world *world, const tdi_actor *actor) {
    return tdi_variant_arena(world, &world->variants[actor->variant]);
}

// Whether others can touch it.
static inline bool tdi_actor_acts(const tdi_actor *actor) {
    return actor->alive && actor->activity != TDI_DISABLED;
}

// Whether an id with the number of this world may be one of its own.
static inline bool tdi_world_gave(const td_world *world, uint32_t number) {
    return number == world->number || world->restored;
}

static inline bool tdi_tie_is_added(const td_world *world, int32_t constraint) {
    return constraint >= world->scene->def.constraint_count;
}

// ---- functions ------------------------------------------------------------------------------

// world.c
// Sets the numbers that keyframes move to t1, or to their mean in the step from t0 where they jump.
void tdi_world_set_keyed(td_world *world, td_real t0, td_real t1);
td_real tdi_world_time_after(const td_world *world, int64_t steps);
// Room for the forces of a field from outside, and for as many loads.
td_status tdi_actor_make_field(td_world *world, tdi_actor *actor);

// stepping.c: td_world_step()
// What a step takes from the scene, besides loads, for an actor.
td_step_opts tdi_actor_step_opts(const td_world *world, const tdi_actor *actor);
// Room for steps to be undone; and of that the room for actors and constraints of these groups.
td_status tdi_world_reserve(td_world *world);
td_status tdi_world_reserve_began(td_world *world, const tdi_group *groups, int32_t count);

// rest.c: all actors that are to start at rest go there, on the colliders and on each other.
td_status tdi_world_settle(td_world *world, td_diag_list *diags);
// One that starts at rest goes there alone, without contact.
td_status tdi_actor_settle(td_world *world, tdi_actor *actor, td_diag *diag);
