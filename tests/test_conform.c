// SPDX-License-Identifier: MIT
// Claims on every solver of the table, each state by itself. Pairs with src/solver/solver.h and
// src/implicit/implicit.h. A solver that is added there is checked here without a line more.

#include "test_conform_support.h"

// ---- saving ---------------------------------------------------------------------------------

INTEGRATOR_TEST(conform_saved_and_restored_states_have_the_same_bits_and_future) {
    OWNED(subject) a = subject_for(solver, HELD, integrator, NULL),
                   b = subject_for(solver, HELD, integrator, NULL);
    const char *rule = integrator_names[integrator];
    td_step_opts opts = exact_opts(fitting_dt(integrator), integrator);
    const td_load load = pull_on(&a, tdi_vec3(0.1, 0.05, -0.07));
    opts.loads = &load;
    opts.load_count = 1;
    opts.air = (td_air){{2, 0, 1}, 0.1, 0.6};
    for (int32_t from = 0; from < 4; from++) {
        char *bytes = bytes_of(&a);
        tdi_state_restore(b.state, bytes);
        CHECK_SAY(same_as(&b, bytes), "%s, %s: a restored state has other bits after %d steps",
                  a.name, rule, (int)from);
        free(bytes);
        step_times(&a, &opts, 5);
        step_times(&b, &opts, 5);
        bytes = bytes_of(&a);
        CHECK_SAY(same_as(&b, bytes), "%s, %s: a restored state goes on otherwise", a.name, rule);
        tdi_state_restore(b.state, bytes); // of itself
        CHECK_SAY(same_as(&b, bytes), "%s, %s: restoring its own bytes changes a state", a.name,
                  rule);
        char *nonsense = malloc(tdi_state_save_size(b.state)); // fails, but never crashes
        memset(nonsense, 0xff, tdi_state_save_size(b.state));
        tdi_state_restore(b.state, nonsense);
        CHECK_SAY(step_once(&b, &opts, NULL) != TD_OK, "%s, %s: a state of no numbers steps on",
                  a.name, rule);
        tdi_state_restore(b.state, bytes);
        CHECK_SAY(same_as(&b, bytes), "%s, %s: it does not forget a bad state", a.name, rule);
        free(nonsense);
        free(bytes);
        step_times(&a, &opts, 1);
    }
}

// Between steps a body is moved rigidly, with gravity and wind. Its motion continues as before:
// its history and the wind of its last step move too.
SOLVER_TEST(conform_body_that_is_turned_with_its_wind_goes_on_alike) {
    const tdi_rigid g = {tdi_turn_by(tdi_vec3(0.7, 1.9, -0.4)), {0.3, -0.2, 0.5}};
    OWNED(subject) a = subject_for(solver, HELD, TD_IMPLICIT, NULL),
                   b = subject_for(solver, HELD, TD_IMPLICIT, NULL);
    td_step_opts opts = exact_opts(1.0 / 60, TD_IMPLICIT), turned = opts;
    opts.air = turned.air = (td_air){{4, 0, 3}, 0.1, 0.6};
    turned.gravity = tdi_rigid_vector(&g, opts.gravity);
    turned.air.wind = tdi_rigid_vector(&g, opts.air.wind);
    step_times(&a, &opts, 5);
    step_times(&b, &opts, 5);
    tdi_state_transform(body_of(&b), &g);
    const td_vec3 from = last_tip(&a);
    step_times(&a, &opts, 3);
    step_times(&b, &turned, 3);
    const td_vec3 wanted = tdi_rigid_point(&g, last_tip(&a));
    CHECK_SAY(distance(from, last_tip(&a)) > 1e-4, "%s: it does not move", a.name);
    CHECK_SAY(distance(last_tip(&b), wanted) < 1e-8, "%s: it is off by %g m of %g", a.name,
              distance(last_tip(&b), wanted), distance(from, last_tip(&a)));
}

