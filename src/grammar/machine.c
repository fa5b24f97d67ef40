// SPDX-License-Identifier: MIT
// The stack machine for expressions and statements.
//
// Method   One switch over the operations. The compiler has checked that the stack never holds
//          more than TDI_MAX_STACK values. A value that is not finite is a fault at once.

#include "grammar/machine.h"
#include "math/angle.h"

#include <math.h>

#define MAX_TRIALS 1000000 // of biran()

// ---- functions ------------------------------------------------------------------------------

enum {
    FN_SIN,
    FN_COS,
    FN_TAN,
    FN_ASIN,
    FN_ACOS,
    FN_ATAN,
    FN_ATAN2,
    FN_EXP,
    FN_LOG,
    FN_SQRT,
    FN_FABS,
    FN_ABS,
    FN_FLOOR,
    FN_CEIL,
    FN_TRUNC,
    FN_SIGN,
    FN_MIN,
    FN_MAX, // the last whose value follows from its parameters
    FN_RAN,
    FN_NRAN,
    FN_BRAN,
    FN_BIRAN,
    FN_SRAND,
    FN_FUNC,
    FN_CURVE_X,
    FN_CURVE_Y,
    FN_CURVE_Z,
    FN_CURVE_LENGTH,
    FN_STOP, // of cpfg's window: without effect
    FN_COUNT
};

static const tdi_function functions[FN_COUNT] = {
    {"sin", 1},    {"cos", 1},    {"tan", 1},    {"asin", 1},     {"acos", 1},  {"atan", 1},
    {"atan2", 2},  {"exp", 1},    {"log", 1},    {"sqrt", 1},     {"fabs", 1},  {"abs", 1},
    {"floor", 1},  {"ceil", 1},   {"trunc", 1},  {"sign", 1},     {"min", 2},   {"max", 2},
    {"ran", 1},    {"nran", 2},   {"bran", 2},   {"biran", 2},    {"srand", 1}, {"func", 2},
    {"curveX", 2}, {"curveY", 2}, {"curveZ", 2}, {"curveGAL", 1}, {"stop", 1}};

int32_t tdi_function_count(void) {
    return FN_COUNT;
}

const tdi_function *tdi_function_get(int32_t index) {
    return &functions[index];
}

bool tdi_function_is_plain(int32_t index) {
    return index <= FN_MAX;
}

static double degrees(double radians) {
    return radians * (180 / TDI_PI);
}

// a coordinate at the part s of the length, or the length, of a curve counted from 1
static double curve_value(const td_grammar *g, int32_t function, double number, double s) {
    if (!(number >= 1 && number < g->tables.curve_count + 1)) {
        return NAN;
    }
    const tdi_curve *curve = &g->tables.curves[(int32_t)number - 1];
    if (function == FN_CURVE_LENGTH) {
        return curve->length;
    }
    td_vec3 place = tdi_curve_at(curve, s);
    return function == FN_CURVE_X ? place.x : function == FN_CURVE_Y ? place.y : place.z;
}

// The value, or not-a-number where the function has none.
static double call(const tdi_machine *m, int32_t function, double x, double y) {
    switch (function) {
    case FN_SIN: return tdi_sin_degrees(x);
    case FN_COS: return tdi_cos_degrees(x);
    case FN_TAN: return tdi_sin_degrees(x) / tdi_cos_degrees(x);
    case FN_ASIN: return degrees(asin(x));
    case FN_ACOS: return degrees(acos(x));
    case FN_ATAN: return degrees(atan(x));
    case FN_ATAN2: return degrees(atan2(x, y));
    case FN_EXP: return exp(x);
    case FN_LOG: return log(x);
    case FN_SQRT: return sqrt(x);
    case FN_FABS:
    case FN_ABS: return fabs(x);
    case FN_FLOOR: return floor(x);
    case FN_CEIL: return ceil(x);
    case FN_TRUNC: return m->grammar->dialect.cpfg ? floor(x + 0.5) : trunc(x); // as cpfg does it
    case FN_SIGN: return (double)((x > 0) - (x < 0));
    case FN_MIN: return x < y ? x : y;
    case FN_MAX: return x > y ? x : y;
    case FN_RAN: return x * tdi_dice_uniform(m->dice);
    case FN_NRAN: return x + y * tdi_dice_normal(m->dice);
    case FN_BRAN: return x > 0 && y > 0 ? tdi_dice_beta(m->dice, x, y) : NAN;
    case FN_BIRAN:
        if (!(x >= 0 && x <= MAX_TRIALS && y >= 0 && y <= 1)) {
            return NAN;
        }
        return (double)tdi_dice_binomial(m->dice, (int64_t)x, y);
    case FN_FUNC:
        return x >= 1 && x < m->grammar->tables.spline_count + 1
                   ? tdi_spline_value(&m->grammar->tables.splines[(int32_t)x - 1], y)
                   : NAN;
    case FN_CURVE_X:
    case FN_CURVE_Y:
    case FN_CURVE_Z:
    case FN_CURVE_LENGTH: return curve_value(m->grammar, function, x, y);
    case FN_STOP: return 0;
    default: // FN_SRAND
        if (!(x >= 0 && x < 0x1p63)) {
            return NAN;
        }
        tdi_dice_seed(m->dice, (uint64_t)x);
        return x;
    }
}

