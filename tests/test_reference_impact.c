// SPDX-License-Identifier: MIT
// Reference cases of impacts, for every solver: along each other, and of fast things on small ones.

#include "test_contact_support.h"
#include "test_world_support.h"

// ---- along each other -----------------------------------------------------------------------

// A stick falls flat on a capsule, which carries it along its length, on another stick, or on a
// box that is shorter and rises.
TD_TEST(reference_stick_dropped_flat_on_something_along_it_comes_to_rest) {
    static const char *const below[] = {
        "{capsule: {radius: 0.1, length: 0.5, rotation: {axis: [0, 0, 1], degrees: 90}}}",
        "{plane: {position: [0, 0.1, 0]}}",
        "{box: {size: [0.2, 0.2, 0.2], position: {keys: [[0.4, [0, 0, 0]], [0.5, [0, 0.2, 0]]]}}}"};
    for (int32_t k = 0; k < 18; k++) {
        const char *solver = solvers[k % 3];
        const int32_t segments = k / 3 % 2 ? 4 : 1, scene = k / 6 % 3;
        char text[1500], sticks[1024] = "";
        for (int n = 0; n < (scene == 1 ? 2 : 1); n++) {
            const size_t at = strlen(sticks);
            snprintf(sticks + at, sizeof sticks - at,
                     "{solver: %s, start: drawn, position: [-0.2, %g, 0], strand: {segments: %d, "
                     "points: [[0, 0, 0], [0.4, 0, 0]], radius: 0.01, line_mass: 0.3, bend: 0.5, "
                     "torsion: 0.5, %s start: {held: free}}}, ",
                     solver, 0.2 + 0.05 * n, (int)segments,
                     solver[0] == 'r' ? "stretch: 1e4," : "");
        }
        snprintf(text, sizeof text,
                 "{step: %.17g, gravity: [0, %g, 0], air_density: 0, contact: {method: exact}, "
                 "objects: [%s], colliders: [%s], record: {fps: 30}}",
                 1.0 / 30, scene == 0 ? -600.0 : -9.81, sticks, below[scene % 3]);
        OWNED(stage) s = stage_of(text);
        steps(s.world, scene == 2 ? 60 : 20); // the box throws it up
        for (int32_t n = 0; n < td_world_actor_count(s.world); n++) {
            const td_vec3 before = tip_of(s.world, n, -1);
            steps(s.world, 1);
            const td_real moved = apart(before, tip_of(s.world, n, -1));
            CHECK_SAY(moved < 1e-7, "%s, %d segments, scene %d: %g m in a step", solver,
                      (int)segments, (int)scene, moved);
        }
    }
}

// ---- at the end of a step -------------------------------------------------------------------

// A stick of 0.1 kg that lies level at a height above the ground, and falls.
static stage level_stick(double rate, int integrator, double height, double restitution) {
    return stage_printed(
        "{step: %.17g, air_density: 0, contact: {method: exact, self: false}, colliders: [{plane: "
        "{restitution: %g}}], objects: [{solver: tree, integrator: %s, start: drawn, position: [0, "
        "%.17g, 0], strand: {segments: 1, points: [[0, 0, 0], [0.4, 0, 0]], radius: 0.01, "
        "line_mass: 0.25, inextensible: true, start: {held: free}}}]}",
        1 / rate, restitution, integrator == 0 ? "euler" : "rk4", height);
}

static td_real rise_of(td_world *w) {
    return sums_at(w, 0).linear.y / 0.1;
}

