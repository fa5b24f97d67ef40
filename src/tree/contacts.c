// SPDX-License-Identifier: MIT
// Contact of a tree with colliders.
//
// Method   Every body is a capsule between two points of its own, x = o + R X. A contact is a load
//          on one body: with gradient f and Hessian H at the place of contact, p from the joint,
//            (n, f) += (p x f, f),  swing += sym(p f^T) - (p.f) I,  and with the turn w and the
//            shift v of the place  1/2 v^T H v + 1/2 sum over a, b of tilt_ab l_a l_b,
//            l_a = (d x n).w [a = 0] + slide_a.v,
//          d from one point to the other, n the normal; the sum is what comes of the place moving
//          along the capsule. So the elimination along the tree takes contacts in as they are.
// Way      Points of a turning body go along arcs. An increment is taken in as far as the straight
//          ways of all points to where it leads are free: then there is a motion to that pose in
//          which nothing passes through a collider.

#include "tree/contacts.h"

#include "math/quat.h"

#include <string.h>

#define STANDS     2.0 // radii: nearer to the base along the tree nothing touches
#define PAIRS_EACH 6   // pairs a capsule and collider: three contacts and frictions, twice for room
#define NARROW     0.1 // of the range: gaps below it make the barrier stronger
#define WIDE       0.4 // above it weaker
#define MOST_FORCE 1e6 // times the first

// ---- making ---------------------------------------------------------------------------------

// The way to a body from the base, for what stands on it.
typedef struct rooting {
    td_real depth; // m: from the base to the joint
    td_real free;  // m: what is nearer than this to the base does not touch
    bool welded;
} rooting;

static rooting rooting_of(const td_tree_model *m, const rooting *all, int32_t i) {
    const tdi_body *b = &m->body[i];
    const int32_t p = m->parent[i];
    const bool fixed = m->kind[i] == TD_JOINT_FIXED;
    if (p == TD_NONE) {
        bool floats = m->kind[i] == TD_JOINT_FREE;
        return (rooting){0, floats ? -INFINITY : STANDS * b->radius, fixed};
    }
    const rooting up = all[p];
    td_real depth = up.depth + tdi_norm(b->attach);
    bool floats = up.free < 0;
    return (rooting){depth, floats ? up.free : fmax(up.free, STANDS * b->radius),
                     fixed && up.welded};
}

// The two ends of a body's capsule on the way from its joint to its tip; false: it has none.
static bool ends_of(const tdi_body *b, const rooting *root, td_vec3 own[2]) {
    td_real length = tdi_norm(b->tip);
    td_real from = fmax(b->inset, root->free - root->depth), to = length - b->inset;
    if (root->welded || !(b->radius > 0 && isfinite(b->radius)) || root->free >= root->depth + to) {
        return false;
    }
    if (from >= to) { // an organ as long as it is thick
        from = to = 0.5 * length;
    }
    own[0] = length > 0 ? tdi_scale(b->tip, from / length) : tdi_vec3(0, 0, 0);
    own[1] = length > 0 ? tdi_scale(b->tip, to / length) : own[0];
    return true;
}

// What making contacts needs for a while, a body each.
typedef struct sketch {
    rooting root;
    td_vec3 own[2];
    int32_t body;
} sketch;

static void lay_out(td_tree_contacts *c, tdi_layout *l) {
    const size_t n = (size_t)c->capsule_count;
    tdi_layout_place(l, 1, sizeof *c);
    c->body = tdi_layout_place(l, n, sizeof *c->body);
    c->own = tdi_layout_place(l, 2 * n, sizeof *c->own);
    c->x = tdi_layout_place(l, 2 * n, sizeof *c->x);
    c->now = tdi_layout_place(l, 2 * n, sizeof *c->now);
    c->dx = tdi_layout_place(l, 2 * n, sizeof *c->dx);
    c->star = tdi_layout_place(l, 2 * n, sizeof *c->star);
}
