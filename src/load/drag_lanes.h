// SPDX-License-Identifier: MIT
// No include guard: the law of drag, once for reals and once for lanes; see math/lane_names.h. The
// formula is in the head of load/drag.h.

// The areas in world axes, and the largest of the three.
typedef struct TDI_W(drag_area) {
    TDI_SYM3 area;
    TDI_REAL most;
} TDI_W(drag_area);

static inline TDI_W(drag_area) TDI_W(drag_area_of)(TDI_VEC3 a, const TDI_MAT3 *r) {
    TDI_REAL most = TDI_SELECT(a.x > a.y, a.x, a.y);
    return (TDI_W(drag_area)){TDI_W(sym3_turn_diagonal)(r, a), TDI_SELECT(most > a.z, most, a.z)};
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
    const TDI_REAL slope = air->linear + air->quadratic * speed;
    TDI_W(drag) d;
    d.value = by->value * form * (0.5 * air->linear + air->quadratic * speed / 3);
    d.gradient = TDI_W(scale)(au, by->gradient * slope);
    d.hessian = TDI_W(sym3_scale)(a->area, by->hessian * slope);
    // where the speed is 0 its second derivative is too
    const TDI_REAL curvature =
        TDI_SELECT(speed > none, by->hessian * air->quadratic / (a->most * speed), none);
    d.hessian = TDI_W(sym3_add)(d.hessian, TDI_W(sym3_square)(au, curvature));
    return d;
}
