// SPDX-License-Identifier: MIT
// A table of numbers as SVG or PDF: one chart for all columns with the same unit.
//
// Lines    a line has, for each half pixel across, the lowest and the highest value there, so that
//          a file does not grow with the rows and no peak is lost.
// Ticks    stand 1, 2 or 5 times a power of ten apart.
// Colours  are plain attributes; in an SVG a style replaces them for readers who prefer dark pages.

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
#define TITLE_ROOM   26 // of a chart, above its frame
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

// ---- the sheet ------------------------------------------------------------------------------

// Looks of lines and texts. Colours are plain attributes, so that every program shows
// them; the style of an SVG replaces them alone where the reader prefers dark pages.
typedef enum kind { GRID, AXIS, NUMBER, NUMBER_LEFT, NUMBER_MIDDLE, TITLE, UNIT, NAME } kind;

typedef struct look {
    const char *class;
    uint32_t color;
    int size;           // of letters; 0: a line
    const char *anchor; // NULL: the text starts at its place
} look;

static const look looks[] = {
    [GRID] = {"grid", 0xe2e1d8, 0, NULL},
    [AXIS] = {"axis", 0x656d5f, 0, NULL},
    [NUMBER] = {"soft", 0x656d5f, 12, NULL},
    [NUMBER_LEFT] = {"soft", 0x656d5f, 12, "end"},
    [NUMBER_MIDDLE] = {"soft", 0x656d5f, 12, "middle"},
    [TITLE] = {"ink", 0x20271d, 16, NULL},
    [UNIT] = {"ink", 0x20271d, 13, NULL},
    [NAME] = {"ink", 0x20271d, 13, NULL},
};
static const uint32_t trace_colors[COLORS] = {0x3a7a2c, 0xb8571a, 0x2f62b0, 0x8d3f93,
                                              0x94791a, 0x1a8586, 0xb03a56, 0x5c5f66};
#define PAPER 0xfbfbf8

typedef struct sheet {
    tdi_buffer out;
    bool pdf; // else SVG
} sheet;

static void add(tdi_buffer *out, const char *text) {
    tdi_buffer_add(out, text, strlen(text));
}

// pixels with one decimal, the same in every locale
static void add_pixels(tdi_buffer *out, double x) {
    char text[32];
    long tenths = (long)floor(10 * fmax(x, 0) + 0.5);
    int length = snprintf(text, sizeof text, "%ld.%ld", tenths / 10, tenths % 10);
    tdi_buffer_add(out, text, (size_t)(tenths % 10 == 0 ? length - 2 : length));
}

// PDF: "0.227 0.478 0.173 RG", for lines, or rg, for letters and areas
static void add_pdf_color(tdi_buffer *out, uint32_t color, const char *operator) {
    for (int shift = 16; shift >= 0; shift -= 8) {
        char text[16];
        const int thousandths = (int)((color >> shift & 0xff) * 1000 / 255);
        snprintf(text, sizeof text, "%d.%03d ", thousandths / 1000, thousandths % 1000);
        add(out, text);
    }
    add(out, operator);
    add(out, "\n");
}

static void add_svg_color(tdi_buffer *out, const char *attribute, uint32_t color) {
    char text[40];
    snprintf(text, sizeof text, " %s=\"#%06x\"", attribute, (unsigned)color);
    add(out, text);
}

// ---- lines of the sheet ---------------------------------------------------------------------

static void begin_line(sheet *s, const char *class, uint32_t color, const char *width) {
    tdi_buffer *out = &s->out;
    if (s->pdf) {
        add_pdf_color(out, color, "RG");
        add(out, width);
        add(out, " w\n");
        return;
    }
    add(out, "<path class=\"");
    add(out, class);
    add(out, "\" fill=\"none\"");
    add_svg_color(out, "stroke", color);
    add(out, " stroke-width=\"");
    add(out, width);
    add(out, "\" stroke-linejoin=\"round\" d=\"");
}

static void line_to(sheet *s, bool pen, double x, double y) {
    add(&s->out, s->pdf ? "" : pen ? "L" : "M");
    add_pixels(&s->out, x);
    add(&s->out, " ");
    add_pixels(&s->out, y);
    add(&s->out, s->pdf ? pen ? " l\n" : " m\n" : "");
}

static void end_line(sheet *s) {
    add(&s->out, s->pdf ? "S\n" : "\"/>\n");
}

static void add_line(sheet *s, kind k, double x1, double y1, double x2, double y2) {
    begin_line(s, looks[k].class, looks[k].color, "1");
    line_to(s, false, x1, y1);
    line_to(s, true, x2, y2);
    end_line(s);
}

