/* A choice says which calls stay when a trace is thinned. A sample of all calls stays. Call sites with few calls in the
 * middle keep as many more as fit: all of them if possible. The copies of a batch and the device records follow their
 * call. */
#ifndef XFERSPY_SCHEMA_WRITE_THIN_CHOICE_H
#define XFERSPY_SCHEMA_WRITE_THIN_CHOICE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct xs_choice;

/* Gives the connection the functions that the statements of store_thin.c use. NULL: out of memory, or SQLite refused.
 *   xs_choose(id, correlation, other, thread, entry_point, site, kind, shape)   whether a call goes
 *   xs_follow(id, correlation, other, is_of_transfer)   whether a device record goes with its call
 *   xs_is_gone(id)                         what xs_choose or xs_follow said of a row of the slice
 *   xs_call_shape(correlation)             shape of a transfer that went lately; NULL: not known
 * `other` and thread select a call without correlation (0 or NULL). Rows of one call, the copies of a batch, must agree
 * in all but id and shape. The rows of a slice come in the order of their ids. */
struct xs_choice *xs_choice_new(sqlite3 *db);
void xs_choice_free(struct xs_choice *choice);

/* Tables that have calls as rows. */
enum xs_calls_of { XS_CALLS_TRANSFER, XS_CALLS_LAUNCH, XS_CALLS_MEMSET, XS_CALLS_API, XS_CALLS_SYNC, XS_CALLS_NONE };

/* Counts a call after the beginning. `site` is its stack, or a substitute; `kind` distinguishes calls further. */
void xs_choice_count(struct xs_choice *choice, enum xs_calls_of of, int64_t entry_point, int64_t site, int64_t kind);

/* Begins a pass: one in 2^bits of all calls stays, and at most `most` others. Neither grows in a later pass, so a call
 * kept by a pass still has its records. */
void xs_choice_begin(struct xs_choice *choice, unsigned bits, uint32_t most);

/* A range bounds what may go of a table: from < value <= to. */
struct xs_choice_range {
    enum xs_calls_of of;
    int64_t from_correlation, to_correlation;
    int64_t from_other, to_other;
    bool has_all_calls; /* every transfer was asked for: one not known to stay goes */
};
/* Begins a slice of that table, of at most XS_CHOICE_ROWS rows. */
enum { XS_CHOICE_ROWS = 4096 };
void xs_choice_slice(struct xs_choice *choice, const struct xs_choice_range *range);
/* Returns how many rows of the slice go. */
uint32_t xs_choice_gone(const struct xs_choice *choice);
/* True when the slice has records with a transfer that, as far as is known, was not asked for yet. Such records stay,
 * and have to be asked for again after all transfers were. */
bool xs_choice_waits(const struct xs_choice *choice);

/* Return the newest correlation among the transfers asked for in this pass, and how many dropped transfers were
 * remembered for xs_call_shape. Each is remembered until at least XS_CALLS_IN_MIND more were. */
enum { XS_CALLS_IN_MIND = 65536 };
int64_t xs_choice_newest(const struct xs_choice *choice);
uint64_t xs_choice_remembered(const struct xs_choice *choice);

/* Reports a device record: returns the shape of its transfer if that went earlier, else 0. xs_call_shape then no longer
 * knows the transfer. If a transfer has several records and only a later one comes late, the call site loses the time
 * of the earlier ones; it stays in the sums of device_copy. */
int64_t xs_choice_late(struct xs_choice *choice, uint32_t correlation);
/* Forgets the dropped transfers: a rollback has restored them. */
void xs_choice_forget(struct xs_choice *choice);

#endif
