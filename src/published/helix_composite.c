// SPDX-License-Identifier: MIT
// Super-Helices by one dense matrix: the composite method, the reference of the recursive one.
//
// Method   Inverse dynamics give the moments that accelerations take: accelerations of starts root
//          to tip, then moments and forces tip to root. Of an acceleration of one unknown alone
//          they are a column of the mass matrix, of none at all the velocity terms and loads.
//            (M + h C + h^2 K) q'' = moments of the springs at u + h u' - inverse(0)
//          is solved by Cholesky's factors: O(N^3).
// Unknowns of an element without parent that is not clamped, its turn and its place come before its
//          curvatures.

#include "published/helix.h"

#include <math.h>

#define MOST_UNKNOWNS 3000 // a matrix of 72 MB, and half a minute

// ---- unknowns -------------------------------------------------------------------------------

// Of an element: its free motion first, if any.
static int32_t free_count(const tdi_helix_element *e) {
    if (e->parent != TD_NONE || e->root == TD_END_CLAMPED) {
        return 0;
    }
    return e->root == TD_END_PINNED ? 3 : 6;
}

static int32_t unknowns_of(const tdi_helix_model *m) {
    int64_t count = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        count += free_count(&m->element[i]) + 3;
    }
    return (int32_t)(count < MOST_UNKNOWNS ? count : MOST_UNKNOWNS + 1);
}

// ---- inverse dynamics -----------------------------------------------------------------------

// Accelerations of an element's start and curvatures; then moment and force on the start, and the
// moments of curvatures.
typedef struct inverse {
    td_vec3 alpha, a, d;
    td_vec3 n, f, g;
} inverse;

static td_vec3 dots(const td_vec3 *columns, td_vec3 with) {
    return tdi_vec3(tdi_dot(columns[0], with), tdi_dot(columns[1], with),
                    tdi_dot(columns[2], with));
}

// of the parent to the start of an element; with the terms of rates, or without
static void carry_out(const tdi_helix_arm *arm, const inverse *up, bool biased, inverse *to) {
    const td_vec3 turn = tdi_helix_combine(arm->turn, up->d);
    const td_vec3 move = tdi_helix_combine(arm->move, up->d);
    to->alpha = tdi_add(up->alpha, turn);
    to->a = tdi_add(tdi_add(up->a, tdi_cross(up->alpha, arm->r)), move);
    if (biased) {
        to->alpha = tdi_add(to->alpha, arm->turn_bias);
        to->a = tdi_add(to->a, arm->move_bias);
    }
}

// moments and forces that an element itself takes
static void load_element(const tdi_helix_inertia *t, bool biased, inverse *v) {
    const tdi_helix_carried *c = &t->start;
    v->n = tdi_add(tdi_sym3_apply(&c->a, v->alpha), tdi_mat3_apply(&c->b, v->a));
    v->n = tdi_add(v->n, tdi_helix_combine(t->turn, v->d));
    v->f = tdi_add(tdi_mat3_apply_t(&c->b, v->alpha), tdi_sym3_apply(&c->c, v->a));
    v->f = tdi_add(v->f, tdi_helix_combine(t->move, v->d));
    v->g = tdi_add(tdi_add(dots(t->turn, v->alpha), dots(t->move, v->a)),
                   tdi_sym3_apply(&t->own, v->d));
    if (biased) {
        v->n = tdi_add(v->n, c->n);
        v->f = tdi_add(v->f, c->f);
        v->g = tdi_add(v->g, t->g);
    }
}

static void carry_in(const tdi_helix_arm *arm, const inverse *v, inverse *up) {
    up->n = tdi_add(up->n, tdi_add(v->n, tdi_cross(arm->r, v->f)));
    up->f = tdi_add(up->f, v->f);
    up->g = tdi_add(up->g, tdi_add(dots(arm->turn, v->n), dots(arm->move, v->f)));
}

// From element `first` on, with the accelerations there; those of elements before it are 0, and
// what they feel is not asked for.
static void invert(const tdi_helix_state *s, int32_t first, bool biased, inverse *v) {
    const tdi_helix_model *m = s->model;
    for (int32_t i = first; i < m->element_count; i++) {
        const int32_t up = m->element[i].parent;
        if (up != TD_NONE && (up >= first || biased)) {
            carry_out(&tdi_helix_works(s)[i].arm, &v[up], biased, &v[i]);
        }
        load_element(&tdi_helix_works(s)[i].inertia, biased, &v[i]);
    }
    for (int32_t i = m->element_count - 1; i > first; i--) {
        const int32_t up = m->element[i].parent;
        if (up >= first) {
            carry_in(&tdi_helix_works(s)[i].arm, &v[i], &v[up]);
        }
    }
}

