// SPDX-License-Identifier: MIT
// Reference cases of moving colliders, for every solver and both contact methods.

#include "test_world_support.h"

// ---- moving colliders -----------------------------------------------------------------------

// A strand that lies on a solid, as hair does on a head. The solid starts and stops at once, at
// 0.7 m/s, turns at 5 rad/s and rises; the base goes with it, or stays above it.
typedef struct ride {
    const char *solver, *integrator, *method, *shape;
    td_real top;  // m: of the shape above its middle
    bool shares;  // the base has the keys of the solid
    int32_t rate; // steps a second
} ride;

#define RIDE_RADIUS   0.0008 // m
#define RIDE_MASS     0.0004 // kg
#define RIDE_SEGMENTS 24

static const char *const ride_way =
    "position: {keys: [[0.3, [0, 1, 0]], [0.45, [0.1, 1, 0]], [0.6, [0.1, 1, 0]], "
    "[0.7, [0.1, 1.05, 0]], [0.8, [0, 1, 0]]], interpolate: linear}, "
    "rotation: {keys: [[0.45, {axis: [0.3, 1, 0.3], degrees: 0}], "
    "[0.6, {axis: [0.3, 1, 0.3], degrees: 40}], [0.8, {axis: [0.3, 1, 0.3], degrees: 40}], "
    "[0.9, {axis: [0.3, 1, 0.3], degrees: 0}]], interpolate: linear}";

static stage ride_stage(const ride *r) {
    const td_real foot = r->top + (r->shares ? 0.0031 : 0.08);
    return stage_printed(
        "{step: %.17g, objects: [{name: hair, solver: %s, integrator: %s, start: drawn, %s, "
        "strand: {points: [[-0.0101, %.17g, 0.0092], [-0.0101, %.17g, 0.0092]], "
        "segments: %d, radius: 0.0008, bend: 5e-7, torsion: 4e-7, line_mass: 0.001}}], "
        "contact: {method: %s}, colliders: [{%s%s}}], record: {fps: %d, duration: 1}}",
        1.0 / r->rate, r->solver, r->integrator, r->shares ? ride_way : "position: [0, 1, 0]", foot,
        foot + 0.4, RIDE_SEGMENTS, r->method, r->shape, ride_way, (int)r->rate);
}

// m: from the surface of a solid, below 0 inside of it.
static td_real height_above(const td_collider *k, td_vec3 x) {
    const td_vec3 p = tdi_quat_rotate(tdi_quat_conj(k->rotation), tdi_sub(x, k->position));
    if (k->kind == TD_COLLIDER_PLANE) {
        return p.y;
    }
    if (k->kind == TD_COLLIDER_BOX) {
        const td_vec3 q = {fabs(p.x) - 0.5 * k->sides.x, fabs(p.y) - 0.5 * k->sides.y,
                           fabs(p.z) - 0.5 * k->sides.z};
        const td_vec3 out = {fmax(q.x, 0), fmax(q.y, 0), fmax(q.z, 0)};
        return tdi_norm(out) + fmin(0, fmax(q.x, fmax(q.y, q.z)));
    }
    const td_real half = k->kind == TD_COLLIDER_CAPSULE ? 0.5 * k->length : 0;
    const td_vec3 on = {0, fmin(fmax(p.y, -half), half), 0};
    return apart(p, on) - k->radius;
}

// m: the least height of the strand above the solid, but for its first two segments.
static td_real lowest_above(td_world *w) {
    const td_collider solid = td_world_collider(w, td_world_collider_id(w, 0));
    td_real least = INFINITY;
    for (int32_t i = 2; i < RIDE_SEGMENTS; i++) {
        td_vec3 from, to;
        segment_at(w, 0, i, &from, &to, NULL);
        for (int32_t k = 0; k <= 8; k++) {
            const td_vec3 at = tdi_madd(from, tdi_sub(to, from), k / 8.0);
            least = fmin(least, height_above(&solid, at) - RIDE_RADIUS);
        }
    }
    return least;
}

