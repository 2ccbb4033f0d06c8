/* NVTX ranges that the application opens: what is open on the calling thread, as a number that events carry. */
#ifndef XFERSPY_PRELOAD_NVTX_H
#define XFERSPY_PRELOAD_NVTX_H

#include <stdint.h>

#include "preload/capture/thread.h"

/* The number of the calling thread's innermost open range, 0: none. One that no event has carried yet is defined (xs_define), and
 * so are those around it. Costs a load where the application opens no range. */
uint32_t xs_nvtx_range(struct xs_event **e);

/* In a forked child. */
void xs_nvtx_forget(void);

#endif
