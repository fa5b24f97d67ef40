// SPDX-License-Identifier: MIT
// Every key of a scene: where it goes, its unit, default and range, and what it means. Those of
// objects are in object_tables.c, those of constraints in constraint_tables.c.

#include "scene/scene_tables.h"
#include "scene/table_rows.h"

const tdi_choice tdi_organs[] = {{"stem", TD_ORGAN_STEM, NULL},   {"leaf", TD_ORGAN_LEAF, NULL},
                                 {"petal", TD_ORGAN_PETAL, NULL}, {"flower", TD_ORGAN_FLOWER, NULL},
                                 {"fruit", TD_ORGAN_FRUIT, NULL}, {0}};

// ---- loads ----------------------------------------------------------------------------------

TABLE(
    wind_table, "wind", td_wind_load,
    "Moving air (or water): a mean velocity, gusts that travel with it, and turbulence.",
    FIELD(VEC3, td_wind_load, velocity, .unit = "m/s", .low = -1e3, .high = 1e3, KEYED,
          DOC("Mean velocity.")),
    FIELD(REAL, td_wind_load, intensity, LIVE, .high = 2,
          DOC("Intensity of the turbulence: root mean square of each component over the mean "
              "speed.")),
    FIELD(REAL, td_wind_load, length, LIVE, .unit = "m", .def = {4}, .low = 1e-3, .high = 1e6,
          DOC("Integral length of the turbulence.")),
    FIELD(REAL, td_wind_load, gust, LIVE, .high = 1,
          DOC("Fraction of the mean velocity by which gusts change it.")),
    FIELD(REAL, td_wind_load, gust_length, LIVE, .unit = "m", .def = {30}, .low = 1e-3, .high = 1e6,
          DOC("Distance from one gust to the next.")),
    FIELD(
        REAL, td_wind_load, roughness, LIVE, .unit = "m", .high = 100,
        DOC("The mean speed grows with height as log(1 + y/roughness). 0 means that it does not.")),
    FIELD(REAL, td_wind_load, height, LIVE, .unit = "m", .def = {10}, .low = 1e-3, .high = 1e6,
          DOC("Height at which the mean velocity is the one given.")),
    FIELD(REAL, td_wind_load, onset, LIVE, .unit = "s", .high = 1e6,
          DOC("Time in which gusts and turbulence grow to their full strength.")),
    FIELD(INT, td_wind_load, seed, LIVE, .def = {1}, .high = 2e9,
          DOC("Seed of gusts and turbulence.")));

TABLE(pull_table, "pull", td_pull_load,
      "A spring that pulls the tip of a segment to a point, and lets it go.",
      PLACE_FIELDS(td_pull_load, "at time 0"),
      FIELD(VEC3, td_pull_load, to, METRES, KEYED, .given = offsetof(td_pull_load, to_given),
            DOC("Point to which the tip is pulled.")),
      FIELD(VEC3, td_pull_load, by, METRES, KEYED,
            DOC("Without `to`: the same point, measured from where the tip is at time 0.")),
      FIELD(REAL, td_pull_load, stiffness, .unit = "N/m", .def = {100}, FROM_0, KEYED,
            DOC("Stiffness of the spring that pulls.")),
      FIELD(REAL, td_pull_load, damping, .unit = "N s/m", FROM_0, KEYED,
            DOC("Damping of the spring that pulls.")),
      SPAN_FIELDS(td_pull_load, "load"));

TABLE(push_table, "push", td_push_load,
      "A force at the tip of a segment, or a torque about its axis.",
      PLACE_FIELDS(td_push_load, "at time 0"),
      FIELD(VEC3, td_push_load, force, .unit = "N", .low = -1e9, .high = 1e9, KEYED,
            DOC("Force at the tip, in world axes.")),
      FIELD(REAL, td_push_load, twist, .unit = "N m", .low = -1e9, .high = 1e9, KEYED,
            DOC("Torque about the segment's own axis.")),
      SPAN_FIELDS(td_push_load, "load"));

TABLE(
    pose_table, "pose", td_pose_load, "Springs that pull an object to a pose, for animators.",
    FIELD(TEXT, td_pose_load, object, DOC("Name of the object. Default: the first.")),
    FIELD(VEC3, td_pose_load, bend, DEGREES, .low = -3600, .high = 3600, KEYED,
          DOC("Total rotation from base to tip, away from the rest shape, about the segments' own "
              "X, Y (twist) and Z.")),
    FIELD(REAL, td_pose_load, strength, .unit = "N/m", .def = {1}, FROM_0, KEYED,
          DOC("Stiffness of the spring at every tip.")),
    FIELD(REAL, td_pose_load, damping, .unit = "N s/m", FROM_0, KEYED,
          DOC("Damping of the springs.")));

