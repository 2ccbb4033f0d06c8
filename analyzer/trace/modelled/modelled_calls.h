/* Reads, in order of time, the calls that gave work to the device, waited for work, or ordered work in streams, with
 * the fields that the model needs. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_CALLS_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_CALLS_H

#include "analyzer/trace/events.h"
#include "analyzer/trace/streams.h"

/* Kinds of calls. The first three kinds have the numbers of enum xs_numbered. */
enum xs_call_kind {
    XS_CALL_TRANSFER,
    XS_CALL_MEMSET,
    XS_CALL_LAUNCH,
    XS_CALL_SYNC,
    XS_CALL_EVENT, /* records an event, or makes a stream wait for one */
    XS_CALL_FREE,  /* a free that is not stream-ordered */
    XS_CALL_KINDS
};

struct xs_modelled_call {
    int64_t id; /* row id in the call's table */
    int64_t enter_ns, return_ns;
    uint64_t bytes;
    uint64_t object;         /* a launch's function; the event of a wait or of an XS_CALL_EVENT */
    uint64_t grid;           /* hash of a launch's grid, block and shared memory */
    int64_t context, stream; /* ids; 0: unknown */
    uint32_t correlation;
    int32_t entry_point; /* entry_point.id, or XS_NO_ENTRY_POINT */
    int32_t batch_index; /* -1: not of a batch call */
    uint8_t kind;        /* enum xs_call_kind */
    uint8_t direction, src_kind, dst_kind;
    uint8_t detail; /* a launch's kind; a wait's scope; for XS_CALL_EVENT 1 if it records the event, else 0 */
    bool is_async, is_box;
};

/* True for a copy between the device and pageable memory, which the driver stages. */
static inline bool xs_call_is_pageable(const struct xs_modelled_call *call) {
    return call->kind == XS_CALL_TRANSFER && ((call->direction == XS_DIR_H2D && call->src_kind == XS_MEM_PAGEABLE) ||
                                              (call->direction == XS_DIR_D2H && call->dst_kind == XS_MEM_PAGEABLE));
}

/* Returns the copy engine that a call's work needs; XS_COPY_ENGINES: none. */
enum xs_engine { XS_H2D_ENGINE, XS_D2H_ENGINE, XS_COPY_ENGINES };
static inline enum xs_engine xs_engine_of(const struct xs_modelled_call *call) {
    if (call->kind != XS_CALL_TRANSFER || (call->direction != XS_DIR_H2D && call->direction != XS_DIR_D2H))
        return XS_COPY_ENGINES;
    return call->direction == XS_DIR_H2D ? XS_H2D_ENGINE : XS_D2H_ENGINE;
}

/* Begins to read the calls. If `recorded` is true, calls that give work to the device are left out if they have no
 * correlation number. Call xs_merge_end even after an error. */
int xs_calls_begin(struct xs_merge *calls, const struct xs_trace *trace, bool recorded, char *message);

/* Returns the next call of the trace. The result is valid until xs_calls_next is called again. NULL: the end if *status
 * is 0, an error if *status is negative. */
const struct xs_modelled_call *xs_calls_next(struct xs_merge *calls, int *status);

#endif
