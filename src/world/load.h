// SPDX-License-Identifier: MIT
#pragma once

// Loads of actors: winds, grabs, pushes, fields, applied forces.

#include "world/actor.h"

typedef struct tdi_world_wind {
    td_wind *wind;
    td_wind_state state, before; // now, and when the step began
    int32_t load;                // of the scene
    td_vec3 direction;           // at the start
} tdi_world_wind;

typedef struct tdi_grab {
    bool held;
    int32_t actor, segment;
    td_vec3 point, to;
    td_real stiffness;
    int32_t twist_actor, twist_segment;
    td_real twist; // N m; 0: none
} tdi_grab;

typedef enum tdi_applied_kind {
    TDI_APPLIED_SPRING,  // pulls to `vector`, m, until it is released
    TDI_APPLIED_FORCE,   // `vector`, N, through one step
    TDI_APPLIED_IMPULSE, // `vector`, N s, within one step
} tdi_applied_kind;

// A force of a program at a point of a segment.
typedef struct tdi_applied_force {
    uint32_t generation; // how often its place was taken
    bool alive;
    tdi_applied_kind kind;
    int32_t actor, segment;
    td_vec3 point;              // m, in the axes of the segment
    td_vec3 vector;             // in world axes
    td_real stiffness, damping; // of a spring
} tdi_applied_force;

// All that acts on actors, and is not theirs.
typedef struct tdi_world_loads {
    tdi_world_wind *winds;
    int32_t wind_count;
    tdi_grab grab;
    tdi_applied_force *applied;
    int32_t applied_count, applied_capacity; // places
    bool has_keyed_forces;                   // forces have keyframes
    bool has_fields;                         // of the scene's
    td_force_field field;                    // from outside; NULL: none
    void *field_context;
} tdi_world_loads;

// ---- functions ------------------------------------------------------------------------------

// loads.c
// Fields and poses of the scene for an actor that a program has added, and memory for loads.
td_status tdi_actor_make_loads(td_world *world, tdi_actor *actor);
// Keyframes of where a pull holds and how a pose bends; NULL: none.
const tdi_keyed *tdi_load_keyed(const td_world *world, int32_t load);
// Room for loads alone, of an actor whose list of what acts on it is there.
td_status tdi_actor_load_room(td_world *world, tdi_actor *actor);
// Finds the segments of all loads, and lists them at their actors.
td_status tdi_world_make_loads(td_world *world, td_diag_list *diags);
// Makes a wind once more, of what the scene says now; the air stays where it is.
td_status tdi_world_remake_wind(td_world *world, int32_t wind, td_diag *diag);
// Allocates points, winds and extra, unless they are there.
td_status tdi_actor_make_points(td_world *world, tdi_actor *actor);
// Asks for air and forces from outside where the actor is, before its base moves.
void tdi_actor_sample(const td_world *world, tdi_actor *actor);
// Forces from outside alone.
void tdi_actor_sample_field(const td_world *world, tdi_actor *actor);
// How a pose bends at a time, which keyframes may say.
td_vec3 tdi_pose_bend(const td_pose_load *load, const tdi_keyed *keyed, td_real time);
// The winds that were sampled, in the simulated frame; NULL: none.
const td_vec3 *tdi_actor_winds(const td_world *world, tdi_actor *actor);
// Loads of an actor for the step from t0 to t1: how many.
int32_t tdi_actor_loads(const td_world *world, tdi_actor *actor, td_real t0, td_real t1);
// After the step: the largest force of pulls and pushes.
void tdi_actor_note_force(tdi_actor *actor);
// Whether all segments that loads, constraints and probes name are there; tells all that are not.
td_status tdi_world_check_spots(const td_world *world, td_diag_list *diags);
td_status tdi_find_spot(const td_world *world, const td_place_def *place, const char *path,
                        tdi_spot *out, td_diag_list *diags);

// applied_forces.c: memory for the loads of so many applied forces at an actor.
td_status tdi_actor_applied_room(td_world *world, tdi_actor *actor, int32_t count);
// After a step: forces and impulses of a program have acted.
void tdi_world_end_forces(td_world *world);
// After a step that failed: adds the largest of them to the message.
void tdi_world_blame_forces(const td_world *world, td_diag *diag);
// Lets go of an actor.
void tdi_world_release_actor(td_world *world, int32_t actor);

// discontinuities.c: loads that begin, end or change at once.
// The part of the step from t0 to t1 in which a load acts that does from start to end.
td_real tdi_acting_part(td_real start, td_real end, td_real t0, td_real t1);
// Finds the keyframes of forces.
void tdi_world_find_keyed_forces(td_world *world);
// The mean of a force over a step in which its keyframes jump; else false, with nothing changed.
bool tdi_keyed_mean(const tdi_keyed *keyed, td_real t0, td_real t1, td_real *mean);
// Before a step that ends at t1: actors that a constraint leads by keys whose slope jumps.
void tdi_world_find_velocity_jumps(td_world *world, td_real t1);
// Whether what acts on an actor jumps in the step that ends at t1, or did in the last.
bool tdi_actor_jumps(const td_world *world, tdi_actor *actor, td_real t1);
// After a step that began at t0.
void tdi_world_end_jumps(td_world *world, td_real t0);
// A program changes what acts on an actor between steps, or a number of the scene at a place.
void tdi_actor_note_jump(td_world *world, int32_t actor, td_real before, td_real now);
void tdi_world_note_jump(td_world *world, const void *at, td_real before, td_real now);

// fields.c
// Room for the forces of the scene's fields on an actor.
td_status tdi_actor_make_fields(td_world *world, tdi_actor *actor);
// The forces of the scene's fields on all actors as they are now. TD_ERR_EVAL where an expression
// has no value, with nothing else changed.
td_status tdi_world_sample_fields(td_world *world, td_diag *diag);
