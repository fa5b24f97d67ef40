// SPDX-License-Identifier: MIT
// From the modes of the joints to the shape of the smaller tree: which cluster a segment is on, and
// which joint a cluster has. Nothing here depends on the pose.

#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

#define FEW  3  // segments: fewer sample the wind at one point, since gusts are longer,
#define MANY 12 // fewer than these at two, more at four

#define ALIKE 1.01 // areas are equal when they differ by less than this factor

// ---- modes ----------------------------------------------------------------------------------

static bool springy(const tdi_body *b) {
    return b->stiffness.x > 0 && b->stiffness.y > 0 && b->stiffness.z > 0;
}

// Springs in series are those of the linear law.
static bool can_join(const tdi_tree_model *m, int32_t i) {
    return m->kind[i] == TD_JOINT_BALL && m->law == TD_LAW_LINEAR && springy(&m->body[i]);
}

bool tdi_reduce_can(const tdi_tree_model *m, int32_t i, td_reduce_mode mode) {
    const int32_t p = m->parent[i];
    switch (mode) {
    case TD_REDUCE_OWN: return true;
    case TD_REDUCE_JOINED: return p != TD_NONE && can_join(m, i) && can_join(m, p);
    case TD_REDUCE_FROZEN:
    case TD_REDUCE_QUASISTATIC: return p != TD_NONE && m->kind[i] != TD_JOINT_FREE;
    }
    return false;
}

#define SEVERAL (-2)

static bool moves(td_reduce_mode mode) {
    return mode == TD_REDUCE_OWN || mode == TD_REDUCE_JOINED;
}

// A segment within a group moves with both of its sides: the group has something that carries it.
static bool may(const tdi_reduced_state *s, const uint8_t *mode, int32_t i) {
    const tdi_tree_model *m = s->full;
    const int32_t p = m->parent[i];
    switch ((td_reduce_mode)mode[i]) {
    case TD_REDUCE_QUASISTATIC:
        return tdi_reduce_can(m, i, TD_REDUCE_QUASISTATIC) &&
               (s->shape[i].may_be_quasistatic || mode[p] == TD_REDUCE_QUASISTATIC);
    case TD_REDUCE_JOINED: return tdi_reduce_can(m, i, TD_REDUCE_JOINED) && m->parent[p] != TD_NONE;
    default: return tdi_reduce_can(m, i, (td_reduce_mode)mode[i]);
    }
}

// Modes that each joint can have whatever hangs on it. Joints beyond a quasi-static one are
// quasi-static.
static void settle_alone(const tdi_reduced_state *s, uint8_t *mode) {
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const int32_t p = s->full->parent[i];
        if (p != TD_NONE && mode[p] == TD_REDUCE_QUASISTATIC) {
            mode[i] = TD_REDUCE_QUASISTATIC;
        }
        if (!may(s, mode, i)) {
            mode[i] = TD_REDUCE_OWN;
        }
    }
}

// The child that moves on a segment, by its own joint or by one that it carries: TD_NONE, one, or
// SEVERAL.
static void find_moving(const tdi_tree_model *m, const uint8_t *mode, int32_t *child) {
    memset(child, 0xff, (size_t)m->body_count * sizeof *child); // TD_NONE
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        const int32_t p = m->parent[i];
        if (p != TD_NONE && (moves((td_reduce_mode)mode[i]) || child[i] != TD_NONE)) {
            child[p] = child[p] == TD_NONE ? i : SEVERAL;
        }
    }
}

// A joint turns with one that moves. Nothing but the next joint of the group moves on the inside of
// a group: it would hang on one side of it, and elsewhere than it is drawn.
static int32_t settle_modes(const tdi_reduced_state *s, uint8_t *mode, int32_t *joined) {
    int32_t reduced = 0;
    settle_alone(s, mode);
    find_moving(s->full, mode, joined);
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const int32_t p = s->full->parent[i], next = joined[i];
        if (mode[i] == TD_REDUCE_JOINED && joined[p] != i) {
            mode[i] = TD_REDUCE_OWN;
        }
        const bool with = moves((td_reduce_mode)mode[i]) && next >= 0;
        joined[i] = with && mode[next] == TD_REDUCE_JOINED ? next : TD_NONE;
        reduced += mode[i] != TD_REDUCE_OWN;
    }
    return reduced;
}

