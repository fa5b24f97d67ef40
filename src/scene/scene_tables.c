// SPDX-License-Identifier: MIT
// Every key of a scene: where it goes, its unit, default and range, and what it means.

#include "scene/scene_tables.h"

#include "math/angle.h"

#define ALWAYS   1e30 // s: the end of what does not end
#define KEYED    .keyed = true
#define LIVE     .live = true
#define POSITIVE .high = 1e30, .low_open = true
#define FROM_0   .high = 1e30
#define DEGREES  .unit = "degrees", .scale = TDI_PI / 180
#ifdef TDI_SMALL // what keys mean is for the reference alone
#define DOC(text) .doc = NULL
#else
#define DOC(text) .doc = text
#endif

// ---- objects --------------------------------------------------------------------------------

static const tdi_scene_field point_item = {
    .key = "point", .kind = TDI_SCENE_VEC3, .unit = "m", .low = -1e6, .high = 1e6};

#define TURNS .unit = "turns", .scale = 2 * TDI_PI

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
                                           DOC("A box that is welded to a rod.")};

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
     POSITIVE, DOC("Radius at the base.")},
    {"tip_radius", TDI_SCENE_REAL, offsetof(td_strand_def, tip_radius), .unit = "m", FROM_0,
     DOC("Radius at the other end. 0 means the same as at the base.")},
    {"material", TDI_SCENE_TEXT, offsetof(td_strand_def, material),
     DOC("A material of the library; `tendril info` lists them. Default: rope.")},
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
    {"bend", TDI_SCENE_REAL, offsetof(td_strand_def, bend), .unit = "N m^2", FROM_0,
     DOC("Bending stiffness EI about X. 0 means: from section and material.")},
    {"bend_other", TDI_SCENE_REAL, offsetof(td_strand_def, bend_other), .unit = "N m^2", FROM_0,
     DOC("Bending stiffness EI about Z. 0 means the same as `bend`.")},
    {"torsion", TDI_SCENE_REAL, offsetof(td_strand_def, torsion), .unit = "N m^2", FROM_0,
     DOC("Torsional stiffness GJ. 0 means: from section and material.")},
    {"stretch", TDI_SCENE_REAL, offsetof(td_strand_def, stretch), .unit = "N", FROM_0,
     DOC("Stretching stiffness EA, for a solver that stretches, such as `rod`. 0 means: from "
         "section and material.")},
    {"line_mass", TDI_SCENE_REAL, offsetof(td_strand_def, line_mass), .unit = "kg/m", FROM_0,
     DOC("Mass of a metre. 0 means: from section and material.")},
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

const tdi_choice tdi_integrators[] = {
    {"implicit", TD_IMPLICIT, "BDF2: stable with any step"},
    {"implicit-euler", TD_IMPLICIT_EULER, "backward Euler: stable with any step, damps more"},
    {"euler", TD_EULER, "explicit: needs tiny steps for stiff objects"},
    {"rk4", TD_RK4, "explicit Runge-Kutta of fourth order"},
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
     DOC("File of an L-system, relative to the scene's file.")},
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
    {"springs", TDI_SCENE_CHOICE, offsetof(td_object_def, springs), .choices = rules,
     DOC("How the stiffness of a joint follows from its two segments.")},
    {"law", TDI_SCENE_CHOICE, offsetof(td_object_def, law), .choices = tdi_laws,
     DOC("How the moment of a joint grows with its angle.")},
    {"prune_length", TDI_SCENE_REAL, offsetof(td_object_def, prune_length), .unit = "m", FROM_0,
     DOC("Leaves out segments that are shorter than this.")},
    {"prune_mass", TDI_SCENE_REAL, offsetof(td_object_def, prune_mass), .unit = "kg", FROM_0,
     DOC("Leaves out segments that are lighter than this.")},
    {"materials", TDI_SCENE_LIST, offsetof(td_object_def, materials), .table = &material_table,
     .count = offsetof(td_object_def, material_count), .max_count = 1000,
     DOC("Changes parameters of the materials of the library or of the file.")},
    {"stiffness", TDI_SCENE_REAL, offsetof(td_object_def, stiffness), .def = {1}, .high = 1e12,
     KEYED, DOC("Factor of the stiffness of all joints.")},
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
static const tdi_scene_table object_table = {"object", sizeof(td_object_def), object_fields,
                                             DOC("A plant or a strand, or many copies of one.")};

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

