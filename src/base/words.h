// SPDX-License-Identifier: MIT
#pragma once

// Words that look alike, for "did you mean".

#include "tendril/base.h"

// Fewest insertions, deletions and replacements of letters between two words of up to 63 letters;
// longer ones are far from everything.
int32_t tdi_word_distance(const char *a, const char *b);
