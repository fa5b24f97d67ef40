// SPDX-License-Identifier: MIT
// View files: one row of a table for each item, with a function that reads it. What only concerns a
// window is in the table without a function.
//
// Defaults  where there is a view file they are cpfg's: turns of 45 degrees, widths in pixels.

#include "grammar/view.h"
#include "cpfg/specification.h"
#include "math/angle.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

#define MAX_LABEL       40
#define CONTOUR_SAMPLES 257 // places at which the length of a contour is measured

typedef struct view {
    tdi_parser *p;
    tdi_scan scan; // of one line
} view;

typedef struct sampled { // a data file, and at how many places to sample it
    char name[TDI_FILE_NAME];
    int32_t samples, file;
    tdi_scan scan;
} sampled;

// ---- numbers --------------------------------------------------------------------------------

static bool read_real(view *v, td_real least, td_real most, const char *what, td_real *value) {
    size_t at = v->scan.at;
    td_real number;
    if (!tdi_scan_real(&v->scan, &number)) {
        return false;
    }
    if (!(number >= least && number <= most)) {
        return tdi_scan_fail(&v->scan, at, "%s is %g; expected %g to %g", what, number, least,
                             most);
    }
    *value = number;
    return true;
}

static bool read_angle(view *v) {
    v->p->g->turtle.angle_given = true;
    return read_real(v, -1e6, 1e6, "the angle", &v->p->g->turtle.angle);
}

static bool read_angle_factor(view *v) {
    td_real n = 1;
    if (!read_real(v, 1, 1e6, "the angle factor", &n)) {
        return false;
    }
    v->p->g->turtle.angle = 360 / n;
    v->p->g->turtle.angle_given = true;
    return true;
}

// `initial line width: 2 pixels`. A width makes lines of that width, unless it counts pixels; a
// later `line style:` decides.
static bool read_width(view *v) {
    tdi_turtle_header *t = &v->p->g->turtle;
    char unit[16] = "";
    if (!read_real(v, 0, 1e6, "the line width", &t->width)) {
        return false;
    }
    tdi_scan_word(&v->scan, unit, sizeof unit);
    t->pixels = unit[0] == 'p';
    return true;
}
static bool read_width_increment(view *v) {
    return read_real(v, -1e6, 1e6, "the increment", &v->p->g->turtle.width_increment);
}

// pixel, polygon and cylinder, or 1, 2 and 3
static bool read_line_style(view *v) {
    char word[16] = "";
    size_t at = v->scan.at;
    tdi_scan_word(&v->scan, word, sizeof word);
    bool pixel = strcmp(word, "pixel") == 0 || strcmp(word, "1") == 0;
    bool solid = strcmp(word, "polygon") == 0 || strcmp(word, "cylinder") == 0 ||
                 strcmp(word, "2") == 0 || strcmp(word, "3") == 0;
    if (!pixel && !solid) {
        tdi_parse_warn(v->p, at, "line style '%s' is ignored; expected pixel, polygon or cylinder",
                       word);
        return true;
    }
    v->p->g->turtle.pixels = pixel;
    return true;
}

// the colour of the front; that of the back, if given, is not used
static bool read_index(view *v, int32_t *color) {
    td_real n = 1;
    if (!read_real(v, -1e6, 1e6, "the number of a colour", &n)) {
        return false;
    }
    *color = (int32_t)n;
    return true;
}
static bool read_color(view *v) {
    return read_index(v, &v->p->g->turtle.color);
}
static bool read_color_increment(view *v) {
    return read_index(v, &v->p->g->turtle.color_increment);
}

static bool read_scale(view *v) {
    td_real scale = 1;
    if (!read_real(v, -1e6, 1e6, "the scale", &scale)) {
        return false;
    }
    v->p->g->turtle.scale = scale != 0 ? scale : 1;
    return true;
}

// What @Di and @Dd without parameter multiply and divide the scale by.
static bool read_multiplier(view *v) {
    return read_real(v, 1e-6, 1e6, "the multiplier", &v->p->g->turtle.scale_multiplier);
}

// Changes what cpfg draws, and nothing here.
static bool warn_unused(view *v) {
    tdi_parse_warn(v->p, v->scan.at, "this item of cpfg has no effect");
    return true;
}

static bool warn_texture(view *v) {
    tdi_parse_warn(
        v->p, v->scan.at,
        "textures of view files have no effect; --textures draws bark and leaves with textures "
        "of our own, and meshes have texture coordinates for others");
    return true;
}

// `on` or `off`
static bool read_past_cut(view *v) {
    char word[8] = "";
    tdi_scan_word(&v->scan, word, sizeof word);
    v->p->g->turtle.past_cut = strcmp(word, "off") != 0;
    return true;
}

