/* Transfers the results of the fingerprint kernel from the device to the trace. The results are in a ring of slots in
 * page-locked host memory, which the kernel writes and the drain thread reads. Neither waits for the other: if the next
 * slot of the ring is not free, the kernel is not launched. Any thread may call these functions unless a comment says
 * otherwise; they take no locks. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_RESULTS_H
#define XFERSPY_PRELOAD_FINGERPRINT_RESULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/fingerprint/result.h"
#include "schema/write/store.h"

enum { XS_RESULTS = 8192, XS_RESULTS_BYTES = XS_RESULTS * (int)sizeof(struct xs_fingerprint_result) };

#define XS_RESULT_OF_NOBODY UINT32_MAX /* id of a result that is awaited, but will not be written into the trace */

/* There is one ring per context. The library owns the memory, which remains mapped when the context is destroyed. */
struct xs_results {
    volatile struct xs_fingerprint_result *slots; /* array of XS_RESULTS slots */
    _Atomic uint64_t states[XS_RESULTS];          /* last ticket and awaited fingerprint of each slot (see results.c) */
    _Atomic uint64_t taken;                       /* number of tickets given out or refused */
};

/* Maps the memory, which forked children do not get. False: there is no memory. */
bool xs_results_make(struct xs_results *results);

/* Takes a free slot for fingerprint `id`. Returns the slot's ticket, which is also the sequence number that the kernel
 * must write; tickets begin at 1. 0: the next slot of the ring is not free. */
uint64_t xs_results_take(struct xs_results *results, uint32_t id);
static inline uint32_t xs_results_index(uint64_t ticket) { return (uint32_t)((ticket - 1) % XS_RESULTS); }

/* Frees the slot, because the kernel was not launched. */
void xs_results_give_back(struct xs_results *results, uint64_t ticket);

/* Assigns the result of a ticket to another fingerprint. False: the result is in the trace already, or is no longer
 * awaited. */
bool xs_results_rename(struct xs_results *results, uint64_t ticket, uint32_t id);

/* True if the result of a ticket has arrived, or is no longer awaited. */
bool xs_results_arrived(const struct xs_results *results, uint64_t ticket);

/* Returns the number of awaited results that have not arrived. */
uint64_t xs_results_awaited(const struct xs_results *results);

/* Stops waiting for the results that have not arrived, because the context was destroyed. */
void xs_results_abandon(struct xs_results *results);

/* Writes the results that have arrived into the trace, inside the caller's batch. Returns the number of results, or an
 * error of the store. Drain thread only. */
int64_t xs_results_drain(struct xs_results *results, struct xs_store *store);

#endif
