// SPDX-License-Identifier: MIT
// Loads on the bodies of a tree.
//
// Each point load is a function of one place x = o + R X. With gradient f and Hessian H there, and
// lever p = R X, a body gains
//   (n, f) += (p x f, f),  A += [p]x H [p]x^T,  B += [p]x H,  C += H,  swing += sym(p f^T) - (p.f)
//   I
// Drag with velocity u = (x - x*)/h against the wind has the dissipation potential
//   A (linear |u|^2/2 + quadratic |u|^3/3)
// which is convex, so its Hessian needs no taming and it never adds energy to still air.

#include "tree/load.h"

// two points of Gauss on the way from the joint to the tip: exact for a field linear along it
static const td_real gauss[2] = {0.21132486540518712, 0.78867513459481288};

// ---- points ---------------------------------------------------------------------------------

typedef struct point_term {
    td_real value;
    td_vec3 gradient;
    td_sym3 hessian;
} point_term;

static inline void add_point(tdi_block *block, tdi_wrench *load, td_vec3 *pull, td_sym3 *swing,
                             td_vec3 p, const point_term *t) {
    tdi_block at = {.c = t->hessian};
    tdi_block_add(block, &at, p);
    load->n = tdi_add(load->n, tdi_cross(p, t->gradient));
    load->f = tdi_add(load->f, t->gradient);
    *pull = tdi_add(*pull, t->gradient);
    *swing = tdi_sym3_add(*swing, tdi_swing(p, t->gradient));
}

// force: -F.x;  spring: k/2 |x - a|^2
static point_term load_term(const td_load *l, td_vec3 x, td_real weight) {
    point_term t = {0, {0, 0, 0}, {0, 0, 0, 0, 0, 0}};
    if (l->kind == TD_LOAD_FORCE) {
        t.value = -weight * tdi_dot(l->vector, x);
        t.gradient = tdi_scale(l->vector, -weight);
    } else if (l->kind == TD_LOAD_SPRING) {
        td_vec3 d = tdi_sub(x, l->vector);
        td_real k = weight * l->stiffness;
        t.value = 0.5 * k * tdi_dot(d, d);
        t.gradient = tdi_scale(d, k);
        t.hessian = tdi_sym3_diagonal(k, k, k);
    }
    return t;
}

// h^3 area D(u) and its derivatives by x, du/dx = 1/h
static point_term drag_term(const td_air *air, td_real area, td_vec3 u, td_real h) {
    td_real speed = tdi_norm(u), a = area * h * h;
    td_real slope = air->linear + air->quadratic * speed;
    point_term t;
    t.value = a * h * speed * speed * (0.5 * air->linear + air->quadratic * speed / 3);
    t.gradient = tdi_scale(u, a * slope);
    td_real k = area * h * slope;
    t.hessian = tdi_sym3_diagonal(k, k, k);
    if (speed > 0) {
        t.hessian = tdi_sym3_add(t.hessian, tdi_sym3_square(u, area * h * air->quadratic / speed));
    }
    return t;
}

static inline bool has_drag(const tdi_loads *l) {
    return l->h > 0 && (l->air.linear > 0 || l->air.quadratic > 0);
}

