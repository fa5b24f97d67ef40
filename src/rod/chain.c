// SPDX-License-Identifier: MIT
// Models of rods: from chains of edges and joints that are worked out to nodes.

#include "rod/build.h"

#include <math.h>
#include <string.h>

typedef struct rod_maker {
    tdi_rod_model *model;
    const tdi_rod_chain *chain;
    int32_t rod, first_edge;
} rod_maker;

static td_vec3 rotated(td_vec3 m1, td_vec3 t, td_real angle) {
    return tdi_add(tdi_scale(m1, cos(angle)), tdi_scale(tdi_cross(t, m1), sin(angle)));
}

static void make_edge(const rod_maker *k, int32_t i, int32_t edge) {
    tdi_rod_node *n = &k->model->node[i];
    const tdi_chain_edge *e = &k->chain->edges[edge];
    n->edge = k->first_edge + edge;
    k->model->edge_node[n->edge] = i;
    n->length = e->length;
    n->stretch = e->stretch;
    n->damping_time = e->damping_time;
    n->inertia = e->inertia;
    n->radius = e->radius;
    n->area = e->area;
    n->start_m1 = e->start.m1;
    tdi_rod_add_mass(k->model, i, e->mass, e->first, e->second);
}

static void make_joint(const rod_maker *k, int32_t i, int32_t joint) {
    k->model->node[i].law = k->chain->joints[joint].law;
    k->model->node[i].start_twist = k->chain->joints[joint].start_twist;
}

// The edge of a clamp: as long as its neighbour, held with both its ends.
static void make_ghost_edge(const rod_maker *k, int32_t i, int32_t edge, td_real turn) {
    tdi_rod_node *n = &k->model->node[i];
    const tdi_edge *e = &k->chain->edges[edge].start;
    n->length = k->chain->edges[edge].length;
    n->start_m1 = rotated(e->m1, e->t, turn);
}

static void make_ring(rod_maker *k, int32_t first) {
    tdi_rod_model *m = k->model;
    const int32_t n = k->chain->vertex_count;
    for (int32_t v = 0; v < n; v++) {
        int32_t i = first + v;
        tdi_rod_link(m, i, first + (v + n - 1) % n, 0);
        m->node[i].grand = first + (v + n - 2) % n;
        m->node[i].start = k->chain->points[v];
        m->vertex_node[m->rod_first[k->rod] + v] = i;
    }
    for (int32_t v = 0; v < n; v++) { // the edge that ends at v, and the joint at its start
        int32_t edge = (v + n - 1) % n;
        make_edge(k, first + v, edge);
        make_joint(k, first + v, edge);
    }
}

// The vertex that the first edge starts from; *next is the first node that is free.
static int32_t make_root(rod_maker *k, int32_t *next) {
    tdi_rod_model *m = k->model;
    const tdi_rod_chain *c = k->chain;
    const uint32_t held = TDI_HELD_PLACE | TDI_HELD_BASE;
    if (c->parent_rod != TD_NONE) {
        return m->vertex_node[m->rod_first[c->parent_rod] + c->parent_vertex];
    }
    if (c->start != TD_END_CLAMPED) {
        tdi_rod_link(m, *next, TD_NONE, c->start == TD_END_PINNED ? held : 0);
        m->node[*next].start = c->points[0];
        return (*next)++;
    }
    int32_t ghost = (*next)++, root = (*next)++;
    tdi_rod_link(m, ghost, TD_NONE, held | TDI_HELD_TURN);
    tdi_rod_link(m, root, ghost, held | TDI_HELD_TURN);
    m->node[root].start = c->points[0];
    m->node[ghost].start = tdi_madd(c->points[0], c->edges[0].start.t, -c->edges[0].length);
    make_ghost_edge(k, root, 0, -c->joints[0].start_twist);
    m->end_node[2 * k->rod] = root;
    return root;
}

