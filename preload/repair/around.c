/* Defines the function around every entry point. The wrappers call it instead of the driver's function (driver/real.h);
 * it calls the hooks of the repairs, and then the driver. */
#include <stdint.h>

#include "preload/core/guard.h"
#include "preload/repair/around.h"
#include "preload/repair/repair_call.h"

_Atomic bool xs_around_is_off;

/* This guard is raised during each call of the program. Calls that the driver or a repair makes meanwhile are not the
 * program's, and go straight to the driver. */
static XS_TLS struct xs_guard inside;

/* The thread's number plus 1 (0: no number yet), and the number of its copies so far. */
static XS_TLS struct {
    uint32_t thread;
    uint64_t copies;
} id;
static _Atomic uint32_t threads;

static struct xs_copy_id next_id(void) {
    if (!id.thread)
        id.thread = atomic_fetch_add(&threads, 1) + 1;
    return (struct xs_copy_id){id.thread - 1, id.copies++};
}

/* The data that the function around an entry point has about one call. */
struct around {
    struct xs_call call;
    struct xs_repair_call about;
    struct xs_repair_copy copy;
};

/* Begins a call. False: it goes straight to the driver. */
XS_HOT bool enter(struct around *a, unsigned row, enum xs_category category, enum xs_default_stream stream,
                  struct xs_guard_note *note, uintptr_t frame) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_around_is_off, memory_order_relaxed)) ||
        (XS_UNLIKELY(inside.raised != NULL) && !xs_guard_has_lost(&inside, frame)))
        return false;
    xs_guard_raise_this(&inside, note, frame);
    a->call = (struct xs_call){.default_stream = stream, .result = CUDA_SUCCESS};
    a->about = (struct xs_repair_call){.row = row, .category = category};
    if (category == XS_CAT_TRANSFER)
        a->copy.id = next_id();
    else if (category == XS_CAT_STREAM_MEMOP)
        xs_may_hold();
    return true;
}

XS_HOT void leave(void) { xs_guard_lower_this(&inside); }

/* Returns the kind of a copy's host side: XS_MEM_PAGEABLE for memory that the driver does not know, or XS_MEM_PINNED or
 * XS_MEM_REGISTERED; XS_MEM_UNKNOWN: it is something else. */
static uint8_t host_kind(const struct xs_operand *side, const struct xs_memory_range *range, bool is_known) {
    CUmemorytype type;
    __typeof__(&cuPointerGetAttribute) ask = xs_driver(cuPointerGetAttribute);
    if (is_known)
        return range->kind == XS_MEM_PINNED || range->kind == XS_MEM_REGISTERED ? range->kind : (uint8_t)XS_MEM_UNKNOWN;
    if (side->hint == XS_HINT_HOST)
        return XS_MEM_PAGEABLE;
    /* Only the driver can tell: it returns this error for pageable memory. */
    return ask && ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, side->address) == CUDA_ERROR_INVALID_VALUE
               ? (uint8_t)XS_MEM_PAGEABLE
               : (uint8_t)XS_MEM_UNKNOWN;
}

static bool is_device_memory(const struct xs_operand *side, const struct xs_memory_range *range, bool is_known) {
    return is_known ? range->kind == XS_MEM_DEVICE : side->hint == XS_HINT_DEVICE;
}

/* Fills in what the repairs have to know of a copy between host and device memory. Does nothing for any other copy. */
static void tell_copy(struct around *a) {
    const struct xs_call *call = &a->call;
    struct xs_repair_copy *c = &a->copy;
    struct xs_memory_range at[2];
    int8_t device;
    bool dst_known = call->dst.hint != XS_HINT_ARRAY && xs_map_find(call->dst.address, &at[0]);
    bool src_known = call->src.hint != XS_HINT_ARRAY && xs_map_find(call->src.address, &at[1]);
    c->is_upload = is_device_memory(&call->dst, &at[0], dst_known);
    if (call->bytes == 0 || c->is_upload == is_device_memory(&call->src, &at[1], src_known))
        return;
    const struct xs_operand *host = c->is_upload ? &call->src : &call->dst;
    const struct xs_memory_range *range = c->is_upload ? &at[0] : &at[1];
    bool is_known = c->is_upload ? dst_known : src_known;
    c->host_kind = host_kind(host, &at[c->is_upload], c->is_upload ? src_known : dst_known);
    if (host->hint == XS_HINT_ARRAY || host->hint == XS_HINT_DEVICE || c->host_kind == XS_MEM_UNKNOWN)
        return;
    c->host = host->address;
    c->device = c->is_upload ? call->dst.address : call->src.address;
    c->bytes = call->bytes;
    c->is_blocking = call->is_blocking;
    c->stream = call->stream;
    c->is_per_thread = call->is_per_thread;
    c->range = is_known && c->device + c->bytes <= range->end ? *range : (struct xs_memory_range){0};
    c->context = xs_context_ask(&device);
    a->about.copy = c;
}

