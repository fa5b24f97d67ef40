// SPDX-License-Identifier: MIT
// The rest shape for which a pose is in equilibrium under gravity.
//
// Method   tip to root the load (n, f) that every joint carries; then joint by joint the deflection
//          at which its spring bears that load, and the rest that gives this deflection:
//            ball    moment(q) = n in the segment's axes, by Newton's method;
//                    rest' = rest q_0 q^-1
//            hinge   k a = -n.axis;  rest' = rest rotated by q_0 - a about the axis
//            slide   k a = -f.axis;  attach' = attach + (q_0 - a) along the axis
// q_0 is the joint now. The pose becomes the new model's initial one.

#include "tree/tangent.h"

#include "base/guard.h"
#include "base/range.h"

#include <string.h>

#define NO_LOAD        1e-9 // of the largest moment that the weight could have on the joint
#define LARGEST_STEP   0.5  // rad: of Newton's method
#define SMALLEST_STEP  1e-15
#define MAX_ITERATIONS 60
#define MAX_HALVINGS   40

static const char *const no_stiffness = "its joint has no stiffness";
static const char *const too_much = "its joint would have to turn by more than half a turn";

// ---- ball joints ----------------------------------------------------------------------------

typedef struct ball_problem {
    td_spring_law law;
    const tdi_body *body;
    td_vec3 load; // moment to be borne, own axes; 0 where there is no stiffness
} ball_problem;

// The axes with stiffness only: the others stay where they are.
static td_vec3 masked(const ball_problem *b, td_vec3 v) {
    const td_vec3 k = b->body->stiffness;
    return tdi_vec3(k.x > 0 ? v.x : 0, k.y > 0 ? v.y : 0, k.z > 0 ? v.z : 0);
}

static td_vec3 residual(const ball_problem *b, const td_real *q) {
    const td_real still[3] = {0, 0, 0};
    return masked(b, tdi_sub(tdi_ball_moment(b->law, b->body, q, still, still), b->load));
}

// D y = e by Cramer's rule, D the derivative of the spring's moment; rows and columns of axes
// without stiffness are those of 1
static td_vec3 newton_step(const ball_problem *b, const td_real *q, td_vec3 e) {
    const td_real still[3] = {0, 0, 0};
    const td_vec3 k = b->body->stiffness;
    const bool stiff[3] = {k.x > 0, k.y > 0, k.z > 0};
    tdi_mat3 d = tdi_ball_tangent(b->law, b->body, q, still);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            d.m[3 * i + j] = stiff[i] && stiff[j] ? d.m[3 * i + j] : i == j;
        }
    }
    td_vec3 x = tdi_mat3_column(&d, 0), y = tdi_mat3_column(&d, 1), z = tdi_mat3_column(&d, 2);
    td_real over = 1 / tdi_dot(x, tdi_cross(y, z));
    return tdi_scale(tdi_vec3(tdi_dot(e, tdi_cross(y, z)), tdi_dot(x, tdi_cross(e, z)),
                              tdi_dot(x, tdi_cross(y, e))),
                     over);
}

static void turned(const td_real *q, td_vec3 y, td_real *to) {
    td_real angle = tdi_norm(y);
    td_vec3 axis = tdi_unit_or(y, tdi_vec3(1, 0, 0));
    td_quat turn =
        tdi_quat_unit(tdi_quat_mul((td_quat){q[0], q[1], q[2], q[3]}, tdi_quat_turn(axis, angle)));
    to[0] = turn.w;
    to[1] = turn.x;
    to[2] = turn.y;
    to[3] = turn.z;
}

// q at which the spring bears the load. False when there is none.
static bool solve_ball(const ball_problem *b, td_real *q) {
    q[0] = 1;
    q[1] = q[2] = q[3] = 0;
    td_vec3 e = residual(b, q);
    for (int32_t k = 0; k < MAX_ITERATIONS; k++) {
        td_vec3 y = newton_step(b, q, e);
        td_real size = tdi_norm(y);
        if (!isfinite(size)) {
            return false;
        }
        y = size > LARGEST_STEP ? tdi_scale(y, LARGEST_STEP / size) : y;
        td_real before = tdi_norm(e), trial[4];
        int32_t halvings = 0;
        for (; halvings < MAX_HALVINGS; halvings++) {
            turned(q, y, trial);
            e = residual(b, trial);
            if (tdi_norm(e) < before) {
                break;
            }
            y = tdi_scale(y, 0.5);
        }
        if (halvings == MAX_HALVINGS || size < SMALLEST_STEP) { // rounding, or no way on
            return size < 1e-12;
        }
        memcpy(q, trial, sizeof trial);
    }
    return false;
}

// ---- joints ---------------------------------------------------------------------------------

static const char *rest_ball(const tdi_tree_state *s, int32_t i, td_real reach, tdi_body *body) {
    const tdi_tree_model *m = s->model;
    const td_real *now = s->q + m->coord[i];
    ball_problem b = {m->law, body, tdi_mat3_apply_t(&s->frame[i].r, s->node[i].load.n)};
    td_vec3 borne = masked(&b, b.load);
    td_real q[4];
    if (tdi_norm(tdi_sub(b.load, borne)) > NO_LOAD * reach) {
        return no_stiffness;
    }
    b.load = borne;
    if (!solve_ball(&b, q)) {
        return too_much;
    }
    td_quat pose = tdi_quat_mul(body->rest, (td_quat){now[0], now[1], now[2], now[3]});
    td_quat spring = {q[0], -q[1], -q[2], -q[3]};
    body->rest = tdi_quat_unit(tdi_quat_mul(pose, spring));
    body->initial = tdi_quat_unit(pose);
    return NULL;
}

