/* NVTX ranges that the application opens: what is open on the calling thread, as a number that events carry. */
#ifndef XFERSPY_PRELOAD_NVTX_H
#define XFERSPY_PRELOAD_NVTX_H

#include <stdint.h>

#include "preload/core/thread.h"

struct xs_nvtx_thread;
extern XS_TLS struct xs_nvtx_thread *xs_nvtx_thread; /* NULL: it has opened no range */

/* Of a thread that has opened ranges: xs_nvtx_range. */
uint32_t xs_nvtx_innermost(struct xs_event **e);

/* The number of the calling thread's innermost open range, 0: none. One that no event has carried yet is defined
 * (xs_define), and so are those around it; `*e` may get a new place by that. Costs a load where the application opens
 * no range. */
XS_HOT uint32_t xs_nvtx_range(struct xs_event **e) { return XS_LIKELY(!xs_nvtx_thread) ? 0 : xs_nvtx_innermost(e); }

/* In a forked child: the ranges of the threads that are not there. Those of the calling thread stay open. */
void xs_nvtx_forget(void);

#endif
