// SPDX-License-Identifier: MIT
// The closed form of a helix, and its derivatives.

#include "helix/curve.h"

#include <math.h>

// |v|^2 up to which the series is taken. Closer to zero the other way loses digits: 2e-14 of c_7 at
// 4, 2e-15 at 9.
#define SERIES 9.0

// ---- Stumpff's functions --------------------------------------------------------------------

const td_real tdi_over_factorial[8] = {1,        1,         1.0 / 2,   1.0 / 6,
                                       1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};

#define OVER(j) (1.0 / ((j) * ((j) + 1)))
const td_real tdi_stumpff_over[2][TDI_STUMPFF_TERMS] = {
    {OVER(7), OVER(9), OVER(11), OVER(13), OVER(15), OVER(17), OVER(19), OVER(21), OVER(23),
     OVER(25)},
    {OVER(8), OVER(10), OVER(12), OVER(14), OVER(16), OVER(18), OVER(20), OVER(22), OVER(24),
     OVER(26)}};

int tdi_stumpff_terms(td_real x) {
    return x > SERIES ? 0 : x > 3 ? TDI_STUMPFF_TERMS : x > 0.5 ? 8 : x > 0.02 ? 6 : 4;
}

// c_k = (1 - x/((k + 1)(k + 2)) (1 - x/((k + 3)(k + 4)) (...)))/k!, so many terms
static inline td_real series(td_real x, int k, int terms) {
    const td_real *over = tdi_stumpff_over[k - 6];
    td_real sum = 1;
    for (int j = terms - 1; j >= 0; j--) {
        sum = 1 - x * over[j] * sum;
    }
    return tdi_over_factorial[k] * sum;
}

