// SPDX-License-Identifier: MIT
// The capsules that a tree's bodies are to others, one a body or those of a welded body, and which
// of them never touch.

#include "tree/capsules.h"

#include "contact/closest.h"
#include "plant/solids.h"

#include <math.h>
#include <string.h>

#define HALF_TURN \
    1.57079632679489662 // a stem of radius r bends no tighter than r: closer than this times r
                        // along the tree two bodies cannot touch

// ---- capsules -------------------------------------------------------------------------------

// The distance from the base along the tree, of bodies rooted in it.
typedef struct rooting {
    td_real depth; // m: from the base to the joint
    td_real free;  // m: nearer to the base capsules do not touch colliders; below 0: it floats
    bool welded;
} rooting;

static rooting rooting_of(const tdi_tree_model *m, int32_t i, const rooting *up) {
    const tdi_body *b = &m->body[i];
    const bool fixed = m->kind[i] == TD_JOINT_FIXED;
    if (!up) {
        bool floats = m->kind[i] == TD_JOINT_FREE;
        return (rooting){0, floats ? -INFINITY : TDI_BASE_CLEARANCE * b->radius, fixed};
    }
    return (rooting){up->depth + tdi_norm(b->attach),
                     up->free < 0 ? up->free : fmax(up->free, TDI_BASE_CLEARANCE * b->radius),
                     fixed && up->welded};
}

// Cuts a capsule down to what may touch.
static void cut_capsule(tdi_body *b, const rooting *root) {
    td_real from = fmax(b->from, root->free - root->depth);
    if (root->welded || !(b->radius > 0 && isfinite(b->radius)) ||
        root->free >= root->depth + b->to) {
        b->to = -1;
    } else if (from >= b->to) { // an organ as long as it is thick
        b->from = b->to = 0.5 * tdi_norm(b->tip);
    } else {
        b->from = from;
    }
}

typedef struct stance { // of a body as it is drawn
    td_quat turn;
    td_vec3 o;
    rooting root;
} stance;

static stance stance_of(const tdi_tree_model *m, const stance *all, int32_t i) {
    const stance base = {{1, 0, 0, 0}, {0, 0, 0}, {0, 0, false}};
    const bool first = m->parent[i] == TD_NONE;
    const stance *up = first ? &base : &all[m->parent[i]];
    const tdi_body *b = &m->body[i];
    td_vec3 attach = b->attach;
    if (m->kind[i] == TD_JOINT_SLIDE) {
        attach = tdi_add(attach, tdi_quat_rotate(b->rest, tdi_scale(b->axis, b->initial_slide)));
    }
    return (stance){tdi_quat_mul(up->turn, b->initial),
                    tdi_add(up->o, tdi_quat_rotate(up->turn, attach)),
                    rooting_of(m, i, first ? NULL : &up->root)};
}

// The end of a body's capsule, in its own axes.
static td_vec3 own_point(const tdi_body *b, int end) {
    td_real length = tdi_norm(b->tip);
    return length > 0 ? tdi_scale(b->tip, (end ? b->to : b->from) / length) : tdi_vec3(0, 0, 0);
}

static void add_capsule(tdi_tree_model *m, const stance *at, int32_t body, td_vec3 a, td_vec3 b,
                        td_real radius) {
    const td_vec3 ends[2] = {a, b};
    for (int end = 0; end < 2; end++) {
        m->point[2 * m->capsule_count + end] = ends[end];
        m->drawn[2 * m->capsule_count + end] = tdi_add(at->o, tdi_quat_rotate(at->turn, ends[end]));
    }
    m->capsule_body[m->capsule_count] = body;
    m->capsule_radius[m->capsule_count++] = radius;
}

// Its own capsule, and those of a welded body.
static void add_capsules(tdi_tree_model *m, const stance *at, int32_t i, const td_segment *s,
                         const td_shape *shapes) {
    const tdi_body *b = &m->body[i];
    tdi_solid solids[TDI_SOLIDS];
    if (b->to < 0) {
        return;
    }
    if (!tdi_is_welded_body(s, shapes)) {
        add_capsule(m, at, i, own_point(b, 0), own_point(b, 1), b->radius);
    }
    const int32_t count = tdi_segment_solids(s, shapes, solids);
    for (int32_t k = 0; k < count; k++) {
        add_capsule(m, at, i, solids[k].end[0], solids[k].end[1], solids[k].radius);
    }
}

