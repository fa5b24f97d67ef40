// SPDX-License-Identifier: MIT
// What a step leaves for the next one.

#include "rod/saving.h"

#include "rod/state.h"

#include <string.h>

enum { SPANS = 13 };

// Turns count from the beginning of a step: between steps they are 0.
int32_t tdi_rod_saved(const void *body, tdi_span spans[TDI_SPANS]) {
    td_rod_state *s = (td_rod_state *)body; // what is listed may be written by the caller
    const size_t n = (size_t)s->model->node_count, welds = (size_t)s->model->weld_count;
    const tdi_span all[SPANS] = {{&s->stale, sizeof s->stale},
                                 {&s->curved, sizeof s->curved},
                                 {s->pose, n * sizeof *s->pose},
                                 {s->past, n * sizeof *s->past},
                                 {s->before, n * sizeof *s->before},
                                 {s->before_last, n * sizeof *s->before_last},
                                 {s->turn_before, n * sizeof *s->turn_before},
                                 {s->rule, n * sizeof *s->rule},
                                 {s->weld_past, welds * sizeof *s->weld_past},
                                 {s->weld_rule, welds * sizeof *s->weld_rule},
                                 {s->target, n * sizeof *s->target},
                                 {s->target_m1, n * sizeof *s->target_m1},
                                 {s->own, n * sizeof *s->own}};
    memcpy(spans, all, sizeof all);
    return SPANS;
}

// Before the first step the past has velocities alone, and no rule is prepared before the second.
void tdi_rod_blank(void *body) {
    td_rod_state *s = body;
    const size_t welds = (size_t)s->model->weld_count;
    const int32_t known = s->head.known;
    for (int32_t i = 0; known < 2 && i < s->model->node_count; i++) {
        tdi_rod_rule rule = {.turn_star = 0};
        if (known == 0) {
            s->past[i] = (tdi_rod_past){.v = s->past[i].v, .spin = s->past[i].spin};
        } else {
            memcpy(rule.strain_star, s->rule[i].strain_star, sizeof rule.strain_star);
        }
        s->rule[i] = rule;
    }
    memset(s->weld_past, 0, known < 1 ? welds * sizeof *s->weld_past : 0);
    memset(s->weld_rule, 0, known < 2 ? welds * sizeof *s->weld_rule : 0);
}

void tdi_rod_restored(void *body) {
    td_rod_state *s = body;
    const size_t n = (size_t)s->model->node_count;
    tdi_rod_note_goals(s);
    memcpy(s->pose_back, s->pose, n * sizeof *s->pose);
    memset(s->turn, 0, n * sizeof *s->turn);
}
