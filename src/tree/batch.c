// SPDX-License-Identifier: MIT
// Batches of trees: memory, setting and getting, and forward dynamics block after block.
//
// Order    a block's rows are those of its trees' coordinates or degrees of freedom; a tree is a
//          column. Trees that a last block has too many stay at the initial pose.

#include "tree/batch.h"

#include "base/guard.h"

#include <string.h>

#define LINE 64 // bytes of a cache line, and of the widest register

// ---- memory ---------------------------------------------------------------------------------

static int32_t block_count(int32_t trees) {
    return trees / TDI_BLOCK + (trees % TDI_BLOCK > 0);
}

static void lay_out(td_tree_batch *b, tdi_layout *l) {
    const tdi_tree_model *m = b->model;
    const size_t n = (size_t)m->body_count, row = TDI_BLOCK * sizeof(td_real);
    const size_t blocks = (size_t)block_count(b->count);
    const size_t nq = blocks * (size_t)m->coord_count, nv = blocks * (size_t)m->head.dof_count;
    l->used = 0;
    tdi_layout_place(l, 1, sizeof *b);
    b->last_child = tdi_layout_place(l, n, sizeof *b->last_child);
    b->leaf = tdi_layout_place(l, n, sizeof *b->leaf);
    b->q = tdi_layout_place(l, nq, row);
    b->v = tdi_layout_place(l, nv, row);
    b->torque = tdi_layout_place(l, nv, row);
    b->accel = tdi_layout_place(l, nv, row);
    b->links = tdi_layout_place(l, n + 1, b->kernel->link_size);
    b->others = tdi_layout_place(l, (size_t)m->other_count, b->kernel->other_size);
}

// Whether all that lay_out() adds up is a size; with room to spare, as doubles round.
static bool size_fits(const td_tree_batch *b) {
    const tdi_tree_model *m = b->model;
    double rows = (double)block_count(b->count) * (m->coord_count + 3.0 * m->head.dof_count);
    double scratch = (m->body_count + 1.0) * (double)(b->kernel->link_size + 2) +
                     m->other_count * (double)b->kernel->other_size;
    return rows * TDI_BLOCK * sizeof(td_real) + scratch < 0.25 * (double)SIZE_MAX;
}

// Bodies are stored parent first, so that a parent's last child is the first seen from behind.
static void find_ends(td_tree_batch *b) {
    const tdi_tree_model *m = b->model;
    for (int32_t i = 0; i < m->body_count; i++) {
        b->leaf[i] = true;
    }
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        const int32_t up = m->parent[i];
        b->last_child[i] = up != TD_NONE && b->leaf[up];
        if (up != TD_NONE) {
            b->leaf[up] = false;
        }
    }
}

// All lanes, also those that are no trees: the sweeps pass through them.
static void fill(td_tree_batch *b, const td_real *coords) {
    const int32_t blocks = block_count(b->count);
    td_real *row = b->q;
    for (int32_t k = 0; k < blocks; k++) {
        for (int32_t c = 0; c < b->model->coord_count; c++, row += TDI_BLOCK) {
            for (int lane = 0; lane < TDI_BLOCK; lane++) {
                row[lane] = coords[c];
            }
        }
    }
}

static char *aligned(void *block) {
    return (char *)block + (LINE - (uintptr_t)block % LINE) % LINE;
}

td_status tdi_tree_batch_new(const tdi_tree_model *model, int32_t count,
                             const tdi_wide_kernel *kernel, const td_alloc *alloc,
                             td_tree_batch **out, td_diag *diag) {
    *out = NULL;
    if (count < 1) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "count is %d; a batch needs at least one tree",
                        (int)count);
    }
    td_tree_batch b = {.alloc = alloc, .model = model, .kernel = kernel, .count = count};
    tdi_layout l = {NULL, 0};
    tdi_tree_state *state = NULL; // knows the initial pose
    lay_out(&b, &l);
    b.bytes = l.used + LINE;
    b.block = size_fits(&b) ? tdi_alloc_zeroed(alloc, b.bytes, 1) : NULL;
    if (!b.block || tdi_tree_state_new(model, alloc, &state, NULL) != TD_OK) {
        tdi_alloc_free(alloc, b.block, b.bytes);
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for %d trees", (int)count);
    }
    l.base = aligned(b.block);
    lay_out(&b, &l);
    find_ends(&b);
    fill(&b, state->q);
    tdi_state_free(state);
    memcpy(l.base, &b, sizeof b);
    *out = (td_tree_batch *)l.base;
    return TD_OK;
}

td_status td_tree_batch_new(const td_body_model *model, int32_t count, const td_alloc *alloc,
                            td_tree_batch **out, td_diag *diag) {
    const tdi_tree_model *m = tdi_as_tree_model(model);
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!m || !out);
    const tdi_wide_kernel *kernels[TDI_WIDE_KERNELS];
    tdi_wide_kernels(kernels);
    return tdi_tree_batch_new(m, count, kernels[0], alloc, out, diag);
}

