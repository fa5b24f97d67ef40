// SPDX-License-Identifier: MIT
// Models of rods: from curves to nodes.

#include "rod/build.h"

#include <math.h>
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

static const char *wrong_field(const td_rod_def *d, int32_t index) {
    bool shears = d->shear >= 0 && isfinite(d->shear);
    const td_real given_figures[] = {d->bend_x, d->bend_z,       d->twist_y,     d->stretch,
                                     d->mass,   d->damping_time, d->radius_other};
    for (size_t k = 0; k < sizeof given_figures / sizeof *given_figures; k++) {
        if (!(given_figures[k] >= 0) || !isfinite(given_figures[k])) {
            static const char *const names[] = {"bend_x", "bend_z",       "twist_y",     "stretch",
                                                "mass",   "damping_time", "radius_other"};
            return names[k];
        }
    }
    return d->vertex_count < (d->closed ? 3 : 2)                 ? "vertex_count"
           : !d->points                                          ? "points"
           : !(d->radius > 0) || !isfinite(d->radius)            ? "radius"
           : !(d->density > 0) || !isfinite(d->density)          ? "density"
           : !(d->young > 0) || !isfinite(d->young)              ? "young"
           : !shears                                             ? "shear"
           : !(d->poisson > -1 && d->poisson <= 0.5)             ? "poisson"
           : !isfinite(d->twist) || !isfinite(d->twist_rest)     ? "twist"
           : !tdi_finite3(d->director)                           ? "director"
           : d->start < TD_END_FREE || d->start > TD_END_CLAMPED ? "start"
           : d->end < TD_END_FREE || d->end > TD_END_CLAMPED     ? "end"
           : d->closed && (d->start || d->end)                   ? "start or end"
           : d->parent_rod < TD_NONE || d->parent_rod >= index   ? "parent_rod"
           : d->parent_rod != TD_NONE && (d->closed || d->start) ? "start"
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
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "rod %d: %s[%d] and the next are the same",
                               rod, name, k);
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
    if (d->struct_size != sizeof *d) {
        return tdi_fail_at(diag, TD_ERR_DEF, rod, "rod %d did not come from its default function",
                           rod);
    }
    const char *wrong = wrong_field(d, rod);
    if (wrong) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, rod, "rod %d: %s is out of its range", rod,
                           wrong);
    }
    for (int32_t k = 0; d->radii && k < edges_of(d); k++) {
        if (!(d->radii[k] > 0) || !isfinite(d->radii[k])) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "rod %d: radii[%d] is out of its range",
                               rod, k);
        }
    }
    if (d->parent_rod != TD_NONE) {
        const td_rod_def *up = &defs[d->parent_rod];
        int32_t least = up->start == TD_END_CLAMPED || up->parent_rod != TD_NONE ? 0 : 1;
        if (up->closed || d->parent_vertex < least || d->parent_vertex >= up->vertex_count) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, rod,
                               "rod %d: parent_vertex is out of its range", rod);
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
    const char *wrong = b->rod < 0 || b->rod >= rod_count                   ? "rod"
                        : b->edge < 0 || b->edge >= edges_of(&defs[b->rod]) ? "edge"
                        : !(b->mass > 0) || !isfinite(b->mass)              ? "mass"
                        : !tdi_finite3(b->centre_of_mass)                   ? "centre_of_mass"
                        : !is_second_moment(&b->second_moment)              ? "second_moment"
                                                                            : NULL;
    return wrong
               ? tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "body %d: %s is out of its range", k, wrong)
               : TD_OK;
}

// ---- frames ---------------------------------------------------------------------------------

typedef struct rod_maker {
    td_rod_model *model;
    const td_rod_def *def;
    int32_t rod, edge_count, first_edge;
    td_real twisted;        // m that all joints stand for together
    td_real *length;        // m at ease, an edge
    tdi_edge *rest, *start; // frames
} rod_maker;

static td_vec3 rotated(td_vec3 m1, td_vec3 t, td_real angle) {
    return tdi_add(tdi_scale(m1, cos(angle)), tdi_scale(tdi_cross(t, m1), sin(angle)));
}

