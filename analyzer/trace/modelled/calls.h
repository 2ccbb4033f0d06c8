/* The calls that gave the device work, waited for it or ordered it, in the order of time, as far as the model needs
 * them. */
#ifndef XFERSPY_ANALYZER_MODELLED_CALLS_H
#define XFERSPY_ANALYZER_MODELLED_CALLS_H

#include "analyzer/trace/events.h"
#include "analyzer/trace/streams.h"

/* The first ones are numbered as in xs_numbered. */
enum xs_call_kind {
    XS_CALL_TRANSFER,
    XS_CALL_MEMSET,
    XS_CALL_LAUNCH,
    XS_CALL_SYNC,
    XS_CALL_EVENT, /* records one, or makes a stream wait for one */
    XS_CALL_FREE,  /* that is not ordered in a stream */
    XS_CALL_KINDS
};

struct xs_call {
    int64_t id; /* in its table */
    int64_t enter_ns, return_ns;
    uint64_t bytes;
    uint64_t object;         /* of a launch its function, of a wait and an event the event */
    uint64_t grid;           /* of a launch: a hash of grid, block and shared memory */
    int64_t context, stream; /* ids; 0: unknown */
    uint32_t correlation;
    int32_t entry_point;
    int32_t batch_index; /* -1: of no batch */
    uint8_t kind;        /* enum xs_call_kind */
    uint8_t direction, src_kind, dst_kind;
    uint8_t detail; /* of a launch its kind, of a wait its scope; of an event 1: it is recorded */
    bool is_async, is_box;
};

/* A copy between the device and pageable memory, which the driver stages. */
static inline bool xs_call_is_pageable(const struct xs_call *call) {
    return call->kind == XS_CALL_TRANSFER && ((call->direction == XS_DIR_H2D && call->src_kind == XS_MEM_PAGEABLE) ||
                                              (call->direction == XS_DIR_D2H && call->dst_kind == XS_MEM_PAGEABLE));
}

struct xs_calls {
    struct xs_source *sources[XS_CALL_KINDS];
    struct xs_order_key heads[XS_CALL_KINDS];
    bool alive[XS_CALL_KINDS];
    int taken; /* the source of the call that was handed out; -1: none */
};

/* `recorded`: work without a correlation number is left out. Always to be ended. */
void xs_calls_begin(struct xs_calls *calls, const struct xs_trace *trace, bool recorded, char *message);
void xs_calls_end(struct xs_calls *calls);

/* The next call, valid until the next time; NULL at the end, and on an error, where the status is negative. */
const struct xs_call *xs_calls_next(struct xs_calls *calls, int *status);

#endif
