// SPDX-License-Identifier: MIT
#pragma once

// Tables of numbers, comma-separated, with one line of headings. The first column is time.

#include "tendril/io.h"

#define TDI_MAX_COLUMNS 1000

// A heading such as "tip.x [m]", in the text that was read.
typedef struct tdi_column {
    const char *name, *unit;
    size_t name_size, unit_size;
} tdi_column;

// Zero-initialise; free with tdi_table_free().
typedef struct tdi_table {
    const td_alloc *alloc;
    tdi_column *columns;
    int32_t column_count; // at least 2: time comes first
    int64_t row_count;
    double *values; // row by row; not-a-number where a cell is empty or holds no finite number
} tdi_table;

// `text` must last as long as the table; `file` names it in messages. Rows of another length, cells
// that are no numbers and time that falls are faults with their place.
td_status tdi_table_read(tdi_table *table, const char *text, size_t size, const char *file,
                         const td_alloc *alloc, td_diag *diag);
void tdi_table_free(tdi_table *table);
