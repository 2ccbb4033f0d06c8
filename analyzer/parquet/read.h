/* Reads Parquet files as write.h writes them: flat tables, whose values are stored one after the other (PLAIN) or as
 * indexes into a dictionary, and may be packed by gzip. Files may come from anyone, so everything in them is checked
 * before it is used. */
#ifndef XFERSPY_ANALYZER_PARQUET_READ_H
#define XFERSPY_ANALYZER_PARQUET_READ_H

#include "analyzer/parquet/rows.h"

struct xs_parquet_chunk {
    int64_t offset, bytes, values;
    int codec;
};
struct xs_parquet_read_group {
    int64_t rows;
    struct xs_parquet_chunk *chunks; /* by column of the file */
};
struct xs_parquet_read_column {
    char *name;
    int physical;     /* enum xs_parquet_physical */
    bool is_optional; /* it has definition levels */
    int64_t per_us;   /* of a time: how many of its units are a microsecond; if negative, how many microseconds are one
                         of its units */
};
struct xs_parquet_reader {
    int descriptor;
    int64_t bytes; /* size of the file */
    struct xs_parquet_read_column *columns;
    size_t column_count;
    struct xs_parquet_read_group *groups;
    size_t group_count;
    uint64_t rows;   /* of all groups */
    const char *why; /* after a failure: what is wrong with the file, as a part of a sentence */
};

/* Opens a file and reads its footer. False: `why` says why. Always call xs_parquet_close. The file must not be a pipe.
 * `folder` is a descriptor as for openat, or AT_FDCWD. */
bool xs_parquet_open(struct xs_parquet_reader *r, int folder, const char *path);
void xs_parquet_close(struct xs_parquet_reader *r);

/* Adds the rows of a group to `rows`. Columns are found by their names. If the file lacks a column of `rows`, the new
 * rows have no values in this column, so that files of older versions can be read. `wanted` says, by column of `rows`,
 * which columns are read; NULL: all. False: the file cannot be read, and `why` says why. */
bool xs_parquet_read(struct xs_parquet_reader *r, size_t group, struct xs_rows *rows, const bool *wanted);

#endif
