// SPDX-License-Identifier: MIT
#pragma once

// Batches of trees: memory. Trees stand in blocks of TDI_BLOCK; a block has a row of TDI_BLOCK
// reals for each coordinate, then others. Scratch is that of one block, which all share; steps
// have scratch for each thread.

#include "tendril/batch.h"
#include "tree/aba_wide.h"

struct td_tree_batch {
    const td_alloc *alloc;
    void *block; // as it came from the allocator; the rest lies on cache lines in it
    size_t bytes;
    const tdi_tree_model *model;
    const tdi_wide_kernel *kernel;
    int32_t count;
    bool *last_child, *leaf; // as in tdi_wide_job
    td_real *q, *v, *torque, *accel;
    void *links, *others;
    void *step_room; // of steps, a piece for each thread; NULL: none was taken
    size_t step_bytes;
    int32_t step_threads;
};

// Sets a tree, to the bit.
void tdi_batch_put(td_tree_batch *batch, int32_t tree, const td_real *coords,
                   const td_real *velocities);
// Accelerations of the block that begins with a tree, in scratch of the caller.
void tdi_batch_forward(td_tree_batch *batch, int32_t tree, td_vec3 gravity, void *links,
                       void *others);

// td_tree_batch_new() with a kernel of one's own choice, for tests.
td_status tdi_tree_batch_new(const tdi_tree_model *model, int32_t count,
                             const tdi_wide_kernel *kernel, const td_alloc *alloc,
                             td_tree_batch **out, td_diag *diag);
