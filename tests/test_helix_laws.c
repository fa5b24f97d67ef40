// SPDX-License-Identifier: MIT
// What helices must obey: rest from any start, and motion that does not depend on where the axes
// point, on units, or on which hand a helix has. Pairs with src/helix.

#include "helix/rest.h"
#include "test_helix_support.h"

// ---- strands --------------------------------------------------------------------------------

enum { MOST = 40 };

typedef struct strand {
    td_body_model *model;
    td_body *state;
    int32_t n;
} strand;

static strand strand_new(const td_helix_element *first, int32_t count) {
    td_helix_element e[MOST];
    strand s = {.n = count};
    for (int32_t i = 0; i < count; i++) {
        e[i] = *first;
        if (i > 0) {
            e[i].parent = i - 1;
            e[i].turn = tdi_quat_identity();
        }
    }
    CHECK_INT(td_helix_model_new(e, count, NULL, &s.model, NULL), TD_OK);
    CHECK_INT(td_body_new(s.model, NULL, &s.state, NULL), TD_OK);
    return s;
}

static void strand_free(strand *s) {
    td_body_free(s->state);
    td_body_model_free(s->model);
}

// ---- rest -----------------------------------------------------------------------------------

// A strand of 1 m that hangs, of unit stiffness, whose weight is that of g.
static td_helix_element coil(td_real curvature, td_real twist, int32_t count) {
    td_helix_element e = td_helix_element_default();
    e.turn = (td_quat){0, 0, 0, 1}; // down
    e.length = 1.0 / count;
    e.radius_base = e.radius_tip = 1e-3;
    e.bend_x = e.bend_z = 1;
    e.twist_y = 2.0 / 3;
    e.mass = 1;
    e.rest = tdi_vec3(0, twist, curvature);
    e.start = e.rest;
    return e;
}

// Straight, wound the other way, or anything: up to twice the curvature of the coil.
static td_vec3 any_curvature(tdi_random *r, const td_helix_element *e, int kind) {
    const td_real size = tdi_norm(e->rest);
    return kind == 0   ? tdi_vec3(0, 0, 0)
           : kind == 1 ? tdi_scale(e->rest, -1)
                       : tdi_scale(any_direction(r), between(r, 0, 2 * size));
}

// Under what a coil comes to rest.
typedef struct hanging {
    td_real curvature, twist; // 1/m
    int32_t count;            // elements
    td_real gamma;            // weight times length squared over stiffness
    td_end_kind root;
} hanging;

// Settles from a start. A root that is pinned turns freely, so it is gravity that has any
// direction. Gives the energy.
static td_real claim_start(strand *s, const hanging *h, const td_helix_element *e, tdi_random *r,
                           int kind) {
    td_vec3 u[MOST], rates[MOST];
    td_step_stats stats = {0};
    td_step_opts opts = td_step_opts_default();
    opts.gravity = h->root == TD_END_PINNED ? any_direction(r) : tdi_vec3(0, -1, 0);
    opts.gravity = tdi_scale(opts.gravity, h->gamma);
    for (int32_t i = 0; i < h->count; i++) {
        u[i] = any_curvature(r, e, kind);
        rates[i] = tdi_vec3(0, 0, 0);
    }
    CHECK(td_helix_set_curvatures(s->state, u, rates, NULL) == TD_OK);
    CHECK_INT(td_body_settle(s->state, &opts, &stats, NULL), TD_OK);
    CHECK_SAY(stats.unconverged == 0 && stats.iterations <= 100,
              "%s coil (%g, %g) of %d elements, Gamma %g, start %d: %lld iterations%s",
              h->root == TD_END_PINNED ? "pinned" : "clamped", h->curvature, h->twist,
              (int)h->count, h->gamma, kind, (long long)stats.iterations,
              stats.unconverged ? ", not at rest" : "");
    // moments are right to the rounding of those of weight and springs
    CHECK_IN(tdi_helix_residual(tdi_as_helix(s->state), opts.gravity), 0,
             1e-10 * (h->gamma + h->curvature));
    const td_energy energy = td_body_energy(s->state, opts.gravity);
    return energy.elastic + energy.weight;
}

