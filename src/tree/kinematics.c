// SPDX-License-Identifier: MIT
// Positions and velocities of all bodies from the joints' coordinates.
//
// Method   one loop root to tip each:
//            R_i = R_p rest Q(q_i),  o_i = o_p + R_p attach (+ the slide)
//            w_i = w_p + w_rel,      v_i = v_p + w_p x (o_i - o_p) + v_rel
// Writes   frame, column, twist; tdi_tree_advance also q.

#include "tree/joint.h"

#include <string.h>

// ---- positions -------------------------------------------------------------------------------

static inline void place_body(const tdi_body *body, const tdi_frame *p, td_quat turn, td_vec3 at,
                              tdi_frame *f) {
    f->turn = tdi_quat_mul(tdi_quat_mul(p->turn, body->rest), turn);
    f->r = tdi_mat3_from_quat(f->turn);
    f->o = tdi_add(p->o, tdi_mat3_apply(&p->r, at));
}

void tdi_tree_place(const td_tree_model *m, td_tree_state *s) {
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            const td_real *q = s->q + m->coord[i];
            td_quat turn = {q[0], q[1], q[2], q[3]};
            place_body(&m->body[i], tdi_parent_frame(m, s, i), turn, m->body[i].attach,
                       &s->frame[i]);
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            td_quat turn;
            td_vec3 slide;
            tdi_joint_place(&m->body[i], (td_joint_kind)m->kind[i], s->q + m->coord[i], &turn,
                            &slide);
            place_body(&m->body[i], tdi_parent_frame(m, s, i), turn,
                       tdi_add(m->body[i].attach, slide), &s->frame[i]);
        }
    }
}

// ---- columns --------------------------------------------------------------------------------

void tdi_tree_columns(const td_tree_model *m, td_tree_state *s) {
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_joint_columns(&m->body[i], (td_joint_kind)m->kind[i], tdi_parent_frame(m, s, i),
                          &s->frame[i], s->column + m->dof[i]);
    }
}

void tdi_tree_other_columns(const td_tree_model *m, td_tree_state *s) {
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            tdi_joint_columns(&m->body[i], (td_joint_kind)m->kind[i], tdi_parent_frame(m, s, i),
                              &s->frame[i], s->column + m->dof[i]);
        }
    }
}

// ---- velocities -----------------------------------------------------------------------------

static inline const tdi_twist *parent_twist(const td_tree_model *m, const td_tree_state *s,
                                            int32_t i) {
    return m->parent[i] == TD_NONE ? &s->base_twist : &s->twist[m->parent[i]];
}

void tdi_tree_move(const td_tree_model *m, td_tree_state *s) {
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_twist *p = parent_twist(m, s, i);
        td_vec3 r = tdi_sub(s->frame[i].o, tdi_parent_frame(m, s, i)->o);
        tdi_twist t = {p->w, tdi_add(p->v, tdi_cross(p->w, r))};
        for (int32_t d = m->dof[i]; d < m->dof[i + 1]; d++) {
            t.w = tdi_madd(t.w, s->column[d].w, s->v[d]);
            t.v = tdi_madd(t.v, s->column[d].v, s->v[d]);
        }
        s->twist[i] = t;
    }
}

// ---- moving on ------------------------------------------------------------------------------

// the rotation by vector v: (cos |v|/2, sin(|v|/2) v/|v|), by series when small
static inline td_quat turn_by(td_vec3 v) {
    td_real half2 = tdi_dot(v, v) / 4, c, s; // s = sin(h)/(2h)
    if (half2 < 0.01) {
        c = 1 + half2 * (-1.0 / 2 + half2 * (1.0 / 24 + half2 * (-1.0 / 720 + half2 / 40320)));
        s = 0.5 *
            (1 + half2 * (-1.0 / 6 + half2 * (1.0 / 120 + half2 * (-1.0 / 5040 + half2 / 362880))));
    } else {
        td_real half = sqrt(half2);
        c = cos(half);
        s = sin(half) / (2 * half);
    }
    return (td_quat){c, s * v.x, s * v.y, s * v.z};
}

// one step of Newton's iteration for 1/|q|: the norm drifts by rounding only
static inline td_quat renormalised(td_quat q) {
    td_real scale = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (td_quat){q.w * scale, q.x * scale, q.y * scale, q.z * scale};
}

// q <- q turned by the vector v in the body's own axes
static inline void turn_ball(td_real *q, td_vec3 v) {
    td_quat old = {q[0], q[1], q[2], q[3]};
    td_quat turned = renormalised(tdi_quat_mul(old, turn_by(v)));
    q[0] = turned.w;
    q[1] = turned.x;
    q[2] = turned.y;
    q[3] = turned.z;
}

