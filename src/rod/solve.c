// SPDX-License-Identifier: MIT
// Elimination in 4x4 blocks: H x = -r.
//
//   node i    D = L diag L^T,  Yp = D^-1 P,  Yg = D^-1 G,  z = D^-1 r
//   parent    D_p -= P^T Yp,  P_p -= P^T Yg,  r_p -= P^T z
//   grand     D_g -= G^T Yg,  r_g -= G^T z
//   back      x_i = -(z + Yp x_p + Yg x_g)

#include "rod/solve.h"

#include <string.h>

#define LEAST_PIVOT 1e-13 // of the block's own diagonal: below it is rounding

// ---- blocks ---------------------------------------------------------------------------------

static void add(td_real to[4][4], td_real from[4][4]) {
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++) {
            to[k][l] += from[k][l];
        }
    }
}

static void add_transposed(td_real to[4][4], td_real from[4][4]) {
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++) {
            to[k][l] += from[l][k];
        }
    }
}

static void add_border(td_real to[4][8], int column, td_real from[4][4], bool transposed) {
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++) {
            to[k][column + l] += transposed ? from[l][k] : from[k][l];
        }
    }
}

void tdi_rod_block_add(const td_rod_state *s, int32_t a, int32_t b, int32_t ring,
                       td_real block[4][4]) {
    if (a == b) {
        add(s->work[a].d, block);
        return;
    }
    int32_t high = a > b ? a : b, low = a > b ? b : a;
    bool turned = a < b; // blocks are kept with the rows of the higher node
    if (ring != TD_NONE && low < ring + 2 && high >= ring + 2) {
        add_border(s->border[high - s->model->ring_shift], 4 * (low - ring), block, turned);
        return;
    }
    td_real(*to)[4] = s->model->node[high].parent == low ? s->work[high].p : s->work[high].g;
    if (turned) {
        add_transposed(to, block);
    } else {
        add(to, block);
    }
}

void tdi_rod_clear(const td_rod_state *s) {
    const td_rod_model *m = s->model;
    memset(s->work, 0, (size_t)m->node_count * sizeof *s->work);
    memset(s->border, 0, (size_t)m->ring_nodes * sizeof *s->border);
}

// ---- one block ------------------------------------------------------------------------------

// Zero rows and columns, and one on the diagonal, for what is held.
static inline void hold(tdi_rod_work *w, uint32_t flags) {
    for (int k = 0; k < 4; k++) {
        if (flags & (k < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN)) {
            for (int l = 0; l < 4; l++) {
                w->d[k][l] = w->d[l][k] = w->p[k][l] = w->g[k][l] = 0;
            }
            w->d[k][k] = 1;
            w->r[k] = 0;
        }
    }
}

// L below the diagonal, 1/diag on it. False when a pivot is not positive.
static inline bool factor(td_real d[4][4]) {
    for (int j = 0; j < 4; j++) {
        td_real least = LEAST_PIVOT * fabs(d[j][j]);
        for (int k = 0; k < j; k++) {
            td_real l = d[j][k]; // already times the pivot
            td_real unit = l * d[k][k];
            d[j][j] -= l * unit;
            for (int i = j + 1; i < 4; i++) {
                d[i][j] -= d[i][k] * unit;
            }
        }
        if (!(d[j][j] > least)) {
            return false;
        }
        d[j][j] = 1 / d[j][j];
    }
    for (int j = 0; j < 4; j++) {
        for (int i = j + 1; i < 4; i++) {
            d[i][j] *= d[j][j];
        }
    }
    return true;
}

// v = D^-1 v for a column of numbers that lie `stride` apart
static inline void solve(td_real d[4][4], td_real *v, int stride) {
    td_real y0 = v[0], y1 = v[stride] - d[1][0] * y0;
    td_real y2 = v[2 * stride] - d[2][0] * y0 - d[2][1] * y1;
    td_real y3 = v[3 * stride] - d[3][0] * y0 - d[3][1] * y1 - d[3][2] * y2;
    td_real x3 = y3 * d[3][3];
    td_real x2 = y2 * d[2][2] - d[3][2] * x3;
    td_real x1 = y1 * d[1][1] - d[2][1] * x2 - d[3][1] * x3;
    v[0] = y0 * d[0][0] - d[1][0] * x1 - d[2][0] * x2 - d[3][0] * x3;
    v[stride] = x1;
    v[2 * stride] = x2;
    v[3 * stride] = x3;
}

