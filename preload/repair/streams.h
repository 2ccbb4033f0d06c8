/* Which streams the program gives work to, from which threads, and in which order. A repair that leaves an upload out,
 * or puts another operation in its place, has to know what else the upload kept in order. Any thread; no lock.
 *
 * Work is what a call gives to a stream: copies, memory sets, launches, stream memory operations, prefetches, and frees
 * in stream order. Waits and events are none. */
#ifndef XFERSPY_PRELOAD_REPAIR_STREAMS_H
#define XFERSPY_PRELOAD_REPAIR_STREAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/frame.h"

/* A call is about to go to the driver, or a copy is offered to a repair: both, because a copy that a repair has done
 * with is no call any more. What is seen twice does no harm. */
void xs_streams_saw(const struct xs_repair_call *call);
void xs_streams_saw_copy(const struct xs_repair_copy *copy);

/* The same, for xs_streams_are_several alone: the copy is no moment. */
void xs_streams_saw_stream(const struct xs_repair_copy *copy);

/* Has more than one stream got work since the process began? Once true, always true. */
bool xs_streams_are_several(void);

/* A moment in the order of the work that may write device memory. */
uint64_t xs_streams_now(void);

/* Has other work that may write device memory begun since that moment: in another stream than the copy's, or from
 * another thread than the calling one? Such work may run before or after the copy, as it comes. What the calling thread
 * gave to the copy's stream is no other work: it is in order with the copy. */
bool xs_streams_others_since(uint64_t moment, const struct xs_repair_copy *copy);

/* Is it the legacy default stream, in which an operation waits for all blocking streams and they for it? */
bool xs_streams_is_legacy(const struct xs_repair_copy *copy);

#endif
