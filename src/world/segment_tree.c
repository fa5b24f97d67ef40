// SPDX-License-Identifier: MIT
// Boxes of all segments for rays and overlaps.
//
// Order      Segments of an actor keep their order, in which neighbours are near each other. Actors
//            are put in the order of Morton keys of their boxes' centres.
// Margin     Boxes are larger than segments by MARGIN of the radius, so that a ray that touches one
//            within rounding errors touches the box.

#include "world/world.h"

#include "base/diag.h"
#include "base/pool.h"
#include "contact/broad.h"
#include "plant/sort.h"

#include <math.h>
#include <string.h>

#define MARGIN 1e-6
#define BLOCK  64 // segments whose poses are asked for at once

// ---- memory ---------------------------------------------------------------------------------

void tdi_segment_tree_free(td_world *w) {
    tdi_segment_tree *t = &w->segment_tree;
    const size_t actors = (size_t)t->actor_room, segments = (size_t)t->segment_room;
    tdi_alloc_free(w->alloc, t->order, actors * sizeof *t->order);
    tdi_alloc_free(w->alloc, t->keys, actors * sizeof *t->keys);
    tdi_alloc_free(w->alloc, t->found, actors * sizeof *t->found);
    tdi_alloc_free(w->alloc, t->segments, actors * sizeof *t->segments);
    tdi_alloc_free(w->alloc, t->first, actors * sizeof *t->first);
    tdi_alloc_free(w->alloc, t->axis, 2 * segments * sizeof *t->axis);
    tdi_alloc_free(w->alloc, t->box, (size_t)t->box_room * sizeof *t->box);
    memset(t, 0, sizeof *t);
}

// Room for so many, and an eighth more, so that worlds that grow seldom ask.
static td_status make_room(td_world *w, int32_t actors, int64_t segments, int64_t boxes,
                           td_diag *diag) {
    tdi_segment_tree *t = &w->segment_tree;
    if (t->box && actors <= t->actor_room && segments <= t->segment_room && boxes <= t->box_room) {
        return TD_OK;
    }
    tdi_segment_tree_free(w);
    for (int32_t k = 0; k < w->actor_count; k++) {
        w->actors[k].sleep.in_tree = false;
    }
    t->actor_room = actors + actors / 8 + 1;
    t->segment_room = (int32_t)(segments + segments / 8 + 1);
    t->box_room = (int32_t)(boxes + boxes / 8 + 1);
    const size_t n = (size_t)t->actor_room;
    t->order = tdi_alloc_zeroed(w->alloc, n, sizeof *t->order);
    t->keys = tdi_alloc_zeroed(w->alloc, n, sizeof *t->keys);
    t->found = tdi_alloc_zeroed(w->alloc, n, sizeof *t->found);
    t->segments = tdi_alloc_zeroed(w->alloc, n, sizeof *t->segments);
    t->first = tdi_alloc_zeroed(w->alloc, n, sizeof *t->first);
    t->axis = tdi_alloc_zeroed(w->alloc, 2 * (size_t)t->segment_room, sizeof *t->axis);
    t->box = tdi_alloc_zeroed(w->alloc, (size_t)t->box_room, sizeof *t->box);
    if (t->order && t->keys && t->found && t->segments && t->first && t->axis && t->box) {
        return TD_OK;
    }
    tdi_segment_tree_free(w);
    return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for queries among %d segments",
                    (int)segments);
}

// Where the parts of each actor are in the arrays.
static td_status lay_out(td_world *w, td_diag *diag) {
    tdi_segment_tree *t = &w->segment_tree;
    tdi_box_tree actors = tdi_box_tree_layout(w->actor_count);
    int64_t segments = 0, boxes = tdi_box_tree_size(&actors);
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_box_tree own = tdi_box_tree_layout(w->actors[k].segment_count);
        segments += w->actors[k].segment_count;
        boxes += tdi_box_tree_size(&own);
    }
    TDI_TRY(make_room(w, w->actor_count, segments, boxes, diag));
    int32_t at = 0, box = 0;
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_sleep *s = &w->actors[k].sleep;
        tdi_box_tree own = tdi_box_tree_layout(w->actors[k].segment_count);
        own.box = t->box + box;
        s->in_tree = s->in_tree && t->first[k] == at && t->segments[k].box == own.box &&
                     t->segments[k].item_count == own.item_count;
        t->first[k] = at;
        t->segments[k] = own;
        at += own.item_count;
        box += tdi_box_tree_size(&own);
    }
    actors.box = t->box + box;
    t->actors = actors;
    return TD_OK;
}

// ---- boxes ----------------------------------------------------------------------------------

