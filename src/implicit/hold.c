// SPDX-License-Identifier: MIT
// Constraints on the bodies of a system: making, the beginning and the end of steps, saving.

#include "implicit/hold.h"

#include "base/diag.h"

#include <math.h>
#include <string.h>

#define MOST_NODES  1000  // bonds that couple one body: the complement is dense within it
#define STATIC_RATE 100.0 // 1/s^2: in statics in place of 1/h^2
#define MERIT       10.0  // of the bodies' inertia: what a line search sees of an error
#define THIN        1e-6  // of a segment's inertia: what it has about itself at least
#define SOON        1e-9  // s: times that are the same but for rounding
#define TRY_AGAIN   1e-5  // m or rad: what could not be met and is as near as this is tried again

// ---- sizes ----------------------------------------------------------------------------------

// The number of a side's member, or TD_NONE.
static int32_t side_of(const td_constraint *c, int side) {
    return c->actor[side];
}

static bool couples(const td_constraint *c) {
    return c->actor[1] != TD_NONE;
}

typedef struct sizes {
    size_t texts, points;
    int32_t held, pins, nodes;
    int64_t links;
} sizes;

static td_joint_kind joint_of(const tdi_member *members, const td_constraint *c, int side) {
    const tdi_member *m = &members[c->actor[side]];
    return m->ops->pin_joint ? m->ops->pin_joint(m->body, c->segment[side]) : TD_JOINT_FIXED;
}

static td_joint_kind joint_if(const tdi_member *members, const td_constraint *c) {
    return tdi_constraint_of_joint(c->kind) ? joint_of(members, c, 0) : TD_JOINT_FIXED;
}

// The bonds of a constraint as far as they do not depend on poses.
static int32_t blank_bonds(const td_constraint *c, td_joint_kind joint, tdi_bond *bonds) {
    const tdi_found none = {.turn = {1, 0, 0, 0}};
    const tdi_rail no_curve = {0};
    tdi_constraint_bonds(c, joint, &none, &c->target, none.turn, &no_curve, bonds);
    return tdi_constraint_bond_count(c, joint);
}

static sizes measure(const tdi_member *members, const td_constraint *constraints, int32_t count) {
    sizes s = {0};
    for (int32_t k = 0; k < count; k++) {
        const td_constraint *c = &constraints[k];
        tdi_bond bonds[TDI_BONDS];
        const int32_t n = blank_bonds(c, joint_if(members, c), bonds);
        s.texts += c->name ? strlen(c->name) + 1 : 0;
        s.points += c->kind == TD_HOLD_CURVE ? (size_t)c->curve_count : 0;
        s.held += n;
        s.nodes += couples(c) ? n : 0;
        for (int32_t b = 0; b < n; b++) {
            s.pins += couples(c) ? bonds[b].pin_count + 1 : 1;
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
    if (c->kind == TD_HOLD_GEAR && !line) {
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
    const int32_t segments = ((const tdi_solver_state *)m->body)->segment_count;
    if (c->segment[side] >= segments) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: segment[%d] is %d; there are %d", name,
                           side, (int)c->segment[side], (int)segments);
    }
    if (!m->ops->pin_places) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k, "%s: this solver has no constraints", name);
    }
    if (!tdi_constraint_of_joint(c->kind)) {
        return TD_OK;
    }
    if (!m->ops->pin_joint) {
        return tdi_fail_at(diag, TD_ERR_ARGUMENT, k,
                           "%s: this solver has no joints that a constraint could hold; trees do",
                           name);
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

typedef struct parts { // of the block that are only needed while it is made
    char *text;
    td_vec3 *point, *m;
    td_real *work;
    void *sparse;
} parts;

static parts lay_out(tdi_holds *h, const sizes *s, int32_t links, int32_t blocks, tdi_layout *l) {
    const size_t n = (size_t)h->count, members = (size_t)h->member_count, pins = (size_t)s->pins;
    parts p;
    tdi_layout_place(l, 1, sizeof *h);
    h->def = tdi_layout_place(l, n, sizeof *h->def);
    h->joint = tdi_layout_place(l, n, sizeof *h->joint);
    h->curve = tdi_layout_place(l, n, sizeof *h->curve);
    h->state = tdi_layout_place(l, n, sizeof *h->state);
    h->began = tdi_layout_place(l, n, sizeof *h->began);
    h->now = tdi_layout_place(l, n, sizeof *h->now);
    h->held = tdi_layout_place(l, (size_t)s->held, sizeof *h->held);
    h->member = tdi_layout_place(l, members, sizeof *h->member);
    h->first_pin = tdi_layout_place(l, members + 1, sizeof *h->first_pin);
    h->pin = tdi_layout_place(l, pins, sizeof *h->pin);
    h->place = tdi_layout_place(l, pins, sizeof *h->place);
    h->move = tdi_layout_place(l, pins, sizeof *h->move);
    h->first_node = tdi_layout_place(l, members + 1, sizeof *h->first_node);
    h->node = tdi_layout_place(l, 2 * (size_t)s->nodes, sizeof *h->node);
    h->scale = tdi_layout_place(l, members, sizeof *h->scale);
    h->x = tdi_layout_place(l, (size_t)s->nodes, sizeof *h->x);
    p.text = tdi_layout_place(l, s->texts, 1);
    p.point = tdi_layout_place(l, s->points, sizeof *p.point);
    p.m = tdi_layout_place(l, s->points, sizeof *p.m);
    p.work = tdi_layout_place(l, 2 * s->points, sizeof *p.work);
    p.sparse = tdi_layout_place(l, tdi_sparse_bytes(s->nodes, links, blocks), 1);
    return p;
}

static void copy_constraints(tdi_holds *h, const tdi_member *members,
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
        if (c->kind == TD_HOLD_CURVE) {
            const int32_t n = c->curve_count;
            memcpy(p.point, c->curve, (size_t)n * sizeof *p.point);
            tdi_rail_fill(p.point, n, c->curve_closed, p.work, p.m);
            h->curve[k] = (tdi_rail){p.point, p.m, n, c->curve_closed};
            c->curve = p.point;
            p.point += n;
            p.m += n;
        }
        h->joint[k] = joint_if(members, c);
        h->state[k].target = h->state[k].target0 = h->now[k] = c->target;
        h->state[k].found.turn = tdi_quat_identity();
        h->state[k].along = NAN;
        h->state[k].asked = 1;
    }
}

