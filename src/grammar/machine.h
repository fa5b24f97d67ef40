// SPDX-License-Identifier: MIT
#pragma once

// Runs the code of expressions and statements.

#include "grammar/dice.h"
#include "grammar/model.h"

typedef enum tdi_code {
    TDI_CODE_END,
    TDI_CODE_CONSTANT, // push k
    TDI_CODE_SLOT,     // push slots[a]
    TDI_CODE_GLOBAL,
    TDI_CODE_ELEMENT, // pop the indices, push the element of array a
    TDI_CODE_ADD,
    TDI_CODE_SUB,
    TDI_CODE_MUL,
    TDI_CODE_DIV,
    TDI_CODE_MOD,
    TDI_CODE_POW,
    TDI_CODE_EQ,
    TDI_CODE_NE,
    TDI_CODE_LT,
    TDI_CODE_LE,
    TDI_CODE_GT,
    TDI_CODE_GE,
    TDI_CODE_ADD_K, // with a constant on the right
    TDI_CODE_SUB_K,
    TDI_CODE_MUL_K,
    TDI_CODE_DIV_K, // k is not 0
    TDI_CODE_NEGATE,
    TDI_CODE_NOT,
    TDI_CODE_BOOL,
    TDI_CODE_CALL,         // function a
    TDI_CODE_SKIP_IF_ZERO, // && : leave 0 and jump to a, or pop
    TDI_CODE_SKIP_IF_ONE,  // || : leave 1 and jump to a, or pop
    TDI_CODE_SET_SLOT,     // pop
    TDI_CODE_SET_GLOBAL,
    TDI_CODE_SET_ELEMENT, // pop the value, then the indices
    TDI_CODE_DROP,        // pop
    TDI_CODE_PRINT,       // format a: pop its arguments, push 0
    TDI_CODE_OPEN,        // push the number of file a, which is written anew, or on if k is 1
    TDI_CODE_CLOSE,       // pop a file's number, push 0
    TDI_CODE_FLUSH,
    TDI_CODE_JUMP,
    TDI_CODE_JUMP_IF_ZERO, // pop
    TDI_CODE_LOOP,         // jump backwards
    TDI_CODE_LOOP_IF,      // pop; jump backwards unless 0
} tdi_code;

typedef struct tdi_function {
    const char *name;
    int32_t params;
} tdi_function;

// The functions of the language; the index is the number that TDI_CODE_CALL takes.
int32_t tdi_function_count(void);
const tdi_function *tdi_function_get(int32_t index);
// Whether its value follows from its parameters alone.
bool tdi_function_is_plain(int32_t index);

typedef struct tdi_machine {
    const td_grammar *grammar;
    double *globals;
    double *arrays;
    tdi_dice *dice;
    int64_t *loops_left;
    const td_print *print; // NULL: what is printed is dropped
    uint8_t *file_open;    // a file of the grammar
    bool single;           // parameters have single precision
} tdi_machine;

// Runs from operation `first` to its end. `result` may be NULL for statements.
td_status tdi_machine_run(const tdi_machine *machine, int32_t first, double *slots, double *result,
                          td_diag *diag);

// ---- printing, in print.c -------------------------------------------------------------------

// Runs one of the operations that print. Its values stand from `base` on, and so does its result.
td_status tdi_print_run(const tdi_machine *machine, const tdi_op *op, double *base, td_diag *diag);
