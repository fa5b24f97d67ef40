// SPDX-License-Identifier: MIT
// Models of rods: from curves to nodes.

#include "rod/build.h"

#include "base/guard.h"
#include "base/opts.h"
#include "base/range.h"
#include "load/drag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI    3.14159265358979323846
#define RIGID 100 // times as stiff: more would ask for tolerances far below a step's

td_rod_def td_rod_def_default(void) {
    td_rod_def d = {.struct_size = sizeof d,
                    .radius = 0.0025,
                    .parent_rod = TD_NONE,
                    .parent_vertex = TD_NONE,
                    .density = 1000,
                    .young = 1e7,
                    .poisson = 0.5};
    return d;
}

// ---- sections -------------------------------------------------------------------------------

// Figures of an edge's section.
typedef struct section {
    td_real bend_x, bend_z, twist; // N m^2
    td_real stretch;               // N
    td_real mass;                  // kg/m
    td_real inertia;               // kg m, about the edge a metre
    td_real radius;                // m, the larger
} section;

static inline td_real given(td_real value, td_real otherwise) {
    return value > 0 ? value : otherwise;
}

// Of an ellipse with half axes a along X and b along Z: I about X is pi/4 a b^3, and the torsion
// constant pi a^3 b^3/(a^2 + b^2).
static section section_of(const td_rod_def *d, int32_t edge) {
    td_real a = d->radii ? d->radii[edge] : d->radius;
    td_real b = d->radius_other > 0 ? d->radius_other * (a / d->radius) : a;
    td_real shear = d->shear > 0 ? d->shear : d->young / (2 * (1 + d->poisson));
    td_real area = PI * a * b, squares = a * a + b * b;
    section s = {.bend_x = given(d->bend_x, d->young * area * b * b / 4),
                 .bend_z = given(d->bend_z, d->young * area * a * a / 4),
                 .twist = given(d->twist_y, shear * area * a * a * b * b / squares),
                 .stretch = given(d->stretch, d->young * area),
                 .mass = given(d->mass, d->density * area),
                 .radius = a > b ? a : b};
    s.inertia = s.mass * squares / 4;
    s.stretch *= d->inextensible ? RIGID : 1;
    return s;
}

// ---- checks ---------------------------------------------------------------------------------

static td_status check_numbers(const td_rod_def *d, int32_t rod, td_diag *diag) {
    const tdi_range ranges[] = {TDI_ABOVE_0("radius", "m", d->radius),
                                TDI_FROM_0("radius_other", "m", d->radius_other),
                                TDI_ABOVE_0("density", "kg/m^3", d->density),
                                TDI_ABOVE_0("young", "Pa", d->young),
                                TDI_FROM_0("shear", "Pa", d->shear),
                                {"poisson", NULL, d->poisson, -1, 0.5, true},
                                TDI_FROM_0("damping_time", "s", d->damping_time),
                                TDI_FROM_0("bend_x", "N m^2", d->bend_x),
                                TDI_FROM_0("bend_z", "N m^2", d->bend_z),
                                TDI_FROM_0("twist_y", "N m^2", d->twist_y),
                                TDI_FROM_0("stretch", "N", d->stretch),
                                TDI_FROM_0("mass", "kg/m", d->mass),
                                TDI_FINITE("twist", "rad", d->twist),
                                TDI_FINITE("twist_rest", "rad", d->twist_rest),
                                TDI_FINITE3("director", NULL, d->director),
                                TDI_BETWEEN("parent_rod", NULL, d->parent_rod, TD_NONE, rod - 1)};
    char of[32];
    snprintf(of, sizeof of, "rod %d", (int)rod);
    return tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, of, rod, diag);
}

