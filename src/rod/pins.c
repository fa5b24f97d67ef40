// SPDX-License-Identifier: MIT
// What constraints hold rods by.
//
// A pin is at x = o + share f + r of an edge f, where r turns with the edge and its frame:
//   dx = do + share df + w x r,  w = t x df/|f| + t dturn.
// The edge starts at a vertex; or beside it, where o = x_p + l and l turns with the parent's edge
// in the same way. A force g is then a moment m = r x g on the edge, and
//   by f   share g + m x t/|f|,  by its turn t.m,  by o the rest.

#include "rod/pins.h"

#include "base/fetch.h"
#include "rod/pose.h"
#include "rod/solve.h"
#include "rod/state.h"
#include "rod/terms.h"

#include <string.h>

#define AHEAD 8 // pins: the memory of their edges is fetched before it is their turn

static tdi_rod_spot spot_of(const tdi_rod_state *s, const tdi_pin *pin) {
    const tdi_rod_model *m = s->model;
    td_vec3 from;
    const int32_t edge = tdi_rod_edge_of(m, pin->segment, &from);
    const td_vec3 arm = edge == pin->segment
                            ? pin->arm
                            : tdi_quat_rotate(m->segments[pin->segment].initial, pin->arm);
    return tdi_rod_spot_of(s, edge, tdi_rod_on_edge(m, pin->segment, pin->at), arm);
}

TDI_FETCHES void fetch_pin(const tdi_rod_state *s, const tdi_pin *pin) {
    td_vec3 from;
    const int32_t node = s->model->edge_node[tdi_rod_edge_of(s->model, pin->segment, &from)];
    tdi_fetch(&s->pose[node], sizeof *s->pose);
    tdi_fetch(&s->model->node[node], sizeof *s->model->node);
}

// ---- moves ----------------------------------------------------------------------------------

static td_vec3 shift_of(const tdi_rod_step *step, int32_t i) {
    return tdi_vec3(step[i].x[0], step[i].x[1], step[i].x[2]);
}

// How an edge turns that changes by df, with its frame.
static td_vec3 turn_of(const tdi_edge *e, td_vec3 df, td_real turn) {
    return tdi_madd(tdi_scale(tdi_cross(e->t, df), 1 / e->length), e->t, turn);
}

static td_vec3 start_move(const tdi_rod_state *s, const tdi_rod_step *step, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    const td_vec3 up = shift_of(step, n->parent);
    if (!(n->flags & TDI_OFFSET)) {
        return up;
    }
    const td_vec3 w = turn_of(&s->pose[n->parent].edge, tdi_sub(up, shift_of(step, n->grand)),
                              step[n->parent].x[3]);
    return tdi_add(up, tdi_cross(w, tdi_rod_lever(s->model, s->pose, i)));
}

static td_vec3 move_of(const tdi_rod_state *s, const tdi_rod_step *step, const tdi_rod_spot *a) {
    const td_vec3 start = start_move(s, step, a->node),
                  df = tdi_sub(shift_of(step, a->node), start),
                  w = turn_of(&s->pose[a->node].edge, df, step[a->node].x[3]);
    return tdi_add(tdi_madd(start, df, a->share), tdi_cross(w, a->r));
}

// ---- forces ---------------------------------------------------------------------------------

static void add_to(td_real *r, td_vec3 g, td_real turn) {
    r[0] += g.x;
    r[1] += g.y;
    r[2] += g.z;
    r[3] += turn;
}

static void add_force(const tdi_rod_state *s, const tdi_rod_spot *a, td_vec3 g) {
    const tdi_rod_node *n = &s->model->node[a->node];
    const tdi_edge *e = &s->pose[a->node].edge, *up = &s->pose[n->parent].edge;
    const td_vec3 m = tdi_cross(a->r, g),
                  by_f = tdi_madd(tdi_scale(g, a->share), tdi_cross(m, e->t), 1 / e->length),
                  by_o = tdi_sub(g, by_f);
    add_to(s->work[a->node].r, by_f, tdi_dot(e->t, m));
    add_to(s->work[n->parent].r, by_o, 0);
    if (n->flags & TDI_OFFSET) {
        const td_vec3 lever = tdi_cross(tdi_rod_lever(s->model, s->pose, a->node), by_o),
                      by_e = tdi_scale(tdi_cross(lever, up->t), 1 / up->length);
        add_to(s->work[n->parent].r, by_e, tdi_dot(up->t, lever));
        add_to(s->work[n->grand].r, tdi_scale(by_e, -1), 0);
    }
}

// ---- parts ----------------------------------------------------------------------------------

