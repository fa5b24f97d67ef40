// SPDX-License-Identifier: MIT
// Material points of helices, and what acts on them.
//
// Position  moves with an element at an arc length, with an offset in the axes of the frame there.
//           A segment may also be fixed to the base, whose motion is prescribed. Nodes, the ends of
//           capsules, are such points.
// Rotation  of a capsule is that of the frame in its middle, since x* of the rule. It changes by
//           J^-1 w (math/turn.h) of the turn a since the step began.
// Contact   at the place x = (1 - s) x_a + s x_b moves by J = (1 - s) J_a + s J_b of the nodes, so
//           that it adds to one element's form: the gradient J^T f and the Hessian J^T H J, that of
//           the place moving along the capsule, and the second derivatives of both nodes times
//           their shares of f.

#include "helix/points.h"

#include "helix/implicit.h"
#include "math/turn.h"

#include <string.h>

// ---- positions ------------------------------------------------------------------------------

static const tdi_helix_point *end_of(const tdi_helix_state *s, int32_t node) {
    return &s->model->capsule[node / 2].end[node & 1];
}

static tdi_helix_point point_of(const tdi_helix_state *s, const tdi_point *at) {
    if (at->kind == TDI_POINT_NODE) {
        return *end_of(s, at->segment);
    }
    tdi_helix_point point = tdi_helix_point_of(s->model, at->segment, at->local);
    const td_vec3 arm = tdi_quat_rotate(s->model->rider[at->segment].turn, at->arm);
    point.offset = tdi_add(point.offset, arm);
    return point;
}

// A point that goes with the base.
static td_vec3 base_move(const tdi_helix_state *s, const tdi_helix_point *point) {
    const tdi_rate *base = &s->now->base_move;
    const td_vec3 lever = tdi_sub(tdi_helix_point_at(&s->pose, point), s->pose.base.o);
    return tdi_add(base->velocity, tdi_cross(base->spin, lever));
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

// How a point that rides on element i moves by the increments, or by the response, in world axes.
static td_vec3 ride_move(const tdi_helix_state *s, int32_t i, const tdi_helix_ride *ride,
                         bool response) {
    const tdi_helix_node *node = &s->node[i];
    const td_vec3 own = tdi_helix_ride_shift(ride, response ? &node->respond : &node->move);
    return tdi_mat3_apply(&s->pose.start[i].r, own);
}

static td_vec3 point_move(const tdi_helix_state *s, const tdi_helix_point *at, bool response) {
    if (at->element == TD_NONE) {
        return response ? tdi_vec3(0, 0, 0) : base_move(s, at);
    }
    const tdi_helix_ride ride = tdi_helix_ride_at(s, at);
    return ride_move(s, at->element, &ride, response);
}

// ---- rotations ------------------------------------------------------------------------------

// A capsule turns with the frame in its middle.
static tdi_helix_point middle_of(const tdi_helix_state *s, int32_t capsule) {
    const tdi_helix_point *end = s->model->capsule[capsule].end;
    return (tdi_helix_point){.element = end[0].element, .s = 0.5 * (end[0].s + end[1].s)};
}

static td_vec3 turn_between(const tdi_helix_pose *from, const tdi_helix_pose *to,
                            const tdi_helix_point *at) {
    const tdi_helix_place a = tdi_helix_frame_at(from, at->element, at->s),
                          b = tdi_helix_frame_at(to, at->element, at->s);
    const tdi_mat3 back = tdi_mat3_transposed(&a.r), turn = tdi_mat3_mul(&b.r, &back);
    return tdi_turn_vector(tdi_quat_from_axes(tdi_mat3_column(&turn, 0), tdi_mat3_column(&turn, 1),
                                              tdi_mat3_column(&turn, 2)));
}

static td_vec3 rotation_of(const tdi_helix_state *s, int32_t capsule) {
    const tdi_helix_point mid = middle_of(s, capsule);
    const td_vec3 a = turn_between(&s->began, &s->pose, &mid);
    return s->head.rule.two
               ? tdi_madd(a, turn_between(&s->back, &s->began, &mid), -tdi_again(&s->head.rule))
               : a;
}

static td_vec3 rotation_change(const tdi_helix_state *s, int32_t capsule, bool response) {
    const tdi_helix_point mid = middle_of(s, capsule);
    const tdi_helix_ride ride = tdi_helix_ride_at(s, &mid);
    const tdi_helix_node *node = &s->node[mid.element];
    const td_vec3 own = tdi_helix_ride_turn(&ride, response ? &node->respond : &node->move),
                  w = tdi_mat3_apply(&s->pose.start[mid.element].r, own);
    const tdi_turn turn = tdi_turn_of(turn_between(&s->began, &s->pose, &mid));
    return tdi_turn_change(&turn, w);
}

static td_vec3 spin_of(tdi_helix_state *s, int32_t capsule) {
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

// Adds what the second derivatives of a point make of a gradient in the element's axes.
static void add_point_levers(tdi_helix_state *s, const tdi_helix_point *at, td_vec3 gradient) {
    tdi_helix_block block;
    memset(&block, 0, sizeof block);
    block.pull = gradient;
    add_block_levers(s, at, &block);
}

// The gradient of a moment on a ride.
static tdi_helix_motion turn_row(const tdi_helix_ride *ride, td_vec3 moment) {
    return (tdi_helix_motion){moment,
                              {0, 0, 0},
                              {tdi_dot(ride->turn[0], moment), tdi_dot(ride->turn[1], moment),
                               tdi_dot(ride->turn[2], moment)}};
}

// Terms of the rows of three axes, in the element's axes: sum of f_k row_k, row_k H_kl row_l^T.
static void add_rows(tdi_helix_form *form, const tdi_helix_motion row[3], td_vec3 f,
                     const td_sym3 *h) {
    const td_real entry[3][3] = {
        {h->xx, h->xy, h->xz}, {h->xy, h->yy, h->yz}, {h->xz, h->yz, h->zz}};
    const td_real force[3] = {f.x, f.y, f.z};
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l <= k; l++) {
            tdi_helix_form_add_rows(form, &row[k], &row[l], (k == l ? 1 : 2) * entry[k][l]);
        }
    }
    for (int k = 0; k < 3; k++) {
        form->start.n = tdi_madd(form->start.n, row[k].w, force[k]);
        form->start.f = tdi_madd(form->start.f, row[k].v, force[k]);
        form->g = tdi_madd(form->g, row[k].d, force[k]);
    }
}

