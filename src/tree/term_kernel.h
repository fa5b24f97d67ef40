// SPDX-License-Identifier: MIT
// Terms of the incremental potential (potential.c) of TDI_LANES bodies and their joints at once:
// gradient and Hessian of inertia or weight, of drag, and of ball joints.
//
// Lanes    a body a lane, every lane with the bits of a body alone. Where a lane goes another way,
//          as a joint that is bent far does, each lane is worked out alone by scalar code.
//
// Included once by each file that sets TDI_LANES: potential.c for a body alone, terms_wide_*.c.

#include "load/drag.h"
#include "tree/implicit.h"
#include "tree/joint_wide.h"

#define TDI_WIDE_NAMES 1
#include "math/lane_names.h"
#include "load/drag_lanes.h"

// ---- what terms are made of -----------------------------------------------------------------

#if TDI_LANES == 1

typedef tdi_body wbody;
typedef tdi_frame wframe;
typedef tdi_affine wplace;
typedef tdi_term wterm;

#else

// The same fields, each also as rows, in which the reals of a lane are a column.
enum { BODY_OWN = 16, BODY_OUTSIDE = 7, BODY = BODY_OWN + BODY_OUTSIDE, FRAME = 12, PLACE = 12 };

typedef union wbody {
    td_real row[BODY][TDI_LANES];
    struct {
        tdi_wide mass;
        tdi_wvec3 moment;
        tdi_wsym3 second;
        tdi_wvec3 stiffness, damping;
        tdi_wvec3 tip, area; // with drag
        tdi_wide fold;
    };
} wbody;

typedef union wframe {
    td_real row[FRAME][TDI_LANES];
    struct {
        tdi_wmat3 r;
        tdi_wvec3 o;
    };
} wframe;

typedef union wplace {
    td_real row[PLACE][TDI_LANES];
    struct {
        tdi_wvec3 o;
        tdi_wmat3 r;
    };
} wplace;

typedef struct wterm {
    tdi_wblock block;
    tdi_wwrench load;
    tdi_wvec3 pull;
    tdi_wsym3 geometric, ball;
    tdi_wide g[3];
} wterm;

#endif

typedef struct wbodies {
    int32_t first;
    const wbody *body;
    const wframe *frame;
    const wplace *predictor; // with inertia
    const wplace *history;   // with drag
    const tdi_wmat3 *past;   // rotation when the step began
    const tdi_wvec3 *wind;
    tdi_wide w; // quaternion of the joint
    tdi_wvec3 u;
    tdi_wvec3 rest; // angle to which damping is relative
} wbodies;

// ---- inertia and weight ---------------------------------------------------------------------

// o - o^
static inline tdi_wvec3 origin_off(const wframe *f, const wplace *predictor,
                                   const tdi_potential *p) {
    return tdi_wmadd(tdi_wsub(f->o, predictor->o), tdi_wvec3_all(p->gravity),
                     tdi_wide_all(-p->h * p->h));
}

static inline void body_term(const wbodies *in, const tdi_potential *potential, bool positive,
                             wterm *t) {
    const wbody *body = in->body;
    const wframe *f = in->frame;
    tdi_wvec3 e = origin_off(f, in->predictor, potential);
    tdi_wvec3 c = tdi_wmat3_apply(&f->r, body->moment);
    tdi_wvec3 c_predictor = tdi_wmat3_apply(&in->predictor->r, body->moment);
    tdi_wmat3 rs = tdi_wmat3_mul_sym(&f->r, &body->second);
    tdi_wmat3 p = tdi_wmat3_mul_t(&rs, &in->predictor->r);

    t->load.f = tdi_wadd(tdi_wscale(e, body->mass), tdi_wsub(c, c_predictor));
    t->load.n = tdi_wadd(tdi_wmat3_axial(&p), tdi_wcross(c, e));
    if (positive) {
        p = tdi_wmat3_mul_t(&rs, &f->r);
    }
    t->block.a =
        (tdi_wsym3){p.m[4] + p.m[8],          p.m[0] + p.m[8],          p.m[0] + p.m[4],
                    -0.5 * (p.m[1] + p.m[3]), -0.5 * (p.m[2] + p.m[6]), -0.5 * (p.m[5] + p.m[7])};
    t->geometric = tdi_wgeometric_stiffness(c, e);
    t->block.b = tdi_wmat3_cross(c);
    t->block.c = tdi_wsym3_diagonal(body->mass, body->mass, body->mass);
}

