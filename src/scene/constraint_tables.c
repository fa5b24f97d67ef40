// SPDX-License-Identifier: MIT
// The keys of a scene's constraints: where each goes, its unit, default and range, and what it
// means. All kinds fill the same struct, each the part that it needs.

#include "scene/scene_tables.h"
#include "scene/table_rows.h"

typedef struct td_constraint_terms terms;

static const tdi_scene_field point_item = {
    .key = "point", .kind = TDI_SCENE_VEC3, .unit = "m", .low = -1e6, .high = 1e6};

// ---- sides ----------------------------------------------------------------------------------

TABLE(
    side_table, "side", td_side_def, "The point of a segment that a constraint holds.",
    PLACE_FIELDS(td_side_def, "as drawn"),
    FIELD(REAL, td_side_def, along, .def = {1}, .high = 1,
          DOC("Where on the segment: 0 at its joint, 1 at its tip.")),
    FIELD(VEC3, td_side_def, offset, METRES,
          DOC("Vector from there to the point that is held, in the segment's axes (Y along it).")));

TABLE(at_joint_table, "side of joints", td_side_def, "The joint at the lower end of a segment.",
      PLACE_FIELDS(td_side_def, "as drawn"));

#define NAME_FIELD           \
    FIELD(TEXT, terms, name, \
          DOC("Name in messages, tables and probes. Default: the kind and a number."))
#define SIDE_A FIELD(MAP, terms, a, .table = &side_table, DOC("The point that is held."))
#define SIDE_B                                                                    \
    FIELD(MAP, terms, b, .table = &side_table, .given = offsetof(terms, b.given), \
          DOC("The point that holds it. Without one, the world does."))
#define JOINT(key, text) \
    FIELD(MAP, terms, key, .table = &at_joint_table, .given = offsetof(terms, key.given), DOC(text))
#define PATH_FIELDS                                                                            \
    FIELD(VEC3, terms, to, METRES, KEYED, .given = offsetof(terms, to_given),                  \
          DOC("Without `b`: the point of the world that holds it. Keys are a path.")),         \
        FIELD(VEC3, terms, by, METRES, KEYED,                                                  \
              DOC("Without `b` and `to`: the same, measured from where the point is when the " \
                  "constraint begins."))
#define AXIS_FIELD(text)   FIELD(VEC3, terms, axis, .def = {0, 0, 1}, NUMBER, DOC(text))
#define LENGTH_FIELD(text) FIELD(REAL, terms, length, .unit = "m", FROM_0, KEYED, DOC(text))
#define SPAN_AND_BREAK                                                   \
    SPAN_FIELDS(terms, "constraint"),                                    \
        FIELD_AT("break", REAL, terms, break_force, .unit = "N", FROM_0, \
                 DOC("Force at which it breaks, for good. 0 means: never."))

// ---- holding --------------------------------------------------------------------------------

TABLE(point_table, "point constraint", terms,
      "Holds a point at a point of another segment, as a ball joint does, or of the world.",
      NAME_FIELD, SIDE_A, SIDE_B, PATH_FIELDS, SPAN_AND_BREAK);

TABLE(
    weld_table, "weld", terms,
    "Holds a point and the segment's rotation, as they are to each other when it begins.",
    NAME_FIELD, SIDE_A, SIDE_B, PATH_FIELDS,
    FIELD(
        ROTATION, terms, rotation, .def = {1}, KEYED,
        DOC("Without `b`: how the segment is turned, from how it is when the constraint begins.")),
    SPAN_AND_BREAK);

TABLE(hinge_table, "hinge", terms, "Holds a point, and lets the segment turn about one axis only.",
      NAME_FIELD, SIDE_A, SIDE_B,
      AXIS_FIELD("Axis about which `a` can still turn, in world axes as drawn."),
      FIELD(REAL, terms, angle, DEGREES, NUMBER, KEYED, .given = offsetof(terms, angle_given),
            DOC("Angle about the axis that `a` follows, from how it is when the constraint begins. "
                "Without it, `a` turns freely.")),
      SPAN_AND_BREAK);

