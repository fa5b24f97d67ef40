// SPDX-License-Identifier: MIT
// Material points of a tree, and what acts on them.
//
// Position  x = o + R X of a body, with the lever p = R X. It moves by v + w x p. A force f at it
//           is the load (n, f) = (p x f, f), as those of load.c. Nodes, the ends of capsules, are
//           such points.
// Joint     A hinge or slide has its own coordinate. A ball joint turns by W = w_i - w_p in the
//           world. With Q the axes of the joint at rest on its parent that is Q^T W there. So in
//           the world a gradient g becomes Q g and a Hessian H becomes Q H Q^T. They join the
//           moment and the stiffness of the joint's own spring (sweep.c).
// Rotation  of a capsule since x* of the rule: it counts whole turns. It changes by J^-1 w
//           (math/turn.h) of the turn a since the step began.
// Contact   With gradient f and Hessian H at the place of contact, p from the joint,
//             (n, f) += (p x f, f),  geometric stiffness sym(p f^T) - (p.f) I,
//           and with the turn w and the shift v of the place
//             1/2 v^T H v + 1/2 sum of k_ab l_a l_b,
//             l_0 = (d x n).w + slide_0.v,  l_1 = slide_1.v,
//           d from one node to the other, n the normal. The sum is the term of the contact point
//           that moves along the capsule. Friction on the surface adds a moment.

#include "tree/points.h"

#include "base/fetch.h"
#include "math/turn.h"
#include "tree/implicit.h"
#include "tree/joint.h"

#include <string.h>

#define AHEAD 8 // points: the memory of their bodies is fetched before it is their turn

// ---- positions ------------------------------------------------------------------------------

// The body of a point, and where the point is on it.
static int32_t body_of(const tdi_tree_state *s, const tdi_point *point) {
    switch (point->kind) {
    case TDI_POINT_NODE: return s->model->capsule_body[point->segment / 2];
    case TDI_POINT_ROTATION:
    case TDI_POINT_SURFACE: return s->model->capsule_body[point->segment];
    default: return tdi_seat_body(s, point->segment);
    }
}

static td_vec3 own_point(const tdi_tree_state *s, const tdi_point *point) {
    return point->kind == TDI_POINT_NODE
               ? s->model->point[point->segment]
               : tdi_seat_point(s, point->segment, tdi_add(point->local, point->arm));
}

td_vec3 tdi_tree_lever(const tdi_tree_state *s, const tdi_point *point) {
    return tdi_mat3_apply(&s->frame[body_of(s, point)].r, own_point(s, point));
}

static td_vec3 velocity_of(const tdi_past *past, td_vec3 point) {
    return tdi_add(past->v, tdi_mat3_apply(&past->w, point));
}

static td_vec3 moved(const tdi_twist *by, td_vec3 lever) {
    return tdi_add(by->v, tdi_cross(by->w, lever));
}

static const tdi_twist *move_of(const tdi_tree_state *s, int32_t i, bool response) {
    return response ? &s->twist[i] : &s->node[i].move;
}

// ---- joints ---------------------------------------------------------------------------------

tdi_mat3 tdi_tree_joint_axes(const tdi_tree_state *s, int32_t i) {
    const td_quat up = tdi_parent_frame(s->model, s, i)->turn;
    return tdi_mat3_from_quat(tdi_quat_mul(up, s->model->body[i].rest));
}