// The first joint of a rod that grows from another is at ease as it starts.
static void make_branch(const rod_maker *k, int32_t i) {
    tdi_rod_node *n = &k->model->node[i];
    const tdi_rod_node *up = &k->model->node[n->parent];
    td_vec3 along = tdi_sub(up->start, k->model->node[up->parent].start);
    tdi_edge before = {.length = tdi_norm(along)};
    before.t = tdi_scale(along, 1 / before.length);
    before.m1 = tdi_director(up->start_m1, before.t);
    before.m2 = tdi_cross(before.t, before.m1);
    tdi_joint_strain s = tdi_joint_measure(&before, &k->chain->edges[0].start);
    n->law = k->chain->joints[0].law;
    n->law.rest[0] = s.k1;
    n->law.rest[1] = s.k2;
    n->law.rest[2] = n->start_twist = tdi_joint_twist(&s, 0);
}

static void make_open(rod_maker *k, int32_t next) {
    tdi_rod_model *m = k->model;
    const tdi_rod_chain *c = k->chain;
    const int32_t vertices = m->rod_first[k->rod], count = c->vertex_count;
    int32_t up = make_root(k, &next);
    m->vertex_node[vertices] = up;
    for (int32_t v = 1; v < count; v++) {
        bool last = v == count - 1;
        int32_t i = next++;
        tdi_rod_link(m, i, up, last && c->end != TD_END_FREE ? TDI_HELD_PLACE : 0);
        m->node[i].start = c->points[v];
        m->vertex_node[vertices + v] = i;
        make_edge(k, i, v - 1);
        if (v == 1 && c->parent_rod != TD_NONE) {
            make_branch(k, i);
        } else if (v > 1 || c->start == TD_END_CLAMPED) {
            make_joint(k, i, v - 1);
        }
        up = i;
    }
    if (c->end == TD_END_CLAMPED) {
        const tdi_chain_edge *last = &c->edges[count - 2];
        tdi_rod_link(m, next, up, TDI_HELD_PLACE | TDI_HELD_TURN);
        m->node[next].start = tdi_madd(c->points[count - 1], last->start.t, last->length);
        make_ghost_edge(k, next, count - 2, c->joints[count - 1].start_twist);
        make_joint(k, next, count - 1);
        m->end_node[2 * k->rod + 1] = next;
    }
}

// ---- entry ----------------------------------------------------------------------------------

static int32_t nodes_of(const tdi_rod_chain *c) {
    return c->vertex_count - (c->parent_rod != TD_NONE) + (c->start == TD_END_CLAMPED) +
           (c->end == TD_END_CLAMPED);
}

static void make_body(tdi_rod_model *m, int32_t k, const td_rod_body *b, int32_t node) {
    m->weld[k] = (tdi_weld){node, b->mass, tdi_scale(b->centre_of_mass, b->mass), b->second_moment};
    m->node[node].body = k;
    m->node[node].flags |= TDI_BODY;
}

static td_status make_bodies(tdi_rod_model *m, const tdi_rod_chain *chains,
                             const td_rod_body *bodies, int32_t body_count, td_diag *diag) {
    for (int32_t k = 0; k < body_count; k++) {
        int32_t at = bodies[k].edge;
        for (int32_t r = 0; r < bodies[k].rod; r++) {
            at += chains[r].edge_count;
        }
        if (m->node[m->edge_node[at]].body != TD_NONE) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "body %d: its edge has one already", k);
        }
        make_body(m, k, &bodies[k], m->edge_node[at]);
    }
    return TD_OK;
}

static void make_rods(tdi_rod_model *m, const tdi_rod_chain *chains, int32_t count) {
    int32_t node = 0, vertex = 0;
    for (int32_t k = 0; k < count; k++) {
        m->rod_first[k] = vertex;
        vertex += chains[k].vertex_count;
        m->end_node[2 * k] = m->end_node[2 * k + 1] = TD_NONE;
    }
    m->rod_first[count] = vertex;
    for (int pass = 0; pass < 2; pass++) { // rings last
        rod_maker maker = {.model = m};
        for (int32_t k = 0; k < count; k++) {
            maker.chain = &chains[k];
            maker.rod = k;
            if (chains[k].closed && pass == 1) {
                make_ring(&maker, node);
            } else if (!chains[k].closed && pass == 0) {
                make_open(&maker, node);
            }
            node += chains[k].closed == (pass == 1) ? nodes_of(&chains[k]) : 0;
            maker.first_edge += chains[k].edge_count;
        }
    }
}

