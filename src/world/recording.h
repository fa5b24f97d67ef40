// SPDX-License-Identifier: MIT
#pragma once

// What a world tells: contacts that begin and end, probes, the log, saves.

#include "world/island.h"

// A pair that touches: actor, segment, other actor or collider, its segment; ids as two numbers.
enum { TDI_PAIR_NUMBERS = 8, TDI_WATCH_MOST = 1 << 24 };

typedef struct tdi_pair {
    uint32_t number[TDI_PAIR_NUMBERS];
} tdi_pair;

// Contacts whose beginning and end a program wants to know.
typedef struct tdi_watch {
    int32_t capacity; // pairs; 0: none
    tdi_pair *last;   // of the last step, sorted
    int32_t last_count;
    tdi_pair *spare;          // room for those of a step
    td_contact *contacts;     // likewise
    td_contact_event *events; // twice as many
    int32_t event_count;
} tdi_watch;

// A number of the scene that may be set while the world moves, or a row of them.
typedef struct tdi_parameter {
    void *at;
    size_t size;
} tdi_parameter;

typedef struct tdi_parameters {
    tdi_parameter *all; // all numbers of the scene that can change
    int32_t count, capacity;
    uint64_t shape;          // of the actors and parameters, mixed: tells saves apart
    uint64_t fixed, contact; // digests of the scene's other numbers, and of its contact's
} tdi_parameters;

typedef struct tdi_probes {
    tdi_spot *spots;
    char (*names)[96];
    int32_t columns;
} tdi_probes;

// What a program wants called after every step.
typedef struct tdi_step_hook {
    td_step_callback call;
    void *context;
} tdi_step_hook;

// ---- functions ------------------------------------------------------------------------------

// logging.c: messages of the log.
void tdi_world_log_made(const td_world *world);
// Where steps are shorter than the scene says.
void tdi_world_log_dt(const td_world *world);
// Logs steps that were hard to solve, and why a step failed.
void tdi_world_log_step(const td_world *world);
void tdi_world_log_failure(const td_world *world, td_status status, const td_diag *diag);

// watch.c
// After an island was solved, before it is accepted: reactions of watched bases.
void tdi_island_react(td_world *world, const tdi_island *island, const tdi_system *system);
// After a step: which contacts began and ended.
void tdi_world_watch(td_world *world);
// After pairs were changed.
void tdi_watch_sort(tdi_watch *watch);
td_status tdi_watch_make(const td_world *world, int32_t capacity, tdi_watch *out);
void tdi_watch_free(const td_world *world, tdi_watch *watch);

// probes.c
td_status tdi_world_make_probes(td_world *world, td_diag_list *diags);

// saving.c: the list of what can change, and the shape.
td_status tdi_world_make_saving(td_world *world);
// The list alone, which stays as it is when that fails; and the shape with one more object. A list
// that is shorter than one before it takes no memory.
td_status tdi_world_list_parameters(td_world *world);
void tdi_world_add_shape(td_world *world, int32_t object);
