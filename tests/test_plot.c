// SPDX-License-Identifier: MIT
// Tables of numbers and their pictures. Pairs with src/io/table.c and src/io/plot.c.

#include "td_test.h"

#include "io/table.h"

#include <stdlib.h>

// ---- help -----------------------------------------------------------------------------------

static char *plot_of(const char *csv) {
    OWNED(td_bytes) svg = {0};
    td_diag diag = {0};
    if (td_plot_svg(csv, strlen(csv), "t.csv", "Title", NULL, &svg, &diag) != TD_OK) {
        test_failed(__FILE__, __LINE__, "no plot: %s", diag.message);
    }
    char *text = calloc(svg.size + 1, 1);
    memcpy(text, svg.data, svg.size);
    return text;
}

static int count_of(const char *text, const char *part) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)); at++) {
        count++;
    }
    return count;
}

static void check_refused(const char *csv, int32_t line, int32_t column, const char *part) {
    td_bytes svg = {0};
    td_diag diag = {0};
    CHECK_INT(td_plot_svg(csv, strlen(csv), "t.csv", "", NULL, &svg, &diag), TD_ERR_SYNTAX);
    CHECK_INT(diag.line, line);
    CHECK_INT(diag.column, column);
    CHECK_TEXT(diag.file, "t.csv");
    CHECK_HAS(diag.message, part);
    CHECK(!svg.data);
}

// ---- tables ---------------------------------------------------------------------------------

TD_TEST(table_has_names_units_and_numbers) {
    const char csv[] = "time, tip.x [m] ,load [N m],count\r\n0,1,2.5,-3e2\r\n\n1, ,nan,-inf\n";
    tdi_table table;
    CHECK_INT(tdi_table_read(&table, csv, sizeof csv - 1, "t.csv", NULL, NULL), TD_OK);
    CHECK_INT(table.column_count, 4);
    CHECK_INT(table.row_count, 2);
    CHECK(strncmp(table.columns[1].name, "tip.x", table.columns[1].name_size) == 0);
    CHECK_INT(table.columns[1].name_size, 5);
    CHECK(strncmp(table.columns[2].unit, "N m", 3) == 0 && table.columns[2].unit_size == 3);
    CHECK_INT(table.columns[3].unit_size, 0);
    CHECK_REL(table.values[3], -300, 0);
    CHECK(isnan(table.values[5]) && isnan(table.values[6]) && isnan(table.values[7]));
    tdi_table_free(&table);
}

TD_TEST(faults_of_a_table_have_their_place) {
    check_refused("", 1, 1, "empty");
    check_refused("\n\n", 1, 1, "empty");
    check_refused("time\n0\n", 1, 1, "headings");
    check_refused("time,a\n0,1\n0.5,1x\n", 3, 5, "number");
    check_refused("time,a\n0,1\n1\n", 3, 1, "as many cells");
    check_refused("time,a\n0,1,2\n", 2, 1, "as many cells");
    check_refused("time,a\n1,1\n0.5,2\n", 3, 1, "in the order of time");
    check_refused("time,a\n,1\n", 2, 1, "time");
}

TD_TEST(table_of_too_many_columns_is_refused) {
    char csv[2 * TDI_MAX_COLUMNS + 8] = "t";
    for (int i = 0; i < TDI_MAX_COLUMNS; i++) {
        strcat(csv, ",a");
    }
    td_bytes svg = {0};
    CHECK_INT(td_plot_svg(csv, strlen(csv), "t.csv", "", NULL, &svg, NULL), TD_ERR_LIMIT);
}

// ---- pictures -------------------------------------------------------------------------------

TD_TEST(columns_of_one_unit_share_a_chart) {
    FREED char *svg = plot_of("time,a [m],b [N],c [m],d\n0,1,2,3,4\n1,2,3,4,5\n");
    CHECK_INT(count_of(svg, "class=\"axis\""), 3);
    CHECK_INT(count_of(svg, "class=\"line c"), 2 * 4); // each in its chart and in the legend
    CHECK_INT(count_of(svg, "class=\"line c1\""), 2);  // only c is second in its chart
    CHECK_INT(count_of(svg, ">m</text>"), 1);
    CHECK_INT(count_of(svg, ">N</text>"), 1);
    CHECK_HAS(svg, "prefers-color-scheme: dark");
}

