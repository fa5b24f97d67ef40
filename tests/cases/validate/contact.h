// SPDX-License-Identifier: MIT
#pragma once

// Rods that touch, for the case contact.

#include "cases/validate/rod.h"

enum { VAL_HEAP_RODS = 6 };

// Rods that are stepped together, one a state, all of one thickness and with as many edges.
typedef struct val_heap {
    val_body strand[VAL_HEAP_RODS];
    td_body *state[VAL_HEAP_RODS];
    td_step_opts opts[VAL_HEAP_RODS];
    int32_t count;
    double radius, edge; // m
    bool closed;
    td_island *island;
    td_collider collider;
    int32_t collider_count;
    double least;         // m: between surfaces, so far
    int32_t touching;     // pairs of edges, now
    const char *quantity; // what steps are for
} val_heap;

val_heap val_heap_empty(const char *quantity, double dt);
// One rod more, and contact when all are there.
void val_heap_add(val_report *report, val_heap *heap, const td_rod_def *def);
void val_heap_ready(val_report *report, val_heap *heap, double friction, double creep);
void val_heap_step(val_report *report, val_heap *heap);
void val_heap_free(val_heap *heap);

// Rows about friction and what moves.
void val_friction(val_report *report, double dt);