// Bonds, and how many pins of each member they have, in first_pin one further on.
static void list_bonds(tdi_holds *h) {
    for (int32_t k = 0; k < h->count; k++) {
        const td_constraint *c = &h->def[k];
        tdi_bond bonds[TDI_BONDS];
        const int32_t n = blank_bonds(c, h->joint[k], bonds);
        for (int32_t b = 0; b < n; b++) {
            tdi_held *held = &h->held[h->held_count++];
            *held =
                (tdi_held){.hold = k, .bond = b, .node = TD_NONE, .mate = TD_NONE, .law = bonds[b]};
            for (int32_t p = 0; p < bonds[b].pin_count; p++) {
                const int32_t member = side_of(c, bonds[b].pin[p].second);
                if (member != TD_NONE) {
                    h->first_pin[member + 1]++;
                }
            }
            if (couples(c)) {
                h->first_pin[c->actor[1] + 1]++;
            }
        }
    }
}

// Numbers of pins, which lie by members.
static void number_pins(tdi_holds *h) {
    for (int32_t k = 0; k < h->member_count; k++) {
        h->first_pin[k + 1] += h->first_pin[k];
    }
    h->pin_count = h->first_pin[h->member_count];
    for (int32_t i = 0; i < h->held_count; i++) {
        tdi_held *b = &h->held[i];
        for (int32_t p = 0; p < TDI_BOND_PINS; p++) {
            const int32_t member =
                p < b->law.pin_count ? side_of(&h->def[b->hold], b->law.pin[p].second) : TD_NONE;
            b->pin[p] = member == TD_NONE ? TD_NONE : h->first_pin[member]++;
        }
        const td_constraint *c = &h->def[b->hold];
        b->mate = couples(c) ? h->first_pin[c->actor[1]]++ : TD_NONE;
    }
    for (int32_t k = h->member_count; k > 0; k--) {
        h->first_pin[k] = h->first_pin[k - 1];
    }
    h->first_pin[0] = 0;
}

static bool on_both(const td_constraint *c) {
    return c->actor[0] == c->actor[1];
}

