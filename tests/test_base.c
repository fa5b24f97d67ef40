// SPDX-License-Identifier: MIT
// Status texts, diagnostics, memory, random numbers and the pool. Pairs with src/base.

#include "td_test.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "tendril/pool.h"
#include "base/range.h"

#include <stdlib.h>

// ---- status and diagnostics -----------------------------------------------------------------

TD_TEST(base_every_status_has_a_text_of_its_own) {
    const td_status all[] = {
#define STATUS_ENTRY(name, text) name,
        TD_STATUS_LIST(STATUS_ENTRY)
#undef STATUS_ENTRY
    };
    size_t count = sizeof all / sizeof all[0];
    CHECK_TEXT(td_status_text(TD_OK), "ok");
    CHECK_TEXT(td_status_text(TD_ERR_MEMORY), "out of memory");
    for (size_t i = 0; i < count; i++) {
        CHECK_INT(all[i], i); // the list is the numbering
        for (size_t k = 0; k < i; k++) {
            CHECK(strcmp(td_status_text(all[i]), td_status_text(all[k])) != 0);
        }
    }
    CHECK_TEXT(td_status_text((td_status)count), "unknown status");
    CHECK_TEXT(td_status_text((td_status)-1), "unknown status");
}

TD_TEST(base_distance_of_words_counts_changed_letters) {
    CHECK_INT(td_word_distance("rope", "rope"), 0);
    CHECK_INT(td_word_distance("kitten", "sitting"), 3);
    CHECK_INT(td_word_distance("", "oak"), 3);
    CHECK_INT(td_word_distance("oka", "oak"), 2);
}

TD_TEST(base_version_is_three_numbers) {
    int major = -1, minor = -1, patch = -1, end = 0;
    sscanf(td_version(), "%d.%d.%d%n", &major, &minor, &patch, &end);
    CHECK(major >= 0 && minor >= 0 && patch >= 0);
    CHECK_INT(end, strlen(td_version()));
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", TD_VERSION_MAJOR, TD_VERSION_MINOR, TD_VERSION_PATCH);
    CHECK_TEXT(td_version(), TD_VERSION); // that of the project
    CHECK_TEXT(td_version(), text);
    CHECK_INT(TD_VERSION_NUMBER,
              TD_VERSION_MAJOR * 10000 + TD_VERSION_MINOR * 100 + TD_VERSION_PATCH);
}

TD_TEST(base_fail_fills_a_diag_and_returns_the_status) {
    td_diag diag;
    memset(&diag, 0xff, sizeof diag);
    CHECK_INT(tdi_fail(&diag, TD_ERR_LIMIT, "%d of %s", 3, "x"), TD_ERR_LIMIT);
    CHECK_INT(diag.status, TD_ERR_LIMIT);
    CHECK_INT(diag.line, 0);
    CHECK_INT(diag.index, TD_NONE);
    CHECK_TEXT(diag.message, "3 of x");
    CHECK_TEXT(diag.file, "");
    CHECK_TEXT(diag.source, "");
    CHECK_INT(tdi_fail_at(&diag, TD_ERR_EVAL, 17, "y"), TD_ERR_EVAL);
    CHECK_INT(diag.index, 17);
    // an index that does not fit
    CHECK_INT(tdi_fail_at(&diag, TD_ERR_EVAL, INT64_C(1) << 40, "y"), TD_ERR_EVAL);
    CHECK_INT(diag.index, TD_NONE);
    CHECK_INT(tdi_fail(NULL, TD_ERR_READ, "nobody asks"), TD_ERR_READ);
}

