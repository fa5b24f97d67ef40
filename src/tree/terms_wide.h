// SPDX-License-Identifier: MIT
#pragma once

// Terms of several ball joints and their bodies at once: which widths there are.

#include "tree/implicit.h"

// Fills the terms of the bodies from `first` on, as many as the kernel has lanes, all on ball
// joints.
typedef void (*tdi_terms_fill)(const tdi_potential_at *at, int32_t first, tdi_term *terms);

typedef struct tdi_terms_kernel {
    int32_t lanes;
    tdi_terms_fill fill;
} tdi_terms_kernel;

extern const tdi_terms_kernel tdi_terms_4; // AVX2; with TDI_WIDE_X86 only, as the next
extern const tdi_terms_kernel tdi_terms_8; // AVX-512

#define TDI_TERMS_KERNELS 2

// Those that this machine can run, widest first; returns how many. None where the scalar code is as
// fast.
int tdi_terms_kernels(const tdi_terms_kernel *kernels[TDI_TERMS_KERNELS]);
const tdi_terms_kernel *tdi_terms_widest(void); // or NULL
