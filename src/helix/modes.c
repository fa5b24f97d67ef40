// SPDX-License-Identifier: MIT
// The lowest vibration modes of helices about a pose: K x = lambda M x by subspace iteration.
//
// Method   K and M are sums of forms of the elements: products go root to tip and back, and
//          K + shift M is eliminated as a step's own. O(elements) an iteration for a given count.
// Vectors  a number a degree of freedom, element after element: of one without parent its turn and
//          shift as far as they are free, then the curvatures.
// Memory   one block from the state's allocator, freed before the end.

#include "base/guard.h"
#include "base/range.h"
#include "helix/implicit.h"
#include "helix/points.h"
#include "implicit/modal.h"
#include "math/subspace.h"

#include <string.h>

typedef struct tangent {
    tdi_helix_state *state;
    tdi_helix_form *stiffness, *inertia; // an element
} tangent;

// ---- vectors --------------------------------------------------------------------------------

static int32_t free_of(const tdi_helix_element *e) { // numbers of the root's own motion
    return e->parent != TD_NONE || e->root == TD_END_CLAMPED ? 0 : e->root == TD_END_PINNED ? 3 : 6;
}

static const td_real *read_vector(const td_real *x, td_vec3 *to) {
    *to = tdi_vec3(x[0], x[1], x[2]);
    return x + 3;
}

static td_real *write_vector(td_real *x, td_vec3 from) {
    x[0] = from.x;
    x[1] = from.y;
    x[2] = from.z;
    return x + 3;
}

// Into `move`, or turned round into pushes.
static void read_all(tdi_helix_state *s, const td_real *x, bool pushes) {
    const tdi_helix_motion none = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int32_t i = 0; i < s->model->element_count; i++) {
        const int32_t free = free_of(&s->model->element[i]);
        tdi_helix_motion m = none;
        x = free >= 3 ? read_vector(x, &m.w) : x;
        x = free == 6 ? read_vector(x, &m.v) : x;
        x = read_vector(x, &m.d);
        if (pushes) {
            s->node[i].respond =
                (tdi_helix_motion){tdi_scale(m.w, -1), tdi_scale(m.v, -1), tdi_scale(m.d, -1)};
        } else {
            s->node[i].move = m;
        }
    }
}

static void write_answers(const tdi_helix_state *s, td_real *x) {
    for (int32_t i = 0; i < s->model->element_count; i++) {
        const int32_t free = free_of(&s->model->element[i]);
        const tdi_helix_motion *m = &s->node[i].respond;
        x = free >= 3 ? write_vector(x, m->w) : x;
        x = free == 6 ? write_vector(x, m->v) : x;
        x = write_vector(x, m->d);
    }
}

// ---- K and M --------------------------------------------------------------------------------

static void stiffness(void *context, const td_real *x, td_real *y) {
    const tangent *t = context;
    read_all(t->state, x, false);
    tdi_helix_multiply(t->state, t->stiffness);
    write_answers(t->state, y);
}

static void inertia(void *context, const td_real *x, td_real *y) {
    const tangent *t = context;
    read_all(t->state, x, false);
    tdi_helix_multiply(t->state, t->inertia);
    write_answers(t->state, y);
}

static td_vec3 diagonal_of(const td_sym3 *s) {
    return tdi_vec3(s->xx, s->yy, s->zz);
}

// Inertia against each unknown alone: of an element with all that it carries, as one.
static void diagonal(void *context, td_real *y) {
    const tangent *t = context;
    tdi_helix_state *s = t->state;
    const tdi_helix_model *m = s->model;
    for (int32_t i = 0; i < m->element_count; i++) {
        s->node[i].form = t->inertia[i];
    }
    for (int32_t i = m->element_count - 1; i >= 0; i--) {
        if (m->element[i].parent != TD_NONE) {
            tdi_helix_add_to_parent(s, i, false);
        }
    }
    for (int32_t i = 0; i < m->element_count; i++) {
        const int32_t free = free_of(&m->element[i]);
        const tdi_helix_form *form = &s->node[i].form;
        y = free >= 3 ? write_vector(y, diagonal_of(&form->start.a)) : y;
        y = free == 6 ? write_vector(y, diagonal_of(&form->start.c)) : y;
        y = write_vector(y, diagonal_of(&form->d));
    }
}

