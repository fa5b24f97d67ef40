// SPDX-License-Identifier: MIT
// The cases of `tendril validate` that the other tests of trees leave out, short enough for every
// build: docs/theory/validation.md says what each is about.

#include "test_tree_shapes.h"

#define GRAVITY 9.81

static const td_integrator integrators[] = {TD_EULER, TD_RK4, TD_IMPLICIT, TD_IMPLICIT_EULER};

static td_step_opts exact_steps(td_integrator integrator, double dt, td_vec3 gravity) {
    td_step_opts opts = steps_of(integrator, dt, gravity);
    opts.tolerance = 1e-13;
    return opts;
}

static double energy_of(tree t, td_vec3 gravity) {
    td_energy e = td_body_energy(t.state, gravity);
    return e.kinetic + e.elastic + e.weight;
}

// ---- pendulums ------------------------------------------------------------------------------

#define ROD 0.5 // m

// thin rods of 0.3 kg on hinges that turn about x, hanging; theta'' = -1.5 g/l sin theta for one
static tree hanging_rods(int32_t n) {
    td_segment_def defs[2];
    for (int32_t i = 0; i < n; i++) {
        defs[i] = td_segment_def_default();
        defs[i].parent = i - 1;
        defs[i].joint = TD_JOINT_HINGE;
        defs[i].rest = i == 0 ? (td_quat){0, 0, 0, 1} : tdi_quat_identity();
        defs[i].length = ROD;
        defs[i].mass = 0.3;
        defs[i].centre_of_mass = tdi_vec3(0, ROD / 2, 0);
        defs[i].second_moment.yy = 0.3 * ROD * ROD / 3;
        defs[i].has_stiffness = defs[i].has_damping = true;
    }
    return tree_of(defs, n, TD_LAW_LINEAR, NULL);
}

static void let_go(tree t, double first, double second) {
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    t.q[0] = first;
    if (t.nq > 1) {
        t.q[1] = second - first;
    }
    td_tree_state_changed(t.state);
}

