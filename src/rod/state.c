// SPDX-License-Identifier: MIT
// States of rods: memory, places, ends, what callers read.

#include "rod/model.h"

#include "base/guard.h"
#include "base/range.h"

#include "rod/capsules.h"
#include "rod/points.h"
#include "rod/pose.h"
#include "rod/state.h"

#include <math.h>
#include <string.h>

// ---- making ---------------------------------------------------------------------------------

// What a step needs while it is under way, and no longer.
static void lay_out_scratch(tdi_rod_state *s, const tdi_rod_model *m, tdi_layout *l) {
    const size_t n = (size_t)m->node_count;
    s->work = tdi_layout_place(l, n, sizeof *s->work);
    s->step = tdi_layout_place(l, n, sizeof *s->step);
    s->response = tdi_layout_place(l, n, sizeof *s->response);
    s->area_axes = tdi_layout_place(l, (size_t)m->edge_count, sizeof *s->area_axes);
}

static size_t scratch_bytes(const tdi_rod_model *m) {
    tdi_rod_state sizes;
    tdi_layout l = {0};
    lay_out_scratch(&sizes, m, &l);
    tdi_layout_place(&l, (size_t)m->node_count, sizeof *sizes.pose_back);
    return l.used;
}

// Poses may have changed places: the pose that lies in what was lent moves to the other one.
static void leave_poses(tdi_rod_state *s) {
    if (s->pose == s->pose_lent) {
        memcpy(s->pose_back, s->pose, (size_t)s->model->node_count * sizeof *s->pose);
        s->pose = s->pose_back;
    }
    s->pose_back = s->pose_spare;
    s->pose_lent = NULL;
}

void tdi_rod_lend(void *body, void *scratch) {
    tdi_rod_state *s = body;
    tdi_layout l = {.base = scratch ? scratch : s->scratch};
    lay_out_scratch(s, s->model, &l);
    if (s->pose_lent) {
        leave_poses(s);
    }
    if (scratch) {
        s->pose_spare = s->pose_back;
        s->pose_back = s->pose_lent =
            tdi_layout_place(&l, (size_t)s->model->node_count, sizeof *s->pose_back);
    }
}

static void lay_out(tdi_rod_state *s, const tdi_rod_model *m, tdi_layout *l) {
    size_t n = (size_t)m->node_count, edges = (size_t)m->edge_count, welds = (size_t)m->weld_count;
    tdi_layout_place(l, 1, sizeof *s);
    s->pose = tdi_layout_place(l, n, sizeof *s->pose);
    s->pose_back = tdi_layout_place(l, n, sizeof *s->pose);
    s->pose_start = tdi_layout_place(l, n, sizeof *s->pose);
    s->turn = tdi_layout_place(l, n, sizeof *s->turn);
    s->turn_back = tdi_layout_place(l, n, sizeof *s->turn);
    s->history.past = tdi_layout_place(l, n, sizeof *s->history.past);
    s->history.before = tdi_layout_place(l, n, sizeof *s->history.before);
    s->before_last = tdi_layout_place(l, n, sizeof *s->history.before);
    s->history.turn_before = tdi_layout_place(l, n, sizeof *s->turn);
    s->replaced.past = tdi_layout_place(l, n, sizeof *s->history.past);
    s->replaced.before = tdi_layout_place(l, n, sizeof *s->history.before);
    s->replaced.turn_before = tdi_layout_place(l, n, sizeof *s->turn);
    s->replaced.weld = tdi_layout_place(l, welds, sizeof *s->history.weld);
    s->rule = tdi_layout_place(l, n, sizeof *s->rule);
    s->rule_kept = tdi_layout_place(l, n, sizeof *s->rule);
    s->history.weld = tdi_layout_place(l, welds, sizeof *s->history.weld);
    s->weld_rule = tdi_layout_place(l, welds, sizeof *s->weld_rule);
    s->weld_rule_kept = tdi_layout_place(l, welds, sizeof *s->weld_rule);
    s->scratch = tdi_layout_place(l, 0, 1);
    lay_out_scratch(s, m, l);
    s->potential = tdi_layout_place(l, 1, sizeof *s->potential);
    s->capsule_node = tdi_layout_place(l, edges + (size_t)m->solid_count, sizeof *s->capsule_node);
    s->border = tdi_layout_place(l, (size_t)m->ring_nodes, sizeof *s->border);
    s->closing = tdi_layout_place(l, (size_t)m->part_count, sizeof *s->closing);
    s->target.place = tdi_layout_place(l, n, sizeof *s->target.place);
    s->target.m1 = tdi_layout_place(l, n, sizeof *s->target.m1);
    s->target.goal = tdi_layout_place(l, n, sizeof *s->target.goal);
    s->target.goal_m1 = tdi_layout_place(l, n, sizeof *s->target.goal_m1);
    s->target.own = tdi_layout_place(l, n, sizeof *s->target.own);
}

