// SPDX-License-Identifier: MIT
// Constraints on every solver of the table, and between any two of them. Pairs with
// src/implicit/constraint.h.

#include "tendril/island.h"
#include "test_conform_support.h"

#define MET   1e-8 // m: Newton's method ends at a tenth of it
#define SLACK 1e-8 // J: of weight, by what a bond may be off

enum { SIDES = 2, MOST_HELD = 3 };

// One or two subjects in an island, held by constraints.
typedef struct held {
    subject s[SIDES];
    int32_t count;
    td_island *island;
    td_step_opts opts[SIDES];
    td_step_stats stats;
    const td_contact_opts *touch; // NULL: nothing touches
    td_collider collider;         // with contact
    char name[64];
} held;

static void make_island(held *h, const td_constraint *constraints, int32_t count, td_real dt) {
    td_body *refs[SIDES];
    td_diag diag = {.message = ""};
    for (int32_t k = 0; k < h->count; k++) {
        refs[k] = h->s[k].state;
        h->opts[k] = td_step_opts_default();
        h->opts[k].dt = dt;
        h->opts[k].iterations = 50;
        h->opts[k].tolerance = 1e-11;
    }
    CHECK_INT(td_island_new(refs, h->count, h->touch, h->touch ? 1 : 0, NULL, &h->island, &diag),
              TD_OK);
    CHECK_SAY(td_island_constrain(h->island, constraints, count, &diag) == TD_OK, "%s: %s", h->name,
              diag.message);
}

static void open_alone(held *h, const tdi_solver *solver, const td_constraint *constraints,
                       int32_t count, td_real dt) {
    *h = (held){.count = 1};
    h->s[0] = subject_new(solver, HELD, NULL);
    snprintf(h->name, sizeof h->name, "%s", solver->info.name);
    make_island(h, constraints, count, dt);
}

static void close_held(held *h) {
    td_island_free(h->island);
    for (int32_t k = 0; k < h->count; k++) {
        subject_free(&h->s[k]);
    }
}
OWNED_VALUE(held, close_held(value))

static bool go(held *h) {
    td_diag diag = {.message = ""};
    return CHECK_SAY(td_island_step(h->island, h->opts, &h->collider, h->touch ? 1 : 0, &h->stats,
                                    &diag) == TD_OK,
                     "%s: %s", h->name, diag.message);
}

static td_vec3 place_of(const held *h, int32_t side, int32_t segment, td_vec3 at, td_vec3 arm) {
    const tdi_point point = {TDI_POINT_POSITION, segment, at, arm};
    td_vec3 x;
    tdi_state_positions(h->s[side].state, tdi_points_of(&point, 1), false, &x);
    return x;
}

// On the last segment of a solver's subject, two thirds along and beside the axis.
static td_constraint hold_last(const tdi_solver *solver, td_constraint_kind kind) {
    td_constraint c = td_constraint_default(kind);
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    c.segment[0] = s.count - 1;
    c.point[0] = tdi_vec3(0.01, 0.6 * s.segments[s.count - 1].length, -0.02);
    return c;
}

static td_vec3 held_place(const held *h, const td_constraint *c) {
    return place_of(h, 0, c->segment[0], c->point[0], tdi_vec3(0, 0, 0));
}

// All constraints were met in the last step, and every step so far converged.
static void check_met(const held *h, int32_t step) {
    for (int32_t k = 0; k < td_island_constraint_count(h->island); k++) {
        const td_constraint_report r = td_island_constraint(h->island, k);
        CHECK_SAY(r.active && !r.unmet && !r.broken && r.error <= MET,
                  "%s: constraint %d is off by %g in step %d", h->name, (int)k, r.error, (int)step);
    }
    CHECK_SAY(h->stats.unconverged == 0, "%s: step %d did not converge", h->name, (int)step);
}

// ---- one body -------------------------------------------------------------------------------

// A point stays where it was found, under weight and in wind, and the force says so.
SOLVER_TEST(conform_a_held_point_stays) {
    const td_constraint c = hold_last(solver, TD_CONSTRAINT_POINT);
    OWNED(held) h = {.count = 0};
    open_alone(&h, solver, &c, 1, 1.0 / 60);
    h.opts[0].air = (td_air){{3, 0, 1}, 0.2, 0.6};
    const td_vec3 start = held_place(&h, &c);
    for (int32_t k = 0; k < 60 && go(&h); k++) {
        check_met(&h, k);
        CHECK_SAY(distance(held_place(&h, &c), start) <= MET, "%s: the point moved by %g m", h.name,
                  distance(held_place(&h, &c), start));
    }
    CHECK_SAY(tdi_norm(td_island_constraint(h.island, 0).force) > 1e-4, "%s: no force", h.name);
}