static void set_directions(const rod_maker *k, const td_vec3 *points, tdi_edge *edges) {
    for (int32_t j = 0; j < k->edge_count; j++) {
        td_vec3 f = tdi_sub(point_of(points, k->def, j + 1), point_of(points, k->def, j));
        edges[j].length = tdi_norm(f);
        edges[j].t = tdi_scale(f, 1 / edges[j].length);
    }
}

static void set_director(tdi_edge *edge, td_vec3 m1) {
    edge->m1 = tdi_director(m1, edge->t);
    edge->m2 = tdi_cross(edge->t, edge->m1);
}

static td_real joint_length(const rod_maker *k, int32_t before, int32_t after) {
    return 0.5 * ((before == TD_NONE ? 0 : k->length[before]) +
                  (after == TD_NONE ? 0 : k->length[after]));
}

// The length that all joints stand for together.
static td_real twisted_length(const rod_maker *k) {
    const td_rod_def *d = k->def;
    td_real sum = 0;
    for (int32_t j = 1; j < k->edge_count; j++) {
        sum += joint_length(k, j - 1, j);
    }
    sum += d->closed ? joint_length(k, k->edge_count - 1, 0) : 0;
    sum += d->start == TD_END_CLAMPED ? joint_length(k, TD_NONE, 0) : 0;
    return sum + (d->end == TD_END_CLAMPED ? joint_length(k, k->edge_count - 1, TD_NONE) : 0);
}

// Frames carried along the curve from the first, turned by `rate` a metre.
static void carry_frames(const rod_maker *k, tdi_edge *edges, td_vec3 first, td_real rate) {
    set_director(&edges[0], first);
    for (int32_t j = 1; j < k->edge_count; j++) {
        td_vec3 m1 = tdi_transport(edges[j - 1].m1, edges[j - 1].t, edges[j].t);
        set_director(&edges[j], rotated(m1, edges[j].t, rate * joint_length(k, j - 1, j)));
    }
}

static td_vec3 first_director(const rod_maker *k, td_vec3 t) {
    td_vec3 given_one = k->def->director;
    bool usable = tdi_norm(tdi_cross(given_one, t)) > 1e-6 * tdi_norm(given_one);
    return tdi_norm(given_one) > 0 && usable ? given_one : tdi_across(t);
}

// Gives the length that all joints stand for together.
static td_real make_frames(const rod_maker *k) {
    const td_rod_def *d = k->def;
    set_directions(k, d->rest ? d->rest : d->points, k->rest);
    set_directions(k, d->points, k->start);
    for (int32_t j = 0; j < k->edge_count; j++) {
        k->length[j] = k->rest[j].length;
    }
    carry_frames(k, k->rest, first_director(k, k->rest[0].t), d->twist_rest);
    td_vec3 from = k->rest[0].t, to = k->start[0].t;
    td_vec3 first = 1 + tdi_dot(from, to) > TDI_FOLDED ? tdi_transport(k->rest[0].m1, from, to)
                                                       : tdi_across(to);
    first = tdi_norm(d->director) > 0 ? first_director(k, to) : first;
    td_real length = twisted_length(k), clamp = d->start == TD_END_CLAMPED ? 0.5 * k->length[0] : 0;
    td_real more = length > 0 ? d->twist / length : 0;
    // a clamp at the start holds the frame that was given; the first edge is turned against it
    carry_frames(k, k->start, rotated(tdi_director(first, to), to, more * clamp),
                 d->twist_rest + more);
    return length;
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
    td_real la = before == TD_NONE ? 0 : k->length[before];
    td_real lb = after == TD_NONE ? 0 : k->length[after];
    tdi_joint_law law = {
        {in_series(a.bend_x, la, b.bend_x, lb), 0, in_series(a.bend_z, la, b.bend_z, lb)},
        in_series(a.twist, la, b.twist, lb),
        {0, 0, 0}};
    return law;
}

static td_real angle_of(const tdi_joint_strain *s) {
    return tdi_joint_twist(s, 0);
}

