/* Starts and ends the session. It lasts from the first call that creates or uses a context to the end of the process.
 * In a process without such a call there is no session.
 *
 * The start has two steps. The first step is before that call. While the driver creates the context, which takes a
 * tenth of a second, the drain thread creates the trace. The second step is after the call: if there is a trace, the
 * session is active, otherwise there is no session. Thus no event is written before its trace exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/callsite/beside.h"
#include "preload/callsite/callsite.h"
#include "preload/capture/arguments.h"
#include "preload/core/alternate_stack.h"
#include "preload/core/call_windows.h"
#include "preload/core/direct_access.h"
#include "preload/core/drain_bell.h"
#include "preload/core/glibc_dlsym.h"
#include "preload/core/guard.h"
#include "preload/core/hooks.h"
#include "preload/core/loader_list.h"
#include "preload/core/lock.h"
#include "preload/core/memory_map.h"
#include "preload/core/notes.h"
#include "preload/core/own_cost.h"
#include "preload/core/quiescence.h"
#include "preload/core/step_waits.h"
#include "preload/core/thread.h"
#include "preload/cupti/checkpoints.h"
#include "preload/cupti/cupti.h"
#include "preload/cupti/flusher.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/real.h"
#include "preload/fingerprint/fingerprint.h"
#include "preload/hostreads/watcher.h"
#include "preload/repair/repair.h"
#include "preload/session/asked_steps.h"
#include "preload/session/control.h"
#include "preload/session/drain.h"
#include "preload/session/drain_placement.h"
#include "preload/session/guard_told.h"
#include "preload/session/host_samples.h"
#include "preload/session/labels.h"
#include "preload/session/metadata.h"
#include "preload/session/naming.h"
#include "preload/session/options.h"
#include "preload/session/redact_session.h"
#include "preload/session/say.h"
#include "schema/shell_word.h"

#define NO_TRACE "want of a trace" /* the reason that is given when CUPTI is given up */
#define EXIT_PATIENCE_MS 60000u
#define STILL_PATIENCE_MS 5000u  /* without progress, because the file system does not answer */
#define RESULTS_PATIENCE_MS 500u /* for fingerprints that the device has not yet computed */
/* Shares per mille of the run's time, if XFERSPY_BUDGET is off. */
#define UNBOUNDED_FINGERPRINT_SHARE 30u
#define UNBOUNDED_MIGRATIONS_SHARE 20u
#define UNBOUNDED_SAMPLES_SHARE 5u
#define FAST_EXIT_PATIENCE_MS 3000u /* a signal handler may call _exit while its thread holds any lock */

static struct xs_options options;
static struct xs_trace_name trace_name;
static pid_t session_pid;
static bool cupti_started;
static struct xs_window_spec window;
static struct xs_clock first_clock;
static _Atomic bool begun; /* the first step of the start was made; never reset */
static _Atomic uint64_t start_cost_ns;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

/* In the child only the forking thread exists, so locks that other threads held would never be released. A child of a
 * process without a session may start its own session; a child of a process with a session records nothing, because
 * CUDA does not work there. */
static void on_fork_child(void) {
    xs_mutex_forget(&start_lock);
    xs_real_forget();
    xs_map_forget();
    xs_arguments_forget();
    xs_context_forget();
    xs_repair_forget();
    xs_notes_forget();
    xs_outside_forget();
    xs_step_waits_forget();
    xs_thread_forget();
    xs_loader_forget();
    xs_callsite_forget();
    if (session_pid != 0) {
        atomic_store(&xs_state, XS_STATE_CHILD);
        session_pid = -1;
        xs_spool.header = NULL;
        atomic_store(&xs_asides_ahead, 0); /* the streams belong to the parent */
        xs_cupti_forget();
    }
    xs_gate_forget();
}

/* True if the process has a session, even if its start is not finished yet. */
static bool has_session(void) {
    int state = atomic_load(&xs_state);
    return (state == XS_STATE_ACTIVE || (state == XS_STATE_IDLE && atomic_load(&begun))) && getpid() == session_pid;
}

static void finish_repairs(void *unused) {
    (void)unused;
    xs_repair_finish(xs_say);
}

static void end_repairs(void) {
    if (!options.repair[0] || getpid() != session_pid)
        return;
    struct xs_guard_own own;
    xs_guard_enter(&own);
    xs_on_scratch(finish_repairs, NULL);
    xs_guard_leave(&own);
}