// The gap is 0 at the end of a step, or equal to the reach of the next step, but for rounding. Both
// ends meet the ground together all the same. They bounce together or not at all: after two steps
// from rest they have the least speed of a bounce, 2 g h, but for rounding.
TD_TEST(reference_stick_that_meets_the_ground_at_the_end_of_an_explicit_step_stays_level) {
    static const double rates[] = {60, 240, 256, 2560};
    static const int32_t falls[] = {1, 2, 3, 31};
    for (int n = 0; n < 2 * 4 * 4 * 2 * 5; n++) {
        const int integrator = n % 2, way = n / 32 % 2, ulps = n / 64 - 2;
        const double rate = rates[n / 2 % 4], h = 1 / rate, g = 9.81, restitution = 0.5;
        const int32_t fall = falls[n / 8 % 4];
        OWNED(stage) free = level_stick(rate, integrator, 9, 0);
        steps(free.world, fall);
        td_vec3 end[2];
        segment_at(free.world, 0, 0, &end[0], NULL, NULL);
        const double left = way ? h * (h * g - rise_of(free.world)) : 0;
        OWNED(stage) s = level_stick(
            rate, integrator, (0.01 + (9 - end[0].y) + left) * (1 + ulps * 2e-16), restitution);
        double fastest = 0, tilt = 0, low = 1, rise = 0;
        int32_t bounces = 0;
        for (int32_t k = 0; k < fall + 3; k++) {
            const double before = rise_of(s.world);
            steps(s.world, 1);
            rise = rise_of(s.world);
            segment_at(s.world, 0, 0, &end[0], &end[1], NULL);
            fastest = fmax(fastest, -before);
            bounces += before < -1e-9 && rise > 1e-9;
            tilt = fmax(tilt, fabs(end[1].y - end[0].y));
            low = fmin(low, end[0].y);
        }
        CHECK_SAY(tilt < 1e-12 && low > 0.01 - 1e-12, "%d, 1/%g s, %d steps: tilt %g m, low %g m",
                  n, rate, fall, tilt, low);
        const bool fast = fall == 31;
        CHECK_SAY((fast ? bounces == 1 : bounces <= 1) && rise < restitution * fastest &&
                      (!fast || rise > restitution * fastest - 5 * g * h),
                  "%d, 1/%g s, %d steps: %d bounces, from %g to %g m/s", n, rate, fall, bounces,
                  fastest, rise);
    }
}

// ---- fast impacts ---------------------------------------------------------------------------

// A stick, or a cube of twice its length, that flies at something small which is in its way.
typedef struct shot {
    const char *solver;
    int32_t target; // sphere, capsule, box, a branch
    int32_t segments;
    bool cube;
    td_real speed, h, size, radius, length; // m/s, s, m
    td_vec3 aim;                            // m: where on the target; y is how far ahead it starts
    td_vec3 axis;                           // about which both are turned
    td_real degrees;
} shot;

static shot random_shot(int32_t k) {
    tdi_random r = random_of((uint64_t)k + 1);
    static const td_real rates[] = {30, 60, 120, 240};
    shot s = {.solver = solvers[k % 3],
              .target = k / 3 % 4,
              .segments = k / 48 % 3 < 2 && k % 5 == 4 ? 12 : 1,
              .cube = k / 48 % 3 == 2,
              .h = 1 / rates[k / 12 % 4]};
    s.speed = test_between(&r, 5, 60);
    s.size = test_between(&r, 0.01, 0.1);
    s.radius = test_between(&r, 0.002, 0.008);
    s.length = test_between(&r, 0.05, 0.2);
    s.aim = tdi_vec3(test_between(&r, -0.35, 0.35) * s.size, test_between(&r, 1.6, 2.6),
                     test_between(&r, -0.35, 0.35) * s.size);
    s.axis = tdi_vec3(1, test_between(&r, -0.3, 0.3), test_between(&r, -1, 1));
    s.degrees = test_between(&r, 0, 180);
    return s;
}

