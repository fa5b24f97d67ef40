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
     DOC("About +Y; it begins on X.")},
    {"pitch", TDI_SCENE_REAL, offsetof(td_helix_def, pitch), .unit = "m", .low = -1e6, .high = 1e6,
     DOC("Rise a turn; 0: an arc, or a ring where the strand is closed.")},
    {"turns", TDI_SCENE_REAL, offsetof(td_helix_def, turns), .def = {1}, .low = -1e5, .high = 1e5,
     DOC("How many; below 0 the other way round.")},
    {0}};
static const tdi_scene_table helix_table = {"helix", sizeof(td_helix_def), helix_fields,
                                            DOC("A helix, an arc or a ring about +Y.")};

static const tdi_choice holds[] = {{"free", TD_END_FREE, "not at all"},
                                   {"pinned", TD_END_PINNED, "its place"},
                                   {"clamped", TD_END_CLAMPED, "its place, direction and frame"},
                                   {0}};

#define END_FIELDS(hold)                                                                    \
    {                                                                                       \
        {"held",           TDI_SCENE_CHOICE, offsetof(td_strand_end, held),                 \
         .choices = holds, .def = {hold},    DOC("What of it is held.")},                   \
            {"shift",                                                                       \
             TDI_SCENE_VEC3,                                                                \
             offsetof(td_strand_end, shift),                                                \
             .unit = "m",                                                                   \
             .low = -1e6,                                                                   \
             .high = 1e6,                                                                   \
             KEYED,                                                                         \
             DOC("From where it is drawn, in the axes of the base.")},                      \
            {"rotation",                                                                    \
             TDI_SCENE_ROTATION,                                                            \
             offsetof(td_strand_end, rotation),                                             \
             .def = {1},                                                                    \
             KEYED,                                                                         \
             DOC("From how it is drawn, in the axes of the base. Of a clamped end.")},      \
            {"turns",                                                                       \
             TDI_SCENE_REAL,                                                                \
             offsetof(td_strand_end, turns),                                                \
             TURNS,                                                                         \
             .low = -1e6,                                                                   \
             .high = 1e6,                                                                   \
             KEYED,                                                                         \
             DOC("Turned about its own axis, by less than half a turn a step. Likewise.")}, \
        {                                                                                   \
            0                                                                               \
        }                                                                                   \
    }

static const tdi_scene_field start_fields[] = END_FIELDS(TD_END_CLAMPED);
static const tdi_scene_table start_table = {"start", sizeof(td_strand_end), start_fields,
                                            DOC("The beginning of a rod.")};
static const tdi_scene_field end_fields[] = END_FIELDS(TD_END_FREE);
static const tdi_scene_table end_table = {"end", sizeof(td_strand_end), end_fields,
                                          DOC("The other end of a rod.")};

static const tdi_scene_field body_fields[] = {
    {"at", TDI_SCENE_REAL, offsetof(td_strand_body, at), .def = {1}, .high = 1,
     DOC("Where, as a part of the length.")},
    {"mass", TDI_SCENE_REAL, offsetof(td_strand_body, mass), .unit = "kg", .required = true,
     POSITIVE, DOC("Of the box.")},
    {"size", TDI_SCENE_VEC3, offsetof(td_strand_body, size), .unit = "m", FROM_0,
     DOC("Its sides, of which the second lies along the strand.")},
    {"position", TDI_SCENE_VEC3, offsetof(td_strand_body, position), .unit = "m", .low = -1e6,
     .high = 1e6, DOC("Its centre, from the strand.")},
    {0}};
static const tdi_scene_table body_table = {"body", sizeof(td_strand_body), body_fields,
                                           DOC("A box welded to a rod.")};

