/* The drain thread owns the trace. It moves events from the spool and records from CUPTI into the trace, in batches. */
#define _GNU_SOURCE
#include "preload/session/drain.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/call_windows.h"
#include "preload/core/direct_access.h"
#include "preload/core/drain_bell.h"
#include "preload/core/futex.h"
#include "preload/core/guard.h"
#include "preload/core/notes.h"
#include "preload/core/own_cost.h"
#include "preload/core/own_thread.h"
#include "preload/core/state.h"
#include "preload/cupti/cupti.h"
#include "preload/driver/driver_context.h"
#include "preload/fingerprint/fingerprint.h"
#include "preload/hostreads/host_reads_budget.h"
#include "preload/hostreads/watcher.h"
#include "preload/session/drain_placement.h"
#include "preload/session/files.h"
#include "preload/session/guard_told.h"
#include "preload/session/host_samples.h"
#include "preload/session/labels.h"
#include "preload/session/ledger_session.h"
#include "preload/session/metadata.h"
#include "preload/session/own_descriptors.h"
#include "preload/session/placement.h"
#include "preload/session/source_lines.h"
#include "preload/session/window_metadata.h"
#include "schema/error.h"
#include "schema/write/store.h"
#include "schema/write/store_thin.h"

#define BATCH_EVENTS 4096
#define START_PATIENCE_NS UINT64_C(2000000000) /* a call of the application waits for the start */
#define ROUNDS 64u                             /* batches of events before CUPTI's records are written */
#define IDLE_MS 1000u /* time between two checks if the bell is not rung, for CUPTI's buffers and short runs */

/* The longest waits at the end of a process: until source files on a slow disk are read, and until the files of a start
 * that was given up are deleted there. */
#define SOURCES_PATIENCE_MS 250u
#define DISCARD_PATIENCE_MS 250u

/* GIVEN_UP: no thread waits for the start any more, and its files must still be deleted. READING_SOURCES: all records
 * are in the trace. CLOSING: the source lines are in the trace, too, and only the disk still has to finish.
 * DONE_FOR_NOTHING: the trace was deleted. DONE_ASLEEP: nobody asked for a trace. */
enum {
    STARTING,
    GIVEN_UP,
    FAILED_TO_START,
    RUNNING,
    READING_SOURCES,
    CLOSING,
    DONE,
    DONE_BADLY,
    DONE_FOR_NOTHING,
    DONE_ASLEEP
};

static struct {
    _Atomic uint32_t phase; /* futex: STARTING and so on */
    _Atomic uint32_t stop;
    struct xs_spool *spool;
    struct xs_store *store;
    const struct xs_options *options;
    const struct xs_clock *clock; /* its state at the start; later only the spool's clock is up to date */
    struct xs_files files;        /* belong to the drain thread once it runs */
    const struct xs_trace_name *name;
    char wish[161]; /* the requested path, for the message of a thread that gives up the start */
    char why[256];
    uint64_t start_ns, cupti_said;
    _Atomic uint64_t events;
    uint64_t records;
    _Atomic uint32_t asked, answered; /* numbers of calls of xs_drain_now; `answered` is a futex */
    unsigned contexts;                /* written */
    pid_t told_direct_access;         /* the process for which direct access was recorded */
    int cpu;                          /* processor of the starting thread at that time; -1: not known */
    _Atomic uint64_t begin_ns, exit_ns;
    _Atomic uint64_t steps; /* increases while there is progress */
} drain;

static void write_contexts(struct xs_store *store) {
    uint64_t handle;
    int device;
    for (; xs_context_learned(drain.contexts, &handle, &device); drain.contexts++)
        xs_store_context(store, handle, device);
}

