// SPDX-License-Identifier: MIT
// The incremental potential of helices: value, gradient and Hessian.
//
// A station is a rigid slice in a frame (o, R) of the helix. With P = R S R^^T, c = R moment and
// e = o - o^ - h^2 g, all over h^2 (docs/theory/implicit.md):
//   by a shift  m e + c - c^,           by a turn  axial(P) + c x e
//   Hessian     m I,  [c]x,  tr(P) I - sym(P) + sym(c e^T) - (c.e) I
// All are in the axes of the element's start, in which the helix is known in closed form.

#include "helix/implicit.h"

// ---- stations -------------------------------------------------------------------------------

// A prediction in the axes of an element's start.
static tdi_helix_place seen_from(const tdi_helix_place *start, const tdi_helix_place *hat,
                                 td_vec3 fall) {
    const td_vec3 away = tdi_sub(tdi_add(hat->o, fall), start->o);
    return (tdi_helix_place){tdi_mat3_apply_t(&start->r, away),
                             tdi_mat3_t_product(&start->r, &hat->r)};
}

// tr(P) I - sym(P)
static td_sym3 inertia_of(const tdi_mat3 *p) {
    const td_real *m = p->m;
    return (td_sym3){m[4] + m[8],          m[0] + m[8],          m[0] + m[4],
                     -0.5 * (m[1] + m[3]), -0.5 * (m[2] + m[6]), -0.5 * (m[5] + m[7])};
}

// The inertia of the pose, times k.
static void set_inertia(const tdi_helix_station *k, const tdi_mat3 *p, td_vec3 c, td_real by,
                        tdi_helix_block *b) {
    b->a = tdi_sym3_scale(inertia_of(p), by);
    b->b = tdi_mat3_cross(tdi_scale(c, by));
    b->c = tdi_sym3_diagonal(by * k->mass, by * k->mass, by * k->mass);
}

static tdi_helix_block inertia_block(const tdi_helix_station *k, const tdi_helix_jet *jet,
                                     const tdi_helix_place *hat, const tdi_helix_step *now,
                                     bool exact) {
    const td_real by = now->inertia;
    const td_vec3 e = tdi_sub(jet->x, hat->o), c = tdi_mat3_apply(&jet->r, k->moment),
                  c_hat = tdi_mat3_apply(&hat->r, k->moment);
    const tdi_mat3 rs = tdi_mat3_mul_sym(&jet->r, &k->second), p = tdi_mat3_mul_t(&rs, &hat->r);
    tdi_helix_block b;
    if (exact) {
        set_inertia(k, &p, c, by, &b);
        b.a = tdi_sym3_add(b.a, tdi_sym3_scale(tdi_helix_geometric(c, e), by));
    } else {
        const tdi_mat3 still = tdi_mat3_mul_t(&rs, &jet->r);
        set_inertia(k, &still, c, by + now->shift, &b);
    }
    b.f = b.pull = tdi_scale(tdi_madd(tdi_sub(c, c_hat), e, k->mass), by);
    b.n = b.spin = tdi_scale(tdi_add(tdi_mat3_axial(&p), tdi_cross(c, e)), by);
    return b;
}

// Weight alone; `down` is gravity in the axes of the element.
static tdi_helix_block weight_block(const tdi_helix_station *k, const tdi_helix_jet *jet,
                                    td_vec3 down, const tdi_helix_step *now, bool exact) {
    const td_vec3 c = tdi_mat3_apply(&jet->r, k->moment), up = tdi_scale(down, -1);
    const tdi_mat3 rs = tdi_mat3_mul_sym(&jet->r, &k->second), p = tdi_mat3_mul_t(&rs, &jet->r);
    tdi_helix_block b;
    set_inertia(k, &p, c, exact ? 0 : now->shift, &b);
    if (exact) {
        b.a = tdi_sym3_add(b.a, tdi_helix_geometric(c, up));
    }
    b.f = b.pull = tdi_scale(up, k->mass);
    b.n = b.spin = tdi_cross(c, up);
    return b;
}

