// SPDX-License-Identifier: MIT
// The keys of a scene's constraints: where each goes, its unit, default and range, and what it
// means. All kinds fill the same struct, each the part that it needs.

#include "scene/scene_tables.h"
#include "scene/table_rows.h"

typedef struct td_constraint_terms terms;

static const tdi_scene_field point_item = {
    .key = "point", .kind = TDI_SCENE_VEC3, .unit = "m", .low = -1e6, .high = 1e6};

// ---- sides ----------------------------------------------------------------------------------

static const tdi_scene_field side_fields[] = {
    PLACE_FIELDS(td_side_def, "as drawn"),
    {"along", TDI_SCENE_REAL, offsetof(td_side_def, along), .def = {1}, .high = 1,
     DOC("Where on the segment: 0 at its joint, 1 at its tip.")},
    {"offset", TDI_SCENE_VEC3, offsetof(td_side_def, offset), .unit = "m", .low = -1e6, .high = 1e6,
     DOC("Vector from there to the point that is held, in the segment's axes (Y along it).")},
    {0}};
static const tdi_scene_table side_table = {"side", sizeof(td_side_def), side_fields,
                                           DOC("The point of a segment that a constraint holds.")};

static const tdi_scene_field joint_fields[] = {PLACE_FIELDS(td_side_def, "as drawn"), {0}};
static const tdi_scene_table at_joint_table = {
    "side of joints", sizeof(td_side_def), joint_fields,
    DOC("The joint at the lower end of a segment of a tree.")};

#define NAME_FIELD                                                                      \
    {                                                                                   \
        "name", TDI_SCENE_TEXT, offsetof(terms, name),                                  \
            DOC("Name in messages, tables and probes. Default: the kind and a number.") \
    }
#define SIDE_A \
    { "a", TDI_SCENE_MAP, offsetof(terms, a), .table = &side_table, DOC("The point that is held.") }
#define SIDE_B                                                           \
    {                                                                    \
        "b", TDI_SCENE_MAP, offsetof(terms, b),                          \
            .table = &side_table, .given = offsetof(terms, b.given),     \
            DOC("The point that holds it. Without one, the world does.") \
    }
#define JOINT(key, text)                                                                          \
    {                                                                                             \
#key, TDI_SCENE_MAP, offsetof(terms, key), .table = &at_joint_table,                      \
                                                   .given = offsetof(terms, key.given), DOC(text) \
    }
#define PATH_FIELDS                                                                          \
    {"to",                                                                                   \
     TDI_SCENE_VEC3,                                                                         \
     offsetof(terms, to),                                                                    \
     .unit = "m",                                                                            \
     .low = -1e6,                                                                            \
     .high = 1e6,                                                                            \
     KEYED,                                                                                  \
     .given = offsetof(terms, to_given),                                                     \
     DOC("Without `b`: the point of the world that holds it. Keys are a path.")},            \
    {                                                                                        \
        "by", TDI_SCENE_VEC3, offsetof(terms, by),                                           \
            .unit = "m", .low = -1e6, .high = 1e6, KEYED,                                    \
            DOC("Without `b` and `to`: the same, measured from where the point is when the " \
                "constraint begins.")                                                        \
    }
#define AXIS_FIELD(text)                                                                           \
    {                                                                                              \
        "axis", TDI_SCENE_VEC3, offsetof(terms, axis), .def = {0, 0, 1}, .low = -1e6, .high = 1e6, \
                                                       DOC(text)                                   \
    }
#define LENGTH_FIELD(text) \
    { "length", TDI_SCENE_REAL, offsetof(terms, length), .unit = "m", FROM_0, KEYED, DOC(text) }
#define SPAN_AND_BREAK                                                                      \
    SPAN_FIELDS(terms, "constraint"), {                                                     \
        "break", TDI_SCENE_REAL, offsetof(terms, break_force),                              \
            .unit = "N", FROM_0, DOC("Force at which it breaks, for good. 0 means: never.") \
    }

// ---- holding --------------------------------------------------------------------------------

static const tdi_scene_field point_fields[] = {NAME_FIELD,  SIDE_A,         SIDE_B,
                                               PATH_FIELDS, SPAN_AND_BREAK, {0}};
static const tdi_scene_table point_table = {
    "point constraint", sizeof(terms), point_fields,
    DOC("Holds a point at a point of another segment, as a ball joint does, or of the world.")};

static const tdi_scene_field weld_fields[] = {
    NAME_FIELD,
    SIDE_A,
    SIDE_B,
    PATH_FIELDS,
    {"rotation", TDI_SCENE_ROTATION, offsetof(terms, rotation), .def = {1}, KEYED,
     DOC("Without `b`: how the segment is turned, from how it is when the constraint begins.")},
    SPAN_AND_BREAK,
    {0}};
