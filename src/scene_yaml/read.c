// SPDX-License-Identifier: MIT
// Values from YAML, by the events of libyaml.
//
// Method   Every event is one call of a td_value_builder, which has the limits and finds what is
//          wrong with the values. libyaml counts characters, we count bytes: a cursor that follows
//          the events turns one into the other. What libyaml finds wrong is said in our words: it
//          gives what it was about to do (its context) and what stopped it (its problem), each with
//          a place, and a table has a sentence for every problem and the better one of the places.
// Limits   Those of the builder, and the size of the text. libyaml's stacks grow with the depth,
//          which the builder stops at once.

#include "scene_yaml/arguments.h"

#include <yaml.h>

#include <stdio.h>
#include <string.h>

#define MAX_TEXT ((size_t)64 << 20) // bytes: far more than a scene, and columns fit an int32_t

// A place in the text, moving forward.
typedef struct cursor {
    size_t index;  // in characters
    size_t offset; // in bytes
    size_t line_start;
    int32_t line;
} cursor;

typedef struct reader {
    const char *text;
    size_t size;
    yaml_parser_t parser;
    td_value_builder *builder;
    cursor at;
    int32_t documents;
} reader;

// ---- places ---------------------------------------------------------------------------------

static void move_on(const reader *r, cursor *c) {
    if (r->text[c->offset] == '\n') {
        c->line++;
        c->line_start = c->offset + 1;
    }
    c->offset++;
    while (c->offset < r->size && ((unsigned char)r->text[c->offset] & 0xc0) == 0x80) {
        c->offset++;
    }
    c->index++;
}

static void move_to_index(const reader *r, cursor *c, size_t index) {
    if (index < c->index) {
        *c = (cursor){.line = 1};
    }
    while (c->index < index && c->offset < r->size) {
        move_on(r, c);
    }
}

static cursor place_of_byte(const reader *r, size_t byte) {
    cursor c = {.line = 1};
    while (c.offset < byte && c.offset < r->size) {
        move_on(r, &c);
    }
    return c;
}

static int32_t column_of(const cursor *c) {
    return (int32_t)(c->offset - c->line_start) + 1;
}

// ---- faults ---------------------------------------------------------------------------------

typedef enum place { AT_PROBLEM, AT_CONTEXT, IN_CONTAINER } place;

typedef struct sentence {
    const char *problem;
    place place; // IN_CONTAINER: at the problem, and the message names where the container begins
    const char *message;
} sentence;

static const char no_tags[] = "tags such as !!str are not supported; expected a plain value";
static const char no_directive[] =
    "this line that begins with % is not understood; expected %YAML 1.2 or none at all";
static const char not_utf8[] = "this byte is not UTF-8; expected text in UTF-8";
static const char quotes_ahead[] =
    "this character cannot begin a value; expected quotes around a text that begins with it";
static const char open_quotes[] =
    "the quoted text that begins here has no end; expected a closing quote";
static const char no_tab[] = "a tab cannot indent; expected spaces";

