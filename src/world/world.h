// SPDX-License-Identifier: MIT
#pragma once

// A world: objects, their variants and actors, and what acts on them.
//
// Frames   An actor is simulated about a base of its own, which is the true base unless the scene
//          says that less of the base's motion is to be felt. Then gravity, wind and places are
//          taken to the simulated frame before a step and poses back to the true one.

#include "tendril/world.h"
#include "tree/model.h"
#include "world/scene.h"

typedef struct tdi_pose {
    td_vec3 position;
    td_quat rotation;
} tdi_pose;

// What actors of one object and size share.
typedef struct tdi_variant {
    td_skeleton *skeleton;
    td_tree_model *model;
    int32_t *depth;    // joints from the base to each segment, itself included
    int32_t depth_most;
} tdi_variant;

typedef struct tdi_object {
    int32_t first_variant, first_actor, actor_count;
    const tdi_keyed *position, *rotation; // of the base; NULL: it stands
    const tdi_keyed *local_position, *local_rotation;
    bool felt_otherwise; // by a time scale or local dynamics
    bool posed;
} tdi_object;

typedef struct tdi_actor {
    const char *name;
    int32_t object, instance, variant; // variant: of the world's
    tdi_pose place;                    // in the axes of the object's base
    tdi_pose base;                     // true, now
    tdi_pose simulated;                // base of the simulation, now
    td_tree_state *state;
    td_vec3 *points, *winds; // a segment: scratch; NULL without wind, field or pose
    td_vec3 *extra;          // a segment: scratch of fields and poses
    td_load *loads;
    int32_t load_capacity;
    td_step_stats stats;
    td_real largest_force;
    td_status status; // of the last step
    td_diag diag;
} tdi_actor;

// A load or probe whose segment was found.
typedef struct tdi_spot {
    int32_t actor, segment; // TD_NONE: none
    td_vec3 tip;            // world, at the start
} tdi_spot;

typedef struct tdi_world_wind {
    td_wind *wind;
    td_wind_state state;
    int32_t load; // of the scene
} tdi_world_wind;

typedef struct tdi_grab {
    bool held;
    int32_t actor, segment;
    td_vec3 point, to;
    td_real stiffness;
} tdi_grab;

struct td_world {
    const td_alloc *alloc;
    tdi_arena arena; // owns all arrays below
    td_scene *scene;
    bool owns_scene;
    td_pool *pool;
    td_real dt;
    int32_t steps_a_frame;
    int64_t step; // number of steps done: the time is step * dt
    tdi_variant *variants;
    int32_t variant_count;
    tdi_object *objects;
    tdi_actor *actors;
    int32_t actor_count;
    tdi_spot *load_spots, *probe_spots;
    tdi_world_wind *winds;
    int32_t wind_count;
    char (*probe_names)[96];
    int32_t probe_columns;
    tdi_grab grab;
    td_force_field field;
    void *field_context;
    td_step_callback callback;
    void *callback_context;
};

// ---- parts ----------------------------------------------------------------------------------

// objects.c: variants and actors at time 0, standing at rest or as drawn.
td_status tdi_world_make_objects(td_world *world, const td_world_opts *opts, td_diag_list *diags);

// motion.c
// Base of an object at a time, and its velocities.
td_base_motion tdi_object_base(const td_world *world, int32_t object, td_real time);
// Moves the actor's base from now to time t1 for the next step.
void tdi_actor_move_base(td_world *world, tdi_actor *actor, td_real t0, td_real t1);
// From the true frame to the simulated one, and back.
td_vec3 tdi_to_simulated(const tdi_actor *actor, td_vec3 x);
td_vec3 tdi_turn_to_simulated(const tdi_actor *actor, td_vec3 v);
td_vec3 tdi_from_simulated(const tdi_actor *actor, td_vec3 x);
td_quat tdi_rotation_from_simulated(const tdi_actor *actor, td_quat q);
tdi_pose tdi_pose_mul(tdi_pose a, tdi_pose b);

// loads.c: places of loads found; loads of an actor for the step that ends at t1.
td_status tdi_world_make_loads(td_world *world, td_diag_list *diags);
int32_t tdi_actor_loads(td_world *world, tdi_actor *actor, td_real t0, td_real t1);
// Fills winds for the step; false when there is none.
bool tdi_actor_winds(td_world *world, tdi_actor *actor);
td_status tdi_find_spot(const td_world *world, const td_place_def *place, const char *path,
                        tdi_spot *out, td_diag_list *diags);
int32_t tdi_world_object_named(const td_world *world, const char *name);

// probes.c
td_status tdi_world_make_probes(td_world *world, td_diag_list *diags);
