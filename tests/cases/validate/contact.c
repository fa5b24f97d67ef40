// SPDX-License-Identifier: MIT
// Cases of rods that touch: knots, plectonemes and chains whose surfaces must stay apart.
//
// Apart    the least distance of two axes is measured here by itself: that of a place on one to the
//          other is convex along it, so that thirds of its length are left out until none is left.
//          Edges of one rod count from half its girth along it on: nearer ones cannot touch.

#include "cases/validate/contact.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_EDGES = 320, MOST_POINTS = 8192 };

// ---- how far apart --------------------------------------------------------------------------

typedef struct segment {
    td_vec3 a, b;
} segment;

static double from_point(td_vec3 p, const segment *s) {
    td_vec3 d = td_vec3_madd(s->b, s->a, -1);
    double t = td_vec3_dot(td_vec3_madd(p, s->a, -1), d) / td_vec3_dot(d, d);
    return td_vec3_distance(p, td_vec3_madd(s->a, d, fmin(fmax(t, 0), 1)));
}

static double axes_apart(const segment *p, const segment *q) {
    td_vec3 d = td_vec3_madd(p->b, p->a, -1);
    double low = 0, high = 1;
    while (high - low > 1e-9) {
        double third = (high - low) / 3;
        if (from_point(td_vec3_madd(p->a, d, low + third), q) <
            from_point(td_vec3_madd(p->a, d, high - third), q)) {
            high -= third;
        } else {
            low += third;
        }
    }
    return from_point(td_vec3_madd(p->a, d, 0.5 * (low + high)), q);
}

// How far two edges are apart along the rod.
static double way_between(const val_heap *h, int32_t i, int32_t j) {
    int32_t n = (int32_t)h->strand[0].n, steps = abs(i - j);
    steps = h->closed && n - steps < steps ? n - steps : steps;
    return (steps - 1) * h->edge;
}

// The least gap of all pairs of edges: `least` follows it; and how many are close. Pairs whose
// middles are so far apart that they are neither are left out.
static void measure(val_heap *h) {
    static segment s[VAL_HEAP_RODS * MOST_EDGES];
    int32_t n = (int32_t)h->strand[0].n, all = h->count * n;
    double girth = 2 * VAL_PI * h->radius, close = 0.2 * h->radius;
    h->touching = 0;
    for (int32_t k = 0; k < all; k++) {
        s[k] =
            (segment){td_body_origin(h->state[k / n], k % n), td_body_tip(h->state[k / n], k % n)};
    }
    for (int32_t i = 0; i < all; i++) {
        for (int32_t j = i + 1; j < all; j++) {
            td_vec3 middles =
                td_vec3_madd(td_vec3_madd(s[i].a, s[i].b, 1), td_vec3_madd(s[j].a, s[j].b, 1), -1);
            double ends = td_vec3_distance(s[i].a, s[i].b) + td_vec3_distance(s[j].a, s[j].b);
            double most = fmax(h->least, close) + 2 * h->radius + 0.5 * ends;
            bool near = i / n == j / n && way_between(h, i % n, j % n) < 0.5 * girth;
            if (!near && 0.25 * td_vec3_dot(middles, middles) < most * most) {
                double gap = axes_apart(&s[i], &s[j]) - 2 * h->radius;
                h->least = gap < h->least || isnan(gap) ? gap : h->least;
                h->touching += gap < close;
            }
        }
    }
}