// Reading a state, as probes and exporters do, leaves its future alone.
SOLVER_TEST(conform_reading_a_state_leaves_its_future_alone) {
    OWNED(subject) a = subject_new(solver, HELD, NULL), b = subject_new(solver, HELD, NULL);
    const td_step_opts opts = exact_opts(1.0 / 60, TD_IMPLICIT);
    td_vec3 tips[8], origins[8];
    td_quat turns[8];
    td_mode modes[2];
    for (int32_t k = 0; k < 10; k++) {
        step_times(&a, &opts, 1);
        step_times(&b, &opts, 1);
        solver->poses(b.state, 0, b.count, origins, tips, turns);
        solver->velocities(b.state, 0, b.count, NULL, tips);
        solver->sums(b.state, down);
        for (int32_t i = 0; i < b.count; i++) {
            tdi_solver_turn(solver, b.state, i);
            tdi_solver_moment(solver, b.state, i, 1);
        }
        if (tdi_statics_of(solver)->residual) {
            tdi_statics_of(solver)->residual(b.state, down);
        }
        CHECK_SAY(td_body_modes(b.state, down, 2, modes, NULL) != TD_ERR_DIVERGED, "%s: modes",
                  a.name);
        td_vec3 at[8];
        solver->poses(a.state, 0, a.count, NULL, at, NULL);
        solver->poses(b.state, 0, b.count, NULL, tips, NULL);
        CHECK_SAY(memcmp(at, tips, (size_t)a.count * sizeof *at) == 0,
                  "%s: reading a state moves it in step %d", a.name, (int)k);
    }
    step_times(&a, &opts, 1);
    step_times(&b, &opts, 1);
    FREED char *bytes = bytes_of(&a);
    CHECK_SAY(same_as(&b, bytes), "%s: reading a state changes where it goes", a.name);
}

// All poses at once are those of one at a time, and tips are where velocities are asked for.
SOLVER_TEST(conform_poses_in_bulk_are_those_of_each_segment) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const td_step_opts opts = exact_opts(1.0 / 60, TD_IMPLICIT);
    td_vec3 origins[8], tips[8], speeds[8];
    td_quat turns[8];
    step_times(&s, &opts, 8);
    solver->poses(s.state, 0, s.count, origins, tips, turns);
    solver->velocities(s.state, 0, s.count, NULL, speeds);
    for (int32_t i = 0; i < s.count; i++) {
        td_vec3 origin, tip;
        td_quat q;
        solver->poses(s.state, i, 1, &origin, &tip, &q);
        CHECK_SAY(memcmp(&origin, &origins[i], sizeof origin) == 0 &&
                      memcmp(&tip, &tips[i], sizeof tip) == 0 &&
                      memcmp(&q, &turns[i], sizeof q) == 0,
                  "%s: segment %d by itself is not where all have it", s.name, (int)i);
        const td_vec3 v = tdi_solver_velocity(solver, s.state, i, s.segments[i].tip);
        CHECK_SAY(distance(v, speeds[i]) <= 1e-12, "%s: velocity of tip %d", s.name, (int)i);
        CHECK_SAY(fabs(tdi_quat_norm(q) - 1) < 1e-12, "%s: rotation %d", s.name, (int)i);
    }
}

// How far the tips of segments are from where their axes have them, over their lengths. Each begins
// at the tip of the one that it stands on.
static td_real largest_gap(const subject *s) {
    td_vec3 origins[8], tips[8];
    td_quat turns[8];
    td_real most = 0;
    s->solver->poses(s->state, 0, s->count, origins, tips, turns);
    for (int32_t i = 0; i < s->count; i++) {
        const td_segment *segment = &s->segments[i];
        const td_vec3 at = tdi_add(origins[i], tdi_quat_rotate(turns[i], segment->tip));
        most = fmax(most, distance(at, tips[i]) / segment->length);
        CHECK_SAY(segment->parent == TD_NONE ||
                      distance(origins[i], tips[segment->parent]) <= 1e-14 * segment->length,
                  "%s: segment %d came off", s->name, (int)i);
    }
    return most;
}

