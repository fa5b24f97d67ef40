// SPDX-License-Identifier: MIT
#pragma once

// Structs described by tables: filled from a tree of values, read and set by path, documented.
//
// A table says for each key of a map where its value goes, what it may be and what it means. The
// same rows serve the reader of scenes, the timeline, the viewers and the reference in docs/.
//
//     typedef struct wind { td_real speed; td_vec3 towards; int32_t profile; } wind;
//     typedef struct load { int32_t kind; union { wind wind; pull pull; } as; } load;
//     typedef struct scene { td_real step; load *loads; int32_t load_count; } scene;
//
//     static const tdi_choice profiles[] = {{"even", 0, "the same everywhere"},
//                                           {"rough", 1, "less near the ground"}, {0}};
//     static const tdi_scene_field wind_fields[] = {
//         {"speed", TDI_SCENE_REAL, offsetof(wind, speed), .unit = "m/s", .high = 100,
//          .keyed = true, .doc = "How fast the air moves."},
//         {"towards", TDI_SCENE_VEC3, offsetof(wind, towards), .def = {1, 0, 0},
//          .doc = "Where it blows to."},
//         {"profile", TDI_SCENE_CHOICE, offsetof(wind, profile), .choices = profiles,
//          .doc = "How the speed grows with height."},
//         {0}};
//     static const tdi_scene_table wind_table = {"wind", sizeof(wind), wind_fields,
//                                                .doc = "Moving air."};
//     // a list item is a map with one key, which names the kind:  - wind: {speed: 3}
//     static const tdi_scene_field load_fields[] = {
//         {"wind", TDI_SCENE_MAP, offsetof(load, as.wind), .tag = LOAD_WIND,
//          .table = &wind_table},
//         {"pull", TDI_SCENE_MAP, offsetof(load, as.pull), .tag = LOAD_PULL,
//          .table = &pull_table},
//         {0}};
//     static const tdi_scene_table load_table = {"load", sizeof(load), load_fields,
//                                                .one_of = true, .tag = offsetof(load, kind)};
//     static const tdi_scene_field scene_fields[] = {
//         {"step", TDI_SCENE_REAL, offsetof(scene, step), .unit = "s", .def = {1.0 / 60},
//          .high = 1, .low_open = true, .doc = "Time of one step."},
//         {"loads", TDI_SCENE_LIST, offsetof(scene, loads), .table = &load_table,
//          .count = offsetof(scene, load_count), .doc = "What acts on the objects."},
//         {0}};
//     static const tdi_scene_table scene_table = {"scene", sizeof(scene), scene_fields,
//                                                 .doc = "All of it."};
//
//     scene s;
//     tdi_fields result;
//     status = tdi_fields_fill(&scene_table, value, &s, alloc, &result, &diags);
//     ... s.loads[1].as.wind.speed; result.tracks ...
//     status = tdi_fields_set(&scene_table, &s, "loads[1].wind.speed", 4, &diag);
//     tdi_fields_free(&result); // with everything that s points to

#include "base/alloc.h"
#include "tendril/curve.h"
#include "tendril/value.h"

// ---- tables ---------------------------------------------------------------------------------

typedef enum tdi_scene_kind {
    TDI_SCENE_REAL,     // td_real
    TDI_SCENE_INT,      // int32_t
    TDI_SCENE_BOOL,     // bool
    TDI_SCENE_BITS,     // uint32_t: a list of bits, 0 to 31, or `all`
    TDI_SCENE_TEXT,     // const char *, never empty; NULL by default
    TDI_SCENE_CHOICE,   // int32_t or an enum: the value of one of `choices`
    TDI_SCENE_VEC3,     // td_vec3: a list of 3 numbers
    TDI_SCENE_ROTATION, // td_quat: {axis: [x, y, z], degrees: d} or a list [w, x, y, z]
    TDI_SCENE_MAP,      // the struct of `table`, in place
    TDI_SCENE_LIST,     // pointer to `count` structs of `table`, or to values of `item`
    TDI_SCENE_VALUE,    // const td_value *, as it stands; NULL by default
} tdi_scene_kind;