// to -= a^T b
static inline void subtract(td_real to[4][4], td_real a[4][4], td_real b[4][4]) {
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            to[i][j] -=
                a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j] + a[3][i] * b[3][j];
        }
    }
}

static inline void subtract_vector(td_real to[4], td_real a[4][4], const td_real z[4]) {
    for (int i = 0; i < 4; i++) {
        to[i] -= a[0][i] * z[0] + a[1][i] * z[1] + a[2][i] * z[2] + a[3][i] * z[3];
    }
}

bool tdi_rod_eliminate(const td_rod_state *s, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    tdi_rod_work *w = &s->work[i];
    if (n->flags & (TDI_HELD_PLACE | TDI_HELD_TURN)) {
        hold(w, n->flags);
    }
    if (!factor(w->d)) {
        return false;
    }
    solve(w->d, w->r, 1);
    if (n->parent == TD_NONE) {
        return true;
    }
    td_real p[4][4], g[4][4];
    tdi_rod_work *up = &s->work[n->parent];
    memcpy(p, w->p, sizeof p);
    for (int c = 0; c < 4; c++) {
        solve(w->d, &w->p[0][c], 4);
    }
    subtract(up->d, p, w->p);
    subtract_vector(up->r, p, w->r);
    if (n->grand == TD_NONE) {
        return true;
    }
    tdi_rod_work *grand = &s->work[n->grand];
    memcpy(g, w->g, sizeof g);
    for (int c = 0; c < 3; c++) {
        solve(w->d, &w->g[0][c], 4);
    }
    subtract(up->p, p, w->g);
    subtract(grand->d, g, w->g);
    subtract_vector(grand->r, g, w->r);
    return true;
}

static void substitute(const td_rod_state *s, int32_t i, bool parent, bool grand) {
    const tdi_rod_node *n = &s->model->node[i];
    const tdi_rod_work *w = &s->work[i];
    td_real x[4] = {w->r[0], w->r[1], w->r[2], w->r[3]};
    if (parent) {
        const td_real *up = s->step[n->parent].x;
        for (int k = 0; k < 4; k++) {
            x[k] +=
                w->p[k][0] * up[0] + w->p[k][1] * up[1] + w->p[k][2] * up[2] + w->p[k][3] * up[3];
        }
    }
    if (grand) {
        const td_real *far = s->step[n->grand].x;
        for (int k = 0; k < 4; k++) {
            x[k] += w->g[k][0] * far[0] + w->g[k][1] * far[1] + w->g[k][2] * far[2];
        }
    }
    for (int k = 0; k < 4; k++) {
        s->step[i].x[k] = -x[k];
    }
}

// ---- rings ----------------------------------------------------------------------------------

typedef struct ring {
    const td_rod_state *state;
    int32_t first;
    td_real b[8][8]; // of the first two nodes
} ring;

static inline td_real (*border_of(const ring *c, int32_t i))[8] {
    return c->state->border[i - c->state->model->ring_shift];
}

// to -= a^T b, where b has 8 columns
static void subtract_wide(td_real to[4][8], td_real a[4][4], td_real b[4][8]) {
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 8; j++) {
            to[i][j] -=
                a[0][i] * b[0][j] + a[1][i] * b[1][j] + a[2][i] * b[2][j] + a[3][i] * b[3][j];
        }
    }
}

// What node i leaves to the first two nodes.
static void leave_border(ring *c, int32_t i, td_real old[4][8]) {
    const td_rod_state *s = c->state;
    td_real(*y)[8] = border_of(c, i);
    const td_real *z = s->work[i].r;
    for (int k = 0; k < 8; k++) {
        for (int l = 0; l < 8; l++) {
            c->b[k][l] -= old[0][k] * y[0][l] + old[1][k] * y[1][l] + old[2][k] * y[2][l] +
                          old[3][k] * y[3][l];
        }
        s->work[c->first + k / 4].r[k % 4] -=
            old[0][k] * z[0] + old[1][k] * z[1] + old[2][k] * z[2] + old[3][k] * z[3];
    }
}