td_status tdi_rod_state_new(const tdi_rod_model *m, const td_alloc *alloc, tdi_rod_state **out,
                            td_diag *diag) {
    *out = NULL;
    tdi_rod_state sizes;
    tdi_layout layout = {0};
    lay_out(&sizes, m, &layout);
    tdi_rod_state *s = tdi_body_new(&tdi_solver_rod, m, alloc, layout.used, 0, diag);
    TDI_TRY(s ? TD_OK : TD_ERR_MEMORY);
    layout = (tdi_layout){.base = (char *)s};
    lay_out(s, m, &layout);
    s->model = m;
    s->head.segment_count = m->head.segment_count;
    s->head.point_count = m->node_count + 2 * m->solid_count;
    s->head.dependent_count = 2 * m->solid_count;
    for (int32_t i = 0; i < m->node_count; i++) {
        if (tdi_rod_has_capsule(&m->node[i])) {
            s->capsule_node[s->head.capsule_count++] = i;
        }
    }
    for (int32_t k = 0; k < m->solid_count; k++) {
        s->capsule_node[s->head.capsule_count++] = m->edge_node[m->solid[k].edge];
    }
    s->head.mass = tdi_rod_mass(m);
    s->head.scratch_bytes = scratch_bytes(m);
    tdi_rod_reset(s);
    *out = s;
    return TD_OK;
}

void tdi_rod_reset(tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    memset(s->history.past, 0, (size_t)m->node_count * sizeof *s->history.past);
    memset(s->turn, 0, (size_t)m->node_count * sizeof *s->turn);
    memset(s->history.weld, 0, (size_t)m->weld_count * sizeof *s->history.weld);
    memset(s->target.own, 0, (size_t)m->node_count * sizeof *s->target.own);
    s->head.time = 0;
    s->head.known = 0;
    s->head.moved = 0;
    s->stale = TDI_ROD_CURRENT;
    const td_base_motion base = s->head.base;
    s->head.base = (td_base_motion){.rotation = {1, 0, 0, 0}};
    tdi_rod_place_start(s);
    if (s->head.led) {
        tdi_rod_set_base(s, &base);
    }
    memcpy(s->pose_back, s->pose, (size_t)m->node_count * sizeof *s->pose);
}

// ---- what is held ---------------------------------------------------------------------------

// Targets of all that moves with the base.
void tdi_rod_place_base(tdi_rod_state *s) {
    const tdi_rod_model *m = s->model;
    for (int32_t i = 0; i < m->node_count; i++) {
        if (m->node[i].flags & TDI_HELD_BASE && !s->target.own[i]) {
            s->target.place[i] = tdi_base_point(&s->head.base, m->node[i].start);
            s->target.m1[i] = tdi_quat_rotate(s->head.base.rotation, m->node[i].start_m1);
        }
    }
}

// Puts everything where the base is, as one rigid piece. Only for a state that has not moved yet.
static void carry_all(tdi_rod_state *s) {
    for (int32_t i = 0; i < s->model->node_count; i++) {
        tdi_rod_pose *pose = &s->pose[i];
        td_quat q = s->head.base.rotation;
        pose->x = tdi_base_point(&s->head.base, pose->x);
        pose->edge.t = tdi_quat_rotate(q, pose->edge.t);
        pose->edge.m1 = tdi_quat_rotate(q, pose->edge.m1);
        pose->edge.m2 = tdi_quat_rotate(q, pose->edge.m2);
        pose->kb = tdi_quat_rotate(q, pose->kb);
        s->target.place[i] = pose->x;
        s->target.m1[i] = tdi_quat_rotate(q, s->target.m1[i]);
    }
}

// Whether all of a state without a past moves as one piece with its base.
static bool moves_along(const tdi_rod_state *s) {
    bool along = s->head.known == 0;
    for (int32_t i = 0; along && i < s->model->node_count; i++) {
        const tdi_rod_past *past = &s->history.past[i];
        along = tdi_same_velocity(past->v, tdi_base_velocity(&s->head.base, s->pose[i].x)) &&
                tdi_same_rate(past->spin, tdi_dot(s->head.base.spin, s->pose[i].edge.t));
    }
    return along;
}

