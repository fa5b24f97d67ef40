// SPDX-License-Identifier: MIT
#pragma once

/// @file value.h
/// A tree of values, each with its line and column in a text: a scene file after parsing. Any
/// parser can make one with a td_value_builder: the YAML parser of yaml.h, or that of a browser.

#include "tendril/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum td_value_kind {
    TD_VALUE_NULL,
    TD_VALUE_BOOL,
    TD_VALUE_NUMBER,
    TD_VALUE_TEXT,
    TD_VALUE_LIST,
    TD_VALUE_MAP,
} td_value_kind;

#define TD_VALUE_MAX_DEPTH 64 ///< Lists and maps within each other.
#define TD_VALUE_MAX_NODES \
    1000000 ///< In one tree; a value that is repeated by an alias counts each time.
#define TD_VALUE_MAX_KEYS    1000 ///< Of one map.
#define TD_VALUE_MAX_ANCHORS 1000 ///< Of one tree.

/// One node. Read-only; all of a tree is freed together, by td_value_free().
typedef struct td_value {
    td_value_kind kind;
    int32_t line, column;         ///< From 1, the column in bytes; 0: unknown.
    int32_t key_line, key_column; ///< The same for `key`.
    int32_t count;                ///< Of items; 0 for scalars.
    td_real number;               ///< Of a number, always finite; of a bool, 1 or 0.
    const char *text;             ///< A scalar as it was written; "" for lists and maps.
    const char *key;              ///< In a map; NULL elsewhere.
    const struct td_value *items; ///< `count` nodes, in the order of the text.
    const struct td_value_tree *tree;
} td_value;

/// The item of a map with that key; NULL when there is none, and when `value` is no map or NULL.
TD_API const td_value *td_value_get(const td_value *value, const char *key);

/// Frees the tree that `value` belongs to. NULL is allowed.
TD_API void td_value_free(td_value *value);

// ---- building -------------------------------------------------------------------------------

/// Takes a tree in the order of its text: containers begin and end, a map gets a key before each
/// value. The first failure sticks: every call after it returns the same status and does nothing.
typedef struct td_value_builder td_value_builder;

/// `file` and `text` serve messages; both are copied and either may be NULL.
TD_API td_status td_value_builder_new(const char *file, const char *text, size_t size,
                                      const td_alloc *alloc, td_value_builder **out);

TD_API td_status td_value_builder_begin_map(td_value_builder *builder, int32_t line,
                                            int32_t column);
TD_API td_status td_value_builder_begin_list(td_value_builder *builder, int32_t line,
                                             int32_t column);
TD_API td_status td_value_builder_end(td_value_builder *builder);

/// A key that the map has already is refused, with both places.
TD_API td_status td_value_builder_key(td_value_builder *builder, const char *key, size_t size,
                                      int32_t line, int32_t column);
/// Whether a key comes next.
TD_API bool td_value_builder_wants_key(const td_value_builder *builder);

/// A quoted scalar is a text. Any other is null (also: ~, or nothing), true, false, a number such
/// as -1.5e3 or 1/60, or else a text: so are .inf, .nan and numbers too large for a double.
TD_API td_status td_value_builder_scalar(td_value_builder *builder, const char *text, size_t size,
                                         bool quoted, int32_t line, int32_t column);

/// Names the value that comes next, for td_value_builder_alias(). A name can be given again; it
/// stands for its latest value.
TD_API td_status td_value_builder_anchor(td_value_builder *builder, const char *name, int32_t line,
                                         int32_t column);
/// The named value once more.
TD_API td_status td_value_builder_alias(td_value_builder *builder, const char *name, int32_t line,
                                        int32_t column);

/// A fault that the parser has found, with its message. Returns `status`, or that of an earlier
/// failure.
TD_API td_status td_value_builder_fail(td_value_builder *builder, td_status status, int32_t line,
                                       int32_t column, const char *message);

/// Frees the builder and hands over the root; a builder that got no value gives null. On failure
/// *out is NULL and *diag, if given, says what failed and where. NULL as `builder` is
/// TD_ERR_MEMORY.
TD_API td_status td_value_builder_finish(td_value_builder *builder, td_value **out, td_diag *diag);

#ifdef __cplusplus
}
#endif
