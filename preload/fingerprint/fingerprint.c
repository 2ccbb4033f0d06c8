/* Decides for every copy how its content is fingerprinted.
 *
 * The host computes the fingerprint after the call if the host buffer contains the moved bytes then, which is true
 * after blocking calls and for pageable memory. In all other cases the device computes it, in the stream of the copy,
 * where no other work of the application can come between the copy and the fingerprint kernel. Only a blocking upload
 * waits for the kernel, because the application may continue in any other stream after it.
 *
 * The host is cheaper for small copies, the device for large ones. Only the device can see the content that an upload
 * overwrites. */
#include "preload/fingerprint/fingerprint.h"

#include <string.h>

#include "preload/core/call_windows.h"
#include "preload/core/guard.h"
#include "preload/core/memory_map.h"
#include "preload/core/own_cost.h"
#include "preload/core/thread.h"
#include "preload/core/thread_memory.h"
#include "preload/cupti/cupti.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/real.h"
#include "preload/driver/stream_captures.h"
#include "preload/fingerprint/budget.h"
#include "preload/fingerprint/hash_tree.h"
#include "preload/fingerprint/sampler.h"

#define HOST_BYTES (64u * 1024) /* up to this size a fingerprint takes less time on the host */
/* A blocking upload waits for its fingerprint at most as long as the upload itself took, or at most this time if this
 * time is longer: PATIENCE_ALL_US in mode `all`, PATIENCE_US in the other modes. */
#define PATIENCE_US 200
#define PATIENCE_ALL_US 2000000

/* Costs of a fingerprint for the budget, in nanoseconds, measured on an H100 and its host
 * (tests/bench/results/contents.md). */
#define HOST_COST_NS(bytes) (150 + (bytes) / 9)
#define LAUNCH_COST_NS 4000
#define DEVICE_COST_NS(bytes) (6000 + (bytes) / 2000)
/* Cost of the copy itself, at the rate of a PCIe link of the fourth generation. */
#define COPY_NS(bytes, pageable) (5000 + (bytes) / ((pageable) ? 8 : 25))

enum way { NO_WAY, ON_HOST, ON_DEVICE_BEFORE, ON_DEVICE_AFTER };

struct choice {
    enum way way;
    bool upload, blocking;
    bool over;           /* the copy is done when the call returns */
    bool host_can;       /* the host can read the host side then */
    bool measure_before; /* also measure the content that an upload overwrites */
    bool aside;          /* run the kernel in a side stream, at the same time as the next copy */
    bool mapping;        /* the device memory may have other addresses as well, so its earlier content is not known */
    bool compare;
    enum xs_sampled sampled;
    uint32_t id;
    uint64_t began;       /* tick of the beginning */
    uint64_t estimate_ns; /* estimated time of the calling thread */
    struct xs_fingerprint_region host, device;
    struct xs_device_job job;
};

enum xs_fingerprint_mode xs_fingerprint_mode;
XS_TLS bool xs_fingerprint_guessed;
static _Atomic uint32_t count;
static uint64_t patience_us_ticks; /* ticks of a microsecond */
static bool pageable_is_staged;    /* the driver reads pageable memory before an asynchronous call returns */
static XS_TLS struct choice choice;
static XS_TLS struct xs_map_cache host_cache, device_cache;

/* True if any device uses the processor's page tables. Such a device can read pageable memory directly, so an
 * asynchronous call may return while the device still reads the buffer. */
static bool some_device_reads_pageable_memory(void) {
    int devices = 0, uses = 0;
    __typeof__(&cuDeviceGetCount) get_count = xs_driver(cuDeviceGetCount);
    __typeof__(&cuDeviceGet) get_device = xs_driver(cuDeviceGet);
    __typeof__(&cuDeviceGetAttribute) get = xs_driver(cuDeviceGetAttribute);
    const CUdevice_attribute attribute = CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES;
    if (!get_count || !get_device || !get || get_count(&devices) != CUDA_SUCCESS)
        return false;
    for (int i = 0; i < devices && !uses; i++) {
        CUdevice device;
        uses = get_device(&device, i) == CUDA_SUCCESS && get(&uses, attribute, device) == CUDA_SUCCESS && uses;
    }
    return uses != 0;
}

