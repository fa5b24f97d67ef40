// SPDX-License-Identifier: MIT
// No include guard: the law of drag, once for reals and once for lanes; see math/lane_names.h. The
// formula is in the head of load/drag.h.

// The areas in world axes, and the largest of the three.
typedef struct TDI_W(drag_area) {
    TDI_SYM3 area;
    TDI_REAL most;
    TDI_REAL fold; // P^(-1/2)
} TDI_W(drag_area);

static inline TDI_W(drag_area) TDI_W(drag_area_of)(TDI_VEC3 a, TDI_REAL fold, const TDI_MAT3 *r) {
    TDI_REAL most = TDI_SELECT(a.x > a.y, a.x, a.y);
    return (TDI_W(drag_area)){TDI_W(sym3_turn_diagonal)(r, a), TDI_SELECT(most > a.z, most, a.z),
                              fold};
}

// By how much surfaces that fold differ from rigid ones, for which all are exactly 1:
// F/s^2, d(F/s)/ds and 3 D/s^3, over quadratic a.
typedef struct TDI_W(drag_folds) {
    TDI_REAL force, more, value;
} TDI_W(drag_folds);

static inline TDI_W(drag_folds)
    TDI_W(drag_folds_at)(const td_air *air, TDI_REAL fold, TDI_REAL speed) {
    const TDI_REAL t = fold * speed * TDI_SQRT(TDI_ALL(air->quadratic)), over = 1.0 / (3.0 + t);
    return (TDI_W(drag_folds)){(9.0 + 2.0 * t) * over * over, (27.0 + 3.0 * t) * over * over * over,
                               3.0 * over};
}

// D and its derivatives by u, times factors.
typedef struct TDI_W(drag) {
    TDI_REAL value;
    TDI_VEC3 gradient;
    TDI_SYM3 hessian;
} TDI_W(drag);

static inline TDI_W(drag) TDI_W(drag_of)(const td_air *air, const TDI_W(drag_area) * a, TDI_VEC3 u,
                                         const tdi_rate_factors *by) {
    const TDI_REAL none = TDI_ALL(0);
    const TDI_VEC3 au = TDI_W(sym3_apply)(&a->area, u);
    const TDI_REAL form = TDI_W(dot)(u, au);
    const TDI_REAL speed = TDI_SQRT(TDI_SELECT(form > none, form / a->most, none));
    const TDI_W(drag_folds) folds = TDI_W(drag_folds_at)(air, a->fold, speed);
    const TDI_REAL slope = air->linear + air->quadratic * speed * folds.force;
    TDI_W(drag) d;
    d.value = by->value * form * (0.5 * air->linear + air->quadratic * speed * folds.value / 3);
    d.gradient = TDI_W(scale)(au, by->gradient * slope);
    d.hessian = TDI_W(sym3_scale)(a->area, by->hessian * slope);
    // where the speed is 0 its second derivative is too
    const TDI_REAL curvature = TDI_SELECT(
        speed > none, by->hessian * air->quadratic * folds.more / (a->most * speed), none);
    d.hessian = TDI_W(sym3_add)(d.hessian, TDI_W(sym3_square)(au, curvature));
    return d;
}
