// SPDX-License-Identifier: MIT
// Stiffness and inertia of small motions about a pose, as products with vectors.
//
// Method   root to tip the motion V = (w, u) of every body from the joints', tip to root the
//          wrenches it needs, summed over what each body carries.
// Energy   to second order, x the motion of a joint, w_p the turn of its parent:
//            bodies     1/2 V^T G V   G: geometric of the load on its lever arms
//            springs    1/2 x^T H x   H: derivative of the spring's moment
//            sequence   x C w_p       C: tdi_coupling()
// Frame    world axes at the joint origins.

#include "tree/tangent.h"

#include "tree/implicit.h"
#include "tree/points.h"

#include <string.h>

#define DIFFERENCE 1e-3 // rad: error of the fourth-order difference and rounding are both 1e-13

// ---- expansion ------------------------------------------------------------------------------

void tdi_tangent_place(tdi_tangent *t, tdi_layout *l) {
    size_t n = (size_t)t->model->body_count;
    t->stiffness = tdi_layout_place(l, n, sizeof *t->stiffness);
    t->mass = tdi_layout_place(l, n, sizeof *t->mass);
    t->joint = tdi_layout_place(l, n, sizeof *t->joint);
    t->pivot = tdi_layout_place(l, n, sizeof *t->pivot);
    t->wrench = tdi_layout_place(l, n, sizeof *t->wrench);
}

// Of a force at a lever of a body: the gradient g.(o + R X) and its second derivative by the turn.
static void load_body(tdi_tree_state *s, const tdi_dead_load *l) {
    const td_vec3 lever = tdi_tree_lever(s, &l->point);
    tdi_node *node = &s->node[tdi_seat_body(s, l->point.segment)];
    const tdi_wrench at = {{0, 0, 0}, l->gradient};
    tdi_wrench_add(&node->load, &at, lever);
    node->geometric = tdi_sym3_add(node->geometric, tdi_geometric_stiffness(lever, l->gradient));
}

void tdi_tree_carry(const tdi_tree_model *m, tdi_tree_state *s, td_vec3 gravity,
                    const tdi_dead_load *loads, int32_t count) {
    const tdi_potential weight = {.spring = 1, .gravity = gravity};
    const tdi_potential_at at = {.model = m, .state = s, .potential = &weight};
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_term t;
        tdi_node *node = &s->node[i];
        if (m->kind[i] == TD_JOINT_BALL) {
            tdi_potential_balls(&at, i, 1, &t);
        } else {
            tdi_potential_other(&at, i, &t);
        }
        node->block = t.block;
        node->load = t.load;
        node->geometric = t.geometric;
    }
    for (int32_t k = 0; k < count; k++) {
        load_body(s, &loads[k]);
    }
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        int32_t p = m->parent[i];
        if (p != TD_NONE) {
            td_vec3 r = tdi_sub(s->frame[i].o, s->frame[p].o);
            tdi_node *up = &s->node[p];
            tdi_wrench_add(&up->load, &s->node[i].load, r);
            up->geometric =
                tdi_sym3_add(up->geometric, tdi_geometric_stiffness(r, s->node[i].load.f));
        }
    }
}

// From the moment at four turns about each axis, so that every law is served by the one place that
// defines it.
tdi_mat3 tdi_ball_tangent(td_spring_law law, const tdi_body *body, const td_real *q,
                          const td_real *near) {
    const td_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const td_real weight[4] = {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12}, still[3] = {0, 0, 0};
    const td_quat turn = {q[0], q[1], q[2], q[3]};
    tdi_mat3 d;
    for (int j = 0; j < 3; j++) {
        td_vec3 column = {0, 0, 0};
        for (int k = 0; k < 4; k++) {
            td_real angle = DIFFERENCE * (k < 2 ? k - 2 : k - 1);
            td_quat at = tdi_quat_mul(turn, tdi_quat_turn(axes[j], angle));
            const td_real moved[4] = {at.w, at.x, at.y, at.z};
            td_vec3 moment = tdi_ball_moment(law, body, moved, still, near);
            column = tdi_madd(column, moment, -weight[k] / DIFFERENCE);
        }
        d.m[j] = column.x;
        d.m[3 + j] = column.y;
        d.m[6 + j] = column.z;
    }
    return d;
}

static void expand_joints(tdi_tangent *t) {
    const tdi_tree_model *m = t->model;
    const tdi_tree_state *s = t->state;
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            tdi_mat3 d =
                tdi_ball_tangent(m->law, &m->body[i], s->q + m->coord[i], s->angle + m->dof[i]);
            td_sym3 own = {d.m[0],
                           d.m[4],
                           d.m[8],
                           0.5 * (d.m[1] + d.m[3]),
                           0.5 * (d.m[2] + d.m[6]),
                           0.5 * (d.m[5] + d.m[7])};
            t->joint[i] = tdi_sym3_turn(&s->frame[i].r, &own);
        }
    }
}

