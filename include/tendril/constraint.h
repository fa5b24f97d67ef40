// SPDX-License-Identifier: MIT
#pragma once

/// @file constraint.h
/// Constraints: points that are held or led along a path, loops that close, ropes, joints that
/// follow or stay within limits. Plain structs, borrowed for the call that takes them.
///
/// A constraint has two sides. The first is a segment of an actor. The second is another segment,
/// of the same actor or of another, or a frame of the world, which moves as the caller says.
/// Constraints of a joint (TD_CONSTRAINT_JOINT, TD_CONSTRAINT_GEAR, TD_CONSTRAINT_LIMIT) have the
/// joint of a segment to its parent as a side.

#include "tendril/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_constraint_kind {
    TD_CONSTRAINT_POINT,  ///< point[0] and point[1] are at one place: a ball joint, a pin, a path.
    TD_CONSTRAINT_WELD,   ///< The same, and the sides do not turn against each other.
    TD_CONSTRAINT_HINGE,  ///< The same, and they turn about axis[0] = axis[1] alone.
    TD_CONSTRAINT_SLIDER, ///< point[0] slides along axis[1] through point[1]; the sides do not turn
                          ///< against each other.
    TD_CONSTRAINT_CURVE,  ///< point[0] is on `curve`, which goes with the second side.
    TD_CONSTRAINT_DISTANCE, ///< point[0] and point[1] are `length` apart: a rigid bar without mass.
    TD_CONSTRAINT_ROPE,     ///< They are at most `length` apart: a rope without mass.
    TD_CONSTRAINT_STOP,     ///< point[0] is not below the plane through point[1] with the normal
                            ///< axis[1].
    TD_CONSTRAINT_JOINT,    ///< A joint follows `joint`.
    TD_CONSTRAINT_GEAR,     ///< Angle of the first joint = ratio * that of the second + offset.
    TD_CONSTRAINT_LIMIT,    ///< A joint stays within low .. high, a ball joint also within `cone`.
    TD_CONSTRAINT_SPRING, ///< point[0] and point[1] pull each other by `stiffness` times what their
                          ///< distance is above `length`, and `damping` times its rate.
} td_constraint_kind;

/// "point", "weld", "hinge", "slider", "curve", "distance", "rope", "stop", "joint", "gear",
/// "limit", "spring".
TD_API const char *td_constraint_kind_name(td_constraint_kind kind);

#define TD_CONSTRAINT_CURVE_MAX 100000 ///< Points of a curve.

/// Where the world's frame of a constraint is, or where a joint is to be, at the end of a step.
typedef struct td_constraint_target {
    td_vec3 position; ///< m. Default 0.
    td_quat rotation; ///< Unit. Of a weld between two segments: how the first is turned, in its
                      ///< own axes, from as it was found or from `rotation`. Default none.
    td_vec3
        joint; ///< TD_CONSTRAINT_JOINT: x is the angle of a hinge from rest, rad, or the place of
               ///< a slide, m; of a ball joint this is its rotation vector from rest, in
               ///< the parent's axes turned by `rest` of the segment. Default 0.
    td_real length; ///< m: TD_CONSTRAINT_DISTANCE, TD_CONSTRAINT_ROPE and TD_CONSTRAINT_SPRING,
                    ///< unless as_found. >= 0, of a distance > 0. Default 1.
} td_constraint_target;

TD_API td_constraint_target td_constraint_target_default(void);

/// One constraint. Start from td_constraint_default(); a zeroed struct is refused.
typedef struct td_constraint {
    uint32_t struct_size;
    td_constraint_kind kind;
    const char *name;   ///< For messages. Default NULL: its number.
    int32_t actor[2];   ///< The state of an island. Default 0, and TD_NONE for the second: the
                        ///< frame of the world. td_world_add_constraint() takes ids instead.
    int32_t segment[2]; ///< Default 0.
    /// In the axes of each side, from the segment's joint, m. Default 0.
    td_vec3 point[2];
    /// Unit, in the axes of each side. Hinges: both; sliders and stops: the second. Default +Y.
    td_vec3 axis[2];
    /// Nothing jumps when the constraint starts: point[1], axis[1] and how the second side is
    /// turned are those of the first side at that time, as are target.length and `offset`. Of a
    /// slider axis[0] then gives the direction. A stop and a curve stay where they are given.
    /// Default true. False: they are as given here; the sides of a weld or slider have the same
    /// axes, but for `rotation`.
    bool as_found;
    td_quat rotation; ///< Weld, slider: of the first side in the axes of the second. Default none.
    td_constraint_target target; ///< At the start. The step moves it on to what was set last.
    /// rad, or m of a slide: low < high; of a ball joint the twist about its +Y, within -pi .. pi.
    /// Default without limits: -INFINITY .. INFINITY.
    td_real low, high;
    td_real cone;   ///< rad, > 0: how far +Y of a ball joint's segment may lean away from rest.
                    ///< Default INFINITY: any way.
    td_real ratio;  ///< Gear: not 0. Default 1.
    td_real offset; ///< Gear: rad or m. Used if as_found is false. Default 0.
    const td_vec3 *curve; ///< curve_count points in the axes of the second side, m, no two in a row
                          ///< the same. The curve goes smoothly through all of them; its ends are
                          ///< stops. Default none.
    int32_t curve_count;  ///< 2 .. TD_CONSTRAINT_CURVE_MAX; 3 of a closed curve.
    bool curve_closed;    ///< Default false.
    td_real start, end;   ///< s: it acts from the first step that begins at `start` or later, and
                          ///< in no step that begins at `end` or later. Default 0 and INFINITY.
    td_real break_force;  ///< N, of a joint N m: a step that ends with more breaks it, for good.
                          ///< Default INFINITY: never.
    td_real stiffness;    ///< N/m, > 0: of a spring. Default 1.
    td_real damping;      ///< N s/m, >= 0: of a spring, by the rate of the distance. Default 0.
} td_constraint;

TD_API td_constraint td_constraint_default(td_constraint_kind kind);

/// Checks every field that can be checked without actors. *diag, if given, names the constraint
/// and the field, and has its number as index.
TD_API td_status td_constraints_check(const td_constraint *constraints, int32_t count,
                                      td_diag *diag);

/// What a constraint does at the end of the last step.
typedef struct td_constraint_report {
    bool active; ///< It acted in that step.
    bool broken; ///< Its force was above break_force.
    bool unmet;  ///< It contradicts others, or cannot be reached: it pulls as a stiff spring does.
    td_real error;  ///< m or rad: by how much it is not met.
    td_vec3 place;  ///< m: of the first side's point.
    td_vec3 force;  ///< N, on the first side, in world axes; 0 of joints.
    td_vec3 moment; ///< N m, on the first side about `place`, in world axes; of joints in their own
                    ///< coordinates: x of a hinge (N m) or slide (N).
} td_constraint_report;

#ifdef __cplusplus
}
#endif
