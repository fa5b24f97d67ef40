// SPDX-License-Identifier: MIT
#pragma once

// Numbers as text.

#include "tendril/base.h"

// Room that tdi_real_write() needs, the final zero included.
#define TDI_REAL_TEXT 40

// Writes a finite number in the fewest digits, of 15 to 17, that read back to it, with a . in any
// locale. Returns its length.
size_t tdi_real_write(td_real value, char text[TDI_REAL_TEXT]);

// Reads a decimal number, [+-] digits [. digits] [e [+-] digits], or the quotient of two such as
// 1/60, from exactly `size` bytes in any locale. False when there is more, less or something else,
// when a part has over 63 characters, and when the value is not finite.
bool tdi_real_read(const char *text, size_t size, td_real *value);