// By halves: parts are in the order of their nodes.
static int32_t part_of(const tdi_rod_model *m, int32_t node) {
    int32_t low = 0, high = m->part_count;
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        *(m->part[middle].first <= node ? &low : &high) = middle;
    }
    return low;
}

// ---- entry ----------------------------------------------------------------------------------

td_real tdi_rod_mass(const void *body) {
    const tdi_rod_model *m = ((const tdi_rod_state *)body)->model;
    td_real sum = 0;
    for (int32_t i = 0; i < m->node_count; i++) {
        sum += m->node[i].weight;
    }
    return sum;
}

void tdi_rod_constrained(void *body) {
    ((tdi_rod_state *)body)->pinned = true;
}

void tdi_rod_pin_places(const void *body, const tdi_pin *pins, int32_t count, bool history,
                        td_vec3 *x) {
    const tdi_rod_state *s = body;
    for (int32_t k = 0; k < count; k++) {
        if (k + AHEAD < count) {
            fetch_pin(s, &pins[k + AHEAD]);
        }
        const tdi_rod_spot a = spot_of(s, &pins[k]);
        x[k] = history ? tdi_sub(a.x, tdi_rod_spot_moved(s, &a)) : a.x;
    }
}

void tdi_rod_pin_moves(const void *body, const tdi_pin *pins, int32_t count, bool response,
                       td_vec3 *dx) {
    const tdi_rod_state *s = body;
    for (int32_t k = 0; k < count; k++) {
        if (k + AHEAD < count) {
            fetch_pin(s, &pins[k + AHEAD]);
        }
        const tdi_rod_spot a = spot_of(s, &pins[k]);
        dx[k] = move_of(s, response ? s->response : s->step, &a);
    }
}

void tdi_rod_pin_fetch(const void *body, const tdi_pin *pin) {
    fetch_pin(body, pin);
}

void tdi_rod_pin_push(void *body, const tdi_pin *pin, td_vec3 force, bool first) {
    const tdi_rod_state *s = body;
    const tdi_rod_spot a = spot_of(s, pin);
    if (first) {
        tdi_rod_clear_gradient(s);
    }
    add_force(s, &a, tdi_scale(force, -1));
}

// By moving one unknown after the other; responses are of no use any more.
int32_t tdi_rod_pin_rows(void *body, const tdi_pin *pin, int32_t point[TDI_PIN_POINTS],
                         td_real rows[TDI_PIN_POINTS][3][4]) {
    const tdi_rod_state *s = body;
    const tdi_rod_spot a = spot_of(s, pin);
    const tdi_rod_node *n = &s->model->node[a.node];
    const int32_t nodes[TDI_PIN_POINTS] = {a.node, n->parent, n->grand},
                  count = n->flags & TDI_OFFSET ? 3 : 2;
    for (int32_t p = 0; p < count; p++) {
        point[p] = nodes[p];
        memset(s->response[nodes[p]].x, 0, sizeof s->response->x);
    }
    for (int32_t p = 0; p < count; p++) {
        for (int d = 0; d < 4; d++) {
            s->response[nodes[p]].x[d] = 1;
            const td_vec3 dx = move_of(s, s->response, &a);
            s->response[nodes[p]].x[d] = 0;
            rows[p][0][d] = dx.x;
            rows[p][1][d] = dx.y;
            rows[p][2][d] = dx.z;
        }
    }
    return count;
}

// Nodes that come after a pin's in its part do not carry it, and what a push does to them is not
// asked for. A ring takes part as a whole.
void tdi_rod_pin_confine(void *body, const tdi_pin *pins, int32_t count) {
    tdi_rod_state *s = body;
    const tdi_rod_model *m = s->model;
    s->confined = count > 0;
    for (int32_t k = 0; k < m->part_count; k++) {
        s->asked[k] = m->part[k].first;
    }
    for (int32_t k = 0; k < count; k++) {
        td_vec3 from;
        const int32_t node = m->edge_node[tdi_rod_edge_of(m, pins[k].segment, &from)];
        const int32_t part = part_of(m, node);
        const int32_t last = m->part[part].ring ? m->part[part].last : node + 1;
        s->asked[part] = last > s->asked[part] ? last : s->asked[part];
    }
}

void tdi_rod_pin_add(void *body, const tdi_pin *pin, td_vec3 gradient, const td_sym3 *hessian,
                     tdi_levers levers) {
    const tdi_rod_state *s = body;
    const tdi_rod_spot a = spot_of(s, pin);
    tdi_rod_spot_add(s, &a, gradient, hessian, levers == TDI_LEVERS_ALL, false);
}