static const sentence sentences[] = {
    {"could not find expected ':'", AT_CONTEXT, "expected ':' and a value after this key"},
    {"did not find expected ',' or ']'", IN_CONTAINER, "expected ',' or ']' in the list"},
    {"did not find expected ',' or '}'", IN_CONTAINER, "expected ',' or '}' in the map"},
    {"did not find expected '-' indicator", IN_CONTAINER, "expected '-' and an item of the list"},
    {"did not find expected key", IN_CONTAINER,
     "expected a key, indented as the others, of the map"},
    {"did not find expected node content", AT_PROBLEM, "expected a value here"},
    {"did not find expected <document start>", AT_PROBLEM,
     "expected the end of the text; what stands above is complete"},
    {"block sequence entries are not allowed in this context", AT_PROBLEM,
     "an item cannot begin here; expected '-' as the first on its line"},
    {"mapping keys are not allowed in this context", AT_PROBLEM,
     "a key cannot stand here; expected it as the first on its line"},
    {"mapping values are not allowed in this context", AT_PROBLEM,
     "a ':' cannot stand here; expected quotes around a text that has one, or another indentation"},
    {"found unexpected ':'", AT_PROBLEM,
     "a ':' cannot stand here; expected quotes around a text that has one"},
    {"found unexpected end of stream", AT_CONTEXT, open_quotes},
    {"found unexpected document indicator", AT_CONTEXT, open_quotes},
    {"found unknown escape character", AT_PROBLEM,
     "this escape is not known; expected one such as \\n, \\t, \\\" or \\\\"},
    {"did not find expected hexdecimal number", AT_PROBLEM,
     "expected hexadecimal digits in this escape"},
    {"found invalid Unicode character escape code", AT_PROBLEM,
     "this escape stands for no character; expected one of Unicode"},
    {"found a tab character that violates indentation", AT_PROBLEM, no_tab},
    {"found a tab character where an indentation space is expected", AT_PROBLEM, no_tab},
    {"found an indentation indicator equal to 0", AT_PROBLEM, "expected an indentation of 1 to 9"},
    {"did not find expected comment or line break", AT_PROBLEM, "expected the end of the line"},
    {"did not find expected alphabetic or numeric character", AT_CONTEXT,
     "expected a name of letters and digits after this & or *"},
    {"control characters are not allowed", AT_PROBLEM,
     "this is a control character; expected text alone"},
    {"input is too long", AT_PROBLEM, "the text is too long"},
};

// problems that come in many kinds
static const sentence bad_directive = {"", AT_CONTEXT, no_directive};
static const sentence bad_tag = {"", AT_CONTEXT, no_tags};
static const sentence bad_byte = {"", AT_PROBLEM, not_utf8};
static const sentence bad_start = {"", AT_PROBLEM, quotes_ahead};
static const sentence unknown = {"", AT_PROBLEM,
                                 "this is no valid YAML; expected a list, a map or a value"};

static const sentence *find_sentence(const char *context, const char *problem) {
    for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++) {
        if (strcmp(sentences[i].problem, problem) == 0) {
            return &sentences[i];
        }
    }
    if (strstr(context, "directive") || strstr(problem, "directive") ||
        strstr(problem, "YAML document")) {
        return &bad_directive;
    }
    if (strstr(context, " tag") || strstr(problem, "tag handle")) {
        return &bad_tag;
    }
    if (strstr(problem, "UTF-8") || strstr(problem, "Unicode character")) {
        return &bad_byte;
    }
    return strstr(problem, "cannot start any token") ? &bad_start : &unknown;
}

static td_status fail_at(reader *r, const cursor *c, td_status status, const char *message) {
    return td_value_builder_fail(r->builder, status, c->line, column_of(c), message);
}

// libyaml has stopped
static td_status parser_failed(reader *r) {
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "", *context = p->context ? p->context : "";
    const sentence *said = find_sentence(context, problem);
    cursor at = {.line = 1}, start = {.line = 1};
    if (p->error == YAML_MEMORY_ERROR) {
        return fail_at(r, &at, TD_ERR_MEMORY, td_status_text(TD_ERR_MEMORY));
    }
    if (p->error == YAML_READER_ERROR) {
        at = place_of_byte(r, p->problem_offset);
    } else {
        bool at_context = said->place == AT_CONTEXT && p->context;
        move_to_index(r, &at, at_context ? p->context_mark.index : p->problem_mark.index);
    }
    bool tab = said == &bad_start && at.offset < r->size && r->text[at.offset] == '\t';
    if (said->place != IN_CONTAINER || !p->context) {
        return fail_at(r, &at, TD_ERR_SYNTAX, tab ? no_tab : said->message);
    }
    char message[160];
    move_to_index(r, &start, p->context_mark.index);
    snprintf(message, sizeof message, "%s that begins at line %d, column %d", said->message,
             (int)start.line, (int)column_of(&start));
    return fail_at(r, &at, TD_ERR_SYNTAX, message);
}

// ---- events ---------------------------------------------------------------------------------

static td_status begin_document(reader *r) {
    if (r->documents++ > 0) {
        return fail_at(r, &r->at, TD_ERR_SYNTAX,
                       "a second document begins here; expected one alone");
    }
    return TD_OK;
}

