// SPDX-License-Identifier: MIT
// A tree that takes the motion of another one, of which it has segments.
//
// Method   Segments keep their rotations and spins in the world; joints follow from them, with the
//          same bits where parent and rest are the same. A segment that is new is at rest against
//          its parent and moves with it as one rigid piece.
// Past     is of places in the world, and linear in them: what rides rigidly on a parent has the
//          image of its past. It is kept where all segments are where they were; where lengths have
//          changed it is forgotten, and the next step is one of backward Euler.

#include "tree/inherit.h"

#include "tree/joint.h"
#include "tree/trial.h"

#include <string.h>

#define SAME_PLACE 1e-10 // m: as far as rounding moves a tree of any depth

typedef struct carrier {
    const tdi_tree_model *m, *old;
    tdi_tree_state *to, *from;
    const tdi_segment_source *segment_map;
} carrier;

// The old body that a body's parent comes from, or that the base is: whether it is the old parent.
static bool same_parent(const carrier *c, int32_t i) {
    const int32_t p = c->m->parent[i], was = c->old->parent[c->segment_map[i].segment];
    return p == TD_NONE ? was == TD_NONE : c->segment_map[p].segment == was;
}

static bool same_joint(const carrier *c, int32_t i) {
    const int32_t j = c->segment_map[i].segment;
    const tdi_body *now = &c->m->body[i], *was = &c->old->body[j];
    return c->m->kind[i] == c->old->kind[j] && same_parent(c, i) && c->segment_map[i].from == 0 &&
           memcmp(&now->rest, &was->rest, sizeof now->rest) == 0;
}

// From the old joint to where the piece begins, in the axes of the segment.
static td_vec3 start_of(const carrier *c, int32_t i) {
    return tdi_scale(c->old->body[c->segment_map[i].segment].tip, c->segment_map[i].from);
}

// ---- joints ---------------------------------------------------------------------------------

static void copy_joint(const carrier *c, int32_t i) {
    const int32_t j = c->segment_map[i].segment, q = c->m->coord[i], v = c->m->dof[i];
    const size_t nq = (size_t)(c->m->coord[i + 1] - q) * sizeof(td_real),
                 nv = (size_t)(c->m->dof[i + 1] - v) * sizeof(td_real);
    const int32_t p = c->old->coord[j], d = c->old->dof[j];
    memcpy(c->to->q + q, c->from->q + p, nq);
    memcpy(c->to->last.q + q, c->from->last.q + p, nq);
    memcpy(c->to->v + v, c->from->v + d, nv);
    memcpy(c->to->angle + v, c->from->angle + d, nv);
    memcpy(c->to->bdf.angle + v, c->from->bdf.angle + d, nv);
}

// At rest, and standing still on its parent.
static void rest_joint(const carrier *c, int32_t i) {
    td_real *q = c->to->q + c->m->coord[i];
    const int32_t count = c->m->coord[i + 1] - c->m->coord[i];
    memset(q, 0, (size_t)count * sizeof *q);
    if (count >= 4) {
        q[count - 4] = 1;
    }
}

static void set_turn(td_real *q, td_quat turn) {
    q[0] = turn.w;
    q[1] = turn.x;
    q[2] = turn.y;
    q[3] = turn.z;
}

static void set_vector(td_real *v, td_vec3 x) {
    v[0] = x.x;
    v[1] = x.y;
    v[2] = x.z;
}

// What a ball or free joint is that has its body where it was: with the parent's frame R_p, o_p and
// twist w_p, v_p,
//   q = (R_p rest)^-1 R,  spin R^T (w - w_p),  shift R_p^T (o - o_p) - attach,
//   and its rate R_p^T (v - v_p - w_p x (o - o_p))
static void make_joint(const carrier *c, int32_t i) {
    tdi_tree_state *s = c->to;
    const tdi_body *body = &c->m->body[i];
    const tdi_frame *p = tdi_parent_frame(c->m, s, i), *f = &s->frame[i];
    const tdi_twist *up = c->m->parent[i] == TD_NONE ? &s->base_twist : &s->twist[c->m->parent[i]];
    const tdi_twist *own = &s->twist[i];
    const td_vec3 r = tdi_sub(f->o, p->o), spin = tdi_sub(own->w, up->w);
    td_real *q = s->q + c->m->coord[i], *v = s->v + c->m->dof[i];
    if (c->m->kind[i] == TD_JOINT_FREE) {
        const td_vec3 rate = tdi_sub(tdi_sub(own->v, up->v), tdi_cross(up->w, r));
        set_vector(q, tdi_sub(tdi_mat3_apply_t(&p->r, r), body->attach));
        set_vector(v, tdi_mat3_apply_t(&p->r, rate));
        q += 3;
        v += 3;
    }
    set_turn(
        q, tdi_quat_unit(tdi_quat_mul(tdi_quat_conj(tdi_quat_mul(p->turn, body->rest)), f->turn)));
    set_vector(v, tdi_mat3_apply_t(&f->r, spin));
}

