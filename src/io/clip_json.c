// SPDX-License-Identifier: MIT
// The JSON chunk of a clip.

#include "io/clip_file.h"

#include <stdio.h>

static int32_t count_of(const tdi_clip_file *file, int32_t actor) {
    return td_skeleton_count(file->def->actors[actor].skeleton);
}

// ---- nodes ----------------------------------------------------------------------------------

static void write_name(tdi_json *json, const td_clip_actor *actor, const char *suffix) {
    char name[160];
    snprintf(name, sizeof name, "%s%s", tdi_actor_name(actor), suffix);
    tdi_json_key_string(json, "name", name);
}

static void write_floats(tdi_json *json, const char *key, const float *values, int32_t count) {
    td_real reals[4];
    for (int32_t k = 0; k < count; k++) {
        reals[k] = values[k];
    }
    tdi_json_key_reals(json, key, reals, count);
}

static void write_children(tdi_json *json, const tdi_clip_file *file, int32_t first,
                           int64_t joints) {
    if (first == TD_NONE) {
        return;
    }
    tdi_json_key_open(json, "children", "[");
    for (int32_t i = first; i != TD_NONE; i = file->next_sister[i]) {
        tdi_json_integer(json, joints + i);
    }
    tdi_json_close(json, "]");
}

// children of each segment in rising order, those of the ground in *roots
static void link_children(tdi_clip_file *file, const td_segment *segments, int32_t count,
                          int32_t *roots) {
    *roots = TD_NONE;
    for (int32_t i = 0; i < count; i++) {
        file->first_child[i] = TD_NONE;
    }
    for (int32_t i = count - 1; i >= 0; i--) {
        int32_t *head =
            segments[i].parent == TD_NONE ? roots : &file->first_child[segments[i].parent];
        file->next_sister[i] = *head;
        *head = i;
    }
}

static void write_actor_nodes(tdi_json *json, tdi_clip_file *file, int32_t a, const float *frame) {
    const td_clip_actor *actor = &file->def->actors[a];
    const td_segment *segments = td_skeleton_segments(actor->skeleton);
    int32_t count = td_skeleton_count(actor->skeleton), roots;
    int64_t joints = file->base_of[a] + 1;
    const float *turn = frame + TDI_BASE_SIZE, *place = turn + 4 * (size_t)count;
    link_children(file, segments, count, &roots);
    tdi_json_open(json, "{");
    write_name(json, actor, "-base");
    write_floats(json, "translation", frame, 3);
    write_floats(json, "rotation", frame + 3, 4);
    write_children(json, file, roots, joints);
    tdi_json_close(json, "}");
    for (int32_t i = 0; i < count; i++, turn += 4) {
        char suffix[16];
        td_vec3 at = segments[i].attach;
        float fixed[3] = {(float)at.x, (float)at.y, (float)at.z};
        bool moves = td_clip_moves(actor, i);
        snprintf(suffix, sizeof suffix, "-%d", (int)segments[i].id);
        tdi_json_open(json, "{");
        write_name(json, actor, suffix);
        write_floats(json, "translation", moves ? place : fixed, 3);
        write_floats(json, "rotation", turn, 4);
        write_children(json, file, file->first_child[i], joints);
        tdi_json_close(json, "}");
        place += moves ? 3 : 0;
    }
    if (file->mesh_of[a] != TD_NONE) {
        tdi_json_open(json, "{");
        write_name(json, actor, "");
        tdi_json_key_integer(json, "mesh", file->mesh_of[a]);
        tdi_json_key_integer(json, "skin", file->skin_of[a]);
        tdi_json_close(json, "}");
    }
}

static void write_prop(tdi_json *json, const char *name, int64_t mesh, const float *pose,
                       bool scaled) {
    tdi_json_open(json, "{");
    tdi_json_key_string(json, "name", name);
    tdi_json_key_integer(json, "mesh", mesh);
    write_floats(json, "translation", pose, 3);
    write_floats(json, "rotation", pose + 3, 4);
    if (scaled) {
        write_floats(json, "scale", pose + 7, 3);
    }
    tdi_json_close(json, "}");
}

static void write_props(tdi_json *json, const tdi_clip_file *file, const float *frame) {
    static const char *const kinds[] = {"plane", "sphere", "capsule", "box", "heightfield"};
    char name[48];
    for (int32_t i = 0; i < file->def->collider_count; i++, frame += TD_CLIP_COLLIDER) {
        snprintf(name, sizeof name, "collider-%d-%s", (int)i, kinds[file->def->colliders[i].kind]);
        write_prop(json, name, file->mesh_count + file->solid_of[i], frame, false);
    }
    for (int32_t i = 0; i < file->arrow_count; i++, frame += TD_CLIP_ARROW) {
        snprintf(name, sizeof name, "contact-%d", (int)i);
        write_prop(json, name, file->mesh_count + file->solid_count - 1, frame, true);
    }
}

