// SPDX-License-Identifier: MIT
// Loads on the bodies of a tree.
//
// Each point load is a function of one place x = o + R X. With gradient f and Hessian H there, and
// lever p = R X, a body gains
//   (n, f) += (p x f, f),  A += [p]x H [p]x^T,  B += [p]x H,  C += H,  swing += sym(p f^T) - (p.f)
//   I
// Drag with velocity u = (x - x*)/h against the wind, with the areas to it as a matrix A whose
// largest is a, has the dissipation potential
//   linear q/2 + quadratic q^(3/2)/(3 a^(1/2)),  q = u^T A u,
// which is convex, so its Hessian needs no taming and it never adds energy to still air.

#include "tree/load.h"

// ---- points ---------------------------------------------------------------------------------

typedef struct point_term {
    td_real value;
    td_vec3 gradient;
    td_sym3 hessian;
} point_term;

static inline void add_point(tdi_block *block, tdi_wrench *load, td_sym3 *swing, td_vec3 p,
                             const point_term *t) {
    tdi_block at = {.c = t->hessian};
    tdi_block_add(block, &at, p);
    load->n = tdi_add(load->n, tdi_cross(p, t->gradient));
    load->f = tdi_add(load->f, t->gradient);
    *swing = tdi_sym3_add(*swing, tdi_swing(p, t->gradient));
}