// T = 2 pi/agm(1, cos(a/2)) sqrt(2 l/(3 g))
static double period_of(double amplitude) {
    double a = 1, b = cos(amplitude / 2);
    for (int i = 0; i < 8; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return 2 * TDI_PI / a * sqrt(2 * ROD / (3 * GRAVITY));
}

// from the first pass of the plumb line to the third
static double period_seen(tree t, const td_step_opts *opts, double amplitude) {
    double passed[3] = {0, 0, 0}, before = amplitude;
    int passes = 0;
    let_go(t, amplitude, 0);
    for (int32_t i = 1; passes < 3 && i * opts->dt < 20; i++) {
        run(t, opts, 1);
        if (before * t.q[0] <= 0) {
            passed[passes++] = (i - t.q[0] / (t.q[0] - before)) * opts->dt;
        }
        before = t.q[0];
    }
    CHECK_INT(passes, 3);
    return passed[2] - passed[0];
}

TD_TEST(tree_pendulum_swings_with_the_period_of_the_elliptic_integral) {
    const double dt[] = {2e-4, 1e-3, 5e-4};
    const double amplitudes[] = {0.1, 1, 3};
    tree t = hanging_rods(1);
    for (int k = 0; k < 3; k++) {
        td_step_opts opts = exact_steps(integrators[k], dt[k], weight);
        for (int i = 0; i < 3; i++) {
            CHECK_REL(period_seen(t, &opts, amplitudes[i]), period_of(amplitudes[i]), 1e-4);
        }
    }
    tree_free(t);
}

// Points of the rod move as z = exp(i theta). The potential I/2 |z - z^|^2 - h'^2 m g d Re z is
// least over |z| = 1 where z points along z^ + h'^2 m g d/I.
typedef struct swing {
    double z[2], w[2], z_before[2], w_before[2];
    bool two; // the two-step rule has a past
} swing;

static double swing_on(swing *s, double dt) {
    double a = s->two ? 4.0 / 3 : 1, b = 1 - a, h = s->two ? 2 * dt / 3 : dt;
    double history[2], next[2];
    for (int k = 0; k < 2; k++) {
        history[k] = a * s->z[k] + b * s->z_before[k];
        next[k] = history[k] + h * (a * s->w[k] + b * s->w_before[k]);
        s->z_before[k] = s->z[k];
        s->w_before[k] = s->w[k];
    }
    next[0] += h * h * 1.5 * GRAVITY / ROD;
    double norm = hypot(next[0], next[1]);
    for (int k = 0; k < 2; k++) {
        s->z[k] = next[k] / norm;
        s->w[k] = (s->z[k] - history[k]) / h;
    }
    return atan2(s->z[1], s->z[0]);
}

TD_TEST(tree_pendulum_in_implicit_steps_follows_their_closed_form) {
    const double dt = 1.0 / 240;
    tree t = hanging_rods(1);
    for (int k = 2; k < 4; k++) {
        td_step_opts opts = exact_steps(integrators[k], dt, weight);
        swing s = {.z = {cos(2), sin(2)}};
        double apart = 0;
        let_go(t, 2, 0);
        for (int i = 0; i < 1200; i++) {
            run(t, &opts, 1);
            apart = fmax(apart, fabs(t.q[0] - swing_on(&s, dt)));
            s.two = integrators[k] == TD_IMPLICIT;
        }
        CHECK_IN(apart, 0, 1e-10);
    }
    tree_free(t);
}

TD_TEST(tree_double_pendulum_ends_in_the_same_bits_twice_for_all_integrators) {
    tree t = hanging_rods(2);
    for (int k = 0; k < 4; k++) {
        td_step_opts opts = exact_steps(integrators[k], 1e-3, weight);
        td_real end[2][4];
        for (int i = 0; i < 2; i++) {
            let_go(t, 2, 1);
            run(t, &opts, 2000);
            memcpy(end[i], t.q, 2 * sizeof(td_real));
            memcpy(end[i] + 2, td_tree_velocities(t.state), 2 * sizeof(td_real));
        }
        CHECK(memcmp(end[0], end[1], sizeof end[0]) == 0);
    }
    tree_free(t);
}

// the plants thesis, appendix A, for rods alike; angles from the plumb line
static void double_accel(const double *theta, const double *rate, double *accel) {
    double c = 0.5 * cos(theta[0] - theta[1]), s = 0.5 * sin(theta[0] - theta[1]);
    double r0 = -s * rate[1] * rate[1] - 1.5 * GRAVITY / ROD * sin(theta[0]);
    double r1 = s * rate[0] * rate[0] - 0.5 * GRAVITY / ROD * sin(theta[1]);
    double det = 4.0 / 9 - c * c;
    accel[0] = (r0 / 3 - c * r1) / det;
    accel[1] = (4 * r1 / 3 - c * r0) / det;
}

// s until the tree and the derived equations, started off by `push` rad, are 0.1 rad apart
static double seconds_together(tree t, double push) {
    double theta[2] = {TDI_PI / 2 + push, TDI_PI / 2}, rate[2] = {0, 0}, accel[2], dt = 1e-3;
    td_step_opts opts = steps_of(TD_EULER, dt, weight);
    let_go(t, TDI_PI / 2, TDI_PI / 2);
    for (int32_t i = 1; i <= 60000; i++) {
        run(t, &opts, 1);
        double_accel(theta, rate, accel);
        for (int k = 0; k < 2; k++) {
            rate[k] += dt * accel[k];
            theta[k] += dt * rate[k];
        }
        if (fabs(t.q[0] - theta[0]) > 0.1 || fabs(t.q[0] + t.q[1] - theta[1]) > 0.1) {
            return i * dt;
        }
    }
    return 60;
}

TD_TEST(tree_double_pendulum_stays_with_its_equations_until_rounding_parts_them) {
    tree t = hanging_rods(2);
    double pushed = seconds_together(t, 1e-4), alike = seconds_together(t, 0);
    CHECK_IN(pushed, 0.5, 0.5 * alike);
    tree_free(t);
}

// ---- beams ----------------------------------------------------------------------------------

// the thesis's beam: 1 m, level
static const beam_def thesis_beam = {100, 1, 0.01, 8.1e9, 923, 0.3, 0, false, false};

static void settle(tree t, const td_step_opts *opts) {
    td_step_stats stats = {0};
    CHECK_INT(td_body_settle(t.state, opts, &stats, NULL), TD_OK);
    CHECK_INT(stats.unconverged, 0);
}

// w l^4/(8 E I), w = rho A g, A/I = 4/r^2
TD_TEST(tree_cantilever_droops_as_beam_theory_says) {
    const beam_def *b = &thesis_beam;
    tree t = make_beam(b);
    td_step_opts opts = td_step_opts_default();
    settle(t, &opts);
    double want = b->density * GRAVITY * 4 / (b->radius * b->radius) / (8 * b->young);
    CHECK_REL(-td_body_tip(t.state, b->count - 1).y, want, 2e-4);
    tree_free(t);
}

// Large bending by P across the tip, alpha = P l^2/(E I): elliptic integrals, to five digits.
TD_TEST(tree_cantilever_under_a_load_at_its_tip_bends_to_the_elastica) {
    const struct {
        double alpha, axial, transverse;
    } known[] = {{1, 0.05643, 0.30172}, {2, 0.16064, 0.49346}, {10, 0.55500, 0.81061}};
    const beam_def *b = &thesis_beam;
    double bending = b->young * TDI_PI / 4 * pow(b->radius, 4);
    for (int k = 0; k < 3; k++) {
        tree t = make_beam(b);
        td_load load = {.kind = TD_LOAD_FORCE,
                        .segment = b->count - 1,
                        .point = {0, b->length / b->count, 0},
                        .vector = {0, -known[k].alpha * bending, 0}};
        td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weightless);
        opts.loads = &load;
        opts.load_count = 1;
        settle(t, &opts);
        td_vec3 tip = td_body_tip(t.state, b->count - 1);
        CHECK_IN(fabs(1 - tip.x - known[k].axial), 0, 1e-3);
        CHECK_IN(fabs(-tip.y - known[k].transverse), 0, 1e-3);
        tree_free(t);
    }
}

