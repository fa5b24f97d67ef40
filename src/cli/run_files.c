// SPDX-License-Identifier: MIT
// The files of a run: streams that grow, and a checkpoint to go on from.
//
// Method   All lies in FOLDER/.run. A checkpoint holds the world and the lengths of the streams at
//          that moment. It is written beside its place, brought to the disk and renamed, after the
//          streams are on the disk: whenever the process ends, there is a whole checkpoint, and
//          the streams are at least as long as it says. What is longer is cut off on resuming.

#include "cli/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const stream_names[RUN_STREAM_COUNT] = {
    [RUN_FRAMES] = "frames.bin", [RUN_PROBES] = "probes.csv", [RUN_ENERGY] = "energy.csv"};

typedef struct checkpoint {
    char magic[8];
    uint64_t sum; // hash of all that follows
    uint64_t key;
    run_done done;
    int64_t sizes[RUN_STREAM_COUNT];
} checkpoint;

static const char magic[8] = "tdrun 2";
#define SUMMED_FROM (offsetof(checkpoint, sum) + sizeof(uint64_t))

// ---- small things ---------------------------------------------------------------------------

// FNV-1a, over eight bytes at a time as far as they go
uint64_t run_hash(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *b = bytes;
    hash ^= 0xcbf29ce484222325u;
    for (; size >= 8; b += 8, size -= 8) {
        uint64_t eight;
        memcpy(&eight, b, sizeof eight);
        hash = (hash ^ eight) * 0x100000001b3u;
        hash ^= hash >> 29; // otherwise high bits never reach the low ones
    }
    for (; size > 0; b++, size--) {
        hash = (hash ^ *b) * 0x100000001b3u;
    }
    return hash;
}

bool run_path(char path[RUN_MAX_PATH], const char *folder, const char *name) {
    int length = snprintf(path, RUN_MAX_PATH, "%s/%s", folder, name);
    bool fits = length > 0 && length < RUN_MAX_PATH;
    if (!fits) {
        cli_error("run: the path of the folder is too long");
    }
    return fits;
}

static int cannot_write(const char *path) {
    cli_error("run: cannot write %s: %s", path, strerror(errno));
    return EXIT_CANNOT_WRITE;
}

// ---- the folder -----------------------------------------------------------------------------

// Ends with the process, also when it is killed.
static int take_lock(run_files *files) {
    char path[RUN_MAX_PATH];
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!run_path(path, files->work, "lock")) {
        return EXIT_CANNOT_WRITE;
    }
    files->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (files->lock < 0) {
        return cannot_write(path);
    }
    if (fcntl(files->lock, F_SETLK, &whole) != 0 && (errno == EACCES || errno == EAGAIN)) {
        cli_error("run: another run is writing to %s", files->folder);
        return EXIT_CANNOT_WRITE;
    }
    return EXIT_FINE;
}

int run_files_open(run_files *files, const char *folder, uint64_t key, const td_world *world) {
    *files = (run_files){.lock = -1, .key = key};
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    if (length >= sizeof files->folder - 64) { // room for names in it
        cli_error("run: the path of the folder is too long");
        return EXIT_CANNOT_WRITE;
    }
    memcpy(files->folder, folder, length);
    run_path(files->work, files->folder, ".run");
    files->size = sizeof(checkpoint) + td_world_save_size(world);
    files->bytes = malloc(files->size);
    if (!files->bytes) {
        cli_error("run: out of memory for checkpoints");
        return EXIT_BAD_INPUT;
    }
    int code =
        cli_make_folder(files->work, strlen(files->work), "run") ? EXIT_FINE : EXIT_CANNOT_WRITE;
    return code == EXIT_FINE ? take_lock(files) : code;
}

// Removes what lies in the folder of work and begins so, but not the lock.
static void clear_work(const run_files *files, const char *prefix) {
    DIR *folder = opendir(files->work);
    char path[RUN_MAX_PATH];
    for (struct dirent *e; folder && (e = readdir(folder)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            strcmp(e->d_name, "lock") != 0 && strncmp(e->d_name, prefix, strlen(prefix)) == 0 &&
            run_path(path, files->work, e->d_name)) {
            unlink(path);
        }
    }
    if (folder) {
        closedir(folder);
    }
}

// Removes all of it; the checkpoint first, so that one that is there always has its streams, even
// if this is cut short.
static void clear_all_work(const run_files *files) {
    clear_work(files, "checkpoint");
    clear_work(files, "");
}

void run_files_close(run_files *files, bool remove) {
    char path[RUN_MAX_PATH];
    for (int k = 0; k < RUN_STREAM_COUNT; k++) {
        if (files->streams[k]) {
            fclose(files->streams[k]);
        }
    }
    if (remove) {
        clear_all_work(files);
        if (run_path(path, files->work, "lock")) {
            unlink(path);
        }
        rmdir(files->work);
    }
    if (files->lock >= 0) {
        close(files->lock);
    }
    free(files->bytes);
    *files = (run_files){.lock = -1};
}

// ---- streams --------------------------------------------------------------------------------

int run_files_begin(run_files *files, const bool wanted[RUN_STREAM_COUNT]) {
    char path[RUN_MAX_PATH];
    clear_all_work(files);
    for (int k = 0; k < RUN_STREAM_COUNT; k++) {
        if (!wanted[k] || !run_path(path, files->work, stream_names[k])) {
            continue;
        }
        files->streams[k] = fopen(path, "wb");
        if (!files->streams[k]) {
            return cannot_write(path);
        }
    }
    return EXIT_FINE;
}

