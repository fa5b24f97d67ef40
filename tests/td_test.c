// SPDX-License-Identifier: MIT
// Runs all registered tests, or the tests that an argument selects: a part of a name, `=name` for
// an exact name, or `@file` for a file. An argument that selects none is refused. The environment
// variable TEST_EXCEPT excludes tests by parts of names, separated by commas. TEST_TIMES prints the
// processor time of each test; with TEST_LONG tests try more cases.

#include "td_test.h"

#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#define MAX_TESTS 2048

static struct {
    const char *file, *name;
    test_function function;
} tests[MAX_TESTS];
static int test_count;
static int failures;
static const char *skipped; // why the test that runs is left out, or NULL
long test_checks;

void test_register(const char *file, const char *name, test_function function) {
    if (test_count == MAX_TESTS) {
        fprintf(stderr, "too many tests: raise MAX_TESTS\n");
        abort();
    }
    tests[test_count].file = file;
    tests[test_count].name = name;
    tests[test_count].function = function;
    test_count++;
}

void test_skip(const char *reason) {
    skipped = reason;
}

bool test_is_long(void) {
    return getenv("TEST_LONG") != NULL;
}

static void print_failure(const char *file, int line, const char *format, va_list args) {
    failures++;
    printf("%s:%d: ", file, line);
    vprintf(format, args);
    printf("\n");
}

void test_failed(const char *file, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    print_failure(file, line, format, args);
    va_end(args);
}

bool test_check(bool condition, const char *file, int line, const char *format, ...) {
    va_list args;
    va_start(args, format);
    test_checks++;
    if (!condition) {
        print_failure(file, line, format, args);
    }
    va_end(args);
    return condition;
}

// ---- entry ----------------------------------------------------------------------------------

// Whether a name contains one of the parts, which commas separate.
static bool has_part_of(const char *name, const char *parts) {
    for (const char *part = parts; part && *part;) {
        const size_t length = strcspn(part, ",");
        char copy[256];
        snprintf(copy, sizeof copy, "%.*s", (int)length, part);
        if (length > 0 && strstr(name, copy)) {
            return true;
        }
        part += length + (part[length] == ',');
    }
    return false;
}

// Whether a path ends in /NAME.c.
static bool is_file(const char *path, const char *name) {
    const char *last = strrchr(path, '/');
    const size_t length = strlen(name);
    last = last ? last + 1 : path;
    return strncmp(last, name, length) == 0 && strcmp(last + length, ".c") == 0;
}

static bool selects(const char *filter, int i) {
    const char *name = tests[i].name;
    return filter[0] == '='   ? strcmp(name, filter + 1) == 0
           : filter[0] == '@' ? is_file(tests[i].file, filter + 1)
                              : strstr(name, filter) != NULL;
}

// The filter that selects a test first, "" without filters, NULL: none does.
static const char *selected_by(int i, int count, char **filters) {
    for (int k = 0; k < count; k++) {
        if (selects(filters[k], i)) {
            return filters[k];
        }
    }
    return count > 0 ? NULL : "";
}

static bool selects_any(const char *filter) {
    for (int i = 0; i < test_count; i++) {
        if (selects(filter, i)) {
            return true;
        }
    }
    fprintf(stderr, "%s: no test has such a name\n", filter);
    return false;
}

// Seconds of the processor, all threads together; there are none under node.
static double seconds(void) {
#ifdef __wasm__
    return 0;
#else
    return (double)clock() / CLOCKS_PER_SEC;
#endif
}

static bool run_test(const char *name, test_function function) {
    int before = failures;
    long checks = test_checks;
    const double began = seconds();
    skipped = NULL;
    function();
    if (getenv("TEST_TIMES")) {
        printf("%8.3f s %s\n", seconds() - began, name);
    }
    if (skipped) {
        printf("left out %s: %s\n", name, skipped);
    } else if (test_checks == checks) {
        failures++;
        printf("%s: no check ran\n", name);
    }
    if (failures > before) {
        printf("FAILED %s\n", name);
    }
    return failures == before;
}

int main(int argc, char **argv) {
    int run = 0, failed = 0, left_out = 0, excluded = 0;
    for (int k = 1; k < argc; k++) {
        if (!selects_any(argv[k])) {
            return 2;
        }
    }
    for (int i = 0; i < test_count; i++) {
        const char *filter = selected_by(i, argc - 1, argv + 1);
        if (!filter) {
            continue;
        }
        if (has_part_of(tests[i].name, getenv("TEST_EXCEPT"))) {
            excluded++;
            continue;
        }
        run++;
        if (filter[0] == '@') {
            printf("%s\n", tests[i].name);
            fflush(stdout); // a crash must not take the name along
        }
        failed += !run_test(tests[i].name, tests[i].function);
        left_out += skipped != NULL;
    }
    printf("%d passed, %d failed, %d left out\n", run - failed - left_out, failed, left_out);
    return run + excluded == 0 || failed > 0;
}