// What is wrong with the ends and the points of a rod; NULL: nothing.
static const char *wrong_ends(const td_rod_def *d) {
    const bool known = d->start >= TD_END_FREE && d->start <= TD_END_CLAMPED &&
                       d->end >= TD_END_FREE && d->end <= TD_END_CLAMPED;
    return !d->points                          ? "points is NULL"
           : d->closed && d->vertex_count < 3  ? "vertex_count must be at least 3 for a ring"
           : d->vertex_count < 2               ? "vertex_count must be at least 2"
           : !known                            ? "start and end must be one of td_end_kind"
           : d->closed && (d->start || d->end) ? "a ring has no ends: start and end must be free"
           : d->parent_rod != TD_NONE && d->closed ? "a ring cannot have a parent_rod"
           : d->parent_rod != TD_NONE && d->start ? "start must be free for a rod with a parent_rod"
                                                  : NULL;
}

static td_vec3 point_of(const td_vec3 *points, const td_rod_def *d, int32_t k) {
    return points[k % d->vertex_count];
}

static int32_t edges_of(const td_rod_def *d) {
    return d->closed ? d->vertex_count : d->vertex_count - 1;
}

// Two equal vertices, an edge folded back, a number that is none.
static td_status check_curve(const td_rod_def *d, int32_t rod, const td_vec3 *points,
                             const char *name, td_diag *diag) {
    td_vec3 last = {0, 0, 0};
    for (int32_t k = 0; k < d->vertex_count; k++) {
        if (!tdi_finite3(points[k])) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "rod %d: %s[%d] is not finite", rod, name,
                               k);
        }
    }
    int32_t count = edges_of(d);
    for (int32_t k = 0; k < count + d->closed; k++) {
        td_vec3 f = tdi_sub(point_of(points, d, k + 1), point_of(points, d, k));
        td_real length = tdi_norm(f);
        if (!(length > 1e-12 * d->radius)) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                               "rod %d: %s[%d] and the next point are the same", rod, name, k);
        }
        td_vec3 t = tdi_scale(f, 1 / length);
        if (k > 0 && 1 + tdi_dot(t, last) < TDI_FOLDED) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                               "rod %d: at %s[%d] an edge is folded back on the one before", rod,
                               name, k % d->vertex_count);
        }
        last = t;
    }
    return TD_OK;
}

static td_status check_rod(const td_rod_def *defs, int32_t rod, td_diag *diag) {
    const td_rod_def *d = &defs[rod];
    if (d->struct_size != sizeof *d) { // another than the first
        return tdi_fail_at(diag, TD_ERR_DEF, rod,
                           "rod %d: struct_size is wrong; start from td_rod_def_default()", rod);
    }
    TDI_TRY(check_numbers(d, rod, diag));
    const char *wrong = wrong_ends(d);
    if (wrong) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, rod, "rod %d: %s", rod, wrong);
    }
    for (int32_t k = 0; d->radii && k < edges_of(d); k++) {
        if (!(d->radii[k] > 0) || !isfinite(d->radii[k])) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                               "rod %d: radii[%d] is %g m; it must be above 0 and finite", rod, k,
                               d->radii[k]);
        }
    }
    if (d->parent_rod != TD_NONE) {
        const td_rod_def *up = &defs[d->parent_rod];
        int32_t least = up->start == TD_END_CLAMPED || up->parent_rod != TD_NONE ? 0 : 1;
        if (up->closed || d->parent_vertex < least || d->parent_vertex >= up->vertex_count) {
            return tdi_fail_at(
                diag, TD_ERR_ARGUMENT, rod,
                "rod %d: parent_vertex is %d; it must be from %d to %d, and the parent "
                "must not be a ring",
                rod, d->parent_vertex, least, up->vertex_count - 1);
        }
        td_vec3 off = tdi_sub(d->points[0], up->points[d->parent_vertex]);
        if (tdi_norm(off) > d->radius) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, rod,
                               "rod %d does not start at its parent's vertex", rod);
        }
    }
    td_status status = check_curve(d, rod, d->points, "points", diag);
    return status == TD_OK && d->rest ? check_curve(d, rod, d->rest, "rest", diag) : status;
}

