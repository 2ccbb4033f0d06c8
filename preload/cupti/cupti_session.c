/* The life of xferspy's CUPTI session: subscribe, enable, flush, drain into the store, give it to the application. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/guard.h"
#include "preload/core/lock.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"
#include "preload/cupti/cupti_callback_ids.h"
#include "preload/cupti/cupti_internal.h"
#include "preload/cupti/migration_budget.h"
#include "schema/error.h"

/* OVER is for ever: a session that failed, was taken or given away is not begun again. */
enum phase { IDLE, STARTING, ACTIVE, OVER };
static _Atomic int phase = IDLE;

/* Held during every call of CUPTI, and while a buffer is decoded, because kernel names are CUPTI's memory. CUPTI's
 * callbacks never take it. */
static struct xs_lock life = XS_LOCK_INITIALIZER;
static int cancel_before; /* of the thread that holds it */
static struct xs_cupti_api api;
static _Atomic(void *) handle;
static CUpti_SubscriberHandle subscriber;
static bool with_kernels, has_migrations;
static bool with_migrations, bounded_migrations; /* at all; resting */
static struct xs_migration_budget migrations;
static _Atomic bool hurry;                  /* managed memory was allocated: migrations may begin */
#define SOON_MS 5u                          /* where there are, and recording them may have to stop */
static _Atomic uint64_t decoded_migrations; /* records that are no longer in a queued buffer */
static int64_t offset_ns;                   /* CUPTI's clock minus CLOCK_MONOTONIC */
static char claim[64];                      /* the application's first call of CUPTI, where it came before ours */

/* Taken only inside, and by threads of the library. */
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_cupti_state state = {.status = "off"};

/* A thread that is inside must neither lock again nor take CUPTI's inner calls for the application's. Nor must it be
 * cancelled there, or jump away: it would be inside for ever. */
static XS_TLS bool inside;

static bool enter(void) {
    int cancel;
    if (inside)
        return false;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    xs_lock(&life);
    cancel_before = cancel;
    inside = true;
    xs_guard_enter();
    return true;
}

static void leave(void) {
    xs_guard_leave();
    inside = false;
    pthread_setcancelstate(cancel_before, NULL);
    xs_unlock(&life);
}

__attribute__((format(printf, 2, 3))) static void set_status(const char *status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    pthread_mutex_lock(&state_lock);
    state.status = status;
    vsnprintf(state.text, sizeof state.text, format, arguments);
    pthread_mutex_unlock(&state_lock);
    va_end(arguments);
}

const struct xs_cupti_state *xs_cupti_state(void) {
    static __thread struct xs_cupti_state snapshot;
    pthread_mutex_lock(&state_lock);
    snapshot = state;
    pthread_mutex_unlock(&state_lock);
    return &snapshot;
}

void *xs_cupti_handle(void) { return atomic_load(&handle); }

static const char *result_text(CUptiResult result) {
    const char *text = NULL;
    if (!api.cuptiGetResultString || api.cuptiGetResultString(result, &text) != CUPTI_SUCCESS || !text)
        text = "CUPTI error";
    return text;
}

/* ---- callbacks ---- */

static void CUPTIAPI on_driver_call(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info) {
    (void)data;
    (void)domain;
    (void)id;
    const CUpti_CallbackData *call = info;
    if (call->callbackSite == CUPTI_API_ENTER)
        xs_cupti_correlation = call->correlationId;
}

static unsigned enable_callbacks(const uint32_t *ids, size_t count) {
    unsigned enabled = 0;
    for (size_t i = 0; i < count; i++)
        enabled += api.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, ids[i]) == CUPTI_SUCCESS;
    return enabled;
}

