// SPDX-License-Identifier: MIT
// Material points of rods, and what acts on them.
//
// Position  x = o + share f + r of an edge f, where r turns with the edge and its frame:
//             dx = do + share df + w x r,  w = t x df/|f| + t dturn.
//           The edge starts at a vertex; or beside it, where o = x_p + l and l turns with the
//           parent's edge in the same way. A force g is then a moment m = r x g on the edge, and
//             by f   share g + m x t/|f|,  by its turn t.m,  by o the rest.
// Node      a vertex, or after those an end of a welded body's capsule (solids.c).
// Rotation  of an edge, with the direction and length of when the step began: it is then linear in
//           the unknowns, and moments act about where friction was found.
// Contact   Its terms at the two nodes of a capsule fit into the blocks of the rod's matrix.

#include "rod/points.h"

#include "base/fetch.h"
#include "rod/pose.h"
#include "rod/solids.h"
#include "rod/solve.h"
#include "rod/state.h"
#include "rod/terms.h"

#include <string.h>

#define AHEAD 8 // points: the memory of their edges is fetched before it is their turn

// ---- positions ------------------------------------------------------------------------------

static tdi_rod_spot spot_of(const tdi_rod_state *s, const tdi_point *point) {
    return tdi_rod_spot_of(s, point->segment, point->local, point->arm);
}

TDI_FETCHES void fetch_point(const tdi_rod_state *s, const tdi_point *point) {
    td_vec3 from;
    const int32_t node = s->model->edge_node[tdi_rod_edge_of(s->model, point->segment, &from)];
    tdi_fetch(&s->pose[node], sizeof *s->pose);
    tdi_fetch(&s->model->node[node], sizeof *s->model->node);
}

// Point k, while a later one of a list is fetched.
static inline tdi_point point_fetched(const tdi_rod_state *s, const tdi_points *points, int32_t k) {
    if (points->list && k + AHEAD < points->count) {
        fetch_point(s, &points->list[k + AHEAD]);
    }
    return tdi_point_at(points, k);
}

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

// ---- rotations ------------------------------------------------------------------------------

static const tdi_edge *edge_before(const tdi_rod_state *s, int32_t capsule) {
    return &s->pose_start[s->capsule_node[capsule]].edge;
}

static td_vec3 rotation_of(const tdi_rod_state *s, int32_t capsule) {
    const int32_t i = s->capsule_node[capsule], p = s->model->node[i].parent;
    const td_vec3 own = tdi_sub(s->pose[i].x, s->rule[i].history),
                  up = tdi_sub(s->pose[p].x, s->rule[p].history);
    return turn_of(edge_before(s, capsule), tdi_sub(own, up), s->turn[i] - s->rule[i].turn_history);
}

static td_vec3 rotation_change(const tdi_rod_state *s, const tdi_rod_step *step, int32_t capsule) {
    const int32_t i = s->capsule_node[capsule];
    const td_vec3 df = tdi_sub(shift_of(step, i), shift_of(step, s->model->node[i].parent));
    return turn_of(edge_before(s, capsule), df, step[i].x[3]);
}

static td_vec3 spin_of(const tdi_rod_state *s, int32_t capsule) {
    const int32_t i = s->capsule_node[capsule];
    const td_vec3 df = tdi_sub(s->history.past[i].v, s->history.past[s->model->node[i].parent].v);
    return turn_of(&s->pose[i].edge, df, s->history.past[i].spin);
}

// By the start of the edge and by its end: t x d/|f| of the end, the same turned around of the
// start, and t.
static void rotation_rows(const tdi_rod_state *s, int32_t capsule, td_real rows[][3][4]) {
    const tdi_edge *e = edge_before(s, capsule);
    const tdi_mat3 across = tdi_mat3_cross(tdi_scale(e->t, 1 / e->length));
    const td_real t[3] = {e->t.x, e->t.y, e->t.z};
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            rows[0][k][l] = -across.m[3 * k + l];
            rows[1][k][l] = across.m[3 * k + l];
        }
        rows[0][k][3] = 0;
        rows[1][k][3] = t[k];
    }
}