static const tdi_scene_table weld_table = {
    "weld", sizeof(terms), weld_fields,
    DOC("Holds a point and the segment's rotation, as they are to each other when it begins.")};

static const tdi_scene_field hinge_fields[] = {
    NAME_FIELD,
    SIDE_A,
    SIDE_B,
    AXIS_FIELD("Axis about which `a` can still turn, in world axes as drawn."),
    {"angle", TDI_SCENE_REAL, offsetof(terms, angle), DEGREES, .low = -1e6, .high = 1e6, KEYED,
     .given = offsetof(terms, angle_given),
     DOC("Angle about the axis that `a` follows, from how it is when the constraint begins. "
         "Without it, `a` turns freely.")},
    SPAN_AND_BREAK,
    {0}};
static const tdi_scene_table hinge_table = {
    "hinge", sizeof(terms), hinge_fields,
    DOC("Holds a point, and lets the segment turn about one axis only.")};

static const tdi_scene_field slider_fields[] = {
    NAME_FIELD,     SIDE_A,
    SIDE_B,         AXIS_FIELD("Axis along which `a` can still slide, in world axes as drawn."),
    SPAN_AND_BREAK, {0}};
static const tdi_scene_table slider_table = {
    "slider", sizeof(terms), slider_fields,
    DOC("Holds a segment's rotation, and lets a point of it slide along one axis only.")};

static const tdi_scene_field curve_fields[] = {
    NAME_FIELD,
    SIDE_A,
    {"points", TDI_SCENE_LIST, offsetof(terms, points), .unit = "m", .item = &point_item,
     .required = true, .count = offsetof(terms, point_count), .max_count = 10000,
     DOC("Points of the smooth curve, in the world.")},
    {"closed", TDI_SCENE_BOOL, offsetof(terms, closed),
     DOC("The curve goes on from its last point to the first.")},
    SPAN_AND_BREAK,
    {0}};
static const tdi_scene_table curve_table = {
    "curve", sizeof(terms), curve_fields,
    DOC("Holds a point on a curve, along which it slides without friction.")};

// ---- lengths --------------------------------------------------------------------------------

static const tdi_scene_field distance_fields[] = {
    NAME_FIELD,
    SIDE_A,
    SIDE_B,
    PATH_FIELDS,
    LENGTH_FIELD("Distance of the two points. 0 means: as when it begins."),
    SPAN_AND_BREAK,
    {0}};
static const tdi_scene_table distance_table = {
    "distance", sizeof(terms), distance_fields,
    DOC("Keeps two points at a distance, as a rod without mass does.")};

static const tdi_scene_field rope_fields[] = {
    NAME_FIELD,
    SIDE_A,
    SIDE_B,
    PATH_FIELDS,
    LENGTH_FIELD("The largest distance of the two points. 0 means: as when it begins."),
    SPAN_AND_BREAK,
    {0}};
static const tdi_scene_table rope_table = {
    "rope", sizeof(terms), rope_fields,
    DOC("Keeps two points from going further apart, as a string without mass does.")};

static const tdi_scene_field stop_fields[] = {
    NAME_FIELD,
    SIDE_A,
    {"to", TDI_SCENE_VEC3, offsetof(terms, to), .unit = "m", .low = -1e6, .high = 1e6, KEYED,
     DOC("A point of the plane.")},
    {"axis", TDI_SCENE_VEC3, offsetof(terms, axis), .def = {0, 1, 0}, .low = -1e6, .high = 1e6,
     DOC("Normal of the plane, to the side where the point stays.")},
    SPAN_AND_BREAK,
    {0}};
static const tdi_scene_table stop_table = {
    "stop", sizeof(terms), stop_fields,
    DOC("Keeps a point on one side of a plane, without friction.")};

// ---- joints ---------------------------------------------------------------------------------

static const tdi_scene_field joint_kind_fields[] = {
    NAME_FIELD,
    JOINT(a, "The joint."),
    {"bend", TDI_SCENE_VEC3, offsetof(terms, bend), DEGREES, .low = -3600, .high = 3600, KEYED,
     .given = offsetof(terms, bend_given),
     DOC("Rotation from rest that a ball joint follows, about X, Y (twist) and Z of its segment at "
         "rest.")},
    {"angle", TDI_SCENE_REAL, offsetof(terms, angle), DEGREES, .low = -1e6, .high = 1e6, KEYED,
     .given = offsetof(terms, angle_given), DOC("Angle from rest that a hinge follows.")},
    {"slide", TDI_SCENE_REAL, offsetof(terms, slide), .unit = "m", .low = -1e6, .high = 1e6, KEYED,
     .given = offsetof(terms, slide_given), DOC("Place from rest that a slide follows.")},
    SPAN_AND_BREAK,
    {0}};