TD_TEST(text_of_a_table_cannot_break_the_picture) {
    FREED char *svg = plot_of("time,<b>&\x01\xff [<u>]\n0,1\n1,2\n");
    CHECK(!strstr(svg, "<b>") && !strstr(svg, "<u>"));
    CHECK_HAS(svg, "&lt;b&gt;&amp;??");
}

TD_TEST(ticks_are_round_numbers) {
    char *svg = plot_of("time,a\n0,0\n10,1\n");
    CHECK_HAS(svg, ">0.2</text>");
    CHECK_HAS(svg, ">0.8</text>");
    CHECK_HAS(svg, ">10</text>");
    free(svg);
    svg = plot_of("time,a\n0,-3e-9\n1e7,2e-9\n");
    CHECK_HAS(svg, ">-2e-9</text>");
    CHECK_HAS(svg, ">4e6</text>");
    free(svg);
}

// One row of a hundred thousand is higher: it shows, and the file is no larger than the screen
// needs.
TD_TEST(peak_between_many_rows_is_not_lost) {
    size_t room = 2u << 20, used;
    FREED char *csv = malloc(room);
    used = (size_t)snprintf(csv, room, "time,a [m]\n");
    for (int i = 0; i < 100000; i++) {
        used += (size_t)snprintf(csv + used, room - used, "%d,%d\n", i, i == 54321 ? 100 : i % 2);
    }
    FREED char *svg = plot_of(csv);
    CHECK(strlen(svg) < 200000);
    const char *trace = strstr(svg, "class=\"line c0\"");
    // the frame begins at 66 and is 180 high; the peak stands 4 % of 100 below its top
    CHECK(trace && strstr(trace, " 72.7"));
}

TD_TEST(gap_in_a_column_lifts_the_pen) {
    FREED char *svg = plot_of("time,a\n0,1\n1,2\n2,\n3,2\n4,1\n");
    const char *trace = strstr(svg, "class=\"line c0\"");
    CHECK(trace != NULL);
    char *end = strchr(trace, '>');
    *end = 0;
    CHECK_INT(count_of(trace, "M"), 2);
}

TD_TEST(odd_tables_are_drawn_without_trouble) {
    const char *const odd[] = {
        "time,a\n",                    // no rows
        "time,a\n5,7\n",               // one
        "time,a\n0,7\n1,7\n",          // level
        "time,a\n0,\n1,\n",            // nothing
        "time,a\n1,1e308\n2,-1e308\n", // too far apart
        "time,a\n-1e308,1\n1e308,2\n", // so is time
        "time,a\n1e300,1\n1e300,2\n",  // and here
        "time,a\n0,1000000000.1\n1,1000000000.2\n",
        "time,a\n0,1e-320\n1,2e-320\n",
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        FREED char *svg = plot_of(odd[i]);
        CHECK(strlen(svg) < 20000);
        CHECK(!strstr(svg, "nan") && !strstr(svg, "inf"));
        CHECK_HAS(svg, "</svg>");
    }
}

// ---- refusals -------------------------------------------------------------------------------

TD_TEST(plot_frees_everything_when_memory_runs_out) {
    const char csv[] = "time,a [m],b [N]\n0,1,2\n1,2,3\n2,1,2\n";
    WITH_SCARCE(memory, 4) {
        OWNED(td_bytes) svg = {0};
        CHECK_INT(td_plot_svg(csv, sizeof csv - 1, "t.csv", "", &memory.alloc, &svg, NULL),
                  scarce_status(&memory));
        CHECK((svg.data != NULL) == (scarce_status(&memory) == TD_OK));
    }
}

