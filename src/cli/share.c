// SPDX-License-Identifier: MIT
// Files that come with the command.

#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_PATH_SIZE 4096

static bool is_there(const char *folder, const char *between, const char *name, char *path,
                     size_t size) {
    int length = snprintf(path, size, "%s%s/%s", folder, between, name);
    return length > 0 && (size_t)length < size && access(path, R_OK) == 0;
}

// the folder of the running command, where the system tells
static bool own_folder(char folder[MAX_PATH_SIZE]) {
    ssize_t length = readlink("/proc/self/exe", folder, MAX_PATH_SIZE - 1);
    if (length <= 0) {
        return false;
    }
    folder[length] = 0;
    char *slash = strrchr(folder, '/');
    if (slash) {
        *slash = 0;
    }
    return slash != NULL;
}

bool cli_share_file(const char *name, char *path, size_t size) {
    const char *given = getenv("TENDRIL_SHARE");
    if (given && given[0]) {
        return is_there(given, "", name, path, size);
    }
    // in a build, and where it is installed
    char folder[MAX_PATH_SIZE];
    return own_folder(folder) && (is_there(folder, "/share/tendril", name, path, size) ||
                                  is_there(folder, "/../share/tendril", name, path, size));
}