void tdi_rod_move_along(tdi_rod_state *s) {
    for (int32_t i = 0; i < s->model->node_count; i++) {
        s->history.past[i].v = tdi_base_velocity(&s->head.base, s->pose[i].x);
        s->history.past[i].spin = tdi_dot(s->head.base.spin, s->pose[i].edge.t);
    }
}

void tdi_rod_set_base(tdi_rod_state *s, const td_base_motion *motion) {
    const bool along = moves_along(s);
    s->head.base = *motion;
    if (tdi_state_as_drawn(&s->head) && s->stale == TDI_ROD_CURRENT) {
        tdi_rod_place_start(s);
        carry_all(s);
    }
    if (along) {
        tdi_rod_move_along(s);
    }
    tdi_rod_place_base(s);
}

void tdi_rod_note_goals(tdi_rod_state *s) {
    const size_t n = (size_t)s->model->node_count;
    memcpy(s->target.goal, s->target.place, n * sizeof *s->target.goal);
    memcpy(s->target.goal_m1, s->target.m1, n * sizeof *s->target.goal_m1);
}

td_status td_rod_set_end(td_body *body, int32_t rod, bool end, td_vec3 position, td_quat rotation,
                         td_diag *diag) {
    tdi_rod_state *s = tdi_as_rod(body);
    TDI_REFUSE_IF(!s || !tdi_has(rod, s->model->rod_count));
    if (s->head.led) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the state belongs to a world, which moves its ends: call "
                        "td_world_move_actor()");
    }
    if (!tdi_finite3(position) || !isfinite(tdi_quat_norm(rotation))) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the %s of an end is not finite",
                        tdi_finite3(position) ? "rotation" : "position");
    }
    tdi_rod_set_end(s, rod, end, position, rotation);
    return TD_OK;
}

void tdi_rod_set_end(tdi_rod_state *s, int32_t rod, bool end, td_vec3 position, td_quat rotation) {
    const tdi_rod_model *m = s->model;
    int32_t i = m->end_node[2 * rod + end];
    if (i == TD_NONE) { // pinned
        int32_t from = m->rod_first[rod], to = m->rod_first[rod + 1];
        int32_t at = m->vertex_node[end ? to - 1 : from];
        s->target.place[at] = s->target.goal[at] = position;
        s->target.goal_m1[at] = s->target.m1[at];
        s->target.own[at] = true;
        return;
    }
    const tdi_rod_node *n = &m->node[i];
    td_vec3 along = tdi_quat_rotate(rotation, tdi_vec3(0, n->length, 0));
    s->target.place[end ? n->parent : i] = position;
    s->target.place[end ? i : n->parent] =
        end ? tdi_add(position, along) : tdi_sub(position, along);
    s->target.m1[i] = tdi_quat_rotate(rotation, tdi_vec3(0, 0, 1));
    for (int k = 0; k < 2; k++) {
        const int32_t at = k == 0 ? i : n->parent;
        s->target.goal[at] = s->target.place[at];
        s->target.goal_m1[at] = s->target.m1[at];
        s->target.own[at] = true;
    }
}

// ---- reading --------------------------------------------------------------------------------

td_vec3 tdi_rod_origin(const tdi_rod_state *s, int32_t edge) {
    tdi_rod_refresh(s);
    return tdi_rod_start(s->model, s->pose, s->model->edge_node[edge]);
}

td_vec3 tdi_rod_tip(const tdi_rod_state *s, int32_t edge) {
    return s->pose[s->model->edge_node[edge]].x;
}

td_quat tdi_rod_rotation(const tdi_rod_state *s, int32_t edge) {
    tdi_rod_refresh(s);
    const tdi_edge *e = &s->pose[s->model->edge_node[edge]].edge;
    return tdi_quat_from_axes(e->m2, e->t, e->m1);
}

td_vec3 td_rod_position(const td_body *body, int32_t vertex) {
    const tdi_rod_state *s = tdi_as_rod(body);
    if (!s || !tdi_has(vertex, td_rod_vertex_count(&s->model->head))) {
        return (td_vec3){0};
    }
    return s->pose[s->model->vertex_node[vertex]].x;
}

td_vec3 td_rod_velocity(const td_body *body, int32_t vertex) {
    const tdi_rod_state *s = tdi_as_rod(body);
    if (!s || !tdi_has(vertex, td_rod_vertex_count(&s->model->head))) {
        return (td_vec3){0};
    }
    return s->history.past[s->model->vertex_node[vertex]].v;
}