// A joint between two edges of the rod.
static void make_joint(const rod_maker *k, int32_t i, int32_t before, int32_t after, bool closing) {
    const td_rod_def *d = k->def;
    tdi_rod_node *n = &k->model->node[i];
    tdi_joint_strain rest = tdi_joint_measure(&k->rest[before], &k->rest[after]);
    tdi_joint_strain start = tdi_joint_measure(&k->start[before], &k->start[after]);
    td_real length = joint_length(k, before, after), more = d->twist * length / k->twisted;
    tdi_joint_wind(&rest, d->twist_rest * length);
    n->law = law_of(k, before, after);
    n->law.rest[0] = d->straight ? 0 : rest.k1;
    n->law.rest[1] = d->straight ? 0 : rest.k2;
    n->law.rest[2] = d->twist_rest * length;
    n->start_twist = n->law.rest[2] + more;
    if (closing) { // the ends are joined as they meet, less the twist that was asked for
        n->start_twist = angle_of(&start);
        n->law.rest[2] = n->start_twist - more;
    }
}

// A joint with a clamp, whose frame is the rod's own but for the twist.
static void make_clamp(const rod_maker *k, int32_t i, int32_t before, int32_t after) {
    tdi_rod_node *n = &k->model->node[i];
    td_real more = k->def->twist * joint_length(k, before, after) / k->twisted;
    n->law = law_of(k, before, after);
    n->start_twist = more;
}

// ---- nodes ----------------------------------------------------------------------------------

static void make_edge(const rod_maker *k, int32_t i, int32_t edge) {
    tdi_rod_node *n = &k->model->node[i];
    const section s = section_of(k->def, edge);
    td_real length = k->length[edge];
    n->edge = k->first_edge + edge;
    k->model->edge_node[n->edge] = i;
    n->length = length;
    n->stretch = s.stretch / length;
    n->damping_time = k->def->damping_time;
    n->inertia = s.inertia * length;
    n->radius = s.radius;
    n->area = tdi_vec3(2 * s.radius * length, 0.2 * s.radius * length, 2 * s.radius * length);
    n->start_m1 = k->start[edge].m1;
    tdi_rod_add_mass(k->model, i, s.mass * length, 0.5 * s.mass * length, s.mass * length / 3);
}

// The edge of a clamp: as long as its neighbour, held with both its ends.
static void make_ghost_edge(const rod_maker *k, int32_t i, int32_t edge, td_vec3 m1) {
    tdi_rod_node *n = &k->model->node[i];
    n->length = k->length[edge];
    n->start_m1 = m1;
}

static void make_ring(rod_maker *k, int32_t first) {
    td_rod_model *m = k->model;
    const int32_t n = k->def->vertex_count;
    for (int32_t v = 0; v < n; v++) {
        int32_t i = first + v;
        tdi_rod_link(m, i, first + (v + n - 1) % n, 0);
        m->node[i].grand = first + (v + n - 2) % n;
        m->node[i].start = k->def->points[v];
        m->vertex_node[m->rod_first[k->rod] + v] = i;
    }
    for (int32_t v = 0; v < n; v++) { // the edge that ends at v, and the joint at its start
        int32_t edge = (v + n - 1) % n, before = (v + n - 2) % n;
        make_edge(k, first + v, edge);
        make_joint(k, first + v, before, edge, v == 1);
    }
}

// The vertex that the first edge starts from; *next is the first node that is free.
static int32_t make_root(rod_maker *k, int32_t *next) {
    td_rod_model *m = k->model;
    const td_rod_def *d = k->def;
    const uint32_t held = TDI_HELD_PLACE | TDI_HELD_BASE;
    if (d->parent_rod != TD_NONE) {
        return m->vertex_node[m->rod_first[d->parent_rod] + d->parent_vertex];
    }
    if (d->start != TD_END_CLAMPED) {
        tdi_rod_link(m, *next, TD_NONE, d->start == TD_END_PINNED ? held : 0);
        m->node[*next].start = d->points[0];
        return (*next)++;
    }
    int32_t ghost = (*next)++, root = (*next)++;
    td_real more = k->twisted > 0 ? 0.5 * k->length[0] * d->twist / k->twisted : 0;
    tdi_rod_link(m, ghost, TD_NONE, held | TDI_HELD_TURN);
    tdi_rod_link(m, root, ghost, held | TDI_HELD_TURN);
    m->node[root].start = d->points[0];
    m->node[ghost].start = tdi_madd(d->points[0], k->start[0].t, -k->length[0]);
    make_ghost_edge(k, root, 0, rotated(k->start[0].m1, k->start[0].t, -more));
    m->end_node[2 * k->rod] = root;
    return root;
}

