// SPDX-License-Identifier: MIT
// Joints of an object that are hinges, slides, free balls or fixed, by what the scene says.

#include "world/object_skeleton.h"

#include "math/quat.h"
#include "plant/store.h"

#include <stdio.h>

// One entry of an object's list, and where its faults are told.
typedef struct joining {
    const td_scene *scene;
    const td_joint_def *joint;
    td_skeleton *skeleton;
    td_real size;
    int32_t object, number;
    td_diag_list *diags;
} joining;

static td_status fault(const joining *j, const char *key, const char *message) {
    static const char *const names[] = {[TD_JOINT_BALL] = "ball",
                                        [TD_JOINT_HINGE] = "hinge",
                                        [TD_JOINT_SLIDE] = "slide",
                                        [TD_JOINT_FIXED] = "fixed"};
    char path[96];
    snprintf(path, sizeof path, "objects[%d].joints[%d].%s.%s", (int)j->object, (int)j->number,
             names[j->joint->kind], key);
    return tdi_scene_fault(j->scene, j->diags, TD_ERR_SYNTAX, path, "%s", message);
}

// The segment with that id, or TD_NONE.
static int32_t find(const td_skeleton *k, int32_t id) {
    const tdi_store *s = &k->store;
    int32_t i = 0;
    while (i < s->segment_count && s->segments[i].id != id) {
        i++;
    }
    return i < s->segment_count ? i : TD_NONE;
}

// A hinge or slide is at ease as it is drawn, and starts at its place: of a hinge
//   initial = drawn turn(axis, place)
static void set_joint(const joining *j, int32_t i) {
    td_segment *s = &j->skeleton->store.segments[i];
    const struct td_joint_terms *as = &j->joint->as;
    const td_quat back = tdi_quat_conj(j->skeleton->initial[i]);
    s->joint = j->joint->kind;
    s->stiffness = as->stiffness;
    s->damping = as->damping;
    s->rest = s->initial;
    s->initial_slide = 0;
    if (s->joint == TD_JOINT_HINGE || s->joint == TD_JOINT_SLIDE) {
        s->axis = tdi_quat_rotate(back, tdi_unit_or(as->axis, tdi_vec3(0, 0, 1)));
    }
    if (s->joint == TD_JOINT_HINGE && as->place != 0) {
        s->initial = tdi_quat_unit(tdi_quat_mul(s->rest, tdi_quat_turn(s->axis, as->place)));
    }
    if (s->joint == TD_JOINT_SLIDE) {
        s->initial_slide = as->place * j->size;
    }
}

static td_status set_all(const joining *j) {
    const tdi_store *s = &j->skeleton->store;
    if (j->joint->as.segment_id >= 0) {
        const int32_t i = find(j->skeleton, j->joint->as.segment_id);
        if (i == TD_NONE) {
            return fault(j, "segment", "the object has no segment with this id");
        }
        if (i == 0 && j->scene->def.objects[j->object].loose) {
            return fault(j, "segment", "a loose object has no joint at its first segment");
        }
        set_joint(j, i);
        return TD_OK;
    }
    for (int32_t i = 0; i < s->segment_count; i++) {
        if (s->segments[i].joint == TD_JOINT_BALL) {
            set_joint(j, i);
        }
    }
    return TD_OK;
}

td_status tdi_object_set_joints(const td_scene *scene, int32_t object, td_real size,
                                td_skeleton *skeleton, td_diag_list *diags) {
    const td_object_def *o = &scene->def.objects[object];
    td_status status = TD_OK;
    for (int32_t k = 0; k < o->joint_count && status == TD_OK; k++) {
        const joining j = {scene, &o->joints[k], skeleton, size, object, k, diags};
        status = set_all(&j);
    }
    return status == TD_OK ? tdi_skeleton_repose(skeleton) : status;
}
