// SPDX-License-Identifier: MIT
// Motions and inertias of a tree of helices.
//
// A station of mass m, first moment c and inertia tensor J about its place, with the turning rate
// w, takes the moment and the force
//   J alpha + c x a + w x J w,   m a + alpha x c + w x (w x c)
// and with its arm on the element these are moments and forces on start and curvatures.

#include "published/helix.h"

#include "load/drag.h"

// ---- kinematics -----------------------------------------------------------------------------

// a + alpha x r, with the part that comes of turning
static td_vec3 carried_along(td_vec3 alpha, td_vec3 w, td_vec3 r) {
    return tdi_add(tdi_cross(alpha, r), tdi_cross(w, tdi_cross(w, r)));
}

void tdi_helix_arm_at(const tdi_helix_moving *start, td_vec3 u, td_vec3 rate, td_real s,
                      td_vec3 offset, tdi_helix_arm *arm) {
    tdi_helix_jet jet;
    td_vec3 place_rate, turn_rate;
    tdi_helix_jet_at(u, s, false, &jet);
    tdi_helix_drift(&jet, rate, &place_rate, &turn_rate);
    const td_vec3 w = start->rate.spin, r = tdi_mat3_apply(&start->r, jet.x);
    for (int k = 0; k < 3; k++) {
        arm->turn[k] = tdi_mat3_apply(&start->r, jet.turn[k]);
        arm->move[k] = tdi_mat3_apply(&start->r, jet.dx[k]);
    }
    const td_vec3 turned = tdi_helix_combine(arm->turn, rate),
                  moved = tdi_helix_combine(arm->move, rate);
    const td_vec3 wr = tdi_cross(w, r);
    arm->r = r;
    arm->axes = tdi_mat3_mul(&start->r, &jet.r);
    arm->rate.spin = tdi_add(w, turned);
    arm->rate.velocity = tdi_add(start->rate.velocity, tdi_add(wr, moved));
    arm->turn_bias = tdi_add(tdi_cross(w, turned), tdi_mat3_apply(&start->r, turn_rate));
    arm->move_bias =
        tdi_add(tdi_cross(w, tdi_madd(wr, moved, 2)), tdi_mat3_apply(&start->r, place_rate));
    if (offset.x != 0 || offset.y != 0 || offset.z != 0) {
        const td_vec3 p = tdi_mat3_apply(&arm->axes, offset);
        for (int k = 0; k < 3; k++) {
            arm->move[k] = tdi_add(arm->move[k], tdi_cross(arm->turn[k], p));
        }
        arm->r = tdi_add(r, p);
        arm->rate.velocity = tdi_add(arm->rate.velocity, tdi_cross(arm->rate.spin, p));
        arm->move_bias = tdi_add(arm->move_bias, carried_along(arm->turn_bias, arm->rate.spin, p));
    }
}

tdi_helix_moving tdi_helix_follow(const tdi_helix_element *e, const tdi_helix_arm *arm,
                                  const tdi_helix_moving *parent, td_vec3 acceleration) {
    const td_vec3 turn = tdi_helix_combine(arm->turn, acceleration),
                  move = tdi_helix_combine(arm->move, acceleration);
    tdi_helix_moving m = {.o = tdi_add(parent->o, arm->r),
                          .r = tdi_mat3_mul(&arm->axes, &e->turn),
                          .rate = arm->rate};
    m.spin_rate = tdi_add(parent->spin_rate, tdi_add(turn, arm->turn_bias));
    m.acceleration = tdi_add(tdi_add(parent->acceleration, tdi_cross(parent->spin_rate, arm->r)),
                             tdi_add(move, arm->move_bias));
    return m;
}