static stage shot_stage(const shot *s) {
    const char *const targets[] = {
        "colliders: [{sphere: {radius: %.17g, rotation: %s}}]",
        "colliders: [{capsule: {radius: %.17g, length: 0.1, rotation: %s}}]",
        "colliders: [{box: {size: [0.2, 0.2, %.17g], rotation: %s}}]"};
    char text[2048], turn[160], target[400] = "", other[600] = "", body[120] = "";
    snprintf(turn, sizeof turn, "{axis: [%.17g, %.17g, %.17g], degrees: %.17g}", s->axis.x,
             s->axis.y, s->axis.z, s->degrees);
    if (s->target < 3) {
        snprintf(target, sizeof target, targets[s->target], s->size, turn);
    } else {
        snprintf(other, sizeof other,
                 ", {name: other, solver: %s, start: drawn, strand: {points: [[%.17g, 0, 0], "
                 "[%.17g, "
                 "0, 0]], segments: 4, radius: %.17g, density: 500, material: oak}}",
                 s->solver, -8 * s->size, 4 * s->size, s->size);
    }
    if (s->cube) {
        snprintf(body, sizeof body, ", bodies: [{at: 0.5, mass: 0.1, size: [%.17g, %.17g, %.17g]}]",
                 2 * s->length, 2 * s->length, 2 * s->length);
    }
    const td_real above = 2 * s->length + 2 * s->size + 0.2 + s->aim.y * s->speed * s->h;
    snprintf(text, sizeof text,
             "{gravity: [0, 0, 0], air_density: 0, step: %.17g, record: {fps: %.17g},\n"
             " contact: {method: barrier}, objects: [{name: stick, solver: %s, start: drawn,\n"
             " position: [%.17g, %.17g, %.17g], rotation: %s, loose: true, strand: {segments: %d,\n"
             " points: [[0, 0, 0], [0, %.17g, 0]], radius: %.17g, density: 500,\n"
             " material: green-wood%s}}%s], %s}",
             s->h, 1 / s->h, s->solver, s->aim.x, above, s->aim.z, turn, (int)s->segments,
             s->length, s->radius, body, other, target);
    return stage_of(text);
}

// The projectile gets its speed in two steps. The obstacle changes its momentum, and adds no
// energy. False: the run stopped.
static bool check_shot(int32_t k) {
    const shot s = random_shot(k);
    OWNED(stage) it = shot_stage(&s);
    bool runs = it.world != NULL;
    if (runs) {
        CHECK(td_world_set(it.world, "gravity.y", -0.5 * s.speed / s.h, NULL) == TD_OK);
        steps(it.world, 2);
        CHECK(td_world_set(it.world, "gravity.y", 0, NULL) == TD_OK);
        const td_sums from = sums_at(it.world, 0);
        const td_real way = 3 * s.length + 4 * s.size + 0.4 + s.aim.y * s.speed * s.h;
        const int32_t count = 3 + (int32_t)(way / (s.speed * s.h));
        for (int32_t n = 0; n < count && runs; n++) {
            runs = td_world_step(it.world, NULL) == TD_OK;
        }
        const td_sums to = sums_at(it.world, 0);
        const td_real change = tdi_norm(tdi_sub(to.linear, from.linear)) / tdi_norm(from.linear),
                      gain = to.energy.kinetic / from.energy.kinetic - 1;
        CHECK_SAY(!runs ||
                      (change > 1e-3 && (gain < 0.05 || s.target == 3)), // a branch springs back
                  "shot %d: %s, target %d%s, %g m/s, 1/%g s: momentum changes by %g, energy rises "
                  "by %g",
                  (int)k, s.solver, (int)s.target, s.cube ? ", cube" : "", s.speed, 1 / s.h, change,
                  gain);
    }
    return runs;
}

TD_TEST(reference_fast_things_do_not_pass_through_small_ones) {
    const int32_t count = test_is_long() ? 1440 : 48;
    int32_t stopped = 0;
    for (int32_t k = 0; k < count; k++) {
        stopped += !check_shot(k);
    }
    CHECK_SAY(stopped <= count / 1000, "%d of %d runs stopped", (int)stopped, (int)count);
}
