// SPDX-License-Identifier: MIT
#pragma once

/// @file scene.h
/// A scene: objects, loads, colliders and outputs. Plain structs, filled by the caller or
/// from a tree of values (a YAML file, or JSON from a browser). td_world_new() makes a world from
/// it. docs/guide/scene.md lists every key with unit, default and range.

#include "tendril/constraint.h"
#include "tendril/contact.h"
#include "tendril/curve.h"
#include "tendril/grammar.h"
#include "tendril/rod.h"
#include "tendril/skeleton.h"
#include "tendril/adapt.h"
#include "tendril/solver.h"
#include "tendril/value.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- objects --------------------------------------------------------------------------------

/// A helix about +Y, beginning on X. Without pitch it is an arc; closed, with one turn, a ring.
typedef struct td_helix_def {
    td_real radius; ///< m, > 0.
    td_real pitch;  ///< m a turn along +Y. Default 0.
    td_real turns;  ///< Below 0: the other way round. Default 1.
} td_helix_def;

/// How an end of a strand is held, and how it moves.
typedef struct td_strand_end {
    td_end_kind held; ///< Default: clamped at the start, free at the other end.
    td_vec3 shift;    ///< m, from where it is drawn, in the axes of the base.
    td_quat rotation; ///< Of a clamped end: from how it is drawn, in the axes of the base.
    td_real turns;    ///< rad: twist of a clamped end about its own axis, any number of turns.
} td_strand_end;

/// A box welded to a strand. Start from td_strand_body_default().
typedef struct td_strand_body {
    td_real at;       ///< 0..1: where along the strand. Default 1.
    td_real mass;     ///< kg, > 0.
    td_vec3 size;     ///< m: sides of the box along X, Y (along the strand) and Z.
    td_vec3 position; ///< m: its centre, from the strand, in the same axes.
} td_strand_body;

TD_API td_strand_body td_strand_body_default(void);

/// What of a strand may change along its length, with the names of the fields.
typedef enum td_along_kind {
    TD_ALONG_RADIUS,
    TD_ALONG_DENSITY,
    TD_ALONG_DRAG,
    TD_ALONG_DAMPING_TIME,
    TD_ALONG_BEND,
    TD_ALONG_BEND_OTHER,
    TD_ALONG_TORSION,
    TD_ALONG_STRETCH,
    TD_ALONG_LINE_MASS,
    TD_ALONG_COUNT,
} td_along_kind;

/// A rope, braid, ear or strand of hair along a smooth curve. Solvers refuse what they do not
/// offer: see td_solver_info.
typedef struct td_strand_def {
    const td_vec3 *points; ///< m, at least two; the first is at the base.
    int32_t point_count;
    td_helix_def helix;   ///< In place of points; used when it has a radius.
    int32_t segments;     ///< Default 20.
    int32_t elements;     ///< For a solver with curved elements. Default 0: it chooses.
    td_real radius;       ///< m, at the base. Default 0.005.
    td_real tip_radius;   ///< m, at the other end; 0 (default): as at the base.
    const char *material; ///< Of the library's. Default "rope".
    td_real density;      ///< kg/m^3; 0 (default): the material's.
    td_real damping_time; ///< s: damping over stiffness; -1 (default): the material's.
    td_real drag;         ///< Factor of its area to the air. Default 1.
    td_real tip_mass;     ///< kg, added to the last segment. Default 0.
    bool closed;          ///< From the last point on to the first.
    bool straight;        ///< The rest shape is straight.
    const td_vec3 *rest;  ///< m: points of the rest shape; NULL (default): as drawn.
    int32_t rest_count;
    td_helix_def rest_helix;  ///< The same as a helix; used when it has a radius.
    td_real radius_other;     ///< m: of a flat section, along Z. 0 (default): round.
    td_real twist;            ///< rad: at time 0, over the whole length.
    td_strand_end start, end; ///< A closed one has none.
    const td_strand_body *bodies;
    int32_t body_count;
    /// Stiffness and mass; 0 (default): from section and material.
    td_real bend;       ///< N m^2: bending stiffness EI about X.
    td_real bend_other; ///< N m^2: bending stiffness EI about Z; 0: as `bend`.
    td_real torsion;    ///< N m^2: torsional stiffness GJ.
    td_real stretch;    ///< N: stretching stiffness EA.
    td_real line_mass;  ///< kg/m.
    bool inextensible;
    /// In place of the numbers above, where they have points; `tip_radius` is then not used.
    td_along along[TD_ALONG_COUNT];
} td_strand_def;

