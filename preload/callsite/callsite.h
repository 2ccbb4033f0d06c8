/* Where an event was called from: the native and the Python stack of the calling thread as one number, and the NVTX range that is
 * open. Taken before the real call. */
#ifndef XFERSPY_PRELOAD_CALLSITE_H
#define XFERSPY_PRELOAD_CALLSITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/callsite/native.h"
#include "preload/core/thread.h"

/* `mode`: auto, fp, dwarf or none; at most `depth` frames of each kind are kept. Before the first xs_callsite. */
void xs_callsite_start(const char *mode, unsigned depth);

extern _Atomic bool xs_callsite_on;

/* Gives the begun event its stack and range; returns its place, which changes where something is defined. */
struct xs_event *xs_callsite_take(struct xs_event *e, struct xs_caller caller);

/* The calling wrapper's caller. A macro, because it is about the function that it stands in, which has a frame pointer: that
 * points to the caller's, and above it lies the return address. (On aarch64 nothing tells where the caller's frame begins; its walk
 * follows the frame pointers.) */
#define XS_CALLER                                                                                                      \
    ((struct xs_caller){(uint64_t)(uintptr_t)__builtin_return_address(0),                                              \
                        (uint64_t)(uintptr_t)__builtin_frame_address(0) + 16,                                          \
                        *(const uint64_t *)__builtin_frame_address(0)})

/* Do events say where they were called from? */
XS_HOT bool xs_callsite_wanted(void) { return atomic_load_explicit(&xs_callsite_on, memory_order_relaxed); }

/* The calling thread ends: gives back what it needed. It may go on to make calls. */
void xs_callsite_thread_end(void);

/* Around a fork, in the parent. */
void xs_callsite_before_fork(void);
void xs_callsite_after_fork(void);

/* In a forked child. */
void xs_callsite_forget(void);

#endif
