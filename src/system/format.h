// SPDX-License-Identifier: MIT
#pragma once

// Texts by a format: vsnprintf where there is no C library to have it from, or where that of the C
// library is too large to carry along.

#include <stdarg.h>
#include <stddef.h>

// Knows what the library's own formats use: %c, %d, %g, %s, %u, %x and %%, the lengths l, ll and z,
// a width with zeros, and a precision: of %g up to 40 digits, of %s its most characters, of %d only
// 0, which leaves out a 0. Returns the length of the whole text; of it `size` - 1 bytes are written
// and a zero byte after them.
int tdi_format(char *to, size_t size, const char *format, va_list args);
