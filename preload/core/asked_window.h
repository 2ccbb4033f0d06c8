/* Knows whether a window is open that something other than the time opens and closes. The user may request such windows
 * with XFERSPY_WINDOW, XFERSPY_STEPS and XFERSPY_START=off. Then an NVTX range of a given name opens and closes a
 * window, or cuProfilerStart and cuProfilerStop, or the steps of the program, or commands (`xferspy start` and `xferspy
 * stop`). A ledger can close its windows early. The wrappers and the thread that serves commands report this to the
 * functions of this file. The code that attaches CUPTI, and the code that leaves calls out (call_windows.h), read the
 * state from here. So the two sides do not depend on each other. */
#ifndef XFERSPY_PRELOAD_CORE_ASKED_WINDOW_H
#define XFERSPY_PRELOAD_CORE_ASKED_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/window_spec.h"

/* xs_asked_ranges is the number of open NVTX ranges of the requested name on all threads. xs_asked_profiler is true
 * while the program is between cuProfilerStart and cuProfilerStop. Any thread may read both. They are updated from the
 * start of the process on, with or without a session. */
extern _Atomic int xs_asked_ranges;
extern _Atomic bool xs_asked_profiler;

/* Number of starts and ends of steps so far. If the number is odd, the program is in a step. Several threads may
 * increment the number. */
extern _Atomic uint64_t xs_asked_step_marks;

/* Returns the number of the present step, counted from 1; 0: the program is in no step that is recorded. Any thread. */
uint64_t xs_asked_step_now(void);

/* Runs when an NVTX range shows that a step began or ended. */
void xs_asked_step_mark(void);

/* After this call, waits mark the steps (core/step_waits.h). NVTX ranges no longer increment xs_asked_step_marks, and
 * their increments so far are discarded. */
void xs_asked_steps_are_waits(void);

/* Writes the times (monotonic) at which recorded step number `i`, counted from 0, began and ended. The end is 0 if the
 * step has not ended. False: the step has not begun, or `i` is not less than XS_ASKED_STEP_TIMES. */
enum { XS_ASKED_STEP_TIMES = 8192 };
bool xs_asked_step_times(size_t i, uint64_t *begin_ns, uint64_t *end_ns);

/* Counts a range that was opened (1) or closed (-1). True: no other range is open on any thread, so a step begins or
 * ends. The calling thread then calls xs_asked_window_changed as soon as it has left all code of the library and the
 * driver. */
static inline bool xs_asked_ranges_change(int change) {
    int before = atomic_fetch_add(&xs_asked_ranges, change);
    bool is_mark = (before > 0) != (before + change > 0);
    if (is_mark)
        xs_asked_step_mark();
    return is_mark;
}

/* Sets the window of steps: it opens with the first step after `skipped` steps and closes when `most` steps have ended,
 * or at the end of the process if `most` is 0. Before this call the window is closed. Steps that have already ended are
 * not recorded. A step that is open now is recorded as if it began now, because its true start is not known. */
void xs_asked_steps_set(uint64_t skipped, uint64_t most);

/* Returns the number of steps before the first recorded one: steps that were skipped, or that ended before
 * xs_asked_steps_set. Valid only after xs_asked_steps_set was called. */
uint64_t xs_asked_steps_before(void);

/* Reports that a window opened or closed. On an application thread, it may wait until CUPTI is attached or detached,
 * for at most 50 ms. This function is called by an application thread that is not inside any wrapper or other code of
 * the library, or by the thread that serves commands (session/control.h). Keeps errno. */
void xs_asked_window_changed(void);

/* Reports that cuProfilerStart or cuProfilerStop has returned. This function may call xs_asked_window_changed, so the
 * same conditions apply. */
void xs_asked_profiler_change(bool is_on);

/* Opens or closes the window that commands control. Only the thread that serves commands (session/control.h) calls this
 * function; it does not wait for CUPTI. */
void xs_asked_control_change(bool is_on);

/* Closes the open window of a ledger (XFERSPY_MODE=ledger) early. `until_ns` is the time (CLOCK_MONOTONIC) at which the
 * window would have ended; from then on, time alone opens and closes the windows again. */
void xs_asked_ledger_close(uint64_t until_ns);

/* True if an opener of this kind has opened a window and has not closed it yet. For XS_WINDOW_BY_TIME, true unless the
 * present window of a ledger was closed early. Any thread. */
bool xs_asked_window_is_open(enum xs_window_opener opener);

#endif