// As drawn to rounding, wherever the base is. In motion a tip is off by what its segment stretched
// or bent along its length, which is little: meshes have the axes of segments.
SOLVER_TEST(conform_tips_are_where_the_axes_of_segments_have_them) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    const td_step_opts opts = exact_opts(1.0 / 60, TD_IMPLICIT);
    const td_base_motion base = {.position = {0.3, -0.2, 0.5},
                                 .rotation = tdi_quat_turn(tdi_vec3(0.6, 0, 0.8), 1.9)};
    CHECK_SAY(largest_gap(&s) <= 1e-14, "%s: tips as drawn", s.name);
    solver->set_base(s.state, &base);
    CHECK_SAY(largest_gap(&s) <= 1e-14, "%s: tips on a base that was turned", s.name);
    step_times(&s, &opts, 8);
    const bool bends = solver->info.curved || solver->info.stretchy;
    CHECK_SAY(largest_gap(&s) <= (bends ? 1e-2 : 1e-13), "%s: tips in motion", s.name);
}

// How far velocities are from those of points of the base, and tips from where it would take them.
static td_real off_base(const subject *s, const td_base_motion *base, const td_vec3 *drawn) {
    td_vec3 tips[8], v[8];
    td_real most = 0;
    s->solver->poses(s->state, 0, s->count, NULL, tips, NULL);
    s->solver->velocities(s->state, 0, s->count, NULL, v);
    for (int32_t i = 0; i < s->count; i++) {
        most = fmax(most, distance(v[i], tdi_base_velocity(base, tips[i])));
        most = fmax(most, drawn ? distance(tips[i], tdi_base_point(base, drawn[i])) : 0);
    }
    return most;
}

// In a microsecond springs and inertia change velocities by the acceleration of a turn alone: the
// square of 2.5 rad/s times 0.6 m, times the step.
static void check_moves_along(const tdi_solver *solver, subject_kind kind, bool settled) {
    OWNED(subject) s = subject_new(solver, kind, NULL);
    const char *pose = settled ? "settled" : "as drawn";
    const td_base_motion first = {.rotation = {1, 0, 0, 0}, .velocity = {0.5, 0.2, 0.1}},
                         base = {.rotation = {1, 0, 0, 0},
                                 .velocity = {-0.3, 0.2, 1},
                                 .spin = {2, -1, 1}};
    td_step_opts opts = exact_opts(1e-6, TD_IMPLICIT_EULER);
    td_vec3 rest[8];
    if (settled) {
        CHECK_INT(tdi_body_settle(s.state, &opts, NULL, NULL), TD_OK);
    } else {
        opts.gravity = no_gravity;
    }
    solver->poses(s.state, 0, s.count, NULL, rest, NULL);
    solver->set_base(s.state, &first);
    CHECK_SAY(off_base(&s, &first, rest) < 1e-14, "%s, %s: moves by %g m/s beside its base", s.name,
              pose, off_base(&s, &first, rest));
    solver->set_base(s.state, &base);
    CHECK_SAY(off_base(&s, &base, rest) < 1e-14, "%s, %s: moves by %g m/s beside its new base",
              s.name, pose, off_base(&s, &base, rest));
    FREED char *bytes = bytes_of(&s);
    solver->set_base(s.state, &first);
    solver->set_base(s.state, &base);
    CHECK_SAY(same_as(&s, bytes), "%s, %s: a base that was set twice leaves other bits", s.name,
              pose);
    step_times(&s, &opts, 1);
    CHECK_SAY(off_base(&s, &s.state->base, NULL) < 3e-5 || is_coarse(solver),
              "%s, %s: %g m/s after a step", s.name, pose, off_base(&s, &s.state->base, NULL));
}

SOLVER_TEST(conform_body_without_a_past_moves_along_with_its_base) {
    check_moves_along(solver, HELD, false);
    check_moves_along(solver, HELD, true);
    check_moves_along(solver, FLOATING, false);
}

// ---- failures -------------------------------------------------------------------------------

typedef struct failure {
    int32_t after;      // steps
    td_real factor;     // of dt, in the step that fails
    td_integrator rule; // of the steps before
    td_base_motion base;
} failure;