// A point is led around a circle of 8 cm.
SOLVER_TEST(conform_a_led_point_is_on_its_path_at_the_end_of_every_step) {
    const td_constraint c = hold_last(solver, TD_CONSTRAINT_POINT);
    td_constraint_target at = c.target;
    OWNED(held) h = {.count = 0};
    open_alone(&h, solver, &c, 1, 1.0 / 60);
    const td_vec3 start = held_place(&h, &c);
    for (int32_t k = 1; k <= 60; k++) {
        const td_real angle = TDI_PI * k / 30;
        at.position = tdi_vec3(0.04 * (cos(angle) - 1), 0.02 * sin(angle), 0.04 * sin(angle));
        CHECK(td_island_set_target(h.island, 0, &at, NULL) == TD_OK);
        if (!go(&h)) {
            break;
        }
        check_met(&h, k);
        const td_vec3 told = tdi_add(start, at.position);
        CHECK_SAY(distance(held_place(&h, &c), told) <= MET, "%s: the point is %g m off its path",
                  h.name, distance(held_place(&h, &c), told));
    }
}

// A bar keeps its length, a rope gets no longer and only pulls.
static void check_length(const tdi_solver *solver, bool rope) {
    td_constraint c = hold_last(solver, rope ? TD_CONSTRAINT_ROPE : TD_CONSTRAINT_DISTANCE);
    OWNED(held) h = {.count = 0};
    open_alone(&h, solver, NULL, 0, 1.0 / 120);
    const td_vec3 start = held_place(&h, &c);
    c.point[1] = tdi_add(start, tdi_vec3(0.1, 0.15, 0.05));
    CHECK_INT(td_island_constrain(h.island, &c, 1, NULL), TD_OK);
    const td_real length = distance(start, c.point[1]);
    bool taut = false;
    for (int32_t k = 0; k < 120 && go(&h); k++) {
        const td_constraint_report r = td_island_constraint(h.island, 0);
        const td_vec3 x = held_place(&h, &c), way = tdi_sub(c.point[1], x);
        const td_real off = tdi_norm(way) - length, pull = tdi_dot(r.force, way) / tdi_norm(way);
        check_met(&h, k);
        CHECK_SAY(rope ? off <= MET : fabs(off) <= MET, "%s: the length is off by %g", h.name, off);
        CHECK_SAY(!rope || pull >= -1e-9, "%s: a rope pushes with %g N", h.name, -pull);
        taut = taut || pull > 1e-3;
    }
    CHECK_SAY(taut, "%s: it never pulled", h.name);
}

SOLVER_TEST(conform_bars_keep_their_length_and_ropes_get_no_longer) {
    check_length(solver, false);
    check_length(solver, true);
}

// The frame at a welded point stays; at a hinge what is on its axis does.
static void check_frame(const tdi_solver *solver, td_constraint_kind kind) {
    td_constraint c = hold_last(solver, kind);
    const td_vec3 arms[3] = {{0.05, 0, 0}, {0, 0.05, 0}, {0, 0, 0.05}};
    td_vec3 from[3];
    OWNED(held) h = {.count = 0};
    c.axis[0] = tdi_vec3(1, 0, 0);
    open_alone(&h, solver, &c, 1, 1.0 / 60);
    const td_vec3 start = held_place(&h, &c);
    for (int i = 0; i < 3; i++) {
        from[i] = place_of(&h, 0, c.segment[0], c.point[0], arms[i]);
    }
    for (int32_t k = 0; k < 40 && go(&h); k++) {
        check_met(&h, k);
        CHECK_SAY(distance(held_place(&h, &c), start) <= MET, "%s: the point moved", h.name);
        for (int i = 0; i < (kind == TD_CONSTRAINT_WELD ? 3 : 1); i++) {
            const td_real off =
                distance(place_of(&h, 0, c.segment[0], c.point[0], arms[i]), from[i]);
            CHECK_SAY(off <= MET, "%s: axis %d turned by %g m at 5 cm", h.name, i, off);
        }
    }
}

