// SPDX-License-Identifier: MIT
// No include guard: products of quaternions, once for reals and once for lanes; see
// math/lane_names.h.

// its parts one by one: a call with whole quaternions would copy them first
TDI_HELPER TDI_QUAT TDI_W(quat_product)(TDI_REAL aw, TDI_REAL ax, TDI_REAL ay, TDI_REAL az,
                                        TDI_REAL bw, TDI_REAL bx, TDI_REAL by, TDI_REAL bz) {
    return (TDI_QUAT){aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
                      aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw};
}
static inline TDI_QUAT TDI_W(quat_mul)(TDI_QUAT a, TDI_QUAT b) {
    return TDI_W(quat_product)(a.w, a.x, a.y, a.z, b.w, b.x, b.y, b.z);
}
