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

#include "published/helix.h"

#include "base/guard.h"
#include "helix/implicit.h"
#include "math/angle.h"

#include <math.h>
#include <string.h>

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
    const td_vec3 rows[3] = {
        {a[0].x, a[1].x, a[2].x}, {a[0].y, a[1].y, a[2].y}, {a[0].z, a[1].z, a[2].z}};
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
    const td_vec3 x = tdi_cross(r, tdi_mat3_row(&c->b, 0)),
                  y = tdi_cross(r, tdi_mat3_row(&c->b, 1)),
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

static void sweep_in(tdi_helix_state *s, const tdi_helix_forward_opts *with) {
    for (int32_t i = s->model->element_count - 1; i >= 0; i--) {
        const tdi_helix_element *e = &s->model->element[i];
        tdi_helix_work *w = &tdi_helix_works(s)[i];
        if (!with->twist) {
            freeze_twist(&w->inertia);
        }
        if (e->parent != TD_NONE) {
            const td_vec3 moment = tdi_helix_springs(e, with, w->u, w->rate, 0);
            const tdi_helix_carried c = eliminate(&w->inertia, moment);
            add_carried(&tdi_helix_works(s)[e->parent].inertia, &w->arm, &c);
        }
    }
}

// ---- accelerations --------------------------------------------------------------------------

// C a = -f - B^T alpha in (A - B C^-1 B^T) alpha = B C^-1 f - n
static void solve_free(const tdi_helix_carried *c, td_vec3 *alpha, td_vec3 *a) {
    tdi_ldl3 l;
    tdi_ldl3_factor(&l, &c->c, 0);
    const td_vec3 rows[3] = {tdi_mat3_row(&c->b, 0), tdi_mat3_row(&c->b, 1),
                             tdi_mat3_row(&c->b, 2)};
    const td_vec3 y[3] = {tdi_ldl3_solve(&l, rows[0]), tdi_ldl3_solve(&l, rows[1]),
                          tdi_ldl3_solve(&l, rows[2])};
    td_sym3 left = c->a;
    left.xx -= tdi_dot(rows[0], y[0]);
    left.yy -= tdi_dot(rows[1], y[1]);
    left.zz -= tdi_dot(rows[2], y[2]);
    left.xy -= tdi_dot(rows[0], y[1]);
    left.xz -= tdi_dot(rows[0], y[2]);
    left.yz -= tdi_dot(rows[1], y[2]);
    const td_vec3 still = tdi_ldl3_solve(&l, c->f);
    tdi_ldl3 turn;
    tdi_ldl3_factor(&turn, &left, 0);
    *alpha = tdi_ldl3_solve(&turn, tdi_sub(tdi_mat3_apply(&c->b, still), c->n));
    *a = tdi_scale(tdi_ldl3_solve(&l, tdi_add(c->f, tdi_mat3_apply_t(&c->b, *alpha))), -1);
}

// A alpha = -n - B a
static td_vec3 solve_pinned(const tdi_helix_carried *c, td_vec3 a) {
    tdi_ldl3 l;
    tdi_ldl3_factor(&l, &c->a, 0);
    return tdi_scale(tdi_ldl3_solve(&l, tdi_add(c->n, tdi_mat3_apply(&c->b, a))), -1);
}

// The start of an element when the step ends.
static void find_start(tdi_helix_state *s, const tdi_helix_forward_opts *with,
                       const td_base_motion *base, int32_t i) {
    const tdi_helix_element *e = &s->model->element[i];
    tdi_helix_work *w = &tdi_helix_works(s)[i];
    if (e->parent != TD_NONE) {
        const tdi_helix_work *up = &tdi_helix_works(s)[e->parent];
        tdi_helix_arm arm;
        tdi_helix_arm_at(&up->motion, up->u, up->rate, e->at, e->place, &arm);
        w->motion = tdi_helix_follow(e, &arm, &up->motion, up->acceleration);
        return;
    }
    td_vec3 alpha = w->motion.spin_rate, a = w->motion.acceleration;
    if (e->root != TD_END_CLAMPED) {
        const td_vec3 moment = tdi_helix_springs(e, with, w->u, w->rate, 0);
        const tdi_helix_carried c = eliminate(&w->inertia, moment);
        if (e->root == TD_END_FREE) {
            solve_free(&c, &alpha, &a);
        } else {
            alpha = solve_pinned(&c, a);
        }
    }
    tdi_helix_lead_root(s, with, i, alpha, a, base);
}

// (own + h c + h^2 k) u'' = moment at u + h u' - g - turn^T alpha - move^T a
static td_vec3 solve_own(const tdi_helix_element *e, const tdi_helix_work *w,
                         const tdi_helix_forward_opts *with) {
    const tdi_helix_inertia *t = &w->inertia;
    const td_vec3 alpha = w->motion.spin_rate, a = w->motion.acceleration,
                  stiff = tdi_helix_step_inertia(e, with);
    td_vec3 b = tdi_sub(tdi_helix_springs(e, with, w->u, w->rate, with->h), t->g);
    b.x -= tdi_dot(t->turn[0], alpha) + tdi_dot(t->move[0], a);
    b.y -= tdi_dot(t->turn[1], alpha) + tdi_dot(t->move[1], a);
    b.z -= tdi_dot(t->turn[2], alpha) + tdi_dot(t->move[2], a);
    b.y = with->twist ? b.y : 0;
    const td_sym3 own = tdi_sym3_add(t->own, tdi_sym3_diagonal(stiff.x, stiff.y, stiff.z));
    tdi_ldl3 l;
    tdi_ldl3_factor(&l, &own, 0);
    return tdi_ldl3_solve(&l, b);
}

