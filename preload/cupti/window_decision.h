/* Decides when device times are recorded. Recording makes every launch and copy of the program slower, so it may cost
 * only a certain share of the run's time, the budget. A program that stays within the budget is recorded from start to
 * end. For any other program CUPTI is detached when the budget is used up, and attached again for short windows. The
 * pauses between the windows are random, so that the windows do not coincide with a period of the program. Attaching
 * and detaching together stop the whole program for some 10 ms, so windows are rare.
 *
 * CUPTI could instead stay attached and record nothing. That does not work well: half of the extra cost of a launch
 * remains, and launches fail if recorded kernels are running at that time (H200, CUPTI 13.0).
 *
 * This file only makes the decision, from the numbers that its caller passes. It has no lock: only one thread at a time
 * may use it. */
#ifndef XFERSPY_PRELOAD_CUPTI_WINDOW_DECISION_H
#define XFERSPY_PRELOAD_CUPTI_WINDOW_DECISION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/cupti/recorded_windows.h"
#include "schema/window_spec.h"

enum xs_windows_state { XS_WINDOWS_RECORDING, XS_WINDOWS_DETACHED };

enum { XS_WINDOWS_COSTS = 5 };

/* The numbers on which the decision is based, all read at one time. The counts and costs are sums since the session's
 * start. */
struct xs_windows_facts {
    uint64_t now_ns;
    uint64_t launches, graphs, copies; /* calls that CUPTI recorded */
    uint64_t graph_kernels; /* kernels in these graphs; CUPTI hands over their records up to one second late */
    uint64_t calls;         /* calls of the program, recorded or not */
    uint64_t others_ns;     /* cost of xferspy to the program, except CUPTI's */
    bool is_open;           /* the program has opened the requested window */
};

struct xs_windows {
    enum xs_windows_state state;
    unsigned percent; /* budget; 0: unbounded, always recording */
    struct xs_window_spec spec;
    uint64_t start_ns; /* start of the session */
    struct xs_windows_facts last;
    uint64_t since_ns;                /* time when the present state began */
    struct xs_windows_facts opened;   /* facts when the present state began */
    struct xs_windows_facts marks[2]; /* facts from the last part of the window, to measure the program's pace */
    uint64_t kernels_of_graph;        /* average number of kernels in a graph, as far as known */
    uint64_t recording_ns;            /* estimated cost of recording */
    uint64_t share_since_ns; /* the budget is counted from this time on; it is moved forward if too much was saved */
    uint64_t switches_ns;    /* time for which attaching and detaching stopped the program */
    uint64_t switch_ns;      /* moving mean of the time to detach and attach again */
    uint64_t detaching_ns;   /* time that the last detaching took */
    uint64_t wanted_ns;      /* this much time must pass without recording before the next window */
    uint64_t random;
    unsigned detachments;

    /* The measured extra time of a recorded call, in percent of the assumed time (window_decision.c). */
    unsigned cost_percent;
    unsigned costs[XS_WINDOWS_COSTS], cost_count;
    /* The program's pace in the last window. paced_calls is 0 if no pace was measured, or if the measured pace was
     * already compared with the pace without recording. */
    uint64_t paced_calls, paced_ns, paced_table_ns;

    struct xs_window_list windows; /* windows that have ended */
};

/* Begins a session. If `spec` contains windows, they alone decide; otherwise the budget decides. Returns the first
 * state; XS_WINDOWS_DETACHED: the first window of `spec` begins later. */
enum xs_windows_state xs_windows_start(struct xs_windows *windows, unsigned percent, const struct xs_window_spec *spec,
                                       const struct xs_windows_facts *facts);
/* True if neither `spec` nor the budget limits recording. */
bool xs_windows_are_unbounded(const struct xs_windows *windows);

/* Updates the costs with the facts, and returns the state in which CUPTI should be now. */
enum xs_windows_state xs_windows_look(struct xs_windows *windows, const struct xs_windows_facts *facts);

/* Says when a window that is due begins: at one of the program's next waits for the device, which is chosen at random,
 * or at `until_ns` if the chosen wait does not begin earlier. If the window always began at the next wait, mostly the
 * work after certain waits would be recorded in programs with long steps, and the other work hardly ever. */
struct xs_window_moment {
    uint64_t until_ns;
    unsigned skip; /* number of waits before the chosen one */
};
struct xs_window_moment xs_windows_moment(struct xs_windows *windows, uint64_t now_ns);

/* Notes that CUPTI is in `state` now, and that attaching or detaching it stopped the program from `before_ns` to
 * `after_ns`. If CUPTI was detached, it recorded until `before_ns`. If it was attached, it records from `after_ns`
 * on. */
void xs_windows_switched(struct xs_windows *windows, enum xs_windows_state state, uint64_t before_ns,
                         uint64_t after_ns);

/* Returns the time in ms after which xs_windows_look must be called again; 0: there is no such time. */
unsigned xs_windows_wait_ms(const struct xs_windows *windows);

/* Returns the time that recording, attaching and detaching have cost the program so far. */
uint64_t xs_windows_cost_ns(const struct xs_windows *windows);

/* Returns the time for which device times were recorded. */
uint64_t xs_windows_recorded_ns(const struct xs_windows *windows, uint64_t now_ns);

/* Writes the windows in the trace's form (recorded_windows.h), including the open one until now. */
void xs_windows_text(const struct xs_windows *windows, const struct xs_clock *clock, char *text, size_t bytes);

/* Ends the open window, if there is one. Must be the last call. */
void xs_windows_end(struct xs_windows *windows, uint64_t now_ns);

#endif
