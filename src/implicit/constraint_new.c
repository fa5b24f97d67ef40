// SPDX-License-Identifier: MIT
// Constraints on the bodies of a system: checks and making.

#include "implicit/coupled.h"
#include "implicit/constraint.h"

#include "base/diag.h"

#include <math.h>
#include <string.h>

// ---- sizes ----------------------------------------------------------------------------------

// The number of a side's member, or TD_NONE.
static int32_t side_of(const td_constraint *c, int side) {
    return c->actor[side];
}

static bool couples(const td_constraint *c) {
    return c->actor[1] != TD_NONE;
}

typedef struct sizes {
    size_t texts, curve_points;
    int32_t group, points, nodes;
} sizes;

static td_joint_kind joint_of(const tdi_member *members, const td_constraint *c, int side) {
    const tdi_member *m = &members[c->actor[side]];
    return m->body->ops->joints ? m->body->ops->joints->joint(m->body, c->segment[side]).kind
                                : TD_JOINT_FIXED;
}

static td_joint_kind joint_if(const tdi_member *members, const td_constraint *c) {
    return tdi_constraint_of_joint(c->kind) ? joint_of(members, c, 0) : TD_JOINT_FIXED;
}

// The relations of a constraint as far as they do not depend on poses.
static int32_t blank_relations(const td_constraint *c, td_joint_kind joint,
                               tdi_relation *relations) {
    const tdi_rest_placement none = {.turn = {1, 0, 0, 0}};
    const tdi_cubic_curve no_curve = {0};
    tdi_constraint_relations(c, joint, &none, &c->target, none.turn, &no_curve, relations);
    return tdi_constraint_relation_count(c, joint);
}

// Further points of a coupled relation: that of its second side, unless it is one of the relation's
// own, and its offset.
static int32_t extra_points(tdi_relation_kind kind) {
    return tdi_relation_is_rotating(kind) ? 2 : kind == TDI_RELATION_ENDS ? 1 : 0;
}

static sizes measure(const tdi_member *members, const td_constraint *constraints, int32_t count) {
    sizes s = {0};
    for (int32_t k = 0; k < count; k++) {
        const td_constraint *c = &constraints[k];
        tdi_relation relations[TDI_RELATIONS];
        const int32_t n = blank_relations(c, joint_if(members, c), relations);
        s.texts += c->name ? strlen(c->name) + 1 : 0;
        s.curve_points += c->kind == TD_CONSTRAINT_CURVE ? (size_t)c->curve_count : 0;
        s.group += n;
        s.nodes += couples(c) ? n : 0;
        for (int32_t b = 0; b < n; b++) {
            s.points += couples(c) ? relations[b].point_count + extra_points(relations[b].kind) : 1;
        }
    }
    return s;
}

// ---- checks ---------------------------------------------------------------------------------

static const char *joint_fault(const td_constraint *c, td_joint_kind joint) {
    const bool line = joint == TD_JOINT_HINGE || joint == TD_JOINT_SLIDE;
    if (!line && joint != TD_JOINT_BALL) {
        return "has no joint that can be a hinge, a slide or a ball";
    }
    if (c->kind == TD_CONSTRAINT_GEAR && !line) {
        return "has a ball joint; a gear needs hinges or slides";
    }
    return NULL;
}

static td_status check_side(const tdi_member *members, int32_t member_count, const td_constraint *c,
                            int32_t k, int side, td_diag *diag) {
    char name[80];
    tdi_constraint_name(c, k, name);
    if (c->actor[side] >= member_count) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: actor[%d] is %d; there are %d", name,
                           side, (int)c->actor[side], (int)member_count);
    }
    const tdi_member *m = &members[c->actor[side]];
    const int32_t segments = m->body->segment_count;
    if (c->segment[side] >= segments) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: segment[%d] is %d; there are %d", name,
                           side, (int)c->segment[side], (int)segments);
    }
    if (!tdi_state_offers(m->body, TDI_POINT_POSITION)) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: this solver has no constraints", name);
    }
    if (!tdi_constraint_of_joint(c->kind)) {
        return TD_OK;
    }
    if (!m->body->ops->joints) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                           "%s: this solver has no joints that a constraint could hold", name);
    }
    const char *fault = joint_fault(c, joint_of(members, c, side));
    return fault ? tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: segment %d %s", name,
                               (int)c->segment[side], fault)
                 : TD_OK;
}

