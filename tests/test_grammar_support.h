// SPDX-License-Identifier: MIT
#pragma once

// Shared by the tests of the grammar layer: from a model's text to its string, its faults, its
// turtle.

#include "td_test.h"

#include <stdio.h>

// A model and its derivation, or the faults that prevent them.
typedef struct test_model {
    td_grammar *grammar;
    td_derivation *derivation;
    td_status status;  // of what failed first
    td_diag faults[8]; // of the text, or one of the derivation
    int32_t fault_count;
    int32_t warning_count; // of a text without faults; they are in `faults`
} test_model;

static inline void test_model_free(test_model *m) {
    td_derivation_free(m->derivation);
    td_grammar_free(m->grammar);
    m->derivation = NULL;
    m->grammar = NULL;
}
OWNED_VALUE(test_model, test_model_free(value))

// compiles `def` and derives `steps` steps; faults are left in the model
static inline test_model test_model_of(const td_grammar_def *def, const td_derive_opts *opts,
                                       int32_t steps, const td_alloc *alloc) {
    test_model m;
    memset(&m, 0, sizeof m);
    td_diag_list list = {m.faults, 8, 0};
    m.status = td_grammar_new(def, alloc, &m.grammar, &list);
    m.fault_count = list.count;
    m.warning_count = m.status == TD_OK ? list.count : 0;
    if (m.status == TD_OK) {
        m.status = td_derivation_new(m.grammar, opts, alloc, &m.derivation, &m.faults[0]);
        m.fault_count = m.status != TD_OK;
    }
    for (int32_t i = 0; i < steps && m.status == TD_OK; i++) {
        m.status = td_derivation_step(m.derivation, &m.faults[0]);
        m.fault_count = m.status != TD_OK;
    }
    return m;
}

static inline td_grammar_def test_def(const char *text) {
    td_grammar_def def = td_grammar_def_default();
    def.text = text;
    def.text_size = strlen(text);
    return def;
}

static inline test_model test_model_text(const char *text, int32_t steps) {
    td_grammar_def def = test_def(text);
    td_derive_opts opts = td_derive_opts_default();
    return test_model_of(&def, &opts, steps, NULL);
}

// the same, which must work: a failure is reported with its message
static inline test_model test_model_good(const char *text, int32_t steps) {
    test_model m = test_model_text(text, steps);
    if (m.status != TD_OK) {
        test_failed(__FILE__, __LINE__, "%d:%d: %s\n  in: %s", m.faults[0].line, m.faults[0].column,
                    m.faults[0].message, text);
    }
    return m;
}

// ---- strings --------------------------------------------------------------------------------

// the string as text, or the first fault's message after "fault: "; valid until the next call
static inline const char *test_string_of(const test_model *m) {
    static char text[1 << 16];
    text[0] = 0;
    if (m->status != TD_OK) {
        snprintf(text, sizeof text, "fault: %s", m->faults[0].message);
        return text;
    }
    td_string s = td_derivation_string(m->derivation);
    const td_real *params = s.params;
    size_t length = 0;
    for (int64_t i = 0; i < s.module_count; i++) {
        length +=
            td_module_write(m->grammar, s.types[i], params, text + length, sizeof text - length);
        params += td_grammar_type_params(m->grammar, s.types[i]);
    }
    return text;
}

static inline const char *test_derived(const char *text, int32_t steps) {
    OWNED(test_model) m = test_model_text(text, steps);
    const char *string = test_string_of(&m);
    return string;
}

// the string of a text after so many steps
#define CHECK_DERIVED(text, steps, want) CHECK_TEXT(test_derived(text, steps), want)

// how many modules of the string have this name
static inline int64_t test_count(const test_model *m, const char *name) {
    int64_t count = 0;
    td_string s = m->derivation ? td_derivation_string(m->derivation) : (td_string){0};
    for (int64_t i = 0; i < s.module_count; i++) {
        count += strcmp(td_grammar_type_name(m->grammar, s.types[i]), name) == 0;
    }
    return count;
}

// parameter `index` of the whole string, counted from its end for negative numbers
static inline double test_param(const test_model *m, int64_t index) {
    td_string s = m->derivation ? td_derivation_string(m->derivation) : (td_string){0};
    index += index < 0 ? s.param_count : 0;
    return index >= 0 && index < s.param_count ? s.params[index] : (double)NAN;
}

// ---- expressions ----------------------------------------------------------------------------

// the value of an expression; not-a-number, with a failure, when it has none
static inline double test_value(const char *expression) {
    char text[1024];
    snprintf(text, sizeof text, "axiom: V(%s)\n", expression);
    OWNED(test_model) m = test_model_good(text, 0);
    double value = test_param(&m, 0);
    return value;
}