// bent by a hundredth of its weight and let go without any
static tree swaying_beam(const beam_def *b) {
    tree t = make_beam(b);
    td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, tdi_vec3(0, -0.01 * GRAVITY, 0));
    settle(t, &opts);
    return t;
}

// BDF2 slows a motion by (omega h)^2/3.
TD_TEST(tree_beam_sways_in_steps_at_the_frequency_of_its_first_mode) {
    beam_def b = thesis_beam;
    b.count = 20;
    b.young *= 0.1;
    tree t = make_beam(&b);
    td_mode mode;
    td_diag diag = {.message = ""};
    CHECK_INT(td_body_modes(t.state, weightless, 1, &mode, &diag), TD_OK);
    tree_free(t);
    t = swaying_beam(&b);
    td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 240, weightless);
    double first = 0, last = 0, before = 0;
    int32_t passes = 0;
    for (int32_t i = 1; i <= 1200; i++) {
        run(t, &opts, 1);
        double y = td_body_tip(t.state, b.count - 1).y;
        if (i > 1 && before < 0 && y >= 0) {
            last = (i - y / (y - before)) * opts.dt;
            first = passes++ == 0 ? last : first;
        }
        before = y;
    }
    double turn = 2 * TDI_PI * mode.frequency * opts.dt;
    CHECK_REL((passes - 1) / (last - first), mode.frequency * (1 - turn * turn / 3), 5e-4);
    tree_free(t);
}

// mean energy of a period of 1 s
static double mean_energy(tree t, const td_step_opts *opts) {
    double sum = 0;
    for (int32_t i = 0; i < 60; i++) {
        run(t, opts, 1);
        sum += energy_of(t, opts->gravity);
    }
    return sum / 60;
}