/// A joint of an object that is another than the one that was grown or drawn.
typedef struct td_joint_def {
    td_joint_kind kind; ///< TD_JOINT_HINGE, TD_JOINT_SLIDE, TD_JOINT_BALL or TD_JOINT_FIXED.
    struct td_joint_terms {
        int32_t segment_id; ///< Of the segment that stands on it; TD_NONE (default): of every one
                            ///< whose joint is a ball.
        td_vec3 axis;       ///< Of a hinge or slide, in the axes of the base, as drawn. Default Z.
        td_real place;      ///< rad, of a slide m: at time 0, from how it is drawn. Default 0.
        td_vec3 stiffness;  ///< N m/rad about X, Y (twist), Z of the segment; hinge: x; slide: x,
                            ///< N/m. Default 0: no spring. At ease as drawn.
        td_vec3 damping;    ///< Likewise, N m s/rad or N s/m. Default 0.
    } as;
} td_joint_def;

/// One of that kind, with its defaults.
TD_API td_joint_def td_joint_def_default(td_joint_kind kind);

typedef enum td_instance_layout {
    TD_INSTANCES_AREA, ///< Spread evenly at random over an area.
    TD_INSTANCES_GRID, ///< In rows, each shifted a little at random.
    TD_INSTANCES_LIST, ///< At given places.
} td_instance_layout;

/// Many of one object. Sizes and seeds vary over `variants` models, which instances share.
typedef struct td_instances_def {
    int32_t count; ///< Default 1; of a list, that of its places.
    td_instance_layout layout;
    td_vec3 area;          ///< m: sides of the area or grid about the object's place.
    td_real jitter;        ///< Of the grid's spacing. Default 0.3.
    const td_vec3 *places; ///< m, place_count of them.
    int32_t place_count;
    int32_t seed;     ///< Default 1.
    int32_t variants; ///< Models with seeds and sizes of their own. Default 1.
    td_real smallest; ///< Size of the smallest variant, of the largest: `largest`. Default 1.
    td_real largest;
    bool turned; ///< Each turned about the vertical at random. Default true.
} td_instances_def;

/// Local dynamics: a part of the motion of a frame is taken out of what an object feels. Not with
/// contact.
typedef struct td_local_def {
    td_real amount;   ///< 0 (default): none of the frame's motion is taken out. 1: all of it.
    td_vec3 position; ///< m, of the frame: hip of a character, back of a horse.
    td_quat rotation;
} td_local_def;

/// How the integrator TD_ADAPTIVE chooses joints; as td_adapt_opts.
typedef struct td_adapt_def {
    int32_t joints;     ///< Default 0: by `error`.
    td_real error;      ///< Default 0: all that move.
    int32_t every;      ///< Steps. Default 20.
    td_integrator rule; ///< TD_EULER (default) or TD_RK4.
    td_adapt_weights weights;
    td_vec3 camera; ///< m.
} td_adapt_def;

typedef enum td_start {
    TD_START_SETTLED, ///< At rest under gravity. The default.
    TD_START_DRAWN,   ///< As drawn, then released.
} td_start;