bool tdi_tree_fill_capsules(tdi_tree_model *m, const td_skeleton *skeleton) {
    const size_t n = (size_t)m->body_count;
    stance *all = tdi_alloc_zeroed(m->head.alloc, n, sizeof *all);
    for (int32_t i = 0; all && i < m->body_count; i++) {
        all[i] = stance_of(m, all, i);
        cut_capsule(&m->body[i], &all[i].root);
        add_capsules(m, &all[i], i, &td_skeleton_segments(skeleton)[i],
                     td_skeleton_shapes(skeleton));
    }
    tdi_alloc_free(m->head.alloc, all, n * sizeof *all);
    return all;
}

bool tdi_tree_is_ball(const tdi_tree_model *m, int32_t capsule) {
    return tdi_norm(tdi_sub(m->point[2 * capsule + 1], m->point[2 * capsule])) == 0;
}

void tdi_tree_capsules(const void *body, tdi_capsule *capsules) {
    const tdi_tree_model *m = ((const tdi_tree_state *)body)->model;
    for (int32_t k = 0; k < m->capsule_count; k++) {
        capsules[k] = (tdi_capsule){
            2 * k, 2 * k + !tdi_tree_is_ball(m, k), m->capsule_radius[k], m->capsule_body[k], true,
            0};
    }
}

// ---- who never touches whom -----------------------------------------------------------------

// The way along the tree between two bodies, from where the later one is attached; no more than
// `most`.
static td_real way_between(const tdi_tree_model *m, int32_t a, int32_t b, td_real most) {
    td_vec3 at_a = {0, 0, 0}, at_b = {0, 0, 0}; // on the body that was climbed to
    bool climbed_a = false, climbed_b = false;
    td_real way = 0;
    while (a != b && way < most) {
        int32_t *later = a > b ? &a : &b;
        td_vec3 *at = a > b ? &at_a : &at_b;
        bool *climbed = a > b ? &climbed_a : &climbed_b;
        way += *climbed ? tdi_norm(*at) : 0;
        *climbed = true;
        *at = m->body[*later].attach;
        *later = m->parent[*later];
        if (*later == TD_NONE) {
            return most;
        }
    }
    // one is carried by the other, or both by this body
    way += climbed_a && climbed_b ? tdi_norm(tdi_sub(at_a, at_b)) : 0;
    return way < most ? way : most;
}

// Whether two capsules are nearer than the smaller radius as they are drawn.
static bool drawn_close(const tdi_tree_model *m, int32_t i, int32_t j) {
    const td_real p = m->capsule_radius[i], q = m->capsule_radius[j];
    const td_vec3 *own = m->drawn + 2 * i, *other = m->drawn + 2 * j;
    const tdi_pair_shape two = {
        .side = TDI_SIDE_SEGMENT, .a = own[0], .b = own[1], .c = other[0], .d = other[1]};
    return tdi_closest_of(&two).distance < p + q + fmin(p, q);
}

// How far a capsule of a welded body reaches from its joint; of others 0.
static td_real reach_of(const tdi_tree_model *m, int32_t capsule) {
    return m->kind[m->capsule_body[capsule]] == TD_JOINT_FIXED
               ? fmax(tdi_norm(m->point[2 * capsule]), tdi_norm(m->point[2 * capsule + 1]))
               : 0;
}

// Neighbours, and capsules that overlap in the drawn pose, such as leaves at a node or crossing
// twigs. Segments within the reach of a welded body along the tree are its neighbours too.
bool tdi_tree_apart(const void *body, int32_t i, int32_t j) {
    const tdi_tree_model *m = ((const tdi_tree_state *)body)->model;
    const int32_t a = m->capsule_body[i], b = m->capsule_body[j];
    const td_real most =
        HALF_TURN * (m->capsule_radius[i] + m->capsule_radius[j]) + reach_of(m, i) + reach_of(m, j);
    return way_between(m, a, b, most) < most || drawn_close(m, i, j);
}

// ---- force ----------------------------------------------------------------------------------

td_real tdi_tree_force(const void *body, const td_step_opts *o, td_real gap, td_real h) {
    const tdi_tree_model *m = ((const tdi_tree_state *)body)->model;
    td_real sum = 0, g = tdi_norm(o->gravity);
    for (int32_t k = 0; k < m->capsule_count; k++) {
        const tdi_body *b = &m->body[m->capsule_body[k]];
        sum += b->mass * (g + (h > 0 ? gap * m->capsule_radius[k] / (h * h) : 0));
    }
    return sum / (td_real)m->capsule_count;
}
