// SPDX-License-Identifier: MIT
// A robot arm: three hinges and a slide, whose motors reach for angles by torques. The torques are
// those that carry the arm's weight (inverse dynamics) and a spring and a damper towards the goal.
//
//     cc arm.c $(pkg-config --cflags --libs tendril) -lm -o arm

#include <math.h>
#include <stdio.h>
#include <tendril/tendril.h>

enum { JOINTS = 4 };

static td_status add(td_builder *builder, int32_t parent, td_joint_kind joint, td_vec3 axis,
                     double length, td_diag *diag) {
    td_segment_def link = td_segment_def_default();
    link.parent = parent;
    link.joint = joint;
    link.axis = axis;
    link.length = length;
    link.radius_base = link.radius_tip = 0.03;
    link.has_stiffness = link.has_damping = true; // no springs: the motors do it all
    link.stiffness = link.damping = td_vec3_of(0, 0, 0);
    return td_builder_add(builder, &link, NULL, diag);
}

// A waist that turns about the vertical, a shoulder, an elbow, and a hand that slides out.
static td_skeleton *build(td_diag *diag) {
    const td_vec3 up = {0, 1, 0}, side = {0, 0, 1};
    td_builder *builder = NULL;
    td_skeleton *arm = NULL;
    td_status status = td_builder_new(NULL, NULL, &builder, NULL);
    status = status == TD_OK ? add(builder, TD_NONE, TD_JOINT_HINGE, up, 0.3, diag) : status;
    status = status == TD_OK ? add(builder, 0, TD_JOINT_HINGE, side, 0.5, diag) : status;
    status = status == TD_OK ? add(builder, 1, TD_JOINT_HINGE, side, 0.4, diag) : status;
    status = status == TD_OK ? add(builder, 2, TD_JOINT_SLIDE, up, 0.2, diag) : status;
    status = status == TD_OK ? td_builder_finish(builder, &arm, diag) : status;
    td_builder_free(builder);
    return arm;
}

// torque = weight(q) + k (goal - q) - c q', with stops on the slide.
static void control(td_body *state, const td_real *goal, td_joint_drive *drives) {
    static const td_real spring[JOINTS] = {40, 120, 60, 900}, damper[JOINTS] = {8, 24, 10, 60};
    const td_real still[JOINTS] = {0};
    const td_real *q = td_tree_coords(state), *v = td_tree_velocities(state);
    td_real weight[JOINTS];
    td_tree_inverse(state, td_vec3_of(0, -9.81, 0), still, weight);
    for (int k = 0; k < JOINTS; k++) {
        drives[k] = td_joint_drive_default();
        drives[k].torque = weight[k] + spring[k] * (goal[k] - q[k]) - damper[k] * v[k];
    }
    drives[3].low = 0;
    drives[3].high = 0.15;
    drives[3].limit_stiffness = 1e5;
}

int main(void) {
    static const td_real goals[2][JOINTS] = {{0.8, -0.9, 1.2, 0.1}, {-1.1, -0.4, 0.7, 0.05}};
    td_diag diag = {.message = ""};
    td_diag_list faults = {&diag, 1, 0};
    td_world *world = NULL;
    td_object_def object = td_object_def_default();
    td_scene_def scene = td_scene_def_default();
    td_skeleton *arm = build(&diag);
    double worst = 0;
    object.name = "arm";
    object.skeleton = arm;
    object.start = TD_START_DRAWN;
    scene.objects = &object;
    scene.object_count = 1;
    scene.record.fps = 240; // motors are told anew 240 times a second
    if (!arm || td_world_new(&scene, NULL, NULL, &world, &faults) != TD_OK) {
        fprintf(stderr, "%s\n", diag.message);
        return 1;
    }
    const td_actor_id id = td_world_actor_id(world, 0);
    td_body *state = td_world_body(world, td_world_actor_id(world, 0));
    for (int k = 0; k < 2; k++) {
        for (int step = 0; step < 720; step++) {
            td_joint_drive drives[JOINTS];
            control(state, goals[k], drives);
            if (td_world_set_drives(world, id, 0, JOINTS, drives, &diag) != TD_OK ||
                td_world_step(world, &diag) != TD_OK) {
                fprintf(stderr, "%s\n", diag.message);
                return 1;
            }
        }
        const td_real *q = td_tree_coords(state);
        const td_vec3 hand = td_body_tip(state, JOINTS - 1);
        printf("%.1f s: waist %+.3f, shoulder %+.3f, elbow %+.3f rad, hand out %.3f m, at "
               "%.3f %.3f %.3f m\n",
               td_world_time(world), q[0], q[1], q[2], q[3], hand.x, hand.y, hand.z);
        for (int j = 0; j < JOINTS; j++) {
            worst = fmax(worst, fabs(q[j] - goals[k][j]));
        }
    }
    td_world_free(world);
    td_skeleton_free(arm);
    return worst < 0.01 ? 0 : 1;
}
