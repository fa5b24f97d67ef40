// SPDX-License-Identifier: MIT
#pragma once

// "Did you mean": the word of a list that is near enough to one that is not there.

#include "tendril/base.h"

// Begin with the word alone, and consider all of the list.
typedef struct tdi_near_word {
    const char *word;
    const char *best; // NULL: none is near
    int32_t distance;
} tdi_near_word;

void tdi_word_consider(tdi_near_word *near, const char *name);

// "one of a, b, c and 4 more": names as far as there is room. Begin with text, size and the length
// of what the text holds; end it.
typedef struct tdi_word_list {
    char *text;
    size_t size, length;
    int32_t count, left_out;
} tdi_word_list;

void tdi_words_add(tdi_word_list *list, const char *name);
void tdi_words_end(tdi_word_list *list);
