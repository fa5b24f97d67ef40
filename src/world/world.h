// SPDX-License-Identifier: MIT
#pragma once

// A world: objects, their variants and actors, and what acts on them.
//
// Frames   An actor is simulated about a base of its own, which is the true base unless the scene
//          says that less of the base's motion is to be felt. Then gravity, wind and places are
//          taken to the simulated frame before a step and poses back to the true one.

#include "implicit/push.h"
#include "world/activity.h"
#include "world/actor.h"
#include "world/constraint.h"
#include "world/island.h"
#include "world/load.h"
#include "world/motion.h"
#include "world/recording.h"
#include "world/segment_tree.h"

// What a program asked for when it made the world.
typedef struct tdi_world_options {
    bool inside;       // its threads work within actors, one after the other
    bool adaptable;    // objects whose solver can drop joints may be reduced later
    bool hold_blocked; // what cannot be solved is blocked, and all others go on
    bool timed;        // steps are timed
    bool lent_pool;    // its threads are the program's
} tdi_world_options;

// What a step may cost: budget.c.
typedef struct tdi_world_budget {
    int32_t iterations; // of an island; 0: any
    td_real seconds;    // of all; 0: any
    td_real half;       // s, of the clock: when the time to solve this step ends; 0: none
    td_real until;      // s, of the clock: when the time for unsolved poses ends too
    int32_t round;      // how often islands were joined in this step
    int32_t first;      // actor: its island is solved first, since time was spent before it
} tdi_world_budget;

#define TDI_BUDGET_ROUNDS 3 // no more often, with a budget

// Times are multiples of dt from where it was last changed: they do not gather rounding.
typedef struct tdi_clock {
    td_real default_dt; // s: of a step of td_world_step()
    int32_t steps_a_frame;
    td_real dt;          // s: of the last step, and of the one that is under way
    int64_t step;        // number of steps done
    int64_t step_from;   // dt was last changed after so many,
    td_real time_from;   // at this time
    td_real before;      // s: when the last step began
    td_step_times times; // by the wall clock, of the last step
} tdi_clock;

// Scenes of one object each that a program has added.
typedef struct tdi_kinds {
    td_scene **list;
    int32_t count, capacity;
} tdi_kinds;

// Models that actors share.
typedef struct tdi_variants {
    tdi_variant *list;
    int32_t count;
    int32_t of_scene; // the first ones, which are the scene's
} tdi_variants;

// What ids of a world have in common.
typedef struct tdi_world_ids {
    uint32_t number; // no other world of the process has it
    bool restored;   // ids of the world that was saved are valid too
} tdi_world_ids;

struct td_world {
    const td_alloc *alloc;
    tdi_arena arena; // owns all arrays below
    td_scene *scene; // its own copy
    tdi_kinds kinds;
    td_pool *pool;
    td_log log;
    tdi_world_ids ids;
    tdi_world_options options;
    tdi_clock clock;
    tdi_world_budget budget;
    tdi_variants variants;
    tdi_severed_pairs severed;       // segments of different actors that were one piece
    struct tdi_pushes pushes;        // pairs that overlapped when they were placed
    struct tdi_pushes pushes_before; // before the last actor was placed; a count of TD_NONE: lost
    tdi_object *objects;
    tdi_actor *actors;
    int32_t actor_count; // places
    tdi_room room;
    tdi_world_loads loads;
    tdi_world_sleep sleep;
    tdi_islands islands;
    tdi_nearness near;
    tdi_world_constraints constraints;
    tdi_world_colliders colliders;
    tdi_step_memory memory;
    tdi_segment_tree segment_tree; // for queries
    tdi_probes probes;
    tdi_watch watch;
    tdi_parameters parameters;
    tdi_step_hook callback;
};

// The arena of a variant, and of an actor.
static inline tdi_arena *tdi_variant_arena(td_world *world, tdi_variant *variant) {
    return variant->own ? &variant->arena : &world->arena;
}

static inline tdi_arena *tdi_actor_arena(td_world *world, const tdi_actor *actor) {
    return tdi_variant_arena(world, &world->variants.list[actor->variant]);
}

// Whether others can touch it.
static inline bool tdi_actor_acts(const tdi_actor *actor) {
    return actor->alive && actor->activity != TDI_DISABLED;
}

// Whether an id with the number of this world may be one of its own.
static inline bool tdi_world_gave(const td_world *world, uint32_t number) {
    return number == world->ids.number || world->ids.restored;
}

static inline bool tdi_constraint_is_added(const td_world *world, int32_t constraint) {
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

// pushed_pairs.c: pairs that overlap and are pushed apart.
bool tdi_world_pushes(const td_world *world); // instead of refusing them
// Forgets those of an actor, TD_NONE: all of them, before the search for near pairs; then finds
// them among the pairs that were found. *grown: an actor has more room than before.
void tdi_world_begin_pushes(td_world *world, int32_t actor);
td_status tdi_world_find_pushes(td_world *world, int32_t actor, bool *grown, td_diag *diag);
void tdi_world_drop_pushes(td_world *world, int32_t actor);
td_status tdi_world_reserve_pushes(td_world *world, int64_t count);
// The list before an actor is placed, which comes back where that is refused and it was kept.
void tdi_world_forget_pushes(td_world *world);
td_status tdi_world_keep_pushes(td_world *world, td_diag *diag);
void tdi_world_return_pushes(td_world *world);
// After a step: pairs that are apart are left to contact.
void tdi_world_end_pushes(td_world *world);
// After a save was read: pairs that cannot be are dropped.
void tdi_world_check_pushes(td_world *world);
void tdi_world_free_pushes(td_world *world);

// start.c: all actors that are to start at rest go there, on the colliders and on each other.
td_status tdi_world_settle(td_world *world, td_diag_list *diags);
// One that starts at rest goes there alone, without contact.
td_status tdi_actor_settle(td_world *world, tdi_actor *actor, td_diag *diag);
