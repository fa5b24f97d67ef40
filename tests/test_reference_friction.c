// SPDX-License-Identifier: MIT
// Reference cases of friction, for every solver and both contact methods: slips, drums, turntables.

#include "math/angle.h"
#include "test_world_support.h"

// ---- slips and drums ------------------------------------------------------------------------

#define LEAN_RADIUS 0.01 // m, of a rod of 1 m and 1 kg
#define LEAN_START  (TDI_PI / 6)
#define LEAN_MU     0.5
#define LEAN_SLIP   1e-3 // m: of the foot

typedef struct leaning { // from the vertical; the foot's round end is at x, and slips at x - r a
    td_real angle, spin, x, v;
    td_real across, normal; // N: forces of the floor
} leaning;

// Accelerations of angle a and x: the foot rolls, or slips with full friction to the side `sign`.
// The unknowns are a", x" and the normal force n. With s = sin a, c = cos a and l = 1/2:
//   n = m g - m l (s a" + c a'^2),  f = m x" + m l (c a" - s a'^2),  I a" = l s n - (l c + r) f
static void lean_forces(leaning *k, td_real sign, td_real *turn, td_real *speed) {
    const td_real s = sin(k->angle), c = cos(k->angle), l = 0.5, r = LEAN_RADIUS, g = 9.81,
                  w2 = k->spin * k->spin, inertia = 1.0 / 12 + r * r / 4, arm = l * c + r;
    if (sign == 0) { // x" = r a"
        const td_real mass = inertia + l * s * l * s + arm * (r + l * c);
        *turn = (l * s * (g - l * c * w2) + arm * l * s * w2) / mass;
    } else { // f = sign mu n
        const td_real lever = l * s - sign * LEAN_MU * arm;
        *turn = lever * (g - l * c * w2) / (inertia + lever * l * s);
    }
    k->normal = g - l * (s * *turn + c * w2);
    const td_real aside = l * (c * *turn - s * w2);
    *speed = sign == 0 ? LEAN_RADIUS * *turn : sign * LEAN_MU * k->normal - aside;
    k->across = *speed + aside;
}

// The angle at which the foot has slipped by LEAN_SLIP; *begins: at which it begins to.
static td_real lean_reference(td_real *begins) {
    leaning k = {.angle = LEAN_START};
    const td_real h = 1e-5;
    td_real sign = 0;
    while (fabs(k.x - LEAN_RADIUS * (k.angle - LEAN_START)) < LEAN_SLIP) {
        td_real turn, speed;
        leaning mid = k;
        lean_forces(&mid, sign, &turn, &speed);
        if (sign == 0 && fabs(mid.across) > LEAN_MU * mid.normal) {
            sign = mid.across > 0 ? 1 : -1;
            *begins = k.angle;
        }
        mid.angle += 0.5 * h * k.spin;
        mid.spin += 0.5 * h * turn;
        mid.v += 0.5 * h * speed;
        lean_forces(&mid, sign, &turn, &speed);
        k.angle += h * mid.spin;
        k.x += h * mid.v;
        k.spin += h * turn;
        k.v += h * speed;
    }
    return k.angle;
}

// The same of a world with steps of h; a step is taken to be straight.
static td_real lean_of(const char *solver, td_real h) {
    OWNED(stage) s = stage_printed(
        "{step: %.17g, air_density: 0, objects: [{name: stick, solver: %s, start: drawn, "
        "position: [0, %.17g, 0], strand: {points: [[0, 0, 0], [%.17g, %.17g, 0]], "
        "segments: 1, radius: 0.01, line_mass: 1, bend: 1e5, torsion: 1e5, %s"
        "start: {held: free}}}], contact: {method: exact}, "
        "colliders: [{plane: {friction: 0.5, rolling: 0}}], record: {fps: %.17g}}",
        h, solver, 1.05 * LEAN_RADIUS, sin(LEAN_START), cos(LEAN_START),
        solver[0] == 'r' ? "stretch: 1e7, " : "", fmin(1 / h, 1e4));
    td_real angle = LEAN_START, slip = 0, before = 0, slipped = 0;
    while (s.world && fabs(slip) < LEAN_SLIP && td_world_time(s.world) < 1) {
        td_vec3 from, to;
        before = angle;
        slipped = fabs(slip);
        steps(s.world, 1);
        segment_at(s.world, 0, 0, &from, &to, NULL);
        angle = atan2(to.x - from.x, to.y - from.y);
        slip = from.x - LEAN_RADIUS * (angle - LEAN_START);
    }
    return before + (angle - before) * (LEAN_SLIP - slipped) / (fabs(slip) - slipped);
}

