// SPDX-License-Identifier: MIT
#pragma once

// Numbers that several files of this folder share. What one file needs is defined there.

// Line search
#define TDI_SUFFICIENT_DECREASE 1e-4  // of the predicted decrease (Armijo's condition)
#define TDI_MOST_HALVINGS       30    // 2^-30 of an increment moves nothing that can be seen
#define TDI_VALUE_ROUNDING      1e-13 // of the value: a smaller decrease is rounding
#define TDI_SMALL_MOVE          1e-6  // rad or m: the value cannot judge a smaller increment
#define TDI_SMALL_STEP          0.03  // rad or m: there a quadratic model needs no check
#define TDI_SAFE_PART           0.8   // of a free path is tried next, as points move on arcs

// Newton's method
#define TDI_ERROR_LEFT    0.1  // of the tolerance may be left by the last increment
#define TDI_SHIFT_TRIES   40   // by then a shift exceeds every stiffness
#define TDI_SHIFT_GROWS   4.0  // after an increment of which less than SHIFT_CUT was taken
#define TDI_SHIFT_CUT     0.3  // of an increment
#define TDI_SHIFT_SHRINKS 0.25 // after an increment that was taken whole
#define TDI_MOST_SHIFT    1e10 // of the first: no descent is left
#define TDI_SLOW_REST     50   // iterations: statics that take more are tried in another way

// Systems
#define TDI_STATIC_RATE 100.0 // 1/s^2: in statics in place of 1/h^2
#define TDI_VALUE_LEFT  1e-6  // of values: less is what an iteration leaves open
#define TDI_DIFFERENCE  1e-5  // m or rad: for central differences, which are off by its square
