// SPDX-License-Identifier: MIT
// What a world tells its log: what was made, steps that were hard, and steps that failed.

#include "world/world.h"

#include "base/log.h"
#include "plant/solids.h"

// Welded plates that thin things pass through.
static void log_leaks(const td_world *w) {
    const bool heard = tdi_logs(&w->log, TD_LOG_WARNING) && tdi_world_has_contact(w);
    for (int32_t k = 0; heard && k < w->actor_count; k++) {
        const td_skeleton *skeleton = td_world_actor(w, td_world_actor_id(w, k)).skeleton;
        for (int32_t i = 0; i < td_skeleton_count(skeleton); i++) {
            const td_real leak =
                tdi_box_leak(&td_skeleton_segments(skeleton)[i], td_skeleton_shapes(skeleton));
            if (leak > 0) {
                tdi_log(&w->log, TD_LOG_WARNING,
                        "'%s': the welded body of segment %d is a thin plate; things thinner than "
                        "%g m can pass through its faces",
                        w->actors[k].name, (int)i, leak);
            }
        }
    }
}

void tdi_world_log_made(const td_world *w) {
    tdi_log(&w->log, TD_LOG_INFO,
            "a world of %d actors with %lld segments was made; a step is %g s, on %d threads",
            (int)w->actor_count, (long long)w->room.segment_count, w->clock.default_dt,
            (int)td_pool_threads(w->pool));
    tdi_world_log_dt(w);
    log_leaks(w);
}

void tdi_world_log_dt(const td_world *w) {
    if (w->clock.steps_a_frame == 0) {
        tdi_log(&w->log, TD_LOG_INFO, "frames of 1/%g s lie within steps of %g s",
                w->scene->def.record.fps, w->clock.default_dt);
    }
}

void tdi_world_log_failure(const td_world *w, td_status status, const td_diag *diag) {
    tdi_log(&w->log, TD_LOG_ERROR, "the step at %g s failed: %s", td_world_time(w),
            diag->message[0] ? diag->message : td_status_text(status));
}

// Of an island its first actor has the statistics, and stands for all.
static void log_actor(const td_world *w, const tdi_actor *a) {
    const td_real time = td_world_time(w);
    if (a->step.stats.halved > a->before.stats.halved) {
        tdi_log(&w->log, TD_LOG_WARNING, "'%s' at %g s: the step was taken in halves", a->name,
                time);
    }
    if (a->step.stats.unconverged > a->before.stats.unconverged) {
        tdi_log(&w->log, TD_LOG_WARNING,
                "'%s' at %g s: Newton's method reached its limit of iterations", a->name, time);
    }
}

void tdi_world_log_step(const td_world *w) {
    if (!tdi_logs(&w->log, TD_LOG_WARNING)) {
        return;
    }
    for (int32_t k = 0; k < w->actor_count; k++) {
        if (tdi_actor_acts(&w->actors[k])) {
            log_actor(w, &w->actors[k]);
        }
    }
}
