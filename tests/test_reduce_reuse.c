// SPDX-License-Identifier: MIT
// Trees that may err, whose steps use the factors of an earlier one.

#include "test_reduce_support.h"

enum { STEM = 24, N = 2 * STEM };

// A stem that hangs over, with a stiff leaf on every segment; it swings when it is let go.
static tree stem(void) {
    td_segment_def defs[N];
    for (int32_t i = 0; i < N; i++) {
        const bool leaf = i >= STEM;
        defs[i] = td_segment_def_default();
        defs[i].parent = leaf ? i - STEM : i - 1;
        defs[i].length = 0.05;
        defs[i].radius_base = defs[i].radius_tip = leaf ? 0.001 : 0.004;
        defs[i].has_stiffness = defs[i].has_damping = true;
        defs[i].stiffness = leaf ? tdi_vec3(1, 1, 1) : tdi_vec3(2, 2, 2);
        defs[i].damping = tdi_scale(defs[i].stiffness, 0.01);
        defs[i].rest = (td_quat){cos(leaf ? 0.5 : 0.02), 0, 0, sin(leaf ? 0.5 : 0.02)};
    }
    return tree_of(defs, N, TD_LAW_LINEAR, NULL);
}

static td_body *frozen_leaves(tree t, td_real error) {
    td_body *s = reduced_of(t.model);
    td_reduce_opts by = td_reduce_opts_default();
    by.error = error;
    by.modes = 1u << TD_REDUCE_FROZEN;
    CHECK_INT(td_reduced_set(s, &by, NULL), TD_OK);
    return s;
}

// ---- increments -----------------------------------------------------------------------------

// Where the next step's first increments lead, with new factors or with old ones; the largest.
static td_real increments(td_body *s, const tdi_kept *kept, tdi_twist *out) {
    const tdi_model model = {.raise = true};
    td_real predicted_decrease = 0;
    tdi_step_begin(s);
    tdi_as_reduced(s)->tree.now->keep = true;
    tdi_step_guess(s, true);
    tdi_step_clear(s);
    if (kept) {
        tdi_step_factor_again(&tdi_as_reduced(s)->tree, kept);
    } else {
        CHECK_INT(tdi_step_factor(s, &model), TDI_POSITIVE);
    }
    const td_real x = tdi_step_attempt(s, true, &predicted_decrease);
    for (int32_t c = 0; c < tdi_as_reduced(s)->clusters.body_count; c++) {
        out[c] = tdi_as_reduced(s)->tree.node[c].move;
    }
    return x;
}

static td_real farthest(const tdi_twist *a, const tdi_twist *b, int32_t n) {
    td_real most = 0;
    for (int32_t c = 0; c < n; c++) {
        most = fmax(most, tdi_norm(tdi_sub(a[c].w, b[c].w)));
    }
    return most;
}

// Old factors give the increments x of new ones at the pose that they are of. After turns T of the
// joints that carry a segment, summed, they are off by T x, and by x^2.
TD_TEST(old_factors_give_increments_that_are_off_by_the_turns_of_joints_since) {
    tree t = stem();
    td_body *s = frozen_leaves(t, 0.002);
    const td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weight);
    tdi_kept kept[N];
    tdi_twist with[N], without[N];
    td_real most = 0;
    int32_t looks = 0;
    for (int step = 0; step < 200; step++) {
        step_reduced(s, &opts);
        const int32_t n = tdi_as_reduced(s)->clusters.body_count;
        if (step % 20 == 10 && tdi_as_reduced(s)->reduced > 0) {
            tdi_as_reduced(s)->tree.head.opts = &opts;
            const td_real x = increments(s, NULL, without);
            tdi_kept_take(&tdi_as_reduced(s)->tree, kept);
            tdi_step_undo(s);
            increments(s, kept, with);
            CHECK_IN(farthest(with, without, n), 0, 1e-9 * x);
            tdi_step_undo(s);
            for (int k = 0; k < 5 && tdi_as_reduced(s)->clusters.body_count == n; k++) {
                step_reduced(s, &opts);
            }
            if (tdi_as_reduced(s)->clusters.body_count == n && tdi_as_reduced(s)->count->kept > 0) {
                tdi_as_reduced(s)->tree.head.opts = &opts;
                const td_real turned = tdi_kept_turned(&tdi_as_reduced(s)->tree, kept),
                              next = increments(s, NULL, without);
                tdi_step_undo(s);
                increments(s, kept, with);
                tdi_step_undo(s);
                CHECK_IN(farthest(with, without, n), 0, 2 * (turned + next) * next);
                most = fmax(most, turned);
                looks++;
            }
        }
    }
    CHECK_SAY(looks >= 5 && most > 0.1, "%d looks, turns of %g", (int)looks, most);
    td_body_free(s);
    tree_free(t);
}

// ---- steps ----------------------------------------------------------------------------------

// Half of the steps of the stem use old factors, and it swings as with all joints and new ones.
TD_TEST(reduced_tree_uses_factors_again_and_stays_within_its_error) {
    tree t = stem();
    td_body *s = frozen_leaves(t, 0.002);
    const td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weight);
    td_real error = 0, moved = 0;
    int32_t old = 0;
    const td_vec3 start = td_body_tip(t.state, STEM - 1);
    for (int step = 0; step < 240; step++) {
        step_reduced(s, &opts);
        run(t, &opts, 1);
        old += tdi_as_reduced(s)->count->age > 0;
        const td_vec3 x = td_body_tip(t.state, STEM - 1),
                      off = tdi_sub(x, td_body_tip(s, STEM - 1)), way = tdi_sub(x, start);
        error += tdi_dot(off, off) / 240;
        moved += tdi_dot(way, way) / 240;
    }
    CHECK_SAY(old >= 120, "%d of 240 steps", (int)old);
    CHECK_IN(sqrt(error), 0, 0.003); // 1.6 mm with new factors
    CHECK(sqrt(moved) > 0.05);
    td_body_free(s);
    tree_free(t);
}

// A step that fails leaves the factors as they were; a save has them.
TD_TEST(reduced_tree_that_fails_or_is_restored_uses_the_same_factors) {
    tree t = stem();
    td_body *s = frozen_leaves(t, 0.002), *other = frozen_leaves(t, 0.002);
    const td_step_opts opts = steps_of(TD_IMPLICIT, 1.0 / 60, weight);
    const td_load beyond = {
        .kind = TD_LOAD_FORCE, .segment = 5, .point = {0, 1e20, 0}, .vector = {1e300, 1e300, 0}};
    td_step_opts bad = opts;
    bad.loads = &beyond;
    bad.load_count = 1;
    const size_t bytes = tdi_state_save_size(s);
    char *saves[2] = {malloc(bytes), malloc(bytes)};
    int32_t kept = 0;
    for (int step = 0; step < 60; step++) {
        step_reduced(s, &opts);
        kept += tdi_as_reduced(s)->count->kept > 0;
        tdi_state_save(s, saves[0]);
        CHECK_INT(td_body_step(s, &bad, NULL, NULL), TD_ERR_DIVERGED);
        tdi_state_save(s, saves[1]);
        CHECK(memcmp(saves[0], saves[1], bytes) == 0);
        tdi_state_restore(other, saves[0]);
        step_reduced(other, &opts);
        step_reduced(s, &opts);
        tdi_state_save(s, saves[0]);
        tdi_state_save(other, saves[1]);
        CHECK(memcmp(saves[0], saves[1], bytes) == 0);
    }
    CHECK_IN(kept, 20, 60);
    free(saves[0]);
    free(saves[1]);
    td_body_free(s);
    td_body_free(other);
    tree_free(t);
}
