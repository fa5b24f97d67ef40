// SPDX-License-Identifier: MIT
#pragma once

// Short forms for the rows of the tables.

#include "math/angle.h"

#define KEYED    .keyed = true
#define LIVE     .live = true
#define POSITIVE .high = 1e30, .low_open = true
#define FROM_0   .high = 1e30
#define DEGREES  .unit = "degrees", .scale = TDI_PI / 180
#ifdef TDI_SMALL // what keys mean is for the reference alone
#define DOC(text) .doc = NULL
#else
#define DOC(text) .doc = text
#endif
