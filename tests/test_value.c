// SPDX-License-Identifier: MIT
// Trees of values and their builder; numbers in a text. Pairs with src/base/value.c and real.c.

#include "base/real.h"
#include "base/value.h"
#include "td_test.h"

static td_value_builder *builder_of(const char *text) {
    td_value_builder *b = NULL;
    CHECK_INT(td_value_builder_new("scene.yaml", text, text ? strlen(text) : 0, NULL, &b), TD_OK);
    return b;
}

// Faults stay in the builder: finish() and refused() see them.
static void begin_map(td_value_builder *b, int32_t line, int32_t column) {
    (void)td_value_builder_begin_map(b, line, column);
}

static void begin_list(td_value_builder *b, int32_t line, int32_t column) {
    (void)td_value_builder_begin_list(b, line, column);
}

static void end(td_value_builder *b) {
    (void)td_value_builder_end(b);
}

static void key(td_value_builder *b, const char *text, int32_t line, int32_t column) {
    (void)td_value_builder_key(b, text, strlen(text), line, column);
}

static void plain(td_value_builder *b, const char *text) {
    (void)td_value_builder_scalar(b, text, strlen(text), false, 1, 1);
}

static td_value *finish(td_value_builder *b) {
    td_value *root = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_value_builder_finish(b, &root, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return root;
}

static td_diag refused(td_value_builder *b, td_status want) {
    td_value *root = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_value_builder_finish(b, &root, &diag), want);
    CHECK(root == NULL);
    CHECK_INT(diag.status, want);
    CHECK(diag.message[0] != 0);
    return diag;
}

// ---- trees ----------------------------------------------------------------------------------

TD_TEST(value_tree_keeps_order_places_and_text) {
    td_value_builder *b = builder_of(NULL);
    begin_map(b, 1, 1);
    key(b, "b", 1, 1);
    begin_list(b, 1, 4);
    (void)td_value_builder_scalar(b, "1/60", 4, false, 2, 5);
    (void)td_value_builder_scalar(b, "1/60", 4, true, 3, 5);
    end(b);
    key(b, "a", 4, 1);
    begin_map(b, 4, 4);
    end(b);
    end(b);
    OWNED(td_value) *root = finish(b);
    CHECK_INT(root->kind, TD_VALUE_MAP);
    CHECK_INT(root->count, 2);
    CHECK_TEXT(root->items[0].key, "b");
    CHECK_TEXT(root->items[1].key, "a");
    CHECK_INT(root->items[1].key_line, 4);
    CHECK_INT(root->items[1].column, 4);
    CHECK_INT(root->items[1].count, 0);
    const td_value *list = td_value_get(root, "b");
    CHECK_INT(list->kind, TD_VALUE_LIST);
    CHECK_INT(list->items[0].kind, TD_VALUE_NUMBER);
    CHECK(list->items[0].number == 1.0 / 60);
    CHECK_TEXT(list->items[0].text, "1/60");
    CHECK(list->items[0].key == NULL);
    CHECK_INT(list->items[1].kind, TD_VALUE_TEXT);
    CHECK_INT(list->items[1].line, 3);
    CHECK(td_value_get(root, "c") == NULL && td_value_get(list, "b") == NULL);
    CHECK(td_value_get(NULL, "b") == NULL);
}

