// SPDX-License-Identifier: MIT
// The closed form of a helix, and its derivatives.

#include "helix/curve.h"

#include <math.h>

// |v|^2 up to which the series is taken. Closer to zero the other way loses digits: 2e-14 of c_7 at
// 4, 2e-15 at 9.
#define SERIES 9.0

// ---- Stumpff's functions --------------------------------------------------------------------

static const td_real over_factorial[8] = {1,        1,         1.0 / 2,   1.0 / 6,
                                          1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};

// c_k = (1 - x/((k + 1)(k + 2)) (1 - x/((k + 3)(k + 4)) (...)))/k!
static td_real series(td_real x, int k) {
    td_real sum = 1;
    for (int j = k + 23; j > k; j -= 2) {
        sum = 1 - x / (td_real)(j * (j + 1)) * sum;
    }
    return sum * over_factorial[k];
}

tdi_stumpff tdi_stumpff_of(td_real x) {
    tdi_stumpff f;
    if (x <= SERIES) { // from the small ones down: 1/k! - x c_(k+2) loses nothing
        f.c[7] = series(x, 7);
        f.c[6] = series(x, 6);
        for (int k = 5; k >= 0; k--) {
            f.c[k] = over_factorial[k] - x * f.c[k + 2];
        }
        return f;
    }
    const td_real angle = sqrt(x), sine = sin(0.5 * angle);
    f.c[0] = cos(angle);
    f.c[1] = sin(angle) / angle;
    f.c[2] = 2 * sine * sine / x;
    for (int k = 3; k < 8; k++) {
        f.c[k] = (over_factorial[k - 2] - f.c[k - 2]) / x;
    }
    return f;
}

// ---- the curve ------------------------------------------------------------------------------

static td_vec3 axis(int k) {
    return tdi_vec3(k == 0, k == 1, k == 2);
}

// R = c0 I + c1 [v]x + c2 v v^T
static tdi_mat3 frame_of(const tdi_stumpff *f, td_vec3 v) {
    const td_vec3 w = tdi_scale(v, f->c[1]), q = tdi_scale(v, f->c[2]);
    return (tdi_mat3){{f->c[0] + q.x * v.x, q.x * v.y - w.z, q.x * v.z + w.y, //
                       q.x * v.y + w.z, f->c[0] + q.y * v.y, q.y * v.z - w.x, //
                       q.x * v.z - w.y, q.y * v.z + w.x, f->c[0] + q.z * v.z}};
}

// J(v) e = c1 e + c2 v x e + c3 (v.e) v
static td_vec3 jacobian(const tdi_stumpff *f, td_vec3 v, td_vec3 e) {
    td_vec3 sum = tdi_madd(tdi_scale(e, f->c[1]), tdi_cross(v, e), f->c[2]);
    return tdi_madd(sum, v, f->c[3] * tdi_dot(v, e));
}

tdi_helix_frame tdi_helix_at(td_vec3 u, td_real s) {
    const td_vec3 v = tdi_scale(u, s);
    const tdi_stumpff f = tdi_stumpff_of(tdi_dot(v, v));
    return (tdi_helix_frame){tdi_scale(jacobian(&f, v, axis(1)), s), frame_of(&f, v)};
}

// ---- derivatives ----------------------------------------------------------------------------
// With x = |v|^2:  dc_k/dx = (k c_(k+2) - c_(k+1))/2.

// 2 dc_k/dx, and 4 d^2 c_k/dx^2 for k = 1, 2, 3
typedef struct slopes {
    td_real d[6], dd[4];
} slopes;

static slopes slopes_of(const tdi_stumpff *f) {
    slopes s;
    for (int k = 1; k < 6; k++) {
        s.d[k] = k * f->c[k + 2] - f->c[k + 1];
    }
    for (int k = 1; k < 4; k++) {
        s.dd[k] = k * s.d[k + 2] - s.d[k + 1];
    }
    return s;
}