static int write_start(void) {
    int status = xs_store_begin(drain.store);
    xs_facts_write(drain.store, drain.options, &drain.spool->header->clock);
    xs_facts_write_devices(drain.store);
    xs_files_write(&drain.files, drain.store, drain.spool);
    xs_store_meta_int(drain.store, "cost.start_ns", (int64_t)(xs_monotonic_ns() - drain.start_ns));
    status = status ? status : xs_store_commit(drain.store);
    if (status == 0 && xs_options_is_ledger(drain.options))
        status = xs_ledger_session_start(drain.store);
    if (status == 0)
        xs_spool_start(drain.spool, drain.files.path); /* the trace has the spool's number */
    return status;
}

/* Runs after the start, because reading the files of labels may take long on a slow file system. */
static int write_labels(void) {
    int status = xs_store_begin(drain.store);
    xs_labels_write_files(drain.store, "");
    return status ? status : xs_store_commit(drain.store);
}

static struct xs_window_facts window_facts(void) {
    return (struct xs_window_facts){drain.options, &drain.spool->header->clock, atomic_load(&drain.begin_ns)};
}

static void keep_chunks_free(void) {
    unsigned more = xs_spool_wanted(drain.spool);
    if (more && xs_spool_grow(drain.spool, more) < 0) {
        xs_note("spool", "could not grow beyond %u chunks of 64 KiB; threads wait more often",
                atomic_load(&drain.spool->header->chunk_count));
    }
}

static int keep_size(int64_t events) {
    struct xs_clock *clock = &drain.spool->header->clock;
    if (xs_options_is_ledger(drain.options))
        return xs_ledger_session_keep(drain.store, clock, drain.options->max_size);
    return xs_store_thin(drain.store, (uint64_t)drain.options->max_size << 20, events,
                         xs_clock_from_monotonic(clock, xs_monotonic_ns()));
}

/* Tells the fingerprints how much of the budget the wrappers and this thread have used, because the fingerprints may
 * use only the rest. If the user set a share for fingerprints, it is not reduced. */
static void tell_fingerprints(void) {
    if (drain.options->budget && !drain.options->fingerprint_share)
        xs_fingerprint_others_cost(xs_own_cost_ns() + xs_drain_contention_ns());
}

/* If direct access is possible, records that from now on a network card or a disk may write device memory without any
 * call. */
static void tell_direct_access(void) {
    const pid_t process = getpid();
    if (drain.told_direct_access != process && xs_direct_access_is_possible()) {
        drain.told_direct_access = process;
        xs_contents_unknown_from_here(XS_CONTENTS_UNKNOWN_FOR_GOOD);
        xs_note(
            "contents",
            "a library for RDMA, GPUDirect Storage or GDRCopy is loaded, and its device is there: what device "
            "memory holds may change without a call, so it is not known from here on. XFERSPY_DIRECT_ACCESS=no is the "
            "promise that it does not change what the program copies");
    }
}

/* Tells a ledger of new parts before their events are stored, and whether calls outside of them are recorded. */
static int tell_ledger(void) {
    if (!xs_options_is_ledger(drain.options))
        return XS_OK;
    uint64_t calls_ns = xs_own_cost_ns() + xs_drain_contention_ns() + xs_thread_stalled_ns();
    xs_ledger_session_bound(calls_ns, calls_ns + xs_fingerprint_cost_ns() + xs_cupti_state()->windows_cost_ns);
    return xs_ledger_session_tell(drain.store, &drain.spool->header->clock);
}

/* True if all chunks should be scanned again at once, after a batch of `events` events. A few new events can wait until
 * the bell rings. */
static bool is_worth_another(int64_t events) {
    return events > (atomic_load(&drain.stop) ? 0 : (int64_t)atomic_load(&drain.spool->header->chunk_count) / 64);
}

/* Does nothing once capture is over. */
static void look_at_watches(unsigned *wait_ms) {
    if (atomic_load(&xs_state) == XS_STATE_ACTIVE)
        xs_host_watch_look(wait_ms);
}