static td_vec3 joint_position(const tdi_tree_state *s, int32_t i, bool history) {
    const tdi_tree_model *m = s->model;
    const int32_t d = m->dof[i];
    const td_real *q = s->q + m->coord[i], *near = s->now->potential.angle_near;
    if (m->kind[i] != TD_JOINT_BALL) {
        return tdi_vec3(history ? s->bdf.angle[d] : q[0], 0, 0);
    }
    return history ? tdi_vec3(s->bdf.angle[d], s->bdf.angle[d + 1], s->bdf.angle[d + 2])
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
static void apply_to_joint(tdi_tree_state *s, int32_t i, td_vec3 force) {
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

// ---- rotations ------------------------------------------------------------------------------

// From where the step began: R_n, which BDF2 has in x* together with the rotation before, as
// (4 R_n - R_(n-1))/3. Rotation vectors from R_n on are then a, and -a_last one step earlier.
static td_vec3 turn_from_start(const tdi_tree_state *s, int32_t i) {
    return tdi_turn_between(s->past[i].turn, s->frame[i].turn);
}

static td_vec3 rotation_of(const tdi_tree_state *s, int32_t i) {
    const td_vec3 a = turn_from_start(s, i);
    if (!s->head.rule.two) {
        return a;
    }
    const td_real again = tdi_again(&s->head.rule), back = 1 / again;
    tdi_mat3 last;
    for (int k = 0; k < 9; k++) {
        last.m[k] = (1 + back) * s->past[i].r.m[k] - back * s->bdf.history[i].r.m[k];
    }
    const td_quat before = tdi_quat_from_axes(tdi_mat3_column(&last, 0), tdi_mat3_column(&last, 1),
                                              tdi_mat3_column(&last, 2));
    return tdi_madd(a, tdi_turn_between(before, s->past[i].turn), -again);
}

static td_vec3 rotation_change(const tdi_tree_state *s, int32_t i, bool response) {
    const tdi_turn turn = tdi_turn_of(turn_from_start(s, i));
    return tdi_turn_change(&turn, move_of(s, i, response)->w);
}

static td_vec3 spin_of(const tdi_tree_state *s, int32_t i) {
    const tdi_past *past = &s->past[i];
    const tdi_mat3 rate = tdi_mat3_mul_t(&past->w, &past->r);
    return tdi_scale(tdi_mat3_axial(&rate), 0.5);
}

// Columns: moments of what acts along each axis, a torque on the rotation or a force at an arm.
static tdi_mat3 moments_of(const tdi_turn *turn, const td_vec3 *arm) {
    tdi_mat3 k;
    for (int j = 0; j < 3; j++) {
        const td_vec3 axis = {j == 0, j == 1, j == 2},
                      n = tdi_turn_moment(turn, arm ? tdi_cross(axis, *arm) : axis);
        k.m[j] = n.x;
        k.m[3 + j] = n.y;
        k.m[6 + j] = n.z;
    }
    return k;
}

static void add_rotation(tdi_tree_state *s, int32_t i, td_vec3 g, const td_sym3 *h, bool levers) {
    const tdi_turn turn = tdi_turn_of(turn_from_start(s, i));
    const tdi_mat3 k = moments_of(&turn, NULL);
    const td_vec3 n = tdi_mat3_apply(&k, g);
    tdi_node *node = tdi_node_open(s, i);
    node->block.a = tdi_sym3_add(node->block.a, tdi_sym3_turn(&k, h));
    node->load.n = tdi_add(node->load.n, n);
    if (levers) {
        node->geometric = tdi_sym3_add(node->geometric, tdi_turn_bend(&turn, g));
        node->spin = tdi_add(node->spin, n);
    }
}

// ---- contact --------------------------------------------------------------------------------

static tdi_mat3 outer(td_vec3 a, td_vec3 b) {
    return (tdi_mat3){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                       a.z * b.y, a.z * b.z}};
}

// The Hessian about the place of contact; d leads from one end of the capsule to the other.
//   A = k_00 m m^T,  B = m (k_00 s_0 + k_01 s_1)^T,  m = d x n,
//   C = H + sum of k_ab s_a s_b^T, with half of the squares of s_0 + s_1 and s_0 - s_1 for the
//   mixed ones
static void add_tilt(const tdi_tilt *t, td_vec3 d, tdi_block *at) {
    const td_vec3 m = tdi_cross(d, t->normal), *s = t->slide;
    const td_real *k = t->weight;
    at->a = tdi_sym3_square(m, k[0]);
    at->b = outer(m, tdi_madd(tdi_scale(s[0], k[0]), s[1], k[1]));
    at->c = tdi_sym3_add(at->c, tdi_sym3_square(s[0], k[0]));
    at->c = tdi_sym3_add(at->c, tdi_sym3_square(s[1], k[2]));
    at->c = tdi_sym3_add(at->c, tdi_sym3_square(tdi_add(s[0], s[1]), 0.5 * k[1]));
    at->c = tdi_sym3_add(at->c, tdi_sym3_square(tdi_sub(s[0], s[1]), -0.5 * k[1]));
}

// The moment that friction on the surface adds about the place on the axis, and its Hessian: the
// surface slips by J^-1 w x arm more. Gives the gradient by the rotation.
static td_vec3 add_arm(const tdi_side_terms *t, const tdi_turn *turn, tdi_block *at, td_vec3 *n) {
    const td_vec3 back = tdi_scale(t->point->arm, -1);
    const tdi_mat3 k = moments_of(turn, &back);
    const td_sym3 *h = &t->hessian;
    const td_real entry[3][3] = {
        {h->xx, h->xy, h->xz}, {h->xy, h->yy, h->yz}, {h->xz, h->yz, h->zz}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            at->b.m[3 * i + j] += k.m[3 * i] * entry[0][j] + k.m[3 * i + 1] * entry[1][j] +
                                  k.m[3 * i + 2] * entry[2][j];
        }
    }
    at->a = tdi_sym3_add(at->a, tdi_sym3_turn(&k, h));
    *n = tdi_add(*n, tdi_mat3_apply(&k, t->gradient));
    return tdi_cross(t->gradient, back);
}

