// SPDX-License-Identifier: MIT
#pragma once

// Shared by the tests of constraints: bars and chains in the plane, held in an island.

#include "test_tree_support.h"

enum { MOST_ACTORS = 8 };

typedef struct held_island {
    tree actor[MOST_ACTORS];
    int32_t count;
    td_island *island;
    td_step_opts opts[MOST_ACTORS];
    td_collider ground; // where there is contact
    bool has_ground;
    td_step_stats stats;
} held_island;

typedef struct place2 {
    double x, y;
} place2;

#define THIN  1e-8 // of a bar's inertia: what it has about itself; so little shows nowhere
#define ROUND 1e-4 // as much as a bar of a hundredth of its length

// Bars through points of the plane z = 0, on joints of a kind about z; density in kg/m.
static inline tree bars(const place2 *at, int32_t count, td_joint_kind joint, double density,
                        double across) {
    td_segment_def *defs = calloc((size_t)count, sizeof *defs);
    double before = 0;
    for (int32_t i = 0; i < count; i++) {
        const double dx = at[i + 1].x - at[i].x, dy = at[i + 1].y - at[i].y;
        const double length = sqrt(dx * dx + dy * dy), angle = atan2(dy, dx) - 0.5 * TDI_PI;
        td_segment_def *d = &defs[i];
        *d = td_segment_def_default();
        d->parent = i - 1;
        d->attach_at_tip = i > 0;
        d->attach = tdi_vec3(at[0].x, at[0].y, 0);
        d->joint = joint;
        d->axis = tdi_vec3(0, 0, 1);
        d->rest = tdi_quat_turn(tdi_vec3(0, 0, 1), angle - before);
        d->length = length;
        d->radius_base = d->radius_tip = 0.005;
        d->mass = density * length;
        d->centre_of_mass = tdi_vec3(0, length / 2, 0);
        d->second_moment.yy = density * length * length * length / 3;
        d->second_moment.xx = d->second_moment.zz = across * d->second_moment.yy;
        d->has_stiffness = d->has_damping = true;
        before = angle;
    }
    tree t = tree_of(defs, count, TD_LAW_LINEAR, NULL);
    free(defs);
    return t;
}

static inline void hold_with(held_island *s, const td_constraint *constraints, int32_t count,
                             const td_contact_opts *touch, const td_alloc *alloc) {
    td_body *refs[MOST_ACTORS];
    td_diag diag = {.message = ""};
    for (int32_t k = 0; k < s->count; k++) {
        refs[k] = s->actor[k].state;
        s->opts[k] = td_step_opts_default();
    }
    CHECK_INT(td_island_new(refs, s->count, touch, touch ? 2 : 0, alloc, &s->island, &diag), TD_OK);
    CHECK_INT(td_island_constrain(s->island, constraints, count, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
}

static inline void hold(held_island *s, const td_constraint *constraints, int32_t count) {
    hold_with(s, constraints, count, NULL, NULL);
}

static inline void set_steps(held_island *s, double dt, double tolerance) {
    for (int32_t k = 0; k < s->count; k++) {
        s->opts[k].dt = dt;
        s->opts[k].tolerance = tolerance;
    }
}

static inline bool go_on(held_island *s) {
    td_diag diag = {.message = ""};
    const td_status status =
        td_island_step(s->island, s->opts, &s->ground, s->has_ground, &s->stats, &diag);
    return CHECK_SAY(status == TD_OK, "%s", diag.message);
}

static inline bool go_steps(held_island *s, int32_t count) {
    bool going = true;
    for (int32_t k = 0; k < count && going; k++) {
        going = go_on(s);
    }
    return going;
}

static inline void held_free(held_island *s) {
    td_island_free(s->island);
    for (int32_t k = 0; k < s->count; k++) {
        tree_free(s->actor[k]);
    }
}
OWNED_VALUE(held_island, held_free(value))

static inline double energy_of(const held_island *s) {
    double sum = 0;
    for (int32_t k = 0; k < s->count; k++) {
        const td_energy e = td_body_energy(s->actor[k].state, weight);
        sum += e.kinetic + e.elastic + e.weight;
    }
    return sum;
}

// A point of a segment in the world.
static inline td_vec3 place_on(const held_island *s, int32_t actor, int32_t segment, td_vec3 at) {
    td_body *t = s->actor[actor].state;
    return tdi_add(td_body_origin(t, segment), tdi_quat_rotate(td_body_rotation(t, segment), at));
}
