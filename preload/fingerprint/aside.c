/* Two events for each copy and its kernel: the copy is over, the kernel is over. */
#include "preload/fingerprint/aside.h"

#include <stddef.h>

#include "preload/fingerprint/slots.h"
#include "preload/intercept/real.h"

_Atomic unsigned xs_asides_ahead;

/* The default streams have one handle for many streams. */
static bool has_own_handle(CUstream stream) {
    return stream && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD;
}

struct xs_aside *xs_aside_of(struct xs_aside asides[XS_ASIDES], CUstream theirs) {
    for (int i = 0; has_own_handle(theirs) && i < XS_ASIDES; i++) {
        struct xs_aside *a = &asides[i];
        if (a->theirs == theirs || !a->theirs) {
            a->theirs = theirs;
            return a;
        }
    }
    return NULL;
}

static bool make(struct xs_aside *a, int priority) {
    __typeof__(&cuEventCreate) create = xs_driver(cuEventCreate);
    a->failed = !create || !xs_real_row(cuStreamCreateWithPriority) || !xs_real_row(cuEventRecord) ||
                !xs_real_row(cuStreamWaitEvent) ||
                xs_real_row(cuStreamCreateWithPriority)(&a->ours, CU_STREAM_NON_BLOCKING, priority) != CUDA_SUCCESS ||
                create(&a->copied, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS;
    for (int i = 0; i < XS_ASIDE_KERNELS && !a->failed; i++) {
        a->failed = create(&a->done[i], CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS;
    }
    return !a->failed;
}

void xs_aside_join(struct xs_aside *a) {
    if (a->ahead) {
        xs_real_row(cuStreamWaitEvent)(a->theirs, a->done[(a->kernels - 1) % XS_ASIDE_KERNELS], 0);
        for (int i = 0; i < XS_ASIDE_KERNELS; i++) {
            a->regions[i].length = 0;
        }
        a->ahead = false;
        atomic_fetch_sub(&xs_asides_ahead, 1);
    }
}

static bool overlap(const struct xs_fingerprint_region *a, const struct xs_fingerprint_region *b) {
    return a->length && b->length && a->base < xs_region_end(b) && b->base < xs_region_end(a);
}

/* The youngest that reads some of it: those before are over by then. */
void xs_aside_make_way(struct xs_aside *a, const struct xs_fingerprint_region *writes) {
    for (uint64_t back = 1; a->ahead && back <= XS_ASIDE_KERNELS && back <= a->kernels; back++) {
        unsigned i = (unsigned)((a->kernels - back) % XS_ASIDE_KERNELS);
        if (overlap(&a->regions[i], writes)) {
            xs_real_row(cuStreamWaitEvent)(a->theirs, a->done[i], 0);
            return;
        }
    }
}

bool xs_aside_run(struct xs_aside *a, const struct xs_fingerprint_region *reads, int priority,
                  bool (*launch)(CUstream stream, void *arg), void *arg) {
    unsigned i = (unsigned)(a->kernels % XS_ASIDE_KERNELS);
    if (a->failed || (!a->ours && !make(a, priority))) {
        return false;
    }
    if (a->regions[i].length) { /* so many are under way that its region would be forgotten */
        xs_real_row(cuStreamWaitEvent)(a->theirs, a->done[i], 0);
        a->regions[i].length = 0;
    }
    if (xs_real_row(cuEventRecord)(a->copied, a->theirs) != CUDA_SUCCESS ||
        xs_real_row(cuStreamWaitEvent)(a->ours, a->copied, 0) != CUDA_SUCCESS || !launch(a->ours, arg)) {
        return false;
    }
    if (xs_real_row(cuEventRecord)(a->done[i], a->ours) != CUDA_SUCCESS) {
        a->failed = true; /* the context is broken: nothing runs any more */
        return true;
    }
    a->regions[i] = *reads;
    a->kernels++;
    if (!a->ahead) {
        a->ahead = true;
        atomic_fetch_add(&xs_asides_ahead, 1);
    }
    return true;
}
