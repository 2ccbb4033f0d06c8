/* Decides when page migrations are recorded in mode `auto`. Recording slows the program down for every migration and
 * every fault, even if nobody reads the records. So recording may cost a share of the run's time. While it costs less,
 * it stays on. With more migrations, samples are taken: windows at random distances, which follow no period of the
 * program. Only one thread uses a budget; there is no lock. */
#ifndef XFERSPY_PRELOAD_CUPTI_MIGRATION_BUDGET_H
#define XFERSPY_PRELOAD_CUPTI_MIGRATION_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/cupti/recorded_windows.h"

/* Each record made the program 4 to 5 us slower on an H100, whichever counters were on. */
#define XS_MIGRATION_COST_NS UINT64_C(5000)

struct xs_migration_budget {
    bool on;
    unsigned permille; /* share of the run's time that recording may cost */
    unsigned rests;    /* number of times that recording was turned off */

    bool samples;                    /* true: in windows; false: on until it costs too much */
    bool is_first_rest;              /* first pause: no window has begun since */
    int64_t saved_ns;                /* time that may be spent now; negative: overspent */
    uint64_t start_ns, spent_ns;     /* start of the budget; total spent */
    uint64_t since_ns;               /* start of the window */
    uint64_t at_ns, records;         /* time and number of records at the last look */
    uint64_t grown_ns;               /* time when the number of records last grew */
    uint64_t next_ns;                /* start of the next window */
    uint64_t window_records;         /* number of records before the last window */
    uint64_t ended_records;          /* number known when the window ended; its last records come later */
    uint64_t window_cost_ns;         /* moving mean of a window's cost */
    uint64_t turn_ns;                /* cost of turning recording on the last time */
    uint64_t turns_ns, turns_cpu_ns; /* total time and processor time of turning it on and off */
    uint64_t random;

    struct xs_window_list windows;
};

/* Begins recording, which may cost `permille` of the run's time. */
void xs_migration_budget_start(struct xs_migration_budget *budget, unsigned permille, uint64_t now_ns);

/* Takes in the number of records since the start. Returns true if recording has to be turned on or off, as `budget->on`
 * then says; the caller must then call xs_migration_budget_turned. */
bool xs_migration_budget_turn(struct xs_migration_budget *budget, uint64_t now_ns, uint64_t records);

/* Notes that turning recording on or off took from `before_ns` to `after_ns`. Either change takes effect at
 * `before_ns`. Only `cpu_ns`, its processor time, is charged, because the program goes on meanwhile. */
void xs_migration_budget_turned(struct xs_migration_budget *budget, uint64_t before_ns, uint64_t after_ns,
                                uint64_t cpu_ns);

/* Returns the ms after which xs_migration_budget_turn has something to do, at least 1; 0: it depends on the number of
 * new records. */
unsigned xs_migration_budget_wait_ms(const struct xs_migration_budget *budget, uint64_t now_ns);

/* Returns the time for which recording was on. */
uint64_t xs_migration_budget_recorded_ns(const struct xs_migration_budget *budget, uint64_t now_ns);

/* Ends the open window, if there is one. Must be the last call. */
void xs_migration_budget_end(struct xs_migration_budget *budget, uint64_t now_ns);

#endif
