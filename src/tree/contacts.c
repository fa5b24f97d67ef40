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

#define STANDS      2.0  // radii: nearer to the base along the tree nothing touches
#define PAIRS_EACH  6    // pairs a capsule and collider: room for three contacts of each sort
#define USUAL_PAIRS 16   // a capsule
#define SHORTER     0.25 // of a way for which there are too many pairs
#define NARROW      0.1  // of the range: gaps below it make the barrier stronger
#define WIDE        0.4  // above it weaker
#define MOST_FORCE  1e6  // times the first

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

// A block with room for the capsules of all bodies that have one.
static td_tree_contacts *make_block(const td_tree_model *m, const rooting *root,
                                    const td_alloc *alloc) {
    td_tree_contacts sizes = {.alloc = alloc, .model = m};
    tdi_layout l = {NULL, 0};
    td_vec3 own[2];
    for (int32_t i = 0; i < m->body_count; i++) {
        sizes.capsule_count += ends_of(&m->body[i], &root[i], own);
    }
    lay_out(&sizes, &l);
    sizes.bytes = l.used;
    td_tree_contacts *c = tdi_alloc_zeroed(alloc, l.used, 1);
    if (c) {
        l = (tdi_layout){(char *)c, 0};
        lay_out(&sizes, &l);
        *c = sizes;
    }
    return c;
}

static void fill_capsules(td_tree_contacts *c, const rooting *root, tdi_capsule *capsules) {
    const td_tree_model *m = c->model;
    int32_t k = 0;
    for (int32_t i = 0; i < m->body_count; i++) {
        td_vec3 own[2];
        if (ends_of(&m->body[i], &root[i], own)) {
            bool ball = own[0].x == own[1].x && own[0].y == own[1].y && own[0].z == own[1].z;
            c->body[k] = i;
            c->own[2 * k] = own[0];
            c->own[2 * k + 1] = own[1];
            capsules[k] = (tdi_capsule){2 * k, 2 * k + !ball, m->body[i].radius, i};
            k++;
        }
    }
}

static td_status make_set(td_tree_contacts *c, const rooting *root, td_diag *diag) {
    const size_t count = (size_t)c->capsule_count;
    // with few colliders there can never be too many pairs; 0: as many as usual
    const int64_t pairs = (int64_t)PAIRS_EACH * c->collider_limit * c->capsule_count;
    tdi_capsule *capsules = tdi_alloc_zeroed(c->alloc, count, sizeof *capsules);
    if (!capsules) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contacts");
    }
    fill_capsules(c, root, capsules);
    tdi_contacts_def def = {
        .opts = &c->opts,
        .capsule = capsules,
        .capsule_count = c->capsule_count,
        .point_count = 2 * c->capsule_count,
        .collider_limit = c->collider_limit,
        .pair_limit = pairs < (int64_t)USUAL_PAIRS * c->capsule_count ? (int32_t)pairs : 0};
    td_status status = tdi_contacts_new(&def, c->alloc, &c->set, diag);
    tdi_alloc_free(c->alloc, capsules, count * sizeof *capsules);
    return status;
}

static td_status make(const td_tree_model *m, const rooting *root, const td_contact_opts *opts,
                      int32_t collider_limit, const td_alloc *alloc, td_tree_contacts **out,
                      td_diag *diag) {
    td_tree_contacts *c = make_block(m, root, alloc);
    if (!c) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contacts");
    }
    c->opts = *opts;
    c->opts.self = false;
    c->collider_limit = collider_limit;
    td_status status = c->capsule_count > 0 ? make_set(c, root, diag) : TD_OK;
    if (status != TD_OK) {
        td_tree_contacts_free(c);
        return status;
    }
    *out = c;
    return TD_OK;
}

