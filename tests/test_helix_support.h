// SPDX-License-Identifier: MIT
#pragma once

// What the tests of helices share: random numbers, and the frame equations integrated plainly.

#include "math/mat3.h"
#include "td_test.h"

__attribute__((unused)) static td_real between(tdi_random *r, td_real low, td_real high) {
    return low + (high - low) * tdi_random_uniform(r);
}

__attribute__((unused)) static td_vec3 any_direction(tdi_random *r) {
    td_vec3 v;
    do {
        v.z = between(r, -1, 1); // one after the other: compilers differ in the order of arguments
        v.y = between(r, -1, 1);
        v.x = between(r, -1, 1);
    } while (tdi_dot(v, v) > 1 || tdi_dot(v, v) < 0.01);
    return tdi_scale(v, 1 / tdi_norm(v));
}

// Place and frame along a curve.
typedef struct plain_frame {
    td_vec3 x;
    tdi_mat3 r;
} plain_frame;

static const plain_frame plain_start = {
    .x = {0, 0, 0}, .r = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}}; // at the origin, along +Y

// R' = R [u]x, x' = R e_y over the length s, by Taylor's method: each derivative of R is the one
// before times [u]x. Pieces of a quarter of a radian and twelve terms leave nothing to truncate.
__attribute__((unused)) static plain_frame plain_curve(plain_frame f, td_vec3 u, td_real s) {
    const int pieces = 1 + (int)(4 * tdi_norm(u) * s);
    const td_real t = s / pieces;
    const tdi_mat3 back = tdi_mat3_cross(tdi_scale(u, -t)); // ([u t]x)^T
    for (int i = 0; i < pieces; i++) {
        tdi_mat3 term = f.r, sum = f.r;
        for (int n = 1; n <= 12; n++) {
            f.x = tdi_madd(f.x, tdi_mat3_column(&term, 1), t / n);
            term = tdi_mat3_mul_t(&term, &back);
            for (int k = 0; k < 9; k++) {
                term.m[k] /= n;
                sum.m[k] += term.m[k];
            }
        }
        f.r = sum;
    }
    return f;
}

// The largest difference of two frames' entries.
__attribute__((unused)) static td_real frames_apart(const tdi_mat3 *a, const tdi_mat3 *b) {
    td_real most = 0;
    for (int k = 0; k < 9; k++) {
        most = fmax(most, fabs(a->m[k] - b->m[k]));
    }
    return most;
}
