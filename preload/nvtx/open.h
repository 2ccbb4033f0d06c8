/* Tracks the open ranges of each thread. Only the thread itself opens its ranges and keeps them in order, but any
 * thread may end one. */
#ifndef XFERSPY_PRELOAD_NVTX_OPEN_H
#define XFERSPY_PRELOAD_NVTX_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/nvtx/nvtx_ranges.h"

/* The number of open ranges kept per thread. Ranges inside these are only counted. */
#define XS_RANGES_OPEN 64u
/* The number of threads that may have open ranges at the same time. The ranges of further threads are not seen. */
#define XS_RANGE_THREADS 2048u
enum { XS_RANGE_NONE_OPEN = -1, XS_RANGE_NO_TRACKING = -2 /* NVTX_NO_PUSH_POP_TRACKING */ };

/* Must be called before anything else in this file. False: there is no memory. */
bool xs_open_prepare(void);

/* The application's label of a range: `text` unless that is NULL, else `name`. */
struct xs_range_label {
    const char *text;
    xs_range_name name;
};

/* Opens a range on the calling thread. Returns the number of ranges of the domain that were open before, or
 * XS_RANGE_NO_TRACKING. */
int xs_range_push(unsigned domain, struct xs_range_label label);
/* Ends the innermost range of the domain. Returns the number of ranges still open around it, or XS_RANGE_NONE_OPEN. */
int xs_range_pop(unsigned domain);

/* Opens a range that any thread may end by the returned number. The number is never 0, and is never given again, except
 * to ranges that are not kept. Ending an ended range, or a number without a range, is harmless. */
uint64_t xs_range_start(unsigned domain, struct xs_range_label label);
void xs_range_end(uint64_t id);

#endif
