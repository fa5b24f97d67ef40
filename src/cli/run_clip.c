// SPDX-License-Identifier: MIT
// Worlds as clips: meshes, tables of numbers, frames.

#include "cli/run.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_SHARE  100                  // triangles: what td_mesh_opts allows
#define MAX_JOINTS   65535                // of a skin in glTF
#define MAX_GLB_SIZE ((double)UINT32_MAX) // bytes: glTF counts them in 32 bits

// ---- actors and meshes ----------------------------------------------------------------------

// The mesh of that skeleton; made when no actor before had it.
static td_status find_mesh(run_clip *clip, int32_t actor, td_diag *diag) {
    const td_skeleton *skeleton = clip->actors[actor].skeleton;
    // actors of one variant come at regular distances: the nearest before is soon found
    for (int32_t k = actor - 1; k >= 0; k--) {
        if (clip->actors[k].skeleton == skeleton) {
            clip->actors[actor].mesh = clip->actors[k].mesh;
            return TD_OK;
        }
    }
    td_mesh_opts opts = cli_mesh_opts(&clip->look);
    td_mesh *mesh = NULL;
    opts.skinned = true;
    td_status status = td_mesh_new(skeleton, &opts, NULL, &mesh, diag);
    if (status == TD_OK) {
        clip->meshes[clip->mesh_count++] = mesh;
        clip->actors[actor].mesh = mesh;
    }
    return status;
}

static int64_t triangles_of(const td_mesh *mesh) {
    int64_t count = 0;
    for (int32_t i = 0; i < td_mesh_part_count(mesh); i++) {
        count += td_mesh_part_get(mesh, i).index_count / 3;
    }
    return count;
}

// Makes a mesh again with its share of the triangles, for all actors that have it.
static td_status reduce_mesh(run_clip *clip, int32_t mesh, double share, td_diag *diag) {
    td_mesh *old = clip->meshes[mesh], *made = NULL;
    td_mesh_opts opts = cli_mesh_opts(&clip->look);
    opts.skinned = true;
    opts.max_triangles = (int64_t)(share * (double)triangles_of(old));
    opts.max_triangles = opts.max_triangles < LEAST_SHARE ? LEAST_SHARE : opts.max_triangles;
    for (int32_t k = 0; k < clip->actor_count; k++) {
        if (clip->actors[k].mesh != old) {
            continue;
        }
        td_status status =
            made ? TD_OK : td_mesh_new(clip->actors[k].skeleton, &opts, NULL, &made, diag);
        if (status != TD_OK) {
            return status;
        }
        clip->actors[k].mesh = made;
    }
    clip->meshes[mesh] = made;
    td_mesh_free(old);
    return TD_OK;
}

// --triangles counts what is seen, so a mesh that many actors share counts for each of them.
static td_status keep_limit(run_clip *clip, td_diag *diag) {
    int64_t all = 0;
    td_status status = TD_OK;
    for (int32_t k = 0; k < clip->actor_count; k++) {
        all += triangles_of(clip->actors[k].mesh);
    }
    double share = (double)clip->look.triangles / (double)(all > 0 ? all : 1);
    for (int32_t m = 0; m < clip->mesh_count && share < 1 && status == TD_OK; m++) {
        status = reduce_mesh(clip, m, share, diag);
    }
    return status;
}

static td_status add_actors(const td_world *world, run_clip *clip, td_diag *diag) {
    int32_t most = 1;
    for (int32_t k = 0; k < clip->actor_count; k++) {
        td_actor actor = td_world_actor(world, td_world_actor_id(world, k));
        clip->actors[k] = (td_clip_actor){
            .name = actor.name, .skeleton = actor.skeleton, .stretchy = actor.stretchy};
        most = actor.segment_count > most ? actor.segment_count : most;
        td_status status = find_mesh(clip, k, diag);
        if (status == TD_OK && actor.segment_count > MAX_JOINTS) {
            status = TD_ERR_LIMIT;
            snprintf(diag->message, sizeof diag->message,
                     "'%s' has %d segments; glTF can have at most %d joints; set a larger "
                     "prune_length, or 'glb: false' and 'page: false' in record",
                     actor.name, actor.segment_count, MAX_JOINTS);
        }
        if (status != TD_OK) {
            return status;
        }
    }
    td_status status = clip->look.triangles > 0 ? keep_limit(clip, diag) : TD_OK;
    if (status != TD_OK) {
        return status;
    }
    clip->origins = malloc((size_t)most * sizeof *clip->origins);
    clip->rotations = malloc((size_t)most * sizeof *clip->rotations);
    return clip->origins && clip->rotations ? TD_OK : TD_ERR_MEMORY;
}

