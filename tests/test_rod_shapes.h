// SPDX-License-Identifier: MIT
#pragma once

// Rods to try things on: wriggling, branching, closed, with bodies.

#include "math/quat.h"
#include "rod/pose.h"
#include "rod/terms.h"
#include "td_test.h"

#include <stdlib.h>

typedef struct rods {
    td_body_model *model;
    td_body *state;
    tdi_rod_model *m; // the two as rods
    tdi_rod_state *s;
} rods;

static const td_vec3 no_weight = {0, 0, 0}, down = {0, -9.81, 0};

static inline td_real between(tdi_random *r, td_real low, td_real high) {
    return low + (high - low) * tdi_random_uniform(r);
}

static inline td_vec3 any_vector(tdi_random *r, td_real size) {
    td_real x = tdi_random_normal(r), y = tdi_random_normal(r);
    return tdi_vec3(size * x, size * y, size * tdi_random_normal(r));
}

static inline td_vec3 any_direction(tdi_random *r) {
    return tdi_unit_or(any_vector(r, 1), tdi_vec3(1, 0, 0));
}

static inline td_quat any_rotation(tdi_random *r) {
    return tdi_quat_turn(any_direction(r), between(r, 0, 3));
}

static inline void rods_free(rods s) {
    td_body_free(s.state);
    td_body_model_free(s.model);
}
OWNED_VALUE(rods, rods_free(*value))

static inline rods rods_new(const td_rod_def *defs, int32_t count, const td_rod_body *bodies,
                            int32_t body_count) {
    rods s = {0};
    td_diag diag = {.message = ""};
    td_status status = td_rod_model_new(defs, count, bodies, body_count, NULL, &s.model, &diag);
    status = status == TD_OK ? td_body_new(s.model, NULL, &s.state, &diag) : status;
    if (status != TD_OK) {
        test_failed(__FILE__, __LINE__, "rods: %s", diag.message);
        abort();
    }
    s.m = tdi_as_rod_model(s.model);
    s.s = tdi_as_rod(s.state);
    return s;
}

// ---- curves ---------------------------------------------------------------------------------

#define MOST_POINTS 512

// Evenly along a line.
static inline void straight_line(td_vec3 *points, int32_t count, td_vec3 from, td_vec3 to) {
    for (int32_t k = 0; k < count; k++) {
        td_real s = (td_real)k / (count - 1);
        points[k] = tdi_madd(tdi_scale(from, 1 - s), to, s);
    }
}

// Edges of about `length`, each leaning from the one before; `t` is where the first leans from.
static inline void wriggle(tdi_random *r, td_vec3 *points, int32_t count, td_real length,
                           td_vec3 t) {
    for (int32_t k = 1; k < count; k++) {
        t = tdi_unit_or(tdi_madd(t, any_direction(r), 0.5), t);
        points[k] = tdi_madd(points[k - 1], t, length * between(r, 0.7, 1.3));
    }
}

static inline void wobbly_ring(tdi_random *r, td_vec3 *points, int32_t count, td_real radius) {
    for (int32_t k = 0; k < count; k++) {
        td_real a = 2 * 3.14159265358979323846 * k / count;
        points[k] =
            tdi_add(tdi_vec3(radius * cos(a), radius * sin(a), 0), any_vector(r, 0.1 * radius));
    }
}

// ---- rods -----------------------------------------------------------------------------------

// Soft and thick, so that bending, twist, stretch and inertia are of one size; flat, twisted at
// ease and more so at the start.
static inline td_rod_def soft_rod(tdi_random *r, const td_vec3 *points, const td_vec3 *rest,
                                  int32_t count) {
    td_rod_def d = td_rod_def_default();
    d.vertex_count = count;
    d.points = points;
    d.rest = rest;
    d.radius = 0.05;
    d.radius_other = between(r, 0.03, 0.08);
    d.young = 1e5;
    d.damping_time = 0.02;
    d.twist_rest = between(r, -1, 1);
    d.twist = between(r, -1, 1);
    return d;
}

