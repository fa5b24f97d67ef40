// SPDX-License-Identifier: MIT
// From the clusters to all segments: where they are, and how they came there.
//
// Joints    a joint of its own has the cluster's coordinates; a frozen one keeps its own; one of a
//           group has turned by its part of the group's turn since that was made.
// The past  is affine: with a seat (a, Q) a cluster's o and R, and likewise v, R', x* and x^, give
//           o + R a and R Q. A segment within a group has the mean of both sides by their shares,
//           which has no more kinetic energy than the shares had. Q is that of the pose; the
//           centre of mass goes as the mass does that the cluster has of it, so that segments have
//           the momentum of their clusters.

#include "reduce/reduce.h"

#include "tree/joint.h"
#include "tree/trial.h"

#include <string.h>

// ---- joints ---------------------------------------------------------------------------------

static td_vec3 read3(const td_real *a) {
    return tdi_vec3(a[0], a[1], a[2]);
}

static void write3(td_real *a, td_vec3 v) {
    a[0] = v.x;
    a[1] = v.y;
    a[2] = v.z;
}

// The rotation vector of a turn, of the two that mean the same that near another.
static td_vec3 log_of(td_quat turn, td_vec3 near) {
    const td_real q[4] = {turn.w, turn.x, turn.y, turn.z}, a[3] = {near.x, near.y, near.z};
    return tdi_ball_turn_of(q, a).a;
}

static void write_turn(td_real *q, td_vec3 angle) {
    const td_quat turn = tdi_turn_by(angle);
    q[0] = turn.w;
    q[1] = turn.x;
    q[2] = turn.y;
    q[3] = turn.z;
}

void tdi_reduce_set_quasistatic(tdi_tree_state *s, int32_t coord, int32_t dof, td_vec3 angle,
                                td_vec3 history) {
    write_turn(s->q + coord, angle);
    write3(s->angle + dof, angle);
    write3(s->bdf.angle + dof, history);
}

// x* is a third of the last way ahead: a* - a = (a - a_before)/3
static void write_back(tdi_tree_state *s, int32_t coord, td_vec3 angle, td_vec3 history) {
    write_turn(s->last.q + coord, tdi_madd(angle, tdi_sub(history, angle), -3));
}

void tdi_reduce_set_ball(tdi_tree_state *s, int32_t coord, int32_t dof, td_vec3 angle,
                         td_vec3 history) {
    tdi_reduce_set_quasistatic(s, coord, dof, angle, history);
    write_back(s, coord, angle, history);
}

static void draw_own(tdi_reduced_state *s, int32_t i, int32_t c) {
    const tdi_tree_model *m = s->full, *from = &s->clusters;
    const size_t coords = (size_t)(m->coord[i + 1] - m->coord[i]) * sizeof(td_real),
                 dofs = (size_t)(m->dof[i + 1] - m->dof[i]) * sizeof(td_real);
    memcpy(s->whole.q + m->coord[i], s->tree.q + from->coord[c], coords);
    memcpy(s->whole.last.q + m->coord[i], s->tree.last.q + from->coord[c], coords);
    memcpy(s->whole.angle + m->dof[i], s->tree.angle + from->dof[c], dofs);
    memcpy(s->whole.bdf.angle + m->dof[i], s->tree.bdf.angle + from->dof[c], dofs);
}

// The orientation of a segment on its cluster.
static td_quat seated_turn(const tdi_reduced_state *s, int32_t i) {
    return i == TD_NONE ? s->tree.base.turn
                        : tdi_quat_mul(s->tree.frame[s->seat[i].body].turn, s->seat[i].turn);
}