// Bonds that couple, by members.
static void number_nodes(tdi_holds *h) {
    int32_t *first = h->first_node;
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < h->held_count; i++) {
            tdi_held *b = &h->held[i];
            const td_constraint *c = &h->def[b->hold];
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

static void order_nodes(tdi_holds *h) {
    tdi_sparse_begin(h->sparse, h->node_count);
    for (int32_t k = 0; k < h->member_count; k++) {
        for (int32_t i = h->first_node[k]; i < h->first_node[k + 1]; i++) {
            for (int32_t j = h->first_node[k]; j < i; j++) {
                tdi_sparse_link(h->sparse, h->held[h->node[j]].node, h->held[h->node[i]].node);
            }
        }
    }
}

// Links of the nodes of all members; `nodes` has a number a member, all 0. Below 0: one has too
// many.
static int64_t count_links(const tdi_member *members, int32_t member_count,
                           const td_constraint *constraints, int32_t count, int32_t *nodes) {
    int64_t links = 0;
    for (int32_t i = 0; i < count; i++) {
        const td_constraint *c = &constraints[i];
        const int32_t own = couples(c) ? tdi_constraint_bond_count(c, joint_if(members, c)) : 0;
        for (int side = 0; couples(c) && side < (on_both(c) ? 1 : 2); side++) {
            nodes[c->actor[side]] += own;
        }
    }
    for (int32_t k = 0; k < member_count; k++) {
        if (nodes[k] > MOST_NODES) {
            return -1;
        }
        links += (int64_t)nodes[k] * (nodes[k] - 1) / 2;
    }
    return links;
}

// Room for blocks of the factor: all there can be, or several times those of the matrix.
static int32_t blocks_for(int32_t nodes, int64_t links) {
    const int64_t all = (int64_t)nodes * (nodes - 1) / 2, most = 4 * links + 16 * nodes;
    return (int32_t)(all < most ? all : most);
}

static td_status too_dense(td_diag *diag) {
    return tdi_fail(diag, TD_ERR_LIMIT,
                    "constraints couple too many segments; at most %d points may be joined to one "
                    "actor, besides those that are held to the world",
                    MOST_NODES);
}

static td_status make(tdi_holds *sized, const sizes *s, int64_t links, const tdi_member *members,
                      const td_constraint *constraints, tdi_holds **out, td_diag *diag) {
    enum { SPACE = 20 }; // links a node: room for those that come while nodes are ordered
    const int32_t blocks = blocks_for(s->nodes, links),
                  room = (int32_t)(links + (int64_t)SPACE * s->nodes);
    tdi_layout l = {NULL, 0};
    lay_out(sized, s, room, blocks, &l);
    tdi_holds *h = tdi_alloc_zeroed(sized->alloc, 1, l.used);
    if (!h) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for constraints");
    }
    sized->bytes = l.used;
    l = (tdi_layout){(char *)h, 0};
    const parts p = lay_out(sized, s, room, blocks, &l);
    *h = *sized;
    copy_constraints(h, members, constraints, p);
    list_bonds(h);
    number_pins(h);
    number_nodes(h);
    tdi_holds_bind(h, NULL);
    if (h->node_count > 0) {
        h->sparse = tdi_sparse_place(s->nodes, room, blocks, p.sparse);
        order_nodes(h);
        if (!tdi_sparse_order(h->sparse)) {
            tdi_holds_free(h);
            return too_dense(diag);
        }
    }
    *out = h;
    return TD_OK;
}

td_status tdi_holds_new(const tdi_member *members, int32_t member_count,
                        const td_constraint *constraints, int32_t count, const td_alloc *alloc,
                        tdi_holds **out, td_diag *diag) {
    *out = NULL;
    td_status status = check_all(members, member_count, constraints, count, diag);
    if (status != TD_OK) {
        return status;
    }
    int32_t *nodes = tdi_alloc_zeroed(alloc, (size_t)member_count, sizeof *nodes);
    if (!nodes) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for constraints");
    }
    const int64_t links = count_links(members, member_count, constraints, count, nodes);
    tdi_alloc_free(alloc, nodes, (size_t)member_count * sizeof *nodes);
    if (links < 0 || links > INT32_MAX / 64) {
        return too_dense(diag);
    }
    const sizes s = measure(members, constraints, count);
    tdi_holds sized = {.alloc = alloc, .count = count, .member_count = member_count};
    return make(&sized, &s, links, members, constraints, out, diag);
}

void tdi_holds_free(tdi_holds *h) {
    if (h) {
        tdi_alloc_free(h->alloc, h, h->bytes);
    }
}

void tdi_holds_bind(tdi_holds *h, const int32_t *member) {
    for (int32_t k = 0; k < h->member_count; k++) {
        h->member[k] = member ? member[k] : k;
    }
}

// ---- what callers say and ask ---------------------------------------------------------------

void tdi_holds_set_time(tdi_holds *h, td_real time) {
    h->time = time;
}