static bool is_second_moment(const td_sym3 *s) {
    return s->xx >= 0 && s->yy >= 0 && s->zz >= 0 && isfinite(s->xx + s->yy + s->zz) &&
           isfinite(s->xy + s->xz + s->yz);
}

static td_status check_body(const td_rod_def *defs, int32_t rod_count, const td_rod_body *b,
                            int32_t k, td_diag *diag) {
    const int32_t last = b->rod >= 0 && b->rod < rod_count ? edges_of(&defs[b->rod]) - 1 : -1;
    const tdi_range ranges[] = {TDI_BETWEEN("rod", NULL, b->rod, 0, rod_count - 1),
                                TDI_BETWEEN("edge", NULL, b->edge, 0, last),
                                TDI_ABOVE_0("mass", "kg", b->mass),
                                TDI_FINITE3("centre_of_mass", "m", b->centre_of_mass)};
    char of[32];
    snprintf(of, sizeof of, "body %d", (int)k);
    td_status status = tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, of, k, diag);
    if (status == TD_OK && !is_second_moment(&b->second_moment)) {
        status =
            tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                        "body %d: second_moment must be finite, with a diagonal of at least 0", k);
    }
    return status;
}

// ---- frames ---------------------------------------------------------------------------------

typedef struct rod_maker {
    tdi_rod_chain *chain;
    const td_rod_def *def;
    td_real twisted; // m that all joints stand for together
    tdi_edge *rest;  // frames at ease
} rod_maker;

static td_vec3 rotated(td_vec3 m1, td_vec3 t, td_real angle) {
    return tdi_add(tdi_scale(m1, cos(angle)), tdi_scale(tdi_cross(t, m1), sin(angle)));
}

static tdi_edge direction_of(const rod_maker *k, const td_vec3 *points, int32_t edge) {
    td_vec3 f = tdi_sub(point_of(points, k->def, edge + 1), point_of(points, k->def, edge));
    tdi_edge e = {.length = tdi_norm(f)};
    e.t = tdi_scale(f, 1 / e.length);
    return e;
}

static void set_director(tdi_edge *edge, td_vec3 m1) {
    edge->m1 = tdi_director(m1, edge->t);
    edge->m2 = tdi_cross(edge->t, edge->m1);
}

// Carried over from the edge before, turned by `rate` a metre.
static void carry_frame(const rod_maker *k, const tdi_edge *before, tdi_edge *edge, int32_t joint,
                        td_real rate) {
    td_vec3 m1 = tdi_transport(before->m1, before->t, edge->t);
    set_director(edge, rotated(m1, edge->t, rate * tdi_joint_length(k->chain, joint)));
}

static td_vec3 first_director(const rod_maker *k, td_vec3 t) {
    td_vec3 given_one = k->def->director;
    bool usable = tdi_norm(tdi_cross(given_one, t)) > 1e-6 * tdi_norm(given_one);
    return tdi_norm(given_one) > 0 && usable ? given_one : tdi_across(t);
}

static void make_frames(rod_maker *k) {
    const td_rod_def *d = k->def;
    tdi_chain_edge *edges = k->chain->edges;
    for (int32_t j = 0; j < k->chain->edge_count; j++) {
        k->rest[j] = direction_of(k, d->rest ? d->rest : d->points, j);
        edges[j].start = direction_of(k, d->points, j);
        edges[j].length = k->rest[j].length;
    }
    k->twisted = tdi_twisted_length(k->chain);
    set_director(&k->rest[0], first_director(k, k->rest[0].t));
    td_vec3 from = k->rest[0].t, to = edges[0].start.t;
    td_vec3 first = 1 + tdi_dot(from, to) > TDI_FOLDED ? tdi_transport(k->rest[0].m1, from, to)
                                                       : tdi_across(to);
    first = tdi_norm(d->director) > 0 ? first_director(k, to) : first;
    td_real clamp = d->start == TD_END_CLAMPED ? 0.5 * edges[0].length : 0;
    td_real more = k->twisted > 0 ? d->twist / k->twisted : 0;
    // a clamp at the start holds the frame that was given; the first edge is turned against it
    set_director(&edges[0].start, rotated(tdi_director(first, to), to, more * clamp));
    for (int32_t j = 1; j < k->chain->edge_count; j++) {
        carry_frame(k, &k->rest[j - 1], &k->rest[j], j, d->twist_rest);
        carry_frame(k, &edges[j - 1].start, &edges[j].start, j, d->twist_rest + more);
    }
}