td_status td_rod_set_vertex(td_body *body, int32_t vertex, td_vec3 position, td_vec3 velocity,
                            td_diag *diag) {
    tdi_rod_state *s = tdi_as_rod(body);
    TDI_REFUSE_IF(!s || !tdi_has(vertex, td_rod_vertex_count(&s->model->head)));
    int32_t i = s->model->vertex_node[vertex];
    if (s->head.led && s->model->node[i].flags & TDI_HELD_PLACE) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "vertex %d has a prescribed position, and the state belongs to a world: "
                        "call td_world_move_actor()",
                        (int)vertex);
    }
    if (!tdi_finite3(position) || !tdi_finite3(velocity)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, vertex, "the %s of vertex %d is not finite",
                           tdi_finite3(position) ? "velocity" : "position", (int)vertex);
    }
    s->pose[i].x = position;
    s->history.past[i].v = velocity;
    s->head.known = 0;
    s->stale = TDI_ROD_STALE;
    return TD_OK;
}

td_real td_rod_spin(const td_body *body, int32_t edge) {
    const tdi_rod_state *s = tdi_as_rod(body);
    if (!s || !tdi_has(edge, s->model->edge_count)) {
        return 0;
    }
    return s->history.past[s->model->edge_node[edge]].spin;
}

td_status td_rod_set_spin(td_body *body, int32_t edge, td_real rate, td_diag *diag) {
    tdi_rod_state *s = tdi_as_rod(body);
    TDI_REFUSE_IF(!s || !tdi_has(edge, s->model->edge_count));
    const tdi_range range = TDI_FINITE("rate", "rad/s", rate);
    TDI_TRY(tdi_check_ranges(&range, 1, NULL, edge, diag));
    s->history.past[s->model->edge_node[edge]].spin = rate;
    s->head.known = 0;
    return TD_OK;
}

td_real td_rod_twist_angle(const td_body *body, int32_t edge) {
    const tdi_rod_state *s = tdi_as_rod(body);
    if (!s || !tdi_has(edge, s->model->edge_count)) {
        return 0;
    }
    tdi_rod_refresh(s);
    return s->pose[s->model->edge_node[edge]].twist;
}

// About X: k1 is kb.m2, and m2 is X; k2 is -kb.m1, and m1 is Z.
td_vec3 tdi_rod_moment(const tdi_rod_state *s, int32_t edge) {
    tdi_rod_refresh(s);
    int32_t i = s->model->edge_node[edge];
    const tdi_joint_law *law = &s->model->node[i].law;
    const tdi_rod_pose *pose = &s->pose[i];
    td_real d1 = pose->k1 - law->rest[0], d2 = pose->k2 - law->rest[1];
    return tdi_vec3(law->bend[0] * d1 + law->bend[1] * d2,
                    law->twist * (pose->twist - law->rest[2]),
                    -(law->bend[1] * d1 + law->bend[2] * d2));
}

td_real td_rod_tension(const td_body *body, int32_t edge) {
    const tdi_rod_state *s = tdi_as_rod(body);
    if (!s || !tdi_has(edge, s->model->edge_count)) {
        return 0;
    }
    tdi_rod_refresh(s);
    int32_t i = s->model->edge_node[edge];
    const tdi_rod_node *n = &s->model->node[i];
    return n->stretch * (s->pose[i].edge.length - n->length);
}

// ---- segments -------------------------------------------------------------------------------

int32_t tdi_rod_edge_of(const tdi_rod_model *m, int32_t segment, td_vec3 *from) {
    const bool body = segment >= m->edge_count;
    *from = body ? m->segments[segment].attach : tdi_vec3(0, 0, 0);
    return body ? m->segments[segment].parent : segment;
}

td_vec3 tdi_rod_on_edge(const tdi_rod_model *m, int32_t segment, td_vec3 point) {
    td_vec3 from;
    return tdi_rod_edge_of(m, segment, &from) == segment
               ? point
               : tdi_add(from, tdi_quat_rotate(m->segments[segment].initial, point));
}

// ---- laws -----------------------------------------------------------------------------------

td_vec3 tdi_rod_velocity_of(const tdi_rod_state *s, int32_t edge, td_vec3 point) {
    const tdi_rod_model *m = s->model;
    int32_t i = m->edge_node[edge];
    tdi_rod_refresh(s);
    const tdi_rod_node *n = &m->node[i];
    const tdi_edge *e = &s->pose[i].edge;
    td_vec3 start = n->flags & TDI_BODY ? s->history.weld[n->body].v : s->history.past[n->parent].v;
    td_vec3 end = s->history.past[i].v, along = tdi_sub(end, start);
    td_vec3 spin =
        tdi_madd(tdi_scale(tdi_cross(e->t, along), 1 / e->length), e->t, s->history.past[i].spin);
    td_vec3 r = tdi_add(tdi_scale(e->m2, point.x), tdi_scale(e->m1, point.z));
    return tdi_add(tdi_madd(start, along, point.y / n->length), tdi_cross(spin, r));
}

