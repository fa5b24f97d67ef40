// SPDX-License-Identifier: MIT
// Cases of rods that touch: knots, plectonemes and chains whose surfaces must stay apart, ropes and
// segments held back by friction, a floor that rises.
//
// Apart    the least distance of two axes is measured here by itself: that of a place on one to the
//          other is convex along it, so that thirds of its length are left out until none is left.
//          Edges of one rod count from half its girth along it on: nearer ones cannot touch.

#include "cli/validate_rod.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_RODS = 6, MOST_EDGES = 320, MOST_POINTS = 8192 };

// Rods that are stepped together, one a state, all of one thickness.
typedef struct heap {
    val_strand strand[MOST_RODS];
    td_rod_state *state[MOST_RODS];
    td_step_opts opts[MOST_RODS];
    int32_t count;
    double radius, edge; // m
    bool closed;
    td_rod_contacts *contacts;
    td_collider collider;
    int32_t collider_count;
    td_step_stats stats;
    double least;         // m: between surfaces, so far
    const char *quantity; // what steps are for
} heap;

static td_vec3 plus(td_vec3 a, td_vec3 b, double s) {
    return (td_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static double dot(td_vec3 a, td_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static td_vec3 cross(td_vec3 a, td_vec3 b) {
    return (td_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static double distance(td_vec3 a, td_vec3 b) {
    td_vec3 d = plus(a, b, -1);
    return sqrt(dot(d, d));
}
static td_quat after(td_quat a, td_quat b) {
    return (td_quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                     a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                     a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// ---- how far apart --------------------------------------------------------------------------

typedef struct segment {
    td_vec3 a, b;
} segment;

static double from_point(td_vec3 p, const segment *s) {
    td_vec3 d = plus(s->b, s->a, -1);
    double t = dot(plus(p, s->a, -1), d) / dot(d, d);
    return distance(p, plus(s->a, d, fmin(fmax(t, 0), 1)));
}

static double axes_apart(const segment *p, const segment *q) {
    td_vec3 d = plus(p->b, p->a, -1);
    double low = 0, high = 1;
    while (high - low > 1e-9) {
        double third = (high - low) / 3;
        if (from_point(plus(p->a, d, low + third), q) <
            from_point(plus(p->a, d, high - third), q)) {
            high -= third;
        } else {
            low += third;
        }
    }
    return from_point(plus(p->a, d, 0.5 * (low + high)), q);
}

// How far two edges are apart along the rod.
static double way_between(const heap *h, int32_t i, int32_t j) {
    int32_t n = (int32_t)h->strand[0].n, steps = abs(i - j);
    steps = h->closed && n - steps < steps ? n - steps : steps;
    return (steps - 1) * h->edge;
}

// The least gap of all pairs of edges: `least` follows it. Pairs whose middles are so far apart
// that they cannot be nearer are left out.
static void measure(heap *h) {
    static segment s[MOST_RODS * MOST_EDGES];
    int32_t n = (int32_t)h->strand[0].n, all = h->count * n;
    double girth = 2 * VAL_PI * h->radius;
    for (int32_t k = 0; k < all; k++) {
        s[k] = (segment){td_rod_origin(h->state[k / n], k % n), td_rod_tip(h->state[k / n], k % n)};
    }
    for (int32_t i = 0; i < all; i++) {
        for (int32_t j = i + 1; j < all; j++) {
            td_vec3 middles = plus(plus(s[i].a, s[i].b, 1), plus(s[j].a, s[j].b, 1), -1);
            double ends = distance(s[i].a, s[i].b) + distance(s[j].a, s[j].b);
            double most = h->least + 2 * h->radius + 0.5 * ends;
            bool near = i / n == j / n && way_between(h, i % n, j % n) < 0.5 * girth;
            if (!near && 0.25 * dot(middles, middles) < most * most) {
                double gap = axes_apart(&s[i], &s[j]) - 2 * h->radius;
                h->least = gap < h->least || isnan(gap) ? gap : h->least;
            }
        }
    }
}

// How often one ring goes through another: Gauss's integral, of which two edges have the solid
// angle of the four corners that their differences make.
static double linking(const val_strand *p, const val_strand *q) {
    double sum = 0;
    for (int32_t i = 0; i < p->n; i++) {
        for (int32_t j = 0; j < q->n; j++) {
            td_vec3 a = td_rod_origin(p->state, i), b = td_rod_tip(p->state, i);
            td_vec3 c = td_rod_origin(q->state, j), d = td_rod_tip(q->state, j);
            td_vec3 r[4] = {plus(c, a, -1), plus(d, a, -1), plus(d, b, -1), plus(c, b, -1)};
            double solid = 0;
            for (int k = 0; k < 4; k += 2) { // two triangles
                td_vec3 u = r[0], v = r[k == 0 ? 1 : 2], w = r[k == 0 ? 2 : 3];
                double lu = sqrt(dot(u, u)), lv = sqrt(dot(v, v)), lw = sqrt(dot(w, w));
                solid += 2 * atan2(dot(u, cross(v, w)),
                                   lu * lv * lw + dot(u, v) * lw + dot(v, w) * lu + dot(w, u) * lv);
            }
            sum += solid;
        }
    }
    return sum / (4 * VAL_PI);
}

// ---- heaps ----------------------------------------------------------------------------------

static void heap_free(heap *h) {
    td_rod_contacts_free(h->contacts);
    for (int32_t k = 0; k < h->count; k++) {
        val_strand_free(&h->strand[k]);
    }
}

static heap heap_empty(const char *quantity, double dt) {
    heap h = {.quantity = quantity, .least = 1};
    for (int32_t k = 0; k < MOST_RODS; k++) {
        h.opts[k] = td_step_opts_default();
        h.opts[k].dt = dt;
    }
    return h;
}

// One rod more. False, with a row for the fault, when it fails; all are freed then.
static bool heap_add(val_report *report, heap *h, const td_rod_def *def) {
    if (!val_strand_new(report, def, NULL, &h->strand[h->count])) {
        heap_free(h);
        return false;
    }
    h->state[h->count] = h->strand[h->count].state;
    h->radius = def->radius;
    h->edge = distance(def->points[0], def->points[1]);
    h->closed = def->closed;
    h->count++;
    return true;
}

static bool heap_ready(val_report *report, heap *h, double friction, double creep) {
    td_contact_opts opts = td_contact_opts_default();
    td_diag diag = {.message = ""};
    opts.friction = friction;
    opts.creep = creep;
    td_status status = td_rod_contacts_new(h->state, h->count, &opts, 1, NULL, &h->contacts, &diag);
    if (status != TD_OK) {
        val_fault(report, h->quantity, h->strand[0].n, status, &diag);
        heap_free(h);
    }
    return status == TD_OK;
}

static bool heap_step(val_report *report, heap *h) {
    td_diag diag = {.message = ""};
    td_status status = td_rod_step_many(h->state, h->opts, h->count, h->contacts, &h->collider,
                                        h->collider_count, &h->stats, &diag);
    if (status != TD_OK) {
        val_fault(report, h->quantity, h->strand[0].n, status, &diag);
    }
    return status == TD_OK;
}

// The row of what is never to overlap: below 0 it is the least gap.
static void row_of_gap(val_report *report, const heap *h, const char *what) {
    char text[80];
    snprintf(text, sizeof text, "overlap over radius at most, %s, dt 1/%.0f", what,
             1 / h->opts[0].dt);
    val_at_most(report, text, h->strand[0].n, -h->least / h->radius, 0);
}

// Points evenly along a curve that is given by many.
static void spread(const td_vec3 *fine, int32_t fine_count, td_vec3 *points, int32_t edges) {
    double whole = 0, gone = 0;
    for (int32_t k = 1; k < fine_count; k++) {
        whole += distance(fine[k - 1], fine[k]);
    }
    int32_t at = 1;
    for (int32_t v = 0; v <= edges; v++) {
        double want = whole * v / edges, span = distance(fine[at - 1], fine[at]);
        while (gone + span < want && at < fine_count - 1) {
            gone += span;
            at++;
            span = distance(fine[at - 1], fine[at]);
        }
        points[v] = plus(fine[at - 1], plus(fine[at], fine[at - 1], -1), (want - gone) / span);
    }
}

// ---- knot -----------------------------------------------------------------------------------

#define KNOT_EDGES  120
#define KNOT_RADIUS 0.005 // m
#define KNOT_SIZE   0.03  // m, of the curve's unit
#define KNOT_ENDS   0.2   // m, straight on both sides
#define KNOT_SPARE  0.1   // m: how much less than its length the ends are apart
#define KNOT_PULL   1.5   // s
#define KNOT_TURN   1.5   // s
#define KNOT_TURNS  3

// Shastri's trefoil (t^3 - 3t, t^4 - 4t^2, t^5 - 10t), flattened, with straight ends.
static double knot_points(td_vec3 *points) {
    static td_vec3 fine[MOST_POINTS];
    for (int32_t k = 1; k < MOST_POINTS - 1; k++) {
        double t = 4.2 * (k - 1) / (MOST_POINTS - 3) - 2.1, tt = t * t;
        fine[k] = (td_vec3){KNOT_SIZE * t * (tt - 3), KNOT_SIZE * tt * (tt - 4),
                            KNOT_SIZE * 0.5 * t * (tt * tt - 10)};
    }
    fine[0] = plus(fine[1], (td_vec3){0, 0, -KNOT_ENDS}, 1);
    fine[MOST_POINTS - 1] = plus(fine[MOST_POINTS - 2], (td_vec3){0, 0, KNOT_ENDS}, 1);
    spread(fine, MOST_POINTS, points, KNOT_EDGES);
    return KNOT_EDGES * distance(points[0], points[1]);
}

// Ends drawn apart until the knot is tight, then turned against each other.
static bool pull_knot(val_report *report, heap *h, const td_vec3 *points, double apart) {
    const double dt = h->opts[0].dt;
    td_quat turn[2] = {td_rod_rotation(h->state[0], 0),
                       td_rod_rotation(h->state[0], KNOT_EDGES - 1)};
    double start = points[KNOT_EDGES].z - points[0].z;
    for (double t = dt; t < KNOT_PULL + KNOT_TURN + 0.5 * dt; t += dt) {
        double pulled = 0.5 * (apart - start) * fmin(t / KNOT_PULL, 1);
        double angle = VAL_PI * KNOT_TURNS * fmax(t - KNOT_PULL, 0) / KNOT_TURN;
        for (int end = 0; end < 2; end++) {
            double sign = end == 0 ? -1 : 1;
            td_vec3 at = plus(points[end * KNOT_EDGES], (td_vec3){0, 0, 1}, sign * pulled);
            td_rod_set_end(h->state[0], 0, end == 1, at,
                           after(val_turn((td_vec3){0, 0, sign * angle}), turn[end]));
        }
        if (!heap_step(report, h)) {
            return false;
        }
        measure(h);
    }
    return true;
}

// Of all joints together. A knotted rod between straight ends bends by a full turn at least: closed
// by a wide arc, which bends by one more, it is a knot, and those bend by two (Fary and Milnor).
static double whole_bend(const val_strand *rod) {
    double sum = 0;
    for (int32_t k = 1; k < rod->n; k++) {
        td_vec3 a = plus(td_rod_tip(rod->state, k - 1), td_rod_origin(rod->state, k - 1), -1);
        td_vec3 b = plus(td_rod_tip(rod->state, k), td_rod_origin(rod->state, k), -1);
        td_vec3 c = cross(a, b);
        sum += atan2(sqrt(dot(c, c)), dot(a, b));
    }
    return sum;
}

static void knot(val_report *report, double dt) {
    td_vec3 points[KNOT_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    heap h = heap_empty("a knot pulled tight", dt);
    double length = knot_points(points);
    def.vertex_count = KNOT_EDGES + 1;
    def.points = points;
    def.straight = true;
    def.radius = KNOT_RADIUS;
    def.young = 1e6;
    def.damping_time = 0.01;
    def.start = def.end = TD_END_CLAMPED;
    h.opts[0].gravity = (td_vec3){0, 0, 0};
    double apart = length - KNOT_SPARE;
    if (!heap_add(report, &h, &def) || !heap_ready(report, &h, 0.3, 1e-3)) {
        return;
    }
    if (pull_knot(report, &h, points, apart)) {
        char text[80];
        row_of_gap(report, &h, "knot");
        snprintf(text, sizeof text, "2 pi over all bending of the knot, dt 1/%.0f", 1 / dt);
        val_at_most(report, text, KNOT_EDGES, 2 * VAL_PI / whole_bend(&h.strand[0]), 1);
    }
    heap_free(&h);
}

// ---- plectoneme -----------------------------------------------------------------------------

#define CORD_EDGES  200
#define CORD_LENGTH 1.0    // m
#define CORD_RADIUS 0.0015 // m
#define CORD_NEAR   0.3    // m: how far apart the ends come
#define CORD_TIME   3.0    // s
#define CORD_TURNS  16

// A cord between two clamps, turned at one end while they come together.
static bool wind_cord(val_report *report, heap *h) {
    const double dt = h->opts[0].dt;
    td_quat turn = td_rod_rotation(h->state[0], 0);
    for (double t = dt; t < CORD_TIME + 0.5 * dt; t += dt) {
        double in = 0.5 * (CORD_LENGTH - CORD_NEAR) * fmin(2 * t / CORD_TIME, 1);
        double angle = 2 * VAL_PI * CORD_TURNS * t / CORD_TIME;
        td_rod_set_end(h->state[0], 0, false, (td_vec3){in, 0, 0},
                       after(val_turn((td_vec3){angle, 0, 0}), turn));
        td_rod_set_end(h->state[0], 0, true, (td_vec3){CORD_LENGTH - in, 0, 0}, turn);
        if (!heap_step(report, h)) {
            return false;
        }
        measure(h);
    }
    return true;
}

static void plectoneme(val_report *report, double dt) {
    td_vec3 points[CORD_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    heap h = heap_empty("a cord wound up", dt);
    for (int32_t v = 0; v <= CORD_EDGES; v++) {
        points[v] = (td_vec3){CORD_LENGTH * v / CORD_EDGES, 0, 0};
    }
    def.vertex_count = CORD_EDGES + 1;
    def.points = points;
    def.director = (td_vec3){0, 0, 1};
    def.radius = CORD_RADIUS;
    def.damping_time = 0.005;
    def.start = def.end = TD_END_CLAMPED;
    if (!heap_add(report, &h, &def) || !heap_ready(report, &h, 0.1, 1e-3)) {
        return;
    }
    if (wind_cord(report, &h)) {
        row_of_gap(report, &h, "cord");
    }
    heap_free(&h);
}

// ---- chain ----------------------------------------------------------------------------------

#define LINKS       5
#define LINK_EDGES  32
#define LINK_SIZE   0.02  // m
#define LINK_RADIUS 0.002 // m
#define LINK_NEXT   0.03  // m: from one to the next
#define CHAIN_TIME  2.0   // s
#define CHAIN_PULL  20.0  // N, in the end

// Rings through each other, every other one turned, on a peg; the last is pulled more and more.
static bool pull_chain(val_report *report, heap *h) {
    const double dt = h->opts[0].dt;
    td_load pull = {.kind = TD_LOAD_FORCE, .segment = 3 * LINK_EDGES / 4};
    h->opts[LINKS - 1].loads = &pull;
    h->opts[LINKS - 1].load_count = 1;
    for (double t = dt; t < CHAIN_TIME + 0.5 * dt; t += dt) {
        pull.vector = (td_vec3){0, -CHAIN_PULL * t / CHAIN_TIME, 0};
        if (!heap_step(report, h)) {
            return false;
        }
        measure(h);
    }
    return true;
}

static void chain(val_report *report, double dt) {
    heap h = heap_empty("a chain pulled", dt);
    for (int32_t k = 0; k < LINKS; k++) {
        td_vec3 points[LINK_EDGES];
        td_rod_def def = td_rod_def_default();
        for (int32_t v = 0; v < LINK_EDGES; v++) {
            double a = 2 * VAL_PI * v / LINK_EDGES, side = LINK_SIZE * cos(a);
            points[v] =
                (td_vec3){k % 2 ? 0 : side, LINK_SIZE * sin(a) - LINK_NEXT * k, k % 2 ? side : 0};
        }
        def.vertex_count = LINK_EDGES;
        def.points = points;
        def.closed = true;
        def.radius = LINK_RADIUS;
        def.young = 1e8;
        def.damping_time = 1e-3;
        if (!heap_add(report, &h, &def)) {
            return;
        }
    }
    h.collider = td_collider_default(TD_COLLIDER_CAPSULE);
    h.collider.size = (td_vec3){0.005, 0.05, 0};
    h.collider.position0 = h.collider.position = (td_vec3){0, LINK_SIZE - 0.008, 0};
    h.collider.rotation0 = h.collider.rotation = val_turn((td_vec3){0.5 * VAL_PI, 0, 0});
    h.collider_count = 1;
    if (!heap_ready(report, &h, 0.3, 1e-3)) {
        return;
    }
    if (pull_chain(report, &h)) {
        char text[80];
        double worst = 0;
        for (int32_t k = 1; k < LINKS; k++) {
            double off = fabs(fabs(linking(&h.strand[k - 1], &h.strand[k])) - 1);
            worst = val_worse(worst, off);
        }
        row_of_gap(report, &h, "chain");
        snprintf(text, sizeof text, "linking numbers of the chain, dt 1/%.0f", 1 / dt);
        val_absolute(report, text, LINKS, 1 + worst, 1, 1e-9);
    }
    heap_free(&h);
}

// ---- friction -------------------------------------------------------------------------------

#define GROUND_FRICTION 0.4
#define WEIGHT          9.81

// A segment at rest on a plane, as near as it lies. False, with a row for the fault.
static bool on_ground(val_report *report, heap *h, double creep) {
    const td_vec3 points[2] = {{0, 0.0105, 0}, {0.1, 0.0105, 0}};
    td_rod_def def = td_rod_def_default();
    def.vertex_count = 2;
    def.points = points;
    def.radius = 0.01;
    h->collider = td_collider_default(TD_COLLIDER_PLANE);
    h->collider.friction = GROUND_FRICTION;
    h->collider_count = 1;
    if (!heap_add(report, h, &def) || !heap_ready(report, h, 0, creep)) {
        return false;
    }
    for (int k = 0; k < 120; k++) {
        if (!heap_step(report, h)) {
            heap_free(h);
            return false;
        }
    }
    return true;
}

// Thrown along the ground at 2 m/s, lengthwise or across: its deceleration until half of that is
// left, then where it is at rest.
static void sliding(val_report *report, double dt, bool across) {
    char text[80];
    heap h = heap_empty("a segment sliding", dt);
    snprintf(text, sizeof text, "deceleration, m/s^2, %s, dt 1/%.0f",
             across ? "across" : "lengthwise", 1 / dt);
    if (!on_ground(report, &h, 1e-3)) {
        return;
    }
    td_vec3 v = across ? (td_vec3){0, 0, 2} : (td_vec3){2, 0, 0};
    for (int32_t k = 0; k < 2; k++) {
        td_rod_set_vertex(h.state[0], k, td_rod_position(h.state[0], k), v);
    }
    int32_t steps = (int32_t)(1 / (GROUND_FRICTION * WEIGHT) / dt);
    for (int32_t k = 1; k <= 4 * steps; k++) {
        if (!heap_step(report, &h)) {
            heap_free(&h);
            return;
        }
        td_vec3 now = td_rod_velocity(h.state[0], 0);
        double speed = sqrt(dot(now, now));
        if (k == steps) {
            val_relative(report, text, 1, (2 - speed) / (k * dt), GROUND_FRICTION * WEIGHT, 0.02);
        } else if (k == 4 * steps) {
            snprintf(text, sizeof text, "speed after it stopped, m/s, dt 1/%.0f", 1 / dt);
            val_at_most(report, text, 1, speed, 1e-6);
        }
    }
    heap_free(&h);
}

// On a slope of `part` times the friction, by weight that leans: it sticks, or slides as it must,
// once it does.
static void slope(val_report *report, double dt, double part) {
    char text[80];
    heap h = heap_empty("a segment on a slope", dt);
    const double creep = 1e-4, tilt = atan(part * GROUND_FRICTION);
    const int32_t steps = (int32_t)(0.25 / dt + 0.5);
    double before = 0;
    if (!on_ground(report, &h, creep)) {
        return;
    }
    h.opts[0].gravity = (td_vec3){WEIGHT * sin(tilt), -WEIGHT * cos(tilt), 0};
    for (int32_t k = 0; k < 2 * steps; k++) {
        before = k == steps ? td_rod_velocity(h.state[0], 0).x : before;
        if (!heap_step(report, &h)) {
            heap_free(&h);
            return;
        }
    }
    double speed = td_rod_velocity(h.state[0], 0).x;
    if (part < 1) {
        snprintf(text, sizeof text, "speed over creep, slope of %g mu, dt 1/%.0f", part, 1 / dt);
        val_at_most(report, text, 1, speed / creep, 1);
    } else {
        double want = WEIGHT * (sin(tilt) - GROUND_FRICTION * cos(tilt));
        snprintf(text, sizeof text, "acceleration, slope of %g mu, dt 1/%.0f", part, 1 / dt);
        val_relative(report, text, 1, (speed - before) / (steps * dt), want, 0.02);
    }
    heap_free(&h);
}

// ---- capstan --------------------------------------------------------------------------------

#define ROPE_EDGES  80
#define ROPE_RADIUS 0.002 // m
#define DRUM_RADIUS 0.05  // m
#define ROPE_HANGS  0.03  // m, on each side
#define ROPE_PULL   1.0   // N, on the side that yields
#define ROPE_STEPS  600   // of the ramp

// Over the drum by `wrap` and straight on both sides.
static void rope_points(double wrap, td_vec3 *points) {
    static td_vec3 fine[MOST_POINTS];
    double r = DRUM_RADIUS + ROPE_RADIUS * 1.15, whole = r * wrap + 2 * ROPE_HANGS;
    for (int32_t k = 0; k < MOST_POINTS; k++) {
        double s = whole * (k / (MOST_POINTS - 1.0) - 0.5), a = s / r;
        double over = fabs(a) > 0.5 * wrap ? fabs(s) - 0.5 * r * wrap : 0;
        a = fmin(fmax(a, -0.5 * wrap), 0.5 * wrap);
        double sign = a < 0 ? -1 : 1;
        fine[k] =
            (td_vec3){r * sin(a) + sign * over * cos(a), r * cos(a) - sign * over * sin(a), 0};
    }
    spread(fine, MOST_POINTS, points, ROPE_EDGES);
}

// The ratio of pulls, raised from 1 to a fifth more than wanted, at which the rope runs.
static void capstan(val_report *report, double dt, double friction, double wrap) {
    td_vec3 points[ROPE_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    heap h = heap_empty("a rope on a drum", dt);
    const double want = exp(friction * wrap), creep = 1e-3;
    td_load pull[2] = {{.kind = TD_LOAD_FORCE, .segment = 0},
                       {.kind = TD_LOAD_FORCE, .segment = ROPE_EDGES - 1}};
    rope_points(wrap, points);
    def.vertex_count = ROPE_EDGES + 1;
    def.points = points;
    def.straight = true;
    def.radius = ROPE_RADIUS;
    def.bend_x = def.bend_z = def.twist_y = 1e-8;
    def.stretch = 1e5;
    h.opts[0].gravity = (td_vec3){0, 0, 0};
    h.opts[0].loads = pull;
    h.opts[0].load_count = 2;
    h.collider = td_collider_default(TD_COLLIDER_CAPSULE);
    h.collider.size = (td_vec3){DRUM_RADIUS, 1, 0};
    h.collider.rotation0 = h.collider.rotation = val_turn((td_vec3){0.5 * VAL_PI, 0, 0});
    h.collider.friction = friction;
    h.collider_count = 1;
    pull[1].point = (td_vec3){0, distance(points[0], points[1]), 0};
    if (!heap_add(report, &h, &def) || !heap_ready(report, &h, 0, creep)) {
        return;
    }
    const double c = cos(0.5 * wrap), s = sin(0.5 * wrap);
    double ratio = 1, speed = 0;
    for (int32_t k = -60; k < ROPE_STEPS && (k < 0 || speed < 10 * creep); k++) {
        ratio = 1 + (1.2 * want - 1) * fmax(k, 0) / ROPE_STEPS;
        pull[0].vector = (td_vec3){-ROPE_PULL * c, -ROPE_PULL * s, 0};
        pull[1].vector = (td_vec3){ratio * ROPE_PULL * c, -ratio * ROPE_PULL * s, 0};
        if (!heap_step(report, &h)) {
            heap_free(&h);
            return;
        }
        td_vec3 v = td_rod_velocity(h.state[0], 0);
        speed = sqrt(dot(v, v));
    }
    char text[80];
    snprintf(text, sizeof text, "capstan: pull ratio, mu %g, wrap %.4g rad", friction, wrap);
    val_relative(report, text, ROPE_EDGES, speed < 10 * creep ? (double)NAN : ratio, want, 0.05);
    heap_free(&h);
}

// ---- a floor that rises ---------------------------------------------------------------------

#define LIFT_EDGES  20
#define LIFT_RADIUS 0.005 // m
#define LIFT_SPEED  2.0   // m/s
#define LIFT_TIME   0.5   // s

static void lift(val_report *report, double dt) {
    td_vec3 points[LIFT_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    char text[80];
    heap h = heap_empty("a rod lifted", dt);
    double sunk = -1, floor = -0.1;
    for (int32_t v = 0; v <= LIFT_EDGES; v++) {
        points[v] = (td_vec3){0.02 * v, 0, 0};
    }
    def.vertex_count = LIFT_EDGES + 1;
    def.points = points;
    def.radius = LIFT_RADIUS;
    h.collider = td_collider_default(TD_COLLIDER_PLANE);
    h.collider_count = 1;
    bool fine = heap_add(report, &h, &def);
    if (!fine || !heap_ready(report, &h, 0.3, 1e-3)) {
        return;
    }
    for (int32_t k = 1; fine && k <= (int32_t)(2 * LIFT_TIME / dt + 0.5); k++) {
        h.collider.position0.y = floor;
        floor = -0.1 + LIFT_SPEED * fmin(k * dt, LIFT_TIME);
        h.collider.position.y = floor;
        fine = heap_step(report, &h);
        for (int32_t v = 0; v <= LIFT_EDGES; v++) {
            double gap = td_rod_position(h.state[0], v).y - floor - LIFT_RADIUS;
            sunk = val_worse(sunk, -gap / LIFT_RADIUS);
        }
    }
    if (fine) {
        snprintf(text, sizeof text, "overlap over radius at most, floor, dt 1/%.0f", 1 / dt);
        val_at_most(report, text, LIFT_EDGES, sunk, 0);
    }
    heap_free(&h);
}

void val_contact(val_report *report) {
    const double steps[] = {1.0 / 60, 1.0 / 240};
    for (int k = 0; k < 2; k++) {
        knot(report, steps[k]);
        val_progress(report, 0.5 * k + 0.1);
        plectoneme(report, steps[k]);
        val_progress(report, 0.5 * k + 0.4);
        chain(report, steps[k]);
        sliding(report, steps[k], false);
        sliding(report, steps[k], true);
        slope(report, steps[k], 0.9);
        slope(report, steps[k], 1.5);
        lift(report, steps[k]);
        capstan(report, steps[k], 0.2, VAL_PI);
        capstan(report, steps[k], 0.5, VAL_PI);
        val_progress(report, 0.5 * k + 0.5);
    }
}