static void check_failure(const tdi_solver *solver, td_integrator integrator, const failure *f) {
    OWNED(subject) s = subject_for(solver, HELD, integrator, NULL),
                   other = subject_for(solver, HELD, integrator, NULL);
    td_step_opts good = exact_opts(fitting_dt(f->rule), f->rule), bad = good;
    td_load load = pull_on(&s, tdi_vec3(1e300, -1e300, 1e300));
    td_diag diag = {.message = ""};
    bad.integrator = integrator;
    bad.dt = f->factor * good.dt;
    load.point = tdi_scale(load.point, 1e20); // moments are beyond all numbers
    bad.loads = &load;
    bad.load_count = 1;
    solver->set_base(s.state, &f->base);
    solver->set_base(other.state, &f->base);
    step_times(&s, &good, f->after);
    step_times(&other, &good, f->after);
    char *bytes = bytes_of(&s);
    const td_status status = step_once(&s, &bad, &diag);
    CHECK_SAY(status == TD_ERR_DIVERGED && diag.message[0] != 0,
              "%s, %s: a force beyond all numbers does not diverge: %d '%s'", s.name,
              integrator_names[integrator], (int)status, diag.message);
    CHECK_SAY(same_as(&s, bytes), "%s: a step by %s that failed after %d by %s left other bits",
              s.name, integrator_names[integrator], (int)f->after, integrator_names[f->rule]);
    free(bytes);
    step_times(&s, &good, 5);
    step_times(&other, &good, 5);
    bytes = bytes_of(&other);
    CHECK_SAY(same_as(&s, bytes), "%s: after a step by %s that failed it goes on otherwise", s.name,
              integrator_names[integrator]);
    free(bytes);
}

INTEGRATOR_TEST(conform_step_that_fails_leaves_everything_as_it_was) {
    const td_base_motion still = {.rotation = {1, 0, 0, 0}},
                         moving = {.rotation = {1, 0, 0, 0},
                                   .velocity = {0.1, 0.05, -0.1},
                                   .spin = {0.3, 0.2, -0.1},
                                   .spin_rate = {-0.5, 0.5, 1}};
    const failure all[] = {{0, 1, TD_IMPLICIT, still},    {1, 1, TD_IMPLICIT, still},
                           {7, 1, TD_IMPLICIT, still},    {7, 0.7, TD_IMPLICIT, still},
                           {0, 1, TD_IMPLICIT, moving},   {7, 1, TD_IMPLICIT, moving},
                           {7, 0.7, TD_IMPLICIT, moving}, {7, 1, TD_IMPLICIT_EULER, moving}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        check_failure(solver, integrator, &all[k]);
    }
}

// ---- laws -----------------------------------------------------------------------------------

// How far the momentum of a thrown body drifts within 0.2 s, of what it is.
static void drift(const tdi_solver *solver, td_real dt, td_real *linear, td_real *angular) {
    OWNED(subject) s = subject_new(solver, FLOATING, NULL);
    td_step_opts opts = exact_opts(dt, TD_IMPLICIT);
    const td_load load = pull_on(&s, tdi_vec3(0.012, 0.02, -0.016));
    opts.gravity = no_gravity;
    opts.loads = &load;
    opts.load_count = 1;
    step_times(&s, &opts, (int32_t)(0.05 / dt + 0.5));
    opts.load_count = 0;
    // the rule of two steps forgets the load by a third a step
    step_times(&s, &opts, (int32_t)(0.05 / dt + 0.5));
    const td_sums before = solver->sums(s.state, no_gravity);
    const td_vec3 from = last_tip(&s);
    step_times(&s, &opts, (int32_t)(0.2 / dt + 0.5));
    const td_sums after = solver->sums(s.state, no_gravity);
    CHECK_SAY(tdi_norm(before.linear) > 1e-4 && tdi_norm(before.angular) > 1e-6 &&
                  distance(from, last_tip(&s)) > 0.02,
              "%s: it was not thrown", s.name);
    *linear = distance(before.linear, after.linear) / tdi_norm(before.linear);
    *angular = distance(before.angular, after.angular) / tdi_norm(before.angular);
}

