/* Declares what the other files of the store need of the ledger; see store_ledger.h. */
#ifndef XFERSPY_SCHEMA_WRITE_LEDGER_H
#define XFERSPY_SCHEMA_WRITE_LEDGER_H

#include "schema/write/store_internal.h"

/* The key of a sum. The fields are columns of the table `thinned`. */
struct xs_ledger_key {
    const char *source; /* a string literal, which is compared by its address */
    int64_t shape, entry_point, kind, stack, device;
};
struct xs_ledger_sum {
    int64_t rows, bytes, host_ns, timed, device_ns;
};

/* True if a call that was entered at `ns` becomes a row, because the store has no ledger, or because the call is in a
 * part. If it is in a part, counts the call there, and ends the part if it is full now. `correlation` 0: the call has
 * no device records. */
bool xs_ledger_keeps(struct xs_store *store, int64_t ns, uint32_t correlation);
/* True if a device record becomes a row, because the store has no ledger, or because its call is in one of the two
 * latest parts. */
bool xs_ledger_keeps_record(const struct xs_store *store, uint32_t correlation);
/* Adds `sum` to the sum with this key, and makes that sum if it is missing. The store must have a ledger.
 * XS_ERROR_MEMORY: there is no memory for a new sum. */
int xs_ledger_add(struct xs_store *store, const struct xs_ledger_key *key, const struct xs_ledger_sum *sum);
/* True if the ledger has so many sums that the caller must use keys without a call site from now on. The store must
 * have a ledger. */
bool xs_ledger_is_full(const struct xs_store *store);

/* Rolls up what is left before the store is closed, and frees the ledger. Does nothing if the store has no ledger. */
int xs_ledger_close(struct xs_store *store);
void xs_ledger_free(struct xs_store *store);

#endif