/* Returns the costs. An upload needs two kernels, because one of them measures the content that it overwrites. */
static struct xs_sampler_cost cost_of(uint64_t bytes, bool upload, bool pageable, enum xs_sampler_way way) {
    uint64_t kernel = LAUNCH_COST_NS + DEVICE_COST_NS(bytes);
    uint64_t look = way == XS_SAMPLER_HOST ? HOST_COST_NS(bytes) : upload ? 2 * kernel : kernel;
    return (struct xs_sampler_cost){look, COPY_NS(bytes, pageable)};
}

void xs_fingerprint_start(const char *mode, unsigned share_permille, const struct xs_clock *clock) {
    const uint64_t ticks = 1000000000;
    uint64_t now = xs_clock_tick((enum xs_clock_source)clock->source);
    double ns = (double)(xs_clock_to_ns(clock, now + ticks) - xs_clock_to_ns(clock, now)); /* length of `ticks` ticks */
    double ticks_per_us = ns > 0 ? (double)ticks * 1000 / ns : 1000;
    patience_us_ticks = (uint64_t)ticks_per_us;
    pageable_is_staged = !some_device_reads_pageable_memory();
    xs_fingerprint_mode = strcmp(mode, "off") == 0   ? XS_FINGERPRINT_OFF
                          : strcmp(mode, "all") == 0 ? XS_FINGERPRINT_ALL
                                                     : XS_FINGERPRINT_AUTO;
    xs_budget_start(now, xs_fingerprint_mode == XS_FINGERPRINT_AUTO ? share_permille : 1000, ticks_per_us);
    xs_sampler_start(0, cost_of);
}

bool xs_fingerprint_pageable_is_staged(void) { return pageable_is_staged; }

void xs_fingerprint_others_cost(uint64_t ns) { xs_budget_others(ns); }

uint64_t xs_fingerprint_cost_ns(void) { return xs_budget_spent_ns() + xs_device_cost().start_ns; }

/* ---- what is copied ---- */

static struct xs_fingerprint_region region_of(const struct xs_event *e, uint64_t base, uint32_t pitch,
                                              uint32_t slice_rows) {
    const struct xs_event_transfer *t = &e->transfer;
    if (!(e->flags & XS_FLAG_BOX))
        return xs_fingerprint_linear(base, t->bytes);
    uint64_t width = t->bytes / ((uint64_t)t->height * t->depth);
    uint64_t row = pitch ? pitch : width, rows = slice_rows ? slice_rows : t->height;
    return xs_fingerprint_box(base, width, t->height, t->depth, row, row * rows);
}

/* True if the shape is valid. If its rows overlap, it is not valid, and the driver will refuse the copy. */
static bool is_sound(const struct xs_event *e) {
    const struct xs_event_transfer *t = &e->transfer;
    if (!(e->flags & XS_FLAG_BOX))
        return true;
    uint64_t width = t->bytes / ((uint64_t)t->height * t->depth);
    return (t->dst_pitch == 0 || t->dst_pitch >= width) && (t->src_pitch == 0 || t->src_pitch >= width) &&
           (t->dst_slice_rows == 0 || t->dst_slice_rows >= t->height) &&
           (t->src_slice_rows == 0 || t->src_slice_rows >= t->height);
}

static enum xs_fingerprint_skip unfit(const struct xs_event *e) {
    const struct xs_event_transfer *t = &e->transfer;
    if (t->bytes == 0)
        return XS_SKIP_EMPTY;
    if (t->skip == XS_SKIP_TOO_LARGE) /* the shape does not fit into the event */
        return XS_SKIP_TOO_LARGE;
    if (e->flags & XS_FLAG_CAPTURED)
        return XS_SKIP_CAPTURED;
    if (t->direction != XS_DIR_H2D && t->direction != XS_DIR_D2H)
        return XS_SKIP_DIRECTION;
    if (t->dst_kind == XS_MEM_ARRAY || t->src_kind == XS_MEM_ARRAY)
        return XS_SKIP_ARRAY;
    if (t->dst_kind == XS_MEM_MANAGED || t->src_kind == XS_MEM_MANAGED)
        return XS_SKIP_MANAGED;
    return is_sound(e) ? XS_SKIP_NONE : XS_SKIP_FAILED;
}

