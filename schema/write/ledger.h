/* What the other files of the store need to know of the ledger; see store_ledger.h. */
#ifndef XFERSPY_SCHEMA_WRITE_LEDGER_H
#define XFERSPY_SCHEMA_WRITE_LEDGER_H

#include "schema/write/store_internal.h"

/* The key of a sum, as in the table `thinned`. */
struct xs_ledger_key {
    const char *source; /* a string literal */
    int64_t shape, entry_point, kind, stack, device;
};
struct xs_ledger_sum {
    int64_t rows, bytes, host_ns, timed, device_ns;
};

/* True if a call that was entered at `ns` becomes a row: the store is no ledger, or a part has the call. Counts the
 * call, and ends the part if it is full. */
bool xs_ledger_keeps(struct xs_store *store, int64_t ns, uint32_t correlation);
/* True if a device record becomes a row, because its call did. */
bool xs_ledger_keeps_record(const struct xs_store *store, uint32_t correlation);
/* Adds to a sum. XS_ERROR_MEMORY: there is no memory for a new one. */
int xs_ledger_add(struct xs_store *store, const struct xs_ledger_key *key, const struct xs_ledger_sum *sum);
/* True if no more call sites are told apart. */
bool xs_ledger_is_full(const struct xs_store *store);

/* Rolls up what is left before the store is closed, and frees the ledger. Does nothing if the store is none. */
int xs_ledger_close(struct xs_store *store);
void xs_ledger_free(struct xs_store *store);

#endif
