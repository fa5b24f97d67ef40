// SPDX-License-Identifier: MIT
// Rows of constraints on trees.
//
// Points   x = o + p, p = R X; x' = v + w x p; x'' = a + e x p + w x (w x p): the last is `extra`.
// Frames   A weld is three points that coincide, a hinge two, a slider three that keep on lines: a
//          direction d of the second side sees c'' = d.(x1'' - x2'') - 2 d.(w2 x (x1' - x2')), x2
//          the point of the second side where x1 is. Rows are redundant; the solver shares forces.
// Distance c'' = n.(x1'' - x2'') + (|u|^2 - (n.u)^2)/|x1 - x2|, u = x1' - x2'.
// Ball     c' is the turning rate against the target, in the segment's own axes.
// Cone     c = cone - theta between +Y and its rest, which is p in the segment's own axes; with
//          n = +Y x p/sin theta  c' = n.w,  c'' = n.w' + (w_y p.w + cos theta (theta'^2 - w^2))/sin
//          theta.
// Twist    t = 2 atan2(y, w) of the quaternion (w, x, y, z); t' = g.w, t'' = g.w' + g'.w.

#include "published/analytic.h"

#include "base/diag.h"
#include "constrain/constrain.h"
#include "tree/joint.h"

#define TINY 1e-12 // sines of leaning angles that have no direction

// ---- sides ----------------------------------------------------------------------------------

typedef struct frame { // of a segment, or of the world's side
    int32_t tree, body;
    td_vec3 o, v, w, a; // a: of the world's side
    td_quat turn;
} frame;

typedef struct spot {
    td_vec3 x, v, extra;
} spot;

static frame frame_of(const td_analytic *a, const tdi_analytic_hold *h, int side, td_real t) {
    const td_constraint *c = &h->def;
    if (c->actor[side] == TD_NONE) {
        const td_constraint_target *from = &h->target_start;
        return (frame){.tree = TD_NONE,
                       .o = tdi_madd(from->position, h->velocity, t),
                       .v = h->velocity,
                       .w = h->spin,
                       .a = h->acceleration,
                       .turn = tdi_quat_mul(tdi_turn_by(tdi_scale(h->spin, t)), from->rotation)};
    }
    const int32_t tree = c->actor[side], body = c->segment[side];
    const tdi_tree_state *s = a->tree[tree];
    return (frame){.tree = tree,
                   .body = body,
                   .o = s->frame[body].o,
                   .v = s->twist[body].v,
                   .w = s->twist[body].w,
                   .turn = s->frame[body].turn};
}

// The point of a frame that is at x.
static spot spot_at(const frame *f, td_vec3 x) {
    const td_vec3 p = tdi_sub(x, f->o), turns = tdi_cross(f->w, p);
    return (spot){x, tdi_add(f->v, turns), tdi_add(f->a, tdi_cross(f->w, turns))};
}

static spot spot_of(const frame *f, td_vec3 point) {
    return spot_at(f, tdi_add(f->o, tdi_quat_rotate(f->turn, point)));
}

tdi_push tdi_push_at(const td_analytic *a, int32_t tree, int32_t body, td_vec3 x, td_vec3 direction,
                     td_real sign) {
    if (tree == TD_NONE) {
        return (tdi_push){.tree = TD_NONE};
    }
    const td_vec3 f = tdi_scale(direction, sign);
    const td_vec3 p = tdi_sub(x, a->tree[tree]->frame[body].o);
    return (tdi_push){.tree = tree, .body = body, .arm = p, .wrench = {tdi_cross(p, f), f}};
}

static td_lcp_row both_ways(void) {
    return (td_lcp_row){.low = -INFINITY, .high = INFINITY};
}

static td_lcp_row one_way(void) {
    return (td_lcp_row){.low = 0, .high = INFINITY};
}

// ---- rows of points -------------------------------------------------------------------------

typedef struct making { // rows of one constraint
    td_analytic *a;
    const td_step_opts *opts;
    int32_t hold;
    td_diag *diag;
    bool full;   // there was no room
    int32_t row; // number within the constraint
} making;

static tdi_lcp_row *begin(making *m, td_vec3 direction) {
    tdi_lcp_row *row = tdi_analytic_row(m->a, m->diag);
    m->full = !row;
    if (row) {
        row->constraint = m->hold;
        row->direction = direction;
        row->bounds = both_ways();
        row->begins = m->a->hold[m->hold].begins;
    }
    return row;
}