tdi_stumpff tdi_stumpff_of(td_real x) {
    tdi_stumpff f;
    const int terms = tdi_stumpff_terms(x);
    if (terms > 0) { // from the small ones down: 1/k! - x c_(k+2) loses nothing
        f.c[7] = series(x, 7, terms);
        f.c[6] = series(x, 6, terms);
        for (int k = 5; k >= 0; k--) {
            f.c[k] = tdi_over_factorial[k] - x * f.c[k + 2];
        }
        return f;
    }
    const td_real angle = sqrt(x), sine = sin(0.5 * angle);
    f.c[0] = cos(angle);
    f.c[1] = sin(angle) / angle;
    f.c[2] = 2 * sine * sine / x;
    for (int k = 3; k < 8; k++) {
        f.c[k] = (tdi_over_factorial[k - 2] - f.c[k - 2]) / x;
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

static void slopes_of(tdi_helix_jet *j) {
    for (int k = 1; k < 6; k++) {
        j->d[k] = k * j->f.c[k + 2] - j->f.c[k + 1];
    }
    for (int k = 1; k < 4; k++) {
        j->dd[k] = k * j->d[k + 2] - j->d[k + 1];
    }
}

// d/dt of J(v + t a) e:
//   (v.a)(d1 e + d2 v x e + d3 (v.e) v) + c2 a x e + c3 ((a.e) v + (v.e) a)
static td_vec3 jacobian_slope(const tdi_helix_jet *s, td_vec3 e, td_vec3 a) {
    const tdi_stumpff *f = &s->f;
    const td_vec3 v = s->v;
    const td_real va = tdi_dot(v, a), ve = tdi_dot(v, e);
    td_vec3 sum = tdi_scale(e, va * s->d[1]);
    sum = tdi_madd(sum, tdi_cross(v, e), va * s->d[2]);
    sum = tdi_madd(sum, tdi_cross(a, e), f->c[2]);
    sum = tdi_madd(sum, v, va * ve * s->d[3] + f->c[3] * tdi_dot(a, e));
    return tdi_madd(sum, a, f->c[3] * ve);
}

// d^2/dt dr of J(v + t a + r b) e
static td_vec3 jacobian_bend(const tdi_helix_jet *s, td_vec3 e, td_vec3 a, td_vec3 b) {
    const tdi_stumpff *f = &s->f;
    const td_vec3 v = s->v;
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

static void second_of(tdi_helix_jet *jet) {
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const td_real s = jet->s;
    for (int p = 0; p < 6; p++) {
        const td_vec3 a = axis(pairs[p][0]), b = axis(pairs[p][1]);
        const td_vec3 ab = jacobian_slope(jet, b, a), ba = jacobian_slope(jet, a, b);
        jet->ddx[p] = tdi_scale(jacobian_bend(jet, axis(1), a, b), s * s * s);
        jet->dturn[p] = tdi_scale(tdi_add(ab, ba), 0.5 * s * s);
    }
}

// turn_k = s J e_k, and with q = d1 e_y + d2 v x e_y + d3 v_y v
//   dx_k = s^2 (v_k q + c2 e_k x e_y + c3 (v_y e_k + delta_ky v))
static void first_of(tdi_helix_jet *j) {
    const td_real s = j->s, ss = s * s, c1 = s * j->f.c[1], k2 = ss * j->f.c[2],
                  k3 = ss * j->f.c[3];
    const td_vec3 v = j->v, a = tdi_scale(v, s * j->f.c[2]), b = tdi_scale(v, s * j->f.c[3]);
    td_vec3 q = tdi_scale(v, ss * j->d[3] * v.y);
    q = tdi_add(q, tdi_vec3(-ss * j->d[2] * v.z, ss * j->d[1], ss * j->d[2] * v.x));
    j->turn[0] = tdi_vec3(c1 + b.x * v.x, b.x * v.y + a.z, b.x * v.z - a.y);
    j->turn[1] = tdi_vec3(b.y * v.x - a.z, c1 + b.y * v.y, b.y * v.z + a.x);
    j->turn[2] = tdi_vec3(b.z * v.x + a.y, b.z * v.y - a.x, c1 + b.z * v.z);
    j->dx[0] = tdi_add(tdi_scale(q, v.x), tdi_vec3(k3 * v.y, 0, k2));
    j->dx[1] = tdi_add(tdi_scale(q, v.y), tdi_vec3(k3 * v.x, 2 * k3 * v.y, k3 * v.z));
    j->dx[2] = tdi_add(tdi_scale(q, v.z), tdi_vec3(-k2, 0, k3 * v.y));
}

// The turn follows from exp [v + dv]x = exp [J dv + 1/2 (dJ) dv + ...]x exp [v]x.
void tdi_helix_jet_at(td_vec3 u, td_real s, bool second, tdi_helix_jet *jet) {
    jet->s = s;
    jet->v = tdi_scale(u, s);
    jet->f = tdi_stumpff_of(tdi_dot(jet->v, jet->v));
    slopes_of(jet);
    jet->r = frame_of(&jet->f, jet->v);
    jet->x = tdi_scale(jacobian(&jet->f, jet->v, axis(1)), s);
    first_of(jet);
    if (second) {
        second_of(jet);
    }
}

// With F = s f, e = e_y, q = e x F, t = (v.F) e + v_y F, the second derivatives of
// F.J(v) e = c1 F_y + c2 v.q + c3 v_y (v.F) and the symmetric part of the first ones of J^T n are
//   k I + m v v^T + v z^T + z v^T + c3 (e F^T + F e^T),
//   k = d1 F_y + d2 v.q + d3 v_y (v.F) + c3 v.n,  m likewise with dd for d and d3 for c3,
//   z = d2 q + d3 t + 1/2 (d1 + c3) n + 1/2 d2 n x v.
td_sym3 tdi_helix_bent_by(const tdi_helix_slopes *j, td_vec3 force, td_vec3 n) {
    const td_vec3 v = j->v, f = tdi_scale(force, j->s), q = tdi_vec3(f.z, 0, -f.x);
    const td_real *d = j->d, *dd = j->dd, c3 = j->c3, ss = j->s * j->s;
    const td_real vf = tdi_dot(v, f), vq = tdi_dot(v, q), vn = tdi_dot(v, n), both = v.y * vf;
    const td_real k = d[0] * f.y + d[1] * vq + d[2] * both + c3 * vn,
                  m = dd[0] * f.y + dd[1] * vq + dd[2] * both + d[2] * vn;
    td_vec3 z = tdi_add(tdi_scale(q, d[1]), tdi_scale(f, d[2] * v.y));
    z.y += d[2] * vf;
    z = tdi_madd(z, n, 0.5 * (d[0] + c3));
    z = tdi_madd(z, tdi_cross(n, v), 0.5 * d[1]);
    z = tdi_madd(z, v, 0.5 * m);
    return tdi_sym3_scale((td_sym3){k + 2 * v.x * z.x, k + 2 * (v.y * z.y + c3 * f.y),
                                    k + 2 * v.z * z.z, v.x * z.y + v.y * z.x + c3 * f.x,
                                    v.x * z.z + v.z * z.x, v.y * z.z + v.z * z.y + c3 * f.z},
                          ss);
}

td_sym3 tdi_helix_bent(const tdi_helix_jet *j, td_vec3 force, td_vec3 n) {
    const tdi_helix_slopes slopes = {.s = j->s,
                                     .v = j->v,
                                     .c3 = j->f.c[3],
                                     .d = {j->d[1], j->d[2], j->d[3]},
                                     .dd = {j->dd[1], j->dd[2], j->dd[3]}};
    return tdi_helix_bent_by(&slopes, force, n);
}

void tdi_helix_drift(const tdi_helix_jet *j, td_vec3 rate, td_vec3 *place, td_vec3 *turn) {
    const td_real s = j->s, ss = s * s;
    *place = tdi_scale(jacobian_bend(j, axis(1), rate, rate), ss * s);
    *turn = tdi_scale(jacobian_slope(j, rate, rate), ss);
}
