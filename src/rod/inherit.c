// SPDX-License-Identifier: MIT
// Rods that take the motion of others, of which they have segments.
//
// Nodes    The node at the end of an edge comes from that at the end of the old edge, or from a
//          place between its ends: places, velocities and the past are linear along an edge, so
//          that they are interpolated, and pieces of an edge have its momentum. Frames and twist of
//          an edge are those of all its pieces.
// New      What is new stands against its parent's edge as it is drawn, and moves with it as one
//          rigid piece. Edges that have grown keep their directions and strains.
// Past     is kept where no edge is new and none has another length; else the next step is one of
//          backward Euler.

#include "rod/inherit.h"

#include "rod/implicit.h"
#include "rod/pose.h"
#include "rod/saving.h"
#include "rod/state.h"

#include <math.h>
#include <string.h>

#define SAME_LENGTH 1e-12 // of it

typedef struct carrier {
    const tdi_rod_model *m, *old;
    tdi_rod_state *to, *from;
    const tdi_segment_source *segment_map;
    bool same; // all that is carried is where it was
} carrier;

// Where a node comes from.
typedef struct source {
    int32_t node;    // of the old rods; TD_NONE: it is new
    bool between;    // at `at` of the way along that node's edge; else it is that node
    td_real at;      // 0..1
    td_real part;    // of the edge that ends at the old node: how much of it ends here
    bool edge_alike; // the edge that ends here is that one, or a piece of it
} source;

// ---- where nodes come from ------------------------------------------------------------------

static const tdi_segment_source *heir_of(const carrier *c, int32_t edge) {
    return edge == TD_NONE || c->segment_map[edge].segment == TD_NONE ? NULL
                                                                      : &c->segment_map[edge];
}

// The old node at the end of the edge that a node's edge is a piece of, or TD_NONE.
static int32_t old_end(const carrier *c, int32_t i) {
    const tdi_segment_source *heir = heir_of(c, c->m->node[i].edge);
    return heir ? c->old->edge_node[heir->segment] : TD_NONE;
}

// What an edge starts from: a root, a spur or the edge of a clamp, which comes right before it.
static bool starts(const tdi_rod_model *m, int32_t i, int32_t from) {
    return i < m->node_count && m->node[i].parent == from;
}

static source source_of_start(const carrier *c, int32_t i) {
    const source none = {TD_NONE, false, 0, 0, false};
    const int32_t next = i + 1, after = i + 2;
    if (starts(c->m, next, i) && old_end(c, next) != TD_NONE) { // root or spur
        const int32_t e = old_end(c, next), up = c->old->node[e].parent;
        const td_real at = c->segment_map[c->m->node[next].edge].from;
        const bool between = at > 0 || c->old->node[e].flags & TDI_OFFSET;
        const bool alike = tdi_has_edge(&c->m->node[i]) && c->old->node[up].edge == TD_NONE;
        return between ? (source){e, true, at, 0, false} : (source){up, false, 0, 1, alike};
    }
    if (starts(c->m, next, i) && starts(c->m, after, next) && old_end(c, after) != TD_NONE) {
        const int32_t up = c->old->node[old_end(c, after)].grand;
        return up == TD_NONE ? none : (source){up, false, 0, 1, true};
    }
    const int32_t p = c->m->node[i].parent, e = p == TD_NONE ? TD_NONE : old_end(c, p);
    if (e != TD_NONE && starts(c->old, e + 1, e) && c->old->node[e + 1].edge == TD_NONE) {
        return (source){e + 1, false, 0, 1, true}; // beyond a clamped end
    }
    return none;
}

static source source_of(const carrier *c, int32_t i) {
    const int32_t e = old_end(c, i);
    const tdi_segment_source *heir = heir_of(c, c->m->node[i].edge);
    if (c->m->node[i].edge == TD_NONE) {
        return source_of_start(c, i);
    }
    return e == TD_NONE ? (source){TD_NONE, false, 0, 0, false}
                        : (source){e, heir->to < 1, heir->to, heir->to - heir->from, true};
}

// ---- along an edge --------------------------------------------------------------------------

static td_vec3 mix(td_vec3 a, td_vec3 b, td_real at) {
    return tdi_madd(a, tdi_sub(b, a), at);
}

static tdi_rod_past past_at(const tdi_rod_state *s, const source *from) {
    const tdi_rod_node *n = &s->model->node[from->node];
    tdi_rod_past p = s->history.past[from->node];
    if (from->between) {
        const tdi_rod_past *up = &s->history.past[n->parent];
        const bool body = n->flags & TDI_BODY;
        p.x = mix(body ? s->history.weld[n->body].x : up->x, p.x, from->at);
        p.v = mix(body ? s->history.weld[n->body].v : up->v, p.v, from->at);
    }
    p.strain[3] *= from->part;
    return p;
}

