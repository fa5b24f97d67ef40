// SPDX-License-Identifier: MIT
// Limits, nesting, garbage and lack of memory: a status in the end, never a crash, a hang or a
// leak. Pairs with src/grammar.

#include "test_grammar_support.h"

#include "base/alloc.h"

#include <stdlib.h>

// ---- limits ---------------------------------------------------------------------------------

static test_model limited(const char *text, int64_t modules, size_t bytes, int64_t loops,
                          int32_t steps) {
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    opts.max_modules = modules;
    opts.max_bytes = bytes;
    opts.max_loops = loops;
    return test_model_of(&def, &opts, steps, NULL);
}

TD_TEST(errors_of_growth_past_the_limits_name_the_production_and_keep_the_string) {
    OWNED(test_model) m = limited("axiom: A\nA --> AA\n", 1000, 1 << 20, 0, 9);
    CHECK_INT(m.status, TD_OK);
    CHECK_INT(td_derivation_string(m.derivation).module_count, 512);
    td_diag diag = {0};
    CHECK_INT(td_derivation_step(m.derivation, &diag), TD_ERR_LIMIT);
    CHECK_INT(diag.line, 2);
    CHECK_INT(diag.column, 1);
    CHECK_HAS(diag.message, "grows past 1000 modules (max_modules) here, in step 10");
    CHECK_INT(td_derivation_string(m.derivation).module_count, 512);
    test_model_free(&m);
    m = limited("axiom: A(1)\nA(x) --> A(x)A(x)\n", 1 << 20, 10000, 0, 30);
    CHECK_INT(m.status, TD_ERR_LIMIT);
    CHECK_HAS(m.faults[0].message, "grows past 10000 bytes");
    CHECK(td_derivation_bytes(m.derivation) < 20000);
    test_model_free(&m);
    m = limited("axiom: AAAA\n", 3, 1 << 20, 0, 0);
    CHECK_INT(m.status, TD_ERR_LIMIT);
    test_model_free(&m);
    // decomposition that multiplies to its depth
    m = limited("axiom: A\ndecomposition\nmaximum depth: 1000\nA --> AA\n", 1000, 1 << 20, 0, 1);
    CHECK_INT(m.status, TD_ERR_LIMIT);
}

// the bytes of the decomposed string are counted with those of the others, not against them
TD_TEST(errors_of_limits_do_not_strike_a_small_decomposition) {
    char text[1400] = "axiom: A\ndecomposition\nA --> ";
    for (int i = 0; i < 1100; i++) {
        strcat(text, "F");
    }
    strcat(text, "F(1)F(1)F(1)F(1)F(1)F(1)F(1)F(1)F(1)F(1)\n");
    OWNED(test_model) m = limited(text, 10000, 1 << 20, 0, 1);
    CHECK_INT(m.status, TD_OK);
}

TD_TEST(errors_of_endless_loops_name_the_loop) {
    const struct {
        const char *text;
        int32_t line, column;
    } rows[] = {{"Start: { x = 1;\n while (x) { x = 1; } }\naxiom: A\n", 2, 7},
                {"Start: { do { } while (1); }\naxiom: A\n", 1, 12},
                {"axiom: A\nA : { while (1) { } } 1 --> B\n", 2, 12}};
    for (size_t i = 0; i < 3; i++) {
        OWNED(test_model) m = limited(rows[i].text, 100, 1 << 20, 5000, 1);
        CHECK_INT(m.status, TD_ERR_LIMIT);
        CHECK_HAS(m.faults[0].message, "this loop passes the limit");
        CHECK_INT(m.faults[0].line, rows[i].line);
        CHECK_INT(m.faults[0].column, rows[i].column);
    }
    // 5000 turns in all steps together are within a limit of 5000
    OWNED(test_model) m = limited(
        "StartEach: { i = 0; while (i < 2500) { i = i + 1; } }\naxiom: A\n", 9, 1 << 20, 5000, 2);
    CHECK_INT(m.status, TD_OK);
    CHECK_INT(td_derivation_step(m.derivation, NULL), TD_ERR_LIMIT);
}

static test_model with_max_text(const char *text, size_t max_text) {
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    def.max_text = max_text;
    return test_model_of(&def, &opts, 0, NULL);
}

