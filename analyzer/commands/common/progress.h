/* Shows a line on standard error while a trace is read, if that takes longer than a second, and if standard error is a
 * terminal. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_PROGRESS_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_progress {
    char *name;       /* name of the trace, escaped */
    int name_columns; /* columns of the name that are shown */
    bool runs;        /* the thread was started */
    bool ends, shown;
    int64_t began_ms;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t end;
};

/* Starts a thread that shows the elapsed seconds if there is a terminal. `progress` must not be moved before
 * xs_progress_end. */
void xs_progress_begin(struct xs_progress *progress, const struct xs_trace *trace);
/* Ends the thread and removes the line. */
void xs_progress_end(struct xs_progress *progress);

#endif
