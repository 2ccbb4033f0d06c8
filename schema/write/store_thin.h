/* Keeping a trace below a size: its beginning and its latest part stay whole, and what lies between is thinned. A call,
 * its batch and its device records stay or go together (thin_choice.h says which stay). What goes is added up in the
 * table `thinned`, in the transaction that deletes it. */
#ifndef XFERSPY_SCHEMA_WRITE_STORE_THIN_H
#define XFERSPY_SCHEMA_WRITE_STORE_THIN_H

#include <stdint.h>

#include "schema/write/store.h"

/* Does a part of that work, if the trace is near `most_bytes`; called after each batch of about `events` events,
 * outside of a batch. `now_ns` is the time up to which events are in the trace. It does more at a time than comes in,
 * so the file stays below the limit, but for what cannot be dropped: allocations, stacks, shapes, failed calls. XS_OK,
 * or an error of the transaction. */
int xs_store_thin(struct xs_store *store, uint64_t most_bytes, int64_t events, int64_t now_ns);

/* Shortens the file of a trace that was thinned by the pages that are free in it, before it is closed. A burst of calls
 * can make the file longer than its limit for a moment, and deleted rows leave it so. Builds the new pages in memory,
 * so it leaves a trace as it is that has more than 8 MiB in use. Beside a reader the file stays as long until the log
 * is ended. */
void xs_store_give_back(struct xs_store *store);

/* meta: rows that were dropped; at least one row of so many is kept where the trace was thinned, from .. to. */
#define XS_META_THINNED_ROWS "thinned.rows"
#define XS_META_THINNED_ONE_IN "thinned.one_in"
#define XS_META_THINNED_FROM_NS "thinned.from_ns"
#define XS_META_THINNED_TO_NS "thinned.to_ns"

#endif