// The last of the nodes.
static int64_t camera_node(const tdi_clip_file *file) {
    return file->first_prop + file->def->collider_count + file->arrow_count;
}

static void write_camera_node(tdi_json *json, const tdi_clip_camera *camera) {
    const td_vec3 p = camera->position;
    const td_quat q = camera->rotation;
    const float pose[7] = {(float)p.x, (float)p.y, (float)p.z, (float)q.x,
                           (float)q.y, (float)q.z, (float)q.w};
    tdi_json_open(json, "{");
    tdi_json_key_string(json, "name", "camera");
    tdi_json_key_integer(json, "camera", 0);
    write_floats(json, "translation", pose, 3);
    write_floats(json, "rotation", pose + 3, 4);
    tdi_json_close(json, "}");
}

static void write_camera(tdi_json *json, const tdi_clip_camera *camera) {
    tdi_json_key_open(json, "cameras", "[{");
    tdi_json_key_string(json, "name", "camera");
    tdi_json_key_string(json, "type", "perspective");
    tdi_json_key_open(json, "perspective", "{");
    tdi_json_key_real(json, "yfov", camera->yfov);
    tdi_json_key_real(json, "aspectRatio", camera->aspect);
    tdi_json_key_real(json, "znear", camera->near);
    tdi_json_key_real(json, "zfar", camera->far);
    tdi_json_close(json, "}}]");
}

// glTF counts time in seconds; programs that count frames find here which and how many.
static void write_rate(tdi_json *json, const tdi_clip_file *file) {
    tdi_json_key_open(json, "extras", "{");
    tdi_json_key_real(json, "fps", file->def->fps);
    tdi_json_key_integer(json, "frames", file->def->frame_count);
    tdi_json_close(json, "}");
}

static void write_extension(tdi_json *json, const char *key) {
    tdi_json_key_open(json, key, "[");
    tdi_json_string(json, "KHR_mesh_quantization");
    tdi_json_close(json, "]");
}

static void write_scene(tdi_json *json, tdi_clip_file *file) {
    tdi_gltf_write_asset(json);
    if (file->compact && file->mesh_count > 0) {
        write_extension(json, "extensionsUsed");
        write_extension(json, "extensionsRequired");
    }
    tdi_json_key_integer(json, "scene", 0);
    tdi_json_key_open(json, "scenes", "[{");
    tdi_json_key_open(json, "nodes", "[");
    for (int32_t a = 0; a < file->def->actor_count; a++) {
        tdi_json_integer(json, file->base_of[a]);
        if (file->mesh_of[a] != TD_NONE) {
            tdi_json_integer(json, file->base_of[a] + 1 + count_of(file, a));
        }
    }
    for (int64_t i = 0; i < (int64_t)file->def->collider_count + file->arrow_count; i++) {
        tdi_json_integer(json, file->first_prop + i);
    }
    if (!file->compact) {
        tdi_json_integer(json, camera_node(file));
    }
    tdi_json_close(json, "]");
    write_rate(json, file);
    tdi_json_close(json, "}]");
    tdi_json_key_open(json, "nodes", "[");
    const float *frame = file->first;
    for (int32_t a = 0; a < file->def->actor_count; a++) {
        write_actor_nodes(json, file, a, frame);
        frame += td_clip_actor_size(&file->def->actors[a]);
    }
    write_props(json, file, frame);
    if (!file->compact) {
        write_camera_node(json, &file->camera);
    }
    tdi_json_close(json, "]");
    if (!file->compact) {
        write_camera(json, &file->camera);
    }
}

// ---- meshes and skins -----------------------------------------------------------------------

// Length and radii of every joint's stem, for programs that draw strands as curves; zeros for
// organs.
static void write_stems(tdi_json *json, const td_clip_actor *actor) {
    const td_segment *segments = td_skeleton_segments(actor->skeleton);
    tdi_json_key_open(json, "extras", "{");
    tdi_json_key_open(json, "stems", "[");
    for (int32_t i = 0; i < td_skeleton_count(actor->skeleton); i++) {
        const td_segment *s = &segments[i];
        const bool stem = s->organ == TD_ORGAN_STEM;
        tdi_json_open(json, "[");
        tdi_json_real(json, stem ? s->length : 0);
        tdi_json_real(json, stem ? s->radius_base : 0);
        tdi_json_real(json, stem ? s->radius_tip : 0);
        tdi_json_real(json, stem ? s->bead : 0);
        tdi_json_close(json, "]");
    }
    tdi_json_close(json, "]}");
}

