// SPDX-License-Identifier: MIT
// What constraints hold a tree by.
//
// A point of a body is at x = o + R X and moves by v + w x p, p = R X, as loads do (load.c).
// A hinge or slide has its own coordinate. A ball joint turns by W = w_i - w_p in the world; with Q
// the axes of the joint at rest on its parent that is Q^T W there, so that in the world a gradient
// g becomes Q g and a Hessian H becomes Q H Q^T. They join the moment and the stiffness of the
// joint's own spring, and the elimination (sweep.c) does with them what it does with those.

#include "tree/pins.h"

#include "base/fetch.h"
#include "tree/implicit.h"
#include "tree/joint.h"
#include "tree/points.h"

#define AHEAD 8 // pins: the memory of their bodies is fetched before it is their turn

// ---- points ---------------------------------------------------------------------------------

static td_vec3 own_point(const tdi_tree_state *s, const tdi_pin *pin) {
    return tdi_seat_point(s, pin->segment, tdi_add(pin->at, pin->arm));
}

td_vec3 tdi_tree_pin_lever(const tdi_tree_state *s, const tdi_pin *pin) {
    return tdi_mat3_apply(&s->frame[tdi_seat_body(s, pin->segment)].r, own_point(s, pin));
}

// ---- joints ---------------------------------------------------------------------------------

tdi_mat3 tdi_tree_joint_axes(const tdi_tree_state *s, int32_t i) {
    const td_quat up = tdi_parent_frame(s->model, s, i)->turn;
    return tdi_mat3_from_quat(tdi_quat_mul(up, s->model->body[i].rest));
}

static td_vec3 joint_place(const tdi_tree_state *s, int32_t i, bool history) {
    const tdi_tree_model *m = s->model;
    const int32_t d = m->dof[i];
    const td_real *q = s->q + m->coord[i], *near = s->now->potential.angle_near;
    if (m->kind[i] != TD_JOINT_BALL) {
        return tdi_vec3(history ? s->angle_history[d] : q[0], 0, 0);
    }
    return history ? tdi_vec3(s->angle_history[d], s->angle_history[d + 1], s->angle_history[d + 2])
                   : tdi_ball_turn_of(q, (near ? near : s->angle) + d).a;
}

static td_vec3 joint_move(const tdi_tree_state *s, int32_t i, bool response) {
    const tdi_tree_model *m = s->model;
    if (m->kind[i] != TD_JOINT_BALL) {
        const tdi_other *other = &s->other[m->other_place[i]];
        return tdi_vec3(response ? other->respond[0] : other->step[0], 0, 0);
    }
    const int32_t p = m->parent[i];
    const td_vec3 still = {0, 0, 0};
    const td_vec3 up = p == TD_NONE ? (response ? still : s->now->base_move.w)
                       : response   ? s->twist[p].w
                                    : s->node[p].move.w;
    const td_vec3 own = response ? s->twist[i].w : s->node[i].move.w;
    const tdi_mat3 axes = tdi_tree_joint_axes(s, i);
    return tdi_mat3_apply_t(&axes, tdi_sub(own, up));
}

// A moment on a body and its opposite on the parent.
static void push_joint(tdi_tree_state *s, int32_t i, td_vec3 force) {
    const tdi_tree_model *m = s->model;
    const td_vec3 f = tdi_scale(force, -s->now->weight);
    if (m->kind[i] != TD_JOINT_BALL) {
        s->other[m->other_place[i]].respond[0] += f.x;
        return;
    }
    const tdi_mat3 axes = tdi_tree_joint_axes(s, i);
    const td_vec3 moment = tdi_mat3_apply(&axes, f);
    s->twist[i].w = tdi_add(s->twist[i].w, moment);
    if (m->parent[i] != TD_NONE) {
        tdi_twist *up = &s->twist[m->parent[i]];
        up->w = tdi_sub(up->w, moment);
    }
}

static void add_joint(tdi_tree_state *s, int32_t i, td_vec3 g, const td_sym3 *h, bool passes) {
    tdi_joint_pin *joint = tdi_joint_open(s, i);
    if (s->model->kind[i] != TD_JOINT_BALL) {
        joint->gradient.x += g.x;
        joint->hessian.xx += h->xx;
        return;
    }
    const tdi_mat3 axes = tdi_tree_joint_axes(s, i);
    const td_vec3 moment = tdi_mat3_apply(&axes, g);
    joint->gradient = tdi_add(joint->gradient, moment);
    joint->passing = passes ? tdi_add(joint->passing, moment) : joint->passing;
    joint->hessian = tdi_sym3_add(joint->hessian, tdi_sym3_turn(&axes, h));
}

// ---- entry ----------------------------------------------------------------------------------