static tdi_rod_rule rule_at(const tdi_rod_state *s, const source *from) {
    const tdi_rod_node *n = &s->model->node[from->node];
    tdi_rod_rule r = s->rule[from->node];
    if (from->between) {
        const tdi_rod_rule *up = &s->rule[n->parent];
        const bool body = n->flags & TDI_BODY;
        r.history = mix(body ? s->weld_rule[n->body].history : up->history, r.history, from->at);
        r.predictor =
            mix(body ? s->weld_rule[n->body].predictor : up->predictor, r.predictor, from->at);
    }
    r.strain_history[3] *= from->part;
    return r;
}

// Places of the first guess alone.
static td_vec3 before_at(const tdi_rod_state *s, const td_vec3 *before, const source *from) {
    const td_vec3 up = before[s->model->node[from->node].parent];
    return from->between ? mix(up, before[from->node], from->at) : before[from->node];
}

static void carry_weld(const carrier *c, int32_t i, const source *from, td_real start) {
    const int32_t to = c->m->node[i].body, k = c->old->node[from->node].body;
    if (to == TD_NONE || k == TD_NONE) {
        return;
    }
    tdi_weld_past *p = &c->to->history.weld[to];
    tdi_weld_rule *r = &c->to->weld_rule[to];
    *p = c->from->history.weld[k];
    *r = c->from->weld_rule[k];
    p->x = mix(p->x, c->from->history.past[from->node].x, start);
    p->v = mix(p->v, c->from->history.past[from->node].v, start);
    r->history = mix(r->history, c->from->rule[from->node].history, start);
    r->predictor = mix(r->predictor, c->from->rule[from->node].predictor, start);
}

// ---- nodes that were there ------------------------------------------------------------------

static void carry_pose(const carrier *c, int32_t i, const source *from) {
    const tdi_rod_node *n = &c->m->node[i];
    tdi_rod_pose *to = &c->to->pose[i];
    const tdi_rod_pose *was = &c->from->pose[from->node], drawn = *to;
    *to = *was;
    to->x = from->between ? mix(tdi_rod_start(c->old, c->from->pose, from->node), was->x, from->at)
                          : was->x;
    if (!from->edge_alike) {
        to->edge = drawn.edge;
    } else {
        to->edge.length *= from->part;
    }
    if (!tdi_has_joint(n) || !from->edge_alike) {
        to->kb = drawn.kb;
        to->chi = drawn.chi;
        to->k1 = drawn.k1;
        to->k2 = drawn.k2;
        to->twist = drawn.twist;
        to->twist_sin = drawn.twist_sin;
        to->twist_cos = drawn.twist_cos;
    }
}

// An edge that has grown, or hangs on one that has: its direction and strain stay.
static void regrow_edge(carrier *c, int32_t i, const source *from) {
    const tdi_rod_node *n = &c->m->node[i];
    tdi_rod_pose *pose = &c->to->pose[i];
    const td_real grown = n->length / (c->old->node[from->node].length * from->part);
    c->same = c->same && fabs(grown - 1) <= SAME_LENGTH;
    if (c->same || n->flags & TDI_HELD_PLACE) {
        return;
    }
    const td_vec3 up = c->from->history.past[c->old->node[from->node].parent].v,
                  own = c->from->history.past[from->node].v;
    pose->edge.length *= grown;
    pose->x = tdi_madd(tdi_rod_start(c->m, c->to->pose, i), pose->edge.t, pose->edge.length);
    c->to->history.past[i].v =
        tdi_madd(c->to->history.past[n->parent].v, tdi_sub(own, up), grown * from->part);
}

static void carry_node(carrier *c, int32_t i, const source *from) {
    tdi_rod_state *s = c->to;
    const tdi_rod_node *n = &c->m->node[i];
    carry_pose(c, i, from);
    s->history.past[i] = past_at(c->from, from);
    s->rule[i] = rule_at(c->from, from);
    s->history.before[i] = before_at(c->from, c->from->history.before, from);
    s->before_last[i] = before_at(c->from, c->from->before_last, from);
    s->history.turn_before[i] = c->from->history.turn_before[from->node];
    if (n->edge != TD_NONE) {
        carry_weld(c, i, from, c->segment_map[n->edge].from);
    }
    c->same = c->same && (from->edge_alike || !tdi_has_edge(n));
    if (tdi_has_edge(n) && from->edge_alike) {
        regrow_edge(c, i, from);
    }
}

