// SPDX-License-Identifier: MIT
// The keys of a scene's objects: where each goes, its unit, default and range, and what it means.

#include "scene/scene_tables.h"
#include "scene/table_rows.h"

static const tdi_scene_field point_item = {
    .key = "point", .kind = TDI_SCENE_VEC3, .unit = "m", .low = -1e6, .high = 1e6};

#define ALONG(what) .along = offsetof(td_strand_def, along[TD_ALONG_##what])
#define TURNS       .unit = "turns", .scale = 2 * TDI_PI

TABLE(helix_table, "helix", td_helix_def, "A helix, an arc or a ring about +Y.",
      FIELD(REAL, td_helix_def, radius, .unit = "m", FROM_0,
            DOC("Radius about the axis +Y. The helix begins on the X axis.")),
      FIELD(REAL, td_helix_def, pitch, METRES,
            DOC("Rise for each turn. 0 makes an arc, or a ring if the strand is closed.")),
      FIELD(REAL, td_helix_def, turns, .def = {1}, .low = -1e5, .high = 1e5,
            DOC("Number of turns. A negative number turns the other way round.")));

static const tdi_choice holds[] = {{"free", TD_END_FREE, "not held"},
                                   {"pinned", TD_END_PINNED, "its position"},
                                   {"clamped", TD_END_CLAMPED, "its position and its rotation"},
                                   {0}};

#define END_FIELDS(hold)                                                                  \
    FIELD(CHOICE, td_strand_end, held, .choices = holds, .def = {hold},                   \
          DOC("What of this end is held fixed.")),                                        \
        FIELD(VEC3, td_strand_end, shift, METRES, KEYED,                                  \
              DOC("Moves the end from where it is drawn, in the axes of the base.")),     \
        FIELD(ROTATION, td_strand_end, rotation, .def = {1}, KEYED,                       \
              DOC("Turns a clamped end from how it is drawn, in the axes of the base.")), \
        FIELD(REAL, td_strand_end, turns, TURNS, NUMBER, KEYED,                           \
              DOC("Twists a clamped end about its own axis, by less than half a turn in a step."))

TABLE(start_table, "start", td_strand_end, "The first end of a strand.",
      END_FIELDS(TD_END_CLAMPED));
TABLE(end_table, "end", td_strand_end, "The last end of a strand.", END_FIELDS(TD_END_FREE));

TABLE(body_table, "body", td_strand_body, "A box that is welded to a strand.",
      FIELD(REAL, td_strand_body, at, .def = {1}, .high = 1,
            DOC("Where the box is: 0 at the start of the strand, 1 at its end.")),
      FIELD(REAL, td_strand_body, mass, .unit = "kg", .required = true, POSITIVE,
            DOC("Mass of the box.")),
      FIELD(VEC3, td_strand_body, size, .unit = "m", FROM_0,
            DOC("Sides of the box. The second side lies along the strand.")),
      FIELD(VEC3, td_strand_body, position, METRES,
            DOC("Centre of the box, measured from the strand.")));