void tdi_holds_set_target(tdi_holds *h, int32_t k, const td_constraint_target *target) {
    h->state[k].target = *target;
}

void tdi_holds_set_hold(tdi_holds *h, int32_t k, bool hold) {
    h->state[k].asked = hold;
}

td_constraint_report tdi_holds_report(const tdi_holds *h, int32_t k) {
    const tdi_hold_state *s = &h->state[k];
    return (td_constraint_report){.active = s->active,
                                  .broken = s->broken,
                                  .unmet = s->unmet,
                                  .error = s->error,
                                  .place = s->place,
                                  .force = s->force,
                                  .moment = s->moment};
}

size_t tdi_holds_save_size(const tdi_holds *h) {
    return (size_t)h->count * sizeof *h->state;
}

void tdi_holds_save(const tdi_holds *h, void *bytes) {
    memcpy(bytes, h->state, tdi_holds_save_size(h));
}

// Numbers that would lead out of arrays are put right; others show in the next step.
void tdi_holds_restore(tdi_holds *h, const void *bytes) {
    memcpy(h->state, bytes, tdi_holds_save_size(h));
    for (int32_t k = 0; k < h->count; k++) {
        tdi_hold_state *s = &h->state[k];
        int32_t *flags[] = {&s->asked, &s->active, &s->broken, &s->unmet};
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
            *flags[f] = *flags[f] != 0;
        }
        s->along = fabs(s->along) < 2 * TD_CONSTRAINT_CURVE_MAX ? s->along : NAN;
    }
}

// ---- the beginning of a step ----------------------------------------------------------------

static bool acts(const tdi_holds *h, int32_t k) {
    const td_constraint *c = &h->def[k];
    const tdi_hold_state *s = &h->state[k];
    return s->asked && !s->broken && h->time >= c->start - SOON && h->time < c->end - SOON;
}

static bool pushed_one_sided(const tdi_holds *h) {
    bool any = false;
    for (int32_t i = 0; i < h->held_count && !any; i++) {
        const tdi_held *b = &h->held[i];
        const tdi_hold_state *s = &h->state[b->hold];
        for (int32_t r = 0; b->law.one_sided && s->active && r < b->law.row_count; r++) {
            any = any || s->l[b->bond][r] < 0;
        }
    }
    return any;
}

bool tdi_holds_ready(const tdi_holds *all) {
    bool same = true;
    for (const tdi_holds *h = all; h && same; h = h->next) {
        for (int32_t k = 0; k < h->count && same; k++) {
            same = acts(h, k) == (h->state[k].active != 0);
        }
        same = same && !pushed_one_sided(h);
    }
    return same;
}

static td_vec3 between3(td_vec3 a, td_vec3 b, td_real part) {
    return tdi_madd(a, tdi_sub(b, a), part);
}

// The part of the way from one target to the next, turning the shorter way.
static td_constraint_target between(const td_constraint_target *a, const td_constraint_target *b,
                                    td_real part) {
    if (part >= 1) {
        return *b;
    }
    const td_quat turn = tdi_quat_unit(tdi_quat_mul(b->rotation, tdi_quat_conj(a->rotation)));
    const td_vec3 v = {turn.x, turn.y, turn.z};
    const td_real s = tdi_norm(v), angle = 2 * atan2(s, turn.w);
    const td_vec3 axis = tdi_unit_or(v, tdi_vec3(0, 1, 0));
    return (td_constraint_target){.position = between3(a->position, b->position, part),
                                  .rotation =
                                      tdi_quat_mul(tdi_quat_turn(axis, part * angle), a->rotation),
                                  .joint = between3(a->joint, b->joint, part),
                                  .length = a->length + part * (b->length - a->length)};
}

tdi_frame_at tdi_pin_frame(const tdi_implicit *ops, const void *body, int32_t segment, td_vec3 at) {
    const tdi_pin pins[4] = {{TDI_PIN_POINT, segment, at, {0, 0, 0}},
                             {TDI_PIN_POINT, segment, at, {1, 0, 0}},
                             {TDI_PIN_POINT, segment, at, {0, 1, 0}},
                             {TDI_PIN_POINT, segment, at, {0, 0, 1}}};
    td_vec3 x[4];
    ops->pin_places(body, pins, 4, false, x);
    return (tdi_frame_at){
        x[0], tdi_quat_from_axes(tdi_sub(x[1], x[0]), tdi_sub(x[2], x[0]), tdi_sub(x[3], x[0]))};
}