static void end(making *m, tdi_lcp_row *row) {
    row->key = -1 - (TDI_ANALYTIC_ROWS * (int64_t)m->hold + m->row++);
    if (!tdi_analytic_finish(m->a, m->opts, row)) {
        m->a->row_count--;
    }
}

// x1 against x2 along d; `turning` adds what comes of d going with the second frame.
static tdi_lcp_row *along(making *m, const frame f[2], const spot x[2], td_vec3 d,
                          td_vec3 turning) {
    tdi_lcp_row *row = begin(m, d);
    if (row) {
        row->side[0] = tdi_push_at(m->a, f[0].tree, f[0].body, x[0].x, d, 1);
        row->side[1] = tdi_push_at(m->a, f[1].tree, f[1].body, x[1].x, d, -1);
        row->value = tdi_dot(d, tdi_sub(x[0].x, x[1].x));
        row->given = f[1].tree == TD_NONE ? -tdi_dot(d, x[1].v) : 0;
        row->extra = tdi_dot(d, tdi_sub(x[0].extra, x[1].extra)) -
                     2 * tdi_dot(d, tdi_cross(turning, tdi_sub(x[0].v, x[1].v)));
    }
    return row;
}

// Three rows: a point of each side at one place.
static void coincide(making *m, const frame f[2], td_vec3 first, td_vec3 second) {
    const spot x[2] = {spot_of(&f[0], first), spot_of(&f[1], second)};
    for (int k = 0; k < 3 && !m->full; k++) {
        tdi_lcp_row *row = along(m, f, x, tdi_vec3(k == 0, k == 1, k == 2), tdi_vec3(0, 0, 0));
        if (row) {
            end(m, row);
        }
    }
}

// A direction of the second side: the offset of the point along it is `value`.
static tdi_lcp_row *offset(making *m, const frame f[2], td_vec3 first, td_vec3 second,
                           td_vec3 axis) {
    const td_vec3 d = tdi_quat_rotate(f[1].turn, axis);
    const spot x1 = spot_of(&f[0], first), from = spot_of(&f[1], second);
    const spot x[2] = {x1, spot_at(&f[1], x1.x)};
    tdi_lcp_row *row = along(m, f, x, d, f[1].w);
    if (row) {
        row->value = tdi_dot(d, tdi_sub(x1.x, from.x));
    }
    return row;
}

td_real tdi_body_length(const tdi_body *b) {
    const td_real length = tdi_norm(b->tip);
    return length > 0 ? length : fmax(b->radius, 1e-3);
}

// The distance from the first point of the points that constrain rotation.
static td_real reach(const td_analytic *a, const td_constraint *c) {
    return tdi_body_length(&a->tree[c->actor[0]]->model->body[c->segment[0]]);
}

static void frame_rows(making *m, const td_constraint *c, const frame f[2]) {
    const td_real l = reach(m->a, c);
    coincide(m, f, c->point[0], c->point[1]);
    if (c->kind == TD_CONSTRAINT_HINGE && !m->full) {
        coincide(m, f, tdi_madd(c->point[0], c->axis[0], l), tdi_madd(c->point[1], c->axis[1], l));
    }
    for (int k = 0; k < 2 && c->kind == TD_CONSTRAINT_WELD && !m->full; k++) {
        const td_vec3 e = tdi_vec3(k == 0, k == 1, 0);
        coincide(m, f, tdi_madd(c->point[0], e, l),
                 tdi_madd(c->point[1], tdi_quat_rotate(c->rotation, e), l));
    }
}

static void slider_rows(making *m, const td_constraint *c, const frame f[2]) {
    const td_real l = reach(m->a, c);
    const td_vec3 u = tdi_across(c->axis[1]);
    for (int p = 0; p < 3; p++) {
        const td_vec3 e = tdi_scale(tdi_vec3(p == 1, p == 2, 0), p == 0 ? 0 : l);
        for (int k = 0; k < 2 && !m->full; k++) {
            tdi_lcp_row *row = offset(m, f, tdi_add(c->point[0], e),
                                      tdi_add(c->point[1], tdi_quat_rotate(c->rotation, e)),
                                      k == 0 ? u : tdi_cross(c->axis[1], u));
            if (row) {
                end(m, row);
            }
        }
    }
}

static void stop_row(making *m, const td_constraint *c, const frame f[2]) {
    tdi_lcp_row *row = offset(m, f, c->point[0], c->point[1], c->axis[1]);
    if (row) {
        row->bounds = one_way();
        end(m, row);
    }
}

