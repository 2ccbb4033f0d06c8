/* Shows calls to the rules; see guard_rules_see.h. */
#include "preload/capture/guard_rules_see.h"

#include "preload/driver/real.h"
#include "preload/fingerprint/fingerprint.h"

/* True if the driver does not know the address, as it does not know pageable memory. The thread's guard is raised, so
 * the question is not recorded. */
static bool is_unknown_to_driver(uint64_t address) {
    unsigned type = 0;
    __typeof__(&cuPointerGetAttribute) ask = xs_driver(cuPointerGetAttribute);
    return ask && ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_ERROR_INVALID_VALUE;
}

/* True if nothing but the address says that one side is host memory, and it could be memory of the device that was
 * allocated out of sight. */
static bool is_doubtful(const struct xs_event *e) {
    if (e->kind != XS_EVENT_TRANSFER || !xs_fingerprint_guessed)
        return false;
    return !is_unknown_to_driver(e->transfer.direction == XS_DIR_H2D ? e->transfer.src : e->transfer.dst);
}

void xs_guard_rules_see(const struct xs_event *e, CUresult result) {
    if (result == CUDA_SUCCESS && !(e->flags & XS_FLAG_CAPTURED) && !is_doubtful(e))
        xs_guard_rules_look(e);
}