SOLVER_TEST(conform_welds_and_hinges_hold_the_frame_at_their_point) {
    check_frame(solver, TD_CONSTRAINT_WELD);
    check_frame(solver, TD_CONSTRAINT_HINGE);
}

// At rest the held point is where it was, and the step that follows moves nothing.
SOLVER_TEST(conform_a_held_body_comes_to_rest) {
    const td_constraint c = hold_last(solver, TD_CONSTRAINT_POINT);
    td_diag diag = {.message = ""};
    OWNED(held) h = {.count = 0};
    open_alone(&h, solver, &c, 1, 1.0 / 60);
    h.opts[0].iterations = 200;
    h.opts[0].tolerance = 1e-11;
    const td_vec3 start = held_place(&h, &c);
    CHECK_SAY(td_island_settle(h.island, h.opts, NULL, 0, &h.stats, &diag) == TD_OK, "%s: %s",
              h.name, diag.message);
    check_met(&h, 0);
    CHECK_SAY(distance(held_place(&h, &c), start) <= MET, "%s: the point moved by %g m", h.name,
              distance(held_place(&h, &c), start));
    const td_vec3 tip = last_tip(&h.s[0]);
    for (int32_t k = 0; k < 10 && go(&h); k++) {
        CHECK_SAY(distance(last_tip(&h.s[0]), tip) < 1e-6, "%s: it was not at rest: %g m", h.name,
                  distance(last_tip(&h.s[0]), tip));
    }
}

// ---- the same elsewhere, later, again --------------------------------------------------------

// Turned with its base, its weight and its bonds, everything goes the same way.
static td_vec3 tip_after(const tdi_solver *solver, td_quat turn, int32_t steps) {
    td_constraint c[2] = {hold_last(solver, TD_CONSTRAINT_POINT),
                          hold_last(solver, TD_CONSTRAINT_DISTANCE)};
    OWNED(held) h = {.count = 0};
    open_alone(&h, solver, NULL, 0, 1.0 / 60);
    const td_base_motion base = {.rotation = turn};
    solver->set_base(h.s[0].state, &base);
    c[0].segment[0] = h.s[0].count / 2;
    c[1].point[1] = tdi_quat_rotate(turn, tdi_vec3(0.3, 0.4, -0.1));
    const int32_t first = solver == &test_toy ? 1 : 0; // a bead is one point, and never turns
    c[1].point[0] = first ? h.s[0].segments[0].tip : c[1].point[0];
    CHECK_INT(td_island_constrain(h.island, c + first, 2 - first, NULL), TD_OK);
    h.opts[0].gravity = tdi_quat_rotate(turn, tdi_vec3(0, -9.81, 0));
    for (int32_t k = 0; k < steps && go(&h); k++) {
        check_met(&h, k);
    }
    const td_vec3 tip = last_tip(&h.s[0]);
    return tdi_quat_rotate(tdi_quat_conj(turn), tip);
}

SOLVER_TEST(conform_held_bodies_go_the_same_way_when_all_is_turned) {
    const td_quat turn = tdi_quat_turn(tdi_unit_or(tdi_vec3(1, -2, 0.5), tdi_vec3(1, 0, 0)), 1.1);
    const td_vec3 here = tip_after(solver, tdi_quat_identity(), 40),
                  there = tip_after(solver, turn, 40);
    CHECK_SAY(distance(here, there) < 1e-6, "%s: turned, it ends %g m elsewhere", solver->info.name,
              distance(here, there));
}

static td_real energy_of(const held *h) {
    td_real sum = 0;
    for (int32_t k = 0; k < h->count; k++) {
        const td_energy e = h->s[k].solver->sums(h->s[k].state, h->opts[k].gravity).energy;
        sum += e.kinetic + e.elastic + e.weight;
    }
    return sum;
}

// Constraints add no energy: backward Euler never gains any.
SOLVER_TEST(conform_bonds_to_what_stands_give_no_energy) {
    const td_constraint c[2] = {hold_last(solver, TD_CONSTRAINT_POINT),
                                hold_last(solver, TD_CONSTRAINT_DISTANCE)};
    for (int kind = 0; kind < 2; kind++) {
        OWNED(held) h = {.count = 0};
        open_alone(&h, solver, &c[kind], 1, 1.0 / 240);
        h.opts[0].integrator = TD_IMPLICIT_EULER;
        const td_real start = energy_of(&h);
        td_real lowest = start, last = start;
        for (int32_t k = 0; k < 240 && go(&h); k++) {
            const td_real now = energy_of(&h);
            lowest = fmin(lowest, now);
            CHECK_SAY(now <= last + 1e-4 * (start - lowest) + SLACK,
                      "%s: energy rises by %g of %g J in step %d", h.name, now - last,
                      start - lowest, (int)k);
            last = now;
        }
    }
}

