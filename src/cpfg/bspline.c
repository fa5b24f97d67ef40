// SPDX-License-Identifier: MIT
// Weights of cubic B-splines.

#include "cpfg/bspline.h"

// the span that holds d, and the place in it on the line of the knots
static td_real span_of(int32_t count, td_real d, int32_t *first) {
    td_real u = d * (count - 3);
    *first = (int32_t)u < count - 4 ? (int32_t)u : count - 4;
    return u;
}

static int32_t knot(int32_t count, int32_t j) {
    return j < 4 ? 0 : j >= count ? count - 3 : j - 3;
}

// Cox and de Boor, degree by degree: with knots t and the span k,
//     N_i^r = (u - t_i)/(t_(i+r) - t_i) N_i^(r-1) + (t_(i+r+1) - u)/(t_(i+r+1) - t_(i+1))
//     N_(i+1)^(r-1)
void tdi_bspline_clamped(int32_t count, td_real d, int32_t *first, td_real weights[4]) {
    td_real u = span_of(count, d, first);
    int32_t span = *first + 3;
    weights[0] = 1;
    for (int32_t r = 1; r < 4; r++) {
        td_real carried = 0;
        for (int32_t i = 0; i < r; i++) {
            int32_t low = knot(count, span + 1 - r + i), high = knot(count, span + 1 + i);
            td_real share = weights[i] / (high - low);
            weights[i] = carried + (high - u) * share;
            carried = (u - low) * share;
        }
        weights[r] = carried;
    }
}

void tdi_bspline_uniform(int32_t count, td_real d, int32_t *first, td_real weights[4]) {
    td_real t = span_of(count, d, first) - *first, s = 1 - t;
    weights[0] = s * s * s / 6;
    weights[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
    weights[2] = (3 * s * s * s - 6 * s * s + 4) / 6;
    weights[3] = t * t * t / 6;
}
