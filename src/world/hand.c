// SPDX-License-Identifier: MIT
// The hand: a spring that pulls at a segment, and a torque that twists one.

#include "world/world.h"

#include "base/diag.h"
#include "base/guard.h"

#include <math.h>

static bool has_segment(const td_world *w, int32_t actor, int32_t segment) {
    return tdi_has(actor, w->actor_count) && w->actors[actor].alive &&
           tdi_has(segment, w->actors[actor].segment_count);
}

static bool is_finite(td_vec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

td_status td_world_grab(td_world *w, int32_t actor, int32_t segment, td_vec3 point, td_vec3 to,
                        td_real stiffness) {
    if (!w || !has_segment(w, actor, segment) || !is_finite(point) || !is_finite(to) ||
        !(stiffness >= 0 && isfinite(stiffness))) {
        return TD_ERR_ARGUMENT;
    }
    const tdi_grab *g = &w->loads.grab;
    const bool same = g->held && g->actor == actor && g->segment == segment;
    if (g->held) {
        tdi_actor_jolt(w, g->actor, g->stiffness, same ? stiffness : 0);
    }
    tdi_actor_jolt(w, actor, same ? g->stiffness : 0, stiffness);
    w->loads.grab.held = true;
    w->loads.grab.actor = actor;
    w->loads.grab.segment = segment;
    w->loads.grab.point = point;
    w->loads.grab.to = to;
    w->loads.grab.stiffness = stiffness;
    return TD_OK;
}

td_status td_world_grab_to(td_world *w, td_vec3 to) {
    if (!w || !w->loads.grab.held || !is_finite(to)) {
        return TD_ERR_ARGUMENT;
    }
    w->loads.grab.to = to;
    return TD_OK;
}

void td_world_release(td_world *w) {
    if (w && w->loads.grab.held) {
        tdi_actor_jolt(w, w->loads.grab.actor, w->loads.grab.stiffness, 0);
        w->loads.grab.held = false;
    }
}

td_status td_world_set_torque(td_world *w, int32_t actor, int32_t segment, td_real torque) {
    if (!w || !has_segment(w, actor, segment) || !isfinite(torque)) {
        return TD_ERR_ARGUMENT;
    }
    const tdi_grab *g = &w->loads.grab;
    const bool same = g->twist_actor == actor && g->twist_segment == segment;
    tdi_actor_jolt(w, g->twist_actor, g->twist, same ? torque : 0);
    tdi_actor_jolt(w, actor, same ? g->twist : 0, torque);
    w->loads.grab.twist_actor = actor;
    w->loads.grab.twist_segment = segment;
    w->loads.grab.twist = torque;
    return TD_OK;
}
