// SPDX-License-Identifier: MIT
#pragma once

// Actors: their data, how they are made, added, removed and restored.

#include "implicit/body_contact.h"
#include "math/vec3.h"
#include "published/explicit.h"
#include "tendril/query.h"
#include "world/variant.h"

// A load or probe whose segment was found.
typedef struct tdi_spot {
    int32_t actor, segment; // TD_NONE: none
    td_vec3 tip;            // world, at the start
} tdi_spot;

// A load of the scene that acts on an actor.
typedef struct tdi_acting {
    int32_t load;
    tdi_spot spot;          // of a pull or push
    const tdi_keyed *keyed; // where a pull holds, how a pose bends, how strong a field is; NULL: no
                            // keyframes
} tdi_acting;

enum { TDI_NAME = 96 }; // characters

// Whether an actor is stepped; activity.c says how one state follows another.
typedef enum tdi_activity {
    TDI_ACTIVE,
    TDI_WAITING,  // at rest: steps skip it until a test finds that it would move
    TDI_ASLEEP,   // at rest with its island: steps skip it until something changes
    TDI_DISABLED, // by a program: it has no contact
    TDI_BLOCKED   // its last step could not be solved: it is where that step began
} tdi_activity;

// Sleeping of an actor: sleep.c.
typedef struct tdi_sleep {
    bool requested;    // a program has put it to sleep, from the end of the next step on
    td_real slow_time; // s: for which it has been slow under unchanged loads
    uint64_t digest;   // of its loads in the last step
    int32_t next;      // while it sleeps: the next actor of its sleeping island, in a ring
    td_box box;        // while it sleeps: its bounds with the range of contact
    bool in_tree;      // while it sleeps: the tree for queries has its current segments
    bool has_contacts; // the world keeps the contacts of its last step before sleep
} tdi_sleep;

// A segment of another that carries an actor: at its place, in the axes of the segment.
typedef struct tdi_attachment {
    int32_t actor; // TD_NONE: none
    int32_t segment;
    int32_t constraint; // the weld that attaches it; TD_NONE: none, its base follows the segment
    tdi_transform at;
} tdi_attachment;

// The sum of forces of which only the values are known.
typedef struct tdi_force_sum {
    td_vec3 force; // N, all together
    td_real size;  // sum of their sizes
    bool jumps;    // they changed much from the step before
} tdi_force_sum;

// What a step changes of an actor, as it was before: see undo.c.
typedef struct tdi_actor_before {
    // when the step began
    tdi_transform place;
    tdi_activity activity;
    tdi_sleep sleep;
    // before it was tried
    tdi_transform base, simulated;
    tdi_rate base_rate;
    td_base_motion motion; // of the simulated base
    td_step_stats stats;
    tdi_barrier barrier;
    td_real largest_force;
    bool reacted;
    td_reaction reaction;
} tdi_actor_before;

// Loads of an actor, and their sources: loads.c.
typedef struct tdi_actor_load {
    tdi_acting *acting; // in the scene's order
    int32_t acting_count;
    td_vec3 *points, *winds, *extra; // a segment: scratch; NULL without wind, pose or field
    td_vec3 *forces;                 // a segment: of the field from outside; NULL without
    td_vec3 *fields; // a segment: of the scene's fields, when the step began; NULL without
    td_quat *turns;  // a segment: scratch of poses; NULL without
    td_load *loads;
    int32_t capacity;
    int32_t applied_room; // of them: for so many applied forces
    int32_t point_count;  // of them: pulls and pushes in this step
    bool load_jumped; // a program has changed its loads since the last step, or the slope of keys
                      // jumps
    tdi_force_sum last_forces, forces_now; // of fields in the last step, and in this one
} tdi_actor_load;

// The step that is under way, or the last one: stepping.c.
typedef struct tdi_actor_step {
    td_step_opts opts;
    td_step_stats stats;
    td_real largest_force;
    td_status status;
    td_diag diag;
    void *memory;                // where a step by an explicit integrator began; NULL: it has none
    bool over_budget;            // it is blocked because its budget was spent
    td_real seconds[TDI_STAGES]; // of the island whose first actor it is, in this step
} tdi_actor_step;

// What contact leaves to the next step: islands.c.
typedef struct tdi_actor_contact {
    tdi_barrier barrier; // of the last step
    // likewise of exact contact, as in tdi_member: of the last step and of the one before, or which
    // is under way, one after the other, `swapped` or not; NULL: none
    td_vec3 *warm_start;
    bool swapped;
    td_analytic *analytic; // contact with colliders by an explicit integrator; NULL: it has none
    int32_t relations;     // of constraints that couple it: there is room for so many
    tdi_member_room room;  // grows when a step runs out of it
    size_t room_bytes;     // of contact with it alone, which it adds at most to that of an island
} tdi_actor_contact;

// What the base carries: watch.c.
typedef struct tdi_actor_reaction {
    bool watched;      // it is computed
    bool known;        // and was in the last step
    td_reaction value; // in the simulated frame
} tdi_actor_reaction;

// Adaptive dynamics: adaptive.c.
typedef struct tdi_actor_adapt {
    td_adapt *adapt; // while its object has the integrator TD_ADAPTIVE; else NULL
    void *memory;    // where a step began
} tdi_actor_adapt;

