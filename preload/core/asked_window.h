/* Windows of device times that the program itself opens and closes, if the user asked for them (XFERSPY_WINDOW,
 * XFERSPY_STEPS). The program does so by an NVTX range of a given name, by cuProfilerStart and cuProfilerStop, or by
 * its steps. The wrappers report these calls here, and the part that attaches CUPTI reads them here; neither knows the
 * other. */
#ifndef XFERSPY_PRELOAD_CORE_ASKED_WINDOW_H
#define XFERSPY_PRELOAD_CORE_ASKED_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/window_spec.h"

/* Counts the open NVTX ranges of the requested name on all threads, and says whether the program is between
 * cuProfilerStart and cuProfilerStop. Any thread. Both are kept from the start of the process, with or without a
 * session. */
extern _Atomic int xs_asked_ranges;
extern _Atomic bool xs_asked_profiler;

/* The program's progress in its steps: 0 at first; each start and each end of a step adds 1, so an odd number means
 * that the program is in a step. Two threads may add in any order. */
extern _Atomic uint64_t xs_asked_step_turns;

/* An NVTX range reports that a step began or ended. */
void xs_asked_step_turn(void);

/* Waits mark the steps (core/step_waits.h): from now on ranges add nothing, and what they added so far is dropped. */
void xs_asked_steps_are_waits(void);

/* Gives the times (monotonic) at which recorded step number `i`, counted from 0, began and ended. False: the step has
 * not begun, or is not among the first XS_ASKED_STEP_TIMES. The end is 0 if the step has not ended. */
enum { XS_ASKED_STEP_TIMES = 8192 };
bool xs_asked_step_times(size_t i, uint64_t *begin_ns, uint64_t *end_ns);

/* A range opened (1) or closed (-1). True: it is the first or was the last one open; the calling thread then calls
 * xs_asked_window_changed as soon as it is outside of everything. */
static inline bool xs_asked_ranges_change(int change) {
    int before = atomic_fetch_add(&xs_asked_ranges, change);
    bool has_turned = (before > 0) != (before + change > 0);
    if (has_turned)
        xs_asked_step_turn();
    return has_turned;
}

/* Sets the window of steps: it opens with the step behind the first `skipped` ones and closes when `most` steps have
 * ended, or with the process if `most` is 0. The window is closed before this call. Steps that have already ended are
 * not recorded; a step that is open now counts as begun now, because its true start is not known. */
void xs_asked_steps_set(uint64_t skipped, uint64_t most);

/* Counts the steps before the first recorded one: steps that were skipped, or that ended before xs_asked_steps_set.
 * Valid only after that call. */
uint64_t xs_asked_steps_before(void);

/* A window opened or closed. May wait at most 50 ms until CUPTI is attached or detached. Called by an application
 * thread that is inside nothing of the library. Keeps errno. */
void xs_asked_window_changed(void);

/* cuProfilerStart or cuProfilerStop has returned. The conditions are those of xs_asked_window_changed, which this may
 * call. */
void xs_asked_profiler_change(bool is_on);

/* Has the program opened a window of this kind? Any thread. */
bool xs_asked_window_is_open(enum xs_window_opener opener);

#endif