static bool exit_handler_ran;

/* Runs before the driver's own exit handler, because it was registered after cuInit, so CUPTI still works. */
static void on_exit_end_cupti(void) {
    exit_handler_ran = true;
    end_repairs();
    if (!has_session())
        return;
    uint64_t begun_ns = xs_monotonic_ns();
    xs_flusher_still();
    struct xs_guard_own own;
    xs_guard_enter(&own);
    xs_device_wait_all(NULL, RESULTS_PATIENCE_MS);
    xs_cupti_end(); /* also waits for the flusher's last flush */
    xs_guard_leave(&own);
    xs_drain_exited(xs_monotonic_ns() - begun_ns);
}

static bool give_up(const char *why) {
    static bool said;
    xs_complain(&said, "not capturing: %s", why);
    atomic_store(&xs_state, XS_STATE_DISABLED);
    return false;
}

static void say_checkpoint(void) {
    static bool said;
    if (xs_checkpoint_refused())
        xs_complain(&said, XS_CHECKPOINT_REFUSED, xs_checkpoint_refused());
}

static bool guard_fails; /* the process has to end with XS_GUARD_STATUS */

static void finish(unsigned patience_ms) {
    uint64_t events = 0;
    char why[256];
    static char word[512]; /* a longer path cuts the line */
    static bool finished, said;
    bool is_closed = atomic_load(&xs_state) == XS_STATE_CLOSED && getpid() == session_pid;
    if ((!has_session() && !is_closed) || __atomic_exchange_n(&finished, true, __ATOMIC_RELAXED))
        return;
    bool is_unfinished = atomic_exchange(&xs_state, XS_STATE_CLOSED) == XS_STATE_IDLE;
    xs_control_end();
    if (is_unfinished && xs_drain_await(why) != 0) { /* the process ends inside the call that began the session */
        give_up(why);
        return;
    }
    enum xs_finish how = xs_drain_finish(patience_ms, STILL_PATIENCE_MS, &events);
    const char *path = xs_drain_path();
    guard_fails = xs_guard_told_end();
    xs_asked_steps_say();
    say_checkpoint();
    switch (how) {
    case XS_FINISH_OK:
        xs_shell_word(word, sizeof word, path);
        xs_complain(&said, "%llu events in %s; `xferspy report %s` shows them", (unsigned long long)events, path, word);
        break;
    case XS_FINISH_LATE:
        xs_complain(&said, "%s was not closed in time; any xferspy command on it takes over the rest", path);
        break;
    case XS_FINISH_FAILED:
        xs_complain(&said, "capture stopped early: %s; %s holds what came before", xs_drain_why(), path);
        break;
    case XS_FINISH_NOTHING:
        break;
    case XS_FINISH_DELETED:
        xs_complain(&said, "capture stopped early: %s; nothing is left of %s", xs_drain_why(), path);
        break;
    }
}

/* Runs after all exit handlers and destructors of the program, so the last frees are in the trace. The driver's exit
 * handler runs later. So do handlers that were registered before the program itself began, for example if a library's
 * constructor started the session. */
__attribute__((destructor)) static void on_unload(void) {
    if (!exit_handler_ran)
        on_exit_end_cupti();
    finish(EXIT_PATIENCE_MS);
    if (session_pid != 0 && getpid() == session_pid) /* in this order, because a sandbox may forbid getpid */
        xs_drain_wait_discarded();
    if (guard_fails && getpid() == session_pid) { /* a broken rule was found at the end only */
        fflush(NULL);
        _exit(XS_GUARD_STATUS);
    }
}

/* Ends the session of a process that runs no exit handlers. Takes no lock and waits for nothing without a time limit,
 * because a signal handler that interrupted any code may call it. */
static void finish_fast(void) {
    if (!has_session())
        return; /* a vforked child also returns here: it shares this memory but not the pid */
    if (cupti_started) {
        xs_flusher_now(FAST_EXIT_PATIENCE_MS / 2);
        xs_flusher_still(); /* other threads may still be running, so CUPTI must not be detached now */
    }
    finish(FAST_EXIT_PATIENCE_MS / 2);
}

static void (*real_exit)(int);

__attribute__((constructor)) static void on_load(void) {
    real_exit = (void (*)(int))xs_real_dlsym(RTLD_NEXT, "_exit");
    pthread_atfork(xs_loader_before_fork, xs_loader_after_fork, on_fork_child);
}

