/* Page-locked buffers through which copies pass, for the repairs stage and gather. A copy takes a buffer, uses it in
 * the program's stream, and may give it back while the device is still using it: the buffer's event tells when the
 * device has finished. A copy never waits for a buffer that another copy uses, so a delay in one stream does not delay
 * copies in other streams. */
#ifndef XFERSPY_PRELOAD_REPAIR_RING_H
#define XFERSPY_PRELOAD_REPAIR_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "preload/core/compiler.h"
#include "preload/driver/driver_api.h"
#include "preload/repair/repair_hooks.h"

#define XS_RING_BUFFERS 64

/* Only the thread that has taken the buffer may use the fields other than `state`. */
struct xs_ring_buffer {
    _Atomic int state;
    CUcontext context;
    CUevent event;
    char *memory;
    bool is_under_way; /* the device may use the buffer until the event has happened */
};

/* All zeros except `bytes`. */
struct xs_ring {
    size_t bytes; /* bytes of each buffer */
    unsigned count;
    _Atomic unsigned next;
    struct xs_ring_buffer buffers[XS_RING_BUFFERS];
};

/* Called in a repair's `start`. Sets `count` to the number of buffers that the budget allows. False: the budget allows
 * none, or this driver lacks a function. */
bool xs_ring_start(struct xs_ring *ring);

/* Takes a buffer of the given context that the device no longer uses, or makes a new buffer if there is none. The
 * context must be the calling thread's. NULL: there is no such buffer, and a new one could not be made, or must not be
 * made because work may wait for the program. Making a buffer needs much of the stack, so the caller must be on a
 * scratch stack. Any thread. */
struct xs_ring_buffer *xs_ring_take(struct xs_ring *ring, CUcontext context);

/* Makes buffers of the current context until the ring has `count` buffers, so that the first copies do not have to wait
 * for page-locking, which takes some ms. The caller must be on a scratch stack. Any thread. */
void xs_ring_fill(struct xs_ring *ring, CUcontext context, unsigned count);

/* Records the buffer's event in the stream: the buffer is in use until all work that the stream has so far is done.
 * Only for the thread that has taken the buffer. */
CUresult xs_ring_mark(struct xs_ring_buffer *buffer, CUstream stream);

/* True if the work before the last xs_ring_mark is done. Does not wait. False also after an error of the device. */
bool xs_ring_is_free(struct xs_ring_buffer *buffer);

/* Waits until the work before the last xs_ring_mark is done. */
CUresult xs_ring_wait(struct xs_ring_buffer *buffer);

void xs_ring_put(struct xs_ring_buffer *buffer);

/* Called before a context is destroyed. Frees all buffers, of all contexts, that no copy has taken. This waits for the
 * device, as destroying the context does; if work may wait for the program, the memory is left to be freed with its
 * context. */
void xs_ring_drop(struct xs_ring *ring);

/* True if this call may end a context. */
bool xs_ends_context(const struct xs_repair_call *call);

#endif
