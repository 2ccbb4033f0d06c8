/* Makes the driver's calls for the table of kept memory (kept.h). No lock is held during a call that could wait. While
 * a thread works on a block, the block is not in the table, so a signal handler that jumps away loses at most that
 * block. */
#include "preload/repair/keep.h"

#include "preload/driver/capture_mode.h"
#include "preload/driver/real.h"
#include "preload/repair/reasons.h"
#include "preload/repair/repair_hooks_internal.h"
#include "preload/repair/repair_plan.h"

#define SMALL_BYTES 512

bool xs_keep_can_start(bool has_functions, const char **why) {
    bool can = has_functions && xs_driver(cuCtxGetCurrent) && xs_driver(cuCtxGetDevice);
    can = can && xs_driver(cuPointerGetAttribute);
    *why = can ? NULL : "the driver lacks functions that it needs";
    return can;
}

bool xs_keep_is_off(void) { return atomic_load_explicit(&xs_around_is_off, memory_order_relaxed); }

static uint64_t current_context(void) {
    CUcontext context = NULL;
    return xs_driver(cuCtxGetCurrent)(&context) == CUDA_SUCCESS ? (uint64_t)(uintptr_t)context : 0;
}

int xs_keep_device(void) {
    CUdevice device;
    return xs_driver(cuCtxGetDevice)(&device) == CUDA_SUCCESS ? device : -1;
}

/* Returns the driver's number of the allocation at an address; 0: the driver does not tell it. */
static uint64_t id_at(uint64_t address) {
    unsigned long long id = 0;
    CUresult result = xs_driver(cuPointerGetAttribute)(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID, address);
    return result == CUDA_SUCCESS ? id : 0;
}

static bool is_there(const struct xs_kept_block *block) { return id_at(block->address) == block->id; }

bool xs_keep_key(struct xs_kept_key *key, uint64_t width, uint64_t height, uint32_t how) {
    *key = (struct xs_kept_key){.context = current_context(), .width = width, .height = height, .how = how};
    return key->context != 0;
}

bool xs_keep_wants(const struct xs_keeper *keeper, size_t bytes) {
    if (!xs_plan_has_size(keeper->repair, bytes))
        return false;
    if (bytes < keeper->least_bytes) {
        xs_repair_refused(keeper->repair, XS_WHY_SMALL);
        return false;
    }
    if (bytes > xs_repair_budget_bytes) {
        xs_repair_refused(keeper->repair, "larger than the budget");
        return false;
    }
    return true;
}

static void release_small(const struct xs_keeper *keeper, uint64_t address) {
    if (address)
        keeper->release(address);
}

/* Frees the block and its anchor. This waits for the device, but so does the call of the program during which it
 * happens. */
static void discard(const struct xs_keeper *keeper, const struct xs_kept_block *block) {
    if (is_there(block)) {
        keeper->release(block->address);
        release_small(keeper, block->anchor);
    }
}

bool xs_keep_serve(const struct xs_keeper *keeper, const struct xs_kept_key *key, struct xs_kept_block *block,
                   CUresult *result) {
    while (xs_kept_take(keeper->kept, key, block)) {
        if (!is_there(block))
            continue;
        *result = keeper->make(key->how, &block->token, SMALL_BYTES);
        if (*result == CUDA_ERROR_OUT_OF_MEMORY) {
            block->token = 0; /* the large block needs no token */
            *result = CUDA_SUCCESS;
        }
        if (*result != CUDA_SUCCESS)
            xs_kept_put(keeper->kept, block, xs_repair_budget_bytes);
        else if (xs_kept_lend(keeper->kept, block))
            xs_repair_applied(keeper->repair, block->bytes);
        return true;
    }
    return false;
}

void xs_keep_lend(const struct xs_keeper *keeper, const struct xs_kept_key *key, uint64_t address, size_t bytes,
                  size_t pitch) {
    struct xs_kept_block block = {.key = *key,
                                  .address = address,
                                  .bytes = bytes,
                                  .id = id_at(address),
                                  .pitch = pitch,
                                  .device = xs_keep_device()};
    if (block.id == 0 || !xs_kept_lend(keeper->kept, &block))
        xs_repair_refused(keeper->repair, block.id ? "too many allocations" : "the driver has no number for it");
}

