// SPDX-License-Identifier: MIT
// Reference cases, for every solver and integrator: impulses of pushes, hits and constraints, and
// steps of a program's own length.

#include "test_world_support.h"

static td_real mass_of(const td_world *w) {
    td_real sum = 0;
    for (int32_t k = 0; k < td_world_actor_count(w); k++) {
        const td_actor a = actor_at(w, k);
        for (int32_t i = 0; i < a.segment_count; i++) {
            sum += td_skeleton_segments(a.skeleton)[i].mass;
        }
    }
    return sum;
}

// ---- pushes ---------------------------------------------------------------------------------

static const char *const integrator_names[] = {"implicit", "implicit-euler", "euler", "rk4"};

static bool can_be(int32_t solver, int integrator) {
    static const td_integrator all[] = {TD_IMPLICIT, TD_IMPLICIT_EULER, TD_EULER, TD_RK4};
    return td_solver_get(solver).integrators >> all[integrator] & 1;
}

// A frame, and a step of which a frame has many.
enum { RATES = 2 };
static const td_real bar_rates[RATES] = {60, 2560};

// A bar that nothing holds, of 1 m and 0.1 kg, along X; `strand` are keys of it, or "".
static void free_bar(char *text, size_t size, int32_t solver, int integrator, td_real rate,
                     const char *strand, const char *loads) {
    snprintf(text, size,
             "{step: %.17g, gravity: [0, 0, 0], air_density: 0, tolerance: 1e-10, loads: [%s],\n"
             " objects: [{solver: %s, integrator: %s, start: drawn, strand: {segments: 1,\n"
             " points: [[0, 0, 0], [1, 0, 0]], radius: 0.01, line_mass: 0.1, inextensible: true,\n"
             " %s start: {held: free}, bend: 0.01, torsion: 0.01}}]}",
             1 / rate, loads, td_solver_get(solver).name, integrator_names[integrator], strand);
}

static td_real momentum_x(td_world *world) {
    return sums_at(world, 0).linear.x;
}

// The momentum must be `want` now and stay.
static void check_impulse(td_world *world, td_real want, const char *what, int32_t solver,
                          int integrator) {
    for (int32_t k = 0; k < 4 && world; k++) {
        const td_real is = momentum_x(world);
        CHECK_SAY(fabs(is - want) < 1e-6 * fabs(want),
                  "%s, %s by %s at %g s: %.9g N s, not %.9g, %d later", what,
                  td_solver_get(solver).name, integrator_names[integrator], td_world_dt(world), is,
                  want, (int)k);
        steps(world, 1);
    }
}

// For every solver and integrator, with loads that are over after ten steps.
static void check_impulse_of(td_real rate, const char *loads, td_real want) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        for (int i = 0; i < 4; i++) {
            char text[1200];
            if (!can_be(k, i)) {
                continue;
            }
            free_bar(text, sizeof text, k, i, rate, "", loads);
            OWNED(stage) s = stage_of(text);
            steps(s.world, 10);
            check_impulse(s.world, want, loads, k, i);
        }
    }
}

TD_TEST(reference_push_of_a_tenth_to_seven_steps_gives_its_impulse) {
    static const td_real lengths[] = {0.1, 1, 1.5, 7}, starts[] = {0, 0.3, 1, 2};
    for (int n = 0; n < RATES * 4 * 4; n++) {
        const td_real rate = bar_rates[n / 16], length = lengths[n / 4 % 4] / rate,
                      start = starts[n % 4] / rate;
        char load[160];
        snprintf(load, sizeof load,
                 "{push: {segment: 0, force: [3, 0, 0], start: %.17g, end: %.17g}}", start,
                 start + length);
        check_impulse_of(rate, load, 3 * length);
    }
}

