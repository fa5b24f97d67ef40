// SPDX-License-Identifier: MIT
// Terms of TDI_LANES bodies at once.
//
// Method   potential.c with a body a lane, operation for operation, so that every lane gets the
//          bits that tdi_potential_ball() gives. Bodies are gathered into rows of lanes first, and
//          the results scattered to their terms.
//
// Included by the files that set TDI_LANES, once in each.

#include "math/wide.h"
#include "tree/joint.h"
#include "tree/terms_wide.h"

// ---- gathering ------------------------------------------------------------------------------

enum { FRAME = 16, HAT = 12, BODY = 16, JOINT = 4, REST = 3 }; // reals of each

typedef struct inputs {
    td_real frame[FRAME][TDI_LANES];
    td_real hat[HAT][TDI_LANES];
    td_real body[BODY][TDI_LANES];
    td_real q[JOINT][TDI_LANES];
    td_real rest[REST][TDI_LANES];
} inputs;

_Static_assert(sizeof(tdi_frame) == FRAME * sizeof(td_real), "a frame is turn, r, o");
_Static_assert(sizeof(tdi_place) == HAT * sizeof(td_real), "a place is o, r");
_Static_assert(offsetof(tdi_body, attach) == BODY * sizeof(td_real), "a body begins with its mass");

#define GATHER(row, count, from)                         \
    do {                                                 \
        const td_real *source = (const td_real *)(from); \
        for (int k = 0; k < (count); k++) {              \
            (row)[k][lane] = source[k];                  \
        }                                                \
    } while (0)

static inline void gather(const tdi_potential_at *at, int32_t first, inputs *in) {
    const td_tree_model *m = at->model;
    const td_tree_state *s = at->state;
    for (int lane = TDI_LANES - 1; lane >= 0; lane--) { // as memory is read ahead in a sweep
        int32_t i = first + lane;
        GATHER(in->frame, FRAME, &s->frame[i]);
        GATHER(in->hat, HAT, &s->hat[i]);
        GATHER(in->body, BODY, &m->body[i]);
        GATHER(in->q, JOINT, s->q + m->coord[i]);
        GATHER(in->rest, REST, at->potential->angle_rest + m->dof[i]);
    }
}

static inline tdi_wvec3 read3(td_real (*rows)[TDI_LANES]) {
    return (tdi_wvec3){tdi_wide_load(rows[0]), tdi_wide_load(rows[1]), tdi_wide_load(rows[2])};
}

static inline tdi_wmat3 read9(td_real (*rows)[TDI_LANES]) {
    tdi_wmat3 m;
    for (int k = 0; k < 9; k++) {
        m.m[k] = tdi_wide_load(rows[k]);
    }
    return m;
}

// ---- bodies ---------------------------------------------------------------------------------

typedef struct outputs {
    tdi_wsym3 a, swing, ball;
    tdi_wvec3 c, n, f, g;
    tdi_wide mass;
    tdi_wmat3 drag_b; // with drag
    tdi_wsym3 drag_c;
} outputs;

static inline tdi_wmat3 mul_sym(const tdi_wmat3 *r, const tdi_wsym3 *s) {
    tdi_wmat3 c;
    for (int i = 0; i < 3; i++) {
        tdi_wvec3 row = tdi_wsym3_apply(s, tdi_wmat3_row(r, i));
        c.m[3 * i] = row.x;
        c.m[3 * i + 1] = row.y;
        c.m[3 * i + 2] = row.z;
    }
    return c;
}

static inline tdi_wmat3 mul_t(const tdi_wmat3 *a, const tdi_wmat3 *b) {
    tdi_wmat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[3 * i + j] = a->m[3 * i] * b->m[3 * j] + a->m[3 * i + 1] * b->m[3 * j + 1] +
                             a->m[3 * i + 2] * b->m[3 * j + 2];
        }
    }
    return c;
}

static inline tdi_wsym3 select_sym(tdi_mask mask, tdi_wsym3 yes, tdi_wsym3 no) {
    return (tdi_wsym3){tdi_wide_select(mask, yes.xx, no.xx), tdi_wide_select(mask, yes.yy, no.yy),
                       tdi_wide_select(mask, yes.zz, no.zz), tdi_wide_select(mask, yes.xy, no.xy),
                       tdi_wide_select(mask, yes.xz, no.xz), tdi_wide_select(mask, yes.yz, no.yz)};
}

