// SPDX-License-Identifier: MIT
#pragma once

// A scene with its keyframes, and faults at its places.

#include "base/value.h"
#include "grammar/expression.h"
#include "scene/scene_tables.h"

// A number, vector or rotation of the scene that follows a curve.
typedef struct tdi_keyed {
    td_real *place;         // in the scene
    int32_t components;     // 1, 3 or 4
    td_curve *curve;        // of 1 and 3
    td_turn_curve *turn;    // of 4
    const tdi_track *track; // where they came from
    bool ended;             // somebody has set the number since
    bool is_force;          // it is of a force, which may jump; a world finds that out
} tdi_keyed;

// The keyframes, unless there are none or they have ended.
static inline const tdi_keyed *tdi_live(const tdi_keyed *keyed) {
    return keyed && !keyed->ended ? keyed : NULL;
}

struct td_scene {
    const td_alloc *alloc;
    td_scene_def def;
    tdi_fields fields;           // owns what def points to
    td_value *value;             // the text it came from; NULL: none
    const char *file;            // NULL: none
    const struct td_scene *from; // a copy leaves curves, texts and values to this; NULL: no copy
    const struct td_scene
        *after; // while objects are checked that are to follow this one's; or NULL
    tdi_keyed *keyed;
    int32_t keyed_count;
    tdi_expression **forces; // three a load: of a field, NULL of others
};

// The names of a field's expressions, in the order of their values.
enum {
    TDI_FIELD_X,
    TDI_FIELD_Y,
    TDI_FIELD_Z,
    TDI_FIELD_VX,
    TDI_FIELD_VY,
    TDI_FIELD_VZ,
    TDI_FIELD_SPEED,
    TDI_FIELD_T,
    TDI_FIELD_MASS,
    TDI_FIELD_RADIUS,
    TDI_FIELD_LENGTH,
    TDI_FIELD_INSTANCE,
    TDI_FIELD_NAMES
};

// The curve of a field, or NULL.
const tdi_keyed *tdi_scene_keyed(const td_scene *scene, const void *place);

// Fills `diag` with a fault at a path such as "objects[2].plant" and returns the status. `scene`
// may have no text: then the message begins with the path.
td_status tdi_scene_fail(const td_scene *scene, td_diag *diag, td_status status, const char *path,
                         const char *format, ...) TDI_PRINTF(5, 6);
// The same, added to a list.
td_status tdi_scene_fault(const td_scene *scene, td_diag_list *diags, td_status status,
                          const char *path, const char *format, ...) TDI_PRINTF(5, 6);

// The object of that name, or the first when it is NULL; TD_NONE when there is none.
int32_t tdi_scene_object(const td_scene_def *def, const char *name);
// The first key of an object that sets how a model grows; NULL: it has no such key.
const char *tdi_growing_key(const td_object_def *o);

// What the tables cannot say: names that must exist, ranges between fields. TD_ERR_SYNTAX with all
// faults listed.
td_status tdi_scene_check(const td_scene *scene, td_diag_list *diags);

// Parts of it, for a place or a time at a path.
td_status tdi_scene_check_place(const td_scene *scene, const td_place_def *place, const char *where,
                                td_diag_list *diags);
td_status tdi_scene_check_span(const td_scene *scene, td_real start, td_real end, const char *where,
                               td_diag_list *diags);
// The key by which an object feels less than all of its base's motion, at any time; NULL: none.
const char *tdi_scene_key_of_motion(const td_scene *scene, const td_object_def *object);

// constraint_check.c
td_status tdi_scene_check_constraints(const td_scene *scene, td_diag_list *diags);
// The constraint of that name; TD_NONE when there is none.
int32_t tdi_scene_constraint(const td_scene_def *def, const char *name);

// The maps `define` of the objects as pairs of texts.
td_status tdi_scene_make_defines(td_scene *scene, td_diag_list *diags);

// scene_fields.c
// The expressions of all fields.
td_status tdi_scene_make_fields(td_scene *scene, td_diag_list *diags);
void tdi_scene_free_fields(td_scene *scene);

// scene_copy.c
// A scene of its own from structs filled by hand, every number checked; it has no text.
// With `after`, its objects are to follow those of that scene: faults say so, names are compared.
td_status tdi_scene_copy(const td_scene_def *def, const td_scene *after, const td_alloc *alloc,
                         td_scene **out, td_diag_list *diags);
// A copy whose numbers can change by themselves; `scene` must outlive it.
td_status tdi_scene_editable_copy(const td_scene *scene, const td_alloc *alloc, td_scene **out);
// The objects are in another array from now on.
void tdi_scene_move_objects(td_scene *scene, td_object_def *to);

// Whether an object leaves out what does not matter.
bool tdi_object_adapts(const td_scene *scene, const td_object_def *object);
