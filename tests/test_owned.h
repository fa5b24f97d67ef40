// SPDX-License-Identifier: MIT
#pragma once

#include "tendril/tendril.h"

#include <stdlib.h>
#include <string.h>

// Ownership in tests: `OWNED(td_mesh) *mesh = ...` is freed at the end of its scope, as is `FREED
// char *text = ...`.
#define OWNED(type) __attribute__((cleanup(test_drop_##type))) type
#define FREED       __attribute__((cleanup(test_drop_memory)))

// Makes OWNED work for pointers to a type, and for a fixture that is a value.
#define OWNED_POINTER(type)                               \
    static inline void test_drop_##type(type **pointer) { \
        type##_free(*pointer);                            \
    }
#define OWNED_VALUE(type, call)                        \
    static inline void test_drop_##type(type *value) { \
        call;                                          \
    }

OWNED_POINTER(td_adapt)
OWNED_POINTER(td_analytic)
OWNED_POINTER(td_body)
OWNED_POINTER(td_body_model)
OWNED_POINTER(td_builder)
OWNED_POINTER(td_curve)
OWNED_POINTER(td_derivation)
OWNED_POINTER(td_grammar)
OWNED_POINTER(td_height_field)
OWNED_POINTER(td_island)
OWNED_POINTER(td_mesh)
OWNED_POINTER(td_pool)
OWNED_POINTER(td_scene)
OWNED_POINTER(td_skeleton)
OWNED_POINTER(td_turn_curve)
OWNED_POINTER(td_value)
OWNED_POINTER(td_wind)
OWNED_POINTER(td_world)
OWNED_VALUE(td_bytes, td_bytes_free(value))

static inline void test_drop_memory(void *pointer) {
    void *block;
    memcpy(&block, pointer, sizeof block);
    free(block);
}
