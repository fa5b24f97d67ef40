// SPDX-License-Identifier: MIT
#pragma once

// Moving one body: where it comes to when its joint moves, or when it is turned in a trial.

#include "math/angle.h"
#include "tree/joint.h"

#include <string.h>

// ---- turns ----------------------------------------------------------------------------------

// one step of Newton's iteration for 1/|q|: the norm drifts by rounding only
static inline td_quat tdi_renormalised(td_quat q) {
    td_real scale = 1.5 - 0.5 * (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (td_quat){q.w * scale, q.x * scale, q.y * scale, q.z * scale};
}

// q <- q turned by the vector v in the body's own axes
static inline void tdi_turn_ball(td_real *q, td_vec3 v) {
    td_quat old = {q[0], q[1], q[2], q[3]};
    td_quat turned = tdi_renormalised(tdi_quat_mul(old, tdi_turn_by(v)));
    q[0] = turned.w;
    q[1] = turned.x;
    q[2] = turned.y;
    q[3] = turned.z;
}

// Whether the joint moves by less than a turn in the step, and slower than light. A faster joint
// has diverged, although its numbers are finite.
static inline bool tdi_joint_is_sane(td_joint_kind kind, const td_real *v, td_real dt) {
    const td_real fastest = 3e8, turn = 2 * TDI_PI / dt;
    const bool slides = kind == TD_JOINT_SLIDE || kind == TD_JOINT_FREE;
    const int count = kind == TD_JOINT_FREE    ? 6
                      : kind == TD_JOINT_BALL  ? 3
                      : kind == TD_JOINT_FIXED ? 0
                                               : 1;
    bool sane = true;
    for (int k = 0; k < count; k++) {
        sane = sane && fabs(v[k]) < (slides && k < 3 ? fastest : turn);
    }
    return sane;
}

static inline void tdi_joint_advance(td_joint_kind kind, td_real *q, const td_real *step,
                                     td_real fraction) {
    switch (kind) {
    case TD_JOINT_BALL:
        tdi_turn_ball(q, tdi_scale(tdi_vec3(step[0], step[1], step[2]), fraction));
        break;
    case TD_JOINT_HINGE:
    case TD_JOINT_SLIDE: q[0] += fraction * step[0]; break;
    case TD_JOINT_FREE:
        for (int k = 0; k < 3; k++) {
            q[k] += fraction * step[k];
        }
        tdi_turn_ball(q + 3, tdi_scale(tdi_vec3(step[3], step[4], step[5]), fraction));
        break;
    case TD_JOINT_FIXED: break;
    }
}

// ---- places ---------------------------------------------------------------------------------

static inline void tdi_place_body(const tdi_body *body, const tdi_frame *p, td_quat turn,
                                  td_vec3 at, tdi_frame *f) {
    f->turn = tdi_quat_mul(tdi_quat_mul(p->turn, body->rest), turn);
    f->r = tdi_mat3_from_quat(f->turn);
    f->o = tdi_add(p->o, tdi_mat3_apply(&p->r, at));
}

// ---- trials ---------------------------------------------------------------------------------

static inline void tdi_body_keep(const tdi_tree_model *m, tdi_tree_state *s, int32_t i, bool ball) {
    if (ball) {
        s->node[i].turn_old = s->frame[i].turn;
    } else {
        int32_t first = m->coord[i], count = m->coord[i + 1] - first;
        memcpy(s->other[m->other_place[i]].q_old, s->q + first, (size_t)count * sizeof *s->q);
    }
}

// R_i <- exp(w) R_i, and from it the joint: q = rest^-1 R_p^-1 R_i
static inline void tdi_ball_try(const tdi_tree_model *m, tdi_tree_state *s, int32_t i,
                                td_real fraction) {
    const tdi_body *body = &m->body[i];
    const tdi_frame *p = tdi_parent_frame(m, s, i);
    const tdi_node *node = &s->node[i];
    tdi_frame *f = &s->frame[i];
    td_real *q = s->q + m->coord[i];
    td_quat turn = tdi_turn_by(tdi_scale(node->move.w, fraction));
    f->turn = tdi_renormalised(tdi_quat_mul(turn, node->turn_old));
    f->r = tdi_mat3_from_quat(f->turn);
    f->o = tdi_add(p->o, tdi_mat3_apply(&p->r, body->attach));
    td_quat joint = tdi_quat_mul(tdi_quat_conj(tdi_quat_mul(p->turn, body->rest)), f->turn);
    q[0] = joint.w;
    q[1] = joint.x;
    q[2] = joint.y;
    q[3] = joint.z;
}

// The kept pose of a body moved by `fraction` of its increment; what carries it has been moved.
static inline void tdi_body_try(const tdi_tree_model *m, tdi_tree_state *s, int32_t i, bool ball,
                                td_real fraction) {
    if (ball) {
        tdi_ball_try(m, s, i, fraction);
        return;
    }
    const tdi_body *body = &m->body[i];
    const tdi_other *other = &s->other[m->other_place[i]];
    td_joint_kind kind = (td_joint_kind)m->kind[i];
    td_real *q = s->q + m->coord[i];
    td_quat turn;
    td_vec3 slide;
    memcpy(q, other->q_old, (size_t)(m->coord[i + 1] - m->coord[i]) * sizeof *q);
    tdi_joint_advance(kind, q, other->step, fraction);
    tdi_joint_transform(body, kind, q, &turn, &slide);
    tdi_place_body(body, tdi_parent_frame(m, s, i), turn, tdi_add(body->attach, slide),
                   &s->frame[i]);
}