// ---- the matrix -----------------------------------------------------------------------------

// Entries from the unknowns of element `first` on: of its column number `column`, rows first.
static void store(const tdi_helix_model *m, const inverse *v, int32_t first, int32_t row,
                  td_real *column, size_t stride) {
    for (int32_t i = first; i < m->element_count; i++) {
        const int32_t count = free_count(&m->element[i]);
        const td_real all[9] = {v[i].n.x, v[i].n.y, v[i].n.z, v[i].f.x, v[i].f.y,
                                v[i].f.z, v[i].g.x, v[i].g.y, v[i].g.z};
        for (int32_t k = 0; k < count + 3; k++, row++) {
            column[(size_t)row * stride] = all[k < count ? k : 6 + k - count];
        }
    }
}

static void set_unit(const tdi_helix_model *m, inverse *v, int32_t i, int32_t k) {
    const int32_t count = free_count(&m->element[i]);
    for (int32_t j = 0; j < m->element_count; j++) {
        v[j] = (inverse){0};
    }
    td_vec3 *to = k >= count ? &v[i].d : k < 3 ? &v[i].alpha : &v[i].a;
    const int32_t axis = k >= count ? k - count : k % 3;
    *to = tdi_vec3(axis == 0, axis == 1, axis == 2);
}

// The lower half, a unit acceleration at a time.
static void fill_lower(tdi_helix_state *s, inverse *v, td_real *matrix, size_t n) {
    const tdi_helix_model *m = s->model;
    int32_t row = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        const int32_t count = free_count(&m->element[i]) + 3;
        for (int32_t k = 0; k < count; k++) {
            set_unit(m, v, i, k);
            invert(s, i, false, v);
            store(m, v, i, row, matrix + row + k, n);
        }
        row += count;
    }
}

static void freeze_twist(const tdi_helix_model *m, td_real *matrix, size_t n) {
    size_t row = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        row += (size_t)free_count(&m->element[i]) + 3;
        const size_t twist = row - 2;
        for (size_t k = 0; k < n; k++) {
            matrix[twist * n + k] = matrix[k * n + twist] = 0;
        }
        matrix[twist * n + twist] = 1;
    }
}

// ---- Cholesky -------------------------------------------------------------------------------

// M = L L^T in place, in the lower half; false if M is not positive definite.
static bool factor(td_real *a, size_t n) {
    for (size_t i = 0; i < n; i++) {
        td_real *row = a + i * n;
        for (size_t j = 0; j <= i; j++) {
            const td_real *other = a + j * n;
            td_real sum = row[j];
            for (size_t k = 0; k < j; k++) {
                sum -= row[k] * other[k];
            }
            if (i == j && !(sum > 0)) {
                return false;
            }
            row[j] = i == j ? sqrt(sum) : sum / other[j];
        }
    }
    return true;
}

