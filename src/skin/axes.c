// SPDX-License-Identifier: MIT
// Which stem segments form one tube.
//
// Rule     a stem continues the tube of its parent when it starts at the parent's tip, bends away
//          by less than MAX_BEND, is of similar radius, and no sister of which the same is true
//          bends less (or as much and is thicker). Every other stem begins a tube of its own.

#include "skin/posed.h"

#include "math/quat.h"

#define AT_TIP     1e-6                // of the parent's length: how far off a joint may be
#define MAX_BEND   (75 * TDI_PI / 180) // rad: beyond, a round elbow looks better than a sweep
#define SAME_BEND  1e-6                // rad: bends that differ by less are equal
#define LEAST_TURN 0.4                 // cosine: beyond, a cross-section does not go on
#define MIN_RATIO  0.35                // of the radii: beyond, a tube would taper like a funnel

td_vec3 tdi_posed_tip(const tdi_posed *posed, int32_t segment) {
    td_vec3 tip = tdi_quat_rotate(posed->rotations[segment], posed->segments[segment].tip);
    return tdi_add(posed->origins[segment], tip);
}

static bool is_stem(const tdi_posed *posed, int32_t segment) {
    return posed->segments[segment].shape == TD_NONE;
}

// rad, between the directions of a segment and of its parent
static td_real bend_of(const tdi_posed *posed, int32_t segment) {
    int32_t parent = posed->segments[segment].parent;
    td_vec3 a = tdi_sub(tdi_posed_tip(posed, parent), posed->origins[parent]);
    td_vec3 b = tdi_sub(tdi_posed_tip(posed, segment), posed->origins[segment]);
    return atan2(tdi_norm(tdi_cross(a, b)), tdi_dot(a, b));
}

// A cross-section goes on where its axes do; after a roll another stem begins. Round stems match.
static bool section_goes_on(const tdi_posed *posed, int32_t segment) {
    const td_segment *child = &posed->segments[segment];
    int32_t contour = posed->segments[child->parent].contour;
    if (child->contour != contour || contour == 0) {
        return child->contour == contour;
    }
    td_vec3 x = tdi_vec3(1, 0, 0);
    return tdi_dot(tdi_quat_rotate(posed->rotations[segment], x),
                   tdi_quat_rotate(posed->rotations[child->parent], x)) > LEAST_TURN;
}

static bool may_continue(const tdi_posed *posed, int32_t segment) {
    const td_segment *child = &posed->segments[segment], *parent = &posed->segments[child->parent];
    td_vec3 gap = tdi_sub(tdi_posed_tip(posed, child->parent), posed->origins[segment]);
    return section_goes_on(posed, segment) && tdi_norm(gap) <= AT_TIP * parent->length &&
           bend_of(posed, segment) < MAX_BEND &&
           child->radius_base >= MIN_RATIO * parent->radius_tip &&
           parent->radius_tip >= MIN_RATIO * child->radius_base;
}

static bool is_better(const tdi_posed *posed, int32_t segment, int32_t rival) {
    td_real gain = bend_of(posed, rival) - bend_of(posed, segment);
    if (fabs(gain) > SAME_BEND) {
        return gain > 0;
    }
    return posed->segments[segment].radius_base > posed->segments[rival].radius_base;
}

void tdi_axes_find(const tdi_posed *posed, const tdi_axes *axes) {
    for (int32_t i = 0; i < posed->count; i++) {
        axes->next[i] = TD_NONE;
        axes->first[i] = is_stem(posed, i);
        axes->bears[i] = false;
        int32_t parent = posed->segments[i].parent;
        if (parent == TD_NONE || !is_stem(posed, parent)) {
            continue;
        }
        int32_t rival = axes->next[parent];
        bool wins = is_stem(posed, i) && may_continue(posed, i) &&
                    (rival == TD_NONE || is_better(posed, i, rival));
        axes->bears[parent] |= !wins || rival != TD_NONE;
        if (wins) {
            axes->next[parent] = i;
            axes->first[i] = false;
        }
        if (wins && rival != TD_NONE) {
            axes->first[rival] = true;
        }
    }
}
