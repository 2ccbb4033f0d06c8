/* Writes Parquet files of flat tables. All columns are optional. Texts are written by a dictionary, everything else is
 * PLAIN, and pages are packed by gzip where that makes them smaller. These are parts of the format that every reader
 * knows. */
#ifndef XFERSPY_ANALYZER_PARQUET_WRITE_H
#define XFERSPY_ANALYZER_PARQUET_WRITE_H

#include <stdio.h>

#include "analyzer/parquet/rows.h"

struct xs_parquet_group; /* a row group that was written */

struct xs_parquet_writer {
    FILE *file;
    const struct xs_column *columns;
    unsigned column_count;
    uint64_t offset;
    struct xs_parquet_group *groups;
    size_t group_count, group_capacity;
};

/* The most rows of a group. A reader needs memory for one group, and engines read groups in parallel. */
enum { XS_PARQUET_ROWS_A_GROUP = 1 << 15 };

/* The file must be empty. The caller must look for errors of the file after xs_parquet_end. */
void xs_parquet_begin(struct xs_parquet_writer *w, FILE *file, const struct xs_column *columns, unsigned count);

/* Writes rows `from` to `to` as groups. The rows must have the writer's columns. */
void xs_parquet_add(struct xs_parquet_writer *w, const struct xs_rows *rows, size_t from, size_t to);

/* Writes the footer, and frees the writer's memory. `keys` and `values` are texts that the footer has about the file.
 */
void xs_parquet_end(struct xs_parquet_writer *w, const char *created_by, const char *const *keys,
                    const char *const *values, size_t count);

#endif
