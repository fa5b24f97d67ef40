// SPDX-License-Identifier: MIT
// A table of numbers as SVG: one chart for all columns with the same unit.
//
// Lines    a line has, for each half pixel across, the lowest and the highest value there, so that
//          a file does not grow with the rows and no peak is lost.
// Ticks    stand 1, 2 or 5 times a power of ten apart.
// Colours  follow the light or dark scheme of whoever looks.

#include "io/json.h"
#include "io/table.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/guard.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WIDTH        760
#define LEFT         76
#define RIGHT        24
#define HEAD         40 // above the first chart
#define TITLE        26 // of a chart, above its frame
#define FRAME        180
#define FOOT         26 // below a frame: numbers of the time axis
#define LEGEND_ROW   20
#define GAP          18 // between charts
#define COLORS       8
#define LETTER_WIDTH 7     // about, for the legend
#define MAX_NAME     60    // bytes of a name in the legend
#define HUGE_VALUE   1e300 // beyond, a value is left out

typedef struct chart {
    const tdi_table *table;
    int32_t first; // column whose unit it has
    double low, high, start, end;
    int top; // of its frame
} chart;

// ---- text -----------------------------------------------------------------------------------

static void add(tdi_buffer *out, const char *text) {
    tdi_buffer_add(out, text, strlen(text));
}

// what is no UTF-8, and control characters, have no place in XML
static void add_escaped(tdi_buffer *out, const char *text, size_t size) {
    for (size_t i = 0, length; i < size; i += length) {
        length = tdi_utf8_length((const uint8_t *)text + i, size - i);
        switch (text[i]) {
        case '<': add(out, "&lt;"); break;
        case '>': add(out, "&gt;"); break;
        case '&': add(out, "&amp;"); break;
        default:
            tdi_buffer_add(out, length == 0 || (uint8_t)text[i] < 32 ? "?" : &text[i],
                           length == 0 ? 1 : length);
        }
        length = length == 0 ? 1 : length;
    }
}

// pixels with one decimal, the same in every locale
static void add_pixels(tdi_buffer *out, double x) {
    char text[32];
    long tenths = (long)floor(10 * fmax(x, 0) + 0.5);
    int length = snprintf(text, sizeof text, "%ld.%ld", tenths / 10, tenths % 10);
    tdi_buffer_add(out, text, (size_t)(tenths % 10 == 0 ? length - 2 : length));
}

static void add_line(tdi_buffer *out, const char *kind, double x1, double y1, double x2,
                     double y2) {
    add(out, "<path class=\"");
    add(out, kind);
    add(out, "\" d=\"M");
    add_pixels(out, x1);
    add(out, " ");
    add_pixels(out, y1);
    add(out, "L");
    add_pixels(out, x2);
    add(out, " ");
    add_pixels(out, y2);
    add(out, "\"/>\n");
}

static void begin_text(tdi_buffer *out, const char *kind, double x, double y) {
    add(out, "<text class=\"");
    add(out, kind);
    add(out, "\" x=\"");
    add_pixels(out, x);
    add(out, "\" y=\"");
    add_pixels(out, y);
    add(out, "\">");
}

// n 10^power, in plain digits or, far from 1, as 1.5e-7
static void add_decimal(tdi_buffer *out, int64_t n, int power) {
    char digits[24], text[64];
    if (n == 0) {
        add(out, "0");
        return;
    }
    for (; n % 10 == 0; n /= 10) {
        power++;
    }
    int count = snprintf(digits, sizeof digits, "%lld", (long long)(n < 0 ? -n : n));
    int lead = power + count - 1; // power of ten of the first digit
    add(out, n < 0 ? "-" : "");
    if (lead < -4 || lead > 5) {
        snprintf(text, sizeof text, count > 1 ? "%c.%se%d" : "%c%se%d", digits[0], digits + 1,
                 lead);
    } else if (power >= 0) {
        snprintf(text, sizeof text, "%s%.*s", digits, power, "000000");
    } else if (lead < 0) {
        snprintf(text, sizeof text, "0.%.*s%s", -lead - 1, "000000", digits);
    } else {
        snprintf(text, sizeof text, "%.*s.%s", lead + 1, digits, digits + lead + 1);
    }
    add(out, text);
}