/* Runs before the real call, after the row has described the call: calls the hooks of the repairs. True: a repair has
 * made the copy itself, and the driver does not get the call. */
XS_HOT bool tell_before(struct around *a, enum xs_category category) {
    a->about.has_stream = a->call.has_stream;
    a->about.stream = a->call.stream;
    a->about.is_per_thread = a->call.is_per_thread;
    a->about.freed = a->call.freed;
    if (category == XS_CAT_TRANSFER && a->call.is_copy)
        tell_copy(a);
    if (category == XS_CAT_TRANSFER && a->about.copy && xs_repairs_copy(&a->copy, &a->call.result)) {
        leave();
        return true;
    }
    xs_repairs_before(&a->about);
    return false;
}

XS_HOT CUresult tell_after(struct around *a) {
    a->about.result = a->call.result;
    xs_repairs_after(&a->about);
    leave();
    return a->call.result;
}

/* Numbers the allocations, as capture does, because two allocations may have the same address, one after the other. */
static _Atomic uint32_t allocations;

void xs_around_memory(uint64_t address, uint64_t bytes, enum xs_memory_kind kind, enum xs_origin origin, bool slow) {
    int8_t device;
    CUcontext context = xs_context_ask(&device);
    bool is_on_device = kind == XS_MEM_DEVICE || kind == XS_MEM_MANAGED;
    struct xs_memory_range range = {.start = address,
                                    .end = address + (bytes ? bytes : 1),
                                    .bytes = bytes,
                                    .context = XS_WORD(context),
                                    .id = atomic_fetch_add(&allocations, 1) + 1,
                                    .kind = (uint8_t)kind,
                                    .origin = (uint8_t)origin,
                                    .device = is_on_device ? device : (int8_t)-1,
                                    .slow_to_read = slow};
    xs_map_insert(&range);
}

void xs_around_mapped(CUdeviceptr p, size_t bytes, CUmemGenericAllocationHandle handle) {
    CUmemAllocationProp prop = {0};
    __typeof__(&cuMemGetAllocationPropertiesFromHandle) ask = xs_driver(cuMemGetAllocationPropertiesFromHandle);
    bool is_on_device = ask && ask(&prop, handle) == CUDA_SUCCESS && prop.location.type == CU_MEM_LOCATION_TYPE_DEVICE;
    xs_around_memory(p, bytes, is_on_device ? XS_MEM_DEVICE : XS_MEM_PINNED, XS_ORIGIN_VMM, !is_on_device);
}

static bool is_of_context(const struct xs_memory_range *range, const void *context) {
    return range->context == XS_WORD(context) && range->origin != XS_ORIGIN_VMM;
}

void xs_around_context_gone(CUcontext context) {
    struct xs_memory_range range;
    if (!context) /* a primary context that was not seen */
        return;
    while (xs_map_remove_if(is_of_context, context, &range)) {
    }
    xs_context_drop(context);
}

/* True if the call found no memory and repairs have given some back, so the call has to be repeated. Giving memory back
 * may wait for the device. If the device's work may wait for the program, this is therefore not done for calls that
 * name a stream, because they would not wait without the repairs. */