// Joint j of a group has turned by its part c_j of the turn g of the group since that was made, and
// with it all that comes behind it, so that the last segment is turned as the cluster is:
//   R_j = R exp(a_0) exp(s_j g) Q_j,  exp(g) = exp(-a_0) exp(a),  s_j = sum over i <= j of c_i
// with R the group's joint as it is without a turn. The same part of what the rule takes from the
// past.
static void draw_group(tdi_reduced_state *s, int32_t first, int32_t c) {
    const int32_t coord = s->clusters.coord[c], dof = s->clusters.dof[c];
    const td_real *q = s->tree.q + coord, whole = tdi_reduce_group_bending(s, first);
    const td_quat joint = {q[0], q[1], q[2], q[3]}, begin = tdi_turn_by(s->group.began[c]),
                  made = tdi_quat_mul(tdi_quat_mul(s->tree.frame[c].turn, tdi_quat_conj(joint)),
                                      begin);
    const td_quat since = tdi_quat_mul(tdi_quat_conj(begin), joint);
    const td_vec3 lag = tdi_sub(read3(s->tree.bdf.angle + dof), read3(s->tree.angle + dof)),
                  turn = log_of(since, tdi_sub(read3(s->tree.angle + dof), s->group.began[c]));
    td_quat up = seated_turn(s, s->full->parent[first]);
    td_real far = 0;
    for (int32_t j = first; j != TD_NONE; j = s->joined[j]) {
        const tdi_share *share = &s->group.share[j];
        const td_quat back = tdi_quat_conj(share->turn),
                      rest = tdi_quat_mul(up, s->full->body[j].rest);
        const td_real part = tdi_reduce_bending(&s->full->body[j]) / whole;
        far = s->joined[j] == TD_NONE ? 1 : far + part;
        up = tdi_quat_mul(tdi_quat_mul(made, tdi_turn_by(tdi_scale(turn, far))), share->turn);
        const td_vec3 near = tdi_madd(share->angle, tdi_quat_rotate(back, turn), part),
                      now = log_of(tdi_quat_mul(tdi_quat_conj(rest), up), near);
        tdi_reduce_set_ball(&s->whole, s->full->coord[j], s->full->dof[j], now,
                            tdi_madd(now, tdi_quat_rotate(back, lag), part));
    }
}

static void draw_joints(tdi_reduced_state *s) {
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        const int32_t i = s->list.first[c];
        if (s->joined[i] == TD_NONE) {
            draw_own(s, i, c);
        } else {
            draw_group(s, i, c);
        }
    }
}

// ---- places ---------------------------------------------------------------------------------

static tdi_frame seated(const tdi_reduced_state *s, int32_t i) {
    const tdi_seat *seat = &s->seat[i];
    const tdi_frame *c = &s->tree.frame[seat->body];
    tdi_frame f = *c;
    if (s->mode[i] != TD_REDUCE_OWN || s->joined[i] != TD_NONE) {
        f.turn = tdi_quat_unit(tdi_quat_mul(c->turn, seat->turn));
        f.r = tdi_mat3_from_quat(f.turn);
        f.o = tdi_add(c->o, tdi_mat3_apply(&c->r, seat->at));
    }
    return f;
}

static bool in_group(const tdi_reduced_state *s, int32_t i) {
    return s->mode[i] == TD_REDUCE_JOINED || s->joined[i] != TD_NONE;
}

// A segment that its cluster carries, moved as far as what it hangs on.
static void place_seated(tdi_reduced_state *s, int32_t i) {
    const int32_t p = s->full->parent[i];
    tdi_frame *to = &s->whole.frame[i];
    *to = seated(s, i);
    s->shift[i] = p == TD_NONE ? tdi_vec3(0, 0, 0) : s->shift[p];
    to->o = tdi_add(to->o, s->shift[i]);
}

// Clusters carry their segments, but for those of groups, which are where their joints put them.
// What these carry is shifted with them.
static void draw_frames(tdi_reduced_state *s) {
    tdi_tree_state *w = &s->whole;
    w->head.base = s->tree.head.base;
    w->base = s->tree.base;
    w->base_twist = s->tree.base_twist;
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const int32_t p = s->full->parent[i];
        s->bent[i] = in_group(s, i) || (s->mode[i] == TD_REDUCE_FROZEN && s->bent[p]);
        if (s->mode[i] == TD_REDUCE_QUASISTATIC || s->bent[i]) {
            tdi_reduce_pose_joint(s, i);
            s->shift[i] = tdi_sub(w->frame[i].o, seated(s, i).o);
        } else {
            place_seated(s, i);
        }
    }
}

// ---- the past -------------------------------------------------------------------------------

// (o, r) <- (o, r) + share (o_c + R_c a, R_c Q)
static void add_affine(td_vec3 *o, tdi_mat3 *r, td_vec3 from_o, const tdi_mat3 *from_r,
                       const tdi_seat *seat, const tdi_mat3 *back, td_real share) {
    const tdi_mat3 turned = tdi_mat3_mul_t(from_r, back);
    *o = tdi_madd(*o, tdi_add(from_o, tdi_mat3_apply(from_r, seat->at)), share);
    for (int k = 0; k < 9; k++) {
        r->m[k] += share * turned.m[k];
    }
}

