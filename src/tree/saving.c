// SPDX-License-Identifier: MIT
// What a step leaves for the next one.

#include "tree/saving.h"

#include <string.h>

enum {
    SPANS = 15,
    VELOCITIES = 4,
    HISTORY = 7,
    FORCES = 14
}; // those from HISTORY on are of implicit steps

int32_t tdi_tree_saved_of(tdi_tree_state *s, const tdi_tree_model *m, tdi_span spans[TDI_SPANS]) {
    const size_t n = (size_t)m->body_count, nv = (size_t)m->head.dof_count,
                 nq = (size_t)m->coord_count;
    const tdi_span all[SPANS] = {{&s->base, sizeof s->base},
                                 {&s->base_twist, sizeof s->base_twist},
                                 {&s->stale, sizeof s->stale},
                                 {s->q, nq * sizeof *s->q},
                                 {s->v, nv * sizeof *s->v},
                                 {s->frame, n * sizeof *s->frame},
                                 {s->angle, nv * sizeof *s->angle},
                                 {&s->last.base, sizeof s->last.base},
                                 {s->past, n * sizeof *s->past},
                                 {s->bdf.history, n * sizeof *s->bdf.history},
                                 {s->bdf.predictor, n * sizeof *s->bdf.predictor},
                                 {s->bdf.angle, nv * sizeof *s->bdf.angle},
                                 {s->last.q, nq * sizeof *s->last.q},
                                 {&s->last.weight, sizeof s->last.weight},
                                 {s->last.forces, n * sizeof *s->last.forces}};
    memcpy(spans, all, sizeof all);
    return SPANS;
}

// Velocities are those of the past where that is newer; no history is of use before it began.
int32_t tdi_tree_saved(void *body, tdi_saving what, tdi_span all[TDI_SPANS]) {
    tdi_tree_state *s = body;
    const int32_t count = tdi_tree_saved_of(s, s->model, all);
    for (int32_t k = 0; what == TDI_SAVE_BLANK && k < count; k++) {
        const bool history = k >= HISTORY && s->head.known == 0;
        if (k == VELOCITIES ? s->stale : history || (k == FORCES && !(s->last.weight > 0))) {
            memset(all[k].data, 0, all[k].size);
        }
    }
    return count;
}

static void carry_frame(tdi_frame *f, const tdi_rigid *g) {
    f->turn = tdi_rigid_turn(g, f->turn);
    f->r = tdi_mat3_from_quat(f->turn);
    f->o = tdi_rigid_point(g, f->o);
}

static void carry_place(tdi_affine *p, const tdi_rigid *g) {
    p->o = tdi_rigid_point(g, p->o);
    p->r = tdi_rigid_axes(g, &p->r);
}

static void carry_past(tdi_tree_state *s, int32_t i, const tdi_rigid *g) {
    tdi_past *p = &s->past[i];
    p->o = tdi_rigid_point(g, p->o);
    p->v = tdi_rigid_vector(g, p->v);
    p->w = tdi_rigid_axes(g, &p->w);
    p->turn = tdi_rigid_turn(g, p->turn);
    p->r = tdi_mat3_from_quat(p->turn);
    s->last.forces[i] = tdi_rigid_vector(g, s->last.forces[i]);
    carry_place(&s->bdf.history[i], g);
    carry_place(&s->bdf.predictor[i], g);
}

// Coordinates are relative to the base and stay.
void tdi_tree_transform(void *body, const tdi_rigid *g) {
    tdi_tree_state *s = body;
    carry_frame(&s->base, g);
    s->base_twist.w = tdi_rigid_vector(g, s->base_twist.w);
    s->base_twist.v = tdi_rigid_vector(g, s->base_twist.v);
    carry_frame(&s->last.base, g);
    for (int32_t i = 0; i < s->model->body_count && s->head.known > 0; i++) {
        carry_past(s, i, g);
    }
    tdi_tree_place_left(s, s->head.known);
}

td_vec3 tdi_tree_velocity_of(tdi_tree_state *s, int32_t i, td_vec3 point) {
    if (s->head.known > 0) {
        return tdi_add(s->past[i].v, tdi_mat3_apply(&s->past[i].w, point));
    }
    tdi_tree_move(s->model, s);
    td_vec3 lever = tdi_mat3_apply(&s->frame[i].r, point);
    return tdi_add(s->twist[i].v, tdi_cross(s->twist[i].w, lever));
}