// A rod released at 30 degrees turns about its foot until the force leaves the cone of friction.
// Then the foot slips forward, of a thin rod at 58.17 degrees. Shorter steps have smaller errors.
TD_TEST(reference_foot_of_a_falling_rod_slips_where_it_should_at_any_step) {
    static const td_real rates[] = {30, 60, 120, 250, 500, 1000, 4000, 1e4, 2e4, 1e5};
    const int32_t count = test_is_long() ? 10 : 6;
    td_real begins = 0;
    const td_real want = lean_reference(&begins) * 180 / TDI_PI;
    CHECK_REL(begins * 180 / TDI_PI, 58.74, 1e-3); // 58.17 of a thin one
    for (int32_t k = 0; k < 3; k++) {
        td_real before = 20; // at 1/30 s it slips backwards for a while
        for (int32_t n = 0; n < count; n++) {
            const td_real off = fabs(lean_of(solvers[k], 1 / rates[n]) * 180 / TDI_PI - want);
            CHECK_SAY(off <= 1.01 * before + 1e-3, "%s, 1/%g s: off by %g degrees, %g before",
                      solvers[k], rates[n], off, before);
            before = off;
        }
        CHECK_SAY(before < 0.15, "%s: off by %g degrees", solvers[k], before);
    }
}

// How far a stick of 0.2 m has slid down a slope of 1.5 mu after 0.1 s, from rest, in m.
static td_real slide_of(const char *solver, td_real h, int32_t segments) {
    OWNED(stage) s = stage_printed(
        "{step: %.17g, air_density: 0, gravity: [%.17g, %.17g, 0], objects: [{solver: %s, "
        "start: drawn, position: [0, 0.0105, 0], strand: {points: [[0, 0, 0], [0.2, 0, 0]], "
        "segments: %d, radius: 0.01, line_mass: 1, bend: 10, torsion: 10, %s"
        "start: {held: free}}}], contact: {method: exact}, "
        "colliders: [{plane: {friction: 0.4, rolling: 0}}], record: {fps: %.17g}}",
        h, 0.6 * 9.81, -9.81, solver, (int)segments, solver[0] == 'r' ? "stretch: 1e5, " : "",
        fmin(1 / h, 1e4));
    td_vec3 from = {0, 0, 0};
    steps(s.world, (int)(0.1 / h + 0.5));
    segment_at(s.world, 0, 0, &from, NULL, NULL);
    return from.x;
}

TD_TEST(reference_stick_slides_down_a_slope_at_any_step) {
    static const td_real rates[] = {30, 60, 240, 1000, 4000, 1e4, 1e5};
    const td_real want = 0.5 * 0.2 * 9.81 * 0.1 * 0.1;
    for (int32_t k = 0; k < 3; k++) {
        for (int32_t segments = 1; segments <= 3; segments += 2) {
            td_real before = 0.5;
            for (int32_t n = 0; n < (test_is_long() ? 7 : 5); n++) {
                const td_real off = fabs(slide_of(solvers[k], 1 / rates[n], segments) / want - 1);
                CHECK_SAY(off <= 1.01 * before + 1e-3, "%s of %d, 1/%g s: off by %g, %g before",
                          solvers[k], (int)segments, rates[n], off, before);
                before = off;
            }
            CHECK_SAY(before < 5e-3, "%s of %d: off by %g", solvers[k], (int)segments, before);
        }
    }
}

