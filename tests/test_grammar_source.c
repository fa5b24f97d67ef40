// SPDX-License-Identifier: MIT
// Macros, conditions, includes, comments and lines. Pairs with src/grammar/source.c and the table
// "Layout of a file" of docs/guide/language.md.

#include "test_grammar_support.h"

#include "base/alloc.h"

// ---- macros ---------------------------------------------------------------------------------

TD_TEST(grammar_define_replaces_whole_identifiers_only) {
    CHECK_DERIVED("#define AN 5\n#define ANGLE 28\naxiom: +(ANGLE)A(AN,AN+1)\n", 0, "+(28)A(5,6)");
    // not inside a longer word, nor inside a number
    CHECK_DERIVED("#define A 5\n#define e2 9\naxiom: B(1e2)AB\n", 0, "B(100)AB");
}

TD_TEST(grammar_define_may_stand_for_modules_and_for_nothing) {
    CHECK_DERIVED("#define TWIG [+F][-F]\n#define NONE\naxiom: F TWIG NONE F\n", 0, "F[+F][-F]F");
}

TD_TEST(grammar_define_is_scanned_again_but_never_for_itself) {
    CHECK_DERIVED("#define ONE TWO\n#define TWO 2\naxiom: A(ONE)\n", 0, "A(2)");
    // x is what a production calls its parameter: were X replaced for ever this would not end
    CHECK_DERIVED("#define X X+1\naxiom: A(1)\nA(X) --> *\n", 0, "fault: expected ')' before '+'");
    CHECK_DERIVED("#define x y+1\n#define y x*2\naxiom: A(1)\nA(y) --> B\n", 0,
                  "fault: expected ')' before '+'");
}

TD_TEST(grammar_function_like_macros_take_arguments) {
    CHECK_DERIVED("#define ADD(a, b) ((a)+(b))\naxiom: A(ADD(1,2), ADD(3*4, 5))\n", 0, "A(3,17)");
    // commas inside parentheses do not part arguments
    CHECK_DERIVED("#define ID(a) a\naxiom: A(ID(max(3,4)))\n", 0, "A(4)");
    // parameters are whole identifiers too
    CHECK_DERIVED("#define F2(l) F(l)F(ll(l))\n#define ll(x) x/2\naxiom: F2(8)\n", 0, "F(8)F(4)");
    // without its parenthesis the name stays a name
    CHECK_DERIVED("#define A(x) B(x)\naxiom: A\n", 0, "A");
    CHECK_DERIVED("#define NO() B\naxiom: NO()NO( )\n", 0, "BB");
}

// as in C: an argument's own macros are replaced before it is put in
TD_TEST(grammar_function_like_macros_nest_in_their_own_arguments) {
    CHECK_DERIVED("#define SQ(x) ((x)*(x))\naxiom: A(SQ(SQ(2)))\n", 0, "A(16)");
    CHECK_DERIVED("#define MAX3(a,b,c) max(a,max(b,c))\n"
                  "axiom: A(MAX3(1,MAX3(7,3,5),2))\n",
                  0, "A(7)");
    CHECK_DERIVED("#define N 3\n#define ID(x) x\naxiom: A(ID(N),ID(ID(N)))\n", 0, "A(3,3)");
}

TD_TEST(grammar_undef_ends_a_macro_and_a_later_define_wins) {
    CHECK_DERIVED("#define N 3\n#undef N\naxiom: N\n", 0, "N");
    CHECK_DERIVED("#define N 3\n#define N 4\naxiom: A(N)\n", 0, "A(4)");
    CHECK_DERIVED("#define N 3\naxiom: A(N)\n#define N 4\nA(x) --> A(N)\n", 1, "A(4)");
}

TD_TEST(grammar_defines_from_outside_win_over_the_text) {
    td_grammar_def def = test_def("#define N 3\n#undef N\n#define N 4\naxiom: A(N, M)\n");
    td_define defines[2] = {{"N", "7"}, {"M", "N+1"}};
    td_derive_opts opts = td_derive_opts_default();
    def.defines = defines;
    def.define_count = 2;
    OWNED(test_model) m = test_model_of(&def, &opts, 0, NULL);
    CHECK_TEXT(test_string_of(&m), "A(7,8)");
}

