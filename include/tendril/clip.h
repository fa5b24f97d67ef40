// SPDX-License-Identifier: MIT
#pragma once

/// @file clip.h
/// A recorded run: actors, each with a skeleton and a mesh, colliders, contact forces, and what
/// they do in every frame. From a clip come an animated binary glTF file and a page that plays.
///
/// A frame is a row of floats: actor after actor, each of td_clip_actor_size() floats, which are
///   base position (3) and base rotation (4: x y z w, as in glTF), in the world;
///   the rotation of each segment to its parent, or to the base (4 each);
///   the joint's place in the axes of the parent, or of the base (3 each), of the segments that
///   td_clip_moves() tells; that of all others stays at their `attach`;
/// then TD_CLIP_COLLIDER floats a collider: its position (3) and rotation (4);
/// then TD_CLIP_ARROW floats an arrow: where it begins (3), the rotation that takes +Y to where it
/// points (4), and its length, three times, as the scale of a node; 0: it is not there.

#include "tendril/io.h"
#include "tendril/mesh.h"
#include "tendril/skeleton.h"
#include "tendril/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One plant, strand or rope of a clip. All is borrowed.
typedef struct td_clip_actor {
    const char *name; ///< NULL and "" stand for "plant".
    const td_skeleton *skeleton;
    /// A skinned mesh of that skeleton, or NULL: joints only. Actors that give the same mesh share
    /// it in the file as well.
    const td_mesh *mesh;
    bool stretchy; ///< Every segment has a place in the frames, not only slides and free ones.
} td_clip_actor;

#define TD_CLIP_COLLIDER 7   ///< Floats of a collider in a frame.
#define TD_CLIP_ARROW    10  ///< Floats of an arrow.
#define TD_CLIP_ARROWS   256 ///< Arrows that a run records: those of the largest forces.

/// The look of a collider. See td_clip_collider_of().
typedef struct td_clip_collider {
    td_collider_kind kind;
    td_real radius; ///< As those of td_collider.
    td_real length;
    td_vec3 sides;
    td_vec3 centre;               ///< m, in its own axes: of the disc that represents a plane.
    td_real reach;                ///< m: radius of that disc. Its edge fades out.
    const td_height_field *field; ///< Of a height field; borrowed.
} td_clip_collider;

/// A clip. Start from td_clip_def_default(). The frames are either in memory or in a file.
typedef struct td_clip_def {
    uint32_t struct_size;
    td_real fps;         ///< Frames a second, > 0. Default 30.
    int32_t frame_count; ///< >= 1.
    const td_clip_actor *actors;
    int32_t actor_count; ///< >= 1.
    const td_clip_collider *colliders;
    int32_t collider_count;
    int32_t arrow_count;     ///< Of every frame. Default 0.
    bool hide_arrows;        ///< Frames have them, the file has not. Default false.
    const float *frames;     ///< frame_count rows of td_clip_frame_size() floats; or NULL, and
    const char *frames_path; ///< a file with these rows and nothing else, as the machine writes.
} td_clip_def;

TD_API td_clip_def td_clip_def_default(void);

/// Whether frames hold the place of this segment.
TD_API bool td_clip_moves(const td_clip_actor *actor, int32_t segment);
/// Floats that an actor takes in a frame.
TD_API int64_t td_clip_actor_size(const td_clip_actor *actor);
/// Floats of a whole frame: of actors, colliders and arrows.
TD_API int64_t td_clip_frame_size(const td_clip_def *def);

/// Writes the floats of an actor: from its base and the world position of every joint and world
/// rotation of every segment. Rotations are stored with w >= 0.
TD_API void td_clip_pack(const td_clip_actor *actor, td_vec3 base, td_quat base_rotation,
                         const td_vec3 *origins, const td_quat *rotations, float *out);
/// The way back, parent first, in double precision. Any but `origins` and `rotations` may be NULL.
TD_API void td_clip_unpack(const td_clip_actor *actor, const float *frame, td_vec3 *base,
                           td_quat *base_rotation, td_vec3 *origins, td_quat *rotations);