// Position and motion of the start of a root, for a given motion of the base. The start of a
// clamped root has the acceleration of the base; the unknowns of pinned and free roots add to it.
static tdi_helix_moving root_motion(const tdi_helix_state *s, const tdi_helix_forward_opts *with,
                                    int32_t i, const td_base_motion *base) {
    const tdi_helix_element *e = &s->model->element[i];
    const tdi_mat3 axes = tdi_mat3_from_quat(base->rotation);
    const td_vec3 p = tdi_mat3_apply(&axes, e->place);
    tdi_helix_moving m = {.o = tdi_add(base->position, p),
                          .r = tdi_mat3_mul(&axes, &e->turn),
                          .rate = {base->spin, tdi_add(base->velocity, tdi_cross(base->spin, p))},
                          .spin_rate = base->spin_rate};
    m.acceleration = tdi_add(tdi_sub(base->acceleration, with->opts->gravity),
                             carried_along(base->spin_rate, base->spin, p));
    return m;
}

// What is pinned or free is where it is, and has rates of its own.
static tdi_helix_moving root_now(const tdi_helix_state *s, const tdi_helix_forward_opts *with,
                                 int32_t i) {
    const td_end_kind kind = s->model->element[i].root;
    const tdi_rate own = s->root_rate[s->root_place[i]];
    tdi_helix_moving m = root_motion(s, with, i, &s->head.base);
    if (kind != TD_END_CLAMPED) {
        m.r = s->pose.start[i].r;
        m.rate.spin = own.spin;
    }
    if (kind == TD_END_FREE) {
        m.o = s->pose.start[i].o;
        m.rate.velocity = own.velocity;
    }
    return m;
}

static void find_motions(tdi_helix_state *s, const tdi_helix_forward_opts *with) {
    for (int32_t i = 0; i < s->model->element_count; i++) {
        const tdi_helix_element *e = &s->model->element[i];
        tdi_helix_work *w = &tdi_helix_works(s)[i];
        w->u = s->pose.u[i];
        w->rate = s->rate[i];
        if (!with->twist) {
            w->rate.y = 0;
        }
        if (e->parent == TD_NONE) {
            w->motion = root_now(s, with, i);
            continue;
        }
        const tdi_helix_work *up = &tdi_helix_works(s)[e->parent];
        tdi_helix_arm_at(&up->motion, up->u, up->rate, e->at, e->place, &w->arm);
        w->motion = tdi_helix_follow(e, &w->arm, &up->motion, tdi_vec3(0, 0, 0));
    }
}

// ---- inertia --------------------------------------------------------------------------------

// Sums over the stations of an element, about its start.
typedef struct lump {
    td_real m;
    td_vec3 c;
    td_sym3 s;
} lump;

// sym(a b^T), twice
static td_sym3 both(td_vec3 a, td_vec3 b) {
    return (td_sym3){2 * a.x * b.x,         2 * a.y * b.y,         2 * a.z * b.z,
                     a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x, a.y * b.z + a.z * b.y};
}

// sum over columns of turn_k.n, move_k.f
static td_vec3 along(const tdi_helix_arm *arm, td_vec3 n, td_vec3 f) {
    td_vec3 g;
    g.x = tdi_dot(arm->turn[0], n) + tdi_dot(arm->move[0], f);
    g.y = tdi_dot(arm->turn[1], n) + tdi_dot(arm->move[1], f);
    g.z = tdi_dot(arm->turn[2], n) + tdi_dot(arm->move[2], f);
    return g;
}

void tdi_helix_add_wrench(tdi_helix_inertia *to, const tdi_helix_arm *arm, td_vec3 n, td_vec3 f) {
    to->start.n = tdi_add(to->start.n, tdi_add(n, tdi_cross(arm->r, f)));
    to->start.f = tdi_add(to->start.f, f);
    to->g = tdi_add(to->g, along(arm, n, f));
}

