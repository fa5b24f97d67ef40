// SPDX-License-Identifier: MIT
#pragma once

// A compiled L-system: what the parser fills, and derivation and turtle read.

#include "base/alloc.h"
#include "cpfg/curve.h"
#include "cpfg/spline.h"
#include "grammar/source.h"
#include "grammar/tropism.h"
#include "grammar/turtle.h"
#include "tendril/grammar.h"

#define TDI_MAX_PARAMS 32    // of a module
#define TDI_MAX_SLOTS  128   // names in a production
#define TDI_MAX_TYPES  65535 // module types
#define TDI_MAX_STACK  64    // values in an expression

// globals that every model has: cpfg's Q, the number of the step, and Z, the derivation length
enum { TDI_GLOBAL_STEP, TDI_GLOBAL_LENGTH };

// ---- module types ---------------------------------------------------------------------------

// What the turtle does at a module. Types with the same name share it.
typedef enum tdi_turtle_op {
    TDI_OP_NONE,
    TDI_OP_PREFIX,    // ~ or ? with its letter in a module of its own; see split.c
    TDI_OP_SUB_OPEN,  // ?(n, s): L-system n, at scale s
    TDI_OP_SUB_CLOSE, // $ in files with several L-systems
    TDI_OP_IGNORED,   // a command of cpfg that means nothing here: labels, textures, ...
    TDI_OP_DRAW,      // F
    TDI_OP_DRAW_G,    // G: like F, but no corner of a polygon
    TDI_OP_MOVE,      // f
    TDI_OP_MOVE_G,    // g
    TDI_OP_YAW_LEFT,  // +
    TDI_OP_YAW_RIGHT, // -
    TDI_OP_PITCH_DOWN,
    TDI_OP_PITCH_UP,
    TDI_OP_ROLL_LEFT,
    TDI_OP_ROLL_RIGHT,
    TDI_OP_ABOUT_FACE,
    TDI_OP_UPRIGHT, // @v, $
    TDI_OP_SET_HEADING,
    TDI_OP_MOVE_TO,
    TDI_OP_PUSH,
    TDI_OP_POP,
    TDI_OP_CUT,
    TDI_OP_WIDTH_DOWN,
    TDI_OP_WIDTH_UP,
    TDI_OP_COLOR_UP,
    TDI_OP_COLOR_DOWN,
    TDI_OP_POLYGON_OPEN,
    TDI_OP_POLYGON_POINT,
    TDI_OP_POLYGON_CLOSE,
    TDI_OP_CYLINDER_START,
    TDI_OP_CYLINDER_POINT,
    TDI_OP_CYLINDER_END,
    TDI_OP_CYLINDER_TANGENT,
    TDI_OP_CYLINDER_SLOPE,
    TDI_OP_CONTOUR, // @#
    TDI_OP_SURFACE,
    TDI_OP_BALL,
    TDI_OP_DISC,
    TDI_OP_PATCH_START, // @PS
    TDI_OP_PATCH_POINT, // @PC
    TDI_OP_PATCH_DRAW,  // @PD
    TDI_OP_TROPISM_STRENGTH,
    TDI_OP_TROPISM_MORE, // _, @Ti
    TDI_OP_TROPISM_LESS, // @Td with a number; with a direction it sets that
    TDI_OP_TROPISM_OFF,
    TDI_OP_UNTWIST, // @Tp
    TDI_OP_TWISTED, // @Tf
    TDI_OP_SCALE,
    TDI_OP_SCALE_UP,
    TDI_OP_SCALE_DOWN,
    TDI_OP_CUT_IF, // @mc
    TDI_OP_MATERIAL,
    TDI_OP_QUERY_P,
    TDI_OP_QUERY_H,
    TDI_OP_QUERY_L,
    TDI_OP_QUERY_U,
    TDI_OP_QUERY_E,
} tdi_turtle_op;

typedef struct tdi_type {
    char name[6];
    uint8_t op;     // tdi_turtle_op
    int8_t surface; // of TDI_OP_SURFACE: index into the header's surfaces
    int32_t param_count;
    bool ignored; // by context matching
    bool made;    // the axiom or a successor holds it
} tdi_type;

