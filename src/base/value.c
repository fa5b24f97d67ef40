// SPDX-License-Identifier: MIT
// A tree of values with their places, and the builder that makes one.
//
// Method   Finished nodes wait on a stack until the list or map around them ends; then they move,
//          as one array, into the tree's arena. A named value that is used again shares its items,
//          which never change; only its number of nodes and its depth are counted once more, so
//          that whoever walks the tree meets no more than the limits allow.

#include "base/value.h"

#include "base/alloc.h"
#include "base/guard.h"
#include "base/real.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct td_value_tree {
    td_value root;
    tdi_arena arena;
    const char *file; // NULL: none
    const char *text; // NULL: none
    size_t text_size;
} td_value_tree;

typedef struct anchor {
    const char *name;
    td_value value;
    int64_t nodes;
    int32_t height; // of lists and maps within each other
    bool open;      // its value is not complete yet
} anchor;

// A list or map that has begun.
typedef struct frame {
    td_value node;
    int64_t first;        // of its items on the stack
    int64_t nodes_before; // in the tree when it began
    int32_t height;       // of its items
    int32_t anchor;       // or TD_NONE
} frame;

struct td_value_builder {
    const td_alloc *alloc;
    td_value_tree *tree;
    td_value *stack;
    int64_t stack_count, stack_capacity;
    frame frames[TD_VALUE_MAX_DEPTH];
    int32_t depth;
    int64_t nodes;
    anchor *anchors;
    int64_t anchor_count, anchor_capacity;
    int32_t next_anchor; // for the value that comes next, or TD_NONE
    const char *key;     // for the value that comes next, or NULL
    int32_t key_line, key_column;
    bool rooted;
    td_status status;
    td_diag diag;
};

// ---- faults ---------------------------------------------------------------------------------

const char *tdi_shown_text(const char *text, char shown[TDI_SHOWN_TEXT]) {
    const size_t room = 40;
    size_t length = strlen(text);
    size_t cut = length < room ? length : room;
    while (cut > 0 && cut < length && ((unsigned char)text[cut] & 0xc0) == 0x80) {
        cut--;
    }
    for (size_t i = 0; i < cut; i++) {
        unsigned char c = (unsigned char)text[i];
        shown[i] = (char)(c < 32 || c == 127 ? '?' : c);
    }
    memcpy(shown + cut, cut < length ? "..." : "", cut < length ? 4 : 1);
    return shown;
}

td_status tdi_value_fail(const td_value *value, int32_t line, int32_t column, td_diag *diag,
                         td_status status, const char *format, ...) {
    const td_value_tree *tree = value->tree;
    *diag = (td_diag){.status = status, .index = TD_NONE};
    va_list args;
    va_start(args, format);
    tdi_text_format(diag->message, sizeof diag->message, format, args);
    va_end(args);
    tdi_diag_place(diag, tree->file, tree->text, tree->text_size, line, column);
    return status;
}

// Where a scalar's text is written as it reads: how far after the value's place; -1: it is not.
static int32_t text_begins(const td_value *value) {
    const td_value_tree *tree = value->tree;
    const char *at = tree->text, *end = at ? at + tree->text_size : NULL;
    const size_t size = strlen(value->text);
    for (int32_t line = 1; at && line < value->line; line++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at || value->column < 1 || end - at < value->column - 1) {
        return -1;
    }
    at += value->column - 1;
    const int32_t quote = at < end && (*at == '"' || *at == '\'');
    return (size_t)(end - at) >= size + (size_t)quote && memcmp(at + quote, value->text, size) == 0
               ? quote
               : -1;
}

td_status tdi_value_fail_within(const td_value *value, int32_t byte, td_diag *diag,
                                td_status status, const char *message) {
    const int32_t begins = text_begins(value);
    const int32_t column = value->column + (begins < 0 ? 0 : begins + byte);
    return tdi_value_fail(value, value->line, column, diag, status, "%s", message);
}

#define FAIL(b, line, column, failure, ...) \
    ((b)->status =                          \
         tdi_value_fail(&(b)->tree->root, line, column, &(b)->diag, (failure), __VA_ARGS__))

static td_status out_of_memory(td_value_builder *b) {
    tdi_fail(&b->diag, TD_ERR_MEMORY, "%s", td_status_text(TD_ERR_MEMORY));
    return b->status = TD_ERR_MEMORY;
}

td_status td_value_builder_fail(td_value_builder *b, td_status status, int32_t line, int32_t column,
                                const char *message) {
    if (!b || !message) {
        return TD_ERR_ARGUMENT;
    }
    return b->status != TD_OK ? b->status : FAIL(b, line, column, status, "%s", message);
}

// ---- nodes ----------------------------------------------------------------------------------

