// SPDX-License-Identifier: MIT
// Inertia, stretching, bending, twisting, drag and loads of a rod network, as values and as
// gradients and Hessians of the nodes.
//
// Damping acts on the strains: with the rate (s - s*)/h' of a strain s and the time T of the
// material, spring and damper together are one spring of stiffness K c about another rest,
//   c = stiffness + damping T/h',   rest' = (stiffness rest + damping T/h' s*)/c.

#include "rod/terms.h"

#include "load/drag.h"
#include "rod/rest_frame.h"
#include "rod/element.h"
#include "rod/solve.h"
#include "rod/state.h"

#include <math.h>
#include <string.h>

// ---- springs with their damping -------------------------------------------------------------

typedef struct spring {
    td_real k;    // N/m of the edge
    td_real rest; // m
    tdi_joint_law law;
} spring;

static inline spring spring_of(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    const td_real *history = s->rule[i].strain_history;
    td_real own = p->stiffness, damp = p->damping * n->damping_time * p->over_h, c = own + damp;
    td_real a = c > 0 ? own / c : 1, b = 1 - a;
    spring out = {c * n->stretch, a * n->length + b * history[3], n->law};
    for (int k = 0; k < 3; k++) {
        out.law.bend[k] *= c;
        out.law.rest[k] = a * n->law.rest[k] + b * history[k];
    }
    out.law.twist *= c;
    return out;
}

// ---- plain terms ----------------------------------------------------------------------------

static inline td_vec3 away(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i) {
    return tdi_sub(tdi_sub(s->pose[i].x, s->rule[i].predictor), p->fall);
}

// k/2 (|f| - l)^2: gradient k (|f| - l) t, Hessian k tt + k (1 - l/|f|)(I - tt)
// At a guess the pull of the Hessian is that of the last step's length: vertices that a guess moves
// straight on lengthen edges, to second order, which of stiff ones is a pull far from that after
// the increments.
static inline void add_stretch(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i,
                               const spring *sp, td_real gradient[3], td_real *h, int stride) {
    const tdi_edge *f = &s->pose[i].edge;
    const td_real length = p->guessed ? s->history.past[i].strain[3] : f->length;
    td_real pull = sp->k * (f->length - sp->rest), across = sp->k * (length - sp->rest) / f->length;
    across = p->whole || across > 0 ? across : 0;
    td_real along = sp->k - across;
    const td_real t[3] = {f->t.x, f->t.y, f->t.z};
    for (int k = 0; k < 3; k++) {
        gradient[k] += pull * t[k];
        for (int l = k; l < 3; l++) {
            h[k * stride + l] += along * t[k] * t[l] + (k == l ? across : 0);
        }
    }
}

static void joint_term(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i,
                       const spring *sp, tdi_joint_term *out) {
    tdi_rod_joint_derive(s, i, &sp->law, p->whole, out);
}

// Inertia and weight of the vertex, shared mass, and the inertia of the edge about itself.
static inline void add_inertia_slope(const tdi_rod_state *s, const tdi_rod_potential *p,
                                     int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    td_real *r = s->work[i].r;
    if (p->inertia == 0) {
        r[0] -= n->weight * p->gravity.x;
        r[1] -= n->weight * p->gravity.y;
        r[2] -= n->weight * p->gravity.z;
        return;
    }
    const td_vec3 off = away(s, p, i);
    td_vec3 a = tdi_scale(off, p->inertia * n->mass);
    if (n->shared != 0) {
        td_real shared = p->inertia * n->shared, *up = s->work[n->parent].r;
        a = tdi_madd(a, away(s, p, n->parent), shared);
        up[0] += shared * off.x;
        up[1] += shared * off.y;
        up[2] += shared * off.z;
    }
    r[0] += a.x;
    r[1] += a.y;
    r[2] += a.z;
    r[3] += p->inertia * n->inertia * (s->turn[i] - s->rule[i].turn_predictor);
}

static inline void add_inertia_bow(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    tdi_rod_work *w = &s->work[i];
    const td_real m = p->inertia * n->mass + p->shift * n->shift_mass,
                  shared = p->inertia * n->shared;
    w->d[0][0] += m;
    w->d[1][1] += m;
    w->d[2][2] += m;
    w->d[3][3] += p->inertia * n->inertia + p->shift * n->shift_mass * n->length * n->length;
    if (n->ring == TD_NONE) {
        w->p[0][0] += shared;
        w->p[1][1] += shared;
        w->p[2][2] += shared;
    } else if (shared != 0) {
        td_real block[4][4] = {{shared}, {0, shared}, {0, 0, shared}};
        tdi_rod_block_add(s, i, n->parent, block);
    }
}

