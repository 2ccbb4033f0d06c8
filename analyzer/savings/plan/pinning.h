/* Prices the page-locking of the copies' host memory, each byte once: the extra time of the trace's own page-locked
 * allocations over pageable memory, or if the trace has none, the time on a current machine. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_PINNING_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_PINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_pinning {
    double ns_per_byte; /* of locking and unlocking */
    bool assumed;       /* ns_per_byte is wholly or partly not of this trace */
    struct xs_pinned_range {
        uint64_t begin, end;
    } * ranges; /* of the copies that were added */
    size_t count, capacity;
};

/* Negative status: the message is set. Always end it. */
int xs_pinning_begin(struct xs_pinning *pinning, const struct xs_trace *trace, char *message);
void xs_pinning_end(struct xs_pinning *pinning);

/* Adds the host memory of a copy, which will be page-locked. */
void xs_pinning_add(struct xs_pinning *pinning, uint64_t address, uint64_t bytes);
void xs_pinning_clear(struct xs_pinning *pinning);

/* Returns what page-locking all ranges costs, in ns. */
uint64_t xs_pinning_ns(struct xs_pinning *pinning);

#endif
