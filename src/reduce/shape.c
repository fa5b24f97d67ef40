// SPDX-License-Identifier: MIT
// Constants of a reduced tree: reach of its joints, the tips that they move, their response times,
// and which of them may be quasi-static or join. Of the tree as it is drawn.

#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

#define QUASISTATIC_MOST 4   // segments that a quasi-static joint carries at most
#define SIDE_MOST        0.2 // of the mass behind a joint: other mass between it and the one before

// Tip to root: tips, segments, mass and reach of all that a joint carries.
static void sum_up(const tdi_tree_model *m, const tdi_tree_state *w, tdi_reduce_shape *shape) {
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        const int32_t p = m->parent[i];
        tdi_reduce_shape *own = &shape[i];
        own->count++;
        own->tips += own->count == 1;
        own->mass += m->body[i].mass;
        own->reach = fmax(own->reach, tdi_norm(m->body[i].tip));
        const td_sym3 s = m->body[i].second;
        own->inertia += s.xx + s.yy + s.zz;
        if (p != TD_NONE) {
            const td_vec3 arm = tdi_sub(w->frame[i].o, w->frame[p].o);
            tdi_reduce_shape *up = &shape[p];
            up->count += own->count;
            up->tips += own->tips;
            up->mass += own->mass;
            up->inertia += own->inertia + own->mass * tdi_dot(arm, arm);
            up->reach = fmax(up->reach, own->reach + tdi_norm(arm));
        }
    }
}

static td_real softest(td_vec3 k) {
    return fmin(k.x, fmin(k.y, k.z));
}

// The child that goes on with its axis: the heaviest.
static void find_axes(const tdi_tree_model *m, tdi_reduce_shape *shape, int32_t *next) {
    memset(next, 0xff, (size_t)m->body_count * sizeof *next); // TD_NONE
    for (int32_t i = 0; i < m->body_count; i++) {
        const int32_t p = m->parent[i];
        if (p != TD_NONE && (next[p] == TD_NONE || shape[i].mass > shape[next[p]].mass)) {
            next[p] = i;
        }
    }
    for (int32_t i = 0; i < m->body_count; i++) {
        const int32_t p = m->parent[i];
        const bool on = p != TD_NONE && next[p] == i && tdi_reduce_can(m, i, TD_REDUCE_JOINED);
        const bool inside = on && m->parent[p] != TD_NONE;
        const td_real beside = on ? shape[p].mass - m->body[p].mass - shape[i].mass : 0;
        shape[i].index = on ? shape[p].index + 1 : 0;
        shape[i].may_join = inside && beside <= SIDE_MOST * shape[i].mass;
    }
}

void tdi_reduce_measure(tdi_reduced_state *s) {
    const tdi_tree_model *m = s->full;
    const int32_t n = m->body_count;
    memset(s->shape, 0, (size_t)n * sizeof *s->shape);
    sum_up(m, &s->whole, s->shape);
    find_axes(m, s->shape, s->next);
    td_real roots = 0, mass = 0;
    s->reach = 0;
    for (int32_t i = 0; i < n; i++) {
        const bool root = m->parent[i] == TD_NONE;
        roots += root ? s->shape[i].tips : 0;
        mass += m->body[i].mass;
        s->reach = root ? fmax(s->reach, s->shape[i].reach) : s->reach;
    }
    for (int32_t i = 0; i < n; i++) {
        tdi_reduce_shape *own = &s->shape[i];
        const td_real k = softest(m->body[i].stiffness);
        own->tips = fmax(own->tips / roots, own->mass / mass);
        own->may_be_quasistatic = own->count <= QUASISTATIC_MOST && m->kind[i] == TD_JOINT_BALL &&
                                  k > 0 && tdi_reduce_can(m, i, TD_REDUCE_QUASISTATIC);
        own->answer = k > 0 ? sqrt(own->inertia / k) : HUGE_VAL;
    }
}
