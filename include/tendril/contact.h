// SPDX-License-Identifier: MIT
#pragma once

/// @file contact.h
/// Colliders (solids that move as the caller says) and the options of contact. Plain structs,
/// borrowed for the call that takes them.

#include "tendril/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_collider_kind {
    TD_COLLIDER_PLANE,   ///< Everything on the -Y side of `position` is solid, in its own axes.
    TD_COLLIDER_SPHERE,  ///< Of `radius`.
    TD_COLLIDER_CAPSULE, ///< Of `radius`, with `length` along its own Y.
    TD_COLLIDER_BOX,     ///< With `sides`, about `position`.
    TD_COLLIDER_HEIGHT_FIELD, ///< Everything below `field` is solid, in its own axes.
} td_collider_kind;

/// Which pairs collide: (a.category & b.mask) && (b.category & a.mask). An actor's contact with
/// itself does not depend on its filter. Start from td_filter_default().
typedef struct td_filter {
    uint32_t category; ///< Bits of the categories that it belongs to. Default 1.
    uint32_t mask;     ///< Bits of the categories that it collides with. Default all.
} td_filter;

TD_API td_filter td_filter_default(void);

/// Uneven ground: the smooth surface (a cubic spline with two continuous derivatives) that passes
/// through heights on a square grid. Its middle is the origin of the collider's axes, columns go
/// along X and rows along Z. Beyond its border the ground is straight. Next to a cliff it
/// overshoots the heights, by up to a seventh of the cliff. Segments touch it with their ends:
/// worlds refuse segments longer than half a cell. Between its ends a segment may sink into a ridge
/// that is one height wide, by up to a seventh of the ridge. Where the ground curves more than a
/// segment's radius, distances are not exact. Only implicit integrators take it.
typedef struct td_height_field td_height_field;

/// Copies the heights, m, row after row; 2 to 4096 columns and rows; `cell`, 1e-6 to 1e6 m, is the
/// distance between them. It is constant from then on, and may be used by any number of colliders.
TD_API td_status td_height_field_new(int32_t columns, int32_t rows, td_real cell,
                                     const td_real *heights, const td_alloc *alloc,
                                     td_height_field **out, td_diag *diag);
TD_API void td_height_field_free(td_height_field *field); ///< NULL is allowed.
/// The height at a place of the field's axes, m; *normal, if given, is a unit vector. A coordinate
/// beyond 1e9 m counts as 1e9 m.
TD_API td_real td_height_field_height(const td_height_field *field, td_real x, td_real z,
                                      td_vec3 *normal);
/// Columns, rows and cell; any may be NULL.
TD_API void td_height_field_size(const td_height_field *field, int32_t *columns, int32_t *rows,
                                 td_real *cell);

/// One collider. During a step it moves with constant velocity from the first pose to the second,
/// turning by the smaller angle. Sizes are whole, as in scene files. Start from
/// td_collider_default().
typedef struct td_collider {
    td_collider_kind kind;
    td_real radius;      ///< m, > 0: of a sphere, or of a capsule and its round ends. Default 0.5.
    td_real length;      ///< m, >= 0: of a capsule, without its round ends. Default 1.
    td_vec3 sides;       ///< m, > 0: whole sides of a box. Default 1.
    td_vec3 position0;   ///< m, at the start of the step. Default 0.
    td_quat rotation0;   ///< Unit. Default none.
    td_vec3 position;    ///< m, at the end of the step. Default 0.
    td_quat rotation;    ///< Unit. Default none.
    td_real friction;    ///< 0..10: coefficient of friction (Coulomb). Default 0.3.
    td_real restitution; ///< 0..1: speed after an impact over that before, with the method exact.
                         ///< Default 0.
    td_real rolling;     ///< 0..1: rolling resistance, a moment over radius and normal force. There
                         ///< is none without friction. Default 0.01.
    td_real static_friction; ///< 0..10: coefficient of friction while surfaces do not slip yet; at
                             ///< least `friction`. Default 0: the same.
    td_filter filter;        ///< Default: it collides with everything.
    uint64_t user_data;      ///< The caller's own; a world keeps and saves it. Default 0.
    /// Of a height field; it must outlive the collider. Default NULL.
    const td_height_field *field;
} td_collider;

/// A collider of this kind that stays at the origin.
TD_API td_collider td_collider_default(td_collider_kind kind);

/// Checks every field. *diag, if given, names the collider and the field.
TD_API td_status td_colliders_check(const td_collider *colliders, int32_t count, td_diag *diag);

/// How contact is solved.
typedef enum td_contact_method {
    TD_CONTACT_BARRIER, ///< A potential that grows without bound as a gap closes.
    TD_CONTACT_EXACT,   ///< Forces in the cone of friction, with multipliers; restitution.
} td_contact_method;

/// What an impact gives back.
typedef enum td_impact_law {
    TD_IMPACT_NEWTON,  ///< Speed after is restitution times speed before. The default.
    TD_IMPACT_POISSON, ///< Impulse while the bodies part is restitution times that of before.
} td_impact_law;

/// What a world does with actors that overlap when they are placed.
typedef enum td_overlap_rule {
    TD_OVERLAP_REFUSE, ///< TD_ERR_BLOCKED, which names both. The default.
    TD_OVERLAP_PUSH,   ///< It accepts them, and pushes them apart in the steps that follow.
} td_overlap_rule;

/// How contact works. Start from td_contact_opts_default().
typedef struct td_contact_opts {
    uint32_t struct_size;
    bool self;        ///< Segments touch each other, not only colliders. Default true.
    td_real friction; ///< 0..10: coefficient of friction (Coulomb) between segments. Default 0.3.
    td_real gap;      ///< 0.01..1: distance at which surfaces begin to repel each other, as a
                      ///< fraction of the smaller radius. Default 0.2.
    td_real creep;    ///< m/s, 1e-9..1: slip speed from which on friction has its full force. What
                      ///< sticks on a slope slides more slowly than this. Default 1e-3. The method
                      ///< exact uses it for static_friction only.
    td_contact_method method; ///< Default TD_CONTACT_BARRIER.
    td_real restitution;      ///< 0..1: speed after an impact between segments over that before,
                              ///< with the method exact. Default 0.
    td_real rolling;          ///< 0..1: rolling resistance between segments. Default 0.
    td_real static_friction; ///< 0..10: as that of a collider, between segments. Surfaces that slip
                             ///< more slowly than `creep` when a step begins stick. Default 0.
    td_impact_law law;       ///< With the method exact. Default TD_IMPACT_NEWTON.
    int32_t pairs; ///< 1..4096: room for so many pairs of near segments or colliders, for each
                   ///< segment. A step that finds more is TD_ERR_LIMIT; a world grows its room. It
                   ///< changes no result. Default 16.
} td_contact_opts;

TD_API td_contact_opts td_contact_opts_default(void);

/// Checks every field. A struct that was not filled by the default function is refused.
TD_API td_status td_contact_opts_check(const td_contact_opts *opts, td_diag *diag);

#ifdef __cplusplus
}
#endif
