// SPDX-License-Identifier: MIT
#pragma once

// Helices for the cases of `tendril validate`.

#include "cases/validate/validate.h"

void val_helix_new(val_report *report, const td_helix_element *elements, int32_t count,
                   val_body *helix);
// As it started.
void val_helix_restart(val_report *report, val_body *helix);

// A row of equal elements, each at the end of the one before: `first` is the first of them.
void val_helix_row(val_report *report, const td_helix_element *first, int32_t count,
                   val_body *helix);
// The beam of a rod of segments, as a row of beam->count elements.
void val_helix_beam(val_report *report, const val_rod *beam, val_body *helix);

// One of `count` elements of a curl of unit length, stiffness and mass.
td_helix_element val_helix_curl(int32_t count);

// What random helices may be: each element grows from the end or a random place of an earlier one.
typedef struct val_helix_wild {
    int32_t least, most; // elements
    double bend; // rad over its length: how far an element is bent and twisted at ease, at most
    double off;  // rad: and how far from that at the start
    double soft, stiff; // N m^2: stiffness is between them
    double damping;     // s: friction over stiffness, at most
    bool aside;         // elements start beside their parents and turned, otherwise smoothly
    bool floating;      // on a free start; otherwise clamped
} val_helix_wild;

enum { VAL_HELIX_MOST = 30 };

// Returns how many they are.
int32_t val_helix_draw(val_random *random, const val_helix_wild *wild,
                       td_helix_element elements[VAL_HELIX_MOST]);
