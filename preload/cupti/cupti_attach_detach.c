/* Detaches CUPTI and attaches it again, as window_decision.h decides. In names, one such change is a switch. All
 * changes of CUPTI are made while the quiescence lock is closed, so that no other thread is inside the driver
 * (core/quiescence.h). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/asked_window.h"
#include "preload/core/guard.h"
#include "preload/core/notes.h"
#include "preload/core/own_cost.h"
#include "preload/core/quiescence.h"
#include "preload/cupti/cupti_internal.h"
#include "preload/cupti/window_decision.h"
#include "preload/driver/stream_captures.h"

/* How long to wait until other threads have left the driver. Calls that do not wait for the device take less time than
 * this. Meanwhile, threads that reach the quiescence lock must wait there. */
#define PATIENCE_NS UINT64_C(2000000)
#define PATIENCE_OF_USERS_NS UINT64_C(20000000) /* used instead of PATIENCE_NS if the user requested windows */
/* How long to wait for the device while the quiescence lock is closed. The wait needs a limit because device work may
 * wait for a thread that waits at the lock. */
#define IDLE_NS UINT64_C(10000000)
/* How long an application that takes CUPTI for itself waits for an idle device. */
#define QUIET_NS UINT64_C(500000000)
#define SOON_MS 1u
#define RETRY_MS 10u
#define MOST_RETRY_MS 1000u
/* The pause after a failed change, as a multiple of the time for which the change stopped the program. */
#define REST_OF_FAILURE 50u
/* If the program does not wait for the device for this long, CUPTI is attached or detached anyway, unless the program
 * has kernels of LONG_KERNEL_NS or more. */
#define MOMENT_NS UINT64_C(50000000)
/* A kernel of this length would stop the program for too long during the change. */
#define LONG_KERNEL_NS UINT64_C(20000000)
/* The longest time that threads wait at the quiescence lock (core/quiescence.c). */
#define SLOW_SWITCH_NS UINT64_C(10000000000)
/* Older versions of the driver or of CUPTI can crash a program with CUDA graphs when CUPTI is detached. CUPTI's release
 * notes say that 12.4 Update 1 fixed this, but that version has the same number as 12.4, so 12.5 is required. `doctor`
 * reports older versions (analyzer/commands/doctor/known_trouble.def). */
#define LEAST_DRIVER_VERSION 12060
#define LEAST_CUPTI_VERSION 23 /* 12.5 */

static struct xs_windows windows;
static uint64_t (*others_ns)(void);
static bool (*is_idle_within)(uint64_t ns);
static _Atomic bool attached;
static bool is_old_driver, is_asked, began_detached, gate_wanted;
static _Atomic bool gate_prepared;
/* The quiescence lock was closed so long that a thread entered nevertheless. Only one more change will be made. */
static bool is_last_switch;
static enum xs_window_opener opener;
static _Atomic bool closed_at_moment; /* the program closed its last window just after waiting for the device */
static enum xs_windows_state aim;     /* wanted state; the change is delayed until the program waits for the device */
static uint64_t aim_until_ns;         /* from this time on the change need not wait for the program */
static _Atomic unsigned moments_skipped; /* number of the program's waits to skip first */
static unsigned retry_ms;
static uint64_t not_before_ns; /* no change before this time, after a failed one */
_Atomic int xs_cupti_switch_due;
XS_TLS bool xs_cupti_moment;
static _Atomic bool ended, decides; /* `decides`: the budget or the user limits what is recorded */

bool xs_cupti_is_attached(void) { return attached; }
bool xs_cupti_is_paused(void) { return !attached && xs_cupti_shares_now(); }

/* Notes that no change is due. Commands, like the time, close a window at any moment, so the wrappers need not look
 * whether the program has just waited. */
static void expect_none(void) {
    bool by_program = opener != XS_WINDOW_BY_TIME && opener != XS_WINDOW_BY_CONTROL;
    atomic_store(&xs_cupti_switch_due, by_program ? XS_CUPTI_SWITCH_MAY_COME : XS_CUPTI_NO_SWITCH);
}