// A stick that rests on a floor, mu 0.4 or 0.8, is drawn aside by 0.6 of its weight: it slides, or
// it creeps where the barrier's friction is less than mu N. How far, in 0.1 s.
static td_real drawn_aside(const char *solver, td_real mu, td_real h, int32_t segments) {
    OWNED(stage) s = stage_printed(
        "{step: %.17g, air_density: 0, objects: [{solver: %s, start: drawn, "
        "position: [0, 0.0105, 0], strand: {points: [[0, 0, 0], [0.2, 0, 0]], segments: %d, "
        "radius: 0.01, line_mass: 1, bend: 10, torsion: 10, %s start: {held: free}}}], "
        "contact: {}, colliders: [{plane: {friction: %g, rolling: 0}}], record: {fps: %.17g}}",
        h, solver, (int)segments, solver[0] == 'r' ? "stretch: 1e5, " : "", mu, fmin(1 / h, 1e4));
    td_vec3 from = {0, 0, 0}, to = {0, 0, 0};
    steps(s.world, (int)((h < 5e-5 ? 1.5 : 0.4) / h + 0.5)); // bounces last longer in short steps
    CHECK_INT(td_world_set(s.world, "gravity.x", 0.6 * 9.81, NULL), TD_OK);
    segment_at(s.world, 0, 0, &from, NULL, NULL);
    steps(s.world, (int)(0.1 / h + 0.5));
    segment_at(s.world, 0, 0, &to, NULL, NULL);
    return to.x - from.x;
}

// The same by theory: v' = g (0.6 - mu f), f = 2 y - y^2 and y = v/(1 mm/s) up to 1.
static td_real drawn_aside_by_theory(td_real mu) {
    const td_real h = 1e-6;
    td_real v = 0, x = 0;
    for (int32_t k = 0; k < 100000; k++) {
        const td_real y = fmin(v / 1e-3, 1);
        v += h * 9.81 * (0.6 - mu * (2 * y - y * y));
        x += h * v;
    }
    return x;
}

// From 1/60 s on; at 1/30 s there are three steps.
TD_TEST(reference_stick_on_the_barrier_slides_and_creeps_at_any_step) {
    static const td_real rates[] = {30, 60, 240, 1000, 4000, 1e4, 1e5}, mu[] = {0.4, 0.8};
    for (int32_t k = 0; k < 12; k++) {
        const char *solver = solvers[k % 3];
        const int32_t segments = k / 3 % 2 == 0 ? 1 : 3;
        const td_real want = drawn_aside_by_theory(mu[k / 6]);
        td_real before = 0.2;
        for (int32_t n = 0; n < (test_is_long() ? 7 : 5); n++) {
            const td_real got = drawn_aside(solver, mu[k / 6], 1 / rates[n], segments),
                          off = fabs(got / want - 1);
            CHECK_SAY(off <= 1.01 * before + 0.01, "%s of %d, mu %g, 1/%g s: off by %g, %g before",
                      solver, (int)segments, mu[k / 6], rates[n], off, before);
            before = off;
        }
        CHECK_SAY(before < 0.01, "%s of %d, mu %g: off by %g", solver, (int)segments, mu[k / 6],
                  before);
    }
}

// Tolerances by default must not add up over many short steps.
TD_TEST(reference_free_swing_is_of_second_order_down_to_short_steps) {
    static const td_real rates[] = {60, 240, 1000, 4000, 1e4, 4e4};
    for (int32_t k = 0; k < 3; k++) {
        const int32_t count = test_is_long() ? 6 : 4;
        td_vec3 tip[6];
        for (int32_t n = 0; n < count; n++) {
            OWNED(stage) s = stage_printed(
                "{step: %.17g, air_density: 0, objects: [{solver: %s, start: drawn, strand: "
                "{points: [[0, 0, 0], [0.3, 0, 0]], segments: 4, radius: 0.005, line_mass: "
                "0.1, bend: 0.005, torsion: 0.005, %s}}], record: {fps: %.17g}}",
                1 / rates[n], solvers[k], k == 1 ? "stretch: 1e3" : "", fmin(rates[n], 1e4));
            steps(s.world, (int)(0.5 * rates[n] + 0.5));
            tip[n] = tdi_vec3(0, 0, 0);
            segment_at(s.world, 0, 3, NULL, &tip[n], NULL);
        }
        for (int32_t n = 0; n + 2 < count; n++) { // differences fall as squares of steps
            const td_real one = tdi_norm(tdi_sub(tip[n], tip[n + 1])),
                          next = tdi_norm(tdi_sub(tip[n + 1], tip[n + 2])),
                          ratio = rates[n + 1] / rates[n];
            CHECK_SAY(next < 1.5 * one / (ratio * ratio) + 1e-8, "%s, 1/%g s: %g m, %g before",
                      solvers[k], rates[n + 1], next, one);
        }
    }
}

