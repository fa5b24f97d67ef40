// SPDX-License-Identifier: MIT
#pragma once

/// @file skeleton.h
/// A skeleton is what a plant, a strand or a rope is: a tree of segments, stored parent first, each
/// with its shape, mass, joint and attachment. It knows no solver; every solver starts from it.
///
/// Axes of a segment: origin at its joint, +Y along it (heading H), X is R (right), Z is U (up).

#include "tendril/base.h"
#include "tendril/grammar.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- materials ------------------------------------------------------------------------------

/// Kind of a segment. Stems carry other segments; the other kinds are organs with a shape.
typedef enum td_organ {
    TD_ORGAN_STEM,
    TD_ORGAN_LEAF,
    TD_ORGAN_PETAL,
    TD_ORGAN_FLOWER,
    TD_ORGAN_FRUIT,
} td_organ;

/// "stem", "leaf", "petal", "flower", "fruit".
TD_API const char *td_organ_name(td_organ organ);

/// What a segment is made of. Start from td_material_default() or td_material_get(). Bending and
/// torsion are independent: plant tissue is far softer in shear than its Poisson's ratio would say,
/// so `shear` can be given.
typedef struct td_material {
    char name[32];
    td_real density;      ///< kg/m^3, > 0.
    td_real young;        ///< Pa, > 0: bending.
    td_real shear;        ///< Pa: torsion. 0 means young/(2(1 + poisson)).
    td_real poisson;      ///< In (-1, 0.5]. Used only when shear is 0.
    td_real damping_time; ///< s, >= 0: joint damping = damping_time * joint stiffness.
    td_real thickness;    ///< m: of a lamina (leaf, petal); 0 for solid stems and fruit.
    td_organ organ;       ///< What a polygon drawn in this material is.
    uint32_t color;       ///< 0xRRGGBB, sRGB.
} td_material;

/// The library's own materials, for ropes, hair and plants. `source` says where their parameters
/// come from.
TD_API int32_t td_material_count(void);
/// Without a name and with density 0, which nothing accepts, where there is no such index.
TD_API td_material td_material_get(int32_t index);
TD_API const char *td_material_source(int32_t index);
/// Index of the material with this name, or TD_NONE.
TD_API int32_t td_material_find(const char *name);
/// The first of them, "green-wood".
TD_API td_material td_material_default(void);
/// The shear modulus: `shear`, or from `poisson` if that is 0.
TD_API td_real td_material_shear(const td_material *material);

// ---- shapes of organs -----------------------------------------------------------------------

typedef enum td_shape_kind {
    TD_SHAPE_BLADE,   ///< A leaf or petal: an outline along +Y, folded and curled.
    TD_SHAPE_FLOWER,  ///< A ring or several of blades around +Y, with a centre.
    TD_SHAPE_BALL,    ///< An ellipsoid standing on the joint.
    TD_SHAPE_DISC,    ///< A flat disc across Z, centred on the joint.
    TD_SHAPE_POLYGON, ///< The polygons that the turtle traced.
    TD_SHAPE_BOX,     ///< A box standing on the joint, 1 high.
    TD_SHAPE_PATCHES, ///< Bicubic Bezier patches.
} td_shape_kind;

/// The shape of an organ of size 1 (its length along +Y, or its diameter); segments scale it.
typedef struct td_shape {
    td_shape_kind kind;
    td_real width;         ///< Greatest width over length. Default 0.5.
    td_real depth;         ///< Box: along Z, over length; in (0,100]. Default 0.5.
    td_real widest;        ///< Where along the blade it is widest, in (0,1). Default 0.4.
    td_real taper;         ///< > 0; 1 gives the outline of a lens, more a longer tip. Default 1.
    td_real fold;          ///< rad: how far each half rises from the plane. Default 0.2.
    td_real curl;          ///< rad: how far the tip has turned towards -Z. Default 0.3.
    td_real crease;        ///< Of the half width, in which it rises: 1 makes a cup. Default 0.05.
    td_real wave;          ///< Ripple of the margin over length. Default 0.
    int32_t lobes;         ///< Lobes or teeth on each side. Default 0.
    td_real lobe_depth;    ///< 0..1 of the half width. Default 0.
    td_real stalk;         ///< Length of the petiole or pedicel, over size. Default 0.15.
    td_real stalk_radius;  ///< Over size. Default 0.012. Sets the stiffness of the organ's joint.
    int32_t petals;        ///< Flower: blades in a ring. Default 5.
    int32_t whorls;        ///< Flower: rings. Default 1.
    td_real opening;       ///< Flower, rad: 0 is a closed bud, pi/2 is flat. Default 1.0.
    td_real centre;        ///< Flower: diameter of the centre over size. Default 0.2.
    uint32_t color;        ///< 0xRRGGBB.
    uint32_t centre_color; ///< 0xRRGGBB. Default yellow.
    int32_t polygon_first; ///< Polygon: first of polygon_count entries of the skeleton's polygons.
    int32_t polygon_count; ///< Patches: likewise, 16 control points each, in rows of four.
    td_vec3 stretch;       ///< Patches: factors along X, Y and Z. Each >= 0. Default 1.
    /// Blade: a row of so many segments, each on the tip of the one before, so that it bends. Every
    /// one has a shape of its own, alike but for `segment`. Default 1.
    int32_t segments;
    int32_t segment; ///< Blade: which part of the row this is, from 0 at the stalk. Default 0.
} td_shape;

