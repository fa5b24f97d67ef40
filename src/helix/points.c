// SPDX-License-Identifier: MIT
// Contact of helices: a segment is a capsule between two points that ride on one element.
//
// A contact at the place x = (1 - s) x_a + s x_b moves by J = (1 - s) J_a + s J_b of the points, so
// that it adds to one element's form: the gradient J^T f and the Hessian J^T H J, that of the place
// moving along the capsule, and the second derivatives of both points times their shares of f.

#include "helix/points.h"

#include "contact/closest.h"
#include "helix/implicit.h"
#include "math/turn.h"

#include <string.h>

#define HALF_TURN \
    1.57079632679489662 // a stem of radius r bends no tighter than r: closer than this times r
                        // along the tree two segments cannot touch

static const tdi_helix_capsule *capsule_of(const tdi_helix_state *s, int32_t point) {
    return &s->model->capsule[point / 2];
}

static const tdi_helix_point *end_of(const tdi_helix_state *s, int32_t point) {
    return &capsule_of(s, point)->end[point & 1];
}

// ---- capsules -------------------------------------------------------------------------------

void tdi_helix_capsules(const void *body, tdi_capsule *capsules) {
    const tdi_helix_model *m = ((const tdi_helix_state *)body)->model;
    for (int32_t k = 0; k < m->capsule_count; k++) {
        const tdi_helix_capsule *c = &m->capsule[k];
        const bool ball = memcmp(&c->end[0], &c->end[1], sizeof c->end[0]) == 0;
        capsules[k] = (tdi_capsule){2 * k, 2 * k + !ball, c->radius, c->end[0].segment, true, 0};
    }
}

td_real tdi_helix_force(const void *body, const td_step_opts *o, td_real gap, td_real h) {
    const tdi_helix_model *m = ((const tdi_helix_state *)body)->model;
    td_real mass = 0, radius = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        mass += m->element[i].mass;
    }
    for (int32_t k = 0; k < m->capsule_count; k++) {
        radius += m->capsule[k].radius;
    }
    const td_real count = (td_real)m->capsule_count,
                  stop = h > 0 ? gap * radius / (count * h * h) : 0;
    return mass / count * (tdi_norm(o->gravity) + stop);
}

// ---- who never touches whom -----------------------------------------------------------------

// A stretch of an element.
typedef struct stretch {
    int32_t element;
    td_real from, to;
} stretch;

static stretch stretch_of(const tdi_helix_capsule *c) {
    const td_real a = c->end[0].s, b = c->end[1].s;
    return (stretch){c->end[0].element, fmin(a, b), fmax(a, b)};
}

// The way along the tree between two stretches, no more than `most`.
static td_real way_between(const tdi_helix_model *m, stretch a, stretch b, td_real most) {
    td_real way = 0;
    while (a.element != b.element && way < most) {
        stretch *later = a.element > b.element ? &a : &b;
        const tdi_helix_element *e = &m->element[later->element];
        if (e->parent == TD_NONE) {
            return most;
        }
        way += later->from + tdi_norm(e->place);
        *later = (stretch){e->parent, e->at, e->at};
    }
    way += fmax(0, fmax(a.from - b.to, b.from - a.to));
    return fmin(way, most);
}

void tdi_helix_note_drawn(tdi_helix_state *s) {
    tdi_helix_points(s, false, s->drawn);
}

// Whether two capsules are nearer than the smaller radius as they are drawn.
static bool drawn_close(const tdi_helix_state *s, int32_t i, int32_t j) {
    const td_real p = s->model->capsule[i].radius, q = s->model->capsule[j].radius;
    const td_vec3 *own = s->drawn + 2 * i, *other = s->drawn + 2 * j;
    const tdi_two two = {
        .side = TDI_SIDE_SEGMENT, .a = own[0], .b = own[1], .c = other[0], .d = other[1]};
    return tdi_closest_of(&two).distance < p + q + fmin(p, q);
}

// How far a capsule that rides rigidly reaches from where it does; of others 0.
static td_real reach_of(const tdi_helix_capsule *c) {
    return c->end[0].s == c->end[1].s ? fmax(tdi_norm(c->end[0].offset), tdi_norm(c->end[1].offset))
                                      : 0;
}

// Neighbours, and what is in each other as it is drawn: leaves at a node, crossing twigs. What is
// within the reach of a welded body along the stem cannot leave it.
bool tdi_helix_apart(const void *body, int32_t i, int32_t j) {
    const tdi_helix_state *s = body;
    const tdi_helix_capsule *p = &s->model->capsule[i], *q = &s->model->capsule[j];
    const td_real most = HALF_TURN * (p->radius + q->radius) + reach_of(p) + reach_of(q);
    return way_between(s->model, stretch_of(p), stretch_of(q), most) < most || drawn_close(s, i, j);
}