// A rope of 1.2 m over two drums of 0.1 m, half a turn in all, pulled down at both ends: by 20 N,
// and by 20 N times 1 and `part` of the way to exp(mu a), at which it slips. Friction acts on its
// surface, R of r from the middle of a drum to its axis, so that the limit is at 0.94 of that way.
#define DRUM_MU   0.2
#define DRUM_PULL 20.0 // N

// Drums may rise, as fast as `speed`.
static void drums(char *text, size_t size, const char *solver, td_real h, td_real part,
                  td_real speed) {
    const td_real most = exp(DRUM_MU * TDI_PI), axis = 0.1 + 0.003 + 0.0016;
    const bool stretches = solver[0] == 'r';
    const char *drum = "{capsule: {radius: 0.1, length: 0.5, friction: 0.2, rolling: 0, "
                       "rotation: {axis: [1, 0, 0], degrees: 90}, position: ";
    size_t at = (size_t)snprintf(
        text, size,
        "{step: %.17g, gravity: [0, 0, 0], air_density: 0, contact: {method: exact, self: false}, "
        "objects: [{solver: %s, start: drawn, relaxation_time: %g, strand: {segments: 40, "
        "straight: true, radius: 0.003, line_mass: 0.05, bend: 1e-5, torsion: 1e-5, %s "
        "start: {held: free}, points: [",
        h, solver, stretches ? 0.01 : 0.1, stretches ? "stretch: 1e4," : "");
    for (int k = -35; k <= 35; k++) { // up, over both drums, down: close, as they are smoothed
        const int n = abs(k), side = k < 0 ? -1 : 1;
        const td_real a = fmin(fmax(n - 6, 0), 24) * TDI_PI / 48;
        const td_real x = n < 6 ? 0.15 * n / 6 : 0.15 + axis * sin(a),
                      y = axis * cos(a) - 0.06 * fmax(n - 30, 0);
        at += (size_t)snprintf(text + at, size - at, "%s[%.9g, %.9g, 0]", k > -35 ? ", " : "",
                               side * x, y);
    }
    snprintf(
        text + at, size - at,
        "]}}], loads: [{push: {segment: 0, force: [0, %.17g, 0]}}, "
        "{push: {segment: 39, force: [0, %.17g, 0]}}], "
        "colliders: [%s{keys: [[0, [-0.15, 0, 0]], [1, [-0.15, %g, 0]]], interpolate: linear}}}, "
        "%s{keys: "
        "[[0, [0.15, 0, 0]], [1, [0.15, %g, 0]]], interpolate: linear}}}], record: {fps: %.17g}}",
        -DRUM_PULL, -DRUM_PULL * (1 + part * (most - 1)), drum, speed, drum, speed, 1 / h);
}

// How far the end of the rope comes down between two times, from where drums take it.
static td_real drums_of(const char *solver, td_real h, td_real part, td_real speed, td_real from,
                        td_real to) {
    char text[6000];
    drums(text, sizeof text, solver, h, part, speed);
    stage s = stage_of(text);
    td_vec3 before = {0, 0, 0}, after = {0, -1, 0};
    steps(s.world, (int)(from / h + 0.5));
    segment_at(s.world, 0, 39, NULL, &before, NULL);
    steps(s.world, (int)((to - from) / h + 0.5));
    segment_at(s.world, 0, 39, NULL, &after, NULL);
    stage_free(&s);
    return before.y - after.y + speed * (to - from);
}

TD_TEST(reference_rope_on_drums_neither_creeps_below_the_limit_nor_holds_above_it) {
    static const td_real rates[] = {60, 240, 1000}, parts[] = {0.5, 0.8, 0.9};
    const bool all = test_is_long();
    for (int32_t k = 0; k < 3; k++) {
        for (int32_t n = k == 2 && !all ? 1 : 0; n < (all ? 3 : 2); n++) {
            for (int32_t j = all ? 0 : 2; j < 3; j++) {
                const td_real creep =
                    drums_of(solvers[k], 1 / rates[n], parts[j], 0, 0.3, 0.4) / 0.1;
                CHECK_SAY(fabs(creep) < 1e-6, "%s, 1/%g s, %g of the way: %g m/s", solvers[k],
                          rates[n], parts[j], creep);
            }
        }
        if (k == 2 && !all) { // a sliding rope of helices takes seconds
            continue;
        }
        const td_real slip = drums_of(solvers[k], 1.0 / 240, 1.1, 0, 0, 0.05);
        CHECK_SAY(slip > 0.005, "%s: %g m in 0.05 s", solvers[k], slip);
    }
}