static void add_stations(const td_helix_state *s, int32_t i, bool exact, tdi_helix_form *form) {
    const tdi_helix_step *now = s->now;
    const tdi_helix_element *e = &s->model->element[i];
    const tdi_helix_place *start = &s->pose.start[i];
    const td_vec3 g = s->head.opts->gravity, fall = tdi_scale(g, now->h * now->h),
                  down = tdi_mat3_apply_t(&start->r, g);
    for (int32_t k = e->station_first; k < e->station_first + e->station_count; k++) {
        const tdi_helix_station *station = &s->model->station[k];
        tdi_helix_jet jet;
        tdi_helix_block block;
        tdi_helix_jet_at(s->pose.u[i], station->s, false, &jet);
        if (now->inertia > 0) {
            const tdi_helix_place hat = seen_from(start, &now->hat[k], fall);
            block = inertia_block(station, &jet, &hat, now, exact);
        } else {
            block = weight_block(station, &jet, down, now, exact);
        }
        tdi_helix_form_add(form, &jet, &block, exact);
    }
}

static td_real station_value(const tdi_helix_station *k, const tdi_helix_frame *at,
                             const tdi_helix_place *hat) {
    tdi_mat3 d;
    for (int j = 0; j < 9; j++) {
        d.m[j] = at->r.m[j] - hat->r.m[j];
    }
    const td_vec3 e = tdi_sub(at->x, hat->o);
    const tdi_mat3 ds = tdi_mat3_mul_sym(&d, &k->second);
    td_real trace = 0;
    for (int j = 0; j < 9; j++) {
        trace += ds.m[j] * d.m[j];
    }
    return 0.5 * k->mass * tdi_dot(e, e) + tdi_dot(e, tdi_mat3_apply(&d, k->moment)) + 0.5 * trace;
}

static td_real stations_value(const td_helix_state *s, int32_t i) {
    const tdi_helix_step *now = s->now;
    const tdi_helix_element *e = &s->model->element[i];
    const tdi_helix_place *start = &s->pose.start[i];
    const td_vec3 g = s->head.opts->gravity, fall = tdi_scale(g, now->h * now->h),
                  down = tdi_mat3_apply_t(&start->r, g);
    td_real sum = now->inertia > 0 ? 0 : -e->mass * tdi_dot(g, start->o);
    for (int32_t k = e->station_first; k < e->station_first + e->station_count; k++) {
        const tdi_helix_station *station = &s->model->station[k];
        const tdi_helix_frame at = tdi_helix_at(s->pose.u[i], station->s);
        if (now->inertia > 0) {
            const tdi_helix_place hat = seen_from(start, &now->hat[k], fall);
            sum += now->inertia * station_value(station, &at, &hat);
        } else {
            const td_vec3 c = tdi_mat3_apply(&at.r, station->moment);
            sum -= tdi_dot(down, tdi_madd(c, at.x, station->mass));
        }
    }
    return sum;
}

void tdi_helix_add_inertia(const td_helix_state *s, int32_t i, tdi_helix_form *form) {
    const tdi_helix_element *e = &s->model->element[i];
    const tdi_helix_step still = {.shift = 1};
    for (int32_t k = e->station_first; k < e->station_first + e->station_count; k++) {
        tdi_helix_jet jet;
        tdi_helix_jet_at(s->pose.u[i], s->model->station[k].s, false, &jet);
        const tdi_helix_block block =
            weight_block(&s->model->station[k], &jet, tdi_vec3(0, 0, 0), &still, false);
        tdi_helix_form_add(form, &jet, &block, false);
    }
}

// ---- springs --------------------------------------------------------------------------------

