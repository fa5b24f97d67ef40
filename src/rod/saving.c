// SPDX-License-Identifier: MIT
// What a step leaves for the next one.

#include "rod/saving.h"

#include "rod/pose.h"
#include "rod/state.h"

#include <string.h>

enum { SPANS = 13 };

// Frames follow their places. Before the first step the past has velocities alone, and no rule is
// prepared before the second.
static void blank(tdi_rod_state *s) {
    tdi_rod_refresh(s);
    const size_t welds = (size_t)s->model->weld_count;
    const int32_t known = s->head.known;
    for (int32_t i = 0; known < 2 && i < s->model->node_count; i++) {
        tdi_rod_rule rule = {.turn_history = 0};
        if (known == 0) {
            s->history.past[i] =
                (tdi_rod_past){.v = s->history.past[i].v, .spin = s->history.past[i].spin};
        } else {
            memcpy(rule.strain_history, s->rule[i].strain_history, sizeof rule.strain_history);
        }
        s->rule[i] = rule;
    }
    memset(s->history.weld, 0, known < 1 ? welds * sizeof *s->history.weld : 0);
    memset(s->weld_rule, 0, known < 2 ? welds * sizeof *s->weld_rule : 0);
}

void tdi_rod_restored(void *body) {
    tdi_rod_state *s = body;
    const size_t n = (size_t)s->model->node_count;
    tdi_rod_note_goals(s);
    memcpy(s->pose_back, s->pose, n * sizeof *s->pose);
    memset(s->turn, 0, n * sizeof *s->turn);
}

// Turns count from the beginning of a step: between steps they are 0.
int32_t tdi_rod_saved(void *body, tdi_saving what, tdi_span spans[TDI_SPANS]) {
    tdi_rod_state *s = body;
    if (what == TDI_SAVE_BLANK) {
        blank(s);
    } else if (what == TDI_SAVE_READ) {
        tdi_rod_restored(s);
    }
    const size_t n = (size_t)s->model->node_count, welds = (size_t)s->model->weld_count;
    const tdi_span all[SPANS] = {{&s->stale, sizeof s->stale},
                                 {&s->history.curved, sizeof s->history.curved},
                                 {s->pose, n * sizeof *s->pose},
                                 {s->history.past, n * sizeof *s->history.past},
                                 {s->history.before, n * sizeof *s->history.before},
                                 {s->before_last, n * sizeof *s->before_last},
                                 {s->history.turn_before, n * sizeof *s->history.turn_before},
                                 {s->rule, n * sizeof *s->rule},
                                 {s->history.weld, welds * sizeof *s->history.weld},
                                 {s->weld_rule, welds * sizeof *s->weld_rule},
                                 {s->target.place, n * sizeof *s->target.place},
                                 {s->target.m1, n * sizeof *s->target.m1},
                                 {s->target.own, n * sizeof *s->target.own}};
    memcpy(spans, all, sizeof all);
    return SPANS;
}

void tdi_rod_move_pose(tdi_rod_pose *pose, const tdi_rigid *g) {
    pose->x = tdi_rigid_point(g, pose->x);
    pose->edge.t = tdi_rigid_vector(g, pose->edge.t);
    pose->edge.m1 = tdi_rigid_vector(g, pose->edge.m1);
    pose->edge.m2 = tdi_rigid_vector(g, pose->edge.m2);
    pose->kb = tdi_rigid_vector(g, pose->kb);
}

static void carry_weld(tdi_rod_state *s, int32_t k, const tdi_rigid *g) {
    tdi_weld_past *p = &s->history.weld[k];
    tdi_weld_rule *r = &s->weld_rule[k];
    p->r = tdi_rigid_axes(g, &p->r);
    p->rate = tdi_rigid_axes(g, &p->rate);
    p->x = tdi_rigid_point(g, p->x);
    p->v = tdi_rigid_vector(g, p->v);
    r->history_r = tdi_rigid_axes(g, &r->history_r);
    r->predictor_r = tdi_rigid_axes(g, &r->predictor_r);
    r->history = tdi_rigid_point(g, r->history);
    r->predictor = tdi_rigid_point(g, r->predictor);
}

void tdi_rod_transform(void *body, const tdi_rigid *g) {
    tdi_rod_state *s = body;
    for (int32_t i = 0; i < s->model->node_count; i++) {
        tdi_rod_move_pose(&s->pose[i], g);
        s->history.past[i].x = tdi_rigid_point(g, s->history.past[i].x);
        s->history.past[i].v = tdi_rigid_vector(g, s->history.past[i].v);
        s->history.before[i] = tdi_rigid_point(g, s->history.before[i]);
        s->before_last[i] = tdi_rigid_point(g, s->before_last[i]);
        s->rule[i].history = tdi_rigid_point(g, s->rule[i].history);
        s->rule[i].predictor = tdi_rigid_point(g, s->rule[i].predictor);
        s->target.place[i] = tdi_rigid_point(g, s->target.place[i]);
        s->target.m1[i] = tdi_rigid_vector(g, s->target.m1[i]);
    }
    for (int32_t k = 0; k < s->model->weld_count; k++) {
        carry_weld(s, k, g);
    }
    tdi_rod_restored(body);
}
