// SPDX-License-Identifier: MIT
// Batches of trees, and the spring law that they share with single trees. Pairs with
// src/tree/batch.c, aba_kernel.h and joint.h.

#include "test_tree_support.h"
#include "tree/batch.h"
#include "tree/joint.h"

// ---- wide = scalar --------------------------------------------------------------------------

typedef struct sample { // trees of one model, a row each
    int32_t count, nq, nv;
    td_real *q, *v, *torque, *accel; // accel: of td_tree_forward()
} sample;

static void sample_free(sample s) {
    free(s.q);
    free(s.v);
    free(s.torque);
    free(s.accel);
}

// Every third tree close to rest, where springs have a short cut; some quaternions not of unit
// length.
static sample random_sample(tree t, tdi_random *r, int32_t count) {
    sample s = {count,
                t.nq,
                t.nv,
                reals(count * t.nq),
                reals(count * t.nv),
                reals(count * t.nv),
                reals(count * t.nv)};
    for (int32_t k = 0; k < count; k++) {
        td_real *q = s.q + k * t.nq, *v = s.v + k * t.nv, *torque = s.torque + k * t.nv;
        random_state(t, r, k % 3 ? 0.1 + 3 * tdi_random_uniform(r) : 0.15, 3);
        double stretch = k % 4 ? 1 : 1.25;
        for (int32_t c = 0; c < t.nq; c++) {
            q[c] = stretch * t.q[c];
        }
        for (int32_t d = 0; d < t.nv; d++) {
            torque[d] = k % 2 ? between(r, -1, 1) : 0;
        }
        memcpy(v, t.v, (size_t)t.nv * sizeof *v);
        memcpy(t.q, q, (size_t)t.nq * sizeof *q);
        td_tree_state_changed(t.state);
        td_tree_forward(t.state, weight, torque, s.accel + k * t.nv);
    }
    return s;
}