static void add_springs(const td_helix_state *s, int32_t i, tdi_helix_form *form) {
    const tdi_helix_element *e = &s->model->element[i];
    const td_vec3 u = s->pose.u[i], k = tdi_scale(e->stiffness, s->head.opts->stiffness),
                  b = tdi_scale(e->friction, s->now->damp), both = tdi_add(k, b);
    form->g = tdi_add(form->g, tdi_times(k, tdi_sub(u, e->rest)));
    form->g = tdi_add(form->g, tdi_times(b, tdi_sub(u, s->u_star[i])));
    form->d = tdi_sym3_add(form->d, tdi_sym3_diagonal(both.x, both.y, both.z));
}

static td_real springs_value(const td_helix_state *s, int32_t i) {
    const tdi_helix_element *e = &s->model->element[i];
    const td_vec3 off = tdi_sub(s->pose.u[i], e->rest), rate = tdi_sub(s->pose.u[i], s->u_star[i]);
    return 0.5 * s->head.opts->stiffness * tdi_dot(off, tdi_times(e->stiffness, off)) +
           0.5 * s->now->damp * tdi_dot(rate, tdi_times(e->friction, rate));
}

// ---- points ---------------------------------------------------------------------------------

tdi_helix_ride tdi_helix_ride_at(const td_helix_state *s, const tdi_helix_point *point) {
    tdi_helix_jet jet;
    tdi_helix_ride ride;
    tdi_helix_jet_at(s->pose.u[point->element], point->s, false, &jet);
    const td_vec3 p = tdi_mat3_apply(&jet.r, point->offset);
    ride.x = tdi_add(jet.x, p);
    for (int k = 0; k < 3; k++) {
        ride.turn[k] = jet.turn[k];
        ride.shift[k] = tdi_add(jet.dx[k], tdi_cross(jet.turn[k], p));
    }
    return ride;
}

// Adds the term of a point, which is in world axes.
static void add_point(td_helix_state *s, const tdi_helix_point *at, const tdi_point *term,
                      bool exact) {
    const tdi_mat3 back = tdi_mat3_turned(&s->pose.start[at->element].r);
    tdi_helix_block block = {.c = tdi_sym3_turn(&back, &term->hessian),
                             .f = tdi_mat3_apply(&back, term->gradient)};
    tdi_helix_jet jet;
    tdi_helix_jet_at(s->pose.u[at->element], at->s, false, &jet);
    block.pull = block.f;
    tdi_helix_block_shift(&block, tdi_mat3_apply(&jet.r, at->offset), exact);
    tdi_helix_form_add(&s->node[at->element].form, &jet, &block, exact);
}

// ---- drag -----------------------------------------------------------------------------------

static tdi_drag drag_at(const td_helix_state *s, int32_t k) {
    const td_step_opts *o = s->head.opts;
    const tdi_helix_vane *vane = &s->model->vane[k];
    const tdi_helix_vane_air *known = &s->vane[k];
    const td_real h = s->now->h;
    const tdi_rate_factors by = tdi_rates_of(h);
    const td_vec3 wind = o->winds ? o->winds[vane->point.segment] : o->air.wind,
                  x = tdi_helix_point_at(&s->pose, &vane->point),
                  u = tdi_sub(tdi_scale(tdi_sub(x, known->star), 1 / h), wind);
    return tdi_drag_of(&o->air, &known->area, u, &by);
}

static void add_vanes(td_helix_state *s, int32_t i, bool exact) {
    const tdi_helix_element *e = &s->model->element[i];
    for (int32_t k = e->vane_first; s->now->drag && k < e->vane_first + e->vane_count; k++) {
        const tdi_drag drag = drag_at(s, k);
        const tdi_point term = {drag.value, drag.gradient, drag.hessian};
        add_point(s, &s->model->vane[k].point, &term, exact);
    }
}