static const tdi_scene_field strand_fields[] = {
    {"points", TDI_SCENE_LIST, offsetof(td_strand_def, points), .unit = "m", .item = &point_item,
     .count = offsetof(td_strand_def, point_count), .max_count = 10000,
     DOC("Points of a smooth curve, from the base on, in the axes of the base.")},
    {"helix", TDI_SCENE_MAP, offsetof(td_strand_def, helix), .table = &helix_table,
     DOC("In place of points.")},
    {"segments", TDI_SCENE_INT, offsetof(td_strand_def, segments), .def = {20}, .low = 1,
     .high = 1e6, DOC("Rigid pieces of equal length.")},
    {"radius", TDI_SCENE_REAL, offsetof(td_strand_def, radius), .unit = "m", .def = {0.005},
     POSITIVE, DOC("At the base.")},
    {"tip_radius", TDI_SCENE_REAL, offsetof(td_strand_def, tip_radius), .unit = "m", FROM_0,
     DOC("At the other end; 0: as at the base.")},
    {"material", TDI_SCENE_TEXT, offsetof(td_strand_def, material),
     DOC("One of the library's (`tendril info`). Default: rope.")},
    {"tip_mass", TDI_SCENE_REAL, offsetof(td_strand_def, tip_mass), .unit = "kg", FROM_0,
     DOC("A weight at the end: a lantern, a bead.")},
    {"closed", TDI_SCENE_BOOL, offsetof(td_strand_def, closed),
     DOC("On from the last point to the first, by a solver that has rings.")},
    {"straight", TDI_SCENE_BOOL, offsetof(td_strand_def, straight),
     DOC("At ease it is straight, whatever it is drawn as.")},
    {"rest", TDI_SCENE_LIST, offsetof(td_strand_def, rest), .unit = "m", .item = &point_item,
     .count = offsetof(td_strand_def, rest_count), .max_count = 10000,
     DOC("Points of its shape at ease. Default: as drawn.")},
    {"rest_helix", TDI_SCENE_MAP, offsetof(td_strand_def, rest_helix), .table = &helix_table,
     DOC("Its shape at ease as a helix.")},
    {"radius_other", TDI_SCENE_REAL, offsetof(td_strand_def, radius_other), .unit = "m", FROM_0,
     DOC("Of a flat section: along Z, where `radius` is along X; 0: round.")},
    {"twist", TDI_SCENE_REAL, offsetof(td_strand_def, twist), TURNS, .low = -1e6, .high = 1e6,
     DOC("At the start, over all of its length.")},
    {"start", TDI_SCENE_MAP, offsetof(td_strand_def, start), .table = &start_table,
     DOC("How its beginning is held; it moves by a solver that can hold both ends.")},
    {"end", TDI_SCENE_MAP, offsetof(td_strand_def, end), .table = &end_table,
     DOC("How its other end is held, and moves, by a solver that can hold it.")},
    {"bodies", TDI_SCENE_LIST, offsetof(td_strand_def, bodies), .table = &body_table,
     .count = offsetof(td_strand_def, body_count), .max_count = 1000, DOC("Boxes on it.")},
    {"bend", TDI_SCENE_REAL, offsetof(td_strand_def, bend), .unit = "N m^2", FROM_0,
     DOC("Stiffness against bending about X; 0: by section and material.")},
    {"bend_other", TDI_SCENE_REAL, offsetof(td_strand_def, bend_other), .unit = "N m^2", FROM_0,
     DOC("About Z; 0: as `bend`.")},
    {"torsion", TDI_SCENE_REAL, offsetof(td_strand_def, torsion), .unit = "N m^2", FROM_0,
     DOC("Stiffness against twist; 0: by section and material.")},
    {"stretch", TDI_SCENE_REAL, offsetof(td_strand_def, stretch), .unit = "N", FROM_0,
     DOC("Stiffness against stretching, of a solver that stretches; 0: by section and material.")},
    {"line_mass", TDI_SCENE_REAL, offsetof(td_strand_def, line_mass), .unit = "kg/m", FROM_0,
     DOC("0: by section and material.")},
    {"inextensible", TDI_SCENE_BOOL, offsetof(td_strand_def, inextensible),
     DOC("A hundred times as stiff against stretching.")},
    {0}};
static const tdi_scene_table strand_table = {"strand", sizeof(td_strand_def), strand_fields,
                                             DOC("A rope, braid or ear along a curve.")};

static const tdi_choice layouts[] = {{"area", TD_INSTANCES_AREA, "at random over the area"},
                                     {"grid", TD_INSTANCES_GRID, "in rows, shifted a little"},
                                     {"list", TD_INSTANCES_LIST, "at `places`"},
                                     {0}};

