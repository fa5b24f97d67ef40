// SPDX-License-Identifier: MIT
// Residual of the equations of motion, and its linear systems by elimination along the tree.
//
// Newton's matrix. With xi = J dx, the turn of a joint in its own axes, the first row of
// (dF/dy + c dF/dy') (dx, dv) = (b1, b2) gives  c xi = dv + J b1  (less v x xi, which is left out:
// smaller by the turn in one step), and with h = 1/c the second
//   (M + h D + h^2 K) xi = h^2 b2 + (h M + h^2 D) J b1.
// M, D, K are inertia, damping and stiffness: the matrix of one Newton iteration of an implicit
// step of h, taken from the same expansion, with the geometric stiffness of the bodies' own loads m
// a + ... - m g. What is left out slows Newton's iteration and does not change where it ends.
//
//   J = I - (1 - cos t)/t^2 [x]x + (t - sin t)/t^3 [x]x^2,  t = |x|;  J^-1 as in joint.h

#include "published/ida_system.h"

#include "tree/dynamics.h"
#include "tree/implicit.h"
#include "tree/joint.h"

#include <string.h>

// ---- turns ----------------------------------------------------------------------------------

static inline td_vec3 read3(const td_real *x) {
    return tdi_vec3(x[0], x[1], x[2]);
}

static inline void write3(td_real *to, td_vec3 v) {
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

// J^-1(x) v
static td_vec3 rate_of_turn(td_vec3 x, td_vec3 v) {
    tdi_ball_turn turn = {x, tdi_turn_coefficient(tdi_dot(x, x))};
    return tdi_ball_rate(&turn, v, 1);
}

// J(x) v
static td_vec3 turn_of_rate(td_vec3 x, td_vec3 v) {
    td_real t2 = tdi_dot(x, x), t = sqrt(t2);
    td_real a = t2 < 1e-4 ? 1.0 / 2 - t2 / 24 : (1 - cos(t)) / t2;
    td_real b = t2 < 1e-4 ? 1.0 / 6 - t2 / 120 : (t - sin(t)) / (t2 * t);
    td_vec3 xv = tdi_cross(x, v);
    return tdi_madd(tdi_madd(v, xv, -a), tdi_cross(x, xv), b);
}

typedef td_vec3 (*turn_map)(td_vec3 x, td_vec3 v);

// to = map(x) v of all joints; shifts and hinges stay as they are
static void map_turns(const tdi_tree_model *m, turn_map map, const td_real *x, const td_real *v,
                      td_real *to) {
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t d = m->dof[i], count = m->dof[i + 1] - d;
        int32_t turn = count >= 3 ? count - 3 : count; // a free joint turns with its last three
        for (int32_t k = 0; k < turn; k++) {
            to[d + k] = v[d + k];
        }
        if (turn < count) {
            write3(to + d + turn, map(read3(x + d + turn), read3(v + d + turn)));
        }
    }
}

td_real tdi_ida_reach(const tdi_ida_system *system, const td_real *y) {
    const tdi_tree_model *m = system->model;
    td_real most = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        if (m->dof[i + 1] - m->dof[i] >= 3) {
            td_real t = tdi_norm(read3(y + m->dof[i + 1] - 3));
            most = t > most ? t : most;
        }
    }
    return most;
}

// ---- states ---------------------------------------------------------------------------------

void tdi_ida_place(tdi_ida_system *system, tdi_layout *l) {
    const tdi_tree_model *m = system->model;
    size_t nv = (size_t)m->head.dof_count;
    system->q_ref = tdi_layout_place(l, (size_t)m->coord_count, sizeof *system->q_ref);
    system->x = tdi_layout_place(l, nv, sizeof *system->x);
    system->torque = tdi_layout_place(l, nv, sizeof *system->torque);
    system->turn = tdi_layout_place(l, nv, sizeof *system->turn);
    system->outside = tdi_layout_place(l, (size_t)m->body_count, sizeof *system->outside);
    system->carried = tdi_layout_place(l, (size_t)m->body_count, sizeof *system->carried);
}

void tdi_ida_set(tdi_ida_system *system, td_real t, const td_real *y) {
    const tdi_tree_model *m = system->model;
    tdi_tree_state *s = system->state;
    size_t nv = (size_t)m->head.dof_count;
    memcpy(s->q, system->q_ref, (size_t)m->coord_count * sizeof *s->q);
    tdi_tree_advance(m, s, y, 1);
    memcpy(s->v, y + nv, nv * sizeof *s->v);
    tdi_tree_carry_base(s, &system->base, t - system->base_time);
}

// ---- residual -------------------------------------------------------------------------------

static bool has_drag(const tdi_ida_system *system) {
    return system->opts.air.linear > 0 || system->opts.air.quadratic > 0;
}

static bool has_loads(const tdi_ida_system *system) {
    return system->opts.load_count > 0 || has_drag(system);
}

