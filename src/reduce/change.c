// SPDX-License-Identifier: MIT
// Changing the modes of joints between steps: from the clusters to all segments (pose.c), new
// clusters at that pose (clusters.c), and from the segments to those.
//
// A cluster gets the affine motion that is nearest to those of its segments in the metric of mass.
// With the moments M = [S mc; mc^T m] of the segments about the cluster's origin and their motions
// A = [R' v], both in its axes,
//   A_c = (sum A M) (sum M)^-1.
// This is a projection: momentum stays, and kinetic energy does not grow. The next step projects on
// motions of the joints in the same metric. The history of the two-step rule is projected too, so
// that this rule continues without a backward Euler step.

#include "reduce/reduce.h"

#include "tree/joint.h"

#include <math.h>
#include <string.h>

#define FLAT 1e-12 // of the largest moment: with less a direction has no motion of its own

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
static void add_weighted(const tdi_affine *a, const td_real m[4][4], td_real w, tdi_affine *to) {
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

static tdi_affine solved(const factors *f, const tdi_affine *a) {
    const td_real o[3] = {a->o.x, a->o.y, a->o.z};
    tdi_affine x;
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

enum { RATE, HISTORY, PREDICTOR, MOTIONS }; // the last two from the pose

typedef struct motion {
    tdi_affine of[MOTIONS];
} motion;

static tdi_affine less(tdi_affine a, td_vec3 o, const tdi_mat3 *r) {
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
                 less(w->bdf.history[i], f->o, &f->r),
                 less(w->bdf.predictor[i], f->o, &f->r)}};
    for (int k = 0; k < MOTIONS; k++) {
        m.of[k].r = tdi_mat3_mul_t(&m.of[k].r, &q);
        m.of[k].o = tdi_sub(m.of[k].o, tdi_mat3_apply(&m.of[k].r, seat->at));
    }
    return m;
}

// The last segment of a group and the first of all else are whole on their cluster.
static motion cluster_motion(const tdi_reduced_state *s, int32_t c) {
    int32_t i = s->list.first[c];
    while (s->joined[i] != TD_NONE) {
        i = s->joined[i];
    }
    return motion_of(&s->whole, i, &s->seat[i]);
}

// ---- sums -----------------------------------------------------------------------------------

static void add_motion(tdi_reduced_state *s, int32_t i, bool other, td_real w, const motion *of) {
    const tdi_seat seat = tdi_reduce_mass_seat(s, i, other);
    const int32_t c = seat.body;
    const motion own = motion_of(&s->whole, i, &seat);
    tdi_affine *to[MOTIONS] = {&s->rate[c], &s->tree.bdf.history[c], &s->tree.bdf.predictor[c]};
    tdi_body alone = {.mass = 0};
    td_real m[4][4];
    tdi_reduce_add_mass(&alone, &s->full->body[i], &seat, w);
    fill_moments(&alone, m);
    for (int k = 0; k < MOTIONS; k++) {
        const tdi_affine off = less(own.of[k], of->of[k].o, &of->of[k].r);
        add_weighted(&off, m, 1, to[k]);
    }
}

static void add_motions(tdi_reduced_state *s) {
    int32_t last = TD_NONE;
    motion of;
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const tdi_other_side *side = &s->group.side[i];
        const int32_t c = s->seat[i].body;
        if (!tdi_reduce_single(s, c)) {
            of = c == last ? of : cluster_motion(s, c);
            last = c;
            add_motion(s, i, false, 1 - side->share, &of);
        }
        if (side->seat.body != TD_NONE) {
            const motion there = cluster_motion(s, side->seat.body);
            add_motion(s, i, true, side->share, &there);
        }
    }
}

static tdi_affine sum_of(tdi_affine a, const tdi_affine *b) {
    const tdi_mat3 minus = {{-b->r.m[0], -b->r.m[1], -b->r.m[2], -b->r.m[3], -b->r.m[4], -b->r.m[5],
                             -b->r.m[6], -b->r.m[7], -b->r.m[8]}};
    return less(a, tdi_scale(b->o, -1), &minus);
}