static const tdi_scene_field instance_fields[] = {
    {"count", TDI_SCENE_INT, offsetof(td_instances_def, count), .def = {1}, .low = 1, .high = 1e5,
     DOC("How many.")},
    {"layout", TDI_SCENE_CHOICE, offsetof(td_instances_def, layout), .choices = layouts,
     DOC("Where they stand, about the object's position.")},
    {"area", TDI_SCENE_VEC3, offsetof(td_instances_def, area), .unit = "m", .def = {1, 0, 1},
     FROM_0, DOC("Sides of the area or grid.")},
    {"jitter", TDI_SCENE_REAL, offsetof(td_instances_def, jitter), .def = {0.3}, .high = 1,
     DOC("Shift in a grid, over its spacing.")},
    {"places", TDI_SCENE_LIST, offsetof(td_instances_def, places), .unit = "m", .item = &point_item,
     .count = offsetof(td_instances_def, place_count), .max_count = 100000,
     DOC("Of a list; their number is the count.")},
    {"seed", TDI_SCENE_INT, offsetof(td_instances_def, seed), .def = {1}, .high = 2e9,
     DOC("Another seed, other places and turns.")},
    {"variants", TDI_SCENE_INT, offsetof(td_instances_def, variants), .def = {1}, .low = 1,
     .high = 1000, DOC("Models, each with a seed and a size of its own, that instances share.")},
    {"smallest", TDI_SCENE_REAL, offsetof(td_instances_def, smallest), .def = {1}, .low = 1e-3,
     .high = 1e3, DOC("Size of the smallest variant, over the object's.")},
    {"largest", TDI_SCENE_REAL, offsetof(td_instances_def, largest), .def = {1}, .low = 1e-3,
     .high = 1e3, DOC("Size of the largest.")},
    {"turned", TDI_SCENE_BOOL, offsetof(td_instances_def, turned), .def = {1},
     DOC("Each is turned about the vertical at random.")},
    {0}};
static const tdi_scene_table instances_table = {"instances", sizeof(td_instances_def),
                                                instance_fields, DOC("Many of one object.")};

static const tdi_scene_field material_fields[] = {
    {"name", TDI_SCENE_TEXT, offsetof(td_material_change, name),
     DOC("Of the material that changes. Default: all of the object's.")},
    {"density", TDI_SCENE_REAL, offsetof(td_material_change, density), .unit = "kg/m^3", FROM_0,
     DOC("0 keeps it.")},
    {"young", TDI_SCENE_REAL, offsetof(td_material_change, young), .unit = "Pa", FROM_0,
     DOC("Stiffness in bending; 0 keeps it.")},
    {"shear", TDI_SCENE_REAL, offsetof(td_material_change, shear), .unit = "Pa", FROM_0,
     DOC("Stiffness in twist; 0 keeps it.")},
    {"damping_time", TDI_SCENE_REAL, offsetof(td_material_change, damping_time), .unit = "s",
     .def = {-1}, .low = -1, .high = 1e6, DOC("Damping over stiffness; -1 keeps it.")},
    {0}};
static const tdi_scene_table material_table = {"material", sizeof(td_material_change),
                                               material_fields,
                                               DOC("Figures of a material that differ here.")};

static const tdi_scene_field local_fields[] = {
    {"amount", TDI_SCENE_REAL, offsetof(td_local_def, amount), .high = 1, KEYED,
     DOC("Part of the frame's motion that is not felt.")},
    {"position", TDI_SCENE_VEC3, offsetof(td_local_def, position), .unit = "m", .low = -1e6,
     .high = 1e6, KEYED, DOC("Of the frame: a hip, a horse's back.")},
    {"rotation", TDI_SCENE_ROTATION, offsetof(td_local_def, rotation), .def = {1}, KEYED,
     DOC("Of the frame.")},
    {0}};
static const tdi_scene_table local_table = {
    "local", sizeof(td_local_def), local_fields,
    DOC("Local dynamics: the motion of a frame that a strand rides along with is blended out.")};

const tdi_choice tdi_integrators[] = {
    {"implicit", TD_IMPLICIT, "stable at any step"},
    {"implicit-euler", TD_IMPLICIT_EULER, "the same, damps more"},
    {"euler", TD_EULER, "explicit: takes tiny steps for stiff things"},
    {"rk4", TD_RK4, "explicit, of fourth order"},
    {0}};
static const tdi_choice rules[] = {{"clamped", TD_SPRING_CLAMPED, "half of each segment"},
                                   {"thesis", TD_SPRING_THESIS, "mean of both segments"},
                                   {0}};
const tdi_choice tdi_laws[] = {{"default", TD_LAW_DEFAULT, "the solver's own"},
                               {"linear", TD_LAW_LINEAR, "in proportion to the angle"},
                               {"tangent", TD_LAW_TANGENT, "2 k tan(angle/2)"},
                               {0}};
