// SPDX-License-Identifier: MIT
// Values from YAML. Pairs with src/scene_yaml.

#include "td_test.h"
#include "tendril/yaml.h"

#include <stdlib.h>

static td_value *read(const char *text) {
    td_value *value = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_value_from_yaml(text, strlen(text), "scene.yaml", NULL, &value, &diag), TD_OK);
    CHECK_TEXT(diag.message, "");
    return value;
}

static td_diag refused_bytes(const char *text, size_t size, td_status want) {
    td_value *value = NULL;
    td_diag diag = {.message = ""};
    CHECK_INT(td_value_from_yaml(text, size, "scene.yaml", NULL, &value, &diag), want);
    CHECK(value == NULL);
    CHECK(diag.message[0] != 0);
    CHECK_TEXT(diag.file, "scene.yaml");
    return diag;
}

static td_diag refused(const char *text) {
    return refused_bytes(text, strlen(text), TD_ERR_SYNTAX);
}

static const char scene_text[] = "# a scene\n"
                                 "step: 1/60\n"
                                 "ground: true\n"
                                 "name: \"gr\xc3\xb6\xc3\x9f"
                                 "e\" # an umlaut\n"
                                 "loads:\n"
                                 "  - wind: {speed: &v 3.5, towards: [1, 0, -1e-3]}\n"
                                 "  - pull: {force: *v, at: tip}\n"
                                 "note: |\n"
                                 "  two\n"
                                 "  lines\n"
                                 "empty:\n";

// ---- values ---------------------------------------------------------------------------------

TD_TEST(yaml_scene_becomes_values_with_their_places) {
    OWNED(td_value) *scene = read(scene_text);
    CHECK_INT(scene->count, 6);
    CHECK(td_value_get(scene, "step")->number == 1.0 / 60);
    CHECK_INT(td_value_get(scene, "ground")->kind, TD_VALUE_BOOL);
    CHECK_TEXT(td_value_get(scene, "name")->text, "gr\xc3\xb6\xc3\x9f"
                                                  "e");
    CHECK_TEXT(td_value_get(scene, "note")->text, "two\nlines\n");
    CHECK_INT(td_value_get(scene, "empty")->kind, TD_VALUE_NULL);
    const td_value *loads = td_value_get(scene, "loads");
    CHECK_INT(loads->count, 2);
    CHECK_INT(loads->key_line, 5);
    const td_value *wind = td_value_get(&loads->items[0], "wind");
    const td_value *towards = td_value_get(wind, "towards");
    CHECK_INT(towards->count, 3);
    CHECK(towards->items[2].number == -1e-3);
    CHECK_INT(towards->items[2].line, 6);
    CHECK_INT(towards->items[2].column, 43);
    CHECK_INT(towards->key_column, 27);
    const td_value *force = td_value_get(td_value_get(&loads->items[1], "pull"), "force");
    CHECK(force->number == 3.5);
    CHECK_INT(force->line, 7);
    CHECK_INT(force->column, 19);
}

TD_TEST(yaml_reads_json) {
    OWNED(td_value) *value =
        read("{\"a\": [1, 2.5, true, null, \"1\"],\n\"b\": {\"c\": \"x\\u00e9\"}}");
    const td_value *a = td_value_get(value, "a");
    CHECK_INT(a->count, 5);
    CHECK_INT(a->items[3].kind, TD_VALUE_NULL);
    CHECK_INT(a->items[4].kind, TD_VALUE_TEXT);
    CHECK_TEXT(td_value_get(td_value_get(value, "b"), "c")->text, "x\xc3\xa9");
}

TD_TEST(yaml_columns_are_bytes_whatever_stands_before) {
    td_value *value = read("\xef\xbb\xbf[\xc3\xa9, x]\r\n");
    CHECK_INT(value->items[1].line, 1);
    CHECK_INT(value->items[1].column, 6);
    td_value_free(value);
    value = read("a: 1\r\nb: 2\r\n");
    CHECK_INT(value->items[1].line, 2);
    CHECK_INT(value->items[1].column, 4);
    td_value_free(value);
}

TD_TEST(yaml_text_without_a_document_is_null) {
    static const char *const texts[] = {"", "\n\n", "# nothing\n", "---\n", "\xef\xbb\xbf"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        OWNED(td_value) *value = read(texts[i]);
        CHECK_INT(value->kind, TD_VALUE_NULL);
    }
}

