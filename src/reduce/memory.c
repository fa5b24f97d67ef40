// SPDX-License-Identifier: MIT
// Memory of reduced trees' states: one block.

#include "reduce/reduce.h"

static void lay_out_set(tdi_reduce_set *set, tdi_layout *l, size_t n) {
    set->has = tdi_layout_place(l, n, sizeof *set->has);
    set->list = tdi_layout_place(l, n, sizeof *set->list);
    set->count = tdi_layout_place(l, 1, sizeof *set->count);
}

// Newton's method, functions of the whole tree and the air share their room: none of them runs
// while another does.
static void lay_out_scratch(tdi_reduced_state *s, tdi_layout *l, const tdi_tree_model *full) {
    const size_t n = (size_t)full->body_count;
    tdi_layout whole = *l, sum = *l;
    tdi_tree_state_lay_out_scratch(&s->tree, l, full);
    tdi_tree_state_lay_out_scratch(&s->whole, &whole, full);
    s->air.sum = tdi_layout_place(&sum, n, sizeof *s->air.sum);
    l->used = l->used > sum.used ? l->used : sum.used;
}

// What saves hold, one after the other.
static void lay_out_saved(tdi_reduced_state *s, tdi_layout *l, const tdi_tree_model *full) {
    const size_t n = (size_t)full->body_count;
    const size_t from = l->used;
    s->count = tdi_layout_place(l, 1, sizeof *s->count);
    s->saved = (char *)s->count;
    s->choice.swing = tdi_layout_place(l, n, sizeof *s->choice.swing);
    s->choice.angle_seen =
        tdi_layout_place(l, (size_t)full->head.dof_count, sizeof *s->choice.angle_seen);
    s->choice.active = tdi_layout_place(l, n, sizeof *s->choice.active);
    s->choice.uneven = tdi_layout_place(l, n, sizeof *s->choice.uneven);
    s->mode = tdi_layout_place(l, n, sizeof *s->mode);
    s->choice.wanted = tdi_layout_place(l, n, sizeof *s->choice.wanted);
    s->seat = tdi_layout_place(l, n, sizeof *s->seat);
    s->group.side = tdi_layout_place(l, n, sizeof *s->group.side);
    s->group.share = tdi_layout_place(l, n, sizeof *s->group.share);
    s->air.model = tdi_layout_place(l, n, sizeof *s->air.model);
    s->choice.seen = tdi_layout_place(l, n, sizeof *s->choice.seen);
    s->group.began = tdi_layout_place(l, n, sizeof *s->group.began);
    s->air.rest = tdi_layout_place(l, n, sizeof *s->air.rest);
    s->clusters.body = tdi_layout_place(l, n, sizeof *s->clusters.body);
    s->whole.q = tdi_layout_place(l, (size_t)full->coord_count, sizeof *s->whole.q);
    s->whole.last.q = tdi_layout_place(l, (size_t)full->coord_count, sizeof *s->whole.q);
    s->whole.angle = tdi_layout_place(l, (size_t)full->head.dof_count, sizeof *s->whole.angle);
    s->whole.bdf.angle = tdi_layout_place(l, (size_t)full->head.dof_count, sizeof *s->whole.angle);
    s->saved_bytes = l->used - from;
}

// What follows from the modes, and scratch that lasts.
static void lay_out_clusters(tdi_reduced_state *s, tdi_layout *l, size_t n) {
    s->joined = tdi_layout_place(l, n, sizeof *s->joined);
    s->list.stiff = tdi_layout_place(l, n, sizeof *s->list.stiff);
    s->list.carries = tdi_layout_place(l, n, sizeof *s->list.carries);
    s->list.size = tdi_layout_place(l, n, sizeof *s->list.size);
    s->list.begin = tdi_layout_place(l, n + 1, sizeof *s->list.begin);
    s->list.member = tdi_layout_place(l, n, sizeof *s->list.member);
    s->air.awake = tdi_layout_place(l, n, sizeof *s->air.awake);
    s->list.first = tdi_layout_place(l, n, sizeof *s->list.first);
    s->wind.begin = tdi_layout_place(l, n + 1, sizeof *s->wind.begin);
    s->wind.from = tdi_layout_place(l, n, sizeof *s->wind.from);
    s->wind.share = tdi_layout_place(l, n, sizeof *s->wind.share);
    s->wind.served = tdi_layout_place(l, n + 1, sizeof *s->wind.served);
    s->wind.gusts = tdi_layout_place(l, n, sizeof *s->wind.gusts);
    s->wind.mean = tdi_layout_place(l, n, sizeof *s->wind.mean);
    s->wind.segment = tdi_layout_place(l, n, sizeof *s->wind.segment);
    s->rate = tdi_layout_place(l, n, sizeof *s->rate);
    s->next = tdi_layout_place(l, n, sizeof *s->next);
    s->undo.wanted = tdi_layout_place(l, n, sizeof *s->undo.wanted);
    s->bent = tdi_layout_place(l, n, sizeof *s->bent);
    s->shift = tdi_layout_place(l, n, sizeof *s->shift);
    s->choice.cost = tdi_layout_place(l, n, sizeof *s->choice.cost);
    s->air.load = tdi_layout_place(l, n, sizeof *s->air.load);
    s->air.damp = tdi_layout_place(l, n, sizeof *s->air.damp);
    s->air.inverse = tdi_layout_place(l, n, sizeof *s->air.inverse);
}

void tdi_reduce_lay_out(tdi_reduced_state *s, tdi_layout *l, const tdi_tree_model *full) {
    const size_t n = (size_t)full->body_count;
    l->used = 0;
    tdi_layout_place(l, 1, sizeof *s);
    tdi_tree_state_lay_out_lasting(&s->tree, l, full);
    tdi_tree_state_lay_out_lasting(&s->whole, l, full);
    s->clusters = *full;
    tdi_tree_model_lay_out(&s->clusters, l);
    lay_out_saved(s, l, full);
    s->undo.v = tdi_layout_place(l, (size_t)full->head.dof_count, sizeof *s->undo.v);
    s->shape = tdi_layout_place(l, n, sizeof *s->shape);
    lay_out_set(&s->acting.constrained, l, n);
    lay_out_set(&s->acting.loaded, l, n);
    s->acting.pinned = tdi_layout_place(l, n, sizeof *s->acting.pinned);
    lay_out_clusters(s, l, n);
    lay_out_scratch(s, l, full);
}
