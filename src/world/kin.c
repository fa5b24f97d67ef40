// SPDX-License-Identifier: MIT
// Kin: segments of two actors that were one piece until it was cut. Where the cut went through they
// overlap, or nearly so, and contact cannot start from things that are in each other: such pairs
// never touch, just as neighbours on a stem do not.

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
    tdi_kinship *kin;
    tdi_capsule *capsules;
    piece *near; // those that are near the cut
    int32_t count;
} finder;

// ---- pairs ----------------------------------------------------------------------------------

static void sift(tdi_kin *p, int32_t from, int32_t count) {
    for (int32_t child; (child = 2 * from + 1) < count; from = child) {
        child += child + 1 < count && tdi_kin_compare(&p[child], &p[child + 1]) < 0;
        if (tdi_kin_compare(&p[from], &p[child]) >= 0) {
            return;
        }
        const tdi_kin kept = p[from];
        p[from] = p[child];
        p[child] = kept;
    }
}

static void sort(tdi_kinship *kin) {
    for (int32_t k = kin->count / 2 - 1; k >= 0; k--) {
        sift(kin->pair, k, kin->count);
    }
    for (int32_t k = kin->count - 1; k > 0; k--) {
        const tdi_kin top = kin->pair[0];
        kin->pair[0] = kin->pair[k];
        kin->pair[k] = top;
        sift(kin->pair, 0, k);
    }
}

static tdi_kin ordered(tdi_kin p) {
    return p.number[0] <= p.number[1]
               ? p
               : (tdi_kin){{p.number[1], p.number[0]}, {p.segment[1], p.segment[0]}};
}

td_status tdi_kin_room(tdi_kinship *kin, int64_t count, const td_alloc *alloc) {
    if (count <= kin->capacity) {
        return TD_OK;
    }
    tdi_kin *pair = tdi_array_reserve(alloc, kin->pair, &kin->capacity, count, sizeof *pair);
    kin->pair = pair ? pair : kin->pair;
    return pair ? TD_OK : TD_ERR_MEMORY;
}

void tdi_kin_free(tdi_kinship *kin, const td_alloc *alloc) {
    tdi_alloc_free(alloc, kin->pair, (size_t)kin->capacity * sizeof *kin->pair);
    *kin = (tdi_kinship){NULL, 0, 0};
}

// ---- which pairs ----------------------------------------------------------------------------

static td_real distance(const piece *p, td_vec3 c, td_vec3 d) {
    const tdi_two two = {.side = TDI_SIDE_SEGMENT, .a = p->a, .b = p->b, .c = c, .d = d};
    return tdi_closest_of(&two).distance;
}

// Whether the two were kept apart while they were one.
static bool were_apart(const finder *f, const piece *p, const piece *q) {
    const tdi_contact_ops *ops = f->whole->solver->implicit->contact;
    const tdi_capsule *c = &f->capsules[p->capsule], *d = &f->capsules[q->capsule];
    const bool shared = c->a == d->a || c->a == d->b || c->b == d->a || c->b == d->b;
    const int32_t i = p->capsule, j = q->capsule;
    return i == j || shared ||
           (ops->apart && ops->apart(f->whole->state, i < j ? i : j, i < j ? j : i));
}

// Those of the two sides that were neighbours: they overlap, or would push at once.
static td_status add_pair(const td_world *w, const finder *f, const piece *p, const piece *q) {
    const td_real range = (1 + w->scene->def.contact.gap) * (p->radius + q->radius);
    if (!p->on[TDI_STAYS] || !q->on[TDI_FALLS] || !were_apart(f, p, q) ||
        distance(p, q->a, q->b) > range) {
        return TD_OK;
    }
    td_status status = tdi_kin_room(f->kin, (int64_t)f->kin->count + 1, w->alloc);
    if (status == TD_OK) {
        const tdi_trace *t = f->trace;
        f->kin->pair[f->kin->count++] =
            ordered((tdi_kin){{t->actor[TDI_STAYS], t->actor[TDI_FALLS]},
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

td_status tdi_change_find_kin(td_world *w, tdi_change *change, int32_t segment) {
    const tdi_actor *a = &w->actors[change->trace.from];
    const size_t points = (size_t)a->state->point_count, capsules = (size_t)a->state->capsule_count,
                 bytes =
                     points * sizeof(td_vec3) + capsules * (sizeof(piece) + sizeof(tdi_capsule));
    if (!a->touches || capsules == 0) {
        return TD_OK;
    }
    char *room = tdi_alloc_zeroed(w->alloc, bytes, 1);
    finder f = {
        .whole = a, .trace = &change->trace, .kin = &change->kin, .points = (td_vec3 *)room};
    if (!room) {
        return TD_ERR_MEMORY;
    }
    f.near = (piece *)(f.points + points);
    f.capsules = (tdi_capsule *)(f.near + capsules);
    td_status status = add_pairs(w, &f, segment, change->trace.height);
    tdi_alloc_free(w->alloc, room, bytes);
    return status == TD_OK
               ? tdi_kin_room(&w->kin, (int64_t)w->kin.count + change->kin.count, w->alloc)
               : status;
}

// ---- following ------------------------------------------------------------------------------

void tdi_world_drop_kin(td_world *w, int32_t actor) {
    int32_t kept = 0;
    for (int32_t k = 0; k < w->kin.count; k++) {
        const tdi_kin p = w->kin.pair[k];
        if (p.number[0] != actor && p.number[1] != actor) {
            w->kin.pair[kept++] = p;
        }
    }
    w->kin.count = kept;
}

void tdi_world_follow_kin(td_world *w, const tdi_trace *t) {
    int32_t kept = 0;
    for (int32_t k = 0; k < w->kin.count; k++) {
        tdi_kin p = w->kin.pair[k];
        bool there = true;
        for (int side = 0; side < 2; side++) {
            there = there && tdi_trace_find(t, &p.number[side], &p.segment[side], NULL);
        }
        if (there && p.number[0] != p.number[1]) {
            w->kin.pair[kept++] = ordered(p);
        }
    }
    w->kin.count = kept;
    sort(&w->kin);
}

void tdi_world_join_kin(td_world *w, const tdi_kinship *more) {
    for (int32_t k = 0; k < more->count; k++) {
        w->kin.pair[w->kin.count++] = more->pair[k];
    }
    sort(&w->kin);
}
