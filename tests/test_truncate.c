// SPDX-License-Identifier: MIT
// Every shipped model, cut off at every byte: a status, never a crash. Pairs with src/grammar and
// src/plant.

#include "td_test.h"

#include <dirent.h>
#include <stdlib.h>

// Parses, derives two steps and makes a skeleton, within small limits.
static void grow_text(const char *text, size_t size) {
    OWNED(td_grammar) *grammar = NULL;
    OWNED(td_derivation) *derivation = NULL;
    OWNED(td_skeleton) *skeleton = NULL;
    td_diag diag, items[4];
    td_diag_list diags = {items, 4, 0};
    td_grammar_def def = td_grammar_def_default();
    def.text = text;
    def.text_size = size;
    if (td_grammar_new(&def, NULL, &grammar, &diags) != TD_OK) {
        CHECK(diags.count > 0 && items[0].line > 0 && items[0].message[0]);
        return;
    }
    td_derive_opts opts = td_derive_opts_default();
    opts.max_modules = 300;
    opts.max_loops = 1000;
    td_status status = td_derivation_new(grammar, &opts, NULL, &derivation, &diag);
    for (int i = 0; i < 2 && status == TD_OK; i++) {
        status = td_derivation_step(derivation, &diag);
    }
    if (derivation) {
        td_string string = td_derivation_string(derivation);
        td_skeleton_opts skeleton_opts = td_skeleton_opts_default();
        CHECK(td_skeleton_from_string(grammar, &string, &skeleton_opts, NULL, &skeleton, &diag) ==
              TD_OK);
    }
}

static int truncate_file(const char *path) {
    OWNED(td_bytes) bytes = {0};
    CHECK_INT(td_file_read(path, 1 << 20, NULL, &bytes, NULL), TD_OK);
    for (size_t size = 0; size <= bytes.size; size++) {
        // a copy of just that size, so that a sanitizer sees a read past its end
        FREED char *text = malloc(size > 0 ? size : 1);
        memcpy(text, bytes.data, size);
        grow_text(text, size);
    }
    return 1;
}

static int truncate_folder(const char *folder) {
    char path[1024];
    int count = 0;
    DIR *dir = opendir(folder);
    CHECK(dir != NULL);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && strcmp(entry->d_name + length - 5, ".lsys") == 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            count += truncate_file(path);
        }
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}

TD_TEST(abop_models_cut_off_at_any_byte_give_a_status) {
    CHECK(truncate_folder(TEST_SCENES "/abop") > 20);
}

TD_TEST(plant_models_cut_off_at_any_byte_give_a_status) {
    CHECK(truncate_folder(TEST_SCENES "/plants") > 10);
}