TD_TEST(grammar_macro_bodies_go_on_after_a_backslash_and_hold_no_comments) {
    CHECK_DERIVED("#define TWIG [+F] \\\n [-F] // a pair\naxiom: TWIG\n", 0, "[+F][-F]");
    CHECK_DERIVED("#define TWO A/* one */B\n#define A 1+\n#define B 2\naxiom: V(TWO)\n", 0, "V(3)");
}

// ---- conditions -----------------------------------------------------------------------------

TD_TEST(grammar_ifdef_ifndef_else_endif_choose_lines) {
    const char *text = "#ifdef LONG\naxiom: A\n#else\naxiom: B\n#endif\n"
                       "#ifndef LONG\nB --> C\n#endif\n";
    CHECK_DERIVED(text, 1, "C");
    td_grammar_def def = test_def(text);
    td_define define = {"LONG", ""};
    td_derive_opts opts = td_derive_opts_default();
    def.defines = &define;
    def.define_count = 1;
    OWNED(test_model) m = test_model_of(&def, &opts, 1, NULL);
    CHECK_TEXT(test_string_of(&m), "A");
}

TD_TEST(grammar_conditions_nest_and_hide_directives) {
    CHECK_DERIVED("#define Y\n#ifdef X\n#ifdef Y\naxiom: A\n#else\naxiom: B\n#endif\n"
                  "#define Z 1\n#else\n#ifdef Y\naxiom: C\n#endif\n#endif\n"
                  "#ifdef Z\naxiom: D\n#endif\n",
                  0, "C");
}

TD_TEST(grammar_a_production_goes_on_across_directives) {
    CHECK_DERIVED("#define X\naxiom: A\nA --> B\n#ifdef X\n\tC\n#else\n\tD\n#endif\n"
                  "#define E F\n\tE\n",
                  1, "BCF");
}

// `#` is also the turtle's sign
TD_TEST(grammar_hash_starts_a_directive_only_before_a_word_it_knows) {
    CHECK_DERIVED("axiom: A\nA --> F\n\t#(2)F#F\n", 1, "F#(2)F#F");
    CHECK_DERIVED("axiom: A\n# --> B\n", 1, "A");
}

// ---- comments -------------------------------------------------------------------------------

TD_TEST(grammar_double_slash_is_a_comment_at_a_lines_start_and_after_white_space) {
    CHECK_DERIVED("// a model\naxiom: F//F // two rolls\n\t// and no more\n", 0, "F//F");
    CHECK_DERIVED("axiom: F //F\n", 0, "F");
    CHECK_DERIVED("axiom: F\t//F\n", 0, "F");
    CHECK_DERIVED("axiom: F[//F]//(30)G\n", 0, "F[//F]//(30)G");
}

TD_TEST(grammar_block_comments_vanish_within_and_across_lines) {
    CHECK_DERIVED("/* a\nmodel */axiom: F/* b */G/*\n\n*/H\n", 0, "FGH");
    // a directive in a comment is no directive
    CHECK_DERIVED("/*\n#define F G\n*/\naxiom: F\n", 0, "F");
}

TD_TEST(grammar_comments_keep_places_in_messages_right) {
    const test_fault rows[] = {
        {"/* a\n b */ axiom: F\nF --> G(\n", TD_ERR_SYNTAX, 3, 9, "end of the line"},
        {"axiom: /* x */ F) // y\n", TD_ERR_SYNTAX, 1, 17, "expected a module"},
    };
    CHECK_FAULTS(rows, 0);
}

// ---- lines ----------------------------------------------------------------------------------

TD_TEST(grammar_a_line_that_starts_with_a_tab_continues_the_one_before) {
    CHECK_DERIVED("axiom: A\n\tB\nA --> C\n\tD\n\tE\n", 1, "CDEB");
    CHECK_DERIVED("axiom: A(1)\nA(x) :\n\tx > 0\n\t-->\n\tB\n", 1, "B");
    // also when it looks like the start of a header item
    CHECK_DERIVED("axiom: A\nA --> F\n\tFFF : 0.5\n", 1, "FFFF");
}

TD_TEST(grammar_a_line_that_starts_with_spaces_continues_unless_it_holds_an_arrow) {
    CHECK_DERIVED("axiom: A\nA --> C\n    D\n    B --> E\n", 1, "CD");
    CHECK_DERIVED("  axiom: A B\n  A --> C\n  B --> E\n", 1, "CE");
    CHECK_DERIVED("axiom: A\n  derivation length: 3\n", 0, "A");
}

