// SPDX-License-Identifier: MIT
// Helices of what is left of a skeleton that was cut.
//
// Method   Elements keep their curvatures and are cut at the arc length of the cut: a piece of a
//          helix is a helix. Stations, vanes and riders go with the piece that they are on. So all
//          poses stay, and momentum, which is a sum over stations, is that of the whole.
// Root     What falls off begins at a frame of the old element, free.
// Mass     of each side is that of its stations: total mass is kept, and each side's is off by less
//          than a station's.

#include "helix/piece.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

typedef struct span { // of an old element that is kept; to < 0: none is
    td_real from, to;
    int32_t element; // its number in the piece
} span;

typedef struct piecer {
    const tdi_helix_model *old;
    const tdi_segment_source *segment_map;
    int32_t count;          // of segments
    span *span;             // an old element
    int32_t *segment;       // an old segment: its number, or TD_NONE
    tdi_helix_place *drawn; // an old element: its first frame as drawn
    tdi_helix_model *m;
    tdi_helix_counts counts;
} piecer;

// ---- what is kept ---------------------------------------------------------------------------

static td_real arc_at(const tdi_helix_rider *r, td_real part) {
    return part == 1 ? r->to : r->from + part * (r->to - r->from);
}

static void find_spans(piecer *k) {
    for (int32_t e = 0; e < k->old->element_count; e++) {
        k->span[e] = (span){HUGE_VAL, -1, TD_NONE};
    }
    for (int32_t i = 0; i < k->old->rider_count; i++) {
        k->segment[i] = TD_NONE;
    }
    for (int32_t i = 0; i < k->count; i++) {
        const tdi_segment_source *h = &k->segment_map[i];
        const tdi_helix_rider *r = &k->old->rider[h->segment];
        k->segment[h->segment] = i;
        if (r->element != TD_NONE && r->from < r->to) {
            span *s = &k->span[r->element];
            s->from = fmin(s->from, arc_at(r, h->from));
            s->to = fmax(s->to, arc_at(r, h->to));
        }
    }
    for (int32_t e = 0; e < k->old->element_count; e++) {
        if (k->span[e].to > 0) {
            k->span[e].element = k->counts.elements++;
        }
    }
}

// What is at the cut goes with the lower side if it rides there, and with the upper if it is a
// slice.
static bool is_on(const piecer *k, int32_t element, td_real s, bool rides) {
    if (element == TD_NONE) { // on the base, with what stays
        return k->span[0].to > 0 && k->span[0].from == 0 && k->old->element[0].parent == TD_NONE;
    }
    const span *kept = &k->span[element];
    const bool last = kept->to == k->old->element[element].length, first = kept->from == 0;
    return kept->to > 0 && (rides ? s > kept->from || first : s >= kept->from) &&
           (rides ? s <= kept->to : s < kept->to || last);
}

// The bead at the tip of a stem, which is its second, falls off with the tip.
static int32_t capsules_of(const piecer *k, int32_t i) {
    const int32_t count = tdi_helix_capsules_of(k->old, k->segment_map[i].segment);
    return k->segment_map[i].to < 1 && count > 1 ? 1 : count;
}

static void count_parts(piecer *k) {
    const tdi_helix_model *m = k->old;
    for (int32_t i = 0; i < m->station_count; i++) {
        k->counts.stations += is_on(k, m->station[i].element, m->station[i].s, m->station[i].rigid);
    }
    for (int32_t i = 0; i < m->vane_count; i++) {
        k->counts.vanes += is_on(k, m->vane[i].point.element, m->vane[i].point.s, false);
    }
    k->counts.riders = k->count;
    for (int32_t i = 0; i < k->count; i++) {
        k->counts.capsules += capsules_of(k, i);
    }
}

