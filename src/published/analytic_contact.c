// SPDX-License-Identifier: MIT
// Rows of contact: ends of segments, which are balls, against colliders.
//
// A ball with centre x and radius r is at the signed distance c = s(x) - r from a collider, whose
// surface moves with v there; n is the gradient of s. c'' = n.x'' + (|u|^2 - (n.u)^2)/d, u = x' -
// v, d the distance from the point or line that s is measured from. Friction acts where they touch,
// at x - r n. Acceleration of the collider is not known, and not counted.

#include "published/analytic.h"

#include "base/diag.h"
#include "tree/capsules.h"
#include "tree/points.h"

typedef struct nearness { // of a point to a collider, in its own axes
    td_real distance;     // negative inside
    td_vec3 normal;
    td_real curvature; // 1/d, 0 of planes
} nearness;

static nearness from_point(td_vec3 apart, td_real radius) {
    const td_real d = tdi_norm(apart);
    return (nearness){d - radius, tdi_unit_or(apart, tdi_vec3(0, 1, 0)), d > 0 ? 1 / d : 0};
}

// Inside, the nearest face; outside, the nearest point of the surface.
static nearness from_box(td_vec3 x, td_vec3 half) {
    const td_real p[3] = {x.x, x.y, x.z}, h[3] = {half.x, half.y, half.z};
    td_real out[3], most = -INFINITY;
    int face = 0;
    for (int k = 0; k < 3; k++) {
        const td_real beyond = fabs(p[k]) - h[k];
        out[k] = beyond > 0 ? copysign(beyond, p[k]) : 0;
        if (beyond > most) {
            most = beyond;
            face = k;
        }
    }
    if (most > 0) {
        nearness edge = from_point(tdi_vec3(out[0], out[1], out[2]), 0);
        const int axes = (out[0] != 0) + (out[1] != 0) + (out[2] != 0);
        edge.curvature = axes > 1 ? edge.curvature : 0;
        return edge;
    }
    const td_real sign = p[face] < 0 ? -1 : 1;
    return (nearness){most, tdi_scale(tdi_vec3(face == 0, face == 1, face == 2), sign), 0};
}

static nearness nearness_of(const td_collider *c, td_vec3 x) {
    switch (c->kind) {
    case TD_COLLIDER_SPHERE: return from_point(x, c->radius);
    case TD_COLLIDER_CAPSULE: {
        const td_real half = 0.5 * c->length;
        return from_point(tdi_vec3(x.x, x.y - fmin(fmax(x.y, -half), half), x.z), c->radius);
    }
    case TD_COLLIDER_BOX: return from_box(x, tdi_scale(c->sides, 0.5));
    default: return (nearness){x.y, tdi_vec3(0, 1, 0), 0};
    }
}

typedef struct pose { // of a collider
    td_vec3 position, velocity, spin;
    td_quat turn;
} pose;

static pose pose_of(const td_collider *c, td_real t, td_real h) {
    const td_quat by = tdi_quat_unit(tdi_quat_mul(c->rotation, tdi_quat_conj(c->rotation0)));
    const td_vec3 u = {by.x, by.y, by.z};
    const td_real s = tdi_norm(u), angle = 2 * atan2(s, by.w);
    const td_vec3 spin = tdi_scale(u, s > 0 ? angle / (s * h) : 0);
    const td_vec3 v = tdi_scale(tdi_sub(c->position, c->position0), 1 / h);
    return (pose){tdi_madd(c->position0, v, t), v, spin,
                  tdi_quat_mul(tdi_turn_by(tdi_scale(spin, t)), c->rotation0)};
}

// ---- rows -----------------------------------------------------------------------------------

typedef struct meeting {
    int32_t tree, body, collider;
    td_vec3 x, place; // centre of the ball, and where they touch
    td_vec3 v;        // of the collider there
    td_real friction, restitution;
    nearness near;
    int64_t key;
} meeting;

static tdi_lcp_row *row_at(td_analytic *a, const meeting *m, td_vec3 d, td_diag *diag) {
    tdi_lcp_row *row = tdi_analytic_row(a, diag);
    if (row) {
        const tdi_twist *t = &a->tree[m->tree]->twist[m->body];
        const td_vec3 p = tdi_sub(m->x, a->tree[m->tree]->frame[m->body].o);
        row->constraint = TD_NONE;
        row->direction = d;
        row->side[0] = tdi_push_at(a, m->tree, m->body, m->place, d, 1);
        row->given = -tdi_dot(d, m->v);
        row->extra = tdi_dot(d, tdi_cross(t->w, tdi_cross(t->w, p)));
    }
    return row;
}

// A tangent row: what slips is to stop within the step.
static void tangent(td_analytic *a, const td_step_opts *o, tdi_lcp_row *row) {
    tdi_analytic_finish(a, o, row);
    row->value = 0;
    row->wanted = -row->rate / o->dt;
}

