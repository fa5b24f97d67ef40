// SPDX-License-Identifier: MIT
// The lowest vibration modes of rods about a pose: K x = lambda M x by subspace iteration.
//
// Method   K and M are the Hessians of a step's potential, without inertia and with nothing else,
//          kept as blocks of the nodes; K + shift M is eliminated as a step's own. O(vertices) an
//          iteration for a given count.
// Vectors  a number a degree of freedom, node after node: the place of its vertex, the turn of its
//          edge. What is held has none.
// Memory   one block from the state's allocator, freed before the end.

#include "base/guard.h"
#include "base/range.h"
#include "implicit/modal.h"
#include "math/angle.h"
#include "math/subspace.h"
#include "rod/implicit.h"
#include "rod/rest_frame.h"
#include "rod/element.h"
#include "rod/points.h"
#include "rod/pose.h"
#include "rod/solve.h"
#include "rod/terms.h"

#include <math.h>
#include <string.h>

// A Hessian as it was before elimination.
typedef struct blocks {
    tdi_rod_work *work;
    td_real (*border)[4][8];
} blocks;

typedef struct tangent {
    tdi_rod_state *state;
    blocks stiffness, inertia;
    td_real (*x)[4], (*y)[4]; // a row a node
    td_vec3 *turn;            // of a node's edge
} tangent;

// ---- vectors --------------------------------------------------------------------------------

static inline bool is_free(const tdi_rod_node *n, int k) {
    return !(n->flags & (k < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN));
}

static void to_nodes(const tdi_rod_model *m, const td_real *x, td_real (*out)[4]) {
    for (int32_t i = 0; i < m->node_count; i++) {
        for (int k = 0; k < 4; k++) {
            out[i][k] = is_free(&m->node[i], k) ? *x++ : 0;
        }
    }
}

static void from_nodes(const tdi_rod_model *m, td_real (*in)[4], td_real *x) {
    for (int32_t i = 0; i < m->node_count; i++) {
        for (int k = 0; k < 4; k++) {
            if (is_free(&m->node[i], k)) {
                *x++ = in[i][k];
            }
        }
    }
}

// ---- K and M --------------------------------------------------------------------------------

static void expand(tdi_rod_state *s, const tdi_rod_potential *p, const tdi_dead_load *loads,
                   int32_t count, const blocks *to) {
    const tdi_rod_model *m = s->model;
    tdi_rod_clear(s);
    for (int32_t i = 0; i < m->node_count; i++) {
        tdi_rod_node_terms(s, p, i);
    }
    for (int32_t k = 0; k < count; k++) {
        tdi_rod_add_stiffness(s, &(tdi_side_terms){.point = &loads[k].point,
                                                   .gradient = loads[k].gradient,
                                                   .geometric = TDI_GEOMETRIC_ALL});
    }
    memcpy(to->work, s->work, (size_t)m->node_count * sizeof *s->work);
    memcpy(to->border, s->border, (size_t)m->ring_nodes * sizeof *s->border);
}

static void multiply(const tangent *t, const blocks *h, const td_real *x, td_real *y) {
    const tdi_rod_model *m = t->state->model;
    to_nodes(m, x, t->x);
    tdi_rod_multiply(m, h->work, (const td_real(*)[4][8])h->border, (const td_real(*)[4])t->x,
                     t->y);
    from_nodes(m, t->y, y);
}

static void stiffness(void *context, const td_real *x, td_real *y) {
    const tangent *t = context;
    multiply(t, &t->stiffness, x, y);
}

static void inertia(void *context, const td_real *x, td_real *y) {
    const tangent *t = context;
    multiply(t, &t->inertia, x, y);
}

static void diagonal(void *context, td_real *y) {
    const tangent *t = context;
    const tdi_rod_model *m = t->state->model;
    for (int32_t i = 0; i < m->node_count; i++) {
        for (int k = 0; k < 4; k++) {
            t->y[i][k] = t->inertia.work[i].d[k][k];
        }
    }
    from_nodes(m, t->y, y);
}

static void add_scaled(td_real *to, const td_real *a, const td_real *b, td_real s, size_t count) {
    for (size_t k = 0; k < count; k++) {
        to[k] = a[k] + s * b[k];
    }
}

