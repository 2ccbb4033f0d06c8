/* Finds memory on the device that already has the content of an upload: the device side of an earlier copy, which is
 * called the upload's origin. With a plan, the plan's line names the origin after the word `from`. Without a plan, the
 * origin is the latest copy from or to the same host memory. Any thread may call these functions; they take no lock. */
#ifndef XFERSPY_PRELOAD_REPAIR_ORIGINS_H
#define XFERSPY_PRELOAD_REPAIR_ORIGINS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/repair/repair_hooks.h"

struct xs_repair_origin {
    uint64_t device, bytes; /* device side of the earlier copy */
    uint64_t moment;        /* value of xs_streams_now() before the earlier copy */
};

/* Prepares to note the copies that the plan names as origins, or, without a plan, all copies. False: there is no
 * memory. This function is called once, before the first copy. */
bool xs_origins_start(void);

/* Notes a copy that is being made, or that was left out because the destination already has its content. `moment` is
 * the value of xs_streams_now() before xs_streams_saw or xs_streams_saw_copy was called for the copy. Does nothing if
 * xs_origins_start was not called. */
void xs_origins_saw(const struct xs_repair_copy *copy, uint64_t moment);

/* Notes that the copy failed, so that it is not used as an origin. */
void xs_origins_failed(const struct xs_repair_copy *copy);

/* Finds the origin that a plan's line names by `id`. If the origin can be used, stores it in *origin and returns NULL;
 * it then has at least as many bytes as `copy`, is in the same context, and was not freed after its copy. Else returns
 * the reason why the origin cannot be used. */
const char *xs_origins_at(const struct xs_copy_id *id, const struct xs_repair_copy *copy,
                          struct xs_repair_origin *origin);

/* Finds the latest noted copy whose host side begins at the same address as the host side of `copy`. The note of that
 * copy may be lost, because the note of a copy from or to other host memory can replace it. The result has the same
 * meaning as the result of xs_origins_at. */
const char *xs_origins_of_host(const struct xs_repair_copy *copy, struct xs_repair_origin *origin);

#endif
