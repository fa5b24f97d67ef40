// SPDX-License-Identifier: MIT
#pragma once

/// @file reduce.h
/// Adaptive level of detail of trees: implicit steps of fewer bodies than there are segments, with
/// an error that is set and estimated. Joints are frozen where nothing moves, turn together where
/// an axis bends smoothly, and small twigs follow their loads at rest (quasi-static). Not stable
/// yet: see TD_API_UNSTABLE.

#include "tendril/tree.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a joint does.
typedef enum td_reduce_mode {
    TD_REDUCE_OWN,         ///< It moves by itself.
    TD_REDUCE_FROZEN,      ///< It keeps its angle.
    TD_REDUCE_QUASISTATIC, ///< It is in equilibrium with its loads: the inertia that it carries is
                           ///< negligible.
    TD_REDUCE_JOINED, ///< It turns with the joint of its parent, in proportion to their compliance.
} td_reduce_mode;

/// Start from td_reduce_opts_default().
typedef struct td_reduce_opts {
    uint32_t struct_size;
    td_real error;  ///< m: rms error of the tips that is allowed. Default 0: nothing is reduced.
    int32_t joints; ///< As many joints move by themselves at most. Default 0: any.
    int32_t every;  ///< Steps between choices, >= 1. Default 20.
    uint32_t modes; ///< That may be chosen: bits 1 << td_reduce_mode. Default all.
    bool view;      ///< Joints count by their size on screen: by the distance of the first segment
                    ///< from `camera` over their own. Default false.
    td_vec3 camera; ///< m: where the camera is.
} td_reduce_opts;

TD_API_UNSTABLE td_reduce_opts td_reduce_opts_default(void);

/// How a state is reduced now.
typedef struct td_reduce_stats {
    int32_t joints;      ///< That move by themselves, one a group.
    int32_t frozen;      ///< Joints that keep their angles.
    int32_t joined;      ///< Joints that turn with others.
    int32_t quasistatic; ///< Joints that follow their loads at rest.
    int64_t changes;     ///< How often the choice changed.
    td_real estimate;    ///< m: estimated rms error of the tips.
} td_reduce_stats;

/// A body like td_body_new(), of the model of a tree. With an explicit integrator all joints move
/// by themselves.
TD_API_UNSTABLE td_status td_reduced_new(const td_body_model *model, const td_reduce_opts *opts,
                                         const td_alloc *alloc, td_body **out, td_diag *diag);

/// Error, joints and how often to choose may change while it runs.
TD_API_UNSTABLE td_status td_reduced_set(td_body *body, const td_reduce_opts *opts, td_diag *diag);

/// Modes by hand, one a segment, from the next step on; choices by error leave them. NULL: chosen
/// by error again. A joint that cannot have its mode keeps its own: roots are not reduced; joints
/// that carry more than four segments are not quasi-static; a joint joins that of a parent which
/// has a parent and on which nothing else moves, and not in states with contact or constraints.
TD_API_UNSTABLE void td_reduced_set_modes(td_body *body, const uint8_t *modes);
/// The mode of each segment's joint.
TD_API_UNSTABLE const uint8_t *td_reduced_modes(const td_body *body);
/// The first segment of the cluster that a segment is on, or most of it: the one whose joint the
/// cluster has, of a group the first. TD_NONE when there is no such segment.
TD_API_UNSTABLE int32_t td_reduced_cluster(const td_body *body, int32_t segment);
TD_API_UNSTABLE td_reduce_stats td_reduced_get_stats(const td_body *body);

#ifdef __cplusplus
}
#endif
