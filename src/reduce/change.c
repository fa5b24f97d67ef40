// SPDX-License-Identifier: MIT
// Changing the modes of joints between steps: from the clusters to all segments (pose.c), new
// clusters at that pose (clusters.c), and from the segments to those.
//
// A cluster gets the affine motion that is nearest to those of its segments in the metric of mass.
// With the moments M = [S mc; mc^T m] of the segments about the cluster's origin and their motions
// A = [R' v], both in its axes,
//   A_c = (sum A M) (sum M)^-1.
// This is a projection: momentum stays, and kinetic energy does not grow. The
// next step takes what is no motion of the joints out in the same metric. The same is done with
// what the rule of two steps takes from the past, which goes on without a new start.

#include "reduce/reduce.h"

#include "tree/joint.h"

#include <math.h>
#include <string.h>

#define CLOSE 0.03  // m: where a camera sees less than this, it sees single tips
#define FLAT  1e-12 // of the largest moment: what has less does not move by itself

// ---- moments --------------------------------------------------------------------------------

// M in the order mass, x, y, z; factored L D L^T. What is flat has no inverse, and gets 0.
typedef struct factors {
    td_real l[4][4], inverse[4];
} factors;

static void fill_moments(const tdi_body *b, td_real m[4][4]) {
    const td_vec3 c = b->moment;
    const td_sym3 *s = &b->second;
    const td_real all[4][4] = {{b->mass, c.x, c.y, c.z},
                               {c.x, s->xx, s->xy, s->xz},
                               {c.y, s->xy, s->yy, s->yz},
                               {c.z, s->xz, s->yz, s->zz}};
    memcpy(m, all, sizeof all);
}

static factors factor(const tdi_body *b) {
    factors f = {.inverse = {0}};
    td_real m[4][4], d[4];
    fill_moments(b, m);
    const td_real least = FLAT * (m[1][1] + m[2][2] + m[3][3]);
    for (int j = 0; j < 4; j++) {
        d[j] = m[j][j];
        for (int k = 0; k < j; k++) {
            d[j] -= f.l[j][k] * f.l[j][k] * d[k];
        }
        const bool flat = j > 0 && !(d[j] > least);
        d[j] = flat ? 0 : d[j];
        f.inverse[j] = flat ? 0 : 1 / d[j];
        for (int i = j + 1; i < 4; i++) {
            f.l[i][j] = m[i][j];
            for (int k = 0; k < j; k++) {
                f.l[i][j] -= f.l[i][k] * f.l[j][k] * d[k];
            }
            f.l[i][j] *= f.inverse[j];
        }
    }
    return f;
}

static void solve(const factors *f, td_real x[4]) {
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= f->l[i][k] * x[k];
        }
    }
    for (int i = 3; i >= 0; i--) {
        x[i] *= f->inverse[i];
        for (int k = i + 1; k < 4; k++) {
            x[i] -= f->l[k][i] * x[k];
        }
    }
}

tdi_reduce_inverse_mass tdi_reduce_inverse(const tdi_body *b) {
    const factors f = factor(b);
    td_real x[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int k = 0; k < 4; k++) {
        solve(&f, x[k]);
    }
    return (tdi_reduce_inverse_mass){x[0][0],
                                     {x[0][1], x[0][2], x[0][3]},
                                     {x[1][1], x[2][2], x[3][3], x[1][2], x[1][3], x[2][3]}};
}

// A M of a segment: o gets m o + R mc, R gets o mc^T + R S, row by row
static void add_weighted(const tdi_place *a, const td_real m[4][4], td_real w, tdi_place *to) {
    const td_real o[3] = {a->o.x, a->o.y, a->o.z};
    td_real sum[3];
    for (int i = 0; i < 3; i++) {
        const td_real row[4] = {o[i], a->r.m[3 * i], a->r.m[3 * i + 1], a->r.m[3 * i + 2]};
        td_real out[4] = {0, 0, 0, 0};
        for (int j = 0; j < 4; j++) {
            for (int k = 0; k < 4; k++) {
                out[j] += row[k] * m[k][j];
            }
        }
        sum[i] = w * out[0];
        for (int j = 0; j < 3; j++) {
            to->r.m[3 * i + j] += w * out[j + 1];
        }
    }
    to->o = tdi_add(to->o, tdi_vec3(sum[0], sum[1], sum[2]));
}

static tdi_place solved(const factors *f, const tdi_place *a) {
    const td_real o[3] = {a->o.x, a->o.y, a->o.z};
    tdi_place x;
    td_real first[3];
    for (int i = 0; i < 3; i++) {
        td_real row[4] = {o[i], a->r.m[3 * i], a->r.m[3 * i + 1], a->r.m[3 * i + 2]};
        solve(f, row);
        first[i] = row[0];
        memcpy(x.r.m + 3 * (ptrdiff_t)i, row + 1, 3 * sizeof *row);
    }
    x.o = tdi_vec3(first[0], first[1], first[2]);
    return x;
}

