/* A ledger is a trace of XFERSPY_MODE=ledger: it has the sums of all calls of the run (table `thinned`), but single
 * calls only of short parts of the run. A call outside of the parts is added to a sum in memory at once and becomes no
 * row, unless it failed. Everything that changes in the trace is one open transaction until it is rolled up. So a
 * reader sees the trace as it was at the last roll-up, and if the process is killed, this is what it leaves. If the
 * trace grows too large, every other part is dropped: its rows are deleted, and are added to the sums. */
#ifndef XFERSPY_SCHEMA_WRITE_STORE_LEDGER_H
#define XFERSPY_SCHEMA_WRITE_STORE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/write/store.h"

/* A part ends when it has XS_LEDGER_CALLS calls, so that one part does not fill the file. A trace has at most
 * XS_LEDGER_PARTS parts. When there are XS_LEDGER_SUMS sums, further calls are added to sums without a call site, so
 * there can be a few more sums. */
enum { XS_LEDGER_CALLS = 2048, XS_LEDGER_PARTS = 4096, XS_LEDGER_SUMS = 8192 };
enum { XS_LEDGER_TEXT_BYTES = 32 * XS_LEDGER_PARTS };

/* Makes the store a ledger. The store must have been created by xs_store_create, and its first rows must be
 * committed. */
int xs_store_ledger_start(struct xs_store *store);

/* Tells the ledger which parts the run has had so far: `count` is their number, and the latest part lasted from
 * `from_ns` to `to_ns` (times of the trace); `to_ns` INT64_MAX: it has not ended. Must be called before the events of a
 * new part are stored. */
int xs_store_ledger_part(struct xs_store *store, uint64_t count, int64_t from_ns, int64_t to_ns);

/* True if the latest part is number `count` of the run (counted from 1) and is full, so that the library can end it. */
bool xs_store_ledger_part_is_full(const struct xs_store *store, uint64_t count);

/* Drops every other part, except the first and the two latest parts, if more than three quarters of `most_bytes` are in
 * use, or if there are nearly XS_LEDGER_PARTS parts. Must be called when no batch is open. */
int xs_store_ledger_keep_size(struct xs_store *store, uint64_t most_bytes);

/* Writes the sums and the list of the parts, and commits everything since the last roll-up. After an error, everything
 * since the last roll-up is undone. `now_ns` is the time up to which events are in the trace. Must be called when no
 * batch is open. */
int xs_store_ledger_roll_up(struct xs_store *store, int64_t now_ns);

/* These functions are for recovery, inside the caller's batch, and do nothing if the trace is no ledger.
 * xs_store_ledger_resume is called after xs_store_open: it reads the parts of the ledger that a killed process left, so
 * that further events can be stored. xs_store_ledger_add_up is called after these events: it writes their sums into the
 * batch. */
int xs_store_ledger_resume(struct xs_store *store);
int xs_store_ledger_add_up(struct xs_store *store);

/* Only a ledger has this key of meta. Its value is `now_ns` of the last roll-up. */
#define XS_META_LEDGER_ROLLED_UP_NS "ledger.rolled_up_ns"

#endif