static void enable_all_callbacks(void) {
#define X(name) CUPTI_DRIVER_TRACE_CBID_##name,
    static const uint32_t transfers[] = {XS_CUPTI_COPIES(X) XS_CUPTI_MEMSETS(X) XS_CUPTI_GRAPH_LAUNCHES(X)};
    static const uint32_t launches[] = {XS_CUPTI_KERNEL_LAUNCHES(X)};
#undef X
    if (enable_callbacks(transfers, sizeof transfers / sizeof transfers[0]) == 0)
        xs_note("cupti", "no driver callback could be enabled: device times have no host calls");
    if (with_kernels)
        enable_callbacks(launches, sizeof launches / sizeof launches[0]);
}

/* ---- activity kinds ---- */

static struct {
    const char *what;
    CUpti_ActivityKind kind;
    bool only_with_kernels, enabled;
} kinds[] = {
    {"copies", CUPTI_ACTIVITY_KIND_MEMCPY, false, false},
    {"peer copies", CUPTI_ACTIVITY_KIND_MEMCPY2, false, false},
    {"memsets", CUPTI_ACTIVITY_KIND_MEMSET, false, false},
    {"kernels", CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, true, false},
    {"synchronisation", CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, false, false},
    {"page migrations", CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, false, false},
};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

/* The result of the one kind that CUPTI is here for: copies. What else cannot be had is only noted. */
static CUptiResult enable_kinds(void) {
    CUptiResult configured = with_migrations ? xs_cupti_configure_migrations(&api, true) : CUPTI_ERROR_NOT_SUPPORTED;
    has_migrations = configured == CUPTI_SUCCESS;
    CUptiResult copies = CUPTI_SUCCESS;
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (kinds[i].only_with_kernels && !with_kernels)
            continue;
        bool is_migrations = kinds[i].kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
        if (is_migrations && !with_migrations)
            continue;
        CUptiResult result = is_migrations && !has_migrations ? configured : api.cuptiActivityEnable(kinds[i].kind);
        kinds[i].enabled = result == CUPTI_SUCCESS;
        if (kinds[i].kind == CUPTI_ACTIVITY_KIND_MEMCPY && !kinds[i].enabled)
            copies = result;
        else if (!kinds[i].enabled)
            xs_note("cupti", "%s are not recorded: %s (%d)", kinds[i].what, result_text(result), (int)result);
    }
    /* A loop around cudaEventQuery would fill the trace with records of queries that found nothing. */
    if (api.cuptiActivityEnableAllSyncRecords)
        api.cuptiActivityEnableAllSyncRecords(0);
    return copies;
}

static void disable_kinds(void) {
    for (size_t i = 0; i < KIND_COUNT; i++) {
        if (kinds[i].enabled)
            api.cuptiActivityDisable(kinds[i].kind);
        kinds[i].enabled = false;
    }
    if (has_migrations && migrations.on)
        xs_cupti_configure_migrations(&api, false);
    if (api.cuptiActivityEnableAllSyncRecords)
        api.cuptiActivityEnableAllSyncRecords(1);
}

/* ---- clock ---- */

/* CUPTI's timestamps follow the wall clock, which an administrator or a suspended laptop can step. The tightest of a
 * few brackets gives the offset to within the cost of one call. */
static void sample_clock(bool first) {
    uint64_t best_width = UINT64_MAX;
    int64_t best = offset_ns;
    for (int i = 0; i < 7; i++) {
        uint64_t stamp = 0, before = xs_monotonic_ns();
        if (api.cuptiGetTimestamp(&stamp) != CUPTI_SUCCESS)
            return;
        uint64_t after = xs_monotonic_ns();
        if (after - before < best_width) {
            best_width = after - before;
            best = (int64_t)(stamp - (before + (after - before) / 2));
        }
    }
    int64_t step = best - offset_ns;
    if (!first && (step > 1000000 || step < -1000000))
        xs_note("cupti", "clock jumped by %lld us: device times before it are off by that", (long long)(step / 1000));
    offset_ns = best;
}

/* ---- start ---- */

