// SPDX-License-Identifier: MIT
// Contact of rods with themselves, each other and colliders, inside Newton's method.
//
// Blocks   what a contact adds between the two ends of one capsule has the shape of the rods' own
//          matrix and is eliminated with it. What it adds between two capsules has not: those parts
//          are taken in by conjugate gradients, with the eliminated rest as their preconditioner.
// Barrier  its force is of the size of the rods' own forces and grows from step to step while gaps
//          are small, so that neither gaps nor the condition of the system get out of hand.

#include "rod/contacts.h"

#include "contact/contact.h"
#include "rod/pose.h"
#include "rod/solve.h"

#include <math.h>
#include <string.h>

#define PI           3.14159265358979323846
#define CG_STEPS     400
#define CG_TOLERANCE 1e-3 // of the residual, in the norm of the preconditioner
#define NARROW       0.1  // of the range: gaps below it make the barrier stronger
#define WIDE         0.4  // above it weaker
#define STRONGER     1.1  // a step: more at once would push what lies still
#define WEAKER       0.9
#define MOST_FORCE   1e6  // times the first
#define SHORTENINGS  6    // of an increment for which there is no room
#define CALM         0.1  // of a force, or of a speed: changes by less than this are small
#define FAINT        0.01 // of the barrier's force: what is less does not count

// ---- making ---------------------------------------------------------------------------------

static void lay_out(td_rod_contacts *c, tdi_layout *l) {
    const size_t states = (size_t)c->state_count, points = (size_t)c->point_count,
                 capsules = (size_t)c->capsule_count;
    tdi_layout_place(l, 1, sizeof *c);
    c->model = tdi_layout_place(l, states, sizeof *c->model);
    c->potential = tdi_layout_place(l, states, sizeof *c->potential);
    c->first = tdi_layout_place(l, states + 1, sizeof *c->first);
    c->first_ring = tdi_layout_place(l, states + 1, sizeof *c->first_ring);
    c->capsule_state = tdi_layout_place(l, capsules, sizeof *c->capsule_state);
    c->capsule_node = tdi_layout_place(l, capsules, sizeof *c->capsule_node);
    c->x = tdi_layout_place(l, points, sizeof *c->x);
    c->dx = tdi_layout_place(l, points, sizeof *c->dx);
    c->star = tdi_layout_place(l, points, sizeof *c->star);
    c->saved = tdi_layout_place(l, points, sizeof *c->saved);
    c->saved_border = tdi_layout_place(l, (size_t)c->ring_nodes, sizeof *c->saved_border);
    c->residual = tdi_layout_place(l, points, sizeof *c->residual);
    c->direction = tdi_layout_place(l, points, sizeof *c->direction);
    c->plain = tdi_layout_place(l, points, sizeof *c->plain);
    c->image = tdi_layout_place(l, points, sizeof *c->image);
    c->solved = tdi_layout_place(l, points, sizeof *c->solved);
}

// Ends of rods that are there only to hold them, and organs, touch nothing.
static bool touches(const tdi_rod_node *n) {
    return n->edge != TD_NONE && n->radius > 0 && !(n->flags & TDI_OFFSET);
}