TD_TEST(value_scalar_without_quotes_is_what_it_looks_like) {
    static const struct {
        const char *text;
        td_value_kind kind;
        double number;
    } cases[] = {
        {"", TD_VALUE_NULL, 0},          {"~", TD_VALUE_NULL, 0},
        {"null", TD_VALUE_NULL, 0},      {"true", TD_VALUE_BOOL, 1},
        {"False", TD_VALUE_BOOL, 0},     {"yes", TD_VALUE_TEXT, 0},
        {"0", TD_VALUE_NUMBER, 0},       {"-12", TD_VALUE_NUMBER, -12},
        {"+.5", TD_VALUE_NUMBER, 0.5},   {"5.", TD_VALUE_NUMBER, 5},
        {"1e-3", TD_VALUE_NUMBER, 1e-3}, {"-1.5E+2", TD_VALUE_NUMBER, -150},
        {"1/4", TD_VALUE_NUMBER, 0.25},  {"-1/2", TD_VALUE_NUMBER, -0.5},
        {"1.5/3", TD_VALUE_NUMBER, 0.5}, {"1e-400", TD_VALUE_NUMBER, 0},
        {".inf", TD_VALUE_TEXT, 0},      {"-.inf", TD_VALUE_TEXT, 0},
        {".nan", TD_VALUE_TEXT, 0},      {"inf", TD_VALUE_TEXT, 0},
        {"nan", TD_VALUE_TEXT, 0},       {"1e999", TD_VALUE_TEXT, 0},
        {"1/0", TD_VALUE_TEXT, 0},       {"1/1e-320", TD_VALUE_TEXT, 0},
        {"1/2/3", TD_VALUE_TEXT, 0},     {"/2", TD_VALUE_TEXT, 0},
        {"2/", TD_VALUE_TEXT, 0},        {"0x10", TD_VALUE_TEXT, 0},
        {"1e", TD_VALUE_TEXT, 0},        {"1e+", TD_VALUE_TEXT, 0},
        {".", TD_VALUE_TEXT, 0},         {"-", TD_VALUE_TEXT, 0},
        {"e5", TD_VALUE_TEXT, 0},        {"1 ", TD_VALUE_TEXT, 0},
        {"1,5", TD_VALUE_TEXT, 0},       {"--1", TD_VALUE_TEXT, 0},
        {"1_000", TD_VALUE_TEXT, 0},     {"1.2.3", TD_VALUE_TEXT, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        td_value_builder *b = builder_of(NULL);
        plain(b, cases[i].text);
        OWNED(td_value) *root = finish(b);
        CHECK_INT(root->kind, cases[i].kind);
        CHECK(root->number == cases[i].number);
        CHECK_TEXT(root->text, cases[i].text);
    }
}

TD_TEST(value_numbers_are_read_as_they_were_written) {
    tdi_random r = random_of(5);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = tdi_random_bits(&r);
        double value, back = 0;
        memcpy(&value, &bits, sizeof value);
        char text[TDI_REAL_TEXT];
        if (isfinite(value)) {
            size_t size = tdi_real_write(value, text);
            CHECK(tdi_real_read(text, size, &back) && back == value);
        }
    }
}

TD_TEST(value_number_longer_than_63_characters_is_no_number) {
    char text[80];
    td_real value;
    memset(text, '1', sizeof text);
    CHECK(tdi_real_read(text, 63, &value));
    CHECK(!tdi_real_read(text, 64, &value));
}

TD_TEST(value_builder_that_got_nothing_gives_null) {
    OWNED(td_value) *root = finish(builder_of(NULL));
    CHECK_INT(root->kind, TD_VALUE_NULL);
    CHECK_TEXT(root->text, "");
    td_value_free(NULL);
}

// ---- faults ---------------------------------------------------------------------------------

TD_TEST(value_key_given_twice_is_refused_with_both_places) {
    td_value_builder *b = builder_of("speed: 1\nspeed: 2\n");
    begin_map(b, 1, 1);
    key(b, "speed", 1, 1);
    plain(b, "1");
    key(b, "speed", 2, 1);
    plain(b, "2");
    end(b);
    td_diag diag = refused(b, TD_ERR_SYNTAX);
    CHECK_HAS(diag.message, "'speed'");
    CHECK_HAS(diag.message, "line 1, column 1");
    CHECK_INT(diag.line, 2);
    CHECK_INT(diag.column, 1);
    CHECK_TEXT(diag.file, "scene.yaml");
    CHECK_TEXT(diag.source, "speed: 2");
    CHECK_INT(diag.caret, 0);
}

TD_TEST(value_keys_of_other_maps_and_longer_ones_are_not_the_same) {
    td_value_builder *b = builder_of(NULL);
    begin_map(b, 1, 1);
    key(b, "a", 1, 1);
    begin_map(b, 1, 1);
    key(b, "a", 1, 1);
    plain(b, "1");
    end(b);
    key(b, "aa", 1, 1);
    plain(b, "2");
    end(b);
    OWNED(td_value) *root = finish(b);
    CHECK_INT(root->count, 2);
}

TD_TEST(value_builder_refuses_what_is_out_of_order) {
    td_value_builder *b = builder_of(NULL);
    end(b);
    refused(b, TD_ERR_ARGUMENT);
    b = builder_of(NULL);
    begin_map(b, 1, 1);
    plain(b, "1");
    CHECK_HAS(refused(b, TD_ERR_ARGUMENT).message, "without a key");
    b = builder_of(NULL);
    begin_map(b, 1, 1);
    key(b, "a", 1, 1);
    end(b);
    CHECK_HAS(refused(b, TD_ERR_ARGUMENT).message, "no value");
    b = builder_of(NULL);
    begin_list(b, 1, 1);
    key(b, "a", 1, 1);
    refused(b, TD_ERR_ARGUMENT);
    b = builder_of(NULL);
    begin_list(b, 1, 1);
    CHECK_HAS(refused(b, TD_ERR_ARGUMENT).message, "not closed");
    b = builder_of(NULL);
    plain(b, "1");
    plain(b, "2");
    CHECK_HAS(refused(b, TD_ERR_ARGUMENT).message, "second");
}