// e = x_p - x_g, f = x_i - x_p: what an element of a node without offset or body adds to the nodes.
static inline void scatter_slope(const tdi_rod_state *s, const tdi_rod_node *n, int32_t i,
                                 const td_real *g) {
    td_real *r = s->work[i].r, *up = s->work[n->parent].r, *far = s->work[n->grand].r;
    for (int k = 0; k < 3; k++) {
        r[k] += g[TDI_EDGE_F + k];
        up[k] += g[k] - g[TDI_EDGE_F + k];
        far[k] -= g[k];
    }
    r[3] += g[TDI_TURN_F];
    up[3] += g[TDI_TURN_E];
}

// With the 4x4 blocks A of e, B of e and f, C of f, each with its turn last, and J = diag(1, 1, 1,
// 0):
//   node    D += C,  P += B^T - C J,  G -= B^T J
//   parent  D += A - B J - J B^T + J C J,  P += J B^T J - A J
//   grand   D += J A J
// Only A and C of upper halves are filled.
static void scatter_plain(const tdi_rod_state *s, int32_t i, tdi_joint_term *t) {
    const tdi_rod_node *n = &s->model->node[i];
    tdi_rod_work *w = &s->work[i], *up = &s->work[n->parent], *far = &s->work[n->grand];
    td_real(*h)[TDI_JOINT_VARIABLES] = t->hessian, back[4][4];
    static const td_real j[4] = {1, 1, 1, 0};
    scatter_slope(s, n, i, t->gradient);
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++) {
            back[k][l] = h[l][4 + k];
        }
    }
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < k; l++) {
            h[k][l] = h[l][k];
            h[4 + k][4 + l] = h[4 + l][4 + k];
        }
    }
    for (int k = 0; k < 4; k++) {
        for (int l = 0; l < 4; l++) {
            const td_real a = h[k][l], b = h[k][4 + l], c = h[4 + k][4 + l], bt = back[k][l];
            w->d[k][l] += c;
            w->p[k][l] += bt - c * j[l];
            w->g[k][l] -= bt * j[l];
            up->d[k][l] += a - b * j[l] - j[k] * (bt - c * j[l]);
            up->p[k][l] += (j[k] * bt - a) * j[l];
            far->d[k][l] += j[k] * a * j[l];
        }
    }
}

// ---- bodies ---------------------------------------------------------------------------------

// R S D^T with D = R - R^: the moment of the inertia is twice its axial part
static inline tdi_mat3 spread(const tdi_weld *b, const tdi_mat3 *r, const tdi_mat3 *off) {
    tdi_mat3 rs = tdi_mat3_mul_sym(r, &b->second);
    return tdi_mat3_mul_t(off, &rs); // off (R S)^T = off S R^T
}

static inline td_vec3 body_away(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i) {
    td_vec3 predictor = s->weld_rule[s->model->node[i].body].predictor;
    return tdi_sub(tdi_sub(tdi_rod_start(s->model, s->pose, i), predictor), p->fall);
}

static inline tdi_mat3 turned_away(const tdi_mat3 *r, const tdi_mat3 *predictor) {
    tdi_mat3 d;
    for (int k = 0; k < 9; k++) {
        d.m[k] = r->m[k] - predictor->m[k];
    }
    return d;
}

// 1/2 [m |e|^2 + 2 e.(D mc) + tr(D S D^T)],  e = o - o^,  D = R - R^
static void add_body(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i,
                     tdi_rod_element *el) {
    const int32_t k = s->model->node[i].body;
    const tdi_weld *b = &s->model->weld[k];
    const tdi_edge *edge = &s->pose[i].edge;
    const tdi_edge_jacobian jacobian = tdi_edge_jacobian_of(edge);
    const tdi_mat3 r = tdi_edge_axes(edge);
    const td_vec3 lever = tdi_mat3_apply(&r, b->moment);
    td_sym3 about = tdi_sym3_turn(&r, &b->second), inertia = tdi_sym3_inertia(about);
    td_vec3 force, moment;
    tdi_mat3 q; // of tdi_turning_second_derivative()
    td_real c = p->inertia + p->shift;
    if (p->inertia > 0) {
        const tdi_mat3 off = turned_away(&r, &s->weld_rule[k].predictor_r),
                       product = spread(b, &r, &off);
        td_vec3 e = body_away(s, p, i);
        force = tdi_add(tdi_scale(e, b->mass), tdi_mat3_apply(&off, b->moment));
        moment = tdi_add(tdi_cross(lever, e), tdi_mat3_axial(&product));
        force = tdi_scale(force, p->inertia);
        moment = tdi_scale(moment, p->inertia);
        q = tdi_mat3_outer(e, lever);
        for (int j = 0; j < 9; j++) {
            q.m[j] = p->inertia * (q.m[j] + product.m[j]);
        }
    } else {
        force = tdi_scale(p->gravity, -b->mass);
        moment = tdi_cross(p->gravity, lever);
        q = tdi_mat3_outer(tdi_scale(p->gravity, -1), lever);
    }
    inertia = tdi_sym3_scale(inertia, c);
    tdi_element_add_body(el, &jacobian, c * b->mass, tdi_scale(lever, c), &inertia, force, moment);
    if (p->whole) {
        tdi_element_add_second_derivative(el, false, edge, moment, &q);
    }
}

