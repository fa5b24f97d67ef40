// SPDX-License-Identifier: MIT
// Triangles of a world's plants, and a recorded run as a file.

#include "web/web.h"

#include <stdlib.h>

// Worlds of few segments are looked at from near: their stems get more sides than by themselves.
#define FEW_SEGMENTS 800
#define ROUND_SIDES  24
// Of triangles: what is left of a mesh that is seen from afar.
#define FAR_SHARE 12
#define FAR_LEAST 400

// ---- meshes ---------------------------------------------------------------------------------

void web_free_meshes(void) {
    for (int32_t k = 0; k < web.mesh_count; k++) {
        td_mesh_free(web.meshes[k].mesh);
        td_mesh_free(web.meshes[k].far);
    }
    free(web.meshes);
    web.meshes = NULL;
    web.mesh_count = 0;
}

static td_mesh *make_mesh(const td_skeleton *skeleton, int64_t max_triangles) {
    td_mesh_opts opts = td_mesh_opts_default();
    td_mesh *mesh = NULL;
    opts.skinned = true;
    opts.max_triangles = max_triangles;
    opts.sides = web.segment_count <= FEW_SEGMENTS ? ROUND_SIDES : 0;
    return td_mesh_new(skeleton, &opts, NULL, &mesh, NULL) == TD_OK ? mesh : NULL;
}

// The mesh of an actor, made once for all that share its skeleton; NULL when that fails.
static const td_mesh *mesh_of(int32_t actor) {
    td_actor a = td_world_actor(web.world, web_actor(actor));
    for (int32_t k = 0; k < web.mesh_count; k++) {
        if (web.meshes[k].skeleton == a.skeleton) {
            return web.meshes[k].mesh;
        }
    }
    size_t count = (size_t)web.mesh_count + 1;
    web_mesh *moved = realloc(web.meshes, count * sizeof *moved);
    if (!moved) {
        return NULL;
    }
    web.meshes = moved;
    td_mesh *mesh = make_mesh(a.skeleton, 0);
    if (mesh) {
        web.meshes[web.mesh_count++] = (web_mesh){a.skeleton, mesh, NULL};
    }
    return mesh;
}

// Number of the mesh that an actor has, the same for actors of one kind; -1 when there is none.
WEB_EXPORT(web_mesh_of) int32_t web_mesh_of(int32_t actor) {
    const td_mesh *mesh = mesh_of(actor);
    for (int32_t k = 0; k < web.mesh_count && mesh; k++) {
        if (web.meshes[k].mesh == mesh) {
            return k;
        }
    }
    return TD_NONE;
}

// The mesh with a number; those below 0 are seen from afar.
static const td_mesh *numbered(int32_t mesh) {
    return mesh < 0 ? web.meshes[-1 - mesh].far : web.meshes[mesh].mesh;
}

WEB_EXPORT(web_part_count) int32_t web_part_count(int32_t mesh) {
    return td_mesh_part_count(numbered(mesh));
}

// Number of the mesh that stands for one seen from afar; itself when there is no memory.
WEB_EXPORT(web_far) int32_t web_far(int32_t mesh) {
    web_mesh *m = &web.meshes[mesh];
    int64_t triangles = 0;
    for (int32_t i = 0; i < td_mesh_part_count(m->mesh); i++) {
        triangles += td_mesh_part_get(m->mesh, i).index_count / 3;
    }
    if (!m->far) {
        int64_t share = triangles / FAR_SHARE;
        m->far = make_mesh(m->skeleton, share > FAR_LEAST ? share : FAR_LEAST);
    }
    return m->far ? -1 - mesh : mesh;
}

// Of one part: name, both sides seen, vertices, indices, then the addresses of positions, normals,
// colours, joints, weights and indices.
WEB_EXPORT(web_part) const uintptr_t *web_part(int32_t mesh, int32_t part) {
    td_mesh_part p = td_mesh_part_get(numbered(mesh), part);
    return web_part_row(&p);
}