/* Moves events into the trace in small transactions, so that chunks become free even while many events arrive. */
static int64_t take_over_events(void) {
    int64_t total = 0, events = INT64_MAX;
    for (unsigned round = 0; is_worth_another(events) && (round < ROUNDS || atomic_load(&drain.stop)); round++) {
        keep_chunks_free();
        look_at_watches(&(unsigned){IDLE_MS});
        xs_outside_look();
        tell_direct_access();
        xs_drain_check_placement(drain.spool);
        tell_fingerprints();
        xs_clock_sync(&drain.spool->header->clock);
        int told = tell_ledger();
        if (told)
            return told;
        events = xs_spool_drain(drain.spool, drain.store, BATCH_EVENTS, false);
        total += events > 0 ? events : 0;
        if (events >= 0) {
            int status = keep_size(events);
            events = status ? status : events;
        }
        atomic_fetch_add(&drain.steps, 1);
    }
    return events < 0 ? events : total;
}

/* Moves all events and records that exist now into the trace. */
static int take_over(void) {
    int64_t events = take_over_events();
    if (events < 0)
        return (int)events;
    int status = xs_store_begin(drain.store);
    int64_t records = status == 0 ? xs_cupti_drain(drain.store, &drain.spool->header->clock) : status;
    int64_t contents = records >= 0 ? xs_device_drain(drain.store) : 0;
    records = contents < 0 ? contents : records;
    if (records >= 0) {
        write_contexts(drain.store);
        status = xs_notes_write(drain.store, &drain.spool->header->clock);
        struct xs_window_facts facts = window_facts();
        bool is_asked = atomic_load(&drain.asked) != atomic_load(&drain.answered);
        if (drain.cupti_said++ == 0 || is_asked)
            xs_window_facts_write_cupti(&facts, drain.store);
        if (is_asked)
            xs_window_facts_write_ranges(&facts, drain.store);
        xs_window_facts_write_in_between(&facts, drain.store);
        xs_facts_write_unknown(drain.store);
        xs_spool_store_failure(drain.spool, drain.store);
        status = status ? status : xs_host_samples_write(drain.store, &drain.spool->header->clock);
        status = status ? status : xs_host_watch_write(drain.store);
        status = status == 0 ? xs_store_commit(drain.store) : status;
    }
    xs_guard_told_look(drain.store);
    atomic_fetch_add(&drain.events, (uint64_t)events);
    drain.records += records > 0 ? (uint64_t)records : 0;
    atomic_fetch_add(&drain.steps, 1);
    if (records < 0 || status < 0) {
        xs_store_rollback(drain.store);
        return records < 0 ? (int)records : status;
    }
    return keep_size(0); /* CUPTI hands over many records at a time */
}

static int write_end(int failure) {
    struct xs_spool_header *h = drain.spool->header;
    struct xs_window_facts facts = window_facts();
    uint64_t now = xs_monotonic_ns();
    int status = xs_store_begin(drain.store);
    xs_window_facts_write_cupti(&facts, drain.store);
    xs_window_facts_write_ranges(&facts, drain.store);
    xs_window_facts_write_repairs(&facts, drain.store);
    xs_store_meta_int(drain.store, "duration_ns", xs_clock_from_monotonic(&h->clock, now));
    xs_spool_store_counters(drain.spool, drain.store);
    xs_spool_store_failure(drain.spool, drain.store);
    xs_store_meta_int(drain.store, "cost.spool_bytes", (int64_t)atomic_load(&h->chunk_count) * XS_SPOOL_CHUNK_BYTES);
    xs_store_meta_int(drain.store, "cost.drain_cpu_ns", (int64_t)xs_thread_cpu_ns());
    xs_store_meta_int(drain.store, "cost.exit_ns", (int64_t)atomic_load(&drain.exit_ns));
    xs_store_meta_int(drain.store, "cost.events", (int64_t)xs_drain_events());
    xs_store_meta_int(drain.store, "cost.records", (int64_t)drain.records);
    xs_fingerprint_write_cost(drain.store);
    xs_facts_write_unknown(drain.store);
    xs_notes_write(drain.store, &h->clock);
    status = status ? status : xs_store_finish(drain.store, failure ? XS_STATUS_STOPPED : XS_STATUS_COMPLETE);
    status = status ? status : xs_store_commit(drain.store);
    return status == 0 && xs_options_is_ledger(drain.options) ? xs_ledger_session_end(drain.store, &h->clock) : status;
}