// Colliders, and room for forces of contacts and constraints where somebody can see them. Sizes are
// those of the start.
static td_status add_props(const td_world *world, const td_scene_def *def, run_clip *clip) {
    bool forces = def->contact.given || def->collider_count > 0 || def->constraint_count > 0;
    clip->scale = td_clip_scale_of(world);
    clip->collider_count = td_world_collider_count(world);
    clip->colliders = calloc((size_t)clip->collider_count + 1, sizeof *clip->colliders);
    for (int32_t k = 0; clip->colliders && k < clip->collider_count; k++) {
        td_collider collider = td_world_collider(world, td_world_collider_id(world, k));
        clip->colliders[k] = td_clip_collider_of(&collider, &clip->scale);
    }
    clip->arrow_count = forces && (def->record.page || def->record.contacts) ? TD_CLIP_ARROWS : 0;
    return clip->colliders ? TD_OK : TD_ERR_MEMORY;
}

static td_status make_frame(run_clip *clip, const td_world *world) {
    const td_clip_def def = run_clip_def(clip);
    clip->frame_size = td_clip_frame_size(&def);
    const size_t bytes = (size_t)clip->frame_size * sizeof *clip->frame;
    clip->frame = malloc(bytes);
    if (td_world_steps_a_frame(world) > 0) {
        return clip->frame ? TD_OK : TD_ERR_MEMORY;
    }
    clip->began = malloc(bytes);
    clip->between = malloc(bytes);
    return clip->frame && clip->began && clip->between ? TD_OK : TD_ERR_MEMORY;
}

// Told before the run, not after it.
static td_status check_size(const run_clip *clip, const td_record_def *record, int64_t frames,
                            td_diag *diag) {
    double size = (double)frames * (double)clip->frame_size * sizeof(float);
    if (!record->glb || size <= MAX_GLB_SIZE) {
        return TD_OK;
    }
    snprintf(diag->message, sizeof diag->message,
             "scene.glb would have %lld frames of %.3g MB, but glTF can have at most 4 GB; use a "
             "lower record.fps, --frames A:B, or 'glb: false' in record",
             (long long)frames, 1e-6 * (double)clip->frame_size * sizeof(float));
    return TD_ERR_LIMIT;
}

int run_clip_open(const char *scene_path, const cli_scene *scene, int64_t frames,
                  const run_args *args, run_clip *clip) {
    const td_scene_def *def = td_scene_def_get(scene->scene);
    const td_record_def *record = &def->record;
    td_diag diag = {.message = ""};
    *clip = (run_clip){.actor_count = td_world_actor_count(scene->world), .look = args->look};
    if (!record->glb && !record->page && !args->page_only) {
        clip->actor_count = 0;
        return EXIT_FINE;
    }
    size_t count = (size_t)clip->actor_count;
    clip->actors = calloc(count, sizeof *clip->actors);
    clip->meshes = calloc(count, sizeof *clip->meshes);
    td_status status =
        clip->actors && clip->meshes ? add_actors(scene->world, clip, &diag) : TD_ERR_MEMORY;
    status = status == TD_OK ? add_props(scene->world, def, clip) : status;
    status = status == TD_OK ? make_frame(clip, scene->world) : status;
    if (status == TD_OK && !args->page_only) {
        status = check_size(clip, record, frames, &diag);
    }
    if (status != TD_OK) {
        cli_print_fault(scene_path, status, &diag);
        run_clip_free(clip);
    }
    return cli_exit_code(status);
}

void run_clip_free(run_clip *clip) {
    for (int32_t k = 0; k < clip->mesh_count; k++) {
        td_mesh_free(clip->meshes[k]);
    }
    free(clip->meshes);
    free(clip->actors);
    free(clip->colliders);
    free(clip->contacts);
    free(clip->frame);
    free(clip->began);
    free(clip->between);
    free(clip->origins);
    free(clip->rotations);
    *clip = (run_clip){.actors = NULL};
}

td_clip_def run_clip_def(const run_clip *clip) {
    td_clip_def def = td_clip_def_default();
    def.actors = clip->actors;
    def.actor_count = clip->actor_count;
    def.colliders = clip->colliders;
    def.collider_count = clip->collider_count;
    def.arrow_count = clip->arrow_count;
    return def;
}

// All contacts of the world and forces of its constraints; room for them grows with their number.
static bool read_contacts(run_clip *clip, const td_world *world, int32_t *count) {
    *count = td_world_forces(world, clip->contacts, clip->contact_capacity);
    if (*count > clip->contact_capacity) {
        free(clip->contacts);
        clip->contact_capacity = 2 * *count;
        clip->contacts = malloc((size_t)clip->contact_capacity * sizeof *clip->contacts);
        if (!clip->contacts) {
            return false;
        }
        *count = td_world_forces(world, clip->contacts, clip->contact_capacity);
    }
    return true;
}

