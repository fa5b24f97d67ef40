// SPDX-License-Identifier: MIT
// Contact of rods: points are the vertices, capsules lie along the edges between them. What a
// contact adds between the two ends of one capsule has the shape of the rods' own matrix.

#include "rod/points.h"

#include "contact/closest.h"
#include "rod/pose.h"
#include "rod/solids.h"
#include "rod/solve.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

// ---- capsules -------------------------------------------------------------------------------

// Ends of rods that are there only to hold them, and organs, touch nothing.
bool tdi_rod_touches(const tdi_rod_node *n) {
    return n->edge != TD_NONE && n->radius > 0 && !(n->flags & TDI_OFFSET);
}

// The way along the rod from the start of the later of two edges back to the earlier, m; no more
// than `most`, which is also the answer when there is none.
static td_real way_between(const tdi_rod_model *m, int32_t a, int32_t b, td_real most) {
    td_real way = 0;
    if (m->node[a].ring != m->node[b].ring) {
        return most;
    }
    if (m->node[a].ring != TD_NONE) { // around the ring, the shorter way
        td_real around = 0;
        for (int32_t i = m->node[b].parent; i != a && way < most; i = m->node[i].parent) {
            way += m->node[i].length;
        }
        for (int32_t i = m->node[a].parent; i != b && around < most; i = m->node[i].parent) {
            around += m->node[i].length;
        }
        return fmin(fmin(way, around), most);
    }
    // up from both to where they meet; parents come first
    int32_t i = m->node[a].parent, j = m->node[b].parent;
    if (i == b || j == a) {
        return 0;
    }
    while (i != j && way < most) {
        if (i == b || j == a) {
            return way;
        }
        int32_t *later = i > j ? &i : &j;
        if (m->node[*later].parent == TD_NONE) {
            return most;
        }
        way += m->node[*later].length;
        *later = m->node[*later].parent;
    }
    return fmin(way, most);
}

// The capsule of a welded body; NULL: that of an edge.
static const tdi_rod_solid *solid_of(const tdi_rod_state *s, int32_t capsule) {
    const int32_t k = capsule - tdi_rod_edge_capsules(s);
    return k >= 0 ? &s->model->solid[k] : NULL;
}

static td_real radius_of(const tdi_rod_state *s, int32_t capsule) {
    const tdi_rod_solid *b = solid_of(s, capsule);
    return b ? b->radius : s->model->node[s->capsule_node[capsule]].radius;
}

static void drawn_ends(const tdi_rod_state *s, int32_t capsule, td_vec3 end[2]) {
    const tdi_rod_solid *b = solid_of(s, capsule);
    const tdi_rod_node *n = &s->model->node[s->capsule_node[capsule]];
    end[0] = b ? b->drawn[0] : s->model->node[n->parent].start;
    end[1] = b ? b->drawn[1] : n->start;
}

// Whether two capsules are nearer than the smaller radius as they are drawn.
static bool drawn_close(const tdi_rod_state *s, int32_t i, int32_t j) {
    const td_real p = radius_of(s, i), q = radius_of(s, j);
    td_vec3 own[2], other[2];
    drawn_ends(s, i, own);
    drawn_ends(s, j, other);
    const tdi_two two = {
        .side = TDI_SIDE_SEGMENT, .a = own[0], .b = own[1], .c = other[0], .d = other[1]};
    return tdi_closest_of(&two).distance < p + q + fmin(p, q);
}

// How far a capsule of a welded body reaches from the start of its edge; of others 0.
static td_real reach_of(const tdi_rod_state *s, int32_t capsule) {
    const tdi_rod_solid *b = solid_of(s, capsule);
    return b ? fmax(tdi_norm(b->end[0]), tdi_norm(b->end[1])) : 0;
}

