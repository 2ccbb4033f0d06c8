/* Keeps what was reported about windows that something other than the time opens and closes; see asked_window.h. */
#include "preload/core/asked_window.h"

#include <errno.h>

#include "preload/core/hooks.h"
#include "schema/clock.h"

_Atomic int xs_asked_ranges;
_Atomic bool xs_asked_profiler;
_Atomic uint64_t xs_asked_step_marks;
static _Atomic bool are_waits;
static _Atomic uint64_t steps_from = UINT64_MAX, steps_to; /* counts of starts and ends of steps */
static _Atomic uint64_t mark_ns[2 * XS_ASKED_STEP_TIMES];  /* times of these starts and ends; 0: not yet */

void xs_asked_window_changed(void) {
    int saved = errno;
    xs_hooks.window_asked();
    errno = saved;
}

void xs_asked_profiler_change(bool is_on) {
    if (atomic_exchange(&xs_asked_profiler, is_on) != is_on)
        xs_asked_window_changed();
}

static _Atomic bool controlled;

void xs_asked_control_change(bool is_on) {
    if (atomic_exchange(&controlled, is_on) != is_on)
        xs_asked_window_changed();
}

static bool is_timed(uint64_t mark, uint64_t from) {
    return mark >= from && mark <= atomic_load(&steps_to) && mark - from < 2 * XS_ASKED_STEP_TIMES;
}

/* Sets which steps the user requests. A thread that is in xs_asked_step_mark now either sees the new `steps_from`, or
 * has counted its start or end of a step before this function reads the count. */
void xs_asked_steps_set(uint64_t skipped, uint64_t most) {
    uint64_t passed = atomic_load(&xs_asked_step_marks) / 2;
    uint64_t from = 2 * (passed > skipped ? passed : skipped) + 1, now_ns = xs_monotonic_ns(), none;
    atomic_store(&steps_to, most ? 2 * (skipped + most) : UINT64_MAX);
    atomic_store(&steps_from, from);
    uint64_t marks = atomic_load(&xs_asked_step_marks);
    for (uint64_t mark = from; mark <= marks && is_timed(mark, from); mark++) {
        none = 0;
        atomic_compare_exchange_strong(&mark_ns[mark - from], &none, now_ns);
    }
}

uint64_t xs_asked_steps_before(void) { return (atomic_load(&steps_from) - 1) / 2; }

void xs_asked_steps_are_waits(void) {
    atomic_store(&are_waits, true);
    atomic_store(&xs_asked_step_marks, 0);
}

void xs_asked_step_mark(void) {
    if (atomic_load(&are_waits))
        return;
    uint64_t mark = atomic_fetch_add(&xs_asked_step_marks, 1) + 1, from = atomic_load(&steps_from);
    if (is_timed(mark, from))
        atomic_store(&mark_ns[mark - from], xs_monotonic_ns());
}

bool xs_asked_step_times(size_t i, uint64_t *begin_ns, uint64_t *end_ns) {
    if (i >= XS_ASKED_STEP_TIMES)
        return false;
    *begin_ns = atomic_load(&mark_ns[2 * i]);
    *end_ns = atomic_load(&mark_ns[2 * i + 1]);
    return *begin_ns != 0;
}

static bool is_in_steps(void) {
    uint64_t marks = atomic_load(&xs_asked_step_marks);
    return marks >= atomic_load(&steps_from) && marks < atomic_load(&steps_to);
}

uint64_t xs_asked_step_now(void) {
    uint64_t marks = atomic_load(&xs_asked_step_marks);
    bool is_step = marks % 2 && marks >= atomic_load(&steps_from) && marks < atomic_load(&steps_to);
    return is_step ? (marks + 1) / 2 : 0;
}

static _Atomic uint64_t ledger_closed_ns;

void xs_asked_ledger_close(uint64_t until_ns) { atomic_store(&ledger_closed_ns, until_ns); }

bool xs_asked_window_is_open(enum xs_window_opener opener) {
    switch (opener) {
    case XS_WINDOW_BY_RANGE:
        return atomic_load(&xs_asked_ranges) > 0;
    case XS_WINDOW_BY_PROFILER:
        return atomic_load(&xs_asked_profiler);
    case XS_WINDOW_BY_STEPS:
        return is_in_steps();
    case XS_WINDOW_BY_CONTROL:
        return atomic_load(&controlled);
    case XS_WINDOW_BY_TIME:
        return xs_monotonic_ns() >= atomic_load(&ledger_closed_ns);
    }
    return false;
}