/* ---- the two sides ---- */

/* True if the host can read the address. If nothing but the value of the address suggests host memory, it could be
 * device memory whose allocation was not seen. In this case the driver is asked, which takes half a microsecond. */
static bool host_can_read(uint64_t address) {
    const struct xs_memory_range *range = xs_map_find_cached(&host_cache, address);
    if (range)
        return !range->slow_to_read;
    if (!xs_fingerprint_guessed)
        return true;
    unsigned type = 0;
    __typeof__(&cuPointerGetAttribute) ask = xs_driver(cuPointerGetAttribute);
    return ask && ask(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) == CUDA_ERROR_INVALID_VALUE;
}

/* Returns the reason why no fingerprint kernel may read the region now; XS_SKIP_NONE: a kernel may read it. It may only
 * if the memory is known from beginning to end, and belongs to the current context, because an invalid read would make
 * the application's context unusable. */
static enum xs_fingerprint_skip device_unfit(const struct xs_event *e, const struct xs_fingerprint_region *region,
                                             bool *mapping) {
    const struct xs_memory_range *range = xs_map_find_cached(&device_cache, region->base);
    int8_t device = -1;
    CUcontext context = xs_context_current(&device);
    if (atomic_load_explicit(&xs_fingerprint_held, memory_order_relaxed) != 0)
        return XS_SKIP_BUSY;
    if (xs_cupti_is_theirs())
        return XS_SKIP_PROFILED;
    if (!range || range->kind != XS_MEM_DEVICE || xs_region_end(region) > range->end)
        return XS_SKIP_UNKNOWN_MEMORY;
    if (!context || range->device != device || range->origin == XS_ORIGIN_IPC || range->origin == XS_ORIGIN_EXTERNAL ||
        (range->origin != XS_ORIGIN_VMM && range->context != e->context))
        return XS_SKIP_CONTEXT;
    bool legacy = e->stream == 0;
    if (legacy && atomic_load_explicit(&xs_captures, memory_order_relaxed) > 0)
        return XS_SKIP_CAPTURE_ELSEWHERE;
    *mapping = range->origin == XS_ORIGIN_VMM;
    return XS_SKIP_NONE;
}

/* ---- before the call ---- */

static uint64_t read_clock(void) { return xs_now(); }

/* Decides whether the copy is looked at. This must be fast, because it is done for every copy. If the copy is not
 * looked at, its event has the reason. */
static enum xs_sampled sample(struct xs_event *e, uint32_t stack, struct xs_sampler_copy *copy) {
    struct xs_event_transfer *t = &e->transfer;
    t->skip = (uint8_t)unfit(e);
    if (t->skip != XS_SKIP_NONE)
        return XS_LEFT_OUT;
    if (XS_UNLIKELY(atomic_load_explicit(&xs_outside_sums, memory_order_relaxed))) {
        t->skip = XS_SKIP_LEFT_OUT;
        return XS_LEFT_OUT;
    }
    if (!xs_budget_is_limited())
        return XS_BY_CHANCE;
    bool upload = t->direction == XS_DIR_H2D, little = t->bytes <= HOST_BYTES;
    bool pageable = (upload ? t->src_kind : t->dst_kind) == XS_MEM_PAGEABLE;
    bool over = !(e->flags & XS_FLAG_ASYNC) || (pageable && pageable_is_staged);
    *copy = (struct xs_sampler_copy){.bytes = t->bytes,
                                     .host = upload ? t->src : t->dst,
                                     .device = upload ? t->dst : t->src,
                                     .stack = stack,
                                     .entry = e->entry,
                                     .upload = upload,
                                     .pageable = pageable,
                                     .way = over && little ? XS_SAMPLER_HOST : XS_SAMPLER_DEVICE};
    enum xs_sampled sampled = xs_sampler_choose(copy, read_clock);
    if (sampled == XS_LEFT_OUT)
        t->skip = XS_SKIP_LEFT_OUT;
    return sampled;
}

static bool may_spend(uint64_t host_ns, uint64_t device_ns) {
    return xs_budget_spend(choice.began, host_ns + device_ns);
}

