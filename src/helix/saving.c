// SPDX-License-Identifier: MIT
// What a step leaves for the next one.

#include "helix/saving.h"

#include <string.h>

enum { SPANS = 11, HISTORY = 4 }; // those from HISTORY on are of implicit steps

// Frames follow from the pose.
static void restore(tdi_helix_state *s) {
    tdi_helix_put_base(s, &s->head.base);
    tdi_helix_update(s);
}

// No history is of use before it began.
int32_t tdi_helix_saved(void *body, tdi_saving what, tdi_span spans[TDI_SPANS]) {
    tdi_helix_state *s = body;
    const tdi_helix_model *m = s->model;
    const size_t n = (size_t)m->element_count, roots = (size_t)s->root_count,
                 stations = (size_t)m->station_count;
    const tdi_span all[SPANS] = {{s->pose.u, n * sizeof *s->pose.u},
                                 {s->pose.root, roots * sizeof *s->pose.root},
                                 {s->rate, n * sizeof *s->rate},
                                 {s->root_rate, roots * sizeof *s->root_rate},
                                 {s->back.u, n * sizeof *s->back.u},
                                 {s->back.root, roots * sizeof *s->back.root},
                                 {s->back.start, n * sizeof *s->back.start},
                                 {&s->back.base, sizeof s->back.base},
                                 {s->past, stations * sizeof *s->past},
                                 {s->history, stations * sizeof *s->history},
                                 {s->predictor, stations * sizeof *s->predictor}};
    memcpy(spans, all, sizeof all);
    for (int32_t k = HISTORY; what == TDI_SAVE_BLANK && s->head.known == 0 && k < SPANS; k++) {
        memset(spans[k].data, 0, spans[k].size);
    }
    if (what == TDI_SAVE_READ) {
        restore(s);
    }
    return SPANS;
}

static void carry_place(tdi_helix_place *p, const tdi_rigid *g) {
    p->o = tdi_rigid_point(g, p->o);
    p->r = tdi_rigid_axes(g, &p->r);
}

static void carry_root(tdi_helix_root *root, const tdi_rigid *g) {
    root->o = tdi_rigid_point(g, root->o);
    root->turn = tdi_rigid_turn(g, root->turn);
}

static void carry_past(tdi_helix_state *s, const tdi_rigid *g) {
    carry_place(&s->back.base, g);
    for (int32_t k = 0; k < s->root_count; k++) {
        carry_root(&s->back.root[k], g);
    }
    for (int32_t i = 0; i < s->model->element_count; i++) {
        carry_place(&s->back.start[i], g);
    }
    for (int32_t i = 0; i < s->model->station_count; i++) {
        tdi_helix_past *p = &s->past[i];
        p->o = tdi_rigid_point(g, p->o);
        p->v = tdi_rigid_vector(g, p->v);
        p->r = tdi_rigid_axes(g, &p->r);
        p->w = tdi_rigid_axes(g, &p->w);
        carry_place(&s->history[i], g);
        carry_place(&s->predictor[i], g);
    }
}

// Curvatures are in own axes and stay. Before the first step there is no past.
void tdi_helix_transform(void *body, const tdi_rigid *g) {
    tdi_helix_state *s = body;
    for (int32_t k = 0; k < s->root_count; k++) {
        carry_root(&s->pose.root[k], g);
        s->root_rate[k].spin = tdi_rigid_vector(g, s->root_rate[k].spin);
        s->root_rate[k].velocity = tdi_rigid_vector(g, s->root_rate[k].velocity);
    }
    if (s->head.known > 0) {
        carry_past(s, g);
    }
    restore(s);
}
