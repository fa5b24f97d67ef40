// SPDX-License-Identifier: MIT
// The relations that constraints are made of.
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

static tdi_relation point_relation(spot a, spot b) {
    return (tdi_relation){.kind = TDI_RELATION_POINT,
                          .row_count = 3,
                          .point_count = 2,
                          .point = {first_at(a), second_at(b)},
                          .way = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

// The same compared along some directions of the world.
static tdi_relation part_relation(spot a, spot b, td_vec3 way0, td_vec3 way1, int32_t rows) {
    tdi_relation relation = point_relation(a, b);
    relation.row_count = rows;
    relation.way[0] = way0;
    relation.way[1] = way1;
    return relation;
}

// Point a stays on the line through b square to the two directions, or on the plane square to the
// first.
static tdi_relation line_relation(spot a, spot b, td_vec3 e1, td_vec3 e2, int32_t rows) {
    return (tdi_relation){
        .kind = TDI_RELATION_LINE,
        .row_count = rows,
        .point_count = 2 + rows,
        .point = {first_at(a), second_at(b), second_at(further(b, e1)), second_at(further(b, e2))}};
}

// Rows of a coordinate with bounds.
static void set_range(tdi_relation *relation, td_real low, td_real high) {
    relation->law = TDI_LAW_ONE_SIDED;
    relation->low = low;
    relation->high = high;
    relation->has_low = low > -INFINITY;
    relation->has_high = high < INFINITY;
    relation->row_count = relation->has_low + relation->has_high;
}

static tdi_relation along_relation(spot a, spot b, td_vec3 axis, td_real low, td_real high) {
    tdi_relation relation = {.kind = TDI_RELATION_ALONG,
                             .point_count = 3,
                             .point = {first_at(a), second_at(b), second_at(further(b, axis))}};
    set_range(&relation, low, high);
    return relation;
}

// ---- kinds ----------------------------------------------------------------------------------

// Between two segments the target turns the first side on from how it was found.
static int32_t weld(const td_constraint *c, const tdi_rest_placement *f,
                    const td_constraint_target *target, td_quat turned, tdi_relation *relations) {
    const td_quat turn = c->actor[1] == TD_NONE ? f->turn : tdi_quat_mul(f->turn, target->rotation);
    const td_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    const td_vec3 ways[2] = {tdi_scale(x, REACH), tdi_scale(y, REACH)};
    const td_vec3 across[3] = {tdi_quat_rotate(turned, y), tdi_quat_rotate(turned, z), {0, 0, 0}};
    relations[0] = point_relation(first_of(c, none), second_of(c, f->arm));
    for (int k = 0; k < 2; k++) { // along x it stays across, y does not turn about x
        const td_vec3 way = tdi_quat_rotate(turn, ways[k]);
        relations[1 + k] = part_relation(first_of(c, ways[k]), second_of(c, tdi_add(f->arm, way)),
                                         across[k], across[k + 1], 2 - k);
    }
    return 3;
}

// The axis in the second side's axes.
static td_vec3 second_axis(const td_constraint *c, const tdi_rest_placement *f) {
    return c->as_found ? tdi_quat_rotate(f->turn, c->axis[0]) : c->axis[1];
}

static int32_t hinge(const td_constraint *c, const tdi_rest_placement *f, td_quat turned,
                     tdi_relation *relations) {
    const td_vec3 axis = tdi_quat_rotate(turned, c->axis[0]), across = tdi_across(axis);
    relations[0] = point_relation(first_of(c, none), second_of(c, f->arm));
    relations[1] = part_relation(first_of(c, tdi_scale(c->axis[0], REACH)),
                                 second_of(c, tdi_madd(f->arm, second_axis(c, f), REACH)), across,
                                 tdi_cross(axis, across), 2);
    return 2;
}

// Two points on the axis stay on its line, and a third one beside it does not turn around it.
static int32_t slider(const td_constraint *c, const tdi_rest_placement *f,
                      tdi_relation *relations) {
    const td_vec3 u = second_axis(c, f), e1 = tdi_across(u), e2 = tdi_cross(u, e1);
    const td_vec3 along = tdi_scale(u, REACH), beside = tdi_scale(e1, REACH);
    const td_quat back = tdi_quat_conj(f->turn);
    const spot a = first_of(c, none), b = second_of(c, f->arm);
    relations[0] = line_relation(a, b, e1, e2, 2);
    relations[1] =
        line_relation(further(a, tdi_quat_rotate(back, along)), further(b, along), e1, e2, 2);
    relations[2] =
        line_relation(further(a, tdi_quat_rotate(back, beside)), further(b, beside), e2, e2, 1);
    relations[3] = along_relation(a, b, u, c->low, c->high);
    return relations[3].row_count > 0 ? 4 : 3;
}

static int32_t on_curve(const td_constraint *c, const tdi_cubic_curve *curve,
                        tdi_relation *relations) {
    const spot o = {none, none};
    const td_vec3 x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};
    relations[0] = (tdi_relation){.kind = TDI_RELATION_CURVE,
                                  .row_count = 3,
                                  .point_count = 5,
                                  .point = {first_at(first_of(c, none)), second_at(o),
                                            second_at(further(o, x)), second_at(further(o, y)),
                                            second_at(further(o, z))},
                                  .curve = *curve};
    if (c->curve_closed) {
        return 1;
    }
    relations[1] = relations[0];
    relations[1].kind = TDI_RELATION_ENDS;
    relations[1].row_count = 2;
    relations[1].law = TDI_LAW_ONE_SIDED;
    return 2;
}

// The distance of two points has no direction where it is 0. So a spring of length 0 acts along the
// axes of the world, k/2 |a - b|^2; but for dampers, which act on the rate of the distance.
static int32_t distance(const td_constraint *c, const tdi_rest_placement *f,
                        const td_constraint_target *target, tdi_relation *relations) {
    const td_real length = c->as_found ? f->length : target->length;
    relations[0] = point_relation(first_of(c, none), second_of(c, none));
    if (c->kind != TD_CONSTRAINT_SPRING || length > 0 || c->damping > 0) {
        relations[0].kind = TDI_RELATION_DISTANCE;
        relations[0].row_count = 1;
    }
    relations[0].low = length;
    relations[0].law = c->kind == TD_CONSTRAINT_ROPE     ? TDI_LAW_ONE_SIDED
                       : c->kind == TD_CONSTRAINT_SPRING ? TDI_LAW_SPRING
                                                         : TDI_LAW_EQUALITY;
    relations[0].stiffness = c->stiffness;
    relations[0].damping = c->damping;
    return 1;
}

static tdi_relation joint_relation(tdi_relation_kind kind) {
    return (tdi_relation){
        .kind = kind, .row_count = 1, .point_count = 1, .point = {{.joint = true}}};
}

static int32_t follow(td_joint_kind joint, td_vec3 target, tdi_relation *relations) {
    relations[0] = joint_relation(joint == TD_JOINT_BALL ? TDI_RELATION_TURN : TDI_RELATION_ANGLE);
    relations[0].row_count = joint == TD_JOINT_BALL ? 3 : 1;
    relations[0].target = target;
    return 1;
}

static int32_t gear(const td_constraint *c, const tdi_rest_placement *f, tdi_relation *relations) {
    relations[0] = joint_relation(TDI_RELATION_GEAR);
    relations[0].point_count = 2;
    relations[0].point[1] = (tdi_relation_point){.second = true, .joint = true};
    relations[0].ratio = c->ratio;
    relations[0].low = f->offset;
    return 1;
}

static int32_t limit(const td_constraint *c, td_joint_kind joint, tdi_relation *relations) {
    const bool ball = joint == TD_JOINT_BALL;
    int32_t count = 0;
    if (ball && c->cone < TDI_PI) {
        relations[count] = joint_relation(TDI_RELATION_CONE);
        relations[count].law = TDI_LAW_ONE_SIDED;
        relations[count++].high = c->cone;
    }
    tdi_relation range = joint_relation(ball ? TDI_RELATION_TWIST : TDI_RELATION_RANGE);
    set_range(&range, c->low, c->high);
    if (range.row_count > 0) {
        relations[count++] = range;
    }
    return count;
}

static int32_t make(const td_constraint *c, td_joint_kind joint, const tdi_rest_placement *f,
                    const td_constraint_target *target, td_quat turned,
                    const tdi_cubic_curve *curve, tdi_relation *relations) {
    switch (c->kind) {
    case TD_CONSTRAINT_WELD: return weld(c, f, target, turned, relations);
    case TD_CONSTRAINT_HINGE: return hinge(c, f, turned, relations);
    case TD_CONSTRAINT_SLIDER: return slider(c, f, relations);
    case TD_CONSTRAINT_CURVE: return on_curve(c, curve, relations);
    case TD_CONSTRAINT_DISTANCE:
    case TD_CONSTRAINT_ROPE:
    case TD_CONSTRAINT_SPRING: return distance(c, f, target, relations);
    case TD_CONSTRAINT_STOP:
        relations[0] =
            along_relation(first_of(c, none), second_of(c, none), c->axis[1], 0, INFINITY);
        return 1;
    case TD_CONSTRAINT_JOINT: return follow(joint, target->joint, relations);
    case TD_CONSTRAINT_GEAR: return gear(c, f, relations);
    case TD_CONSTRAINT_LIMIT: return limit(c, joint, relations);
    default: relations[0] = point_relation(first_of(c, none), second_of(c, f->arm)); return 1;
    }
}

// ---- entry ----------------------------------------------------------------------------------

int32_t tdi_constraint_relation_count(const td_constraint *c, td_joint_kind joint) {
    const tdi_rest_placement nothing = {.turn = {1, 0, 0, 0}};
    const tdi_cubic_curve no_curve = {0};
    const td_constraint_target here = {.rotation = {1, 0, 0, 0}};
    tdi_relation relations[TDI_RELATIONS];
    return make(c, joint, &nothing, &here, here.rotation, &no_curve, relations);
}

void tdi_constraint_relations(const td_constraint *c, td_joint_kind joint,
                              const tdi_rest_placement *found, const td_constraint_target *target,
                              td_quat turned, const tdi_cubic_curve *curve,
                              tdi_relation relations[TDI_RELATIONS]) {
    make(c, joint, found, target, turned, curve, relations);
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
