// SPDX-License-Identifier: MIT
// The clock of time budgets and timings.

#include "base/clock.h"

#include <time.h>

td_real tdi_clock_seconds(void) {
#if TDI_HAS_CLOCK
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (td_real)now.tv_sec + 1e-9 * (td_real)now.tv_nsec;
#else
    return 0;
#endif
}
