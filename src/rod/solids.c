// SPDX-License-Identifier: MIT
// Welded bodies of rods in contact.
//
// A point is at x = o + r of an edge f that starts at o, where r turns with the edge and its frame:
//   dx = do + w x r,  w = t x df/|f| + t dturn.
// So a contact depends on the unknowns of the two ends of one edge, as the edge's own terms do.

#include "rod/solids.h"

#include "rod/pose.h"
#include "rod/solve.h"
#include "rod/terms.h"

#include <string.h>

enum { UNKNOWNS = 8 }; // of the edge's end, then of its start

// ---- points ---------------------------------------------------------------------------------

static tdi_rod_spot spot_at(const tdi_rod_state *s, const tdi_rod_solid *b, td_vec3 offset) {
    return tdi_rod_spot_of(s, b->edge, tdi_vec3(0, 0, 0), offset);
}

static tdi_rod_spot end_of(const tdi_rod_state *s, int32_t point) {
    const tdi_rod_solid *b = &s->model->solid[point / 2];
    return spot_at(s, b, b->end[point % 2]);
}

td_vec3 tdi_rod_solid_point(const tdi_rod_state *s, int32_t point, bool history) {
    const tdi_rod_spot a = end_of(s, point);
    return history ? tdi_sub(a.x, tdi_rod_spot_moved(s, &a)) : a.x;
}

static td_vec3 turn_by(const tdi_edge *e, td_vec3 along, td_real turn) {
    return tdi_madd(tdi_scale(tdi_cross(e->t, along), 1 / e->length), e->t, turn);
}

td_vec3 tdi_rod_solid_velocity(const tdi_rod_state *s, int32_t point) {
    const tdi_rod_spot a = end_of(s, point);
    const td_vec3 start = s->history.past[s->model->node[a.node].parent].v,
                  w = turn_by(&s->pose[a.node].edge, tdi_sub(s->history.past[a.node].v, start),
                              s->history.past[a.node].spin);
    return tdi_add(start, tdi_cross(w, a.r));
}

static td_vec3 shift_of(const tdi_rod_step *step, int32_t i) {
    return tdi_vec3(step[i].x[0], step[i].x[1], step[i].x[2]);
}

td_vec3 tdi_rod_solid_motion(const tdi_rod_state *s, const tdi_rod_step *step, int32_t point) {
    const tdi_rod_spot a = end_of(s, point);
    const td_vec3 start = shift_of(step, s->model->node[a.node].parent),
                  w = turn_by(&s->pose[a.node].edge, tdi_sub(shift_of(step, a.node), start),
                              step[a.node].x[3]);
    return tdi_add(start, tdi_cross(w, a.r));
}

// ---- rows -----------------------------------------------------------------------------------

// How the edge turns by each unknown.
static void turn_columns(const tdi_edge *e, td_vec3 w[UNKNOWNS]) {
    for (int k = 0; k < 3; k++) {
        const td_vec3 unit = {k == 0, k == 1, k == 2};
        w[k] = tdi_scale(tdi_cross(e->t, unit), 1 / e->length);
        w[4 + k] = tdi_scale(w[k], -1);
    }
    w[3] = e->t;
    w[7] = tdi_vec3(0, 0, 0);
}

// How the place moves by each unknown.
static void place_columns(const td_vec3 w[UNKNOWNS], td_vec3 r, td_vec3 dx[UNKNOWNS]) {
    for (int k = 0; k < UNKNOWNS; k++) {
        dx[k] = tdi_cross(w[k], r);
    }
    dx[4].x += 1;
    dx[5].y += 1;
    dx[6].z += 1;
}

static void add_gradient(const tdi_rod_state *s, int32_t node, const td_real g[UNKNOWNS]) {
    td_real *own = s->work[node].r, *up = s->work[s->model->node[node].parent].r;
    for (int k = 0; k < 4; k++) {
        own[k] += g[k];
        up[k] += g[4 + k];
    }
}

static void add_hessian(const tdi_rod_state *s, int32_t node, td_real h[UNKNOWNS][UNKNOWNS]) {
    const int32_t nodes[2] = {node, s->model->node[node].parent};
    for (int a = 0; a < 2; a++) {
        for (int b = a; b < 2; b++) {
            td_real block[4][4];
            for (int k = 0; k < 4; k++) {
                memcpy(block[k], &h[4 * a + k][4 * b], sizeof block[k]);
            }
            tdi_rod_block_add(s, nodes[a], nodes[b], block);
        }
    }
}

