// SPDX-License-Identifier: MIT
// Shelter of organs at one node: heads of many florets, tufts and whorls of leaves.
//
// Method   A tuft is a run of organs, one after the other on one parent, whose distance is below
//          a tenth of their size. As they are drawn, each has an outline and all have a common
//          one; the drag of each counts by the share of the common one in the sum of all, the mean
//          over three directions. Organs of which none is behind another keep their drag.

#include "plant/shelter.h"

#include "math/quat.h"
#include "plant/outline.h"

#define NEAR 0.1 // of the smaller size
#define MOST 256 // organs of a tuft; of more, each so many are one

static tdi_drawn_organ drawn(const tdi_store *store, const td_segment *s) {
    return (tdi_drawn_organ){.shape = &store->shapes[s->shape],
                             .polygons = store->polygons,
                             .points = store->points,
                             .size = s->length,
                             .origin = s->attach,
                             .turn = tdi_quat_is_zero(s->initial) ? s->rest : s->initial};
}

static bool is_organ(const td_segment *s) {
    return s->shape != TD_NONE && s->parent != TD_NONE;
}

static bool joins(const td_segment *first, const td_segment *s) {
    return is_organ(s) && s->parent == first->parent &&
           tdi_norm(tdi_sub(s->attach, first->attach)) <= NEAR * fmin(s->length, first->length);
}

static td_real sum_of(td_vec3 a) {
    return a.x + a.y + a.z;
}

static void shelter_tuft(tdi_store *store, const int32_t *member, int32_t count) {
    tdi_drawn_organ organs[MOST] = {drawn(store, &store->segments[member[0]])};
    for (int32_t k = 0; k < count; k++) {
        organs[k] = drawn(store, &store->segments[member[k]]);
    }
    const tdi_outline empty = tdi_outline_around(organs, count);
    tdi_outline all = empty;
    td_real apart = 0;
    for (int32_t k = 0; k < count; k++) {
        tdi_outline one = empty;
        tdi_outline_add(&one, &organs[k]);
        tdi_outline_join(&all, &one);
        apart += sum_of(tdi_outline_areas(&one));
    }
    const td_real common = sum_of(tdi_outline_areas(&all));
    for (int32_t k = 0; k < count && apart > common; k++) {
        store->segments[member[k]].drag *= common / apart;
    }
}

// Organs of one parent follow each other, but for what grows on them.
void tdi_shelter_set(tdi_store *store) {
    int32_t member[MOST], count = 0;
    for (int32_t i = 0; i < store->segment_count; i++) {
        const td_segment *s = &store->segments[i];
        if (count > 0 && count < MOST && joins(&store->segments[member[0]], s)) {
            member[count++] = i;
            continue;
        }
        if (count > 1) {
            shelter_tuft(store, member, count);
        }
        count = 0;
        if (is_organ(s)) {
            member[count++] = i;
        }
    }
    if (count > 1) {
        shelter_tuft(store, member, count);
    }
}
