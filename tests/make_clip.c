// SPDX-License-Identifier: MIT
// Makes a clip whose motion is known, for the checks that need other programs (the glTF validator,
// a browser, Blender): make_clip DIR PLANT.lsys [PLAYER.html]
//
// Writes   clip.glb: the plant twice, one of them on a base that moves; a chain of 1000 segments;
//          a slider and a body that flies; one collider of each kind, of which the sphere moves;
//          contacts, one more every ten frames. expected.csv: where every joint is, in some frames.
//          probes.csv, energy.csv: what a run would record. scene.html when a player is given.
// Motion   every ball joint turns about X by a sine of its own.

#include "tendril/tendril.h"

#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FPS         30
#define FRAMES      90
#define CHAIN       1000
#define SAMPLE_STEP 15 // frames between two that expected.csv tells

#define CONTACTS 8 // at the end

enum { PLANT, TWIN, LONG_CHAIN, MACHINE, ACTORS };
enum { PLANE, SPHERE, CAPSULE, BOX, COLLIDERS };

static const td_clip_scale scale = {
    .centre = {0, 0.5, 0}, .side = 1.5, .diagonal = 1.8, .weight = 2};

static void stop(const char *doing, td_status status, const td_diag *diag) {
    fprintf(stderr, "make_clip: %s: %s\n", doing,
            diag && diag->message[0] ? diag->message : td_status_text(status));
    exit(1);
}

static void must(td_status status, const char *doing, const td_diag *diag) {
    if (status != TD_OK) {
        stop(doing, status, diag);
    }
}

// ---- actors ---------------------------------------------------------------------------------

static td_skeleton *read_plant(const char *path) {
    td_bytes text = {0};
    td_diag diag = {0};
    td_skeleton *skeleton = NULL;
    must(td_file_read(path, 1 << 20, NULL, &text, &diag), path, &diag);
    must(td_skeleton_from_text((const char *)text.data, text.size, NULL, &skeleton, &diag), path,
         &diag);
    td_bytes_free(&text);
    return skeleton;
}

static void add(td_builder *builder, const td_segment_def *def) {
    int32_t index;
    td_diag diag = {0};
    must(td_builder_add(builder, def, &index, &diag), "segment", &diag);
}

static td_skeleton *finish(td_builder *builder) {
    td_skeleton *skeleton = NULL;
    td_diag diag = {0};
    must(td_builder_finish(builder, &skeleton, &diag), "skeleton", &diag);
    td_builder_free(builder);
    return skeleton;
}

static td_skeleton *make_chain(void) {
    td_builder *builder = NULL;
    must(td_builder_new(NULL, NULL, &builder, NULL), "builder", NULL);
    td_segment_def def = td_segment_def_default();
    def.length = 1.0 / CHAIN;
    def.radius_base = def.radius_tip = 0.004;
    for (int32_t i = 0; i < CHAIN; i++) {
        def.parent = i - 1;
        def.attach_at_tip = i > 0;
        def.attach = tdi_vec3(0.9, 0, 0);
        add(builder, &def);
    }
    return finish(builder);
}

// a slider with an arm, and a body of its own that flies
static td_skeleton *make_machine(void) {
    td_builder *builder = NULL;
    must(td_builder_new(NULL, NULL, &builder, NULL), "builder", NULL);
    td_segment_def def = td_segment_def_default();
    def.length = 0.3;
    def.joint = TD_JOINT_SLIDE;
    def.axis = tdi_vec3(0, 1, 0);
    def.attach_at_tip = false;
    def.attach = tdi_vec3(-0.9, 0.1, 0);
    add(builder, &def);
    td_segment_def arm = td_segment_def_default();
    arm.parent = 0;
    arm.length = 0.2;
    add(builder, &arm);
    def.joint = TD_JOINT_FREE;
    add(builder, &def);
    return finish(builder);
}

static td_mesh *make_mesh(const td_skeleton *skeleton) {
    td_mesh_opts opts = td_mesh_opts_default();
    td_mesh *mesh = NULL;
    td_diag diag = {0};
    opts.skinned = true;
    opts.sides = 3; // browsers without a graphics card draw it
    must(td_mesh_new(skeleton, &opts, NULL, &mesh, &diag), "mesh", &diag);
    return mesh;
}

// ---- motion ---------------------------------------------------------------------------------

static td_vec3 base_place(int32_t actor, td_real t) {
    return actor == TWIN ? tdi_vec3(0.5 + 0.05 * sin(3 * t), 0, -0.3) : tdi_vec3(0, 0, 0);
}

static td_quat base_turn(int32_t actor, td_real t) {
    return tdi_quat_turn(tdi_vec3(0, 1, 0), actor == TWIN ? 1 + 0.3 * t : 0);
}

