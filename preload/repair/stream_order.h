/* Records to which streams the program gives work, from which threads, and in which order. A repair that leaves an
 * upload out, or replaces it by another operation, has to know which other work keeps its order because of that upload.
 * Any thread may call these functions; they take no lock.
 *
 * "Work" means the operations that a call gives to a stream: copies, memsets, launches, stream memory operations,
 * prefetches, and stream-ordered frees. Waits and events do not count as work. A "moment" is the number of reports so
 * far of work that may write device memory. */
#ifndef XFERSPY_PRELOAD_REPAIR_STREAM_ORDER_H
#define XFERSPY_PRELOAD_REPAIR_STREAM_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/repair_hooks.h"

/* xs_streams_saw is called before a call goes to the driver. xs_streams_saw_copy is called when a copy is offered to a
 * repair, because xs_streams_saw does not see the copies that a repair does itself. Work may be reported more than
 * once. */
void xs_streams_saw(const struct xs_repair_call *call);
void xs_streams_saw_copy(const struct xs_repair_copy *copy);

/* Notes the copy's stream only for xs_streams_are_several; the moment does not change. */
void xs_streams_saw_stream(const struct xs_repair_copy *copy);

/* True after more than one stream has got work since the process began. */
bool xs_streams_are_several(void);

/* Returns the present moment. */
uint64_t xs_streams_now(void);

/* True if, after `moment`, work that may write device memory was given to another stream than the copy's stream, or by
 * another thread than the calling thread. Such work may run before or after the copy. Work that the calling thread gave
 * to the copy's stream does not count, because it is in order with the copy. However, such work also counts if the
 * table of streams is full. */
bool xs_streams_others_since(uint64_t moment, const struct xs_repair_copy *copy);

/* True if the copy is in the legacy default stream. An operation in the legacy default stream waits for earlier work in
 * the blocking streams, and later work in the blocking streams waits for the operation. */
bool xs_streams_is_legacy(const struct xs_repair_copy *copy);

#endif