static tdi_block scaled(tdi_block b, td_real k) {
    b.a = tdi_sym3_scale(b.a, k);
    b.c = tdi_sym3_scale(b.c, k);
    for (int i = 0; i < 9; i++) {
        b.b.m[i] *= k;
    }
    return b;
}

static td_vec3 node_lever(const tdi_tree_state *s, int32_t node) {
    const tdi_tree_model *m = s->model;
    return tdi_mat3_apply(&s->frame[m->capsule_body[node / 2]].r, m->point[node]);
}

static void add_surface(tdi_tree_state *s, int32_t i, const tdi_side_terms *t) {
    const td_real weight = s->now->weight;
    tdi_node *node = tdi_node_open(s, i);
    const int32_t capsule = t->point->segment;
    const td_vec3 first = node_lever(s, 2 * capsule),
                  d = tdi_sub(node_lever(s, 2 * capsule + 1), first),
                  p = tdi_madd(first, d, t->point->local.x);
    tdi_block at = {.c = t->hessian};
    td_vec3 f = t->gradient, n = tdi_cross(p, f);
    if (t->tilt) {
        add_tilt(t->tilt, d, &at);
    } else if (tdi_has_arm(t->point)) {
        const tdi_turn turn = tdi_turn_of(turn_from_start(s, i));
        const td_vec3 moment = tdi_scale(add_arm(t, &turn, &at, &n), weight);
        if (t->geometric != TDI_GEOMETRIC_NONE) {
            node->geometric = tdi_sym3_add(node->geometric, tdi_turn_bend(&turn, moment));
        }
    }
    at = scaled(at, weight);
    tdi_block_add(&node->block, &at, p);
    f = tdi_scale(f, weight);
    n = tdi_scale(n, weight);
    node->load = (tdi_wrench){tdi_add(node->load.n, n), tdi_add(node->load.f, f)};
    if (t->geometric != TDI_GEOMETRIC_NONE) {
        node->geometric = tdi_sym3_add(node->geometric, tdi_geometric_stiffness(p, f));
        node->pull = tdi_add(node->pull, f);
        node->spin = tdi_add(node->spin, n);
    }
}

// ---- points of all kinds --------------------------------------------------------------------