static const tdi_scene_field expression_item = {.key = "expression", .kind = TDI_SCENE_TEXT};
TABLE(
    field_table, "field", td_field_load,
    "A force on every segment, by expressions of its position, velocity and the time.",
    FIELD(LIST, td_field_load, force, .unit = "N", .item = &expression_item,
          .count = offsetof(td_field_load, force_count), .max_count = 3, .required = true,
          DOC("Three expressions: the force on a segment along X, Y and Z, in N, when the step "
              "begins. Names: `x`, `y`, `z` (its centre of mass), `vx`, `vy`, `vz`, `speed`, `t`, "
              "`mass`, `radius`, `length`, `instance`.")),
    FIELD(TEXT, td_field_load, object, DOC("Name of the object. Default: all objects.")),
    FIELD(REAL, td_field_load, strength, .def = {1}, .low = -1e9, .high = 1e9, KEYED,
          DOC("Factor of the force.")),
    SPAN_FIELDS(td_field_load, "load"));

static const tdi_scene_field load_fields[] = {
    FIELD_AT("wind", MAP, td_scene_load, as.wind, .tag = TD_SCENE_WIND, .table = &wind_table,
             DOC("Moving air.")),
    FIELD_AT("pull", MAP, td_scene_load, as.pull, .tag = TD_SCENE_PULL, .table = &pull_table,
             DOC("A spring that pulls a tip.")),
    FIELD_AT("push", MAP, td_scene_load, as.push, .tag = TD_SCENE_PUSH, .table = &push_table,
             DOC("A force or a torque.")),
    FIELD_AT("pose", MAP, td_scene_load, as.pose, .tag = TD_SCENE_POSE, .table = &pose_table,
             DOC("Springs that pull the object to a pose.")),
    FIELD_AT("field", MAP, td_scene_load, as.field, .tag = TD_SCENE_FIELD, .table = &field_table,
             DOC("A force on every segment, by expressions.")),
    {0}};
static const tdi_scene_table load_table = {
    "load",         sizeof(td_scene_load),
    load_fields,    DOC("Something that acts on the objects."),
    .one_of = true, .tag = offsetof(td_scene_load, kind)};

// ---- contact --------------------------------------------------------------------------------

typedef struct td_collider_place collider_place;

#define COLLIDER_FIELDS                                                                            \
    FIELD(VEC3, collider_place, position, METRES, KEYED,                                           \
          DOC("Position of the centre; for a plane, of any point on it.")),                        \
        FIELD(ROTATION, collider_place, rotation, .def = {1}, KEYED,                               \
              DOC("Rotation. Without one the axis, or the normal of a plane, is +Y.")),            \
        FIELD(REAL, collider_place, friction, .def = {0.3}, .high = 10,                            \
              DOC("Coefficient of friction (Coulomb).")),                                          \
        FIELD(REAL, collider_place, restitution, .high = 1,                                        \
              DOC("Speed after an impact over that before; needs `method: exact` under "           \
                  "`contact`.")),                                                                  \
        FIELD(REAL, collider_place, rolling, .def = {0.01}, .high = 1,                             \
              DOC("Rolling resistance: a moment over radius and normal force.")),                  \
        FIELD(                                                                                     \
            REAL, collider_place, static_friction, .high = 10,                                     \
            DOC("Coefficient of friction while surfaces do not slip yet; not below `friction`.")), \
        FILTER_FIELDS(collider_place),                                                             \
        FIELD(TEXT, collider_place, name,                                                          \
              DOC("Name in messages. Default: the number in the list, from 0, and the kind."))

static const tdi_scene_field plane_fields[] = {COLLIDER_FIELDS, {0}};
static const tdi_scene_table plane_table = {
    "plane", sizeof(collider_place), plane_fields,
    DOC("The ground: everything below the plane is solid.")};
TABLE(sphere_table, "sphere", collider_place, "A ball.",
      FIELD(REAL, collider_place, radius, .unit = "m", .def = {0.5}, POSITIVE,
            DOC("Radius of the sphere.")),
      COLLIDER_FIELDS);
