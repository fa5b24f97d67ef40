// SPDX-License-Identifier: MIT
#pragma once

#include "tendril/base.h"

// Seconds of a clock that never goes back, from some start. TDI_HAS_CLOCK tells whether there is
// one: a WebAssembly module has none, and gets 0.
#ifdef __wasm__
#define TDI_HAS_CLOCK 0
#else
#define TDI_HAS_CLOCK 1
#endif
td_real tdi_clock_seconds(void);