// weight alone: -m g.(o + R c); in a positive semi-definite model with `relax` times the inertia of
// the pose
static inline void weight_term(const wbodies *in, td_vec3 g, td_real relax, wterm *t) {
    const wbody *body = in->body;
    const wframe *f = in->frame;
    tdi_wvec3 c = tdi_wmat3_apply(&f->r, body->moment);
    tdi_wvec3 e = tdi_wvec3_all(tdi_scale(g, -1));
    memset(&t->block, 0, sizeof t->block);
    if (relax > 0) {
        tdi_wsym3 s = tdi_wsym3_turn(&f->r, &body->second);
        tdi_wide m = relax * body->mass;
        t->block.a = tdi_wsym3_scale(tdi_wsym3_inertia(s), tdi_wide_all(relax));
        t->block.b = tdi_wmat3_cross(tdi_wscale(c, tdi_wide_all(relax)));
        t->block.c = tdi_wsym3_diagonal(m, m, m);
    }
    t->geometric = tdi_wgeometric_stiffness(c, e);
    t->load.f = tdi_wscale(e, body->mass);
    t->load.n = tdi_wcross(c, e);
}

// ---- drag -----------------------------------------------------------------------------------

// Both points of Gauss, each for half of the area, see the area as it was when the step began,
// which keeps D convex. They lie at fractions of the way to the tip, so that with the lever t of
// the tip
//   u = (o - o* + fraction (t - t*))/h - wind.
typedef struct drag_points {
    tdi_wdrag_area a;
    tdi_wvec3 still, along; // u = still + fraction along
    tdi_wvec3 lever;
    tdi_rate_factors by;
} drag_points;

static inline drag_points drag_points_of(const wbodies *in, const tdi_loads *l) {
    const tdi_wide over = tdi_wide_all(1 / l->h);
    const tdi_rate_factors whole = tdi_loads_rate(l);
    const tdi_wvec3 tip = in->body->tip, moved = tdi_wsub(in->frame->o, in->history->o);
    drag_points d;
    d.a = tdi_wdrag_area_of(in->body->area, in->body->fold, in->past);
    d.lever = tdi_wmat3_apply(&in->frame->r, tip);
    d.still = tdi_wsub(tdi_wscale(moved, over), *in->wind);
    d.along = tdi_wscale(tdi_wsub(d.lever, tdi_wmat3_apply(&in->history->r, tip)), over);
    d.by = (tdi_rate_factors){0.5 * whole.value, 0.5 * whole.gradient, 0.5 * whole.hessian};
    return d;
}

static inline tdi_wdrag drag_at(const drag_points *d, const tdi_loads *l, td_real fraction) {
    tdi_wvec3 u = tdi_wmadd(d->still, d->along, tdi_wide_all(fraction));
    return tdi_wdrag_of(&l->air, &d->a, u, &d->by);
}

// With gradients f_k and Hessians H_k at fractions c_k of the lever t:
//   n += t x sum c f,  A += [t]x (sum c^2 H) [t]x^T,  B += [t]x sum c H,  C += sum H
static void add_drag(const wbodies *in, const tdi_loads *l, wterm *term) {
    const drag_points d = drag_points_of(in, l);
    const tdi_wvec3 t = d.lever;
    const tdi_wide c[2] = {tdi_wide_all(tdi_gauss_points[0]), tdi_wide_all(tdi_gauss_points[1])};
    tdi_wdrag p[2];
    for (int g = 0; g < 2; g++) {
        p[g] = drag_at(&d, l, tdi_gauss_points[g]);
    }
    tdi_wvec3 first = tdi_wmadd(tdi_wscale(p[0].gradient, c[0]), p[1].gradient, c[1]);
    term->load.n = tdi_wadd(term->load.n, tdi_wcross(t, first));
    term->load.f = tdi_wadd(term->load.f, tdi_wadd(p[0].gradient, p[1].gradient));
    tdi_wsym3 h0 = tdi_wsym3_scale(p[0].hessian, c[0]), h1 = tdi_wsym3_scale(p[1].hessian, c[1]);
    tdi_wsym3 once = tdi_wsym3_add(h0, h1);
    tdi_wsym3 twice = tdi_wsym3_add(tdi_wsym3_scale(h0, c[0]), tdi_wsym3_scale(h1, c[1]));
    const tdi_wmat3 turned = tdi_wcross_sym(t, &twice), shift = tdi_wcross_sym(t, &once);
    term->block.a = tdi_wsym3_add(term->block.a, tdi_wcross_both(t, &turned));
    for (int k = 0; k < 9; k++) {
        term->block.b.m[k] += shift.m[k];
    }
    term->block.c = tdi_wsym3_add(term->block.c, tdi_wsym3_add(p[0].hessian, p[1].hessian));
    term->geometric = tdi_wsym3_add(term->geometric, tdi_wgeometric_stiffness(t, first));
}

