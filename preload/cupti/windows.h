/* Decides when device times are recorded. Recording makes every launch and copy of the program dearer, so it may cost a
 * share of the run's time: the budget. A program that stays within the budget is recorded throughout. For any other
 * program, CUPTI is detached when the budget is used up, and attached again for windows at random distances, which
 * follow no period of the program. Attaching and detaching together hold the whole program for some 10 ms, so windows
 * are rare.
 *
 * CUPTI could instead be told to record nothing. That does not work well: half of a launch's extra cost remains, and
 * launches fail if recorded kernels are running at that time (H200, CUPTI 13.0).
 *
 * This file only decides, by the numbers that it gets. One thread at a time uses it; there is no lock. */
#ifndef XFERSPY_PRELOAD_CUPTI_WINDOWS_H
#define XFERSPY_PRELOAD_CUPTI_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/cupti/recorded_windows.h"
#include "schema/window_spec.h"

enum xs_windows_state { XS_WINDOWS_RECORDING, XS_WINDOWS_DETACHED };

enum { XS_WINDOWS_COSTS = 5 };

/* The library's knowledge at one moment, summed up since the session's start. */
struct xs_windows_facts {
    uint64_t now_ns;
    uint64_t launches, graphs, copies; /* calls that CUPTI recorded */
    uint64_t graph_kernels; /* kernels in these graphs, as far as CUPTI has handed them over: up to a second late */
    uint64_t calls;         /* calls of the program, recorded or not */
    uint64_t others_ns;     /* cost to the program of everything but CUPTI */
    bool is_open;           /* the program has opened the requested window */
};

struct xs_windows {
    enum xs_windows_state state;
    unsigned percent; /* budget; 0: unbounded, always recording */
    struct xs_window_spec spec;
    uint64_t start_ns; /* start of the session */
    struct xs_windows_facts last;
    uint64_t since_ns;                /* start of the present state */
    struct xs_windows_facts opened;   /* facts when the present state began */
    struct xs_windows_facts marks[2]; /* facts from the window's last part, by which its pace is measured */
    uint64_t kernels_of_graph;        /* known average of kernels in a graph */
    uint64_t recording_ns;            /* estimated cost of recording */
    uint64_t share_since_ns;          /* time since which the share grows; moved on where too much was saved */
    uint64_t turns_ns;                /* time for which turning held the program */
    uint64_t turn_ns;                 /* moving mean of the time to detach and attach again */
    uint64_t detaching_ns;            /* time that the last detaching took */
    uint64_t wanted_ns;               /* time that must be saved before the next window */
    uint64_t random;
    unsigned detachments;

    /* The extra time of a recorded call, in percent of the tables' value. */
    unsigned cost_percent;
    unsigned costs[XS_WINDOWS_COSTS], cost_count;
    uint64_t paced_calls, paced_ns, paced_table_ns; /* pace in the last window, until the time after it is known */

    struct xs_window_list windows; /* windows that have ended */
};

/* Begins a session. If `spec` asks for windows, `spec` decides; otherwise the budget does. Returns the first state;
 * DETACHED: `spec` asks for a later window. */
enum xs_windows_state xs_windows_start(struct xs_windows *windows, unsigned percent, const struct xs_window_spec *spec,
                                       const struct xs_windows_facts *facts);
/* True if neither `spec` nor the budget limits recording. */
bool xs_windows_are_unbounded(const struct xs_windows *windows);

/* Takes in the facts, and returns the state in which CUPTI should be. */
enum xs_windows_state xs_windows_look(struct xs_windows *windows, const struct xs_windows_facts *facts);

/* The moment at which a due window begins: one of the program's next waits for the device, chosen by chance, or
 * `until_ns` if these do not come. If it were always the next wait, the work that a long step does after it would be
 * recorded, and the step's other work hardly ever. */
struct xs_window_moment {
    uint64_t until_ns;
    unsigned skip; /* waits to let pass */
};
struct xs_window_moment xs_windows_moment(struct xs_windows *windows, uint64_t now_ns);

/* Notes that CUPTI is in `state` now, and that turning it held the program from `before_ns` to `after_ns`. Records came
 * until before_ns, or come from after_ns on. */
void xs_windows_turned(struct xs_windows *windows, enum xs_windows_state state, uint64_t before_ns, uint64_t after_ns);

/* Returns the ms after which xs_windows_look has something to do; 0: never. */
unsigned xs_windows_wait_ms(const struct xs_windows *windows);

/* Returns what recording and turning have cost the program so far. */
uint64_t xs_windows_cost_ns(const struct xs_windows *windows);

/* Returns the time for which device times were recorded. */
uint64_t xs_windows_recorded_ns(const struct xs_windows *windows, uint64_t now_ns);

/* Writes the windows as the trace holds them (recorded_windows.h), including the open one up to now. */
void xs_windows_text(const struct xs_windows *windows, const struct xs_clock *clock, char *text, size_t bytes);

/* Ends the open window, if there is one. Must be the last call. */
void xs_windows_end(struct xs_windows *windows, uint64_t now_ns);

#endif
