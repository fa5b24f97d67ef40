// SPDX-License-Identifier: MIT
#pragma once

// Doubles as decimal digits and back, exactly: what printf and strtod need where there is no C
// library to have them from, or where those of the C library are too large to carry along.

#define TDI_DECIMAL_DIGITS 800 // of any double, written out in full, and of a half of its last bit

// The `count` first digits of a finite positive value, rounded as printf rounds: to the nearest,
// and to an even digit when that is not decided. Returns the power of ten of the first digit.
int tdi_decimal_write(double value, int count, char *digits);

// The nearest double to a number such as "-12.5e-3", and to an even last bit when that is not
// decided. Reads as far as the number goes; 0 when there is none.
double tdi_decimal_read(const char *text);
