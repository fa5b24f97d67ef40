// SPDX-License-Identifier: MIT
#pragma once

// Constraints as functions of the places of points. No solver is known here.
//
// Relation    up to three numbers c, the rows, that have to be 0 or at least 0, as functions of the
//         places of up to five points. A constraint is up to four relations.
// Point     a point of one of the two sides in its axes, with an arm, or the coordinates of a
// side's
//         joint: the angle of a hinge or the way of a slide, or the rotation vector of a ball
//         joint, which moves by exp(w).
// Found   what the second side has of the first when a constraint starts.

#include "law/law.h"
#include "math/mat3.h"
#include "tendril/constraint.h"
#include "tendril/skeleton.h"

enum { TDI_RELATIONS = 4, TDI_RELATION_POINTS = 5, TDI_RELATION_ROWS = 3 };

typedef enum tdi_relation_kind {
    TDI_RELATION_POINT,    // points a, b:           c_k = way_k.(a - b), in the world's axes
    TDI_RELATION_LINE,     // points a, b, b1, b2:   c_k = (b_k - b).(a - b)
    TDI_RELATION_ALONG,    // points a, b, b1:       y = (b1 - b).(a - b);  y - low, high - y
    TDI_RELATION_CURVE,    // points a, b, b1 .. b3: y_k = (b_k - b).(a - b);  y - nearest(y)
    TDI_RELATION_ENDS,     // the same:            the way to both ends of the curve
    TDI_RELATION_DISTANCE, // points a, b:           |a - b| - low; of a rope low - |a - b|
    TDI_RELATION_ANGLE,    // joint a:             a - target
    TDI_RELATION_TURN,     // ball joint a:        log(exp(a) exp(-target))
    TDI_RELATION_GEAR,     // joints a, b:         a - ratio b - low
    TDI_RELATION_RANGE,    // joint a:             a - low, high - a
    TDI_RELATION_CONE,     // ball joint a:        high - angle between +Y and exp(a) +Y
    TDI_RELATION_TWIST, // ball joint a:        t - low, high - t;  t the twist of exp(a) about +Y
} tdi_relation_kind;

// A smooth curve through points: cubic between them, with continuous second derivatives m. The
// parameter is k at point k.
typedef struct tdi_cubic_curve {
    const td_vec3 *point, *m;
    int32_t count;
    bool closed;
} tdi_cubic_curve;

typedef struct tdi_relation_point {
    bool second, joint; // of the second side; its joint
    td_vec3 at;         // a point of the side
    td_vec3 arm;        // from there, rigid in the frame of the side at that point
} tdi_relation_point;

typedef struct tdi_relation {
    tdi_relation_kind kind;
    tdi_law_kind law;           // of all rows: of one-sided ones c >= 0
    td_real stiffness, damping; // N/m, N s/m: of a spring
    int32_t row_count, point_count;
    tdi_relation_point point[TDI_RELATION_POINTS];
    td_real low, high, ratio;
    bool has_low, has_high; // rows of a range: those of an infinite end are left out
    td_vec3 target, way[TDI_RELATION_ROWS];
    tdi_cubic_curve curve;
} tdi_relation;

// Rows at places of the points.
typedef struct tdi_relation_at {
    td_real c[TDI_RELATION_ROWS];
    td_vec3 gradient[TDI_RELATION_ROWS][TDI_RELATION_POINTS];
} tdi_relation_at;

typedef struct tdi_frame_at {
    td_vec3 position;
    td_quat rotation;
} tdi_frame_at;

// In the frame of the second side at its point: the first side's point and how it is turned.
typedef struct tdi_rest_placement {
    td_vec3 arm;
    td_quat turn;
    td_real length, offset;
} tdi_rest_placement;

// ---- check.c

// "constraint 'swing'", or "constraint 3"
void tdi_constraint_name(const td_constraint *c, int32_t number, char text[80]);
// Whether its sides are joints.
bool tdi_constraint_of_joint(td_constraint_kind kind);

// ---- relations.c

// Number of relations; `joint` is the kind of joint of its first side, if it acts on a joint.
int32_t tdi_constraint_relation_count(const td_constraint *c, td_joint_kind joint);
// Fills all relations of the constraint. `found` is the placement at its beginning, `target` the
// current target, `turned` the rotation of the first side when the step begins.
void tdi_constraint_relations(const td_constraint *c, td_joint_kind joint,
                              const tdi_rest_placement *found, const td_constraint_target *target,
                              td_quat turned, const tdi_cubic_curve *curve,
                              tdi_relation relations[TDI_RELATIONS]);
// What the second side finds when the sides' frames at their points are these, and joints at these
// angles.
tdi_rest_placement tdi_constraint_find(const td_constraint *c, const tdi_frame_at sides[2],
                                       const td_real angles[2]);

// ---- relation.c: values and derivatives

// `along` is the parameter of the nearest point on a curve: where the search begins, and its end.
void tdi_relation_evaluate(const tdi_relation *relation, const td_vec3 x[TDI_RELATION_POINTS],
                           td_real *along, tdi_relation_at *at);
// Rows alone.
void tdi_relation_rows(const tdi_relation *relation, const td_vec3 x[TDI_RELATION_POINTS],
                       td_real *along, td_real c[TDI_RELATION_ROWS]);
// Whether rows have second derivatives by the first point.
bool tdi_relation_has_curvature(tdi_relation_kind kind);
// Whether rows are in the axes of the second side, which leave the first point free in some
// directions.
bool tdi_relation_is_rotating(tdi_relation_kind kind);
// How many rows second derivatives of a relation between two segments have, at most.
int32_t tdi_relation_curvature_rows(const tdi_relation *relation);
// These directions, as far as they are known, in the world's axes.
void tdi_relation_free_axes(const tdi_relation *relation, const td_vec3 x[TDI_RELATION_POINTS],
                            td_real along, td_vec3 *way);
// The sum of force_r times the second derivative of row r by the first point, with the others
// fixed.
td_sym3 tdi_relation_hessian(const tdi_relation *relation, const td_vec3 x[TDI_RELATION_POINTS],
                             td_real along, const td_real force[TDI_RELATION_ROWS]);
// The part of a symmetric matrix that is positive semi-definite, in its own axes.
td_sym3 tdi_relation_positive(const td_sym3 *h);

// ---- cubic_curve.c

// Second derivatives, count of them; `work` has room for 2 count numbers.
void tdi_cubic_curve_fill(const td_vec3 *point, int32_t count, bool closed, td_real *work,
                          td_vec3 *m);
// Place, first and second derivative by the parameter.
void tdi_cubic_curve_at(const tdi_cubic_curve *s, td_real along, td_vec3 *p, td_vec3 *d1,
                        td_vec3 *d2);
// The parameter of the point nearest to y, from a first guess; not a number: of the whole curve.
// An open curve goes on straight beyond its ends.
td_real tdi_cubic_curve_nearest(const tdi_cubic_curve *s, td_vec3 y, td_real along);