/* Children of Python's multiprocessing end by _exit. */
XS_EXPORT __attribute__((noreturn)) void _exit(int status) {
    finish_fast();
    status = guard_fails && getpid() == session_pid ? XS_GUARD_STATUS : status;
    if (real_exit)
        real_exit(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

XS_EXPORT __attribute__((noreturn)) void _Exit(int status) { _exit(status); }

static bool makes_context(unsigned row) {
    switch (row) {
    case XS_ROW_cuCtxCreate:
    case XS_ROW_cuCtxCreate_v2:
    case XS_ROW_cuCtxCreate_v3:
    case XS_ROW_cuCtxCreate_v4:
    case XS_ROW_cuDevicePrimaryCtxRetain:
        return true;
    default:
        return false;
    }
}

/* True if a context exists or is about to be created, so that a session should start. cuInit alone is not enough,
 * because programs also call it only to search for devices. */
static bool worth_a_session(unsigned row) {
    CUcontext context = NULL;
    __typeof__(&cuCtxGetCurrent) get_current = xs_real_resolve() ? xs_driver(cuCtxGetCurrent) : NULL;
    return get_current && get_current(&context) == CUDA_SUCCESS && (context != NULL || makes_context(row));
}

static void start_redacting(void) {
    static bool said;
    const char *why = xs_redact_start(options.redact);
    if (why) {
        xs_complain(&said, XS_REDACT_REFUSED, why);
        xs_note("redact", XS_REDACT_REFUSED, why);
    }
}

/* Returns the cost of xferspy to the program, except CUPTI's. The cost at the end of the process is not known yet and
 * not included. */
static uint64_t others_ns(void) {
    return start_cost_ns + xs_own_cost_ns() + xs_fingerprint_cost_ns() + xs_thread_stalled_ns() +
           xs_drain_contention_ns();
}

/* Fingerprints and page migrations may each take half of the budget, in per mille of the run's time. In a ledger each
 * may take LEDGER_PERMILLE, because they happen only in the parts, which are few. */
#define LEDGER_PERMILLE 1u
static unsigned part_of_budget(void) {
    return xs_options_is_ledger(&options) ? LEDGER_PERMILLE : (unsigned)options.budget * 10 / 2;
}
static bool has_budget(void) { return options.budget || xs_options_is_ledger(&options); }

/* Runs before the drain thread reads the options to write them into the trace. */
static void ignore_wrong_step(void) {
    static bool said;
    const char *why = xs_range_name_refused(options.step);
    if (why) {
        xs_complain(&said, "XFERSPY_STEP is ignored: %s", why);
        *options.step = '\0';
    }
}

/* Sets the parts of a ledger. The user cannot choose them, because they have to be a sample of the run's time. */
static void start_ledger(uint64_t begun_ns) {
    if (options.window[0] || options.step[0] || options.steps || options.skip_steps)
        xs_say(
            "XFERSPY_MODE=ledger chooses the parts of the run itself: XFERSPY_WINDOW, XFERSPY_STEP, XFERSPY_STEPS and"
            " XFERSPY_SKIP_STEPS are ignored");
    xs_window_spec_of_ledger(&window, begun_ns ^ (uint64_t)session_pid << 32);
    xs_outside_set_sums(true);
    xs_outside_start(&window, begun_ns);
}

/* Sets the parts of the run that the user requests. */
static void start_windows(uint64_t begun_ns) {
    static bool said;
    if (!options.start) {
        window = (struct xs_window_spec){.opener = XS_WINDOW_BY_CONTROL};
        if (*options.window || *options.step || options.steps || options.skip_steps ||
            strcmp(options.mode, "trace") != 0)
            xs_say(
                "XFERSPY_MODE, XFERSPY_WINDOW, XFERSPY_STEP, XFERSPY_SKIP_STEPS and XFERSPY_STEPS are ignored, because "
                "XFERSPY_START=off leaves it to `xferspy start`");
        if (strcmp(options.outside, "calls") != 0)
            xs_outside_start(&window, begun_ns);
        return;
    }
    if (xs_options_is_ledger(&options)) {
        start_ledger(begun_ns);
        return;
    }
    if (xs_asked_steps_start(&options, &window)) {
        xs_outside_start(&window, begun_ns);
        return;
    }
    const char *why = xs_window_spec_read(&window, options.window);
    if (why)
        xs_complain(&said, "XFERSPY_WINDOW is no window (%s); the budget decides", why);
    /* Periodic parts are only samples of device times, so the calls of the whole run are recorded. */
    bool is_asked = strcmp(options.outside, "allocations") == 0;
    bool is_limited = is_asked || (strcmp(options.outside, "auto") == 0 && !window.period_ns);
    if (is_limited && xs_window_spec_is_set(&window))
        xs_outside_start(&window, begun_ns);
    else if (is_asked)
        xs_say("XFERSPY_OUTSIDE=allocations leaves nothing out without a XFERSPY_WINDOW");
}

static void start_cupti(void) {
    long budget = options.budget;
    struct xs_cupti_wishes wishes = {.kernels = options.kernels,
                                     .migrations = options.migrations,
                                     .migrations_permille =
                                         has_budget() ? part_of_budget() : UNBOUNDED_MIGRATIONS_SHARE,
                                     .budget_percent = (unsigned)budget,
                                     .yields_to_checkpoints = strcmp(options.cupti, "on") != 0,
                                     .driver_version = xs_facts_driver_version(),
                                     .is_idle_within = xs_context_is_idle_within,
                                     .others_ns = others_ns};
    if (strcmp(options.cupti, "off") == 0)
        return;
    wishes.window = window;
    xs_cupti_start(&wishes);
    cupti_started = xs_cupti_has_times();
}

static unsigned fingerprint_permille(void) {
    if (options.fingerprint_share)
        return (unsigned)options.fingerprint_share * 10;
    return has_budget() ? part_of_budget() : UNBOUNDED_FINGERPRINT_SHARE;
}

/* Starts the repairs, which also work without capture. */
static void start_repairs(void) {
    struct xs_repair_wishes wishes = {.names = options.repair,
                                      .plan = options.repair_plan,
                                      .log = options.repair_log,
                                      .budget_bytes = (size_t)options.repair_mib << 20,
                                      .is_recorded = options.enable};
    if (options.repair[0]) {
        xs_repair_start(&wishes, xs_say);
        atexit(end_repairs);
        at_quick_exit(end_repairs);
    }
}

static void start_samples(void) {
    unsigned permille = xs_options_is_ledger(&options) ? LEDGER_PERMILLE
                        : options.budget               ? (unsigned)options.budget * 10 / 4
                                                       : UNBOUNDED_SAMPLES_SHARE;
    bool has_samples = options.host_samples && strcmp(options.stack, "none") != 0;
    if (has_samples)
        xs_host_samples_start(permille);
    xs_beside_start(has_samples ? permille : 0);
}

/* Makes the first step of the start: everything that must exist before the driver creates the context. */
static bool begin_locked(void) {
    char why[256];
    uint64_t begun_ns = xs_monotonic_ns();
    xs_say_start();
    session_pid = getpid();
    xs_options_load(&options, NULL); /* read twice, so that `quiet` is known before messages are printed */
    xs_say_quietly(options.quiet);
    xs_options_load(&options, xs_say);
    xs_direct_access_start(strcmp(options.direct_access, "no") == 0);
    start_repairs();
    if (!options.enable) {
        atomic_store(&xs_state, XS_STATE_DISABLED);
        return false;
    }
    if (xs_trace_name(options.output, &trace_name) != 0) {
        xs_say("XFERSPY_OUTPUT is not a usable template (%p %h %e %r %q{VAR} %n %%); using the default");
        if (xs_trace_name("", &trace_name) != 0)
            return give_up("the current directory's name is too long for a trace");
    }
    ignore_wrong_step();
    start_redacting();
    xs_facts_read_devices();
    xs_facts_read_rank();
    xs_labels_read(options.labels);
    xs_guard_told_start(&options);
    xs_clock_begin(&first_clock);
    xs_clock_source = (enum xs_clock_source)first_clock.source;
    start_samples();
    if (xs_drain_start(&trace_name, &options, &first_clock, &xs_spool, why) != 0)
        return give_up(why);
    start_windows(begun_ns);
    start_cupti();
    xs_control_prepare(&options);
    atexit(on_exit_end_cupti);
    at_quick_exit(finish_fast);
    atomic_store(&begun, true);
    start_cost_ns = xs_monotonic_ns() - begun_ns;
    return true;
}

/* Makes the second step of the start: sets XS_STATE_ACTIVE, unless the process is about to end. If there is no trace,
 * the thread that began the session gives CUPTI up, after its call; no other thread may do this while that thread is
 * inside the driver. */
static bool finish_locked(bool has_begun) {
    char why[256];
    uint64_t waited_ns = xs_monotonic_ns();
    if (xs_drain_await(why) != 0) {
        if (has_begun)
            xs_cupti_step_aside(NO_TRACE);
        return give_up(why);
    }
    xs_arguments_on = options.arguments;
    xs_callsite_start(options.stack, (unsigned)options.stack_depth);
    xs_own_cost_start(&xs_spool.header->clock);
    xs_fingerprint_start(options.fingerprint, fingerprint_permille(), &xs_spool.header->clock);
    xs_host_watch_staged(xs_fingerprint_pageable_is_staged());
    if (cupti_started)
        xs_flusher_start();
    start_cost_ns += xs_monotonic_ns() - waited_ns;
    xs_drain_started(start_cost_ns);
    madvise(&xs_state_page, sizeof xs_state_page, MADV_WIPEONFORK);
    int idle = XS_STATE_IDLE;
    bool is_active = atomic_compare_exchange_strong(&xs_state, &idle, XS_STATE_ACTIVE);
    xs_drain_wake();
    if (is_active)
        xs_control_start();
    return is_active;
}

/* The trace is created in parallel to the first call, if that call creates a context. If the first call does not, and
 * on other threads, the call waits here until the trace exists. */
static bool start(unsigned row) {
    pthread_mutex_lock(&start_lock);
    bool is_idle = atomic_load(&xs_state) == XS_STATE_IDLE, is_first = !atomic_load(&begun);
    bool started = is_idle ? !is_first || begin_locked() : atomic_load(&xs_state) == XS_STATE_ACTIVE;
    if (is_idle && started && !(is_first && makes_context(row)))
        started = finish_locked(is_first);
    pthread_mutex_unlock(&start_lock);
    return started;
}

struct beginning {
    unsigned row;
    bool is_started;
};

static void start_on_scratch(void *arg) {
    struct beginning *b = arg;
    b->is_started = worth_a_session(b->row) && start(b->row);
}

/* The hook start_session (core/hooks.h). If there is no memory for a scratch stack, the next call tries again. */
static bool start_session(unsigned row) {
    struct beginning beginning = {row, false};
    if (session_pid != 0 && session_pid != getpid()) {
        on_fork_child(); /* forked without fork handlers; the kernel has reset the state */
        return false;
    }
    struct xs_guard_own own;
    xs_guard_enter(&own);
    xs_on_scratch(start_on_scratch, &beginning);
    xs_guard_leave(&own);
    return beginning.is_started;
}

static void finish_on_scratch(void *arg) {
    bool *is_there = arg;
    pthread_mutex_lock(&start_lock);
    int state = atomic_load(&xs_state);
    *is_there = state == XS_STATE_IDLE ? finish_locked(true) : state == XS_STATE_ACTIVE;
    if (state == XS_STATE_DISABLED) /* given up by another thread */
        xs_cupti_step_aside(NO_TRACE);
    pthread_mutex_unlock(&start_lock);
}

/* The hook finish_session. If there is no memory for a scratch stack, this call is not recorded, and the next call
 * finishes the start. In a child that was forked inside the call, the kernel has reset the state. */
static bool finish_session(void) {
    bool is_there = false;
    if (session_pid != getpid())
        return false;
    struct xs_guard_own own;
    xs_guard_enter(&own);
    xs_on_scratch(finish_on_scratch, &is_there);
    xs_guard_leave(&own);
    return is_there;
}

static void window_asked(void) {
    if (atomic_load(&xs_state) != XS_STATE_ACTIVE || getpid() != session_pid)
        return;
    xs_outside_look();
    if (cupti_started)
        xs_flusher_window_asked();
}

/* The program ends here as by its own _exit. Exit handlers and destructors do not run, because the thread is inside a
 * call of CUDA, and may hold locks of the program, or of its language's runtime, for which they would wait. */
static void rule_broken(void) {
    if (xs_guard_told_now())
        _exit(XS_GUARD_STATUS);
}

const struct xs_hooks xs_hooks = {.start_session = start_session,
                                  .finish_session = finish_session,
                                  .is_gone = xs_native_is_gone,
                                  .window_asked = window_asked,
                                  .rule_broken = rule_broken};