/// A plant, a strand, or many of one kind. Start from td_object_def_default().
typedef struct td_object_def {
    uint32_t struct_size;
    const char *name;            ///< Unique. Default "object" and its number.
    const char *plant;           ///< File of an L-system or skeleton in JSON; or
    td_strand_def strand;        ///< used when it has points or a helix; or
    const td_skeleton *skeleton; ///< from elsewhere; it is copied.
    const char *view;         ///< View file of the plant. Default NULL: the one beside it, if any.
    int32_t steps;            ///< Of the L-system. Default -1: as its file says.
    int32_t seed;             ///< Default -1: as its file says.
    const td_define *defines; ///< define_count of them; or
    int32_t define_count;
    const td_value *define_values; ///< a map.
    td_vec3 position;              ///< m, of the base: pot, head, branch.
    td_quat rotation;              ///< Of the base.
    td_real size;                  ///< Factor of all lengths. Default 1.
    const char *solver;            ///< By name. Default NULL: the first of solver.h.
    td_integrator integrator;
    td_adapt_def adapt;
    td_spring_rule springs;
    td_spring_law law;    ///< Default: the solver's own.
    int32_t elements;     ///< Of each axis, for a solver with curved elements. Default 0.
    td_real prune_length; ///< m. Default 0.
    td_real prune_mass;   ///< kg. Default 0.
    const td_material_change *materials;
    int32_t material_count;
    const td_joint_def *joints; ///< joint_count of them, one after the other. Default none.
    int32_t joint_count;
    td_real stiffness;       ///< Factor of all springs. Default 1.
    td_real bending;         ///< Further factor of springs and damping in bending. Default 1.
    td_real twisting;        ///< The same in twist. Default 1.
    td_real damping;         ///< Factor of all damping. Default 1.
    td_real damping_ratio;   ///< Of the lowest mode. Default -1: by the material.
    td_real relaxation_time; ///< s: damping over stiffness. Default -1: by the material.
    td_real drag;            ///< Factor of the areas to the air. Default 1.
    bool rest_under_gravity; ///< The drawn shape is the settled one. Default false.
    bool loose;              ///< Its first stem is not held: it can fall. Default false.
    bool touches;     ///< Itself, others and colliders, in scenes with contact. Default true.
    td_filter filter; ///< With which others and colliders. Default: with all.
    td_start start;
    td_real time_scale; ///< Factor of the base's velocity and acceleration. Not with contact.
                        ///< Default 1.
    td_local_def local;
    td_instances_def instances;
} td_object_def;

TD_API td_object_def td_object_def_default(void);

// ---- loads ----------------------------------------------------------------------------------

/// Moving air; wind.h describes gusts and turbulence.
typedef struct td_wind_load {
    td_vec3 velocity; ///< m/s, the mean.
    td_real intensity, length, gust, gust_length, roughness, height, onset;
    int32_t seed;
} td_wind_load;

/// A segment of an object: by its id, or the one whose tip is nearest to a point at time 0.
typedef struct td_place_def {
    const char *object; ///< Default: the first.
    int32_t instance;   ///< Default 0.
    int32_t segment_id; ///< Of the skeleton's segments. Default TD_NONE: by `nearest_to`.
    td_vec3 nearest_to; ///< m, world; used when given. With neither, the highest tip.
    bool nearest_given;
    bool organ_given; ///< The segment that is nearest or highest is one of this kind:
    td_organ organ;   ///< a stem, leaf, petal, flower or fruit. Default any.
} td_place_def;

/// The highest tip of the first object.
TD_API td_place_def td_place_def_default(void);

/// Pulls the tip of a segment by a spring to a point that may move, from `start` to `end`.
typedef struct td_pull_load {
    td_place_def place;
    td_vec3 to; ///< m, world; used when given. Or
    td_vec3 by; ///< m, from where the tip was at the start.
    bool to_given;
    td_real stiffness;  ///< N/m. Default 100.
    td_real damping;    ///< N s/m. Default 0.
    td_real start, end; ///< s. Default always.
} td_pull_load;

/// A force, N, in world axes at the tip of a segment, or a torque, N m, about its own axis.
typedef struct td_push_load {
    td_place_def place;
    td_vec3 force;
    td_real twist;
    td_real start, end;
} td_push_load;

/// Springs from the tip of every segment to where it would be in a pose: the rest shape with a bend
/// spread evenly over the joints from base to tip. It moves with the base.
typedef struct td_pose_load {
    const char *object;
    td_vec3 bend;     ///< rad in all, about the segments' own X, Y (twist) and Z.
    td_real strength; ///< N/m. Default 1.
    td_real damping;  ///< N s/m. Default 0.
} td_pose_load;

/// A force on every segment, by expressions of where it is and how it moves: numbers, + - * / % ^,
/// comparisons, && || !, a ? b : c, sin cos tan asin acos atan atan2 (degrees) exp log sqrt abs
/// floor ceil trunc sign min max, and the names x y z (m, its centre of mass), vx vy vz and speed
/// (m/s), t (s), mass (kg), radius and length (m), instance (its number, from 0). The force is that
/// when the step begins.
typedef struct td_field_load {
    const char *object;       ///< Default NULL: all.
    const char *const *force; ///< Three, N: along X, Y and Z of the world.
    int32_t force_count;      ///< 3.
    td_real strength;         ///< Factor of the force. Default 1.
    td_real start, end;
} td_field_load;

typedef enum td_scene_load_kind {
    TD_SCENE_WIND,
    TD_SCENE_PULL,
    TD_SCENE_PUSH,
    TD_SCENE_POSE,
    TD_SCENE_FIELD,
} td_scene_load_kind;