// Drives of its joints: drives.c.
typedef struct tdi_actor_drive {
    td_joint_drive *drives; // a degree of freedom, twice; NULL: never driven
    int32_t count;          // degrees of freedom that are
} tdi_actor_drive;

typedef struct tdi_actor {
    char *name;                        // room for so many
    uint32_t generation;               // how often its place was taken; 0: never
    bool alive;                        // else its place is free
    bool own_place;                    // a program has placed it: `place` is in the world
    bool has_contact;                  // colliders, others, itself
    bool solved_in_larger_island;      // as in tdi_member
    tdi_activity activity;             // changed by activity.c alone
    uint64_t user_data;                // the program's own
    td_filter filter;                  // with which others it collides
    int32_t object, instance, variant; // variant: of the world's
    tdi_transform place;               // in the axes of the object's base
    tdi_transform base;                // true, now
    tdi_rate base_rate;                // of the true base in the last step
    tdi_transform simulated;           // base of the simulation, now
    const tdi_solver *solver;
    td_body *state;
    const td_segment *segments; // of its skeleton
    int32_t segment_count;
    tdi_actor_load load;
    tdi_actor_step step;
    tdi_actor_contact contact;
    tdi_actor_adapt adapt;
    tdi_actor_drive drive;
    tdi_actor_reaction reaction;
    tdi_sleep sleep;
    tdi_attachment attachment;
    tdi_actor_before before;
} tdi_actor;

// Room that actors were made for.
typedef struct tdi_room {
    bool no_growth;     // steps never allocate
    int32_t near_pairs; // a segment: room for so many from the start; 0: as is needed
    int32_t made_count; // actors, and those in reserve, which come after them
    int32_t actor_capacity, variant_capacity;
    int64_t segment_count; // of all that were made
    int64_t segment_limit;
} tdi_room;

// ---- functions ------------------------------------------------------------------------------

// objects.c: actors at time 0, standing at rest or as drawn.
// An actor as drawn, of a variant of the world's, and its name as an instance of its object.
td_status tdi_actor_make(td_world *world, int32_t variant, tdi_actor *actor, td_diag *diag);
// The same of one that is there: its solver, skeleton and state become those of a variant.
td_status tdi_actor_form(td_world *world, int32_t variant, tdi_actor *actor, td_diag *diag);
// Whether contact forces are kept from step to step.
bool tdi_world_keeps_contact_forces(const td_world *world, bool has_contact);
// What exact contact left of the last step (0), or leaves of the next (1); and how many.
td_vec3 *tdi_actor_contact_forces(const tdi_actor *actor, int other);
size_t tdi_actor_contact_force_count(const tdi_actor *actor);
void tdi_actor_clear_contact_forces(const tdi_actor *actor);
void tdi_actor_free(tdi_actor *actor); // its state, and what steps it
void tdi_actor_set_name(const td_world *world, tdi_actor *actor, int32_t instance, bool numbered);
// Puts it where its place is now, as drawn.
void tdi_actor_stop_base(const td_world *world, tdi_actor *actor);
void tdi_actor_reset(const td_world *world, tdi_actor *actor);

// actors.c: actors that come and go.
td_status tdi_actor_find(td_world *world, td_actor_id id, tdi_actor **out, td_diag *diag);
// TD_ERR_STALE, saying why an id names nothing here; ids of all kinds are alike.
td_status tdi_id_fail(const td_world *world, const char *what, const char *gone, td_actor_id id,
                      td_diag *diag);
#define TDI_ID_FAIL(w, what, gone, id, diag) \
    tdi_id_fail(w, what, gone, (td_actor_id){(id).place, (id).generation, (id).world}, diag)
// Puts an actor elsewhere. Constraints that a program has added to it go, and `weld` comes, as
// tdi_world_replace_constraint() has it. What fails changes nothing.
td_status tdi_actor_put(td_world *world, tdi_actor *actor, tdi_transform to,
                        const td_constraint *weld, int32_t *constraint, td_diag *diag);
// Actors in constraints of the scene stay: TD_ERR_ARGUMENT names the refused operation.
td_status tdi_actor_check_scene(const td_world *world, const tdi_actor *actor, const char *cannot,
                                td_diag *diag);
// Memory that steps need for all actors that were made.
td_status tdi_world_make_step_room(td_world *world, td_diag *diag);
// Makes missing actors of these variants, one a place; a failure changes no place. Then assigns the
// places that a save names, which cannot fail.
td_status tdi_world_make_places(td_world *world, const int32_t *variants, int32_t count,
                                td_diag *diag);
void tdi_world_take_places(td_world *world, const int32_t *variants, int32_t count);

// severed.c: forgets segments of an actor that is removed.
void tdi_world_drop_severed(td_world *world, int32_t actor);

// undo.c: the one record of what a step changes besides states, islands and constraints.
// When a step begins; and before an actor is tried, which may be more than once.
void tdi_world_remember(td_world *world);
void tdi_actor_remember(tdi_actor *actor);
// Back to that.
void tdi_actor_undo(tdi_actor *actor);
void tdi_world_undo(td_world *world);
