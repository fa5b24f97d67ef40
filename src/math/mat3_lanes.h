// SPDX-License-Identifier: MIT
// No include guard: 3x3 matrices, once for reals and once for lanes; see math/lane_names.h.

// ---- general --------------------------------------------------------------------------------

TDI_HELPER TDI_MAT3 TDI_W(mat3_from_quat)(TDI_QUAT q) {
    TDI_REAL x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
    TDI_REAL xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
    TDI_REAL xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
    TDI_REAL wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
    return (TDI_MAT3){{1 - yy - zz, xy - wz, xz + wy, xy + wz, 1 - xx - zz, yz - wx, xz - wy,
                       yz + wx, 1 - xx - yy}};
}
TDI_HELPER TDI_VEC3 TDI_W(mat3_apply)(const TDI_MAT3 *a, TDI_VEC3 v) {
    const TDI_REAL *m = a->m;
    return (TDI_VEC3){m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                      m[6] * v.x + m[7] * v.y + m[8] * v.z};
}
// A^T v
TDI_HELPER TDI_VEC3 TDI_W(mat3_apply_t)(const TDI_MAT3 *a, TDI_VEC3 v) {
    const TDI_REAL *m = a->m;
    return (TDI_VEC3){m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                      m[2] * v.x + m[5] * v.y + m[8] * v.z};
}
static inline TDI_VEC3 TDI_W(mat3_row)(const TDI_MAT3 *a, int i) {
    return (TDI_VEC3){a->m[3 * i], a->m[3 * i + 1], a->m[3 * i + 2]};
}
static inline TDI_VEC3 TDI_W(mat3_column)(const TDI_MAT3 *a, int j) {
    return (TDI_VEC3){a->m[j], a->m[3 + j], a->m[6 + j]};
}
// [a]x
static inline TDI_MAT3 TDI_W(mat3_cross)(TDI_VEC3 a) {
    const TDI_REAL none = TDI_ALL(0);
    return (TDI_MAT3){{none, -a.z, a.y, a.z, none, -a.x, -a.y, a.x, none}};
}
static inline TDI_MAT3 TDI_W(mat3_transposed)(const TDI_MAT3 *a) {
    const TDI_REAL *m = a->m;
    return (TDI_MAT3){{m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]}};
}
static inline TDI_MAT3 TDI_W(mat3_from_sym3)(const TDI_SYM3 *s) {
    return (TDI_MAT3){{s->xx, s->xy, s->xz, s->xy, s->yy, s->yz, s->xz, s->yz, s->zz}};
}
// A B
TDI_HELPER TDI_MAT3 TDI_W(mat3_mul)(const TDI_MAT3 *a, const TDI_MAT3 *b) {
    TDI_MAT3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[3 * i + j] = a->m[3 * i] * b->m[j] + a->m[3 * i + 1] * b->m[3 + j] +
                             a->m[3 * i + 2] * b->m[6 + j];
        }
    }
    return c;
}
// A B^T
TDI_HELPER TDI_MAT3 TDI_W(mat3_mul_t)(const TDI_MAT3 *a, const TDI_MAT3 *b) {
    TDI_MAT3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[3 * i + j] = a->m[3 * i] * b->m[3 * j] + a->m[3 * i + 1] * b->m[3 * j + 1] +
                             a->m[3 * i + 2] * b->m[3 * j + 2];
        }
    }
    return c;
}
// (M32 - M23, M13 - M31, M21 - M12): twice the axial vector
static inline TDI_VEC3 TDI_W(mat3_axial)(const TDI_MAT3 *a) {
    const TDI_REAL *m = a->m;
    return (TDI_VEC3){m[7] - m[5], m[2] - m[6], m[3] - m[1]};
}

// ---- symmetric ------------------------------------------------------------------------------

