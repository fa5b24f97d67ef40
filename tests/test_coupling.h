// SPDX-License-Identifier: MIT
#pragma once

// The coupling of contacts between two capsules, as a dense matrix. Rows are three coordinates a
// point, then three turns a capsule.

#include "cases/dense.h"
#include "contact/contact.h"
#include "math/mat3.h"

// How one side of a contact slips by one of its two points, or by its turn: 3x3. One that resists
// rolling knows turns alone.
static inline tdi_mat3 test_slip_by(const tdi_contact *t, int side, int e) {
    const td_real w = t->rolling ? 0 : t->row.weight[2 * side + (e & 1)];
    return e < 2 ? (tdi_mat3){{w, 0, 0, 0, w, 0, 0, 0, w}}
                 : tdi_mat3_cross(tdi_scale(t->row.normal, t->row.arm[side]));
}

// Adds a 3x3 block and its transposed one.
static inline void test_add_block(const tdi_mat3 *b, int32_t row, int32_t column, td_real *c,
                                  int32_t stride) {
    for (int j = 0; j < 9; j++) {
        DENSE_AT(c, 3 * row + j / 3, 3 * column + j % 3) += b->m[j];
        DENSE_AT(c, 3 * column + j % 3, 3 * row + j / 3) += b->m[j];
    }
}

// Adds a contact to C: that of a barrier has points alone, frictions have turns too.
static inline void test_add_coupling(const tdi_contact *t, int32_t points, td_real *c,
                                     int32_t stride) {
    const bool slips = t->row.arm[0] != 0 || t->row.arm[1] != 0;
    const int32_t own[3] = {t->row.point[0], t->row.point[1], points + t->row.capsule},
                  other[3] = {t->row.point[2], t->row.point[3], points + t->row.other};
    const tdi_mat3 h = tdi_mat3_from_sym3(&t->hessian);
    for (int k = 0; k < (slips ? 3 : 2); k++) {
        for (int l = 0; l < (slips ? 3 : 2); l++) {
            tdi_mat3 block;
            if (slips) {
                const tdi_mat3 a = test_slip_by(t, 0, k), b = test_slip_by(t, 1, l),
                               back = tdi_mat3_transposed(&a), hb = tdi_mat3_mul(&h, &b);
                block = tdi_mat3_mul(&back, &hb);
            } else {
                block = tdi_contact_block(t, k, 2 + l);
            }
            test_add_block(&block, own[k], other[l], c, stride);
        }
    }
}
