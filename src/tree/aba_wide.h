// SPDX-License-Identifier: MIT
#pragma once

// Forward dynamics of up to TDI_BLOCK trees of one model at once: what a kernel is and which there
// are. One file a width, so that each can be compiled for its instruction set; see
// aba_kernel.h.

#include "tree/model.h"

#define TDI_BLOCK 8 // trees a block: lanes of the widest registers

// One block of trees. Arrays have a row of TDI_BLOCK reals, one a tree, for each coordinate or
// degree of freedom.
typedef struct tdi_wide_job {
    const tdi_tree_model *model;
    const bool *last_child; // a body: it is the last of its parent's children
    const bool *leaf;       // a body: it has no children
    int32_t used;           // trees that count, from the first; the others may be left out
    td_vec3 gravity;
    const td_real *q, *v, *torque;
    td_real *accel;
    void *links;  // scratch, body_count + 1 of link_size, on a cache line of its own
    void *others; // scratch, the model's other_count of other_size, likewise
} tdi_wide_job;

typedef struct tdi_wide_kernel {
    const char *name; // of the instruction set
    size_t link_size, other_size;
    void (*forward)(const tdi_wide_job *job);
} tdi_wide_kernel;

#define TDI_WIDE_KERNELS 3

// Those that this machine can run, widest first; returns how many.
int tdi_wide_kernels(const tdi_wide_kernel *kernels[TDI_WIDE_KERNELS]);

extern const tdi_wide_kernel tdi_wide_2; // what every machine has
extern const tdi_wide_kernel tdi_wide_4; // AVX2; with TDI_WIDE_X86 only, as the next
extern const tdi_wide_kernel tdi_wide_8; // AVX-512