// E falls as exp(-2 zeta omega t), with zeta = (omega h)^3/4 of BDF2; the first two seconds are
// left to the faster modes
TD_TEST(tree_sway_at_1_hz_is_damped_by_the_two_step_rule_as_theory_says) {
    beam_def b = thesis_beam;
    b.count = 20;
    // f = (beta l)^2/(2 pi l^2) sqrt(E r^2/(4 rho)) = 1 Hz
    double speed = 2 * TDI_PI / (1.8751040687 * 1.8751040687);
    b.young = 4 * b.density * speed * speed / (b.radius * b.radius);
    tree t = swaying_beam(&b);
    td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weightless);
    run(t, &opts, 120);
    double first = mean_energy(t, &opts);
    run(t, &opts, 9 * 60);
    double last = mean_energy(t, &opts);
    double ratio = log(first / last) / (2 * 2 * TDI_PI * 10);
    CHECK_REL(ratio, pow(2 * TDI_PI / 60, 3) / 4, 0.1);
    tree_free(t);
}

// ---- chains ---------------------------------------------------------------------------------

static beam_def limp_chain(int32_t links) {
    beam_def b = {links, 1, 0.002, 1e9, 1000, 0.3, 0, false, true};
    return b;
}

TD_TEST(tree_limp_chain_let_go_from_level_rests_on_the_plumb_line) {
    beam_def b = limp_chain(100);
    tree t = make_beam(&b);
    td_step_opts opts = td_step_opts_default();
    settle(t, &opts);
    for (int32_t i = 0; i < b.count; i++) {
        td_vec3 tip = td_body_tip(t.state, i);
        CHECK_IN(hypot(tip.x, tip.z), 0, 1e-6);
        CHECK_REL(tip.y, -(i + 1.0) / b.count, 1e-6);
    }
    tree_free(t);
}

#define SPAN 0.7 // m, between the pins

// a with 2 a sinh(d/(2a)) = 1 m
static double catenary_scale(void) {
    double low = 1e-3, high = 1e3;
    for (int i = 0; i < 200; i++) {
        double a = sqrt(low * high);
        *(2 * a * sinh(SPAN / (2 * a)) > 1 ? &low : &high) = a;
    }
    return low;
}

// farthest from y = a cosh((x - d/2)/a) - a cosh(d/(2a))
static double off_catenary(int32_t links) {
    beam_def b = limp_chain(links);
    tree t = make_beam(&b);
    td_load pin = {.kind = TD_LOAD_SPRING,
                   .segment = links - 1,
                   .point = {0, 1.0 / links, 0},
                   .vector = {SPAN, 0, 0},
                   .stiffness = 1e6};
    td_step_opts opts = td_step_opts_default();
    opts.loads = &pin;
    opts.load_count = 1;
    settle(t, &opts);
    double a = catenary_scale(), off = 0;
    for (int32_t i = 0; i < links; i++) {
        td_vec3 tip = td_body_tip(t.state, i);
        double y = a * (cosh((tip.x - SPAN / 2) / a) - cosh(SPAN / (2 * a)));
        off = fmax(off, hypot(tip.y - y, tip.z));
    }
    tree_free(t);
    return off;
}

// straight links leave the curve by the square of their length
TD_TEST(tree_limp_chain_between_two_pins_rests_on_the_catenary) {
    double coarse = off_catenary(40), fine = off_catenary(80);
    CHECK_IN(fine, 0, 1e-3);
    CHECK_IN(coarse / fine, 3.5, 4.5);
}

// ---- energy ---------------------------------------------------------------------------------

// The worst rises of a run, over the energy put in: above the least before, and above the start.
typedef struct rises {
    double any, above;
} rises;

static void follow(tree t, const td_step_opts *opts, int32_t steps, double put_in, rises *worst) {
    double start = energy_of(t, opts->gravity), least = start;
    for (int32_t i = 0; i < steps; i++) {
        run(t, opts, 1);
        double energy = energy_of(t, opts->gravity);
        CHECK(isfinite(energy));
        worst->any = fmax(worst->any, (energy - least) / put_in);
        worst->above = fmax(worst->above, (energy - start) / put_in);
        least = fmin(least, energy);
    }
}