static bool same_bits(const td_real *a, const td_real *b, int32_t n) {
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

// How many trees of the sample the kernel gives other bits.
static int32_t count_others(tree t, const sample *s, const tdi_wide_kernel *kernel) {
    td_tree_batch *batch;
    FREED td_real *accel = reals(s->nv);
    int32_t others = 0;
    CHECK_INT(tdi_tree_batch_new(t.m, s->count, kernel, NULL, &batch, NULL), TD_OK);
    for (int32_t k = 0; k < s->count; k++) {
        CHECK(td_tree_batch_set(batch, k, s->q + k * s->nq, s->v + k * s->nv, NULL) == TD_OK);
        CHECK(td_tree_batch_set_torque(batch, k, k % 2 ? s->torque + k * s->nv : NULL, NULL) ==
              TD_OK);
    }
    td_tree_batch_forward(batch, weight);
    for (int32_t k = 0; k < s->count; k++) {
        td_tree_batch_accel(batch, k, accel);
        others += !same_bits(accel, s->accel + k * s->nv, s->nv);
    }
    td_tree_batch_free(batch);
    return others;
}

static int32_t others_of_all_kernels(tree t, tdi_random *r, int32_t count) {
    const tdi_wide_kernel *kernels[TDI_WIDE_KERNELS];
    int widths = tdi_wide_kernels(kernels);
    sample s = random_sample(t, r, count);
    int32_t others = 0;
    for (int k = 0; k < widths; k++) {
        int32_t more = count_others(t, &s, kernels[k]);
        others += more;
        if (more > 0) {
            test_failed(__FILE__, __LINE__, "%s: %d of %d trees differ", kernels[k]->name,
                        (int)more, (int)count);
        }
    }
    sample_free(s);
    return others;
}

TD_TEST(batch_gives_the_bits_of_single_trees_on_500_shapes_with_all_joints_and_widths) {
    tdi_random r = random_of(21);
    for (int k = 0; k < 500; k++) {
        OWNED(tree) t = random_tree(&r, 1 + k % 30, k % 3 ? BUSHY : CHAIN, k % 5 ? 5 : 0,
                                    k % 2 ? TD_LAW_TANGENT : TD_LAW_LINEAR);
        CHECK_INT(others_of_all_kernels(t, &r, 1 + k % 19), 0);
    }
}

// What aba.c raises to a floor is worked out alone in its lane: these bodies are so thin that they
// resist no turn about their own axis.
TD_TEST(batch_gives_the_bits_of_single_trees_where_pivots_must_be_raised) {
    tdi_random r = random_of(22);
    for (int32_t n = 1; n <= 6; n++) {
        td_segment_def defs[6];
        for (int32_t i = 0; i < n; i++) {
            defs[i] = random_segment(&r, i, CHAIN, 0);
            defs[i].radius_base = defs[i].radius_tip = 1e-9;
        }
        defs[0].joint = n % 2 ? TD_JOINT_FREE : TD_JOINT_BALL;
        OWNED(tree) t = tree_of(defs, n, TD_LAW_LINEAR, NULL);
        CHECK_INT(others_of_all_kernels(t, &r, 16), 0);
    }
}

TD_TEST(batch_gives_the_bits_of_single_trees_on_a_large_tree) {
    tdi_random r = random_of(23);
    OWNED(tree) t = random_tree(&r, 2000, BUSHY, 5, TD_LAW_LINEAR);
    CHECK_INT(others_of_all_kernels(t, &r, 9), 0);
}

// ---- springs --------------------------------------------------------------------------------

// Both ways of tdi_ball_moment(), on either side of where it stops to use polynomials.
TD_TEST(ball_moment_by_polynomials_is_that_by_angles_to_rounding) {
    tdi_random r = random_of(28);
    tdi_body body = {.stiffness = {3, 1, 2}, .damping = {0.2, 0.5, 0.3}};
    double worst = 0;
    for (int k = 0; k < 20000; k++) {
        td_quat turn = random_turn(&r, k % 2 ? TDI_PI / 3 : 1e-3);
        td_vec3 rate = random_vec(&r, 3);
        const td_real q[4] = {turn.w, turn.x, turn.y, turn.z}, v[3] = {rate.x, rate.y, rate.z};
        const td_real near[3] = {0, 0, 0};
        td_vec3 got = tdi_ball_moment(TD_LAW_LINEAR, &body, q, v, near);
        td_vec3 want = tdi_ball_moment_any(TD_LAW_LINEAR, &body, q, v, near);
        double error = tdi_norm(tdi_sub(got, want)) / tdi_norm(want);
        worst = error > worst || isnan(error) ? error : worst;
    }
    CHECK_IN(worst, 0, 1e-14);
}

// ---- states ---------------------------------------------------------------------------------

TD_TEST(batch_starts_at_the_initial_pose_at_rest) {
    tdi_random r = random_of(24);
    OWNED(tree) t = random_tree(&r, 12, BUSHY, 5, TD_LAW_LINEAR);
    FREED td_real *q = reals(t.nq), *v = reals(t.nv), *none = reals(t.nv), *accel = reals(t.nv);
    td_tree_batch *batch;
    CHECK_INT(td_tree_batch_new(t.model, 11, NULL, &batch, NULL), TD_OK);
    CHECK_INT(td_tree_batch_count(batch), 11);
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    for (int32_t k = 0; k < 11; k++) {
        td_tree_batch_get(batch, k, q, v);
        CHECK(same_bits(q, t.q, t.nq) && same_bits(v, none, t.nv));
        td_tree_batch_accel(batch, k, accel);
        CHECK(same_bits(accel, none, t.nv));
    }
    td_tree_batch_free(batch);
}

TD_TEST(batch_trees_do_not_touch_each_other) {
    tdi_random r = random_of(25);
    OWNED(tree) t = random_tree(&r, 20, BUSHY, 5, TD_LAW_LINEAR);
    sample s = random_sample(t, &r, 13);
    FREED td_real *q = reals(t.nq), *v = reals(t.nv), *accel = reals(t.nv), *nan_q = reals(t.nq);
    td_tree_batch *batch;
    for (int32_t c = 0; c < t.nq; c++) {
        nan_q[c] = NAN;
    }
    CHECK_INT(td_tree_batch_new(t.model, 13, NULL, &batch, NULL), TD_OK);
    for (int32_t k = 0; k < 13; k++) {
        CHECK(td_tree_batch_set(batch, k, s.q + k * t.nq, s.v + k * t.nv, NULL) == TD_OK);
        CHECK(td_tree_batch_set_torque(batch, k, s.torque + k * t.nv, NULL) == TD_OK);
    }
    CHECK(td_tree_batch_set(batch, 5, nan_q, s.v, NULL) == TD_OK);
    td_tree_batch_forward(batch, weight);
    for (int32_t k = 0; k < 13; k++) {
        td_tree_batch_accel(batch, k, accel);
        td_tree_batch_get(batch, k, q, v);
        CHECK(k == 5 || same_bits(accel, s.accel + k * t.nv, t.nv));
        CHECK(same_bits(v, k == 5 ? s.v : s.v + k * t.nv, t.nv));
    }
    td_tree_batch_free(batch);
    sample_free(s);
}

// ---- steps ----------------------------------------------------------------------------------

// How many trees of a batch of random ones differ after some steps from trees that are stepped
// alone.
static int32_t count_astray(tree t, tdi_random *r, int32_t count, td_step_opts opts) {
    enum { STEPS = 12 };
    td_tree_batch *batch;
    FREED td_real *q = reals(count * t.nq), *v = reals(count * t.nv);
    FREED td_real *q_now = reals(t.nq), *v_now = reals(t.nv);
    int32_t astray = 0;
    CHECK_INT(td_tree_batch_new(t.model, count, NULL, &batch, NULL), TD_OK);
    for (int32_t k = 0; k < count; k++) {
        random_state(t, r, 1, 2); // so that no joint turns by half a turn
        memcpy(q + k * t.nq, t.q, (size_t)t.nq * sizeof *q);
        memcpy(v + k * t.nv, t.v, (size_t)t.nv * sizeof *v);
        CHECK(td_tree_batch_set(batch, k, t.q, t.v, NULL) == TD_OK);
    }
    for (int32_t n = 0; n < STEPS; n++) {
        CHECK_INT(td_tree_batch_step(batch, &opts, NULL), TD_OK);
    }
    opts.pool = NULL;
    for (int32_t k = 0; k < count; k++) {
        CHECK(td_body_reset(t.state, NULL) == TD_OK);
        memcpy(t.q, q + k * t.nq, (size_t)t.nq * sizeof *q);
        memcpy(t.v, v + k * t.nv, (size_t)t.nv * sizeof *v);
        td_tree_state_changed(t.state);
        for (int32_t n = 0; n < STEPS; n++) {
            CHECK_INT(td_body_step(t.state, &opts, NULL, NULL), TD_OK);
        }
        td_tree_batch_get(batch, k, q_now, v_now);
        astray += !same_bits(q_now, t.q, t.nq) || !same_bits(v_now, t.v, t.nv);
    }
    td_tree_batch_free(batch);
    return astray;
}

TD_TEST(batch_steps_give_the_bits_of_single_steps_on_any_number_of_threads) {
    const td_integrator rules[2] = {TD_EULER, TD_RK4};
    tdi_random r = random_of(31);
    td_step_opts opts = td_step_opts_default();
    opts.dt = 2e-5; // explicit steps of small stiff bodies are stable
    for (int k = 0; k < 24; k++) {
        OWNED(td_pool) *pool = NULL;
        OWNED(tree) t = random_tree(&r, 1 + 3 * (k % 7), k % 3 ? BUSHY : CHAIN, 5,
                                    k % 4 ? TD_LAW_LINEAR : TD_LAW_TANGENT);
        CHECK_INT(td_pool_new(1 + k % 3, NULL, &pool, NULL), TD_OK);
        opts.integrator = rules[k % 2];
        opts.pool = k % 5 ? pool : NULL;
        CHECK_INT(count_astray(t, &r, 1 + k % 27, opts), 0);
    }
}

TD_TEST(batch_step_leaves_a_tree_that_diverges_and_moves_the_others) {
    tdi_random r = random_of(32);
    OWNED(tree) t = random_tree(&r, 6, BUSHY, 5, TD_LAW_LINEAR);
    FREED td_real *q = reals(t.nq), *v = reals(t.nv), *was = reals(t.nq);
    td_tree_batch *batch;
    td_diag diag = {.message = ""};
    CHECK(td_body_reset(t.state, NULL) == TD_OK);
    CHECK_INT(td_tree_batch_new(t.model, 12, NULL, &batch, NULL), TD_OK);
    memcpy(was, t.q, (size_t)t.nq * sizeof *q);
    for (int32_t d = 0; d < t.nv; d++) {
        v[d] = 1e300;
    }
    CHECK(td_tree_batch_set(batch, 9, was, v, NULL) == TD_OK);
    CHECK_INT(td_tree_batch_step(batch, NULL, &diag), TD_ERR_DIVERGED);
    CHECK_INT(diag.index, 9);
    CHECK_TEXT(diag.message, "tree 9: the step diverged; try a shorter step");
    for (int32_t k = 0; k < 12; k++) {
        td_tree_batch_get(batch, k, q, v);
        CHECK(same_bits(q, was, t.nq) == (k == 9));
    }
    td_tree_batch_free(batch);
}

TD_TEST(batch_step_takes_memory_once_and_refuses_what_batches_do_not_have) {
    OWNED(test_heap) heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    tdi_random r = random_of(33);
    OWNED(tree) t = random_tree(&r, 6, BUSHY, 5, TD_LAW_LINEAR);
    const td_load load = {.kind = TD_LOAD_FORCE};
    td_tree_batch *batch;
    td_diag diag = {.message = ""};
    td_step_opts opts = td_step_opts_default();
    CHECK_INT(td_tree_batch_new(t.model, 20, &alloc, &batch, NULL), TD_OK);
    CHECK_INT(td_tree_batch_step(batch, &opts, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "an integrator other than TD_EULER and TD_RK4");
    opts.integrator = TD_RK4;
    CHECK_INT(td_tree_batch_step(batch, &opts, NULL), TD_OK);
    const long calls = heap.calls;
    for (int k = 0; k < 5; k++) {
        CHECK_INT(td_tree_batch_step(batch, &opts, NULL), TD_OK);
    }
    CHECK_INT(heap.calls, calls);
    CHECK_INT(heap.held, td_tree_batch_bytes(batch));
    opts.loads = &load;
    opts.load_count = 1;
    CHECK_INT(td_tree_batch_step(batch, &opts, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "loads");
    opts.load_count = 0;
    opts.air.linear = 1;
    CHECK_INT(td_tree_batch_step(batch, &opts, &diag), TD_ERR_ARGUMENT);
    opts.air.linear = 0;
    opts.dt = -1;
    CHECK_INT(td_tree_batch_step(batch, &opts, &diag), TD_ERR_ARGUMENT);
    td_tree_batch_free(batch);
}

// ---- memory ---------------------------------------------------------------------------------

TD_TEST(batch_takes_all_memory_when_it_is_made_and_gives_it_back) {
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    tdi_random r = random_of(26);
    OWNED(tree) t = random_tree(&r, 12, BUSHY, 5, TD_LAW_LINEAR);
    td_tree_batch *batch;
    CHECK_INT(td_tree_batch_new(t.model, 20, &alloc, &batch, NULL), TD_OK);
    CHECK_INT(heap.held, td_tree_batch_bytes(batch));
    long calls = heap.calls;
    td_tree_batch_forward(batch, weight);
    CHECK_INT(heap.calls, calls);
    td_tree_batch_free(batch);
    CHECK_INT(heap.held, 0);
    td_tree_batch_free(NULL);
    WITH_SCARCE(memory, calls) {
        td_diag diag = {.message = ""};
        CHECK_INT(td_tree_batch_new(t.model, 20, &memory.alloc, &batch, &diag),
                  scarce_status(&memory));
        CHECK_TEXT(diag.message, batch ? "" : "out of memory for 20 trees");
        td_tree_batch_free(batch);
    }
}

TD_TEST(batch_refuses_a_count_below_1_and_one_that_no_memory_holds) {
    test_heap heap = {.fail_at = 1};
    td_alloc alloc = test_heap_alloc(&heap);
    tdi_random r = random_of(27);
    OWNED(tree) t = random_tree(&r, 3, BUSHY, 5, TD_LAW_LINEAR);
    td_tree_batch *batch;
    td_diag diag = {.message = ""};
    CHECK_INT(td_tree_batch_new(t.model, 0, NULL, &batch, &diag), TD_ERR_ARGUMENT);
    CHECK_TEXT(diag.message, "count is 0; a batch needs at least one tree");
    CHECK_INT(td_tree_batch_new(t.model, -1, NULL, &batch, &diag), TD_ERR_ARGUMENT);
    CHECK_INT(td_tree_batch_new(t.model, INT32_MAX, &alloc, &batch, &diag), TD_ERR_MEMORY);
    CHECK(batch == NULL);
}