TABLE(capsule_table, "capsule", collider_place, "A cylinder with round ends: a pole, a finger.",
      FIELD(REAL, collider_place, radius, .unit = "m", .def = {0.5}, POSITIVE,
            DOC("Radius of the capsule and of its round ends.")),
      FIELD(REAL, collider_place, length, .unit = "m", .def = {1}, FROM_0,
            DOC("Length along its own Y axis, without the round ends.")),
      COLLIDER_FIELDS);
TABLE(box_table, "box", collider_place, "A box: a table, a step.",
      FIELD_AT("size", VEC3, collider_place, sides, .unit = "m", .def = {1, 1, 1}, POSITIVE,
               DOC("Lengths of the sides.")),
      COLLIDER_FIELDS);

static const tdi_scene_field height_item = {
    "height", TDI_SCENE_REAL, 0, .unit = "m", .low = -1e6, .high = 1e6, DOC("A height.")};
TABLE(height_field_table, "heightfield", collider_place,
      "Uneven ground: everything below a smooth surface through heights on a grid is solid.",
      FIELD(INT, collider_place, columns, .required = true, .low = 2, .high = 4096,
            DOC("Heights in a row, along its own X axis.")),
      FIELD(REAL, collider_place, cell, .unit = "m", .def = {1}, POSITIVE,
            DOC("Distance between neighbouring heights.")),
      FIELD(LIST, collider_place, heights, .unit = "m", .item = &height_item,
            .count = offsetof(collider_place, height_count), .required = true,
            DOC("Heights, row after row along its own Z axis; the ground is smooth between them.")),
      COLLIDER_FIELDS);

static const tdi_scene_field collider_fields[] = {
    FIELD_AT("plane", MAP, td_scene_collider, as, .tag = TD_COLLIDER_PLANE, .table = &plane_table,
             DOC("The ground.")),
    FIELD_AT("sphere", MAP, td_scene_collider, as, .tag = TD_COLLIDER_SPHERE,
             .table = &sphere_table, DOC("A ball.")),
    FIELD_AT("capsule", MAP, td_scene_collider, as, .tag = TD_COLLIDER_CAPSULE,
             .table = &capsule_table, DOC("A cylinder with round ends.")),
    FIELD_AT("box", MAP, td_scene_collider, as, .tag = TD_COLLIDER_BOX, .table = &box_table,
             DOC("A box.")),
    FIELD_AT("heightfield", MAP, td_scene_collider, as, .tag = TD_COLLIDER_HEIGHT_FIELD,
             .table = &height_field_table, DOC("Uneven ground.")),
    {0}};
static const tdi_scene_table collider_table = {
    "collider",      sizeof(td_scene_collider),
    collider_fields, DOC("A solid that objects touch."),
    .one_of = true,  .tag = offsetof(td_scene_collider, kind)};

static const tdi_choice methods[] = {
    {"barrier", TD_CONTACT_BARRIER, "a potential that grows without bound as a gap closes"},
    {"exact", TD_CONTACT_EXACT,
     "forces in the cone of friction; things bounce, and objects at rest on a slope do not creep"},
    {0}};

static const tdi_choice laws[] = {
    {"newton", TD_IMPACT_NEWTON, "speed after is restitution times speed before"},
    {"poisson", TD_IMPACT_POISSON,
     "impulse while the bodies part is restitution times that of before"},
    {0}};

static const tdi_choice overlap_rules[] = {
    {"refuse", TD_OVERLAP_REFUSE, "an error names both"},
    {"push", TD_OVERLAP_PUSH,
     "they are pushed apart in the first steps; colliders still refuse them"},
    {0}};

