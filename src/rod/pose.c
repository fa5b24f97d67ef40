// SPDX-License-Identifier: MIT
// Poses of a rod network.
//
// An increment moves vertices straight on. In parts that are held at their roots alone it turns the
// edges instead and sets each at the end of the one before: the same to first order, but edges keep
// their lengths, so that stiff ones do not hold the others back. Roundings of all edges add up that
// way, to more than constraints far from the root allow: slight increments of what they hold go
// straight, which is the same but for rounding.

#include "rod/pose.h"

#include "rod/rest_frame.h"

#include <math.h>
#include <string.h>

#define SHORTEST     0.2  // of an edge: it shrinks no further by one increment
#define SLIGHT       1e-6 // rad or m
#define SLIGHT_GUESS 0.01 // rad or m
#define FLAPPING     0.7  // rad a step

// ---- edges ----------------------------------------------------------------------------------

// Carries the frame of `old` over to direction t and turns it there.
static inline void set_frame(tdi_edge *edge, const tdi_edge *old, td_vec3 t, td_real turn) {
    td_vec3 m1 = tdi_transport(old->m1, old->t, t);
    edge->t = t;
    if (turn != 0) {
        td_real c = cos(turn), s = sin(turn);
        m1 = tdi_add(tdi_scale(m1, c), tdi_scale(tdi_cross(t, m1), s));
    }
    edge->m1 = m1;
    edge->m2 = tdi_cross(t, m1);
}

static inline void set_joint(const tdi_rod_state *state, int32_t i, td_real before) {
    tdi_edge room;
    tdi_rod_pose *pose = &state->pose[i];
    tdi_joint_strain s =
        tdi_joint_measure(tdi_rod_before(state->model, state->pose, i, &room), &pose->edge);
    pose->twist = tdi_joint_twist(&s, before);
    pose->twist_sin = s.twist_sin;
    pose->twist_cos = s.twist_cos;
    tdi_joint_wind(&s, pose->twist);
    pose->kb = s.kb;
    pose->chi = s.chi;
    pose->k1 = s.k1;
    pose->k2 = s.k2;
}

static inline td_vec3 move_of(const tdi_rod_state *s, int32_t i, td_real part) {
    const td_real *x = s->step[i].x;
    return tdi_vec3(part * x[0], part * x[1], part * x[2]);
}

// ---- turning --------------------------------------------------------------------------------

// With a = t.df and the rest across: |f| + a long, along t + across/|f|.
static void turn_node(tdi_rod_state *s, int32_t i, td_real part, bool keep) {
    const tdi_rod_node *n = &s->model->node[i];
    const tdi_rod_pose *old = &s->pose_back[i];
    tdi_rod_pose *pose = &s->pose[i];
    s->turn[i] = s->turn_back[i] + part * s->step[i].x[3];
    if (!tdi_has_edge(n)) {
        pose->x = tdi_add(old->x, move_of(s, i, part));
        return;
    }
    td_vec3 lever = tdi_rod_lever(s->model, s->pose, i),
            start = tdi_add(s->pose[n->parent].x, lever);
    if (n->flags & TDI_HELD_PLACE) {
        pose->x = tdi_add(old->x, move_of(s, i, part));
        td_vec3 f = tdi_sub(pose->x, start);
        pose->edge.length = tdi_norm(f);
        set_frame(&pose->edge, &old->edge, tdi_scale(f, 1 / pose->edge.length),
                  part * s->step[i].x[3]);
    } else {
        td_vec3 df = tdi_sub(move_of(s, i, part), move_of(s, n->parent, part));
        if (n->flags & TDI_OFFSET) {
            df = tdi_sub(df, tdi_sub(lever, tdi_rod_lever(s->model, s->pose_back, i)));
        }
        td_real along = tdi_dot(df, old->edge.t), length = old->edge.length;
        td_vec3 across = tdi_madd(df, old->edge.t, -along);
        td_vec3 t = tdi_madd(old->edge.t, across, 1 / length);
        t = tdi_scale(t, 1 / tdi_norm(t));
        pose->edge.length = keep ? length : fmax(length + along, SHORTEST * length);
        set_frame(&pose->edge, &old->edge, t, part * s->step[i].x[3]);
        pose->x = tdi_madd(start, t, pose->edge.length);
    }
    if (tdi_has_joint(n)) {
        set_joint(s, i, old->twist);
    }
}

// ---- straight -------------------------------------------------------------------------------

static void follow_edge(tdi_rod_state *s, int32_t i, td_real turn) {
    const tdi_rod_node *n = &s->model->node[i];
    tdi_rod_pose *pose = &s->pose[i];
    if (tdi_has_edge(n)) {
        td_vec3 f = tdi_sub(pose->x, tdi_rod_start(s->model, s->pose, i));
        pose->edge.length = tdi_norm(f);
        set_frame(&pose->edge, &s->pose_back[i].edge, tdi_scale(f, 1 / pose->edge.length), turn);
    }
}

