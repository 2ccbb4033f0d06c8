/* Shows a line on standard error while a trace is read for longer than a second, if a person is looking. */
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

/* Starts a thread that shows the seconds, on a terminal. Must not be moved before xs_progress_end. */
void xs_progress_begin(struct xs_progress *progress, const struct xs_trace *trace);
/* Removes the line. */
void xs_progress_end(struct xs_progress *progress);

#endif
