/* Computes a trace's summary, and how many contents are known, in a second thread, beside the analysis of the findings.
 * The thread has its own connection to the file, so the two threads share nothing but the file. The summary is the same
 * as without the thread. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_TOTALS_THREAD_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_TOTALS_THREAD_H

#include <pthread.h>
#include <stdbool.h>

#include "analyzer/totals/summary/content_coverage.h"
#include "analyzer/totals/summary/summary.h"
#include "schema/read/trace.h"

struct xs_totals_thread { /* zeroed: no thread */
    bool runs;
    pthread_t thread;
    struct xs_trace trace;
    struct xs_summary summary;
    struct xs_content_coverage contents;
    int status;
    char message[XS_TRACE_MESSAGE_BYTES];
};

/* Begins to compute the summary of all rows. No thread is started if it is not worth it (base/thread.h), if device
 * times are modelled (the model is in the connection of the caller), or if the trace cannot be opened again. `runs` is
 * then false, and the caller computes the summary itself. The struct must not be moved until the end. */
void xs_totals_thread_begin(struct xs_totals_thread *totals, const struct xs_trace *trace);

/* Waits for the thread and returns its status. Must be called only if `runs` is true. If the status is not negative,
 * sets `contents`, and `summary`, which then belongs to the caller (xs_summary_free) and is about `trace`. If the
 * status is negative, `summary` is empty, and the message is set. */
int xs_totals_thread_end(struct xs_totals_thread *totals, const struct xs_trace *trace, struct xs_summary *summary,
                         struct xs_content_coverage *contents, char *message);

/* Ends the thread early, and drops its result. */
void xs_totals_thread_drop(struct xs_totals_thread *totals);

#endif