// Loads over ten steps of a rate, and their impulses times the rate.
#define VARYING_LOADS(rate)                                                                       \
    { /* steps of keys, at ends of steps and between them */                                      \
        {"{push: {segment: 0, force: {interpolate: step, keys: [[0, [0, 0, 0]], [2/" rate         \
         ", [3, 0, 0]], [3.5/" rate ", [1, 0, 0]], [5/" rate ", [0, 0, 0]]]}}}",                  \
         3 * 1.5 + 1.5}, /* a peak within a step, and one across the end of one */                \
            {"{push: {segment: 0, force: {interpolate: linear, keys: [[0, [0, 0, 0]], [2.2/" rate \
             ", [0, 0, 0]], [2.3/" rate ", [8, 0, 0]], [2.8/" rate ", [0, 0, 0]], [4.6/" rate     \
             ", [0, 0, 0]], [5.2/" rate ", [1, 0, 0]], [5.4/" rate ", [0, 0, 0]]]}}}",            \
             8 * 0.3 + 0.4},                                                                      \
            {"{field: {force: [5, 0, 0], start: 1.7/" rate ", end: 1.9/" rate "}}", 5 * 0.2},     \
            {"{field: {force: [5, 0, 0], start: 1.5/" rate ", end: 4/" rate "}}", 5 * 2.5}, {     \
            "{field: {force: [5*(t < 0.6/" rate "), 0, 0]}}", 5                                   \
        }                                                                                         \
    }

TD_TEST(reference_push_by_keys_and_fields_gives_its_impulse) {
    static const struct {
        const char *text;
        td_real impulse;
    } loads[RATES][5] = {VARYING_LOADS("60"), VARYING_LOADS("2560")};
    for (int n = 0; n < RATES * 5; n++) {
        check_impulse_of(bar_rates[n / 5], loads[n / 5][n % 5].text,
                         loads[n / 5][n % 5].impulse / bar_rates[n / 5]);
    }
}

// Gravity in a step of its own; 0.1 kg.
TD_TEST(reference_jump_of_gravity_gives_its_impulse) {
    for (int32_t n = 0; n < RATES * td_solver_count(); n++) {
        const int32_t k = n / RATES;
        const td_real rate = bar_rates[n % RATES];
        char text[1200];
        free_bar(text, sizeof text, k, 0, rate, "", "");
        OWNED(stage) s = stage_of(text);
        steps(s.world, 3);
        CHECK(td_world_set(s.world, "gravity.x", 6, NULL) == TD_OK);
        steps(s.world, 3);
        CHECK(td_world_set(s.world, "gravity.x", 0, NULL) == TD_OK);
        steps(s.world, 1);
        check_impulse(s.world, 0.1 * 6 * 3 / rate, "gravity", k, 0);
    }
}

static void hit(void *context, td_real time, td_actor_id actor, int32_t count, const td_vec3 *tips,
                const td_vec3 *velocities, td_vec3 *forces) {
    const td_real *force = context;
    (void)time, (void)actor, (void)tips, (void)velocities;
    forces[count - 1].x += *force;
}

// By a field or by a number that is set, at a rate.
static void check_hit(int32_t solver, int integrator, bool by_field, td_real rate,
                      const td_real hits[4]) {
    char text[1200];
    td_real force = 0, sum = 0;
    free_bar(text, sizeof text, solver, integrator, rate, "",
             "{push: {segment: 0, force: [0, 0, 0]}}");
    OWNED(stage) s = stage_of(text);
    if (by_field) {
        CHECK(td_world_set_field(s.world, hit, &force, NULL) == TD_OK);
    }
    steps(s.world, 2);
    for (int n = 0; n < 5; n++) {
        const td_real now = n < 4 ? hits[n] : 0;
        force = now;
        sum += now / rate;
        if (!by_field) {
            CHECK(td_world_set(s.world, "loads[0].push.force.x", now, NULL) == TD_OK);
        }
        steps(s.world, 1);
    }
    check_impulse(s.world, sum, by_field ? "field" : "set", solver, integrator);
}

TD_TEST(reference_hit_by_a_program_gives_its_impulse) {
    static const td_real hits[][4] = {{3, 0, 0, 0}, {3, 2, 0, 0}, {0, 1, 4, 4}};
    for (int32_t k = 0; k < td_solver_count(); k++) {
        for (int i = 0; i < 4; i++) {
            for (int way = 0; way < 2 * 3 * RATES && can_be(k, i); way++) {
                check_hit(k, i, way % 2, bar_rates[way / 6], hits[way / 2 % 3]);
            }
        }
    }
}

