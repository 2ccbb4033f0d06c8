/* The guard of a thread: while its depth is not 0, every wrapper that this thread enters passes straight through to
 * the driver. So calls that xferspy makes itself of the driver and of CUPTI, and calls that the driver makes inside
 * a wrapped one, are not recorded as the application's.
 *
 * The depth belongs to the calling thread alone; a signal handler on the thread sees it, too. */
#ifndef XFERSPY_PRELOAD_CORE_GUARD_H
#define XFERSPY_PRELOAD_CORE_GUARD_H

#include "preload/core/compiler.h"

extern XS_TLS unsigned xs_guard_depth; /* defined in thread.c, with the other variables of a thread */

static inline void xs_guard_enter(void) { xs_guard_depth++; }
static inline void xs_guard_leave(void) { xs_guard_depth--; }

#endif
