// SPDX-License-Identifier: MIT
// What a step leaves for the next one.

#include "helix/saving.h"

#include <string.h>

enum { SPANS = 12, HISTORY = 5 }; // those from HISTORY on are of implicit steps

int32_t tdi_helix_saved(const void *body, tdi_span spans[TDI_SPANS]) {
    td_helix_state *s = (td_helix_state *)body; // what is listed may be written by the caller
    const td_helix_model *m = s->model;
    const size_t n = (size_t)m->element_count, roots = (size_t)s->root_count,
                 stations = (size_t)m->station_count;
    const tdi_span all[SPANS] = {{s->pose.u, n * sizeof *s->pose.u},
                                 {s->pose.root, roots * sizeof *s->pose.root},
                                 {s->rate, n * sizeof *s->rate},
                                 {s->root_rate, roots * sizeof *s->root_rate},
                                 {&s->air, sizeof s->air},
                                 {s->back.u, n * sizeof *s->back.u},
                                 {s->back.root, roots * sizeof *s->back.root},
                                 {s->back.start, n * sizeof *s->back.start},
                                 {&s->back.base, sizeof s->back.base},
                                 {s->past, stations * sizeof *s->past},
                                 {s->star, stations * sizeof *s->star},
                                 {s->hat, stations * sizeof *s->hat}};
    memcpy(spans, all, sizeof all);
    return SPANS;
}

// No history is of use before it began.
void tdi_helix_blank(void *body) {
    tdi_span all[TDI_SPANS];
    const int32_t count = tdi_helix_saved(body, all);
    for (int32_t k = HISTORY; ((const td_helix_state *)body)->head.known == 0 && k < count; k++) {
        memset(all[k].data, 0, all[k].size);
    }
}

// Frames follow from the pose.
void tdi_helix_restored(void *body) {
    td_helix_state *s = body;
    tdi_helix_put_base(s, &s->head.base);
    tdi_helix_update(s);
}