static void distance_row(making *m, const tdi_analytic_hold *h, const frame f[2], td_real t) {
    const td_constraint *c = &h->def;
    const td_real rate = c->as_found ? 0 : h->length_rate;
    const td_real wanted = c->as_found ? c->target.length : h->target_start.length + t * rate;
    const spot x[2] = {spot_of(&f[0], c->point[0]), spot_of(&f[1], c->point[1])};
    const td_vec3 apart = tdi_sub(x[0].x, x[1].x), u = tdi_sub(x[0].v, x[1].v);
    const td_real length = tdi_norm(apart), rope = c->kind == TD_CONSTRAINT_ROPE ? -1 : 1;
    const td_vec3 n = tdi_unit_or(apart, tdi_vec3(0, 1, 0));
    const td_real along_n = tdi_dot(n, u);
    tdi_lcp_row *row = along(m, f, x, tdi_scale(n, rope), tdi_vec3(0, 0, 0));
    if (row) {
        row->value = rope * (length - wanted);
        row->given -= rope * rate;
        row->extra += rope * (tdi_dot(u, u) - along_n * along_n) / fmax(length, 1e-9);
        row->bounds = rope < 0 ? one_way() : both_ways();
        end(m, row);
    }
}

// ---- rows of joints -------------------------------------------------------------------------

static tdi_push turn_of(const td_constraint *c, int side, int k, td_real sign) {
    tdi_push push = {.tree = c->actor[side], .body = c->segment[side]};
    push.torque[k] = sign;
    return push;
}

static td_real coordinate(const td_analytic *a, const td_constraint *c, int side) {
    const tdi_tree_state *s = a->tree[c->actor[side]];
    return s->q[s->model->coord[c->segment[side]]];
}

// One degree of freedom: value, rate of what is wanted, and its acceleration
static void single(making *m, tdi_push push, td_real value, td_real rate, td_real accel,
                   td_lcp_row bounds) {
    tdi_lcp_row *row = begin(m, tdi_vec3(0, 0, 0));
    if (row) {
        row->side[0] = push;
        row->value = value;
        row->given = -rate;
        row->extra = -accel;
        row->bounds = bounds;
        end(m, row);
    }
}

// q^-1 T as a rotation vector is what is missing, in the joint's own axes.
static void ball_rows(making *m, const tdi_analytic_hold *h, td_real t) {
    const td_constraint *c = &h->def;
    const tdi_tree_state *s = m->a->tree[c->actor[0]];
    const td_real *q = s->q + s->model->coord[c->segment[0]], none[3] = {0, 0, 0};
    const td_quat joint = {q[0], q[1], q[2], q[3]}, back = tdi_quat_conj(joint);
    const td_quat target =
        tdi_quat_mul(tdi_turn_by(tdi_scale(h->joint_rate, t)), tdi_turn_by(h->target_start.joint));
    const td_quat left = tdi_quat_mul(back, target);
    const td_real rest[4] = {left.w, left.x, left.y, left.z};
    const td_vec3 missing = tdi_ball_turn_of(rest, none).a;
    const td_vec3 rate = tdi_quat_rotate(back, h->joint_rate);
    const td_vec3 accel = tdi_quat_rotate(back, h->joint_acceleration);
    const td_real value[3] = {missing.x, missing.y, missing.z};
    const td_real rates[3] = {rate.x, rate.y, rate.z}, accels[3] = {accel.x, accel.y, accel.z};
    for (int k = 0; k < 3 && !m->full; k++) {
        single(m, turn_of(c, 0, k, 1), -value[k], rates[k], accels[k], both_ways());
    }
}

static void joint_rows(making *m, const tdi_analytic_hold *h, td_real t) {
    const td_constraint *c = &h->def;
    const tdi_tree_model *model = m->a->tree[c->actor[0]]->model;
    if (model->kind[c->segment[0]] == TD_JOINT_BALL) {
        ball_rows(m, h, t);
    } else {
        const td_real wanted = h->target_start.joint.x + t * h->joint_rate.x;
        single(m, turn_of(c, 0, 0, 1), coordinate(m->a, c, 0) - wanted, h->joint_rate.x,
               h->joint_acceleration.x, both_ways());
    }
}

