// SPDX-License-Identifier: MIT
#pragma once

// From what a scene says of an object to its skeleton.

#include "tendril/world.h"
#include "scene/scene.h"

// A plant or strand of the object, in variant `variant` of its instances. Faults are placed.
td_status tdi_object_grow(const td_scene *scene, int32_t object, int32_t variant,
                          const td_world_opts *opts, const td_alloc *alloc, td_skeleton **out,
                          td_diag_list *diags);

// Makes joints of the skeleton those that the object has in its list, lengths times `size`
// (joints.c). Faults are placed.
td_status tdi_object_set_joints(const td_scene *scene, int32_t object, td_real size,
                                td_skeleton *skeleton, td_diag_list *diags);