// ---- tropism --------------------------------------------------------------------------------

static bool read_vector(view *v, td_vec3 *vector) {
    size_t at = v->scan.at;
    if (!tdi_scan_real(&v->scan, &vector->x) || !tdi_scan_real(&v->scan, &vector->y) ||
        !tdi_scan_real(&v->scan, &vector->z)) {
        return false;
    }
    return tdi_norm(*vector) > 0 || tdi_scan_fail(&v->scan, at,
                                                  "expected a direction; its three numbers cannot "
                                                  "all be 0");
}

static bool read_direction(view *v) {
    td_vec3 direction;
    if (!read_vector(v, &direction)) {
        return false;
    }
    v->p->g->turtle.tropism = tdi_unit_or(direction, direction);
    return true;
}
// `tropism: T: x y z A: angle I: intensity E: elasticity S: increment`, in any order
static bool read_numbered(view *v, bool torque) {
    tdi_turtle_header *t = &v->p->g->turtle;
    tdi_tropism tropism = {.cosine = 1, .torque = torque};
    td_real angle = 0, intensity = 1;
    td_vec3 direction = {0, 0, 0};
    size_t start = v->scan.at;
    if (t->tropism_count == TDI_MAX_TROPISMS) {
        return tdi_scan_fail(&v->scan, start, "more than %d tropisms are declared",
                             TDI_MAX_TROPISMS);
    }
    while (!tdi_scan_line_end(&v->scan)) {
        bool fine = tdi_scan_accept(&v->scan, "T:")   ? read_vector(v, &direction)
                    : tdi_scan_accept(&v->scan, "A:") ? tdi_scan_real(&v->scan, &angle)
                    : tdi_scan_accept(&v->scan, "I:") ? tdi_scan_real(&v->scan, &intensity)
                    : tdi_scan_accept(&v->scan, "E:") ? tdi_scan_real(&v->scan, &tropism.elasticity)
                    : tdi_scan_accept(&v->scan, "S:")
                        ? tdi_scan_real(&v->scan, &tropism.increment)
                        : tdi_scan_fail(&v->scan, v->scan.at, "expected T:, A:, I:, E: or S:");
        if (!fine) {
            return false;
        }
    }
    if (!(tdi_norm(direction) > 0)) {
        return tdi_scan_fail(&v->scan, start, "expected a direction: 'T: 0 1 0'");
    }
    intensity = fmax(-1, fmin(1, intensity));
    tropism.direction = tdi_scale(tdi_unit_or(direction, direction), intensity);
    tropism.cosine = tdi_cos_degrees(angle);
    tropism.sine = tdi_sin_degrees(angle);
    t->tropisms[t->tropism_count++] = tropism;
    return true;
}
static bool read_tropism(view *v) {
    return read_numbered(v, false);
}
static bool read_torque(view *v) {
    return read_numbered(v, true);
}
static bool read_elasticity(view *v) {
    return read_real(v, -1e6, 1e6, "the elasticity", &v->p->g->turtle.elasticity);
}
static bool read_elasticity_increment(view *v) {
    return read_real(v, -1e6, 1e6, "the increment", &v->p->g->turtle.elasticity_increment);
}

// ---- functions ------------------------------------------------------------------------------

// A data file that an item names, and a cursor over it. False after a fault, which is told.
static bool open_data(view *v, size_t name_at, const char *name, int32_t *file, tdi_scan *scan) {
    tdi_parser *p = v->p;
    const tdi_source *source = &p->g->source;
    const char *from = source->files[tdi_source_file_at(source, name_at)].name;
    td_status status = tdi_source_load(&p->g->source, p->def, name, from, file);
    if (status == TD_ERR_MEMORY) {
        return tdi_parse_memory(p);
    }
    if (status != TD_OK) {
        return tdi_scan_fail(&v->scan, name_at, "%s '%s'",
                             status == TD_ERR_LIMIT ? "the text is too large with the file"
                                                    : "cannot read the file",
                             name);
    }
    *scan = (tdi_scan){.text = source->files[*file].text, .size = source->files[*file].size};
    return true;
}

// tells the fault of a data file; without one, memory was short
static bool data_fault(tdi_parser *p, int32_t file, const tdi_scan *scan) {
    if (scan->fault[0] == 0) {
        return tdi_parse_memory(p);
    }
    td_diag diag;
    tdi_source_fail_in(&p->g->source, file, scan->fault_at, &diag, TD_ERR_SYNTAX, "%s",
                       scan->fault);
    return tdi_parse_fail_with(p, &diag);
}

