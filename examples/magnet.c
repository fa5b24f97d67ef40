// SPDX-License-Identifier: MIT
// A toy with a force field of its own: a magnet circles above a lawn of stems and draws their tips
// after it; each actor has a strength of its own. Prints the lawn from above, as letters.
//
//     cc magnet.c $(pkg-config --cflags --libs tendril) -lm -o magnet

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tendril/tendril.h>

enum { STEMS = 25, COLUMNS = 61, ROWS = 31 }; // letters are twice as high as wide

typedef struct magnet {
    const td_world *world;
    double strength[STEMS]; // of each actor
} magnet;

static td_vec3 place(double time) {
    return td_vec3_of(0.5 * cos(2 * time), 0.5, 0.5 * sin(2 * time));
}

// f = s m d/(|d|^2 + r^2), d from a segment's tip to the magnet: lighter segments feel less.
// `actor` tells whose segments these are, and i is the number of one.
static void pull(void *context, td_real time, td_actor_id actor, int32_t count, const td_vec3 *tips,
                 const td_vec3 *velocities, td_vec3 *forces) {
    const magnet *m = context;
    const td_segment *segments = td_skeleton_segments(td_world_actor(m->world, actor).skeleton);
    (void)velocities;
    for (int32_t i = 0; i < count; i++) {
        const td_vec3 d = td_vec3_sub(place(time), tips[i]);
        const td_real by = m->strength[td_world_actor_index(m->world, actor)] * segments[i].mass /
                           (td_vec3_dot(d, d) + 0.05);
        forces[i] = td_vec3_madd(forces[i], d, by);
    }
}

static void put(char lawn[ROWS][COLUMNS + 1], td_vec3 x, char letter) {
    const long column = lround((x.x + 1) * (COLUMNS - 1) / 2),
               row = lround((x.z + 1) * (ROWS - 1) / 2);
    if (column >= 0 && column < COLUMNS && row >= 0 && row < ROWS) {
        lawn[row][column] = letter;
    }
}

// From above: '.' where a stem stands, 'o' where its tip is, '*' the magnet. Returns how far the
// tips are from where they stand, on average along the way to the magnet.
static double print_lawn(const td_world *world) {
    char lawn[ROWS][COLUMNS + 1];
    const td_vec3 at = place(td_world_time(world));
    double towards = 0;
    memset(lawn, ' ', sizeof lawn);
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t k = 0; k < STEMS; k++) {
            const td_actor_id stem = td_world_actor_id(world, k);
            const int32_t last = td_world_actor(world, stem).segment_count - 1;
            td_vec3 base, tip;
            td_world_pose(world, stem, &base, NULL, NULL, NULL);
            td_world_segment(world, stem, last, NULL, &tip, NULL);
            const td_vec3 x = pass ? tip : base;
            put(lawn, x, pass ? 'o' : '.');
            const td_vec3 way = td_vec3_sub(td_vec3_of(at.x, 0, at.z), base);
            const td_vec3 bent = td_vec3_of(tip.x - base.x, 0, tip.z - base.z);
            towards += pass ? td_vec3_dot(bent, way) / td_vec3_norm(way) / STEMS : 0;
        }
    }
    put(lawn, at, '*');
    for (int row = 0; row < ROWS; row++) {
        lawn[row][COLUMNS] = '\0';
        puts(lawn[row]);
    }
    return towards;
}

int main(void) {
    const td_vec3 points[] = {{0, 0, 0}, {0, 0.3, 0}};
    td_object_def stem = td_object_def_default();
    td_scene_def scene = td_scene_def_default();
    td_diag diag = {.message = ""};
    td_diag_list faults = {&diag, 1, 0};
    td_world *world = NULL;
    stem.strand.points = points;
    stem.strand.point_count = 2;
    stem.strand.segments = 6;
    stem.strand.radius = 0.002;
    stem.strand.material = "herb-stem";
    stem.damping_ratio = 0.1;
    stem.instances.layout = TD_INSTANCES_GRID;
    stem.instances.count = STEMS;
    stem.instances.area = td_vec3_of(1.6, 0, 1.6);
    stem.instances.jitter = 0;
    scene.objects = &stem;
    scene.object_count = 1;
    if (td_world_new(&scene, NULL, NULL, &world, &faults) != TD_OK) {
        fprintf(stderr, "%s\n", diag.message);
        return 1;
    }
    magnet m = {.world = world};
    for (int32_t k = 0; k < STEMS; k++) {
        m.strength[k] = 8 + 4 * (k % 3);
    }
    td_world_set_field(world, pull, &m, NULL);
    double towards = 0;
    for (int second = 1; second <= 3; second++) {
        for (int frame = 0; frame < 60; frame++) {
            if (td_world_step(world, &diag) != TD_OK) {
                fprintf(stderr, "%s\n", diag.message);
                return 1;
            }
        }
        towards = print_lawn(world);
        printf("%d s: tips lean %.1f cm towards the magnet on average\n\n", second, 100 * towards);
    }
    td_world_free(world);
    return towards > 0.01 ? 0 : 1;
}