void tdi_reduce_settle_wanted(tdi_reduced_state *s) {
    for (int32_t i = 0; i < s->full->body_count && tdi_reduce_has_rows(s); i++) {
        if (s->choice.wanted[i] == TD_REDUCE_JOINED) {
            s->choice.wanted[i] = TD_REDUCE_OWN;
        }
    }
    settle_modes(s, s->choice.wanted, s->next);
}

// ---- clusters -------------------------------------------------------------------------------

static int32_t open_cluster(tdi_reduced_state *s, int32_t i) {
    static const int32_t dofs[] = {3, 1, 1, 0, 6}, coords[] = {4, 1, 1, 0, 7};
    tdi_tree_model *m = &s->clusters;
    const int32_t c = m->body_count++, p = s->full->parent[i];
    const td_joint_kind kind = (td_joint_kind)s->full->kind[i];
    const bool ball = kind == TD_JOINT_BALL;
    m->parent[c] = p == TD_NONE ? TD_NONE : s->seat[p].body;
    m->kind[c] = (uint8_t)kind;
    m->dof[c + 1] = m->dof[c] + dofs[kind];
    m->coord[c + 1] = m->coord[c] + coords[kind];
    m->other_place[c] = ball ? TD_NONE : m->other_count++;
    if (m->run_count == 0 || m->run[m->run_count - 1].ball != ball) {
        m->run[m->run_count++] = (tdi_run){c, c, ball};
    }
    m->run[m->run_count - 1].last = c + 1;
    s->list.first[c] = i;
    return c;
}

static void sit(tdi_reduced_state *s, int32_t i, int32_t on, int32_t other, td_real share) {
    s->seat[i].body = on;
    s->group.side[i].seat.body = other;
    s->group.side[i].share = share;
}

// Segments of the group: the share s_i = sum over j <= i of c_j on the far side, the last whole.
static void seat_group(tdi_reduced_state *s, int32_t c, int32_t first) {
    const tdi_body *body = s->full->body;
    const int32_t up = s->clusters.parent[c];
    const td_real whole = tdi_reduce_group_bending(s, first);
    td_real far = 0;
    s->groups++;
    for (int32_t j = first; j != TD_NONE; j = s->joined[j]) {
        far += tdi_reduce_bending(&body[j]) / whole;
        if (s->joined[j] == TD_NONE) {
            sit(s, j, c, TD_NONE, 0);
        } else if (far < 0.5) {
            sit(s, j, up, c, far);
        } else {
            sit(s, j, c, up, 1 - far);
        }
    }
}

static void seat_all(tdi_reduced_state *s) {
    for (int32_t i = 0; i < s->full->body_count; i++) {
        if (s->mode[i] == TD_REDUCE_OWN) {
            const int32_t c = open_cluster(s, i);
            if (s->joined[i] != TD_NONE) {
                seat_group(s, c, i);
            } else {
                sit(s, i, c, TD_NONE, 0);
            }
        } else if (s->mode[i] != TD_REDUCE_JOINED) { // where its parent is, in the same shares
            const int32_t p = s->full->parent[i];
            sit(s, i, s->seat[p].body, s->group.side[p].seat.body, s->group.side[p].share);
        }
    }
}

// The segments of each cluster, in their order.
static void list_segments(tdi_reduced_state *s) {
    const int32_t clusters = s->clusters.body_count, n = s->full->body_count;
    memset(s->list.begin, 0, (size_t)(clusters + 1) * sizeof *s->list.begin);
    for (int32_t i = 0; i < n; i++) {
        s->list.begin[s->seat[i].body + 1]++;
    }
    for (int32_t c = 0; c < clusters; c++) {
        s->list.begin[c + 1] += s->list.begin[c];
    }
    for (int32_t i = 0; i < n; i++) {
        s->list.member[s->list.begin[s->seat[i].body]++] = i;
    }
    for (int32_t c = clusters; c > 0; c--) {
        s->list.begin[c] = s->list.begin[c - 1];
    }
    s->list.begin[0] = 0;
}

