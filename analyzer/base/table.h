/* Prints a table in aligned columns. Cells are escaped when they are added, and measured in terminal columns. If the
 * terminal is too narrow, optional columns are left out, and then the widest left-aligned columns are cut. */
#ifndef XFERSPY_ANALYZER_BASE_TABLE_H
#define XFERSPY_ANALYZER_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/out.h"

struct xs_table;
struct xs_string; /* text.h */

struct xs_table *xs_table_new(int indent);
void xs_table_free(struct xs_table *table);

/* Declares a pointer to a table that is freed at the end of its block, on every way out of it. */
static inline void xs_table_free_scoped(struct xs_table **table) { xs_table_free(*table); }
#define XS_SCOPED_TABLE __attribute__((cleanup(xs_table_free_scoped))) struct xs_table

/* Adds a column. All columns must be added before the first cell. If all headers are NULL, there is no heading line. */
void xs_table_column(struct xs_table *table, const char *header, bool right);
/* Makes the column that was just added optional: it may be left out if the terminal is too narrow. The last optional
 * column is left out first. */
void xs_table_optional(struct xs_table *table);
/* Makes the table show columns without any text, too. */
void xs_table_keep_empty(struct xs_table *table);
void xs_table_align(struct xs_table *table, int column, bool right);

/* Cells fill rows from left to right. NULL is an empty cell. */
void xs_table_cell(struct xs_table *table, const char *text);
void xs_table_take(struct xs_table *table, struct xs_string *text); /* frees the text */
void xs_table_format(struct xs_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void xs_table_style_row(struct xs_table *table, enum xs_style style); /* styles the row of the next cell */

size_t xs_table_rows(const struct xs_table *table);

/* Prints the rows and discards them; a column without any text is left out. If more cells are added and printed by a
 * later call, they are printed in the same columns, without a heading line, and no column becomes narrower because of
 * them. */
void xs_table_print(struct xs_table *table, struct xs_out *out);

#endif
