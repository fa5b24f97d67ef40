// SPDX-License-Identifier: MIT
// A page has no files: what the library asks of them fails, without the C library's imports.
//
// Where the module is linked, the linker's option --wrap=NAME sends each call of NAME, also those
// within the C library, to __wrap_NAME: the names of the C library stay its own.

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

FILE *__wrap_fopen(const char *restrict path, const char *restrict mode) {
    (void)path;
    (void)mode;
    errno = ENOENT;
    return NULL;
}

int __wrap_lstat(const char *restrict path, struct stat *restrict out) {
    (void)path;
    (void)out;
    errno = ENOENT;
    return -1;
}

int __wrap_rename(const char *from, const char *to) {
    (void)from;
    (void)to;
    errno = ENOENT;
    return -1;
}

int __wrap_remove(const char *path) {
    (void)path;
    errno = ENOENT;
    return -1;
}

char *__wrap_strerror(int error) {
    (void)error;
    return "a page has no files";
}