// Ends with a name of NULL.
typedef struct tdi_choice {
    const char *name;
    int32_t value;
    const char *doc; // a few words; NULL: the name says it
} tdi_choice;

typedef struct tdi_scene_table tdi_scene_table;

// One key. Numbers are in the unit that is written; the struct holds `scale` times as much.
typedef struct tdi_scene_field {
    const char *key;
    tdi_scene_kind kind;
    size_t offset;
    const char *unit;          // "m/s"; NULL: none
    td_real def[4];            // default: number, 0 or 1, value of a choice, x y z
    td_real low, high;         // of a number and each component; both 0: any
    bool low_open;             // it must be above `low`
    bool required;             // no default
    bool keyed;                // REAL, VEC3, ROTATION: may change over time
    bool live;                 // no keys, but it may be set while the world moves
    size_t along;              // REAL: offset of a td_along, by which it may change along a strand
    td_real scale;             // 0 stands for 1; TDI_PI / 180 for degrees
    const tdi_choice *choices; // of CHOICE
    // Of TEXT: the k-th text there is, false when there are no more; NULL: any text goes.
    bool (*names)(int32_t k, tdi_choice *name);
    const tdi_scene_table *table;       // of MAP and LIST
    const struct tdi_scene_field *item; // of a LIST without table: its items, at offset 0
    size_t count;                       // of LIST: offset of an int32_t
    int32_t max_count;                  // of LIST; 0: any
    size_t given;                       // offset of a bool: the key was there; 0: no such bool
    int32_t tag;                        // in a table that is one_of
    size_t ability;  // offset of a bool of td_solver_info: only solvers with it take the key
    const char *doc; // one line
} tdi_scene_field;

// The rows end with a key of NULL.
struct tdi_scene_table {
    const char *name; // in messages and as a heading
    size_t size;      // of the struct
    const tdi_scene_field *fields;
    const char *doc;
    void (*init)(void *object); // writes all defaults, instead of `def`; NULL: the rows do
    bool one_of;                // the map has one key, and its row's `tag` goes to the struct
    size_t tag;                 // offset of an int32_t or enum, when one_of
    bool sized;                 // the struct begins with its struct_size
};

// The row with that key of `size` bytes, or NULL.
const tdi_scene_field *tdi_table_field(const tdi_scene_table *table, const char *key, size_t size);

// The key that looks most like `key`, or NULL.
const char *tdi_table_nearest(const tdi_scene_table *table, const char *key);

// What a number in the struct is over the number that is written.
td_real tdi_field_scale(const tdi_scene_field *field);

// Bytes of a value of a kind, and of one item of a LIST.
size_t tdi_kind_size(tdi_scene_kind kind);
size_t tdi_item_size(const tdi_scene_field *list);

// Whether a row allows the number, in the written unit.
bool tdi_field_admits(const tdi_scene_field *field, td_real number);

// Whether a row of kind TEXT allows it.
bool tdi_field_takes_text(const tdi_scene_field *field, const char *text);

// "a number above 0 and at most 1", "one of tree, rod": what a row allows.
#define TDI_EXPECTS_TEXT 220
const char *tdi_field_expects(const tdi_scene_field *field, char text[TDI_EXPECTS_TEXT]);

// ---- filling --------------------------------------------------------------------------------

// A field that changes over time, written
// {keys: [[t, value], ...], interpolate: smooth | linear | step, repeat: true | false}.
// A td_curve or td_turn_curve can be made of it; the key that a fault of theirs names is item
// diag.index of td_value_get(value, "keys").
typedef struct tdi_track {
    td_real *place;        // in the struct; holds the first value
    int32_t components;    // 1, 3 or 4 (w x y z)
    int32_t key_count;     // at least 1; 2 with repeat
    const td_real *times;  // s, rising
    const td_real *values; // `components` a key, in the struct's unit
    const td_vec3 *turns;  // of a rotation with an axis and an angle in every key: both, in rad
    td_interpolation interpolation;
    bool repeat;
    const tdi_scene_field *field;
    const td_value *value; // in the scene; not to be used when that is freed
} tdi_track;