const uintptr_t *web_part_row(const td_mesh_part *part) {
    static uintptr_t row[10];
    row[0] = (uintptr_t)part->name;
    row[1] = part->double_sided;
    row[2] = (uintptr_t)part->vertex_count;
    row[3] = (uintptr_t)part->index_count;
    row[4] = (uintptr_t)part->position;
    row[5] = (uintptr_t)part->normal;
    row[6] = (uintptr_t)part->color;
    row[7] = (uintptr_t)part->joint;
    row[8] = (uintptr_t)part->weight;
    row[9] = (uintptr_t)part->index;
    return row;
}

// The pose that a mesh was made in, in the axes of its base, as web_poses() has one actor's
// segments.
WEB_EXPORT(web_bind) const float *web_bind(int32_t actor) {
    td_actor a = td_world_actor(web.world, web_actor(actor));
    float *to = web.table;
    td_skeleton_pose(a.skeleton, TD_POSE_INITIAL, web.origins, web.rotations);
    for (int32_t i = 0; i < a.segment_count; i++, to += 7) {
        to[0] = (float)web.origins[i].x;
        to[1] = (float)web.origins[i].y;
        to[2] = (float)web.origins[i].z;
        to[3] = (float)web.rotations[i].x;
        to[4] = (float)web.rotations[i].y;
        to[5] = (float)web.rotations[i].z;
        to[6] = (float)web.rotations[i].w;
    }
    return web.table;
}

// ---- recording ------------------------------------------------------------------------------

static td_clip_actor clip_actor(int32_t actor) {
    td_actor a = td_world_actor(web.world, web_actor(actor));
    return (td_clip_actor){
        .name = a.name, .skeleton = a.skeleton, .mesh = mesh_of(actor), .stretchy = a.stretchy};
}

// The clip of this world without its frames; `list` has room for all actors.
static td_clip_def clip_def(td_clip_actor *list) {
    td_clip_def def = td_clip_def_default();
    for (int32_t k = 0; k < td_world_actor_count(web.world); k++) {
        list[k] = clip_actor(k);
    }
    def.actors = list;
    def.actor_count = td_world_actor_count(web.world);
    def.colliders = web.colliders;
    def.collider_count = td_world_collider_count(web.world);
    def.arrow_count = td_scene_def_get(web.scene)->record.contacts ? TD_CLIP_ARROWS : 0;
    return def;
}

static td_clip_actor *actor_list(void) {
    return calloc((size_t)td_world_actor_count(web.world), sizeof(td_clip_actor));
}

// Floats of a frame; 0: no memory.
WEB_EXPORT(web_frame_size) int32_t web_frame_size(void) {
    td_clip_actor *list = actor_list();
    int64_t size = 0;
    if (list) {
        td_clip_def def = clip_def(list);
        size = td_clip_frame_size(&def);
    }
    free(list);
    return size < INT32_MAX ? (int32_t)size : INT32_MAX;
}

// Writes the frame of now to `out`.
WEB_EXPORT(web_frame) void web_frame(float *out) {
    for (int32_t k = 0; k < td_world_actor_count(web.world); k++) {
        td_vec3 base;
        td_quat turn;
        td_clip_actor a = clip_actor(k);
        td_world_pose(web.world, web_actor(k), &base, &turn, web.origins, web.rotations);
        td_clip_pack(&a, base, turn, web.origins, web.rotations, out);
        out += td_clip_actor_size(&a);
    }
    for (int32_t k = 0; k < td_world_collider_count(web.world); k++, out += TD_CLIP_COLLIDER) {
        td_collider collider = td_world_collider(web.world, web_collider(k));
        td_clip_pack_collider(&collider, out);
    }
    if (td_scene_def_get(web.scene)->record.contacts) {
        web_arrows(out);
    }
}

// The frames as animated binary glTF, to standard output, which the page collects.
WEB_EXPORT(web_glb) td_status web_glb(const float *frames, int32_t count, double fps) {
    td_clip_actor *list = actor_list();
    if (!list) {
        return TD_ERR_MEMORY;
    }
    td_clip_def def = clip_def(list);
    def.fps = fps;
    def.frame_count = count;
    def.frames = frames;
    td_status status = td_clip_glb(&def, "-", NULL, NULL);
    free(list);
    return status;
}
