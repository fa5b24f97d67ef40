// SPDX-License-Identifier: MIT

#include "base/assert.h"

#if TDI_ASSERTS

#include <stdio.h>
#include <stdlib.h>

void tdi_assert_failed(const char *file, int line, const char *expression) {
    fprintf(stderr, "%s:%d: broken: %s\n", file, line, expression);
    abort();
}

#endif
