/* The device side of fingerprints: jobs of a context's fingerprinter (fingerprinter.h). All functions call the
 * driver through its real entry points, so none of it shows as the application's. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_DEVICE_H
#define XFERSPY_PRELOAD_FINGERPRINT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"
#include "preload/fingerprint/kernel.h"
#include "preload/fingerprint/slots.h"
#include "schema/format/kinds.h"
#include "schema/write/store.h"

/* The write epoch. The digests of a region are true until something may have written device memory. Each time that
 * happens and is counted, the value grows by two. Odd: something was written since it was last counted. While
 * fingerprints are off it is odd and is never counted. */
extern _Atomic uint64_t xs_write_epoch;

/* Counts, and returns the epoch that begins now: it lasts as long as nothing is written. */
uint64_t xs_write_epoch_count(void);

/* From now on work that the driver already has may wait for something that the application does without a call, so
 * no digests are ever true again. */
void xs_write_epoch_never_holds(void);

struct xs_fingerprinter; /* of a context */

/* One fingerprint that is to be taken, from xs_device_prepare to xs_device_settle. The caller's memory; used by one
 * thread. */
struct xs_device_job {
    struct xs_fingerprinter *by;
    struct xs_slot *slot;
    struct xs_fingerprint_parameters parameters;
    CUstream stream;
    uint64_t ticket; /* of the result */
    bool made;       /* xs_device_prepare had to make the fingerprinter, which takes its time */
    bool known;      /* the slot holds the digests of what the region contains now */
};

/* Reserves a slot and a result for fingerprint `id` of a region of the current context's device memory. `writes`: a
 * copy into the region follows. Until the job is settled, only work of `stream` may change the region. Returns
 * XS_SKIP_NONE, or the reason why there is no fingerprint. */
enum xs_fingerprint_skip xs_device_prepare(struct xs_device_job *job, CUcontext context, CUstream stream,
                                           const struct xs_fingerprint_region *region, uint32_t id, bool writes);

/* Queues the kernel in the job's stream. With the mode XS_FINGERPRINT_MEASURE_ONLY it leaves the digests in the
 * slot, for a later launch with XS_FINGERPRINT_COMPARE; with any other mode it gives the result. False: the driver
 * refused. */
bool xs_device_measure(struct xs_device_job *job, uint32_t mode);

/* Running the kernel beside the next copies (aside.h). The first is called before an asynchronous copy whose kernel
 * comes after it, the second queues that kernel. The first returns true where copies follow each other in the
 * stream: then the kernel may run aside. Where it returns false, or `may_follow` was false, the kernel must not. */
bool xs_device_make_way(struct xs_device_job *job, bool writes, bool may_follow);
bool xs_device_measure_aside(struct xs_device_job *job, uint32_t mode);

/* Call this before anything that may order other work behind the stream's copies; NULL: behind the copies of any
 * stream. */
void xs_device_join(CUstream stream);

/* Call this before a stream of the application is destroyed. */
void xs_device_stream_going(CUstream stream);

/* Ends a job whose result will come: from now on the slot holds the digests of what the region contains. */
void xs_device_settle(struct xs_device_job *job);

/* Ends a job whose result will come but is of no use: it will not be written. False: it was written into the trace
 * already. */
bool xs_device_disown(const struct xs_device_job *job);

/* Ends a job whose kernel was not queued. The slot stays reserved until every kernel that uses it must be over. */
void xs_device_abandon(struct xs_device_job *job);

/* Waits until the result is there, at most `ticks` ticks of the capture clock. False: it is not there. */
bool xs_device_wait(const struct xs_device_job *job, uint64_t ticks);

/* Kernels that were not waited for to the end: how many there are; adds a job's; waits for all of them, which is
 * done before memory is freed. */
extern _Atomic unsigned xs_device_late;
void xs_device_note_late(const struct xs_device_job *job);
void xs_device_wait_late(void);

/* Waits for the results of all contexts, or only of one that is about to go, at most `timeout_ms`. */
void xs_device_wait_all(CUcontext only, unsigned timeout_ms);

/* A context is gone, and its memory with it. */
void xs_device_context_gone(CUcontext context);

/* Frees the current context's scratch memory for good, because the application found no memory. False: there was
 * none to free, or a kernel still uses it. */
bool xs_device_give_back(CUcontext context);

/* Writes the results that have arrived into the trace, inside a batch of the caller's. Drain thread only. Returns
 * how many, or an error of the store. */
int64_t xs_device_drain(struct xs_store *store);

struct xs_device_cost {
    uint64_t launches, start_ns, device_bytes, host_bytes; /* bytes: of memory held */
};
struct xs_device_cost xs_device_cost(void);

#endif
