/* Where on the device the content of a copy can be found again: at the device side of an earlier one, its origin. With
 * a plan that is the place that a line names behind `from`. Without a plan, the latest copy from or to the same host
 * memory. Any thread; no lock. */
#ifndef XFERSPY_PRELOAD_REPAIR_ORIGINS_H
#define XFERSPY_PRELOAD_REPAIR_ORIGINS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/frame.h"

struct xs_repair_origin {
    uint64_t device, bytes; /* the device's side */
    uint64_t moment;        /* xs_streams_now() before that copy */
};

/* Prepares for the origins that the plan names; without a plan for any. False: there is no memory. Once, before the
 * first copy. */
bool xs_origins_start(void);

/* A copy is being made, or was left out because its content is there already; `moment` is xs_streams_now() before the
 * copy counted as work. Does nothing where xs_origins_start was not called. */
void xs_origins_saw(const struct xs_repair_copy *copy, uint64_t moment);

/* The copy failed: it is nobody's origin. */
void xs_origins_failed(const struct xs_repair_copy *copy);

/* The copy at that place of the plan. NULL: *origin has it, and its memory is allocated as it was then, in the context
 * of `copy`; else the reason why there is none. */
const char *xs_origins_at(const struct xs_repair_place *place, const struct xs_repair_copy *copy,
                          struct xs_repair_origin *origin);

/* The latest copy between the host side of `copy`, or more from there on, and the device. Likewise. */
const char *xs_origins_of_host(const struct xs_repair_copy *copy, struct xs_repair_origin *origin);

#endif
