// SPDX-License-Identifier: MIT
// States as bytes: what a step leaves for the next one, array after array.

#include "rod/saving.h"

#include <string.h>

typedef struct head { // what is no array
    td_real time, history_dt;
    td_base_motion base;
    int32_t history, stale, moved, curved;
} head;

typedef struct block {
    void *data;
    size_t size;
} block;

enum { PAST = 1, RULE = 5, WELDS = 6, TARGETS = 8, BLOCKS = 10 };

// Turns count from the beginning of a step: between steps they are 0.
static void list_blocks(const td_rod_state *s, block *b) {
    const size_t n = (size_t)s->model->node_count, welds = (size_t)s->model->weld_count;
    const block all[BLOCKS] = {{s->pose, n * sizeof *s->pose},
                               {s->past, n * sizeof *s->past},
                               {s->before, n * sizeof *s->before},
                               {s->before_last, n * sizeof *s->before_last},
                               {s->turn_before, n * sizeof *s->turn_before},
                               {s->rule, n * sizeof *s->rule},
                               {s->weld_past, welds * sizeof *s->weld_past},
                               {s->weld_rule, welds * sizeof *s->weld_rule},
                               {s->target, n * sizeof *s->target},
                               {s->target_m1, n * sizeof *s->target_m1}};
    memcpy(b, all, sizeof all);
}

size_t tdi_rod_save_size(const td_rod_state *s) {
    block b[BLOCKS];
    size_t size = sizeof(head) + (size_t)s->model->node_count; // a byte a node: `own`
    list_blocks(s, b);
    for (int k = 0; k < BLOCKS; k++) {
        size += b[k].size;
    }
    return size;
}

// What nobody will read is not written, so that a step that failed leaves the same bytes: before
// the first step the past has velocities alone, and no rule is prepared before the second.
static void blank(const td_rod_state *s, unsigned char *past, unsigned char *rule) {
    for (int32_t i = 0; i < s->model->node_count; i++) {
        tdi_rod_past known = {.v = s->past[i].v, .spin = s->past[i].spin};
        tdi_rod_rule prepared = {.turn_star = 0};
        if (s->history == 0) {
            memcpy(past + (size_t)i * sizeof known, &known, sizeof known);
        } else {
            memcpy(prepared.strain_star, s->rule[i].strain_star, sizeof prepared.strain_star);
        }
        memcpy(rule + (size_t)i * sizeof prepared, &prepared, sizeof prepared);
    }
}

void tdi_rod_save(const td_rod_state *s, void *bytes) {
    block b[BLOCKS];
    unsigned char *to = bytes;
    head h;
    memset(&h, 0, sizeof h); // also what lies between its fields
    h.time = s->time;
    h.history_dt = s->history_dt;
    h.base = s->base;
    h.history = s->history;
    h.stale = s->stale;
    h.moved = s->moved;
    h.curved = s->curved;
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    unsigned char *at[BLOCKS];
    list_blocks(s, b);
    for (int k = 0; k < BLOCKS; k++) {
        const bool unread = k >= WELDS && k < TARGETS && s->history < (k == WELDS ? 1 : 2);
        at[k] = to;
        memcpy(to, b[k].data, b[k].size);
        memset(to, 0, unread ? b[k].size : 0);
        to += b[k].size;
    }
    if (s->history < 2) {
        blank(s, at[PAST], at[RULE]);
    }
    for (int32_t i = 0; i < s->model->node_count; i++) {
        to[i] = s->own[i];
    }
}

void tdi_rod_restore(td_rod_state *s, const void *bytes) {
    block b[BLOCKS];
    const unsigned char *from = bytes;
    const size_t n = (size_t)s->model->node_count;
    head h;
    memcpy(&h, from, sizeof h);
    from += sizeof h;
    s->time = h.time;
    s->history_dt = h.history_dt;
    s->base = h.base;
    s->history = h.history < 0 ? 0 : h.history;
    s->stale = h.stale != 0;
    s->moved = h.moved != 0;
    s->curved = h.curved != 0;
    list_blocks(s, b);
    for (int k = 0; k < BLOCKS; k++) {
        memcpy(b[k].data, from, b[k].size);
        from += b[k].size;
    }
    for (size_t i = 0; i < n; i++) {
        s->own[i] = from[i] != 0;
    }
    memcpy(s->pose_back, s->pose, n * sizeof *s->pose);
    memset(s->turn, 0, n * sizeof *s->turn);
}
