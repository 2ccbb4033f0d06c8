/* The rows of a table straight from the pages of a finished trace's file, integers only. SQLite's virtual machine costs
 * 20 ns a column, which for ten million transfers and their records is more than all of the analysis; this costs 3. It
 * follows https://www.sqlite.org/fileformat.html, sections 1.6 and 2, for tables with a row id, and gives up at anything
 * that it does not expect: then the caller asks SQLite, which finds the words for damage. */
#ifndef XFERSPY_ANALYZER_TRACE_PAGES_H
#define XFERSPY_ANALYZER_TRACE_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/trace.h"

enum { XS_PAGES_COLUMNS = 64 };
enum xs_value_type { XS_VALUE_NULL, XS_VALUE_INTEGER, XS_VALUE_OTHER };

struct xs_pages; /* a table that is being read */

/* What a row gave, by the place in the list of columns; other types than integers as 0. */
struct xs_values {
    int64_t number[XS_PAGES_COLUMNS + 1]; /* the last one is the reader's own */
    uint8_t type[XS_PAGES_COLUMNS + 1];   /* enum xs_value_type */
};

/* `columns`: names with ", " between them; one that the table does not have reads as NULL. NULL where the file cannot be
 * read this way: it is still written to, has a WAL, or is not what it should be. */
struct xs_pages *xs_pages_begin(const struct xs_trace *trace, const char *table, const char *columns);

/* 1: the next row is in xs_pages_values; 0: the end; -1: something unexpected, ask SQLite. */
int xs_pages_row(struct xs_pages *pages);
const struct xs_values *xs_pages_values(const struct xs_pages *pages);

void xs_pages_end(struct xs_pages *pages);

#endif