TD_TEST(errors_of_text_over_its_limit) {
    const char *text = "axiom: ABCDE";
    OWNED(test_model) m = with_max_text(text, strlen(text));
    CHECK_TEXT(test_string_of(&m), "ABCDE");
    test_model_free(&m);
    m = with_max_text(text, strlen(text) - 1);
    CHECK_INT(m.status, TD_ERR_LIMIT);
    CHECK_HAS(m.faults[0].message, "12 bytes; it can have at most 11");
    test_model_free(&m);
    // the text is small, what its macros make of it is not
    m = with_max_text("#define A BBBBBBBBBBBBBBBB\naxiom: A A A A A A A A A\n", 100);
    CHECK_INT(m.status, TD_ERR_LIMIT);
    CHECK_INT(m.faults[0].line, 2);
    CHECK_HAS(m.faults[0].message, "expands to more than 100 bytes here");
}

// each level uses the next one twice: 2^60 replacements if they were made
static void bomb(const char *form, const char *last, char *text, size_t size) {
    size_t n = 0;
    for (int i = 0; i < 60; i++) {
        n += (size_t)snprintf(text + n, size - n, form, i, i + 1, i + 1);
    }
    snprintf(text + n, size - n, last, 60);
}

TD_TEST(errors_of_macro_bombs_end_at_a_limit) {
    static char text[8192];
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    const char *forms[][2] = {
        {"#define A%d A%d A%d\n", "#define A%d F\naxiom: A0\n"},
        {"#define A%d() A%d()A%d()\n", "#define A%d()\naxiom: F A0()\n"}, // leaves nothing behind
        {"#define A%d(x) A%d(x x)A%d(x x)\n", "#define A%d(x)\naxiom: F A0(12345678)\n"},
    };
    for (size_t i = 0; i < 3; i++) {
        bomb(forms[i][0], forms[i][1], text, sizeof text);
        td_grammar_def def = test_def(text);
        td_derive_opts opts = td_derive_opts_default();
        def.max_text = 1 << 17;
        OWNED(test_model) m = test_model_of(&def, &opts, 0, &alloc);
        CHECK_INT(m.status, TD_ERR_LIMIT);
        CHECK_INT(m.fault_count, 1);
        CHECK_INT(m.faults[0].line, 62);
    }
    CHECK_INT(heap.held, 0);
    CHECK(heap.peak < (size_t)32 << 20);
}

TD_TEST(errors_of_macros_in_macros_end_at_a_depth) {
    static char text[8192];
    size_t n = 0;
    for (int i = 0; i < 80; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "#define A%d A%d\n", i, i + 1);
    }
    snprintf(text + n, sizeof text - n, "axiom: F A0\n");
    const test_fault rows[] = {{text, TD_ERR_SYNTAX, 81, 10, "nested more than 64 deep"}};
    CHECK_FAULTS(rows, 0);
}

// arrays take what they hold, not what all arrays before them hold as well
TD_TEST(errors_do_not_come_from_many_arrays_and_their_memory_is_bounded) {
    static char text[32768];
    OWNED(test_heap) heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    size_t n = (size_t)snprintf(text, sizeof text, "define: { array big[900000];\n");
    for (int i = 0; i < 900; i++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "array a%d[1];\n", i);
    }
    n += (size_t)snprintf(text + n, sizeof text - n, "}\naxiom: A(a899[0])\n");
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    OWNED(test_model) m = test_model_of(&def, &opts, 0, &alloc);
    CHECK_INT(m.status, TD_OK);
    CHECK(heap.peak < (size_t)64 << 20);
}

// ---- counts ---------------------------------------------------------------------------------

// `before`, then `part` count times its number for a %d in it, then `after`
static char *repeated(const char *before, const char *part, int32_t count, const char *after) {
    size_t size = strlen(before) + strlen(after) + (strlen(part) + 8) * (size_t)count + 1;
    char *text = malloc(size);
    size_t n = (size_t)snprintf(text, size, "%s", before);
    for (int32_t i = 0; i < count; i++) {
        n += (size_t)snprintf(text + n, size - n, part, i);
    }
    snprintf(text + n, size - n, "%s", after);
    return text;
}

