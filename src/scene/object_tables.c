// SPDX-License-Identifier: MIT
// The keys of a scene's objects: where each goes, its unit, default and range, and what it means.

#include "scene/scene_tables.h"
#include "scene/table_rows.h"

static const tdi_scene_field point_item = {
    .key = "point", .kind = TDI_SCENE_VEC3, .unit = "m", .low = -1e6, .high = 1e6};

#define ALONG(what) .along = offsetof(td_strand_def, along[TD_ALONG_##what])
#define TURNS       .unit = "turns", .scale = 2 * TDI_PI

static const tdi_scene_field helix_fields[] = {
    {"radius", TDI_SCENE_REAL, offsetof(td_helix_def, radius), .unit = "m", FROM_0,
     DOC("Radius about the axis +Y. The helix begins on the X axis.")},
    {"pitch", TDI_SCENE_REAL, offsetof(td_helix_def, pitch), .unit = "m", .low = -1e6, .high = 1e6,
     DOC("Rise for each turn. 0 makes an arc, or a ring if the strand is closed.")},
    {"turns", TDI_SCENE_REAL, offsetof(td_helix_def, turns), .def = {1}, .low = -1e5, .high = 1e5,
     DOC("Number of turns. A negative number turns the other way round.")},
    {0}};
static const tdi_scene_table helix_table = {"helix", sizeof(td_helix_def), helix_fields,
                                            DOC("A helix, an arc or a ring about +Y.")};

static const tdi_choice holds[] = {{"free", TD_END_FREE, "not held"},
                                   {"pinned", TD_END_PINNED, "its position"},
                                   {"clamped", TD_END_CLAMPED, "its position and its rotation"},
                                   {0}};

