/* The buffers are an array. A thread takes a buffer by an atomic exchange of its state, so there is no lock that could
 * remain held. */
#include "preload/repair/ring.h"

#include "preload/driver/capture_mode.h"
#include "preload/driver/real.h"

enum { EMPTY, FREE, TAKEN };

/* Number of buffers to check. Buffers are taken in order, so if these are in use, the next ones are in use as well. */
#define QUERIES 4

bool xs_ring_start(struct xs_ring *ring) {
    size_t count = xs_repair_budget_bytes / ring->bytes;
    ring->count = count < XS_RING_BUFFERS ? (unsigned)count : XS_RING_BUFFERS;
    return ring->count > 0 && xs_beneath(cuMemHostAlloc) && xs_beneath(cuMemFreeHost) && xs_beneath(cuEventRecord) &&
           xs_beneath(cuEventSynchronize) && xs_beneath(cuMemcpyHtoDAsync_v2) && xs_beneath(cuMemcpyDtoHAsync_v2) &&
           xs_driver(cuEventCreate) && xs_driver(cuEventQuery) && xs_driver(cuEventDestroy_v2) &&
           xs_driver(cuCtxPushCurrent_v2) && xs_driver(cuCtxPopCurrent_v2);
}

static bool take(struct xs_ring_buffer *buffer, int from) {
    return atomic_load_explicit(&buffer->state, memory_order_relaxed) == from &&
           atomic_compare_exchange_strong(&buffer->state, &from, TAKEN);
}

/* Makes the event and the memory of a buffer that was empty. False: it is empty again. */
static bool make(struct xs_ring_buffer *buffer, size_t bytes, CUcontext context) {
    struct xs_capture_mode mode = xs_capture_mode_relax();
    void *memory;
    bool made = xs_driver(cuEventCreate)(&buffer->event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS;
    if (made && xs_beneath(cuMemHostAlloc)(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE) != CUDA_SUCCESS) {
        xs_driver(cuEventDestroy_v2)(buffer->event);
        made = false;
    }
    xs_capture_mode_restore(mode);
    if (made) {
        buffer->memory = memory;
        buffer->context = context;
        buffer->is_under_way = false;
    } else {
        atomic_store_explicit(&buffer->state, EMPTY, memory_order_release);
    }
    return made;
}

struct xs_ring_buffer *xs_ring_take(struct xs_ring *ring, CUcontext context) {
    const unsigned from = atomic_load_explicit(&ring->next, memory_order_relaxed);
    for (unsigned i = 0, queries = 0; i < ring->count && queries < QUERIES; i++) {
        struct xs_ring_buffer *buffer = &ring->buffers[(from + i) % ring->count];
        if (!take(buffer, FREE))
            continue;
        if (buffer->context == context) {
            queries++;
            if (xs_ring_is_free(buffer)) {
                atomic_store_explicit(&ring->next, from + i + 1, memory_order_relaxed);
                return buffer;
            }
        }
        xs_ring_put(buffer);
    }
    if (atomic_load_explicit(&xs_repair_may_hold, memory_order_relaxed))
        return NULL; /* page-locking may have to wait for the device */
    for (unsigned i = 0; i < ring->count; i++)
        if (take(&ring->buffers[i], EMPTY))
            return make(&ring->buffers[i], ring->bytes, context) ? &ring->buffers[i] : NULL;
    return NULL;
}

void xs_ring_fill(struct xs_ring *ring, CUcontext context, unsigned count) {
    for (unsigned i = 0; i < ring->count && i < count; i++) {
        struct xs_ring_buffer *buffer = &ring->buffers[i];
        if (atomic_load_explicit(&xs_repair_may_hold, memory_order_relaxed))
            return;
        if (take(buffer, EMPTY) && make(buffer, ring->bytes, context))
            xs_ring_put(buffer);
    }
}

CUresult xs_ring_mark(struct xs_ring_buffer *buffer, CUstream stream) {
    CUresult result = xs_beneath(cuEventRecord)(buffer->event, stream);
    buffer->is_under_way |= result == CUDA_SUCCESS;
    return result;
}

bool xs_ring_is_free(struct xs_ring_buffer *buffer) {
    if (buffer->is_under_way) {
        struct xs_capture_mode mode = xs_capture_mode_relax();
        buffer->is_under_way = xs_driver(cuEventQuery)(buffer->event) != CUDA_SUCCESS;
        xs_capture_mode_restore(mode);
    }
    return !buffer->is_under_way;
}

CUresult xs_ring_wait(struct xs_ring_buffer *buffer) {
    struct xs_capture_mode mode = xs_capture_mode_relax();
    CUresult result = xs_beneath(cuEventSynchronize)(buffer->event);
    xs_capture_mode_restore(mode);
    buffer->is_under_way &= result != CUDA_SUCCESS;
    return result;
}

void xs_ring_put(struct xs_ring_buffer *buffer) { atomic_store_explicit(&buffer->state, FREE, memory_order_release); }

void xs_ring_drop(struct xs_ring *ring) {
    for (unsigned i = 0; i < ring->count; i++) {
        struct xs_ring_buffer *buffer = &ring->buffers[i];
        CUcontext popped;
        if (!take(buffer, FREE))
            continue;
        /* If work may wait for the program, a free could wait for ever; the memory is then freed with its context. */
        if (xs_driver(cuCtxPushCurrent_v2)(buffer->context) == CUDA_SUCCESS) {
            if (!atomic_load(&xs_repair_may_hold))
                xs_beneath(cuMemFreeHost)(buffer->memory);
            xs_driver(cuEventDestroy_v2)(buffer->event);
            xs_driver(cuCtxPopCurrent_v2)(&popped);
        }
        atomic_store_explicit(&buffer->state, EMPTY, memory_order_release);
    }
}

bool xs_ends_context(const struct xs_repair_call *call) {
    switch (call->row) {
    case XS_ROW_cuCtxDestroy:
    case XS_ROW_cuCtxDestroy_v2:
    case XS_ROW_cuCtxDetach:
    case XS_ROW_cuDevicePrimaryCtxRelease:
    case XS_ROW_cuDevicePrimaryCtxRelease_v2:
    case XS_ROW_cuDevicePrimaryCtxReset:
    case XS_ROW_cuDevicePrimaryCtxReset_v2:
        return true;
    default:
        return false;
    }
}