TD_TEST(base_number_out_of_its_range_is_refused_with_value_and_range) {
    const struct {
        tdi_range range;
        const char *message;
    } rows[] = {
        {TDI_ABOVE_0("dt", "s", -1), "step: dt is -1 s; it must be above 0"},
        {TDI_ABOVE_0("dt", "s", 0), "step: dt is 0 s; it must be above 0"},
        {TDI_FROM_0("k", NULL, -0.5), "step: k is -0.5; it must be at least 0"},
        {TDI_FROM_0("k", NULL, INFINITY), "step: k is inf; it must be at least 0 and finite"},
        {TDI_FINITE("x", "m", -INFINITY), "step: x is -inf m; it must be finite"},
        {TDI_BETWEEN("n", NULL, 3, 1, 2), "step: n is 3; it must be at least 1 and at most 2"}};
    const tdi_range fine[] = {TDI_ABOVE_0("a", "s", 1e-300), TDI_FROM_0("b", NULL, 0),
                              TDI_FINITE("c", NULL, -1e300), TDI_BETWEEN("d", NULL, 2, 1, 2)};
    td_diag diag;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(tdi_check_ranges(&rows[i].range, 1, "step", 7, &diag), TD_ERR_ARGUMENT);
        CHECK_TEXT(diag.message, rows[i].message);
        CHECK_INT(diag.index, 7);
    }
    CHECK_INT(tdi_check_ranges(fine, sizeof fine / sizeof *fine, NULL, 0, &diag), TD_OK);
    const tdi_range none = TDI_FINITE("v", NULL, NAN);
    CHECK_INT(tdi_check_ranges(&none, 1, NULL, 0, NULL), TD_ERR_ARGUMENT);
}

TD_TEST(base_messages_that_are_too_long_are_cut) {
    char text[1000];
    td_diag diag;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    CHECK_INT(tdi_fail(&diag, TD_ERR_EVAL, "%s", text), TD_ERR_EVAL);
    CHECK_INT(strlen(diag.message), sizeof diag.message - 1);
    for (size_t k = 9; k < sizeof text - 1; k += 10) {
        text[k] = ' ';
    }
    CHECK_INT(tdi_fail(&diag, TD_ERR_EVAL, "%s", text), TD_ERR_EVAL);
    const size_t length = strlen(diag.message); // it ends after a word
    CHECK_TEXT(diag.message + length - 5, "a ...");
    CHECK((length - 4) % 10 == 9 && length > sizeof diag.message - 15);
    char small[4];
    tdi_text_copy(small, sizeof small, "abcdef");
    CHECK_TEXT(small, "abc");
    tdi_text_copy(small, sizeof small, "ab");
    CHECK_TEXT(small, "ab");
}

TD_TEST(base_diag_lists_keep_the_first_and_count_the_rest) {
    td_diag items[2], diag = {0};
    td_diag_list list = {items, 2, 0};
    for (int i = 0; i < 5; i++) {
        diag.index = i;
        tdi_diag_add(&list, &diag);
    }
    CHECK_INT(list.count, 5);
    CHECK_INT(items[0].index, 0);
    CHECK_INT(items[1].index, 1);
    tdi_diag_add(NULL, &diag);
}

// ---- memory ---------------------------------------------------------------------------------

TD_TEST(base_blocks_are_zeroed_and_given_back_with_their_size) {
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    uint8_t *block = tdi_alloc_zeroed(&alloc, 100, 3);
    CHECK_INT(heap.held, 300);
    CHECK_INT(heap.calls, 1);
    for (int i = 0; i < 300; i++) {
        CHECK(block[i] == 0);
        block[i] = (uint8_t)i;
    }
    block = tdi_alloc_resize(&alloc, block, 300, 1000);
    CHECK_INT(heap.held, 1000);
    CHECK_INT(block[255], 255);
    tdi_alloc_free(&alloc, block, 1000);
    CHECK_INT(heap.held, 0);
    CHECK_INT(heap.peak, 1000);
    tdi_alloc_free(&alloc, NULL, 0);
    // without an allocator the C heap is used
    block = tdi_alloc_zeroed(NULL, 8, 1);
    CHECK(block != NULL);
    tdi_alloc_free(NULL, block, 8);
}

TD_TEST(base_sizes_that_overflow_are_refused_without_asking) {
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    tdi_arena arena = {.alloc = &alloc};
    int64_t capacity = 0;
    CHECK(tdi_alloc_zeroed(&alloc, SIZE_MAX / 2, 3) == NULL);
    CHECK(tdi_alloc_zeroed(&alloc, 0, 8) == NULL);
    CHECK(tdi_array_reserve(&alloc, NULL, &capacity, INT64_MAX / 2, 16) == NULL);
    CHECK_INT(capacity, 0);
    CHECK(tdi_arena_zeroed(&arena, SIZE_MAX / 2, 3) == NULL);
    CHECK(tdi_arena_zeroed(&arena, SIZE_MAX - 20, 1) == NULL);
    CHECK_INT(heap.calls, 0);
    tdi_arena_free(&arena);
}