// ---- charts ---------------------------------------------------------------------------------

static bool same_unit(const tdi_column *a, const tdi_column *b) {
    return a->unit_size == b->unit_size && memcmp(a->unit, b->unit, a->unit_size) == 0;
}

static bool in_chart(const chart *c, int32_t column) {
    return same_unit(&c->table->columns[c->first], &c->table->columns[column]);
}

// whether no column before has its unit
static bool starts_chart(const tdi_table *table, int32_t column) {
    for (int32_t k = 1; k < column; k++) {
        if (same_unit(&table->columns[k], &table->columns[column])) {
            return false;
        }
    }
    return true;
}

static double value_of(const tdi_table *table, int64_t row, int32_t column) {
    double x = table->values[row * table->column_count + column];
    return fabs(x) < HUGE_VALUE ? x : NAN;
}

// some room around, and never so little that ticks could not be told apart
static void set_range(chart *c, double low, double high) {
    if (!(low <= high)) {
        low = 0;
        high = 1;
    }
    double least = 1e-9 * fmax(fabs(low), fabs(high));
    double room = high - low > least ? 0.04 * (high - low) : fmax(0.5 * fabs(low), 1e-9);
    c->low = low - room;
    c->high = high + room;
}

static chart make_chart(const tdi_table *table, int32_t first, int top) {
    chart c = {.table = table, .first = first, .top = top, .end = 1};
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < table->row_count; i++) {
        for (int32_t k = first; k < table->column_count; k++) {
            double x = in_chart(&c, k) ? value_of(table, i, k) : NAN;
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
    }
    set_range(&c, low, high);
    if (table->row_count > 0) {
        c.start = fmax(value_of(table, 0, 0), -HUGE_VALUE);
        c.end = fmin(value_of(table, table->row_count - 1, 0), HUGE_VALUE);
    }
    if (!(c.end - c.start > 1e-9 * fmax(fabs(c.start), fabs(c.end)))) {
        c.end = c.start + fmax(1, fabs(c.start));
    }
    return c;
}

static double place_x(const chart *c, double time) {
    return LEFT + (WIDTH - LEFT - RIGHT) * (time - c->start) / (c->end - c->start);
}

static double place_y(const chart *c, double value) {
    return c->top + FRAME * (c->high - value) / (c->high - c->low);
}

// ---- axes -----------------------------------------------------------------------------------

typedef struct tick_step {
    int64_t factor; // 1, 2 or 5
    int power;
    double size; // factor 10^power
} tick_step;

static tick_step step_of(double range, int count) {
    static const int64_t factors[] = {1, 2, 5, 10};
    double rough = range / count;
    int power = (int)floor(log10(rough));
    for (int i = 0; i < 4; i++) {
        tick_step step = {factors[i], power, (double)factors[i] * pow(10, power)};
        if (step.size >= rough) {
            return step;
        }
    }
    return (tick_step){10, power, 10 * pow(10, power)};
}

static void add_axes(tdi_buffer *out, const chart *c) {
    tick_step step = step_of(c->high - c->low, 6);
    for (int64_t i = (int64_t)ceil(c->low / step.size); (double)i * step.size <= c->high; i++) {
        double y = place_y(c, (double)i * step.size);
        add_line(out, "grid", LEFT, y, WIDTH - RIGHT, y);
        begin_text(out, "number left", LEFT - 8, y + 4);
        add_decimal(out, i * step.factor, step.power);
        add(out, "</text>\n");
    }
    step = step_of(c->end - c->start, 8);
    double bottom = c->top + FRAME;
    for (int64_t i = (int64_t)ceil(c->start / step.size); (double)i * step.size <= c->end; i++) {
        double x = place_x(c, (double)i * step.size);
        add_line(out, "grid", x, c->top, x, bottom);
        begin_text(out, "number middle", x, bottom + 17);
        add_decimal(out, i * step.factor, step.power);
        add(out, "</text>\n");
    }
    add_line(out, "axis", LEFT, bottom, WIDTH - RIGHT, bottom);
    begin_text(out, "number", WIDTH - RIGHT + 6, bottom + 17);
    add(out, "s</text>\n");
}