td_status td_tree_contacts_new(const td_tree_state *state, const td_contact_opts *opts,
                               int32_t collider_limit, const td_alloc *alloc,
                               td_tree_contacts **out, td_diag *diag) {
    const td_tree_model *m = state->model;
    const size_t n = (size_t)m->body_count;
    *out = NULL;
    td_status status = td_contact_opts_check(opts, diag);
    if (status != TD_OK) {
        return status;
    }
    if (collider_limit < 0 || m->body_count > INT32_MAX / 2) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "a count of the contacts is out of its range");
    }
    rooting *root = tdi_alloc_zeroed(alloc, n, sizeof *root);
    if (!root) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contacts");
    }
    for (int32_t i = 0; i < m->body_count; i++) {
        root[i] = rooting_of(m, root, i);
    }
    status = make(m, root, opts, collider_limit, alloc, out, diag);
    tdi_alloc_free(alloc, root, n * sizeof *root);
    return status;
}

void td_tree_contacts_free(td_tree_contacts *c) {
    if (c) {
        tdi_contacts_free(c->set);
        tdi_alloc_free(c->alloc, c, c->bytes);
    }
}

// ---- checks ---------------------------------------------------------------------------------

td_status tdi_tree_contacts_check(const td_tree_model *m, const td_step_opts *o, td_diag *diag) {
    if (!o->contacts) {
        return TD_OK;
    }
    if (o->integrator != TD_IMPLICIT && o->integrator != TD_IMPLICIT_EULER) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "contact needs an implicit integrator");
    }
    if (o->contacts->model != m) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the contacts are those of another tree");
    }
    if (o->collider_count < 0 || (o->collider_count > 0 && !o->colliders)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "collider_count is %d", o->collider_count);
    }
    if (o->collider_count > o->contacts->collider_limit) {
        return tdi_fail(diag, TD_ERR_LIMIT, "%d colliders; there is room for %d", o->collider_count,
                        o->contacts->collider_limit);
    }
    return td_colliders_check(o->colliders, o->collider_count, diag);
}

td_tree_contacts *tdi_tree_contacts_of(const td_step_opts *o) {
    return o->contacts && o->collider_count > 0 && o->contacts->set ? o->contacts : NULL;
}

// ---- steps ----------------------------------------------------------------------------------

// Places of all points at the pose.
static void gather(const td_tree_contacts *c, const td_tree_state *s, td_vec3 *to) {
    for (int32_t k = 0; k < c->capsule_count; k++) {
        const tdi_frame *f = &s->frame[c->body[k]];
        to[2 * k] = tdi_add(f->o, tdi_mat3_apply(&f->r, c->own[2 * k]));
        to[2 * k + 1] = tdi_add(f->o, tdi_mat3_apply(&f->r, c->own[2 * k + 1]));
    }
}

static void gather_star(td_tree_contacts *c, const td_tree_state *s) {
    for (int32_t k = 0; k < 2 * c->capsule_count; k++) {
        const tdi_place *star = &s->star[c->body[k / 2]];
        c->star[k] = tdi_add(star->o, tdi_mat3_apply(&star->r, c->own[k]));
    }
}

// The size of the forces that hold and stop a body: its weight, and what stops it within a range
// and a step.
static td_real first_force(const td_tree_contacts *c, td_vec3 gravity, td_real h) {
    td_real sum = 0, g = tdi_norm(gravity);
    for (int32_t k = 0; k < c->capsule_count; k++) {
        const tdi_body *b = &c->model->body[c->body[k]];
        sum += b->mass * (g + c->opts.gap * b->radius / (h * h));
    }
    return sum / (td_real)c->capsule_count;
}