// A body released by a hand keeps its momentum.
TD_TEST(reference_momentum_stays_when_a_hand_lets_go) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        for (int n = 0; n < 2 * RATES; n++) {
            const int way = n % 2;
            const td_real rate = bar_rates[n / 2];
            char text[1200];
            td_grab_id id;
            free_bar(text, sizeof text, k, 0, rate, "", "");
            OWNED(stage) s = stage_of(text);
            td_grab_def def = td_grab_def_default();
            def.actor = id_at(s.world, 0);
            def.to = (td_vec3){-0.5, 0, 0};
            def.stiffness = 20;
            steps(s.world, 2);
            if (way == 0) {
                CHECK(td_world_grab(s.world, id_at(s.world, 0), 0, def.point, def.to, def.stiffness,
                                    NULL) == TD_OK);
            } else {
                CHECK(td_world_add_grab(s.world, &def, &id, NULL) == TD_OK);
            }
            // the first step with the spring: m v = h k (a - x)
            steps(s.world, 1);
            td_vec3 origin;
            segment_at(s.world, 0, 0, &origin, NULL, NULL);
            CHECK_REL(momentum_x(s.world), 20 * (-0.5 - origin.x) / rate, 1e-6);
            steps(s.world, 4);
            const td_real then = momentum_x(s.world);
            if (way == 0) {
                td_world_release(s.world);
            } else {
                CHECK(td_world_remove_grab(s.world, id, NULL) == TD_OK);
            }
            steps(s.world, 1);
            check_impulse(s.world, then, "hand", k, 0);
        }
    }
}

// A constraint leads the middle of a bar from rest at 1 m/s and ends after n steps. A helix bends
// by an amount that grows as the acceleration over EI, and the velocity of that as 1/(EI h^2).
TD_TEST(reference_bar_that_a_constraint_throws_leaves_with_its_velocity) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        for (int m = 0; m < 3 * RATES; m++) {
            const int32_t n = 1 + m % 3;
            const td_real rate = bar_rates[m / 3], stiff = 1e6 * (rate / 60) * (rate / 60);
            OWNED(stage) s = stage_printed(
                "{step: %.17g, gravity: [0, 0, 0], air_density: 0, tolerance: 1e-10, objects: "
                "[{solver: %s, start: drawn, strand: {segments: 1, points: [[0, -0.5, 0], [0, "
                "0.5, 0]], radius: 0.01, line_mass: 0.1, inextensible: true, start: {held: "
                "free}, bend: %g, torsion: %g}}], constraints: [{point: {a: {segment: 0, "
                "along: 0.5}, end: %.17g, by: {keys: [[0, [0, 0, 0]], [%.17g, [0, 0, 0]], "
                "[%.17g, [1, 0, 0]]], interpolate: linear}}}]}",
                1 / rate, td_solver_get(k).name, stiff, stiff, (6 + n) / rate, 6 / rate,
                6 / rate + 1);
            steps(s.world, 6 + n);
            check_impulse(s.world, 0.1, "thrown", k, 0);
        }
    }
}

// About its axis: the spin that a torque leaves is that of its time.
TD_TEST(reference_torque_of_a_step_gives_its_impulse) {
    for (int32_t n = 0; n < RATES * td_solver_count(); n++) {
        const int32_t k = n / RATES;
        const td_real rate = bar_rates[n % RATES];
        td_real spin[2] = {0, 0};
        for (int way = 0; way < 2; way++) { // one step, or four of a quarter of the torque
            char text[1200];
            free_bar(text, sizeof text, k, 0, rate, "", "");
            OWNED(stage) s = stage_of(text);
            steps(s.world, 2);
            CHECK(td_world_set_torque(s.world, id_at(s.world, 0), 0, way ? 1e-6 : 4e-6, NULL) ==
                  TD_OK);
            steps(s.world, way ? 4 : 1);
            CHECK(td_world_set_torque(s.world, id_at(s.world, 0), 0, 0, NULL) == TD_OK);
            steps(s.world, 4);
            spin[way] = sums_at(s.world, 0).angular.x;
        }
        CHECK_REL(spin[0], spin[1], 1e-6);
        CHECK_REL(fabs(spin[0]), 4e-6 / rate, 1e-3);
    }
}