// the line of a column
static void begin_trace(sheet *s, int32_t number) {
    char class[16];
    snprintf(class, sizeof class, "line c%d", (int)(number % COLORS));
    begin_line(s, class, trace_colors[number % COLORS], "1.5");
}

// ---- texts of the sheet ---------------------------------------------------------------------

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

// PDF: letters of Latin-1, which its own fonts have; others become question marks
static void add_pdf_escaped(tdi_buffer *out, const char *text, size_t size) {
    for (size_t i = 0, length; i < size; i += length) {
        const uint8_t *c = (const uint8_t *)text + i;
        length = tdi_utf8_length(c, size - i);
        const bool latin =
            length == 2 && (c[0] == 0xc2 || c[0] == 0xc3) && (c[0] == 0xc3 || c[1] >= 0xa0);
        char letter = length == 1 && *c >= 32 && *c < 127 ? (char)*c : '?';
        letter = latin ? (char)((c[0] & 3) << 6 | (c[1] & 0x3f)) : letter;
        if (letter == '(' || letter == ')' || letter == '\\') {
            add(out, "\\");
        }
        tdi_buffer_add(out, &letter, 1);
        length = length == 0 ? 1 : length;
    }
}

// Of a number in Helvetica, in letters' heights.
static double number_width(const char *text, size_t size) {
    double width = 0;
    for (size_t i = 0; i < size; i++) {
        width += text[i] == '.' ? 0.278 : text[i] == '-' ? 0.333 : 0.556;
    }
    return width;
}

static void add_pdf_text(sheet *s, kind k, double x, double y, const char *text, size_t size) {
    const look *l = &looks[k];
    const double width = l->size * number_width(text, size);
    char head[64];
    add_pdf_color(&s->out, l->color, "rg");
    snprintf(head, sizeof head, "BT /F%d %d Tf 1 0 0 -1 ", k == TITLE ? 2 : 1, l->size);
    add(&s->out, head);
    add_pixels(&s->out, x - (k == NUMBER_LEFT ? width : k == NUMBER_MIDDLE ? width / 2 : 0));
    add(&s->out, " ");
    add_pixels(&s->out, y);
    add(&s->out, " Tm (");
    add_pdf_escaped(&s->out, text, size);
    add(&s->out, ") Tj ET\n");
}

static void add_text(sheet *s, kind k, double x, double y, const char *text, size_t size) {
    const look *l = &looks[k];
    char head[96];
    if (s->pdf) {
        add_pdf_text(s, k, x, y, text, size);
        return;
    }
    snprintf(head, sizeof head, "<text class=\"%s\" font-size=\"%d\"", l->class, l->size);
    add(&s->out, head);
    add_svg_color(&s->out, "fill", l->color);
    if (l->anchor) {
        snprintf(head, sizeof head, " text-anchor=\"%s\"", l->anchor);
        add(&s->out, head);
    }
    add(&s->out, k == TITLE ? " font-weight=\"600\" x=\"" : " x=\"");
    add_pixels(&s->out, x);
    add(&s->out, "\" y=\"");
    add_pixels(&s->out, y);
    add(&s->out, "\">");
    add_escaped(&s->out, text, size);
    add(&s->out, "</text>\n");
}

