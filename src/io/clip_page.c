// SPDX-License-Identifier: MIT
// A page that plays a clip: the player, with the clip and its tables in the place of a mark.
//
// Data     the clip as binary glTF in base64, rotations in 16 bits a number; what is said about it
//          and the tables of numbers as JSON. Tables keep every so many rows, because a plot is no
//          finer than the screen. A "<" in the JSON is escaped, so that no text ends the element.

#include "io/clip.h"
#include "io/json.h"

#include "base/diag.h"
#include "base/opts.h"

#include <string.h>

#define MARK     "<!-- tendril: clip -->"
#define MAX_ROWS 3000 // of a table

td_page_def td_page_def_default(void) {
    td_page_def page = {.struct_size = sizeof page, .max_animation_size = (int64_t)16 << 20};
    return page;
}

// ---- tables ---------------------------------------------------------------------------------

static size_t line_length(const char *text, size_t size) {
    const char *end = size > 0 ? memchr(text, '\n', size) : NULL;
    return end ? (size_t)(end - text) + 1 : size;
}

static int64_t count_lines(const char *text, size_t size) {
    int64_t count = 0;
    for (size_t at = 0; at < size; at += line_length(text + at, size - at)) {
        count++;
    }
    return count;
}

// the heading and every so many rows, zero-terminated
static void thin_table(const char *text, size_t size, tdi_buffer *out) {
    int64_t rows = count_lines(text, size) - 1;
    int64_t step = rows > MAX_ROWS ? (rows + MAX_ROWS - 1) / MAX_ROWS : 1;
    size_t at = 0;
    for (int64_t line = 0; at < size; line++) {
        size_t length = line_length(text + at, size - at);
        if (line == 0 || (line - 1) % step == 0) {
            tdi_buffer_add(out, text + at, length);
        }
        at += length;
    }
    tdi_buffer_add(out, "", 1);
}

static void add_table(tdi_json *json, const char *key, const char *text, size_t size) {
    if (!text || size == 0) {
        return;
    }
    tdi_buffer table = {.alloc = json->buffer.alloc};
    td_bytes bytes;
    thin_table(text, size, &table);
    td_status status = tdi_buffer_finish(&table, &bytes);
    if (status == TD_OK) {
        tdi_json_key_string(json, key, (const char *)bytes.data);
    } else if (json->buffer.status == TD_OK) {
        json->buffer.status = status;
    }
    td_bytes_free(&bytes);
}

// ---- page -----------------------------------------------------------------------------------

static td_status describe(const td_clip_def *def, const td_page_def *page, const td_alloc *alloc,
                          td_bytes *out) {
    tdi_json json = {.buffer = {.alloc = alloc}};
    tdi_json_open(&json, "{");
    tdi_json_key_string(&json, "title", page->title ? page->title : tdi_actor_name(def->actors));
    tdi_json_key_string(&json, "text", page->text ? page->text : "");
    tdi_json_key_real(&json, "fps", def->fps);
    tdi_json_key_real(&json, "seconds", (def->frame_count - 1) / def->fps);
    add_table(&json, "probes", page->probes, page->probes_size);
    add_table(&json, "energy", page->energy, page->energy_size);
    tdi_json_close(&json, "}");
    return tdi_json_finish(&json, out);
}

static void write_escaped(tdi_out *out, const td_bytes *json) {
    size_t from = 0;
    for (size_t i = 0; i < json->size; i++) {
        if (json->data[i] == '<') {
            tdi_out_write(out, json->data + from, i - from);
            tdi_out_text(out, "\\u003c");
            from = i + 1;
        }
    }
    tdi_out_write(out, json->data + from, json->size - from);
}

// where the mark stands in the player, which must have it once
static const char *find_mark(const char *text, size_t size) {
    const char *found = NULL;
    size_t length = strlen(MARK);
    for (size_t i = 0; i + length <= size; i++) {
        if (text[i] == '<' && memcmp(text + i, MARK, length) == 0) {
            if (found) {
                return NULL;
            }
            found = text + i;
        }
    }
    return found;
}

static td_status write_page(const td_clip_def *def, const td_page_def *page, const char *mark,
                            const td_bytes *json, const td_alloc *alloc, tdi_out *out,
                            td_diag *diag) {
    const char *rest = mark + strlen(MARK);
    tdi_out_write(out, page->player, (size_t)(mark - page->player));
    tdi_out_text(out, "<script type=\"application/json\" id=\"run\">");
    write_escaped(out, json);
    tdi_out_text(out, "</script>\n<script type=\"text/plain\" id=\"clip\">");
    tdi_out_base64(out, true);
    td_status status = tdi_clip_stream(def, true, page->max_animation_size, alloc, out, diag);
    tdi_out_base64(out, false);
    tdi_out_text(out, "</script>");
    tdi_out_write(out, rest, page->player_size - (size_t)(rest - page->player));
    return status;
}

static td_status check_page(const td_clip_def *def, const td_page_def *page, const char *path,
                            td_diag *diag) {
    if (!path) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "td_clip_page: path is NULL");
    }
    if (!page->player || page->max_animation_size <= 0) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "td_page_def: player is NULL, or max_animation_size is not above 0");
    }
    if (!def->actors || def->actor_count < 1) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "td_clip_page: the clip has no actors");
    }
    return TD_OK;
}

td_status td_clip_page(const td_clip_def *clip, const td_page_def *given, const char *path,
                       const td_alloc *alloc, td_diag *diag) {
    td_clip_def own = td_clip_def_default();
    td_page_def own_page = td_page_def_default();
    const td_clip_def *def = &own;
    const td_page_def *page = &own_page;
    TDI_TRY(tdi_def_take("td_clip_def", &own, clip, diag));
    TDI_TRY(tdi_def_take("td_page_def", &own_page, given, diag));
    TDI_TRY(check_page(def, page, path, diag));
    const char *mark = find_mark(page->player, page->player_size);
    if (!mark) {
        return tdi_fail(diag, TD_ERR_ARGUMENT,
                        "the player is not valid: it must have '%s' exactly once", MARK);
    }
    td_bytes json;
    td_status status = describe(def, page, alloc, &json);
    if (status != TD_OK) {
        return tdi_fail(diag, status, "cannot describe the clip: %s", td_status_text(status));
    }
    tdi_out out;
    status = tdi_out_open(&out, path, diag);
    if (status == TD_OK) {
        status = write_page(def, page, mark, &json, alloc, &out, diag);
        status = tdi_out_close(&out, status, diag);
    }
    td_bytes_free(&json);
    return status;
}
