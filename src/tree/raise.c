// SPDX-License-Identifier: MIT
// Symmetric matrices made positive, by their eigenvalues.

#include "tree/raise.h"

#include "tree/kernels.h"

#define PIVOT_FLOOR  1e-13 // over the trace: below this a pivot is noise
#define RAISED_FLOOR 1e-4  // over the largest eigenvalue: less is raised to this

// Eigenvalues and eigenvectors of a symmetric matrix, by Jacobi's rotations.
static void eigen(td_sym3 s, td_real value[3], td_vec3 vector[3]) {
    td_real a[3][3] = {{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}};
    td_real v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int k = 0; k < 12; k++) {
        int p = k % 3 == 2 ? 1 : 0, q = k % 3 == 0 ? 1 : 2;
        if (a[p][q] == 0) {
            continue;
        }
        td_real t = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        t = (t < 0 ? -1 : 1) / (fabs(t) + sqrt(t * t + 1));
        td_real c = 1 / sqrt(t * t + 1), n = t * c;
        for (int i = 0; i < 3; i++) {
            td_real x = a[i][p], y = a[i][q];
            a[i][p] = c * x - n * y;
            a[i][q] = n * x + c * y;
        }
        for (int i = 0; i < 3; i++) {
            td_real x = a[p][i], y = a[q][i], vx = v[i][p], vy = v[i][q];
            a[p][i] = c * x - n * y;
            a[q][i] = n * x + c * y;
            v[i][p] = c * vx - n * vy;
            v[i][q] = n * vx + c * vy;
        }
    }
    for (int k = 0; k < 3; k++) {
        value[k] = a[k][k];
        vector[k] = tdi_vec3(v[0][k], v[1][k], v[2][k]);
    }
}

static td_sym3 compose(const td_real value[3], const td_vec3 vector[3]) {
    td_sym3 s = tdi_sym3_square(vector[0], value[0]);
    s = tdi_sym3_add(s, tdi_sym3_square(vector[1], value[1]));
    return tdi_sym3_add(s, tdi_sym3_square(vector[2], value[2]));
}

// The positive part of a symmetric matrix.
td_sym3 tdi_positive_part(td_sym3 s) {
    td_real value[3];
    td_vec3 vector[3];
    eigen(s, value, vector);
    for (int k = 0; k < 3; k++) {
        value[k] = value[k] > 0 ? value[k] : 0;
    }
    return compose(value, vector);
}

// The same with the absolute values of its eigenvalues, none far below the largest.
static td_sym3 absolute(td_sym3 s) {
    td_real value[3];
    td_vec3 vector[3];
    eigen(s, value, vector);
    td_real most = fmax(fabs(value[0]), fmax(fabs(value[1]), fabs(value[2])));
    for (int k = 0; k < 3; k++) {
        value[k] = fmax(fabs(value[k]), RAISED_FLOOR * most);
    }
    return compose(value, vector);
}

static inline td_real pivot_floor(const td_sym3 *s) {
    return PIVOT_FLOOR * (fabs(s->xx) + fabs(s->yy) + fabs(s->zz)) + 1e-300;
}

// Makes the Hessian [A B; B^T C] of what a joint carries positive definite: C, if it is not, and
// the complement S = A - B C^-1 B^T get the absolute values of their eigenvalues. A step along an
// eigenvector whose curvature is negative then goes down, as far as one of the positive curvature.
void tdi_raise_block(tdi_block *block) {
    const td_real *b = block->b.m;
    const tdi_mat3 bt = {{b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]}};
    const td_real floor = pivot_floor(&block->c);
    tdi_ldl3 c;
    if (tdi_ldl3_factor(&c, &block->c, floor)) {
        block->c = absolute(block->c);
        tdi_ldl3_factor(&c, &block->c, floor);
    }
    const tdi_mat3 cb = tdi_solve_columns(&c, &bt);
    const td_sym3 lever = tdi_product_sym(&bt, &cb);
    const td_sym3 own = absolute(tdi_sym3_add(block->a, tdi_sym3_scale(lever, -1)));
    block->a = tdi_sym3_add(lever, own);
}
