/* The device's copies and memsets by the correlation number of their call, read together with the host's calls. The
 * rows are nearly in the order of the calls, so only a few records wait to be asked for. Unlike records.h, a record
 * here also has the first start and the last end of its call. */
#ifndef XFERSPY_ANALYZER_TRACE_DEVICE_RECORDS_H
#define XFERSPY_ANALYZER_TRACE_DEVICE_RECORDS_H

#include "analyzer/trace/records.h"

struct xs_device_record {
    struct xs_record sums; /* of the call's rows; correlation 0: this hash slot is free */
    uint32_t row;          /* count of rows read when the call's first row came */
    int64_t start_ns, end_ns;
};

/* A copy that a launched graph made; it has no call of its own. */
struct xs_graph_copy {
    uint32_t correlation; /* the graph launch's */
    unsigned kind;        /* number of XS_COPY_KINDS */
    int32_t device;
    int64_t start_ns, end_ns;
    uint64_t bytes;
};

struct xs_device_records {
    struct xs_scan scan;
    struct xs_device_record *places; /* hash slots */
    uint32_t count, mask;
    uint32_t rows, newest; /* rows read; the latest correlation seen */
    bool ended, full;
    uint32_t swept_at; /* the correlation asked for at the last sweep (device_records.c) */
    void (*on_graph_copy)(void *context, const struct xs_graph_copy *copy);
    void *context;
};

/* Reads device_copy if `copies`, else device_memset. The caller sets on_graph_copy, for copies only. */
void xs_device_records_begin(struct xs_device_records *records, const struct xs_trace *trace, bool copies,
                             char *message, uint64_t *damaged);

/* Returns the record of a call, and removes it unless `keep`: other copies of the call still need it. False: there
 * is none. */
bool xs_device_records_take(struct xs_device_records *records, uint32_t correlation, bool keep,
                            struct xs_device_record *record);

/* Reads on until rows of later calls appear. The caller wants the graph copies on the way. */
void xs_device_records_reach(struct xs_device_records *records, uint32_t correlation);

/* Frees everything and returns the status. */
int xs_device_records_end(struct xs_device_records *records);

#endif
