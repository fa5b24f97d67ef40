// SPDX-License-Identifier: MIT
#pragma once

// The tables of all that a scene can say: read by the reader, the timeline and the reference.

#include "tendril/scene.h"
#include "scene/fields.h"

extern const tdi_scene_table tdi_scene_all;

// How scenes name the solvers: those who have the solvers define it.
extern const tdi_choice tdi_solver_choices[];
