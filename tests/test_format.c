// SPDX-License-Identifier: MIT
// Texts by a format, beside snprintf. Pairs with src/system/format.c.
#include "td_test.h"

#include "system/format.h"

#include <stdarg.h>
#include <stdlib.h>

// both ways into `size` bytes: the same text and the same length
__attribute__((format(printf, 2, 3))) static bool alike(size_t size, const char *format, ...) {
    char ours[400] = "x", theirs[400] = "x";
    va_list args;
    va_start(args, format);
    int a = tdi_format(ours, size, format, args);
    va_end(args);
    va_start(args, format);
    int b = vsnprintf(theirs, size, format, args);
    va_end(args);
    if (a != b || strcmp(ours, theirs) != 0) {
        printf("'%s' in place of '%s'\n", ours, theirs);
    }
    return a == b && strcmp(ours, theirs) == 0;
}

TD_TEST(format_writes_words_and_whole_numbers_as_printf_does) {
    CHECK(alike(400, "%s has %d of %u, 100%%, %c", "rose", -12, 4000000000u, 'x'));
    CHECK(alike(400, "%lld %lld %ld %zu", (long long)INT64_MIN, 0LL, -5L, (size_t)77));
    CHECK(alike(400, "%02x %06x %04x %5d|", 10u, 0xabcdefu, 0u, 42));
    CHECK(alike(400, "%.3s|%.*s|%.0s|%9s|", "abcdef", 2, "xyz", "gone", "word"));
    CHECK(alike(400, "%.0d|%.0d", 0, 7));
}

TD_TEST(format_cuts_a_text_that_is_too_long_and_tells_its_length) {
    CHECK(alike(8, "%s and %d", "something", 12));
    CHECK(alike(1, "%g", 0.25));
    CHECK(alike(0, "%s", "nothing"));
}

TD_TEST(format_writes_reals_as_printf_does) {
    static const double chosen[] = {0,
                                    -0.0,
                                    1,
                                    -1,
                                    10,
                                    100000,
                                    999999.5,
                                    1e6,
                                    123456,
                                    1234567,
                                    0.1,
                                    1e-4,
                                    9.9999999e-5,
                                    1e-5,
                                    3.14159265358979,
                                    1e100,
                                    -1e-300,
                                    0x1p-1074,
                                    0x1.fffffffffffffp1023,
                                    2.5e15,
                                    HUGE_VAL,
                                    -HUGE_VAL};
    for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
        CHECK(alike(400, "%g", chosen[i]));
        CHECK(alike(400, "%9g|", chosen[i]));
        for (int digits = 0; digits <= 17; digits++) {
            CHECK(alike(400, "%.*g", digits, chosen[i]));
        }
    }
}
