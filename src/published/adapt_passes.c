// SPDX-License-Identifier: MIT
// The passes of hybrid dynamics over the active region: places and twists, loads, main pass,
// back-substitution. They touch active nodes, the rigid front, and the nodes above loaded bodies.

#include "published/adapt.h"

#include "load/point.h"
#include "tree/load.h"

#include <string.h>

// ---- kinematics -----------------------------------------------------------------------------

static tdi_six base_twist(const td_adapt *s) {
    const tdi_mat3 *r = &s->state->base.r;
    return tdi_six_of(tdi_mat3_apply_t(r, s->state->base_twist.w),
                      tdi_mat3_apply_t(r, s->state->base_twist.v));
}

tdi_six tdi_base_rise(const td_adapt *s, const td_step_opts *o) {
    const tdi_mat3 *r = &s->state->base.r;
    const td_base_motion *base = &s->state->head.base;
    return tdi_six_of(tdi_mat3_apply_t(r, base->spin_rate),
                      tdi_mat3_apply_t(r, tdi_sub(base->acceleration, o->gravity)));
}

void tdi_pass_kinematics(td_adapt *s, const int32_t *list, int32_t count) {
    for (int32_t k = count - 1; k >= 0; k--) {
        tdi_node_place(s, list[k]);
        tdi_node_relative(s, list[k]);
    }
    const tdi_six base = base_twist(s);
    for (int32_t k = 0; k < s->root_count; k++) {
        s->node[s->root[k]].top_rate = base;
    }
    for (int32_t k = 0; k < count; k++) {
        tdi_node_carry(s, list[k]);
    }
}

// ---- loads ----------------------------------------------------------------------------------

typedef struct way { // from the base to a body
    tdi_hop hop, from_front;
    tdi_six extra;
    int32_t front; // child of an active node that holds the body; TDI_ASSEMBLY_BASE: none is
} way;

static way way_to(td_adapt *s, int32_t body) {
    way w = {tdi_hop_none(), tdi_hop_none(), {{0, 0, 0, 0, 0, 0}}, TDI_ASSEMBLY_BASE};
    int32_t child = ~body;
    for (int32_t up = s->body_up[body]; up != TD_NONE; up = s->tree[up].up) {
        const tdi_adapt_node *n = &s->node[up];
        if (n->active && w.front == TDI_ASSEMBLY_BASE) {
            w.front = child;
            w.from_front = w.hop;
        }
        s->stats.nodes_force += !n->active;
        if (s->tree[up].b == child) {
            if (n->active) {
                const tdi_six moved = tdi_hop_motion(&w.hop, &n->b_extra);
                tdi_six_add(&w.extra, &moved, 1);
            }
            w.hop = tdi_hop_on(&n->to_b, &w.hop);
        }
        child = up;
    }
    return w;
}

static tdi_six *push_on(td_adapt *s, int32_t child) {
    const tdi_six none = {{0, 0, 0, 0, 0, 0}};
    tdi_six *push = child < 0 ? &s->body_push[~child] : &s->node[child].push;
    int64_t *at = child < 0 ? &s->body_push_at[~child] : &s->node[child].push_at;
    if (*at != s->step) {
        *push = none;
        *at = s->step;
    }
    return push;
}

static tdi_wrench load_wrench(const td_load *l, const tdi_frame *f, const tdi_six *rate) {
    if (l->kind == TD_LOAD_TORQUE) {
        return (tdi_wrench){l->vector, {0, 0, 0}};
    }
    const tdi_rate_factors by = {.gradient = 1};
    const td_vec3 lever = tdi_mat3_apply(&f->r, l->point);
    const td_vec3 own = tdi_add(tdi_six_linear(rate), tdi_cross(tdi_six_angular(rate), l->point));
    const tdi_point_term t =
        tdi_point_load(l, tdi_add(f->o, lever), tdi_mat3_apply(&f->r, own), 1, &by);
    const td_vec3 force = tdi_scale(t.gradient, -1);
    return (tdi_wrench){tdi_cross(lever, force), force};
}

static void add_load(td_adapt *s, const td_load *l, const tdi_six *base) {
    const way w = way_to(s, l->segment);
    if (w.front == TDI_ASSEMBLY_BASE) {
        return;
    }
    const tdi_frame *b = &s->state->base;
    tdi_frame f;
    const tdi_hop world = {b->r, b->o}, at = tdi_hop_on(&world, &w.hop);
    f.r = at.turn;
    f.o = at.r;
    tdi_six rate = tdi_hop_motion(&w.hop, base);
    tdi_six_add(&rate, &w.extra, 1);
    const tdi_wrench push = load_wrench(l, &f, &rate);
    const tdi_six own = tdi_six_of(tdi_mat3_apply_t(&f.r, push.n), tdi_mat3_apply_t(&f.r, push.f));
    tdi_six_add(push_on(s, ~l->segment), &own, 1);
    if (w.front >= 0) {
        const tdi_six moved = tdi_hop_force(&w.from_front, &own);
        tdi_six_add(push_on(s, w.front), &moved, 1);
    }
}