static void set_phase(uint32_t phase) {
    atomic_store(&drain.phase, phase);
    xs_futex_wake(&drain.phase);
}

static void explain_deleted(void) {
    snprintf(drain.why, sizeof drain.why, "the trace was deleted while it was written%s",
             xs_files_folder_is_gone(&drain.files) ? ", and so was its folder" : "");
}

/* Writes the text about a failure. The actual cause comes first, because SQLite only reports that it could not
 * write. */
static void explain(int status) {
    char words[160];
    snprintf(words, sizeof words, "%.150s", xs_store_error(drain.store));
    if (xs_files_are_deleted(&drain.files))
        explain_deleted();
    else if (status == XS_ERROR_FULL && xs_files_have_limit())
        snprintf(drain.why, sizeof drain.why, "the largest size of a file is reached (RLIMIT_FSIZE)");
    else
        snprintf(drain.why, sizeof drain.why, "%s (%s)", xs_error_text(status), *words ? words : "no more is known");
}

/* Ends capture because the trace can no longer be written. The application continues undisturbed. This thread's stderr
 * is /dev/null, so the session prints the reason at the end. */
static void give_up(int status) {
    atomic_store(&xs_state, XS_STATE_CLOSED);
    explain(status);
    snprintf(drain.spool->header->stopped, sizeof drain.spool->header->stopped, "%s", drain.why);
    xs_note("stopped", "capture stopped: %s", drain.why);
}

const char *xs_drain_why(void) { return drain.why; }
const char *xs_drain_path(void) { return drain.files.path; }

/* Writes the source lines in a separate transaction after everything else, because source files may be slow or
 * impossible to read. */
static void keep_sources(void) {
    set_phase(READING_SOURCES);
    if (drain.options->source_lines && strcmp(drain.options->stack, "none") != 0)
        xs_source_lines_write(drain.store, &drain.spool->header->clock);
    set_phase(CLOSING);
}

/* Deletes the files of a process that slept from its start to its end. */
static void finish_asleep(void) {
    xs_files_give_ballast_back(&drain.files);
    if (xs_files_close(&drain.files, drain.store) == XS_OK)
        unlink(drain.files.path);
    xs_spool_finish(drain.spool, &drain.files.spool);
    set_phase(DONE_ASLEEP);
}

static bool slept(void) { return !drain.options->start && xs_outside_is_limited() && xs_outside_windows().count == 0; }

static void finish_trace(int failure) {
    uint64_t start = xs_monotonic_ns();
    xs_host_watch_end();
    if (failure == 0 && slept()) {
        finish_asleep();
        return;
    }
    failure = failure ? failure : take_over();
    xs_files_give_ballast_back(&drain.files);
    bool stopped = failure == 0 && *drain.spool->header->stopped; /* xs_stop was called */
    if (failure)
        give_up(failure);
    else if (stopped)
        snprintf(drain.why, sizeof drain.why, "%s", drain.spool->header->stopped);
    int status = write_end(failure || stopped);
    if (failure == 0 && status == 0) {
        keep_sources();
        xs_store_meta_int(drain.store, "cost.close_ns", (int64_t)(xs_monotonic_ns() - start));
    }
    if (status != 0 && failure == 0)
        explain(status);
    int closed = xs_files_close(&drain.files, drain.store);
    bool deleted = closed == XS_ERROR_NOT_FOUND;
    if (closed != 0 && status == 0 && failure == 0)
        snprintf(drain.why, sizeof drain.why, "%s", xs_error_text(closed));
    if ((status == 0 && closed == 0) || deleted) {
        xs_spool_finish(drain.spool, &drain.files.spool);
    } /* otherwise the spool is kept, so that any xferspy command can complete the trace later */
    if (deleted) {
        explain_deleted();
        set_phase(DONE_FOR_NOTHING);
        return;
    }
    set_phase(failure == 0 && !stopped && status == 0 && closed == 0 ? DONE : DONE_BADLY);
}