// Angular momentum is kept at second order in dt, up to the gyroscopic moment of slim edges, which
// rods leave out: of the size of (radius/length)^2.
SOLVER_TEST(conform_floating_body_keeps_its_momentum) {
    const char *name = solver->info.name;
    const td_real gyroscopic = 0.02 * 0.02;
    td_real linear[2], angular[2];
    drift(solver, 1e-3, &linear[0], &angular[0]);
    drift(solver, 5e-4, &linear[1], &angular[1]);
    for (int k = 0; k < 2; k++) {
        CHECK_SAY(linear[k] < 1e-9, "%s: linear momentum drifts by %g", name, linear[k]);
        CHECK_SAY(angular[k] < (is_coarse(solver) ? 1e-2 : 1e-3),
                  "%s: angular momentum drifts by %g", name, angular[k]);
    }
    CHECK_SAY(angular[1] < 0.35 * angular[0] + gyroscopic || is_coarse(solver),
              "%s: the drift of angular momentum is not of second order: %g, %g", name, angular[0],
              angular[1]);
}

// By backward Euler a free fall is g h^2 n (n + 1)/2.
SOLVER_TEST(conform_floating_body_falls_as_everything_does) {
    OWNED(subject) s = subject_new(solver, FLOATING, NULL);
    const td_step_opts opts = exact_opts(0.01, TD_IMPLICIT_EULER);
    td_vec3 from[8], to[8], v[8];
    solver->poses(s.state, 0, s.count, NULL, from, NULL);
    step_times(&s, &opts, 20);
    solver->poses(s.state, 0, s.count, NULL, to, NULL);
    solver->velocities(s.state, 0, s.count, NULL, v);
    for (int32_t i = 0; i < s.count; i++) {
        const td_real off = is_coarse(solver) ? 5e-3 : 1e-10;
        CHECK_SAY(distance(to[i], tdi_madd(from[i], down, 1e-4 * 210)) < off &&
                      distance(v[i], tdi_scale(down, 0.2)) < 10 * off,
                  "%s: tip %d has fallen by %g m, and falls at %g m/s", s.name, (int)i,
                  from[i].y - to[i].y, -v[i].y);
    }
}

// Up to Newton's tolerance.
SOLVER_TEST(conform_energy_never_grows_with_backward_euler) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    td_step_opts opts = exact_opts(1.0 / 60, TD_IMPLICIT_EULER);
    opts.damping = 0;
    td_real start = 0, before = 0, most = 0;
    for (int32_t k = 0; k < 60; k++) {
        const td_energy e = solver->sums(s.state, down).energy;
        const td_real now = e.kinetic + e.elastic + e.weight;
        most = fmax(most, e.kinetic);
        start = k == 0 ? now : start;
        CHECK_SAY(k == 0 || now <= before + 1e-6 * (start - now), "%s: from %g to %g J in step %d",
                  s.name, before, now, (int)k);
        before = now;
        step_times(&s, &opts, 1);
    }
    CHECK_SAY(most > 1e-4, "%s: it never moved", s.name);
}

// A force that swells and fades: nothing jumps, so that orders can be seen.
static td_vec3 swell(td_real t, td_real whole) {
    const td_real s = sin(3.14159265358979323846 * t / whole);
    return tdi_scale(tdi_vec3(0.3, 0.2, -0.25), s * s);
}

// Work that is neither kinetic nor elastic nor of weight at the end, of all work.
static td_real lost_work(const tdi_solver *solver, td_real dt) {
    const td_real whole = 0.2;
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    td_step_opts opts = exact_opts(dt, TD_IMPLICIT);
    td_load load = pull_on(&s, no_gravity);
    td_real work = 0;
    opts.gravity = tdi_vec3(0, -1, 0);
    opts.damping = 0;
    opts.loads = &load;
    const td_step_opts rest = opts;
    const tdi_member alone = {.body = body_of(&s), .opts = &rest};
    const tdi_system system = {.member = &alone, .count = 1};
    td_step_stats stats = {0};
    CHECK_SAY(tdi_system_settle(&system, &stats, NULL) == TD_OK, "%s: no rest", s.name);
    opts.load_count = 1;
    const td_energy before = solver->sums(s.state, opts.gravity).energy;
    td_vec3 x = last_tip(&s), f = no_gravity;
    for (int32_t k = 1; k <= (int32_t)(whole / dt + 0.5); k++) {
        load.vector = swell(k * dt, whole);
        step_times(&s, &opts, 1);
        const td_vec3 next = last_tip(&s);
        work += 0.5 * tdi_dot(tdi_add(f, load.vector), tdi_sub(next, x));
        x = next;
        f = load.vector;
    }
    const td_energy after = solver->sums(s.state, opts.gravity).energy;
    CHECK_SAY(work > 1e-4, "%s: the load does no work", s.name);
    const td_real gain = after.kinetic + after.elastic + after.weight - before.kinetic -
                         before.elastic - before.weight;
    return fabs(gain - work) / work;
}