void td_tree_batch_free(td_tree_batch *batch) {
    if (batch) {
        tdi_alloc_free(batch->alloc, batch->step_room, batch->step_bytes);
        tdi_alloc_free(batch->alloc, batch->block, batch->bytes);
    }
}

int32_t td_tree_batch_count(const td_tree_batch *batch) {
    return batch ? batch->count : 0;
}

size_t td_tree_batch_bytes(const td_tree_batch *batch) {
    return batch ? batch->bytes + batch->step_bytes : 0;
}

// ---- setting and getting --------------------------------------------------------------------

// Where a tree's column begins in an array of blocks with `rows` rows.
static size_t column_of(int32_t tree, int32_t rows) {
    return (size_t)(tree / TDI_BLOCK) * (size_t)rows * TDI_BLOCK + (size_t)(tree % TDI_BLOCK);
}

static void put(td_real *array, int32_t tree, int32_t rows, const td_real *values) {
    td_real *to = array + column_of(tree, rows);
    for (int32_t k = 0; k < rows; k++, to += TDI_BLOCK) {
        *to = values ? values[k] : 0;
    }
}

static void take(const td_real *array, int32_t tree, int32_t rows, td_real *values) {
    const td_real *from = array + column_of(tree, rows);
    for (int32_t k = 0; k < rows; k++, from += TDI_BLOCK) {
        values[k] = *from;
    }
}

// Puts a quaternion that was given, made a unit one; one that is so to rounding keeps its bits.
static void put_unit(td_real *to, const td_real *q) {
    const td_real n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const td_real scale = n2 > 0 && fabs(n2 - 1) > 1e-14 ? 1 / sqrt(n2) : 1;
    for (int k = 0; k < 4; k++) {
        to[k * TDI_BLOCK] = q[k] * scale;
    }
}

void tdi_batch_put(td_tree_batch *b, int32_t tree, const td_real *coords,
                   const td_real *velocities) {
    put(b->q, tree, b->model->coord_count, coords);
    put(b->v, tree, b->model->head.dof_count, velocities);
}

td_status td_tree_batch_set(td_tree_batch *batch, int32_t tree, const td_real *coords,
                            const td_real *velocities, td_diag *diag) {
    TDI_REFUSE_IF(!batch || !coords || !velocities || !tdi_has(tree, batch->count));
    const tdi_tree_model *m = batch->model;
    td_real *q = batch->q + column_of(tree, m->coord_count);
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t c = m->coord[i];
        const int32_t last = m->coord[i + 1], turn = last - c >= 4 ? last - 4 : last;
        for (; c < turn; c++) {
            q[(ptrdiff_t)TDI_BLOCK * c] = coords[c];
        }
        if (turn < last) { // a quaternion comes last
            put_unit(q + (ptrdiff_t)TDI_BLOCK * turn, coords + turn);
        }
    }
    put(batch->v, tree, m->head.dof_count, velocities);
    return TD_OK;
}

void td_tree_batch_get(const td_tree_batch *batch, int32_t tree, td_real *coords,
                       td_real *velocities) {
    if (!batch || !coords || !velocities || !tdi_has(tree, batch->count)) {
        return;
    }
    take(batch->q, tree, batch->model->coord_count, coords);
    take(batch->v, tree, batch->model->head.dof_count, velocities);
}

td_status td_tree_batch_set_torque(td_tree_batch *batch, int32_t tree, const td_real *torque,
                                   td_diag *diag) {
    TDI_REFUSE_IF(!batch || !tdi_has(tree, batch->count));
    put(batch->torque, tree, batch->model->head.dof_count, torque);
    return TD_OK;
}

void td_tree_batch_accel(const td_tree_batch *batch, int32_t tree, td_real *accel) {
    if (!batch || !accel || !tdi_has(tree, batch->count)) {
        return;
    }
    take(batch->accel, tree, batch->model->head.dof_count, accel);
}

// ---- dynamics -------------------------------------------------------------------------------

void tdi_batch_forward(td_tree_batch *b, int32_t tree, td_vec3 gravity, void *links, void *others) {
    const tdi_tree_model *m = b->model;
    const size_t q = column_of(tree, m->coord_count), v = column_of(tree, m->head.dof_count);
    const int32_t left = b->count - tree;
    const tdi_wide_job job = {.model = m,
                              .last_child = b->last_child,
                              .leaf = b->leaf,
                              .used = left < TDI_BLOCK ? left : TDI_BLOCK,
                              .gravity = gravity,
                              .q = b->q + q,
                              .v = b->v + v,
                              .torque = b->torque + v,
                              .accel = b->accel + v,
                              .links = links,
                              .others = others};
    b->kernel->forward(&job);
}

void td_tree_batch_forward(td_tree_batch *b, td_vec3 gravity) {
    const int64_t blocks = b ? block_count(b->count) : 0;
    for (int64_t k = 0; k < blocks; k++) {
        tdi_batch_forward(b, (int32_t)(k * TDI_BLOCK), gravity, b->links, b->others);
    }
}
