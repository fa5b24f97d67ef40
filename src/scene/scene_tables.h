// SPDX-License-Identifier: MIT
#pragma once

// The tables of all that a scene can say: read by the reader, the timeline and the reference.

#include "tendril/scene.h"
#include "scene/fields.h"

extern const tdi_scene_table tdi_scene_all;
extern const tdi_scene_table tdi_object_table;
extern const tdi_scene_table tdi_constraint_table;
extern const tdi_choice tdi_integrators[];
extern const tdi_choice tdi_laws[];
extern const tdi_choice tdi_organs[];
