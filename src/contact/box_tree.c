// SPDX-License-Identifier: MIT
// A tree of boxes over items in a fixed order.
//
// Rounding   A box in single precision holds the one that was given. The slab test of a ray has a
//            relative error of a few roundings in the distance; the end of the interval is moved by
//            more than that (Ize, Robust BVH ray traversal, 2013).

#include "contact/box_tree.h"

#include "tendril/base.h"

#include <math.h>

#define ROUNDING (1 + 16 * 2.220446049250313e-16)

// ---- boxes ----------------------------------------------------------------------------------

tdi_box_tree tdi_box_tree_layout(int32_t item_count) {
    tdi_box_tree t = {.item_count = item_count};
    int64_t count = item_count;
    do {
        count = (count + TDI_BOX_FAN - 1) / TDI_BOX_FAN;
        t.first[t.level_count + 1] = t.first[t.level_count] + (int32_t)count;
        t.level_count++;
    } while (count > 1);
    return t;
}

static const tdi_float_box empty = {{HUGE_VALF, HUGE_VALF, HUGE_VALF},
                                    {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF}};

void tdi_box_tree_clear(tdi_box_tree *t) {
    for (int32_t k = 0; k < t->first[1]; k++) {
        t->box[k] = empty;
    }
}

// More than the rounding to single precision.
static td_real slack(td_real x) {
    return fabs(x) * 1.2e-7 + 1e-38;
}

static float below(td_real x) {
    return (float)(x - slack(x));
}

static float above(td_real x) {
    return (float)(x + slack(x));
}

static void enclose(tdi_float_box *b, const float low[3], const float high[3]) {
    for (int k = 0; k < 3; k++) {
        b->low[k] = low[k] < b->low[k] ? low[k] : b->low[k];
        b->high[k] = high[k] > b->high[k] ? high[k] : b->high[k];
    }
}

void tdi_box_tree_enclose(tdi_box_tree *t, int32_t item, td_vec3 low, td_vec3 high) {
    const float from[3] = {below(low.x), below(low.y), below(low.z)};
    const float to[3] = {above(high.x), above(high.y), above(high.z)};
    enclose(&t->box[item / TDI_BOX_FAN], from, to);
}

void tdi_box_tree_finish(tdi_box_tree *t) {
    for (int32_t level = 1; level < t->level_count; level++) {
        const tdi_float_box *lower = t->box + t->first[level - 1];
        const int32_t lowers = t->first[level] - t->first[level - 1];
        tdi_float_box *box = t->box + t->first[level];
        for (int32_t k = 0; k < lowers; k++) {
            if (k % TDI_BOX_FAN == 0) {
                box[k / TDI_BOX_FAN] = empty;
            }
            enclose(&box[k / TDI_BOX_FAN], lower[k].low, lower[k].high);
        }
    }
}

tdi_float_box tdi_box_tree_bounds(const tdi_box_tree *t) {
    return t->item_count > 0 ? t->box[t->first[t->level_count] - 1] : empty;
}

// ---- order ----------------------------------------------------------------------------------

// Ten bits, two zeros after each.
static uint32_t spread(uint32_t x) {
    x = (x | x << 16) & 0x030000FF;
    x = (x | x << 8) & 0x0300F00F;
    x = (x | x << 4) & 0x030C30C3;
    return (x | x << 2) & 0x09249249;
}

static uint32_t tenth_bits(td_real x, float low, float high) {
    const td_real part = high > low ? (x - low) / ((td_real)high - low) : 0;
    return part > 0 ? (uint32_t)fmin(part * 1024, 1023) : 0;
}

uint32_t tdi_morton(td_vec3 x, const tdi_float_box *within) {
    return spread(tenth_bits(x.x, within->low[0], within->high[0])) |
           spread(tenth_bits(x.y, within->low[1], within->high[1])) << 1 |
           spread(tenth_bits(x.z, within->low[2], within->high[2])) << 2;
}

// ---- probes ---------------------------------------------------------------------------------

