/* Decides which calls are kept when the middle of a trace is thinned. A random sample of all calls is kept. In
 * addition, as many calls as possible are kept of the call sites that have few calls in the middle. The copies of a
 * batch and the device records are kept or deleted with their call. */
#ifndef XFERSPY_SCHEMA_WRITE_THIN_CHOICE_H
#define XFERSPY_SCHEMA_WRITE_THIN_CHOICE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct xs_choice;

/* Makes a choice, and registers the following SQL functions with the connection, for the statements of thin_tables.c.
 * NULL: there is not enough memory, or SQLite returned an error.
 *   xs_choose(id, correlation, other, thread, entry_point, site, kind, shape)   true: the call is to be deleted
 *   xs_follow(id, correlation, other, is_of_transfer)   true: the device record is to be deleted, like its call
 *   xs_is_gone(id)                         returns what xs_choose or xs_follow returned for this row of the slice
 *   xs_call_shape(correlation)             returns the shape of a recently deleted transfer; NULL: not known
 * A call without correlation (0 or NULL) is identified by `other` (its row id or its enter time) and its thread. Rows
 * of one call, which are the copies of a batch, must have equal arguments except id and shape. The functions must be
 * called for the rows of a slice in the order of their ids. */
struct xs_choice *xs_choice_new(sqlite3 *db);
void xs_choice_free(struct xs_choice *choice);

/* The tables whose rows are calls. */
enum xs_calls_of { XS_CALLS_TRANSFER, XS_CALLS_LAUNCH, XS_CALLS_MEMSET, XS_CALLS_API, XS_CALLS_SYNC, XS_CALLS_NONE };

/* From now on, xs_choose and xs_follow choose all calls and records of a slice to be deleted, whatever the pass and the
 * limits of the slice say. A ledger needs this to drop a part. */
void xs_choice_take_all(struct xs_choice *choice);

/* Counts a call that comes after the beginning of the trace. Three values identify the call's site: `entry_point`;
 * `site`, which is the call's stack or a substitute for it; and `kind`, which distinguishes different calls from the
 * same place. */
void xs_choice_count(struct xs_choice *choice, enum xs_calls_of of, int64_t entry_point, int64_t site, int64_t kind);

/* Begins a pass over the middle of the trace. The pass keeps one in 2^bits of all calls, and at most `most` other
 * calls. In a later pass `bits` must not be smaller and `most` must not be larger, so that the kept calls still have
 * their device records. */
void xs_choice_begin(struct xs_choice *choice, unsigned bits, uint32_t most);

/* Limits which rows of a table may be deleted: only calls with from_correlation < correlation <= to_correlation. For
 * calls without correlation, from_other < other <= to_other must be true. */
struct xs_choice_range {
    enum xs_calls_of of;
    int64_t from_correlation, to_correlation;
    int64_t from_other, to_other;
    bool has_all_calls; /* xs_choose was called for every transfer, so a transfer that is not known to be kept has been
                           deleted */
};
enum { XS_CHOICE_ROWS = 4096 };
/* Begins a slice of `range->of`, with at most XS_CHOICE_ROWS rows. */
void xs_choice_slice(struct xs_choice *choice, const struct xs_choice_range *range);
/* Returns the number of rows of the slice that are to be deleted. */
uint32_t xs_choice_gone(const struct xs_choice *choice);
/* True if the slice has device records of transfers for which xs_choose was probably not called yet in this pass. These
 * records are not deleted now. xs_follow must be called for them again after xs_choose was called for all transfers. */
bool xs_choice_waits(const struct xs_choice *choice);

/* xs_choice_newest returns the largest correlation of the transfers for which xs_choose was called in this pass.
 * xs_choice_remembered returns how many deleted transfers were remembered so far for xs_call_shape. A transfer is
 * forgotten only after at least XS_CALLS_IN_MIND further transfers were remembered. */
enum { XS_CALLS_IN_MIND = 65536 };
int64_t xs_choice_newest(const struct xs_choice *choice);
uint64_t xs_choice_remembered(const struct xs_choice *choice);

/* Runs for a new device record. Returns the shape of the record's transfer if the transfer was deleted already, else
 * 0. Afterwards xs_call_shape does not find the transfer any more. If a transfer has several records and only the last
 * of them comes after the deletion, the sums of the transfer's call site lack the time of the earlier records; the sums
 * of device_copy contain that time. */
int64_t xs_choice_late(struct xs_choice *choice, uint32_t correlation);
/* Forgets the deleted transfers, because a rollback has restored them. */
void xs_choice_forget(struct xs_choice *choice);

#endif
