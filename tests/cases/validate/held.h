// SPDX-License-Identifier: MIT
#pragma once

// Trees with constraints for the cases of `tendril validate`, by each way to solve them.

#include "cases/validate/validate.h"

typedef struct val_way {
    const char *name;
    td_integrator integrator;
    double dt;     // s
    double error;  // m or rad: of a place, at dt
    double order;  // of convergence
    double energy; // part of it that may be lost or gained, at dt
    double open;   // m: how far a loop may open, at dt
} val_way;

extern const val_way val_ways[]; // as published, and implicit
extern const int val_way_count;

#define VAL_HOLDS 4

typedef struct val_held {
    val_body tree;
    td_constraint constraint[VAL_HOLDS];
    int32_t constraint_count;
    td_analytic *analytic; // as published
    td_island *island;     // implicit
    td_step_opts opts;
    const char *what;
} val_held;

val_held val_held_empty(const char *what, const val_way *way, double dt);
// Thin bars one after the other from `start`, in the plane z = 0 at these angles from +x, on hinges
// or ball joints without springs.
void val_held_bars(val_report *report, val_held *held, int32_t count, td_joint_kind joint,
                   const double *length, const double *mass, const double *angle, td_vec3 start);
// Makes the tree hold its constraints. Closes it when it fails.
void val_held_open(val_report *report, val_held *held);
void val_held_step(val_report *report, val_held *held);
void val_held_close(val_held *held);