static void pose(const td_clip_actor *actor, int32_t which, td_real t, td_vec3 *origins,
                 td_quat *rotations) {
    const td_segment *segments = td_skeleton_segments(actor->skeleton);
    td_vec3 base = base_place(which, t);
    td_quat turn = base_turn(which, t);
    for (int32_t i = 0; i < td_skeleton_count(actor->skeleton); i++) {
        const td_segment *s = &segments[i];
        td_quat below = s->parent == TD_NONE ? turn : rotations[s->parent];
        td_vec3 from = s->parent == TD_NONE ? base : origins[s->parent];
        td_vec3 at = s->attach;
        td_quat local = s->initial;
        if (s->joint == TD_JOINT_BALL) {
            td_real reach = which == LONG_CHAIN ? 3.0 / CHAIN : 0.08;
            td_real angle = reach * sin(2.4 * t + (which == LONG_CHAIN ? 0 : 0.7 * i));
            local = tdi_quat_mul(local, tdi_quat_turn(tdi_vec3(1, 0, 0), angle));
        } else if (s->joint == TD_JOINT_SLIDE) {
            at = tdi_madd(at, s->axis, 0.1 + 0.1 * sin(4 * t));
        } else if (s->joint == TD_JOINT_FREE) {
            at = tdi_add(at, tdi_vec3(0, 0.8 + t * (1 - 0.4 * t), 0.2 * t));
            local = tdi_quat_turn(tdi_vec3(0, 0, 1), 4 * t);
        }
        rotations[i] = tdi_quat_mul(below, local);
        origins[i] = tdi_add(from, tdi_quat_rotate(below, at));
    }
}

// ---- colliders and contacts -----------------------------------------------------------------

static td_collider collider_at(int32_t k, td_real t) {
    td_collider c = td_collider_default((td_collider_kind)k);
    c.radius = k == SPHERE ? 0.1 : 0.05;
    c.length = 0.24;
    c.sides = tdi_vec3(0.1, 0.24, 0.16);
    c.position = k == PLANE    ? tdi_vec3(0, 0, 0)
                 : k == SPHERE ? tdi_vec3(-0.4 + 0.3 * t, 0.1, 0.4)
                 : k == BOX    ? tdi_vec3(0.5, 0.12, 0.4)
                               : tdi_vec3(-0.5, 0.3, -0.4);
    c.rotation = tdi_quat_turn(tdi_vec3(0, 0, 1), k == CAPSULE ? 1 : k == SPHERE ? -3 * t : 0);
    return c;
}

static void pack_props(int32_t frame, td_real t, float *out) {
    td_contact contacts[CONTACTS] = {{0}};
    for (int32_t k = 0; k < COLLIDERS; k++, out += TD_CLIP_COLLIDER) {
        td_collider c = collider_at(k, t);
        td_clip_pack_collider(&c, out);
    }
    int32_t count = frame / 10 < CONTACTS ? frame / 10 : CONTACTS;
    for (int32_t k = 0; k < count; k++) {
        contacts[k].point = tdi_vec3(0.15 * k - 0.5, 0.01, 0.2);
        contacts[k].force = tdi_vec3(0.1 * k, 0.3 + k + sin(4 * t), 0.3);
    }
    td_clip_pack_arrows(contacts, count, &scale, CONTACTS, out);
}

// ---- files ----------------------------------------------------------------------------------

static FILE *open_in(const char *folder, const char *name, char path[512]) {
    snprintf(path, 512, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        stop(path, TD_ERR_WRITE, NULL);
    }
    return file;
}

static void write_frames(const char *folder, td_clip_def *def) {
    static char path[512];
    char other[512];
    FILE *frames = open_in(folder, "frames.bin", path);
    FILE *expected = open_in(folder, "expected.csv", other);
    fprintf(expected, "frame,node,x,y,z\n");
    size_t size = (size_t)td_clip_frame_size(def);
    float *frame = calloc(size, sizeof *frame);
    td_vec3 *origins = calloc(1 << 16, sizeof *origins);
    td_quat *rotations = calloc(1 << 16, sizeof *rotations);
    for (int32_t f = 0; f < def->frame_count; f++) {
        float *at = frame;
        for (int32_t a = 0; a < def->actor_count; a++) {
            const td_clip_actor *actor = &def->actors[a];
            td_real t = f / def->fps;
            pose(actor, a, t, origins, rotations);
            td_clip_pack(actor, base_place(a, t), base_turn(a, t), origins, rotations, at);
            at += td_clip_actor_size(actor);
            for (int32_t i = 0; f % SAMPLE_STEP == 0 && i < td_skeleton_count(actor->skeleton);
                 i++) {
                fprintf(expected, "%d,%s-%d,%.9g,%.9g,%.9g\n", f, actor->name,
                        td_skeleton_segments(actor->skeleton)[i].id, origins[i].x, origins[i].y,
                        origins[i].z);
            }
        }
        pack_props(f, f / def->fps, at);
        for (int32_t k = 0; k < COLLIDERS && f % SAMPLE_STEP == 0; k++) {
            static const char *const kinds[] = {"plane", "sphere", "capsule", "box"};
            td_vec3 x = collider_at(k, f / def->fps).position;
            fprintf(expected, "%d,collider-%d-%s,%.9g,%.9g,%.9g\n", f, k, kinds[k], x.x, x.y, x.z);
        }
        if (fwrite(frame, sizeof *frame, size, frames) != size) {
            stop("frames.bin", TD_ERR_WRITE, NULL);
        }
    }
    free(frame);
    free(origins);
    free(rotations);
    fclose(frames);
    fclose(expected);
    def->frames_path = path;
}