static const tdi_scene_field contact_fields[] = {
    FIELD(BOOL, td_scene_contact, self, .def = {1},
          DOC("Objects touch themselves and each other, not only colliders.")),
    FIELD(REAL, td_scene_contact, friction, .def = {0.3}, .high = 10,
          DOC("Coefficient of friction (Coulomb) between segments.")),
    FIELD(REAL, td_scene_contact, gap, .def = {0.2}, .low = 0.01, .high = 1,
          DOC("Distance at which two surfaces begin to repel each other, as a fraction of the "
              "smaller radius.")),
    FIELD(REAL, td_scene_contact, creep, .unit = "m/s", .def = {1e-3}, .low = 1e-9, .high = 1,
          DOC("Slip speed below which friction counts as sticking. What sticks slides more slowly "
              "than this.")),
    FIELD(CHOICE, td_scene_contact, method, .choices = methods, DOC("How contact is solved.")),
    FIELD(REAL, td_scene_contact, restitution, .high = 1,
          DOC("Speed after an impact between segments over that before; needs `method: exact`.")),
    FIELD(REAL, td_scene_contact, rolling, .high = 1,
          DOC("Rolling resistance between segments: a moment over radius and normal force.")),
    FIELD(REAL, td_scene_contact, static_friction, .high = 10,
          DOC("Coefficient of friction between segments that do not slip yet; not below "
              "`friction`.")),
    FIELD(
        CHOICE, td_scene_contact, law, .choices = laws,
        DOC("What restitution is a ratio of, in impacts. The two differ where there is friction.")),
    FIELD(CHOICE, td_scene_contact, overlap, .choices = overlap_rules,
          DOC("What happens to objects that overlap when they are placed.")),
    FIELD(REAL, td_scene_contact, push_speed, .unit = "m/s", .def = {0.5}, .low_open = true,
          .high = 100, DOC("Speed at which `overlap: push` moves two segments apart, at most.")),
    {0}};
static const tdi_scene_table contact_table = {
    "contact", sizeof(td_scene_contact), contact_fields,
    DOC("Contact of all objects with themselves, each other and the colliders.")};

TABLE(sleep_table, "sleep", td_scene_sleep,
      "Objects that have come to rest, with all they touch, stop and cost nearly nothing until "
      "something acts on them. What feels a wind that varies, or a field, does not sleep.",
      FIELD(REAL, td_scene_sleep, speed, .unit = "m/s", .def = {1e-3}, FROM_0, LIVE,
            DOC("No point of what falls asleep is faster.")),
      FIELD(REAL, td_scene_sleep, time, .unit = "s", .def = {0.5}, FROM_0, LIVE,
            DOC("For so long it must have been so slow.")));

// ---- recording ------------------------------------------------------------------------------

static const tdi_choice quantities[] = {
    {"position", TD_QUANTITY_POSITION, "of the tip"},
    {"orientation", TD_QUANTITY_ORIENTATION, "of the segment"},
    {"velocity", TD_QUANTITY_VELOCITY, "of the tip"},
    {"curvature", TD_QUANTITY_CURVATURE, "at the joint"},
    {"moment", TD_QUANTITY_MOMENT, "of the spring of the joint"},
    {"force", TD_QUANTITY_FORCE, "of a constraint, on its side `a`"},
    {0}};

TABLE(probe_table, "probe", td_probe_def, "A quantity to record at a segment, or of a constraint.",
      FIELD(TEXT, td_probe_def, name,
            DOC("Heading of the columns. Default: name of the object and quantity.")),
      PLACE_FIELDS(td_probe_def, "at time 0"),
      FIELD(TEXT, td_probe_def, constraint,
            DOC("Name of a constraint whose force is recorded, in place of a segment.")),
      FIELD(CHOICE, td_probe_def, quantity, .choices = quantities, DOC("The quantity to record.")));

TABLE(
    record_table, "record", td_record_def, "What a run records and writes.",
    FIELD(REAL, td_record_def, duration, .unit = "s", .def = {10}, .high = 1e6, .low_open = true,
          DOC("Duration of the run.")),
    FIELD(REAL, td_record_def, fps, .unit = "1/s", .def = {30}, .low = 0.1, .high = 10000,
          DOC("Frames per second.")),
    FIELD(LIST, td_record_def, probes, .table = &probe_table,
          .count = offsetof(td_record_def, probe_count), .max_count = 1000,
          DOC("Quantities to record, the columns of probes.csv.")),
    FIELD(BOOL, td_record_def, energy, .def = {1},
          DOC("Writes energies and momentum of every object to energy.csv.")),
    FIELD(BOOL, td_record_def, glb, .def = {1},
          DOC("Writes the motion as animated glTF to scene.glb.")),
    FIELD(BOOL, td_record_def, page, .def = {1},
          DOC("Writes a page that plays the motion, scene.html.")),
    FIELD(BOOL, td_record_def, contacts,
          DOC("Writes forces of contacts and constraints as arrows to scene.glb. The page can show "
              "them without this.")));

// ---- all of it ------------------------------------------------------------------------------