static void apply_moment(const tdi_rod_state *s, int32_t capsule, td_vec3 moment) {
    const int32_t i = s->capsule_node[capsule];
    const tdi_edge *e = edge_before(s, capsule);
    const td_vec3 pull = tdi_scale(tdi_cross(moment, e->t), 1 / e->length);
    add_to(s->work[s->model->node[i].parent].r, pull, 0);
    add_to(s->work[i].r, tdi_scale(pull, -1), -tdi_dot(moment, e->t));
}

// J^T g and J^T H J of a rotation.
static void add_rotation(const tdi_rod_state *s, int32_t capsule, td_vec3 g, const td_sym3 *h) {
    const int32_t i = s->capsule_node[capsule], node[2] = {s->model->node[i].parent, i};
    td_real rows[2][3][4], block[4][4];
    td_vec3 pull[2][4]; // H J
    rotation_rows(s, capsule, rows);
    for (int k = 0; k < 8; k++) {
        const td_real(*r)[4] = (const td_real(*)[4])rows[k / 4];
        const td_vec3 w = {r[0][k % 4], r[1][k % 4], r[2][k % 4]};
        s->work[node[k / 4]].r[k % 4] += tdi_dot(w, g);
        pull[k / 4][k % 4] = tdi_sym3_apply(h, w);
    }
    for (int k = 0; k < 2; k++) {
        for (int l = k; l < 2; l++) {
            for (int e = 0; e < 16; e++) {
                const td_vec3 w = {rows[k][0][e / 4], rows[k][1][e / 4], rows[k][2][e / 4]};
                block[e / 4][e % 4] = tdi_dot(w, pull[l][e % 4]);
            }
            tdi_rod_block_add(s, node[k], node[l], block);
        }
    }
}

// ---- contact --------------------------------------------------------------------------------

// r_ak of the side for a = 0 and 1
static void tilts_of(const tdi_tilt *t, const td_real weight[2], int k, td_vec3 r[2]) {
    r[0] = tdi_madd(tdi_scale(t->slide[0], weight[k]), t->normal, k ? 1 : -1);
    r[1] = tdi_scale(t->slide[1], weight[k]);
}

static void block_of(const tdi_side_terms *t, const td_real weight[2], int k, int l,
                     td_real out[4][4]) {
    const td_sym3 h = tdi_sym3_scale(t->hessian, weight[k] * weight[l]);
    const td_real rows[3][3] = {{h.xx, h.xy, h.xz}, {h.xy, h.yy, h.yz}, {h.xz, h.yz, h.zz}};
    td_vec3 left[2], right[2];
    memset(out, 0, 16 * sizeof(td_real));
    for (int a = 0; a < 3; a++) {
        memcpy(out[a], rows[a], sizeof rows[a]);
    }
    if (!t->tilt) {
        return;
    }
    tilts_of(t->tilt, weight, k, left);
    tilts_of(t->tilt, weight, l, right);
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            const td_vec3 p = tdi_scale(left[a], t->tilt->weight[a + b]), q = right[b];
            const td_real own[3] = {p.x, p.y, p.z}, other[3] = {q.x, q.y, q.z};
            for (int i = 0; i < 9; i++) {
                out[i / 3][i % 3] += own[i / 3] * other[i % 3];
            }
        }
    }
}

// How the surface slips by the unknowns of the two nodes of a side with the arm n: with the edge's
// direction t and length L, by dx_k and the turn of the second,
//   (a_k I + g_k t n^T) dx_k,  a = (1 - s - n.t/L, s + n.t/L),  g = (1/L, -1/L);   z = t x n
typedef struct slip {
    td_real a[2], g[2];
    td_vec3 n, t, ht, hz; // H t and H z
    td_real tt, tz, zz;   // t.H t, t.H z, z.H z
    const td_sym3 *h;
} slip;

static slip slip_of(const tdi_edge *e, const tdi_side_terms *t, td_vec3 z) {
    const td_vec3 n = t->point->arm;
    const td_real g = 1 / e->length, c = g * tdi_dot(n, e->t), along = t->point->local.x;
    slip s = {.a = {1 - along - c, along + c},
              .g = {g, -g},
              .n = n,
              .t = e->t,
              .ht = tdi_sym3_apply(&t->hessian, e->t),
              .hz = tdi_sym3_apply(&t->hessian, z),
              .h = &t->hessian};
    s.tt = tdi_dot(e->t, s.ht);
    s.tz = tdi_dot(e->t, s.hz);
    s.zz = tdi_dot(z, s.hz);
    return s;
}

