// SPDX-License-Identifier: MIT
#pragma once

// Kernels of the eliminations along the tree, on one body or joint.

#include "tree/dynamics.h"

// ---- ball joints ----------------------------------------------------------------------------

// D^-1 M, column by column
static inline tdi_mat3 tdi_solve_columns(const tdi_ldl3 *d, const tdi_mat3 *m) {
    tdi_mat3 x;
    for (int j = 0; j < 3; j++) {
        td_vec3 c = tdi_ldl3_solve(d, tdi_mat3_column(m, j));
        x.m[j] = c.x;
        x.m[3 + j] = c.y;
        x.m[6 + j] = c.z;
    }
    return x;
}

// P^T Q for matrices whose product is symmetric
static inline td_sym3 tdi_product_sym(const tdi_mat3 *p, const tdi_mat3 *q) {
    const td_real *a = p->m, *b = q->m;
    td_sym3 s = {a[0] * b[0] + a[3] * b[3] + a[6] * b[6], a[1] * b[1] + a[4] * b[4] + a[7] * b[7],
                 a[2] * b[2] + a[5] * b[5] + a[8] * b[8], a[0] * b[1] + a[3] * b[4] + a[6] * b[7],
                 a[0] * b[2] + a[3] * b[5] + a[6] * b[8], a[1] * b[2] + a[4] * b[5] + a[7] * b[8]};
    return s;
}

// P^T Q
static inline tdi_mat3 tdi_product_t(const tdi_mat3 *p, const tdi_mat3 *q) {
    tdi_mat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[3 * i + j] =
                p->m[i] * q->m[j] + p->m[3 + i] * q->m[3 + j] + p->m[6 + i] * q->m[6 + j];
        }
    }
    return c;
}

static inline tdi_mat3 tdi_spring_matrix(const td_sym3 *k, td_vec3 t) {
    tdi_mat3 l = {{k->xx, k->xy - 0.5 * t.z, k->xz + 0.5 * t.y, k->xy + 0.5 * t.z, k->yy,
                   k->yz - 0.5 * t.x, k->xz - 0.5 * t.y, k->yz + 0.5 * t.x, k->zz}};
    return l;
}

// ---- other joints, by their columns ---------------------------------------------------------

// Cholesky of the k x k matrix m (rows of 6); pivots below the floor, over the trace, are raised
static inline bool tdi_factor_dense(td_real *m, int32_t k, td_real floor) {
    bool raised = false;
    td_real trace = 0;
    for (int32_t i = 0; i < k; i++) {
        trace += fabs(m[7 * i]);
    }
    for (int32_t j = 0; j < k; j++) {
        td_real d = m[7 * j];
        for (int32_t i = 0; i < j; i++) {
            d -= m[6 * j + i] * m[6 * j + i];
        }
        if (!(d > floor * trace + 1e-300)) {
            d = floor * trace + 1e-300;
            raised = true;
        }
        m[7 * j] = sqrt(d);
        for (int32_t i = j + 1; i < k; i++) {
            td_real x = m[6 * i + j];
            for (int32_t h = 0; h < j; h++) {
                x -= m[6 * i + h] * m[6 * j + h];
            }
            m[6 * i + j] = x / m[7 * j];
        }
    }
    return raised;
}

static inline void tdi_solve_dense(const td_real *m, int32_t k, td_real *x) {
    for (int32_t i = 0; i < k; i++) {
        for (int32_t j = 0; j < i; j++) {
            x[i] -= m[6 * i + j] * x[j];
        }
        x[i] /= m[7 * i];
    }
    for (int32_t i = k - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < k; j++) {
            x[i] -= m[6 * j + i] * x[j];
        }
        x[i] /= m[7 * i];
    }
}

// to -= sum over columns of a b^T, symmetric; a, b pairs of wrenches
static inline void tdi_subtract_outer(tdi_block *to, const tdi_wrench *a, const tdi_wrench *b) {
    td_vec3 an = a->n, af = a->f, bn = b->n, bf = b->f;
    to->a.xx -= an.x * bn.x;
    to->a.yy -= an.y * bn.y;
    to->a.zz -= an.z * bn.z;
    to->a.xy -= 0.5 * (an.x * bn.y + an.y * bn.x);
    to->a.xz -= 0.5 * (an.x * bn.z + an.z * bn.x);
    to->a.yz -= 0.5 * (an.y * bn.z + an.z * bn.y);
    to->c.xx -= af.x * bf.x;
    to->c.yy -= af.y * bf.y;
    to->c.zz -= af.z * bf.z;
    to->c.xy -= 0.5 * (af.x * bf.y + af.y * bf.x);
    to->c.xz -= 0.5 * (af.x * bf.z + af.z * bf.x);
    to->c.yz -= 0.5 * (af.y * bf.z + af.z * bf.y);
    const td_real n[3] = {an.x, an.y, an.z}, m[3] = {bn.x, bn.y, bn.z};
    const td_real f[3] = {af.x, af.y, af.z}, g[3] = {bf.x, bf.y, bf.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            to->b.m[3 * i + j] -= 0.5 * (n[i] * g[j] + m[i] * f[j]);
        }
    }
}