static bool eliminate_in_ring(ring *c, int32_t i) {
    const td_rod_state *s = c->state;
    const tdi_rod_node *n = &s->model->node[i];
    tdi_rod_work *w = &s->work[i];
    td_real p[4][4], g[4][4], old[4][8], (*b)[8] = border_of(c, i);
    hold(w, n->flags);
    for (int k = 0; k < 4; k++) {
        if (n->flags & (k < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN)) {
            memset(b[k], 0, sizeof b[k]);
        }
    }
    if (!factor(w->d)) {
        return false;
    }
    memcpy(p, w->p, sizeof p);
    memcpy(g, w->g, sizeof g);
    memcpy(old, b, sizeof old);
    solve(w->d, w->r, 1);
    for (int k = 0; k < 4; k++) {
        solve(w->d, &w->p[0][k], 4);
        solve(w->d, &w->g[0][k], 4);
    }
    for (int k = 0; k < 8; k++) {
        solve(w->d, &b[0][k], 8);
    }
    leave_border(c, i, old);
    if (n->parent >= c->first + 2) {
        tdi_rod_work *up = &s->work[n->parent];
        subtract(up->d, p, w->p);
        subtract_vector(up->r, p, w->r);
        subtract_wide(border_of(c, n->parent), p, b);
    }
    if (n->grand >= c->first + 2) {
        tdi_rod_work *grand = &s->work[n->grand];
        subtract(s->work[n->parent].p, p, w->g);
        subtract(grand->d, g, w->g);
        subtract_vector(grand->r, g, w->r);
        subtract_wide(border_of(c, n->grand), g, b);
    }
    return true;
}

// The system of the first two nodes, solved in place of their gradients.
static bool solve_border(ring *c) {
    const td_rod_state *s = c->state;
    tdi_rod_work *w = &s->work[c->first];
    td_real x[8];
    for (int k = 0; k < 8; k++) {
        uint32_t flags = s->model->node[c->first + k / 4].flags;
        x[k] = w[k / 4].r[k % 4];
        for (int l = 0; l < 8; l++) {
            c->b[k][l] += k / 4 == l / 4 ? w[k / 4].d[k % 4][l % 4]
                          : k > l        ? w[1].p[k - 4][l]
                                         : w[1].p[l - 4][k];
        }
        if (flags & (k % 4 < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN)) {
            for (int l = 0; l < 8; l++) {
                c->b[k][l] = 0;
            }
            x[k] = 0;
            c->b[k][k] = 1;
        }
    }
    for (int k = 0; k < 8; k++) { // columns of what is held, now that all rows are there
        uint32_t flags = s->model->node[c->first + k / 4].flags;
        for (int l = 0; l < 8; l++) {
            if (l != k && flags & (k % 4 < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN)) {
                c->b[l][k] = 0;
            }
        }
    }
    for (int j = 0; j < 8; j++) {
        td_real least = LEAST_PIVOT * fabs(w[j / 4].d[j % 4][j % 4]);
        if (!(c->b[j][j] > least)) {
            return false;
        }
        for (int i = j + 1; i < 8; i++) {
            td_real l = c->b[i][j] / c->b[j][j];
            for (int k = j; k < 8; k++) {
                c->b[i][k] -= l * c->b[j][k];
            }
            x[i] -= l * x[j];
        }
    }
    for (int j = 7; j >= 0; j--) {
        for (int k = j + 1; k < 8; k++) {
            x[j] -= c->b[j][k] * x[k];
        }
        x[j] /= c->b[j][j];
        w[j / 4].r[j % 4] = x[j];
    }
    return true;
}

bool tdi_rod_eliminate_ring(const td_rod_state *s, const tdi_rod_part *part) {
    ring c = {.state = s, .first = part->first};
    for (int32_t i = part->last - 1; i >= part->first + 2; i--) {
        if (!eliminate_in_ring(&c, i)) {
            return false;
        }
    }
    return solve_border(&c);
}

// ---- back -----------------------------------------------------------------------------------

static void substitute_ring(const td_rod_state *s, const tdi_rod_part *part) {
    const int32_t first = part->first;
    ring c = {.state = s, .first = first};
    substitute(s, first, false, false);
    substitute(s, first + 1, false, false);
    for (int32_t i = first + 2; i < part->last; i++) {
        td_real(*b)[8] = border_of(&c, i);
        substitute(s, i, s->model->node[i].parent >= first + 2,
                   s->model->node[i].grand >= first + 2);
        for (int k = 0; k < 4; k++) {
            for (int l = 0; l < 8; l++) {
                s->step[i].x[k] -= b[k][l] * s->step[first + l / 4].x[l % 4];
            }
        }
    }
}

void tdi_rod_substitute(const td_rod_state *s, const tdi_rod_part *part) {
    if (part->ring) {
        substitute_ring(s, part);
        return;
    }
    for (int32_t i = part->first; i < part->last; i++) {
        const tdi_rod_node *n = &s->model->node[i];
        substitute(s, i, n->parent != TD_NONE, n->grand != TD_NONE);
    }
}