// the same in every grammar, so that sweeps can test for them by number
enum { TDI_TYPE_PUSH, TDI_TYPE_POP, TDI_TYPE_CUT };

// ---- code -----------------------------------------------------------------------------------

// Expressions and statements are runs of operations for a stack machine; see code.c, machine.c.
typedef struct tdi_op {
    int32_t code;
    int32_t a; // slot, function, array or place to jump to
    double k;  // constant
} tdi_op;

typedef struct tdi_array { // a global array, rows last
    char name[32];
    int32_t rank;
    int32_t size[4];
    int32_t first; // place among the values of all arrays
} tdi_array;

// The text of a printf or fprintf, with its conversions.
typedef struct tdi_format {
    const char *text;
    int32_t arg_count;
    bool to_file; // the file's number stands before the arguments
} tdi_format;

// A file that fopen names; its number in expressions is its index.
typedef struct tdi_file {
    const char *name;
} tdi_file;

// A module's parameter in a successor: most are a constant or a name, and need no machine.
typedef enum tdi_arg_kind { TDI_ARG_CONSTANT, TDI_ARG_SLOT, TDI_ARG_CODE } tdi_arg_kind;
typedef struct tdi_arg {
    tdi_arg_kind kind;
    int32_t a; // slot or first operation
    double k;
} tdi_arg;

// ---- productions ----------------------------------------------------------------------------

typedef struct tdi_words { // a string with expressions: a successor or the axiom
    uint16_t *types;
    int32_t module_count;
    tdi_arg *args;
    int32_t arg_count;
} tdi_words;

// Modules with formal parameters: a strict predecessor or a context. TDI_TYPE_PUSH and TDI_TYPE_POP
// are branches, TDI_REST is the rest of one.
typedef struct tdi_context {
    uint16_t *types;
    int32_t count;
    int32_t first_slot;
    int32_t param_count; // of all modules
    bool literal;        // of a right context: brackets match brackets, one by one
} tdi_context;

#define TDI_REST UINT16_MAX // '=' in a right context

typedef struct tdi_production {
    uint16_t predecessor; // first module of the strict predecessor
    tdi_context strict, left, right;
    tdi_context made;    // left context in the string that is being made
    int32_t bound_count; // slots bound by matching; locals follow
    int32_t slot_count;
    int32_t before, condition, after, weight; // first operation, or TD_NONE
    bool plain;                               // nothing to test, nothing to run: always applies
    tdi_words successor;
    uint32_t at; // place in the source
} tdi_production;

typedef struct tdi_section {
    tdi_production *productions; // sorted by predecessor, file order within
    int32_t count;
    int32_t *first; // type_count + 1: the productions of a type are first[t] .. first[t+1]
    int32_t max_depth;
    int64_t seed;             // TD_SEED_FROM_TEXT: none given
    bool has_left, has_right; // contexts that need neighbours
    bool has_made;
    bool has_weights;
    int32_t max_bucket; // most productions of one type
} tdi_section;

// ---- grammar --------------------------------------------------------------------------------

typedef struct tdi_turtle_header {
    td_real angle; // degrees, of a turn without parameter
    bool angle_given;
    td_real step;  // of an F without parameter
    td_real width; // < 0: none given
    td_real width_increment;
    int32_t color; // TD_NONE: none given
    int32_t color_increment;
    td_vec3 tropism; // unit
    td_real elasticity;
    td_real elasticity_increment; // of `_` without parameter
    tdi_tropism tropisms[TDI_MAX_TROPISMS];
    int32_t tropism_count;    // of those that have a number
    td_real scale;            // of lengths, widths and sizes
    td_real scale_multiplier; // of @Di and @Dd without parameter
    bool pixels;              // widths of lines count pixels, so they are not used
    bool past_cut;            // the rest of a branch is drawn after a '%'
} tdi_turtle_header;

typedef struct tdi_fusion { // a symbol such as ~L(t) that is taken apart
    uint16_t parts[2], whole;
} tdi_fusion;

typedef struct tdi_symbols {
    tdi_type *types;
    int32_t type_count;
    tdi_fusion *fusions;
    int32_t fusion_count;
} tdi_symbols;