static td_status check_all(const tdi_member *members, int32_t member_count,
                           const td_constraint *constraints, int32_t count, td_diag *diag) {
    td_status status = td_constraints_check(constraints, count, diag);
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        const td_constraint *c = &constraints[k];
        for (int side = 0; side < 2 && status == TD_OK; side++) {
            if (side_of(c, side) != TD_NONE) {
                status = check_side(members, member_count, c, k, side, diag);
            }
        }
    }
    return status;
}

// ---- making ---------------------------------------------------------------------------------

static void claim_bodies(const tdi_member *members, const td_constraint *constraints,
                         int32_t count) {
    for (int32_t k = 0; k < 2 * count; k++) {
        const td_constraint *c = &constraints[k / 2];
        td_body *body = side_of(c, k % 2) == TD_NONE ? NULL : members[c->actor[k % 2]].body;
        if (body) {
            body->constrained = true;
        }
        if (body && tdi_constraint_of_joint(c->kind) && body->ops->joints->mark_constrained) {
            body->ops->joints->mark_constrained(body, c->segment[k % 2]);
        }
    }
}

typedef struct parts { // of the block that are only needed while it is made
    char *text;
    td_vec3 *point, *m;
    td_real *work;
} parts;

static parts lay_out(tdi_constraint_set *h, const sizes *s, tdi_layout *l) {
    const size_t n = (size_t)h->count, members = (size_t)h->member_count,
                 points = (size_t)s->points;
    parts p;
    tdi_layout_place(l, 1, sizeof *h);
    h->def = tdi_layout_place(l, n, sizeof *h->def);
    h->joint = tdi_layout_place(l, n, sizeof *h->joint);
    h->curve = tdi_layout_place(l, n, sizeof *h->curve);
    h->state = tdi_layout_place(l, n, sizeof *h->state);
    h->began = tdi_layout_place(l, n, sizeof *h->began);
    h->now = tdi_layout_place(l, n, sizeof *h->now);
    h->group = tdi_layout_place(l, (size_t)s->group, sizeof *h->group);
    h->member = tdi_layout_place(l, members, sizeof *h->member);
    h->first_point = tdi_layout_place(l, members + 1, sizeof *h->first_point);
    h->point = tdi_layout_place(l, points, sizeof *h->point);
    h->place = tdi_layout_place(l, points, sizeof *h->place);
    h->move = tdi_layout_place(l, points, sizeof *h->move);
    h->first_node = tdi_layout_place(l, members + 1, sizeof *h->first_node);
    h->node = tdi_layout_place(l, 2 * (size_t)s->nodes, sizeof *h->node);
    h->scale = tdi_layout_place(l, members, sizeof *h->scale);
    p.text = tdi_layout_place(l, s->texts, 1);
    p.point = tdi_layout_place(l, s->curve_points, sizeof *p.point);
    p.m = tdi_layout_place(l, s->curve_points, sizeof *p.m);
    p.work = tdi_layout_place(l, 2 * s->curve_points, sizeof *p.work);
    return p;
}

static void copy_constraints(tdi_constraint_set *h, const tdi_member *members,
                             const td_constraint *constraints, parts p) {
    for (int32_t k = 0; k < h->count; k++) {
        td_constraint *c = &h->def[k];
        *c = constraints[k];
        if (c->name) {
            const size_t length = strlen(c->name) + 1;
            memcpy(p.text, c->name, length);
            c->name = p.text;
            p.text += length;
        }
        if (c->kind == TD_CONSTRAINT_CURVE) {
            const int32_t n = c->curve_count;
            memcpy(p.point, c->curve, (size_t)n * sizeof *p.point);
            tdi_cubic_curve_fill(p.point, n, c->curve_closed, p.work, p.m);
            h->curve[k] = (tdi_cubic_curve){p.point, p.m, n, c->curve_closed};
            c->curve = p.point;
            p.point += n;
            p.m += n;
        }
        h->joint[k] = joint_if(members, c);
        h->state[k].target = h->state[k].target0 = h->now[k] = c->target;
        h->state[k].found.turn = tdi_quat_identity();
        h->state[k].along = NAN;
        h->state[k].requested = 1;
    }
}

