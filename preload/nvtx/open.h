/* Which ranges are open on each thread. Only the thread itself opens its ranges and keeps them in order, but any
 * thread may end one. */
#ifndef XFERSPY_PRELOAD_NVTX_OPEN_H
#define XFERSPY_PRELOAD_NVTX_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/nvtx/ranges.h"

/* How many open ranges of a thread are kept. Ranges inside these are only counted. */
#define XS_RANGES_OPEN 64u
/* How many threads may have ranges open at the same time. The ranges of further threads are not seen. */
#define XS_RANGE_THREADS 2048u
enum { XS_RANGE_NONE_OPEN = -1, XS_RANGE_NO_TRACKING = -2 /* NVTX_NO_PUSH_POP_TRACKING */ };

/* Call this before anything else in this file. False: there is no memory. */
bool xs_open_prepare(void);

/* What the application calls a range: by `text` where that is not NULL, else by `name`. */
struct xs_range_label {
    const char *text;
    xs_range_name name;
};

/* Opens a range on the calling thread. Returns how many ranges of the domain were open before, or
 * XS_RANGE_NO_TRACKING. */
int xs_range_push(unsigned domain, struct xs_range_label label);
/* Ends the innermost range of the domain. Returns how many are still open around it, or an XS_RANGE_* where none was
 * open. */
int xs_range_pop(unsigned domain);

/* Opens a range that any thread may end, by the number that is returned. The number is not 0 and is never given
 * again. Ending a number that stands for no range, or for one that has ended, is harmless. */
uint64_t xs_range_start(unsigned domain, struct xs_range_label label);
void xs_range_end(uint64_t id);

#endif