bool xs_cupti_start_switches(const struct xs_cupti_wishes *wishes, uint64_t now_ns) {
    opener = wishes->window.opener;
    struct xs_windows_facts facts = {.now_ns = now_ns, .is_open = xs_asked_window_is_open(opener)};
    others_ns = wishes->others_ns;
    is_idle_within = wishes->is_idle_within;
    is_old_driver = wishes->driver_version < LEAST_DRIVER_VERSION;
    is_asked = xs_window_spec_is_set(&wishes->window);
    attached = xs_windows_start(&windows, wishes->budget_percent, &wishes->window, &facts) == XS_WINDOWS_RECORDING;
    began_detached = !attached;
    atomic_store(&decides, !xs_windows_are_unbounded(&windows));
    expect_none();
    return attached;
}

static void tell(struct xs_cupti_state *state) {
    state->windows_cost_ns = xs_windows_cost_ns(&windows);
    state->switches_ns = windows.switches_ns;
    state->recorded_ns = xs_windows_recorded_ns(&windows, xs_monotonic_ns());
    state->detachments = windows.detachments;
    state->call_cost_percent = windows.cost_percent;
}

static struct xs_windows_facts facts_now(void) {
    struct xs_gate_counts counts = xs_gate_counts();
    return (struct xs_windows_facts){.now_ns = xs_monotonic_ns(),
                                     .launches = counts.launches,
                                     .graphs = counts.graphs,
                                     .graph_kernels = xs_cupti_graph_kernels(),
                                     .copies = counts.copies,
                                     .calls = counts.measured * XS_OWN_COST_EVERY,
                                     .others_ns = others_ns() + xs_cupti_migrations_cost_ns(),
                                     .is_open = xs_asked_window_is_open(opener)};
}

/* ---- changes, with the quiescence lock closed ---- */

/* Stops recording for good, because CUPTI cannot be detached. The first window was the only one. */
static void stop_for_good(const char *why, const char *more) {
    xs_cupti_flush_all(0);
    xs_cupti_record_no_more();
    xs_note("cupti", "device times were stopped for good%s: CUPTI cannot be detached, as %s%s",
            is_asked ? "" : ", because they cost too much", why, more);
    atomic_store(&ended, true);
}

/* While CUPTI is detached, none of its functions may be called, not even to read a buffer, because CUPTI would then
 * partly initialize itself again. */
static void detach(void) {
    if (xs_cupti_is_beside()) {
        xs_cupti_record_no_more();
        attached = false; /* now paused */
        return;
    }
    xs_cupti_flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    xs_cupti_sample_clock();
    xs_cupti_index_all();
    CUptiResult result = xs_cupti_finalize();
    attached = result != CUPTI_SUCCESS;
    if (attached)
        stop_for_good("cuptiFinalize failed: ", xs_cupti_result_text(result));
}

/* Attaching fails if another subscriber has subscribed without xferspy's knowledge. Then there are no further
 * windows. */
