/* Finds the device records of copies or memsets by the correlation number of their call. The records are read in step
 * with the host's calls. The rows are nearly in the order of the calls, so only a few records have to be kept in memory
 * until their call is read. Unlike in records.h, a record here also has the earliest start and the latest end of its
 * call's rows. */
#ifndef XFERSPY_ANALYZER_TRACE_DEVICE_RECORDS_H
#define XFERSPY_ANALYZER_TRACE_DEVICE_RECORDS_H

#include "analyzer/trace/records.h"

struct xs_device_record {
    struct xs_record sums; /* sums of the call's rows; correlation 0: this hash slot is free */
    uint32_t row;          /* number of rows that were read up to the call's first row, including this row */
    int64_t start_ns, end_ns;
};

/* A copy that a launched graph made; it has no call of its own. */
struct xs_graph_copy {
    uint32_t correlation; /* correlation number of the graph launch */
    unsigned kind;        /* number of XS_COPY_KINDS */
    int32_t device;
    int64_t start_ns, end_ns;
    uint64_t bytes;
};

struct xs_device_records {
    struct xs_scan scan;
    struct xs_device_record *slots; /* hash slots */
    uint32_t count, mask;
    uint32_t rows, newest; /* number of rows that were read, and the largest correlation number of these rows */
    bool ended, full;
    uint32_t swept_at; /* the correlation number that was searched when records of old calls were last dropped to make
                        * room */
    void (*on_graph_copy)(void *context, const struct xs_graph_copy *copy);
    void *context;
};

/* Begins to read device_copy if `copies` is true, else device_memset. For copies, the caller may then set on_graph_copy
 * and `context`. */
void xs_device_records_begin(struct xs_device_records *records, const struct xs_trace *trace, bool copies,
                             char *message, uint64_t *damaged);

/* Returns the record of a call, and removes it unless `keep` is true because other copies of the call still need it.
 * False: no record was found. */
bool xs_device_records_take(struct xs_device_records *records, uint32_t correlation, bool keep,
                            struct xs_device_record *record);

/* Reads more rows until rows of calls after `correlation` appear, so that on_graph_copy was called for all graph copies
 * up to this call. */
void xs_device_records_reach(struct xs_device_records *records, uint32_t correlation);

/* Frees everything and returns the status. */
int xs_device_records_end(struct xs_device_records *records);

#endif
