/* The uploads that wait to be sent, for gather.c: one batch in the process, all in one stream. Comments say whether the
 * caller holds the lock. No thread inside one of these functions calls another. */
#ifndef XFERSPY_PRELOAD_REPAIR_GATHER_SEND_H
#define XFERSPY_PRELOAD_REPAIR_GATHER_SEND_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/core/lock.h"
#include "preload/repair/gather_batch.h"
#include "preload/repair/ring.h"

#define XS_GATHER_BUFFER_BYTES ((size_t)256 << 10)

/* Everything but the atomic members is under `lock`, which makes signals wait: a handler that calls CUDA or jumps away
 * must not find it locked by its own thread. */
extern struct xs_gather {
    struct xs_lock lock;
    _Atomic bool is_open;       /* the batch has uploads */
    _Atomic uint64_t opened;    /* number of batches opened so far */
    _Atomic(CUcontext) context; /* context of the batches; NULL: none yet */
    _Atomic(CUstream) stream;   /* stream of the batch, and of the owed batch (xs_stream_handle) */
    _Atomic uint64_t owed;      /* number of a sent batch whose blocking uploads may be under way; 0: none */
    bool is_over;               /* the process ends: no further upload is taken */
    bool is_in_order;           /* the batch's copies are made one after the other */
    bool has_blocking;          /* one of the batch's uploads was blocking */
    struct xs_batch batch;
    uint64_t latest_allocation; /* start of the allocation that the batch's last upload goes to */
    struct xs_pace pace;
    struct xs_ring_buffer *buffer; /* destination of the uploads' content; NULL: none */
    size_t used;                   /* used bytes of the buffer */
    CUevent sent;                  /* event of the context, for the owed batch */
    CUstream own;                  /* stream of the context, for batches in the legacy stream; NULL: none */
    CUresult failed;               /* error of a batch; the next upload returns it */
} xs_gather;

extern struct xs_ring xs_gather_ring;

/* Makes the event and stream of a context; under the lock, on a scratch stack. False: they are not available. */
bool xs_gather_enter_context(CUcontext context);

/* Called before a stream is destroyed, in which no event can be recorded afterwards. The batch was sent and nothing is
 * owed. Takes the lock. */
void xs_gather_leave_stream(void);

/* Gives back everything of the context, and the buffers; the batch was sent. Takes the lock. */
void xs_gather_leave_context(void);

/* Gives back the buffer, which holds uploads of the batch's stream only; the batch was sent. Under the lock, in the
 * context. */
void xs_gather_retire(void);

/* Hands the batch to the driver. Under the lock. */
void xs_gather_send(void);

/* Sends the batch if there is one; takes the lock. Then waits until blocking uploads have arrived, unless the next work
 * is in their stream: another stream may have no order with them, although the program saw them return. `next`: handle
 * of that work's stream; NULL: any stream. */
void xs_gather_flush(CUstream next);

/* Ensures that a batch is sent that nothing else sends: a thread looks every millisecond while there are batches,
 * because a running kernel may wait for one. False: there is no such thread. Any thread. */
bool xs_gather_watch(void);

/* Wakes that thread, because a batch was opened. */
void xs_gather_wake(void);

/* Is the calling thread the one that watches? Its calls are not the program's. */
bool xs_gather_is_watch(void);

#endif
