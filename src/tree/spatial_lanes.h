// SPDX-License-Identifier: MIT
// No include guard: kernels on the types of tree/spatial_types.h, once for reals and once for
// lanes; see math/lane_names.h.

// A block from a point r away:
//   A' = A - B [r]x + [r]x B^T - [r]x C [r]x,  B' = B + [r]x C,  C' = C
// With M = B + [r]x C and N = B: A' = A + sym part of ([r]x N^T + [r]x M^T), since
// -B [r]x = ([r]x B^T)^T and -[r]x C [r]x = [r]x ([r]x C)^T.
static inline TDI_W(block) TDI_W(block_moved)(const TDI_W(block) * from, TDI_VEC3 r) {
    TDI_W(block) to;
    TDI_MAT3 shift = TDI_W(cross_sym)(r, &from->c);
    TDI_MAT3 both; // 2 B + [r]x C: [r]x both^T summed with its transpose over 2 is what A gains
    for (int k = 0; k < 9; k++) {
        both.m[k] = from->b.m[k] + from->b.m[k] + shift.m[k];
        to.b.m[k] = from->b.m[k] + shift.m[k];
    }
    // X = [r]x both^T; column j of both^T is row j of both
    TDI_VEC3 x0 = TDI_W(cross)(r, TDI_W(mat3_row)(&both, 0)); // column 0 of X
    TDI_VEC3 x1 = TDI_W(cross)(r, TDI_W(mat3_row)(&both, 1));
    TDI_VEC3 x2 = TDI_W(cross)(r, TDI_W(mat3_row)(&both, 2));
    to.a.xx = from->a.xx + x0.x;
    to.a.yy = from->a.yy + x1.y;
    to.a.zz = from->a.zz + x2.z;
    to.a.xy = from->a.xy + 0.5 * (x1.x + x0.y);
    to.a.xz = from->a.xz + 0.5 * (x2.x + x0.z);
    to.a.yz = from->a.yz + 0.5 * (x2.y + x1.z);
    to.c = from->c;
    return to;
}

static inline void TDI_W(block_sum)(TDI_W(block) * to, const TDI_W(block) * from) {
    to->a = TDI_W(sym3_add)(to->a, from->a);
    for (int k = 0; k < 9; k++) {
        to->b.m[k] += from->b.m[k];
    }
    to->c = TDI_W(sym3_add)(to->c, from->c);
}

// Moves a block from a point r away and adds it.
static inline void TDI_W(block_add)(TDI_W(block) * to, const TDI_W(block) * from, TDI_VEC3 r) {
    TDI_W(block) moved = TDI_W(block_moved)(from, r);
    TDI_W(block_sum)(to, &moved);
}

// The block of C alone, likewise: [r]x C [r]x^T, [r]x C, C; row by row, which keeps few values at a
// time
static inline void TDI_W(block_add_point)(TDI_W(block) * to, const TDI_SYM3 *c, TDI_VEC3 r) {
    TDI_REAL *b = to->b.m;
    // rows of [r]x C, and r x each
    const TDI_VEC3 h = {r.y * c->xz - r.z * c->xy, r.y * c->yz - r.z * c->yy,
                        r.y * c->zz - r.z * c->yz};
    b[0] += h.x;
    b[1] += h.y;
    b[2] += h.z;
    to->a.xx += r.y * h.z - r.z * h.y;
    to->a.xy += r.z * h.x - r.x * h.z;
    to->a.xz += r.x * h.y - r.y * h.x;
    const TDI_VEC3 k = {r.z * c->xx - r.x * c->xz, r.z * c->xy - r.x * c->yz,
                        r.z * c->xz - r.x * c->zz};
    b[3] += k.x;
    b[4] += k.y;
    b[5] += k.z;
    to->a.yy += r.z * k.x - r.x * k.z;
    to->a.yz += r.x * k.y - r.y * k.x;
    const TDI_VEC3 n = {r.x * c->xy - r.y * c->xx, r.x * c->yy - r.y * c->xy,
                        r.x * c->yz - r.y * c->xz};
    b[6] += n.x;
    b[7] += n.y;
    b[8] += n.z;
    to->a.zz += r.x * n.y - r.y * n.x;
    to->c = TDI_W(sym3_add)(to->c, *c);
}

static inline TDI_W(wrench) TDI_W(block_apply)(const TDI_W(block) * m, const TDI_W(twist) * t) {
    return (TDI_W(wrench)){
        TDI_W(add)(TDI_W(sym3_apply)(&m->a, t->w), TDI_W(mat3_apply)(&m->b, t->v)),
        TDI_W(add)(TDI_W(mat3_apply_t)(&m->b, t->w), TDI_W(sym3_apply)(&m->c, t->v))};
}

// of a wrench along a twist
static inline TDI_REAL TDI_W(power)(const TDI_W(wrench) * w, const TDI_W(twist) * t) {
    return TDI_W(dot)(w->n, t->w) + TDI_W(dot)(w->f, t->v);
}

// w about a point r nearer to the root, added
static inline void TDI_W(wrench_add)(TDI_W(wrench) * to, const TDI_W(wrench) * w, TDI_VEC3 r) {
    to->n = TDI_W(add)(to->n, TDI_W(add)(w->n, TDI_W(cross)(r, w->f)));
    to->f = TDI_W(add)(to->f, w->f);
}

// Geometric stiffness: a turn moves the force f with its lever arm r, sym(r f^T) - (r.f) I.
static inline TDI_SYM3 TDI_W(geometric_stiffness)(TDI_VEC3 r, TDI_VEC3 f) {
    TDI_REAL d = TDI_W(dot)(r, f);
    return (TDI_SYM3){r.x * f.x - d,
                      r.y * f.y - d,
                      r.z * f.z - d,
                      0.5 * (r.x * f.y + r.y * f.x),
                      0.5 * (r.x * f.z + r.z * f.x),
                      0.5 * (r.y * f.z + r.z * f.y)};
}

// what w alone asks for: w x (J w) = (S w) x w, and w x (w x c)
static inline TDI_W(wrench) TDI_W(mass_bias)(const TDI_W(mass) * b, TDI_VEC3 w) {
    return (TDI_W(wrench)){TDI_W(cross)(TDI_W(sym3_apply)(&b->s, w), w),
                           TDI_W(cross)(w, TDI_W(cross)(w, b->c))};
}