TD_TEST(errors_of_counts_come_after_their_limit_and_not_before) {
    const struct {
        const char *before, *part;
        int32_t limit;
        const char *after, *message;
    } rows[] = {
        {"define: { ", "array a%d[1];\n", 1000, "}\naxiom: A\n", "more than 1000 arrays"},
        {"", "#define M%d\n", 1024, "axiom: A\n", "more than 1024 macros"},
        {"", "material: %d oak\n", 64, "axiom: A\n", "more than 64 items"},
        {"", "color: %d #123456\n", 64, "axiom: A\n", "more than 64 items"},
        {"material: 0 oak", ", k%d=1", 16, "\naxiom: A\n", "too many settings"},
        {"Start: {", "x%d = 1;", 128, "}\naxiom: A\n", "more than 128 names"},
        {"#ifndef X\n", "#ifndef X%d\n", 63, "axiom: A\n", "this condition is never closed"},
        {"", "function: f%d (0,0) (0.3,0) (0.6,1) (1,1)\n", 1000, "axiom: A\n",
         "more than 1000 functions"},
        {"function: f (0,0)", "(0.5,%d)", 998, "(1,1)\naxiom: A\n",
         "a function has more than 1000 control points"},
        {"", "contour: 1%d open (0,0) (0,1) (1,1) (2,1)\n", 1000, "axiom: A\n",
         "more than 1000 contours"},
        {"contour: 1 open", "(%d,0)", 1000, "\naxiom: A\n",
         "a contour has more than 1000 control points"},
        {"Start: {", "printf(\"x\");", 1000, "}\naxiom: A\n", "prints in more than 1000 places"},
        {"Start: {", "x = fopen(\"f%d\", \"w\");", 16, "}\naxiom: A\n",
         "writes more than 16 files"},
        {"Start: { printf(\"", "x", 1024, "\"); }\naxiom: A\n", "more than 1024 characters"},
        {"", "lsystem: 1%d\naxiom: A\nendlsystem\n", 64, "", "more than 64 L-systems"},
        {"surface: l patch",
         " (0,0,%d) (0,0,1) (0,0,2) (0,0,3) (1,0,0) (1,0,1) (1,0,2) (1,0,3)"
         " (2,0,0) (2,0,1) (2,0,2) (2,0,3) (3,0,0) (3,0,1) (3,0,2) (3,0,3)",
         1000, "\naxiom: A\n", "a surface has more than 1000 patches"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int32_t more = 0; more < 2; more++) {
            FREED char *text =
                repeated(rows[i].before, rows[i].part, rows[i].limit + more, rows[i].after);
            OWNED(test_model) m = test_model_text(text, 0);
            bool open = strstr(rows[i].part, "#if") != NULL; // these are faulty anyway
            CHECK_INT(m.status, more || open ? TD_ERR_SYNTAX : TD_OK);
            CHECK_HAS(m.status == TD_OK ? rows[i].message : m.faults[0].message,
                      open && more ? "conditions are nested more than 64 deep" : rows[i].message);
        }
    }
}

TD_TEST(errors_of_counts_in_polygons_come_after_their_limit_and_not_before) {
    const struct {
        const char *before, *part;
        int32_t limit;
        const char *after, *message;
    } rows[] = {{"axiom: ?P(0,0,0)", "{", 64, "\n", "polygons are nested more than 64 deep"},
                {"axiom: ?P(0,0,0){", ".f", 99999, ".}\n", "more than 100000 corners"},
                {"axiom: ?P(0,0,0)", "@PS(%d)", 1000, "\n", "more than 1000 numbers of patches"}};
    for (size_t i = 0; i < 3; i++) {
        for (int32_t more = 0; more < 2; more++) {
            FREED char *text =
                repeated(rows[i].before, rows[i].part, rows[i].limit + more, rows[i].after);
            OWNED(test_model) m = test_model_text(text, 0);
            CHECK_INT(m.status, more ? TD_ERR_LIMIT : TD_OK);
            CHECK_HAS(more ? m.faults[0].message : rows[i].message, rows[i].message);
        }
    }
}

// ---- nesting --------------------------------------------------------------------------------