// ---- points ---------------------------------------------------------------------------------

void tdi_helix_points(const void *body, bool history, td_vec3 *x) {
    const tdi_helix_state *s = body;
    for (int32_t k = 0; k < s->head.point_count; k++) {
        const tdi_helix_point *end = end_of(s, k);
        x[k] = history ? tdi_helix_history(s, end) : tdi_helix_point_at(&s->pose, end);
    }
}

// How the ends of all capsules ride at the pose.
static const tdi_helix_ride *ends_of(const tdi_helix_state *body) {
    tdi_helix_state *s = (tdi_helix_state *)body; // what follows from the pose is scratch
    for (int32_t k = 0; k < s->head.point_count && !s->ended; k++) {
        s->end[k] = tdi_helix_ride_at(s, end_of(s, k));
    }
    s->ended = true;
    return s->end;
}

void tdi_helix_velocities(void *body, td_vec3 *v) {
    tdi_helix_state *s = body;
    for (int32_t k = 0; k < s->head.point_count; k++) {
        v[k] = tdi_helix_velocity(s, end_of(s, k));
    }
}

td_vec3 tdi_helix_ride_move(const tdi_helix_state *s, int32_t i, const tdi_helix_ride *ride,
                            bool response) {
    const tdi_helix_node *node = &s->node[i];
    const td_vec3 own = tdi_helix_ride_shift(ride, response ? &node->respond : &node->move);
    return tdi_mat3_apply(&s->pose.start[i].r, own);
}

void tdi_helix_moves(const void *body, bool response, td_vec3 *dx) {
    const tdi_helix_state *s = body;
    const tdi_helix_ride *ends = ends_of(s);
    for (int32_t k = 0; k < s->head.point_count; k++) {
        dx[k] = tdi_helix_ride_move(s, end_of(s, k)->element, &ends[k], response);
    }
}

// ---- turns ----------------------------------------------------------------------------------

// A capsule turns with the frame in its middle.
static tdi_helix_point middle_of(const tdi_helix_state *s, int32_t capsule) {
    const tdi_helix_point *end = s->model->capsule[capsule].end;
    return (tdi_helix_point){.element = end[0].element, .s = 0.5 * (end[0].s + end[1].s)};
}

static td_vec3 turn_between(const tdi_helix_pose *from, const tdi_helix_pose *to,
                            const tdi_helix_point *at) {
    const tdi_helix_place a = tdi_helix_frame_at(from, at->element, at->s),
                          b = tdi_helix_frame_at(to, at->element, at->s);
    const tdi_mat3 back = tdi_mat3_turned(&a.r), turn = tdi_mat3_product(&b.r, &back);
    return tdi_turn_vector(tdi_quat_from_axes(tdi_mat3_column(&turn, 0), tdi_mat3_column(&turn, 1),
                                              tdi_mat3_column(&turn, 2)));
}

td_vec3 tdi_helix_turned(const void *body, int32_t capsule) {
    const tdi_helix_state *s = body;
    const tdi_helix_point mid = middle_of(s, capsule);
    const td_vec3 a = turn_between(&s->began, &s->pose, &mid);
    return s->head.rule.two
               ? tdi_madd(a, turn_between(&s->back, &s->began, &mid), -tdi_again(&s->head.rule))
               : a;
}

td_vec3 tdi_helix_turns(const void *body, int32_t capsule, bool response) {
    const tdi_helix_state *s = body;
    const tdi_helix_point mid = middle_of(s, capsule);
    const tdi_helix_ride ride = tdi_helix_ride_at(s, &mid);
    const tdi_helix_node *node = &s->node[mid.element];
    const td_vec3 own = tdi_helix_ride_turn(&ride, response ? &node->respond : &node->move),
                  w = tdi_mat3_apply(&s->pose.start[mid.element].r, own);
    const tdi_turn turn = tdi_turn_of(turn_between(&s->began, &s->pose, &mid));
    return tdi_turn_change(&turn, w);
}

td_vec3 tdi_helix_spin(void *body, int32_t capsule) {
    tdi_helix_state *s = body;
    const tdi_helix_point mid = middle_of(s, capsule);
    const tdi_helix_ride ride = tdi_helix_ride_at(s, &mid);
    tdi_helix_move(s);
    const tdi_helix_motion by = {.d = s->rate[mid.element]};
    const td_vec3 own = tdi_helix_ride_turn(&ride, &by);
    return tdi_add(s->twist[mid.element].spin, tdi_mat3_apply(&s->pose.start[mid.element].r, own));
}

// ---- terms ----------------------------------------------------------------------------------

static tdi_helix_motion sum_of(const tdi_helix_motion *a, const tdi_helix_motion *b) {
    return (tdi_helix_motion){tdi_add(a->w, b->w), tdi_add(a->v, b->v), tdi_add(a->d, b->d)};
}