// As published: along what would slip, t = unit(a_t + v_t/h).
static bool published_friction(td_analytic *a, const td_step_opts *o, const meeting *m,
                               int32_t normal, td_diag *diag) {
    const td_vec3 n = m->near.normal;
    const td_vec3 u = tdi_across(n), v = tdi_cross(n, u);
    td_real slip[2];
    for (int k = 0; k < 2; k++) {
        tdi_lcp_row *row = row_at(a, m, k == 0 ? u : v, diag);
        if (!row) {
            return false;
        }
        tangent(a, o, row);
        slip[k] = row->free - row->wanted;
        a->row_count--;
    }
    const td_vec3 way = tdi_madd(tdi_scale(u, slip[0]), v, slip[1]);
    tdi_lcp_row *row = row_at(a, m, tdi_scale(tdi_unit_or(way, u), -1), diag);
    if (row) {
        tangent(a, o, row);
        row->bounds =
            (td_lcp_row){.kind = TD_LCP_FRICTION, .friction = m->friction, .normal = normal};
    }
    return row;
}

static bool cone_friction(td_analytic *a, const td_step_opts *o, const meeting *m, int32_t normal,
                          td_diag *diag) {
    const td_vec3 n = m->near.normal, u = tdi_across(n);
    for (int k = 0; k < 2; k++) {
        tdi_lcp_row *row = row_at(a, m, k == 0 ? u : tdi_cross(n, u), diag);
        if (!row) {
            return false;
        }
        tangent(a, o, row);
        row->bounds = (td_lcp_row){.kind = TD_LCP_TANGENT};
    }
    a->row[normal].bounds = (td_lcp_row){.kind = TD_LCP_CONE, .friction = m->friction};
    return true;
}

// False: there is no room.
static bool meet(td_analytic *a, const td_step_opts *o, const meeting *m, td_diag *diag) {
    const td_vec3 n = m->near.normal;
    const int32_t normal = a->row_count;
    tdi_lcp_row *row = row_at(a, m, n, diag);
    if (!row) {
        return false;
    }
    const tdi_twist *t = &a->tree[m->tree]->twist[m->body];
    const td_vec3 p = tdi_sub(m->x, a->tree[m->tree]->frame[m->body].o);
    const td_vec3 u = tdi_sub(tdi_add(t->v, tdi_cross(t->w, p)), m->v);
    const td_real across = tdi_dot(u, u) - tdi_dot(n, u) * tdi_dot(n, u);
    row->key = m->key;
    row->value = m->near.distance;
    row->extra += m->near.curvature * across;
    row->bounds = (td_lcp_row){.low = 0, .high = INFINITY};
    row->restitution = fmax(row->restitution, m->restitution);
    if (!tdi_analytic_finish(a, o, row)) {
        a->row_count--;
        return true;
    }
    a->contact[a->contact_count++] = (tdi_analytic_touch){normal,
                                                          m->key,
                                                          {.state = m->tree,
                                                           .segment = m->body,
                                                           .collider = m->collider,
                                                           .point = m->place,
                                                           .normal = n,
                                                           .gap = m->near.distance}};
    return m->friction <= 0 || (a->opts.one_way ? published_friction(a, o, m, normal, diag)
                                                : cone_friction(a, o, m, normal, diag));
}

// ---- entry ----------------------------------------------------------------------------------

td_status tdi_analytic_contact_rows(td_analytic *a, const td_step_opts *opts, td_real t,
                                    const td_collider *colliders, int32_t count, td_diag *diag) {
    a->contact_count = 0;
    for (int32_t tree = 0; tree < a->tree_count && count > 0; tree++) {
        const tdi_tree_model *model = a->tree[tree]->model;
        tdi_tree_read(a->tree[tree], tdi_all_nodes(&a->tree[tree]->head), TDI_NOW, a->points);
        for (int32_t k = 0; k < 2 * model->capsule_count; k++) {
            const int32_t body = model->capsule_body[k / 2];
            const td_real radius = model->capsule_radius[k / 2];
            const bool ball = tdi_tree_is_ball(model, k / 2);
            for (int32_t j = 0; j < count && (k % 2 == 0 || !ball); j++) {
                if (!tdi_filters_collide(a->tree[tree]->head.collision.filter,
                                         colliders[j].filter)) {
                    continue;
                }
                const pose at = pose_of(&colliders[j], t, opts->dt);
                const td_vec3 x = a->points[k];
                meeting m = {.tree = tree, .body = body, .collider = j, .x = x};
                m.key = ((int64_t)tree * INT32_MAX + k) * count + j;
                m.near = nearness_of(&colliders[j], tdi_quat_rotate(tdi_quat_conj(at.turn),
                                                                    tdi_sub(x, at.position)));
                m.near.distance -= radius;
                m.near.normal = tdi_quat_rotate(at.turn, m.near.normal);
                m.place = tdi_madd(x, m.near.normal, -radius);
                m.v = tdi_add(at.velocity, tdi_cross(at.spin, tdi_sub(m.place, at.position)));
                m.friction = colliders[j].friction;
                m.restitution = colliders[j].restitution;
                if (!meet(a, opts, &m, diag)) {
                    return TD_ERR_LIMIT;
                }
            }
        }
    }
    return TD_OK;
}