TABLE(slider_table, "slider", terms,
      "Holds a segment's rotation, and lets a point of it slide along one axis only.", NAME_FIELD,
      SIDE_A, SIDE_B, AXIS_FIELD("Axis along which `a` can still slide, in world axes as drawn."),
      SPAN_AND_BREAK);

TABLE(curve_table, "curve", terms,
      "Holds a point on a curve, along which it slides without friction.", NAME_FIELD, SIDE_A,
      FIELD(LIST, terms, points, .unit = "m", .item = &point_item, .required = true,
            .count = offsetof(terms, point_count), .max_count = 10000,
            DOC("Points of the smooth curve, in the world.")),
      FIELD(BOOL, terms, closed, DOC("The curve goes on from its last point to the first.")),
      SPAN_AND_BREAK);

// ---- lengths --------------------------------------------------------------------------------

TABLE(distance_table, "distance", terms,
      "Keeps two points at a distance, as a rod without mass does.", NAME_FIELD, SIDE_A, SIDE_B,
      PATH_FIELDS, LENGTH_FIELD("Distance of the two points. 0 means: as when it begins."),
      SPAN_AND_BREAK);

TABLE(rope_table, "rope", terms,
      "Keeps two points from going further apart, as a string without mass does.", NAME_FIELD,
      SIDE_A, SIDE_B, PATH_FIELDS,
      LENGTH_FIELD("The largest distance of the two points. 0 means: as when it begins."),
      SPAN_AND_BREAK);

TABLE(stop_table, "stop", terms, "Keeps a point on one side of a plane, without friction.",
      NAME_FIELD, SIDE_A, FIELD(VEC3, terms, to, METRES, KEYED, DOC("A point of the plane.")),
      FIELD(VEC3, terms, axis, .def = {0, 1, 0}, NUMBER,
            DOC("Normal of the plane, to the side where the point stays.")),
      SPAN_AND_BREAK);

// ---- joints ---------------------------------------------------------------------------------

TABLE(joint_table, "joint", terms, "Makes a joint follow keys.", NAME_FIELD, JOINT(a, "The joint."),
      FIELD(VEC3, terms, bend, DEGREES, .low = -3600, .high = 3600, KEYED,
            .given = offsetof(terms, bend_given),
            DOC("Rotation from rest that a ball joint follows, about X, Y (twist) and Z of its "
                "segment at rest.")),
      FIELD(REAL, terms, angle, DEGREES, NUMBER, KEYED, .given = offsetof(terms, angle_given),
            DOC("Angle from rest that a hinge follows.")),
      FIELD(REAL, terms, slide, METRES, KEYED, .given = offsetof(terms, slide_given),
            DOC("Place from rest that a slide follows.")),
      SPAN_AND_BREAK);

TABLE(gear_table, "gear", terms, "Makes two joints turn in a ratio.", NAME_FIELD,
      JOINT(a, "The one joint, a hinge or slide."), JOINT(b, "The other joint, a hinge or slide."),
      FIELD(REAL, terms, ratio, .def = {1}, NUMBER,
            DOC("Angle of `a` over that of `b`, from how they are when the constraint begins.")),
      SPAN_AND_BREAK);

#define ANY_ANGLE 1e6 // degrees: no limit
#define ANY_PLACE 1e6 // m: likewise

