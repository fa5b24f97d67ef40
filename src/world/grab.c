// SPDX-License-Identifier: MIT
// The grab of td_world_grab(): a spring that pulls a segment, and a torque that twists one.

#include "world/world.h"

#include "base/diag.h"
#include "base/guard.h"

#include <math.h>

// The index of an actor, which has this segment.
static td_status find(td_world *w, td_actor_id id, int32_t segment, int32_t *out, td_diag *diag) {
    tdi_actor *a;
    const td_status status = tdi_actor_find(w, id, &a, diag);
    *out = status == TD_OK ? (int32_t)(a - w->actors) : TD_NONE;
    if (status == TD_OK && !tdi_has(segment, a->segment_count)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "segment is %d; '%s' has %d", (int)segment, a->name,
                        (int)a->segment_count);
    }
    return status;
}

static bool is_finite(td_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

td_status td_world_grab(td_world *w, td_actor_id id, int32_t segment, td_vec3 point, td_vec3 to,
                        td_real stiffness, td_diag *diag) {
    int32_t actor;
    TDI_REFUSE_IF(!w);
    TDI_TRY(find(w, id, segment, &actor, diag));
    if (!is_finite(point) || !is_finite(to) || !(stiffness >= 0 && isfinite(stiffness))) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "stiffness is %g N/m; it must be at least 0, and all numbers finite",
                        stiffness);
    }
    const tdi_grab *g = &w->loads.grab;
    const bool same = g->held && g->actor == actor && g->segment == segment;
    if (g->held) {
        tdi_actor_note_jump(w, g->actor, g->stiffness, same ? stiffness : 0);
    }
    tdi_actor_note_jump(w, actor, same ? g->stiffness : 0, stiffness);
    w->loads.grab.held = true;
    w->loads.grab.actor = actor;
    w->loads.grab.segment = segment;
    w->loads.grab.point = point;
    w->loads.grab.to = to;
    w->loads.grab.stiffness = stiffness;
    return TD_OK;
}

td_status td_world_grab_to(td_world *w, td_vec3 to, td_diag *diag) {
    TDI_REFUSE_IF(!w);
    if (!w->loads.grab.held || !is_finite(to)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        w->loads.grab.held ? "the position is not finite"
                                           : "no segment is grabbed: call td_world_grab() first");
    }
    w->loads.grab.to = to;
    return TD_OK;
}

void td_world_release(td_world *w) {
    if (w && w->loads.grab.held) {
        tdi_actor_note_jump(w, w->loads.grab.actor, w->loads.grab.stiffness, 0);
        w->loads.grab.held = false;
    }
}

td_status td_world_set_torque(td_world *w, td_actor_id id, int32_t segment, td_real torque,
                              td_diag *diag) {
    int32_t actor;
    TDI_REFUSE_IF(!w);
    TDI_TRY(find(w, id, segment, &actor, diag));
    if (!isfinite(torque)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "torque is %g N m; it must be finite", torque);
    }
    const tdi_grab *g = &w->loads.grab;
    const bool same = g->twist_actor == actor && g->twist_segment == segment;
    tdi_actor_note_jump(w, g->twist_actor, g->twist, same ? torque : 0);
    tdi_actor_note_jump(w, actor, same ? g->twist : 0, torque);
    w->loads.grab.twist_actor = actor;
    w->loads.grab.twist_segment = segment;
    w->loads.grab.twist = torque;
    return TD_OK;
}
