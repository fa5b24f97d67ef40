// SPDX-License-Identifier: MIT
// Bodies of several solvers that contact and constraints couple, against dense algebra. Pairs with
// src/implicit/coupled.c and gradients.c.
//
// Dense    Bodies respond alone to forces at all places: points, turns of capsules, rows of
//          constraints. With their response W, the coupling C of contacts between sides, and
//          -K_a/2 of rows, the motion y of all places solves y = y0 - W C y.

#include "cases/dense.h"
#include "test_coupling.h"
#include "test_world_support.h"

#include "implicit/constraint.h"
#include "implicit/body_contact.h"
#include "world/world.h"

enum { MOST = 480 }; // coordinates of places

typedef td_real square[MOST][MOST];

typedef struct rig {
    stage stage;
    tdi_system system;
    tdi_body_contact *contact;
    tdi_constraint_set *constraints;
    int32_t points, rows, count; // coordinates: points and turns, then rows
} rig;

// ---- making ---------------------------------------------------------------------------------

#define BODY(name, solver, y, z, more)                                                           \
    "{name: " name ", solver: " solver ", start: drawn, position: [0, " y ", " z "],\n"          \
    " strand: {points: [[0, 0, 0], [0.2, 0, 0]], segments: 5, radius: 0.005, density: 1000" more \
    "}},\n"
#define CLAMPED ", end: {held: clamped}"

// Two rods that touch. A tree and a helix are joined to them, and to each other.
static const char rods_touch[] = "{contact: {}, objects: [" BODY("one", "rod", "0.5", "0", CLAMPED)
    BODY("two", "rod", "0.5", "0.0105", "") BODY("tree", "tree", "0.45", "0", "")
        BODY("helix", "helix", "0.45", "0.04",
             "") "],\n constraints: [{weld: {a: {object: two, segment: 2}, b: {object: helix, "
                 "segment: 1}}},\n"
                 " {distance: {a: {object: one, segment: 3}, b: {object: tree, segment: 2}}},\n"
                 " {distance: {a: {object: one, segment: 1}, b: {object: two, segment: 3}}},\n"
                 " {distance: {a: {object: tree, segment: 3}, b: {object: helix, segment: 3}}}]}";

// The tree touches a rod.
static const char tree_touches[] = "{contact: {}, objects: [" BODY("one", "rod", "0.5", "0",
                                                                   CLAMPED)
    BODY("two", "rod", "0.5", "0.0105", "") BODY("tree", "tree", "0.5", "0.021", "")
        BODY("helix", "helix", "0.45", "0.04",
             "") "],\n constraints: [{weld: {a: {object: two, segment: 2}, b: {object: helix, "
                 "segment: 1}}},\n"
                 " {distance: {a: {object: one, segment: 1}, b: {object: two, segment: 3}}},\n"
                 " {distance: {a: {object: tree, segment: 3}, b: {object: helix, segment: 3}}}]}";

// Evaluated in the first iteration of a step.
static bool rig_open(const char *text, rig *r) {
    const tdi_rule rule = {.dt = 0.01, .h = 0.01, .part = 1, .in_contact = true};
    *r = (rig){.stage = stage_of(text)};
    td_world *w = r->stage.world;
    steps(w, 1);
    if (!CHECK_SAY(w && w->islands.count == 1, "they are not one island")) {
        return false;
    }
    r->system = tdi_island_system(w, &w->islands.all[0]);
    const tdi_system *y = &r->system;
    r->contact = y->contact;
    r->constraints = y->constraints;
    r->points = y->contact->point_count;
    r->rows = 3 * (r->points + y->contact->capsule_count);
    r->count = r->rows + TDI_GROUP_ROWS * y->constraints->group_count;
    for (int32_t k = 0; k < y->count; k++) {
        tdi_state_begin(y->member[k].body, y->member[k].opts, &rule);
    }
    tdi_constraints_begin(y->constraints, y, rule.h, 1);
    CHECK_INT(tdi_body_contact_begin(y->contact, y, rule.dt, rule.h, 0, 1, NULL), TD_OK);
    CHECK_INT(tdi_body_contact_evaluate(y->contact, y, false, false, NULL), TD_OK);
    tdi_constraints_evaluate(y->constraints, y);
    CHECK(y->contact->terms.couples_capsules);
    return CHECK_SAY(!y->constraints->next && r->count <= MOST, "%d coordinates", r->count);
}

// Factors all bodies, or fills the blocks of bodies in a coupled system; then solves for the
// increments of all other bodies.
static void factor_bodies(const rig *r) {
    const tdi_system *y = &r->system;
    td_real none = 0;
    for (int32_t k = 0; k < y->count; k++) {
        td_body *body = y->member[k].body;
        if (body->ops->clear) {
            body->ops->clear(body);
        }
    }
    tdi_body_contact_add_stiffness(y);
    tdi_constraints_expand(y->constraints, y, false, false);
    tdi_coupled_open(y);
    for (int32_t k = 0; k < y->count; k++) {
        td_body *body = y->member[k].body;
        const tdi_model model = {.keep_factors = true, .blocks = tdi_is_coupled(body)};
        CHECK(body->ops->factor(body, &model) != TDI_NOT_POSITIVE);
        if (!tdi_is_coupled(body)) {
            body->ops->solve(body, (tdi_solving){0}, &none);
            tdi_coupled_add_schur(y, k);
        }
    }
}