static void enclose(tdi_box_tree *tree, int32_t item, const td_vec3 axis[2], const td_segment *s) {
    const td_real a = s->radius_base * (1 + MARGIN), b = s->radius_tip * (1 + MARGIN);
    const td_vec3 p = axis[0], q = axis[1];
    const td_vec3 low = {tdi_lesser(p.x - a, q.x - b), tdi_lesser(p.y - a, q.y - b),
                         tdi_lesser(p.z - a, q.z - b)};
    const td_vec3 high = {tdi_greater(p.x + a, q.x + b), tdi_greater(p.y + a, q.y + b),
                          tdi_greater(p.z + a, q.z + b)};
    tdi_box_tree_enclose(tree, item, low, high);
}

static void locate(td_world *w, int32_t k) {
    tdi_segment_tree *t = &w->segment_tree;
    const tdi_actor *a = &w->actors[k];
    tdi_box_tree_clear(&t->segments[k]);
    for (int32_t from = 0; from < a->segment_count; from += BLOCK) {
        const int32_t n = a->segment_count - from < BLOCK ? a->segment_count - from : BLOCK;
        td_vec3 origins[BLOCK], tips[BLOCK];
        a->solver->poses(a->state, from, n, origins, tips, NULL);
        for (int32_t i = 0; i < n; i++) {
            td_vec3 *axis = t->axis + 2 * (t->first[k] + from + i);
            axis[0] = tdi_from_simulated(a, origins[i]);
            axis[1] = tdi_from_simulated(a, tips[i]);
            enclose(&t->segments[k], from + i, axis, &a->segments[from + i]);
        }
    }
    tdi_box_tree_finish(&t->segments[k]);
}

static void locate_turn(void *context, int64_t turn) {
    td_world *w = context;
    const tdi_turn_part share = tdi_turn_part_of(w->actor_count, turn);
    for (int32_t k = share.first; k < share.last; k++) {
        tdi_sleep *s = &w->actors[k].sleep;
        if (w->actors[k].alive && !s->in_tree) {
            locate(w, k);
            s->in_tree = w->actors[k].activity == TDI_ASLEEP;
        }
    }
}

static td_vec3 centre_of(const tdi_float_box *b) {
    return tdi_vec3(0.5 * b->low[0] + 0.5 * b->high[0], 0.5 * b->low[1] + 0.5 * b->high[1],
                    0.5 * b->low[2] + 0.5 * b->high[2]);
}

// Removed actors have no box, and are in no leaf.
static tdi_float_box box_of(const td_world *w, int32_t actor) {
    static const tdi_float_box none = {{1, 1, 1}, {-1, -1, -1}};
    return w->actors[actor].alive ? tdi_box_tree_bounds(&w->segment_tree.segments[actor]) : none;
}

static tdi_float_box bounds_of_all(const td_world *w) {
    tdi_float_box all = {{HUGE_VALF, HUGE_VALF, HUGE_VALF}, {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_float_box b = box_of(w, k);
        for (int axis = 0; axis < 3 && b.low[0] <= b.high[0]; axis++) {
            all.low[axis] = fminf(all.low[axis], b.low[axis]);
            all.high[axis] = fmaxf(all.high[axis], b.high[axis]);
        }
    }
    return all;
}

static void order_actors(td_world *w) {
    tdi_segment_tree *t = &w->segment_tree;
    const tdi_float_box all = bounds_of_all(w);
    for (int32_t k = 0; k < w->actor_count; k++) {
        const tdi_float_box b = box_of(w, k);
        t->keys[k] = (uint64_t)tdi_morton(centre_of(&b), &all) << 32 | (uint32_t)k;
    }
    tdi_sort_keys(t->keys, w->actor_count);
    tdi_box_tree_clear(&t->actors);
    for (int32_t k = 0; k < w->actor_count; k++) {
        t->order[k] = (int32_t)(uint32_t)t->keys[k];
        const tdi_float_box b = box_of(w, t->order[k]);
        if (b.low[0] <= b.high[0]) {
            tdi_box_tree_enclose(&t->actors, k, tdi_vec3(b.low[0], b.low[1], b.low[2]),
                                 tdi_vec3(b.high[0], b.high[1], b.high[2]));
        }
    }
    tdi_box_tree_finish(&t->actors);
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_world_poses_changed(td_world *w) {
    w->segment_tree.current = false;
}

td_status tdi_segment_tree_update(td_world *w, td_diag *diag) {
    if (w->segment_tree.current) {
        return TD_OK;
    }
    const td_status status = lay_out(w, diag);
    if (status == TD_OK) {
        tdi_pool_turns(w->pool, tdi_turns_of(w->actor_count), locate_turn, w);
        order_actors(w);
        w->segment_tree.current = true;
    }
    return status;
}