typedef struct saved {
    char *state, *island;
} saved;

static saved save(const held *h) {
    saved s = {bytes_of(&h->s[0]), calloc(1, td_island_save_size(h->island) + 1)};
    td_island_save(h->island, s.island);
    return s;
}

static bool same_saved(const held *h, const saved *s) {
    const saved now = save(h);
    const bool same = same_as(&h->s[0], s->state) &&
                      memcmp(now.island, s->island, td_island_save_size(h->island)) == 0;
    free(now.state);
    free(now.island);
    return same;
}

static void lead(held *h, int32_t from, int32_t to) {
    td_constraint_target at = td_constraint_default(TD_CONSTRAINT_POINT).target;
    for (int32_t k = from; k < to; k++) {
        at.position = tdi_vec3(0.001 * k, 0.0005 * k, -0.001 * k);
        CHECK(td_island_set_target(h->island, 0, &at, NULL) == TD_OK);
        go(h);
    }
}

// A led point, a rope that goes taut, a point that breaks and, of trees, a cone: saved in the
// middle and resumed. Bytes that are damaged or cut off are refused.
SOLVER_TEST(conform_held_bodies_saved_and_resumed_have_the_same_bits) {
    td_constraint c[4] = {
        hold_last(solver, TD_CONSTRAINT_POINT), hold_last(solver, TD_CONSTRAINT_ROPE),
        hold_last(solver, TD_CONSTRAINT_POINT), td_constraint_default(TD_CONSTRAINT_LIMIT)};
    c[1].segment[0] = c[2].segment[0] = 0;
    c[1].point[0] = c[2].point[0] = tdi_vec3(0, 0.08, 0);
    c[1].point[1] = tdi_vec3(0.3, 0.3, 0.1);
    c[2].break_force = 1e-3;
    c[3].cone = 0.1;
    const bool is_tree = strcmp(solver->info.name, "tree") == 0;
    const int32_t count = solver == &test_toy ? 1 : is_tree ? 4 : 3; // a bead is one point
    held a, b;
    open_alone(&a, solver, c, count, 1.0 / 60);
    open_alone(&b, solver, c, count, 1.0 / 60);
    lead(&a, 0, 12);
    saved half = save(&a);
    const size_t size = td_island_save_size(b.island);
    tdi_state_restore(b.s[0].state, half.state);
    half.island[size / 2] ^= 1;
    CHECK_INT(td_island_restore(b.island, half.island, size, NULL), TD_ERR_SYNTAX);
    half.island[size / 2] ^= 1;
    CHECK_INT(td_island_restore(b.island, half.island, size - 1, NULL), TD_ERR_SYNTAX);
    CHECK_INT(td_island_restore(b.island, half.island, size, NULL), TD_OK);
    lead(&a, 12, 24);
    lead(&b, 12, 24);
    saved end = save(&a);
    CHECK_SAY(same_saved(&b, &end), "%s: resumed, it ends with other bits", a.name);
    free(half.state);
    free(half.island);
    free(end.state);
    free(end.island);
    close_held(&a);
    close_held(&b);
}

// ---- threads --------------------------------------------------------------------------------

enum { BRANCHES = 6, BRANCH = 40, BUSH = BRANCHES * BRANCH };

// Long branches from one root, so that a tree has parts for several threads.
static td_skeleton *bush(void) {
    OWNED(td_builder) *b = test_builder();
    const int32_t wood = soft_wood(b, true);
    for (int32_t i = 0; i < BUSH; i++) {
        td_segment_def d = td_segment_def_default();
        const bool fork = i > 0 && i % BRANCH == 0;
        d.parent = fork ? 0 : i - 1;
        d.material = wood;
        d.length = 0.02;
        d.radius_base = d.radius_tip = 0.002;
        d.rest = tdi_quat_turn(tdi_vec3(0, 0.6, 0.8), fork ? 0.2 * (i / BRANCH) : 0.01);
        CHECK_INT(td_builder_add(b, &d, NULL, NULL), TD_OK);
    }
    return test_finish(b);
}