TD_TEST(grammar_lines_may_end_as_on_windows_and_the_last_may_not_end) {
    CHECK_DERIVED("axiom: A\r\nA --> B\r\n\tC\r\n", 1, "BC");
    CHECK_DERIVED("#define N 3 \\\r\n +1\r\naxiom: A(N)\r\n", 1, "A(4)");
    CHECK_DERIVED("axiom: A\nA --> B", 1, "B");
    CHECK_DERIVED("\xef\xbb\xbf"
                  "axiom: A\n",
                  0, "A");
}

TD_TEST(grammar_text_need_not_end_in_a_zero_byte) {
    td_grammar_def def = test_def("axiom: AGARBAGE(((");
    td_derive_opts opts = td_derive_opts_default();
    def.text_size = strlen("axiom: A");
    OWNED(test_model) m = test_model_of(&def, &opts, 0, NULL);
    CHECK_TEXT(test_string_of(&m), "A");
}

// ---- includes -------------------------------------------------------------------------------

// A loader over a table of texts. `from` is put before the name, so that tests see who asked.
typedef struct library {
    const char *names[20];
    const char *texts[20];
    int32_t count;
    char asked[512]; // "name<from;" of every call
} library;

static td_status give(const char *text, size_t max_size, const td_alloc *alloc, char **out,
                      size_t *size) {
    *size = strlen(text);
    if (*size > max_size) {
        return TD_ERR_LIMIT;
    }
    *out = tdi_alloc_resize(alloc, NULL, 0, *size);
    if (!*out) {
        return TD_ERR_MEMORY;
    }
    memcpy(*out, text, *size);
    return TD_OK;
}

static td_status library_read(void *context, const char *name, const char *from, size_t max_size,
                              const td_alloc *alloc, char **text, size_t *size,
                              char resolved[160]) {
    library *l = context;
    size_t used = strlen(l->asked);
    snprintf(l->asked + used, sizeof l->asked - used, "%s<%s;", name, from);
    snprintf(resolved, 160, "%s", name);
    for (int32_t i = 0; i < l->count; i++) {
        if (strcmp(l->names[i], name) == 0) {
            return give(l->texts[i], max_size, alloc, text, size);
        }
    }
    return TD_ERR_READ;
}

static test_model model_with(library *l, const char *text, size_t max_text) {
    td_loader loader = {library_read, l};
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    def.loader = &loader;
    def.max_text = max_text;
    return test_model_of(&def, &opts, 1, NULL);
}

TD_TEST(grammar_include_puts_the_text_in_its_place) {
    library l = {.names = {"rules", "more"},
                 .texts = {"A --> BN\n#include \"more\"\n", "#define N 5\nC --> D"},
                 .count = 2};
    OWNED(test_model) m = model_with(&l, "axiom: AC\n#include \"rules\"\nN --> A(N)\n", 1 << 20);
    CHECK_TEXT(test_string_of(&m), "BND");
    CHECK_TEXT(l.asked, "rules<model;more<rules;");
}

TD_TEST(grammar_include_may_bring_the_same_text_twice) {
    library l = {.names = {"twig"}, .texts = {"\t[+F]\n"}, .count = 1};
    OWNED(test_model) m =
        model_with(&l, "axiom: F\n#include \"twig\"\n\tF\n#include <twig>\n", 1 << 20);
    CHECK_TEXT(test_string_of(&m), "F[+F]F[+F]");
}

TD_TEST(grammar_faults_in_an_included_text_name_its_file_and_line) {
    library l = {.names = {"rules"}, .texts = {"\nB --> A(\n"}, .count = 1};
    OWNED(test_model) m = model_with(&l, "axiom: A\n#include \"rules\"\nA --> [\n", 1 << 20);
    CHECK_INT(m.status, TD_ERR_SYNTAX);
    CHECK_INT(m.fault_count, 2);
    CHECK_TEXT(m.faults[0].file, "rules");
    CHECK_INT(m.faults[0].line, 2);
    CHECK_INT(m.faults[0].column, 9);
    CHECK_TEXT(m.faults[0].source, "B --> A(");
    CHECK_TEXT(m.faults[1].file, "model");
    CHECK_INT(m.faults[1].line, 3);
}

