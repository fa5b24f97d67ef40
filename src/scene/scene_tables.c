// SPDX-License-Identifier: MIT
// Every key of a scene: where it goes, its unit, default and range, and what it means. Those of
// objects are in object_tables.c, those of constraints in constraint_tables.c.

#include "scene/scene_tables.h"
#include "scene/table_rows.h"

const tdi_choice tdi_organs[] = {{"stem", TD_ORGAN_STEM, NULL},   {"leaf", TD_ORGAN_LEAF, NULL},
                                 {"petal", TD_ORGAN_PETAL, NULL}, {"flower", TD_ORGAN_FLOWER, NULL},
                                 {"fruit", TD_ORGAN_FRUIT, NULL}, {0}};

// ---- loads ----------------------------------------------------------------------------------

static const tdi_scene_field wind_fields[] = {
    {"velocity", TDI_SCENE_VEC3, offsetof(td_wind_load, velocity), .unit = "m/s", .low = -1e3,
     .high = 1e3, KEYED, DOC("Mean velocity.")},
    {"intensity", TDI_SCENE_REAL, offsetof(td_wind_load, intensity), LIVE, .high = 2,
     DOC("Intensity of the turbulence: root mean square of each component over the mean speed.")},
    {"length", TDI_SCENE_REAL, offsetof(td_wind_load, length), LIVE, .unit = "m", .def = {4},
     .low = 1e-3, .high = 1e6, DOC("Integral length of the turbulence.")},
    {"gust", TDI_SCENE_REAL, offsetof(td_wind_load, gust), LIVE, .high = 1,
     DOC("Fraction of the mean velocity by which gusts change it.")},
    {"gust_length", TDI_SCENE_REAL, offsetof(td_wind_load, gust_length), LIVE, .unit = "m",
     .def = {30}, .low = 1e-3, .high = 1e6, DOC("Distance from one gust to the next.")},
    {"roughness", TDI_SCENE_REAL, offsetof(td_wind_load, roughness), LIVE, .unit = "m", .high = 100,
     DOC("The mean speed grows with height as log(1 + y/roughness). 0 means that it does not.")},
    {"height", TDI_SCENE_REAL, offsetof(td_wind_load, height), LIVE, .unit = "m", .def = {10},
     .low = 1e-3, .high = 1e6, DOC("Height at which the mean velocity is the one given.")},
    {"onset", TDI_SCENE_REAL, offsetof(td_wind_load, onset), LIVE, .unit = "s", .high = 1e6,
     DOC("Time in which gusts and turbulence grow to their full strength.")},
    {"seed", TDI_SCENE_INT, offsetof(td_wind_load, seed), LIVE, .def = {1}, .high = 2e9,
     DOC("Seed of gusts and turbulence.")},
    {0}};
static const tdi_scene_table wind_table = {
    "wind", sizeof(td_wind_load), wind_fields,
    DOC("Moving air (or water): a mean velocity, gusts that travel with it, and turbulence.")};

static const tdi_scene_field pull_fields[] = {
    PLACE_FIELDS(td_pull_load, "at time 0"),
    {"to", TDI_SCENE_VEC3, offsetof(td_pull_load, to), .unit = "m", .low = -1e6, .high = 1e6, KEYED,
     .given = offsetof(td_pull_load, to_given), DOC("Point to which the tip is pulled.")},
    {"by", TDI_SCENE_VEC3, offsetof(td_pull_load, by), .unit = "m", .low = -1e6, .high = 1e6, KEYED,
     DOC("Without `to`: the same point, measured from where the tip is at time 0.")},
    {"stiffness", TDI_SCENE_REAL, offsetof(td_pull_load, stiffness), .unit = "N/m", .def = {100},
     FROM_0, KEYED, DOC("Stiffness of the spring that pulls.")},
    {"damping", TDI_SCENE_REAL, offsetof(td_pull_load, damping), .unit = "N s/m", FROM_0, KEYED,
     DOC("Damping of the spring that pulls.")},
    SPAN_FIELDS(td_pull_load, "load"),
    {0}};
