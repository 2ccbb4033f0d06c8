/* A line on standard error while a trace is read for longer than a second, where a person is looking. */
#ifndef XFERSPY_ANALYZER_OUTPUT_PROGRESS_H
#define XFERSPY_ANALYZER_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/trace.h"

struct xs_progress {
    const struct xs_trace *trace;
    int64_t began_s, shown_s;
    bool shown;
};

/* From here on SQLite calls back while it reads `trace`; to be ended before the trace is closed. */
void xs_progress_begin(struct xs_progress *progress, const struct xs_trace *trace);
/* Takes the line away again. */
void xs_progress_end(struct xs_progress *progress);

#endif