// wrenches of the loads on each body, at the state's frames and twists
static void find_loads(tdi_ida_system *system) {
    const td_ida_opts *o = &system->opts;
    const tdi_loads loads = {o->loads, o->load_count, o->air, NULL, 0, 1, NULL};
    memset(system->outside, 0, (size_t)system->model->body_count * sizeof *system->outside);
    tdi_loads_wrench(system->model, system->state, &loads, system->outside);
}

// f -= S^T of the loads on a body and on all that it carries
static void subtract_loads(tdi_ida_system *system, td_real *f) {
    const tdi_tree_model *m = system->model;
    const tdi_tree_state *s = system->state;
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        int32_t p = m->parent[i];
        tdi_twist column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, s, i, column); d < count; d++) {
            f[m->dof[i] + d] -= tdi_power(&system->outside[i], &column[d]);
        }
        if (p != TD_NONE) {
            tdi_wrench_add(&system->outside[p], &system->outside[i],
                           tdi_sub(s->frame[i].o, s->frame[p].o));
        }
    }
}

void tdi_ida_start(tdi_ida_system *system, td_real *y, td_real *rate) {
    const tdi_tree_model *m = system->model;
    tdi_tree_state *s = system->state;
    size_t nv = (size_t)m->head.dof_count;
    memcpy(system->q_ref, s->q, (size_t)m->coord_count * sizeof *s->q);
    memset(y, 0, nv * sizeof *y);
    memcpy(y + nv, s->v, nv * sizeof *y);
    memcpy(rate, s->v, nv * sizeof *y);
    tdi_tree_place(m, s);
    tdi_tree_move(m, s);
    find_loads(system);
    tdi_tree_forward(m, s, system->opts.gravity, NULL, system->outside, rate + nv);
}

bool tdi_ida_residual(tdi_ida_system *system, td_real t, const td_real *y, const td_real *rate,
                      td_real *f) {
    tdi_tree_state *s = system->state;
    int32_t nv = system->model->head.dof_count;
    memcpy(system->x, y, (size_t)nv * sizeof *y);
    tdi_ida_set(system, t, y);
    map_turns(system->model, rate_of_turn, y, s->v, f);
    tdi_tree_joint_torque(s, system->torque);
    tdi_tree_inverse(s, system->opts.gravity, rate + nv, f + nv);
    if (has_loads(system)) {
        find_loads(system);
        subtract_loads(system, f + nv);
    }
    bool fine = true;
    for (int32_t d = 0; d < nv; d++) {
        f[d] = rate[d] - f[d];
        f[nv + d] -= system->torque[d];
        fine &= isfinite(f[d]) && isfinite(f[nv + d]);
    }
    return fine;
}

// ---- linear systems -------------------------------------------------------------------------

// Where points were a time h ago: drag in the expansion is that of (x - x*)/h.
static void look_back(tdi_ida_system *system, td_real h) {
    tdi_tree_state *s = system->state;
    for (int32_t i = 0; i < system->model->body_count; i++) {
        const tdi_frame *f = &s->frame[i];
        s->past[i].r = f->r;
        s->bdf.history[i].o = tdi_madd(f->o, s->twist[i].v, -h);
        for (int j = 0; j < 3; j++) {
            td_vec3 column = tdi_mat3_column(&f->r, j);
            column = tdi_madd(column, tdi_cross(s->twist[i].w, column), -h);
            s->bdf.history[i].r.m[j] = column.x;
            s->bdf.history[i].r.m[3 + j] = column.y;
            s->bdf.history[i].r.m[6 + j] = column.z;
        }
    }
}

// outside = -h M u, spread over the bodies; carried is their motion.
static void load_inertia(tdi_ida_system *system, const td_real *u, td_real h) {
    const tdi_tree_model *m = system->model;
    const tdi_tree_state *s = system->state;
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_twist still = {{0, 0, 0}, {0, 0, 0}};
        const tdi_twist up = m->parent[i] == TD_NONE ? still : system->carried[m->parent[i]];
        td_vec3 r = tdi_sub(s->frame[i].o, tdi_parent_frame(m, s, i)->o);
        tdi_twist move = {up.w, tdi_add(up.v, tdi_cross(up.w, r))}, column[6];
        for (int32_t d = 0, count = tdi_columns_of(m, s, i, column); d < count; d++) {
            move.w = tdi_madd(move.w, column[d].w, -h * u[m->dof[i] + d]);
            move.v = tdi_madd(move.v, column[d].v, -h * u[m->dof[i] + d]);
        }
        tdi_mass mass = tdi_mass_of(&m->body[i], &s->frame[i].r);
        system->carried[i] = move;
        system->outside[i] = tdi_mass_momentum(&mass, &move);
    }
}