// what a list, map, scalar or alias has in common
static td_status check_node(reader *r, const yaml_char_t *tag, const yaml_char_t *anchor,
                            bool scalar) {
    if (tag) {
        return fail_at(r, &r->at, TD_ERR_SYNTAX, no_tags);
    }
    bool key = td_value_builder_wants_key(r->builder);
    if (key && (anchor || !scalar)) {
        return fail_at(r, &r->at, TD_ERR_SYNTAX, "a key must be a plain text; expected a word");
    }
    if (anchor) {
        return td_value_builder_anchor(r->builder, (const char *)anchor, r->at.line,
                                       column_of(&r->at));
    }
    return TD_OK;
}

static td_status take_scalar(reader *r, const yaml_event_t *event) {
    const char *text = (const char *)event->data.scalar.value;
    size_t size = event->data.scalar.length;
    bool quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    int32_t line = r->at.line, column = column_of(&r->at);
    td_status status = check_node(r, event->data.scalar.tag, event->data.scalar.anchor, true);
    if (status != TD_OK) {
        return status;
    }
    if (td_value_builder_wants_key(r->builder)) {
        return td_value_builder_key(r->builder, text, size, line, column);
    }
    return td_value_builder_scalar(r->builder, text, size, quoted, line, column);
}

static td_status take_event(reader *r, const yaml_event_t *event) {
    move_to_index(r, &r->at, event->start_mark.index);
    int32_t line = r->at.line, column = column_of(&r->at);
    td_status status = TD_OK;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT: return begin_document(r);
    case YAML_SCALAR_EVENT: return take_scalar(r, event);
    case YAML_ALIAS_EVENT:
        status = check_node(r, NULL, NULL, false);
        return status != TD_OK
                   ? status
                   : td_value_builder_alias(r->builder, (const char *)event->data.alias.anchor,
                                            line, column);
    case YAML_SEQUENCE_START_EVENT:
        status =
            check_node(r, event->data.sequence_start.tag, event->data.sequence_start.anchor, false);
        return status != TD_OK ? status : td_value_builder_begin_list(r->builder, line, column);
    case YAML_MAPPING_START_EVENT:
        status =
            check_node(r, event->data.mapping_start.tag, event->data.mapping_start.anchor, false);
        return status != TD_OK ? status : td_value_builder_begin_map(r->builder, line, column);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return td_value_builder_end(r->builder);
    default: return TD_OK;
    }
}

static void read_events(reader *r) {
    td_status status = TD_OK;
    for (bool ended = false; status == TD_OK && !ended;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) {
            parser_failed(r);
            return;
        }
        ended = event.type == YAML_STREAM_END_EVENT;
        status = take_event(r, &event);
        yaml_event_delete(&event);
    }
}

// ---- entry ----------------------------------------------------------------------------------

bool td_yaml_built(void) {
    return true;
}

td_status td_value_from_yaml(const char *text, size_t size, const char *file, const td_alloc *alloc,
                             td_value **out, td_diag *diag) {
    if (tdi_yaml_check(text, size, out, diag) != TD_OK) {
        return TD_ERR_ARGUMENT;
    }
    static const char mark[] = "\xef\xbb\xbf"; // some editors begin a file in UTF-8 with it
    size_t skip = size >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    bool fits = size <= MAX_TEXT;
    reader r = {.text = size > 0 ? text + skip : "", .size = size - skip, .at = {.line = 1}};
    if (td_value_builder_new(file, r.text, fits ? r.size : 0, alloc, &r.builder) != TD_OK) {
        return td_value_builder_finish(NULL, out, diag);
    }
    if (!fits) {
        td_value_builder_fail(r.builder, TD_ERR_LIMIT, 1, 1, "the text has more than 64 MiB");
    } else if (!yaml_parser_initialize(&r.parser)) {
        td_value_builder_fail(r.builder, TD_ERR_MEMORY, 1, 1, td_status_text(TD_ERR_MEMORY));
    } else {
        yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text, r.size);
        read_events(&r);
        yaml_parser_delete(&r.parser);
    }
    return td_value_builder_finish(r.builder, out, diag);
}