// ---- joints ---------------------------------------------------------------------------------

// Half of each edge bends: 1/k = (l/2)/B + (l'/2)/B'. A clamp bends not.
static td_real in_series(td_real b1, td_real l1, td_real b2, td_real l2) {
    td_real give = (l1 > 0 ? 0.5 * l1 / b1 : 0) + (l2 > 0 ? 0.5 * l2 / b2 : 0);
    return 1 / give;
}

static tdi_joint_law law_of(const rod_maker *k, int32_t before, int32_t after) {
    section a = section_of(k->def, before == TD_NONE ? after : before);
    section b = section_of(k->def, after == TD_NONE ? before : after);
    td_real la = before == TD_NONE ? 0 : k->chain->edges[before].length;
    td_real lb = after == TD_NONE ? 0 : k->chain->edges[after].length;
    tdi_joint_law law = {
        {in_series(a.bend_x, la, b.bend_x, lb), 0, in_series(a.bend_z, la, b.bend_z, lb)},
        in_series(a.twist, la, b.twist, lb),
        {0, 0, 0}};
    return law;
}

// A joint between two edges of the rod.
static void make_joint(const rod_maker *k, int32_t joint) {
    const td_rod_def *d = k->def;
    const int32_t n = k->chain->edge_count, before = (joint + n - 1) % n;
    tdi_chain_joint *to = &k->chain->joints[joint];
    tdi_joint_strain rest = tdi_joint_measure(&k->rest[before], &k->rest[joint]);
    td_real length = tdi_joint_length(k->chain, joint), more = d->twist * length / k->twisted;
    tdi_joint_wind(&rest, d->twist_rest * length);
    to->law = law_of(k, before, joint);
    to->law.rest[0] = d->straight ? 0 : rest.k1;
    to->law.rest[1] = d->straight ? 0 : rest.k2;
    to->law.rest[2] = d->twist_rest * length;
    to->start_twist = to->law.rest[2] + more;
    if (joint == 0) { // the ends are joined as they meet, less the twist that was asked for
        tdi_joint_strain start =
            tdi_joint_measure(&k->chain->edges[before].start, &k->chain->edges[joint].start);
        to->start_twist = tdi_joint_twist(&start, 0);
        to->law.rest[2] = to->start_twist - more;
    }
}

// A joint with a clamp, whose frame is the rod's own but for the twist.
static void make_clamp(const rod_maker *k, int32_t joint, int32_t before, int32_t after) {
    tdi_chain_joint *to = &k->chain->joints[joint];
    to->law = law_of(k, before, after);
    to->start_twist =
        k->twisted > 0 ? k->def->twist * tdi_joint_length(k->chain, joint) / k->twisted : 0;
}

static void make_joints(const rod_maker *k) {
    const int32_t n = k->chain->edge_count;
    for (int32_t j = k->def->closed ? 0 : 1; j < n; j++) {
        make_joint(k, j);
    }
    if (k->def->start == TD_END_CLAMPED) {
        make_clamp(k, 0, TD_NONE, 0);
    } else if (k->def->parent_rod != TD_NONE) { // its own half bends
        k->chain->joints[0].law = law_of(k, TD_NONE, 0);
    }
    if (k->def->end == TD_END_CLAMPED) {
        make_clamp(k, n, n - 1, TD_NONE);
    }
}