/// A frame within a step: `from` is that of its beginning, `to` of its end, `part` 0..1 says how
/// far it is on the way. Positions are linear in time and rotations turn at a constant rate, each
/// in the axes of its parent, so that segments keep their lengths; the error is of second order in
/// the step. Arrows are those of `to`. `out` may be either of them.
TD_API void td_clip_blend(const td_clip_def *def, const float *from, const float *to, td_real part,
                          float *out);

/// What sets the sizes of planes and arrows: a world as it stands.
typedef struct td_clip_scale {
    td_real side;     ///< m: longest side of the box around all segments.
    td_vec3 centre;   ///< m: of the box around these and all colliders but planes.
    td_real diagonal; ///< m: of that box.
    td_real weight;   ///< N: of the heaviest actor, under gravity as it is; 9.81 m/s^2 without.
} td_clip_scale;

TD_API td_clip_scale td_clip_scale_of(const td_world *world);
/// How a collider is drawn. A plane is a disc about the foot of the scene's centre on it, with the
/// diagonal of the scene's box as radius.
TD_API td_clip_collider td_clip_collider_of(const td_collider *collider,
                                            const td_clip_scale *scale);
/// Writes the floats of a collider: its pose at the end of the step.
TD_API void td_clip_pack_collider(const td_collider *collider, float *out);
/// Writes the floats of `arrow_count` arrows: of the largest forces, and of equal ones the first.
/// An arrow starts at the contact and points along the force on the first side. With r the root of
/// force over scale->weight, it is r/(r + 4) times scale->side long: a fifth of that for a force
/// like the weight, as the root of the force below, and never longer than the side.
TD_API void td_clip_pack_arrows(const td_contact *contacts, int32_t count,
                                const td_clip_scale *scale, int32_t arrow_count, float *out);
/// Triangles of a collider in its own axes, and of an arrow of length 1 along +Y. The arrays of
/// *part lie in *room, which is to be freed with td_bytes_free().
TD_API td_status td_clip_collider_part(const td_clip_collider *collider, const td_alloc *alloc,
                                       td_bytes *room, td_mesh_part *part);
TD_API td_status td_clip_arrow_part(const td_alloc *alloc, td_bytes *room, td_mesh_part *part);

/// Writes a clip as binary glTF 2.0: for each actor a node NAME with the mesh, a node NAME-base,
/// and below it a joint NAME-ID for each segment, by its id; a node collider-N-KIND for each
/// collider; and as many nodes contact-N as there are arrows in any frame, from 0 on. What never
/// changes has no channel. A node `camera` has a perspective camera that sees the whole motion; the
/// scene's extras tell `fps` and the number of `frames`.
/// Memory does not grow with the number of frames. More than 65535 segments of an actor with a
/// mesh, or more than 4 GiB in all: TD_ERR_LIMIT. Frames that are not finite: TD_ERR_DIVERGED.
TD_API td_status td_clip_glb(const td_clip_def *def, const char *path, const td_alloc *alloc,
                             td_diag *diag);

/// What a page shows beside the clip. Start from td_page_def_default(). All is borrowed.
typedef struct td_page_def {
    uint32_t struct_size;
    const char *title;          ///< NULL: the name of the first actor.
    const char *text;           ///< One line below the title; NULL: none.
    const char *player;         ///< Bytes of the player, which `make player` builds.
    size_t player_size;         ///< Not 0.
    const char *probes;         ///< Text of probes.csv, or NULL.
    size_t probes_size;         ///< Bytes.
    const char *energy;         ///< Text of energy.csv, or NULL.
    size_t energy_size;         ///< Bytes.
    int64_t max_animation_size; ///< Bytes of motion; frames are left out above. Default 16 MiB.
} td_page_def;

TD_API td_page_def td_page_def_default(void);

/// Writes a page that plays the clip by itself, from a disk and without a network.
TD_API td_status td_clip_page(const td_clip_def *def, const td_page_def *page, const char *path,
                              const td_alloc *alloc, td_diag *diag);

#ifdef __cplusplus
}
#endif
