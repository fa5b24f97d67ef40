// SPDX-License-Identifier: MIT
// Rods that touch themselves, each other and colliders. Pairs with src/rod/points.c and
// src/implicit.

#include "test_rod_shapes.h"

#include "implicit/body_contact.h"
#include "rod/implicit.h"
#include "rod/pose.h"
#include "rod/solve.h"

#define PI 3.14159265358979323846

// ---- what is stepped together ---------------------------------------------------------------

enum { MOST_RODS = 24 };

// Rods, one a state, in contact.
typedef struct heap {
    rods rod[MOST_RODS];
    td_body *state[MOST_RODS];
    td_step_opts opts[MOST_RODS];
    int32_t count;
    td_island *island;
} heap;

static void heap_add(heap *h, const td_rod_def *def) {
    h->rod[h->count] = rods_new(def, 1, NULL, 0);
    h->state[h->count] = h->rod[h->count].state;
    h->opts[h->count] = td_step_opts_default();
    h->count++;
}

static void heap_ready(heap *h, const td_alloc *alloc) {
    td_contact_opts opts = td_contact_opts_default();
    td_diag diag = {.message = ""};
    td_body *refs[MOST_RODS];
    for (int32_t k = 0; k < h->count; k++) {
        refs[k] = h->state[k];
    }
    td_status status = td_island_new(refs, h->count, &opts, 2, alloc, &h->island, &diag);
    if (status != TD_OK) {
        test_failed(__FILE__, __LINE__, "contacts: %s", diag.message);
        abort();
    }
}

static void heap_free(heap *h) {
    td_island_free(h->island);
    for (int32_t k = 0; k < h->count; k++) {
        rods_free(h->rod[k]);
    }
}

static td_status heap_step(heap *h, const td_collider *colliders, int32_t count) {
    return td_island_step(h->island, h->opts, colliders, count, NULL, NULL);
}

#define RADIUS 0.005 // m, of all rods here

static td_rod_def soft_def(const td_vec3 *points, int32_t count) {
    td_rod_def d = td_rod_def_default();
    d.vertex_count = count;
    d.points = points;
    d.radius = RADIUS;
    d.young = 1e6;
    d.damping_time = 0.01;
    return d;
}

// A straight one. `points` must outlive its use.
static td_rod_def thin_def(td_vec3 *points, int32_t count, td_vec3 from, td_vec3 to) {
    straight_line(points, count, from, to);
    return soft_def(points, count);
}

static td_collider ground(void) {
    td_collider c = td_collider_default(TD_COLLIDER_PLANE);
    c.friction = 0.5;
    return c;
}

// ---- measures -------------------------------------------------------------------------------

// The least distance of two axes, from many places on one to the other.
static td_real axes_apart(td_vec3 a, td_vec3 b, td_vec3 c, td_vec3 d) {
    enum { PLACES = 64 };
    td_vec3 along = tdi_sub(d, c);
    td_real least = 1e9;
    for (int k = 0; k <= PLACES; k++) {
        td_vec3 p = tdi_madd(a, tdi_sub(b, a), (td_real)k / PLACES);
        td_real t = tdi_dot(tdi_sub(p, c), along) / tdi_dot(along, along);
        p = tdi_sub(p, tdi_madd(c, along, fmin(fmax(t, 0), 1)));
        least = fmin(least, tdi_norm(p));
    }
    return least;
}

// The least gap between two rods, over their radius; with itself it counts from three edges on.
static td_real gap_of(const rods *p, const rods *q) {
    td_real least = 1e9;
    for (int32_t i = 0; i < td_body_segment_count(p->model); i++) {
        for (int32_t j = p == q ? i + 3 : 0; j < td_body_segment_count(q->model); j++) {
            td_real d = axes_apart(td_body_origin(p->state, i), td_body_tip(p->state, i),
                                   td_body_origin(q->state, j), td_body_tip(q->state, j));
            least = fmin(least, d / RADIUS - 2);
        }
    }
    return least;
}

static td_real lowest(const rods *s) {
    td_real y = 1e9;
    for (int32_t v = 0; v < td_rod_vertex_count(s->model); v++) {
        y = fmin(y, td_rod_position(s->state, v).y);
    }
    return y;
}

static bool all_finite(const rods *s, td_real size) {
    for (int32_t v = 0; v < td_rod_vertex_count(s->model); v++) {
        if (!(tdi_norm(td_rod_position(s->state, v)) < size)) {
            return false;
        }
    }
    return true;
}