typedef struct tdi_program { // code of all expressions and statements
    tdi_op *ops;
    uint32_t *op_at; // places of the operations in the source
    int32_t op_count;
    tdi_format *formats;
    int32_t format_count;
    tdi_file *files; // that statements write
    int32_t file_count;
} tdi_program;

typedef struct tdi_arrays {
    tdi_array *items;
    int32_t count, value_count;
    double *values; // at the start
} tdi_arrays;

// An L-system's own variables among all of the file.
typedef struct tdi_own_variables {
    int32_t global_first, global_end;
    int32_t array_first, array_end; // values of arrays
} tdi_own_variables;

typedef struct tdi_phases { // first operations of blocks, or TD_NONE
    int32_t start, start_each, end_each, end;
} tdi_phases;

typedef struct tdi_rules {
    tdi_words axiom;
    uint32_t axiom_at;
    tdi_section rewrite, decompose, draw;
} tdi_rules;

typedef struct tdi_dialect {
    bool cpfg;             // a model of cpfg, by its suffix .l: its arithmetic too
    bool float_parameters; // rounded to single precision
    bool cpfg_random;      // ran() and its kin draw cpfg's numbers
} tdi_dialect;

// Header items of bodies.
typedef struct tdi_body_items {
    tdi_header_item *materials, *surfaces;
    int32_t viewed_surface_count; // surfaces of the view file come first
    int32_t *palette_index;
    uint32_t *palette_color;
} tdi_body_items;

// Functions for func(), curves for curveX() and the like, cross-sections for @#.
typedef struct tdi_tables {
    tdi_spline *splines;
    int32_t spline_count;
    int64_t spline_capacity;
    tdi_curve *curves;
    int32_t curve_count;
    int64_t curve_capacity;
    tdi_contour *contours;
    int64_t contour_capacity;
} tdi_tables;

typedef struct tdi_context_rule {
    bool listed[128]; // characters of ignore: or consider:
    bool lists, ignores;
    bool opening_ignored, closing_ignored; // '[' and ']', by right contexts
} tdi_context_rule;

struct td_grammar {
    tdi_arena arena; // owns everything below
    const td_alloc *alloc;
    tdi_source source;
    int32_t told; // errors in the caller's list that are not of this text
    tdi_symbols symbols;
    tdi_program code;
    int32_t global_count;
    tdi_arrays array;
    int32_t id; // number of the L-system
    tdi_own_variables own;
    td_grammar **systems; // all L-systems of the file; the first is this one
    int32_t system_count; // at least 1
    int64_t seed;         // TD_SEED_FROM_TEXT: none given
    int32_t steps;
    tdi_phases phases;
    tdi_rules rules;
    bool has_query;
    tdi_dialect dialect;
    tdi_turtle_header turtle;
    tdi_body_header body; // points to the arrays of `items`
    tdi_body_items items;
    tdi_tables tables;
    tdi_context_rule context;
    bool ring; // the string's ends are neighbours
};

// The symbol of several characters whose parts `types` start with: how many parts, 1 when there is
// none, and its type.
int32_t tdi_fuse(const td_grammar *g, const uint16_t *types, int64_t count, uint16_t *whole);

// The place of L-system `number` among all of the file, or TD_NONE.
int32_t tdi_system_find(const td_grammar *g, double number);

// Whether a module belongs to the branch and L-system that a '%' before it cuts. `depth` and
// `systems` count what has been opened since.
static inline bool tdi_in_branch(const td_grammar *g, uint16_t type, int64_t *depth,
                                 int64_t *systems) {
    *depth += (type == TDI_TYPE_PUSH) - (type == TDI_TYPE_POP);
    *systems += (g->symbols.types[type].op == TDI_OP_SUB_OPEN) -
                (g->symbols.types[type].op == TDI_OP_SUB_CLOSE);
    return *depth >= 0 && *systems >= 0;
}

// The string's variables: td_string has them as an opaque pointer.
typedef struct tdi_variables {
    const double *globals;
    const double *arrays;
    const struct tdi_uses *uses; // of sub-L-systems, in the order of the string's '?'
    const struct tdi_dice *dice;
    int64_t seed; // TD_SEED_FROM_TEXT: not stochastic
    bool single;  // parameters have single precision
} tdi_variables;