// A_k^T H A_l
static void slip_block(const slip *s, int k, int l, td_real out[4][4]) {
    const td_sym3 *h = s->h;
    const td_real rows[3][3] = {
        {h->xx, h->xy, h->xz}, {h->xy, h->yy, h->yz}, {h->xz, h->yz, h->zz}};
    const td_real n[3] = {s->n.x, s->n.y, s->n.z}, ht[3] = {s->ht.x, s->ht.y, s->ht.z},
                  hz[3] = {s->hz.x, s->hz.y, s->hz.z};
    const td_real aa = s->a[k] * s->a[l], ag = s->a[k] * s->g[l], ga = s->g[k] * s->a[l],
                  gg = s->g[k] * s->g[l] * s->tt;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[i][j] = aa * rows[i][j] + ag * ht[i] * n[j] + ga * n[i] * ht[j] + gg * n[i] * n[j];
        }
        out[i][3] = l ? s->a[k] * hz[i] + s->g[k] * n[i] * s->tz : 0;
        out[3][i] = k ? s->a[l] * hz[i] + s->g[l] * n[i] * s->tz : 0;
    }
    out[3][3] = k && l ? s->zz : 0;
}

static void add_sliding(const tdi_rod_state *s, const tdi_side_terms *t, const int32_t node[2]) {
    const tdi_edge *e = edge_before(s, t->point->segment);
    const td_vec3 z = tdi_cross(e->t, t->point->arm);
    const slip by = slip_of(e, t, z);
    for (int k = 0; k < 2; k++) {
        td_real block[4][4];
        const td_vec3 f =
            tdi_madd(tdi_scale(t->gradient, by.a[k]), by.n, by.g[k] * tdi_dot(by.t, t->gradient));
        add_to(s->work[node[k]].r, f, k ? tdi_dot(z, t->gradient) : 0);
        for (int l = k; l < 2; l++) {
            slip_block(&by, k, l, block);
            tdi_rod_block_add(s, node[k], node[l], block);
        }
    }
}

static void add_surface(const tdi_rod_state *s, const tdi_side_terms *t) {
    const int32_t capsule = t->point->segment;
    if (capsule >= tdi_rod_edge_capsules(s)) {
        tdi_rod_solid_add(s, t);
        return;
    }
    const int32_t i = s->capsule_node[capsule], node[2] = {s->model->node[i].parent, i};
    if (tdi_has_arm(t->point)) {
        add_sliding(s, t, node);
        return;
    }
    const td_real along = t->point->local.x, weight[2] = {1 - along, along};
    for (int k = 0; k < 2; k++) {
        td_real block[4][4];
        add_to(s->work[node[k]].r, tdi_scale(t->gradient, weight[k]), 0);
        for (int l = k; l < 2; l++) {
            block_of(t, weight, k, l, block);
            tdi_rod_block_add(s, node[k], node[l], block);
        }
    }
}

// ---- points of all kinds --------------------------------------------------------------------

static void positions(const tdi_rod_state *s, tdi_points points, bool history, td_vec3 *x) {
    if (tdi_are_nodes(&points)) {
        const int32_t last = points.first + points.count, vertices = s->model->node_count;
        for (int32_t i = points.first; i < last; i++) {
            x[i - points.first] = i >= vertices ? tdi_rod_solid_point(s, i - vertices, history)
                                  : history     ? s->rule[i].history
                                                : s->pose[i].x;
        }
        return;
    }
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = point_fetched(s, &points, k);
        if (point.kind == TDI_POINT_ROTATION) {
            x[k] = history ? tdi_vec3(0, 0, 0) : rotation_of(s, point.segment);
        } else {
            const tdi_rod_spot a = spot_of(s, &point);
            x[k] = history ? tdi_sub(a.x, tdi_rod_spot_moved(s, &a)) : a.x;
        }
    }
}