static bool read_file_name(view *v, char name[TDI_FILE_NAME], size_t *at) {
    if (!tdi_scan_line_end(&v->scan)) {
        *at = v->scan.at;
        return tdi_scan_word(&v->scan, name, TDI_FILE_NAME);
    }
    return tdi_scan_fail(&v->scan, v->scan.at, "expected the name of a file");
}

// A file and perhaps a number of samples, as in `function: growth.func 100`.
static bool open_sampled(view *v, int32_t least, int32_t most, sampled *out) {
    size_t at = 0;
    return read_file_name(v, out->name, &at) &&
           (tdi_scan_line_end(&v->scan) ||
            tdi_scan_count(&v->scan, least, most, "the number of samples", &out->samples)) &&
           open_data(v, at, out->name, &out->file, &out->scan);
}

static bool read_function(view *v) {
    sampled s = {.samples = 0};
    tdi_spline spline;
    if (!open_sampled(v, -1, TDI_SPLINE_SAMPLES, &s)) {
        return false;
    }
    return tdi_spline_read(&s.scan, s.name, s.samples, &v->p->g->arena, &spline)
               ? tdi_add_spline(v->p, &spline)
               : data_fault(v->p, s.file, &s.scan);
}

// `function set: functions.fset` replaces the functions before it
static bool read_function_set(view *v) {
    char name[TDI_FILE_NAME];
    size_t at = 0;
    int32_t file, count = 0;
    tdi_scan scan;
    if (!read_file_name(v, name, &at) || !open_data(v, at, name, &file, &scan)) {
        return false;
    }
    v->p->g->tables.spline_count = 0;
    bool fine = tdi_spline_set_read(&scan, &count);
    for (int32_t i = 0; i < count && fine; i++) {
        tdi_spline spline;
        fine = tdi_spline_read(&scan, name, 0, &v->p->g->arena, &spline);
        if (fine && !tdi_add_spline(v->p, &spline)) {
            return false;
        }
    }
    return fine || data_fault(v->p, file, &scan);
}

// `curve: profile.con 100`
static bool read_curve(view *v) {
    sampled s = {.samples = 100};
    tdi_curve curve;
    if (!open_sampled(v, 2, TDI_CURVE_SAMPLES, &s)) {
        return false;
    }
    return tdi_curve_read(&s.scan, s.samples, &v->p->g->arena, &curve)
               ? tdi_add_curve(v->p, &curve)
               : data_fault(v->p, s.file, &s.scan);
}

// `contour: 1 stem.con`
static bool read_contour(view *v) {
    char name[TDI_FILE_NAME];
    size_t at = 0;
    int32_t file;
    tdi_scan scan;
    tdi_contour contour = {.number = 0};
    if (!tdi_scan_count(&v->scan, 1, 1000000, "the number of the contour", &contour.number) ||
        !read_file_name(v, name, &at) || !open_data(v, at, name, &file, &scan)) {
        return false;
    }
    return tdi_curve_read(&scan, CONTOUR_SAMPLES, &v->p->g->arena, &contour.curve)
               ? tdi_add_contour(v->p, &contour)
               : data_fault(v->p, file, &scan);
}

// ---- surfaces -------------------------------------------------------------------------------

// A drawing lacks the surface, but all else is right.
static bool warn_missing(view *v) {
    tdi_parse_warn(v->p, v->scan.fault_at, "%s", v->scan.fault);
    v->scan.fault[0] = 0;
    return true;
}

// `surface: l leaf.s 2` and, for other programs, precisions and a texture
static bool read_surface(view *v) {
    char letter[2] = "", name[TDI_FILE_NAME];
    size_t at = 0;
    td_real size = 1;
    int32_t file;
    tdi_scan scan;
    tdi_header_item *item = NULL;
    tdi_parser *p = v->p;
    if (!tdi_scan_word(&v->scan, letter, sizeof letter) || !read_file_name(v, name, &at) ||
        !read_real(v, -1e6, 1e6, "the size", &size)) {
        return false;
    }
    p->at = v->scan.at;
    tdi_patches *patches = tdi_arena_zeroed(&p->g->arena, 1, sizeof *patches);
    if (!patches) {
        return tdi_parse_memory(p);
    }
    if (!open_data(v, at, name, &file, &scan)) {
        return p->status != TD_ERR_MEMORY && warn_missing(v);
    }
    if (!tdi_patches_read(&scan, size > 0 ? size : 1, &p->g->arena, patches)) {
        return data_fault(p, file, &scan);
    }
    if (!tdi_new_surface(p, letter[0], &item)) {
        return false;
    }
    item->patches = patches;
    p->g->items.viewed_surface_count = p->g->body.surface_count;
    return true;
}

// ---- the table ------------------------------------------------------------------------------

typedef struct view_row {
    const char *label;
    bool (*read)(view *v); // NULL: about a window, a light or a picture
} view_row;

