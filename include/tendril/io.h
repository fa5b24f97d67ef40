// SPDX-License-Identifier: MIT
#pragma once

/// @file io.h
/// Files in and out. Everything is written beside its place and renamed into it, so that a reader
/// never sees half a file.

#include "tendril/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A block of bytes from the allocator that was given. Free with td_bytes_free().
typedef struct td_bytes {
    uint8_t *data;
    size_t size;
    const td_alloc *alloc;
} td_bytes;

TD_API void td_bytes_free(td_bytes *bytes); ///< NULL and empty are allowed; empties it.

/// Reads a whole file, "-" is standard input. Over max_size bytes: TD_ERR_LIMIT.
TD_API td_status td_file_read(const char *path, size_t max_size, const td_alloc *alloc,
                              td_bytes *out, td_diag *diag);

/// Writes a whole file, "-" is standard output.
TD_API td_status td_file_write(const char *path, const void *data, size_t size, td_diag *diag);

/// The file of a model: the path itself, or, for a folder that has a file `specifications` as in
/// the Virtual Laboratory, the L-system that it starts cpfg with.
TD_API td_status td_file_model(const char *path, char model[160], td_diag *diag);

/// Reads `#include "name"` relative to the including file. A folder stands for its model.
TD_API td_loader td_file_loader(void);

/// The string as text, with no spaces and a final line feed.
TD_API td_status td_string_text(const td_grammar *grammar, const td_string *string,
                                const td_alloc *alloc, td_bytes *out);

/// The skeleton as JSON; docs/guide/formats.md describes it.
TD_API td_status td_skeleton_json(const td_skeleton *skeleton, const td_alloc *alloc,
                                  td_bytes *out);

/// The mesh as binary glTF 2.0, one node `name` with one primitive a part.
TD_API td_status td_mesh_glb(const td_mesh *mesh, const char *name, const td_alloc *alloc,
                             td_bytes *out);

/// A table of numbers, comma-separated, as SVG: one chart for all columns with the same unit. The
/// first line has the headings, such as `tip.x [m]`; the first column is time in s. Empty cells,
/// `nan` and `inf` are gaps. `file` names the text in messages.
TD_API td_status td_plot_svg(const char *text, size_t size, const char *file, const char *title,
                             const td_alloc *alloc, td_bytes *out, td_diag *diag);
/// The same as PDF, one page. Letters beyond Latin-1 become question marks.
TD_API td_status td_plot_pdf(const char *text, size_t size, const char *file, const char *title,
                             const td_alloc *alloc, td_bytes *out, td_diag *diag);

#ifdef __cplusplus
}
#endif
