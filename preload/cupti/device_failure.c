/* Remembers the first failure of the device; see device_failure.h. */
#include "preload/cupti/device_failure.h"

#include <stdatomic.h>
#include <stddef.h>

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

static struct xs_device_failure failure;
enum { NONE, BEING_WRITTEN, THERE };
static _Atomic int state = NONE;

static const char *cupti_now(void) {
    if (xs_cupti_is_active() && xs_cupti_is_attached())
        return "attached";
    return xs_cupti_saw_calls() || xs_cupti_buffers_asked_for() ? "detached" : "off";
}

void xs_device_failure_note(int result, const char *entry_point) {
    int none = NONE;
    if (!is_of_device(result) || !atomic_compare_exchange_strong(&state, &none, BEING_WRITTEN))
        return;
    failure = (struct xs_device_failure){
        .entry_point = entry_point, .result = result, .at_ns = xs_monotonic_ns(), .cupti = cupti_now()};
    atomic_store(&state, THERE);
}

const struct xs_device_failure *xs_device_failure(void) { return atomic_load(&state) == THERE ? &failure : NULL; }