// Relations, and how many points of each member they have, in first_point one further on.
static void list_relations(tdi_constraint_set *h) {
    for (int32_t k = 0; k < h->count; k++) {
        const td_constraint *c = &h->def[k];
        tdi_relation relations[TDI_RELATIONS];
        const int32_t n = blank_relations(c, h->joint[k], relations);
        for (int32_t b = 0; b < n; b++) {
            tdi_row_group *group = &h->group[h->group_count++];
            *group = (tdi_row_group){.constraint = k,
                                     .relation = b,
                                     .node = TD_NONE,
                                     .side = {{.point = TD_NONE, .offset = TD_NONE},
                                              {.point = TD_NONE, .offset = TD_NONE}},
                                     .law = relations[b]};
            for (int32_t p = 0; p < relations[b].point_count; p++) {
                const int32_t member = side_of(c, relations[b].point[p].second);
                if (member != TD_NONE) {
                    h->first_point[member + 1]++;
                }
            }
            if (couples(c)) {
                h->first_point[c->actor[1] + 1] += extra_points(relations[b].kind);
            }
        }
    }
}

// Numbers of points, which lie by members.
static void number_points(tdi_constraint_set *h) {
    for (int32_t k = 0; k < h->member_count; k++) {
        h->first_point[k + 1] += h->first_point[k];
    }
    for (int32_t i = 0; i < h->group_count; i++) {
        tdi_row_group *b = &h->group[i];
        for (int32_t p = 0; p < TDI_RELATION_POINTS; p++) {
            const int32_t member = p < b->law.point_count
                                       ? side_of(&h->def[b->constraint], b->law.point[p].second)
                                       : TD_NONE;
            b->point[p] = member == TD_NONE ? TD_NONE : h->first_point[member]++;
        }
        const td_constraint *c = &h->def[b->constraint];
        const int32_t extra = couples(c) ? extra_points(b->law.kind) : 0;
        b->side[0].point = b->point[0];
        b->side[1].point = extra > 0    ? h->first_point[c->actor[1]]++
                           : couples(c) ? b->point[1]
                                        : TD_NONE;
        b->side[1].offset = extra > 1 ? h->first_point[c->actor[1]]++ : TD_NONE;
    }
    for (int32_t k = h->member_count; k > 0; k--) {
        h->first_point[k] = h->first_point[k - 1];
    }
    h->first_point[0] = 0;
}

static bool on_both(const td_constraint *c) {
    return c->actor[0] == c->actor[1];
}

// Relations that couple, by members.
static void number_nodes(tdi_constraint_set *h) {
    int32_t *first = h->first_node;
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < h->group_count; i++) {
            tdi_row_group *b = &h->group[i];
            const td_constraint *c = &h->def[b->constraint];
            for (int side = 0; couples(c) && side < (on_both(c) ? 1 : 2); side++) {
                const int32_t k = c->actor[side];
                if (pass == 0) {
                    first[k + 1]++;
                } else {
                    h->node[first[k]++] = i;
                }
            }
            if (pass == 0 && couples(c)) {
                b->node = h->node_count++;
            }
        }
        for (int32_t k = 0; pass == 0 && k < h->member_count; k++) {
            first[k + 1] += first[k];
        }
    }
    for (int32_t k = h->member_count; k > 0; k--) {
        first[k] = first[k - 1];
    }
    first[0] = 0;
}

static int32_t number_rows(tdi_constraint_set *h) {
    int32_t count = 0;
    for (int32_t i = 0; i < h->group_count; i++) {
        tdi_row_group *b = &h->group[i];
        b->first_row = count;
        b->row_count =
            b->node == TD_NONE ? 0 : b->law.row_count + tdi_relation_curvature_rows(&b->law);
        count += b->row_count;
    }
    return count;
}