TD_TEST(yaml_aliases_repeat_lists_and_maps) {
    OWNED(td_value) *value = read("a: &x {p: [1, 2]}\nb: *x\nc: [*x, *x]\n");
    const td_value *c = td_value_get(value, "c");
    CHECK_INT(c->count, 2);
    CHECK(td_value_get(&c->items[1], "p")->items[1].number == 2);
    CHECK_INT(td_value_get(value, "b")->line, 2);
}

TD_TEST(yaml_is_in_this_build) {
    CHECK(td_yaml_built());
}

// ---- faults ---------------------------------------------------------------------------------

typedef struct fault {
    const char *text;
    int32_t line, column;
    const char *message; // a part of it
} fault;

static const fault faults[] = {
    {"a: 1\na: 2\n", 2, 1, "the first is at line 1, column 1"},
    {"a: !!str 1\n", 1, 4, "tags"},
    {"a: !mine {b: 1}\n", 1, 4, "tags"},
    {"a: !<x 1\n", 1, 4, "tags"},
    {"a: 1\n---\nb: 2\n", 2, 1, "a second document"},
    {"a: 1\n...\nb: 2\n", 3, 1, "complete"},
    {"a: *b\n", 1, 4, "no value named &b"},
    {"a: &x [1, *x]\n", 1, 11, "refers to a value that contains this"},
    {"a: &x {b: {c: *x}}\n", 1, 15, "refers to a value that contains this"},
    {"? [1, 2]\n: 3\n", 1, 3, "a key must be a plain text"},
    {"? {a: 1}\n: 3\n", 1, 3, "a key must be a plain text"},
    {"b: &x 1\n*x : 3\n", 2, 1, "a key must be a plain text"},
    {"&x a: 3\n", 1, 1, "a key must be a plain text"},
    {"\"\": 3\n", 1, 1, "this one is empty"},
    {"a: [1, 2\nb: 3\n", 2, 2, "expected ',' or ']' in the list that begins at line 1, column 4"},
    {"a: {b: 1\n", 2, 1, "expected ',' or '}' in the map that begins at line 1, column 4"},
    {"a: 1\n  b: 2\n", 2, 4, "a ':' cannot stand here"},
    {"a: b: c\n", 1, 5, "a ':' cannot stand here"},
    {"a:\n  - 1\n b: 2\n", 3, 2, "expected a key, indented as the others, of the map"},
    {"- 1\nb: 2\n", 2, 1, "expected '-' and an item of the list"},
    {"a: 1\nspeed\nb: 2\n", 2, 1, "expected ':' and a value after this key"},
    {"a: \"never ends\nb: 2\n", 1, 4, "expected a closing quote"},
    {"a: 'never\n---\n", 1, 4, "expected a closing quote"},
    {"a: \"\\q\"\n", 1, 5, "expected one such as"},
    {"a: \"\\xzz\"\n", 1, 7, "hexadecimal digits"},
    {"a: \"\\ud800\"\n", 1, 7, "no character"},
    {"a:\n\tb: 1\n", 2, 1, "a tab cannot indent"},
    {"a: @b\n", 1, 4, "expected quotes around"},
    {"a: `b\n", 1, 4, "expected quotes around"},
    {"a: - 1\n", 1, 4, "an item cannot begin here"},
    {"a: |0\n  x\n", 1, 5, "1 to 9"},
    {"a: | x\n", 1, 6, "expected the end of the line"},
    {"a: & 1\n", 1, 4, "expected a name"},
    {"a: ]\n", 1, 4, "expected a value here"},
    {"%FOO\n---\na: 1\n", 1, 1, "begins with %"},
    {"%YAML 3.0\n---\na: 1\n", 1, 1, "begins with %"},
    {"a: b\x01\n", 1, 5, "control character"},
    {"a: \xc3\xa9\xff\n", 1, 6, "not UTF-8"},
    {"a: \"x\\0y\"\n", 1, 4, "zero byte"},
};

TD_TEST(yaml_faults_name_their_place_and_what_was_expected) {
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        td_diag diag = refused(faults[i].text);
        if (!strstr(diag.message, faults[i].message) || diag.line != faults[i].line ||
            diag.column != faults[i].column) {
            test_failed(__FILE__, __LINE__, "%s gives %d:%d: %s", faults[i].text, (int)diag.line,
                        (int)diag.column, diag.message);
        }
    }
}

TD_TEST(yaml_fault_shows_its_line) {
    td_diag diag = refused("a: 1\n  wind: {speed: *v}\n");
    CHECK_TEXT(diag.source, "  wind: {speed: *v}");
    CHECK_INT(diag.caret, diag.column - 1);
}

