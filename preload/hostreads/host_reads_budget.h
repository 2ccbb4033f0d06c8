/* Decides when host memory may be looked at again (host_reads.h). Clearing and reading take processor time. Meanwhile
 * they hold the lock of the process's memory map, for which the program's page faults and calls of mmap wait. How long
 * that takes depends on the process, because watching and reading walk the page tables up to the region. On a machine
 * with two processors, watching took 6 ms and reading 12 ms for each GiB below the region, and clearing 64 MiB took 1
 * to 1.5 ms in a process of any size. So nothing is assumed. The first look is free, and what it took decides when
 * there is another. Only one thread uses a budget. */
#ifndef XFERSPY_PRELOAD_HOSTREADS_HOST_READS_BUDGET_H
#define XFERSPY_PRELOAD_HOSTREADS_HOST_READS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#define XS_HOST_READS_PER_MILLION 3000u /* by default */

struct xs_host_reads_budget {
    uint64_t start_ns, spent_ns;
    uint64_t looks, most_ns; /* number of looks, and the time of the longest of the last few */
    unsigned per_million;    /* share of the time since the start */
};

/* Starts the budget. If `per_million` is 1,000,000, the looks may take any time; if it is 0, there is never a look. */
void xs_host_reads_budget_start(struct xs_host_reads_budget *budget, uint64_t now_ns, unsigned per_million);

/* Notes that one look, the clearing and the reading together, took `took_ns`. */
void xs_host_reads_budget_spent(struct xs_host_reads_budget *budget, uint64_t took_ns);

/* Returns the time at which the next look may begin, so that the share is kept even if this look takes as long as the
 * longest of the last few. UINT64_MAX: never. */
uint64_t xs_host_reads_budget_next_ns(const struct xs_host_reads_budget *budget);

#endif