static const tdi_choice starts[] = {{"settled", TD_START_SETTLED, "at rest under gravity"},
                                    {"drawn", TD_START_DRAWN, "as drawn, and let go"},
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
     DOC("By which loads and probes know it.")},
    {"plant", TDI_SCENE_TEXT, offsetof(td_object_def, plant),
     DOC("File of an L-system, relative to the scene.")},
    {"strand", TDI_SCENE_MAP, offsetof(td_object_def, strand), .table = &strand_table,
     DOC("In place of a plant.")},
    {"steps", TDI_SCENE_INT, offsetof(td_object_def, steps), .def = {-1}, .low = -1, .high = 1e6,
     DOC("Of the L-system; -1: as its file says.")},
    {"seed", TDI_SCENE_INT, offsetof(td_object_def, seed), .def = {-1}, .low = -1, .high = 2e9,
     DOC("Of the L-system; -1: as its file says.")},
    {"define", TDI_SCENE_VALUE, offsetof(td_object_def, define_values),
     DOC("A map from names to values that win over the file's `#define`s.")},
    {"position", TDI_SCENE_VEC3, offsetof(td_object_def, position), .unit = "m", .low = -1e6,
     .high = 1e6, KEYED, DOC("Of the base. Keys move the pot.")},
    {"rotation", TDI_SCENE_ROTATION, offsetof(td_object_def, rotation), .def = {1}, KEYED,
     DOC("Of the base. Keys turn the pot.")},
    {"size", TDI_SCENE_REAL, offsetof(td_object_def, size), .def = {1}, .low = 1e-6, .high = 1e6,
     DOC("Factor of all lengths.")},
    {"solver", TDI_SCENE_TEXT, offsetof(td_object_def, solver), .names = solver_name,
     DOC("What the object is simulated as.")},
    {"integrator", TDI_SCENE_CHOICE, offsetof(td_object_def, integrator),
     .choices = tdi_integrators, DOC("How time advances.")},
    {"springs", TDI_SCENE_CHOICE, offsetof(td_object_def, springs), .choices = rules,
     DOC("How a joint's stiffness follows from its segments.")},
    {"law", TDI_SCENE_CHOICE, offsetof(td_object_def, law), .choices = tdi_laws,
     DOC("How a joint's moment grows with its angle.")},
    {"prune_length", TDI_SCENE_REAL, offsetof(td_object_def, prune_length), .unit = "m", FROM_0,
     DOC("Shorter segments are left out.")},
    {"prune_mass", TDI_SCENE_REAL, offsetof(td_object_def, prune_mass), .unit = "kg", FROM_0,
     DOC("Lighter segments are left out.")},
    {"materials", TDI_SCENE_LIST, offsetof(td_object_def, materials), .table = &material_table,
     .count = offsetof(td_object_def, material_count), .max_count = 1000,
     DOC("Figures that differ from the library's or the file's.")},
    {"stiffness", TDI_SCENE_REAL, offsetof(td_object_def, stiffness), .def = {1}, .high = 1e12,
     KEYED, DOC("Factor of all springs.")},
    {"damping", TDI_SCENE_REAL, offsetof(td_object_def, damping), .def = {1}, .high = 1e12, KEYED,
     DOC("Factor of all damping.")},
    {"damping_ratio", TDI_SCENE_REAL, offsetof(td_object_def, damping_ratio), .def = {-1},
     .low = -1, .high = 10, DOC("Of the lowest mode, 1 is critical; -1: by the material.")},
    {"relaxation_time", TDI_SCENE_REAL, offsetof(td_object_def, relaxation_time), .unit = "s",
     .def = {-1}, .low = -1, .high = 1e6, DOC("Damping over stiffness; -1: by the material.")},
    {"drag", TDI_SCENE_REAL, offsetof(td_object_def, drag), .def = {1}, .high = 1e6, KEYED,
     DOC("Factor of the drag of the air.")},
    {"rest_under_gravity", TDI_SCENE_BOOL, offsetof(td_object_def, rest_under_gravity),
     DOC("The drawn shape is the one at rest: nothing sags.")},
    {"loose", TDI_SCENE_BOOL, offsetof(td_object_def, loose),
     DOC("A plant that nothing holds: a fallen branch. It needs one first stem.")},
    {"start", TDI_SCENE_CHOICE, offsetof(td_object_def, start), .choices = starts,
     DOC("The pose at time 0.")},
    {"time_scale", TDI_SCENE_REAL, offsetof(td_object_def, time_scale), .def = {1}, .high = 100,
     KEYED, DOC("Factor of the base's velocity and acceleration as they are felt.")},
    {"local", TDI_SCENE_MAP, offsetof(td_object_def, local), .table = &local_table,
     DOC("What of the base's motion is not felt.")},
    {"instances", TDI_SCENE_MAP, offsetof(td_object_def, instances), .table = &instances_table,
     DOC("Many of this object.")},
    {0}};