// "at most 16 deep": f1 includes f2 and so on
static test_model chain(int32_t depth) {
    static char names[20][8], texts[20][32];
    library l = {.count = depth};
    for (int32_t i = 0; i < depth; i++) {
        snprintf(names[i], sizeof names[i], "f%d", i + 1);
        snprintf(texts[i], sizeof texts[i], "#include \"f%d\"\n", i + 2);
        l.names[i] = names[i];
        l.texts[i] = i == depth - 1 ? "A --> B\n" : texts[i];
    }
    return model_with(&l, "axiom: A\n#include \"f1\"\n", 1 << 20);
}

TD_TEST(grammar_includes_go_16_deep_and_no_deeper) {
    OWNED(test_model) m = chain(16);
    CHECK_TEXT(test_string_of(&m), "B");
    test_model_free(&m);
    m = chain(17);
    test_fault want = {"a chain of 17 files", TD_ERR_SYNTAX, 1, 10, "more than 16 deep"};
    test_one_fault(&m, &want, __FILE__, __LINE__);
    CHECK_TEXT(m.faults[0].file, "f16");
}

TD_TEST(grammar_a_text_that_includes_itself_is_refused) {
    library l = {.names = {"a", "b"},
                 .texts = {"#include \"b\"\n", "F --> G\n #include \"a\"\n"},
                 .count = 2};
    OWNED(test_model) m = model_with(&l, "axiom: A\n#include \"a\"\n", 1 << 20);
    test_fault want = {"a and b", TD_ERR_SYNTAX, 2, 11, "\"a\" includes itself"};
    test_one_fault(&m, &want, __FILE__, __LINE__);
    CHECK_TEXT(m.faults[0].file, "b");
    test_model_free(&m);
    library own = {.names = {"model"}, .texts = {"axiom: A\n"}, .count = 1};
    m = model_with(&own, "#include \"model\"\n", 1 << 20);
    CHECK_INT(m.status, TD_ERR_SYNTAX);
    CHECK_HAS(m.faults[0].message, "\"model\" includes itself");
}

TD_TEST(grammar_includes_that_cannot_be_read_are_refused) {
    library none = {.count = 0};
    const test_fault missing = {"", TD_ERR_SYNTAX, 2, 10, "cannot read the file \"x\""};
    test_model m = model_with(&none, "axiom: A\n#include \"x\"\n", 1 << 20);
    test_one_fault(&m, &missing, __FILE__, __LINE__);
    test_model_free(&m);
    library large = {.names = {"x"}, .texts = {"A --> BBBBBBBBBBBBBBBBBBBB\n"}, .count = 1};
    m = model_with(&large, "axiom: A\n#include \"x\"\n", 30);
    const test_fault over = {"", TD_ERR_SYNTAX, 2, 10, "too large"};
    test_one_fault(&m, &over, __FILE__, __LINE__);
    test_model_free(&m);
    const test_fault rows[] = {
        {"axiom: A\n#include \"x\"\n", TD_ERR_SYNTAX, 2, 10, "no way to read files"},
        {"axiom: A\n#include x\n", TD_ERR_SYNTAX, 2, 10, "expected \"file\""},
        {"axiom: A\n#include \"\"\n", TD_ERR_SYNTAX, 2, 10, "expected \"file\""},
        {"axiom: A\n#include \"x\n", TD_ERR_SYNTAX, 2, 10, "expected \"file\""},
    };
    CHECK_FAULTS(rows, 0);
}

// ---- bad directives -------------------------------------------------------------------------