// The same of drums that rise at 0.1 m/s, which they do at once.
TD_TEST(reference_rope_on_drums_that_move_goes_with_them) {
    static const td_real rates[] = {240, 60, 1000};
    for (int32_t k = 0; k < 3; k++) {
        for (int32_t n = 0; n < (test_is_long() ? 3 : 1); n++) {
            const td_real creep = drums_of(solvers[k], 1 / rates[n], 0.8, 0.1, 0.3, 0.4) / 0.1;
            CHECK_SAY(fabs(creep) < 1e-5, "%s, 1/%g s: %g m/s", solvers[k], rates[n], creep);
        }
    }
}

// What contact remembers of a step is saved with it, of ropes that were added too.
TD_TEST(reference_ropes_on_drums_go_on_to_the_bit_after_a_restore) {
    for (int32_t k = 0; k < (test_is_long() ? 3 : 2); k++) {
        char text[6000];
        drums(text, sizeof text, solvers[k], 1.0 / 240, 0.9, 0);
        OWNED(stage) one = stage_of(text), other = stage_of(text);
        td_actor_def def = td_actor_def_default();
        td_actor_id id;
        td_diag diag = {.message = ""};
        def.position = tdi_vec3(0, 0, 0.1);
        steps(one.world, 3);
        CHECK_SAY(td_world_add_actor(one.world, &def, &id, &diag) == TD_OK, "%s", diag.message);
        for (int n = 0; n < 3; n++) {
            steps(one.world, 3);
            char *bytes = saved(one.world);
            CHECK_INT(td_world_restore(other.world, bytes, td_world_save_size(one.world), &diag),
                      TD_OK);
            free(bytes);
            steps(one.world, 2);
            steps(other.world, 2);
            CHECK_SAY(same_bits(one.world, other.world), "%s, after %d", solvers[k], n);
        }
    }
}

// Something on a solid that turns by `degrees` about an axis through its middle, without slip.
// Weight leads to -X, and the surface is 0.5 m from the middle.
typedef struct carried {
    const char *what, *shape, *strand, *axis;
    td_real degrees;
} carried;

#define CARRIED_ROUND                                                                            \
    "segments: 12, points: [[0.496, 0.1, 0], [0.496, 0.0906, 0.0423], [0.496, 0.0643, 0.0766], " \
    "[0.496, 0.0259, 0.0966], [0.496, -0.0174, 0.0985], [0.496, -0.0574, 0.0819], "              \
    "[0.496, -0.0866, 0.05], [0.496, -0.0996, 0.0087], [0.496, -0.094, -0.0342], "               \
    "[0.496, -0.0707, -0.0707], [0.496, -0.0342, -0.094], [0.496, 0.0087, -0.0996], "            \
    "[0.496, 0.05, -0.0866]], "
#define CARRIED_ACROSS "segments: 2, points: [[0.5045, 0, -0.03], [0.5045, 0, 0.03]], "
#define CARRIED_ALONG  "segments: 2, points: [[0.5045, -0.03, 0], [0.5045, 0.03, 0]], "

static const carried carried_cases[] = {
    {"stick on a ball", "sphere: {radius: 0.5", CARRIED_ACROSS, "[0, 1, 0]", 15},
    {"stick on a drum", "capsule: {radius: 0.5, length: 0.2", CARRIED_ACROSS, "[0, 1, 0]", 15},
    {"stick on a box", "box: {size: [1, 1, 1]", CARRIED_ACROSS, "[0, 1, 0]", 15},
    {"ring on a ball", "sphere: {radius: 0.5", CARRIED_ROUND, "[1, 0, 0]", 30},
    {"stick along a drum", "capsule: {radius: 0.5, length: 0.2", CARRIED_ALONG, "[1, 0, 0]", 30},
    {"stick on a turntable", "box: {size: [1, 1, 1]", CARRIED_ALONG, "[1, 0, 0]", 30}};

