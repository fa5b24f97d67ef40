// SPDX-License-Identifier: MIT
// Cases of what helices must obey whatever their shape: the frame equations, and energy, momentum,
// forces and Hessians that are derivatives of the places.

#include "cases/dense.h"
#include "cases/validate/helix.h"

#include <math.h>
#include <string.h>

static const td_vec3 weight = {0, -9.81, 0}, none = {0, 0, 0};

// ---- kinematics -----------------------------------------------------------------------------

// A place of a curve, and the columns of its frame.
typedef struct moving_frame {
    td_vec3 place, axis[3];
} moving_frame;

static moving_frame frame_at(td_vec3 place, td_quat turn) {
    return (moving_frame){place,
                          {td_quat_rotate(turn, (td_vec3){1, 0, 0}),
                           td_quat_rotate(turn, (td_vec3){0, 1, 0}),
                           td_quat_rotate(turn, (td_vec3){0, 0, 1})}};
}

// R' = R [u]x, x' = R e_y over a length, by Taylor's method: every derivative of R is the one
// before times [u]x. Pieces are of a quarter of a radian, twelve terms leave nothing to truncate.
static void integrate(moving_frame *f, td_vec3 u, double length) {
    const int pieces = 1 + (int)(4 * sqrt(td_vec3_dot(u, u)) * length);
    const double h = length / pieces;
    for (int i = 0; i < pieces; i++) {
        td_vec3 term[3], sum[3];
        memcpy(term, f->axis, sizeof term);
        memcpy(sum, f->axis, sizeof sum);
        for (int n = 1; n <= 12; n++) {
            f->place = td_vec3_madd(f->place, term[1], h / n);
            const td_vec3 x = term[0], y = term[1], z = term[2];
            term[0] = td_vec3_madd(td_vec3_madd(none, y, u.z * h / n), z, -u.y * h / n);
            term[1] = td_vec3_madd(td_vec3_madd(none, z, u.x * h / n), x, -u.z * h / n);
            term[2] = td_vec3_madd(td_vec3_madd(none, x, u.y * h / n), y, -u.x * h / n);
            for (int k = 0; k < 3; k++) {
                sum[k] = td_vec3_madd(sum[k], term[k], 1);
            }
        }
        memcpy(f->axis, sum, sizeof sum);
    }
}

// The frame at a part of an element, from the base on.
static moving_frame walk(const td_helix_element *elements, const td_vec3 *u,
                         const td_base_motion *base, int32_t element, double at) {
    int32_t way[VAL_HELIX_MOST], steps = 0;
    moving_frame f = frame_at(base->position, base->rotation);
    for (int32_t e = element; e != TD_NONE; e = elements[e].parent) {
        way[steps++] = e;
    }
    while (steps-- > 0) {
        const td_helix_element *e = &elements[way[steps]];
        const moving_frame start = frame_at(e->place, e->turn), at_end = f;
        td_vec3 *to[4] = {&f.place, &f.axis[0], &f.axis[1], &f.axis[2]};
        const td_vec3 from[4] = {start.place, start.axis[0], start.axis[1], start.axis[2]};
        for (int k = 0; k < 4; k++) {
            *to[k] = td_vec3_madd(
                td_vec3_madd(td_vec3_madd(k ? none : at_end.place, at_end.axis[0], from[k].x),
                             at_end.axis[1], from[k].y),
                at_end.axis[2], from[k].z);
        }
        const double part = steps > 0 ? elements[way[steps - 1]].at : at;
        integrate(&f, u[way[steps]], part * e->length);
    }
    return f;
}

// How far place (in m) and frame are from those of the equations.
static void frame_off(const val_body *helix, const moving_frame *want, int32_t element, double at,
                      double *place, double *frame) {
    const moving_frame got = frame_at(td_helix_place(helix->state, element, at),
                                      td_helix_frame(helix->state, element, at));
    *place = val_worse(td_vec3_distance(got.place, want->place), *place);
    for (int k = 0; k < 3; k++) {
        *frame = val_worse(td_vec3_distance(got.axis[k], want->axis[k]), *frame);
    }
}

