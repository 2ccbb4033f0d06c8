/* Finds the number of the calling thread's open NVTX range, for the events of the thread. */
#ifndef XFERSPY_PRELOAD_NVTX_NVTX_H
#define XFERSPY_PRELOAD_NVTX_NVTX_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/thread.h"

struct xs_nvtx_thread;
extern XS_TLS struct xs_nvtx_thread *xs_nvtx_thread; /* NULL: the thread has opened no range */

/* Does the work of xs_nvtx_range for a thread that has opened ranges. */
uint32_t xs_nvtx_innermost(struct xs_event **e);

/* Returns the number of the calling thread's innermost open range; 0: no range is open. If the range is not yet defined
 * in the trace, defines it and the ranges around it (xs_define); this may move the event `*e`. Takes one load if the
 * thread has opened no ranges. */
XS_HOT uint32_t xs_nvtx_range(struct xs_event **e) { return XS_LIKELY(!xs_nvtx_thread) ? 0 : xs_nvtx_innermost(e); }

/* Makes everything ready for ranges. Must be called before the first range begins; a second call does nothing new.
 * False: there is no memory. */
bool xs_nvtx_prepare(void);

/* Runs in a forked child: discards the ranges of the parent's other threads. The calling thread's ranges stay
 * open. */
void xs_nvtx_forget(void);

#endif