static void finish_motion(tdi_reduced_state *s, int32_t c) {
    const tdi_frame *f = &s->tree.frame[c];
    const tdi_affine pose = {f->o, f->r};
    const factors by = factor(&s->clusters.body[c]);
    const motion of = cluster_motion(s, c);
    const tdi_affine rate = sum_of(solved(&by, &s->rate[c]), &of.of[RATE]),
                     history = sum_of(solved(&by, &s->tree.bdf.history[c]), &of.of[HISTORY]),
                     predictor = sum_of(solved(&by, &s->tree.bdf.predictor[c]), &of.of[PREDICTOR]);
    s->tree.past[c] = (tdi_past){f->o, rate.o, f->r, rate.r, f->turn};
    s->tree.bdf.history[c] = sum_of(history, &pose);
    s->tree.bdf.predictor[c] = sum_of(predictor, &pose);
}

// Whether nothing moves, nor the base, and no step was taken since.
static bool at_rest(const tdi_reduced_state *s) {
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
        t->bdf.history[c] = t->bdf.predictor[c] = (tdi_affine){f->o, f->r};
    }
    memset(t->v, 0, (size_t)s->full->head.dof_count * sizeof *t->v);
    memcpy(t->last.q, t->q, (size_t)s->clusters.coord_count * sizeof *t->q);
    memcpy(t->bdf.angle, t->angle, (size_t)s->clusters.head.dof_count * sizeof *t->angle);
}

static void gather_past(tdi_reduced_state *s) {
    const size_t n = (size_t)s->clusters.body_count;
    memset(s->rate, 0, n * sizeof *s->rate);
    memset(s->tree.bdf.history, 0, n * sizeof *s->tree.bdf.history);
    memset(s->tree.bdf.predictor, 0, n * sizeof *s->tree.bdf.predictor);
    add_motions(s);
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        const int32_t i = s->list.first[c];
        if (tdi_reduce_single(s, c)) {
            s->tree.past[c] = s->whole.past[i];
            s->tree.bdf.history[c] = s->whole.bdf.history[i];
            s->tree.bdf.predictor[c] = s->whole.bdf.predictor[i];
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
    memcpy(s->tree.last.q + to->coord[c], s->whole.last.q + m->coord[i], coords);
    memcpy(s->tree.angle + to->dof[c], s->whole.angle + m->dof[i], dofs);
    memcpy(s->tree.bdf.angle + to->dof[c], s->whole.bdf.angle + m->dof[i], dofs);
}

static void gather_group(tdi_reduced_state *s, int32_t c, int32_t first) {
    const td_vec3 a = s->group.began[c];
    td_vec3 history = a;
    for (int32_t j = first; j != TD_NONE; j = s->joined[j]) {
        const td_real *now = s->whole.angle + s->full->dof[j],
                      *then = s->whole.bdf.angle + s->full->dof[j];
        const td_vec3 lag = tdi_vec3(then[0] - now[0], then[1] - now[1], then[2] - now[2]);
        history = tdi_add(history, tdi_quat_rotate(s->group.share[j].turn, lag));
    }
    // x* is a third of the last way ahead
    tdi_reduce_set_ball(&s->tree, s->clusters.coord[c], s->clusters.dof[c], a, history);
}

static void gather_joints(tdi_reduced_state *s) {
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        if (s->joined[s->list.first[c]] == TD_NONE) {
            gather_own(s, c, s->list.first[c]);
        } else {
            gather_group(s, c, s->list.first[c]);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_reduce_change(tdi_reduced_state *s) {
    const bool rests = at_rest(s);
    tdi_reduce_settle_wanted(s);
    tdi_reduce_spread_winds(s);
    s->drawn = TDI_DRAWN_NOT;
    tdi_reduce_draw(s, !rests);
    s->drawn = TDI_DRAWN_NOT;
    memcpy(s->mode, s->choice.wanted, (size_t)s->full->body_count * sizeof *s->mode);
    tdi_reduce_cluster(s);
    gather_joints(s);
    (rests ? rest : gather_past)(s);
    tdi_reduce_take_winds(s, s->wind.segment);
    tdi_reduce_air(s, 0, true);
    s->tree.stale = !rests;
    s->count->changes++;
}
