// SPDX-License-Identifier: MIT
// Where the items of a text end: lines, and the lines that continue them.

#include "grammar/parser.h"

#include <string.h>

size_t tdi_line_end(const tdi_parser *p, size_t at) {
    while (at < p->size && p->text[at] != '\n') {
        at++;
    }
    return at;
}

// Where the string that starts with the quote at `at` ends: at its last quote, or before `to`.
static size_t string_end(const tdi_parser *p, size_t at, size_t to) {
    for (at++; at < to && p->text[at] != '"'; at++) {
        at += p->text[at] == '\\';
    }
    return at;
}

static bool has_arrow(const tdi_parser *p, size_t from, size_t to) {
    for (size_t i = from; i + 2 < to; i++) {
        if (memcmp(p->text + i, "-->", 3) == 0) {
            return true;
        }
        i = p->text[i] == '"' ? string_end(p, i, to) : i;
    }
    return false;
}

static bool is_blank_line(const tdi_parser *p, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        if (!strchr(" \t\r\f\v", p->text[i])) {
            return false;
        }
    }
    return true;
}

size_t tdi_item_end(const tdi_parser *p, size_t at, bool is_production) {
    size_t end = tdi_line_end(p, at);
    bool arrow = !is_production || has_arrow(p, at, end);
    while (end < p->size) {
        size_t next = end + 1, next_end = tdi_line_end(p, next), after;
        char word[32];
        if (next >= p->size || (p->text[next] != ' ' && p->text[next] != '\t') ||
            is_blank_line(p, next, next_end) ||
            (tdi_header_word_at(p, next, word, &after) && tdi_header_is_known(word))) {
            return end;
        }
        bool next_arrow = has_arrow(p, next, next_end);
        if (arrow && next_arrow) {
            return end;
        }
        arrow = arrow || next_arrow;
        end = next_end;
    }
    return end;
}

size_t tdi_production_end(const tdi_parser *p) {
    size_t end = tdi_item_end(p, p->at, true);
    int32_t depth = 0;
    bool in_conditions = false;
    for (size_t i = p->at; i < p->size; i++) {
        char c = p->text[i];
        if (i >= end && depth == 0) {
            break;
        }
        in_conditions = in_conditions || (c == ':' && depth == 0);
        if (depth == 0 && i + 2 < p->size && memcmp(p->text + i, "-->", 3) == 0) {
            break;
        }
        if (c == '"' && depth > 0) { // braces in a string mean nothing
            i = string_end(p, i, tdi_line_end(p, i));
            continue;
        }
        depth += in_conditions ? (c == '{') - (c == '}') : 0;
        if (i >= end && depth == 0) {
            size_t rest = tdi_item_end(p, i, true);
            end = rest > end ? rest : end;
        }
    }
    return end;
}