// Nodes [first, first + count).
static void node_positions(const tdi_tree_state *s, int32_t first, int32_t count, bool history,
                           td_vec3 *x) {
    const tdi_tree_model *m = s->model;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = m->capsule_body[(first + k) / 2];
        const tdi_mat3 *r = history ? &s->bdf.history[i].r : &s->frame[i].r;
        x[k] = tdi_add(history ? s->bdf.history[i].o : s->frame[i].o,
                       tdi_mat3_apply(r, m->point[first + k]));
    }
}

static td_vec3 position_of(const tdi_tree_state *s, const tdi_point *point, bool history) {
    const int32_t i = body_of(s, point);
    if (point->kind == TDI_POINT_JOINT) {
        return joint_position(s, i, history);
    }
    if (point->kind == TDI_POINT_ROTATION) {
        return history ? tdi_vec3(0, 0, 0) : rotation_of(s, i);
    }
    const tdi_mat3 *r = history ? &s->bdf.history[i].r : &s->frame[i].r;
    return tdi_add(history ? s->bdf.history[i].o : s->frame[i].o,
                   tdi_mat3_apply(r, own_point(s, point)));
}

static void positions(const tdi_tree_state *s, tdi_points points, bool history, td_vec3 *x) {
    if (tdi_are_nodes(&points)) {
        node_positions(s, points.first, points.count, history, x);
        return;
    }
    for (int32_t k = 0; k < points.count; k++) {
        if (!history && points.list && k + AHEAD < points.count) {
            tdi_fetch(&s->frame[body_of(s, &points.list[k + AHEAD])], sizeof *s->frame);
        }
        const tdi_point point = tdi_point_at(&points, k);
        x[k] = position_of(s, &point, history);
    }
}

static void velocities(const tdi_tree_state *s, tdi_points points, td_vec3 *v) {
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = tdi_point_at(&points, k);
        const int32_t i = body_of(s, &point);
        v[k] = point.kind == TDI_POINT_ROTATION ? spin_of(s, i)
                                                : velocity_of(&s->past[i], own_point(s, &point));
    }
}

static td_vec3 motion_of(const tdi_tree_state *s, const tdi_point *point, bool response) {
    const int32_t i = body_of(s, point);
    return point->kind == TDI_POINT_JOINT ? joint_move(s, i, response)
           : point->kind == TDI_POINT_ROTATION
               ? rotation_change(s, i, response)
               : moved(move_of(s, i, response), tdi_tree_lever(s, point));
}

static void motions(const tdi_tree_state *s, tdi_points points, bool response, td_vec3 *dx) {
    const int32_t *owner = s->model->capsule_body;
    for (int32_t k = 0, n = points.first; tdi_are_nodes(&points) && k < points.count; k++, n++) {
        dx[k] = moved(move_of(s, owner[n / 2], response), node_lever(s, n));
    }
    for (int32_t k = 0; !tdi_are_nodes(&points) && k < points.count; k++) {
        const tdi_point point = tdi_point_at(&points, k);
        dx[k] = motion_of(s, &point, response);
    }
}

void tdi_tree_read(void *body, tdi_points points, tdi_reading what, td_vec3 *x) {
    switch (what) {
    case TDI_NOW:
    case TDI_HISTORY: positions(body, points, what == TDI_HISTORY, x); break;
    case TDI_VELOCITY: velocities(body, points, x); break;
    default: motions(body, points, what == TDI_RESPONSE, x);
    }
}

void tdi_tree_add_stiffness(void *body, const tdi_side_terms *side) {
    tdi_tree_state *s = body; // the sweep takes the positive part of geometric stiffness by itself
    const int32_t i = body_of(s, side->point);
    if (side->point->kind == TDI_POINT_SURFACE) {
        add_surface(s, i, side);
        return;
    }
    const td_vec3 g = tdi_scale(side->gradient, s->now->weight);
    const td_sym3 h = tdi_sym3_scale(side->hessian, s->now->weight);
    const bool any = side->geometric != TDI_GEOMETRIC_NONE;
    switch (side->point->kind) {
    case TDI_POINT_JOINT: add_joint(s, i, g, &h, !any); break;
    case TDI_POINT_ROTATION: add_rotation(s, i, g, &h, any); break;
    default: tdi_tree_add_point(s, i, tdi_tree_lever(s, side->point), g, &h, any);
    }
}

