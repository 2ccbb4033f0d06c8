/* Windows of device times that the program itself opens and closes, where the user asked for that (XFERSPY_WINDOW): by
 * an NVTX range of a name, or by cuProfilerStart and cuProfilerStop. Who sees these calls says so here, and the part
 * that attaches CUPTI reads it here; neither knows the other. */
#ifndef XFERSPY_PRELOAD_CORE_ASKED_WINDOW_H
#define XFERSPY_PRELOAD_CORE_ASKED_WINDOW_H

#include <stdatomic.h>
#include <stdbool.h>

#include "schema/window_spec.h"

/* How many NVTX ranges of the name that is asked for are open on all threads, and whether the program is between
 * cuProfilerStart and cuProfilerStop. Any thread. They hold from the process's start on, whether there is a session or
 * not. */
extern _Atomic int xs_asked_ranges;
extern _Atomic bool xs_asked_profiler;

/* Another one is open (1), or one fewer (-1). True: it is the first or was the last, and the calling thread says so by
 * xs_asked_window_changed as soon as it is outside of everything. */
static inline bool xs_asked_ranges_change(int change) {
    int before = atomic_fetch_add(&xs_asked_ranges, change);
    return (before > 0) != (before + change > 0);
}

/* A window was opened or closed. May wait until CUPTI is attached or detached, 50 ms at most. A thread of the
 * application's that has entered nothing of the library's. Keeps errno. */
void xs_asked_window_changed(void);

/* cuProfilerStart or cuProfilerStop has returned. As above. */
void xs_asked_profiler_change(bool is_on);

/* Has the program opened a window of that kind? Any thread. */
bool xs_asked_window_is_open(enum xs_window_opener opener);

#endif
