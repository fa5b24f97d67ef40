// SPDX-License-Identifier: MIT
// Distance of words, by Levenshtein's table one row at a time.

#include "tendril/base.h"

#include "base/guard.h"

#include <string.h>

#define MAX_LETTERS 63

int32_t td_word_distance(const char *a, const char *b) {
    if (!a || !b) {
        return 0;
    }
    int32_t row[MAX_LETTERS + 1];
    size_t na = strlen(a), nb = strlen(b);
    if (na > MAX_LETTERS || nb > MAX_LETTERS) {
        return MAX_LETTERS + 1;
    }
    for (size_t j = 0; j <= nb; j++) {
        row[j] = (int32_t)j;
    }
    for (size_t i = 1; i <= na; i++) {
        int32_t corner = row[0];
        row[0] = (int32_t)i;
        for (size_t j = 1; j <= nb; j++) {
            int32_t change = corner + (a[i - 1] != b[j - 1]);
            int32_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            corner = row[j];
            row[j] = change < other ? change : other;
        }
    }
    return row[nb];
}
