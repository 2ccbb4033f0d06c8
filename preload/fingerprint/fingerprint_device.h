/* Computes fingerprints on the device, as jobs of a context's fingerprinter (fingerprinter.h). All functions call the
 * driver through its real entry points, so none of these calls is recorded as a call of the application. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINT_DEVICE_H
#define XFERSPY_PRELOAD_FINGERPRINT_FINGERPRINT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"
#include "preload/fingerprint/kernel.h"
#include "preload/fingerprint/slots.h"
#include "schema/format/kinds.h"
#include "schema/write/store.h"

/* The write epoch tells whether the stored digests of a region are still valid. They are valid until something may have
 * written device memory. After such a write the value is odd, and the next call of xs_write_epoch_count increments it
 * to an even number. While fingerprints are off, the value is always odd. */
extern _Atomic uint64_t xs_write_epoch;

/* Increments the epoch if it is odd, and returns it. The epoch keeps the returned value as long as nothing is
 * written. */
uint64_t xs_write_epoch_count(void);

/* Makes the present digests and all later ones invalid for the rest of the run. It is called when work that the driver
 * already has may start, and write memory, because of something that the application does without a call. */
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
    bool made;       /* xs_device_prepare had to make the fingerprinter first, which takes time */
    bool known;      /* the slot contains the digests of the region's present content */
};

/* Reserves a slot and a result for fingerprint `id` of a region of the current context's device memory. `writes`: a
 * copy into the region will follow. Until the job is settled, only work of `stream` changes the region. Returns
 * XS_SKIP_NONE, or the reason why there is no fingerprint. */
enum xs_fingerprint_skip xs_device_prepare(struct xs_device_job *job, CUcontext context, CUstream stream,
                                           const struct xs_fingerprint_region *region, uint32_t id, bool writes);

/* Queues the kernel in the job's stream. With the mode XS_FINGERPRINT_MEASURE_ONLY the kernel leaves the digests in the
 * slot, for a later launch with XS_FINGERPRINT_COMPARE; with any other mode the kernel writes the result. False: the
 * driver refused. */
bool xs_device_measure(struct xs_device_job *job, uint32_t mode);

/* xs_device_make_way and xs_device_measure_aside run the kernel in a side stream, at the same time as the next copies
 * (side_stream.h). xs_device_make_way is called before an asynchronous copy whose fingerprint is taken after the copy.
 * It returns true if only copies were queued in the stream recently; the kernel may then be queued by
 * xs_device_measure_aside. False: the kernel must be queued by xs_device_measure. `may_follow` is false while a stream
 * is being captured, because neither a stream nor an event may be made then; the result is then false. */
bool xs_device_make_way(struct xs_device_job *job, bool writes, bool may_follow);
bool xs_device_measure_aside(struct xs_device_job *job, uint32_t mode);

/* Makes the stream wait for its kernels in the side stream; if `stream` is NULL, does so for all streams. Must be
 * called before every call that may order other work after the copies of the stream. */
void xs_device_join(CUstream stream);

/* Must be called before a stream of the application is destroyed. */
void xs_device_stream_going(CUstream stream);

/* Ends a job whose kernel was queued. From now on the slot contains the digests of the region's content. */
void xs_device_settle(struct xs_device_job *job);

/* Ends a job whose kernel was queued but whose result is not needed. The result will not be written into the trace.
 * False: the result is in the trace already. */
bool xs_device_disown(const struct xs_device_job *job);

/* Ends a job whose kernel was not queued. The slot remains reserved until all kernels that use it have ended. */
void xs_device_abandon(struct xs_device_job *job);

/* Waits at most `ticks` ticks of the capture clock for the result. False: there is no result yet. */
bool xs_device_await(const struct xs_device_job *job, uint64_t ticks);

/* A kernel is late if a thread waited too long for its result and stopped waiting. xs_device_late is the number of late
 * kernels, and xs_device_note_late adds the kernel of a job. xs_device_wait_late is called before memory is freed; it
 * waits at most 100 ms for the last 16 late kernels, and forgets all of them. */
extern _Atomic unsigned xs_device_late;
void xs_device_note_late(const struct xs_device_job *job);
void xs_device_wait_late(void);

/* Waits at most `timeout_ms` for the results of all contexts, or, if `only` is not NULL, for the results of this
 * context only, which is about to be destroyed. */
void xs_device_wait_all(CUcontext only, unsigned timeout_ms);

/* Runs when a context, and with it its memory, has been destroyed. */
void xs_device_context_gone(CUcontext context);

/* Frees the scratch memory of `context`, which is the current context, because an allocation of the application failed.
 * From then on the context has no device fingerprints. False: nothing was freed, because there was no scratch memory or
 * a kernel still uses it. */
bool xs_device_give_back(CUcontext context);

/* Writes the results that have arrived into the trace, inside the caller's batch. Returns the number of results, or an
 * error of the store. Drain thread only. */
int64_t xs_device_drain(struct xs_store *store);

struct xs_device_cost {
    uint64_t launches, start_ns, device_bytes, host_bytes; /* device_bytes, host_bytes: memory that is allocated now */
};
struct xs_device_cost xs_device_cost(void);

#endif
