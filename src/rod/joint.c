// SPDX-License-Identifier: MIT
// Bending and twisting of a joint between two edges. See joint.h for the symbols and
// docs/theory/rod.md for the derivation.

#include "rod/joint.h"

#include <math.h>

#define TURN 6.28318530717958647692

// ---- strains --------------------------------------------------------------------------------

// cos and sin of half the twist.
typedef struct half_turn {
    td_real c, s;
} half_turn;

// Of a twist between -pi and pi.
static inline half_turn halve(td_real twist_cos, td_real twist_sin) {
    if (twist_cos > 0) {
        td_real c = sqrt(0.5 * (1 + twist_cos));
        return (half_turn){c, 0.5 * twist_sin / c};
    }
    td_real s = copysign(sqrt(0.5 * (1 - twist_cos)), twist_sin);
    return (half_turn){0.5 * twist_sin / s, s};
}

static inline bool is_odd(td_real whole) {
    return 0.5 * whole != floor(0.5 * whole);
}

// Whether half of the twist, which may be any number of turns, lies opposite to what halve() says.
// Asked where rounding cannot change the answer: strains stay smooth past half a turn.
static inline bool is_opposite(td_real twist_cos, td_real twist_sin, td_real twist) {
    if (fabs(twist) < 0.5 * TURN) {
        return false; // the usual case, and rounding is slow
    }
    if (twist_cos > 0) {
        return is_odd(rint(twist / TURN));
    }
    return is_odd(floor(twist / TURN)) != (twist_sin < 0);
}

static inline void measure_twist(const tdi_edge *e, const tdi_edge *f, tdi_joint_strain *s) {
    td_vec3 carried = tdi_transport(e->m1, e->t, f->t);
    s->twist_cos = tdi_dot(carried, f->m1);
    s->twist_sin = tdi_dot(tdi_cross(carried, f->m1), f->t);
}

// kb = 2 te x tf/chi is the same seen from both edges: carrying a frame over the joint turns it
// about kb. Half-way between the frames, with h = m/2:
//   k1 = kb.m2 = kb.(m2e cos h - m1e sin h),  k2 = -kb.m1 = -kb.(m1e cos h + m2e sin h)
tdi_joint_strain tdi_joint_measure(const tdi_edge *e, const tdi_edge *f) {
    tdi_joint_strain s;
    s.chi = 1 + tdi_dot(e->t, f->t);
    s.kb = tdi_scale(tdi_cross(e->t, f->t), 2 / s.chi);
    measure_twist(e, f, &s);
    const half_turn h = halve(s.twist_cos, s.twist_sin);
    td_real x = tdi_dot(s.kb, e->m1), y = tdi_dot(s.kb, e->m2);
    s.k1 = y * h.c - x * h.s;
    s.k2 = -(x * h.c + y * h.s);
    return s;
}

td_real tdi_joint_twist(const tdi_joint_strain *s, td_real before) {
    td_real angle = atan2(s->twist_sin, s->twist_cos);
    if (fabs(before - angle) < 0.5 * TURN) {
        return angle;
    }
    return angle + TURN * rint((before - angle) / TURN);
}

void tdi_joint_wind(tdi_joint_strain *s, td_real twist) {
    if (is_opposite(s->twist_cos, s->twist_sin, twist)) {
        s->k1 = -s->k1;
        s->k2 = -s->k2;
    }
}

td_real tdi_joint_energy(const tdi_joint_law *law, const tdi_joint_strain *s, td_real twist) {
    td_real d1 = s->k1 - law->rest[0], d2 = s->k2 - law->rest[1], dm = twist - law->rest[2];
    return 0.5 * (law->bend[0] * d1 * d1 + law->bend[2] * d2 * d2 + law->twist * dm * dm) +
           law->bend[1] * d1 * d2;
}

// ---- first derivatives ----------------------------------------------------------------------

// A curvature is kb.(ne + nf)/2 for a director n: m2 for k1, -m1 for k2, of e turned on by half the
// twist and of f turned back by it. Turning the frame by one radian takes n to q.
typedef struct director {
    td_vec3 ne, nf, qe, qf;
} director;

