// SPDX-License-Identifier: MIT
#pragma once

// A folder for the files of a test, which is gone when it ends. Needs POSIX: what includes this
// defines _POSIX_C_SOURCE first.

#include "td_test.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

// Four names at a time.
static inline const char *in_folder(const char *name) {
    static char path[4][400];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
    return path[turn];
}

static inline void open_folder(void) {
    static int
        number; // of a process; one of an earlier process with the same number is passed over
    int made = -1;
    for (int tries = 0; made != 0 && tries < 100; tries++) {
        snprintf(folder, sizeof folder, "/tmp/tendril-test-%ld-%d", (long)getpid(), number++);
        made = mkdir(folder, S_IRWXU);
    }
    CHECK_INT(made, 0);
}

// Calls `see` with every file, and returns how many there are.
static inline int walk_folder(void (*see)(const char *path)) {
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] != '.') {
            count++;
            if (see) {
                see(in_folder(entry->d_name));
            }
        }
    }
    if (dir) {
        closedir(dir);
    }
    return count;
}

static inline int folder_count(void) {
    return walk_folder(NULL);
}

static inline void remove_file(const char *path) {
    CHECK_INT(remove(path), 0);
}

static inline void close_folder(void) {
    walk_folder(remove_file);
    CHECK_INT(rmdir(folder), 0);
}

// A test with such a folder.
#define FOLDER_TEST(name)               \
    static void in_folder_##name(void); \
    TD_TEST(name) {                     \
        open_folder();                  \
        in_folder_##name();             \
        close_folder();                 \
    }                                   \
    static void in_folder_##name(void)
