// SPDX-License-Identifier: MIT
// Clusters: the smaller tree that the modes of the joints make of the whole one, at its pose.
//
//   frozen   mass m, first and second moment mc, S of a segment seated at (a, Q):
//              m, m a + Q mc, Q S Q^T + a (Q mc)^T + (Q mc) a^T + m a a^T
//   joined   a turn y of the group turns joint j by c_j y, about the same axis, with its part c_j
//            of the compliance in bending. Springs, damping and loads do the same work as in the
//            joints: with the axes of joint j turned by Q_j against those of the group
//              K = sum c_j^2 Q_j K_j Q_j^T,  B = sum c_j^2 Q_j B_j Q_j^T,  M = sum c_j Q_j M_j
//            in the axes in which K is diagonal. The group's joint is at sum c_j o_j, about which
//            such turns move what is behind it.
//   drag     along each axis e the cluster has the quadratic drag of its segments in a uniform
//            wind, f_e = sum A_ee (A_ee/a)^(1/2); the two points of Gauss are about the centre of
//            the area.

#include "reduce/reduce.h"

#include "math/subspace.h"
#include "tree/joint.h"

#include <math.h>
#include <string.h>

#define SOLVES 8 // for a turn by its moment: each gains a digit or more

// ---- seats ----------------------------------------------------------------------------------

static tdi_seat seat_at(const tdi_reduced_state *s, int32_t cluster, int32_t i) {
    const tdi_frame *c = &s->tree.frame[cluster], *f = &s->whole.frame[i];
    return (tdi_seat){.body = cluster,
                      .at = tdi_mat3_apply_t(&c->r, tdi_sub(f->o, c->o)),
                      .turn = tdi_quat_mul(tdi_quat_conj(c->turn), f->turn)};
}

static void set_seats(tdi_reduced_state *s, int32_t i) {
    const int32_t c = s->seat[i].body, side = s->group.side[i].seat.body;
    s->seat[i] = seat_at(s, c, i);
    if (side != TD_NONE) {
        s->group.side[i].seat = seat_at(s, side, i);
    }
}

// ---- mass and area --------------------------------------------------------------------------

void tdi_reduce_add_mass(tdi_body *to, const tdi_body *from, const tdi_seat *seat, td_real w) {
    const tdi_mat3 q = tdi_mat3_from_quat(seat->turn);
    const td_vec3 a = seat->at, c = tdi_mat3_apply(&q, from->moment);
    td_sym3 second = tdi_sym3_add(tdi_sym3_turn(&q, &from->second), tdi_sym3_square(a, from->mass));
    // a c^T + c a^T = 1/2 ((a + c)^2 - (a - c)^2)
    second = tdi_sym3_add(second, tdi_sym3_square(tdi_add(a, c), 0.5));
    second = tdi_sym3_add(second, tdi_sym3_square(tdi_sub(a, c), -0.5));
    to->mass += w * from->mass;
    to->moment = tdi_add(to->moment, tdi_scale(tdi_madd(c, a, from->mass), w));
    to->second = tdi_sym3_add(to->second, tdi_sym3_scale(second, w));
}

// In `area` the forces f_e, in `tip` the area's first moment, in `from` the area, until all are in.
static void add_area(tdi_body *to, const tdi_body *from, const tdi_seat *seat, td_real w) {
    const tdi_mat3 q = tdi_mat3_from_quat(seat->turn);
    const td_real most = fmax(from->area.x, fmax(from->area.y, from->area.z));
    if (!(most > 0)) {
        return;
    }
    const td_sym3 a = tdi_sym3_turn_diagonal(&q, from->area);
    const td_real whole = w * (a.xx + a.yy + a.zz);
    to->area =
        tdi_add(to->area, tdi_vec3(w * a.xx * sqrt(a.xx / most), w * a.yy * sqrt(a.yy / most),
                                   w * a.zz * sqrt(a.zz / most)));
    const td_vec3 middle = tdi_madd(seat->at, tdi_mat3_apply(&q, from->tip), 0.5);
    to->tip = tdi_madd(to->tip, middle, whole);
    to->from += whole;
}

static td_real fitted(td_real force, td_real most) {
    return cbrt(force * force * most);
}

static void fit_area(tdi_body *b) {
    const td_real most = fmax(b->area.x, fmax(b->area.y, b->area.z));
    b->area = tdi_vec3(fitted(b->area.x, most), fitted(b->area.y, most), fitted(b->area.z, most));
    b->tip = b->from > 0 ? tdi_scale(b->tip, 2 / b->from) : b->tip;
    b->from = 0;
}