SOLVER_TEST(conform_work_of_loads_is_the_change_of_energy_at_second_order) {
    const td_real coarse = lost_work(solver, 2e-3), fine = lost_work(solver, 5e-4);
    const td_real order = log(coarse / fine) / log(4);
    CHECK_SAY(fine < (is_coarse(solver) ? 0.05 : 2e-3), "%s: %g of the work is lost",
              solver->info.name, fine);
    CHECK_SAY(order > 1.7 || is_coarse(solver), "%s: the work that is lost is of order %g in dt",
              solver->info.name, order);
}

// How far velocities of tips are from differences of places before and after, of the fastest.
static td_real velocity_error(const tdi_solver *solver, td_real dt, td_integrator integrator) {
    const td_real whole = 0.2;
    OWNED(subject) s = subject_for(solver, HELD, integrator, NULL);
    td_step_opts opts = exact_opts(dt, integrator);
    td_load load = pull_on(&s, no_gravity);
    td_vec3 tips[3][8], v[8];
    td_real worst = 0, fastest = 0;
    opts.gravity = no_gravity;
    opts.damping = tdi_is_implicit(integrator) ? 1 : 0; // explicit steps would have to be shorter
    opts.loads = &load;
    opts.load_count = 1;
    const int32_t half = (int32_t)(0.5 * whole / dt + 0.5);
    for (int32_t k = 1; k <= half + 1; k++) {
        load.vector = swell(k * dt, whole);
        step_times(&s, &opts, 1);
        if (k >= half - 1) {
            solver->poses(s.state, 0, s.count, NULL, tips[k - half + 1], NULL);
        }
        if (k == half) {
            solver->velocities(s.state, 0, s.count, NULL, v);
        }
    }
    for (int32_t i = 0; i < s.count; i++) {
        const td_vec3 d = tdi_scale(tdi_sub(tips[2][i], tips[0][i]), 0.5 / dt);
        worst = fmax(worst, distance(d, v[i]));
        fastest = fmax(fastest, tdi_norm(d));
    }
    CHECK_SAY(fastest > 0.02, "%s: nothing moves", s.name);
    return worst / fastest;
}

INTEGRATOR_TEST(conform_velocity_is_the_derivative_of_the_pose) {
    const bool implicit = tdi_is_implicit(integrator);
    const td_real dt = implicit ? 2e-3 : 1e-4, least = integrator == TD_IMPLICIT ? 1.7 : 0.8;
    const td_real coarse = velocity_error(solver, dt, integrator),
                  fine = velocity_error(solver, dt / 4, integrator);
    const td_real order = log(coarse / fine) / log(4);
    CHECK_SAY(fine < 2e-2, "%s, %s: velocity is off by %g", solver->info.name,
              integrator_names[integrator], fine);
    CHECK_SAY(order > least || fine < 1e-6 || is_coarse(solver),
              "%s, %s: velocity converges with order %g", solver->info.name,
              integrator_names[integrator], order);
}

