// SPDX-License-Identifier: MIT
// No include guard: vectors of three, once for reals and once for lanes; see math/lane_names.h.

static inline TDI_VEC3 TDI_W(add)(TDI_VEC3 a, TDI_VEC3 b) {
    return (TDI_VEC3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline TDI_VEC3 TDI_W(sub)(TDI_VEC3 a, TDI_VEC3 b) {
    return (TDI_VEC3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline TDI_VEC3 TDI_W(scale)(TDI_VEC3 a, TDI_REAL s) {
    return (TDI_VEC3){a.x * s, a.y * s, a.z * s};
}
// a + s b
static inline TDI_VEC3 TDI_W(madd)(TDI_VEC3 a, TDI_VEC3 b, TDI_REAL s) {
    return (TDI_VEC3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
// component by component
static inline TDI_VEC3 TDI_W(times)(TDI_VEC3 a, TDI_VEC3 b) {
    return (TDI_VEC3){a.x * b.x, a.y * b.y, a.z * b.z};
}
static inline TDI_REAL TDI_W(dot)(TDI_VEC3 a, TDI_VEC3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline TDI_VEC3 TDI_W(cross)(TDI_VEC3 a, TDI_VEC3 b) {
    return (TDI_VEC3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