// The first joint of a rod that grows from another: its own half bends, and it is at ease as it
// starts.
static void make_branch(const rod_maker *k, int32_t i) {
    tdi_rod_node *n = &k->model->node[i];
    const tdi_rod_node *up = &k->model->node[n->parent];
    td_vec3 along = tdi_sub(up->start, k->model->node[up->parent].start);
    tdi_edge before = {.length = tdi_norm(along)};
    before.t = tdi_scale(along, 1 / before.length);
    set_director(&before, up->start_m1);
    tdi_joint_strain s = tdi_joint_measure(&before, &k->start[0]);
    n->law = law_of(k, TD_NONE, 0);
    n->law.rest[0] = s.k1;
    n->law.rest[1] = s.k2;
    n->law.rest[2] = n->start_twist = angle_of(&s);
}

static void make_open(rod_maker *k, int32_t next) {
    td_rod_model *m = k->model;
    const td_rod_def *d = k->def;
    const int32_t vertices = m->rod_first[k->rod], count = d->vertex_count;
    int32_t up = make_root(k, &next);
    m->vertex_node[vertices] = up;
    for (int32_t v = 1; v < count; v++) {
        bool last = v == count - 1;
        int32_t i = next++;
        tdi_rod_link(m, i, up, last && d->end != TD_END_FREE ? TDI_HELD_PLACE : 0);
        m->node[i].start = d->points[v];
        m->vertex_node[vertices + v] = i;
        make_edge(k, i, v - 1);
        if (v > 1) {
            make_joint(k, i, v - 2, v - 1, false);
        } else if (d->parent_rod != TD_NONE) {
            make_branch(k, i);
        } else if (d->start == TD_END_CLAMPED) {
            make_clamp(k, i, TD_NONE, 0);
        }
        up = i;
    }
    if (d->end == TD_END_CLAMPED) {
        const tdi_edge *last = &k->start[count - 2];
        td_real more = 0.5 * k->length[count - 2] * d->twist / k->twisted;
        tdi_rod_link(m, next, up, TDI_HELD_PLACE | TDI_HELD_TURN);
        m->node[next].start = tdi_madd(d->points[count - 1], last->t, k->length[count - 2]);
        make_ghost_edge(k, next, count - 2, rotated(last->m1, last->t, more));
        make_clamp(k, next, count - 2, TD_NONE);
        m->end_node[2 * k->rod + 1] = next;
    }
}

// ---- entry ----------------------------------------------------------------------------------

static int32_t nodes_of(const td_rod_def *d) {
    return d->vertex_count - (d->parent_rod != TD_NONE) + (d->start == TD_END_CLAMPED) +
           (d->end == TD_END_CLAMPED);
}

static td_status make_rod(td_rod_model *m, const td_rod_def *defs, int32_t rod, int32_t first_node,
                          int32_t first_edge, const td_alloc *alloc) {
    const td_rod_def *d = &defs[rod];
    size_t count = (size_t)edges_of(d), bytes = sizeof(tdi_edge) * 2 + sizeof(td_real);
    tdi_edge *frames = tdi_alloc_zeroed(alloc, count, bytes);
    if (!frames) {
        return TD_ERR_MEMORY;
    }
    rod_maker k = {.model = m,
                   .def = d,
                   .rod = rod,
                   .edge_count = edges_of(d),
                   .first_edge = first_edge,
                   .length = (td_real *)(frames + 2 * count),
                   .rest = frames,
                   .start = frames + count};
    k.twisted = make_frames(&k);
    if (d->closed) {
        make_ring(&k, first_node);
    } else {
        make_open(&k, first_node);
    }
    tdi_alloc_free(alloc, frames, count * bytes);
    return TD_OK;
}

