// SPDX-License-Identifier: MIT
// Which view file and which colours go with a model: those that a `specifications` file beside it
// names, else those of the model's name.

#include "grammar/view.h"
#include "cpfg/specification.h"

#include <stdio.h>
#include <string.h>

static td_status fail_to_read(td_grammar *g, td_status status, const char *what, const char *name,
                              td_diag_list *diags) {
    td_diag diag = {.status = status, .index = TD_NONE};
    snprintf(diag.message, sizeof diag.message, "%s %s '%s'",
             status == TD_ERR_LIMIT ? "the text is too large with" : "cannot read", what, name);
    tdi_text_copy(diag.file, sizeof diag.file, g->source.files[0].name);
    tdi_diag_add(diags, &diag);
    return status;
}

// the part of a name behind the last slash
static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// plant.v for plant.l; "" when the name has no suffix
static void name_beside(const char *model, const char *suffix, char name[TDI_FILE_NAME]) {
    const char *base = base_name(model), *dot = strrchr(base, '.');
    size_t length = dot ? (size_t)(dot - base) : 0;
    name[0] = 0;
    if (length > 0 && length + strlen(suffix) < TDI_FILE_NAME) {
        memcpy(name, base, length);
        memcpy(name + length, suffix, strlen(suffix) + 1);
    }
}

// A file that may be missing.
static td_status load_implied(td_grammar *g, const td_grammar_def *def, const char *what,
                              const char *name, int32_t *file, td_diag_list *diags) {
    td_status status = name[0] ? tdi_source_load(&g->source, def, name, def->name, file) : TD_OK;
    if (status == TD_ERR_READ) {
        return TD_OK;
    }
    return status == TD_OK ? TD_OK : fail_to_read(g, status, what, name, diags);
}

// What a `specifications` file beside a model of cpfg says of it; *found is false when there is
// none.
static td_status read_specification(td_grammar *g, const td_grammar_def *def,
                                    tdi_specification *out, bool *found, td_diag_list *diags) {
    int32_t file = TD_NONE;
    const char *name = g->dialect.cpfg ? "specifications" : "";
    td_status status = load_implied(g, def, "the file", name, &file, diags);
    *found = false;
    if (status == TD_OK && file != TD_NONE) {
        const tdi_source_file *f = &g->source.files[file];
        *found = tdi_specification_read(f->text, f->size, base_name(def->name), out);
    }
    return status;
}

td_status tdi_view_open(td_grammar *g, const td_grammar_def *def, int32_t *view_file,
                        int32_t *colors, td_diag_list *diags) {
    *view_file = *colors = TD_NONE;
    if (!def->loader) {
        return TD_OK;
    }
    tdi_specification s = {.view = ""};
    bool specified;
    TDI_TRY(read_specification(g, def, &s, &specified, diags));
    if (!specified) {
        name_beside(def->name, ".v", s.view);
        name_beside(def->name, ".mat", s.colors);
    }
    td_status status = load_implied(g, def, "the colours", s.colors, colors, diags);
    if (status == TD_OK && *colors == TD_NONE && !specified) {
        name_beside(def->name, ".map", s.colors);
        status = load_implied(g, def, "the colours", s.colors, colors, diags);
    }
    if (status != TD_OK || !def->view) {
        return status == TD_OK ? load_implied(g, def, "the view file", s.view, view_file, diags)
                               : status;
    }
    status = tdi_source_load(&g->source, def, def->view, "", view_file);
    return status == TD_OK ? TD_OK : fail_to_read(g, status, "the view file", def->view, diags);
}

td_status tdi_view_colors(td_grammar *g, int32_t file, td_diag_list *diags) {
    const tdi_source_file *f = &g->source.files[file];
    tdi_scan scan = {.text = f->text, .size = f->size};
    tdi_colors *colors = tdi_arena_zeroed(&g->arena, 1, sizeof *colors);
    TDI_TRY(colors ? TD_OK : TD_ERR_MEMORY);
    if (!tdi_colors_read(&scan, f->name, colors)) {
        td_diag diag;
        tdi_source_fail_in(&g->source, file, 0, &diag, TD_ERR_SYNTAX, "%s", scan.fault);
        diag.line = 0; // bytes have no lines
        tdi_diag_add(diags, &diag);
        return TD_ERR_SYNTAX;
    }
    g->body.colors = colors;
    return TD_OK;
}
