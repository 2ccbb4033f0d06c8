/* Holds what CUPTI recorded of each call, to be joined with the host's calls by correlation number. A sorted array has
 * the sums of each call's rows, in one entry of 24 bytes per correlation number. Calls may be searched in any order,
 * but all entries are in memory; device_records.h needs little memory, but the host calls must be in order. */
#ifndef XFERSPY_ANALYZER_TRACE_RECORDS_H
#define XFERSPY_ANALYZER_TRACE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/kind_words.h"
#include "analyzer/trace/scan.h"

struct xs_record {
    uint32_t correlation;  /* 0: the record belongs to no call */
    uint32_t records : 30; /* rows of device_copy or device_memset */
    uint32_t matched : 1;  /* a host call with this number was found */
    uint32_t untimed : 1;  /* at least one row had no times, so `ns` is too low */
    uint64_t bytes, ns;
};

/* The columns that xs_record_read reads: XS_RECORD_COLUMNS of device_memset, and XS_COPY_RECORD_COLUMNS of device_copy.
 * They must be adjacent columns of the statement, in this order. */
#define XS_RECORD_COLUMNS "correlation, bytes, start_ns, end_ns, NULL, NULL, NULL"
#define XS_COPY_RECORD_COLUMNS "correlation, " XS_COPY_RECORD_OTHER_COLUMNS
#define XS_COPY_RECORD_OTHER_COLUMNS "bytes, start_ns, end_ns, kind, src_kind, dst_kind" /* without correlation */
enum {
    XS_RECORD_CORRELATION,
    XS_RECORD_BYTES,
    XS_RECORD_START,
    XS_RECORD_END,
    XS_RECORD_KIND,
    XS_RECORD_SRC_KIND,
    XS_RECORD_DST_KIND,
    XS_RECORD_NEXT
};
/* Reads the record of a row, whose columns begin with the column `first`. The upload of a copy that the driver staged
 * counts no bytes (kind_words.h). */
struct xs_record xs_record_read(struct xs_scan *scan, int first);

/* Returns only the bytes of the record that xs_record_read would return. */
uint64_t xs_record_bytes(struct xs_scan *scan, int first);

/* Returns the kind of a copy (xs_kind_of_copy) from the same columns, as a number of XS_COPY_KINDS. */
unsigned xs_record_kind(struct xs_scan *scan, int first);

/* Adds `from`, the record of another row of the same call, to `into`. */
void xs_record_fold(struct xs_record *into, const struct xs_record *from);

struct xs_records {
    struct xs_record *items;
    size_t count, capacity, cursor;
    bool unordered;
};

/* Adds a row, unless it belongs to no call. The program ends if memory runs out. */
void xs_records_add(struct xs_records *records, const struct xs_record *row);

/* Sorts the rows, and combines the rows of each call into one entry. The caller must call this function after the last
 * xs_records_add and before the first xs_records_find. */
void xs_records_sort(struct xs_records *records);

/* Returns the entry of a correlation number; NULL: none. The search is fast if the numbers are searched in nearly
 * ascending order. */
struct xs_record *xs_records_find(struct xs_records *records, uint32_t correlation);

/* Computes the device time of one transfer. Copies of a batch call share one correlation number, so each gets a part of
 * the record's time in proportion to its bytes. False: the time is not known. `record` may be NULL. */
bool xs_record_share(const struct xs_record *record, uint64_t bytes, uint64_t *ns);

void xs_records_free(struct xs_records *records);

#endif