static void count_segments(tdi_reduced_state *s) {
    memset(s->list.size, 0, (size_t)s->clusters.body_count * sizeof *s->list.size);
    memset(s->list.stiff, 0, (size_t)s->clusters.body_count * sizeof *s->list.stiff);
    memset(s->list.carries, 0, (size_t)s->clusters.body_count * sizeof *s->list.carries);
    for (int32_t i = 0; i < s->full->body_count; i++) {
        const int32_t c = s->seat[i].body, side = s->group.side[i].seat.body;
        s->list.size[c]++;
        s->list.stiff[c] = s->list.stiff[c] || s->mode[i] == TD_REDUCE_FROZEN;
        s->list.carries[c] = s->list.carries[c] || s->mode[i] == TD_REDUCE_QUASISTATIC;
        if (side != TD_NONE) {
            s->list.size[side]++;
        }
    }
}

// ---- wind -----------------------------------------------------------------------------------

static td_real area_of(const tdi_reduced_state *s, int32_t index) {
    const td_vec3 a = s->full->body[s->list.member[index]].area;
    return a.x + a.y + a.z;
}

// A point represents members [first, last), by the area of all: the one with the largest area, of
// equal ones that in the middle.
static void add_affine(tdi_reduced_state *s, int32_t at, int32_t first, int32_t last) {
    const int32_t middle = first + (last - first) / 2;
    td_real most = ALIKE * area_of(s, middle), all = 0;
    s->wind.from[at] = s->list.member[middle];
    for (int32_t k = first; k < last; k++) {
        const td_real area = area_of(s, k);
        all += area;
        if (area > most) {
            most = area;
            s->wind.from[at] = s->list.member[k];
        }
    }
    s->wind.share[at] = all;
}

// Neighbouring members share a point.
static void share_out(tdi_reduced_state *s, int32_t c, int32_t count) {
    const int32_t first = s->list.begin[c], last = s->list.begin[c + 1], at = s->wind.begin[c];
    int32_t index = 0;
    for (int32_t m = first; m < last; m++) {
        if (m == first + index * (last - first) / count) {
            s->wind.served[at + index++] = m;
        }
    }
    s->wind.served[at + count] = last;
}

// A quadrature of bounded size.
static void find_points(tdi_reduced_state *s) {
    s->wind.begin[0] = 0;
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        const int32_t size = s->list.begin[c + 1] - s->list.begin[c], count = size < FEW    ? 1
                                                                              : size < MANY ? 2
                                                                                            : 4;
        td_real all = 0;
        share_out(s, c, count);
        for (int32_t k = s->wind.begin[c]; k < s->wind.begin[c] + count; k++) {
            add_affine(s, k, s->wind.served[k], s->wind.served[k + 1]);
            all += s->wind.share[k];
        }
        for (int32_t k = s->wind.begin[c]; k < s->wind.begin[c] + count; k++) {
            s->wind.share[k] = all > 0 ? s->wind.share[k] / all : 1.0 / count;
        }
        s->wind.begin[c + 1] = s->wind.begin[c] + count;
    }
}

void tdi_reduce_take_winds(tdi_reduced_state *s, const td_vec3 *winds) {
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        td_vec3 sum = {0, 0, 0};
        for (int32_t k = s->wind.begin[c]; k < s->wind.begin[c + 1]; k++) {
            s->wind.gusts[k] = winds[s->wind.from[k]];
            sum = tdi_madd(sum, s->wind.gusts[k], s->wind.share[k]);
        }
        s->wind.mean[c] = sum;
    }
}

void tdi_reduce_spread_winds(tdi_reduced_state *s) {
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        for (int32_t k = s->wind.begin[c]; k < s->wind.begin[c + 1]; k++) {
            for (int32_t m = s->wind.served[k]; m < s->wind.served[k + 1]; m++) {
                s->wind.segment[s->list.member[m]] = s->wind.gusts[k];
            }
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_reduce_structure(tdi_reduced_state *s) {
    tdi_tree_model *m = &s->clusters;
    s->reduced = settle_modes(s, s->mode, s->joined);
    m->body_count = m->other_count = m->run_count = s->groups = 0;
    m->dof[0] = m->coord[0] = 0;
    seat_all(s);
    count_segments(s);
    list_segments(s);
    find_points(s);
    m->head.dof_count = m->dof[m->body_count];
    m->coord_count = m->coord[m->body_count];
    m->part_count = s->reduced > 0 ? 1 : s->full->part_count;
    m->part[0] = (tdi_part){0, m->body_count, false};
    if (s->reduced == 0) {
        memcpy(m->part, s->full->part, (size_t)m->part_count * sizeof *m->part);
    }
    s->tree.seat = s->reduced > 0 ? s->seat : NULL;
}
