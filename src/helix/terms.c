// SPDX-License-Identifier: MIT
// The incremental potential of helices: value, gradient and Hessian. Inertia and weight are in
// stations' own file, inertia.c.

#include "helix/implicit.h"

#include <string.h>

enum { TOGETHER = 16 }; // elements whose terms are found at once

// ---- springs --------------------------------------------------------------------------------

static td_vec3 springs_gradient(const tdi_helix_state *s, int32_t i) {
    const tdi_helix_element *e = &s->model->element[i];
    const td_vec3 u = s->pose.u[i], k = tdi_scale(e->stiffness, s->head.opts->stiffness),
                  b = tdi_scale(e->friction, s->now->damp);
    return tdi_add(tdi_times(k, tdi_sub(u, e->rest)), tdi_times(b, tdi_sub(u, s->u_history[i])));
}

static void add_springs(const tdi_helix_state *s, int32_t i, tdi_helix_form *form) {
    const tdi_helix_element *e = &s->model->element[i];
    const td_vec3 k = tdi_scale(e->stiffness, s->head.opts->stiffness),
                  b = tdi_scale(e->friction, s->now->damp), both = tdi_add(k, b);
    form->g = tdi_add(form->g, springs_gradient(s, i));
    form->d = tdi_sym3_add(form->d, tdi_sym3_diagonal(both.x, both.y, both.z));
}

static td_real springs_value(const tdi_helix_state *s, int32_t i) {
    const tdi_helix_element *e = &s->model->element[i];
    const td_vec3 off = tdi_sub(s->pose.u[i], e->rest),
                  rate = tdi_sub(s->pose.u[i], s->u_history[i]);
    return 0.5 * s->head.opts->stiffness * tdi_dot(off, tdi_times(e->stiffness, off)) +
           0.5 * s->now->damp * tdi_dot(rate, tdi_times(e->friction, rate));
}

// ---- points ---------------------------------------------------------------------------------

// A point on an element: how it rides, and its way from the frame there.
typedef struct point_at {
    tdi_helix_jet jet;
    tdi_helix_ride ride;
    td_vec3 p;
    bool beside; // it is not on the centreline
} point_at;

static void ride_point(const tdi_helix_state *s, const tdi_helix_point *point, point_at *at) {
    const td_vec3 offset = point->offset;
    tdi_helix_jet_at(s->pose.u[point->element], point->s, false, &at->jet);
    at->beside = offset.x != 0 || offset.y != 0 || offset.z != 0;
    at->p = at->beside ? tdi_mat3_apply(&at->jet.r, offset) : offset;
    at->ride.x = tdi_add(at->jet.x, at->p);
    for (int k = 0; k < 3; k++) {
        at->ride.turn[k] = at->jet.turn[k];
        at->ride.shift[k] =
            at->beside ? tdi_add(at->jet.dx[k], tdi_cross(at->jet.turn[k], at->p)) : at->jet.dx[k];
    }
}

tdi_helix_ride tdi_helix_ride_at(const tdi_helix_state *s, const tdi_helix_point *point) {
    point_at at;
    ride_point(s, point, &at);
    return at.ride;
}

// Second derivatives of a point times a force on it.
static void add_bent(const point_at *at, td_vec3 f, tdi_helix_form *form) {
    const td_vec3 *T = at->jet.turn;
    const td_sym3 lever = tdi_helix_geometric(at->ride.x, f);
    form->start.a = tdi_sym3_add(form->start.a, lever);
    for (int j = 0; j < 3; j++) {
        form->turn_d[j] = tdi_add(form->turn_d[j], tdi_cross(at->ride.shift[j], f));
    }
    form->d = tdi_sym3_add(form->d, tdi_helix_bent(&at->jet, f, tdi_cross(at->p, f)));
    if (at->beside) {
        const td_sym3 own = tdi_helix_geometric(at->p, f);
        const td_vec3 n[3] = {tdi_sym3_apply(&own, T[0]), tdi_sym3_apply(&own, T[1]),
                              tdi_sym3_apply(&own, T[2])};
        form->d = tdi_sym3_add(form->d, (td_sym3){tdi_dot(T[0], n[0]), tdi_dot(T[1], n[1]),
                                                  tdi_dot(T[2], n[2]), tdi_dot(T[0], n[1]),
                                                  tdi_dot(T[0], n[2]), tdi_dot(T[1], n[2])});
    }
}

