/* Windows of device times that the program itself opens and closes, where the user asked for that (XFERSPY_WINDOW,
 * XFERSPY_STEPS): by an NVTX range of a name, by cuProfilerStart and cuProfilerStop, or by the steps that it makes. Who
 * sees these calls says so here, and the part that attaches CUPTI reads it here; neither knows the other. */
#ifndef XFERSPY_PRELOAD_CORE_ASKED_WINDOW_H
#define XFERSPY_PRELOAD_CORE_ASKED_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/window_spec.h"

/* How many NVTX ranges of the name that is asked for are open on all threads, and whether the program is between
 * cuProfilerStart and cuProfilerStop. Any thread. They hold from the process's start on, whether there is a session or
 * not. */
extern _Atomic int xs_asked_ranges;
extern _Atomic bool xs_asked_profiler;

/* How far the program is in its steps. It begins at 0; each begin and each end of a step adds 1, so an odd number means
 * that the program is in a step. Two threads may add theirs in any order. */
extern _Atomic uint64_t xs_asked_step_turns;

/* A step began or ended, as an NVTX range tells. */
void xs_asked_step_turn(void);

/* Waits tell the steps (core/step_waits.h): from now on ranges add nothing, and what they added does not count. */
void xs_asked_steps_are_waits(void);

/* When step number `i` of those that are recorded, from 0, began and ended (monotonic). False: it did not begin, or is
 * beyond the XS_ASKED_STEP_TIMES first ones. The end is 0 where it has not ended. */
enum { XS_ASKED_STEP_TIMES = 8192 };
bool xs_asked_step_times(size_t i, uint64_t *begin_ns, uint64_t *end_ns);

/* Another one is open (1), or one fewer (-1). True: it is the first or was the last, and the calling thread says so by
 * xs_asked_window_changed as soon as it is outside of everything. */
static inline bool xs_asked_ranges_change(int change) {
    int before = atomic_fetch_add(&xs_asked_ranges, change);
    bool has_turned = (before > 0) != (before + change > 0);
    if (has_turned) {
        xs_asked_step_turn();
    }
    return has_turned;
}

/* The window of steps: it is open from the begin of the step behind the first `skipped` ones until `most` steps have
 * ended, or until the process ends where `most` is 0. Before this call it is closed. A step that has ended by now is
 * none of those that are recorded, and one that is open began now: nobody knows when. */
void xs_asked_steps_set(uint64_t skipped, uint64_t most);

/* How many steps came before the first that is recorded: those that were skipped, or that ended before the call above.
 * Behind that call. */
uint64_t xs_asked_steps_before(void);

/* A window was opened or closed. May wait until CUPTI is attached or detached, 50 ms at most. A thread of the
 * application's that has entered nothing of the library's. Keeps errno. */
void xs_asked_window_changed(void);

/* cuProfilerStart or cuProfilerStop has returned. As above. */
void xs_asked_profiler_change(bool is_on);

/* Has the program opened a window of that kind? Any thread. */
bool xs_asked_window_is_open(enum xs_window_opener opener);

#endif
