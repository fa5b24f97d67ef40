// SPDX-License-Identifier: MIT
// References to segments of an actor are mapped when it is cut or regrown: grabs, probes, loads of
// the scene, contact pairs. A reference to a segment that no longer exists ends.

#include "world/regrow.h"

// ---- where segments are ---------------------------------------------------------------------

bool tdi_trace_find(const tdi_trace *t, int32_t *actor, int32_t *segment, td_vec3 *point) {
    const int32_t old = *segment;
    if (*actor != t->from) {
        return true;
    }
    if (old < 0 || old >= t->count) {
        return false;
    }
    const bool split = old == t->split;
    const bool above = split && point && point->y > t->height;
    const int part = t->next[TDI_STAYS][old] == TD_NONE || above ? TDI_FALLS : TDI_STAYS;
    if (t->actor[part] == TD_NONE || t->next[part][old] == TD_NONE) {
        return false;
    }
    *actor = t->actor[part];
    *segment = t->next[part][old];
    if (above) {
        point->y -= t->height;
    }
    return true;
}

// ---- loads of the scene ---------------------------------------------------------------------

// Pulls and pushes are at tips.
static bool acts_on(const tdi_trace *t, const tdi_actor *from, const tdi_acting *acting, int part,
                    int32_t *segment) {
    int32_t actor = t->from;
    *segment = acting->spot.segment;
    if (acting->spot.actor == TD_NONE) {
        return true; // on all of it
    }
    td_vec3 tip = from->segments[*segment].tip;
    return tdi_trace_find(t, &actor, segment, &tip) && actor == t->actor[part];
}

void tdi_trace_acting(const tdi_trace *t, const tdi_actor *from, int part, tdi_actor *to) {
    to->load.acting_count = 0;
    for (int32_t k = 0; k < from->load.acting_count; k++) {
        tdi_acting acting = from->load.acting[k];
        int32_t segment;
        if (acts_on(t, from, &acting, part, &segment)) {
            acting.spot.segment = segment;
            acting.spot.actor = acting.spot.actor == TD_NONE ? TD_NONE : t->actor[part];
            to->load.acting[to->load.acting_count++] = acting;
        }
    }
}

// ---- entry ----------------------------------------------------------------------------------

static void follow_applied(td_world *w, const tdi_trace *t) {
    tdi_grab *g = &w->loads.grab;
    for (int32_t k = 0; k < w->loads.applied_count; k++) {
        tdi_applied_force *h = &w->loads.applied[k];
        h->alive = h->alive && tdi_trace_find(t, &h->actor, &h->segment, &h->point);
    }
    g->held = g->held && tdi_trace_find(t, &g->actor, &g->segment, &g->point);
    if (g->twist != 0 && !tdi_trace_find(t, &g->twist_actor, &g->twist_segment, NULL)) {
        g->twist = 0;
    }
}

// What a segment carries that is no more is let go.
static void follow_carried(td_world *w, const tdi_trace *t) {
    for (int32_t k = 0; k < w->actor_count; k++) {
        tdi_attachment *c = &w->actors[k].attachment;
        const bool there =
            c->actor == TD_NONE || tdi_trace_find(t, &c->actor, &c->segment, &c->at.position);
        c->actor = there ? c->actor : TD_NONE;
    }
}

// A probe of a segment that is no more stays on what carried it, or on the first.
static void follow_probes(td_world *w, const tdi_trace *t, const tdi_actor *before) {
    const td_record_def *r = &w->scene->def.record;
    for (int32_t k = 0; k < r->probe_count; k++) {
        tdi_spot *spot = &w->probes.spots[k];
        if (r->probes[k].constraint || spot->actor != t->from) {
            continue;
        }
        int32_t at = spot->segment;
        while (at != TD_NONE) {
            td_vec3 tip = before->segments[at].tip;
            int32_t actor = t->from, segment = at;
            if (tdi_trace_find(t, &actor, &segment, &tip)) {
                spot->actor = actor;
                spot->segment = segment;
                break;
            }
            at = before->segments[at].parent;
        }
        spot->segment = at == TD_NONE ? 0 : spot->segment;
    }
}

// One side of a pair: its place and 1, its generation, and its segment.
static void follow_side(const td_world *w, const tdi_trace *t, uint32_t place[2],
                        uint32_t *number) {
    int32_t actor = (int32_t)place[0] - 1, segment = (int32_t)*number;
    if (actor == t->from && tdi_trace_find(t, &actor, &segment, NULL)) {
        place[0] = (uint32_t)actor + 1;
        place[1] = w->actors[actor].generation;
        *number = (uint32_t)segment;
    }
}

// As watch.c has it, with the lower place first.
static void follow_pair(const td_world *w, const tdi_trace *t, tdi_pair *pair) {
    uint32_t *n = pair->number;
    follow_side(w, t, n, &n[2]);
    follow_side(w, t, n + 3, &n[7]);
    if (n[3] != 0 && n[3] < n[0]) {
        *pair = (tdi_pair){{n[3], n[4], n[7], n[0], n[1], n[5], n[6], n[2]}};
    }
}

// Contacts that it had when it fell asleep are no more.
static void forget_slept(td_world *w, int32_t actor) {
    int32_t kept = 0;
    for (int32_t k = 0; k < w->sleep.count; k++) {
        if (w->sleep.contacts[k].actor != actor && w->sleep.contacts[k].other_actor != actor) {
            w->sleep.contacts[kept++] = w->sleep.contacts[k];
        }
    }
    w->sleep.count = kept;
    w->actors[actor].sleep.has_contacts = false;
}

void tdi_world_follow_trace(td_world *w, const tdi_trace *t, const tdi_actor *before) {
    follow_applied(w, t);
    follow_carried(w, t);
    follow_probes(w, t, before);
    forget_slept(w, t->from);
    tdi_world_remap_severed(w, t);
    for (int32_t k = 0; k < w->watch.last_count; k++) {
        follow_pair(w, t, &w->watch.last[k]);
    }
    tdi_watch_sort(&w->watch);
}
