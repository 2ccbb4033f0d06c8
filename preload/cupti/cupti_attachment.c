/* Attaches CUPTI to the driver and detaches it: subscribes, enables callbacks and kinds of records, and undoes all of
 * this. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "preload/core/notes.h"
#include "preload/core/quiescence.h"
#include "preload/core/thread.h"
#include "preload/cupti/cupti_internal.h"

#include "preload/cupti/cupti_callback_ids.h" /* after cuda.h */

static bool kernels_wanted;
/* The offset added to CUPTI's correlation ids, which makes the trace's ids unique. When CUPTI is attached again, its
 * ids begin anew (H200) or go on (H100). If ids that go on were increased by the latest id each time, they would soon
 * exceed 32 bits. So the offset makes the first id of an attachment, whatever it is, a little larger than the largest
 * id before; the difference is OF_OTHER_THREADS, because other threads may get smaller ids at the same time. Until the
 * first call the value is FIRST_IS_AWAITED plus the previous largest id. */
#define FIRST_IS_AWAITED (UINT64_C(1) << 32)
#define OF_OTHER_THREADS 4096u
static _Atomic uint64_t correlation_base;

const char *xs_cupti_result_text(CUptiResult result) {
    const char *text = NULL;
    if (!xs_cupti_api.cuptiGetResultString || xs_cupti_api.cuptiGetResultString(result, &text) != CUPTI_SUCCESS ||
        !text)
        text = "CUPTI error";
    return text;
}

uint32_t xs_cupti_correlation_base(void) {
    return (uint32_t)atomic_load_explicit(&correlation_base, memory_order_relaxed);
}

/* Returns the trace's id of the call that has this id in CUPTI. */
static uint32_t correlation_of(uint32_t id) {
    uint64_t base = atomic_load_explicit(&correlation_base, memory_order_relaxed);
    if (XS_UNLIKELY(base & FIRST_IS_AWAITED)) {
        uint64_t found = (uint32_t)base + OF_OTHER_THREADS - id;
        base = atomic_compare_exchange_strong(&correlation_base, &base, found) ? found : base;
    }
    return id + (uint32_t)base;
}

/* ---- callbacks ---- */

#define IDS 2048u
static enum xs_cupti_call sort_of[IDS];

/* The latest id of threads that have no slot of the quiescence lock, such as the library's own threads. */
static _Atomic uint32_t latest_without_slot;

static void count_at(struct xs_gate_slot *slot, CUpti_CallbackId id) {
    switch (id < IDS ? sort_of[id] : XS_CUPTI_COPY) {
    case XS_CUPTI_LAUNCH:
        xs_gate_count(&slot->launches);
        break;
    case XS_CUPTI_GRAPH:
        xs_gate_count(&slot->graphs);
        break;
    default:
        xs_gate_count(&slot->copies);
    }
}

void CUPTIAPI xs_cupti_on_driver_call(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info) {
    (void)data;
    (void)domain;
    const CUpti_CallbackData *call = info;
    struct xs_gate_slot *slot = xs_gate_slot;
    if (call->callbackSite != CUPTI_API_ENTER)
        return;
    uint32_t correlation = correlation_of(call->correlationId);
    if (XS_UNLIKELY(xs_cupti_correlation == XS_CORRELATION_LEFT_OUT))
        xs_cupti_left_out(correlation);
    else
        xs_cupti_correlation = correlation;
    if (slot) {
        count_at(slot, id);
        atomic_store_explicit(&slot->correlation, correlation, memory_order_relaxed);
    } else {
        atomic_store_explicit(&latest_without_slot, correlation, memory_order_relaxed);
    }
}

bool xs_cupti_saw_calls(void) {
    struct xs_gate_counts counts = xs_gate_counts();
    return counts.launches || counts.graphs || counts.copies || atomic_load(&latest_without_slot);
}

static struct {
    const char *name;
    uint32_t id; /* 0: not known yet, or this CUPTI has none */
    enum xs_cupti_call sort;
} calls[] = {
#define X(symbol, sort) {#symbol, CUPTI_DRIVER_TRACE_CBID_##symbol, sort},
#define XS_ENTRY(symbol, category, ...) XS_CUPTI_OF_##category(X, symbol)
#include "preload/driver/entry_points.def"
#undef XS_ENTRY
    XS_CUPTI_OLDER(X) XS_CUPTI_LAUNCHES(X)
#undef X
};
#define CALL_COUNT (sizeof calls / sizeof calls[0])

/* Finds the ids of newer copies. They are looked up at the first call only, because they do not change within one
 * CUPTI, even if it lacks some. */