// Where the last step began is a first guess alone; damping sees a joint that stood still.
static void make_joint_past(const carrier *c, int32_t i) {
    tdi_tree_state *s = c->to;
    const int32_t q = c->m->coord[i], d = c->m->dof[i];
    const size_t bytes = (size_t)(c->m->coord[i + 1] - q) * sizeof *s->q;
    memcpy(s->last.q + q, s->q + q, bytes);
    tdi_joint_advance((td_joint_kind)c->m->kind[i], s->last.q + q, s->v + d, -s->head.dt);
    if (c->m->kind[i] != TD_JOINT_BALL) {
        return;
    }
    tdi_body_angle(c->m, s, i, s->angle, s->angle);
    memcpy(s->bdf.angle + d, s->angle + d, 3 * sizeof *s->angle);
}

// ---- bodies ---------------------------------------------------------------------------------

// Where it was; or on its parent, where lengths have changed.
static void place(const carrier *c, int32_t i) {
    tdi_place_range(c->m, c->to, i, i + 1);
    if (c->segment_map[i].segment == TD_NONE) {
        return;
    }
    const tdi_frame *was = &c->from->frame[c->segment_map[i].segment];
    c->to->frame[i].turn = was->turn;
    c->to->frame[i].r = was->r;
    if (c->m->parent[i] == TD_NONE) {
        c->to->frame[i].o = tdi_add(was->o, tdi_mat3_apply(&was->r, start_of(c, i)));
    }
}

// w and v of a body that is where it was.
static void move(const carrier *c, int32_t i) {
    const tdi_frame *f = &c->to->frame[i];
    const int32_t p = c->m->parent[i], j = c->segment_map[i].segment;
    const tdi_twist *up = p == TD_NONE ? &c->to->base_twist : &c->to->twist[p];
    const td_vec3 r = tdi_sub(f->o, tdi_parent_frame(c->m, c->to, i)->o);
    tdi_twist t = {up->w, tdi_add(up->v, tdi_cross(up->w, r))};
    if (j != TD_NONE) {
        const tdi_twist *was = &c->from->twist[j];
        const td_vec3 lever = tdi_mat3_apply(&f->r, start_of(c, i));
        t.w = was->w;
        t.v = p == TD_NONE ? tdi_add(was->v, tdi_cross(was->w, lever)) : t.v;
    }
    c->to->twist[i] = t;
}

static void carry_body(const carrier *c, int32_t i) {
    const td_joint_kind kind = (td_joint_kind)c->m->kind[i];
    const bool is_new = c->segment_map[i].segment == TD_NONE;
    if (is_new) {
        rest_joint(c, i);
        memcpy(c->to->last.q + c->m->coord[i], c->to->q + c->m->coord[i],
               (size_t)(c->m->coord[i + 1] - c->m->coord[i]) * sizeof(td_real));
        place(c, i);
        move(c, i);
    } else if (same_joint(c, i)) {
        copy_joint(c, i);
        place(c, i);
        move(c, i);
    } else {
        rest_joint(c, i);
        place(c, i);
        move(c, i);
        if (kind == TD_JOINT_BALL || kind == TD_JOINT_FREE) {
            make_joint(c, i);
        }
        make_joint_past(c, i);
    }
}

// ---- past -----------------------------------------------------------------------------------

static bool stays(const carrier *c, int32_t i) {
    const int32_t j = c->segment_map[i].segment;
    if (j == TD_NONE) {
        return true;
    }
    const tdi_frame *was = &c->from->frame[j], *f = &c->to->frame[i];
    const td_vec3 o = tdi_add(was->o, tdi_mat3_apply(&was->r, start_of(c, i)));
    return tdi_norm(tdi_sub(f->o, o)) <= SAME_PLACE;
}

static tdi_affine ride(const tdi_affine *on, td_vec3 at, const tdi_mat3 *back) {
    return (tdi_affine){tdi_add(on->o, tdi_mat3_apply(&on->r, at)), tdi_mat3_mul_t(&on->r, back)};
}

