// SPDX-License-Identifier: MIT
// Which channels, meshes and nodes a clip has as glTF, and where each lies in the file.

#include "io/clip_file.h"

#include "base/diag.h"

#include <stddef.h>
#include <string.h>

// ---- plan -----------------------------------------------------------------------------------

static int32_t count_of(const tdi_clip_file *file, int32_t actor) {
    return td_skeleton_count(file->def->actors[actor].skeleton);
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

int32_t tdi_clip_file_material(tdi_clip_file *file, const td_mesh_part *part) {
    for (int32_t i = 0; i < file->material.count; i++) {
        if (strcmp(file->material.name[i], part->name) == 0 &&
            same_text(file->material.texture[i], part->texture)) {
            return i;
        }
    }
    if (file->material.count < TDI_MAX_MATERIALS) {
        file->material.name[file->material.count] = part->name;
        file->material.texture[file->material.count] = part->texture;
        file->material.double_sided[file->material.count++] = part->double_sided;
    }
    return file->material.count - 1;
}

static int32_t find_mesh(const tdi_clip_file *file, const td_clip_actor *actor) {
    for (int32_t i = 0; i < file->mesh_count; i++) {
        const td_clip_actor *owner = file->meshes[i].actor;
        if (owner->mesh == actor->mesh && owner->skeleton == actor->skeleton) {
            return i;
        }
    }
    return TD_NONE;
}

static int32_t find_solid(const tdi_clip_file *file, const td_clip_collider *like) {
    const size_t figures = sizeof *like - offsetof(td_clip_collider, radius); // all but the kind
    for (int32_t i = 0; i < file->solid_count; i++) {
        const td_clip_collider *c = file->solids[i].collider;
        if (c->kind == like->kind && memcmp(&c->radius, &like->radius, figures) == 0) {
            return i;
        }
    }
    return TD_NONE;
}

// The triangles of all colliders and of arrows.
static td_status make_solids(tdi_clip_file *file, const td_alloc *alloc) {
    td_status status = TD_OK;
    for (int32_t i = 0; i < file->def->collider_count && status == TD_OK; i++) {
        const td_clip_collider *collider = &file->def->colliders[i];
        file->solid_of[i] = find_solid(file, collider);
        if (file->solid_of[i] == TD_NONE) {
            tdi_clip_solid *solid = &file->solids[file->solid_count];
            solid->collider = collider;
            file->solid_of[i] = file->solid_count++;
            status = td_clip_collider_part(collider, alloc, &solid->room, &solid->part);
        }
    }
    if (file->arrow_count > 0 && status == TD_OK) {
        tdi_clip_solid *solid = &file->solids[file->solid_count++];
        status = td_clip_arrow_part(alloc, &solid->room, &solid->part);
    }
    return status;
}

static void plan_meshes(tdi_clip_file *file) {
    int64_t view = 0;
    for (int32_t a = 0; a < file->def->actor_count; a++) {
        const td_clip_actor *actor = &file->def->actors[a];
        file->mesh_of[a] = TD_NONE;
        if (!actor->mesh || td_mesh_part_count(actor->mesh) == 0) {
            continue;
        }
        file->mesh_of[a] = find_mesh(file, actor);
        if (file->mesh_of[a] != TD_NONE) {
            continue;
        }
        tdi_clip_mesh *mesh = &file->meshes[file->mesh_count];
        *mesh = (tdi_clip_mesh){.actor = actor, .part_count = td_mesh_part_count(actor->mesh)};
        if (file->compact) {
            mesh->cube = tdi_gltf_cube_around(actor->mesh);
        }
        for (int32_t i = 0; i < mesh->part_count; i++) {
            mesh->parts[i] = td_mesh_part_get(actor->mesh, i);
            mesh->layouts[i] =
                tdi_gltf_lay_out(&mesh->parts[i], true, file->compact ? &mesh->cube : NULL,
                                 &file->binary_size, &view);
            tdi_clip_file_material(file, &mesh->parts[i]);
            tdi_gltf_pictures_use(&file->pictures, &mesh->parts[i]);
        }
        mesh->end = file->binary_size;
        file->mesh_of[a] = file->mesh_count++;
    }
    for (int32_t i = 0; i < file->solid_count; i++) {
        tdi_clip_solid *solid = &file->solids[i];
        solid->layout = tdi_gltf_lay_out(&solid->part, false, NULL, &file->binary_size, &view);
        solid->end = file->binary_size;
        tdi_clip_file_material(file, &solid->part);
    }
    for (int32_t i = 0; i < file->mesh_count; i++) {
        file->meshes[i].bind_offset = file->binary_size;
        file->meshes[i].bind_accessor = view++;
        file->binary_size += 64 * (uint64_t)td_skeleton_count(file->meshes[i].actor->skeleton);
    }
    file->time_view = view;
}

static void plan_nodes(tdi_clip_file *file) {
    int64_t node = 0, skin = 0;
    for (int32_t a = 0; a < file->def->actor_count; a++) {
        bool skinned = file->mesh_of[a] != TD_NONE;
        file->base_of[a] = node;
        file->skin_of[a] = skin;
        node += 1 + (int64_t)count_of(file, a) + (skinned ? 1 : 0);
        skin += skinned ? 1 : 0;
    }
    file->first_prop = node;
}

uint64_t tdi_clip_file_bytes(const tdi_clip_file *file, const tdi_channel *track) {
    return track->motion == TDI_TURN && file->compact ? 8 : 4 * (uint64_t)track->width;
}

// single precision, as all that a file says of time
float tdi_clip_file_time(const tdi_clip_file *file, int32_t frame) {
    return (float)((td_real)frame * file->frames.stride / file->def->fps);
}

static void plan_motion(tdi_clip_file *file, int64_t max_size) {
    uint64_t row = 0;
    for (int64_t i = 0; i < file->track_count; i++) {
        row += tdi_clip_file_bytes(file, &file->tracks[i]);
    }
    uint64_t whole = row * (uint64_t)file->frames.count;
    if (max_size > 0 && whole > (uint64_t)max_size) {
        uint64_t stride = (whole + (uint64_t)max_size - 1) / (uint64_t)max_size;
        uint64_t most = (uint64_t)file->frames.count;
        tdi_frames_set_stride(&file->frames, (int32_t)(stride < most ? stride : most));
    }
    if (file->track_count > 0) {
        file->time_offset = file->binary_size;
        file->motion_offset = file->time_offset + 4 * (uint64_t)file->frames.count;
        file->motion_size = row * (uint64_t)file->frames.count;
        file->binary_size = tdi_gltf_padded(file->motion_offset + file->motion_size);
    }
    int64_t views = file->time_view + (file->track_count > 0 ? 2 : 0);
    tdi_gltf_pictures_place(&file->pictures, views, &file->binary_size);
}

static bool take_memory(tdi_clip_file *file, int64_t *channels) {
    int64_t actors = file->def->actor_count, colliders = file->def->collider_count, most = 0;
    *channels = 2 * colliders + 3 * (int64_t)file->def->arrow_count;
    for (int32_t a = 0; a < file->def->actor_count; a++) {
        int64_t count = count_of(file, a);
        *channels += 2 + 2 * count;
        most = count > most ? count : most;
    }
    tdi_arena *arena = &file->arena;
    file->first = tdi_arena_zeroed(arena, (size_t)file->frames.size, sizeof *file->first);
    file->live = tdi_arena_zeroed(arena, (size_t)*channels, sizeof *file->live);
    file->meshes = tdi_arena_zeroed(arena, (size_t)actors, sizeof *file->meshes);
    file->mesh_of = tdi_arena_zeroed(arena, (size_t)actors, sizeof *file->mesh_of);
    file->solids = tdi_arena_zeroed(arena, (size_t)colliders + 1, sizeof *file->solids);
    file->solid_of = tdi_arena_zeroed(arena, (size_t)colliders + 1, sizeof *file->solid_of);
    file->base_of = tdi_arena_zeroed(arena, (size_t)actors, sizeof *file->base_of);
    file->skin_of = tdi_arena_zeroed(arena, (size_t)actors, sizeof *file->skin_of);
    file->first_child = tdi_arena_zeroed(arena, (size_t)most + 1, sizeof *file->first_child);
    file->next_sister = tdi_arena_zeroed(arena, (size_t)most + 1, sizeof *file->next_sister);
    return file->first && file->live && file->meshes && file->mesh_of && file->solids &&
           file->solid_of && file->base_of && file->skin_of && file->first_child &&
           file->next_sister;
}

// Arrows that are not shown have no tracks; of those that are, the ones up to the last that is
// seen.
static void choose_arrows(tdi_clip_file *file) {
    tdi_channel channel;
    tdi_channels all = {.def = file->def};
    for (int64_t c = 0; tdi_channels_next(&all, &channel); c++) {
        if (!tdi_channel_is_arrow(file->def, &channel)) {
            continue;
        }
        file->live[c] = file->live[c] && !file->def->hide_arrows;
        bool seen = file->live[c] || file->first[channel.offset] > 0;
        if (channel.motion == TDI_SCALE && seen && !file->def->hide_arrows) {
            file->arrow_count = channel.segment - file->def->collider_count + 1;
        }
    }
}

static bool keep_tracks(tdi_clip_file *file) {
    tdi_channel channel;
    tdi_channels all = {.def = file->def};
    for (int64_t c = 0; tdi_channels_next(&all, &channel); c++) {
        file->track_count += file->live[c] ? 1 : 0;
    }
    file->tracks =
        tdi_arena_zeroed(&file->arena, (size_t)file->track_count + 1, sizeof *file->tracks);
    if (!file->tracks) {
        return false;
    }
    all = (tdi_channels){.def = file->def};
    int64_t kept = 0;
    for (int64_t c = 0; tdi_channels_next(&all, &channel); c++) {
        if (file->live[c]) {
            file->tracks[kept++] = channel;
        }
    }
    return true;
}

static td_status plan(tdi_clip_file *file, const td_alloc *alloc, int64_t max_size, td_diag *diag) {
    int64_t channels;
    if (!take_memory(file, &channels)) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the clip");
    }
    TDI_TRY(tdi_frames_scan(&file->frames, alloc, file->first, file->live, diag));
    choose_arrows(file);
    if (!keep_tracks(file) || make_solids(file, alloc) != TD_OK) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the clip");
    }
    plan_meshes(file);
    plan_nodes(file);
    plan_motion(file, max_size);
    return file->compact ? tdi_clip_file_shorten(file, diag)
                         : tdi_clip_file_camera(file, &file->camera, diag);
}

td_status tdi_clip_file_plan(tdi_clip_file *file, const td_clip_def *def, bool compact,
                             int64_t max_animation_size, const td_alloc *alloc, td_diag *diag) {
    *file = (tdi_clip_file){.def = def, .arena = {.alloc = alloc}, .compact = compact};
    td_status status = tdi_frames_open(&file->frames, def, diag);
    return status == TD_OK ? plan(file, alloc, max_animation_size, diag) : status;
}

void tdi_clip_file_free(tdi_clip_file *file) {
    tdi_frames_close(&file->frames);
    for (int32_t i = 0; i < file->solid_count; i++) {
        td_bytes_free(&file->solids[i].room);
    }
    tdi_arena_free(&file->arena);
}
