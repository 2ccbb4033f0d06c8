/* Remembers the first call that reported a failure of the program's work on the device, and whether CUPTI was attached
 * at that time. After such a failure every further call in the context fails, too, so only the first one shows the
 * cause. CUPTI has made correct programs fail in this way (docs/develop/internals.md); the user must then be told that
 * XFERSPY_CUPTI=off helps. */
#ifndef XFERSPY_PRELOAD_CUPTI_DEVICE_FAILURE_H
#define XFERSPY_PRELOAD_CUPTI_DEVICE_FAILURE_H

#include <stdint.h>

#include "preload/core/compiler.h"

/* Checks the CUresult of a call of the application. Any thread. Takes one comparison, unless the result is one of the
 * errors from CUDA_ERROR_ILLEGAL_ADDRESS to CUDA_ERROR_LAUNCH_FAILED. `entry_point` is static. */
enum { XS_DEVICE_FAILURE_FIRST = 700, XS_DEVICE_FAILURE_LAST = 719 };
void xs_device_failure_note(int result, const char *entry_point);
XS_HOT void xs_device_failure_look(int result, const char *entry_point) {
    if (XS_UNLIKELY(result >= XS_DEVICE_FAILURE_FIRST && result <= XS_DEVICE_FAILURE_LAST))
        xs_device_failure_note(result, entry_point);
}

#endif