// ---- faults ---------------------------------------------------------------------------------

static td_status fail_call(const td_grammar *g, const tdi_op *op, double x, double y,
                           td_diag *diag) {
    const tdi_function *f = &functions[op->a];
    size_t at = g->code.op_at[op - g->code.ops];
    if (op->a == FN_FUNC) {
        return tdi_source_fail(&g->source, at, diag, TD_ERR_EVAL,
                               "func(%g, %g): there is no function %g; %d %s declared", x, y, x,
                               g->tables.spline_count, g->tables.spline_count == 1 ? "is" : "are");
    }
    if (f->params == 1) {
        return tdi_source_fail(&g->source, at, diag, TD_ERR_EVAL, "%s(%g) has no value", f->name,
                               x);
    }
    return tdi_source_fail(&g->source, at, diag, TD_ERR_EVAL, "%s(%g, %g) has no value", f->name, x,
                           y);
}

static td_status fail_at(const td_grammar *g, const tdi_op *op, td_diag *diag, const char *text) {
    return tdi_source_fail(&g->source, g->code.op_at[op - g->code.ops], diag, TD_ERR_EVAL, "%s",
                           text);
}

static td_status fail_loops(const td_grammar *g, const tdi_op *op, td_diag *diag) {
    return tdi_source_fail(
        &g->source, g->code.op_at[op - g->code.ops], diag, TD_ERR_LIMIT,
        "this loop passes the limit of loop iterations (max_loops); does it ever end?");
}

// ---- arrays ---------------------------------------------------------------------------------

// The place of an element, from indices[0] .. indices[rank-1]; TD_NONE when one is out of range. In
// models of cpfg the nearest index that is in range takes its place.
static int32_t element_place(const td_grammar *g, const tdi_array *array, const double *indices) {
    int32_t place = 0;
    for (int32_t i = 0; i < array->rank; i++) {
        double index = indices[i];
        if (!(index >= 0 && index < array->size[i])) {
            if (!g->dialect.cpfg) {
                return TD_NONE;
            }
            index = index < array->size[i] ? 0 : array->size[i] - 1;
        }
        place = place * array->size[i] + (int32_t)index;
    }
    return array->first + place;
}

static td_status fail_index(const td_grammar *g, const tdi_op *op, const double *indices,
                            td_diag *diag) {
    const tdi_array *array = &g->array.items[op->a];
    int32_t i = 0;
    while (i < array->rank - 1 && indices[i] >= 0 && indices[i] < array->size[i]) {
        i++;
    }
    return tdi_source_fail(&g->source, g->code.op_at[op - g->code.ops], diag, TD_ERR_EVAL,
                           "index %d of array %s is %g; it must be at least 0 and below %d", i + 1,
                           array->name, indices[i], array->size[i]);
}

// ---- entry ----------------------------------------------------------------------------------

// How many values an operation that prints takes from the stack.
static int32_t values_taken(const td_grammar *g, const tdi_op *op) {
    if (op->code == TDI_CODE_PRINT) {
        return g->code.formats[op->a].arg_count + g->code.formats[op->a].to_file;
    }
    return op->code == TDI_CODE_OPEN ? 0 : 1;
}

