// SPDX-License-Identifier: MIT
// Springs of single segments that change while a world runs.
//
// Method   The actor gets a skeleton and a model of its own, with the motion that it has; these
//          take the springs, as if they were made with them. So saves hold them as they hold what
//          was cut.

#include "world/regrow.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"
#include "base/range.h"
#include "plant/store.h"
#include "tendril/control.h"
#include "world/saving_variants.h"

#include <stdio.h>
#include <string.h>

static td_status check_springs(int32_t first, int32_t count, const td_joint_spring *springs,
                               td_diag *diag) {
    td_status status = TD_OK;
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        const tdi_range ranges[] = {TDI_FROM_0_3("stiffness", "N m/rad", springs[k].stiffness),
                                    TDI_FROM_0_3("damping", "N m s/rad", springs[k].damping)};
        char of[32];
        snprintf(of, sizeof of, "segment %d", (int)(first + k));
        status = tdi_check_ranges(ranges, sizeof ranges / sizeof *ranges, of, first + k, diag);
    }
    return status;
}

static td_status check(const td_world *w, const tdi_actor *a, int32_t first, int32_t count,
                       td_diag *diag) {
    if (first < 0 || count < 0 || count > a->segment_count - first) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "first is %d and count %d; '%s' has %d segments",
                        (int)first, (int)count, a->name, (int)a->segment_count);
    }
    if (!tdi_transfer_of(a->solver)->take_springs || a->adapt.adapt) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "springs of '%s' cannot change segment by segment: it adapts, or its "
                        "solver '%s' cannot do it",
                        a->name, a->solver->info.name);
    }
    return tdi_actor_check_scene(w, a, "get other springs", diag);
}

// The springs of a copy, for the model to take.
static td_status take(td_world *w, tdi_variant *v, int32_t first, int32_t count,
                      const td_joint_spring *springs, td_diag *diag) {
    const tdi_object *o = &w->objects[v->object];
    td_skeleton *to = NULL;
    td_status status = td_skeleton_changed_new(v->skeleton, 1, NULL, 0, w->alloc, &to, diag);
    for (int32_t k = 0; k < count && status == TD_OK; k++) {
        to->store.segments[first + k].stiffness = springs[k].stiffness;
        to->store.segments[first + k].damping = springs[k].damping;
    }
    if (status == TD_OK && v->made) { // as it was made, for as long as it is changed
        tdi_variant_follow_factors(w, v, o->made);
    }
    status = status == TD_OK ? tdi_transfer_of(v->solver)->take_springs(v->model, v->skeleton, to,
                                                                        first, count, o->made, diag)
                             : status;
    if (status == TD_OK) {
        memcpy(v->skeleton->store.segments + first, to->store.segments + first,
               (size_t)count * sizeof *to->store.segments);
    }
    if (to && v->made) {
        memcpy(v->made, v->model->parameters, v->model->parameter_bytes);
        tdi_variant_follow_factors(w, v, o->factors);
    }
    td_skeleton_free(to);
    return status;
}

td_status td_world_set_springs(td_world *w, td_actor_id id, int32_t first, int32_t count,
                               const td_joint_spring *springs, td_diag *diag) {
    TDI_REFUSE_IF(!w || (count > 0 && !springs));
    tdi_actor *a;
    td_status status = tdi_actor_find(w, id, &a, diag);
    status = status == TD_OK ? check(w, a, first, count, diag) : status;
    status = status == TD_OK ? check_springs(first, count, springs, diag) : status;
    if (status != TD_OK || count == 0) {
        return status;
    }
    const int32_t k = (int32_t)(a - w->actors);
    status = tdi_actor_make_own(w, k, diag);
    const int32_t variant = w->actors[k].variant;
    status =
        status == TD_OK ? take(w, &w->variants.list[variant], first, count, springs, diag) : status;
    status = status == TD_OK ? tdi_variant_pack(w, variant) : status;
    if (status == TD_OK) {
        tdi_actor_wake(w, k, TDI_WAKE_LOADS);
    }
    return status == TD_ERR_MEMORY ? tdi_fail(diag, status, "out of memory to change springs")
                                   : status;
}
