// SPDX-License-Identifier: MIT
// Exact contact, of all solvers and explicit integrators: sticks on slopes, slides, bounces, heaps.

#include "tendril/tendril.h"
#include "test_contact_support.h"
#include "test_resume_support.h"

#include <math.h>
#include <string.h>

#define FRICTION 0.4
#define GRAVITY  9.81
#define RADIUS   0.004 // m
#define STEP     (1.0 / 60)

// All solvers by implicit steps, then trees by explicit ones, which are short.
typedef struct way {
    const char *name, *solver;
    td_integrator integrator;
    double step; // s
    int32_t segments;
} way;

static const way ways[] = {{"rod", "rod", TD_IMPLICIT, STEP, 6},
                           {"tree", "tree", TD_IMPLICIT, STEP, 6},
                           {"helix", "helix", TD_IMPLICIT, STEP, 6},
                           {"tree by euler", "tree", TD_EULER, 1e-3, 1},
                           {"tree by rk4", "tree", TD_RK4, 1e-3, 1}};
enum { SOLVERS = 3, WAYS = 5, MOST = 8 };

// ---- sticks ---------------------------------------------------------------------------------

typedef struct stage {
    td_object_def object[MOST];
    td_vec3 ends[MOST][2];
    int32_t count;
    td_scene_collider plane;
    td_scene_def scene;
    td_world *world;
} stage;

static void set_up(stage *s) {
    memset(s, 0, sizeof *s);
    s->scene = td_scene_def_default();
    s->scene.air_density = 0;
    s->scene.contact.given = true;
    s->scene.contact.method = TD_CONTACT_EXACT;
    s->scene.contact.friction = FRICTION;
    s->plane = td_scene_collider_default(TD_COLLIDER_PLANE);
    s->plane.as.friction = FRICTION;
    s->scene.colliders = &s->plane;
    s->scene.collider_count = 1;
}