#define PLACE_FIELDS(type)                                                                        \
    {"object", TDI_SCENE_TEXT, offsetof(type, place.object),                                      \
     DOC("Name of the object. Default: the first.")},                                             \
        {"instance", TDI_SCENE_INT, offsetof(type, place.instance), .high = 1e5,                  \
         DOC("Instance of the object, counted from 0.")},                                         \
        {"segment",                                                                               \
         TDI_SCENE_INT,                                                                           \
         offsetof(type, place.segment),                                                           \
         .def = {-1},                                                                             \
         .low = -1,                                                                               \
         .high = 2e9,                                                                             \
         DOC("Id of the segment. -1 means: chosen by `near`.")},                                  \
    {                                                                                             \
        "near", TDI_SCENE_VEC3, offsetof(type, place.near),                                       \
            .unit = "m", .low = -1e6, .high = 1e6, .given = offsetof(type, place.near_given),     \
            DOC("Chooses the segment whose tip is nearest to this point at time 0. Default: the " \
                "highest tip.")                                                                   \
    }

#define SPAN_FIELDS(type)                                                 \
    {"start",     TDI_SCENE_REAL, offsetof(type, start),                  \
     .unit = "s", FROM_0,         DOC("Time at which the load begins.")}, \
    {                                                                     \
        "end", TDI_SCENE_REAL, offsetof(type, end),                       \
            .unit = "s", .def = {ALWAYS}, FROM_0,                         \
            DOC("Time at which the load ends. Default: never.")           \
    }

static const tdi_scene_field pull_fields[] = {
    PLACE_FIELDS(td_pull_load),
    {"to", TDI_SCENE_VEC3, offsetof(td_pull_load, to), .unit = "m", .low = -1e6, .high = 1e6, KEYED,
     .given = offsetof(td_pull_load, to_given), DOC("Point to which the tip is pulled.")},
    {"by", TDI_SCENE_VEC3, offsetof(td_pull_load, by), .unit = "m", .low = -1e6, .high = 1e6, KEYED,
     DOC("Without `to`: the same point, measured from where the tip is at time 0.")},
    {"stiffness", TDI_SCENE_REAL, offsetof(td_pull_load, stiffness), .unit = "N/m", .def = {100},
     FROM_0, KEYED, DOC("Stiffness of the spring that pulls.")},
    {"damping", TDI_SCENE_REAL, offsetof(td_pull_load, damping), .unit = "N s/m", FROM_0, KEYED,
     DOC("Damping of the spring that pulls.")},
    SPAN_FIELDS(td_pull_load),
    {0}};
static const tdi_scene_table pull_table = {
    "pull", sizeof(td_pull_load), pull_fields,
    DOC("A spring that pulls the tip of a segment to a point, and lets it go.")};

