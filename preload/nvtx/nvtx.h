/* The NVTX range that is open on the calling thread, as a number that events carry. */
#ifndef XFERSPY_PRELOAD_NVTX_H
#define XFERSPY_PRELOAD_NVTX_H

#include <stdint.h>

#include "preload/core/thread.h"

struct xs_nvtx_thread;
extern XS_TLS struct xs_nvtx_thread *xs_nvtx_thread; /* NULL: it has opened no range */

/* Slow path of xs_nvtx_range, for a thread that has opened ranges. */
uint32_t xs_nvtx_innermost(struct xs_event **e);

/* The number of the calling thread's innermost open range; 0: none is open. A range that no event has carried yet is
 * defined (xs_define), and so are the ranges around it; that may move the event `*e`. Costs a load where the
 * application opens no ranges. */
XS_HOT uint32_t xs_nvtx_range(struct xs_event **e) { return XS_LIKELY(!xs_nvtx_thread) ? 0 : xs_nvtx_innermost(e); }

/* In a forked child: forgets the ranges of threads that are not there. Those of the calling thread stay open. */
void xs_nvtx_forget(void);

#endif