// One element of 1 m, |u| l from 1e-9 to 600. Rounding the angle alone turns by 1e-16 of it.
static void one_element(val_report *report) {
    enum { COUNT = 200 };
    const td_base_motion base = {.rotation = {1, 0, 0, 0}};
    val_random random = {41};
    val_body helix;
    td_helix_element e = td_helix_element_default();
    double place = 0, frame = 0;
    e.length = 1;
    val_helix_new(report, &e, 1, &helix);
    for (int32_t k = 0; k < COUNT; k++) {
        const double angle = 1e-9 * pow(6e11, k / (COUNT - 1.0)), at = val_uniform(&random, 0, 1);
        const td_vec3 axis = val_in_ball(&random, 1), zero = {0, 0, 0};
        const td_vec3 u = td_vec3_madd(zero, axis, angle / sqrt(td_vec3_dot(axis, axis)));
        case_must(td_helix_set_curvatures(helix.state, &u, &zero, NULL));
        const moving_frame want = walk(&e, &u, &base, 0, at);
        frame_off(&helix, &want, 0, at, &place, &frame);
    }
    val_at_most(report, "place over length, from 1e-9 to 600 rad", COUNT, place, 1e-12);
    val_at_most(report, "frame, from 1e-9 to 600 rad", COUNT, frame, 1e-12);
    val_body_free(&helix);
}

// Random helices on helices, on a base that is somewhere.
static void many_elements(val_report *report, val_random *random, double *place, double *frame) {
    const val_helix_wild wild = {
        .least = 1, .most = VAL_HELIX_MOST, .bend = 6, .soft = 1, .stiff = 1, .aside = true};
    td_helix_element elements[VAL_HELIX_MOST];
    td_vec3 u[VAL_HELIX_MOST], rates[VAL_HELIX_MOST] = {{0, 0, 0}};
    const int32_t count = val_helix_draw(random, &wild, elements);
    const td_base_motion base = {.position = val_in_ball(random, 1),
                                 .rotation = val_turn(val_in_ball(random, 3))};
    val_body helix;
    val_helix_new(report, elements, count, &helix);
    case_must(td_body_set_base(helix.state, &base, NULL));
    for (int32_t i = 0; i < count; i++) {
        u[i] = val_in_ball(random, 20 / elements[i].length);
    }
    case_must(td_helix_set_curvatures(helix.state, u, rates, NULL));
    for (int32_t i = 0; i < count; i++) {
        const double at = val_uniform(random, 0, 1);
        const moving_frame want = walk(elements, u, &base, i, at);
        frame_off(&helix, &want, i, at, place, frame);
    }
    val_body_free(&helix);
}

void val_helix_kinematics(val_report *report) {
    enum { COUNT = 100 };
    val_random random = {42};
    double place = 0, frame = 0;
    one_element(report);
    for (int32_t k = 0; k < COUNT; k++) {
        many_elements(report, &random, &place, &frame);
    }
    val_at_most(report, "place on trees of 1 to 30 elements, m", COUNT, place, 1e-12);
    val_at_most(report, "frame on trees of 1 to 30 elements", COUNT, frame, 1e-12);
}

// ---- sums along the elements ----------------------------------------------------------------

enum { FEW = 4 };

// Random helices in a random motion: curvatures u + t rate + t^2/2 pull at the time t.
typedef struct swing {
    td_helix_element elements[VAL_HELIX_MOST];
    val_body helix;
    td_vec3 u[FEW], rate[FEW], pull[FEW];
} swing;

static void swing_open(val_report *report, val_random *random, swing *s) {
    const val_helix_wild wild = {
        .least = 1, .most = FEW, .bend = 3, .off = 1, .soft = 0.02, .stiff = 0.5, .aside = true};
    const int32_t count = val_helix_draw(random, &wild, s->elements);
    memset(s->pull, 0, sizeof s->pull);
    for (int32_t i = 0; i < count; i++) {
        s->u[i] = s->elements[i].start;
        s->rate[i] = val_in_ball(random, 3 / s->elements[i].length);
    }
    val_helix_new(report, s->elements, count, &s->helix);
}

