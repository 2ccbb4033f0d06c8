/* Reads the steps that capture recorded during the run. Capture records steps if the user named an NVTX range that
 * marks them: XFERSPY_STEP=NAME, or XFERSPY_WINDOW=nvtx:NAME. */
#ifndef XFERSPY_ANALYZER_FINDINGS_STEPS_ASKED_H
#define XFERSPY_ANALYZER_FINDINGS_STEPS_ASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_asked_steps {
    int64_t *moments; /* times in ns, in order: the start of each step, and the end of the last step */
    size_t count;     /* 0: no range was named, or its times are damaged */
    size_t capacity;
    uint64_t of;     /* number of steps in the run; `moments` may have only the first of them */
    bool is_damaged; /* used while the list is read */
    char name[256];  /* name of the range; "": the trace is a copy without names */
};

/* Reads the steps. Always call xs_asked_steps_free. */
void xs_asked_steps_read(struct xs_asked_steps *asked, const struct xs_trace *trace);
void xs_asked_steps_free(struct xs_asked_steps *asked);

#endif