// The way along the rod from the start of the later of two edges back to the earlier, m; no more
// than `most`, which is also the answer when there is none.
static td_real way_between(const td_rod_model *m, int32_t a, int32_t b, td_real most) {
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

// A rod of radius r bends no tighter than r itself: closer than half such a turn along the rod, two
// of its edges cannot touch.
static bool skip_pair(void *context, int32_t i, int32_t j) {
    const td_rod_contacts *c = context;
    if (c->capsule_state[i] != c->capsule_state[j]) {
        return false;
    }
    const td_rod_model *m = c->model[c->capsule_state[i]];
    int32_t a = c->capsule_node[i], b = c->capsule_node[j];
    td_real most = 0.5 * PI * (m->node[a].radius + m->node[b].radius);
    return way_between(m, a, b, most) < most;
}

static void fill_capsules(td_rod_contacts *c, tdi_capsule *capsules) {
    int32_t count = 0;
    for (int32_t k = 0; k < c->state_count; k++) {
        const td_rod_model *m = c->model[k];
        for (int32_t i = 0; i < m->node_count; i++) {
            if (touches(&m->node[i])) {
                c->capsule_state[count] = k;
                c->capsule_node[count] = i;
                capsules[count] = (tdi_capsule){c->first[k] + m->node[i].parent, c->first[k] + i,
                                                m->node[i].radius, count};
                count++;
            }
        }
    }
}

static td_status make_set(td_rod_contacts *c, int32_t collider_limit, td_diag *diag) {
    size_t count = (size_t)c->capsule_count;
    tdi_capsule *capsules = tdi_alloc_zeroed(c->alloc, count + 1, sizeof *capsules);
    if (!capsules) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contacts");
    }
    fill_capsules(c, capsules);
    tdi_contacts_def def = {.opts = &c->opts,
                            .capsule = capsules,
                            .capsule_count = c->capsule_count,
                            .point_count = c->point_count,
                            .collider_limit = collider_limit,
                            .skip = skip_pair,
                            .context = c};
    td_status status = tdi_contacts_new(&def, c->alloc, &c->set, diag);
    tdi_alloc_free(c->alloc, capsules, (count + 1) * sizeof *capsules);
    return status;
}

td_status td_rod_contacts_new(td_rod_state *const *states, int32_t count,
                              const td_contact_opts *opts, int32_t collider_limit,
                              const td_alloc *alloc, td_rod_contacts **out, td_diag *diag) {
    td_rod_contacts sizes = {.state_count = count};
    tdi_layout layout = {0};
    *out = NULL;
    td_status status = td_contact_opts_check(opts, diag);
    if (status != TD_OK) {
        return status;
    }
    if (count < 1 || !states || collider_limit < 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "there must be at least one rod");
    }
    for (int32_t k = 0; k < count; k++) {
        const td_rod_model *m = states[k]->model;
        sizes.point_count += m->node_count;
        sizes.ring_nodes += m->ring_nodes;
        for (int32_t i = 0; i < m->node_count; i++) {
            sizes.capsule_count += touches(&m->node[i]);
        }
    }
    lay_out(&sizes, &layout);
    td_rod_contacts *c = tdi_alloc_zeroed(alloc, 1, layout.used);
    if (!c) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for contacts");
    }
    size_t bytes = layout.used;
    *c = sizes;
    layout = (tdi_layout){.base = (char *)c};
    lay_out(c, &layout);
    c->alloc = alloc;
    c->bytes = bytes;
    c->opts = *opts;
    for (int32_t k = 0; k < count; k++) {
        c->model[k] = states[k]->model;
        c->first[k + 1] = c->first[k] + states[k]->model->node_count;
        c->first_ring[k + 1] = c->first_ring[k] + states[k]->model->ring_nodes;
    }
    status = make_set(c, collider_limit, diag);
    if (status != TD_OK) {
        td_rod_contacts_free(c);
        return status;
    }
    *out = c;
    return TD_OK;
}

void td_rod_contacts_free(td_rod_contacts *c) {
    if (c) {
        tdi_contacts_free(c->set);
        tdi_alloc_free(c->alloc, c, c->bytes);
    }
}

// ---- steps ----------------------------------------------------------------------------------

static void gather(const tdi_rod_system *y) {
    td_rod_contacts *c = y->contacts;
    for (int32_t k = 0; k < y->count; k++) {
        const td_rod_state *s = y->state[k];
        for (int32_t i = 0; i < s->model->node_count; i++) {
            c->x[c->first[k] + i] = s->pose[i].x;
        }
    }
}

// The size of the rods' own forces: of joints that bend by about one, of weight, and of what stops
// a vertex within a range and a step.
static td_real first_force(const tdi_rod_system *y, td_real h) {
    td_real sum = 0;
    int64_t count = 0;
    for (int32_t k = 0; k < y->count; k++) {
        const td_rod_model *m = y->state[k]->model;
        td_real g = tdi_norm(y->potential[k].gravity);
        for (int32_t i = 0; i < m->node_count; i++) {
            const tdi_rod_node *n = &m->node[i];
            if (touches(n)) {
                td_real range = y->contacts->opts.gap * n->radius;
                sum += 0.1 * (n->law.bend[0] + n->law.bend[2]) / n->length +
                       n->heft * (g + (h > 0 ? range / (h * h) : 0));
                count++;
            }
        }
    }
    return count > 0 && sum > 0 ? sum / (td_real)count : 1;
}

