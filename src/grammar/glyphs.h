// SPDX-License-Identifier: MIT
#pragma once

// Signs of a printed book in UTF-8, and the plain text that means the same in a model.

#include <stddef.h>

// The length of a Greek letter or of a lowered digit at the start of the text; 0: none.
size_t tdi_glyph_letter(const char *text, size_t size);
size_t tdi_glyph_digit(const char *text, size_t size);

// The length of a sign at the start of the text, with *plain what it stands for; 0: none.
size_t tdi_glyph_plain(const char *text, size_t size, const char **plain);
