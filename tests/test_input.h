// SPDX-License-Identifier: MIT
#pragma once

// Numbers of structs that are spoiled one at a time, and the refusals that must come of it.

#include "td_test.h"

#include <stddef.h>

// One number of a struct, and what the message must say when it is spoiled.
typedef struct number {
    const char *name;
    size_t offset;
} number;

#define NUMBER(type, field, name) \
    { name, offsetof(type, field) }
#define VECTOR(type, field, name) \
    NUMBER(type, field.x, name), NUMBER(type, field.y, name), NUMBER(type, field.z, name)
#define QUATERNION(type, field, name) NUMBER(type, field.w, name), VECTOR(type, field, name)
#define COUNT_OF(array)               ((int)(sizeof(array) / sizeof((array)[0])))

// what no number may be
static const double no_numbers[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};

static inline void spoil(void *at, const number *n, double value) {
    memcpy((char *)at + n->offset, &value, sizeof value);
}

static inline void check_refusal(td_status got, td_status want, const td_diag *diag,
                                 const char *name, double value) {
    CHECK_SAY(got == want && diag->status == want && strstr(diag->message, name),
              "%s = %g gives \"%s\", \"%s\"", name, value, td_status_text(got), diag->message);
}