static const tdi_scene_field push_fields[] = {
    PLACE_FIELDS(td_push_load),
    {"force", TDI_SCENE_VEC3, offsetof(td_push_load, force), .unit = "N", .low = -1e9, .high = 1e9,
     KEYED, DOC("Force at the tip, in world axes.")},
    {"twist", TDI_SCENE_REAL, offsetof(td_push_load, twist), .unit = "N m", .low = -1e9,
     .high = 1e9, KEYED, DOC("Torque about the segment's own axis.")},
    SPAN_FIELDS(td_push_load),
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

static const tdi_scene_field load_fields[] = {
    {"wind", TDI_SCENE_MAP, offsetof(td_scene_load, as.wind), .tag = TD_SCENE_WIND,
     .table = &wind_table, DOC("Moving air.")},
    {"pull", TDI_SCENE_MAP, offsetof(td_scene_load, as.pull), .tag = TD_SCENE_PULL,
     .table = &pull_table, DOC("A spring that pulls a tip.")},
    {"push", TDI_SCENE_MAP, offsetof(td_scene_load, as.push), .tag = TD_SCENE_PUSH,
     .table = &push_table, DOC("A force or a torque.")},
    {"pose", TDI_SCENE_MAP, offsetof(td_scene_load, as.pose), .tag = TD_SCENE_POSE,
     .table = &pose_table, DOC("Springs that pull the object to a pose.")},
    {0}};
static const tdi_scene_table load_table = {
    "load",         sizeof(td_scene_load),
    load_fields,    DOC("Something that acts on the objects."),
    .one_of = true, .tag = offsetof(td_scene_load, kind)};

// ---- contact --------------------------------------------------------------------------------

typedef struct td_collider_place collider_place;

#define COLLIDER_FIELDS                                                            \
    {"position",                                                                   \
     TDI_SCENE_VEC3,                                                               \
     offsetof(collider_place, position),                                           \
     .unit = "m",                                                                  \
     .low = -1e6,                                                                  \
     .high = 1e6,                                                                  \
     KEYED,                                                                        \
     DOC("Position of the centre; for a plane, of any point on it.")},             \
        {"rotation",                                                               \
         TDI_SCENE_ROTATION,                                                       \
         offsetof(collider_place, rotation),                                       \
         .def = {1},                                                               \
         KEYED,                                                                    \
         DOC("Rotation. Without one the axis, or the normal of a plane, is +Y.")}, \
    {                                                                              \
        "friction", TDI_SCENE_REAL, offsetof(collider_place, friction),            \
            .def = {0.3}, .high = 10, DOC("Coefficient of friction (Coulomb).")    \
    }

static const tdi_scene_field plane_fields[] = {COLLIDER_FIELDS, {0}};
static const tdi_scene_table plane_table = {
    "plane", sizeof(collider_place), plane_fields,
    DOC("The ground: everything below the plane is solid.")};
static const tdi_scene_field sphere_fields[] = {
    {"radius", TDI_SCENE_REAL, offsetof(collider_place, size.x), .unit = "m", .def = {0.5},
     POSITIVE, DOC("Radius of the sphere.")},
    COLLIDER_FIELDS,
    {0}};
static const tdi_scene_table sphere_table = {"sphere", sizeof(collider_place), sphere_fields,
                                             DOC("A ball.")};
static const tdi_scene_field capsule_fields[] = {
    {"radius", TDI_SCENE_REAL, offsetof(collider_place, size.x), .unit = "m", .def = {0.5},
     POSITIVE, DOC("Radius of the capsule and of its round ends.")},
    {"length", TDI_SCENE_REAL, offsetof(collider_place, size.y), .unit = "m", .def = {1},
     .scale = 0.5, FROM_0, DOC("Length along its own Y axis, without the round ends.")},
    COLLIDER_FIELDS,
    {0}};
static const tdi_scene_table capsule_table = {"capsule", sizeof(collider_place), capsule_fields,
                                              DOC("A cylinder with round ends: a pole, a finger.")};
static const tdi_scene_field box_fields[] = {
    {"size", TDI_SCENE_VEC3, offsetof(collider_place, size), .unit = "m", .def = {1, 1, 1},
     .scale = 0.5, POSITIVE, DOC("Lengths of the sides.")},
    COLLIDER_FIELDS,
    {0}};
static const tdi_scene_table box_table = {"box", sizeof(collider_place), box_fields,
                                          DOC("A box: a table, a step.")};

static const tdi_scene_field collider_fields[] = {
    {"plane", TDI_SCENE_MAP, offsetof(td_scene_collider, as), .tag = TD_COLLIDER_PLANE,
     .table = &plane_table, DOC("The ground.")},
    {"sphere", TDI_SCENE_MAP, offsetof(td_scene_collider, as), .tag = TD_COLLIDER_SPHERE,
     .table = &sphere_table, DOC("A ball.")},
    {"capsule", TDI_SCENE_MAP, offsetof(td_scene_collider, as), .tag = TD_COLLIDER_CAPSULE,
     .table = &capsule_table, DOC("A cylinder with round ends.")},
    {"box", TDI_SCENE_MAP, offsetof(td_scene_collider, as), .tag = TD_COLLIDER_BOX,
     .table = &box_table, DOC("A box.")},
    {0}};
static const tdi_scene_table collider_table = {
    "collider",      sizeof(td_scene_collider),
    collider_fields, DOC("A solid that objects touch."),
    .one_of = true,  .tag = offsetof(td_scene_collider, kind)};

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
    {0}};
