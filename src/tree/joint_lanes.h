// SPDX-License-Identifier: MIT
// No include guard: ball joints, once for reals and once for lanes; see math/lane_names.h. The
// formulas are in the head of tree/joint.h.

// h = asin(sqrt s)/sqrt s for s < 0.01, to rounding; in pairs, so that the terms need not wait for
// each other
static inline TDI_REAL TDI_W(half_growth)(TDI_REAL s) {
    TDI_REAL s2 = s * s;
    return (1 + s * (1.0 / 6)) + s2 * (3.0 / 40 + s * (5.0 / 112)) +
           s2 * s2 * (35.0 / 1152 + s * (63.0 / 2816) + s2 * (231.0 / 13312));
}

// b by series up to 0.2 rad, and its derivative by t2 = |a|^2
static inline TDI_REAL TDI_W(turn_coefficient_near)(TDI_REAL t2) {
    return 1.0 / 12 + t2 * (1.0 / 720 + t2 * (1.0 / 30240 + t2 / 1209600));
}
static inline TDI_REAL TDI_W(turn_coefficient_slope)(TDI_REAL t2) {
    return 1.0 / 720 + t2 * (2.0 / 30240 + t2 * (3.0 / 1209600 + t2 * (4.0 / 47900160)));
}

// J^-1 v, and with sign -1 J^-T v
static inline TDI_VEC3 TDI_W(ball_rate)(const TDI_W(ball_turn) * turn, TDI_VEC3 v, td_real sign) {
    TDI_VEC3 av = TDI_W(cross)(turn->a, v);
    TDI_VEC3 half = TDI_W(madd)(v, av, TDI_ALL(sign * 0.5));
    return TDI_W(madd)(half, TDI_W(cross)(turn->a, av), turn->b);
}

// in pairs, so that the terms need not wait for each other
static inline TDI_REAL TDI_W(ball_series)(const td_real *terms, TDI_REAL s) {
    TDI_REAL s2 = s * s, sum = terms[TDI_BALL_TERMS - 2] + s * terms[TDI_BALL_TERMS - 1];
    for (int k = TDI_BALL_TERMS - 4; k >= 0; k -= 2) {
        sum = (terms[k] + s * terms[k + 1]) + s2 * sum;
    }
    return sum;
}

// Moment of linear springs and damping on a joint with quaternion (w, u) that turns at a rate, up
// to 60 degrees. There the quaternion itself gives
//   J^-1 v = h (w v + u x v) + c (u.v) u,  a = 2 h u,
// with h = asin(|u|)/|u| and c = (1 - h w)/|u|^2.
static inline TDI_VEC3 TDI_W(ball_moment_near)(const tdi_body *body, TDI_REAL w, TDI_VEC3 u,
                                               TDI_VEC3 rate) {
    const td_vec3 k = body->stiffness, d = body->damping;
    const TDI_REAL s = TDI_W(dot)(u, u);
    const TDI_REAL h = TDI_W(ball_series)(tdi_half_terms, s);
    const TDI_REAL c = TDI_W(ball_series)(tdi_along_terms, s);
    TDI_VEC3 cross = TDI_W(cross)(u, rate);
    TDI_REAL along = c * TDI_W(dot)(u, rate);
    const TDI_VEC3 t = {k.x * (2 * h * u.x) + d.x * (h * (w * rate.x + cross.x) + along * u.x),
                        k.y * (2 * h * u.y) + d.y * (h * (w * rate.y + cross.y) + along * u.y),
                        k.z * (2 * h * u.z) + d.z * (h * (w * rate.z + cross.z) + along * u.z)};
    cross = TDI_W(cross)(u, t);
    along = c * TDI_W(dot)(u, t);
    return (TDI_VEC3){h * (cross.x - w * t.x) - along * u.x, h * (cross.y - w * t.y) - along * u.y,
                      h * (cross.z - w * t.z) - along * u.z};
}
