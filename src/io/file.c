// SPDX-License-Identifier: MIT
// Whole files in and out.
//
// Writing  into a new file beside the target, which is renamed over it when all bytes are in, so
//          that a reader sees the old file or the new one. What is no regular file (a device, a
//          pipe, a link) is written straight, because a rename would replace it.

#define _POSIX_C_SOURCE 200809L // stat, chmod

#include "io/out.h"

#include "tendril/io.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"
#include "cpfg/specification.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define READ_CHUNK ((size_t)64 * 1024) // bytes of the first block; later ones double
#define MAX_TRIES  100                 // names for the new file, for when others are writing too

td_status tdi_fail_file(td_diag *diag, td_status status, const char *path, const char *doing) {
    int error = errno;
    td_status result =
        tdi_fail(diag, status, "cannot %s: %s", doing, error ? strerror(error) : "unknown reason");
    if (diag) {
        tdi_text_copy(diag->file, sizeof diag->file, path);
    }
    return result;
}

// ---- reading --------------------------------------------------------------------------------

// room for at least one byte more, never above `limit` bytes
static bool grow(const td_alloc *alloc, uint8_t **data, size_t *capacity, size_t limit) {
    size_t wanted = *capacity < READ_CHUNK ? READ_CHUNK : *capacity;
    wanted = wanted > limit - *capacity ? limit : *capacity + wanted;
    uint8_t *moved = tdi_alloc_resize(alloc, *data, *capacity, wanted);
    if (moved) {
        *data = moved;
        *capacity = wanted;
    }
    return moved != NULL;
}

// reads until the end or until max_size + 1 bytes are there, which is one too many
static td_status read_all(FILE *file, size_t max_size, const td_alloc *alloc, uint8_t **data,
                          size_t *size, size_t *capacity) {
    size_t limit = max_size < SIZE_MAX ? max_size + 1 : SIZE_MAX;
    for (;;) {
        if (*size == *capacity && !grow(alloc, data, capacity, limit)) {
            return TD_ERR_MEMORY;
        }
        errno = 0;
        size_t room = *capacity - *size;
        size_t got = fread(*data + *size, 1, room, file);
        *size += got;
        if (*size > max_size) {
            return TD_ERR_LIMIT;
        }
        if (got < room) {
            return ferror(file) ? TD_ERR_READ : TD_OK;
        }
    }
}

// the holder of a td_bytes knows its size only, so the block must have that size
static td_status trim(const td_alloc *alloc, uint8_t **data, size_t size, size_t *capacity) {
    if (size == 0) {
        tdi_alloc_free(alloc, *data, *capacity);
        *data = NULL;
    } else {
        uint8_t *moved = tdi_alloc_resize(alloc, *data, *capacity, size);
        TDI_TRY(moved ? TD_OK : TD_ERR_MEMORY);
        *data = moved;
    }
    *capacity = size;
    return TD_OK;
}

static td_status fail_read(td_diag *diag, td_status status, const char *path, size_t max_size) {
    if (status == TD_ERR_READ) {
        return tdi_fail_file(diag, status, path, "read");
    }
    if (status == TD_ERR_LIMIT) {
        tdi_fail(diag, status, "the file is larger than the limit of %zu bytes", max_size);
    } else {
        tdi_fail(diag, status, "out of memory to read the file");
    }
    if (diag) {
        tdi_text_copy(diag->file, sizeof diag->file, path);
        diag->line = diag->column = status == TD_ERR_LIMIT ? 1 : 0;
    }
    return status;
}

td_status td_file_read(const char *path, size_t max_size, const td_alloc *alloc, td_bytes *out,
                       td_diag *diag) {
    TDI_REFUSE_IF(!path || !out);
    *out = (td_bytes){NULL, 0, alloc};
    bool standard = strcmp(path, "-") == 0;
    errno = 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file) {
        return tdi_fail_file(diag, TD_ERR_READ, path, "open");
    }
    uint8_t *data = NULL;
    size_t size = 0, capacity = 0;
    td_status status = read_all(file, max_size, alloc, &data, &size, &capacity);
    status = status == TD_OK ? trim(alloc, &data, size, &capacity) : status;
    if (status == TD_OK) {
        *out = (td_bytes){data, size, alloc};
    } else {
        fail_read(diag, status, path, max_size);
        tdi_alloc_free(alloc, data, capacity);
    }
    if (!standard) {
        fclose(file);
    }
    return status;
}

// ---- writing --------------------------------------------------------------------------------

// opens a file that did not exist, named after the place; NULL and errno when there is none
static FILE *open_beside(const char *path, char beside[TDI_MAX_PATH]) {
    for (int i = 0; i < MAX_TRIES; i++) {
        int length = snprintf(beside, TDI_MAX_PATH, "%s.new%d", path, i);
        if (length < 0 || length >= TDI_MAX_PATH) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        errno = 0;
        FILE *file = fopen(beside, "wbx");
        if (file || errno != EEXIST) {
            return file;
        }
    }
    return NULL;
}

// a file that was private stays so; WebAssembly's system has no permissions
static bool keep_mode(const char *path, const struct stat *old) {
#ifdef __wasi__
    (void)path;
    (void)old;
    return true;
#else
    return chmod(path, old->st_mode & 07777) == 0;
#endif
}

static void note_failure(tdi_out *out) {
    out->error = out->failed ? out->error : errno;
    out->failed = true;
}