// Within 100 iterations from any start, and, where the weight is small, at the same pose.
static void claim_rest(const hanging *h, int starts) {
    tdi_random r = random_of((uint64_t)h->count);
    td_helix_element e = coil(h->curvature, h->twist, h->count);
    td_real least = HUGE_VAL, most = -HUGE_VAL;
    e.root = h->root;
    strand s = strand_new(&e, h->count);
    for (int k = 0; k < starts; k++) {
        const td_real energy = claim_start(&s, h, &e, &r, k);
        least = fmin(least, energy);
        most = fmax(most, energy);
    }
    CHECK(h->gamma > 50 || most - least < 1e-10 * (1 + fabs(least)));
    strand_free(&s);
}

TD_TEST(helix_coily_strand_comes_to_rest_within_100_iterations_from_any_start) {
    const td_real coils[3][2] = {{20, 8}, {60, 12}, {100, 5}}, gammas[4] = {5, 50, 1000, 5000};
    const int32_t counts[3] = {5, 10, 30};
    for (int k = 0; k < 72; k++) {
        const hanging h = {coils[k % 3][0], coils[k % 3][1], counts[k / 3 % 3], gammas[k / 9 % 4],
                           k < 36 ? TD_END_CLAMPED : TD_END_PINNED};
        claim_rest(&h, h.gamma > 1000 && h.count == 30 ? 40 : 10);
    }
}

TD_TEST(helix_strand_of_tight_coils_or_much_weight_comes_to_rest) {
    const hanging h[] = {{20, 8, 20, 10000, TD_END_CLAMPED}, {60, 12, 40, 20000, TD_END_PINNED},
                         {100, 5, 40, 200, TD_END_CLAMPED},  {60, 0, 1, 100, TD_END_CLAMPED},
                         {600, 40, 1, 50, TD_END_CLAMPED},   {600, 40, 1, 50, TD_END_PINNED}};
    for (int k = 0; k < 6; k++) {
        claim_rest(&h[k], 10);
    }
}

// ---- neutral turns --------------------------------------------------------------------------

// Iterations of a coil with a load on its tip; none if it has no kind.
static int64_t iterations_to_rest(td_end_kind root, td_real weight, td_load load) {
    td_helix_element e = coil(20, 8, 10);
    td_step_stats stats = {0};
    td_step_opts opts = td_step_opts_default();
    e.root = root;
    e.start = tdi_vec3(-3, 5, 1);
    strand s = strand_new(&e, 10);
    load.segment = 9;
    load.point = tdi_vec3(0, e.length, 0);
    opts.gravity = tdi_vec3(0, -weight, 0);
    opts.loads = &load;
    opts.load_count = load.stiffness > 0 || tdi_norm(load.vector) > 0;
    CHECK_INT(td_body_settle(s.state, &opts, &stats, NULL), TD_OK);
    CHECK_INT(stats.unconverged, 0);
    strand_free(&s);
    return stats.iterations;
}

TD_TEST(helix_statics_do_not_mind_turns_and_shifts_that_nothing_holds) {
    const td_load none = {.kind = TD_LOAD_FORCE},
                  hung = {.kind = TD_LOAD_FORCE, .vector = {0, -30, 0}},
                  held = {.kind = TD_LOAD_SPRING, .vector = {0.2, 0.3, 0}, .stiffness = 100};
    CHECK_IN(iterations_to_rest(TD_END_PINNED, 50, none), 1, 15);
    CHECK_IN(iterations_to_rest(TD_END_PINNED, 0, none), 1, 2); // springs alone are quadratic
    CHECK_IN(iterations_to_rest(TD_END_FREE, 0, none), 1, 2);
    CHECK_IN(iterations_to_rest(TD_END_PINNED, 50, hung), 1, 30);
    CHECK_IN(iterations_to_rest(TD_END_FREE, 50, held), 1, 30);
}

// ---- modes ----------------------------------------------------------------------------------

// All modes of a straight rod of 1 m: how many are 0, and the first frequency above, times
// 2 pi sqrt(rho A/(E I)).
static td_real first_frequency(int32_t count, td_real radius, td_end_kind root, int32_t *zeros) {
    td_helix_element e = td_helix_element_default();
    td_mode modes[3 * MOST + 6];
    e.root = root;
    e.length = 1.0 / count;
    e.radius_base = e.radius_tip = radius;
    strand s = strand_new(&e, count);
    const int32_t all = td_body_dof_count(s.model);
    CHECK_INT(td_body_modes(s.state, tdi_vec3(0, 0, 0), all, modes, NULL), TD_OK);
    strand_free(&s);
    *zeros = 0;
    while (*zeros < all - 1 && modes[*zeros].frequency == 0) {
        ++*zeros;
    }
    return modes[*zeros].frequency * 2 * TDI_PI / (0.5 * radius * sqrt(e.young / e.density));
}

