/* Manages the life of xferspy's CUPTI session: subscribing, enabling, flushing, draining into the store, and giving
 * CUPTI to the application. */
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/guard.h"
#include "preload/core/lock.h"
#include "preload/core/notes.h"
#include "preload/core/quiescence.h"
#include "preload/core/thread.h"
#include "preload/cupti/checkpoints.h"
#include "preload/cupti/cupti_internal.h"
#include "schema/error.h"

/* OVER is final: no session begins again after it failed or after CUPTI was left to the application. */
enum phase { IDLE, STARTING, ACTIVE, OVER };
static _Atomic int phase = IDLE;

/* This lock is held during every call of CUPTI, and while a buffer is indexed, because the kernel names lie in CUPTI's
 * memory. CUPTI's callbacks never take this lock. */
static struct xs_lock life = XS_LOCK_INITIALIZER;
static int cancel_before; /* cancel state of the thread that holds `life`, to be restored */
struct xs_cupti_api xs_cupti_api;
static _Atomic(void *) handle;
static bool with_kernels;
static int64_t offset_ns; /* CUPTI's clock minus CLOCK_MONOTONIC */
static char claim[64];    /* the application's first call of CUPTI, if it came before xferspy's */
/* The shared function by which the application subscribed; NULL: it did not use one. */
static const void *shared_claim;
static int driver_version;
/* True: a session by the shared interface has ended, and CUPTI may still remember it and refuse calls of the
 * application. */
static _Atomic bool left_shared;
static _Atomic bool was_attached;

/* This lock is taken only by threads that are inside, and by threads of the library. */
static pthread_mutex_t state_lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_cupti_state state = {.status = "off"};

/* A thread that is inside must not lock again, and the calls that CUPTI makes on it must not be recorded as the
 * application's. It must not be cancelled or jump away there either, because it would then be inside for ever. */
static XS_TLS bool inside;
static XS_TLS const struct xs_guard_note *guard_before;

static bool enter(bool waits) {
    int cancel;
    if (inside)
        return false;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    if (waits) {
        xs_lock(&life);
    } else if (!xs_try_lock(&life)) {
        pthread_setcancelstate(cancel, NULL);
        return false;
    }
    cancel_before = cancel;
    inside = true;
    guard_before = xs_guard.raised;
    xs_guard.raised = &xs_guard_unleft; /* no jump can leave: signals are blocked while the lock is held */
    return true;
}

bool xs_cupti_enter(void) { return enter(true); }
bool xs_cupti_try_enter(void) { return enter(false); }