// How often one ring goes through another: Gauss's integral, of which two edges have the solid
// angle of the four corners that their differences make.
static double linking(const val_body *p, const val_body *q) {
    double sum = 0;
    for (int32_t i = 0; i < p->n; i++) {
        for (int32_t j = 0; j < q->n; j++) {
            td_vec3 a = td_body_origin(p->state, i), b = td_body_tip(p->state, i);
            td_vec3 c = td_body_origin(q->state, j), d = td_body_tip(q->state, j);
            td_vec3 r[4] = {td_vec3_madd(c, a, -1), td_vec3_madd(d, a, -1), td_vec3_madd(d, b, -1),
                            td_vec3_madd(c, b, -1)};
            double solid = 0;
            for (int k = 0; k < 4; k += 2) { // two triangles
                td_vec3 u = r[0], v = r[k == 0 ? 1 : 2], w = r[k == 0 ? 2 : 3];
                double lu = sqrt(td_vec3_dot(u, u)), lv = sqrt(td_vec3_dot(v, v)),
                       lw = sqrt(td_vec3_dot(w, w));
                solid += 2 * atan2(td_vec3_dot(u, td_vec3_cross(v, w)),
                                   lu * lv * lw + td_vec3_dot(u, v) * lw + td_vec3_dot(v, w) * lu +
                                       td_vec3_dot(w, u) * lv);
            }
            sum += solid;
        }
    }
    return sum / (4 * VAL_PI);
}

// ---- heaps ----------------------------------------------------------------------------------

void val_heap_free(val_heap *h) {
    td_island_free(h->island);
    for (int32_t k = 0; k < h->count; k++) {
        val_body_free(&h->strand[k]);
    }
}

val_heap val_heap_empty(const char *quantity, double dt) {
    val_heap h = {.quantity = quantity, .least = 1};
    for (int32_t k = 0; k < VAL_HEAP_RODS; k++) {
        h.opts[k] = td_step_opts_default();
        h.opts[k].dt = dt;
    }
    return h;
}

void val_heap_add(val_report *report, val_heap *h, const td_rod_def *def) {
    val_strand_new(report, def, NULL, &h->strand[h->count]);
    h->state[h->count] = h->strand[h->count].state;
    h->radius = def->radius;
    h->edge = td_vec3_distance(def->points[0], def->points[1]);
    h->closed = def->closed;
    h->count++;
}

void val_heap_ready(val_report *report, val_heap *h, double friction, double creep) {
    td_contact_opts opts = td_contact_opts_default();
    opts.friction = friction;
    opts.creep = creep;
    td_body *refs[sizeof h->state / sizeof *h->state];
    for (int32_t k = 0; k < h->count; k++) {
        refs[k] = h->state[k];
    }
    val_must(report, h->quantity, h->strand[0].n,
             td_island_new(refs, h->count, &opts, 1, NULL, &h->island, &report->diag));
}

void val_heap_step(val_report *report, val_heap *h) {
    val_must(
        report, h->quantity, h->strand[0].n,
        td_island_step(h->island, h->opts, &h->collider, h->collider_count, NULL, &report->diag));
}

// Rows of what is never to overlap, where below 0 it is the least gap, and of how many pairs of
// edges must touch in the end over those that do: what does not touch shows nothing.
static void rows_of_gap(val_report *report, const val_heap *h, const char *what, int32_t must) {
    const double rate = 1 / h->opts[0].dt;
    val_not_above(report,
                  val_text(report, "overlap over radius at most, %s, dt 1/%.0f", what, rate),
                  h->strand[0].n, -h->least / h->radius, 0);
    val_at_most(
        report,
        val_text(report, "%d over pairs of edges that touch, %s, dt 1/%.0f", must, what, rate),
        h->strand[0].n, (double)must / h->touching, 1);
}