td_status tdi_rod_contacts_begin(const tdi_rod_system *y, const td_collider *colliders,
                                 int32_t collider_count, td_real dt, td_real h, td_diag *diag) {
    td_rod_contacts *c = y->contacts;
    td_status status = tdi_contacts_colliders(c->set, colliders, collider_count, dt, diag);
    if (status != TD_OK) {
        return status;
    }
    c->collider_count = collider_count;
    c->time = 0;
    gather(y);
    for (int32_t k = 0; k < y->count; k++) {
        for (int32_t i = 0; i < y->state[k]->model->node_count; i++) {
            c->star[c->first[k] + i] = y->state[k]->rule[i].star;
        }
    }
    c->force = fmax(c->force, first_force(y, h));
    c->rule = (tdi_contact_rule){.force = c->force, .star = c->star, .h = h};
    status = tdi_contacts_find(c->set, c->x, NULL, diag);
    return status == TD_OK ? tdi_contacts_lag(c->set, c->x, 0, c->force, diag) : status;
}

td_status tdi_rod_contacts_filter(const tdi_rod_system *y, td_real *part, td_diag *diag) {
    td_rod_contacts *c = y->contacts;
    for (int32_t k = 0; k < y->count; k++) {
        td_rod_state *s = y->state[k];
        for (int32_t i = 0; i < s->model->node_count; i++) {
            td_vec3 dx = tdi_sub(s->pose[i].x, s->pose_back[i].x);
            c->x[c->first[k] + i] = s->pose_back[i].x;
            c->dx[c->first[k] + i] = dx;
            s->step[i].x[0] = dx.x;
            s->step[i].x[1] = dx.y;
            s->step[i].x[2] = dx.z;
        }
    }
    td_status status = tdi_contacts_find(c->set, c->x, c->dx, diag);
    td_real whole = 1;
    for (int32_t k = 0; status == TD_ERR_LIMIT && k < SHORTENINGS;
         k++) { // all is near on long ways
        whole *= 0.25;
        for (int32_t i = 0; i < c->point_count; i++) {
            c->dx[i] = tdi_scale(c->dx[i], 0.25);
        }
        status = tdi_contacts_find(c->set, c->x, c->dx, diag);
    }
    td_real end = c->time + whole * (1 - c->time);
    *part = status == TD_OK ? whole * tdi_contacts_filter(c->set, c->x, c->dx, c->time, end) : 0;
    return status;
}

void tdi_rod_contacts_advance(const tdi_rod_system *y, td_real part) {
    td_rod_contacts *c = y->contacts;
    c->time = part >= 1 ? 1 : c->time + part * (1 - c->time);
}

// ---- terms ----------------------------------------------------------------------------------

// The node of a point, and its state.
static td_rod_state *node_of(const tdi_rod_system *y, int32_t capsule, int32_t point, int32_t *i) {
    const td_rod_contacts *c = y->contacts;
    int32_t k = c->capsule_state[capsule];
    *i = point - c->first[k];
    return y->state[k];
}

static void to_block(const tdi_mat3 *h, td_real out[4][4]) {
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            out[k][l] = h->m[3 * k + l];
        }
        out[k][3] = out[3][k] = 0;
    }
    out[3][3] = 0;
}

// One side of a contact: the gradient on its two ends, and the blocks between them.
static void add_side(const tdi_rod_system *y, const tdi_contact *t, int first, int32_t capsule) {
    td_real block[4][4];
    for (int a = first; a < first + 2; a++) {
        int32_t i, j;
        td_rod_state *s = node_of(y, capsule, t->point[a], &i);
        s->work[i].r[0] += t->weight[a] * t->force.x;
        s->work[i].r[1] += t->weight[a] * t->force.y;
        s->work[i].r[2] += t->weight[a] * t->force.z;
        for (int b = a; b < first + 2; b++) {
            tdi_mat3 h = tdi_contact_block(t, a, b);
            node_of(y, capsule, t->point[b], &j);
            to_block(&h, block);
            tdi_rod_block_add(s, i, j, block);
        }
    }
}