// what libyaml says of itself never comes through
TD_TEST(yaml_faults_are_said_in_our_words) {
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        td_diag diag = refused(faults[i].text);
        CHECK(!strstr(diag.message, "did not find") && !strstr(diag.message, "while "));
    }
}

// ---- limits ---------------------------------------------------------------------------------

TD_TEST(yaml_nesting_beyond_the_limit_is_refused_at_once) {
    size_t size = (size_t)4 << 20;
    FREED char *text = malloc(size);
    memset(text, '[', size);
    td_diag diag = refused_bytes(text, size, TD_ERR_LIMIT);
    CHECK_INT(diag.column, TD_VALUE_MAX_DEPTH + 1);
    for (size_t i = 0; i + 1 < size; i += 2) {
        text[i] = '-';
        text[i + 1] = ' ';
    }
    CHECK_INT(refused_bytes(text, size, TD_ERR_LIMIT).column, 2 * TD_VALUE_MAX_DEPTH + 1);
}

TD_TEST(yaml_aliases_of_aliases_do_not_explode) {
    char text[4096];
    size_t size = (size_t)snprintf(text, sizeof text, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++) {
            size += (size_t)snprintf(text + size, sizeof text - size, "*a%d,", i - 1);
        }
        size += (size_t)snprintf(text + size, sizeof text - size, "]\n");
    }
    CHECK_HAS(refused_bytes(text, size, TD_ERR_LIMIT).message, "more than 1000000 values");
}

TD_TEST(yaml_text_of_one_long_line_is_read_in_linear_time) {
    size_t count = 200000, size = 2 * count + 1;
    FREED char *text = malloc(size);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + 1 + 2 * i, "1,", 2);
    }
    text[0] = '[';
    text[size - 1] = ']';
    OWNED(td_value) *value = NULL;
    CHECK_INT(td_value_from_yaml(text, size, NULL, NULL, &value, NULL), TD_OK);
    CHECK_INT(value->count, (long long)count);
    CHECK_INT(value->items[count - 1].column, (long long)(2 * count));
}

TD_TEST(yaml_of_no_text_is_refused_in_words) {
    td_diag diag = {.message = ""};
    td_value *value = (td_value *)&diag;
    CHECK_INT(td_value_from_yaml(NULL, 1, NULL, NULL, &value, &diag), TD_ERR_ARGUMENT);
    CHECK(value == NULL);
    CHECK_HAS(diag.message, "text is NULL");
    CHECK_INT(td_value_from_yaml("a: 1", 4, NULL, NULL, NULL, &diag), TD_ERR_ARGUMENT);
    CHECK_HAS(diag.message, "out is NULL");
}

TD_TEST(yaml_cut_off_at_any_byte_gives_a_status) {
    for (size_t size = 0; size <= sizeof scene_text - 1; size++) {
        // a copy of just that size, so that a sanitizer sees a read past its end
        FREED char *text = malloc(size > 0 ? size : 1);
        memcpy(text, scene_text, size);
        OWNED(td_value) *value = NULL;
        td_diag diag = {.message = ""};
        td_status status = td_value_from_yaml(text, size, "cut", NULL, &value, &diag);
        CHECK((status == TD_OK) == (value != NULL));
        CHECK(status == TD_OK || (diag.line > 0 && diag.column > 0 && diag.message[0]));
    }
}

TD_TEST(yaml_faults_cut_off_at_any_byte_give_a_status) {
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        for (size_t size = 0; size <= strlen(faults[i].text); size++) {
            FREED char *text = malloc(size > 0 ? size : 1);
            memcpy(text, faults[i].text, size);
            OWNED(td_value) *value = NULL;
            td_diag diag = {.message = ""};
            td_status status = td_value_from_yaml(text, size, "cut", NULL, &value, &diag);
            CHECK((status == TD_OK) == (value != NULL) && (status == TD_OK || diag.message[0]));
        }
    }
}

TD_TEST(yaml_reader_survives_every_failing_allocation) {
    WITH_SCARCE(memory, 3) {
        OWNED(td_value) *value = NULL;
        td_diag diag = {.message = ""};
        CHECK_INT(td_value_from_yaml(scene_text, sizeof scene_text - 1, "f", &memory.alloc, &value,
                                     &diag),
                  scarce_status(&memory));
        CHECK(value || diag.message[0]);
    }
}
