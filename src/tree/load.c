// SPDX-License-Identifier: MIT
// Loads on the bodies of a tree.
//
// Each load at a point x = o + R X has a gradient f and a Hessian H there (load/point.h). With the
// lever p = R X a body gains
//   (n, f) += (p x f, f),  A += [p]x H [p]x^T,  B += [p]x H,  C += H,
//   geometric stiffness += sym(p f^T) - (p.f) I
// Drag is one of the terms of bodies: term_kernel.h.

#include "load/drag.h"
#include "tree/load.h"

// ---- points ---------------------------------------------------------------------------------

void tdi_tree_add_point(tdi_tree_state *s, int32_t i, td_vec3 p, td_vec3 f, const td_sym3 *h,
                        bool levers) {
    tdi_node *node = tdi_node_open(s, i);
    const td_vec3 n = tdi_cross(p, f);
    tdi_block_add_point(&node->block, h, p);
    node->load = (tdi_wrench){tdi_add(node->load.n, n), tdi_add(node->load.f, f)};
    if (levers) {
        node->geometric = tdi_sym3_add(node->geometric, tdi_geometric_stiffness(p, f));
        node->pull = tdi_add(node->pull, f);
        node->spin = tdi_add(node->spin, n);
    }
}

// With u = (x - x*)/h, x* = o* + R* X; the potential is h^2 times an energy.
static tdi_point_term load_term(const td_load *l, int32_t body, td_vec3 point, td_vec3 x,
                                const tdi_loads *loads) {
    tdi_rate_factors by = {0, 0, 0};
    td_vec3 u = {0, 0, 0};
    if (loads->h > 0) {
        const tdi_affine *history = &loads->history[body];
        td_vec3 from = tdi_add(history->o, tdi_mat3_apply(&history->r, point));
        by = tdi_loads_rate(loads);
        u = tdi_scale(tdi_sub(x, from), 1 / loads->h);
    }
    return tdi_point_load(l, x, u, loads->weight, &by);
}

// ---- entry ----------------------------------------------------------------------------------

td_real tdi_loads_value(const tdi_tree_state *s, const tdi_loads *l) {
    td_real value = 0;
    for (int32_t k = 0; k < l->count; k++) {
        const td_load *load = &l->load[k];
        const int32_t i = tdi_seat_body(s, load->segment);
        const tdi_frame *f = &s->frame[i];
        if (load->kind == TD_LOAD_TORQUE) {
            value += l->weight * tdi_torque_value(load, &f->r, &s->past[i].r);
        } else {
            const td_vec3 point = tdi_seat_point(s, load->segment, load->point);
            td_vec3 x = tdi_add(f->o, tdi_mat3_apply(&f->r, point));
            value += load_term(load, i, point, x, l).value;
        }
    }
    return value;
}

void tdi_loads_expand(tdi_tree_state *s, const tdi_loads *l) {
    for (int32_t k = 0; k < l->count; k++) {
        const td_load *load = &l->load[k];
        const int32_t i = tdi_seat_body(s, load->segment);
        const tdi_frame *f = &s->frame[i];
        if (load->kind == TD_LOAD_TORQUE) {
            tdi_node *node = tdi_node_open(s, i);
            node->load.n = tdi_madd(node->load.n, load->vector, -l->weight);
            node->spin = tdi_madd(node->spin, load->vector, -l->weight);
            continue;
        }
        const td_vec3 point = tdi_seat_point(s, load->segment, load->point);
        td_vec3 lever = tdi_mat3_apply(&f->r, point);
        tdi_point_term t = load_term(load, i, point, tdi_add(f->o, lever), l);
        tdi_tree_add_point(s, i, lever, t.gradient, &t.hessian, true);
    }
}

static void add_wrench(tdi_wrench *to, td_vec3 lever, td_vec3 force) {
    to->f = tdi_add(to->f, force);
    to->n = tdi_add(to->n, tdi_cross(lever, force));
}

// Of drag on a body; both points of Gauss stand for half of the area.
static void add_drag(const tdi_body *body, const tdi_frame *f, const tdi_twist *twist,
                     const tdi_loads *l, td_vec3 wind, tdi_wrench *to) {
    const tdi_rate_factors by = {.gradient = 0.5};
    const tdi_drag_area a = tdi_drag_area_of(body->area, body->fold, &f->r);
    for (int g = 0; g < 2; g++) {
        td_vec3 lever = tdi_mat3_apply(&f->r, tdi_scale(body->tip, tdi_gauss_points[g]));
        td_vec3 v = tdi_add(twist->v, tdi_cross(twist->w, lever));
        tdi_drag drag = tdi_drag_of(&l->air, &a, tdi_sub(v, wind), &by);
        add_wrench(to, lever, tdi_scale(drag.gradient, -1));
    }
}

void tdi_loads_wrench(const tdi_tree_model *m, const tdi_tree_state *s, const tdi_loads *l,
                      tdi_wrench *wrench) {
    const tdi_rate_factors by = {.gradient = 1};
    for (int32_t k = 0; k < l->count; k++) {
        const td_load *load = &l->load[k];
        int32_t i = load->segment;
        const tdi_frame *f = &s->frame[i];
        if (load->kind == TD_LOAD_TORQUE) {
            wrench[i].n = tdi_add(wrench[i].n, load->vector);
            continue;
        }
        td_vec3 lever = tdi_mat3_apply(&f->r, load->point), x = tdi_add(f->o, lever);
        td_vec3 v = tdi_add(s->twist[i].v, tdi_cross(s->twist[i].w, lever));
        tdi_point_term t = tdi_point_load(load, x, v, 1, &by);
        add_wrench(&wrench[i], lever, tdi_scale(t.gradient, -1));
    }
    bool drag = l->air.linear > 0 || l->air.quadratic > 0;
    for (int32_t i = 0; drag && i < m->body_count; i++) {
        add_drag(&m->body[i], &s->frame[i], &s->twist[i], l, *tdi_wind_at(l, i), &wrench[i]);
    }
}