// whether a value may stand here, and room for its nodes
static td_status admit(td_value_builder *b, int32_t line, int32_t column, int64_t nodes) {
    if (b->status != TD_OK) {
        return b->status;
    }
    if (td_value_builder_wants_key(b) || (b->depth == 0 && b->rooted)) {
        return FAIL(b, line, column, TD_ERR_ARGUMENT, "%s",
                    b->depth == 0 ? "a second value follows the first; expected one value"
                                  : "a map has a value without a key");
    }
    if (nodes > TD_VALUE_MAX_NODES - b->nodes) {
        return FAIL(b, line, column, TD_ERR_LIMIT, "there are more than %d values here",
                    TD_VALUE_MAX_NODES);
    }
    b->nodes += nodes;
    return TD_OK;
}

static td_value node_at(td_value_builder *b, td_value_kind kind, int32_t line, int32_t column) {
    td_value node = {.kind = kind,
                     .line = line,
                     .column = column,
                     .key_line = b->key_line,
                     .key_column = b->key_column,
                     .text = "",
                     .key = b->key,
                     .tree = b->tree};
    b->key = NULL;
    b->key_line = b->key_column = 0;
    return node;
}

// puts a complete value where it belongs
static td_status add(td_value_builder *b, const td_value *node, int32_t height) {
    if (b->depth == 0) {
        b->tree->root = *node;
        b->rooted = true;
        return TD_OK;
    }
    td_value *stack = tdi_array_reserve(b->alloc, b->stack, &b->stack_capacity, b->stack_count + 1,
                                        sizeof *stack);
    if (!stack) {
        return out_of_memory(b);
    }
    b->stack = stack;
    b->stack[b->stack_count++] = *node;
    frame *around = &b->frames[b->depth - 1];
    around->height = around->height > height ? around->height : height;
    return TD_OK;
}

static void close_anchor(td_value_builder *b, int32_t index, const td_value *node, int64_t nodes,
                         int32_t height) {
    if (index != TD_NONE) {
        anchor *a = &b->anchors[index];
        a->value = *node;
        a->nodes = nodes;
        a->height = height;
        a->open = false;
    }
}

// ---- lists and maps -------------------------------------------------------------------------

static td_status begin(td_value_builder *b, td_value_kind kind, int32_t line, int32_t column) {
    int64_t before = b->nodes;
    TDI_TRY(admit(b, line, column, 1));
    if (b->depth == TD_VALUE_MAX_DEPTH) {
        return FAIL(b, line, column, TD_ERR_LIMIT,
                    "lists and maps are nested more than %d deep here", TD_VALUE_MAX_DEPTH);
    }
    td_value node = node_at(b, kind, line, column);
    b->frames[b->depth++] = (frame){node, b->stack_count, before, 0, b->next_anchor};
    b->next_anchor = TD_NONE;
    return TD_OK;
}

td_status td_value_builder_begin_map(td_value_builder *b, int32_t line, int32_t column) {
    return b ? begin(b, TD_VALUE_MAP, line, column) : TD_ERR_ARGUMENT;
}

td_status td_value_builder_begin_list(td_value_builder *b, int32_t line, int32_t column) {
    return b ? begin(b, TD_VALUE_LIST, line, column) : TD_ERR_ARGUMENT;
}

td_status td_value_builder_end(td_value_builder *b) {
    if (!b) {
        return TD_ERR_ARGUMENT;
    }
    if (b->status != TD_OK) {
        return b->status;
    }
    if (b->depth == 0 || b->key) {
        return FAIL(b, b->key_line, b->key_column, TD_ERR_ARGUMENT, "%s",
                    b->key ? "a key has no value" : "no list or map is open here");
    }
    frame *top = &b->frames[b->depth - 1];
    td_value node = top->node;
    int64_t count = b->stack_count - top->first;
    if (count > 0) {
        td_value *items = tdi_arena_zeroed(&b->tree->arena, (size_t)count, sizeof *items);
        if (!items) {
            return out_of_memory(b);
        }
        memcpy(items, b->stack + top->first, (size_t)count * sizeof *items);
        node.items = items;
        node.count = (int32_t)count;
    }
    b->stack_count = top->first;
    b->depth--;
    close_anchor(b, top->anchor, &node, b->nodes - top->nodes_before, top->height + 1);
    return add(b, &node, top->height + 1);
}

// ---- keys -----------------------------------------------------------------------------------

bool td_value_builder_wants_key(const td_value_builder *b) {
    if (!b) {
        return false;
    }
    return b->depth > 0 && b->frames[b->depth - 1].node.kind == TD_VALUE_MAP && !b->key;
}

