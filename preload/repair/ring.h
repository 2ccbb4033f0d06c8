/* Page-locked buffers that copies pass through, for the repairs stage and gather. One copy takes a buffer, fills or
 * empties it through the program's own stream, and gives it back while the device may still be using it: the buffer's
 * event tells when the device is done. Nobody waits for a buffer of another copy, so a copy in one stream never waits
 * for whatever holds up another stream. */
#ifndef XFERSPY_PRELOAD_REPAIR_RING_H
#define XFERSPY_PRELOAD_REPAIR_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "preload/core/compiler.h"
#include "preload/driver/driver_api.h"
#include "preload/repair/frame.h"

#define XS_RING_BUFFERS 64

/* All fields but `state` belong to the thread that has taken the buffer. */
struct xs_ring_buffer {
    _Atomic int state;
    CUcontext context;
    CUevent event;
    char *memory;
    bool is_under_way; /* the device may be using it until the event has come */
};

/* All zeros except `bytes`. */
struct xs_ring {
    size_t bytes; /* bytes of each buffer */
    unsigned count;
    _Atomic unsigned next;
    struct xs_ring_buffer buffers[XS_RING_BUFFERS];
};

/* Sets the number of buffers that the budget allows; in a repair's `start`. False: none, or this driver lacks a
 * function. */
bool xs_ring_start(struct xs_ring *ring);

/* Takes a buffer of the given context, the calling thread's, whose event has come; makes one if there is none. NULL: no
 * buffer is free, or memory is short, or work may wait for the program. Making a buffer takes room on the stack, so
 * call this on a scratch stack where that may happen. Any thread. */
struct xs_ring_buffer *xs_ring_take(struct xs_ring *ring, CUcontext context);

/* Makes buffers of the current context until there are `count` in all, so that the first copies do not wait for
 * page-locking, which takes some ms. Needs the same stack as xs_ring_take. Any thread. */
void xs_ring_fill(struct xs_ring *ring, CUcontext context, unsigned count);

/* Makes the buffer wait for the stream's work so far. Only for the thread that has taken the buffer. */
CUresult xs_ring_mark(struct xs_ring_buffer *buffer, CUstream stream);

/* Is the marked work over? Does not wait. An error of the device counts as no. */
bool xs_ring_is_free(struct xs_ring_buffer *buffer);

/* Waits for the marked work. */
CUresult xs_ring_wait(struct xs_ring_buffer *buffer);

void xs_ring_put(struct xs_ring_buffer *buffer);

/* Called before a context is destroyed: gives back all buffers that nobody has taken, of all contexts. Waits for the
 * device, as the end of a context does, unless work may wait for the program. */
void xs_ring_drop(struct xs_ring *ring);

/* May this call end a context? */
bool xs_ends_context(const struct xs_repair_call *call);

#endif