/// A blade, 0x4c8c32 green, with the defaults named above.
TD_API td_shape td_shape_default(void);

/// One polygon of a TD_SHAPE_POLYGON, in the axes of its segment, in m, not scaled; or one patch of
/// a TD_SHAPE_PATCHES, at size 1.
typedef struct td_polygon {
    int32_t point_first; ///< First of point_count entries of the skeleton's points.
    int32_t point_count; ///< >= 3.
} td_polygon;

// ---- cross-sections -------------------------------------------------------------------------

#define TD_CONTOUR_POINTS 32

/// What the skin of a stem looks like across it, at radius 1: points at even distances around, or
/// from one end to the other. Only the skin has it: mass and stiffness are those of a round stem.
typedef struct td_contour {
    bool closed;
    td_real x[TD_CONTOUR_POINTS]; ///< Along X of the segment.
    td_real z[TD_CONTOUR_POINTS]; ///< Along Z.
} td_contour;

// ---- segments -------------------------------------------------------------------------------

typedef enum td_joint_kind {
    TD_JOINT_BALL,  ///< Turns any way. The default.
    TD_JOINT_HINGE, ///< Turns about `axis`.
    TD_JOINT_SLIDE, ///< Slides along `axis`.
    TD_JOINT_FIXED, ///< Welded to the parent, or to the ground.
    TD_JOINT_FREE,  ///< Not attached. Only for a segment without parent.
} td_joint_kind;

/// Stiffness of a stem against bending, twist and stretching.
typedef struct td_section {
    td_real bend_x;  ///< N m^2: about X, E I.
    td_real bend_z;  ///< N m^2: about Z.
    td_real twist;   ///< N m^2: about Y, G J.
    td_real stretch; ///< N: along Y, E A.
} td_section;

/// One piece of a skeleton.
typedef struct td_segment {
    int32_t id;     ///< Unique. Of a plant that was derived with td_derive_opts.names the segment
                    ///< keeps it while the plant grows; of others it counts segments.
    int32_t parent; ///< Index below its own, or TD_NONE: attached to the ground.
    td_joint_kind joint;
    td_vec3 attach;  ///< Joint origin in the parent's axes (the world's without parent), m.
    td_vec3 axis;    ///< Unit; of a hinge or slide, in the segment's axes.
    td_quat rest;    ///< Rotation relative to the parent without moment in the springs: curvature
                     ///< and twist of the rest shape, times the length between two middles.
    td_quat initial; ///< Rotation relative to the parent at time 0.
    td_real initial_slide; ///< m: of a slide joint at the start.
    td_real length;        ///< m, of a stem from the joint to `tip`; the size of an organ.
    td_real
        rest_length; ///< m: of a stem without tension. If `length` differs, it starts stretched.
    td_vec3 tip;     ///< Far end in the segment's axes, m; (0, length, 0) for stems.
    td_real radius_base; ///< m: of the section along X.
    td_real radius_tip;  ///< m.
    td_real flat;        ///< The section of a stem along Z is so much wider than along X.
    td_section section;  ///< Of a stem at its middle, of an organ that of its stalk.
    td_real bead;        ///< Likewise, m: radius of a ball at its tip; 0: none.
    int32_t contour;     ///< Of a stem: number of the skeleton's contour, from 1; 0: round.
    int32_t material;    ///< Index into the skeleton's materials.
    td_organ organ;
    int32_t shape;          ///< Index into the skeleton's shapes; TD_NONE for stems.
    uint32_t color;         ///< 0xRRGGBB.
    td_real area;           ///< m^2: one side of a lamina; 2 * mean radius * length of a stem.
    td_real mass;           ///< kg.
    td_real drag;           ///< Factor of its area to the air; 1: as it is. Organs at one node
                            ///< shelter each other, which reduces it.
    td_vec3 centre_of_mass; ///< In the segment's axes, m.
    td_sym3 second_moment;  ///< Integral of density X X^T about the joint, kg m^2.
    td_vec3 stiffness;      ///< Joint springs about X, Y (twist), Z, N m/rad. Hinge and slide: x.
    td_vec3 damping;        ///< Likewise, N m s/rad.
    td_vec3 outline;       ///< m^2: of an organ of several surfaces, as seen along X, Y and Z: what
                           ///< the air meets instead of `area`. 0: a stem or one surface.
    td_real fold_pressure; ///< Pa: of the wind, at which these surfaces fold. 0: they are rigid.
} td_segment;