static td_real body_value(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i) {
    const int32_t k = s->model->node[i].body;
    const tdi_weld *b = &s->model->weld[k];
    const tdi_mat3 r = tdi_edge_axes(&s->pose[i].edge);
    if (p->inertia == 0) {
        td_vec3 lever = tdi_mat3_apply(&r, b->moment);
        td_vec3 start = tdi_rod_start(s->model, s->pose, i);
        return -tdi_dot(p->gravity, tdi_madd(lever, start, b->mass));
    }
    const tdi_mat3 off = turned_away(&r, &s->weld_rule[k].predictor_r),
                   spread_off = tdi_mat3_mul_sym(&off, &b->second);
    td_vec3 e = body_away(s, p, i);
    td_real trace = 0;
    for (int j = 0; j < 9; j++) {
        trace += spread_off.m[j] * off.m[j];
    }
    return 0.5 * p->inertia *
           (b->mass * tdi_dot(e, e) + 2 * tdi_dot(e, tdi_mat3_apply(&off, b->moment)) + trace);
}

// ---- drag -----------------------------------------------------------------------------------

static inline bool has_drag(const tdi_rod_potential *p) {
    return p->over_h > 0 && (p->air.linear > 0 || p->air.quadratic > 0);
}

// Start of the edge and the edge itself, less where the rule takes them from: times 1/h' they are
// velocities.
typedef struct moved {
    td_vec3 start, edge;
} moved;

static moved moved_of(const tdi_rod_state *s, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    td_vec3 start = tdi_rod_start(s->model, s->pose, i), edge = tdi_sub(s->pose[i].x, start);
    td_vec3 from = n->flags & TDI_BODY ? s->weld_rule[n->body].history : s->rule[n->parent].history;
    return (moved){tdi_sub(start, from), tdi_sub(edge, tdi_sub(s->rule[i].history, from))};
}

// The term h' D of a dissipation, in J; nothing in statics.
static inline tdi_rate_factors rate_factors(const tdi_rod_potential *p) {
    return p->over_h > 0 ? (tdi_rate_factors){1 / p->over_h, 1, p->over_h}
                         : (tdi_rate_factors){0, 0, 0};
}

// Drag at both points of Gauss along the edge, each for half of the area. The areas are those of
// the step's beginning, which keeps the dissipation convex.
typedef struct drag_pair {
    tdi_drag at[2];
} drag_pair;

static drag_pair drag_of(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    const moved d = moved_of(s, i);
    const td_vec3 wind = p->winds ? p->winds[n->edge] : p->air.wind;
    const tdi_drag_area drag_area = tdi_drag_area_of(n->area, n->fold, &s->area_axes[n->edge]);
    const tdi_rate_factors whole = rate_factors(p);
    const tdi_rate_factors by = {0.5 * whole.value, 0.5 * whole.gradient, 0.5 * whole.hessian};
    drag_pair drag;
    for (int k = 0; k < 2; k++) {
        td_vec3 away = tdi_madd(d.start, d.edge, tdi_gauss_points[k]);
        td_vec3 u = tdi_sub(tdi_scale(away, p->over_h), wind);
        drag.at[k] = tdi_drag_of(&p->air, &drag_area, u, &by);
    }
    return drag;
}

static void add_symmetric(const tdi_rod_state *s, int32_t a, int32_t b, const td_sym3 *h) {
    td_real block[4][4] = {
        {h->xx, h->xy, h->xz}, {h->xy, h->yy, h->yz}, {h->xz, h->yz, h->zz}, {0}};
    tdi_rod_block_add(s, a, b, block);
}

