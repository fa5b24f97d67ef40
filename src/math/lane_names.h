// SPDX-License-Identifier: MIT
// No include guard. Names and types for the files *_lanes.h, which are written once and included
// for plain reals and for rows of lanes: TDI_WIDE_NAMES says which. Plain: tdi_add() of td_vec3;
// wide: tdi_wadd() of tdi_wvec3, see math/wide.h.

#undef TDI_W
#undef TDI_ALL
#undef TDI_SELECT
#undef TDI_SQRT
#undef TDI_REAL
#undef TDI_VEC3
#undef TDI_QUAT
#undef TDI_MAT3
#undef TDI_SYM3

#if TDI_WIDE_NAMES
#define TDI_W(name)               tdi_w##name
#define TDI_ALL(x)                tdi_wide_all(x)
#define TDI_SELECT(mask, yes, no) tdi_wide_select(mask, yes, no)
#define TDI_SQRT(x)               tdi_wide_sqrt(x)
#define TDI_REAL                  tdi_wide
#define TDI_VEC3                  tdi_wvec3
#define TDI_QUAT                  tdi_wquat
#define TDI_MAT3                  tdi_wmat3
#define TDI_SYM3                  tdi_wsym3
#else
#define TDI_W(name)               tdi_##name
#define TDI_ALL(x)                (x)
#define TDI_SELECT(mask, yes, no) ((mask) ? (yes) : (no))
#define TDI_SQRT(x)               sqrt(x)
#define TDI_REAL                  td_real
#define TDI_VEC3                  td_vec3
#define TDI_QUAT                  td_quat
#define TDI_MAT3                  tdi_mat3
#define TDI_SYM3                  td_sym3
#endif

#undef TDI_WIDE_NAMES