// `open` count times, the middle, `close` count times
static char *nested(const char *before, const char *open, const char *middle, const char *close,
                    int32_t count, const char *after) {
    size_t size = strlen(before) + strlen(middle) + strlen(after) + 1 +
                  (strlen(open) + strlen(close)) * (size_t)count;
    char *text = malloc(size), *end = text;
    end += sprintf(end, "%s", before);
    for (int32_t i = 0; i < count; i++) {
        end += sprintf(end, "%s", open);
    }
    end += sprintf(end, "%s", middle);
    for (int32_t i = 0; i < count; i++) {
        end += sprintf(end, "%s", close);
    }
    sprintf(end, "%s", after);
    return text;
}

TD_TEST(errors_of_deep_nesting_end_at_a_limit) {
    const struct {
        const char *before, *open, *middle, *close, *after;
    } forms[] = {
        {"axiom: A(", "(", "1", ")", ")\n"},
        {"axiom: A(", "-", "1", "", ")\n"},
        {"axiom: A(", "!", "1", "", ")\n"},
        {"axiom: A(", "sin(", "1", ")", ")\n"},
        {"axiom: A(", "1^", "1", "", ")\n"},
        {"axiom: A(", "1+(", "1", ")", ")\n"},
        {"Start: {", "if (1) {", "x = 1;", "}", "}\naxiom: A\n"},
        {"Start: {", "while (0) ", "x = 1;", "", "}\naxiom: A\n"},
        {"Start: {", "do ", "x = 1;", " while (0);", "}\naxiom: A\n"},
        {"axiom: A\nA > ", "[", "B", "]", " --> C\n"},
        {"axiom: A", "\n#ifdef X", "", "\n#endif", "\n"},
        {"axiom: A\n#if ", "1 ? ", "1", " : 1", "\n#endif\n"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        // a few levels are fine, a hundred thousand are refused, whatever they nest
        for (int32_t count = 10; count <= 100000; count *= 10000) {
            FREED char *text = nested(forms[i].before, forms[i].open, forms[i].middle,
                                      forms[i].close, count, forms[i].after);
            OWNED(test_model) m = test_model_text(text, 0);
            CHECK_INT(m.status, count == 10 ? TD_OK : TD_ERR_SYNTAX);
        }
    }
}

TD_TEST(errors_do_not_come_from_deep_branches_up_to_the_turtles_limit) {
    const int32_t counts[] = {1000, 100000, 100001};
    for (int i = 0; i < 3; i++) {
        FREED char *text = nested("axiom: ", "[", "F", "]", counts[i], "\nF > A --> B\n");
        OWNED(test_model) m = test_model_good(text, 1);
        td_totals totals = {0};
        td_diag diag = {0};
        td_string s = td_derivation_string(m.derivation);
        td_status status = td_totals_from_string(m.grammar, &s, NULL, NULL, &totals, &diag);
        CHECK_INT(status, i < 2 ? TD_OK : TD_ERR_LIMIT);
    }
}

// ---- garbage --------------------------------------------------------------------------------

TD_TEST(errors_of_binary_garbage_are_faults_of_syntax) {
    tdi_random random = random_of(99);
    for (int i = 0; i < 500; i++) {
        char text[256];
        td_grammar_def def = td_grammar_def_default();
        OWNED(td_grammar) *g = NULL;
        td_diag diag = {0};
        td_diag_list list = {&diag, 1, 0};
        for (size_t k = 0; k < sizeof text; k++) {
            text[k] = (char)tdi_random_bits(&random);
        }
        def.text = text;
        def.text_size = sizeof text;
        // no axiom stands among 256 random bytes
        CHECK_INT(td_grammar_new(&def, NULL, &g, &list), TD_ERR_SYNTAX);
        CHECK(list.count > 0 && diag.line > 0 && diag.column > 0 && diag.message[0] != 0);
    }
}

// pieces of models in random order reach deeper than bytes do
TD_TEST(errors_of_shuffled_models_give_a_status_and_leave_nothing_behind) {
    const char *pieces[] = {"axiom: ",
                            "A",
                            "A(x)",
                            "-->",
                            " < ",
                            " > ",
                            ":",
                            "[",
                            "]",
                            "\n",
                            "\n\t",
                            "{",
                            "}",
                            "x = 1;",
                            "while (x < 3) { x = x + 1; }",
                            "(",
                            ")",
                            "1.5",
                            "*",
                            "%",
                            "?P(0,0,0)",
                            "~L",
                            "@v",
                            "F(2)",
                            "seed: 3\n",
                            "homomorphism\n",
                            "decomposition\n",
                            "#define X Y\n",
                            "#ifdef X\n",
                            "#endif\n",
                            "Start: ",
                            "define: ",
                            "array a[3];",
                            "ignore: F\n",
                            "+",
                            "-",
                            "/",
                            ",",
                            ";",
                            "surface: L leaf\n",
                            "/*",
                            "*/",
                            " // x\n"};
    const int32_t piece_count = (int32_t)(sizeof pieces / sizeof pieces[0]);
    tdi_random random = random_of(5);
    test_heap heap = {0};
    td_alloc alloc = test_heap_alloc(&heap);
    int good = 0;
    for (int i = 0; i < 4000; i++) {
        char text[1024] = "axiom: A(1)F\n";
        int32_t count = (int32_t)(tdi_random_uniform(&random) * 20);
        for (int32_t k = 0; k < count; k++) {
            strcat(text, pieces[(int32_t)(tdi_random_uniform(&random) * piece_count)]);
        }
        td_grammar_def def = test_def(text);
        td_derive_opts opts = td_derive_opts_default();
        opts.max_modules = 200;
        opts.max_loops = 200;
        test_model m = test_model_of(&def, &opts, 3, &alloc);
        CHECK(m.status == TD_OK || m.faults[0].message[0] != 0);
        good += m.status == TD_OK;
        test_model_free(&m);
        CHECK_INT(heap.held, 0);
    }
    CHECK(good > 100); // and some are models
}

// ---- memory ---------------------------------------------------------------------------------

static const char *const rich_text =
    "#define ANGLE(x) ((x)*2)\n#include \"part\"\n#if 1 + 1 == 2\nseed: 4\n#endif\n"
    "ignore: +-\nsurface: L leaf\n"
    "surface: P patch (0,0,0) (0,0,1) (0,0,2) (0,0,3) (1,0,0) (1,0,1) (1,0,2) (1,0,3)"
    " (2,0,0) (2,0,1) (2,0,2) (2,0,3) (3,0,0) (3,0,1) (3,0,2) (3,0,3)\n"
    "function: g (0,0) (0.3,0) (0.6,1) (1,1)\ncontour: 1 open (0,0) (0,1) (1,1) (2,1)\n"
    "material: 1 oak, young=5e9\ncolor: 1 #102030\n"
    "define: { array a[4] = {1,2,3,4}; array b[3]; }\n"
    "Start: { n = 0; f = fopen(\"log\", \"w\"); printf(\"%g\\n\", n); }\n"
    "axiom: A(1)?P(0,0,0)~P(func(g,0.5))\n"
    "A(x) : { y = x + a[1]; } x < 4 { n = n + 1; } --> F(y)[+(ANGLE(20))B(x)][-~L(x)]A(x+1) : 2\n"
    "A(x) --> F(1){f+f+f}@GsF!(2)@Ge@O(1)C : 0.01\n"
    "F(l) < B(x) > [C]D --> B(x+l)\nB(x) < F(l) --> F(l)\n"
    "decomposition\nmaximum depth: 3\nC --> DE\nhomomorphism\nB(x) --> ;(1)@Mat(1)F(x)F(1)\n";

static td_status part_read(void *context, const char *name, const char *from, size_t max_size,
                           const td_alloc *alloc, char **text, size_t *size, char resolved[160]) {
    const char *part = "#define PART 1\nangle increment: 20\n";
    (void)context;
    (void)from;
    snprintf(resolved, 160, "%s", name);
    *size = strlen(part);
    *text = *size <= max_size ? tdi_alloc_resize(alloc, NULL, 0, *size) : NULL;
    if (!*text) {
        return TD_ERR_MEMORY;
    }
    memcpy(*text, part, *size);
    return TD_OK;
}

// uses of a sub-L-system with variables, and a patch
static const char systems_text[] =
    "lsystem: 1\naxiom: F(1)@PS(1)R(0)R(1)R(2)R(3)@PD(1)?(2,1)B$A\nA --> F(1)?(2,1)B$?P(0,0,0)A\n"
    "homomorphism\n"
    "R(i) --> [-(90)@PC(1,i,0)f(1)@PC(1,i,1)f(1)@PC(1,i,2)f(1)@PC(1,i,3)]f(1)\nendlsystem\n"
    "lsystem: 2\ndefine: { array a[3]; }\nStart: { n = 0; }\nStartEach: { n = n + 1; }\n"
    "axiom: B\nB --> F(n)[+(30)F(1)]B\nendlsystem\n";

// parses, derives four steps, makes a skeleton and totals
static td_status grow(const char *text, const td_alloc *alloc) {
    td_loader loader = {part_read, NULL};
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    OWNED(td_skeleton) *skeleton = NULL;
    td_totals totals;
    def.loader = &loader;
    OWNED(test_model) m = test_model_of(&def, &opts, 4, alloc);
    td_status status = m.status;
    if (status == TD_OK) {
        td_string s = td_derivation_string(m.derivation);
        status = td_skeleton_from_string(m.grammar, &s, NULL, alloc, &skeleton, &m.faults[0]);
        if (status == TD_OK) {
            CHECK(td_skeleton_count(skeleton) > 10);
            status = td_totals_from_string(m.grammar, &s, NULL, alloc, &totals, &m.faults[0]);
        }
    }
    return status;
}

TD_TEST(errors_of_memory_from_any_call_on_give_a_status_and_no_leak) {
    const char *texts[] = {rich_text, systems_text};
    for (int k = 0; k < 2; k++) {
        WITH_SCARCE(memory, 25) {
            CHECK_INT(grow(texts[k], &memory.alloc), scarce_status(&memory));
        }
    }
}

// A grammar takes its memory in chunks. Comments of every length move the places where a chunk ends
// through all that the parser asks for.
TD_TEST(errors_of_memory_wherever_a_chunk_ends_give_a_status_and_no_leak) {
    enum { LONGEST = 17000 };
    FREED char *text = malloc(LONGEST + strlen(rich_text) + 8);
    int64_t failures = 0;
    for (size_t pad = 0; pad < LONGEST; pad += 48) {
        sprintf(text, "/*%*s*/\n%s", (int)pad, "", rich_text);
        WITH_SCARCE(memory, 1) {
            td_loader loader = {part_read, NULL};
            td_grammar_def def = test_def(text);
            OWNED(td_grammar) *g = NULL;
            def.loader = &loader;
            CHECK_INT(td_grammar_new(&def, &memory.alloc, &g, NULL), scarce_status(&memory));
            failures += scarce_status(&memory) != TD_OK;
        }
    }
    CHECK(failures > 1000);
}

// one call alone fails, and those after it work again
typedef struct flaky_heap {
    test_heap heap;
    long fail_only;
    bool failed;
} flaky_heap;

static void *flaky_resize(void *context, void *block, size_t old_size, size_t new_size) {
    flaky_heap *flaky = context;
    // blocks may also be asked to shrink, which nobody depends on
    if (new_size > old_size && flaky->heap.calls + 1 == flaky->fail_only) {
        flaky->failed = true;
        flaky->heap.calls++;
        return NULL;
    }
    td_alloc inner = test_heap_alloc(&flaky->heap);
    return inner.resize(inner.context, block, old_size, new_size);
}

TD_TEST(errors_of_memory_in_any_single_call_give_a_status_and_no_leak) {
    test_heap whole = {0};
    td_alloc alloc = test_heap_alloc(&whole);
    CHECK_INT(grow(rich_text, &alloc), TD_OK);
    for (long n = 1; n <= whole.calls; n++) {
        flaky_heap flaky = {.fail_only = n};
        alloc = (td_alloc){flaky_resize, &flaky};
        td_status status = grow(rich_text, &alloc);
        CHECK_INT(status, flaky.failed ? TD_ERR_MEMORY : TD_OK);
        CHECK_INT(flaky.heap.held, 0);
    }
}
