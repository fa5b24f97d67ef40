// SPDX-License-Identifier: MIT
#pragma once

// What the two parts of the broad phase share: boxes and motions (broad.c), and grids (grids.c).

#include "contact/contact_set.h"

static inline td_real tdi_lesser(td_real a, td_real b) { // unlike fmin one instruction
    return a < b ? a : b;
}

static inline td_real tdi_greater(td_real a, td_real b) {
    return a > b ? a : b;
}

static inline void tdi_grow(tdi_bounds *b, td_vec3 x) {
    b->low =
        tdi_vec3(tdi_lesser(b->low.x, x.x), tdi_lesser(b->low.y, x.y), tdi_lesser(b->low.z, x.z));
    b->high = tdi_vec3(tdi_greater(b->high.x, x.x), tdi_greater(b->high.y, x.y),
                       tdi_greater(b->high.z, x.z));
}

static inline bool tdi_overlap(const tdi_bounds *a, const tdi_bounds *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}

// A motion, and what all points do together in it.
typedef struct tdi_search_motion {
    const td_vec3 *x, *dx; // dx may be NULL
    td_vec3 center, mean;  // of all x and dx
} tdi_search_motion;

typedef struct tdi_search {
    tdi_contacts *c;
    const tdi_search_motion *m;
    bool apart; // each capsule moves by itself
} tdi_search;

// Whether two capsules i < j whose boxes overlap can meet. Sets *dropped when they cannot because
// their boxes overlap at different times, so that this does not hold for less of the motion.
bool tdi_search_takes(const tdi_search *search, int32_t i, int32_t j, bool *dropped);

// Finds all pairs of capsules whose boxes c->fat overlap and that the search takes, in order, into
// c->pair. False: there are too many.
bool tdi_grids_find(const tdi_search *search, bool *dropped);
