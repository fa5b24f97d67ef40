// SPDX-License-Identifier: MIT
#pragma once

// A world: objects, their variants and actors, and what acts on them.
//
// Frames   An actor is simulated about a base of its own, which is the true base unless the scene
//          says that less of the base's motion is to be felt. Then gravity, wind and places are
//          taken to the simulated frame before a step and poses back to the true one.

#include "base/diag.h"
#include "math/vec3.h"
#include "scene/scene.h"
#include "tendril/world.h"
#include "world/solvers.h"

typedef struct tdi_transform {
    td_vec3 position;
    td_quat rotation;
} tdi_transform;

// What actors of one object and size share.
typedef struct tdi_variant {
    td_skeleton *skeleton;
    const tdi_solver *solver;
    tdi_solver_model *model;
    int32_t *depth; // joints from the base to each segment, itself included
    int32_t depth_most;
} tdi_variant;

typedef struct tdi_object {
    int32_t first_variant, first_actor, actor_count;
    const tdi_keyed *position, *rotation; // of the base; NULL: no keyframes
    tdi_transform frame;                  // reference of local dynamics at the last step
} tdi_object;

// A load or probe whose segment was found.
typedef struct tdi_spot {
    int32_t actor, segment; // TD_NONE: none
    td_vec3 tip;            // world, at the start
} tdi_spot;

// A load of the scene that acts on an actor.
typedef struct tdi_acting {
    int32_t load;
    tdi_spot spot;          // of a pull or push
    const tdi_keyed *keyed; // where a pull holds, how a pose bends; NULL: no keyframes
} tdi_acting;

typedef struct tdi_actor {
    const char *name;
    int32_t object, instance, variant; // variant: of the world's
    tdi_transform place;               // in the axes of the object's base
    tdi_transform base;                // true, now
    tdi_rate base_rate;                // of the true base in the last step
    tdi_transform simulated;           // base of the simulation, now
    const tdi_solver *solver;
    tdi_solver_state *state;
    const td_segment *segments; // of its skeleton
    int32_t segment_count;
    tdi_acting *acting; // in the scene's order
    int32_t acting_count;
    td_vec3 *points, *winds, *extra; // a segment: scratch; NULL without wind, pose or field
    td_vec3 *forces;                 // a segment: of the field; NULL without
    td_quat *turns;                  // a segment: scratch of poses; NULL without
    td_load *loads;
    int32_t load_capacity;
    int32_t point_count; // of them: pulls and pushes in this step
    td_step_opts opts;   // of the step that is under way
    td_step_stats stats;
    td_real largest_force;
    bool touches;     // it is solved together with others
    td_status status; // of the last step
    td_diag diag;
} tdi_actor;

// Actors that are stepped together. Those that may touch are solved as one, all of them ready
// before any of them moves; nothing passes from others to each other, and each is alone.
typedef struct tdi_group {
    int32_t first, count;    // of the world's members
    tdi_solver_touch *touch; // NULL: of one that touches nothing
    td_step_opts *opts;      // a member, of those that touch
} tdi_group;

typedef struct tdi_world_wind {
    td_wind *wind;
    td_wind_state state;
    int32_t load;      // of the scene
    td_vec3 direction; // at the start
} tdi_world_wind;

typedef struct tdi_grab {
    bool held;
    int32_t actor, segment;
    td_vec3 point, to;
    td_real stiffness;
    int32_t twist_actor, twist_segment;
    td_real twist; // N m; 0: none
} tdi_grab;

// A number of the scene that may be set while the world moves, or a row of them.
typedef struct tdi_parameter {
    void *at;
    size_t size;
} tdi_parameter;

