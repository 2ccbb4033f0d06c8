/* Finds the steps of a program that does not name its steps. A certain wait recurs at the same call site at equal
 * intervals, and each step ends when this wait returns. The search for this wait runs while the program runs
 * (XFERSPY_STEPS without XFERSPY_STEP); after this wait is found, each of its returns counts as the end of a step.
 * schema/rhythm.h defines which intervals count as equal. The rule is applied here to a run that has not ended yet. */
#ifndef XFERSPY_PRELOAD_CORE_STEP_WAITS_H
#define XFERSPY_PRELOAD_CORE_STEP_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "schema/rhythm.h"

/* True while waits are reported to xs_step_waited. Only the wrappers of waits read this value. */
extern _Atomic bool xs_step_waits_on;

/* A wait that has returned. */
struct xs_step_wait {
    uint32_t row;   /* row of the entry point */
    uint32_t stack; /* number of the stack of the thread's own frames; 0: not known, so `object` identifies the wait */
    uint32_t recorded; /* number of the stack in the wait's event; 0: the wait is not recorded */
    uint64_t object;   /* object that was waited for */
    uint64_t thread;   /* a number that identifies the calling thread */
};

/* Begins the search. Steps are recorded after the first `skipped` returns of the found wait, or from a later return if
 * the wait is found later. `most` is the number of steps to record (0: all). This function is called once, before the
 * first xs_asked_window_is_open. */
void xs_step_waits_start(uint64_t skipped, uint64_t most);

/* Reports that the wait returned at `now_ns` (CLOCK_MONOTONIC). True: a window of steps begins or ends now; the calling
 * thread then calls xs_asked_window_changed as soon as it has left all code of the library and the driver. */
bool xs_step_waited(const struct xs_step_wait *wait, uint64_t now_ns);

/* xs_step_waits returns the results of the search. Any thread, and also signal handlers. */
enum { XS_STEP_WAITS_LEAST = XS_RHYTHM_LEAST + 1 }; /* a wait is found only after it has returned this often */
struct xs_step_waits {
    bool is_found;
    uint32_t row, stack;   /* the found wait; if one of its returns was recorded, `stack` is the stack in that event */
    uint64_t first, ended; /* returns of the found wait; first: until it was found; ended: in total so far */
    uint64_t seen;         /* number of returns of all waits until one wait was found */
    uint32_t most_row;     /* entry point of the call site that had the most returns until a wait was found */
    uint64_t most;         /* number of returns at this call site until a wait was found; 0: there was no wait */
};
struct xs_step_waits xs_step_waits(void);

/* Runs in a forked child: reinitializes the lock, because a thread that no longer exists may hold it. */
void xs_step_waits_forget(void);

#endif
