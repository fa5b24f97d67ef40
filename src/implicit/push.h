// SPDX-License-Identifier: MIT
#pragma once

// Pairs of capsules that overlapped when their bodies were placed, which are pushed apart.
//
// Contact skips these pairs, so that it sees nothing that overlaps. In place of contact a pair has
// a soft force along one direction: it moves the two sides apart, relative to each other by no more
// than `speed` in a step, and it is bounded. Once the gap is open the caller removes the pair from
// the list, and contact keeps it apart from then on.

#include "contact/contact.h"
#include "implicit/implicit.h"

// What lasts from step to step, and is saved: without gaps between fields.
typedef struct tdi_push_pair {
    int32_t number[2];  // of the bodies, as in tdi_collision_identity, in order
    int32_t capsule[2]; // of each body; in order if both are of the same
    td_vec3 normal;     // unit: along it the first side moves away from the second
    td_real gap;        // m: of the surfaces when the last step ended; below 0 they overlap
} tdi_push_pair;

typedef struct tdi_push_item {
    tdi_push_pair pair;
    // in a step
    bool acts; // both bodies are in the system
    tdi_contact_rows row;
    td_real target;    // m: distance of the axes along the normal that the step is to reach
    td_real stiffness; // N/m
    td_real most;      // N
} tdi_push_item;

struct tdi_pushes {
    tdi_push_item *item; // sorted by numbers, then by capsules
    int32_t count;
    int64_t capacity;
    td_real speed; // m/s
};

// Both axes of a pair, and the sum of the radii.
typedef struct tdi_push_axes {
    td_vec3 a, b, c, d; // m: ends of the first and of the second
    td_real radii, range;
} tdi_push_axes;

// Where two capsules are nearest.
typedef struct tdi_push_place {
    td_real s, t; // 0..1 on each
    td_vec3 x;    // m: on the first axis
    td_vec3 normal;
    td_real gap;    // m: of the surfaces
    td_real height; // m: of the axes along the normal
} tdi_push_place;

// Of capsules with these points.
tdi_push_axes tdi_push_axes_of(const tdi_capsule *i, const tdi_capsule *j, const td_vec3 *x,
                               const td_vec3 *y, td_real gap);
// `before` is the normal so far, or 0 of a new pair. The normal keeps its side while the axes pass
// through each other. Axes that meet are pushed apart across both of them, in the direction that
// their cross product has.
tdi_push_place tdi_push_place_of(const tdi_push_axes *axes, td_vec3 before);

// In the order of the list.
int tdi_push_compare(const tdi_push_pair *a, const tdi_push_pair *b);
// The first of the list that does not come before a pair.
int32_t tdi_pushes_find(const struct tdi_pushes *pushes, const tdi_push_pair *pair);
// Whether a pair of capsules is in the list, in any order.
bool tdi_pushes_has(const struct tdi_pushes *pushes, const int32_t number[2],
                    const int32_t capsule[2]);