static void move_straight(tdi_rod_state *s, const tdi_rod_part *range, td_real part) {
    for (int32_t i = range->first; i < range->last; i++) {
        s->pose[i].x = tdi_add(s->pose_back[i].x, move_of(s, i, part));
        s->turn[i] = s->turn_back[i] + part * s->step[i].x[3];
    }
    for (int32_t i = range->first; i < range->last; i++) {
        follow_edge(s, i, part * s->step[i].x[3]);
    }
    for (int32_t i = range->first; i < range->last; i++) {
        if (tdi_has_joint(&s->model->node[i])) {
            set_joint(s, i, s->pose_back[i].twist);
        }
    }
}

// Turned edges leave the places that constraints hold by errors of second order, which add up along
// the rod: of a short way there its edges had better stretch.
static bool goes_straight(const tdi_rod_state *s, td_real part, tdi_rod_way way) {
    const td_real slight = way == TDI_KEEPING ? SLIGHT_GUESS : SLIGHT;
    return way == TDI_STRAIGHT || (s->head.constrained && part * tdi_rod_largest(s) < slight);
}

void tdi_rod_try(tdi_rod_state *s, td_real part, tdi_rod_way way) {
    const bool straight = goes_straight(s, part, way);
    for (int32_t k = 0; k < s->model->part_count; k++) {
        const tdi_rod_part *range = &s->model->part[k];
        if (straight || !range->turns) {
            move_straight(s, range, part);
            continue;
        }
        for (int32_t i = range->first; i < range->last; i++) {
            turn_node(s, i, part, way == TDI_KEEPING);
        }
    }
}

// ---- starts and guesses ---------------------------------------------------------------------

// Frames and strains follow the places.
static void follow(tdi_rod_state *s) {
    const int32_t n = s->model->node_count;
    memcpy(s->pose_back, s->pose, (size_t)n * sizeof *s->pose);
    for (int32_t i = 0; i < n; i++) {
        follow_edge(s, i, 0);
    }
    for (int32_t i = 0; i < n; i++) {
        if (tdi_has_joint(&s->model->node[i])) {
            set_joint(s, i, s->pose_back[i].twist);
        }
    }
}

void tdi_rod_follow(tdi_rod_state *s) {
    if (s->stale == TDI_ROD_STALE) {
        follow(s);
        s->stale = TDI_ROD_FOLLOWED;
    }
}

// An edge without length has no direction: a caller may be about to set its other end.
static bool has_directions(const tdi_rod_state *s) {
    for (int32_t i = 0; i < s->model->node_count; i++) {
        if (tdi_has_edge(&s->model->node[i])) {
            td_vec3 f = tdi_sub(s->pose[i].x, tdi_rod_start(s->model, s->pose, i));
            if (!(tdi_dot(f, f) > 0 && isfinite(tdi_dot(f, f)))) {
                return false;
            }
        }
    }
    return true;
}

void tdi_rod_refresh(const tdi_rod_state *state) {
    tdi_rod_state *s = (tdi_rod_state *)state; // what follows from the places is kept beside them
    if (s->stale == TDI_ROD_STALE && has_directions(s)) {
        tdi_rod_follow(s);
    }
}

void tdi_rod_place_start(tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_node *n = &m->node[i];
        s->pose[i] = (tdi_rod_pose){.x = n->start, .chi = 2};
        s->target.place[i] = n->start;
        s->target.m1[i] = n->start_m1;
    }
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_node *n = &m->node[i];
        tdi_edge *edge = &s->pose[i].edge;
        if (tdi_has_edge(n)) {
            td_vec3 f = tdi_sub(n->start, tdi_rod_start(m, s->pose, i));
            edge->length = tdi_norm(f);
            edge->t = tdi_scale(f, 1 / edge->length);
            edge->m1 = tdi_director(n->start_m1, edge->t);
            edge->m2 = tdi_cross(edge->t, edge->m1);
        }
    }
    for (int32_t i = 0; i < m->node_count; i++) {
        if (tdi_has_joint(&m->node[i])) {
            set_joint(s, i, m->node[i].start_twist);
        }
    }
}

// The turn that takes a held frame, carried along with its edge, to where it shall be.
static td_real turn_to_target(const tdi_rod_state *s, const tdi_rod_pose *from, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    const tdi_edge *old = &from[i].edge;
    td_vec3 f = tdi_sub(s->target.place[i], s->target.place[n->parent]);
    td_vec3 t = tdi_scale(f, 1 / tdi_norm(f)), carried = tdi_transport(old->m1, old->t, t);
    return atan2(tdi_dot(tdi_cross(carried, s->target.m1[i]), t),
                 tdi_dot(carried, s->target.m1[i]));
}

// How an edge that is not held turns with the one before. The first of a rod that rolls turns by
// any angle.
static td_real turn_before(const tdi_rod_state *s, int32_t i, td_real turn) {
    const int32_t parent = s->model->node[i].parent;
    return tdi_has_edge(&s->model->node[parent]) ? s->step[parent].x[3] : turn;
}