struct td_world {
    const td_alloc *alloc;
    tdi_arena arena; // owns all arrays below
    td_scene *scene; // its own copy
    td_pool *pool;
    bool inside; // its threads work within actors, one after the other
    td_real dt;
    int32_t steps_a_frame;
    int64_t step; // number of steps done
    // the step was last changed after so many, at this time
    int64_t step_from;
    td_real time_from;
    tdi_variant *variants;
    int32_t variant_count;
    tdi_object *objects;
    tdi_actor *actors;
    int32_t actor_count;
    tdi_group *groups; // every actor is in one
    int32_t group_count;
    int32_t *members; // actors, group after group
    td_collider *colliders;
    tdi_spot *probe_spots;
    tdi_world_wind *winds;
    int32_t wind_count;
    char (*probe_names)[96];
    int32_t probe_columns;
    tdi_grab grab;
    tdi_parameter *parameters; // all numbers of the scene that can change
    int32_t parameter_count;
    uint64_t shape; // of the actors and parameters, mixed: tells saves apart
    td_force_field field;
    void *field_context;
    td_step_callback callback;
    void *callback_context;
};

// ---- parts ----------------------------------------------------------------------------------

// objects.c: variants and actors at time 0, standing at rest or as drawn.
td_status tdi_world_make_objects(td_world *world, const td_world_opts *opts, td_diag_list *diags);

// touch.c: groups of actors, contact, colliders.
td_status tdi_world_make_groups(td_world *world, td_diag_list *diags);
void tdi_world_free_groups(td_world *world);
// Whether the scene lets rods touch.
bool tdi_world_touches(const td_world *world);
// Colliders go from where they are to where the scene has put them.
void tdi_world_move_colliders(td_world *world);
// Colliders stand where the scene has put them.
void tdi_world_place_colliders(td_world *world);

// motion.c
// Base of an object, and the reference frame of its local dynamics, as the scene says them now.
tdi_transform tdi_object_pose(const td_world *world, int32_t object);
tdi_transform tdi_object_frame(const td_world *world, int32_t object);
// Moves the actor's base to where the scene has put it, for the step that begins at t0.
void tdi_actor_move_base(td_world *world, tdi_actor *actor, td_real t0);
// Moves the ends of a strand that are held, after its base.
void tdi_actor_move_ends(const td_world *world, tdi_actor *actor);
// From the true frame to the simulated one, and back.
td_vec3 tdi_to_simulated(const tdi_actor *actor, td_vec3 x);
td_vec3 tdi_turn_to_simulated(const tdi_actor *actor, td_vec3 v);
td_vec3 tdi_from_simulated(const tdi_actor *actor, td_vec3 x);
td_quat tdi_rotation_from_simulated(const tdi_actor *actor, td_quat q);
// Velocity of a point x of the simulation that moves with v there.
td_vec3 tdi_velocity_from_simulated(const tdi_actor *actor, td_vec3 x, td_vec3 v);
tdi_transform tdi_transform_mul(tdi_transform a, tdi_transform b);

// loads.c
// Finds the places of all loads and hands them out to the actors.
td_status tdi_world_make_loads(td_world *world, td_diag_list *diags);
// Makes a wind once more, of what the scene says now; the air stays where it is.
td_status tdi_world_remake_wind(td_world *world, int32_t wind, td_diag *diag);
// Room for points, winds and extra, if there is none.
td_status tdi_actor_make_points(td_world *world, tdi_actor *actor);
// Asks for air and forces from outside where the actor is, before its base moves.
void tdi_actor_sample(const td_world *world, tdi_actor *actor);
// The winds that were sampled, in the simulated frame; NULL: none.
const td_vec3 *tdi_actor_winds(const td_world *world, tdi_actor *actor);
// Loads of an actor for the step from t0 to t1: how many.
int32_t tdi_actor_loads(const td_world *world, tdi_actor *actor, td_real t0, td_real t1);
// After the step: the largest force of pulls and pushes.
void tdi_actor_note_force(tdi_actor *actor);
td_status tdi_find_spot(const td_world *world, const td_place_def *place, const char *path,
                        tdi_spot *out, td_diag_list *diags);

// probes.c
td_status tdi_world_make_probes(td_world *world, td_diag_list *diags);

// saving.c: the list of what can change, and the shape.
td_status tdi_world_make_saving(td_world *world);