// h' D(u); du/dx = 1/h'
static void add_drag(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i,
                     tdi_rod_element *el) {
    const tdi_edge_jacobian jacobian = tdi_edge_jacobian_of(&s->pose[i].edge);
    const drag_pair drag = drag_of(s, p, i);
    for (int k = 0; k < 2; k++) {
        tdi_element_add_point(el, &jacobian, tdi_gauss_points[k], tdi_vec3(0, 0, 0),
                              drag.at[k].gradient, &drag.at[k].hessian);
    }
}

// Likewise of an edge that simply lies between two vertices, which see parts 1 - c and c of it.
static void add_drag_between(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    const drag_pair drag = drag_of(s, p, i);
    td_real *r = s->work[i].r, *up = s->work[n->parent].r;
    td_sym3 here = {0}, there = {0}, both = {0};
    for (int k = 0; k < 2; k++) {
        const td_real c = tdi_gauss_points[k], o = 1 - c;
        const td_vec3 g = drag.at[k].gradient;
        const td_sym3 h = drag.at[k].hessian;
        r[0] += c * g.x;
        r[1] += c * g.y;
        r[2] += c * g.z;
        up[0] += o * g.x;
        up[1] += o * g.y;
        up[2] += o * g.z;
        here = tdi_sym3_add(here, tdi_sym3_scale(h, c * c));
        both = tdi_sym3_add(both, tdi_sym3_scale(h, c * o));
        there = tdi_sym3_add(there, tdi_sym3_scale(h, o * o));
    }
    if (!p->only_gradient) {
        add_symmetric(s, i, i, &here);
        add_symmetric(s, i, n->parent, &both);
        add_symmetric(s, n->parent, n->parent, &there);
    }
}

static td_real drag_value(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i) {
    const drag_pair drag = drag_of(s, p, i);
    return drag.at[0].value + drag.at[1].value;
}

// ---- a node ---------------------------------------------------------------------------------

// The edge goes from vertex to vertex and carries nothing.
static inline bool lies_between(const tdi_rod_node *n) {
    return !(n->flags & (TDI_OFFSET | TDI_BODY));
}

static void element_of(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i,
                       const spring *sp, const tdi_joint_term *joint, tdi_rod_element *el) {
    const tdi_rod_node *n = &s->model->node[i];
    memset(el, 0, sizeof *el);
    static const int at[TDI_JOINT_VARIABLES] = {TDI_E, TDI_E + 1, TDI_E + 2, TDI_SPIN_E,
                                                TDI_F, TDI_F + 1, TDI_F + 2, TDI_SPIN_F};
    for (int k = 0; k < TDI_JOINT_VARIABLES; k++) {
        el->gradient[at[k]] = joint->gradient[k];
        for (int l = k; l < TDI_JOINT_VARIABLES; l++) {
            int low = at[k] < at[l] ? at[k] : at[l], high = at[k] < at[l] ? at[l] : at[k];
            el->hessian[low][high] = joint->hessian[k][l];
        }
    }
    add_stretch(s, p, i, sp, el->gradient + TDI_F, &el->hessian[TDI_F][TDI_F], TDI_ELEMENT);
    if (n->flags & TDI_BODY) {
        add_body(s, p, i, el);
    }
    if (has_drag(p) && n->edge != TD_NONE && !lies_between(n)) {
        add_drag(s, p, i, el);
    }
    if (n->flags & TDI_OFFSET) {
        tdi_element_move(el, &s->pose[n->parent].edge, tdi_rod_lever(s->model, s->pose, i),
                         p->whole);
    }
}

static inline bool is_plain(const tdi_rod_node *n) {
    return tdi_has_joint(n) && n->ring == TD_NONE && lies_between(n);
}

// The gradient alone of a node that is plain and has no rest frame.
static void plain_slope(const tdi_rod_state *s, int32_t i, const spring *sp) {
    const tdi_rod_node *n = &s->model->node[i];
    const tdi_rod_pose *pose = &s->pose[i];
    const tdi_joint_strain strain = {pose->kb, pose->chi,       pose->k1,
                                     pose->k2, pose->twist_sin, pose->twist_cos};
    td_real g[TDI_JOINT_VARIABLES], pull = sp->k * (pose->edge.length - sp->rest);
    tdi_joint_slope(&s->pose[n->parent].edge, &pose->edge, &sp->law, &strain, pose->twist, g);
    g[TDI_EDGE_F] += pull * pose->edge.t.x;
    g[TDI_EDGE_F + 1] += pull * pose->edge.t.y;
    g[TDI_EDGE_F + 2] += pull * pose->edge.t.z;
    scatter_slope(s, n, i, g);
}

