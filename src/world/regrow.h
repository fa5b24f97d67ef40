// SPDX-License-Identifier: MIT
#pragma once

// Actors that get another skeleton, or are cut in two.

#include "plant/cut.h"
#include "tendril/grow.h"
#include "world/world.h"

enum { TDI_STAYS, TDI_FALLS, TDI_PARTS };

// Where the segments of an actor have come.
typedef struct tdi_trace {
    int32_t from;             // the actor
    int32_t actor[TDI_PARTS]; // what it is now, and what fell off it; TD_NONE: nothing did
    int32_t *next[TDI_PARTS]; // an old segment: its number on each, or TD_NONE
    int32_t count;            // of old segments
    int32_t split;            // a segment that is on both, or TD_NONE,
    td_real height;           // m: which was cut here
} tdi_trace;

// An actor that becomes another one, and maybe one more.
typedef struct tdi_change {
    tdi_trace trace;
    int32_t parts;              // 1, or 2
    int32_t variant[TDI_PARTS]; // of their own; TD_NONE: not made yet
    const tdi_segment_source *segment_map[TDI_PARTS];
    tdi_actor next[TDI_PARTS]; // with memory of their own
    bool made[TDI_PARTS];
    bool more;                 // the severed part has a new place
    tdi_severed_pairs severed; // pairs that come with it
} tdi_change;

// actor_variants.c: variants of one actor.
// One that is free takes a skeleton over: its number, or TD_NONE when there is no memory.
int32_t tdi_world_take_variant(td_world *world, int32_t object, const tdi_solver *solver,
                               td_skeleton *skeleton);
// It is free again. None is TD_NONE, and nothing happens to those of the scene.
void tdi_world_drop_variant(td_world *world, int32_t variant);
// Whether any segment comes from an old one.
static inline bool tdi_has_segment_map(const tdi_segment_source *segment_map, int32_t count) {
    bool any = false;
    for (int32_t i = 0; i < count && !any; i++) {
        any = segment_map[i].segment != TD_NONE;
    }
    return any;
}
// Makes it of the skeleton alone, for springs to be set; and what is left to do then.
td_status tdi_variant_plain(td_world *world, int32_t variant, td_diag *diag);
td_status tdi_variant_end_model(td_world *world, int32_t variant, td_diag *diag);
// Makes its model, as the scene would, but for a solver that keeps what there was of another one,
// which has grown.
td_status tdi_variant_grow(td_world *world, int32_t variant, int32_t from,
                           const tdi_segment_source *segment_map, td_diag *diag);
// Makes its model with the springs of another one, whose heir it is.
td_status tdi_variant_adopt(td_world *world, int32_t variant, int32_t from,
                            const tdi_segment_source *segment_map, td_diag *diag);

// replace_variant.c
// Whether an actor can be cut, and grow.
td_status tdi_actor_check_growth(const td_world *world, const tdi_actor *actor, bool cut,
                                 td_diag *diag);
// Of an actor into so many parts. What fails leaves everything as it was.
td_status tdi_change_new(td_world *world, int32_t actor, int32_t parts, tdi_change *out);
// Makes all that it becomes, of variants that have their models.
td_status tdi_change_make(td_world *world, tdi_change *change, td_diag *diag);
// They take their places; `check`: unless something is in their way.
td_status tdi_change_commit(td_world *world, tdi_change *change, bool check, td_diag *diag);
void tdi_change_free(td_world *world, tdi_change *change);

// regrow.c: another skeleton for an actor, as drawn on its base.
td_status tdi_actor_renew(td_world *world, int32_t actor, const td_skeleton *skeleton,
                          td_diag *diag);

// The same skeleton and model, of which nobody else has a share.
td_status tdi_actor_make_own(td_world *world, int32_t actor, td_diag *diag);

// follow.c
// Where a segment, and a point of it, has come; false: nowhere. `point` may be NULL.
bool tdi_trace_find(const tdi_trace *trace, int32_t *actor, int32_t *segment, td_vec3 *point);
// What of the scene acts on a part of an actor, in its list, which has room for all.
void tdi_trace_acting(const tdi_trace *trace, const tdi_actor *from, int part, tdi_actor *to);
// All that names segments of the actor, as it was before, follows.
void tdi_world_follow_trace(td_world *world, const tdi_trace *trace, const tdi_actor *before);

// attach.c: constraints that a program has added hold on to the segments of an actor that has
// changed; those at segments that are no more go. Without memory nothing changes.
td_status tdi_world_remap_constraints(td_world *world, const tdi_trace *trace, td_diag *diag);

// severed.c
// Notes pairs, of what stays of an actor and of what falls off it, that are too near each other to
// touch, and makes room for them in the world's.
td_status tdi_change_find_severed(td_world *world, tdi_change *change, int32_t segment);
td_status tdi_severed_reserve(tdi_severed_pairs *severed, int64_t count, const td_alloc *alloc);
void tdi_severed_free(tdi_severed_pairs *severed, const td_alloc *alloc);
void tdi_world_remap_severed(td_world *world, const tdi_trace *trace);
// Takes pairs for which there is room.
void tdi_world_add_severed(td_world *world, const tdi_severed_pairs *more);
