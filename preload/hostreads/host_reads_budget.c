/* See host_reads_budget.h. */
#include "preload/hostreads/host_reads_budget.h"

#define ALL 1000000u

void xs_host_reads_budget_start(struct xs_host_reads_budget *budget, uint64_t now_ns, unsigned per_million) {
    *budget = (struct xs_host_reads_budget){.start_ns = now_ns, .per_million = per_million};
}

void xs_host_reads_budget_spent(struct xs_host_reads_budget *budget, uint64_t took_ns) {
    budget->spent_ns += took_ns;
    budget->looks++;
    /* The longest look is forgotten slowly: one that was interrupted must not keep others away for ever. */
    uint64_t faded = budget->most_ns - budget->most_ns / 4;
    budget->most_ns = took_ns > faded ? took_ns : faded;
}

uint64_t xs_host_reads_budget_next_ns(const struct xs_host_reads_budget *budget) {
    if (!budget->per_million)
        return UINT64_MAX;
    if (!budget->looks || budget->per_million >= ALL)
        return budget->start_ns;
    double after = (double)(budget->spent_ns + budget->most_ns) / budget->per_million * ALL;
    return after < (double)(UINT64_MAX / 2) ? budget->start_ns + (uint64_t)after : UINT64_MAX;
}
