// SPDX-License-Identifier: MIT
// The figures of The Algorithmic Beauty of Plants that ship in scenes/abop: exact counts, lengths
// and shapes. Pairs with src/grammar and src/plant/totals.c.

#include "test_grammar_support.h"

#include "math/quat.h"

#include <stdlib.h>

// ---- scenes ---------------------------------------------------------------------------------

// the text of a scene, with `more` put in after `place` where that is given; free it
static char *scene_text(const char *name, const char *place, const char *more) {
    char path[512];
    OWNED(td_bytes) bytes = {0};
    td_diag diag = {0};
    snprintf(path, sizeof path, "%s/abop/%s.lsys", TEST_SCENES, name);
    if (td_file_read(path, 1 << 20, NULL, &bytes, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "%s: %s", path, diag.message);
    }
    char *text = calloc(1, bytes.size + strlen(more) + 1);
    memcpy(text, bytes.data ? (const char *)bytes.data : "", bytes.size);
    char *at = strstr(text, place);
    if (at) {
        at += strlen(place);
        memmove(at + strlen(more), at, strlen(at));
        memcpy(at, more, strlen(more));
    } else {
        test_failed(__FILE__, __LINE__, "%s lacks '%s'", path, place);
    }
    return text;
}

// derived `steps` steps, or to its own length for TD_NONE
static test_model scene_with(const char *name, const char *place, const char *more, int32_t steps,
                             int64_t seed) {
    char *text = scene_text(name, place, more);
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    opts.seed = seed;
    test_model m = test_model_of(&def, &opts, 0, NULL);
    int32_t count = m.status == TD_OK && steps == TD_NONE ? td_grammar_steps(m.grammar) : steps;
    for (int32_t i = 0; i < count && m.status == TD_OK; i++) {
        m.status = td_derivation_step(m.derivation, &m.faults[0]);
    }
    if (m.status != TD_OK) {
        test_failed(__FILE__, __LINE__, "%s: %s", name, m.faults[0].message);
    }
    free(text);
    return m;
}

static test_model scene(const char *name, int32_t steps) {
    return scene_with(name, "", "", steps, TD_SEED_FROM_TEXT);
}

static int64_t modules(const test_model *m) {
    return m->derivation ? td_derivation_string(m->derivation).module_count : -1;
}

// ---- exact counts ---------------------------------------------------------------------------

typedef struct count_row {
    const char *scene;
    int32_t steps;
    int64_t total;
    int64_t f; // TD_NONE: not known
} count_row;

static void check_counts(const count_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        OWNED(test_model) m = scene(rows[i].scene, rows[i].steps);
        CHECK_SAY(modules(&m) == rows[i].total &&
                      (rows[i].f == TD_NONE || test_count(&m, "F") == rows[i].f),
                  "%s after %d steps: %lld modules, %lld F; wanted %lld, %lld", rows[i].scene,
                  rows[i].steps, (long long)modules(&m), (long long)test_count(&m, "F"),
                  (long long)rows[i].total, (long long)rows[i].f);
    }
}

// 4 * 8^n pieces
TD_TEST(abop_koch_island_counts) {
    const count_row rows[] = {
        {"fig-1.6", 0, 7, 4}, {"fig-1.6", 3, 3803, 2048}, {"fig-1.6", 7, 15578843, 8388608}};
    check_counts(rows, 3);
}

TD_TEST(abop_plants_of_figure_1_24_count) {
    const count_row rows[] = {{"fig-1.24a", 5, 7811, 3125},  {"fig-1.24b", 5, 9373, 3125},
                              {"fig-1.24c", 4, 11116, 4096}, {"fig-1.24d", 7, 13956, 4118},
                              {"fig-1.24e", 7, 12863, 4118}, {"fig-1.24f", 5, 6263, 1488}};
    check_counts(rows, 6);
}

TD_TEST(abop_bush_and_flowers_count) {
    const count_row rows[] = {{"fig-1.25", 7, 77399, 3891}, {"fig-1.26", 5, 15325, 533}};
    check_counts(rows, 2);
}

// context-sensitive, after Hogeweg and Hesper
TD_TEST(abop_plants_of_figure_1_31_count) {
    const count_row rows[] = {{"fig-1.31a", 30, 6910, 2501},
                              {"fig-1.31b", 30, 19199, 5626},
                              {"fig-1.31c", 26, 2926, 944},
                              {"fig-1.31d", 24, 5789, 1924},
                              {"fig-1.31e", 26, 2428, 824}};
    check_counts(rows, 5);
}

TD_TEST(abop_trees_of_chapter_2_count) {
    const count_row rows[] = {{"fig-1.39", 10, 8185, 1023}, {"fig-2.6a", 10, 7162, 1023},
                              {"fig-2.6b", 10, 7162, 1023}, {"fig-2.6c", 10, 7162, 1023},
                              {"fig-2.6d", 10, 7162, 1023}, {"fig-2.7a", 10, 11253, 1023},
                              {"fig-2.7c", 10, 11253, 1023}};
    check_counts(rows, 7);
}