static const tdi_scene_table object_table = {"object", sizeof(td_object_def), object_fields,
                                             DOC("A plant, a strand, or many of one kind.")};

// ---- loads ----------------------------------------------------------------------------------

static const tdi_scene_field wind_fields[] = {
    {"velocity", TDI_SCENE_VEC3, offsetof(td_wind_load, velocity), .unit = "m/s", .low = -1e3,
     .high = 1e3, KEYED, DOC("The mean.")},
    {"intensity", TDI_SCENE_REAL, offsetof(td_wind_load, intensity), LIVE, .high = 2,
     DOC("Turbulence: rms of each component over the mean speed.")},
    {"length", TDI_SCENE_REAL, offsetof(td_wind_load, length), LIVE, .unit = "m", .def = {4},
     .low = 1e-3, .high = 1e6, DOC("Turbulence: integral length.")},
    {"gust", TDI_SCENE_REAL, offsetof(td_wind_load, gust), LIVE, .high = 1,
     DOC("Part of the mean by which gusts change it.")},
    {"gust_length", TDI_SCENE_REAL, offsetof(td_wind_load, gust_length), LIVE, .unit = "m",
     .def = {30}, .low = 1e-3, .high = 1e6, DOC("From one gust to the next.")},
    {"roughness", TDI_SCENE_REAL, offsetof(td_wind_load, roughness), LIVE, .unit = "m", .high = 100,
     DOC("The mean grows with height as log(1 + y/roughness); 0: it does not.")},
    {"height", TDI_SCENE_REAL, offsetof(td_wind_load, height), LIVE, .unit = "m", .def = {10},
     .low = 1e-3, .high = 1e6, DOC("Where the mean is as given.")},
    {"onset", TDI_SCENE_REAL, offsetof(td_wind_load, onset), LIVE, .unit = "s", .high = 1e6,
     DOC("Time in which gusts and turbulence grow.")},
    {"seed", TDI_SCENE_INT, offsetof(td_wind_load, seed), LIVE, .def = {1}, .high = 2e9,
     DOC("Another seed, another wind of the same kind.")},
    {0}};
static const tdi_scene_table wind_table = {
    "wind", sizeof(td_wind_load), wind_fields,
    DOC("Moving air (or water): a mean, gusts that travel with it, turbulence.")};

#define PLACE_FIELDS(type)                                                                         \
    {"object", TDI_SCENE_TEXT, offsetof(type, place.object), DOC("By name. Default: the first.")}, \
        {"instance", TDI_SCENE_INT, offsetof(type, place.instance), .high = 1e5,                   \
         DOC("Of the object, from 0.")},                                                           \
        {"segment", TDI_SCENE_INT, offsetof(type, place.segment), .def = {-1},                     \
         .low = -1, .high = 2e9,   DOC("Its id; -1: by `near`.")},                                 \
    {                                                                                              \
        "near", TDI_SCENE_VEC3, offsetof(type, place.near),                                        \
            .unit = "m", .low = -1e6, .high = 1e6, .given = offsetof(type, place.near_given),      \
            DOC("The segment that ends nearest at the start. Default: the highest.")               \
    }

#define SPAN_FIELDS(type)                                                                          \
    {"start", TDI_SCENE_REAL, offsetof(type, start), .unit = "s", FROM_0, DOC("When it begins.")}, \
    {                                                                                              \
        "end", TDI_SCENE_REAL, offsetof(type, end), .unit = "s", .def = {ALWAYS}, FROM_0,          \
                                                    DOC("When it lets go. Default: never.")        \
    }