static inline tdi_wsym3 swing_of(tdi_wvec3 r, tdi_wvec3 f) {
    tdi_wide d = tdi_wdot(r, f);
    return (tdi_wsym3){r.x * f.x - d,
                       r.y * f.y - d,
                       r.z * f.z - d,
                       0.5 * (r.x * f.y + r.y * f.x),
                       0.5 * (r.x * f.z + r.z * f.x),
                       0.5 * (r.y * f.z + r.z * f.y)};
}

static inline void body_terms(const tdi_potential *potential, inputs *in, const tdi_wmat3 *r,
                              outputs *out) {
    const td_real h2 = -potential->h * potential->h;
    const tdi_wmat3 r_hat = read9(in->hat + 3);
    const tdi_wvec3 moment = read3(in->body + 1);
    const tdi_wsym3 second = {tdi_wide_load(in->body[4]), tdi_wide_load(in->body[5]),
                              tdi_wide_load(in->body[6]), tdi_wide_load(in->body[7]),
                              tdi_wide_load(in->body[8]), tdi_wide_load(in->body[9])};
    tdi_wvec3 e = tdi_wmadd(tdi_wsub(read3(in->frame + 13), read3(in->hat)),
                            tdi_wvec3_all(potential->gravity), tdi_wide_all(h2));
    tdi_wvec3 c = tdi_wmat3_apply(r, moment), c_hat = tdi_wmat3_apply(&r_hat, moment);
    tdi_wmat3 rs = mul_sym(r, &second), p = mul_t(&rs, &r_hat);
    out->mass = tdi_wide_load(in->body[0]);
    out->c = c;
    out->f = tdi_wadd(tdi_wscale(e, out->mass), tdi_wsub(c, c_hat));
    tdi_wvec3 axial = {p.m[7] - p.m[5], p.m[2] - p.m[6], p.m[3] - p.m[1]};
    out->n = tdi_wadd(axial, tdi_wcross(c, e));
    out->a =
        (tdi_wsym3){p.m[4] + p.m[8],          p.m[0] + p.m[8],          p.m[0] + p.m[4],
                    -0.5 * (p.m[1] + p.m[3]), -0.5 * (p.m[2] + p.m[6]), -0.5 * (p.m[5] + p.m[7])};
    out->swing = swing_of(c, e);
}

// ---- drag -----------------------------------------------------------------------------------

// As tdi_drag_term().
typedef struct drag_inputs {
    td_real past[9][TDI_LANES]; // rotation when the step began
    td_real star[HAT][TDI_LANES];
    td_real tip_area[6][TDI_LANES];
    td_real wind[3][TDI_LANES];
} drag_inputs;

_Static_assert(offsetof(tdi_body, area) == offsetof(tdi_body, tip) + sizeof(td_vec3),
               "areas follow the tip");

static inline void gather_drag(const tdi_potential_at *at, int32_t first, drag_inputs *in) {
    const tdi_loads *l = &at->potential->loads;
    for (int lane = TDI_LANES - 1; lane >= 0; lane--) {
        int32_t i = first + lane;
        GATHER(in->past, 9, &at->state->past[i].r);
        GATHER(in->star, HAT, &l->star[i]);
        GATHER(in->tip_area, 6, &at->model->body[i].tip);
        GATHER(in->wind, 3, l->winds ? &l->winds[i] : &l->air.wind);
    }
}

static inline tdi_wsym3 scale_sym(tdi_wsym3 a, tdi_wide k) {
    return (tdi_wsym3){a.xx * k, a.yy * k, a.zz * k, a.xy * k, a.xz * k, a.yz * k};
}

static inline tdi_wsym3 turn_diagonal(const tdi_wmat3 *r, tdi_wvec3 d) {
    const tdi_wide *m = r->m;
    tdi_wide a0 = m[0] * d.x, a1 = m[1] * d.y, a2 = m[2] * d.z;
    tdi_wide b0 = m[3] * d.x, b1 = m[4] * d.y, b2 = m[5] * d.z;
    return (tdi_wsym3){a0 * m[0] + a1 * m[1] + a2 * m[2],
                       b0 * m[3] + b1 * m[4] + b2 * m[5],
                       m[6] * m[6] * d.x + m[7] * m[7] * d.y + m[8] * m[8] * d.z,
                       a0 * m[3] + a1 * m[4] + a2 * m[5],
                       a0 * m[6] + a1 * m[7] + a2 * m[8],
                       b0 * m[6] + b1 * m[7] + b2 * m[8]};
}

static inline tdi_wide larger(tdi_wide a, tdi_wide b) {
    return tdi_wide_select(a > b, a, b);
}

