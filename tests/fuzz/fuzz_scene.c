// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as the text of a scene, through to a world in motion.
//
// Method   Reads the text and walks the whole tree: every node keeps the promises of value.h, and a
//          refusal says where and why. Then the scene and its world, within small limits, with two
//          plants from memory; a few steps, and the same steps again from a save, which must give
//          the same bytes. A text with the key "segments" is read as a skeleton in JSON. Every byte
//          goes through a counting allocator: nothing may be left at the end.

#include "claim.h"

#include "tendril/io.h"
#include "tendril/world.h"
#include "tendril/yaml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

// ---- the world ------------------------------------------------------------------------------

#define STEPS     3
#define MAX_DIAGS 8

static const struct {
    const char *name, *text;
} plants[] = {{"a.lsys", "axiom: F(0.1)[+F(0.1)]F(0.1)\n"},
              {"b.lsys", "derivation length: 2\n#define n 2\naxiom: A\nA --> F(0.1*n)[+A]A\n"}};

static td_status load(void *context, const char *name, const char *from, size_t max_size,
                      const td_alloc *from_alloc, char **text, size_t *size, char resolved[160]) {
    (void)context;
    (void)from;
    for (size_t k = 0; k < sizeof plants / sizeof plants[0]; k++) {
        if (strcmp(name, plants[k].name) != 0) {
            continue;
        }
        *size = strlen(plants[k].text);
        if (*size > max_size) {
            return TD_ERR_LIMIT;
        }
        *text = from_alloc->resize(from_alloc->context, NULL, 0, *size);
        if (!*text) {
            return TD_ERR_MEMORY;
        }
        memcpy(*text, plants[k].text, *size);
        snprintf(resolved, 160, "%s", name);
        return TD_OK;
    }
    return TD_ERR_READ;
}

// How many steps were made.
static int step(td_world *world) {
    td_diag diag = {.message = ""};
    int done = 0;
    for (; done < STEPS; done++) {
        td_status status = td_world_step(world, &diag);
        claim(status == TD_OK || diag.message[0] != 0, "a failed step says why");
        if (status != TD_OK) {
            break;
        }
    }
    return done;
}

static void move(td_world *world) {
    size_t size = td_world_save_size(world);
    unsigned char *start = malloc(size), *once = malloc(size), *again = malloc(size);
    claim(start && once && again, "there is memory for saves");
    td_world_save(world, start);
    int done = step(world);
    td_world_save(world, once);
    claim(td_world_restore(world, start, size, NULL) == TD_OK, "a save can be restored");
    claim(step(world) == done, "the same steps go well from a save");
    td_world_save(world, again);
    claim(done < STEPS || memcmp(once, again, size) == 0, "a save gives the same future");
    free(start);
    free(once);
    free(again);
}

static void make_world(td_value *value) {
    td_diag items[MAX_DIAGS];
    td_diag_list diags = {items, MAX_DIAGS, 0};
    td_loader loader = {load, NULL};
    td_world_opts opts = td_world_opts_default();
    td_scene *scene = NULL;
    td_world *world = NULL;
    opts.loader = &loader;
    opts.max_segments = 2000;
    opts.max_modules = 2000;
    memset(items, 0, sizeof items);
    td_status status = td_scene_from_value(value, "fuzz", &alloc, &scene, &diags);
    claim((status == TD_OK) == (scene != NULL), "a scene is made or refused");
    if (status == TD_OK) {
        status = td_world_from_scene(scene, &opts, &alloc, &world, &diags);
        claim((status == TD_OK) == (world != NULL), "a world is made or refused");
    }
    claim(status == TD_OK || status == TD_ERR_MEMORY || diags.count > 0, "a refusal is listed");
    for (int32_t k = 0; k < diags.count && k < MAX_DIAGS && status != TD_OK; k++) {
        claim(items[k].message[0] != 0, "a refusal says why");
    }
    if (world) {
        move(world);
    }
    td_world_free(world);
    td_scene_free(scene);
}

// ---- skeletons ------------------------------------------------------------------------------

static td_skeleton *read_skeleton(const char *text, size_t size) {
    td_diag diag = {.message = ""};
    td_skeleton *skeleton = NULL;
    td_status status = td_skeleton_from_json(text, size, "fuzz", &alloc, &skeleton, &diag);
    claim((status == TD_OK) == (skeleton != NULL), "a skeleton is read or refused");
    if (status != TD_OK && status != TD_ERR_MEMORY) {
        check_diag(status, &diag);
    }
    return skeleton;
}

// What was read is written and read again, and moves.
static void try_skeleton(const char *text, size_t size) {
    td_skeleton *skeleton = read_skeleton(text, size);
    if (!skeleton) {
        return;
    }
    td_bytes once = {0}, again = {0};
    claim(td_skeleton_json(skeleton, &alloc, &once) == TD_OK, "a skeleton can be written");
    td_skeleton *second = read_skeleton((const char *)once.data, once.size);
    claim(second != NULL, "what was written can be read");
    claim(td_skeleton_json(second, &alloc, &again) == TD_OK, "it can be written again");
    claim(once.size == again.size && memcmp(once.data, again.data, once.size) == 0,
          "what was written reads back to the same bytes");
    td_scene_def scene = td_scene_def_default();
    td_object_def object = td_object_def_default();
    td_world_opts opts = td_world_opts_default();
    td_world *world = NULL;
    object.skeleton = skeleton;
    object.start = TD_START_DRAWN;
    scene.objects = &object;
    scene.object_count = 1;
    opts.max_segments = 2000;
    if (td_world_new(&scene, &opts, &alloc, &world, NULL) == TD_OK) {
        step(world);
    }
    td_world_free(world);
    td_bytes_free(&once);
    td_bytes_free(&again);
    td_skeleton_free(second);
    td_skeleton_free(skeleton);
}

// ---- entry ----------------------------------------------------------------------------------

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    td_value *value = NULL;
    td_diag diag = {.message = ""};
    if (td_skeleton_is_json((const char *)data, size)) {
        try_skeleton((const char *)data, size);
        claim(heap.held == 0, "all memory is given back");
        return 0;
    }
    td_status status = td_value_from_yaml((const char *)data, size, "fuzz", &alloc, &value, &diag);
    claim((status == TD_OK) == (value != NULL), "a scene is read or refused");
    if (status == TD_OK) {
        claim(check_node(value, 0, size) <= TD_VALUE_MAX_NODES, "the limit on values holds");
        make_world(value);
    } else {
        check_diag(status, &diag);
    }
    claim(heap.held == 0, "all memory is given back");
    return 0;
}