TABLE(
    strand_table, "strand", td_strand_def, "A rope, braid or ear along a curve.",
    FIELD(LIST, td_strand_def, points, .unit = "m", .item = &point_item,
          .count = offsetof(td_strand_def, point_count), .max_count = 10000,
          DOC("Points of a smooth curve, from the base on, in the axes of the base.")),
    FIELD(MAP, td_strand_def, helix, .table = &helix_table, DOC("A helix in place of `points`.")),
    FIELD(INT, td_strand_def, segments, .def = {20}, .low = 1, .high = 1e6,
          DOC("Number of pieces, all of the same length.")),
    FIELD(INT, td_strand_def, elements, .high = 1e6, NEEDS(curved),
          DOC("Number of curved elements of the strand, at most `segments`. 0 means: by curvature "
              "and weight.")),
    FIELD(REAL, td_strand_def, radius, .unit = "m", .def = {0.005}, POSITIVE, ALONG(RADIUS),
          DOC("Radius at the base.")),
    FIELD(REAL, td_strand_def, tip_radius, .unit = "m", FROM_0,
          DOC("Radius at the other end. 0 means the same as at the base.")),
    FIELD(TEXT, td_strand_def, material,
          DOC("A material of the library; `tendril info` lists them. Default: rope.")),
    FIELD(REAL, td_strand_def, density, .unit = "kg/m^3", .high = 1e6, ALONG(DENSITY),
          DOC("Density. 0 means: that of the material.")),
    FIELD(REAL, td_strand_def, damping_time, .unit = "s", .def = {-1}, .low = -1, .high = 1e6,
          ALONG(DAMPING_TIME),
          DOC("Ratio of damping to stiffness. -1 means: that of the material.")),
    FIELD(REAL, td_strand_def, drag, .def = {1}, .high = 1e6, ALONG(DRAG),
          DOC("Factor of the area that the air acts on.")),
    FIELD(REAL, td_strand_def, tip_mass, .unit = "kg", FROM_0,
          DOC("Mass of a weight at the end, such as a lantern or a bead.")),
    FIELD(BOOL, td_strand_def, closed, NEEDS(rings), DOC("Joins the last point to the first.")),
    FIELD(BOOL, td_strand_def, straight,
          DOC("The rest shape is straight, whatever shape is drawn.")),
    FIELD(LIST, td_strand_def, rest, .unit = "m", .item = &point_item,
          .count = offsetof(td_strand_def, rest_count), .max_count = 10000,
          DOC("Points of the rest shape. Default: the shape that is drawn.")),
    FIELD(MAP, td_strand_def, rest_helix, .table = &helix_table,
          DOC("The rest shape as a helix, in place of `rest`.")),
    FIELD(REAL, td_strand_def, radius_other, .unit = "m", FROM_0,
          DOC("Radius along Z of a flat section; `radius` is then along X. 0 means round.")),
    FIELD(REAL, td_strand_def, twist, TURNS, NUMBER,
          DOC("Twist at time 0, over the whole length.")),
    FIELD(
        MAP, td_strand_def, start, .table = &start_table,
        DOC("How the first end is held, and how it moves. Only a solver that takes `end` can move "
            "it.")),
    FIELD(MAP, td_strand_def, end, .table = &end_table, NEEDS(ends),
          DOC("How the last end is held, and how it moves.")),
    FIELD(LIST, td_strand_def, bodies, .table = &body_table,
          .count = offsetof(td_strand_def, body_count), .max_count = 1000,
          DOC("Boxes that are welded to the strand.")),
    FIELD(REAL, td_strand_def, bend, .unit = "N m^2", FROM_0, ALONG(BEND),
          DOC("Bending stiffness EI about X. 0 means: from section and material.")),
    FIELD(REAL, td_strand_def, bend_other, .unit = "N m^2", FROM_0, ALONG(BEND_OTHER),
          DOC("Bending stiffness EI about Z. 0 means the same as `bend`.")),
    FIELD(REAL, td_strand_def, torsion, .unit = "N m^2", FROM_0, ALONG(TORSION),
          DOC("Torsional stiffness GJ. 0 means: from section and material.")),
    FIELD(REAL, td_strand_def, stretch, .unit = "N", FROM_0, ALONG(STRETCH), NEEDS(stretchy),
          DOC("Stretching stiffness EA. 0 means: from section and material.")),
    FIELD(REAL, td_strand_def, line_mass, .unit = "kg/m", FROM_0, ALONG(LINE_MASS),
          DOC("Mass of a metre. 0 means: from section and material.")),
    FIELD(BOOL, td_strand_def, inextensible,
          DOC("Makes the strand a hundred times as stiff against stretching.")));

static const tdi_choice layouts[] = {
    {"area", TD_INSTANCES_AREA, "at random positions in the area"},
    {"grid", TD_INSTANCES_GRID, "in rows, with small random shifts"},
    {"list", TD_INSTANCES_LIST, "at the positions of `places`"},
    {0}};

