// SPDX-License-Identifier: MIT
// What a model prints: printf() goes to the terminal at once, fprintf() into files beside the
// output once the plant has grown.

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)64 << 20) // of all files together

// The file of that name, made when new; NULL without room.
static cli_printed_file *find(cli_prints *prints, const char *name) {
    for (int32_t i = 0; i < prints->count; i++) {
        if (strcmp(prints->files[i].name, name) == 0) {
            return &prints->files[i];
        }
    }
    if (prints->count == CLI_MAX_PRINTED || strlen(name) >= sizeof prints->files[0].name) {
        return NULL;
    }
    cli_printed_file *file = &prints->files[prints->count++];
    *file = (cli_printed_file){.append = true};
    snprintf(file->name, sizeof file->name, "%s", name);
    return file;
}

int cli_prints_take(void *context, const char *name, bool start, const char *text, size_t size) {
    cli_prints *prints = context;
    if (!name) {
        return fwrite(text, 1, size, stderr) != size;
    }
    cli_printed_file *file = find(prints, name);
    if (!file || prints->bytes + size > MAX_BYTES) {
        cli_error("the files that this model writes are too many or larger than %zu bytes",
                  MAX_BYTES);
        return 1;
    }
    if (start) {
        prints->bytes -= file->size;
        file->size = 0;
        file->append = false;
    }
    if (file->size + size > file->capacity) {
        size_t wanted = 2 * (file->size + size);
        char *grown = realloc(file->text, wanted);
        if (!grown) {
            return 1;
        }
        file->text = grown;
        file->capacity = wanted;
    }
    if (size > 0) {
        memcpy(file->text + file->size, text, size);
    }
    file->size += size;
    prints->bytes += size;
    return 0;
}

static td_status append(const char *path, const cli_printed_file *file, td_diag *diag) {
    FILE *out = fopen(path, "ab");
    bool ok = out && (file->size == 0 || fwrite(file->text, 1, file->size, out) == file->size);
    if ((out && fclose(out) != 0) || !ok) {
        snprintf(diag->file, sizeof diag->file, "%.*s", (int)sizeof diag->file - 1, path);
        snprintf(diag->message, sizeof diag->message, "cannot write what the model prints");
        return TD_ERR_WRITE;
    }
    return TD_OK;
}

td_status cli_prints_write(const cli_prints *prints, const char *out, td_diag *diag) {
    const char *slash = out ? strrchr(out, '/') : NULL;
    int folder = slash ? (int)(slash - out + 1) : 0;
    td_status status = TD_OK;
    for (int32_t i = 0; i < prints->count && status == TD_OK; i++) {
        const cli_printed_file *file = &prints->files[i];
        char path[1024];
        int length = snprintf(path, sizeof path, "%.*s%s", folder, out ? out : "", file->name);
        if (!out) {
            cli_error("warning: '%s' is not written: -o says where output goes", file->name);
        } else if (length >= (int)sizeof path) {
            snprintf(diag->message, sizeof diag->message, "the name of '%s' is too long",
                     file->name);
            status = TD_ERR_WRITE;
        } else if (file->append) {
            status = append(path, file, diag);
        } else {
            status = td_file_write(path, file->text ? file->text : "", file->size, diag);
        }
    }
    return status;
}

void cli_prints_free(cli_prints *prints) {
    for (int32_t i = 0; i < prints->count; i++) {
        free(prints->files[i].text);
    }
    prints->count = 0;
}