static enum xs_fingerprint_skip choose_host(const struct xs_event *e) {
    uint64_t cost = HOST_COST_NS(e->transfer.bytes);
    if (!may_spend(cost, 0))
        return XS_SKIP_BUDGET;
    choice.estimate_ns = cost;
    choice.way = ON_HOST;
    return XS_SKIP_NONE;
}

/* Plans a fingerprint on the device. The old content of mapped memory is not read, because the application may have
 * removed the access rights; the kernel would then fail as the copy does. */
static enum xs_fingerprint_skip choose_device(struct xs_event *e) {
    bool mapping = false;
    uint64_t bytes = e->transfer.bytes;
    enum xs_fingerprint_skip skip = device_unfit(e, &choice.device, &mapping);
    if (skip != XS_SKIP_NONE)
        return skip;
    if (!may_spend(LAUNCH_COST_NS, DEVICE_COST_NS(bytes)))
        return XS_SKIP_BUDGET;
    uint64_t began = xs_now();
    skip = xs_device_prepare(&choice.job, (CUcontext)e->context, (CUstream)e->stream, &choice.device, choice.id,
                             choice.upload);
    choice.began +=
        choice.job.made ? xs_now() - began : 0; /* happens once for each context, and is counted separately */
    if (skip != XS_SKIP_NONE) {
        xs_budget_refund(LAUNCH_COST_NS + DEVICE_COST_NS(bytes));
        return skip;
    }
    choice.estimate_ns = LAUNCH_COST_NS;
    choice.mapping = mapping;
    choice.compare = choice.upload && choice.job.known && !mapping;
    choice.measure_before =
        choice.upload && !choice.job.known && !mapping && may_spend(LAUNCH_COST_NS, DEVICE_COST_NS(bytes));
    choice.estimate_ns += choice.measure_before ? LAUNCH_COST_NS : 0;
    choice.way = choice.upload || mapping || !choice.over ? ON_DEVICE_AFTER : ON_DEVICE_BEFORE;
    return XS_SKIP_NONE;
}

static enum xs_fingerprint_skip decide(struct xs_event *e) {
    struct xs_event_transfer *t = &e->transfer;
    choice.upload = t->direction == XS_DIR_H2D;
    struct xs_fingerprint_region dst = region_of(e, t->dst, t->dst_pitch, t->dst_slice_rows),
                                 src = region_of(e, t->src, t->src_pitch, t->src_slice_rows);
    choice.device = choice.upload ? dst : src;
    choice.host = choice.upload ? src : dst;
    choice.blocking = !(e->flags & XS_FLAG_ASYNC);
    bool pageable = (choice.upload ? t->src_kind : t->dst_kind) == XS_MEM_PAGEABLE;
    choice.over = choice.blocking || (pageable && pageable_is_staged);
    choice.host_can = choice.over && host_can_read(choice.host.base);
    bool little = t->bytes <= HOST_BYTES;
    if (choice.host_can && little && (xs_fingerprint_mode == XS_FINGERPRINT_AUTO || !choice.upload))
        return choose_host(e);
    enum xs_fingerprint_skip skip = choose_device(e);
    if (skip != XS_SKIP_NONE && skip != XS_SKIP_BUDGET && choice.host_can)
        return choose_host(e);
    return skip;
}

static void start_device(struct xs_event *e) {
    bool in_order = choice.way == ON_DEVICE_AFTER && !choice.blocking && !choice.measure_before && !choice.mapping;
    bool capturing =
        atomic_load_explicit(&xs_captures, memory_order_relaxed) > 0; /* no stream or event may be made now */
    choice.aside = in_order && xs_device_make_way(&choice.job, choice.upload, !capturing);
    if (!in_order)
        xs_fingerprint_join(e);
    if (choice.measure_before) {
        choice.compare = xs_device_measure(&choice.job, XS_FINGERPRINT_MEASURE_ONLY);
    } else if (choice.way == ON_DEVICE_BEFORE && !xs_device_measure(&choice.job, 0)) {
        xs_device_abandon(&choice.job);
        choice.way = NO_WAY;
        e->transfer.skip = XS_SKIP_NO_KERNEL;
    }
}

