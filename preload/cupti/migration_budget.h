/* When page migrations are recorded in mode `auto`: recording slows a program down for every migration and fault it has, whoever
 * reads the records, so it rests while it took more than a share of the run's time. One owner, no locking. */
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

/* `records` since the start: true where recording has to be turned to `on`, which it then holds. */
bool xs_migration_budget_turn(struct xs_migration_budget *budget, uint64_t now_ns, uint64_t records);

/* For how long it was on. */
uint64_t xs_migration_budget_recorded_ns(const struct xs_migration_budget *budget, uint64_t now_ns);

#endif
