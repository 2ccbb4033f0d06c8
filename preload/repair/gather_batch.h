/* Stores the uploads that the repair gather has collected, and decides whether to collect more. Makes no driver call
 * and takes no lock: the caller holds gather's lock, unless a comment says otherwise. */
#ifndef XFERSPY_PRELOAD_REPAIR_GATHER_BATCH_H
#define XFERSPY_PRELOAD_REPAIR_GATHER_BATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/driver/driver_api.h"

#define XS_BATCH_MAX 128u

/* A batch of copies from page-locked to device memory, in the order of the program's calls. A batch whose bytes are all
 * zero is empty. */
struct xs_batch {
    unsigned count;
    unsigned uploads;   /* number of the program's uploads; greater than `count` if some were merged */
    uint64_t low, high; /* all destinations lie in [low, high) */
    CUdeviceptr to[XS_BATCH_MAX];
    CUdeviceptr from[XS_BATCH_MAX];
    size_t bytes[XS_BATCH_MAX];
};

/* True if this upload would overwrite an upload of the batch. If it would, it must not be added, because the copies of
 * a batch are made in no particular order. */
static inline bool xs_batch_overlaps(const struct xs_batch *batch, uint64_t to, size_t bytes) {
    if (batch->count == 0 || to >= batch->high || to + bytes <= batch->low)
        return false;
    for (unsigned i = 0; i < batch->count; i++)
        if (to < batch->to[i] + batch->bytes[i] && batch->to[i] < to + bytes)
            return true;
    return false;
}

static inline bool xs_batch_is_full(const struct xs_batch *batch) { return batch->count == XS_BATCH_MAX; }

/* Adds an upload that overlaps no upload of the batch; the batch must not be full. `may_join`: the upload may be merged
 * with the previous upload, if its source and its destination both begin where those of the previous upload end. */
static inline void xs_batch_add(struct xs_batch *batch, uint64_t to, uint64_t from, size_t bytes, bool may_join) {
    const unsigned last = batch->count - 1;
    batch->uploads++;
    if (may_join && batch->count && batch->to[last] + batch->bytes[last] == to &&
        batch->from[last] + batch->bytes[last] == from) {
        batch->bytes[last] += bytes;
    } else {
        batch->to[batch->count] = to;
        batch->from[batch->count] = from;
        batch->bytes[batch->count] = bytes;
        batch->count++;
    }
    batch->low = batch->uploads == 1 || to < batch->low ? to : batch->low;
    batch->high = batch->uploads == 1 || to + bytes > batch->high ? to + bytes : batch->high;
}

static inline void xs_batch_clear(struct xs_batch *batch) { batch->count = batch->uploads = 0; }

/* Detects programs that make a call of another kind after each upload, so that each batch has only one upload.
 * Gathering gains nothing for such programs, and costs time. After XS_PACE_LONELY batches of one upload in a row, the
 * next XS_PACE_PAUSE uploads are not gathered; then gathering is tried again. */
enum { XS_PACE_LONELY = 32, XS_PACE_PAUSE = 2048 };
struct xs_pace {
    unsigned lonely;
    _Atomic unsigned pause;
};

static inline void xs_pace_sent(struct xs_pace *pace, unsigned uploads) {
    pace->lonely = uploads > 1 ? 0 : pace->lonely + 1;
    if (pace->lonely == XS_PACE_LONELY) {
        pace->lonely = 0;
        atomic_store_explicit(&pace->pause, XS_PACE_PAUSE, memory_order_relaxed);
    }
}

/* True if the program's present upload must go to the driver without being gathered. Each such upload shortens the
 * pause by one. Any thread may call this function, without the lock. */
static inline bool xs_pace_passes(struct xs_pace *pace) {
    unsigned left = atomic_load_explicit(&pace->pause, memory_order_relaxed);
    while (left > 0 && !atomic_compare_exchange_weak(&pace->pause, &left, left - 1)) {
    }
    return left > 0;
}

#endif