// velocity against the wind of the point X of body i, in the step
static inline td_vec3 step_wind(const td_tree_state *s, const tdi_loads *l, int32_t i, td_vec3 own,
                                td_vec3 lever) {
    td_vec3 x = tdi_add(s->frame[i].o, lever);
    td_vec3 star = tdi_add(l->star[i].o, tdi_mat3_apply(&l->star[i].r, own));
    return tdi_sub(tdi_scale(tdi_sub(x, star), 1 / l->h), l->air.wind);
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

td_real tdi_loads_value(const td_tree_model *m, const td_tree_state *s, const tdi_loads *l) {
    td_real value = 0;
    for (int32_t k = 0; k < l->count; k++) {
        const td_load *load = &l->load[k];
        const tdi_frame *f = &s->frame[load->segment];
        if (load->kind == TD_LOAD_TORQUE) {
            value += torque_value(load, f, &s->past[load->segment].r, l->weight);
        } else {
            td_vec3 x = tdi_add(f->o, tdi_mat3_apply(&f->r, load->point));
            value += load_term(load, x, l->weight).value;
        }
    }
    for (int32_t i = 0; has_drag(l) && i < m->body_count; i++) {
        for (int g = 0; g < 2; g++) {
            td_vec3 own = tdi_scale(m->body[i].tip, gauss[g]);
            td_vec3 u = step_wind(s, l, i, own, tdi_mat3_apply(&s->frame[i].r, own));
            value += drag_term(&l->air, 0.5 * m->body[i].area, u, l->h).value;
        }
    }
    return value;
}

void tdi_loads_expand(const td_tree_model *m, td_tree_state *s, const tdi_loads *l) {
    for (int32_t k = 0; k < l->count; k++) {
        const td_load *load = &l->load[k];
        int32_t i = load->segment;
        const tdi_frame *f = &s->frame[i];
        if (load->kind == TD_LOAD_TORQUE) {
            s->load[i].n = tdi_madd(s->load[i].n, load->vector, -l->weight);
            continue;
        }
        td_vec3 lever = tdi_mat3_apply(&f->r, load->point);
        point_term t = load_term(load, tdi_add(f->o, lever), l->weight);
        add_point(&s->block[i], &s->load[i], &s->pull[i], &s->swing[i], lever, &t);
    }
    for (int32_t i = 0; has_drag(l) && i < m->body_count; i++) {
        for (int g = 0; g < 2; g++) {
            td_vec3 own = tdi_scale(m->body[i].tip, gauss[g]);
            td_vec3 lever = tdi_mat3_apply(&s->frame[i].r, own);
            point_term t =
                drag_term(&l->air, 0.5 * m->body[i].area, step_wind(s, l, i, own, lever), l->h);
            add_point(&s->block[i], &s->load[i], &s->pull[i], &s->swing[i], lever, &t);
        }
    }
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
        td_vec3 lever = tdi_mat3_apply(&f->r, load->point);
        td_vec3 force = tdi_scale(load_term(load, tdi_add(f->o, lever), 1).gradient, -1);
        wrench[i].f = tdi_add(wrench[i].f, force);
        wrench[i].n = tdi_add(wrench[i].n, tdi_cross(lever, force));
    }
    bool drag = l->air.linear > 0 || l->air.quadratic > 0;
    for (int32_t i = 0; drag && i < m->body_count; i++) {
        for (int g = 0; g < 2; g++) {
            td_vec3 lever = tdi_mat3_apply(&s->frame[i].r, tdi_scale(m->body[i].tip, gauss[g]));
            td_vec3 v = tdi_add(s->twist[i].v, tdi_cross(s->twist[i].w, lever));
            td_vec3 u = tdi_sub(v, l->air.wind);
            td_real slope = l->air.linear + l->air.quadratic * tdi_norm(u);
            td_vec3 force = tdi_scale(u, -0.5 * m->body[i].area * slope);
            wrench[i].f = tdi_add(wrench[i].f, force);
            wrench[i].n = tdi_add(wrench[i].n, tdi_cross(lever, force));
        }
    }
}

td_status tdi_loads_check(const td_tree_model *m, const td_load *load, int32_t count,
                          const td_air *air, td_diag *diag) {
    if (count < 0 || (count > 0 && !load)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "load_count is %d", count);
    }
    if (!(air->linear >= 0 && air->quadratic >= 0) || !isfinite(air->linear + air->quadratic) ||
        !tdi_finite3(air->wind)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "a figure of the air is out of its range");
    }
    for (int32_t k = 0; k < count; k++) {
        const td_load *l = &load[k];
        bool fine = l->segment >= 0 && l->segment < m->body_count && tdi_finite3(l->point) &&
                    tdi_finite3(l->vector) && l->stiffness >= 0 && isfinite(l->stiffness);
        if (!fine) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "load %d is out of its range", k);
        }
    }
    return TD_OK;
}