// Two links of 1 m and 1 kg in line, hit across the tip by 1 N s, are to turn by -6/7 and 30/7
// rad/s (docs/theory/validation.md): the tip goes at 24/7 m/s while they are still in line.
TD_TEST(reference_double_pendulum_moves_as_its_impulse_says) {
    char text[900];
    const td_real step = 1e-3;
    snprintf(
        text, sizeof text,
        "{gravity: [0, 0, 0], air_density: 0, tolerance: 1e-10, step: %g, record: {fps: 1000},\n"
        " loads: [{push: {segment: 1, force: [0, 0, %g], start: %g, end: %g}}],\n"
        " objects: [{solver: tree, start: drawn, strand: {segments: 2, radius: 1e-3,\n"
        " points: [[0, 0, 0], [2, 0, 0]], line_mass: 1, bend: 0, torsion: 0}}]}",
        step, 1 / step, 2 * step, 3 * step);
    OWNED(stage) s = stage_of(text);
    for (int32_t n = 0; n < 6; n++) {
        steps(s.world, 1);
        td_vec3 v[2];
        td_world_velocities(s.world, id_at(s.world, 0), v, NULL);
        if (n >= 2) {
            CHECK_REL(v[1].z, 24.0 / 7, 1e-3);
        }
    }
}

// What a constraint reports in all steps is the momentum that it took: a bar of 0.1 kg that a push
// has set off meets a stop, or the end of a rope.
TD_TEST(reference_stop_and_rope_report_the_impulse_of_an_impact) {
    static const struct {
        const char *what, *constraint; // 18.6 steps of the bar's way off
    } cases[] = {
        {"stop", "{stop: {a: {segment: 0}, axis: [-1, 0, 0], to: [%.17g, 0, 0]}}"},
        {"rope", "{rope: {a: {segment: 0}, to: [0, 0, 0], length: %.17g}}"},
    };
    for (int n = 0; n < 2 * RATES * 4 * td_solver_count(); n++) {
        const int32_t kind = n % 2, i = n / 2 % 4, k = n / 8 % td_solver_count();
        const td_real rate = bar_rates[n / 8 / td_solver_count()];
        char text[1500], push[120], constraint[120];
        if (!can_be(k, i) || (i >= 2 && strcmp(td_solver_get(k).name, "tree") != 0)) {
            continue;
        }
        snprintf(push, sizeof push, "{push: {segment: 0, force: [%.17g, 0, 0], end: %.17g}}",
                 0.1 * rate, 1 / rate);
        free_bar(text, sizeof text, k, i, rate, "", push);
        const size_t length = strlen(text) - 1;
        snprintf(constraint, sizeof constraint, cases[kind].constraint, 1 + 18.6 / rate);
        snprintf(text + length, sizeof text - length, ", constraints: [%s]}", constraint);
        OWNED(stage) s = stage_of(text);
        td_real taken = 0;
        for (int32_t j = 0; j < 40; j++) {
            steps(s.world, 1);
            taken -= constraint_at(s.world, 0).force.x * td_world_dt(s.world);
        }
        CHECK_SAY(fabs(taken + momentum_x(s.world) - 0.1) < 1e-6 && taken > 0.09,
                  "%s, %s by %s, 1/%g s: took %.9g of 0.1 N s, and left %.9g", cases[kind].what,
                  td_solver_get(k).name, integrator_names[i], rate, taken, momentum_x(s.world));
    }
}