// Points evenly along a curve that is given by many.
static void spread(const td_vec3 *fine, int32_t fine_count, td_vec3 *points, int32_t edges) {
    double whole = 0, gone = 0;
    for (int32_t k = 1; k < fine_count; k++) {
        whole += td_vec3_distance(fine[k - 1], fine[k]);
    }
    int32_t at = 1;
    for (int32_t v = 0; v <= edges; v++) {
        double want = whole * v / edges, span = td_vec3_distance(fine[at - 1], fine[at]);
        while (gone + span < want && at < fine_count - 1) {
            gone += span;
            at++;
            span = td_vec3_distance(fine[at - 1], fine[at]);
        }
        points[v] = td_vec3_madd(fine[at - 1], td_vec3_madd(fine[at], fine[at - 1], -1),
                                 (want - gone) / span);
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
    fine[0] = td_vec3_madd(fine[1], (td_vec3){0, 0, -KNOT_ENDS}, 1);
    fine[MOST_POINTS - 1] = td_vec3_madd(fine[MOST_POINTS - 2], (td_vec3){0, 0, KNOT_ENDS}, 1);
    spread(fine, MOST_POINTS, points, KNOT_EDGES);
    return KNOT_EDGES * td_vec3_distance(points[0], points[1]);
}

// Ends drawn apart until the knot is tight, then turned against each other.
static void pull_knot(val_report *report, val_heap *h, const td_vec3 *points, double apart) {
    const double dt = h->opts[0].dt;
    td_quat turn[2] = {td_body_rotation(h->state[0], 0),
                       td_body_rotation(h->state[0], KNOT_EDGES - 1)};
    double start = points[KNOT_EDGES].z - points[0].z;
    for (double t = dt; t < KNOT_PULL + KNOT_TURN + 0.5 * dt; t += dt) {
        double pulled = 0.5 * (apart - start) * fmin(t / KNOT_PULL, 1);
        double angle = VAL_PI * KNOT_TURNS * fmax(t - KNOT_PULL, 0) / KNOT_TURN;
        for (int end = 0; end < 2; end++) {
            double sign = end == 0 ? -1 : 1;
            td_vec3 at = td_vec3_madd(points[end * KNOT_EDGES], (td_vec3){0, 0, 1}, sign * pulled);
            case_must(td_rod_set_end(
                h->state[0], 0, end == 1, at,
                td_quat_mul(val_turn((td_vec3){0, 0, sign * angle}), turn[end]), NULL));
        }
        val_heap_step(report, h);
        measure(h);
    }
}

// Of all joints together. A knotted rod between straight ends bends by a full turn at least: closed
// by a wide arc, which bends by one more, it is a knot, and those bend by two (Fary and Milnor).
static double whole_bend(const val_body *rod) {
    double sum = 0;
    for (int32_t k = 1; k < rod->n; k++) {
        td_vec3 a =
            td_vec3_madd(td_body_tip(rod->state, k - 1), td_body_origin(rod->state, k - 1), -1);
        td_vec3 b = td_vec3_madd(td_body_tip(rod->state, k), td_body_origin(rod->state, k), -1);
        td_vec3 c = td_vec3_cross(a, b);
        sum += atan2(sqrt(td_vec3_dot(c, c)), td_vec3_dot(a, b));
    }
    return sum;
}

static void knot(val_report *report, double dt) {
    td_vec3 points[KNOT_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    val_heap h = val_heap_empty("a knot pulled tight", dt);
    double length = knot_points(points);
    def.vertex_count = KNOT_EDGES + 1;
    def.points = points;
    def.straight = true;
    def.radius = KNOT_RADIUS;
    def.young = 1e6;
    def.damping_time = 0.01;
    def.start = def.end = TD_END_CLAMPED;
    h.opts[0].gravity = (td_vec3){0, 0, 0};
    val_heap_add(report, &h, &def);
    val_heap_ready(report, &h, 0.3, 1e-3);
    pull_knot(report, &h, points, length - KNOT_SPARE);
    rows_of_gap(report, &h, "knot", 3);
    val_at_most(report, val_text(report, "2 pi over all bending of the knot, dt 1/%.0f", 1 / dt),
                KNOT_EDGES, 2 * VAL_PI / whole_bend(&h.strand[0]), 1);
    val_heap_free(&h);
}

// ---- plectoneme -----------------------------------------------------------------------------

#define CORD_EDGES  200
#define CORD_LENGTH 1.0    // m
#define CORD_RADIUS 0.0015 // m
#define CORD_NEAR   0.3    // m: how far apart the ends come
#define CORD_TIME   3.0    // s
#define CORD_TURNS  16

// A cord between two clamps, turned at one end while they come together.
static void wind_cord(val_report *report, val_heap *h) {
    const double dt = h->opts[0].dt;
    td_quat turn = td_body_rotation(h->state[0], 0);
    for (double t = dt; t < CORD_TIME + 0.5 * dt; t += dt) {
        double in = 0.5 * (CORD_LENGTH - CORD_NEAR) * fmin(2 * t / CORD_TIME, 1);
        double angle = 2 * VAL_PI * CORD_TURNS * t / CORD_TIME;
        case_must(td_rod_set_end(h->state[0], 0, false, (td_vec3){in, 0, 0},
                                 td_quat_mul(val_turn((td_vec3){angle, 0, 0}), turn), NULL));
        case_must(
            td_rod_set_end(h->state[0], 0, true, (td_vec3){CORD_LENGTH - in, 0, 0}, turn, NULL));
        val_heap_step(report, h);
        measure(h);
    }
}

static void plectoneme(val_report *report, double dt) {
    td_vec3 points[CORD_EDGES + 1];
    td_rod_def def = td_rod_def_default();
    val_heap h = val_heap_empty("a cord wound up", dt);
    for (int32_t v = 0; v <= CORD_EDGES; v++) {
        points[v] = (td_vec3){CORD_LENGTH * v / CORD_EDGES, 0, 0};
    }
    def.vertex_count = CORD_EDGES + 1;
    def.points = points;
    def.director = (td_vec3){0, 0, 1};
    def.radius = CORD_RADIUS;
    def.damping_time = 0.005;
    def.start = def.end = TD_END_CLAMPED;
    val_heap_add(report, &h, &def);
    val_heap_ready(report, &h, 0.1, 1e-3);
    wind_cord(report, &h);
    rows_of_gap(report, &h, "cord", CORD_TURNS);
    val_heap_free(&h);
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
static void pull_chain(val_report *report, val_heap *h) {
    const double dt = h->opts[0].dt;
    td_load pull = {.kind = TD_LOAD_FORCE, .segment = 3 * LINK_EDGES / 4};
    h->opts[LINKS - 1].loads = &pull;
    h->opts[LINKS - 1].load_count = 1;
    for (double t = dt; t < CHAIN_TIME + 0.5 * dt; t += dt) {
        pull.vector = (td_vec3){0, -CHAIN_PULL * t / CHAIN_TIME, 0};
        val_heap_step(report, h);
        measure(h);
    }
}

static void chain(val_report *report, double dt) {
    val_heap h = val_heap_empty("a chain pulled", dt);
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
        val_heap_add(report, &h, &def);
    }
    h.collider = td_collider_default(TD_COLLIDER_CAPSULE);
    h.collider.radius = 0.005;
    h.collider.length = 0.1;
    h.collider.position0 = h.collider.position = (td_vec3){0, LINK_SIZE - 0.008, 0};
    h.collider.rotation0 = h.collider.rotation = val_turn((td_vec3){0.5 * VAL_PI, 0, 0});
    h.collider_count = 1;
    val_heap_ready(report, &h, 0.3, 1e-3);
    pull_chain(report, &h);
    double worst = 0;
    for (int32_t k = 1; k < LINKS; k++) {
        double off = fabs(fabs(linking(&h.strand[k - 1], &h.strand[k])) - 1);
        worst = val_worse(worst, off);
    }
    rows_of_gap(report, &h, "chain", LINKS - 1);
    val_absolute(report, val_text(report, "linking numbers of the chain, dt 1/%.0f", 1 / dt), LINKS,
                 1 + worst, 1, 1e-9);
    val_heap_free(&h);
}

void val_contact(val_report *report) {
    const double steps[] = {1.0 / 60, 1.0 / 240};
    for (int k = 0; k < 2; k++) {
        knot(report, steps[k]);
        val_progress(report, 0.5 * k + 0.1);
        plectoneme(report, steps[k]);
        val_progress(report, 0.5 * k + 0.4);
        chain(report, steps[k]);
        val_friction(report, steps[k]);
        val_progress(report, 0.5 * k + 0.5);
    }
}
