// SPDX-License-Identifier: MIT
// Helices that take the motion of those that they were cut or grew from, and models of such as
// bytes.

#include "helix/piece.h"

#include "helix/lanes.h"

#include <string.h>

// ---- motion ---------------------------------------------------------------------------------

// Where an element of a piece comes from: an old element, from an arc length on.
typedef struct source {
    int32_t element;
    td_real from;
} source;

// Of the first rider along it that there was; TD_NONE: it is new.
static source source_of(const tdi_helix_model *m, const tdi_helix_model *old,
                        const tdi_segment_source *segment_map, int32_t element) {
    for (int32_t i = 0; i < m->rider_count; i++) {
        const tdi_helix_rider *r = &m->rider[i];
        if (r->element == element && r->from < r->to && segment_map[i].segment != TD_NONE) {
            const tdi_helix_rider *was = &old->rider[segment_map[i].segment];
            const td_real at = was->from + segment_map[i].from * (was->to - was->from);
            return (source){was->element, at - r->from};
        }
    }
    return (source){TD_NONE, 0};
}

static tdi_helix_root root_at(const tdi_helix_pose *pose, const source *at) {
    const tdi_helix_place f = tdi_helix_frame_at(pose, at->element, at->from);
    return (tdi_helix_root){f.o,
                            tdi_quat_from_axes(tdi_mat3_column(&f.r, 0), tdi_mat3_column(&f.r, 1),
                                               tdi_mat3_column(&f.r, 2))};
}

static void inherit_element(tdi_helix_state *to, tdi_helix_state *from, int32_t i, source at) {
    const tdi_helix_element *e = &to->model->element[i];
    const int32_t root = to->root_place[i], was = from->root_place[at.element];
    to->pose.u[i] = from->pose.u[at.element];
    to->back.u[i] = from->back.u[at.element];
    to->rate[i] = from->rate[at.element];
    to->back.start[i] = tdi_helix_frame_at(&from->back, at.element, at.from);
    if (root != TD_NONE && was != TD_NONE && e->root != TD_END_FREE) {
        to->pose.root[root] = from->pose.root[was];
        to->back.root[root] = from->back.root[was];
        to->root_rate[root] = from->root_rate[was];
    } else if (root != TD_NONE) {
        to->pose.root[root] = root_at(&from->pose, &at);
        to->back.root[root] = root_at(&from->back, &at);
        to->root_rate[root] = tdi_helix_rate_at(from, at.element, at.from);
    }
}

// Stations are those of the old elements, in their order.
static void inherit_stations(tdi_helix_state *to, const tdi_helix_state *from, const source *at,
                             int32_t first, int32_t count, int32_t *next) {
    for (int32_t k = first; k < first + count; k++) {
        const tdi_helix_station *s = &to->model->station[k];
        const tdi_helix_station *old = from->model->station;
        while (*next < from->model->station_count - 1 &&
               !(old[*next].element == at->element &&
                 (s->element == TD_NONE || old[*next].s - at->from == s->s))) {
            (*next)++;
        }
        to->past[k] = from->past[*next];
        to->history[k] = from->history[*next];
        to->predictor[k] = from->predictor[*next];
        (*next)++;
    }
}

static bool has_grown(const tdi_helix_model *m, const tdi_segment_source *segment_map) {
    bool grown = false;
    for (int32_t i = 0; i < m->rider_count && !grown; i++) {
        grown = segment_map[i].segment == TD_NONE;
    }
    return grown;
}

// Curvatures and rates. New elements stand as drawn and do not bend; where they were a step before
// nobody knows, so that the next step is of first order.
static void inherit_now(tdi_helix_state *to, tdi_helix_state *from,
                        const tdi_segment_source *segment_map) {
    for (int32_t i = 0; i < to->model->element_count; i++) {
        const source at = source_of(to->model, from->model, segment_map, i);
        if (at.element != TD_NONE) {
            inherit_element(to, from, i, at);
        }
    }
    to->head.known = 0;
    tdi_helix_update(to);
}

