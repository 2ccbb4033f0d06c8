/* The steps of a program that does not name them: a step ends with the return of a wait that comes again and again,
 * from one place, in equal distances. The wait is looked for while the program runs (XFERSPY_STEPS without
 * XFERSPY_STEP); from the moment at which it is found the steps are counted by it. The rule is that of
 * docs/rules/analysis.md, "Steps", for someone who does not know yet how the run goes on. */
#ifndef XFERSPY_PRELOAD_CORE_STEP_WAITS_H
#define XFERSPY_PRELOAD_CORE_STEP_WAITS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"

/* Waits are to be told to xs_step_waited. Read by the wrappers of waits alone. */
extern _Atomic bool xs_step_waits_on;

/* A wait that has returned. */
struct xs_step_wait {
    uint32_t row;    /* of the entry point */
    uint32_t stack;  /* the number of the stack that it was called from; 0: not known, and `object` says which wait */
    uint64_t object; /* what was waited for */
    uint64_t thread; /* any number that tells the calling threads apart */
};

/* Begins the search: the first `skipped` returns of the wait that is found are left out, more if it is found later,
 * and `most` steps behind them are asked for (0: all). Called once, before xs_asked_window_is_open is asked. */
void xs_step_waits_start(uint64_t skipped, uint64_t most);

/* The wait returned at `now_ns` (CLOCK_MONOTONIC). True: a window of steps begins or ends here, and the calling thread
 * says so by xs_asked_window_changed as soon as it is outside of everything. */
bool xs_step_waited(const struct xs_step_wait *wait, uint64_t now_ns);

/* How the search went. Any thread, signal handlers too. */
enum { XS_STEP_WAITS_LEAST = 6 }; /* returns of a wait before it can be found */
struct xs_step_waits {
    bool is_found;
    uint32_t row, stack;   /* of the wait that was found */
    uint64_t first, ended; /* returns of it until it was found, and by now */
    uint64_t seen;         /* waits of all kinds until then */
    uint32_t most_row;     /* the entry point of the place that had returned most often until then, */
    uint64_t most;         /* and how often it had; 0: no place waited */
};
struct xs_step_waits xs_step_waits(void);

/* In a forked child, where the thread that held the lock is not there. */
void xs_step_waits_forget(void);

#endif