static const tdi_scene_table pull_table = {
    "pull", sizeof(td_pull_load), pull_fields,
    DOC("A spring that pulls the tip of a segment to a point, and lets it go.")};

static const tdi_scene_field push_fields[] = {
    PLACE_FIELDS(td_push_load, "at time 0"),
    {"force", TDI_SCENE_VEC3, offsetof(td_push_load, force), .unit = "N", .low = -1e9, .high = 1e9,
     KEYED, DOC("Force at the tip, in world axes.")},
    {"twist", TDI_SCENE_REAL, offsetof(td_push_load, twist), .unit = "N m", .low = -1e9,
     .high = 1e9, KEYED, DOC("Torque about the segment's own axis.")},
    SPAN_FIELDS(td_push_load, "load"),
    {0}};
static const tdi_scene_table push_table = {
    "push", sizeof(td_push_load), push_fields,
    DOC("A force at the tip of a segment, or a torque about its axis.")};

static const tdi_scene_field pose_fields[] = {
    {"object", TDI_SCENE_TEXT, offsetof(td_pose_load, object),
     DOC("Name of the object. Default: the first.")},
    {"bend", TDI_SCENE_VEC3, offsetof(td_pose_load, bend), DEGREES, .low = -3600, .high = 3600,
     KEYED,
     DOC("Total rotation from base to tip, away from the rest shape, about the segments' own X, Y "
         "(twist) and Z.")},
    {"strength", TDI_SCENE_REAL, offsetof(td_pose_load, strength), .unit = "N/m", .def = {1},
     FROM_0, KEYED, DOC("Stiffness of the spring at every tip.")},
    {"damping", TDI_SCENE_REAL, offsetof(td_pose_load, damping), .unit = "N s/m", FROM_0, KEYED,
     DOC("Damping of the springs.")},
    {0}};
static const tdi_scene_table pose_table = {
    "pose", sizeof(td_pose_load), pose_fields,
    DOC("Springs that pull an object to a pose, for animators.")};

static const tdi_scene_field expression_item = {.key = "expression", .kind = TDI_SCENE_TEXT};
static const tdi_scene_field field_fields[] = {
    {"force", TDI_SCENE_LIST, offsetof(td_field_load, force), .unit = "N", .item = &expression_item,
     .count = offsetof(td_field_load, force_count), .max_count = 3, .required = true,
     DOC("Three expressions: the force on a segment along X, Y and Z, in N, when the step begins. "
         "Names: `x`, `y`, `z` (its centre of mass), `vx`, `vy`, `vz`, `speed`, `t`, `mass`, "
         "`radius`, `length`, `instance`.")},
    {"object", TDI_SCENE_TEXT, offsetof(td_field_load, object),
     DOC("Name of the object. Default: all objects.")},
    {"strength", TDI_SCENE_REAL, offsetof(td_field_load, strength), .def = {1}, .low = -1e9,
     .high = 1e9, KEYED, DOC("Factor of the force.")},
    SPAN_FIELDS(td_field_load, "load"),
    {0}};
static const tdi_scene_table field_table = {
    "field", sizeof(td_field_load), field_fields,
    DOC("A force on every segment, by expressions of its position, velocity and the time.")};

static const tdi_scene_field load_fields[] = {
    {"wind", TDI_SCENE_MAP, offsetof(td_scene_load, as.wind), .tag = TD_SCENE_WIND,
     .table = &wind_table, DOC("Moving air.")},
    {"pull", TDI_SCENE_MAP, offsetof(td_scene_load, as.pull), .tag = TD_SCENE_PULL,
     .table = &pull_table, DOC("A spring that pulls a tip.")},
    {"push", TDI_SCENE_MAP, offsetof(td_scene_load, as.push), .tag = TD_SCENE_PUSH,
     .table = &push_table, DOC("A force or a torque.")},
    {"pose", TDI_SCENE_MAP, offsetof(td_scene_load, as.pose), .tag = TD_SCENE_POSE,
     .table = &pose_table, DOC("Springs that pull the object to a pose.")},
    {"field", TDI_SCENE_MAP, offsetof(td_scene_load, as.field), .tag = TD_SCENE_FIELD,
     .table = &field_table, DOC("A force on every segment, by expressions.")},
    {0}};
