// SPDX-License-Identifier: MIT
// When to choose again: the flow past clusters, compared with that at the last choice. The cost is
// in proportion to clusters, not segments.

#include "reduce/reduce.h"

#include <math.h>

#define GROWN 3.0 // times the flow of the last choice: the next choice is at once
#define FADES 0.5 // of the flow seen counts at the next choice
#define FLOW  1.0 // m/s: a flow below this is no gust

// From what the rule of two steps took from the past:
// v* = (4 v - v_before)/3, so that v - v_before = 3 (v* - v)
tdi_affine tdi_reduce_acceleration(const tdi_reduced_state *s, int32_t c) {
    const tdi_tree_state *t = &s->tree;
    const td_real dt = t->head.rule.dt, over = 1.5 / dt, by = 3 / dt;
    tdi_affine a;
    a.o = tdi_scale(
        tdi_sub(tdi_scale(tdi_sub(t->bdf.predictor[c].o, t->bdf.history[c].o), over), t->past[c].v),
        by);
    for (int k = 0; k < 9; k++) {
        a.r.m[k] = by * ((t->bdf.predictor[c].r.m[k] - t->bdf.history[c].r.m[k]) * over -
                         t->past[c].w.m[k]);
    }
    return a;
}

static td_vec3 flow_past(const tdi_reduced_state *s, int32_t c) {
    const td_vec3 wind = s->count->flow.by_segment ? s->wind.mean[c] : s->count->flow.air.wind;
    return tdi_sub(s->tree.past[c].v, wind);
}

// ---- entry ----------------------------------------------------------------------------------

void tdi_reduce_note(tdi_reduced_state *s) {
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        s->choice.seen[c] = fmax(tdi_norm(flow_past(s, c)), FADES * s->choice.seen[c]);
    }
}

bool tdi_reduce_gust(const tdi_reduced_state *s) {
    for (int32_t c = 0; c < s->clusters.body_count; c++) {
        const td_vec3 flow = flow_past(s, c);
        const td_real most = GROWN * s->choice.seen[c] + FLOW;
        if (s->list.stiff[c] && tdi_dot(flow, flow) > most * most) {
            return true;
        }
    }
    return false;
}
