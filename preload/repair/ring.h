/* Page-locked buffers that copies pass through, for the repairs stage and gather. A buffer is taken by one copy, filled
 * or emptied through the program's own stream, and given back while the device may still be at work on it: its event
 * says when it is over. Nobody waits for a buffer of another copy, so a copy in one stream never waits for what holds
 * up another stream. */
#ifndef XFERSPY_PRELOAD_REPAIR_RING_H
#define XFERSPY_PRELOAD_REPAIR_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "preload/core/compiler.h"
#include "preload/driver/driver_api.h"
#include "preload/repair/frame.h"

#define XS_RING_BUFFERS 64

/* All but `state` belongs to whoever has taken the buffer. */
struct xs_ring_buffer {
    _Atomic int state;
    CUcontext context;
    CUevent event;
    char *memory;
    bool is_under_way; /* the device may be at work on it until the event has come */
};

/* Zero but for `bytes`. */
struct xs_ring {
    size_t bytes; /* of each buffer */
    unsigned count;
    _Atomic unsigned next;
    struct xs_ring_buffer buffers[XS_RING_BUFFERS];
};

/* How many buffers the budget allows; in a repair's `start`. False: none, or this driver lacks what is needed. */
bool xs_ring_start(struct xs_ring *ring);

/* A buffer of that context, which is the calling thread's, and whose event has come; made where there is none. NULL:
 * all are in use, or memory is short. Making one takes room on the stack, so call it on a scratch stack where it may
 * come to that. Any thread. */
struct xs_ring_buffer *xs_ring_take(struct xs_ring *ring, CUcontext context);

/* Makes buffers of the current context until there are `count` in all, so that the first copies do not wait for memory
 * to be page-locked: some ms. As xs_ring_take otherwise. */
void xs_ring_fill(struct xs_ring *ring, CUcontext context, unsigned count);

/* The stream's work so far is what the buffer waits for. Whoever has taken the buffer. */
CUresult xs_ring_mark(struct xs_ring_buffer *buffer, CUstream stream);

/* Is that work over, without waiting? An error of the device counts as no. */
bool xs_ring_is_free(struct xs_ring_buffer *buffer);

/* Waits for it. */
CUresult xs_ring_wait(struct xs_ring_buffer *buffer);

void xs_ring_put(struct xs_ring_buffer *buffer);

/* A context is about to be destroyed: gives back all buffers that nobody has taken, of all contexts. Waits for the
 * device, as the end of a context does. */
void xs_ring_drop(struct xs_ring *ring);

/* Is this a call by which a context may end? */
bool xs_ends_context(const struct xs_repair_call *call);

#endif