static void swing_to(swing *s, double t) {
    td_vec3 u[FEW], rate[FEW];
    for (int32_t i = 0; i < s->helix.n; i++) {
        u[i] = td_vec3_madd(td_vec3_madd(s->u[i], s->rate[i], t), s->pull[i], 0.5 * t * t);
        rate[i] = td_vec3_madd(s->rate[i], s->pull[i], t);
    }
    case_must(td_helix_set_curvatures(s->helix.state, u, rate, NULL));
}

// Weights of differences of fourth order over steps of h: (f(-2) - 8 f(-1) + 8 f(1) - f(2))/12h
static const double slope_weight[5] = {1 / 12.0, -8 / 12.0, 0, 8 / 12.0, -1 / 12.0};
static const double slope_step = 1e-3;

// Where a piece of an element is, how fast it moves, and its angular velocity in its own axes.
typedef struct sample {
    td_vec3 place, velocity, spin;
    td_quat turn;
} sample;

// With q' by differences, (0, w) = 2 q^-1 q'. The differences do not leave one half of the unit
// quaternions.
static void take_samples(swing *s, int32_t element, const double *at, int count, sample *out) {
    td_quat rate[64] = {{0, 0, 0, 0}};
    memset(out, 0, (size_t)count * sizeof *out);
    for (int k = 0; k < 5; k++) {
        const int step = (const int[]){2, 0, 1, 3, 4}[k]; // the middle first
        const double w = slope_weight[step] / slope_step;
        swing_to(s, (step - 2) * slope_step);
        for (int i = 0; i < count; i++) {
            const td_vec3 x = td_helix_place(s->helix.state, element, at[i]);
            const td_quat q = td_helix_frame(s->helix.state, element, at[i]);
            const td_quat m = out[i].turn;
            if (step == 2) {
                out[i].place = x;
                out[i].turn = q;
                continue;
            }
            const double sign = q.w * m.w + q.x * m.x + q.y * m.y + q.z * m.z < 0 ? -w : w;
            out[i].velocity = td_vec3_madd(out[i].velocity, x, w);
            rate[i] = (td_quat){rate[i].w + sign * q.w, rate[i].x + sign * q.x,
                                rate[i].y + sign * q.y, rate[i].z + sign * q.z};
        }
    }
    for (int i = 0; i < count; i++) {
        const td_quat m = out[i].turn, w = td_quat_mul((td_quat){m.w, -m.x, -m.y, -m.z}, rate[i]);
        out[i].spin = (td_vec3){2 * w.x, 2 * w.y, 2 * w.z};
    }
}

typedef struct sums {
    double kinetic;
    td_vec3 linear, angular;
    double mass, fastest, farthest; // kg, m/s, m from the origin
} sums;

// A slice of mass m with half axes a along X and b along Z: m b^2/4, m (a^2 + b^2)/4, m a^2/4.
static void add_slice(const td_helix_element *e, double at, double thick, const sample *p,
                      sums *all) {
    const double a = e->radius_base + at * (e->radius_tip - e->radius_base), b = e->flat * a;
    const double m = thick * e->density * VAL_PI * a * b;
    const td_vec3 own = {m * b * b / 4 * p->spin.x, m * (a * a + b * b) / 4 * p->spin.y,
                         m * a * a / 4 * p->spin.z};
    all->kinetic += 0.5 * (m * td_vec3_dot(p->velocity, p->velocity) + td_vec3_dot(own, p->spin));
    all->mass += m;
    all->fastest = fmax(all->fastest, sqrt(td_vec3_dot(p->velocity, p->velocity)));
    all->farthest = fmax(all->farthest, sqrt(td_vec3_dot(p->place, p->place)));
    all->linear = td_vec3_madd(all->linear, p->velocity, m);
    all->angular = td_vec3_madd(all->angular, td_vec3_cross(p->place, p->velocity), m);
    all->angular = td_vec3_madd(all->angular, td_quat_rotate(p->turn, own), 1);
}

