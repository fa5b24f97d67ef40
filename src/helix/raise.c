// SPDX-License-Identifier: MIT
// Forms that are not positive definite, made so by their eigenvalues.
//
// Turns are in rad, shifts in lengths of the element, curvatures in rad along it. A negative
// eigenvalue gets its absolute value: along negative curvature an increment then goes down, as far
// as one along the positive curvature would.

#include "helix/sweep.h"
#include "math/subspace.h"

#define FLOOR 1e-7 // over the largest eigenvalue: what is less, or was below 0, is raised to this

enum { MOST = 9 };

typedef struct scaled {
    int32_t count; // 3: turns alone, 6: and shifts, 9: and curvatures
    td_real length;
    td_real a[MOST * MOST], v[MOST * MOST];
} scaled;

// ---- there and back -------------------------------------------------------------------------

static void put(scaled *s, int32_t row, int32_t column, td_real x) {
    if (row < s->count && column < s->count) {
        s->a[row * s->count + column] = s->a[column * s->count + row] = x;
    }
}

static void put_sym(scaled *s, int32_t at, const td_sym3 *k, td_real by) {
    const td_real m[3][3] = {{k->xx, k->xy, k->xz}, {k->xy, k->yy, k->yz}, {k->xz, k->yz, k->zz}};
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t j = 0; j < 3; j++) {
            put(s, at + i, at + j, by * m[i][j]);
        }
    }
}

// Columns of a mixed block.
static void put_columns(scaled *s, int32_t row, int32_t column, const td_vec3 k[3], td_real by) {
    for (int32_t j = 0; j < 3; j++) {
        put(s, row, column + j, by * k[j].x);
        put(s, row + 1, column + j, by * k[j].y);
        put(s, row + 2, column + j, by * k[j].z);
    }
}

static void put_block(scaled *s, const tdi_helix_block *b) {
    const td_vec3 mixed[3] = {tdi_mat3_column(&b->b, 0), tdi_mat3_column(&b->b, 1),
                              tdi_mat3_column(&b->b, 2)};
    put_sym(s, 0, &b->a, 1);
    put_columns(s, 0, 3, mixed, s->length);
    put_sym(s, 3, &b->c, s->length * s->length);
}

static td_vec3 part_of(const scaled *s, int32_t j, int32_t from, td_real by) {
    const int32_t n = s->count;
    return from < n ? tdi_vec3(by * s->v[from * n + j], by * s->v[(from + 1) * n + j],
                               by * s->v[(from + 2) * n + j])
                    : tdi_vec3(0, 0, 0);
}

// Adds to the form what its eigenvalues lack.
static void lift(scaled *s, tdi_helix_form *form) {
    const int32_t n = s->count;
    td_real most = 0;
    tdi_diagonalise(s->a, s->v, n);
    for (int32_t j = 0; j < n; j++) {
        most = fmax(most, fabs(s->a[j * n + j]));
    }
    for (int32_t j = 0; j < n; j++) {
        const td_real value = s->a[j * n + j], want = fmax(fabs(value), FLOOR * most);
        const tdi_helix_motion row = {part_of(s, j, 0, 1), part_of(s, j, 3, 1 / s->length),
                                      part_of(s, j, 6, s->length)};
        if (want != value) {
            tdi_helix_form_add_rows(form, &row, &row, want - value);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_helix_raise_form(tdi_helix_form *form, td_real length) {
    scaled s = {.count = 9, .length = length};
    put_block(&s, &form->start);
    put_columns(&s, 0, 6, form->turn_d, 1 / length);
    put_columns(&s, 3, 6, form->shift_d, 1);
    put_sym(&s, 6, &form->d, 1 / (length * length));
    lift(&s, form);
}

void tdi_helix_raise_root(tdi_helix_form *form, td_real length, bool shifts) {
    scaled s = {.count = shifts ? 6 : 3, .length = length};
    put_block(&s, &form->start);
    lift(&s, form);
}