static CUptiResult subscribe(char *holder, size_t bytes) {
    holder[0] = 0;
    CUptiResult result = api.cuptiSubscribe(&subscriber, on_driver_call, NULL);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && api.cuptiSubscribe_v2) {
        /* Only to learn who holds it: from CUDA 13.3 on a v2 subscription comes with an interface of its own. */
        CUpti_SubscriberHandle unwanted;
        CUpti_SubscriberParams params = {.structSize = CUpti_SubscriberParams_STRUCT_SIZE,
                                         .subscriberName = "xferspy",
                                         .oldSubscriberName = holder,
                                         .oldSubscriberSize = bytes};
        if (api.cuptiSubscribe_v2(&unwanted, on_driver_call, NULL, &params) == CUPTI_SUCCESS)
            api.cuptiUnsubscribe(unwanted);
        holder[bytes - 1] = 0;
    }
    return result;
}

static bool load(void) {
    char text[256];
    int status = xs_cupti_load(&api, text, sizeof text);
    if (status != 0) {
        set_status(status == XS_ERROR_NOT_FOUND ? "not found" : "failed", "%s", text);
        return false;
    }
    atomic_store(&handle, api.handle);
    pthread_mutex_lock(&state_lock);
    state.version = api.version;
    state.path = api.path;
    pthread_mutex_unlock(&state_lock);
    return true;
}

static bool start(void) {
    if (claim[0]) {
        set_status("taken", "the application called %s first", claim);
        return false;
    }
    if (!load())
        return false;
    char holder[2 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN];
    CUptiResult result = subscribe(holder, sizeof holder);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
        set_status("taken", "another subscriber holds CUPTI%s%s", holder[0] ? ": " : "", holder);
        return false;
    }
    if (result != CUPTI_SUCCESS) {
        set_status("failed", "cuptiSubscribe: %s (%d)", result_text(result), (int)result);
        return false;
    }
    const char *call = "cuptiActivityRegisterCallbacks";
    result = api.cuptiActivityRegisterCallbacks(xs_cupti_buffer_requested, xs_cupti_buffer_completed);
    if (result == CUPTI_SUCCESS) {
        sample_clock(true);
        enable_all_callbacks();
        call = "cuptiActivityEnable of copies";
        result = enable_kinds();
    }
    if (result != CUPTI_SUCCESS) {
        disable_kinds();
        api.cuptiUnsubscribe(subscriber);
        set_status("failed", "%s: %s (%d)", call, result_text(result), (int)result);
        return false;
    }
    set_status("active", "%s", "");
    return true;
}

void xs_cupti_start(bool kernels, const char *which) {
    uint64_t begin = xs_monotonic_ns();
    if (!enter())
        return;
    if (atomic_load(&phase) == IDLE) {
        atomic_store(&phase, STARTING);
        with_kernels = kernels;
        with_migrations = strcmp(which, "off") != 0;
        bounded_migrations = strcmp(which, "auto") == 0;
        xs_migration_budget_start(&migrations, begin);
        atomic_store(&phase, start() ? ACTIVE : OVER);
        pthread_mutex_lock(&state_lock);
        state.start_ns = xs_monotonic_ns() - begin;
        pthread_mutex_unlock(&state_lock);
    }
    leave();
}

/* ---- flush and drain ---- */

/* Called inside. */
static void flush_all(uint32_t flag) {
    size_t dropped = 0;
    api.cuptiActivityFlushAll(flag);
    if (api.cuptiActivityGetNumDroppedRecords &&
        api.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped) == CUPTI_SUCCESS && dropped) {
        pthread_mutex_lock(&state_lock);
        state.dropped_records += dropped;
        pthread_mutex_unlock(&state_lock);
    }
}

void xs_cupti_flush(bool forced) {
    if (atomic_load(&phase) != ACTIVE || !enter())
        return;
    if (atomic_load(&phase) == ACTIVE)
        flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
    leave();
}

