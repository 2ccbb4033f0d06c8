/* Thinning keeps a trace below a size: its beginning and its latest part stay whole, and the middle is thinned. A call,
 * its batch and its device records stay or go together (thin_choice.h chooses). Dropped rows are added up in the table
 * `thinned`, in the transaction that deletes them. */
#ifndef XFERSPY_SCHEMA_STORE_STORE_THIN_H
#define XFERSPY_SCHEMA_STORE_STORE_THIN_H

#include <stdint.h>

#include "schema/write/store.h"

/* Thins a part of the trace if it is near `most_bytes`; called after each batch of about `events` events, outside a
 * batch. `now_ns` is the time up to which events are in the trace. One call drops more than a batch adds, so the file
 * stays below the limit, except for rows that cannot be dropped: allocations, stacks, shapes, failed calls. Returns
 * XS_OK, or an error of the transaction. */
int xs_store_thin(struct xs_store *store, uint64_t most_bytes, int64_t events, int64_t now_ns);

/* Shortens a thinned trace's file by its free pages, before it is closed. A burst of calls can briefly make the file
 * longer than its limit, and deleting rows does not shorten it. This rewrites all pages, so it skips a trace with more
 * than 64 MiB in use, and one that somebody else reads. */
void xs_store_give_back(struct xs_store *store);

/* Keys of meta: rows dropped; at least one row in so many is kept in the thinned part, from .. to. */
#define XS_META_THINNED_ROWS "thinned.rows"
#define XS_META_THINNED_ONE_IN "thinned.one_in"
#define XS_META_THINNED_FROM_NS "thinned.from_ns"
#define XS_META_THINNED_TO_NS "thinned.to_ns"

#endif
