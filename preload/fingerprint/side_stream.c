/* Side streams are ordered with the program's streams by events. Each entry has one event for the end of the last copy,
 * and one for the end of each kernel. */
#include "preload/fingerprint/side_stream.h"

#include <stddef.h>

#include "preload/core/lock.h"
#include "preload/driver/real.h"
#include "preload/fingerprint/slots.h"

#define PATIENCE_NS 10000000

_Atomic unsigned xs_asides_ahead;

/* False for default streams, because many of them share one handle. */
static bool has_own_handle(CUstream stream) {
    return stream && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD;
}

struct xs_aside *xs_aside_of(struct xs_aside asides[XS_ASIDES], CUstream theirs) {
    if (!has_own_handle(theirs))
        return NULL;
    for (int i = 0; i < XS_ASIDES; i++)
        if (atomic_load(&asides[i].theirs) == theirs)
            return &asides[i];
    for (int i = 0; i < XS_ASIDES; i++) {
        CUstream none = NULL;
        if (!atomic_load(&asides[i].theirs) && atomic_compare_exchange_strong(&asides[i].theirs, &none, theirs))
            return &asides[i];
    }
    return NULL;
}

static bool make(struct xs_aside *a, int priority) {
    __typeof__(&cuEventCreate) create = xs_driver(cuEventCreate);
    a->failed = !create || !xs_real_row(cuStreamCreateWithPriority) || !xs_real_row(cuEventRecord) ||
                !xs_real_row(cuStreamWaitEvent) ||
                xs_real_row(cuStreamCreateWithPriority)(&a->ours, CU_STREAM_NON_BLOCKING, priority) != CUDA_SUCCESS ||
                create(&a->copied, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS;
    for (int i = 0; i < XS_ASIDE_KERNELS && !a->failed; i++)
        a->failed = create(&a->done[i], CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS;
    return !a->failed;
}

static void no_longer_ahead(struct xs_aside *a) {
    for (int i = 0; i < XS_ASIDE_KERNELS; i++)
        a->regions[i].length = 0;
    if (atomic_exchange(&a->ahead, false))
        atomic_fetch_sub(&xs_asides_ahead, 1);
}

/* Makes the program's stream wait for the side stream. The driver refuses this if the calling thread has no context.
 * Then the next call that needs it tries again. */
void xs_aside_join(struct xs_aside *a) {
    CUevent last = a->done[(a->kernels - 1) % XS_ASIDE_KERNELS];
    if (atomic_load(&a->ahead) && xs_real_row(cuStreamWaitEvent)(atomic_load(&a->theirs), last, 0) == CUDA_SUCCESS)
        no_longer_ahead(a);
}

static bool lock_for_a_while(struct xs_aside *a) { return xs_mutex_lock_within(&a->lock, PATIENCE_NS) == 0; }

void xs_aside_join_from_outside(struct xs_aside *a) {
    if (lock_for_a_while(a)) {
        xs_aside_join(a);
        pthread_mutex_unlock(&a->lock);
    }
}

static void clear(struct xs_aside *a) {
    no_longer_ahead(a);
    atomic_store(&a->epoch, 0);
    atomic_store(&a->theirs, NULL);
}

void xs_aside_release(struct xs_aside *a) {
    if (lock_for_a_while(a)) {
        xs_aside_join(a);
        clear(a);
        pthread_mutex_unlock(&a->lock);
    }
}

void xs_aside_forget(struct xs_aside *a) {
    pthread_mutex_lock(&a->lock);
    clear(a);
    a->ours = NULL;
    a->failed = false;
    pthread_mutex_unlock(&a->lock);
}

static bool overlap(const struct xs_fingerprint_region *a, const struct xs_fingerprint_region *b) {
    return a->length && b->length && a->base < xs_region_end(b) && b->base < xs_region_end(a);
}

/* Makes the program's stream wait for the latest kernel that reads a part of the region. All earlier kernels are done
 * then, too. */
void xs_aside_make_way(struct xs_aside *a, const struct xs_fingerprint_region *writes) {
    for (uint64_t back = 1; atomic_load(&a->ahead) && back <= XS_ASIDE_KERNELS && back <= a->kernels; back++) {
        unsigned i = (unsigned)((a->kernels - back) % XS_ASIDE_KERNELS);
        if (overlap(&a->regions[i], writes)) {
            xs_real_row(cuStreamWaitEvent)(atomic_load(&a->theirs), a->done[i], 0);
            return;
        }
    }
}

bool xs_aside_run(struct xs_aside *a, const struct xs_fingerprint_region *reads, int priority,
                  bool (*launch)(CUstream stream, void *arg), void *arg) {
    unsigned i = (unsigned)(a->kernels % XS_ASIDE_KERNELS);
    if (a->failed || (!a->ours && !make(a, priority)))
        return false;
    if (a->regions[i].length) { /* the last kernel with this index may still run: keep its region */
        xs_real_row(cuStreamWaitEvent)(atomic_load(&a->theirs), a->done[i], 0);
        a->regions[i].length = 0;
    }
    if (xs_real_row(cuEventRecord)(a->copied, atomic_load(&a->theirs)) != CUDA_SUCCESS ||
        xs_real_row(cuStreamWaitEvent)(a->ours, a->copied, 0) != CUDA_SUCCESS || !launch(a->ours, arg))
        return false;
    if (xs_real_row(cuEventRecord)(a->done[i], a->ours) != CUDA_SUCCESS) {
        a->failed = true; /* the context is unusable, and nothing can run in it any more */
        return true;
    }
    a->regions[i] = *reads;
    a->kernels++;
    if (!atomic_exchange(&a->ahead, true))
        atomic_fetch_add(&xs_asides_ahead, 1);
    return true;
}