void tdi_helix_add_columns(tdi_helix_inertia *to, const tdi_helix_arm *arm, const td_vec3 *n,
                           const td_vec3 *f) {
    for (int k = 0; k < 3; k++) {
        to->turn[k] = tdi_add(to->turn[k], tdi_add(n[k], tdi_cross(arm->r, f[k])));
        to->move[k] = tdi_add(to->move[k], f[k]);
    }
    to->own.xx += tdi_dot(arm->turn[0], n[0]) + tdi_dot(arm->move[0], f[0]);
    to->own.yy += tdi_dot(arm->turn[1], n[1]) + tdi_dot(arm->move[1], f[1]);
    to->own.zz += tdi_dot(arm->turn[2], n[2]) + tdi_dot(arm->move[2], f[2]);
    to->own.xy += tdi_dot(arm->turn[0], n[1]) + tdi_dot(arm->move[0], f[1]);
    to->own.xz += tdi_dot(arm->turn[0], n[2]) + tdi_dot(arm->move[0], f[2]);
    to->own.yz += tdi_dot(arm->turn[1], n[2]) + tdi_dot(arm->move[1], f[2]);
}

static void add_station(const tdi_helix_station *st, const tdi_helix_arm *arm,
                        tdi_helix_inertia *to, lump *sum) {
    const td_vec3 c = tdi_mat3_apply(&arm->axes, st->moment), w = arm->rate.spin;
    const td_sym3 second = tdi_sym3_turn(&arm->axes, &st->second);
    const td_sym3 inertia = tdi_sym3_inertia(second);
    td_vec3 n[3], f[3];
    for (int k = 0; k < 3; k++) {
        n[k] = tdi_add(tdi_sym3_apply(&inertia, arm->turn[k]), tdi_cross(c, arm->move[k]));
        f[k] = tdi_madd(tdi_cross(arm->turn[k], c), arm->move[k], st->mass);
    }
    tdi_helix_add_columns(to, arm, n, f);
    const td_vec3 spun = tdi_cross(w, tdi_sym3_apply(&inertia, w));
    const td_vec3 turned = tdi_sym3_apply(&inertia, arm->turn_bias);
    tdi_helix_add_wrench(to, arm, tdi_add(tdi_add(turned, spun), tdi_cross(c, arm->move_bias)),
                         tdi_madd(carried_along(arm->turn_bias, w, c), arm->move_bias, st->mass));
    sum->m += st->mass;
    sum->c = tdi_madd(tdi_add(sum->c, c), arm->r, st->mass);
    sum->s = tdi_sym3_add(sum->s, tdi_sym3_add(second, both(arm->r, c)));
    sum->s = tdi_sym3_add(sum->s, tdi_sym3_square(arm->r, st->mass));
}

static void own_inertia(tdi_helix_state *s, int32_t i) {
    const tdi_helix_element *e = &s->model->element[i];
    const tdi_helix_station *st = s->model->station + e->station_first;
    tdi_helix_work *w = &tdi_helix_works(s)[i];
    lump sum = {0};
    w->inertia = (tdi_helix_inertia){0};
    for (int32_t k = 0; k < e->station_count; k++) {
        tdi_helix_arm arm;
        tdi_helix_arm_at(&w->motion, w->u, w->rate, st[k].s, tdi_vec3(0, 0, 0), &arm);
        add_station(&st[k], &arm, &w->inertia, &sum);
    }
    w->inertia.start.a = tdi_sym3_inertia(sum.s);
    w->inertia.start.b = tdi_mat3_cross(sum.c);
    w->inertia.start.c = tdi_sym3_diagonal(sum.m, sum.m, sum.m);
}

// ---- loads ----------------------------------------------------------------------------------

static void arm_of(const tdi_helix_state *s, const tdi_helix_point *p, tdi_helix_arm *arm) {
    const tdi_helix_work *w = &tdi_helix_works(s)[p->element];
    tdi_helix_arm_at(&w->motion, w->u, w->rate, p->s, p->offset, arm);
}