static inline TDI_SYM3 TDI_W(sym3_diagonal)(TDI_REAL x, TDI_REAL y, TDI_REAL z) {
    const TDI_REAL none = TDI_ALL(0);
    return (TDI_SYM3){x, y, z, none, none, none};
}
static inline TDI_SYM3 TDI_W(sym3_add)(TDI_SYM3 a, TDI_SYM3 b) {
    return (TDI_SYM3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
static inline TDI_SYM3 TDI_W(sym3_scale)(TDI_SYM3 a, TDI_REAL k) {
    return (TDI_SYM3){a.xx * k, a.yy * k, a.zz * k, a.xy * k, a.xz * k, a.yz * k};
}
TDI_HELPER TDI_VEC3 TDI_W(sym3_apply)(const TDI_SYM3 *s, TDI_VEC3 v) {
    return (TDI_VEC3){s->xx * v.x + s->xy * v.y + s->xz * v.z,
                      s->xy * v.x + s->yy * v.y + s->yz * v.z,
                      s->xz * v.x + s->yz * v.y + s->zz * v.z};
}
// a a^T k
static inline TDI_SYM3 TDI_W(sym3_square)(TDI_VEC3 a, TDI_REAL k) {
    return (TDI_SYM3){k * a.x * a.x, k * a.y * a.y, k * a.z * a.z,
                      k * a.x * a.y, k * a.x * a.z, k * a.y * a.z};
}
// R S, with S symmetric
TDI_HELPER TDI_MAT3 TDI_W(mat3_mul_sym)(const TDI_MAT3 *r, const TDI_SYM3 *s) {
    TDI_MAT3 c;
    for (int i = 0; i < 3; i++) {
        TDI_VEC3 row = TDI_W(sym3_apply)(s, TDI_W(mat3_row)(r, i));
        c.m[3 * i] = row.x;
        c.m[3 * i + 1] = row.y;
        c.m[3 * i + 2] = row.z;
    }
    return c;
}
// R S R^T
TDI_HELPER TDI_SYM3 TDI_W(sym3_turn)(const TDI_MAT3 *r, const TDI_SYM3 *s) {
    TDI_MAT3 t = TDI_W(mat3_mul_sym)(r, s);
    TDI_VEC3 t0 = TDI_W(mat3_row)(&t, 0), t1 = TDI_W(mat3_row)(&t, 1);
    TDI_VEC3 t2 = TDI_W(mat3_row)(&t, 2), r0 = TDI_W(mat3_row)(r, 0);
    TDI_VEC3 r1 = TDI_W(mat3_row)(r, 1), r2 = TDI_W(mat3_row)(r, 2);
    return (TDI_SYM3){TDI_W(dot)(t0, r0), TDI_W(dot)(t1, r1), TDI_W(dot)(t2, r2),
                      TDI_W(dot)(t0, r1), TDI_W(dot)(t0, r2), TDI_W(dot)(t1, r2)};
}
// R diag(d) R^T
TDI_HELPER TDI_SYM3 TDI_W(sym3_turn_diagonal)(const TDI_MAT3 *r, TDI_VEC3 d) {
    const TDI_REAL *m = r->m;
    TDI_REAL a0 = m[0] * d.x, a1 = m[1] * d.y, a2 = m[2] * d.z;
    TDI_REAL b0 = m[3] * d.x, b1 = m[4] * d.y, b2 = m[5] * d.z;
    return (TDI_SYM3){a0 * m[0] + a1 * m[1] + a2 * m[2],
                      b0 * m[3] + b1 * m[4] + b2 * m[5],
                      m[6] * m[6] * d.x + m[7] * m[7] * d.y + m[8] * m[8] * d.z,
                      a0 * m[3] + a1 * m[4] + a2 * m[5],
                      a0 * m[6] + a1 * m[7] + a2 * m[8],
                      b0 * m[6] + b1 * m[7] + b2 * m[8]};
}
// tr(S) I - S: from the second moment to the inertia tensor
static inline TDI_SYM3 TDI_W(sym3_inertia)(TDI_SYM3 s) {
    return (TDI_SYM3){s.yy + s.zz, s.xx + s.zz, s.xx + s.yy, -s.xy, -s.xz, -s.yz};
}
// [r]x C, rows first: row i of the result is (r x column)_i
static inline TDI_MAT3 TDI_W(cross_sym)(TDI_VEC3 r, const TDI_SYM3 *c) {
    return (TDI_MAT3){
        {r.y * c->xz - r.z * c->xy, r.y * c->yz - r.z * c->yy, r.y * c->zz - r.z * c->yz,
         r.z * c->xx - r.x * c->xz, r.z * c->xy - r.x * c->yz, r.z * c->xz - r.x * c->zz,
         r.x * c->xy - r.y * c->xx, r.x * c->yy - r.y * c->xy, r.x * c->yz - r.y * c->xz}};
}
// [r]x C [r]x^T, with m = [r]x C
static inline TDI_SYM3 TDI_W(cross_both)(TDI_VEC3 r, const TDI_MAT3 *m) {
    const TDI_VEC3 x = TDI_W(cross)(r, TDI_W(mat3_row)(m, 0));
    const TDI_VEC3 y = TDI_W(cross)(r, TDI_W(mat3_row)(m, 1));
    const TDI_VEC3 z = TDI_W(cross)(r, TDI_W(mat3_row)(m, 2));
    return (TDI_SYM3){x.x, y.y, z.z, x.y, x.z, y.z};
}