static inline tdi_wide root(tdi_wide x) { // x >= 0
    for (int k = 0; k < TDI_LANES; k++) {
        x[k] = sqrt(x[k]);
    }
    return x;
}

typedef struct point {
    tdi_wvec3 gradient;
    tdi_wsym3 hessian;
} point;

static inline point drag_at(const td_air *air, const tdi_wsym3 *area, tdi_wide most, tdi_wvec3 u,
                            td_real h) {
    const td_real share = 0.5;
    const tdi_wide none = tdi_wide_all(0);
    tdi_wvec3 au = tdi_wsym3_apply(area, u);
    tdi_wide form = tdi_wdot(u, au);
    tdi_mask moving = form > none;
    tdi_wide speed = root(tdi_wide_select(moving, form / most, none));
    tdi_wide slope = air->linear + air->quadratic * speed;
    tdi_wide bow = share * h * air->quadratic / (most * speed);
    point p = {tdi_wscale(au, share * h * h * slope), scale_sym(*area, share * h * slope)};
    tdi_wsym3 bowed = tdi_wsym3_add(p.hessian, tdi_wsym3_square(au, bow));
    p.hessian = select_sym(speed > none, bowed, p.hessian);
    return p;
}

static inline tdi_wmat3 cross_sym(tdi_wvec3 r, const tdi_wsym3 *c) {
    return (tdi_wmat3){
        {r.y * c->xz - r.z * c->xy, r.y * c->yz - r.z * c->yy, r.y * c->zz - r.z * c->yz,
         r.z * c->xx - r.x * c->xz, r.z * c->xy - r.x * c->yz, r.z * c->xz - r.x * c->zz,
         r.x * c->xy - r.y * c->xx, r.x * c->yy - r.y * c->xy, r.x * c->yz - r.y * c->xz}};
}

// A of tdi_block_moved() for a block that has C alone
static inline tdi_wsym3 moved_a(const tdi_wsym3 *c, tdi_wvec3 r) {
    const tdi_wide none = tdi_wide_all(0);
    tdi_wmat3 both = cross_sym(r, c);
    for (int k = 0; k < 9; k++) {
        both.m[k] = none + none + both.m[k];
    }
    tdi_wvec3 x0 = tdi_wcross(r, tdi_wmat3_row(&both, 0));
    tdi_wvec3 x1 = tdi_wcross(r, tdi_wmat3_row(&both, 1));
    tdi_wvec3 x2 = tdi_wcross(r, tdi_wmat3_row(&both, 2));
    return (tdi_wsym3){none + x0.x,
                       none + x1.y,
                       none + x2.z,
                       none + 0.5 * (x1.x + x0.y),
                       none + 0.5 * (x2.x + x0.z),
                       none + 0.5 * (x2.y + x1.z)};
}

static inline void drag_terms(const tdi_potential_at *at, int32_t first, inputs *body,
                              const tdi_wmat3 *r, outputs *out) {
    const tdi_loads *l = &at->potential->loads;
    const td_real over = 1 / l->h;
    drag_inputs in;
    gather_drag(at, first, &in);
    const tdi_wmat3 past = read9(in.past), star_r = read9(in.star + 3);
    const tdi_wvec3 tip = read3(in.tip_area), areas = read3(in.tip_area + 3);
    const tdi_wsym3 area = turn_diagonal(&past, areas);
    const tdi_wide most = larger(larger(areas.x, areas.y), areas.z);
    const tdi_wvec3 t = tdi_wmat3_apply(r, tip);
    tdi_wvec3 still = tdi_wsub(read3(body->frame + 13), read3(in.star));
    still = tdi_wsub(tdi_wscale(still, tdi_wide_all(over)), read3(in.wind));
    tdi_wvec3 along = tdi_wscale(tdi_wsub(t, tdi_wmat3_apply(&star_r, tip)), tdi_wide_all(over));
    point p[2];
    for (int g = 0; g < 2; g++) {
        tdi_wvec3 u = tdi_wmadd(still, along, tdi_wide_all(tdi_drag_gauss[g]));
        p[g] = drag_at(&l->air, &area, most, u, l->h);
    }
    const tdi_wide g0 = tdi_wide_all(tdi_drag_gauss[0]), g1 = tdi_wide_all(tdi_drag_gauss[1]);
    tdi_wvec3 sum = tdi_wmadd(tdi_wscale(p[0].gradient, g0), p[1].gradient, g1);
    tdi_wsym3 h1 = scale_sym(p[0].hessian, g0), k1 = scale_sym(p[1].hessian, g1);
    tdi_wsym3 once = tdi_wsym3_add(h1, k1);
    tdi_wsym3 twice = tdi_wsym3_add(scale_sym(h1, g0), scale_sym(k1, g1));
    out->a = tdi_wsym3_add(out->a, moved_a(&twice, t));
    out->drag_b = cross_sym(t, &once);
    out->drag_c = tdi_wsym3_add(p[0].hessian, p[1].hessian);
    out->n = tdi_wadd(out->n, tdi_wcross(t, sum));
    out->f = tdi_wadd(out->f, tdi_wadd(p[0].gradient, p[1].gradient));
    out->swing = tdi_wsym3_add(out->swing, swing_of(t, sum));
}