void tdi_tangent_expand(tdi_tangent *t, td_vec3 gravity, const tdi_dead_load *loads,
                        int32_t count) {
    const tdi_tree_model *m = t->model;
    tdi_tree_state *s = t->state;
    tdi_tree_carry(m, s, gravity, loads, count);
    expand_joints(t);
    for (int32_t i = 0; i < m->body_count; i++) {
        t->mass[i] = tdi_mass_of(&m->body[i], &s->frame[i].r);
        t->stiffness[i] = s->node[i].block;
        t->stiffness[i].a = tdi_sym3_add(s->node[i].block.a, s->node[i].geometric);
    }
}

// ---- sweeps ---------------------------------------------------------------------------------

// Root to tip: move from x.
static void spread(const tdi_tangent *t, const td_real *x) {
    const tdi_tree_model *m = t->model;
    tdi_tree_state *s = t->state;
    const tdi_twist still = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t p = m->parent[i];
        const tdi_twist up = p == TD_NONE ? still : s->node[p].move;
        td_vec3 r = tdi_sub(s->frame[i].o, tdi_parent_frame(m, s, i)->o);
        tdi_twist move = {up.w, tdi_add(up.v, tdi_cross(up.w, r))}, column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, s, i, column); d < count; d++) {
            move.w = tdi_madd(move.w, column[d].w, x[m->dof[i] + d]);
            move.v = tdi_madd(move.v, column[d].v, x[m->dof[i] + d]);
        }
        s->node[i].move = move;
    }
}

static inline void hand_down(const tdi_tangent *t, int32_t i, const tdi_wrench *wrench) {
    const tdi_tree_state *s = t->state;
    int32_t p = t->model->parent[i];
    if (p != TD_NONE) {
        tdi_wrench_add(&t->wrench[p], wrench, tdi_sub(s->frame[i].o, s->frame[p].o));
    }
}

// y = S^T (n, f) with the wrenches summed on the way
static void gather(const tdi_tangent *t, td_real *y) {
    const tdi_tree_model *m = t->model;
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        tdi_twist column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, t->state, i, column); d < count; d++) {
            y[m->dof[i] + d] = tdi_power(&t->wrench[i], &column[d]);
        }
        hand_down(t, i, &t->wrench[i]);
    }
}

// y = H x
static void spring_moments(const tdi_tangent *t, const td_real *x, td_real *y) {
    const tdi_tree_model *m = t->model;
    const tdi_tree_state *s = t->state;
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            int32_t d = m->dof[i];
            const tdi_mat3 *r = &s->frame[i].r;
            td_vec3 turn = tdi_mat3_apply(r, tdi_vec3(x[d], x[d + 1], x[d + 2]));
            td_vec3 moment = tdi_mat3_apply_t(r, tdi_sym3_apply(&t->joint[i], turn));
            y[d] = moment.x;
            y[d + 1] = moment.y;
            y[d + 2] = moment.z;
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            for (int32_t d = m->dof[i]; d < m->dof[i + 1]; d++) {
                y[d] = tdi_single_stiffness(m, i) * x[d];
            }
        }
    }
}

// y += S^T (n, f) + C w_p; the parent gains C^T x besides
static void gather_with_coupling(const tdi_tangent *t, const td_real *x, td_real *y) {
    const tdi_tree_model *m = t->model;
    const tdi_tree_state *s = t->state;
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        int32_t p = m->parent[i];
        td_vec3 up = p == TD_NONE ? tdi_vec3(0, 0, 0) : s->node[p].move.w;
        tdi_wrench down = t->wrench[i];
        tdi_twist column[6];
        for (int32_t k = 0, count = tdi_columns_of(m, s, i, column); k < count; k++) {
            int32_t d = m->dof[i] + k;
            td_vec3 c = tdi_coupling(&column[k], &s->node[i].load);
            y[d] += tdi_power(&t->wrench[i], &column[k]) + tdi_dot(c, up);
            down.n = tdi_madd(down.n, c, x[d]);
        }
        hand_down(t, i, &down);
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_tangent_stiffness(void *tangent, const td_real *x, td_real *y) {
    const tdi_tangent *t = tangent;
    spread(t, x);
    for (int32_t i = 0; i < t->model->body_count; i++) {
        t->wrench[i] = tdi_block_apply(&t->stiffness[i], &t->state->node[i].move);
    }
    spring_moments(t, x, y);
    gather_with_coupling(t, x, y);
}

void tdi_tangent_inertia(void *tangent, const td_real *x, td_real *y) {
    const tdi_tangent *t = tangent;
    spread(t, x);
    for (int32_t i = 0; i < t->model->body_count; i++) {
        t->wrench[i] = tdi_mass_momentum(&t->mass[i], &t->state->node[i].move);
    }
    gather(t, y);
}

// S^T (n, f) of all that a joint carries, less the moment of its spring
void tdi_tangent_slope(const tdi_tangent *t, td_real *y) {
    const tdi_tree_model *m = t->model;
    tdi_tree_joint_torque(t->state, y);
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_twist column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, t->state, i, column); d < count; d++) {
            td_real *to = &y[m->dof[i] + d];
            *to = tdi_power(&t->state->node[i].load, &column[d]) - *to;
        }
    }
}