// By Gauss's rule of five points on eight pieces of each element.
static sums integrate_sums(swing *s) {
    enum { PIECES = 8, POINTS = 5 };
    static const double point[POINTS] = {-0.9061798459386640, -0.5384693101056831, 0,
                                         0.5384693101056831, 0.9061798459386640};
    static const double share[POINTS] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                         0.4786286704993665, 0.2369268850561891};
    sums all = {0};
    for (int32_t e = 0; e < s->helix.n; e++) {
        double at[PIECES * POINTS];
        sample got[PIECES * POINTS];
        for (int k = 0; k < PIECES * POINTS; k++) {
            at[k] = (k / POINTS + 0.5 + 0.5 * point[k % POINTS]) / PIECES;
        }
        take_samples(s, e, at, PIECES * POINTS, got);
        for (int k = 0; k < PIECES * POINTS; k++) {
            const double thick = s->elements[e].length * share[k % POINTS] / (2 * PIECES);
            add_slice(&s->elements[e], at[k], thick, &got[k], &all);
        }
    }
    return all;
}

// Kinetic energy and momenta against integrals along the elements, over those of all mass at the
// highest speed.
static void sums_off(swing *s, double off[3]) {
    const sums want = integrate_sums(s);
    const double most = want.mass * want.fastest;
    td_vec3 linear, angular;
    swing_to(s, 0);
    const double kinetic = td_body_energy(s->helix.state, none).kinetic;
    td_body_momentum(s->helix.state, &linear, &angular);
    off[0] = val_worse(fabs(kinetic - want.kinetic) / (0.5 * most * want.fastest), off[0]);
    off[1] = val_worse(td_vec3_distance(linear, want.linear) / most, off[1]);
    off[2] = val_worse(td_vec3_distance(angular, want.angular) / (most * want.farthest), off[2]);
}

// ---- forces ---------------------------------------------------------------------------------

// Along the motion that the accelerations give, energy stays: kinetic energy gains what springs and
// weight lose. Over the larger of the two.
static void power_off(val_report *report, swing *s, td_helix_method method, double *off) {
    td_step_opts opts = td_step_opts_default();
    double kinetic = 0, potential = 0;
    swing_to(s, 0);
    val_must(report, "accelerations", s->helix.n,
             td_helix_accelerations(s->helix.state, &opts, (td_helix_published){method, true},
                                    s->pull, &report->diag));
    // the highest frequencies, those of twist, are some 1e4/s
    const double h = 1e-6;
    for (int k = 0; k < 5; k++) {
        swing_to(s, (k - 2) * h);
        const td_energy e = td_body_energy(s->helix.state, opts.gravity);
        kinetic += slope_weight[k] / h * e.kinetic;
        potential += slope_weight[k] / h * (e.elastic + e.weight);
    }
    memset(s->pull, 0, sizeof s->pull);
    *off = val_worse(fabs(kinetic + potential) / fmax(fabs(kinetic), fabs(potential)), *off);
}

// ---- Hessians -------------------------------------------------------------------------------

enum { DOFS = 3 * FEW };

static double *entry(td_vec3 *u, int32_t dof) {
    return dof % 3 == 0 ? &u[dof / 3].x : dof % 3 == 1 ? &u[dof / 3].y : &u[dof / 3].z;
}

// Springs and weight with dofs a and b changed.
static double energy_at(swing *s, int32_t a, double by_a, int32_t b, double by_b) {
    td_vec3 u[FEW], rates[FEW] = {{0, 0, 0}};
    memcpy(u, s->u, sizeof u);
    *entry(u, a) += by_a / s->elements[a / 3].length;
    *entry(u, b) += by_b / s->elements[b / 3].length;
    case_must(td_helix_set_curvatures(s->helix.state, u, rates, NULL));
    const td_energy e = td_body_energy(s->helix.state, weight);
    return e.elastic + e.weight;
}

static double kinetic_of(swing *s, int32_t a, int32_t b) {
    td_vec3 rates[FEW] = {{0, 0, 0}};
    *entry(rates, a) += 1 / s->elements[a / 3].length;
    *entry(rates, b) += b == a ? 0 : 1 / s->elements[b / 3].length;
    case_must(td_helix_set_curvatures(s->helix.state, s->u, rates, NULL));
    return td_body_energy(s->helix.state, none).kinetic;
}

