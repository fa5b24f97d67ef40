// SPDX-License-Identifier: MIT
// Pruning: dropping segments too small to matter.
//
// Method   two forward loops. The first ties the children of a dropped segment to its nearest kept
//          ancestor; parents come first, so a dropped parent already knows that ancestor. The
//          second closes the gaps.

#include "plant/strand.h"

#include "math/quat.h"

bool tdi_prune_drops(const td_skeleton_opts *opts, td_real length, td_real mass) {
    return length < opts->prune_length || mass < opts->prune_mass;
}

// a plant stands on its base, and a free body is not tied to anything its children could be tied to
static bool is_base(const td_segment *s) {
    return s->parent == TD_NONE && (s->joint == TD_JOINT_FIXED || s->joint == TD_JOINT_FREE);
}

// The child keeps its place in the rest pose, x = a_p + R_p (a_c + R_c X), and at the start its
// orientation.
static void tie_past(td_segment *child, const td_segment *dropped) {
    child->parent = dropped->parent;
    child->attach = tdi_add(dropped->attach, tdi_quat_rotate(dropped->rest, child->attach));
    child->rest = tdi_quat_unit(tdi_quat_mul(dropped->rest, child->rest));
    child->initial = tdi_quat_unit(tdi_quat_mul(dropped->initial, child->initial));
}

static void tie_children(tdi_store *store, tdi_extra *extras, const td_skeleton_opts *opts) {
    int32_t kept = 0;
    for (int32_t i = 0; i < store->segment_count; i++) {
        td_segment *s = &store->segments[i];
        if (s->parent != TD_NONE && extras[s->parent].place == TD_NONE) {
            tie_past(s, &store->segments[s->parent]);
        }
        bool drop = !is_base(s) && tdi_prune_drops(opts, s->length, s->mass);
        extras[i].place = drop ? TD_NONE : kept++;
    }
}

td_status tdi_prune(tdi_store *store, tdi_extra *extras, const td_skeleton_opts *opts,
                    td_diag *diag) {
    tie_children(store, extras, opts);
    td_status status = tdi_strands_follow(store, extras, diag);
    // Entry j of `extras` is overwritten only by an entry behind it, but the places of parents are
    // read later, so they move last.
    int32_t kept = 0;
    for (int32_t i = 0; i < store->segment_count; i++) {
        if (extras[i].place != TD_NONE) {
            td_segment s = store->segments[i];
            s.parent = s.parent == TD_NONE ? TD_NONE : extras[s.parent].place;
            store->segments[kept++] = s;
        }
    }
    kept = 0;
    for (int32_t i = 0; i < store->segment_count; i++) {
        if (extras[i].place != TD_NONE) {
            extras[kept++] = extras[i];
        }
    }
    store->segment_count = kept;
    return status;
}