tdi_frame_at tdi_holds_frame(const tdi_holds *h, const tdi_system *y, int32_t k, int side,
                             td_vec3 at) {
    const td_constraint *c = &h->def[k];
    const int32_t member = side_of(c, side);
    if (member == TD_NONE) {
        const td_constraint_target *t = &h->state[k].target0;
        return (tdi_frame_at){tdi_add(t->position, tdi_quat_rotate(t->rotation, at)), t->rotation};
    }
    const tdi_member *m = tdi_holds_member(h, y, member);
    return tdi_pin_frame(m->ops, m->body, c->segment[side], at);
}

static td_real angle_of(const tdi_holds *h, const tdi_system *y, int32_t k, int side) {
    const td_constraint *c = &h->def[k];
    if (c->kind != TD_HOLD_GEAR) {
        return 0;
    }
    const tdi_pin pin = {.kind = TDI_PIN_JOINT, .segment = c->segment[side]};
    const tdi_member *m = tdi_holds_member(h, y, c->actor[side]);
    td_vec3 x;
    m->ops->pin_places(m->body, &pin, 1, false, &x);
    return x.x;
}

// A constraint starts.
static void start(tdi_holds *h, const tdi_system *y, int32_t k) {
    tdi_hold_state *s = &h->state[k];
    const td_vec3 *point = h->def[k].point;
    const tdi_frame_at sides[2] = {tdi_holds_frame(h, y, k, 0, point[0]),
                                   tdi_holds_frame(h, y, k, 1, point[1])};
    const td_real angles[2] = {angle_of(h, y, k, 0), angle_of(h, y, k, 1)};
    s->found = tdi_constraint_find(&h->def[k], sides, angles);
    memset(s->l, 0, sizeof s->l);
    memset(s->weight, 0, sizeof s->weight);
    s->along = NAN;
    s->unmet = 0;
}

// What a bond holds by in this step.
static void place_pins(tdi_holds *h, tdi_held *b) {
    const td_constraint *c = &h->def[b->hold];
    const td_constraint_target *now = &h->now[b->hold];
    for (int32_t p = 0; p < b->law.pin_count; p++) {
        const tdi_bond_pin *pin = &b->law.pin[p];
        if (b->pin[p] == TD_NONE) {
            const td_vec3 own = tdi_add(pin->at, pin->arm);
            b->fixed[p] = tdi_add(now->position, tdi_quat_rotate(now->rotation, own));
        } else {
            h->pin[b->pin[p]] = (tdi_pin){pin->joint ? TDI_PIN_JOINT : TDI_PIN_POINT,
                                          c->segment[pin->second], pin->at, pin->arm};
        }
    }
}

// kg, or kg m^2 of a joint that turns: what a bond moves of one side at least.
static td_real inertia_of(const tdi_holds *h, const tdi_system *y, const tdi_held *b, int side) {
    const td_constraint *c = &h->def[b->hold];
    const tdi_member *m = tdi_holds_member(h, y, c->actor[side]);
    if (!tdi_constraint_of_joint(c->kind)) {
        return h->scale[c->actor[side]];
    }
    const td_vec3 i = m->ops->joint_inertia ? m->ops->joint_inertia(m->body, c->segment[side])
                                            : tdi_vec3(1, 1, 1);
    const td_real most = fmax(i.x, fmax(i.y, i.z)), least = THIN * most,
                  own = b->law.kind == TDI_BOND_TWIST ? fmax(i.y, least) : most;
    return own > 0 ? own : 1;
}

static void begin_bond(tdi_holds *h, const tdi_system *y, tdi_held *b, const tdi_bond *law) {
    const td_constraint *c = &h->def[b->hold];
    b->law = *law;
    memset(b->stiff, 0, sizeof b->stiff);
    b->stalls = 0;
    b->error = INFINITY;
    b->acts = acts(h, b->hold);
    place_pins(h, b);
    if (b->mate != TD_NONE) {
        h->pin[b->mate] = h->pin[b->pin[1]];
    }
    const td_real rate = h->h > 0 ? 1 / (h->h * h->h) : STATIC_RATE;
    td_real compliance = 0; // of both sides
    for (int side = 0; side < 2; side++) {
        compliance += c->actor[side] == TD_NONE ? 0 : 1 / inertia_of(h, y, b, side);
    }
    b->inertia = rate / compliance;
    b->merit = MERIT * b->inertia;
    h->coupled = h->coupled || (b->acts && b->node != TD_NONE);
}

static bool compares_turns(const td_constraint *c) {
    return c->kind == TD_HOLD_WELD || c->kind == TD_HOLD_HINGE;
}