// Adds the term of a point, which is in world axes.
static void add_point(tdi_helix_state *s, int32_t element, const point_at *at, td_vec3 gradient,
                      const td_sym3 *hessian, bool exact) {
    const tdi_mat3 back = tdi_mat3_transposed(&s->pose.start[element].r);
    const td_sym3 c = tdi_sym3_turn(&back, hessian);
    const td_vec3 f = tdi_mat3_apply(&back, gradient);
    tdi_helix_form *form = &s->node[element].form;
    tdi_helix_block *start = &form->start;
    const tdi_helix_motion row = tdi_helix_ride_row(&at->ride, f);
    tdi_helix_form_add_place(form, &at->ride, &c);
    start->n = tdi_add(start->n, row.w);
    start->f = tdi_add(start->f, f);
    start->spin = tdi_add(start->spin, row.w);
    start->pull = tdi_add(start->pull, f);
    form->g = tdi_add(form->g, row.d);
    if (exact) {
        add_bent(at, f, form);
    }
}

// ---- drag -----------------------------------------------------------------------------------

static tdi_vanes_at vanes_at(const tdi_helix_state *s, bool exact) {
    const td_step_opts *o = s->head.opts;
    return (tdi_vanes_at){.on = {s->pose.u, s->pose.start, s->range},
                          .vane = s->model->vane,
                          .known = s->vane,
                          .air = &o->air,
                          .winds = o->winds,
                          .h = s->now->h,
                          .exact = exact};
}

static td_vec3 vector_at(const td_real *x) {
    return tdi_vec3(x[0], x[1], x[2]);
}

static td_sym3 symmetric_at(const td_real *x) {
    return (td_sym3){x[0], x[1], x[2], x[3], x[4], x[5]};
}

// Adds sums of vanes in the order of lanes.h.
static void add_vane_sums(const td_real *sum, tdi_helix_form *form) {
    tdi_helix_block *start = &form->start;
    for (int j = 0; j < 3; j++) {
        form->turn_d[j] = tdi_add(form->turn_d[j], vector_at(sum + 3 * j));
        form->shift_d[j] = tdi_add(form->shift_d[j], vector_at(sum + 9 + 3 * j));
    }
    sum += 18;
    form->d = tdi_sym3_add(form->d, symmetric_at(sum));
    form->g = tdi_add(form->g, vector_at(sum + 6));
    start->a = tdi_sym3_add(start->a, symmetric_at(sum + 9));
    for (int j = 0; j < 9; j++) {
        start->b.m[j] += sum[15 + j];
    }
    start->c = tdi_sym3_add(start->c, symmetric_at(sum + 24));
    const td_vec3 f = vector_at(sum + 30), n = vector_at(sum + 33);
    start->f = tdi_add(start->f, f);
    start->n = tdi_add(start->n, n);
    start->pull = tdi_add(start->pull, f);
    start->spin = tdi_add(start->spin, n);
}

// ---- loads ----------------------------------------------------------------------------------

// A point's x* by the rule of the step.
td_vec3 tdi_helix_history(const tdi_helix_state *s, const tdi_helix_point *point) {
    const td_vec3 from = tdi_helix_point_at(&s->began, point);
    return s->head.rule.two ? tdi_history3(&s->head.rule, from, tdi_helix_point_at(&s->back, point))
                            : from;
}

