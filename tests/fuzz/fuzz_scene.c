// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as the text of a scene.
//
// Method   Reads the text and walks the whole tree: every node keeps the promises of value.h, and a
//          refusal says where and why. Every byte goes through a counting allocator: nothing may
//          be left at the end.

#include "tendril/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// ends the run with a report when a claim does not hold
static void claim(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

static size_t held; // bytes

static void *resize(void *context, void *block, size_t old_size, size_t new_size) {
    (void)context;
    if (new_size == 0) {
        held -= old_size;
        free(block);
        return NULL;
    }
    void *moved = realloc(block, new_size);
    held += moved ? new_size - old_size : 0;
    return moved;
}

static const td_alloc alloc = {resize, NULL};

// ---- what was read --------------------------------------------------------------------------

static int64_t check_node(const td_value *node, int32_t depth, size_t text_size) {
    bool container = node->kind == TD_VALUE_LIST || node->kind == TD_VALUE_MAP;
    int64_t nodes = 1;
    claim(depth <= TD_VALUE_MAX_DEPTH, "the limit on depth holds");
    claim(node->line > 0 && node->column > 0, "a value has a place");
    claim(node->column <= (int64_t)text_size + 1, "a column is within the text");
    claim(isfinite(node->number), "a number is finite");
    claim(container || node->count == 0, "a scalar has no items");
    claim(!container || node->text[0] == 0, "a list or map has no text");
    for (int32_t i = 0; i < node->count; i++) {
        const td_value *item = &node->items[i];
        claim((item->key != NULL) == (node->kind == TD_VALUE_MAP), "a map has keys");
        claim(!item->key || td_value_get(node, item->key) == item, "a key is there once");
        nodes += check_node(item, depth + 1, text_size);
    }
    return nodes;
}

static void check_diag(td_status status, const td_diag *diag) {
    claim(diag->status == status && diag->message[0] != 0, "a refusal says why");
    claim(diag->line > 0 && diag->column > 0, "a refusal has a place");
    size_t shown = strlen(diag->source);
    claim(diag->caret >= 0 && (size_t)diag->caret <= shown, "the caret is within the line");
    claim(strcmp(diag->file, "fuzz") == 0, "a refusal names the file");
}

// ---- entry ----------------------------------------------------------------------------------

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    td_value *value = NULL;
    td_diag diag = {.message = ""};
    td_status status = td_value_from_yaml((const char *)data, size, "fuzz", &alloc, &value, &diag);
    claim((status == TD_OK) == (value != NULL), "a scene is read or refused");
    if (status == TD_OK) {
        claim(check_node(value, 0, size) <= TD_VALUE_MAX_NODES, "the limit on values holds");
    } else {
        check_diag(status, &diag);
    }
    td_value_free(value);
    claim(held == 0, "all memory is given back");
    return 0;
}