/// How an end of a strand is held.
typedef enum td_end_kind {
    TD_END_FREE,
    TD_END_PINNED,  ///< Its position is given.
    TD_END_CLAMPED, ///< Its position and rotation are given. The strand is free from there on.
} td_end_kind;

/// A rope, a hair, a ring: segments in a row, each on the tip of the one before and at ease in its
/// `rest`. The first has no parent; it is at ease as it starts. Besides them only segments with
/// fixed joints stand on them.
typedef struct td_strand {
    int32_t first, count;   ///< Its segments, one after the other.
    td_end_kind start, end; ///< How its ends are held; free of a closed one.
    bool closed;            ///< The last ends where the first begins, and is joined to it as they
                            ///< meet at the start, less the share of `twist`.
    td_quat closing; ///< Of a closed one: the first against the last at ease; identity: straight.
    td_real twist; ///< rad: how far it is twisted at the start against ease, in all, spread evenly;
                   ///< `initial` has it as well, but for whole turns.
    int32_t elements; ///< For a solver with curved elements, at most one a segment; 0: it chooses.
                      ///< Other solvers use the segments.
} td_strand;

/// Without segments; free at both ends, not twisted.
TD_API td_strand td_strand_default(void);

/// A rigid body welded to a segment, besides the segment's own mass. It is not drawn: what is drawn
/// is a segment with a fixed joint.
typedef struct td_attached_mass {
    int32_t segment;
    td_real mass;           ///< kg, > 0.
    td_vec3 centre_of_mass; ///< In the segment's axes, from its joint, m.
    td_sym3 second_moment;  ///< Integral of density X X^T about the joint, kg m^2.
} td_attached_mass;

typedef struct td_skeleton td_skeleton; ///< Fixed after creation. Safe to read from any thread.

TD_API void td_skeleton_free(td_skeleton *skeleton); ///< NULL is allowed.
TD_API int32_t td_skeleton_count(const td_skeleton *skeleton);
/// All segments, parent first. Valid as long as the skeleton, as are the arrays below.
TD_API const td_segment *td_skeleton_segments(const td_skeleton *skeleton);
TD_API int32_t td_skeleton_strand_count(const td_skeleton *skeleton);
TD_API const td_strand *td_skeleton_strands(const td_skeleton *skeleton);
TD_API int32_t td_skeleton_attached_mass_count(const td_skeleton *skeleton);
TD_API const td_attached_mass *td_skeleton_attached_masses(const td_skeleton *skeleton);
TD_API int32_t td_skeleton_material_count(const td_skeleton *skeleton);
TD_API const td_material *td_skeleton_materials(const td_skeleton *skeleton);
TD_API int32_t td_skeleton_shape_count(const td_skeleton *skeleton);
TD_API const td_shape *td_skeleton_shapes(const td_skeleton *skeleton);
TD_API const td_polygon *td_skeleton_polygons(const td_skeleton *skeleton);
TD_API const td_vec3 *td_skeleton_points(const td_skeleton *skeleton);
TD_API int32_t td_skeleton_contour_count(const td_skeleton *skeleton);
TD_API const td_contour *td_skeleton_contours(const td_skeleton *skeleton);

typedef enum td_pose_kind {
    TD_POSE_REST,    ///< Without moment in any spring.
    TD_POSE_INITIAL, ///< The pose at time 0.
} td_pose_kind;