/* Called inside. Those that wait to be drained have cost their time already. */
static uint64_t migration_records(void) {
    struct xs_cupti_decoder reader = {.next_record = api.cuptiActivityGetNextRecord, .version = api.version};
    return atomic_load(&decoded_migrations) + xs_cupti_buffers_migrations(&reader);
}

/* Called inside. */
static void note_migrations(uint64_t now_ns) {
    pthread_mutex_lock(&state_lock);
    state.migrations_ns = xs_migration_budget_recorded_ns(&migrations, now_ns);
    state.migration_rests = migrations.rests;
    state.migration_turns_ns = migrations.turns_ns;
    state.migration_turns_cpu_ns = migrations.turns_cpu_ns;
    pthread_mutex_unlock(&state_lock);
}

/* Called inside. */
static unsigned watch_migrations(uint64_t now_ns) {
    static uint64_t records_before, grown_ns;
    uint64_t records = migration_records();
    if (xs_migration_budget_turn(&migrations, now_ns, records)) {
        xs_cupti_turn_migrations(&api, &migrations);
        note_migrations(now_ns);
    }
    if (records != records_before || atomic_exchange(&hurry, false))
        grown_ns = now_ns;
    records_before = records;
    unsigned wait_ms = xs_migration_budget_wait_ms(&migrations, xs_monotonic_ns()); /* turning takes ms */
    return wait_ms || now_ns - grown_ns >= UINT64_C(1000000000) ? wait_ms : SOON_MS;
}

unsigned xs_cupti_watch_migrations(void) {
    if (atomic_load(&phase) != ACTIVE || !bounded_migrations || !has_migrations || !enter())
        return 0;
    unsigned wait_ms = atomic_load(&phase) == ACTIVE ? watch_migrations(xs_monotonic_ns()) : 0;
    leave();
    return wait_ms;
}

/* Called inside. */
static void end_migrations(void) {
    uint64_t now_ns = xs_monotonic_ns();
    note_migrations(now_ns);
    xs_migration_budget_end(&migrations, now_ns);
}

const char *xs_cupti_migration_windows(const struct xs_clock *clock) {
    static char *text;
    enum { BYTES = 32 * XS_MIGRATION_WINDOWS };
    text = text ? text : malloc(BYTES);
    if (!bounded_migrations || !has_migrations || !text || !enter())
        return NULL;
    xs_cupti_windows_text(&migrations, clock, text, BYTES);
    leave();
    return text;
}

void xs_cupti_managed_memory(void) { atomic_store(&hurry, true); }

static void keep_names(struct xs_cupti_buffer *buffer, void *decoder) {
    xs_cupti_keep_names(decoder, buffer->data, buffer->valid_bytes);
}

/* Kernel names are CUPTI's memory; the buffers that wait are decoded when it may be gone. */
static void keep_all_names(void) {
    struct xs_cupti_decoder reader = {.next_record = api.cuptiActivityGetNextRecord, .version = api.version};
    if (with_kernels)
        xs_cupti_buffers_each(keep_names, &reader);
}

void xs_cupti_end(void) {
    if (atomic_load(&phase) != ACTIVE || !enter())
        return;
    if (atomic_load(&phase) == ACTIVE) {
        end_migrations();
        flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
        sample_clock(false);
        keep_all_names();
        atomic_store(&phase, OVER);
    }
    leave();
}

/* False when there is nothing to decode with. */
static bool prepare_drain(struct xs_cupti_decoder *decoder) {
    if (!enter())
        return false;
    if (atomic_load(&phase) == ACTIVE)
        sample_clock(false);
    decoder->next_record = api.cuptiActivityGetNextRecord;
    decoder->version = api.version;
    decoder->offset_ns = offset_ns;
    leave();
    return decoder->next_record != NULL;
}

/* Decodes the oldest buffer and appends it to the list. The lock is taken for each buffer, so that an application
 * that wants CUPTI waits for one and not for all. Returns the records or the store's error, -INT64_MAX at the end. */
