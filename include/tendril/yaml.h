// SPDX-License-Identifier: MIT
#pragma once

/// @file yaml.h
/// Values from YAML, of which JSON is a part. Lives in a library of its own, tendril_yaml, so that
/// tendril itself needs nothing else.

#include "tendril/value.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Whether the library was built with libyaml.
TD_API bool td_yaml_built(void);

/// Reads one document in UTF-8. `file` is for messages and may be NULL. Anchors and aliases work;
/// a second document, tags and keys that are no text are refused. A text without a document gives
/// null. libyaml takes its own memory from the C heap. Free with td_value_free().
/// On failure *out is NULL, and *diag, if given, has place, line and message.
/// TD_ERR_ARGUMENT when the library was built without libyaml.
TD_API td_status td_value_from_yaml(const char *text, size_t size, const char *file,
                                    const td_alloc *alloc, td_value **out, td_diag *diag);

#ifdef __cplusplus
}
#endif
