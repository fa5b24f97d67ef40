// SPDX-License-Identifier: MIT
// The capsules that rods are to others: along the edges, and those of welded bodies; and which of
// them never touch.

#include "rod/capsules.h"

#include "contact/closest.h"
#include "rod/solids.h"

#include <math.h>

#define PI 3.14159265358979323846

// ---- capsules -------------------------------------------------------------------------------

// Ends of rods that are there only to hold them, and organs, touch nothing.
bool tdi_rod_has_capsule(const tdi_rod_node *n) {
    return n->edge != TD_NONE && n->radius > 0 && !(n->flags & TDI_OFFSET);
}

// m: the length of rod between the starts of two edges; `most` if it is longer or if no rod
// connects them.
static td_real way_between(const tdi_rod_model *m, int32_t a, int32_t b, td_real most) {
    td_real way = 0;
    if (m->node[a].ring != m->node[b].ring) {
        return most;
    }
    if (m->node[a].ring != TD_NONE) { // around the ring, the shorter way
        td_real around = 0;
        for (int32_t i = m->node[b].parent; i != a && way < most; i = m->node[i].parent) {
            way += m->node[i].length;
        }
        for (int32_t i = m->node[a].parent; i != b && around < most; i = m->node[i].parent) {
            around += m->node[i].length;
        }
        return fmin(fmin(way, around), most);
    }
    // up from both to where they meet; parents come first
    int32_t i = m->node[a].parent, j = m->node[b].parent;
    if (i == b || j == a) {
        return 0;
    }
    while (i != j && way < most) {
        if (i == b || j == a) {
            return way;
        }
        int32_t *later = i > j ? &i : &j;
        if (m->node[*later].parent == TD_NONE) {
            return most;
        }
        way += m->node[*later].length;
        *later = m->node[*later].parent;
    }
    return fmin(way, most);
}

// The capsule of a welded body; NULL: that of an edge.
static const tdi_rod_solid *solid_of(const tdi_rod_state *s, int32_t capsule) {
    const int32_t k = capsule - tdi_rod_edge_capsules(s);
    return k >= 0 ? &s->model->solid[k] : NULL;
}

static td_real radius_of(const tdi_rod_state *s, int32_t capsule) {
    const tdi_rod_solid *b = solid_of(s, capsule);
    return b ? b->radius : s->model->node[s->capsule_node[capsule]].radius;
}

static void drawn_ends(const tdi_rod_state *s, int32_t capsule, td_vec3 end[2]) {
    const tdi_rod_solid *b = solid_of(s, capsule);
    const tdi_rod_node *n = &s->model->node[s->capsule_node[capsule]];
    end[0] = b ? b->drawn[0] : s->model->node[n->parent].start;
    end[1] = b ? b->drawn[1] : n->start;
}

// Whether two capsules are nearer than the smaller radius as they are drawn.
static bool drawn_close(const tdi_rod_state *s, int32_t i, int32_t j) {
    const td_real p = radius_of(s, i), q = radius_of(s, j);
    td_vec3 own[2], other[2];
    drawn_ends(s, i, own);
    drawn_ends(s, j, other);
    const tdi_pair_shape two = {
        .side = TDI_SIDE_SEGMENT, .a = own[0], .b = own[1], .c = other[0], .d = other[1]};
    return tdi_closest_of(&two).distance < p + q + fmin(p, q);
}

// How far a capsule of a welded body reaches from the start of its edge; of others 0.
static td_real reach_of(const tdi_rod_state *s, int32_t capsule) {
    const tdi_rod_solid *b = solid_of(s, capsule);
    return b ? fmax(tdi_norm(b->end[0]), tdi_norm(b->end[1])) : 0;
}

// A rod of radius r cannot bend to a smaller radius than r. Two edges closer than half a turn of
// this radius along the rod therefore cannot touch. Welded bodies do not touch capsules that they
// overlap in the drawn pose, nor edges within their reach along the rod.
bool tdi_rod_apart(const void *body, int32_t i, int32_t j) {
    const tdi_rod_state *s = body;
    const int32_t a = s->capsule_node[i], b = s->capsule_node[j];
    const td_real most =
        0.5 * PI * (radius_of(s, i) + radius_of(s, j)) + reach_of(s, i) + reach_of(s, j);
    const bool solid = solid_of(s, i) || solid_of(s, j);
    return a == b || way_between(s->model, a, b, most) < most || (solid && drawn_close(s, i, j));
}

// The fraction of an edge, from its start, that is rooted in the base: colliders do not touch it.
static td_real rooted(const tdi_rod_model *m, const tdi_rod_node *n) {
    const bool held = n->flags & TDI_HELD_BASE;
    return held           ? 1
           : n->depth < 0 ? 0
                          : fmin(fmax((n->bare - m->node[n->parent].depth) / n->length, 0), 1);
}

void tdi_rod_capsules(const void *body, tdi_capsule *capsules) {
    const tdi_rod_state *s = body;
    const int32_t edges = tdi_rod_edge_capsules(s);
    for (int32_t k = 0; k < edges; k++) {
        const tdi_rod_node *n = &s->model->node[s->capsule_node[k]];
        capsules[k] = (tdi_capsule){.a = n->parent,
                                    .b = s->capsule_node[k],
                                    .radius = n->radius,
                                    .body = n->edge,
                                    .turns = true,
                                    .from = rooted(s->model, n)};
    }
    for (int32_t k = 0; k < s->model->solid_count; k++) {
        const tdi_rod_solid *b = &s->model->solid[k];
        const int32_t first = s->model->node_count + 2 * k;
        const bool ball = tdi_norm(tdi_sub(b->end[1], b->end[0])) == 0;
        capsules[edges + k] = (tdi_capsule){first, first + !ball, b->radius, b->segment, true, 0};
    }
}

// ---- force ----------------------------------------------------------------------------------

// Of joints that bend by about one, of weight, and of what stops a vertex within a range and a
// step.
td_real tdi_rod_force(const void *body, const td_step_opts *o, td_real gap, td_real h) {
    const tdi_rod_state *s = body;
    const td_real g = tdi_norm(o->gravity);
    td_real sum = 0;
    for (int32_t k = 0; k < s->head.capsule_count; k++) {
        const tdi_rod_node *n = &s->model->node[s->capsule_node[k]];
        sum += 0.1 * (n->law.bend[0] + n->law.bend[2]) / n->length +
               n->shift_mass * (g + (h > 0 ? gap * radius_of(s, k) / (h * h) : 0));
    }
    return sum / (td_real)s->head.capsule_count;
}
