// SPDX-License-Identifier: MIT
// Bones into a skinned mesh: a plant sways, and its skin follows. The first and the last frame are
// written as OBJ files, which every modeller reads.
//
//     cc bones.c $(pkg-config --cflags --libs tendril) -lm -o bones && ./bones bones-

#include "skin.h"

#include <stdio.h>
#include <string.h>

static const char plant[] = "derivation length: 7\nlength unit: 0.05\nmaterial: 0 herb-stem\n"
                            "surface: L leaf, width=0.5, curl=30\naxiom: !(0.06)A(1)\n"
                            "A(s) --> F(s)[&(55)~L(s*1.5)]/(137.5)A(s*0.9)\n";

// All triangles as they are now; returns how far the farthest vertex is from where it was drawn.
static double write_mesh(const skin *s, const char *file) {
    FILE *out = fopen(file, "w");
    double far = 0;
    int64_t first = 1; // vertices are counted from 1, over all parts
    for (int32_t k = 0; out && k < td_mesh_part_count(s->mesh); k++) {
        const td_mesh_part p = td_mesh_part_get(s->mesh, k);
        fprintf(out, "g %s\n", p.name);
        for (int32_t i = 0; i < p.vertex_count; i++) {
            const float *was = p.position + 3 * i;
            float x[3], n[3];
            skin_vertex(s, &p, (uint32_t)i, x, n);
            fprintf(out, "v %g %g %g\nvn %g %g %g\n", x[0], x[1], x[2], n[0], n[1], n[2]);
            const double way =
                td_vec3_norm(td_vec3_of(x[0] - was[0], x[1] - was[1], x[2] - was[2]));
            far = way > far ? way : far;
        }
        for (int32_t i = 0; i < p.index_count; i += 3) {
            long long a = first + p.index[i], b = first + p.index[i + 1],
                      c = first + p.index[i + 2];
            fprintf(out, "f %lld//%lld %lld//%lld %lld//%lld\n", a, a, b, b, c, c);
        }
        first += p.vertex_count;
    }
    return out && fclose(out) == 0 ? far : -1;
}

int main(int count, char **words) {
    const char *prefix = count > 1 ? words[1] : "bones-";
    td_skeleton *skeleton = NULL;
    td_world *world = NULL;
    td_diag diag = {.message = ""};
    td_diag_list faults = {&diag, 1, 0};
    td_object_def object = td_object_def_default();
    td_scene_load wind = td_scene_load_default(TD_SCENE_WIND);
    td_scene_def scene = td_scene_def_default();
    skin s = {.count = 0};
    char file[256];
    if (td_skeleton_from_text(plant, strlen(plant), NULL, &skeleton, &diag) != TD_OK) {
        fprintf(stderr, "%s\n", diag.message);
        return 1;
    }
    object.skeleton = skeleton;
    object.start = TD_START_DRAWN; // so that the first frame is the drawing
    wind.as.wind.velocity = td_vec3_of(6, 0, 0);
    scene.objects = &object;
    scene.object_count = 1;
    scene.loads = &wind;
    scene.load_count = 1;
    if (td_world_new(&scene, NULL, NULL, &world, &faults) != TD_OK || !skin_make(&s, skeleton)) {
        fprintf(stderr, "%s\n", diag.message);
        return 1;
    }
    skin_follow(&s, world, 0);
    snprintf(file, sizeof file, "%sfirst.obj", prefix);
    const double began = write_mesh(&s, file);
    for (int frame = 0; frame < 60; frame++) {
        td_world_step(world, &diag);
    }
    skin_follow(&s, world, 0);
    snprintf(file, sizeof file, "%slast.obj", prefix);
    const double ended = write_mesh(&s, file);
    printf("%d bones; the skin was %g m from the drawing, and is %g m after a second of wind\n",
           (int)s.count, began, ended);
    skin_free(&s);
    td_world_free(world);
    td_skeleton_free(skeleton);
    return began >= 0 && began < 1e-6 && ended > 1e-3 ? 0 : 1;
}