static bool attach(void) {
    char holder[2 * CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
    CUptiResult result;
    const char *failed = xs_cupti_attach(&result, holder, sizeof holder);
    attached = !failed;
    if (failed) {
        xs_note("cupti", "device times end here, because CUPTI could not be attached again: %s: %s (%d)", failed,
                xs_cupti_result_text(result), (int)result);
        atomic_store(&ended, true);
    } else {
        xs_cupti_sample_clock();
    }
    return attached;
}

static const char *why_not_detachable(void) {
    if (is_old_driver)
        return "the driver is older than 12.6, and may crash";
    if (xs_cupti_api.version < LEAST_CUPTI_VERSION)
        return "with graphs it crashed before CUPTI 12.5";
    return xs_cupti_api.cuptiFinalize ? NULL : "this CUPTI has no cuptiFinalize";
}

/* Makes the change. The caller has closed the quiescence lock, and the device is idle. */
static void switch_now(enum xs_windows_state state, uint64_t before_ns) {
    const char *why = why_not_detachable();
    if (state == windows.state || (state == XS_WINDOWS_RECORDING && !attach()))
        return;
    if (state == XS_WINDOWS_DETACHED && why)
        stop_for_good(why, "");
    else if (state == XS_WINDOWS_DETACHED)
        detach();
    xs_windows_switched(&windows, state, before_ns, xs_monotonic_ns());
}

static bool is_alone(void) { return atomic_load(&xs_captures) <= 0 && is_idle_within(IDLE_NS) && xs_gate_is_empty(); }

/* Detaches CUPTI if it could only be paused because of another subscriber, and that subscriber has unsubscribed. */
static void end_pause(void) {
    if (!xs_cupti_is_paused() || xs_cupti_is_beside() || !xs_gate_close(PATIENCE_NS))
        return;
    if (is_alone())
        detach();
    xs_gate_open();
}

/* If a change was slow, ends changes for good, at the latest when CUPTI is detached again, because the next change may
 * be as slow. */
static void end_where_slow(uint64_t held_ns) {
    is_last_switch |= held_ns >= SLOW_SWITCH_NS;
    if (is_last_switch && !attached && !atomic_load(&ended)) {
        xs_note("cupti", "device times end here: to attach CUPTI or to detach it held the program for seconds");
        atomic_store(&ended, true);
    }
}

/* Makes the change if possible. False: it is too early to try again, a stream is capturing, a thread stayed inside the
 * driver, or the device is working. */
static bool switch_to(enum xs_windows_state state) {
    uint64_t before_ns = xs_monotonic_ns();
    if (before_ns < not_before_ns || atomic_load(&xs_captures) > 0)
        return false;
    bool closed = xs_gate_close(is_asked ? PATIENCE_OF_USERS_NS : PATIENCE_NS), alone = closed && is_alone();
    if (alone)
        switch_now(state, before_ns);
    if (closed)
        xs_gate_open();
    uint64_t held_ns = xs_monotonic_ns() - before_ns;
    end_where_slow(held_ns);
    if (!alone) {
        windows.switches_ns += held_ns;
        not_before_ns = before_ns + (is_asked ? 1 : REST_OF_FAILURE) * held_ns;
    }
    return alone;
}

/* ---- the time of a change ---- */

static void await_moment(enum xs_windows_state to, uint64_t now_ns) {
    if (atomic_load(&xs_cupti_switch_due) != XS_CUPTI_SWITCH_DUE || aim != to) {
        struct xs_window_moment moment = {.until_ns = now_ns + MOMENT_NS};
        if (to == XS_WINDOWS_RECORDING && !is_asked)
            moment = xs_windows_moment(&windows, now_ns);
        aim = to;
        aim_until_ns = moment.until_ns;
        atomic_store(&moments_skipped, moment.skip);
    }
    atomic_store(&xs_cupti_switch_due, XS_CUPTI_SWITCH_DUE);
}

/* True if the change must be delayed until the program waits for the device. A window that the program or a command
 * opens begins at once. */
static bool needs_moment(enum xs_windows_state to, uint64_t now_ns) {
    bool is_moment = atomic_exchange(&closed_at_moment, false);
    if (to == XS_WINDOWS_RECORDING ? opener != XS_WINDOW_BY_TIME : is_moment)
        return false;
    return now_ns < aim_until_ns || xs_cupti_longest_kernel_ns() >= LONG_KERNEL_NS;
}

static unsigned try_again(void) {
    if (is_asked)
        return RETRY_MS;
    retry_ms = retry_ms ? (retry_ms < MOST_RETRY_MS / 2 ? 2 * retry_ms : MOST_RETRY_MS) : RETRY_MS;
    return retry_ms;
}

static unsigned watch(void) {
    struct xs_windows_facts facts = facts_now();
    enum xs_windows_state to = xs_windows_look(&windows, &facts);
    if (to == windows.state) {
        end_pause();
        expect_none();
        retry_ms = 0;
        return xs_windows_wait_ms(&windows);
    }
    if (!atomic_load(&gate_prepared)) {
        gate_wanted = true;
        return SOON_MS;
    }
    if (xs_cupti_has_migrations() && to == XS_WINDOWS_DETACHED) {
        xs_note("cupti", "page migrations are not recorded from here on: device times cost too much, and CUPTI was "
                         "detached");
        xs_cupti_stop_migrations(); /* takes up to 20 ms; the quiescence lock stays open meanwhile */
    }
    await_moment(to, facts.now_ns);
    if (needs_moment(to, facts.now_ns))
        return RETRY_MS;
    if (!switch_to(to))
        return try_again();
    expect_none();
    retry_ms = 0;
    return xs_windows_wait_ms(&windows);
}

/* Calling this more than once is harmless. */
static void prepare_gate(void) {
    if (!atomic_load(&gate_prepared)) {
        xs_gate_prepare();
        atomic_store(&gate_prepared, true);
    }
}

unsigned xs_cupti_watch_windows(void) {
    bool is_bounded = atomic_load(&decides); /* false: this only adds up the cost of recording */
    if (!xs_cupti_is_active() || atomic_load(&ended))
        return 0;
    /* This is done outside, because preparing the quiescence lock takes up to 20 ms, and no thread may have to wait for
     * this one meanwhile. It is done only when needed, because most programs end before a change is due. */
    if (is_asked || gate_wanted)
        prepare_gate();
    if (!xs_cupti_enter())
        return is_bounded ? RETRY_MS : 0;
    unsigned wait_ms = xs_cupti_is_active() ? watch() : 0;
    xs_cupti_note(tell);
    xs_cupti_leave();
    return is_bounded ? wait_ms : 0;
}

/* The program may continue between two tries, because device work may wait for one of its threads. */
bool xs_cupti_quiet_device(void) {
    const struct timespec pause = {0, (long)IDLE_NS};
    uint64_t until = xs_monotonic_ns() + QUIET_NS;
    prepare_gate();
    for (;;) {
        bool closed = atomic_load(&xs_captures) <= 0 && xs_gate_close(PATIENCE_OF_USERS_NS);
        bool quiet = closed && is_alone();
        if (quiet || xs_monotonic_ns() >= until)
            return closed;
        if (closed)
            xs_gate_open();
        nanosleep(&pause, NULL);
    }
}

/* ---- called when the program has waited for the device ---- */

static void switch_on_scratch(void *argument) {
    (void)argument;
    if (!xs_cupti_try_enter())
        return;
    if (xs_cupti_is_active() && atomic_load(&xs_cupti_switch_due) == XS_CUPTI_SWITCH_DUE && !atomic_load(&ended) &&
        switch_to(aim)) {
        expect_none();
        xs_cupti_note(tell);
    }
    xs_cupti_leave();
}

void xs_cupti_switch_here(void) {
    if (xs_gate_is_inside())
        return; /* inside a call that is not recorded, whose callback, or a signal handler, made the call that has
                   waited */
    unsigned skipped = atomic_load(&moments_skipped);
    if (skipped && atomic_compare_exchange_strong(&moments_skipped, &skipped, skipped - 1))
        return;
    struct xs_guard_own own;
    xs_guard_enter(&own);
    xs_on_scratch(switch_on_scratch, NULL);
    xs_guard_leave(&own);
}

/* ---- windows that the program opens ---- */

static bool is_switch_asked(void) {
    return opener != XS_WINDOW_BY_TIME && !atomic_load(&ended) &&
           atomic_load(&attached) != xs_asked_window_is_open(opener);
}

bool xs_cupti_switch_asked(void) {
    atomic_store(&closed_at_moment, !xs_asked_window_is_open(opener) && xs_cupti_moment);
    return is_switch_asked();
}

bool xs_cupti_switch_comes(void) {
    bool is_outside = !xs_guard.raised && xs_gate_slot && !xs_gate_is_inside();
    bool at_once = xs_asked_window_is_open(opener) || xs_cupti_moment;
    return is_outside && at_once && atomic_load(&xs_captures) <= 0 && is_switch_asked();
}

/* ---- the end ---- */

void xs_cupti_forget_switches(void) {
    atomic_store(&ended, true);
    atomic_store(&xs_cupti_switch_due, 0);
    attached = false;
}

void xs_cupti_end_switches(void) {
    struct xs_windows_facts facts = facts_now();
    xs_windows_look(&windows, &facts); /* adds the cost of recording since the last call */
    if (attached)
        xs_windows_end(&windows, xs_monotonic_ns());
    xs_cupti_forget_switches();
    xs_cupti_note(tell);
}

const char *xs_cupti_windows(const struct xs_clock *clock) {
    static char *text;
    text = text ? text : malloc(XS_WINDOWS_TEXT_BYTES);
    if (!text || !xs_cupti_enter())
        return NULL;
    bool any = windows.detachments > 0 || began_detached;
    if (any) {
        text[0] = 0;
        xs_windows_text(&windows, clock, text, XS_WINDOWS_TEXT_BYTES);
    }
    if (any && !text[0])
        snprintf(text, XS_WINDOWS_TEXT_BYTES, "0+0"); /* windows were requested, but none was opened */
    xs_cupti_leave();
    return any ? text : NULL;
}
