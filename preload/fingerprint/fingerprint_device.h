/* The device side of fingerprints: jobs of a context's fingerprinter (fingerprinter.h). All functions call the driver
 * through its real entry points, so none of these calls shows as the application's. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINT_DEVICE_H
#define XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"
#include "preload/fingerprint/kernel.h"
#include "preload/fingerprint/slots.h"
#include "schema/format/kinds.h"
#include "schema/write/store.h"

/* The write epoch. The digests of a region are true until something may have written device memory. The first count
 * after a write makes the value grow to the next even number. Odd: something was written since the last count. While
 * fingerprints are off the value is odd and never counted. */
extern _Atomic uint64_t xs_write_epoch;

/* Counts, and returns the epoch that begins now and lasts as long as nothing is written. */
uint64_t xs_write_epoch_count(void);

/* Makes all digests untrue for good: work that the driver already has may now wait for something that the application
 * does without a call. */
void xs_write_epoch_never_holds(void);

struct xs_fingerprinter; /* belongs to one context */

/* One fingerprint to be taken, from xs_device_prepare to xs_device_settle. The caller owns the memory; one thread uses
 * it. */
struct xs_device_job {
    struct xs_fingerprinter *by;
    struct xs_slot *slot;
    struct xs_fingerprint_parameters parameters;
    CUstream stream;
    uint64_t ticket; /* ticket of the result */
    bool made;       /* xs_device_prepare had to make the fingerprinter, which takes time */
    bool known;      /* the slot holds the digests of what the region contains now */
};

/* Reserves a slot and a result for fingerprint `id` of a region of the current context's device memory. `writes`: a
 * copy into the region follows. Until the job is settled, only work of `stream` may change the region. Returns
 * XS_SKIP_NONE, or the reason why there is no fingerprint. */
enum xs_fingerprint_skip xs_device_prepare(struct xs_device_job *job, CUcontext context, CUstream stream,
                                           const struct xs_fingerprint_region *region, uint32_t id, bool writes);

/* Queues the kernel in the job's stream. With the mode XS_FINGERPRINT_MEASURE_ONLY the kernel leaves the digests in the
 * slot, for a later launch with XS_FINGERPRINT_COMPARE; with any other mode it gives the result. False: the driver
 * refused. */
bool xs_device_measure(struct xs_device_job *job, uint32_t mode);

/* Run the kernel beside the next copies (side_stream.h). xs_device_make_way is called before an asynchronous copy whose
 * kernel comes after it; xs_device_measure_aside queues that kernel. xs_device_make_way returns true if copies follow
 * each other in the stream: then the kernel may run aside. If it returns false, as it does when `may_follow` is false,
 * the kernel must not run aside. */
bool xs_device_make_way(struct xs_device_job *job, bool writes, bool may_follow);
bool xs_device_measure_aside(struct xs_device_job *job, uint32_t mode);

/* Must be called before anything that may order other work behind the stream's copies; NULL: behind the copies of any
 * stream. */
void xs_device_join(CUstream stream);

/* Must be called before a stream of the application is destroyed. */
void xs_device_stream_going(CUstream stream);

/* Ends a job whose result will come: from now on the slot holds the digests of the region's content. */
void xs_device_settle(struct xs_device_job *job);

/* Ends a job whose result will come but is of no use: it will not be written. False: it is in the trace already. */
bool xs_device_disown(const struct xs_device_job *job);

/* Ends a job whose kernel was not queued. The slot stays reserved until every kernel that uses it must be over. */
void xs_device_abandon(struct xs_device_job *job);

/* Waits at most `ticks` ticks of the capture clock for the result. False: the result has not come. */
bool xs_device_wait(const struct xs_device_job *job, uint64_t ticks);

/* Count and await late kernels, which nobody waited for to the end. xs_device_note_late adds a job's kernel.
 * xs_device_wait_late waits up to 100 ms for the last 16 of them, before memory is freed. */
extern _Atomic unsigned xs_device_late;
void xs_device_note_late(const struct xs_device_job *job);
void xs_device_wait_late(void);

/* Waits at most `timeout_ms` for the results of all contexts, or only of `only`, a context that is about to go. */
void xs_device_wait_all(CUcontext only, unsigned timeout_ms);

/* Called when a context is gone, and its memory with it. */
void xs_device_context_gone(CUcontext context);

/* Frees the current context's scratch memory for good, because the application found no memory. False: there was none
 * to free, or a kernel still uses it. */
bool xs_device_give_back(CUcontext context);

/* Writes the arrived results into the trace, inside the caller's batch. Returns the number of results, or an error of
 * the store. Drain thread only. */
int64_t xs_device_drain(struct xs_store *store);

struct xs_device_cost {
    uint64_t launches, start_ns, device_bytes, host_bytes; /* bytes of memory held */
};
struct xs_device_cost xs_device_cost(void);

#endif
