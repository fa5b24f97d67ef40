// SPDX-License-Identifier: MIT
// Reference cases from mechanics textbooks, for every solver and both contact methods: pushes,
// slips, drums, starts near contact, moving colliders.

#include "test_world_support.h"

// ---- pushes ---------------------------------------------------------------------------------

// ---- slips and drums ------------------------------------------------------------------------

// ---- starts near contact --------------------------------------------------------------------

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

static stage ride_stage(const ride *r) {
    static const char *way =
        "position: {keys: [[0.3, [0, 1, 0]], [0.45, [0.1, 1, 0]], [0.6, [0.1, 1, 0]], "
        "[0.7, [0.1, 1.05, 0]], [0.8, [0, 1, 0]]], interpolate: linear}, "
        "rotation: {keys: [[0.45, {axis: [0.3, 1, 0.3], degrees: 0}], "
        "[0.6, {axis: [0.3, 1, 0.3], degrees: 40}], [0.8, {axis: [0.3, 1, 0.3], degrees: 40}], "
        "[0.9, {axis: [0.3, 1, 0.3], degrees: 0}]], interpolate: linear}";
    const td_real foot = r->top + (r->shares ? 0.0031 : 0.08);
    char text[2048];
    snprintf(text, sizeof text,
             "{step: %.17g, objects: [{name: hair, solver: %s, integrator: %s, start: drawn, %s, "
             "strand: {points: [[-0.0101, %.17g, 0.0092], [-0.0101, %.17g, 0.0092]], "
             "segments: %d, radius: 0.0008, bend: 5e-7, torsion: 4e-7, line_mass: 0.001}}], "
             "contact: {method: %s}, colliders: [{%s%s}}], record: {fps: %d, duration: 1}}",
             1.0 / r->rate, r->solver, r->integrator, r->shares ? way : "position: [0, 1, 0]", foot,
             foot + 0.4, RIDE_SEGMENTS, r->method, r->shape, way, (int)r->rate);
    return stage_of(text);
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
    const td_collider solid = td_world_collider(w, 0);
    td_real least = INFINITY;
    for (int32_t i = 2; i < RIDE_SEGMENTS; i++) {
        td_vec3 from, to;
        td_world_segment(w, 0, i, &from, &to, NULL);
        for (int32_t k = 0; k <= 8; k++) {
            const td_vec3 at = tdi_madd(from, tdi_sub(to, from), k / 8.0);
            least = fmin(least, height_above(&solid, at) - RIDE_RADIUS);
        }
    }
    return least;
}

// No run ends, nothing overlaps, and no energy comes from nowhere: what falls, at most 0.9 m, is
// carried at 1.5 m/s at most.
static void check_ride(const ride *r) {
    const td_real most = RIDE_MASS * (9.81 * 0.9 + 0.5 * 1.5 * 1.5);
    stage s = ride_stage(r);
    td_real least = INFINITY, energy = 0;
    td_diag diag = {.message = ""};
    td_status status = s.status;
    for (int32_t k = 0; k < r->rate && status == TD_OK; k++) {
        status = td_world_step(s.world, &diag);
        least = fmin(least, lowest_above(s.world));
        energy = fmax(energy, td_world_actor_sums(s.world, 0).energy.kinetic);
    }
    CHECK_SAY(status == TD_OK && least > -1e-9 && energy < most,
              "%s, %s, %s, %s, base %s, 1/%d s: '%s', least gap %g m, kinetic energy %g J of %g",
              r->solver, r->integrator, r->method, r->shape, r->shares ? "along" : "still",
              (int)r->rate, diag.message, least, energy, most);
    stage_free(&s);
}

static const struct {
    const char *shape;
    td_real top;
} ride_shapes[] = {{"plane: {", 0},
                   {"sphere: {radius: 0.1, ", 0.1},
                   {"capsule: {radius: 0.1, length: 0.2, ", 0.2},
                   {"box: {size: [0.2, 0.2, 0.2], ", 0.1}};

static const char *const ride_solvers[] = {"tree", "rod", "helix"};

static const char *const ride_methods[] = {"barrier", "exact"};

// What is quick, and broke off: bases that go with what they lie on, and fast turns of a solid.
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
                        .solver = ride_solvers[k / 4 % 3],
                        .method = ride_methods[k / 12 % 2],
                        .integrator = integrators[k / 24 % 2],
                        .shares = k / 48 % 2 == 0,
                        .rate = rates[k / 96 % 5]};
        if (test_is_long() || is_short(&r)) {
            check_ride(&r);
        }
    }
}

