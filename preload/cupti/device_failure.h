/* Remembers the first call that reported a failure of the program's work on the device, and whether CUPTI was attached
 * at that time. After such a failure every further call in the context also fails, so only the first failed call shows
 * the cause. CUPTI has made correct programs fail in this way (docs/develop/internals.md). If CUPTI was attached, the
 * user must be told that XFERSPY_CUPTI=off may help. */
#ifndef XFERSPY_PRELOAD_CUPTI_DEVICE_FAILURE_H
#define XFERSPY_PRELOAD_CUPTI_DEVICE_FAILURE_H

#include <stdint.h>

#include "preload/core/compiler.h"

/* xs_device_failure_look checks the CUresult of a call of the application. It only compares the result with the errors
 * from CUDA_ERROR_ILLEGAL_ADDRESS to CUDA_ERROR_LAUNCH_FAILED; for one of these, it calls xs_device_failure_note. The
 * string `entry_point` must be static. Any thread. */
enum { XS_DEVICE_FAILURE_FIRST = 700, XS_DEVICE_FAILURE_LAST = 719 };
void xs_device_failure_note(int result, const char *entry_point);
XS_HOT void xs_device_failure_look(int result, const char *entry_point) {
    if (XS_UNLIKELY(result >= XS_DEVICE_FAILURE_FIRST && result <= XS_DEVICE_FAILURE_LAST))
        xs_device_failure_note(result, entry_point);
}

#endif
