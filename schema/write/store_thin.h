/* Keeps a trace below a given size by deleting rows ("thinning"). The beginning and the latest part of the trace are
 * kept completely, and the part between them, the middle, is thinned. A call, the other copies of its batch and its
 * device records are kept or deleted together; thin_choice.h decides which are kept. The sums of the deleted rows are
 * added to the table `thinned`, in the same transaction that deletes the rows. */
#ifndef XFERSPY_SCHEMA_WRITE_STORE_THIN_H
#define XFERSPY_SCHEMA_WRITE_STORE_THIN_H

#include <stdint.h>

#include "schema/write/store.h"

/* Thins a part of the trace if the size of the trace is near `most_bytes`. This function is called after each batch,
 * when no batch is open. `events` is the number of events in that batch, 0 for a batch of device records. `now_ns` is
 * the time up to which events are in the trace. Each call can delete more rows than were added since the last call, so
 * the file remains below the limit. Only rows that are never deleted can make it larger: allocations, stacks, shapes
 * and failed calls (but failed calls in api_call are deleted like others). Returns XS_OK, or an error of the
 * transaction. */
int xs_store_thin(struct xs_store *store, uint64_t most_bytes, int64_t events, int64_t now_ns);

/* Runs before a trace is closed. If the trace was thinned, and more than an eighth of its pages are free, removes the
 * free pages from the file. (A burst of calls can make the file longer than its limit for a short time, and deleting
 * rows does not make it shorter.) SQLite builds the new pages in memory, so this function does nothing if more than 8
 * MiB of the file are in use. If another process is reading the trace, the file becomes shorter only when the WAL is
 * ended. */
void xs_store_give_back(struct xs_store *store);

/* These are keys of meta. ROWS is the number of deleted rows. ONE_IN is a number N: at least one row in N was kept in
 * the thinned part of the trace. FROM_NS and TO_NS are the times at which this part begins and ends. */
#define XS_META_THINNED_ROWS "thinned.rows"
#define XS_META_THINNED_ONE_IN "thinned.one_in"
#define XS_META_THINNED_FROM_NS "thinned.from_ns"
#define XS_META_THINNED_TO_NS "thinned.to_ns"

#endif