TD_TEST(base_arrays_grow_and_keep_their_items) {
    OWNED(test_heap) heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    int32_t *items = NULL;
    int64_t capacity = 0;
    for (int32_t i = 0; i < 10000; i++) {
        items = tdi_array_reserve(&alloc, items, &capacity, i + 1, sizeof *items);
        CHECK(capacity > i);
        items[i] = i * 7;
    }
    CHECK(heap.calls < 30); // by half each time, from 8
    CHECK(capacity <= 15000);
    CHECK_INT(heap.held, (size_t)capacity * sizeof *items);
    for (int32_t i = 0; i < 10000; i++) {
        CHECK(items[i] == i * 7);
    }
    // a failure leaves everything as it was
    heap.fail_at = heap.calls + 1;
    int64_t before = capacity;
    CHECK(tdi_array_reserve(&alloc, items, &capacity, before + 1, sizeof *items) == NULL);
    CHECK_INT(capacity, before);
    CHECK_INT(items[9999], 9999 * 7);
    tdi_alloc_free(&alloc, items, (size_t)capacity * sizeof *items);
}

TD_TEST(base_arena_blocks_are_zeroed_aligned_and_apart) {
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    tdi_arena arena = {.alloc = &alloc};
    char *blocks[400];
    for (size_t i = 0; i < 400; i++) {
        size_t size = i == 200 ? 100000 : i % 97; // one is larger than any chunk
        blocks[i] = tdi_arena_zeroed(&arena, size, 1);
        CHECK((uintptr_t)blocks[i] % _Alignof(max_align_t) == 0);
        for (size_t k = 0; k < size; k++) {
            CHECK(blocks[i][k] == 0);
            blocks[i][k] = (char)(i + 1);
        }
    }
    for (size_t i = 0; i < 400; i++) {
        size_t size = i == 200 ? 100000 : i % 97;
        CHECK(size == 0 || (blocks[i][0] == (char)(i + 1) && blocks[i][size - 1] == (char)(i + 1)));
    }
    CHECK_INT(arena.bytes, heap.held);
    CHECK(heap.calls < 10);
    tdi_arena_free(&arena);
    CHECK_INT(heap.held, 0);
    CHECK(arena.chunks == NULL);
}

TD_TEST(base_arena_copies_text_and_grows_arrays) {
    OWNED(test_heap) heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    tdi_arena arena = {.alloc = &alloc};
    CHECK_TEXT(tdi_arena_text(&arena, "abcdef", 3), "abc");
    CHECK_TEXT(tdi_arena_text(&arena, NULL, 0), "");
    int32_t *items = NULL;
    int64_t capacity = 0;
    for (int32_t i = 0; i < 5000; i++) {
        if (i == capacity) {
            items = tdi_arena_grow(&arena, items, i, &capacity, sizeof *items);
        }
        items[i] = i;
    }
    for (int32_t i = 0; i < 5000; i++) {
        CHECK(items[i] == i);
    }
    heap.fail_at = 1;
    int64_t before = capacity;
    CHECK(tdi_arena_grow(&arena, items, 5000, &capacity, 1000000) == NULL);
    CHECK_INT(capacity, before);
    tdi_arena_free(&arena);
}

// ---- random numbers -------------------------------------------------------------------------

// the first values that the authors' own code gives for the state 1, 2, 3, 4
TD_TEST(random_bits_are_those_of_xoshiro256_star_history) {
    const uint64_t want[] = {
        11520u, 0u, 1509978240u, 1215971899390074240u, 1216172134540287360u, 607988272756665600u};
    tdi_random random = {{1, 2, 3, 4}};
    for (int i = 0; i < 6; i++) {
        CHECK(tdi_random_bits(&random) == want[i]);
    }
}

// splitmix64 fills the state: its first values for the seed 1234567
TD_TEST(random_seeds_are_spread_by_splitmix64) {
    tdi_random random = random_of(1234567);
    CHECK(random.s[0] == 6457827717110365317u);
    CHECK(random.s[1] == 3203168211198807973u);
    CHECK(random.s[2] == 9817491932198370423u);
}