TD_TEST(grammar_bad_directives_are_refused_with_their_place) {
    const test_fault rows[] = {
        {"#define\naxiom: A\n", TD_ERR_SYNTAX, 1, 8, "expected a name after #define"},
        {"#define 5 x\naxiom: A\n", TD_ERR_SYNTAX, 1, 9, "expected a name after #define"},
        {"#define F(a,1) x\naxiom: A\n", TD_ERR_SYNTAX, 1, 13, "expected the name of a parameter"},
        {"#define F(a b) x\naxiom: A\n", TD_ERR_SYNTAX, 1, 13, "expected , or )"},
        {"#define M(a) a\naxiom: A M(1,2)\n", TD_ERR_SYNTAX, 2, 10,
         "takes 1 arguments; 2 are given"},
        {"#define M(a) a\naxiom: A M(1\n", TD_ERR_SYNTAX, 2, 10, "lack a closing )"},
        {"axiom: A\n#ifdef X\n", TD_ERR_SYNTAX, 2, 7, "never closed; expected #endif"},
        {"axiom: A\n#endif\n", TD_ERR_SYNTAX, 2, 7, "no open #if, #ifdef or #ifndef"},
        {"#ifdef X\n#else\n#else\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 3, 6, "no open #if, #ifdef"},
        {"#ifdef\n#endif\naxiom: A\n", TD_ERR_SYNTAX, 1, 7, "expected a name"},
        {"axiom: A /* x\n", TD_ERR_SYNTAX, 1, 10, "never closed; expected */"},
        {"axiom: A\n#define N /* x\n", TD_ERR_SYNTAX, 2, 11, "never closed; expected */"},
        {"axiom: A\x01\n", TD_ERR_SYNTAX, 1, 9, "byte 0x01 is not text"},
        {"axiom: A\x7f\n", TD_ERR_SYNTAX, 1, 9, "byte 0x7f is not text"},
    };
    CHECK_FAULTS(rows, 0);
}

// a fault inside what a macro stands for is shown where the macro is used
TD_TEST(grammar_faults_in_a_macro_are_placed_at_its_use) {
    const test_fault rows[] = {
        {"#define BAD A(1\naxiom: F BAD\n", TD_ERR_SYNTAX, 2, 13, "expected ')'"},
        {"#define BAD A(%)\naxiom: F BAD F\n", TD_ERR_SYNTAX, 2, 10, "expected a number"},
        {"#define BAD(x) A(x %)\naxiom: F BAD(1) F\n", TD_ERR_SYNTAX, 2, 10, "expected a number"},
    };
    CHECK_FAULTS(rows, 0);
}

// ---- definitions from outside ---------------------------------------------------------------

TD_TEST(definition_that_the_model_does_not_have_is_a_fault_with_a_suggestion) {
    static const struct {
        const char *text, *name, *message; // NULL: it is fine
    } cases[] = {
        {"#define NODES 3\naxiom: A(NODES)\n", "NODES", NULL},
        {"#define NODES 3\naxiom: A(NODES)\n", "NODE",
         "the model has no 'NODE' that could be defined; did you mean 'NODES'?"},
        {"#define NODES 3\naxiom: A(NODES)\n", "nodes",
         "the model has no 'nodes' that could be defined; did you mean 'NODES'?"},
        {"#define NODES 3\naxiom: A(NODES)\n", "X", "the model has no 'X' that could be defined"},
        {"#define NODES 3\naxiom: A\n", "NODES", NULL}, // no use of it is the model's affair
        {"axiom: A(LENGTH)\n", "LENGTH", NULL},
        {"#ifdef BIG\naxiom: AA\n#else\naxiom: A\n#endif\n", "BIG", NULL},
        {"#if defined(BIG)\naxiom: AA\n#else\naxiom: A\n#endif\n", "BIG", NULL},
        {"axiom: A\n", "", "the model has no '' that could be defined"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const td_define define = {cases[k].name, "7"};
        td_grammar_def def = td_grammar_def_default();
        td_diag items[2] = {{.message = ""}};
        td_diag_list list = {items, 2, 0};
        OWNED(td_grammar) *grammar = NULL;
        def.text = cases[k].text;
        def.text_size = strlen(def.text);
        def.defines = &define;
        def.define_count = 1;
        const td_status status = td_grammar_new(&def, NULL, &grammar, &list);
        CHECK_SAY(status == (cases[k].message ? TD_ERR_SYNTAX : TD_OK), "case %zu: %s", k,
                  items[0].message);
        CHECK_TEXT(items[0].message, cases[k].message ? cases[k].message : "");
        CHECK_INT(items[0].index, cases[k].message ? 0 : items[0].index);
    }
}

TD_TEST(definition_without_a_name_or_a_value_is_refused) {
    const td_define wrong[] = {{NULL, "1"}, {"A", NULL}};
    for (int k = 0; k < 2; k++) {
        td_grammar_def def = td_grammar_def_default();
        td_grammar *grammar = NULL;
        def.text = "axiom: A\n";
        def.text_size = strlen(def.text);
        def.defines = &wrong[k];
        def.define_count = 1;
        CHECK_INT(td_grammar_new(&def, NULL, &grammar, NULL), TD_ERR_ARGUMENT);
    }
}
