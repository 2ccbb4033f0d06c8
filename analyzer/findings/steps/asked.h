/* Steps that capture itself told apart, by an NVTX range that the user named: XFERSPY_STEP=NAME, or
 * XFERSPY_WINDOW=nvtx:NAME. */
#ifndef XFERSPY_ANALYZER_STEPS_ASKED_H
#define XFERSPY_ANALYZER_STEPS_ASKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_asked_steps {
    int64_t *moments; /* ns: where each step began, and where the last one ended; in order */
    size_t count;     /* 0: no range was named, or its times are damaged */
    size_t capacity;
    uint64_t of;     /* so many steps there were, of which these are the first */
    bool is_damaged; /* while it is read */
    char name[256];  /* of the range; "": a copy without names */
};

/* Afterwards to be freed. */
void xs_asked_steps_read(struct xs_asked_steps *asked, const struct xs_trace *trace);
void xs_asked_steps_free(struct xs_asked_steps *asked);

#endif