td_status tdi_out_open(tdi_out *out, const char *path, td_diag *diag) {
    *out = (tdi_out){.path = path};
    struct stat old;
    bool standard = strcmp(path, "-") == 0;
    bool exists = !standard && lstat(path, &old) == 0;
    errno = 0;
    if (standard) {
        out->file = stdout;
    } else if (exists && !S_ISREG(old.st_mode)) {
        out->file = fopen(path, "wb");
    } else {
        out->file = open_beside(path, out->beside);
    }
    if (!out->file) {
        return tdi_fail_file(diag, TD_ERR_WRITE, path, "open for writing");
    }
    // before its first byte is written
    if (exists && out->beside[0] && !keep_mode(out->beside, &old)) {
        note_failure(out);
    }
    return TD_OK;
}

static void write_plain(tdi_out *out, const void *data, size_t size) {
    errno = 0;
    if (!out->failed && size > 0 && fwrite(data, 1, size, out->file) != size) {
        note_failure(out);
    }
}

static void write_group(tdi_out *out) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)out->held[0] << 16 | (uint32_t)out->held[1] << 8 | out->held[2];
    char text[4];
    for (int k = 0; k < 4; k++) {
        text[k] = k <= out->held_count ? letters[bits >> (18 - 6 * k) & 63] : '=';
    }
    write_plain(out, text, sizeof text);
    memset(out->held, 0, sizeof out->held);
    out->held_count = 0;
}

void tdi_out_write(tdi_out *out, const void *data, size_t size) {
    if (!out->base64) {
        write_plain(out, data, size);
        return;
    }
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        out->held[out->held_count++] = bytes[i];
        if (out->held_count == 3) {
            write_group(out);
        }
    }
}

void tdi_out_text(tdi_out *out, const char *text) {
    tdi_out_write(out, text, strlen(text));
}

void tdi_out_base64(tdi_out *out, bool on) {
    if (out->held_count > 0) {
        write_group(out);
    }
    out->base64 = on;
}

td_status tdi_out_close(tdi_out *out, td_status status, td_diag *diag) {
    errno = 0;
    if (fflush(out->file) != 0) {
        note_failure(out);
    }
    errno = 0;
    if (out->file != stdout && fclose(out->file) != 0) {
        note_failure(out);
    }
    errno = 0;
    bool good = status == TD_OK && !out->failed;
    if (good && out->beside[0] && rename(out->beside, out->path) != 0) {
        note_failure(out);
        good = false;
    }
    if (!good && out->beside[0]) {
        remove(out->beside);
    }
    errno = out->error;
    return status != TD_OK ? status
           : good          ? TD_OK
                           : tdi_fail_file(diag, TD_ERR_WRITE, out->path, "write");
}

td_status td_file_write(const char *path, const void *data, size_t size, td_diag *diag) {
    TDI_REFUSE_IF(!path || (!data && size > 0));
    tdi_out out;
    td_status status = tdi_out_open(&out, path, diag);
    if (status == TD_OK) {
        tdi_out_write(&out, data, size);
        status = tdi_out_close(&out, TD_OK, diag);
    }
    return status;
}

// ---- names ----------------------------------------------------------------------------------

// `name` as seen from the file `from`, without "./" parts; false when it does not fit
static bool resolve(const char *name, const char *from, char *path, size_t size) {
    size_t length = 0;
    const char *slash = strrchr(from, '/');
    if (name[0] != '/' && slash) {
        length = (size_t)(slash - from) + 1;
        if (length >= size) {
            return false;
        }
        memcpy(path, from, length);
    }
    while (name[0] == '.' && name[1] == '/') {
        for (name += 2; name[0] == '/'; name++) {}
    }
    size_t rest = strlen(name);
    if (rest == 0 || length + rest >= size) {
        return false;
    }
    memcpy(path + length, name, rest + 1);
    return true;
}

// ---- models in folders ----------------------------------------------------------------------

#define MAX_SPECIFICATION ((size_t)1 << 20) // bytes

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

td_status td_file_model(const char *path, char model[160], td_diag *diag) {
    TDI_REFUSE_IF(!path || !model);
    if (!is_folder(path)) {
        tdi_text_copy(model, 160, path);
        return TD_OK;
    }
    char name[160];
    td_bytes bytes;
    tdi_specification files;
    if (snprintf(name, sizeof name, "%s/specifications", path) >= (int)sizeof name) {
        return tdi_fail(diag, TD_ERR_READ, "the name '%.100s...' is too long", path);
    }
    td_status status = td_file_read(name, MAX_SPECIFICATION, NULL, &bytes, diag);
    if (status != TD_OK) {
        return status == TD_ERR_READ
                   ? tdi_fail(diag, status, "'%.120s' is a folder without a file 'specifications'",
                              path)
                   : status;
    }
    bool found = tdi_specification_read((const char *)bytes.data, bytes.size, "", &files);
    td_bytes_free(&bytes);
    if (!found) {
        return tdi_fail(diag, TD_ERR_SYNTAX, "'%.120s' has no line 'cpfg ... model.l'", name);
    }
    return snprintf(model, 160, "%s/%s", path, files.model) < 160
               ? TD_OK
               : tdi_fail(diag, TD_ERR_READ, "the name '%.100s...' is too long", path);
}

// ---- includes -------------------------------------------------------------------------------

static td_status load_include(void *context, const char *name, const char *from, size_t max_size,
                              const td_alloc *alloc, char **text, size_t *size,
                              char resolved[160]) {
    (void)context;
    if (!resolve(name, from, resolved, 160) || strcmp(resolved, "-") == 0) {
        tdi_text_copy(resolved, 160, name);
        return TD_ERR_READ;
    }
    char model[160];
    if (td_file_model(resolved, model, NULL) != TD_OK) {
        return TD_ERR_READ;
    }
    tdi_text_copy(resolved, 160, model);
    td_bytes bytes;
    td_status status = td_file_read(resolved, max_size, alloc, &bytes, NULL);
    *text = (char *)bytes.data;
    *size = bytes.size;
    return status;
}

td_loader td_file_loader(void) {
    td_loader loader = {load_include, NULL};
    return loader;
}
