// SPDX-License-Identifier: MIT
// Files beside the command, and other engines' programs among them.
//
// Method   Each program is started with a pipe for its standard output and prints rows in our
//          form, so that figures of all engines come from one run on one machine.

#include "cases/bench/bench.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_PATH 4096

// ---- files ----------------------------------------------------------------------------------

// The folder of the command, with a slash; empty where the system does not tell.
static void own_folder(char folder[MAX_PATH]) {
    ssize_t length = readlink("/proc/self/exe", folder, MAX_PATH - 1);
    folder[length > 0 ? length : 0] = 0;
    char *slash = strrchr(folder, '/');
    if (slash) {
        slash[1] = 0;
    }
}

bench_files bench_beside(const char *pattern) {
    static const char up[] = "../";
    char folder[MAX_PATH], path[2 * MAX_PATH];
    own_folder(folder);
    glob_t *found = malloc(sizeof *found);
    if (!folder[0] || !found) {
        free(found);
        return (bench_files){NULL, 0, NULL};
    }
    snprintf(path, sizeof path, "%s%s", folder, pattern);
    bool there = glob(path, 0, NULL, found) == 0;
    if (!there && strncmp(pattern, up, strlen(up)) == 0) { // as it is installed
        snprintf(path, sizeof path, "%s../share/tendril/%s", folder, pattern + strlen(up));
        there = glob(path, 0, NULL, found) == 0;
    }
    if (!there) {
        free(found);
        return (bench_files){NULL, 0, NULL};
    }
    return (bench_files){found->gl_pathv, found->gl_pathc, found};
}

void bench_files_free(bench_files *files) {
    if (files->found) {
        globfree(files->found);
        free(files->found);
    }
    *files = (bench_files){NULL, 0, NULL};
}

// ---- peers ----------------------------------------------------------------------------------

// Prints a line if it is a row of the case that runs.
static void print_line(const bench *b, const char *line) {
    char name[32], variant[64], unit[32];
    long long n;
    double value;
    if (sscanf(line,
               "{\"case\":\"%31[^\"]\",\"variant\":\"%63[^\"]\",\"n\":%lld,\"value\":%lf,"
               "\"unit\":\"%31[^\"]\"}",
               name, variant, &n, &value, unit) == 5 &&
        strcmp(name, b->name) == 0) {
        bench_row(b, n, value, unit, "%s", variant);
    }
}

static pid_t start(const char *path, double seconds, int out[2]) {
    char text[32];
    snprintf(text, sizeof text, "%.6g", seconds);
    if (pipe(out) != 0) {
        return -1;
    }
    pid_t child = fork();
    if (child == 0) {
        dup2(out[1], STDOUT_FILENO);
        close(out[0]);
        close(out[1]);
        execl(path, path, "--seconds", text, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    if (child < 0) {
        close(out[0]);
    }
    return child;
}

static bool run_peer(const bench *b, const char *path) {
    int out[2], status = 1;
    char line[512];
    pid_t child = start(path, b->seconds, out);
    FILE *rows = child > 0 ? fdopen(out[0], "r") : NULL;
    while (rows && fgets(line, sizeof line, rows)) {
        print_line(b, line);
    }
    if (rows) {
        fclose(rows);
    }
    if (child > 0) {
        waitpid(child, &status, 0);
    }
    if (status != 0) {
        case_error("bench: %s failed", path);
    }
    return status == 0;
}

bool bench_peers(const bench *b, const char *pattern) {
    bool fine = true;
    bench_files files = bench_beside(pattern);
    for (size_t i = 0; i < files.count; i++) {
        fine = run_peer(b, files.paths[i]) && fine;
    }
    bench_files_free(&files);
    return fine;
}