static subject bush_of(const tdi_solver *solver) {
    const td_body_opts with = {.law = TD_LAW_DEFAULT};
    subject s = {.solver = solver, .name = solver->info.name, .skeleton = bush(), .count = BUSH};
    s.segments = td_skeleton_segments(s.skeleton);
    if (solver->model_new(s.skeleton, &with, NULL, &s.model, NULL) == TD_OK) {
        CHECK(solver->state_new(s.model, NULL, &s.state, NULL) == TD_OK);
    }
    return s;
}

// Tips of branches are constrained, and two are tied to each other; or a ball moves down on them.
static saved run_bush(const tdi_solver *solver, int32_t threads, bool touches) {
    OWNED(td_pool) *pool = NULL;
    CHECK(threads == 0 || td_pool_new(threads, NULL, &pool, NULL) == TD_OK);
    saved end = {NULL, NULL};
    td_constraint c[3] = {td_constraint_default(TD_CONSTRAINT_POINT),
                          td_constraint_default(TD_CONSTRAINT_WELD),
                          td_constraint_default(TD_CONSTRAINT_DISTANCE)};
    td_contact_opts touch = td_contact_opts_default();
    held h = {.count = 1, .s = {bush_of(solver)}, .touch = touches ? &touch : NULL};
    snprintf(h.name, sizeof h.name, "%s", solver->info.name);
    c[0].segment[0] = BRANCH - 1;
    c[1].segment[0] = 2 * BRANCH - 1;
    c[2].segment[0] = 3 * BRANCH - 1;
    c[2].actor[1] = 0;
    c[2].segment[1] = 5 * BRANCH - 1;
    if (h.s[0].state) {
        const td_vec3 start = last_tip(&h.s[0]);
        td_contact contacts[1];
        int32_t met = 0;
        touch.self = false;
        make_island(&h, c, touches ? 0 : 3, 1.0 / 60);
        h.opts[0].pool = pool;
        h.collider = td_collider_default(TD_COLLIDER_SPHERE);
        h.collider.radius = 0.1;
        h.collider.position = tdi_add(start, tdi_vec3(0, 0.15, 0));
        for (int32_t k = 0; k < 10; k++) {
            h.collider.position0 = h.collider.position;
            h.collider.position.y -= 0.02;
            if (!go(&h)) {
                break;
            }
            check_met(&h, k);
            met += touches ? td_island_contacts(h.island, contacts, 1) : 1;
        }
        CHECK_SAY(met > 0, "%s: the ball meets nothing", h.name);
        end = save(&h);
    }
    close_held(&h);
    return end;
}

static int32_t bushes; // that a solver took

static void claim_threads(const tdi_solver *solver, bool touches) {
    const saved alone = run_bush(solver, 0, touches);
    bushes += alone.state != NULL;
    for (int32_t threads = 2; alone.state && threads <= 3; threads++) {
        OWNED(subject) s = bush_of(solver);
        const saved with = run_bush(solver, threads, touches);
        CHECK_SAY(memcmp(alone.state, with.state, tdi_state_save_size(s.state)) == 0,
                  "%s: %d threads give other bits", solver->info.name, (int)threads);
        free(with.state);
        free(with.island);
    }
    free(alone.state);
    free(alone.island);
}

static void with_bonds(const tdi_solver *solver) {
    claim_threads(solver, false);
}

static void with_a_ball(const tdi_solver *solver) {
    claim_threads(solver, true);
}

TD_TEST(conform_bodies_that_are_held_or_touch_have_the_same_bits_on_any_number_of_threads) {
    bushes = 0;
    for_all_solvers(with_bonds);
    for_all_solvers(with_a_ball);
    CHECK(bushes >= 6);
}

// ---- two bodies -----------------------------------------------------------------------------

// Runs a claim for any two solvers, each with each.
static void (*claim_pair)(const tdi_solver *a, const tdi_solver *b);

static void with_all(const tdi_solver *a) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        claim_pair(a, tdi_solver_find(td_solver_get(k).name));
    }
}

static void for_all_pairs(void (*claim)(const tdi_solver *a, const tdi_solver *b)) {
    claim_pair = claim;
    for_all_solvers(with_all);
}

#define PAIR_TEST(name) TEST_EACH(name, for_all_pairs, const tdi_solver *a, const tdi_solver *b)