static void gear_row(making *m, const td_constraint *c) {
    tdi_lcp_row *row = begin(m, tdi_vec3(0, 0, 0));
    if (row) {
        row->side[0] = turn_of(c, 0, 0, 1);
        row->side[1] = turn_of(c, 1, 0, -c->ratio);
        row->value = coordinate(m->a, c, 0) - c->ratio * coordinate(m->a, c, 1) - c->offset;
        end(m, row);
    }
}

// ---- limits ---------------------------------------------------------------------------------

typedef struct angle { // of a joint: its value, c' = rate.w, and c'' without w'
    td_real value, extra;
    td_vec3 rate;
} angle;

static angle lean_of(td_quat q, td_vec3 w) {
    const td_vec3 y = {0, 1, 0}, p = tdi_quat_rotate(tdi_quat_conj(q), y);
    const td_real s = fmax(sqrt(p.x * p.x + p.z * p.z), TINY);
    const td_vec3 rate = tdi_scale(tdi_cross(y, p), -1 / s);
    const td_real turning = tdi_dot(rate, w);
    return (angle){.value = atan2(s, p.y),
                   .extra = (p.y * (tdi_dot(w, w) - turning * turning) - w.y * tdi_dot(p, w)) / s,
                   .rate = rate};
}

// g = (a, 1, b), a = (w z + x y)/d, b = (y z - w x)/d, d = w^2 + y^2
static angle twist_of(td_quat q, td_vec3 w) {
    q = tdi_quat_unit(q); // w >= 0: twists of -pi .. pi
    const td_vec3 u = {q.x, q.y, q.z};
    const td_vec3 du = tdi_scale(tdi_madd(tdi_cross(u, w), w, q.w), 0.5);
    const td_real dw = -0.5 * tdi_dot(u, w), d = fmax(q.w * q.w + q.y * q.y, TINY);
    const td_real a = (q.w * q.z + q.x * q.y) / d, b = (q.y * q.z - q.w * q.x) / d;
    const td_real d_rate = 2 * (q.w * dw + q.y * du.y);
    const td_real a_rate = (dw * q.z + q.w * du.z + du.x * q.y + q.x * du.y - a * d_rate) / d;
    const td_real b_rate = (du.y * q.z + q.y * du.z - dw * q.x - q.w * du.x - b * d_rate) / d;
    return (angle){.value = 2 * atan2(q.y, q.w),
                   .extra = a_rate * w.x + b_rate * w.z,
                   .rate = tdi_vec3(a, 1, b)};
}

static angle angle_of(const td_analytic *a, const td_constraint *c, bool cone) {
    const tdi_tree_state *s = a->tree[c->actor[0]];
    const td_real *q = s->q + s->model->coord[c->segment[0]];
    const td_real *v = s->v + s->model->dof[c->segment[0]];
    if (s->model->kind[c->segment[0]] != TD_JOINT_BALL) {
        return (angle){.value = q[0], .rate = {1, 0, 0}};
    }
    const td_quat turn = {q[0], q[1], q[2], q[3]};
    const td_vec3 w = {v[0], v[1], v[2]};
    return cone ? lean_of(turn, w) : twist_of(turn, w);
}

// sign (angle - at) >= 0
static void bound(making *m, const td_constraint *c, const angle *a, td_real sign, td_real at) {
    const tdi_push push = {.tree = c->actor[0],
                           .body = c->segment[0],
                           .torque = {sign * a->rate.x, sign * a->rate.y, sign * a->rate.z}};
    if (!m->full) {
        single(m, push, sign * (a->value - at), 0, -sign * a->extra, one_way());
    }
}

static void limit_rows(making *m, const td_constraint *c) {
    const int kind = m->a->tree[c->actor[0]]->model->kind[c->segment[0]];
    const angle a = angle_of(m->a, c, false);
    if (isfinite(c->low)) {
        bound(m, c, &a, 1, c->low);
    }
    if (isfinite(c->high)) {
        bound(m, c, &a, -1, c->high);
    }
    if (kind == TD_JOINT_BALL && c->cone < TDI_PI) {
        const angle lean = angle_of(m->a, c, true);
        bound(m, c, &lean, -1, c->cone);
    }
}

// ---- as found -------------------------------------------------------------------------------