static void begin_all(tdi_holds *h, const tdi_system *y, td_real step, td_real part) {
    memcpy(h->began, h->state, tdi_holds_save_size(h));
    h->h = step;
    h->coupled = false;
    for (int32_t k = 0; k < h->member_count; k++) {
        const tdi_member *m = tdi_holds_member(h, y, k);
        const td_real mass = m->ops->mass ? m->ops->mass(m->body) : 1;
        const int32_t segments = ((const tdi_solver_state *)m->body)->segment_count;
        h->scale[k] = mass > 0 && segments > 0 ? mass / segments : 1;
    }
    for (int32_t k = 0, i = 0; k < h->count; k++) {
        tdi_hold_state *s = &h->state[k];
        tdi_bond bonds[TDI_BONDS];
        if (acts(h, k) && !s->active) {
            start(h, y, k);
        }
        s->unmet = s->unmet && s->error > TRY_AGAIN;
        h->now[k] = between(&s->target0, &s->target, part);
        const td_quat turned = acts(h, k) && compares_turns(&h->def[k])
                                   ? tdi_holds_frame(h, y, k, 0, h->def[k].point[0]).rotation
                                   : tdi_quat_identity();
        tdi_constraint_bonds(&h->def[k], h->joint[k], &s->found, &h->now[k], turned, &h->curve[k],
                             bonds);
        for (; i < h->held_count && h->held[i].hold == k; i++) {
            begin_bond(h, y, &h->held[i], &bonds[h->held[i].bond]);
        }
    }
}

void tdi_holds_begin(tdi_holds *all, const tdi_system *y, td_real step, td_real part) {
    for (tdi_holds *h = all; h; h = h->next) {
        begin_all(h, y, step, part);
    }
}

void tdi_holds_undo(tdi_holds *all) {
    for (tdi_holds *h = all; h; h = h->next) {
        memcpy(h->state, h->began, tdi_holds_save_size(h));
    }
}

// ---- the end of a step ----------------------------------------------------------------------

// Forces of a bond on the pins of the first side: minus the gradient. Joints: their moment.
static void add_report(const tdi_holds *h, const tdi_held *b, const td_vec3 *x, tdi_hold_state *s) {
    const bool joint = tdi_constraint_of_joint(h->def[b->hold].kind);
    for (int32_t p = 0; p < b->law.pin_count; p++) {
        td_vec3 force = {0, 0, 0};
        for (int32_t r = 0; r < b->law.row_count; r++) {
            const td_real f = s->unmet ? b->k * b->at.c[r] : s->l[b->bond][r];
            force = tdi_madd(force, b->at.gradient[r][p], -f);
        }
        if (b->law.pin[p].second) {
            continue;
        }
        if (joint) {
            s->moment = tdi_add(s->moment, force);
        } else {
            s->force = tdi_add(s->force, force);
            s->moment = tdi_add(s->moment, tdi_cross(tdi_sub(x[p], s->place), force));
        }
    }
}

static void report_bond(tdi_holds *h, tdi_held *b) {
    tdi_hold_state *s = &h->state[b->hold];
    td_vec3 x[TDI_BOND_PINS];
    tdi_held_places(h, b, x);
    if (b->bond == 0) {
        s->place = tdi_constraint_of_joint(h->def[b->hold].kind) ? tdi_vec3(0, 0, 0) : x[0];
        s->force = s->moment = tdi_vec3(0, 0, 0);
        s->error = 0;
    }
    if (b->acts) {
        tdi_bond_evaluate(&b->law, x, &s->along, &b->at);
        add_report(h, b, x, s);
        s->error = fmax(s->error, b->error);
    }
}

static void accept_all(tdi_holds *h, const tdi_system *y) {
    tdi_holds_gather(h, y);
    for (int32_t i = 0; i < h->held_count; i++) {
        report_bond(h, &h->held[i]);
    }
    for (int32_t k = 0; k < h->count; k++) {
        const td_constraint *c = &h->def[k];
        tdi_hold_state *s = &h->state[k];
        const bool joint = tdi_constraint_of_joint(c->kind);
        s->active = acts(h, k);
        s->target0 = h->now[k];
        if (s->active && tdi_norm(joint ? s->moment : s->force) > c->break_force) {
            s->broken = 1;
        }
    }
}

void tdi_holds_accept(tdi_holds *all, const tdi_system *y) {
    for (tdi_holds *h = all; h; h = h->next) {
        accept_all(h, y);
    }
}