static td_status check_key(td_value_builder *b, const char *key, size_t size, int32_t line,
                           int32_t column) {
    char shown[TDI_SHOWN_TEXT];
    int64_t first = b->frames[b->depth - 1].first;
    if (size == 0 || memchr(key, 0, size)) {
        return FAIL(b, line, column, TD_ERR_SYNTAX, "%s",
                    size == 0 ? "expected a key; this one is empty"
                              : "the key has a zero byte in it");
    }
    if (b->stack_count - first == TD_VALUE_MAX_KEYS) {
        return FAIL(b, line, column, TD_ERR_LIMIT, "the map has more than %d keys here",
                    TD_VALUE_MAX_KEYS);
    }
    for (int64_t i = first; i < b->stack_count; i++) {
        const td_value *other = &b->stack[i];
        if (strncmp(other->key, key, size) == 0 && other->key[size] == 0) {
            return FAIL(b, line, column, TD_ERR_SYNTAX,
                        "the key '%s' is given twice; the first is at line %d, column %d",
                        tdi_shown_text(other->key, shown), (int)other->key_line,
                        (int)other->key_column);
        }
    }
    return TD_OK;
}

td_status td_value_builder_key(td_value_builder *b, const char *key, size_t size, int32_t line,
                               int32_t column) {
    if (!b || !key) {
        return TD_ERR_ARGUMENT;
    }
    if (b->status != TD_OK) {
        return b->status;
    }
    if (!td_value_builder_wants_key(b)) {
        return FAIL(b, line, column, TD_ERR_ARGUMENT, "a key is not allowed here");
    }
    TDI_TRY(check_key(b, key, size, line, column));
    char *copy = tdi_arena_text(&b->tree->arena, key, size);
    if (!copy) {
        return out_of_memory(b);
    }
    b->key = copy;
    b->key_line = line;
    b->key_column = column;
    return TD_OK;
}

// ---- scalars --------------------------------------------------------------------------------

static bool is_word(const char *text, const char *a, const char *b, const char *c) {
    return strcmp(text, a) == 0 || strcmp(text, b) == 0 || strcmp(text, c) == 0;
}

// what a scalar without quotes stands for
static void resolve(td_value *node, size_t size) {
    const char *text = node->text;
    if (size == 0 || strcmp(text, "~") == 0 || is_word(text, "null", "Null", "NULL")) {
        node->kind = TD_VALUE_NULL;
    } else if (is_word(text, "true", "True", "TRUE")) {
        node->kind = TD_VALUE_BOOL;
        node->number = 1;
    } else if (is_word(text, "false", "False", "FALSE")) {
        node->kind = TD_VALUE_BOOL;
    } else if (tdi_real_read(text, size, &node->number)) {
        node->kind = TD_VALUE_NUMBER;
    } else {
        node->number = 0;
    }
}

td_status td_value_builder_scalar(td_value_builder *b, const char *text, size_t size, bool quoted,
                                  int32_t line, int32_t column) {
    if (!b || (!text && size > 0)) {
        return TD_ERR_ARGUMENT;
    }
    TDI_TRY(admit(b, line, column, 1));
    if (size > 0 && memchr(text, 0, size)) {
        return FAIL(b, line, column, TD_ERR_SYNTAX, "the text has a zero byte in it");
    }
    td_value node = node_at(b, TD_VALUE_TEXT, line, column);
    node.text = tdi_arena_text(&b->tree->arena, text, size);
    if (!node.text) {
        return out_of_memory(b);
    }
    if (!quoted) {
        resolve(&node, size);
    }
    close_anchor(b, b->next_anchor, &node, 1, 0);
    b->next_anchor = TD_NONE;
    return add(b, &node, 0);
}

// ---- names ----------------------------------------------------------------------------------

td_status td_value_builder_anchor(td_value_builder *b, const char *name, int32_t line,
                                  int32_t column) {
    if (!b || !name) {
        return TD_ERR_ARGUMENT;
    }
    if (b->status != TD_OK) {
        return b->status;
    }
    if (b->anchor_count == TD_VALUE_MAX_ANCHORS) {
        return FAIL(b, line, column, TD_ERR_LIMIT, "there are more than %d anchors here",
                    TD_VALUE_MAX_ANCHORS);
    }
    anchor *anchors = tdi_array_reserve(b->alloc, b->anchors, &b->anchor_capacity,
                                        b->anchor_count + 1, sizeof *anchors);
    b->anchors = anchors ? anchors : b->anchors;
    const char *copy = anchors ? tdi_arena_text(&b->tree->arena, name, strlen(name)) : NULL;
    if (!copy) {
        return out_of_memory(b);
    }
    b->next_anchor = (int32_t)b->anchor_count;
    b->anchors[b->anchor_count++] = (anchor){.name = copy, .open = true};
    return TD_OK;
}