// n 10^power, in plain digits or, far from 1, as 1.5e-7
static void add_decimal(sheet *s, kind k, double x, double y, int64_t n, int power) {
    char digits[24], text[64], whole[72];
    if (n == 0) {
        add_text(s, k, x, y, "0", 1);
        return;
    }
    for (; n % 10 == 0; n /= 10) {
        power++;
    }
    int count = snprintf(digits, sizeof digits, "%lld", (long long)(n < 0 ? -n : n));
    int lead = power + count - 1; // power of ten of the first digit
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
    const int length = snprintf(whole, sizeof whole, "%s%s", n < 0 ? "-" : "", text);
    add_text(s, k, x, y, whole, (size_t)length);
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

static void add_axes(sheet *s, const chart *c) {
    tick_step step = step_of(c->high - c->low, 6);
    for (int64_t i = (int64_t)ceil(c->low / step.size); (double)i * step.size <= c->high; i++) {
        double y = place_y(c, (double)i * step.size);
        add_line(s, GRID, LEFT, y, WIDTH - RIGHT, y);
        add_decimal(s, NUMBER_LEFT, LEFT - 8, y + 4, i * step.factor, step.power);
    }
    step = step_of(c->end - c->start, 8);
    double bottom = c->top + FRAME;
    for (int64_t i = (int64_t)ceil(c->start / step.size); (double)i * step.size <= c->end; i++) {
        double x = place_x(c, (double)i * step.size);
        add_line(s, GRID, x, c->top, x, bottom);
        add_decimal(s, NUMBER_MIDDLE, x, bottom + 17, i * step.factor, step.power);
    }
    add_line(s, AXIS, LEFT, bottom, WIDTH - RIGHT, bottom);
    add_text(s, NUMBER, WIDTH - RIGHT + 6, bottom + 17, "s", 1);
}

// ---- lines ----------------------------------------------------------------------------------

// what a line does within half a pixel
typedef struct stroke {
    long step; // in half pixels
    double first, low, high, last;
    bool any;
} stroke;

static void add_point(sheet *to, bool *pen, long step, double y) {
    line_to(to, *pen, (double)step / 2, y);
    *pen = true;
}

static void add_stroke(sheet *to, bool *pen, stroke *s) {
    if (!s->any) {
        return;
    }
    add_point(to, pen, s->step, s->first);
    if (s->low < s->high) {
        bool falls = s->last < s->first;
        add_point(to, pen, s->step, falls ? s->high : s->low);
        add_point(to, pen, s->step, falls ? s->low : s->high);
        add_point(to, pen, s->step, s->last);
    }
    s->any = false;
}

static void add_trace(sheet *to, const chart *c, int32_t column, int32_t number) {
    begin_trace(to, number);
    stroke s = {.any = false};
    bool pen = false; // on the paper: a gap lifts it
    for (int64_t i = 0; i < c->table->row_count; i++) {
        double value = value_of(c->table, i, column), time = value_of(c->table, i, 0);
        if (isnan(value) || isnan(time)) {
            add_stroke(to, &pen, &s);
            pen = false;
            continue;
        }
        long step = (long)floor(2 * place_x(c, time) + 0.5);
        double y = place_y(c, value);
        if (s.any && step != s.step) {
            add_stroke(to, &pen, &s);
        }
        if (!s.any) {
            s = (stroke){.step = step, .first = y, .low = y, .high = y, .any = true};
        }
        s.low = fmin(s.low, y);
        s.high = fmax(s.high, y);
        s.last = y;
    }
    add_stroke(to, &pen, &s);
    end_line(to);
}

// rows that the legend takes; with a sheet, written below the chart
static int add_legend(sheet *s, const chart *c) {
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
        if (s) {
            int y = c->top + FRAME + FOOT + LEGEND_ROW * row + 8;
            begin_trace(s, color);
            line_to(s, false, x, y);
            line_to(s, true, x + 18, y);
            end_line(s);
            add_text(s, NAME, x + 24, y + 4, column->name, letters);
        }
        x += width;
        color++;
    }
    return row + 1;
}

static void add_chart(sheet *s, const chart *c) {
    const tdi_column *first = &c->table->columns[c->first];
    add_text(s, UNIT, LEFT, c->top - 10, first->unit, first->unit_size);
    add_axes(s, c);
    int32_t color = 0;
    for (int32_t k = c->first; k < c->table->column_count; k++) {
        if (in_chart(c, k)) {
            add_trace(s, c, k, color++);
        }
    }
    add_legend(s, c);
}

static int chart_height(const chart *c) {
    return FRAME + FOOT + LEGEND_ROW * add_legend(NULL, c) + GAP;
}

// Gives the height of the sheet.
static int add_charts(sheet *s, const tdi_table *table, const char *title) {
    int top = HEAD;
    add_text(s, TITLE, LEFT, 26, title, strlen(title));
    for (int32_t k = 1; k < table->column_count; k++) {
        if (starts_chart(table, k)) {
            chart c = make_chart(table, k, top + TITLE_ROOM);
            add_chart(s, &c);
            top += TITLE_ROOM + chart_height(&c);
        }
    }
    return top;
}

// ---- SVG ------------------------------------------------------------------------------------

// rules of a style come before attributes
static const char dark[] =
    "<style>\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  .paper { fill: #181c14; } .ink { fill: #e8ebe0; } .soft { fill: #9ba491; }\n"
    "  .grid { stroke: #30362b; } .axis { stroke: #9ba491; }\n"
    "  .c0 { stroke: #8fcb78; } .c1 { stroke: #eb9a5c; } .c2 { stroke: #86aff0; }\n"
    "  .c3 { stroke: #d393d8; } .c4 { stroke: #d8bf62; } .c5 { stroke: #66c7c6; }\n"
    "  .c6 { stroke: #ec8ba1; } .c7 { stroke: #b0b4bb; }\n"
    "}\n"
    "</style>\n";