static const tdi_scene_field scene_fields[] = {
    FIELD(TEXT, td_scene_def, name, DOC("Title of the scene.")),
    FIELD(TEXT, td_scene_def, text, DOC("One sentence on what the scene shows.")),
    FIELD(VEC3, td_scene_def, gravity, .unit = "m/s^2", .def = {0, -9.81, 0}, .low = -1e4,
          .high = 1e4, KEYED, DOC("Acceleration of gravity.")),
    FIELD(REAL, td_scene_def, step, .unit = "s", .high = 1, LIVE,
          DOC("Time step. Frames that lie within a step are interpolated. 0 means: the longest "
              "step of at most 1/60 s of which a frame has a whole number.")),
    FIELD(REAL, td_scene_def, tolerance, .unit = "rad", .def = {1e-4}, .high = 0.1,
          .low_open = true, .keyed = true,
          DOC("Error at which Newton's method stops in a step. 0.02 saves about a third of the "
              "time in wind.")),
    FIELD(REAL, td_scene_def, air_density, .unit = "kg/m^3", .def = {1.2}, .high = 1e5, KEYED,
          DOC("Density of the air. Water has 1000; 0 means no drag.")),
    FIELD(REAL, td_scene_def, drag, .def = {1}, .high = 100, KEYED, DOC("Drag coefficient.")),
    FIELD(REAL, td_scene_def, air_linear, .unit = "N s/m^3", .high = 1e6, KEYED,
          DOC("Drag in proportion to the speed, for each square metre.")),
    FIELD(LIST, td_scene_def, objects, .table = &tdi_object_table, .required = true,
          .count = offsetof(td_scene_def, object_count), .max_count = 10000,
          DOC("The objects that move.")),
    FIELD(LIST, td_scene_def, loads, .table = &load_table,
          .count = offsetof(td_scene_def, load_count), .max_count = 10000,
          DOC("The loads that act on the objects.")),
    FIELD(LIST, td_scene_def, constraints, .table = &tdi_constraint_table,
          .count = offsetof(td_scene_def, constraint_count), .max_count = 10000,
          DOC("Conditions that hold exactly: held points, joints, ropes, limits.")),
    FIELD(MAP, td_scene_def, contact, .table = &contact_table,
          .given = offsetof(td_scene_def, contact.given), DOC("How objects touch each other.")),
    FIELD(LIST, td_scene_def, colliders, .table = &collider_table,
          .count = offsetof(td_scene_def, collider_count), .max_count = 10000,
          DOC("Solids that the objects touch. With colliders, objects also touch each other.")),
    FIELD(MAP, td_scene_def, sleep, .table = &sleep_table,
          .given = offsetof(td_scene_def, sleep.given),
          DOC("Lets objects that have come to rest sleep. Default: none does.")),
    FIELD(MAP, td_scene_def, record, .table = &record_table, DOC("What a run records and writes.")),
    {0}};
const tdi_scene_table tdi_scene_all = {"scene", sizeof(td_scene_def), scene_fields,
                                       DOC("A scene file is one map with these keys."),
                                       .sized = true};

// ---- defaults -------------------------------------------------------------------------------

td_object_def td_object_def_default(void) {
    td_object_def def;
    tdi_fields_defaults(&tdi_object_table, &def);
    return def;
}

td_place_def td_place_def_default(void) {
    return (td_place_def){.segment_id = TD_NONE};
}

td_probe_def td_probe_def_default(void) {
    td_probe_def def;
    tdi_fields_defaults(&probe_table, &def);
    return def;
}

td_scene_load td_scene_load_default(td_scene_load_kind kind) {
    td_scene_load load = {.kind = kind};
    if (kind >= TD_SCENE_WIND && kind <= TD_SCENE_FIELD) {
        const tdi_scene_field *field = &load_fields[kind];
        tdi_fields_defaults(field->table, (char *)&load + field->offset);
    }
    return load;
}

td_scene_collider td_scene_collider_default(td_collider_kind kind) {
    td_scene_collider collider = {.kind = kind};
    if (kind >= TD_COLLIDER_PLANE && kind <= TD_COLLIDER_HEIGHT_FIELD) {
        tdi_field_default(&collider_fields[kind], &collider);
    }
    return collider;
}

td_scene_def td_scene_def_default(void) {
    td_scene_def def;
    tdi_fields_defaults(&tdi_scene_all, &def);
    return def;
}

td_status td_scene_reference(void (*sink)(void *context, const char *text, size_t size),
                             void *context) {
    return sink ? tdi_fields_reference(&tdi_scene_all, 2, NULL, sink, context) : TD_ERR_ARGUMENT;
}
