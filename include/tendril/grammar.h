// SPDX-License-Identifier: MIT
#pragma once

/// @file grammar.h
/// L-systems: a text is compiled once into a td_grammar, which any number of derivations share.
/// The language is described in docs/guide/language.md.

#include "tendril/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- grammar --------------------------------------------------------------------------------

typedef struct td_grammar td_grammar; ///< Fixed after creation. Safe to read from any thread.

/// Brings in the texts that `#include` names.
typedef struct td_loader {
    /// Reads the text `name`, which the text `from` includes. On TD_OK, *text is a block of *size
    /// bytes from `alloc` that the library frees, and `resolved` holds the name that identifies
    /// the text (used in messages and to detect cycles). A text over max_size is TD_ERR_LIMIT.
    td_status (*read)(void *context, const char *name, const char *from, size_t max_size,
                      const td_alloc *alloc, char **text, size_t *size, char resolved[160]);
    void *context;
} td_loader;

/// One `#define` from outside. It replaces a `#define` of the same name in the text.
typedef struct td_define {
    const char *name;
    const char *value;
} td_define;

/// A model's text. Start from td_grammar_def_default(). All pointers are borrowed for the call.
typedef struct td_grammar_def {
    uint32_t struct_size;     ///< Written by the default function. Leave it alone.
    const char *name;         ///< For messages and relative includes. Default "model".
    const char *text;         ///< text_size bytes; need not end in a zero byte.
    size_t text_size;         ///< Bytes.
    const td_define *defines; ///< define_count of them. Default none.
    int32_t define_count;
    const td_loader *loader; ///< NULL: `#include` is refused.
    size_t max_text;         ///< Limit of the bytes of all texts together. Default 16 MiB.
    /// Name of the view file of cpfg that goes with the model, for the loader. NULL (default): the
    /// one that a file `specifications` beside the model names, else the model's name with the
    /// suffix .v, where the loader has them. The model's own header wins.
    const char *view;
} td_grammar_def;

TD_API td_grammar_def td_grammar_def_default(void);

/// Compiles a text. On failure *out is NULL and `diags`, if given, lists the faults found: all of
/// them, not only the first. On success it lists warnings. Free with td_grammar_free().
TD_API td_status td_grammar_new(const td_grammar_def *def, const td_alloc *alloc, td_grammar **out,
                                td_diag_list *diags);
TD_API void td_grammar_free(td_grammar *grammar); ///< NULL is allowed.

/// `derivation length:` of the text; 0 when it has none.
TD_API int32_t td_grammar_steps(const td_grammar *grammar);

/// Module types are pairs of name and parameter count: A and A(x) differ.
TD_API int32_t td_grammar_type_count(const td_grammar *grammar);
TD_API const char *td_grammar_type_name(const td_grammar *grammar, int32_t type);
TD_API int32_t td_grammar_type_params(const td_grammar *grammar, int32_t type);

// ---- module strings -------------------------------------------------------------------------

/// A view of a string of modules. `params` holds the parameters of all modules in order; how many
/// belong to a module is td_grammar_type_params() of its type.
typedef struct td_string {
    const uint16_t *types;
    const td_real *params;
    int64_t module_count;
    int64_t param_count;
    const struct tdi_variables *variables; ///< The derivation's own, used in drawing.
    const uint64_t *names; ///< A module: its name for life; NULL: td_derive_opts.names was not set.
} td_string;

/// The symbol at a module, as it is read: `~L(1)` is one, also where it is two modules because a
/// production rewrites L. Returns how many modules it takes, and its type.
TD_API int32_t td_symbol_at(const td_grammar *grammar, const td_string *string, int64_t module,
                            int32_t *type);

// ---- derivation -----------------------------------------------------------------------------

/// The turtle as a `?E` module finds it, and the module's parameters to read and to write.
typedef struct td_env_query {
    int32_t step;     ///< Derivation steps done so far.
    int64_t module;   ///< Index of the ?E module in the string.
    td_vec3 position; ///< Turtle units.
    td_vec3 heading, left, up;
    int32_t param_count;
    td_real *params; ///< param_count values, in and out.
} td_env_query;

/// Answers `?E` modules after each step, in string order.
typedef struct td_environment {
    /// Returns 0 to continue; anything else stops the derivation with TD_ERR_STOPPED.
    int (*answer)(void *context, td_env_query *query);
    void *context;
} td_environment;

/// Takes what the statements printf() and fprintf() of a text write.
typedef struct td_print {
    /// `file` is NULL for printf(), else the name that fopen() was given: relative, without "..".
    /// `start` is true once for each fopen(file, "w"), with no text: the file becomes empty.
    /// Returns 0 to continue; anything else stops the derivation with TD_ERR_STOPPED.
    int (*write)(void *context, const char *file, bool start, const char *text, size_t size);
    void *context;
} td_print;

/// Use the seed of the text.
#define TD_SEED_FROM_TEXT (-1)

/// How to derive. Start from td_derive_opts_default().
typedef struct td_derive_opts {
    uint32_t struct_size;
    int64_t seed;        ///< >= 0, or TD_SEED_FROM_TEXT (the default).
    int64_t max_modules; ///< Limit of the modules of a string. Default 50 million.
    size_t max_bytes;    ///< Limit of the bytes of all strings. Default 4 GiB (32 bit: 1 GiB).
    int64_t max_loops;   ///< Limit of loop iterations in statements. Default 100 million.
    td_environment environment; ///< Default: ?E keeps its parameters.
    td_print print;             ///< Default: printed text is dropped.
    bool float_parameters;      ///< Round parameters to single precision, as cpfg stores them, also
                                ///< where the text does not ask for it. Default false.
    /// Modules get names that they keep while the plant grows, so that segments made of them keep
    /// their ids; takes 8 bytes a module and a part of the speed. Default false: segments are
    /// numbered in the order of the string.
    bool names;
} td_derive_opts;

TD_API td_derive_opts td_derive_opts_default(void);

typedef struct td_derivation td_derivation; ///< A string and all that rewriting it needs.

/// Starts from the axiom. The grammar must outlive the derivation.
TD_API td_status td_derivation_new(const td_grammar *grammar, const td_derive_opts *opts,
                                   const td_alloc *alloc, td_derivation **out, td_diag *diag);
TD_API void td_derivation_free(td_derivation *derivation); ///< NULL is allowed.

/// Rewrites every module once. On failure the string is the one before the call.
TD_API td_status td_derivation_step(td_derivation *derivation, td_diag *diag);

/// Runs the text's `End` statements. Call it once, after the last step.
TD_API td_status td_derivation_end(td_derivation *derivation, td_diag *diag);

/// The string so far. Valid until the derivation is next passed as non-const.
TD_API td_string td_derivation_string(const td_derivation *derivation);

/// Modules written by all steps so far, the measure of rewriting speed.
TD_API int64_t td_derivation_written(const td_derivation *derivation);

/// Bytes that the derivation uses now.
TD_API size_t td_derivation_bytes(const td_derivation *derivation);

/// Writes one module as text, such as `F(1.5)`, into `text`; parameters are written so that they
/// read back to the same number. Returns the length without the final zero, cut at size - 1.
TD_API size_t td_module_write(const td_grammar *grammar, int32_t type, const td_real *params,
                              char *text, size_t size);

#ifdef __cplusplus
}
#endif
