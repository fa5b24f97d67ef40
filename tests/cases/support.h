// SPDX-License-Identifier: MIT
#pragma once

// What cases of validations and benchmarks need besides the public headers: a clock, plants and
// scenes from files.

#include "tendril/tendril.h"

#include <stdbool.h>
#include <stdio.h>

double case_seconds(void); // s, of a clock that never goes back
int32_t case_core_count(void);
// "tendril: " and a line on standard error.
void case_error(const char *format, ...);
// Of calls that set up a case, and fail by our mistake alone: ends the program.
void case_must(td_status status);

// A plant with a tree, in its initial pose.
typedef struct case_plant {
    td_skeleton *skeleton;
    td_body_model *model;
    td_body *state;
} case_plant;

// Grows a model by so many derivation steps, below 0: as many as its text says. False after it has
// said why; then it is empty.
bool case_plant_open(const char *path, int64_t steps, case_plant *plant);
void case_plant_free(case_plant *plant); // empty is allowed

typedef struct case_scene {
    td_bytes text;
    td_scene *scene;
    td_world *world; // NULL: it was only read
} case_scene;

// False after it has said why; then it is empty.
bool case_scene_read(const char *path, case_scene *scene);
bool case_scene_open(const char *path, int32_t threads, const td_alloc *alloc, case_scene *scene);
void case_scene_free(case_scene *scene); // empty is allowed
