/* Which streams of the process are capturing a graph, and how many they are. */
#ifndef XFERSPY_PRELOAD_DRIVER_CAPTURES_H
#define XFERSPY_PRELOAD_DRIVER_CAPTURES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Read by any thread, relaxed: whoever has to know about a stream of its own asks the driver while this is not 0. */
extern _Atomic int xs_captures;

/* A stream began to capture. `thread` is the number of the calling thread where the stream is its per-thread default
 * stream, else 0. Any thread. */
void xs_captures_begin(uint64_t stream, uint32_t thread, uint64_t context);
/* It ended, or the stream is going. False, and nothing happens, where it was not known to capture: it may have begun
 * before the session. */
bool xs_captures_end(uint64_t stream, uint32_t thread);
/* A context is gone, and its streams with it. `was_last`: there is no other one. */
void xs_captures_end_with(uint64_t context, bool was_last);

#endif