TABLE(
    limit_table, "limit", terms,
    "Stops a joint at the ends of a range. Angles and places count from rest.", NAME_FIELD,
    JOINT(a, "The joint."),
    FIELD(
        REAL, terms, cone, DEGREES, .def = {ANY_ANGLE}, .high = ANY_ANGLE, .low_open = true,
        DOC("How far the segment on a ball joint leans away from rest at most. Default: any way.")),
    FIELD(REAL, terms, low, DEGREES, .def = {-ANY_ANGLE}, .low = -ANY_ANGLE, .high = ANY_ANGLE,
          DOC("Least angle of a hinge, or twist of a ball joint. Default: any.")),
    FIELD(REAL, terms, high, DEGREES, .def = {ANY_ANGLE}, .low = -ANY_ANGLE, .high = ANY_ANGLE,
          DOC("Largest angle of a hinge, or twist of a ball joint. Default: any.")),
    FIELD(REAL, terms, slide_low, .unit = "m", .def = {-ANY_PLACE}, .low = -ANY_PLACE,
          .high = ANY_PLACE, DOC("Least place of a slide, from rest. Default: any.")),
    FIELD(REAL, terms, slide_high, .unit = "m", .def = {ANY_PLACE}, .low = -ANY_PLACE,
          .high = ANY_PLACE, DOC("Largest place of a slide, from rest. Default: any.")),
    SPAN_AND_BREAK);

TABLE(spring_table, "spring", terms, "Pulls two points together, or pushes them apart.", NAME_FIELD,
      SIDE_A, SIDE_B, PATH_FIELDS,
      LENGTH_FIELD("Distance at which it is at ease. 0 means: as when it begins."),
      FIELD(REAL, terms, stiffness, .unit = "N/m", .def = {1}, .high = 1e12, .low_open = true,
            DOC("Force over what the distance is above `length`.")),
      FIELD(REAL, terms, damping, .unit = "N s/m", .high = 1e12,
            DOC("Force over the rate of the distance.")),
      SPAN_AND_BREAK);

// ---- all of them ----------------------------------------------------------------------------

#define KIND(key, tag_value, ...)                                                         \
    FIELD_AT(#key, MAP, td_scene_constraint, as, .tag = tag_value, .table = &key##_table, \
             __VA_ARGS__)

// In the order of td_constraint_kind.
static const tdi_scene_field constraint_fields[] = {
    KIND(point, TD_CONSTRAINT_POINT, DOC("A point is held.")),
    KIND(weld, TD_CONSTRAINT_WELD, DOC("A point and a rotation are held.")),
    KIND(hinge, TD_CONSTRAINT_HINGE, DOC("A segment turns about an axis.")),
    KIND(slider, TD_CONSTRAINT_SLIDER, DOC("A segment slides along an axis.")),
    KIND(curve, TD_CONSTRAINT_CURVE, DOC("A point slides along a curve.")),
    KIND(distance, TD_CONSTRAINT_DISTANCE, DOC("Two points keep their distance.")),
    KIND(rope, TD_CONSTRAINT_ROPE, DOC("Two points do not go further apart.")),
    KIND(stop, TD_CONSTRAINT_STOP, DOC("A point stays on one side of a plane.")),
    KIND(joint, TD_CONSTRAINT_JOINT, NEEDS(hinges), DOC("A joint follows keys.")),
    KIND(gear, TD_CONSTRAINT_GEAR, NEEDS(hinges), DOC("Two joints turn in a ratio.")),
    KIND(limit, TD_CONSTRAINT_LIMIT, NEEDS(hinges), DOC("A joint stops at the ends of a range.")),
    KIND(spring, TD_CONSTRAINT_SPRING, DOC("Two points pull or push each other.")),
    {0}};
const tdi_scene_table tdi_constraint_table = {
    "constraint",      sizeof(td_scene_constraint),
    constraint_fields, DOC("A condition that holds exactly, or a spring."),
    .one_of = true,    .tag = offsetof(td_scene_constraint, kind)};

td_scene_constraint td_scene_constraint_default(td_constraint_kind kind) {
    td_scene_constraint constraint = {.kind = kind};
    if (kind >= TD_CONSTRAINT_POINT && kind <= TD_CONSTRAINT_SPRING) {
        tdi_field_default(&constraint_fields[kind], &constraint);
    }
    return constraint;
}