// force: -F.x;  spring: k/2 |x - a|^2, and h c/2 |u - v|^2 with the velocity u in the step
static point_term load_term(const td_load *l, td_vec3 x, td_vec3 star, const tdi_loads *loads) {
    point_term t = {0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    if (l->kind == TD_LOAD_FORCE) {
        t.value = -loads->weight * tdi_dot(l->vector, x);
        t.gradient = tdi_scale(l->vector, -loads->weight);
    } else if (l->kind == TD_LOAD_SPRING) {
        td_vec3 d = tdi_sub(x, l->vector);
        td_real k = loads->weight * l->stiffness;
        t.value = 0.5 * k * tdi_dot(d, d);
        t.gradient = tdi_scale(d, k);
        if (loads->h > 0) { // h' D of the potential, D = c/2 |x - x* - h v|^2/h^2 times h^2
            td_vec3 e = tdi_madd(tdi_sub(x, star), l->velocity, -loads->h);
            td_real c = loads->h * l->damping;
            t.value += 0.5 * c * tdi_dot(e, e);
            t.gradient = tdi_madd(t.gradient, e, c);
            k += c;
        }
        t.hessian = tdi_sym3_diagonal(k, k, k);
    }
    return t;
}

// where the rule takes a point of a body from
static inline td_vec3 star_of(const tdi_loads *l, int32_t i, td_vec3 own) {
    return l->star ? tdi_add(l->star[i].o, tdi_mat3_apply(&l->star[i].r, own)) : tdi_vec3(0, 0, 0);
}

// ---- drag -----------------------------------------------------------------------------------

// The area as a matrix in world axes, and the largest of its three.
typedef struct shield {
    td_sym3 area;
    td_real most;
} shield;

static inline shield shield_of(const tdi_body *body, const tdi_mat3 *r) {
    const td_vec3 a = body->area;
    td_real most = a.x > a.y ? a.x : a.y;
    return (shield){tdi_sym3_turn_diagonal(r, a), most > a.z ? most : a.z};
}

static inline td_vec3 wind_at(const tdi_loads *l, int32_t i) {
    return l->winds ? l->winds[i] : l->air.wind;
}

// h^3 share D(u) and its derivatives by x, du/dx = 1/h
static inline point_term drag_at(const td_air *air, const shield *a, td_real share, td_vec3 u,
                                 td_real h) {
    td_vec3 au = tdi_sym3_apply(&a->area, u);
    td_real form = tdi_dot(u, au), speed = form > 0 ? sqrt(form / a->most) : 0;
    td_real slope = air->linear + air->quadratic * speed;
    point_term t;
    t.value = share * h * h * h * form * (0.5 * air->linear + air->quadratic * speed / 3);
    t.gradient = tdi_scale(au, share * h * h * slope);
    t.hessian = tdi_sym3_scale(a->area, share * h * slope);
    if (speed > 0) {
        td_real bow = share * h * air->quadratic / (a->most * speed);
        t.hessian = tdi_sym3_add(t.hessian, tdi_sym3_square(au, bow));
    }
    return t;
}

// Both points see the area as it was when the step began, which keeps D convex. They lie at
// fractions of the way to the tip, so that with the lever t of the tip
//   u = (o - o* + fraction (t - t*))/h - wind.
typedef struct drag_points {
    shield a;
    td_vec3 still, along; // u = still + fraction along
    td_vec3 lever;
} drag_points;

static inline drag_points drag_of(const td_tree_model *m, const td_tree_state *s,
                                  const tdi_loads *l, int32_t i) {
    const td_vec3 tip = m->body[i].tip;
    const tdi_frame *f = &s->frame[i];
    const tdi_place *star = &l->star[i];
    const td_real over = 1 / l->h;
    drag_points d = {.a = shield_of(&m->body[i], &s->past[i].r),
                     .lever = tdi_mat3_apply(&f->r, tip)};
    d.still = tdi_sub(tdi_scale(tdi_sub(f->o, star->o), over), wind_at(l, i));
    d.along = tdi_scale(tdi_sub(d.lever, tdi_mat3_apply(&star->r, tip)), over);
    return d;
}

td_real tdi_drag_value(const td_tree_model *m, const td_tree_state *s, const tdi_loads *l,
                       int32_t i) {
    const drag_points d = drag_of(m, s, l, i);
    td_real value = 0;
    for (int g = 0; g < 2; g++) {
        td_vec3 u = tdi_madd(d.still, d.along, tdi_drag_gauss[g]);
        value += drag_at(&l->air, &d.a, 0.5, u, l->h).value;
    }
    return value;
}

// With gradients f_k and Hessians H_k at fractions c_k of the lever t:
//   n += t x sum c f,  A += [t]x (sum c^2 H) [t]x^T,  B += [t]x sum c H,  C += sum H
void tdi_drag_term(const td_tree_model *m, const td_tree_state *s, const tdi_loads *l, int32_t i,
                   tdi_term *term) {
    const drag_points d = drag_of(m, s, l, i);
    const td_vec3 t = d.lever;
    point_term p[2];
    for (int g = 0; g < 2; g++) {
        p[g] = drag_at(&l->air, &d.a, 0.5, tdi_madd(d.still, d.along, tdi_drag_gauss[g]), l->h);
    }
    td_vec3 first =
        tdi_madd(tdi_scale(p[0].gradient, tdi_drag_gauss[0]), p[1].gradient, tdi_drag_gauss[1]);
    td_sym3 h1 = tdi_sym3_scale(p[0].hessian, tdi_drag_gauss[0]),
            k1 = tdi_sym3_scale(p[1].hessian, tdi_drag_gauss[1]);
    td_sym3 once = tdi_sym3_add(h1, k1);
    td_sym3 twice =
        tdi_sym3_add(tdi_sym3_scale(h1, tdi_drag_gauss[0]), tdi_sym3_scale(k1, tdi_drag_gauss[1]));
    const tdi_block none = {.c = twice};
    const tdi_block turned = tdi_block_moved(&none, t); // its A is [t]x (sum c^2 H) [t]x^T
    const tdi_mat3 shift = tdi_cross_sym(t, &once);
    term->block.a = tdi_sym3_add(term->block.a, turned.a);
    for (int k = 0; k < 9; k++) {
        term->block.b.m[k] += shift.m[k];
    }
    term->block.c = tdi_sym3_add(term->block.c, tdi_sym3_add(p[0].hessian, p[1].hessian));
    term->load.n = tdi_add(term->load.n, tdi_cross(t, first));
    term->load.f = tdi_add(term->load.f, tdi_add(p[0].gradient, p[1].gradient));
    term->swing = tdi_sym3_add(term->swing, tdi_swing(t, first));
}

// ---- torques --------------------------------------------------------------------------------

// A torque has no potential; along the turn w since the step's start its work is T.w to first
// order.
static td_real torque_value(const td_load *l, const tdi_frame *f, const tdi_mat3 *start,
                            td_real weight) {
    tdi_mat3 turn = tdi_mat3_mul_t(&f->r, start);
    return -weight * 0.5 * tdi_dot(l->vector, tdi_mat3_axial(&turn));
}

// ---- entry ----------------------------------------------------------------------------------

td_real tdi_loads_value(const td_tree_state *s, const tdi_loads *l) {
    td_real value = 0;
    for (int32_t k = 0; k < l->count; k++) {
        const td_load *load = &l->load[k];
        const tdi_frame *f = &s->frame[load->segment];
        if (load->kind == TD_LOAD_TORQUE) {
            value += torque_value(load, f, &s->past[load->segment].r, l->weight);
        } else {
            td_vec3 x = tdi_add(f->o, tdi_mat3_apply(&f->r, load->point));
            value += load_term(load, x, star_of(l, load->segment, load->point), l).value;
        }
    }
    return value;
}

void tdi_loads_expand(td_tree_state *s, const tdi_loads *l) {
    for (int32_t k = 0; k < l->count; k++) {
        const td_load *load = &l->load[k];
        int32_t i = load->segment;
        const tdi_frame *f = &s->frame[i];
        tdi_node *node = tdi_node_open(s, i);
        if (load->kind == TD_LOAD_TORQUE) {
            node->load.n = tdi_madd(node->load.n, load->vector, -l->weight);
            node->spin = tdi_madd(node->spin, load->vector, -l->weight);
            continue;
        }
        td_vec3 lever = tdi_mat3_apply(&f->r, load->point);
        point_term t = load_term(load, tdi_add(f->o, lever), star_of(l, i, load->point), l);
        add_point(&node->block, &node->load, &node->swing, lever, &t);
        node->pull = tdi_add(node->pull, t.gradient);
        node->spin = tdi_add(node->spin, tdi_cross(lever, t.gradient));
    }
}

static void add_wrench(tdi_wrench *to, td_vec3 lever, td_vec3 force) {
    to->f = tdi_add(to->f, force);
    to->n = tdi_add(to->n, tdi_cross(lever, force));
}

void tdi_loads_wrench(const td_tree_model *m, const td_tree_state *s, const tdi_loads *l,
                      tdi_wrench *wrench) {
    for (int32_t k = 0; k < l->count; k++) {
        const td_load *load = &l->load[k];
        int32_t i = load->segment;
        const tdi_frame *f = &s->frame[i];
        if (load->kind == TD_LOAD_TORQUE) {
            wrench[i].n = tdi_add(wrench[i].n, load->vector);
            continue;
        }
        td_vec3 lever = tdi_mat3_apply(&f->r, load->point), none = {0, 0, 0};
        td_vec3 force = tdi_scale(load_term(load, tdi_add(f->o, lever), none, l).gradient, -1);
        if (load->kind == TD_LOAD_SPRING) {
            td_vec3 v = tdi_add(s->twist[i].v, tdi_cross(s->twist[i].w, lever));
            force = tdi_madd(force, tdi_sub(load->velocity, v), load->damping);
        }
        add_wrench(&wrench[i], lever, force);
    }
    bool drag = l->air.linear > 0 || l->air.quadratic > 0;
    for (int32_t i = 0; drag && i < m->body_count; i++) {
        const shield a = shield_of(&m->body[i], &s->frame[i].r);
        for (int g = 0; g < 2; g++) {
            td_vec3 lever =
                tdi_mat3_apply(&s->frame[i].r, tdi_scale(m->body[i].tip, tdi_drag_gauss[g]));
            td_vec3 v = tdi_add(s->twist[i].v, tdi_cross(s->twist[i].w, lever));
            td_vec3 u = tdi_sub(v, wind_at(l, i));
            add_wrench(&wrench[i], lever, tdi_scale(drag_at(&l->air, &a, 0.5, u, 1).gradient, -1));
        }
    }
}