static td_real weld_kinetic(const tdi_rod_state *s, int32_t k) {
    const tdi_weld *b = &s->model->weld[k];
    const tdi_weld_past *past = &s->history.weld[k];
    const tdi_mat3 moved = tdi_mat3_mul_sym(&past->rate, &b->second);
    td_real sum = b->mass * tdi_dot(past->v, past->v) +
                  2 * tdi_dot(past->v, tdi_mat3_apply(&past->rate, b->moment));
    for (int j = 0; j < 9; j++) {
        sum += moved.m[j] * past->rate.m[j];
    }
    return 0.5 * sum;
}

td_energy tdi_rod_energy(tdi_rod_state *s, td_vec3 gravity) {
    const tdi_rod_model *m = s->model;
    td_energy sum = {0, 0, 0};
    tdi_rod_follow(s);
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_node *n = &m->node[i];
        const tdi_rod_past *past = &s->history.past[i];
        const tdi_rod_pose *pose = &s->pose[i];
        sum.kinetic +=
            0.5 * (n->mass * tdi_dot(past->v, past->v) + n->inertia * past->spin * past->spin);
        sum.weight -= n->weight * tdi_dot(gravity, pose->x);
        if (!tdi_has_edge(n)) {
            continue;
        }
        sum.kinetic += n->shared * tdi_dot(past->v, s->history.past[n->parent].v);
        td_real d = pose->edge.length - n->length;
        tdi_joint_strain strain = {pose->kb, pose->chi, pose->k1, pose->k2, 0, 1};
        sum.elastic += 0.5 * n->stretch * d * d + tdi_joint_energy(&n->law, &strain, pose->twist);
        if (n->flags & TDI_BODY) {
            const tdi_weld *b = &m->weld[n->body];
            const tdi_mat3 r = tdi_edge_axes(&pose->edge);
            td_vec3 first =
                tdi_madd(tdi_mat3_apply(&r, b->moment), tdi_rod_start(m, s->pose, i), b->mass);
            sum.kinetic += weld_kinetic(s, n->body);
            sum.weight -= tdi_dot(gravity, first);
        }
    }
    return sum;
}

static void add_weld_momentum(const tdi_rod_state *s, int32_t i, td_vec3 *linear,
                              td_vec3 *angular) {
    const int32_t k = s->model->node[i].body;
    const tdi_weld *b = &s->model->weld[k];
    const tdi_weld_past *past = &s->history.weld[k];
    const tdi_mat3 r = tdi_edge_axes(&s->pose[i].edge);
    td_vec3 o = tdi_rod_start(s->model, s->pose, i), lever = tdi_mat3_apply(&r, b->moment),
            swing = tdi_mat3_apply(&past->rate, b->moment);
    td_vec3 p = tdi_madd(swing, past->v, b->mass);
    tdi_mat3 rs = tdi_mat3_mul_sym(&r, &b->second), product = tdi_mat3_mul_t(&past->rate, &rs);
    *linear = tdi_add(*linear, p);
    *angular = tdi_add(*angular, tdi_add(tdi_cross(o, p), tdi_add(tdi_cross(lever, past->v),
                                                                  tdi_mat3_axial(&product))));
}

void tdi_rod_momentum(const tdi_rod_state *s, td_vec3 *linear, td_vec3 *angular) {
    const tdi_rod_model *m = s->model;
    *linear = *angular = tdi_vec3(0, 0, 0);
    tdi_rod_refresh(s);
    for (int32_t i = 0; i < m->node_count; i++) {
        const tdi_rod_node *n = &m->node[i];
        td_vec3 x = s->pose[i].x, p = tdi_scale(s->history.past[i].v, n->mass);
        if (tdi_has_edge(n)) {
            td_vec3 up = tdi_scale(s->history.past[i].v, n->shared);
            p = tdi_madd(p, s->history.past[n->parent].v, n->shared);
            *linear = tdi_add(*linear, up);
            *angular = tdi_add(*angular, tdi_cross(s->pose[n->parent].x, up));
            *angular = tdi_madd(*angular, s->pose[i].edge.t, n->inertia * s->history.past[i].spin);
        }
        *linear = tdi_add(*linear, p);
        *angular = tdi_add(*angular, tdi_cross(x, p));
        if (n->flags & TDI_BODY) {
            add_weld_momentum(s, i, linear, angular);
        }
    }
}