/// World position of every joint and world rotation of every segment. Either may be NULL; both
/// hold td_skeleton_count() entries. One forward loop, no recursion.
TD_API void td_skeleton_pose(const td_skeleton *skeleton, td_pose_kind kind, td_vec3 *origins,
                             td_quat *rotations);

/// New parameters of a material. Start from td_material_change_default(); 0 (damping_time: below 0)
/// keeps the old one.
typedef struct td_material_change {
    const char *name; ///< NULL: all.
    td_real density, young, shear, damping_time;
} td_material_change;

/// Changes nothing, in all materials.
TD_API td_material_change td_material_change_default(void);

/// The same skeleton with all lengths times `size` (> 0) and other materials, the later of two
/// changes last: masses, springs, sections and areas follow, also those that were given. `diag`
/// names an unknown material.
TD_API td_status td_skeleton_changed_new(const td_skeleton *skeleton, td_real size,
                                         const td_material_change *changes, int32_t count,
                                         const td_alloc *alloc, td_skeleton **out, td_diag *diag);

// ---- springs --------------------------------------------------------------------------------

/// How the stiffness of a joint follows from the two segments it joins (p parent, c child).
typedef enum td_spring_rule {
    /// The joint bends for half of each segment: 1/k = (l_p/2)/(E I_p) + (l_c/2)/(E I_c). Where
    /// the parent cannot bend (the ground, an immovable base), only the child's half counts.
    TD_SPRING_CLAMPED,
    /// The plants thesis, eq. 6.6: k = E (I_p + I_c)/2 * 2/(l_p + l_c); on the ground I_p = I_c
    /// and l_p = l_c.
    TD_SPRING_THESIS,
} td_spring_rule;

// ---- builder --------------------------------------------------------------------------------

typedef struct td_builder td_builder; ///< Makes a skeleton segment by segment.

/// Options of a skeleton. Start from td_skeleton_opts_default().
typedef struct td_skeleton_opts {
    uint32_t struct_size;
    td_spring_rule springs; ///< Default TD_SPRING_CLAMPED.
    td_real prune_length;   ///< m: segments shorter than this are dropped. Default 0: none.
    td_real prune_mass;     ///< kg: lighter ones are dropped. Default 0: none.
    int32_t max_segments;   ///< Default 16 million.
} td_skeleton_opts;

TD_API td_skeleton_opts td_skeleton_opts_default(void);

/// One segment to add. Start from td_segment_def_default(): a vertical stem of 1 cm radius and
/// 10 cm length on a ball joint at the tip of its parent.
typedef struct td_segment_def {
    uint32_t struct_size;
    int32_t id;            ///< >= 0 and unique, or TD_NONE: the index (default).
    int32_t parent;        ///< Index of a segment added before, or TD_NONE (default).
    td_joint_kind joint;   ///< Default ball.
    bool attach_at_tip;    ///< Joint at the parent's tip. Default true; else at `attach`.
    td_vec3 attach;        ///< In the parent's axes (the world's without a parent), m.
    td_vec3 axis;          ///< Hinge and slide. Default (1, 0, 0).
    td_quat rest;          ///< Default identity.
    td_quat initial;       ///< Default: all zero, which means `rest`.
    td_real initial_slide; ///< m. Default 0.
    td_real length;        ///< m, > 0.
    td_real rest_length;   ///< m: of a stem without tension; 0 (default): `length`.
    td_real radius_base;   ///< m, > 0.
    td_real radius_tip;    ///< m, >= 0.
    td_real flat;          ///< > 0: the section along Z over that along X. Default 1, round.
    td_real bead;          ///< m: radius of a ball that is drawn at a stem's tip. Default 0: none.
    int32_t contour;       ///< From td_builder_add_contour(), for stems. Default 0: round.
    int32_t material;      ///< From td_builder_add_material(). Default 0, which always exists.
    td_organ organ;        ///< Default stem.
    int32_t shape;         ///< From td_builder_add_shape() for organs. Default TD_NONE.
    int64_t color;         ///< 0xRRGGBB, or TD_NONE (default): the shape's or material's.
    td_real density;       ///< kg/m^3: instead of the material's. 0 (default): the material's.
    td_real drag;          ///< >= 0: factor of its area to the air. Default 1.
    /// Given mass properties instead of those of the shape: used when mass > 0.
    td_real mass;
    td_vec3 centre_of_mass;
    td_sym3 second_moment;
    td_vec3 tip; ///< Given far end; used when `has_tip`. Default (0, length, 0).
    bool has_tip;
    td_real joint_young; ///< Pa: of the joint instead of the material's. 0 (default): material's.
    td_section section; ///< Of a stem: given stiffness; each 0 (default): from radius and material.
    td_vec3 stiffness;  ///< Given springs; used when `has_stiffness`. Each >= 0.
    bool has_stiffness;
    td_real damping_time; ///< s: of its joint instead of the material's. Below 0 (default -1): the
                          ///< material's.
    td_vec3 damping;      ///< Given damping; used when `has_damping`. Each >= 0.
    bool has_damping;
} td_segment_def;