// A wrench on body i, and the opposite on its parent: what a force along the joint's own motion
// does.
static void apply_to_joint(const tdi_tangent *t, int32_t i, const tdi_wrench *wrench) {
    const tdi_wrench back = {tdi_scale(wrench->n, -1), tdi_scale(wrench->f, -1)};
    t->wrench[i].n = tdi_add(t->wrench[i].n, wrench->n);
    t->wrench[i].f = tdi_add(t->wrench[i].f, wrench->f);
    hand_down(t, i, &back);
}

static void apply_force(const tdi_tangent *t, const tdi_point *point, td_vec3 force) {
    const tdi_tree_model *m = t->model;
    const tdi_tree_state *s = t->state;
    const int32_t i = tdi_seat_body(s, point->segment);
    if (point->kind == TDI_POINT_POSITION) {
        const tdi_wrench at = {{0, 0, 0}, force};
        tdi_wrench_add(&t->wrench[i], &at, tdi_tree_lever(s, point));
        return;
    }
    tdi_wrench along = {{0, 0, 0}, {0, 0, 0}};
    if (m->kind[i] == TD_JOINT_BALL) {
        const tdi_mat3 axes = tdi_tree_joint_axes(s, i);
        along.n = tdi_mat3_apply(&axes, force);
    } else {
        tdi_twist column[6];
        tdi_columns_of(m, s, i, column);
        along = (tdi_wrench){tdi_scale(column[0].w, force.x), tdi_scale(column[0].v, force.x)};
    }
    apply_to_joint(t, i, &along);
}

void tdi_tangent_forces(void *tangent, tdi_points points, const td_vec3 *forces, td_real *y) {
    const tdi_tangent *t = tangent;
    memset(t->wrench, 0, (size_t)t->model->body_count * sizeof *t->wrench);
    for (int32_t k = 0; k < points.count; k++) {
        apply_force(t, &points.list[k], forces[k]);
    }
    gather(t, y);
}

// Columns of a joint are orthonormal, so that a force along one is a wrench along it.
void tdi_tangent_load(const tdi_tangent *t, const td_real *x) {
    const tdi_tree_model *m = t->model;
    memset(t->wrench, 0, (size_t)m->body_count * sizeof *t->wrench);
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_twist column[6];
        tdi_wrench along = {{0, 0, 0}, {0, 0, 0}};
        for (int32_t d = 0, count = tdi_columns_of(m, t->state, i, column); d < count; d++) {
            along.n = tdi_madd(along.n, column[d].w, -x[m->dof[i] + d]);
            along.f = tdi_madd(along.f, column[d].v, -x[m->dof[i] + d]);
        }
        apply_to_joint(t, i, &along);
    }
}

// S^T I S with the inertia I of all that the joint carries
void tdi_tangent_inertia_diagonal(void *tangent, td_real *y) {
    const tdi_tangent *t = tangent;
    const tdi_tree_model *m = t->model;
    tdi_tree_state *s = t->state;
    for (int32_t i = 0; i < m->body_count; i++) {
        s->node[i].block = tdi_mass_block(&t->mass[i]);
    }
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        int32_t p = m->parent[i];
        tdi_twist column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, s, i, column); d < count; d++) {
            tdi_wrench w = tdi_block_apply(&s->node[i].block, &column[d]);
            y[m->dof[i] + d] = tdi_power(&w, &column[d]);
        }
        if (p != TD_NONE) {
            td_vec3 r = tdi_sub(s->frame[i].o, s->frame[p].o);
            tdi_block_add(&s->node[p].block, &s->node[i].block, r);
        }
    }
}

tdi_modal_form tdi_joints_form(const tdi_tree_model *m, const tdi_tree_state *s, const td_real *x) {
    tdi_modal_form f = {0, 0, 0};
    for (int32_t i = 0; i < m->body_count; i++) {
        const td_vec3 k = m->body[i].stiffness, b = m->body[i].damping, axis = m->body[i].axis;
        int32_t d = m->dof[i];
        if (m->kind[i] == TD_JOINT_BALL) {
            tdi_ball_turn turn = tdi_ball_turn_of(s->q + m->coord[i], s->angle + d);
            td_vec3 e = tdi_ball_rate(&turn, tdi_vec3(x[d], x[d + 1], x[d + 2]), 1);
            f.stiffness += k.x * e.x * e.x + k.y * e.y * e.y + k.z * e.z * e.z;
            f.damping += b.x * e.x * e.x + b.y * e.y * e.y + b.z * e.z * e.z;
            f.twist += k.y * e.y * e.y;
        } else if (m->dof[i + 1] - d == 1) {
            bool hinge = m->kind[i] == TD_JOINT_HINGE;
            f.stiffness += k.x * x[d] * x[d];
            f.damping += b.x * x[d] * x[d];
            f.twist += hinge ? k.x * x[d] * x[d] * axis.y * axis.y : 0;
        }
    }
    return f;
}