// ---- a body ---------------------------------------------------------------------------------

// All that acts on the bodies, but for joints and point loads.
static inline void outside_term(const tdi_potential_at *at, const wbodies *in, wterm *t) {
    const tdi_potential *p = at->potential;
    if (p->inertia) {
        body_term(in, p, at->positive, t);
    } else {
        weight_term(in, p->gravity, p->relax, t);
    }
    if (tdi_has_drag(&p->loads)) {
        add_drag(in, &p->loads, t);
    }
    t->pull = t->load.f;
}

// ---- ball joints: the rotation vector -------------------------------------------------------

// The rotation vector of a joint that is bent far, kept for trials from here.
static inline tdi_ball_turn last_turn(const tdi_potential_at *at, int32_t i) {
    const td_real *q = at->state->q + at->model->coord[i];
    const int32_t d = at->model->dof[i];
    td_real *near = at->potential->angle_near;
    const tdi_ball_turn turn = tdi_ball_turn_large(q, near ? near + d : at->state->angle + d);
    if (near) {
        near[d] = turn.a.x;
        near[d + 1] = turn.a.y;
        near[d + 2] = turn.a.z;
    }
    return turn;
}

// Each lane by the scalar code.
static __attribute__((noinline)) tdi_wball_turn turn_apart(const tdi_potential_at *at,
                                                           int32_t first) {
    const tdi_tree_model *m = at->model;
    const tdi_tree_state *s = at->state;
    tdi_wball_turn turn = {tdi_wvec3_zero(), tdi_wide_all(0)};
    for (int k = 0; k < TDI_LANES; k++) {
        const td_real *q = s->q + m->coord[first + k];
        const bool far = !(q[1] * q[1] + q[2] * q[2] + q[3] * q[3] < TDI_SERIES_S);
        // a body alone is bent far, or it would not be here
        tdi_ball_turn one =
            TDI_LANES == 1 || far ? last_turn(at, first + k) : tdi_ball_turn_of(q, s->angle);
        tdi_wvec3_set(&turn.a, k, one.a);
        tdi_wide_set(&turn.b, k, one.b);
    }
    return turn;
}

// tdi_ball_turn_of()
static inline tdi_wball_turn turn_of(const tdi_potential_at *at, const wbodies *in) {
    const tdi_wide s = tdi_wdot(in->u, in->u);
    if (tdi_mask_any(tdi_mask_not(s < TDI_SERIES_S))) {
        return turn_apart(at, in->first);
    }
    const tdi_wide growth = tdi_whalf_growth(s);
    const tdi_wide scale = tdi_wide_select(in->w < 0, -2 * growth, 2 * growth);
    return (tdi_wball_turn){tdi_wscale(in->u, scale),
                            tdi_wturn_coefficient_near(scale * scale * s)};
}

// J^-T diag(k) J^-1
static tdi_wsym3 pull_back_stiffness(const tdi_wball_turn *turn, tdi_wvec3 k) {
    const td_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    tdi_wsym3 s = tdi_wsym3_square(tdi_wball_rate(turn, tdi_wvec3_all(x), -1), k.x);
    s = tdi_wsym3_add(s, tdi_wsym3_square(tdi_wball_rate(turn, tdi_wvec3_all(y), -1), k.y));
    return tdi_wsym3_add(s, tdi_wsym3_square(tdi_wball_rate(turn, tdi_wvec3_all(z), -1), k.z));
}

// rad^2: below this J^-1 = I + 1/2 [a]x, exact to first order in a; the form stays positive
#define SMALL_ANGLE2 1e-4

static inline tdi_wsym3 near_stiffness(tdi_wvec3 a, tdi_wvec3 k) {
    const tdi_wide one = tdi_wide_all(1);
    tdi_wvec3 h = tdi_wscale(a, tdi_wide_all(0.5));
    tdi_wsym3 s = tdi_wsym3_square((tdi_wvec3){one, -h.z, h.y}, k.x);
    s = tdi_wsym3_add(s, tdi_wsym3_square((tdi_wvec3){h.z, one, -h.x}, k.y));
    return tdi_wsym3_add(s, tdi_wsym3_square((tdi_wvec3){-h.y, h.x, one}, k.z));
}

static inline tdi_wsym3 turned_stiffness(const tdi_wball_turn *turn, tdi_wvec3 k) {
    const tdi_mask small = tdi_wdot(turn->a, turn->a) < SMALL_ANGLE2;
    if (!tdi_mask_any(tdi_mask_not(small))) {
        return near_stiffness(turn->a, k);
    }
    tdi_wsym3 far = pull_back_stiffness(turn, k);
    return tdi_mask_any(small) ? tdi_wsym3_select(small, near_stiffness(turn->a, k), far) : far;
}