// ---- the turtle -----------------------------------------------------------------------------

typedef struct test_frame {
    td_vec3 p, h, l, u;
} test_frame;

// where the turtle stands after `string`, as the queries tell it; `header` may be ""
static inline test_frame test_turtle_in(const char *header, const char *string) {
    char text[8192];
    snprintf(text, sizeof text, "%s\naxiom: %s?P(0,0,0)?H(0,0,0)?L(0,0,0)?U(0,0,0)\n", header,
             string);
    OWNED(test_model) m = test_model_good(text, 0);
    double v[12];
    for (int i = 0; i < 12; i++) {
        v[i] = test_param(&m, i - 12);
    }
    return (test_frame){
        {v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}, {v[9], v[10], v[11]}};
}

static inline test_frame test_turtle(const char *string) {
    return test_turtle_in("", string);
}

#define CHECK_VEC(got, want_x, want_y, want_z, tolerance)                                     \
    do {                                                                                      \
        td_vec3 v_ = (got);                                                                   \
        double wx_ = (want_x), wy_ = (want_y), wz_ = (want_z);                                \
        double d_ = fmax(fabs(v_.x - wx_), fmax(fabs(v_.y - wy_), fabs(v_.z - wz_)));         \
        CHECK_SAY(d_ <= (tolerance), "%s = (%.17g, %.17g, %.17g), wanted (%g, %g, %g)", #got, \
                  v_.x, v_.y, v_.z, wx_, wy_, wz_);                                           \
    } while (0)

// ---- faults ---------------------------------------------------------------------------------

// A text and the fault it must give: status, line, column and a part of the message.
typedef struct test_fault {
    const char *text;
    td_status status;
    int32_t line, column; // 0: no place
    const char *message;
} test_fault;

static inline void test_one_fault(const test_model *m, const test_fault *want, const char *file,
                                  int line) {
    const td_diag *d = &m->faults[0];
    test_check(m->status == want->status && m->fault_count >= 1 && d->status == want->status &&
                   d->line == want->line && d->column == want->column &&
                   strstr(d->message, want->message),
               file, line, "got status %d, fault %d %d:%d \"%s\"; wanted %d %d:%d \"%s\" in:\n%s",
               m->status, d->status, d->line, d->column, d->message, want->status, want->line,
               want->column, want->message, want->text);
}

// the drawn length of the string
static inline td_real test_drawn_length(const test_model *m) {
    td_totals totals = {0};
    td_diag diag = {0};
    td_string s = m->derivation ? td_derivation_string(m->derivation) : (td_string){0};
    if (!m->derivation ||
        td_totals_from_string(m->grammar, &s, NULL, NULL, &totals, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "no totals: %s", diag.message);
    }
    return totals.length;
}

// A text that compiles, and its first warning.
typedef struct test_warning {
    const char *text;
    int32_t line, column;
    const char *message;
} test_warning;

static inline void test_one_warning(const test_warning *want, const char *file, int line) {
    td_diag diag = {0};
    td_diag_list list = {&diag, 1, 0};
    td_grammar_def def = test_def(want->text);
    OWNED(td_grammar) *grammar = NULL;
    td_status status = td_grammar_new(&def, NULL, &grammar, &list);
    test_check(
        status == TD_OK && list.count >= 1 && diag.status == TD_OK && diag.line == want->line &&
            diag.column == want->column && strstr(diag.message, want->message),
        file, line, "got status %d, warning %d:%d \"%s\"; wanted %d:%d \"%s\" in:\n%s", status,
        diag.line, diag.column, diag.message, want->line, want->column, want->message, want->text);
}

#define CHECK_WARNINGS(rows)                                               \
    do {                                                                   \
        for (size_t i_ = 0; i_ < sizeof(rows) / sizeof((rows)[0]); i_++) { \
            test_one_warning(&(rows)[i_], __FILE__, __LINE__);             \
        }                                                                  \
    } while (0)

// compiles and derives each text, `steps` steps, and compares the first fault
#define CHECK_FAULTS(rows, steps)                                          \
    do {                                                                   \
        for (size_t i_ = 0; i_ < sizeof(rows) / sizeof((rows)[0]); i_++) { \
            test_model m_ = test_model_text((rows)[i_].text, (steps));     \
            test_one_fault(&m_, &(rows)[i_], __FILE__, __LINE__);          \
            test_model_free(&m_);                                          \
        }                                                                  \
    } while (0)
