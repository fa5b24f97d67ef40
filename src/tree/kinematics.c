// SPDX-License-Identifier: MIT
// Positions and velocities of all bodies from the joints' coordinates.
//
// Method   one loop root to tip each:
//            R_i = R_p rest Q(q_i),  o_i = o_p + R_p attach (+ the slide)
//            w_i = w_p + w_rel,      v_i = v_p + w_p x (o_i - o_p) + v_rel
// Writes   frame, twist; tdi_tree_advance also q.

#include "tree/cut.h"
#include "tree/explicit_rule.h"

// ---- positions -------------------------------------------------------------------------------

void tdi_tree_place(const tdi_tree_model *m, tdi_tree_state *s) {
    tdi_place_range(m, s, 0, m->body_count);
}

void tdi_tree_place_left(tdi_tree_state *s, int32_t known) {
    if (known == 0 || !tdi_tree_was_left(s, &s->head.base)) {
        tdi_tree_place(s->model, s);
        return;
    }
    for (int32_t i = 0; i < s->model->body_count; i++) {
        s->frame[i] = (tdi_frame){s->past[i].turn, s->past[i].r, s->past[i].o};
    }
}

void tdi_place_range(const tdi_tree_model *m, tdi_tree_state *s, int32_t first, int32_t last) {
    for (int32_t k = tdi_run_of(m, first); k < m->run_count && m->run[k].first < last; k++) {
        const tdi_run run = tdi_run_within(m, k, first, last);
        for (int32_t i = run.first; run.ball && i < run.last; i++) {
            const td_real *q = s->q + m->coord[i];
            td_quat turn = {q[0], q[1], q[2], q[3]};
            tdi_place_body(&m->body[i], tdi_parent_frame(m, s, i), turn, m->body[i].attach,
                           &s->frame[i]);
        }
        for (int32_t i = run.first; !run.ball && i < run.last; i++) {
            td_quat turn;
            td_vec3 slide;
            tdi_joint_transform(&m->body[i], (td_joint_kind)m->kind[i], s->q + m->coord[i], &turn,
                                &slide);
            tdi_place_body(&m->body[i], tdi_parent_frame(m, s, i), turn,
                           tdi_add(m->body[i].attach, slide), &s->frame[i]);
        }
    }
}

// ---- velocities -----------------------------------------------------------------------------

static inline const tdi_twist *parent_twist(const tdi_tree_model *m, const tdi_tree_state *s,
                                            int32_t i) {
    return m->parent[i] == TD_NONE ? &s->base_twist : &s->twist[m->parent[i]];
}

void tdi_tree_move(const tdi_tree_model *m, tdi_tree_state *s) {
    for (int32_t i = 0; i < m->body_count; i++) {
        const tdi_twist *p = parent_twist(m, s, i);
        td_vec3 r = tdi_sub(s->frame[i].o, tdi_parent_frame(m, s, i)->o);
        tdi_twist t = {p->w, tdi_add(p->v, tdi_cross(p->w, r))};
        tdi_twist column[6];
        const td_real *v = s->v + m->dof[i];
        for (int32_t d = 0, count = tdi_columns_of(m, s, i, column); d < count; d++) {
            t.w = tdi_madd(t.w, column[d].w, v[d]);
            t.v = tdi_madd(t.v, column[d].v, v[d]);
        }
        s->twist[i] = t;
    }
}

// ---- moving on ------------------------------------------------------------------------------

void tdi_tree_advance(const tdi_tree_model *m, tdi_tree_state *s, const td_real *step,
                      td_real fraction) {
    tdi_rule_advance(m, s->q, step, fraction);
}

// ---- base -----------------------------------------------------------------------------------

void tdi_tree_put_base(tdi_tree_state *s, const td_base_motion *base) {
    s->head.base = *base;
    s->base = (tdi_frame){base->rotation, tdi_mat3_from_quat(base->rotation), base->position};
    s->base_twist = (tdi_twist){base->spin, base->velocity};
}

void tdi_tree_carry_base(tdi_tree_state *s, const td_base_motion *start, td_real t) {
    const td_base_motion after = tdi_base_after(start, t);
    tdi_tree_put_base(s, &after);
}

// ---- trials ---------------------------------------------------------------------------------

void tdi_tree_keep(const tdi_tree_model *m, tdi_tree_state *s) {
    for (int32_t i = 0; i < m->body_count; i++) {
        tdi_body_keep(m, s, i, m->kind[i] == TD_JOINT_BALL);
    }
}

typedef struct trial {
    const tdi_tree_model *model;
    tdi_tree_state *state;
    td_real fraction;
} trial;

static void part_try(void *context, int32_t part) {
    const trial *t = context;
    const tdi_tree_model *m = t->model;
    const tdi_part bodies = m->part[part];
    for (int32_t k = tdi_run_of(m, bodies.first); k < m->run_count && m->run[k].first < bodies.last;
         k++) {
        const tdi_run run = tdi_run_within(m, k, bodies.first, bodies.last);
        for (int32_t i = run.first; i < run.last; i++) {
            tdi_body_try(m, t->state, i, run.ball, t->fraction);
        }
    }
}

void tdi_tree_try(const tdi_tree_model *m, tdi_tree_state *s, td_pool *pool, td_real fraction) {
    trial t = {m, s, fraction};
    tdi_pass_out(m, pool, part_try, &t);
}

// How far what carries a body is from where the increments say, dw of the parent's turn and du of
// its own origin, is made up for: the model is least, as on the way out (sweep.c), with
//   w + dw,  dw = D^-1 L dw_p - D^-1 B du.
// Other joints take their step as it is. dw is left in `twist`.
static void part_follow(void *context, int32_t part) {
    const trial *t = context;
    const tdi_tree_model *m = t->model;
    tdi_tree_state *s = t->state;
    const tdi_part bodies = m->part[part];
    for (int32_t i = bodies.first; i < bodies.last; i++) {
        const bool ball = m->kind[i] == TD_JOINT_BALL;
        tdi_node *node = &s->node[i];
        const td_vec3 move = node->move.w;
        td_vec3 dw = m->parent[i] == TD_NONE ? tdi_vec3(0, 0, 0) : s->twist[m->parent[i]].w;
        tdi_body_keep(m, s, i, ball);
        if (ball) {
            const tdi_frame *up = tdi_parent_frame(m, s, i);
            const td_vec3 to = tdi_add(up->o, tdi_mat3_apply(&up->r, m->body[i].attach)),
                          du = tdi_sub(tdi_sub(to, s->frame[i].o), node->move.v);
            dw = tdi_sub(tdi_mat3_apply(&node->turn, dw), tdi_mat3_apply(&node->shift, du));
        }
        node->move.w = tdi_add(move, dw);
        tdi_body_try(m, s, i, ball, 1);
        node->move.w = move;
        s->twist[i].w = dw;
    }
}

void tdi_tree_follow(const tdi_tree_model *m, tdi_tree_state *s, td_pool *pool) {
    trial t = {m, s, 1};
    tdi_pass_out(m, pool, part_follow, &t);
}
