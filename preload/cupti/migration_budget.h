/* Decides when page migrations are recorded in mode `auto`. Recording slows the program down at every migration and
 * every page fault, even if the records are not read. So recording may cost only a certain share of the run's time.
 * While recording costs less, it stays on. If it costs more, it is switched on only for short windows. The pauses
 * between the windows are random, so that the windows do not coincide with a period of the program. A budget has no
 * lock, because only one thread uses it. */
#ifndef XFERSPY_PRELOAD_CUPTI_MIGRATION_BUDGET_H
#define XFERSPY_PRELOAD_CUPTI_MIGRATION_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/cupti/recorded_windows.h"

/* On an H100 each record delayed the program by 4 to 5 us, no matter which counters were on. A fault of the device
 * costs more (schema/format/recording_cost.h). */
#define XS_MIGRATION_COST_NS UINT64_C(5000)

/* A number of records of page migrations and faults, and what recording them has cost the program. */
struct xs_migration_tally {
    uint64_t records, cost_ns;
};

struct xs_migration_budget {
    bool on;
    unsigned permille; /* share of the run's time that recording may cost */
    unsigned rests;    /* number of times that recording was switched off */

    bool samples;                          /* true: recording in windows; false: recording until it costs too much */
    bool is_first_rest;                    /* true: recording is off, in the pause before the first window */
    int64_t saved_ns;                      /* time that may be spent now; negative: overspent */
    uint64_t start_ns, spent_ns;           /* start of the budget; total time that recording has cost */
    uint64_t since_ns;                     /* start of the window */
    uint64_t at_ns;                        /* time of the last call of xs_migration_budget_switch */
    struct xs_migration_tally seen;        /* the records at that call; neither number ever decreases */
    uint64_t grown_ns;                     /* time when the number of records last grew */
    uint64_t next_ns;                      /* start of the next window */
    struct xs_migration_tally begun;       /* the records at the start of the last window */
    uint64_t ended_cost_ns;                /* cost of the records that had arrived when the last window ended */
    uint64_t window_cost_ns;               /* moving mean of a window's cost */
    uint64_t switch_ns;                    /* processor time that it took to switch recording on the last time */
    uint64_t switches_ns, switches_cpu_ns; /* total time and processor time of switching recording on and off */
    uint64_t random;

    struct xs_window_list windows;
};

/* Starts the budget with recording on; recording may cost `permille` thousandths of the run's time. */
void xs_migration_budget_start(struct xs_migration_budget *budget, unsigned permille, uint64_t now_ns);

/* Updates the budget; `records` are those since the start. True: the caller must switch recording on or off, as
 * `budget->on` says, and then call xs_migration_budget_switched. */
bool xs_migration_budget_switch(struct xs_migration_budget *budget, uint64_t now_ns, struct xs_migration_tally records);

/* Notes that switching recording on or off took from `before_ns` to `after_ns`. The change, on or off, takes effect at
 * `before_ns`. Only `cpu_ns`, the processor time of the change, counts as cost, because the program continues during
 * the change. */
void xs_migration_budget_switched(struct xs_migration_budget *budget, uint64_t before_ns, uint64_t after_ns,
                                  uint64_t cpu_ns);

/* Returns the time in ms, at least 1, after which xs_migration_budget_switch must be called again; 0: recording stays
 * on until new records cost too much. */
unsigned xs_migration_budget_wait_ms(const struct xs_migration_budget *budget, uint64_t now_ns);

/* Returns the time for which recording was on. */
uint64_t xs_migration_budget_recorded_ns(const struct xs_migration_budget *budget, uint64_t now_ns);

/* Ends the open window, if there is one. Must be the last call. */
void xs_migration_budget_end(struct xs_migration_budget *budget, uint64_t now_ns);

#endif
