// SPDX-License-Identifier: MIT
// A skinned mesh that follows an actor: what a renderer keeps of each plant. Here the processor
// moves the vertices; a vertex shader would take the palette and do what skin_vertex() does.
#pragma once

#include <stdlib.h>
#include <tendril/tendril.h>

typedef struct skin {
    td_mesh *mesh;
    int32_t count;                // segments, which are the bones
    td_vec3 *drawn, *origins;     // joints in the pose of the mesh, and now
    td_quat *drawn_turns, *turns; // rotations likewise
    float *palette;               // 16 a bone: takes a vertex from the one pose to the other
} skin;

static inline void skin_free(skin *s) {
    td_mesh_free(s->mesh);
    free(s->drawn);
    free(s->drawn_turns);
    free(s->palette);
    *s = (skin){.count = 0};
}

static inline bool skin_make(skin *s, const td_skeleton *skeleton) {
    const size_t count = (size_t)td_skeleton_count(skeleton);
    td_mesh_opts opts = td_mesh_opts_default();
    opts.skinned = true;
    skin_free(s);
    s->count = (int32_t)count;
    s->drawn = calloc(2 * count, sizeof *s->drawn);
    s->drawn_turns = calloc(2 * count, sizeof *s->drawn_turns);
    s->palette = calloc(16 * count, sizeof *s->palette);
    if (!s->drawn || !s->drawn_turns || !s->palette ||
        td_mesh_new(skeleton, &opts, NULL, &s->mesh, NULL) != TD_OK) {
        skin_free(s);
        return false;
    }
    s->origins = s->drawn + count;
    s->turns = s->drawn_turns + count;
    td_skeleton_pose(skeleton, td_mesh_pose(s->mesh), s->drawn, s->drawn_turns);
    return true;
}

// Every frame.
static inline void skin_follow(skin *s, const td_world *world, int32_t actor) {
    td_world_pose(world, td_world_actor_id(world, actor), NULL, NULL, s->origins, s->turns);
    td_bones(s->count, s->drawn, s->drawn_turns, s->origins, s->turns, s->palette);
}

// A vertex is moved by up to four bones: the sum of what each does, by its weight.
static inline void skin_vertex(const skin *s, const td_mesh_part *p, uint32_t k, float at[3],
                               float normal[3]) {
    const float *x = p->position + 3 * k, *n = p->normal + 3 * k;
    for (int r = 0; r < 3; r++) {
        at[r] = normal[r] = 0;
        for (uint32_t j = 0; j < 4; j++) {
            const float w = (float)p->weight[4 * k + j] / 255;
            const float *m = s->palette + 16 * p->joint[4 * k + j] + r;
            at[r] += w * (m[0] * x[0] + m[4] * x[1] + m[8] * x[2] + m[12]);
            normal[r] += w * (m[0] * n[0] + m[4] * n[1] + m[8] * n[2]);
        }
    }
}