// the text's own derivation length is that of the figure
TD_TEST(abop_scenes_derive_to_the_length_of_their_figure) {
    const count_row rows[] = {
        {"fig-1.6", TD_NONE, 3803, 2048},   {"fig-1.10a", TD_NONE, 3070, TD_NONE},
        {"fig-1.24f", TD_NONE, 6263, 1488}, {"fig-1.25", TD_NONE, 77399, 3891},
        {"fig-1.26", TD_NONE, 15325, 533},  {"fig-1.31b", TD_NONE, 19199, 5626},
        {"fig-2.6a", TD_NONE, 7162, 1023},  {"fig-2.7c", TD_NONE, 11253, 1023}};
    check_counts(rows, 8);
}

// ---- curves ---------------------------------------------------------------------------------

// |end|^2 = 2^n: every step turns each edge into two that are sqrt(2) shorter
TD_TEST(abop_dragon_ends_where_it_must) {
    const count_row rows[] = {{"fig-1.10a", 10, 3070, 512}}; // half of the 1024 edges are F
    check_counts(rows, 1);
    for (int32_t n = 0; n <= 10; n++) {
        OWNED(test_model) m =
            scene_with("fig-1.10a", "axiom: F", "?P(0,0,0)", n, TD_SEED_FROM_TEXT);
        td_real x = test_param(&m, -3), y = test_param(&m, -2), z = test_param(&m, -1);
        CHECK_REL(x * x + y * y + z * z, ldexp(1, n), 0); // on the grid, so exact
    }
}

// all corners of a curve that is one path, in turtle units; count + 1 of them, to be freed
static td_vec3 *corners_of(const td_skeleton *skeleton, td_real unit) {
    int32_t count = td_skeleton_count(skeleton);
    const td_segment *last = &td_skeleton_segments(skeleton)[count - 1];
    td_vec3 *corners = calloc((size_t)count + 1, sizeof *corners);
    FREED td_quat *rotations = calloc((size_t)count, sizeof *rotations);
    td_skeleton_pose(skeleton, TD_POSE_REST, corners, rotations);
    corners[count] = tdi_add(corners[count - 1], tdi_quat_rotate(rotations[count - 1], last->tip));
    for (int32_t i = 0; i <= count; i++) {
        corners[i] = tdi_scale(corners[i], 1 / unit);
    }
    return corners;
}

// how many places of a size x size grid the corners stand on; TD_NONE when one is off it
static int32_t grid_places(const td_vec3 *corners, int32_t count, int32_t size) {
    td_vec3 low = corners[0];
    for (int32_t i = 1; i < count; i++) {
        low = tdi_vec3(fmin(low.x, corners[i].x), fmin(low.y, corners[i].y), 0);
    }
    FREED char *seen = calloc((size_t)size * (size_t)size, 1);
    int32_t places = 0;
    for (int32_t i = 0; i < count; i++) {
        td_vec3 at = tdi_sub(corners[i], low);
        td_vec3 cell = tdi_vec3(round(at.x), round(at.y), 0);
        if (tdi_norm(tdi_sub(at, cell)) > 1e-9 || cell.x >= size || cell.y >= size) {
            places = TD_NONE;
            break;
        }
        char *place = &seen[(size_t)cell.x * (size_t)size + (size_t)cell.y];
        places += !*place;
        *place = 1;
    }
    return places;
}

TD_TEST(abop_hilbert_curve_visits_every_place_of_its_grid_once) {
    const count_row rows[] = {{"hilbert-2d", 10, 3495251, 1048575}}; // 4^10 - 1 pieces
    check_counts(rows, 1);
    for (int32_t n = 1; n <= 6; n++) {
        OWNED(test_model) m = scene("hilbert-2d", n);
        td_string s = td_derivation_string(m.derivation);
        OWNED(td_skeleton) *skeleton = NULL;
        CHECK_INT(td_skeleton_from_string(m.grammar, &s, NULL, NULL, &skeleton, NULL), TD_OK);
        if (skeleton) {
            FREED td_vec3 *corners = corners_of(skeleton, 0.02);
            int32_t count = td_skeleton_count(skeleton) + 1;
            CHECK_INT(count, 1 << (2 * n));
            CHECK_INT(grid_places(corners, count, 1 << n), 1 << (2 * n));
        }
    }
}

// ---- chance ---------------------------------------------------------------------------------

