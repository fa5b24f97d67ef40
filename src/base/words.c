// SPDX-License-Identifier: MIT
// Distance of words, by Levenshtein's table one row at a time.

#include "tendril/base.h"

#include "base/guard.h"
#include "base/words.h"

#include <stdio.h>
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

// How many letters may differ: one letter of a short word, two of a longer one (letters that
// changed places count as two), or a third of a long one.
static int32_t reach_of(const char *word) {
    const size_t letters = strlen(word);
    return letters < 2 ? 0 : letters < 4 ? 1 : letters < 9 ? 2 : (int32_t)letters / 3;
}

static char small(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static bool same_but_case(const char *a, const char *b) {
    while (*a && small(*a) == small(*b)) {
        a++;
        b++;
    }
    return small(*a) == small(*b);
}

void tdi_word_consider(tdi_near_word *near, const char *name) {
    const int32_t distance =
        same_but_case(near->word, name) ? 0 : td_word_distance(near->word, name);
    if (distance <= reach_of(near->word) && (!near->best || distance < near->distance)) {
        near->best = name;
        near->distance = distance;
    }
}

#define MORE 20 // bytes: " and 1000000 more"

void tdi_words_add(tdi_word_list *l, const char *name) {
    const size_t need = strlen(name) + 2;
    if (l->left_out > 0 || l->length + need + MORE > l->size) {
        l->left_out++;
        return;
    }
    l->length += (size_t)snprintf(l->text + l->length, l->size - l->length, "%s%s",
                                  l->count > 0 ? ", " : "", name);
    l->count++;
}

void tdi_words_end(tdi_word_list *l) {
    if (l->left_out > 0) {
        snprintf(l->text + l->length, l->size - l->length, " and %d more", (int)l->left_out);
    }
}
