// SPDX-License-Identifier: MIT
// Severed pairs: segments of two actors that were one piece before a cut. At the cut they overlap,
// or nearly so, and contact cannot start from an overlap: contact skips such pairs, as it skips
// neighbours on a stem.

#include "world/regrow.h"

#include "base/alloc.h"
#include "contact/closest.h"

#include <math.h>

#define REACH 4.0 // of radii: capsules across a cut that overlap are within this of it

// A capsule of the actor before it was cut.
typedef struct piece {
    td_vec3 a, b;
    td_real radius;
    int32_t capsule, segment;
    bool on[TDI_PARTS];
} piece;

typedef struct finder {
    const tdi_actor *whole;
    const tdi_trace *trace;
    td_vec3 *points;
    tdi_severed_pairs *severed;
    tdi_capsule *capsules;
    piece *near; // those that are near the cut
    int32_t count;
} finder;

// ---- pairs ----------------------------------------------------------------------------------

static void sift(tdi_severed_pair *p, int32_t from, int32_t count) {
    for (int32_t child; (child = 2 * from + 1) < count; from = child) {
        child += child + 1 < count && tdi_severed_compare(&p[child], &p[child + 1]) < 0;
        if (tdi_severed_compare(&p[from], &p[child]) >= 0) {
            return;
        }
        const tdi_severed_pair kept = p[from];
        p[from] = p[child];
        p[child] = kept;
    }
}

static void sort(tdi_severed_pairs *severed) {
    for (int32_t k = severed->count / 2 - 1; k >= 0; k--) {
        sift(severed->pair, k, severed->count);
    }
    for (int32_t k = severed->count - 1; k > 0; k--) {
        const tdi_severed_pair top = severed->pair[0];
        severed->pair[0] = severed->pair[k];
        severed->pair[k] = top;
        sift(severed->pair, 0, k);
    }
}

static tdi_severed_pair ordered(tdi_severed_pair p) {
    return p.number[0] <= p.number[1]
               ? p
               : (tdi_severed_pair){{p.number[1], p.number[0]}, {p.segment[1], p.segment[0]}};
}

td_status tdi_severed_reserve(tdi_severed_pairs *severed, int64_t count, const td_alloc *alloc) {
    if (count <= severed->capacity) {
        return TD_OK;
    }
    tdi_severed_pair *pair =
        tdi_array_reserve(alloc, severed->pair, &severed->capacity, count, sizeof *pair);
    severed->pair = pair ? pair : severed->pair;
    return pair ? TD_OK : TD_ERR_MEMORY;
}

void tdi_severed_free(tdi_severed_pairs *severed, const td_alloc *alloc) {
    tdi_alloc_free(alloc, severed->pair, (size_t)severed->capacity * sizeof *severed->pair);
    *severed = (tdi_severed_pairs){NULL, 0, 0};
}

// ---- which pairs ----------------------------------------------------------------------------

static td_real distance(const piece *p, td_vec3 c, td_vec3 d) {
    const tdi_pair_shape two = {.side = TDI_SIDE_SEGMENT, .a = p->a, .b = p->b, .c = c, .d = d};
    return tdi_closest_of(&two).distance;
}

// Whether the two were kept apart while they were one.
static bool were_apart(const finder *f, const piece *p, const piece *q) {
    const tdi_contact_ops *ops = f->whole->solver->implicit->contact;
    const tdi_capsule *c = &f->capsules[p->capsule], *d = &f->capsules[q->capsule];
    const bool shared = c->a == d->a || c->a == d->b || c->b == d->a || c->b == d->b;
    const int32_t i = p->capsule, j = q->capsule;
    return i == j || shared ||
           (ops->is_excluded && ops->is_excluded(f->whole->state, i < j ? i : j, i < j ? j : i));
}

// Those of the two sides that were neighbours: they overlap, or would push at once.
static td_status add_pair(const td_world *w, const finder *f, const piece *p, const piece *q) {
    const td_real range = (1 + w->scene->def.contact.gap) * (p->radius + q->radius);
    if (!p->on[TDI_STAYS] || !q->on[TDI_FALLS] || !were_apart(f, p, q) ||
        distance(p, q->a, q->b) > range) {
        return TD_OK;
    }
    td_status status = tdi_severed_reserve(f->severed, (int64_t)f->severed->count + 1, w->alloc);
    if (status == TD_OK) {
        const tdi_trace *t = f->trace;
        f->severed->pair[f->severed->count++] = ordered(
            (tdi_severed_pair){{t->actor[TDI_STAYS], t->actor[TDI_FALLS]},
                               {t->next[TDI_STAYS][p->segment], t->next[TDI_FALLS][q->segment]}});
    }
    return status;
}

