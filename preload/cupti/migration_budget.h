/* When page migrations are recorded in mode `auto`. Recording slows a program down for every migration and every
 * fault, whoever reads the records. So it stops for a while whenever it took more than a share of the run's time.
 * One thread uses a budget; there is no lock. */
#ifndef XFERSPY_PRELOAD_CUPTI_MIGRATION_BUDGET_H
#define XFERSPY_PRELOAD_CUPTI_MIGRATION_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct xs_migration_budget {
    uint64_t start_ns, since_ns, recorded_ns;
    unsigned rests;
    bool on;
};

/* Recording begins. */
void xs_migration_budget_start(struct xs_migration_budget *budget, uint64_t now_ns);

/* There were `records` records since the start. Returns true where recording has to be turned on or off, to what
 * `budget->on` then says. */
bool xs_migration_budget_turn(struct xs_migration_budget *budget, uint64_t now_ns, uint64_t records);

/* For how long recording was on. */
uint64_t xs_migration_budget_recorded_ns(const struct xs_migration_budget *budget, uint64_t now_ns);

#endif