td_status tdi_rod_model_of(const tdi_rod_chain *chains, int32_t count, const td_rod_body *bodies,
                           int32_t body_count, int32_t solid_count, const td_alloc *alloc,
                           tdi_rod_model **out, td_diag *diag) {
    int64_t nodes = 0, edges = 0, vertices = 0, ring_nodes = 0;
    *out = NULL;
    for (int32_t k = 0; k < count; k++) {
        nodes += nodes_of(&chains[k]);
        edges += chains[k].edge_count;
        vertices += chains[k].vertex_count;
        ring_nodes += chains[k].closed ? nodes_of(&chains[k]) : 0;
    }
    if (nodes > INT32_MAX / 4) {
        return tdi_fail(diag, TD_ERR_LIMIT, "too many vertices");
    }
    const tdi_rod_sizes sizes = {.nodes = (int32_t)nodes,
                                 .edges = (int32_t)edges,
                                 .welds = body_count,
                                 .solids = solid_count,
                                 .rods = count,
                                 .vertices = (int32_t)vertices,
                                 .ring_nodes = (int32_t)ring_nodes};
    tdi_rod_model *m = tdi_rod_model_room(&sizes, alloc);
    if (!m) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the rods");
    }
    make_rods(m, chains, count);
    td_status status = make_bodies(m, chains, bodies, body_count, diag);
    if (status != TD_OK) {
        tdi_model_free(m);
        return status;
    }
    tdi_rod_finish(m);
    *out = m;
    if (TDI_ASSERTS) {
        tdi_rod_model_validate(m);
    }
    return TD_OK;
}

// ---- memory ---------------------------------------------------------------------------------

static size_t edge_bytes(void) {
    return sizeof(tdi_chain_edge) + sizeof(tdi_chain_joint);
}

td_status tdi_rod_chains_new(tdi_rod_chain *chains, int32_t count, const td_alloc *alloc) {
    for (int32_t k = 0; k < count; k++) {
        const size_t n = (size_t)chains[k].edge_count + 1; // and one joint more
        char *room = tdi_alloc_zeroed(alloc, n, edge_bytes());
        TDI_TRY(room ? TD_OK : TD_ERR_MEMORY);
        chains[k].edges = (tdi_chain_edge *)room;
        chains[k].joints = (tdi_chain_joint *)(chains[k].edges + n);
    }
    return TD_OK;
}

void tdi_rod_chains_free(tdi_rod_chain *chains, int32_t count, const td_alloc *alloc) {
    for (int32_t k = 0; k < count; k++) {
        tdi_alloc_free(alloc, chains[k].edges, ((size_t)chains[k].edge_count + 1) * edge_bytes());
    }
}

// ---- twist ----------------------------------------------------------------------------------

td_real tdi_joint_length(const tdi_rod_chain *c, int32_t joint) {
    const bool whole = (joint > 0 && joint < c->edge_count) || c->closed;
    const int32_t before = joint > 0 ? joint - 1 : c->edge_count - 1;
    const int32_t after = joint < c->edge_count ? joint : before;
    return whole ? 0.5 * (c->edges[before].length + c->edges[after].length)
                 : 0.5 * c->edges[after].length;
}

td_real tdi_twisted_length(const tdi_rod_chain *c) {
    td_real sum = 0;
    for (int32_t j = 1; j < c->edge_count; j++) {
        sum += tdi_joint_length(c, j);
    }
    sum += c->closed ? tdi_joint_length(c, 0) : 0;
    sum += c->start == TD_END_CLAMPED ? tdi_joint_length(c, 0) : 0;
    return sum + (c->end == TD_END_CLAMPED ? tdi_joint_length(c, c->edge_count) : 0);
}