static void add_load(tdi_helix_state *s, const td_load *l) {
    const tdi_rate_factors by = {.gradient = 1};
    const tdi_helix_rider *rider = &s->model->rider[l->segment];
    tdi_helix_point point = tdi_helix_point_of(s->model, l->segment, l->point);
    tdi_helix_arm arm;
    if (point.element == TD_NONE) {
        return;
    }
    if (l->kind == TD_LOAD_TORQUE) { // a segment's axes are those in its middle
        point = (tdi_helix_point){
            point.element, l->segment, 0.5 * (rider->from + rider->to), {0, 0, 0}};
    }
    arm_of(s, &point, &arm);
    tdi_helix_work *w = &tdi_helix_works(s)[point.element];
    if (l->kind == TD_LOAD_TORQUE) {
        tdi_helix_add_wrench(&w->inertia, &arm, tdi_scale(l->vector, -1), tdi_vec3(0, 0, 0));
        return;
    }
    const td_vec3 x = tdi_add(w->motion.o, arm.r);
    const tdi_point_term t = tdi_point_load(l, x, arm.rate.velocity, 1, &by);
    tdi_helix_add_wrench(&w->inertia, &arm, tdi_vec3(0, 0, 0), t.gradient);
}

static void add_drag(tdi_helix_state *s, const td_step_opts *o, const tdi_helix_vane *v) {
    const tdi_rate_factors by = {.gradient = 1};
    tdi_helix_arm arm;
    arm_of(s, &v->point, &arm);
    const tdi_mat3 turn = tdi_mat3_from_quat(v->turn);
    const tdi_mat3 axes = tdi_mat3_mul(&arm.axes, &turn);
    const tdi_drag_area area = tdi_drag_area_of(v->area, v->fold, &axes);
    const td_vec3 wind = o->winds ? o->winds[v->point.segment] : o->air.wind;
    const tdi_drag drag = tdi_drag_of(&o->air, &area, tdi_sub(arm.rate.velocity, wind), &by);
    tdi_helix_add_wrench(&tdi_helix_works(s)[v->point.element].inertia, &arm, tdi_vec3(0, 0, 0),
                         drag.gradient);
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_helix_equations(tdi_helix_state *s, const tdi_helix_forward_opts *with) {
    const tdi_helix_model *m = s->model;
    const td_step_opts *o = with->opts;
    const bool air = o->air.linear > 0 || o->air.quadratic > 0;
    find_motions(s, with);
    for (int32_t i = 0; i < m->element_count; i++) {
        own_inertia(s, i);
    }
    for (int32_t k = 0; k < o->load_count; k++) {
        add_load(s, &o->loads[k]);
    }
    for (int32_t k = 0; air && k < m->vane_count; k++) {
        add_drag(s, o, &m->vane[k]);
    }
}

void tdi_helix_bend(tdi_helix_work *w, const tdi_helix_forward_opts *with, td_vec3 acceleration) {
    w->acceleration = acceleration;
    w->rate = tdi_madd(w->rate, acceleration, with->h);
    w->u = tdi_madd(w->u, w->rate, with->h);
}

void tdi_helix_lead_root(const tdi_helix_state *s, const tdi_helix_forward_opts *with, int32_t i,
                         td_vec3 spin_rate, td_vec3 acceleration, const td_base_motion *base) {
    const td_end_kind kind = s->model->element[i].root;
    const td_real h = with->h;
    tdi_helix_work *w = &tdi_helix_works(s)[i];
    tdi_helix_moving now = w->motion, then = root_motion(s, with, i, base);
    w->motion = then;
    w->root = s->pose.root[s->root_place[i]];
    if (kind == TD_END_CLAMPED) {
        return;
    }
    const td_vec3 spin = tdi_madd(now.rate.spin, spin_rate, h);
    w->root.turn = tdi_quat_unit(tdi_quat_mul(tdi_turn_by(tdi_scale(spin, h)), w->root.turn));
    w->motion.r = tdi_mat3_from_quat(w->root.turn);
    w->motion.rate.spin = spin;
    w->motion.spin_rate = spin_rate;
    if (kind == TD_END_FREE) {
        const td_vec3 fall = tdi_add(acceleration, with->opts->gravity);
        w->motion.rate.velocity = tdi_madd(now.rate.velocity, fall, h);
        w->motion.o = tdi_madd(now.o, w->motion.rate.velocity, h);
        w->motion.acceleration = acceleration;
    }
    w->root.o = w->motion.o;
}
