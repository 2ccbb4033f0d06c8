/* What page-locking the host memory of copies costs: of each byte once, what the trace's own page-locked allocations
 * take longer than pageable memory does, or where it has none, what they do on a machine of today. */
#ifndef XFERSPY_ANALYZER_CAUSES_PINNING_H
#define XFERSPY_ANALYZER_CAUSES_PINNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_pinning {
    double ns_per_byte; /* of locking and unlocking */
    bool assumed;       /* it, or a part of it, is not of this trace */
    struct xs_pinned_range {
        uint64_t begin, end;
    } * ranges; /* of the copies that were added */
    size_t count, capacity;
};

/* Negative status: the message is set. Always to be ended. */
int xs_pinning_begin(struct xs_pinning *pinning, const struct xs_trace *trace, char *message);
void xs_pinning_end(struct xs_pinning *pinning);

/* The host memory of a copy will be page-locked. */
void xs_pinning_add(struct xs_pinning *pinning, uint64_t address, uint64_t bytes);
void xs_pinning_clear(struct xs_pinning *pinning);

/* What all of it costs, in ns. */
uint64_t xs_pinning_ns(struct xs_pinning *pinning);

#endif