static void open_pair(held *h, const tdi_solver *a, const tdi_solver *b, subject_kind kind,
                      td_constraint *c, td_real dt) {
    *h = (held){.count = 2};
    h->s[0] = subject_new(a, kind, NULL);
    h->s[1] = subject_new(b, kind, NULL);
    snprintf(h->name, sizeof h->name, "%s with %s", a->info.name, b->info.name);
    c->actor[1] = 1;
    c->segment[1] = h->s[1].count - 1;
    c->point[1] = tdi_vec3(0, 0.04, 0.01);
    c->segment[0] = h->s[0].count - 1;
    c->point[0] = tdi_vec3(0.01, 0.06, 0);
    make_island(h, c, 1, dt);
}

static td_vec3 apart(const held *h, const td_constraint *c) {
    const td_vec3 zero = {0, 0, 0};
    return tdi_sub(place_of(h, 0, c->segment[0], c->point[0], zero),
                   place_of(h, 1, c->segment[1], c->point[1], zero));
}

// Two bodies that stand on bases 30 cm apart are drawn together to one point, and stay so.
PAIR_TEST(conform_bars_between_any_two_solvers_keep_their_length) {
    td_constraint c = td_constraint_default(TD_CONSTRAINT_DISTANCE);
    OWNED(held) h = {.count = 0};
    open_pair(&h, a, b, HELD, &c, 1.0 / 120);
    const td_base_motion base = {.position = {0.3, 0, 0.1}, .rotation = {1, 0, 0, 0}};
    b->set_base(h.s[1].state, &base);
    const td_real length = tdi_norm(apart(&h, &c));
    for (int32_t k = 0; k < 60 && go(&h); k++) {
        check_met(&h, k);
        CHECK_SAY(fabs(tdi_norm(apart(&h, &c)) - length) <= MET, "%s: the bar is off by %g m",
                  h.name, tdi_norm(apart(&h, &c)) - length);
    }
}

typedef struct momentum {
    td_vec3 linear, angular;
} momentum;

static momentum momentum_of(const held *h) {
    momentum sum = {{0, 0, 0}, {0, 0, 0}};
    for (int32_t k = 0; k < h->count; k++) {
        const td_sums s = h->s[k].solver->sums(h->s[k].state, no_gravity);
        sum.linear = tdi_add(sum.linear, s.linear);
        sum.angular = tdi_add(sum.angular, s.angular);
    }
    return sum;
}

// Floating bodies, one of which was pushed: a bond between them keeps momentum as none does.
PAIR_TEST(conform_bonds_between_any_two_solvers_keep_momentum) {
    static const td_constraint_kind kinds[] = {TD_CONSTRAINT_POINT, TD_CONSTRAINT_WELD,
                                               TD_CONSTRAINT_DISTANCE};
    for (int j = 0; j < 3; j++) {
        td_constraint c = td_constraint_default(kinds[j]);
        OWNED(held) h = {.count = 0};
        open_pair(&h, a, b, FLOATING, &c, 1.0 / 480);
        h.opts[0].gravity = h.opts[1].gravity = no_gravity;
        const td_load push = pull_on(&h.s[0], tdi_vec3(0.01, 0.02, -0.015));
        h.opts[0].loads = &push;
        h.opts[0].load_count = 1;
        for (int32_t k = 0; k < 10 && go(&h); k++) {}
        h.opts[0].load_count = 0;
        // BDF2 remembers the push: what it adds falls to a third in every step, here to 3e-10
        for (int32_t k = 0; k < 20 && go(&h); k++) {}
        const momentum before = momentum_of(&h);
        for (int32_t k = 0; k < 50 && go(&h); k++) {
            check_met(&h, k);
        }
        const momentum after = momentum_of(&h);
        CHECK_SAY(distance(before.linear, after.linear) < 1e-7 * tdi_norm(before.linear),
                  "%s, %s: momentum changed by %g of %g", h.name, td_constraint_kind_name(c.kind),
                  distance(before.linear, after.linear), tdi_norm(before.linear));
        // a bead does not turn, and takes no moment
        const bool turns = a != &test_toy && b != &test_toy;
        CHECK_SAY(!turns || distance(before.angular, after.angular) <
                                0.02 * tdi_norm(before.angular) + 1e-9,
                  "%s, %s: angular momentum changed by %g of %g", h.name,
                  td_constraint_kind_name(c.kind), distance(before.angular, after.angular),
                  tdi_norm(before.angular));
    }
}
