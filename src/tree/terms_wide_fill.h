// SPDX-License-Identifier: MIT
// Terms of TDI_LANES bodies at once: gathers the bodies into lanes, makes the terms, and scatters
// them.
//
// Included once by each file that sets TDI_LANES to more than 1.

#include "tree/term_kernel.h"
#include "tree/terms_wide.h"

// ---- gathering ------------------------------------------------------------------------------

#define REALS(type, from, to) ((offsetof(type, to) - offsetof(type, from)) / sizeof(td_real))

_Static_assert(REALS(tdi_body, mass, attach) == BODY_OWN, "a body begins with its own");
_Static_assert(REALS(tdi_body, tip, fold) == 6, "areas and fold follow the tip");
_Static_assert(REALS(tdi_frame, r, o) + 3 == FRAME, "a frame ends with r, o");
_Static_assert(sizeof(tdi_affine) == PLACE * sizeof(td_real), "a place is o, r");

typedef struct gathered {
    wbody body;
    wframe frame;
    wplace predictor, history;
    tdi_wmat3 past;
    union {
        td_real row[10][TDI_LANES];
        struct {
            tdi_wide w;
            tdi_wvec3 u, rest, wind;
        };
    };
} gathered;

// One lane of `count` rows.
static inline void gather(td_real (*row)[TDI_LANES], int count, const void *from, int lane) {
    const td_real *source = from;
    for (int k = 0; k < count; k++) {
        row[k][lane] = source[k];
    }
}

static inline void gather_bodies(const tdi_potential_at *at, int32_t first, gathered *g) {
    const tdi_tree_model *m = at->model;
    const tdi_tree_state *s = at->state;
    const tdi_potential *p = at->potential;
    for (int lane = TDI_LANES - 1; lane >= 0; lane--) { // as memory is read ahead in a sweep
        const int32_t i = first + lane;
        gather(g->frame.row, FRAME, &s->frame[i].r, lane);
        if (p->inertia) {
            gather(g->predictor.row, PLACE, &s->bdf.predictor[i], lane);
        }
        gather(g->body.row, BODY_OWN, &m->body[i], lane);
        gather(g->row, 4, s->q + m->coord[i], lane);
        if (p->angle_rest) {
            gather(g->row + 4, 3, p->angle_rest + m->dof[i], lane);
        }
    }
}

static inline void gather_drag(const tdi_potential_at *at, int32_t first, gathered *g) {
    const tdi_loads *l = &at->potential->loads;
    td_real past[9][TDI_LANES];
    for (int lane = TDI_LANES - 1; lane >= 0; lane--) {
        const int32_t i = first + lane;
        gather(past, 9, &at->state->past[i].r, lane);
        gather(g->history.row, PLACE, &l->history[i], lane);
        gather(g->body.row + BODY_OWN, BODY_OUTSIDE, &at->model->body[i].tip, lane);
        gather(g->row + 7, 3, tdi_wind_at(l, i), lane);
    }
    memcpy(&g->past, past, sizeof past);
}

// ---- scattering -----------------------------------------------------------------------------

static inline void scatter_hessian(const wterm *from, int lane, tdi_term *t) {
    t->block.a = tdi_wsym3_get(&from->block.a, lane);
    for (int k = 0; k < 9; k++) {
        t->block.b.m[k] = tdi_wide_get(&from->block.b.m[k], lane);
    }
    t->block.c = tdi_wsym3_get(&from->block.c, lane);
    t->geometric = tdi_wsym3_get(&from->geometric, lane);
    t->ball = tdi_wsym3_get(&from->ball, lane);
}

static inline void scatter(const wterm *from, tdi_term *terms) {
    for (int lane = 0; lane < TDI_LANES; lane++) {
        tdi_term *t = &terms[lane];
        scatter_hessian(from, lane, t);
        t->load.n = tdi_wvec3_get(&from->load.n, lane);
        t->load.f = tdi_wvec3_get(&from->load.f, lane);
        t->pull = t->load.f;
        for (int k = 0; k < 3; k++) {
            t->g[k] = tdi_wide_get(&from->g[k], lane);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void fill(const tdi_potential_at *at, int32_t first, tdi_term *terms) {
    gathered g;
    wterm term;
    gather_bodies(at, first, &g);
    if (tdi_has_drag(&at->potential->loads)) {
        gather_drag(at, first, &g);
    }
    const wbodies in = {first,   &g.body, &g.frame, &g.predictor, &g.history,
                        &g.past, &g.wind, g.w,      g.u,          g.rest};
    outside_term(at, &in, &term);
    ball_term(at, &in, &term);
    scatter(&term, terms);
}
