// SPDX-License-Identifier: MIT
#pragma once

// All that moves of a tree of helices, and scratch.
//
// Pose      the curvatures of elements and, of those without parent, where they start. All frames
//           follow from it, by one function, so that the same pose has the same bits.
// Axes      an element's own axes are those of its first frame. Terms, increments and factors of an
//           element are in them; places, frames and velocities of the state in those of the world.

#include "helix/model.h"
#include "load/drag.h"

typedef struct tdi_helix_place { // a point and a frame, which of a prediction need not be one
    td_vec3 o;
    tdi_mat3 r;
} tdi_helix_place;

typedef struct tdi_helix_root { // the start of an element without parent
    td_vec3 o;                  // m
    td_quat turn;
} tdi_helix_root;

// A pose: curvatures, and where elements without parent start; all frames follow.
typedef struct tdi_helix_pose {
    td_vec3 *u;             // 1/m: an element
    tdi_helix_root *root;   // those that are clamped follow the base
    tdi_helix_place *start; // an element: its first frame
    tdi_helix_place base;
} tdi_helix_pose;

// Past of a station for the multistep rule: place and frame, and their rates.
typedef struct tdi_helix_past {
    td_vec3 o, v;
    tdi_mat3 r, w; // w: dr/dt, all nine entries
} tdi_helix_past;

typedef struct tdi_helix_vane_air { // what a step knows of a vane
    td_vec3 history;                // m: x* of the rule
    tdi_drag_area area;             // as it was when the step began
} tdi_helix_vane_air;

struct tdi_helix_state {
    td_body head;
    const tdi_helix_model *model;

    tdi_helix_pose pose;     // where it is
    tdi_stumpff_range range; // of that
    bool slices;             // all stations are thin slices
    int32_t root_count;      // elements without parent
    int32_t *root_place;     // an element: its entry of `root`, or TD_NONE

    // rates; those of what is clamped, and pinned places, are the base's
    td_vec3 *rate;       // 1/(m s): of an element's curvatures
    tdi_rate *root_rate; // of a root
    tdi_rate *twist;     // an element: of its first frame; see tdi_helix_move()
    bool moved;          // `twist` is up to date
    bool pose_perturbed; // the pose is not that of the step

    // multistep: now and one step back
    tdi_helix_pose back;  // where the last implicit step began
    tdi_helix_past *past; // a station
    tdi_helix_place *history,
        *predictor; // a station: what the rule of two steps will take from the past

    // the implicit step that is under way; see step.c
    struct tdi_helix_step *now;
    tdi_helix_pose began;
    td_vec3 *u_history;
    tdi_helix_place *history_one, *predictor_one; // a station: what the rule of one step takes
    tdi_helix_vane_air *vane;

    // Newton's method
    tdi_helix_pose kept;             // without frames
    struct tdi_helix_node *node;     // an element; see sweep.h
    struct tdi_helix_levers *levers; // an element
    struct tdi_helix_pivot *pivot;   // a root
    struct tdi_helix_ride *end;      // two a capsule: see points.c
    bool ended;                      // `end` is up to date
    td_vec3 *drawn;                  // likewise: where they are drawn, in the axes of the base
};

// NULL: NULL, or of another solver.
static inline tdi_helix_state *tdi_as_helix(const td_body *body) {
    return body && body->solver == &tdi_solver_helix ? (tdi_helix_state *)body : NULL;
}

// ---- kinematics -----------------------------------------------------------------------------

// The pose as drawn, at rest, on the base as it is.
void tdi_helix_reset(tdi_helix_state *state);
// From the pose and the base to all frames and seats.
void tdi_helix_update(tdi_helix_state *state);
// Of Stumpff's functions, for all that is on these helices.
tdi_stumpff_range tdi_helix_range(const tdi_helix_model *model, const td_vec3 *u);
// From the rates to the twists of all elements' starts. Reads frames.
void tdi_helix_move(tdi_helix_state *state);
// After the pose or rates were set by hand or stepped explicitly: frames are made anew, and the
// past is forgotten.
void tdi_helix_changed(tdi_helix_state *state);
// Where the base is.
void tdi_helix_put_base(tdi_helix_state *state, const td_base_motion *base);
td_status tdi_helix_state_new(const tdi_helix_model *model, const td_alloc *alloc,
                              tdi_helix_state **out, td_diag *diag);
// Joint, tip and rotation of a segment. Any may be NULL.
void tdi_helix_segment(const tdi_helix_state *state, int32_t segment, td_vec3 *origin, td_vec3 *tip,
                       td_quat *rotation);
td_energy tdi_helix_energy(tdi_helix_state *state, td_vec3 gravity);
void tdi_helix_momentum(tdi_helix_state *state, td_vec3 *linear, td_vec3 *angular);
void tdi_helix_set_base(tdi_helix_state *state, const td_base_motion *motion);
// Roots move as one piece with the base.
void tdi_helix_move_along(tdi_helix_state *state);

// Of any pose: a point, and the frame at s of an element.
td_vec3 tdi_helix_point_at(const tdi_helix_pose *pose, const tdi_helix_point *point);
tdi_helix_place tdi_helix_frame_at(const tdi_helix_pose *pose, int32_t element, td_real s);
// The rotation of a segment at a pose.
td_quat tdi_helix_rotation_at(const tdi_helix_model *model, const tdi_helix_pose *pose,
                              int32_t segment);
// How the frame at s of an element moves; after tdi_helix_move().
tdi_rate tdi_helix_rate_at(const tdi_helix_state *state, int32_t element, td_real s);
// Velocity of a point; calls tdi_helix_move().
td_vec3 tdi_helix_velocity(tdi_helix_state *state, const tdi_helix_point *point);
// Rates of a station's place and frame as the elements' rates have them.
tdi_helix_past tdi_helix_station_past(const tdi_helix_state *state, int32_t station);
// The past of all stations where steps have left none.
void tdi_helix_fill_past(tdi_helix_state *state);