// A rod of radius r bends no tighter than r itself: closer than half such a turn along the rod, two
// of its edges cannot touch. Welded bodies do not touch what they are drawn in, nor edges within
// their reach along the rod, which cannot leave them.
bool tdi_rod_apart(const void *body, int32_t i, int32_t j) {
    const tdi_rod_state *s = body;
    const int32_t a = s->capsule_node[i], b = s->capsule_node[j];
    const td_real most =
        0.5 * PI * (radius_of(s, i) + radius_of(s, j)) + reach_of(s, i) + reach_of(s, j);
    const bool solid = solid_of(s, i) || solid_of(s, j);
    return a == b || way_between(s->model, a, b, most) < most || (solid && drawn_close(s, i, j));
}

// How much of an edge, from its start, colliders do not touch: what stands on the base.
static td_real rooted(const tdi_rod_model *m, const tdi_rod_node *n) {
    const bool held = n->flags & TDI_HELD_BASE;
    return held           ? 1
           : n->depth < 0 ? 0
                          : fmin(fmax((n->bare - m->node[n->parent].depth) / n->length, 0), 1);
}

void tdi_rod_capsules(const void *body, tdi_capsule *capsules) {
    const tdi_rod_state *s = body;
    const int32_t edges = tdi_rod_edge_capsules(s);
    for (int32_t k = 0; k < edges; k++) {
        const tdi_rod_node *n = &s->model->node[s->capsule_node[k]];
        capsules[k] = (tdi_capsule){.a = n->parent,
                                    .b = s->capsule_node[k],
                                    .radius = n->radius,
                                    .body = n->edge,
                                    .turns = true,
                                    .from = rooted(s->model, n)};
    }
    for (int32_t k = 0; k < s->model->solid_count; k++) {
        const tdi_rod_solid *b = &s->model->solid[k];
        const int32_t first = s->model->node_count + 2 * k;
        const bool ball = tdi_norm(tdi_sub(b->end[1], b->end[0])) == 0;
        capsules[edges + k] = (tdi_capsule){first, first + !ball, b->radius, b->segment, true, 0};
    }
}

// ---- points ---------------------------------------------------------------------------------

// Of joints that bend by about one, of weight, and of what stops a vertex within a range and a
// step.
td_real tdi_rod_force(const void *body, const td_step_opts *o, td_real gap, td_real h) {
    const tdi_rod_state *s = body;
    const td_real g = tdi_norm(o->gravity);
    td_real sum = 0;
    for (int32_t k = 0; k < s->head.capsule_count; k++) {
        const tdi_rod_node *n = &s->model->node[s->capsule_node[k]];
        sum += 0.1 * (n->law.bend[0] + n->law.bend[2]) / n->length +
               n->shift_mass * (g + (h > 0 ? gap * radius_of(s, k) / (h * h) : 0));
    }
    return sum / (td_real)s->head.capsule_count;
}

void tdi_rod_points(const void *body, bool history, td_vec3 *x) {
    const tdi_rod_state *s = body;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        x[i] = history ? s->rule[i].history : s->pose[i].x;
    }
    tdi_rod_solid_points(s, history, x + s->model->node_count);
}

void tdi_rod_velocities(void *body, td_vec3 *v) {
    const tdi_rod_state *s = body;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        v[i] = s->past[i].v;
    }
    tdi_rod_solid_velocities(s, v + s->model->node_count);
}

void tdi_rod_moves(const void *body, bool response, td_vec3 *dx) {
    const tdi_rod_state *s = body;
    const tdi_rod_step *step = response ? s->response : s->step;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        dx[i] = tdi_vec3(step[i].x[0], step[i].x[1], step[i].x[2]);
    }
    tdi_rod_solid_moves(s, step, dx + s->model->node_count);
}

// ---- turns ----------------------------------------------------------------------------------

// An edge turns by t x (dx_b - dx_a)/|f| + t dturn. Direction and length are those of when the step
// began: turns are then linear in the unknowns, and moments act about where friction was found.
static const tdi_edge *edge_before(const tdi_rod_state *s, int32_t capsule) {
    return &s->pose_start[s->capsule_node[capsule]].edge;
}