static const tdi_scene_field pull_fields[] = {
    PLACE_FIELDS(td_pull_load),
    {"to", TDI_SCENE_VEC3, offsetof(td_pull_load, to), .unit = "m", .low = -1e6, .high = 1e6, KEYED,
     .given = offsetof(td_pull_load, to_given), DOC("Where the tip is held.")},
    {"by", TDI_SCENE_VEC3, offsetof(td_pull_load, by), .unit = "m", .low = -1e6, .high = 1e6, KEYED,
     DOC("Without `to`: from where the tip was at the start.")},
    {"stiffness", TDI_SCENE_REAL, offsetof(td_pull_load, stiffness), .unit = "N/m", .def = {100},
     FROM_0, KEYED, DOC("Of the spring that holds it.")},
    {"damping", TDI_SCENE_REAL, offsetof(td_pull_load, damping), .unit = "N s/m", FROM_0, KEYED,
     DOC("Of that spring.")},
    SPAN_FIELDS(td_pull_load),
    {0}};
static const tdi_scene_table pull_table = {
    "pull", sizeof(td_pull_load), pull_fields,
    DOC("Holds the tip of a segment by a spring to a point, and lets go.")};

static const tdi_scene_field push_fields[] = {
    PLACE_FIELDS(td_push_load),
    {"force", TDI_SCENE_VEC3, offsetof(td_push_load, force), .unit = "N", .low = -1e9, .high = 1e9,
     KEYED, DOC("In world axes, at the tip.")},
    {"twist", TDI_SCENE_REAL, offsetof(td_push_load, twist), .unit = "N m", .low = -1e9,
     .high = 1e9, KEYED, DOC("A torque about the segment's own axis.")},
    SPAN_FIELDS(td_push_load),
    {0}};
static const tdi_scene_table push_table = {"push", sizeof(td_push_load), push_fields,
                                           DOC("A force at a tip, a torque along a stem.")};

static const tdi_scene_field pose_fields[] = {
    {"object", TDI_SCENE_TEXT, offsetof(td_pose_load, object), DOC("By name. Default: the first.")},
    {"bend", TDI_SCENE_VEC3, offsetof(td_pose_load, bend), DEGREES, .low = -3600, .high = 3600,
     KEYED,
     DOC("From base to tip in all, about the segments' own X, Y (twist) and Z, from the rest.")},
    {"strength", TDI_SCENE_REAL, offsetof(td_pose_load, strength), .unit = "N/m", .def = {1},
     FROM_0, KEYED, DOC("Of a spring at every tip.")},
    {"damping", TDI_SCENE_REAL, offsetof(td_pose_load, damping), .unit = "N s/m", FROM_0, KEYED,
     DOC("Of these springs.")},
    {0}};
static const tdi_scene_table pose_table = {
    "pose", sizeof(td_pose_load), pose_fields,
    DOC("Draws an object towards a pose that an animator sets.")};

static const tdi_scene_field load_fields[] = {
    {"wind", TDI_SCENE_MAP, offsetof(td_scene_load, as.wind), .tag = TD_SCENE_WIND,
     .table = &wind_table, DOC("Moving air.")},
    {"pull", TDI_SCENE_MAP, offsetof(td_scene_load, as.pull), .tag = TD_SCENE_PULL,
     .table = &pull_table, DOC("A hand that holds a tip.")},
    {"push", TDI_SCENE_MAP, offsetof(td_scene_load, as.push), .tag = TD_SCENE_PUSH,
     .table = &push_table, DOC("A force or a torque.")},
    {"pose", TDI_SCENE_MAP, offsetof(td_scene_load, as.pose), .tag = TD_SCENE_POSE,
     .table = &pose_table, DOC("A pose to hit.")},
    {0}};
static const tdi_scene_table load_table = {"load",         sizeof(td_scene_load),
                                           load_fields,    DOC("One of these."),
                                           .one_of = true, .tag = offsetof(td_scene_load, kind)};

// ---- contact --------------------------------------------------------------------------------

typedef struct td_collider_place collider_place;

#define COLLIDER_FIELDS                                                 \
    {"position",                                                        \
     TDI_SCENE_VEC3,                                                    \
     offsetof(collider_place, position),                                \
     .unit = "m",                                                       \
     .low = -1e6,                                                       \
     .high = 1e6,                                                       \
     KEYED,                                                             \
     DOC("Of its centre; of a plane, any point of it.")},               \
        {"rotation",                                                    \
         TDI_SCENE_ROTATION,                                            \
         offsetof(collider_place, rotation),                            \
         .def = {1},                                                    \
         KEYED,                                                         \
         DOC("From upright: along +Y.")},                               \
    {                                                                   \
        "friction", TDI_SCENE_REAL, offsetof(collider_place, friction), \
            .def = {0.3}, .high = 10, DOC("Coulomb's coefficient.")     \
    }

