/* The results of the fingerprint kernel on their way from the device: a ring of slots in page-locked host memory, which
 * the kernel writes and the drain thread reads. Nobody waits for anybody: a launch that finds no free slot is not made. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_RESULTS_H
#define XFERSPY_PRELOAD_FINGERPRINT_RESULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/fingerprint/result.h"
#include "schema/store.h"

enum { XS_RESULTS = 8192, XS_RESULTS_BYTES = XS_RESULTS * (int)sizeof(struct xs_fingerprint_result) };

#define XS_RESULT_OF_NOBODY UINT32_MAX /* awaited, but not written into the trace */

/* One ring a context. The memory is the library's own and stays mapped when the context goes. */
struct xs_results {
    volatile struct xs_fingerprint_result *slots; /* XS_RESULTS of them */
    _Atomic uint64_t states[XS_RESULTS];          /* the last ticket of the slot and what is awaited: results.c */
    _Atomic uint64_t taken;                       /* tickets given out, or refused */
};

/* Maps the memory (kept out of forked children). False: none to be had. */
bool xs_results_make(struct xs_results *results);

/* A free slot for fingerprint `id`: its ticket, which is also its sequence number, from 1; 0: none is free. */
uint64_t xs_results_take(struct xs_results *results, uint32_t id);
static inline uint32_t xs_results_index(uint64_t ticket) { return (uint32_t)((ticket - 1) % XS_RESULTS); }

/* The launch was not made: the slot is free again. */
void xs_results_give_back(struct xs_results *results, uint64_t ticket);

/* The result of a ticket is another fingerprint's. False: it was written into the trace already. */
bool xs_results_rename(struct xs_results *results, uint64_t ticket, uint32_t id);

/* Has the result of a ticket arrived (or is it gone already)? */
bool xs_results_arrived(const struct xs_results *results, uint64_t ticket);

/* How many results are awaited. */
uint64_t xs_results_awaited(const struct xs_results *results);

/* The context is gone: what has not arrived never will. */
void xs_results_abandon(struct xs_results *results);

/* Writes what has arrived into the trace, in a batch of the caller's. Drain thread only. Returns how many, or an error. */
int64_t xs_results_drain(struct xs_results *results, struct xs_store *store);

#endif
