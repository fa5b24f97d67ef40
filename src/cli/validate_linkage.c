// SPDX-License-Identifier: MIT
// Closed loops: a four-bar linkage, a slider-crank and a chain between two pins.
//
// The reference of a mechanism with one degree of freedom is its own equation of motion in the
// crank angle p, M(p) p'' = -M'(p) p'^2/2 - V'(p), with M and V from the closed form of its pose,
// by Runge-Kutta steps. It shares nothing with the solver.

#include "cli/validate.h"

#include <math.h>

#define GRAVITY 9.81
#define TIME    0.5 // s
#define LINKS   20

// ---- references -----------------------------------------------------------------------------

// Uniform bars of 1 kg/m: their ends, and the derivatives of these by the crank angle.
typedef struct bar {
    double from[2], to[2], from_rate[2], to_rate[2];
} bar;

typedef struct mechanism {
    int32_t bars;
    void (*pose)(double crank, bar *bars);
} mechanism;

static const double crank_length = 0.5, coupler = 1.5, rocker = 1, ground = 1.5; // four bars
static const double short_crank = 0.4, rod = 1;                                  // slider-crank

static void set_bar(bar *b, const double *from, const double *from_rate, const double *to,
                    const double *to_rate) {
    for (int k = 0; k < 2; k++) {
        b->from[k] = from[k];
        b->to[k] = to[k];
        b->from_rate[k] = from_rate[k];
        b->to_rate[k] = to_rate[k];
    }
}

// B on the crank, C where the circles about B and D meet, above the line BD. Rates of C: it goes
// square to DC, and along BC as B does.
static void pose_four_bars(double p, bar *bars) {
    const double zero[2] = {0, 0}, d[2] = {ground, 0};
    const double b[2] = {crank_length * cos(p), crank_length * sin(p)}, b_rate[2] = {-b[1], b[0]};
    const double x = d[0] - b[0], y = d[1] - b[1], r = sqrt(x * x + y * y),
                 along = (coupler * coupler - rocker * rocker + r * r) / (2 * r),
                 across = sqrt(coupler * coupler - along * along);
    const double c[2] = {b[0] + (along * x - across * y) / r, b[1] + (along * y + across * x) / r};
    const double u[2] = {c[0] - b[0], c[1] - b[1]}, w[2] = {-(c[1] - d[1]), c[0] - d[0]};
    const double turn = (u[0] * b_rate[0] + u[1] * b_rate[1]) / (u[0] * w[0] + u[1] * w[1]);
    const double c_rate[2] = {turn * w[0], turn * w[1]};
    set_bar(&bars[0], zero, zero, b, b_rate);
    set_bar(&bars[1], b, b_rate, c, c_rate);
    set_bar(&bars[2], d, zero, c, c_rate);
}

// The end of the rod stays on the x axis.
static void pose_slider_crank(double p, bar *bars) {
    const double zero[2] = {0, 0}, s = short_crank * sin(p), q = sqrt(rod * rod - s * s);
    const double b[2] = {short_crank * cos(p), s}, b_rate[2] = {-b[1], b[0]};
    const double c[2] = {b[0] + q, 0}, c_rate[2] = {b_rate[0] - s * b[0] / q, 0};
    set_bar(&bars[0], zero, zero, b, b_rate);
    set_bar(&bars[1], b, b_rate, c, c_rate);
}

// Kinetic energy is M p'^2/2: of a uniform bar m (u.u + u.v + v.v)/3 of its ends' rates.
static void energies(const mechanism *m, double p, double *mass, double *potential) {
    bar bars[3];
    m->pose(p, bars);
    *mass = *potential = 0;
    for (int32_t k = 0; k < m->bars; k++) {
        const bar *b = &bars[k];
        const double length = hypot(b->to[0] - b->from[0], b->to[1] - b->from[1]);
        for (int d = 0; d < 2; d++) {
            const double u = b->from_rate[d], v = b->to_rate[d];
            *mass += length * (u * u + u * v + v * v) / 3;
        }
        *potential += length * GRAVITY * 0.5 * (b->from[1] + b->to[1]);
    }
}

static double acceleration(const mechanism *m, double p, double rate) {
    const double h = 1e-3; // differences of fourth order: errors of 1e-12
    double mass[5], v[5];
    for (int k = 0; k < 5; k++) {
        energies(m, p + (k - 2) * h, &mass[k], &v[k]);
    }
    const double dm = (mass[0] - 8 * mass[1] + 8 * mass[3] - mass[4]) / (12 * h),
                 dv = (v[0] - 8 * v[1] + 8 * v[3] - v[4]) / (12 * h);
    return -(0.5 * dm * rate * rate + dv) / mass[2];
}