static void make_edges(const rod_maker *k) {
    for (int32_t j = 0; j < k->chain->edge_count; j++) {
        const section s = section_of(k->def, j);
        tdi_chain_edge *e = &k->chain->edges[j];
        const td_real length = e->length, r = s.radius;
        e->stretch = s.stretch / length;
        e->damping_time = k->def->damping_time;
        e->inertia = s.inertia * length;
        e->radius = r;
        e->area = tdi_vec3(2 * r * length, TDI_RUBBED * 2 * r * length, 2 * r * length);
        e->mass = s.mass * length;
        e->first = 0.5 * s.mass * length;
        e->second = s.mass * length / 3;
    }
}

// ---- entry ----------------------------------------------------------------------------------

static td_status fill_chain(const td_rod_def *d, tdi_rod_chain *c, const td_alloc *alloc) {
    rod_maker k = {.chain = c, .def = d};
    const size_t count = (size_t)c->edge_count;
    k.rest = tdi_alloc_zeroed(alloc, count, sizeof *k.rest);
    TDI_TRY(k.rest ? TD_OK : TD_ERR_MEMORY);
    make_frames(&k);
    make_joints(&k);
    make_edges(&k);
    tdi_alloc_free(alloc, k.rest, count * sizeof *k.rest);
    return TD_OK;
}

static tdi_rod_chain chain_of(const td_rod_def *d) {
    return (tdi_rod_chain){.vertex_count = d->vertex_count,
                           .edge_count = edges_of(d),
                           .closed = d->closed,
                           .start = d->start,
                           .end = d->end,
                           .parent_rod = d->parent_rod,
                           .parent_vertex = d->parent_vertex,
                           .points = d->points};
}

static td_status check_all(const td_rod_def *rods, int32_t rod_count, const td_rod_body *bodies,
                           int32_t body_count, td_diag *diag) {
    td_status status = TD_OK;
    if (rod_count < 1 || !rods || body_count < 0 || (body_count > 0 && !bodies)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "there must be at least one rod");
    }
    for (int32_t k = 0; k < rod_count && status == TD_OK; k++) {
        status = check_rod(rods, k, diag);
    }
    for (int32_t k = 0; k < body_count && status == TD_OK; k++) {
        status = check_body(rods, rod_count, &bodies[k], k, diag);
    }
    return status;
}

// Of rods in our width.
static td_status make_model(const td_rod_def *rods, int32_t rod_count, const td_rod_body *bodies,
                            int32_t body_count, const td_alloc *alloc, tdi_rod_model **out,
                            td_diag *diag) {
    TDI_TRY(check_all(rods, rod_count, bodies, body_count, diag));
    const size_t count = (size_t)rod_count;
    tdi_rod_chain *chains = tdi_alloc_zeroed(alloc, count, sizeof *chains);
    if (!chains) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the rods");
    }
    for (int32_t k = 0; k < rod_count; k++) {
        chains[k] = chain_of(&rods[k]);
    }
    td_status status = tdi_rod_chains_new(chains, rod_count, alloc);
    for (int32_t k = 0; k < rod_count && status == TD_OK; k++) {
        status = fill_chain(&rods[k], &chains[k], alloc);
    }
    status = status == TD_OK
                 ? tdi_rod_model_of(chains, rod_count, bodies, body_count, 0, alloc, out, diag)
                 : tdi_fail(diag, status, "out of memory for the rods");
    tdi_rod_chains_free(chains, rod_count, alloc);
    tdi_alloc_free(alloc, chains, count * sizeof *chains);
    return status;
}

td_status td_rod_model_new(const td_rod_def *rods, int32_t rod_count, const td_rod_body *bodies,
                           int32_t body_count, const td_alloc *alloc, td_body_model **out,
                           td_diag *diag) {
    tdi_rod_model *made = NULL;
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out);
    const td_rod_def defaults = td_rod_def_default();
    tdi_widened widened;
    td_status status =
        tdi_opts_widen("td_rod_def", &defaults, rods, rod_count, alloc, &widened, diag);
    if (status == TD_OK) {
        status = make_model(widened.items, rod_count, bodies, body_count, alloc, &made, diag);
        tdi_opts_widen_free(&widened);
        *out = (td_body_model *)made;
    }
    return status;
}
