/* Manages the page-locked buffers through which the repairs `stage` and `gather` pass copies. A copy takes a buffer,
 * uses the buffer in the program's stream, and may give the buffer back while the device is still using it. The
 * buffer's event tells when the device has finished. A copy never waits for a buffer that another copy uses, so a delay
 * in one stream does not delay copies in other streams. */
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

/* The owner of a ring sets `bytes`, and initialises the other fields to zero. */
struct xs_ring {
    size_t bytes; /* size of each buffer */
    unsigned count;
    _Atomic unsigned next;
    struct xs_ring_buffer buffers[XS_RING_BUFFERS];
};

/* Runs in a repair's `start`. Sets `ring->count` to the number of buffers that the budget allows, at most
 * XS_RING_BUFFERS. False: the budget allows no buffer, or the driver lacks a function that the ring needs. */
bool xs_ring_start(struct xs_ring *ring);

/* Takes a buffer of the context that the device no longer uses. If a short search finds no such buffer, makes a new
 * buffer. `context` must be the calling thread's current context. NULL: no buffer was found, and a new buffer cannot be
 * made, because the ring is full, the driver returned an error, or xs_repair_may_hold is true. Making a buffer needs
 * much stack, so the caller must be on a scratch stack. Any thread may call this function. */
struct xs_ring_buffer *xs_ring_take(struct xs_ring *ring, CUcontext context);

/* Makes buffers of the context until the ring has `count` buffers, so that the first copies do not have to wait for
 * page-locking, which takes some ms. `context` must be the calling thread's current context. Makes no buffers while
 * xs_repair_may_hold is true. The caller must be on a scratch stack. Any thread may call this function. */
void xs_ring_fill(struct xs_ring *ring, CUcontext context, unsigned count);

/* Records the buffer's event in the stream. From then on, the buffer counts as used by the device until the device has
 * done all work that the stream had before this call. Only the thread that has taken the buffer may call this function,
 * xs_ring_is_free, xs_ring_wait and xs_ring_put. */
CUresult xs_ring_mark(struct xs_ring_buffer *buffer, CUstream stream);

/* Returns true if the device has done the work before the last xs_ring_mark. Returns false also after an error of the
 * device. Does not wait. */
bool xs_ring_is_free(struct xs_ring_buffer *buffer);

/* Waits until the device has done the work before the last xs_ring_mark. */
CUresult xs_ring_wait(struct xs_ring_buffer *buffer);

void xs_ring_put(struct xs_ring_buffer *buffer);

/* Runs before a context is destroyed. Removes the buffers of all contexts from the ring, except those that a copy has
 * taken, and frees their memory. Freeing memory waits for the device, as destroying a context does. If
 * xs_repair_may_hold is true, that wait could last for ever, so the memory is not freed here; the driver frees it when
 * it destroys the context. */
void xs_ring_drop(struct xs_ring *ring);

/* True if this call may end a context. */
bool xs_ends_context(const struct xs_repair_call *call);

#endif