// ---- knots ----------------------------------------------------------------------------------

enum { KNOT_EDGES = 60 };

// An open trefoil between two held ends, straight at ease.
static heap knotted(const td_alloc *alloc) {
    td_vec3 points[KNOT_EDGES + 1];
    heap h = {.count = 0};
    for (int k = 0; k <= KNOT_EDGES; k++) {
        td_real t = 4.2 * k / KNOT_EDGES - 2.1, tt = t * t;
        points[k] =
            tdi_scale(tdi_vec3(t * (tt - 3), tt * (tt - 4), 0.5 * t * (tt * tt - 10)), 0.03);
    }
    td_rod_def d = soft_def(points, KNOT_EDGES + 1);
    d.straight = true;
    d.start = d.end = TD_END_CLAMPED;
    heap_add(&h, &d);
    heap_ready(&h, alloc);
    h.opts[0].gravity = no_weight;
    return h;
}

static td_real length_of(const rods *r) {
    td_real sum = 0;
    for (int32_t e = 0; e < KNOT_EDGES; e++) {
        sum += tdi_norm(tdi_sub(td_body_tip(r->state, e), td_body_origin(r->state, e)));
    }
    return sum;
}

// Moves the two ends of a knot by this and turns them, against each other.
static void drive_knot(heap *h, td_vec3 by, td_real turn) {
    td_body *s = h->state[0];
    for (int end = 0; end < 2; end++) {
        td_real sign = end == 0 ? -1 : 1;
        int32_t edge = end == 0 ? 0 : KNOT_EDGES - 1;
        td_vec3 at = td_rod_position(s, end == 0 ? 0 : KNOT_EDGES);
        td_vec3 axis = tdi_sub(td_body_tip(s, edge), td_body_origin(s, edge));
        td_quat turned = tdi_quat_turn(tdi_unit_or(axis, by), sign * turn);
        CHECK(td_rod_set_end(s, 0, end == 1, tdi_madd(at, by, sign),
                             tdi_quat_mul(turned, td_body_rotation(s, edge)), NULL) == TD_OK);
    }
}

TD_TEST(knot_pulled_to_half_more_than_its_length_stretches_and_does_not_pass_through_itself) {
    heap h = knotted(NULL);
    td_real at_ease = length_of(&h.rod[0]);
    for (int k = 0; k < 80; k++) { // its ends go apart from 0.6 to 2.2 m
        drive_knot(&h, tdi_vec3(0, 0, 0.01), 0.1);
        CHECK_INT(heap_step(&h, NULL, 0), TD_OK);
        CHECK(all_finite(&h.rod[0], 10));
        CHECK(gap_of(&h.rod[0], &h.rod[0]) > 0);
    }
    CHECK_IN(length_of(&h.rod[0]) / at_ease, 1.5, 1.8);
    heap_free(&h);
}

// ends that are driven into each other: there is no way on, and nothing passes through anything
TD_TEST(rod_driven_into_itself_stops_with_a_message) {
    heap h = knotted(NULL);
    td_status status = TD_OK;
    td_diag diag = {.message = ""};
    for (int k = 0; k < 100 && status == TD_OK; k++) {
        td_vec3 way =
            tdi_sub(td_rod_position(h.state[0], KNOT_EDGES), td_rod_position(h.state[0], 0));
        drive_knot(&h, tdi_scale(tdi_unit_or(way, no_weight), -0.02), 0);
        status = td_island_step(h.island, h.opts, NULL, 0, NULL, &diag);
        CHECK(all_finite(&h.rod[0], 10));
        CHECK(gap_of(&h.rod[0], &h.rod[0]) > 0);
    }
    CHECK_INT(status, TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "no room");
    heap_free(&h);
}

// ---- pushing --------------------------------------------------------------------------------

