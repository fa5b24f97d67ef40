// SPDX-License-Identifier: MIT
// Cutting and growing in place: td_world_cut_actor() and td_world_regrow_actor().

#include "world/regrow.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"

#include <math.h>

static td_status no_memory(td_status status, const char *what, td_diag *diag) {
    return status == TD_ERR_MEMORY ? tdi_fail(diag, status, "out of memory to %s", what) : status;
}

// ---- cutting --------------------------------------------------------------------------------

static td_status check_cut(const tdi_actor *a, int32_t segment, td_real place, td_diag *diag) {
    if (segment < 0 || segment >= a->segment_count) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "segment is %d; '%s' has %d", (int)segment, a->name,
                        (int)a->segment_count);
    }
    if (!(place >= 0 && place < 1)) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "place is %g; it must be from 0, at the joint, to below 1", place);
    }
    return TD_OK;
}

// Both parts with the springs of the whole.
static td_status make_models(td_world *w, tdi_change *c, tdi_cut *cut, td_diag *diag) {
    const tdi_actor a = w->actors[c->trace.from];
    td_status status = TD_OK;
    for (int part = 0; part < TDI_PARTS && status == TD_OK; part++) {
        c->segment_map[part] = cut->segment_map[part];
        c->variant[part] = tdi_world_take_variant(w, a.object, a.solver, cut->part[part]);
        cut->part[part] = NULL;
        status = c->variant[part] == TD_NONE ? TD_ERR_MEMORY
                                             : tdi_variant_adopt(w, c->variant[part], a.variant,
                                                                 cut->segment_map[part], diag);
    }
    return status;
}

static td_status cut_actor(td_world *w, int32_t actor, int32_t segment, td_real place, tdi_cut *cut,
                           td_actor_id *fallen, td_diag *diag) {
    tdi_change c;
    td_status status = tdi_change_new(w, actor, TDI_PARTS, &c);
    if (status == TD_OK) {
        c.trace.split = place > 0 ? segment : TD_NONE;
        c.trace.height = place * w->actors[actor].segments[segment].length;
        status = make_models(w, &c, cut, diag);
    }
    status = status == TD_OK ? tdi_change_make(w, &c, diag) : status;
    status = status == TD_OK ? tdi_change_find_severed(w, &c, segment) : status;
    status = status == TD_OK ? tdi_change_commit(w, &c, false, diag) : status;
    if (status == TD_OK) {
        *fallen = td_world_actor_id(w, c.trace.actor[TDI_FALLS]);
    }
    tdi_change_free(w, &c);
    return status;
}

td_status td_world_cut_actor(td_world *w, td_actor_id id, int32_t segment, td_real place,
                             td_actor_id *fallen, td_diag *diag) {
    if (fallen) {
        *fallen = (td_actor_id){0};
    }
    TDI_REFUSE_IF(!w || !fallen);
    tdi_actor *a;
    tdi_cut cut;
    td_status status = tdi_actor_find(w, id, &a, diag);
    status = status == TD_OK ? tdi_actor_check_growth(w, a, true, diag) : status;
    status = status == TD_OK ? check_cut(a, segment, place, diag) : status;
    status = status == TD_OK ? tdi_skeleton_cut(w->variants.list[a->variant].skeleton, segment,
                                                place, w->alloc, &cut, diag)
                             : status;
    if (status == TD_OK) {
        status = cut_actor(w, (int32_t)(a - w->actors), segment, place, &cut, fallen, diag);
        tdi_cut_free(&cut, w->alloc);
    }
    return no_memory(status, "cut an actor", diag);
}

// ---- growing --------------------------------------------------------------------------------