static void solve(const td_real *a, size_t n, td_real *x) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            x[i] -= a[i * n + k] * x[k];
        }
        x[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        x[i] /= a[i * n + i];
        for (size_t k = 0; k < i; k++) {
            x[k] -= a[i * n + k] * x[i];
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

// What a solve needs, in one block.
typedef struct dense {
    td_real *matrix, *x;
    inverse *v;
} dense;

static void lay_out(dense *d, tdi_layout *l, const tdi_helix_model *m, size_t n) {
    l->used = 0;
    d->matrix = tdi_layout_place(l, n * n, sizeof *d->matrix);
    d->x = tdi_layout_place(l, n, sizeof *d->x);
    d->v = tdi_layout_place(l, (size_t)m->element_count, sizeof *d->v);
}

// The right side: what springs pull with, less what rates and loads take.
static void fill_right(tdi_helix_state *s, const tdi_helix_forward_opts *with, const dense *d) {
    const tdi_helix_model *m = s->model;
    for (int32_t i = 0; i < m->element_count; i++) {
        const tdi_helix_element *e = &m->element[i];
        const tdi_helix_moving *start = &tdi_helix_works(s)[i].motion;
        const bool turns = free_count(e) >= 3, moves = free_count(e) == 6;
        d->v[i] = (inverse){.alpha = turns ? tdi_vec3(0, 0, 0) : start->spin_rate,
                            .a = moves ? tdi_vec3(0, 0, 0) : start->acceleration};
    }
    invert(s, 0, true, d->v);
    for (int32_t i = 0; i < m->element_count; i++) {
        const tdi_helix_work *w = &tdi_helix_works(s)[i];
        inverse *v = &d->v[i];
        v->n = tdi_scale(v->n, -1);
        v->f = tdi_scale(v->f, -1);
        v->g = tdi_sub(tdi_helix_springs(&m->element[i], with, w->u, w->rate, with->h), v->g);
        v->g.y = with->twist ? v->g.y : 0;
    }
    store(m, d->v, 0, 0, d->x, 1);
}

// h C + h^2 K on the diagonal
static void add_springs(const tdi_helix_state *s, const tdi_helix_forward_opts *with,
                        const dense *d, size_t n) {
    size_t row = 0;
    for (int32_t i = 0; i < s->model->element_count; i++) {
        const tdi_helix_element *e = &s->model->element[i];
        const td_vec3 stiff = tdi_helix_step_inertia(e, with);
        row += (size_t)free_count(e);
        d->matrix[row * (n + 1)] += stiff.x;
        d->matrix[(row + 1) * (n + 1)] += with->twist ? stiff.y : 0;
        d->matrix[(row + 2) * (n + 1)] += stiff.z;
        row += 3;
    }
}

static void fill_matrix(tdi_helix_state *s, const tdi_helix_forward_opts *with, const dense *d,
                        size_t n) {
    fill_lower(s, d->v, d->matrix, n);
    if (!with->twist) {
        freeze_twist(s->model, d->matrix, n);
    }
}

static void lead_on(tdi_helix_state *s, const tdi_helix_forward_opts *with, const td_real *x) {
    const td_base_motion base = tdi_base_after(&s->head.base, with->h);
    for (int32_t i = 0; i < s->model->element_count; i++) {
        const tdi_helix_element *e = &s->model->element[i];
        const int32_t count = free_count(e);
        if (e->parent == TD_NONE) {
            td_vec3 alpha = {0, 0, 0}, a = {0, 0, 0};
            if (count >= 3) {
                alpha = tdi_vec3(x[0], x[1], x[2]);
            }
            if (count == 6) {
                a = tdi_vec3(x[3], x[4], x[5]);
            }
            tdi_helix_lead_root(s, with, i, alpha, a, &base);
        }
        x += count;
        tdi_helix_bend(&tdi_helix_works(s)[i], with, tdi_vec3(x[0], x[1], x[2]));
        x += 3;
    }
}

static td_status dense_new(const tdi_helix_state *s, dense *d, tdi_layout *l, td_diag *diag) {
    const int32_t n = unknowns_of(s->model);
    if (n > MOST_UNKNOWNS) {
        return tdi_fail(diag, TD_ERR_LIMIT,
                        "the composite method takes at most %d unknowns, 3 an element, and there "
                        "are %d elements; use the recursive method",
                        MOST_UNKNOWNS, s->model->element_count);
    }
    lay_out(d, l, s->model, (size_t)n);
    l->base = tdi_alloc_zeroed(s->head.alloc, 1, l->used);
    if (!l->base) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the matrix of %d elements",
                        s->model->element_count);
    }
    lay_out(d, l, s->model, (size_t)n);
    return TD_OK;
}

td_status tdi_helix_composite(tdi_helix_state *s, const tdi_helix_forward_opts *with,
                              td_diag *diag) {
    const size_t n = (size_t)unknowns_of(s->model);
    tdi_layout l = {NULL, 0};
    dense d = {0};
    td_status status = dense_new(s, &d, &l, diag);
    if (status != TD_OK) {
        return status;
    }
    fill_matrix(s, with, &d, n);
    add_springs(s, with, &d, n);
    fill_right(s, with, &d);
    if (factor(d.matrix, n)) {
        solve(d.matrix, n, d.x);
        lead_on(s, with, d.x);
    } else {
        status = tdi_fail(diag, TD_ERR_DIVERGED, "the mass matrix at %g s is not positive definite",
                          s->head.time);
    }
    tdi_alloc_free(s->head.alloc, l.base, l.used);
    return status;
}
