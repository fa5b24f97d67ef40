// SPDX-License-Identifier: MIT
// What the module for pages has in place of parts of the C library: a heap, texts by a format,
// numbers from texts, angles of more than 10^5 turns, and files, of which a page has none. The C
// library's are larger by 33 kB.
//
// Where the module is linked, the linker's option --wrap=NAME sends each call of NAME, also those
// within the C library, to __wrap_NAME: the names of the C library stay its own.

#include "system/decimal.h"
#include "system/format.h"
#include "system/heap.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- memory ---------------------------------------------------------------------------------

#define PAGE        ((size_t)65536) // bytes
#define LEAST_PAGES ((size_t)16)    // at once, if there are as many

extern unsigned char __heap_base; // the linker's: nothing is from here on

static void *more_memory(void *context, size_t *size);
static tdi_heap heap = {.more = more_memory};

// the first time along with what is left of the memory that the module starts with
static void *more_memory(void *context, size_t *size) {
    (void)context;
    uintptr_t start = __builtin_wasm_memory_size(0) * PAGE;
    size_t pages = *size / PAGE + 1;
    if (pages < LEAST_PAGES && __builtin_wasm_memory_grow(0, LEAST_PAGES) != SIZE_MAX) {
        pages = LEAST_PAGES;
    } else if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) {
        return NULL;
    }
    uintptr_t end = start + pages * PAGE;
    if (!heap.end) {
        start = ((uintptr_t)&__heap_base + 15) / 16 * 16;
    }
    *size = end - start;
    return (void *)start;
}

void *__wrap_malloc(size_t size) {
    return tdi_heap_take(&heap, size);
}

void *__wrap_calloc(size_t count, size_t size) {
    void *block = size == 0 || count <= SIZE_MAX / size ? __wrap_malloc(count * size) : NULL;
    return block ? memset(block, 0, count * size) : NULL;
}

void *__wrap_realloc(void *block, size_t size) {
    return tdi_heap_resize(&heap, block, size);
}

void __wrap_free(void *block) {
    tdi_heap_give(&heap, block);
}

// ---- texts ----------------------------------------------------------------------------------

int __wrap_vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list args) {
    return tdi_format(to, size, format, args);
}

int __wrap_snprintf(char *restrict to, size_t size, const char *restrict format, ...) {
    va_list args;
    va_start(args, format);
    int length = tdi_format(to, size, format, args);
    va_end(args);
    return length;
}

double __wrap_strtod(const char *restrict text, char **restrict end) {
    (void)end; // nobody asks
    return tdi_decimal_read(text);
}

// ---- large angles ---------------------------------------------------------------------------

// What sine and cosine need of an angle a above 1.6e6 rad: n quarter turns, and y that is left. The
// C library brings 6 kB of digits of pi for angles up to 1e308; here 2 pi = hi + lo, and fmod is
// exact, so that y is right to 1e-16 + 1e-32 a. `x` has the angle in pieces of 24 bits, the first
// times 2^e.
int __wrap___rem_pio2_large(double *x, double *y, int e, int count, int precision) {
    const double hi = 6.283185307179586, lo = 2.4492935982947064e-16;
    double a = 0;
    (void)precision;
    for (int i = 0; i < count; i++) {
        a += ldexp(x[i], e - 24 * i);
    }
    double left = fmod(a, hi), turns = floor(a / hi);
    int n = (int)(4 * left / hi + 0.5);
    y[0] = left - n * (hi / 4) - (turns + n / 4.0) * lo;
    y[1] = 0;
    return n & 7;
}

// ---- files ----------------------------------------------------------------------------------

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