void tdi_helix_inherit(void *state, void *old, const tdi_segment_source *segment_map) {
    tdi_helix_state *to = state, *from = old;
    const tdi_helix_model *m = to->model;
    int32_t next = 0;
    tdi_helix_move(from);
    to->head.time = from->head.time;
    to->head.dt = from->head.dt;
    to->head.known = from->head.known;
    to->head.moved = 1; // it is not as drawn
    to->head.air = from->head.air;
    to->back.base = from->back.base;
    if (has_grown(m, segment_map)) {
        inherit_now(to, from, segment_map);
        return;
    }
    for (int32_t i = 0; i < m->element_count; i++) {
        const source at = source_of(m, from->model, segment_map, i);
        inherit_element(to, from, i, at);
        inherit_stations(to, from, &at, m->element[i].station_first, m->element[i].station_count,
                         &next);
    }
    const int32_t last = m->element[m->element_count - 1].station_first +
                         m->element[m->element_count - 1].station_count;
    inherit_stations(to, from, &(source){TD_NONE, 0}, last, m->station_count - last, &next);
    tdi_helix_update(to);
}

// ---- bytes ----------------------------------------------------------------------------------

size_t tdi_helix_pack(const void *model, char *bytes) {
    const tdi_helix_model *m = model;
    const tdi_helix_counts counts = {m->element_count, m->station_count, m->vane_count,
                                     m->rider_count, m->capsule_count};
    if (bytes) {
        memcpy(bytes, &counts, sizeof counts);
        memcpy(bytes + sizeof counts, m->head.parameters, m->head.parameter_bytes);
    }
    return sizeof counts + m->head.parameter_bytes;
}

static bool good_point(const tdi_helix_model *m, const tdi_helix_point *p) {
    return p->element >= 0 && p->element < m->element_count && p->segment >= 0 &&
           p->segment < m->rider_count;
}

static bool good_elements(const tdi_helix_model *m) {
    int32_t station = 0, vane = 0;
    bool good = true;
    for (int32_t i = 0; i < m->element_count && good; i++) {
        const tdi_helix_element *e = &m->element[i];
        good = e->parent >= TD_NONE && e->parent < i && (uint32_t)e->root <= TD_END_CLAMPED &&
               e->length > 0 && e->mass > 0 && e->station_first == station &&
               e->station_count >= 0 && e->station_count <= m->station_count - station &&
               e->vane_first == vane && e->vane_count >= 0 && e->vane_count <= m->vane_count - vane;
        station += good ? e->station_count : 0;
        vane += good ? e->vane_count : 0;
        for (int32_t k = good ? e->station_first : station; k < station && good; k++) {
            good = m->station[k].element == i;
        }
        for (int32_t k = good ? e->vane_first : vane; k < vane && good; k++) {
            good = m->vane[k].point.element == i;
        }
    }
    for (int32_t k = station; k < m->station_count && good; k++) {
        good = m->station[k].element == TD_NONE;
    }
    return good && vane == m->vane_count;
}

static bool is_good(const tdi_helix_model *m) {
    bool good = good_elements(m);
    for (int32_t k = 0; k < m->vane_count && good; k++) {
        good = good_point(m, &m->vane[k].point);
    }
    for (int32_t k = 0; k < m->rider_count && good; k++) {
        const tdi_helix_rider *r = &m->rider[k];
        good = r->element >= TD_NONE && r->element < m->element_count && r->capsule >= TD_NONE &&
               r->capsule < m->capsule_count && r->length > 0;
    }
    for (int32_t k = 0; k < m->capsule_count && good; k++) {
        const tdi_helix_capsule *c = &m->capsule[k];
        good = good_point(m, &c->end[0]) && good_point(m, &c->end[1]) &&
               c->end[0].element == c->end[1].element && c->radius > 0;
    }
    return good;
}

td_status tdi_helix_unpack(const td_skeleton *skeleton, const char *bytes, size_t size,
                           const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    tdi_helix_counts z;
    *out = NULL;
    bool good = size >= sizeof z;
    if (good) {
        memcpy(&z, bytes, sizeof z);
        const int32_t counts[] = {z.elements - 1, z.stations, z.vanes, z.riders, z.capsules};
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            good = good && counts[k] >= 0 && (size_t)counts[k] <= size / sizeof(td_real);
        }
        good = good && z.riders == td_skeleton_count(skeleton);
    }
    tdi_helix_model *m = good ? tdi_helix_model_alloc(&z, alloc, diag) : NULL;
    if (good && !m) {
        return TD_ERR_MEMORY;
    }
    good = good && m->head.parameter_bytes == size - sizeof z;
    if (good) {
        memcpy(m->element, bytes + sizeof z, m->head.parameter_bytes);
        good = is_good(m);
    }
    if (!good) {
        tdi_model_free(m);
        return tdi_fail(diag, TD_ERR_SYNTAX, "the save holds an invalid helix model");
    }
    tdi_helix_model_finish(m);
    *out = &m->head;
    return TD_OK;
}
