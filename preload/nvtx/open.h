/* Tracks the open ranges of each thread, in an array for each thread. Only the thread itself opens its ranges, and
 * moves them in the array. It also ends those that it has pushed, but any thread may end a range of xs_range_start. */
#ifndef XFERSPY_PRELOAD_NVTX_OPEN_H
#define XFERSPY_PRELOAD_NVTX_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/nvtx/nvtx_ranges.h"

/* The number of open ranges that are kept per thread. Any further range inside these ranges is only counted. */
#define XS_RANGES_OPEN 64u
/* The number of threads that may have open ranges at the same time. The ranges of further threads are ignored. */
#define XS_RANGE_THREADS 2048u
enum { XS_RANGE_NONE_OPEN = -1, XS_RANGE_NO_TRACKING = -2 /* NVTX_NO_PUSH_POP_TRACKING */ };

/* Must be called before all other functions of this file. False: there is no memory, or no free key of pthreads. */
bool xs_open_prepare(void);

/* The name that the application gives to a range: `text`, or `name` if `text` is NULL. */
struct xs_range_label {
    const char *text;
    xs_range_name name;
};

/* Opens a range on the calling thread. Returns the number of ranges of the domain that were open before, or
 * XS_RANGE_NO_TRACKING. */
int xs_range_push(unsigned domain, struct xs_range_label label);
/* Ends the calling thread's innermost range of the domain. Returns the number of ranges of the domain that are still
 * open on the thread, or XS_RANGE_NONE_OPEN if none was open. */
int xs_range_pop(unsigned domain);

/* xs_range_start opens a range that any thread may end, and returns its number, which is never 0. No two ranges that
 * are kept get the same number; ranges that are not kept may get the same number. xs_range_end ends the range with this
 * number. It does nothing if the range has already ended, or if there is no range with this number. */
uint64_t xs_range_start(unsigned domain, struct xs_range_label label);
void xs_range_end(uint64_t id);

#endif