// A base goes on with constant acceleration. Its turn is compared with that of steps a thousand
// times as short, in which it turns about fixed axes: a step of t = 0.1 s is off by about
// |spin_rate|^2 |spin| t^5 / 240 = 2e-6 rad.
INTEGRATOR_TEST(conform_base_goes_on_with_constant_acceleration) {
    OWNED(subject) s = subject_for(solver, HELD, integrator, NULL);
    const bool implicit = tdi_is_implicit(integrator);
    const td_real dt = implicit ? 0.1 : 1e-4, t = implicit ? 0.1 : 1e-3;
    const td_base_motion start = {.position = {0.1, 0.2, 0.3},
                                  .rotation = {0.6, 0, 0.8, 0},
                                  .velocity = {0.3, -0.2, 0.1},
                                  .spin = {2, 0, 0},
                                  .acceleration = {1, 2, 3},
                                  .spin_rate = {0, 5, 1}};
    const td_step_opts opts = exact_opts(dt, integrator);
    solver->set_base(s.state, &start);
    step_times(&s, &opts, implicit ? 1 : 10);
    td_quat turn = start.rotation;
    for (int k = 0; k < 1000; k++) {
        const td_vec3 w = tdi_madd(start.spin, start.spin_rate, (k + 0.5) * t / 1000);
        turn = tdi_quat_mul(tdi_turn_by(tdi_scale(w, t / 1000)), turn);
    }
    const td_base_motion *end = &s.state->base;
    const td_quat off = tdi_quat_mul(end->rotation, tdi_quat_conj(turn));
    const td_vec3 place =
        tdi_madd(tdi_madd(start.position, start.velocity, t), start.acceleration, 0.5 * t * t);
    const char *rule = integrator_names[integrator];
    CHECK_SAY(tdi_norm(tdi_vec3(off.x, off.y, off.z)) < 5e-6,
              "%s, %s: the base's turn is off by %g", s.name, rule,
              2 * tdi_norm(tdi_vec3(off.x, off.y, off.z)));
    CHECK_SAY(distance(end->position, place) < 1e-14, "%s, %s: the base is off by %g m", s.name,
              rule, distance(end->position, place));
    CHECK_SAY(distance(end->velocity, tdi_madd(start.velocity, start.acceleration, t)) < 1e-14 &&
                  distance(end->spin, tdi_madd(start.spin, start.spin_rate, t)) < 1e-14,
              "%s, %s: the base's velocity", s.name, rule);
    CHECK_SAY(fabs(s.state->time - t) < 1e-15, "%s, %s: the time", s.name, rule);
}

// Under weight and a pull; drag and damping take all motion out.
SOLVER_TEST(conform_settling_ends_where_long_stepping_does) {
    OWNED(subject) a = subject_new(solver, HELD, NULL), b = subject_new(solver, HELD, NULL);
    td_step_opts opts = exact_opts(0.05, TD_IMPLICIT_EULER);
    const td_load load = pull_on(&a, tdi_vec3(0.05, 0.02, -0.05));
    td_step_stats stats = {0};
    opts.loads = &load;
    opts.load_count = 1;
    opts.damping = 5;
    opts.air.linear = 20;
    const td_vec3 drawn = last_tip(&a);
    step_times(&a, &opts, 3);
    CHECK_SAY(tdi_body_settle(a.state, &opts, &stats, NULL) == TD_OK && stats.unconverged == 0,
              "%s: no rest", a.name);
    step_times(&b, &opts, 600);
    td_vec3 rest[8], late[8];
    solver->poses(a.state, 0, a.count, NULL, rest, NULL);
    solver->poses(b.state, 0, b.count, NULL, late, NULL);
    CHECK_SAY(distance(drawn, rest[a.count - 1]) > 1e-3, "%s: it rests as it is drawn", a.name);
    for (int32_t i = 0; i < a.count; i++) {
        CHECK_SAY(distance(rest[i], late[i]) < (is_coarse(solver) ? 1e-2 : 1e-7),
                  "%s: tip %d rests %g m from where 30 s of steps end", a.name, (int)i,
                  distance(rest[i], late[i]));
    }
    CHECK_SAY(solver->sums(a.state, down).energy.kinetic == 0, "%s: it moves at rest", a.name);
    step_times(&a, &opts, 20);
    CHECK_SAY(distance(rest[a.count - 1], last_tip(&a)) < 1e-8, "%s: it leaves its rest by %g m",
              a.name, distance(rest[a.count - 1], last_tip(&a)));
}

// ---- memory and threads ---------------------------------------------------------------------

