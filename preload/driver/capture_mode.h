/* Permits driver calls that would otherwise fail while another thread captures a stream, or would end that capture. The
 * driver permits them to a thread that has set the relaxed capture mode. Setting this mode affects only the calling
 * thread. */
#ifndef XFERSPY_PRELOAD_DRIVER_CAPTURE_MODE_H
#define XFERSPY_PRELOAD_DRIVER_CAPTURE_MODE_H

#include <stdbool.h>

#include "preload/driver/real.h"

struct xs_capture_mode {
    bool is_relaxed; /* false: there is nothing to restore, because the driver refused or does not have the function */
    CUstreamCaptureMode before;
};

static inline struct xs_capture_mode xs_capture_mode_relax(void) {
    struct xs_capture_mode mode = {.before = CU_STREAM_CAPTURE_MODE_RELAXED};
    __typeof__(&cuThreadExchangeStreamCaptureMode) exchange = xs_driver(cuThreadExchangeStreamCaptureMode);
    mode.is_relaxed = exchange && exchange(&mode.before) == CUDA_SUCCESS;
    return mode;
}

static inline void xs_capture_mode_restore(struct xs_capture_mode mode) {
    if (mode.is_relaxed)
        xs_driver(cuThreadExchangeStreamCaptureMode)(&mode.before);
}

#endif