static void write_skins(tdi_json *json, const tdi_clip_file *file) {
    tdi_json_key_open(json, "skins", "[");
    for (int32_t a = 0; a < file->def->actor_count; a++) {
        if (file->mesh_of[a] == TD_NONE) {
            continue;
        }
        tdi_json_open(json, "{");
        write_name(json, &file->def->actors[a], "");
        tdi_json_key_integer(json, "inverseBindMatrices",
                             file->meshes[file->mesh_of[a]].bind_accessor);
        tdi_json_key_integer(json, "skeleton", file->base_of[a]);
        tdi_json_key_open(json, "joints", "[");
        for (int32_t i = 0; i < count_of(file, a); i++) {
            tdi_json_integer(json, file->base_of[a] + 1 + i);
        }
        tdi_json_close(json, "]");
        if (!file->compact) {
            write_stems(json, &file->def->actors[a]);
        }
        tdi_json_close(json, "}");
    }
    tdi_json_close(json, "]");
}

static void write_meshes(tdi_json *json, tdi_clip_file *file) {
    tdi_json_key_open(json, "meshes", "[");
    for (int32_t m = 0; m < file->mesh_count; m++) {
        const tdi_clip_mesh *mesh = &file->meshes[m];
        tdi_json_open(json, "{");
        write_name(json, mesh->actor, "");
        tdi_json_key_open(json, "primitives", "[");
        for (int32_t i = 0; i < mesh->part_count; i++) {
            tdi_gltf_write_primitive(json, &mesh->layouts[i],
                                     tdi_clip_file_material(file, &mesh->parts[i]));
        }
        tdi_json_close(json, "]}");
    }
    for (int32_t m = 0; m < file->solid_count; m++) {
        const tdi_clip_solid *solid = &file->solids[m];
        tdi_json_open(json, "{");
        tdi_json_key_string(json, "name", solid->part.name);
        tdi_json_key_open(json, "primitives", "[");
        tdi_gltf_write_primitive(json, &solid->layout, tdi_clip_file_material(file, &solid->part));
        tdi_json_close(json, "]}");
    }
    tdi_json_close(json, "]");
    tdi_json_key_open(json, "materials", "[");
    for (int32_t i = 0; i < file->material.count; i++) {
        tdi_gltf_write_material(json, file->material.name[i], file->material.double_sided[i],
                                file->material.texture[i], &file->pictures);
    }
    tdi_json_close(json, "]");
    tdi_gltf_write_pictures(json, &file->pictures);
}

// ---- motion ---------------------------------------------------------------------------------

static int64_t node_of(const tdi_clip_file *file, const tdi_channel *track) {
    return track->actor == TD_NONE ? file->first_prop + track->segment
                                   : file->base_of[track->actor] + 1 + track->segment;
}

static void write_animation(tdi_json *json, const tdi_clip_file *file) {
    static const char *const paths[] = {"translation", "rotation", "scale"}; // by tdi_motion
    tdi_json_key_open(json, "animations", "[{");
    tdi_json_key_string(json, "name", "run");
    tdi_json_key_open(json, "channels", "[");
    for (int64_t i = 0; i < file->track_count; i++) {
        const tdi_channel *track = &file->tracks[i];
        tdi_json_open(json, "{");
        tdi_json_key_integer(json, "sampler", i);
        tdi_json_key_open(json, "target", "{");
        tdi_json_key_integer(json, "node", node_of(file, track));
        tdi_json_key_string(json, "path", paths[track->motion]);
        tdi_json_close(json, "}}");
    }
    tdi_json_close(json, "]");
    tdi_json_key_open(json, "samplers", "[");
    for (int64_t i = 0; i < file->track_count; i++) {
        tdi_json_open(json, "{");
        tdi_json_key_integer(json, "input", file->time_view);
        // an arrow stands for one contact in this frame and for another in the next
        bool jumps = tdi_channel_is_arrow(file->def, &file->tracks[i]);
        tdi_json_key_string(json, "interpolation", jumps ? "STEP" : "LINEAR");
        tdi_json_key_integer(json, "output", file->time_view + 1 + i);
        tdi_json_close(json, "}");
    }
    tdi_json_close(json, "]}]");
}

