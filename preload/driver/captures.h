/* How many streams of the process are capturing a graph. */
#ifndef XFERSPY_PRELOAD_DRIVER_CAPTURES_H
#define XFERSPY_PRELOAD_DRIVER_CAPTURES_H

#include <stdatomic.h>

/* Read by any thread, relaxed: whoever has to know about a stream of its own asks the driver while this is not 0. */
extern _Atomic int xs_captures;

/* A stream began (1) or ended (-1) to capture. Any thread. The number never stays below 0, for a capture may have begun
 * before the session. */
void xs_captures_change(int change);

#endif
