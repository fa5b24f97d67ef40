// SPDX-License-Identifier: MIT
// What constraints hold helices by: a point of a segment rides at an arc length of an element, with
// an offset in the axes of the frame there. A segment may also stand on the base, whose motion
// nobody chooses.

#include "helix/pins.h"

#include "helix/implicit.h"
#include "helix/points.h"

static tdi_helix_point point_of(const tdi_helix_state *s, const tdi_pin *pin) {
    tdi_helix_point point = tdi_helix_point_of(s->model, pin->segment, pin->at);
    const td_vec3 arm = tdi_quat_rotate(s->model->rider[pin->segment].turn, pin->arm);
    point.offset = tdi_add(point.offset, arm);
    return point;
}

// A point that goes with the base.
static td_vec3 base_move(const tdi_helix_state *s, const tdi_helix_point *point) {
    const tdi_rate *base = &s->now->base_move;
    const td_vec3 lever = tdi_sub(tdi_helix_point_at(&s->pose, point), s->pose.base.o);
    return tdi_add(base->velocity, tdi_cross(base->spin, lever));
}

td_real tdi_helix_mass(const void *body) {
    const tdi_helix_model *m = ((const tdi_helix_state *)body)->model;
    td_real sum = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        sum += m->element[i].mass;
    }
    return sum;
}

void tdi_helix_pin_places(const void *body, const tdi_pin *pins, int32_t count, bool history,
                          td_vec3 *x) {
    const tdi_helix_state *s = body;
    for (int32_t k = 0; k < count; k++) {
        const tdi_helix_point at = point_of(s, &pins[k]);
        x[k] = history ? tdi_helix_history(s, &at) : tdi_helix_point_at(&s->pose, &at);
    }
}

void tdi_helix_pin_moves(const void *body, const tdi_pin *pins, int32_t count, bool response,
                         td_vec3 *dx) {
    const tdi_helix_state *s = body;
    for (int32_t k = 0; k < count; k++) {
        const tdi_helix_point at = point_of(s, &pins[k]);
        if (at.element == TD_NONE) {
            dx[k] = response ? tdi_vec3(0, 0, 0) : base_move(s, &at);
        } else {
            const tdi_helix_ride ride = tdi_helix_ride_at(s, &at);
            dx[k] = tdi_helix_ride_move(s, at.element, &ride, response);
        }
    }
}

void tdi_helix_pin_push(void *body, const tdi_pin *pin, td_vec3 force, bool first) {
    tdi_helix_state *s = body;
    const tdi_helix_point at = point_of(s, pin);
    if (first) {
        tdi_helix_open_pushes(s);
    }
    if (at.element != TD_NONE) {
        const tdi_helix_ride ride = tdi_helix_ride_at(s, &at);
        tdi_helix_push_ride(s, at.element, &ride, force);
    }
}

void tdi_helix_pin_add(void *body, const tdi_pin *pin, td_vec3 gradient, const td_sym3 *hessian,
                       tdi_levers levers) {
    tdi_helix_state *s = body;
    const tdi_helix_point at = point_of(s, pin);
    if (at.element == TD_NONE) {
        return;
    }
    const tdi_helix_ride ride = tdi_helix_ride_at(s, &at);
    const td_vec3 f = tdi_mat3_apply_t(&s->pose.start[at.element].r, gradient);
    tdi_helix_add_ride(s, at.element, &ride, f, hessian);
    if (levers == TDI_LEVERS_ALL) {
        tdi_helix_add_levers(s, &at, f);
    }
}
