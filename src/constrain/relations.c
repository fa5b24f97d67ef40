// SPDX-License-Identifier: MIT
// The bonds that constraints are made of.
//
// A weld is three points that coincide, a hinge two; a slider keeps three points on lines. Where
// the first points of two rigid sides coincide, others need not be compared in all directions:
// along the line from the first point they agree to the second order, and two rows across it make
// them agree. These directions are those at the beginning of the step, so that rows are linear in
// places.

#include "constrain/constrain.h"

#define REACH 0.1 // m: between the points of one weld, hinge or slider

static const td_vec3 none = {0, 0, 0};

// ---- points -----------------------------------------------------------------------------------

// A point of a side of the constraint, and an arm that leads on from it in the frame there.
typedef struct spot {
    td_vec3 at, arm;
} spot;

static spot first_of(const td_constraint *c, td_vec3 arm) {
    return (spot){c->point[0], arm};
}

static spot second_of(const td_constraint *c, td_vec3 arm) {
    return (spot){c->point[1], arm};
}

static spot further(spot a, td_vec3 way) {
    return (spot){a.at, tdi_add(a.arm, way)};
}

static tdi_relation_point first_at(spot a) {
    return (tdi_relation_point){.at = a.at, .arm = a.arm};
}

static tdi_relation_point second_at(spot b) {
    return (tdi_relation_point){.second = true, .at = b.at, .arm = b.arm};
}

