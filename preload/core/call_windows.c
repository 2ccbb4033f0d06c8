/* Decides whether the program is inside a requested part of the run, and keeps the list of the recorded windows; see
 * call_windows.h. */
#include "preload/core/call_windows.h"

#include <stdio.h>
#include <string.h>

#include "preload/core/asked_window.h"
#include "preload/core/lock.h"
#include "preload/core/thread.h"

_Atomic bool xs_outside, xs_outside_sums;

/* A window that has ended; CLOCK_MONOTONIC. */
struct window {
    uint64_t from_ns, to_ns;
};

static _Atomic bool limited;
static struct xs_window_spec spec; /* set before `limited` */
static uint64_t start_ns;

/* This lock is held during the decision, so that an older decision cannot replace a newer one. */
static struct xs_lock lock = XS_LOCK_INITIALIZER;
static bool is_inside;
static bool has_sums;                       /* calls outside are recorded for their sums */
static uint64_t summed_ns, summed_since_ns; /* for how long calls were recorded until the latest change of xs_outside,
                                             * and when this change was */
static uint64_t opened_ns, latest_ns;       /* when the latest window began and ended; latest_ns 0: it is open */
static uint64_t closed_count, closed_ns;
/* Entries never change once written: the drain thread reads them without the lock. */
static struct window windows[XS_OUTSIDE_WINDOWS];

static bool is_wanted(uint64_t now_ns, uint64_t *next_ns) {
    uint64_t since_ns = now_ns > start_ns ? now_ns - start_ns : 0;
    return xs_window_spec_wants(&spec, since_ns, xs_asked_window_is_open(spec.opener), next_ns);
}

/* Begins or ends to leave calls out. */
static void leave_out(bool leaves) {
    if (atomic_exchange(&xs_outside, leaves) == leaves)
        return;
    uint64_t now_ns = xs_monotonic_ns();
    summed_ns += leaves ? now_ns - summed_since_ns : 0;
    summed_since_ns = now_ns;
}

/* A window begins before its first recorded call, and ends when no further recorded call can begin. */
static void open_window(uint64_t now_ns) {
    opened_ns = now_ns;
    latest_ns = 0;
    is_inside = true;
    leave_out(false);
    atomic_store(&xs_outside_sums, false);
}

static void close_window(void) {
    atomic_store(&xs_outside_sums, has_sums);
    leave_out(!has_sums);
    uint64_t now_ns = xs_monotonic_ns();
    is_inside = false;
    latest_ns = now_ns;
    if (closed_count < XS_OUTSIDE_WINDOWS)
        windows[closed_count] = (struct window){opened_ns, now_ns};
    closed_count++;
    closed_ns += now_ns - opened_ns;
}

void xs_outside_start(const struct xs_window_spec *asked, uint64_t begin_ns) {
    uint64_t next_ns;
    spec = *asked;
    start_ns = begin_ns;
    is_inside = false;
    summed_since_ns = begin_ns;
    atomic_store(&xs_outside_sums, has_sums);
    leave_out(!has_sums);
    if (is_wanted(begin_ns, &next_ns))
        open_window(begin_ns);
    atomic_store(&limited, true);
}

void xs_outside_end_window(void) {
    uint64_t next_ns;
    xs_lock(&lock);
    if (is_inside) {
        is_wanted(xs_monotonic_ns(), &next_ns);
        xs_asked_ledger_close(next_ns == UINT64_MAX ? next_ns : start_ns + next_ns);
        close_window();
    }
    xs_unlock(&lock);
}

bool xs_outside_is_limited(void) { return atomic_load(&limited); }

void xs_outside_look(void) {
    uint64_t next_ns;
    if (!atomic_load(&limited))
        return;
    xs_lock(&lock);
    uint64_t now_ns = xs_monotonic_ns();
    bool wanted = is_wanted(now_ns, &next_ns);
    if (wanted && !is_inside)
        open_window(now_ns);
    else if (!wanted && is_inside)
        close_window();
    xs_unlock(&lock);
}

void xs_outside_set_sums(bool sums) {
    xs_lock(&lock);
    has_sums = sums;
    if (!is_inside && atomic_load(&limited)) {
        atomic_store(&xs_outside_sums, sums);
        leave_out(!sums);
    }
    xs_unlock(&lock);
}

