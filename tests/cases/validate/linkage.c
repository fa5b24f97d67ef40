// SPDX-License-Identifier: MIT
// Loops that constraints close: linkages with one coordinate, and a chain between two pins.

#include "cases/dense.h"
#include "cases/validate/held.h"

#include <math.h>
#include <string.h>

#define GRAVITY 9.81

// ---- one coordinate -------------------------------------------------------------------------

// A linkage by its crank's angle: inertia I and height of the weight V, both functions of it.
//   I a'' = -I'(a) a'^2/2 - V'(a)
typedef struct linkage {
    void (*shape)(double angle, double *inertia, double *weight);
} linkage;

// Derivatives by differences of fourth order.
static double push_on(const linkage *l, double a, double rate) {
    const double h = 1e-3;
    static const double at[4] = {-2, -1, 1, 2}, by[4] = {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12};
    double inertia, weight, slope = 0, fall = 0;
    for (int k = 0; k < 4; k++) {
        l->shape(a + at[k] * h, &inertia, &weight);
        slope += by[k] * inertia / h;
        fall += by[k] * weight / h;
    }
    l->shape(a, &inertia, &weight);
    return (-0.5 * slope * rate * rate - fall) / inertia;
}

static double angle_after(const linkage *l, double angle, double time) {
    const int steps = 5000;
    const double h = time / steps;
    double rate = 0;
    for (int k = 0; k < steps; k++) {
        const double a1 = push_on(l, angle, rate), r2 = rate + 0.5 * h * a1;
        const double a2 = push_on(l, angle + 0.5 * h * rate, r2), r3 = rate + 0.5 * h * a2;
        const double a3 = push_on(l, angle + 0.5 * h * r2, r3), r4 = rate + h * a3;
        const double a4 = push_on(l, angle + h * r3, r4);
        angle += h / 6 * (rate + 2 * r2 + 2 * r3 + r4);
        rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return angle;
}

// ---- four bars ------------------------------------------------------------------------------

#define CRANK   0.5 // m: AB
#define COUPLER 1.5 // BC
#define ROCKER  1.0 // CD
#define GROUND  1.5 // AD
#define START   (VAL_PI / 3)

// Directions of BC and of DC: C is above the line from B to D.
static void four_angles(double crank, double *coupler, double *rocker) {
    const double bx = CRANK * cos(crank), by = CRANK * sin(crank), dx = GROUND - bx, dy = -by;
    const double r = hypot(dx, dy);
    *coupler =
        atan2(dy, dx) + acos((r * r + COUPLER * COUPLER - ROCKER * ROCKER) / (2 * r * COUPLER));
    *rocker = atan2(by + COUPLER * sin(*coupler), bx + COUPLER * cos(*coupler) - GROUND);
}

// Rates over that of the crank from a' AB n_a + c' BC n_c = r' DC n_r.
static void four_shape(double a, double *inertia, double *weight) {
    double c, r;
    four_angles(a, &c, &r);
    const double cc = -CRANK * sin(a - r) / (COUPLER * sin(c - r));
    const double rr = CRANK * sin(a - c) / (ROCKER * sin(r - c));
    const double vx = -CRANK * sin(a) - 0.5 * COUPLER * cc * sin(c);
    const double vy = CRANK * cos(a) + 0.5 * COUPLER * cc * cos(c);
    *inertia = CRANK * CRANK * CRANK / 3 + COUPLER * (vx * vx + vy * vy) +
               COUPLER * COUPLER * COUPLER / 12 * cc * cc + ROCKER * ROCKER * ROCKER / 3 * rr * rr;
    *weight = GRAVITY *
              (CRANK * 0.5 * CRANK * sin(a) + COUPLER * (CRANK * sin(a) + 0.5 * COUPLER * sin(c)) +
               ROCKER * 0.5 * ROCKER * sin(r));
}

static const linkage four_bars = {four_shape};

// ---- slider-crank ---------------------------------------------------------------------------

#define BLOCK 0.4 // kg: slides along y = 0 at the end of the coupler

static double slider_angle(double crank) {
    return -asin(CRANK * sin(crank) / COUPLER);
}

static void slider_shape(double a, double *inertia, double *weight) {
    const double c = slider_angle(a), cc = -CRANK * cos(a) / (COUPLER * cos(c));
    const double vx = -CRANK * sin(a) - 0.5 * COUPLER * cc * sin(c);
    const double vy = CRANK * cos(a) + 0.5 * COUPLER * cc * cos(c);
    const double block = -CRANK * sin(a) - COUPLER * cc * sin(c);
    *inertia = CRANK * CRANK * CRANK / 3 + COUPLER * (vx * vx + vy * vy) +
               COUPLER * COUPLER * COUPLER / 12 * cc * cc + BLOCK * block * block;
    *weight = GRAVITY *
              (CRANK * 0.5 * CRANK * sin(a) + COUPLER * (CRANK * sin(a) + 0.5 * COUPLER * sin(c)));
}

static const linkage slider_crank = {slider_shape};

// ---- trees ----------------------------------------------------------------------------------

// Bars one after the other from the origin, at these angles from +x. The block is a short one.
static void build(val_report *report, bool slider, val_held *h) {
    double angle[3] = {START, 0, 0}, length[3] = {CRANK, COUPLER, ROCKER}, rocker;
    four_angles(START, &angle[1], &rocker);
    angle[2] = rocker - VAL_PI;
    if (slider) {
        angle[1] = slider_angle(START);
        angle[2] = 0;
        length[2] = 0.1;
    }
    td_constraint *c = &h->constraint[h->constraint_count++];
    *c = td_constraint_default(slider ? TD_CONSTRAINT_SLIDER : TD_CONSTRAINT_POINT);
    c->segment[0] = 2;
    c->point[0].y = slider ? 0 : ROCKER;
    c->axis[0] = (td_vec3){0, 1, 0}; // the block's own, along x
    const double mass[3] = {CRANK, COUPLER, slider ? BLOCK : ROCKER};
    val_held_bars(report, h, 3, TD_JOINT_HINGE, length, mass, angle, (td_vec3){0, 0, 0});
}

static double crank_of(const val_held *h) {
    const td_vec3 tip = td_body_tip(h->tree.state, 0);
    return atan2(tip.y, tip.x);
}

// The error of the crank's angle after 0.5 s; of the loop, the worst; of the energy, over the
// kinetic one that there can be.
typedef struct linkage_errors {
    double angle, loop, energy;
} linkage_errors;

static void measure(val_report *report, bool slider, const val_way *way, double dt, double want,
                    linkage_errors *e) {
    val_held h = val_held_empty(slider ? "slider-crank" : "four bars", way, dt);
    build(report, slider, &h);
    val_held_open(report, &h);
    const int32_t steps = (int32_t)(0.5 / dt + 0.5);
    const td_vec3 gravity = h.opts.gravity;
    const double start = val_energy(&h.tree, gravity);
    double most = 0;
    *e = (linkage_errors){0, 0, 0};
    for (int32_t k = 0; k < steps; k++) {
        val_held_step(report, &h);
        const td_vec3 end = slider ? td_body_origin(h.tree.state, 2) : td_body_tip(h.tree.state, 2);
        e->loop = val_worse(slider ? fabs(end.y) : hypot(end.x - GROUND, end.y), e->loop);
        e->energy = val_worse(fabs(val_energy(&h.tree, gravity) - start), e->energy);
        most = fmax(most, td_body_energy(h.tree.state, gravity).kinetic);
    }
    e->energy /= most;
    e->angle = fabs(crank_of(&h) - want);
    val_held_close(&h);
}

static void linkage_rows(val_report *report, bool slider, const val_way *way) {
    const char *what = slider ? "slider-crank" : "four bars";
    const double want = angle_after(slider ? &slider_crank : &four_bars, START, 0.5);
    linkage_errors coarse, fine;
    measure(report, slider, way, 2 * way->dt, want, &coarse);
    measure(report, slider, way, way->dt, want, &fine);
    val_at_most(report, val_text(report, "%s: error of the crank, rad, %s", what, way->name),
                (int64_t)(0.5 / way->dt + 0.5), fine.angle, way->error);
    val_absolute(report, val_text(report, "%s: order, %s", what, way->name), 2,
                 log2(coarse.angle / fine.angle), way->order, 0.2);
    val_at_most(report, val_text(report, "%s: loop at most open by, m, %s", what, way->name), 1,
                fine.loop, way->open);
    val_at_most(report, val_text(report, "%s: energy off at most, %s", what, way->name), 1,
                fine.energy, way->energy);
}

// ---- an hour --------------------------------------------------------------------------------

enum { HOUR = 3600 * 60 }; // steps of 1/60 s

#define TURN (VAL_PI / 60) // rad in a step: half a turn a second

// The largest opening of the loop, and what the energy gained at most; `driven` by a motor that
// turns the crank all the time. Without one BDF2 lets it come to rest.
static void run_hour(val_report *report, val_held *h, bool driven, double *open, double *gain) {
    td_constraint_target target = td_constraint_target_default();
    const double start = val_energy(&h->tree, h->opts.gravity);
    *open = *gain = 0;
    for (int32_t k = 0; k < HOUR; k++) {
        if (driven) {
            target.joint.x = (k + 1) * TURN;
            case_must(td_island_set_target(h->island, 1, &target, NULL));
        }
        val_held_step(report, h);
        const td_vec3 end = td_body_tip(h->tree.state, 2);
        *open = val_worse(hypot(end.x - GROUND, end.y), *open);
        *gain = val_worse(val_energy(&h->tree, h->opts.gravity) - start, *gain);
    }
}

static void hour_rows(val_report *report, bool driven) {
    const char *what = driven ? "driven for an hour" : "an hour";
    val_held h = val_held_empty(what, &val_ways[val_way_count - 1], 1.0 / 60);
    double open, gain, coupler, rocker;
    build(report, false, &h);
    if (driven) { // the crank is the first segment
        h.constraint[h.constraint_count++] = td_constraint_default(TD_CONSTRAINT_JOINT);
    }
    val_held_open(report, &h);
    run_hour(report, &h, driven, &open, &gain);
    val_at_most(report, val_text(report, "four bars, %s: loop at most open by, m", what), HOUR,
                open, 1e-8);
    if (driven) {
        four_angles(START, &coupler, &rocker); // after whole turns
        const td_vec3 a = td_body_origin(h.tree.state, 2), b = td_body_tip(h.tree.state, 2);
        val_absolute(report, "four bars, driven for an hour: rocker, rad", HOUR,
                     atan2(a.y - b.y, a.x - b.x), rocker, 1e-7);
    } else {
        val_at_most(report, "four bars, an hour: energy gained at most, J", HOUR, gain, 1e-6);
    }
    val_held_close(&h);
}

void val_linkage(val_report *report) {
    val_absolute(report, "four bars: crank angle after 0.5 s, rad, derived", 1,
                 angle_after(&four_bars, START, 0.5), -0.4725267221, 1e-9);
    for (int k = 0; k < val_way_count; k++) {
        linkage_rows(report, false, &val_ways[k]);
        linkage_rows(report, true, &val_ways[k]);
    }
    hour_rows(report, false);
    hour_rows(report, true);
}

// ---- chain ----------------------------------------------------------------------------------

#define LINKS 20
#define HALF  (LINKS / 2)
#define LINK  0.1  // m
#define MASS  0.05 // kg, of a link

// Half of the chain, by symmetry: angles t from +x of its links, the first pinned, the last one's
// end at x = 0.5 by a force along x. With s_i the share of links beyond i,
//   sum over j of C_ij (cos(t_i - t_j) t_j'' + sin(t_i - t_j) t_j'^2) + g G_i cos t_i = -F l sin
//   t_i
typedef struct half_chain {
    double t[HALF], rate[HALF];
} half_chain;

static void half_accel(const half_chain *c, double *accel) {
    double m[HALF + 1][HALF + 1], x[HALF + 1];
    memset(m, 0, sizeof m);
    memset(x, 0, sizeof x);
    for (int i = 0; i < HALF; i++) {
        x[i] -= MASS * LINK * GRAVITY * (HALF - i - 0.5) * cos(c->t[i]);
        for (int j = 0; j < HALF; j++) {
            const int later = i > j ? i : j;
            const double share =
                MASS * LINK * LINK * (i == j ? HALF - 1 - i + 1.0 / 3 : HALF - 1 - later + 0.5);
            m[i][j] = share * cos(c->t[i] - c->t[j]);
            x[i] -= share * sin(c->t[i] - c->t[j]) * c->rate[j] * c->rate[j];
        }
        m[i][HALF] = m[HALF][i] = LINK * sin(c->t[i]); // sum of l cos t stays
        x[HALF] -= LINK * cos(c->t[i]) * c->rate[i] * c->rate[i];
    }
    dense_eliminate(m[0], HALF + 1, x, HALF + 1);
    memcpy(accel, x, HALF * sizeof *x);
}

static half_chain half_moved(const half_chain *c, const double *rate, const double *accel,
                             double h) {
    half_chain next = *c;
    for (int i = 0; i < HALF; i++) {
        next.t[i] += h * rate[i];
        next.rate[i] += h * accel[i];
    }
    return next;
}

// Height of the middle joint.
static double chain_theory(double time) {
    const int steps = 4000;
    const double h = time / steps;
    half_chain c;
    for (int i = 0; i < HALF; i++) {
        c.t[i] = -acos(0.5);
        c.rate[i] = 0;
    }
    for (int k = 0; k < steps; k++) {
        double a[4][HALF], rate[HALF], accel[HALF];
        half_accel(&c, a[0]);
        const half_chain c2 = half_moved(&c, c.rate, a[0], 0.5 * h);
        half_accel(&c2, a[1]);
        const half_chain c3 = half_moved(&c, c2.rate, a[1], 0.5 * h);
        half_accel(&c3, a[2]);
        const half_chain c4 = half_moved(&c, c3.rate, a[2], h);
        half_accel(&c4, a[3]);
        for (int i = 0; i < HALF; i++) {
            rate[i] = (c.rate[i] + 2 * c2.rate[i] + 2 * c3.rate[i] + c4.rate[i]) / 6;
            accel[i] = (a[0][i] + 2 * a[1][i] + 2 * a[2][i] + a[3][i]) / 6;
        }
        c = half_moved(&c, rate, accel, h);
    }
    double y = 0;
    for (int i = 0; i < HALF; i++) {
        y += LINK * sin(c.t[i]);
    }
    return y;
}

static void chain_rows(val_report *report, const val_way *way, double want) {
    double angle[LINKS], length[LINKS], mass[LINKS], open = 0;
    val_held h = val_held_empty("a chain between pins", way, way->dt);
    for (int k = 0; k < LINKS; k++) {
        angle[k] = k < HALF ? -acos(0.5) : acos(0.5);
        length[k] = LINK;
        mass[k] = MASS;
    }
    h.constraint[0] = td_constraint_default(TD_CONSTRAINT_POINT);
    h.constraint[0].segment[0] = LINKS - 1;
    h.constraint[0].point[0].y = LINK;
    h.constraint_count = 1;
    val_held_bars(report, &h, LINKS, TD_JOINT_BALL, length, mass, angle, (td_vec3){-0.5, 0, 0});
    val_held_open(report, &h);
    for (int32_t k = 0; k < (int32_t)(0.2 / way->dt + 0.5); k++) {
        val_held_step(report, &h);
        const td_vec3 end = td_body_tip(h.tree.state, LINKS - 1);
        open = val_worse(hypot(end.x - 0.5, hypot(end.y, end.z)), open);
    }
    val_absolute(report, val_text(report, "middle joint after 0.2 s, m, %s", way->name), LINKS,
                 td_body_origin(h.tree.state, HALF).y, want, way->error);
    val_at_most(report, val_text(report, "loop at most open by, m, %s", way->name), LINKS, open,
                way->open);
    val_held_close(&h);
}

void val_loop_chain(val_report *report) {
    const double want = chain_theory(0.2);
    val_absolute(report, "middle joint after 0.2 s, m, derived", LINKS, want, -0.794613124, 1e-9);
    for (int k = 0; k < val_way_count; k++) {
        chain_rows(report, &val_ways[k], want);
    }
}