// What goes with a filled struct.
typedef struct tdi_fields {
    tdi_arena arena; // owns lists, texts and tracks
    tdi_track *tracks;
    int32_t track_count;
    int64_t track_capacity;
} tdi_fields;

// The default of one row, written to its place in `object`.
void tdi_field_default(const tdi_scene_field *field, void *object);

// All defaults; lists are empty.
void tdi_fields_defaults(const tdi_scene_table *table, void *object);

// Fills `object`, of table->size bytes, which must not move while tracks point into it. All faults
// go to `diags` (NULL is allowed), up to 100; any makes it TD_ERR_SYNTAX, with `object` zeroed and
// nothing to free. `value` may be freed afterwards: only tracks and rows that are a TDI_SCENE_VALUE
// point to it.
td_status tdi_fields_fill(const tdi_scene_table *table, const td_value *value, void *object,
                          const td_alloc *alloc, tdi_fields *out, td_diag_list *diags);
void tdi_fields_free(tdi_fields *fields); // empty is allowed

// ---- paths ----------------------------------------------------------------------------------

#define TDI_PATH 160 // bytes: longer than any path there is

// A number or vector found by its path, such as "loads[1].wind.speed" or "gravity.y".
typedef struct tdi_field_place {
    const tdi_scene_field *field;
    void *at;
    int32_t components; // 1; 3 for a whole vector, 4 for a rotation
} tdi_field_place;

// TD_ERR_ARGUMENT when there is no such thing; the message says which part is wrong.
td_status tdi_fields_find(const tdi_scene_table *table, void *object, const char *path,
                          tdi_field_place *out, td_diag *diag);

// One number in the written unit: a real, whole number or bool, or a component of a vector. A
// value out of the field's range is refused and changes nothing.
td_status tdi_fields_get(const tdi_scene_table *table, const void *object, const char *path,
                         td_real *value, td_diag *diag);
td_status tdi_fields_set(const tdi_scene_table *table, void *object, const char *path,
                         td_real value, td_diag *diag);

// The value at a path of the scene; where the path goes further than the scene, the last value on
// the way. For faults that are found later: tdi_value_fail() takes it.
const td_value *tdi_fields_where(const td_value *root, const char *path);

// ---- walking --------------------------------------------------------------------------------

// Called for a row and its place; `path` is that of tdi_fields_find(). `field` is NULL for an item
// of a list whose kind is not in its table. False ends the walk.
typedef bool (*tdi_field_visit)(void *context, const tdi_scene_field *field, void *at,
                                const char *path);

// Visits all rows but maps, and all that maps and lists lead to; a list comes before its items.
void tdi_fields_walk(const tdi_scene_table *table, void *object, tdi_field_visit visit,
                     void *context);

// ---- copying --------------------------------------------------------------------------------

// Copies all that the rows say, with texts and lists, into `arena`; counts must be right. What no
// row names has its default in the copy. Values that are a TDI_SCENE_VALUE are not copied: the copy
// points to the same. False: out of memory.
bool tdi_fields_copy(const tdi_scene_table *table, const void *from, void *to, tdi_arena *arena);

// ---- reference ------------------------------------------------------------------------------

// Takes the next piece of a text.
typedef void (*tdi_text_sink)(void *context, const char *text, size_t size);

// Writes the table and all that it leads to as Markdown, a section each. `level` is the number of
// # before a heading.
td_status tdi_fields_reference(const tdi_scene_table *table, int32_t level, const td_alloc *alloc,
                               tdi_text_sink sink, void *context);