// ---- motions --------------------------------------------------------------------------------

enum { RATE, STAR, HAT, MOTIONS }; // the last two from the pose

typedef struct motion {
    tdi_place of[MOTIONS];
} motion;

static tdi_place less(tdi_place a, td_vec3 o, const tdi_mat3 *r) {
    a.o = tdi_sub(a.o, o);
    for (int k = 0; k < 9; k++) {
        a.r.m[k] -= r->m[k];
    }
    return a;
}

// Of a segment, as one of the cluster's axes: R Q^T, o - R Q^T a
static motion motion_of(const tdi_tree_state *w, int32_t i, const tdi_seat *seat) {
    const tdi_frame *f = &w->frame[i];
    const tdi_mat3 q = tdi_mat3_from_quat(seat->turn);
    motion m = {{{w->past[i].v, w->past[i].w},
                 less(w->history[i], f->o, &f->r),
                 less(w->predictor[i], f->o, &f->r)}};
    for (int k = 0; k < MOTIONS; k++) {
        m.of[k].r = tdi_mat3_mul_t(&m.of[k].r, &q);
        m.of[k].o = tdi_sub(m.of[k].o, tdi_mat3_apply(&m.of[k].r, seat->at));
    }
    return m;
}

// The last segment of a group and the first of all else are whole on their cluster.
static motion cluster_motion(const tdi_reduced_state *s, int32_t c) {
    int32_t i = s->first[c];
    while (s->joined[i] != TD_NONE) {
        i = s->joined[i];
    }
    return motion_of(&s->whole, i, &s->seat[i]);
}

// ---- gathering ------------------------------------------------------------------------------

static void add_motion(tdi_reduced_state *s, int32_t i, bool other, td_real w, const motion *of) {
    const tdi_seat seat = tdi_reduce_mass_seat(s, i, other);
    const int32_t c = seat.body;
    const motion own = motion_of(&s->whole, i, &seat);
    tdi_place *to[MOTIONS] = {&s->rate[c], &s->tree.history[c], &s->tree.predictor[c]};
    tdi_body alone = {.mass = 0};
    td_real m[4][4];
    tdi_reduce_add_mass(&alone, &s->full->body[i], &seat, w);
    fill_moments(&alone, m);
    for (int k = 0; k < MOTIONS; k++) {
        const tdi_place off = less(own.of[k], of->of[k].o, &of->of[k].r);
        add_weighted(&off, m, 1, to[k]);
    }
}

static bool summed(const tdi_reduced_state *s, int32_t c) {
    return !tdi_reduce_single(s, c) && !tdi_reduce_kept(s, c);
}

static void add_motions(tdi_reduced_state *s) {
    int32_t last = TD_NONE;
    motion of;
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const tdi_other_side *side = &s->side[i];
        const int32_t c = s->seat[i].body;
        if (summed(s, c) && !s->stays[i]) {
            of = c == last ? of : cluster_motion(s, c);
            last = c;
            add_motion(s, i, false, 1 - side->share, &of);
        }
        if (side->seat.body != TD_NONE && summed(s, side->seat.body)) {
            const motion there = cluster_motion(s, side->seat.body);
            add_motion(s, i, true, side->share, &there);
        }
    }
}

static tdi_place sum_of(tdi_place a, const tdi_place *b) {
    const tdi_mat3 minus = {{-b->r.m[0], -b->r.m[1], -b->r.m[2], -b->r.m[3], -b->r.m[4], -b->r.m[5],
                             -b->r.m[6], -b->r.m[7], -b->r.m[8]}};
    return less(a, tdi_scale(b->o, -1), &minus);
}

static void finish_motion(tdi_reduced_state *s, int32_t c) {
    const tdi_frame *f = &s->tree.frame[c];
    const tdi_place pose = {f->o, f->r};
    const factors by = factor(&s->clusters.body[c]);
    const motion of = cluster_motion(s, c);
    const tdi_place rate = sum_of(solved(&by, &s->rate[c]), &of.of[RATE]),
                    history = sum_of(solved(&by, &s->tree.history[c]), &of.of[STAR]),
                    predictor = sum_of(solved(&by, &s->tree.predictor[c]), &of.of[HAT]);
    s->tree.past[c] = (tdi_past){f->o, rate.o, f->r, rate.r, f->turn};
    s->tree.history[c] = sum_of(history, &pose);
    s->tree.predictor[c] = sum_of(predictor, &pose);
}