static inline rods open_rod(tdi_random *r, int32_t count, td_end_kind start, td_end_kind end) {
    td_vec3 points[MOST_POINTS], rest[MOST_POINTS];
    points[0] = rest[0] = any_vector(r, 0.3);
    wriggle(r, points, count, 0.2, any_direction(r));
    wriggle(r, rest, count, 0.2, any_direction(r));
    td_rod_def d = soft_rod(r, points, rest, count);
    d.start = start;
    d.end = end;
    return rods_new(&d, 1, NULL, 0);
}

static inline rods ring_rod(tdi_random *r, int32_t count) {
    td_vec3 points[MOST_POINTS], rest[MOST_POINTS];
    wobbly_ring(r, points, count, 0.2);
    wobbly_ring(r, rest, count, 0.2);
    td_rod_def d = soft_rod(r, points, rest, count);
    d.closed = true;
    return rods_new(&d, 1, NULL, 0);
}

static inline td_rod_body some_body(tdi_random *r, int32_t rod, int32_t edge) {
    td_rod_body b = {.rod = rod, .edge = edge, .mass = between(r, 0.3, 2)};
    td_vec3 c = any_vector(r, 0.1), a = any_vector(r, 0.05);
    b.centre_of_mass = c;
    // m c c^T and something about the centre
    b.second_moment = (td_sym3){b.mass * (c.x * c.x + a.x * a.x),
                                b.mass * (c.y * c.y + a.y * a.y),
                                b.mass * (c.z * c.z + a.z * a.z),
                                b.mass * c.x * c.y,
                                b.mass * c.x * c.z,
                                b.mass * c.y * c.z};
    return b;
}

static inline bool bears(const td_body_model *m, int32_t node) {
    for (int32_t i = node + 1; i < tdi_as_rod_model(m)->node_count; i++) {
        if (tdi_as_rod_model(m)->node[i].parent == node) {
            return true;
        }
    }
    return false;
}

// A stem of five points with two branches, one of which branches again; bodies, and levers of
// the last edges, when asked for.
static inline rods branching_rods(tdi_random *r, bool bodies, bool levers) {
    enum { RODS = 4 };
    static const int32_t parents[RODS][2] = {{TD_NONE, TD_NONE}, {0, 2}, {0, 4}, {1, 2}};
    td_vec3 points[RODS][5];
    td_rod_def defs[RODS];
    points[0][0] = any_vector(r, 0.3);
    for (int32_t k = 0; k < RODS; k++) {
        td_vec3 t = any_direction(r);
        if (k > 0) {
            const td_vec3 *at = &points[parents[k][0]][parents[k][1]];
            points[k][0] = *at;
            t = tdi_unit_or(tdi_add(tdi_unit_or(tdi_sub(at[0], at[-1]), t), t), t);
        }
        wriggle(r, points[k], 5, 0.2, t);
        defs[k] = soft_rod(r, points[k], NULL, 5);
        defs[k].straight = k % 2;
        defs[k].parent_rod = parents[k][0];
        defs[k].parent_vertex = parents[k][1];
    }
    defs[0].start = TD_END_CLAMPED;
    td_rod_body b[2] = {some_body(r, 0, 1), some_body(r, 3, 3)};
    rods s = rods_new(defs, RODS, b, bodies ? 2 : 0);
    for (int32_t i = 0; levers && i < s.m->node_count; i++) {
        if (!bears(s.model, i)) {
            s.m->node[i].flags |= TDI_OFFSET;
            s.m->node[i].offset = any_vector(r, 0.03);
        }
    }
    CHECK(td_body_reset(s.state, NULL) == TD_OK);
    return s;
}

// Away from where it started: places shaken, frames turned.
static inline void shake(tdi_random *r, rods s, td_real size) {
    memcpy(s.s->pose_back, s.s->pose, (size_t)s.m->node_count * sizeof *s.s->pose);
    for (int32_t i = 0; i < s.m->node_count; i++) {
        const uint32_t flags = s.m->node[i].flags;
        for (int k = 0; k < 4; k++) {
            bool held = flags & (k < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN);
            td_real x = size * tdi_random_normal(r);
            s.s->step[i].x[k] = held ? 0 : k < 3 ? 0.2 * x : x;
        }
    }
    tdi_rod_try(s.s, 1, TDI_STRAIGHT);
}