// A rotation at the pose, in the axes of its element.
typedef struct turning {
    tdi_helix_point mid;
    tdi_helix_ride ride;
    tdi_mat3 back; // from the world's axes
    tdi_turn turn; // since the step began
} turning;

static turning turning_of(const tdi_helix_state *s, int32_t capsule) {
    turning t = {.mid = middle_of(s, capsule)};
    t.ride = tdi_helix_ride_at(s, &t.mid);
    t.back = tdi_mat3_transposed(&s->pose.start[t.mid.element].r);
    t.turn = tdi_turn_of(tdi_mat3_apply(&t.back, turn_between(&s->began, &s->pose, &t.mid)));
    return t;
}

static void add_turn_levers(tdi_helix_state *s, const turning *t, td_vec3 moment) {
    tdi_helix_block block;
    memset(&block, 0, sizeof block);
    block.spin = tdi_turn_moment(&t->turn, moment);
    block.a = tdi_turn_bend(&t->turn, moment);
    add_block_levers(s, &t->mid, &block);
}

static void add_rotation(tdi_helix_state *s, int32_t capsule, td_vec3 gradient,
                         const td_sym3 *hessian, bool levers) {
    const turning t = turning_of(s, capsule);
    const td_vec3 g = tdi_mat3_apply(&t.back, gradient);
    const td_sym3 h = tdi_sym3_turn(&t.back, hessian);
    tdi_helix_motion row[3];
    for (int k = 0; k < 3; k++) {
        const td_vec3 e = {k == 0, k == 1, k == 2};
        row[k] = turn_row(&t.ride, tdi_turn_moment(&t.turn, e));
    }
    add_rows(&s->node[t.mid.element].form, row, g, &h);
    if (levers) {
        add_turn_levers(s, &t, g);
    }
}

// Adds a gradient in the element's axes and a Hessian in those of the world to the element's form.
static void add_ride(tdi_helix_state *s, int32_t i, const tdi_helix_ride *ride, td_vec3 force,
                     const td_sym3 *hessian) {
    const tdi_mat3 back = tdi_mat3_transposed(&s->pose.start[i].r);
    const td_sym3 own = tdi_sym3_turn(&back, hessian);
    tdi_helix_form *form = &s->node[i].form;
    const tdi_helix_motion row = tdi_helix_ride_row(ride, force);
    tdi_helix_form_add_place(form, ride, &own);
    form->start.n = tdi_add(form->start.n, row.w);
    form->start.f = tdi_add(form->start.f, row.v);
    form->g = tdi_add(form->g, row.d);
}

