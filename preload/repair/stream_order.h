/* Tracks which streams the program gives work to, from which threads, and in which order. A repair that leaves an
 * upload out, or puts another operation in its place, has to know which other work the upload kept in order. Any
 * thread; no lock.
 *
 * Work is what a call gives to a stream: copies, memory sets, launches, stream memory operations, prefetches, and
 * stream-ordered frees. Waits and events are no work. */
#ifndef XFERSPY_PRELOAD_REPAIR_STREAM_ORDER_H
#define XFERSPY_PRELOAD_REPAIR_STREAM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/frame.h"

/* Called before a call goes to the driver, and when a copy is offered to a repair: both, because a copy that a repair
 * has done with never becomes a call. Seeing work more than once does no harm. */
void xs_streams_saw(const struct xs_repair_call *call);
void xs_streams_saw_copy(const struct xs_repair_copy *copy);

/* Notes the copy's stream for xs_streams_are_several only: the copy counts as no moment. */
void xs_streams_saw_stream(const struct xs_repair_copy *copy);

/* Has more than one stream got work since the process began? Never becomes false again. */
bool xs_streams_are_several(void);

/* Returns a moment in the order of the work that may write device memory. */
uint64_t xs_streams_now(void);

/* Has other work that may write device memory begun since that moment, in another stream than the copy's or from
 * another thread than the calling one? Such work may run before or after the copy. Work that the calling thread gave to
 * the copy's stream is no other work: it is in order with the copy. */
bool xs_streams_others_since(uint64_t moment, const struct xs_repair_copy *copy);

/* Is the copy in the legacy default stream, in which an operation waits for all blocking streams and they wait for it?
 */
bool xs_streams_is_legacy(const struct xs_repair_copy *copy);

#endif
