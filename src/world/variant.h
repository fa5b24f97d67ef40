// SPDX-License-Identifier: MIT
#pragma once

// Objects and their variants: what actors are made of.

#include "base/diag.h"
#include "body/solvers.h"
#include "scene/scene.h"
#include "tendril/world.h"

typedef struct tdi_transform {
    td_vec3 position;
    td_quat rotation;
} tdi_transform;

// What actors of one object and size share.
typedef struct tdi_variant {
    int32_t object;
    bool own;        // of one actor, which was cut or has grown; without a skeleton it is free
    tdi_arena arena; // of such a one, for itself and its actor
    td_skeleton *skeleton;
    const tdi_solver *solver;
    td_body_model *model;
    void *made;     // parameters that the model was made with; NULL: as it is now
    int32_t *depth; // joints from the base to each segment, itself included
    int32_t depth_most;
    void *drawn; // a state as drawn, saved; NULL: none was asked for
    size_t drawn_bytes;
    int32_t drawn_points, drawn_capsules; // that contact sees
    char *packed;                         // of one of its own: its bytes in saves
    size_t packed_bytes;
} tdi_variant;

typedef struct tdi_object {
    int32_t first_variant, first_actor, actor_count; // of the scene's own
    tdi_factors made, factors; // with which its models were made, and which they have now
    bool waits;                // its actors may, in the step that is under way
    const tdi_keyed *position, *rotation; // of the base; NULL: no keyframes
    tdi_transform frame;                  // reference of local dynamics at the last step
} tdi_object;

// ---- functions ------------------------------------------------------------------------------

// objects.c: objects, with their actors at time 0, standing at rest or as drawn.
td_status tdi_world_make_object(td_world *world, int32_t object, const td_world_opts *opts,
                                td_diag_list *diags);
td_status tdi_world_make_objects(td_world *world, const td_world_opts *opts, td_diag_list *diags);
// Gravity in the axes of a base, over the stiffness of its object.
td_vec3 tdi_object_gravity(const td_world *world, int32_t object, td_quat base);
// Tells of a fault of an object, at one of its keys.
td_status tdi_object_fault(const td_world *world, int32_t object, td_status status, const char *key,
                           const td_diag *diag, td_diag_list *diags);
// The model of a variant whose skeleton is there, with these factors of its stiffness; *key is what
// of its object is to blame when that fails.
td_status tdi_variant_make(td_world *world, tdi_variant *variant, tdi_factors factors,
                           const char **key, td_diag *diag);
// Completes it: rest under gravity, damping, and figures of its skeleton.
td_status tdi_variant_finish(td_world *world, tdi_variant *variant, const char **key,
                             td_diag *diag);
td_status tdi_variant_measure(td_world *world, tdi_variant *variant);
// Whether actors of an object and variant touch anything.
bool tdi_variant_has_contact(const td_world *world, int32_t object, int32_t variant);
// What tdi_actor_reset() needs: the state as drawn, on no base.
td_status tdi_variant_draw(td_world *world, int32_t variant, td_diag *diag);
// own.c: room for so many variants in all.
td_status tdi_world_variant_room(td_world *world, int32_t count);
// actors.c: places of an object below one, free ones too.
int32_t tdi_object_places(const td_world *world, int32_t object, int32_t below);
