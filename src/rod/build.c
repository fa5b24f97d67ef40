// SPDX-License-Identifier: MIT
// What all models of rods have in common.

#include "rod/build.h"

#include "base/guard.h"
#include "contact/contact.h"

#include <math.h>
#include <string.h>

static void lay_out(tdi_rod_model *m, const tdi_rod_sizes *z, tdi_layout *l) {
    tdi_layout_place(l, 1, sizeof *m);
    m->node = tdi_layout_place(l, (size_t)z->nodes, sizeof *m->node);
    m->part = tdi_layout_place(l, (size_t)z->nodes, sizeof *m->part);
    m->weld = tdi_layout_place(l, (size_t)z->welds, sizeof *m->weld);
    m->solid = tdi_layout_place(l, (size_t)z->solids, sizeof *m->solid);
    m->rest_frame = tdi_layout_place(l, (size_t)z->rest_frames, sizeof *m->rest_frame);
    m->edge_node = tdi_layout_place(l, (size_t)z->edges, sizeof *m->edge_node);
    m->rod_first = tdi_layout_place(l, (size_t)z->rods + 1, sizeof *m->rod_first);
    m->vertex_node = tdi_layout_place(l, (size_t)z->vertices, sizeof *m->vertex_node);
    m->end_node = tdi_layout_place(l, 2 * (size_t)z->rods, sizeof *m->end_node);
}

tdi_rod_model *tdi_rod_model_room(const tdi_rod_sizes *z, const td_alloc *alloc) {
    tdi_rod_model sizes;
    tdi_layout layout = {0};
    lay_out(&sizes, z, &layout);
    size_t bytes = layout.used;
    tdi_rod_model *m = tdi_alloc_zeroed(alloc, 1, bytes);
    if (!m) {
        return NULL;
    }
    layout = (tdi_layout){.base = (char *)m};
    lay_out(m, z, &layout);
    m->head.solver = &tdi_solver_rod;
    m->head.alloc = alloc;
    m->head.bytes = bytes;
    m->node_count = z->nodes;
    m->edge_count = m->head.segment_count = z->edges;
    m->weld_count = z->welds;
    m->solid_count = z->solids;
    m->rod_count = z->rods;
    m->ring_nodes = z->ring_nodes;
    m->ring_shift = z->nodes - z->ring_nodes;
    return m;
}

int32_t td_rod_vertex_count(const td_body_model *model) {
    const tdi_rod_model *m = tdi_as_rod_model(model);
    if (!m) {
        return 0;
    }
    return m->rod_first[m->rod_count];
}

int32_t td_rod_vertex(const td_body_model *model, int32_t rod, int32_t vertex) {
    const tdi_rod_model *m = tdi_as_rod_model(model);
    if (!m || !tdi_has(rod, m->rod_count) || vertex < 0 ||
        vertex >= m->rod_first[rod + 1] - m->rod_first[rod]) {
        return TD_NONE;
    }
    return m->rod_first[rod] + vertex;
}

void tdi_rod_link(tdi_rod_model *m, int32_t i, int32_t parent, uint32_t flags) {
    tdi_rod_node *n = &m->node[i];
    n->parent = parent;
    n->grand = parent == TD_NONE ? TD_NONE : m->node[parent].parent;
    n->edge = n->body = n->ring = n->rest_frame = TD_NONE;
    n->flags = flags | (parent == TD_NONE ? (uint32_t)TDI_HELD_TURN : 0u);
}

// With x = o + y/l (x_i - o) for the mass at y along the edge, of first and second moments a, b in
// y/l:
//   kinetic energy  ((m - 2a + b) |o|^2 + 2 (a - b) o.x_i + b |x_i|^2)/2
void tdi_rod_add_mass(tdi_rod_model *m, int32_t i, td_real mass, td_real first, td_real second) {
    tdi_rod_node *n = &m->node[i], *up = &m->node[n->parent];
    up->mass += mass - 2 * first + second;
    n->shared += first - second;
    n->mass += second;
    up->weight += mass - first;
    n->weight += first;
}

// Increments may turn edges where nothing but the root and its edge is held.
static bool held_further_on(const tdi_rod_model *m, int32_t i) {
    const tdi_rod_node *n = &m->node[i];
    return n->flags & TDI_HELD_PLACE && n->parent != TD_NONE &&
           !(m->node[n->parent].flags & TDI_HELD_PLACE && m->node[n->parent].parent == TD_NONE);
}

// Ranges of nodes that no edge leaves.
static void cut_parts(tdi_rod_model *m) {
    int32_t reach = m->node_count, last = m->node_count, count = 0;
    for (int32_t i = m->node_count - 1; i >= 0; i--) {
        int32_t p = m->node[i].parent;
        reach = p != TD_NONE && p < reach ? p : reach; // a ring's first node has one further on
        if (reach >= i) {
            m->part[count++] = (tdi_rod_part){.first = i, .last = last};
            last = reach = i;
        }
    }
    m->part_count = count;
    for (int32_t k = 0; k < count / 2; k++) {
        tdi_rod_part swap = m->part[k];
        m->part[k] = m->part[count - 1 - k];
        m->part[count - 1 - k] = swap;
    }
}

static void describe_parts(tdi_rod_model *m) {
    for (int32_t k = 0; k < m->part_count; k++) {
        tdi_rod_part *part = &m->part[k];
        part->ring = m->node[part->first].parent != TD_NONE;
        part->turns = !part->ring;
        part->rolls = true;
        for (int32_t i = part->first; i < part->last; i++) {
            part->turns = part->turns && !held_further_on(m, i);
            part->rolls =
                part->rolls && !(tdi_has_edge(&m->node[i]) && m->node[i].flags & TDI_HELD_TURN);
            m->node[i].ring = part->ring ? part->first : TD_NONE;
        }
    }
}

// Colliders do not touch a rod near its base.
static void measure_depths(tdi_rod_model *m) {
    for (int32_t i = 0; i < m->node_count; i++) { // parents come first, but for rings
        tdi_rod_node *n = &m->node[i];
        const tdi_rod_node *up = n->parent != TD_NONE && n->parent < i ? &m->node[n->parent] : NULL;
        const bool held = n->flags & TDI_HELD_BASE;
        n->depth = held ? 0 : up && up->depth >= 0 ? up->depth + n->length : -1;
        n->bare = held || n->depth < 0 ? 0 : fmax(up->bare, TDI_BASE_CLEARANCE * n->radius);
    }
}

void tdi_rod_finish(tdi_rod_model *m) {
    td_real mean = 0;
    for (int32_t i = 0; i < m->node_count; i++) {
        tdi_rod_node *n = &m->node[i];
        m->head.dof_count +=
            (n->flags & TDI_HELD_PLACE ? 0 : 3) + (n->flags & TDI_HELD_TURN ? 0 : 1);
        n->shift_mass = n->weight;
        if (n->flags & TDI_BODY) {
            n->shift_mass += 0.5 * m->weld[n->body].mass;
            m->node[n->parent].shift_mass += 0.5 * m->weld[n->body].mass;
        }
        mean += n->shift_mass / m->node_count;
    }
    for (int32_t i = 0; i < m->node_count; i++) {
        m->node[i].shift_mass = m->node[i].shift_mass > 0 ? m->node[i].shift_mass : mean;
    }
    cut_parts(m);
    describe_parts(m);
    measure_depths(m);
    m->head.parameters = m->node;
    m->head.parameter_bytes = (size_t)m->node_count * sizeof *m->node;
}
