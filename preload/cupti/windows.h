/* When device times are recorded. Recording makes every launch and copy of the program dearer, so it may cost a share
 * of the run's time: the budget. A program that stays within it is recorded throughout. From any other one CUPTI is
 * detached when the budget is used up, and it is attached again for windows at random distances, which follow no period
 * of the program's own. Attaching and detaching hold the whole program, some 10 ms together, so windows are rare.
 *
 * CUPTI could also only be told to record nothing. That is not done: it leaves half of what a launch costs more, and
 * while recorded kernels are under way it ends in failed launches (H200, CUPTI 13.0).
 *
 * Only decides, by numbers that it is told. One thread at a time uses it; there is no lock. */
#ifndef XFERSPY_PRELOAD_CUPTI_WINDOWS_H
#define XFERSPY_PRELOAD_CUPTI_WINDOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/cupti/window_list.h"
#include "schema/window_spec.h"

enum xs_windows_state { XS_WINDOWS_RECORDING, XS_WINDOWS_DETACHED };

enum { XS_WINDOWS_COSTS = 5 };

/* What the library knows at one moment, summed up since the session's start. */
struct xs_windows_facts {
    uint64_t now_ns;
    uint64_t launches, graphs, copies; /* calls that CUPTI recorded */
    uint64_t graph_kernels;            /* of these graphs, as far as CUPTI has handed them over: up to a second late */
    uint64_t calls;                    /* of the program, recorded or not */
    uint64_t others_ns;                /* what all but CUPTI has cost the program */
    bool is_open;                      /* the program has opened the window that is asked for */
};

struct xs_windows {
    enum xs_windows_state state;
    unsigned percent; /* the budget; 0: without bound, always recording */
    struct xs_window_spec spec;
    uint64_t start_ns; /* of the session */
    struct xs_windows_facts last;
    uint64_t since_ns;                /* the state */
    struct xs_windows_facts opened;   /* when it began */
    struct xs_windows_facts marks[2]; /* facts of the window's last part, as pace is watched */
    uint64_t kernels_of_graph;        /* on average, by what is known */
    uint64_t recording_ns;            /* cost of recording, estimated */
    uint64_t share_since_ns; /* from when on the share grows; later than the start where too much was saved up */
    uint64_t turns_ns;       /* time that the program was held for turning */
    uint64_t turn_ns;        /* what detaching and attaching again takes: a moving mean */
    uint64_t detaching_ns;   /* what it took last */
    uint64_t wanted_ns;      /* what has to be saved up before the next window */
    uint64_t random;
    unsigned detachments;

    /* How much longer a call took while it was recorded, in percent of what the tables say. */
    unsigned cost_percent;
    unsigned costs[XS_WINDOWS_COSTS], cost_count;
    uint64_t paced_calls, paced_ns, paced_table_ns; /* of the last window, until the time after it is known */

    struct xs_window_list windows; /* that have ended */
};

/* A session begins. Where `spec` asks for windows it decides, else the budget does. Returns whether CUPTI records from
 * the beginning on; it does not where something later is asked for. */
enum xs_windows_state xs_windows_start(struct xs_windows *windows, unsigned percent, const struct xs_window_spec *spec,
                                       const struct xs_windows_facts *facts);
/* Neither has anything to decide. */
bool xs_windows_are_unbounded(const struct xs_windows *windows);

/* Takes the facts in, and returns the state in which CUPTI should be. */
enum xs_windows_state xs_windows_look(struct xs_windows *windows, const struct xs_windows_facts *facts);

/* A window is due. It begins with one of the program's next waits for the device, or where these do not come until
 * `until_ns`. By chance: if it were always the next wait, what a long step does behind that one would be recorded, and
 * what it does elsewhere hardly ever. */
struct xs_window_moment {
    uint64_t until_ns;
    unsigned skip; /* so many waits */
};
struct xs_window_moment xs_windows_moment(struct xs_windows *windows, uint64_t now_ns);

/* CUPTI is in `state` now; turning it held the program from `before_ns` to `after_ns`. Records came until before_ns, or
 * come from after_ns on. */
void xs_windows_turned(struct xs_windows *windows, enum xs_windows_state state, uint64_t before_ns, uint64_t after_ns);

/* In how many ms xs_windows_look has something to do; 0: never. */
unsigned xs_windows_wait_ms(const struct xs_windows *windows);

/* What recording and turning have cost the program by now. */
uint64_t xs_windows_cost_ns(const struct xs_windows *windows);

/* For how long device times were recorded. */
uint64_t xs_windows_recorded_ns(const struct xs_windows *windows, uint64_t now_ns);

/* The windows as the trace has them (window_list.h), with the one that is open as long as it is by now. */
void xs_windows_text(const struct xs_windows *windows, const struct xs_clock *clock, char *text, size_t bytes);

/* Ends the window that is open, where there is one. The last call. */
void xs_windows_end(struct xs_windows *windows, uint64_t now_ns);

#endif
