// SPDX-License-Identifier: MIT
// Constraints at the points of bodies: where these are, how they move, and J of rows, applied both
// ways.

#include "implicit/constraint.h"

// ---- positions and motions ------------------------------------------------------------------

void tdi_constraints_gather(tdi_constraint_set *h, const tdi_system *y) {
    for (int32_t k = 0; k < h->member_count; k++) {
        const int32_t first = h->first_point[k], count = h->first_point[k + 1] - first;
        const tdi_member *m = tdi_constraints_member(h, y, k);
        tdi_state_positions(m->body, tdi_points_of(h->point + first, count), false,
                            h->place + first);
    }
}

void tdi_constraints_gather_all(tdi_constraint_set *all, const tdi_system *y) {
    for (tdi_constraint_set *h = all; h; h = h->next) {
        tdi_constraints_gather(h, y);
    }
}

void tdi_row_group_positions(const tdi_constraint_set *h, const tdi_row_group *b,
                             td_vec3 x[TDI_RELATION_POINTS]) {
    for (int32_t p = 0; p < b->law.point_count; p++) {
        x[p] = b->point[p] == TD_NONE ? b->fixed[p] : h->place[b->point[p]];
    }
}

tdi_frame_at tdi_point_frame(td_body *body, int32_t segment, td_vec3 at) {
    const tdi_point points[4] = {{TDI_POINT_POSITION, segment, at, {0, 0, 0}},
                                 {TDI_POINT_POSITION, segment, at, {1, 0, 0}},
                                 {TDI_POINT_POSITION, segment, at, {0, 1, 0}},
                                 {TDI_POINT_POSITION, segment, at, {0, 0, 1}}};
    td_vec3 x[4];
    tdi_state_positions(body, tdi_points_of(points, 4), false, x);
    return (tdi_frame_at){
        x[0], tdi_quat_from_axes(tdi_sub(x[1], x[0]), tdi_sub(x[2], x[0]), tdi_sub(x[3], x[0]))};
}

tdi_frame_at tdi_constraints_frame(const tdi_constraint_set *h, const tdi_system *y, int32_t k,
                                   int side, td_vec3 at) {
    const td_constraint *c = &h->def[k];
    const int32_t member = c->actor[side];
    if (member == TD_NONE) {
        const td_constraint_target *t = &h->state[k].target0;
        return (tdi_frame_at){tdi_add(t->position, tdi_quat_rotate(t->rotation, at)), t->rotation};
    }
    const tdi_member *m = tdi_constraints_member(h, y, member);
    return tdi_point_frame(m->body, c->segment[side], at);
}

void tdi_constraints_gather_member(tdi_constraint_set *h, const tdi_member *m, int32_t k,
                                   bool response) {
    const int32_t first = h->first_point[k], count = h->first_point[k + 1] - first;
    if (count > 0) {
        tdi_state_motions(m->body, tdi_points_of(h->point + first, count), response,
                          h->move + first);
    }
}

void tdi_constraints_gather_motions(tdi_constraint_set *h, const tdi_system *y) {
    for (int32_t k = 0; k < h->member_count; k++) {
        tdi_constraints_gather_member(h, tdi_constraints_member(h, y, k), k, false);
    }
}

// ---- rows -----------------------------------------------------------------------------------

// Of a row on one side, with the motions that were gathered.
static td_real seen(const tdi_constraint_set *h, const tdi_row_group *b, int side, int32_t row) {
    return tdi_dot(b->side[side].sees[row], h->move[tdi_row_point(b, side, row)]);
}

td_real tdi_row_change(const tdi_constraint_set *h, const tdi_row_group *b, int32_t row) {
    const td_real own = seen(h, b, 0, row);
    return tdi_is_pinned(b) ? own : own + seen(h, b, 1, row);
}

td_real tdi_row_displacement(const tdi_constraint_set *h, const tdi_row_group *b, int32_t k,
                             int32_t row) {
    const int32_t *actor = h->def[b->constraint].actor;
    td_real sum = 0;
    for (int side = 0; side < 2; side++) {
        sum += actor[side] == k ? (side ? -1 : 1) * seen(h, b, side, row) : 0;
    }
    return sum;
}

void tdi_row_apply(const tdi_constraint_set *h, const tdi_row_group *b, const tdi_member *m,
                   int32_t k, int32_t row, td_real force) {
    const int32_t *actor = h->def[b->constraint].actor;
    for (int side = 0; side < 2; side++) {
        if (actor[side] == k) {
            const td_vec3 f = tdi_scale(b->side[side].sees[row], side ? -force : force);
            const tdi_point *point = &h->point[tdi_row_point(b, side, row)];
            tdi_state_apply_forces(m->body, tdi_points_of(point, 1), &f);
        }
    }
}