void tdi_rod_node_terms(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    tdi_joint_term joint;
    add_inertia_slope(s, p, i);
    if (!p->only_gradient) {
        add_inertia_bow(s, p, i);
    }
    if (!tdi_has_edge(n)) {
        return;
    }
    const spring sp = spring_of(s, p, i);
    const bool plain = is_plain(n);
    if (has_drag(p) && n->edge != TD_NONE && lies_between(n)) {
        add_drag_between(s, p, i);
    }
    if (plain && p->only_gradient && !(n->flags & TDI_REST_FRAME)) {
        plain_slope(s, i, &sp);
        return;
    }
    if (tdi_has_joint(n)) {
        joint_term(s, p, i, &sp, &joint);
    } else {
        memset(&joint, 0, sizeof joint);
    }
    if (plain && !p->only_gradient) {
        add_stretch(s, p, i, &sp, joint.gradient + TDI_EDGE_F,
                    &joint.hessian[TDI_EDGE_F][TDI_EDGE_F], TDI_JOINT_VARIABLES);
        scatter_plain(s, i, &joint);
    } else {
        tdi_rod_element el;
        element_of(s, p, i, &sp, &joint, &el);
        tdi_element_scatter(&el, s, i, p->only_gradient);
    }
}

static td_real node_value(const tdi_rod_state *s, const tdi_rod_potential *p, int32_t i) {
    const tdi_rod_node *n = &s->model->node[i];
    const tdi_rod_pose *pose = &s->pose[i];
    td_real value;
    if (p->inertia > 0) {
        td_vec3 a = away(s, p, i);
        td_real turn = s->turn[i] - s->rule[i].turn_predictor;
        value = 0.5 * p->inertia * (n->mass * tdi_dot(a, a) + n->inertia * turn * turn);
        if (n->shared != 0) {
            value += p->inertia * n->shared * tdi_dot(a, away(s, p, n->parent));
        }
    } else {
        value = -n->weight * tdi_dot(p->gravity, pose->x);
    }
    if (!tdi_has_edge(n)) {
        return value;
    }
    const spring sp = spring_of(s, p, i);
    td_real d = pose->edge.length - sp.rest;
    value += 0.5 * sp.k * d * d;
    if (tdi_has_joint(n)) {
        tdi_joint_strain strain = {pose->kb, pose->chi, pose->k1, pose->k2, 0, 1};
        value += tdi_joint_energy(&sp.law, &strain, pose->twist);
    }
    value += n->flags & TDI_BODY ? body_value(s, p, i) : 0;
    return value + (has_drag(p) && n->edge != TD_NONE ? drag_value(s, p, i) : 0);
}

// ---- loads ----------------------------------------------------------------------------------

// Where the rule takes the lever of a point from: that of the step's beginning, carried along with
// the edge and turned by what the rule says of its turn.
static td_vec3 lever_history(const tdi_rod_state *s, int32_t i, td_vec3 beside) {
    const tdi_rod_node *n = &s->model->node[i];
    if (n->flags & TDI_BODY) {
        return tdi_mat3_apply(&s->weld_rule[n->body].history_r, beside);
    }
    const tdi_mat3 *axes = &s->area_axes[n->edge];
    td_vec3 then = tdi_mat3_column(axes, 1);
    td_vec3 t = tdi_unit_or(tdi_sub(s->rule[i].history, s->rule[n->parent].history), then);
    const td_vec3 across = {beside.x, 0, beside.z};
    td_vec3 r = tdi_transport(tdi_mat3_apply(axes, across), then, t);
    r = tdi_madd(r, tdi_cross(t, r), s->rule[i].turn_history);
    return tdi_madd(r, t, beside.y);
}