static double crank_after(const mechanism *m, double p) {
    enum { STEPS = 2000 };
    const double h = TIME / STEPS;
    double rate = 0;
    for (int32_t k = 0; k < STEPS; k++) {
        const double a1 = acceleration(m, p, rate),
                     a2 = acceleration(m, p + h / 2 * rate, rate + h / 2 * a1),
                     a3 = acceleration(m, p + h / 2 * rate + h * h / 4 * a1, rate + h / 2 * a2),
                     a4 = acceleration(m, p + h * rate + h * h / 2 * a2, rate + h * a3);
        p += h * rate + h * h / 6 * (a1 + a2 + a3);
        rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return p;
}

// ---- bars of a tree -------------------------------------------------------------------------

// Bars through points of the plane z = 0; kg/m. A bar on ball joints has a hundred-millionth of its
// inertia about itself.
static bool build(val_report *report, const double (*at)[2], int32_t count, td_joint_kind joint,
                  double density, val_tree *tree) {
    td_material material = td_material_get(0);
    td_builder *builder = val_begin(report, TD_SPRING_CLAMPED, &material);
    double before = 0;
    *tree = (val_tree){.skeleton = NULL};
    for (int32_t i = 0; builder && i < count; i++) {
        const double x = at[i + 1][0] - at[i][0], y = at[i + 1][1] - at[i][1];
        const double length = hypot(x, y), angle = atan2(y, x) - VAL_PI / 2;
        td_segment_def def = td_segment_def_default();
        def.parent = i - 1;
        def.attach_at_tip = i > 0;
        def.attach = (td_vec3){at[0][0], at[0][1], 0};
        def.joint = joint;
        def.axis = (td_vec3){0, 0, 1};
        def.rest = (td_quat){cos((angle - before) / 2), 0, 0, sin((angle - before) / 2)};
        def.length = length;
        def.mass = density * length;
        def.centre_of_mass = (td_vec3){0, length / 2, 0};
        def.second_moment.yy = density * length * length * length / 3;
        def.second_moment.xx = def.second_moment.zz =
            joint == TD_JOINT_BALL ? 1e-8 * def.second_moment.yy : 0;
        def.has_stiffness = def.has_damping = true;
        before = angle;
        if (!val_add(report, builder, &def)) {
            return false;
        }
    }
    return builder && val_tree_finish(report, builder, tree);
}

// ---- runs -----------------------------------------------------------------------------------

typedef struct held_run {
    val_tree tree[2];
    int32_t count;
    td_island *island;
    double error, gain; // largest of the constraint, m; energy above that of the start, J
} held_run;

static void close_run(held_run *r) {
    td_island_free(r->island);
    for (int32_t k = 0; k < r->count; k++) {
        val_tree_free(&r->tree[k]);
    }
}

static bool hold(val_report *report, held_run *r, const td_constraint *c, const char *what) {
    td_state_ref refs[2];
    td_diag diag = {.message = ""};
    for (int32_t k = 0; k < r->count; k++) {
        refs[k] = td_tree_ref(r->tree[k].state);
    }
    td_status status = td_island_new(refs, r->count, NULL, 0, NULL, &r->island, &diag);
    status = status == TD_OK ? td_island_constrain(r->island, c, 1, &diag) : status;
    if (status != TD_OK) {
        val_fault(report, what, 0, status, &diag);
    }
    return status == TD_OK;
}

static double energy(held_run *r) {
    double sum = 0;
    for (int32_t k = 0; k < r->count; k++) {
        sum += val_energy(&r->tree[k], (td_vec3){0, -GRAVITY, 0});
    }
    return sum;
}

static bool run(val_report *report, held_run *r, double time, int32_t steps, const char *what) {
    td_step_opts opts[2];
    td_diag diag = {.message = ""};
    const double start = energy(r);
    for (int32_t k = 0; k < r->count; k++) {
        opts[k] = td_step_opts_default();
        opts[k].dt = time / steps;
        opts[k].tolerance = 1e-11;
    }
    for (int32_t k = 0; k < steps; k++) {
        td_status status = td_island_step(r->island, opts, NULL, 0, NULL, &diag);
        if (status != TD_OK) {
            val_fault(report, what, steps, status, &diag);
            return false;
        }
        r->error = val_worse(r->error, td_island_constraint(r->island, 0).error);
        r->gain = val_worse(r->gain, energy(r) - start);
    }
    return true;
}

// ---- mechanisms -----------------------------------------------------------------------------

typedef bool (*opener)(val_report *report, held_run *r);

// Crank and coupler as one tree, the rocker as another, joined where they meet.
static bool open_four_bars(val_report *report, held_run *r) {
    bar bars[3];
    pose_four_bars(VAL_PI / 3, bars);
    const double one[3][2] = {{0, 0},
                              {bars[0].to[0], bars[0].to[1]},
                              {bars[1].to[0], bars[1].to[1]}},
                 two[2][2] = {{ground, 0}, {bars[1].to[0], bars[1].to[1]}};
    td_constraint c = td_constraint_default(TD_HOLD_POINT);
    c.segment[0] = 1;
    c.point[0].y = coupler;
    c.actor[1] = 1;
    r->count = 2;
    return build(report, one, 2, TD_JOINT_HINGE, 1, &r->tree[0]) &&
           build(report, two, 1, TD_JOINT_HINGE, 1, &r->tree[1]) && hold(report, r, &c, "linkage");
}

// The rod's end is on a straight curve.
static bool open_slider_crank(val_report *report, held_run *r) {
    static const td_vec3 line[2] = {{-2, 0, 0}, {2, 0, 0}};
    bar bars[2];
    pose_slider_crank(VAL_PI / 3, bars);
    const double at[3][2] = {{0, 0}, {bars[0].to[0], bars[0].to[1]}, {bars[1].to[0], 0}};
    td_constraint c = td_constraint_default(TD_HOLD_CURVE);
    c.segment[0] = 1;
    c.point[0].y = rod;
    c.curve = line;
    c.curve_count = 2;
    r->count = 1;
    return build(report, at, 2, TD_JOINT_HINGE, 1, &r->tree[0]) &&
           hold(report, r, &c, "slider-crank");
}

// The crank's angle after so many steps; the angle goes on from turn to turn, which it does not.
static bool measure(val_report *report, opener open, int32_t steps, double *angle, double *error,
                    double *gain, const char *what) {
    held_run r = {.count = 0};
    const bool fine = open(report, &r) && run(report, &r, TIME, steps, what);
    if (fine) {
        const td_vec3 tip = td_tree_tip(r.tree[0].state, 0);
        *angle = atan2(tip.y, tip.x);
        *error = r.error;
        *gain = r.gain;
    }
    close_run(&r);
    return fine;
}

static void try_mechanism(val_report *report, const char *name, opener open,
                          const mechanism *reference, double known) {
    enum { COARSE = 200 };
    char text[96];
    double a, b, error, gain;
    const double want = crank_after(reference, VAL_PI / 3);
    if (known != 0) {
        snprintf(text, sizeof text, "%s: reference's crank angle, rad", name);
        val_absolute(report, text, 2000, want, known, 1e-10);
    }
    if (!measure(report, open, COARSE, &a, &error, &gain, name) ||
        !measure(report, open, 2 * COARSE, &b, &error, &gain, name)) {
        return;
    }
    snprintf(text, sizeof text, "%s: crank angle after 0.5 s, rad", name);
    val_absolute(report, text, 2 * COARSE, b, want, 5e-4);
    snprintf(text, sizeof text, "%s: extrapolated", name);
    val_absolute(report, text, 2 * COARSE, b + (b - a) / 3, want, 1e-5);
    snprintf(text, sizeof text, "%s: order", name);
    val_absolute(report, text, 2 * COARSE, log2((a - want) / (b - want)), 2, 0.1);
    snprintf(text, sizeof text, "%s: error of the constraint, m", name);
    val_at_most(report, text, 2 * COARSE, error, 1e-8);
    snprintf(text, sizeof text, "%s: energy gained, J", name);
    val_not_above(report, text, 2 * COARSE, gain, 1e-9);
}

void val_linkage(val_report *report) {
    const mechanism four = {3, pose_four_bars}, slider = {2, pose_slider_crank};
    try_mechanism(report, "four-bar", open_four_bars, &four, -0.4725267221);
    try_mechanism(report, "slider-crank", open_slider_crank, &slider, 0);
}

// ---- a chain between two pins ---------------------------------------------------------------

// 2 m and 1 kg of links on ball joints, pinned 1 m apart, let go as a V: the middle after 0.2 s.
static bool middle_after(val_report *report, int32_t steps, double *y, double *error) {
    double at[LINKS + 1][2];
    held_run r = {.count = 1};
    td_constraint c = td_constraint_default(TD_HOLD_POINT);
    for (int32_t k = 0; k <= LINKS; k++) {
        const double t = (double)k / LINKS;
        at[k][0] = t;
        at[k][1] = -sqrt(0.75) * (1 - fabs(2 * t - 1));
    }
    c.segment[0] = LINKS - 1;
    c.point[0].y = 2.0 / LINKS;
    const bool fine = build(report, at, LINKS, TD_JOINT_BALL, 0.5, &r.tree[0]) &&
                      hold(report, &r, &c, "chain") && run(report, &r, 0.2, steps, "chain");
    if (fine) {
        *y = td_tree_origin(r.tree[0].state, LINKS / 2).y;
        *error = r.error;
    }
    close_run(&r);
    return fine;
}

void val_loop_chain(val_report *report) {
    enum { COARSE = 400 };
    const double want = -0.794613124; // m
    double a, b, error;
    if (middle_after(report, COARSE, &a, &error) && middle_after(report, 2 * COARSE, &b, &error)) {
        val_absolute(report, "height of the middle after 0.2 s, m", 2 * COARSE, b, want, 1e-5);
        val_absolute(report, "extrapolated, m", 2 * COARSE, b + (b - a) / 3, want, 1e-6);
        val_absolute(report, "order", 2 * COARSE, log2((a - want) / (b - want)), 2, 0.1);
        val_at_most(report, "error of the constraint, m", 2 * COARSE, error, 1e-8);
    }
}