static td_status check(const piecer *k, td_diag *diag) {
    bool good = k->counts.elements > 0;
    for (int32_t i = 0; i < k->count && good; i++) {
        const int32_t e = k->old->rider[k->segment_map[i].segment].element;
        good = e == TD_NONE || k->span[e].to > 0;
    }
    if (!good) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "what would fall off rides rigidly on its helix; cut what carries it");
    }
    for (int32_t e = 0; e < k->old->element_count; e++) {
        int32_t stations = 0;
        const tdi_helix_element *old = &k->old->element[e];
        for (int32_t i = old->station_first; i < old->station_first + old->station_count; i++) {
            stations += is_on(k, e, k->old->station[i].s, k->old->station[i].rigid);
        }
        if (k->span[e].to > 0 && stations == 0) {
            return tdi_fail(diag, TD_ERR_ARGUMENT,
                            "too little of a helix would be on one side; cut it a little "
                            "further up or down");
        }
    }
    return TD_OK;
}

// ---- parts ----------------------------------------------------------------------------------

static void draw(piecer *k) {
    for (int32_t e = 0; e < k->old->element_count; e++) {
        const tdi_helix_element *old = &k->old->element[e];
        tdi_helix_place up = {{0, 0, 0}, {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
        if (old->parent != TD_NONE) {
            const tdi_helix_frame at = tdi_helix_at(k->old->element[old->parent].start, old->at);
            const tdi_helix_place *start = &k->drawn[old->parent];
            up.o = tdi_add(start->o, tdi_mat3_apply(&start->r, at.x));
            up.r = tdi_mat3_mul(&start->r, &at.r);
        }
        k->drawn[e].o = tdi_add(up.o, tdi_mat3_apply(&up.r, old->place));
        k->drawn[e].r = tdi_mat3_mul(&up.r, &old->turn);
    }
}

static void set_root(const piecer *k, tdi_helix_element *e, int32_t old) {
    const tdi_helix_frame at = tdi_helix_at(k->old->element[old].start, k->span[old].from);
    const tdi_helix_place *start = &k->drawn[old];
    e->parent = TD_NONE;
    e->root = TD_END_FREE;
    e->at = 0;
    e->place = tdi_add(start->o, tdi_mat3_apply(&start->r, at.x));
    e->turn = tdi_mat3_mul(&start->r, &at.r);
}

static void make_elements(const piecer *k) {
    for (int32_t i = 0; i < k->old->element_count; i++) {
        const span *s = &k->span[i];
        if (!(s->to > 0)) {
            continue;
        }
        tdi_helix_element *e = &k->m->element[s->element];
        *e = k->old->element[i];
        const td_real share = (s->to - s->from) / e->length;
        e->length = s->to - s->from;
        e->stiffness = tdi_scale(e->stiffness, share);
        e->friction = tdi_scale(e->friction, share);
        const bool there = e->parent != TD_NONE && k->span[e->parent].to > 0;
        if (there && s->from == 0) {
            e->at -= k->span[e->parent].from;
            e->parent = k->span[e->parent].element;
        } else if (e->parent != TD_NONE || s->from > 0) {
            set_root(k, e, i);
        }
    }
}

static void make_stations(const piecer *k) {
    const tdi_helix_model *m = k->old;
    int32_t next = 0;
    for (int32_t i = 0; i < m->station_count; i++) {
        tdi_helix_station s = m->station[i];
        if (is_on(k, s.element, s.s, s.rigid)) {
            s.s -= s.element == TD_NONE ? 0 : k->span[s.element].from;
            s.element = s.element == TD_NONE ? TD_NONE : k->span[s.element].element;
            k->m->station[next++] = s;
        }
    }
}

static tdi_helix_point moved(const piecer *k, tdi_helix_point p) {
    p.s -= k->span[p.element].from;
    p.element = k->span[p.element].element;
    p.segment = k->segment[p.segment];
    return p;
}

// A vane at the cut may feel the wind of a segment of the other side: of the nearest, then.
static void make_vanes(const piecer *k) {
    const tdi_helix_model *m = k->old;
    int32_t next = 0;
    for (int32_t i = 0; i < m->vane_count; i++) {
        tdi_helix_vane v = m->vane[i];
        if (is_on(k, v.point.element, v.point.s, false)) {
            v.point = moved(k, v.point);
            v.point.segment = v.point.segment == TD_NONE ? 0 : v.point.segment;
            k->m->vane[next++] = v;
        }
    }
}

static td_vec3 mix(td_vec3 a, td_vec3 b, td_real part) {
    return tdi_add(tdi_scale(a, 1 - part), tdi_scale(b, part));
}

static void make_capsule(const piecer *k, int32_t i, int32_t old, const tdi_helix_rider *r,
                         tdi_helix_capsule *out) {
    tdi_helix_capsule c = k->old->capsule[old];
    const tdi_segment_source *h = &k->segment_map[i];
    c.end[0] = moved(k, c.end[0]);
    c.end[1] = moved(k, c.end[1]);
    const bool whole = old > k->old->rider[h->segment].capsule; // only its first is cut
    if (h->from > 0 && !whole) {
        c.end[0].s = r->from;
        c.end[0].offset = r->start;
    }
    if (h->to < 1) {
        c.end[1].s = r->to;
        c.end[1].offset = r->end;
        c.end[0].s = fmin(c.end[0].s, r->to);
    }
    *out = c;
}

static void make_riders(const piecer *k) {
    int32_t next = 0;
    for (int32_t i = 0; i < k->count; i++) {
        const tdi_segment_source *h = &k->segment_map[i];
        const tdi_helix_rider *old = &k->old->rider[h->segment];
        tdi_helix_rider *r = &k->m->rider[i];
        *r = *old;
        if (old->element == TD_NONE) {
            continue;
        }
        const span *s = &k->span[old->element];
        r->element = s->element;
        r->from = arc_at(old, h->from) - s->from;
        r->to = arc_at(old, h->to) - s->from;
        r->start = mix(old->start, old->end, h->from);
        r->end = mix(old->start, old->end, h->to);
        r->length = old->length * (h->to - h->from);
        if (old->capsule != TD_NONE) {
            const int32_t count = capsules_of(k, i);
            r->capsule = next;
            for (int32_t j = 0; j < count; j++) {
                make_capsule(k, i, old->capsule + j, r, &k->m->capsule[next++]);
            }
        }
    }
}

void tdi_helix_number_parts(tdi_helix_model *m) {
    int32_t station = 0, vane = 0;
    for (int32_t i = 0; i < m->element_count; i++) {
        tdi_helix_element *e = &m->element[i];
        e->station_first = station;
        e->vane_first = vane;
        while (station < m->station_count && m->station[station].element == i) {
            station++;
        }
        while (vane < m->vane_count && m->vane[vane].point.element == i) {
            vane++;
        }
        e->station_count = station - e->station_first;
        e->vane_count = vane - e->vane_first;
    }
}

// ---- entry ----------------------------------------------------------------------------------

static td_status make(piecer *k, const td_alloc *alloc, td_body_model **out, td_diag *diag) {
    find_spans(k);
    count_parts(k);
    TDI_TRY(check(k, diag));
    k->m = tdi_helix_model_alloc(&k->counts, alloc, diag);
    TDI_TRY(k->m ? TD_OK : TD_ERR_MEMORY);
    draw(k);
    make_elements(k);
    make_stations(k);
    make_vanes(k);
    make_riders(k);
    tdi_helix_number_parts(k->m);
    tdi_helix_model_finish(k->m);
    if (TDI_ASSERTS) {
        tdi_helix_model_validate(k->m);
    }
    *out = &k->m->head;
    return TD_OK;
}

td_status tdi_helix_piece_of(const tdi_helix_model *old, const tdi_segment_source *segment_map,
                             int32_t count, const td_alloc *alloc, td_body_model **out,
                             td_diag *diag) {
    const size_t elements = (size_t)old->element_count, riders = (size_t)old->rider_count,
                 bytes =
                     elements * (sizeof(span) + sizeof(tdi_helix_place)) + riders * sizeof(int32_t);
    char *room = tdi_alloc_zeroed(alloc, bytes, 1);
    *out = NULL;
    if (!room) {
        return tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the helices' model");
    }
    piecer k = {.old = old, .segment_map = segment_map, .count = count};
    k.span = (span *)room;
    k.drawn = (tdi_helix_place *)(k.span + elements);
    k.segment = (int32_t *)(k.drawn + elements);
    td_status status = make(&k, alloc, out, diag);
    tdi_alloc_free(alloc, room, bytes);
    return status;
}
