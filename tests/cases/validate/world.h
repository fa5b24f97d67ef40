// SPDX-License-Identifier: MIT
#pragma once

// What the cases of worlds share.

#include "cases/validate/validate.h"

// A world of a scene that was filled by hand.
td_world *val_world_new(val_report *report, const td_scene_def *scene, const char *quantity);
void val_world_step(val_report *report, td_world *world, const char *quantity);
// Sets a number of the world.
void val_world_set(val_report *report, td_world *world, const char *path, double value);
// One object, no air, steps of just this length.
td_scene_def val_still_scene(const td_object_def *object, double dt);
