// SPDX-License-Identifier: MIT
// Helices of a skeleton that has grown.
//
// Method   What there was keeps its elements, stations and riders, as a piece that is left of it
//          (piece.c): its poses stay, and so does its momentum. New segments get elements of their
//          own, which stand on the old ones where the skeleton has them; a joint between the two
//          bends as the base of an axis does. New organs ride where they are.
// Springs  A joint between two elements counts half for each, also where an old axis goes on. So an
//          element takes the springs that it has in a model of the whole skeleton, where that has
//          one of the same segments; its shape stays.
// Elements An axis that grows in steps has at least one a step, more than if it was made at once.
// Kept     A segment that was there is what it was. Longer, thicker or heavier ones are refused: an
//          element spans several, and its curvature would have to be fitted anew.

#include "helix/build.h"
#include "helix/piece.h"

#include "base/alloc.h"

#include <math.h>

#define SAME 1e-9 // of its size: a segment is what it was

// ---- what is kept ---------------------------------------------------------------------------

static bool alike(td_real a, td_real b) {
    return fabs(a - b) <= SAME * fmax(fabs(a), fabs(b));
}

static bool near(td_vec3 a, td_vec3 b, td_real size) {
    return tdi_norm(tdi_sub(a, b)) <= SAME * size;
}

static bool is_same(const td_segment *a, const td_segment *b) {
    const td_section *s = &a->section, *t = &b->section;
    return a->joint == b->joint && a->organ == b->organ && alike(a->mass, b->mass) &&
           near(a->tip, b->tip, a->length) && near(a->attach, b->attach, a->length) &&
           near(a->centre_of_mass, b->centre_of_mass, a->length) && alike(s->bend_x, t->bend_x) &&
           alike(s->bend_z, t->bend_z) && alike(s->twist, t->twist) &&
           near(a->stiffness, b->stiffness, tdi_norm(a->stiffness));
}

static td_status check_kept(const td_skeleton *from, const td_skeleton *to,
                            const tdi_segment_source *segment_map, td_diag *diag) {
    const td_segment *old = td_skeleton_segments(from), *now = td_skeleton_segments(to);
    for (int32_t i = 0; i < td_skeleton_count(to); i++) {
        const int32_t was = segment_map[i].segment, up = now[i].parent;
        if (was == TD_NONE) {
            continue;
        }
        if ((up == TD_NONE ? TD_NONE : segment_map[up].segment) != old[was].parent ||
            !is_same(&old[was], &now[i])) {
            return tdi_fail_at(diag, TD_ERR_ARGUMENT, i,
                               "segment %d changed; with the solver "
                               "'helix' a plant grows by new segments alone, and those that it "
                               "has keep their size, mass and stiffness",
                               (int)i);
        }
    }
    return TD_OK;
}

// The heirs alone, one after the other, and their number of each segment.
static int32_t list_kept(const tdi_segment_source *segment_map, int32_t count,
                         tdi_segment_source *kept, int32_t *number) {
    int32_t next = 0;
    for (int32_t i = 0; i < count; i++) {
        number[i] = segment_map[i].segment == TD_NONE ? TD_NONE : next;
        if (segment_map[i].segment != TD_NONE) {
            kept[next++] = segment_map[i];
        }
    }
    return next;
}

// ---- entry ----------------------------------------------------------------------------------

static void set_springs(tdi_helix_element *e, const tdi_helix_element *from, tdi_factors by) {
    const td_vec3 f = {by.bend, by.twist, by.bend};
    e->stiffness = tdi_times(from->stiffness, f);
    e->friction = tdi_times(from->friction, f);
}

// Notes an element that all riders along another one have: TD_NONE: none yet; MANY: several.
enum { MANY = -2 };

static void note(int32_t *of, int32_t element) {
    *of = *of == TD_NONE || *of == element ? element : MANY;
}