typedef struct td_scene_load {
    td_scene_load_kind kind;
    union {
        td_wind_load wind;
        td_pull_load pull;
        td_push_load push;
        td_pose_load pose;
        td_field_load field;
    } as;
} td_scene_load;

/// One of that kind, with its defaults.
TD_API td_scene_load td_scene_load_default(td_scene_load_kind kind);

// ---- constraints ----------------------------------------------------------------------------

/// A point of a segment that a constraint holds.
typedef struct td_side_def {
    bool given; ///< Of the side `b`. False: it is the world.
    td_place_def place;
    td_real along;  ///< 0 (at its joint) to 1 (at its tip) along the segment. Default 1.
    td_vec3 offset; ///< m: from there, in the segment's axes. Default 0.
} td_side_def;

/// A condition that the solver keeps exactly, from `start` to `end`, until it breaks.
/// td_constraint describes the kinds and the fields that each uses.
typedef struct td_scene_constraint {
    td_constraint_kind kind;
    struct td_constraint_terms {
        const char *name; ///< Unique. Default: its kind and its number.
        td_side_def a, b;
        td_vec3 to;       ///< m: where in the world `a` is held; used when given. Or
        td_vec3 by;       ///< m: from where it is when the constraint begins.
        bool to_given;    ///< `to` counts.
        td_quat rotation; ///< Of a weld to the world: from how it is when it begins.
        td_vec3 axis;     ///< World axes: of a hinge or slider as drawn; normal of a stop.
        td_real angle;    ///< rad: that a hinge follows, from how it is when it begins; that
        bool angle_given; ///< a hinge joint follows from rest. It counts.
        td_vec3 bend;     ///< rad: rotation vector that a ball joint follows, from rest.
        td_real slide;    ///< m: that a slide joint follows.
        bool bend_given, slide_given; ///< They count.
        const td_vec3 *points;        ///< m, world: of a curve.
        int32_t point_count;
        bool closed;                   ///< The curve goes on from its last point to the first.
        td_real length;                ///< m: of a distance or rope. Default 0: as when it begins.
        td_real low, high;             ///< rad: of a hinge; of a ball joint its twist. Default any.
        td_real slide_low, slide_high; ///< m: of a slide. Default any.
        td_real cone;                  ///< rad: how far a ball joint bends at most. Default any.
        td_real ratio;                 ///< Of a gear: angle of `a` over that of `b`. Default 1.
        td_real start, end;            ///< s. Default always.
        td_real stiffness, damping;    ///< N/m, N s/m: of a spring. Default 1 and 0.
        td_real break_force; ///< N, of joints N m: it breaks above this. Default 0: never.
    } as;
} td_scene_constraint;

/// One of that kind, with its defaults.
TD_API td_scene_constraint td_scene_constraint_default(td_constraint_kind kind);

// ---- contact --------------------------------------------------------------------------------

/// What rods touch besides each other; the fields are those of td_collider.
typedef struct td_scene_collider {
    td_collider_kind kind;
    struct td_collider_place {
        td_real radius;   ///< m.
        td_real length;   ///< m.
        td_vec3 sides;    ///< m.
        td_vec3 position; ///< m.
        td_quat rotation;
        td_real friction;
        td_real restitution;
        td_real rolling, static_friction;
        const char *name; ///< In messages; no two colliders have the same. Default: none.
        td_filter filter;
        int32_t columns;        ///< Of a height field: see td_height_field_new().
        td_real cell;           ///< m.
        const td_real *heights; ///< m, row after row.
        int32_t height_count;   ///< A multiple of columns.
    } as;
} td_scene_collider;

/// One of that kind, with its defaults.
TD_API td_scene_collider td_scene_collider_default(td_collider_kind kind);

/// How rods touch each other and the colliders. td_contact_opts describes the fields.
typedef struct td_scene_contact {
    bool given; ///< Default false: nothing touches, unless there are colliders.
    bool self;
    td_real friction, gap, creep;
    td_contact_method method;
    td_real restitution;
    td_real rolling, static_friction;
    td_impact_law law;
    td_overlap_rule overlap; ///< Actors that overlap when they are placed. Default
                             ///< TD_OVERLAP_REFUSE. Colliders refuse in either case.
    td_real push_speed;      ///< m/s, above 0, at most 100: how fast a pair of segments is pushed
                             ///< apart at most. Default 0.5.
} td_scene_contact;

// ---- recording ------------------------------------------------------------------------------

