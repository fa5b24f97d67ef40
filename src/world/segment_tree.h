// SPDX-License-Identifier: MIT
#pragma once

// Boxes of all segments for rays and overlaps: a tree over the actors, and one over the segments of
// each actor. Made when a query asks for it, and brought up to date by the first query after a
// change. Actors that sleep are not looked at again.

#include "contact/box_tree.h"
#include "contact/cast.h"

typedef struct td_world td_world;

typedef struct tdi_segment_tree {
    bool current;           // no pose has changed since the last query
    int32_t actor_room;     // of the arrays below
    int32_t segment_room;   // of axis,
    int32_t box_room;       // and of box
    tdi_box_tree actors;    // items: places of `order`
    int32_t *order;         // actors, neighbours near each other
    uint64_t *keys;         // scratch, an actor
    int32_t *found;         // likewise
    tdi_box_tree *segments; // of an actor
    int32_t *first;         // of an actor, in `axis`
    td_vec3 *axis;          // joint and tip of each segment
    tdi_float_box *box;     // of the trees of all actors, that of the actors last
} tdi_segment_tree;

// Brings the tree of a world up to date. Allocates when it has grown.
td_status tdi_segment_tree_update(td_world *world, td_diag *diag);
// Poses have changed since the last query, but for those of actors that sleep.
void tdi_world_poses_changed(td_world *world);
void tdi_segment_tree_free(td_world *world);