// No run ends, nothing overlaps, and the energy stays below that of a body that fell by 0.9 m and
// is carried at 1.5 m/s.
static void check_ride(const ride *r) {
    const td_real most = RIDE_MASS * (9.81 * 0.9 + 0.5 * 1.5 * 1.5);
    OWNED(stage) s = ride_stage(r);
    td_real least = INFINITY, energy = 0;
    td_diag diag = {.message = ""};
    td_status status = s.status;
    for (int32_t k = 0; k < r->rate && status == TD_OK; k++) {
        status = td_world_step(s.world, &diag);
        least = fmin(least, lowest_above(s.world));
        energy = fmax(energy, sums_at(s.world, 0).energy.kinetic);
    }
    CHECK_SAY(status == TD_OK && least > -1e-9 && energy < most,
              "%s, %s, %s, %s, base %s, 1/%d s: '%s', least gap %g m, kinetic energy %g J of %g",
              r->solver, r->integrator, r->method, r->shape, r->shares ? "along" : "still",
              (int)r->rate, diag.message, least, energy, most);
}

static const struct {
    const char *shape;
    td_real top;
} ride_shapes[] = {{"plane: {", 0},
                   {"sphere: {radius: 0.1, ", 0.1},
                   {"capsule: {radius: 0.1, length: 0.2, ", 0.2},
                   {"box: {size: [0.2, 0.2, 0.2], ", 0.1}};

// The quick runs, which failed before: bases that move with their solid, and fast turns of a solid.
static bool is_short(const ride *r) {
    const bool exact = strcmp(r->method, "exact") == 0, euler = strlen(r->integrator) > 8;
    return exact ? r->solver[0] == 'r' && r->shape[0] == 'c' && r->rate == 30 && !r->shares
                 : r->shape[0] == 'p' && r->rate == 60 && r->shares && !euler;
}

TD_TEST(reference_what_lies_on_a_solid_goes_with_it_when_it_starts_stops_and_turns) {
    static const char *const integrators[] = {"implicit", "implicit-euler"};
    static const int32_t rates[] = {30, 60, 120, 240, 1000};
    for (int32_t k = 0; k < 4 * 3 * 2 * 2 * 2 * 5; k++) {
        const ride r = {.shape = ride_shapes[k % 4].shape,
                        .top = ride_shapes[k % 4].top,
                        .solver = solvers[k / 4 % 3],
                        .method = methods[k / 12 % 2],
                        .integrator = integrators[k / 24 % 2],
                        .shares = k / 48 % 2 == 0,
                        .rate = rates[k / 96 % 5]};
        if (test_is_long() || is_short(&r)) {
            check_ride(&r);
        }
    }
}

// Hairs on a head, which touch each other as well.
static stage hairs_on_a_head(const char *solver, int32_t count) {
    static char text[40000];
    size_t at = (size_t)snprintf(text, sizeof text, "{objects: [");
    for (int32_t k = 0; k < count; k++) { // evenly over the top of the head
        const td_real y = 1 - 0.35 * (k + 0.5) / count, a = 2.399963 * k, r = sqrt(1 - y * y);
        const td_vec3 n = {r * cos(a), y, r * sin(a)}, from = tdi_scale(n, 0.1032),
                      to = tdi_madd(tdi_madd(from, n, 0.2), tdi_vec3(0, 1, 0), 0.02);
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            "{name: hair%d, solver: %s, start: drawn, %s, strand: {points: [[%.6g, %.6g, "
            "%.6g], "
            "[%.6g, %.6g, %.6g]], segments: 12, radius: 0.0008, bend: 5e-7, torsion: 4e-7, "
            "line_mass: 0.001}}, ",
            (int)k, solver, ride_way, from.x, from.y, from.z, to.x, to.y, to.z);
    }
    snprintf(text + at, sizeof text - at,
             "], colliders: [{sphere: {radius: 0.1, %s}}], record: {fps: 60, duration: 1}}",
             ride_way);
    return stage_of(text);
}

TD_TEST(reference_hairs_on_a_head_go_with_it) {
    for (int32_t k = 0; k < 3; k++) {
        OWNED(stage) s = hairs_on_a_head(solvers[k], test_is_long() ? 20 : 2);
        const int32_t count = test_is_long() || k < 2 ? 60 : 25;
        steps(s.world, count);
        CHECK_REL(td_world_time(s.world), count / 60.0, 1e-9);
    }
}