static const tdi_scene_table joint_table = {"joint", sizeof(terms), joint_kind_fields,
                                            DOC("Makes a joint of a tree follow keys.")};

static const tdi_scene_field gear_fields[] = {
    NAME_FIELD,
    JOINT(a, "The one joint, a hinge or slide."),
    JOINT(b, "The other joint, a hinge or slide."),
    {"ratio", TDI_SCENE_REAL, offsetof(terms, ratio), .def = {1}, .low = -1e6, .high = 1e6,
     DOC("Angle of `a` over that of `b`, from how they are when the constraint begins.")},
    SPAN_AND_BREAK,
    {0}};
static const tdi_scene_table gear_table = {"gear", sizeof(terms), gear_fields,
                                           DOC("Makes two joints of trees turn in a ratio.")};

#define ANY_ANGLE 1e6 // degrees: no limit
#define ANY_PLACE 1e6 // m: likewise

static const tdi_scene_field limit_fields[] = {
    NAME_FIELD,
    JOINT(a, "The joint."),
    {"cone", TDI_SCENE_REAL, offsetof(terms, cone), DEGREES, .def = {ANY_ANGLE}, .high = ANY_ANGLE,
     .low_open = true,
     DOC("How far the segment on a ball joint leans away from rest at most. Default: any way.")},
    {"low", TDI_SCENE_REAL, offsetof(terms, low), DEGREES, .def = {-ANY_ANGLE}, .low = -ANY_ANGLE,
     .high = ANY_ANGLE, DOC("Least angle of a hinge, or twist of a ball joint. Default: any.")},
    {"high", TDI_SCENE_REAL, offsetof(terms, high), DEGREES, .def = {ANY_ANGLE}, .low = -ANY_ANGLE,
     .high = ANY_ANGLE, DOC("Largest angle of a hinge, or twist of a ball joint. Default: any.")},
    {"slide_low", TDI_SCENE_REAL, offsetof(terms, slide_low), .unit = "m", .def = {-ANY_PLACE},
     .low = -ANY_PLACE, .high = ANY_PLACE, DOC("Least place of a slide, from rest. Default: any.")},
    {"slide_high", TDI_SCENE_REAL, offsetof(terms, slide_high), .unit = "m", .def = {ANY_PLACE},
     .low = -ANY_PLACE, .high = ANY_PLACE,
     DOC("Largest place of a slide, from rest. Default: any.")},
    SPAN_AND_BREAK,
    {0}};
static const tdi_scene_table limit_table = {
    "limit", sizeof(terms), limit_fields,
    DOC("Stops a joint of a tree at the ends of a range. Angles and places count from rest.")};

// ---- all of them ----------------------------------------------------------------------------

#define KIND(key, tag_value, text)                                                               \
    {                                                                                            \
#key, TDI_SCENE_MAP, offsetof(td_scene_constraint, as), .tag = tag_value,                \
                                                                .table = &key##_table, DOC(text) \
    }

// In the order of td_constraint_kind.
static const tdi_scene_field constraint_fields[] = {
    KIND(point, TD_CONSTRAINT_POINT, "A point is held."),
    KIND(weld, TD_CONSTRAINT_WELD, "A point and a rotation are held."),
    KIND(hinge, TD_CONSTRAINT_HINGE, "A segment turns about an axis."),
    KIND(slider, TD_CONSTRAINT_SLIDER, "A segment slides along an axis."),
    KIND(curve, TD_CONSTRAINT_CURVE, "A point slides along a curve."),
    KIND(distance, TD_CONSTRAINT_DISTANCE, "Two points keep their distance."),
    KIND(rope, TD_CONSTRAINT_ROPE, "Two points do not go further apart."),
    KIND(stop, TD_CONSTRAINT_STOP, "A point stays on one side of a plane."),
    KIND(joint, TD_CONSTRAINT_JOINT, "A joint follows keys."),
    KIND(gear, TD_CONSTRAINT_GEAR, "Two joints turn in a ratio."),
    KIND(limit, TD_CONSTRAINT_LIMIT, "A joint stops at the ends of a range."),
    {0}};
const tdi_scene_table tdi_constraint_table = {
    "constraint",      sizeof(td_scene_constraint),
    constraint_fields, DOC("A condition that holds exactly."),
    .one_of = true,    .tag = offsetof(td_scene_constraint, kind)};

td_scene_constraint td_scene_constraint_default(td_constraint_kind kind) {
    td_scene_constraint constraint = {.kind = kind};
    if (kind >= TD_CONSTRAINT_POINT && kind <= TD_CONSTRAINT_LIMIT) {
        tdi_field_default(&constraint_fields[kind], &constraint);
    }
    return constraint;
}