// Longer than most functions here: it is one table from operation to effect, and splitting it
// would put the stack pointer into memory.
td_status tdi_machine_run(const tdi_machine *machine, int32_t first, double *slots, double *result,
                          td_diag *diag) {
    const td_grammar *g = machine->grammar;
    const tdi_op *op = g->code.ops + first;
    double stack[TDI_MAX_STACK + 1];
    double *top = stack; // the value on top; stack[0] stands for an empty stack
    stack[0] = 0;
    for (;; op++) {
        switch ((tdi_code)op->code) {
        case TDI_CODE_END:
            if (result) {
                *result = *top;
                if (!isfinite(*top)) {
                    return fail_at(g, op, diag, "the value of this expression is not finite");
                }
            }
            return TD_OK;
        case TDI_CODE_CONSTANT: *++top = op->k; break;
        case TDI_CODE_SLOT: *++top = slots[op->a]; break;
        case TDI_CODE_GLOBAL: *++top = machine->globals[op->a]; break;
        case TDI_CODE_ELEMENT: {
            const tdi_array *array = &g->array.items[op->a];
            top -= array->rank - 1;
            int32_t place = element_place(g, array, top);
            if (place == TD_NONE) {
                return fail_index(g, op, top, diag);
            }
            *top = machine->arrays[place];
            break;
        }
        case TDI_CODE_ADD:
            top--;
            top[0] += top[1];
            break;
        case TDI_CODE_SUB:
            top--;
            top[0] -= top[1];
            break;
        case TDI_CODE_MUL:
            top--;
            top[0] *= top[1];
            break;
        case TDI_CODE_DIV:
            top--;
            if (top[1] == 0 && !g->dialect.cpfg) {
                return fail_at(g, op, diag, "division by zero");
            }
            top[0] /= top[1] != 0 ? top[1] : 1; // as cpfg does
            break;
        case TDI_CODE_MOD:
            top--;
            if (op->a) { // cpfg's, of whole numbers
                top[0] = trunc(top[0]);
                top[1] = trunc(top[1]);
            }
            if (top[1] == 0) {
                return fail_at(g, op, diag, "remainder of a division by zero");
            }
            top[0] = fmod(top[0], top[1]);
            break;
        case TDI_CODE_POW:
            top--;
            top[0] = pow(top[0], top[1]);
            if (!isfinite(top[0])) {
                return fail_at(g, op, diag, "this power has no value");
            }
            break;
        case TDI_CODE_EQ:
            top--;
            top[0] = top[0] == top[1];
            break;
        case TDI_CODE_NE:
            top--;
            top[0] = top[0] != top[1];
            break;
        case TDI_CODE_LT:
            top--;
            top[0] = top[0] < top[1];
            break;
        case TDI_CODE_LE:
            top--;
            top[0] = top[0] <= top[1];
            break;
        case TDI_CODE_GT:
            top--;
            top[0] = top[0] > top[1];
            break;
        case TDI_CODE_GE:
            top--;
            top[0] = top[0] >= top[1];
            break;
        case TDI_CODE_ADD_K: *top += op->k; break;
        case TDI_CODE_SUB_K: *top -= op->k; break;
        case TDI_CODE_MUL_K: *top *= op->k; break;
        case TDI_CODE_DIV_K: *top /= op->k; break;
        case TDI_CODE_NEGATE: *top = -*top; break;
        case TDI_CODE_NOT: *top = *top == 0; break;
        case TDI_CODE_BOOL: *top = *top != 0; break;
        case TDI_CODE_CALL: {
            top -= functions[op->a].params - 1;
            double x = top[0], y = functions[op->a].params > 1 ? top[1] : 0;
            top[0] = call(machine, op->a, x, y);
            if (!isfinite(top[0])) {
                return fail_call(g, op, x, y, diag);
            }
            break;
        }
        case TDI_CODE_SKIP_IF_ZERO:
        case TDI_CODE_SKIP_IF_ONE:
            *top = *top != 0;
            if ((*top != 0) == (op->code == TDI_CODE_SKIP_IF_ONE)) {
                op = g->code.ops + op->a - 1;
            } else {
                top--;
            }
            break;
        case TDI_CODE_SET_SLOT:
        case TDI_CODE_SET_GLOBAL:
            if (!isfinite(*top)) {
                return fail_at(g, op, diag, "the value to be assigned is not finite");
            }
            (op->code == TDI_CODE_SET_SLOT ? slots : machine->globals)[op->a] = *top--;
            break;
        case TDI_CODE_SET_ELEMENT: {
            const tdi_array *array = &g->array.items[op->a];
            double value = *top--;
            top -= array->rank - 1;
            int32_t place = element_place(g, array, top);
            if (place == TD_NONE) {
                return fail_index(g, op, top, diag);
            }
            if (!isfinite(value)) {
                return fail_at(g, op, diag, "the value to be assigned is not finite");
            }
            machine->arrays[place] = value;
            top--;
            break;
        }
        case TDI_CODE_DROP: top--; break;
        case TDI_CODE_PRINT:
        case TDI_CODE_OPEN:
        case TDI_CODE_CLOSE:
        case TDI_CODE_FLUSH: {
            top += 1 - values_taken(g, op);
            TDI_TRY(tdi_print_run(machine, op, top, diag));
            break;
        }
        case TDI_CODE_JUMP_IF_ZERO:
            if (*top-- != 0) {
                break;
            }
            op = g->code.ops + op->a - 1;
            break;
        case TDI_CODE_JUMP: op = g->code.ops + op->a - 1; break;
        case TDI_CODE_LOOP_IF:
            if (*top-- == 0) {
                break;
            }
            // fall through
        case TDI_CODE_LOOP:
            if (--*machine->loops_left < 0) {
                return fail_loops(g, op, diag);
            }
            op = g->code.ops + op->a - 1;
            break;
        }
    }
}