// (1 - s) of one ride and s of another; turns are not of a point.
static tdi_helix_ride between(const tdi_helix_ride *a, const tdi_helix_ride *b, td_real s) {
    tdi_helix_ride mid = {.x = tdi_madd(tdi_scale(a->x, 1 - s), b->x, s)};
    for (int k = 0; k < 3; k++) {
        mid.shift[k] = tdi_madd(tdi_scale(a->shift[k], 1 - s), b->shift[k], s);
    }
    return mid;
}

// Adds what second derivatives make of the force `pull` and the moment `spin` of a block at a
// point.
static void add_block_levers(tdi_helix_state *s, const tdi_helix_point *end,
                             tdi_helix_block *block) {
    tdi_helix_levers *levers = &s->levers[end->element];
    tdi_helix_jet jet;
    tdi_helix_form own;
    memset(&own, 0, sizeof own);
    tdi_helix_jet_at(s->pose.u[end->element], end->s, false, &jet);
    tdi_helix_block_shift(block, tdi_mat3_apply(&jet.r, end->offset), true);
    tdi_helix_form_add(&own, &jet, block, true);
    if (levers->any) {
        tdi_helix_form_add_levers(&own, levers);
    }
    *levers =
        (tdi_helix_levers){own.start.a, own.d, {own.turn_d[0], own.turn_d[1], own.turn_d[2]}, true};
    tdi_helix_block *start = &s->node[end->element].form.start;
    start->pull = tdi_add(start->pull, own.start.pull);
    start->spin = tdi_add(start->spin, own.start.spin);
}

void tdi_helix_add_levers(tdi_helix_state *s, const tdi_helix_point *end, td_vec3 force) {
    tdi_helix_block block;
    memset(&block, 0, sizeof block);
    block.pull = force;
    add_block_levers(s, end, &block);
}

// The gradient of a moment on a ride.
static tdi_helix_motion turn_row(const tdi_helix_ride *ride, td_vec3 moment) {
    return (tdi_helix_motion){moment,
                              {0, 0, 0},
                              {tdi_dot(ride->turn[0], moment), tdi_dot(ride->turn[1], moment),
                               tdi_dot(ride->turn[2], moment)}};
}

// A side with an arm. In the element's axes, with the turn a since the step began, the surface
// slips by arm n x J^-1 w more than the place on the axis: rows of slip along three axes.
static void add_rolling(tdi_helix_state *s, const tdi_contact_side *t, const tdi_helix_ride *place,
                        const tdi_mat3 *axes) {
    const tdi_helix_point mid = middle_of(s, t->capsule);
    const tdi_helix_ride ride = tdi_helix_ride_at(s, &mid);
    const tdi_mat3 back = tdi_mat3_turned(axes);
    const td_sym3 h = tdi_sym3_turn(&back, &t->hessian);
    const td_real entry[3][3] = {{h.xx, h.xy, h.xz}, {h.xy, h.yy, h.yz}, {h.xz, h.yz, h.zz}};
    const td_vec3 n = tdi_scale(tdi_mat3_apply(&back, t->normal), t->arm),
                  f = tdi_mat3_apply(&back, t->force);
    const tdi_turn turn =
        tdi_turn_of(tdi_mat3_apply(&back, turn_between(&s->began, &s->pose, &mid)));
    tdi_helix_form *form = &s->node[mid.element].form;
    tdi_helix_motion row[3];
    for (int k = 0; k < 3; k++) {
        const td_vec3 e = {k == 0, k == 1, k == 2};
        const tdi_helix_motion shift = tdi_helix_ride_row(place, e),
                               by = turn_row(&ride, tdi_turn_moment(&turn, tdi_cross(e, n)));
        row[k] = t->rolling ? by : sum_of(&shift, &by);
        for (int l = 0; l <= k; l++) {
            tdi_helix_form_add_rows(form, &row[k], &row[l], (k == l ? 1 : 2) * entry[k][l]);
        }
    }
    const td_real force[3] = {f.x, f.y, f.z};
    for (int k = 0; k < 3; k++) {
        form->start.n = tdi_madd(form->start.n, row[k].w, force[k]);
        form->start.f = tdi_madd(form->start.f, row[k].v, force[k]);
        form->g = tdi_madd(form->g, row[k].d, force[k]);
    }
    if (!t->foreseen) {
        const td_vec3 moment = tdi_cross(f, n);
        tdi_helix_block block;
        memset(&block, 0, sizeof block);
        block.spin = tdi_turn_moment(&turn, moment);
        block.a = tdi_turn_bend(&turn, moment);
        add_block_levers(s, &mid, &block);
    }
}