// ---- lines ----------------------------------------------------------------------------------

// what a line does within half a pixel
typedef struct stroke {
    long step; // in half pixels
    double first, low, high, last;
    bool any;
} stroke;

static void add_point(tdi_buffer *out, bool *pen, long step, double y) {
    add(out, *pen ? "L" : "M");
    add_pixels(out, (double)step / 2);
    add(out, " ");
    add_pixels(out, y);
    *pen = true;
}

static void add_stroke(tdi_buffer *out, bool *pen, stroke *s) {
    if (!s->any) {
        return;
    }
    add_point(out, pen, s->step, s->first);
    if (s->low < s->high) {
        bool falls = s->last < s->first;
        add_point(out, pen, s->step, falls ? s->high : s->low);
        add_point(out, pen, s->step, falls ? s->low : s->high);
        add_point(out, pen, s->step, s->last);
    }
    s->any = false;
}

static void add_trace(tdi_buffer *out, const chart *c, int32_t column, int32_t color) {
    char head[64];
    snprintf(head, sizeof head, "<path class=\"line c%d\" d=\"", (int)(color % COLORS));
    add(out, head);
    stroke s = {.any = false};
    bool pen = false; // on the paper: a gap lifts it
    for (int64_t i = 0; i < c->table->row_count; i++) {
        double value = value_of(c->table, i, column), time = value_of(c->table, i, 0);
        if (isnan(value) || isnan(time)) {
            add_stroke(out, &pen, &s);
            pen = false;
            continue;
        }
        long step = (long)floor(2 * place_x(c, time) + 0.5);
        double y = place_y(c, value);
        if (s.any && step != s.step) {
            add_stroke(out, &pen, &s);
        }
        if (!s.any) {
            s = (stroke){.step = step, .first = y, .low = y, .high = y, .any = true};
        }
        s.low = fmin(s.low, y);
        s.high = fmax(s.high, y);
        s.last = y;
    }
    add_stroke(out, &pen, &s);
    add(out, "\"/>\n");
}

// rows that the legend takes; with `out`, written below the chart
static int add_legend(tdi_buffer *out, const chart *c) {
    int x = LEFT, row = 0;
    int32_t color = 0;
    for (int32_t k = c->first; k < c->table->column_count; k++) {
        const tdi_column *column = &c->table->columns[k];
        if (!in_chart(c, k)) {
            continue;
        }
        size_t letters = column->name_size < MAX_NAME ? column->name_size : MAX_NAME;
        int width = 26 + LETTER_WIDTH * (int)letters + 16;
        if (x > LEFT && x + width > WIDTH - RIGHT) {
            x = LEFT;
            row++;
        }
        if (out) {
            char kind[16];
            int y = c->top + FRAME + FOOT + LEGEND_ROW * row + 8;
            snprintf(kind, sizeof kind, "line c%d", (int)(color % COLORS));
            add_line(out, kind, x, y, x + 18, y);
            begin_text(out, "name", x + 24, y + 4);
            add_escaped(out, column->name, letters);
            add(out, "</text>\n");
        }
        x += width;
        color++;
    }
    return row + 1;
}

static void add_chart(tdi_buffer *out, const chart *c) {
    const tdi_column *first = &c->table->columns[c->first];
    begin_text(out, "unit", LEFT, c->top - 10);
    add_escaped(out, first->unit, first->unit_size);
    add(out, "</text>\n");
    add_axes(out, c);
    int32_t color = 0;
    for (int32_t k = c->first; k < c->table->column_count; k++) {
        if (in_chart(c, k)) {
            add_trace(out, c, k, color++);
        }
    }
    add_legend(out, c);
}

// ---- entry ----------------------------------------------------------------------------------