bool run_clip_pack(run_clip *clip, const td_world *world) {
    float *to = clip->frame;
    for (int32_t k = 0; k < clip->actor_count; k++) {
        td_vec3 base;
        td_quat rotation;
        td_world_pose(world, td_world_actor_id(world, k), &base, &rotation, clip->origins,
                      clip->rotations);
        td_clip_pack(&clip->actors[k], base, rotation, clip->origins, clip->rotations, to);
        to += td_clip_actor_size(&clip->actors[k]);
    }
    for (int32_t k = 0; k < clip->collider_count; k++, to += TD_CLIP_COLLIDER) {
        td_collider collider = td_world_collider(world, td_world_collider_id(world, k));
        td_clip_pack_collider(&collider, to);
    }
    int32_t contacts = 0;
    if (clip->arrow_count > 0 && !read_contacts(clip, world, &contacts)) {
        return false;
    }
    td_clip_pack_arrows(clip->contacts, contacts, &clip->scale, clip->arrow_count, to);
    return true;
}

void run_clip_begin(run_clip *clip) {
    memcpy(clip->began, clip->frame, (size_t)clip->frame_size * sizeof *clip->frame);
}

const float *run_clip_frame(run_clip *clip, double part) {
    if (part >= 1 || !clip->began) {
        return clip->frame;
    }
    const td_clip_def def = run_clip_def(clip);
    td_clip_blend(&def, clip->began, clip->frame, part, clip->between);
    return clip->between;
}

// ---- tables ---------------------------------------------------------------------------------

// A name in a heading: what would end the cell or the unit becomes "_".
static void put_name(const char *name, FILE *out) {
    for (const char *c = name; *c; c++) {
        fputc(*c == ',' || *c == '"' || (unsigned char)*c < 32 ? '_' : *c, out);
    }
}

static void put_numbers(const double *values, int32_t count, FILE *out) {
    for (int32_t k = 0; k < count; k++) {
        fputc(',', out);
        cli_json_number(out, values[k]);
    }
}

void run_probe_heading(const td_world *world, FILE *out) {
    fputs("time [s]", out);
    for (int32_t k = 0; k < td_world_probe_columns(world); k++) {
        fputc(',', out);
        put_name(td_world_probe_name(world, k), out);
    }
    fputc('\n', out);
}

void run_probe_row(td_world *world, double *values, FILE *out) {
    cli_json_number(out, td_world_time(world));
    td_world_probes(world, values);
    put_numbers(values, td_world_probe_columns(world), out);
    fputc('\n', out);
}

static bool stores_energy(const td_scene_def *def, int32_t constraint) {
    return def->constraints[constraint].kind == TD_CONSTRAINT_SPRING;
}

void run_energy_heading(const td_world *world, const td_scene_def *def, FILE *out) {
    static const char *const columns[] = {"kinetic [J]",
                                          "elastic [J]",
                                          "weight [J]",
                                          "total [J]",
                                          "momentum.x [N s]",
                                          "momentum.y [N s]",
                                          "momentum.z [N s]",
                                          "momentum.about.x [N m s]",
                                          "momentum.about.y [N m s]",
                                          "momentum.about.z [N m s]"};
    fputs("time [s]", out);
    for (int32_t k = 0; k < def->object_count; k++) {
        for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
            fputc(',', out);
            if (def->objects[k].name) {
                put_name(def->objects[k].name, out);
            } else {
                fprintf(out, "object-%d", k);
            }
            fprintf(out, ".%s", columns[i]);
        }
    }
    for (int32_t k = 0; k < def->constraint_count; k++) {
        if (stores_energy(def, k)) {
            fputc(',', out);
            put_name(td_world_constraint_name(world, td_world_constraint_id(world, k)), out);
            fputs(".elastic [J]", out);
        }
    }
    fputc('\n', out);
}

void run_energy_row(td_world *world, const td_scene_def *def, FILE *out) {
    cli_json_number(out, td_world_time(world));
    for (int32_t k = 0; k < def->object_count; k++) {
        td_sums s = td_world_object_sums(world, k);
        const double values[] = {
            s.energy.kinetic, s.energy.elastic,
            s.energy.weight,  s.energy.kinetic + s.energy.elastic + s.energy.weight,
            s.linear.x,       s.linear.y,
            s.linear.z,       s.angular.x,
            s.angular.y,      s.angular.z};
        put_numbers(values, (int32_t)(sizeof values / sizeof values[0]), out);
    }
    for (int32_t k = 0; k < def->constraint_count; k++) {
        if (stores_energy(def, k)) {
            const double stored =
                td_world_constraint_energy(world, td_world_constraint_id(world, k));
            put_numbers(&stored, 1, out);
        }
    }
    fputc('\n', out);
}