TD_TEST(value_first_failure_sticks) {
    td_value_builder *b = builder_of(NULL);
    CHECK_INT(td_value_builder_fail(b, TD_ERR_SYNTAX, 3, 4, "first"), TD_ERR_SYNTAX);
    CHECK_INT(td_value_builder_fail(b, TD_ERR_LIMIT, 5, 6, "second"), TD_ERR_SYNTAX);
    CHECK_INT(td_value_builder_begin_list(b, 1, 1), TD_ERR_SYNTAX);
    CHECK_INT(td_value_builder_anchor(b, "x", 1, 1), TD_ERR_SYNTAX);
    CHECK_INT(td_value_builder_alias(b, "x", 1, 1), TD_ERR_SYNTAX);
    td_diag diag = refused(b, TD_ERR_SYNTAX);
    CHECK_TEXT(diag.message, "first");
    CHECK_INT(diag.line, 3);
    CHECK_INT(diag.column, 4);
}

TD_TEST(value_texts_and_keys_with_a_zero_byte_are_refused) {
    td_value_builder *b = builder_of(NULL);
    (void)td_value_builder_scalar(b, "a\0b", 3, true, 1, 1);
    refused(b, TD_ERR_SYNTAX);
    b = builder_of(NULL);
    begin_map(b, 1, 1);
    (void)td_value_builder_key(b, "a\0b", 3, 1, 1);
    refused(b, TD_ERR_SYNTAX);
}

// the place of a fault far out in a long line of letters of two bytes
TD_TEST(value_fault_in_a_long_line_shows_whole_letters_around_it) {
    char text[1001] = "";
    for (int i = 0; i < 500; i++) {
        memcpy(text + 2 * i, "\xc3\xa9", 2);
    }
    for (int32_t column = 1; column < 1000; column += 2) {
        td_value_builder *b = builder_of(text);
        (void)td_value_builder_fail(b, TD_ERR_SYNTAX, 1, column, "here");
        td_diag diag = refused(b, TD_ERR_SYNTAX);
        size_t size = strlen(diag.source);
        CHECK(size % 2 == 0 && size > 0 && (unsigned char)diag.source[0] == 0xc3);
        CHECK(diag.caret >= 0 && (size_t)diag.caret < size && diag.caret % 2 == 0);
    }
}

// ---- limits ---------------------------------------------------------------------------------

TD_TEST(value_depth_is_limited) {
    for (int deep = 0; deep < 2; deep++) {
        td_value_builder *b = builder_of(NULL);
        int32_t depth = TD_VALUE_MAX_DEPTH + deep;
        for (int32_t i = 0; i < depth; i++) {
            begin_list(b, 1, i + 1);
        }
        for (int32_t i = 0; i < depth; i++) {
            end(b);
        }
        if (deep == 0) {
            td_value_free(finish(b));
        } else {
            CHECK_INT(refused(b, TD_ERR_LIMIT).column, TD_VALUE_MAX_DEPTH + 1);
        }
    }
}

TD_TEST(value_count_is_limited) {
    td_value_builder *b = builder_of(NULL);
    begin_list(b, 1, 1);
    td_status status = TD_OK;
    int32_t count = 0;
    while (status == TD_OK && count < 2 * TD_VALUE_MAX_NODES) {
        status = td_value_builder_scalar(b, "1", 1, false, 1, 1);
        count += status == TD_OK;
    }
    CHECK_INT(count, TD_VALUE_MAX_NODES - 1);
    refused(b, TD_ERR_LIMIT);
}

TD_TEST(value_keys_of_a_map_are_limited) {
    td_value_builder *b = builder_of(NULL);
    char name[16];
    int32_t count = 0;
    begin_map(b, 1, 1);
    for (int i = 0; i < 2 * TD_VALUE_MAX_KEYS; i++) {
        snprintf(name, sizeof name, "k%d", i);
        count += td_value_builder_key(b, name, strlen(name), 1, 1) == TD_OK;
        plain(b, "1");
    }
    CHECK_INT(count, TD_VALUE_MAX_KEYS);
    refused(b, TD_ERR_LIMIT);
}

TD_TEST(value_anchors_are_limited) {
    td_value_builder *b = builder_of(NULL);
    char name[16];
    int32_t count = 0;
    begin_list(b, 1, 1);
    for (int i = 0; i < 2 * TD_VALUE_MAX_ANCHORS; i++) {
        snprintf(name, sizeof name, "k%d", i);
        count += td_value_builder_anchor(b, name, 1, 1) == TD_OK;
        plain(b, "1");
    }
    CHECK_INT(count, TD_VALUE_MAX_ANCHORS);
    refused(b, TD_ERR_LIMIT);
}