static const char style[] =
    "<style>\n"
    "svg { --paper: #fbfbf8; --ink: #20271d; --soft: #656d5f; --grid: #e2e1d8;\n"
    "  --c0: #3a7a2c; --c1: #b8571a; --c2: #2f62b0; --c3: #8d3f93;\n"
    "  --c4: #94791a; --c5: #1a8586; --c6: #b03a56; --c7: #5c5f66; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  svg { --paper: #181c14; --ink: #e8ebe0; --soft: #9ba491; --grid: #30362b;\n"
    "    --c0: #8fcb78; --c1: #eb9a5c; --c2: #86aff0; --c3: #d393d8;\n"
    "    --c4: #d8bf62; --c5: #66c7c6; --c6: #ec8ba1; --c7: #b0b4bb; }\n"
    "}\n"
    "text { fill: var(--soft); font: 12px system-ui, sans-serif; }\n"
    ".title { fill: var(--ink); font-size: 16px; font-weight: 600; }\n"
    ".unit, .name { fill: var(--ink); font-size: 13px; }\n"
    ".left { text-anchor: end; } .middle { text-anchor: middle; }\n"
    ".paper { fill: var(--paper); } .grid { stroke: var(--grid); } .axis { stroke: var(--soft); }\n"
    ".line { fill: none; stroke-width: 1.5; stroke-linejoin: round; }\n"
    ".c0 { stroke: var(--c0); } .c1 { stroke: var(--c1); } .c2 { stroke: var(--c2); }\n"
    ".c3 { stroke: var(--c3); } .c4 { stroke: var(--c4); } .c5 { stroke: var(--c5); }\n"
    ".c6 { stroke: var(--c6); } .c7 { stroke: var(--c7); }\n"
    "</style>\n";

static void add_head(tdi_buffer *out, const char *title, int height) {
    char head[256];
    snprintf(head, sizeof head,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
             "height=\"%d\">\n",
             WIDTH, height, WIDTH, height);
    add(out, head);
    add(out, style);
    snprintf(head, sizeof head, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n", WIDTH,
             height);
    add(out, head);
    begin_text(out, "title", LEFT, 26);
    add_escaped(out, title, strlen(title));
    add(out, "</text>\n");
}

static int chart_height(const chart *c) {
    return FRAME + FOOT + LEGEND_ROW * add_legend(NULL, c) + GAP;
}

static td_status draw(const tdi_table *table, const char *title, const td_alloc *alloc,
                      td_bytes *out) {
    tdi_buffer body = {.alloc = alloc}, whole = {.alloc = alloc};
    int top = HEAD;
    for (int32_t k = 1; k < table->column_count; k++) {
        if (starts_chart(table, k)) {
            chart c = make_chart(table, k, top + TITLE);
            add_chart(&body, &c);
            top += TITLE + chart_height(&c);
        }
    }
    td_bytes charts;
    td_status status = tdi_buffer_finish(&body, &charts);
    if (status == TD_OK) {
        add_head(&whole, title, top);
        tdi_buffer_add(&whole, charts.data, charts.size);
        add(&whole, "</svg>\n");
        status = tdi_buffer_finish(&whole, out);
    }
    td_bytes_free(&charts);
    return status;
}

td_status td_plot_svg(const char *text, size_t size, const char *file, const char *title,
                      const td_alloc *alloc, td_bytes *out, td_diag *diag) {
    if (!out || (!text && size > 0)) {
        return tdi_refuse(diag, __func__);
    }
    if (!out) {
        return tdi_fail(diag, TD_ERR_ARGUMENT, "td_plot_svg: out is NULL");
    }
    *out = (td_bytes){NULL, 0, alloc};
    tdi_table table;
    td_status status = tdi_table_read(&table, text, size, file, alloc, diag);
    if (status == TD_OK) {
        status = draw(&table, title ? title : "", alloc, out);
        if (status != TD_OK) {
            tdi_fail(diag, status, "out of memory for the plot");
        }
    }
    tdi_table_free(&table);
    return status;
}