tdi_rod_spot tdi_rod_spot_of(const tdi_rod_state *s, int32_t segment, td_vec3 local, td_vec3 arm) {
    td_vec3 from;
    const int32_t edge = tdi_rod_edge_of(s->model, segment, &from);
    tdi_rod_spot a = {.node = s->model->edge_node[edge]};
    td_vec3 point = local;
    if (edge != segment) { // bodies fixed to the edge do not stretch with it
        point = tdi_vec3(0, 0, 0);
        arm = tdi_rod_on_edge(s->model, segment, tdi_add(local, arm));
    }
    const tdi_edge *e = &s->pose[a.node].edge;
    const tdi_mat3 axes = tdi_edge_axes(e);
    a.share = point.y / s->model->node[a.node].length;
    a.beside = tdi_vec3(point.x + arm.x, arm.y, point.z + arm.z);
    a.r = tdi_mat3_apply(&axes, a.beside);
    a.x = tdi_madd(tdi_rod_start(s->model, s->pose, a.node), e->t, a.share * e->length);
    a.x = tdi_add(a.x, a.r);
    return a;
}

td_vec3 tdi_rod_spot_moved(const tdi_rod_state *s, const tdi_rod_spot *a) {
    const moved d = moved_of(s, a->node);
    return tdi_add(tdi_madd(d.start, d.edge, a->share),
                   tdi_sub(a->r, lever_history(s, a->node, a->beside)));
}

// An edge that starts beside its parent moves with it.
static void scatter_edge(const tdi_rod_state *s, int32_t i, tdi_rod_element *el, bool whole,
                         bool only_gradient) {
    const tdi_rod_node *n = &s->model->node[i];
    if (n->flags & TDI_OFFSET) {
        tdi_element_move(el, &s->pose[n->parent].edge, tdi_rod_lever(s->model, s->pose, i), whole);
    }
    tdi_element_scatter(el, s, i, only_gradient);
}

void tdi_rod_spot_add(const tdi_rod_state *s, const tdi_rod_spot *a, td_vec3 gradient,
                      const td_sym3 *hessian, bool whole, bool only_gradient) {
    const tdi_edge *edge = &s->pose[a->node].edge;
    const tdi_edge_jacobian jacobian = tdi_edge_jacobian_of(edge);
    tdi_rod_element el = {0};
    tdi_element_add_point(&el, &jacobian, a->share, a->r, gradient, hessian);
    if (whole) {
        const tdi_mat3 q = tdi_mat3_outer(gradient, a->r);
        tdi_element_add_second_derivative(&el, false, edge, tdi_cross(a->r, gradient), &q);
    }
    scatter_edge(s, a->node, &el, whole, only_gradient);
}

// In J.
static tdi_point_term load_term(const tdi_rod_state *s, const td_load *l,
                                const tdi_rod_potential *p, const tdi_rod_spot *a) {
    const tdi_rate_factors by = rate_factors(p);
    const td_vec3 u = tdi_scale(tdi_rod_spot_moved(s, a), p->over_h);
    return tdi_point_load(l, a->x, u, 1, &by);
}

void tdi_rod_load_terms(const tdi_rod_state *s, const tdi_rod_potential *p) {
    for (int32_t k = 0; k < p->load_count; k++) {
        const td_load *l = &p->loads[k];
        const tdi_rod_spot a = tdi_rod_spot_of(s, l->segment, l->point, tdi_vec3(0, 0, 0));
        if (l->kind == TD_LOAD_TORQUE) {
            const tdi_edge_jacobian jacobian = tdi_edge_jacobian_of(&s->pose[a.node].edge);
            tdi_rod_element el = {0};
            tdi_element_add_moment(&el, &jacobian, tdi_scale(l->vector, -1));
            scatter_edge(s, a.node, &el, p->whole, p->only_gradient);
        } else {
            const tdi_point_term t = load_term(s, l, p, &a);
            tdi_rod_spot_add(s, &a, t.gradient, &t.hessian, p->whole, p->only_gradient);
        }
    }
}

static td_real torque_value(const tdi_rod_state *s, const td_load *l) {
    td_vec3 from;
    const int32_t i = s->model->edge_node[tdi_rod_edge_of(s->model, l->segment, &from)];
    tdi_mat3 now = tdi_edge_axes(&s->pose[i].edge), then = tdi_edge_axes(&s->pose_back[i].edge);
    return tdi_torque_value(l, &now, &then);
}

td_real tdi_rod_value(const tdi_rod_state *s, const tdi_rod_potential *p) {
    td_real value = 0;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        value += node_value(s, p, i);
    }
    for (int32_t k = 0; k < p->load_count; k++) {
        const td_load *l = &p->loads[k];
        if (l->kind == TD_LOAD_TORQUE) {
            value += torque_value(s, l);
        } else {
            const tdi_rod_spot a = tdi_rod_spot_of(s, l->segment, l->point, tdi_vec3(0, 0, 0));
            value += load_term(s, l, p, &a).value;
        }
    }
    return value;
}