// energy at the nearest rest, to which the tree moves
static double rest_energy(tree t, td_vec3 gravity) {
    td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, gravity);
    settle(t, &opts);
    return energy_of(t, gravity);
}

TD_TEST(tree_energy_never_rises_in_backward_euler_nor_past_its_start_in_two_steps) {
    tdi_random r;
    rises worst[2] = {{0, 0}, {0, 0}};
    tdi_random_seed(&r, 91);
    for (int k = 0; k < 12; k++) {
        tree t = sprung_tree(&r, 10, k % 4 ? 5 : 0.5, k % 3 == 0, TD_LAW_LINEAR);
        td_vec3 gravity = k % 3 == 0 ? weightless : weight;
        random_state(t, &r, 1, 3);
        td_real *q = reals(t.nq), *v = reals(t.nv);
        memcpy(q, t.q, (size_t)t.nq * sizeof *q);
        memcpy(v, t.v, (size_t)t.nv * sizeof *v);
        double put_in = energy_of(t, gravity);
        put_in -= k % 3 == 0 ? 0 : rest_energy(t, gravity);
        for (int i = 0; i < 2; i++) {
            td_step_opts opts = steps_of(i ? TD_IMPLICIT : TD_IMPLICIT_EULER, 1.0 / 60, gravity);
            memcpy(t.q, q, (size_t)t.nq * sizeof *q);
            memcpy(td_tree_velocities(t.state), v, (size_t)t.nv * sizeof *v);
            td_tree_state_changed(t.state);
            follow(t, &opts, 120, put_in, &worst[i]);
        }
        free(q);
        free(v);
        tree_free(t);
    }
    CHECK_IN(worst[0].any, 0, 1e-3);
    CHECK_IN(worst[1].above, 0, 0.01);
}

// For one rod, whose inertia does not change, symplectic Euler keeps the error of the energy where
// it is.
TD_TEST(tree_euler_keeps_the_energy_of_a_swing_for_100000_steps) {
    tree t = hanging_rods(1);
    td_step_opts opts = steps_of(TD_EULER, 1e-3, weight);
    double rest = energy_of(t, weight), worst[2] = {0, 0};
    let_go(t, 2, 0);
    double start = energy_of(t, weight);
    for (int32_t i = 0; i < 100000; i++) {
        run(t, &opts, 1);
        double off = fabs(energy_of(t, weight) - start) / (start - rest);
        worst[i >= 50000] = fmax(worst[i >= 50000], off);
    }
    CHECK_IN(worst[0], 0, 0.01);
    CHECK_REL(worst[1], worst[0], 0.01);
    tree_free(t);
}

// A second in a wind of 30 m/s, which stops at once: still air only takes energy.
TD_TEST(tree_after_a_gust_gains_no_energy_from_still_air) {
    tdi_random r;
    rises worst[2] = {{0, 0}, {0, 0}};
    tdi_random_seed(&r, 92);
    for (int k = 0; k < 10; k++) {
        tree t = sprung_tree(&r, 12, k % 2 ? 20 : 2, false, TD_LAW_LINEAR);
        double rest = rest_energy(t, weight);
        for (int i = 0; i < 2; i++) {
            td_step_opts opts = steps_of(i ? TD_IMPLICIT : TD_IMPLICIT_EULER, 1.0 / 60, weight);
            rest_energy(t, weight);
            opts.air = (td_air){{30, 0, 0}, 0.05, 0.6};
            run(t, &opts, 60);
            opts.air.wind.x = 0;
            follow(t, &opts, 60, energy_of(t, weight) - rest, &worst[i]);
        }
        tree_free(t);
    }
    CHECK_IN(worst[0].any, 0, 1e-3);
    CHECK_IN(worst[1].above, 0, 0.01);
}

// ---- orders and agreement -------------------------------------------------------------------

typedef struct path {
    tree t;
    td_real *q, *v; // where it starts
} path;

