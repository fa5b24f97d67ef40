// SPDX-License-Identifier: MIT
// Contact of a tree: every body is a capsule between two points of its own, x = o + R X.
//
// A contact is a load on one body: with gradient f and Hessian H at the place of contact, p from
// the joint,
//   (n, f) += (p x f, f),  geometric stiffness sym(p f^T) - (p.f) I,
// and with the turn w and the shift v of the place  1/2 v^T H v + 1/2 sum of tilt_ab l_a l_b,
//   l_0 = (d x n).w + slide_0.v,  l_1 = slide_1.v,
// d from one point to the other, n the normal; the sum is what comes of the place moving along the
// capsule. So the elimination along the tree takes contacts in as they are. Friction on the surface
// adds a moment.

#include "tree/points.h"

#include "contact/closest.h"
#include "math/turn.h"
#include "plant/solids.h"
#include "tree/implicit.h"

#include <string.h>

#define HALF_TURN \
    1.57079632679489662 // a stem of radius r bends no tighter than r: closer than this times r
                        // along the tree two bodies cannot touch

// ---- capsules -------------------------------------------------------------------------------

// The way to a body from the base, for what stands on it.
typedef struct rooting {
    td_real depth; // m: from the base to the joint
    td_real free;  // m: what is nearer than this to the base does not touch; below 0: it floats
    bool welded;
} rooting;

static rooting rooting_of(const tdi_tree_model *m, int32_t i, const rooting *up) {
    const tdi_body *b = &m->body[i];
    const bool fixed = m->kind[i] == TD_JOINT_FIXED;
    if (!up) {
        bool floats = m->kind[i] == TD_JOINT_FREE;
        return (rooting){0, floats ? -INFINITY : TDI_STANDS * b->radius, fixed};
    }
    return (rooting){up->depth + tdi_norm(b->attach),
                     up->free < 0 ? up->free : fmax(up->free, TDI_STANDS * b->radius),
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
    const tdi_two two = {
        .side = TDI_SIDE_SEGMENT, .a = own[0], .b = own[1], .c = other[0], .d = other[1]};
    return tdi_closest_of(&two).distance < p + q + fmin(p, q);
}

// How far a capsule of a welded body reaches from its joint; of others 0.
static td_real reach_of(const tdi_tree_model *m, int32_t capsule) {
    return m->kind[m->capsule_body[capsule]] == TD_JOINT_FIXED
               ? fmax(tdi_norm(m->point[2 * capsule]), tdi_norm(m->point[2 * capsule + 1]))
               : 0;
}

// Neighbours, and what is in each other as it is drawn: leaves at a node, crossing twigs. Segments
// within the reach of a welded body along the tree are its neighbours: they cannot leave it.
bool tdi_tree_apart(const void *body, int32_t i, int32_t j) {
    const tdi_tree_model *m = ((const tdi_tree_state *)body)->model;
    const int32_t a = m->capsule_body[i], b = m->capsule_body[j];
    const td_real most =
        HALF_TURN * (m->capsule_radius[i] + m->capsule_radius[j]) + reach_of(m, i) + reach_of(m, j);
    return way_between(m, a, b, most) < most || drawn_close(m, i, j);
}

// ---- points ---------------------------------------------------------------------------------

td_real tdi_tree_force(const void *body, const td_step_opts *o, td_real gap, td_real h) {
    const tdi_tree_model *m = ((const tdi_tree_state *)body)->model;
    td_real sum = 0, g = tdi_norm(o->gravity);
    for (int32_t k = 0; k < m->capsule_count; k++) {
        const tdi_body *b = &m->body[m->capsule_body[k]];
        sum += b->mass * (g + (h > 0 ? gap * m->capsule_radius[k] / (h * h) : 0));
    }
    return sum / (td_real)m->capsule_count;
}

void tdi_tree_points(const void *body, bool history, td_vec3 *x) {
    const tdi_tree_state *s = body;
    const tdi_tree_model *m = s->model;
    for (int32_t k = 0; k < m->capsule_count; k++) {
        const int32_t i = m->capsule_body[k];
        const td_vec3 o = history ? s->history[i].o : s->frame[i].o;
        const tdi_mat3 *r = history ? &s->history[i].r : &s->frame[i].r;
        x[2 * k] = tdi_add(o, tdi_mat3_apply(r, m->point[2 * k]));
        x[2 * k + 1] = tdi_add(o, tdi_mat3_apply(r, m->point[2 * k + 1]));
    }
}

// The point's lever from its body's joint.
static td_vec3 lever_of(const tdi_tree_state *s, int32_t point) {
    const tdi_tree_model *m = s->model;
    return tdi_mat3_apply(&s->frame[m->capsule_body[point / 2]].r, m->point[point]);
}

static td_vec3 velocity_of(const tdi_past *past, td_vec3 point) {
    return tdi_add(past->v, tdi_mat3_apply(&past->w, point));
}

void tdi_tree_velocities(void *body, td_vec3 *v) {
    const tdi_tree_state *s = body;
    const tdi_tree_model *m = s->model;
    for (int32_t k = 0; k < m->capsule_count; k++) {
        const int32_t i = m->capsule_body[k];
        v[2 * k] = velocity_of(&s->past[i], m->point[2 * k]);
        v[2 * k + 1] = velocity_of(&s->past[i], m->point[2 * k + 1]);
    }
}

void tdi_tree_moves(const void *body, bool response, td_vec3 *dx) {
    const tdi_tree_state *s = body;
    for (int32_t k = 0; k < 2 * s->model->capsule_count; k++) {
        const int32_t i = s->model->capsule_body[k / 2];
        const tdi_twist *move = response ? &s->twist[i] : &s->node[i].move;
        dx[k] = tdi_add(move->v, tdi_cross(move->w, lever_of(s, k)));
    }
}

// ---- turns ----------------------------------------------------------------------------------

// From where the step began: R_n, which BDF2 has in x* together with the rotation before, as
// (4 R_n - R_(n-1))/3. Rotation vectors from R_n on are then a, and -a_last one step earlier.
static td_vec3 turn_from_start(const tdi_tree_state *s, int32_t i) {
    return tdi_turn_between(s->past[i].turn, s->frame[i].turn);
}

td_vec3 tdi_tree_turned(const void *body, int32_t capsule) {
    const tdi_tree_state *s = body;
    const int32_t i = s->model->capsule_body[capsule];
    const td_vec3 a = turn_from_start(s, i);
    if (!s->head.rule.two) {
        return a;
    }
    const td_real again = tdi_again(&s->head.rule), back = 1 / again;
    tdi_mat3 last;
    for (int k = 0; k < 9; k++) {
        last.m[k] = (1 + back) * s->past[i].r.m[k] - back * s->history[i].r.m[k];
    }
    const td_quat before = tdi_quat_from_axes(tdi_mat3_column(&last, 0), tdi_mat3_column(&last, 1),
                                              tdi_mat3_column(&last, 2));
    return tdi_madd(a, tdi_turn_between(before, s->past[i].turn), -again);
}

td_vec3 tdi_tree_turns(const void *body, int32_t capsule, bool response) {
    const tdi_tree_state *s = body;
    const int32_t i = s->model->capsule_body[capsule];
    const tdi_turn turn = tdi_turn_of(turn_from_start(s, i));
    return tdi_turn_change(&turn, response ? s->twist[i].w : s->node[i].move.w);
}

td_vec3 tdi_tree_spin(void *body, int32_t capsule) {
    const tdi_tree_state *s = body;
    const tdi_past *past = &s->past[s->model->capsule_body[capsule]];
    const tdi_mat3 rate = tdi_mat3_mul_t(&past->w, &past->r);
    return tdi_scale(tdi_mat3_axial(&rate), 0.5);
}

// ---- terms ----------------------------------------------------------------------------------

static tdi_mat3 outer(td_vec3 a, td_vec3 b) {
    return (tdi_mat3){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                       a.z * b.y, a.z * b.z}};
}