static void wrap_svg(tdi_buffer *out, const td_bytes *charts, int height) {
    char head[320];
    snprintf(head, sizeof head,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
             "height=\"%d\" font-family=\"system-ui, sans-serif\">\n",
             WIDTH, height, WIDTH, height);
    add(out, head);
    add(out, dark);
    snprintf(head, sizeof head,
             "<rect class=\"paper\" fill=\"#%06x\" width=\"%d\" height=\"%d\"/>\n", (unsigned)PAPER,
             WIDTH, height);
    add(out, head);
    tdi_buffer_add(out, charts->data, charts->size);
    add(out, "</svg>\n");
}

// ---- PDF ------------------------------------------------------------------------------------

#define PDF_OBJECTS 6

// Points are 4/3 pixels; the page grows upwards, the sheet downwards.
static void wrap_pdf(tdi_buffer *out, const td_bytes *charts, int height) {
    int64_t offsets[PDF_OBJECTS + 1] = {0};
    char text[320], paper[120];
    snprintf(paper, sizeof paper,
             "0.75 0 0 -0.75 0 %d cm\n1 j\n0.984 0.984 0.972 rg\n0 0 %d %d re f\n", height * 3 / 4,
             WIDTH, height);
    add(out, "%PDF-1.4\n");
    offsets[1] = out->size;
    add(out, "1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    offsets[2] = out->size;
    add(out, "2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n");
    offsets[3] = out->size;
    snprintf(text, sizeof text,
             "3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R "
             "/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>\nendobj\n",
             WIDTH * 3 / 4, height * 3 / 4);
    add(out, text);
    offsets[4] = out->size;
    snprintf(text, sizeof text, "4 0 obj\n<< /Length %zu >>\nstream\n",
             strlen(paper) + charts->size);
    add(out, text);
    add(out, paper);
    tdi_buffer_add(out, charts->data, charts->size);
    add(out, "\nendstream\nendobj\n");
    for (int k = 5; k <= PDF_OBJECTS; k++) {
        offsets[k] = out->size;
        snprintf(text, sizeof text,
                 "%d 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica%s /Encoding "
                 "/WinAnsiEncoding >>\nendobj\n",
                 k, k == 6 ? "-Bold" : "");
        add(out, text);
    }
    const long long table = (long long)out->size;
    snprintf(text, sizeof text, "xref\n0 %d\n0000000000 65535 f \n", PDF_OBJECTS + 1);
    add(out, text);
    for (int k = 1; k <= PDF_OBJECTS; k++) {
        snprintf(text, sizeof text, "%010lld 00000 n \n", (long long)offsets[k]);
        add(out, text);
    }
    snprintf(text, sizeof text, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%lld\n%%%%EOF\n",
             PDF_OBJECTS + 1, table);
    add(out, text);
}

// ---- entry ----------------------------------------------------------------------------------

static td_status draw(const tdi_table *table, const char *title, bool pdf, const td_alloc *alloc,
                      td_bytes *out) {
    sheet s = {.out = {.alloc = alloc}, .pdf = pdf};
    tdi_buffer whole = {.alloc = alloc};
    const int height = add_charts(&s, table, title);
    td_bytes charts = {0};
    td_status status = tdi_buffer_finish(&s.out, &charts);
    if (status == TD_OK) {
        (pdf ? wrap_pdf : wrap_svg)(&whole, &charts, height);
        status = tdi_buffer_finish(&whole, out);
    }
    td_bytes_free(&charts);
    return status;
}

static td_status plot(const char *text, size_t size, const char *file, const char *title, bool pdf,
                      const td_alloc *alloc, td_bytes *out, td_diag *diag) {
    tdi_table table;
    *out = (td_bytes){NULL, 0, alloc};
    td_status status = tdi_table_read(&table, text, size, file, alloc, diag);
    if (status == TD_OK) {
        status = draw(&table, title ? title : "", pdf, alloc, out);
        if (status != TD_OK) {
            tdi_fail(diag, status, "out of memory for the plot");
        }
    }
    tdi_table_free(&table);
    return status;
}

td_status td_plot_svg(const char *text, size_t size, const char *file, const char *title,
                      const td_alloc *alloc, td_bytes *out, td_diag *diag) {
    TDI_REFUSE_IF(!out || (!text && size > 0));
    return plot(text, size, file, title, false, alloc, out, diag);
}

td_status td_plot_pdf(const char *text, size_t size, const char *file, const char *title,
                      const td_alloc *alloc, td_bytes *out, td_diag *diag) {
    TDI_REFUSE_IF(!out || (!text && size > 0));
    return plot(text, size, file, title, true, alloc, out, diag);
}