// o + R at and R rest, of all that is linear in places.
static void ride_past(const carrier *c, int32_t i, int32_t on, const tdi_tree_state *of, td_vec3 at,
                      td_quat rest) {
    tdi_tree_state *s = c->to;
    const tdi_past *up = &of->past[on];
    const tdi_mat3 back = tdi_mat3_from_quat(tdi_quat_conj(rest));
    const td_quat turn = tdi_quat_mul(up->turn, rest);
    s->past[i] = (tdi_past){.o = tdi_add(up->o, tdi_mat3_apply(&up->r, at)),
                            .v = tdi_add(up->v, tdi_mat3_apply(&up->w, at)),
                            .r = tdi_mat3_from_quat(turn),
                            .w = tdi_mat3_mul_t(&up->w, &back),
                            .turn = turn};
    s->bdf.history[i] = ride(&of->bdf.history[on], at, &back);
    s->bdf.predictor[i] = ride(&of->bdf.predictor[on], at, &back);
}

static void carry_past(const carrier *c, int32_t i) {
    static const td_quat none = {1, 0, 0, 0};
    const int32_t j = c->segment_map[i].segment, p = c->m->parent[i];
    tdi_tree_state *s = c->to;
    if (j != TD_NONE && c->segment_map[i].from == 0) { // with the same bits
        s->past[i] = c->from->past[j];
        s->bdf.history[i] = c->from->bdf.history[j];
        s->bdf.predictor[i] = c->from->bdf.predictor[j];
    } else if (j != TD_NONE) {
        ride_past(c, i, j, c->from, start_of(c, i), none);
    } else if (p != TD_NONE) {
        ride_past(c, i, p, s, c->m->body[i].attach, c->m->body[i].rest);
    }
}

// A body that is new on the base has no past to ride on.
static bool keeps_past(const carrier *c) {
    bool keeps = c->from->head.known > 0;
    for (int32_t i = 0; i < c->m->body_count && keeps; i++) {
        keeps = stays(c, i) && (c->segment_map[i].segment != TD_NONE || c->m->parent[i] != TD_NONE);
    }
    return keeps;
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_tree_inherit(void *state, void *old, const tdi_segment_source *segment_map) {
    tdi_tree_state *to = state, *from = old;
    const carrier c = {to->model, from->model, to, from, segment_map};
    const int32_t stale = from->stale;
    tdi_tree_fresh(from);
    tdi_tree_move(c.old, from);
    to->head.time = from->head.time;
    to->head.dt = from->head.dt;
    to->head.moved = 1; // it is not as drawn
    to->head.air = from->head.air;
    to->stale = false;
    to->last.weight = 0;
    memset(to->angle, 0, (size_t)c.m->head.dof_count * sizeof *to->angle);
    memset(to->bdf.angle, 0, (size_t)c.m->head.dof_count * sizeof *to->bdf.angle);
    for (int32_t i = 0; i < c.m->body_count; i++) {
        carry_body(&c, i);
    }
    to->head.known = keeps_past(&c) ? from->head.known : 0;
    to->last.base = tdi_tree_was_left(from, &from->head.base) ? to->base : from->last.base;
    for (int32_t i = 0; i < c.m->body_count && to->head.known > 0; i++) {
        carry_past(&c, i);
    }
    tdi_tree_place_left(to, to->head.known);
    from->stale = stale; // it may live on
}

enum { TURN = 0, STIFF = 4, DAMP = 7, COUNT = 10 };

int32_t tdi_tree_springs(void *model, int32_t i, bool set, td_real *numbers) {
    tdi_tree_model *m = model;
    tdi_body *b = &m->body[i];
    td_real own[COUNT] = {b->rest.w,      b->rest.x,      b->rest.y,      b->rest.z,
                          b->stiffness.x, b->stiffness.y, b->stiffness.z, b->damping.x,
                          b->damping.y,   b->damping.z};
    if (!set) {
        memcpy(numbers, own, sizeof own);
    } else if (m->kind[i] != TD_JOINT_FREE) {
        b->rest = (td_quat){numbers[TURN], numbers[1], numbers[2], numbers[3]};
        b->stiffness = tdi_vec3(numbers[STIFF], numbers[STIFF + 1], numbers[STIFF + 2]);
        b->damping = tdi_vec3(numbers[DAMP], numbers[DAMP + 1], numbers[DAMP + 2]);
    }
    return COUNT;
}