// The same of a bar that meets it end-on: a rod is stiff along itself, so that long steps are taken
// in pieces, of which the constraint reports the mean.
TD_TEST(reference_stop_reports_the_impulse_of_steps_in_pieces) {
    static const td_real rates[] = {24, 30, 60, 100, 240, 2560};
    int64_t halved = 0;
    for (int k = 0; k < 6; k++) {
        OWNED(stage) s = stage_printed(
            "{step: %.17g, gravity: [0, 0, 0], air_density: 0, objects: [{solver: rod, start: "
            "drawn, position: [0, 0.23, 0], strand: {points: [[0, 0.2, 0], [0, 0, 0]], "
            "segments: 1, radius: 0.02, line_mass: 5, start: {held: free}}}], loads: [{field: "
            "{force: [0, -45*mass, 0], end: 1/15}}], constraints: [{stop: {a: {segment: "
            "0}}}], record: {fps: 60}}",
            1 / rates[k]);
        td_real taken = 0;
        for (int32_t j = 0; j < (int32_t)(0.3 * rates[k]); j++) {
            steps(s.world, 1);
            taken += constraint_at(s.world, 0).force.y * td_world_dt(s.world);
        }
        const td_real left = sums_at(s.world, 0).linear.y;
        halved += td_world_stats(s.world).halved;
        CHECK_SAY(fabs(taken - left - 3) < 3e-3, "1/%g s: took %g of 3 N s, and left %g", rates[k],
                  taken, left);
    }
    CHECK(halved > 0);
}

// A bar of 1 kg falls for 0.3 s before a constraint catches it. At 0.5 s the impulse of the
// constraint equals that of the weight. Two Euler steps precede BDF2, which repeats a third of the
// last change of momentum: the reported impulse lacks half of the change in the second Euler step.
// A rod needs several steps to stop along its axis, so that it lacks up to 0.12 of 4.9 N s, and
// pulls back; others stop in one.
TD_TEST(reference_constraint_that_begins_in_motion_reports_its_impulse) {
    static const char *const kinds[] = {"point: {a: {segment: 0}, start: 0.3}",
                                        "weld: {a: {segment: 0}, start: 0.3}"};
    for (int n = 0; n < RATES * 2 * 3; n++) {
        const td_real rate = bar_rates[n / 6];
        const bool springy = n % 3 == 1;
        OWNED(stage) s = stage_printed(
            "{step: %.17g, air_density: 0, objects: [{solver: %s, start: drawn, position: [0, "
            "1, 0], strand: {points: [[0, 0, 0], [0, -0.2, 0]], segments: 1, radius: 0.02, "
            "line_mass: 5, start: {held: free}}}], constraints: [{%s}], record: {fps: 60}}",
            1 / rate, solvers[n % 3], kinds[n / 3 % 2]);
        const int64_t start = llround(0.3 * rate);
        td_real taken = 0, least = 1e9, first = 0, second = 0, left = 0;
        for (int64_t j = 1; j <= llround(0.5 * rate); j++) {
            steps(s.world, 1);
            const td_real force = constraint_at(s.world, 0).force.y;
            least = j <= start ? least : fmin(least, force);
            taken += force / rate;
            left = sums_at(s.world, 0).linear.y;
            first = j == start + 1 ? left : first;
            second = j == start + 2 ? left : second;
        }
        const td_real lacks = 0.5 * (second - first);
        CHECK_SAY(fabs(taken + lacks - left - 9.81 * 0.5) < 1e-4 &&
                      lacks < (springy ? 0.12 : 1e-4) && (least > 0 || (springy && rate > 60)),
                  "%s, %s, 1/%g s: took %g N s, lacks %g, the least force is %g N", solvers[n % 3],
                  kinds[n / 3 % 2], rate, taken, lacks, least);
    }
}

// A point and a bar to the same point hold a strand that is in motion when they begin. Together
// they bear its weight; neither may keep the forces that stopped it.
TD_TEST(reference_redundant_constraints_that_begin_in_motion_do_not_fight) {
    for (int k = 0; k < 3; k++) {
        OWNED(stage) s = stage_printed(
            "{objects: [{solver: %s, start: drawn, position: [0, 1, 0], strand: {points: [[0, "
            "0, 0], [0.2, -0.15, 0], [0.4, 0, 0]], segments: 6, radius: 0.01, bend: 0.05, "
            "torsion: 0.05, damping_time: 0.02}}], constraints: [{point: {a: {segment: 5}, "
            "start: 0.3}}, {distance: {a: {segment: 5}, to: [0.4, 1.3, 0], start: 0.3}}]}",
            solvers[k]);
        steps(s.world, 60);
        for (int32_t i = 0; i < 2; i++) {
            const td_real force = tdi_norm(constraint_at(s.world, i).force);
            CHECK_SAY(force < 2, "%s: %g N", solvers[k], force);
        }
    }
}