// ---- joints ---------------------------------------------------------------------------------

typedef struct turning { // as tdi_ball_turn
    tdi_wvec3 a;
    tdi_wide b;
} turning;

static inline tdi_wvec3 ball_rate_back(const turning *turn, tdi_wvec3 v) { // J^-T v
    tdi_wvec3 av = tdi_wcross(turn->a, v);
    return tdi_wmadd(tdi_wmadd(v, av, tdi_wide_all(-0.5)), tdi_wcross(turn->a, av), turn->b);
}

static inline tdi_wvec3 times(tdi_wvec3 a, tdi_wvec3 b) {
    return (tdi_wvec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline tdi_wide half_growth(tdi_wide s) {
    tdi_wide s2 = s * s;
    return (1 + s * (1.0 / 6)) + s2 * (3.0 / 40 + s * (5.0 / 112)) +
           s2 * s2 * (35.0 / 1152 + s * (63.0 / 2816) + s2 * (231.0 / 13312));
}

static inline tdi_wsym3 near_stiffness(tdi_wvec3 a, tdi_wvec3 k) {
    const tdi_wide one = tdi_wide_all(1);
    tdi_wvec3 h = tdi_wscale(a, tdi_wide_all(0.5));
    tdi_wsym3 s = tdi_wsym3_square((tdi_wvec3){one, -h.z, h.y}, k.x);
    s = tdi_wsym3_add(s, tdi_wsym3_square((tdi_wvec3){h.z, one, -h.x}, k.y));
    return tdi_wsym3_add(s, tdi_wsym3_square((tdi_wvec3){-h.y, h.x, one}, k.z));
}

static inline tdi_wsym3 pull_back_stiffness(const turning *turn, tdi_wvec3 k) {
    const tdi_wide none = tdi_wide_all(0), one = tdi_wide_all(1);
    tdi_wsym3 s = {none, none, none, none, none, none};
    s = tdi_wsym3_add(s, tdi_wsym3_square(ball_rate_back(turn, (tdi_wvec3){one, none, none}), k.x));
    s = tdi_wsym3_add(s, tdi_wsym3_square(ball_rate_back(turn, (tdi_wvec3){none, one, none}), k.y));
    return tdi_wsym3_add(s,
                         tdi_wsym3_square(ball_rate_back(turn, (tdi_wvec3){none, none, one}), k.z));
}

static inline tdi_wsym3 ball_second(const turning *turn, tdi_wvec3 t) { // up to 0.2 rad
    const tdi_wvec3 a = turn->a;
    const tdi_wide b = turn->b, t2 = tdi_wdot(a, a), p = 2 * b * (1 - b * t2);
    const tdi_wide slope =
        1.0 / 720 + t2 * (2.0 / 30240 + t2 * (3.0 / 1209600 + t2 * (4.0 / 47900160)));
    const tdi_wide r = 2 * (b * b + slope);
    tdi_wvec3 v = tdi_wmadd(tdi_wscale(t, p), a, r * tdi_wdot(t, a));
    return swing_of(a, tdi_wmadd(v, tdi_wcross(t, a), b));
}

static inline tdi_wsym3 turn_sym(const tdi_wmat3 *r, const tdi_wsym3 *s) {
    tdi_wmat3 t = mul_sym(r, s);
    tdi_wvec3 t0 = tdi_wmat3_row(&t, 0), t1 = tdi_wmat3_row(&t, 1), t2 = tdi_wmat3_row(&t, 2);
    tdi_wvec3 r0 = tdi_wmat3_row(r, 0), r1 = tdi_wmat3_row(r, 1), r2 = tdi_wmat3_row(r, 2);
    return (tdi_wsym3){tdi_wdot(t0, r0), tdi_wdot(t1, r1), tdi_wdot(t2, r2),
                       tdi_wdot(t0, r1), tdi_wdot(t0, r2), tdi_wdot(t1, r2)};
}

static inline tdi_mask joint_terms(const tdi_potential *p, inputs *in, const tdi_wmat3 *r,
                                   outputs *out) {
    const td_real spring = p->spring * p->stiffness;
    const tdi_wide spring_w = tdi_wide_all(spring), damp = tdi_wide_all(p->damp);
    const tdi_wvec3 u = read3(in->q + 1), stiffness = read3(in->body + 10);
    const tdi_wvec3 damping = read3(in->body + 13);
    const tdi_wide none = tdi_wide_all(0), s = tdi_wdot(u, u), growth = half_growth(s);
    const tdi_mask back = tdi_wide_load(in->q[0]) < none;
    const tdi_wide scale = tdi_wide_select(back, -2 * growth, 2 * growth), t2 = scale * scale * s;
    const turning turn = {tdi_wscale(u, scale),
                          1.0 / 12 + t2 * (1.0 / 720 + t2 * (1.0 / 30240 + t2 / 1209600))};
    tdi_wvec3 rate = tdi_wsub(turn.a, read3(in->rest));
    tdi_wvec3 t = tdi_wscale(times(stiffness, turn.a), spring_w);
    t = tdi_wmadd(t, times(damping, rate), damp);
    tdi_wvec3 own = ball_rate_back(&turn, t);
    out->g = tdi_wmat3_apply(r, own);
    tdi_wvec3 k = tdi_wmadd(tdi_wscale(stiffness, spring_w), damping, damp);
    tdi_mask small = tdi_wdot(turn.a, turn.a) < tdi_wide_all(TDI_SMALL_ANGLE2);
    tdi_wsym3 at = near_stiffness(turn.a, k);
    if (tdi_mask_any(~small)) {
        at = select_sym(small, at, pull_back_stiffness(&turn, k));
    }
    at = tdi_wsym3_add(at, ball_second(&turn, t));
    out->ball = turn_sym(r, &at);
    return ~(s < tdi_wide_all(TDI_SERIES_S));
}

// ---- scattering -----------------------------------------------------------------------------

static inline td_vec3 lane3(const tdi_wvec3 *v, int lane) {
    return tdi_vec3(v->x[lane], v->y[lane], v->z[lane]);
}

static inline td_sym3 lane_sym(const tdi_wsym3 *s, int lane) {
    return (td_sym3){s->xx[lane], s->yy[lane], s->zz[lane], s->xy[lane], s->xz[lane], s->yz[lane]};
}

static inline void add_drag(const outputs *out, int lane, tdi_block *block) {
    for (int k = 0; k < 9; k++) {
        block->b.m[k] += out->drag_b.m[k][lane];
    }
    block->c = tdi_sym3_add(block->c, lane_sym(&out->drag_c, lane));
}

static inline void scatter(const outputs *out, bool drag, tdi_term *terms) {
    for (int lane = 0; lane < TDI_LANES; lane++) {
        tdi_term *t = &terms[lane];
        td_vec3 c = lane3(&out->c, lane), g = lane3(&out->g, lane);
        td_real mass = out->mass[lane];
        t->block.a = lane_sym(&out->a, lane);
        t->block.b = (tdi_mat3){{0, -c.z, c.y, c.z, 0, -c.x, -c.y, c.x, 0}};
        t->block.c = tdi_sym3_diagonal(mass, mass, mass);
        if (drag) {
            add_drag(out, lane, &t->block);
        }
        t->load.n = lane3(&out->n, lane);
        t->load.f = t->pull = lane3(&out->f, lane);
        t->swing = lane_sym(&out->swing, lane);
        t->ball = lane_sym(&out->ball, lane);
        t->g[0] = g.x;
        t->g[1] = g.y;
        t->g[2] = g.z;
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void fill(const tdi_potential_at *at, int32_t first, tdi_term *terms, uint32_t *left_out) {
    inputs in;
    outputs out;
    gather(at, first, &in);
    const tdi_wmat3 r = read9(in.frame + 4);
    const bool drag = tdi_has_drag(&at->potential->loads);
    body_terms(at->potential, &in, &r, &out);
    if (drag) {
        drag_terms(at, first, &in, &r, &out);
    }
    tdi_mask far = joint_terms(at->potential, &in, &r, &out);
    scatter(&out, drag, terms);
    *left_out = 0;
    for (int lane = 0; lane < TDI_LANES; lane++) {
        *left_out |= far[lane] != 0 ? 1u << lane : 0;
    }
}
