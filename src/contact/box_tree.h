// SPDX-License-Identifier: MIT
#pragma once

// A tree of boxes over items in a fixed order. Four items, or four nodes of the level below, share
// a box, so that a tree is nothing but an array of boxes. Boxes are in single precision and rounded
// outward.
//
//   tdi_box_tree_layout    where each level begins; box_count boxes, which the caller provides
//   tdi_box_tree_enclose   once for each item; then tdi_box_tree_finish
//   tdi_walk_start         then tdi_walk_next gives the leaves that a probe meets, nearest first

#include "math/vec3.h"

#include <stdbool.h>

#define TDI_BOX_FAN    4
#define TDI_BOX_LEVELS 16 // of 2^31 items

typedef struct tdi_float_box {
    float low[3], high[3];
} tdi_float_box;

typedef struct tdi_box_tree {
    int32_t item_count;
    int32_t level_count;               // level 0 has the leaves
    int32_t first[TDI_BOX_LEVELS + 1]; // of a level, in `box`; then the count of boxes
    tdi_float_box *box;
} tdi_box_tree;

tdi_box_tree tdi_box_tree_layout(int32_t item_count);

static inline int32_t tdi_box_tree_size(const tdi_box_tree *t) { // boxes
    return t->first[t->level_count];
}

void tdi_box_tree_clear(tdi_box_tree *t); // no leaf has items
void tdi_box_tree_enclose(tdi_box_tree *t, int32_t item, td_vec3 low, td_vec3 high);
void tdi_box_tree_finish(tdi_box_tree *t);
// Around all items; low above high when there are none.
tdi_float_box tdi_box_tree_bounds(const tdi_box_tree *t);

// Places items on a curve that fills space (Morton's), so that neighbours in the order are near
// each other: the key of a point within a box.
uint32_t tdi_morton(td_vec3 x, const tdi_float_box *within);

// ---- probes ---------------------------------------------------------------------------------

typedef enum tdi_probe_kind {
    TDI_PROBE_RAY,   // from `origin` along `direction`, of unit length, with a radius
    TDI_PROBE_POINT, // at `origin`
    TDI_PROBE_BOX,   // from `origin` to `high`
} tdi_probe_kind;

typedef struct tdi_probe {
    tdi_probe_kind kind;
    td_vec3 origin, direction, high;
    td_real radius;
} tdi_probe;

typedef struct tdi_walk {
    const tdi_box_tree *tree;
    const tdi_probe *probe;
    int32_t depth; // of the stack
    struct {
        int32_t level, index;
        td_real entry;
    } stack[(TDI_BOX_FAN - 1) * TDI_BOX_LEVELS + 1];
} tdi_walk;

void tdi_walk_start(tdi_walk *w, const tdi_box_tree *tree, const tdi_probe *probe, td_real most);
// The next leaf that the probe meets no farther than `most`, or TD_NONE. Its items are from
// TDI_BOX_FAN times the leaf on. Boxes are visited in order, unless the probe is a ray or a point.
int32_t tdi_walk_next(tdi_walk *w, td_real most);