static void add_stick(stage *s, const way *by, td_vec3 from, td_vec3 to) {
    static const char *const names[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    const int32_t k = s->count++;
    td_object_def *o = &s->object[k];
    *o = td_object_def_default();
    s->ends[k][0] = from;
    s->ends[k][1] = to;
    o->name = names[k];
    o->solver = by->solver;
    o->integrator = by->integrator;
    o->start = TD_START_DRAWN;
    o->strand.points = s->ends[k];
    o->strand.point_count = 2;
    o->strand.segments = by->segments;
    o->strand.radius = RADIUS;
    o->strand.start.held = TD_END_FREE;
    o->loose = strcmp(by->solver, "rod") != 0;
    s->scene.step = by->step;
    s->scene.contact.self = by < &ways[SOLVERS];
}

static td_status try_stage(stage *s, td_diag *diag) {
    td_diag_list diags = {diag, 1, 0};
    td_world_opts opts = td_world_opts_default();
    s->scene.objects = s->object;
    s->scene.object_count = s->count;
    return td_world_new(&s->scene, &opts, NULL, &s->world, &diags);
}

static void open_stage(stage *s) {
    td_diag diag = {.message = ""};
    CHECK_SAY(try_stage(s, &diag) == TD_OK, "%s", diag.message);
}

static bool go(stage *s, int steps) {
    td_diag diag = {.message = ""};
    td_status status = TD_OK;
    for (int k = 0; k < steps && status == TD_OK; k++) {
        status = td_world_step(s->world, &diag);
    }
    CHECK_SAY(status == TD_OK, "%s", diag.message);
    return status == TD_OK;
}

static td_vec3 place_of(const stage *s) {
    td_vec3 x;
    td_world_segment(s->world, td_world_actor_id(s->world, 0), 0, &x, NULL, NULL);
    return x;
}

static double energy_of(stage *s, double *kinetic) {
    double sum = 0;
    *kinetic = 0;
    for (int32_t k = 0; k < td_world_actor_count(s->world); k++) {
        const td_energy e = td_world_actor_sums(s->world, td_world_actor_id(s->world, k)).energy;
        sum += e.kinetic + e.elastic + e.weight;
        *kinetic += e.kinetic;
    }
    return sum;
}

static double least_gap(const stage *s) {
    static td_contact list[1000];
    const int32_t count = td_world_contacts(s->world, list, 1000);
    double least = INFINITY;
    for (int32_t k = 0; k < count && k < 1000; k++) {
        least = fmin(least, list[k].gap);
    }
    return least;
}

// A stick on a slope of `part` times the friction, by weight that leans, along the stick: else it
// would roll. Explicit contact begins where it touches.
static void on_slope(stage *s, const way *by, double part) {
    const double tilt = atan(part * FRICTION), y = (by < &ways[SOLVERS] ? 1.1 : 1) * RADIUS;
    set_up(s);
    s->scene.gravity = (td_vec3){GRAVITY * sin(tilt), -GRAVITY * cos(tilt), 0};
    add_stick(s, by, (td_vec3){-0.1, y, 0}, (td_vec3){0.1, y, 0});
    open_stage(s);
}

static int steps_in(const stage *s, double time) {
    return (int)lround(time / s->scene.step);
}

// ---- planes ---------------------------------------------------------------------------------

// Three short capsules: one near the ground, two far above it and from each other.
typedef struct trio {
    tdi_contacts *c;
    td_vec3 x[6], dx[6];
    tdi_plane_rule rule;
} trio;

// Planes for a path on which capsules go down by so much: how many. Whether something changed.
static int32_t planes_on(trio *t, double second, double third, bool *changed) {
    for (int p = 0; p < 6; p++) {
        t->dx[p] = tdi_vec3(0, p < 2 ? 0 : p < 4 ? -second : -third, 0);
    }
    CHECK_INT(tdi_contacts_find(t->c, t->x, t->dx, NULL), TD_OK);
    CHECK_INT(tdi_planes_find(t->c, &t->rule, t->x, t->dx, changed), TD_OK);
    t->rule.first = false;
    return tdi_planes_count(t->c);
}

TD_TEST(contact_exact_finds_a_plane_once_and_says_so_whatever_other_planes_do) {
    static const tdi_capsule capsules[3] = {
        {0, 1, 0.1, 0, false, 0}, {2, 3, 0.1, 1, false, 0}, {4, 5, 0.1, 2, false, 0}};
    static const int32_t group[3] = {0, 1, 2};
    static const td_real stiffness[3] = {1e3, 1e3, 1e3};
    static const td_vec3 none[3 * TDI_CONTACT_POINTS];
    const td_collider ground = td_collider_default(TD_COLLIDER_PLANE);
    td_contact_opts opts = td_contact_opts_default();
    opts.method = TD_CONTACT_EXACT;
    OWNED(tdi_contacts) *c = test_contacts(&opts, capsules, 3, 1);
    trio t = {.c = c};
    bool changed;
    t.rule = (tdi_plane_rule){.began = t.x,
                              .history = t.x,
                              .ahead = t.dx,
                              .turning = none,
                              .h = 0.01,
                              .whole = 0.01,
                              .group = group,
                              .stiffness = stiffness,
                              .warm_start = none,
                              .first = true};
    for (int p = 0; p < 6; p++) {
        t.x[p] = p % 2 ? tdi_vec3(0, 0, 0.5) : tdi_vec3(0.5, 0, 0);
        t.x[p].y = 0.1001 + p / 2;
    }
    CHECK_INT(tdi_contacts_colliders(c, &ground, 1, 0.01, 0, 1, NULL), TD_OK);
    const int32_t first = planes_on(&t, 0, 0, &changed);
    CHECK(first > 0);
    const int32_t above = planes_on(&t, 0, 0.85, &changed); // the third meets the second
    CHECK(changed && above > first);
    CHECK_INT(planes_on(&t, 0, 0, &changed), above); // and is far from it again
    CHECK(!changed);
    const int32_t all = planes_on(&t, 0.85, 0, &changed); // the second meets the first
    CHECK(changed && all == above + (above - first));
    CHECK_INT(planes_on(&t, 0.85, 0, &changed), all);
    CHECK(changed); // planes on the path are made anew
}

// ---- friction -------------------------------------------------------------------------------

TD_TEST(contact_exact_stick_on_a_slope_below_friction_stands_still_for_a_minute) {
    for (int k = 0; k < WAYS; k++) {
        stage s;
        on_slope(&s, &ways[k], 0.9);
        if (go(&s, steps_in(&s, k < SOLVERS ? 0.5 : 0))) { // it bends and comes to rest
            const td_vec3 from = place_of(&s);
            go(&s, steps_in(&s, k < SOLVERS ? 60 : 3)); // explicit steps are many
            const double off = td_vec3_distance(place_of(&s), from);
            CHECK_SAY(off < (k < SOLVERS ? 1e-6 : 1e-9), "%s: it crept by %g m", ways[k].name, off);
        }
        td_world_free(s.world);
    }
}

// What the contacts tell adds up to the weight.
TD_TEST(contact_exact_forces_of_a_stick_at_rest_carry_its_weight) {
    for (int k = 0; k < WAYS; k++) {
        static td_contact list[100];
        stage s;
        on_slope(&s, &ways[k], 0.5);
        go(&s, 60);
        const int32_t count = td_world_contacts(s.world, list, 100);
        double up = 0, aside = 0;
        for (int32_t i = 0; i < count && i < 100; i++) {
            up += list[i].force.y;
            aside += list[i].force.x;
            CHECK(list[i].actor == 0 && list[i].other == 0);
        }
        CHECK_SAY(fabs(aside / up + 0.5 * FRICTION) < 1e-3 * FRICTION, "%s: %g N aside, %g N up",
                  ways[k].name, aside, up);
        // a rope of 0.2 m, 900 kg/m^3
        const double weight = 900 * 3.14159265358979 * RADIUS * RADIUS * 0.2 * GRAVITY,
                     want = weight * cos(atan(0.5 * FRICTION));
        CHECK_SAY(fabs(up / want - 1) < (k < SOLVERS ? 1e-3 : 1e-6), "%s: %g N, not %g",
                  ways[k].name, up, want);
        td_world_free(s.world);
    }
}

// It starts at rest: x = a t (t + h)/2 by either of Euler's methods.
TD_TEST(contact_exact_stick_on_a_slope_above_friction_slides_by_coulombs_law) {
    for (int k = 0; k < WAYS; k++) {
        stage s;
        on_slope(&s, &ways[k], 1.3);
        const double tilt = atan(1.3 * FRICTION),
                     want = GRAVITY * (sin(tilt) - FRICTION * cos(tilt));
        const td_vec3 start = place_of(&s);
        go(&s, steps_in(&s, 1));
        const td_vec3 end = place_of(&s);
        const double far = hypot(end.x - start.x, end.z - start.z),
                     got = far / (0.5 * (1 + ways[k].step));
        CHECK_SAY(fabs(got / want - 1) < 0.005, "%s: acceleration %g, not %g", ways[k].name, got,
                  want);
        if (k < SOLVERS) {
            const td_step_stats stats = td_world_stats(s.world);
            CHECK_SAY(least_gap(&s) > 0 && end.y - start.y < 0.1 * RADIUS,
                      "%s: gap %g, lifted by %g m", ways[k].name, least_gap(&s), end.y - start.y);
            CHECK_SAY(stats.iterations <= 6 * 60, "%s: %d iterations", ways[k].name,
                      (int)stats.iterations); // each step is solved once
        } else {
            CHECK_SAY(fabs(end.y - RADIUS) < 1e-6, "%s: height %g", ways[k].name, end.y);
        }
        td_world_free(s.world);
    }
}

// Sets the tangent of a slope along the stick.
static void tilt_to(stage *s, double slope) {
    const double tilt = atan(slope);
    CHECK_INT(td_world_set(s->world, "gravity.x", GRAVITY * sin(tilt), NULL), TD_OK);
    CHECK_INT(td_world_set(s->world, "gravity.y", -GRAVITY * cos(tilt), NULL), TD_OK);
}

// On a slope between the two coefficients it holds from rest; once it has slipped, on a steeper
// one, it goes on by the smaller.
static void claim_static_friction(const way *by, td_contact_method method) {
    stage s;
    set_up(&s);
    s.plane.as.static_friction = 1.5 * FRICTION;
    s.scene.contact.method = method;
    add_stick(&s, by, (td_vec3){-0.1, 1.1 * RADIUS, 0}, (td_vec3){0.1, 1.1 * RADIUS, 0});
    open_stage(&s);
    go(&s, 60);
    const double start = place_of(&s).x;
    tilt_to(&s, 1.2 * FRICTION);
    go(&s, 120);
    const double held = place_of(&s).x - start, creeps = method == TD_CONTACT_EXACT ? 1e-6 : 2e-3;
    CHECK_SAY(fabs(held) < creeps, "%s, method %d: it slid by %g m", by->name, (int)method, held);
    tilt_to(&s, 1.7 * FRICTION);
    go(&s, 10);
    tilt_to(&s, 1.2 * FRICTION);
    double at[4];
    for (int k = 0; k < 4; k++) {
        go(&s, k == 0 ? 3 : k == 2 ? 29 : 1); // not the steps of first order after the jump
        at[k] = place_of(&s).x;
    }
    const double tilt = atan(1.2 * FRICTION), want = GRAVITY * (sin(tilt) - FRICTION * cos(tilt)),
                 got = (at[3] - at[2] - at[1] + at[0]) / STEP / (30 * STEP);
    CHECK_SAY(fabs(got / want - 1) < 0.02, "%s, method %d: acceleration %g, not %g", by->name,
              (int)method, got, want);
    td_world_free(s.world);
}

TD_TEST(contact_with_static_friction_holds_until_it_breaks_away_and_then_slides_by_the_other) {
    for (int k = 0; k < SOLVERS; k++) {
        claim_static_friction(&ways[k], TD_CONTACT_BARRIER);
        claim_static_friction(&ways[k], TD_CONTACT_EXACT);
    }
}

// A stick on a ground that moves on and turns, both evenly; where its middle is in the axes of the
// ground after each half of a second.
static void ride(const way *by, td_contact_method method, double turns, td_vec3 at[4]) {
    const double speed = 0.3; // m/s
    stage s;
    set_up(&s);
    s.scene.contact.method = method;
    add_stick(&s, by, (td_vec3){0.1, 1.1 * RADIUS, 0}, (td_vec3){0.3, 1.1 * RADIUS, 0});
    open_stage(&s);
    for (int k = 1; k <= 120; k++) {
        const double angle = turns * k * STEP, far = speed * k * STEP;
        const td_quat turned = {cos(angle / 2), 0, sin(angle / 2), 0};
        CHECK_INT(td_world_move_collider(s.world, td_world_collider_id(s.world, 0),
                                         (td_vec3){far, 0, 0}, turned, NULL),
                  TD_OK);
        if (!go(&s, 1)) {
            break;
        }
        if (k % 30 == 0) {
            const td_vec3 x = place_of(&s);
            const double dx = x.x - far;
            at[k / 30 - 1] = (td_vec3){cos(angle) * dx - sin(angle) * x.z, x.y,
                                       sin(angle) * dx + cos(angle) * x.z};
        }
    }
    td_world_free(s.world);
}

// It slips at first, by v^2/(2 mu g) = 11 mm and some turning, and then it does not.
TD_TEST(contact_friction_takes_sticks_along_with_a_ground_that_moves_and_turns) {
    for (int k = 0; k < 2 * 2 * SOLVERS; k++) {
        const way *by = &ways[k % SOLVERS];
        const td_contact_method method = k / SOLVERS % 2 ? TD_CONTACT_EXACT : TD_CONTACT_BARRIER;
        const double turns = k < 2 * SOLVERS ? 0 : 0.5; // rad/s
        td_vec3 at[4] = {{0}};
        ride(by, method, turns, at);
        const double slipped = hypot(at[1].x - 0.1, at[1].z),
                     slips = hypot(at[3].x - at[1].x, at[3].z - at[1].z);
        CHECK_SAY(slipped > 0.005 && slipped < 0.04 && slips < 1e-4,
                  "%s, method %d, %g rad/s: it slipped by %g m, then by %g m", by->name,
                  (int)method, turns, slipped, slips);
    }
}

// Places of contact follow the pose, also on a first segment, whose start touches nothing. Away
// from the nearest place the gap was an eighth.
TD_TEST(contact_exact_clamped_stick_lies_on_a_ball_where_both_are_nearest) {
    for (int k = 0; k < SOLVERS; k++) {
        td_contact contact = {.gap = 0};
        stage s;
        set_up(&s);
        s.plane = td_scene_collider_default(TD_COLLIDER_SPHERE);
        s.plane.as.radius = 0.03;
        s.plane.as.position = (td_vec3){0.03, -0.0347, 0.003};
        add_stick(&s, &ways[k], (td_vec3){0, 0, 0}, (td_vec3){0.3, 0, 0});
        s.object[0].strand.start.held = TD_END_CLAMPED;
        s.object[0].strand.bend = s.object[0].strand.torsion = 1e-3;
        s.object[0].loose = false;
        open_stage(&s);
        go(&s, 60);
        CHECK_INT(td_world_contacts(s.world, &contact, 1), 1);
        CHECK_INT(contact.segment, 0);
        CHECK_SAY(fabs(contact.gap - 0.1 * RADIUS) < 0.01 * RADIUS, "%s: gap %g", ways[k].name,
                  contact.gap);
        td_world_free(s.world);
    }
}

// ---- impacts --------------------------------------------------------------------------------

// Dropped flat: both ends and all between hit at once.
TD_TEST(contact_exact_stick_dropped_flat_bounces_by_newtons_law) {
    for (int k = 0; k < 2 * SOLVERS; k++) {
        const double e = k < SOLVERS ? 0.5 : 1;
        stage s;
        set_up(&s);
        s.plane.as.restitution = e;
        add_stick(&s, &ways[k % SOLVERS], (td_vec3){-0.1, 0.1, 0}, (td_vec3){0.1, 0.1, 0});
        open_stage(&s);
        double kinetic, before = 0, energy = energy_of(&s, &kinetic), most = energy;
        double up = 0;
        for (int n = 0; n < 30 && up == 0 && go(&s, 1); n++) {
            const double old = before;
            most = fmax(most, energy_of(&s, &kinetic));
            before = kinetic;
            up = kinetic < old ? sqrt(kinetic / old) : 0; // speed over that of the step before
            if (up > 0) { // v+ = e v- less what weight takes in the step
                const double fall = (n)*GRAVITY * STEP, want = e - GRAVITY * STEP / fall;
                // a way may be off by 3e-3 of it
                CHECK_SAY(fabs(up - want) < 3e-3, "%s, e %g: %g of its speed is left, not %g",
                          ways[k % SOLVERS].name, e, up, want);
            }
        }
        CHECK_SAY(up > 0, "%s does not bounce", ways[k % SOLVERS].name);
        go(&s, 240);
        const double end = energy_of(&s, &kinetic);
        CHECK_SAY(most <= energy * (1 + 1e-12) && end <= energy, "%s gains energy: %g, %g, %g",
                  ways[k % SOLVERS].name, energy, most, end);
        CHECK_SAY(e == 1 || kinetic < 1e-12, "%s: %g J are left", ways[k % SOLVERS].name, kinetic);
        td_world_free(s.world);
    }
}

// By explicit steps, that fall by d, it comes up by e^2 d.
TD_TEST(contact_exact_stick_by_explicit_steps_bounces_by_its_restitution) {
    for (int k = SOLVERS; k < WAYS; k++) {
        const double d = 0.2, e = 0.6;
        stage s;
        set_up(&s);
        s.plane.as.restitution = e;
        s.scene.contact.law = k == SOLVERS ? TD_IMPACT_NEWTON : TD_IMPACT_POISSON;
        add_stick(&s, &ways[k], (td_vec3){-0.1, RADIUS + d, 0}, (td_vec3){0.1, RADIUS + d, 0});
        open_stage(&s);
        const int fall = steps_in(&s, sqrt(2 * d / GRAVITY));
        double top = 0;
        go(&s, fall + 5);
        for (int n = 0; n < fall && go(&s, 1); n++) {
            top = fmax(top, place_of(&s).y - RADIUS);
        }
        CHECK_SAY(fabs(top - e * e * d) < 0.02 * d, "it comes up by %g m, not %g", top, e * e * d);
        td_world_free(s.world);
    }
}

// A tilted stick that bounces on one end, then on the other, never gains energy.
TD_TEST(contact_exact_stick_that_tumbles_never_gains_energy) {
    for (int k = 0; k < SOLVERS; k++) {
        stage s;
        set_up(&s);
        s.plane.as.restitution = 0.8;
        add_stick(&s, &ways[k], (td_vec3){-0.09, 0.05, 0}, (td_vec3){0.09, 0.14, 0.03});
        open_stage(&s);
        double kinetic, last = energy_of(&s, &kinetic);
        for (int n = 0; n < 300 && go(&s, 1); n++) {
            const double now = energy_of(&s, &kinetic);
            CHECK_SAY(now <= last + 1e-5, "%s: step %d: from %g to %g J", ways[k].name, n, last,
                      now);
            CHECK_SAY(least_gap(&s) > 0, "%s: overlap", ways[k].name);
            last = now;
        }
        CHECK_SAY(kinetic < 1e-9, "%s: %g J are left", ways[k].name, kinetic);
        td_world_free(s.world);
    }
}

// Saved before, in and after its first bounces.
TD_TEST(contact_exact_bounce_goes_on_with_the_same_bits_by_either_law) {
    for (int k = 0; k < 2 * WAYS; k++) {
        const way *by = &ways[k % WAYS];
        stage s;
        set_up(&s);
        s.scene.contact.law = k < WAYS ? TD_IMPACT_NEWTON : TD_IMPACT_POISSON;
        s.plane.as.restitution = 0.8;
        add_stick(&s, by, (td_vec3){-0.09, 0.05, 0}, (td_vec3){0.09, 0.14, 0.03});
        open_stage(&s);
        double kinetic, start = energy_of(&s, &kinetic);
        for (int n = 0; n < 8; n++) {
            check_resumes(s.world, steps_in(&s, 0.05)); // advances the world
        }
        CHECK_SAY(energy_of(&s, &kinetic) < 0.99 * start, "%s has not hit the plane", by->name);
        td_world_free(s.world);
    }
}

// ---- heaps ----------------------------------------------------------------------------------

static void heap_of(stage *s, td_contact_method method) {
    set_up(s);
    s->scene.contact.method = method;
    s->scene.contact.rolling = 0.1;
    s->plane.as.rolling = 0.1;
    for (int k = 0; k < 2 * SOLVERS; k++) {
        const double a = 0.7 * k, x = 0.1 * cos(a), z = 0.1 * sin(a), y = 0.02 + 0.02 * k;
        add_stick(s, &ways[k % SOLVERS], (td_vec3){-x, y, -z + 0.01}, (td_vec3){x, y + 0.01, z});
    }
    open_stage(s);
}

// Sticks of all solvers, with either method, rough enough not to roll far.
TD_TEST(contact_heap_of_all_solvers_comes_to_rest_apart_and_without_gaining_energy) {
    for (int method = TD_CONTACT_BARRIER; method <= TD_CONTACT_EXACT; method++) {
        stage s;
        heap_of(&s, (td_contact_method)method);
        double kinetic, start = energy_of(&s, &kinetic), most = start, least = INFINITY;
        for (int n = 0; n < 180 && go(&s, 1); n++) {
            most = fmax(most, energy_of(&s, &kinetic));
            least = fmin(least, least_gap(&s));
        }
        CHECK_SAY(most <= start, "method %d: energy rose from %g to %g J", method, start, most);
        CHECK_SAY(least > 0, "method %d: overlap of %g m", method, -least);
        CHECK_SAY(kinetic < 1e-4 * start, "method %d: %g J are left", method, kinetic);
        CHECK_INT(td_world_stats(s.world).unconverged, 0);
        td_world_free(s.world);
    }
}

TD_TEST(contact_exact_goes_on_with_the_same_bits_from_the_middle_of_an_impact) {
    stage s;
    heap_of(&s, TD_CONTACT_EXACT);
    if (go(&s, 6)) {
        check_resumes(s.world, 10);
    }
    td_world_free(s.world);
}

TD_TEST(contact_restitution_without_the_method_exact_is_refused) {
    td_contact_opts opts = td_contact_opts_default();
    td_diag diag;
    opts.restitution = 0.5;
    CHECK_INT(td_contact_opts_check(&opts, &diag), TD_ERR_ARGUMENT);
    CHECK(strstr(diag.message, "method exact"));
    opts.method = TD_CONTACT_EXACT;
    CHECK_INT(td_contact_opts_check(&opts, &diag), TD_OK);
    opts.restitution = 1.5;
    CHECK_INT(td_contact_opts_check(&opts, &diag), TD_ERR_ARGUMENT);
    stage s;
    set_up(&s);
    s.scene.contact.method = TD_CONTACT_BARRIER;
    s.plane.as.restitution = 0.5;
    add_stick(&s, &ways[0], (td_vec3){-0.1, 0.1, 0}, (td_vec3){0.1, 0.1, 0});
    CHECK(try_stage(&s, &diag) != TD_OK);
    CHECK(strstr(diag.message, "method: exact"));
}

TD_TEST(contact_between_objects_is_refused_with_explicit_integrators_by_name) {
    const td_vec3 from = {-0.1, RADIUS, 0}, to = {0.1, RADIUS, 0};
    td_diag diag;
    stage s;
    set_up(&s);
    add_stick(&s, &ways[4], from, to);
    s.scene.contact.self = true;
    CHECK(try_stage(&s, &diag) != TD_OK);
    CHECK_HAS(diag.message, "self: false");
    set_up(&s);
    add_stick(&s, &(way){"rod by euler", "rod", TD_EULER, 1e-3, 1}, from, to);
    CHECK(try_stage(&s, &diag) != TD_OK);
    CHECK_HAS(diag.message, "integrator");
    set_up(&s);
    add_stick(&s, &ways[4], from, to);
    open_stage(&s);
    CHECK_INT(td_world_set_integrator(s.world, 0, TD_IMPLICIT, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_world_set_integrator(s.world, 0, TD_EULER, NULL), TD_OK);
    go(&s, 1);
    td_world_free(s.world);
}