void xs_fingerprint_before_copy(struct xs_event *e, uint32_t stack) {
    struct xs_sampler_copy copy;
    enum xs_sampled sampled = XS_LEFT_OUT;
    choice.way = NO_WAY;
    /* The copies of a batch are known only after the call, and the scratch event is not recorded. */
    if (e->kind == XS_EVENT_TRANSFER && e != &xs_scratch_event)
        sampled = sample(e, stack, &copy);
    if (sampled == XS_LEFT_OUT) {
        xs_fingerprint_join(e);
        return;
    }
    choice = (struct choice){.began = xs_now(), .sampled = sampled};
    choice.id = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
    e->transfer.skip = (uint8_t)decide(e);
    if (choice.way == ON_DEVICE_BEFORE || choice.way == ON_DEVICE_AFTER)
        start_device(e);
    else
        xs_fingerprint_join(e);
    if (choice.way != NO_WAY && choice.sampled == XS_BY_CHANCE && xs_budget_is_limited())
        xs_sampler_followed(&copy, choice.compare);
}

/* ---- after the call ---- */

/* Counts the time that fingerprints took before and after the real call. The wrapper has read the clock at the
 * beginning and at the end of that call. */
static void account(uint64_t entered, uint64_t returned) {
    uint64_t ticks = entered - choice.began + (xs_now() - returned);
    xs_budget_took(choice.estimate_ns, xs_budget_ns(ticks));
    xs_own_cost_elsewhere(entered, ticks);
}

static void has_fingerprint(struct xs_event *e) {
    e->fingerprint_id = choice.id;
    if (choice.sampled == XS_FOLLOWS)
        e->transfer.skip = XS_SKIP_FOLLOWS;
}

/* Computes the fingerprint on the host. Commits the transfer's event, and returns another event, which has the
 * fingerprint. */
static struct xs_event *put_host_content(struct xs_event *e) {
    struct xs_hashed_content content;
    void *work = xs_thread_memory_of(XS_PART_CONTENTS, XS_TREE_WORK_BYTES);
    if (!work) {
        e->transfer.skip = XS_SKIP_NO_MEMORY;
        return e;
    }
    xs_fingerprint_host_in(work, &choice.host, NULL, &content);
    has_fingerprint(e);
    e->correlation = xs_cupti_correlation;
    e = xs_another(e);
    e->kind = XS_EVENT_FINGERPRINT;
    e->fingerprint_id = 0;
    e->fingerprint = (struct xs_event_fingerprint){.content = {content.low, content.high},
                                                   .id = choice.id,
                                                   .leaves = content.leaves,
                                                   .constant_value = content.value,
                                                   .flags = content.constant ? XS_FINGERPRINT_CONSTANT : 0};
    return e;
}

/* Waits for the result of a blocking upload or for a kernel after a blocking copy, because the application may then
 * change the region by work in another stream before the fingerprint kernel has read it. False: the result has not
 * arrived in time. */
static bool wait_for_result(const struct xs_event *e) {
    if (!choice.blocking || !(choice.upload || choice.way == ON_DEVICE_AFTER))
        return true;
    uint64_t least = (xs_fingerprint_mode == XS_FINGERPRINT_ALL ? PATIENCE_ALL_US : PATIENCE_US) * patience_us_ticks;
    uint64_t took = e->return_tick - e->enter_tick;
    return xs_device_await(&choice.job, took > least ? took : least);
}

static void finish_device(struct xs_event *e, CUresult result) {
    if (choice.way == ON_DEVICE_AFTER) {
        if (result != CUDA_SUCCESS) {
            xs_device_abandon(&choice.job);
            return;
        }
        uint32_t mode = choice.compare ? XS_FINGERPRINT_COMPARE : 0;
        if (!(choice.aside ? xs_device_measure_aside : xs_device_measure)(&choice.job, mode)) {
            xs_device_abandon(&choice.job);
            e->transfer.skip = XS_SKIP_NO_KERNEL;
            return;
        }
        if (!wait_for_result(e) && xs_device_disown(&choice.job)) {
            xs_device_note_late(&choice.job);
            e->transfer.skip = XS_SKIP_LATE;
            return;
        }
    } else if (result != CUDA_SUCCESS) {
        xs_device_disown(&choice.job);
        return;
    }
    xs_device_settle(&choice.job);
    has_fingerprint(e);
}