td_status td_value_builder_alias(td_value_builder *b, const char *name, int32_t line,
                                 int32_t column) {
    if (!b || !name) {
        return TD_ERR_ARGUMENT;
    }
    char shown[TDI_SHOWN_TEXT];
    int64_t i = b->anchor_count - 1;
    while (i >= 0 && strcmp(b->anchors[i].name, name) != 0) {
        i--;
    }
    const anchor *a = i >= 0 ? &b->anchors[i] : NULL;
    TDI_TRY(admit(b, line, column, a ? a->nodes : 0));
    if (!a) {
        return FAIL(b, line, column, TD_ERR_SYNTAX,
                    "no value named &%s stands before this reference", tdi_shown_text(name, shown));
    }
    if (a->open) {
        return FAIL(b, line, column, TD_ERR_SYNTAX,
                    "*%s refers to a value that contains this reference",
                    tdi_shown_text(name, shown));
    }
    if (a->height > TD_VALUE_MAX_DEPTH - b->depth) {
        return FAIL(b, line, column, TD_ERR_LIMIT,
                    "lists and maps are nested more than %d deep in *%s", TD_VALUE_MAX_DEPTH,
                    tdi_shown_text(name, shown));
    }
    td_value node = node_at(b, a->value.kind, line, column);
    node.count = a->value.count;
    node.number = a->value.number;
    node.text = a->value.text;
    node.items = a->value.items;
    close_anchor(b, b->next_anchor, &node, a->nodes, a->height);
    b->next_anchor = TD_NONE;
    return add(b, &node, a->height);
}

// ---- ends -----------------------------------------------------------------------------------

static void free_tree(td_value_tree *tree) {
    if (tree) {
        const td_alloc *alloc = tree->arena.alloc;
        tdi_arena_free(&tree->arena);
        tdi_alloc_free(alloc, tree, sizeof *tree);
    }
}

static void free_builder(td_value_builder *b) {
    tdi_alloc_free(b->alloc, b->stack, (size_t)b->stack_capacity * sizeof *b->stack);
    tdi_alloc_free(b->alloc, b->anchors, (size_t)b->anchor_capacity * sizeof *b->anchors);
    tdi_alloc_free(b->alloc, b, sizeof *b);
}

td_status td_value_builder_new(const char *file, const char *text, size_t size,
                               const td_alloc *alloc, td_value_builder **out) {
    TDI_CLEAR(out);
    if (!out) {
        return TD_ERR_ARGUMENT;
    }
    td_value_builder *b = tdi_alloc_zeroed(alloc, 1, sizeof *b);
    td_value_tree *tree = b ? tdi_alloc_zeroed(alloc, 1, sizeof *tree) : NULL;
    if (tree) {
        tree->arena.alloc = alloc;
        tree->root = (td_value){.line = 1, .column = 1, .text = "", .tree = tree};
        tree->file = file ? tdi_arena_text(&tree->arena, file, strlen(file)) : NULL;
        tree->text = text ? tdi_arena_text(&tree->arena, text, size) : NULL;
        tree->text_size = text ? size : 0;
    }
    if (!tree || (file && !tree->file) || (text && !tree->text)) {
        free_tree(tree);
        tdi_alloc_free(alloc, b, sizeof *b);
        return TD_ERR_MEMORY;
    }
    b->alloc = alloc;
    b->tree = tree;
    b->next_anchor = TD_NONE;
    *out = b;
    return TD_OK;
}

td_status td_value_builder_finish(td_value_builder *b, td_value **out, td_diag *diag) {
    TDI_CLEAR(out);
    TDI_REFUSE_IF(!out);
    if (!b) {
        return tdi_fail(diag, TD_ERR_MEMORY, "%s", td_status_text(TD_ERR_MEMORY));
    }
    if (b->status == TD_OK && b->depth > 0) {
        FAIL(b, b->frames[b->depth - 1].node.line, b->frames[b->depth - 1].node.column,
             TD_ERR_ARGUMENT, "the list or map that begins here is not closed");
    }
    td_status status = b->status;
    if (status == TD_OK) {
        *out = &b->tree->root;
    } else {
        free_tree(b->tree);
        if (diag) {
            *diag = b->diag;
        }
    }
    free_builder(b);
    return status;
}

void td_value_free(td_value *value) {
    if (value) {
        free_tree((td_value_tree *)value->tree);
    }
}

const td_value *td_value_get(const td_value *value, const char *key) {
    bool map = value && key && value->kind == TD_VALUE_MAP;
    for (int32_t i = 0; map && i < value->count; i++) {
        if (strcmp(value->items[i].key, key) == 0) {
            return &value->items[i];
        }
    }
    return NULL;
}