static bool same(td_vec3 a, td_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Whether anything is driven through the step.
static bool driven(const td_tree_state *s, const td_step_opts *o) {
    const td_vec3 none = {0, 0, 0};
    bool moves = !same(s->base_twist.w, none) || !same(s->base_twist.v, none) ||
                 !same(s->base_accel.w, none) || !same(s->base_accel.v, none);
    for (int32_t k = 0; k < o->collider_count && !moves; k++) {
        const td_collider *d = &o->colliders[k];
        td_quat p = d->rotation0, q = d->rotation;
        moves = !same(d->position0, d->position) || p.w != q.w || p.x != q.x || p.y != q.y ||
                p.z != q.z;
    }
    return moves;
}

static td_status check_start(td_tree_contacts *c) {
    int32_t which[2];
    td_real least = tdi_contacts_least(c->set, c->x, 0, which);
    if (which[0] == TD_NONE || least > 0) {
        return TD_OK;
    }
    int32_t i = c->body[which[0]];
    return tdi_fail_at(&c->fault, TD_ERR_DIVERGED, i,
                       "segment %d and collider %d are in each other at the start of the step", i,
                       which[1] - c->capsule_count);
}

td_status tdi_tree_contacts_begin(td_tree_contacts *c, const td_tree_state *s,
                                  const td_step_opts *o, td_real h) {
    c->fault = (td_diag){.index = TD_NONE};
    c->dt = o->dt;
    c->base = (tdi_base_motion){s->base, s->base_twist};
    c->time = driven(s, o) ? 0 : 1;
    c->force = fmax(c->force, first_force(c, o->gravity, h));
    c->rule = (tdi_contact_rule){.force = h * h * c->force, .star = c->star, .h = h};
    gather(c, s, c->x);
    gather_star(c, s);
    td_status status =
        tdi_contacts_colliders(c->set, o->colliders, o->collider_count, o->dt, &c->fault);
    status = status == TD_OK ? tdi_contacts_find(c->set, c->x, NULL, &c->fault) : status;
    status = status == TD_OK ? check_start(c) : status;
    return status == TD_OK ? tdi_contacts_lag(c->set, c->x, 0, c->rule.force, &c->fault) : status;
}

bool tdi_tree_contacts_guess(td_tree_contacts *c, const td_tree_state *s) {
    bool whole = tdi_tree_contacts_way(c, s, 1) >= 1;
    c->time = whole ? 1 : c->time;
    return whole;
}

void tdi_tree_contacts_base(const td_tree_contacts *c, td_tree_state *s, td_real time) {
    tdi_tree_carry_base(s, &c->base, time * c->dt);
}

tdi_twist tdi_tree_contacts_base_left(const td_tree_contacts *c, td_tree_state *s) {
    const tdi_base_motion now = {s->base, s->base_twist};
    tdi_tree_contacts_base(c, s, 1);
    td_quat q = tdi_quat_mul(s->base.turn, tdi_quat_conj(now.frame.turn));
    td_vec3 v = tdi_scale(tdi_vec3(q.x, q.y, q.z), q.w < 0 ? -1 : 1);
    td_real sine = tdi_norm(v);
    tdi_twist left = {v, tdi_sub(s->base.o, now.frame.o)};
    left.w = sine > 0 ? tdi_scale(v, 2 * atan2(sine, fabs(q.w)) / sine) : v;
    s->base = now.frame;
    s->base_twist = now.twist;
    return left;
}

void tdi_tree_contacts_keep(td_tree_contacts *c, const td_tree_state *s) {
    gather(c, s, c->x);
    memcpy(c->now, c->x, 2 * (size_t)c->capsule_count * sizeof *c->x);
}

td_real tdi_tree_contacts_way(td_tree_contacts *c, const td_tree_state *s, td_real time) {
    gather(c, s, c->now);
    for (int32_t k = 0; k < 2 * c->capsule_count; k++) {
        c->dx[k] = tdi_sub(c->now[k], c->x[k]);
    }
    if (tdi_contacts_find(c->set, c->x, c->dx, NULL) != TD_OK) {
        return SHORTER; // all is near on long ways
    }
    return tdi_contacts_filter(c->set, c->x, c->dx, c->time, time);
}

td_real tdi_tree_contacts_room(const td_tree_contacts *c, td_real time) {
    int32_t which[2];
    td_real least = tdi_contacts_least(c->set, c->now, time, which);
    return which[0] == TD_NONE ? 1
                               : least / (c->opts.gap * c->model->body[c->body[which[0]]].radius);
}

void tdi_tree_contacts_end(td_tree_contacts *c, const td_tree_state *s, td_vec3 gravity) {
    td_real start = first_force(c, gravity, c->rule.h);
    gather(c, s, c->now);
    td_real room = tdi_tree_contacts_room(c, 1);
    c->force *= room < NARROW ? 2 : room > WIDE ? 0.5 : 1;
    c->force = room < 1 ? fmin(fmax(c->force, start), MOST_FORCE * start) : start;
}

// ---- terms ----------------------------------------------------------------------------------

td_status tdi_tree_contacts_evaluate(td_tree_contacts *c, const td_tree_state *s, bool exact,
                                     bool carry) {
    td_real energy;
    gather(c, s, c->now);
    c->rule.ahead = carry ? 1 - c->time : 0;
    c->rule.exact = exact;
    td_status status = tdi_contacts_find(c->set, c->now, NULL, &c->fault);
    return status == TD_OK
               ? tdi_contacts_evaluate(c->set, c->now, c->time, &c->rule, &energy, &c->fault)
               : status;
}

bool tdi_tree_contacts_any(const td_tree_contacts *c) {
    int32_t count;
    tdi_contacts_list(c->set, &count);
    return count > 0;
}

static tdi_mat3 outer(td_vec3 a, td_vec3 b) {
    return (tdi_mat3){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                       a.z * b.y, a.z * b.z}};
}

