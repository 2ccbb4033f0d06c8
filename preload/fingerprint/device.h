/* The device side of fingerprints: jobs of a context's fingerprinter (fingerprinter.h). The driver is called through the real entry points, so nothing of it shows as the application's. */
#ifndef XFERSPY_PRELOAD_FINGERPRINT_DEVICE_H
#define XFERSPY_PRELOAD_FINGERPRINT_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"
#include "preload/fingerprint/kernel.h"
#include "preload/fingerprint/slots.h"
#include "schema/kinds.h"
#include "schema/store.h"

/* A region's digests hold until something of the device may have been written. The value counts such times in steps of
 * two; odd: written since it was last counted. Odd and never counted while fingerprints are off. */
extern _Atomic uint64_t xs_write_epoch;

/* The epoch that begins where nothing has been written since. */
uint64_t xs_write_epoch_count(void);

/* From now on work already handed to the driver may wait for what the application does without a call: no digests hold. */
void xs_write_epoch_never_holds(void);

struct xs_fingerprinter; /* of a context */

/* One fingerprint to be taken, from preparing to settling: the caller's memory, on one thread. */
struct xs_device_job {
    struct xs_fingerprinter *by;
    struct xs_slot *slot;
    struct xs_fingerprint_parameters parameters;
    CUstream stream;
    uint64_t ticket; /* of the result */
    bool made;       /* the fingerprinter was made by xs_device_prepare, which takes its time */
    bool known;      /* the slot holds the digests of the region's present content */
};

/* Reserves a slot and a result for fingerprint `id` of a region of the current context's device memory; `writes`: a copy
 * into it follows. Only work of `stream` may change the region until the job is settled. XS_SKIP_NONE, or why not. */
enum xs_fingerprint_skip xs_device_prepare(struct xs_device_job *job, CUcontext context, CUstream stream,
                                           const struct xs_fingerprint_region *region, uint32_t id, bool writes);

/* Queues the kernel in the job's stream. `mode`: XS_FINGERPRINT_MEASURE_ONLY leaves the digests in the slot for a later
 * XS_FINGERPRINT_COMPARE; any but the former gives the result. False: the driver refused. */
bool xs_device_measure(struct xs_device_job *job, uint32_t mode);

/* Beside the next copies (aside.h): before an asynchronous copy whose kernel comes after it, and that kernel. True: copies
 * follow each other in the stream, and the kernel may run aside; else, and unless `may_follow`, it must not. */
bool xs_device_make_way(struct xs_device_job *job, bool writes, bool may_follow);
bool xs_device_measure_aside(struct xs_device_job *job, uint32_t mode);

/* Before anything that may order other work behind the stream's copies; NULL: behind those of any stream. */
void xs_device_join(CUstream stream);

/* A stream of the application is about to go. */
void xs_device_stream_going(CUstream stream);

/* The result was asked for: the slot holds what the region is now. */
void xs_device_settle(struct xs_device_job *job);

/* The result was asked for, but is nobody's. False: it is in the trace already. */
bool xs_device_disown(const struct xs_device_job *job);

/* The result was not asked for. Nothing else: the slot stays reserved until what uses it must be over. */
void xs_device_abandon(struct xs_device_job *job);

/* Waits until the result is there, at most so many ticks of the capture clock. */
bool xs_device_wait(const struct xs_device_job *job, uint64_t ticks);

/* A job's kernel was not waited for to the end: before memory goes, it is. */
extern _Atomic unsigned xs_device_late;
void xs_device_note_late(const struct xs_device_job *job);
void xs_device_wait_late(void);

/* Waits for the results of all contexts, or of one that is about to go, at most so long. */
void xs_device_wait_all(CUcontext only, unsigned timeout_ms);

/* A context is gone, with its memory. */
void xs_device_context_gone(CUcontext context);

/* Gives the current context's scratch memory back for good, because the application found none. False: there was none. */
bool xs_device_give_back(CUcontext context);

/* Writes the results that are there into the trace, in a batch of the caller's. Drain thread only. Their number, or an
 * error of the store. */
int64_t xs_device_drain(struct xs_store *store);

struct xs_device_cost {
    uint64_t launches, start_ns, device_bytes, host_bytes; /* bytes: of memory held */
};
struct xs_device_cost xs_device_cost(void);

#endif