// The Hessian about the place of contact; d leads from one end of the capsule to the other.
//   A = tilt_00 m m^T,  B = m (tilt_00 s_0 + tilt_01 s_1)^T,  m = d x n,
//   C = H + sum of tilt_ab s_a s_b^T, with half of the squares of s_0 + s_1 and s_0 - s_1 for the
//   mixed ones
static tdi_block block_of(const tdi_contact_side *t, td_vec3 d) {
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

// The moment that friction on the surface adds about the place on the axis, and its Hessian: with
// the turn a since the step began, the surface slips by arm n x J^-1 w more.
static void add_arm(const tdi_contact_side *t, const tdi_turn *turn, tdi_block *at, td_vec3 *n) {
    const td_vec3 arm = tdi_scale(t->normal, t->arm);
    td_vec3 row[3]; // of the axes: moments of forces along them
    tdi_mat3 k;
    for (int j = 0; j < 3; j++) {
        const td_vec3 force = {j == 0, j == 1, j == 2};
        row[j] = tdi_turn_moment(turn, tdi_cross(force, arm));
        k.m[j] = row[j].x;
        k.m[3 + j] = row[j].y;
        k.m[6 + j] = row[j].z;
    }
    const td_sym3 *h = &t->hessian;
    const td_real entry[3][3] = {
        {h->xx, h->xy, h->xz}, {h->xy, h->yy, h->yz}, {h->xz, h->yz, h->zz}};
    for (int i = 0; i < 3 && !t->rolling; i++) {
        for (int j = 0; j < 3; j++) {
            at->b.m[3 * i + j] += k.m[3 * i] * entry[0][j] + k.m[3 * i + 1] * entry[1][j] +
                                  k.m[3 * i + 2] * entry[2][j];
        }
    }
    at->a = tdi_sym3_add(at->a, tdi_sym3_turn(&k, h));
    *n = tdi_add(*n, tdi_mat3_apply(&k, t->force));
}

static tdi_block scaled(tdi_block b, td_real k) {
    b.a = tdi_sym3_scale(b.a, k);
    b.c = tdi_sym3_scale(b.c, k);
    for (int i = 0; i < 9; i++) {
        b.b.m[i] *= k;
    }
    return b;
}

// Friction on the surface turns the body as well, and rolling resistance does nothing else.
static void add_turn(tdi_tree_state *s, int32_t i, const tdi_contact_side *t, tdi_block *at,
                     td_vec3 *n) {
    const tdi_turn turn = tdi_turn_of(turn_from_start(s, i));
    tdi_node *node = &s->node[i];
    add_arm(t, &turn, at, n);
    if (!t->foreseen) {
        const td_vec3 moment = tdi_scale(tdi_cross(t->force, t->normal), t->arm * s->now->weight);
        node->geometric = tdi_sym3_add(node->geometric, tdi_turn_bend(&turn, moment));
    }
}

void tdi_tree_add_side(void *body, const tdi_contact_side *t) {
    tdi_tree_state *s = body;
    const td_real weight = s->now->weight;
    const int32_t i = s->model->capsule_body[t->capsule];
    tdi_node *node = tdi_node_open(s, i);
    const td_vec3 first = lever_of(s, 2 * t->capsule),
                  d = tdi_sub(lever_of(s, 2 * t->capsule + 1), first),
                  p = tdi_madd(first, d, t->weight[1]);
    tdi_block at = block_of(t, d);
    td_vec3 f = t->force, n = tdi_cross(p, f);
    if (t->rolling) {
        memset(&at, 0, sizeof at);
        f = n = tdi_vec3(0, 0, 0);
    }
    if (t->arm != 0) {
        add_turn(s, i, t, &at, &n);
    }
    at = scaled(at, weight);
    tdi_block_add(&node->block, &at, p);
    f = tdi_scale(f, weight);
    n = tdi_scale(n, weight);
    node->load = (tdi_wrench){tdi_add(node->load.n, n), tdi_add(node->load.f, f)};
    if (!t->foreseen) {
        node->geometric = tdi_sym3_add(node->geometric, tdi_geometric_stiffness(p, f));
        node->pull = tdi_add(node->pull, f);
        node->spin = tdi_add(node->spin, n);
    }
}

// ---- responses ------------------------------------------------------------------------------

void tdi_tree_open_pushes(tdi_tree_state *s) {
    const tdi_tree_model *m = s->model;
    for (int32_t k = 0; k < tdi_asked_count(s); k++) {
        const int32_t i = tdi_asked(s, k);
        memset(&s->twist[i], 0, sizeof s->twist[i]);
        if (m->kind[i] != TD_JOINT_BALL) {
            memset(s->other[m->other_place[i]].respond, 0, sizeof s->other[0].respond);
        }
    }
}

void tdi_tree_push_at(tdi_tree_state *s, int32_t i, td_vec3 lever, td_vec3 force, bool first) {
    const td_vec3 f = tdi_scale(force, -s->now->weight);
    if (first) {
        tdi_tree_open_pushes(s);
    }
    s->twist[i].w = tdi_add(s->twist[i].w, tdi_cross(lever, f));
    s->twist[i].v = tdi_add(s->twist[i].v, f);
}

void tdi_tree_push(void *body, int32_t point, td_vec3 force, bool first) {
    tdi_tree_state *s = body;
    const int32_t i = s->model->capsule_body[point / 2];
    tdi_tree_push_at(s, i, lever_of(s, point), force, first);
}

void tdi_tree_apply_moment(void *body, int32_t capsule, td_vec3 moment, bool first) {
    tdi_tree_state *s = body;
    const int32_t i = s->model->capsule_body[capsule];
    const tdi_turn turn = tdi_turn_of(turn_from_start(s, i));
    if (first) {
        tdi_tree_open_pushes(s);
    }
    s->twist[i].w = tdi_madd(s->twist[i].w, tdi_turn_moment(&turn, moment), -s->now->weight);
}

void tdi_tree_respond(void *body) {
    tdi_tree_state *s = body;
    tdi_sweep_respond(s->model, s);
}

void tdi_tree_absorb(void *body) {
    tdi_tree_state *s = body;
    for (int32_t i = 0; i < s->model->body_count; i++) {
        tdi_twist *move = &s->node[i].move;
        move->w = tdi_add(move->w, s->twist[i].w);
        move->v = tdi_add(move->v, s->twist[i].v);
    }
    for (int32_t k = 0; k < s->model->other_count; k++) {
        for (int d = 0; d < 6; d++) {
            s->other[k].step[d] += s->other[k].respond[d];
        }
    }
}