INTEGRATOR_TEST(conform_steps_take_no_memory) {
    test_heap heap = {0};
    const td_alloc alloc = test_heap_alloc(&heap);
    subject s = subject_for(solver, HELD, integrator, &alloc);
    const td_load load = pull_on(&s, tdi_vec3(0.05, 0.02, -0.05));
    td_step_opts opts = exact_opts(fitting_dt(integrator), integrator);
    opts.loads = &load;
    opts.load_count = 1;
    opts.air = (td_air){{2, 0, 1}, 0.1, 0.6};
    const long calls = heap.calls;
    for (int32_t k = 0; k < 30; k++) {
        CHECK_SAY(step_once(&s, &opts, NULL) == TD_OK, "%s: step %d", s.name, (int)k);
    }
    if (tdi_is_implicit(integrator)) {
        CHECK_SAY(tdi_body_settle(s.state, &opts, NULL, NULL) == TD_OK, "%s: no rest", s.name);
    }
    char *bytes = bytes_of(&s);
    tdi_state_restore(s.state, bytes);
    solver->sums(s.state, down);
    free(bytes);
    CHECK_SAY(heap.calls == calls, "%s, %s: steps ask for memory %ld times", s.name,
              integrator_names[integrator], heap.calls - calls);
    subject_free(&s);
    CHECK_SAY(heap.held == 0, "%s: %zu bytes are left", solver->info.name, heap.held);
}

SOLVER_TEST(conform_threads_within_a_step_leave_all_bits) {
    OWNED(subject) a = subject_new(solver, HELD, NULL), b = subject_new(solver, HELD, NULL);
    td_step_opts opts = exact_opts(1.0 / 60, TD_IMPLICIT), with = opts;
    OWNED(td_pool) *pool = NULL;
    CHECK_INT(td_pool_new(3, NULL, &pool, NULL), TD_OK);
    with.pool = pool;
    step_times(&a, &opts, 10);
    step_times(&b, &with, 10);
    FREED char *bytes = bytes_of(&a);
    CHECK_SAY(same_as(&b, bytes), "%s: threads within a step change bits", a.name);
}

static td_status rests_as_drawn(const td_body_model *model, const td_alloc *alloc, td_diag *diag) {
    OWNED(td_body_model) *rest = NULL;
    const td_status status = td_body_model_rest_new(model, down, alloc, &rest, diag);
    return status;
}

// All that may be made of a skeleton: a model, a state, modes, a model that rests as it is drawn,
// contact.
static td_status make_all(const subject *s, const td_alloc *alloc, subject *made, td_diag *diag) {
    const td_body_opts with = {.law = TD_LAW_DEFAULT};
    const td_contact_opts touch = td_contact_opts_default();
    td_mode mode;
    td_status status = s->solver->model_new(s->skeleton, &with, alloc, &made->model, diag);
    status =
        status == TD_OK ? s->solver->state_new(made->model, alloc, &made->state, diag) : status;
    if (status == TD_OK && td_body_modes(s->state, down, 1, &mode, NULL) == TD_OK) {
        status = td_body_modes(made->state, down, 1, &mode, diag);
    }
    if (status == TD_OK && rests_as_drawn(s->model, NULL, NULL) == TD_OK) {
        status = rests_as_drawn(made->model, alloc, diag);
    }
    if (status == TD_OK) {
        td_island *island = NULL;
        status = td_island_new(&made->state, 1, &touch, 1, alloc, &island, diag);
        td_island_free(island);
    }
    return status;
}

// A memory that ends at any call leaves nothing behind.
SOLVER_TEST(conform_memory_that_ends_leaves_nothing_behind) {
    OWNED(subject) s = subject_new(solver, HELD, NULL);
    WITH_SCARCE(memory, 3) {
        OWNED(subject) made = {.solver = solver};
        td_diag diag = {.message = ""};
        const td_status status = make_all(&s, &memory.alloc, &made, &diag);
        CHECK_SAY(status == scarce_status(&memory) && (status == TD_OK || diag.message[0] != 0),
                  "%s: status %d when memory ends at call %ld", s.name, (int)status,
                  memory.heap.fail_at);
        CHECK_SAY(status != TD_OK || memory.heap.held == td_body_model_bytes(made.model) +
                                                             td_body_bytes(made.state),
                  "%s: %zu bytes are taken", s.name, memory.heap.held);
    }
}