// Twist is faster than bending by length over radius: it must not hide the slow modes.
TD_TEST(helix_modes_of_strands_do_not_depend_on_how_slim_they_are) {
    for (td_real radius = 1e-4; radius > 5e-8; radius *= 0.1) {
        int32_t zeros;
        CHECK_REL(first_frequency(1, radius, TD_END_CLAMPED, &zeros), sqrt(20), 1e-7);
        CHECK_INT(zeros, 0);
        CHECK_REL(first_frequency(10, radius, TD_END_CLAMPED, &zeros), 3.52283623, 1e-7);
        CHECK_INT(zeros, 0);
        CHECK_REL(first_frequency(10, radius, TD_END_FREE, &zeros), 22.3733, 1e-2); // N = 10
        CHECK_INT(zeros, 6);
    }
}

// ---- axes, units, hands ---------------------------------------------------------------------

// What a strand feels.
typedef struct around {
    td_vec3 gravity, pull; // pull: N at the tip
    td_quat turn;          // of the base
    td_real dt;
    td_air air;
} around;

// Curvatures and tip after some steps, all with Newton's method at its end.
static td_vec3 run(const td_helix_element *first, int32_t count, const around *w, int steps,
                   td_vec3 *u) {
    strand s = strand_new(first, count);
    const td_base_motion base = {.rotation = w->turn};
    const td_load pull = {.kind = TD_LOAD_FORCE,
                          .segment = count - 1,
                          .point = {0, first->length, 0},
                          .vector = w->pull};
    td_step_opts opts = td_step_opts_default();
    opts.gravity = w->gravity;
    opts.dt = w->dt;
    opts.loads = &pull;
    opts.load_count = 1;
    opts.air = w->air;
    opts.tolerance = 1e-11;
    opts.iterations = 60;
    CHECK(td_body_set_base(s.state, &base, NULL) == TD_OK);
    for (int k = 0; k < steps; k++) {
        CHECK_INT(td_body_step(s.state, &opts, NULL, NULL), TD_OK);
    }
    td_helix_curvatures(s.state, u, NULL);
    const td_vec3 tip = td_helix_place(s.state, count - 1, 1);
    strand_free(&s);
    return tip;
}

enum { COUNT = 5, STEPS = 30 };

static td_helix_element lock(void) {
    td_helix_element e = td_helix_element_default();
    e.length = 0.06;
    e.radius_base = e.radius_tip = 2e-3;
    e.flat = 0.6;
    e.turn = tdi_turn_by(tdi_vec3(1, 0.3, -0.4));
    e.rest = tdi_vec3(12, 9, -20);
    e.start = tdi_vec3(8, 3, -25);
    e.damping_time = 0.01;
    return e;
}

static const around plain_scene = {.gravity = {0, -9.81, 0},
                                   .pull = {0.002, 0.001, -0.003},
                                   .turn = {1, 0, 0, 0},
                                   .dt = 1.0 / 60,
                                   .air = {{1, 0.5, 2}, 0.1, 0.6}};

TD_TEST(helix_motion_turns_with_the_whole_scene) {
    const td_quat turn = tdi_turn_by(tdi_vec3(0.7, -1.9, 1.1));
    const td_helix_element e = lock();
    around turned = plain_scene;
    td_vec3 u[COUNT], v[COUNT];
    turned.gravity = tdi_quat_rotate(turn, turned.gravity);
    turned.pull = tdi_quat_rotate(turn, turned.pull);
    turned.air.wind = tdi_quat_rotate(turn, turned.air.wind);
    turned.turn = turn;
    const td_vec3 tip = run(&e, COUNT, &plain_scene, STEPS, u);
    const td_vec3 want = tdi_quat_rotate(turn, tip), got = run(&e, COUNT, &turned, STEPS, v);
    CHECK_IN(tdi_norm(tdi_sub(got, want)), 0, 1e-9);
    CHECK(tdi_norm(tdi_sub(tip, want)) > 0.01);
    for (int k = 0; k < COUNT; k++) {
        CHECK_IN(tdi_norm(tdi_sub(u[k], v[k])) * e.length, 0, 1e-8);
    }
}

