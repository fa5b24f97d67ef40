// SPDX-License-Identifier: MIT
// A rope swings over the ground, is cut in two, and what falls off lands. Momentum is printed
// before and after the cut; the program fails when the two differ by more than rounding does. Build
// it against an installed Tendril:
//
//     cc rope-cut.c $(pkg-config --cflags --libs tendril) -o rope-cut

#include <math.h>
#include <stdio.h>
#include <tendril/tendril.h>

static td_world *new_world(void) {
    const td_vec3 points[] = {{0, 0, 0}, {0.9, -0.3, 0}};
    td_object_def rope = td_object_def_default();
    rope.name = "rope";
    rope.solver = "rod";
    rope.start = TD_START_DRAWN; // it is let go there
    rope.position = (td_vec3){0, 1.5, 0};
    rope.strand.points = points;
    rope.strand.point_count = 2;
    rope.strand.segments = 24;
    rope.strand.radius = 0.01;
    td_scene_collider ground = td_scene_collider_default(TD_COLLIDER_PLANE);
    td_scene_def scene = td_scene_def_default(); // what it points to is copied
    scene.objects = &rope;
    scene.object_count = 1;
    scene.colliders = &ground;
    scene.collider_count = 1;
    td_diag diag = {.message = ""};
    td_diag_list faults = {&diag, 1, 0};
    td_world *world = NULL;
    if (td_world_new(&scene, NULL, NULL, &world, &faults) != TD_OK) {
        fprintf(stderr, "%s\n", diag.message);
    }
    return world;
}

static int steps(td_world *world, int count) {
    td_diag diag = {.message = ""};
    for (int k = 0; k < count; k++) {
        if (td_world_step(world, &diag) != TD_OK) {
            fprintf(stderr, "%s\n", diag.message);
            return 0;
        }
    }
    return 1;
}

static void show(const char *what, td_sums sums) {
    printf("%-9s %+.6f %+.6f kg m/s, about the origin %+.6f kg m^2/s\n", what, sums.linear.x,
           sums.linear.y, sums.angular.z);
}

// Cuts in the middle of the thirteenth segment. How much momentum is lost.
static double cut(td_world *world, td_actor_id *fallen) {
    const td_actor_id rope = td_world_actor_id(world, 0);
    const td_sums whole = td_world_actor_sums(world, td_world_actor_id(world, 0));
    td_diag diag = {.message = ""};
    if (td_world_cut_actor(world, rope, 12, 0.5, fallen, &diag) != TD_OK) {
        fprintf(stderr, "%s\n", diag.message);
        return HUGE_VAL;
    }
    const td_sums upper = td_world_actor_sums(world, rope),
                  lower = td_world_actor_sums(world, *fallen);
    show("whole", whole);
    show("upper", upper);
    show("lower", lower);
    return fabs(upper.linear.x + lower.linear.x - whole.linear.x) +
           fabs(upper.linear.y + lower.linear.y - whole.linear.y) +
           fabs(upper.angular.z + lower.angular.z - whole.angular.z);
}

int main(void) {
    td_world *world = new_world();
    td_actor_id fallen = {0};
    if (!world || !steps(world, 20)) {
        return 1;
    }
    const double lost = cut(world, &fallen);
    printf("lost      %g\n", lost);
    if (!(lost < 1e-12) || !steps(world, 100)) {
        return 1;
    }
    td_vec3 tip;
    td_world_segment(world, fallen, 0, NULL, &tip, NULL);
    printf("%s lies at y = %.3f m, with %d contacts\n", td_world_actor(world, fallen).name, tip.y,
           td_world_contacts(world, NULL, 0));
    td_world_free(world);
    return tip.y < 0.05 ? 0 : 1;
}