// ---- responses ------------------------------------------------------------------------------

static void clear_forces(tdi_tree_state *s) {
    const tdi_tree_model *m = s->model;
    for (int32_t k = 0; k < tdi_asked_count(s); k++) {
        const int32_t i = tdi_asked(s, k);
        memset(&s->twist[i], 0, sizeof s->twist[i]);
        if (m->kind[i] != TD_JOINT_BALL) {
            memset(s->other[m->other_place[i]].respond, 0, sizeof s->other[0].respond);
        }
    }
}

static void apply_force(tdi_tree_state *s, const tdi_point *point, td_vec3 force) {
    const int32_t i = body_of(s, point);
    tdi_twist *sum = &s->twist[i];
    if (point->kind == TDI_POINT_JOINT) {
        apply_to_joint(s, i, force);
    } else if (point->kind == TDI_POINT_ROTATION) {
        const tdi_turn turn = tdi_turn_of(turn_from_start(s, i));
        sum->w = tdi_madd(sum->w, tdi_turn_moment(&turn, force), -s->now->weight);
    } else {
        const td_vec3 f = tdi_scale(force, -s->now->weight);
        sum->w = tdi_add(sum->w, tdi_cross(tdi_tree_lever(s, point), f));
        sum->v = tdi_add(sum->v, f);
    }
}

void tdi_tree_apply_forces(void *body, tdi_points points, const td_vec3 *forces) {
    tdi_tree_state *s = body;
    if (!s->head.coupling.pushed) {
        clear_forces(s);
    }
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = tdi_point_at(&points, k);
        apply_force(s, &point, forces[k]);
    }
}

// The bodies of the points and all that carry them: what a force there does to others is not asked
// for. Marks are in `summed`, which nobody uses between sweeps.
void tdi_tree_confine(void *body, tdi_points points) {
    tdi_tree_state *s = body;
    const tdi_tree_model *m = s->model;
    s->asked.count = 0;
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = tdi_point_at(&points, k);
        for (int32_t i = body_of(s, &point); i != TD_NONE && !s->summed[i]; i = m->parent[i]) {
            s->summed[i] = 1;
        }
    }
    for (int32_t i = 0; points.count > 0 && i < m->body_count; i++) {
        if (s->summed[i]) {
            s->asked.body[s->asked.count++] = i;
            s->summed[i] = 0;
        }
    }
}

void tdi_tree_respond(void *body) {
    tdi_tree_state *s = body;
    tdi_sweep_respond(s->model, s);
}

void tdi_tree_add_response(void *body) {
    tdi_tree_state *s = body;
    for (int32_t i = 0; i < s->model->body_count; i++) {
        tdi_twist *move = &s->node[i].move;
        move->w = tdi_add(move->w, s->twist[i].w);
        move->v = tdi_add(move->v, s->twist[i].v);
    }
    for (int32_t k = 0; k < s->model->other_count; k++) {
        for (int d = 0; d < 6; d++) {
            s->other[k].step[d] += s->other[k].respond[d];
        }
    }
}

// ---- inertia --------------------------------------------------------------------------------

td_real tdi_tree_mass(const tdi_tree_model *m) {
    td_real sum = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        sum += m->body[i].mass;
    }
    return sum;
}

static td_vec3 joint_inertia(const tdi_tree_model *m, int32_t i) {
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

tdi_joint tdi_tree_joint(const void *body, int32_t segment) {
    const tdi_tree_model *m = ((const tdi_tree_state *)body)->model;
    const int32_t i = tdi_seat_body(body, segment);
    return (tdi_joint){(td_joint_kind)m->kind[i], m->dof[i] < m->dof[i + 1] ? m->dof[i] : TD_NONE,
                       joint_inertia(m, i)};
}