static void joint_advance(td_joint_kind kind, td_real *q, const td_real *step, td_real fraction) {
    switch (kind) {
    case TD_JOINT_BALL:
        turn_ball(q, tdi_scale(tdi_vec3(step[0], step[1], step[2]), fraction));
        break;
    case TD_JOINT_HINGE:
    case TD_JOINT_SLIDE: q[0] += fraction * step[0]; break;
    case TD_JOINT_FREE:
        for (int k = 0; k < 3; k++) {
            q[k] += fraction * step[k];
        }
        turn_ball(q + 3, tdi_scale(tdi_vec3(step[3], step[4], step[5]), fraction));
        break;
    case TD_JOINT_FIXED: break;
    }
}

void tdi_tree_advance(const td_tree_model *m, td_tree_state *s, const td_real *step,
                      td_real fraction) {
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            const td_real *d = step + m->dof[i];
            turn_ball(s->q + m->coord[i], tdi_scale(tdi_vec3(d[0], d[1], d[2]), fraction));
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            joint_advance((td_joint_kind)m->kind[i], s->q + m->coord[i], step + m->dof[i],
                          fraction);
        }
    }
}

// ---- base -----------------------------------------------------------------------------------

void tdi_tree_carry_base(td_tree_state *s, const tdi_base_motion *start, td_real t) {
    const tdi_twist *a = &s->base_accel;
    td_vec3 turn = tdi_scale(tdi_madd(start->twist.w, a->w, 0.5 * t), t);
    td_vec3 shift = tdi_scale(tdi_madd(start->twist.v, a->v, 0.5 * t), t);
    td_quat q = tdi_quat_mul(turn_by(turn), start->frame.turn);
    td_real scale = 1 / tdi_quat_norm(q);
    s->base.turn = (td_quat){q.w * scale, q.x * scale, q.y * scale, q.z * scale};
    s->base.r = tdi_mat3_from_quat(s->base.turn);
    s->base.o = tdi_add(start->frame.o, shift);
    s->base_twist =
        (tdi_twist){tdi_madd(start->twist.w, a->w, t), tdi_madd(start->twist.v, a->v, t)};
}

// ---- trials ---------------------------------------------------------------------------------

void tdi_tree_keep(const td_tree_model *m, td_tree_state *s) {
    for (int32_t i = 0; i < m->body_count; i++) {
        s->turn_old[i] = s->frame[i].turn;
    }
    memcpy(s->q_old, s->q, (size_t)m->coord_count * sizeof *s->q);
}

// R_i <- exp(w) R_i, and from it the joint: q = rest^-1 R_p^-1 R_i
static inline void try_ball(const td_tree_model *m, td_tree_state *s, int32_t i, td_real fraction) {
    const tdi_body *body = &m->body[i];
    const tdi_frame *p = tdi_parent_frame(m, s, i);
    tdi_frame *f = &s->frame[i];
    td_real *q = s->q + m->coord[i];
    f->turn =
        renormalised(tdi_quat_mul(turn_by(tdi_scale(s->move[i].w, fraction)), s->turn_old[i]));
    f->r = tdi_mat3_from_quat(f->turn);
    f->o = tdi_add(p->o, tdi_mat3_apply(&p->r, body->attach));
    td_quat joint = tdi_quat_mul(tdi_quat_conj(tdi_quat_mul(p->turn, body->rest)), f->turn);
    q[0] = joint.w;
    q[1] = joint.x;
    q[2] = joint.y;
    q[3] = joint.z;
}

static void try_other(const td_tree_model *m, td_tree_state *s, int32_t i, td_real fraction) {
    td_joint_kind kind = (td_joint_kind)m->kind[i];
    td_real *q = s->q + m->coord[i];
    td_quat turn;
    td_vec3 slide;
    memcpy(q, s->q_old + m->coord[i], (size_t)(m->coord[i + 1] - m->coord[i]) * sizeof *q);
    joint_advance(kind, q, s->step + m->dof[i], fraction);
    tdi_joint_place(&m->body[i], kind, q, &turn, &slide);
    place_body(&m->body[i], tdi_parent_frame(m, s, i), turn, tdi_add(m->body[i].attach, slide),
               &s->frame[i]);
}

void tdi_tree_try(const td_tree_model *m, td_tree_state *s, td_real fraction) {
    for (int32_t k = 0; k < m->run_count; k++) {
        const tdi_run run = m->run[k];
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            try_ball(m, s, i, fraction);
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            try_other(m, s, i, fraction);
        }
    }
}