static tdi_point_term load_term(const tdi_helix_state *s, const td_load *load,
                                const tdi_helix_point *at) {
    const td_real h = s->now->h;
    const td_vec3 x = tdi_helix_point_at(&s->pose, at);
    const tdi_rate_factors by = tdi_rates_of(h);
    td_vec3 u = {0, 0, 0};
    if (h > 0) {
        u = tdi_scale(tdi_sub(x, tdi_helix_history(s, at)), 1 / h);
    }
    return tdi_point_load(load, x, u, 1, &by);
}

// The frame that a torque on a segment turns: that in its middle.
static tdi_helix_point middle_of(const tdi_helix_model *m, int32_t segment) {
    const tdi_helix_rider *r = &m->rider[segment];
    return (tdi_helix_point){.element = r->element, .s = 0.5 * (r->from + r->to)};
}

static td_vec3 torque_on(const tdi_helix_state *s, const td_load *load, int32_t element) {
    return tdi_mat3_apply_t(&s->pose.start[element].r, tdi_scale(load->vector, -1));
}

static void add_torque(tdi_helix_state *s, const td_load *load, bool exact) {
    const tdi_helix_point at = middle_of(s->model, load->segment);
    tdi_helix_jet jet;
    tdi_helix_block block = {.n = {0, 0, 0}};
    if (at.element == TD_NONE) {
        return;
    }
    block.n = block.spin = torque_on(s, load, at.element);
    tdi_helix_jet_at(s->pose.u[at.element], at.s, false, &jet);
    tdi_helix_form_add(&s->node[at.element].form, &jet, &block, exact);
}

void tdi_helix_add_loads(tdi_helix_state *s, bool exact) {
    const td_step_opts *o = s->head.opts;
    for (int32_t k = 0; k < o->load_count; k++) {
        const td_load *load = &o->loads[k];
        const tdi_helix_point at = tdi_helix_point_of(s->model, load->segment, load->point);
        if (load->kind == TD_LOAD_TORQUE) {
            add_torque(s, load, exact);
        } else if (at.element != TD_NONE) {
            const tdi_point_term term = load_term(s, load, &at);
            point_at ride;
            ride_point(s, &at, &ride);
            add_point(s, at.element, &ride, term.gradient, &term.hessian, exact);
        }
    }
}

static td_real load_value(const tdi_helix_state *s, const td_load *load) {
    if (load->kind != TD_LOAD_TORQUE) {
        const tdi_helix_point at = tdi_helix_point_of(s->model, load->segment, load->point);
        return load_term(s, load, &at).value;
    }
    const tdi_helix_point at = middle_of(s->model, load->segment);
    const tdi_helix_place now = tdi_helix_frame_at(&s->pose, at.element, at.s),
                          then = tdi_helix_frame_at(&s->began, at.element, at.s);
    return tdi_torque_value(load, &now.r, &then.r);
}

// ---- gradients alone ------------------------------------------------------------------------

static void add_motion(tdi_helix_motion *to, const tdi_helix_motion *more) {
    to->w = tdi_add(to->w, more->w);
    to->v = tdi_add(to->v, more->v);
    to->d = tdi_add(to->d, more->d);
}

static void pull_by_loads(tdi_helix_state *s) {
    for (int32_t k = 0; k < s->head.opts->load_count; k++) {
        const td_load *load = &s->head.opts->loads[k];
        const bool torque = load->kind == TD_LOAD_TORQUE;
        const tdi_helix_point at = torque
                                       ? middle_of(s->model, load->segment)
                                       : tdi_helix_point_of(s->model, load->segment, load->point);
        if (at.element == TD_NONE) {
            continue;
        }
        const tdi_helix_ride ride = tdi_helix_ride_at(s, &at);
        tdi_helix_motion row;
        if (torque) {
            const td_vec3 n = torque_on(s, load, at.element), *turn = ride.turn;
            row = (tdi_helix_motion){
                n, {0, 0, 0}, {tdi_dot(turn[0], n), tdi_dot(turn[1], n), tdi_dot(turn[2], n)}};
        } else {
            const td_vec3 f = load_term(s, load, &at).gradient;
            row = tdi_helix_ride_row(&ride, tdi_mat3_apply_t(&s->pose.start[at.element].r, f));
        }
        add_motion(&s->node[at.element].respond, &row);
    }
}

