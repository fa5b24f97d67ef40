// SPDX-License-Identifier: MIT
// When to choose again: what acts on clusters, beside what acted on them when joints were chosen.
// A look at all clusters costs what they cost, however many segments they have.

#include "reduce/reduce.h"

#include <math.h>

#define GROWN 3.0  // times as much as at the last choice acts at once
#define FADES 0.5  // of what was seen counts at the next choice
#define SWAY  0.3  // s: an acceleration matters that moves something by the error in this time
#define FLOW  1.0  // m/s: a flow below this is no gust
#define LEAST 1e-3 // m/s^2

// From what the rule of two steps took from the past:
// v* = (4 v - v_before)/3, so that v - v_before = 3 (v* - v)
tdi_place tdi_reduce_acceleration(const tdi_reduced_state *s, int32_t c) {
    const tdi_tree_state *t = &s->tree;
    const td_real dt = t->head.rule.dt, over = 1.5 / dt, by = 3 / dt;
    tdi_place a;
    a.o = tdi_scale(
        tdi_sub(tdi_scale(tdi_sub(t->predictor[c].o, t->history[c].o), over), t->past[c].v), by);
    for (int k = 0; k < 9; k++) {
        a.r.m[k] =
            by * ((t->predictor[c].r.m[k] - t->history[c].r.m[k]) * over - t->past[c].w.m[k]);
    }
    return a;
}

static td_vec3 flow_past(const tdi_reduced_state *s, int32_t c) {
    const td_vec3 wind = s->count->flow.by_segment ? s->winds[c] : s->count->flow.air.wind;
    return tdi_sub(s->tree.past[c].v, wind);
}

// At the far end of a cluster, at most.
static tdi_reduce_seen acting(const tdi_reduced_state *s, int32_t c) {
    const tdi_place a = tdi_reduce_acceleration(s, c);
    td_real turning = 0;
    for (int k = 0; k < 9; k++) {
        turning += a.r.m[k] * a.r.m[k];
    }
    return (tdi_reduce_seen){tdi_norm(a.o) + s->shape[s->first[c]].reach * sqrt(turning),
                             tdi_norm(flow_past(s, c))};
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_reduce_note(tdi_reduced_state *s) {
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        const tdi_reduce_seen now = acting(s, c);
        s->seen[c].pull = fmax(now.pull, FADES * s->seen[c].pull);
        s->seen[c].flow = fmax(now.flow, FADES * s->seen[c].flow);
    }
}

static bool pulled(const tdi_reduced_state *s, int32_t c) {
    const td_real least = fmax(LEAST, s->opts.error / (SWAY * SWAY));
    return acting(s, c).pull > GROWN * s->seen[c].pull + least;
}

static bool gust(const tdi_reduced_state *s, int32_t c) {
    const td_vec3 flow = flow_past(s, c);
    const td_real most = GROWN * s->seen[c].flow + FLOW;
    return tdi_dot(flow, flow) > most * most;
}

bool tdi_reduce_disturbed(const tdi_reduced_state *s, bool all) {
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        if (s->stiff[c] && (gust(s, c) || (all && pulled(s, c)))) {
            return true;
        }
    }
    return false;
}