static void velocities(const tdi_rod_state *s, tdi_points points, td_vec3 *v) {
    const int32_t vertices = s->model->node_count;
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = tdi_point_at(&points, k);
        const int32_t i = point.segment;
        v[k] = point.kind == TDI_POINT_ROTATION ? spin_of(s, i)
               : i >= vertices                  ? tdi_rod_solid_velocity(s, i - vertices)
                                                : s->history.past[i].v;
    }
}

static void motions(const tdi_rod_state *s, tdi_points points, bool response, td_vec3 *dx) {
    const tdi_rod_step *step = response ? s->response : s->step;
    if (tdi_are_nodes(&points)) {
        const int32_t last = points.first + points.count, vertices = s->model->node_count;
        for (int32_t i = points.first; i < last; i++) {
            dx[i - points.first] =
                i < vertices ? shift_of(step, i) : tdi_rod_solid_motion(s, step, i - vertices);
        }
        return;
    }
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = point_fetched(s, &points, k);
        if (point.kind == TDI_POINT_ROTATION) {
            dx[k] = rotation_change(s, step, point.segment);
        } else {
            const tdi_rod_spot a = spot_of(s, &point);
            dx[k] = move_of(s, step, &a);
        }
    }
}

void tdi_rod_read(void *body, tdi_points points, tdi_reading what, td_vec3 *x) {
    switch (what) {
    case TDI_NOW:
    case TDI_HISTORY: positions(body, points, what == TDI_HISTORY, x); break;
    case TDI_VELOCITY: velocities(body, points, x); break;
    default: motions(body, points, what == TDI_RESPONSE, x);
    }
}

void tdi_rod_add_stiffness(void *body, const tdi_side_terms *side) {
    const tdi_rod_state *s = body;
    if (side->point->kind == TDI_POINT_SURFACE) {
        add_surface(s, side);
    } else if (side->point->kind == TDI_POINT_ROTATION) {
        add_rotation(s, side->point->segment, side->gradient, &side->hessian);
    } else {
        const tdi_rod_spot a = spot_of(s, side->point);
        tdi_rod_spot_add(s, &a, side->gradient, &side->hessian,
                         side->geometric == TDI_GEOMETRIC_ALL, false);
    }
}

// ---- responses ------------------------------------------------------------------------------

// Forces are kept as minus a gradient.
static void apply_force(const tdi_rod_state *s, const tdi_point *point, td_vec3 force) {
    const int32_t i = point->segment, vertices = s->model->node_count;
    if (point->kind == TDI_POINT_ROTATION) {
        apply_moment(s, i, force);
    } else if (point->kind == TDI_POINT_POSITION) {
        const tdi_rod_spot a = spot_of(s, point);
        add_force(s, &a, tdi_scale(force, -1));
    } else if (i < vertices) {
        add_to(s->work[i].r, tdi_scale(force, -1), 0);
    } else {
        tdi_rod_solid_force(s, i - vertices, force);
    }
}

void tdi_rod_apply_forces(void *body, tdi_points points, const td_vec3 *forces) {
    const tdi_rod_state *s = body;
    if (!s->head.coupling.pushed) {
        tdi_rod_clear_gradient(s);
    }
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = tdi_point_at(&points, k);
        apply_force(s, &point, forces[k]);
    }
}

void tdi_rod_respond(void *body) {
    tdi_rod_state *s = body;
    tdi_rod_step *step = s->step;
    s->step = s->response;
    tdi_rod_solve(s);
    s->step = step;
}

void tdi_rod_add_response(void *body) {
    tdi_rod_state *s = body;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        for (int k = 0; k < 4; k++) {
            s->step[i].x[k] += s->response[i].x[k];
        }
    }
}

td_real tdi_rod_mass(const tdi_rod_model *m) {
    td_real sum = 0;
    for (int32_t i = 0; i < m->node_count; i++) {
        sum += m->node[i].weight;
    }
    return sum;
}

// ---- blocks ---------------------------------------------------------------------------------

