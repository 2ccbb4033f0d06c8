/* Remembers the first failure of the device; see device_failure.h. */
#include "preload/cupti/device_failure.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "preload/core/thread.h"
#include "preload/cupti/cupti_internal.h"
#include "schema/clock.h"

/* True if it is an error of the device, after which the context is lost. CUDA_ERROR_ASSERT is not included, because it
 * comes from an assert of the program itself. */
static bool is_of_device(int result) {
    switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
        return true;
    default:
        return false;
    }
}

_Static_assert((int)XS_DEVICE_FAILURE_FIRST == (int)CUDA_ERROR_ILLEGAL_ADDRESS &&
                   (int)XS_DEVICE_FAILURE_LAST == (int)CUDA_ERROR_LAUNCH_FAILED,
               "all of them are looked at");

static const char *cupti_now(void) {
    if (xs_cupti_is_active() && xs_cupti_is_attached())
        return "attached";
    return xs_cupti_saw_calls() || xs_cupti_buffers_asked_for() ? "detached" : "off";
}

static void put(char *to, size_t bytes, const char *text) {
    size_t length = strlen(text);
    memcpy(to, text, length < bytes ? length : bytes - 1); /* the last byte is always zero */
}

void xs_device_failure_note(int result, const char *entry_point) {
    static atomic_flag is_noted = ATOMIC_FLAG_INIT;
    if (!is_of_device(result) || atomic_load(&xs_state) != XS_STATE_ACTIVE || atomic_flag_test_and_set(&is_noted))
        return;
    struct xs_spool_failure *failure = &xs_spool.header->failure;
    put(failure->entry_point, sizeof failure->entry_point, entry_point);
    put(failure->cupti, sizeof failure->cupti, cupti_now());
    failure->at_ns = xs_monotonic_ns();
    atomic_store_explicit(&failure->result, result, memory_order_release);
}