static td_real vanes_value(const td_helix_state *s, int32_t i) {
    const tdi_helix_element *e = &s->model->element[i];
    td_real sum = 0;
    for (int32_t k = e->vane_first; s->now->drag && k < e->vane_first + e->vane_count; k++) {
        sum += drag_at(s, k).value;
    }
    return sum;
}

// ---- loads ----------------------------------------------------------------------------------

// A point's x* by the rule of the step.
td_vec3 tdi_helix_star(const td_helix_state *s, const tdi_helix_point *point) {
    const td_vec3 from = tdi_helix_point_at(&s->began, point);
    return s->head.rule.two ? tdi_two_step3(from, tdi_helix_point_at(&s->back, point)) : from;
}

static tdi_point load_term(const td_helix_state *s, const td_load *load,
                           const tdi_helix_point *at) {
    const td_real h = s->now->h;
    const td_vec3 x = tdi_helix_point_at(&s->pose, at);
    const tdi_rate_factors by = tdi_rates_of(h);
    td_vec3 u = {0, 0, 0};
    if (h > 0) {
        u = tdi_scale(tdi_sub(x, tdi_helix_star(s, at)), 1 / h);
    }
    return tdi_point_load(load, x, u, 1, &by);
}

// The frame that a torque on a segment turns: that in its middle.
static tdi_helix_point middle_of(const td_helix_model *m, int32_t segment) {
    const tdi_helix_rider *r = &m->rider[segment];
    return (tdi_helix_point){.element = r->element, .s = 0.5 * (r->from + r->to)};
}

static void add_torque(td_helix_state *s, const td_load *load, bool exact) {
    const tdi_helix_point at = middle_of(s->model, load->segment);
    tdi_helix_jet jet;
    tdi_helix_block block = {.n = {0, 0, 0}};
    if (at.element == TD_NONE) {
        return;
    }
    const td_vec3 n = tdi_mat3_apply_t(&s->pose.start[at.element].r, load->vector);
    block.n = block.spin = tdi_scale(n, -1);
    tdi_helix_jet_at(s->pose.u[at.element], at.s, false, &jet);
    tdi_helix_form_add(&s->node[at.element].form, &jet, &block, exact);
}

void tdi_helix_add_loads(td_helix_state *s, bool exact) {
    const td_step_opts *o = s->head.opts;
    for (int32_t k = 0; k < o->load_count; k++) {
        const td_load *load = &o->loads[k];
        const tdi_helix_point at = tdi_helix_point_of(s->model, load->segment, load->point);
        if (load->kind == TD_LOAD_TORQUE) {
            add_torque(s, load, exact);
        } else if (at.element != TD_NONE) {
            const tdi_point term = load_term(s, load, &at);
            add_point(s, &at, &term, exact);
        }
    }
}

static td_real load_value(const td_helix_state *s, const td_load *load) {
    if (load->kind != TD_LOAD_TORQUE) {
        const tdi_helix_point at = tdi_helix_point_of(s->model, load->segment, load->point);
        return load_term(s, load, &at).value;
    }
    const tdi_helix_point at = middle_of(s->model, load->segment);
    const tdi_helix_place now = tdi_helix_frame_at(&s->pose, at.element, at.s),
                          then = tdi_helix_frame_at(&s->began, at.element, at.s);
    return tdi_torque_value(load, &now.r, &then.r);
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_helix_add_element(td_helix_state *s, int32_t i, bool exact) {
    add_stations(s, i, exact, &s->node[i].form);
    add_springs(s, i, &s->node[i].form);
    add_vanes(s, i, exact);
}

td_real tdi_helix_value(const td_helix_state *s) {
    const td_step_opts *o = s->head.opts;
    td_real sum = 0;
    for (int32_t i = s->model->element_count - 1; i >= 0; i--) {
        sum += stations_value(s, i) + springs_value(s, i) + vanes_value(s, i);
    }
    for (int32_t k = 0; k < o->load_count; k++) {
        sum += load_value(s, &o->loads[k]);
    }
    return sum;
}