td_status tdi_rod_contacts_terms(const tdi_rod_system *y, bool *coupled, td_diag *diag) {
    td_rod_contacts *c = y->contacts;
    td_real energy;
    int32_t count;
    gather(y);
    c->driven = false;
    for (int32_t k = 0; k < y->count; k++) {
        c->driven = tdi_rod_carry_held(y->state[k]) || c->driven;
    }
    *coupled = c->driven;
    c->rule.ahead = 1 - c->time;
    // all places since the step began were covered when their increments were filtered
    td_status status = tdi_contacts_evaluate(c->set, c->x, c->time, &c->rule, &energy, diag);
    if (status != TD_OK) {
        return status;
    }
    const tdi_contact *list = tdi_contacts_list(c->set, &count);
    for (int32_t k = 0; k < count; k++) {
        add_side(y, &list[k], 0, list[k].capsule);
        if (list[k].other < c->capsule_count) {
            add_side(y, &list[k], 2, list[k].other);
            *coupled = true;
        }
    }
    return TD_OK;
}

td_real tdi_rod_contacts_value(const tdi_rod_system *y) {
    gather(y);
    return tdi_contacts_energy(y->contacts->set, y->contacts->x, y->contacts->time,
                               &y->contacts->rule);
}

// The increment of where the two sides of a contact are against each other.
static td_vec3 slip_of(const tdi_rod_system *y, const tdi_contact *t) {
    td_vec3 sum = tdi_vec3(0, 0, 0);
    for (int a = 0; a < (t->other < y->contacts->capsule_count ? 4 : 2); a++) {
        int32_t i;
        const td_rod_state *s = node_of(y, a < 2 ? t->capsule : t->other, t->point[a], &i);
        const td_real *x = s->step[i].x;
        sum = tdi_madd(sum, tdi_vec3(x[0], x[1], x[2]), t->weight[a]);
    }
    return sum;
}

// Across the force the Hessian of friction is force over speed and h: that gives the speed.
static bool slides_on(const tdi_contact *t, td_vec3 slip, td_real h, td_real creep, td_real least) {
    td_real size = tdi_norm(t->force), across = t->hessian.xx + t->hessian.yy + t->hessian.zz;
    if (size > 0) {
        td_vec3 u = tdi_scale(t->force, 1 / size);
        across -= tdi_dot(u, tdi_sym3_apply(&t->hessian, u));
    }
    td_real speed = fmax(across > 0 ? size / (h * across) : 0, creep);
    return h * across * speed <= least || tdi_norm(slip) <= CALM * h * speed;
}

bool tdi_rod_contacts_calm(const tdi_rod_system *y) {
    const td_rod_contacts *c = y->contacts;
    const td_real least = FAINT * c->force;
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(c->set, &count);
    for (int32_t k = 0; k < count; k++) {
        const tdi_contact *t = &list[k];
        td_vec3 slip = slip_of(y, t), change = tdi_sym3_apply(&t->hessian, slip);
        if (t->friction ? !slides_on(t, slip, c->rule.h, c->opts.creep, least)
                        : tdi_norm(change) > CALM * tdi_norm(t->force) + least) {
            return false;
        }
    }
    return true;
}

// ---- conjugate gradients --------------------------------------------------------------------

void tdi_rod_contacts_save(const tdi_rod_system *y) {
    td_rod_contacts *c = y->contacts;
    for (int32_t k = 0; k < y->count; k++) {
        const td_rod_state *s = y->state[k];
        memcpy(c->saved + c->first[k], s->work, (size_t)s->model->node_count * sizeof *s->work);
        memcpy(c->saved_border + c->first_ring[k], s->border,
               (size_t)s->model->ring_nodes * sizeof *s->border);
    }
}

static inline td_vec3 place_of(const td_real (*x)[4], int32_t point) {
    return tdi_vec3(x[point][0], x[point][1], x[point][2]);
}

static inline void add_place(td_real (*image)[4], int32_t point, td_vec3 v) {
    image[point][0] += v.x;
    image[point][1] += v.y;
    image[point][2] += v.z;
}

