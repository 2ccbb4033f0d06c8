/* Which ranges are open on each thread. Only the thread itself opens one and orders them; any thread may end one. */
#ifndef XFERSPY_PRELOAD_NVTX_OPEN_H
#define XFERSPY_PRELOAD_NVTX_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/nvtx/ranges.h"

/* Open ranges of a thread that are kept; those inside them are only counted. */
#define XS_RANGES_OPEN 64u
/* Threads that have ranges open at the same time; further ones have none. */
#define XS_RANGE_THREADS 2048u
enum { XS_RANGE_NONE_OPEN = -1, XS_RANGE_NO_TRACKING = -2 /* NVTX_NO_PUSH_POP_TRACKING */ };

/* Before anything else here. False: no memory. */
bool xs_open_prepare(void);

/* What a range is called, as the application says it: by `text` where there is one, else by `name`. */
struct xs_range_label {
    const char *text;
    xs_range_name name;
};

/* Returns how many of the domain were open before, or XS_RANGE_NO_TRACKING. */
int xs_range_push(unsigned domain, struct xs_range_label label);
/* Ends the domain's innermost. Returns how many were open around it, or an XS_RANGE_* where none is open. */
int xs_range_pop(unsigned domain);

/* A range that any thread may end, by the number that is returned: not 0, and never given again. Numbers that stand for
 * none, or for one that has ended, are harmless. */
uint64_t xs_range_start(unsigned domain, struct xs_range_label label);
void xs_range_end(uint64_t id);

#endif
