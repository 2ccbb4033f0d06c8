/* CUPTI's copy records by correlation number, for joining them with the host's calls: sorted, one entry a number, 24
 * bytes each. */
#ifndef XFERSPY_ANALYZER_TRACE_RECORDS_H
#define XFERSPY_ANALYZER_TRACE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_record {
    uint32_t correlation;
    uint32_t records : 30; /* rows of device_copy */
    uint32_t matched : 1;  /* a host call has this number */
    uint32_t untimed : 1;  /* a row had no times; `ns` is not the whole */
    uint64_t bytes, ns;
};

struct xs_records {
    struct xs_record *items;
    size_t count, capacity, cursor;
    bool unordered;
};

/* Adds a row's numbers. Returns 0 or XS_ERROR_MEMORY. */
int xs_records_add(struct xs_records *records, uint32_t correlation, uint64_t bytes, bool timed, uint64_t ns);

/* Sorts and folds; after the last add, before the first find. */
void xs_records_sort(struct xs_records *records);

/* The entry of a correlation number, or NULL. Fast where numbers are asked for in nearly ascending order. */
struct xs_record *xs_records_find(struct xs_records *records, uint32_t correlation);

/* Whether a transfer's device time is known, and how much of its record's is its own: a batch call's copies share one number,
 * and its time by their bytes. `record` may be NULL. */
bool xs_record_share(const struct xs_record *record, uint64_t bytes, uint64_t *ns);

void xs_records_free(struct xs_records *records);

#endif
