// SPDX-License-Identifier: MIT
// A plant that sways in the wind of somebody else's program: grow it, make a world of it, and let
// the world go on by the time that each frame of the program took. Build it against an installed
// Tendril:
//
//     cc sway.c $(pkg-config --cflags --libs tendril) -o sway

#include <stdio.h>
#include <string.h>
#include <tendril/tendril.h>

static const char plant[] =
    "axiom: !(0.004)F(0.2)F(0.2)[+(40)F(0.1)F(0.1)][-(50)F(0.1)F(0.1)]F(0.2)\n";

// After every step, whatever the frame rate is: the place for what must not miss one, such as
// sound.
static void listen(void *context, td_world *world) {
    double *loudest = context, speed[3];
    td_world_probes(world, speed);
    double loud = speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2];
    *loudest = loud > *loudest ? loud : *loudest;
}

// Stands for a renderer: it gets the world position of every joint and the rotation of every piece.
static void draw(double time, const td_vec3 *origins, const td_quat *rotations, int32_t count) {
    printf("%.3f s: the tip's joint is at x = %+.4f m, leaning %+.4f\n", time, origins[count - 1].x,
           -2 * rotations[count - 1].z);
}

int main(void) {
    td_skeleton *skeleton = NULL;
    if (td_skeleton_from_text(plant, strlen(plant), NULL, &skeleton, NULL) != TD_OK) {
        return 1;
    }
    td_object_def object = td_object_def_default();
    object.skeleton = skeleton;
    object.damping_ratio = 0.05;
    td_scene_load wind = td_scene_load_default(TD_SCENE_WIND);
    wind.as.wind.velocity = (td_vec3){4, 0, 0};
    wind.as.wind.intensity = 0.3;
    td_probe_def probe = td_probe_def_default(); // at the highest tip
    probe.quantity = TD_QUANTITY_VELOCITY;
    td_scene_def scene = td_scene_def_default(); // what it points to is copied
    scene.objects = &object;
    scene.object_count = 1;
    scene.loads = &wind;
    scene.load_count = 1;
    scene.record.probes = &probe;
    scene.record.probe_count = 1;
    td_diag diag = {.message = ""};
    td_diag_list faults = {&diag, 1, 0};
    td_world_opts opts = td_world_opts_default();
    td_world *world = NULL;
    td_status status = td_world_new(&scene, &opts, NULL, &world, &faults);
    td_skeleton_free(skeleton); // the world has its own
    if (status != TD_OK) {
        fprintf(stderr, "%s\n", diag.message);
        return 1;
    }
    double loudest = 0;
    td_world_set_callback(world, listen, &loudest);

    enum { MOST = 64 };
    td_vec3 origins[MOST];
    td_quat rotations[MOST];
    int32_t count = td_world_actor(world, td_world_actor_id(world, 0)).segment_count;
    for (int frame = 0; frame < 60 && count <= MOST; frame++) {
        const double took = frame % 3 == 0 ? 0.025 : 0.018; // s, by the program's own clock
        if (td_world_advance(world, took, &diag) != TD_OK) {
            fprintf(stderr, "%s\n", diag.message);
            return 1;
        }
        td_world_pose(world, td_world_actor_id(world, 0), NULL, NULL, origins, rotations);
        draw(td_world_time(world), origins, rotations, count);
    }
    td_world_free(world);
    return loudest > 0 ? 0 : 1;
}