static td_vec3 turn_by(const tdi_edge *e, td_vec3 along, td_real turn) {
    return tdi_madd(tdi_scale(tdi_cross(e->t, along), 1 / e->length), e->t, turn);
}

td_vec3 tdi_rod_turned(const void *body, int32_t capsule) {
    const tdi_rod_state *s = body;
    const int32_t i = s->capsule_node[capsule], p = s->model->node[i].parent;
    const td_vec3 own = tdi_sub(s->pose[i].x, s->rule[i].history),
                  up = tdi_sub(s->pose[p].x, s->rule[p].history);
    return turn_by(edge_before(s, capsule), tdi_sub(own, up), s->turn[i] - s->rule[i].turn_history);
}

td_vec3 tdi_rod_turns(const void *body, int32_t capsule, bool response) {
    const tdi_rod_state *s = body;
    const int32_t i = s->capsule_node[capsule];
    const td_real *own = (response ? s->response : s->step)[i].x,
                  *up = (response ? s->response : s->step)[s->model->node[i].parent].x;
    const td_vec3 along = {own[0] - up[0], own[1] - up[1], own[2] - up[2]};
    return turn_by(edge_before(s, capsule), along, own[3]);
}

td_vec3 tdi_rod_spin(void *body, int32_t capsule) {
    const tdi_rod_state *s = body;
    const int32_t i = s->capsule_node[capsule];
    const td_vec3 along = tdi_sub(s->past[i].v, s->past[s->model->node[i].parent].v);
    return turn_by(&s->pose[i].edge, along, s->past[i].spin);
}