// The first director, of k1; q of it is n of the second.
static inline director half_way(const tdi_edge *e, const tdi_edge *f, const tdi_joint_strain *s,
                                td_real twist) {
    half_turn h = halve(s->twist_cos, s->twist_sin);
    if (is_opposite(s->twist_cos, s->twist_sin, twist)) {
        h = (half_turn){-h.c, -h.s};
    }
    return (director){tdi_madd(tdi_scale(e->m2, h.c), e->m1, -h.s),
                      tdi_madd(tdi_scale(f->m2, h.c), f->m1, h.s),
                      tdi_madd(tdi_scale(e->m1, -h.c), e->m2, -h.s),
                      tdi_madd(tdi_scale(f->m1, -h.c), f->m2, h.s)};
}

// What derivatives share: t~ = (te + tf)/chi and the lengths.
typedef struct bend {
    const tdi_edge *e, *f;
    td_vec3 kb, tilde;
    td_real chi, over_chi, over_a, over_b;
} bend;

static inline void put(td_real *row, td_vec3 v) {
    row[0] = v.x;
    row[1] = v.y;
    row[2] = v.z;
}

// dk/de = (tf x n~ - k t~)/a,  dk/df = -(te x n~ + k t~)/b,  n~ = (ne + nf)/chi
// dk/dturn = kb.q/2
// That the twist changes half-way frames adds (kb.qe - kb.qf)/4 dm, which is 0.
static inline void curvature_slope(const bend *g, const director *d, td_real k, td_real *row) {
    td_vec3 n = tdi_scale(tdi_add(d->ne, d->nf), g->over_chi);
    put(row, tdi_scale(tdi_madd(tdi_cross(g->f->t, n), g->tilde, -k), g->over_a));
    put(row + TDI_EDGE_F, tdi_scale(tdi_madd(tdi_cross(g->e->t, n), g->tilde, k), -g->over_b));
    row[TDI_TURN_E] = 0.5 * tdi_dot(g->kb, d->qe);
    row[TDI_TURN_F] = 0.5 * tdi_dot(g->kb, d->qf);
}

// dm/de = kb/(2a),  dm/df = kb/(2b),  dm/dturn = -1, 1
static inline void twist_slope(const bend *g, td_real *row) {
    put(row, tdi_scale(g->kb, 0.5 * g->over_a));
    put(row + TDI_EDGE_F, tdi_scale(g->kb, 0.5 * g->over_b));
    row[TDI_TURN_E] = -1;
    row[TDI_TURN_F] = 1;
}

// ---- second derivatives ---------------------------------------------------------------------

// Three reals and a zero, which is added where the turn is.
typedef struct row {
    td_real v[4];
} row;

static inline row row_of(td_vec3 a) {
    row r = {{a.x, a.y, a.z, 0}};
    return r;
}

// h[k..][l..] += a b^T + b a^T
static inline void add_pair(td_real (*h)[TDI_JOINT_VARIABLES], int at, td_vec3 a, td_vec3 b) {
    const row ra = row_of(a), rb = row_of(b);
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 4; l++) {
            h[at + k][at + l] += ra.v[k] * rb.v[l] + rb.v[k] * ra.v[l];
        }
    }
}

// a b^T in the rows of e and the columns of f
static inline void add_cross(td_real (*h)[TDI_JOINT_VARIABLES], td_vec3 a, td_vec3 b) {
    const row ra = row_of(a), rb = row_of(b);
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 4; l++) {
            h[k][TDI_EDGE_F + l] += ra.v[k] * rb.v[l];
        }
    }
}

// s + [v]x in the rows of e and the columns of f
static inline void add_turned(td_real (*h)[TDI_JOINT_VARIABLES], td_real s, td_vec3 v) {
    h[0][4] += s;
    h[0][5] -= v.z;
    h[0][6] += v.y;
    h[1][4] += v.z;
    h[1][5] += s;
    h[1][6] -= v.x;
    h[2][4] -= v.y;
    h[2][5] += v.x;
    h[2][6] += s;
}

static inline void add_to_diagonal(td_real (*h)[TDI_JOINT_VARIABLES], int at, td_real s) {
    h[at][at] += s;
    h[at + 1][at + 1] += s;
    h[at + 2][at + 2] += s;
}

// of f in the row of e's turn
static inline void add_turn_row(td_real (*h)[TDI_JOINT_VARIABLES], td_vec3 v) {
    h[TDI_TURN_E][4] += v.x;
    h[TDI_TURN_E][5] += v.y;
    h[TDI_TURN_E][6] += v.z;
}

