/* The results of the fingerprint kernel on their way from the device: a ring of slots in page-locked host memory,
 * which the kernel writes and the drain thread reads. Nobody waits for anybody: where no slot is free, the kernel is
 * not launched. Any thread unless it says otherwise; no locks. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_RESULTS_H
#define XFERSPY_PRELOAD_FINGERPRINT_RESULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/fingerprint/result.h"
#include "schema/write/store.h"

enum { XS_RESULTS = 8192, XS_RESULTS_BYTES = XS_RESULTS * (int)sizeof(struct xs_fingerprint_result) };

#define XS_RESULT_OF_NOBODY UINT32_MAX /* the id of a result that is awaited, but not written into the trace */

/* One ring a context. The memory is the library's own and stays mapped when the context goes. */
struct xs_results {
    volatile struct xs_fingerprint_result *slots; /* XS_RESULTS of them */
    _Atomic uint64_t states[XS_RESULTS];          /* a slot's last ticket and what is awaited in it: see results.c */
    _Atomic uint64_t taken;                       /* how many tickets were given out or refused */
};

/* Maps the memory, which forked children do not get. False: there is none. */
bool xs_results_make(struct xs_results *results);

/* Takes a free slot for fingerprint `id`. Returns its ticket, which is also the sequence number that the kernel
 * writes, from 1; 0: no slot is free. */
uint64_t xs_results_take(struct xs_results *results, uint32_t id);
static inline uint32_t xs_results_index(uint64_t ticket) { return (uint32_t)((ticket - 1) % XS_RESULTS); }

/* The kernel was not launched: frees the slot. */
void xs_results_give_back(struct xs_results *results, uint64_t ticket);

/* Makes the result of a ticket that of another fingerprint. False: it was written into the trace already. */
bool xs_results_rename(struct xs_results *results, uint64_t ticket, uint32_t id);

/* Has the result of a ticket arrived? Also true if it was taken out already. */
bool xs_results_arrived(const struct xs_results *results, uint64_t ticket);

/* How many results are awaited. */
uint64_t xs_results_awaited(const struct xs_results *results);

/* The context is gone: results that have not arrived are not awaited any more. */
void xs_results_abandon(struct xs_results *results);

/* Writes the results that have arrived into the trace, inside a batch of the caller's. Drain thread only. Returns
 * how many, or an error of the store. */
int64_t xs_results_drain(struct xs_results *results, struct xs_store *store);

#endif