void xs_cupti_leave(void) {
    xs_guard.raised = guard_before;
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

void xs_cupti_note(void (*change)(struct xs_cupti_state *state)) {
    pthread_mutex_lock(&state_lock);
    change(&state);
    pthread_mutex_unlock(&state_lock);
}

bool xs_cupti_is_active(void) { return atomic_load(&phase) == ACTIVE; }

const struct xs_cupti_state *xs_cupti_state(void) {
    static __thread struct xs_cupti_state snapshot;
    pthread_mutex_lock(&state_lock);
    snapshot = state;
    pthread_mutex_unlock(&state_lock);
    return &snapshot;
}

void *xs_cupti_handle(void) { return atomic_load(&handle); }

/* ---- clock ---- */

/* CUPTI's timestamps follow the wall clock, which an administrator or a suspended laptop can step. CUPTI's time is read
 * several times between two readings of CLOCK_MONOTONIC. The closest pair gives the offset, with an error of at most
 * the duration of one call. */
void xs_cupti_sample_clock(void) {
    static bool is_known;
    uint64_t best_width = UINT64_MAX;
    int64_t best = offset_ns;
    for (int i = 0; i < 7; i++) {
        uint64_t stamp = 0, before = xs_monotonic_ns();
        if (xs_cupti_timestamp(&stamp) != CUPTI_SUCCESS)
            return;
        uint64_t after = xs_monotonic_ns();
        if (after - before < best_width) {
            best_width = after - before;
            best = (int64_t)(stamp - (before + (after - before) / 2));
        }
    }
    int64_t step = best - offset_ns;
    if (is_known && (step > 1000000 || step < -1000000))
        xs_note("cupti", "clock jumped by %lld us: device times before it are off by that", (long long)(step / 1000));
    is_known |= best_width != UINT64_MAX;
    offset_ns = best;
}

/* ---- start ---- */

static bool load(void) {
    char why[256];
    int status = xs_cupti_load(driver_version, why);
    if (status != 0) {
        set_status(status == XS_ERROR_NOT_FOUND ? "not found" : "failed", "%s", why);
        return false;
    }
    atomic_store(&handle, xs_cupti_api.handle);
    xs_cupti_choose_interface(driver_version);
    pthread_mutex_lock(&state_lock);
    state.version = xs_cupti_api.version;
    state.path = xs_cupti_api.path;
    pthread_mutex_unlock(&state_lock);
    return true;
}

/* Attaches by the interface that is in use (global or shared). */
static const char *attach(CUptiResult *result, char *holder, size_t bytes) {
    const char *call = "cuptiSubscribe";
    *result = xs_cupti_subscribe(holder, bytes);
    if (*result != CUPTI_SUCCESS)
        return call;
    atomic_store(&was_attached, true);
    call = "cuptiActivityRegisterCallbacks";
    *result = xs_cupti_register_buffers();
    if (*result == CUPTI_SUCCESS) {
        call = "cuptiActivityEnable of copies";
        *result = xs_cupti_record(with_kernels);
    }
    if (*result == CUPTI_SUCCESS)
        return NULL;
    xs_cupti_record_no_more();
    xs_cupti_unsubscribe();
    return call;
}

/* The global interface is tried only if there is no other subscriber, because otherwise CUPTI would refuse it, and the
 * other subscriber might be disturbed. */
const char *xs_cupti_attach(CUptiResult *result, char *holder, size_t bytes) {
    if (xs_cupti_is_paused()) {
        *result = xs_cupti_record(with_kernels);
        if (*result == CUPTI_SUCCESS)
            return NULL;
        xs_cupti_record_no_more();
        return "cuptiActivityEnable_v2 of copies";
    }
    const char *failed = attach(result, holder, bytes);
    if (failed && xs_cupti_shares() && xs_cupti_others() == 0) {
        xs_note("cupti", "CUPTI is not shared with other profilers of this process: %s: %s (%d)", failed,
                xs_cupti_result_text(*result), (int)*result);
        xs_cupti_share_no_more();
        failed = attach(result, holder, bytes);
    }
    return failed;
}

bool xs_cupti_was_attached(void) { return atomic_load(&was_attached); }

static bool taken_by(const char *call) {
    set_status("taken", "the application called %s first", call);
    return false;
}

/* True if the application's function belongs to the same CUPTI library as the session. There may be several CUPTI
 * libraries in a process. */
static bool is_shared_by(const void *its_function) {
    void *ours;
    memcpy(&ours, &xs_cupti_api.cuptiSubscribe_v2, sizeof ours);
    return xs_cupti_shares() && its_function == ours;
}

static void note_both(void) {
    static bool noted;
    if (!noted)
        xs_note("cupti", "the application profiles with CUPTI, too: both record");
    noted = true;
}

static bool start(const struct xs_cupti_wishes *wishes, bool at_once) {
    if (claim[0] && !shared_claim)
        return taken_by(claim);
    const char *checkpoint = wishes->yields_to_checkpoints ? xs_checkpoints_imported() : NULL;
    if (checkpoint) {
        set_status("off", "the program is linked to %s, which fails once CUPTI has been in the process", checkpoint);
        return false;
    }
    if (!load())
        return false;
    if (claim[0] && !is_shared_by(shared_claim))
        return taken_by(claim);
    if (!at_once) {
        set_status("active", "%s", "");
        return true;
    }
    char holder[2 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
    CUptiResult result;
    const char *failed = xs_cupti_attach(&result, holder, sizeof holder);
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
        set_status("taken", "another subscriber holds CUPTI%s%s", holder[0] ? ": " : "", holder);
        return false;
    }
    if (failed) {
        set_status("failed", "%s: %s (%d)", failed, xs_cupti_result_text(result), (int)result);
        return false;
    }
    xs_cupti_sample_clock();
    if (xs_cupti_is_beside())
        note_both();
    set_status("active", "%s", "");
    return true;
}

void xs_cupti_start(const struct xs_cupti_wishes *wishes) {
    uint64_t begin = xs_monotonic_ns();
    if (!xs_cupti_enter())
        return;
    if (atomic_load(&phase) == IDLE) {
        atomic_store(&phase, STARTING);
        with_kernels = wishes->kernels;
        driver_version = wishes->driver_version;
        xs_cupti_start_migrations(wishes, begin);
        bool started = start(wishes, xs_cupti_start_switches(wishes, begin));
        atomic_store(&phase, started ? ACTIVE : OVER);
        pthread_mutex_lock(&state_lock);
        state.start_ns = xs_monotonic_ns() - begin;
        pthread_mutex_unlock(&state_lock);
    }
    xs_cupti_leave();
}

/* ---- flush and drain ---- */

void xs_cupti_flush_all(uint32_t flag) {
    xs_cupti_api.cuptiActivityFlushAll(flag);
    size_t dropped = xs_cupti_dropped_records();
    if (dropped) {
        pthread_mutex_lock(&state_lock);
        state.dropped_records += dropped;
        pthread_mutex_unlock(&state_lock);
    }
}

void xs_cupti_flush(bool forced) {
    if (atomic_load(&phase) != ACTIVE || !xs_cupti_enter())
        return;
    if (atomic_load(&phase) == ACTIVE && xs_cupti_is_attached() && !xs_cupti_is_beside())
        xs_cupti_flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
    xs_cupti_leave();
}

/* Queued buffers are indexed because CUPTI owns the kernel names, and may be unloaded when the buffers are decoded. */
void xs_cupti_index_all(void) {
    struct xs_cupti_decoder reader = {.next_record = xs_cupti_next_record(), .version = xs_cupti_api.version};
    xs_cupti_buffers_index(&reader);
}

/* True if there may be records. False: the program has given the device no work, and CUPTI has written no records. */
static bool may_have_records(void) { return xs_cupti_saw_calls() || xs_cupti_buffers_asked_for(); }

static void flush_last(void) {
    if (!xs_cupti_is_beside())
        xs_cupti_flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    else
        xs_note("cupti", "the last device times may be missing: the application was still profiling, and its buffers "
                         "would have been handed over with them");
}

static bool has_buffers(void) { return xs_cupti_is_attached() || xs_cupti_is_paused(); }

void xs_cupti_end(void) {
    if (atomic_load(&phase) != ACTIVE || !xs_cupti_enter())
        return;
    if (atomic_load(&phase) == ACTIVE) {
        xs_cupti_end_migrations();
        if (has_buffers() && may_have_records()) {
            flush_last();
            xs_cupti_sample_clock();
            xs_cupti_index_all();
        }
        xs_cupti_end_switches();
        atomic_store(&phase, OVER);
    }
    xs_cupti_leave();
}

/* Prepares the decoding of buffers. False: there is no CUPTI, so nothing can be decoded. */
static bool prepare_drain(struct xs_cupti_decoder *decoder) {
    if (!xs_cupti_enter())
        return false;
    if (atomic_load(&phase) == ACTIVE && has_buffers())
        xs_cupti_sample_clock();
    decoder->next_record = xs_cupti_next_record();
    decoder->version = xs_cupti_api.version;
    decoder->offset_ns = offset_ns;
    xs_cupti_leave();
    return decoder->next_record != NULL;
}

/* Writes the buffer's records. If CUPTI is not needed for this, the thread leaves meanwhile, so that threads that want
 * CUPTI do not wait when the disk does not answer. The calling thread is inside. */
static int64_t decode(struct xs_cupti_decoder *decoder, struct xs_cupti_buffer *buffer) {
    decoder->correlation_base = buffer->correlation_base;
    decoder->offsets = buffer->offsets;
    decoder->record_count = buffer->record_count;
    xs_cupti_count_migrations(decoder, buffer);
    xs_cupti_migrations_decoded(buffer);
    if (buffer->offsets)
        xs_cupti_leave();
    int64_t result = xs_cupti_decode(decoder, buffer->data, buffer->valid_bytes);
    if (buffer->offsets)
        xs_cupti_enter();
    return result;
}

/* Decodes the oldest buffer and appends it to the list. Takes the lock for one buffer at a time, so that an
 * application that wants CUPTI waits for one buffer only. Returns the number of records or the store's error;
 * -INT64_MAX: no buffer is left. */
static int64_t drain_one(struct xs_cupti_decoder *decoder, struct xs_cupti_buffer ***tail) {
    if (!xs_cupti_enter())
        return -INT64_MAX;
    int64_t result = -INT64_MAX;
    struct xs_cupti_buffer *buffer = xs_cupti_buffer_take();
    if (buffer) {
        **tail = buffer;
        *tail = &buffer->next;
        /* after an error the buffer is read again, when CUPTI and its names may be unloaded */
        if (has_buffers() || atomic_load(&phase) == OVER)
            xs_cupti_buffer_index(buffer, decoder);
        result = decode(decoder, buffer);
    }
    xs_cupti_leave();
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
        for (const struct xs_cupti_buffer *buffer = done; buffer; buffer = buffer->next)
            xs_cupti_migrations_queued(buffer);
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

/* Takes the last records from CUPTI, and unsubscribes. */
static void leave(void) {
    xs_cupti_stop_migrations();
    bool is_closed = xs_cupti_quiet_device();
    flush_last();
    xs_cupti_record_no_more();
    if (is_closed)
        xs_gate_open();
    if (!xs_cupti_is_beside())
        xs_cupti_flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    xs_cupti_sample_clock();
    if (xs_cupti_shares())
        xs_cupti_index_all(); /* indexing needs the subscriber */
    xs_cupti_unsubscribe();
    xs_cupti_index_all();
}

/* Leaves CUPTI to the application as if xferspy had not used it. The records so far stay queued for xs_cupti_drain. */
static void give_away(const char *why) {
    if (has_buffers())
        leave();
    atomic_store(&left_shared, xs_cupti_shares());
    xs_cupti_end_migrations();
    xs_cupti_end_switches();
    atomic_store(&phase, OVER);
    set_status("stepped aside", "for %s", why);
    xs_note("cupti", "stepped aside for %s: no device times from here on", why);
}

static void step_aside(const char *why, bool only_if_never_attached) {
    if (atomic_load(&phase) == OVER || !xs_cupti_enter())
        return;
    int now = atomic_load(&phase);
    if (now == ACTIVE && !(only_if_never_attached && xs_cupti_was_attached()))
        give_away(why);
    else if (now == IDLE && (!claim[0] || shared_claim)) {
        snprintf(claim, sizeof claim, "%s", why);
        shared_claim = NULL;
    }
    xs_cupti_leave();
}

void xs_cupti_step_aside(const char *why) { step_aside(why, false); }
void xs_cupti_keep_away(const char *why) { step_aside(why, true); }

/* ---- subscribed together with the application ---- */

bool xs_cupti_stay_beside(const void *its_function) {
    if (atomic_load(&phase) == OVER || !xs_cupti_enter())
        return false;
    int now = atomic_load(&phase);
    bool stays = now == ACTIVE ? is_shared_by(its_function) : now == IDLE && (!claim[0] || shared_claim);
    if (stays && now == IDLE) {
        snprintf(claim, sizeof claim, "cuptiSubscribe_v2");
        shared_claim = its_function;
    }
    if (stays)
        xs_cupti_other_came(); /* counted before it subscribes: CUPTI must not be finalized in between */
    xs_cupti_leave();
    return stays;
}

void xs_cupti_other_is(bool subscribed) {
    if (!xs_cupti_enter())
        return;
    if (!subscribed)
        xs_cupti_other_left();
    else if (atomic_load(&phase) == ACTIVE)
        note_both();
    xs_cupti_leave();
}

void xs_cupti_graphs_are_theirs(void) {
    static atomic_flag noted = ATOMIC_FLAG_INIT;
    if (atomic_load(&phase) != OVER && !atomic_flag_test_and_set(&noted))
        xs_note("cupti", "the application's profiler records graphs: if it records them as a whole, device times of "
                         "what runs in graphs are missing here");
}

bool xs_cupti_is_in_the_way(void) {
    if (atomic_load(&phase) != ACTIVE || !xs_cupti_shares() || xs_cupti_others() > 0 || !xs_cupti_enter())
        return false;
    bool is = atomic_load(&phase) == ACTIVE && xs_cupti_others() == 0;
    xs_cupti_leave();
    return is;
}

bool xs_cupti_leave_no_trace(void) {
    if (!atomic_load(&left_shared) || !xs_cupti_enter())
        return false;
    bool finalized = false;
    if (atomic_exchange(&left_shared, false) && xs_cupti_others() == 0 && xs_cupti_api.cuptiFinalize &&
        xs_cupti_quiet_device()) {
        finalized = xs_cupti_api.cuptiFinalize() == CUPTI_SUCCESS;
        xs_gate_open();
    }
    xs_cupti_leave();
    return finalized;
}

/* Only the forking thread exists in the child, so locks that other threads held stay locked for ever; this is also true
 * of CUPTI's own locks. A child of a process without a session may begin its own session. */
void xs_cupti_forget(void) {
    xs_lock_forget(&life);
    xs_cupti_forget_switches();
    xs_cupti_forget_interface();
    atomic_store(&left_shared, false);
    xs_mutex_forget(&state_lock);
    xs_cupti_buffers_forget();
    xs_cupti_correlation = 0;
    if (atomic_load(&phase) == IDLE)
        return;
    xs_cupti_api = (struct xs_cupti_api){.path = xs_cupti_api.path};
    atomic_store(&handle, NULL);
    atomic_store(&phase, OVER);
    state = (struct xs_cupti_state){.status = "off", .text = "CUPTI cannot be used in a forked child"};
}
