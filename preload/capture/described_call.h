/* Describes one call. A row of the entry-point table (driver/entry_points.def) calls functions that fill in this
 * description. Capture (intercept/capture_call.h) and repairs (repair/repair_call.h) each have their own definitions of
 * these functions, but both use this description. */
#ifndef XFERSPY_PRELOAD_CAPTURE_DESCRIBED_CALL_H
#define XFERSPY_PRELOAD_CAPTURE_DESCRIBED_CALL_H

#include "preload/capture/decode.h"

enum xs_default_stream { XS_LEGACY, XS_PER_THREAD };

/* One side of a copy: an address, and what the parameter's type says about the memory at this address. */
struct xs_operand {
    enum xs_hint hint;
    uint64_t address;
};
XS_HOT struct xs_operand xs_host(const void *p) { return (struct xs_operand){XS_HINT_HOST, XS_WORD(p)}; }
XS_HOT struct xs_operand xs_device(CUdeviceptr p) { return (struct xs_operand){XS_HINT_DEVICE, p}; }
XS_HOT struct xs_operand xs_array(CUarray array) { return (struct xs_operand){XS_HINT_ARRAY, XS_WORD(array)}; }
XS_HOT struct xs_operand xs_any(CUdeviceptr p) { return (struct xs_operand){XS_HINT_ANY, p}; }

struct xs_call {
    enum xs_default_stream default_stream; /* meaning of a null stream */
    CUresult result;                       /* CUDA_SUCCESS until the real call returns */

    bool has_stream;    /* false: the call has no stream */
    bool is_blocking;   /* the function has no stream parameter and works in the default stream */
    bool is_per_thread; /* the stream is the per-thread default stream */
    CUstream stream;    /* stream as the program passed it */

    bool is_copy; /* the call is a copy in one dimension; only then `dst`, `src` and `bytes` are valid */
    struct xs_operand dst, src;
    size_t bytes;

    /* The event that xs_begin began. Only capture uses this field. The address changes when other events are committed
     * before this event. After the real call, the field is NULL if the call is not recorded. */
    struct xs_event *event;
    bool ends_capture; /* the call destroys a stream that was capturing */

    uint64_t freed; /* address that the call frees or unregisters; 0: none. Only repairs use this field */
};

XS_HOT bool xs_succeeded(const struct xs_call *call) { return call->result == CUDA_SUCCESS; }

/* True if a call that should end a stream capture has ended it. A call also ends a capture that was invalidated or has
 * unjoined work, although the call then returns an error. */
XS_HOT bool xs_has_ended_capture(const struct xs_call *call) {
    return xs_succeeded(call) || call->result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
           call->result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
}

#define XS_NOTHING (void)0
#define XS_AT(pointer, field) ((pointer) ? (pointer)->field : 0)

XS_HOT void xs_describe_stream(struct xs_call *call, CUstream stream) {
    call->has_stream = true;
    call->stream = stream;
    call->is_per_thread = stream == CU_STREAM_PER_THREAD || (stream == NULL && call->default_stream == XS_PER_THREAD);
}

XS_HOT void xs_describe_copy(struct xs_call *call, struct xs_operand dst, struct xs_operand src, size_t bytes) {
    call->is_copy = true;
    call->dst = dst;
    call->src = src;
    call->bytes = bytes;
}

#endif