TD_API td_segment_def td_segment_def_default(void);

/// Starts with material 0, "green-wood".
TD_API td_status td_builder_new(const td_skeleton_opts *opts, const td_alloc *alloc,
                                td_builder **out, td_diag *diag);
TD_API void td_builder_free(td_builder *builder); ///< NULL is allowed.
/// Each adds a copy and gives its index, unless that is NULL; each checks every field and names the
/// wrong one.
TD_API td_status td_builder_add_material(td_builder *builder, const td_material *material,
                                         int32_t *index, td_diag *diag);
TD_API td_status td_builder_add_shape(td_builder *builder, const td_shape *shape, int32_t *index,
                                      td_diag *diag);
/// Numbers start at 1.
TD_API td_status td_builder_add_contour(td_builder *builder, const td_contour *contour,
                                        int32_t *number, td_diag *diag);
TD_API td_status td_builder_add(td_builder *builder, const td_segment_def *def, int32_t *index,
                                td_diag *diag);
/// A strand of segments that were added, none of them part of another.
TD_API td_status td_builder_add_strand(td_builder *builder, const td_strand *strand, td_diag *diag);
/// A body on a segment that was added; those of one segment become one.
TD_API td_status td_builder_attach_mass(td_builder *builder, const td_attached_mass *body,
                                        td_diag *diag);
/// Computes masses and springs, and makes the skeleton. Drops segments below the pruning
/// thresholds: their children move to their parent and keep their positions and ids. Such a segment
/// is refused if it is part of a strand or carries a body. The builder is empty afterwards, also on
/// failure.
TD_API td_status td_builder_finish(td_builder *builder, td_skeleton **out, td_diag *diag);

// ---- plants ---------------------------------------------------------------------------------

/// From a string to a skeleton. A string with the modules B(3 or 10 parameters) or
/// J(8 or 9 parameters) is read as an articulated body, any other by the turtle; both ways are
/// described in docs/guide/plants.md.
TD_API td_status td_skeleton_from_string(const td_grammar *grammar, const td_string *string,
                                         const td_skeleton_opts *opts, const td_alloc *alloc,
                                         td_skeleton **out, td_diag *diag);

/// From the text of a model to its skeleton, with as many steps as the text says and all options at
/// their defaults. `diag`, if given, gets the first fault. `#include` is refused.
TD_API td_status td_skeleton_from_text(const char *text, size_t size, const td_alloc *alloc,
                                       td_skeleton **out, td_diag *diag);

/// Reads the text of td_skeleton_json(), to the bit: masses, springs and areas are not computed
/// anew. `file` is for messages and may be NULL. TD_ERR_SYNTAX with line and column for other text
/// and for values that no skeleton can have.
TD_API td_status td_skeleton_from_json(const char *text, size_t size, const char *file,
                                       const td_alloc *alloc, td_skeleton **out, td_diag *diag);
/// Whether a text is that of a skeleton, right or faulty: a JSON object with the key "segments".
TD_API bool td_skeleton_is_json(const char *text, size_t size);

/// Checks all materials, surfaces and colours in the header of a model.
TD_API td_status td_plant_check(const td_grammar *grammar, td_diag_list *diags);

/// Counts, mass and height of the skeleton that a string would become.
typedef struct td_totals {
    td_real length;        ///< Sum of the drawn lengths, in turtle units.
    int64_t segment_count; ///< Bodies, organs included.
    td_real mass;          ///< kg.
    td_real height;        ///< m, from the lowest to the highest end of a segment.
} td_totals;

/// Measures a string. Takes no memory a module where the string needs no tree for it, so that also
/// strings too large for a skeleton can be measured.
TD_API td_status td_totals_from_string(const td_grammar *grammar, const td_string *string,
                                       const td_skeleton_opts *opts, const td_alloc *alloc,
                                       td_totals *out, td_diag *diag);

#ifdef __cplusplus
}
#endif