static int64_t drain_one(struct xs_cupti_decoder *decoder, struct xs_cupti_buffer ***tail) {
    if (!enter())
        return -INT64_MAX;
    int64_t result = -INT64_MAX;
    struct xs_cupti_buffer *buffer = xs_cupti_buffer_take();
    if (buffer) {
        **tail = buffer;
        *tail = &buffer->next;
        /* After an error the buffer is read again, when CUPTI may be gone, and the names with it. */
        if (with_kernels)
            xs_cupti_keep_names(decoder, buffer->data, buffer->valid_bytes);
        uint64_t before = decoder->records[XS_RECORD_MIGRATION];
        result = xs_cupti_decode(decoder, buffer->data, buffer->valid_bytes);
        atomic_fetch_add(&decoded_migrations, decoder->records[XS_RECORD_MIGRATION] - before);
    }
    leave();
    return result;
}

static void note_losses(const struct xs_cupti_decoder *decoder) {
    static bool noted_lost, noted_damaged;
    if (decoder->damaged && !noted_damaged) {
        noted_damaged = true;
        xs_note("cupti", "a buffer of device records could not be read to its end");
    }
    if (!noted_lost && xs_cupti_buffers_lost()) {
        noted_lost = true;
        xs_note("cupti", "buffers of device records were lost for want of memory");
    }
}

int64_t xs_cupti_drain(struct xs_store *store, const struct xs_clock *clock) {
    int now = atomic_load(&phase);
    struct xs_cupti_decoder decoder = {.store = store, .clock = clock};
    if ((now != ACTIVE && now != OVER) || !prepare_drain(&decoder))
        return 0;
    struct xs_cupti_buffer *done = NULL, **tail = &done;
    int64_t total = 0, result;
    while ((result = drain_one(&decoder, &tail)) >= 0)
        total += result;
    if (result != -INT64_MAX) {
        atomic_fetch_sub(&decoded_migrations, decoder.records[XS_RECORD_MIGRATION]); /* they wait again */
        xs_cupti_buffers_requeue(done);
        return result;
    }
    xs_cupti_buffers_recycle(done);
    pthread_mutex_lock(&state_lock);
    for (size_t i = 0; i < sizeof state.records / sizeof state.records[0]; i++)
        state.records[i] += decoder.records[i];
    state.own_kernels += decoder.own_kernels;
    state.own_kernel_ns += decoder.own_kernel_ns;
    pthread_mutex_unlock(&state_lock);
    note_losses(&decoder);
    return total;
}

/* ---- the end ---- */

/* After this the application finds CUPTI as if nobody had used it; the records up to now wait for the drain. */
static void give_away(const char *why) {
    flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    disable_kinds();
    end_migrations();
    flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    sample_clock(false);
    api.cuptiUnsubscribe(subscriber);
    keep_all_names();
    atomic_store(&phase, OVER);
    set_status("stepped aside", "for %s", why);
    xs_note("cupti", "stepped aside for %s: no device times from here on", why);
}

void xs_cupti_step_aside(const char *why) {
    if (atomic_load(&phase) == OVER || !enter())
        return;
    int now = atomic_load(&phase);
    if (now == ACTIVE)
        give_away(why);
    else if (now == IDLE && !claim[0])
        snprintf(claim, sizeof claim, "%s", why);
    leave();
}

/* Only the forking thread lives on: locks may be held by others for ever, and CUPTI's own are in the same state. A
 * child of a process that had not begun may begin for itself. */
void xs_cupti_forget(void) {
    xs_lock_forget(&life);
    pthread_mutex_init(&state_lock, NULL);
    xs_cupti_buffers_forget();
    xs_cupti_correlation = 0;
    if (atomic_load(&phase) == IDLE)
        return;
    api = (struct xs_cupti_api){.path = api.path};
    atomic_store(&handle, NULL);
    atomic_store(&phase, OVER);
    state = (struct xs_cupti_state){.status = "off", .text = "CUPTI cannot be used in a forked child"};
}