// The forces of all contacts in all steps, of a bar of 0.1 kg that a push has set off against a
// wall. Its end alone has the restitution: a rod gives it back as a whole if it hardly swings along
// itself in a step (docs/theory/contact.md), so that this one is stiff at short steps.
TD_TEST(reference_bounce_reports_its_impulse) {
    for (int n = 0; n < 3 * RATES * 4 * td_solver_count(); n++) {
        const int32_t i = n / 3 % 4, k = n / 12 % td_solver_count();
        const td_real rate = bar_rates[n / 12 / td_solver_count()], restitution = 0.5 * (n % 3);
        const bool springy = strcmp(td_solver_get(k).name, "rod") == 0 && rate > 60;
        char text[1500], push[120];
        if (!can_be(k, i) || (i >= 2 && !td_solver_get(k).explicit_contact)) {
            continue;
        }
        snprintf(push, sizeof push, "{push: {segment: 0, force: [%.17g, 0, 0], end: %.17g}}",
                 0.1 * rate, 1 / rate);
        free_bar(text, sizeof text, k, i, rate, springy ? "stretch: 1e8," : "", push);
        const size_t length = strlen(text) - 1;
        snprintf(text + length, sizeof text - length,
                 ", contact: {method: exact, self: false},\n"
                 " colliders: [{plane: {position: [%.17g, 0, 0], rotation: {axis: [0, 0, 1],\n"
                 " degrees: 90}, friction: 0, restitution: %g}}]}",
                 1.01 + 17.4 / rate, restitution);
        OWNED(stage) s = stage_of(text);
        td_real taken = 0;
        for (int32_t j = 0; j < 40 && s.world; j++) {
            td_contact contacts[8];
            steps(s.world, 1);
            const int32_t count = td_world_contacts(s.world, contacts, 8);
            for (int32_t c = 0; c < count; c++) {
                taken -= contacts[c].force.x * td_world_dt(s.world);
            }
        }
        CHECK_SAY(fabs(taken + momentum_x(s.world) - 0.1) < 1e-3 &&
                      fabs(momentum_x(s.world) + 0.1 * restitution) < 2e-3,
                  "e = %g, %s by %s, 1/%g s: took %.9g of 0.1 N s, and left %.9g", restitution,
                  td_solver_get(k).name, integrator_names[i], rate, taken, momentum_x(s.world));
    }
}

// Sticks fall on the ground and on each other. What the ground has taken in all steps is their
// weight and their momentum, also in steps that impacts cut into pieces, of which contact reports
// the mean.
TD_TEST(reference_contact_reports_the_impulse_of_steps_in_pieces) {
    static const td_real rates[] = {30, 60, 100, 240};
    for (int n = 0; n < 3 * 3 * 4; n++) {
        const int k = n / 3 % 3;
        const td_real rate = rates[n / 9], restitution = 0.4 * (n % 3);
        OWNED(stage) s = stage_printed(
            "{step: %.17g, tolerance: 1e-9, air_density: 0, contact: {method: exact, restitution: "
            "%g}, colliders: [{plane: {restitution: %g}}], objects: [{solver: %s, start: drawn, "
            "%s instances: {count: 3, area: [0.1, 0, 0.1], jitter: 0, layout: grid}, position: [0, "
            "0.23, 0], strand: {points: [[0, 0, 0], [0.2, 0.1, 0.1]], segments: 2, radius: 0.01, "
            "line_mass: 2.5%s}}]}",
            1 / rate, restitution, restitution, solvers[k], k == 0 ? "loose: true," : "",
            k == 0 ? "" : ", start: {held: free}");
        td_real taken = 0, off = 0;
        for (int32_t j = 0; j < (int32_t)(0.5 * rate); j++) {
            td_contact contacts[64];
            steps(s.world, 1);
            const int32_t count = td_world_contacts(s.world, contacts, 64);
            for (int32_t i = 0; i < count && i < 64; i++) {
                const bool ground = contacts[i].other_actor == TD_NONE;
                taken += ground ? contacts[i].force.y * td_world_dt(s.world) : 0;
            }
            const td_real weight = 9.81 * mass_of(s.world) * td_world_time(s.world);
            off = fmax(off, fabs(taken - weight - td_world_sums(s.world).linear.y));
        }
        CHECK_SAY(off < 2e-5 && taken > 5, "%s, e = %g, 1/%g s: %g N s off of %g", solvers[k],
                  restitution, rate, off, taken);
    }
}