TABLE(instances_table, "instances", td_instances_def, "Many copies of one object.",
      FIELD(INT, td_instances_def, count, .def = {1}, .low = 1, .high = 1e5,
            DOC("Number of instances.")),
      FIELD(CHOICE, td_instances_def, layout, .choices = layouts,
            DOC("How the instances are placed about the object's position.")),
      FIELD(VEC3, td_instances_def, area, .unit = "m", .def = {1, 0, 1}, FROM_0,
            DOC("Sides of the area or of the grid.")),
      FIELD(REAL, td_instances_def, jitter, .def = {0.3}, .high = 1,
            DOC("Random shift in a grid, as a fraction of its spacing.")),
      FIELD(LIST, td_instances_def, places, .unit = "m", .item = &point_item,
            .count = offsetof(td_instances_def, place_count), .max_count = 100000,
            DOC("Positions for the layout `list`. Their number is the count.")),
      FIELD(INT, td_instances_def, seed, .def = {1}, .high = 2e9,
            DOC("Seed of the random positions and rotations.")),
      FIELD(INT, td_instances_def, variants, .def = {1}, .low = 1, .high = 1000,
            DOC("Number of models that the instances share. Each has its own seed and size.")),
      FIELD(REAL, td_instances_def, smallest, .def = {1}, .low = 1e-3, .high = 1e3,
            DOC("Size of the smallest variant, as a factor of the object's size.")),
      FIELD(REAL, td_instances_def, largest, .def = {1}, .low = 1e-3, .high = 1e3,
            DOC("Size of the largest variant, as a factor of the object's size.")),
      FIELD(BOOL, td_instances_def, turned, .def = {1},
            DOC("Turns each instance about the vertical by a random angle.")));

TABLE(material_table, "material", td_material_change,
      "Changes the parameters of a material for this object.",
      FIELD(TEXT, td_material_change, name,
            DOC("Name of the material to change. Default: all materials of the object.")),
      FIELD(REAL, td_material_change, density, .unit = "kg/m^3", FROM_0,
            DOC("New density. 0 keeps the old one.")),
      FIELD(REAL, td_material_change, young, .unit = "Pa", FROM_0,
            DOC("New Young's modulus, the stiffness in bending. 0 keeps the old one.")),
      FIELD(REAL, td_material_change, shear, .unit = "Pa", FROM_0,
            DOC("New shear modulus, the stiffness in twist. 0 keeps the old one.")),
      FIELD(REAL, td_material_change, damping_time, .unit = "s", .def = {-1}, .low = -1,
            .high = 1e6, DOC("New ratio of damping to stiffness. -1 keeps the old one.")));

typedef struct td_joint_terms joint;

#define JOINT_SEGMENT                                                           \
    FIELD_AT(                                                                   \
        "segment", INT, joint, segment_id, .def = {-1}, .low = -1, .high = 2e9, \
        DOC("Id of the segment whose lower joint this is; -1: every one that has a ball joint."))
#define JOINT_AXIS(text)                               \
    FIELD(VEC3, joint, axis, .def = {0, 0, 1}, NUMBER, \
          DOC(text " in the axes of the base, as drawn."))

TABLE(hinge_table, "hinge joint", joint, "A joint that turns about one axis.", JOINT_SEGMENT,
      JOINT_AXIS("Axis about which it turns,"),
      FIELD_AT("angle", REAL, joint, place, DEGREES, .low = -360, .high = 360,
               DOC("Angle at time 0, from how it is drawn.")),
      FIELD_AT("stiffness", REAL, joint, stiffness.x, .unit = "N m/rad", FROM_0,
               DOC("Spring, at ease as drawn. 0 means: it turns freely.")),
      FIELD_AT("damping", REAL, joint, damping.x, .unit = "N m s/rad", FROM_0,
               DOC("Moment that slows it down, for each rad/s.")));

TABLE(slide_table, "slide joint", joint, "A joint that slides along one axis.", JOINT_SEGMENT,
      JOINT_AXIS("Axis along which it slides,"),
      FIELD_AT("slide", REAL, joint, place, METRES,
               DOC("Place at time 0, from where it is drawn.")),
      FIELD_AT("stiffness", REAL, joint, stiffness.x, .unit = "N/m", FROM_0,
               DOC("Spring, at ease as drawn. 0 means: it slides freely.")),
      FIELD_AT("damping", REAL, joint, damping.x, .unit = "N s/m", FROM_0,
               DOC("Force that slows it down, for each m/s.")));

