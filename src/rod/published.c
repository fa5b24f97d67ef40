// SPDX-License-Identifier: MIT
// Discrete elastic rods as published (Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008).
//
//   v += h F/m, x += h v         symplectic Euler with lumped masses, F without stretching
//   fast projection              Newton's method on |f|^2 = l^2 in the metric of the masses
//   frames                       carried along in time, then turned until the energy is least:
//                                Newton's method with a Hessian of three diagonals
// All of it is linear in the number of vertices. The step is limited by the stiffness, as that of
// every explicit method.

#include "rod/published.h"

#include "rod/pose.h"
#include "rod/solve.h"
#include "rod/terms.h"

#include <math.h>
#include <string.h>

#define PROJECTIONS 30
#define PRECISE     1e-9 // of the lengths
#define TURNINGS    20
#define STILL       1e-10 // rad

// ---- forces ---------------------------------------------------------------------------------

// Velocities that drag and damping see are those of the step before.
static void take_rates(td_rod_state *s, td_real h) {
    for (int32_t i = 0; i < s->model->node_count; i++) {
        s->rule[i].star = tdi_madd(s->pose[i].x, s->past[i].v, -h);
        memcpy(s->rule[i].strain_star, s->past[i].strain, sizeof s->past[i].strain);
    }
}

// x + h v with v after the forces, as increments.
static void push_vertices(td_rod_state *s, const td_step_opts *o) {
    const td_rod_model *m = s->model;
    tdi_rod_potential p = {.over_h = 1 / o->dt,
                           .stiffness = o->stiffness,
                           .damping = o->damping,
                           .gravity = o->gravity,
                           .loads = o->loads,
                           .load_count = o->load_count,
                           .air = o->air,
                           .winds = o->winds,
                           .only_gradient = true,
                           .slack = true};
    tdi_rod_clear_gradient(s);
    tdi_rod_load_terms(s, &p);
    for (int32_t i = m->node_count - 1; i >= 0; i--) {
        tdi_rod_node_terms(s, &p, i);
    }
    for (int32_t i = 0; i < m->node_count; i++) {
        const td_real *r = s->work[i].r;
        td_vec3 move = tdi_sub(s->target[i], s->pose[i].x);
        if (!(m->node[i].flags & TDI_HELD_PLACE)) {
            td_vec3 v = tdi_madd(s->past[i].v, tdi_vec3(r[0], r[1], r[2]), -o->dt / m->node[i].weight);
            move = tdi_scale(v, o->dt);
        }
        memcpy(s->step[i].x, (td_real[4]){move.x, move.y, move.z, 0}, sizeof s->step[i].x);
    }
}

// ---- projection -----------------------------------------------------------------------------

// A vertex in the elimination: its mass with what hangs on it, and what those edges ask for; and of
// its edge, the direction c with A^-1 c, and 1/(c.A^-1 c).
typedef struct link {
    td_sym3 a;
    td_vec3 b, c, solved;
    td_real over, wrong; // wrong: (|f|^2 - l^2)/2
    tdi_ldl3 factor;
} link;

_Static_assert(sizeof(link) <= sizeof(tdi_rod_work), "links lie in the work of the nodes");

static inline link *link_of(const td_rod_state *s, int32_t i) {
    return (link *)&s->work[i];
}

static inline td_vec3 place(const td_rod_state *s, int32_t i) {
    const td_real *x = s->step[i].x;
    return tdi_add(s->pose[i].x, tdi_vec3(x[0], x[1], x[2]));
}

// Constraints as they are at the increments; the largest error of a length.
static td_real measure_links(const td_rod_state *s) {
    const td_rod_model *m = s->model;
    td_real worst = 0;
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_node *n = &m->node[i];
        link *l = link_of(s, i);
        td_real mass = n->flags & TDI_HELD_PLACE ? 1e30 : n->weight; // what is held stays
        *l = (link){.a = tdi_sym3_diagonal(mass, mass, mass)};
        if (tdi_has_edge(n) && n->edge != TD_NONE) {
            td_vec3 f = tdi_sub(place(s, i), place(s, n->parent));
            td_real square = tdi_dot(f, f), rest = n->length * n->length;
            l->c = f;
            l->wrong = 0.5 * (square - rest);
            worst = fmax(worst, fabs(square / rest - 1));
        }
    }
    return worst;
}

// With A dx + c z = b for a vertex and c.(dx - dx_p) = -wrong for its edge, the pull z of the edge
// is (c.A^-1 b + wrong - c.dx_p)/(c.A^-1 c): the parent gains c c^T/(c.A^-1 c) and loses the rest.
static void hang(const td_rod_state *s, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    link *l = link_of(s, i);
    tdi_ldl3_factor(&l->factor, &l->a, 0);
    if (tdi_dot(l->c, l->c) == 0) {
        return;
    }
    l->solved = tdi_ldl3_solve(&l->factor, l->c);
    l->over = 1 / tdi_dot(l->c, l->solved);
    td_real pull = (tdi_dot(l->solved, l->b) + l->wrong) * l->over;
    link *up = link_of(s, n->parent);
    up->a = tdi_sym3_add(up->a, tdi_sym3_square(l->c, l->over));
    up->b = tdi_madd(up->b, l->c, pull);
}

static td_vec3 correct(const td_rod_state *s, int32_t i, td_vec3 up) {
    const link *l = link_of(s, i);
    td_vec3 b = l->b;
    if (tdi_dot(l->c, l->c) > 0) {
        td_real z = (tdi_dot(l->solved, l->b) + l->wrong - tdi_dot(l->c, up)) * l->over;
        b = tdi_madd(b, l->c, -z);
    }
    return tdi_ldl3_solve(&l->factor, b);
}

// Takes out what is left of the lengths' errors, to first order. A ring is cut at its first edge,
// whose own error is spread over the others by the next iteration's forces: see close_ring().
static void project_once(td_rod_state *s, const tdi_rod_part *part, td_vec3 *move) {
    for (int32_t i = part->last - 1; i >= part->first; i--) {
        hang(s, i);
    }
    for (int32_t i = part->first; i < part->last; i++) {
        int32_t p = s->model->node[i].parent;
        bool hangs = tdi_has_edge(&s->model->node[i]) && tdi_dot(link_of(s, i)->c, link_of(s, i)->c) > 0;
        move[i] = correct(s, i, hangs ? move[p] : tdi_vec3(0, 0, 0));
    }
}
