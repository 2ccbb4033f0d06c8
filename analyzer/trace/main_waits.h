/* Finds downloads of a framework's threads for which the main thread waited outside of CUDA. The trace shows such a
 * wait only by the sample that capture took at the download's call, or at other downloads from the same place
 * (looked_stacks.h): the main thread slept (stack.is_asleep). A wait ends when the data has arrived, or when the main
 * thread makes its next call. */
#ifndef XFERSPY_ANALYZER_TRACE_MAIN_WAITS_H
#define XFERSPY_ANALYZER_TRACE_MAIN_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_main_wait {
    int64_t download; /* transfer.id */
    int64_t enter_ns; /* enter time of the download's call */
    int64_t thread;   /* thread.id of the thread that waited */
    int64_t begin_ns; /* the earliest time at which the wait can have begun: the thread's previous call had returned,
                         and the thread's previous wait had ended */
    int64_t end_ns;   /* end of the copy on the device, or the enter of the thread's next call if that is earlier. If
                         end_ns is equal to begin_ns, the thread's previous wait was also for this download. */
};

struct xs_main_waits {
    struct xs_main_wait *items; /* sorted by download */
    size_t count;
};

/* Reads all waits of a trace. Negative status: the message is set. Call xs_main_waits_free even then. */
int xs_main_waits_read(struct xs_main_waits *waits, const struct xs_trace *trace, char *message, uint64_t *damaged);
void xs_main_waits_free(struct xs_main_waits *waits);

/* Returns the wait for a download; NULL: the main thread did not wait for the download, or nothing is known about a
 * wait. */
const struct xs_main_wait *xs_main_wait_of(const struct xs_main_waits *waits, int64_t download);

#endif