static const view_row rows[] = {
    {"angle factor", read_angle_factor},
    {"angle increment", read_angle},
    {"initial color", read_color},
    {"color increment", read_color_increment},
    {"initial line width", read_width},
    {"line width increment", read_width_increment},
    {"line style", read_line_style},
    {"tropism direction", read_direction},
    {"tropism", read_tropism},
    {"torque", read_torque},
    {"initial elasticity", read_elasticity},
    {"elasticity increment", read_elasticity_increment},
    {"initial scale", read_scale},
    {"scale multiplier", read_multiplier},
    {"interpretation past %", read_past_cut},
    {"surface", read_surface},
    {"contour", read_contour},
    {"curve", read_curve},
    {"function", read_function},
    {"function set", read_function_set},
    {"texture", warn_texture},
    {"tsurface", warn_unused},
    {"line", warn_unused},
    {"blob", warn_unused},
    {"ambient light", NULL},
    {"antialiasing", NULL},
    {"back distance", NULL},
    {"background color", NULL},
    {"background scene", NULL},
    {"box", NULL},
    {"concave polygons", NULL},
    {"contour sides", NULL},
    {"cue range", NULL},
    {"diffuse reflection", NULL},
    {"environment display", NULL},
    {"font", NULL},
    {"front distance", NULL},
    {"generate on view change", NULL},
    {"interpretation step", NULL},
    {"light", NULL},
    {"light direction", NULL},
    {"max zoom", NULL},
    {"min zoom", NULL},
    {"polygonization level", NULL},
    {"projection", NULL},
    {"ps linecap", NULL},
    {"rayshade objects", NULL},
    {"rayshade scale", NULL},
    {"render mode", NULL},
    {"scale factor", NULL},
    {"shade mode", NULL},
    {"shadow map", NULL},
    {"surface ambient", NULL},
    {"surface diffuse", NULL},
    {"tapered lines", NULL},
    {"twist", NULL},
    {"twist of cylinders", NULL},
    {"view reference point", NULL},
    {"viewing angle", NULL},
    {"viewpoint", NULL},
    {"winfont", NULL},
    {"z buffer", NULL},
};
#define ROW_COUNT ((int32_t)(sizeof rows / sizeof rows[0]))

static const char *row_label(int32_t index) {
    return rows[index].label;
}

// The label before the ':' at `at`, in small letters with single spaces. False when there is none.
static bool read_label(const char *text, size_t *at, size_t end, char label[MAX_LABEL]) {
    size_t length = 0;
    bool space = false;
    for (; *at < end && text[*at] != ':'; (*at)++) {
        char c = text[*at];
        if (c == ' ' || c == '\t' || c == '\r') {
            space = length > 0;
        } else if (length + 2 < MAX_LABEL) {
            if (space) {
                label[length++] = ' ';
            }
            label[length++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
            space = false;
        }
    }
    label[length] = 0;
    return *at < end;
}

static void read_item(tdi_parser *p, size_t at, size_t end) {
    char label[MAX_LABEL];
    size_t start = at;
    bool colon = read_label(p->text, &at, end, label);
    int32_t k = 0;
    if (label[0] == 0 && !colon) {
        return; // a blank line
    }
    while (k < ROW_COUNT && (!colon || strcmp(rows[k].label, label) != 0)) {
        k++;
    }
    if (k == ROW_COUNT) {
        const char *near = tdi_nearest(label, row_label, ROW_COUNT);
        tdi_parse_warn(p, start,
                       near ? "unknown item '%s' is ignored; did you mean '%s:'?"
                            : "unknown item '%s' is ignored",
                       label, near);
        return;
    }
    view v = {.p = p, .scan = {.text = p->text, .size = end, .at = at + 1}};
    if (rows[k].read && !rows[k].read(&v) && v.scan.fault[0] != 0) {
        tdi_parse_fail(p, v.scan.fault_at, "%s: %s", label, v.scan.fault);
    }
}

void tdi_view_read(tdi_parser *p, size_t end) {
    tdi_turtle_header *t = &p->g->turtle;
    t->angle = 45;
    t->width_increment = 0;
    t->color = p->g->body.colors ? 128 : TD_NONE;
    t->tropism = tdi_vec3(0, 1, 0);
    t->pixels = true;
    t->past_cut = true;
    p->has_view = true;
    for (size_t at = 0; at < end && p->fault_count < TDI_MAX_FAULTS;) {
        const char *line_end = memchr(p->text + at, '\n', end - at);
        size_t next = line_end ? (size_t)(line_end - p->text) : end;
        p->failed = false;
        read_item(p, at, next);
        at = next + 1;
    }
    p->failed = false;
    p->at = end;
}
