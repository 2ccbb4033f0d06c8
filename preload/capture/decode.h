/* Decodes the parameters of a call, and writes into the call's event the memory and the direction of a copy, or what
 * was allocated or freed. The functions of intercept/capture_call.h call these functions.
 *
 * All these functions run on the application's thread between xs_begin and xs_end. `e` is the event that xs_begin
 * began. A function that commits other events before this event returns the new address of this event. No function can
 * fail: a value that is not known is 0 in the event. */
#ifndef XFERSPY_PRELOAD_CAPTURE_DECODE_H
#define XFERSPY_PRELOAD_CAPTURE_DECODE_H

#include "preload/core/memory_map.h"
#include "preload/core/thread.h"
#include "preload/driver/driver_api.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/stream_captures.h"
#include "schema/format/kinds.h"

/* What the type of a parameter says about the memory to which the parameter points. XS_HINT_ANY: the type says nothing,
 * so only the address shows the kind of memory. */
enum xs_hint { XS_HINT_ANY, XS_HINT_HOST, XS_HINT_DEVICE, XS_HINT_ARRAY };

#define XS_WORD(x) ((uint64_t)(uintptr_t)(x))

XS_HOT void xs_decode_context(struct xs_event *e) {
    int8_t device;
    e->context = XS_WORD(xs_context_current(&device));
}

/* Marks the event as captured if its stream is capturing. The driver is asked only while at least one stream of the
 * process is capturing. */
void xs_decode_captured_slow(struct xs_event *e);
XS_HOT void xs_decode_captured(struct xs_event *e) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_captures, memory_order_relaxed) > 0))
        xs_decode_captured_slow(e);
}

void xs_decode_copy(struct xs_event *e, enum xs_hint dst_hint, uint64_t dst, enum xs_hint src_hint, uint64_t src,
                    uint64_t bytes);
void xs_decode_peer(struct xs_event *e, CUcontext dst, CUcontext src);
void xs_decode_copy_2d(struct xs_event *e, const CUDA_MEMCPY2D *copy);
void xs_decode_copy_3d(struct xs_event *e, const CUDA_MEMCPY3D *copy);
void xs_decode_copy_3d_op(struct xs_event *e, const CUDA_MEMCPY3D_BATCH_OP *op); /* for a single copy */
void xs_decode_copy_3d_peer(struct xs_event *e, const CUDA_MEMCPY3D_PEER *copy);
void xs_decode_memset(struct xs_event *e, CUdeviceptr dst, uint32_t value, unsigned element, size_t width,
                      size_t height, size_t pitch);

/* These functions may commit several events. They return the last event, which xs_end commits, or NULL if there is
 * nothing to record. */
struct xs_event *xs_decode_batch(struct xs_event *e, CUresult r, const CUdeviceptr *dsts, const CUdeviceptr *srcs,
                                 const size_t *sizes, size_t count);
struct xs_event *xs_decode_batch_3d(struct xs_event *e, CUresult r, const CUDA_MEMCPY3D_BATCH_OP *ops, size_t count);
struct xs_event *xs_decode_unmapped(struct xs_event *e, CUresult r, CUdeviceptr p, size_t bytes);
struct xs_event *xs_decode_looked_up(struct xs_event *e, CUresult r, const CUdeviceptr *out, const size_t *bytes,
                                     enum xs_memory_kind kind);
struct xs_event *xs_decode_variables_gone(struct xs_event *e, CUresult r);
struct xs_event *xs_decode_context_gone(struct xs_event *e, CUresult r, CUcontext context);
struct xs_event *xs_decode_primary_released(struct xs_event *e, CUresult r, CUdevice device);

/* Changes the kind of a launch to cooperative if its attributes say so. */
void xs_decode_attributes(struct xs_event *e, const CUlaunchConfig *config);

void xs_decode_ask(struct xs_event *e, size_t bytes);
void xs_decode_allocated(struct xs_event *e, uint64_t address, uint64_t bytes, enum xs_memory_kind kind,
                         enum xs_origin origin);
void xs_decode_page_locked(struct xs_event *e, uint64_t address, uint64_t bytes, enum xs_memory_kind kind,
                           bool slow_to_read);
void xs_decode_mapped(struct xs_event *e, CUdeviceptr p, size_t bytes, CUmemGenericAllocationHandle handle);
void xs_decode_array(struct xs_event *e, uint64_t handle, size_t width, size_t height, size_t depth, unsigned format,
                     unsigned channels);
void xs_decode_free(struct xs_event *e, uint64_t address, struct xs_memory_range *range);
void xs_decode_free_failed(const struct xs_memory_range *range);

/* The rows of the entry-point table call these functions to compute values. */
size_t xs_range_bytes(CUdeviceptr p); /* returns the size of the allocation that holds `p`; 0: unknown */
size_t xs_sum_of_sizes(const size_t *sizes, size_t count);
int64_t xs_location(const CUmemLocation *location); /* returns a device ordinal; -1: host; -2 - n: NUMA node n */

#endif