static const tdi_scene_field plane_fields[] = {COLLIDER_FIELDS, {0}};
static const tdi_scene_table plane_table = {"plane", sizeof(collider_place), plane_fields,
                                            DOC("The ground: all below it is solid.")};
static const tdi_scene_field sphere_fields[] = {{"radius", TDI_SCENE_REAL,
                                                 offsetof(collider_place, size.x), .unit = "m",
                                                 .def = {0.5}, POSITIVE, DOC("Of the sphere.")},
                                                COLLIDER_FIELDS,
                                                {0}};
static const tdi_scene_table sphere_table = {"sphere", sizeof(collider_place), sphere_fields,
                                             DOC("A ball.")};
static const tdi_scene_field capsule_fields[] = {
    {"radius", TDI_SCENE_REAL, offsetof(collider_place, size.x), .unit = "m", .def = {0.5},
     POSITIVE, DOC("Of the rod and its round ends.")},
    {"length", TDI_SCENE_REAL, offsetof(collider_place, size.y), .unit = "m", .def = {1},
     .scale = 0.5, FROM_0, DOC("Along its own Y, without the round ends.")},
    COLLIDER_FIELDS,
    {0}};
static const tdi_scene_table capsule_table = {"capsule", sizeof(collider_place), capsule_fields,
                                              DOC("A round rod: a pole, a finger.")};
static const tdi_scene_field box_fields[] = {
    {"size", TDI_SCENE_VEC3, offsetof(collider_place, size), .unit = "m", .def = {1, 1, 1},
     .scale = 0.5, POSITIVE, DOC("Its sides.")},
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
     .table = &capsule_table, DOC("A round rod.")},
    {"box", TDI_SCENE_MAP, offsetof(td_scene_collider, as), .tag = TD_COLLIDER_BOX,
     .table = &box_table, DOC("A box.")},
    {0}};
static const tdi_scene_table collider_table = {
    "collider",      sizeof(td_scene_collider),
    collider_fields, DOC("One of these."),
    .one_of = true,  .tag = offsetof(td_scene_collider, kind)};

static const tdi_scene_field contact_fields[] = {
    {"self", TDI_SCENE_BOOL, offsetof(td_scene_contact, self), .def = {1},
     DOC("Rods touch themselves and each other, not only colliders.")},
    {"friction", TDI_SCENE_REAL, offsetof(td_scene_contact, friction), .def = {0.3}, .high = 10,
     DOC("Coulomb's coefficient between rods.")},
    {"gap", TDI_SCENE_REAL, offsetof(td_scene_contact, gap), .def = {0.2}, .low = 0.01, .high = 1,
     DOC("From this distance on they push each other, as a part of the smaller radius.")},
    {"creep", TDI_SCENE_REAL, offsetof(td_scene_contact, creep), .unit = "m/s", .def = {1e-3},
     .low = 1e-9, .high = 1, DOC("What sticks creeps slower than this.")},
    {0}};
static const tdi_scene_table contact_table = {
    "contact", sizeof(td_scene_contact), contact_fields,
    DOC("Lets rods touch, all that have `solver: rod`. They start as drawn then.")};

// ---- recording ------------------------------------------------------------------------------

static const tdi_choice quantities[] = {{"position", TD_QUANTITY_POSITION, "of the tip"},
                                        {"orientation", TD_QUANTITY_ORIENTATION, "of the segment"},
                                        {"velocity", TD_QUANTITY_VELOCITY, "of the tip"},
                                        {"curvature", TD_QUANTITY_CURVATURE, "at the joint"},
                                        {"moment", TD_QUANTITY_MOMENT, "of the joint's spring"},
                                        {0}};

static const tdi_scene_field probe_fields[] = {
    {"name", TDI_SCENE_TEXT, offsetof(td_probe_def, name),
     DOC("Of its columns. Default: of the object and the quantity.")},
    PLACE_FIELDS(td_probe_def),
    {"quantity", TDI_SCENE_CHOICE, offsetof(td_probe_def, quantity), .choices = quantities,
     DOC("What is recorded.")},
    {0}};
