/* A ledger is a trace of XFERSPY_MODE=ledger: it has the sums of a whole run (table `thinned`), and single calls of
 * short parts of the run only. An event outside of the parts is added to a sum in memory at once and never becomes a
 * row. What changes in the trace stays in memory, too, until it is rolled up: until then it is one open transaction, so
 * a killed process leaves the trace of its last roll-up. If the trace grows too large, every other part is dropped: its
 * rows are deleted, and their sums are added to the others. */
#ifndef XFERSPY_SCHEMA_WRITE_STORE_LEDGER_H
#define XFERSPY_SCHEMA_WRITE_STORE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/write/store.h"

/* A part has at most XS_LEDGER_CALLS calls: when it has them, it ends, so that one part does not fill the file. A trace
 * has at most XS_LEDGER_PARTS parts, and XS_LEDGER_SUMS sums; further calls are added to sums without a call site. */
enum { XS_LEDGER_CALLS = 2048, XS_LEDGER_PARTS = 4096, XS_LEDGER_SUMS = 8192 };
enum { XS_LEDGER_TEXT_BYTES = 32 * XS_LEDGER_PARTS };

/* Makes the store a ledger. It must have been created by xs_store_create, and its first rows must be committed. */
int xs_store_ledger_start(struct xs_store *store);

/* Tells the ledger which parts the program has had: `count` is their number, and the latest one lasted from `from_ns`
 * to `to_ns`; INT64_MAX: it has not ended. Must be called before the events of a new part are stored. */
int xs_store_ledger_part(struct xs_store *store, uint64_t count, int64_t from_ns, int64_t to_ns);

/* True if the latest part is the program's part number `count` and is full, so that the program need not go on with it.
 */
bool xs_store_ledger_part_is_full(const struct xs_store *store, uint64_t count);

/* Drops parts if the trace is larger than `most_bytes`. Called when no batch is open. */
int xs_store_ledger_keep_size(struct xs_store *store, uint64_t most_bytes);

/* Writes the sums and the list of the parts, and commits everything since the last roll-up. `now_ns` is the time up to
 * which events are in the trace. Called when no batch is open. */
int xs_store_ledger_roll_up(struct xs_store *store, int64_t now_ns);

/* For recovery, after xs_store_open: goes on with a ledger that its process left, inside the caller's batch. Does
 * nothing if the trace is no ledger. Then xs_store_ledger_add_up writes the new sums into the batch. */
int xs_store_ledger_resume(struct xs_store *store);
int xs_store_ledger_add_up(struct xs_store *store);

/* The key of meta that only a ledger has: `now_ns` of the last roll-up. */
#define XS_META_LEDGER_ROLLED_UP_NS "ledger.rolled_up_ns"

#endif
