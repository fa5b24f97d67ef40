// SPDX-License-Identifier: MIT
// Super-Helices as published: the recursive method of Bertails (2009), linear in the elements.
//
// Method   Tip to root, the inertias of what an element carries are gathered at its start; with
//          them its own equation is local,
//            M_Q u'' + K (u - u0) = B_Q(alpha, a)
//          and eliminating u'' as it would be without the step gives what its parent carries.
//          Root to tip, each local equation is solved by a semi-implicit step, and the start of the
//          next follows from the new shape.
// Gravity  is an acceleration of the base.
// Order    parents come first, so a loop forwards is root to tip.

#include "helix/published.h"

#include <math.h>

// ---- what an element carries ----------------------------------------------------------------

// Frozen: nothing turns it, and it turns nothing.
static void freeze_twist(tdi_helix_inertia *t) {
    t->turn[1] = t->move[1] = tdi_vec3(0, 0, 0);
    t->own.xy = t->own.yz = t->g.y = 0;
    t->own.yy = 1;
}

// to - sum of a_k b_k^T i_k
static void take_products(tdi_mat3 *to, const td_vec3 *a, const td_vec3 *b, td_vec3 i) {
    const td_vec3 x = tdi_scale(b[0], i.x), y = tdi_scale(b[1], i.y), z = tdi_scale(b[2], i.z);
    const td_vec3 rows[3] = {{a[0].x, a[1].x, a[2].x},
                             {a[0].y, a[1].y, a[2].y},
                             {a[0].z, a[1].z, a[2].z}};
    for (int k = 0; k < 3; k++) {
        to->m[3 * k] -= rows[k].x * x.x + rows[k].y * y.x + rows[k].z * z.x;
        to->m[3 * k + 1] -= rows[k].x * x.y + rows[k].y * y.y + rows[k].z * z.y;
        to->m[3 * k + 2] -= rows[k].x * x.z + rows[k].y * y.z + rows[k].z * z.z;
    }
}

static void take_squares(td_sym3 *to, const td_vec3 *a, td_vec3 i) {
    const td_sym3 xy = tdi_sym3_add(tdi_sym3_square(a[0], -i.x), tdi_sym3_square(a[1], -i.y));
    *to = tdi_sym3_add(*to, tdi_sym3_add(xy, tdi_sym3_square(a[2], -i.z)));
}

// columns times L^-T of the factors, so that N own^-1 N^T = sum of z_k z_k^T i_k
static void forward(const tdi_ldl3 *l, const td_vec3 *n, td_vec3 *z) {
    z[0] = n[0];
    z[1] = tdi_madd(n[1], z[0], -l->l10);
    z[2] = tdi_madd(tdi_madd(n[2], z[0], -l->l20), z[1], -l->l21);
}

// With u'' = own^-1 (moment - g - turn^T alpha - move^T a) put into moment and force of the start.
static tdi_helix_carried eliminate(const tdi_helix_inertia *t, td_vec3 moment) {
    tdi_helix_carried c = t->start;
    tdi_ldl3 l;
    td_vec3 turn[3], move[3];
    tdi_ldl3_factor(&l, &t->own, 0);
    const td_vec3 over = tdi_vec3(l.i0, l.i1, l.i2);
    forward(&l, t->turn, turn);
    forward(&l, t->move, move);
    take_squares(&c.a, turn, over);
    take_products(&c.b, turn, move, over);
    take_squares(&c.c, move, over);
    const td_vec3 alone = tdi_ldl3_solve(&l, tdi_sub(moment, t->g));
    c.n = tdi_add(c.n, tdi_helix_combine(t->turn, alone));
    c.f = tdi_add(c.f, tdi_helix_combine(t->move, alone));
    return c;
}

// moment and force that accelerations take
static void apply(const tdi_helix_carried *c, td_vec3 alpha, td_vec3 a, td_vec3 *n, td_vec3 *f) {
    *n = tdi_add(tdi_sym3_apply(&c->a, alpha), tdi_mat3_apply(&c->b, a));
    *f = tdi_add(tdi_mat3_apply_t(&c->b, alpha), tdi_sym3_apply(&c->c, a));
}

// About the start of the element that an arm is on:
//   A + [r]x B^T + ([r]x B^T)^T + [r]x C [r]x^T,   B + [r]x C
static void add_shifted(tdi_helix_carried *to, const tdi_helix_carried *c, td_vec3 r) {
    const tdi_mat3 rc = tdi_cross_sym(r, &c->c);
    td_sym3 a = tdi_sym3_add(c->a, tdi_cross_both(r, &rc));
    const td_vec3 x = tdi_cross(r, tdi_mat3_row(&c->b, 0)), y = tdi_cross(r, tdi_mat3_row(&c->b, 1)),
                  z = tdi_cross(r, tdi_mat3_row(&c->b, 2)); // columns of [r]x B^T
    a = tdi_sym3_add(a, (td_sym3){2 * x.x, 2 * y.y, 2 * z.z, x.y + y.x, x.z + z.x, y.z + z.y});
    to->a = tdi_sym3_add(to->a, a);
    to->c = tdi_sym3_add(to->c, c->c);
    for (int k = 0; k < 9; k++) {
        to->b.m[k] += c->b.m[k] + rc.m[k];
    }
}

static void add_carried(tdi_helix_inertia *to, const tdi_helix_arm *arm,
                        const tdi_helix_carried *c) {
    td_vec3 n[3], f[3], turn, move;
    for (int k = 0; k < 3; k++) {
        apply(c, arm->turn[k], arm->move[k], &n[k], &f[k]);
    }
    tdi_helix_add_columns(to, arm, n, f);
    add_shifted(&to->start, c, arm->r);
    apply(c, arm->turn_bias, arm->move_bias, &turn, &move);
    tdi_helix_add_wrench(to, arm, tdi_add(turn, c->n), tdi_add(move, c->f));
}

static void sweep_in(td_helix_state *s, const tdi_helix_motive *motive) {
    for (int32_t i = s->model->element_count - 1; i >= 0; i--) {
        const tdi_helix_element *e = &s->model->element[i];
        tdi_helix_work *w = &s->work[i];
        if (!motive->twist) {
            freeze_twist(&w->inertia);
        }
        if (e->parent != TD_NONE) {
            const td_vec3 moment = tdi_helix_springs(e, motive, s->u[i], s->rate[i], 0);
            const tdi_helix_carried c = eliminate(&w->inertia, moment);
            add_carried(&s->work[e->parent].inertia, &w->arm, &c);
        }
    }
}
