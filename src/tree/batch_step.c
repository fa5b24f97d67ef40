// SPDX-License-Identifier: MIT
// Explicit steps of batches of trees.
//
// Order    All stages of a block are taken by one thread, so that sums over stages need room for
//          one block a thread. Accelerations are those of all lanes together; coordinates advance
//          tree by tree, by the rules of single trees (explicit_rule.h).

#include "tree/batch.h"

#include "base/guard.h"
#include "base/pool.h"
#include "implicit/implicit.h"
#include "tree/explicit_rule.h"

#include <stdatomic.h>

#define LINE 64 // bytes of a cache line, and of the widest register

typedef struct stepping {
    td_tree_batch *batch;
    const td_step_opts *opts;
    _Atomic int32_t failed; // the first tree that diverged, or how many there are
} stepping;

// ---- room -----------------------------------------------------------------------------------

// Of a thread: scratch of forward dynamics, and rows of the trees of a block.
typedef struct block_room {
    void *links, *others;
    tdi_explicit_rows tree[TDI_BLOCK];
} block_room;

static size_t lay_out(const td_tree_batch *b, char *base, block_room *r) {
    const tdi_tree_model *m = b->model;
    const size_t nq = (size_t)m->coord_count, nv = (size_t)m->head.dof_count, one = sizeof(td_real);
    tdi_layout l = {base, 0};
    r->links = tdi_layout_place(&l, (size_t)m->body_count + 1, b->kernel->link_size);
    r->others = tdi_layout_place(&l, (size_t)m->other_count, b->kernel->other_size);
    for (int lane = 0; lane < TDI_BLOCK; lane++) {
        tdi_explicit_rows *t = &r->tree[lane];
        td_real **const rows[] = {&t->v,     &t->v_first,  &t->rate,
                                  &t->accel, &t->rate_sum, &t->accel_sum};
        t->q = tdi_layout_place(&l, nq, one);
        t->q_first = tdi_layout_place(&l, nq, one);
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            *rows[k] = tdi_layout_place(&l, nv, one);
        }
    }
    return l.used;
}

static block_room room_of(const td_tree_batch *b, int32_t thread) {
    block_room r;
    const size_t bytes = lay_out(b, NULL, &r);
    char *first = (char *)b->step_room + (LINE - (uintptr_t)b->step_room % LINE) % LINE;
    lay_out(b, first + (size_t)thread * bytes, &r);
    return r;
}

// Room for so many threads; what there is stays.
static td_status reserve(td_tree_batch *b, int32_t threads, td_diag *diag) {
    block_room r;
    if (threads <= b->step_threads) {
        return TD_OK;
    }
    const size_t bytes = (size_t)threads * lay_out(b, NULL, &r) + LINE;
    void *room = tdi_alloc_zeroed(b->alloc, bytes, 1);
    if (!room) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory to step a batch on %d threads",
                        (int)threads);
    }
    tdi_alloc_free(b->alloc, b->step_room, b->step_bytes);
    b->step_room = room;
    b->step_bytes = bytes;
    b->step_threads = threads;
    return TD_OK;
}

// ---- a block --------------------------------------------------------------------------------

static void note_failure(stepping *s, int32_t tree) {
    int32_t failed = atomic_load(&s->failed);
    while (tree < failed && !atomic_compare_exchange_weak(&s->failed, &failed, tree)) {}
}

// Puts the trees where accelerations are wanted, and gets those.
static void accelerate(stepping *s, int32_t first, int32_t used, const block_room *r) {
    td_tree_batch *b = s->batch;
    for (int32_t lane = 0; lane < used; lane++) {
        tdi_batch_put(b, first + lane, r->tree[lane].q, r->tree[lane].v);
    }
    tdi_batch_forward(b, first, s->opts->gravity, r->links, r->others);
    for (int32_t lane = 0; lane < used; lane++) {
        td_tree_batch_accel(b, first + lane, r->tree[lane].accel);
    }
}

static void step_block(void *context, int64_t k, int32_t thread) {
    stepping *s = context;
    td_tree_batch *b = s->batch;
    const tdi_tree_model *m = b->model;
    const td_integrator rule = s->opts->integrator;
    const int32_t first = (int32_t)k * TDI_BLOCK, left = b->count - first;
    const int32_t used = left < TDI_BLOCK ? left : TDI_BLOCK;
    const block_room r = room_of(b, thread);
    for (int32_t lane = 0; lane < used; lane++) {
        td_tree_batch_get(b, first + lane, r.tree[lane].q, r.tree[lane].v);
        tdi_rule_open(m, &r.tree[lane]);
    }
    for (int stage = 0; stage < tdi_rule_stages(rule); stage++) {
        for (int32_t lane = 0; lane < used; lane++) {
            tdi_rule_stage(m, &r.tree[lane], rule, s->opts->dt, stage);
        }
        accelerate(s, first, used, &r);
        for (int32_t lane = 0; lane < used; lane++) {
            tdi_rule_gather(m, &r.tree[lane], stage);
        }
    }
    for (int32_t lane = 0; lane < used; lane++) {
        const tdi_explicit_rows *t = &r.tree[lane];
        const bool fine = tdi_rule_arrive(m, t, rule, s->opts->dt);
        tdi_batch_put(b, first + lane, fine ? t->q : t->q_first, fine ? t->v : t->v_first);
        if (!fine) {
            note_failure(s, first + lane);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

// What a batch does not have.
static td_status check(const td_step_opts *o, td_diag *diag) {
    const char *has = o->integrator != TD_EULER && o->integrator != TD_RK4
                          ? "an integrator other than TD_EULER and TD_RK4"
                      : o->load_count > 0                                     ? "loads"
                      : o->winds || o->air.linear > 0 || o->air.quadratic > 0 ? "air"
                      : o->drives                                             ? "drives"
                      : o->stiffness != 1 || o->damping != 1 ? "factors of stiffness and damping"
                                                             : NULL;
    return has ? tdi_fail(diag, TD_ERR_ARGUMENT,
                          "a batch does not have %s; td_tree_step_many() has", has)
               : TD_OK;
}

td_status td_tree_batch_step(td_tree_batch *b, const td_step_opts *given, td_diag *diag) {
    td_step_opts opts;
    TDI_REFUSE_IF(!b);
    td_status status = tdi_step_opts_take(given, &opts, diag);
    opts.integrator = given ? opts.integrator : TD_EULER;
    status = status == TD_OK ? tdi_step_opts_check(&opts, b->model->body_count, diag) : status;
    status = status == TD_OK ? check(&opts, diag) : status;
    status = status == TD_OK ? reserve(b, td_pool_threads(opts.pool), diag) : status;
    if (status != TD_OK) {
        return status;
    }
    stepping s = {b, &opts, b->count};
    const int64_t blocks = ((int64_t)b->count + TDI_BLOCK - 1) / TDI_BLOCK;
    if (opts.pool) {
        tdi_pool_run(opts.pool, blocks, step_block, &s);
    } else {
        for (int64_t k = 0; k < blocks; k++) {
            step_block(&s, k, 0);
        }
    }
    return s.failed == b->count
               ? TD_OK
               : tdi_fail_at(diag, TD_ERR_DIVERGED, s.failed,
                             "tree %d: the step diverged; try a shorter step", (int)s.failed);
}