// Every F becomes 5 F with chance 0.33 and 3 with 0.67: the mean after n steps is 3.66^n, and with
// the variance v of one step and the mean m that of Z_n is v m^(n-1) (m^n - 1)/(m - 1). The mean of
// N runs has a standard error of sigma/sqrt(N); four of them leave a chance of 6e-5 to fail, and
// the seeds are fixed.
TD_TEST(abop_stochastic_weed_has_the_mean_and_spread_of_its_weights) {
    enum { RUNS = 3000 };
    double m1 = 0.33 * 5 + 0.67 * 3, v = 0.33 * 25 + 0.67 * 9 - m1 * m1;
    double mean = pow(m1, 5), sigma = sqrt(v * pow(m1, 4) * (pow(m1, 5) - 1) / (m1 - 1));
    double sum = 0, squares = 0;
    int64_t left = 0, right = 0;
    CHECK_REL(mean, 656.758, 1e-6);
    CHECK_REL(sigma, 197.80, 1e-4);
    for (int64_t seed = 1; seed <= RUNS; seed++) {
        OWNED(test_model) m = scene_with("fig-1.27", "", "", 5, seed);
        double f = (double)test_count(&m, "F");
        sum += f;
        squares += (f - mean) * (f - mean);
        left += test_count(&m, "+");
        right += test_count(&m, "-");
    }
    CHECK_IN(sum / RUNS, mean - 4 * sigma / sqrt(RUNS), mean + 4 * sigma / sqrt(RUNS));
    // the deviation's own standard error is about sigma/sqrt(2N) for a distribution near normal;
    // this one has a tail, so twice that is allowed
    double spread = sqrt(squares / RUNS), error = 2 * sigma / sqrt(2.0 * RUNS);
    CHECK_IN(spread, sigma - 4 * error, sigma + 4 * error);
    // of N replacements 0.66 N bear a branch to the left and 0.67 N one to the right; the
    // difference has the variance N (0.33 + 0.34)
    double replaced = (double)(left + right) / 1.33;
    double bias = (double)(left - right) + 0.01 * replaced;
    CHECK_IN(bias, -4 * sqrt(0.67 * replaced), 4 * sqrt(0.67 * replaced));
}

// ---- parameters -----------------------------------------------------------------------------

TD_TEST(abop_parametric_sample_goes_through_its_five_strings) {
    const char *strings[] = {"B(2)A(4,4)", "B(1)B(4)A(1,0)", "B(0)B(3)A(2,1)", "CB(2)A(4,3)",
                             "CB(1)A(8,7)"};
    for (int32_t n = 0; n < 5; n++) {
        OWNED(test_model) m = scene("parametric", n);
        CHECK_TEXT(test_string_of(&m), strings[n]);
    }
}

TD_TEST(abop_signal_moves_one_cell_a_step) {
    for (int32_t n = 0; n <= 23; n++) {
        OWNED(test_model) m = scene("signal", n);
        const char *string = test_string_of(&m);
        CHECK_INT(strlen(string), 24);
        CHECK_INT(strchr(string, 'b') - string, n);
        CHECK_INT(test_count(&m, "b"), 1);
    }
}

// ---- lengths --------------------------------------------------------------------------------

// the figures are given to 12 digits
TD_TEST(abop_trees_have_their_total_length) {
    const struct {
        const char *scene;
        double length;
    } rows[] = {{"fig-1.39", 61.3336554221},
                {"fig-2.6a", 113.330078125},
                {"fig-2.6b", 445.058403328},
                {"fig-2.6c", 286.570557207},
                {"fig-2.6d", 181.585271296}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        OWNED(test_model) m = scene(rows[i].scene, 10);
        CHECK_REL(test_drawn_length(&m), rows[i].length, 2e-12);
    }
}

// 1.39: 2^k branches of length R^-k on level k
TD_TEST(abop_binary_tree_length_is_its_geometric_series) {
    double sum = 0;
    for (int32_t k = 0; k < 10; k++) {
        sum += pow(2 / 1.456, k);
        OWNED(test_model) m = scene("fig-1.39", k + 1);
        CHECK_REL(test_drawn_length(&m), sum, 1e-13);
    }
}

// ---- all ------------------------------------------------------------------------------------

// every scene of the folder grows and can be drawn at its own length
TD_TEST(abop_scenes_all_become_skeletons) {
    const char *names[] = {
        "fig-1.6",   "fig-1.10a",  "fig-1.24a",  "fig-1.24b", "fig-1.24c", "fig-1.24d", "fig-1.24e",
        "fig-1.24f", "fig-1.25",   "fig-1.26",   "fig-1.27",  "fig-1.31a", "fig-1.31b", "fig-1.31c",
        "fig-1.31d", "fig-1.31e",  "fig-1.39",   "fig-2.6a",  "fig-2.6b",  "fig-2.6c",  "fig-2.6d",
        "fig-2.7a",  "fig-2.7b",   "fig-2.7c",   "fig-2.7d",  "fig-2.8a",  "fig-2.8b",  "fig-2.8c",
        "fig-2.8d",  "hilbert-2d", "parametric", "signal"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        OWNED(test_model) m = scene(names[i], TD_NONE);
        OWNED(td_skeleton) *skeleton = NULL;
        td_diag diag = {0};
        td_string s = m.derivation ? td_derivation_string(m.derivation) : (td_string){0};
        if (!m.derivation ||
            td_skeleton_from_string(m.grammar, &s, NULL, NULL, &skeleton, &diag) != TD_OK) {
            test_failed(__FILE__, __LINE__, "%s: %s", names[i], diag.message);
        } else {
            CHECK(td_skeleton_count(skeleton) >= 3);
        }
    }
}