static inline void add_column(td_real (*h)[TDI_JOINT_VARIABLES], int at, int column, td_vec3 v) {
    h[at][column] += v.x;
    h[at + 1][column] += v.y;
    h[at + 2][column] += v.z;
}

// Second derivatives of curvatures, in n, q and k weighted by their moments, in which they are
// linear,
//   ee  (2k t~t~ - sym(tf x n~, t~) - k/chi (I - te te))/a^2 + sym(kb, ne)/(4 a^2)
//   ff  (2k t~t~ + sym(te x n~, t~) - k/chi (I - tf tf))/b^2 + sym(kb, nf)/(4 b^2)
//   ef  (2k t~t~ - (tf x n~) t~ + t~ (te x n~) - k/chi (I + te tf) - [n~]x)/(a b)
//   e turn  (tf x q/chi - (kb.q)/2 t~)/a,   f turn  -(te x q/chi + (kb.q)/2 t~)/b
//   turn turn  -kb.n/2
// and of the twist, times its moment m:
//   ee  -sym(kb, te + t~)/(4 a^2),  ff  -sym(kb, tf + t~)/(4 b^2)
//   ef  ([te]x 2/chi - kb t~)/(2 a b)
// Upper half.
static inline void add_bow(const bend *g, const director *d, td_real k, td_real m,
                           td_real (*h)[TDI_JOINT_VARIABLES]) {
    const td_vec3 te = g->e->t, tf = g->f->t, kb = g->kb;
    const td_vec3 n = tdi_scale(tdi_add(d->ne, d->nf), g->over_chi);
    const td_vec3 fn = tdi_cross(tf, n), en = tdi_cross(te, n);
    const td_real aa = g->over_a * g->over_a, bb = g->over_b * g->over_b,
                  ab = g->over_a * g->over_b, lean = k * g->over_chi;
    td_vec3 by_e = tdi_sub(tdi_scale(g->tilde, k), fn), by_f = tdi_madd(en, g->tilde, k);
    td_vec3 to_e = tdi_madd(d->ne, tdi_add(te, g->tilde), -m),
            to_f = tdi_madd(d->nf, tdi_add(tf, g->tilde), -m);
    add_pair(h, 0, tdi_scale(g->tilde, aa), by_e);
    add_pair(h, 0, tdi_scale(kb, 0.25 * aa), to_e);
    add_pair(h, 0, tdi_scale(te, 0.5 * lean * aa), te);
    add_to_diagonal(h, 0, -lean * aa);
    add_pair(h, TDI_EDGE_F, tdi_scale(g->tilde, bb), by_f);
    add_pair(h, TDI_EDGE_F, tdi_scale(kb, 0.25 * bb), to_f);
    add_pair(h, TDI_EDGE_F, tdi_scale(tf, 0.5 * lean * bb), tf);
    add_to_diagonal(h, TDI_EDGE_F, -lean * bb);
    td_vec3 left = tdi_madd(tdi_madd(fn, g->tilde, -2 * k), kb, 0.5 * m);
    add_cross(h, tdi_scale(left, -ab), g->tilde);
    add_cross(h, tdi_scale(g->tilde, ab), en);
    add_cross(h, tdi_scale(te, -lean * ab), tf);
    add_turned(h, -lean * ab, tdi_scale(tdi_madd(n, te, -m * g->over_chi), -ab));
    const td_real half_e = 0.5 * tdi_dot(kb, d->qe), half_f = 0.5 * tdi_dot(kb, d->qf);
    const td_vec3 fe = tdi_cross(tf, d->qe), ff = tdi_cross(tf, d->qf);
    const td_vec3 ee = tdi_cross(te, d->qe), ef = tdi_cross(te, d->qf);
    const td_real ca = g->over_chi * g->over_a, cb = g->over_chi * g->over_b;
    add_column(h, 0, TDI_TURN_E, tdi_madd(tdi_scale(fe, ca), g->tilde, -half_e * g->over_a));
    add_column(h, 0, TDI_TURN_F, tdi_madd(tdi_scale(ff, ca), g->tilde, -half_f * g->over_a));
    add_turn_row(h, tdi_madd(tdi_scale(ee, -cb), g->tilde, -half_e * g->over_b));
    add_column(h, TDI_EDGE_F, TDI_TURN_F,
               tdi_madd(tdi_scale(ef, -cb), g->tilde, -half_f * g->over_b));
    h[TDI_TURN_E][TDI_TURN_E] -= 0.5 * tdi_dot(kb, d->ne);
    h[TDI_TURN_F][TDI_TURN_F] -= 0.5 * tdi_dot(kb, d->nf);
}