// K by differences of fourth order, M from kinetic energies of unit rates; both of angles |u| l.
static void dense_matrices(swing *s, int32_t n, double k[DOFS][DOFS], double m[DOFS][DOFS]) {
    const double h = 2e-3;
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = 0; b <= a; b++) {
            double sum = 0;
            for (int c = 0; c < 4; c++) { // corners at h, and at 2h with a weight of -1/16
                const double sa = c & 1 ? -h : h, sb = c & 2 ? -h : h, sign = sa * sb > 0 ? 1 : -1;
                sum += sign * 16 * energy_at(s, a, sa, b, sb);
                sum -= sign * energy_at(s, a, 2 * sa, b, 2 * sb);
            }
            k[a][b] = k[b][a] = sum / (48 * h * h);
            const double both = kinetic_of(s, a, b);
            m[a][b] = m[b][a] =
                a == b ? 2 * both : both - kinetic_of(s, a, a) - kinetic_of(s, b, b);
        }
    }
}

// At rest: what is left of the gradient, over the largest moment of a spring; and the square of
// each frequency against that of the dense matrices, relative.
static void hessian_off(val_report *report, swing *s, double *gradient, double *hessian) {
    const int32_t n = 3 * s->helix.n;
    double k[DOFS][DOFS], m[DOFS][DOFS], lambda[DOFS], largest = 0, left = 0;
    td_step_opts opts = td_step_opts_default();
    td_mode modes[DOFS];
    val_settle(report, &s->helix, &opts, "rest of random helices");
    val_modes(report, &s->helix, weight, n, modes, "modes of random helices");
    td_helix_curvatures(s->helix.state, s->u, NULL);
    for (int32_t d = 0; d < n; d++) {
        const td_helix_element *e = &s->elements[d / 3];
        const double h = 1e-3, stiff[3] = {e->bend_x, e->twist_y, e->bend_z};
        const td_vec3 bent = td_vec3_madd(s->u[d / 3], e->rest, -1);
        const double spring = stiff[d % 3] * (d % 3 == 0 ? bent.x : d % 3 == 1 ? bent.y : bent.z);
        double slope = 0;
        for (int i = 0; i < 5; i++) {
            slope += slope_weight[i] / h * energy_at(s, d, (i - 2) * h, d, 0);
        }
        largest = fmax(largest, fabs(spring));
        left = val_worse(fabs(slope), left);
    }
    *gradient = val_worse(left / largest, *gradient);
    dense_matrices(s, n, k, m);
    const bool positive = dense_eigenvalues(k[0], m[0], DOFS, n, lambda);
    for (int32_t i = 0; i < n; i++) {
        const double w = 2 * VAL_PI * modes[i].frequency, off = fabs(w * fabs(w) / lambda[i] - 1);
        *hessian = val_worse(positive ? off : (double)NAN, *hessian);
    }
}

// ---- case -----------------------------------------------------------------------------------

void val_helix_derivatives(val_report *report) {
    enum { COUNT = 60 };
    val_random random = {43};
    double off[3] = {0, 0, 0}, power[2] = {0, 0}, gradient = 0, hessian = 0;
    for (int32_t k = 0; k < COUNT; k++) {
        swing s;
        swing_open(report, &random, &s);
        sums_off(&s, off);
        power_off(report, &s, TD_HELIX_RECURSIVE, &power[0]);
        power_off(report, &s, TD_HELIX_COMPOSITE, &power[1]);
        hessian_off(report, &s, &gradient, &hessian);
        val_body_free(&s.helix);
        val_progress(report, (double)k / COUNT);
    }
    val_at_most(report, "kinetic energy against an integral, elements of 4 rad", COUNT, off[0],
                1e-6);
    val_at_most(report, "linear momentum, likewise", COUNT, off[1], 1e-6);
    val_at_most(report, "angular momentum, likewise", COUNT, off[2], 1e-6);
    val_at_most(report, "power of recursive accelerations", COUNT, power[0], 1e-6);
    val_at_most(report, "power of composite accelerations", COUNT, power[1], 1e-6);
    val_at_most(report, "gradient at rest, over the largest moment", COUNT, gradient, 1e-9);
    val_at_most(report, "squares of frequencies, of a Hessian by differences", COUNT, hessian,
                1e-8);
}