static const tdi_scene_table contact_table = {
    "contact", sizeof(td_scene_contact), contact_fields,
    DOC("Contact of all objects with themselves, each other and the colliders.")};

// ---- recording ------------------------------------------------------------------------------

static const tdi_choice quantities[] = {
    {"position", TD_QUANTITY_POSITION, "of the tip"},
    {"orientation", TD_QUANTITY_ORIENTATION, "of the segment"},
    {"velocity", TD_QUANTITY_VELOCITY, "of the tip"},
    {"curvature", TD_QUANTITY_CURVATURE, "at the joint"},
    {"moment", TD_QUANTITY_MOMENT, "of the spring of the joint"},
    {0}};

static const tdi_scene_field probe_fields[] = {
    {"name", TDI_SCENE_TEXT, offsetof(td_probe_def, name),
     DOC("Heading of the columns. Default: name of the object and quantity.")},
    PLACE_FIELDS(td_probe_def),
    {"quantity", TDI_SCENE_CHOICE, offsetof(td_probe_def, quantity), .choices = quantities,
     DOC("The quantity to record.")},
    {0}};
static const tdi_scene_table probe_table = {"probe", sizeof(td_probe_def), probe_fields,
                                            DOC("A quantity to record at a segment.")};

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
     DOC("Writes contact forces as arrows to scene.glb. The page can show them without this.")},
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
    {"step", TDI_SCENE_REAL, offsetof(td_scene_def, step), .unit = "s", .def = {1.0 / 60},
     .high = 1, .low_open = true, LIVE,
     DOC("Longest time step. A frame is a whole number of steps.")},
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
    {"objects", TDI_SCENE_LIST, offsetof(td_scene_def, objects), .table = &object_table,
     .required = true, .count = offsetof(td_scene_def, object_count), .max_count = 10000,
     DOC("The objects that move.")},
    {"loads", TDI_SCENE_LIST, offsetof(td_scene_def, loads), .table = &load_table,
     .count = offsetof(td_scene_def, load_count), .max_count = 10000,
     DOC("The loads that act on the objects.")},
    {"contact", TDI_SCENE_MAP, offsetof(td_scene_def, contact), .table = &contact_table,
     .given = offsetof(td_scene_def, contact.given), DOC("How objects touch each other.")},
    {"colliders", TDI_SCENE_LIST, offsetof(td_scene_def, colliders), .table = &collider_table,
     .count = offsetof(td_scene_def, collider_count), .max_count = 10000,
     DOC("Solids that the objects touch. With colliders, objects also touch each other.")},
    {"record", TDI_SCENE_MAP, offsetof(td_scene_def, record), .table = &record_table,
     DOC("What a run records and writes.")},
    {0}};
const tdi_scene_table tdi_scene_all = {"scene", sizeof(td_scene_def), scene_fields,
                                       DOC("A scene file is one map with these keys.")};

// ---- defaults -------------------------------------------------------------------------------

td_object_def td_object_def_default(void) {
    td_object_def def;
    tdi_fields_defaults(&object_table, &def);
    return def;
}

td_scene_load td_scene_load_default(td_scene_load_kind kind) {
    td_scene_load load = {.kind = kind};
    const tdi_scene_field *field = &load_fields[kind];
    tdi_fields_defaults(field->table, (char *)&load + field->offset);
    return load;
}

td_scene_collider td_scene_collider_default(td_collider_kind kind) {
    td_scene_collider collider = {.kind = kind};
    tdi_field_default(&collider_fields[kind], &collider);
    return collider;
}

td_scene_def td_scene_def_default(void) {
    td_scene_def def;
    tdi_fields_defaults(&tdi_scene_all, &def);
    return def;
}

td_status td_scene_reference(void (*sink)(void *context, const char *text, size_t size),
                             void *context) {
    return tdi_fields_reference(&tdi_scene_all, 2, NULL, sink, context);
}
