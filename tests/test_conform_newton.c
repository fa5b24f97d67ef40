// SPDX-License-Identifier: MIT
// What every solver owes Newton's method: values, gradients, Hessians and points that belong
// together. Pairs with src/implicit/implicit.h.

#include "test_conform_opened.h"

static td_real value_at(const opened *o, td_real fraction) {
    tdi_state_try(o->body, fraction);
    return o->ops->value(o->body, false);
}

// ---- values ---------------------------------------------------------------------------------

// With increments x = -H^-1 r of the exact model: slope r.x = -promise, curvature x.H x = promise.
SOLVER_TEST(conform_value_falls_and_bends_as_the_increments_predicted_decrease) {
    opened o;
    td_real most;
    open_step(solver, 0.01, &o);
    clear(&o);
    const bool exact = factor(&o);
    const td_real predicted_decrease = solve(&o, &most);
    tdi_state_keep(o.body);
    const td_real e = 1e-4 / most, middle = value_at(&o, 0), ahead = value_at(&o, e),
                  behind = value_at(&o, -e);
    const td_real slope = (ahead - behind) / (2 * e),
                  curvature = (ahead - 2 * middle + behind) / (e * e);
    CHECK_SAY(fabs(slope + predicted_decrease) < 1e-6 * predicted_decrease,
              "%s: slope %g, promised %g", o.s.name, slope, -predicted_decrease);
    CHECK_SAY(exact, "%s: the exact Hessian of a short step is not positive definite", o.s.name);
    CHECK_SAY(fabs(curvature - predicted_decrease) < 1e-3 * predicted_decrease,
              "%s: curvature %g, that of the model %g", o.s.name, curvature, predicted_decrease);
    CHECK_SAY(memcmp(&middle, &(td_real){value_at(&o, 0)}, sizeof middle) == 0,
              "%s: back at 0 the value is another", o.s.name);
    close_step(&o);
}

// The pose is moved by all of the increments: the largest.
static td_real attempt(const opened *o, td_real *predicted_decrease) {
    const bool moves = o->ops->traits.moves;
    const td_real most = o->ops->solve(o->body, (tdi_solving){.move = moves}, predicted_decrease);
    if (!moves) {
        tdi_state_keep(o->body);
        tdi_state_try(o->body, 1);
    }
    return most;
}

// Newton's method with the exact Hessian squares the error.
SOLVER_TEST(conform_newtons_method_converges_quadratically) {
    opened o;
    td_real most[6];
    open_step(solver, 0.01, &o);
    for (int k = 0; k < 6; k++) {
        td_real predicted_decrease = 0;
        clear(&o);
        factor(&o);
        most[k] = attempt(&o, &predicted_decrease);
    }
    CHECK_SAY(most[0] > 1e-4 && most[5] < 1e-12, "%s: increments %g, %g, %g, %g, %g, %g", o.s.name,
              most[0], most[1], most[2], most[3], most[4], most[5]);
    close_step(&o);
}

// ---- points ---------------------------------------------------------------------------------

// Capsules lie between points of the body, along segments that it has.
SOLVER_TEST(conform_capsules_lie_between_points_of_their_body) {
    opened o;
    open_step(solver, 0.01, &o);
    for (int32_t k = 0; k < o.capsules; k++) {
        const tdi_capsule *c = &o.capsule[k];
        CHECK_SAY(c->a >= 0 && c->a < o.points && c->b >= 0 && c->b < o.points && c->radius > 0 &&
                      c->body >= 0 && c->body < o.s.count,
                  "%s: capsule %d", o.s.name, (int)k);
    }
    CHECK_SAY(o.ops->contact->force(o.body, &o.opts, 0.2, 0.01) > 0, "%s: no force of its own",
              o.s.name);
    close_step(&o);
}

static void apply(td_body *body, tdi_points points, td_vec3 force) {
    tdi_state_apply_forces(body, points, &force);
}

static void answer(const opened *o, int32_t point, td_vec3 force, td_vec3 *dx) {
    apply(o->body, tdi_nodes(point, 1), force);
    tdi_state_respond(o->body);
    tdi_state_motions(o->body, tdi_all_nodes(o->body), true, dx);
}