static path path_from(uint64_t seed) {
    tdi_random r;
    tdi_random_seed(&r, seed);
    path p = {.t = sprung_tree(&r, 8, 1, false, TD_LAW_LINEAR)};
    random_state(p.t, &r, 0.5, 3);
    p.q = reals(p.t.nq);
    p.v = reals(p.t.nv);
    memcpy(p.q, p.t.q, (size_t)p.t.nq * sizeof *p.q);
    memcpy(p.v, p.t.v, (size_t)p.t.nv * sizeof *p.v);
    return p;
}

static void path_free(path p) {
    free(p.q);
    free(p.v);
    tree_free(p.t);
}

// where the last tip is after a quarter of a second
static td_vec3 path_end(path p, td_integrator integrator, int32_t steps) {
    td_step_opts opts = exact_steps(integrator, 0.25 / steps, weight);
    memcpy(p.t.q, p.q, (size_t)p.t.nq * sizeof *p.q);
    memcpy(td_tree_velocities(p.t.state), p.v, (size_t)p.t.nv * sizeof *p.v);
    td_tree_state_changed(p.t.state);
    run(p.t, &opts, steps);
    return td_body_tip(p.t.state, tdi_as_tree_model(p.t.model)->body_count - 1);
}

TD_TEST(tree_implicit_is_of_second_and_backward_euler_of_first_order) {
    for (uint64_t seed = 93; seed < 96; seed++) {
        path p = path_from(seed);
        td_vec3 truth = path_end(p, TD_RK4, 2000);
        for (int k = 2; k < 4; k++) {
            int32_t steps = integrators[k] == TD_IMPLICIT ? 1000 : 4000;
            td_vec3 a = path_end(p, integrators[k], steps);
            td_vec3 b = path_end(p, integrators[k], 2 * steps);
            double order = log2(tdi_norm(tdi_sub(a, truth)) / tdi_norm(tdi_sub(b, truth)));
            CHECK_IN(order - (integrators[k] == TD_IMPLICIT ? 2 : 1), -0.1, 0.1);
        }
        path_free(p);
    }
}

// where a rule leads as its step goes to nothing: (2^p x(h/2) - x(h))/(2^p - 1)
static td_vec3 path_limit(path p, td_integrator integrator, int32_t steps, double factor) {
    td_vec3 coarse = path_end(p, integrator, steps), fine = path_end(p, integrator, 2 * steps);
    return tdi_madd(fine, tdi_sub(fine, coarse), 1 / (factor - 1));
}

TD_TEST(tree_integrators_lead_to_the_same_place_as_their_steps_go_to_nothing) {
    for (uint64_t seed = 97; seed < 99; seed++) {
        path p = path_from(seed);
        td_vec3 truth = path_limit(p, TD_RK4, 1000, 16);
        td_vec3 euler = path_limit(p, TD_EULER, 20000, 2);
        td_vec3 implicit = path_limit(p, TD_IMPLICIT, 4000, 4);
        CHECK_IN(tdi_norm(tdi_sub(euler, truth)), 0, 1e-6);
        CHECK_IN(tdi_norm(tdi_sub(implicit, truth)), 0, 1e-6);
        path_free(p);
    }
}

// ---- stability ------------------------------------------------------------------------------

static void disturb(tree t, uint64_t seed, double angle) {
    tdi_random r;
    tdi_random_seed(&r, seed);
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    random_state(t, &r, angle, 0);
}

// Highest frequency, rad/s, of hinges about their rest: the accelerations answer small angles by
// -M^-1 K, whose largest eigenvalue powers find.
static double highest_frequency(tree t) {
    td_real *accel = reals(t.nv);
    double square = 0;
    disturb(t, 1, 1e-6);
    for (int k = 0; k < 3000; k++) {
        double size = 0, along = 0, whole = 0;
        td_tree_forward(t.state, weightless, NULL, accel);
        for (int32_t d = 0; d < t.nv; d++) {
            along -= t.q[d] * accel[d];
            whole += t.q[d] * t.q[d];
            size = fmax(size, fabs(accel[d]));
        }
        square = along / whole;
        for (int32_t d = 0; d < t.nv; d++) {
            t.q[d] = -1e-6 * accel[d] / size;
        }
        td_tree_state_changed(t.state);
    }
    free(accel);
    return sqrt(square);
}