static void write_tables(const char *folder) {
    char path[512];
    FILE *probes = open_in(folder, "probes.csv", path);
    fprintf(probes, "time,tip.x [m],tip.y [m],tip.z [m],root.moment [N m]\n");
    for (int i = 0; i < 4 * FRAMES; i++) {
        td_real t = i / (4.0 * FPS);
        fprintf(probes, "%.6g,%.6g,%.6g,%.6g,%.6g\n", t, 0.02 * sin(5 * t), 0.6 - 0.01 * t,
                0.05 * cos(2.4 * t), 0.3 * exp(-t) * cos(20 * t));
    }
    fclose(probes);
    FILE *energy = open_in(folder, "energy.csv", path);
    fprintf(energy, "time,kinetic [J],elastic [J],total [J]\n");
    for (int i = 0; i < FRAMES; i++) {
        td_real t = i / (td_real)FPS, s = sin(2.4 * t);
        fprintf(energy, "%.6g,%.6g,%.6g,%.6g\n", t, 0.02 * s * s, 0.02 - 0.02 * s * s, 0.02);
    }
    fclose(energy);
}

static void write_page(const char *folder, const td_clip_def *def, const char *player) {
    char path[512];
    td_diag diag = {0};
    td_bytes page = {0}, probes = {0}, energy = {0};
    td_page_def look = td_page_def_default();
    must(td_file_read(player, (size_t)64 << 20, NULL, &page, &diag), player, &diag);
    snprintf(path, sizeof path, "%s/probes.csv", folder);
    must(td_file_read(path, 1 << 20, NULL, &probes, &diag), path, &diag);
    snprintf(path, sizeof path, "%s/energy.csv", folder);
    must(td_file_read(path, 1 << 20, NULL, &energy, &diag), path, &diag);
    look.title = "A garden <in> motion";
    look.text = "Made by a test; what it shows obeys no law.";
    look.player = (const char *)page.data;
    look.player_size = page.size;
    look.probes = (const char *)probes.data;
    look.probes_size = probes.size;
    look.energy = (const char *)energy.data;
    look.energy_size = energy.size;
    snprintf(path, sizeof path, "%s/scene.html", folder);
    must(td_clip_page(def, &look, path, NULL, &diag), path, &diag);
    td_bytes_free(&page);
    td_bytes_free(&probes);
    td_bytes_free(&energy);
}

int main(int argc, char **argv) {
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: make_clip DIR PLANT.lsys [PLAYER.html]\n");
        return 2;
    }
    char path[512];
    td_diag diag = {0};
    td_skeleton *plant = read_plant(argv[2]), *chain = make_chain(), *machine = make_machine();
    td_mesh *plant_mesh = make_mesh(plant), *chain_mesh = make_mesh(chain);
    td_mesh *machine_mesh = make_mesh(machine);
    const td_clip_actor actors[ACTORS] = {{"plant", plant, plant_mesh, false},
                                          {"twin", plant, plant_mesh, false},
                                          {"chain", chain, chain_mesh, false},
                                          {"machine", machine, machine_mesh, false}};
    td_clip_def def = td_clip_def_default();
    def.fps = FPS;
    def.frame_count = FRAMES;
    def.actors = actors;
    def.actor_count = ACTORS;
    td_clip_collider colliders[COLLIDERS];
    for (int32_t k = 0; k < COLLIDERS; k++) {
        td_collider c = collider_at(k, 0);
        colliders[k] = td_clip_collider_of(&c, &scale);
    }
    def.colliders = colliders;
    def.collider_count = COLLIDERS;
    def.arrow_count = CONTACTS;
    write_frames(argv[1], &def);
    write_tables(argv[1]);
    snprintf(path, sizeof path, "%s/clip.glb", argv[1]);
    must(td_clip_glb(&def, path, NULL, &diag), path, &diag);
    if (argc == 4) {
        write_page(argv[1], &def, argv[3]);
    }
    td_mesh_free(plant_mesh);
    td_mesh_free(chain_mesh);
    td_mesh_free(machine_mesh);
    td_skeleton_free(plant);
    td_skeleton_free(chain);
    td_skeleton_free(machine);
    return 0;
}
