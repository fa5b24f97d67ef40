// SPDX-License-Identifier: MIT
#pragma once

// The core as a module for pages: one world at a time, and functions that take and give numbers and
// addresses only. What a scene means is the library's; here is nothing but passing on.
//
// Texts come in as address and size in a block of web_take(). What is given back as an address
// belongs to the module and is good until the next call that is not a plain question.

#include "tendril/tendril.h"

#define WEB_EXPORT(name) __attribute__((export_name(#name)))

#define WEB_MAX_DIAGS    50
#define WEB_MAX_FILES    400
#define WEB_MAX_SEGMENTS 200000  // of a world: more cannot be drawn either
#define WEB_MAX_MODULES  3000000 // of a string: above this a page would stand still for long

typedef struct web_file {
    char *name, *text;
    size_t size;
} web_file;

// A mesh, and who it is of.
typedef struct web_mesh {
    const td_skeleton *skeleton;
    td_mesh *mesh;
    td_mesh *far; // with fewer triangles, or NULL
} web_mesh;

typedef struct web_session {
    web_file files[WEB_MAX_FILES];
    int32_t file_count;
    td_value_builder *builder;
    td_scene *scene;
    td_world *world;
    td_diag diags[WEB_MAX_DIAGS];
    td_diag_list list;
    web_mesh *meshes; // one a skeleton
    int32_t mesh_count;
    int32_t segment_count; // of all actors
    int32_t most;          // segments of the largest actor
    // colliders as they look, and contact forces as arrows
    td_clip_scale scale;
    td_clip_collider *colliders;
    td_contact *contacts;
    int32_t contact_capacity;
    // room for what is asked for
    float *poses, *moments, *table, *props;
    td_vec3 *origins, *joint_moments;
    td_quat *rotations;
    int32_t *clusters;
    uint8_t *modes;
} web_session;

extern web_session web;

// motion.c: room for the answers about a new world; false when there is none.
bool web_make_room(void);
// Frees all that belongs to a world.
void web_free_room(void);
// mesh.c
void web_free_meshes(void);
// props.c: the same of colliders and arrows, and the arrows of now.
bool web_make_props(void);
void web_free_props(void);
void web_arrows(float *out);
// mesh.c: a row of web_part().
const uintptr_t *web_part_row(const td_mesh_part *part);

// What the page names by an index.
static inline td_actor_id web_actor(int32_t k) {
    return td_world_actor_id(web.world, k);
}

static inline td_collider_id web_collider(int32_t k) {
    return td_world_collider_id(web.world, k);
}
