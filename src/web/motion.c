// SPDX-License-Identifier: MIT
// A world as it is now: actors, poses, moments, energies, and the hand that holds it.

#include "web/web.h"

#include <math.h>
#include <stdlib.h>

#define POSE_FLOATS    7  // position, rotation x y z w
#define SEGMENT_FLOATS 16 // of web_segments()

// ---- room -----------------------------------------------------------------------------------

bool web_make_room(void) {
    int32_t actors = td_world_actor_count(web.world);
    web.segment_count = web.most = 0;
    for (int32_t k = 0; k < actors; k++) {
        td_actor a = td_world_actor(web.world, web_actor(k));
        web.segment_count += a.segment_count;
        web.most = a.segment_count > web.most ? a.segment_count : web.most;
    }
    size_t all = (size_t)web.segment_count, most = (size_t)web.most;
    web.poses = calloc(POSE_FLOATS * (all + (size_t)actors), sizeof *web.poses);
    web.moments = calloc(all, sizeof *web.moments);
    web.clusters = calloc(all, sizeof *web.clusters);
    web.modes = calloc(most, sizeof *web.modes);
    web.table = calloc(SEGMENT_FLOATS * most, sizeof *web.table);
    web.origins = calloc(most, sizeof *web.origins);
    web.rotations = calloc(most, sizeof *web.rotations);
    web.joint_moments = calloc(most, sizeof *web.joint_moments);
    return web_make_props() && web.poses && web.moments && web.clusters && web.modes && web.table &&
           web.origins && web.rotations && web.joint_moments;
}

void web_free_room(void) {
    web_free_props();
    free(web.poses);
    free(web.moments);
    free(web.clusters);
    free(web.modes);
    free(web.table);
    free(web.origins);
    free(web.rotations);
    free(web.joint_moments);
    web.poses = web.moments = web.table = NULL;
    web.origins = web.joint_moments = NULL;
    web.rotations = NULL;
    web.clusters = NULL;
    web.modes = NULL;
}

// ---- actors ---------------------------------------------------------------------------------

WEB_EXPORT(web_actor_count) int32_t web_actor_count(void) {
    return td_world_actor_count(web.world);
}

WEB_EXPORT(web_actor_name) const char *web_actor_name(int32_t actor) {
    return td_world_actor(web.world, web_actor(actor)).name;
}

WEB_EXPORT(web_actor_object) int32_t web_actor_object(int32_t actor) {
    return td_world_actor(web.world, web_actor(actor)).object;
}

WEB_EXPORT(web_actor_segments) int32_t web_actor_segments(int32_t actor) {
    return td_world_actor(web.world, web_actor(actor)).segment_count;
}

WEB_EXPORT(web_actor_dofs) int32_t web_actor_dofs(int32_t actor) {
    return td_world_actor(web.world, web_actor(actor)).dof_count;
}

// What stays the same of every segment, as numbers: parent, id, joint kind, organ; length, radius
// at the base and at the tip, mass; tip; centre of mass; size of the organ's shape, or 0; one
// spare.
WEB_EXPORT(web_segments) const float *web_segments(int32_t actor) {
    td_actor a = td_world_actor(web.world, web_actor(actor));
    const td_segment *s = td_skeleton_segments(a.skeleton);
    const td_shape *shapes = td_skeleton_shapes(a.skeleton);
    float *to = web.table;
    for (int32_t i = 0; i < a.segment_count; i++, s++, to += SEGMENT_FLOATS) {
        // polygons are drawn as they are, all other shapes at the length of their segment
        bool polygon = s->shape != TD_NONE && shapes[s->shape].kind == TD_SHAPE_POLYGON;
        td_real size = s->shape == TD_NONE ? 0 : polygon ? 1 : s->length;
        const float row[SEGMENT_FLOATS] = {(float)s->parent,
                                           (float)s->id,
                                           (float)s->joint,
                                           (float)s->organ,
                                           (float)s->length,
                                           (float)s->radius_base,
                                           (float)s->radius_tip,
                                           (float)s->mass,
                                           (float)s->tip.x,
                                           (float)s->tip.y,
                                           (float)s->tip.z,
                                           (float)s->centre_of_mass.x,
                                           (float)s->centre_of_mass.y,
                                           (float)s->centre_of_mass.z,
                                           (float)size};
        for (int k = 0; k < SEGMENT_FLOATS; k++) {
            to[k] = row[k];
        }
    }
    return web.table;
}

// ---- poses ----------------------------------------------------------------------------------

static float *put_pose(float *to, td_vec3 x, td_quat q) {
    const float row[POSE_FLOATS] = {(float)x.x, (float)x.y, (float)x.z, (float)q.x,
                                    (float)q.y, (float)q.z, (float)q.w};
    for (int k = 0; k < POSE_FLOATS; k++) {
        *to++ = row[k];
    }
    return to;
}

// Actor after actor: its base, then all its segments.
WEB_EXPORT(web_poses) const float *web_poses(void) {
    float *to = web.poses;
    for (int32_t k = 0; k < td_world_actor_count(web.world); k++) {
        td_vec3 base;
        td_quat turn;
        td_world_pose(web.world, web_actor(k), &base, &turn, web.origins, web.rotations);
        to = put_pose(to, base, turn);
        for (int32_t i = 0; i < td_world_actor(web.world, web_actor(k)).segment_count; i++) {
            to = put_pose(to, web.origins[i], web.rotations[i]);
        }
    }
    return web.poses;
}

// Joint places of an actor in full, three numbers a segment.
WEB_EXPORT(web_origins) const td_vec3 *web_origins(int32_t actor) {
    td_world_pose(web.world, web_actor(actor), NULL, NULL, web.origins, NULL);
    return web.origins;
}