// computed by a second implementation in another language
TD_TEST(random_first_values_of_a_seed_are_fixed) {
    tdi_random random = random_of(0);
    CHECK(tdi_random_bits(&random) == 0x99ec5f36cb75f2b4u);
    CHECK(tdi_random_bits(&random) == 0xbf6e1f784956452au);
    tdi_random_seed(&random, 42);
    const double uniform[] = {0.08386297105988216, 0.3789802506626686, 0.6800434110281394,
                              0.9246929453253876};
    for (int i = 0; i < 4; i++) {
        CHECK_REL(tdi_random_uniform(&random), uniform[i], 0);
    }
    tdi_random_seed(&random, 42);
    const double normal[] = {-0.7262191382447857, 0.2216227015035933, 0.46417731016247366,
                             1.476249461018415};
    for (int i = 0; i < 4; i++) {
        CHECK_REL(tdi_random_normal(&random), normal[i], 1e-15); // another logarithm was used
    }
}

#define DRAWS 200000

typedef struct moments {
    double mean, variance, third, fourth, low, high; // third and fourth: standardised
} moments;

typedef double (*drawing)(tdi_random *random, double a, double b);

static double draw_uniform(tdi_random *random, double a, double b) {
    (void)a;
    (void)b;
    return tdi_random_uniform(random);
}
static double draw_normal(tdi_random *random, double a, double b) {
    (void)a;
    (void)b;
    return tdi_random_normal(random);
}
static double draw_binomial(tdi_random *random, double a, double b) {
    return (double)tdi_random_binomial(random, (int64_t)a, b);
}

static moments measure(drawing draw, double a, double b, double mean) {
    static double values[DRAWS];
    moments m = {0, 0, 0, 0, INFINITY, -INFINITY};
    tdi_random random = random_of(7);
    for (int i = 0; i < DRAWS; i++) {
        values[i] = draw(&random, a, b);
        m.mean += values[i] / DRAWS;
        m.low = fmin(m.low, values[i]);
        m.high = fmax(m.high, values[i]);
    }
    for (int i = 0; i < DRAWS; i++) { // about the mean that is known
        double d = values[i] - mean;
        m.variance += d * d / DRAWS;
        m.third += d * d * d / DRAWS;
        m.fourth += d * d * d * d / DRAWS;
    }
    double sigma = sqrt(m.variance);
    m.third /= sigma * sigma * sigma;
    m.fourth /= sigma * sigma * sigma * sigma;
    return m;
}

// Mean and variance to four standard errors: sigma/sqrt(N), and sigma^2 sqrt((kurtosis - 1)/N).
static void check_moments(const moments *m, double mean, double variance, double kurtosis) {
    double error = sqrt(variance / DRAWS), error2 = variance * sqrt((kurtosis - 1) / DRAWS);
    CHECK_IN(m->mean, mean - 4 * error, mean + 4 * error);
    CHECK_IN(m->variance, variance - 4 * error2, variance + 4 * error2);
}

TD_TEST(random_uniform_has_its_moments_and_its_range) {
    moments m = measure(draw_uniform, 0, 0, 0.5);
    check_moments(&m, 0.5, 1.0 / 12, 1.8);
    CHECK(m.low >= 0 && m.high < 1);
    CHECK(m.low < 1e-4 && m.high > 1 - 1e-4);
}

// chi squared over 100 cells: mean 99, deviation sqrt(198)
TD_TEST(random_uniform_fills_its_range_evenly) {
    int32_t cells[100] = {0};
    double sum = 0;
    tdi_random random = random_of(3);
    for (int i = 0; i < DRAWS; i++) {
        cells[(int)(tdi_random_uniform(&random) * 100)]++;
    }
    for (int i = 0; i < 100; i++) {
        double d = cells[i] - DRAWS / 100;
        sum += d * d / (DRAWS / 100);
    }
    CHECK_IN(sum, 99 - 4 * sqrt(198), 99 + 4 * sqrt(198));
}

TD_TEST(random_normal_has_its_moments) {
    moments m = measure(draw_normal, 0, 0, 0);
    check_moments(&m, 0, 1, 3);
    CHECK_IN(m.third, -4 * sqrt(6.0 / DRAWS), 4 * sqrt(6.0 / DRAWS));
    CHECK_IN(m.fourth, 3 - 4 * sqrt(24.0 / DRAWS), 3 + 4 * sqrt(24.0 / DRAWS));
    CHECK(m.high > 4 && m.low < -4); // of 200000 some 6 lie beyond on either side
}

