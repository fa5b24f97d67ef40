// SPDX-License-Identifier: MIT
// No include guard: pairs of vectors (angular, linear) and what is made of them, once for reals and
// once for lanes; see math/lane_names.h.

typedef struct TDI_W(twist) { // how a body moves: angular, and linear at o
    TDI_VEC3 w, v;
} TDI_W(twist);

typedef struct TDI_W(wrench) { // moment about o, and force
    TDI_VEC3 n, f;
} TDI_W(wrench);

// Symmetric 6x6 matrix in blocks [A B; B^T C], rotation first.
typedef struct TDI_W(block) {
    TDI_SYM3 a;
    TDI_MAT3 b;
    TDI_SYM3 c;
} TDI_W(block);

typedef struct TDI_W(mass) { // of a body at its pose: mass, first and second moment about o
    TDI_REAL m;
    TDI_VEC3 c;
    TDI_SYM3 s;
} TDI_W(mass);

// A body on its way through the articulated-body sweeps, in its own axes; see aba_kernel.h.
typedef struct TDI_W(link) {
    TDI_MAT3 turn; // its axes to its parent's
    TDI_VEC3 r, b; // its origin, and the acceleration of that by rates alone; parent's axes
    TDI_VEC3 w;    // turning rate
    union {
        TDI_W(block) inertia; // until its joint is eliminated; joints other than balls: also after
        struct {              // of ball joints after that
            TDI_VEC3 gain[3], free, lower;
            TDI_VEC3 inverse; // of the pivots; of a tree alone
        };
    };
    union {
        TDI_W(wrench) bias; // until its acceleration is known
        TDI_W(twist) accel;
    };
} TDI_W(link);