// With drag every body has a force: all are summed up, node by node.
static void add_drag(td_adapt *s, const td_step_opts *o) {
    const tdi_tree_model *m = s->model;
    tdi_tree_state *state = s->state;
    const tdi_loads loads = {o->loads, o->load_count, o->air, o->winds, 0, 1, NULL};
    tdi_tree_place(m, state);
    tdi_tree_move(m, state);
    memset(state->stages.outside, 0, (size_t)m->body_count * sizeof *state->stages.outside);
    tdi_loads_wrench(m, state, &loads, state->stages.outside);
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_mat3 *r = &state->frame[i].r;
        *push_on(s, ~i) = tdi_six_of(tdi_mat3_apply_t(r, state->stages.outside[i].n),
                                     tdi_mat3_apply_t(r, state->stages.outside[i].f));
    }
    for (int32_t k = 0; k < m->body_count; k++) {
        const int32_t i = s->order[k];
        if (!s->node[i].active && s->tree[i].a != TDI_ASSEMBLY_BASE) {
            const tdi_six moved = tdi_hop_force(&s->node[i].to_b, push_on(s, s->tree[i].b));
            tdi_six *sum = push_on(s, i);
            *sum = *push_on(s, s->tree[i].a);
            tdi_six_add(sum, &moved, 1);
            s->stats.nodes_force++;
        }
    }
}

void tdi_pass_loads(td_adapt *s, const td_step_opts *o) {
    s->stats.nodes_force = 0;
    if (o->air.linear > 0 || o->air.quadratic > 0) {
        add_drag(s, o);
        return;
    }
    const tdi_six base = base_twist(s);
    for (int32_t k = 0; k < o->load_count; k++) {
        add_load(s, &o->loads[k], &base);
    }
}

// ---- biases ---------------------------------------------------------------------------------

// phi (f - what the rates ask for)
static tdi_six rigid_bias(const tdi_six2 *phi, const tdi_mass *mass, td_vec3 rate,
                          const tdi_six *push) {
    const tdi_wrench asked = tdi_mass_bias(mass, rate);
    tdi_six f = tdi_six_of(tdi_scale(asked.n, -1), tdi_scale(asked.f, -1));
    if (push) {
        tdi_six_add(&f, push, 1);
    }
    return tdi_six_apply_t(phi, &f);
}

tdi_six tdi_body_bias(const td_adapt *s, int32_t body, td_vec3 rate) {
    const tdi_body *b = &s->model->body[body];
    const tdi_mass mass = {b->mass, b->moment, b->second};
    return rigid_bias(&s->body_phi[body], &mass, rate,
                      s->body_push_at[body] == s->step ? &s->body_push[body] : NULL);
}

// Of a node of the rigid front; at its end X b + E^T w x (w x r).
static void front_bias(td_adapt *s, int32_t i) {
    tdi_adapt_node *n = &s->node[i];
    const td_vec3 w = tdi_six_angular(&n->top_rate);
    n->bias[0] = rigid_bias(&n->hybrid.of[0], &n->mass, w, n->push_at == s->step ? &n->push : NULL);
    if (s->tree[i].handles == 2) {
        const td_vec3 swing = tdi_cross(w, tdi_cross(w, n->to_end.r));
        const tdi_six rates =
            tdi_six_of(tdi_vec3(0, 0, 0), tdi_mat3_apply_t(&n->to_end.turn, swing));
        n->bias[1] = tdi_hop_motion(&n->to_end, &n->bias[0]);
        tdi_six_add(&n->bias[1], &rates, 1);
    }
}

// Biases of a child at its handles.
static void child_bias(td_adapt *s, int32_t child, const tdi_six *rate, const tdi_six *base,
                       tdi_six b[2]) {
    if (child == TDI_ASSEMBLY_BASE) {
        b[0] = *base;
    } else if (!tdi_is_node(child)) {
        b[0] = tdi_body_bias(s, ~child, tdi_six_angular(rate));
    } else {
        if (!s->node[child].active) {
            front_bias(s, child);
        }
        b[0] = s->node[child].bias[0];
        b[1] = s->node[child].bias[1];
    }
}

static void node_bias(td_adapt *s, int32_t i, const td_step_opts *o, const td_real *added,
                      const tdi_six *base) {
    const tdi_assembly_node *t = &s->tree[i];
    tdi_adapt_node *n = &s->node[i];
    td_real torque[6];
    tdi_six b[2][2];
    child_bias(s, t->a, &n->top_rate, base, b[0]);
    child_bias(s, t->b, &n->b_rate, base, b[1]);
    tdi_six beta = tdi_hop_motion(&n->joint, &b[0][t->via]);
    const tdi_six rates = tdi_node_rates(s, i);
    tdi_six_add(&beta, &rates, 1);
    tdi_six_add(&beta, &b[1][0], -1);
    tdi_node_torque(s, i, o, added, torque);
    tdi_node_bias(s, i, &beta, torque);
    for (int h = 0; h < t->handles; h++) {
        const tdi_handle_from from = tdi_handle_at(t, h);
        const tdi_six answer = tdi_six_apply(&n->with.gain[h], &n->with.gamma);
        n->bias[h] = b[from.side][from.handle];
        tdi_six_add(&n->bias[h], &answer, 1);
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_pass_back(td_adapt *s, const int32_t *list, int32_t count, td_real *accel) {
    for (int32_t k = 0; k < count; k++) {
        tdi_node_back(s, list[k], accel + s->model->dof[list[k]]);
    }
    s->stats.nodes_back = count;
}

void tdi_pass_forward(td_adapt *s, const td_step_opts *o, const td_real *torque,
                      const int32_t *list, int32_t count, td_real *accel) {
    const tdi_six base = tdi_base_rise(s, o);
    for (int32_t k = count - 1; k >= 0; k--) {
        tdi_node_join(s, list[k], false);
        node_bias(s, list[k], o, torque, &base);
    }
    s->stats.nodes_main = count;
    tdi_pass_back(s, list, count, accel);
}