// What the blocks between the two capsules of a contact add: those of the model, without `slide`,
//   weight_k weight_l H -+ tilt n n^T, with - where both ends are first or both are second.
static void multiply_cross(const tdi_contact *t, const td_real (*x)[4], td_real (*image)[4]) {
    td_vec3 p[4];
    for (int k = 0; k < 4; k++) {
        p[k] = place_of(x, t->point[k]);
    }
    const td_real *w = t->weight;
    td_vec3 own = tdi_madd(tdi_scale(p[0], w[0]), p[1], w[1]),
            other = tdi_madd(tdi_scale(p[2], w[2]), p[3], w[3]);
    td_vec3 to_own = tdi_sym3_apply(&t->hessian, other),
            to_other = tdi_sym3_apply(&t->hessian, own);
    td_real turn_own = t->tilt[1] * tdi_dot(t->normal, tdi_sub(p[3], p[2])),
            turn_other = t->tilt[1] * tdi_dot(t->normal, tdi_sub(p[1], p[0]));
    add_place(image, t->point[0], tdi_madd(tdi_scale(to_own, w[0]), t->normal, turn_own));
    add_place(image, t->point[1], tdi_madd(tdi_scale(to_own, w[1]), t->normal, -turn_own));
    add_place(image, t->point[2], tdi_madd(tdi_scale(to_other, w[2]), t->normal, turn_other));
    add_place(image, t->point[3], tdi_madd(tdi_scale(to_other, w[3]), t->normal, -turn_other));
}

// Adds what couples capsules to H x.
static void add_coupling(const tdi_rod_system *y, const td_real (*x)[4], td_real (*image)[4]) {
    td_rod_contacts *c = y->contacts;
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(c->set, &count);
    for (int32_t k = 0; k < count; k++) {
        if (list[k].other < c->capsule_count) {
            multiply_cross(&list[k], x, image);
        }
    }
    for (int32_t k = 0; k < y->count; k++) { // it may have reached what is held
        for (int32_t i = 0; i < c->model[k]->node_count; i++) {
            if (c->model[k]->node[i].flags & TDI_HELD_PLACE) {
                memset(image[c->first[k] + i], 0, 3 * sizeof(td_real));
            }
        }
    }
}

// image = H x
static void multiply(const tdi_rod_system *y, const td_real (*x)[4], td_real (*image)[4]) {
    td_rod_contacts *c = y->contacts;
    for (int32_t k = 0; k < y->count; k++) {
        tdi_rod_multiply(c->model[k], c->saved + c->first[k],
                         (const td_real(*)[4][8])(c->saved_border + c->first_ring[k]),
                         x + c->first[k], image + c->first[k]);
    }
    add_coupling(y, x, image);
}

// out = (what was eliminated)^-1 r
static void precondition(const tdi_rod_system *y, const td_real (*r)[4], td_real (*out)[4]) {
    const td_rod_contacts *c = y->contacts;
    for (int32_t k = 0; k < y->count; k++) {
        td_rod_state *s = y->state[k];
        for (int32_t i = 0; i < s->model->node_count; i++) {
            for (int d = 0; d < 4; d++) {
                s->work[i].r[d] = -r[c->first[k] + i][d];
            }
        }
        tdi_rod_solve(s);
        for (int32_t i = 0; i < s->model->node_count; i++) {
            memcpy(out[c->first[k] + i], s->step[i].x, sizeof *out);
        }
    }
}

static td_real dot(const td_real (*a)[4], const td_real (*b)[4], int32_t count) {
    td_real sum = 0;
    for (int32_t i = 0; i < count; i++) {
        sum += a[i][0] * b[i][0] + a[i][1] * b[i][1] + a[i][2] * b[i][2] + a[i][3] * b[i][3];
    }
    return sum;
}

// The eliminated part E of H is never multiplied with: the direction is p = z + keep p with E z =
// r, so that E p = r + keep E p.
#define CONST4(v) ((const td_real(*)[4])(v))

