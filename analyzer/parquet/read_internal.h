/* What the files that read Parquet share. */
#ifndef XFERSPY_ANALYZER_PARQUET_READ_INTERNAL_H
#define XFERSPY_ANALYZER_PARQUET_READ_INTERNAL_H

#include "analyzer/parquet/read.h"

/* Sets why the file cannot be read, and returns false. */
bool xs_parquet_fail(struct xs_parquet_reader *r, const char *why);

/* Reads bytes at an offset of the file. */
bool xs_parquet_bytes(struct xs_parquet_reader *r, int64_t offset, void *bytes, size_t length);

#endif