static void find_newer_copies(void) {
    static bool asked;
    for (uint32_t id = XS_CUPTI_FIRST_NEWER; !asked && xs_cupti_api.cuptiGetCallbackName && id < IDS; id++) {
        const char *name = NULL;
        if (xs_cupti_api.cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) != CUPTI_SUCCESS || !name)
            continue;
        for (size_t i = 0; i < CALL_COUNT; i++)
            if (!calls[i].id && strcmp(name, calls[i].name) == 0)
                calls[i].id = id;
    }
    asked = true;
}

/* Returns the number of callbacks that were switched on or off, without those of kernels. */
static unsigned switch_callbacks(bool on) {
    unsigned switched = 0;
    find_newer_copies();
    for (size_t i = 0; i < CALL_COUNT; i++) {
        if (!calls[i].id || (calls[i].sort == XS_CUPTI_LAUNCH && !kernels_wanted))
            continue;
        sort_of[calls[i].id % IDS] = calls[i].sort;
        switched += xs_cupti_api.cuptiEnableCallback(on, xs_cupti_subscriber(), CUPTI_CB_DOMAIN_DRIVER_API,
                                                     calls[i].id) == CUPTI_SUCCESS &&
                    calls[i].sort != XS_CUPTI_LAUNCH;
    }
    return switched;
}

/* ---- activity kinds ---- */

/* Peer copies (MEMCPY2) are not enabled, but decoded where MEMCPY includes them. If both kinds of copies are on, each
 * cuptiActivityFlushAll after a copy makes a later launch of a CUDA graph fail with CUDA_ERROR_LAUNCH_FAILED (CUPTI
 * 13.0.1: tests/bench/flush_graph.cu, tests/bench/results/graphs.md). */
static struct {
    const char *what;
    CUpti_ActivityKind kind;
    bool only_with_kernels, enabled, refused;
} kinds[] = {
    {"copies", CUPTI_ACTIVITY_KIND_MEMCPY, false, false, false},
    {"memsets", CUPTI_ACTIVITY_KIND_MEMSET, false, false, false},
    {"kernels", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, true, false, false},
    {"synchronisation", CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, false, false, false},
};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

/* Returns the result for copies, because CUPTI is useless without them. If another kind is not available, this is noted
 * once. */
static CUptiResult enable_kinds(void) {
    CUptiResult copies = CUPTI_SUCCESS;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if ((kinds[i].only_with_kernels && !kernels_wanted) || kinds[i].refused)
            continue;
        CUptiResult result = xs_cupti_switch_kind(kinds[i].kind, true);
        kinds[i].enabled = result == CUPTI_SUCCESS;
        if (kinds[i].kind == CUPTI_ACTIVITY_KIND_MEMCPY && !kinds[i].enabled) {
            copies = result;
        } else if (!kinds[i].enabled) {
            kinds[i].refused = true;
            xs_note("cupti", "%s are not recorded: %s (%d)", kinds[i].what, xs_cupti_result_text(result), (int)result);
        }
    }
    /* Without this, a loop around cudaEventQuery would fill the trace with records of queries that found unfinished
     * work. */
    xs_cupti_all_waits(false);
    return copies;
}

static void disable_kinds(void) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (kinds[i].enabled)
            xs_cupti_switch_kind(kinds[i].kind, false);
        kinds[i].enabled = false;
    }
    xs_cupti_all_waits(true);
}

/* ---- attaching and detaching ---- */

/* Begins recording. Callbacks are enabled first. A call between the two steps then has a correlation id but no record,
 * like a call that was still running when recording ended. Otherwise there would be a record without a call. */
CUptiResult xs_cupti_record(bool kernels) {
    kernels_wanted = kernels;
    if (switch_callbacks(true) == 0)
        xs_note("cupti", "no driver callback could be enabled: device times have no host calls");
    return enable_kinds();
}

void xs_cupti_record_no_more(void) {
    disable_kinds();
    switch_callbacks(false);
}

/* Unsubscribes and finalizes CUPTI. cuptiFinalize does nothing, and reports no error, if there is another subscriber
 * that xferspy does not know. */
static CUptiResult leave_and_finalize(void) {
    xs_cupti_record_no_more();
    xs_cupti_unsubscribe();
    (void)xs_cupti_api.cuptiFinalize(); /* xferspy is already unsubscribed, even if this fails */
    return CUPTI_SUCCESS;
}

CUptiResult xs_cupti_finalize(void) {
    uint32_t latest = xs_gate_latest_correlation(atomic_load(&latest_without_slot)), record = xs_cupti_latest_record();
    latest = (int32_t)(record - latest) > 0 ? record : latest;
    CUptiResult result = xs_cupti_shares() ? leave_and_finalize() : xs_cupti_api.cuptiFinalize();
    if (result == CUPTI_SUCCESS)
        atomic_store(&correlation_base, FIRST_IS_AWAITED | latest);
    return result;
}