static td_real ray_entry(const tdi_probe *p, const tdi_float_box *b, td_real most) {
    const td_real o[3] = {p->origin.x, p->origin.y, p->origin.z};
    const td_real d[3] = {p->direction.x, p->direction.y, p->direction.z};
    td_real from = 0, to = most;
    for (int k = 0; k < 3; k++) {
        const td_real low = b->low[k] - p->radius - o[k], high = b->high[k] + p->radius - o[k];
        if (d[k] == 0) {
            if (low > 0 || high < 0) {
                return HUGE_VAL;
            }
            continue;
        }
        const td_real at_low = low / d[k], at_high = high / d[k];
        const td_real enter = at_low < at_high ? at_low : at_high;
        const td_real leave = (at_low < at_high ? at_high : at_low) * ROUNDING;
        from = enter > from ? enter : from;
        to = leave < to ? leave : to;
    }
    return from <= to * ROUNDING ? from / ROUNDING : HUGE_VAL;
}

static td_real outside(td_real x, float low, float high) {
    return x < low ? low - x : x > high ? x - high : 0;
}

static td_real point_entry(const tdi_probe *p, const tdi_float_box *b) {
    const td_vec3 away = {outside(p->origin.x, b->low[0], b->high[0]),
                          outside(p->origin.y, b->low[1], b->high[1]),
                          outside(p->origin.z, b->low[2], b->high[2])};
    return tdi_norm(away) / ROUNDING;
}

static bool boxes_meet(const tdi_probe *p, const tdi_float_box *b) {
    return p->origin.x <= b->high[0] && p->high.x >= b->low[0] && p->origin.y <= b->high[1] &&
           p->high.y >= b->low[1] && p->origin.z <= b->high[2] && p->high.z >= b->low[2];
}

// How far from the origin a probe meets a box, at the least; above `most`: it does not. Overlaps of
// a box are at 0.
static td_real entry_of(const tdi_probe *p, const tdi_float_box *box, td_real most) {
    return !(box->low[0] <= box->high[0]) ? HUGE_VAL
           : p->kind == TDI_PROBE_RAY     ? ray_entry(p, box, most)
           : p->kind == TDI_PROBE_POINT   ? point_entry(p, box)
           : boxes_meet(p, box)           ? 0
                                          : HUGE_VAL;
}

// ---- walks ----------------------------------------------------------------------------------

static void push(tdi_walk *w, int32_t level, int32_t index, td_real entry) {
    w->stack[w->depth].level = level;
    w->stack[w->depth].index = index;
    w->stack[w->depth].entry = entry;
    w->depth++;
}

void tdi_walk_start(tdi_walk *w, const tdi_box_tree *tree, const tdi_probe *probe, td_real most) {
    w->tree = tree;
    w->probe = probe;
    w->depth = 0;
    const tdi_float_box all = tdi_box_tree_bounds(tree);
    const td_real entry = entry_of(probe, &all, most);
    if (entry <= most && entry < HUGE_VAL) {
        push(w, tree->level_count - 1, 0, entry);
    }
}

// Children of a node go on the stack with the nearest on top; of equals the first.
static void push_children(tdi_walk *w, int32_t level, int32_t index, td_real most) {
    const tdi_box_tree *t = w->tree;
    const int32_t count = t->first[level + 1] - t->first[level];
    const int32_t begin = index * TDI_BOX_FAN;
    const int32_t end = begin + TDI_BOX_FAN < count ? begin + TDI_BOX_FAN : count;
    const int32_t bottom = w->depth;
    for (int32_t k = end - 1; k >= begin; k--) {
        const td_real entry = entry_of(w->probe, &t->box[t->first[level] + k], most);
        if (!(entry <= most && entry < HUGE_VAL)) {
            continue;
        }
        push(w, level, k, entry);
        for (int32_t j = w->depth - 1; j > bottom && w->stack[j - 1].entry < entry; j--) {
            const int32_t other = w->stack[j - 1].index;
            const td_real its = w->stack[j - 1].entry;
            w->stack[j - 1].index = k;
            w->stack[j - 1].entry = entry;
            w->stack[j].index = other;
            w->stack[j].entry = its;
        }
    }
}

int32_t tdi_walk_next(tdi_walk *w, td_real most) {
    while (w->depth > 0) {
        w->depth--;
        const int32_t level = w->stack[w->depth].level, index = w->stack[w->depth].index;
        if (w->stack[w->depth].entry > most) {
            continue;
        }
        if (level == 0) {
            return index;
        }
        push_children(w, level - 1, index, most);
    }
    return TD_NONE;
}
