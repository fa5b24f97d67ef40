// SPDX-License-Identifier: MIT
#pragma once

// A test is TD_TEST(name_that_says_the_claim) { ... }. Checks print what failed and go on. A test
// in which no check ran has failed.
// ctest runs them file by file.

#include "test_heap.h"
#include "test_owned.h"

#include "base/random.h"
#include "tendril/tendril.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*test_function)(void);
void test_register(const char *file, const char *name, test_function function);
extern long test_checks; // that ran so far
void test_failed(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// What the test is about is not there: it neither passes nor fails, and the reason is printed.
void test_skip(const char *reason);
// Whether TEST_LONG is set in the environment, as `make soak` does: a test may then try more cases.
bool test_is_long(void);
// A check with a message of its own, for helpers that are told the place. The condition again.
bool test_check(bool condition, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#define TD_TEST(name)                                                \
    static void test_##name(void);                                   \
    __attribute__((constructor)) static void register_##name(void) { \
        test_register(__FILE__, #name, test_##name);                 \
    }                                                                \
    static void test_##name(void)

#define CHECK(condition)                                       \
    do {                                                       \
        test_checks++;                                         \
        if (!(condition)) {                                    \
            test_failed(__FILE__, __LINE__, "%s", #condition); \
        }                                                      \
    } while (0)

// with a message of its own
#define CHECK_SAY(condition, ...) test_check(condition, __FILE__, __LINE__, __VA_ARGS__)

// relative to `want`; absolute when want is 0
#define CHECK_REL(got, want, tolerance)                                                  \
    do {                                                                                 \
        double got_ = (double)(got), want_ = (double)(want), tol_ = (double)(tolerance); \
        CHECK_SAY(fabs(got_ - want_) <= tol_ * (want_ == 0 ? 1 : fabs(want_)),           \
                  "%s = %.17g, wanted %.17g to %g", #got, got_, want_, tol_);            \
    } while (0)

#define CHECK_INT(got, want)                                                   \
    do {                                                                       \
        long long got_ = (long long)(got), want_ = (long long)(want);          \
        CHECK_SAY(got_ == want_, "%s = %lld, wanted %lld", #got, got_, want_); \
    } while (0)

#define CHECK_IN(got, low, high)                                                                  \
    do {                                                                                          \
        double got_ = (double)(got), low_ = (double)(low), high_ = (double)(high);                \
        CHECK_SAY(got_ >= low_ && got_ <= high_, "%s = %.17g, wanted %g to %g", #got, got_, low_, \
                  high_);                                                                         \
    } while (0)

#define CHECK_TEXT(got, want)                                                                 \
    do {                                                                                      \
        const char *got_ = (got), *want_ = (want);                                            \
        CHECK_SAY(strcmp(got_, want_) == 0, "%s = \"%s\", wanted \"%s\"", #got, got_, want_); \
    } while (0)

// the text has the part
#define CHECK_HAS(text, part)                                                             \
    do {                                                                                  \
        const char *text_ = (text), *part_ = (part);                                      \
        CHECK_SAY(strstr(text_, part_), "%s = \"%s\" lacks \"%s\"", #text, text_, part_); \
    } while (0)

static inline tdi_random random_of(uint64_t seed) {
    tdi_random random;
    tdi_random_seed(&random, seed);
    return random;
}

// The larger or lesser of two, NaN when either is one: those of the library leave it out, and the
// worst of many errors would be small.
static inline double test_max(double a, double b) {
    return a > b || isnan(a) ? a : b;
}
static inline double test_min(double a, double b) {
    return a < b || isnan(a) ? a : b;
}
#define fmax(a, b) test_max(a, b)
#define fmin(a, b) test_min(a, b)

// ---- skeletons ------------------------------------------------------------------------------

static inline td_builder *test_builder(void) {
    td_builder *builder = NULL;
    CHECK_INT(td_builder_new(NULL, NULL, &builder, NULL), TD_OK);
    return builder;
}

static inline td_skeleton *test_finish(td_builder *builder) {
    td_skeleton *skeleton = NULL;
    CHECK_INT(td_builder_finish(builder, &skeleton, NULL), TD_OK);
    return skeleton;
}

// ---- memory that ends -----------------------------------------------------------------------

// Memory that ends at a call for it.
typedef struct scarce {
    td_alloc alloc;
    test_heap heap;
    long least;
} scarce;

// What calls give back that use all of it: an error once they have asked in vain.
static inline td_status scarce_status(const scarce *s) {
    return s->heap.calls < s->heap.fail_at ? TD_OK : TD_ERR_MEMORY;
}

// Of a round nothing may be left. In the last one nothing fails.
static inline bool scarce_goes_on(scarce *s) {
    const long last = s->heap.fail_at;
    const bool done = scarce_status(s) == TD_OK;
    CHECK_SAY(s->heap.held == 0, "%zu bytes are left when memory ends at call %ld", s->heap.held,
              last);
    CHECK_SAY(!done || last > s->least, "%ld calls for memory are too few to try", last - 1);
    s->heap = (test_heap){.fail_at = last + 1};
    s->alloc = test_heap_alloc(&s->heap);
    return !done;
}

// The block that follows runs with memory that ends at the first call for it, at the second and so
// on, until there is enough; `calls` of them fail at least.
#define WITH_SCARCE(name, calls) for (scarce name = {.least = (calls)}; scarce_goes_on(&name);)

// Memory that was counted: none of it may be left.
OWNED_VALUE(test_heap, CHECK_SAY(value->held == 0, "%zu bytes are left", value->held))