// Where all relations that couple are between points of one body that takes rows.
static bool make_rows(tdi_constraint_set *h, const tdi_member *members) {
    h->solve.inner = TD_NONE;
    for (int32_t i = 0; i < h->group_count; i++) {
        const td_constraint *c = &h->def[h->group[i].constraint];
        if (couples(c) && (!on_both(c) || tdi_constraint_of_joint(c->kind) ||
                           (h->solve.inner != TD_NONE && h->solve.inner != c->actor[0]))) {
            h->solve.inner = TD_NONE;
            return true;
        }
        h->solve.inner = couples(c) ? c->actor[0] : h->solve.inner;
    }
    const int32_t count = number_rows(h);
    if (h->node_count == 0 || !members[h->solve.inner].body->ops->rows) {
        return true;
    }
    int32_t(*segments)[2] = tdi_alloc_zeroed(h->alloc, (size_t)count, sizeof *segments);
    for (int32_t i = 0; segments && i < h->group_count; i++) {
        const tdi_row_group *b = &h->group[i];
        for (int32_t r = 0; r < b->row_count; r++) {
            int32_t *row = segments[b->first_row + r];
            row[0] = h->def[b->constraint].segment[0];
            row[1] = h->def[b->constraint].segment[1];
        }
    }
    const tdi_member *m = &members[h->solve.inner];
    h->solve.row_ops = m->body->ops->rows;
    h->solve.rows = segments ? h->solve.row_ops->make(m->body, segments, count, h->alloc) : NULL;
    tdi_alloc_free(h->alloc, segments, (size_t)count * sizeof *segments);
    return segments;
}

// Rows that are eliminated with their body need no system, unless there is contact.
static bool make_system(tdi_constraint_set *h, const tdi_member *members, bool has_contact) {
    const bool needed = h->node_count > 0 && (has_contact || !h->solve.rows);
    h->solve.own = needed ? tdi_coupled_of_set(h, members) : NULL;
    return h->solve.own || !needed;
}

static td_status make(tdi_constraint_set *sized, const sizes *s, const tdi_member *members,
                      const td_constraint *constraints, bool has_contact, tdi_constraint_set **out,
                      td_diag *diag) {
    tdi_layout l = {NULL, 0};
    lay_out(sized, s, &l);
    tdi_constraint_set *h = tdi_alloc_zeroed(sized->alloc, 1, l.used);
    if (!h) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for constraints");
    }
    sized->bytes = l.used;
    l = (tdi_layout){(char *)h, 0};
    const parts p = lay_out(sized, s, &l);
    *h = *sized;
    copy_constraints(h, members, constraints, p);
    list_relations(h);
    number_points(h);
    number_nodes(h);
    tdi_constraints_bind(h, NULL);
    if (!make_rows(h, members) || !make_system(h, members, has_contact)) {
        tdi_constraint_set_free(h);
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for constraints");
    }
    *out = h;
    return TD_OK;
}

td_status tdi_constraint_set_new(const tdi_member *members, int32_t member_count,
                                 const td_constraint *constraints, int32_t count, bool has_contact,
                                 const td_alloc *alloc, tdi_constraint_set **out, td_diag *diag) {
    *out = NULL;
    TDI_TRY(check_all(members, member_count, constraints, count, diag));
    claim_bodies(members, constraints, count);
    const sizes s = measure(members, constraints, count);
    tdi_constraint_set sized = {.alloc = alloc, .count = count, .member_count = member_count};
    return make(&sized, &s, members, constraints, has_contact, out, diag);
}

void tdi_constraint_set_free(tdi_constraint_set *h) {
    if (h) {
        tdi_coupled_free(h->solve.own, h->alloc);
        if (h->solve.rows) {
            h->solve.row_ops->free(h->solve.rows);
        }
        tdi_alloc_free(h->alloc, h, h->bytes);
    }
}

void tdi_constraints_bind(tdi_constraint_set *h, const int32_t *member) {
    for (int32_t k = 0; k < h->member_count; k++) {
        h->member[k] = member ? member[k] : k;
    }
}