// Lengths times 4, times times 2, masses times 8: gravity stays, density goes with 8/64,
// stiffness E I with mass length^3/time^2, linear drag with mass/(length^2 time).
TD_TEST(helix_motion_does_not_depend_on_units) {
    const td_real l = 4, t = 2, m = 8;
    const td_helix_element e = lock();
    td_helix_element f = e;
    around other = plain_scene;
    td_vec3 u[COUNT], v[COUNT];
    f.length *= l;
    f.radius_base *= l;
    f.radius_tip *= l;
    f.rest = tdi_scale(e.rest, 1 / l);
    f.start = tdi_scale(e.start, 1 / l);
    f.density *= m / (l * l * l);
    f.young *= m / (l * t * t);
    f.damping_time *= t;
    other.dt *= t;
    other.gravity = tdi_scale(other.gravity, l / (t * t));
    other.pull = tdi_scale(other.pull, m * l / (t * t));
    other.air.wind = tdi_scale(other.air.wind, l / t);
    other.air.linear *= m / (l * l * t);
    other.air.quadratic *= m / (l * l * l);
    const td_vec3 tip = run(&e, COUNT, &plain_scene, STEPS, u),
                  got = run(&f, COUNT, &other, STEPS, v);
    CHECK_IN(tdi_norm(tdi_sub(tdi_scale(got, 1 / l), tip)), 0, 1e-9);
    for (int k = 0; k < COUNT; k++) {
        CHECK_IN(tdi_norm(tdi_sub(u[k], tdi_scale(v[k], l))) * e.length, 0, 1e-8);
    }
}

static td_vec3 mirrored(td_vec3 v) {
    return tdi_vec3(-v.x, v.y, v.z);
}

// Axial vectors keep the part across the mirror x = 0 and turn the others round.
static td_vec3 mirrored_axial(td_vec3 v) {
    return tdi_vec3(v.x, -v.y, -v.z);
}

TD_TEST(helix_motion_of_a_mirrored_strand_is_mirrored) {
    const td_helix_element e = lock();
    td_helix_element f = e;
    around other = plain_scene;
    td_vec3 u[COUNT], v[COUNT];
    f.turn = (td_quat){e.turn.w, e.turn.x, -e.turn.y, -e.turn.z};
    f.rest = mirrored_axial(e.rest);
    f.start = mirrored_axial(e.start);
    other.gravity = mirrored(other.gravity);
    other.pull = mirrored(other.pull);
    other.air.wind = mirrored(other.air.wind);
    const td_vec3 tip = run(&e, COUNT, &plain_scene, STEPS, u);
    CHECK_IN(tdi_norm(tdi_sub(run(&f, COUNT, &other, STEPS, v), mirrored(tip))), 0, 1e-9);
    for (int k = 0; k < COUNT; k++) {
        CHECK_IN(tdi_norm(tdi_sub(v[k], mirrored_axial(u[k]))) * e.length, 0, 1e-8);
    }
}

// Two elements where one would do are that one, as long as no more is asked of them than the one
// can do: here a strand at ease, thrown.
TD_TEST(helix_strand_at_ease_cut_in_more_elements_is_the_same_strand) {
    td_helix_element e = lock(), f = e;
    strand a, b;
    e.start = f.start = e.rest;
    f.length = 0.5 * e.length;
    a = strand_new(&e, COUNT);
    b = strand_new(&f, 2 * COUNT);
    for (int k = 0; k < COUNT; k++) {
        const td_vec3 x = td_helix_place(a.state, k, 1), y = td_helix_place(b.state, 2 * k + 1, 1);
        CHECK_IN(tdi_norm(tdi_sub(x, y)), 0, 1e-14);
    }
    const td_vec3 gravity = {0, -9.81, 0};
    const td_energy p = td_body_energy(a.state, gravity), q = td_body_energy(b.state, gravity);
    CHECK_REL(q.weight, p.weight, 1e-7); // quadrature of four points on elements of 1.5 rad
    CHECK_REL(q.elastic, 0, 1e-15);
    strand_free(&a);
    strand_free(&b);
}