TABLE(
    ball_table, "ball joint", joint, "A joint that turns any way.", JOINT_SEGMENT,
    FIELD(VEC3, joint, stiffness, .unit = "N m/rad", FROM_0,
          DOC("Springs about X, Y (twist) and Z of the segment, at ease as drawn. 0 means: none.")),
    FIELD(VEC3, joint, damping, .unit = "N m s/rad", FROM_0, DOC("Damping about the same axes.")));

TABLE(fixed_table, "fixed joint", joint, "A joint that does not move.", JOINT_SEGMENT);

static const tdi_scene_field joint_fields[] = {
    FIELD_AT("hinge", MAP, td_joint_def, as, .tag = TD_JOINT_HINGE, .table = &hinge_table,
             DOC("It turns about an axis.")),
    FIELD_AT("slide", MAP, td_joint_def, as, .tag = TD_JOINT_SLIDE, .table = &slide_table,
             DOC("It slides along an axis.")),
    FIELD_AT("ball", MAP, td_joint_def, as, .tag = TD_JOINT_BALL, .table = &ball_table,
             DOC("It turns any way.")),
    FIELD_AT("fixed", MAP, td_joint_def, as, .tag = TD_JOINT_FIXED, .table = &fixed_table,
             DOC("It does not move.")),
    {0}};
static const tdi_scene_table joint_table = {
    "joint of an object", sizeof(td_joint_def),
    joint_fields,         DOC("A joint of another kind than was drawn."),
    .one_of = true,       .tag = offsetof(td_joint_def, kind)};

static const tdi_scene_field local_fields[] = {
    FIELD(REAL, td_local_def, amount, .high = 1, KEYED,
          DOC("Fraction of the frame's motion that the object does not feel.")),
    FIELD(VEC3, td_local_def, position, METRES, KEYED,
          DOC("Position of the frame, such as a hip or a horse's back.")),
    FIELD(ROTATION, td_local_def, rotation, .def = {1}, KEYED, DOC("Rotation of the frame.")),
    {0}};
static const tdi_scene_table local_table = {
    "local", sizeof(td_local_def), local_fields,
    DOC("Local dynamics: takes the motion of a frame, with which the object moves, out of what the "
        "object feels. Not with contact.")};

static const tdi_choice weights[] = {
    {"even", TD_WEIGHTS_EVEN, "1: rad/s, of slides m/s"},
    {"reach", TD_WEIGHTS_REACH, "the longest way from the joint to a tip: m/s of tips"},
    {"camera", TD_WEIGHTS_CAMERA, "that over the distance from `camera`: rad/s as seen from there"},
    {0}};
static const tdi_choice adapt_rules[] = {
    {"euler", TD_EULER, "one evaluation of the forces a step, as published"},
    {"rk4", TD_RK4, "four, for steps that keep the energy far better"},
    {0}};
TABLE(
    adapt_table, "adapt", td_adapt_def,
    "Which joints the integrator `adaptive` moves; all others are rigid for the moment. With an "
    "implicit integrator: how exact the motion has to be; joints that do not matter keep their "
    "angles, "
    "turn together or follow the wind.",
    FIELD(INT, td_adapt_def, joints, .high = 1e9,
          DOC("Number of joints that move. 0 means: as many as `error` asks for. With an implicit "
              "integrator: at most so many by themselves.")),
    FIELD(REAL, td_adapt_def, error, .high = 1e6, KEYED,
          DOC("Joints are rigid as long as all of their velocities together, root of the sum of "
              "squares, would be below this. 0 means: all joints that move are free. With an "
              "implicit integrator: m, estimated error of the tips, rms, that is allowed; with "
              "`weights: camera` over their distance.")),
    FIELD(INT, td_adapt_def, every, .def = {20}, .high = 1e6,
          DOC("Steps between two choices of joints. 0 means: always those nearest to the root of "
              "the assembly tree.")),
    FIELD(CHOICE, td_adapt_def, rule, .choices = adapt_rules, .def = {TD_EULER},
          DOC("The rule by which a step advances the joints that move.")),
    FIELD(CHOICE, td_adapt_def, weights, .choices = weights,
          DOC("Factor of a joint's velocity and acceleration in the choice.")),
    FIELD(VEC3, td_adapt_def, camera, METRES, KEYED,
          DOC("Where the camera of `weights: camera` is.")));