td_real tdi_tree_mass(const void *body) {
    const tdi_tree_model *m = ((const tdi_tree_state *)body)->model;
    td_real sum = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        sum += m->body[i].mass;
    }
    return sum;
}

td_vec3 tdi_tree_joint_inertia(const void *body, int32_t segment) {
    const tdi_tree_model *m = ((const tdi_tree_state *)body)->model;
    const int32_t i = tdi_seat_body(body, segment);
    const tdi_body *b = &m->body[i];
    const td_sym3 *s = &b->second;
    if (m->kind[i] == TD_JOINT_SLIDE) {
        return tdi_vec3(b->mass, 0, 0);
    }
    if (m->kind[i] == TD_JOINT_HINGE) {
        const td_real along = tdi_dot(b->axis, tdi_sym3_apply(s, b->axis));
        return tdi_vec3(s->xx + s->yy + s->zz - along, 0, 0);
    }
    return tdi_vec3(s->yy + s->zz, s->xx + s->zz, s->xx + s->yy);
}

td_joint_kind tdi_tree_pin_joint(const void *body, int32_t segment) {
    return (td_joint_kind)((const tdi_tree_state *)body)->model->kind[tdi_seat_body(body, segment)];
}

void tdi_tree_pin_places(const void *body, const tdi_pin *pins, int32_t count, bool history,
                         td_vec3 *x) {
    const tdi_tree_state *s = body;
    for (int32_t k = 0; k < count; k++) {
        if (!history && k + AHEAD < count) {
            tdi_fetch(&s->frame[tdi_seat_body(s, pins[k + AHEAD].segment)], sizeof *s->frame);
        }
        const int32_t i = tdi_seat_body(s, pins[k].segment);
        if (pins[k].kind == TDI_PIN_JOINT) {
            x[k] = joint_place(s, i, history);
        } else {
            const tdi_mat3 *r = history ? &s->history[i].r : &s->frame[i].r;
            x[k] = tdi_add(history ? s->history[i].o : s->frame[i].o,
                           tdi_mat3_apply(r, own_point(s, &pins[k])));
        }
    }
}

void tdi_tree_pin_moves(const void *body, const tdi_pin *pins, int32_t count, bool response,
                        td_vec3 *dx) {
    const tdi_tree_state *s = body;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = tdi_seat_body(s, pins[k].segment);
        if (pins[k].kind == TDI_PIN_JOINT) {
            dx[k] = joint_move(s, i, response);
        } else {
            const tdi_twist *move = response ? &s->twist[i] : &s->node[i].move;
            dx[k] = tdi_add(move->v, tdi_cross(move->w, tdi_tree_pin_lever(s, &pins[k])));
        }
    }
}

void tdi_tree_pin_push(void *body, const tdi_pin *pin, td_vec3 force, bool first) {
    tdi_tree_state *s = body;
    if (pin->kind == TDI_PIN_POINT) {
        tdi_tree_push_at(s, tdi_seat_body(s, pin->segment), tdi_tree_pin_lever(s, pin), force,
                         first);
        return;
    }
    if (first) {
        tdi_tree_open_pushes(s);
    }
    push_joint(s, tdi_seat_body(s, pin->segment), force);
}

// The pins' bodies and all that carry them: what a push there does to others is not asked for.
// Marks are in `summed`, which nobody uses between sweeps.
void tdi_tree_pin_confine(void *body, const tdi_pin *pins, int32_t count) {
    tdi_tree_state *s = body;
    const tdi_tree_model *m = s->model;
    s->asked_count = 0;
    for (int32_t k = 0; k < count; k++) {
        for (int32_t i = tdi_seat_body(s, pins[k].segment); i != TD_NONE && !s->summed[i];
             i = m->parent[i]) {
            s->summed[i] = 1;
        }
    }
    for (int32_t i = 0; count > 0 && i < m->body_count; i++) {
        if (s->summed[i]) {
            s->asked[s->asked_count++] = i;
            s->summed[i] = 0;
        }
    }
}

void tdi_tree_pin_add(void *body, const tdi_pin *pin, td_vec3 gradient, const td_sym3 *hessian,
                      tdi_levers levers) {
    tdi_tree_state *s = body; // the sweep takes the positive part of geometric stiffness by itself
    const int32_t i = tdi_seat_body(s, pin->segment);
    const td_vec3 g = tdi_scale(gradient, s->now->weight);
    const td_sym3 h = tdi_sym3_scale(*hessian, s->now->weight);
    if (pin->kind == TDI_PIN_POINT) {
        tdi_tree_add_point(s, i, tdi_tree_pin_lever(s, pin), g, &h, levers != TDI_LEVERS_NONE);
    } else {
        add_joint(s, i, g, &h, levers == TDI_LEVERS_NONE);
    }
}
