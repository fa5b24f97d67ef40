// SPDX-License-Identifier: MIT
// Which files a folder's `specifications` starts cpfg with: `cpfg -M x.mat plant.l plant.v
// plant.a`.

#include "cpfg/specification.h"
#include "cpfg/scan.h"

#include <string.h>

static bool has_suffix(const char *name, const char *suffix) {
    size_t length = strlen(name), tail = strlen(suffix);
    return length > tail && strcmp(name + length - tail, suffix) == 0;
}

static void take(char *to, const char *word) {
    if (to[0] == 0) {
        tdi_text_copy(to, TDI_FILE_NAME, word);
    }
}

// the words of one command line
static bool read_command(const char *line, size_t size, tdi_specification *out) {
    tdi_scan scan = {.text = line, .size = size};
    char word[TDI_FILE_NAME];
    bool cpfg = false;
    memset(out, 0, sizeof *out);
    while (tdi_scan_word(&scan, word, sizeof word)) {
        if (!cpfg) {
            cpfg = strcmp(word, "cpfg") == 0 || has_suffix(word, "/cpfg");
        } else if (has_suffix(word, ".l")) {
            take(out->model, word);
        } else if (has_suffix(word, ".v")) {
            take(out->view, word);
        } else if (has_suffix(word, ".map") || has_suffix(word, ".mat")) {
            take(out->colors, word);
        }
    }
    return cpfg && out->model[0] != 0;
}

bool tdi_specification_read(const char *text, size_t size, const char *model,
                            tdi_specification *out) {
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        if (read_command(text + at, length, out) &&
            (model[0] == 0 || strcmp(model, out->model) == 0)) {
            return true;
        }
        at += length + 1;
    }
    memset(out, 0, sizeof *out);
    return false;
}
