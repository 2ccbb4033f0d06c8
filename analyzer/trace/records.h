/* What CUPTI recorded of a call, by its correlation number, to be joined with the host's calls: the sums of the
 * call's rows in a sorted array with one entry of 24 bytes per number. Calls may be asked for in any order, but all
 * rows are in memory; device_records.h needs little memory and host calls in order. */
#ifndef XFERSPY_ANALYZER_TRACE_RECORDS_H
#define XFERSPY_ANALYZER_TRACE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/scan.h"

struct xs_record {
    uint32_t correlation;  /* 0: of no call */
    uint32_t records : 30; /* rows of device_copy or device_memset */
    uint32_t matched : 1;  /* a host call has this number */
    uint32_t untimed : 1;  /* a row had no times, so `ns` is too low */
    uint64_t bytes, ns;
};

/* The columns that a row's record is read from: the first ones of a SELECT. */
#define XS_RECORD_COLUMNS "correlation, bytes, start_ns, end_ns"
enum { XS_RECORD_CORRELATION, XS_RECORD_BYTES, XS_RECORD_START, XS_RECORD_END, XS_RECORD_NEXT };
struct xs_record xs_record_read(struct xs_scan *scan);

/* Adds the sums of another row of the same call. */
void xs_record_fold(struct xs_record *into, const struct xs_record *from);

struct xs_records {
    struct xs_record *items;
    size_t count, capacity, cursor;
    bool unordered;
};

/* Adds a row; ignores a row of no call. Returns 0 or XS_ERROR_MEMORY. */
int xs_records_add(struct xs_records *records, const struct xs_record *row);

/* Sorts, and folds the rows of each call. Call it after the last add and before the first find. */
void xs_records_sort(struct xs_records *records);

/* The entry of a correlation number, or NULL. Fast where numbers are asked for in nearly ascending order. */
struct xs_record *xs_records_find(struct xs_records *records, uint32_t correlation);

/* The device time of one transfer. Copies of a batch call share one correlation number, so each gets a part of the
 * record's time by its bytes. False: the time is not known. `record` may be NULL. */
bool xs_record_share(const struct xs_record *record, uint64_t bytes, uint64_t *ns);

void xs_records_free(struct xs_records *records);

#endif