unsigned xs_outside_wait_ms(unsigned most) {
    if (!atomic_load(&limited))
        return most;
    uint64_t now_ns = xs_monotonic_ns(), since_ns = now_ns > start_ns ? now_ns - start_ns : 0, next_ns;
    is_wanted(now_ns, &next_ns);
    uint64_t ms = next_ns > since_ns ? (next_ns - since_ns) / 1000000 + 1 : 1;
    return ms < most ? (unsigned)ms : most;
}

struct xs_outside_windows xs_outside_windows(void) {
    xs_lock(&lock);
    uint64_t open_ns = is_inside ? xs_monotonic_ns() - opened_ns : 0;
    uint64_t now_summed_ns = atomic_load(&xs_outside) ? 0 : xs_monotonic_ns() - summed_since_ns;
    struct xs_outside_windows all = {.count = closed_count + is_inside,
                                     .recorded_ns = closed_ns + open_ns,
                                     .summed_ns = summed_ns + now_summed_ns,
                                     .from_ns = opened_ns,
                                     .to_ns = latest_ns};
    xs_unlock(&lock);
    return all;
}

/* Rounds the start down and the end up, so that the written period contains the whole window. The trace's clock begins
 * a little after the session. */
size_t xs_outside_put(uint64_t from_ns, uint64_t to_ns, const struct xs_clock *clock, char *text, size_t bytes,
                      bool is_first) {
    int64_t from = xs_clock_from_monotonic(clock, from_ns), to = xs_clock_from_monotonic(clock, to_ns);
    from = from > 0 ? from / 1000 : 0;
    to = to > 0 ? to / 1000 + 1 : 0;
    int length = snprintf(text, bytes, "%s%lld+%lld", is_first ? "" : ",", (long long)from,
                          (long long)(to > from ? to - from : 0));
    if (length > 0 && (size_t)length < bytes)
        return (size_t)length;
    *text = '\0';
    return 0;
}

static size_t put_window(const struct window *window, const struct xs_clock *clock, char *text, size_t bytes,
                         bool is_first) {
    return xs_outside_put(window->from_ns, window->to_ns, clock, text, bytes, is_first);
}

void xs_outside_text(const struct xs_clock *clock, char *text) {
    xs_lock(&lock);
    bool is_open = is_inside;
    struct window open = {opened_ns, xs_monotonic_ns()};
    uint64_t closed = closed_count;
    xs_unlock(&lock);
    size_t length = 0, count = closed < XS_OUTSIDE_WINDOWS ? (size_t)closed : XS_OUTSIDE_WINDOWS;
    for (size_t i = 0; i < count; i++)
        length += put_window(&windows[i], clock, text + length, XS_OUTSIDE_TEXT_BYTES - length, i == 0);
    if (is_open && closed < XS_OUTSIDE_WINDOWS)
        length += put_window(&open, clock, text + length, XS_OUTSIDE_TEXT_BYTES - length, count == 0);
    if (!length)
        memcpy(text, "0+0", sizeof "0+0");
}

void xs_outside_forget(void) { xs_lock_forget(&lock); }

/* ---- a call that is left out ---- */

bool xs_left_out_begin(struct xs_guard_note *note, uintptr_t frame, enum xs_left_out_kind kind) {
    if (atomic_load_explicit(&xs_state, memory_order_acquire) != XS_STATE_ACTIVE ||
        (xs_guard.raised && xs_thread_is_guarded(frame)))
        return false;
    xs_thread_has_outer(frame);
    xs_guard_raise(note, frame);
    atomic_signal_fence(memory_order_seq_cst);
    xs_gate_enter();
    xs_gate_count(&xs_gate_slot->left_out[kind]);
    xs_cupti_correlation = XS_CORRELATION_LEFT_OUT;
    xs_clear_slot(&xs_scratch_event);
    return true;
}

void xs_left_out_end(void) {
    xs_cupti_correlation = 0;
    xs_gate_leave();
    atomic_signal_fence(memory_order_seq_cst);
    xs_guard_lower();
}