/* Deletes the files of a failed start. */
static void discard(void) {
    if (drain.store) {
        xs_store_close(drain.store);
        xs_files_discard(&drain.files);
    }
    xs_spool_unmap(drain.spool);
}

/* Sleeps until the bell rings, or until it is time to look for work. Takes the samples that are due meanwhile. */
static int wait_for_work(uint32_t heard) {
    int status = 0;
    uint64_t now = xs_monotonic_ns(), until = now + xs_outside_wait_ms(IDLE_MS) * UINT64_C(1000000);
    for (; status == 0 && now < until && !atomic_load(&drain.stop); now = xs_monotonic_ns()) {
        unsigned wait_ms = (unsigned)((until - now) / 1000000) + 1;
        if (atomic_load(&xs_state) == XS_STATE_ACTIVE)
            status = xs_host_samples_look(drain.store, &drain.spool->header->clock, &wait_ms);
        look_at_watches(&wait_ms);
        xs_drain_sleep(heard, wait_ms);
        if (xs_drain_rings() != heard)
            break;
    }
    return status;
}

/* A part of the budget, which is in percent. */
static unsigned host_reads_per_million(void) {
    return drain.options->budget ? (unsigned)drain.options->budget * XS_HOST_READS_PER_MILLION / 2
                                 : XS_HOST_READS_PER_MILLION;
}

static void drain_main(void) {
    xs_own_thread_stand_back();
    xs_own_descriptors();
    xs_placement_begin(drain.cpu); /* opens files */
    int status = xs_files_create(&drain.files, drain.name, drain.options, drain.clock, drain.spool, &drain.store,
                                 drain.why, sizeof drain.why);
    status = status == 0 ? write_start() : status;
    if (status == 0) {
        xs_host_watch_start(drain.options->host_reads, host_reads_per_million());
        uint32_t starting = STARTING;
        if (atomic_compare_exchange_strong(&drain.phase, &starting, RUNNING))
            xs_futex_wake(&drain.phase);
        else /* no thread waits for the start any more */
            status = XS_ERROR_BUSY;
    }
    if (status != 0) {
        discard();
        if (!*drain.why)
            snprintf(drain.why, sizeof drain.why, "cannot write %.200s: %s", drain.files.path, xs_error_text(status));
        set_phase(FAILED_TO_START);
        return;
    }
    status = status ? status : write_labels();
    while (status == 0 && !atomic_load(&drain.stop)) {
        uint32_t heard = xs_drain_rings(), asked = atomic_load(&drain.asked);
        if (atomic_load(&xs_state) == XS_STATE_ACTIVE)
            status = take_over();
        if (status == 0 && asked != atomic_load(&drain.answered)) {
            atomic_store(&drain.answered, asked);
            xs_futex_wake(&drain.answered);
        }
        status = status ? status : wait_for_work(heard);
    }
    finish_trace(status);
}

int xs_drain_start(const struct xs_trace_name *wish, const struct xs_options *options, const struct xs_clock *clock,
                   struct xs_spool *spool, char why[256]) {
    drain.name = wish;
    snprintf(drain.files.path, sizeof drain.files.path, "%s", wish->path);
    snprintf(drain.files.runtime_dir, sizeof drain.files.runtime_dir, "%s", xs_spool_runtime_dir());
    snprintf(drain.wish, sizeof drain.wish, "%.160s", wish->path);
    drain.options = options;
    drain.clock = clock;
    drain.spool = spool;
    drain.start_ns = xs_monotonic_ns();
    drain.cpu = sched_getcpu();
    tell_direct_access(); /* before the first call is recorded */
    int status = xs_own_thread(drain_main);
    if (status != 0) {
        snprintf(why, 256, "no thread for the trace: %s", strerror(status));
        return XS_ERROR_SYSTEM;
    }
    return 0;
}