static void keep_past(tdi_reduced_state *s, int32_t c) {
    const tdi_reduce_old *old = tdi_reduce_kept(s, c);
    const td_vec3 shift = s->shift[s->first[c]];
    s->tree.past[c] = old->past;
    s->tree.history[c] = old->history;
    s->tree.predictor[c] = old->predictor;
    s->tree.past[c].o = tdi_add(old->past.o, shift);
    s->tree.history[c].o = tdi_add(old->history.o, shift);
    s->tree.predictor[c].o = tdi_add(old->predictor.o, shift);
}

bool tdi_reduce_rests(const tdi_reduced_state *s) {
    static const tdi_twist still = {{0, 0, 0}, {0, 0, 0}};
    bool rests = s->tree.head.known == 0 && memcmp(&s->tree.base_twist, &still, sizeof still) == 0;
    for (int32_t d = 0; d < s->clusters.head.dof_count && rests; d++) {
        rests = s->tree.v[d] == 0;
    }
    return rests;
}

// It was always where it is now.
static void rest(tdi_reduced_state *s) {
    tdi_tree_state *t = &s->tree;
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        const tdi_frame *f = &t->frame[c];
        t->past[c] = (tdi_past){.o = f->o, .r = f->r, .turn = f->turn};
        t->history[c] = t->predictor[c] = (tdi_place){f->o, f->r};
    }
    memset(t->v, 0, (size_t)s->full->head.dof_count * sizeof *t->v);
    memcpy(t->q_back, t->q, (size_t)s->clusters.coord_count * sizeof *t->q);
    memcpy(t->angle_history, t->angle, (size_t)s->clusters.head.dof_count * sizeof *t->angle);
}

static void gather_past(tdi_reduced_state *s) {
    const size_t n = (size_t)s->clusters.body_count;
    memset(s->rate, 0, n * sizeof *s->rate);
    memset(s->tree.history, 0, n * sizeof *s->tree.history);
    memset(s->tree.predictor, 0, n * sizeof *s->tree.predictor);
    add_motions(s);
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        const int32_t i = s->first[c];
        if (tdi_reduce_kept(s, c)) {
            keep_past(s, c);
        } else if (tdi_reduce_single(s, c)) {
            s->tree.past[c] = s->whole.past[i];
            s->tree.history[c] = s->whole.history[i];
            s->tree.predictor[c] = s->whole.predictor[i];
        } else {
            finish_motion(s, c);
        }
    }
}

// ---- joints ---------------------------------------------------------------------------------

static void gather_own(tdi_reduced_state *s, int32_t c, int32_t i) {
    const tdi_tree_model *m = s->full, *to = &s->clusters;
    const size_t coords = (size_t)(m->coord[i + 1] - m->coord[i]) * sizeof(td_real),
                 dofs = (size_t)(m->dof[i + 1] - m->dof[i]) * sizeof(td_real);
    memcpy(s->tree.q + to->coord[c], s->whole.q + m->coord[i], coords);
    memcpy(s->tree.q_back + to->coord[c], s->whole.q_back + m->coord[i], coords);
    memcpy(s->tree.angle + to->dof[c], s->whole.angle + m->dof[i], dofs);
    memcpy(s->tree.angle_history + to->dof[c], s->whole.angle_history + m->dof[i], dofs);
}

static void gather_group(tdi_reduced_state *s, int32_t c, int32_t first) {
    const td_vec3 a = s->began[c];
    td_vec3 history = a;
    for (int32_t j = first; j != TD_NONE; j = s->joined[j]) {
        const td_real *now = s->whole.angle + s->full->dof[j],
                      *then = s->whole.angle_history + s->full->dof[j];
        const td_vec3 lag = tdi_vec3(then[0] - now[0], then[1] - now[1], then[2] - now[2]);
        history = tdi_add(history, tdi_quat_rotate(s->share[j].turn, lag));
    }
    // x* is a third of the last way ahead
    tdi_reduce_set_ball(&s->tree, s->clusters.coord[c], s->clusters.dof[c], a, history);
}

static void copy_joint(tdi_tree_state *s, int32_t c, tdi_reduce_old *old, bool back) {
    const tdi_tree_model *m = s->model;
    const size_t coords = (size_t)(m->coord[c + 1] - m->coord[c]) * sizeof(td_real),
                 dofs = (size_t)(m->dof[c + 1] - m->dof[c]) * sizeof(td_real);
    td_real *of[4] = {s->q + m->coord[c], s->q_back + m->coord[c], s->angle + m->dof[c],
                      s->angle_history + m->dof[c]},
            *with[4] = {old->q, old->q_back, old->angle, old->angle_history};
    for (int k = 0; k < 4; k++) {
        memcpy(back ? of[k] : with[k], back ? with[k] : of[k], k < 2 ? coords : dofs);
    }
}

