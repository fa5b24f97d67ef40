// SPDX-License-Identifier: MIT
// Smooth curves through points: cubic splines, natural or closed, and the nearest point on them.
//
//   p(k + u) = (1 - u) P_k + u P_k+1 - u(1 - u)/6 ((2 - u) m_k + (1 + u) m_k+1)
//   m_k-1 + 4 m_k + m_k+1 = 6 (P_k-1 - 2 P_k + P_k+1),   natural: m = 0 at both ends

#include "constrain/constrain.h"

#define NEWTON_STEPS 30
#define SAMPLES      4 // a piece, when the whole curve is searched
#define SETTLED      1e-15

static td_vec3 bend_at(const td_vec3 *p, int32_t count, int32_t k) {
    const td_vec3 before = p[(k + count - 1) % count], after = p[(k + 1) % count];
    return tdi_scale(tdi_add(tdi_madd(before, p[k], -2), after), 6);
}

// Thomas's algorithm for the inner points.
static void fill_natural(const td_vec3 *p, int32_t n, td_real *work, td_vec3 *m) {
    m[0] = m[n - 1] = tdi_vec3(0, 0, 0);
    for (int32_t k = 1; k < n - 1; k++) {
        const td_real pivot = 1 / (4 - (k > 1 ? work[k - 1] : 0));
        work[k] = pivot;
        m[k] = tdi_scale(tdi_sub(bend_at(p, n, k), m[k - 1]), pivot);
    }
    for (int32_t k = n - 3; k >= 1; k--) {
        m[k] = tdi_madd(m[k], m[k + 1], -work[k]);
    }
}

// The same with corners: (A + u u^T) m = b by Sherman and Morrison, u = (1, 0 .. 0, 1), and A with
// 3 in place of 4 at both ends.
static void fill_closed(const td_vec3 *p, int32_t n, td_real *work, td_vec3 *m) {
    td_real *z = work + n; // A^-1 u
    for (int32_t k = 0; k < n; k++) {
        const bool end = k == 0 || k == n - 1;
        const td_real pivot = 1 / ((end ? 3 : 4) - (k > 0 ? work[k - 1] : 0));
        const td_vec3 carry = k > 0 ? m[k - 1] : tdi_vec3(0, 0, 0);
        work[k] = pivot;
        m[k] = tdi_scale(tdi_sub(bend_at(p, n, k), carry), pivot);
        z[k] = ((end ? 1 : 0) - (k > 0 ? z[k - 1] : 0)) * pivot;
    }
    for (int32_t k = n - 2; k >= 0; k--) {
        m[k] = tdi_madd(m[k], m[k + 1], -work[k]);
        z[k] -= work[k] * z[k + 1];
    }
    const td_vec3 sum = tdi_scale(tdi_add(m[0], m[n - 1]), 1 / (1 + z[0] + z[n - 1]));
    for (int32_t k = 0; k < n; k++) {
        m[k] = tdi_madd(m[k], sum, -z[k]);
    }
}

void tdi_cubic_curve_fill(const td_vec3 *point, int32_t count, bool closed, td_real *work,
                          td_vec3 *m) {
    if (closed) {
        fill_closed(point, count, work, m);
    } else {
        fill_natural(point, count, work, m);
    }
}

static td_real end_of(const tdi_cubic_curve *s) {
    return s->closed ? s->count : s->count - 1;
}

// Once around a closed curve.
static td_real inside(const tdi_cubic_curve *s, td_real along) {
    const td_real end = end_of(s);
    if (s->closed) {
        along -= end * floor(along / end);
        return along < end ? along : 0;
    }
    return along;
}

// Beyond the ends of an open curve: straight on, where second derivatives are zero.
void tdi_cubic_curve_at(const tdi_cubic_curve *s, td_real along, td_vec3 *p, td_vec3 *d1,
                        td_vec3 *d2) {
    const td_real end = end_of(s);
    if (!s->closed && (along < 0 || along > end)) {
        const td_real at = along < 0 ? 0 : end;
        tdi_cubic_curve_at(s, at, p, d1, d2);
        *p = tdi_madd(*p, *d1, along - at);
        return;
    }
    const int32_t last = s->closed ? s->count - 1 : s->count - 2;
    int32_t k = (int32_t)along;
    k = k < 0 ? 0 : k > last ? last : k;
    const int32_t next = (k + 1) % s->count;
    const td_real u = along - k, v = 1 - u;
    const td_vec3 m0 = s->m[k], m1 = s->m[next], chord = tdi_sub(s->point[next], s->point[k]);
    const td_vec3 bow = tdi_madd(tdi_scale(m0, 1 + v), m1, 1 + u);
    *p = tdi_madd(tdi_madd(s->point[k], chord, u), bow, -u * v / 6);
    *d1 = tdi_madd(chord, bow, (u - v) / 6);
    *d1 = tdi_madd(*d1, tdi_sub(m1, m0), -u * v / 6);
    *d2 = tdi_madd(tdi_scale(m0, v), m1, u);
}

static td_real distance2(const tdi_cubic_curve *s, td_vec3 y, td_real along) {
    td_vec3 p, d1, d2;
    tdi_cubic_curve_at(s, along, &p, &d1, &d2);
    p = tdi_sub(y, p);
    return tdi_dot(p, p);
}

static td_real search(const tdi_cubic_curve *s, td_vec3 y) {
    const int32_t pieces = s->closed ? s->count : s->count - 1;
    td_real best = 0, least = INFINITY;
    for (int32_t k = 0; k <= SAMPLES * pieces; k++) {
        const td_real along = (td_real)k / SAMPLES, d = distance2(s, y, along);
        if (d < least) {
            least = d;
            best = along;
        }
    }
    return best;
}

// Newton's method on |y - p|^2/2; where that is not convex, down the slope by Gauss and Newton.
td_real tdi_cubic_curve_nearest(const tdi_cubic_curve *s, td_vec3 y, td_real along) {
    along = isfinite(along) ? inside(s, along) : search(s, y);
    for (int32_t k = 0; k < NEWTON_STEPS; k++) {
        td_vec3 p, d1, d2;
        tdi_cubic_curve_at(s, along, &p, &d1, &d2);
        const td_vec3 e = tdi_sub(y, p);
        const td_real speed2 = tdi_dot(d1, d1), slope = tdi_dot(e, d1),
                      curvature = speed2 - tdi_dot(e, d2);
        td_real step = slope / (curvature > 0.1 * speed2 ? curvature : speed2);
        step = fmin(fmax(step, -0.5), 0.5);
        const td_real next = inside(s, along + step);
        const bool still = fabs(step) <= SETTLED * end_of(s);
        along = next;
        if (still) {
            break;
        }
    }
    return along;
}
