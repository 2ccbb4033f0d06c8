/* Call sites tell where an event was called from: the native and the Python call stack of the calling thread, which
 * share one number, and the open NVTX range. Stacks are taken before the real call. */
#ifndef XFERSPY_PRELOAD_CALLSITE_CALLSITE_H
#define XFERSPY_PRELOAD_CALLSITE_CALLSITE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/callsite/native.h"
#include "preload/core/thread.h"

/* Sets how stacks are walked: `mode` is the option's value (auto, fp, dwarf or none), and at most `depth` frames of
 * each kind are kept. Called once, before the first event is recorded. */
void xs_callsite_start(const char *mode, unsigned depth);

extern _Atomic bool xs_callsite_on;

/* Gives the begun event its stack and its range. A new stack is defined (xs_define), and the event then moves to a new
 * place behind the definition. Returns the event's place. Only between xs_begin and xs_end. */
struct xs_event *xs_callsite_take(struct xs_event *e, struct xs_caller caller);

/* Returns the number of the calling thread's stack, as an event begun here would carry it, for a call that is not
 * recorded: nothing is defined. 0: stacks are not recorded, or there is no memory. The guard is raised. */
uint32_t xs_callsite_number(struct xs_caller caller);

/* The registers of the calling wrapper's caller. A macro, because it is about the function that it stands in. Asking
 * for the frame address gives that function a frame pointer, which points to the caller's frame pointer; the return
 * address lies above it. (On aarch64 nothing tells where the caller's frame begins, so there the walk follows the frame
 * pointers.) */
#define XS_CALLER                                                                                                      \
    ((struct xs_caller){(uint64_t)(uintptr_t)__builtin_return_address(0),                                              \
                        (uint64_t)(uintptr_t)__builtin_frame_address(0) + 16,                                          \
                        *(const uint64_t *)__builtin_frame_address(0)})

/* Do events say where they were called from? */
XS_HOT bool xs_callsite_wanted(void) { return atomic_load_explicit(&xs_callsite_on, memory_order_relaxed); }

/* Called in a forked child: forgets what only the parent's threads know, and resets locks that those threads may have
 * held. */
void xs_callsite_forget(void);

#endif