// t x d/|f| of the end, the same turned around of the start, and t
void tdi_rod_turn_rows(const void *body, int32_t capsule, td_real rows[2][3][4]) {
    const tdi_edge *e = edge_before(body, capsule);
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

void tdi_rod_apply_moment(void *body, int32_t capsule, td_vec3 moment, bool first) {
    tdi_rod_state *s = body;
    const int32_t i = s->capsule_node[capsule];
    const tdi_edge *e = edge_before(s, capsule);
    const td_vec3 pull = tdi_scale(tdi_cross(moment, e->t), 1 / e->length);
    tdi_rod_push(body, s->model->node[i].parent, tdi_scale(pull, -1), first);
    tdi_rod_push(body, i, pull, false);
    s->work[i].r[3] -= tdi_dot(moment, e->t);
}

// ---- terms ----------------------------------------------------------------------------------

// r_ak of the side for a = 0 and 1
static void tilts_of(const tdi_contact_side *t, int k, td_vec3 r[2]) {
    r[0] = tdi_madd(tdi_scale(t->slide[0], t->weight[k]), t->normal, k ? 1 : -1);
    r[1] = tdi_scale(t->slide[1], t->weight[k]);
}

static void block_of(const tdi_contact_side *t, int k, int l, td_real out[4][4]) {
    const td_sym3 h = tdi_sym3_scale(t->hessian, t->weight[k] * t->weight[l]);
    const td_real rows[3][3] = {{h.xx, h.xy, h.xz}, {h.xy, h.yy, h.yz}, {h.xz, h.yz, h.zz}};
    td_vec3 left[2], right[2];
    tilts_of(t, k, left);
    tilts_of(t, l, right);
    memset(out, 0, 16 * sizeof(td_real));
    for (int a = 0; a < 3; a++) {
        memcpy(out[a], rows[a], sizeof rows[a]);
    }
    for (int a = 0; a < 2; a++) {
        for (int b = 0; b < 2; b++) {
            const td_vec3 p = tdi_scale(left[a], t->tilt[a + b]), q = right[b];
            const td_real own[3] = {p.x, p.y, p.z}, other[3] = {q.x, q.y, q.z};
            for (int i = 0; i < 9; i++) {
                out[i / 3][i % 3] += own[i / 3] * other[i % 3];
            }
        }
    }
}

// How the surface slips by the unknowns of the two points of a side with an arm: with the edge's
// direction t, length L and n.t = c, by dx_k and the turn of the second,
//   (a_k I + g_k t n^T) dx_k,  a = (w_0 + g c, w_1 - g c),  g = (-arm/L, arm/L);   z = arm n x t
typedef struct slip {
    td_real a[2], g[2];
    td_vec3 n, t, ht, hz; // H t and H z
    td_real tt, tz, zz;   // t.H t, t.H z, z.H z
    const td_sym3 *h;
} slip;

static slip slip_of(const tdi_edge *e, const tdi_contact_side *t, td_vec3 z) {
    const td_real g = t->arm / e->length, c = g * tdi_dot(t->normal, e->t);
    slip s = {.a = {t->weight[0] + c, t->weight[1] - c},
              .g = {-g, g},
              .n = t->normal,
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

static void add_rolling(const tdi_rod_state *s, const tdi_contact_side *t) {
    const tdi_edge *e = edge_before(s, t->capsule);
    const td_vec3 z = tdi_scale(tdi_cross(t->normal, e->t), t->arm);
    const slip by = slip_of(e, t, z);
    for (int k = 0; k < 2; k++) {
        td_real block[4][4], *r = s->work[t->point[k]].r;
        const td_vec3 f =
            tdi_madd(tdi_scale(t->force, by.a[k]), by.n, by.g[k] * tdi_dot(by.t, t->force));
        r[0] += f.x;
        r[1] += f.y;
        r[2] += f.z;
        r[3] += k ? tdi_dot(z, t->force) : 0;
        for (int l = k; l < 2; l++) {
            slip_block(&by, k, l, block);
            tdi_rod_block_add(s, t->point[k], t->point[l], block);
        }
    }
}

void tdi_rod_add_side(void *body, const tdi_contact_side *t) {
    const tdi_rod_state *s = body;
    td_real block[4][4];
    if (solid_of(s, t->capsule)) {
        tdi_rod_solid_add(s, t);
        return;
    }
    if (t->arm != 0) {
        add_rolling(s, t);
        return;
    }
    for (int k = 0; k < 2; k++) {
        td_real *r = s->work[t->point[k]].r;
        r[0] += t->weight[k] * t->force.x;
        r[1] += t->weight[k] * t->force.y;
        r[2] += t->weight[k] * t->force.z;
        for (int l = k; l < 2; l++) {
            block_of(t, k, l, block);
            tdi_rod_block_add(s, t->point[k], t->point[l], block);
        }
    }
}

// ---- responses ------------------------------------------------------------------------------

void tdi_rod_push(void *body, int32_t point, td_vec3 force, bool first) {
    tdi_rod_state *s = body;
    if (first) {
        tdi_rod_clear_gradient(s);
    }
    if (point >= s->model->node_count) {
        tdi_rod_solid_push(s, point - s->model->node_count, force);
        return;
    }
    td_real *r = s->work[point].r;
    r[0] -= force.x;
    r[1] -= force.y;
    r[2] -= force.z;
}

void tdi_rod_respond(void *body) {
    tdi_rod_state *s = body;
    tdi_rod_step *step = s->step;
    s->step = s->response;
    tdi_rod_solve(s);
    s->step = step;
}

void tdi_rod_absorb(void *body) {
    tdi_rod_state *s = body;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        for (int k = 0; k < 4; k++) {
            s->step[i].x[k] += s->response[i].x[k];
        }
    }
}

// ---- blocks ---------------------------------------------------------------------------------

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
            u[i].held[k] = flags & (k < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN);
            u[i].x[k] = s->carry && u[i].held[k] ? s->step[i].x[k] : 0;
        }
    }
}

void tdi_rod_increments(void *body, const tdi_unknowns *u) {
    tdi_rod_state *s = body;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        memcpy(s->step[i].x, u[i].x, sizeof u[i].x);
    }
    s->carry = false;
}
