/* Reads the steps that capture itself distinguished, by an NVTX range that the user named: XFERSPY_STEP=NAME, or
 * XFERSPY_WINDOW=nvtx:NAME. */
#ifndef XFERSPY_ANALYZER_FINDINGS_STEPS_ASKED_H
#define XFERSPY_ANALYZER_FINDINGS_STEPS_ASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_asked_steps {
    int64_t *moments; /* ns, in order: the begin of each step, and the end of the last one */
    size_t count;     /* 0: no range was named, or its times are damaged */
    size_t capacity;
    uint64_t of;     /* number of steps in the run; these are the first of them */
    bool is_damaged; /* used while it is read */
    char name[256];  /* name of the range; "": a copy without names */
};

/* Reads the steps; always free them. */
void xs_asked_steps_read(struct xs_asked_steps *asked, const struct xs_trace *trace);
void xs_asked_steps_free(struct xs_asked_steps *asked);

#endif
