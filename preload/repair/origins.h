/* Finds where on the device the content of a copy lies already: at the device side of an earlier copy, its origin. With
 * a plan, a line names the origin after `from`. Without a plan, it is the latest copy from or to the same host memory.
 * Any thread; no lock. */
#ifndef XFERSPY_PRELOAD_REPAIR_ORIGINS_H
#define XFERSPY_PRELOAD_REPAIR_ORIGINS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/frame.h"

struct xs_repair_origin {
    uint64_t device, bytes; /* device side of the earlier copy */
    uint64_t moment;        /* xs_streams_now() before the earlier copy */
};

/* Prepares for the origins that the plan names; without a plan, for any origin. False: there is no memory. Called once,
 * before the first copy. */
bool xs_origins_start(void);

/* Notes a copy that is being made, or was left out because its content is there already. `moment` is xs_streams_now()
 * before the copy counted as work. Does nothing if xs_origins_start was not called. */
void xs_origins_saw(const struct xs_repair_copy *copy, uint64_t moment);

/* Notes that the copy failed: it is no origin. */
void xs_origins_failed(const struct xs_repair_copy *copy);

/* Finds the copy at this place of the plan. NULL: *origin has it, and its memory is still the same allocation, in the
 * context of `copy`; else the reason why there is none. */
const char *xs_origins_at(const struct xs_repair_place *place, const struct xs_repair_copy *copy,
                          struct xs_repair_origin *origin);

/* Finds the latest copy between the device and the host memory that starts where the host side of `copy` does, of as
 * many bytes or more. Returns what xs_origins_at returns. */
const char *xs_origins_of_host(const struct xs_repair_copy *copy, struct xs_repair_origin *origin);

#endif