typedef enum td_quantity {
    TD_QUANTITY_POSITION,    ///< m, of the tip.
    TD_QUANTITY_ORIENTATION, ///< Quaternion w x y z.
    TD_QUANTITY_VELOCITY,    ///< m/s, of the tip.
    TD_QUANTITY_CURVATURE,   ///< 1/m: the joint's angle over the length it stands for.
    TD_QUANTITY_MOMENT,      ///< N m, of the joint's spring, segment axes.
    TD_QUANTITY_FORCE,       ///< N, of a constraint on its side `a`.
} td_quantity;

typedef struct td_probe_def {
    const char *name; ///< Default: of the object and the quantity.
    td_place_def place;
    const char *constraint; ///< Whose force is recorded, in place of a segment. Default: none.
    td_quantity quantity;   ///< Default TD_QUANTITY_POSITION.
} td_probe_def;

TD_API td_probe_def td_probe_def_default(void);

typedef struct td_record_def {
    td_real duration;           ///< s. Default 10.
    td_real fps;                ///< Frames a second. Default 30.
    const td_probe_def *probes; ///< probe_count of them.
    int32_t probe_count;
    bool energy;   ///< Energies and momentum of every object. Default true.
    bool glb;      ///< Animated glTF. Default true.
    bool page;     ///< A page that plays. Default true.
    bool contacts; ///< Contact forces as arrows in the glTF; the page has them in any case.
} td_record_def;

// ---- sleep ----------------------------------------------------------------------------------

/// When actors fall asleep by themselves; see actor.h.
typedef struct td_scene_sleep {
    bool given;    ///< Default false: never.
    td_real speed; ///< m/s, >= 0: no point of an actor, or of those it touches, is faster.
                   ///< Default 0.001.
    td_real time;  ///< s, >= 0: for so long. Default 0.5.
} td_scene_sleep;

// ---- all of it ------------------------------------------------------------------------------

/// Start from td_scene_def_default(). td_world_new() borrows all data behind pointers for the call.
typedef struct td_scene_def {
    uint32_t struct_size;
    const char *name;    ///< Title. Default: none.
    const char *text;    ///< One line on what it shows. Default: none.
    td_vec3 gravity;     ///< m/s^2. Default (0, -9.81, 0).
    td_real step;        ///< s. Default 0: the longest of at most 1/60 s of which a frame of the
                         ///< recording has a whole number. Others are taken as they are, except
                         ///< where 1/(fps step) or fps step is within 0.5 % of a whole number,
                         ///< and within 0.02: rounding in a file.
    td_real tolerance;   ///< rad: error at which Newton's method stops in a step. Default 1e-4.
    td_real air_density; ///< kg/m^3. Default 1.2; 0: no drag.
    td_real drag;        ///< Drag coefficient. Default 1.
    td_real air_linear;  ///< N s/m^3: drag in proportion to the speed. Default 0.
    const td_object_def *objects;
    int32_t object_count;
    const td_scene_load *loads;
    int32_t load_count;
    const td_scene_constraint *constraints;
    int32_t constraint_count;
    td_scene_contact contact;
    const td_scene_collider *colliders;
    int32_t collider_count;
    td_record_def record;
    td_scene_sleep sleep;
} td_scene_def;

TD_API td_scene_def td_scene_def_default(void);

/// A scene read from values, with its keyframes.
typedef struct td_scene td_scene;

/// Takes ownership of `value`, also on failure. `diags` gets all errors, with line and column.
/// `file` is the scene's own name, from which the loader of a world finds the files that it names;
/// NULL: none.
TD_API td_status td_scene_from_value(td_value *value, const char *file, const td_alloc *alloc,
                                     td_scene **out, td_diag_list *diags);
TD_API void td_scene_free(td_scene *scene); ///< NULL is allowed.
/// The numbers of the scene; valid as long as the scene.
TD_API const td_scene_def *td_scene_def_get(const td_scene *scene);
/// Gives an object this skeleton in place of its plant or strand, for worlds that are made from now
/// on. It is borrowed while they are made. TD_ERR_ARGUMENT when there is no such object.
TD_API td_status td_scene_set_skeleton(td_scene *scene, int32_t object, const td_skeleton *skeleton,
                                       td_diag *diag);

/// The reference of every key, as Markdown.
TD_API td_status td_scene_reference(void (*sink)(void *context, const char *text, size_t size),
                                    void *context);

#ifdef __cplusplus
}
#endif