// ---- steps of a program's own length --------------------------------------------------------

// A number from 0 to 1 of a row that is always the same.
static td_real chance(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0;
}

// Runs to `end` in steps of `dt`, each longer or shorter by up to `jitter` of it, the last so that
// it ends there.
static void advance_to(td_world *world, td_real end, td_real dt, td_real jitter) {
    td_diag diag = {.message = ""};
    uint32_t seed = 7;
    while (world && td_world_time(world) < end - 1e-9) {
        const td_real left = end - td_world_time(world),
                      next = dt * (1 + jitter * (2 * chance(&seed) - 1));
        const td_real take = left < 1.3 * dt ? left : next;
        if (td_world_advance(world, take, &diag) != TD_OK) {
            test_failed(__FILE__, __LINE__, "%s", diag.message);
            return;
        }
    }
}

static void swinging(char *text, size_t size, const char *solver, const char *with,
                     const char *bodies) {
    snprintf(text, size,
             "{tolerance: 1e-13, %s air_density: 0.1, objects: [{solver: %s, start: drawn,\n"
             " damping_ratio: 0, strand: {points: [[0, 0, 0], [0.3, 0, 0]], segments: 4,\n"
             " radius: 0.004, line_mass: 0.05, bend: 1e-4, torsion: 1e-4%s}}]}",
             with, solver, bodies);
}

// Runs to `end` in steps of `dt`, of which every fifth is a dropped frame, a little over twice as
// long.
static void advance_with_drops(td_world *world, td_real end, td_real dt) {
    td_diag diag = {.message = ""};
    for (int k = 0; world && td_world_time(world) < end - 1e-9; k++) {
        const td_real left = end - td_world_time(world), next = k % 5 == 4 ? 2.02 * dt : dt;
        if (td_world_advance(world, left < 1.3 * next ? left : next, &diag) != TD_OK) {
            test_failed(__FILE__, __LINE__, "%s", diag.message);
            return;
        }
    }
}

// Halving the step takes three quarters of the error away.
static void check_second_order(const char *solver, bool drops, const char *bodies) {
    char text[900];
    td_vec3 tip[5];
    td_real error[4];
    swinging(text, sizeof text, solver, "", bodies);
    for (int n = 4; n >= 0; n--) {
        static const td_real dt[] = {1.0 / 250, 1.0 / 500, 1.0 / 1000, 1.0 / 2000, 1.0 / 16000};
        OWNED(stage) s = stage_of(text);
        if (drops && n < 4) {
            advance_with_drops(s.world, 0.2, dt[n]);
        } else {
            advance_to(s.world, 0.2, dt[n], n < 4 ? 0.2 : 0);
        }
        tip[n] = tip_of(s.world, 0, -1);
        error[n < 4 ? n : 0] = apart(tip[n], tip[4]);
    }
    const td_real order = log2(error[1] / error[3]) / 2;
    CHECK_SAY(order > 1.8 && order < 2.4, "%s: order %g, errors %g %g %g %g m", solver, order,
              error[0], error[1], error[2], error[3]);
}

TD_TEST(advance_with_steps_that_vary_by_a_fifth_is_of_second_order) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        check_second_order(td_solver_get(k).name, false, "");
    }
}

TD_TEST(advance_with_steps_that_vary_is_of_second_order_with_a_welded_box) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        check_second_order(td_solver_get(k).name, false,
                           ", bodies: [{at: 1, mass: 0.01, size: [0.02, 0.03, 0.05]}]");
    }
}