static void gather_joints(tdi_reduced_state *s) {
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        if (tdi_reduce_kept(s, c)) {
            copy_joint(&s->tree, c, &s->old[s->was[s->first[c]]], true);
        } else if (s->joined[s->first[c]] == TD_NONE) {
            gather_own(s, c, s->first[c]);
        } else {
            gather_group(s, c, s->first[c]);
        }
    }
}

// ---- before ---------------------------------------------------------------------------------

static void touch(tdi_reduced_state *s, int32_t i) {
    if (i != TD_NONE) {
        s->touched[s->seat[i].body] = 1;
        if (s->side[i].seat.body != TD_NONE) {
            s->touched[s->side[i].seat.body] = 1;
        }
    }
}

// What carries the group that a joint is to be in gets a share of it.
static void touch_below_group(tdi_reduced_state *s, int32_t i) {
    while (s->wanted[i] == TD_REDUCE_JOINED) {
        i = s->full->parent[i];
    }
    touch(s, s->full->parent[i]);
}

// Both sides of a group are touched together: they share segments.
static void touch_sides(tdi_reduced_state *s) {
    const int32_t *up = s->clusters.parent;
    for (int32_t c = s->clusters.body_count - 1; c >= 0 && s->groups > 0; c--) {
        if (s->touched[c] && s->joined[s->first[c]] != TD_NONE) {
            s->touched[up[c]] = true;
        }
    }
    for (int32_t c = 0; c < s->clusters.body_count && s->groups > 0; c++) {
        if (s->joined[s->first[c]] != TD_NONE && s->touched[up[c]]) {
            s->touched[c] = true;
        }
    }
}

// Which clusters the change touches.
static void touch_all(tdi_reduced_state *s) {
    memset(s->touched, 0, (size_t)s->clusters.body_count * sizeof *s->touched);
    for (int32_t i = 0; i < s->full->body_count; i++) {
        if (s->mode[i] != s->wanted[i]) {
            touch(s, i);
            touch(s, s->full->parent[i]);
            touch(s, s->joined[i]);
            touch_below_group(s, i);
        }
    }
    touch_sides(s);
}

// The segment whose motion the cluster of a segment begins with: the first, of a group the last,
// which are whole on it. TD_NONE: the segment is within a group, or on what is.
static int32_t leader(const tdi_reduced_state *s, int32_t i, const uint8_t *mode,
                      const int32_t *joined, const int32_t *led) {
    const bool moves = mode[i] == TD_REDUCE_OWN || mode[i] == TD_REDUCE_JOINED;
    return !moves ? led[s->full->parent[i]] : joined[i] == TD_NONE ? i : TD_NONE;
}

// What was on a cluster with the one that leads it, and is again, moves as that does; what rides is
// turned otherwise than the cluster has it. In `was` the groups to be.
static void find_what_stays(tdi_reduced_state *s) {
    int32_t *led = s->led;
    for (int32_t i = 0; i < s->full->body_count; i++) {
        led[i] = leader(s, i, s->mode, s->joined, led);
    }
    for (int32_t i = 0; i < s->full->body_count; i++) {
        s->next[i] = leader(s, i, s->wanted, s->was, s->next);
        s->stays[i] = s->mode[i] != TD_REDUCE_RIDING && led[i] != TD_NONE &&
                      s->next[i] != TD_NONE && s->next[i] != i && led[i] == led[s->next[i]];
    }
}

// The others, as they are.
static void remember(tdi_reduced_state *s) {
    const tdi_tree_state *t = &s->tree;
    memset(s->was, 0xff, (size_t)s->full->body_count * sizeof *s->was); // TD_NONE
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        s->was[s->first[c]] = c;
        if (!s->touched[c]) {
            s->old[c] = (tdi_reduce_old){.body = s->clusters.body[c],
                                         .frame = t->frame[c],
                                         .past = t->past[c],
                                         .history = t->history[c],
                                         .predictor = t->predictor[c],
                                         .began = s->began[c],
                                         .drag_model = s->drag_model[c]};
            copy_joint(&s->tree, c, &s->old[c], false);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_reduce_change(tdi_reduced_state *s) {
    const bool rests = tdi_reduce_rests(s);
    tdi_reduce_settle_wanted(s);
    touch_all(s);
    tdi_reduce_spread_winds(s);
    find_what_stays(s);
    remember(s);
    tdi_reduce_draw_touched(s, !rests);
    memcpy(s->mode, s->wanted, (size_t)s->full->body_count * sizeof *s->mode);
    s->count->dense = s->opts.view && s->opts.error < CLOSE;
    tdi_reduce_cluster(s);
    gather_joints(s);
    (rests ? rest : gather_past)(s);
    tdi_reduce_take_winds(s, s->seg_wind);
    tdi_reduce_air(s, 0, true);
    s->tree.stale = !rests;
    s->count->changes++;
}
