/* Finds the steps of a program that does not name them: a step ends with the return of a wait that recurs from one
 * place at equal intervals. The search for this wait runs while the program runs (XFERSPY_STEPS without XFERSPY_STEP);
 * once it is found, its returns count the steps. The rule is schema/rhythm.h, for a run that has not ended yet. */
#ifndef XFERSPY_PRELOAD_CORE_STEP_WAITS_H
#define XFERSPY_PRELOAD_CORE_STEP_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "schema/rhythm.h"

/* True while waits are reported to xs_step_waited. Only the wrappers of waits read it. */
extern _Atomic bool xs_step_waits_on;

/* A wait that has returned. */
struct xs_step_wait {
    uint32_t row;    /* row of the entry point */
    uint32_t stack;  /* number of the calling stack; 0: not known, and `object` identifies the wait */
    uint64_t object; /* object that was waited for */
    uint64_t thread; /* any number that is unique to the calling thread */
};

/* Begins the search: the first `skipped` returns of the found wait are left out, more if it is found later, and the
 * next `most` steps are wanted (0: all). Called once, before the first xs_asked_window_is_open. */
void xs_step_waits_start(uint64_t skipped, uint64_t most);

/* The wait returned at `now_ns` (CLOCK_MONOTONIC). True: a window of steps begins or ends here; the calling thread then
 * calls xs_asked_window_changed as soon as it is outside of everything. */
bool xs_step_waited(const struct xs_step_wait *wait, uint64_t now_ns);

/* Reports how the search went. Any thread, signal handlers too. */
enum { XS_STEP_WAITS_LEAST = XS_RHYTHM_LEAST + 1 }; /* returns of a wait before it can be found */
struct xs_step_waits {
    bool is_found;
    uint32_t row, stack;   /* of the found wait */
    uint64_t first, ended; /* returns of the found wait: until it was found, and so far */
    uint64_t seen;         /* all waits before it was found */
    uint32_t most_row;     /* entry point of the place with the most returns before that, */
    uint64_t most;         /* and its returns; 0: no place waited */
};
struct xs_step_waits xs_step_waits(void);

/* In a forked child: reinitializes the lock, because a thread that no longer exists may hold it. */
void xs_step_waits_forget(void);

#endif