XS_HOT bool was_given_memory(const struct xs_call *call, enum xs_category category) {
    if (XS_LIKELY(call->result != CUDA_ERROR_OUT_OF_MEMORY))
        return false;
    switch (category) {
    case XS_CAT_ALLOCATE:
    case XS_CAT_LAUNCH:
    case XS_CAT_GRAPH:
        return !(call->has_stream && atomic_load_explicit(&xs_repair_may_hold, memory_order_relaxed)) &&
               xs_repairs_give_back();
    case XS_CAT_CONTEXT:
    case XS_CAT_LOOKUP:
    case XS_CAT_LOAD:
        return xs_repairs_give_back();
    default:
        return false;
    }
}

#define AROUND(symbol, next, row, row_category, row_default_stream, params, args, row_before, row_after)               \
    static CUresult CUDAAPI around_##symbol params {                                                                   \
        const enum xs_category category = XS_CAT_##row_category;                                                       \
        struct xs_memory_range range __attribute__((unused));                                                          \
        struct xs_guard_note note;                                                                                     \
        struct around a;                                                                                               \
        struct xs_call *const call = &a.call;                                                                          \
        __typeof__(&symbol) beneath = next;                                                                            \
        if (!enter(&a, row, category, row_default_stream, &note, XS_GUARD_HERE()))                                     \
            return beneath args;                                                                                       \
        row_before;                                                                                                    \
        if (tell_before(&a, category))                                                                                 \
            return a.call.result;                                                                                      \
        call->result = beneath args;                                                                                   \
        if (was_given_memory(call, category))                                                                          \
            call->result = beneath args;                                                                               \
        row_after;                                                                                                     \
        return tell_after(&a);                                                                                         \
    }
#define XS_ENTRY(symbol, ...) AROUND(symbol, xs_beneath(symbol), XS_ROW_##symbol, __VA_ARGS__)
#include "preload/driver/entry_points.def"
#undef XS_ENTRY

/* Functions that have no row in the table of entry points. Their calls are only told to the repairs. */
static void *gated_beneath[XS_GATED_COUNT];
#define XS_GATED(symbol, params, args)                                                                                 \
    AROUND(symbol, (__typeof__(&symbol))gated_beneath[XS_GATED_##symbol], XS_ROW_COUNT + XS_GATED_##symbol, LOOKUP,    \
           XS_LEGACY, params, args, XS_NOTHING, XS_NOTHING)
#include "preload/driver/gated_points.def"
#undef XS_GATED

static void *const around[XS_ROW_COUNT] = {
#define XS_ENTRY(symbol, ...) (void *)around_##symbol,
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
};
static void *const around_gated[XS_GATED_COUNT] = {
#define XS_GATED(symbol, ...) (void *)around_##symbol,
#include "preload/driver/gated_points.def"
#undef XS_GATED
};

/* The stubs of functions that are in no table call the two functions below. */
static _Atomic bool is_installed;

static enum xs_category category_of(bool may_do_anything) { return may_do_anything ? XS_CAT_LAUNCH : XS_CAT_LOOKUP; }

bool xs_around_unknown_begin(bool may_do_anything, struct xs_guard_note *note, uintptr_t frame) {
    struct around a;
    if (XS_LIKELY(!atomic_load_explicit(&is_installed, memory_order_relaxed)) ||
        !enter(&a, XS_ROW_NONE, category_of(may_do_anything), XS_LEGACY, note, frame))
        return false;
    if (may_do_anything)
        xs_fingerprint_never_holds();
    xs_repairs_before(&a.about);
    return true;
}

void xs_around_unknown_end(bool may_do_anything) {
    const struct xs_repair_call about = {
        .row = XS_ROW_NONE, .category = category_of(may_do_anything), .result = CUDA_SUCCESS};
    xs_repairs_after(&about);
    leave();
}

void xs_around_install(void) {
    atomic_store(&is_installed, true);
    for (unsigned row = 0; row < XS_ROW_COUNT; row++)
        xs_real_replace(row, around[row]);
    for (unsigned i = 0; i < XS_GATED_COUNT; i++) {
        gated_beneath[i] = xs_real_gated[i];
        /* A repair that calls the driver while a checkpoint has locked the process would wait for ever. */
        if (!xs_is_of_checkpoints((enum xs_gated)i))
            xs_real_replace(XS_ROW_COUNT + i, around_gated[i]);
    }
}