// A sphere moves down on an upright strand and its base: there is no room. The message names all.
TD_TEST(reference_solid_that_squeezes_a_clamped_base_says_what_and_where) {
    for (int32_t k = 0; k < 3; k++) {
        OWNED(stage) s = stage_printed(
            "{objects: [{name: post, solver: %s, strand: {points: [[0, 0, 0], [0, 0.02, 0]], "
            "segments: 2, radius: 0.005, bend: 10, torsion: 10, line_mass: 0.1}}], "
            "colliders: [{plane: {position: [0, -0.02, 0]}}, {sphere: {radius: 0.1, position: "
            "{keys: [[0, [0, 0.2, 0]], [0.5, [0, 0.09, 0]]]}}}], record: {duration: 1}}",
            solvers[k]);
        td_diag diag = {.message = ""};
        td_status status = TD_OK;
        for (int32_t n = 0; n < 60 && status == TD_OK && s.world; n++) {
            status = td_world_step(s.world, &diag);
        }
        CHECK_INT(status, TD_ERR_DIVERGED);
        CHECK_SAY(strstr(diag.message, "'post' at 0.") && strstr(diag.message, "segment") &&
                      strstr(diag.message, "collider 1 ("),
                  "%s: '%s'", solvers[k], diag.message);
    }
}

// A capsule bends a stem over and moves on. Returns the iterations of 1 s and the highest kinetic
// and elastic energy.
static int64_t walk_past(int32_t fps, td_real *most) {
    OWNED(stage) s = stage_printed(
        "{contact: {method: exact}, objects: [{strand: {points: [[0, 0, 0], [0.01, 0.4, 0], "
        "[0.04, 0.8, 0.02]], segments: 31, radius: 0.004, material: herb-stem}}], colliders: "
        "[{capsule: {radius: 0.15, length: 0.5, position: {keys: [[0, [-0.25, 0.6, 0.1]], "
        "[1, [1.25, 0.6, 0.1]]]}}}], record: {fps: %d, duration: 1}}",
        (int)fps);
    *most = 0;
    for (int32_t k = 0; k < fps; k++) {
        steps(s.world, 1);
        const td_energy e = td_world_object_sums(s.world, 0).energy;
        *most = fmax(*most, e.kinetic + e.elastic);
    }
    return td_world_stats(s.world).iterations;
}

TD_TEST(reference_stem_that_a_capsule_pushes_along_takes_whole_steps) {
    td_real most, fine;
    const int64_t iterations = walk_past(60, &most), many = walk_past(480, &fine);
    CHECK_SAY(iterations < 8 * 60 && many < 8 * 480, "%d, %d", (int)iterations, (int)many);
    CHECK_SAY(most > 0.9 * fine && most < 1.01 * fine, "%g J, in fine steps %g J", most, fine);
}

// ---- clamped ---------------------------------------------------------------------------------

// N: the sum of what a collider presses on an actor.
static td_real pressed_by(const td_world *w, int32_t collider) {
    td_contact all[64];
    const int32_t count = td_world_contacts(w, all, 64);
    td_real sum = 0;
    CHECK(count <= 64);
    for (int32_t k = 0; k < count && k < 64; k++) {
        const bool that = all[k].other_actor == TD_NONE && all[k].other == collider;
        sum += that ? fabs(tdi_dot(all[k].force, all[k].normal)) : 0;
    }
    return sum;
}

// A stem is led down to the ground, and a box onto it; they leave it a hundredth of its radius on
// either side.
TD_TEST(reference_stem_clamped_against_the_ground_is_pressed_by_a_constant_force) {
    for (int32_t k = 0; k < 3; k++) {
        OWNED(stage) s = stage_printed(
            "{contact: {}, colliders: [{plane: {}}, {box: {size: [0.2, 0.1, 0.2], position: \n"
            " {keys: [[0, [0.2, 0.08, 0]], [0.5, [0.2, 0.0702, 0]]], interpolate: linear}}}],\n"
            " objects: [{solver: %s, start: drawn, position: {keys: [[0, [0, 0.0125, 0]], [0.5,\n"
            " [0, 0.0101, 0]]], interpolate: linear}, strand: {points: [[0, 0, 0], [0.4, 0, 0]],\n"
            " segments: 8, radius: 0.01, material: green-wood}}]}",
            solvers[k]);
        run_to(s.world, 1);
        const td_real first = pressed_by(s.world, 1);
        CHECK(first > 1);
        run_to(s.world, 3);
        CHECK_REL(pressed_by(s.world, 1), first, 1e-3);
    }
}