static void make_body(td_rod_model *m, int32_t k, const td_rod_body *b, int32_t node) {
    m->weld[k] = (tdi_weld){node, b->mass, tdi_scale(b->centre_of_mass, b->mass), b->second_moment};
    m->node[node].body = k;
    m->node[node].flags |= TDI_BODY;
}

static td_status make_all(td_rod_model *m, const td_rod_def *defs, int32_t rod_count,
                          const td_rod_body *bodies, int32_t body_count, const td_alloc *alloc,
                          td_diag *diag) {
    td_status status = TD_OK;
    int32_t node = 0, vertex = 0, edge = 0;
    for (int32_t k = 0; k < rod_count; k++) {
        m->rod_first[k] = vertex;
        vertex += defs[k].vertex_count;
        m->end_node[2 * k] = m->end_node[2 * k + 1] = TD_NONE;
    }
    m->rod_first[rod_count] = vertex;
    for (int pass = 0; pass < 2; pass++) { // rings last
        edge = 0;
        for (int32_t k = 0; k < rod_count && status == TD_OK; k++) {
            if (defs[k].closed == (pass == 1)) {
                status = make_rod(m, defs, k, node, edge, alloc);
                node += nodes_of(&defs[k]);
            }
            edge += edges_of(&defs[k]);
        }
    }
    for (int32_t k = 0; k < body_count && status == TD_OK; k++) {
        int32_t at = bodies[k].edge;
        for (int32_t r = 0; r < bodies[k].rod; r++) {
            at += edges_of(&defs[r]);
        }
        if (m->node[m->edge_node[at]].body != TD_NONE) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "body %d: its edge has one already", k);
        }
        make_body(m, k, &bodies[k], m->edge_node[at]);
    }
    if (status == TD_OK) {
        tdi_rod_finish(m);
    }
    return status;
}

td_status td_rod_model_new(const td_rod_def *rods, int32_t rod_count, const td_rod_body *bodies,
                           int32_t body_count, const td_alloc *alloc, td_rod_model **out,
                           td_diag *diag) {
    int64_t nodes = 0, edges = 0, vertices = 0, ring_nodes = 0;
    *out = NULL;
    if (rod_count < 1 || !rods || body_count < 0 || (body_count > 0 && !bodies)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "there must be at least one rod");
    }
    for (int32_t k = 0; k < rod_count; k++) {
        td_status status = check_rod(rods, k, diag);
        if (status != TD_OK) {
            return status;
        }
        nodes += nodes_of(&rods[k]);
        edges += edges_of(&rods[k]);
        vertices += rods[k].vertex_count;
        ring_nodes += rods[k].closed ? nodes_of(&rods[k]) : 0;
    }
    for (int32_t k = 0; k < body_count; k++) {
        td_status status = check_body(rods, rod_count, &bodies[k], k, diag);
        if (status != TD_OK) {
            return status;
        }
    }
    if (nodes > INT32_MAX / 4) {
        return tdi_fail(diag, TD_ERR_LIMIT, "too many vertices");
    }
    tdi_rod_sizes sizes = {(int32_t)nodes,    (int32_t)edges,      0, body_count, rod_count,
                           (int32_t)vertices, (int32_t)ring_nodes, 0};
    td_rod_model *m = tdi_rod_model_room(&sizes, alloc);
    td_status status =
        m ? make_all(m, rods, rod_count, bodies, body_count, alloc, diag) : TD_ERR_MEMORY;
    if (status != TD_OK) {
        td_rod_model_free(m);
        return status == TD_ERR_MEMORY ? tdi_fail(diag, status, "out of memory for the rods")
                                       : status;
    }
    *out = m;
    if (TDI_ASSERTS) {
        tdi_rod_model_validate(m);
    }
    return TD_OK;
}