// Of a position, by moving one unknown after the other; responses are of no use any more.
static int32_t position_rows(const tdi_rod_state *s, const tdi_point *point,
                             int32_t node[TDI_POINT_NODES], td_real rows[TDI_POINT_NODES][3][4]) {
    const tdi_rod_spot a = spot_of(s, point);
    const tdi_rod_node *n = &s->model->node[a.node];
    const int32_t nodes[TDI_POINT_NODES] = {a.node, n->parent, n->grand},
                  count = n->flags & TDI_OFFSET ? 3 : 2;
    for (int32_t p = 0; p < count; p++) {
        node[p] = nodes[p];
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

// w x arm of the rotation, and the place on the axis.
static void surface_rows(const tdi_rod_state *s, const tdi_point *point,
                         td_real rows[TDI_POINT_NODES][3][4]) {
    const td_real weight[2] = {1 - point->local.x, point->local.x};
    memset(rows, 0, 2 * sizeof *rows);
    if (tdi_has_arm(point)) {
        rotation_rows(s, point->segment, rows);
    }
    for (int k = 0; k < 2; k++) {
        for (int d = 0; d < 4; d++) {
            const td_vec3 w = {rows[k][0][d], rows[k][1][d], rows[k][2][d]},
                          dx = tdi_cross(w, point->arm);
            rows[k][0][d] = dx.x + (d == 0 ? weight[k] : 0);
            rows[k][1][d] = dx.y + (d == 1 ? weight[k] : 0);
            rows[k][2][d] = dx.z + (d == 2 ? weight[k] : 0);
        }
    }
}

int32_t tdi_rod_rows(void *body, const tdi_point *point, int32_t node[TDI_POINT_NODES],
                     td_real rows[TDI_POINT_NODES][3][4]) {
    const tdi_rod_state *s = body;
    if (point->kind == TDI_POINT_POSITION) {
        return position_rows(s, point, node, rows);
    }
    node[1] = s->capsule_node[point->segment];
    node[0] = s->model->node[node[1]].parent;
    if (point->kind == TDI_POINT_SURFACE) {
        surface_rows(s, point, rows);
    } else {
        rotation_rows(s, point->segment, rows);
    }
    return 2;
}

static void take_closing(const tdi_rod_state *s, int32_t i, const tdi_block_taker *t) {
    const tdi_rod_node *node = s->model->node;
    for (int32_t c = 0; c < 2; c++) { // the first two nodes of the ring
        const int32_t low = node[i].ring + c;
        if (node[i].parent == low || node[i].grand == low || node[low].parent == i ||
            node[low].grand == i) {
            td_real block[4][4];
            for (int k = 0; k < 4; k++) {
                memcpy(block[k], s->border[i - s->model->ring_shift][k] + 4 * c, sizeof block[k]);
            }
            t->take(t, i, low, block);
        }
    }
}

void tdi_rod_blocks(const void *body, const tdi_block_taker *t) {
    const tdi_rod_state *s = body;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        const tdi_rod_node *n = &s->model->node[i];
        tdi_rod_work *w = &s->work[i];
        const int32_t beyond = n->ring == TD_NONE ? 0 : n->ring + 2; // columns of their own
        t->take(t, i, i, w->d);
        if (n->parent != TD_NONE && n->parent < i && (i < beyond || n->parent >= beyond)) {
            t->take(t, i, n->parent, w->p);
        }
        if (n->grand != TD_NONE && n->grand < i && n->grand >= beyond) {
            t->take(t, i, n->grand, w->g);
        }
        if (n->ring != TD_NONE && i >= beyond) {
            take_closing(s, i, t);
        }
    }
}

void tdi_rod_unknowns(const void *body, tdi_unknowns *u) {
    const tdi_rod_state *s = body;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        const uint32_t flags = s->model->node[i].flags;
        for (int k = 0; k < 4; k++) {
            u[i].gradient[k] = s->work[i].r[k];
            u[i].fixed[k] = flags & (k < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN);
            u[i].x[k] = s->with_driven && u[i].fixed[k] ? s->step[i].x[k] : 0;
        }
    }
}

void tdi_rod_increments(void *body, bool response, const tdi_unknowns *u) {
    tdi_rod_state *s = body;
    tdi_rod_step *step = response ? s->response : s->step;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        memcpy(step[i].x, u[i].x, sizeof u[i].x);
    }
    s->with_driven = false;
}
