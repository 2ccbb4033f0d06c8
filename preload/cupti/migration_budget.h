/* When page migrations are recorded in mode `auto`. Recording slows a program down for every migration and every
 * fault, whoever reads the records. So it may cost a share of the run's time. While it costs less it is on; where there
 * are more migrations, samples are taken: windows at random distances, which follow no period of the program's own.
 * One thread uses a budget; there is no lock. */
#ifndef XFERSPY_PRELOAD_CUPTI_MIGRATION_BUDGET_H
#define XFERSPY_PRELOAD_CUPTI_MIGRATION_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/cupti/window_list.h"

/* On an H100 each record made the program 4 to 5 us slower, whichever counters were asked for. */
#define XS_MIGRATION_COST_NS UINT64_C(5000)

struct xs_migration_budget {
    bool on;
    unsigned permille; /* of the run's time that recording may cost */
    unsigned rests;    /* how often it was turned off */

    bool samples;                    /* windows; else on until it costs too much */
    bool is_first_rest;              /* no window has begun since */
    int64_t saved_ns;                /* what may be spent now; negative: was spent too much */
    uint64_t start_ns, spent_ns;     /* in all */
    uint64_t since_ns;               /* when the window began */
    uint64_t at_ns, records;         /* of the last look */
    uint64_t grown_ns;               /* when records were last seen to come */
    uint64_t next_ns;                /* when the next window begins */
    uint64_t window_records;         /* before the last window */
    uint64_t ended_records;          /* known when it ended; its latest come behind that */
    uint64_t window_cost_ns;         /* of a window, a moving mean */
    uint64_t turn_ns;                /* what turning recording on cost last */
    uint64_t turns_ns, turns_cpu_ns; /* of turning it, in all */
    uint64_t random;

    struct xs_window_list windows;
};

/* Recording begins; it may cost `permille` of the run's time. */
void xs_migration_budget_start(struct xs_migration_budget *budget, unsigned permille, uint64_t now_ns);

/* There were `records` records since the start. Returns true where recording has to be turned on or off, to what
 * `budget->on` then says; xs_migration_budget_turned is to be called behind that. */
bool xs_migration_budget_turn(struct xs_migration_budget *budget, uint64_t now_ns, uint64_t records);

/* Turning it took from `before_ns` to `after_ns`: records came from its beginning on, or no more. What is charged is
 * `cpu_ns`, its processor time, because the program goes on meanwhile. */
void xs_migration_budget_turned(struct xs_migration_budget *budget, uint64_t before_ns, uint64_t after_ns,
                                uint64_t cpu_ns);

/* In how many ms xs_migration_budget_turn has something to do, 1 or more; 0: it depends on how many records come. */
unsigned xs_migration_budget_wait_ms(const struct xs_migration_budget *budget, uint64_t now_ns);

/* For how long recording was on. */
uint64_t xs_migration_budget_recorded_ns(const struct xs_migration_budget *budget, uint64_t now_ns);

/* Ends the window that is open, where there is one. The last call. */
void xs_migration_budget_end(struct xs_migration_budget *budget, uint64_t now_ns);

#endif
