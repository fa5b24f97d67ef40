// SPDX-License-Identifier: MIT
// What strings add up to. Pairs with src/plant/totals.c.

#include "test_plant_support.h"

#include "math/quat.h"

// every kind of piece, branches, units, tapers, polygons that join
#define MIXED                                                                              \
    "length unit: 0.05\nwidth unit: 0.01\nmaterial: 1 petal\nsurface: L leaf\n"            \
    "surface: K flower, whorls=2\nsurface: R fruit\nderivation length: 4\naxiom: !(2)A\n"  \
    "A --> F(1.5)[+(40)!(1)A~L(2)][-(50)&(20)!(0.5)F(0.5)A~K(1)]{.f(1)+(90)f(1)+(90)f(1)}" \
    "[-(90){.f(1)+(90)f(1)+(90)f(1)}]@O(0.2)[@Mat(1)@o(0.3)]/(137.5)@Gs F(1)!(0.3)@Ge~R(0.5)\n"

// the sums over the skeleton, taken in the plainest way
static td_totals sums(const td_skeleton *skeleton, td_real unit) {
    static td_vec3 origins[20000];
    static td_quat rotations[20000];
    td_totals t = {0, td_skeleton_count(skeleton), 0, 0};
    const td_segment *s = td_skeleton_segments(skeleton);
    td_skeleton_pose(skeleton, TD_POSE_INITIAL, origins, rotations);
    td_real low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < t.segment_count; i++) {
        td_vec3 tip = tdi_add(origins[i], tdi_quat_rotate(rotations[i], s[i].tip));
        t.length += s[i].organ == TD_ORGAN_STEM ? s[i].length / unit : 0;
        t.mass += s[i].mass;
        low = fmin(low, fmin(origins[i].y, tip.y));
        high = fmax(high, fmax(origins[i].y, tip.y));
    }
    t.height = t.segment_count > 0 ? high - low : 0;
    return t;
}

static void check_totals(const char *text, td_real unit, const td_skeleton_opts *opts) {
    OWNED(test_plant) p = test_grow(text, opts);
    CHECK_INT(p.status, TD_OK);
    td_totals got;
    CHECK_INT(td_totals_from_string(p.grammar, &p.string, opts, NULL, &got, &p.diag), TD_OK);
    if (p.skeleton) {
        td_totals want = sums(p.skeleton, unit);
        CHECK_INT(got.segment_count, want.segment_count);
        CHECK(got.segment_count > 0);
        CHECK_REL(got.length, want.length, 1e-12);
        CHECK_REL(got.mass, want.mass, 1e-12);
        CHECK_REL(got.height, want.height, 1e-12);
    }
}

TD_TEST(plant_totals_equal_the_sums_over_the_skeleton) {
    check_totals(MIXED, 0.05, NULL);
}

TD_TEST(plant_totals_with_pruning_equal_the_sums_over_the_pruned_skeleton) {
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.prune_length = 0.03;
    check_totals(MIXED, 0.05, &opts);
    opts.prune_mass = 1e-4;
    check_totals(MIXED, 0.05, &opts);
}

TD_TEST(plant_totals_with_the_pipe_model_equal_the_sums_over_the_skeleton) {
    check_totals("pipe model: 0.2\n" MIXED, 0.05, NULL);
}

TD_TEST(plant_totals_of_articulated_strings_equal_the_sums_over_the_skeleton) {
    check_totals("axiom: B(0.1,0.01,900)[J(5e9,30,0,0,10,0,0,0)B(0.2,0.01,800)]"
                 "J(5e9,0,0,40,0,0,0,0)B(0.3,0.005,700)\n",
                 1, NULL);
}

// ABOP 1.39 with R = 1.456, ten steps: known to twelve digits
TD_TEST(plant_totals_length_is_in_turtle_units_and_exact) {
    OWNED(test_plant) p = test_derive("#define R 1.456\nlength unit: 0.3\nangle increment: 85\n"
                                      "derivation length: 10\naxiom: A(1)\n"
                                      "A(s) --> F(s)[+A(s/R)][-A(s/R)]\n");
    td_totals totals;
    CHECK_INT(td_totals_from_string(p.grammar, &p.string, NULL, NULL, &totals, NULL), TD_OK);
    CHECK_INT(totals.segment_count, 1023);
    CHECK_REL(totals.length, 61.3336554221, 1e-12);
}

TD_TEST(plant_totals_of_nothing_are_zero) {
    OWNED(test_plant) p = test_derive("axiom: A\n");
    td_totals totals;
    CHECK_INT(td_totals_from_string(p.grammar, &p.string, NULL, NULL, &totals, NULL), TD_OK);
    CHECK_INT(totals.segment_count, 0);
    CHECK_REL(totals.height, 0, 0);
}

// memory for the string of 2^n pieces does not depend on n, and max_segments does not count
TD_TEST(plant_totals_take_no_memory_a_module) {
    size_t peak[2];
    const char *const texts[] = {"derivation length: 4\naxiom: F\nF --> FF\n",
                                 "derivation length: 16\naxiom: F\nF --> FF\n"};
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.max_segments = 1;
    for (int i = 0; i < 2; i++) {
        OWNED(test_plant) p = test_derive(texts[i]);
        test_heap heap = {.fail_at = 0};
        td_alloc alloc = test_heap_alloc(&heap);
        td_totals totals;
        CHECK_INT(td_totals_from_string(p.grammar, &p.string, &opts, &alloc, &totals, NULL), TD_OK);
        CHECK_INT(totals.segment_count, i == 0 ? 16 : 65536);
        CHECK_INT(heap.held, 0);
        peak[i] = heap.peak;
    }
    CHECK_INT(peak[0], peak[1]);
}

// with and without the pipe model, for which sums need a skeleton
TD_TEST(plant_skeletons_over_the_limit_are_counted_before_memory_is_taken) {
    const char *const texts[] = {"derivation length: 17\naxiom: F\nF --> FF\n",
                                 "derivation length: 17\npipe model: 1\naxiom: F\nF --> FF\n"};
    td_skeleton_opts opts = td_skeleton_opts_default();
    opts.max_segments = 100000;
    for (int i = 0; i < 2; i++) {
        OWNED(test_plant) p = test_derive(texts[i]);
        test_heap heap = {.fail_at = 0};
        td_alloc alloc = test_heap_alloc(&heap);
        td_skeleton *skeleton = NULL;
        td_diag diag = {0};
        CHECK_INT(td_skeleton_from_string(p.grammar, &p.string, &opts, &alloc, &skeleton, &diag),
                  TD_ERR_LIMIT);
        CHECK_HAS(diag.message, "131072 segments");
        CHECK_HAS(diag.message, "100000");
        CHECK_INT(heap.held, 0);
        CHECK(heap.peak < 100000);
    }
}

TD_TEST(plant_totals_leak_nothing_when_any_allocation_fails) {
    OWNED(test_plant) p = test_derive(MIXED);
    check_reading_without_memory(&p, 3);
}
