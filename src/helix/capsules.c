// SPDX-License-Identifier: MIT
// The capsules that helices are to others, each between two points that ride on one element, and
// which of them never touch.

#include "helix/capsules.h"

#include "contact/closest.h"
#include "helix/points.h"

#include <math.h>
#include <string.h>

#define HALF_TURN \
    1.57079632679489662 // a stem of radius r bends no tighter than r: closer than this times r
                        // along the tree two segments cannot touch

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
    tdi_helix_read(s, tdi_all_nodes(&s->head), TDI_NOW, s->drawn);
}

// Whether two capsules are nearer than the smaller radius as they are drawn.
static bool drawn_close(const tdi_helix_state *s, int32_t i, int32_t j) {
    const td_real p = s->model->capsule[i].radius, q = s->model->capsule[j].radius;
    const td_vec3 *own = s->drawn + 2 * i, *other = s->drawn + 2 * j;
    const tdi_pair_shape two = {
        .side = TDI_SIDE_SEGMENT, .a = own[0], .b = own[1], .c = other[0], .d = other[1]};
    return tdi_closest_of(&two).distance < p + q + fmin(p, q);
}

// How far a capsule that rides rigidly reaches from where it does; of others 0.
static td_real reach_of(const tdi_helix_capsule *c) {
    return c->end[0].s == c->end[1].s ? fmax(tdi_norm(c->end[0].offset), tdi_norm(c->end[1].offset))
                                      : 0;
}

// Neighbours, and capsules that overlap in the drawn pose, such as leaves at a node or crossing
// twigs. Segments within the reach of a welded body along the stem are its neighbours too.
bool tdi_helix_apart(const void *body, int32_t i, int32_t j) {
    const tdi_helix_state *s = body;
    const tdi_helix_capsule *p = &s->model->capsule[i], *q = &s->model->capsule[j];
    const td_real most = HALF_TURN * (p->radius + q->radius) + reach_of(p) + reach_of(q);
    return way_between(s->model, stretch_of(p), stretch_of(q), most) < most || drawn_close(s, i, j);
}