static void factor_alone(const rig *r) {
    const tdi_system *y = &r->system;
    for (int32_t k = 0; k < y->count; k++) {
        y->member[k].body->coupling.system = NULL;
    }
    y->constraints->solve.system = NULL;
    y->contact->solve.one_system = false;
    factor_bodies(r);
}

// ---- places ---------------------------------------------------------------------------------

static const tdi_row_group *row_of(const rig *r, int32_t q, int32_t *row) {
    *row = (q - r->rows) % TDI_GROUP_ROWS;
    return &r->constraints->group[(q - r->rows) / TDI_GROUP_ROWS];
}

static bool has_row(const rig *r, int32_t q) {
    int32_t row;
    const tdi_row_group *b = row_of(r, q, &row);
    return b->node != TD_NONE && tdi_has_row(b, row);
}

static void push(const rig *r, int32_t q, td_real force) {
    const tdi_body_contact *t = r->contact;
    const int32_t place = q / 3, i = place - t->point_count;
    const td_vec3 f = {force * (q % 3 == 0), force * (q % 3 == 1), force * (q % 3 == 2)};
    if (q >= r->rows) {
        int32_t row;
        const tdi_row_group *b = row_of(r, q, &row);
        for (int32_t k = 0; has_row(r, q) && k < r->constraints->member_count; k++) {
            tdi_row_apply(r->constraints, b, tdi_constraints_member(r->constraints, &r->system, k),
                          k, row, force);
        }
    } else if (i < 0) {
        const int32_t k = t->point_owner[place];
        tdi_state_apply_forces(r->system.member[k].body, tdi_nodes(place - t->first_point[k], 1),
                               &f);
    } else if (tdi_contacts_turns(t->set, i)) {
        const int32_t k = t->owner[i];
        tdi_state_apply_forces(r->system.member[k].body, tdi_rotation_of(i - t->first_capsule[k]),
                               &f);
    }
}

static void read(const rig *r, bool response, td_real *x) {
    const tdi_body_contact *t = r->contact;
    td_vec3 *moved = (td_vec3 *)x;
    memset(x, 0, (size_t)r->count * sizeof *x);
    for (int32_t k = 0; k < r->system.count; k++) {
        td_body *body = r->system.member[k].body;
        tdi_state_motions(body, tdi_all_nodes(body), response, moved + t->first_point[k]);
    }
    for (int32_t i = 0; i < t->capsule_count; i++) {
        const int32_t k = t->owner[i];
        if (tdi_contacts_turns(t->set, i)) {
            tdi_state_motions(r->system.member[k].body, tdi_rotation_of(i - t->first_capsule[k]),
                              response, &moved[t->point_count + i]);
        }
    }
    for (int32_t k = 0; k < r->constraints->member_count; k++) {
        const tdi_member *m = tdi_constraints_member(r->constraints, &r->system, k);
        tdi_constraints_gather_member(r->constraints, m, k, response);
    }
    for (int32_t q = r->rows; q < r->count; q++) {
        int32_t row;
        const tdi_row_group *b = row_of(r, q, &row);
        for (int32_t k = 0; has_row(r, q) && k < r->constraints->member_count; k++) {
            x[q] += tdi_row_displacement(r->constraints, b, k, row);
        }
    }
}

static void respond(const rig *r, td_real *x) {
    for (int32_t k = 0; k < r->system.count; k++) {
        tdi_state_respond(r->system.member[k].body);
    }
    read(r, true, x);
}

// ---- dense ----------------------------------------------------------------------------------

static void fill_coupling(const rig *r, bool contact, square c) {
    int32_t count;
    const tdi_contact *list = tdi_contacts_list(r->contact->set, &count);
    memset(c, 0, sizeof(square));
    for (int32_t i = 0; contact && i < count; i++) {
        if (tdi_contact_couples(r->contact, &list[i])) {
            test_add_coupling(&list[i], r->points, c[0], MOST);
        }
    }
    for (int32_t q = r->rows; q < r->count; q++) {
        int32_t row;
        const tdi_row_group *b = row_of(r, q, &row);
        c[q][q] = has_row(r, q) ? -b->stiff[row] / 2 : 0;
    }
}

// m = I + W C
static void fill_matrix(const rig *r, square c, square m) {
    memset(m, 0, sizeof(square));
    for (int32_t q = 0; q < r->count; q++) {
        td_real moved[MOST];
        push(r, q, 1);
        respond(r, moved);
        for (int32_t i = 0; i < r->count; i++) {
            for (int32_t j = 0; moved[i] != 0 && j < r->count; j++) {
                m[i][j] += moved[i] * c[q][j];
            }
        }
        m[q][q] += 1;
    }
}