// The sum of tilt_ab r_a r_b^T, r_0 = (J_b - J_a)^T n + J^T slide_0, r_1 = J^T slide_1
static void add_tilt(tdi_helix_form *form, const tdi_contact_side *t, const tdi_helix_ride *ends,
                     const tdi_helix_ride *mid, const tdi_mat3 *axes) {
    const td_vec3 n = tdi_mat3_apply_t(axes, t->normal);
    const tdi_helix_motion far = tdi_helix_ride_row(&ends[1], n),
                           near = tdi_helix_ride_row(&ends[0], tdi_scale(n, -1)),
                           along = tdi_helix_ride_row(mid, tdi_mat3_apply_t(axes, t->slide[0])),
                           turn = sum_of(&far, &near), first = sum_of(&turn, &along),
                           second = tdi_helix_ride_row(mid, tdi_mat3_apply_t(axes, t->slide[1]));
    tdi_helix_form_add_rows(form, &first, &first, t->tilt[0]);
    tdi_helix_form_add_rows(form, &first, &second, 2 * t->tilt[1]);
    tdi_helix_form_add_rows(form, &second, &second, t->tilt[2]);
}

void tdi_helix_add_ride(tdi_helix_state *s, int32_t i, const tdi_helix_ride *ride, td_vec3 force,
                        const td_sym3 *hessian) {
    const tdi_mat3 back = tdi_mat3_turned(&s->pose.start[i].r);
    const td_sym3 own = tdi_sym3_turn(&back, hessian);
    tdi_helix_form *form = &s->node[i].form;
    const tdi_helix_motion row = tdi_helix_ride_row(ride, force);
    tdi_helix_form_add_place(form, ride, &own);
    form->start.n = tdi_add(form->start.n, row.w);
    form->start.f = tdi_add(form->start.f, row.v);
    form->g = tdi_add(form->g, row.d);
}

void tdi_helix_add_side(void *body, const tdi_contact_side *t) {
    tdi_helix_state *s = body;
    const tdi_helix_capsule *c = &s->model->capsule[t->capsule];
    const int32_t i = c->end[0].element;
    const tdi_mat3 *axes = &s->pose.start[i].r;
    const tdi_helix_ride *ends = ends_of(s) + 2 * t->capsule,
                         mid = between(&ends[0], &ends[1], t->weight[1]);
    const td_vec3 f = tdi_mat3_apply_t(axes, t->force);
    if (t->arm != 0) {
        add_rolling(s, t, &mid, axes);
    } else {
        tdi_helix_add_ride(s, i, &mid, f, &t->hessian);
        add_tilt(&s->node[i].form, t, ends, &mid, axes);
    }
    for (int k = 0; k < 2 && !t->foreseen; k++) {
        tdi_helix_add_levers(s, &c->end[k], tdi_scale(f, t->weight[k]));
    }
}

// ---- responses ------------------------------------------------------------------------------

void tdi_helix_open_pushes(tdi_helix_state *s) {
    for (int32_t k = 0; k < s->model->element_count; k++) {
        memset(&s->node[k].respond, 0, sizeof s->node[k].respond);
    }
}

void tdi_helix_push_ride(tdi_helix_state *s, int32_t i, const tdi_helix_ride *ride, td_vec3 force) {
    const td_vec3 f = tdi_mat3_apply_t(&s->pose.start[i].r, tdi_scale(force, -1));
    const tdi_helix_motion row = tdi_helix_ride_row(ride, f);
    s->node[i].respond = sum_of(&s->node[i].respond, &row);
}

void tdi_helix_push(void *body, int32_t point, td_vec3 force, bool first) {
    tdi_helix_state *s = body;
    if (first) {
        tdi_helix_open_pushes(s);
    }
    tdi_helix_push_ride(s, end_of(s, point)->element, &ends_of(s)[point], force);
}

void tdi_helix_apply_moment(void *body, int32_t capsule, td_vec3 moment, bool first) {
    tdi_helix_state *s = body;
    const tdi_helix_point mid = middle_of(s, capsule);
    const tdi_helix_ride ride = tdi_helix_ride_at(s, &mid);
    const tdi_turn turn = tdi_turn_of(turn_between(&s->began, &s->pose, &mid));
    const td_vec3 own = tdi_mat3_apply_t(&s->pose.start[mid.element].r,
                                         tdi_scale(tdi_turn_moment(&turn, moment), -1));
    const tdi_helix_motion row = turn_row(&ride, own);
    if (first) {
        tdi_helix_open_pushes(s);
    }
    s->node[mid.element].respond = sum_of(&s->node[mid.element].respond, &row);
}

void tdi_helix_respond(void *body) {
    tdi_helix_sweep_respond(body);
}

void tdi_helix_absorb(void *body) {
    tdi_helix_state *s = body;
    for (int32_t i = 0; i < s->model->element_count; i++) {
        tdi_helix_node *node = &s->node[i];
        node->move = sum_of(&node->move, &node->respond);
    }
}
