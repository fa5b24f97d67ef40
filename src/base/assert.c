// SPDX-License-Identifier: MIT
// Broken assertions, and who hears of them.

#include "base/assert.h"

#include "tendril/hooks.h"

static td_assert_hook hook;
static void *hook_context;

void td_set_assert_hook(td_assert_hook function, void *context) {
    hook = function;
    hook_context = context;
}

bool td_has_asserts(void) {
    return TDI_ASSERTS;
}

#if TDI_ASSERTS

#include <stdio.h>
#include <stdlib.h>

void tdi_assert_failed(const char *file, int line, const char *expression) {
    if (hook) {
        hook(hook_context, file, line, expression);
    } else {
        fprintf(stderr, "%s:%d: broken: %s\n", file, line, expression);
    }
    abort();
}

#endif