static tdi_relation point_bond(spot a, spot b) {
    return (tdi_relation){.kind = TDI_RELATION_POINT,
                          .row_count = 3,
                          .point_count = 2,
                          .point = {first_at(a), second_at(b)},
                          .way = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

// The same compared along some directions of the world.
static tdi_relation part_bond(spot a, spot b, td_vec3 way0, td_vec3 way1, int32_t rows) {
    tdi_relation bond = point_bond(a, b);
    bond.row_count = rows;
    bond.way[0] = way0;
    bond.way[1] = way1;
    return bond;
}

// Point a stays on the line through b square to the two directions, or on the plane square to the
// first.
static tdi_relation line_bond(spot a, spot b, td_vec3 e1, td_vec3 e2, int32_t rows) {
    return (tdi_relation){
        .kind = TDI_RELATION_LINE,
        .row_count = rows,
        .point_count = 2 + rows,
        .point = {first_at(a), second_at(b), second_at(further(b, e1)), second_at(further(b, e2))}};
}

// Rows of what lies between low and high.
static void set_range(tdi_relation *bond, td_real low, td_real high) {
    bond->one_sided = true;
    bond->low = low;
    bond->high = high;
    bond->has_low = low > -INFINITY;
    bond->has_high = high < INFINITY;
    bond->row_count = bond->has_low + bond->has_high;
}

static tdi_relation along_bond(spot a, spot b, td_vec3 axis, td_real low, td_real high) {
    tdi_relation bond = {.kind = TDI_RELATION_ALONG,
                         .point_count = 3,
                         .point = {first_at(a), second_at(b), second_at(further(b, axis))}};
    set_range(&bond, low, high);
    return bond;
}

// ---- kinds ----------------------------------------------------------------------------------

// Between two segments the target turns the first side on from how it was found.
static int32_t weld(const td_constraint *c, const tdi_rest_placement *f,
                    const td_constraint_target *target, td_quat turned, tdi_relation *bonds) {
    const td_quat turn = c->actor[1] == TD_NONE ? f->turn : tdi_quat_mul(f->turn, target->rotation);
    const td_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const td_vec3 ways[2] = {tdi_scale(x, REACH), tdi_scale(y, REACH)};
    const td_vec3 across[3] = {tdi_quat_rotate(turned, y), tdi_quat_rotate(turned, z), {0, 0, 0}};
    bonds[0] = point_bond(first_of(c, none), second_of(c, f->arm));
    for (int k = 0; k < 2; k++) { // along x it stays across, y does not turn about x
        const td_vec3 way = tdi_quat_rotate(turn, ways[k]);
        bonds[1 + k] = part_bond(first_of(c, ways[k]), second_of(c, tdi_add(f->arm, way)),
                                 across[k], across[k + 1], 2 - k);
    }
    return 3;
}

// The axis in the second side's axes.
static td_vec3 second_axis(const td_constraint *c, const tdi_rest_placement *f) {
    return c->as_found ? tdi_quat_rotate(f->turn, c->axis[0]) : c->axis[1];
}

static int32_t hinge(const td_constraint *c, const tdi_rest_placement *f, td_quat turned,
                     tdi_relation *bonds) {
    const td_vec3 axis = tdi_quat_rotate(turned, c->axis[0]), across = tdi_across(axis);
    bonds[0] = point_bond(first_of(c, none), second_of(c, f->arm));
    bonds[1] = part_bond(first_of(c, tdi_scale(c->axis[0], REACH)),
                         second_of(c, tdi_madd(f->arm, second_axis(c, f), REACH)), across,
                         tdi_cross(axis, across), 2);
    return 2;
}

// Two points on the axis stay on its line, and a third one beside it does not turn around it.
static int32_t slider(const td_constraint *c, const tdi_rest_placement *f, tdi_relation *bonds) {
    const td_vec3 u = second_axis(c, f), e1 = tdi_across(u), e2 = tdi_cross(u, e1);
    const td_vec3 along = tdi_scale(u, REACH), beside = tdi_scale(e1, REACH);
    const td_quat back = tdi_quat_conj(f->turn);
    const spot a = first_of(c, none), b = second_of(c, f->arm);
    bonds[0] = line_bond(a, b, e1, e2, 2);
    bonds[1] = line_bond(further(a, tdi_quat_rotate(back, along)), further(b, along), e1, e2, 2);
    bonds[2] = line_bond(further(a, tdi_quat_rotate(back, beside)), further(b, beside), e2, e2, 1);
    bonds[3] = along_bond(a, b, u, c->low, c->high);
    return bonds[3].row_count > 0 ? 4 : 3;
}

static int32_t on_curve(const td_constraint *c, const tdi_rail *curve, tdi_relation *bonds) {
    const spot o = {none, none};
    const td_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    bonds[0] = (tdi_relation){.kind = TDI_RELATION_CURVE,
                              .row_count = 3,
                              .point_count = 5,
                              .point = {first_at(first_of(c, none)), second_at(o),
                                        second_at(further(o, x)), second_at(further(o, y)),
                                        second_at(further(o, z))},
                              .curve = *curve};
    if (c->curve_closed) {
        return 1;
    }
    bonds[1] = bonds[0];
    bonds[1].kind = TDI_RELATION_ENDS;
    bonds[1].row_count = 2;
    bonds[1].one_sided = true;
    return 2;
}

static int32_t distance(const td_constraint *c, const tdi_rest_placement *f,
                        const td_constraint_target *target, tdi_relation *bonds) {
    bonds[0] = point_bond(first_of(c, none), second_of(c, none));
    bonds[0].kind = TDI_RELATION_DISTANCE;
    bonds[0].row_count = 1;
    bonds[0].low = c->as_found ? f->length : target->length;
    bonds[0].one_sided = c->kind == TD_CONSTRAINT_ROPE;
    return 1;
}

static tdi_relation joint_bond(tdi_relation_kind kind) {
    return (tdi_relation){
        .kind = kind, .row_count = 1, .point_count = 1, .point = {{.joint = true}}};
}

static int32_t follow(td_joint_kind joint, td_vec3 target, tdi_relation *bonds) {
    bonds[0] = joint_bond(joint == TD_JOINT_BALL ? TDI_RELATION_TURN : TDI_RELATION_ANGLE);
    bonds[0].row_count = joint == TD_JOINT_BALL ? 3 : 1;
    bonds[0].target = target;
    return 1;
}

static int32_t gear(const td_constraint *c, const tdi_rest_placement *f, tdi_relation *bonds) {
    bonds[0] = joint_bond(TDI_RELATION_GEAR);
    bonds[0].point_count = 2;
    bonds[0].point[1] = (tdi_relation_point){.second = true, .joint = true};
    bonds[0].ratio = c->ratio;
    bonds[0].low = f->offset;
    return 1;
}

static int32_t limit(const td_constraint *c, td_joint_kind joint, tdi_relation *bonds) {
    const bool ball = joint == TD_JOINT_BALL;
    int32_t count = 0;
    if (ball && c->cone < TDI_PI) {
        bonds[count] = joint_bond(TDI_RELATION_CONE);
        bonds[count].one_sided = true;
        bonds[count++].high = c->cone;
    }
    tdi_relation range = joint_bond(ball ? TDI_RELATION_TWIST : TDI_RELATION_RANGE);
    set_range(&range, c->low, c->high);
    if (range.row_count > 0) {
        bonds[count++] = range;
    }
    return count;
}

static int32_t make(const td_constraint *c, td_joint_kind joint, const tdi_rest_placement *f,
                    const td_constraint_target *target, td_quat turned, const tdi_rail *curve,
                    tdi_relation *bonds) {
    switch (c->kind) {
    case TD_CONSTRAINT_WELD: return weld(c, f, target, turned, bonds);
    case TD_CONSTRAINT_HINGE: return hinge(c, f, turned, bonds);
    case TD_CONSTRAINT_SLIDER: return slider(c, f, bonds);
    case TD_CONSTRAINT_CURVE: return on_curve(c, curve, bonds);
    case TD_CONSTRAINT_DISTANCE:
    case TD_CONSTRAINT_ROPE: return distance(c, f, target, bonds);
    case TD_CONSTRAINT_STOP:
        bonds[0] = along_bond(first_of(c, none), second_of(c, none), c->axis[1], 0, INFINITY);
        return 1;
    case TD_CONSTRAINT_JOINT: return follow(joint, target->joint, bonds);
    case TD_CONSTRAINT_GEAR: return gear(c, f, bonds);
    case TD_CONSTRAINT_LIMIT: return limit(c, joint, bonds);
    default: bonds[0] = point_bond(first_of(c, none), second_of(c, f->arm)); return 1;
    }
}

// ---- entry ----------------------------------------------------------------------------------

int32_t tdi_constraint_relation_count(const td_constraint *c, td_joint_kind joint) {
    const tdi_rest_placement nothing = {.turn = {1, 0, 0, 0}};
    const tdi_rail no_curve = {0};
    const td_constraint_target here = {.rotation = {1, 0, 0, 0}};
    tdi_relation bonds[TDI_RELATIONS];
    return make(c, joint, &nothing, &here, here.rotation, &no_curve, bonds);
}

void tdi_constraint_relations(const td_constraint *c, td_joint_kind joint,
                              const tdi_rest_placement *found, const td_constraint_target *target,
                              td_quat turned, const tdi_rail *curve,
                              tdi_relation bonds[TDI_RELATIONS]) {
    make(c, joint, found, target, turned, curve, bonds);
}

tdi_rest_placement tdi_constraint_find(const td_constraint *c, const tdi_frame_at sides[2],
                                       const td_real angles[2]) {
    tdi_rest_placement f = {.turn = c->rotation, .offset = c->offset};
    if (!c->as_found) {
        return f;
    }
    const td_quat back = tdi_quat_conj(sides[1].rotation);
    f.arm = tdi_quat_rotate(back, tdi_sub(sides[0].position, sides[1].position));
    f.turn = tdi_quat_unit(tdi_quat_mul(back, sides[0].rotation));
    f.length = tdi_norm(f.arm);
    f.offset = angles[0] - c->ratio * angles[1];
    return f;
}