struct xs_event *xs_fingerprint_after_copy(struct xs_event *e, CUresult result) {
    bool on_device = choice.way == ON_DEVICE_BEFORE || choice.way == ON_DEVICE_AFTER;
    const uint64_t entered = e->enter_tick, returned = e->return_tick;
    if (result != CUDA_SUCCESS)
        e->transfer.skip = XS_SKIP_FAILED;
    if (on_device) {
        finish_device(e, result);
        account(entered, returned);
    }
    bool reads_only = !(e->flags & XS_FLAG_BATCH) && /* the event has only the last copy of the batch */
                      (e->transfer.direction == XS_DIR_D2H || e->transfer.direction == XS_DIR_H2H);
    if (!reads_only && (!on_device || e->fingerprint_id == 0))
        xs_fingerprint_written(); /* also after a failed copy, because it may have written a part */
    if (choice.way == ON_HOST && result == CUDA_SUCCESS) {
        e->result = (int32_t)result;
        e = put_host_content(e);
        account(entered, returned);
    }
    choice.way = NO_WAY;
    return e;
}

/* ---- around other calls ---- */

_Atomic uintptr_t xs_fingerprint_held;
static _Atomic uint64_t held_context; /* 0: several */

static void hold(const struct xs_event *e) {
    bool named = (e->flags & (XS_FLAG_HAS_STREAM | XS_FLAG_PER_THREAD)) == XS_FLAG_HAS_STREAM;
    uintptr_t none = 0, where = named ? (uintptr_t)e->stream + 1 : UINTPTR_MAX;
    if (atomic_compare_exchange_strong(&xs_fingerprint_held, &none, where)) {
        atomic_store(&held_context, e->context);
        return;
    }
    if (none != where)
        atomic_store(&xs_fingerprint_held, UINTPTR_MAX);
    if (atomic_load(&held_context) != e->context)
        atomic_store(&held_context, 0);
}

void xs_fingerprint_launched_special(const struct xs_event *e, CUresult result) {
    if (e->launch.kind != XS_LAUNCH_COOPERATIVE)
        xs_fingerprint_never_holds();
    else if (result == CUDA_SUCCESS && !(e->flags & XS_FLAG_CAPTURED))
        hold(e);
}

void xs_fingerprint_let_go(const struct xs_event *e) {
    uintptr_t stream = (uintptr_t)e->stream + 1;
    if (e->sync.scope == XS_SYNC_CONTEXT && atomic_load(&held_context) == e->context)
        atomic_store(&xs_fingerprint_held, 0);
    else if (e->sync.scope == XS_SYNC_STREAM)
        atomic_compare_exchange_strong(&xs_fingerprint_held, &stream, 0);
}

void xs_fingerprint_context_gone(uint64_t context) {
    if (atomic_load(&held_context) == context)
        atomic_store(&xs_fingerprint_held, 0);
}

bool xs_fingerprint_give_back(const struct xs_event *e) {
    return !(e->flags & XS_FLAG_ASYNC) && atomic_load(&xs_fingerprint_held) == 0 &&
           xs_device_give_back((CUcontext)e->context);
}

void xs_fingerprint_join_late(void) {
    if (!xs_guard.raised) { /* not for calls that the library makes itself */
        struct xs_guard_own own;
        xs_guard_enter(&own);
        xs_device_join(NULL);
        xs_guard_leave(&own);
    }
}

void xs_fingerprint_write_cost(struct xs_store *store) {
    struct xs_device_cost cost = xs_device_cost();
    const struct xs_cupti_state *cupti = xs_cupti_state();
    xs_store_meta_int(store, "cost.fingerprint_call_ns", (int64_t)xs_budget_took_ns());
    xs_store_meta_int(store, "cost.fingerprint_start_ns", (int64_t)cost.start_ns);
    xs_store_meta_int(store, "cost.fingerprint_launches", (int64_t)cost.launches);
    xs_store_meta_int(store, "cost.fingerprint_kernel_ns", (int64_t)cupti->own_kernel_ns);
    xs_store_meta_int(store, "cost.fingerprint_device_bytes", (int64_t)cost.device_bytes);
    xs_store_meta_int(store, "cost.fingerprint_host_bytes", (int64_t)cost.host_bytes);
}