// torque = -h^2 (b2 + D u); balls in world axes
static void load_joints(tdi_ida_system *system, const td_real *b2, const td_real *u, td_real h) {
    const tdi_tree_model *m = system->model;
    const tdi_tree_state *s = system->state;
    const td_real still[3] = {0, 0, 0};
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_body *body = &m->body[i];
        int32_t first = m->dof[i], count = m->dof[i + 1] - first;
        td_real *g = system->torque + first;
        if (m->kind[i] == TD_JOINT_BALL) {
            const td_real *q = s->q + m->coord[i], *near = s->angle + first;
            td_vec3 damp = tdi_sub(tdi_ball_moment(m->law, body, q, u + first, near),
                                   tdi_ball_moment(m->law, body, q, still, near));
            td_vec3 own = tdi_scale(tdi_sub(damp, read3(b2 + first)), h * h);
            write3(g, tdi_mat3_apply(&s->frame[i].r, own));
            continue;
        }
        for (int32_t d = 0; d < count; d++) {
            td_real damp = count == 1 ? body->damping.x * u[first] : 0;
            g[d] = -h * h * (b2[first + d] + damp);
        }
    }
}

typedef struct term_source {
    const tdi_ida_system *system;
    tdi_potential_at at; // springs, dampers and drag
    td_real h;
} term_source;

// Adds the body itself, and puts the right-hand side in place of the potential's gradient. `move`
// still holds the accelerations less gravity that inverse dynamics left there.
static void complete_term(const term_source *c, int32_t i, tdi_term *t) {
    const tdi_ida_system *system = c->system;
    const tdi_tree_model *m = system->model;
    const tdi_tree_state *s = system->state;
    const tdi_twist *accel = &s->node[i].move;
    const td_real h2 = c->h * c->h;
    tdi_mass mass = tdi_mass_of(&m->body[i], &s->frame[i].r);
    tdi_block block = tdi_mass_block(&mass);
    tdi_wrench force = tdi_mass_momentum(&mass, accel);
    tdi_wrench bias = tdi_mass_bias(&mass, s->twist[i].w);
    tdi_block_sum(&t->block, &block);
    t->pull = tdi_madd(t->pull, tdi_add(force.f, bias.f), h2);
    t->geometric =
        tdi_sym3_add(t->geometric, tdi_geometric_stiffness(mass.c, tdi_scale(accel->v, h2)));
    t->load = system->outside[i];
    for (int32_t d = m->dof[i]; d < m->dof[i + 1]; d++) {
        t->g[d - m->dof[i]] = system->torque[d];
    }
}

static void ball_terms(const void *context, int32_t first, int32_t count, tdi_term *t) {
    const term_source *c = context;
    tdi_potential_balls(&c->at, first, count, t);
    for (int32_t k = 0; k < count; k++) {
        complete_term(c, first + k, &t[k]);
    }
}

static void other_term(const void *context, int32_t i, tdi_term *t) {
    const term_source *c = context;
    tdi_potential_other(&c->at, i, t);
    complete_term(c, i, t);
}

// Of point loads only the Hessian and the force that makes geometric stiffness belong to the
// matrix.
static void expand_loads(tdi_tree_state *s, const tdi_loads *loads) {
    tdi_loads_expand(s, loads);
    for (int32_t k = 0; k < loads->count; k++) {
        s->node[loads->load[k].segment].load = (tdi_wrench){{0, 0, 0}, {0, 0, 0}};
    }
}

// Step of each joint after the sweeps, in its own axes.
static void read_steps(const tdi_tree_model *m, const tdi_tree_state *s, td_real *step) {
    const td_vec3 still = {0, 0, 0};
    for (int32_t i = 0; i < m->body_count; i++) {
        int32_t d = m->dof[i];
        if (m->kind[i] == TD_JOINT_BALL) {
            td_vec3 up = m->parent[i] == TD_NONE ? still : s->node[m->parent[i]].move.w;
            write3(step + d, tdi_mat3_apply_t(&s->frame[i].r, tdi_sub(s->node[i].move.w, up)));
        } else {
            size_t count = (size_t)(m->dof[i + 1] - d);
            memcpy(step + d, s->other[m->other_place[i]].step, count * sizeof *step);
        }
    }
}

void tdi_ida_solve(tdi_ida_system *system, td_real c, const td_real *b, td_real *z) {
    const tdi_tree_model *m = system->model;
    tdi_tree_state *s = system->state;
    const td_ida_opts *o = &system->opts;
    const int32_t nv = m->head.dof_count;
    const td_real h = 1 / c;
    td_real *u = system->turn, *step = system->torque;
    map_turns(m, turn_of_rate, system->x, b, u);
    if (has_drag(system)) {
        look_back(system, h);
    }
    load_inertia(system, u, h);
    load_joints(system, b + nv, u, h);
    const tdi_potential p = {
        .spring = h * h,
        .damp = h,
        .stiffness = 1,
        .loads = {o->loads, o->load_count, o->air, NULL, h, h * h, s->bdf.history},
        .angle_rest = s->angle};
    const term_source source = {system, {m, s, &p, true, NULL, false}, h};
    const tdi_terms terms = {
        .balls = ball_terms, .other = other_term, .context = &source, .positive = true};
    expand_loads(s, &p.loads);
    tdi_sweep_in(m, s, NULL, &terms);
    tdi_sweep_out(m, s, NULL, HUGE_VAL, false, false);
    read_steps(m, s, step);
    for (int32_t d = 0; d < nv; d++) {
        z[nv + d] = c * step[d] - u[d];
    }
    map_turns(m, rate_of_turn, system->x, step, z);
}