// The Hessian about the place of contact; d leads from one end of the capsule to the other.
//   A = tilt_00 m m^T,  B = m (tilt_00 s_0 + tilt_01 s_1)^T,  m = d x n,
//   C = H + sum of tilt_ab s_a s_b^T, with half of the squares of s_0 + s_1 and s_0 - s_1 for the
//   mixed ones
static tdi_block block_of(const tdi_contact *t, td_vec3 d) {
    const td_vec3 m = tdi_cross(d, t->normal), *s = t->slide;
    const td_real *k = t->tilt;
    tdi_block at = {.a = tdi_sym3_square(m, k[0]), .c = t->hessian};
    at.b = outer(m, tdi_madd(tdi_scale(s[0], k[0]), s[1], k[1]));
    at.c = tdi_sym3_add(at.c, tdi_sym3_square(s[0], k[0]));
    at.c = tdi_sym3_add(at.c, tdi_sym3_square(s[1], k[2]));
    at.c = tdi_sym3_add(at.c, tdi_sym3_square(tdi_add(s[0], s[1]), 0.5 * k[1]));
    at.c = tdi_sym3_add(at.c, tdi_sym3_square(tdi_sub(s[0], s[1]), -0.5 * k[1]));
    return at;
}

void tdi_tree_contacts_expand(const td_tree_contacts *c, td_tree_state *s) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(c->set, &count);
    for (int32_t k = 0; k < count; k++) {
        const tdi_contact *t = &list[k];
        int32_t i = c->body[t->capsule];
        tdi_node *node = tdi_node_open(s, i);
        td_vec3 d = tdi_sub(c->now[t->point[1]], c->now[t->point[0]]);
        td_vec3 p = tdi_madd(tdi_sub(c->now[t->point[0]], s->frame[i].o), d, t->weight[1]);
        const tdi_block at = block_of(t, d);
        tdi_block_add(&node->block, &at, p);
        td_vec3 n = tdi_cross(p, t->force);
        node->load = (tdi_wrench){tdi_add(node->load.n, n), tdi_add(node->load.f, t->force)};
        if (c->rule.ahead > 0) {
            continue; // most of the force is foreseen: it swings nothing yet
        }
        node->swing = tdi_sym3_add(node->swing, tdi_swing(p, t->force));
        node->pull = tdi_add(node->pull, t->force);
        node->spin = tdi_add(node->spin, n);
    }
}

td_real tdi_tree_contacts_value(td_tree_contacts *c, const td_tree_state *s) {
    gather(c, s, c->now);
    return tdi_contacts_energy(c->set, c->now, c->time, &c->rule);
}