// ---- joints ---------------------------------------------------------------------------------

// The joint of a segment as it is, seen from the cluster that carries it.
static void place_attach(tdi_reduced_state *s, int32_t c, int32_t i) {
    tdi_body *b = &s->clusters.body[c];
    const tdi_body *own = &s->full->body[i];
    const int32_t p = s->full->parent[i];
    b->attach = own->attach;
    b->rest = own->rest;
    if (p != TD_NONE) {
        const tdi_seat *up = &s->seat[p];
        b->attach = tdi_add(up->at, tdi_quat_rotate(up->turn, own->attach));
        b->rest = tdi_seat_turn(up, own->rest);
    }
}

static void place_joint(tdi_reduced_state *s, int32_t c, int32_t i) {
    s->clusters.body[c] = s->full->body[i];
    place_attach(s, c, i);
    s->tree.frame[c] = s->whole.frame[i];
    s->seat[i] = (tdi_seat){.body = c, .turn = {1, 0, 0, 0}};
    s->group.side[i].off[0] = tdi_vec3(0, 0, 0);
}

// sum over b of M_ab^2 x_b: the diagonal of M diag(x) M^T
static td_vec3 turned_diagonal(const tdi_mat3 *m, td_vec3 x) {
    const td_sym3 s = tdi_sym3_turn_diagonal(m, x);
    return tdi_vec3(s.xx, s.yy, s.zz);
}

static td_vec3 inverse(td_vec3 k) {
    return tdi_vec3(1 / k.x, 1 / k.y, 1 / k.z);
}

// Axes in which a stiffness is diagonal, as close to a turn as columns come; and that diagonal.
static td_quat principal(const td_sym3 *k, td_vec3 *diagonal) {
    td_real m[9] = {k->xx, k->xy, k->xz, k->xy, k->yy, k->yz, k->xz, k->yz, k->zz}, v[9];
    tdi_diagonalise(m, v, 3);
    const td_vec3 x = {v[0], v[3], v[6]}, y = {v[1], v[4], v[7]};
    *diagonal = tdi_vec3(m[0], m[4], m[8]);
    return tdi_quat_from_axes(x, y, tdi_cross(x, y));
}

// Frame of the group: principal axes of K, origin at sum c_j o_j.
static void place_group(tdi_reduced_state *s, int32_t c, int32_t first) {
    const td_real whole = tdi_reduce_group_bending(s, first);
    td_vec3 sum = {0, 0, 0};
    td_sym3 all = {0, 0, 0, 0, 0, 0};
    for (int32_t j = first; j != TD_NONE; j = s->joined[j]) {
        const tdi_body *own = &s->full->body[j];
        const tdi_frame *f = &s->whole.frame[j];
        const td_real part = tdi_reduce_bending(own) / whole;
        const td_vec3 k = tdi_scale(own->stiffness, part * part);
        all = tdi_sym3_add(all, tdi_sym3_turn_diagonal(&f->r, k));
        sum = tdi_madd(sum, f->o, part);
    }
    tdi_frame *f = &s->tree.frame[c];
    f->turn = principal(&all, &s->clusters.body[c].stiffness);
    f->r = tdi_mat3_from_quat(f->turn);
    f->o = sum;
}

// The moment about o of the weight that a joint carries, in the axes of a frame.
static td_vec3 weight_about(const tdi_reduced_state *s, int32_t i, const tdi_frame *f) {
    const td_vec3 arm = tdi_madd(s->air.load[i].f, f->o, -s->shape[i].mass);
    return tdi_mat3_apply_t(&f->r, tdi_cross(arm, s->count->flow.gravity));
}

// The moment of the spring of a ball joint that is turned by a: K a but for what is of second order
// where K has different entries.
static td_vec3 spring_moment(const tdi_body *b, td_vec3 a) {
    const td_quat turn = tdi_turn_by(a);
    const td_real q[4] = {turn.w, turn.x, turn.y, turn.z}, near[3] = {a.x, a.y, a.z},
                  still[3] = {0, 0, 0};
    return tdi_scale(tdi_ball_moment(TD_LAW_LINEAR, b, q, still, near), -1);
}

// The turn at which that is m.
static td_vec3 turn_under(const tdi_body *b, td_vec3 m) {
    const td_vec3 soft = inverse(b->stiffness);
    td_vec3 a = tdi_times(soft, m);
    for (int k = 0; k < SOLVES; k++) {
        a = tdi_add(a, tdi_times(soft, tdi_sub(m, spring_moment(b, a))));
    }
    return a;
}