// ---- contact --------------------------------------------------------------------------------

// A point on the last capsule. Forces there have no lever arms, so that their Hessian is exact.
static tdi_point place_on(const opened *o) {
    return (tdi_point){.kind = TDI_POINT_SURFACE, .segment = o->capsules - 1, .local = {0.7, 0, 0}};
}

static void add_at(const opened *o, const tdi_point *point, td_vec3 gradient, td_sym3 hessian) {
    const tdi_side_terms side = {point, gradient, hessian, TDI_GEOMETRIC_NONE, NULL};
    o->ops->add_stiffness(o->body, &side);
}

// A push at a surface, on its nodes and on its rotation: how the nodes move, and the surface.
static td_vec3 answer_at(const opened *o, const tdi_point *point, td_vec3 force, td_vec3 *dx) {
    const tdi_capsule *c = &o->capsule[point->segment];
    const td_real s = point->local.x;
    td_vec3 turn = {0, 0, 0};
    if (tdi_has_arm(point)) {
        apply(o->body, tdi_rotation_of(point->segment), tdi_cross(point->arm, force));
    }
    apply(o->body, tdi_nodes(c->a, 1), tdi_scale(force, 1 - s));
    answer(o, c->b, tdi_scale(force, s), dx);
    if (tdi_has_arm(point)) {
        tdi_state_motions(o->body, tdi_rotation_of(point->segment), true, &turn);
    }
    return tdi_add(tdi_madd(tdi_scale(dx[c->a], 1 - s), dx[c->b], s), tdi_cross(turn, point->arm));
}

// The gradient of a contact changes the increments as a push against it does.
SOLVER_TEST(conform_contact_changes_increments_as_a_push_does) {
    opened o;
    td_real most;
    td_vec3 without[MOST_POINTS], with[MOST_POINTS], told[MOST_POINTS];
    open_step(solver, 0.01, &o);
    const tdi_point place = place_on(&o);
    const td_vec3 force = {0.5, -0.3, 0.8};
    clear(&o);
    factor(&o);
    solve(&o, &most);
    tdi_state_motions(o.body, tdi_all_nodes(o.body), false, without);
    answer_at(&o, &place, tdi_scale(force, -1), told);
    clear(&o);
    add_at(&o, &place, force, (td_sym3){0});
    factor(&o);
    solve(&o, &most);
    tdi_state_motions(o.body, tdi_all_nodes(o.body), false, with);
    for (int32_t p = 0; p < o.points; p++) {
        CHECK_SAY(distance(tdi_sub(with[p], without[p]), told[p]) < 1e-9 * most,
                  "%s: a contact's force moves point %d by %g, a push by %g", o.s.name, (int)p,
                  distance(with[p], without[p]), tdi_norm(told[p]));
    }
    close_step(&o);
}

// With k n n^T added at a place that gives w = n.W n, W = J H^-1 J^T, it gives 1/(1/w + k).
static void check_stiffened(const opened *o, const tdi_point *place, td_vec3 n) {
    td_vec3 dx[MOST_POINTS];
    td_real most;
    clear(o);
    factor(o);
    solve(o, &most);
    const td_real soft = tdi_dot(n, answer_at(o, place, n, dx)), k = 3 / soft;
    clear(o);
    add_at(o, place, tdi_vec3(0, 0, 0), tdi_sym3_square(n, k));
    factor(o);
    solve(o, &most);
    const td_real stiff = tdi_dot(n, answer_at(o, place, n, dx));
    CHECK_SAY(soft > 0, "%s: it does not give", o->s.name);
    CHECK_SAY(fabs(stiff - 1 / (1 / soft + k)) < 1e-9 * soft,
              "%s: it gives %g, and with contact %g", o->s.name, soft, stiff);
}

SOLVER_TEST(conform_contact_stiffens_what_it_touches) {
    opened o;
    open_step(solver, 0.01, &o);
    const tdi_point place = place_on(&o);
    check_stiffened(&o, &place, tdi_vec3(0.6, 0.8, 0));
    close_step(&o);
}

