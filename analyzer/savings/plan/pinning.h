/* Computes what it costs to page-lock the host memory of copies. Each byte counts once. The price per byte is the extra
 * time of the trace's own page-locked allocations compared to pageable memory, or, if the trace has none, a typical
 * time of today's machines. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_PINNING_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_PINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_pinning {
    double ns_per_byte; /* price of locking and unlocking */
    bool assumed;       /* ns_per_byte is at least partly not measured in this trace */
    struct xs_pinned_range {
        uint64_t begin, end;
    } * ranges; /* host memory of the copies that were added */
    size_t count, capacity;
    double scale; /* the run has this many times the copies that were added (in_parts.h) */
};

/* Finds the price per byte. Negative status: the message is set. Always call xs_pinning_end. */
int xs_pinning_begin(struct xs_pinning *pinning, const struct xs_trace *trace, char *message);
void xs_pinning_end(struct xs_pinning *pinning);

/* Adds the host memory of a copy, which will be page-locked. */
void xs_pinning_add(struct xs_pinning *pinning, uint64_t address, uint64_t bytes);

/* Returns what page-locking all ranges costs, in ns. If the run has more copies than were added, the other copies are
 * assumed to need new memory at the same rate as the second half of the added copies. This is no new memory if that
 * half uses the memory of the first half again. */
uint64_t xs_pinning_ns(const struct xs_pinning *pinning);

#endif