// The moment M with which the group begins, in `began`. Of what floats the weight of segments
// within the group has another moment about its joint than about theirs, which is added:
//   M = sum c_j Q_j (M_j - w_j) + w
// w is that of the clusters as they are, and so known when all are: see balance_groups().
static void join_springs(tdi_reduced_state *s, int32_t c, int32_t first) {
    const td_real whole = tdi_reduce_group_bending(s, first);
    td_vec3 damping = {0, 0, 0}, moment = {0, 0, 0};
    for (int32_t j = first; j != TD_NONE; j = s->joined[j]) {
        const tdi_body *own = &s->full->body[j];
        tdi_share *share = &s->group.share[j];
        share->turn = seat_at(s, c, j).turn;
        const tdi_mat3 q = tdi_mat3_from_quat(share->turn);
        const td_real part = tdi_reduce_bending(own) / whole, *a = s->whole.angle + s->full->dof[j];
        share->angle = tdi_vec3(a[0], a[1], a[2]);
        const td_vec3 w = weight_about(s, j, &s->whole.frame[j]),
                      left = tdi_sub(spring_moment(own, share->angle), w);
        moment = tdi_madd(moment, tdi_mat3_apply(&q, left), part);
        damping = tdi_madd(damping, turned_diagonal(&q, own->damping), part * part);
    }
    s->clusters.body[c].damping = damping;
    s->group.began[c] = moment;
}

static void place_group_joint(tdi_reduced_state *s, int32_t c) {
    tdi_body *b = &s->clusters.body[c];
    const int32_t p = s->clusters.parent[c];
    const tdi_frame *f = &s->tree.frame[c], *up = p == TD_NONE ? &s->whole.base : &s->tree.frame[p];
    const td_quat turn = tdi_quat_mul(tdi_quat_conj(up->turn), f->turn);
    b->attach = tdi_mat3_apply_t(&up->r, tdi_sub(f->o, up->o));
    b->rest = tdi_quat_unit(tdi_quat_mul(turn, tdi_quat_conj(tdi_turn_by(s->group.began[c]))));
    b->initial = b->rest;
}

// Where the mass of a segment's parts is, by d in world axes.
static void set_off(tdi_reduced_state *s, int32_t i, int32_t far, td_vec3 d) {
    tdi_other_side *side = &s->group.side[i];
    const bool on_far = s->seat[i].body == far;
    const td_real share = on_far ? 1 - side->share : side->share;
    const td_vec3 back = tdi_scale(d, share < 1 ? -share / (1 - share) : 0);
    side->off[0] = tdi_mat3_apply_t(&s->tree.frame[s->seat[i].body].r, on_far ? d : back);
    if (side->seat.body != TD_NONE) {
        side->off[1] = tdi_mat3_apply_t(&s->tree.frame[side->seat.body].r, on_far ? back : d);
    }
}

// d = o - sum over j <= i of c_j o_j/s_i; 0 of what floats
static void place_mass(tdi_reduced_state *s, int32_t c, int32_t first) {
    const bool floats = s->full->kind[0] == TD_JOINT_FREE;
    td_vec3 sum = {0, 0, 0};
    td_real part = 0;
    for (int32_t j = first; j != TD_NONE; j = s->joined[j]) {
        const td_real e = tdi_reduce_bending(&s->full->body[j]);
        sum = tdi_madd(sum, s->whole.frame[j].o, e);
        part += e;
        const td_vec3 d = tdi_madd(s->tree.frame[c].o, sum, -1 / part);
        set_off(s, j, c, floats || s->joined[j] == TD_NONE ? tdi_vec3(0, 0, 0) : d);
    }
}

static void make_group(tdi_reduced_state *s, int32_t c, int32_t first) {
    s->clusters.body[c] = (tdi_body){.mass = 0};
    place_group(s, c, first);
    join_springs(s, c, first);
    for (int32_t j = first; j != TD_NONE; j = s->joined[j]) {
        set_seats(s, j);
    }
    place_mass(s, c, first);
}

// In `load` the first moment of mass about the world's origin, of all that a joint carries.
static void sum_weights(tdi_reduced_state *s) {
    memset(s->air.load, 0, (size_t)s->full->body_count * sizeof *s->air.load);
    for (int32_t i = s->full->body_count - 1; i >= 0; i--) {
        const tdi_body *b = &s->full->body[i];
        const tdi_frame *f = &s->whole.frame[i];
        const int32_t p = s->full->parent[i];
        const td_vec3 own = tdi_madd(tdi_mat3_apply(&f->r, b->moment), f->o, b->mass);
        s->air.load[i].f = tdi_add(s->air.load[i].f, own);
        if (p != TD_NONE) {
            s->air.load[p].f = tdi_add(s->air.load[p].f, s->air.load[i].f);
        }
    }
}