static bool factor(void *context, td_real shift) {
    const tangent *t = context;
    const tdi_rod_state *s = t->state;
    const tdi_rod_model *m = s->model;
    const size_t one = sizeof s->work->d / sizeof(td_real);
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_work *k = &t->stiffness.work[i], *in = &t->inertia.work[i];
        add_scaled(s->work[i].d[0], k->d[0], in->d[0], shift, one);
        add_scaled(s->work[i].p[0], k->p[0], in->p[0], shift, one);
        add_scaled(s->work[i].g[0], k->g[0], in->g[0], shift, one);
        memset(s->work[i].r, 0, sizeof s->work[i].r);
    }
    for (int32_t i = 0; i < m->ring_nodes; i++) {
        add_scaled(s->border[i][0], t->stiffness.border[i][0], t->inertia.border[i][0], shift,
                   2 * one);
    }
    for (int32_t k = m->part_count - 1; k >= 0; k--) {
        if (m->part[k].ring && !tdi_rod_eliminate_ring(s, k)) {
            return false;
        }
        for (int32_t i = m->part[k].last - 1; !m->part[k].ring && i >= m->part[k].first; i--) {
            if (!tdi_rod_eliminate(s, i)) {
                return false;
            }
        }
    }
    return true;
}

// H x = -r: the right side goes in with its sign turned.
static void respond(void *context, td_real *x) {
    const tangent *t = context;
    const tdi_rod_state *s = t->state;
    const tdi_rod_model *m = s->model;
    to_nodes(m, x, t->x);
    for (int32_t i = 0; i < m->node_count; i++) {
        for (int k = 0; k < 4; k++) {
            s->work[i].r[k] = -t->x[i][k];
        }
    }
    tdi_rod_solve(s);
    for (int32_t i = 0; i < m->node_count; i++) {
        memcpy(t->y[i], s->step[i].x, sizeof t->y[i]);
    }
    from_nodes(m, t->y, x);
}

// ---- what is reported -----------------------------------------------------------------------

// How a node's edge moves: do, df, w = t x df/|f| + t dturn. Parents come first where it counts:
// rings have no levers.
typedef struct move {
    td_vec3 start, edge, turn;
} move;

static inline td_vec3 place_of(const tangent *t, int32_t i) {
    return tdi_vec3(t->x[i][0], t->x[i][1], t->x[i][2]);
}

static move move_of(const tangent *t, int32_t i) {
    const tdi_rod_state *s = t->state;
    const tdi_rod_node *n = &s->model->node[i];
    const tdi_edge *edge = &s->pose[i].edge;
    move out = {.start = place_of(t, n->parent)};
    if (n->flags & TDI_OFFSET) {
        td_vec3 lever = tdi_rod_lever(s->model, s->pose, i);
        out.start = tdi_add(out.start, tdi_cross(t->turn[n->parent], lever));
    }
    out.edge = tdi_sub(place_of(t, i), out.start);
    out.turn =
        tdi_madd(tdi_scale(tdi_cross(edge->t, out.edge), 1 / edge->length), edge->t, t->x[i][3]);
    return out;
}

// v^T H v of a joint that has only a part of its law
static td_real joint_form(const tdi_rod_state *s, int32_t i, const tdi_joint_law *law,
                          const td_real v[TDI_JOINT_VARIABLES]) {
    tdi_joint_term term;
    td_real sum = 0;
    tdi_rod_joint_derive(s, i, law, false, &term);
    for (int k = 0; k < TDI_JOINT_VARIABLES; k++) {
        sum += term.hessian[k][k] * v[k] * v[k];
        for (int l = k + 1; l < TDI_JOINT_VARIABLES; l++) {
            sum += 2 * term.hessian[k][l] * v[k] * v[l];
        }
    }
    return sum;
}

static void add_form(const tangent *t, int32_t i, const move *moved, tdi_modal_form *f) {
    const tdi_rod_state *s = t->state;
    const tdi_rod_node *n = &s->model->node[i];
    td_real along = tdi_dot(s->pose[i].edge.t, moved->edge), all = n->stretch * along * along;
    if (tdi_has_joint(n)) {
        const move before = move_of(t, n->parent);
        const td_real v[TDI_JOINT_VARIABLES] = {before.edge.x,      before.edge.y, before.edge.z,
                                                t->x[n->parent][3], moved->edge.x, moved->edge.y,
                                                moved->edge.z,      t->x[i][3]};
        tdi_joint_law bending = n->law, twisting = {.twist = n->law.twist};
        bending.twist = 0;
        td_real twist = joint_form(s, i, &twisting, v);
        all += twist + joint_form(s, i, &bending, v);
        f->twist += twist;
    }
    f->stiffness += all;
    f->damping += n->damping_time * all;
}