// An edge that swings or turns further than this against the one before flaps, and does not go on
// so: it moves with that.
static bool flaps(const tdi_rod_state *s, int32_t i, td_vec3 move, td_real turn) {
    const tdi_rod_node *n = &s->model->node[i];
    if (!tdi_has_edge(n) || n->ring != TD_NONE || n->flags & (TDI_HELD_PLACE | TDI_HELD_TURN)) {
        return false;
    }
    td_vec3 swing = tdi_sub(move, move_of(s, n->parent, 1));
    td_real most = FLAPPING * n->length;
    return tdi_dot(swing, swing) > most * most || fabs(turn - turn_before(s, i, turn)) > FLAPPING;
}

void tdi_rod_guess(tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    const td_real line = s->head.known >= 2 ? (s->history.curved ? 2 : 1) : 0,
                  bend = line > 1 ? 1 : 0;
    for (int32_t i = 0; i < m->node_count; i++) {
        const uint32_t flags = m->node[i].flags;
        td_real *x = s->step[i].x,
                turn = line * s->history.past[i].turn - bend * s->history.turn_before[i];
        td_vec3 last = tdi_sub(s->pose_back[i].x, s->history.before[i]);
        td_vec3 older = tdi_sub(s->history.before[i], s->before_last[i]);
        td_vec3 move = flags & TDI_HELD_PLACE ? tdi_sub(s->target.place[i], s->pose_back[i].x)
                                              : tdi_madd(tdi_scale(last, line), older, -bend);
        if (flaps(s, i, move, turn)) {
            move = move_of(s, m->node[i].parent, 1);
            turn = turn_before(s, i, 0);
        }
        x[0] = move.x;
        x[1] = move.y;
        x[2] = move.z;
        x[3] = !tdi_has_edge(&m->node[i]) ? 0
               : flags & TDI_HELD_TURN    ? turn_to_target(s, s->pose_back, i)
                                          : turn;
    }
}

void tdi_rod_go_towards(tdi_rod_state *s, const td_vec3 *to) {
    const tdi_rod_model *m = s->model;
    for (int32_t i = 0; i < m->node_count; i++) {
        const td_vec3 move = tdi_sub(to[i], s->pose_back[i].x);
        const bool turns = tdi_has_edge(&m->node[i]), held = m->node[i].flags & TDI_HELD_TURN;
        td_real *x = s->step[i].x;
        x[0] = move.x;
        x[1] = move.y;
        x[2] = move.z;
        x[3] = !turns        ? 0
               : held        ? turn_to_target(s, s->pose_back, i)
               : s->returned ? s->replaced.past[i].turn
                             : 0;
    }
}

bool tdi_rod_carry_held(tdi_rod_state *s) {
    return tdi_rod_carry_left(s, s->pose);
}

bool tdi_rod_carry_left(tdi_rod_state *s, const tdi_rod_pose *from) {
    const tdi_rod_model *m = s->model;
    bool left = false;
    for (int32_t i = 0; i < m->node_count; i++) {
        td_real *x = s->step[i].x;
        if (m->node[i].flags & TDI_HELD_PLACE) {
            td_vec3 move = tdi_sub(s->target.place[i], from[i].x);
            left = left || tdi_norm(move) > 1e-12 * m->node[i].length;
            x[0] = move.x;
            x[1] = move.y;
            x[2] = move.z;
        }
        if (m->node[i].flags & TDI_HELD_TURN && tdi_has_edge(&m->node[i])) {
            x[3] = turn_to_target(s, from, i);
            left = left || fabs(x[3]) > 1e-9;
        }
    }
    return left;
}

// The square of a turn of an edge about itself. What rolls as a whole is not twisted: its surface
// moves, and edges twist by how much more they turn than those before.
static td_real turned2(const tdi_rod_state *s, const tdi_rod_part *range, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    const td_real turn = s->step[i].x[3];
    if (!range->rolls || !tdi_has_edge(n)) {
        return turn * turn;
    }
    const td_real way = n->radius * turn, twist = turn - turn_before(s, i, turn);
    return fmax(way * way, twist * twist);
}

td_real tdi_rod_largest(const tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    td_real most = 0;
    for (int32_t k = 0; k < m->part_count; k++) {
        const tdi_rod_part *range = &m->part[k];
        for (int32_t i = range->first; i < range->last; i++) {
            const tdi_rod_node *n = &m->node[i];
            const td_vec3 x = move_of(s, i, 1);
            td_real square = turned2(s, range, i), shift = tdi_dot(x, x);
            if (tdi_has_edge(n)) {
                const td_vec3 df = tdi_sub(x, move_of(s, n->parent, 1));
                const td_real swing = tdi_dot(df, df) / (n->length * n->length);
                square = swing > square ? swing : square;
            }
            square = shift > square ? shift : square;
            most = square <= most ? most : square; // keeps what is not a number
        }
    }
    return sqrt(most);
}