// What is held goes on to where it shall be: residual -= H times that, so that what it pushes goes
// with it.
static void foresee(const tdi_rod_system *y) {
    td_rod_contacts *c = y->contacts;
    memset(c->direction, 0, (size_t)c->point_count * sizeof *c->direction);
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_rod_node *node = c->model[k]->node;
        tdi_rod_carry_held(y->state[k]);
        for (int32_t i = 0; i < c->model[k]->node_count; i++) {
            for (int d = 0; d < (tdi_has_edge(&node[i]) ? 4 : 3); d++) {
                bool held = node[i].flags & (d < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN);
                c->direction[c->first[k] + i][d] = held ? y->state[k]->step[i].x[d] : 0;
            }
        }
    }
    multiply(y, CONST4(c->direction), c->image);
    for (int32_t i = 0; i < c->point_count; i++) {
        for (int d = 0; d < 4; d++) {
            c->residual[i][d] -= c->image[i][d];
        }
    }
}

td_real tdi_rod_contacts_solve(const tdi_rod_system *y) {
    td_real promise = 0;
    td_rod_contacts *c = y->contacts;
    const int32_t n = c->point_count;
    td_real(*x)[4] = (td_real(*)[4])c->solved, (*z)[4] = c->image;
    for (int32_t k = 0; k < y->count; k++) {
        const tdi_rod_node *node = c->model[k]->node;
        for (int32_t i = 0; i < c->model[k]->node_count; i++) {
            for (int d = 0; d < 4; d++) {
                bool held = node[i].flags & (d < 3 ? TDI_HELD_PLACE : TDI_HELD_TURN);
                c->residual[c->first[k] + i][d] = held ? 0 : -c->saved[c->first[k] + i].r[d];
            }
        }
    }
    if (c->driven) {
        foresee(y);
    }
    memset(x, 0, (size_t)n * sizeof *x);
    precondition(y, CONST4(c->residual), z);
    memcpy(c->direction, z, (size_t)n * sizeof *z);
    memcpy(c->plain, c->residual, (size_t)n * sizeof *z);
    td_real size = dot(CONST4(c->residual), CONST4(z), n), first = size;
    for (int32_t k = 0; k < CG_STEPS && size > CG_TOLERANCE * CG_TOLERANCE * first; k++) {
        memcpy(c->image, c->plain, (size_t)n * sizeof *c->image);
        add_coupling(y, CONST4(c->direction), c->image);
        td_real along = dot(CONST4(c->direction), CONST4(c->image), n);
        if (!(along > 0)) {
            break;
        }
        td_real part = size / along;
        for (int32_t i = 0; i < n; i++) {
            for (int d = 0; d < 4; d++) {
                x[i][d] += part * c->direction[i][d];
                c->residual[i][d] -= part * c->image[i][d];
            }
        }
        precondition(y, CONST4(c->residual), z);
        td_real next = dot(CONST4(c->residual), CONST4(z), n), keep = next / size;
        size = next;
        for (int32_t i = 0; i < n; i++) {
            for (int d = 0; d < 4; d++) {
                c->direction[i][d] = z[i][d] + keep * c->direction[i][d];
                c->plain[i][d] = c->residual[i][d] + keep * c->plain[i][d];
            }
        }
    }
    for (int32_t k = 0; k < y->count; k++) {
        memcpy(y->state[k]->step, x + c->first[k],
               (size_t)c->model[k]->node_count * sizeof *y->state[k]->step);
    }
    for (int32_t i = 0; i < n; i++) {
        for (int d = 0; d < 4; d++) {
            promise -= c->saved[i].r[d] * x[i][d];
        }
    }
    return promise;
}

bool tdi_rod_contacts_arrived(const tdi_rod_system *y) {
    bool left = y->contacts->time < 1;
    for (int32_t k = 0; k < y->count; k++) {
        left = tdi_rod_carry_held(y->state[k]) || left;
    }
    return !left;
}

// ---- between steps --------------------------------------------------------------------------

void tdi_rod_contacts_end(const tdi_rod_system *y) {
    td_rod_contacts *c = y->contacts;
    int32_t which[2];
    gather(y);
    td_real least = tdi_contacts_least(c->set, c->x, c->time, which),
            start = first_force(y, c->rule.h);
    if (which[0] == TD_NONE) {
        c->force = start;
        return;
    }
    const td_rod_model *m = c->model[c->capsule_state[which[0]]];
    td_real range = c->opts.gap * m->node[c->capsule_node[which[0]]].radius;
    c->force *= least < NARROW * range ? STRONGER : least > WIDE * range ? WEAKER : 1;
    c->force = fmin(fmax(c->force, start), MOST_FORCE * start);
}