// the angle or shift at which the spring bears the load
static const char *solve_single(const tdi_body *body, td_real load, td_real no_load, td_real *a) {
    bool stiff = body->stiffness.x > 0;
    *a = stiff ? -load / body->stiffness.x : 0;
    return stiff || fabs(load) <= no_load ? NULL : no_stiffness;
}

static const char *rest_hinge(const tdi_tree_state *s, int32_t i, td_real reach, tdi_body *body) {
    td_real now = s->q[s->model->coord[i]], a;
    td_vec3 axis = tdi_mat3_apply(&s->frame[i].r, body->axis);
    const char *wrong = solve_single(body, tdi_dot(s->node[i].load.n, axis), NO_LOAD * reach, &a);
    if (!wrong && !(fabs(a) < TDI_PI)) {
        wrong = too_much;
    }
    body->initial = tdi_quat_unit(tdi_quat_mul(body->rest, tdi_quat_turn(body->axis, now)));
    body->rest = tdi_quat_unit(tdi_quat_mul(body->rest, tdi_quat_turn(body->axis, now - a)));
    return wrong;
}

static const char *rest_slide(const tdi_tree_state *s, int32_t i, tdi_body *body) {
    td_real now = s->q[s->model->coord[i]], a;
    td_vec3 axis = tdi_mat3_apply(&s->frame[i].r, body->axis), f = s->node[i].load.f;
    const char *wrong = solve_single(body, tdi_dot(f, axis), NO_LOAD * tdi_norm(f), &a);
    td_vec3 along = tdi_quat_rotate(body->rest, body->axis);
    body->attach = tdi_madd(body->attach, along, now - a);
    body->initial_slide = a;
    return wrong;
}

static const char *rest_free(const tdi_tree_state *s, int32_t i, tdi_body *body) {
    const td_real *q = s->q + s->model->coord[i];
    td_quat pose = tdi_quat_mul(body->rest, (td_quat){q[3], q[4], q[5], q[6]});
    body->attach = tdi_add(body->attach, tdi_vec3(q[0], q[1], q[2]));
    body->rest = body->initial = tdi_quat_unit(pose);
    return tdi_norm(s->node[i].load.f) > 0 ? "nothing holds it" : NULL;
}

// What is wrong, or NULL.
static const char *rest_kind(const tdi_tree_state *s, int32_t i, td_real reach, tdi_body *body) {
    switch ((td_joint_kind)s->model->kind[i]) {
    case TD_JOINT_BALL: return rest_ball(s, i, reach, body);
    case TD_JOINT_HINGE: return rest_hinge(s, i, reach, body);
    case TD_JOINT_SLIDE: return rest_slide(s, i, body);
    case TD_JOINT_FREE: return rest_free(s, i, body);
    case TD_JOINT_FIXED: break;
    }
    return NULL;
}

static td_status rest_joint(const tdi_tree_state *s, int32_t i, td_real reach, tdi_body *body,
                            td_diag *diag) {
    if (!tdi_finite3(s->node[i].load.n) || !tdi_finite3(s->node[i].load.f)) {
        return tdi_fail_at(diag, TD_ERR_DIVERGED, i, "the position of segment %d is not finite", i);
    }
    const char *wrong = rest_kind(s, i, reach, body);
    return wrong ? tdi_fail_at(diag, TD_ERR_ARGUMENT, i, "segment %d cannot carry its load: %s", i,
                               wrong)
                 : TD_OK;
}

// ---- entry ----------------------------------------------------------------------------------

// The largest moment that the weight carried by each joint could have, however it hung.
static void measure_reach(const tdi_tree_model *m, const tdi_tree_state *s, td_real gravity,
                          td_real *reach) {
    for (int32_t i = m->body_count - 1; i >= 0; i--) {
        int32_t p = m->parent[i];
        reach[i] += gravity * tdi_norm(m->body[i].moment);
        if (p != TD_NONE) {
            td_vec3 r = tdi_sub(s->frame[i].o, s->frame[p].o);
            reach[p] += reach[i] + tdi_norm(r) * tdi_norm(s->node[i].load.f);
        }
    }
}

td_status td_tree_model_rest_new(td_body *body, td_vec3 gravity, const td_alloc *alloc,
                                 td_body_model **out, td_diag *diag) {
    tdi_tree_model *next = NULL;
    tdi_tree_state *state = tdi_as_tree(body);
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!state || !out);
    const tdi_tree_model *m = state->model;
    size_t count = (size_t)m->body_count;
    const tdi_range ranges[] = {TDI_FINITE3("gravity", "m/s^2", gravity)};
    TDI_TRY(tdi_check_ranges(ranges, 3, NULL, TD_NONE, diag));
    td_real *reach = tdi_alloc_zeroed(alloc, count, sizeof *reach);
    td_status status = reach ? tdi_tree_model_copy(m, alloc, &next, diag)
                             : tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the rest shape");
    if (status == TD_OK) {
        tdi_tree_carry(m, state, gravity, NULL, 0);
        measure_reach(m, state, tdi_norm(gravity), reach);
    }
    for (int32_t i = 0; status == TD_OK && i < m->body_count; i++) {
        status = rest_joint(state, i, reach[i], &next->body[i], diag);
    }
    tdi_alloc_free(alloc, reach, count * sizeof *reach);
    if (status != TD_OK) {
        tdi_model_free(next);
        return status;
    }
    *out = &next->head;
    if (TDI_ASSERTS) {
        tdi_tree_model_validate(next);
    }
    return TD_OK;
}