// ---- names ----------------------------------------------------------------------------------

TD_TEST(value_alias_is_the_latest_value_of_its_name_at_its_own_place) {
    td_value_builder *b = builder_of(NULL);
    begin_list(b, 1, 1);
    (void)td_value_builder_anchor(b, "a", 1, 2);
    plain(b, "7");
    (void)td_value_builder_anchor(b, "a", 2, 2);
    begin_list(b, 2, 5);
    plain(b, "8");
    end(b);
    (void)td_value_builder_alias(b, "a", 3, 2);
    end(b);
    OWNED(td_value) *root = finish(b);
    CHECK_INT(root->count, 3);
    CHECK_INT(root->items[2].kind, TD_VALUE_LIST);
    CHECK_INT(root->items[2].line, 3);
    CHECK_INT(root->items[2].count, 1);
    CHECK(root->items[2].items[0].number == 8);
}

TD_TEST(value_alias_of_nothing_or_of_itself_is_refused) {
    td_value_builder *b = builder_of(NULL);
    (void)td_value_builder_alias(b, "a", 3, 2);
    CHECK_HAS(refused(b, TD_ERR_SYNTAX).message, "no value named &a");
    b = builder_of(NULL);
    (void)td_value_builder_anchor(b, "a", 1, 1);
    begin_list(b, 1, 1);
    (void)td_value_builder_alias(b, "a", 1, 2);
    CHECK_HAS(refused(b, TD_ERR_SYNTAX).message, "refers to a value that contains this");
}

// each list holds the one before it twice
static td_value_builder *doubled(int levels) {
    td_value_builder *b = builder_of(NULL);
    char name[16], before[16];
    begin_list(b, 1, 1);
    for (int i = 0; i < levels; i++) {
        snprintf(name, sizeof name, "k%d", i);
        snprintf(before, sizeof before, "k%d", i - 1);
        (void)td_value_builder_anchor(b, name, i + 1, 1);
        begin_list(b, i + 1, 2);
        for (int k = 0; k < 2; k++) {
            if (i == 0) {
                plain(b, "1");
            } else {
                (void)td_value_builder_alias(b, before, i + 1, 3 + k);
            }
        }
        end(b);
    }
    end(b);
    return b;
}

TD_TEST(value_repeated_values_count_each_time) {
    // level i has 2^(i+2) - 1 values: 18 levels have 2^20 - 22 of them, more than allowed
    td_value_free(finish(doubled(17)));
    CHECK_HAS(refused(doubled(18), TD_ERR_LIMIT).message, "more than 1000000 values");
}

TD_TEST(value_repeated_values_cannot_pass_the_depth) {
    td_value_builder *b = builder_of(NULL);
    char name[16], before[16] = "";
    begin_list(b, 1, 1);
    for (int i = 0; i < TD_VALUE_MAX_DEPTH; i++) {
        snprintf(name, sizeof name, "k%d", i);
        (void)td_value_builder_anchor(b, name, 1, 1);
        begin_list(b, i + 1, 1);
        if (i > 0) {
            (void)td_value_builder_alias(b, before, i + 1, 2);
        }
        end(b);
        memcpy(before, name, sizeof before);
    }
    // the last has 64 lists within each other, and stands in one more
    CHECK_INT(refused(b, TD_ERR_LIMIT).line, TD_VALUE_MAX_DEPTH);
}

// ---- memory ---------------------------------------------------------------------------------

TD_TEST(value_builder_survives_every_failing_allocation) {
    WITH_SCARCE(memory, 10) {
        td_value_builder *b = NULL;
        OWNED(td_value) *root = NULL;
        td_diag diag = {.message = ""};
        if (td_value_builder_new("f", "text", 4, &memory.alloc, &b) == TD_OK) {
            begin_map(b, 1, 1);
            for (int i = 0; i < 300; i++) {
                char name[16];
                snprintf(name, sizeof name, "k%d", i);
                (void)td_value_builder_key(b, name, strlen(name), 1, 1);
                (void)td_value_builder_anchor(b, name, 1, 1);
                begin_list(b, 1, 1);
                plain(b, "some text to fill the arena");
                end(b);
            }
            end(b);
        }
        CHECK_INT(td_value_builder_finish(b, &root, &diag), scarce_status(&memory));
        CHECK((scarce_status(&memory) == TD_OK) == (root != NULL));
        CHECK(root || diag.message[0]);
    }
}