static const tdi_scene_table load_table = {
    "load",         sizeof(td_scene_load),
    load_fields,    DOC("Something that acts on the objects."),
    .one_of = true, .tag = offsetof(td_scene_load, kind)};

// ---- contact --------------------------------------------------------------------------------

typedef struct td_collider_place collider_place;

#define COLLIDER_FIELDS                                                                            \
    {"position",                                                                                   \
     TDI_SCENE_VEC3,                                                                               \
     offsetof(collider_place, position),                                                           \
     .unit = "m",                                                                                  \
     .low = -1e6,                                                                                  \
     .high = 1e6,                                                                                  \
     KEYED,                                                                                        \
     DOC("Position of the centre; for a plane, of any point on it.")},                             \
        {"rotation",                                                                               \
         TDI_SCENE_ROTATION,                                                                       \
         offsetof(collider_place, rotation),                                                       \
         .def = {1},                                                                               \
         KEYED,                                                                                    \
         DOC("Rotation. Without one the axis, or the normal of a plane, is +Y.")},                 \
        {"friction",   TDI_SCENE_REAL, offsetof(collider_place, friction),                         \
         .def = {0.3}, .high = 10,     DOC("Coefficient of friction (Coulomb).")},                 \
        {"restitution", TDI_SCENE_REAL, offsetof(collider_place, restitution), .high = 1,          \
         DOC("Speed after an impact over that before; needs `method: exact` under `contact`.")},   \
        {"rolling",                                                                                \
         TDI_SCENE_REAL,                                                                           \
         offsetof(collider_place, rolling),                                                        \
         .def = {0.01},                                                                            \
         .high = 1,                                                                                \
         DOC("Rolling resistance: a moment over radius and normal force.")},                       \
        {"static_friction", TDI_SCENE_REAL, offsetof(collider_place, static_friction), .high = 10, \
         DOC("Coefficient of friction while surfaces do not slip yet; not below `friction`.")},    \
        FILTER_FIELDS(collider_place), {                                                           \
        "name", TDI_SCENE_TEXT, offsetof(collider_place, name),                                    \
            DOC("Name in messages. Default: the number in the list, from 0, and the kind.")        \
    }

static const tdi_scene_field plane_fields[] = {COLLIDER_FIELDS, {0}};
static const tdi_scene_table plane_table = {
    "plane", sizeof(collider_place), plane_fields,
    DOC("The ground: everything below the plane is solid.")};
static const tdi_scene_field sphere_fields[] = {
    {"radius", TDI_SCENE_REAL, offsetof(collider_place, radius), .unit = "m", .def = {0.5},
     POSITIVE, DOC("Radius of the sphere.")},
    COLLIDER_FIELDS,
    {0}};
static const tdi_scene_table sphere_table = {"sphere", sizeof(collider_place), sphere_fields,
                                             DOC("A ball.")};
static const tdi_scene_field capsule_fields[] = {
    {"radius", TDI_SCENE_REAL, offsetof(collider_place, radius), .unit = "m", .def = {0.5},
     POSITIVE, DOC("Radius of the capsule and of its round ends.")},
    {"length", TDI_SCENE_REAL, offsetof(collider_place, length), .unit = "m", .def = {1}, FROM_0,
     DOC("Length along its own Y axis, without the round ends.")},
    COLLIDER_FIELDS,
    {0}};
static const tdi_scene_table capsule_table = {"capsule", sizeof(collider_place), capsule_fields,
                                              DOC("A cylinder with round ends: a pole, a finger.")};
