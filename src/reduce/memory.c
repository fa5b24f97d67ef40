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
    s->sum = tdi_layout_place(&sum, n, sizeof *s->sum);
    l->used = l->used > sum.used ? l->used : sum.used;
}

// What saves hold, one after the other.
static void lay_out_saved(tdi_reduced_state *s, tdi_layout *l, const tdi_tree_model *full) {
    const size_t n = (size_t)full->body_count;
    const size_t from = l->used;
    s->count = tdi_layout_place(l, 1, sizeof *s->count);
    s->saved = (char *)s->count;
    s->swing = tdi_layout_place(l, n, sizeof *s->swing);
    s->angle_seen = tdi_layout_place(l, (size_t)full->head.dof_count, sizeof *s->angle_seen);
    s->active = tdi_layout_place(l, n, sizeof *s->active);
    s->uneven = tdi_layout_place(l, n, sizeof *s->uneven);
    s->mode = tdi_layout_place(l, n, sizeof *s->mode);
    s->wanted = tdi_layout_place(l, n, sizeof *s->wanted);
    s->seat = tdi_layout_place(l, n, sizeof *s->seat);
    s->side = tdi_layout_place(l, n, sizeof *s->side);
    s->share = tdi_layout_place(l, n, sizeof *s->share);
    s->drag_model = tdi_layout_place(l, n, sizeof *s->drag_model);
    s->seen = tdi_layout_place(l, n, sizeof *s->seen);
    s->began = tdi_layout_place(l, n, sizeof *s->began);
    s->rest = tdi_layout_place(l, n, sizeof *s->rest);
    s->clusters.body = tdi_layout_place(l, n, sizeof *s->clusters.body);
    s->whole.q = tdi_layout_place(l, (size_t)full->coord_count, sizeof *s->whole.q);
    s->whole.q_back = tdi_layout_place(l, (size_t)full->coord_count, sizeof *s->whole.q);
    s->whole.angle = tdi_layout_place(l, (size_t)full->head.dof_count, sizeof *s->whole.angle);
    s->whole.angle_history =
        tdi_layout_place(l, (size_t)full->head.dof_count, sizeof *s->whole.angle);
    s->saved_bytes = l->used - from;
}

// What follows from the modes, and scratch that lasts.
static void lay_out_clusters(tdi_reduced_state *s, tdi_layout *l, size_t n) {
    s->joined = tdi_layout_place(l, n, sizeof *s->joined);
    s->stiff = tdi_layout_place(l, n, sizeof *s->stiff);
    s->carries = tdi_layout_place(l, n, sizeof *s->carries);
    s->size = tdi_layout_place(l, n, sizeof *s->size);
    s->begin = tdi_layout_place(l, n + 1, sizeof *s->begin);
    s->member = tdi_layout_place(l, n, sizeof *s->member);
    s->awake = tdi_layout_place(l, n, sizeof *s->awake);
    s->first = tdi_layout_place(l, n, sizeof *s->first);
    s->wind_begin = tdi_layout_place(l, n + 1, sizeof *s->wind_begin);
    s->wind_from = tdi_layout_place(l, n, sizeof *s->wind_from);
    s->wind_share = tdi_layout_place(l, n, sizeof *s->wind_share);
    s->served = tdi_layout_place(l, n + 1, sizeof *s->served);
    s->gusts = tdi_layout_place(l, n, sizeof *s->gusts);
    s->winds = tdi_layout_place(l, n, sizeof *s->winds);
    s->seg_wind = tdi_layout_place(l, n, sizeof *s->seg_wind);
    s->rate = tdi_layout_place(l, n, sizeof *s->rate);
    s->next = tdi_layout_place(l, n, sizeof *s->next);
    s->given = tdi_layout_place(l, n, sizeof *s->given);
    s->bent = tdi_layout_place(l, n, sizeof *s->bent);
    s->shift = tdi_layout_place(l, n, sizeof *s->shift);
    s->cost = tdi_layout_place(l, n, sizeof *s->cost);
    s->load = tdi_layout_place(l, n, sizeof *s->load);
    s->damp = tdi_layout_place(l, n, sizeof *s->damp);
    s->inverse = tdi_layout_place(l, n, sizeof *s->inverse);
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
    s->v_began = tdi_layout_place(l, (size_t)full->head.dof_count, sizeof *s->v_began);
    s->shape = tdi_layout_place(l, n, sizeof *s->shape);
    s->touches = tdi_layout_place(l, 1, sizeof *s->touches);
    lay_out_set(&s->met, l, n);
    lay_out_set(&s->held, l, n);
    s->pinned = tdi_layout_place(l, n, sizeof *s->pinned);
    lay_out_clusters(s, l, n);
    lay_out_scratch(s, l, full);
}