// A sphere comes down on a strand that stands, and on its base: there is no room. All is named.
TD_TEST(reference_solid_that_squeezes_a_clamped_base_says_what_and_where) {
    for (int32_t k = 0; k < 3; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{objects: [{name: post, solver: %s, strand: {points: [[0, 0, 0], [0, 0.02, 0]], "
                 "segments: 2, radius: 0.005, bend: 10, torsion: 10, line_mass: 0.1}}], "
                 "colliders: [{plane: {position: [0, -0.02, 0]}}, {sphere: {radius: 0.1, position: "
                 "{keys: [[0, [0, 0.2, 0]], [0.5, [0, 0.09, 0]]]}}}], record: {duration: 1}}",
                 ride_solvers[k]);
        stage s = stage_of(text);
        td_diag diag = {.message = ""};
        td_status status = TD_OK;
        for (int32_t n = 0; n < 60 && status == TD_OK && s.world; n++) {
            status = td_world_step(s.world, &diag);
        }
        CHECK_INT(status, TD_ERR_DIVERGED);
        CHECK_SAY(strstr(diag.message, "'post' at 0.") && strstr(diag.message, "segment") &&
                      strstr(diag.message, "collider 1"),
                  "%s: '%s'", ride_solvers[k], diag.message);
        stage_free(&s);
    }
}

// ---- standing on a plane --------------------------------------------------------------------

TD_TEST(reference_plants_of_every_solver_stand_on_a_plane_at_their_base) {
    for (int32_t k = 0; k < 12; k++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{objects: [{name: plant, solver: %s, start: %s, plant: fork.lsys}], "
                 "contact: {method: %s}, colliders: [{plane: {}}], record: {duration: 1}}",
                 ride_solvers[k % 3], k / 3 % 2 ? "drawn" : "settled", ride_methods[k / 6]);
        stage s = stage_of(text);
        const td_vec3 before = tip_of(s.world, 0, -1);
        steps(s.world, 30);
        CHECK_SAY(apart(tip_of(s.world, 0, -1), before) < 0.05, "%s", text);
        CHECK_INT(td_world_contacts(s.world, NULL, 0), 0);
        stage_free(&s);
    }
}

// ---- room for pairs -------------------------------------------------------------------------

// A strand that falls on 30 planes, which are one: more pairs than there is room for at first.
static stage crowded(const char *solver, const char *method, bool fixed, char text[4096]) {
    td_world_opts opts = td_world_opts_default();
    int at = snprintf(text, 4096,
                      "{objects: [{name: stick, solver: %s, start: drawn, strand: {points: "
                      "[[0, 0.02, 0], [0.2, 0.02, 0]], segments: 10, radius: 0.002, start: {held: "
                      "free}}}], contact: {method: %s}, record: {duration: 1}, colliders: [",
                      solver, method);
    for (int32_t k = 0; k < 30; k++) {
        at += snprintf(text + at, 4096 - (size_t)at, "{plane: {}}, ");
    }
    snprintf(text + at, 4096 - (size_t)at, "]}");
    opts.fixed_room = fixed;
    return stage_with(text, opts, NULL);
}

TD_TEST(reference_room_for_pairs_grows_and_the_run_goes_on) {
    static char text[4096];
    for (int32_t k = 0; k < 6; k++) {
        stage s = crowded(ride_solvers[k % 3], ride_methods[k / 3], false, text);
        stage late = crowded(ride_solvers[k % 3], ride_methods[k / 3], false, text);
        CHECK_INT(s.status, TD_OK);
        steps(s.world, 30);
        CHECK(td_world_contacts(s.world, NULL, 0) >= 30);
        CHECK(tip_of(s.world, 0, -1).y > 0.002);
        // the room is part of what is saved
        char *bytes = saved(s.world);
        CHECK_INT(td_world_restore(late.world, bytes, td_world_save_size(s.world), NULL), TD_OK);
        CHECK(same_bits(s.world, late.world));
        steps(s.world, 5);
        steps(late.world, 5);
        CHECK(same_bits(s.world, late.world));
        free(bytes);
        stage_free(&late);
        stage_free(&s);
    }
}

TD_TEST(reference_room_for_pairs_that_is_fixed_fails_with_nothing_changed) {
    static char text[4096];
    for (int32_t k = 0; k < 3; k++) {
        stage s = crowded(ride_solvers[k], "barrier", true, text);
        td_diag diag = {.message = ""};
        td_status status = TD_OK;
        char *bytes = NULL;
        for (int32_t n = 0; n < 30 && status == TD_OK; n++) {
            free(bytes);
            bytes = saved(s.world);
            status = td_world_step(s.world, &diag);
        }
        char *after = saved(s.world);
        CHECK_INT(status, TD_ERR_LIMIT);
        CHECK_SAY(strstr(diag.message, "pairs"), "%s", diag.message);
        CHECK(memcmp(bytes, after, td_world_save_size(s.world)) == 0);
        free(after);
        free(bytes);
        stage_free(&s);
    }
}