// the beta distribution's mean, variance and kurtosis
static void check_beta(double a, double b) {
    double s = a + b, mean = a / s, variance = a * b / (s * s * (s + 1));
    double kurtosis =
        3 + 6 * ((a - b) * (a - b) * (s + 1) - a * b * (s + 2)) / (a * b * (s + 2) * (s + 3));
    moments m = measure(tdi_random_beta, a, b, mean);
    check_moments(&m, mean, variance, kurtosis);
    CHECK(m.low >= 0 && m.high <= 1);
}

TD_TEST(random_beta_has_its_moments_for_large_and_small_shapes) {
    check_beta(2, 3);
    check_beta(1, 1);
    check_beta(0.5, 0.5);
    check_beta(0.3, 4);
    check_beta(50, 10);
}

TD_TEST(random_binomial_has_its_moments) {
    const double rows[][2] = {{1, 0.3}, {10, 0.5}, {20, 0.05}, {33, 0.6}, {1000, 0.3}, {1e5, 1e-3}};
    for (int i = 0; i < 6; i++) {
        double n = rows[i][0], p = rows[i][1], q = 1 - p;
        moments m = measure(draw_binomial, n, p, n * p);
        check_moments(&m, n * p, n * p * q, 3 + (1 - 6 * p * q) / (n * p * q));
        CHECK(m.low >= 0 && m.high <= n);
    }
    tdi_random random = random_of(1);
    CHECK_INT(tdi_random_binomial(&random, 1000, 0), 0);
    CHECK_INT(tdi_random_binomial(&random, 1000, 1), 1000);
}

// ---- the pool -------------------------------------------------------------------------------

static void count_turn(void *context, int64_t i) {
    int32_t *turns = context;
    turns[i]++;
}

TD_TEST(pool_runs_every_turn_exactly_once_for_any_number_of_threads) {
    const int64_t counts[] = {0, 1, 2, 7, 63, 64, 1000, 10007};
    for (int32_t threads = 1; threads <= 9; threads++) {
        OWNED(td_pool) *pool = NULL;
        CHECK_INT(td_pool_new(threads, NULL, &pool, NULL), TD_OK);
        CHECK(td_pool_threads(pool) >= 1 && td_pool_threads(pool) <= threads);
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            FREED int32_t *turns = calloc((size_t)counts[k] + 1, sizeof *turns);
            int64_t wrong = 0;
            td_pool_run(pool, counts[k], count_turn, turns);
            for (int64_t i = 0; i < counts[k]; i++) {
                wrong += turns[i] != 1;
            }
            CHECK_INT(wrong, 0);
            CHECK_INT(turns[counts[k]], 0);
        }
    }
}

// many short loops one after the other: a thread that wakes late must not enter the next one twice
TD_TEST(pool_runs_many_short_loops_in_a_row) {
    int32_t turns[5] = {0};
    OWNED(td_pool) *pool = NULL;
    CHECK_INT(td_pool_new(4, NULL, &pool, NULL), TD_OK);
    for (int i = 0; i < 5000; i++) {
        td_pool_run(pool, 5, count_turn, turns);
    }
    for (int i = 0; i < 5; i++) {
        CHECK_INT(turns[i], 5000);
    }
}

TD_TEST(pool_refuses_bad_counts_and_gives_its_memory_back) {
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    td_pool *pool = NULL;
    CHECK_INT(td_pool_new(0, &alloc, &pool, NULL), TD_ERR_ARGUMENT);
    CHECK_INT(td_pool_new(-3, &alloc, &pool, NULL), TD_ERR_ARGUMENT);
    CHECK(pool == NULL);
    CHECK_INT(td_pool_new(3, &alloc, &pool, NULL), TD_OK);
    CHECK(heap.held > 0);
    td_pool_free(pool);
    CHECK_INT(heap.held, 0);
    heap.fail_at = 1;
    CHECK_INT(td_pool_new(3, &alloc, &pool, NULL), TD_ERR_MEMORY);
    CHECK(pool == NULL);
    td_pool_free(NULL);
}