static void look_up(td_analytic *a, tdi_analytic_hold *h) {
    td_constraint *c = &h->def;
    h->found = true;
    if (!c->as_found) {
        return;
    }
    if (c->kind == TD_CONSTRAINT_GEAR) {
        c->offset = coordinate(a, c, 0) - c->ratio * coordinate(a, c, 1);
    }
    if (tdi_constraint_of_joint(c->kind)) {
        return;
    }
    const frame f[2] = {frame_of(a, h, 0, 0), frame_of(a, h, 1, 0)};
    const td_quat back = tdi_quat_conj(f[1].turn);
    const td_vec3 x = spot_of(&f[0], c->point[0]).x;
    c->target.length = tdi_norm(tdi_sub(x, spot_of(&f[1], c->point[1]).x));
    if (c->kind <= TD_CONSTRAINT_SLIDER) {
        c->point[1] = tdi_quat_rotate(back, tdi_sub(x, f[1].o));
        c->rotation = tdi_quat_mul(back, f[0].turn);
        c->axis[1] = tdi_quat_rotate(c->rotation, c->axis[0]);
    }
}

// ---- checks ---------------------------------------------------------------------------------

static const char *joint_fault(const td_analytic *a, const td_constraint *c, int side) {
    const tdi_tree_model *m = a->tree[c->actor[side]]->model;
    const td_joint_kind kind = (td_joint_kind)m->kind[c->segment[side]];
    const bool single_joint = kind == TD_JOINT_HINGE || kind == TD_JOINT_SLIDE;
    if (single_joint || (kind == TD_JOINT_BALL && c->kind != TD_CONSTRAINT_GEAR)) {
        return NULL;
    }
    return c->kind == TD_CONSTRAINT_GEAR ? "its joint must be a hinge or a slide"
                                         : "its joint must be a hinge, a slide or a ball joint";
}

td_status tdi_analytic_check(const td_analytic *a, int32_t k, td_diag *diag) {
    const td_constraint *c = &a->hold[k].def;
    const bool joint = tdi_constraint_of_joint(c->kind);
    const char *fault = c->kind == TD_CONSTRAINT_CURVE    ? "curves need an implicit integrator"
                        : c->kind == TD_CONSTRAINT_SPRING ? "springs need an implicit integrator"
                                                          : NULL;
    for (int side = 0; side < 2 && !fault; side++) {
        const int32_t tree = c->actor[side];
        const bool used = side == 0 || c->kind == TD_CONSTRAINT_GEAR || (!joint && tree != TD_NONE);
        if (used && (tree < 0 || tree >= a->tree_count)) {
            fault = "there is no such actor";
        } else if (used &&
                   (c->segment[side] < 0 || c->segment[side] >= a->tree[tree]->model->body_count)) {
            fault = "there is no such segment";
        } else if (used && joint) {
            fault = joint_fault(a, c, side);
        }
    }
    char name[80];
    tdi_constraint_name(c, k, name);
    return fault ? tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: %s", name, fault) : TD_OK;
}

// ---- entry ----------------------------------------------------------------------------------

static void rows_of(making *m, tdi_analytic_hold *h, td_real t) {
    const td_constraint *c = &h->def;
    if (!tdi_constraint_of_joint(c->kind)) {
        const frame f[2] = {frame_of(m->a, h, 0, t), frame_of(m->a, h, 1, t)};
        switch (c->kind) {
        case TD_CONSTRAINT_SLIDER: slider_rows(m, c, f); break;
        case TD_CONSTRAINT_DISTANCE:
        case TD_CONSTRAINT_ROPE: distance_row(m, h, f, t); break;
        case TD_CONSTRAINT_STOP: stop_row(m, c, f); break;
        default: frame_rows(m, c, f); break;
        }
        h->report.place = spot_of(&f[0], c->point[0]).x;
    } else if (c->kind == TD_CONSTRAINT_JOINT) {
        joint_rows(m, h, t);
    } else if (c->kind == TD_CONSTRAINT_GEAR) {
        gear_row(m, c);
    } else {
        limit_rows(m, c);
    }
}

td_status tdi_analytic_hold_rows(td_analytic *a, const td_step_opts *opts, td_real t,
                                 td_diag *diag) {
    const td_real now = a->tree_count > 0 ? a->tree[0]->head.time : 0;
    for (int32_t k = 0; k < a->hold_count; k++) {
        tdi_analytic_hold *h = &a->hold[k];
        making m = {a, opts, k, diag, false, 0};
        h->report.active =
            !h->report.broken && !h->loose && now >= h->def.start && now < h->def.end;
        if (h->report.active && !h->found) {
            look_up(a, h);
        }
        if (h->report.active) {
            rows_of(&m, h, t);
        }
        if (m.full) {
            return TD_ERR_LIMIT;
        }
    }
    return TD_OK;
}