// Motions of all places by the increments; or, with `force`, by forces at points that are random.
static void solve_dense(const rig *r, const td_real *force, td_real *x) {
    static square c, m;
    factor_alone(r);
    read(r, false, x);
    fill_coupling(r, !force, c);
    fill_matrix(r, c, m);
    for (int32_t q = 0; force && q < 3 * r->points; q++) {
        push(r, q, force[q]);
    }
    if (force) {
        respond(r, x);
    }
    dense_eliminate(m[0], MOST, x, r->count);
}

// Rows are forces over their stiffness: points and turns are compared.
static void claim_same(const rig *r, const td_real *got, const td_real *want, td_real within,
                       const char *name) {
    td_real off = 0, size = 0;
    for (int32_t q = 0; q < r->rows; q++) {
        off = fmax(off, fabs(got[q] - want[q]));
        size = fmax(size, fabs(want[q]));
    }
    CHECK_SAY(size > 1e-6 && off <= within * size, "%s: off by %g of %g", name, off, size);
}

// ---- claims ---------------------------------------------------------------------------------

static void solve_coupled(const rig *r, td_real *x) {
    td_real predicted_decrease = 0;
    factor_bodies(r);
    CHECK(tdi_coupled_factor(&r->system));
    tdi_coupled_solve(&r->system, &predicted_decrease);
    for (int32_t k = 0; k < r->system.count; k++) {
        tdi_coupled_update_increments(&r->system, k);
    }
    CHECK(predicted_decrease > 0);
    read(r, false, x);
}

TD_TEST(coupled_rods_that_touch_a_tree_and_a_helix_move_as_dense_algebra_says) {
    rig r;
    td_real got[MOST], want[MOST];
    if (rig_open(rods_touch, &r)) {
        CHECK(tdi_coupled_choose(&r.system));
        solve_coupled(&r, got);
        solve_dense(&r, NULL, want);
        claim_same(&r, got, want, 1e-7, "increments");
    }
    stage_free(&r.stage);
}

// The preconditioner of conjugate gradients: rods by the factor of constraints, others by their
// own.
TD_TEST(coupled_bodies_that_constraints_join_respond_to_contact_as_dense_algebra_says) {
    rig r;
    td_real got[MOST], want[MOST], force[MOST];
    if (rig_open(tree_touches, &r)) {
        CHECK(!tdi_coupled_choose(&r.system) && tdi_coupled_any(&r.system));
        solve_coupled(&r, got);
        for (int32_t q = 0; q < 3 * r.points; q++) {
            force[q] = sin(1.7 * q);
            push(&r, q, force[q]);
        }
        tdi_coupled_respond(&r.system);
        for (int32_t q = 0; q < 3 * r.points; q++) {
            const td_body *body = r.system.member[r.contact->point_owner[q / 3]].body;
            if (!tdi_is_coupled(body)) {
                push(&r, q, force[q]);
            }
        }
        for (int32_t k = 0; k < r.system.count; k++) {
            if (!tdi_is_coupled(r.system.member[k].body)) {
                tdi_state_respond(r.system.member[k].body);
            }
        }
        read(&r, true, got);
        solve_dense(&r, force, want);
        claim_same(&r, got, want, 1e-7, "responses");
    }
    stage_free(&r.stage);
}

// Conjugate gradients stop at a thousandth of the predicted decrease. A small one makes them
// continue.
TD_TEST(coupled_tree_that_touches_a_rod_moves_as_dense_algebra_says) {
    rig r;
    td_real got[MOST], want[MOST], predicted_decrease = 1e-12;
    int64_t taken = 0;
    if (rig_open(tree_touches, &r)) {
        CHECK(!tdi_coupled_choose(&r.system));
        solve_coupled(&r, got);
        CHECK(tdi_conjugate_gradients_solve(r.contact, &r.system, &predicted_decrease, &taken));
        CHECK(taken > 0);
        read(&r, false, got);
        solve_dense(&r, NULL, want);
        claim_same(&r, got, want, 1e-5, "increments");
    }
    stage_free(&r.stage);
}

TD_TEST(coupled_order_is_kept_while_pairs_and_constraints_are_the_same) {
    rig r;
    td_real got[MOST], want[MOST];
    if (rig_open(rods_touch, &r)) {
        tdi_sparse *s = r.contact->solve.coupled->sparse;
        CHECK(tdi_coupled_choose(&r.system));
        solve_coupled(&r, want);
        s->link_count = 0; // an order that is made again has its links again
        CHECK(tdi_coupled_choose(&r.system));
        CHECK_INT(s->link_count, 0);
        solve_coupled(&r, got);
        CHECK(memcmp(got, want, (size_t)r.count * sizeof *got) == 0);
        r.contact->solve.coupled->pair_count--;
        CHECK(tdi_coupled_choose(&r.system));
        CHECK(s->link_count > 0);
        solve_coupled(&r, got);
        CHECK(memcmp(got, want, (size_t)r.count * sizeof *got) == 0);
    }
    stage_free(&r.stage);
}