// sum of t_k d2a_k/dy2, in the joint's own axes; r by series up to 0.2 rad, where it would cancel
static inline tdi_wsym3 ball_second(const tdi_wball_turn *turn, tdi_wvec3 t) {
    const tdi_wvec3 a = turn->a;
    const tdi_wide b = turn->b, t2 = tdi_wdot(a, a), p = 2 * b * (1 - b * t2);
    const tdi_mask far = tdi_mask_not(t2 < TDI_SERIES_T2);
    tdi_wide r = 2 * (b * b + tdi_wturn_coefficient_slope(t2));
    if (tdi_mask_any(far)) {
        r = tdi_wide_select(far, (0.25 - 1.5 * p) / t2, r);
    }
    tdi_wvec3 v = tdi_wmadd(tdi_wscale(t, p), a, r * tdi_wdot(t, a));
    return tdi_wgeometric_stiffness(a, tdi_wmadd(v, tdi_wcross(t, a), b));
}

// ---- ball joints: the tangent law -----------------------------------------------------------

typedef struct tangent { // of the springs, in the joint's own axes
    tdi_wvec3 gradient;
    tdi_wsym3 hessian;
    tdi_wvec3
        stiffness; // of positive semi-definite models, bending and twist apart: k/cos^2(angle/2)
} tangent;

static inline td_vec3 positive_stiffness(td_vec3 k, const td_real *q) {
    td_real w2 = q[0] * q[0] + 1e-12, bend = 1 / (w2 + q[2] * q[2]);
    return tdi_vec3(k.x * bend, k.y * (1 + q[2] * q[2] / w2), k.z * bend);
}

static __attribute__((noinline)) void tangent_apart(const tdi_potential_at *at, int32_t first,
                                                    tangent *law) {
    const tdi_tree_model *m = at->model;
    memset(law, 0, sizeof *law);
    for (int n = 0; n < TDI_LANES; n++) {
        const td_real *q = at->state->q + m->coord[first + n];
        const td_vec3 k = m->body[first + n].stiffness;
        tdi_wvec3_set(&law->gradient, n, tdi_tangent_gradient(k, q));
        if (at->positive) {
            tdi_wvec3_set(&law->stiffness, n, positive_stiffness(k, q));
        } else {
            tdi_wsym3_set(&law->hessian, n, tdi_tangent_hessian(k, q));
        }
    }
}

// ---- a ball joint ---------------------------------------------------------------------------

// Gradient and Hessian to a turn in own axes, t the moment on the rotation vector:
//   J^-T t,  J^-T (spring K + damp B) J^-1 + sum_k t_k d2a_k/dy2
// The tangent law has its own derivatives for the spring. A positive semi-definite model leaves the
// second derivatives out, and takes the stiffness of bending and twist from the tangent law.
static inline void ball_term(const tdi_potential_at *at, const wbodies *in, wterm *term) {
    const tdi_potential *p = at->potential;
    const bool linear = at->model->law == TD_LAW_LINEAR;
    const tdi_wide spring = tdi_wide_all(p->spring * p->stiffness), damp = tdi_wide_all(p->damp);
    const tdi_wball_turn turn = turn_of(at, in);
    const tdi_wvec3 damping = in->body->damping;
    tdi_wvec3 k = in->body->stiffness, t = tdi_wvec3_zero();
    tangent law;
    if (linear) {
        t = tdi_wscale(tdi_wtimes(k, turn.a), spring);
    } else {
        tangent_apart(at, in->first, &law);
        k = law.stiffness;
    }
    if (p->angle_rest) {
        t = tdi_wmadd(t, tdi_wtimes(damping, tdi_wsub(turn.a, in->rest)), damp);
    }
    tdi_wvec3 own = tdi_wball_rate(&turn, t, -1);
    own = linear ? own : tdi_wmadd(own, law.gradient, spring);
    tdi_wvec3 g = tdi_wmat3_apply(&in->frame->r, own);
    term->g[0] = g.x;
    term->g[1] = g.y;
    term->g[2] = g.z;
    k = tdi_wmadd(tdi_wscale(k, spring), damping, damp);
    tdi_wsym3 form = turned_stiffness(&turn, k);
    if (!at->positive) {
        form = tdi_wsym3_add(form, ball_second(&turn, t));
    }
    if (!linear) {
        form = tdi_wsym3_add(form, tdi_wsym3_scale(law.hessian, spring));
    }
    term->ball = tdi_wsym3_turn(&in->frame->r, &form);
}