static const tdi_scene_field box_fields[] = {
    {"size", TDI_SCENE_VEC3, offsetof(collider_place, sides), .unit = "m", .def = {1, 1, 1},
     POSITIVE, DOC("Lengths of the sides.")},
    COLLIDER_FIELDS,
    {0}};
static const tdi_scene_table box_table = {"box", sizeof(collider_place), box_fields,
                                          DOC("A box: a table, a step.")};

static const tdi_scene_field height_item = {
    "height", TDI_SCENE_REAL, 0, .unit = "m", .low = -1e6, .high = 1e6, DOC("A height.")};
static const tdi_scene_field height_field_fields[] = {
    {"columns", TDI_SCENE_INT, offsetof(collider_place, columns), .required = true, .low = 2,
     .high = 4096, DOC("Heights in a row, along its own X axis.")},
    {"cell", TDI_SCENE_REAL, offsetof(collider_place, cell), .unit = "m", .def = {1}, POSITIVE,
     DOC("Distance between neighbouring heights.")},
    {"heights", TDI_SCENE_LIST, offsetof(collider_place, heights), .unit = "m",
     .item = &height_item, .count = offsetof(collider_place, height_count), .required = true,
     DOC("Heights, row after row along its own Z axis; the ground is smooth between them.")},
    COLLIDER_FIELDS,
    {0}};
static const tdi_scene_table height_field_table = {
    "heightfield", sizeof(collider_place), height_field_fields,
    DOC("Uneven ground: everything below a smooth surface through heights on a grid is solid.")};