static void pull_elements(tdi_helix_state *s, int32_t first, int32_t last) {
    const tdi_helix_element *element = s->model->element, *end = &element[last - 1];
    const tdi_helix_lanes *lanes = tdi_helix_widest();
    const tdi_stations_at stations = tdi_helix_stations_at(s, true);
    td_real sum[TOGETHER][TDI_PULL_ROWS] = {{0}};
    lanes->station_pulls(&stations, element[first].station_first,
                         end->station_first + end->station_count, first, sum);
    if (s->now->drag) {
        const tdi_vanes_at vanes = vanes_at(s, true);
        lanes->vane_pulls(&vanes, element[first].vane_first, end->vane_first + end->vane_count,
                          first, sum);
    }
    for (int32_t i = first; i < last; i++) {
        const td_real *row = sum[i - first];
        s->node[i].respond =
            (tdi_helix_motion){vector_at(row), vector_at(row + 3),
                               tdi_add(vector_at(row + 6), springs_gradient(s, i))};
    }
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_helix_add_elements(tdi_helix_state *s, int32_t first, int32_t last, bool exact) {
    const tdi_helix_element *element = s->model->element;
    const tdi_helix_lanes *lanes = tdi_helix_widest();
    const tdi_stations_at stations = tdi_helix_stations_at(s, exact);
    for (int32_t i = first, next; i < last; i = next) {
        next = i + TOGETHER < last ? i + TOGETHER : last;
        const tdi_helix_element *end = &element[next - 1];
        td_real sum[TOGETHER][TDI_STATION_ROWS] = {{0}}, drag[TOGETHER][TDI_VANE_ROWS];
        lanes->stations(&stations, element[i].station_first,
                        end->station_first + end->station_count, i, sum);
        if (s->now->drag) {
            const tdi_vanes_at vanes = vanes_at(s, exact);
            memset(drag, 0, sizeof drag);
            lanes->vanes(&vanes, element[i].vane_first, end->vane_first + end->vane_count, i, drag);
        }
        for (int32_t k = i; k < next; k++) {
            tdi_helix_add_sums(sum[k - i], &s->node[k].form);
            add_springs(s, k, &s->node[k].form);
            if (s->now->drag) {
                add_vane_sums(drag[k - i], &s->node[k].form);
            }
        }
    }
}

void tdi_helix_add_element(tdi_helix_state *s, int32_t i, bool exact) {
    tdi_helix_add_elements(s, i, i + 1, exact);
}

void tdi_helix_pull(tdi_helix_state *s) {
    const int32_t count = s->model->element_count;
    for (int32_t i = 0; i < count; i += TOGETHER) {
        pull_elements(s, i, i + TOGETHER < count ? i + TOGETHER : count);
    }
    pull_by_loads(s);
}

td_real tdi_helix_value(const tdi_helix_state *s) {
    const td_step_opts *o = s->head.opts;
    const tdi_helix_model *m = s->model;
    const tdi_helix_element *last = &m->element[m->element_count - 1];
    const tdi_stations_at stations = tdi_helix_stations_at(s, true);
    td_real sum =
        tdi_helix_widest()->station_values(&stations, 0, last->station_first + last->station_count);
    for (int32_t i = 0; i < m->element_count; i++) {
        sum += springs_value(s, i);
    }
    if (s->now->drag) {
        const tdi_vanes_at vanes = vanes_at(s, true);
        sum += tdi_helix_widest()->vane_values(&vanes, 0, m->vane_count);
    }
    for (int32_t k = 0; k < o->load_count; k++) {
        sum += load_value(s, &o->loads[k]);
    }
    return sum;
}