static void add_forms(const tdi_helix_form *a, const tdi_helix_form *b, td_real k,
                      tdi_helix_form *sum) {
    td_real to[sizeof *sum / sizeof(td_real)], from[sizeof *sum / sizeof(td_real)];
    memcpy(to, a, sizeof to);
    memcpy(from, b, sizeof from);
    for (size_t j = 0; j < sizeof to / sizeof *to; j++) {
        to[j] += k * from[j];
    }
    memcpy(sum, to, sizeof to);
}

static bool factor(void *context, td_real shift) {
    const tangent *t = context;
    tdi_helix_state *s = t->state;
    for (int32_t i = 0; i < s->model->element_count; i++) {
        add_forms(&t->stiffness[i], &t->inertia[i], shift, &s->node[i].form);
    }
    for (int32_t i = s->model->element_count - 1; i >= 0; i--) {
        if (tdi_helix_eliminate(s, i, false, HUGE_VAL) !=
            TDI_POSITIVE) { // second derivatives are in the forms
            return false;
        }
    }
    return true;
}

static void respond(void *context, td_real *x) {
    const tangent *t = context;
    tdi_helix_state *s = t->state;
    read_all(s, x, true);
    tdi_helix_sweep_respond(s);
    write_answers(s, x);
}

// ---- entry ----------------------------------------------------------------------------------

static tdi_modal_form measure(void *context, const td_real *x, int32_t mode, td_real *shapes) {
    const tangent *t = context;
    (void)mode, (void)shapes; // there are none
    const tdi_helix_model *m = t->state->model;
    tdi_modal_form f = {0, 0, 0};
    read_all(t->state, x, false);
    for (int32_t i = 0; i < m->element_count; i++) {
        const tdi_helix_element *e = &m->element[i];
        const td_vec3 d = t->state->node[i].move.d;
        f.stiffness += tdi_dot(d, tdi_times(e->stiffness, d));
        f.damping += tdi_dot(d, tdi_times(e->friction, d));
        f.twist += e->stiffness.y * d.y * d.y;
    }
    return f;
}

static int32_t open_tangent(void *context, void *body, tdi_layout *l) {
    tdi_helix_state *s = body;
    tangent *t = context;
    const size_t n = (size_t)s->model->element_count;
    *t = (tangent){.state = s};
    t->stiffness = tdi_layout_place(l, n, sizeof *t->stiffness);
    t->inertia = tdi_layout_place(l, n, sizeof *t->inertia);
    return s->model->head.dof_count;
}

// Forms as tdi_helix_expand() leaves them: elements have their parts of all that they carry.
static void write_gradient(const tangent *t, td_real *y) {
    tdi_helix_state *s = t->state;
    for (int32_t i = 0; i < s->model->element_count; i++) {
        const tdi_helix_form *form = &t->stiffness[i];
        s->node[i].respond = (tdi_helix_motion){form->start.n, form->start.f, form->g};
    }
    write_answers(s, y);
}

static void expand(void *context, td_vec3 gravity, const tdi_dead_load *loads, int32_t count,
                   td_real *gradient) {
    const tangent *t = context;
    tdi_helix_state *s = t->state;
    tdi_helix_expand(s, gravity, loads, count);
    for (int32_t i = 0; i < s->model->element_count; i++) {
        t->stiffness[i] = s->node[i].form;
        memset(&t->inertia[i], 0, sizeof t->inertia[i]);
        tdi_helix_add_inertia(s, i, &t->inertia[i]);
    }
    if (gradient) {
        write_gradient(t, gradient);
    }
}

// Forces are kept as minus a gradient.
static void forces(void *context, tdi_points points, const td_vec3 *at, td_real *y) {
    const tangent *t = context;
    t->state->head.coupling.pushed = false;
    tdi_helix_apply_forces(t->state, points, at);
    tdi_helix_sum_pushes(t->state);
    write_answers(t->state, y);
    for (int32_t d = 0; d < t->state->model->head.dof_count; d++) {
        y[d] = -y[d];
    }
}

const tdi_modal tdi_helix_modal = {.bytes = sizeof(tangent),
                                   .open = open_tangent,
                                   .expand = expand,
                                   .stiffness = stiffness,
                                   .inertia = inertia,
                                   .diagonal = diagonal,
                                   .factor = factor,
                                   .respond = respond,
                                   .forces = forces,
                                   .measure = measure};
