/* Keeps the uploads that gather.c has collected, and sends them to the driver. There is one batch in the process, and
 * all its uploads are of one stream. Comments say which functions take the lock and which must be called under it. */
#ifndef XFERSPY_PRELOAD_REPAIR_GATHER_SEND_H
#define XFERSPY_PRELOAD_REPAIR_GATHER_SEND_H

#include <stdatomic.h>
#include <stdbool.h>

#include "preload/core/compiler.h"
#include "preload/core/lock.h"
#include "preload/repair/gather_batch.h"
#include "preload/repair/ring.h"

#define XS_GATHER_BUFFER_BYTES ((size_t)256 << 10)

/* `lock` protects all members that are not atomic. Signals are blocked while a thread holds it, because a signal
 * handler of the same thread may call CUDA, or jump away. */
extern struct xs_gather {
    struct xs_lock lock;
    _Atomic bool is_open;       /* the batch has uploads */
    _Atomic uint64_t opened;    /* number of batches opened so far */
    _Atomic(CUcontext) context; /* context of the batches; NULL: none yet */
    _Atomic(CUstream) stream;   /* stream of the batch, and of the batch number `owed` (xs_stream_handle) */
    _Atomic uint64_t owed;      /* number of a sent batch whose blocking uploads may still be under way; 0: none */
    bool is_over;               /* the process is ending, so no further upload is gathered */
    bool is_in_order;           /* the batch's copies are made one after the other */
    bool has_blocking;          /* one of the batch's uploads was blocking */
    struct xs_batch batch;
    uint64_t latest_allocation; /* start of the allocation to which the batch's last upload goes */
    struct xs_pace pace;
    struct xs_ring_buffer *buffer; /* holds the content of the batch's uploads; NULL: no buffer */
    size_t used;                   /* used bytes of the buffer */
    CUevent sent;                  /* event of the context, recorded after the batch number `owed` */
    CUstream own;                  /* the library's stream, for batches in the legacy stream; NULL: none */
    CUresult failed;               /* error of a batch; the next upload returns it */
} xs_gather;

extern struct xs_ring xs_gather_ring;

/* Makes the event and the stream for a context. The caller holds the lock, and runs on a scratch stack. False: the
 * driver made no event. */
bool xs_gather_enter_context(CUcontext context);

/* Runs before a stream is destroyed: the buffer's event must be recorded while the stream exists. Before this call,
 * the batch must have been sent, and all its blocking uploads must have arrived. Takes the lock. */
void xs_gather_leave_stream(void);

/* Gives back the event and the stream of the context, and the buffers. Must be called after the batch was sent. Takes
 * the lock. */
void xs_gather_leave_context(void);

/* Gives back the buffer, which contains only uploads of the batch's stream. Must be called after the batch was sent.
 * The caller holds the lock, and the context of the batches is current. */
void xs_gather_retire(void);

/* Hands the batch to the driver. The caller holds the lock. */
void xs_gather_send(void);

/* Takes the lock, and sends the batch if there is one. Then, without the lock, waits until the blocking uploads have
 * arrived: for the program these calls are complete, so it may use the data in any stream. Does not wait if the next
 * work is in the stream of the uploads, because this stream keeps the order. `next`: stream handle of the next work;
 * NULL: any stream. */
void xs_gather_flush(CUstream next);

/* Starts the watching thread, if it does not run yet. While there are batches, this thread checks every millisecond,
 * and sends a batch that was already open at the previous check, because a running kernel may wait for the batch's
 * data. False: the thread could not be started, so nothing must be gathered. Any thread. */
bool xs_gather_watch(void);

/* Wakes the watching thread, because a batch was opened. */
void xs_gather_wake(void);

/* True in the watching thread, whose driver calls are not calls of the program. */
extern XS_TLS bool xs_gather_is_watch;

#endif