// cut anywhere or with any byte changed, a table is drawn or refused with a message
TD_TEST(damaged_tables_are_drawn_or_refused) {
    const char csv[] = "time,tip.x [m],b [N]\n0,1.5e-3,2\n1,2,3\n2,1,-2\n";
    size_t size = sizeof csv - 1;
    tdi_random random = random_of(11);
    for (int i = 0; i < 4000; i++) {
        // a block of its own size, so that reading past its end is seen
        size_t cut = i < (int)size ? (size_t)i : size;
        char *text = malloc(cut + 1);
        memcpy(text, csv, cut);
        if (i >= (int)size) {
            text[tdi_random_bits(&random) % size] = (char)tdi_random_bits(&random);
        }
        OWNED(td_bytes) svg = {0};
        td_diag diag = {0};
        FREED char *exact = realloc(text, cut > 0 ? cut : 1);
        td_status status = td_plot_svg(exact, cut, "t.csv", "", NULL, &svg, &diag);
        CHECK(status == TD_OK || (status == TD_ERR_SYNTAX && diag.message[0]));
    }
}

// ---- colours and PDF ------------------------------------------------------------------------

// Programs other than browsers know attributes, not variables of CSS.
TD_TEST(plot_svg_has_colours_as_attributes) {
    FREED char *svg = plot_of("time,tip.x [m],load [N]\n0,1,2\n1,2,3\n");
    CHECK_INT(count_of(svg, "var("), 0);
    CHECK_HAS(svg, "<rect class=\"paper\" fill=\"#fbfbf8\"");
    const char *start = strchr(svg, '>') + 1;
    for (const char *at = strstr(start, "<path"); at; at = strstr(at + 1, "<path")) {
        const char *stroke = strstr(at, "stroke=\"#"), *fill = strstr(at, "fill=\"none\"");
        CHECK(stroke && fill && stroke < strchr(at, '>') && fill < strchr(at, '>'));
    }
    for (const char *at = strstr(start, "<text"); at; at = strstr(at + 1, "<text")) {
        const char *fill = strstr(at, "fill=\"#");
        CHECK(fill && fill < strchr(at, '>'));
    }
    CHECK_HAS(svg, "prefers-color-scheme: dark");
}

TD_TEST(plot_pdf_has_its_objects_where_its_table_says) {
    const char csv[] =
        "time,tip (x) [m\xc2\xb2],\xe2\x88\x91 load [N]\n0,1,2\n1,2,\n2,3,4\n3,1,5\n";
    td_bytes pdf = {0};
    td_diag diag = {.message = ""};
    CHECK_INT(td_plot_pdf(csv, sizeof csv - 1, "t.csv", "A \\ title", NULL, &pdf, &diag), TD_OK);
    char *text = calloc(pdf.size + 1, 1);
    memcpy(text, pdf.data, pdf.size);
    CHECK(strncmp(text, "%PDF-1.", 7) == 0);
    CHECK_HAS(text, "(A \\\\ title) Tj");
    CHECK_HAS(text, "(tip \\(x\\)) Tj");
    CHECK_HAS(text, "(m\xb2) Tj");
    CHECK_HAS(text, "(? load) Tj");
    const char *end = strstr(text, "startxref\n");
    CHECK(end != NULL);
    const char *table = text + (end ? strtoul(end + 10, NULL, 10) : 0);
    CHECK(strncmp(table, "xref\n0 7\n", 9) == 0);
    const char *row = table + 9 + 20;
    for (int k = 1; k < 7; k++, row += 20) {
        char head[16];
        snprintf(head, sizeof head, "%d 0 obj\n", k);
        CHECK(strncmp(text + strtoul(row, NULL, 10), head, strlen(head)) == 0);
    }
    const char *length = strstr(text, "/Length "), *stream = strstr(text, "stream\n");
    CHECK(length && stream);
    const size_t size = length ? strtoul(length + 8, NULL, 10) : 0;
    CHECK(stream && strncmp(stream + 7 + size, "\nendstream", 10) == 0);
    free(text);
    td_bytes_free(&pdf);
    CHECK_INT(td_plot_pdf("a", 1, "t.csv", "", NULL, &pdf, &diag), TD_ERR_SYNTAX);
}