// Elements take the springs of those of another model that have the same riders; others that are
// new, from `kept` on, have theirs.
static void take_springs(tdi_helix_model *m, int32_t kept, const tdi_helix_model *whole,
                         tdi_factors by, int32_t *there, int32_t *back) {
    for (int32_t i = 0; i < m->element_count; i++) {
        there[i] = TD_NONE;
    }
    for (int32_t i = 0; i < whole->element_count; i++) {
        back[i] = TD_NONE;
    }
    for (int32_t i = 0; i < m->rider_count; i++) {
        const tdi_helix_rider *r = &m->rider[i], *w = &whole->rider[i];
        if (r->from < r->to && w->from < w->to) {
            note(&there[r->element], w->element);
            note(&back[w->element], r->element);
        }
    }
    for (int32_t i = 0; i < m->element_count; i++) {
        const bool same = there[i] >= 0 && back[there[i]] == i;
        if (same || i >= kept) {
            set_springs(&m->element[i], same ? &whole->element[there[i]] : &m->element[i], by);
        }
    }
}

static td_status join_springs(tdi_helix_model *m, int32_t kept, const td_skeleton *skeleton,
                              int32_t elements, tdi_factors by, const td_alloc *alloc,
                              td_diag *diag) {
    tdi_helix_model *whole = NULL;
    td_status status = tdi_helix_model_from_skeleton(skeleton, elements, alloc, &whole, diag);
    if (status != TD_OK) {
        return status;
    }
    const size_t room = (size_t)m->element_count + (size_t)whole->element_count;
    int32_t *matches = tdi_alloc_zeroed(alloc, room, sizeof *matches);
    if (matches) {
        take_springs(m, kept, whole, by, matches, matches + m->element_count);
    } else {
        status = tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the helices' model");
    }
    tdi_alloc_free(alloc, matches, room * sizeof *matches);
    tdi_model_free(whole);
    return status;
}

static td_status make(const tdi_helix_model *old, const td_skeleton *to,
                      const tdi_segment_source *kept, int32_t kept_count, const int32_t *number,
                      const td_body_opts *with, tdi_factors by, const td_alloc *alloc,
                      tdi_helix_model **out, td_diag *diag) {
    td_body_model *piece = NULL;
    td_status status = tdi_helix_piece_of(old, kept, kept_count, alloc, &piece, diag);
    if (status == TD_OK) {
        const tdi_helix_model *was = (const tdi_helix_model *)piece;
        status = tdi_helix_model_extended(to, was, number, with->elements, alloc, out, diag);
        status = status == TD_OK
                     ? join_springs(*out, was->element_count, to, with->elements, by, alloc, diag)
                     : status;
    }
    if (status != TD_OK) {
        tdi_model_free(*out);
        *out = NULL;
    }
    tdi_model_free((tdi_helix_model *)piece);
    return status;
}

td_status tdi_helix_grown_new(const void *model, const td_skeleton *from, const td_skeleton *to,
                              const tdi_segment_source *segment_map, const td_body_opts *with,
                              tdi_factors by, const td_alloc *alloc, td_body_model **out,
                              td_diag *diag) {
    const size_t count = (size_t)td_skeleton_count(to);
    tdi_helix_model *made = NULL;
    *out = NULL;
    td_status status = check_kept(from, to, segment_map, diag);
    if (status != TD_OK) {
        return status;
    }
    tdi_segment_source *kept = tdi_alloc_zeroed(alloc, count, sizeof *kept);
    int32_t *number = tdi_alloc_zeroed(alloc, count, sizeof *number);
    if (kept && number) {
        const int32_t kept_count = list_kept(segment_map, (int32_t)count, kept, number);
        status = make(model, to, kept, kept_count, number, with, by, alloc, &made, diag);
    } else {
        status = tdi_fail(diag, TD_ERR_MEMORY, "out of memory for the helices' model");
    }
    tdi_alloc_free(alloc, number, count * sizeof *number);
    tdi_alloc_free(alloc, kept, count * sizeof *kept);
    *out = made ? &made->head : NULL;
    return status;
}