static const tdi_scene_field collider_fields[] = {
    {"plane", TDI_SCENE_MAP, offsetof(td_scene_collider, as), .tag = TD_COLLIDER_PLANE,
     .table = &plane_table, DOC("The ground.")},
    {"sphere", TDI_SCENE_MAP, offsetof(td_scene_collider, as), .tag = TD_COLLIDER_SPHERE,
     .table = &sphere_table, DOC("A ball.")},
    {"capsule", TDI_SCENE_MAP, offsetof(td_scene_collider, as), .tag = TD_COLLIDER_CAPSULE,
     .table = &capsule_table, DOC("A cylinder with round ends.")},
    {"box", TDI_SCENE_MAP, offsetof(td_scene_collider, as), .tag = TD_COLLIDER_BOX,
     .table = &box_table, DOC("A box.")},
    {"heightfield", TDI_SCENE_MAP, offsetof(td_scene_collider, as), .tag = TD_COLLIDER_HEIGHT_FIELD,
     .table = &height_field_table, DOC("Uneven ground.")},
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

static const tdi_scene_field contact_fields[] = {
    {"self", TDI_SCENE_BOOL, offsetof(td_scene_contact, self), .def = {1},
     DOC("Objects touch themselves and each other, not only colliders.")},
    {"friction", TDI_SCENE_REAL, offsetof(td_scene_contact, friction), .def = {0.3}, .high = 10,
     DOC("Coefficient of friction (Coulomb) between segments.")},
    {"gap", TDI_SCENE_REAL, offsetof(td_scene_contact, gap), .def = {0.2}, .low = 0.01, .high = 1,
     DOC("Distance at which two surfaces begin to repel each other, as a fraction of the smaller "
         "radius.")},
    {"creep", TDI_SCENE_REAL, offsetof(td_scene_contact, creep), .unit = "m/s", .def = {1e-3},
     .low = 1e-9, .high = 1,
     DOC("Slip speed below which friction counts as sticking. What sticks slides more slowly than "
         "this.")},
    {"method", TDI_SCENE_CHOICE, offsetof(td_scene_contact, method), .choices = methods,
     DOC("How contact is solved.")},
    {"restitution", TDI_SCENE_REAL, offsetof(td_scene_contact, restitution), .high = 1,
     DOC("Speed after an impact between segments over that before; needs `method: exact`.")},
    {"rolling", TDI_SCENE_REAL, offsetof(td_scene_contact, rolling), .high = 1,
     DOC("Rolling resistance between segments: a moment over radius and normal force.")},
    {"static_friction", TDI_SCENE_REAL, offsetof(td_scene_contact, static_friction), .high = 10,
     DOC("Coefficient of friction between segments that do not slip yet; not below `friction`.")},
    {"law", TDI_SCENE_CHOICE, offsetof(td_scene_contact, law), .choices = laws,
     DOC("What restitution is a ratio of, in impacts. The two differ where there is friction.")},
    {0}};
static const tdi_scene_table contact_table = {
    "contact", sizeof(td_scene_contact), contact_fields,
    DOC("Contact of all objects with themselves, each other and the colliders.")};

static const tdi_scene_field sleep_fields[] = {
    {"speed", TDI_SCENE_REAL, offsetof(td_scene_sleep, speed), .unit = "m/s", .def = {1e-3}, FROM_0,
     LIVE, DOC("No point of what falls asleep is faster.")},
    {"time", TDI_SCENE_REAL, offsetof(td_scene_sleep, time), .unit = "s", .def = {0.5}, FROM_0,
     LIVE, DOC("For so long it must have been so slow.")},
    {0}};
static const tdi_scene_table sleep_table = {
    "sleep", sizeof(td_scene_sleep), sleep_fields,
    DOC("Objects that have come to rest, with all they touch, stop and cost nearly nothing until "
        "something acts on them. What feels a wind that varies, or a field, does not sleep.")};

// ---- recording ------------------------------------------------------------------------------

static const tdi_choice quantities[] = {
    {"position", TD_QUANTITY_POSITION, "of the tip"},
    {"orientation", TD_QUANTITY_ORIENTATION, "of the segment"},
    {"velocity", TD_QUANTITY_VELOCITY, "of the tip"},
    {"curvature", TD_QUANTITY_CURVATURE, "at the joint"},
    {"moment", TD_QUANTITY_MOMENT, "of the spring of the joint"},
    {"force", TD_QUANTITY_FORCE, "of a constraint, on its side `a`"},
    {0}};

static const tdi_scene_field probe_fields[] = {
    {"name", TDI_SCENE_TEXT, offsetof(td_probe_def, name),
     DOC("Heading of the columns. Default: name of the object and quantity.")},
    PLACE_FIELDS(td_probe_def, "at time 0"),
    {"constraint", TDI_SCENE_TEXT, offsetof(td_probe_def, constraint),
     DOC("Name of a constraint whose force is recorded, in place of a segment.")},
    {"quantity", TDI_SCENE_CHOICE, offsetof(td_probe_def, quantity), .choices = quantities,
     DOC("The quantity to record.")},
    {0}};
static const tdi_scene_table probe_table = {
    "probe", sizeof(td_probe_def), probe_fields,
    DOC("A quantity to record at a segment, or of a constraint.")};

static const tdi_scene_field record_fields[] = {
    {"duration", TDI_SCENE_REAL, offsetof(td_record_def, duration), .unit = "s", .def = {10},
     .high = 1e6, .low_open = true, DOC("Duration of the run.")},
    {"fps", TDI_SCENE_REAL, offsetof(td_record_def, fps), .unit = "1/s", .def = {30}, .low = 0.1,
     .high = 10000, DOC("Frames per second.")},
    {"probes", TDI_SCENE_LIST, offsetof(td_record_def, probes), .table = &probe_table,
     .count = offsetof(td_record_def, probe_count), .max_count = 1000,
     DOC("Quantities to record, the columns of probes.csv.")},
    {"energy", TDI_SCENE_BOOL, offsetof(td_record_def, energy), .def = {1},
     DOC("Writes energies and momentum of every object to energy.csv.")},
    {"glb", TDI_SCENE_BOOL, offsetof(td_record_def, glb), .def = {1},
     DOC("Writes the motion as animated glTF to scene.glb.")},
    {"page", TDI_SCENE_BOOL, offsetof(td_record_def, page), .def = {1},
     DOC("Writes a page that plays the motion, scene.html.")},
    {"contacts", TDI_SCENE_BOOL, offsetof(td_record_def, contacts),
     DOC("Writes forces of contacts and constraints as arrows to scene.glb. The page can show "
         "them without this.")},
    {0}};
static const tdi_scene_table record_table = {"record", sizeof(td_record_def), record_fields,
                                             DOC("What a run records and writes.")};

// ---- all of it ------------------------------------------------------------------------------

static const tdi_scene_field scene_fields[] = {
    {"name", TDI_SCENE_TEXT, offsetof(td_scene_def, name), DOC("Title of the scene.")},
    {"text", TDI_SCENE_TEXT, offsetof(td_scene_def, text),
     DOC("One sentence on what the scene shows.")},
    {"gravity", TDI_SCENE_VEC3, offsetof(td_scene_def, gravity), .unit = "m/s^2",
     .def = {0, -9.81, 0}, .low = -1e4, .high = 1e4, KEYED, DOC("Acceleration of gravity.")},
    {"step", TDI_SCENE_REAL, offsetof(td_scene_def, step), .unit = "s", .high = 1, LIVE,
     DOC("Time step. Frames that lie within a step are interpolated. 0 means: the longest step of "
         "at most 1/60 s of which a frame has a whole number.")},
    {"tolerance", TDI_SCENE_REAL, offsetof(td_scene_def, tolerance), .unit = "rad", .def = {1e-4},
     .high = 0.1, .low_open = true, .keyed = true,
     DOC("Error at which Newton's method stops in a step. 0.02 saves about a third of the time in "
         "wind.")},
    {"air_density", TDI_SCENE_REAL, offsetof(td_scene_def, air_density), .unit = "kg/m^3",
     .def = {1.2}, .high = 1e5, KEYED, DOC("Density of the air. Water has 1000; 0 means no drag.")},
    {"drag", TDI_SCENE_REAL, offsetof(td_scene_def, drag), .def = {1}, .high = 100, KEYED,
     DOC("Drag coefficient.")},
    {"air_linear", TDI_SCENE_REAL, offsetof(td_scene_def, air_linear), .unit = "N s/m^3",
     .high = 1e6, KEYED, DOC("Drag in proportion to the speed, for each square metre.")},
    {"objects", TDI_SCENE_LIST, offsetof(td_scene_def, objects), .table = &tdi_object_table,
     .required = true, .count = offsetof(td_scene_def, object_count), .max_count = 10000,
     DOC("The objects that move.")},
    {"loads", TDI_SCENE_LIST, offsetof(td_scene_def, loads), .table = &load_table,
     .count = offsetof(td_scene_def, load_count), .max_count = 10000,
     DOC("The loads that act on the objects.")},
    {"constraints", TDI_SCENE_LIST, offsetof(td_scene_def, constraints),
     .table = &tdi_constraint_table, .count = offsetof(td_scene_def, constraint_count),
     .max_count = 10000, DOC("Conditions that hold exactly: held points, joints, ropes, limits.")},
    {"contact", TDI_SCENE_MAP, offsetof(td_scene_def, contact), .table = &contact_table,
     .given = offsetof(td_scene_def, contact.given), DOC("How objects touch each other.")},
    {"colliders", TDI_SCENE_LIST, offsetof(td_scene_def, colliders), .table = &collider_table,
     .count = offsetof(td_scene_def, collider_count), .max_count = 10000,
     DOC("Solids that the objects touch. With colliders, objects also touch each other.")},
    {"sleep", TDI_SCENE_MAP, offsetof(td_scene_def, sleep), .table = &sleep_table,
     .given = offsetof(td_scene_def, sleep.given),
     DOC("Lets objects that have come to rest sleep. Default: none does.")},
    {"record", TDI_SCENE_MAP, offsetof(td_scene_def, record), .table = &record_table,
     DOC("What a run records and writes.")},
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
    if (!sink) {
        return TD_ERR_ARGUMENT;
    }
    return tdi_fields_reference(&tdi_scene_all, 2, NULL, sink, context);
}