TD_TEST(advance_with_dropped_frames_is_of_second_order) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        check_second_order(td_solver_get(k).name, true, "");
    }
}

TD_TEST(advance_by_the_scenes_own_step_has_the_bits_of_step) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        char text[900];
        swinging(text, sizeof text, td_solver_get(k).name, "", "");
        OWNED(stage) a = stage_of(text), b = stage_of(text);
        for (int n = 0; n < 20; n++) {
            CHECK(td_world_step(a.world, NULL) == TD_OK);
            CHECK(td_world_advance(b.world, td_world_dt(b.world), NULL) == TD_OK);
        }
        CHECK(same_bits(a.world, b.world));
    }
}

static const char busy[] =
    "contact: {}, sleep: {}, colliders: [{plane: {position: [0, -0.1, 0]}}],\n"
    " loads: [{wind: {velocity: [2, 0, 1], intensity: 0.3}},\n"
    " {push: {force: [0, 0, 0.2], start: 0.05, end: 0.09}}],\n"
    " constraints: [{rope: {a: {segment: 3}, to: [0.3, 0.02, 0], length: 0.1}}],";

// With contact, wind, a push and a rope, by every integrator: a restored world moves on alike.
TD_TEST(advance_goes_on_after_a_restore_with_the_same_bits) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        for (int with = 0; with < 2; with++) {
            char text[1500];
            uint32_t seed = 3;
            swinging(text, sizeof text, td_solver_get(k).name, with ? busy : "", "");
            OWNED(stage) a = stage_of(text), b = stage_of(text);
            for (int n = 0; n < 24; n++) {
                const td_real dt = (0.6 + 0.9 * chance(&seed)) / 60;
                td_diag diag = {.message = ""};
                CHECK_SAY(td_world_advance(a.world, dt, &diag) == TD_OK, "%s", diag.message);
                CHECK_SAY(td_world_advance(b.world, dt, &diag) == TD_OK, "%s", diag.message);
                restore_from(b.world, a.world);
                CHECK(same_bits(a.world, b.world));
            }
            OWNED(stage) c = stage_of(text);
            restore_from(c.world, a.world);
            for (int n = 0; n < 4; n++) {
                const td_real dt = (0.4 + 1.5 * chance(&seed)) / 60;
                CHECK(td_world_advance(a.world, dt, NULL) == TD_OK);
                CHECK(td_world_advance(c.world, dt, NULL) == TD_OK);
            }
            CHECK(same_bits(a.world, c.world));
        }
    }
}

// By any integrator a push of a program's own steps gives its impulse, and what rests rests.
TD_TEST(advance_keeps_impulses_exact_with_steps_that_vary) {
    for (int32_t k = 0; k < td_solver_count(); k++) {
        for (int i = 0; i < 4; i++) {
            char text[1200];
            if (!can_be(k, i)) {
                continue;
            }
            free_bar(text, sizeof text, k, i, 60, "",
                     "{push: {segment: 0, force: [3, 0, 0], start: 0.021, end: 0.11}}");
            OWNED(stage) s = stage_of(text);
            advance_to(s.world, 0.2, 1.0 / 60, 0.2);
            check_impulse(s.world, 3 * 0.089, "jitter", k, i);
        }
    }
}

TD_TEST(advance_refuses_steps_that_are_none) {
    static const td_real wrong[] = {0, -0.01, 1e-12, 1.5, INFINITY, NAN};
    char text[900];
    swinging(text, sizeof text, "tree", "", "");
    OWNED(stage) s = stage_of(text), same = stage_of(text);
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        td_diag diag = {.message = ""};
        CHECK(td_world_advance(s.world, wrong[n], &diag) == TD_ERR_ARGUMENT);
        CHECK_SAY(strstr(diag.message, "it must be from 1e-09 to 1 s"), "%s", diag.message);
    }
    CHECK(same_bits(s.world, same.world));
    CHECK(td_world_advance(s.world, 0.016, NULL) == TD_OK);
    CHECK_REL(td_world_time(s.world), 0.016, 1e-15);
}