// A row an edge: how its start and its end move, and its turn.
static void write_shape(const tangent *t, td_real *shape) {
    const tdi_rod_model *m = t->state->model;
    for (int32_t i = 0; i < m->node_count; i++) {
        if (tdi_has_edge(&m->node[i]) && m->node[i].edge != TD_NONE) {
            const td_vec3 start = move_of(t, i).start, end = place_of(t, i);
            const td_real row[7] = {start.x, start.y, start.z, end.x, end.y, end.z, t->x[i][3]};
            memcpy(shape + 7 * (ptrdiff_t)m->node[i].edge, row, sizeof row);
        }
    }
}

// Notes the turns of edges too.
static tdi_modal_form measure(void *context, const td_real *x, int32_t mode, td_real *shapes) {
    const tangent *t = context;
    const tdi_rod_model *m = t->state->model;
    tdi_modal_form f = {0, 0, 0};
    to_nodes(m, x, t->x);
    for (int32_t i = 0; i < m->node_count; i++) {
        if (tdi_has_edge(&m->node[i])) {
            const move moved = move_of(t, i);
            t->turn[i] = moved.turn;
            add_form(t, i, &moved, &f);
        }
    }
    if (shapes) {
        write_shape(t, shapes + 7 * (ptrdiff_t)m->edge_count * mode);
    }
    return f;
}

// ---- entry ----------------------------------------------------------------------------------

static void lay_out(tangent *t, tdi_layout *l) {
    const tdi_rod_model *m = t->state->model;
    const size_t n = (size_t)m->node_count, ring = (size_t)m->ring_nodes;
    blocks *const both[2] = {&t->stiffness, &t->inertia};
    for (int k = 0; k < 2; k++) {
        both[k]->work = tdi_layout_place(l, n, sizeof *both[k]->work);
        both[k]->border = tdi_layout_place(l, ring, sizeof *both[k]->border);
    }
    t->x = tdi_layout_place(l, n, sizeof *t->x);
    t->y = tdi_layout_place(l, n, sizeof *t->y);
    t->turn = tdi_layout_place(l, n, sizeof *t->turn);
}

static int32_t open_tangent(void *context, void *body, tdi_layout *l) {
    tdi_rod_state *s = body;
    *(tangent *)context = (tangent){.state = s};
    lay_out(context, l);
    return s->model->head.dof_count;
}

static void gather(const tangent *t, td_real *y) {
    const tdi_rod_state *s = t->state;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        memcpy(t->y[i], s->work[i].r, sizeof t->y[i]);
    }
    from_nodes(s->model, t->y, y);
}

static void expand_all(void *context, td_vec3 gravity, const tdi_dead_load *loads, int32_t count,
                       td_real *gradient) {
    const tangent *t = context;
    const tdi_rod_potential statics = {.stiffness = 1, .gravity = gravity, .whole = true};
    const tdi_rod_potential masses = {.inertia = 1};
    tdi_rod_follow(t->state);
    expand(t->state, &masses, NULL, 0, &t->inertia);
    expand(t->state, &statics, loads, count, &t->stiffness);
    if (gradient) {
        gather(t, gradient);
    }
}

// Forces are kept as minus a gradient.
static void forces(void *context, tdi_points points, const td_vec3 *at, td_real *y) {
    const tangent *t = context;
    t->state->head.coupling.pushed = false;
    tdi_rod_apply_forces(t->state, points, at);
    gather(context, y);
    for (int32_t d = 0; d < t->state->model->head.dof_count; d++) {
        y[d] = -y[d];
    }
}

const tdi_modal tdi_rod_modal = {.bytes = sizeof(tangent),
                                 .open = open_tangent,
                                 .expand = expand_all,
                                 .stiffness = stiffness,
                                 .inertia = inertia,
                                 .diagonal = diagonal,
                                 .factor = factor,
                                 .respond = respond,
                                 .forces = forces,
                                 .measure = measure};

td_status td_rod_modes(td_body *body, td_vec3 gravity, int32_t count, td_mode *modes,
                       td_real *shapes, td_diag *diag) {
    TDI_REFUSE_IF(!tdi_as_rod(body) || !modes);
    return tdi_modes_alone(body, gravity, count, modes, shapes, diag);
}