// Bending moments, N m, of all segments: of the joint's moment what is across the segment.
WEB_EXPORT(web_moments) const float *web_moments(void) {
    float *to = web.moments;
    for (int32_t k = 0; k < td_world_actor_count(web.world); k++) {
        td_actor a = td_world_actor(web.world, web_actor(k));
        td_world_moments(web.world, web_actor(k), web.joint_moments);
        for (int32_t i = 0; i < a.segment_count; i++) {
            *to++ = (float)hypot(web.joint_moments[i].x, web.joint_moments[i].z);
        }
    }
    return web.moments;
}

// Of all segments: the first segment of its cluster, counted in its actor, times 4, and the mode of
// its joint, a td_reduce_mode; below 0 where nothing is left out.
WEB_EXPORT(web_clusters) const int32_t *web_clusters(void) {
    int32_t *to = web.clusters;
    for (int32_t k = 0; k < td_world_actor_count(web.world); k++) {
        const int32_t count = td_world_actor(web.world, web_actor(k)).segment_count;
        const bool known = td_world_actor_clusters(web.world, web_actor(k), web.modes, to);
        for (int32_t i = 0; i < count; i++, to++) {
            *to = known ? 4 * *to + web.modes[i] : -1;
        }
    }
    return web.clusters;
}

// Of all actors of which joints may be left out: joints, those that move by themselves, the largest
// estimate of an error, m, and the largest velocity that explicit steps leave out.
WEB_EXPORT(web_adapted) const double *web_adapted(void) {
    static double of[4];
    of[0] = of[1] = of[2] = of[3] = 0;
    for (int32_t k = 0; k < td_world_actor_count(web.world); k++) {
        td_reduce_stats reduced;
        td_adapt_stats explicit;
        if (td_world_actor_reduction(web.world, web_actor(k), &reduced)) {
            of[0] += reduced.joints + reduced.frozen + reduced.joined + reduced.quasistatic;
            of[1] += reduced.joints;
            of[2] = fmax(of[2], reduced.estimate);
        } else if (td_world_actor_adapt(web.world, web_actor(k), &explicit)) {
            of[0] += explicit.joints;
            of[1] += explicit.active;
            of[3] = fmax(of[3], explicit.velocity_left);
        }
    }
    return of;
}

// ---- figures --------------------------------------------------------------------------------

WEB_EXPORT(web_time) double web_time(void) {
    return td_world_time(web.world);
}

WEB_EXPORT(web_dt) double web_dt(void) {
    return td_world_dt(web.world);
}

WEB_EXPORT(web_iterations) double web_iterations(void) {
    return (double)td_world_stats(web.world).iterations;
}

WEB_EXPORT(web_actor_steps) double web_actor_steps(void) {
    return (double)td_world_stats(web.world).steps;
}

// Kinetic, elastic and weight of all objects, J.
WEB_EXPORT(web_energy) const double *web_energy(void) {
    static double sums[3];
    sums[0] = sums[1] = sums[2] = 0;
    for (int32_t k = 0; k < td_scene_def_get(web.scene)->object_count; k++) {
        td_energy e = td_world_object_sums(web.world, k).energy;
        sums[0] += e.kinetic;
        sums[1] += e.elastic;
        sums[2] += e.weight;
    }
    return sums;
}

// Lowest frequency about the pose as it is, Hz; not a number when it cannot be found.
WEB_EXPORT(web_frequency) double web_frequency(int32_t actor) {
    td_mode mode;
    td_status status = td_world_modes(web.world, web_actor(actor), 1, &mode, NULL);
    return status == TD_OK ? mode.frequency : __builtin_nan("");
}

// Takes `count` points at `points` and puts the velocity of the air there in their place.
WEB_EXPORT(web_wind) td_status web_wind(int32_t count, td_vec3 *points) {
    td_vec3 *air = malloc((size_t)count * sizeof *air);
    if (!air) {
        return TD_ERR_MEMORY;
    }
    td_world_wind(web.world, count, points, air);
    for (int32_t k = 0; k < count; k++) {
        points[k] = air[k];
    }
    free(air);
    return TD_OK;
}

// ---- hand -----------------------------------------------------------------------------------

WEB_EXPORT(web_grab)
void web_grab(int32_t actor, int32_t segment, double px, double py, double pz, double x, double y,
              double z, double stiffness) {
    td_world_grab(web.world, web_actor(actor), segment, (td_vec3){px, py, pz}, (td_vec3){x, y, z},
                  stiffness, NULL);
}

WEB_EXPORT(web_grab_to) void web_grab_to(double x, double y, double z) {
    td_world_grab_to(web.world, (td_vec3){x, y, z}, NULL);
}

WEB_EXPORT(web_release) void web_release(void) {
    td_world_release(web.world);
}

WEB_EXPORT(web_twist) void web_twist(int32_t actor, int32_t segment, double torque) {
    td_world_set_torque(web.world, web_actor(actor), segment, torque, NULL);
}

// ---- saving ---------------------------------------------------------------------------------

WEB_EXPORT(web_save_size) size_t web_save_size(void) {
    return td_world_save_size(web.world);
}

// Writes web_save_size() bytes.
WEB_EXPORT(web_save) void web_save(void *bytes) {
    td_world_save(web.world, bytes);
}

// The hand that held the world when it was saved is not there any more.
WEB_EXPORT(web_restore) td_status web_restore(const void *bytes, size_t size) {
    td_status status = td_world_restore(web.world, bytes, size, NULL);
    td_world_release(web.world);
    td_world_set_torque(web.world, web_actor(0), 0, 0, NULL);
    return status;
}
