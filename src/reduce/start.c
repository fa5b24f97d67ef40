// SPDX-License-Identifier: MIT
// Changes at rest, and modes that were set by hand before the first step: they hold for it.
//
// Failure  A step that fails leaves the state as it was before: nothing has been chosen yet, so
//          that all there is to restore are joints that move by themselves, and zeros. Coordinates
//          and velocities are kept in arrays of `whole` that nothing else uses.

#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

// ---- changes at rest -------------------------------------------------------------------------

bool tdi_reduce_differs(const tdi_reduced_state *s) {
    return memcmp(s->mode, s->choice.wanted, (size_t)s->full->body_count * sizeof *s->mode) != 0;
}

// q and v are all the past there is.
void tdi_reduce_forget(tdi_reduced_state *s) {
    tdi_tree_state *t = &s->tree;
    tdi_tree_begin_history(&s->clusters, t);
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        t->bdf.history[c] = t->bdf.predictor[c] = (tdi_affine){t->frame[c].o, t->frame[c].r};
    }
    memcpy(t->bdf.angle, t->angle, (size_t)s->clusters.head.dof_count * sizeof *t->angle);
    memcpy(t->last.q, t->q, (size_t)s->clusters.coord_count * sizeof *t->q);
    s->drawn = TDI_DRAWN_NOT;
}

void tdi_reduce_change_at_rest(tdi_reduced_state *s) {
    if (tdi_reduce_differs(s)) {
        tdi_reduce_forget(s);
        tdi_reduce_change(s);
        tdi_tree_fresh(&s->tree);
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void copy_reals(td_real *to, const td_real *from, int32_t count) {
    memcpy(to, from, (size_t)count * sizeof *to);
}

// Of a tree all of whose joints move by themselves.
static void remember(tdi_reduced_state *s) {
    const int32_t dofs = s->full->head.dof_count;
    memcpy(s->undo.wanted, s->choice.wanted, (size_t)s->full->body_count * sizeof *s->undo.wanted);
    copy_reals(s->whole.q_start, s->tree.q, s->full->coord_count);
    copy_reals(s->whole.angle_near, s->tree.angle, dofs);
    copy_reals(s->undo.v, s->tree.v, dofs);
}

static void put_pose(tdi_reduced_state *s) {
    const int32_t dofs = s->full->head.dof_count;
    copy_reals(s->tree.q, s->whole.q_start, s->full->coord_count);
    copy_reals(s->tree.angle, s->whole.angle_near, dofs);
    copy_reals(s->tree.v, s->undo.v, dofs);
    s->tree.stale = false;
    tdi_tree_place(&s->clusters, &s->tree);
}

bool tdi_reduce_starts(const tdi_reduced_state *s) {
    return s->tree.head.known == 0 && s->count->by_hand && tdi_reduce_differs(s);
}

void tdi_reduce_start(tdi_reduced_state *s) {
    s->undo.started = s->reduced == 0; // else there is no way back
    if (s->undo.started) {
        remember(s);
    }
    tdi_reduce_change_at_rest(s);
}

void tdi_reduce_take_whole(tdi_reduced_state *s) {
    tdi_tree_state *w = &s->whole;
    const td_body head = w->head;
    copy_reals(w->q_start, w->q, s->full->coord_count);
    copy_reals(w->angle_near, w->angle, s->full->head.dof_count);
    copy_reals(s->undo.v, w->v, s->full->head.dof_count);
    tdi_reduced_free_joints(s);
    s->tree.head.time = head.time;
    s->tree.head.known = head.known;
    tdi_tree_put_base(&s->tree, &head.base);
    put_pose(s);
}

void tdi_reduce_unstart(tdi_reduced_state *s) {
    const size_t n = (size_t)s->full->body_count, dofs = (size_t)s->full->head.dof_count;
    memset(s->choice.wanted, TD_REDUCE_OWN, n * sizeof *s->choice.wanted);
    tdi_reduce_change_at_rest(s);
    put_pose(s);
    memcpy(s->choice.wanted, s->undo.wanted, n * sizeof *s->undo.wanted);
    memset(s->choice.swing, 0, n * sizeof *s->choice.swing);
    memset(s->choice.active, 0, n * sizeof *s->choice.active);
    memset(s->choice.uneven, 0, n * sizeof *s->choice.uneven);
    memset(s->choice.angle_seen, 0, dofs * sizeof *s->choice.angle_seen);
    memset(s->group.share, 0, n * sizeof *s->group.share);
    memset(s->air.model, 0, n * sizeof *s->air.model);
    memset(s->group.began, 0, n * sizeof *s->group.began);
    for (size_t i = 0; i < n; i++) {
        s->group.side[i] = (tdi_other_side){.seat = {.body = TD_NONE}};
    }
    *s->count = s->undo.count;
    s->undo.started = false;
}