// Capsules near the cut.
static void find_near(finder *f, td_vec3 place, td_real radius) {
    for (int32_t k = 0; k < f->whole->state->capsule_count; k++) {
        const tdi_capsule *c = &f->capsules[k];
        piece p = {f->points[c->a], f->points[c->b], c->radius, k, c->body, {false, false}};
        for (int part = 0; part < TDI_PARTS; part++) {
            p.on[part] = f->trace->next[part][c->body] != TD_NONE;
        }
        if (distance(&p, place, place) <= REACH * (p.radius + radius)) {
            f->near[f->count++] = p;
        }
    }
}

static td_status add_pairs(const td_world *w, finder *f, int32_t segment, td_real height) {
    const tdi_actor *a = f->whole;
    const td_segment *s = &a->segments[segment];
    td_status status = TD_OK;
    td_vec3 origin;
    td_quat turn;
    a->solver->poses(a->state, segment, 1, &origin, NULL, &turn);
    tdi_state_positions(a->state, tdi_all_nodes(a->state), false, f->points);
    a->solver->implicit->contact->capsules(a->state, f->capsules);
    find_near(f, tdi_add(origin, tdi_quat_rotate(turn, tdi_vec3(0, height, 0))),
              fmax(s->radius_base, s->radius_tip));
    for (int32_t i = 0; i < f->count && status == TD_OK; i++) {
        for (int32_t j = 0; j < f->count && status == TD_OK; j++) {
            status = add_pair(w, f, &f->near[i], &f->near[j]);
        }
    }
    return status;
}

td_status tdi_change_find_severed(td_world *w, tdi_change *change, int32_t segment) {
    const tdi_actor *a = &w->actors[change->trace.from];
    const size_t points = (size_t)a->state->point_count, capsules = (size_t)a->state->capsule_count,
                 bytes =
                     points * sizeof(td_vec3) + capsules * (sizeof(piece) + sizeof(tdi_capsule));
    if (!a->has_contact || capsules == 0) {
        return TD_OK;
    }
    char *room = tdi_alloc_zeroed(w->alloc, bytes, 1);
    finder f = {.whole = a,
                .trace = &change->trace,
                .severed = &change->severed,
                .points = (td_vec3 *)room};
    TDI_TRY(room ? TD_OK : TD_ERR_MEMORY);
    f.near = (piece *)(f.points + points);
    f.capsules = (tdi_capsule *)(f.near + capsules);
    td_status status = add_pairs(w, &f, segment, change->trace.height);
    tdi_alloc_free(w->alloc, room, bytes);
    return status == TD_OK
               ? tdi_severed_reserve(&w->severed, (int64_t)w->severed.count + change->severed.count,
                                     w->alloc)
               : status;
}

// ---- following ------------------------------------------------------------------------------

void tdi_world_drop_severed(td_world *w, int32_t actor) {
    int32_t kept = 0;
    for (int32_t k = 0; k < w->severed.count; k++) {
        const tdi_severed_pair p = w->severed.pair[k];
        if (p.number[0] != actor && p.number[1] != actor) {
            w->severed.pair[kept++] = p;
        }
    }
    w->severed.count = kept;
}

void tdi_world_remap_severed(td_world *w, const tdi_trace *t) {
    int32_t kept = 0;
    for (int32_t k = 0; k < w->severed.count; k++) {
        tdi_severed_pair p = w->severed.pair[k];
        bool there = true;
        for (int side = 0; side < 2; side++) {
            there = there && tdi_trace_find(t, &p.number[side], &p.segment[side], NULL);
        }
        if (there && p.number[0] != p.number[1]) {
            w->severed.pair[kept++] = ordered(p);
        }
    }
    w->severed.count = kept;
    sort(&w->severed);
}

void tdi_world_add_severed(td_world *w, const tdi_severed_pairs *more) {
    for (int32_t k = 0; k < more->count; k++) {
        w->severed.pair[w->severed.count++] = more->pair[k];
    }
    sort(&w->severed);
}
