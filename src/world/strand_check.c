// SPDX-License-Identifier: MIT
// Strands whose segments are far too short for self-contact.
//
// A capsule of length l and radius r on a straight strand is near some 2 + 4 r/l capsules of that
// strand. Where segments are much shorter than thick and the turns of a coil are close, there are
// more pairs than memory for them as soon as it moves. Pairs are counted here, within the widest
// activation distance, before any step or search for rest.

#include "world/world.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

#define SHORT  0.3 // of the radius: the mean length of segments below which pairs are counted
#define WIDEST 1.0 // of a radius: the range in which pairs are counted; none of a scene is wider
#define LEAST  0.5 // of the radius: the length of segments that is advised

static bool skip_pair(void *context, int32_t i, int32_t j) {
    const tdi_actor *a = context;
    const tdi_contact_ops *ops = a->solver->implicit->contact;
    return ops->is_excluded && ops->is_excluded(a->state, i, j);
}

// Capsules, and where their points are.
typedef struct crowd {
    const tdi_actor *actor;
    int32_t points, capsules;
    tdi_capsule *capsule;
    td_vec3 *x;
    td_real length, radius; // m: of all capsules
} crowd;

static void measure(crowd *c) {
    const tdi_contact_ops *ops = c->actor->solver->implicit->contact;
    ops->capsules(c->actor->state, c->capsule);
    tdi_state_positions(c->actor->state, tdi_all_nodes(c->actor->state), false, c->x);
    for (int32_t k = 0; k < c->capsules; k++) {
        const tdi_capsule *own = &c->capsule[k];
        c->length += tdi_norm(tdi_sub(c->x[own->b], c->x[own->a]));
        c->radius += own->radius;
    }
}

static td_status count_pairs(const td_world *w, const crowd *c, td_diag *diag) {
    td_contact_opts opts = tdi_world_contact_opts(w);
    opts.gap = WIDEST;
    const tdi_contacts_def def = {.opts = &opts,
                                  .capsule = c->capsule,
                                  .capsule_count = c->capsules,
                                  .point_count = c->points,
                                  .skip = skip_pair,
                                  .context = (void *)c->actor};
    tdi_contacts *set;
    td_status status = tdi_contacts_new(&def, w->alloc, &set, diag);
    if (status == TD_OK) {
        status = tdi_contacts_find(set, c->x, NULL, diag);
        tdi_contacts_free(set);
    }
    return status;
}

static td_status check_actor(const td_world *w, const tdi_actor *a, td_diag *diag) {
    crowd c = {.actor = a, .points = a->state->point_count, .capsules = a->state->capsule_count};
    const size_t points = (size_t)c.points, capsules = (size_t)c.capsules;
    c.capsule = tdi_alloc_zeroed(w->alloc, capsules, sizeof *c.capsule);
    c.x = tdi_alloc_zeroed(w->alloc, points, sizeof *c.x);
    td_status status = c.capsule && c.x ? TD_OK : TD_ERR_MEMORY;
    if (status == TD_OK) {
        measure(&c);
        const bool fine = c.length < SHORT * c.radius;
        status = fine ? count_pairs(w, &c, diag) : TD_OK;
    }
    if (status == TD_ERR_LIMIT) {
        const td_real count = (td_real)c.capsules, length = c.length / count,
                      radius = c.radius / count;
        status = tdi_fail(diag, TD_ERR_LIMIT,
                          "'%s' lies close to itself, and its segments, %.3g mm long, are much "
                          "shorter than thick (radius %.3g mm), so that too many pairs of them "
                          "would touch; take at most %d segments, or 'contact: {self: false}'",
                          a->name, 1e3 * length, 1e3 * radius,
                          (int)fmax(1, floor(c.length / (LEAST * radius))));
    }
    tdi_alloc_free(w->alloc, c.x, points * sizeof *c.x);
    tdi_alloc_free(w->alloc, c.capsule, capsules * sizeof *c.capsule);
    return status;
}

td_status tdi_world_check_crowds(const td_world *w, td_diag_list *diags) {
    for (int32_t k = 0; k < w->actor_count && tdi_world_contact_opts(w).self; k++) {
        const tdi_actor *a = &w->actors[k];
        td_diag diag = {.index = TD_NONE};
        if (a->has_contact && a->state->capsule_count > 0 &&
            td_skeleton_strand_count(w->variants.list[a->variant].skeleton) > 0) {
            const td_status status = check_actor(w, a, &diag);
            if (status != TD_OK) {
                return tdi_object_fault(w, a->object, status, "strand", &diag, diags);
            }
        }
    }
    return TD_OK;
}
