// SPDX-License-Identifier: MIT
// States as bytes: what a step leaves for the next one, array after array.

#include "tree/saving.h"

#include <string.h>

typedef struct head { // what is no array
    td_real time, history_dt;
    tdi_frame base, base_past;
    tdi_twist base_twist, base_accel;
    td_air air;
    int32_t history, stale;
} head;

typedef struct block {
    void *data;
    size_t size;
} block;

enum { BLOCKS = 9, VELOCITIES = 1, HISTORY = 4 }; // those from HISTORY on are of implicit steps

static void list_blocks(const td_tree_state *s, block *b) {
    const td_tree_model *m = s->model;
    size_t n = (size_t)m->body_count, nv = (size_t)m->dof_count, nq = (size_t)m->coord_count;
    const block all[BLOCKS] = {
        {s->q, nq * sizeof *s->q},          {s->v, nv * sizeof *s->v},
        {s->frame, n * sizeof *s->frame},   {s->angle, nv * sizeof *s->angle},
        {s->past, n * sizeof *s->past},     {s->star, n * sizeof *s->star},
        {s->hat, n * sizeof *s->hat},       {s->angle_star, nv * sizeof *s->angle_star},
        {s->q_back, nq * sizeof *s->q_back}};
    memcpy(b, all, sizeof all);
}

size_t tdi_tree_save_size(const td_tree_state *s) {
    block b[BLOCKS];
    size_t size = sizeof(head);
    list_blocks(s, b);
    for (int k = 0; k < BLOCKS; k++) {
        size += b[k].size;
    }
    return size;
}

void tdi_tree_save(const td_tree_state *s, void *bytes) {
    block b[BLOCKS];
    char *to = bytes;
    head h;
    memset(&h, 0, sizeof h); // also what lies between its fields
    h.time = s->time;
    h.history_dt = s->history_dt;
    h.base = s->base;
    if (s->history > 0) {
        h.base_past = s->base_past;
    }
    h.base_twist = s->base_twist;
    h.base_accel = s->base_accel;
    h.air = s->air;
    h.history = s->history;
    h.stale = s->stale;
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    list_blocks(s, b);
    for (int k = 0; k < BLOCKS; k++) {
        if (k == VELOCITIES ? !s->stale : k < HISTORY || s->history > 0) {
            memcpy(to, b[k].data, b[k].size);
        } else {
            memset(to, 0, b[k].size); // nobody reads it
        }
        to += b[k].size;
    }
}

void tdi_tree_restore(td_tree_state *s, const void *bytes) {
    block b[BLOCKS];
    const char *from = bytes;
    head h;
    memcpy(&h, from, sizeof h);
    from += sizeof h;
    s->time = h.time;
    s->history_dt = h.history_dt;
    s->base = h.base;
    s->base_past = h.base_past;
    s->base_twist = h.base_twist;
    s->base_accel = h.base_accel;
    s->air = h.air;
    s->history = h.history;
    s->stale = h.stale != 0;
    list_blocks(s, b);
    for (int k = 0; k < BLOCKS; k++) {
        memcpy(b[k].data, from, b[k].size);
        from += b[k].size;
    }
}

td_vec3 tdi_tree_velocity_of(td_tree_state *s, int32_t i, td_vec3 point) {
    if (s->history > 0) {
        return tdi_add(s->past[i].v, tdi_mat3_apply(&s->past[i].w, point));
    }
    tdi_tree_move(s->model, s);
    td_vec3 lever = tdi_mat3_apply(&s->frame[i].r, point);
    return tdi_add(s->twist[i].v, tdi_cross(s->twist[i].w, lever));
}
