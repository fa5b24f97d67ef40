// SPDX-License-Identifier: MIT
// Elimination in 4x4 blocks: H x = -r.
//
//   node i    D = L diag L^T,  Yp = D^-1 P,  Yg = D^-1 G
//   parent    D_p -= P^T Yp,  P_p -= P^T Yg
//   grand     D_g -= G^T Yg
//   forward   r_p -= Yp^T r,  r_g -= Yg^T r,  z = D^-1 r
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

void tdi_rod_block_add(const tdi_rod_state *s, int32_t a, int32_t b, td_real block[4][4]) {
    const int32_t ring = s->model->node[a].ring;
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

void tdi_rod_clear(const tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    memset(s->work, 0, (size_t)m->node_count * sizeof *s->work);
    memset(s->border, 0, (size_t)m->ring_nodes * sizeof *s->border);
}

void tdi_rod_clear_gradient(const tdi_rod_state *s) {
    for (int32_t k = 0; k < s->model->part_count; k++) {
        for (int32_t i = s->model->part[k].first, last = s->model->part[k].last; i < last; i++) {
            memset(s->work[i].r, 0, sizeof s->work[i].r);
        }
    }
}

// ---- one block ------------------------------------------------------------------------------

static inline bool held(uint32_t flags, int k) {
    return flags & (k < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN);
}

// Zero rows and columns, and one on the diagonal, for what is held.
static inline void hold(tdi_rod_work *w, uint32_t flags) {
    for (int k = 0; k < 4; k++) {
        if (held(flags, k)) {
            for (int l = 0; l < 4; l++) {
                w->d[k][l] = w->d[l][k] = w->p[k][l] = w->g[k][l] = 0;
            }
            w->d[k][k] = 1;
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

static inline void subtract_vector(td_real to[4], const td_real a[4][4], const td_real z[4]) {
    for (int i = 0; i < 4; i++) {
        to[i] -= a[0][i] * z[0] + a[1][i] * z[1] + a[2][i] * z[2] + a[3][i] * z[3];
    }
}

// What is held goes on by increments that are given: r += H x of them, for all that is eliminated
// after this node. Nodes before it feel them when they are solved for.
static void foresee(const tdi_rod_state *s, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    tdi_rod_work *w = &s->work[i];
    const td_real *x = s->step[i].x;
    for (int k = 0; k < 4; k++) {
        for (int l = 0; held(n->flags, k) && l < 4; l++) {
            w->r[l] += w->d[l][k] * x[k];
            if (n->parent != TD_NONE) {
                s->work[n->parent].r[l] += w->p[k][l] * x[k];
            }
            if (n->grand != TD_NONE) {
                s->work[n->grand].r[l] += w->g[k][l] * x[k];
            }
        }
    }
}

bool tdi_rod_eliminate(const tdi_rod_state *s, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    tdi_rod_work *w = &s->work[i];
    if (n->flags & (TDI_HELD_PLACE | TDI_HELD_TURN)) {
        if (s->with_driven) {
            foresee(s, i);
        }
        hold(w, n->flags);
    }
    if (!factor(w->d)) {
        return false;
    }
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
    if (n->grand == TD_NONE) {
        return true;
    }
    memcpy(g, w->g, sizeof g);
    for (int c = 0; c < 3; c++) {
        solve(w->d, &w->g[0][c], 4);
    }
    subtract(up->p, p, w->g);
    subtract(s->work[n->grand].d, g, w->g);
    return true;
}

// ---- rings ----------------------------------------------------------------------------------

static inline td_real (*border_of(const tdi_rod_state *s, int32_t i))[8] {
    return s->border[i - s->model->ring_shift];
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

// One node of a ring whose first two nodes have the matrix b.
static bool eliminate_in_ring(const tdi_rod_state *s, int32_t i, int32_t first, td_real b[8][8]) {
    const tdi_rod_node *n = &s->model->node[i];
    tdi_rod_work *w = &s->work[i];
    td_real p[4][4], g[4][4], old[4][8], (*y)[8] = border_of(s, i);
    hold(w, n->flags);
    for (int k = 0; k < 4; k++) {
        if (held(n->flags, k)) {
            memset(y[k], 0, sizeof y[k]);
        }
    }
    if (!factor(w->d)) {
        return false;
    }
    memcpy(p, w->p, sizeof p);
    memcpy(g, w->g, sizeof g);
    memcpy(old, y, sizeof old);
    for (int k = 0; k < 4; k++) {
        solve(w->d, &w->p[0][k], 4);
        solve(w->d, &w->g[0][k], 4);
    }
    for (int k = 0; k < 8; k++) {
        solve(w->d, &y[0][k], 8);
    }
    for (int k = 0; k < 8; k++) {
        for (int l = 0; l < 8; l++) {
            b[k][l] -= old[0][k] * y[0][l] + old[1][k] * y[1][l] + old[2][k] * y[2][l] +
                       old[3][k] * y[3][l];
        }
    }
    if (n->parent >= first + 2) {
        subtract(s->work[n->parent].d, p, w->p);
        subtract_wide(border_of(s, n->parent), p, y);
    }
    if (n->grand >= first + 2) {
        subtract(s->work[n->parent].p, p, w->g);
        subtract(s->work[n->grand].d, g, w->g);
        subtract_wide(border_of(s, n->grand), g, y);
    }
    return true;
}

// Adds the blocks of the first two nodes to b, and holds what is held.
static void fill_closing(const tdi_rod_state *s, int32_t first, td_real b[8][8]) {
    tdi_rod_work *w = &s->work[first];
    for (int k = 0; k < 8; k++) {
        for (int l = 0; l < 8; l++) {
            b[k][l] += k / 4 == l / 4 ? w[k / 4].d[k % 4][l % 4]
                       : k > l        ? w[1].p[k - 4][l]
                                      : w[1].p[l - 4][k];
        }
    }
    for (int k = 0; k < 8; k++) {
        for (int l = 0; held(s->model->node[first + k / 4].flags, k % 4) && l < 8; l++) {
            b[k][l] = b[l][k] = k == l ? 1 : 0;
        }
    }
}

// L below the diagonal, diag on it. False when a pivot is not positive.
static bool factor_closing(td_real b[8][8]) {
    for (int j = 0; j < 8; j++) {
        td_real least = LEAST_PIVOT * fabs(b[j][j]);
        for (int k = 0; k < j; k++) {
            b[j][j] -= b[j][k] * b[j][k] * b[k][k];
        }
        if (!(b[j][j] > least)) {
            return false;
        }
        for (int i = j + 1; i < 8; i++) {
            td_real sum = b[i][j];
            for (int k = 0; k < j; k++) {
                sum -= b[i][k] * b[j][k] * b[k][k];
            }
            b[i][j] = sum / b[j][j];
        }
    }
    return true;
}

bool tdi_rod_eliminate_ring(const tdi_rod_state *s, int32_t part) {
    const tdi_rod_part *range = &s->model->part[part];
    td_real(*b)[8] = s->closing[part];
    memset(b, 0, sizeof s->closing[part]);
    for (int32_t i = range->last - 1; i >= range->first + 2; i--) {
        if (!eliminate_in_ring(s, i, range->first, b)) {
            return false;
        }
    }
    fill_closing(s, range->first, b);
    return factor_closing(b);
}

// ---- forward --------------------------------------------------------------------------------

static void solve_closing(td_real b[8][8], td_real x[8]) {
    for (int j = 0; j < 8; j++) {
        for (int k = 0; k < j; k++) {
            x[j] -= b[j][k] * x[k];
        }
    }
    for (int j = 7; j >= 0; j--) {
        x[j] /= b[j][j];
        for (int k = j + 1; k < 8; k++) {
            x[j] -= b[k][j] * x[k];
        }
    }
}

// r = D^-1 r, and the product of both
static inline td_real solve_gradient(tdi_rod_work *w) {
    const td_real y[4] = {w->r[0], w->r[1], w->r[2], w->r[3]};
    solve(w->d, w->r, 1);
    return y[0] * w->r[0] + y[1] * w->r[1] + y[2] * w->r[2] + y[3] * w->r[3];
}

static inline void let_go(tdi_rod_work *w, uint32_t flags) {
    for (int k = 0; k < 4; k++) {
        w->r[k] = held(flags, k) ? 0 : w->r[k];
    }
}

static void forward_node(const tdi_rod_state *s, int32_t i, bool parent, bool grand) {
    const tdi_rod_node *n = &s->model->node[i];
    tdi_rod_work *w = &s->work[i];
    let_go(w, n->flags);
    if (parent) {
        subtract_vector(s->work[n->parent].r, (const td_real(*)[4])w->p, w->r);
    }
    if (grand) {
        subtract_vector(s->work[n->grand].r, (const td_real(*)[4])w->g, w->r);
    }
}

static td_real forward_ring(const tdi_rod_state *s, int32_t part) {
    const tdi_rod_part *range = &s->model->part[part];
    const int32_t first = range->first;
    td_real x[8] = {0}, y[8], sum = 0;
    for (int32_t i = range->last - 1; i >= first + 2; i--) {
        const tdi_rod_node *n = &s->model->node[i];
        tdi_rod_work *w = &s->work[i];
        td_real(*b)[8] = border_of(s, i);
        forward_node(s, i, n->parent >= first + 2, n->grand >= first + 2);
        for (int k = 0; k < 8; k++) {
            x[k] -= b[0][k] * w->r[0] + b[1][k] * w->r[1] + b[2][k] * w->r[2] + b[3][k] * w->r[3];
        }
        sum += solve_gradient(w);
    }
    for (int k = 0; k < 8; k++) {
        x[k] += s->work[first + k / 4].r[k % 4];
        x[k] = held(s->model->node[first + k / 4].flags, k % 4) ? 0 : x[k];
    }
    memcpy(y, x, sizeof y);
    solve_closing(s->closing[part], x);
    for (int k = 0; k < 8; k++) {
        s->work[first + k / 4].r[k % 4] = x[k];
        sum += y[k] * x[k];
    }
    return sum;
}

// ---- back -----------------------------------------------------------------------------------

static inline void back_node(const tdi_rod_state *s, int32_t i, bool parent, bool grand) {
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
        s->step[i].x[k] = s->with_driven && held(n->flags, k) ? s->step[i].x[k] : -x[k];
    }
}

static void back_ring(const tdi_rod_state *s, const tdi_rod_part *part) {
    const int32_t first = part->first;
    back_node(s, first, false, false);
    back_node(s, first + 1, false, false);
    for (int32_t i = first + 2; i < part->last; i++) {
        td_real(*y)[8] = border_of(s, i);
        back_node(s, i, s->model->node[i].parent >= first + 2,
                  s->model->node[i].grand >= first + 2);
        for (int k = 0; k < 4; k++) {
            for (int l = 0; l < 8; l++) {
                s->step[i].x[k] -= y[k][l] * s->step[first + l / 4].x[l % 4];
            }
        }
    }
}

td_real tdi_rod_solve(const tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    td_real sum = 0;
    for (int32_t k = 0; k < m->part_count; k++) {
        const tdi_rod_part *part = &m->part[k];
        const int32_t last = s->model->part[k].last;
        if (part->ring && last > part->first) {
            sum += forward_ring(s, k);
            back_ring(s, part);
            continue;
        }
        for (int32_t i = last - 1; i >= part->first; i--) {
            forward_node(s, i, m->node[i].parent != TD_NONE, m->node[i].grand != TD_NONE);
            sum += solve_gradient(&s->work[i]);
        }
        for (int32_t i = part->first; i < last; i++) {
            back_node(s, i, m->node[i].parent != TD_NONE, m->node[i].grand != TD_NONE);
        }
    }
    return sum;
}

// ---- product --------------------------------------------------------------------------------

// y_a += B x_b, y_b += B^T x_a
static void multiply_pair(const td_real b[4][4], const td_real *xa, const td_real *xb, td_real *ya,
                          td_real *yb) {
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++) {
            ya[k] += b[k][l] * xb[l];
            yb[l] += b[k][l] * xa[k];
        }
    }
}

void tdi_rod_multiply(const tdi_rod_model *m, const tdi_rod_work *work,
                      const td_real (*border)[4][8], const td_real (*x)[4], td_real (*y)[4]) {
    memset(y, 0, (size_t)m->node_count * sizeof *y);
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_node *n = &m->node[i];
        const tdi_rod_work *w = &work[i];
        const int32_t border_end = n->ring == TD_NONE ? 0 : n->ring + 2;
        for (int k = 0; k < 4; k++) {
            for (int l = 0; l < 4; l++) {
                y[i][k] += w->d[k][l] * x[i][l];
            }
        }
        bool inner = n->ring == TD_NONE || i < border_end;
        if (n->parent != TD_NONE && n->parent < i && (inner || n->parent >= border_end)) {
            multiply_pair((const td_real(*)[4])w->p, x[i], x[n->parent], y[i], y[n->parent]);
        }
        if (n->grand != TD_NONE && n->grand < i && (inner || n->grand >= border_end)) {
            multiply_pair((const td_real(*)[4])w->g, x[i], x[n->grand], y[i], y[n->grand]);
        }
        if (n->ring != TD_NONE && i >= border_end) {
            for (int k = 0; k < 4; k++) {
                for (int c = 0; c < 8; c++) {
                    y[i][k] += border[i - m->ring_shift][k][c] * x[n->ring + c / 4][c % 4];
                    y[n->ring + c / 4][c % 4] += border[i - m->ring_shift][k][c] * x[i][k];
                }
            }
        }
    }
}
