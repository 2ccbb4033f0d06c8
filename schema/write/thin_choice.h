/* Which calls stay when a trace is thinned. A sample of all calls stays, and beside it, of call sites with few calls in
 * the middle, so many more as there is room for: all of them where that is possible. The copies of a batch and the
 * records of the device follow their call. */
#ifndef XFERSPY_SCHEMA_STORE_THIN_CHOICE_H
#define XFERSPY_SCHEMA_STORE_THIN_CHOICE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct xs_choice;

/* NULL: not enough memory, or SQLite refused. Gives the connection the functions that the statements of store_thin.c
 * use:
 *   xs_choose(id, correlation, other, thread, entry_point, site, kind, shape)   whether a call goes
 *   xs_follow(id, correlation, other, is_of_transfer)   whether a record of the device goes, as its call
 *   xs_is_gone(id)                         what one of those two said of a row of the slice
 *   xs_call_shape(correlation)             shape of a transfer that went lately; NULL: not known
 * `other` and thread are what a call without correlation (0 or NULL) is chosen by. Rows of one call, which are the
 * copies of a batch, must agree in all but id and shape. The rows of a slice come in the order of their ids. */
struct xs_choice *xs_choice_new(sqlite3 *db);
void xs_choice_free(struct xs_choice *choice);

/* Tables whose rows are calls. */
enum xs_calls_of { XS_CALLS_TRANSFER, XS_CALLS_LAUNCH, XS_CALLS_MEMSET, XS_CALLS_API, XS_CALLS_SYNC, XS_CALLS_NONE };

/* A call behind the beginning. `site` is its stack, or what stands for that; `kind` what else tells calls apart. */
void xs_choice_count(struct xs_choice *choice, enum xs_calls_of of, int64_t entry_point, int64_t site, int64_t kind);

/* For a pass: of all calls one in 2^bits stays, and so many more at most. Neither becomes more in a later pass, so
 * what a pass keeps has its records still. */
void xs_choice_begin(struct xs_choice *choice, unsigned bits, uint32_t most);

/* What may go of a table: from < value <= to. */
struct xs_choice_range {
    enum xs_calls_of of;
    int64_t from_correlation, to_correlation;
    int64_t from_other, to_other;
    bool has_all_calls; /* all transfers were asked for: what is not known to stay goes */
};
/* A slice of that table begins, of so many rows at most. */
enum { XS_CHOICE_ROWS = 4096 };
void xs_choice_slice(struct xs_choice *choice, const struct xs_choice_range *range);
/* How many rows of the slice go. */
uint32_t xs_choice_gone(const struct xs_choice *choice);
/* Whether the slice has records whose transfer was not asked for yet, as far as is known. They did not go, and have to
 * be asked for again when all transfers were. */
bool xs_choice_waits(const struct xs_choice *choice);

/* The newest correlation of the transfers that were chosen so far, and how many that went were remembered for
 * xs_call_shape, which are not forgotten before so many more came. */
enum { XS_CALLS_IN_MIND = 65536 };
int64_t xs_choice_newest(const struct xs_choice *choice);
uint64_t xs_choice_remembered(const struct xs_choice *choice);

/* A record of the device came: the shape of its transfer if that went before it, 0: it did not. From then on
 * xs_call_shape does not know the transfer. Where a transfer has several records and only a later one comes late, the
 * time of those before it is lost for the call site; it stays in the sums of device_copy. */
int64_t xs_choice_late(struct xs_choice *choice, uint32_t correlation);
/* What went is there again. */
void xs_choice_forget(struct xs_choice *choice);

#endif