const tdi_choice tdi_integrators[] = {
    {"implicit", TD_IMPLICIT, "BDF2: stable with any step"},
    {"implicit-euler", TD_IMPLICIT_EULER, "backward Euler: stable with any step, damps more"},
    {"euler", TD_EULER, "explicit: needs tiny steps for stiff objects"},
    {"rk4", TD_RK4, "explicit Runge-Kutta of fourth order"},
    {"adaptive", TD_ADAPTIVE, "explicit, and only of the joints that matter: see `adapt`"},
    {0}};
static const tdi_choice rules[] = {{"clamped", TD_SPRING_CLAMPED, "half of each segment bends"},
                                   {"thesis", TD_SPRING_THESIS, "mean of the two segments"},
                                   {0}};
const tdi_choice tdi_laws[] = {{"default", TD_LAW_DEFAULT, "the solver's own"},
                               {"linear", TD_LAW_LINEAR, "in proportion to the angle"},
                               {"tangent", TD_LAW_TANGENT, "as 2 k tan(angle/2)"},
                               {0}};
static const tdi_choice starts[] = {{"settled", TD_START_SETTLED, "at rest under gravity"},
                                    {"drawn", TD_START_DRAWN, "as drawn, then released"},
                                    {0}};

static bool solver_name(int32_t k, tdi_choice *name) {
    if (k >= td_solver_count()) {
        return false;
    }
    const td_solver_info info = td_solver_get(k);
    *name = (tdi_choice){info.name, k, info.text};
    return true;
}