// d/dt of J(v + t a) e:
//   (v.a)(d1 e + d2 v x e + d3 (v.e) v) + c2 a x e + c3 ((a.e) v + (v.e) a)
static td_vec3 jacobian_slope(const tdi_stumpff *f, const slopes *s, td_vec3 v, td_vec3 e,
                              td_vec3 a) {
    const td_real va = tdi_dot(v, a), ve = tdi_dot(v, e);
    td_vec3 sum = tdi_scale(e, va * s->d[1]);
    sum = tdi_madd(sum, tdi_cross(v, e), va * s->d[2]);
    sum = tdi_madd(sum, tdi_cross(a, e), f->c[2]);
    sum = tdi_madd(sum, v, va * ve * s->d[3] + f->c[3] * tdi_dot(a, e));
    return tdi_madd(sum, a, f->c[3] * ve);
}

// d^2/dt dr of J(v + t a + r b) e
static td_vec3 jacobian_bend(const tdi_stumpff *f, const slopes *s, td_vec3 v, td_vec3 e, td_vec3 a,
                             td_vec3 b) {
    const td_real va = tdi_dot(v, a), vb = tdi_dot(v, b), ve = tdi_dot(v, e), ab = tdi_dot(a, b),
                  ae = tdi_dot(a, e), be = tdi_dot(b, e), vv = va * vb;
    td_vec3 sum = tdi_scale(e, ab * s->d[1] + vv * s->dd[1]);
    sum = tdi_madd(sum, tdi_cross(v, e), ab * s->d[2] + vv * s->dd[2]);
    sum = tdi_madd(sum, tdi_cross(b, e), va * s->d[2]);
    sum = tdi_madd(sum, tdi_cross(a, e), vb * s->d[2]);
    sum = tdi_madd(sum, v, (ab * ve + va * be + vb * ae) * s->d[3] + vv * ve * s->dd[3]);
    sum = tdi_madd(sum, b, va * ve * s->d[3] + f->c[3] * ae);
    return tdi_madd(sum, a, vb * ve * s->d[3] + f->c[3] * be);
}

// The turn follows from exp [v + dv]x = exp [J dv + 1/2 (dJ) dv + ...]x exp [v]x.
void tdi_helix_jet_at(td_vec3 u, td_real s, bool second, tdi_helix_jet *jet) {
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const td_vec3 v = tdi_scale(u, s), along = axis(1);
    const tdi_stumpff f = tdi_stumpff_of(tdi_dot(v, v));
    const slopes d = slopes_of(&f);
    jet->r = frame_of(&f, v);
    jet->x = tdi_scale(jacobian(&f, v, along), s);
    for (int k = 0; k < 3; k++) {
        jet->turn[k] = tdi_scale(jacobian(&f, v, axis(k)), s);
        jet->dx[k] = tdi_scale(jacobian_slope(&f, &d, v, along, axis(k)), s * s);
    }
    for (int p = 0; second && p < 6; p++) {
        const td_vec3 a = axis(pairs[p][0]), b = axis(pairs[p][1]);
        const td_vec3 ab = jacobian_slope(&f, &d, v, b, a), ba = jacobian_slope(&f, &d, v, a, b);
        jet->ddx[p] = tdi_scale(jacobian_bend(&f, &d, v, along, a, b), s * s * s);
        jet->dturn[p] = tdi_scale(tdi_add(ab, ba), 0.5 * s * s);
    }
}

void tdi_helix_flow_at(td_vec3 u, td_vec3 rate, td_real s, tdi_helix_flow *flow) {
    const td_vec3 v = tdi_scale(u, s), along = axis(1);
    const tdi_stumpff f = tdi_stumpff_of(tdi_dot(v, v));
    const slopes d = slopes_of(&f);
    flow->r = frame_of(&f, v);
    flow->x = tdi_scale(jacobian(&f, v, along), s);
    for (int k = 0; k < 3; k++) {
        flow->turn[k] = tdi_scale(jacobian(&f, v, axis(k)), s);
        flow->dx[k] = tdi_scale(jacobian_slope(&f, &d, v, along, axis(k)), s * s);
    }
    flow->dx_rate = tdi_scale(jacobian_bend(&f, &d, v, along, rate, rate), s * s * s);
    flow->turn_rate = tdi_scale(jacobian_slope(&f, &d, v, rate, rate), s * s);
}