// At the end of an arm it stiffens the slip of the surface. Solvers whose friction does not turn
// capsules are left out.
SOLVER_TEST(conform_friction_stiffens_the_slip_of_surfaces) {
    opened o;
    open_step(solver, 0.01, &o);
    tdi_point place = place_on(&o);
    place.arm = tdi_vec3(-0.012, -0.016, 0);
    if (tdi_state_offers(o.body, TDI_POINT_ROTATION)) {
        check_stiffened(&o, &place, tdi_vec3(0.8, -0.6, 0));
    }
    close_step(&o);
}

// A row of a contact that moves along its capsule, (-1, 1) normal + (1 - s, s) slide: how much it
// gives to a force along itself.
static td_real row_gives(const opened *o, const tdi_point *place, td_vec3 normal, td_vec3 slide) {
    const tdi_capsule *c = &o->capsule[place->segment];
    const td_real s = place->local.x;
    td_vec3 dx[MOST_POINTS];
    apply(o->body, tdi_nodes(c->a, 1), tdi_madd(tdi_scale(normal, -1), slide, 1 - s));
    answer(o, c->b, tdi_madd(normal, slide, s), dx);
    return tdi_dot(normal, tdi_sub(dx[c->b], dx[c->a])) +
           tdi_dot(slide, tdi_madd(tdi_scale(dx[c->a], 1 - s), dx[c->b], s));
}

// With k r r^T a row r that gave w gives 1/(1/w + k): r_0, r_1 and their sum, by weights.
static void check_tilted(const opened *o, int32_t capsule, const td_real weight[3]) {
    const tdi_point place = {.kind = TDI_POINT_SURFACE, .segment = capsule, .local = {0.7, 0, 0}};
    const bool first = weight[0] > 0, second = weight[2] > 0;
    tdi_tilt tilt = {.normal = {0.6, -0.48, 0.64}, .slide = {{0.3, 0.9, -0.2}, {-0.5, 0.1, 0.7}}};
    const td_vec3 normal = tdi_scale(tilt.normal, first),
                  slide = tdi_madd(tdi_scale(tilt.slide[0], first), tilt.slide[1], second);
    const tdi_side_terms side = {.point = &place, .geometric = TDI_GEOMETRIC_NONE, .tilt = &tilt};
    td_real most;
    clear(o);
    factor(o);
    solve(o, &most);
    const td_real soft = row_gives(o, &place, normal, slide), k = 3 / soft;
    for (int n = 0; n < 3; n++) {
        tilt.weight[n] = k * weight[n];
    }
    clear(o);
    o->ops->add_stiffness(o->body, &side);
    factor(o);
    solve(o, &most);
    const td_real stiff = row_gives(o, &place, normal, slide);
    CHECK_SAY(fabs(stiff - 1 / (1 / soft + k)) < 1e-9 * soft,
              "%s: capsule %d, row %d%d gives %g, and with contact %g", o->s.name, (int)capsule,
              first, second, soft, stiff);
}

// Also that of a welded box, which the toy has no place for.
SOLVER_TEST(conform_contact_that_moves_along_a_capsule_stiffens_its_tilt) {
    static const td_real weights[3][3] = {{1, 0, 0}, {0, 0, 1}, {1, 1, 1}};
    opened o;
    const subject s = subject_new(solver, solver == &test_toy ? HELD : LADEN, NULL);
    open_subject(&s, 0.01, &o);
    for (int32_t k = 0; k < o.capsules; k++) {
        for (int n = 0; n < 3; n++) {
            check_tilted(&o, k, weights[n]);
        }
    }
    close_step(&o);
}

// ---- what worlds ask for --------------------------------------------------------------------

// A subject that has moved, as a system.
typedef struct alone {
    subject s;
    td_step_opts opts;
    tdi_member member;
    tdi_system system;
    size_t size;
} alone;