static void write_accessor(tdi_json *json, int64_t view, uint64_t offset, int component,
                           int64_t count, const char *type) {
    tdi_json_open(json, "{");
    tdi_json_key_integer(json, "bufferView", view);
    if (offset > 0) {
        tdi_json_key_integer(json, "byteOffset", (int64_t)offset);
    }
    tdi_json_key_integer(json, "componentType", component);
    if (component == TDI_GLTF_SHORT) {
        tdi_json_key(json, "normalized");
        tdi_json_bool(json, true);
    }
    tdi_json_key_integer(json, "count", count);
    tdi_json_key_string(json, "type", type);
}

static void write_motion_accessors(tdi_json *json, const tdi_clip_file *file) {
    td_real first = 0, last = tdi_clip_file_time(file, file->frames.count - 1);
    write_accessor(json, file->time_view, 0, TDI_GLTF_FLOAT, file->frames.count, "SCALAR");
    tdi_json_key_reals(json, "min", &first, 1);
    tdi_json_key_reals(json, "max", &last, 1);
    tdi_json_close(json, "}");
    uint64_t offset = 0;
    for (int64_t i = 0; i < file->track_count; i++) {
        const tdi_channel *track = &file->tracks[i];
        bool turns = track->motion == TDI_TURN, in_short = turns && file->compact;
        write_accessor(json, file->time_view + 1, offset,
                       in_short ? TDI_GLTF_SHORT : TDI_GLTF_FLOAT, file->frames.count,
                       turns ? "VEC4" : "VEC3");
        tdi_json_close(json, "}");
        offset += tdi_clip_file_bytes(file, track) * (uint64_t)file->frames.count;
    }
}

static void write_data(tdi_json *json, const tdi_clip_file *file) {
    tdi_json_key_open(json, "accessors", "[");
    for (int32_t m = 0; m < file->mesh_count; m++) {
        const tdi_clip_mesh *mesh = &file->meshes[m];
        for (int32_t i = 0; i < mesh->part_count; i++) {
            tdi_gltf_write_accessors(json, &mesh->parts[i], &mesh->layouts[i]);
        }
    }
    for (int32_t m = 0; m < file->solid_count; m++) {
        const tdi_clip_solid *solid = &file->solids[m];
        tdi_gltf_write_accessors(json, &solid->part, &solid->layout);
    }
    for (int32_t m = 0; m < file->mesh_count; m++) {
        write_accessor(json, file->meshes[m].bind_accessor, 0, TDI_GLTF_FLOAT,
                       td_skeleton_count(file->meshes[m].actor->skeleton), "MAT4");
        tdi_json_close(json, "}");
    }
    if (file->track_count > 0) {
        write_motion_accessors(json, file);
    }
    tdi_json_close(json, "]");
    tdi_json_key_open(json, "bufferViews", "[");
    for (int32_t m = 0; m < file->mesh_count; m++) {
        for (int32_t i = 0; i < file->meshes[m].part_count; i++) {
            tdi_gltf_write_views(json, &file->meshes[m].layouts[i]);
        }
    }
    for (int32_t m = 0; m < file->solid_count; m++) {
        tdi_gltf_write_views(json, &file->solids[m].layout);
    }
    for (int32_t m = 0; m < file->mesh_count; m++) {
        uint64_t count = (uint64_t)td_skeleton_count(file->meshes[m].actor->skeleton);
        tdi_gltf_write_view(json, file->meshes[m].bind_offset, 64 * count);
    }
    if (file->track_count > 0) {
        tdi_gltf_write_view(json, file->time_offset, file->motion_offset - file->time_offset);
        tdi_gltf_write_view(json, file->motion_offset, file->motion_size);
    }
    tdi_gltf_write_picture_views(json, &file->pictures);
    tdi_json_close(json, "]");
    tdi_gltf_write_buffer(json, file->binary_size);
}

td_status tdi_clip_file_json(tdi_clip_file *file, const td_alloc *alloc, td_bytes *out) {
    tdi_json json = {.buffer = {.alloc = alloc}};
    tdi_json_open(&json, "{");
    write_scene(&json, file);
    if (file->mesh_count + file->solid_count > 0) {
        write_meshes(&json, file);
    }
    if (file->mesh_count > 0) {
        write_skins(&json, file);
    }
    if (file->binary_size > 0) {
        write_data(&json, file);
    }
    if (file->track_count > 0) {
        write_animation(&json, file);
    }
    tdi_json_close(&json, "}");
    return tdi_json_finish(&json, out);
}