void tdi_rod_solid_force(const tdi_rod_state *s, int32_t point, td_vec3 force) {
    const tdi_rod_spot a = end_of(s, point);
    td_vec3 w[UNKNOWNS], dx[UNKNOWNS];
    td_real g[UNKNOWNS];
    turn_columns(&s->pose[a.node].edge, w);
    place_columns(w, a.r, dx);
    for (int k = 0; k < UNKNOWNS; k++) {
        g[k] = -tdi_dot(dx[k], force);
    }
    add_gradient(s, a.node, g);
}

// ---- terms ----------------------------------------------------------------------------------

// h += A^T H A, g += A^T f
static void add_term(const tdi_side_terms *t, const td_vec3 slip[UNKNOWNS], td_real g[UNKNOWNS],
                     td_real h[UNKNOWNS][UNKNOWNS]) {
    for (int k = 0; k < UNKNOWNS; k++) {
        const td_vec3 pull = tdi_sym3_apply(&t->hessian, slip[k]);
        g[k] += tdi_dot(slip[k], t->gradient);
        for (int l = 0; l < UNKNOWNS; l++) {
            h[k][l] += tdi_dot(pull, slip[l]);
        }
    }
}

// What comes of the place moving along the capsule, d from one end to the other:
//   sum of weight_ab l_a l_b,  l_0 = (d x n).w + slide_0.dx,  l_1 = slide_1.dx
static void add_tilt(const tdi_tilt *t, td_vec3 d, const td_vec3 w[UNKNOWNS],
                     const td_vec3 dx[UNKNOWNS], td_real h[UNKNOWNS][UNKNOWNS]) {
    const td_vec3 m = tdi_cross(d, t->normal);
    td_real l[2][UNKNOWNS];
    for (int k = 0; k < UNKNOWNS; k++) {
        l[0][k] = tdi_dot(m, w[k]) + tdi_dot(t->slide[0], dx[k]);
        l[1][k] = tdi_dot(t->slide[1], dx[k]);
    }
    for (int k = 0; k < UNKNOWNS; k++) {
        for (int j = 0; j < UNKNOWNS; j++) {
            h[k][j] += t->weight[0] * l[0][k] * l[0][j] + t->weight[2] * l[1][k] * l[1][j] +
                       t->weight[1] * (l[0][k] * l[1][j] + l[1][k] * l[0][j]);
        }
    }
}

// Second derivatives of the place, times the force.
static void add_geometric(const tdi_rod_state *s, const tdi_rod_spot *a, const tdi_side_terms *t) {
    const td_sym3 none = {0, 0, 0, 0, 0, 0};
    td_vec3 w[UNKNOWNS], dx[UNKNOWNS];
    td_real back[UNKNOWNS];
    turn_columns(&s->pose[a->node].edge, w);
    place_columns(w, a->r, dx);
    for (int k = 0; k < UNKNOWNS; k++) {
        back[k] = -tdi_dot(dx[k], t->gradient);
    }
    tdi_rod_spot_add(s, a, t->gradient, &none, true, false);
    add_gradient(s, a->node, back); // which is added besides
}

void tdi_rod_solid_add(const tdi_rod_state *s, const tdi_side_terms *t) {
    const tdi_rod_solid *b = &s->model->solid[t->point->segment - tdi_rod_edge_capsules(s)];
    const td_vec3 along = tdi_sub(b->end[1], b->end[0]);
    const tdi_rod_spot a = spot_at(s, b, tdi_madd(b->end[0], along, t->point->local.x));
    const tdi_mat3 axes = tdi_edge_axes(&s->pose[a.node].edge);
    td_vec3 w[UNKNOWNS], dx[UNKNOWNS], slip[UNKNOWNS], before[UNKNOWNS];
    td_real g[UNKNOWNS] = {0}, h[UNKNOWNS][UNKNOWNS] = {{0}};
    turn_columns(&s->pose[a.node].edge, w);
    place_columns(w, a.r, dx);
    turn_columns(&s->pose_start[a.node].edge, before); // as rotations have it
    for (int k = 0; k < UNKNOWNS; k++) {
        slip[k] = tdi_add(dx[k], tdi_cross(before[k], t->point->arm));
    }
    add_term(t, slip, g, h);
    if (t->tilt) {
        add_tilt(t->tilt, tdi_mat3_apply(&axes, along), w, dx, h);
    }
    if (t->geometric != TDI_GEOMETRIC_NONE && s->potential->whole) {
        add_geometric(s, &a, t);
    }
    add_gradient(s, a.node, g);
    add_hessian(s, a.node, h);
}
