/* The uploads that wait to be sent, for gather.c: one batch in the process, of one stream. Functions say whether the
 * caller holds the lock. No function is called by a thread that is inside of another one. */
#ifndef XFERSPY_PRELOAD_REPAIR_GATHER_SEND_H
#define XFERSPY_PRELOAD_REPAIR_GATHER_SEND_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/core/lock.h"
#include "preload/repair/gather_batch.h"
#include "preload/repair/ring.h"

#define XS_GATHER_BUFFER_BYTES ((size_t)256 << 10)

/* All but the atomic members under `lock`, which makes signals wait: a handler that calls CUDA or jumps away must not
 * find it locked by its own thread. */
extern struct xs_gather {
    struct xs_lock lock;
    _Atomic bool is_open;       /* the batch has uploads */
    _Atomic uint64_t opened;    /* batches that were opened */
    _Atomic(CUcontext) context; /* the one that is gathered in; NULL: none yet */
    _Atomic(CUstream) stream;   /* of the batch, and of what is owed (xs_stream_handle) */
    _Atomic uint64_t owed;      /* number of a batch with blocking uploads that was sent and may be under way; 0 */
    bool is_over;               /* the process ends: no upload is taken any more */
    bool is_in_order;           /* its copies are made one behind the other */
    bool has_blocking;          /* one of its uploads was a blocking one */
    struct xs_batch batch;
    uint64_t latest_allocation; /* where the one begins that the batch's last upload goes to */
    struct xs_pace pace;
    struct xs_ring_buffer *buffer; /* what the uploads are copied to; NULL: none */
    size_t used;                   /* of the buffer */
    CUevent sent;                  /* of the context: the batch that is owed */
    CUstream own;                  /* of the context, for batches in the legacy stream; NULL: none */
    CUresult failed;               /* of a batch; the next upload returns it */
} xs_gather;

extern struct xs_ring xs_gather_ring;

/* Makes what a context needs; under the lock, on a scratch stack. False: it cannot be had. */
bool xs_gather_enter_context(CUcontext context);

/* A stream is about to be destroyed: no event can be recorded in it afterwards. The batch was sent and nothing is owed.
 * Takes the lock. */
void xs_gather_leave_stream(void);

/* Gives all of it back, and the buffers; the batch was sent. Takes the lock. */
void xs_gather_leave_context(void);

/* Gives back the buffer, which has uploads of the batch's stream alone; the batch was sent. Under the lock, in the
 * context. */
void xs_gather_retire(void);

/* Hands the batch to the driver. Under the lock. */
void xs_gather_send(void);

/* The same, if there is one; takes the lock. Then waits until blocking uploads have arrived, unless what comes next is
 * in their own stream: such a stream may be one that knows no order with it, but the program saw them return. `next`:
 * the stream's handle; NULL: it may be any. */
void xs_gather_flush(CUstream next);

/* Sends a batch that nothing else sends, by a thread that looks every millisecond while there are some: a kernel that
 * runs already may wait for it. False: there is no such thread. Any thread. */
bool xs_gather_watch(void);

/* A batch was opened: wakes that thread. */
void xs_gather_wake(void);

/* Is the calling thread that one? Its calls are not the program's. */
bool xs_gather_is_watch(void);

#endif