// ---- contact --------------------------------------------------------------------------------

// With an arm: the surface slips by J^-1 w x arm more than the place on the axis.
static void add_sliding(tdi_helix_state *s, const tdi_side_terms *t, const tdi_helix_ride *place) {
    const turning by = turning_of(s, t->point->segment);
    const td_sym3 h = tdi_sym3_turn(&by.back, &t->hessian);
    const td_vec3 n = tdi_scale(tdi_mat3_apply(&by.back, t->point->arm), -1),
                  f = tdi_mat3_apply(&by.back, t->gradient);
    tdi_helix_motion row[3];
    for (int k = 0; k < 3; k++) {
        const td_vec3 e = {k == 0, k == 1, k == 2};
        const tdi_helix_motion shift = tdi_helix_ride_row(place, e),
                               turn =
                                   turn_row(&by.ride, tdi_turn_moment(&by.turn, tdi_cross(e, n)));
        row[k] = sum_of(&shift, &turn);
    }
    add_rows(&s->node[by.mid.element].form, row, f, &h);
    if (t->geometric != TDI_GEOMETRIC_NONE) {
        add_turn_levers(s, &by, tdi_cross(f, n));
    }
}

// The sum of weight_ab r_a r_b^T, r_0 = (J_b - J_a)^T n + J^T slide_0, r_1 = J^T slide_1
static void add_tilt(tdi_helix_form *form, const tdi_tilt *t, const tdi_helix_ride *ends,
                     const tdi_helix_ride *mid, const tdi_mat3 *axes) {
    const td_vec3 n = tdi_mat3_apply_t(axes, t->normal);
    const tdi_helix_motion far = tdi_helix_ride_row(&ends[1], n),
                           near = tdi_helix_ride_row(&ends[0], tdi_scale(n, -1)),
                           along = tdi_helix_ride_row(mid, tdi_mat3_apply_t(axes, t->slide[0])),
                           turn = sum_of(&far, &near), first = sum_of(&turn, &along),
                           second = tdi_helix_ride_row(mid, tdi_mat3_apply_t(axes, t->slide[1]));
    tdi_helix_form_add_rows(form, &first, &first, t->weight[0]);
    tdi_helix_form_add_rows(form, &first, &second, 2 * t->weight[1]);
    tdi_helix_form_add_rows(form, &second, &second, t->weight[2]);
}

static void add_surface(tdi_helix_state *s, const tdi_side_terms *t) {
    const int32_t capsule = t->point->segment;
    const tdi_helix_capsule *c = &s->model->capsule[capsule];
    const int32_t i = c->end[0].element;
    const tdi_mat3 *axes = &s->pose.start[i].r;
    const td_real along = t->point->local.x, weight[2] = {1 - along, along};
    const tdi_helix_ride *ends = ends_of(s) + 2 * capsule, mid = between(&ends[0], &ends[1], along);
    const td_vec3 f = tdi_mat3_apply_t(axes, t->gradient);
    if (tdi_has_arm(t->point)) {
        add_sliding(s, t, &mid);
    } else {
        add_ride(s, i, &mid, f, &t->hessian);
    }
    if (t->tilt) {
        add_tilt(&s->node[i].form, t->tilt, ends, &mid, axes);
    }
    for (int k = 0; k < 2 && t->geometric != TDI_GEOMETRIC_NONE; k++) {
        add_point_levers(s, &c->end[k], tdi_scale(f, weight[k]));
    }
}

// ---- points of all kinds --------------------------------------------------------------------

static void positions(const tdi_helix_state *s, tdi_points points, bool history, td_vec3 *x) {
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = tdi_point_at(&points, k);
        if (point.kind == TDI_POINT_ROTATION) {
            x[k] = history ? tdi_vec3(0, 0, 0) : rotation_of(s, point.segment);
        } else {
            const tdi_helix_point at = point_of(s, &point);
            x[k] = history ? tdi_helix_history(s, &at) : tdi_helix_point_at(&s->pose, &at);
        }
    }
}

static void velocities(tdi_helix_state *s, tdi_points points, td_vec3 *v) {
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = tdi_point_at(&points, k);
        const bool turns = point.kind == TDI_POINT_ROTATION;
        v[k] = turns ? spin_of(s, point.segment) : tdi_helix_velocity(s, end_of(s, point.segment));
    }
}

