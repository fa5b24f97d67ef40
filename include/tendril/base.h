// SPDX-License-Identifier: MIT
#pragma once

/// @file base.h
/// What every other header needs: numbers, status codes, diagnostics, the allocator.
///
/// Units are SI and angles are radians unless a comment says otherwise. Axes are right-handed with
/// +Y up. The library never prints, exits or touches a file unless it is asked to.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The version of these headers; td_version() is that of the library that is linked.
#define TD_VERSION_MAJOR 0
#define TD_VERSION_MINOR 1
#define TD_VERSION_PATCH 0
/// To compare: TD_VERSION_NUMBER >= 200 is 0.2.0 or later.
#define TD_VERSION_NUMBER (TD_VERSION_MAJOR * 10000 + TD_VERSION_MINOR * 100 + TD_VERSION_PATCH)

#if defined(_WIN32) && !defined(TD_STATIC)
#define TD_API __declspec(dllexport)
#elif defined(__GNUC__)
#define TD_API __attribute__((visibility("default")))
#else
#define TD_API
#endif

/// In place of TD_API on what may still change from one minor version to the next. A program that
/// defines TD_STABLE_ONLY before it includes Tendril is warned where it uses such a function.
#if defined(TD_STABLE_ONLY) && defined(__GNUC__)
#define TD_API_UNSTABLE TD_API __attribute__((deprecated("not stable yet")))
#else
#define TD_API_UNSTABLE TD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef double td_real;

typedef struct td_vec3 {
    td_real x, y, z;
} td_vec3;

/// Unit quaternion, w + xi + yj + zk.
typedef struct td_quat {
    td_real w, x, y, z;
} td_quat;

/// Symmetric 3x3 matrix.
typedef struct td_sym3 {
    td_real xx, yy, zz, xy, xz, yz;
} td_sym3;

/// "No such index".
#define TD_NONE (-1)

// ---- status ---------------------------------------------------------------------------------

/// Every status of the library with its text: the only list there is.
#define TD_STATUS_LIST(X)                                                           \
    X(TD_OK, "ok")                                                                  \
    X(TD_ERR_MEMORY, "out of memory")                                               \
    X(TD_ERR_ARGUMENT, "an argument is not allowed")                                \
    X(TD_ERR_DEF, "an options struct was not filled by its default function")       \
    X(TD_ERR_SYNTAX, "the text or scene is not valid")                              \
    X(TD_ERR_EVAL, "an expression has no value")                                    \
    X(TD_ERR_STRUCTURE, "the string does not describe a valid plant")               \
    X(TD_ERR_LIMIT, "a limit was reached")                                          \
    X(TD_ERR_DIVERGED, "the simulation did not converge, or a value is not finite") \
    X(TD_ERR_STOPPED, "stopped on request")                                         \
    X(TD_ERR_READ, "cannot read")                                                   \
    X(TD_ERR_WRITE, "cannot write")                                                 \
    X(TD_ERR_STALE, "the id names nothing that is there")                           \
    X(TD_ERR_BLOCKED, "something is in the way")

/// Define TD_CHECK_STATUS, and clang warns where a status is ignored.
#if defined(TD_CHECK_STATUS) && defined(__clang__)
#define TD_CHECKED __attribute__((warn_unused_result))
#else
#define TD_CHECKED
#endif

typedef enum TD_CHECKED td_status {
#define TD_STATUS_ENTRY(name, text) name,
    TD_STATUS_LIST(TD_STATUS_ENTRY)
#undef TD_STATUS_ENTRY
} td_status;

/// The text of a status. Never NULL, also for numbers that are no status.
TD_API const char *td_status_text(td_status status);

// ---- diagnostics ----------------------------------------------------------------------------

/// One fault, with its place in the text it came from.
typedef struct td_diag {
    td_status status;
    int32_t line;      ///< From 1; 0 when the fault has no place in a text.
    int32_t column;    ///< From 1, in bytes.
    int32_t index;     ///< Module or segment concerned, or TD_NONE.
    char file[160];    ///< Name as given to the library; "" when there is none.
    char message[320]; ///< One sentence, no final stop: the error and the expected input.
    char source[120];  ///< The line of text around the fault, cut to fit; "" when there is none.
    int32_t caret;     ///< Offset in `source` of the character at `column`.
} td_diag;

/// A caller's buffer for several faults. Functions append to it, errors before warnings, so that
/// calls can share one; set `count` to 0 to empty it. `count` may exceed `capacity`: the rest
/// was dropped.
/// An item whose status is TD_OK is a warning: the call did its work all the same.
typedef struct td_diag_list {
    td_diag *items;
    int32_t capacity;
    int32_t count;
} td_diag_list;

// ---- memory ---------------------------------------------------------------------------------

/// Where memory comes from. A NULL `const td_alloc *` anywhere means the C heap.
/// The allocator must outlive everything made with it.
typedef struct td_alloc {
    /// Grows, shrinks, makes (block NULL, old_size 0) or frees (new_size 0) a block.
    /// Returns NULL on failure, leaving the old block as it was, and NULL after freeing.
    /// Blocks are aligned for any type.
    void *(*resize)(void *context, void *block, size_t old_size, size_t new_size);
    void *context;
} td_alloc;

// ---- version --------------------------------------------------------------------------------

/// "major.minor.patch" of the library that is linked.
TD_API const char *td_version(void);

/// Fewest insertions, deletions and replacements of letters between two words of up to 63 letters,
/// for "did you mean"; longer ones are far from everything.
TD_API int32_t td_word_distance(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