// ---- entry ----------------------------------------------------------------------------------

// What both entries begin with.
typedef struct slopes {
    bend g;
    director d1, d2;
    td_real s1[TDI_JOINT_VARIABLES], s2[TDI_JOINT_VARIABLES], sm[TDI_JOINT_VARIABLES];
    td_real p1, p2, pm; // moments
} slopes;

static inline void fill_slopes(const tdi_edge *e, const tdi_edge *f, const tdi_joint_law *law,
                               const tdi_joint_strain *s, td_real twist, slopes *o) {
    const td_real over_chi = 1 / s->chi;
    o->g = (bend){e,      f,        s->kb,         tdi_scale(tdi_add(e->t, f->t), over_chi),
                  s->chi, over_chi, 1 / e->length, 1 / f->length};
    o->d1 = half_way(e, f, s, twist);
    o->d2 = (director){o->d1.qe, o->d1.qf, tdi_scale(o->d1.ne, -1), tdi_scale(o->d1.nf, -1)};
    curvature_slope(&o->g, &o->d1, s->k1, o->s1);
    curvature_slope(&o->g, &o->d2, s->k2, o->s2);
    twist_slope(&o->g, o->sm);
    td_real k1 = s->k1 - law->rest[0], k2 = s->k2 - law->rest[1];
    o->p1 = law->bend[0] * k1 + law->bend[1] * k2;
    o->p2 = law->bend[1] * k1 + law->bend[2] * k2;
    o->pm = law->twist * (twist - law->rest[2]);
}

void tdi_joint_slope(const tdi_edge *e, const tdi_edge *f, const tdi_joint_law *law,
                     const tdi_joint_strain *s, td_real twist,
                     td_real gradient[TDI_JOINT_VARIABLES]) {
    slopes o;
    fill_slopes(e, f, law, s, twist, &o);
    for (int i = 0; i < TDI_JOINT_VARIABLES; i++) {
        gradient[i] = o.p1 * o.s1[i] + o.p2 * o.s2[i] + o.pm * o.sm[i];
    }
}

// With slopes s1, s2, sm and moments p = bend (k - rest), pm = twist (m - rest):
//   gradient  p1 s1 + p2 s2 + pm sm
//   Hessian   sum bend s s^T + twist sm sm^T, and with all of it p1 k1'' + p2 k2'' + pm m''; that
//             half-way frames turn with half the twist adds (p1 k1 + p2 k2)/4 sm sm^T
void tdi_joint_derive(const tdi_edge *e, const tdi_edge *f, const tdi_joint_law *law,
                      const tdi_joint_strain *s, td_real twist, bool whole, tdi_joint_term *out) {
    slopes o;
    fill_slopes(e, f, law, s, twist, &o);
    const td_real p1 = o.p1, p2 = o.p2, k = p1 * s->k1 + p2 * s->k2;
    const td_real stiff = law->twist + (whole ? 0.25 * k : 0);
    for (int i = 0; i < TDI_JOINT_VARIABLES; i++) {
        const td_real u1 = law->bend[0] * o.s1[i] + law->bend[1] * o.s2[i],
                      u2 = law->bend[1] * o.s1[i] + law->bend[2] * o.s2[i], um = stiff * o.sm[i];
        out->gradient[i] = p1 * o.s1[i] + p2 * o.s2[i] + o.pm * o.sm[i];
        for (int j = i < TDI_EDGE_F ? 0 : TDI_EDGE_F; j < TDI_JOINT_VARIABLES; j++) {
            out->hessian[i][j] = u1 * o.s1[j] + u2 * o.s2[j] + um * o.sm[j];
        }
    }
    if (whole) {
        const director sum = {tdi_madd(tdi_scale(o.d1.ne, p1), o.d2.ne, p2),
                              tdi_madd(tdi_scale(o.d1.nf, p1), o.d2.nf, p2),
                              tdi_madd(tdi_scale(o.d1.qe, p1), o.d2.qe, p2),
                              tdi_madd(tdi_scale(o.d1.qf, p1), o.d2.qf, p2)};
        add_bow(&o.g, &sum, k, o.pm, out->hessian);
    }
}