static bool grows(tree t, double dt) {
    td_step_opts opts = steps_of(TD_EULER, dt, weightless);
    disturb(t, 2, 1e-6);
    double start = energy_of(t, weightless);
    for (int k = 0; k < 1000; k++) {
        if (td_body_step(t.state, &opts, NULL, NULL) != TD_OK) {
            return true;
        }
    }
    return !(energy_of(t, weightless) < 100 * start);
}

// the thesis's beam, bending in one plane: omega h = 2 is the limit of symplectic Euler
TD_TEST(tree_euler_is_stable_up_to_two_over_the_highest_frequency) {
    enum { COUNT = 10 };
    td_segment_def defs[COUNT];
    double length = 1.0 / COUNT, bend = 8.1e9 * TDI_PI / 4 * 1e-8 / length;
    for (int32_t i = 0; i < COUNT; i++) {
        defs[i] = td_segment_def_default();
        defs[i].parent = i - 1;
        defs[i].joint = TD_JOINT_HINGE;
        defs[i].length = length;
        defs[i].has_stiffness = defs[i].has_damping = true;
        defs[i].stiffness.x = (i == 0 ? 2 : 1) * bend;
    }
    tree t = tree_of(defs, COUNT, TD_LAW_LINEAR, NULL);
    double limit = 2 / highest_frequency(t);
    CHECK(!grows(t, 0.99 * limit));
    CHECK(grows(t, 1.01 * limit));
    tree_free(t);
}

TD_TEST(tree_implicit_steps_of_a_24th_of_a_second_are_stable_on_beams_of_any_count) {
    const int32_t counts[] = {10, 100, 1000};
    for (int k = 0; k < 3; k++) {
        beam_def b = thesis_beam;
        b.count = counts[k];
        tree t = make_beam(&b);
        td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 24, weightless);
        disturb(t, 3, 1e-3 / sqrt(b.count));
        double start = energy_of(t, weightless);
        for (int i = 0; i < 48; i++) {
            run(t, &opts, 1);
            CHECK_IN(energy_of(t, weightless) / start, 0, 1.01);
        }
        tree_free(t);
    }
}

// ---- memory ---------------------------------------------------------------------------------

TD_TEST(tree_steps_with_loads_and_air_take_no_memory_for_all_integrators) {
    tdi_random r;
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    td_segment_def defs[12];
    td_load loads[] = {
        {.kind = TD_LOAD_FORCE, .segment = 3, .point = {0, 0.1, 0}, .vector = {1, 0, 0}},
        {.kind = TD_LOAD_TORQUE, .segment = 5, .vector = {0, 0.1, 0}},
        {.kind = TD_LOAD_SPRING,
         .segment = 11,
         .point = {0, 0.1, 0},
         .vector = {0, 1, 0},
         .stiffness = 10,
         .damping = 1}};
    tdi_random_seed(&r, 99);
    for (int32_t i = 0; i < 12; i++) {
        defs[i] = random_segment(&r, i, BUSHY, 5);
        defs[i].joint = i == 0 ? TD_JOINT_FREE : (td_joint_kind)(i % 4);
    }
    for (int k = 0; k < 4; k++) {
        bool explicit = integrators[k] == TD_EULER || integrators[k] == TD_RK4;
        tree t = tree_of(defs, 12, TD_LAW_TANGENT, &alloc);
        td_step_opts opts = steps_of(integrators[k], explicit ? 1e-4 : 1.0 / 60, weight);
        opts.loads = loads;
        opts.load_count = 3;
        opts.air = (td_air){{3, 0, 1}, 0.1, 0.6};
        long calls = heap.calls;
        run(t, &opts, 20);
        CHECK_INT(heap.calls, calls);
        tree_free(t);
        CHECK_INT(heap.held, 0);
    }
}