// ---- nodes that are new ---------------------------------------------------------------------

// With the frames F of the parent's edge as it is and F_0 as drawn:
//   x = x_p + F F_0^T (x_0 - x_p0),  and so for its edge; v = v_p + w x (x - x_p)
static void place_new(carrier *c, int32_t i, const tdi_rod_pose *drawn_up, td_vec3 spin) {
    tdi_rod_state *s = c->to;
    const int32_t p = c->m->node[i].parent;
    tdi_rod_pose *pose = &s->pose[i];
    const tdi_mat3 was = tdi_edge_axes(&drawn_up->edge), now = tdi_edge_axes(&s->pose[p].edge);
#define TURNED(v) tdi_mat3_apply(&now, tdi_mat3_apply_t(&was, v))
    const td_vec3 arm = TURNED(tdi_sub(pose->x, drawn_up->x));
    pose->x = tdi_add(s->pose[p].x, arm);
    pose->edge.t = TURNED(pose->edge.t);
    pose->edge.m1 = TURNED(pose->edge.m1);
    pose->edge.m2 = TURNED(pose->edge.m2);
#undef TURNED
    s->history.past[i] = (tdi_rod_past){.v = tdi_add(s->history.past[p].v, tdi_cross(spin, arm))};
    s->history.past[i].spin = tdi_dot(spin, pose->edge.t);
}

static td_vec3 spin_of(const tdi_rod_state *s, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    const tdi_edge *e = &s->pose[i].edge;
    const td_vec3 along = tdi_sub(s->history.past[i].v, s->history.past[n->parent].v);
    return tdi_madd(tdi_scale(tdi_cross(e->t, along), 1 / e->length), e->t,
                    s->history.past[i].spin);
}

// `drawn` is where all of `to` was drawn.
static void add_node(carrier *c, int32_t i, const tdi_rod_pose *drawn) {
    const int32_t p = c->m->node[i].parent;
    c->same = false;
    if (p != TD_NONE && tdi_has_edge(&c->m->node[p])) {
        place_new(c, i, &drawn[p], spin_of(c->to, p));
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void finish(const carrier *c) {
    tdi_rod_state *s = c->to;
    s->head.known = c->same ? c->from->head.known : 0;
    s->history.curved = c->from->history.curved;
    s->stale = TDI_ROD_CURRENT;
    if (!c->same) {
        s->stale = TDI_ROD_STALE;
        tdi_rod_follow(s);
        tdi_rod_begin_history(s);
    }
    tdi_rod_restored(s);
}

void tdi_rod_inherit(void *state, void *old, const tdi_segment_source *segment_map) {
    tdi_rod_state *to = state, *from = old;
    carrier c = {to->model, from->model, to, from, segment_map, true};
    tdi_rod_pose *drawn = to->pose_start; // scratch between steps
    memcpy(drawn, to->pose, (size_t)c.m->node_count * sizeof *drawn);
    tdi_rod_follow(from);
    to->head.time = from->head.time;
    to->head.dt = from->head.dt;
    to->head.moved = 1; // it is not as drawn
    for (int32_t i = 0; i < c.m->node_count; i++) {
        const source at = source_of(&c, i);
        if (at.node == TD_NONE) {
            add_node(&c, i, drawn);
        } else {
            carry_node(&c, i, &at);
        }
    }
    finish(&c);
}

enum { LAW = 0, REST = 4, DAMPING = 7, LENGTH = 8, COUNT = 9 };

// The length at ease is over that of the segment, of which there may be a piece alone.
int32_t tdi_rod_springs(void *model, int32_t segment, bool set, td_real *numbers) {
    tdi_rod_model *m = model;
    if (segment >= m->edge_count) {
        memset(numbers, 0, COUNT * sizeof *numbers);
        return COUNT;
    }
    tdi_rod_node *n = &m->node[m->edge_node[segment]];
    const td_real length = m->segments[segment].rest_length;
    tdi_joint_law *law = &n->law;
    if (!set) {
        const td_real own[COUNT] = {law->bend[0], law->bend[1],    law->bend[2],
                                    law->twist,   law->rest[0],    law->rest[1],
                                    law->rest[2], n->damping_time, n->length / length};
        memcpy(numbers, own, sizeof own);
        return COUNT;
    }
    n->damping_time = numbers[DAMPING];
    n->length = numbers[LENGTH] * length;
    if (tdi_has_joint(n)) {
        memcpy(law->bend, numbers + LAW, sizeof law->bend);
        law->twist = numbers[REST - 1];
        memcpy(law->rest, numbers + REST, sizeof law->rest);
    }
    return COUNT;
}