static void make_alone(const tdi_solver *solver, int steps, alone *a) {
    a->s = subject_new(solver, HELD, NULL);
    a->opts = exact_opts(0.01, TD_IMPLICIT);
    step_times(&a->s, &a->opts, steps);
    a->member = (tdi_member){.body = body_of(&a->s), .opts = &a->opts};
    a->system = (tdi_system){.member = &a->member, .count = 1};
    a->size = tdi_state_save_size(a->member.body);
}

static void *saved_of(const alone *a) {
    void *bytes = malloc(a->size);
    tdi_state_save(a->member.body, bytes);
    return bytes;
}

static void solve_alone(alone *a) {
    td_step_stats stats = {0};
    bool converged = false;
    CHECK_INT(tdi_system_try(&a->system, &converged, &stats, NULL), TD_OK);
    CHECK_SAY(converged, "%s: the step did not converge", a->s.name);
    tdi_system_accept(&a->system, &stats);
}

// After 0 steps there is no past, after 1 the rule of one step is next, after 4 that of two.
static void claim_revocable(const tdi_solver *solver) {
    static const int steps[] = {0, 1, 4};
    for (int k = 0; k < 3 && solver->implicit->traits.revocable; k++) {
        alone a;
        make_alone(solver, steps[k], &a);
        FREED void *before = saved_of(&a);
        solve_alone(&a);
        FREED void *after = saved_of(&a);
        CHECK_SAY(memcmp(before, after, a.size) != 0, "%s: nothing moved", a.s.name);
        tdi_system_undo(&a.system);
        FREED void *back = saved_of(&a);
        CHECK_SAY(memcmp(before, back, a.size) == 0,
                  "%s: after %d steps undo leaves other bytes than there were", a.s.name, steps[k]);
        solve_alone(&a);
        FREED void *again = saved_of(&a);
        CHECK_SAY(memcmp(after, again, a.size) == 0,
                  "%s: after %d steps the step that was undone ends elsewhere", a.s.name, steps[k]);
        subject_free(&a.s);
    }
}

TD_TEST(conform_accepted_step_is_taken_back_with_the_same_bits) {
    int32_t revocable = 0;
    for (int32_t k = 0; k < td_solver_count(); k++) {
        revocable += tdi_solver_find(td_solver_get(k).name)->implicit->traits.revocable;
    }
    CHECK(revocable > 0);
    for_all_solvers(claim_revocable);
}

// What is lent holds no numbers at first, and something else at last.
SOLVER_TEST(conform_steps_in_memory_that_was_lent_give_the_same_bits) {
    const tdi_implicit *ops = solver->implicit;
    if (!ops->use_scratch) {
        return;
    }
    alone own, other;
    make_alone(solver, 3, &own);
    make_alone(solver, 3, &other);
    const size_t need = other.member.body->scratch_bytes;
    char *room = malloc(need + 64), *memory = room + (64 - (uintptr_t)room % 64) % 64;
    CHECK(need > 0);
    for (int k = 0; k < 4; k++) {
        solve_alone(&own);
        memset(memory, 0xff, need);
        tdi_system_use_scratch(&other.system, memory, need);
        solve_alone(&other);
        tdi_system_use_scratch(&other.system, NULL, 0);
        memset(memory, 0xff, need);
    }
    FREED void *a = saved_of(&own), *b = saved_of(&other);
    CHECK_SAY(memcmp(a, b, own.size) == 0, "%s: steps in memory that was lent end elsewhere",
              own.s.name);
    free(room);
    subject_free(&own.s);
    subject_free(&other.s);
}

// ---- options --------------------------------------------------------------------------------

SOLVER_TEST(conform_newtons_method_takes_implicit_integrators_alone) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    td_step_opts opts = td_step_opts_default();
    td_diag diag = {.message = ""};
    const tdi_member member = {.body = body_of(&s), .opts = &opts};
    const tdi_system system = {.member = &member, .count = 1};
    CHECK_INT(tdi_system_check(&system, &diag), TD_OK);
    opts.integrator = TD_EULER;
    CHECK_INT(tdi_system_check(&system, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "integrator");
}