// With the springs of before, or with those of the skeleton.
static td_status regrow(td_world *w, int32_t actor, td_skeleton *skeleton,
                        const tdi_segment_source *segment_map, bool adopt, td_diag *diag) {
    const tdi_actor a = w->actors[actor];
    tdi_change c;
    td_status status = tdi_change_new(w, actor, 1, &c);
    if (status != TD_OK) {
        td_skeleton_free(skeleton);
    } else {
        c.segment_map[TDI_STAYS] = segment_map;
        const int32_t own = tdi_world_take_variant(w, a.object, a.solver, skeleton);
        c.variant[TDI_STAYS] = own;
        status = own == TD_NONE ? TD_ERR_MEMORY
                 : adopt        ? tdi_variant_adopt(w, own, a.variant, segment_map, diag)
                                : tdi_variant_grow(w, own, a.variant, segment_map, diag);
    }
    status = status == TD_OK ? tdi_change_make(w, &c, diag) : status;
    status = status == TD_OK ? tdi_change_commit(w, &c, !adopt, diag) : status;
    tdi_change_free(w, &c);
    return status;
}

// None of the new segments was there before.
td_status tdi_actor_renew(td_world *w, int32_t actor, const td_skeleton *skeleton, td_diag *diag) {
    const size_t count = (size_t)td_skeleton_count(skeleton);
    td_skeleton *copy = NULL;
    td_status status = tdi_actor_check_growth(w, &w->actors[actor], true, diag);
    if (status == TD_OK && count == 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "the skeleton has no segments");
    }
    tdi_segment_source *segment_map =
        status == TD_OK ? tdi_alloc_zeroed(w->alloc, count, sizeof *segment_map) : NULL;
    status = status == TD_OK && !segment_map ? TD_ERR_MEMORY : status;
    for (size_t k = 0; k < count && status == TD_OK; k++) {
        segment_map[k].segment = TD_NONE;
    }
    status = status == TD_OK ? td_skeleton_changed_new(skeleton, 1, NULL, 0, w->alloc, &copy, diag)
                             : status;
    status = status == TD_OK ? regrow(w, actor, copy, segment_map, false, diag) : status;
    tdi_alloc_free(w->alloc, segment_map, count * sizeof *segment_map);
    return no_memory(status, "add an actor", diag);
}

td_status tdi_actor_make_own(td_world *w, int32_t actor, td_diag *diag) {
    const tdi_actor a = w->actors[actor];
    const td_skeleton *skeleton = w->variants.list[a.variant].skeleton;
    td_skeleton *copy = NULL;
    tdi_segment_source *segment_map = NULL;
    if (w->variants.list[a.variant].own) {
        return TD_OK;
    }
    td_status status = td_skeleton_changed_new(skeleton, 1, NULL, 0, w->alloc, &copy, diag);
    if (status == TD_OK) {
        status = tdi_segment_map_new(skeleton, copy, w->alloc, &segment_map);
        if (status != TD_OK) {
            td_skeleton_free(copy);
        }
    }
    if (status == TD_OK) {
        status = regrow(w, actor, copy, segment_map, true, diag);
        tdi_segment_map_free(segment_map, skeleton, w->alloc);
    }
    if (status == TD_OK) { // its joints are what they were
        w->actors[actor].drive = a.drive;
    }
    return status;
}

td_status td_world_regrow_actor(td_world *w, td_actor_id id, const td_skeleton *skeleton,
                                td_diag *diag) {
    TDI_REFUSE_IF(!w || !skeleton);
    tdi_actor *a;
    td_skeleton *copy = NULL;
    tdi_segment_source *segment_map = NULL;
    td_status status = tdi_actor_find(w, id, &a, diag);
    status = status == TD_OK ? tdi_actor_check_growth(w, a, false, diag) : status;
    if (status == TD_OK && td_skeleton_count(skeleton) == 0) {
        status = tdi_fail(diag, TD_ERR_ARGUMENT, "the skeleton has no segments");
    }
    status = status == TD_OK ? td_skeleton_changed_new(skeleton, 1, NULL, 0, w->alloc, &copy, diag)
                             : status;
    if (status == TD_OK) {
        status = tdi_segment_map_new(w->variants.list[a->variant].skeleton, copy, w->alloc,
                                     &segment_map);
        if (status != TD_OK) {
            td_skeleton_free(copy);
        }
    }
    if (status == TD_OK) {
        status = regrow(w, (int32_t)(a - w->actors), copy, segment_map, false, diag);
        tdi_segment_map_free(segment_map, skeleton, w->alloc);
    }
    return no_memory(status, "let an actor grow", diag);
}