static const tdi_scene_field object_fields[] = {
    FIELD(TEXT, td_object_def, name, DOC("Name by which loads and probes refer to the object.")),
    FIELD(TEXT, td_object_def, plant,
          DOC("File of an L-system, or of a skeleton in JSON, relative to the scene's file.")),
    FIELD(TEXT, td_object_def, view,
          DOC("View file of cpfg for the plant. By default the one beside it, if there is one.")),
    FIELD(MAP, td_object_def, strand, .table = &strand_table, DOC("A strand in place of a plant.")),
    FIELD(INT, td_object_def, steps, .def = {-1}, .low = -1, .high = 1e6,
          DOC("Derivation steps of the L-system. -1 means: as its file says.")),
    FIELD(INT, td_object_def, seed, .def = {-1}, .low = -1, .high = 2e9,
          DOC("Random seed of the L-system. -1 means: as its file says.")),
    FIELD_AT("define", VALUE, td_object_def, define_values,
             DOC("A map from names to values. They replace the `#define`s of the file.")),
    FIELD(VEC3, td_object_def, position, METRES, KEYED,
          DOC("Position of the base. Keys move the pot.")),
    FIELD(ROTATION, td_object_def, rotation, .def = {1}, KEYED,
          DOC("Rotation of the base. Keys turn the pot.")),
    FIELD(REAL, td_object_def, size, .def = {1}, .low = 1e-6, .high = 1e6,
          DOC("Factor of all lengths.")),
    FIELD(TEXT, td_object_def, solver, .names = solver_name,
          DOC("The solver that simulates the object.")),
    FIELD(CHOICE, td_object_def, integrator, .choices = tdi_integrators,
          DOC("The integrator: the rule by which a step advances the object in time.")),
    FIELD(MAP, td_object_def, adapt, .table = &adapt_table, NEEDS(adapts),
          DOC("How the joints that move are chosen.")),
    FIELD(CHOICE, td_object_def, springs, .choices = rules,
          DOC("How the stiffness of a joint follows from its two segments.")),
    FIELD(CHOICE, td_object_def, law, .choices = tdi_laws,
          DOC("How the moment of a joint grows with its angle.")),
    FIELD(INT, td_object_def, elements, .high = 1e6, NEEDS(curved),
          DOC("Number of curved elements of each axis of a plant, at most one a segment. 0 means: "
              "by curvature and weight.")),
    FIELD(REAL, td_object_def, prune_length, .unit = "m", FROM_0,
          DOC("Leaves out segments that are shorter than this.")),
    FIELD(REAL, td_object_def, prune_mass, .unit = "kg", FROM_0,
          DOC("Leaves out segments that are lighter than this.")),
    FIELD(LIST, td_object_def, materials, .table = &material_table,
          .count = offsetof(td_object_def, material_count), .max_count = 1000,
          DOC("Changes parameters of the materials of the library or of the file.")),
    FIELD(LIST, td_object_def, joints, .table = &joint_table,
          .count = offsetof(td_object_def, joint_count), .max_count = 10000, NEEDS(hinges),
          DOC("Joints that are hinges, slides, free balls or fixed.")),
    FIELD(REAL, td_object_def, stiffness, .def = {1}, .high = 1e12, KEYED,
          DOC("Factor of the stiffness of all joints.")),
    FIELD(REAL, td_object_def, bending, .def = {1}, .low = 1e-9, .high = 1e9, KEYED,
          DOC("Further factor of the stiffness in bending, and of its damping: as that of Young's "
              "modulus.")),
    FIELD(REAL, td_object_def, twisting, .def = {1}, .low = 1e-9, .high = 1e9, KEYED,
          DOC("Further factor of the stiffness in twist, and of its damping: as that of the shear "
              "modulus.")),
    FIELD(REAL, td_object_def, damping, .def = {1}, .high = 1e12, KEYED,
          DOC("Factor of the damping of all joints.")),
    FIELD(REAL, td_object_def, damping_ratio, .def = {-1}, .low = -1, .high = 10,
          DOC("Damping ratio of the lowest mode; 1 is critical. -1 means: from the material.")),
    FIELD(REAL, td_object_def, relaxation_time, .unit = "s", .def = {-1}, .low = -1, .high = 1e6,
          DOC("Ratio of damping to stiffness. -1 means: from the material.")),
    FIELD(REAL, td_object_def, drag, .def = {1}, .high = 1e6, KEYED,
          DOC("Factor of the drag of the air.")),
    FIELD(BOOL, td_object_def, rest_under_gravity,
          DOC("The drawn shape is the one at rest under gravity, so nothing sags.")),
    FIELD(BOOL, td_object_def, loose,
          DOC("Nothing holds the plant: a fallen branch. The plant must have one first stem.")),
    FIELD(BOOL, td_object_def, touches, .def = {1},
          DOC("In scenes with contact: whether the object touches itself, others and colliders.")),
    FILTER_FIELDS(td_object_def),
    FIELD(CHOICE, td_object_def, start, .choices = starts, DOC("The pose at time 0.")),
    FIELD(REAL, td_object_def, time_scale, .def = {1}, .high = 100, KEYED,
          DOC("Factor of the velocity and acceleration of the base that the object feels. Not with "
              "contact.")),
    FIELD(MAP, td_object_def, local, .table = &local_table,
          DOC("The part of the base's motion that the object does not feel.")),
    FIELD(MAP, td_object_def, instances, .table = &instances_table,
          DOC("Makes many copies of this object.")),
    {0}};
const tdi_scene_table tdi_object_table = {"object", sizeof(td_object_def), object_fields,
                                          DOC("A plant or a strand, or many copies of one."),
                                          .sized = true};

td_strand_body td_strand_body_default(void) {
    td_strand_body body;
    tdi_fields_defaults(&body_table, &body);
    return body;
}

td_joint_def td_joint_def_default(td_joint_kind kind) {
    td_joint_def def = {.kind = kind};
    for (const tdi_scene_field *f = joint_fields; f->key; f++) {
        if (f->tag == (int)kind) {
            tdi_fields_defaults(f->table, &def.as);
        }
    }
    return def;
}