void xs_drain_started(uint64_t took_ns) { atomic_store(&drain.begin_ns, took_ns); }
void xs_drain_exited(uint64_t took_ns) { atomic_store(&drain.exit_ns, took_ns); }

/* Copies both texts into `why`, at most `most` bytes of the first. It does not use printf, for which a signal handler's
 * stack may be too small. */
static void copy_text(char why[256], const char *first, size_t most, const char *second) {
    size_t length = strnlen(first, most), rest = strnlen(second, 255 - length);
    memcpy(why, first, length);
    memcpy(why + length, second, rest);
    why[length + rest] = '\0';
}

int xs_drain_await(char why[256]) {
    uint64_t deadline = drain.start_ns + START_PATIENCE_NS;
    while (atomic_load(&drain.phase) == STARTING && xs_monotonic_ns() < deadline)
        xs_futex_wait(&drain.phase, STARTING, 100);
    uint32_t starting = STARTING;
    if (atomic_compare_exchange_strong(&drain.phase, &starting, GIVEN_UP)) {
        copy_text(why, drain.wish, 160, " could not be made within two seconds; set XFERSPY_OUTPUT");
        return XS_ERROR_BUSY;
    }
    if (atomic_load(&drain.phase) != RUNNING) {
        copy_text(why, drain.why, 255, "");
        return XS_ERROR_SYSTEM;
    }
    return 0;
}

/* Waits until the drain thread has left `phase`, until `deadline`, or until it has made no progress for `still_ms`. */
static void wait_while(uint32_t phase, uint64_t deadline, unsigned still_ms) {
    uint64_t now = xs_monotonic_ns(), still = now + (uint64_t)still_ms * 1000000, steps = atomic_load(&drain.steps);
    while (atomic_load(&drain.phase) == phase && now < deadline && now < still) {
        xs_futex_wait(&drain.phase, phase, 100);
        now = xs_monotonic_ns();
        if (atomic_load(&drain.steps) != steps) {
            steps = atomic_load(&drain.steps);
            still = now + (uint64_t)still_ms * 1000000;
        }
    }
}

bool xs_drain_now(unsigned timeout_ms) {
    uint64_t deadline = xs_monotonic_ns() + (uint64_t)timeout_ms * 1000000;
    uint32_t mine = atomic_fetch_add(&drain.asked, 1) + 1, seen;
    xs_drain_wake();
    while ((int32_t)((seen = atomic_load(&drain.answered)) - mine) < 0 && atomic_load(&drain.phase) == RUNNING &&
           xs_monotonic_ns() < deadline)
        xs_futex_wait(&drain.answered, seen, 50);
    return (int32_t)(seen - mine) >= 0;
}

uint64_t xs_drain_events(void) { return atomic_load(&drain.events); }

void xs_drain_wait_discarded(void) {
    wait_while(GIVEN_UP, xs_monotonic_ns() + (uint64_t)DISCARD_PATIENCE_MS * 1000000, DISCARD_PATIENCE_MS);
}

enum xs_finish xs_drain_finish(unsigned timeout_ms, unsigned still_ms, uint64_t *events) {
    uint64_t deadline = xs_monotonic_ns() + (uint64_t)timeout_ms * 1000000;
    atomic_store(&drain.stop, 1);
    xs_drain_wake();
    wait_while(RUNNING, deadline, still_ms);
    wait_while(READING_SOURCES, deadline, SOURCES_PATIENCE_MS);
    wait_while(CLOSING, deadline, still_ms);
    *events = xs_drain_events();
    switch (atomic_load(&drain.phase)) {
    case DONE:
        return XS_FINISH_OK;
    case DONE_BADLY:
        return XS_FINISH_FAILED;
    case DONE_FOR_NOTHING:
        return XS_FINISH_DELETED;
    case DONE_ASLEEP:
        return XS_FINISH_NOTHING;
    default:
        return XS_FINISH_LATE;
    }
}