static const tdi_scene_table probe_table = {"probe", sizeof(td_probe_def), probe_fields,
                                            DOC("Something to record at a segment.")};

static const tdi_scene_field record_fields[] = {
    {"duration", TDI_SCENE_REAL, offsetof(td_record_def, duration), .unit = "s", .def = {10},
     .high = 1e6, .low_open = true, DOC("How long the run is.")},
    {"fps", TDI_SCENE_REAL, offsetof(td_record_def, fps), .unit = "1/s", .def = {30}, .low = 0.1,
     .high = 10000, DOC("Frames a second.")},
    {"probes", TDI_SCENE_LIST, offsetof(td_record_def, probes), .table = &probe_table,
     .count = offsetof(td_record_def, probe_count), .max_count = 1000,
     DOC("Columns of probes.csv.")},
    {"energy", TDI_SCENE_BOOL, offsetof(td_record_def, energy), .def = {1},
     DOC("Energies and momentum of every object, in energy.csv.")},
    {"glb", TDI_SCENE_BOOL, offsetof(td_record_def, glb), .def = {1},
     DOC("Animated glTF, in scene.glb.")},
    {"page", TDI_SCENE_BOOL, offsetof(td_record_def, page), .def = {1},
     DOC("A page that plays, scene.html.")},
    {"contacts", TDI_SCENE_BOOL, offsetof(td_record_def, contacts),
     DOC("Contact forces as arrows in scene.glb; the page can show them without this.")},
    {0}};
static const tdi_scene_table record_table = {"record", sizeof(td_record_def), record_fields,
                                             DOC("What a run writes.")};

// ---- all of it ------------------------------------------------------------------------------

static const tdi_scene_field scene_fields[] = {
    {"name", TDI_SCENE_TEXT, offsetof(td_scene_def, name), DOC("A title, for people.")},
    {"text", TDI_SCENE_TEXT, offsetof(td_scene_def, text), DOC("One line on what it shows.")},
    {"gravity", TDI_SCENE_VEC3, offsetof(td_scene_def, gravity), .unit = "m/s^2",
     .def = {0, -9.81, 0}, .low = -1e4, .high = 1e4, KEYED, DOC("Pulls everything.")},
    {"step", TDI_SCENE_REAL, offsetof(td_scene_def, step), .unit = "s", .def = {1.0 / 60},
     .high = 1, .low_open = true, LIVE,
     DOC("Time of a step at most; a frame is a whole number of them.")},
    {"tolerance", TDI_SCENE_REAL, offsetof(td_scene_def, tolerance), .unit = "rad", .def = {1e-4},
     .high = 0.1, .low_open = true, .keyed = true,
     DOC("How far a step may be from its solution; 0.02 saves about a third in a wind.")},
    {"air_density", TDI_SCENE_REAL, offsetof(td_scene_def, air_density), .unit = "kg/m^3",
     .def = {1.2}, .high = 1e5, KEYED, DOC("Water has 1000; 0: no drag.")},
    {"drag", TDI_SCENE_REAL, offsetof(td_scene_def, drag), .def = {1}, .high = 100, KEYED,
     DOC("Drag coefficient.")},
    {"air_linear", TDI_SCENE_REAL, offsetof(td_scene_def, air_linear), .unit = "N s/m^3",
     .high = 1e6, KEYED, DOC("Drag in proportion to the speed, an area.")},
    {"objects", TDI_SCENE_LIST, offsetof(td_scene_def, objects), .table = &object_table,
     .required = true, .count = offsetof(td_scene_def, object_count), .max_count = 10000,
     DOC("What moves.")},
    {"loads", TDI_SCENE_LIST, offsetof(td_scene_def, loads), .table = &load_table,
     .count = offsetof(td_scene_def, load_count), .max_count = 10000, DOC("What acts on it.")},
    {"contact", TDI_SCENE_MAP, offsetof(td_scene_def, contact), .table = &contact_table,
     .given = offsetof(td_scene_def, contact.given), DOC("How rods touch.")},
    {"colliders", TDI_SCENE_LIST, offsetof(td_scene_def, colliders), .table = &collider_table,
     .count = offsetof(td_scene_def, collider_count), .max_count = 10000,
     DOC("What objects touch; rods touch each other as well then.")},
    {"record", TDI_SCENE_MAP, offsetof(td_scene_def, record), .table = &record_table,
     DOC("What a run writes.")},
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