static void sweep_out(tdi_helix_state *s, const tdi_helix_forward_opts *with) {
    const td_base_motion base = tdi_base_after(&s->head.base, with->h);
    for (int32_t i = 0; i < s->model->element_count; i++) {
        find_start(s, with, &base, i);
        const td_vec3 acceleration = solve_own(&s->model->element[i], &tdi_helix_works(s)[i], with);
        tdi_helix_bend(&tdi_helix_works(s)[i], with, acceleration);
    }
}

static void solve_recursively(tdi_helix_state *s, const tdi_helix_forward_opts *with) {
    sweep_in(s, with);
    sweep_out(s, with);
}

// ---- entry ----------------------------------------------------------------------------------

static td_status solve(tdi_helix_state *s, const tdi_helix_forward_opts *with,
                       td_helix_method method, td_diag *diag) {
    tdi_helix_equations(s, with);
    if (method == TD_HELIX_COMPOSITE) {
        return tdi_helix_composite(s, with, diag);
    }
    solve_recursively(s, with);
    return TD_OK;
}

// All is finite, and no element bends by a turn a step.
static bool is_sane(const tdi_helix_state *s, td_real h) {
    bool fine = true;
    for (int32_t i = 0; i < s->model->element_count; i++) {
        const tdi_helix_work *w = &tdi_helix_works(s)[i];
        const td_real turn = h * s->model->element[i].length * tdi_norm(w->rate);
        fine = fine && tdi_finite3(w->u) && turn < 2 * TDI_PI;
        if (s->model->element[i].parent == TD_NONE) {
            fine = fine && tdi_finite3(w->motion.o) && tdi_finite3(w->motion.rate.velocity) &&
                   tdi_finite3(w->motion.rate.spin) && isfinite(tdi_quat_norm(w->root.turn));
        }
    }
    return fine;
}

// The work has been read: the memory is that of Newton's method again, at the state's pose.
static void leave_memory(tdi_helix_state *s) {
    memset(s->node, 0, (size_t)s->model->element_count * sizeof *s->node);
    tdi_helix_update(s);
}

// The state becomes what the work has come to.
static void accept(tdi_helix_state *s, const tdi_helix_forward_opts *with) {
    const td_base_motion base = tdi_base_after(&s->head.base, with->h);
    for (int32_t i = 0; i < s->model->element_count; i++) {
        const tdi_helix_work *w = &tdi_helix_works(s)[i];
        s->pose.u[i] = w->u;
        s->rate[i] = w->rate;
        if (s->root_place[i] != TD_NONE) {
            s->pose.root[s->root_place[i]] = w->root;
            s->root_rate[s->root_place[i]] = w->motion.rate;
        }
    }
    s->head.time += with->h;
    s->head.known = 0;
    tdi_helix_put_base(s, &base);
}

td_status td_helix_accelerations(td_body *body, const td_step_opts *opts,
                                 td_helix_published published, td_vec3 *accelerations,
                                 td_diag *diag) {
    tdi_helix_state *s = tdi_as_helix(body);
    TDI_REFUSE_IF(!s || !accelerations);
    td_step_opts own;
    td_status status = tdi_step_opts_take(opts, &own, diag);
    const tdi_helix_forward_opts with = {&own, 0, published.twist};
    status = status == TD_OK ? tdi_state_check(&s->head, &own, diag) : status;
    status = status == TD_OK ? solve(s, &with, published.method, diag) : status;
    for (int32_t i = 0; status == TD_OK && i < s->model->element_count; i++) {
        accelerations[i] = tdi_helix_works(s)[i].acceleration;
    }
    leave_memory(s);
    return status;
}

// The end of a step whose work is done.
static td_status finish(tdi_helix_state *s, const tdi_helix_forward_opts *with, td_diag *diag) {
    const bool sane = is_sane(s, with->h);
    if (sane) {
        accept(s, with);
    }
    leave_memory(s);
    return sane ? TD_OK
                : tdi_fail(diag, TD_ERR_DIVERGED, "the step at %g s diverged; try a shorter step",
                           s->head.time);
}

td_status td_helix_step_published(td_body *body, const td_step_opts *opts,
                                  td_helix_published published, td_diag *diag) {
    tdi_helix_state *s = tdi_as_helix(body);
    TDI_REFUSE_IF(!s);
    td_step_opts own;
    td_status status = tdi_step_opts_take(opts, &own, diag);
    const tdi_helix_forward_opts with = {&own, own.dt, published.twist};
    status = status == TD_OK ? tdi_state_check(&s->head, &own, diag) : status;
    status = status == TD_OK ? solve(s, &with, published.method, diag) : status;
    return status == TD_OK ? finish(s, &with, diag) : status;
}

td_status tdi_helix_explicit_step(void *state, const td_step_opts *opts, td_step_stats *stats,
                                  td_diag *diag) {
    const tdi_helix_forward_opts with = {opts, opts->dt, false};
    tdi_helix_equations(state, &with);
    solve_recursively(state, &with);
    td_status status = finish(state, &with, diag);
    stats->steps += status == TD_OK;
    return status;
}