static stage carried_stage(const carried *k, const char *solver, const char *method) {
    return stage_printed(
        "{step: 1/60, gravity: [-9.81, 0, 0], air_density: 0, objects: [{solver: %s, "
        "start: drawn, strand: {%s radius: 0.004, density: 1000, bend: 1, torsion: 1, "
        "start: {held: free}}}], contact: {method: %s, self: false}, colliders: [{%s, "
        "friction: 0.8, rotation: {keys: [[0.1, {axis: %s, degrees: 0}], [0.6, {axis: %s, "
        "degrees: %g}]]}}}], record: {fps: 60}}",
        solver, k->strand, method, k->shape, k->axis, k->axis, k->degrees);
}

// Degrees by which the strand has gone round the middle, or has turned on its place.
static td_real carried_by(const carried *k, td_vec3 before[2], td_vec3 after[2]) {
    const td_vec3 middle = tdi_scale(tdi_add(after[0], after[1]), 0.5),
                  u = tdi_sub(before[1], before[0]), v = tdi_sub(after[1], after[0]);
    const td_real turn = k->axis[1] == '1' ? atan2(tdi_cross(u, v).x, u.y * v.y + u.z * v.z)
                                           : atan2(-middle.z, middle.x);
    return turn * 180 / TDI_PI;
}

TD_TEST(reference_what_lies_on_a_solid_that_turns_goes_with_it) {
    for (int32_t n = 0; n < 6 * 3 * 2; n++) {
        const carried *k = &carried_cases[n / 6];
        const char *solver = solvers[n % 3], *method = methods[n / 3 % 2];
        OWNED(stage) s = carried_stage(k, solver, method);
        td_vec3 before[2] = {{0, 0, 0}, {0, 0, 0}}, after[2] = {{0, 0, 0}, {0, 0, 0}};
        const int32_t last = strcmp(k->strand, CARRIED_ROUND) == 0 ? 11 : 1;
        segment_at(s.world, 0, 0, &before[0], NULL, NULL);
        segment_at(s.world, 0, last, NULL, &before[1], NULL);
        steps(s.world, 39);
        segment_at(s.world, 0, 0, &after[0], NULL, NULL);
        segment_at(s.world, 0, last, NULL, &after[1], NULL);
        const td_real turn = carried_by(k, before, after);
        CHECK_SAY(fabs(turn - k->degrees) < 0.02 * k->degrees, "%s, %s, %s: %g degrees, not %g",
                  k->what, solver, method, turn, k->degrees);
    }
}

// A stick lies off the middle of a turntable, where friction could bear three times the centripetal
// force. It turns with the table and moves outward by less than the creep speed allows.
TD_TEST(reference_stick_on_a_turntable_does_not_spiral_outward) {
    static const td_real rates[] = {24, 60, 240};
    for (int n = 0; n < 3 * 3; n++) {
        OWNED(stage) s = stage_printed(
            "{step: %.17g, objects: [{solver: %s, start: drawn, position: [0, 0.121, 0], "
            "strand: {points: [[0.4, 0, 0], [0.6, 0, 0]], segments: 2, radius: 0.02, start: "
            "{held: free}}}], contact: {method: barrier}, colliders: [{box: {size: [3, 0.2, "
            "3], friction: 0.6, rolling: 1, rotation: {keys: [[0, {axis: [0, 1, 0], degrees: "
            "0}], [1, {axis: [0, 1, 0], degrees: 60}], [5, {axis: [0, 1, 0], degrees: "
            "540}]]}}}], record: {fps: 60}}",
            1 / rates[n / 3], solvers[n % 3]);
        steps(s.world, (int32_t)(4 * rates[n / 3]));
        const td_vec3 tip = tip_of(s.world, 0, 1);
        const td_real out = sqrt(tip.x * tip.x + tip.z * tip.z) - 0.6;
        CHECK_SAY(fabs(out) < 4e-3, "%s at 1/%g s: %g m", solvers[n % 3], rates[n / 3], out);
    }
}