// A part of a segment on its cluster: turned as it is drawn now, with the centre of mass where the
// cluster has it.
static tdi_seat seat_now(const tdi_reduced_state *s, int32_t i, bool other) {
    const tdi_seat seat = tdi_reduce_mass_seat(s, i, other);
    const tdi_body *b = &s->full->body[i];
    const td_quat turn =
        tdi_quat_mul(tdi_quat_conj(s->tree.frame[seat.body].turn), s->whole.frame[i].turn);
    const td_vec3 off =
        tdi_sub(tdi_quat_rotate(seat.turn, b->moment), tdi_quat_rotate(turn, b->moment));
    return (tdi_seat){.body = seat.body, .at = tdi_madd(seat.at, off, 1 / b->mass), .turn = turn};
}

// x* and x^ as they differ from the pose: that of a segment within a group is where it is drawn.
static tdi_affine from_pose(const tdi_affine *a, const tdi_frame *f) {
    tdi_affine out = {tdi_sub(a->o, f->o), a->r};
    for (int k = 0; k < 9; k++) {
        out.r.m[k] -= f->r.m[k];
    }
    return out;
}

static void add_record(tdi_reduced_state *s, int32_t i, bool other, td_real share) {
    tdi_tree_state *w = &s->whole;
    const tdi_tree_state *t = &s->tree;
    const tdi_seat seat = seat_now(s, i, other);
    const int32_t c = seat.body;
    const tdi_mat3 back = tdi_mat3_from_quat(tdi_quat_conj(seat.turn));
    const tdi_past *past = &t->past[c];
    const tdi_affine history = from_pose(&t->bdf.history[c], &t->frame[c]),
                     predictor = from_pose(&t->bdf.predictor[c], &t->frame[c]);
    add_affine(&w->bdf.history[i].o, &w->bdf.history[i].r, history.o, &history.r, &seat, &back,
               share);
    add_affine(&w->bdf.predictor[i].o, &w->bdf.predictor[i].r, predictor.o, &predictor.r, &seat,
               &back, share);
    add_affine(&w->past[i].v, &w->past[i].w, past->v, &past->w, &seat, &back, share);
}

// Joints that kept their angles, and past angles of quasi-static ones.
static void hold_still(tdi_reduced_state *s, int32_t i) {
    const tdi_tree_model *m = s->full;
    tdi_tree_state *w = &s->whole;
    const int32_t q = m->coord[i], d = m->dof[i];
    if (s->mode[i] == TD_REDUCE_FROZEN) {
        memcpy(w->last.q + q, w->q + q, (size_t)(m->coord[i + 1] - q) * sizeof *w->q);
        memcpy(w->bdf.angle + d, w->angle + d, (size_t)(m->dof[i + 1] - d) * sizeof *w->angle);
    } else if (s->mode[i] == TD_REDUCE_QUASISTATIC && m->kind[i] == TD_JOINT_BALL) {
        write_back(w, q, read3(w->angle + d), read3(w->bdf.angle + d));
    }
}

static void draw_past(tdi_reduced_state *s, int32_t i) {
    tdi_tree_state *w = &s->whole;
    const tdi_frame *f = &w->frame[i];
    const int32_t c = s->seat[i].body;
    if (tdi_reduce_single(s, c) && s->groups == 0) { // nothing is shifted
        w->past[i] = s->tree.past[c];
        w->bdf.history[i] = s->tree.bdf.history[c];
        w->bdf.predictor[i] = s->tree.bdf.predictor[c];
        return;
    }
    w->past[i] = (tdi_past){.o = f->o, .r = f->r, .turn = f->turn};
    w->bdf.history[i] = w->bdf.predictor[i] = (tdi_affine){f->o, f->r};
    add_record(s, i, false, 1 - s->group.side[i].share);
    if (s->group.side[i].seat.body != TD_NONE) {
        add_record(s, i, true, s->group.side[i].share);
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void draw_head(tdi_reduced_state *s) {
    tdi_tree_state *w = &s->whole;
    w->head.time = s->tree.head.time;
    w->head.dt = s->tree.head.dt;
    w->head.known = s->tree.head.known;
    w->head.moved = s->tree.head.moved;
}

void tdi_reduce_draw(tdi_reduced_state *s, bool past) {
    tdi_tree_state *w = &s->whole;
    if (s->drawn < TDI_DRAWN_POSE) {
        draw_joints(s);
        draw_frames(s);
        draw_head(s);
        s->drawn = TDI_DRAWN_POSE;
    }
    if (past && s->drawn < TDI_DRAWN_PAST) {
        for (int32_t i = 0; i < s->full->body_count; i++) {
            hold_still(s, i);
            draw_past(s, i);
        }
        w->head.air = s->tree.head.air;
        w->last.base = s->tree.last.base;
        w->stale = true;
        s->drawn = TDI_DRAWN_PAST;
    }
}