int run_files_flush(run_files *files) {
    for (int k = 0; k < RUN_STREAM_COUNT; k++) {
        FILE *stream = files->streams[k];
        if (stream && (fflush(stream) != 0 || ferror(stream))) {
            char path[RUN_MAX_PATH];
            int error = errno; // may be that of an earlier write
            run_path(path, files->work, stream_names[k]);
            errno = error;
            return cannot_write(path);
        }
    }
    return EXIT_FINE;
}

// A stream of an earlier run, cut to the length it had.
static int reopen(run_files *files, int k, int64_t size) {
    char path[RUN_MAX_PATH];
    struct stat about;
    if (!run_path(path, files->work, stream_names[k])) {
        return EXIT_CANNOT_WRITE;
    }
    files->streams[k] = fopen(path, "r+b");
    if (!files->streams[k] || fstat(fileno(files->streams[k]), &about) != 0 ||
        about.st_size < size) {
        cli_error("run: %s does not fit the checkpoint; run without --resume to start again", path);
        return EXIT_BAD_INPUT;
    }
    if (ftruncate(fileno(files->streams[k]), (off_t)size) != 0 ||
        fseeko(files->streams[k], 0, SEEK_END) != 0) {
        return cannot_write(path);
    }
    return EXIT_FINE;
}

// ---- checkpoints ----------------------------------------------------------------------------

// Brings bytes to the disk, beside their place, and renames.
static int write_safely(const run_files *files, const char *path, const char *beside) {
    errno = 0;
    FILE *file = fopen(beside, "wb");
    bool fine = file && fwrite(files->bytes, 1, files->size, file) == files->size &&
                fflush(file) == 0 && fsync(fileno(file)) == 0;
    int error = errno;
    if (file && fclose(file) != 0 && fine) {
        error = errno;
        fine = false;
    }
    errno = error;
    if (!fine || rename(beside, path) != 0) {
        return cannot_write(path);
    }
    int folder = open(files->work, O_RDONLY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder); // so that the new name is on the disk; not all systems can
        close(folder);
    }
    return EXIT_FINE;
}

int run_files_checkpoint(run_files *files, const td_world *world, const run_done *done) {
    char path[RUN_MAX_PATH], beside[RUN_MAX_PATH];
    checkpoint c;
    int code = run_files_flush(files);
    if (code != EXIT_FINE) {
        return code;
    }
    memset(&c, 0, sizeof c);
    memcpy(c.magic, magic, sizeof magic);
    c.key = files->key;
    c.done = *done;
    for (int k = 0; k < RUN_STREAM_COUNT; k++) {
        if (!files->streams[k]) {
            continue;
        }
        c.sizes[k] = (int64_t)ftello(files->streams[k]);
        if (fsync(fileno(files->streams[k])) != 0) {
            return cannot_write(files->work);
        }
    }
    td_world_save(world, files->bytes + sizeof c);
    memcpy(files->bytes, &c, sizeof c);
    c.sum = run_hash(0, files->bytes + SUMMED_FROM, files->size - SUMMED_FROM);
    memcpy(files->bytes, &c, sizeof c);
    if (!run_path(path, files->work, "checkpoint") ||
        !run_path(beside, files->work, "checkpoint.new")) {
        return EXIT_CANNOT_WRITE;
    }
    code = write_safely(files, path, beside);
    files->saved = files->saved || code == EXIT_FINE;
    return code;
}

static int refuse(const run_files *files, const char *why) {
    cli_error("run: the checkpoint in %s %s; run without --resume to start again", files->work,
              why);
    return EXIT_BAD_INPUT;
}

// Reads files->bytes. Sizes are checked before anything else is believed.
static int read_checkpoint(run_files *files, checkpoint *c, bool *found) {
    char path[RUN_MAX_PATH];
    struct stat about;
    if (!run_path(path, files->work, "checkpoint")) {
        return EXIT_CANNOT_WRITE;
    }
    FILE *file = fopen(path, "rb");
    *found = file != NULL;
    if (!file) {
        return EXIT_FINE;
    }
    memset(c, 0, sizeof *c);
    bool headed = fread(c, 1, sizeof *c, file) == sizeof *c;
    bool sized = fstat(fileno(file), &about) == 0 && about.st_size == (off_t)files->size;
    rewind(file);
    bool whole = headed && sized && fread(files->bytes, 1, files->size, file) == files->size;
    fclose(file);
    if (!headed || memcmp(c->magic, magic, sizeof magic) != 0) {
        return refuse(files, "cannot be read");
    }
    if (c->key != files->key) {
        return refuse(files, "belongs to another scene, or to another --dt or --frames");
    }
    if (!whole) {
        return refuse(files, "belongs to another scene, or a plant of the scene has changed");
    }
    return run_hash(0, files->bytes + SUMMED_FROM, files->size - SUMMED_FROM) == c->sum
               ? EXIT_FINE
               : refuse(files, "is damaged");
}

int run_files_resume(run_files *files, const bool wanted[RUN_STREAM_COUNT], td_world *world,
                     run_done *done, bool *found) {
    checkpoint c;
    td_diag diag;
    int code = read_checkpoint(files, &c, found);
    if (code != EXIT_FINE || !*found) {
        return code;
    }
    if (td_world_restore(world, files->bytes + sizeof c, files->size - sizeof c, &diag) != TD_OK) {
        return refuse(files, "belongs to another scene, or a plant of the scene has changed");
    }
    for (int k = 0; k < RUN_STREAM_COUNT && code == EXIT_FINE; k++) {
        code = wanted[k] ? reopen(files, k, c.sizes[k]) : EXIT_FINE;
    }
    clear_work(files, RUN_MADE); // outputs, of which the last may be half written
    *done = c.done;
    files->saved = true;
    return code;
}