CUresult xs_keep_allocate(const struct xs_keeper *keeper, uint32_t how, CUdeviceptr *address, size_t bytes) {
    struct xs_kept_key key;
    struct xs_kept_block block;
    CUresult result;
    if (xs_keep_is_off() || !xs_keep_wants(keeper, bytes) || !xs_keep_key(&key, bytes, 0, how))
        return keeper->make(how, address, bytes);
    if (xs_keep_serve(keeper, &key, &block, &result)) {
        *address = result == CUDA_SUCCESS ? block.address : *address;
        return result;
    }
    result = keeper->make(how, address, bytes);
    if (result == CUDA_SUCCESS)
        xs_keep_lend(keeper, &key, *address, bytes, 0);
    return result;
}

/* Waits as a free of the block would, by freeing a small block instead. If it returns an error, it did not wait; the
 * caller then frees the block itself, and that call returns the error to the program. */
static CUresult wait_in_its_place(const struct xs_keeper *keeper, struct xs_kept_block *block) {
    CUresult result = CUDA_SUCCESS;
    if (!block->token)
        result = keeper->make(block->key.how, &block->token, SMALL_BYTES);
    if (result == CUDA_SUCCESS && !block->anchor && keeper->make(block->key.how, &block->anchor, SMALL_BYTES))
        block->anchor = 0;
    if (result == CUDA_SUCCESS)
        result = keeper->release(block->token);
    if (result == CUDA_SUCCESS)
        block->token = 0;
    return result;
}

/* Adds the block to the idle blocks. To make room, frees older idle blocks of the same context only: the program's call
 * has waited for that device anyway. */
static bool put(const struct xs_keeper *keeper, const struct xs_kept_block *block) {
    struct xs_kept_block oldest;
    while (!xs_kept_put(keeper->kept, block, xs_repair_budget_bytes)) {
        if (!xs_kept_take_any(keeper->kept, block->key.context, -1, &oldest))
            return false;
        discard(keeper, &oldest);
    }
    return true;
}

static bool keep(const struct xs_keeper *keeper, struct xs_kept_block *block) {
    const char *reason = NULL;
    if (block->is_handed_out)
        reason = XS_WHY_HANDED_OUT;
    else if (block->key.context != current_context())
        reason = "freed in another context";
    else if (wait_in_its_place(keeper, block) != CUDA_SUCCESS)
        reason = "the driver refused the wait";
    else if (!put(keeper, block))
        reason = "the budget is used up";
    if (reason)
        xs_repair_refused(keeper->repair, reason);
    return !reason;
}

CUresult xs_keep_free(const struct xs_keeper *keeper, uint64_t address) {
    struct xs_kept_block block;
    if (!xs_kept_end(keeper->kept, address, &block))
        return xs_kept_is_idle(keeper->kept, address) ? CUDA_ERROR_INVALID_VALUE : keeper->release(address);
    if (!is_there(&block))
        return keeper->release(address); /* another allocation has the address by now, or none */
    if (keep(keeper, &block))
        return CUDA_SUCCESS;
    CUresult result = keeper->release(address);
    if (result == CUDA_SUCCESS) {
        release_small(keeper, block.token);
        release_small(keeper, block.anchor);
    } else {
        xs_kept_lend(keeper->kept, &block); /* it was not freed */
    }
    return result;
}

void xs_keep_hand_out(const struct xs_keeper *keeper, uint64_t address) {
    if (xs_keep_is_off())
        return;
    CUdeviceptr base = address;
    __typeof__(&cuMemGetAddressRange_v2) get_range = xs_driver(cuMemGetAddressRange_v2);
    if (!get_range || get_range(&base, NULL, address) != CUDA_SUCCESS)
        base = address;
    xs_kept_hand_out(keeper->kept, base);
}

/* Relaxes the capture mode of this thread, because a stream capture may forbid a free although it permits the program's
 * allocation. */
bool xs_keep_give_back(const struct xs_keeper *keeper, int device) {
    struct xs_kept_block block;
    bool given = false;
    unsigned rest = XS_KEPT_ALL;
    struct xs_capture_mode mode = xs_capture_mode_relax();
    while (xs_kept_take_any(keeper->kept, 0, device, &block)) {
        discard(keeper, &block);
        given = true;
    }
    while (xs_kept_strip(keeper->kept, &rest, device, &block)) {
        release_small(keeper, block.token);
        release_small(keeper, block.anchor);
        given = true;
    }
    xs_capture_mode_restore(mode);
    return given;
}

void xs_keep_saw(const struct xs_keeper *keeper, const struct xs_repair_call *call) {
    struct xs_kept_block block;
    if (call->category != XS_CAT_CONTEXT)
        return;
    for (unsigned rest = XS_KEPT_ALL; xs_kept_look(keeper->kept, &rest, &block);)
        if (!is_there(&block))
            xs_kept_drop(keeper->kept, &block);
}