// A cluster comes before the clusters that it carries, so that their seats are known.
static void make_joints(tdi_reduced_state *s) {
    for (int32_t i = 0, c = 0; i < s->full->body_count; i++) {
        const bool own = s->mode[i] == TD_REDUCE_OWN;
        if (own && s->joined[i] != TD_NONE) {
            make_group(s, c, i);
        } else if (own) {
            place_joint(s, c, i);
        } else if (s->mode[i] != TD_REDUCE_JOINED) {
            set_seats(s, i);
            memcpy(s->group.side[i].off, s->group.side[s->full->parent[i]].off,
                   sizeof s->group.side[i].off);
        }
        c += own;
    }
}

// ---- bodies ---------------------------------------------------------------------------------

static void add_segment(tdi_reduced_state *s, int32_t i, bool other, td_real w) {
    const tdi_seat seat = tdi_reduce_mass_seat(s, i, other);
    tdi_reduce_add_mass(&s->clusters.body[seat.body], &s->full->body[i], &seat, w);
    add_area(&s->clusters.body[seat.body], &s->full->body[i], &seat, w);
}

// Clusters of one segment have its numbers to the last bit.
static void fill_bodies(tdi_reduced_state *s) {
    tdi_body *body = s->clusters.body;
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        if (!tdi_reduce_single(s, c)) {
            body[c].mass = body[c].from = body[c].fold = 0;
            body[c].moment = body[c].area = body[c].tip = tdi_vec3(0, 0, 0);
            body[c].second = (td_sym3){0, 0, 0, 0, 0, 0};
        }
    }
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const tdi_other_side *side = &s->group.side[i];
        if (!tdi_reduce_single(s, s->seat[i].body)) {
            add_segment(s, i, false, 1 - side->share);
        }
        if (side->seat.body != TD_NONE) {
            add_segment(s, i, true, side->share);
        }
    }
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        if (!tdi_reduce_single(s, c)) {
            fit_area(&body[c]);
            s->air.model[c] = (tdi_cluster_drag){body[c].area, body[c].tip, body[c].second};
        }
        s->air.rest[c] = (tdi_reduce_rest){.acts = 0}; // until the air is asked
    }
}

// The turns with which groups begin. In `rate` the first moment of mass of all that a cluster
// carries, and the mass.
static void balance_groups(tdi_reduced_state *s) {
    const tdi_tree_model *m = &s->clusters;
    for (int32_t c = 0; c < m->body_count; c++) {
        const tdi_body *b = &m->body[c];
        const tdi_frame *f = &s->tree.frame[c];
        s->rate[c].o = tdi_madd(tdi_mat3_apply(&f->r, b->moment), f->o, b->mass);
        s->rate[c].r.m[0] = b->mass;
    }
    for (int32_t c = m->body_count - 1; c >= 0; c--) {
        const int32_t p = m->parent[c];
        if (p != TD_NONE) {
            s->rate[p].o = tdi_add(s->rate[p].o, s->rate[c].o);
            s->rate[p].r.m[0] += s->rate[c].r.m[0];
        }
    }
    for (int32_t c = 0; c < m->body_count; c++) {
        if (s->joined[s->list.first[c]] != TD_NONE) {
            const tdi_frame *f = &s->tree.frame[c];
            const td_vec3 arm = tdi_madd(s->rate[c].o, f->o, -s->rate[c].r.m[0]),
                          w = tdi_mat3_apply_t(&f->r, tdi_cross(arm, s->count->flow.gravity));
            s->group.began[c] = turn_under(&m->body[c], tdi_add(s->group.began[c], w));
            place_group_joint(s, c);
        }
    }
}

void tdi_reduce_set_capsules(tdi_reduced_state *s) {
    tdi_tree_model *m = &s->clusters;
    for (int32_t k = 0; k < m->capsule_count; k++) {
        const int32_t i = s->full->capsule_body[k];
        m->capsule_body[k] = s->seat[i].body;
        m->capsule_radius[k] = s->full->capsule_radius[k];
        for (int32_t e = 2 * k; e < 2 * k + 2; e++) {
            m->point[e] = tdi_seat_point(&s->tree, i, s->full->point[e]);
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_reduce_cluster(tdi_reduced_state *s) {
    tdi_reduce_structure(s);
    if (s->groups > 0) {
        sum_weights(s);
    }
    make_joints(s);
    fill_bodies(s);
    if (s->groups > 0) {
        balance_groups(s);
    }
    tdi_reduce_set_capsules(s);
}