static void motions(const tdi_helix_state *s, tdi_points points, bool response, td_vec3 *dx) {
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = tdi_point_at(&points, k);
        const int32_t n = point.segment;
        if (point.kind == TDI_POINT_NODE) {
            dx[k] = ride_move(s, end_of(s, n)->element, &ends_of(s)[n], response);
        } else if (point.kind == TDI_POINT_ROTATION) {
            dx[k] = rotation_change(s, n, response);
        } else {
            const tdi_helix_point at = point_of(s, &point);
            dx[k] = point_move(s, &at, response);
        }
    }
}

void tdi_helix_read(void *body, tdi_points points, tdi_reading what, td_vec3 *x) {
    switch (what) {
    case TDI_NOW:
    case TDI_HISTORY: positions(body, points, what == TDI_HISTORY, x); break;
    case TDI_VELOCITY: velocities(body, points, x); break;
    default: motions(body, points, what == TDI_RESPONSE, x);
    }
}

void tdi_helix_add_stiffness(void *body, const tdi_side_terms *side) {
    tdi_helix_state *s = body;
    const tdi_point *point = side->point;
    if (point->kind == TDI_POINT_SURFACE) {
        add_surface(s, side);
        return;
    }
    if (point->kind == TDI_POINT_ROTATION) {
        add_rotation(s, point->segment, side->gradient, &side->hessian,
                     side->geometric != TDI_GEOMETRIC_NONE);
        return;
    }
    const tdi_helix_point at = point_of(s, point);
    if (at.element == TD_NONE) {
        return;
    }
    const tdi_helix_ride ride = tdi_helix_ride_at(s, &at);
    const td_vec3 f = tdi_mat3_apply_t(&s->pose.start[at.element].r, side->gradient);
    add_ride(s, at.element, &ride, f, &side->hessian);
    if (side->geometric == TDI_GEOMETRIC_ALL) {
        add_point_levers(s, &at, f);
    }
}

// ---- responses ------------------------------------------------------------------------------

// The gradient of a force along a row of an element.
static void apply_row(tdi_helix_state *s, int32_t i, const tdi_helix_motion *row) {
    s->node[i].respond = sum_of(&s->node[i].respond, row);
}

// Forces are kept as minus a gradient, in the axes of their element.
static void apply_force(tdi_helix_state *s, const tdi_point *point, td_vec3 force) {
    const td_vec3 back = tdi_scale(force, -1);
    if (point->kind == TDI_POINT_ROTATION) {
        const turning t = turning_of(s, point->segment);
        const td_vec3 moment = tdi_turn_moment(&t.turn, tdi_mat3_apply(&t.back, back));
        const tdi_helix_motion row = turn_row(&t.ride, moment);
        apply_row(s, t.mid.element, &row);
        return;
    }
    const tdi_helix_point at = point_of(s, point);
    if (at.element != TD_NONE) {
        const tdi_helix_ride ride =
            point->kind == TDI_POINT_NODE ? ends_of(s)[point->segment] : tdi_helix_ride_at(s, &at);
        const tdi_helix_motion row =
            tdi_helix_ride_row(&ride, tdi_mat3_apply_t(&s->pose.start[at.element].r, back));
        apply_row(s, at.element, &row);
    }
}

void tdi_helix_apply_forces(void *body, tdi_points points, const td_vec3 *forces) {
    tdi_helix_state *s = body;
    for (int32_t i = 0; !s->head.coupling.pushed && i < s->model->element_count; i++) {
        memset(&s->node[i].respond, 0, sizeof s->node[i].respond);
    }
    for (int32_t k = 0; k < points.count; k++) {
        const tdi_point point = tdi_point_at(&points, k);
        apply_force(s, &point, forces[k]);
    }
}

void tdi_helix_respond(void *body) {
    tdi_helix_sweep_respond(body);
}

void tdi_helix_add_response(void *body) {
    tdi_helix_state *s = body;
    for (int32_t i = 0; i < s->model->element_count; i++) {
        tdi_helix_node *node = &s->node[i];
        node->move = sum_of(&node->move, &node->respond);
    }
}

td_real tdi_helix_mass(const tdi_helix_model *m) {
    td_real sum = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        sum += m->element[i].mass;
    }
    return sum;
}