// a free rod lies across the way of one that is driven, beside its end, which yields to nothing
TD_TEST(end_that_is_driven_pushes_what_is_before_it) {
    td_vec3 points[21];
    heap h = {.count = 0};
    td_rod_def d = thin_def(points, 21, tdi_vec3(-0.2, 0, 0), tdi_vec3(0.2, 0, 0));
    d.start = d.end = TD_END_CLAMPED;
    heap_add(&h, &d);
    d = thin_def(points, 21, tdi_vec3(0.195, 0.05, -0.2), tdi_vec3(0.195, 0.05, 0.2));
    heap_add(&h, &d);
    heap_ready(&h, NULL);
    h.opts[0].gravity = h.opts[1].gravity = no_weight;
    td_quat turn[2] = {td_body_rotation(h.state[0], 0), td_body_rotation(h.state[0], 19)};
    for (int k = 1; k <= 12; k++) { // at 2 m/s
        CHECK(td_rod_set_end(h.state[0], 0, false, tdi_vec3(-0.2, k / 30.0, 0), turn[0], NULL) ==
              TD_OK);
        CHECK(td_rod_set_end(h.state[0], 0, true, tdi_vec3(0.2, k / 30.0, 0), turn[1], NULL) ==
              TD_OK);
        CHECK_INT(heap_step(&h, NULL, 0), TD_OK);
        CHECK_REL(td_rod_position(h.state[0], 20).y, k / 30.0, 1e-9);
        CHECK(gap_of(&h.rod[0], &h.rod[1]) > 0);
    }
    CHECK(td_rod_position(h.state[1], 10).y > 12 / 30.0);
    heap_free(&h);
}

// a stiff rod between the ground and a roof that comes down through it
TD_TEST(rod_that_is_crushed_by_colliders_stops_with_a_message) {
    td_vec3 points[21];
    heap h = {.count = 0};
    td_rod_def d = thin_def(points, 21, tdi_vec3(-0.2, 0.006, 0), tdi_vec3(0.2, 0.006, 0));
    td_collider planes[2] = {ground(), ground()};
    td_status status = TD_OK;
    td_diag diag = {.message = ""};
    heap_add(&h, &d);
    heap_ready(&h, NULL);
    planes[1].rotation0 = planes[1].rotation = tdi_quat_turn(tdi_vec3(1, 0, 0), PI);
    planes[1].position.y = 0.0295;
    for (int k = 0; k < 20 && status == TD_OK; k++) {
        planes[1].position0 = planes[1].position;
        planes[1].position.y -= 0.002;
        status = td_island_step(h.island, h.opts, planes, 2, NULL, &diag);
        CHECK(lowest(&h.rod[0]) > RADIUS);
    }
    CHECK_INT(status, TD_ERR_DIVERGED);
    CHECK_HAS(diag.message, "no room");
    CHECK_IN(planes[1].position0.y, 2 * RADIUS, 3 * RADIUS);
    heap_free(&h);
}

// ---- members that wait ----------------------------------------------------------------------

// Sticks of seven points: the first eight fall onto the ground across each other, the others fall
// freely far away.
static heap sticks(int32_t iterations) {
    enum { CROSSED = 8, POINTS = 7 };
    heap h = {.count = 0};
    for (int k = 0; k < MOST_RODS; k++) {
        const double a = 0.91 * k, height = k < CROSSED ? 0.01 + 0.012 * k : 0.5;
        td_vec3 points[POINTS];
        td_rod_def def = td_rod_def_default();
        for (int i = 0; i < POINTS; i++) {
            const double t = 0.07 * (i - 3) / 3, side = k < CROSSED ? 0.01 * (k % 3) : 0.5 * k;
            points[i] = tdi_vec3(t * cos(a) + side, height + 7e-4 * i, t * sin(a));
        }
        def.points = points;
        def.vertex_count = POINTS;
        def.radius = 0.003;
        def.start = TD_END_FREE;
        heap_add(&h, &def);
        h.opts[k].dt = 1.0 / 60;
        h.opts[k].iterations = iterations;
    }
    heap_ready(&h, NULL);
    return h;
}

// An iteration in which most members wait counts as the part of one that it costs: a limit of
// 5 times 3 is not reached by 27 of them, and the step is not taken in halves.
TD_TEST(rod_iterations_of_a_few_members_count_as_a_part_of_one) {
    enum { STEPS = 16, FEW = 3, LIMIT = 5 * FEW };
    heap few = sticks(FEW), many = sticks(20 * FEW);
    const td_collider plane = ground();
    int64_t most = 0;
    for (int k = 0; k < STEPS; k++) {
        td_step_stats own = {0}, other = {0};
        CHECK_INT(td_island_step(few.island, few.opts, &plane, 1, &own, NULL), TD_OK);
        CHECK_INT(td_island_step(many.island, many.opts, &plane, 1, &other, NULL), TD_OK);
        CHECK_INT(own.iterations, other.iterations);
        most = own.iterations > most ? own.iterations : most;
    }
    CHECK_SAY(most > LIMIT, "%d iterations at most are no test", (int)most);
    heap_free(&few);
    heap_free(&many);
}