#define END_FIELDS(hold)                                                                           \
    {                                                                                              \
        {"held",           TDI_SCENE_CHOICE, offsetof(td_strand_end, held),                        \
         .choices = holds, .def = {hold},    DOC("What of this end is held fixed.")},              \
            {"shift",                                                                              \
             TDI_SCENE_VEC3,                                                                       \
             offsetof(td_strand_end, shift),                                                       \
             .unit = "m",                                                                          \
             .low = -1e6,                                                                          \
             .high = 1e6,                                                                          \
             KEYED,                                                                                \
             DOC("Moves the end from where it is drawn, in the axes of the base.")},               \
            {"rotation",                                                                           \
             TDI_SCENE_ROTATION,                                                                   \
             offsetof(td_strand_end, rotation),                                                    \
             .def = {1},                                                                           \
             KEYED,                                                                                \
             DOC("Turns a clamped end from how it is drawn, in the axes of the base.")},           \
            {"turns",                                                                              \
             TDI_SCENE_REAL,                                                                       \
             offsetof(td_strand_end, turns),                                                       \
             TURNS,                                                                                \
             .low = -1e6,                                                                          \
             .high = 1e6,                                                                          \
             KEYED,                                                                                \
             DOC("Twists a clamped end about its own axis, by less than half a turn in a step.")}, \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

static const tdi_scene_field start_fields[] = END_FIELDS(TD_END_CLAMPED);
static const tdi_scene_table start_table = {"start", sizeof(td_strand_end), start_fields,
                                            DOC("The first end of a rod.")};
static const tdi_scene_field end_fields[] = END_FIELDS(TD_END_FREE);
static const tdi_scene_table end_table = {"end", sizeof(td_strand_end), end_fields,
                                          DOC("The last end of a rod.")};

static const tdi_scene_field body_fields[] = {
    {"at", TDI_SCENE_REAL, offsetof(td_strand_body, at), .def = {1}, .high = 1,
     DOC("Where the box is: 0 at the start of the strand, 1 at its end.")},
    {"mass", TDI_SCENE_REAL, offsetof(td_strand_body, mass), .unit = "kg", .required = true,
     POSITIVE, DOC("Mass of the box.")},
    {"size", TDI_SCENE_VEC3, offsetof(td_strand_body, size), .unit = "m", FROM_0,
     DOC("Sides of the box. The second side lies along the strand.")},
    {"position", TDI_SCENE_VEC3, offsetof(td_strand_body, position), .unit = "m", .low = -1e6,
     .high = 1e6, DOC("Centre of the box, measured from the strand.")},
    {0}};
static const tdi_scene_table body_table = {"body", sizeof(td_strand_body), body_fields,
                                           DOC("A box that is welded to a strand.")};

static const tdi_scene_field strand_fields[] = {
    {"points", TDI_SCENE_LIST, offsetof(td_strand_def, points), .unit = "m", .item = &point_item,
     .count = offsetof(td_strand_def, point_count), .max_count = 10000,
     DOC("Points of a smooth curve, from the base on, in the axes of the base.")},
    {"helix", TDI_SCENE_MAP, offsetof(td_strand_def, helix), .table = &helix_table,
     DOC("A helix in place of `points`.")},
    {"segments", TDI_SCENE_INT, offsetof(td_strand_def, segments), .def = {20}, .low = 1,
     .high = 1e6, DOC("Number of pieces, all of the same length.")},
    {"elements", TDI_SCENE_INT, offsetof(td_strand_def, elements), .high = 1e6,
     DOC("Number of helices that the solver `helix` makes of the strand, at most `segments`. 0 "
         "means: by curvature and weight. Other solvers use the segments.")},
    {"radius", TDI_SCENE_REAL, offsetof(td_strand_def, radius), .unit = "m", .def = {0.005},
     POSITIVE, ALONG(RADIUS), DOC("Radius at the base.")},
    {"tip_radius", TDI_SCENE_REAL, offsetof(td_strand_def, tip_radius), .unit = "m", FROM_0,
     DOC("Radius at the other end. 0 means the same as at the base.")},
    {"material", TDI_SCENE_TEXT, offsetof(td_strand_def, material),
     DOC("A material of the library; `tendril info` lists them. Default: rope.")},
    {"density", TDI_SCENE_REAL, offsetof(td_strand_def, density), .unit = "kg/m^3", .high = 1e6,
     ALONG(DENSITY), DOC("Density. 0 means: that of the material.")},
    {"damping_time", TDI_SCENE_REAL, offsetof(td_strand_def, damping_time), .unit = "s",
     .def = {-1}, .low = -1, .high = 1e6, ALONG(DAMPING_TIME),
     DOC("Ratio of damping to stiffness. -1 means: that of the material.")},
    {"drag", TDI_SCENE_REAL, offsetof(td_strand_def, drag), .def = {1}, .high = 1e6, ALONG(DRAG),
     DOC("Factor of the area that the air acts on.")},
    {"tip_mass", TDI_SCENE_REAL, offsetof(td_strand_def, tip_mass), .unit = "kg", FROM_0,
     DOC("Mass of a weight at the end, such as a lantern or a bead.")},
    {"closed", TDI_SCENE_BOOL, offsetof(td_strand_def, closed),
     DOC("Joins the last point to the first. Needs a solver that has rings, such as `rod`.")},
    {"straight", TDI_SCENE_BOOL, offsetof(td_strand_def, straight),
     DOC("The rest shape is straight, whatever shape is drawn.")},
    {"rest", TDI_SCENE_LIST, offsetof(td_strand_def, rest), .unit = "m", .item = &point_item,
     .count = offsetof(td_strand_def, rest_count), .max_count = 10000,
     DOC("Points of the rest shape. Default: the shape that is drawn.")},
    {"rest_helix", TDI_SCENE_MAP, offsetof(td_strand_def, rest_helix), .table = &helix_table,
     DOC("The rest shape as a helix, in place of `rest`.")},
    {"radius_other", TDI_SCENE_REAL, offsetof(td_strand_def, radius_other), .unit = "m", FROM_0,
     DOC("Radius along Z of a flat section; `radius` is then along X. 0 means round.")},
    {"twist", TDI_SCENE_REAL, offsetof(td_strand_def, twist), TURNS, .low = -1e6, .high = 1e6,
     DOC("Twist at time 0, over the whole length.")},
    {"start", TDI_SCENE_MAP, offsetof(td_strand_def, start), .table = &start_table,
     DOC("How the first end is held, and how it moves. Only a solver that can hold both ends, such "
         "as `rod`, can move it.")},
    {"end", TDI_SCENE_MAP, offsetof(td_strand_def, end), .table = &end_table,
     DOC("How the last end is held, and how it moves. Needs a solver that can hold both ends, such "
         "as `rod`.")},
    {"bodies", TDI_SCENE_LIST, offsetof(td_strand_def, bodies), .table = &body_table,
     .count = offsetof(td_strand_def, body_count), .max_count = 1000,
     DOC("Boxes that are welded to the strand.")},
    {"bend", TDI_SCENE_REAL, offsetof(td_strand_def, bend), .unit = "N m^2", FROM_0, ALONG(BEND),
     DOC("Bending stiffness EI about X. 0 means: from section and material.")},
    {"bend_other", TDI_SCENE_REAL, offsetof(td_strand_def, bend_other), .unit = "N m^2", FROM_0,
     ALONG(BEND_OTHER), DOC("Bending stiffness EI about Z. 0 means the same as `bend`.")},
    {"torsion", TDI_SCENE_REAL, offsetof(td_strand_def, torsion), .unit = "N m^2", FROM_0,
     ALONG(TORSION), DOC("Torsional stiffness GJ. 0 means: from section and material.")},
    {"stretch", TDI_SCENE_REAL, offsetof(td_strand_def, stretch), .unit = "N", FROM_0,
     ALONG(STRETCH),
     DOC("Stretching stiffness EA, for a solver that stretches, such as `rod`. 0 means: from "
         "section and material.")},
    {"line_mass", TDI_SCENE_REAL, offsetof(td_strand_def, line_mass), .unit = "kg/m", FROM_0,
     ALONG(LINE_MASS), DOC("Mass of a metre. 0 means: from section and material.")},
    {"inextensible", TDI_SCENE_BOOL, offsetof(td_strand_def, inextensible),
     DOC("Makes the strand a hundred times as stiff against stretching.")},
    {0}};
static const tdi_scene_table strand_table = {"strand", sizeof(td_strand_def), strand_fields,
                                             DOC("A rope, braid or ear along a curve.")};

static const tdi_choice layouts[] = {
    {"area", TD_INSTANCES_AREA, "at random positions in the area"},
    {"grid", TD_INSTANCES_GRID, "in rows, with small random shifts"},
    {"list", TD_INSTANCES_LIST, "at the positions of `places`"},
    {0}};

static const tdi_scene_field instance_fields[] = {
    {"count", TDI_SCENE_INT, offsetof(td_instances_def, count), .def = {1}, .low = 1, .high = 1e5,
     DOC("Number of instances.")},
    {"layout", TDI_SCENE_CHOICE, offsetof(td_instances_def, layout), .choices = layouts,
     DOC("How the instances are placed about the object's position.")},
    {"area", TDI_SCENE_VEC3, offsetof(td_instances_def, area), .unit = "m", .def = {1, 0, 1},
     FROM_0, DOC("Sides of the area or of the grid.")},
    {"jitter", TDI_SCENE_REAL, offsetof(td_instances_def, jitter), .def = {0.3}, .high = 1,
     DOC("Random shift in a grid, as a fraction of its spacing.")},
    {"places", TDI_SCENE_LIST, offsetof(td_instances_def, places), .unit = "m", .item = &point_item,
     .count = offsetof(td_instances_def, place_count), .max_count = 100000,
     DOC("Positions for the layout `list`. Their number is the count.")},
    {"seed", TDI_SCENE_INT, offsetof(td_instances_def, seed), .def = {1}, .high = 2e9,
     DOC("Seed of the random positions and rotations.")},
    {"variants", TDI_SCENE_INT, offsetof(td_instances_def, variants), .def = {1}, .low = 1,
     .high = 1000,
     DOC("Number of models that the instances share. Each has its own seed and size.")},
    {"smallest", TDI_SCENE_REAL, offsetof(td_instances_def, smallest), .def = {1}, .low = 1e-3,
     .high = 1e3, DOC("Size of the smallest variant, as a factor of the object's size.")},
    {"largest", TDI_SCENE_REAL, offsetof(td_instances_def, largest), .def = {1}, .low = 1e-3,
     .high = 1e3, DOC("Size of the largest variant, as a factor of the object's size.")},
    {"turned", TDI_SCENE_BOOL, offsetof(td_instances_def, turned), .def = {1},
     DOC("Turns each instance about the vertical by a random angle.")},
    {0}};
static const tdi_scene_table instances_table = {"instances", sizeof(td_instances_def),
                                                instance_fields, DOC("Many copies of one object.")};

static const tdi_scene_field material_fields[] = {
    {"name", TDI_SCENE_TEXT, offsetof(td_material_change, name),
     DOC("Name of the material to change. Default: all materials of the object.")},
    {"density", TDI_SCENE_REAL, offsetof(td_material_change, density), .unit = "kg/m^3", FROM_0,
     DOC("New density. 0 keeps the old one.")},
    {"young", TDI_SCENE_REAL, offsetof(td_material_change, young), .unit = "Pa", FROM_0,
     DOC("New Young's modulus, the stiffness in bending. 0 keeps the old one.")},
    {"shear", TDI_SCENE_REAL, offsetof(td_material_change, shear), .unit = "Pa", FROM_0,
     DOC("New shear modulus, the stiffness in twist. 0 keeps the old one.")},
    {"damping_time", TDI_SCENE_REAL, offsetof(td_material_change, damping_time), .unit = "s",
     .def = {-1}, .low = -1, .high = 1e6,
     DOC("New ratio of damping to stiffness. -1 keeps the old one.")},
    {0}};
static const tdi_scene_table material_table = {
    "material", sizeof(td_material_change), material_fields,
    DOC("Changes the parameters of a material for this object.")};

typedef struct td_joint_terms joint;

#define JOINT_SEGMENT                                                                         \
    {                                                                                         \
        "segment", TDI_SCENE_INT, offsetof(joint, segment_id),                                \
            .def = {-1}, .low = -1, .high = 2e9,                                              \
            DOC("Id of the segment whose lower joint this is; -1: every one that has a ball " \
                "joint.")                                                                     \
    }
#define JOINT_AXIS(text)                                    \
    {                                                       \
        "axis", TDI_SCENE_VEC3, offsetof(joint, axis),      \
            .def = {0, 0, 1}, .low = -1e6, .high = 1e6,     \
            DOC(text " in the axes of the base, as drawn.") \
    }

static const tdi_scene_field hinge_fields[] = {
    JOINT_SEGMENT,
    JOINT_AXIS("Axis about which it turns,"),
    {"angle", TDI_SCENE_REAL, offsetof(joint, place), DEGREES, .low = -360, .high = 360,
     DOC("Angle at time 0, from how it is drawn.")},
    {"stiffness", TDI_SCENE_REAL, offsetof(joint, stiffness.x), .unit = "N m/rad", FROM_0,
     DOC("Spring, at ease as drawn. 0 means: it turns freely.")},
    {"damping", TDI_SCENE_REAL, offsetof(joint, damping.x), .unit = "N m s/rad", FROM_0,
     DOC("Moment that slows it down, for each rad/s.")},
    {0}};
static const tdi_scene_table hinge_table = {"hinge joint", sizeof(joint), hinge_fields,
                                            DOC("A joint that turns about one axis.")};

static const tdi_scene_field slide_fields[] = {
    JOINT_SEGMENT,
    JOINT_AXIS("Axis along which it slides,"),
    {"slide", TDI_SCENE_REAL, offsetof(joint, place), .unit = "m", .low = -1e6, .high = 1e6,
     DOC("Place at time 0, from where it is drawn.")},
    {"stiffness", TDI_SCENE_REAL, offsetof(joint, stiffness.x), .unit = "N/m", FROM_0,
     DOC("Spring, at ease as drawn. 0 means: it slides freely.")},
    {"damping", TDI_SCENE_REAL, offsetof(joint, damping.x), .unit = "N s/m", FROM_0,
     DOC("Force that slows it down, for each m/s.")},
    {0}};
static const tdi_scene_table slide_table = {"slide joint", sizeof(joint), slide_fields,
                                            DOC("A joint that slides along one axis.")};

static const tdi_scene_field ball_fields[] = {
    JOINT_SEGMENT,
    {"stiffness", TDI_SCENE_VEC3, offsetof(joint, stiffness), .unit = "N m/rad", FROM_0,
     DOC("Springs about X, Y (twist) and Z of the segment, at ease as drawn. 0 means: none.")},
    {"damping", TDI_SCENE_VEC3, offsetof(joint, damping), .unit = "N m s/rad", FROM_0,
     DOC("Damping about the same axes.")},
    {0}};
static const tdi_scene_table ball_table = {"ball joint", sizeof(joint), ball_fields,
                                           DOC("A joint that turns any way.")};

static const tdi_scene_field fixed_fields[] = {JOINT_SEGMENT, {0}};
static const tdi_scene_table fixed_table = {"fixed joint", sizeof(joint), fixed_fields,
                                            DOC("A joint that does not move.")};

static const tdi_scene_field joint_fields[] = {
    {"hinge", TDI_SCENE_MAP, offsetof(td_joint_def, as), .tag = TD_JOINT_HINGE,
     .table = &hinge_table, DOC("It turns about an axis.")},
    {"slide", TDI_SCENE_MAP, offsetof(td_joint_def, as), .tag = TD_JOINT_SLIDE,
     .table = &slide_table, DOC("It slides along an axis.")},
    {"ball", TDI_SCENE_MAP, offsetof(td_joint_def, as), .tag = TD_JOINT_BALL, .table = &ball_table,
     DOC("It turns any way.")},
    {"fixed", TDI_SCENE_MAP, offsetof(td_joint_def, as), .tag = TD_JOINT_FIXED,
     .table = &fixed_table, DOC("It does not move.")},
    {0}};
static const tdi_scene_table joint_table = {
    "joint of an object", sizeof(td_joint_def),
    joint_fields,         DOC("A joint of another kind than was drawn."),
    .one_of = true,       .tag = offsetof(td_joint_def, kind)};

static const tdi_scene_field local_fields[] = {
    {"amount", TDI_SCENE_REAL, offsetof(td_local_def, amount), .high = 1, KEYED,
     DOC("Fraction of the frame's motion that the object does not feel.")},
    {"position", TDI_SCENE_VEC3, offsetof(td_local_def, position), .unit = "m", .low = -1e6,
     .high = 1e6, KEYED, DOC("Position of the frame, such as a hip or a horse's back.")},
    {"rotation", TDI_SCENE_ROTATION, offsetof(td_local_def, rotation), .def = {1}, KEYED,
     DOC("Rotation of the frame.")},
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
static const tdi_scene_field adapt_fields[] = {
    {"joints", TDI_SCENE_INT, offsetof(td_adapt_def, joints), .high = 1e9,
     DOC("Number of joints that move. 0 means: as many as `error` asks for. With an implicit "
         "integrator: at most so many by themselves.")},
    {"error", TDI_SCENE_REAL, offsetof(td_adapt_def, error), .high = 1e6, KEYED,
     DOC("Joints are rigid as long as all of their velocities together, root of the sum of "
         "squares, would be below this. 0 means: all joints that move are free. With an implicit "
         "integrator: m, estimated error of the tips, rms, that is allowed; with `weights: camera` "
         "over their distance.")},
    {"every", TDI_SCENE_INT, offsetof(td_adapt_def, every), .def = {20}, .high = 1e6,
     DOC("Steps between two choices of joints. 0 means: always those nearest to the root of the "
         "assembly tree.")},
    {"rule", TDI_SCENE_CHOICE, offsetof(td_adapt_def, rule), .choices = adapt_rules,
     .def = {TD_EULER}, DOC("The rule by which a step advances the joints that move.")},
    {"weights", TDI_SCENE_CHOICE, offsetof(td_adapt_def, weights), .choices = weights,
     DOC("Factor of a joint's velocity and acceleration in the choice.")},
    {"camera", TDI_SCENE_VEC3, offsetof(td_adapt_def, camera), .unit = "m", .low = -1e6,
     .high = 1e6, KEYED, DOC("Where the camera of `weights: camera` is.")},
    {0}};
static const tdi_scene_table adapt_table = {
    "adapt", sizeof(td_adapt_def), adapt_fields,
    DOC("Which joints the integrator `adaptive` moves; all others are rigid for the moment. With "
        "an "
        "implicit integrator: how exact a tree has to be; joints that do not matter keep their "
        "angles, turn together or follow the wind.")};

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
    {"name", TDI_SCENE_TEXT, offsetof(td_object_def, name),
     DOC("Name by which loads and probes refer to the object.")},
    {"plant", TDI_SCENE_TEXT, offsetof(td_object_def, plant),
     DOC("File of an L-system, or of a skeleton in JSON, relative to the scene's file.")},
    {"view", TDI_SCENE_TEXT, offsetof(td_object_def, view),
     DOC("View file of cpfg for the plant. By default the one beside it, if there is one.")},
    {"strand", TDI_SCENE_MAP, offsetof(td_object_def, strand), .table = &strand_table,
     DOC("A strand in place of a plant.")},
    {"steps", TDI_SCENE_INT, offsetof(td_object_def, steps), .def = {-1}, .low = -1, .high = 1e6,
     DOC("Derivation steps of the L-system. -1 means: as its file says.")},
    {"seed", TDI_SCENE_INT, offsetof(td_object_def, seed), .def = {-1}, .low = -1, .high = 2e9,
     DOC("Random seed of the L-system. -1 means: as its file says.")},
    {"define", TDI_SCENE_VALUE, offsetof(td_object_def, define_values),
     DOC("A map from names to values. They replace the `#define`s of the file.")},
    {"position", TDI_SCENE_VEC3, offsetof(td_object_def, position), .unit = "m", .low = -1e6,
     .high = 1e6, KEYED, DOC("Position of the base. Keys move the pot.")},
    {"rotation", TDI_SCENE_ROTATION, offsetof(td_object_def, rotation), .def = {1}, KEYED,
     DOC("Rotation of the base. Keys turn the pot.")},
    {"size", TDI_SCENE_REAL, offsetof(td_object_def, size), .def = {1}, .low = 1e-6, .high = 1e6,
     DOC("Factor of all lengths.")},
    {"solver", TDI_SCENE_TEXT, offsetof(td_object_def, solver), .names = solver_name,
     DOC("The solver that simulates the object.")},
    {"integrator", TDI_SCENE_CHOICE, offsetof(td_object_def, integrator),
     .choices = tdi_integrators,
     DOC("The integrator: the rule by which a step advances the object in time.")},
    {"adapt", TDI_SCENE_MAP, offsetof(td_object_def, adapt), .table = &adapt_table,
     DOC("How joints are chosen that move; of trees.")},
    {"springs", TDI_SCENE_CHOICE, offsetof(td_object_def, springs), .choices = rules,
     DOC("How the stiffness of a joint follows from its two segments.")},
    {"law", TDI_SCENE_CHOICE, offsetof(td_object_def, law), .choices = tdi_laws,
     DOC("How the moment of a joint grows with its angle.")},
    {"elements", TDI_SCENE_INT, offsetof(td_object_def, elements), .high = 1e6,
     DOC("Number of helices that the solver `helix` makes of each axis of a plant, at most one a "
         "segment. 0 means: by curvature and weight.")},
    {"prune_length", TDI_SCENE_REAL, offsetof(td_object_def, prune_length), .unit = "m", FROM_0,
     DOC("Leaves out segments that are shorter than this.")},
    {"prune_mass", TDI_SCENE_REAL, offsetof(td_object_def, prune_mass), .unit = "kg", FROM_0,
     DOC("Leaves out segments that are lighter than this.")},
    {"materials", TDI_SCENE_LIST, offsetof(td_object_def, materials), .table = &material_table,
     .count = offsetof(td_object_def, material_count), .max_count = 1000,
     DOC("Changes parameters of the materials of the library or of the file.")},
    {"joints", TDI_SCENE_LIST, offsetof(td_object_def, joints), .table = &joint_table,
     .count = offsetof(td_object_def, joint_count), .max_count = 10000,
     DOC("Joints that are hinges, slides, free balls or fixed. Needs the solver `tree`.")},
    {"stiffness", TDI_SCENE_REAL, offsetof(td_object_def, stiffness), .def = {1}, .high = 1e12,
     KEYED, DOC("Factor of the stiffness of all joints.")},
    {"bending", TDI_SCENE_REAL, offsetof(td_object_def, bending), .def = {1}, .low = 1e-9,
     .high = 1e9, KEYED,
     DOC("Further factor of the stiffness in bending, and of its damping: as that of Young's "
         "modulus.")},
    {"twisting", TDI_SCENE_REAL, offsetof(td_object_def, twisting), .def = {1}, .low = 1e-9,
     .high = 1e9, KEYED,
     DOC("Further factor of the stiffness in twist, and of its damping: as that of the shear "
         "modulus.")},
    {"damping", TDI_SCENE_REAL, offsetof(td_object_def, damping), .def = {1}, .high = 1e12, KEYED,
     DOC("Factor of the damping of all joints.")},
    {"damping_ratio", TDI_SCENE_REAL, offsetof(td_object_def, damping_ratio), .def = {-1},
     .low = -1, .high = 10,
     DOC("Damping ratio of the lowest mode; 1 is critical. -1 means: from the material.")},
    {"relaxation_time", TDI_SCENE_REAL, offsetof(td_object_def, relaxation_time), .unit = "s",
     .def = {-1}, .low = -1, .high = 1e6,
     DOC("Ratio of damping to stiffness. -1 means: from the material.")},
    {"drag", TDI_SCENE_REAL, offsetof(td_object_def, drag), .def = {1}, .high = 1e6, KEYED,
     DOC("Factor of the drag of the air.")},
    {"rest_under_gravity", TDI_SCENE_BOOL, offsetof(td_object_def, rest_under_gravity),
     DOC("The drawn shape is the one at rest under gravity, so nothing sags.")},
    {"loose", TDI_SCENE_BOOL, offsetof(td_object_def, loose),
     DOC("Nothing holds the plant: a fallen branch. The plant must have one first stem.")},
    {"touches", TDI_SCENE_BOOL, offsetof(td_object_def, touches), .def = {1},
     DOC("In scenes with contact: whether the object touches itself, others and colliders.")},
    FILTER_FIELDS(td_object_def),
    {"start", TDI_SCENE_CHOICE, offsetof(td_object_def, start), .choices = starts,
     DOC("The pose at time 0.")},
    {"time_scale", TDI_SCENE_REAL, offsetof(td_object_def, time_scale), .def = {1}, .high = 100,
     KEYED,
     DOC("Factor of the velocity and acceleration of the base that the object feels. Not with "
         "contact.")},
    {"local", TDI_SCENE_MAP, offsetof(td_object_def, local), .table = &local_table,
     DOC("The part of the base's motion that the object does not feel.")},
    {"instances", TDI_SCENE_MAP, offsetof(td_object_def, instances), .table = &instances_table,
     DOC("Makes many copies of this object.")},
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
